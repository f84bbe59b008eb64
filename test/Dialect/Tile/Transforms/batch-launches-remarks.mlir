// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-batch-launches=max-bytes=64 --remarks-filter=tile-batch-launches --remark-policy=all -o /dev/null 2>&1 | FileCheck %s

// CHECK: [Passed] {{.*}}BatchLaunches{{.*}}Function=host | {{.*}}5 launches of @set become 2 (3, 2): 16 bytes of parameters each and 8 for all, of 64
!p = !tile.ptr<i32>
func.func @set(%p: !p, %n: index, %x: i32) attributes {tile.kernel, tile.grid = @grid} {
  tile.store_ptr %x, %p : !p
  return
}
func.func @grid(%p: !p, %n: index, %x: i32) -> index {
  return %n : index
}
func.func @host(%p: !p, %q: !p, %n: index, %m: index, %x: i32) {
  tile.launch @set(%p, %n, %x) {tile.independent} : (!p, index, i32) -> ()
  tile.launch @set(%q, %n, %x) {tile.independent} : (!p, index, i32) -> ()
  tile.launch @set(%p, %m, %x) {tile.independent} : (!p, index, i32) -> ()
  tile.launch @set(%q, %m, %x) {tile.independent} : (!p, index, i32) -> ()
  tile.launch @set(%q, %n, %x) {tile.independent} : (!p, index, i32) -> ()
  return
}

// -----

// Promises by one of two are none, and two pointers may be one.
// CHECK: [Missed] {{.*}}Function=unknown | {{.*}}Reason="1 launch of @set stays: launches 0 and 1 may touch what parameter 0 of one of them writes, and are not both marked tile.independent"
!p = !tile.ptr<i32>
func.func @set(%p: !p, %n: index) attributes {tile.kernel, tile.grid = @grid} {
  %c1 = arith.constant 1 : i32
  tile.store_ptr %c1, %p : !p
  return
}
func.func @grid(%p: !p, %n: index) -> index {
  return %n : index
}
func.func @unknown(%p: !p, %q: !p, %n: index) {
  tile.launch @set(%p, %n) {tile.independent} : (!p, index) -> ()
  tile.launch @set(%q, %n) : (!p, index) -> ()
  return
}

// -----

// CHECK: [Missed] {{.*}}Function=axes | {{.*}}Reason="2 launches of @k stay: the grid has three axes, so there is none left to select the launch"
func.func @k(%n: index) attributes {tile.kernel, tile.grid = @grid} {
  return
}
func.func @grid(%n: index) -> (index, index, index) {
  return %n, %n, %n : index, index, index
}
func.func @axes(%n: index) {
  tile.launch @k(%n) : (index) -> ()
  tile.launch @k(%n) : (index) -> ()
  return
}

// -----

// CHECK: [Missed] {{.*}}Function=asks | {{.*}}Reason="2 launches of @k stay: the kernel cannot evaluate its grid, which has a tile.device_info"
func.func @k() attributes {tile.kernel, tile.grid = @grid} {
  return
}
func.func @grid() -> index {
  %n = tile.device_info sm_count
  return %n : index
}
func.func @asks() {
  tile.launch @k() : () -> ()
  tile.launch @k() : () -> ()
  return
}

// -----

// CHECK: [Missed] {{.*}}Function=no_grid | {{.*}}Reason="2 launches of @k stay: the kernel has no grid"
func.func @k() attributes {tile.kernel} {
  return
}
func.func @no_grid() {
  tile.launch @k() : () -> ()
  tile.launch @k() : () -> ()
  return
}

// -----

// CHECK: [Missed] {{.*}}Function=wide | {{.*}}Reason="2 launches of @k stay: two need 80 bytes of parameters, at most 64 are allowed"
!m = !tile.view<?x?xf32, strides = [?, ?]>
func.func @k(%m: !m) attributes {tile.kernel, tile.grid = @grid} {
  return
}
func.func @grid(%m: !m) -> index {
  %n = tile.view_size %m, 0 : !m
  return %n : index
}
func.func @wide(%a: !m, %b: !m) {
  tile.launch @k(%a) : (!m) -> ()
  tile.launch @k(%b) : (!m) -> ()
  return
}

// -----

// CHECK: [Missed] {{.*}}Function=locks | {{.*}}Reason="2 launches of @k stay: programs may wait for one another: there is a tile.atomic_rmw that orders or spins"
// CHECK: [Missed] {{.*}}Function=jumps | {{.*}}Reason="2 launches of @b stay: the kernel has control flow between blocks"
func.func @k(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.grid = @grid} {
  %c1 = arith.constant 1 : i32
  %was = tile.atomic_rmw add acq_rel gpu %p, %c1 : !tile.ptr<i32>
  return
}
func.func @b(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.grid = @grid} {
  cf.br ^next
^next:
  return
}
func.func @grid(%p: !tile.ptr<i32>) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
func.func @locks(%p: !tile.ptr<i32>) {
  tile.launch @k(%p) {tile.independent} : (!tile.ptr<i32>) -> ()
  tile.launch @k(%p) {tile.independent} : (!tile.ptr<i32>) -> ()
  return
}
func.func @jumps(%p: !tile.ptr<i32>) {
  tile.launch @b(%p) {tile.independent} : (!tile.ptr<i32>) -> ()
  tile.launch @b(%p) {tile.independent} : (!tile.ptr<i32>) -> ()
  return
}

// -----

// A merged launch would have to meet what is required for each of its parts.
// CHECK: [Missed] {{.*}}Function=host | {{.*}}Reason="2 launches of @set stay: the kernel requires something of each launch"
!p = !tile.ptr<i32>
func.func @set(%p: !p, %n: index) attributes {tile.kernel, tile.grid = @grid, tile.requires = @even} {
  %c1 = arith.constant 1 : i32
  tile.store_ptr %c1, %p : !p
  return
}
func.func @grid(%p: !p, %n: index) -> index {
  return %n : index
}
func.func @even(%p: !p, %n: index) -> i1 attributes {tile.messages = ["n must be even"]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %rest = arith.remui %n, %c2 : index
  %fits = arith.cmpi eq, %rest, %c0 : index
  return %fits : i1
}
func.func @host(%p: !p, %n: index) {
  tile.launch @set(%p, %n) {tile.independent} : (!p, index) -> ()
  tile.launch @set(%p, %n) {tile.independent} : (!p, index) -> ()
  return
}

// -----

// An address in an integer leads to any memory, also where it is another number in each launch.
// CHECK: [Missed] {{.*}}Function=host | {{.*}}Reason="1 launch of @bump stays: launches 0 and 1 may touch the same memory by addresses of no known parameter, and are not both marked tile.independent"
// CHECK: [Passed] {{.*}}Function=promised
func.func @bump(%address: i64, %x: !tile.ptr<i32>) attributes {tile.kernel, tile.grid = @grid} {
  %p = tile.ptr_cast %address : i64 to !tile.ptr<i32>
  %was = tile.load_ptr %p : !tile.ptr<i32>
  %more = tile.load_ptr %x : !tile.ptr<i32>
  %sum = arith.addi %was, %more : i32
  tile.store_ptr %sum, %p : !tile.ptr<i32>
  return
}
func.func @grid(%address: i64, %x: !tile.ptr<i32>) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
func.func @host(%a: i64, %x: !tile.ptr<i32> {tile.noalias}) {
  tile.launch @bump(%a, %x) : (i64, !tile.ptr<i32>) -> ()
  tile.launch @bump(%a, %x) : (i64, !tile.ptr<i32>) -> ()
  return
}
func.func @promised(%a: i64, %b: i64, %x: !tile.ptr<i32>) {
  tile.launch @bump(%a, %x) {tile.independent} : (i64, !tile.ptr<i32>) -> ()
  tile.launch @bump(%b, %x) {tile.independent} : (i64, !tile.ptr<i32>) -> ()
  return
}
