// The story of a kernel in source order, whoever asks for it.
// RUN: tile-compile %s --remarks=all -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-compile %s --remarks=passed:specialize -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASSED
// RUN: tile-compile %s --remarks=none -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: tile-compile %s --remarks=all -o /dev/null 2> %t.1
// RUN: tile-compile %s --remarks=all -o /dev/null 2> %t.2
// RUN: cmp %t.1 %t.2

// CHECK:  remarks.mlir:[[# @LINE + 4]]:1: remark: [passed] tile-specialize: variant @copy__v0 assumes {{.*}}stride of dim 0 is 1
// CHECK:  remarks.mlir:[[# @LINE + 6]]:8: remark: [analysis] tile-assign-layouts: elements per access: 4; contiguous dim: 0
// PASSED-NOT: analysis
// PASSED: remark: [passed] tile-specialize
func.func @copy(%x: !tile.view<?xf32, strides = [?]> {tile.name = "x"}, %y: !tile.view<?xf32, strides = [?]> {tile.name = "y"})
    attributes {tile.kernel, tile.grid = @copy_grid} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.view<?xf32, strides = [?]> -> tensor<1024xf32>
  tile.store %v, %y[%c0] : tensor<1024xf32>, !tile.view<?xf32, strides = [?]>
  return
}
func.func @copy_grid(%x: !tile.view<?xf32, strides = [?]>, %y: !tile.view<?xf32, strides = [?]>) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
// NONE-NOT: remark
