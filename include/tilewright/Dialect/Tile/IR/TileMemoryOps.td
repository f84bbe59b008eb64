// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEMEMORYOPS_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEMEMORYOPS_TD

include "tilewright/Dialect/Tile/IR/TileProgramOps.td"

def Tile_MakeViewOp : Tile_Op<"make_view", [Pure, AttrSizedOperandSegments,
    TypesMatchWith<"base points at the view's element type", "result", "base",
                   "::tilewright::tile::PtrType::get($_ctxt, ::llvm::cast<::tilewright::tile::ViewType>($_self).getElementType())">]> {
  let summary = "A view of memory behind a pointer";
  let description = [{
    Operands fill the `?` of the type from left to right. (C1) one size operand per `?` size, one stride operand per `?` stride.
    (C2) the base points at the view's element type. Example:
    `%A = tile.make_view %a, sizes [%m, %k] strides [%k] : !tile.view<?x?xf16, strides = [?, 1]>`.
  }];
  let arguments = (ins Tile_Ptr:$base, Variadic<Index>:$sizes, Variadic<Index>:$strides);
  let results = (outs Tile_View:$result);
  let assemblyFormat = [{ $base `,` `sizes` ` ` `[` $sizes `]` `strides` ` ` `[` $strides `]` attr-dict `:` custom<FullType>(type($result)) }];
  let hasVerifier = 1;
}

def Tile_PermuteViewOp : Tile_Op<"permute_view", [Pure]> {
  let summary = "Re-order the dimensions of a view; nothing moves";
  let description = [{
    Result dim i is view dim `order[i]`. (C1) `order` is a permutation of the view's dims. (C2) the result type is the
    permuted type. Example: `%Bt = tile.permute_view %B [1, 0] : !mat to !matT`.
  }];
  let arguments = (ins Tile_View:$view, DenseI64ArrayAttr:$order);
  let results = (outs Tile_View:$result);
  let assemblyFormat = "$view $order attr-dict `:` custom<FullType>(type($view)) `to` custom<FullType>(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

class Tile_ViewQueryOp<string mnemonic> : Tile_Op<mnemonic, [Pure, Tile_HasRange]> {
  let arguments = (ins Tile_View:$view, Tile_I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `,` $dim attr-dict `:` custom<FullType>(type($view))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ViewSizeOp : Tile_ViewQueryOp<"view_size"> {
  let summary = "Size of a view along one dimension";
  let description = [{ (C1) `dim` is below the rank. Example: `%n = tile.view_size %v, 0 : !v`. }];
}

def Tile_ViewStrideOp : Tile_ViewQueryOp<"view_stride"> {
  let summary = "Stride of a view along one dimension, in elements";
  let description = [{ (C1) `dim` is below the rank. Example: `%s = tile.view_stride %v, 0 : !v`. }];
}

def Tile_ViewBaseOp : Tile_Op<"view_base", [Pure]> {
  let summary = "Address of a view's element at index 0";
  let description = [{
    (C1) the pointer is to the view's element type. Example: `%p = tile.view_base %v : !v -> !tile.ptr<f32>`.
  }];
  let arguments = (ins Tile_View:$view);
  let results = (outs Tile_Ptr:$result);
  let assemblyFormat = "$view attr-dict `:` custom<FullType>(type($view)) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_Op<"load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, AttrSizedOperandSegments]> {
  let summary = "Read a block of a view";
  let description = [{
    `result[p] = view[offset + p]`. A dimension is checked unless its `in_bounds` is true; where `0 <= index < size` fails in a
    checked dimension the element is `pad`, and memory is not touched. `in_bounds` is a promise; breaking it is undefined. `dims`
    names the view dims that the tile walks; every other dim contributes its one index, still checked. `pad(none)` is an
    unspecified but fixed value. (C1) one offset per view dim. (C2) without `dims` the ranks are equal; with it, `dims` are
    strictly increasing, in range, one per tile dim. (C3) element types are equal. (C4) `in_bounds` has one flag per view
    dim. (C5) the element type has the pad: integers have none and zero.
    With `sync(order, scope)` each element is one atomic access, never merged or removed. (C6) its order is relaxed or acquire.
    Example: `%x = tile.load %A[%i, %kk] in_bounds [false, true] pad(zero) : !mat -> tensor<128x64xf16>`.
  }];
  let arguments = (ins Tile_View:$view, Variadic<Index>:$offsets, OptionalAttr<DenseI64ArrayAttr>:$dims,
      OptionalAttr<DenseBoolArrayAttr>:$in_bounds, DefaultValuedAttr<Tile_Pad, "::tilewright::tile::Pad::none">:$pad,
      OptionalAttr<Tile_SyncOrder>:$order, OptionalAttr<Tile_SyncScope>:$scope, Optional<Tile_Done>:$after);
  let results = (outs Tile_Tile:$result, Optional<Tile_Done>:$done);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`dims` $dims^)? (`in_bounds` $in_bounds^)? (`pad` `(` $pad^ `)`)?
    (`sync` `(` $order^ `,` $scope `)`)? (`after` `(` $after^ `)`)? attr-dict
    `:` custom<FullType>(type($view)) `->` type($result) (`,` type($done)^)?
  }];
  let extraClassDeclaration = [{
    /// View dim that each tile dim walks.
    ::llvm::SmallVector<int64_t> walkedDims();
  }];
  let builders = [
    // A plain access: every dimension walked and checked.
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$view, "::mlir::ValueRange":$offsets,
                   CArg<"Pad", "Pad::none">:$pad), [{
      build($_builder, $_state, result, /*done=*/::mlir::Type(), view, offsets, /*dims=*/nullptr, /*in_bounds=*/nullptr, pad,
            /*order=*/nullptr, /*scope=*/nullptr, /*after=*/::mlir::Value());
    }]>];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_StoreOp : Tile_Op<"store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, AttrSizedOperandSegments]> {
  let summary = "Write a block of a view";
  let description = [{
    `view[offset + p] = value[p]` where every checked dimension holds; other elements are not touched. Constraints (C1) to
    (C4) as for `tile.load`. With `sync(order, scope)` each element is one atomic access; (C5) its order is relaxed or release.
    Example: `tile.store %h, %C[%i, %j] : tensor<128x128xf16>, !mat`.
  }];
  let arguments = (ins Tile_Tile:$value, Tile_View:$view, Variadic<Index>:$offsets, OptionalAttr<DenseI64ArrayAttr>:$dims,
      OptionalAttr<DenseBoolArrayAttr>:$in_bounds, OptionalAttr<Tile_SyncOrder>:$order, OptionalAttr<Tile_SyncScope>:$scope,
      Optional<Tile_Done>:$after);
  let results = (outs Optional<Tile_Done>:$done);
  let assemblyFormat = [{
    $value `,` $view `[` $offsets `]` (`dims` $dims^)? (`in_bounds` $in_bounds^)? (`sync` `(` $order^ `,` $scope `)`)?
    (`after` `(` $after^ `)`)? attr-dict `:` type($value) `,` custom<FullType>(type($view)) (`->` type($done)^)?
  }];
  let extraClassDeclaration = [{
    /// View dim that each tile dim walks.
    ::llvm::SmallVector<int64_t> walkedDims();
  }];
  let builders = [
    // A plain access: every dimension walked and checked.
    OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$view, "::mlir::ValueRange":$offsets), [{
      build($_builder, $_state, /*done=*/::mlir::Type(), value, view, offsets, /*dims=*/nullptr, /*in_bounds=*/nullptr,
            /*order=*/nullptr, /*scope=*/nullptr, /*after=*/::mlir::Value());
    }]>];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_LoadPtrOp : Tile_Op<"load_ptr", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, AttrSizedOperandSegments]> {
  let summary = "Read the element behind each pointer";
  let description = [{
    Where `mask` is false, memory is not touched and the result is `other`, or an unspecified but fixed value. (C1) pointer, mask, other
    and result have one shape; element types fit. (C2) `other` needs `mask`. `sync` is that of `tile.load`; (C3) its order is relaxed or acquire.
    Example: `%v = tile.load_ptr %q mask %m other %o : tensor<256x!tile.ptr<f32>>`.
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Optional<Tile_MaskLike>:$mask, Optional<Tile_ValueLike>:$other,
      OptionalAttr<Tile_SyncOrder>:$order, OptionalAttr<Tile_SyncScope>:$scope, Optional<Tile_Done>:$after);
  let results = (outs Tile_ValueLike:$result, Optional<Tile_Done>:$done);
  let assemblyFormat = [{
    $ptr (`mask` $mask^)? (`other` $other^)? (`sync` `(` $order^ `,` $scope `)`)? (`after` `(` $after^ `)`)? attr-dict `:`
    custom<PtrAccess>(type($ptr), type($result), ref($mask), type($mask), ref($other), type($other)) (`,` type($done)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_StorePtrOp : Tile_Op<"store_ptr", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, AttrSizedOperandSegments]> {
  let summary = "Write the element behind each pointer";
  let description = [{
    Where `mask` is false nothing is written. If two pointers are equal, one of the values wins. (C1) value, pointer and mask have
    one shape; element types fit. `sync` is that of `tile.store`; (C2) its order is relaxed or release.
    Example: `tile.store_ptr %old, %q mask %m : tensor<256x!tile.ptr<f32>>`.
  }];
  let arguments = (ins Tile_ValueLike:$value, Tile_PtrLike:$ptr, Optional<Tile_MaskLike>:$mask,
      OptionalAttr<Tile_SyncOrder>:$order, OptionalAttr<Tile_SyncScope>:$scope, Optional<Tile_Done>:$after);
  let results = (outs Optional<Tile_Done>:$done);
  let assemblyFormat = [{
    $value `,` $ptr (`mask` $mask^)? (`sync` `(` $order^ `,` $scope `)`)? (`after` `(` $after^ `)`)? attr-dict `:`
    custom<PtrAccess>(type($ptr), type($value), ref($mask), type($mask)) (`->` type($done)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif
