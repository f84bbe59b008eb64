# SPDX-License-Identifier: Apache-2.0
"""Embedding from Python: compile a kernel from text, run it on the emulator, and show what a broken one gives."""

import numpy as np

import tilewright

SCALE = """
!vec = !tile.view<?xf32, strides = [?]>

// y = factor * x, 512 elements per program.
func.func @scale(%x: !vec {tile.name = "x"}, %y: !vec {tile.name = "y"}, %factor: f32 {tile.name = "factor"})
    attributes {tile.kernel, tile.grid = @scale_grid} {
  %c512 = arith.constant 512 : index
  %program = tile.program_id x
  %start = arith.muli %program, %c512 overflow<nsw> : index
  %tile = tile.load %x[%start] pad(zero) : !vec -> tensor<512xf32>
  %factors = tile.splat %factor : f32 -> tensor<512xf32>
  %scaled = arith.mulf %tile, %factors : tensor<512xf32>
  tile.store %scaled, %y[%start] : tensor<512xf32>, !vec
  return
}

func.func @scale_grid(%x: !vec, %y: !vec, %factor: f32) -> index {
  %c512 = arith.constant 512 : index
  %n = tile.view_size %y, 0 : !vec
  %programs = arith.ceildivsi %n, %c512 : index
  return %programs : index
}
"""


def main() -> None:
    module = tilewright.compile(SCALE, target="sm_90a")
    print(module["scale"])

    x = np.arange(1000, dtype=np.float32)
    y = np.full_like(x, np.nan)
    launch = module["scale"](x, y, factor=2.5, backend="emulator")
    assert (y == 2.5 * x).all()
    print(f"ran on {launch.backend}: y[999] = {y[999]}")

    # The output tile is half as long as the block that is stored.
    broken = SCALE.replace("mulf %tile, %factors : tensor<512xf32>", "mulf %tile, %factors : tensor<256xf32>")
    try:
        tilewright.compile(broken)
    except tilewright.CompileError as error:
        for diagnostic in error.diagnostics:
            print(f"line {diagnostic.line}, column {diagnostic.column}: {diagnostic.severity}: {diagnostic.message}")

    # What does not fit a parameter is refused before anything runs.
    try:
        module["scale"](x.astype(np.float64), y, factor=2.5, backend="emulator")
    except tilewright.LaunchError as error:
        print(f"launch refused: {error}")


if __name__ == "__main__":
    main()
