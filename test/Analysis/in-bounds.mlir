// SPDX-License-Identifier: Apache-2.0
// RUN: test-tile-opt %s --split-input-file --verify-diagnostics --test-print-in-bounds -o /dev/null

// A loop below a size that its step divides; a block that is wider than the step does not fit.
!v = !tile.view<?xf16, strides = [1]>
func.func @even_loop(%v: !v {tile.name = "v", tile.sizes_div_by = array<i64: 64>}, %w: !v {tile.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.view_size %v, 0 : !v
  scf.for %i = %c0 to %n step %c64 {
    // expected-remark @below {{64*trip + 63 < size(v, 0): proved}}
    %x = tile.load %v[%i] {test.show} : !v -> tensor<64xf16>
    // expected-remark @below {{64*trip + 127 < size(v, 0): open}}
    %y = tile.load %v[%i] {test.show} : !v -> tensor<128xf16>
    // Another view may be shorter.
    // expected-remark @below {{64*trip + 63 < size(w, 0): open}}
    %z = tile.load %w[%i] {test.show} : !v -> tensor<64xf16>
  }
  return
}

// -----

// The bound is an assumed multiple; what is assumed behind an access, or in a branch, does not help it.
!v = !tile.view<?xf16, strides = [1]>
func.func @assumed(%v: !v {tile.name = "v"}, %w: !v {tile.name = "w"}, %c: i1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.view_size %v, 0 : !v
  %m = tile.view_size %w, 0 : !v
  scf.if %c {
    %branch = tile.assume %m div_by 64 : index
  }
  scf.for %i = %c0 to %m step %c64 {
    // expected-remark @below {{open}}
    %x = tile.load %w[%i] {test.show} : !v -> tensor<64xf16>
  }
  %even = tile.assume %n div_by 64 : index
  scf.for %i = %c0 to %even step %c64 {
    // expected-remark @below {{64*trip + 63 < size(v, 0): proved}}
    %x = tile.load %v[%i] {test.show} : !v -> tensor<64xf16>
  }
  %late = tile.assume %m div_by 64 : index
  return
}

// -----

// The bound is rounded down, by a quotient or by a remainder; the rest of the loop begins where it ends.
!v = !tile.view<?xf16, strides = [1]>
func.func @rounded_bound(%v: !v {tile.name = "v"}) {
  %c0 = arith.constant 0 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %n = tile.view_size %v, 0 : !v
  %q = arith.divsi %n, %c48 : index
  %main = arith.muli %q, %c48 : index
  scf.for %i = %c0 to %main step %c48 {
    // expected-remark @below {{proved}}
    %x = tile.load %v[%i] {test.show} : !v -> tensor<48xf16>
  }
  %r = arith.remsi %n, %c64 : index
  %whole = arith.subi %n, %r : index
  scf.for %i = %c0 to %whole step %c64 {
    // expected-remark @below {{proved}}
    %x = tile.load %v[%i] {test.show} : !v -> tensor<64xf16>
  }
  // expected-remark @below {{open}}
  %x = tile.load %v[%whole] {test.show} : !v -> tensor<64xf16>
  return
}

// -----

// Sums and products of variables of nested loops, with bounds of one in the other.
!s = !tile.view<1024xf16, strides = [1]>
func.func @nested(%v: !s, %u: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c64 {
    scf.for %j = %c0 to %c64 step %c16 {
      %o = arith.addi %i, %j : index
      // expected-remark @below {{16*trip + 64*trip + 15 < 1024: proved}}
      %x = tile.load %v[%o] {test.show} : !s -> tensor<16xf16>
      // expected-remark @below {{: open}}
      %y = tile.load %v[%o] {test.show} : !s -> tensor<32xf16>
    }
    %end = arith.addi %i, %c64 : index
    scf.for %j = %i to %end step %c16 {
      // expected-remark @below {{: proved}}
      %x = tile.load %v[%j] {test.show} : !s -> tensor<16xf16>
    }
    // Never run: what is said of it does not matter, as long as nothing breaks.
    scf.for %j = %end to %i step %c16 {
      // expected-remark @below {{1024: }}
      %x = tile.load %v[%j] {test.show} : !s -> tensor<16xf16>
    }
  }
  // An offset that may wrap around says nothing, even where both operands are small.
  scf.for %i = %c0 to %u step %c1 {
    %o = arith.muli %i, %c64 : index
    // expected-remark @below {{<arith.muli> + 15 < 1024: open}}
    %x = tile.load %v[%o] {test.show} : !s -> tensor<16xf16>
  }
  return
}

// -----

// Programs below a number that a size gives: rounded up, the last one overhangs unless the size is a multiple; exact, none
// does. Another view's size is another number.
!v = !tile.view<?x?xf16, strides = [?, 1]>
func.func @grid(%a: !v {tile.name = "a"}, %b: !v {tile.name = "b", tile.sizes_div_by = array<i64: 128, 1>})
    attributes {tile.kernel, tile.grid = @grid_grid} {
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %x = tile.program_id x
  %y = tile.program_id y
  %z = tile.program_id z
  %i = arith.muli %x, %c128 : index
  %j = arith.muli %y, %c32 : index
  // expected-remark @below {{128*program_id x + 127 < size(b, 0): proved; 32*program_id y + 31 < size(b, 1): proved}}
  %0 = tile.load %b[%i, %j] {test.show} : !v -> tensor<128x32xf16>
  // expected-remark @below {{128*program_id x + 127 < size(a, 0): open; 32*program_id y + 31 < size(a, 1): open}}
  %1 = tile.load %a[%i, %j] {test.show} : !v -> tensor<128x32xf16>
  // An axis that the grid does not name has one program.
  // expected-remark @below {{program_id z < size(a, 0): open; 32*program_id y + 31 < size(a, 1): open}}
  %2 = tile.load %a[%z, %j] {test.show} : !v -> tensor<1x32xf16>
  return
}
func.func @grid_grid(%a: !v, %b: !v) -> (index, index) {
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %m = tile.view_size %b, 0 : !v
  %n = tile.view_size %b, 1 : !v
  %x = arith.ceildivsi %m, %c128 : index
  %y = arith.divsi %n, %c32 : index
  return %x, %y : index, index
}

// -----

// One axis for two numbers of tiles, taken apart by division, with i32 arithmetic and casts on the way.
!v = !tile.view<?x?xf16, strides = [?, 1]>
func.func @flat(%v: !v {tile.name = "v", tile.sizes_div_by = array<i64: 16, 128>})
    attributes {tile.kernel, tile.grid = @flat_grid} {
  %c16 = arith.constant 16 : i32
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %n = tile.view_size %v, 1 : !v
  %tiles = arith.ceildivsi %n, %c128 : index
  %id = tile.program_id x
  %row = arith.divsi %id, %tiles : index
  %column = arith.remsi %id, %tiles : index
  %row32 = arith.index_cast %row : index to i32
  %i32 = arith.muli %row32, %c16 overflow<nsw> : i32
  %i = arith.index_cast %i32 : i32 to index
  %j = arith.muli %column, %c128 overflow<nsw> : index
  // expected-remark-re @below {{proved; {{.*}}proved}}
  %x = tile.load %v[%i, %j] {test.show} : !v -> tensor<16x128xf16>
  return
}
func.func @flat_grid(%v: !v) -> index {
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %m = tile.view_size %v, 0 : !v
  %n = tile.view_size %v, 1 : !v
  %up = arith.addi %m, %c15 : index
  %tilesM = arith.divsi %up, %c16 : index
  %tilesN = arith.ceildivsi %n, %c128 : index
  %all = arith.muli %tilesM, %tilesN : index
  return %all : index
}

// -----

// Groups of rows of tiles by hand, the last of them lower, behind a batch on the same axis. That there are columns is
// known, since the program has divided by their number.
!v = !tile.view<?x?x?xf16, strides = [?, ?, 1]>
func.func @grouped(%v: !v {tile.name = "v", tile.sizes_div_by = array<i64: 1, 16, 128>})
    attributes {tile.kernel, tile.grid = @grouped_grid} {
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %m = tile.view_size %v, 1 : !v
  %n = tile.view_size %v, 2 : !v
  %rows = arith.ceildivsi %m, %c16 : index
  %columns = arith.ceildivsi %n, %c128 : index
  %both = arith.muli %rows, %columns overflow<nsw> : index
  %id = tile.program_id x
  %matrix = arith.divsi %id, %both : index
  %rest = arith.remsi %id, %both : index
  %in_group = arith.muli %columns, %c8 : index
  %group = arith.divsi %rest, %in_group : index
  %first = arith.muli %group, %c8 : index
  %left = arith.subi %rows, %first : index
  %height = arith.minsi %left, %c8 : index
  %in = arith.remsi %rest, %in_group : index
  %row_in = arith.remsi %in, %height : index
  %row = arith.addi %first, %row_in : index
  %column = arith.divsi %in, %height : index
  %i = arith.muli %row, %c16 : index
  %j = arith.muli %column, %c128 : index
  // expected-remark-re @below {{size(v, 0): proved; {{.*}} + 15 < size(v, 1): proved; {{.*}} + 127 < size(v, 2): proved}}
  %x = tile.load %v[%matrix, %i, %j] {test.show} : !v -> tensor<1x16x128xf16>
  // One column too many.
  // expected-remark-re @below {{proved; {{.*}}proved; {{.*}} + 128 < size(v, 2): open}}
  %y = tile.load %v[%matrix, %i, %j] {test.show} : !v -> tensor<1x16x129xf16>
  return
}
func.func @grouped_grid(%v: !v) -> index {
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %b = tile.view_size %v, 0 : !v
  %m = tile.view_size %v, 1 : !v
  %n = tile.view_size %v, 2 : !v
  %rows = arith.ceildivsi %m, %c16 : index
  %columns = arith.ceildivsi %n, %c128 : index
  %both = arith.muli %rows, %columns : index
  %all = arith.muli %both, %b : index
  return %all : index
}

// -----

// How Triton's kernels do it: in 32 bits. What may wrap around there is left alone: `8 * columns` cannot, for a size of
// 31 bits, but sizes may be larger.
!v = !tile.view<?x?xf16, strides = [?, 1]>
func.func @grouped32(%p: !tile.ptr<f16>, %m: i32 {tile.name = "m", tile.min = 0 : i64, tile.max = 2147483520 : i64, tile.div_by = 16 : i64},
                     %n: i32 {tile.name = "n", tile.min = 0 : i64, tile.div_by = 128 : i64}, %s: index)
    attributes {tile.kernel, tile.grid = @grouped32_grid} {
  %c8 = arith.constant 8 : i32
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  %c128 = arith.constant 128 : i32
  %up = arith.addi %m, %c15 : i32
  %rows = arith.divsi %up, %c16 : i32
  %columns = arith.ceildivsi %n, %c128 : i32
  %program = tile.program_id x
  %id = arith.index_cast %program : index to i32
  %in_group = arith.muli %columns, %c8 : i32
  %group = arith.divsi %id, %in_group : i32
  %first = arith.muli %group, %c8 : i32
  %left = arith.subi %rows, %first : i32
  %height = arith.minsi %left, %c8 : i32
  %in = arith.remsi %id, %in_group : i32
  %row_in = arith.remsi %in, %height : i32
  %row = arith.addi %first, %row_in : i32
  %column = arith.divsi %in, %height : i32
  %i32 = arith.muli %row, %c16 : i32
  %j32 = arith.muli %column, %c128 : i32
  %i = arith.index_cast %i32 : i32 to index
  %j = arith.index_cast %j32 : i32 to index
  %size_m = arith.index_cast %m : i32 to index
  %size_n = arith.index_cast %n : i32 to index
  %v = tile.make_view %p, sizes [%size_m, %size_n] strides [%s] : !v
  // expected-remark-re @below {{ + 15 < m: proved; {{.*}} + 127 < n: proved}}
  %x = tile.load %v[%i, %j] {test.show} : !v -> tensor<16x128xf16>
  return
}
func.func @grouped32_grid(%p: !tile.ptr<f16>, %m: i32, %n: i32, %s: index) -> index {
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %m64 = arith.index_cast %m : i32 to index
  %n64 = arith.index_cast %n : i32 to index
  %rows = arith.ceildivsi %m64, %c16 : index
  %columns = arith.ceildivsi %n64, %c128 : index
  %all = arith.muli %rows, %columns : index
  return %all : index
}

// -----

// An unsigned loop below a number that may be negative goes up to very large numbers.
!s8 = !tile.view<8xf16, strides = [1]>
func.func @unsigned_bound(%s: !s8, %n: index {tile.min = -2 : i64, tile.max = 8 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for unsigned %i = %c0 to %n step %c1 {
    // expected-remark @below {{: open}}
    %x = tile.load %s[%i] {test.show} : !s8 -> tensor<1xf16>
  }
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @below {{trip < 8: proved}}
    %x = tile.load %s[%i] {test.show} : !s8 -> tensor<1xf16>
  }
  return
}

// -----

// What a branch assumes does not hold behind it, also where its result is met there.
!s8 = !tile.view<8xf16, strides = [1]>
func.func @assumed_in_branch(%s: !s8, %n: index {tile.name = "n"}, %c: i1) {
  %c2 = arith.constant 2 : index
  %r = scf.if %c -> (index) {
    %a = tile.assume %n min 0 max 7 : index
    // expected-remark @below {{n < 8: proved}}
    %x = tile.load %s[%a] {test.show} : !s8 -> tensor<1xf16>
    scf.yield %a : index
  } else {
    scf.yield %c2 : index
  }
  // expected-remark @below {{< 8: open}}
  %x = tile.load %s[%r] {test.show} : !s8 -> tensor<1xf16>
  // expected-remark @below {{n < 8: open}}
  %y = tile.load %s[%n] {test.show} : !s8 -> tensor<1xf16>
  return
}

// -----

// Offsets that loops carry: advanced by numbers that do not change, up or down, from any bound and with any step, also
// behind the loop. A sum that may wrap around in its width is not followed, nor one of a changing number.
!s = !tile.view<1024xf16, strides = [1]>
!v = !tile.view<?xf16, strides = [1]>
func.func @carried(%v: !v {tile.name = "v", tile.sizes_div_by = array<i64: 64>}, %s: !s, %u: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %c64 = arith.constant 64 : index
  %c960 = arith.constant 960 : index
  %c1024 = arith.constant 1024 : index
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %n = tile.view_size %v, 0 : !v
  %trips = arith.divsi %n, %c64 : index
  %end = scf.for %t = %c0 to %trips step %c1 iter_args(%off = %c0) -> (index) {
    // expected-remark @below {{64*trip + 63 < size(v, 0): proved}}
    %x = tile.load %v[%off] {test.show} : !v -> tensor<64xf16>
    %next = arith.addi %off, %c64 : index
    scf.yield %next : index
  }
  %before = arith.subi %end, %c64 : index
  // Without an iteration it is below 0.
  // expected-remark @below {{: open}}
  %a = tile.load %v[%before] {test.show} : !v -> tensor<64xf16>
  %down = scf.for %t = %c8 to %c24 step %c1 iter_args(%off = %c960) -> (index) {
    // expected-remark @below {{-64*trip + 1023 < 1024: proved}}
    %x = tile.load %s[%off] {test.show} : !s -> tensor<64xf16>
    %next = arith.subi %off, %c64 : index
    scf.yield %next : index
  }
  // 16 iterations later.
  %first = arith.addi %down, %c64 : index
  // expected-remark @below {{-64*max(0, 16) + 1087 < 1024: proved}}
  %b = tile.load %s[%first] {test.show} : !s -> tensor<64xf16>
  %narrow:2 = scf.for %t = %c0 to %c1024 step %c64 iter_args(%off = %c0_i32, %wraps = %u) -> (i32, i32) {
    %at = arith.index_cast %off : i32 to index
    // expected-remark @below {{64*trip + 63 < 1024: proved}}
    %x = tile.load %s[%at] {test.show} : !s -> tensor<64xf16>
    %unknown = arith.index_cast %wraps : i32 to index
    // expected-remark @below {{open}}
    %y = tile.load %s[%unknown] {test.show} : !s -> tensor<64xf16>
    %next = arith.addi %off, %c64_i32 : i32
    %more = arith.addi %wraps, %c64_i32 : i32
    scf.yield %next, %more : i32, i32
  }
  %grows = scf.for %t = %c0 to %c8 step %c1 iter_args(%off = %c0) -> (index) {
    // expected-remark @below {{open}}
    %x = tile.load %s[%off] {test.show} : !s -> tensor<64xf16>
    %next = arith.addi %off, %t : index
    scf.yield %next : index
  }
  // What a while loop carries is not followed.
  %while = scf.while (%off = %c0) : (index) -> index {
    %goes = arith.cmpi slt, %off, %c960 : index
    scf.condition(%goes) %off : index
  } do {
  ^bb0(%off: index):
    // expected-remark @below {{open}}
    %x = tile.load %s[%off] {test.show} : !s -> tensor<64xf16>
    %next = arith.addi %off, %c64 : index
    scf.yield %next : index
  }
  return
}

// -----

// A loop that steps by the number of programs, a choice, a minimum as bound, a part of a view.
!v = !tile.view<?xf16, strides = [1]>
func.func @others(%v: !v {tile.name = "v", tile.sizes_div_by = array<i64: 64>}, %p: !tile.ptr<f16>, %c: i1)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %n = tile.view_size %v, 0 : !v
  %id = tile.program_id x
  %programs = tile.num_programs x
  scf.for %t = %id to %n step %programs {
    // expected-remark @below {{: proved}}
    %x = tile.load %v[%t] {test.show} : !v -> tensor<1xf16>
  }
  %next = arith.addi %id, %c1 : index
  %limit = arith.muli %next, %c128 : index
  %end = arith.minsi %n, %limit : index
  scf.for %i = %c0 to %end step %c64 {
    // expected-remark @below {{: proved}}
    %x = tile.load %v[%i] {test.show} : !v -> tensor<64xf16>
  }
  %either = arith.select %c, %n, %limit : index
  scf.for %i = %c0 to %either step %c64 {
    // expected-remark @below {{: open}}
    %x = tile.load %v[%i] {test.show} : !v -> tensor<64xf16>
  }
  %part = tile.make_view %p, sizes [%n] strides [] : !v
  scf.for %i = %c0 to %n step %c64 {
    // expected-remark @below {{: proved}}
    %x = tile.load %part[%i] {test.show} : !v -> tensor<64xf16>
  }
  scf.for unsigned %i = %c0 to %n step %c64 {
    // expected-remark @below {{: proved}}
    %x = tile.load %v[%i] {test.show} : !v -> tensor<64xf16>
  }
  return
}

// -----

// Atomic updates and stores are looked at like loads.
!s = !tile.view<64xf32, strides = [1]>
func.func @stores(%v: !s, %t: tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{63 < 64: proved}}
  tile.store %t, %v[%c0] {test.show} : tensor<64xf32>, !s
  // expected-remark @below {{64 < 64: open}}
  tile.reduce_into fadd gpu %t, %v[%c1] {test.show} : tensor<64xf32>, !s
  return
}
