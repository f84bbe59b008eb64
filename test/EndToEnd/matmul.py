# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/matmul.mlir against NumPy: every size, every layout, compiled once; bf16, f32 and fp8 besides f16."""

import itertools
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import tilewright
import versions

EXTENTS = (1, 17, 64, 100, 128, 257)
MODULE = arrays.example("matmul")
TEXTS = versions.texts("matmul")


def integers(shape, seed):
    """Small integers: every partial sum is exact in f32, so any order of summation gives the same bits."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float16)


def reference(a, b):
    """The exact product, rounded once."""
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16)


class Matmul(unittest.TestCase):
    def multiply(self, backend, m, n, k, layouts, module=MODULE):
        values_a, values_b = integers((m, k), m + k), integers((k, n), n + k + 1)
        a, b = arrays.strided(values_a, layouts[0]), arrays.strided(values_b, layouts[1])
        c = arrays.Output((m, n), np.float16, layouts[2])
        module["matmul"](a, b, c.array, backend=backend)
        arrays.assert_same_bits(c.array, reference(values_a, values_b), f"{m}x{n}x{k} {layouts}")
        c.check_border()
        return c.array.copy()

    def test_every_size(self):
        # Each layout for all three arrays, and one mixture: those take turns, so that each meets several sizes.
        turns = itertools.cycle(itertools.product(arrays.LAYOUTS, repeat=3))
        for backend in arrays.backends():
            for m, n, k in itertools.product(EXTENTS, repeat=3):
                for layouts in [(layout,) * 3 for layout in arrays.LAYOUTS] + [next(turns)]:
                    with self.subTest(backend=backend, m=m, n=n, k=k, layouts=layouts):
                        self.multiply(backend, m, n, k, layouts)

    def test_every_layout(self):
        for backend in arrays.backends():
            for layouts in itertools.product(arrays.LAYOUTS, repeat=3):
                with self.subTest(backend=backend, layouts=layouts):
                    self.multiply(backend, 100, 17, 64, layouts)

    def test_real_numbers(self):
        # f32 sums of 257 products of numbers below 1: about 257 * 2^-24 relative to the sum of magnitudes, far below
        # the one rounding to f16, 2^-11.
        random = np.random.default_rng(7)
        a = random.uniform(-1, 1, (100, 257)).astype(np.float16)
        b = random.uniform(-1, 1, (257, 64)).astype(np.float16)
        for backend in arrays.backends():
            c = np.full((100, 64), np.nan, np.float16)
            MODULE["matmul"](a, b, c, backend=backend)
            arrays.assert_close(c, a.astype(np.float64) @ b.astype(np.float64), rtol=2.0**-10, atol=1e-4)

    def test_empty_sum_writes_zeros(self):
        for backend in arrays.backends():
            self.multiply(backend, 100, 17, 0, ("C", "C", "C"))

    def test_empty_output_writes_nothing(self):
        for backend in arrays.backends():
            for m, n in ((0, 17), (17, 0), (0, 0)):
                self.multiply(backend, m, n, 64, ("C", "C", "C"))

    def test_nan_and_infinity_travel(self):
        a = np.ones((3, 5), np.float16)
        b = np.ones((5, 4), np.float16)
        a[1, 2], b[0, 3] = np.nan, np.inf
        for backend in arrays.backends():
            c = np.zeros((3, 4), np.float16)
            MODULE["matmul"](a, b, c, backend=backend)
            expected = np.full((3, 4), 5.0)
            expected[:, 3] = np.inf
            expected[1, :] = np.nan
            arrays.assert_close(c, expected, 0, 0)

    def multiply_as(self, module, m, n, k, types, layout="C", seed=0):
        """Products of whole numbers of types[0], stored as types[1]: exact."""
        random = np.random.default_rng(m + n + k + seed)
        a, b = random.integers(-4, 5, (m, k)), random.integers(-4, 5, (k, n))
        expected = elements.encode(a @ b, types[1])
        inputs = [elements.argument(arrays.strided(elements.encode(x, types[0]), layout), types[0]) for x in (a, b)]
        for backend in arrays.backends():
            c = arrays.Output((m, n), elements.DTYPES[types[1]], layout)
            module["matmul"](*inputs, elements.argument(c.array, types[1]), backend=backend)
            arrays.assert_same_bits(c.array, expected, f"{m}x{n}x{k} {types} {layout} on {backend}")
            c.check_border()

    def test_other_types(self):
        for type in ("bf16", "f32"):
            module = tilewright.compile(TEXTS[type])
            for layout in arrays.LAYOUTS:
                for m, n, k in ((1, 1, 1), (1, 130, 65), (128, 128, 64), (257, 17, 100), (129, 255, 3)):
                    with self.subTest(type=type, layout=layout, m=m, n=n, k=k):
                        self.multiply_as(module, m, n, k, (type, type), layout)

    def test_fp8(self):
        # mma.sync takes fp8 from sm_89 on; before, the multiply-add units do.
        for type, target in ((elements.FP8[0], "sm_90a"), (elements.FP8[1], "sm_89"), (elements.FP8[0], "sm_80")):
            module = tilewright.compile(TEXTS[type], target=target)
            families = {dot["family"] for dot in module.report["dots"]}
            self.assertEqual(families, {"fma" if target == "sm_80" else "mma.sync"}, target)
            for layout in arrays.LAYOUTS:
                for m, n, k in ((1, 1, 1), (128, 128, 64), (129, 17, 100)):
                    with self.subTest(type=type, target=target, layout=layout, m=m, n=n, k=k):
                        self.multiply_as(module, m, n, k, (type, "f16"), layout)

    def test_warps(self):
        results = []
        for warps in (4, 8, 16):
            module = arrays.example("matmul", num_warps=warps)
            for backend in arrays.backends():
                results.append(self.multiply(backend, 129, 100, 65, ("C", "F", "C"), module))
        for result in results[1:]:
            arrays.assert_same_bits(result, results[0], "4, 8 and 16 warps")


if __name__ == "__main__":
    unittest.main()
