// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-make-persistent --remarks-filter=tile-make-persistent --remark-policy=all -o /dev/null 2>&1 | FileCheck %s
// RUN: not tile-opt %s --split-input-file --tile-make-persistent="mode=always target=sm_80" --remarks-filter=tile-make-persistent --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALWAYS
// RUN: not tile-opt %s --split-input-file --tile-make-persistent=mode=maybe -o /dev/null 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not tile-opt %s --split-input-file --tile-make-persistent=target=sm_70 -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// MODE: unknown mode 'maybe': expected auto, always or never
// UNKNOWN: unknown target 'sm_70': expected one of sm_80

// CHECK:  [Missed] {{.*}}MakePersistent{{.*}}Function=known | {{.*}}Reason="one program per tile: 300 tiles on 132 SMs are 3 waves, the last 27% full, where one program fits an SM, and 2 waves, the last 13% full, where two do; no iteration would overlap the next without a software pipeline, so a loop saves nothing but the start of programs"
// ALWAYS: [Passed] {{.*}}Function=known | {{.*}}a loop over the tiles, as many programs as fit on each SM at most: the option persistent=always asks for it; 300 tiles on 108 SMs are 3 waves, the last 77% full, where one program fits an SM, and 2 waves, the last 38% full, where two do
func.func @known(%p: !tile.ptr<i64>) attributes {tile.kernel, tile.grid = @grid} {
  return
}
func.func @grid(%p: !tile.ptr<i64>) -> (index, index) {
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  return %c3, %c100 : index, index
}

// -----

// CHECK:  [Passed] {{.*}}Function=counted | {{.*}}a loop over the tiles, 1 program on each SM at most: tile.persistent = true asks for it; 300 tiles on 132 places are 3 waves, the last 27% full
func.func @counted(%p: !tile.ptr<i64>) attributes {tile.kernel, tile.grid = @grid, tile.persistent = true, tile.occupancy = 1} {
  return
}
func.func @grid(%p: !tile.ptr<i64>) -> (index, index) {
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  return %c3, %c100 : index, index
}

// -----

// CHECK:  [Passed] {{.*}}Function=asked | {{.*}}a loop over the tiles, 4 programs on each SM at most: tile.persistent = true asks for it; the number of tiles is known at the launch only
// CHECK:  [Passed] {{.*}}Function=refused | {{.*}}Remark="one program per tile, as tile.persistent = false asks"
// ALWAYS: [Passed] {{.*}}Function=refused
func.func @asked(%n: index) attributes {tile.kernel, tile.grid = @grid, tile.persistent = true, tile.occupancy = 4} {
  return
}
func.func @refused(%n: index) attributes {tile.kernel, tile.grid = @grid, tile.persistent = false} {
  return
}
func.func @grid(%n: index) -> index {
  return %n : index
}

// -----

// A spin needs no order of its own.
// CHECK:  [Missed] {{.*}}Function=spin | {{.*}}there is a tile.atomic_rmw that orders or spins
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

// CHECK:  [Missed] {{.*}}Function=flag | {{.*}}there is a tile.load_ptr that orders or spins
func.func @flag(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.grid = @grid} {
  %was = tile.load_ptr %p sync(relaxed, gpu) : !tile.ptr<i32>
  return
}
func.func @grid(%p: !tile.ptr<i32>) -> index {
  %c100 = arith.constant 100 : index
  return %c100 : index
}

// -----

// CHECK:  [Missed] {{.*}}Function=already | {{.*}}Reason="one program per tile: the grid asks the device already, by a tile.device_info"
func.func @already() attributes {tile.kernel, tile.grid = @grid} {
  return
}
func.func @grid() -> index {
  %n = tile.device_info sm_count
  return %n : index
}

// -----

// CHECK:  [Missed] {{.*}}Function=blocks | {{.*}}the kernel has control flow between blocks
func.func @blocks(%n: index) attributes {tile.kernel, tile.grid = @grid} {
  cf.br ^next
^next:
  return
}
func.func @grid(%n: index) -> index {
  return %n : index
}

// -----

// What is called may ask for its place in the grid.
// CHECK:  [Missed] {{.*}}Function=calls | {{.*}}there is a func.call, and what it calls may ask for its place in the grid
func.func private @place() -> index {
  %p = tile.program_id x
  return %p : index
}
func.func @calls(%n: index) attributes {tile.kernel, tile.grid = @grid} {
  %p = func.call @place() : () -> index
  return
}
func.func @grid(%n: index) -> index {
  return %n : index
}
