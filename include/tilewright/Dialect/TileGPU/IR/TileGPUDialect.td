// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUDIALECT_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUDIALECT_TD

include "mlir/IR/OpBase.td"

def TileGPU_Dialect : Dialect {
  let name = "tile_gpu";
  let cppNamespace = "::tilewright::tile_gpu";
  let summary = "What lies between tile programs and one thread's program";
  let description = [{
    Two levels share this dialect. The *buffer level* works on whole tiles whose encoding is a
    `#tile_gpu.layout`: layout conversions, shared-memory buffers (`!tile_gpu.memdesc`), and the products that
    read them. The *instruction level* is one thread's program: each PTX instruction that is not plain
    arithmetic is one op with exactly two emitters, one for NVVM or inline PTX and one for the emulator.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

class TileGPU_Op<string mnemonic, list<Trait> traits = []> : Op<TileGPU_Dialect, mnemonic, traits>;

#endif
