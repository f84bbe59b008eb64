// concat, extract and insert: round trip, folds, and what looks like a fold but must stay.
// RUN: tile-opt %s | tile-opt | FileCheck %s --check-prefix=SAME
// RUN: tile-opt %s -canonicalize | FileCheck %s

// SAME-LABEL: func.func @round_trip
// SAME:         tile.concat %{{.*}}, %{{.*}} dim 0 : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<6x8xf32>
// SAME:         tile.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<6x8xf32> -> tensor<3x2xf32>
// SAME:         tile.insert %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<3x2xf32>, tensor<6x8xf32>
// CHECK-LABEL: func.func @round_trip
// CHECK:         tile.concat
// CHECK:         tile.extract
// CHECK:         tile.insert
func.func @round_trip(%a: tensor<4x8xf32>, %b: tensor<2x8xf32>, %i: index) -> tensor<6x8xf32> {
  %c1 = arith.constant 1 : index
  %c = tile.concat %a, %b dim 0 : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<6x8xf32>
  %e = tile.extract %c[%i, %c1] : tensor<6x8xf32> -> tensor<3x2xf32>
  %r = tile.insert %e, %c[%c1, %i] : tensor<3x2xf32>, tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// CHECK-LABEL: func.func @concat_of_one(
// CHECK-SAME:    %[[A:.*]]: tensor
// CHECK-NEXT:    return %[[A]]
func.func @concat_of_one(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = tile.concat %a dim 0 : tensor<4xf32> -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// CHECK-LABEL: func.func @concat_of_equal_splats
// CHECK-NEXT:    %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<7xf32>
// CHECK-NEXT:    return %[[C]]
func.func @concat_of_equal_splats() -> tensor<7xf32> {
  %a = arith.constant dense<1.0> : tensor<4xf32>
  %b = arith.constant dense<1.0> : tensor<3xf32>
  %c = tile.concat %a, %b dim 0 : tensor<4xf32>, tensor<3xf32> -> tensor<7xf32>
  return %c : tensor<7xf32>
}

// CHECK-LABEL: func.func @concat_of_unequal_splats
// CHECK:         tile.concat
func.func @concat_of_unequal_splats() -> tensor<8xf32> {
  %a = arith.constant dense<1.0> : tensor<4xf32>
  %b = arith.constant dense<2.0> : tensor<4xf32>
  %c = tile.concat %a, %b dim 0 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// CHECK-LABEL: func.func @extract_of_concat(
// CHECK-SAME:    %{{.*}}: tensor<4x2xf32>, %[[B:.*]]: tensor<4x2xf32>)
// CHECK-NEXT:    return %[[B]]
func.func @extract_of_concat(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.concat %a, %b dim 1 : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x4xf32>
  %e = tile.extract %c[%c0, %c1] : tensor<4x4xf32> -> tensor<4x2xf32>
  return %e : tensor<4x2xf32>
}

// The block is no source: the sources have other extents, the block does not exist, or its number is not known.
// CHECK-LABEL: func.func @no_extract_of_concat
// CHECK-COUNT-3: tile.extract
func.func @no_extract_of_concat(%a: tensor<2xf32>, %b: tensor<4xf32>, %i: index)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c = tile.concat %a, %b dim 0 : tensor<2xf32>, tensor<4xf32> -> tensor<6xf32>
  %d = tile.concat %a, %a dim 0 : tensor<2xf32>, tensor<2xf32> -> tensor<4xf32>
  %e = tile.extract %c[%c1] : tensor<6xf32> -> tensor<2xf32>
  %f = tile.extract %d[%c2] : tensor<4xf32> -> tensor<2xf32>
  %g = tile.extract %d[%i] : tensor<4xf32> -> tensor<2xf32>
  return %e, %f, %g : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @extract_of_splat
// CHECK-NEXT:    %[[C:.*]] = arith.constant dense<3> : tensor<2xi32>
// CHECK-NEXT:    return %[[C]]
func.func @extract_of_splat(%i: index) -> tensor<2xi32> {
  %a = arith.constant dense<3> : tensor<8xi32>
  %e = tile.extract %a[%i] : tensor<8xi32> -> tensor<2xi32>
  return %e : tensor<2xi32>
}

// CHECK-LABEL: func.func @all_of_it(
// CHECK-SAME:    %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>,
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @all_of_it(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tile.extract %a[%i] : tensor<4xf32> -> tensor<4xf32>
  %r = tile.insert %b, %a[%i] : tensor<4xf32>, tensor<4xf32>
  return %e, %r : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @extract_what_was_inserted(
// CHECK-SAME:    %[[S:.*]]: tensor<2xf32>,
// CHECK:         %[[R:.*]] = tile.insert
// CHECK:         %[[E:.*]] = tile.extract %[[R]][%{{.*}}]
// CHECK-NEXT:    return %[[S]], %[[E]]
func.func @extract_what_was_inserted(%s: tensor<2xf32>, %d: tensor<8xf32>, %i: index, %j: index)
    -> (tensor<2xf32>, tensor<2xf32>) {
  %r = tile.insert %s, %d[%i] : tensor<2xf32>, tensor<8xf32>
  %e = tile.extract %r[%i] : tensor<8xf32> -> tensor<2xf32>
  %f = tile.extract %r[%j] : tensor<8xf32> -> tensor<2xf32>
  return %e, %f : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @insert_what_was_extracted(
// CHECK-SAME:    %[[D:.*]]: tensor<8xf32>,
// CHECK:         %[[E:.*]] = tile.extract
// CHECK:         %[[R:.*]] = tile.insert %[[E]]
// CHECK-NEXT:    return %[[D]], %[[R]]
func.func @insert_what_was_extracted(%d: tensor<8xf32>, %i: index, %j: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tile.extract %d[%i] : tensor<8xf32> -> tensor<2xf32>
  %r = tile.insert %e, %d[%i] : tensor<2xf32>, tensor<8xf32>
  %q = tile.insert %e, %d[%j] : tensor<2xf32>, tensor<8xf32>
  return %r, %q : tensor<8xf32>, tensor<8xf32>
}
