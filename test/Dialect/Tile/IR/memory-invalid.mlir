// RUN: tile-opt %s -split-input-file -verify-diagnostics

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @too_few_sizes(%p: !tile.ptr<f32>, %n: index) {
  // make_view_c1
  // expected-error @below {{expects 2 sizes, one per `?` of the type, found 1}}
  %0 = tile.make_view %p, sizes [%n] strides [%n] : !v
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @too_many_strides(%p: !tile.ptr<f32>, %n: index) {
  // make_view_c1
  // expected-error @below {{expects 1 strides, one per `?` of the type, found 2}}
  %0 = tile.make_view %p, sizes [%n, %n] strides [%n, %n] : !v
  return
}

// -----

func.func @base_of_other_type(%p: !tile.ptr<f16>) {
  // make_view_c2
  // expected-error @below {{failed to verify that base points at the view's element type}}
  %0 = "tile.make_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tile.ptr<f16>) -> !tile.view<4xf32, strides = [1]>
  return
}

// -----

!v = !tile.view<?x4xf32, strides = [?, 1]>
func.func @order_repeats(%v: !v) {
  // permute_view_c1
  // expected-error @below {{expects a permutation of the 2 dims, found [0, 0]}}
  %0 = tile.permute_view %v [0, 0] : !v to !v
  return
}

// -----

!v = !tile.view<?x4xf32, strides = [?, 1]>
func.func @order_out_of_range(%v: !v) {
  // permute_view_c1
  // expected-error @below {{expects a permutation of the 2 dims, found [2, 0]}}
  %0 = tile.permute_view %v [2, 0] : !v to !v
  return
}

// -----

!v = !tile.view<?x4xf32, strides = [?, 1]>
func.func @not_permuted(%v: !v) {
  // permute_view_c2
  // expected-error @below {{expects the permuted type of '!tile.view<?x4xf32, strides = [?, 1]>', found '!tile.view<?x4xf32, strides = [?, 1]>'}}
  %0 = tile.permute_view %v [1, 0] : !v to !v
  return
}

// -----

!v = !tile.view<?x4xf32, strides = [?, 1]>
func.func @permuted_to_other_rank(%v: !v) {
  // permute_view_c2
  // expected-error @below {{expects the permuted type of}}
  %0 = tile.permute_view %v [1, 0] : !v to !tile.view<4xf32, strides = [1]>
  return
}

// -----

!v = !tile.view<?x4xf32, strides = [?, 1]>
func.func @size_dim(%v: !v) {
  // view_size_c1
  // expected-error @below {{expects dim to be below the rank 2, found 2}}
  %0 = tile.view_size %v, 2 : !v
  return
}

// -----

!v = !tile.view<?x4xf32, strides = [?, 1]>
func.func @stride_dim(%v: !v) {
  // view_stride_c1
  // expected-error @below {{expects dim to be below the rank 2, found -1}}
  %0 = tile.view_stride %v, -1 : !v
  return
}

// -----

!v = !tile.view<?x4xf32, strides = [?, 1]>
func.func @base_type(%v: !v) {
  // view_base_c1
  // expected-error @below {{expects a pointer to 'f32', found '!tile.ptr<f16>'}}
  %0 = tile.view_base %v : !v -> !tile.ptr<f16>
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @load_offsets(%v: !v, %i: index) {
  // load_c1
  // expected-error @below {{expects 2 offsets, one per view dim, found 1}}
  %0 = tile.load %v[%i] : !v -> tensor<4x4xf32>
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @load_rank(%v: !v, %i: index) {
  // load_c2
  // expected-error @below {{expects a tile of the view's rank 2 where no dims are given, found 'tensor<4xf32>'}}
  %0 = tile.load %v[%i, %i] : !v -> tensor<4xf32>
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @load_dims_count(%v: !v, %i: index) {
  // load_c2
  // expected-error @below {{expects one entry of dims per tile dim, found 2 for 'tensor<4xf32>'}}
  %0 = tile.load %v[%i, %i] dims [0, 1] : !v -> tensor<4xf32>
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @load_dims_order(%v: !v, %i: index) {
  // load_c2
  // expected-error @below {{expects dims to rise strictly and stay below the rank 2, found [1, 0]}}
  %0 = tile.load %v[%i, %i] dims [1, 0] : !v -> tensor<4x4xf32>
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @load_dims_range(%v: !v, %i: index) {
  // load_c2
  // expected-error @below {{expects dims to rise strictly and stay below the rank 2, found [2]}}
  %0 = tile.load %v[%i, %i] dims [2] : !v -> tensor<4xf32>
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @load_dims_negative(%v: !v, %i: index) {
  // load_c2
  // expected-error @below {{expects dims to rise strictly and stay below the rank 2, found [-1]}}
  %0 = tile.load %v[%i, %i] dims [-1] : !v -> tensor<4xf32>
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @load_element(%v: !v, %i: index) {
  // load_c3
  // expected-error @below {{expects elements of 'f32' as in the view, found 'tensor<4x4xf16>'}}
  %0 = tile.load %v[%i, %i] : !v -> tensor<4x4xf16>
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @load_flags(%v: !v, %i: index) {
  // load_c4
  // expected-error @below {{expects in_bounds to have one flag per view dim, found 1 for rank 2}}
  %0 = tile.load %v[%i, %i] in_bounds [true] : !v -> tensor<4x4xf32>
  return
}

// -----

!v = !tile.view<?xi32, strides = [1]>
func.func @load_pad_of_integers(%v: !v, %i: index) {
  // load_c5
  // expected-error @below {{expects a pad that 'i32' has, found nan}}
  %0 = tile.load %v[%i] pad(nan) : !v -> tensor<4xi32>
  return
}

// -----

!v = !tile.view<?xf8E4M3FN, strides = [1]>
func.func @load_pad_without_infinity(%v: !v, %i: index) {
  // load_c5
  // expected-error @below {{expects a pad that 'f8E4M3FN' has, found pos_inf}}
  %0 = tile.load %v[%i] pad(pos_inf) : !v -> tensor<4xf8E4M3FN>
  return
}

// -----

!v = !tile.view<?xf8E8M0FNU, strides = [1]>
func.func @load_pad_without_zero(%v: !v, %i: index) {
  // load_c5
  // expected-error @below {{expects a pad that 'f8E8M0FNU' has, found zero}}
  %0 = tile.load %v[%i] pad(zero) : !v -> tensor<4xf8E8M0FNU>
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @store_offsets(%v: !v, %i: index, %t: tensor<4x4xf32>) {
  // store_c1
  // expected-error @below {{expects 2 offsets, one per view dim, found 3}}
  tile.store %t, %v[%i, %i, %i] : tensor<4x4xf32>, !v
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @store_rank(%v: !v, %i: index, %t: tensor<4xf32>) {
  // store_c2
  // expected-error @below {{expects a tile of the view's rank 2 where no dims are given, found 'tensor<4xf32>'}}
  tile.store %t, %v[%i, %i] : tensor<4xf32>, !v
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @store_element(%v: !v, %i: index, %t: tensor<4xf16>) {
  // store_c3
  // expected-error @below {{expects elements of 'f32' as in the view, found 'tensor<4xf16>'}}
  tile.store %t, %v[%i, %i] dims [1] : tensor<4xf16>, !v
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @store_flags(%v: !v, %i: index, %t: tensor<4xf32>) {
  // store_c4
  // expected-error @below {{expects in_bounds to have one flag per view dim, found 3 for rank 2}}
  tile.store %t, %v[%i, %i] dims [1] in_bounds [true, true, true] : tensor<4xf32>, !v
  return
}

// -----

func.func @load_ptr_result(%p: tensor<4x!tile.ptr<f32>>) {
  // load_ptr_c1
  // expected-error @below {{expects a result of 'tensor<4xf32>', found 'tensor<8xf32>'}}
  %0 = "tile.load_ptr"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<4x!tile.ptr<f32>>) -> tensor<8xf32>
  return
}

// -----

func.func @load_ptr_mask(%p: tensor<4x!tile.ptr<f32>>, %m: tensor<8xi1>) {
  // load_ptr_c1
  // expected-error @below {{expects a mask of 'tensor<4xi1>', found 'tensor<8xi1>'}}
  %0 = "tile.load_ptr"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<4x!tile.ptr<f32>>, tensor<8xi1>) -> tensor<4xf32>
  return
}

// -----

func.func @load_ptr_other(%p: !tile.ptr<f32>, %m: i1, %o: f16) {
  // load_ptr_c1
  // expected-error @below {{expects `other` of 'f32', found 'f16'}}
  %0 = "tile.load_ptr"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!tile.ptr<f32>, i1, f16) -> f32
  return
}

// -----

func.func @load_ptr_other_alone(%p: !tile.ptr<f32>, %o: f32) {
  // load_ptr_c2
  // expected-error @below {{expects `mask` beside `other`}}
  %0 = tile.load_ptr %p other %o : !tile.ptr<f32>
  return
}

// -----

func.func @load_ptr_no_pointer(%p: tensor<4xf32>) {
  // expected-error @below {{expected a pointer or a tile of pointers, found 'tensor<4xf32>'}}
  %0 = tile.load_ptr %p : tensor<4xf32>
  return
}

// -----

func.func @store_ptr_value(%p: !tile.ptr<f32>, %x: f16) {
  // store_ptr_c1
  // expected-error @below {{expects a value of 'f32', found 'f16'}}
  "tile.store_ptr"(%x, %p) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (f16, !tile.ptr<f32>) -> ()
  return
}

// -----

func.func @store_ptr_mask(%p: tensor<4x!tile.ptr<f32>>, %x: tensor<4xf32>, %m: i1) {
  // store_ptr_c1
  // expected-error @below {{expects a mask of 'tensor<4xi1>', found 'i1'}}
  "tile.store_ptr"(%x, %p, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<4xf32>, tensor<4x!tile.ptr<f32>>, i1) -> ()
  return
}

// -----

func.func @view_of_no_view(%p: !tile.ptr<f32>) {
  // expected-error @below {{expected a view, found 'f32'}}
  %0 = tile.make_view %p, sizes [] strides [] : f32
  return
}
