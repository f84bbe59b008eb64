// SPDX-License-Identifier: Apache-2.0
// A loop over the tiles that cannot be made is an error, whoever asks for it.
// RUN: tile-opt %s --split-input-file --tile-make-persistent=mode=always --verify-diagnostics -o /dev/null

// expected-error @below {{tile.persistent = true asks for a loop over the tiles, which is impossible: programs may wait for one another: there is a tile.atomic_rmw that orders or spins}}
func.func @lock(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.grid = @grid, tile.persistent = true} {
  %c1 = arith.constant 1 : i32
  %was = tile.atomic_rmw add release gpu %p, %c1 : !tile.ptr<i32>
  return
}
func.func @grid(%p: !tile.ptr<i32>) -> index {
  %c100 = arith.constant 100 : index
  return %c100 : index
}

// -----

// expected-error @below {{the option persistent=always asks for a loop over the tiles, which is impossible: programs may wait for one another: there is a tile.atomic_rmw that orders or spins}}
func.func @spin(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : i32
  scf.while : () -> () {
    %was = tile.atomic_rmw add relaxed gpu %p, %c0 : !tile.ptr<i32>
    %waits = arith.cmpi eq, %was, %c0 : i32
    scf.condition(%waits)
  } do {
    scf.yield
  }
  return
}
func.func @grid(%p: !tile.ptr<i32>) -> index {
  %c100 = arith.constant 100 : index
  return %c100 : index
}

// -----

// expected-error @below {{which is impossible: the grid asks the device already, by a tile.device_info}}
func.func @already() attributes {tile.kernel, tile.grid = @grid} {
  return
}
func.func @grid() -> index {
  %n = tile.device_info sm_count
  return %n : index
}

// -----

// expected-error @below {{which is impossible: the kernel has control flow between blocks}}
func.func @blocks(%n: index) attributes {tile.kernel, tile.grid = @grid} {
  cf.br ^next
^next:
  return
}
func.func @grid(%n: index) -> index {
  return %n : index
}

// -----

func.func private @place() -> index {
  %p = tile.program_id x
  return %p : index
}
// expected-error @below {{which is impossible: there is a func.call, and what it calls may ask for its place in the grid}}
func.func @calls(%n: index) attributes {tile.kernel, tile.grid = @grid} {
  %p = func.call @place() : () -> index
  return
}
func.func @grid(%n: index) -> index {
  return %n : index
}

// -----

// expected-error @below {{tile.persistent asks for another grid, but the kernel has no tile.grid}}
func.func @no_grid() attributes {tile.kernel, tile.persistent = true} {
  return
}
