// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s -split-input-file -verify-diagnostics

// Each constraint broken once, beside legal forms that differ in just that.

func.func @atomic_rmw_c1(%p: tensor<4x!tile.ptr<f32>>, %x: tensor<8xf32>) {
  // expected-error @below {{expects a value of 'tensor<4xf32>', found 'tensor<8xf32>'}}
  %0 = "tile.atomic_rmw"(%p, %x) <{kind = 1 : i32, order = 0 : i32, scope = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<4x!tile.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @atomic_rmw_mask(%p: tensor<4x!tile.ptr<f32>>, %x: tensor<4xf32>, %m: i1) {
  // expected-error @below {{expects a mask of 'tensor<4xi1>', found 'i1'}}
  %0 = "tile.atomic_rmw"(%p, %x, %m) <{kind = 1 : i32, order = 0 : i32, scope = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<4x!tile.ptr<f32>>, tensor<4xf32>, i1) -> tensor<4xf32>
  return
}

// -----

func.func @atomic_rmw_c2(%p: !tile.ptr<f16>, %x: f16, %q: !tile.ptr<i32>, %y: i32) {
  %0 = tile.atomic_rmw fadd relaxed gpu %p, %x : !tile.ptr<f16>
  %1 = tile.atomic_rmw add relaxed gpu %q, %y : !tile.ptr<i32>
  // expected-error @below {{expects a type that add can update, found 'f16'}}
  %2 = tile.atomic_rmw add relaxed gpu %p, %x : !tile.ptr<f16>
  return
}

// -----

func.func @narrow_integer(%p: !tile.ptr<i16>, %x: i16) {
  // expected-error @below {{expects a type that umax can update, found 'i16'}}
  %0 = tile.atomic_rmw umax relaxed gpu %p, %x : !tile.ptr<i16>
  return
}

// -----

func.func @narrow_exchange(%p: !tile.ptr<bf16>, %x: bf16, %q: !tile.ptr<f64>, %y: f64) {
  %0 = tile.atomic_rmw exch relaxed gpu %q, %y : !tile.ptr<f64>
  // expected-error @below {{expects a type that exch can update, found 'bf16'}}
  %1 = tile.atomic_rmw exch relaxed gpu %p, %x : !tile.ptr<bf16>
  return
}

// -----

func.func @atomic_cas_c1(%p: !tile.ptr<i32>, %x: i64) {
  // expected-error @below {{expects a value of 'i32', found 'i64'}}
  %0 = "tile.atomic_cas"(%p, %x, %x) <{order = 0 : i32, scope = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!tile.ptr<i32>, i64, i64) -> i64
  return
}

// -----

func.func @atomic_cas_c2(%p: !tile.ptr<f32>, %x: f32, %q: !tile.ptr<f16>, %y: f16) {
  %0 = tile.atomic_cas relaxed gpu %p, %x, %x : !tile.ptr<f32>
  // expected-error @below {{expects elements of i32, i64, f32 or f64, found 'f16'}}
  %1 = tile.atomic_cas relaxed gpu %q, %y, %y : !tile.ptr<f16>
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @reduce_into_c1(%v: !v, %i: index, %x: tensor<4x4xf32>) {
  tile.reduce_into fadd gpu %x, %v[%i, %i] : tensor<4x4xf32>, !v
  // expected-error @below {{expects 2 offsets, one per view dim, found 1}}
  tile.reduce_into fadd gpu %x, %v[%i] : tensor<4x4xf32>, !v
  return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1]>
func.func @reduce_into_c2(%v: !v, %i: index, %x: tensor<4xf32>) {
  tile.reduce_into fadd gpu %x, %v[%i, %i] dims [1] : tensor<4xf32>, !v
  // expected-error @below {{expects a tile of the view's rank 2 where no dims are given}}
  tile.reduce_into fadd gpu %x, %v[%i, %i] : tensor<4xf32>, !v
  return
}

// -----

!v = !tile.view<?xf32, strides = [1]>
func.func @reduce_into_c3(%v: !v, %i: index, %x: tensor<4xf64>) {
  // expected-error @below {{expects elements of 'f32' as in the view, found 'tensor<4xf64>'}}
  tile.reduce_into fadd gpu %x, %v[%i] : tensor<4xf64>, !v
  return
}

// -----

!v = !tile.view<?xf32, strides = [1]>
func.func @reduce_into_c4(%v: !v, %i: index, %x: tensor<4xf32>) {
  tile.reduce_into fadd gpu %x, %v[%i] in_bounds [true] : tensor<4xf32>, !v
  // expected-error @below {{expects in_bounds to have one flag per view dim, found 2 for rank 1}}
  tile.reduce_into fadd gpu %x, %v[%i] in_bounds [true, true] : tensor<4xf32>, !v
  return
}

// -----

!v = !tile.view<?xf32, strides = [1]>
func.func @reduce_into_c5(%v: !v, %i: index, %x: tensor<4xf32>) {
  // expected-error @below {{expects a type that exch can update without its old value, found 'f32'}}
  tile.reduce_into exch gpu %x, %v[%i] : tensor<4xf32>, !v
  return
}

// -----

!v = !tile.view<?xf32, strides = [1]>
func.func @load_c6(%v: !v, %i: index) {
  %0 = tile.load %v[%i] sync(relaxed, cta) : !v -> tensor<4xf32>
  %1 = tile.load %v[%i] sync(acquire, cta) : !v -> tensor<4xf32>
  // expected-error @below {{expects the order relaxed or acquire, found release}}
  %2 = tile.load %v[%i] sync(release, cta) : !v -> tensor<4xf32>
  return
}

// -----

!v = !tile.view<?xf32, strides = [1]>
func.func @order_without_scope(%v: !v, %i: index) {
  // expected-error @below {{expects an order and a scope, or neither}}
  %0 = "tile.load"(%v, %i) <{order = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!v, index) -> tensor<4xf32>
  return
}

// -----

!v = !tile.view<?xf32, strides = [1]>
func.func @store_c5(%v: !v, %i: index, %x: tensor<4xf32>) {
  tile.store %x, %v[%i] sync(release, gpu) : tensor<4xf32>, !v
  // expected-error @below {{expects the order relaxed or release, found acq_rel}}
  tile.store %x, %v[%i] sync(acq_rel, gpu) : tensor<4xf32>, !v
  return
}

// -----

func.func @load_ptr_c3(%p: !tile.ptr<f32>) {
  %0 = tile.load_ptr %p sync(acquire, gpu) : !tile.ptr<f32>
  // expected-error @below {{expects the order relaxed or acquire, found acq_rel}}
  %1 = tile.load_ptr %p sync(acq_rel, gpu) : !tile.ptr<f32>
  return
}

// -----

func.func @store_ptr_c2(%p: !tile.ptr<f32>, %x: f32) {
  tile.store_ptr %x, %p sync(relaxed, gpu) : !tile.ptr<f32>
  // expected-error @below {{expects the order relaxed or release, found acquire}}
  tile.store_ptr %x, %p sync(acquire, gpu) : !tile.ptr<f32>
  return
}

// -----

func.func @no_such_kind(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'kind'}}
  %0 = tile.atomic_rmw nand relaxed gpu %p, %x : !tile.ptr<i32>
  return
}

// -----

func.func @no_pointer(%p: i64, %x: i32) {
  // expected-error @below {{expected a pointer or a tile of pointers, found 'i64'}}
  %0 = tile.atomic_rmw add relaxed gpu %p, %x : i64
  return
}

// -----

func.func @no_token(%x: i32) {
  // expected-error @below {{use of value '%x' expects different type}}
  // expected-note @-2 {{prior use here}}
  %0 = tile.join_tokens(%x)
  return
}
