# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Transposes folded into views or not: the same bits, equal to NumPy's, at odd sizes and in every layout."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

FILE = os.path.join(os.path.dirname(__file__), "Inputs", "transposes.mlir")
MODULES = {
    "folded": tilewright.compile(FILE),
    "plain": tilewright.compile(FILE, disable_pass=["tile-fold-transpose"]),
    "nothing": tilewright.compile(FILE, disable_pass=["tile-fold-transpose", "canonicalize", "cse"]),
}


def integers(shape, seed):
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


def block(values, rows, columns):
    """The first rows and columns; zeros where there are none."""
    room = np.zeros((rows, columns), np.float32)
    part = values[:rows, :columns]
    room[: part.shape[0], : part.shape[1]] = part
    return room


class FoldTranspose(unittest.TestCase):
    def run_kernel(self, kernel, x, y, shape, expected, layouts=arrays.LAYOUTS):
        for name, module in MODULES.items():
            for layout in layouts if name == "folded" else ("C",):
                for backend in arrays.backends():
                    with self.subTest(kernel=kernel, module=name, layout=layout, backend=backend):
                        out = arrays.Output(shape, np.float32, layout)
                        module[kernel](
                            arrays.strided(x, layout), arrays.strided(y, layout), out.array, backend=backend
                        )
                        arrays.assert_same_bits(np.array(out.array), expected[: shape[0], : shape[1]], name)
                        out.check_border()

    def test_chain(self):
        for rows, columns in ((32, 64), (17, 33), (1, 1), (31, 64), (32, 5)):
            x, y = integers((rows, columns), rows), integers((columns, rows), columns)
            sums = 2 * block(x, 32, 64) + block(y, 64, 32).T
            sums[:, columns:] = 3
            self.run_kernel("chain", x, y, (64, 32), sums.T)
            self.run_kernel("chain", x, y, (columns, rows), sums.T)

    def test_ahead(self):
        for rows in (0, 1, 32, 33, 100):
            x = integers((rows, 29), rows)
            total = sum((block(x[i:], 32, 32) for i in range(0, rows, 32)), np.zeros((32, 32), np.float32))
            self.run_kernel("ahead", x, x, (32, 30), total + total.T)

    def test_in_place(self):
        for module in MODULES.values():
            for backend in arrays.backends():
                x, y = integers((32, 31), 1), integers((32, 32), 2)
                before = block(x, 32, 32)
                out = arrays.Output((32, 32), np.float32)
                module["in_place"](x, y, out.array, backend=backend)
                arrays.assert_same_bits(np.array(out.array), before + before.T)
                arrays.assert_same_bits(x, y[:, :31])

    def test_product(self):
        for rows, inner, columns in ((32, 32, 64), (7, 31, 50)):
            x, y = integers((rows, inner), 3), integers((columns, inner), 4)
            product = (block(x, 32, 32) @ block(y, 64, 32).T).T
            self.run_kernel("product", x, y, (64, 32), 7 * product + block(y, 64, 32))

    def test_sums(self):
        x, y = integers((30, 32), 5), integers((32, 61), 6)
        sums = (block(x, 32, 32) @ block(y, 32, 64)).sum(axis=1, keepdims=True)
        self.run_kernel("sums", x, y, (32, 1), sums)


if __name__ == "__main__":
    unittest.main()
