# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Branches between blocks become loops and conditions: break, continue, early return, nested loops, several exits; tiles,
views, pointers and tokens carried by them; scf.while with tiles. Against the same loops in Python."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

WARPS = (1, 3, 4, 8)
VIEW = "!tile.view<?xi32, strides = [?]>"
MAT = "!tile.view<?x?xi32, strides = [?, ?]>"

SUM = """ {
  ^bb0(%a: i32, %e: i32):
    %r = arith.addi %a, %e : i32
    tile.yield %r : i32
  }
"""


def kernel(parameters, body, warps, programs=1):
    """A module with the kernel k and its grid; the body has %c0, %c1 and ends its own blocks."""
    attributes = f"tile.kernel, tile.num_warps = {warps} : i64, tile.grid = @k_grid"
    return tilewright.compile(
        f"func.func @k({parameters}) attributes {{{attributes}}} {{\n  %c0 = arith.constant 0 : index\n"
        f"  %c1 = arith.constant 1 : index\n{body}}}\n"
        f"func.func @k_grid({parameters}) -> index {{\n  %n = arith.constant {programs} : index\n"
        "  return %n : index\n}\n")


class ControlFlow(unittest.TestCase):
    def each(self, parameters, body, check, programs=1):
        for warps in WARPS:
            module = kernel(parameters, body, warps, programs)
            for backend in arrays.backends():
                with self.subTest(warps=warps, backend=backend):
                    check(lambda *args: module["k"](*args, backend=backend))

    def test_early_return(self):
        # Programs past the end return at once; others store, some of them after another test.
        def check(run):
            for n in (0, 1, 5, 9):
                y = arrays.Output((n,), np.int32)
                run(y.array)
                arrays.assert_same_bits(y.array, np.where(np.arange(n) % 2, np.arange(n), -1), "early return")
                y.check_border()

        self.each(f"%y: {VIEW}", f"""
  %p = tile.program_id x
  %n = tile.view_size %y, 0 : {VIEW}
  %inside = arith.cmpi slt, %p, %n : index
  cf.cond_br %inside, ^work, ^leave
^work:
  %c2 = arith.constant 2 : index
  %low = arith.remui %p, %c2 : index
  %odd = arith.cmpi eq, %low, %c1 : index
  cf.cond_br %odd, ^number, ^minus
^number:
  %i = arith.index_cast %p : index to i32
  %t = tile.splat %i : i32 -> tensor<1xi32>
  tile.store %t, %y[%p] : tensor<1xi32>, {VIEW}
  return
^minus:
  %m = arith.constant dense<-1> : tensor<1xi32>
  tile.store %m, %y[%p] : tensor<1xi32>, {VIEW}
  return
^leave:
  return
""", check, programs=9)

    def test_break_and_continue(self):
        # Adds up blocks: skips those that begin with a negative number, ends at the first that sums to over 1000.
        def reference(x, n):
            total, blocks = np.zeros(48, np.int64), 0
            for start in range(0, n, 48):
                block = np.zeros(48, np.int64)
                block[: max(min(48, n - start), 0)] = x[start : start + 48]
                if block[0] < 0:
                    continue
                if block.sum() > 1000:
                    break
                total += block
                blocks += 1
            return total, blocks

        def check(run):
            random = np.random.default_rng(1)
            for n in (1, 47, 48, 300, 1000):
                for high in (20, 60):
                    x = random.integers(-5, high, n).astype(np.int32)
                    y, count = np.zeros(48, np.int32), np.zeros(1, np.int32)
                    run(x, y, count)
                    total, blocks = reference(x, n)
                    np.testing.assert_array_equal(y, total)
                    self.assertEqual(count[0], blocks)

        self.each(f"%x: {VIEW}, %y: {VIEW}, %count: !tile.ptr<i32>", f"""
  %c48 = arith.constant 48 : index
  %n = tile.view_size %x, 0 : {VIEW}
  %zero = arith.constant dense<0> : tensor<48xi32>
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %limit = arith.constant 1000 : i32
  cf.br ^head(%c0, %zero, %none : index, tensor<48xi32>, i32)
^head(%start: index, %total: tensor<48xi32>, %blocks: i32):
  %more = arith.cmpi slt, %start, %n : index
  cf.cond_br %more, ^body, ^done
^body:
  %block = tile.load %x[%start] pad(zero) : {VIEW} -> tensor<48xi32>
  %next = arith.addi %start, %c48 : index
  %first = tile.load %x[%start] pad(zero) : {VIEW} -> tensor<1xi32>
  %f = tile.to_scalar %first : tensor<1xi32>
  %skip = arith.cmpi slt, %f, %none : i32
  cf.cond_br %skip, ^head(%next, %total, %blocks : index, tensor<48xi32>, i32), ^add
^add:
  %sum = tile.reduce %block dim 0 : tensor<48xi32> -> i32 {SUM}
  %over = arith.cmpi sgt, %sum, %limit : i32
  cf.cond_br %over, ^done, ^keep
^keep:
  %new = arith.addi %total, %block : tensor<48xi32>
  %blocks_new = arith.addi %blocks, %one : i32
  cf.br ^head(%next, %new, %blocks_new : index, tensor<48xi32>, i32)
^done:
  tile.store %total, %y[%c0] : tensor<48xi32>, {VIEW}
  tile.store_ptr %blocks, %count : !tile.ptr<i32>
  return
""", check)

    def test_return_out_of_nested_loops(self):
        # Walks rows and, in each, columns until the running sum of the column sums passes a limit: then the program ends at once and
        # says where. Tiles and a pointer are carried by both loops.
        def reference(x, limit):
            total, y = np.zeros(8, np.int64), np.full(x.shape[0], -1)
            for i in range(x.shape[0]):
                for j in range(0, x.shape[1], 8):
                    block = np.zeros(8, np.int64)
                    block[: min(8, x.shape[1] - j)] = x[i, j : j + 8]
                    total += block
                    if total.sum() > limit:
                        return y, total, (i, j)
                    if block[0] == 0:
                        break
                y[i] = total.sum()
            return y, np.full(8, -7), (-1, -1)

        def check(run):
            random = np.random.default_rng(2)
            for shape, limit in (((1, 1), 0), ((5, 33), 300), ((6, 70), 10**6), ((4, 9), 50), ((0, 3), 1)):
                x = random.integers(0, 9, shape).astype(np.int32)
                y, where = np.full(shape[0] + 1, -1, np.int32), np.full(2, -1, np.int32)
                total = np.full(8, -7, np.int32)
                run(x, y, total, where, limit)
                expected = reference(x, limit)
                np.testing.assert_array_equal(y[:-1], expected[0])
                np.testing.assert_array_equal(total, expected[1])
                self.assertEqual(tuple(where), expected[2])

        self.each(f"%x: {MAT}, %y: !tile.ptr<i32>, %t: {VIEW}, %w: !tile.ptr<i32>, %limit: i32", f"""
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0> : tensor<8xi32>
  %none = arith.constant 0 : i32
  %m = tile.view_size %x, 0 : {MAT}
  %n = tile.view_size %x, 1 : {MAT}
  cf.br ^rows(%c0, %zero, %y : index, tensor<8xi32>, !tile.ptr<i32>)
^rows(%i: index, %before: tensor<8xi32>, %to: !tile.ptr<i32>):
  %more_rows = arith.cmpi slt, %i, %m : index
  cf.cond_br %more_rows, ^columns(%c0, %before : index, tensor<8xi32>), ^end
^columns(%j: index, %total: tensor<8xi32>):
  %more = arith.cmpi slt, %j, %n : index
  cf.cond_br %more, ^body, ^row_done(%total : tensor<8xi32>)
^body:
  %row = tile.load %x[%i, %j] dims [1] pad(zero) : {MAT} -> tensor<8xi32>
  %new = arith.addi %total, %row : tensor<8xi32>
  %sum = tile.reduce %new dim 0 : tensor<8xi32> -> i32 {SUM}
  %over = arith.cmpi sgt, %sum, %limit : i32
  cf.cond_br %over, ^found, ^go_on
^go_on:
  %jn = arith.addi %j, %c8 : index
  %first = tile.extract %row[%c0] : tensor<8xi32> -> tensor<1xi32>
  %f = tile.to_scalar %first : tensor<1xi32>
  %stop = arith.cmpi eq, %f, %none : i32
  cf.cond_br %stop, ^row_done(%new : tensor<8xi32>), ^columns(%jn, %new : index, tensor<8xi32>)
^row_done(%after: tensor<8xi32>):
  %all = tile.reduce %after dim 0 : tensor<8xi32> -> i32 {SUM}
  tile.store_ptr %all, %to : !tile.ptr<i32>
  %to_next = tile.ptr_add %to, %c1 : !tile.ptr<i32>, index
  %in = arith.addi %i, %c1 : index
  cf.br ^rows(%in, %after, %to_next : index, tensor<8xi32>, !tile.ptr<i32>)
^found:
  %i32 = arith.index_cast %i : index to i32
  %j32 = arith.index_cast %j : index to i32
  tile.store_ptr %i32, %w : !tile.ptr<i32>
  %w1 = tile.ptr_add %w, %c1 : !tile.ptr<i32>, index
  tile.store_ptr %j32, %w1 : !tile.ptr<i32>
  tile.store %new, %t[%c0] : tensor<8xi32>, {VIEW}
  return
^end:
  return
""", check)

    def test_views_and_tokens(self):
        # Two views change places in each trip; the last one read is stored. Tokens go round with them.
        def check(run):
            for n in (0, 1, 2, 7):
                a, b, y = np.arange(20, dtype=np.int32), -np.arange(13, dtype=np.int32), np.zeros(20, np.int32)
                run(a, b, y, n)
                expected = np.zeros(20, np.int32)
                for trip in range(n):
                    source = (a, b)[trip % 2]
                    expected[: source.size] += source
                np.testing.assert_array_equal(y, expected)

        self.each(f"%a: {VIEW}, %b: {VIEW}, %y: {VIEW}, %trips: index", f"""
  %zero = arith.constant dense<0> : tensor<20xi32>
  %t0 = tile.join_tokens()
  cf.br ^head(%c0, %a, %b, %zero, %t0 : index, {VIEW}, {VIEW}, tensor<20xi32>, !tile.token)
^head(%trip: index, %one: {VIEW}, %other: {VIEW}, %sum: tensor<20xi32>, %t: !tile.token):
  %more = arith.cmpi slt, %trip, %trips : index
  cf.cond_br %more, ^body, ^done
^body:
  %x, %tx = tile.load %one[%c0] pad(zero) after(%t) : {VIEW} -> tensor<20xi32>, !tile.token
  %new = arith.addi %sum, %x : tensor<20xi32>
  %next = arith.addi %trip, %c1 : index
  cf.br ^head(%next, %other, %one, %new, %tx : index, {VIEW}, {VIEW}, tensor<20xi32>, !tile.token)
^done:
  tile.store %sum, %y[%c0] after(%t) : tensor<20xi32>, {VIEW}
  return
""", check)

    def test_views_leave_a_loop_twice(self):
        # The loop gives a view, or, where nothing is found, nothing of use: then the program has returned.
        def check(run):
            for key in range(-1, 5):
                a, b = np.arange(4, dtype=np.int32), np.arange(10, 21, dtype=np.int32)
                y = np.full(12, -1, np.int32)
                run(a, b, y, key)
                expected = np.full(12, -1)
                if 0 <= key < 4:
                    source = b if key % 2 else a
                    expected = np.zeros(12, np.int32)
                    expected[: source.size] = source
                np.testing.assert_array_equal(y, expected)

        self.each(f"%a: {VIEW}, %b: {VIEW}, %y: {VIEW}, %key: i32", f"""
  %c4 = arith.constant 4 : index
  cf.br ^head(%c0, %a, %b : index, {VIEW}, {VIEW})
^head(%i: index, %one: {VIEW}, %other: {VIEW}):
  %more = arith.cmpi slt, %i, %c4 : index
  cf.cond_br %more, ^body, ^nothing
^body:
  %i32 = arith.index_cast %i : index to i32
  %hit = arith.cmpi eq, %i32, %key : i32
  %next = arith.addi %i, %c1 : index
  cf.cond_br %hit, ^found(%one : {VIEW}), ^head(%next, %other, %one : index, {VIEW}, {VIEW})
^found(%v: {VIEW}):
  %x = tile.load %v[%c0] pad(zero) : {VIEW} -> tensor<12xi32>
  tile.store %x, %y[%c0] : tensor<12xi32>, {VIEW}
  return
^nothing:
  return
""", check)

    def test_switch(self):
        def check(run):
            for k in (-1, 0, 1, 2, 9):
                y = np.zeros(33, np.int32)
                run(y, k)
                expected = {0: np.arange(33), 1: np.full(33, 5), 2: np.arange(33) + 5}.get(k, np.full(33, -1))
                np.testing.assert_array_equal(y, expected)

        self.each(f"%y: {VIEW}, %k: i32", f"""
  %iota = tile.iota : tensor<33xi32>
  %five = arith.constant dense<5> : tensor<33xi32>
  %minus = arith.constant dense<-1> : tensor<33xi32>
  cf.switch %k : i32, [
    default: ^join(%minus : tensor<33xi32>),
    0: ^join(%iota : tensor<33xi32>),
    1: ^join(%five : tensor<33xi32>),
    2: ^both
  ]
^both:
  %sum = arith.addi %iota, %five : tensor<33xi32>
  cf.br ^join(%sum : tensor<33xi32>)
^join(%x: tensor<33xi32>):
  tile.store %x, %y[%c0] : tensor<33xi32>, {VIEW}
  return
""", check)

    def test_distances_of_the_whole_type(self):
        # Distances and steps that are no signed numbers of the variable's type; bounds as the type spells them.
        for sign, low, high, step in (("", -100, 100, 1), ("", -128, 127, 5), ("", -127, 1, 127), ("unsigned ", 0, 255, 1),
                                      ("unsigned ", 3, 56, 200), ("unsigned ", 56, 3, 200)):
            walked = np.array(range(low, high, step), np.int64).astype(np.uint8).view(np.int8).astype(np.int32)

            def check(run):
                y = arrays.Output((260,), np.int32)
                run(y.array)
                arrays.assert_same_bits(y.array[: len(walked)], walked, f"{sign}{low} to {high} step {step}")
                self.assertTrue((y.array[len(walked):] == arrays.poison(np.int32)).all())

            spelt = [int(np.array(number).astype(np.uint8).view(np.int8)) for number in (low, high, step)]
            constants = "".join(f"  %{name} = arith.constant {number} : i8\n"
                                for name, number in zip(("low", "high", "step"), spelt))
            self.each(f"%y: {VIEW}", f"""
{constants}  %end = scf.for {sign}%i = %low to %high step %step iter_args(%at = %c0) -> (index) : i8 {{
    %v = arith.extsi %i : i8 to i32
    %t = tile.splat %v : i32 -> tensor<1xi32>
    tile.store %t, %y[%at] : tensor<1xi32>, {VIEW}
    %next = arith.addi %at, %c1 : index
    scf.yield %next : index
  }}
  return
""", check)

    def test_while_with_tiles(self):
        # Collatz steps of each number, until all have come to 1: the condition sees a reduction of the carried tile.
        def check(run):
            x = np.arange(1, 101, dtype=np.int32)
            y, steps = np.zeros(100, np.int32), 0
            run(x, y)
            expected = np.zeros(100, np.int32)
            now = x.copy()
            while (now != 1).any():
                expected += now != 1
                now = np.where(now == 1, 1, np.where(now % 2, 3 * now + 1, now // 2))
                steps += 1
            np.testing.assert_array_equal(y, expected)

        self.each(f"%x: {VIEW}, %y: {VIEW}", f"""
  %one = arith.constant dense<1> : tensor<100xi32>
  %two = arith.constant dense<2> : tensor<100xi32>
  %three = arith.constant dense<3> : tensor<100xi32>
  %zero = arith.constant dense<0> : tensor<100xi32>
  %none = arith.constant 0 : i32
  %x0 = tile.load %x[%c0] in_bounds [true] : {VIEW} -> tensor<100xi32>
  %end, %steps = scf.while (%now = %x0, %count = %zero) : (tensor<100xi32>, tensor<100xi32>)
      -> (tensor<100xi32>, tensor<100xi32>) {{
    %open = arith.cmpi ne, %now, %one : tensor<100xi32>
    %ones = arith.extui %open : tensor<100xi1> to tensor<100xi32>
    %left = tile.reduce %ones dim 0 : tensor<100xi32> -> i32 {SUM}
    %more = arith.cmpi sgt, %left, %none : i32
    scf.condition(%more) %now, %count : tensor<100xi32>, tensor<100xi32>
  }} do {{
  ^bb0(%now: tensor<100xi32>, %count: tensor<100xi32>):
    %open = arith.cmpi ne, %now, %one : tensor<100xi32>
    %ones = arith.extui %open : tensor<100xi1> to tensor<100xi32>
    %counted = arith.addi %count, %ones : tensor<100xi32>
    %low = arith.andi %now, %one : tensor<100xi32>
    %odd = arith.cmpi eq, %low, %one : tensor<100xi32>
    %triple = arith.muli %now, %three : tensor<100xi32>
    %up = arith.addi %triple, %one : tensor<100xi32>
    %down = arith.divui %now, %two : tensor<100xi32>
    %step = arith.select %odd, %up, %down : tensor<100xi1>, tensor<100xi32>
    %next = arith.select %open, %step, %now : tensor<100xi1>, tensor<100xi32>
    scf.yield %next, %counted : tensor<100xi32>, tensor<100xi32>
  }}
  tile.store %steps, %y[%c0] : tensor<100xi32>, {VIEW}
  return
""", check)


if __name__ == "__main__":
    unittest.main()
