# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/histogram.mlir against np.bincount: odd sizes, values outside of the bins, one bin for all, any strides."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays

MODULE = arrays.example("histogram")
KERNELS = ("histogram", "histogram_private")


class Histogram(unittest.TestCase):
    def check(self, x, bins, kernel, backend, module=MODULE, layout="C"):
        counts = arrays.Output((bins,), np.int32, layout)
        start = np.arange(bins) % 3
        counts.array[...] = start
        module[kernel](arrays.strided(x, layout), counts.array, backend=backend)
        expected = start + np.bincount(x[(x >= 0) & (x < bins)], minlength=bins)
        arrays.assert_same_bits(counts.array, expected, f"{kernel} of {x.size} values in {bins} bins")
        counts.check_border()

    def test_sizes(self):
        random = np.random.default_rng(1)
        for backend in arrays.backends():
            for n, bins in ((1, 1), (63, 7), (1024, 64), (1025, 65), (5001, 300), (9999, 1), (0, 5)):
                x = random.integers(-bins, 2 * bins, n).astype(np.int32)
                for kernel in KERNELS:
                    with self.subTest(backend=backend, kernel=kernel, n=n, bins=bins):
                        self.check(x, bins, kernel, backend)

    def test_extremes(self):
        # All in one bin, and numbers that are no bin in either way of reading them.
        x = np.full(3001, 2, np.int32)
        x[::7] = np.iinfo(np.int32).min
        x[1::7] = np.iinfo(np.int32).max
        x[2::7] = -1
        for backend in arrays.backends():
            for kernel in KERNELS:
                self.check(x, 3, kernel, backend)

    def test_layouts(self):
        x = np.random.default_rng(2).integers(-3, 130, 2100).astype(np.int32)
        for backend in arrays.backends():
            for layout in arrays.LAYOUTS:
                for kernel in KERNELS:
                    with self.subTest(backend=backend, layout=layout, kernel=kernel):
                        self.check(x, 129, kernel, backend, layout=layout)

    def test_warps(self):
        x = np.random.default_rng(3).integers(-3, 100, 4500).astype(np.int32)
        for warps in (*range(1, 9), 16):
            module = arrays.example("histogram", num_warps=warps)
            for backend in arrays.backends():
                for kernel in KERNELS:
                    with self.subTest(warps=warps, backend=backend, kernel=kernel):
                        self.check(x, 97, kernel, backend, module)


if __name__ == "__main__":
    unittest.main()
