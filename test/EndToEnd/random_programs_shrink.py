# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Random programs find an error and make the program smaller: here the error is in what NumPy is told."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import configurations
from program_ops import all_blocks
from random_program import Program
from random_programs import failure


class Wrong(Program):
    """Takes the last element of each tile that is turned for one larger than it is."""

    def permute(self):
        before = len(self.block.ops)
        super().permute()
        for op in self.block.ops[before:]:
            op.run = lambda context, x, run=op.run: self.spoil(run(context, x))

    @staticmethod
    def spoil(tile):
        tile = tile.copy()
        tile.flat[-1] += tile.dtype.type(1)
        return tile


def count_ops(program):
    return sum(len(block.ops) for block in all_blocks(program.body))


class Shrink(unittest.TestCase):
    def test_finds_and_shrinks(self):
        found = 0
        for seed in range(60):
            program = Wrong(seed)
            error = failure(program, configurations.PLAIN)
            if error is None:
                continue
            found += 1
            self.assertIsNone(failure(Program(seed), configurations.PLAIN))
            if found > 3:
                continue
            before = count_ops(program)
            program.shrink(lambda: isinstance(failure(program, configurations.PLAIN), AssertionError))
            self.assertIsInstance(failure(program, configurations.PLAIN), AssertionError)
            self.assertIn("tile.permute ", program.source())
            self.assertLess(count_ops(program), before)
            # Nothing can be left out any more: one store remains.
            self.assertEqual(program.source().count("tile.store") + program.source().count("tile.reduce_into"), 1)
        self.assertGreater(found, 5)

    def test_same_seed_same_program(self):
        for seed in range(20):
            one, other = Program(seed), Program(seed)
            self.assertEqual(one.source(), other.source())
            for here, there in zip(one.expected(), other.expected()):
                np.testing.assert_array_equal(here, there)

    def test_every_operation_occurs(self):
        text = "\n".join(Program(seed).source() for seed in range(250))
        for op in ("load", "store", "load_ptr", "store_ptr", "reduce_into", "gather", "permute", "permute_view", "reshape",
                   "broadcast", "concat", "extract", "insert", "reduce", "scan", "dot", "iota", "splat", "assume", "ptr_add",
                   "view_size"):
            self.assertIn(f"tile.{op} ", text)
        for part in ("scf.for", "scf.if", "arith.select", "in_bounds", "dims [", "reverse", "arith.ceildivsi", "tile.div_by"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
