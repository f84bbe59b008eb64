// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToTileGPU/DotChoice.h"
#include "tilewright/Conversion/TileToTileGPU/LayoutPlan.h"
#include "tilewright/Dialect/TileGPU/IR/MmaTypes.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;

StringRef tilewright::stringify(DotFamily family) { return family == DotFamily::Fma ? "fma" : "mma.sync"; }

/// Why `mma.sync` cannot compute `dot` on `target`; empty if it can.
static std::string whyNotMmaSync(tile::DotOp dot, const Target &target) {
  Type lhs = tileType(dot.getLhs()).getElementType(), rhs = tileType(dot.getRhs()).getElementType(),
       acc = tileType(dot.getAcc()).getElementType();
  std::string name = target.name.data();
  if (!target.hasMmaSync)
    return "target " + name + " has no mma.sync";
  if (lhs.isF32() && dot.getPrecision().value_or(tile::Precision::ieee) != tile::Precision::tf32)
    return "f32 operands keep all their bits unless the product allows tf32";
  std::optional<tile_gpu::MmaKind> kind =
      tile_gpu::findMmaKind(lhs, rhs, acc, dot.getLhsUnsigned(), dot.getRhsUnsigned());
  if (!kind) {
    std::string text;
    llvm::raw_string_ostream(text) << "mma.sync has no instruction for " << lhs << " times " << rhs
                                   << " with sums in " << acc;
    return text;
  }
  if (kind->needsFp8() && !target.hasMmaSyncFp8)
    return "mma.sync of fp8 begins with sm_89, the target is " + name;
  return "";
}

FailureOr<DotChoice> tilewright::chooseDot(tile::DotOp dot, const Target &target) {
  std::string obstacle = whyNotMmaSync(dot, target);
  DotChoice best{obstacle.empty() ? DotFamily::MmaSync : DotFamily::Fma, obstacle};
  Attribute attr = dot->getAttr(kDotFamilyAttr);
  if (!attr)
    return best;
  auto wish = dyn_cast<StringAttr>(attr);
  for (DotFamily family : {DotFamily::Fma, DotFamily::MmaSync}) {
    if (!wish || wish.getValue() != stringify(family)) // The verifier knows the names.
      continue;
    if (family == DotFamily::MmaSync && best.family != family)
      return dot.emitOpError() << "expects a product that mma.sync can compute, as " << kDotFamilyAttr
                               << " asks: " << obstacle;
    return DotChoice{family, family == best.family ? obstacle : "the attribute " + kDotFamilyAttr.str() + " asks for it"};
  }
  return dot.emitOpError() << "expects " << kDotFamilyAttr << " to be \"fma\" or \"mma.sync\", found " << attr;
}

LogicalResult tilewright::chooseDots(func::FuncOp func, StringRef targetName, StringRef category) {
  std::string error;
  const Target *target = findTarget(targetName, &error);
  if (!target)
    return emitError(func.getLoc(), error);
  WalkResult result = func.walk([&](tile::DotOp dot) -> WalkResult {
    FailureOr<DotChoice> choice = chooseDot(dot, *target);
    if (failed(choice))
      return WalkResult::interrupt();
    dot->setAttr(kDotFamilyAttr, StringAttr::get(func.getContext(), stringify(choice->family)));
    auto options = remark::RemarkOpts::name("DotFamily").category(category).function(func.getSymName());
    if (choice->reason.empty())
      remark::passed(dot.getLoc(), options) << remark::metric("family", stringify(choice->family));
    else
      remark::missed(dot.getLoc(), options)
          << remark::metric("family", stringify(choice->family)) << remark::reason("{0}", choice->reason);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

DotFamily tilewright::recordedFamily(tile::DotOp dot) {
  auto name = dot->getAttrOfType<StringAttr>(kDotFamilyAttr);
  return name && name.getValue() == stringify(DotFamily::MmaSync) ? DotFamily::MmaSync : DotFamily::Fma;
}
