# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Kernels written with pointers and masks, as Triton has them: raised to views or not, the bits are the same."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import commands
import ptx
import tilewright

FILE = os.path.join(os.path.dirname(__file__), "Inputs", "triton_style.mlir")
RAISED = tilewright.compile(FILE)
PLAIN = tilewright.compile(FILE, disable_pass=["tile-raise-pointers"])


def padded(values, columns):
    """The rows of `values` in rows of `columns` elements; what lies behind them is NaN."""
    room = np.full((values.shape[0], columns), np.nan, values.dtype)
    room[:, : values.shape[1]] = values
    return room


class RaisePointers(unittest.TestCase):
    def both(self, kernel, shape, dtype, *arguments, width=None):
        """Runs the raised and the plain kernel into a poisoned array; returns the common result."""
        results = []
        for module in (RAISED, PLAIN):
            for backend in arrays.backends():
                out = arrays.Output((shape[0] * (width or shape[-1]),) if len(shape) > 1 else shape, dtype)
                module[kernel](*(out.array if a is Ellipsis else a for a in arguments), backend=backend)
                out.check_border()
                whole = np.array(out.array)
                if len(shape) > 1:
                    whole = whole.reshape(shape[0], -1)
                    self.assertTrue(np.isnan(whole[:, shape[1] :]).all(), "wrote behind a row")
                    whole = whole[:, : shape[1]]
                results.append(whole.copy())
        for other in results[1:]:
            arrays.assert_same_bits(other, results[0], kernel)
        return results[0]

    def test_add(self):
        for size in (0, 1, 31, 1000, 1024, 1025, 4099):
            with self.subTest(size=size):
                x, y = np.random.default_rng(size).integers(-1000, 1000, (2, size)).astype(np.float32)
                arrays.assert_same_bits(self.both("add", (size,), np.float32, x, y, ..., size), x + y)

    def test_softmax(self):
        for rows, columns, stride in ((1, 1, 1), (3, 17, 17), (4, 64, 80), (2, 1000, 1001), (5, 1024, 1024)):
            with self.subTest(rows=rows, columns=columns, stride=stride):
                x = np.random.default_rng(columns).normal(0, 2, (rows, columns)).astype(np.float32)
                y = self.both(
                    "softmax", (rows, columns), np.float32, padded(x, stride).ravel(), ..., rows, columns, stride,
                    width=stride,
                )
                exp = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
                arrays.assert_close(y, exp / exp.sum(axis=1, keepdims=True), 1e-5, 1e-7)

    def test_matmul(self):
        sizes = (1, 1, 1, 0), (64, 64, 32, 0), (65, 63, 33, 7), (100, 130, 96, 8), (3, 70, 31, 1), (64, 64, 0, 0)
        for m, n, k, pad in sizes:
            with self.subTest(m=m, n=n, k=k, pad=pad):
                random = np.random.default_rng(m * n)
                a, b = (random.integers(-4, 5, shape).astype(np.float16) for shape in ((m, k), (k, n)))
                c = self.both(
                    "matmul", (m, n), np.float16, padded(a, k + pad).ravel(), padded(b, n + pad).ravel(), ...,
                    m, n, k, k + pad, n + pad, n + pad, width=n + pad,
                )
                arrays.assert_same_bits(c, (a.astype(np.int64) @ b.astype(np.int64)).astype(np.float16))

    def test_widths(self):
        # Where everything is aligned, a remainder does not keep the raised product from loads of 16 bytes.
        counts = []
        for option in ([], ["--disable-pass=tile-raise-pointers"]):
            status, text, errors = commands.run("tile-compile", FILE, "--emit=ptx", "-o", "-", *option)
            self.assertEqual(status, 0, errors)
            counts.append(ptx.count(ptx.entry(text, "matmul__v0")))
        raised, plain = counts
        self.assertEqual((raised["load of 16 bytes"], raised["load of 2 bytes"]), (4, 0))
        self.assertGreater(plain["load of 2 bytes"], 0)


if __name__ == "__main__":
    unittest.main()
