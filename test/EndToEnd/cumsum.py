# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/cumsum.mlir against NumPy: rows narrower and wider than a tile, from both ends, f32, f16 and bf16, layouts of
every kind, four and eight warps."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright
import versions

MODULES = {warps: arrays.example("cumsum", num_warps=warps) for warps in (4, 8)}
SHAPES = ((1, 1), (4, 256), (5, 255), (3, 257), (1, 1000), (9, 513), (2, 17))


def running_sums(x, reverse):
    """Running sums of each row in double precision."""
    x = x.astype(np.float64)
    return x[:, ::-1].cumsum(axis=1)[:, ::-1] if reverse else x.cumsum(axis=1)


class Cumsum(unittest.TestCase):
    def check(self, x, backend, module, reverse, layout="C"):
        y = arrays.Output(x.shape, np.float32, layout)
        name = "cumsum_reverse" if reverse else "cumsum"
        module[name](arrays.strided(x, layout), y.array, backend=backend)
        # Each of the at most n additions rounds a number of at most the sum of the magnitudes.
        room = np.abs(x).sum(axis=1, dtype=np.float64).max(initial=0) * x.shape[1] * 2.0**-24
        arrays.assert_close(y.array, running_sums(x, reverse), rtol=0, atol=room, what=f"{x.shape} {layout}")
        y.check_border()

    def test_sizes(self):
        for backend in arrays.backends():
            for warps, module in MODULES.items():
                for shape in SHAPES:
                    for reverse in (False, True):
                        with self.subTest(backend=backend, warps=warps, shape=shape, reverse=reverse):
                            self.check(np.random.default_rng(3).normal(0, 3, shape).astype(np.float32), backend,
                                       module, reverse)

    def test_exact(self):
        # Small integers: no addition rounds, so every order gives the same bits.
        x = np.random.default_rng(4).integers(-9, 10, (7, 1001)).astype(np.float32)
        for backend in arrays.backends():
            for module in MODULES.values():
                for reverse in (False, True):
                    y = arrays.Output(x.shape, np.float32)
                    module["cumsum_reverse" if reverse else "cumsum"](x, y.array, backend=backend)
                    arrays.assert_same_bits(y.array, running_sums(x, reverse))
                    y.check_border()

    def test_empty(self):
        for backend in arrays.backends():
            for shape in ((0, 5), (5, 0)):
                for name in ("cumsum", "cumsum_reverse"):
                    MODULES[4][name](np.zeros(shape, np.float32), np.zeros(shape, np.float32), backend=backend)

    def test_layouts(self):
        x = np.random.default_rng(5).normal(0, 3, (6, 300)).astype(np.float32)
        for backend in arrays.backends():
            for layout in arrays.LAYOUTS:
                for reverse in (False, True):
                    with self.subTest(backend=backend, layout=layout, reverse=reverse):
                        self.check(x, backend, MODULES[4], reverse, layout)

    def test_warps_agree(self):
        x = np.random.default_rng(6).integers(-9, 10, (5, 700)).astype(np.float32)
        for warps in (1, 2, 3, 16):
            module = arrays.example("cumsum", num_warps=warps)
            for backend in arrays.backends():
                for reverse in (False, True):
                    y = arrays.Output(x.shape, np.float32)
                    module["cumsum_reverse" if reverse else "cumsum"](x, y.array, backend=backend)
                    arrays.assert_same_bits(y.array, running_sums(x, reverse), f"{warps} warps")

    def test_specials_stay_in_their_row(self):
        x = np.ones((4, 600), np.float32)
        x[1, 300], x[2, 5], x[3, 599] = np.nan, np.inf, -np.inf
        for backend in arrays.backends():
            for reverse in (False, True):
                y = arrays.Output(x.shape, np.float32)
                MODULES[4]["cumsum_reverse" if reverse else "cumsum"](x, y.array, backend=backend)
                np.testing.assert_array_equal(y.array, running_sums(x, reverse))

    def test_f16(self):
        for backend in arrays.backends():
            for warps, module in MODULES.items():
                for shape in SHAPES:
                    for reverse in (False, True):
                        with self.subTest(backend=backend, warps=warps, shape=shape, reverse=reverse):
                            x = np.random.default_rng(7).integers(-30, 31, shape).astype(np.float16)
                            y = arrays.Output(shape, np.float16)
                            module["cumsum_half_reverse" if reverse else "cumsum_half"](x, y.array, backend=backend)
                            # Sums are exact in f32, and rounded once.
                            arrays.assert_same_bits(y.array, running_sums(x, reverse).astype(np.float16))
                            y.check_border()

    def test_bf16(self):
        for warps in (4, 8):
            module = tilewright.compile(versions.texts("cumsum")["bf16"], num_warps=warps)
            for backend in arrays.backends():
                for shape in SHAPES:
                    for reverse in (False, True):
                        # Multiples of 1/8 below 16 have 7 bits; sums are exact in f32 and are cut to 8 bits, to even.
                        x = (np.random.default_rng(8).integers(-127, 128, shape) / 8).astype(np.float32)
                        bits = arrays.Output(shape, np.uint16)
                        name = "cumsum_half_reverse" if reverse else "cumsum_half"
                        module[name](tilewright.as_type((x.view(np.uint32) >> 16).astype(np.uint16), "bf16"),
                                     tilewright.as_type(bits.array, "bf16"), backend=backend)
                        want = running_sums(x, reverse).astype(np.float32).view(np.uint32).astype(np.uint64)
                        want = ((want + 0x7FFF + (want >> 16 & 1)) >> 16).astype(np.uint16)
                        where = want & 0x7FFF != 0  # The sign of zero is left open.
                        np.testing.assert_array_equal(bits.array[where], want[where])
                        self.assertFalse((bits.array[~where] & 0x7FFF).any())
                        bits.check_border()


if __name__ == "__main__":
    unittest.main()
