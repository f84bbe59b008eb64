// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected a pointer to an element type, found '!tile.ptr<f32>'}}
func.func private @pointer_to_pointer(!tile.ptr<!tile.ptr<f32>>)

// -----

// expected-error @below {{expected a pointer to an element type, found 'i7'}}
func.func private @pointer_to_odd_width(!tile.ptr<i7>)

// -----

// expected-error @below {{expected a pointer to an element type, found 'si32'}}
func.func private @pointer_to_signed(!tile.ptr<si32>)

// -----

// expected-error @below {{expected a pointer to an element type, found 'index'}}
func.func private @pointer_to_index(!tile.ptr<index>)

// -----

// expected-error @below {{expected a view of rank 1 to 8, found rank 0}}
func.func private @view_rank_0(!tile.view<f32, strides = []>)

// -----

// expected-error @below {{expected a view of rank 1 to 8, found rank 9}}
func.func private @view_rank_9(!tile.view<1x1x1x1x1x1x1x1x1xf32, strides = [1, 1, 1, 1, 1, 1, 1, 1, 1]>)

// -----

// expected-error @below {{expected 2 strides, one per size, found 1}}
func.func private @view_too_few_strides(!tile.view<?x?xf32, strides = [1]>)

// -----

// expected-error @below {{expected a view of numbers, found elements of '!tile.ptr<f32>'}}
func.func private @view_of_pointers(!tile.view<4x!tile.ptr<f32>, strides = [1]>)

// -----

// expected-error @below {{expected a view of numbers, found elements of 'tensor<4xf32>'}}
func.func private @view_of_tiles(!tile.view<4xtensor<4xf32>, strides = [1]>)

// -----

// The number that stands for `?` inside is no stride.
// expected-error @below {{expected a stride above the least 64-bit number}}
func.func private @view_stride_sentinel(!tile.view<4xf32, strides = [-9223372036854775808]>)

// -----

// expected-error @below {{integer value too large}}
func.func private @view_stride_too_large(!tile.view<4xf32, strides = [9223372036854775808]>)

// -----

// expected-error @below {{invalid dimension}}
func.func private @view_size_too_large(!tile.view<99999999999999999999xf32, strides = [1]>)

// -----

// expected-error @below {{expected non-function type}}
func.func private @view_negative_size(!tile.view<-4xf32, strides = [1]>)

// -----

// expected-error @below {{expected ','}}
func.func private @view_without_strides(!tile.view<4xf32>)
