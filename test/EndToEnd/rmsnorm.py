# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/rmsnorm.mlir against NumPy: rows in registers and wider rows, three element types, any strides."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import versions

EPSILON = 1e-6
MODULES = versions.compile("rmsnorm")


def reference(x, weight):
    """RMS norm of each row in double precision."""
    return x * weight / np.sqrt((x * x).mean(axis=1, keepdims=True) + EPSILON)


class RmsNorm(unittest.TestCase):
    def check(self, values, weight, type="f16", layout="C", module=None):
        x, w = (elements.encode(array, type) for array in (values, weight))
        for backend in arrays.backends():
            y = arrays.Output(values.shape, elements.DTYPES[type], layout)
            (module or MODULES[type])["rmsnorm"](
                *(elements.argument(arrays.strided(array, layout), type) for array in (x, w)),
                elements.argument(y.array, type), EPSILON, backend=backend,
            )
            # One rounding to the element type; before it, in f32, sums of up to 2500 positive numbers (below
            # 2500 * 2^-24), of which the square root halves the error, and a few roundings.
            arrays.assert_close(
                elements.decode(y.array, type), reference(*(elements.decode(array, type) for array in (x, w))),
                rtol=1.01 * elements.ROUNDING[type] + 1e-6, atol=1e-7, what=f"{type} {values.shape} {layout} {backend}",
            )
            y.check_border()
        return y.array.copy()

    def test_sizes(self):
        random = np.random.default_rng(1)
        for type in elements.TYPES:
            for shape in ((1, 1), (4, 1024), (5, 1023), (3, 1025), (9, 100), (6, 2500), (1, 2048)):
                with self.subTest(type=type, shape=shape):
                    self.check(random.normal(0, 3, shape), random.normal(0, 1, shape[1]), type)

    def test_layouts(self):
        random = np.random.default_rng(2)
        for layout in arrays.LAYOUTS:
            for shape in ((6, 300), (5, 1100)):
                with self.subTest(layout=layout, shape=shape):
                    self.check(random.normal(0, 3, shape), random.normal(0, 1, shape[1]), layout=layout)

    def test_empty(self):
        for shape in ((0, 5), (5, 0)):
            y, weight = np.zeros(shape, np.float16), np.zeros(shape[1], np.float16)
            for backend in arrays.backends():
                MODULES["f16"]["rmsnorm"](np.zeros(shape, np.float16), weight, y, EPSILON, backend=backend)

    def test_nan_stays_in_its_row(self):
        x = np.ones((6, 1500))
        x[2, 1200] = np.nan
        self.check(x, np.ones(1500))

    def test_warps_agree(self):
        # Squares of small integers: every partial sum is exact in f32, so any order of summation gives the same bits.
        random = np.random.default_rng(3)
        for columns in (700, 1300):
            x, weight = random.integers(-4, 5, (6, columns)), random.integers(-4, 5, columns)
            results = {}
            for warps in (1, 2, 4, 8, 16):
                module = elements.compile("rmsnorm", num_warps=warps)
                results[warps] = self.check(x, weight, module=module)
            for warps, result in results.items():
                arrays.assert_same_bits(result, results[1], f"{warps} warps")


if __name__ == "__main__":
    unittest.main()
