# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""f32 products of each precision: how far from the exact one, and what infinities and NaN give."""

import functools
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

# Error of one product relative to |a| * |b|: cutting to tf32 loses 2^-10 of each operand, so 2^-9 of the product; three
# products leave the square of that, and the last part's rounding. bf16 keeps three bits less a part.
BOUNDS = {"ieee": 2.0**-23, "tf32": 2.0**-9, "tf32x3": 2.0**-19, "bf16x3": 2.0**-13, "bf16x6": 2.0**-19}
# Sums of up to K terms are rounded to f32 at each step.
SUM = 2.0**-23
M, N, K = 48, 24, 40


@functools.lru_cache(maxsize=None)
def compile_kernel(precision):
    return tilewright.compile(f"""
!mat = !tile.view<?x?xf32, strides = [?, ?]>
func.func @mm(%a: !mat, %b: !mat, %c: !mat) attributes {{tile.kernel, tile.grid = @grid}} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<{M}x{N}xf32>
  %x = tile.load %a[%c0, %c0] pad(zero) : !mat -> tensor<{M}x{K}xf32>
  %y = tile.load %b[%c0, %c0] pad(zero) : !mat -> tensor<{K}x{N}xf32>
  %d = tile.dot %x, %y, %zero precision {precision} : tensor<{M}x{K}xf32>, tensor<{K}x{N}xf32> -> tensor<{M}x{N}xf32>
  tile.store %d, %c[%c0, %c0] : tensor<{M}x{N}xf32>, !mat
  return
}}
func.func @grid(%a: !mat, %b: !mat, %c: !mat) -> index {{
  %c1 = arith.constant 1 : index
  return %c1 : index
}}""")


class Precision(unittest.TestCase):
    def run_one(self, precision, a, b, backend):
        c = arrays.Output((a.shape[0], b.shape[1]), np.float32)
        compile_kernel(precision)["mm"](a, b, c.array, backend=backend)
        c.check_border()
        return c.array

    def test_error(self):
        random = np.random.default_rng(1)
        for precision, bound in BOUNDS.items():
            for m, n, k in ((M, N, K), (17, 9, 33), (1, 1, 1)):
                a, b = (random.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n)))
                wide = a.astype(np.float64), b.astype(np.float64)
                limit = (bound + k * SUM) * (abs(wide[0]) @ abs(wide[1]))
                for backend in arrays.backends():
                    with self.subTest(precision=precision, size=(m, n, k), backend=backend):
                        error = abs(self.run_one(precision, a, b, backend) - wide[0] @ wide[1])
                        self.assertTrue((error <= limit).all(), (error / limit).max())

    def test_precisions_differ(self):
        """A test of bounds alone would pass if every precision ran exactly."""
        random = np.random.default_rng(2)
        a, b = (random.standard_normal(s).astype(np.float32) for s in ((M, K), (K, N)))
        exact = a.astype(np.float64) @ b.astype(np.float64)
        errors = {p: abs(self.run_one(p, a, b, "emulator") - exact).max() for p in BOUNDS}
        self.assertGreater(errors["tf32"], 20 * errors["bf16x3"])
        self.assertGreater(errors["bf16x3"], 4 * errors["tf32x3"])

    def test_not_finite(self):
        values = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -3.25, 3.4e38, 1e-30], np.float32)
        a = np.tile(values[:, None], (1, 1))
        b = values[None, :]
        with np.errstate(invalid="ignore", over="ignore"):
            want = a * b
        for precision in ("tf32", "tf32x3", "bf16x3", "bf16x6"):
            for backend in arrays.backends():
                with self.subTest(precision=precision, backend=backend):
                    got = self.run_one(precision, a, b, backend)
                    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
                    is_infinite = np.isinf(a) | np.isinf(b)
                    np.testing.assert_array_equal(got[is_infinite], want[is_infinite])


if __name__ == "__main__":
    unittest.main()
