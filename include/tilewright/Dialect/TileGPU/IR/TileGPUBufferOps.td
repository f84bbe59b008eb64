// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUBUFFEROPS_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUBUFFEROPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilewright/Dialect/TileGPU/IR/TileGPUAttrs.td"
include "tilewright/Dialect/TileGPU/IR/TileGPUTypes.td"

def TileGPU_SharedMemory : Resource<"::tilewright::tile_gpu::SharedMemoryResource">;

def TileGPU_ConvertLayoutOp : TileGPU_Op<"convert_layout", [Pure]> {
  let summary = "Move a tile into another layout";
  let description = [{
    `result[i] = source[i]`; only who holds an element changes. (C1) shape and element type agree. (C2) both have a
    `#tile_gpu.layout` as encoding.
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TileGPU_LocalAllocOp : TileGPU_Op<"local_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A buffer in shared memory, live from here to its last use";
  let description = [{
    The contents are undefined. `offset` is the byte offset in the CTA's dynamic shared memory; absent until
    `tile-allocate-shared` has run. (C1) `offset` is a multiple of 16 and not negative.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs TileGPU_MemDescType:$result);
  let assemblyFormat = "(`offset` $offset^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TileGPU_MemDescViewOp : TileGPU_Op<"memdesc_view", [Pure]> {
  let summary = "The same bytes as a buffer of another shape";
  let description = [{
    Row-major order is kept. (C1) both types have the same number of elements and element type. (C2) both layouts are
    plain: allocated as large as the shape, last dimension fastest, no swizzle, no padding.
  }];
  let arguments = (ins TileGPU_MemDescType:$source);
  let results = (outs TileGPU_MemDescType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_MemDescBlockOp : TileGPU_Op<"memdesc_block", [Pure]> {
  let summary = "A block of a buffer as a buffer";
  let description = [{
    Element i of the result is element `origin + i` of the source; the block must lie inside the source. (C1) one origin per dim. (C2) the result has the
    source's rank, element type and layout, and extents of at most the source's. (C3) the source is plain: last dimension fastest, no swizzle,
    no padding.
  }];
  let arguments = (ins TileGPU_MemDescType:$source, DenseI64ArrayAttr:$origin);
  let results = (outs TileGPU_MemDescType:$result);
  let assemblyFormat = "$source $origin attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_LocalStoreOp : TileGPU_Op<"local_store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Write a whole tile to a buffer";
  let description = [{ (C1) shapes and element types agree. (C2) the tile has a `#tile_gpu.layout`. }];
  let arguments = (ins AnyRankedTensor:$value, TileGPU_MemDescType:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def TileGPU_LocalLoadOp : TileGPU_Op<"local_load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Read a whole tile from a buffer";
  let description = [{ (C1) shapes and element types agree. (C2) the tile has a `#tile_gpu.layout`. }];
  let arguments = (ins TileGPU_MemDescType:$buffer);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_LocalStoreBlockOp : TileGPU_Op<"local_store_block", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Write one block of a tile to a buffer of the block's size";
  let description = [{
    `buffer[i] = value[origin + i]`. The block must lie inside the tile, and along the buffer's fastest dimension an origin that is no
    constant must be a multiple of the buffer's extent. (C1) one origin per dim. (C2) ranks and element types agree, and no
    extent of the buffer exceeds the tile's. (C3) the tile has a `#tile_gpu.layout`.
  }];
  let arguments = (ins AnyRankedTensor:$value, Variadic<Index>:$origin, TileGPU_MemDescType:$buffer);
  let assemblyFormat = "$value `[` $origin `]` `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def TileGPU_LocalLoadBlockOp : TileGPU_Op<"local_load_block", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                                               AllTypesMatch<["dest", "result"]>]> {
  let summary = "A tile with one block read from a buffer of the block's size";
  let description = [{
    `result[origin + i] = buffer[i]`, and `result = dest` elsewhere. Constraints (C1) to (C3) as for `local_store_block`.
  }];
  let arguments = (ins TileGPU_MemDescType:$buffer, AnyRankedTensor:$dest, Variadic<Index>:$origin);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$buffer `,` $dest `[` $origin `]` attr-dict `:` type($buffer) `,` type($dest)";
  let hasVerifier = 1;
}

def TileGPU_DotFmaOp : TileGPU_Op<"dot_fma", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                              AllTypesMatch<["acc", "result"]>]> {
  let summary = "Product of two buffers on the plain multiply-add units";
  let description = [{
    `result[.., i, j] = acc[.., i, j] + sum over k of lhs[.., i, k] * rhs[.., k, j]`, k ascending, each step one fused
    multiply-add in the element type of `acc`. (C1) shapes fit as for `tile.dot`. (C2) `acc` has a
    `#tile_gpu.layout`.
  }];
  let arguments = (ins TileGPU_MemDescType:$lhs, TileGPU_MemDescType:$rhs, AnyRankedTensor:$acc,
      UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`lhs_unsigned` $lhs_unsigned^)? (`rhs_unsigned` $rhs_unsigned^)? attr-dict `:` type($lhs) `,`
    type($rhs) `->` type($acc)
  }];
  let hasVerifier = 1;
}

def TileGPU_DotMmaOp : TileGPU_Op<"dot_mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Product of two tiles in registers on `mma.sync`";
  let description = [{
    `result = acc + lhs * rhs` as `tile.dot` says; each warp multiplies what it holds. (C1) shapes fit as for `tile.dot`. (C2) the
    element types are a row of the table of `mma.sync` (MmaTypes.h). (C3) all three have a `#tile_gpu.layout`; those of
    `lhs` and `rhs` are what `layout::tryMakeMmaOperand` makes of that of `acc`, places outside of the tiles along K
    hold zeros.
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, AnyRankedTensor:$acc, UnitAttr:$lhs_unsigned,
      UnitAttr:$rhs_unsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`lhs_unsigned` $lhs_unsigned^)? (`rhs_unsigned` $rhs_unsigned^)? attr-dict `:` type($lhs) `,`
    type($rhs) `->` type($acc)
  }];
  let hasVerifier = 1;
}

def TileGPU_PartialReduceOp : TileGPU_Op<"partial_reduce", [Pure, SingleBlockImplicitTerminator<"::tilewright::tile_gpu::YieldOp">]> {
  let summary = "Reduce a dimension as far as one warp can";
  let description = [{
    Combines, per warp, all elements along `dim` that the warp's registers and lanes hold. The extent of the result along `dim` is
    the number of positions that differ by warp, in the order of the warp's number: 1 if none does, and then
    every lane of the warp holds the result. The combiner is as in `tile.reduce`; without `identity`, padding of ragged layouts
    is replaced by an element that exists.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, I64Attr:$dim, OptionalAttr<ArrayAttr>:$identity);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sources `dim` $dim (`identity` $identity^)? attr-dict `:` type($sources) `->` type($results) $body
  }];
  let hasVerifier = 1;
}

def TileGPU_PartialScanOp : TileGPU_Op<"partial_scan", [Pure, SingleBlockImplicitTerminator<"::tilewright::tile_gpu::YieldOp">]> {
  let summary = "Scan a dimension as far as one warp can";
  let description = [{
    The first N results are the inclusive prefixes along `dim` within what each warp holds. The other N are the totals of that,
    with the extent and the layout that `partial_reduce` gives. Along `dim` a warp must hold neighbours only, and warps in
    rising order. The combiner is as in `tile.scan`, and so are `reverse` and `identity`.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, I64Attr:$dim, UnitAttr:$reverse, OptionalAttr<ArrayAttr>:$identity);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sources `dim` $dim (`reverse` $reverse^)? (`identity` $identity^)? attr-dict `:` type($sources) `->` type($results) $body
  }];
  let hasVerifier = 1;
}

def TileGPU_AddPrefixOp : TileGPU_Op<"add_prefix", [Pure, SingleBlockImplicitTerminator<"::tilewright::tile_gpu::YieldOp">]> {
  let summary = "Put what earlier warps hold in front of what a warp has scanned";
  let description = [{
    The operands are those that `partial_scan` gave, the totals with all positions along `dim` in the registers of every thread. Each element is
    combined with the totals of the warps that come before its own. The combiner is as in `tile.scan`, and so is `reverse`.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, I64Attr:$dim, UnitAttr:$reverse);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sources `dim` $dim (`reverse` $reverse^)? attr-dict `:` type($sources) `->` type($results) $body
  }];
  let hasVerifier = 1;
}

def TileGPU_YieldOp : TileGPU_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "Ends a combiner";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  // An empty body would only declare it.
  let builders = [OpBuilder<(ins), [{ (void)$_state; }]>];
}

def TileGPU_SyncOp : TileGPU_Op<"sync", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "All warps of the execution scope meet here; memory accesses before are seen after";
  let assemblyFormat = "attr-dict";
}

#endif
