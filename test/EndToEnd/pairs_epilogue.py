# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""A product with bias, residual and activation whose tile is stored at once, and the same cut by hand: the plain form
compiles to the instructions of the other, and every number of parts gives the same bits."""

import itertools
import os
import re
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import commands
import ptx
import tilewright

FACTS = "tile.div_by = 16 : i64, tile.strides_div_by = array<i64: {strides}>, tile.sizes_div_by = array<i64: {sizes}>"
KERNEL = """
!in = !tile.view<?x?xf16, strides = [?, 1]>
!out = !tile.view<?x?xf16, strides = [{out_strides}]>
!row = !tile.view<?xf32, strides = [1]>

func.func @gemm(%a: !in {{tile.name = "a", {facts}}}, %b: !in {{tile.name = "b", {facts}}},
                %bias: !row {{tile.name = "bias", {row_facts}}},
                %old: !out {{tile.name = "old", {out_facts}}}, %c: !out {{tile.name = "c", {out_facts}}})
    attributes {{tile.kernel, tile.grid = @gemm_grid{attributes}}} {{
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %cm = arith.constant {m} : index
  %cn = arith.constant {n} : index
  %zero = arith.constant dense<0.0> : tensor<{m}x{n}xf32>
  %k = tile.view_size %a, 1 : !in
  %pm = tile.program_id x
  %pn = tile.program_id y
  %i = arith.muli %pm, %cm overflow<nsw> : index
  %j = arith.muli %pn, %cn overflow<nsw> : index
  %sum = scf.for %kk = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<{m}x{n}xf32>) {{
    %lhs = tile.load %a[%i, %kk] pad(zero) : !in -> tensor<{m}x32xf16>
    %rhs = tile.load %b[%kk, %j] pad(zero) : !in -> tensor<32x{n}xf16>
    %next = tile.dot %lhs, %rhs, %acc : tensor<{m}x32xf16>, tensor<32x{n}xf16> -> tensor<{m}x{n}xf32>
    scf.yield %next : tensor<{m}x{n}xf32>
  }}
{epilogue}
  return
}}

func.func @gemm_grid(%a: !in, %b: !in, %bias: !row, %old: !out, %c: !out) -> (index, index) {{
  %cm = arith.constant {m} : index
  %cn = arith.constant {n} : index
  %m = tile.view_size %c, 0 : !out
  %n = tile.view_size %c, 1 : !out
  %tiles_m = arith.ceildivsi %m, %cm : index
  %tiles_n = arith.ceildivsi %n, %cn : index
  return %tiles_m, %tiles_n : index, index
}}
"""


def epilogue(number, value, m, n, begin):
    """relu(value + bias + old) in f16, for `n` columns from `begin` on."""
    p = f"%p{number}"
    return f"""
  {p}_begin = arith.constant {begin} : index
  {p}_j = arith.addi %j, {p}_begin overflow<nsw> : index
  {p}_row = tile.load %bias[{p}_j] pad(zero) : !row -> tensor<{n}xf32>
  {p}_row_2d = tile.reshape {p}_row : tensor<{n}xf32> -> tensor<1x{n}xf32>
  {p}_rows = tile.broadcast {p}_row_2d : tensor<1x{n}xf32> -> tensor<{m}x{n}xf32>
  {p}_biased = arith.addf {value}, {p}_rows : tensor<{m}x{n}xf32>
  {p}_old = tile.load %old[%i, {p}_j] pad(zero) : !out -> tensor<{m}x{n}xf16>
  {p}_wide = arith.extf {p}_old : tensor<{m}x{n}xf16> to tensor<{m}x{n}xf32>
  {p}_with = arith.addf {p}_biased, {p}_wide : tensor<{m}x{n}xf32>
  {p}_zero = arith.constant dense<0.0> : tensor<{m}x{n}xf32>
  {p}_relu = arith.maximumf {p}_with, {p}_zero : tensor<{m}x{n}xf32>
  {p}_narrow = arith.truncf {p}_relu : tensor<{m}x{n}xf32> to tensor<{m}x{n}xf16>
  tile.store {p}_narrow, %c[%i, {p}_j] : tensor<{m}x{n}xf16>, !out"""


def by_hand(m, n, count):
    """Equal blocks, taken out and stored one after the other."""
    width, lines = n // count, ["  %z = arith.constant 0 : index"]
    for part in range(count):
        lines.append(f"""
  %k{part} = arith.constant {part} : index
  %v{part} = tile.extract %sum[%z, %k{part}] : tensor<{m}x{n}xf32> -> tensor<{m}x{width}xf32>""")
        lines.append(epilogue(part, f"%v{part}", m, width, part * width))
    return "\n".join(lines)


def kernel(m, n, body=None, noalias=False, column_major=False, attributes=""):
    def facts(*sizes):
        return FACTS.format(strides=", ".join(["8", "1"][-len(sizes) :]), sizes=", ".join(map(str, sizes)))

    return KERNEL.format(
        m=m,
        n=n,
        epilogue=body or epilogue(0, "%sum", m, n, 0),
        facts=facts(8, 8) if noalias else "",
        row_facts=facts(8) if noalias else "",
        out_facts=facts(8, 8) + ", tile.noalias" if noalias else "",
        out_strides="1, ?" if column_major else "?, 1",
        attributes=attributes,
    ).replace(", }", "}")


def compile_ptx(text, *options):
    """The counts of the whole kernel, and the bytes of its shared memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "gemm.mlir")
        with open(path, "w") as file:
            file.write(text)
        arguments = ("--max-variants=1", "--report", "-o", "-", *options)
        status, out, err = commands.run("tile-compile", path, "--emit=ptx", *arguments)
        assert status == 0, err
    return ptx.count(ptx.entry(out, "gemm")), int(re.search(r"(\d+) bytes of shared memory", err)[1])


class PairsEpilogue(unittest.TestCase):
    M, N, THREADS = 128, 256, 256

    def test_counts(self):
        whole, whole_bytes = compile_ptx(kernel(self.M, self.N, noalias=True), "--epilogue-parts=1")
        for count in (2, 4):
            with self.subTest(count=count):
                text = kernel(self.M, self.N, by_hand(self.M, self.N, count), noalias=True)
                by_hand_counts, by_hand_bytes = compile_ptx(text, "--disable-pass=tile-subtile-epilogue")
                # Where nobody asks the compiler takes as many as fit beside the operands of the product.
                options = (f"--epilogue-parts={count}",) if count != 4 else ()
                plain, plain_bytes = compile_ptx(kernel(self.M, self.N, noalias=True), *options)
                self.assertEqual(plain, by_hand_counts)
                self.assertEqual(plain_bytes, by_hand_bytes)
                self.assertLess(plain_bytes, whole_bytes)
                # The tile leaves in the widest stores, each under its bound, as many as without parts; nothing is spilt,
                # and cutting moves nothing between lanes.
                wide = self.M * self.N * 2 // 16 // self.THREADS
                for counts in (plain, whole):
                    self.assertEqual(counts["store of 16 bytes"], wide, counts)
                    self.assertEqual(counts["shuffle"] + counts["local"], whole["shuffle"], counts)
                self.assertEqual(plain["mma"], whole["mma"])
                # Both operands and the residual. The bias is small: it comes in wide pieces, one for each part, through shared
                # memory, or to each thread as it needs it.
                operands = (self.M + self.N) * 32 * 2 // 16 // self.THREADS
                self.assertIn(whole["load of 16 bytes"] - operands - wide, (0, 1))
                pieces = plain["load of 16 bytes"] - operands - wide
                self.assertIn(pieces, (0, count))
                # Sums and residual go through shared memory in the widest accesses once, whole or in parts.
                kind = "shared store of 16 bytes"
                bias = pieces - (whole["load of 16 bytes"] - operands - wide)
                self.assertEqual(plain[kind], whole[kind] + bias, (plain, whole))

    def test_bytes(self):
        # f16 tiles of 128x256 and two operands of 32 columns of K: the parts take turns in one buffer.
        operands = (self.M + self.N) * 32 * 2
        for count in (1, 2, 4):
            body = """
  %h = arith.truncf %sum : tensor<128x256xf32> to tensor<128x256xf16>
  tile.store %h, %c[%i, %j] : tensor<128x256xf16>, !out"""
            _, bytes_ = compile_ptx(kernel(self.M, self.N, body, noalias=True), f"--epilogue-parts={count}")
            self.assertEqual(bytes_, max(operands, self.M * self.N * 2 // count))

    def test_results(self):
        random = np.random.default_rng(5)
        for (m, n), column_major in itertools.product(((32, 48), (16, 208), (64, 64)), (False, True)):
            for rows, columns, depth in ((m + 5, n + 17, 37), (m, 2 * n, 32), (3, n - 15, 0)):
                a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in ((rows, depth), (depth, columns)))
                bias = random.integers(-9, 10, columns).astype(np.float32)
                old = random.integers(-9, 10, (rows, columns)).astype(np.float16)
                sums = a.astype(np.float64) @ b.astype(np.float64) + bias + old
                expected = np.maximum(sums, 0).astype(np.float16)
                for options in ({"disable_pass": ["tile-subtile-epilogue"]}, {}, {"epilogue_parts": 2}, {"epilogue_parts": 3}):
                    with self.subTest(m=m, n=n, column_major=column_major, rows=rows, depth=depth, options=options):
                        self.check(kernel(m, n, column_major=column_major), options, a, b, bias, old, expected, column_major)

    def check(self, text, options, a, b, bias, old, expected, column_major=False):
        module = tilewright.compile(text, lazy=True, **options)
        layout = "F" if column_major else "C"
        out = arrays.Output(expected.shape, np.float16, layout)
        module["gemm"](a, b, bias, arrays.strided(old, layout), out.array, backend="emulator")
        arrays.assert_same_bits(np.array(out.array), expected)
        out.check_border()

    def test_in_place(self):
        # The residual is what the store overwrites: all of it is read first.
        random = np.random.default_rng(6)
        a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in ((40, 33), (33, 70)))
        old, bias = random.integers(-9, 10, (40, 70)).astype(np.float16), np.zeros(70, np.float32)
        expected = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + old, 0).astype(np.float16)
        for parts in (1, 2, 3):
            module = tilewright.compile(kernel(16, 48), lazy=True, epilogue_parts=parts)
            c = old.copy()
            module["gemm"](a, b, bias, c, c, backend="emulator")
            arrays.assert_same_bits(c, expected)


if __name__ == "__main__":
    unittest.main()
