# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Random programs of shape ops, scans, reductions and loops against NumPy, exactly: all arithmetic is modulo 2^32.

A failing seed is printed. `random_shapes.py FIRST LAST` runs those seeds; a failure becomes a named test elsewhere.
"""

import os
import random
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

SEEDS = range(80)
MOST_ELEMENTS = 4096
WARPS = (1, 2, 3, 4, 5, 6, 8)


def tile(shape):
    return f"tensor<{'x'.join(map(str, shape))}xi32>"


def view(shape):
    return f"!tile.view<{'x'.join(map(str, shape))}xi32, strides = [{', '.join('?' for _ in shape)}]>"


def divisors(number):
    return [d for d in range(1, number + 1) if number % d == 0]


def affine_scan(first, second, dim, reverse):
    """Composes the maps x -> first * x + second along `dim`, one after the other."""
    a, b = (np.moveaxis(np.flip(x, dim) if reverse else x, dim, 0).copy() for x in (first, second))
    for i in range(1, len(a)):
        b[i] += a[i] * b[i - 1]
        a[i] *= a[i - 1]
    a, b = (np.moveaxis(x, 0, dim) for x in (a, b))
    return (np.flip(a, dim), np.flip(b, dim)) if reverse else (a, b)


class Program:
    """A kernel that is written one op at a time, with what each tile holds."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.data = np.random.default_rng(seed)
        self.lines = []
        self.tiles = []  # (name, array)
        self.inputs = []
        self.numbers = []  # index parameters
        for _ in range(self.random.choice((1, 2, 3))):
            self.load()
        steps = (self.concat, self.extract, self.insert, self.reshape, self.permute, self.scan, self.reduce,
                 self.broadcast, self.add, self.loop)
        for _ in range(self.random.choice((3, 5, 8, 12))):
            self.random.choice(steps)(*self.random.choice(self.tiles))

    def emit(self, op, *results):
        """Writes an op whose results hold these arrays."""
        names = [f"%t{len(self.tiles) + i}" for i in range(len(results))]
        self.lines.append(f"  {', '.join(names)} = {op}")
        self.tiles += [(name, np.ascontiguousarray(result)) for name, result in zip(names, results)]

    def load(self):
        rank = self.random.choice((1, 2, 2, 3))
        extents = {1: (1, 2, 3, 7, 16, 24, 48, 96, 128, 300, 512), 2: (1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64),
                   3: (1, 2, 3, 4, 8)}[rank]
        shape = [self.random.choice(extents) for _ in range(rank)]
        self.inputs.append(self.data.integers(-50, 50, shape).astype(np.int32))
        zeros = ", ".join("%c0" for _ in shape)
        self.emit(f"tile.load %x{len(self.inputs) - 1}[{zeros}] : {view(shape)} -> {tile(shape)}", self.inputs[-1])

    def block_at(self, shape, block):
        """A block's numbers as text, constants or parameters, and the slices that it is."""
        numbers = [self.random.randrange(extent // part) for extent, part in zip(shape, block)]
        names = []
        for number in numbers:
            if self.random.random() < 0.5:
                names.append(f"%c{number}")
            else:
                names.append(f"%i{len(self.numbers)}")
                self.numbers.append(number)
        return ", ".join(names), tuple(slice(n * part, (n + 1) * part) for n, part in zip(numbers, block))

    def same_shape(self, array):
        return self.random.choice([t for t in self.tiles if t[1].shape == array.shape])

    def concat(self, name, array):
        dim = self.random.randrange(array.ndim)
        others = [t for t in self.tiles if t[1].ndim == array.ndim and
                  np.delete(t[1].shape, dim).tolist() == np.delete(array.shape, dim).tolist()]
        count = self.random.choice((2, 2, 3, 4))
        parts = [(name, array)] * count if self.random.random() < 0.4 else \
            [self.random.choice(others) for _ in range(count)]
        result = np.concatenate([part for _, part in parts], dim)
        if result.size <= MOST_ELEMENTS:
            self.emit(f"tile.concat {', '.join(part for part, _ in parts)} dim {dim} : "
                      f"{', '.join(tile(part.shape) for _, part in parts)} -> {tile(result.shape)}", result)

    def extract(self, name, array):
        block = [self.random.choice(divisors(extent)) for extent in array.shape]
        numbers, place = self.block_at(array.shape, block)
        self.emit(f"tile.extract {name}[{numbers}] : {tile(array.shape)} -> {tile(block)}", array[place])

    def insert(self, name, array):
        block, values = self.random.choice([t for t in self.tiles if t[1].ndim == array.ndim and
                                            not np.any(np.array(array.shape) % t[1].shape)])
        numbers, place = self.block_at(array.shape, values.shape)
        result = array.copy()
        result[place] = values
        self.emit(f"tile.insert {block}, {name}[{numbers}] : {tile(values.shape)}, {tile(array.shape)}", result)

    def reshape(self, name, array):
        shape, rest = [], array.size
        for _ in range(self.random.choice((0, 1, 2))):
            shape.append(self.random.choice(divisors(rest)))
            rest //= shape[-1]
        shape.append(rest)
        self.random.shuffle(shape)
        self.emit(f"tile.reshape {name} : {tile(array.shape)} -> {tile(shape)}", array.reshape(shape))

    def permute(self, name, array):
        order = list(range(array.ndim))
        self.random.shuffle(order)
        result = array.transpose(order)
        self.emit(f"tile.permute {name} {order} : {tile(array.shape)} -> {tile(result.shape)}", result)

    def scan(self, name, array):
        dim, reverse = self.random.randrange(array.ndim), self.random.random() < 0.5
        other, addend = self.same_shape(array)
        identity = "identity [1 : i32, 0 : i32] " if self.random.random() < 0.5 else ""
        both = f"{tile(array.shape)}, {tile(array.shape)}"
        self.emit(f"tile.scan {name}, {other} dim {dim} {'reverse ' if reverse else ''}{identity}: {both} -> {both} {{\n"
                  "  ^bb0(%p0: i32, %p1: i32, %q0: i32, %q1: i32):\n    %r0 = arith.muli %p0, %q0 : i32\n"
                  "    %t = arith.muli %q0, %p1 : i32\n    %r1 = arith.addi %t, %q1 : i32\n"
                  "    tile.yield %r0, %r1 : i32, i32\n  }", *affine_scan(array, addend, dim, reverse))

    def reduce(self, name, array):
        if array.ndim == 1:
            return
        dim = self.random.randrange(array.ndim)
        result = array.sum(dim, dtype=np.int32)
        self.emit(f"tile.reduce {name} dim {dim} : {tile(array.shape)} -> {tile(result.shape)} {{\n"
                  "  ^bb0(%p: i32, %q: i32):\n    %r = arith.addi %p, %q : i32\n    tile.yield %r : i32\n  }", result)

    def broadcast(self, name, array):
        shape = [self.random.choice((1, 2, 3, 8)) if extent == 1 else extent for extent in array.shape]
        if np.prod(shape) <= MOST_ELEMENTS:
            self.emit(f"tile.broadcast {name} : {tile(array.shape)} -> {tile(shape)}", np.broadcast_to(array, shape))

    def add(self, name, array):
        other, addend = self.same_shape(array)
        self.emit(f"arith.addi {name}, {other} : {tile(array.shape)}", array + addend)

    def loop(self, name, array):
        """Each block's running sums replace the block that lies as far from the other end."""
        dim = self.random.randrange(array.ndim)
        part = self.random.choice([d for d in divisors(array.shape[dim]) if array.shape[dim] // d <= 6])
        count = array.shape[dim] // part
        block = tuple(part if d == dim else extent for d, extent in enumerate(array.shape))
        result = array.copy()
        for i in range(count):
            place = [tuple(slice(n * part, (n + 1) * part) if d == dim else slice(None) for d in range(array.ndim))
                     for n in (i, count - 1 - i)]
            result[place[1]] = np.cumsum(result[place[0]], dim, dtype=np.int32)
        whole, here = tile(array.shape), tile(block)
        at, back = (", ".join(number if d == dim else "%c0" for d in range(array.ndim)) for number in ("%i", "%j"))
        self.emit(f"scf.for %i = %c0 to %c{count} step %c1 iter_args(%a = {name}) -> ({whole}) {{\n"
                  f"    %j = arith.subi %c{count - 1}, %i : index\n"
                  f"    %b = tile.extract %a[{at}] : {whole} -> {here}\n"
                  f"    %s = tile.scan %b dim {dim} : {here} -> {here} {{\n    ^bb0(%p: i32, %q: i32):\n"
                  "      %r = arith.addi %p, %q : i32\n      tile.yield %r : i32\n    }\n"
                  f"    %n = tile.insert %s, %a[{back}] : {here}, {whole}\n    scf.yield %n : {whole}\n  }}", result)

    def source(self):
        """The kernel, which stores its last tiles, and these."""
        outputs = self.tiles[-self.random.choice((1, 3, 3)):]
        parameters = ", ".join([f"%x{i}: {view(x.shape)}" for i, x in enumerate(self.inputs)] +
                               [f"%i{i}: index" for i in range(len(self.numbers))] +
                               [f"%y{i}: {view(y.shape)}" for i, (_, y) in enumerate(outputs)])
        stores = "".join(f"  tile.store {name}, %y{i}[{', '.join('%c0' for _ in y.shape)}] : {tile(y.shape)}, "
                         f"{view(y.shape)}\n" for i, (name, y) in enumerate(outputs))
        constants = "".join(f"  %c{i} = arith.constant {i} : index\n" for i in range(MOST_ELEMENTS // 8))
        lines = "\n".join(self.lines)
        return (f"func.func @k({parameters}) attributes {{tile.kernel, tile.num_warps = "
                f"{self.random.choice(WARPS)} : i64, tile.grid = @grid}} {{\n{constants}{lines}\n{stores}  return\n}}\n"
                f"func.func @grid({parameters}) -> index {{\n  %c1 = arith.constant 1 : index\n"
                f"  return %c1 : index\n}}\n"), [y for _, y in outputs]


class RandomShapes(unittest.TestCase):
    def test_seeds(self):
        for seed in SEEDS:
            with np.errstate(over="ignore"):
                program = Program(seed)
            source, wanted = program.source()
            for backend in arrays.backends():
                with self.subTest(seed=seed, backend=backend):
                    module = tilewright.compile(source)
                    outputs = [arrays.Output(want.shape, np.int32) for want in wanted]
                    module["k"](*program.inputs, *program.numbers, *(y.array for y in outputs), backend=backend)
                    for y, want in zip(outputs, wanted):
                        arrays.assert_same_bits(y.array, want, f"seed {seed}")
                        y.check_border()


if __name__ == "__main__":
    if len(sys.argv) == 3:
        SEEDS = range(int(sys.argv[1]), int(sys.argv[2]))
        del sys.argv[1:]
    unittest.main()
