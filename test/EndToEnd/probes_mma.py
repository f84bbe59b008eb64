# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""`mma.sync` of every kind, one instruction at a time, against NumPy: fragments placed by hand.

test_mma__KIND: integers whose products and sums are exact, so that only the places in the fragments and the types
count. test_mma__KIND_DATA: data where order, cuts and rounding of tensor cores show. The emulator's bits are the unit
test's business (test/unit/Emulator/MmaTest.cpp); here they are held against bounds, and recorded for a device, which
has to give the same: docs/Numerics.md says what it measured.
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
FORMATS = {**exact.FORMATS, "tf32": exact.Format(8, 10)}
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
        """Runs the kind on elements [COUNT, 16, K] and [COUNT, 8, K]; yields the exact sums, those of absolute values, and
        what came out."""
        types, flags, total = KINDS[name][:2], KINDS[name][2], KINDS[name][3]
        with np.errstate(all="ignore"):
            a, b = numbers(left, types[0], "lhs" in flags), numbers(right, types[1], "rhs" in flags)
            expected = fragment(np.einsum("cik,cjk->cij", a, b) + start.astype(np.float64))
            size = fragment(np.einsum("cik,cjk->cij", np.abs(a), np.abs(b)) + np.abs(start.astype(np.float64)))
        c = np.ascontiguousarray(fragment(start))
        for _ in self.program.run(name, left_words(left).reshape(-1), right_words(right).reshape(-1), c.reshape(-1)):
            yield expected, size, c

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
        for expected, _, got in self.multiply(name, *operands, start):
            np.testing.assert_array_equal(got.astype(np.float64), expected)

    def sums(self, name, data):
        """Data of one kind: sums are as near the exact ones as the cuts let them be, and what is not finite is so
        everywhere."""
        random = np.random.default_rng(7 + DATA.index(data))
        left, right, flags, total = KINDS[name]
        k = 32 // (4 if left == "tf32" else 2 if left in ("f16", "bf16") else 1)
        format = exact.FORMATS[total]
        start = random.normal(0, 1, (COUNT, 16, 8)).astype(SUMS[total])
        operands = [make(random, left, (COUNT, 16, k), data, 1), make(random, right, (COUNT, 8, k), data, 0)]
        if data == "subnormal":
            operands[1] = make(random, right, (COUNT, 8, k), "random", 0)
            start = start * 0
        elif data in START:
            start = make(random, total, start.shape, START[data], 1).view(SUMS[total])
        elif data == "cancel":
            with np.errstate(all="ignore"):
                start = -np.einsum("cik,cjk->cij", *map(numbers, operands, (left, right))).astype(SUMS[total])
        for expected, size, got in self.multiply(name, *operands, start):
            with np.errstate(all="ignore"):
                bits, value = got.view(format.storage), got.astype(np.float64)
                self.assertTrue((bits[np.isnan(expected)] == (1 << format.width - 1) - 1).all(), "the NaN of tensor cores")
                finite = np.isfinite(expected)
                np.testing.assert_array_equal(value[~finite & ~np.isnan(expected)], expected[~finite & ~np.isnan(expected)])
                # f32: 17 terms lose less than 2^-25 of the largest each, and the sum less than 2^-23 of it, twice. f16: half of
                # 2^-10, three times for fp8. Next to a denormal term a quarter of the least number each, and one.
                bound = size * (2.0**-9 if total == "f16" else 2.0**-20) + 6 * float(format.decode(1))
                far = finite & (size < float(format.decode(format.largest))) & ~(np.abs(value - expected) <= bound)
            self.assertFalse(far.any(), f"{value[far][:3]} is not {expected[far][:3]}")


DATA = ("random", "specials", "subnormal", "wide", "low_bits", "any_bits", "sparse", "zeros", "tiny", "huge", "cancel")
# Data of the start where they are not random or like the operands.
START = {"any_bits": "any_bits", "sparse": "sparse", "zeros": "denormals", "tiny": "denormals", "huge": "any_bits"}


def make(random, type, shape, data, sign):
    """Random elements of `type`, as unsigned integers. In a quarter of the products some data have one sign: so that there are
    sums that are negative, or negative zeros, throughout."""
    format = FORMATS[type]
    if data in ("random", "wide", "cancel", "specials", "subnormal", "low_bits"):
        spread = random.integers(-6, 7, shape) if data in ("wide", "cancel") else 0
        bits = encode(random.normal(0, 1, shape) * 2.0**spread, type)
        if data == "specials":
            bits[random.random(shape) < 0.02] = format.infinity << (13 if type == "tf32" else 0)
            bits[random.random(shape) < 0.02] = format.nan << (13 if type == "tf32" else 0)
        elif data == "subnormal":
            small = random.integers(0, 1 << format.mantissa_bits, shape) << (13 if type == "tf32" else 0)
            bits = np.where(random.random(shape) < 0.5, small.astype(bits.dtype), bits)
        elif data == "low_bits":
            bits |= random.integers(0, 0x2000, shape).astype(bits.dtype)
        return bits
    # Exponents as they are stored: of all numbers, or such that products lie about one end of the range, by rows.
    top = format.largest >> format.mantissa_bits
    if data in ("tiny", "huge"):
        middle, reach = (format.bias // 2, 14) if data == "tiny" else (format.bias + format.bias // 2, 6)
        exponents = middle + random.integers(-reach, reach + 1, (*shape[:-1], 1)) + random.integers(-2, 3, shape)
    else:
        exponents = random.integers(0, 1 if data == "denormals" else top + 1, shape)
    bits = np.clip(exponents, 0, top) << format.mantissa_bits | random.integers(0, 1 << format.mantissa_bits, shape)
    bits = np.minimum(bits, format.largest)
    if data in ("sparse", "denormals", "zeros"):
        bits[random.random(shape) < (1 if data == "zeros" else 0.5)] = 0
    signs = random.integers(0, 2, shape)
    signs[: COUNT // 4] = sign
    bits |= signs << (format.width - 1)
    return (bits << 13).astype(np.uint32) if type == "tf32" else bits.astype(format.storage)


def _add_tests():
    for kind, (left, right, flags, total) in KINDS.items():
        setattr(Mma, f"test_mma__{kind}", lambda self, kind=kind: self.integers(kind))
        if left == "i8":
            continue
        for data in DATA:
            if data != "low_bits" or left == "tf32":
                setattr(Mma, f"test_mma__{kind}_{data}", lambda self, kind=kind, data=data: self.sums(kind, data))


_add_tests()

if __name__ == "__main__":
    unittest.main()
