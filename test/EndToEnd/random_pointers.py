# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Random programs of pointer arithmetic with masks against NumPy: raised to views or not, each lane reads its own.

Each seed makes a kernel that copies through a two-dimensional tile of pointers, in a loop that advances them: strides,
starts, masks in random nesting, limits from both sides, remainders, pads. A failing seed is printed;
`random_pointers.py FIRST LAST` runs those seeds.
"""

import os
import random
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

SEEDS = range(60)
ORIGIN = 4096  # Offsets count from the middle of the memory that is read.
HEAD = """
func.func @one(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, {names}) -> index {{
  %c1 = arith.constant 1 : index
  return %c1 : index
}}
func.func @copy(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, {facts}) attributes {{tile.kernel, tile.grid = @one}} {{
"""


class Program:
    """A kernel that is written one op at a time, with what each value holds."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.arguments = []  # (name, value, facts)
        self.rows, self.columns = self.random.choice(((4, 8), (8, 16), (16, 4), (2, 32), (1, 16), (8, 1)))
        self.trips = self.random.choice((0, 1, 2, 3))
        self.type = self.random.choice(("i32", "i64"))
        self.build()

    def emit(self, text, type):
        self.lines.append(f"  %v{len(self.lines)} = {text} : {type}")
        return f"%v{len(self.lines) - 1}"

    def scalar(self, low, high):
        """A parameter with a value; sometimes its range is promised, so that proofs come from there."""
        value = self.random.randint(low, high)
        promise = f" {{tile.min = {low} : i64, tile.max = {high} : i64}}"
        facts = self.random.choice(("", promise, promise, promise))
        name = f"%s{len(self.arguments)}"
        self.arguments.append((name, value, facts))
        return name, value

    def tile(self, *shape, type=None):
        return f"tensor<{'x'.join(map(str, shape))}x{type or self.type}>"

    def arith(self, op, a, b, type):
        flags = "" if self.random.random() < 0.07 else " overflow<nsw>"
        return self.emit(f"arith.{op} {a}, {b}{flags}", type)

    def splat(self, name, *shape):
        return self.emit(f"tile.splat {name}", f"{self.type} -> {self.tile(*shape)}")

    def index(self, extent, dim):
        """start + iota, as a column or a row, and its values."""
        start, value = self.scalar(self.random.choice((0, 0, -3)), 9)
        iota = self.emit("tile.iota", self.tile(extent))
        sums = self.arith("addi", self.splat(start, extent), iota, self.tile(extent))
        shape = (extent, 1) if dim == 0 else (1, extent)
        sums = self.emit(f"tile.reshape {sums}", f"{self.tile(extent)} -> {self.tile(*shape)}")
        return sums, (value + np.arange(extent)).reshape(shape), shape

    def spread(self, name, shape, type=None):
        full = (self.rows, self.columns)
        if shape == full:
            return name
        return self.emit(f"tile.broadcast {name}", f"{self.tile(*shape, type=type)} -> {self.tile(*full, type=type)}")

    def compare(self, index, values, shape, low, high):
        """A comparison of an index with a number, as a tile of the whole shape."""
        bound, value = self.scalar(low, high)
        name, op, holds = self.random.choice(
            (
                ("slt", 0, values < value),
                ("sle", 0, values <= value),
                ("sgt", 1, values < value),
                ("sge", 1, values <= value),
            )
        )
        sides = [index, self.splat(bound, *shape)]
        mask = self.emit(f"arith.cmpi {name}, {', '.join(sides[::-1] if op else sides)}", self.tile(*shape))
        return self.spread(mask, shape, "i1"), np.broadcast_to(holds, (self.rows, self.columns))

    def build(self):
        pick = self.random
        full = (self.rows, self.columns)
        parts, offset, self.offsets = [], None, np.zeros(full, np.int64)
        self.mask = np.ones(full, bool)
        for dim, extent in enumerate(full):
            index, values, shape = self.index(extent, dim)
            if pick.random() < 0.8:
                parts.append(self.compare(index, values, shape, 0, 30))
            if pick.random() < 0.4:  # From below.
                least = self.emit("arith.constant dense<0>", self.tile(*shape))
                mask = self.emit(f"arith.cmpi sge, {index}, {least}", self.tile(*shape))
                parts.append((self.spread(mask, shape, "i1"), np.broadcast_to(values >= 0, full)))
            if pick.random() < 0.1 and (values >= 0).all():
                size, value = self.scalar(5, 20)
                index = self.emit(f"arith.remsi {index}, {self.splat(size, *shape)}", self.tile(*shape))
                values = values % value
            stride, value = self.scalar(-2, 40) if pick.random() < 0.7 else (None, 1)
            if stride:
                index = self.arith("muli", index, self.splat(stride, *shape), self.tile(*shape))
            self.offsets = self.offsets + np.broadcast_to(values * value, full)
            index = self.spread(index, shape)
            offset = self.arith("addi", offset, index, self.tile(*full)) if offset else index
        if pick.random() < 0.3:  # For the whole tile.
            (a, x), (b, y) = self.scalar(0, 5), self.scalar(0, 5)
            mask = self.emit(f"arith.cmpi slt, {a}, {b}", self.type)
            mask = self.emit(f"tile.splat {mask}", f"i1 -> {self.tile(*full, type='i1')}")
            parts.append((mask, np.full(full, x < y)))
        pick.shuffle(parts)
        mask = None
        for part, holds in parts:
            self.mask = self.mask & holds
            mask = self.emit(f"arith.andi {mask}, {part}", self.tile(*full, type="i1")) if mask else part
        self.other = pick.choice((0, 7))
        pointers = self.tile(*full, type="!tile.ptr<i32>")
        middle = self.emit(f"arith.constant {ORIGIN}", self.type)
        base = self.emit(f"tile.ptr_add %x, {middle}", f"!tile.ptr<i32>, {self.type}")
        splat = self.emit(f"tile.splat {base}", f"!tile.ptr<i32> -> {pointers}")
        first = self.emit(f"tile.ptr_add {splat}, {offset}", f"{pointers}, {self.tile(*full)}")
        other = self.emit(f"arith.constant dense<{self.other}>", self.tile(*full, type="i32"))
        zero = self.emit("arith.constant dense<0>", self.tile(*full, type="i32"))
        step, self.step = self.scalar(-5, 60)
        steps = self.splat(step, *full)
        lower, upper = (self.emit(f"arith.constant {n}", "index") for n in (0, self.trips))
        one = self.emit("arith.constant 1", "index")
        tile = self.tile(*full, type="i32")
        masked = f" mask {mask} other {other}" if mask else ""
        self.lines.append(
            f"  %sum, %end = scf.for %i = {lower} to {upper} step {one}\n"
            f"      iter_args(%acc = {zero}, %q = {first}) -> ({tile}, {pointers}) {{\n"
            f"    %loaded = tile.load_ptr %q{masked} : {pointers}\n"
            f"    %three = arith.addi %acc, %acc : {tile}\n"
            f"    %next = arith.addi %three, %loaded : {tile}\n"
            f"    %ahead = tile.ptr_add %q, {steps} : {pointers}, {self.tile(*full)}\n"
            f"    scf.yield %next, %ahead : {tile}, {pointers}\n  }}"
        )
        # The result goes out densely; a mask of rows, so that stores are raised, too.
        self.store(full, tile, pointers)

    def store(self, full, tile, pointers):
        iotas = []
        for dim, extent in enumerate(full):
            iota = self.emit("tile.iota", self.tile(extent))
            shape = (extent, 1) if dim == 0 else (1, extent)
            iotas.append((self.emit(f"tile.reshape {iota}", f"{self.tile(extent)} -> {self.tile(*shape)}"), shape))
        kept, self.kept = self.scalar(0, full[0])
        column = self.tile(full[0], 1)
        mask = self.emit(f"arith.cmpi slt, {iotas[0][0]}, {self.splat(kept, full[0], 1)}", column)
        mask = self.spread(mask, (full[0], 1), "i1")
        width = self.emit(f"arith.constant dense<{full[1]}>", column)
        rows = self.spread(self.arith("muli", iotas[0][0], width, column), iotas[0][1])
        offset = self.arith("addi", rows, self.spread(*iotas[1]), self.tile(*full))
        splat = self.emit("tile.splat %y", f"!tile.ptr<i32> -> {pointers}")
        to = self.emit(f"tile.ptr_add {splat}, {offset}", f"{pointers}, {self.tile(*full)}")
        self.lines.append(f"  tile.store_ptr %sum, {to} mask {mask} : {pointers}")

    def text(self):
        names = ", ".join(f"{name}: {self.type}" for name, _, _ in self.arguments)
        facts = ", ".join(f"{name}: {self.type}{facts}" for name, _, facts in self.arguments)
        return HEAD.format(names=names, facts=facts) + "\n".join(self.lines) + "\n  return\n}\n"

    def expected(self, room):
        total = np.zeros(self.mask.shape, np.int64)
        for trip in range(self.trips):
            places = ORIGIN + self.offsets + trip * self.step
            total = 2 * total + np.where(self.mask, room[places], self.other)
        return total[: self.kept]


def check(seed):
    program = Program(seed)
    text = program.text()
    room = np.random.default_rng(seed).integers(-1000, 1000, 2 * ORIGIN).astype(np.int32)
    assert abs(program.offsets).max() + 60 * 3 < ORIGIN, "the room is too small"
    expected = program.expected(room.astype(np.int64))
    for disabled in ([], ["tile-raise-pointers"]):
        module = tilewright.compile(text, disable_pass=disabled)
        for backend in arrays.backends():
            out = np.full((program.rows, program.columns), 123456, np.int32)
            module["copy"](room, out, *(value for _, value, _ in program.arguments), backend=backend)
            what = f"seed {seed}, disabled {disabled}\n{text}"
            assert (out[program.kept :] == 123456).all(), "wrote masked rows: " + what
            assert (out[: program.kept] == expected).all(), what


class RandomPointers(unittest.TestCase):
    def test_seeds(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                check(seed)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        for number in range(int(sys.argv[1]), int(sys.argv[2])):
            print("seed", number, flush=True)
            check(number)
    else:
        unittest.main()
