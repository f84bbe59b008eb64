# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/rope.mlir against NumPy: narrow and wide heads, three element types, any strides, in place."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import versions

MODULES = versions.compile("rope")


def reference(x, cos, sin):
    """The rotation in double precision."""
    first, second = np.split(x, 2, axis=3)
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=3)


class Rope(unittest.TestCase):
    def check(self, shape, type="f16", layout="C", module=None, in_place=False, whole=False):
        """`whole`: a table of integers, so that the result is exact whatever the order."""
        random = np.random.default_rng(sum(shape))
        x = elements.encode(random.integers(-4, 5, shape) if whole else random.normal(0, 1, shape), type)
        table = (shape[2], shape[3] // 2)
        angle = random.uniform(0, 2 * np.pi, table)
        tables = random.integers(-4, 5, (2, *table)) if whole else np.array([np.cos(angle), np.sin(angle)])
        cos, sin = tables.astype(np.float32)
        expected = reference(elements.decode(x, type), cos.astype(np.float64), sin.astype(np.float64))
        for backend in arrays.backends():
            y = arrays.Output(shape, elements.DTYPES[type], layout)
            if in_place:
                y.array[...] = x
            source = y.array if in_place else arrays.strided(x, layout)
            (module or MODULES[type])["rope"](
                elements.argument(source, type), arrays.strided(cos, layout), arrays.strided(sin, layout),
                elements.argument(y.array, type), backend=backend,
            )
            # One rounding to the element type, and three in f32 of numbers up to about 5, which may cancel.
            rtol, atol = (0, 0) if whole else (1.01 * elements.ROUNDING[type], 2e-6)
            arrays.assert_close(
                elements.decode(y.array, type), expected, rtol, atol, f"{type} {shape} {layout} on {backend}"
            )
            y.check_border()
        return y.array.copy()

    def test_sizes(self):
        for type in elements.TYPES:
            for shape in ((1, 1, 1, 2), (2, 3, 33, 64), (1, 2, 32, 128), (1, 1, 7, 192), (1, 5, 1, 256), (1, 1, 9, 10)):
                with self.subTest(type=type, shape=shape):
                    self.check(shape, type)

    def test_layouts(self):
        for layout in arrays.LAYOUTS:
            with self.subTest(layout=layout):
                self.check((2, 2, 35, 66), layout=layout)

    def test_in_place(self):
        # Each element is read before either of its pair is written.
        for type in elements.TYPES:
            self.check((1, 2, 40, 130), type, in_place=True)

    def test_empty(self):
        for shape in ((0, 1, 1, 4), (1, 1, 0, 4), (1, 2, 3, 0)):
            self.check(shape)

    def test_warps_agree(self):
        results = [
            self.check((1, 2, 37, 96), module=elements.compile("rope", num_warps=warps), whole=True)
            for warps in (1, 2, 4, 8, 16)
        ]
        for result in results[1:]:
            arrays.assert_same_bits(result, results[0], "warps")


if __name__ == "__main__":
    unittest.main()
