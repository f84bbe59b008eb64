# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""`mma.sync` of every kind, one instruction at a time, against NumPy: fragments placed by hand.

test_mma__KIND: integers whose products and sums are exact, so that only the places in the fragments and the types
count; docs/Status.md says which of them agreed with a device. test_compare_mma__: data where the order and the rounding of tensor
cores show, which the emulator does not model; only reported.
"""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import exact
import tilewright
from thread import Program

SUMS = {"f32": np.dtype(np.float32), "f16": np.dtype(np.float16), "i32": np.dtype(np.int32)}
# Operands in MLIR's words, whether they are unsigned, the sum.
KINDS = {"f16_f32": ("f16", "f16", "", "f32"), "f16_f16": ("f16", "f16", "", "f16"), "bf16_f32": ("bf16", "bf16", "", "f32"),
         "tf32_f32": ("tf32", "tf32", "", "f32")}
for left in ("s8", "u8"):
    for right in ("s8", "u8"):
        flags = "lhs_unsigned " * (left == "u8") + "rhs_unsigned" * (right == "u8")
        KINDS[f"{left}_{right}_s32"] = ("i8", "i8", flags, "i32")
for left in ("e4m3", "e5m2"):
    for right in ("e4m3", "e5m2"):
        for total in ("f32", "f16"):
            types = [{"e4m3": "f8E4M3FN", "e5m2": "f8E5M2"}[name] for name in (left, right)]
            KINDS[f"{left}_{right}_{total}"] = (*types, "", total)
COUNT = 64  # products of a launch: one warp each


def numbers(bits, type, unsigned=False):
    """The numbers that unsigned integers stand for, in double precision."""
    if type == "i8":
        return bits.astype(np.float64) if unsigned else bits.view(np.int8).astype(np.float64)
    if type == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if type == "f16":
        return bits.view(np.float16).astype(np.float64)
    if type == "tf32":
        return (bits & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)
    table = np.array([float(exact.FORMATS[type].decode(i)) for i in range(256)])
    return table[bits]


def encode(values, type):
    """The nearest elements of `type`, as unsigned integers."""
    if type == "i8":
        return np.asarray(values).astype(np.int64).astype(np.uint8)
    if type == "f16":
        return values.astype(np.float16).view(np.uint16)
    if type == "bf16":
        return ((values.astype(np.float32).view(np.uint32) + 0x8000) >> 16).astype(np.uint16)
    if type == "tf32":
        return (values.astype(np.float32).view(np.uint32) + 0x1000) & np.uint32(0xFFFFE000)
    table = numbers(np.arange(256, dtype=np.uint8), type)
    order = np.argsort(np.where(np.isfinite(table), table, np.inf), kind="stable")
    order = order[: np.isfinite(table).sum()]
    middle = (table[order][1:] + table[order][:-1]) / 2
    return order[np.searchsorted(middle, values)].astype(np.uint8)


def left_words(matrix):
    """[count, 16, 32 bytes] to [count, lane, word]. PTX ISA: word r of lane 4g + t is row g + 8 (r mod 2), bytes 4t + 16 (r / 2)."""
    words = np.ascontiguousarray(matrix).view(np.uint8).reshape(len(matrix), 16, 32).view(np.int32)
    g, t = np.arange(32) // 4, np.arange(32) % 4
    return np.stack([words[:, g + 8 * (r & 1), t + 4 * (r >> 1)] for r in range(4)], axis=-1)


def right_words(matrix):
    """[count, 8 columns, 32 bytes] to [count, lane, word]: column g, bytes 4t + 16 r."""
    words = np.ascontiguousarray(matrix).view(np.uint8).reshape(len(matrix), 8, 32).view(np.int32)
    g, t = np.arange(32) // 4, np.arange(32) % 4
    return np.stack([words[:, g, t + 4 * r] for r in range(2)], axis=-1)


def fragment(sums):
    """[count, 16, 8] to [count, lane, element]: row g + 8 (i / 2), column 2t + i mod 2."""
    g, t = np.arange(32) // 4, np.arange(32) % 4
    return np.stack([sums[:, g + 8 * (i >> 1), 2 * t + (i & 1)] for i in range(4)], axis=-1)


class Mma(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = Program()
        for name, (left, right, flags, total) in KINDS.items():
            size = 4 * SUMS[total].itemsize
            places = "".join(f"""
  %{base}_bytes = arith.constant {bytes} : i64
  %{base}_skip = arith.muli %wide, %{base}_bytes : i64
  %{base}_at = arith.addi %{base}, %{base}_skip : i64""" for base, bytes in (("a", 16), ("b", 8), ("c", size)))
            cls.program.add(name, ["a: i32", "b: i32", f"c: {total}"], f"""
  %cta = tile_gpu.cta_id x
  %skip = arith.muli %cta, %c32 : i32
  %i = arith.addi %skip, %lane : i32
  %wide = arith.extui %i : i32 to i64 {places}
  %x = tile_gpu.load_global %a_at align 16 : vector<4xi32>
  %y = tile_gpu.load_global %b_at align 8 : vector<2xi32>
  %z = tile_gpu.load_global %c_at align {size} : vector<4x{total}>
  %r = tile_gpu.mma %x, %y, %z types {left}, {right} {flags} : vector<4x{total}>
  tile_gpu.store_global %r, %c_at align {size} : vector<4x{total}>""", grid=(COUNT,))

    def multiply(self, name, left, right, start):
        """Runs the kind on elements [COUNT, 16, K] and [COUNT, 8, K]; yields expected and actual sums."""
        types, flags, total = KINDS[name][:2], KINDS[name][2], KINDS[name][3]
        with np.errstate(all="ignore"):
            expected = np.einsum("cik,cjk->cij", numbers(left, types[0], "lhs" in flags), numbers(right, types[1], "rhs" in flags))
            expected = fragment(expected + start.astype(np.float64))
        c = np.ascontiguousarray(fragment(start))
        for _ in self.program.run(name, left_words(left).reshape(-1), right_words(right).reshape(-1), c.reshape(-1)):
            yield expected, c.astype(np.float64)

    def integers(self, name):
        random = np.random.default_rng(len(name))
        left, right, flags, total = KINDS[name]
        k = 32 // (4 if left == "tf32" else 2 if left in ("f16", "bf16") else 1)
        operands = []
        for type, rows, unsigned in ((left, 16, "lhs" in flags), (right, 8, "rhs" in flags)):
            low, high = (0, 256) if unsigned else (-128, 128) if type == "i8" else (-4, 5)
            operands.append(encode(random.integers(low, high, (COUNT, rows, k)).astype(np.float64), type))
        start = random.integers(-99, 100, (COUNT, 16, 8)).astype(SUMS[total])
        if total == "i32":
            start *= 2**20
        for expected, got in self.multiply(name, *operands, start):
            np.testing.assert_array_equal(got, expected)

    def compare(self, name, data):
        """Data of one kind: finite sums are near the exact ones, and what is not finite is so everywhere."""
        random = np.random.default_rng(7)
        left, right, flags, total = KINDS[name]
        k = 32 // (4 if left == "tf32" else 2 if left in ("f16", "bf16") else 1)
        start = random.normal(0, 1, (COUNT, 16, 8)).astype(SUMS[total])
        operands = []
        for type, rows in ((left, 16), (right, 8)):
            values = random.normal(0, 1, (COUNT, rows, k))
            bits = encode(values, type)
            if data == "specials":
                format = exact.FORMATS.get(type, exact.FORMATS["f32"])
                bits[random.random(bits.shape) < 0.02] = format.infinity
                bits[random.random(bits.shape) < 0.02] = format.nan
            elif data == "subnormal":
                format = exact.FORMATS.get(type, exact.FORMATS["f32"])
                small = random.integers(0, 1 << format.mantissa_bits, bits.shape).astype(bits.dtype)
                small = small & 0xFFFFE000 if type == "tf32" else small
                bits = np.where(random.random(bits.shape) < 0.5, small, bits) if rows == 16 else encode(values * 8, type)
                start = start * 0
            elif data == "low_bits":
                bits |= random.integers(0, 0x2000, bits.shape).astype(bits.dtype)
            elif data == "wide":
                bits = encode(values * 2.0 ** random.integers(-6, 7, values.shape), type)
            operands.append(bits)
        for expected, got in self.multiply(name, *operands, start):
            finite = np.isfinite(expected) & (np.abs(expected) < 60000)
            np.testing.assert_array_equal(np.isnan(got[np.isnan(expected)]), True)
            scale = 40 * 2.0 ** (-10 if total == "f16" else -22) * (64 if data == "wide" else 1)
            np.testing.assert_allclose(got[finite], expected[finite], rtol=scale, atol=scale)


def _add_tests():
    for kind, (left, right, flags, total) in KINDS.items():
        setattr(Mma, f"test_mma__{kind}", lambda self, kind=kind: self.integers(kind))
        if left == "i8":
            continue
        for data in ("random", "specials", "subnormal", "wide") + (("low_bits",) if left == "tf32" else ()):
            setattr(Mma, f"test_compare_mma__{kind}_{data}", lambda self, kind=kind, data=data: self.compare(kind, data))


_add_tests()

if __name__ == "__main__":
    unittest.main()
