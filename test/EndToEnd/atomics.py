# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Atomic updates of every kind and type, old values and their replicas, sums of parts of a product, and programs that wait
for one another with locks and flags."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

DTYPES = {"i32": np.int32, "i64": np.int64, "f16": np.float16, "f32": np.float32, "f64": np.float64}
INTEGER_KINDS = {"add": np.add, "smin": np.minimum, "smax": np.maximum, "umin": np.minimum, "umax": np.maximum,
                 "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor}
CASES = [(kind, type) for kind in INTEGER_KINDS for type in ("i32", "i64")]
CASES += [("fadd", type) for type in ("f16", "f32", "f64")]
WARPS = (1, 2, 3, 4, 5, 8)


def kernel(name, parameters, body, warps=4, programs=1):
    """A kernel with constants %c0 and %c1, run by so many programs."""
    attributes = f"tile.kernel, tile.num_warps = {warps} : i64, tile.grid = @{name}_grid"
    return (f"func.func @{name}({parameters}) attributes {{{attributes}}} {{\n  %c0 = arith.constant 0 : index\n"
            f"  %c1 = arith.constant 1 : index\n{body}  return\n}}\n"
            f"func.func @{name}_grid({parameters}) -> index {{\n  %many = arith.constant {programs} : index\n  return %many : index\n}}\n")


def combine(kind, type, memory, places, values):
    """What `memory` is after all updates, in NumPy."""
    result = memory.copy()
    if kind == "fadd":
        np.add.at(result, places, values)
    elif kind in ("umin", "umax"):
        unsigned = np.dtype(type).str.replace("i", "u")
        INTEGER_KINDS[kind].at(result.view(unsigned), places, values.view(unsigned))
    else:
        INTEGER_KINDS[kind].at(result, places, values)
    return result


class Updates(unittest.TestCase):
    @staticmethod
    def update(name, kind, type, n, warps):
        """Updates memory[places[i]] with values[i] for the odd i; keeps the old values, doubled."""
        tile, pointers = f"tensor<{n}x{type}>", f"tensor<{n}x!tile.ptr<{type}>>"
        plus = "arith.addf" if type[0] == "f" else "arith.addi"
        return kernel(name, f"%m: !tile.ptr<{type}>, %p: !tile.view<?xi32, strides = [1]>, "
                           f"%x: !tile.view<?x{type}, strides = [1]>, %o: !tile.view<?x{type}, strides = [1]>", f"""
  %places = tile.load %p[%c0] : !tile.view<?xi32, strides = [1]> -> tensor<{n}xi32>
  %values = tile.load %x[%c0] : !tile.view<?x{type}, strides = [1]> -> {tile}
  %base = tile.splat %m : !tile.ptr<{type}> -> {pointers}
  %where = tile.ptr_add %base, %places : {pointers}, tensor<{n}xi32>
  %i = tile.iota : tensor<{n}xi32>
  %one = arith.constant dense<1> : tensor<{n}xi32>
  %low = arith.andi %i, %one : tensor<{n}xi32>
  %odd = arith.cmpi eq, %low, %one : tensor<{n}xi32>
  %old = tile.atomic_rmw {kind} relaxed gpu %where, %values mask %odd : {pointers}
  %twice = {plus} %old, %old : {tile}
  tile.store %twice, %o[%c0] : {tile}, !tile.view<?x{type}, strides = [1]>
""", warps)

    def test_kinds(self):
        random = np.random.default_rng(1)
        text = "".join(self.update(f"k{i}_{n}", *case, n, WARPS[(i + n) % len(WARPS)])
                       for i, case in enumerate(CASES) for n in (1, 32, 77, 300))
        module = tilewright.compile(text)
        for i, (kind, type) in enumerate(CASES):
            for n in (1, 32, 77, 300):
                for distinct in (False, True):
                    dtype = DTYPES[type]
                    size = n if distinct else max(n // 5, 1)
                    places = (random.permutation(n) if distinct else random.integers(0, size, n)).astype(np.int32)
                    low = -9 if type == "f16" else -1000
                    values, memory = (random.integers(low, -low, k).astype(dtype) for k in (n, size))
                    expected = combine(kind, dtype, memory, places[1::2], values[1::2])
                    for backend in arrays.backends():
                        with self.subTest(kind=kind, type=type, n=n, distinct=distinct, backend=backend):
                            now, old = memory.copy(), np.zeros(n, dtype)
                            module[f"k{i}_{n}"](now, places, values, old, backend=backend)
                            arrays.assert_same_bits(now, expected, f"{kind} {type}")
                            if distinct:
                                arrays.assert_same_bits(old[1::2], 2 * memory[places[1::2]], f"old {kind} {type}")

    def test_bf16(self):
        # Small integers are exact in bf16. Its bits are the upper half of f32's.
        def bits(x):
            return (np.asarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16)

        n, view = 99, "!tile.view<?xbf16, strides = [1]>"
        module = tilewright.compile(kernel("k", f"%x: {view}, %y: {view}", f"""
  %v = tile.load %x[%c0] pad(zero) : {view} -> tensor<{n}xbf16>
  tile.reduce_into fadd gpu %v, %y[%c0] : tensor<{n}xbf16>, {view}
""", programs=3))
        x = np.arange(n - 5) % 13 - 6
        for backend in arrays.backends():
            y = bits(np.arange(n) % 5)
            module["k"](tilewright.as_type(bits(x), "bf16"), tilewright.as_type(y, "bf16"), backend=backend)
            expected = np.arange(n) % 5
            expected[: n - 5] += 3 * x
            arrays.assert_same_bits(y, bits(expected), "bf16")

    def test_exchange_and_compare(self):
        for type, dtype in (("i32", np.int32), ("i64", np.int64), ("f32", np.float32), ("f64", np.float64)):
            n, view = 45, f"!tile.view<?x{type}, strides = [1]>"
            pointers = f"tensor<{n}x!tile.ptr<{type}>>"
            module = tilewright.compile(kernel("k", f"%m: !tile.ptr<{type}>, %x: {view}, %y: {view}, %o: {view}", f"""
  %i = tile.iota : tensor<{n}xi32>
  %base = tile.splat %m : !tile.ptr<{type}> -> {pointers}
  %where = tile.ptr_add %base, %i : {pointers}, tensor<{n}xi32>
  %x0 = tile.load %x[%c0] : {view} -> tensor<{n}x{type}>
  %y0 = tile.load %y[%c0] : {view} -> tensor<{n}x{type}>
  %was = tile.atomic_cas acq_rel gpu %where, %x0, %y0 : {pointers}
  tile.store %was, %o[%c0] : tensor<{n}x{type}>, {view}
  %again = tile.atomic_rmw exch acquire sys %where, %x0 : {pointers}
  %cn = arith.constant {n} : index
  tile.store %again, %o[%cn] : tensor<{n}x{type}>, {view}
""", warps=3))
            x, y = np.arange(n).astype(dtype), np.arange(n).astype(dtype) + 100
            memory = np.where(np.arange(n) % 3 == 0, x, x + 7).astype(dtype)
            if type[0] == "f":  # Bits are compared: -0 is not 0, and a NaN is itself.
                memory[0], x[3], memory[3] = -0.0, np.nan, np.nan
            unsigned = np.dtype(f"u{dtype().itemsize}")
            after = np.where(memory.view(unsigned) == x.view(unsigned), y, memory)
            for backend in arrays.backends():
                now, old = memory.copy(), np.zeros(2 * n, dtype)
                module["k"](now, x, y, old, backend=backend)
                np.testing.assert_array_equal(old.view(unsigned), np.concatenate([memory, after]).view(unsigned))
                np.testing.assert_array_equal(now.view(unsigned), x.view(unsigned))

    def test_replicas_agree(self):
        # The old values have a layout in which many threads hold each: what a row sum leaves behind.
        for warps in WARPS:
            module = tilewright.compile(kernel("k", "%m: !tile.ptr<i32>, %x: !tile.view<?x?xi32, strides = [?, 1]>, "
                                                    "%o: !tile.view<?x?xi32, strides = [?, 1]>", """
  %x0 = tile.load %x[%c0, %c0] : !tile.view<?x?xi32, strides = [?, 1]> -> tensor<16x64xi32>
  %sum = tile.reduce %x0 dim 1 : tensor<16x64xi32> -> tensor<16xi32> {
  ^bb0(%a: i32, %e: i32):
    %r = arith.addi %a, %e : i32
    tile.yield %r : i32
  }
  %base = tile.splat %m : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %zero = arith.constant dense<0> : tensor<16xi32>
  %where = tile.ptr_add %base, %zero : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %old = tile.atomic_rmw add relaxed gpu %where, %sum : tensor<16x!tile.ptr<i32>>
  %column = tile.reshape %old : tensor<16xi32> -> tensor<16x1xi32>
  %all = tile.broadcast %column : tensor<16x1xi32> -> tensor<16x64xi32>
  tile.store %all, %o[%c0, %c0] : tensor<16x64xi32>, !tile.view<?x?xi32, strides = [?, 1]>
""", warps))
            x = np.arange(1024, dtype=np.int32).reshape(16, 64)
            for backend in arrays.backends():
                with self.subTest(warps=warps, backend=backend):
                    m, o = np.zeros(1, np.int32), np.zeros((16, 64), np.int32)
                    module["k"](m, x, o, backend=backend)
                    self.assertEqual(m[0], x.sum())
                    # Each row's updates form a chain: what a row found plus its sum is what the next one found.
                    np.testing.assert_array_equal(o, np.repeat(o[:, :1], 64, axis=1))
                    ends = o[:, 0] + x.sum(axis=1)
                    self.assertEqual(sorted(o[:, 0]), [0] + sorted(ends)[:-1])


    def test_every_thread_is_told(self):
        # Fewer elements than threads, also where warps that are no power of two hold copies: each warp sums its own
        # copy of the old values, and all threads store the sum.
        for warps in (1, 2, 3, 5, 6, 8):
            for n in (1, 8, 31, 32, 64, 96):
                module = tilewright.compile(kernel("k", "%m: !tile.ptr<i32>, %o: !tile.view<?xi32, strides = [1]>", f"""
  %i = tile.iota : tensor<{n}xi32>
  %base = tile.splat %m : !tile.ptr<i32> -> tensor<{n}x!tile.ptr<i32>>
  %where = tile.ptr_add %base, %i : tensor<{n}x!tile.ptr<i32>>, tensor<{n}xi32>
  %old = tile.atomic_rmw add relaxed gpu %where, %i : tensor<{n}x!tile.ptr<i32>>
  %new = tile.load_ptr %where sync(relaxed, gpu) : tensor<{n}x!tile.ptr<i32>>
  %both = arith.addi %old, %new : tensor<{n}xi32>
  %sum = tile.reduce %both dim 0 : tensor<{n}xi32> -> i32 {{
  ^bb0(%a: i32, %e: i32):
    %r = arith.addi %a, %e : i32
    tile.yield %r : i32
  }}
  %all = tile.splat %sum : i32 -> tensor<1024xi32>
  tile.store %all, %o[%c0] : tensor<1024xi32>, !tile.view<?xi32, strides = [1]>
""", warps))
                m = np.arange(n, dtype=np.int32) * 7
                for backend in arrays.backends():
                    with self.subTest(warps=warps, n=n, backend=backend):
                        now, o = m.copy(), np.zeros(1024, np.int32)
                        module["k"](now, o, backend=backend)
                        np.testing.assert_array_equal(now, m + np.arange(n))
                        np.testing.assert_array_equal(o, 2 * m.sum() + n * (n - 1) // 2)


class Blocks(unittest.TestCase):
    def test_reduce_into(self):
        # A block that hangs over both edges of a plane of a cube, one dimension not walked.
        random = np.random.default_rng(2)
        view = "!tile.view<?x?x?x{0}, strides = [?, ?, ?]>"
        text, cases = "", [(case, warps) for case, warps in zip(CASES, WARPS * 4)]
        for i, ((kind, type), warps) in enumerate(cases):
            v, t = view.format(type), f"!tile.view<?x?x{type}, strides = [?, ?]>"
            text += kernel(f"k{i}", f"%x: {t}, %y: {v}, %i: index, %j: index", f"""
  %v = tile.load %x[%c0, %c0] : {t} -> tensor<9x33x{type}>
  tile.reduce_into {kind} gpu %v, %y[%i, %c1, %j] dims [0, 2] : tensor<9x33x{type}>, {v}
""", warps, programs=2)
        module = tilewright.compile(text)
        for i, ((kind, type), warps) in enumerate(cases):
            x = random.integers(-9, 9, (9, 33)).astype(DTYPES[type])
            for at in ((0, 0), (-2, 5), (4, -7), (100, 0)):
                for layout in ("C", "step"):
                    y = random.integers(-9, 9, (11, 3, 37)).astype(DTYPES[type])
                    expected = y.copy()
                    r, c = np.meshgrid(np.arange(9) + at[0], np.arange(33) + at[1], indexing="ij")
                    ok = (r >= 0) & (r < 11) & (c >= 0) & (c < 37)
                    plane = np.ascontiguousarray(expected[:, 1, :])
                    for _ in range(2):
                        flat = combine(kind, DTYPES[type], plane.reshape(-1), (r * 37 + c)[ok], x[ok])
                        plane = flat.reshape(11, 37)
                    expected[:, 1, :] = plane
                    for backend in arrays.backends():
                        with self.subTest(kind=kind, type=type, warps=warps, at=at, layout=layout, backend=backend):
                            out = arrays.Output(y.shape, DTYPES[type], layout)
                            out.array[...] = y
                            module[f"k{i}"](x, out.array, *at, backend=backend)
                            arrays.assert_same_bits(out.array, expected, f"{kind} {type}")
                            out.check_border()

    def test_split_k(self):
        # c += a b, each program a part of K. Integers: exact in any order.
        text = """
!m = !tile.view<?x?xf32, strides = [?, ?]>
func.func @split(%a: !m, %b: !m, %c: !m) attributes {tile.kernel, tile.grid = @split_grid WARPS} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %px = tile.program_id x
  %py = tile.program_id y
  %pz = tile.program_id z
  %i = arith.muli %px, %c32 overflow<nsw> : index
  %j = arith.muli %py, %c32 overflow<nsw> : index
  %first = arith.muli %pz, %c48 overflow<nsw> : index
  %full = arith.addi %first, %c48 overflow<nsw> : index
  %k = tile.view_size %a, 1 : !m
  %end = arith.minsi %full, %k : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %part = scf.for %kk = %first to %end step %c16 iter_args(%s = %zero) -> (tensor<32x32xf32>) {
    %x = tile.load %a[%i, %kk] pad(zero) : !m -> tensor<32x16xf32>
    %y = tile.load %b[%kk, %j] pad(zero) : !m -> tensor<16x32xf32>
    %d = tile.dot %x, %y, %s : tensor<32x16xf32>, tensor<16x32xf32> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.reduce_into fadd gpu %part, %c[%i, %j] : tensor<32x32xf32>, !m
  return
}
func.func @split_grid(%a: !m, %b: !m, %c: !m) -> (index, index, index) {
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %m = tile.view_size %c, 0 : !m
  %n = tile.view_size %c, 1 : !m
  %k = tile.view_size %a, 1 : !m
  %px = arith.ceildivsi %m, %c32 : index
  %py = arith.ceildivsi %n, %c32 : index
  %pz = arith.ceildivsi %k, %c48 : index
  return %px, %py, %pz : index, index, index
}
"""
        random = np.random.default_rng(3)
        for warps in (1, 2, 3, 4, 8):
            module = tilewright.compile(text.replace("WARPS", f", tile.num_warps = {warps} : i64"))
            for m, n, k in ((33, 17, 100), (1, 1, 1), (32, 64, 144), (5, 70, 97)):
                a, b, c = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((m, k), (k, n), (m, n)))
                for backend in arrays.backends():
                    with self.subTest(warps=warps, m=m, n=n, k=k, backend=backend):
                        out = arrays.Output((m, n), np.float32)
                        out.array[...] = c
                        module["split"](a, b, out.array, backend=backend)
                        arrays.assert_same_bits(out.array, c + a @ b, f"{m}x{n}x{k}")
                        out.check_border()


class Waiting(unittest.TestCase):
    def test_tickets(self):
        # Each program draws a number and writes it into its own row: every thread must have been given the same one.
        for warps in WARPS:
            module = tilewright.compile(kernel("k", "%m: !tile.ptr<i32>, %o: !tile.view<?x?xi32, strides = [?, 1]>", """
  %program = tile.program_id x
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : index
  %sum = scf.for %trip = %c0 to %three step %c1 iter_args(%s = %one) -> (i32) {
    %ticket = tile.atomic_rmw add relaxed gpu %m, %one : !tile.ptr<i32>
    scf.yield %ticket : i32
  }
  %row = tile.splat %sum : i32 -> tensor<1x200xi32>
  tile.store %row, %o[%program, %c0] : tensor<1x200xi32>, !tile.view<?x?xi32, strides = [?, 1]>
""", warps, programs=37))
            for backend in arrays.backends():
                with self.subTest(warps=warps, backend=backend):
                    m, o = np.zeros(1, np.int32), np.zeros((37, 200), np.int32)
                    module["k"](m, o, backend=backend)
                    self.assertEqual(m[0], 3 * 37)
                    np.testing.assert_array_equal(o, np.repeat(o[:, :1], 200, axis=1))
                    self.assertEqual(len(set(o[:, 0])), 37)

    def test_lock(self):
        # A spin lock around plain accesses: none is lost.
        view = "!tile.view<?xf32, strides = [1]>"
        for warps in (1, 3, 4):
            module = tilewright.compile(kernel("k", f"%lock: !tile.ptr<i32>, %y: {view}", f"""
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {{
    %was = tile.atomic_cas acquire gpu %lock, %zero, %one : !tile.ptr<i32>
    %taken = arith.cmpi ne, %was, %zero : i32
    scf.condition(%taken)
  }} do {{
    scf.yield
  }}
  %v = tile.load %y[%c0] : {view} -> tensor<100xf32>
  %ones = arith.constant dense<1.0> : tensor<100xf32>
  %w = arith.addf %v, %ones : tensor<100xf32>
  tile.store %w, %y[%c0] : tensor<100xf32>, {view}
  tile.store_ptr %zero, %lock sync(release, gpu) : !tile.ptr<i32>
""", warps, programs=60))
            for backend in arrays.backends():
                with self.subTest(warps=warps, backend=backend):
                    lock, y = np.zeros(1, np.int32), np.zeros(99, np.float32)
                    module["k"](lock, y, backend=backend)
                    np.testing.assert_array_equal(y, 60)
                    self.assertEqual(lock[0], 0)

    def test_waits_for_a_later_program(self):
        # Each program waits for the flag of the next one, then adds one to what that one wrote.
        view = "!tile.view<?xi32, strides = [1]>"
        for warps, programs in ((1, 50), (4, 30)):
            module = tilewright.compile(kernel("k", f"%flags: !tile.ptr<i32>, %y: {view}", f"""
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %p = tile.program_id x
  %next = arith.addi %p, %c1 overflow<nsw> : index
  %theirs = tile.ptr_add %flags, %next : !tile.ptr<i32>, index
  scf.while : () -> () {{
    %flag = tile.load_ptr %theirs sync(acquire, gpu) : !tile.ptr<i32>
    %unset = arith.cmpi eq, %flag, %zero : i32
    scf.condition(%unset)
  }} do {{
    scf.yield
  }}
  %v = tile.load %y[%next] : {view} -> tensor<1xi32>
  %ones = arith.constant dense<1> : tensor<1xi32>
  %w = arith.addi %v, %ones : tensor<1xi32>
  tile.store %w, %y[%p] : tensor<1xi32>, {view}
  %mine = tile.ptr_add %flags, %p : !tile.ptr<i32>, index
  tile.store_ptr %one, %mine sync(release, gpu) : !tile.ptr<i32>
""", warps, programs=programs))
            for backend in arrays.backends():
                with self.subTest(warps=warps, backend=backend):
                    flags, y = np.zeros(programs + 1, np.int32), np.zeros(programs + 1, np.int32)
                    flags[programs] = 1
                    module["k"](flags, y, backend=backend)
                    np.testing.assert_array_equal(y, np.arange(programs, -1, -1))

    def test_deadlock_is_reported(self):
        module = tilewright.compile(kernel("k", "%flag: !tile.ptr<i32>", """
  %zero = arith.constant 0 : i32
  scf.while : () -> () {
    %f = tile.load_ptr %flag sync(acquire, gpu) : !tile.ptr<i32>
    %unset = arith.cmpi eq, %f, %zero : i32
    scf.condition(%unset)
  } do {
    scf.yield
  }
""", warps=1, programs=3))
        with self.assertRaisesRegex(Exception, "deadlock: waits here for other programs"):
            module["k"](np.zeros(1, np.int32), backend="emulator")

    def test_ordered_blocks(self):
        # Tiles, and pads, through ordered accesses, of types of every size.
        for type, dtype in (("i8", np.int8), ("f16", np.float16), ("i32", np.int32), ("f64", np.float64)):
            view = f"!tile.view<?x?x{type}, strides = [?, ?]>"
            for warps in (1, 4, 5):
                module = tilewright.compile(kernel("k", f"%x: {view}, %y: {view}", f"""
  %t = tile.join_tokens()
  %v, %t1 = tile.load %x[%c1, %c0] pad(zero) sync(acquire, gpu) after(%t) : {view} -> tensor<5x9x{type}>, !tile.token
  %t2 = tile.store %v, %y[%c0, %c0] sync(release, gpu) after(%t1) : tensor<5x9x{type}>, {view} -> !tile.token
  %t3 = tile.join_tokens(%t1, %t2)
""", warps))
                x = np.arange(20).reshape(4, 5).astype(dtype)
                expected = np.zeros((5, 9), dtype)
                expected[:3, :5] = x[1:]
                for backend in arrays.backends():
                    y = np.full((5, 9), 7, dtype)
                    module["k"](x, y, backend=backend)
                    arrays.assert_same_bits(y, expected, type)


if __name__ == "__main__":
    unittest.main()
