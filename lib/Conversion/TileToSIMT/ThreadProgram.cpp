// SPDX-License-Identifier: Apache-2.0
#include "ThreadProgram.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simt;
using namespace tilewright::tile_gpu;

ThreadProgram::ThreadProgram(func::FuncOp kernel, ExecutionScope scope)
    : kernel(kernel), scope(scope), builder(kernel.getContext()), entry(kernel.getContext()) {}

//===- Types and values ------------------------------------------------------------------------------------------===//

/// What one element is in registers: addresses are i64, and tf32 is the f32 that it is a subset of.
Type ThreadProgram::elementOf(Type element) const {
  if (isa<tile::PtrType>(element))
    return IntegerType::get(element.getContext(), 64);
  if (element.isTF32())
    return Float32Type::get(element.getContext());
  return element;
}

VectorType ThreadProgram::vectorType(RankedTensorType tile) const {
  auto layout = cast<LayoutAttr>(tile.getEncoding());
  return VectorType::get({layout.toLayout().registersPerThread()}, elementOf(tile.getElementType()));
}

LogicalResult ThreadProgram::convertType(Type type, SmallVectorImpl<Type> &result) const {
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    if (!isa_and_nonnull<LayoutAttr>(tile.getEncoding()))
      return failure();
    result.push_back(vectorType(tile));
  } else if (auto view = dyn_cast<tile::ViewType>(type)) {
    result.push_back(IntegerType::get(type.getContext(), 64));
    unsigned dynamic = llvm::count_if(view.getShape(), ShapedType::isDynamic) +
                       llvm::count_if(view.getStrides(), ShapedType::isDynamic);
    result.append(dynamic, IndexType::get(type.getContext()));
  } else if (isa<MemDescType>(type)) {
    result.push_back(IntegerType::get(type.getContext(), 32));
  } else if (isa<tile::TokenType>(type)) {
    // Order only.
  } else {
    result.push_back(elementOf(type));
  }
  return success();
}

ArrayRef<Value> ThreadProgram::parts(Value value) {
  auto found = values.find(value);
  assert(found != values.end() && "operands are visited before their users");
  return found->second;
}

void ThreadProgram::set(Value value, ArrayRef<Value> parts) {
  values[value] = llvm::SmallVector<Value>(parts.begin(), parts.end());
}

ViewParts ThreadProgram::viewParts(Value view) {
  auto type = cast<tile::ViewType>(view.getType());
  ArrayRef<Value> all = parts(view);
  ViewParts result;
  result.base = all.front();
  all = all.drop_front();
  auto fill = [&](ArrayRef<int64_t> extents, SmallVector<Value> &out) {
    for (int64_t extent : extents) {
      if (!ShapedType::isDynamic(extent)) {
        out.push_back(index(view.getLoc(), extent));
        continue;
      }
      out.push_back(all.front());
      all = all.drop_front();
    }
  };
  fill(type.getShape(), result.sizes);
  fill(type.getStrides(), result.strides);
  return result;
}

//===- Small builders --------------------------------------------------------------------------------------------===//

Value ThreadProgram::i32(Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
}
Value ThreadProgram::index(Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIndexAttr(value));
}
Value ThreadProgram::boolean(Location loc, bool value) {
  return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
}
Value ThreadProgram::both(Location loc, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder, loc, a, b);
}
Value ThreadProgram::toIndex(Location loc, Value value) {
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), value);
}
Value ThreadProgram::splat(Location loc, Value scalar, int64_t count) {
  return vector::BroadcastOp::create(builder, loc, VectorType::get({count}, scalar.getType()), scalar);
}
Value ThreadProgram::pick(Location loc, Value vector, ArrayRef<int64_t> lanes) {
  auto type = cast<VectorType>(vector.getType());
  bool identity = static_cast<int64_t>(lanes.size()) == type.getNumElements();
  for (size_t i = 0; identity && i < lanes.size(); ++i)
    identity = lanes[i] == static_cast<int64_t>(i);
  return identity ? vector : vector::ShuffleOp::create(builder, loc, vector, vector, lanes).getResult();
}
Value ThreadProgram::slice(Location loc, Value vector, int64_t first, int64_t count) {
  if (count == 1)
    return vector::ExtractOp::create(builder, loc, vector, ArrayRef<int64_t>{first});
  SmallVector<int64_t> lanes = llvm::to_vector(llvm::seq<int64_t>(first, first + count));
  return pick(loc, vector, lanes);
}
Value ThreadProgram::concat(Location loc, ArrayRef<Value> pieces) {
  if (pieces.size() == 1)
    return isa<VectorType>(pieces[0].getType()) ? pieces[0] : splat(loc, pieces[0], 1);
  if (!isa<VectorType>(pieces[0].getType())) {
    auto type = VectorType::get({static_cast<int64_t>(pieces.size())}, pieces[0].getType());
    return vector::FromElementsOp::create(builder, loc, type, pieces);
  }
  // A balanced tree of shuffles, so that no vector is rewritten once per piece.
  SmallVector<Value> level(pieces.begin(), pieces.end());
  while (level.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2) {
      int64_t total = cast<VectorType>(level[i].getType()).getNumElements() +
                      cast<VectorType>(level[i + 1].getType()).getNumElements();
      SmallVector<int64_t> lanes = llvm::to_vector(llvm::seq<int64_t>(0, total));
      next.push_back(vector::ShuffleOp::create(builder, loc, level[i], level[i + 1], lanes));
    }
    if (level.size() % 2)
      next.push_back(level.back());
    level = std::move(next);
  }
  return level[0];
}

//===- Walking ---------------------------------------------------------------------------------------------------===//

/// Where nothing says how many CTAs an SM shall hold, ptxas may save registers for several, and the sums of products spill:
/// of CTAs of 512 threads with 96 KiB of shared memory some got 32 registers, and attention_causal with 256 threads, which needs
/// 150, got 128 and spills for sm_120a. Smaller CTAs were not seen to suffer.
static constexpr unsigned kMostThreadsUnasked = 128;

static bool hasProduct(func::FuncOp kernel) {
  auto isProduct = [](Operation *op) { return isa<DotFmaOp, DotMmaOp>(op) ? WalkResult::interrupt() : WalkResult::advance(); };
  return kernel.walk(isProduct).wasInterrupted();
}

LogicalResult ThreadProgram::run() {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return emitError(kernel.getLoc(), "expected structured control flow; run lift-cf-to-scf first");
  SmallVector<Type> arguments;
  for (Type type : kernel.getArgumentTypes())
    if (failed(convertType(type, arguments)))
      return emitError(kernel.getLoc(), "has a parameter of ") << type << ", which no thread can hold";
  OpBuilder outer(kernel);
  auto thread = func::FuncOp::create(outer, kernel.getLoc(), kernel.getSymName(),
                                     outer.getFunctionType(arguments, {}));
  // What the tile dialect says of a kernel - grid, guard, parameters - is about tile programs and in the launch plan.
  for (NamedAttribute attr : kernel->getDiscardableAttrs())
    if (attr.getName().strref().starts_with("tile_gpu."))
      thread->setAttr(attr.getName(), attr.getValue());
  thread->setAttr("tile_gpu.kernel", outer.getUnitAttr());
  thread->setAttr("tile_gpu.num_threads", outer.getI32IntegerAttr(32 * scope.warpCount));
  if (auto occupancy = kernel->getAttrOfType<IntegerAttr>("tile.occupancy"))
    thread->setAttr("tile_gpu.min_ctas", outer.getI32IntegerAttr(occupancy.getInt()));
  else if (32 * scope.warpCount > kMostThreadsUnasked && hasProduct(kernel))
    thread->setAttr("tile_gpu.min_ctas", outer.getI32IntegerAttr(1));
  if (!thread->hasAttr("tile_gpu.shared_bytes"))
    thread->setAttr("tile_gpu.shared_bytes", outer.getI64IntegerAttr(0));
  Block *body = thread.addEntryBlock();
  unsigned next = 0;
  for (BlockArgument argument : kernel.getArguments()) {
    SmallVector<Type> types;
    (void)convertType(argument.getType(), types);
    SmallVector<Value> parts;
    for (size_t i = 0; i < types.size(); ++i)
      parts.push_back(body->getArgument(next++));
    set(argument, parts);
  }
  // Thread coordinates gather in front of a marker that goes away at the end.
  builder.setInsertionPointToStart(body);
  Location loc = kernel.getLoc();
  lane = LaneIdOp::create(builder, loc, builder.getI32Type());
  warp = WarpIdOp::create(builder, loc, builder.getI32Type());
  if (scope.firstWarp)
    warp = arith::SubIOp::create(builder, loc, warp, i32(loc, scope.firstWarp));
  Operation *marker = ub::PoisonOp::create(builder, loc, builder.getI32Type(), ub::PoisonAttr::get(kernel.getContext()));
  entry.setInsertionPoint(marker);
  builder.setInsertionPointAfter(marker);
  if (failed(emitBlock(kernel.front()))) {
    thread.erase();
    return failure();
  }
  marker->erase();
  kernel.erase();
  return success();
}

LogicalResult ThreadProgram::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emit(&op)))
      return failure();
  return success();
}

LogicalResult ThreadProgram::emit(Operation *op) {
  Location loc = op->getLoc();
  for (Value result : op->getResults())
    if (isa<tile::TokenType>(result.getType()))
      set(result, ArrayRef<Value>()); // Order only: the ops' own order in the program is that of memory.
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::ConstantOp>([&](auto x) { return emitConstant(x); })
      .Case<tile::IotaOp>([&](auto x) { return emitIota(x); })
      .Case<tile::BroadcastOp>([&](auto x) { return emitBroadcast(x); })
      .Case<tile::ReshapeOp>([&](auto x) { return emitReshape(x); })
      .Case<tile::PermuteOp>([&](auto x) { return emitPermute(x); })
      .Case<tile::ConcatOp>([&](auto x) { return emitConcat(x); })
      .Case<tile::ExtractOp>([&](auto x) { return emitExtract(x); })
      .Case<tile::InsertOp>([&](auto x) { return emitInsert(x); })
      .Case<MemDescBlockOp>([&](auto x) { return emitMemDescBlock(x); })
      .Case<tile::GatherOp>([&](auto x) { return emitGather(x); })
      .Case<tile::ScatterOp>([&](auto x) { return emitScatter(x); })
      .Case<PartialScanOp>([&](auto x) { return emitPartialScan(x); })
      .Case<AddPrefixOp>([&](auto x) { return emitAddPrefix(x); })
      .Case<ConvertLayoutOp>([&](auto x) { return emitConvertLayout(x); })
      .Case<tile::AssumeOp>([&](auto x) { return emitAssume(x); })
      .Case<tile::MakeViewOp>([&](auto x) { return emitMakeView(x); })
      .Case<tile::LoadOp>([&](auto x) { return emitLoad(x); })
      .Case<tile::StoreOp>([&](auto x) { return emitStore(x); })
      .Case<tile::LoadPtrOp>([&](auto x) { return emitLoadPtr(x); })
      .Case<tile::StorePtrOp>([&](auto x) { return emitStorePtr(x); })
      .Case<tile::AtomicRmwOp>([&](auto x) { return emitAtomicRmw(x); })
      .Case<tile::AtomicCasOp>([&](auto x) { return emitAtomicCas(x); })
      .Case<tile::ReduceIntoOp>([&](auto x) { return emitReduceInto(x); })
      .Case<tile::JoinTokensOp>([](auto) { return success(); })
      .Case<ub::PoisonOp>([&](ub::PoisonOp x) -> LogicalResult {
        SmallVector<Type> types;
        SmallVector<Value> poisons;
        if (failed(convertType(x.getType(), types)))
          return x.emitOpError("expects tiles with a layout, found ") << x.getType();
        for (Type type : types)
          poisons.push_back(ub::PoisonOp::create(builder, loc, type, ub::PoisonAttr::get(x.getContext())));
        set(x.getResult(), poisons);
        return success();
      })
      .Case<tile::PtrAddOp>([&](auto x) { return emitPtrAdd(x); })
      .Case<LocalStoreOp>([&](auto x) { return emitLocalStore(x); })
      .Case<LocalLoadOp>([&](auto x) { return emitLocalLoad(x); })
      .Case<LocalStoreBlockOp>([&](auto x) { return emitLocalStoreBlock(x); })
      .Case<LocalLoadBlockOp>([&](auto x) { return emitLocalLoadBlock(x); })
      .Case<DotFmaOp>([&](auto x) { return emitDotFma(x); })
      .Case<DotMmaOp>([&](auto x) { return emitDotMma(x); })
      .Case<PartialReduceOp>([&](auto x) { return emitPartialReduce(x); })
      .Case<tile::SplatOp>([&](tile::SplatOp x) {
        set(x.getResult(), splat(loc, get(x.getSource()), place(x.getResult().getType()).registers()));
        return success();
      })
      .Case<tile::ToScalarOp>([&](tile::ToScalarOp x) {
        // The one element: each thread holds it, since no place of a one-element layout differs from another.
        set(x.getResult(), slice(loc, get(x.getSource()), 0, 1));
        return success();
      })
      .Case<tile::ProgramIdOp>([&](tile::ProgramIdOp x) {
        Value id = CtaIdOp::create(builder, loc, builder.getI32Type(), static_cast<Axis>(x.getAxis()));
        set(x.getResult(), toIndex(loc, id));
        return success();
      })
      .Case<tile::NumProgramsOp>([&](tile::NumProgramsOp x) {
        Value count = NumCtasOp::create(builder, loc, builder.getI32Type(), static_cast<Axis>(x.getAxis()));
        set(x.getResult(), toIndex(loc, count));
        return success();
      })
      .Case<tile::ViewSizeOp>([&](tile::ViewSizeOp x) {
        set(x.getResult(), viewParts(x.getView()).sizes[x.getDim()]);
        return success();
      })
      .Case<tile::ViewStrideOp>([&](tile::ViewStrideOp x) {
        set(x.getResult(), viewParts(x.getView()).strides[x.getDim()]);
        return success();
      })
      .Case<tile::ViewBaseOp>([&](tile::ViewBaseOp x) {
        set(x.getResult(), viewParts(x.getView()).base);
        return success();
      })
      .Case<tile::PermuteViewOp>([&](tile::PermuteViewOp x) {
        ViewParts from = viewParts(x.getView());
        auto type = cast<tile::ViewType>(x.getResult().getType());
        SmallVector<Value> all{from.base};
        for (auto [to, dim] : llvm::enumerate(x.getOrder()))
          if (ShapedType::isDynamic(type.getShape()[to]))
            all.push_back(from.sizes[dim]);
        for (auto [to, dim] : llvm::enumerate(x.getOrder()))
          if (ShapedType::isDynamic(type.getStrides()[to]))
            all.push_back(from.strides[dim]);
        set(x.getResult(), all);
        return success();
      })
      .Case<tile::PtrCastOp>([&](tile::PtrCastOp x) {
        set(x.getResult(), parts(x->getOperand(0))); // An address is an i64 here.
        return success();
      })
      .Case<LocalAllocOp>([&](LocalAllocOp x) -> LogicalResult {
        if (!x.getOffset())
          return x.emitOpError("has no offset; run tile-allocate-shared first");
        set(x.getResult(), i32(loc, *x.getOffset()));
        return success();
      })
      .Case<MemDescViewOp>([&](MemDescViewOp x) {
        set(x.getResult(), parts(x.getSource()));
        return success();
      })
      .Case<SyncOp>([&](SyncOp x) {
        BarrierOp::create(builder, loc, scope.barrierId, 32 * scope.warpCount);
        return success();
      })
      .Case<func::ReturnOp>([&](func::ReturnOp x) {
        func::ReturnOp::create(builder, loc);
        return success();
      })
      .Case<arith::SelectOp>([&](arith::SelectOp x) -> LogicalResult {
        if (isa<tile::TokenType>(x.getType()))
          return success();
        if (!isa<tile::ViewType>(x.getType()))
          return emitElementwise(x);
        // A view is several values: each is chosen.
        SmallVector<Value> chosen;
        Value condition = get(x.getCondition());
        for (auto [yes, no] : llvm::zip(parts(x.getTrueValue()), parts(x.getFalseValue())))
          chosen.push_back(arith::SelectOp::create(builder, loc, condition, yes, no));
        set(x.getResult(), chosen);
        return success();
      })
      .Case<scf::ForOp, scf::IfOp, scf::IndexSwitchOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp>(
          [&](Operation *x) { return emitControlFlow(x); })
      .Default([&](Operation *x) { return emitElementwise(x); });
}

/// Ops that treat each element alike keep their name and attributes; scalars are the same case.
LogicalResult ThreadProgram::emitElementwise(Operation *op) {
  bool upstream = isa_and_nonnull<arith::ArithDialect, math::MathDialect, ub::UBDialect>(op->getDialect());
  if (!upstream || op->getNumRegions() != 0)
    return op->emitOpError("is not lowered to one thread's program yet");
  auto usesTf32 = [](Type type) { return getElementTypeOrSelf(type).isTF32(); };
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
      (usesTf32(op->getOperand(0).getType()) || usesTf32(op->getResult(0).getType())))
    return emitTf32(op);
  // One value for one value: views and buffers, which are several or none of arithmetic's business, have ops of their own.
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes())))
    if (isa<tile::ViewType, tile::TokenType, MemDescType>(type))
      return op->emitOpError("is not lowered for ") << type << " yet";
  OperationState state(op->getLoc(), op->getName());
  state.attributes.append(op->getDiscardableAttrs().begin(), op->getDiscardableAttrs().end());
  if (op->getPropertiesStorageSize())
    state.propertiesAttr = op->getPropertiesAsAttribute();
  for (Value operand : op->getOperands())
    state.operands.push_back(get(operand));
  // A scalar condition of a select on tiles stays a scalar: upstream allows it on vectors too.
  for (Type type : op->getResultTypes())
    if (failed(convertType(type, state.types)))
      return op->emitOpError("expects tiles with a layout, found ") << type;
  Operation *copy = builder.create(state);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
    set(from, to);
  return success();
}
