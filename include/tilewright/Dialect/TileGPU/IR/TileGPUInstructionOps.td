// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUINSTRUCTIONOPS_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUINSTRUCTIONOPS_TD

include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilewright/Dialect/TileGPU/IR/TileGPUAttrs.td"

// One thread's program. A value is a scalar or a one-dimensional vector of integers, floats (1, 2, 4 or 8 bytes an element;
// i1 counts one byte).

def TileGPU_Data : AnyTypeOf<[AnySignlessInteger, AnyFloat, VectorOfRankAndType<[1], [AnySignlessInteger, AnyFloat]>]>;

// Operand fragments of tensor cores.
class TileGPU_Words<int count> : Type<VectorOfLengthAndType<[count], [I32]>.predicate, "vector of " # count # " words">,
    BuildableType<"::mlir::VectorType::get({" # count # "}, $_builder.getI32Type())">;

def TileGPU_LaneIdOp : TileGPU_Op<"lane_id", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "Number of this thread in its warp, 0 to 31";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def TileGPU_WarpIdOp : TileGPU_Op<"warp_id", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "Number of this thread's warp in the CTA; the same value in every lane";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def TileGPU_CtaIdOp : TileGPU_Op<"cta_id", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "Number of this CTA along a grid axis";
  let arguments = (ins TileGPU_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def TileGPU_NumCtasOp : TileGPU_Op<"num_ctas", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "Number of CTAs along a grid axis";
  let arguments = (ins TileGPU_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def TileGPU_LoadGlobalOp : TileGPU_Op<"load_global", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                                      AttrSizedOperandSegments]> {
  let summary = "Read one scalar or vector from global memory";
  let description = [{
    Reads `sizeof(result)` bytes at `address`. Where `pred` is false nothing is touched and the result is `other`, or zero without it.
    (C1) the bytes of the result are 1, 2, 4, 8, 16 or 32. (C2) `align` is a power of two that the address is
    promised to be a multiple of, at least the size of the result. (C3) `other` needs `pred` and has the result's type.
  }];
  let arguments = (ins I64:$address, Optional<I1>:$pred, Optional<TileGPU_Data>:$other, I64Attr:$align);
  let results = (outs TileGPU_Data:$result);
  let assemblyFormat = "$address (`pred` $pred^)? (`other` $other^ `:` type($other))? `align` $align attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TileGPU_StoreGlobalOp : TileGPU_Op<"store_global", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Write one scalar or vector to global memory";
  let description = [{ As `load_global`: (C1) sizes; (C2) alignment. Nothing is touched where `pred` is false. }];
  let arguments = (ins TileGPU_Data:$value, I64:$address, Optional<I1>:$pred, I64Attr:$align);
  let assemblyFormat = "$value `,` $address (`pred` $pred^)? `align` $align attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def TileGPU_LoadSharedOp : TileGPU_Op<"load_shared", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Read one scalar or vector from the CTA's shared memory";
  let description = [{
    `offset` counts bytes from the start of the dynamic shared memory. Where `pred` is false nothing is touched and the
    result is zero. (C1) the bytes of the result are 1, 2, 4, 8 or 16. (C2) the offset is a multiple of that size.
  }];
  let arguments = (ins I32:$offset, Optional<I1>:$pred);
  let results = (outs TileGPU_Data:$result);
  let assemblyFormat = "$offset (`pred` $pred^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TileGPU_StoreSharedOp : TileGPU_Op<"store_shared", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Write one scalar or vector to the CTA's shared memory";
  let description = [{ As `load_shared`: (C1) sizes; (C2) alignment. }];
  let arguments = (ins TileGPU_Data:$value, I32:$offset, Optional<I1>:$pred);
  let assemblyFormat = "$value `,` $offset (`pred` $pred^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def TileGPU_LoadMatrixOp : TileGPU_Op<"load_matrix", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "`ldmatrix`: 1, 2 or 4 matrices of 8 rows of 16 bytes from shared memory";
  let description = [{
    Lane 8j + i names the row i of matrix j by its byte offset; lanes beyond the matrices name nothing. Word j of the
    result of lane l holds bytes 4 * (l % 4) to 4 * (l % 4) + 3 of row l / 4 of matrix j; with `trans` the 16-bit
    elements l / 4 of the rows 2 * (l % 4) and 2 * (l % 4) + 1. All lanes of the warp take part. (C1) the result is
    i32, vector<2xi32> or vector<4xi32>. (C2) each offset is a multiple of 16.
  }];
  let arguments = (ins I32:$offset, UnitAttr:$trans);
  let results = (outs AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>:$result);
  let assemblyFormat = "$offset (`trans` $trans^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TileGPU_MmaOp : TileGPU_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "`mma.sync`: 16 rows by 8 columns over 32 bytes of K, all lanes of the warp taking part";
  let description = [{
    `lhs` (four words), `rhs` (two words) and `acc` (four elements) are the fragments that MmaLayout.h describes; `lhs_type` and
    `rhs_type` say what the words hold. (C1) the types are a row of the table in MmaTypes.h. (C2) sign flags only with
    integers.
  }];
  let arguments = (ins TileGPU_Words<4>:$lhs, TileGPU_Words<2>:$rhs, VectorOfLengthAndType<[4], [F32, F16, I32]>:$acc,
      TypeAttr:$lhs_type, TypeAttr:$rhs_type, UnitAttr:$lhs_unsigned,
      UnitAttr:$rhs_unsigned);
  let results = (outs VectorOfLengthAndType<[4], [F32, F16, I32]>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc `types` $lhs_type `,` $rhs_type (`lhs_unsigned` $lhs_unsigned^)? (`rhs_unsigned` $rhs_unsigned^)?
    attr-dict `:` type($acc)
  }];
  let hasVerifier = 1;
}

def TileGPU_BarrierOp : TileGPU_Op<"barrier", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "`bar.sync id, threads`";
  let description = [{
    Waits until `threads` threads of the CTA, whole warps, have arrived at barrier `id`. Accesses before are seen by all of them
    after. (C1) `id` is 0 to 15. (C2) `threads` is a multiple of 32 from 32 to 1024.
  }];
  let arguments = (ins I32Attr:$id, I32Attr:$threads);
  let assemblyFormat = "`id` $id `threads` $threads attr-dict";
  let hasVerifier = 1;
}

def TileGPU_ShuffleOp : TileGPU_Op<"shuffle", [AllTypesMatch<["value", "result"]>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "`shfl.sync`, one instruction per 32-bit element, all lanes of the warp taking part";
  let description = [{
    `idx`: the result is the value of lane `lane`; `bfly`: of lane `own lane xor lane`. `lane` must be 0 to 31.
  }];
  let arguments = (ins TileGPU_ShuffleMode:$mode, AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>:$value, I32:$lane);
  let results = (outs AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>:$result);
  let assemblyFormat = "$mode $value `,` $lane attr-dict `:` type($value)";
}

def TileGPU_AssumeOp : TileGPU_Op<"assume", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A fact that the program promises; the emulator checks it";
  let description = [{ `fact` is the text that the emulator prints where `condition` is false. }];
  let arguments = (ins I1:$condition, StrAttr:$fact);
  let assemblyFormat = "$condition `,` $fact attr-dict";
}

#endif
