// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUATOMICOPS_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUATOMICOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilewright/Dialect/TileGPU/IR/TileGPUAttrs.td"

// One thread's access to global memory that threads of other CTAs share. Addresses are multiples of the size; where `pred` is
// false nothing is touched and a result is zero. They order this thread alone: barriers beside them order the CTA.

def TileGPU_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat]>;

class TileGPU_AtomicOp<string mnemonic, list<Trait> traits = []>
    : TileGPU_Op<mnemonic, !listconcat([DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)> {
  let hasVerifier = 1;
}

def TileGPU_AtomicRmwOp : TileGPU_AtomicOp<"atomic_rmw", [AllTypesMatch<["value", "result"]>]> {
  let summary = "`atom`: update one scalar; gives what it was";
  let description = [{
    (C1) i32 or i64; fadd: f16, bf16, f32 or f64; exch: any of 32 or 64 bits.
  }];
  let arguments = (ins TileGPU_AtomicKind:$kind, TileGPU_SyncOrder:$order, TileGPU_SyncScope:$scope, I64:$address,
      TileGPU_Scalar:$value, Optional<I1>:$pred);
  let results = (outs TileGPU_Scalar:$result);
  let assemblyFormat = "$kind $order $scope $address `,` $value (`pred` $pred^)? attr-dict `:` type($value)";
}

def TileGPU_AtomicCasOp : TileGPU_AtomicOp<"atomic_cas", [AllTypesMatch<["compare", "value", "result"]>]> {
  let summary = "`atom.cas`: replace one scalar that has the expected bits; gives what it was";
  let description = [{ (C1) 32 or 64 bits. }];
  let arguments = (ins TileGPU_SyncOrder:$order, TileGPU_SyncScope:$scope, I64:$address, TileGPU_Scalar:$compare,
      TileGPU_Scalar:$value, Optional<I1>:$pred);
  let results = (outs TileGPU_Scalar:$result);
  let assemblyFormat = "$order $scope $address `,` $compare `,` $value (`pred` $pred^)? attr-dict `:` type($value)";
}

def TileGPU_AtomicLoadOp : TileGPU_AtomicOp<"atomic_load"> {
  let summary = "`ld.ORDER.SCOPE`: read one scalar that others may write";
  let description = [{ (C1) relaxed or acquire. (C2) 1, 2, 4 or 8 bytes. }];
  let arguments = (ins TileGPU_SyncOrder:$order, TileGPU_SyncScope:$scope, I64:$address, Optional<I1>:$pred);
  let results = (outs TileGPU_Scalar:$result);
  let assemblyFormat = "$order $scope $address (`pred` $pred^)? attr-dict `:` type($result)";
}

def TileGPU_AtomicStoreOp : TileGPU_AtomicOp<"atomic_store"> {
  let summary = "`st.ORDER.SCOPE`: write one scalar that others may read";
  let description = [{ (C1) relaxed or release. (C2) 1, 2, 4 or 8 bytes. }];
  let arguments = (ins TileGPU_SyncOrder:$order, TileGPU_SyncScope:$scope, TileGPU_Scalar:$value, I64:$address,
      Optional<I1>:$pred);
  let assemblyFormat = "$order $scope $value `,` $address (`pred` $pred^)? attr-dict `:` type($value)";
}

#endif
