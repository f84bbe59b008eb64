// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckTargetPass : Pass<"tile-check-target", "::mlir::func::FuncOp"> {
  let summary = "Refuse what the target has no instructions for, and loops that cannot end";
  let description = [{
    An op of `arith` or `math` that computes with an element type is an error where the target has no arithmetic on it; the
    message names the oldest target that has. Conversions, constants and `select` work for every type. An scf.for whose step
    is a constant below 1, or whose variable overflows between constant bounds, would not end and is an error. So is an access
    that is marked `tile.tma` where no tensor map can serve it, and a `tile.occupancy` of more threads or programs than an SM
    holds. Changes nothing, and leaves functions without `tile.kernel` alone. Reports the first error of a kernel.
    Example: test/Dialect/Tile/Transforms/check-target-invalid.mlir#add_f8
  }];
  let options = [Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"", "Name of the GPU to compile for">,
                 Option<"numWarps", "num-warps", "unsigned", /*default=*/"0", "Warps of a kernel that does not say; 0: chosen">];
}

def CheckWishesPass : Pass<"tile-check-wishes", "::mlir::ModuleOp"> {
  let summary = "Say which wishes of a program nobody will look at or can obey";
  let description = [{
    An attribute that asks a pass for something while that pass is in `disabled`, or that nothing obeys so far, is a warning where it
    stands. `parts` in a module in which no kernel stores what a product makes is an error: there is nothing to do in parts.
    So is a loop that cannot end: no number of trips is what it asks for.
    Changes nothing.
    Example: test/Dialect/Tile/Transforms/check-wishes.mlir#all_of_them
  }];
  let options = [ListOption<"disabled", "disabled", "std::string", "Flags of the passes that are left out">,
                 Option<"parts", "parts", "unsigned", /*default=*/"0", "The option epilogue-parts; 0: not given">];
}

def FoldTransposePass : Pass<"tile-fold-transpose", "::mlir::func::FuncOp"> {
  let summary = "Put transposes into the strides of views";
  let description = [{
    A `tile.permute` goes into the loads in front of it, which then read through permuted views: through element-wise ops,
    casts, selects with their masks, broadcasts, reshapes, branches and what loops carry. Where that leaves a move, it goes
    into the stores and reductions behind it instead, if that leaves none. A value that is needed in both orders is loaded
    twice, at one place, where that is cheaper than moving it. What can be neither is moved in front of its loop. Left alone:
    a permute that only products read, which take an operand in either order at no cost; accesses with `sync`, `after` or a
    token. `TransposePlan.h` says what a plan costs. Float sums of `tile.reduce` may be taken in another order.
    Example: test/Dialect/Tile/Transforms/fold-transpose.mlir#through_casts
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def RaisePointersPass : Pass<"tile-raise-pointers", "::mlir::func::FuncOp"> {
  let summary = "Turn pointer arithmetic with masks into views";
  let description = [{
    `tile.load_ptr` and `tile.store_ptr` whose addresses are `base + sum(stride_d * (start_d + i_d))` with numbers that are the
    same for the whole tile become `tile.load` and `tile.store`: pointers that a loop advances by such a number included. A
    mask is a conjunction of `start_d + i_d < bound`; its dimension is checked against a view of that size, every other one
    is in bounds of a view as large as the tile. Offsets must not wrap in their own width and masked indices must not be
    negative, by `nsw` or by ranges, because a view does not wrap and checks below. `offset mod size` is taken for the
    offset where it is provably that, or where every store of what is loaded is masked by `offset < size`. `other` becomes a
    pad, or a select. Left alone, each with a remark: everything else; accesses with `sync`, `after` or a token; atomics.
    Example: test/Dialect/Tile/Transforms/raise-pointers.mlir#vector
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def ChooseExtentsPass : Pass<"tile-choose-extents", "::mlir::ModuleOp"> {
  let summary = "Resize the tiles that a kernel was written with";
  let description = [{
    Groups the dimensions of a kernel's tiles into classes of one extent and gives the classes in `extents` another one: types,
    constants, steps of loops, block numbers times the extent, and numbers of blocks in kernel and grid function change
    together. A class may be called M, N, K or B after its role in the products (M0, M1, ... after the number of the product where
    there are several), or by a parameter and its dimension, as in `out.0`; a name stands for all classes that have it. Every
    class is a remark with its names. `ExtentPlan.h` says when a class can be resized; what pins one is a remark, and asking for
    an extent that is not possible is an error. Accesses are checked again along what is resized to an extent that does not
    divide the old one, and sizes that must not differ for that are required of each launch. Without `extents` nothing changes. Float
    sums may be taken in another order. Takes views of different parameters not to overlap at different places.
    Example: test/Dialect/Tile/Transforms/choose-extents.mlir#matmul
  }];
  let options = [ListOption<"extents", "extents", "std::string", "Classes and their extents, CLASS:N each">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def SpecializePass : Pass<"tile-specialize", "::mlir::ModuleOp"> {
  let summary = "Add variants of a kernel for unit strides and aligned memory";
  let description = [{
    A variant is a clone with `tile.variant_of`, its own grid function and a guard over the arguments; the launcher takes the
    first whose guard holds. Up to two are made, fastest first: one where each view parameter has stride 1 in its last
    dimension and bases, strides, sizes and integers are multiples that allow 16-byte accesses, and one with unit strides
    alone. A promise that widens no access is not made; a kernel that gains nothing gets no variant. The kernel itself is
    unchanged and stays last. Leaves alone: kernels that have variants, views that a loop or a branch carries.
    Example: test/Dialect/Tile/Transforms/specialize.mlir#matmul
  }];
  let options = [Option<"maxVariants", "max-variants", "unsigned", /*default=*/"8",
                        "Most versions of a kernel, itself included; 1 leaves every kernel alone">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def SelectDotPass : Pass<"tile-select-dot", "::mlir::func::FuncOp"> {
  let summary = "Choose the instructions that compute each product";
  let description = [{
    Gives each `tile.dot` of a kernel the attribute `tile.dot_choice`: family of instructions, shape of one instruction, where operands
    and sum live and along which dimension operands are contiguous there. The fastest family of the target that takes the
    product is chosen, from the tables of `Target/`; each rule that keeps a product from a faster family is a `missed` remark with
    the value that breaks it. Before that, products that one product can compute are merged where that costs no more: chains of sums
    over neighbouring blocks of K, and products of a common operand whose sums are joined; independent products of one shape become
    matrices of one product where that costs less. Each such group is a remark with its costs. A family that is not lowered yet is named, and the best one that is computes the product.
    `tile.mma = "NAME"` on a product pins the family; where that is impossible it is an error. Without this pass
    `tile-assign-layouts` makes the same choice. Leaves functions without `tile.kernel` alone.
    Example: test/Dialect/Tile/Transforms/select-dot.mlir#plain_f16
  }];
  let options = [Option<"numWarps", "num-warps", "unsigned", /*default=*/"0",
                        "Warps of a kernel that has no tile.num_warps; 0: not chosen yet">,
                 Option<"merge", "merge", "bool", /*default=*/"true", "Merge products that one product can compute">,
                 Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"", "GPU to choose for">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def SplitPrecisionPass : Pass<"tile-split-precision", "::mlir::func::FuncOp"> {
  let summary = "Compute f32 products as several products of narrow parts";
  let description = [{
    A `tile.dot` of precision `tf32x3`, `bf16x3` or `bf16x6` becomes that many products of tf32 or bf16 parts with one
    sum, the smallest parts first. Numbers that are not finite give what one f32 product gives, except that an infinity
    times a subnormal number may be NaN. Without this pass such products run on the multiply-add units, exactly.
    Example: test/Dialect/Tile/Transforms/split-precision.mlir#tf32x3
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def SetInBoundsPass : Pass<"tile-set-in-bounds", "::mlir::ModuleOp"> {
  let summary = "Drop bounds checks that cannot fail";
  let description = [{
    Sets `in_bounds` of a dimension where every index is proved to lie inside: from ranges, promises, loops (a variable
    below a size that its step divides) and the grid function (a program below a number of tiles that divide the size).
    Keeps every value that is read.
    Example: test/Dialect/Tile/Transforms/set-in-bounds.mlir#interior
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def OrderGridPass : Pass<"tile-order-grid", "::mlir::ModuleOp"> {
  let summary = "Walk the tiles of a product in groups of rows, so that programs that run together share operands";
  let description = [{
    A grid with two axes of which one selects the rows and one the columns of operands becomes one axis, x; a third axis, the
    batch, is outermost. `group` rows of tiles are walked together, column by column; the last group has what is left. Grid function
    and kernel are rewritten together, `program_id` and `num_programs` with them. Without `group` or `tile.grid_group` the size is
    the one with which the programs that run at a time read least. Needs the facts that come from the grid to be used up. Leaves
    alone: grids of one axis, also those from which the kernel takes rows and columns itself; kernels whose loads do not share operands
    along two axes; grids that run at once; kernels whose programs may wait for one another.
    Example: test/Dialect/Tile/Transforms/order-grid.mlir#matmul
  }];
  let options = [Option<"group", "group", "unsigned", /*default=*/"0", "Rows of tiles to walk together; 0: chosen">,
                 Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"", "GPU to choose for">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def MakePersistentPass : Pass<"tile-make-persistent", "::mlir::ModuleOp"> {
  let summary = "Let one program compute several tiles, in a loop over the grid";
  let description = [{
    The grid becomes min(tiles, SMs * programs of each) along x, with the number of SMs from `tile.device_info` and the programs of
    an SM from `tile.occupancy`, without it from `tile.device_info max_ctas_per_sm`: as many as fit; each program walks the tiles `program_id, program_id + programs, ...` in a loop that is marked
    `tile.independent`. Where one wave holds all tiles, each program has one. `mode=auto` obeys `tile.persistent` and otherwise changes
    nothing, because without a software pipeline no iteration overlaps the next; `always` and `never` are for kernels that do not
    say. Leaves alone: grids that ask the device already, kernels whose programs may wait for one another.
    Example: test/Dialect/Tile/Transforms/make-persistent.mlir#rows
  }];
  let options = [Option<"mode", "mode", "std::string", /*default=*/"\"auto\"", "auto, always or never">,
                 Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"", "GPU to explain for">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def SubtileEpiloguePass : Pass<"tile-subtile-epilogue", "::mlir::func::FuncOp"> {
  let summary = "Convert and store a product's tile in parts";
  let description = [{
    What lies between a product's sums and their store (casts, bias, activation, loads of a residual) is done for some columns,
    which are stored, before the next columns are begun. So the registers of the chain and the shared memory through which the sums become
    rows are those of one part. Columns are cut because a thread holds several of them: a part is registers of each thread. Parts are
    multiples of 16 columns and need not be equal; offsets move, checks and pads stay. The number of parts is that of
    `tile.epilogue_parts` on the store or the kernel, else of the option, else the least of 1, 2 and 4 with which the chain fits into the
    registers and needs no more shared memory than the products did. A load is read part by part where no store
    between can write what it reads; else its parts are all read where it was. Left alone: chains of which another op needs a value
    whole, such as a reduction along the columns; stores and loads with `sync`, `after` or a token; stores through pointers.
    Example: test/Dialect/Tile/Transforms/subtile-epilogue.mlir#casts
  }];
  let options = [Option<"parts", "parts", "unsigned", /*default=*/"0", "Parts of each store that does not say; 0: chosen">,
                 Option<"numWarps", "num-warps", "unsigned", /*default=*/"0", "Warps of a kernel that does not say; 0: chosen">,
                 Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"", "GPU to choose for">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ub::UBDialect", "::tilewright::tile::TileDialect"];
}

def ControlUnrollPass : Pass<"tile-control-unroll", "::mlir::func::FuncOp"> {
  let summary = "Decide how often the body of a loop is repeated";
  let description = [{
    Records `tile.unroll` on each innermost loop with tiles that does not have it: `"full"` for all trips, a number of copies, or 1, which
    keeps it rolled down to the machine code. The registers come first: tiles that live throughout the loop and, once per copy,
    those of one trip at its point of most pressure (`LiveTiles.h`) must fit into what the target leaves a thread with the
    kernel's warps and `tile.occupancy`. Then the instructions of all copies, which cost compile time. Left alone: loops that say it
    themselves, loops in which products and loads meet, for the software pipeline, and loops around loops. `"full"` on a loop
    whose trips are known at run time only is an error. `tile-unroll-loops` makes the copies, in the program of one thread.
    Example: test/Dialect/Tile/Transforms/control-unroll.mlir#small
  }];
  let options = [Option<"maxInstructions", "max-instructions", "unsigned", /*default=*/"2048",
                        "Most instructions of a thread in all copies of a body">,
                 Option<"numWarps", "num-warps", "unsigned", /*default=*/"0", "Warps of a kernel that does not say; 0: chosen">,
                 Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"", "GPU to choose for">];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def BatchLaunchesPass : Pass<"tile-batch-launches", "::mlir::ModuleOp"> {
  let summary = "Merge launches of one kernel into one with an axis that selects the arguments";
  let description = [{
    Neighbouring `tile.launch` ops of one kernel in a host function become one launch of a new kernel, whose parameters are those of
    all of them (what all share is there once) and whose grid has one more axis. A program finds its arguments by that axis: a
    tree of branches that all threads of a program take alike, with selections at its leaves. The other axes have the
    largest of the launches' extents; programs beyond those of their own launch end at once. Launches that need more than
    `max-bytes` of parameters are split evenly. They must be independent: each marked `tile.independent`, or writing only through
    parameters of the host function with `tile.noalias` that no other of them uses. Leaves alone: kernels whose
    grid has three axes or asks the device, and those whose programs may wait for one another. `num_programs` is that of a launch.
    Example: test/Dialect/Tile/Transforms/batch-launches.mlir#three
  }];
  let options = [Option<"maxBytes", "max-bytes", "unsigned", /*default=*/"4096", "Most bytes of kernel parameters">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

def InsertTmaPass : Pass<"tile-insert-tma", "::mlir::ModuleOp"> {
  let summary = "Choose the block accesses that tensor maps serve";
  let description = [{
    A `tile.load` or `tile.store` that keeps every rule of TMA (`TmaRules.h`) is marked `tile.tma`: its view is known to the
    host before the launch, has a dimension of stride 1, an aligned base, aligned strides and sizes from 1, and the access needs no
    coordinate that 32 bits do not hold. The mark changes nothing of what the access means; once layouts are assigned, box and swizzle
    follow, and the launch plan gets the descriptor. `mode=auto` marks what types and promises prove and adds nothing.
    `mode=guard` also puts one variant of the kernel in front of all versions, whose guard tests what only the caller knows:
    alignment of bases and strides, unit strides, sizes from 1 to 2^31 - 1, strides below 2^40 bytes; there, pads that
    no tensor map fills with are selected behind the load. Each access without a map is a remark with the rule and the value.
    Leaves alone: atomic accesses, gathers, views that a loop or a branch carries, targets without TMA.
    Example: test/Dialect/Tile/Transforms/insert-tma.mlir#static
  }];
  let options = [
    Option<"mode", "mode", "std::string", /*default=*/"\"auto\"", "auto: no further variants; guard: one that tests the rules">,
    Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"", "GPU to choose for">,
    Option<"maxVariants", "max-variants", "unsigned", /*default=*/"8", "Most versions of a kernel, itself included">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::tile::TileDialect"];
}

def SpecializeEvenKPass : Pass<"tile-specialize-even-k", "::mlir::ModuleOp"> {
  let summary = "Free steady loops from bounds checks by guarded variants or a peeled last iteration";
  let description = [{
    Looks at each view dimension that an access in a loop checks. Where the check cannot fail, sets `in_bounds`. Where facts
    that a host can test make it needless (a size is a multiple of the step or of a program's share, two sizes are equal),
    adds variants of the fastest version of the kernel in front of it: one without any check that such facts remove, and one
    where only dimensions that the loops walk are even. A variant with products asks for an occupancy of 1 where the kernel
    asks for none. Otherwise peels the last, partial iteration of the loop. Nested loops
    and loops without a trip keep their meaning. Leaves alone: kernels without loops, loops whose step is no constant.
    Runs behind `tile-specialize`, whose variants it refines.
    Example: test/Dialect/Tile/Transforms/specialize-even-k.mlir#matmul
  }];
  let options = [
    Option<"mode", "mode", "std::string", /*default=*/"\"auto\"",
           "guard: variants alone; peel: peeling alone; auto: variants where a host can test, peeling elsewhere">,
    Option<"maxVariants", "max-variants", "unsigned", /*default=*/"8",
           "Most versions of a kernel, itself included; 1 adds no variant">,
    Option<"maxGrowth", "max-growth", "double", /*default=*/"3.0",
           "Most operations of all versions of a kernel together, as a multiple of those before">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilewright::tile::TileDialect"];
}

#endif
