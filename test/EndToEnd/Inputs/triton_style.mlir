// SPDX-License-Identifier: Apache-2.0
// Kernels as Triton writes them: addresses and masks in i32, pointers advanced in loops, rows modulo their number.

func.func @add_grid(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) -> index {
  %c1024 = arith.constant 1024 : index
  %size = arith.index_cast %n : i32 to index
  %programs = arith.ceildivsi %size, %c1024 : index
  return %programs : index
}

// out = x + y.
func.func @add(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"},
               %out: !tile.ptr<f32> {tile.name = "out"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel, tile.grid = @add_grid} {
  %c1024 = arith.constant 1024 : i32
  %program = tile.program_id x
  %pid = arith.index_cast %program : index to i32
  %start = arith.muli %pid, %c1024 overflow<nsw> : i32
  %starts = tile.splat %start : i32 -> tensor<1024xi32>
  %iota = tile.iota : tensor<1024xi32>
  %offsets = arith.addi %starts, %iota overflow<nsw> : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %px = tile.ptr_add %xs, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %py = tile.ptr_add %ys, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %pout = tile.ptr_add %outs, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %a = tile.load_ptr %px mask %mask : tensor<1024x!tile.ptr<f32>>
  %b = tile.load_ptr %py mask %mask : tensor<1024x!tile.ptr<f32>>
  %sum = arith.addf %a, %b : tensor<1024xf32>
  tile.store_ptr %sum, %pout mask %mask : tensor<1024x!tile.ptr<f32>>
  return
}

func.func @softmax_grid(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %rows: i32, %columns: i32, %stride: i32) -> index {
  %programs = arith.index_cast %rows : i32 to index
  return %programs : index
}

// One row of at most 1024 elements for each program.
func.func @softmax(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"},
                   %rows: i32 {tile.name = "rows"}, %columns: i32 {tile.name = "columns"},
                   %stride: i32 {tile.name = "stride"}) attributes {tile.kernel, tile.grid = @softmax_grid} {
  %program = tile.program_id x
  %row = arith.index_cast %program : index to i32
  %skip = arith.muli %row, %stride overflow<nsw> : i32
  %x_row = tile.ptr_add %x, %skip : !tile.ptr<f32>, i32
  %y_row = tile.ptr_add %y, %skip : !tile.ptr<f32>, i32
  %offsets = tile.iota : tensor<1024xi32>
  %ns = tile.splat %columns : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
  %xs = tile.splat %x_row : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %px = tile.ptr_add %xs, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %lowest = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %row_values = tile.load_ptr %px mask %mask other %lowest : tensor<1024x!tile.ptr<f32>>
  %max = tile.reduce %row_values dim 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    %r = arith.maximumf %a, %e : f32
    tile.yield %r : f32
  }
  %maxs = tile.splat %max : f32 -> tensor<1024xf32>
  %shifted = arith.subf %row_values, %maxs : tensor<1024xf32>
  %exp = math.exp %shifted : tensor<1024xf32>
  %sum = tile.reduce %exp dim 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %e: f32):
    %r = arith.addf %a, %e : f32
    tile.yield %r : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<1024xf32>
  %quotient = arith.divf %exp, %sums : tensor<1024xf32>
  %ys = tile.splat %y_row : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %py = tile.ptr_add %ys, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store_ptr %quotient, %py mask %mask : tensor<1024x!tile.ptr<f32>>
  return
}

func.func @matmul_grid(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f16>, %m: i32, %n: i32, %k: i32,
                       %stride_am: i32, %stride_bk: i32, %stride_cm: i32) -> (index, index) {
  %c64 = arith.constant 64 : index
  %rows = arith.index_cast %m : i32 to index
  %columns = arith.index_cast %n : i32 to index
  %tiles_m = arith.ceildivsi %rows, %c64 : index
  %tiles_n = arith.ceildivsi %columns, %c64 : index
  return %tiles_m, %tiles_n : index, index
}

// c = a * b with rows of a and columns of b modulo their number, and masks along K alone, as Triton's tutorial has it.
func.func @matmul(%a: !tile.ptr<f16> {tile.name = "a"}, %b: !tile.ptr<f16> {tile.name = "b"},
                  %c: !tile.ptr<f16> {tile.name = "c"}, %m: i32 {tile.name = "m"}, %n: i32 {tile.name = "n"},
                  %k: i32 {tile.name = "k"}, %stride_am: i32 {tile.name = "stride_am"},
                  %stride_bk: i32 {tile.name = "stride_bk"}, %stride_cm: i32 {tile.name = "stride_cm"})
    attributes {tile.kernel, tile.grid = @matmul_grid} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero_a = arith.constant dense<0.0> : tensor<64x32xf16>
  %zero_b = arith.constant dense<0.0> : tensor<32x64xf16>
  %program_m = tile.program_id x
  %program_n = tile.program_id y
  %pid_m = arith.index_cast %program_m : index to i32
  %pid_n = arith.index_cast %program_n : index to i32
  %i = arith.muli %pid_m, %c64 overflow<nsw> : i32
  %j = arith.muli %pid_n, %c64 overflow<nsw> : i32
  %iota64 = tile.iota : tensor<64xi32>
  %is = tile.splat %i : i32 -> tensor<64xi32>
  %js = tile.splat %j : i32 -> tensor<64xi32>
  %rows_m = arith.addi %is, %iota64 overflow<nsw> : tensor<64xi32>
  %columns_n = arith.addi %js, %iota64 overflow<nsw> : tensor<64xi32>
  %ms = tile.splat %m : i32 -> tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %rows_a = arith.remsi %rows_m, %ms : tensor<64xi32>
  %columns_b = arith.remsi %columns_n, %ns : tensor<64xi32>
  %offs_k = tile.iota : tensor<32xi32>

  %rows_a2 = tile.reshape %rows_a : tensor<64xi32> -> tensor<64x1xi32>
  %stride_as = tile.splat %stride_am : i32 -> tensor<64x1xi32>
  %rows_a3 = arith.muli %rows_a2, %stride_as overflow<nsw> : tensor<64x1xi32>
  %rows_a4 = tile.broadcast %rows_a3 : tensor<64x1xi32> -> tensor<64x32xi32>
  %k_row = tile.reshape %offs_k : tensor<32xi32> -> tensor<1x32xi32>
  %k_rows = tile.broadcast %k_row : tensor<1x32xi32> -> tensor<64x32xi32>
  %offs_a = arith.addi %rows_a4, %k_rows overflow<nsw> : tensor<64x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %pa0 = tile.ptr_add %as, %offs_a : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>

  %k_column = tile.reshape %offs_k : tensor<32xi32> -> tensor<32x1xi32>
  %stride_bs = tile.splat %stride_bk : i32 -> tensor<32x1xi32>
  %k_column2 = arith.muli %k_column, %stride_bs overflow<nsw> : tensor<32x1xi32>
  %k_columns = tile.broadcast %k_column2 : tensor<32x1xi32> -> tensor<32x64xi32>
  %columns_b2 = tile.reshape %columns_b : tensor<64xi32> -> tensor<1x64xi32>
  %columns_b3 = tile.broadcast %columns_b2 : tensor<1x64xi32> -> tensor<32x64xi32>
  %offs_b = arith.addi %k_columns, %columns_b3 overflow<nsw> : tensor<32x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %pb0 = tile.ptr_add %bs, %offs_b : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>

  %step_b = arith.muli %stride_bk, %c32 overflow<nsw> : i32
  %step_bs = tile.splat %step_b : i32 -> tensor<32x64xi32>
  %step_as = arith.constant dense<32> : tensor<64x32xi32>
  %trips = arith.ceildivsi %k, %c32 : i32
  %sum, %pa_end, %pb_end = scf.for %trip = %c0 to %trips step %c1 iter_args(%acc = %zero, %pa = %pa0, %pb = %pb0)
      -> (tensor<64x64xf32>, tensor<64x32x!tile.ptr<f16>>, tensor<32x64x!tile.ptr<f16>>) : i32 {
    %done = arith.muli %trip, %c32 overflow<nsw> : i32
    %left = arith.subi %k, %done overflow<nsw> : i32
    %left_row = tile.splat %left : i32 -> tensor<1x32xi32>
    %mask_row = arith.cmpi slt, %k_row, %left_row : tensor<1x32xi32>
    %mask_a = tile.broadcast %mask_row : tensor<1x32xi1> -> tensor<64x32xi1>
    %left_column = tile.splat %left : i32 -> tensor<32x1xi32>
    %mask_column = arith.cmpi slt, %k_column, %left_column : tensor<32x1xi32>
    %mask_b = tile.broadcast %mask_column : tensor<32x1xi1> -> tensor<32x64xi1>
    %lhs = tile.load_ptr %pa mask %mask_a other %zero_a : tensor<64x32x!tile.ptr<f16>>
    %rhs = tile.load_ptr %pb mask %mask_b other %zero_b : tensor<32x64x!tile.ptr<f16>>
    %next = tile.dot %lhs, %rhs, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    %pa_next = tile.ptr_add %pa, %step_as : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %pb_next = tile.ptr_add %pb, %step_bs : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
    scf.yield %next, %pa_next, %pb_next : tensor<64x64xf32>, tensor<64x32x!tile.ptr<f16>>, tensor<32x64x!tile.ptr<f16>>
  }

  %result = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  %rows_c = tile.reshape %rows_m : tensor<64xi32> -> tensor<64x1xi32>
  %columns_c = tile.reshape %columns_n : tensor<64xi32> -> tensor<1x64xi32>
  %stride_cs = tile.splat %stride_cm : i32 -> tensor<64x1xi32>
  %rows_c2 = arith.muli %rows_c, %stride_cs overflow<nsw> : tensor<64x1xi32>
  %rows_c3 = tile.broadcast %rows_c2 : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns_c2 = tile.broadcast %columns_c : tensor<1x64xi32> -> tensor<64x64xi32>
  %offs_c = arith.addi %rows_c3, %columns_c2 overflow<nsw> : tensor<64x64xi32>
  %cs = tile.splat %c : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %pc = tile.ptr_add %cs, %offs_c : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %m_column = tile.splat %m : i32 -> tensor<64x1xi32>
  %n_row = tile.splat %n : i32 -> tensor<1x64xi32>
  %in_rows = arith.cmpi slt, %rows_c, %m_column : tensor<64x1xi32>
  %in_columns = arith.cmpi slt, %columns_c, %n_row : tensor<1x64xi32>
  %in_rows2 = tile.broadcast %in_rows : tensor<64x1xi1> -> tensor<64x64xi1>
  %in_columns2 = tile.broadcast %in_columns : tensor<1x64xi1> -> tensor<64x64xi1>
  %mask_c = arith.andi %in_rows2, %in_columns2 : tensor<64x64xi1>
  tile.store_ptr %result, %pc mask %mask_c : tensor<64x64x!tile.ptr<f16>>
  return
}
