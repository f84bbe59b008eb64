// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUATTRS_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "tilewright/Dialect/TileGPU/IR/TileGPUDialect.td"

def TileGPU_LayoutAttr : AttrDef<TileGPU_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "Which thread and register holds which element of a tile";
  let description = [{
    The encoding of a tile type below the `tile` level: a `layout::DistributedLayout` in attribute form. Bases are
    coordinate vectors, one per input bit; digits are `[dim, radix, stride, place]` with place 0 register,
    1 warp, 2 block.

    `#tile_gpu.layout<[128, 64], register = [[0, 1], [0, 2]], lane = [...], warp = [...], digits = [[0, 3, 64, 0]]>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, ArrayRefParameter<"int64_t">:$registerBases,
      ArrayRefParameter<"int64_t">:$laneBases, ArrayRefParameter<"int64_t">:$warpBases,
      ArrayRefParameter<"int64_t">:$blockBases, ArrayRefParameter<"int64_t">:$digits);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout that this attribute spells; the verifier has made sure that it exists.
    ::tilewright::layout::DistributedLayout toLayout() const;
    static LayoutAttr get(::mlir::MLIRContext *context, const ::tilewright::layout::DistributedLayout &layout);
  }];
}

def TileGPU_SharedAttr : AttrDef<TileGPU_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "Which byte of shared memory holds which element of a buffer";
  let description = [{
    Row-major over `order` (fastest dimension first) on the allocated shape; the chunk of `vec` elements with number
    c along the fastest dimension moves to `c xor ((row / perPhase) mod maxPhase)`; after every `padInterval`
    elements `padAmount` unused ones follow (0: none).
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$allocatedShape, ArrayRefParameter<"unsigned">:$order,
      "int64_t":$vec, "int64_t":$perPhase, "int64_t":$maxPhase, "int64_t":$padInterval, "int64_t":$padAmount);
  let assemblyFormat = [{
    `<` `[` $allocatedShape `]` `,` `order` `=` `[` $order `]` `,` `vec` `=` $vec `,` `per_phase` `=` $perPhase `,`
    `max_phase` `=` $maxPhase `,` `pad` `=` $padInterval `by` $padAmount `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::tilewright::layout::SharedLayout toLayout() const;
    static SharedAttr get(::mlir::MLIRContext *context, const ::tilewright::layout::SharedLayout &layout);
  }];
}

def TileGPU_Axis : I32EnumAttr<"Axis", "grid axis", [I32EnumAttrCase<"x", 0>, I32EnumAttrCase<"y", 1>,
                                                     I32EnumAttrCase<"z", 2>]> {
  let cppNamespace = "::tilewright::tile_gpu";
}
def TileGPU_ShuffleMode : I32EnumAttr<"ShuffleMode", "how a lane names its source",
    [I32EnumAttrCase<"idx", 0>, I32EnumAttrCase<"bfly", 1>]> {
  let cppNamespace = "::tilewright::tile_gpu";
}
def TileGPU_SyncOrder : I32EnumAttr<"SyncOrder", "what an access holds back; numbered as in the tile dialect",
    [I32EnumAttrCase<"relaxed", 0>, I32EnumAttrCase<"acquire", 1>, I32EnumAttrCase<"release", 2>,
     I32EnumAttrCase<"acq_rel", 3>]> {
  let cppNamespace = "::tilewright::tile_gpu";
}
def TileGPU_SyncScope : I32EnumAttr<"SyncScope", "who shares the memory; numbered as in the tile dialect",
    [I32EnumAttrCase<"cta", 0>, I32EnumAttrCase<"gpu", 1>, I32EnumAttrCase<"sys", 2>]> {
  let cppNamespace = "::tilewright::tile_gpu";
}
def TileGPU_AtomicKind : I32EnumAttr<"AtomicKind", "how old and new values combine; numbered as in the tile dialect",
    [I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"fadd", 1>, I32EnumAttrCase<"smin", 2>, I32EnumAttrCase<"smax", 3>,
     I32EnumAttrCase<"umin", 4>, I32EnumAttrCase<"umax", 5>, I32EnumAttrCase<"andi", 6>, I32EnumAttrCase<"ori", 7>,
     I32EnumAttrCase<"xori", 8>, I32EnumAttrCase<"exch", 9>]> {
  let cppNamespace = "::tilewright::tile_gpu";
}

#endif
