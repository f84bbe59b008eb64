# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Arrays of more than 2^31 elements and more than 4 GiB: sparse mappings of which kernels touch a few pages. Views and
pointers, 32- and 64-bit indices, every sign of a stride; offsets that a wrap to 32 bits would send elsewhere.

Only the emulator uses such arrays where they are, so it alone runs them.
"""

import mmap
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

BLOCK = 256
GIB = 1 << 30
MAP_NORESERVE = 0x4000  # of Linux; Python names it from 3.13 on


def sparse(count, dtype):
    """A writable array of `count` zeros that takes memory only where it is touched."""
    dtype = np.dtype(dtype)
    memory = mmap.mmap(-1, count * dtype.itemsize, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
    return np.frombuffer(memory, dtype)


def resident():
    """Bytes of memory that this process holds now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE


def kernel(name, parameters, body):
    return (f"func.func @{name}({parameters}) attributes {{tile.kernel, tile.grid = @{name}_grid}} {{\n"
            f"  %c0 = arith.constant 0 : index\n{body}  return\n}}\n"
            f"func.func @{name}_grid({parameters}) -> index {{\n  %c1 = arith.constant 1 : index\n"
            f"  return %c1 : index\n}}\n")


def vectors(type):
    return f"!tile.view<?x{type}, strides = [?]>"


class Huge(unittest.TestCase):
    def setUp(self):
        self.before = resident()

    def tearDown(self):
        # A copy of any of the arrays would take gigabytes.
        self.assertLess(resident() - self.before, 256 << 20)

    def copy_module(self, type):
        """y[j:] = x[i:] of one block, checked."""
        tile = f"tensor<{BLOCK}x{type}>"
        return tilewright.compile(kernel("copy", f"%x: {vectors(type)}, %y: {vectors(type)}, %i: index, %j: index", (
            f"  %t = tile.load %x[%i] pad(zero) : {vectors(type)} -> {tile}\n"
            f"  tile.store %t, %y[%j] : {tile}, {vectors(type)}\n")))

    def test_view_elements(self):
        for type, dtype, count in (("i8", np.int8, (1 << 32) + 1000), ("f16", np.float16, (1 << 32) + 1000),
                                   ("f32", np.float32, (1 << 31) + 1000), ("f64", np.float64, (1 << 32) + 1000)):
            module = self.copy_module(type)
            x = sparse(count, dtype)
            for start in ((1 << 31) - 100, (1 << 31) + 8, (1 << 32) - 100, count - 100):
                if start > count:
                    continue
                with self.subTest(type=type, start=start):
                    x[start:start + BLOCK] = (np.arange(BLOCK) % 100 + 1)[:min(BLOCK, count - start)]
                    want = np.zeros(BLOCK, dtype)
                    want[:min(BLOCK, count - start)] = x[start:start + BLOCK]
                    y = np.zeros(BLOCK, dtype)
                    module["copy"](x, y, start, 0, backend="emulator")
                    arrays.assert_same_bits(y, want, "load")
                    # And the other way, into a second array.
                    z = sparse(count, dtype)
                    values = (np.arange(BLOCK) % 100 + 2).astype(dtype)
                    module["copy"](values, z, 0, start, backend="emulator")
                    arrays.assert_same_bits(z[start:start + BLOCK], values[:min(BLOCK, count - start)], "store")
                    for wrapped in (start % (1 << 32), start - (1 << 32), start - (1 << 31)):
                        if 0 <= wrapped != start:
                            self.assertFalse(z[wrapped:min(wrapped + BLOCK, start)].any(), "wrapped to 32 bits")

    def test_offsets_outside(self):
        # A wrap to 32 bits would put these inside.
        module = self.copy_module("f32")
        x = np.ones(1024, np.float32)
        for start in (1 << 32, -(1 << 32), (1 << 31) * 2 + 512, 1 << 62, -(1 << 62), (1 << 34) + 4):
            y = np.full(BLOCK, 7, np.float32)
            module["copy"](x, y, start, 0, backend="emulator")
            self.assertFalse(y.any(), start)
            module["copy"](x, y, 0, start, backend="emulator")
            self.assertFalse(y.any(), start)

    def test_negative_stride(self):
        module = self.copy_module("f16")
        count = (1 << 32) + 1000
        memory = sparse(count, np.float16)
        x = memory[::-1]
        for start in (0, (1 << 31) + 100, count - BLOCK):
            x[start:start + BLOCK] = np.arange(BLOCK)
            y = np.zeros(BLOCK, np.float16)
            module["copy"](x, y, start, 0, backend="emulator")
            arrays.assert_same_bits(y, np.arange(BLOCK).astype(np.float16))
        y = np.arange(1000, 1000 + BLOCK).astype(np.float16)
        module["copy"](y, x, 0, (1 << 31) + 100, backend="emulator")
        arrays.assert_same_bits(x[(1 << 31) + 100:][:BLOCK], y)

    def test_large_strides(self):
        # Few elements, far apart: 16 rows of 1 GiB and a bit, forwards and backwards, and columns 2^31 elements apart.
        view = "!tile.view<?x?xf32, strides = [?, ?]>"
        tile = "tensor<16x32xf32>"
        module = tilewright.compile(kernel("copy", f"%x: {view}, %y: {view}", (
            f"  %t = tile.load %x[%c0, %c0] pad(zero) : {view} -> {tile}\n"
            f"  tile.store %t, %y[%c0, %c0] : {tile}, {view}\n")))
        memory = sparse(16 * GIB // 4 + 4096, np.float32)
        values = np.arange(16 * 32, dtype=np.float32).reshape(16, 32) + 1
        row = GIB // 4 + 52
        forwards = np.lib.stride_tricks.as_strided(memory, (16, 32), (4 * row, 4))
        backwards = forwards[::-1, ::-1]
        far = np.lib.stride_tricks.as_strided(memory[100:], (16, 2), (4, 4 << 31))
        for name, x in (("forwards", forwards), ("backwards", backwards), ("columns", far), ("transposed", far.T)):
            with self.subTest(name):
                extents = tuple(slice(0, extent) for extent in x.shape)
                small = np.zeros((16, 32), np.float32)
                small[:, :] = values
                module["copy"](small[extents], x, backend="emulator")
                arrays.assert_same_bits(np.array(x), small[extents][:x.shape[0], :x.shape[1]], "store")
                y = np.zeros((16, 32), np.float32)
                module["copy"](x, y, backend="emulator")
                arrays.assert_same_bits(y[extents][:x.shape[0], :x.shape[1]], np.array(x)[:16, :32], "load")

    def pointer_module(self, type, index):
        """y[j + iota] = x[i + iota] by pointers, with indices of one width."""
        tile, pointers, offsets = f"tensor<{BLOCK}x{type}>", f"tensor<{BLOCK}x!tile.ptr<{type}>>", f"tensor<{BLOCK}x{index}>"
        body = f"  %iota = tile.iota : {offsets}\n"
        for memory, start in (("x", "i"), ("y", "j")):
            body += (f"  %s{memory} = tile.splat %{start} : {index} -> {offsets}\n"
                     f"  %o{memory} = arith.addi %s{memory}, %iota overflow<nsw> : {offsets}\n"
                     f"  %b{memory} = tile.splat %{memory} : !tile.ptr<{type}> -> {pointers}\n"
                     f"  %p{memory} = tile.ptr_add %b{memory}, %o{memory} : {pointers}, {offsets}\n")
        body += f"  %t = tile.load_ptr %px : {pointers}\n  tile.store_ptr %t, %py : {pointers}\n"
        return tilewright.compile(
            kernel("copy", f"%x: !tile.ptr<{type}>, %y: !tile.ptr<{type}>, %i: {index}, %j: {index}", body))

    def test_pointers(self):
        # An i32 index of f64 reaches 2^34 bytes in both directions: the product has 64 bits.
        for type, dtype, index, starts in (
                ("f64", np.float64, "i32", (0, (1 << 29) + 3, (1 << 31) - BLOCK)),
                ("f16", np.float16, "i32", ((1 << 31) - BLOCK, (1 << 30) + 64)),
                ("f16", np.float16, "i64", ((1 << 31) - 100, (1 << 32) + 64)),
                ("i8", np.int8, "i64", ((1 << 32) - 100, (1 << 32) + 64))):
            module = self.pointer_module(type, index)
            x, y = (sparse((1 << 32) + 1024 if index == "i64" else 1 << 31, dtype) for _ in range(2))
            for start in starts:
                with self.subTest(type=type, index=index, start=start):
                    x[start:start + BLOCK] = np.arange(BLOCK) % 100 + 1
                    module["copy"](x, y, start, start, backend="emulator")
                    arrays.assert_same_bits(y[start:start + BLOCK], x[start:start + BLOCK])

    def test_pointers_backwards(self):
        # From the middle of an array, as far down as an i32 goes.
        memory = sparse(1 << 32, np.float64)
        module = self.pointer_module("f64", "i32")
        start = -(1 << 31) + 1024
        memory[-BLOCK:] = np.arange(BLOCK)
        middle = memory[1 << 31:]
        module["copy"](middle, memory, (1 << 31) - BLOCK, 0, backend="emulator")
        arrays.assert_same_bits(memory[:BLOCK], np.arange(BLOCK))
        module["copy"](memory, middle, 0, start, backend="emulator")
        arrays.assert_same_bits(memory[1024:1024 + BLOCK], np.arange(BLOCK))
        # An array of one element has nothing before it.
        with self.assertRaisesRegex(tilewright.LaunchError, f"{-8 * start} bytes before the start of buffer '1' of 8 "):
            module["copy"](memory[:BLOCK], np.zeros(1), 0, start, backend="emulator")

    def test_read_only(self):
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"tilewright-huge-{os.getpid()}")
        count = 5 * GIB // 4
        try:
            with open(path, "wb") as file:
                file.truncate(4 * count)
                file.seek(4 * (count - BLOCK))
                file.write(np.arange(BLOCK, dtype=np.float32).tobytes())
            x = np.memmap(path, np.float32, "r")
            y = np.zeros(BLOCK, np.float32)
            self.copy_module("f32")["copy"](x, y, count - BLOCK, 0, backend="emulator")
            arrays.assert_same_bits(y, np.arange(BLOCK))
        finally:
            os.unlink(path)

    def test_gather_rows(self):
        view, rows = "!tile.view<?x?xf16, strides = [?, 1]>", "!tile.view<?xi64, strides = [1]>"
        tile = "tensor<64x64xf16>"
        module = tilewright.compile(kernel("rows", f"%x: {view}, %r: {rows}, %y: {view}", (
            f"  %i = tile.load %r[%c0] : {rows} -> tensor<64xi64>\n"
            f"  %t = tile.gather %x[%i, %c0] pad(zero) : {view}[tensor<64xi64>, index] -> {tile}\n"
            f"  %u = arith.addf %t, %t : {tile}\n"
            f"  tile.scatter %u, %x[%i, %c0] : {tile}, {view}[tensor<64xi64>, index]\n"
            f"  tile.store %t, %y[%c0, %c0] : {tile}, {view}\n")))
        count = (1 << 26) + 7
        x = sparse(count * 64, np.float16).reshape(count, 64)
        indices = np.random.default_rng(0).permutation(np.linspace(0, count - 1, 64).astype(np.int64))
        x[indices] = np.arange(64 * 64).reshape(64, 64) % 999
        before = x[indices]
        y = np.zeros((64, 64), np.float16)
        module["rows"](x, indices, y, backend="emulator")
        arrays.assert_same_bits(y, before)
        arrays.assert_same_bits(x[indices], before * 2)


if __name__ == "__main__":
    unittest.main()
