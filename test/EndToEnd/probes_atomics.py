# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Each atomic instruction in a program of its own: every kind, type, order and scope, alone and contended.

A test is called test_OP__CASE; docs/Status.md says which ops agreed with a device.
"""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import tilewright
from thread import BYTES, TYPES, Program, address

ORDERS, SCOPES = ("relaxed", "acquire", "release", "acq_rel"), ("cta", "gpu", "sys")
INTEGER = ("add", "smin", "smax", "umin", "umax", "andi", "ori", "xori")
UPDATES = [(kind, type) for kind in INTEGER for type in ("i32", "i64")]
UPDATES += [("fadd", type) for type in ("f16", "bf16", "f32", "f64")] + [("exch", type) for type in ("i32", "i64", "f32", "f64")]


def encode(values, type):
    """Integers as elements of `type`, exactly; bf16 as its bits."""
    if type == "bf16":
        return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.asarray(values).astype(TYPES[type])


def argument(array, type):
    return tilewright.as_type(array, type) if type == "bf16" else array


def combine(kind, old, new):
    unsigned = [x.view(np.dtype(f"u{x.itemsize}")) if x.dtype.kind == "i" else x for x in (old, new)]
    return {"add": lambda: old + new, "fadd": lambda: old + new, "smin": lambda: np.minimum(old, new),
            "smax": lambda: np.maximum(old, new), "umin": lambda: np.minimum(*unsigned).view(old.dtype),
            "umax": lambda: np.maximum(*unsigned).view(old.dtype), "andi": lambda: old & new, "ori": lambda: old | new,
            "xori": lambda: old ^ new, "exch": lambda: new}[kind]()


class Atomics(unittest.TestCase):
    def test_atomic_rmw__kinds(self):
        # Each thread updates a place of its own, two of three; it gets what was there, or zero.
        program = Program()
        for i, (kind, type) in enumerate(UPDATES):
            size = BYTES[type]
            order, scope = ORDERS[i % 4], SCOPES[i % 3]
            program.add(f"k{i}", [f"memory: {type}", f"x: {type}", f"out: {type}"],
                        address("at", "%memory", "%t", size) + address("from", "%x", "%t", size)
                        + address("to", "%out", "%t", size) + f"""
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %part = arith.remui %t, %c3 : i32
  %in = arith.cmpi ne, %part, %zero : i32
  %v = tile_gpu.load_global %from align {size} : {type}
  %old = tile_gpu.atomic_rmw {kind} {order} {scope} %at, %v pred %in : {type}
  tile_gpu.store_global %old, %to align {size} : {type}""", warps=2)
        inside = np.arange(64) % 3 != 0
        for i, (kind, type) in enumerate(UPDATES):
            random = np.random.default_rng(i)
            low = -100 if type in ("f16", "bf16") else -2**20
            old, new = (random.integers(low, -low, 64) for _ in range(2))
            if type == "bf16":  # Sums below 256 are exact.
                old, new = old // 2, new // 2
            if type in ("f16", "bf16"):
                result = encode(old + new, type)
            else:
                result = combine(kind, encode(old, type), encode(new, type))
            memory, x, out = encode(old, type), encode(new, type), encode(np.full(64, 5), type)
            expected = np.where(inside, result, memory)
            was = np.where(inside, memory, 0)
            for backend in program.run(f"k{i}", *(argument(a, type) for a in (memory, x, out))):
                with self.subTest(kind=kind, type=type, backend=backend):
                    np.testing.assert_array_equal(memory, expected)
                    np.testing.assert_array_equal(out, was)

    def test_atomic_rmw__orders(self):
        self.orders("add", lambda order, scope: f"tile_gpu.atomic_rmw add {order} {scope} %at, %v : i32", ORDERS,
                    lambda memory, x: (memory + x, memory))

    def test_atomic_cas__orders(self):
        self.orders("cas", lambda order, scope: f"tile_gpu.atomic_cas {order} {scope} %at, %c7, %v : i32", ORDERS,
                    lambda memory, x: (np.where(memory == 7, x, memory), memory))

    def test_atomic_load__orders(self):
        self.orders("load", lambda order, scope: f"tile_gpu.atomic_load {order} {scope} %at : i32", ORDERS[:2],
                    lambda memory, x: (memory, memory))

    def test_atomic_store__orders(self):
        self.orders("store", lambda order, scope: f"tile_gpu.atomic_store {order} {scope} %v, %at : i32", ("relaxed", "release"),
                    lambda memory, x: (x, x))

    def orders(self, name, op, orders, effect):
        program = Program()
        cases = [(order, scope) for order in orders for scope in SCOPES]
        for order, scope in cases:
            text = op(order, scope)
            result = "" if name == "store" else "%old = "
            program.add(f"{name}_{order}_{scope}", ["memory: i32", "x: i32", "out: i32"],
                        address("at", "%memory", "%t", 4) + address("from", "%x", "%t", 4) + address("to", "%out", "%t", 4) + f"""
  %c7 = arith.constant 7 : i32
  %v = tile_gpu.load_global %from align 4 : i32
  {result}{text}
  tile_gpu.store_global {"%v" if name == "store" else "%old"}, %to align 4 : i32""")
        for order, scope in cases:
            memory, x, out = (np.random.default_rng(n).integers(5, 9, 32).astype(np.int32) for n in range(3))
            after, got = effect(memory.copy(), x)
            for backend in program.run(f"{name}_{order}_{scope}", memory, x, out):
                with self.subTest(order=order, scope=scope, backend=backend):
                    np.testing.assert_array_equal(memory, after)
                    np.testing.assert_array_equal(out, got)

    def test_atomic_cas__types(self):
        # Bits are compared: -0 is not 0, and a NaN is itself.
        program = Program()
        types = ("i32", "i64", "f32", "f64")
        for type in types:
            size = BYTES[type]
            program.add(f"k{type}", [f"memory: {type}", f"x: {type}", f"y: {type}", f"out: {type}"],
                        address("at", "%memory", "%t", size) + address("left", "%x", "%t", size)
                        + address("right", "%y", "%t", size) + address("to", "%out", "%t", size) + f"""
  %c30 = arith.constant 30 : i32
  %in = arith.cmpi ult, %t, %c30 : i32
  %a = tile_gpu.load_global %left align {size} : {type}
  %b = tile_gpu.load_global %right align {size} : {type}
  %old = tile_gpu.atomic_cas acq_rel gpu %at, %a, %b pred %in : {type}
  tile_gpu.store_global %old, %to align {size} : {type}""")
        for type in types:
            x, y = np.arange(32).astype(TYPES[type]), np.arange(32).astype(TYPES[type]) + 100
            memory, out = np.where(np.arange(32) % 2 == 0, x, x + 7).astype(TYPES[type]), np.zeros(32, TYPES[type])
            if type[0] == "f":
                memory[0], x[4], memory[4] = -0.0, np.nan, np.nan
            bits = np.dtype(f"u{BYTES[type]}")
            before = memory.copy()
            swapped = (before.view(bits) == x.view(bits)) & (np.arange(32) < 30)
            for backend in program.run(f"k{type}", memory, x, y, out):
                with self.subTest(type=type, backend=backend):
                    np.testing.assert_array_equal(memory.view(bits), np.where(swapped, y, before).view(bits))
                    np.testing.assert_array_equal(out.view(bits), np.where(np.arange(32) < 30, before.view(bits), 0))

    def test_atomic_load__types(self):
        self.move("load")

    def test_atomic_store__types(self):
        self.move("store")

    def move(self, name):
        program = Program()
        types = ("i8", "i16", "f16", "i32", "f32", "i64", "f64")
        for type in types:
            size = BYTES[type]
            load = "atomic_load acquire gpu %from pred %in" if name == "load" else f"load_global %from align {size}"
            store = "atomic_store release gpu %v, %to pred %in" if name == "store" else f"store_global %v, %to align {size}"
            program.add(f"k{type}", [f"x: {type}", f"out: {type}"],
                        address("from", "%x", "%t", size) + address("to", "%out", "%t", size) + f"""
  %c30 = arith.constant 30 : i32
  %in = arith.cmpi ult, %t, %c30 : i32
  %v = tile_gpu.{load} : {type}
  tile_gpu.{store} : {type}""")
        for type in types:
            x, out = np.arange(1, 33).astype(TYPES[type]), np.full(32, 99).astype(TYPES[type])
            outside = 0 if name == "load" else 99
            for backend in program.run(f"k{type}", x, out):
                with self.subTest(type=type, backend=backend):
                    np.testing.assert_array_equal(out, np.where(np.arange(32) < 30, x, outside))

    def test_atomic_rmw__contended(self):
        # All threads of all CTAs add to few places.
        program = Program()
        types = ("i32", "i64", "f16", "bf16", "f32", "f64")
        for type in types:
            kind = "add" if type[0] == "i" else "fadd"
            one = "1" if type[0] == "i" else "1.0"
            program.add(f"k{type}", [f"memory: {type}"], f"""
  %c5 = arith.constant 5 : i32
  %i = arith.remui %t, %c5 : i32
  %one = arith.constant {one} : {type}
""" + address("at", "%memory", "%i", BYTES[type]) + f"""
  %old = tile_gpu.atomic_rmw {kind} relaxed gpu %at, %one : {type}""", warps=2, grid=(9,))
        for type in types:
            memory = encode(np.zeros(5), type)
            expected = encode(9 * np.bincount(np.arange(64) % 5), type)
            for backend in program.run(f"k{type}", argument(memory, type)):
                with self.subTest(type=type, backend=backend):
                    np.testing.assert_array_equal(memory, expected)

    def test_atomic_rmw__message(self):
        # The last CTA to count itself in reads what the others wrote before they counted.
        program = Program()
        program.add("k", ["slots: i32", "count: i32", "out: i32"], """
  %cta = tile_gpu.cta_id x
  %all = tile_gpu.num_ctas x
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %is_first = arith.cmpi eq, %t, %c0 : i32
  %i0 = arith.muli %cta, %c32 : i32
  %i = arith.addi %i0, %t : i32
  %value = arith.muli %i, %i : i32
""" + address("mine", "%slots", "%i", 4) + """
  tile_gpu.store_global %value, %mine align 4 : i32
  tile_gpu.barrier id 0 threads 32
  %seen = tile_gpu.atomic_rmw add acq_rel gpu %count, %one pred %is_first : i32
  %told = tile_gpu.shuffle idx %seen, %c0 : i32
  %last = arith.subi %all, %one : i32
  %is_last = arith.cmpi eq, %told, %last : i32
  tile_gpu.barrier id 0 threads 32
  scf.if %is_last {
    %from = arith.constant 0 : index
    %to = arith.index_cast %all : i32 to index
    %step = arith.constant 1 : index
    %sum = scf.for %k = %from to %to step %step iter_args(%s = %c0) -> (i32) {
      %k32 = arith.index_cast %k : index to i32
      %j0 = arith.muli %k32, %c32 : i32
      %j = arith.addi %j0, %t : i32
""" + address("theirs", "%slots", "%j", 4) + """
      %v = tile_gpu.load_global %theirs align 4 : i32
      %r = arith.addi %s, %v : i32
      scf.yield %r : i32
    }
""" + address("at", "%out", "%t", 4) + """
    tile_gpu.store_global %sum, %at align 4 : i32
  }""", grid=(64,))
        slots, count, out = np.zeros(2048, np.int32), np.zeros(1, np.int32), np.zeros(32, np.int32)
        expected = (np.arange(2048) ** 2).reshape(64, 32).sum(axis=0)
        for _ in program.run("k", slots, count, out):
            np.testing.assert_array_equal(out, expected)


if __name__ == "__main__":
    unittest.main()
