# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/layernorm.mlir against NumPy: rows in registers and wider rows, three element types, any strides."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import versions

EPSILON = 1e-5
MODULES = versions.compile("layernorm")


def reference(x, weight, bias):
    """Layer norm of each row in double precision."""
    centred = x - x.mean(axis=1, keepdims=True)
    return centred * weight / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + EPSILON) + bias


class LayerNorm(unittest.TestCase):
    def check(self, values, weight, bias, type="f16", layout="C", module=None, atol=2e-5):
        inputs = [elements.encode(array, type) for array in (values, weight, bias)]
        for backend in arrays.backends():
            y = arrays.Output(values.shape, elements.DTYPES[type], layout)
            (module or MODULES[type])["layernorm"](
                *(elements.argument(arrays.strided(array, layout), type) for array in inputs),
                elements.argument(y.array, type), EPSILON, backend=backend,
            )
            # One rounding to the element type, relative. The mean carries an absolute error of f32 sums, which the
            # weights (about 1) and the scale (about 1/3) pass on: atol.
            arrays.assert_close(
                elements.decode(y.array, type), reference(*(elements.decode(array, type) for array in inputs)),
                rtol=1.01 * elements.ROUNDING[type] + 1e-5, atol=atol, what=f"{type} {values.shape} {layout} {backend}",
            )
            y.check_border()
        return y.array.copy()

    def random(self, shape, seed, mean=0.5):
        random = np.random.default_rng(seed)
        return random.normal(mean, 3, shape), random.normal(0, 1, shape[1]), random.normal(0, 1, shape[1])

    def test_sizes(self):
        for type in elements.TYPES:
            for shape in ((1, 1), (4, 1024), (5, 1023), (3, 1025), (9, 100), (6, 2500), (1, 2048)):
                with self.subTest(type=type, shape=shape):
                    self.check(*self.random(shape, 1), type)

    def test_large_mean(self):
        # mean(x^2) - mean(x)^2 would have lost all of the variance: 1e8 against 9.
        for columns in (1000, 3000):
            self.check(*self.random((4, columns), 2, mean=1e4), "f32", atol=3e-3)

    def test_layouts(self):
        for layout in arrays.LAYOUTS:
            for shape in ((6, 300), (5, 1100)):
                with self.subTest(layout=layout, shape=shape):
                    self.check(*self.random(shape, 3), layout=layout)

    def test_empty(self):
        for shape in ((0, 5), (5, 0)):
            y = np.zeros(shape, np.float16)
            w = np.zeros(shape[1], np.float16)
            for backend in arrays.backends():
                MODULES["f16"]["layernorm"](np.zeros(shape, np.float16), w, w, y, EPSILON, backend=backend)

    def test_nan_stays_in_its_row(self):
        x, weight, bias = self.random((6, 1500), 4)
        x[2, 1200] = np.nan
        self.check(x, weight, bias)

    def test_warps_agree(self):
        # Rows of small integers whose mean is an integer: every partial sum is exact in f32, so any order of summation
        # gives the same bits. 1536 columns: the blocks' shares, 1 and 1/3, keep the equal means of both blocks exact.
        half = np.random.default_rng(5).integers(-4, 5, (6, 256))
        for columns in (512, 1536):
            x = np.concatenate([half, -half] * (columns // 512), axis=1)
            weight, bias = np.arange(columns) % 7, np.arange(columns) % 5
            results = {}
            for warps in (1, 2, 4, 8, 16):
                module = elements.compile("layernorm", num_warps=warps)
                results[warps] = self.check(x, weight, bias, module=module)
            for warps, result in results.items():
                arrays.assert_same_bits(result, results[1], f"{warps} warps")


if __name__ == "__main__":
    unittest.main()
