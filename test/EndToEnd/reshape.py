# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Reshapes between odd shapes: into, out of and across dimensions that warps and lanes do not divide evenly."""

import unittest

import numpy as np

import tilewright

# Source, result. Many layouts of these have several register digits, or padding where a dimension does not fill a warp.
SHAPES = [
    ((3, 3, 64, 2), (288, 2, 1, 1, 2)),
    ((288, 2, 1, 1, 2), (3, 3, 64, 2)),
    ((1, 1, 1, 1, 1152), (1152, 1, 1, 1, 1)),
    ((4, 72, 20), (4, 180, 4, 2, 1)),
    ((4, 6, 6, 10, 4), (4, 180, 1, 4, 2)),
    ((1440,), (1, 3, 20, 6, 4)),
    ((7, 5, 3), (105,)),
    ((15, 14), (6, 35)),
    ((1,), (1, 1, 1)),
    ((2, 3, 5, 7), (7, 5, 3, 2)),
    ((64, 48), (48, 64)),
]
TYPES = {"f16": np.float16, "f32": np.float32, "i8": np.int8, "i64": np.int64}


def view_of(shape, type, unit):
    """A view of dynamic sizes whose dimension `unit` has stride 1; None: all strides are dynamic."""
    strides = ", ".join("1" if dim == unit else "?" for dim in range(len(shape)))
    return f"!tile.view<{'x'.join('?' for _ in shape)}x{type}, strides = [{strides}]>"


def kernel(source, result, type, warps, units):
    """A kernel that adds a reshaped tile to what the output holds, so that two wishes for a layout meet."""
    x, y = view_of(source, type, units[0]), view_of(result, type, units[1])
    tiles = [f"tensor<{'x'.join(map(str, shape))}x{type}>" for shape in (source, result)]
    zeros = [", ".join("%c0" for _ in shape) for shape in (source, result)]
    return (
        f"func.func @k(%x: {x}, %y: {y}) attributes {{tile.kernel, tile.num_warps = {warps} : i64, tile.grid = @g}} {{\n"
        f"  %c0 = arith.constant 0 : index\n"
        f"  %a = tile.load %x[{zeros[0]}] : {x} -> {tiles[0]}\n"
        f"  %b = tile.reshape %a : {tiles[0]} -> {tiles[1]}\n"
        f"  %c = tile.load %y[{zeros[1]}] : {y} -> {tiles[1]}\n"
        f"  %d = arith.add{type[0]} %b, %c : {tiles[1]}\n"
        f"  tile.store %d, %y[{zeros[1]}] : {tiles[1]}, {y}\n  return\n}}\n"
        f"func.func @g(%x: {x}, %y: {y}) -> index {{\n  %c1 = arith.constant 1 : index\n  return %c1 : index\n}}\n"
    )


def with_unit(values, unit):
    """A copy of the values in memory where neighbours along dimension `unit` are next to each other."""
    if unit is None:
        unit = values.ndim - 1
    return np.moveaxis(np.moveaxis(values, unit, -1).copy(order="C"), -1, unit)


class Reshape(unittest.TestCase):
    def test_odd_shapes(self):
        step = 0
        for source, result in SHAPES:
            for warps in (1, 2, 4, 8):
                # Types and dimensions of unit stride take turns.
                type = list(TYPES)[step % len(TYPES)]
                units = (step % len(source), (step // 2) % len(result) if step % 3 else None)
                step += 1
                with self.subTest(source=source, result=result, warps=warps, type=type, units=units):
                    module = tilewright.compile(kernel(source, result, type, warps, units), lazy=True)
                    values = (np.arange(np.prod(source)) % 61).astype(TYPES[type]).reshape(source)
                    start = (np.arange(np.prod(source)) % 53).astype(TYPES[type]).reshape(result)
                    output = with_unit(start, units[1])
                    module["k"](with_unit(values, units[0]), output, backend="emulator")
                    np.testing.assert_array_equal(output, start + values.reshape(result))


if __name__ == "__main__":
    unittest.main()
