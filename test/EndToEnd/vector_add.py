# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/vector_add.mlir against NumPy: by views and by pointers, three element types, one to sixteen warps."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import tilewright
import versions

SIZES = (0, 1, 31, 1023, 1024, 1025, 5000)


class VectorAdd(unittest.TestCase):
    def test_sizes_and_warps(self):
        for warps in (*range(1, 9), 16):
            module = arrays.example("vector_add", num_warps=warps)
            for backend in arrays.backends():
                for size in SIZES:
                    with self.subTest(warps=warps, backend=backend, size=size):
                        random = np.random.default_rng(size)
                        x, y = random.integers(-1000, 1000, (2, size)).astype(np.float32)
                        out = arrays.Output((size,), np.float32)
                        module["vector_add"](x, y, out.array, backend=backend)
                        arrays.assert_same_bits(out.array, x + y, "views")
                        out.check_border()
                        out = arrays.Output((size,), np.float32)
                        module["vector_add_ptr"](x, y, out.array, size, backend=backend)
                        arrays.assert_same_bits(out.array, x + y, "pointers")
                        out.check_border()

    def test_types(self):
        # The sum of two numbers rounded once, which is what both kernels do in the narrow type.
        for type, module in versions.compile("vector_add").items():
            for backend in arrays.backends():
                for size in SIZES:
                    for layout in arrays.LAYOUTS:
                        with self.subTest(type=type, backend=backend, size=size, layout=layout):
                            x, y = elements.encode(np.random.default_rng(size).normal(0, 100, (2, size)), type)
                            expected = elements.encode(elements.decode(x, type) + elements.decode(y, type), type)
                            inputs = [elements.argument(arrays.strided(array, layout), type) for array in (x, y)]
                            out = arrays.Output((size,), elements.DTYPES[type], layout)
                            module["vector_add"](*inputs, elements.argument(out.array, type), backend=backend)
                            arrays.assert_same_bits(out.array, expected, "views")
                            out.check_border()
                            if layout != "C":
                                continue
                            out = arrays.Output((size,), elements.DTYPES[type])
                            module["vector_add_ptr"](*inputs, elements.argument(out.array, type), size, backend=backend)
                            arrays.assert_same_bits(out.array, expected, "pointers")
                            out.check_border()

    def test_other_warp_counts_are_refused(self):
        for warps in (0, 33, 64):
            with self.assertRaisesRegex(tilewright.CompileError, f"num-warps.*1 to 32.*{warps}"):
                arrays.example("vector_add", num_warps=warps)

    def test_strides(self):
        module = arrays.example("vector_add")
        values = np.arange(1100, dtype=np.float32)
        for backend in arrays.backends():
            for layout in arrays.LAYOUTS:
                out = arrays.Output((1100,), np.float32, layout)
                module["vector_add"](arrays.strided(values, layout), values, out.array, backend=backend)
                arrays.assert_same_bits(out.array, 2 * values, layout)
                out.check_border()

    def test_broadcast_input(self):
        # A stride of zero repeats one element.
        module = arrays.example("vector_add")
        one = np.broadcast_to(np.float32(3), (1100,))
        for backend in arrays.backends():
            out = np.full(1100, np.nan, np.float32)
            module["vector_add"](one, np.arange(1100, dtype=np.float32), out, backend=backend)
            arrays.assert_same_bits(out, np.arange(1100) + 3.0, "stride 0")


if __name__ == "__main__":
    unittest.main()
