// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_CONVERSION_EXPANDMATH_PASSES_TD
#define TILEWRIGHT_CONVERSION_EXPANDMATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"tile-expand-math"> {
  let summary = "Rewrite math functions as IEEE arithmetic that every back end compiles alike";
  let description = [{
    Elementary functions of `math` on f16, bf16, f32 and f64, and conversions of `arith` from and to floats of eight bits and
    less, become integer and floating arithmetic, `arith.select` and `math.fma`. No library is called and no approximate
    instruction used, so the GPU and the emulator give the same bits. Error bounds: docs/Numerics.md. Works on scalars,
    vectors and tensors with any encoding; fast-math flags are ignored. Leaves `absf`, `ceil`, `copysign`, `floor`, `fma`, `round`,
    `roundeven`, `sqrt`, `trunc` and the integer bit counts on types that LLVM compiles. An op on a type without an
    expansion is an error.
    Example: test/Conversion/ExpandMath/expand-math.mlir#exp
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif
