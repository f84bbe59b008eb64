// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEATTRS_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEATTRS_TD

include "mlir/IR/EnumAttr.td"
include "tilewright/Dialect/Tile/IR/TileDialect.td"

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::tile";
}

// Upstream's I64Attr hands out its value as unsigned.
def Tile_I64Attr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit signless integer attribute">;

def Tile_Axis : Tile_Enum<"Axis", "grid axis",
    [I32EnumAttrCase<"x", 0>, I32EnumAttrCase<"y", 1>, I32EnumAttrCase<"z", 2>]>;
def Tile_Pad : Tile_Enum<"Pad", "value of an element whose check fails",
    [I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"zero", 1>, I32EnumAttrCase<"neg_zero", 2>, I32EnumAttrCase<"nan", 3>,
     I32EnumAttrCase<"pos_inf", 4>, I32EnumAttrCase<"neg_inf", 5>]>;
def Tile_Precision : Tile_Enum<"Precision", "how f32 products may be computed",
    [I32EnumAttrCase<"ieee", 0>, I32EnumAttrCase<"tf32", 1>, I32EnumAttrCase<"tf32x3", 2>,
     I32EnumAttrCase<"bf16x3", 3>, I32EnumAttrCase<"bf16x6", 4>]>;
def Tile_DeviceFact : Tile_Enum<"DeviceFact", "what a host may ask of a device",
    [I32EnumAttrCase<"sm_count", 0>, I32EnumAttrCase<"max_shared_bytes", 1>, I32EnumAttrCase<"l2_bytes", 2>,
     I32EnumAttrCase<"max_ctas_per_sm", 3>]>;

def Tile_SyncOrder : Tile_Enum<"SyncOrder", "what an access to memory that programs share holds back",
    [I32EnumAttrCase<"relaxed", 0>, I32EnumAttrCase<"acquire", 1>, I32EnumAttrCase<"release", 2>,
     I32EnumAttrCase<"acq_rel", 3>]>;
def Tile_SyncScope : Tile_Enum<"SyncScope", "who shares the memory",
    [I32EnumAttrCase<"cta", 0>, I32EnumAttrCase<"gpu", 1>, I32EnumAttrCase<"sys", 2>]>;
def Tile_AtomicKind : Tile_Enum<"AtomicKind", "how an atomic update combines the old value with the new one",
    [I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"fadd", 1>, I32EnumAttrCase<"smin", 2>, I32EnumAttrCase<"smax", 3>,
     I32EnumAttrCase<"umin", 4>, I32EnumAttrCase<"umax", 5>, I32EnumAttrCase<"andi", 6>, I32EnumAttrCase<"ori", 7>,
     I32EnumAttrCase<"xori", 8>, I32EnumAttrCase<"exch", 9>]>;

#endif
