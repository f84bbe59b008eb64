// SPDX-License-Identifier: Apache-2.0
/// \file
/// From what the IR says about the host - parameters, grid functions, guards, variants - to the launch plan that the
/// runtime evaluates. Done on the tile level, where parameters are still views.
#ifndef TILEWRIGHT_CONVERSION_HOSTTOPLAN_HOSTTOPLAN_H
#define TILEWRIGHT_CONVERSION_HOSTTOPLAN_HOSTTOPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Support/LaunchPlan.h"

namespace tilewright {

/// The plan of `kernel` (one that is no variant) and of its variants, in the order in which they stand in the module, the kernel
/// itself last. Thread counts, shared memory and clusters are left as they are by default: they are known only
/// after lowering. Emits one located diagnostic and fails where a kernel has no grid, two variants of which more than the
/// last has no guard, or a host function does what a plan cannot say.
///
/// Launch arguments are, parameter by parameter: a view's base address, its dynamic sizes, its dynamic strides (all i64); a pointer's
/// address; a scalar.
mlir::FailureOr<PlanKernel> buildPlanKernel(mlir::func::FuncOp kernel);

/// What a tensor map is, apart from numbers that only the host knows.
struct DescriptorSpec {
  /// The access that copies by it, and its view: what a host knows of it is said in the plan.
  mlir::Operation *access = nullptr;
  mlir::Value view;
  /// The dimensions of the view, innermost first, and the elements of a box along each.
  llvm::SmallVector<unsigned> order;
  llvm::SmallVector<uint32_t> box;
  TmaSwizzle swizzle = TmaSwizzle::None;
  /// What messages call the memory.
  std::string memory;
};

/// The entry of a launch plan for a tensor map of a kernel or variant, without a label. Adds expressions to `plan`. Emits one
/// located diagnostic and fails where a host does not know the view.
mlir::FailureOr<PlanDescriptor> buildPlanDescriptor(PlanKernel &plan, const DescriptorSpec &spec);

/// The plan of a host function, a `func.func` that holds `tile.launch` ops of kernels that are in `kernels`. Emits one
/// located diagnostic and fails where it holds what a plan cannot say.
mlir::FailureOr<PlanKernel> buildPlanHost(mlir::func::FuncOp host, llvm::ArrayRef<PlanKernel> kernels);

/// The plan of one thread's program, which says of the host only what its attributes say: an i64 parameter with
/// `tile_gpu.points_to = T` is memory of elements T, any other parameter a scalar; `tile_gpu.grid = array<i64: x, y, z>` (1 to 3
/// numbers, one CTA without it) is the grid. Emits one located diagnostic and fails for a parameter or a grid that
/// no launch can have.
mlir::FailureOr<PlanKernel> buildThreadProgramPlan(mlir::func::FuncOp kernel);

} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_HOSTTOPLAN_HOSTTOPLAN_H
