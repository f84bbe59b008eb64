// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILETYPES_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILETYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "tilewright/Dialect/Tile/IR/TileDialect.td"

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []> : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr", [DeclareTypeInterfaceMethods<VectorElementTypeInterface>]> {
  let summary = "64-bit address of an element in global memory";
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
}

def Tile_TokenType : Tile_Type<"Token", "token"> {
  let summary = "Order between memory accesses; no run-time value";
}

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "Base, sizes and strides of a tensor in global memory";
  let description = [{
    Sizes and strides are static or `?`, in elements, one stride per size, rank 1 to 8. Any stride is legal, zero and
    negative ones included; a size may be 0. `!tile.view<?x128xf16, strides = [128, 1]>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        ArrayRefParameter<"int64_t">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    int64_t getNumDynamicSizes() const;
    int64_t getNumDynamicStrides() const;
  }];
}

// What a tile may hold. An encoding is legal here: layouts are encodings below this level.
def Tile_Element : Type<CPred<"::tilewright::tile::isElementType($_self)">, "tile element">;
def Tile_Tile : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
    CPred<"::tilewright::tile::isTileType($_self)">]>,
    "tile of static shape, rank 1 or more and extents of 1 or more", "::mlir::RankedTensorType">;
def Tile_Ptr : Type<CPred<"::llvm::isa<::tilewright::tile::PtrType>($_self)">, "pointer">;
def Tile_PtrTile : Type<And<[Tile_Tile.predicate,
    CPred<"::llvm::isa<::tilewright::tile::PtrType>(::llvm::cast<::mlir::RankedTensorType>($_self).getElementType())">]>,
    "tile of pointers", "::mlir::RankedTensorType">;
def Tile_IntTile : Type<And<[Tile_Tile.predicate,
    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isSignlessInteger()">]>,
    "tile of integers", "::mlir::RankedTensorType">;
def Tile_View : Type<CPred<"::llvm::isa<::tilewright::tile::ViewType>($_self)">, "view", "::tilewright::tile::ViewType">;
def Tile_Token : Type<CPred<"::llvm::isa<::tilewright::tile::TokenType>($_self)">, "token", "::tilewright::tile::TokenType">;
// A token whose type is printed in full.
def Tile_Done : Type<CPred<"::llvm::isa<::tilewright::tile::TokenType>($_self)">, "token">,
    BuildableType<"$_builder.getType<::tilewright::tile::TokenType>()">;
def Tile_PtrLike : AnyTypeOf<[Tile_Ptr, Tile_PtrTile]>;
def Tile_OffsetLike : AnyTypeOf<[AnySignlessInteger, Index, Tile_IntTile]>;
def Tile_ValueLike : AnyTypeOf<[Tile_Element, Tile_Tile]>;
def Tile_MaskLike : AnyTypeOf<[I1, Tile_IntTile]>;

#endif
