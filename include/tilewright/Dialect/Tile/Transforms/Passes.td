// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckTargetPass : Pass<"tile-check-target", "::mlir::func::FuncOp"> {
  let summary = "Refuse what the target has no instructions for";
  let description = [{
    An op of `arith` or `math` that computes with an element type is an error where the target has no arithmetic on it; the
    message names the oldest target that has. Conversions, constants and `select` work for every type. Changes nothing, and
    leaves functions without `tile.kernel` alone. Reports the first error of a kernel.
    Example: test/Dialect/Tile/Transforms/check-target-invalid.mlir#add_f8
  }];
  let options = [Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"", "Name of the GPU to compile for">];
}

def SpecializePass : Pass<"tile-specialize", "::mlir::ModuleOp"> {
  let summary = "Add variants of a kernel for unit strides and aligned memory";
  let description = [{
    A variant is a clone with `tile.variant_of`, its own grid function and a guard over the arguments; the launcher takes the
    first whose guard holds. Up to two are made, fastest first: one where each view parameter has stride 1 in its last
    dimension and bases, strides, sizes and integers are multiples that allow 16-byte accesses, and one with unit strides
    alone. A promise that widens no access is not made; a kernel that gains nothing gets no variant. The kernel itself is
    unchanged and stays last. Leaves alone: kernels that have variants, views that a loop or a branch carries.
    Example: test/Dialect/Tile/Transforms/specialize.mlir#matmul
  }];
  let options = [Option<"maxVariants", "max-variants", "unsigned", /*default=*/"8",
                        "Most versions of a kernel, itself included; 1 leaves every kernel alone">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def SplitPrecisionPass : Pass<"tile-split-precision", "::mlir::func::FuncOp"> {
  let summary = "Compute f32 products as several products of narrow parts";
  let description = [{
    A `tile.dot` of precision `tf32x3`, `bf16x3` or `bf16x6` becomes that many products of tf32 or bf16 parts with one
    sum, the smallest parts first. Numbers that are not finite give what one f32 product gives, except that an infinity
    times a subnormal number may be NaN. Without this pass such products run on the multiply-add units, exactly.
    Example: test/Dialect/Tile/Transforms/split-precision.mlir#tf32x3
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def SetInBoundsPass : Pass<"tile-set-in-bounds", "::mlir::func::FuncOp"> {
  let summary = "Drop bounds checks that cannot fail";
  let description = [{
    Sets `in_bounds` of a dimension where ranges, or a loop variable below a size that its step divides, prove that every
    index lies inside. Keeps every value that is read.
    Example: test/Dialect/Tile/Transforms/set-in-bounds.mlir#interior
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

#endif
