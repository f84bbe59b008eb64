// Attributes of kernels, arguments and loops; a host function is found whatever comes first in the file.
// RUN: tile-opt %s | tile-opt | FileCheck %s

!any = !tile.view<?x?xf16, strides = [?, ?]>
!row = !tile.view<?x?xf16, strides = [?, 1]>

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: tile.div_by = 16 : i64, tile.name = "a", tile.noalias, tile.sizes_div_by = array<i64: 1, 8>, tile.strides_div_by = array<i64: 8, 1>
// CHECK-SAME: tile.max = 4096 : i64, tile.min = 0 : i64
// CHECK-SAME: attributes {tile.grid = @grid, tile.kernel, tile.num_stages = 3 : i64, tile.num_warps = 8 : i64, tile.occupancy = 2 : i64}
func.func @kernel(%a: !any {tile.name = "a", tile.div_by = 16 : i64, tile.noalias, tile.sizes_div_by = array<i64: 1, 8>,
                            tile.strides_div_by = array<i64: 8, 1>},
                  %n: i32 {tile.min = 0 : i64, tile.max = 4096 : i64}, %f: f32, %p: !tile.ptr<f32>)
    attributes {tile.kernel, tile.grid = @grid, tile.num_warps = 8, tile.num_stages = 3, tile.occupancy = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
  // CHECK: } {tile.flatten, tile.independent, tile.num_stages = 4 : i64, tile.specialize, tile.unroll = 2 : i64}
  } {tile.unroll = 2, tile.num_stages = 4, tile.flatten, tile.independent, tile.specialize}
  scf.for %i = %c0 to %c8 step %c1 {
  // CHECK: } {tile.unroll = "full"}
  } {tile.unroll = "full"}
  // CHECK: arith.addf %{{.*}}, %{{.*}} {tile.ftz, tile.latency = 2 : i64} : f32
  %x = arith.addf %f, %f {tile.ftz, tile.latency = 2} : f32
  return
}

func.func @grid(%a: !any, %n: i32, %f: f32, %p: !tile.ptr<f32>) -> (index, index, index) {
  %c128 = arith.constant 128 : index
  %m = tile.view_size %a, 0 : !any
  %x = arith.ceildivsi %m, %c128 : index
  %y = arith.index_cast %n : i32 to index
  %sms = tile.device_info sm_count
  %held = tile.device_info max_ctas_per_sm
  %places = arith.muli %sms, %held : index
  %z = arith.minsi %y, %places : index
  return %x, %y, %z : index, index, index
}

// A variant knows more of its views; its guard sees the kernel's parameters, its grid either.
// CHECK-LABEL: func.func @unit_stride
func.func @unit_stride(%a: !row, %n: i32, %f: f32, %p: !tile.ptr<f32>)
    attributes {tile.kernel, tile.grid = @grid, tile.variant_of = @kernel, tile.guard = @guard} {
  return
}

// CHECK-LABEL: func.func @unit_stride_own_grid
func.func @unit_stride_own_grid(%a: !row, %n: i32, %f: f32, %p: !tile.ptr<f32>)
    attributes {tile.kernel, tile.grid = @own_grid, tile.variant_of = @kernel, tile.guard = @guard} {
  return
}

func.func @own_grid(%a: !row, %n: i32, %f: f32, %p: !tile.ptr<f32>) -> index {
  %m = tile.view_size %a, 0 : !row
  return %m : index
}

func.func @guard(%a: !any, %n: i32, %f: f32, %p: !tile.ptr<f32>) -> i1 {
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : i64
  %c0 = arith.constant 0 : i64
  %s = tile.view_stride %a, 1 : !any
  %unit = arith.cmpi eq, %s, %c1 : index
  %base = tile.view_base %a : !any -> !tile.ptr<f16>
  %bits = tile.ptr_cast %base : !tile.ptr<f16> to i64
  %low = arith.andi %bits, %c15 : i64
  %aligned = arith.cmpi eq, %low, %c0 : i64
  %both = arith.andi %unit, %aligned : i1
  return %both : i1
}
