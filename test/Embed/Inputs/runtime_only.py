# SPDX-License-Identifier: Apache-2.0
"""The package on the runtime alone: bundles are opened and launched on a GPU, nothing is compiled or emulated.

usage: runtime_only.py BUNDLE of examples/vector_add.mlir
"""

import sys
import unittest

import numpy as np

import tilewright

BUNDLE = sys.argv.pop()


class RuntimeOnly(unittest.TestCase):
    def test_reads_bundles(self):
        module = tilewright.load(BUNDLE)
        self.assertEqual(module.kernels, ("vector_add", "vector_add_ptr"))
        self.assertEqual(module["vector_add_ptr"].parameters[3].type, "i64")
        self.assertRegex(tilewright.version(), r"^\d+\.\d+")
        self.assertEqual(tilewright.llvm_version(), "")

    def test_refuses_to_compile(self):
        with self.assertRaisesRegex(tilewright.CompileError, "holds no compiler"):
            tilewright.compile("\n")

    def test_has_no_emulator(self):
        self.assertNotIn("emulator", tilewright.available_backends())
        x = np.ones(4, np.float32)
        with self.assertRaisesRegex(tilewright.LaunchError, "no backend 'emulator'"):
            tilewright.load(BUNDLE)["vector_add"](x, x, x, backend="emulator")

    def test_launches(self):
        x, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
        kernel = tilewright.load(BUNDLE)["vector_add"]
        if "cuda" in tilewright.available_backends():
            kernel(x, x, out)
            np.testing.assert_array_equal(out, 2 * x)
        else:
            with self.assertRaisesRegex(tilewright.NoDeviceError, "."):
                kernel(x, x, out)


unittest.main()
