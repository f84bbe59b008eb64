// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUTYPES_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "tilewright/Dialect/TileGPU/IR/TileGPUDialect.td"

def TileGPU_MemDescType : TypeDef<TileGPU_Dialect, "MemDesc"> {
  let mnemonic = "memdesc";
  let summary = "A buffer in shared memory";
  let description = [{
    A tile of `shape` elements in the shared memory of one CTA. `layout` maps its elements to offsets; the allocated shape in it
    may exceed the logical one. The only way to reach shared memory.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "SharedAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of shared memory that the buffer takes, padding included.
    int64_t getSizeInBytes() const;
    /// Bytes of one element in shared memory (i1 takes one, pointers eight).
    int64_t getElementBytes() const;
  }];
}

#endif
