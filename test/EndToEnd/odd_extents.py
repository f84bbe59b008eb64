# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Tiles whose extents are an odd multiple of a power of two: products, reductions, broadcasts, reshapes, permutations.

Any number of warps, against NumPy.
"""

import itertools
import unittest

import numpy as np

import tilewright

EXTENTS = (48, 96, 112, 192, 208)
WARPS = (1, 2, 3, 4, 5, 6, 7, 8)
# Each extent with itself and with the next one.
PAIRS = [*zip(EXTENTS, EXTENTS), *zip(EXTENTS, EXTENTS[1:] + EXTENTS[:1])]
TYPES = {"f16": np.float16, "f32": np.float32}


def program(body, views, warps):
    """A module of one kernel @k with these views as parameters %v0, %v1 and so on."""
    parameters = ", ".join(f"%v{index}: {view}" for index, view in enumerate(views))
    return (
        f"func.func @k({parameters}) attributes {{tile.kernel, tile.num_warps = {warps} : i64, tile.grid = @g}} {{\n"
        f"  %c0 = arith.constant 0 : index\n{body}  return\n}}\n"
        f"func.func @g({parameters}) -> index {{\n  %c1 = arith.constant 1 : index\n  return %c1 : index\n}}\n"
    )


def view(type, rank):
    """A row-major view of dynamic sizes."""
    return f"!tile.view<{'?x' * rank}{type}, strides = [{'?, ' * (rank - 1)}1]>"


def small(shape, dtype, seed):
    """Small integers, so that sums are exact in any order."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(dtype)


class OddExtents(unittest.TestCase):
    def test_dot(self):
        # Warps and K take turns. f32 goes by multiply-add units, f16 by tensor cores.
        for (m, n), warps, k in zip(PAIRS, itertools.cycle(WARPS), itertools.cycle((48, 16))):
            for type in TYPES:
                if type == "f32" and m * n > 112 * 112 and warps < 4:
                    warps = 8  # More accumulators than a thread has registers.
                with self.subTest(m=m, n=n, k=k, warps=warps, type=type):
                    x, y, z = view(type, 2), view(type, 2), view("f32", 2)
                    left, right, sums = f"tensor<{m}x{k}x{type}>", f"tensor<{k}x{n}x{type}>", f"tensor<{m}x{n}xf32>"
                    body = (
                        f"  %a = tile.load %v0[%c0, %c0] : {x} -> {left}\n"
                        f"  %b = tile.load %v1[%c0, %c0] : {y} -> {right}\n"
                        f"  %c = arith.constant dense<1.0> : {sums}\n"
                        f"  %d = tile.dot %a, %b, %c : {left}, {right} -> {sums}\n"
                        f"  tile.store %d, %v2[%c0, %c0] : {sums}, {z}\n"
                    )
                    module = tilewright.compile(program(body, (x, y, z), warps), lazy=True)
                    a, b = small((m, k), TYPES[type], 1), small((k, n), TYPES[type], 2)
                    c = np.full((m, n), np.nan, np.float32)
                    module["k"](a, b, c, backend="emulator")
                    np.testing.assert_array_equal(c, 1 + a.astype(np.float32) @ b.astype(np.float32))

    def test_dot_onto_memory(self):
        # The sums come from memory: with the operands they would not all fit in shared memory at a time.
        for m, n, k in ((192, 208, 96), (208, 192, 112)):
            with self.subTest(m=m, n=n, k=k):
                x, z = view("f16", 2), view("f32", 2)
                left, right, sums = f"tensor<{m}x{k}xf16>", f"tensor<{k}x{n}xf16>", f"tensor<{m}x{n}xf32>"
                body = (
                    f"  %a = tile.load %v0[%c0, %c0] : {x} -> {left}\n"
                    f"  %b = tile.load %v1[%c0, %c0] : {x} -> {right}\n"
                    f"  %c = tile.load %v2[%c0, %c0] : {z} -> {sums}\n"
                    f"  %d = tile.dot %a, %b, %c : {left}, {right} -> {sums}\n"
                    f"  tile.store %d, %v2[%c0, %c0] : {sums}, {z}\n"
                )
                module = tilewright.compile(program(body, (x, x, z), 8), lazy=True)
                a, b, c = small((m, k), np.float16, 1), small((k, n), np.float16, 2), small((m, n), np.float32, 3)
                expected = c + a.astype(np.float32) @ b.astype(np.float32)
                module["k"](a, b, c, backend="emulator")
                np.testing.assert_array_equal(c, expected)

    def test_reduce_and_broadcast(self):
        # Every element minus the sum of its row, or of its column.
        for (rows, columns), warps in zip(PAIRS, itertools.cycle(WARPS)):
            for dim in (0, 1) if rows != columns else (warps % 2,):
                with self.subTest(rows=rows, columns=columns, warps=warps, dim=dim):
                    x = view("f32", 2)
                    tile = f"tensor<{rows}x{columns}xf32>"
                    kept = columns if dim == 0 else rows
                    thin = f"tensor<1x{columns}xf32>" if dim == 0 else f"tensor<{rows}x1xf32>"
                    body = (
                        f"  %a = tile.load %v0[%c0, %c0] : {x} -> {tile}\n"
                        f"  %s = tile.reduce %a dim {dim} : {tile} -> tensor<{kept}xf32> {{\n"
                        f"  ^bb0(%p: f32, %q: f32):\n"
                        f"    %t = arith.addf %p, %q : f32\n"
                        f"    tile.yield %t : f32\n  }}\n"
                        f"  %u = tile.reshape %s : tensor<{kept}xf32> -> {thin}\n"
                        f"  %w = tile.broadcast %u : {thin} -> {tile}\n"
                        f"  %d = arith.subf %a, %w : {tile}\n"
                        f"  tile.store %d, %v1[%c0, %c0] : {tile}, {x}\n"
                    )
                    module = tilewright.compile(program(body, (x, x), warps), lazy=True)
                    a = small((rows, columns), np.float32, 4)
                    c = np.full_like(a, np.nan)
                    module["k"](a, c, backend="emulator")
                    np.testing.assert_array_equal(c, a - a.sum(dim, keepdims=True))

    def test_permute_and_reshape(self):
        # The transpose, with its rows cut in two, added to what is there: two wishes for a layout meet.
        for (rows, columns), warps in zip(PAIRS, itertools.cycle(WARPS)):
            type = list(TYPES)[warps % 2]
            with self.subTest(rows=rows, columns=columns, warps=warps, type=type):
                x, y = view(type, 2), view(type, 3)
                result = (columns, 2, rows // 2)
                source, turned = f"tensor<{rows}x{columns}x{type}>", f"tensor<{columns}x{rows}x{type}>"
                tile = f"tensor<{'x'.join(map(str, result))}x{type}>"
                body = (
                    f"  %a = tile.load %v0[%c0, %c0] : {x} -> {source}\n"
                    f"  %t = tile.permute %a [1, 0] : {source} -> {turned}\n"
                    f"  %b = tile.reshape %t : {turned} -> {tile}\n"
                    f"  %c = tile.load %v1[%c0, %c0, %c0] : {y} -> {tile}\n"
                    f"  %d = arith.addf %b, %c : {tile}\n"
                    f"  tile.store %d, %v1[%c0, %c0, %c0] : {tile}, {y}\n"
                )
                module = tilewright.compile(program(body, (x, y), warps), lazy=True)
                a, c = small((rows, columns), TYPES[type], 5), small(result, TYPES[type], 6)
                expected = c + a.T.reshape(result)
                module["k"](a, c, backend="emulator")
                np.testing.assert_array_equal(c, expected)


if __name__ == "__main__":
    unittest.main()
