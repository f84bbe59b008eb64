// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEGATHEROPS_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEGATHEROPS_TD

include "tilewright/Dialect/Tile/IR/TileProgramOps.td"

// An index for each row of a block.
def Tile_IndexTile : Type<And<[Tile_Tile.predicate,
    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 1">,
    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isSignlessInteger(32) || "
          "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isSignlessInteger(64)">]>,
    "tile of rank 1 of i32 or i64", "::mlir::RankedTensorType">;
def Tile_OffsetOrIndexTile : AnyTypeOf<[Index, Tile_IndexTile]>;

class Tile_IndexedAccessOp<string mnemonic> : Tile_Op<mnemonic, [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                                                 AttrSizedOperandSegments]> {
  let extraClassDeclaration = [{
    /// View dim that each tile dim walks: its own.
    ::llvm::SmallVector<int64_t> walkedDims();
    /// The dim whose offset is a tile.
    int64_t indexedDim();
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_GatherOp : Tile_IndexedAccessOp<"gather"> {
  let summary = "Read a block of a view whose rows lie anywhere";
  let description = [{
    `result[p] = view[index]`, where along the dim whose offset is a tile `index = offset[p]`, sign-extended, and along every other dim
    `index = offset + p`. Checks, `in_bounds` and `pad` are those of `tile.load`, the indexed dim included. Indices may recur. (C1) exactly one offset is
    a tile. (C2) its length is the result's extent along that dim. (C3) one offset per view dim; ranks are equal. (C4) element
    types are equal. (C5) `in_bounds` has one flag per view dim. (C6) the element type has the pad.
    Example: `%g = tile.gather %w[%rows, %c0] pad(zero) : !w[tensor<64xi32>, index] -> tensor<64x128xf32>`.
  }];
  let arguments = (ins Tile_View:$view, Variadic<Tile_OffsetOrIndexTile>:$offsets, OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
      DefaultValuedAttr<Tile_Pad, "::tilewright::tile::Pad::none">:$pad, Optional<Tile_Done>:$after);
  let results = (outs Tile_Tile:$result, Optional<Tile_Done>:$done);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`in_bounds` $in_bounds^)? (`pad` `(` $pad^ `)`)? (`after` `(` $after^ `)`)? attr-dict
    `:` custom<FullType>(type($view)) `` `[` type($offsets) `]` `->` type($result) (`,` type($done)^)?
  }];
}

def Tile_ScatterOp : Tile_IndexedAccessOp<"scatter"> {
  let summary = "Write a block of a view whose rows lie anywhere";
  let description = [{
    `view[index] = value[p]` with `index` as for `tile.gather`, where every checked dimension holds; other elements are not touched. Where
    indices recur, one of the values wins. Constraints (C1) to (C5) as for `tile.gather`.
    Example: `tile.scatter %g, %w[%rows, %c0] : tensor<64x128xf32>, !w[tensor<64xi32>, index]`.
  }];
  let arguments = (ins Tile_Tile:$value, Tile_View:$view, Variadic<Tile_OffsetOrIndexTile>:$offsets,
      OptionalAttr<DenseBoolArrayAttr>:$in_bounds, Optional<Tile_Done>:$after);
  let results = (outs Optional<Tile_Done>:$done);
  let assemblyFormat = [{
    $value `,` $view `[` $offsets `]` (`in_bounds` $in_bounds^)? (`after` `(` $after^ `)`)? attr-dict
    `:` type($value) `,` custom<FullType>(type($view)) `` `[` type($offsets) `]` (`->` type($done)^)?
  }];
}

#endif
