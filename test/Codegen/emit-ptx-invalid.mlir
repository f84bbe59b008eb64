// What LLVM cannot compile is a diagnostic at the kernel, not the end of the process.
// RUN: split-file --leading-lines %s %t
// RUN: not tile-compile %t/select.mlir --emit=ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=SELECT
// RUN: not tile-compile %t/name.mlir --emit=ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tile-compile %t/shared.mlir --target=sm_89 --emit=ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not tile-compile %t/none.mlir --emit=ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE

//--- select.mlir
// SELECT: select.mlir:[[# @LINE + 2]]:1: error: LLVM cannot compile this for sm_90a: {{.+}}
// SELECT-NOT: 0x
func.func @needs_libm(%p: i64, %x: f32) attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  %e = llvm.intr.exp(%x) : (f32) -> f32
  tile_gpu.store_global %e, %p align 4 : f32
  return
}

//--- name.mlir
// NAME: name.mlir:[[# @LINE + 1]]:1: error: expected a name that PTX can spell (letters, digits, '_' and '$'), found 'a-b'
func.func @"a-b"() attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 0 : i64} {
  return
}

//--- shared.mlir
// SHARED: shared.mlir:[[# @LINE + 1]]:1: error: needs 200000 bytes of shared memory, but sm_89 has 101376; sm_90a is the first target that has as much
func.func @large() attributes {tile_gpu.kernel, tile_gpu.num_threads = 32 : i32, tile_gpu.shared_bytes = 200000 : i64} {
  return
}

//--- none.mlir
// NONE: error: expected at least one kernel: a func.func with tile.kernel
func.func @host(%n: index) -> index {
  return %n : index
}
