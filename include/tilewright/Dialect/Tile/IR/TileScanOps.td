// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILESCANOPS_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILESCANOPS_TD

include "tilewright/Dialect/Tile/IR/TileProgramOps.td"

def Tile_ScanOp : Tile_Op<"scan", [NoMemoryEffect, RecursivelySpeculatable, SingleBlock]> {
  let summary = "Inclusive prefixes along one dimension";
  let description = [{
    `results[.., i, ..]` combines the elements 0 to i along `dim`, in this order; with `reverse` the elements from the last down to i,
    in this order. The combiner takes N accumulators (what came before), then N elements, and yields N values; it must be
    associative, floats taken to be, and need not be commutative. The bracketing is the compiler's and the same in every run. Without
    `identity` none is invented. (C1) sources and results have one shape, with the element types in order; `dim` is below the rank.
    (C2) the body has 2N scalar arguments and yields N values of the element types; there are no tiles in it. (C3) the body has no
    memory effects. (C4) identities are typed like the elements. Example: test/Dialect/Tile/IR/scan.mlir, @suffix_sums.
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources, Tile_I64Attr:$dim, UnitAttr:$reverse, OptionalAttr<ArrayAttr>:$identity);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sources `dim` $dim (`reverse` $reverse^)? (`identity` $identity^)? attr-dict `:` type($sources) `->` type($results) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasFolder = 1;
}

#endif
