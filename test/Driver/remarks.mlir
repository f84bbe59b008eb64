// The story of a kernel in source order, whoever asks for it.
// RUN: tile-compile %s --remarks=all -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-compile %s --remarks=passed:specialize -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASSED
// RUN: tile-compile %s --remarks=missed:persistent -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALIKE
// RUN: tile-compile %s --remarks=none -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: tile-compile %s --remarks=all -o /dev/null 2> %t.1
// RUN: tile-compile %s --remarks=all -o /dev/null 2> %t.2
// RUN: cmp %t.1 %t.2

// The line of the source, then what was decided there, in the order of the passes. What holds for all versions of a
// kernel is said once; the rest says for which.
// CHECK:      {{^ *}}[[# @LINE + 12]] | func.func @copy(
// CHECK-NEXT: remarks.mlir:[[# @LINE + 11]]:1: remark: [passed] tile-specialize: variant @copy__v0 assumes {{.*}}stride of dim 0 is 1
// CHECK-NOT:  variant @copy__v0 assumes
// CHECK:      {{^ *}}[[# @LINE + 12]] |   %v = tile.load %x[%c0]
// CHECK:      remarks.mlir:[[# @LINE + 11]]:8: remark: [analysis] tile-assign-layouts: accesses of 1 element along dim 0 of the tile (in copy, copy__v1)
// CHECK-NEXT: remarks.mlir:[[# @LINE + 10]]:8: remark: [analysis] tile-assign-layouts: accesses of 4 elements along dim 0 of the tile (in copy__v0)
// CHECK-NEXT: {{^ *}}[[# @LINE + 10]] |   tile.store
// ALIKE:      {{^ *}}[[# @LINE + 5]] | func.func @copy(
// ALIKE-NEXT: remarks.mlir:[[# @LINE + 4]]:1: remark: [missed] tile-make-persistent: one program per tile: {{[^()]*$}}
// ALIKE-NOT:  tile-make-persistent
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
