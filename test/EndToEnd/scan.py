# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Scans along every dimension of odd tiles by any number of warps: sums, largest without identity, combiners that do not
commute, two operands; forward and reverse."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

SHAPES = [(1,), (3,), (64,), (1000,), (4, 256), (256, 4), (17, 33), (96, 5), (1, 48), (48, 1), (5, 6, 7), (2, 64, 3),
          (2, 520)]
WARPS = (1, 2, 3, 4, 5, 8)
DTYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i8": np.int8, "f64": np.float64, "i64": np.int64,
          "i16": np.int16}

ADD = ("identity [{zero} : {type}] ", "    %r = {add} %p, %q : {type}\n    tile.yield %r : {type}\n")
MAX = ("", "    %r = {max} %p, %q : {type}\n    tile.yield %r : {type}\n")
# The last element so far that is not zero: associative, and left and right differ.
LAST = ("", "    %z = arith.constant 0 : {type}\n    %c = arith.cmpi ne, %q, %z : {type}\n"
            "    %r = arith.select %c, %q, %p : {type}\n    tile.yield %r : {type}\n")


def kernel(name, shape, dim, type, body, reverse, warps, operands=1):
    tile = f"tensor<{'x'.join(map(str, shape))}x{type}>"
    view = f"!tile.view<{'x'.join(map(str, shape))}x{type}, strides = [{', '.join('?' for _ in shape)}]>"
    isint = type.startswith("i")
    words = {"zero": "0" if isint else "0.0", "type": type, "add": "arith.addi" if isint else "arith.addf",
             "max": "arith.maxsi" if isint else "arith.maximumf"}
    identity, combine = (part.format(**words) for part in body)
    zeros = ", ".join("%c0" for _ in shape)
    each = range(operands)
    parameters = ", ".join([f"%x{i}: {view}" for i in each] + [f"%y{i}: {view}" for i in each])
    arguments = (f"%p: {type}, %q: {type}" if operands == 1 else
                 ", ".join([f"%p{i}: {type}" for i in each] + [f"%q{i}: {type}" for i in each]))
    return (
        f"func.func @{name}({parameters}) attributes {{tile.kernel, tile.num_warps = {warps} : i64, "
        f"tile.grid = @{name}_grid}} {{\n  %c0 = arith.constant 0 : index\n"
        + "".join(f"  %v{i} = tile.load %x{i}[{zeros}] : {view} -> {tile}\n" for i in each)
        + f"  {', '.join(f'%s{i}' for i in each)} = tile.scan {', '.join(f'%v{i}' for i in each)} dim {dim} "
        f"{'reverse ' if reverse else ''}{identity}: {', '.join(tile for _ in each)} -> "
        f"{', '.join(tile for _ in each)} {{\n  ^bb0({arguments}):\n{combine}  }}\n"
        + "".join(f"  tile.store %s{i}, %y{i}[{zeros}] : {tile}, {view}\n" for i in each)
        + f"  return\n}}\nfunc.func @{name}_grid({parameters}) -> index {{\n  %c1 = arith.constant 1 : index\n"
        f"  return %c1 : index\n}}\n"
    )


def sequential(arrays_, dim, reverse, combine):
    """The scan by its definition: one element after the other."""
    lines = [np.moveaxis(x, dim, 0) for x in arrays_]
    results = [line.copy() for line in lines]
    order = range(len(lines[0]))
    order = list(reversed(order)) if reverse else list(order)
    for before, at in zip(order, order[1:]):
        now = combine(*(r[before] for r in results), *(line[at] for line in lines))
        for r, value in zip(results, now):
            r[at] = value
    return [np.moveaxis(r, 0, dim) for r in results]


class Scan(unittest.TestCase):
    def run_all(self, type, body, combine, draw, operands=1, part=None):
        """All cases, or with `part` every third, which each part begins at another one."""
        cases = [(shape, dim, reverse, WARPS[(2 * i + dim + reverse) % len(WARPS)]) for i, shape in enumerate(SHAPES)
                 for dim in range(len(shape)) for reverse in (False, True)]
        cases = cases if part is None else cases[part % 3::3]
        module = tilewright.compile("".join(
            kernel(f"k{i}", shape, dim, type, body, reverse, warps, operands)
            for i, (shape, dim, reverse, warps) in enumerate(cases)))
        random = np.random.default_rng(3)
        for i, (shape, dim, reverse, warps) in enumerate(cases):
            xs = [draw(random, shape).astype(DTYPES[type]) for _ in range(operands)]
            with np.errstate(over="ignore"):
                want = sequential(xs, dim, reverse, combine)
            for backend in arrays.backends():
                with self.subTest(type=type, shape=shape, dim=dim, reverse=reverse, warps=warps, backend=backend):
                    ys = [arrays.Output(shape, DTYPES[type]) for _ in xs]
                    module[f"k{i}"](*xs, *(y.array for y in ys), backend=backend)
                    for y, w in zip(ys, want):
                        arrays.assert_same_bits(y.array, w, f"{shape} dim {dim} by {warps} warps")
                        y.check_border()

    def test_sum(self):
        # Small integers: every order of summation gives the same bits.
        for part, type in enumerate(("f32", "i32", "f16", "f64", "i16")):
            self.run_all(type, ADD, lambda p, q: (p + q,), lambda random, shape: random.integers(-1, 2, shape), part=part)

    def test_largest_without_identity(self):
        # All below zero, so that an invented zero would show as the largest.
        for part, type in enumerate(("f32", "i8", "i64")):
            self.run_all(type, MAX, lambda p, q: (np.maximum(p, q),),
                         lambda random, shape: random.integers(-99, -1, shape), part=part)

    def test_order(self):
        for part, type in enumerate(("i32", "i64")):
            self.run_all(type, LAST, lambda p, q: (np.where(q != 0, q, p),),
                         lambda random, shape: random.integers(0, 99, shape) * (random.random(shape) < 0.2), part=part)

    def test_combiner_that_branches(self):
        # The product of the odd numbers so far, zeros left out; work on both sides keeps the branch a branch.
        body = ("", "    %z = arith.constant 0 : {type}\n    %a = arith.cmpi ne, %p, %z : {type}\n"
                    "    %b = arith.cmpi ne, %q, %z : {type}\n    %c = arith.andi %a, %b : i1\n"
                    "    %r = scf.if %c -> {type} {{\n      %u = arith.muli %p, %q : {type}\n      scf.yield %u : {type}\n"
                    "    }} else {{\n      %u = arith.ori %p, %q : {type}\n      scf.yield %u : {type}\n    }}\n"
                    "    tile.yield %r : {type}\n")
        self.run_all("i16", body, lambda p, q: (np.where((p != 0) & (q != 0), p * q, p | q),),
                     lambda random, shape: (2 * random.integers(-9, 9, shape) + 1) * (random.random(shape) < 0.7), part=1)

    def test_affine_maps(self):
        # q after p: x -> q0 * (p0 * x + p1) + q1, modulo 2^32. Nothing commutes.
        body = ("", "    %r0 = arith.muli %p0, %q0 : i32\n    %t = arith.muli %q0, %p1 : i32\n"
                    "    %r1 = arith.addi %t, %q1 : i32\n    tile.yield %r0, %r1 : i32, i32\n")
        self.run_all("i32", body, lambda p0, p1, q0, q1: (p0 * q0, q0 * p1 + q1),
                     lambda random, shape: random.integers(-(1 << 31), 1 << 31, shape), operands=2)

    def test_affine_maps_with_identity(self):
        body = ("identity [1 : i32, 0 : i32] ",
                "    %r0 = arith.muli %p0, %q0 : i32\n    %t = arith.muli %q0, %p1 : i32\n"
                "    %r1 = arith.addi %t, %q1 : i32\n    tile.yield %r0, %r1 : i32, i32\n")
        self.run_all("i32", body, lambda p0, p1, q0, q1: (p0 * q0, q0 * p1 + q1),
                     lambda random, shape: random.integers(-(1 << 31), 1 << 31, shape), operands=2)


if __name__ == "__main__":
    unittest.main()
