# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/triangular_inverse.mlir against NumPy: 16x16 by rows, 64x64 by blocks, three element types, any strides."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import versions

MODULES = versions.compile("triangular_inverse")


def reference(a):
    """Inverts I + what is below the diagonal, row by row; integers stay integers."""
    inverse = np.zeros_like(a) + np.eye(a.shape[1], dtype=a.dtype)
    for i in range(1, a.shape[1]):
        inverse[:, i : i + 1] -= a[:, i : i + 1, :i] @ inverse[:, :i]
    return inverse


class TriangularInverse(unittest.TestCase):
    def check(self, values, type="f16", layout="C", module=None, exact=False):
        a = elements.encode(values, type)
        expected = reference(elements.decode(a, type))
        for backend in arrays.backends():
            y = arrays.Output(a.shape, elements.DTYPES[type], layout)
            (module or MODULES[type])[f"triangular_inverse_{a.shape[1]}"](
                elements.argument(arrays.strided(a, layout), type), elements.argument(y.array, type), backend=backend
            )
            what = f"{type} {a.shape} {layout} on {backend}"
            # One rounding to the element type. Entries below the diagonal are about 0.1 here, so what f32 loses on the
            # way is not amplified: sums of 64 products of numbers about 1.
            rtol, atol = (0, 0) if exact else (1.01 * elements.ROUNDING[type], 1e-5)
            arrays.assert_close(elements.decode(y.array, type), expected, rtol, atol, what)
            y.check_border()
        return y.array.copy()

    def real(self, blocks, extent, seed=1):
        return np.random.default_rng(seed).normal(0, 0.1, (blocks, extent, extent))

    def whole(self, blocks, extent):
        """Few entries of -1 and 1, so that the inverse holds integers that bf16 holds, too: below 256."""
        a = np.random.default_rng(2).choice([-1, 0, 1], (blocks, extent, extent), p=[0.02, 0.96, 0.02])
        assert np.abs(reference(a)).max() < 256
        return a

    def test_counts(self):
        for type in elements.TYPES:
            for extent in (16, 64):
                for blocks in (1, 3, 4, 9):
                    with self.subTest(type=type, extent=extent, blocks=blocks):
                        self.check(self.real(blocks, extent), type)
                        self.check(self.whole(blocks, extent), type, exact=True)

    def test_only_what_is_below_the_diagonal(self):
        for extent in (16, 64):
            a = self.real(2, extent)
            a[:, np.triu_indices(extent)[0], np.triu_indices(extent)[1]] = np.nan
            clean = np.where(np.isnan(a), 0, a)
            arrays.assert_same_bits(self.check(clean), self.check_poisoned(a), f"{extent}")

    def check_poisoned(self, a):
        y = np.full(a.shape, np.nan, np.float16)
        MODULES["f16"][f"triangular_inverse_{a.shape[1]}"](a.astype(np.float16), y, backend=arrays.backends()[-1])
        return y

    def test_long_chain(self):
        # Ones right below the diagonal: the inverse alternates between 1 and -1 all over the triangle.
        for extent in (16, 64):
            self.check(np.eye(extent, k=-1)[None], exact=True)

    def test_layouts(self):
        for layout in arrays.LAYOUTS:
            for extent in (16, 64):
                with self.subTest(layout=layout, extent=extent):
                    self.check(self.real(3, extent), layout=layout)

    def test_empty(self):
        for extent in (16, 64):
            self.check(self.real(0, extent))

    def test_warps_agree(self):
        for warps in (1, 2, 4, 8, 16):
            module = elements.compile("triangular_inverse", num_warps=warps)
            for extent in (16, 64):
                with self.subTest(warps=warps, extent=extent):
                    self.check(self.whole(3, extent), module=module, exact=True)


if __name__ == "__main__":
    unittest.main()
