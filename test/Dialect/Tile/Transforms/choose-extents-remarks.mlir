// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --split-input-file --tile-choose-extents --remarks-filter=tile-choose-extents --remark-policy=all -o /dev/null 2>&1 | FileCheck %s

// The classes of a product, by all their names.
// CHECK: [Analysis] {{.*}}Function=product | {{.*}}Remark="M = a.0 = c.0 has the extent 32, which any can replace"
// CHECK: [Analysis] {{.*}}Remark="N = 1.1 = c.1 has the extent 16, which any can replace"
// CHECK: [Analysis] {{.*}}Remark="K = a.1 = 1.0 has the extent 8, which any can replace"
!mat = !tile.view<?x?xf32, strides = [?, ?]>
func.func @product(%a: !mat {tile.name = "a"}, %b: !mat, %c: !mat {tile.name = "c"}) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %k = tile.view_size %a, 1 : !mat
  %pm = tile.program_id x
  %pn = tile.program_id y
  %i = arith.muli %pm, %c32 : index
  %j = arith.muli %pn, %c16 : index
  %sum = scf.for %kk = %c0 to %k step %c8 iter_args(%acc = %zero) -> (tensor<32x16xf32>) {
    %x = tile.load %a[%i, %kk] pad(zero) : !mat -> tensor<32x8xf32>
    %y = tile.load %b[%kk, %j] pad(zero) : !mat -> tensor<8x16xf32>
    %d = tile.dot %x, %y, %acc : tensor<32x8xf32>, tensor<8x16xf32> -> tensor<32x16xf32>
    scf.yield %d : tensor<32x16xf32>
  }
  tile.store %sum, %c[%i, %j] : tensor<32x16xf32>, !mat
  return
}
func.func @grid(%a: !mat, %b: !mat, %c: !mat) -> (index, index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %m = tile.view_size %c, 0 : !mat
  %n = tile.view_size %c, 1 : !mat
  %tm = arith.ceildivsi %m, %c32 : index
  %tn = arith.ceildivsi %n, %c16 : index
  return %tm, %tn : index, index
}

// -----

// Two walks of one dimension that have nothing to do with each other.
// CHECK: [Analysis] {{.*}}Function=twice | {{.*}}Remark="x.0#0 = x.0 has the extent 32, which any can replace"
// CHECK: [Analysis] {{.*}}Remark="x.0#1 = x.0 has the extent 32, which any can replace"
!v = !tile.view<?xf32, strides = [1]>
func.func @twice(%x: !v {tile.name = "x"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  scf.for %i = %c0 to %n step %c32 {
    %v = tile.load %x[%i] : !v -> tensor<32xf32>
    tile.store %v, %x[%i] : tensor<32xf32>, !v
  }
  scf.for %i = %c0 to %n step %c32 {
    %v = tile.load %x[%i] : !v -> tensor<32xf32>
    tile.store %v, %x[%i] : tensor<32xf32>, !v
  }
  return
}

// -----

// Padding that a sum notices: a divisor of the extent touches no more of it.
// CHECK: [Analysis] {{.*}}Function=sum | {{.*}}Remark="x.0 has the extent 32, which divisors can replace: tile.reduce combines positions behind the end, which are not known to be neutral"
// What is behind the end of the loop's walk may be inside the view.
// CHECK: [Missed] {{.*}}Function=part | {{.*}}Reason="x.0 has the extent 32, which stays: tile.store may write behind the end, and only the device knows whether whole blocks of 32 are walked"
// Each program walks whole blocks where a launch can check the rest.
// CHECK: [Analysis] {{.*}}Function=causal | {{.*}}Remark="x.0 has the extent 32, which divisors can replace: tile.store may write behind the end"
!v = !tile.view<?xf32, strides = [1]>
func.func @sum(%x: !v {tile.name = "x"}, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  %zero = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (f32) {
    %v = tile.load %x[%i] pad(neg_inf) : !v -> tensor<32xf32>
    %t = tile.reduce %v dim 0 : tensor<32xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %q = arith.addf %a, %b : f32
      tile.yield %q : f32
    }
    %next = arith.addf %acc, %t : f32
    scf.yield %next : f32
  }
  tile.store_ptr %s, %p : !tile.ptr<f32>
  return
}
func.func @part(%x: !v {tile.name = "x"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %pid = tile.program_id x
  %one = arith.constant dense<1.0> : tensor<32xf32>
  scf.for %i = %c0 to %pid step %c32 {
    tile.store %one, %x[%i] : tensor<32xf32>, !v
  }
  return
}
func.func @causal(%x: !v {tile.name = "x"}, %shift: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pid = tile.program_id x
  %first = arith.muli %pid, %c64 : index
  %end = arith.addi %first, %shift : index
  %one = arith.constant dense<1.0> : tensor<32xf32>
  scf.for %i = %c0 to %end step %c32 {
    tile.store %one, %x[%i] : tensor<32xf32>, !v
  }
  return
}

// -----

// What keeps an extent. Each function has one reason; @fixed is a row that fills its tile.
// CHECK: [Missed] {{.*}}Function=fixed | {{.*}}Reason="x.0 has the extent 32, which stays: tile.load reads or writes 32 elements at the fixed offset 0 of view dim 0"
// CHECK: [Missed] {{.*}}Function=scanned | {{.*}}which stays: tile.scan scans along this dimension"
// CHECK: [Missed] {{.*}}Function=merged | {{.*}}which stays: tile.reshape splits or merges this dimension"
// CHECK: [Missed] {{.*}}Function=joined | {{.*}}which stays: tile.concat joins tiles along this dimension"
// CHECK: [Missed] {{.*}}Function=cut | {{.*}}which stays: tile.extract cuts this dimension into blocks"
// CHECK: [Missed] {{.*}}Function=listed | {{.*}}which stays: arith.constant lists its elements one by one"
// CHECK: [Missed] {{.*}}Function=promised | {{.*}}which stays: tile.assume has no known meaning for another extent"
// CHECK: [Missed] {{.*}}Function=position | {{.*}}which stays: arith.sitofp uses the position in a block without its first index"
// CHECK: [Missed] {{.*}}Function=first | {{.*}}which stays: arith.cmpi uses the first index of a block without the position"
// CHECK: [Missed] {{.*}}Function=compared | {{.*}}which stays: arith.cmpi uses the first index of a block without the position"
// CHECK: [Missed] {{.*}}Function=numbered | {{.*}}which stays: arith.sitofp uses the number of a block"
// CHECK: [Missed] {{.*}}Function=other_grid | {{.*}}which stays: tile.load has an offset along view dim 0 that is not known to be a block number times 32"
// CHECK: [Missed] {{.*}}Function=count | {{.*}}which stays: tile.num_programs asks how many programs there are"
// CHECK: [Missed] {{.*}}Function=shifted | {{.*}}which stays: tile.load may read what another block has written"
// CHECK: [Missed] {{.*}}Function=beside | {{.*}}which stays: tile.store writes beside the block that is walked"
// CHECK: [Missed] {{.*}}Function=capped | {{.*}}which stays: arith.cmpi uses the position in a block without its first index"
// CHECK: [Missed] {{.*}}Function=unsigned | {{.*}}which stays: arith.cmpi uses the position in a block without its first index"
// CHECK: [Missed] {{.*}}Function=narrow | {{.*}}which stays: tile.iota numbers positions in fewer than 32 bits"
// CHECK: [Analysis] {{.*}}Function=divides | {{.*}}which divisors can replace: arith.divsi may divide by zero behind the end"
// CHECK: [Missed] {{.*}}Function=ordered | {{.*}}which stays: tile.load orders accesses of several programs"
!v = !tile.view<?xf32, strides = [1]>
func.func @fixed(%x: !v {tile.name = "x"}) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !v -> tensor<32xf32>
  return
}
func.func @scanned(%x: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c32 : index
  %v = tile.load %x[%i] : !v -> tensor<32xf32>
  %s = tile.scan %v dim 0 : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.addf %a, %b : f32
    tile.yield %q : f32
  }
  return
}
func.func @merged(%x: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c32 : index
  %v = tile.load %x[%i] : !v -> tensor<32xf32>
  %s = tile.reshape %v : tensor<32xf32> -> tensor<1x32xf32>
  %t = tile.reshape %s : tensor<1x32xf32> -> tensor<4x8xf32>
  return
}
func.func @joined(%x: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c32 : index
  %v = tile.load %x[%i] : !v -> tensor<32xf32>
  %s = tile.concat %v, %v dim 0 : tensor<32xf32>, tensor<32xf32> -> tensor<64xf32>
  return
}
func.func @cut(%x: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c32 : index
  %v = tile.load %x[%i] : !v -> tensor<32xf32>
  %s = tile.extract %v[%c0] : tensor<32xf32> -> tensor<8xf32>
  return
}
func.func @listed(%x: !v) attributes {tile.kernel, tile.grid = @grid2} {
  %c2 = arith.constant 2 : index
  %list = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %p = tile.program_id x
  %i = arith.muli %p, %c2 : index
  tile.store %list, %x[%i] : tensor<2xf32>, !v
  return
}
func.func @promised(%x: !tile.view<?xi32, strides = [1]>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !tile.view<?xi32, strides = [1]>
  scf.for %i = %c0 to %n step %c32 {
    %v = tile.load %x[%i] : !tile.view<?xi32, strides = [1]> -> tensor<32xi32>
    %s = tile.assume %v div_by 4 every [16] : tensor<32xi32>
  }
  return
}
func.func @position(%x: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c32 : index
  %iota = tile.iota : tensor<32xi32>
  %f = arith.sitofp %iota : tensor<32xi32> to tensor<32xf32>
  tile.store %f, %x[%i] : tensor<32xf32>, !v
  return
}
func.func @first(%x: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c32 : index
  %v = tile.load %x[%i] : !v -> tensor<32xf32>
  %is_first = arith.cmpi eq, %i, %c0 : index
  scf.if %is_first {
    tile.store %v, %x[%i] : tensor<32xf32>, !v
  }
  return
}
func.func @compared(%x: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %n = tile.view_size %x, 0 : !v
  scf.for %i = %c0 to %n step %c32 {
    %v = tile.load %x[%i] : !v -> tensor<32xf32>
    %is_low = arith.cmpi slt, %i, %c96 : index
    scf.if %is_low {
      tile.store %v, %x[%i] : tensor<32xf32>, !v
    }
  }
  return
}
func.func @numbered(%x: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c32 : index
  %number = arith.index_cast %p : index to i32
  %f = arith.sitofp %number : i32 to f32
  %all = tile.splat %f : f32 -> tensor<32xf32>
  tile.store %all, %x[%i] : tensor<32xf32>, !v
  return
}
func.func @other_grid(%x: !v) attributes {tile.kernel, tile.grid = @grid2} {
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c32 : index
  %v = tile.load %x[%i] : !v -> tensor<32xf32>
  return
}
func.func @count(%x: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c32 : index
  %v = tile.load %x[%i] : !v -> tensor<32xf32>
  %n = tile.num_programs x
  return
}
func.func @shifted(%x: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  scf.for %i = %c0 to %n step %c32 {
    %before = arith.subi %i, %c1 : index
    %v = tile.load %x[%before] : !v -> tensor<32xf32>
    tile.store %v, %x[%i] : tensor<32xf32>, !v
  }
  return
}
func.func @beside(%x: !v, %y: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  scf.for %i = %c0 to %n step %c32 {
    %before = arith.subi %i, %c1 : index
    %v = tile.load %x[%i] : !v -> tensor<32xf32>
    tile.store %v, %y[%before] : tensor<32xf32>, !v
  }
  return
}
// The first lanes of each block, however many a block has.
func.func @capped(%x: !v, %m: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  %least = arith.minsi %m, %c32 : index
  %lanes = arith.index_cast %least : index to i32
  %iota = tile.iota : tensor<32xi32>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %ends = tile.splat %lanes : i32 -> tensor<32xi32>
  %is_low = arith.cmpi slt, %iota, %ends : tensor<32xi32>
  scf.for %i = %c0 to %n step %c32 {
    %v = tile.load %x[%i] : !v -> tensor<32xf32>
    %w = arith.select %is_low, %v, %zero : tensor<32xi1>, tensor<32xf32>
    tile.store %w, %x[%i] : tensor<32xf32>, !v
  }
  return
}
// Unsigned, what is left of another length wraps around behind it.
func.func @unsigned(%x: !v, %m: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  %iota = tile.iota : tensor<32xi32>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  scf.for %i = %c0 to %n step %c32 {
    %i32 = arith.index_cast %i : index to i32
    %left = arith.subi %m, %i32 : i32
    %ends = tile.splat %left : i32 -> tensor<32xi32>
    %is_low = arith.cmpi ult, %iota, %ends : tensor<32xi32>
    %v = tile.load %x[%i] : !v -> tensor<32xf32>
    %w = arith.select %is_low, %v, %zero : tensor<32xi1>, tensor<32xf32>
    tile.store %w, %x[%i] : tensor<32xf32>, !v
  }
  return
}
func.func @narrow(%x: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  %iota = tile.iota : tensor<32xi8>
  scf.for %i = %c0 to %n step %c32 {
    %v = tile.load %x[%i] : !v -> tensor<32xf32>
    %f = arith.sitofp %iota : tensor<32xi8> to tensor<32xf32>
    %w = arith.addf %v, %f : tensor<32xf32>
    tile.store %w, %x[%i] : tensor<32xf32>, !v
  }
  return
}
func.func @divides(%x: !tile.view<?xi32, strides = [1]>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !tile.view<?xi32, strides = [1]>
  %one = arith.constant dense<1> : tensor<32xi32>
  scf.for %i = %c0 to %n step %c32 {
    %v = tile.load %x[%i] pad(zero) : !tile.view<?xi32, strides = [1]> -> tensor<32xi32>
    %w = arith.divsi %one, %v : tensor<32xi32>
    tile.store %w, %x[%i] : tensor<32xi32>, !tile.view<?xi32, strides = [1]>
  }
  return
}
func.func @ordered(%x: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c32 : index
  %v = tile.load %x[%i] sync(acquire, gpu) : !v -> tensor<32xf32>
  return
}
func.func @grid(%x: !v) -> index {
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  %t = arith.ceildivsi %n, %c32 : index
  return %t : index
}
func.func @grid2(%x: !v) -> index {
  %c2 = arith.constant 2 : index
  %n = tile.view_size %x, 0 : !v
  %t = arith.ceildivsi %n, %c2 : index
  return %t : index
}

// -----

// What depends on how indices are grouped: a step's own sum, what decays from block to block, lanes that are carried, and
// what is done once for each block.
// CHECK: [Missed] {{.*}}Function=own_sum | {{.*}}which stays: tile.reduce combines one block by itself"
// CHECK: [Missed] {{.*}}Function=normalised | {{.*}}which stays: tile.store depends on one block by itself"
// CHECK: [Missed] {{.*}}Function=decays | {{.*}}which stays: arith.addf is carried from block to block and is not known to be the same for other blocks"
// CHECK: [Missed] {{.*}}Function=counts | {{.*}}which stays: arith.addf is carried from block to block and is not known to be the same for other blocks"
// CHECK: [Missed] {{.*}}Function=lanes | {{.*}}which stays: arith.addf is carried from block to block, element by element"
// CHECK: [Missed] {{.*}}Function=once | {{.*}}which stays: tile.store_ptr is done once for each block"
// CHECK: [Missed] {{.*}}Function=decides | {{.*}}which stays: scf.if depends on one block by itself"
!v = !tile.view<?xf32, strides = [1]>
func.func @own_sum(%x: !v, %y: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c32 : index
  %v = tile.load %x[%i] pad(zero) : !v -> tensor<32xf32>
  %t = tile.reduce %v dim 0 : tensor<32xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %q = arith.addf %a, %b : f32
    tile.yield %q : f32
  }
  %all = tile.splat %t : f32 -> tensor<32xf32>
  %r = arith.divf %v, %all : tensor<32xf32>
  tile.store %r, %y[%i] : tensor<32xf32>, !v
  return
}
func.func @normalised(%x: !v, %y: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  scf.for %i = %c0 to %n step %c32 {
    %v = tile.load %x[%i] pad(zero) : !v -> tensor<32xf32>
    %t = tile.reduce %v dim 0 : tensor<32xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %q = arith.addf %a, %b : f32
      tile.yield %q : f32
    }
    %all = tile.splat %t : f32 -> tensor<32xf32>
    %r = arith.divf %v, %all : tensor<32xf32>
    tile.store %r, %y[%i] : tensor<32xf32>, !v
  }
  return
}
func.func @decays(%x: !v, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %n = tile.view_size %x, 0 : !v
  %s = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (f32) {
    %v = tile.load %x[%i] pad(zero) : !v -> tensor<32xf32>
    %t = tile.reduce %v dim 0 : tensor<32xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %q = arith.addf %a, %b : f32
      tile.yield %q : f32
    }
    %kept = arith.mulf %acc, %half : f32
    %next = arith.addf %kept, %t : f32
    scf.yield %next : f32
  }
  return
}
func.func @counts(%x: !v, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %n = tile.view_size %x, 0 : !v
  %s = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (f32) {
    %v = tile.load %x[%i] pad(zero) : !v -> tensor<32xf32>
    %next = arith.addf %acc, %one : f32
    scf.yield %next : f32
  }
  return
}
func.func @lanes(%x: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %n = tile.view_size %x, 0 : !v
  %s = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<32xf32>) {
    %v = tile.load %x[%i] pad(zero) : !v -> tensor<32xf32>
    %next = arith.addf %acc, %v : tensor<32xf32>
    scf.yield %next : tensor<32xf32>
  }
  return
}
func.func @once(%x: !v, %p: !tile.ptr<f32>) attributes {tile.kernel, tile.grid = @grid_ptr} {
  %c32 = arith.constant 32 : index
  %one = arith.constant 1.0 : f32
  %id = tile.program_id x
  %i = arith.muli %id, %c32 : index
  %v = tile.load %x[%i] pad(zero) : !v -> tensor<32xf32>
  tile.store_ptr %one, %p : !tile.ptr<f32>
  return
}
func.func @decides(%x: !v, %y: !v) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %n = tile.view_size %x, 0 : !v
  scf.for %i = %c0 to %n step %c32 {
    %v = tile.load %x[%i] pad(zero) : !v -> tensor<32xf32>
    %t = tile.reduce %v dim 0 : tensor<32xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %q = arith.addf %a, %b : f32
      tile.yield %q : f32
    }
    %is_low = arith.cmpf olt, %t, %zero : f32
    scf.if %is_low {
      tile.store %v, %y[%i] : tensor<32xf32>, !v
    }
  }
  return
}
func.func @grid(%x: !v, %y: !v) -> index {
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  %t = arith.ceildivsi %n, %c32 : index
  return %t : index
}
func.func @grid_ptr(%x: !v, %p: !tile.ptr<f32>) -> index {
  %c32 = arith.constant 32 : index
  %n = tile.view_size %x, 0 : !v
  %t = arith.ceildivsi %n, %c32 : index
  return %t : index
}
