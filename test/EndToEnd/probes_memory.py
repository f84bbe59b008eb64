# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Each instruction below the tile level in a program of its own: coordinates, memory, matrices, shuffles, barriers.

A test is called test_OP__CASE; docs/Status.md says which ops agreed with a device.
"""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import tilewright
from thread import BYTES, Program, address, random_bytes, vector

# Element type, elements per access: every size from 1 to 32 bytes.
WIDTHS = [("i8", 1), ("i16", 1), ("f16", 1), ("bf16", 1), ("i32", 1), ("f32", 1), ("i64", 1), ("f64", 1), ("f16", 2), ("i8", 4),
          ("f32", 2), ("f16", 4), ("i8", 8), ("f32", 4), ("f16", 8), ("i64", 2), ("i8", 16), ("f32", 8), ("f64", 4), ("bf16", 16)]


def buffer(data, type):
    """Bytes as an argument of elements of `type`."""
    unsigned = np.dtype(f"u{BYTES[type]}")
    return tilewright.as_type(data.reshape(-1).view(unsigned), type)


class Coordinates(unittest.TestCase):
    def check(self, op, expected, warps=3, grid=(2, 3, 2)):
        """`expected` is a function of the thread and the CTA's x, y, z."""
        program = Program()
        program.add("k", ["out: i32"], f"""
  %x = tile_gpu.cta_id x
  %y = tile_gpu.cta_id y
  %z = tile_gpu.cta_id z
  %cx = arith.constant {grid[0]} : i32
  %cy = arith.constant {grid[1]} : i32
  %zy = arith.muli %z, %cy : i32
  %yz = arith.addi %zy, %y : i32
  %yx = arith.muli %yz, %cx : i32
  %cta = arith.addi %yx, %x : i32
  %threads = arith.constant {32 * warps} : i32
  %skip = arith.muli %cta, %threads : i32
  %i = arith.addi %skip, %t : i32
  %value = tile_gpu.{op}
""" + address("at", "%out", "%i", 4) + "  tile_gpu.store_global %value, %at align 4 : i32", warps, grid=grid)
        z, y, x, t = np.indices((*grid[::-1], 32 * warps))
        out = np.full(t.size, -1, np.int32)
        for _ in program.run("k", out):
            np.testing.assert_array_equal(out, np.broadcast_to(expected(t, x, y, z), t.shape).ravel())

    def test_lane_id(self):
        self.check("lane_id", lambda t, x, y, z: t % 32)

    def test_warp_id(self):
        self.check("warp_id", lambda t, x, y, z: t // 32, warps=32)

    def test_cta_id(self):
        for axis in "xyz":
            self.check(f"cta_id {axis}", lambda t, x, y, z: {"x": x, "y": y, "z": z}[axis])

    def test_num_ctas(self):
        for axis, count in zip("xyz", (2, 3, 2)):
            self.check(f"num_ctas {axis}", lambda t, x, y, z: count)


class Global(unittest.TestCase):
    def copy(self, load, store, seed):
        """Copies 64 accesses of each width; `load` and `store` add to the ops. Yields what was and what is."""
        program = Program()
        for i, (type, count) in enumerate(WIDTHS):
            size, value = BYTES[type] * count, vector(type, count)
            program.add(f"k{i}", [f"x: {type}", f"out: {type}", f"spare: {type}"],
                        address("from", "%x", "%t", size) + address("to", "%out", "%t", size)
                        + address("other_at", "%spare", "%t", size) + f"""
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %part = arith.remui %t, %c3 : i32
  %in = arith.cmpi eq, %part, %zero : i32
  %other = tile_gpu.load_global %other_at align {size} : {value}
  %v = tile_gpu.load_global %from {load.format(value=value)} align {size} : {value}
  tile_gpu.store_global %v, %to {store} align {size} : {value}""", warps=2)
        for i, (type, count) in enumerate(WIDTHS):
            x, out, spare = (random_bytes(seed + i + n, 64, BYTES[type] * count) for n in range(3))
            old = out.copy()
            for _ in program.run(f"k{i}", *(buffer(a, type) for a in (x, out, spare))):
                yield old, x, spare, out

    def test_load_global__widths(self):
        for old, x, spare, out in self.copy("", "", 1):
            np.testing.assert_array_equal(out, x)

    def test_load_global__pred(self):
        inside = np.arange(64)[:, None] % 3 == 0
        for old, x, spare, out in self.copy("pred %in", "", 2):
            np.testing.assert_array_equal(out, np.where(inside, x, 0))

    def test_load_global__other(self):
        inside = np.arange(64)[:, None] % 3 == 0
        for old, x, spare, out in self.copy("pred %in other %other : {value}", "", 3):
            np.testing.assert_array_equal(out, np.where(inside, x, spare))

    def test_store_global__widths(self):
        for old, x, spare, out in self.copy("", "", 4):
            np.testing.assert_array_equal(out, x)

    def test_store_global__pred(self):
        inside = np.arange(64)[:, None] % 3 == 0
        for old, x, spare, out in self.copy("", "pred %in", 5):
            np.testing.assert_array_equal(out, np.where(inside, x, old))

    def test_load_global__pred_guards_address(self):
        # Where the predicate is false nothing is touched: the address may be anything.
        program = Program()
        program.add("k", ["x: i32", "out: i32", "=n: i32"], address("from", "%x", "%t", 4 << 20) + address("to", "%out", "%t", 4)
                    + """  %in = arith.cmpi slt, %t, %n : i32
  %v = tile_gpu.load_global %from pred %in align 4 : i32
  tile_gpu.store_global %v, %to align 4 : i32
  tile_gpu.store_global %v, %from pred %in align 4 : i32""")
        x, out = np.array([77], np.int32), np.full(32, -1, np.int32)
        for _ in program.run("k", x, out, 1):
            np.testing.assert_array_equal(out, [77] + [0] * 31)

    def test_load_global__booleans(self):
        # One byte: not zero when loaded, 0 or 1 when stored.
        program = Program()
        program.add("k", ["x: i8", "out: i8"], address("from", "%x", "%t", 1) + address("to", "%out", "%t", 1) + """
  %v = tile_gpu.load_global %from align 1 : i1
  tile_gpu.store_global %v, %to align 1 : i1""")
        x, out = np.arange(32, dtype=np.int8) % 3, np.zeros(32, np.int8)
        for _ in program.run("k", x, out):
            np.testing.assert_array_equal(out, x != 0)


class Shared(unittest.TestCase):
    def test_load_shared__widths(self):
        self.exchange("load_shared")

    def test_store_shared__widths(self):
        self.exchange("store_shared")

    def exchange(self, predicated):
        """Thread t writes place t and reads place 63 - t, one of the ops where its thread's number is no multiple of 3."""
        program = Program()
        widths = [(type, count) for type, count in WIDTHS if BYTES[type] * count <= 16]
        for i, (type, count) in enumerate(widths):
            size, value = BYTES[type] * count, vector(type, count)
            load, store = ("pred %in", "") if predicated == "load_shared" else ("", "pred %in")
            program.add(f"k{i}", [f"x: {type}", f"out: {type}"],
                        address("from", "%x", "%t", size) + address("to", "%out", "%t", size) + f"""
  %c3 = arith.constant 3 : i32
  %c63 = arith.constant 63 : i32
  %size = arith.constant {size} : i32
  %zero = arith.constant 0 : i32
  %part = arith.remui %t, %c3 : i32
  %in = arith.cmpi ne, %part, %zero : i32
  %v = tile_gpu.load_global %from align {size} : {value}
  %mine = arith.muli %t, %size : i32
  %other = arith.subi %c63, %t : i32
  %place = arith.muli %other, %size : i32
  %clear = arith.constant {"dense<0>" if type[0] == "i" and count > 1 else "dense<0.0>" if count > 1 else
                           "0" if type[0] == "i" else "0.0"} : {value}
  tile_gpu.store_shared %clear, %mine : {value}
  tile_gpu.barrier id 0 threads 64
  tile_gpu.store_shared %v, %mine {store} : {value}
  tile_gpu.barrier id 0 threads 64
  %w = tile_gpu.load_shared %place {load} : {value}
  tile_gpu.store_global %w, %to align {size} : {value}""", warps=2, shared=64 * size)
        for i, (type, count) in enumerate(widths):
            x, out = random_bytes(i, 64, BYTES[type] * count), random_bytes(i + 99, 64, BYTES[type] * count)
            chosen = np.arange(64)[:, None] % 3 != 0
            expected = np.where(chosen, x[::-1], 0) if predicated == "load_shared" else np.where(chosen, x, 0)[::-1]
            for _ in program.run(f"k{i}", buffer(x, type), buffer(out, type)):
                np.testing.assert_array_equal(out, expected)

    def test_load_matrix(self):
        program = Program()
        cases = [(count, trans) for count in (1, 2, 4) for trans in ("", "trans")]
        for count, trans in cases:
            # Row i of matrix j lies where a permutation puts it; lanes beyond the matrices name nothing.
            program.add(f"k{count}{trans}", ["x: i32", "rows: i32", "out: i32"],
                        address("from", "%x", "%t", 16) + address("row", "%rows", "%t", 4)
                        + address("to", "%out", "%t", 4 * count) + f"""
  %v = tile_gpu.load_global %from align 16 : vector<4xi32>
  %c16 = arith.constant 16 : i32
  %mine = arith.muli %t, %c16 : i32
  tile_gpu.store_shared %v, %mine : vector<4xi32>
  tile_gpu.barrier id 0 threads 32
  %place = tile_gpu.load_global %row align 4 : i32
  %m = tile_gpu.load_matrix %place {trans} : {vector("i32", count)}
  tile_gpu.store_global %m, %to align {4 * count} : {vector("i32", count)}""", shared=512)
        for count, trans in cases:
            x = random_bytes(count, 32, 16)
            rows = np.random.default_rng(count).permutation(32).astype(np.int32)
            out = np.zeros((32, count), np.int32)
            for _ in program.run(f"k{count}{trans}", x.reshape(-1).view(np.int32), (16 * rows).astype(np.int32), out.reshape(-1)):
                for j in range(count):
                    matrix = x.view(np.uint16)[rows[8 * j:8 * j + 8]]
                    matrix = matrix.T if trans else matrix
                    words = np.ascontiguousarray(matrix).view(np.int32).reshape(32)
                    np.testing.assert_array_equal(out[:, j], words)


class Warps(unittest.TestCase):
    def test_shuffle__idx(self):
        self.shuffle("idx", np.random.default_rng(1).integers(0, 32, 32), lambda lane, i: i)

    def test_shuffle__bfly(self):
        for mask in (1, 2, 4, 8, 16, 31, 0, 21):
            self.shuffle("bfly", np.full(32, mask), lambda lane, i: lane ^ i)

    def shuffle(self, mode, lanes, source):
        for count in (1, 2, 3, 4):
            program = Program()
            load = f"  %v = tile_gpu.load_global %from align 4 : {vector('i32', 1)}\n" if count == 1 else "".join(
                f"  %c{i} = arith.constant {4 * i} : i64\n  %p{i} = arith.addi %from, %c{i} : i64\n"
                f"  %e{i} = tile_gpu.load_global %p{i} align 4 : i32\n" for i in range(count)) + (
                f"  %v = vector.from_elements {', '.join(f'%e{i}' for i in range(count))} : vector<{count}xi32>\n")
            store = "  tile_gpu.store_global %w, %to align 4 : i32" if count == 1 else "".join(
                f"  %q{i} = arith.addi %to, %c{i} : i64\n  %w{i} = vector.extract %w[{i}] : i32 from vector<{count}xi32>\n"
                f"  tile_gpu.store_global %w{i}, %q{i} align 4 : i32\n" for i in range(count))
            program.add("k", ["x: i32", "lanes: i32", "out: i32"],
                        address("from", "%x", "%t", 4 * count) + address("to", "%out", "%t", 4 * count)
                        + address("which", "%lanes", "%lane", 4) + load + f"""
  %l = tile_gpu.load_global %which align 4 : i32
  %w = tile_gpu.shuffle {mode} %v, %l : {vector("i32", count)}
""" + store, warps=2)
            x = np.random.default_rng(count).integers(-2**31, 2**31, (2, 32, count), dtype=np.int32)
            out = np.zeros_like(x)
            for _ in program.run("k", x.reshape(-1), lanes.astype(np.int32), out.reshape(-1)):
                np.testing.assert_array_equal(out, x[:, [source(lane, i) for lane, i in enumerate(lanes)]])

    def test_barrier(self):
        # Warps of a group hand a value around, each group at a barrier of its own: what one wrote before, the next
        # sees after.
        for id, warps, groups in ((0, 1, 1), (0, 4, 1), (3, 2, 1), (15, 32, 1), (1, 8, 1), (1, 4, 4)):
            program = Program()
            barriers = "".join(f"""
    case {group} {{
      tile_gpu.barrier id {id + group} threads {32 * warps}
      scf.yield
    }}""" for group in range(groups))
            body = f"""
  %threads = arith.constant {32 * warps} : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c4 = arith.constant 4 : i32
  %one = arith.constant 1 : i32
  %group = arith.divui %t, %threads : i32
  %which = arith.index_cast %group : i32 to index
  %start = arith.muli %group, %threads : i32
  %mine = arith.subi %t, %start : i32
  %next0 = arith.addi %mine, %c32 : i32
  %next1 = arith.remui %next0, %threads : i32
  %next = arith.addi %next1, %start : i32
  %here = arith.muli %t, %c4 : i32
  %there = arith.muli %next, %c4 : i32
  tile_gpu.store_shared %t, %here : i32
  scf.for %i = %c0 to %c9 step %c1 {{
    scf.index_switch %which {barriers}
    default {{
    }}
    %v = tile_gpu.load_shared %there : i32
    %w = arith.addi %v, %one : i32
    scf.index_switch %which {barriers}
    default {{
    }}
    tile_gpu.store_shared %w, %here : i32
  }}
  %r = tile_gpu.load_shared %here : i32
""" + address("to", "%out", "%t", 4) + "  tile_gpu.store_global %r, %to align 4 : i32"
            program.add("k", ["out: i32"], body, warps=warps * groups, shared=128 * warps * groups)
            out = np.zeros((groups, 32 * warps), np.int32)
            expected = np.arange(out.size, dtype=np.int32).reshape(out.shape)
            for _ in range(9):
                expected = np.roll(expected, -32, axis=1) + 1
            for _ in program.run("k", out.reshape(-1)):
                np.testing.assert_array_equal(out, expected)

    def test_assume(self):
        # A promise that is kept changes nothing.
        program = Program()
        program.add("k", ["out: i32", "=n: i32"], """  %is = arith.cmpi sge, %n, %t : i32
  tile_gpu.assume %is, "n is large"
  %v = arith.maxsi %n, %t : i32
""" + address("to", "%out", "%t", 4) + "  tile_gpu.store_global %v, %to align 4 : i32")
        out = np.zeros(32, np.int32)
        for _ in program.run("k", out, 1000):
            np.testing.assert_array_equal(out, 1000)


if __name__ == "__main__":
    unittest.main()
