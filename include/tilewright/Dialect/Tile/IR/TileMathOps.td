// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEMATHOPS_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEMATHOPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "tilewright/Dialect/Tile/IR/TileProgramOps.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Multiply two tiles and add the product to a third";
  let description = [{
    `result[.., i, j] = acc[.., i, j] + sum over k of lhs[.., i, k] * rhs[.., k, j]`, in any order, partial sums in the type of
    `acc`. (C1) `lhs` is MxK, `rhs` KxN, `acc` and `result` MxN, with equal leading batch dims, at most 3. (C2) element types are
    a row of: f16,f16 to f16 or f32; bf16 to f32; tf32 to f32; f32 to f32; f64 to f64; any two of f8E4M3FN and f8E5M2 to f16 or f32; i8 to
    i32. (C3) sign flags only on integers, `precision` only on f32, `imprecise_k` (at least 1) only on f8.
    Example: `%d = tile.dot %x, %y, %s : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>`.
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, Tile_Tile:$acc, OptionalAttr<Tile_Precision>:$precision,
      UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned, OptionalAttr<Tile_I64Attr>:$imprecise_k);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`precision` $precision^)? (`lhs_unsigned` $lhs_unsigned^)? (`rhs_unsigned` $rhs_unsigned^)?
    (`imprecise_k` $imprecise_k^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($acc)
  }];
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [NoMemoryEffect, RecursivelySpeculatable, SingleBlock]> {
  let summary = "Combine all elements along one dimension";
  let description = [{
    The combiner takes N accumulators, then N elements, and yields N values; it must be associative and commutative, floats
    taken to be. The order is the compiler's and the same in every run. Without `identity` none is invented. (C1) sources have one
    shape; results are the sources without dim `dim`, scalars if that leaves rank 0. (C2) the body has 2N scalar arguments and yields N
    values of the element types; there are no tiles in it. (C3) the body has no memory effects. (C4) identities are typed like the elements.
    Example: test/Dialect/Tile/IR/ops.mlir, @argmax.
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources, Tile_I64Attr:$dim, OptionalAttr<ArrayAttr>:$identity);
  let results = (outs Variadic<Tile_ValueLike>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sources `dim` $dim (`identity` $identity^)? attr-dict `:` type($sources) `->` type($results) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "Ends a combiner";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif
