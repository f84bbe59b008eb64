# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/top1.mlir against NumPy: the first of equals, rows narrower and wider than a tile, NaN and infinities, f32, f16
and bf16, layouts of every kind, four and eight warps."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright
import versions

SHAPES = ((1, 1), (4, 256), (5, 255), (3, 257), (1, 1000), (9, 513), (2, 17))
TEXTS = versions.texts("top1")


def module_of(type, warps):
    """The example with elements of `type`."""
    return tilewright.compile(TEXTS[type], num_warps=warps)


MODULES = {(type, warps): module_of(type, warps) for type in TEXTS for warps in (4, 8)}


class Top1(unittest.TestCase):
    def check(self, x, backend, type="f32", warps=4, layout="C"):
        """`x` holds numbers that `type` has; those of bf16 as f32."""
        index = arrays.Output((x.shape[0],), np.int32)
        module = MODULES[type, warps]
        if type == "bf16":
            bits = (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
            value = arrays.Output((x.shape[0],), np.uint16)
            module["top1"](tilewright.as_type(arrays.strided(bits, layout), "bf16"),
                           tilewright.as_type(value.array, "bf16"), index.array, backend=backend)
            found = (value.array.astype(np.uint32) << 16).view(np.float32)
        else:
            value = arrays.Output((x.shape[0],), x.dtype)
            module["top1"](arrays.strided(x, layout), value.array, index.array, backend=backend)
            found = value.array
        np.testing.assert_array_equal(index.array, x.argmax(axis=1))
        np.testing.assert_array_equal(found, x.max(axis=1))
        value.check_border()
        index.check_border()

    def test_sizes_types_and_ties(self):
        for backend in arrays.backends():
            for type, warps in MODULES:
                for shape in SHAPES:
                    for values in (3, 200): # Many ties and few.
                        with self.subTest(backend=backend, type=type, warps=warps, shape=shape):
                            x = np.random.default_rng(values).integers(-values, values, shape)
                            self.check(x.astype(np.float16 if type == "f16" else np.float32), backend, type, warps)

    def test_specials(self):
        x = np.random.default_rng(5).normal(0, 1, (7, 700)).astype(np.float32)
        x[0] = -np.inf
        x[1, 600] = np.inf
        x[1, 650] = np.inf
        x[2, 300] = np.nan
        x[2, 301] = np.nan
        x[2, 5] = np.inf
        x[3] = np.nan
        x[4] = -5
        x[5, :] = np.where(np.arange(700) % 2, 0.0, -0.0)
        for backend in arrays.backends():
            self.check(x, backend)
            self.check(x.astype(np.float16), backend, "f16", 8)

    def test_layouts(self):
        x = np.random.default_rng(6).integers(0, 5, (6, 300)).astype(np.float32)
        for backend in arrays.backends():
            for layout in arrays.LAYOUTS:
                with self.subTest(backend=backend, layout=layout):
                    self.check(x, backend, layout=layout)

    def test_warps_agree(self):
        x = np.random.default_rng(7).integers(0, 5, (6, 700)).astype(np.float32)
        for warps in (1, 2, 3, 16):
            module = module_of("f32", warps)
            for backend in arrays.backends():
                value, index = np.zeros(6, np.float32), np.zeros(6, np.int32)
                module["top1"](x, value, index, backend=backend)
                np.testing.assert_array_equal(index, x.argmax(axis=1))
                np.testing.assert_array_equal(value, x.max(axis=1))

    def test_empty(self):
        for backend in arrays.backends():
            MODULES["f32", 4]["top1"](np.zeros((0, 5), np.float32), np.zeros(0, np.float32), np.zeros(0, np.int32),
                                      backend=backend)
            value, index = np.zeros(3, np.float32), np.full(3, 9, np.int32)
            MODULES["f32", 4]["top1"](np.zeros((3, 0), np.float32), value, index, backend=backend)
            np.testing.assert_array_equal(value, [-np.inf] * 3)
            np.testing.assert_array_equal(index, [0] * 3)


if __name__ == "__main__":
    unittest.main()
