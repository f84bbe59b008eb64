// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/Transforms/TransposePlan.h"
#include "tilewright/Dialect/Tile/IR/PermutedBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Most requests of one plan; a larger slice of the program is left alone.
static constexpr size_t kMaxRequests = 2000;
/// What a loop around makes of a cost.
static constexpr int64_t kTripsGuess = 16;
static constexpr int64_t kInfinite = int64_t(1) << 60;

using Order = SmallVector<int64_t>;

static RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

/// Bytes of a tile, times 16 for each loop around `block`.
static int64_t weigh(Value value, Block *block) {
  RankedTensorType type = tileType(value);
  int64_t bits = isa<PtrType>(type.getElementType()) ? 64 : type.getElementType().getIntOrFloatBitWidth();
  int64_t bytes = std::max<int64_t>(1, type.getNumElements() * bits / 8);
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(op))
      bytes = std::min(kInfinite, bytes * kTripsGuess);
  return std::min(bytes, kInfinite);
}
static int64_t weigh(Value value) { return weigh(value, value.getParentBlock()); }

/// Whether dimensions of more than one element keep their order.
static bool isRelabel(RankedTensorType type, ArrayRef<int64_t> order) {
  int64_t last = -1;
  for (int64_t dim : order) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

std::optional<SmallVector<int64_t>> tilewright::orderThroughReshape(ArrayRef<int64_t> source, ArrayRef<int64_t> result,
                                                                    ArrayRef<int64_t> order) {
  // Cut both shapes, without their extents of 1, into the smallest groups of equal element counts.
  Order sourceDims, resultDims;
  for (auto [dim, extent] : llvm::enumerate(source))
    if (extent != 1)
      sourceDims.push_back(dim);
  for (auto [dim, extent] : llvm::enumerate(result))
    if (extent != 1)
      resultDims.push_back(dim);
  SmallVector<Order> groups; // source dims of each group
  Order groupOf(result.size(), -1), placeOf(result.size(), -1), sizeOf;
  size_t s = 0, r = 0;
  while (s < sourceDims.size() && r < resultDims.size()) {
    int64_t sourceCount = source[sourceDims[s]], resultCount = result[resultDims[r]];
    Order group{sourceDims[s++]}, members{resultDims[r++]};
    while (sourceCount != resultCount) {
      if (sourceCount < resultCount) {
        if (s == sourceDims.size())
          return std::nullopt;
        sourceCount *= source[sourceDims[s]];
        group.push_back(sourceDims[s++]);
      } else {
        if (r == resultDims.size())
          return std::nullopt;
        resultCount *= result[resultDims[r]];
        members.push_back(resultDims[r++]);
      }
    }
    for (auto [place, dim] : llvm::enumerate(members)) {
      groupOf[dim] = groups.size();
      placeOf[dim] = place;
    }
    groups.push_back(group);
    sizeOf.push_back(members.size());
  }
  if (s != sourceDims.size() || r != resultDims.size())
    return std::nullopt;

  // Each group must stay together and in order; then groups change places, on both sides.
  Order sourceOrder;
  for (auto [dim, extent] : llvm::enumerate(source))
    if (extent == 1)
      sourceOrder.push_back(dim);
  int64_t group = -1, place = 0;
  for (int64_t dim : order) {
    if (result[dim] == 1)
      continue;
    if (group < 0) {
      group = groupOf[dim];
      place = 0;
    }
    if (groupOf[dim] != group || placeOf[dim] != place)
      return std::nullopt;
    if (++place == sizeOf[group]) {
      llvm::append_range(sourceOrder, groups[group]);
      group = -1;
    }
  }
  return sourceOrder;
}

/// Whether the op computes element by element and may run again elsewhere.
static bool isElementwise(Operation *op) {
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  return op->hasTrait<OpTrait::Elementwise>() || isa<PtrAddOp, PtrCastOp>(op);
}

unsigned TransposeDecision::count(TransposeAnswer answer) const {
  return llvm::count_if(requests,
                        [&](const TransposeRequest &request) { return request.isUsed && request.answer == answer; });
}

unsigned TransposeDecision::countSecondLoads() const {
  return llvm::count_if(requests, [](const TransposeRequest &request) {
    return request.isUsed && request.staysAlive &&
           (request.answer == TransposeAnswer::Load || isa_and_nonnull<LoadPtrOp>(request.value.getDefiningOp()));
  });
}

namespace {
/// Builds the graph of requests behind some roots and weighs it.
class Planner {
public:
  TransposeDecision decision;

  /// The number of a request; made where it is new.
  unsigned request(Value value, ArrayRef<int64_t> order) {
    auto [it, isNew] = numbers.try_emplace({value, Order(order)}, decision.requests.size());
    if (isNew) {
      TransposeRequest made;
      made.value = value;
      made.order = Order(order);
      decision.requests.push_back(std::move(made));
    }
    return it->second;
  }

  void addRoot(Operation *op, ArrayRef<int64_t> order, ValueRange values, ArrayRef<int64_t> requestOrder) {
    TransposeRoot root{op, Order(order), {}};
    for (Value value : values)
      root.requests.push_back(request(value, requestOrder));
    decision.roots.push_back(std::move(root));
  }

  /// Answers all requests, chooses, and weighs. False where there are too many.
  bool solve() {
    for (unsigned number = 0; number < decision.requests.size(); ++number) {
      if (decision.requests.size() > kMaxRequests)
        return false;
      answer(number);
    }
    chooseMoves();
    findLiveValues();
    weighAll();
    return true;
  }

private:
  struct Less {
    bool operator()(const std::pair<Value, Order> &a, const std::pair<Value, Order> &b) const {
      const void *x = a.first.getAsOpaquePointer(), *y = b.first.getAsOpaquePointer();
      return x != y ? std::less<const void *>()(x, y) : a.second < b.second;
    }
  };
  std::map<std::pair<Value, Order>, unsigned, Less> numbers; // Only looked up, never walked.
  llvm::DenseSet<Value> dying;

  void answerWith(unsigned number, TransposeAnswer answer, SmallVector<unsigned> operands = {}) {
    decision.requests[number].answer = answer;
    decision.requests[number].operands = std::move(operands);
  }
  void refuse(unsigned number, const Twine &reason) { decision.requests[number].reason = reason.str(); }

  void answer(unsigned number) {
    Value value = decision.requests[number].value;
    Order order = decision.requests[number].order; // A copy: the list grows.
    RankedTensorType type = tileType(value);
    if (isIdentityOrder(order))
      return answerWith(number, TransposeAnswer::Same);
    if (isRelabel(type, order))
      return answerWith(number, TransposeAnswer::Relabel);
    Operation *op = value.getDefiningOp();
    if (!op) {
      auto argument = cast<BlockArgument>(value);
      auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop)
        return refuse(number, "an argument of a block");
      OpOperand *init = loop.getTiedLoopInit(argument);
      Value yielded = loop.getYieldedValues()[argument.getArgNumber() - loop.getNumInductionVars()];
      unsigned first = request(init->get(), order);
      return answerWith(number, TransposeAnswer::LoopValue, {first, request(yielded, order)});
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return answerWith(number, TransposeAnswer::LoopResult,
                        {request(loop.getRegionIterArg(cast<OpResult>(value).getResultNumber()), order)});
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned result = cast<OpResult>(value).getResultNumber();
      unsigned then = request(branch.thenYield().getResults()[result], order);
      return answerWith(number, TransposeAnswer::IfResult,
                        {then, request(branch.elseYield().getResults()[result], order)});
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && !isa<DenseElementsAttr>(constant.getValue()))
      return refuse(number, "a constant that is kept elsewhere");
    if (isa<arith::ConstantOp, ub::PoisonOp>(op))
      return answerWith(number, TransposeAnswer::Constant);
    if (isa<SplatOp>(op))
      return answerWith(number, TransposeAnswer::Splat);
    if (auto permute = dyn_cast<PermuteOp>(op))
      return answerWith(number, TransposeAnswer::Shape,
                        {request(permute.getSource(), composeOrders(permute.getOrder(), order))});
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return answerWith(number, TransposeAnswer::Shape, {request(broadcast.getSource(), order)});
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      std::optional<Order> source =
          orderThroughReshape(tileType(reshape.getSource()).getShape(), type.getShape(), order);
      if (!source)
        return refuse(number, "tile.reshape splits or merges dimensions that change places");
      return answerWith(number, TransposeAnswer::Shape, {request(reshape.getSource(), *source)});
    }
    if (isa<LoadOp, GatherOp, LoadPtrOp>(op))
      return answerAccess(number, op, order);
    if (isElementwise(op)) {
      SmallVector<unsigned> operands;
      for (Value operand : op->getOperands())
        if (tileType(operand))
          operands.push_back(request(operand, order));
      return answerWith(number, TransposeAnswer::Elementwise, operands);
    }
    refuse(number, op->getName().getStringRef());
  }

  void answerAccess(unsigned number, Operation *op, ArrayRef<int64_t> order) {
    auto isOrdered = [](auto access) { return access.getAfter() || access.getDone(); };
    if (auto load = dyn_cast<LoadOp>(op); load && (isOrdered(load) || load.getOrder()))
      return refuse(number, "tile.load has its place in an order");
    if (auto gather = dyn_cast<GatherOp>(op)) {
      if (isOrdered(gather))
        return refuse(number, "tile.gather has its place in an order");
    } else if (auto load = dyn_cast<LoadPtrOp>(op)) {
      if (isOrdered(load) || load.getOrder())
        return refuse(number, "tile.load_ptr has its place in an order");
      SmallVector<unsigned> operands;
      for (Value operand : op->getOperands())
        operands.push_back(request(operand, order));
      return answerWith(number, TransposeAnswer::Elementwise, operands);
    }
    answerWith(number, TransposeAnswer::Load);
  }

  /// A move instead of an answer whose moves are together no cheaper. A request on the way to itself costs nothing
  /// there.
  void chooseMoves() {
    SmallVector<int64_t> cost(decision.requests.size(), -1);
    SmallVector<bool> isOpen(decision.requests.size(), false);
    for (const TransposeRoot &root : decision.roots)
      for (unsigned start : root.requests) {
        SmallVector<std::pair<unsigned, unsigned>> stack{{start, 0}};
        while (!stack.empty()) {
          auto &[number, next] = stack.back();
          TransposeRequest &request = decision.requests[number];
          if (next == 0 && (cost[number] >= 0 || isOpen[number])) {
            stack.pop_back();
            continue;
          }
          isOpen[number] = true;
          if (next < request.operands.size()) {
            unsigned operand = request.operands[next++];
            stack.push_back({operand, 0});
            continue;
          }
          if (request.operands.empty() && request.answer != TransposeAnswer::Move)
            cost[number] = 0;
          int64_t move = weigh(request.value);
          if (cost[number] < 0 && request.answer != TransposeAnswer::Move) {
            int64_t sum = 0;
            for (unsigned operand : request.operands)
              sum = std::min(kInfinite, sum + std::max<int64_t>(0, cost[operand]));
            cost[number] = sum;
            if (sum >= move && sum > 0) {
              request.answer = TransposeAnswer::Move;
              request.operands.clear();
              if (request.reason.empty())
                request.reason = describeCheapestMove(number);
            }
          }
          if (request.answer == TransposeAnswer::Move)
            cost[number] = move;
          isOpen[number] = false;
          stack.pop_back();
        }
      }
    // What the roots reach after the choice is used.
    SmallVector<unsigned> worklist;
    auto use = [&](unsigned number) {
      if (!decision.requests[number].isUsed) {
        decision.requests[number].isUsed = true;
        worklist.push_back(number);
      }
    };
    for (const TransposeRoot &root : decision.roots)
      llvm::for_each(root.requests, use);
    while (!worklist.empty())
      llvm::for_each(SmallVector<unsigned>(decision.requests[worklist.pop_back_val()].operands), use);
  }

  std::string describeCheapestMove(unsigned number) {
    Operation *op = decision.requests[number].value.getDefiningOp();
    return op ? op->getName().getStringRef().str() : "a value that a loop carries";
  }

  /// Whether `use` goes away with the values that die.
  bool isDyingUse(OpOperand &use) {
    Operation *user = use.getOwner();
    for (const TransposeRoot &root : decision.roots)
      if (root.op == user)
        return true;
    if (isa<scf::YieldOp>(user)) {
      Operation *parent = user->getParentOp();
      unsigned place = use.getOperandNumber();
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        return dying.contains(loop.getResult(place)) && dying.contains(loop.getRegionIterArg(place));
      return isa<scf::IfOp>(parent) && dying.contains(parent->getResult(place));
    }
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      if (use.getOperandNumber() < loop.getNumControlOperands())
        return false;
      unsigned place = use.getOperandNumber() - loop.getNumControlOperands();
      return dying.contains(loop.getResult(place)) && dying.contains(loop.getRegionIterArg(place));
    }
    if (user->getNumResults() == 0 || user->getNumRegions() != 0)
      return false;
    return llvm::all_of(user->getResults(), [&](Value result) { return dying.contains(result) || result.use_empty(); });
  }

  /// The values that nothing uses in the old order once the plan is done: all, less those with a use that stays.
  void findLiveValues() {
    llvm::SetVector<Value> values;
    for (const TransposeRequest &request : decision.requests) {
      if (!request.isUsed || request.answer == TransposeAnswer::Move || request.answer == TransposeAnswer::Same)
        continue;
      values.insert(request.value);
      // Both ends of a carried value.
      if (request.answer == TransposeAnswer::LoopValue) {
        auto argument = cast<BlockArgument>(request.value);
        values.insert(cast<scf::ForOp>(argument.getOwner()->getParentOp()).getTiedLoopResult(argument));
      }
    }
    dying.insert(values.begin(), values.end());
    // A permute in front of whose source the plan stops goes away with its uses.
    for (bool changed = true; changed;) {
      changed = false;
      for (Value value : values)
        if (dying.contains(value) && !llvm::all_of(value.getUses(), [&](OpOperand &use) { return isDyingUse(use); })) {
          dying.erase(value);
          changed = true;
        }
    }
    for (TransposeRequest &request : decision.requests)
      request.staysAlive = request.isUsed && !dying.contains(request.value);
  }

  /// What the answer repeats when the old value stays: half of a load, a quarter of arithmetic or a carried value.
  static int64_t repeatedBytes(const TransposeRequest &request) {
    switch (request.answer) {
    case TransposeAnswer::Load:
      return weigh(request.value) / 2;
    case TransposeAnswer::Elementwise:
      return weigh(request.value) / (isa<LoadPtrOp>(request.value.getDefiningOp()) ? 2 : 4);
    case TransposeAnswer::LoopValue:
    case TransposeAnswer::IfResult:
      return weigh(request.value) / 4;
    default:
      return 0;
    }
  }

  void weighAll() {
    auto add = [](int64_t &sum, int64_t bytes) { sum = std::min(kInfinite, sum + bytes); };
    for (const TransposeRequest &request : decision.requests) {
      if (!request.isUsed)
        continue;
      if (request.answer == TransposeAnswer::Move)
        add(decision.costBytes, weigh(request.value));
      else if (request.staysAlive)
        add(decision.costBytes, repeatedBytes(request));
    }
    llvm::SetVector<Operation *> permutes;
    for (const TransposeRoot &root : decision.roots)
      if (isa<PermuteOp>(root.op))
        permutes.insert(root.op);
    for (const TransposeRequest &request : decision.requests)
      if (request.isUsed && dying.contains(request.value))
        if (auto permute = request.value.getDefiningOp<PermuteOp>())
          permutes.insert(permute);
    for (Operation *op : permutes)
      add(decision.savedBytes, weigh(op->getResult(0)));
  }
};
} // namespace

/// Whether products alone take `permute`, perhaps behind casts and the like, and it swaps rows and columns at most:
/// shared memory is read in either order.
static bool isOperandOrder(PermuteOp permute) {
  ArrayRef<int64_t> order = permute.getOrder();
  for (auto [i, dim] : llvm::enumerate(order.drop_back(std::min<size_t>(2, order.size()))))
    if (dim != static_cast<int64_t>(i))
      return false;
  llvm::SetVector<Value> reached;
  reached.insert(permute.getResult());
  for (size_t i = 0; i < reached.size(); ++i) {
    if (reached[i].use_empty())
      return false;
    for (OpOperand &use : reached[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<DotOp>(user) && use.getOperandNumber() < 2)
        continue;
      bool isAlone = llvm::all_of(user->getOperands(), [&](Value operand) {
        return operand == use.get() || !tileType(operand) ||
               isa_and_nonnull<arith::ConstantOp, SplatOp>(operand.getDefiningOp());
      });
      if (!isElementwise(user) || !isAlone || user->getNumResults() != 1)
        return false;
      reached.insert(user->getResult(0));
    }
  }
  return true;
}

/// The stores and reductions that a permuted value reaches through ops that take any order, with the order that undoes
/// the permute. Empty where none is found.
static SmallVector<Operation *> findSinks(PermuteOp permute) {
  llvm::SetVector<Value> reached;
  llvm::SetVector<Operation *> sinks;
  reached.insert(permute.getResult());
  for (size_t i = 0; i < reached.size() && i < kMaxRequests; ++i)
    for (OpOperand &use : reached[i].getUses()) {
      Operation *user = use.getOwner();
      if (auto store = dyn_cast<StoreOp>(user)) {
        if (!store.getOrder() && !store.getAfter() && !store.getDone())
          sinks.insert(user);
      } else if (auto store = dyn_cast<StorePtrOp>(user)) {
        if (!store.getOrder() && !store.getAfter() && !store.getDone())
          sinks.insert(user);
      } else if (isa<ReduceOp>(user)) {
        sinks.insert(user);
      } else if (isa<scf::YieldOp>(user)) {
        Operation *parent = user->getParentOp();
        if (auto loop = dyn_cast<scf::ForOp>(parent)) {
          reached.insert(loop.getResult(use.getOperandNumber()));
          reached.insert(loop.getRegionIterArg(use.getOperandNumber()));
        } else if (isa<scf::IfOp>(parent)) {
          reached.insert(parent->getResult(use.getOperandNumber()));
        }
      } else if (auto loop = dyn_cast<scf::ForOp>(user)) {
        if (use.getOperandNumber() >= loop.getNumControlOperands()) {
          unsigned place = use.getOperandNumber() - loop.getNumControlOperands();
          reached.insert(loop.getResult(place));
          reached.insert(loop.getRegionIterArg(place));
        }
      } else if (isElementwise(user) && tileType(use.get())) {
        for (Value result : user->getResults())
          if (tileType(result))
            reached.insert(result);
      }
    }
  return sinks.takeVector();
}

/// Whether the results of `reduce` are the same tiles when its sources come in `order`.
static bool keepsResults(ReduceOp reduce, ArrayRef<int64_t> order) {
  int64_t last = -1;
  for (int64_t dim : order) {
    if (dim == static_cast<int64_t>(reduce.getDim()))
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

TransposeDecision tilewright::planTranspose(PermuteOp permute) {
  TransposeDecision kept;
  if (cast<RankedTensorType>(permute.getSource().getType()).getEncoding()) {
    kept.reason = "layouts are fixed already";
    return kept;
  }
  if (permute.getResult().use_empty()) {
    kept.reason = "nothing uses it";
    return kept;
  }
  bool isFree = isOperandOrder(permute);
  auto pays = [&](const TransposeDecision &plan) {
    return plan.costBytes == 0 || (!isFree && plan.costBytes < plan.savedBytes);
  };

  Planner fold;
  fold.addRoot(permute, permute.getOrder(), permute.getSource(), permute.getOrder());
  bool isSolved = fold.solve();
  if (isSolved && pays(fold.decision)) {
    fold.decision.outcome =
        fold.decision.count(TransposeAnswer::Move) == 0 ? TransposeOutcome::Folded : TransposeOutcome::Moved;
    if (fold.decision.outcome == TransposeOutcome::Folded)
      return std::move(fold.decision);
  }

  // Moves are left: perhaps none are when the transpose goes down instead.
  Planner sink;
  Order back = inverseOrder(permute.getOrder());
  for (Operation *op : findSinks(permute)) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      sink.addRoot(op, back, store.getValue(), back);
    } else if (auto store = dyn_cast<StorePtrOp>(op)) {
      SmallVector<Value> operands{store.getValue(), store.getPtr()};
      if (store.getMask())
        operands.push_back(store.getMask());
      sink.addRoot(op, back, operands, back);
    } else if (auto reduce = cast<ReduceOp>(op); keepsResults(reduce, back)) {
      sink.addRoot(op, back, reduce.getSources(), back);
    }
  }
  if (!sink.decision.roots.empty() && sink.solve() && sink.decision.costBytes < sink.decision.savedBytes &&
      !(fold.decision.outcome == TransposeOutcome::Moved && fold.decision.costBytes <= sink.decision.costBytes)) {
    sink.decision.outcome =
        sink.decision.count(TransposeAnswer::Move) == 0 ? TransposeOutcome::Sunk : TransposeOutcome::Moved;
    return std::move(sink.decision);
  }
  if (fold.decision.outcome == TransposeOutcome::Moved)
    return std::move(fold.decision);
  if (isFree) {
    kept.outcome = TransposeOutcome::OperandOrder;
    return kept;
  }
  if (!isSolved) {
    kept.reason = llvm::formatv("more than {0} values are in front of it", kMaxRequests).str();
    return kept;
  }
  // The first op that cannot take the transpose, or the use that keeps the old order.
  kept.costBytes = fold.decision.costBytes;
  kept.savedBytes = fold.decision.savedBytes;
  for (const TransposeRequest &request : fold.decision.requests)
    if (request.isUsed && request.answer == TransposeAnswer::Move) {
      kept.reason = "stopped by " + request.reason;
      return kept;
    }
  kept.reason = "other uses need the old order";
  return kept;
}
