// SPDX-License-Identifier: Apache-2.0
// RUN: tile-opt %s --tile-subtile-epilogue=parts=2 --split-input-file | FileCheck %s
// Of four parts some have too few columns, which is an error; the others are printed.
// RUN: not tile-opt %s --tile-subtile-epilogue=parts=4 --split-input-file 2>/dev/null | FileCheck %s --check-prefix=FOUR

// Each part is cut, converted and stored before the next; the checks along both dims stay.
// CHECK-LABEL: func @casts
// CHECK-SAME:    %[[C:[a-z0-9]+]]: !tile.view<?x?xf16
// CHECK:         %[[SUM:.*]] = scf.for
// CHECK:         %[[A:.*]] = tile.extract %[[SUM]][%c0{{.*}}, %c0{{.*}}] : tensor<64x128xf32> -> tensor<64x64xf32>
// CHECK-NEXT:    %[[A16:.*]] = arith.truncf %[[A]] : tensor<64x64xf32> to tensor<64x64xf16>
// CHECK-NEXT:    tile.store %[[A16]], %[[C]][%[[I:.*]], %[[J:.*]]] in_bounds [true, false]
// CHECK:         %[[B:.*]] = tile.extract %[[SUM]][%c0{{.*}}, %c1{{.*}}] : tensor<64x128xf32> -> tensor<64x64xf32>
// CHECK-NEXT:    %[[B16:.*]] = arith.truncf %[[B]]
// CHECK:         %[[C64:.*]] = arith.constant 64 : index
// CHECK-NEXT:    %[[J1:.*]] = arith.addi %[[J]], %[[C64]] : index
// CHECK-NEXT:    tile.store %[[B16]], %[[C]][%[[I]], %[[J1]]] in_bounds [true, false] {tile.latency = 3 : i64}
// CHECK-NOT:     tensor<64x128xf16>
// FOUR-LABEL: func @casts
// FOUR-COUNT-4: tile.store {{.*}} : tensor<64x32xf16>
!in = !tile.view<?x?xf16, strides = [?, 1]>
func.func @casts(%c: !in, %a: !in, %b: !in, %i: index, %j: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %k = tile.view_size %a, 1 : !in
  %sum = scf.for %kk = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %x = tile.load %a[%i, %kk] : !in -> tensor<64x32xf16>
    %y = tile.load %b[%kk, %j] : !in -> tensor<32x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x128xf16> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  %r = arith.truncf %sum : tensor<64x128xf32> to tensor<64x128xf16>
  tile.store %r, %c[%i, %j] in_bounds [true, false] {tile.latency = 3 : i64} : tensor<64x128xf16>, !in
  return
}

// -----

// 208 columns are 13 units of 16: parts of 7 and 6, as blocks of 16 side by side.
// CHECK-LABEL: func @unequal
// CHECK-COUNT-7: tile.extract {{.*}} -> tensor<16x16xf32>
// CHECK:         %[[A:.*]] = tile.concat {{.*}} dim 1 : {{.*}} -> tensor<16x112xf32>
// CHECK:         tile.store %[[A]], %{{.*}}[%c0, %[[J:.*]]] :
// CHECK-COUNT-6: tile.extract {{.*}} -> tensor<16x16xf32>
// CHECK:         %[[B:.*]] = tile.concat {{.*}} -> tensor<16x96xf32>
// CHECK:         %[[C112:.*]] = arith.constant 112 : index
// CHECK:         %[[J1:.*]] = arith.addi %[[J]], %[[C112]]
// CHECK:         tile.store %[[B]], %{{.*}}[%c0{{.*}}, %[[J1]]] :
// FOUR-LABEL: func @unequal
// FOUR: tile.store {{.*}} : tensor<16x64xf32>
// FOUR-COUNT-3: tile.store {{.*}} : tensor<16x48xf32>
!out = !tile.view<?x?xf32, strides = [?, 1]>
func.func @unequal(%c: !out, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x208xf16>
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x208xf32>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x208xf16> -> tensor<16x208xf32>
  tile.store %d, %c[%c0, %j] : tensor<16x208xf32>, !out
  return
}

// -----

// The bias is read at the part's offset and repeated over its rows; scale, mask, index and activation follow. The
// row's factor is not cut.
// CHECK-LABEL: func @bias
// CHECK-SAME:    %[[BIAS:[a-z0-9]+]]: !tile.view<?xf32
// CHECK-DAG:     %[[B0:.*]] = tile.load %[[BIAS]][%[[J:[a-z0-9]+]]] pad(zero) : {{.*}} -> tensor<32xf32>
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG:     %[[J1:.*]] = arith.addi %[[J]], %[[C32]]
// CHECK-DAG:     %[[B1:.*]] = tile.load %[[BIAS]][%[[J1]]] pad(zero) : {{.*}} -> tensor<16xf32>
// CHECK:         tile.dot
// CHECK-DAG:     %[[R0:.*]] = tile.reshape %[[B0]] : tensor<32xf32> -> tensor<1x32xf32>
// CHECK-DAG:     tile.broadcast %[[R0]] : tensor<1x32xf32> -> tensor<16x32xf32>
// CHECK-DAG:     tile.broadcast %{{.*}} : tensor<16x1xf32> -> tensor<16x32xf32>
// CHECK-DAG:     arith.constant dense<{{.*}}> : tensor<1x32xf32>
// CHECK-DAG:     tile.iota : tensor<32xi32>
// CHECK:         tile.store {{.*}} : tensor<16x32xf32>
// CHECK-DAG:     %[[R1:.*]] = tile.reshape %[[B1]] : tensor<16xf32> -> tensor<1x16xf32>
// CHECK-DAG:     tile.broadcast %[[R1]] : tensor<1x16xf32> -> tensor<16x16xf32>
// CHECK-DAG:     arith.constant dense<{{\[\[}}5.0{{[0-9e+]*}}, 6.0{{[0-9e+]*}}, 5.0{{.*}} : tensor<1x16xf32>
// CHECK-DAG:     tile.iota start 32 : tensor<16xi32>
// CHECK-DAG:     %[[LEAST:.*]] = tile.splat %{{.*}} : f32 -> tensor<16x16xf32>
// CHECK:         arith.maximumf %{{.*}}, %[[LEAST]]
// CHECK:         tile.store {{.*}} : tensor<16x16xf32>
// 48 columns do not make four parts.
!out = !tile.view<?x?xf32, strides = [?, 1]>
!row = !tile.view<?xf32, strides = [1]>
func.func @bias(%row: !row, %c: !out,
                %least: f32, %limit: i32, %i: index, %j: index) attributes {tile.kernel} {
  %sum = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x48xf16>
  %rows = arith.constant dense<1.0> : tensor<16x1xf32>
  %zero = arith.constant dense<0.0> : tensor<16x48xf32>
  %weights = arith.constant dense<[[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0,
                                    3.0, 4.0, 3.0, 4.0, 3.0, 4.0, 3.0, 4.0, 3.0, 4.0, 3.0, 4.0, 3.0, 4.0, 3.0, 4.0,
                                    5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0]]> : tensor<1x48xf32>
  %bias = tile.load %row[%j] pad(zero) : !row -> tensor<48xf32>
  %bias_row = tile.reshape %bias : tensor<48xf32> -> tensor<1x48xf32>
  %biases = tile.broadcast %bias_row : tensor<1x48xf32> -> tensor<16x48xf32>
  %d = tile.dot %sum, %y, %zero : tensor<16x16xf16>, tensor<16x48xf16> -> tensor<16x48xf32>
  %with = arith.addf %d, %biases : tensor<16x48xf32>
  %factors = tile.broadcast %rows : tensor<16x1xf32> -> tensor<16x48xf32>
  %scaled = arith.mulf %with, %factors : tensor<16x48xf32>
  %weight_rows = tile.broadcast %weights : tensor<1x48xf32> -> tensor<16x48xf32>
  %weighted = arith.mulf %scaled, %weight_rows : tensor<16x48xf32>
  %iota = tile.iota : tensor<48xi32>
  %iota_row = tile.reshape %iota : tensor<48xi32> -> tensor<1x48xi32>
  %columns = tile.broadcast %iota_row : tensor<1x48xi32> -> tensor<16x48xi32>
  %limits = tile.splat %limit : i32 -> tensor<16x48xi32>
  %inside = arith.cmpi slt, %columns, %limits : tensor<16x48xi32>
  %masked = arith.select %inside, %weighted, %zero : tensor<16x48xi1>, tensor<16x48xf32>
  %leasts = tile.splat %least : f32 -> tensor<16x48xf32>
  %r = arith.maximumf %masked, %leasts : tensor<16x48xf32>
  tile.store %r, %c[%i, %j] : tensor<16x48xf32>, !out
  return
}

// -----

// A residual from memory that the store cannot write is read part by part; in place it is all read first.
// CHECK-LABEL: func @residual
// CHECK:         tile.dot
// CHECK:         tile.load %{{.*}} -> tensor<16x16xf16>
// CHECK:         tile.store %{{.*}} : tensor<16x16xf16>
// CHECK:         tile.load %{{.*}} -> tensor<16x16xf16>
// CHECK:         tile.store %{{.*}} : tensor<16x16xf16>
// CHECK-NOT:     tile.load
// CHECK-LABEL: func @in_place
// CHECK-COUNT-2: tile.load %{{.*}} -> tensor<16x16xf16>
// CHECK:         tile.dot
// CHECK-COUNT-2: tile.store %{{.*}} : tensor<16x16xf16>
!out = !tile.view<?x?xf16, strides = [?, 1]>
func.func @residual(%c: !out {tile.noalias}, %old: !out, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x32xf16>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %r = tile.load %old[%i, %j] pad(zero) : !out -> tensor<16x32xf16>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x32xf16> -> tensor<16x32xf32>
  %h = arith.truncf %d : tensor<16x32xf32> to tensor<16x32xf16>
  %s = arith.addf %h, %r : tensor<16x32xf16>
  tile.store %s, %c[%i, %j] : tensor<16x32xf16>, !out
  return
}
func.func @in_place(%c: !out {tile.noalias}, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x32xf16>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %r = tile.load %c[%i, %j] pad(zero) : !out -> tensor<16x32xf16>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x32xf16> -> tensor<16x32xf32>
  %h = arith.truncf %d : tensor<16x32xf32> to tensor<16x32xf16>
  %s = arith.addf %h, %r : tensor<16x32xf16>
  tile.store %s, %c[%i, %j] : tensor<16x32xf16>, !out
  return
}

// -----

// Two stores of one sum with chains of their own are cut alike; what a branch gives comes from products, too. A store
// that was turned is cut along the dimension of the product's columns.
// CHECK-LABEL: func @two
// CHECK:         %[[SUM:.*]] = scf.if
// CHECK:         tile.extract %[[SUM]]
// CHECK:         tile.store %{{.*}} : tensor<16x16xf16>
// CHECK:         tile.store %{{.*}} : tensor<16x16xf16>
// CHECK:         %[[T:.*]] = tile.permute %{{.*}} [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
// CHECK:         tile.store %[[T]], %[[D:.*]][%[[I:.*]], %[[J:.*]]] : tensor<16x16xf32>
// CHECK:         %[[I1:.*]] = arith.addi %[[I]], %c16
// CHECK:         tile.store %{{.*}}, %[[D]][%[[I1]], %[[J]]] : tensor<16x16xf32>
!out = !tile.view<?x?xf16, strides = [?, 1]>
!wide = !tile.view<?x?xf32, strides = [?, 1]>
func.func @two(%c: !out, %d: !wide, %i: index, %j: index, %is: i1) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x32xf16>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %sum = scf.if %is -> (tensor<16x32xf32>) {
    %p = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x32xf16> -> tensor<16x32xf32>
    scf.yield %p : tensor<16x32xf32>
  } else {
    scf.yield %zero : tensor<16x32xf32>
  }
  %h = arith.truncf %sum : tensor<16x32xf32> to tensor<16x32xf16>
  tile.store %h, %c[%i, %j] : tensor<16x32xf16>, !out
  %n = arith.negf %sum : tensor<16x32xf32>
  %t = tile.permute %n [1, 0] : tensor<16x32xf32> -> tensor<32x16xf32>
  tile.store %t, %d[%i, %j] : tensor<32x16xf32>, !wide
  return
}

// -----

// Memory whose contiguous dimension is the product's rows is cut along columns all the same; so is a batch.
// CHECK-LABEL: func @column_major
// CHECK-COUNT-2: tile.store %{{.*}} dims [1, 2, 3] : tensor<1x32x16xf16>
// CHECK-LABEL: func @nothing_to_do
// CHECK-COUNT-2: tile.store %{{.*}} : tensor<16x32xf16>
!flat = !tile.view<?x?xf16, strides = [?, 1]>
func.func @column_major(%c: !tile.view<?x?x?x?xf16, strides = [?, ?, 1, ?]>, %z: index, %i: index, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<1x32x16xf16>
  %y = arith.constant dense<1.0> : tensor<1x16x32xf16>
  %zero = arith.constant dense<0.0> : tensor<1x32x32xf32>
  %d = tile.dot %x, %y, %zero : tensor<1x32x16xf16>, tensor<1x16x32xf16> -> tensor<1x32x32xf32>
  %h = arith.truncf %d : tensor<1x32x32xf32> to tensor<1x32x32xf16>
  tile.store %h, %c[%z, %z, %i, %j] dims [1, 2, 3] : tensor<1x32x32xf16>, !tile.view<?x?x?x?xf16, strides = [?, ?, 1, ?]>
  return
}
// No product; and no kernel.
func.func @nothing_to_do(%c: !flat, %j: index) attributes {tile.kernel} {
  %x = arith.constant dense<1.0> : tensor<16x32xf16>
  tile.store %x, %c[%j, %j] : tensor<16x32xf16>, !flat
  return
}
func.func @part_of_a_kernel(%c: !flat, %j: index) {
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  %y = arith.constant dense<1.0> : tensor<16x32xf16>
  %zero = arith.constant dense<0.0> : tensor<16x32xf16>
  %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x32xf16> -> tensor<16x32xf16>
  tile.store %d, %c[%j, %j] : tensor<16x32xf16>, !flat
  return
}
