# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Reductions over every dimension of odd tiles by any number of warps: sum, largest without identity, and argmax."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

SHAPES = [(1,), (3,), (64,), (1000,), (4, 256), (256, 4), (17, 33), (96, 5), (1, 48), (48, 1), (5, 6, 7), (2, 64, 3)]
WARPS = (1, 2, 3, 4, 5, 8)

BODIES = {
    "sum": ("identity [{zero} : {type}] ", "    %r = {add} %p, %q : {type}\n"),
    "largest": ("", "    %r = {max} %p, %q : {type}\n"),
}


def kernel(name, shape, dim, type, body, warps):
    tile = "x".join(map(str, shape))
    rest = [extent for i, extent in enumerate(shape) if i != dim]
    result = f"tensor<{'x'.join(map(str, rest))}x{type}>" if rest else type
    view = f"!tile.view<{tile}x{type}, strides = [{', '.join('?' for _ in shape)}]>"
    out = f"!tile.view<{'x'.join(map(str, rest or [1]))}x{type}, strides = [{', '.join('?' for _ in rest or [1])}]>"
    isint = type.startswith("i")
    words = {"zero": "0" if isint else "0.0", "type": type, "add": "arith.addi" if isint else "arith.addf",
             "max": "arith.maxsi" if isint else "arith.maximumf"}
    identity, combine = (part.format(**words) for part in BODIES[body])
    zeros = ", ".join("%c0" for _ in shape)
    save = (f"  tile.store %s, %y[{', '.join('%c0' for _ in rest)}] : {result}, {out}\n" if rest else
            f"  %t = tile.splat %s : {type} -> tensor<1x{type}>\n  tile.store %t, %y[%c0] : tensor<1x{type}>, {out}\n")
    return (
        f"func.func @{name}(%x: {view}, %y: {out}) attributes {{tile.kernel, tile.num_warps = {warps} : i64, "
        f"tile.grid = @{name}_grid}} {{\n  %c0 = arith.constant 0 : index\n"
        f"  %v = tile.load %x[{zeros}] : {view} -> tensor<{tile}x{type}>\n"
        f"  %s = tile.reduce %v dim {dim} {identity}: tensor<{tile}x{type}> -> {result} {{\n"
        f"  ^bb0(%p: {type}, %q: {type}):\n{combine}    tile.yield %r : {type}\n  }}\n{save}  return\n}}\n"
        f"func.func @{name}_grid(%x: {view}, %y: {out}) -> index {{\n  %c1 = arith.constant 1 : index\n"
        f"  return %c1 : index\n}}\n"
    )


def argmax(name, rows, columns, warps):
    view = f"!tile.view<{rows}x{columns}xf32, strides = [?, ?]>"
    out = f"!tile.view<{rows}xi32, strides = [1]>"
    return f"""
func.func @{name}(%x: {view}, %y: {out}) attributes {{tile.kernel, tile.num_warps = {warps} : i64, tile.grid = @{name}_grid}} {{
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : {view} -> tensor<{rows}x{columns}xf32>
  %i = tile.iota : tensor<{columns}xi32>
  %j = tile.reshape %i : tensor<{columns}xi32> -> tensor<1x{columns}xi32>
  %k = tile.broadcast %j : tensor<1x{columns}xi32> -> tensor<{rows}x{columns}xi32>
  %m, %n = tile.reduce %v, %k dim 1 : tensor<{rows}x{columns}xf32>, tensor<{rows}x{columns}xi32> -> tensor<{rows}xf32>, tensor<{rows}xi32> {{
  ^bb0(%p: f32, %pi: i32, %q: f32, %qi: i32):
    %gt = arith.cmpf ogt, %p, %q : f32
    %eq = arith.cmpf oeq, %p, %q : f32
    %lt = arith.cmpi slt, %pi, %qi : i32
    %tie = arith.andi %eq, %lt : i1
    %take = arith.ori %gt, %tie : i1
    %r = arith.select %take, %p, %q : f32
    %ri = arith.select %take, %pi, %qi : i32
    tile.yield %r, %ri : f32, i32
  }}
  tile.store %n, %y[%c0] : tensor<{rows}xi32>, {out}
  return
}}
func.func @{name}_grid(%x: {view}, %y: {out}) -> index {{
  %c1 = arith.constant 1 : index
  return %c1 : index
}}
"""


class Reduce(unittest.TestCase):
    def run_all(self, type, body, reference):
        dtype = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i8": np.int8, "f64": np.float64,
                 "i64": np.int64}[type]
        cases = [(shape, dim, warps) for i, shape in enumerate(SHAPES) for dim in range(len(shape))
                 for warps in (WARPS[(i + dim) % len(WARPS)], WARPS[(i + dim + 3) % len(WARPS)])]
        module = tilewright.compile("".join(
            kernel(f"k{i}", shape, dim, type, body, warps) for i, (shape, dim, warps) in enumerate(cases)))
        random = np.random.default_rng(3)
        for i, (shape, dim, warps) in enumerate(cases):
            # All below zero, so that an invented zero would show as the largest.
            x = random.integers(-9, -1, shape).astype(dtype) if body == "largest" else \
                random.integers(-1, 2, shape).astype(dtype)
            want = np.atleast_1d(reference(x, dim)).astype(dtype)
            for backend in arrays.backends():
                with self.subTest(type=type, shape=shape, dim=dim, warps=warps, backend=backend):
                    y = arrays.Output(want.shape, dtype)
                    module[f"k{i}"](x, y.array, backend=backend)
                    arrays.assert_same_bits(y.array, want, f"{shape} dim {dim} by {warps} warps")
                    y.check_border()

    def test_sum(self):
        for type in ("f32", "i32", "f16", "f64"):
            self.run_all(type, "sum", lambda x, dim: x.sum(dim, dtype=np.float64))

    def test_largest_without_identity(self):
        for type in ("f32", "i8", "i64"):
            self.run_all(type, "largest", lambda x, dim: x.max(dim))

    def test_argmax_takes_the_first_of_equals(self):
        cases = [(1, 7, 1), (4, 100, 4), (33, 17, 3), (8, 256, 8)]
        module = tilewright.compile("".join(argmax(f"k{i}", *case) for i, case in enumerate(cases)))
        for i, (rows, columns, _) in enumerate(cases):
            x = np.random.default_rng(i).integers(0, 4, (rows, columns)).astype(np.float32)
            for backend in arrays.backends():
                y = np.full(rows, -1, np.int32)
                module[f"k{i}"](x, y, backend=backend)
                np.testing.assert_array_equal(y, x.argmax(1))


if __name__ == "__main__":
    unittest.main()
