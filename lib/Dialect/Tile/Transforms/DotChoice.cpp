// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/DotChoice.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;
using tilewright::tile::DotRecord;

static RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// How an operand comes to a product.
struct OperandFacts {
  MmaMajor major = MmaMajor::Any;
  bool isComputed = false;
};
} // namespace

/// Looks at an operand whose dimension `inner` is K and `outer` M or N.
static OperandFacts findOperandFacts(Value operand, int64_t inner, int64_t outer) {
  while (auto permute = operand.getDefiningOp<tile::PermuteOp>()) {
    inner = permute.getOrder()[inner];
    outer = permute.getOrder()[outer];
    operand = permute.getSource();
  }
  auto load = operand.getDefiningOp<tile::LoadOp>();
  if (!load)
    return {MmaMajor::Any, /*isComputed=*/true};
  SmallVector<int64_t> walked = load.walkedDims();
  ArrayRef<int64_t> strides = load.getView().getType().getStrides();
  if (strides[walked[inner]] == 1)
    return {MmaMajor::K, false};
  return {strides[walked[outer]] == 1 ? MmaMajor::MN : MmaMajor::Any, false};
}

static ScalarType scalarTypeOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  std::optional<ScalarType> scalar = parseScalarType(text);
  assert(scalar && "the verifier lets no other type into a product");
  return *scalar;
}

DotQuery tilewright::describeDot(tile::DotOp dot, unsigned warps) {
  RankedTensorType lhs = tileType(dot.getLhs()), rhs = tileType(dot.getRhs()), sum = tileType(dot.getAcc());
  int64_t rank = sum.getRank();
  DotQuery query;
  query.lhs = scalarTypeOf(lhs.getElementType());
  query.rhs = scalarTypeOf(rhs.getElementType());
  query.sum = scalarTypeOf(sum.getElementType());
  // The other precisions are taken apart into products of narrow types before; what is left of them stays exact.
  if (query.lhs == ScalarType::F32 && dot.getPrecision() == tile::Precision::tf32)
    query.lhs = query.rhs = ScalarType::TF32;
  query.extents = {sum.getDimSize(rank - 2), sum.getDimSize(rank - 1), lhs.getDimSize(rank - 1)};
  query.batch = ShapedType::getNumElements(sum.getShape().drop_back(2));
  OperandFacts left = findOperandFacts(dot.getLhs(), rank - 1, rank - 2);
  OperandFacts right = findOperandFacts(dot.getRhs(), rank - 2, rank - 1);
  query.lhsMajor = left.major;
  query.rhsMajor = right.major;
  query.isLhsComputed = left.isComputed;
  query.isRhsComputed = right.isComputed;
  query.warps = warps;
  return query;
}

/// "shared m": a place and the dimension along which an operand is contiguous there.
static std::string describeSource(std::string_view place, MmaMajor major, const char *outer) {
  return std::string(place) + ' ' + (major == MmaMajor::MN ? outer : "k");
}

static DotRecord makeRecord(const DotQuery &query, const DotPlan &plan) {
  const FamilyFit &fit = plan.chosen;
  DotRecord record;
  record.family = fit.family;
  record.shape = fit.shape;
  if (fit.padded != query.extents)
    record.padded = fit.padded;
  record.lhs = describeSource(fit.lhsSource, fit.lhsMajor, "m");
  record.rhs = describeSource(fit.rhsSource, fit.rhsMajor, "n");
  record.sum = std::string(fit.sumPlace);
  record.reason = plan.reason;
  return record;
}

/// Why `fit` cannot be emitted; empty if it can.
static std::string whyNotEmitted(const FamilyFit &fit) {
  if (!fit.canCompute())
    return fit.obstacle();
  return fit.isLowered ? "" : stringify(fit.shape) + " fits, but is not lowered yet";
}

/// The plan with the family that `tile.mma` of `dot` names, else the best. An impossible wish is an error that is emitted.
static FailureOr<DotPlan> planWithWish(tile::DotOp dot, const DotQuery &query, const Target &target) {
  DotPlan plan = planDot(query, target);
  auto wish = dot->getAttrOfType<StringAttr>(tile::kMmaAttr);
  std::optional<MmaFamily> family = wish ? parseMmaFamily(wish.getValue()) : std::nullopt;
  if (!family || *family == plan.chosen.family) // The verifier knows the names.
    return plan;
  FamilyFit fit = fitFamily(query, target, *family);
  std::string obstacle = whyNotEmitted(fit);
  if (!obstacle.empty())
    return dot.emitOpError() << "expects a product that " << wish.getValue() << " can compute, as " << tile::kMmaAttr
                             << " asks: " << obstacle;
  return DotPlan{fit, "the attribute " + tile::kMmaAttr.str() + " asks for it", {}};
}

/// One remark for the choice, and one for each operand that has to be turned.
static void explain(tile::DotOp dot, const DotPlan &plan, const DotRecord &record, StringRef category) {
  StringRef func = dot->getParentOfType<func::FuncOp>().getSymName();
  auto options = remark::RemarkOpts::name("DotFamily").category(category).function(func);
  { // Printed at the end of its life.
    auto remark = plan.reason.empty() ? remark::passed(dot.getLoc(), options) : remark::missed(dot.getLoc(), options);
    remark << remark::metric("family", StringRef(mmaFamilyName(record.family)))
           << remark::metric("shape", stringify(record.shape)) << remark::metric("lhs", record.lhs)
           << remark::metric("rhs", record.rhs) << remark::metric("sum", record.sum);
    if (!plan.reason.empty())
      remark << remark::reason("{0}", plan.reason);
  }
  for (const std::string &turned : plan.chosen.turned)
    remark::missed(dot.getLoc(), remark::RemarkOpts::name("DotMajorness").category(category).function(func))
        << remark::reason("{0}: it is turned in shared memory", turned);
}

/// Whether what is recorded can be done on `target` and is what `tile.mma` asks for. Emits the error if not.
static LogicalResult checkRecord(tile::DotOp dot, const DotRecord &record, const Target &target, unsigned warps) {
  auto wish = dot->getAttrOfType<StringAttr>(tile::kMmaAttr);
  StringRef name = mmaFamilyName(record.family);
  if (wish && wish.getValue() != name)
    return dot.emitOpError() << "expects " << tile::kDotChoiceAttr << " to take " << wish << ", as " << tile::kMmaAttr
                             << " asks, found \"" << name << "\"";
  std::string obstacle = whyNotEmitted(fitFamily(describeDot(dot, warps), target, record.family));
  if (obstacle.empty())
    return success();
  return dot.emitOpError() << "expects a product that " << name << " can compute, as " << tile::kDotChoiceAttr
                           << " says: " << obstacle;
}

LogicalResult tilewright::chooseDots(func::FuncOp func, StringRef targetName, unsigned warps, StringRef category) {
  std::string error;
  const Target *target = findTarget(targetName, &error);
  if (!target)
    return emitError(func.getLoc(), error);
  if (auto pinned = func->getAttrOfType<IntegerAttr>("tile.num_warps"))
    warps = pinned.getInt();
  if (constexpr unsigned most = Target::kMaxThreadsPerBlock / kWarpSize; warps > most)
    return emitError(func.getLoc()) << "option 'num-warps': expected 0 to " << most << ", found " << warps;
  WalkResult result = func.walk([&](tile::DotOp dot) -> WalkResult {
    if (std::optional<DotRecord> known = tile::parseDotRecord(dot->getAttr(tile::kDotChoiceAttr)))
      return checkRecord(dot, *known, *target, warps);
    DotQuery query = describeDot(dot, warps);
    FailureOr<DotPlan> plan = planWithWish(dot, query, *target);
    if (failed(plan))
      return WalkResult::interrupt();
    DotRecord record = makeRecord(query, *plan);
    dot->setAttr(tile::kDotChoiceAttr, tile::toAttribute(func.getContext(), record));
    explain(dot, *plan, record, category);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

MmaFamily tilewright::recordedFamily(tile::DotOp dot) {
  std::optional<DotRecord> record = tile::parseDotRecord(dot->getAttr(tile::kDotChoiceAttr));
  return record ? record->family : MmaFamily::Fma;
}
