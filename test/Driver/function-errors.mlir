// An error about a function is one line with its place: the body is in the file already.
// RUN: not tile-compile %s --emit=simt -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=tile.program_id
// RUN: not tile-opt %s 2>&1 | FileCheck %s --implicit-check-not=tile.program_id

// CHECK:      function-errors.mlir:[[# @LINE + 3]]:1: error: expected parameter names to differ, found 'n' twice
// CHECK-NEXT: func.func @k(
// CHECK-NEXT: ^
func.func @k(%n: i32 {tile.name = "n"}, %m: i32 {tile.name = "n"}) attributes {tile.kernel} {
  %p = tile.program_id x
  return
}
