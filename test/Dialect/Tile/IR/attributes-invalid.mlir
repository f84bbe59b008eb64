// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected tile.kernel to be a unit attribute, found 3 : i64}}
func.func @kernel_value() attributes {tile.kernel = 3} {
  return
}

// -----

// expected-error @below {{expected tile.kernel on a func.func only}}
module attributes {tile.kernel} {
}

// -----

// expected-error @below {{expected a kernel to return nothing, found '() -> index'}}
func.func @kernel_with_result() -> index attributes {tile.kernel} {
  %0 = arith.constant 0 : index
  return %0 : index
}

// -----

// expected-error @below {{expected kernel parameter 1 to be a scalar, a pointer or a view, found 'tensor<4xf32>'}}
func.func @kernel_with_tile(%n: index, %t: tensor<4xf32>) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{expected kernel parameter 0 to be a scalar, a pointer or a view, found '!tile.token'}}
func.func @kernel_with_token(%t: !tile.token) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{expected parameter names to differ, found 'a' twice}}
func.func @same_name(%n: index {tile.name = "a"}, %m: index {tile.name = "a"}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{does not know the attribute tile.num_warp}}
func.func @misspelt() attributes {tile.kernel, tile.num_warp = 4} {
  return
}

// -----

// expected-error @below {{expected tile.num_warps to be an integer of 1 to 32, found 33 : i64}}
func.func @too_many_warps() attributes {tile.kernel, tile.num_warps = 33} {
  return
}

// -----

// expected-error @below {{expected tile.num_warps to be an integer of 1 to 32, found 0 : i64}}
func.func @no_warps() attributes {tile.kernel, tile.num_warps = 0} {
  return
}

// -----

// expected-error @below {{expected tile.num_warps to be an integer of 1 to 32, found 4 : ui8}}
func.func @unsigned_warps() attributes {tile.kernel, tile.num_warps = 4 : ui8} {
  return
}

// -----

// expected-error @below {{expected tile.num_warps to be an integer of 1 to 32, found 36893488147419103232 : i128}}
func.func @huge_warps() attributes {tile.kernel, tile.num_warps = 36893488147419103232 : i128} {
  return
}

// -----

// expected-error @below {{expected tile.num_warps on a function with tile.kernel only}}
func.func @warps_of_no_kernel() attributes {tile.num_warps = 4} {
  return
}

// -----

// expected-error @below {{expected tile.num_stages on a loop or a function with tile.kernel only}}
func.func @stages_of_no_kernel() attributes {tile.num_stages = 4} {
  return
}

// -----

// expected-error @below {{expected tile.unroll on a loop only}}
func.func @unroll_of_function() attributes {tile.unroll = 4} {
  return
}

// -----

func.func @unroll_half(%n: index) {
  // expected-error @below {{expected tile.unroll to be "full" or an integer of 1 to 65536, found "half"}}
  scf.for %i = %n to %n step %n {
  } {tile.unroll = "half"}
  return
}

// -----

func.func @flatten_value(%n: index) {
  // expected-error @below {{expected tile.flatten to be a unit attribute, found true}}
  scf.for %i = %n to %n step %n {
  } {tile.flatten = true}
  return
}

// -----

// expected-error @below {{expected tile.name of argument 0 to be a name, found ""}}
func.func private @empty_name(index {tile.name = ""})

// -----

// expected-error @below {{expected tile.noalias of argument 0 to be a unit attribute on a pointer or view, found unit on 'index'}}
func.func private @noalias_index(index {tile.noalias})

// -----

// expected-error @below {{expected tile.div_by of argument 0 to be an integer of 1 or more, found 0 : i64}}
func.func private @div_by_zero(index {tile.div_by = 0})

// -----

// expected-error @below {{expected tile.div_by of argument 0 on an integer, a pointer or a view, found 'f32'}}
func.func private @div_by_of_float(f32 {tile.div_by = 4})

// -----

// expected-error @below {{expected tile.min of argument 0 on an integer, found '!tile.ptr<f32>'}}
func.func private @min_of_pointer(!tile.ptr<f32> {tile.min = 4})

// -----

// expected-error @below {{expected tile.max of argument 0 to be an integer that 'i8' holds, found 128 : i64}}
func.func private @max_too_large(i8 {tile.max = 128})

// -----

// expected-error @below {{expected tile.min of argument 0 to be at most tile.max (3), found 4}}
func.func private @min_above_max(i8 {tile.max = 3, tile.min = 4})

// -----

// expected-error @below {{expected tile.sizes_div_by of argument 0 on a view, found 'index'}}
func.func private @sizes_of_index(index {tile.sizes_div_by = array<i64: 1>})

// -----

// expected-error @below {{expected tile.strides_div_by of argument 0 to be array<i64> of 2 factors of 1 or more, one per view dim, found array<i64: 1>}}
func.func private @strides_count(!tile.view<?x?xf32, strides = [?, 1]> {tile.strides_div_by = array<i64: 1>})

// -----

// expected-error @below {{expected tile.sizes_div_by of argument 0 to be array<i64> of 1 factors of 1 or more, one per view dim, found array<i64: 0>}}
func.func private @sizes_zero(!tile.view<?xf32, strides = [1]> {tile.sizes_div_by = array<i64: 0>})

// -----

// expected-error @below {{does not know the argument attribute tile.align}}
func.func private @argument_attribute(index {tile.align = 3})

// -----

// expected-error @below {{does not know the result attribute tile.name}}
func.func private @result_attribute() -> (index {tile.name = "r"})

// -----

// expected-error @below {{expected tile.grid to be the name of a function, found "g"}}
func.func @grid_string() attributes {tile.kernel, tile.grid = "g"} {
  return
}

// -----

// expected-error @below {{expected tile.grid on a function with tile.kernel only}}
func.func @grid_of_no_kernel() attributes {tile.grid = @g} {
  return
}

// -----

// expected-error @below {{expected tile.grid to name a function, found no @g}}
func.func @grid_missing() attributes {tile.kernel, tile.grid = @g} {
  return
}

// -----

func.func @grid_declared() attributes {tile.kernel, tile.grid = @declared} {
  return
}
// expected-error @below {{expected tile.grid to be one block of host operations}}
func.func private @declared() -> index

// -----

func.func @grid_of_blocks() attributes {tile.kernel, tile.grid = @blocks} {
  return
}
// expected-error @below {{expected tile.grid to be one block of host operations}}
func.func @blocks() -> index {
  %0 = arith.constant 1 : index
  cf.br ^bb1
^bb1:
  return %0 : index
}

// -----

// expected-note @below {{it belongs to this kernel}}
func.func @grid_of_four() attributes {tile.kernel, tile.grid = @four} {
  return
}
// expected-error @below {{expected tile.grid to return one to three index values, found '() -> (index, index, index, index)'}}
func.func @four() -> (index, index, index, index) {
  %0 = arith.constant 1 : index
  return %0, %0, %0, %0 : index, index, index, index
}

// -----

// expected-note @below {{it belongs to this kernel}}
func.func @grid_of_i32() attributes {tile.kernel, tile.grid = @i32_grid} {
  return
}
// expected-error @below {{expected tile.grid to return one to three index values, found '() -> i32'}}
func.func @i32_grid() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}

// -----

// expected-note @below {{the kernel takes '(index) -> ()'}}
func.func @grid_parameters(%n: index) attributes {tile.kernel, tile.grid = @other_parameters} {
  return
}
// expected-error @below {{expected tile.grid to take the kernel's parameters, found '() -> index'}}
func.func @other_parameters() -> index {
  %0 = arith.constant 1 : index
  return %0 : index
}

// -----

func.func @grid_with_loop(%n: index) attributes {tile.kernel, tile.grid = @loop} {
  return
}
func.func @loop(%n: index) -> index {
  // expected-error @below {{expected only what a host evaluates in @loop, found scf.for}}
  scf.for %i = %n to %n step %n {
  }
  return %n : index
}

// -----

func.func @grid_with_float(%x: f32) attributes {tile.kernel, tile.grid = @float} {
  return
}
func.func @float(%x: f32) -> index {
  // expected-error @below {{expected only what a host evaluates in @float, found arith.fptosi}}
  %0 = arith.fptosi %x : f32 to i64
  %1 = arith.index_cast %0 : i64 to index
  return %1 : index
}

// -----

func.func @grid_with_load(%p: !tile.ptr<i64>) attributes {tile.kernel, tile.grid = @reads} {
  return
}
func.func @reads(%p: !tile.ptr<i64>) -> index {
  // expected-error @below {{expected only what a host evaluates in @reads, found tile.load_ptr}}
  %0 = tile.load_ptr %p : !tile.ptr<i64>
  %1 = arith.index_cast %0 : i64 to index
  return %1 : index
}

// -----

func.func @base() attributes {tile.kernel} {
  return
}
// expected-note @below {{it belongs to this kernel}}
func.func @guarded() attributes {tile.kernel, tile.variant_of = @base, tile.guard = @index_guard} {
  return
}
// expected-error @below {{expected tile.guard to return one i1, found '() -> index'}}
func.func @index_guard() -> index {
  %0 = arith.constant 1 : index
  return %0 : index
}

// -----

// expected-error @below {{expected tile.guard on a function with tile.variant_of only}}
func.func @guard_of_no_variant() attributes {tile.kernel, tile.guard = @yes} {
  return
}
func.func @yes() -> i1 {
  %0 = arith.constant true
  return %0 : i1
}

// -----

// expected-error @below {{expected tile.variant_of to name a kernel that is no variant, found @helper}}
func.func @variant_of_helper() attributes {tile.kernel, tile.variant_of = @helper} {
  return
}
func.func @helper() {
  return
}

// -----

// expected-error @below {{expected tile.variant_of to name a kernel that is no variant, found @itself}}
func.func @itself() attributes {tile.kernel, tile.variant_of = @itself} {
  return
}

// -----

// expected-note @below {{the kernel takes '(!tile.view<?xf32, strides = [1]>) -> ()'}}
func.func @narrow(%v: !tile.view<?xf32, strides = [1]>) attributes {tile.kernel} {
  return
}
// expected-error @below {{expected a variant to take the kernel's parameters, views with more of them static at most, found '(!tile.view<?xf32, strides = [?]>) -> ()'}}
func.func @wider_variant(%v: !tile.view<?xf32, strides = [?]>) attributes {tile.kernel, tile.variant_of = @narrow} {
  return
}

// -----

// expected-error @below {{expected tile.requires to return one i1 for each text of its tile.messages, found '(index) -> i1'}}
func.func @says_nothing(%n: index) -> i1 {
  %true = arith.constant true
  return %true : i1
}
// expected-note @below {{it belongs to this kernel}}
func.func @requires_without_messages(%n: index) attributes {tile.kernel, tile.requires = @says_nothing} {
  return
}

// -----

// expected-error @below {{expected tile.messages to be a list of texts, found ["even", ""]}}
func.func @says_too_little(%n: index) -> i1 attributes {tile.messages = ["even", ""]} {
  %true = arith.constant true
  return %true : i1
}

// -----

// expected-error @below {{expected tile.requires to take the kernel's parameters, found '(i32) -> i1'}}
func.func @of_another(%n: i32) -> i1 attributes {tile.messages = ["even"]} {
  %true = arith.constant true
  return %true : i1
}
// expected-note @below {{the kernel takes '(index) -> ()'}}
func.func @requires_of_another(%n: index) attributes {tile.kernel, tile.requires = @of_another} {
  return
}

// -----

// expected-error @below {{expected tile.requires to name a function, found no @nothing}}
func.func @requires_nothing() attributes {tile.kernel, tile.requires = @nothing} {
  return
}

// -----

// expected-error @below {{expected tile.epilogue_parts to be an integer of 1 to 16, found 17 : i64}}
func.func @many_parts() attributes {tile.kernel, tile.epilogue_parts = 17} {
  return
}

// -----

func.func @parts_of_a_loop(%n: index) {
  // expected-error @below {{expected tile.epilogue_parts on tile.store or a function with tile.kernel only}}
  scf.for %i = %n to %n step %n {
  } {tile.epilogue_parts = 2}
  return
}

// -----

func.func @base() attributes {tile.kernel} {
  return
}
func.func @early() -> i1 {
  %c2 = arith.constant 2 : index
  // expected-error @below {{expected max_ctas_per_sm in a function of tile.grid only, found it in @early of tile.guard: which version is launched is not known before}}
  %n = tile.device_info max_ctas_per_sm
  %r = arith.cmpi sge, %n, %c2 : index
  return %r : i1
}
func.func @asks_early() attributes {tile.kernel, tile.variant_of = @base, tile.guard = @early} {
  return
}
