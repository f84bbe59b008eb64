# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Rows and columns of a matrix, and planes of a cube, by index: indices that recur, that are negative or past the end,
of 32 and 64 bits; every element size, every layout of the matrix, one to eight warps."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

DTYPES = {"i8": np.int8, "i16": np.int16, "f16": np.float16, "f32": np.float32, "i64": np.int64, "f64": np.float64}
WARPS = (1, 2, 3, 4, 5, 8)
# Shape of the tile, dimension that is indexed, type of indices.
CASES = [((8, 16), 0, "i32"), ((8, 16), 1, "i32"), ((1, 64), 0, "i64"), ((64, 1), 1, "i64"), ((17, 5), 0, "i32"),
         ((3, 100), 0, "i64"), ((3, 100), 1, "i32"), ((64, 32), 0, "i32"), ((4, 5, 6), 1, "i32"), ((7,), 0, "i64"),
         ((300,), 0, "i32"), ((2, 8, 16), 0, "i32")]


def kernel(name, op, tile, dim, index, type, warps, flags="", pad="pad(zero) "):
    """y = gather of x, or a scatter of y into x; with x larger than the tile and the block at an offset of 1."""
    rank = len(tile)
    view = f"!tile.view<{'x'.join('?' * rank)}x{type}, strides = [{', '.join('?' * rank)}]>"
    rows = f"!tile.view<?x{index}, strides = [?]>"
    block, indices = f"tensor<{'x'.join(map(str, tile))}x{type}>", f"tensor<{tile[dim]}x{index}>"
    offsets = ", ".join("%i" if d == dim else "%c1" for d in range(rank))
    types = ", ".join(indices if d == dim else "index" for d in range(rank))
    zeros = ", ".join(["%c0"] * rank)
    parameters = f"%x: {view}, %r: {rows}, %y: {view}"
    if op == "gather":
        body = (f"  %v = tile.gather %x[{offsets}] {flags}{pad}: {view}[{types}] -> {block}\n"
                f"  tile.store %v, %y[{zeros}] : {block}, {view}\n")
    else:
        body = (f"  %v = tile.load %y[{zeros}] : {view} -> {block}\n"
                f"  tile.scatter %v, %x[{offsets}] {flags}: {block}, {view}[{types}]\n")
    return (f"func.func @{name}({parameters}) attributes {{tile.kernel, tile.num_warps = {warps} : i64, "
            f"tile.grid = @{name}_grid}} {{\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
            f"  %i = tile.load %r[%c0] : {rows} -> {indices}\n{body}  return\n}}\n"
            f"func.func @{name}_grid({parameters}) -> index {{\n  %c1 = arith.constant 1 : index\n"
            f"  return %c1 : index\n}}\n")


def place_of(shape, tile, dim, indices):
    """Index arrays of each element of the block in an array of `shape`, and whether it lies inside."""
    grid = np.meshgrid(*(np.arange(extent) for extent in tile), indexing="ij")
    place = [indices[g] if d == dim else g + 1 for d, g in enumerate(grid)]
    inside = np.all([(p >= 0) & (p < extent) for p, extent in zip(place, shape)], axis=0)
    return place, inside


class Gather(unittest.TestCase):
    def shapes(self):
        for n, (tile, dim, index) in enumerate(CASES):
            for m, type in enumerate(DTYPES):
                if (n + m) % 2:
                    continue
                random = np.random.default_rng(n)
                # The block reaches past the end of some dimensions.
                shape = tuple(extent + random.integers(-1, 4) if extent > 1 else extent + 1 for extent in tile)
                yield n + m, shape, tile, dim, index, type, random

    def test_gather(self):
        cases = list(self.shapes())
        module = tilewright.compile("".join(
            kernel(f"k{i}", "gather", tile, dim, index, type, WARPS[n % len(WARPS)])
            for i, (n, _, tile, dim, index, type, _) in enumerate(cases)))
        for i, (n, shape, tile, dim, index, type, random) in enumerate(cases):
            x = (np.arange(np.prod(shape)) % 120 + 1).reshape(shape).astype(DTYPES[type])
            indices = random.integers(-2, shape[dim] + 2, tile[dim]).astype(np.dtype("i4" if index == "i32" else "i8"))
            place, inside = place_of(shape, tile, dim, indices)
            want = np.where(inside, x[tuple(np.where(inside, p, 0) for p in place)], 0).astype(x.dtype)
            for backend in arrays.backends():
                for layout in ("C", "F") if len(shape) == 2 else ("C",):
                    with self.subTest(tile=tile, dim=dim, type=type, layout=layout, backend=backend):
                        y = arrays.Output(tile, x.dtype)
                        module[f"k{i}"](arrays.strided(x, layout), indices, y.array, backend=backend)
                        arrays.assert_same_bits(y.array, want, f"{tile} dim {dim}")
                        y.check_border()

    def test_scatter(self):
        cases = list(self.shapes())
        module = tilewright.compile("".join(
            kernel(f"k{i}", "scatter", tile, dim, index, type, WARPS[n % len(WARPS)])
            for i, (n, _, tile, dim, index, type, _) in enumerate(cases)))
        for i, (n, shape, tile, dim, index, type, random) in enumerate(cases):
            y = (np.arange(np.prod(tile)) % 120 + 1).reshape(tile).astype(DTYPES[type])
            # Distinct indices, some outside: which of two equal ones wins is left open.
            indices = random.permutation(np.arange(-3, max(shape[dim], tile[dim]) + 3))[: tile[dim]]
            indices = indices.astype(np.dtype("i4" if index == "i32" else "i8"))
            place, inside = place_of(shape, tile, dim, indices)
            for backend in arrays.backends():
                with self.subTest(tile=tile, dim=dim, type=type, backend=backend):
                    x = arrays.Output(shape, y.dtype)
                    want = x.array.copy()
                    want[tuple(p[inside] for p in place)] = y[inside]
                    module[f"k{i}"](x.array, indices, y, backend=backend)
                    changed = np.ascontiguousarray(x.array).view(np.uint8) != np.ascontiguousarray(want).view(np.uint8)
                    self.assertFalse(changed.any())
                    x.check_border()

    def test_extreme_indices(self):
        module = tilewright.compile(kernel("k", "gather", (6, 4), 0, "i64", "f32", 2, pad="pad(neg_inf) "))
        x = np.arange(20, dtype=np.float32).reshape(4, 5)
        indices = np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max, 1 << 32, -1, 4, 3])
        want = np.full((6, 4), -np.inf, np.float32)
        want[5] = x[3, 1:5]
        for backend in arrays.backends():
            y = arrays.Output((6, 4), np.float32)
            module["k"](x, indices, y.array, backend=backend)
            arrays.assert_same_bits(y.array, want)

    def test_promises_and_equal_indices(self):
        # All in bounds, so nothing is checked; all write one row with equal values, so it does not matter who wins.
        flags = "in_bounds [true, true] "
        module = tilewright.compile(kernel("g", "gather", (8, 16), 0, "i32", "f16", 4, flags, "") +
                                    kernel("s", "scatter", (8, 16), 0, "i32", "f16", 4, flags))
        x = np.arange(90, dtype=np.float16).reshape(5, 18)
        indices = np.full(8, 3, np.int32)
        for backend in arrays.backends():
            y = arrays.Output((8, 16), np.float16)
            module["g"](x, indices, y.array, backend=backend)
            arrays.assert_same_bits(y.array, np.broadcast_to(x[3, 1:17], (8, 16)))
            target = arrays.Output((5, 18), np.float16)
            want = target.array.copy()
            want[3, 1:17] = 7
            module["s"](target.array, indices, np.full((8, 16), 7, np.float16), backend=backend)
            arrays.assert_same_bits(np.nan_to_num(target.array), np.nan_to_num(want))
            target.check_border()

    def test_scatter_then_gather(self):
        # What one thread has written another reads: a barrier is between the two.
        source = """
!v = !tile.view<?x16xi32, strides = [16, 1]>
!r = !tile.view<?xi32, strides = [1]>
func.func @k(%x: !v, %r: !r, %q: !r, %y: !v) attributes {tile.kernel, tile.num_warps = 4 : i64, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %i = tile.load %r[%c0] : !r -> tensor<32xi32>
  %j = tile.load %q[%c0] : !r -> tensor<32xi32>
  %v = tile.load %y[%c0, %c0] : !v -> tensor<32x16xi32>
  %t = tile.scatter %v, %x[%i, %c0] : tensor<32x16xi32>, !v[tensor<32xi32>, index] -> !tile.token
  %w, %u = tile.gather %x[%j, %c0] after(%t) : !v[tensor<32xi32>, index] -> tensor<32x16xi32>, !tile.token
  tile.store %w, %y[%c0, %c0] : tensor<32x16xi32>, !v
  return
}
func.func @grid(%x: !v, %r: !r, %q: !r, %y: !v) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
"""
        module = tilewright.compile(source)
        random = np.random.default_rng(1)
        for backend in arrays.backends():
            x = np.zeros((32, 16), np.int32)
            y = random.integers(0, 1000, (32, 16)).astype(np.int32)
            to, back = random.permutation(32).astype(np.int32), random.permutation(32).astype(np.int32)
            middle = np.zeros_like(x)
            middle[to] = y
            want = middle[back]
            module["k"](x, to, back, y, backend=backend)
            np.testing.assert_array_equal(y, want)


if __name__ == "__main__":
    unittest.main()
