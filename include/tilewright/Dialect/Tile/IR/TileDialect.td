// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEDIALECT_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilewright::tile";
  let summary = "Programs on tiles of tensors in global memory";
  let description = [{
    A kernel is a `func.func` with `tile.kernel`; one program of it runs per grid point. Values are tiles - builtin
    tensors of static shape -, scalars, pointers and views of global memory. There are no threads, no shared memory and no
    layouts here.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 0;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

#endif
