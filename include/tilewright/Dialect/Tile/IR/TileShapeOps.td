// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILESHAPEOPS_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILESHAPEOPS_TD

include "tilewright/Dialect/Tile/IR/TileProgramOps.td"

def Tile_SplatOp : Tile_Op<"splat", [Pure, Tile_HasRange]> {
  let summary = "A tile that holds one scalar everywhere";
  let description = [{ (C1) element types are equal. Example: `%t = tile.splat %s : f32 -> tensor<64xf32>`. }];
  let arguments = (ins Tile_Element:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ToScalarOp : Tile_Op<"to_scalar", [Pure, Tile_HasRange]> {
  let summary = "The element of a tile that has just one";
  let description = [{
    ```text
    `tile.to_scalar` $source attr-dict `:` type($source)
    ```

    (C1) the tile has one element. (C2) element types are equal. Example: `%s = tile.to_scalar %t : tensor<1xf32>`.
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Element:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure, Tile_HasRange]> {
  let summary = "start, start + 1, ...";
  let description = [{
    (C1) rank 1, signless integers. (C2) the last value fits the type as an unsigned number, and `start` is not
    negative. Example: `%i = tile.iota : tensor<256xi32>`.
  }];
  let arguments = (ins OptionalAttr<Tile_I64Attr>:$start);
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = "(`start` $start^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure, Tile_HasRange]> {
  let summary = "Repeat a tile along dimensions of extent 1";
  let description = [{
    `result[i] = source[i']` with i' zero where the source's extent is 1. (C1) same rank and element type, and each extent
    is kept or was 1. Example: `%b = tile.broadcast %t : tensor<64x1xf32> -> tensor<64x128xf32>`.
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure, Tile_HasRange]> {
  let summary = "The same elements in row-major order under another shape";
  let description = [{
    (C1) element count and element type are kept. Example: `%r = tile.reshape %t : tensor<64xf32> -> tensor<64x1xf32>`.
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_PermuteOp : Tile_Op<"permute", [Pure, Tile_HasRange]> {
  let summary = "Re-order the dimensions of a tile";
  let description = [{
    Result dim i is source dim `order[i]`. (C1) `order` is a permutation of the dims. (C2) the result has the permuted shape and
    the same element type. Example: `%p = tile.permute %t [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>`.
  }];
  let arguments = (ins Tile_Tile:$source, DenseI64ArrayAttr:$order);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ConcatOp : Tile_Op<"concat", [Pure, Tile_HasRange]> {
  let summary = "Tiles one after the other along one dimension";
  let description = [{
    `result[.., i, ..] = sources[j][.., i - begin_j, ..]`, where source j covers `begin_j <= i < begin_{j+1}` along `dim`. To interleave,
    reshape both to a trailing extent of 1 first. (C1) at least one source; `dim` is below the rank. (C2) ranks, element types and the extents
    of other dims are equal. (C3) the extents along `dim` add up.
    Example: `%c = tile.concat %a, %b dim 0 : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<6x8xf32>`.
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources, Tile_I64Attr:$dim);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$sources `dim` $dim attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExtractOp : Tile_Op<"extract", [Pure, Tile_HasRange]> {
  let summary = "One block of a tile that is cut into equal blocks";
  let description = [{
    `result[i] = source[k * extent + i]` with `k` the block's number in each dim, not an element offset, and `extent` that of the result.
    A block that does not exist gives poison. (C1) one index per dim. (C2) rank and element type are kept, and each extent of the result
    divides the source's. Canonical: no extract of a splat, of `concat` where the block is one of its sources, or of an `insert` at the
    same place. Example: `%b = tile.extract %t[%c1, %c0] : tensor<64x32xf32> -> tensor<16x32xf32>`.
  }];
  let arguments = (ins Tile_Tile:$source, Variadic<Index>:$indices);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_InsertOp : Tile_Op<"insert", [Pure, Tile_HasRange, AllTypesMatch<["dest", "result"]>]> {
  let summary = "A tile with one block replaced";
  let description = [{
    `result[k * extent + i] = source[i]` with `k` the block's number in each dim and `extent` that of the source; elsewhere
    `result = dest`. A block that does not exist gives poison. (C1) one index per dim. (C2) source and dest have one rank and element
    type, and each extent of the source divides dest's.
    Example: `%r = tile.insert %b, %t[%c1, %c0] : tensor<16x32xf32>, tensor<64x32xf32>`.
  }];
  let arguments = (ins Tile_Tile:$source, Tile_Tile:$dest, Variadic<Index>:$indices);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `,` $dest `[` $indices `]` attr-dict `:` type($source) `,` type($dest)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
