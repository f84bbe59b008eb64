# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/cat.mlir against NumPy: 2, 4 and 7 tensors along each dimension, any element type, any strides."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import versions

# Copies move bits, so types that NumPy has serve.
TYPES = {"f16": np.float16, "f32": np.float32, "i8": np.int8, "i64": np.int64}
MODULES = versions.compile("cat")


def collapsed(array, dim):
    """The array as rows (dimensions before `dim`) and columns (the others); a view of it, never a copy."""
    rows = int(np.prod(array.shape[:dim]))
    result = array.view()
    result.shape = (rows, array.size // rows if rows else 0)
    return result


def concatenate(parts, to, dim, backend, type="f16", module=None):
    """Copies the parts into `to`, one launch each."""
    start = 0
    for part in parts:
        (module or MODULES[type])["cat"](collapsed(part, dim), collapsed(to, dim), start, backend=backend)
        start += int(np.prod(part.shape[dim:]))


class Cat(unittest.TestCase):
    def parts(self, shape, dim, widths, type="f16"):
        random = np.random.default_rng(len(widths))
        for width in widths:
            part = list(shape)
            part[dim] = width
            yield random.integers(-100, 100, part).astype(TYPES[type])

    def test_counts(self):
        for type in TYPES:
            for widths in ((30, 50), (64, 128), (128, 1, 64, 129), (1, 2, 3, 0, 200, 17, 128)):
                parts = list(self.parts((33, 0), 1, widths, type))
                for backend in arrays.backends():
                    with self.subTest(type=type, widths=widths, backend=backend):
                        to = arrays.Output((33, sum(widths)), TYPES[type])
                        concatenate(parts, to.array, 1, backend, type)
                        arrays.assert_same_bits(to.array, np.concatenate(parts, axis=1))
                        to.check_border()

    def test_dimensions(self):
        for dim in range(3):
            parts = list(self.parts((5, 6, 7), dim, (1, 20, 3)))
            expected = np.concatenate(parts, axis=dim)
            for backend in arrays.backends():
                to = np.full(expected.shape, np.nan, np.float16)
                concatenate(parts, to, dim, backend)
                arrays.assert_same_bits(to, expected, f"along {dim}")

    def test_only_its_columns(self):
        # A part in the middle leaves everything beside it as it was.
        for layout in arrays.LAYOUTS:
            (part,) = self.parts((40, 0), 1, (100,))
            for backend in arrays.backends():
                to = arrays.Output((40, 300), np.float16, layout)
                MODULES["f16"]["cat"](arrays.strided(part, layout), to.array, 77, backend=backend)
                arrays.assert_same_bits(to.array[:, 77:177], part, layout)
                self.assertTrue(np.isnan(to.array[:, :77]).all() and np.isnan(to.array[:, 177:]).all())
                to.check_border()

    def test_layouts_of_parts(self):
        parts = list(self.parts((19, 0), 1, (40, 130, 5, 64, 33)))
        strided = [arrays.strided(part, layout) for part, layout in zip(parts, arrays.LAYOUTS)]
        for backend in arrays.backends():
            to = np.full((19, 272), np.nan, np.float16)
            start = 0
            for part in strided:
                MODULES["f16"]["cat"](part, to, start, backend=backend)
                start += part.shape[1]
            arrays.assert_same_bits(to, np.concatenate(parts, axis=1))

    def test_nan_keeps_its_bits(self):
        part = np.arange(0x7C00, 0x7C00 + 200, dtype=np.uint16).view(np.float16).reshape(2, 100)
        for backend in arrays.backends():
            to = np.zeros((2, 100), np.float16)
            MODULES["f16"]["cat"](part, to, 0, backend=backend)
            arrays.assert_same_bits(to.view(np.uint16), part.view(np.uint16))

    def test_bf16(self):
        # All bits are moved as they are, those of signalling NaNs, too.
        part = np.random.default_rng(9).integers(0, 2**16, (37, 201)).astype(np.uint16)
        part[:, ::7] = 0x7F81 + part[:, ::7] % 0x3F
        for layout in arrays.LAYOUTS:
            for backend in arrays.backends():
                to = arrays.Output((37, 301), np.uint16, layout)
                MODULES["bf16"]["cat"](elements.argument(arrays.strided(part, layout), "bf16"),
                                       elements.argument(to.array, "bf16"), 50, backend=backend)
                arrays.assert_same_bits(to.array[:, 50:251], part, layout)
                to.check_border()

    def test_single_row(self):
        parts = list(self.parts((1, 0), 1, (1, 300, 129)))
        for backend in arrays.backends():
            to = arrays.Output((1, 430), np.float16)
            concatenate(parts, to.array, 1, backend)
            arrays.assert_same_bits(to.array, np.concatenate(parts, axis=1))
            to.check_border()

    def test_warps(self):
        parts = list(self.parts((20, 0), 1, (150, 33)))
        for warps in (1, 2, 4, 8, 16):
            module = elements.compile("cat", num_warps=warps)
            for backend in arrays.backends():
                to = np.full((20, 183), np.nan, np.float16)
                concatenate(parts, to, 1, backend, module=module)
                arrays.assert_same_bits(to, np.concatenate(parts, axis=1), f"{warps} warps")


if __name__ == "__main__":
    unittest.main()
