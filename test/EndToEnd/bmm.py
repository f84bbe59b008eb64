# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/bmm.mlir against NumPy: all transposes, three element types and fp8, repeated matrices, odd sizes."""

import itertools
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import versions

MODULES = versions.compile("bmm")


def integers(shape, seed):
    """Small integers: every partial sum is exact in f32, so any order of summation gives the same bits."""
    return np.random.default_rng(seed).integers(-4, 5, shape)


def transposed(array):
    """The same values, of which each matrix is stored by columns."""
    return np.ascontiguousarray(array.swapaxes(1, 2)).swapaxes(1, 2)


class Bmm(unittest.TestCase):
    def multiply(self, a, b, type="f16", layout="C", module=None, convert=(lambda x: x, lambda x: x), operands=None):
        """Multiplies batches of integers and compares exactly; `convert` lays the operands out. `operands`: their type,
        where it is not that of the result."""
        operands = operands or type
        expected = elements.encode(a.astype(np.int64) @ b.astype(np.int64), type)
        encoded = [to(elements.encode(x, operands)) for x, to in zip((a, b), convert)]
        for backend in arrays.backends():
            c = arrays.Output(expected.shape, elements.DTYPES[type], layout)
            (module or MODULES[type])["bmm"](
                *(elements.argument(x, operands) for x in encoded), elements.argument(c.array, type), backend=backend
            )
            arrays.assert_same_bits(c.array, expected, f"{type} {a.shape} {b.shape} {layout} on {backend}")
            c.check_border()
        return c.array.copy()

    def test_sizes(self):
        for type in elements.TYPES:
            for batch, m, n, k in ((1, 1, 1, 1), (3, 17, 129, 65), (2, 128, 128, 64), (5, 1, 33, 100), (1, 130, 1, 7)):
                with self.subTest(type=type, batch=batch, m=m, n=n, k=k):
                    self.multiply(integers((batch, m, k), m), integers((batch, k, n), n + 1), type)

    def test_transposes(self):
        a, b = integers((2, 100, 72), 1), integers((2, 72, 136), 2)
        for type in elements.TYPES:
            for convert in itertools.product((np.ascontiguousarray, transposed), repeat=2):
                with self.subTest(type=type, convert=convert):
                    self.multiply(a, b, type, convert=convert)

    def test_fp8(self):
        for operands in elements.FP8:
            module = MODULES[operands]
            self.assertEqual({dot["family"] for dot in module.report["dots"]}, {"mma.sync"})
            for batch, m, n, k in ((1, 1, 1, 1), (2, 128, 128, 128), (3, 129, 65, 100)):
                for convert in itertools.product((np.ascontiguousarray, transposed), repeat=2):
                    with self.subTest(operands=operands, m=m, convert=convert):
                        a, b = integers((batch, m, k), m), integers((batch, k, n), n + 1)
                        self.multiply(a, b, module=module, convert=convert, operands=operands)

    def test_layouts(self):
        a, b = integers((3, 50, 40), 3), integers((3, 40, 60), 4)
        for layout in arrays.LAYOUTS:
            with self.subTest(layout=layout):
                self.multiply(a, b, layout=layout, convert=[lambda x: arrays.strided(x, layout)] * 2)

    def test_repeated_matrix(self):
        a, b = integers((4, 20, 30), 5), integers((1, 30, 10), 6)
        self.multiply(a, np.repeat(b, 4, axis=0), convert=(lambda x: x, lambda x: np.broadcast_to(x[:1], x.shape)))

    def test_empty(self):
        self.multiply(integers((0, 5, 5), 7), integers((0, 5, 5), 8))
        self.multiply(integers((2, 5, 0), 7), integers((2, 0, 5), 8))

    def test_real_numbers(self):
        # One rounding of sums of 257 products of numbers below 1: their own error in f32 is below 257 * 2^-24 each.
        random = np.random.default_rng(9)
        values = random.uniform(-1, 1, (2, 60, 257)), random.uniform(-1, 1, (2, 257, 70))
        for type in elements.TYPES:
            a, b = (elements.encode(x, type) for x in values)
            expected = elements.decode(a, type) @ elements.decode(b, type)
            for backend in arrays.backends():
                c = np.zeros(expected.shape, elements.DTYPES[type])
                MODULES[type]["bmm"](*(elements.argument(x, type) for x in (a, b, c)), backend=backend)
                arrays.assert_close(elements.decode(c, type), expected, 1.01 * elements.ROUNDING[type], 5e-5, type)

    def test_warps(self):
        a, b = integers((2, 129, 65), 10), integers((2, 65, 100), 11)
        for warps in (4, 8, 16):
            self.multiply(a, b, module=elements.compile("bmm", num_warps=warps))


if __name__ == "__main__":
    unittest.main()
