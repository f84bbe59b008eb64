# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/softmax.mlir against NumPy: rows narrower and wider than a tile, infinities, three element types, one to sixteen
warps."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import versions

MODULES = versions.compile("softmax")
MODULE = MODULES["f32"]


def reference(x):
    """Softmax of each row in double precision."""
    x = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


class Softmax(unittest.TestCase):
    def check(self, x, backend, module=None, layout="C", type="f32"):
        x = elements.encode(x, type)
        y = arrays.Output(x.shape, elements.DTYPES[type], layout)
        (module or MODULES[type])["softmax"](
            elements.argument(arrays.strided(x, layout), type), elements.argument(y.array, type), backend=backend
        )
        # exp has a few ULP, the argument of exp is off by half an ULP of a number of about 10, and sums of up to 1000
        # positive numbers keep their relative error below 1000 * 2^-24. Narrow types round once more, f16 to multiples
        # of 2^-24 where numbers are small.
        arrays.assert_close(
            elements.decode(y.array, type), reference(elements.decode(x, type)),
            rtol=1e-5 if type == "f32" else 1.01 * elements.ROUNDING[type] + 1e-5, atol=3e-8 if type == "f16" else 1e-9,
            what=f"{type} {x.shape} {layout}",
        )
        y.check_border()
        return y.array.copy()

    def test_sizes(self):
        for backend in arrays.backends():
            for type in elements.TYPES:
                for shape in ((1, 1), (4, 256), (5, 255), (3, 257), (1, 700), (9, 1000), (2, 17)):
                    with self.subTest(backend=backend, type=type, shape=shape):
                        self.check(np.random.default_rng(3).normal(0, 3, shape), backend, type=type)

    def test_empty(self):
        for backend in arrays.backends():
            for shape in ((0, 5), (5, 0)):
                y = np.zeros(shape, np.float32)
                MODULE["softmax"](np.zeros(shape, np.float32), y, backend=backend)

    def test_layouts(self):
        x = np.random.default_rng(4).normal(0, 3, (6, 300)).astype(np.float32)
        for backend in arrays.backends():
            for layout in arrays.LAYOUTS:
                for type in elements.TYPES:
                    with self.subTest(backend=backend, layout=layout, type=type):
                        self.check(x, backend, layout=layout, type=type)

    def test_extremes(self):
        # A rising maximum, a block of nothing but -inf, values far apart, and rows that have no softmax.
        x = np.random.default_rng(5).normal(0, 1, (7, 600)).astype(np.float32)
        x[0] = np.linspace(-80, 80, 600)
        x[1, :256] = -np.inf
        x[2, 300:] = -np.inf
        x[3] = -1e30
        x[4, 17] = 1e30
        x[5, 599] = np.nan
        x[6] = -np.inf
        for backend in arrays.backends():
            self.check(x, backend)

    def test_warps_agree(self):
        # Only 0 and -inf: every exp is 0 or 1 and every sum an integer, so the order of summation cannot show.
        x = np.where(np.random.default_rng(6).random((6, 700)) < 0.5, 0, -np.inf).astype(np.float32)
        x[:, 650] = 0
        counts = np.isfinite(x).sum(axis=1, keepdims=True)
        expected = (np.isfinite(x) / counts.astype(np.float32)).astype(np.float32)
        for warps in (*range(1, 9), 16):
            module = arrays.example("softmax", num_warps=warps)
            for backend in arrays.backends():
                with self.subTest(warps=warps, backend=backend):
                    result = self.check(x, backend, module)
                    arrays.assert_same_bits(result, expected, f"{warps} warps")


if __name__ == "__main__":
    unittest.main()
