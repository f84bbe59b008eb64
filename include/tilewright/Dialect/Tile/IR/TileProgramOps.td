// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEPROGRAMOPS_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEPROGRAMOPS_TD

include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "tilewright/Dialect/Tile/IR/TileAttrs.td"
include "tilewright/Dialect/Tile/IR/TileTypes.td"

// Integer results have known ranges: lib/Dialect/Tile/IR/TileRanges.cpp.
def Tile_HasRange : DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>;

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure, Tile_HasRange]> {
  let summary = "Coordinate of this program in the grid";
  let description = [{ 0 to the extent of the axis, exclusive; below 2^31 - 1. Example: `%i = tile.program_id x`. }];
  let arguments = (ins Tile_Axis:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure, Tile_HasRange]> {
  let summary = "Extent of the grid along an axis";
  let description = [{ 1 to 2^31 - 1. Example: `%n = tile.num_programs x`. }];
  let arguments = (ins Tile_Axis:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_DeviceInfoOp : Tile_Op<"device_info", [Pure, Tile_HasRange]> {
  let summary = "A fact about the device that a kernel will run on";
  let description = [{
    For host functions. `max_ctas_per_sm`, how many programs of the version that is launched an SM holds at a time, is known once its
    code is: only the grid function may ask for it. Example: `%n = tile.device_info sm_count`.
  }];
  let arguments = (ins Tile_DeviceFact:$fact);
  let results = (outs Index:$result);
  let assemblyFormat = "$fact attr-dict";
}

def Tile_LaunchOp : Tile_Op<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Launch a kernel from a host function";
  let description = [{
    Runs one program per point of the kernel's grid for these arguments, after all launches before it; an empty grid is no error. A host
    function is a `func.func` without `tile.kernel` that holds launches and what a host evaluates, in one block; it is called by name
    like a kernel. With `tile.independent` the author promises that the launch neither reads nor writes what another launch with
    that attribute, next to it, writes: they may run at the same time. (C1) `kernel` names a function with `tile.kernel` that
    is no variant. (C2) the arguments have the types of its parameters. (C3) the op stands in a function without `tile.kernel`, in its
    own block.
    Example: `tile.launch @cat(%a, %to, %offset) {tile.independent} : (!mat, !mat, index) -> ()`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$args);
  let assemblyFormat = "$kernel `(` $args `)` attr-dict `:` functional-type($args, results)";
  let hasVerifier = 1;
}

def Tile_AssumeOp : Tile_Op<"assume", [AllTypesMatch<["source", "result"]>, NoMemoryEffect, Tile_HasRange]> {
  let summary = "Return a value, promising facts about it";
  let description = [{
    A false fact is undefined behaviour; the emulator reports those about scalars. `div_by` counts bytes for pointers, units for
    integers; `min` and `max` are signed. On tiles, `every` says `div_by` of the first element of each group, `same` that a group is uniform, `contiguous` that
    it rises by one. (C1) at least one fact. (C2) `div_by >= 1`, `min <= max`, both within the type. (C3) lists are as
    long as the rank, positive, and divide the extents; `every` needs `div_by`.
    Example: `%0 = tile.assume %n div_by 8 min 0 : i32`.
  }];
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, Index, Tile_Ptr, Tile_Tile]>:$source, OptionalAttr<Tile_I64Attr>:$div_by,
      OptionalAttr<DenseI64ArrayAttr>:$every, OptionalAttr<Tile_I64Attr>:$min, OptionalAttr<Tile_I64Attr>:$max,
      OptionalAttr<DenseI64ArrayAttr>:$same, OptionalAttr<DenseI64ArrayAttr>:$contiguous);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $source (`div_by` $div_by^)? (`every` $every^)? (`min` $min^)? (`max` $max^)? (`same` $same^)?
    (`contiguous` $contiguous^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_PtrAddOp : Tile_Op<"ptr_add", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "Move a pointer by a number of elements";
  let description = [{
    `result = ptr + sext(offset) * sizeof(pointee)` per element; overflow is undefined. (C1) both are scalars, or tiles of one
    shape. Example: `%2 = tile.ptr_add %p, %0 : !tile.ptr<f32>, i32`.
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_OffsetLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_PtrCastOp : Tile_Op<"ptr_cast", [Pure]> {
  let summary = "The same 64 bits as another pointer type or as i64";
  let description = [{
    (C1) at least one side is a pointer, the other a pointer or i64. (C2) both are scalars, or tiles of one shape.
    Example: `%3 = tile.ptr_cast %2 : !tile.ptr<f32> to i64`.
  }];
  let arguments = (ins AnyTypeOf<[Tile_PtrLike, I64, Tile_IntTile]>:$source);
  let results = (outs AnyTypeOf<[Tile_PtrLike, I64, Tile_IntTile]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
