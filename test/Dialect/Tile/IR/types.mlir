// Types: every element type, every rank of view, any stride.
// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func private @elements
// CHECK-SAME: tensor<3x!tile.ptr<f4E2M1FN>>
func.func private @elements(!tile.ptr<i1>, !tile.ptr<i4>, !tile.ptr<i8>, !tile.ptr<i16>, !tile.ptr<i32>, !tile.ptr<i64>,
  !tile.ptr<f16>, !tile.ptr<bf16>, !tile.ptr<tf32>, !tile.ptr<f32>, !tile.ptr<f64>, !tile.ptr<f8E4M3FN>,
  !tile.ptr<f8E5M2>, !tile.ptr<f8E8M0FNU>, !tile.ptr<f6E2M3FN>, !tile.ptr<f6E3M2FN>, tensor<3x!tile.ptr<f4E2M1FN>>)

// CHECK-LABEL: func.func private @views
// CHECK-SAME: !tile.view<?xf32, strides = [?]>
// CHECK-SAME: !tile.view<0x0xi4, strides = [-7, 0]>
// CHECK-SAME: !tile.view<1x2x3x4x5x6x7x?xi1, strides = [?, 1, ?, 1, ?, 1, ?, 9223372036854775807]>
func.func private @views(!tile.view<?xf32, strides = [?]>, !tile.view<0x0xi4, strides = [-7, 0]>,
  !tile.view<1x2x3x4x5x6x7x?xi1, strides = [?, 1, ?, 1, ?, 1, ?, 9223372036854775807]>)

// CHECK-LABEL: func.func private @token(!tile.token)
func.func private @token(!tile.token)
