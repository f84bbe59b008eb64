// SPDX-License-Identifier: Apache-2.0
#ifndef TILEWRIGHT_CONVERSION_TILETOTILEGPU_PASSES_TD
#define TILEWRIGHT_CONVERSION_TILETOTILEGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignLayoutsPass : Pass<"tile-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "Give every tile of a kernel a layout";
  let description = [{
    Loads and products choose, the rest follows; `tile_gpu.convert_layout` stands where two choices meet. Constants, `splat`, `iota` and
    what is computed from them alone are made once for each layout that is wanted. A search then changes layouts as long
    as that makes the program cheaper: a load takes the layout of what it is combined with, rows are reduced inside of one warp, or of one
    thread.
    It weighs conversions, accesses to memory, reductions and element-wise work by the trips of the loops around them; the
    remarks `LayoutChanged` and `LayoutCost` tell what it did. A product that `tile-select-dot` has not seen
    gets its choice of instructions first; one for another target is refused. The warp count is `tile.num_warps` of the kernel,
    else the option. Needs an inlined kernel; leaves functions without `tile.kernel` alone.
    Example: test/Conversion/TileToTileGPU/assign-layouts.mlir#vector_add
  }];
  let options = [Option<"numWarps", "num-warps", "unsigned", /*default=*/"0",
                        "Warps of a kernel that has no tile.num_warps, 1 to 32; 0: by its largest accumulator">,
                 Option<"target", "target", "std::string", /*default=*/"\"sm_90a\"",
                        "GPU whose tensor cores products may use">];
  let dependentDialects = ["::tilewright::tile_gpu::TileGPUDialect"];
}

def SinkCheapTilesPass : Pass<"tile-sink-cheap-tiles", "::mlir::func::FuncOp"> {
  let summary = "Make masks and positions inside of the loops that use them";
  let description = [{
    A tile of constants, positions or comparisons of these that is made in front of a loop and used in it keeps its
    registers occupied through the whole loop. It is made again in each block that uses it: about one instruction per
    element. Runs after layouts are known and after the last pass that would merge the copies.
    Example: test/Conversion/TileToTileGPU/sink-cheap-tiles.mlir#causal_mask
  }];
}

def LowerToBuffersPass : Pass<"tile-lower-to-buffers", "::mlir::func::FuncOp"> {
  let summary = "Turn reductions, products and layout conversions into shared-memory buffers";
  let description = [{
    A reduction becomes one step inside each warp, an exchange between warps where it spans several, and a step in registers. A
    product reads both operands from shared memory. A layout conversion that neither registers nor shuffles can do goes through
    shared memory; the others stay. Each trip through shared memory is an `analysis` remark with its bytes and reason.
    Example: test/Conversion/TileToTileGPU/lower-to-buffers.mlir#row_sum
  }];
  let dependentDialects = ["::tilewright::tile_gpu::TileGPUDialect"];
}

def InsertSyncPass : Pass<"tile-insert-sync", "::mlir::func::FuncOp"> {
  let summary = "Put a barrier wherever one thread may see what another one did";
  let description = [{
    Walks the kernel forwards with the accesses since the last barrier and puts a `tile_gpu.sync` in front of one
    that touches the same buffer, or global memory that may be the same, unless both only read. Loops are walked until
    nothing changes. Facts: buffers overlap only if `tile-allocate-shared` gave them overlapping offsets; global memory of
    a `tile.noalias` argument is its own. One thread's own accesses need no barrier only where the layouts say so.
    Example: test/Conversion/TileToTileGPU/insert-sync.mlir#loop_carried
  }];
  let dependentDialects = ["::tilewright::tile_gpu::TileGPUDialect"];
}

def AllocateSharedPass : Pass<"tile-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "Give shared-memory buffers their offsets";
  let description = [{
    Buffers whose live ranges do not meet may share bytes. First fit by size, largest first; offsets are multiples of 128
    bytes. The kernel's total is its attribute `tile_gpu.shared_bytes`; more than `limit-bytes` is an error that
    names the largest buffers, and so is more than `tile.occupancy` programs can have together. A buffer that every
    trip of a loop would fill with the same tile is filled in front of it, where the kernel still fits and either as many programs as
    before (at least as many as `tile.occupancy` asks for) or eight warps find room on an SM.
    Example: test/Conversion/TileToTileGPU/allocate-shared.mlir#reuse
  }];
  let options = [Option<"limitBytes", "limit-bytes", "int64_t", /*default=*/"232448",
                        "Most shared memory that a CTA of the target may have">];
  let dependentDialects = ["::tilewright::tile_gpu::TileGPUDialect"];
}

#endif
