# SPDX-License-Identifier: Apache-2.0
# REQUIRES: ptxas
# RUN: %python %s
"""Every example assembles with ptxas for every target, without spills and without a stack."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays

EXAMPLES = sorted(file[: -len(".mlir")] for file in os.listdir(arrays.EXAMPLES) if file.endswith(".mlir"))
TARGETS = ("sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a")


class Assemble(unittest.TestCase):
    def test_examples(self):
        for name in EXAMPLES:
            for target in TARGETS:
                with self.subTest(name=name, target=target):
                    report = arrays.example(name, target=target, cubin=True).report
                    self.assertTrue(report["variants"])
                    for variant in report["variants"]:
                        self.assertGreater(variant["registers"], 0)
                        self.assertEqual(variant["spill_store_bytes"] + variant["spill_load_bytes"], 0, variant)
                        self.assertEqual(variant["stack_bytes"], 0, variant)


if __name__ == "__main__":
    unittest.main()
