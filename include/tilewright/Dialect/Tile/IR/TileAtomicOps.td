// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEATOMICOPS_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEATOMICOPS_TD

include "tilewright/Dialect/Tile/IR/TileProgramOps.td"

// Updates of memory that several programs share, and the order between accesses.

def Tile_AtomicRmwOp : Tile_Op<"atomic_rmw", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                              AttrSizedOperandSegments, AllTypesMatch<["value", "result"]>]> {
  let summary = "Update the element behind each pointer atomically; gives what it was";
  let description = [{
    `old = *ptr; *ptr = kind(old, value); result = old`, each element one atomic step. Elements that hit one address are separate updates in
    some order. Where `mask` is false memory is not touched and the result is unspecified. An acquire holds back every later
    access of the whole program, a release waits for every earlier one. Never merged, moved or removed. (C1) pointer, value and mask
    have one shape; element types fit. (C2) integer kinds: i32 and i64; fadd: f16, bf16, f32, f64; exch: i32, i64, f32, f64.
    Example: `%old = tile.atomic_rmw fadd relaxed gpu %q, %v mask %m : tensor<256x!tile.ptr<f32>>`.
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_SyncOrder:$order, Tile_SyncScope:$scope, Tile_PtrLike:$ptr,
      Tile_ValueLike:$value, Optional<Tile_MaskLike>:$mask, Optional<Tile_Done>:$after);
  let results = (outs Tile_ValueLike:$result, Optional<Tile_Done>:$done);
  let assemblyFormat = [{
    $kind $order $scope $ptr `,` $value (`mask` $mask^)? (`after` `(` $after^ `)`)? attr-dict `:`
    custom<PtrAccess>(type($ptr), type($value), ref($mask), type($mask)) (`,` type($done)^)?
  }];
  let hasVerifier = 1;
}

def Tile_AtomicCasOp : Tile_Op<"atomic_cas", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                              AttrSizedOperandSegments, AllTypesMatch<["compare", "value", "result"]>]> {
  let summary = "Replace the element behind each pointer if it is what is expected; gives what it was";
  let description = [{
    `old = *ptr; if bits(old) == bits(compare) then *ptr = value; result = old`, each element one atomic step; otherwise as
    `tile.atomic_rmw`. (C1) pointer, operands and mask have one shape; element types fit. (C2) i32, i64, f32 or f64.
    Example: `%was = tile.atomic_cas acq_rel gpu %lock, %c0, %c1 : !tile.ptr<i32>`.
  }];
  let arguments = (ins Tile_SyncOrder:$order, Tile_SyncScope:$scope, Tile_PtrLike:$ptr, Tile_ValueLike:$compare,
      Tile_ValueLike:$value, Optional<Tile_MaskLike>:$mask, Optional<Tile_Done>:$after);
  let results = (outs Tile_ValueLike:$result, Optional<Tile_Done>:$done);
  let assemblyFormat = [{
    $order $scope $ptr `,` $compare `,` $value (`mask` $mask^)? (`after` `(` $after^ `)`)? attr-dict `:`
    custom<PtrAccess>(type($ptr), type($value), ref($mask), type($mask)) (`,` type($done)^)?
  }];
  let hasVerifier = 1;
}

def Tile_ReduceIntoOp : Tile_Op<"reduce_into", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                                AttrSizedOperandSegments]> {
  let summary = "Update a block of a view atomically";
  let description = [{
    `view[offset + p] = kind(view[offset + p], value[p])` where every checked dimension holds, each element one relaxed atomic step; other
    elements are not touched. (C1) to (C4) as for `tile.load`. (C5) kind and element type as for `tile.atomic_rmw`, without exch.
    Example: `tile.reduce_into fadd gpu %g, %w[%s, %c0] in_bounds [false, true] : tensor<64x128xf32>, !w`.
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_SyncScope:$scope, Tile_Tile:$value, Tile_View:$view,
      Variadic<Index>:$offsets, OptionalAttr<DenseI64ArrayAttr>:$dims, OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
      Optional<Tile_Done>:$after);
  let results = (outs Optional<Tile_Done>:$done);
  let assemblyFormat = [{
    $kind $scope $value `,` $view `[` $offsets `]` (`dims` $dims^)? (`in_bounds` $in_bounds^)?
    (`after` `(` $after^ `)`)? attr-dict `:` type($value) `,` custom<FullType>(type($view)) (`->` type($done)^)?
  }];
  let extraClassDeclaration = [{
    /// View dim that each tile dim walks.
    ::llvm::SmallVector<int64_t> walkedDims();
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_JoinTokensOp : Tile_Op<"join_tokens", [Pure]> {
  let summary = "One token that covers what several cover";
  let description = [{
    Without operands it covers the state at the function's entry. Example: `%t = tile.join_tokens(%a, %b)`.
  }];
  let arguments = (ins Variadic<Tile_Done>:$tokens);
  let results = (outs Tile_Done:$result);
  let assemblyFormat = "`(` $tokens `)` attr-dict";
}

#endif
