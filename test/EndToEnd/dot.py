# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Products of every element type and of extents that are powers of nothing, against NumPy."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

# Operand type, accumulator type.
TYPES = [
    ("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("f32", "f32"), ("f64", "f64"), ("tf32", "f32"), ("i8", "i32"),
    ("f8E4M3FN", "f32"), ("f8E5M2", "f32"), ("f8E5M2", "f16"),
]
# M, N, K, batch (0: none), warps.
SHAPES = [(16, 16, 16, 0, 4), (48, 96, 20, 0, 4), (17, 5, 3, 0, 3), (1, 1, 1, 0, 1), (32, 24, 8, 3, 2),
          (100, 112, 7, 0, 8), (128, 192, 16, 0, 16)]
KERNEL = """
func.func @{name}(%a: {va}, %b: {va}, %c: {vc}) attributes {{tile.kernel, tile.num_warps = {warps} : i64, tile.grid = @{name}_grid}} {{
  %c0 = arith.constant 0 : index
  %step = arith.constant {k} : index
  %n = tile.view_size %a, {last} : {va}
  %z = arith.constant dense<{zero}> : tensor<{batch}{m}x{n}x{acc}>
  %r = scf.for %i = %c0 to %n step %step iter_args(%s = %z) -> (tensor<{batch}{m}x{n}x{acc}>) {{
    %x = tile.load %a[{off}%c0, %i] pad(zero) : {va} -> tensor<{batch}{m}x{k}x{type}>
    %y = tile.load %b[{off}%i, %c0] pad(zero) : {va} -> tensor<{batch}{k}x{n}x{type}>
    %d = tile.dot %x, %y, %s {flags}: tensor<{batch}{m}x{k}x{type}>, tensor<{batch}{k}x{n}x{type}> -> tensor<{batch}{m}x{n}x{acc}>
    scf.yield %d : tensor<{batch}{m}x{n}x{acc}>
  }}
  tile.store %r, %c[{off}%c0, %c0] : tensor<{batch}{m}x{n}x{acc}>, {vc}
  return
}}
func.func @{name}_grid(%a: {va}, %b: {va}, %c: {vc}) -> index {{
  %c1 = arith.constant 1 : index
  return %c1 : index
}}
"""


def kernel(name, type, acc, m, n, k, batch, warps, flags=""):
    def view(element):
        return f"!tile.view<{'?x' if batch else ''}?x?x{element}, strides = [{'?, ' if batch else ''}?, ?]>"

    return KERNEL.format(
        name=name, va=view(type), vc=view(acc), m=m, n=n, k=k, type=type, acc=acc, warps=warps, flags=flags,
        last=2 if batch else 1, batch=f"{batch}x" if batch else "", off="%c0, " if batch else "",
        zero="0" if acc.startswith("i") else "0.0",
    )


def encode(values, type):
    """Small integers as the bits of `type`, and as what tilewright.compile's kernels take."""
    if type == "i8":
        return values.astype(np.int8)
    if type in ("f16", "f32", "f64"):
        return values.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[type])
    single = values.astype(np.float32)
    if type == "tf32":
        return tilewright.as_type(single.view(np.uint32), "tf32")
    if type == "bf16":
        return tilewright.as_type((single.view(np.uint32) >> 16).astype(np.uint16), "bf16")
    # -4..4 in 8 bits: exact in both formats; f8E5M2 is the upper half of f16.
    if type == "f8E5M2":
        return tilewright.as_type((values.astype(np.float16).view(np.uint16) >> 8).astype(np.uint8), "f8E5M2")
    table = {0: 0x00, 1: 0x38, 2: 0x40, 3: 0x44, 4: 0x48}
    bits = np.vectorize(lambda v: table[abs(v)] | (0x80 if v < 0 else 0))(values.astype(int)).astype(np.uint8)
    return tilewright.as_type(bits.reshape(values.shape), "f8E4M3FN")


class Dot(unittest.TestCase):
    def check(self, module, name, type, acc, m, n, k, batch, low=-4, unsigned=False):
        random = np.random.default_rng(m * 1000 + n * 10 + k)
        trips = 2  # The second block of K hangs over by one.
        depth = max(trips * k - 1, 1)
        lead = (batch,) if batch else ()
        a = random.integers(0 if unsigned else low, 5, lead + (m, depth))
        b = random.integers(0 if unsigned else low, 5, lead + (depth, n))
        if unsigned:  # Beyond what a signed byte holds.
            a, b = a * 50, b * 50
        dtype = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i32": np.int32}[acc]
        for backend in arrays.backends():
            c = arrays.Output(lead + (m, n), dtype)
            encoded = [x.astype(np.uint8).view(np.int8) if unsigned else encode(x, type) for x in (a, b)]
            module[name](*encoded, c.array, backend=backend)
            arrays.assert_same_bits(c.array, (a.astype(np.int64) @ b.astype(np.int64)).astype(dtype),
                                    f"{type} to {acc}, {batch}x{m}x{n}x{k} on {backend}")
            c.check_border()

    def test_every_type_and_shape(self):
        for type, acc in TYPES:
            text = "".join(kernel(f"k{i}", type, acc, *shape) for i, shape in enumerate(SHAPES))
            module = tilewright.compile(text)
            for i, (m, n, k, batch, _) in enumerate(SHAPES):
                with self.subTest(type=type, acc=acc, m=m, n=n, k=k, batch=batch):
                    self.check(module, f"k{i}", type, acc, m, n, k, batch, low=-2 if acc == "f16" else -4)

    def test_sign_flags(self):
        module = tilewright.compile(kernel("u", "i8", "i32", 32, 32, 16, 0, 4, "lhs_unsigned rhs_unsigned "))
        self.check(module, "u", "i8", "i32", 32, 32, 16, 0, unsigned=True)

    def test_merged_products(self):
        # Products over neighbouring blocks along K, and of common operands whose sums are joined: with the pass that makes
        # one of them and without.
        v = "!tile.view<?x?xf16, strides = [?, 1]>"
        w = "!tile.view<?x?xf32, strides = [?, 1]>"
        body = "".join(f"  %c{i} = arith.constant {i} : index\n" for i in range(4))
        body += f"  %x = tile.load %a[%c0, %c0] : {v} -> tensor<32x32xf16>\n"
        body += f"  %y = tile.load %b[%c0, %c0] : {v} -> tensor<32x64xf16>\n"
        body += "  %z = arith.constant dense<1.0> : tensor<32x32xf32>\n"
        for half in range(2):
            body += f"  %h{half} = tile.extract %y[%c0, %c{half}] : tensor<32x64xf16> -> tensor<32x32xf16>\n"
            last = "%z"
            for i in range(4):
                name = f"{half}{i}"
                body += (
                    f"  %x{name} = tile.extract %x[%c0, %c{i}] : tensor<32x32xf16> -> tensor<32x8xf16>\n"
                    f"  %y{name} = tile.extract %h{half}[%c{i}, %c0] : tensor<32x32xf16> -> tensor<8x32xf16>\n"
                    f"  %d{name} = tile.dot %x{name}, %y{name}, {last} : "
                    "tensor<32x8xf16>, tensor<8x32xf16> -> tensor<32x32xf32>\n"
                )
                last = f"%d{name}"
        body += "  %d = tile.concat %d03, %d13 dim 1 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x64xf32>\n"
        body += f"  tile.store %d, %c[%c0, %c0] : tensor<32x64xf32>, {w}\n  return\n}}\n"
        parameters = f"%a: {v}, %b: {v}, %c: {w}"
        text = f"func.func @k({parameters}) attributes {{tile.kernel, tile.grid = @g}} {{\n{body}"
        text += f"func.func @g({parameters}) -> index {{\n  %c1 = arith.constant 1 : index\n  return %c1 : index\n}}\n"
        random = np.random.default_rng(7)
        a, b = random.integers(-4, 5, (32, 32)), random.integers(-4, 5, (32, 64))
        for target in ("sm_80", "sm_90a"):
            for options in ({}, {"disable_pass": ["tile-select-dot"]}):
                with self.subTest(target=target, **options):
                    module = tilewright.compile(text, target, **options)
                    c = arrays.Output((32, 64), np.float32)
                    module["k"](a.astype(np.float16), b.astype(np.float16), c.array, backend="emulator")
                    arrays.assert_same_bits(c.array, (1 + a @ b).astype(np.float32), f"{target} {options}")
                    c.check_border()

    def test_sum_through_shared_memory(self):
        # A sum in f16 that is cut out of a tile lies in a buffer that matrices could be loaded from, like operands.
        v = "!tile.view<?x?xf16, strides = [?, 1]>"
        parameters = f"%a: {v}, %b: {v}, %s: {v}, %c: {v}"
        body = "".join(f"  %c{i} = arith.constant {i} : index\n" for i in range(2))
        body += f"  %x = tile.load %a[%c0, %c0] : {v} -> tensor<32x16xf16>\n"
        body += f"  %y = tile.load %b[%c0, %c0] : {v} -> tensor<16x32xf16>\n"
        body += f"  %sums = tile.load %s[%c0, %c0] : {v} -> tensor<32x64xf16>\n"
        body += "  %sum = tile.extract %sums[%c0, %c1] : tensor<32x64xf16> -> tensor<32x32xf16>\n"
        body += "  %d = tile.dot %x, %y, %sum : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf16>\n"
        body += f"  tile.store %d, %c[%c0, %c0] : tensor<32x32xf16>, {v}\n  return\n}}\n"
        text = f"func.func @k({parameters}) attributes {{tile.kernel, tile.grid = @g}} {{\n{body}"
        text += f"func.func @g({parameters}) -> index {{\n  %c1 = arith.constant 1 : index\n  return %c1 : index\n}}\n"
        random = np.random.default_rng(8)
        a, b, sums = (random.integers(-4, 5, shape).astype(np.float16) for shape in ((32, 16), (16, 32), (32, 64)))
        for warps in (1, 2, 4, 8):
            with self.subTest(warps=warps):
                c = arrays.Output((32, 32), np.float16)
                tilewright.compile(text, num_warps=warps)["k"](a, b, sums, c.array, backend="emulator")
                arrays.assert_same_bits(c.array, sums[:, 32:] + a @ b, f"{warps} warps")
                c.check_border()


if __name__ == "__main__":
    unittest.main()
