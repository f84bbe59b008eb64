// SPDX-License-Identifier: Apache-2.0
// Embedding from C++: build a kernel with the op builders, compile it, run it on the emulator, and show what a broken
// one gives.
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Driver/Compile.h"
#include "tilewright/EmulatorJit/EmulatorBackend.h"
#include "tilewright/InitAll.h"
#include "tilewright/Runtime/Launcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace mlir;
using namespace tilewright;

/// Elements per program.
static constexpr int64_t kExtent = 512;

/// Builds `y = factor * x` over one-dimensional views, and its grid function, into an empty module. A broken one
/// stores a tile of two dimensions.
static void buildScale(ModuleOp module, bool isBroken) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  Type f32 = builder.getF32Type();
  auto view = tile::ViewType::get(builder.getContext(), {ShapedType::kDynamic}, f32, {ShapedType::kDynamic});
  auto tileType = RankedTensorType::get({kExtent}, f32);
  SmallVector<Type> parameters = {view, view, f32};

  auto kernel = func::FuncOp::create(builder, loc, "scale", builder.getFunctionType(parameters, {}));
  kernel->setAttr("tile.kernel", builder.getUnitAttr());
  kernel->setAttr("tile.grid", FlatSymbolRefAttr::get(builder.getContext(), "scale_grid"));
  const StringRef names[] = {"x", "y", "factor"};
  for (auto [index, name] : llvm::enumerate(names))
    kernel.setArgAttr(index, "tile.name", builder.getStringAttr(name));
  auto grid = func::FuncOp::create(builder, loc, "scale_grid",
                                   builder.getFunctionType(parameters, builder.getIndexType()));

  Block *body = kernel.addEntryBlock();
  Value x = body->getArgument(0), y = body->getArgument(1), factor = body->getArgument(2);
  builder.setInsertionPointToStart(body);
  Value extent = arith::ConstantIndexOp::create(builder, loc, kExtent);
  Value program = tile::ProgramIdOp::create(builder, loc, builder.getIndexType(), tile::Axis::x);
  Value start = arith::MulIOp::create(builder, loc, program, extent, arith::IntegerOverflowFlags::nsw);
  Value block = tile::LoadOp::create(builder, loc, tileType, x, start, tile::Pad::zero).getResult();
  Value factors = tile::SplatOp::create(builder, loc, tileType, factor);
  Value scaled = arith::MulFOp::create(builder, loc, block, factors);
  if (isBroken)
    scaled = tile::ReshapeOp::create(builder, loc, RankedTensorType::get({1, kExtent}, f32), scaled);
  tile::StoreOp::create(builder, loc, scaled, y, start);
  func::ReturnOp::create(builder, loc);

  builder.setInsertionPointToStart(grid.addEntryBlock());
  Value size = tile::ViewSizeOp::create(builder, loc, grid.getArgument(1), 0);
  Value unit = arith::ConstantIndexOp::create(builder, loc, kExtent);
  Value programs = arith::CeilDivSIOp::create(builder, loc, size, unit);
  func::ReturnOp::create(builder, loc, programs);
}

/// Runs the only kernel of a bundle on `count` numbers; returns whether the result is right.
static bool runScale(const Bundle &bundle, size_t count) {
  std::string error;
  BackendResult made = createBackend("emulator");
  if (made.status != BackendStatus::Ok || !made.backend->load(bundle, &error)) {
    std::fprintf(stderr, "error: %s%s\n", made.error.c_str(), error.c_str());
    return false;
  }
  std::vector<float> x(count), y(count, NAN);
  for (size_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(i);
  const int64_t size = count, stride = 1;
  const float factor = 2.5f;
  LaunchArg args[3];
  for (int i = 0; i < 2; ++i) {
    args[i].kind = LaunchArg::Kind::HostArray;
    args[i].type = ScalarType::F32;
    args[i].data = i ? y.data() : x.data();
    args[i].rank = 1;
    args[i].sizes = &size;
    args[i].strides = &stride;
  }
  args[2].kind = LaunchArg::Kind::Scalar;
  args[2].type = ScalarType::F32;
  std::memcpy(&args[2].value, &factor, sizeof factor);

  KernelLauncher launcher(*made.backend, bundle.plan.kernels.front());
  PlanDecision decision;
  if (!launcher.launch(args, 3, &decision, &error)) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    return false;
  }
  for (size_t i = 0; i < count; ++i)
    if (y[i] != factor * x[i])
      return false;
  std::printf("ran on %s: y[%zu] = %g\n", made.backend->name().c_str(), count - 1, y[count - 1]);

  // What does not fit a parameter is refused before anything runs.
  args[0].type = ScalarType::I32;
  if (launcher.launch(args, 3, &decision, &error))
    return false;
  std::printf("launch refused: %s\n", error.c_str());
  return true;
}

int main() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerEmulatorBackend();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  // Diagnostics are structured: a place, a message, notes. Here they become lines.
  context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    std::string place;
    llvm::raw_string_ostream(place) << diagnostic.getLocation();
    std::printf("%s: error: %s\n", place.c_str(), diagnostic.str().c_str());
  });

  Location loc = NameLoc::get(StringAttr::get(&context, "built by scale.cpp"));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  buildScale(*module, /*isBroken=*/false);
  CompileOptions options;
  options.target = "sm_90a";
  if (failed(verify(*module)))
    return 1;
  FailureOr<CompileResult> compiled = compileModule(*module, options);
  if (failed(compiled))
    return 1;
  if (!runScale(compiled->bundle, 1000))
    return 1;

  // A store of two dimensions into a view of one is refused, with the place that the builder gave the op.
  OwningOpRef<ModuleOp> broken = ModuleOp::create(loc);
  buildScale(*broken, /*isBroken=*/true);
  return succeeded(verify(*broken));
}
