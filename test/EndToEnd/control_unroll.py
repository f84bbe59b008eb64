# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""However often the body of a loop is repeated, the result is the same; and a loop has as many copies in PTX as were asked for."""

import os
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import commands
import ptx
import tilewright

# y = (..(2 * x[0] + x[1]) * 2 + ..): each trip reads a row by itself, so copies can be counted by their loads.
KERNEL = """
!x = !tile.view<?x128xi32, strides = [?, 1]>
!y = !tile.view<128xi32, strides = [1]>
func.func @horner(%x: !x {tile.name = "x"}, %y: !y {tile.name = "y"}) attributes {tile.kernel, tile.grid = @one} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2> : tensor<128xi32>
  %zero = arith.constant dense<7> : tensor<128xi32>
  %end = END
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%t = %zero) -> (tensor<128xi32>) {
    %row = tile.load %x[%i, %c0] dims [1] in_bounds [true, true] : !x -> tensor<128xi32>
    %d = arith.muli %t, %two : tensor<128xi32>
    %s = arith.addi %d, %row : tensor<128xi32>
    scf.yield %s : tensor<128xi32>
  } ATTRIBUTES
  tile.store %r, %y[%c0] in_bounds [true] : tensor<128xi32>, !y
  return
}
func.func @one(%x: !x, %y: !y) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
"""
TRIPS = (0, 1, 2, 3, 7, 8, 13, 15)


def source(unroll=None, trips=None):
    """`trips` are those of a constant bound, None for the number of rows."""
    end = "tile.view_size %x, 0 : !x" if trips is None else f"arith.constant {trips} : index"
    text = KERNEL.replace("END", end)
    return text.replace("ATTRIBUTES", "" if unroll is None else f"{{tile.unroll = {unroll}}}")


def emit(text, level, *options, kernel="horner"):
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, f"{kernel}.mlir"), os.path.join(folder, "out")
        with open(path, "w") as file:
            file.write(text)
        status, _, err = commands.run("tile-compile", path, f"--emit={level}", "--max-variants=1", "-o", out, *options)
        assert status == 0, err
        with open(out, "rb") as file:
            return file.read()


def count_copies(text):
    """Loads in the loop of PTX that has most, and in all of it; no loop: 0."""
    lines = ptx.entry(emit(text, "ptx").decode(), "horner")

    def loads(part):
        return sum(n for kind, n in ptx.count(part).items() if kind.startswith("load"))

    return max((loads(loop) for loop in ptx.loops(lines)), default=0), loads(lines)


class ControlUnroll(unittest.TestCase):
    def check(self, module, trips):
        random = np.random.default_rng(trips)
        x = random.integers(-9, 10, (trips, 128)).astype(np.int32)
        expected = np.full(128, 7, np.int32)
        for row in x:
            expected = expected * 2 + row
        y = np.full(128, arrays.poison(np.int32), np.int32)
        module["horner"](x, y, backend="emulator")
        np.testing.assert_array_equal(y, expected)

    def test_trips_of_run_time(self):
        for unroll in (None, 1, 2, 3, 7):
            for options in ({}, {"disable_pass": ["tile-control-unroll"]}):
                module = tilewright.compile(source(unroll), lazy=True, **options)
                for trips in TRIPS:
                    with self.subTest(unroll=unroll, trips=trips, options=options):
                        self.check(module, trips)

    def test_constant_trips(self):
        for unroll in (None, 1, 2, 3, 7, '"full"'):
            for trips in TRIPS:
                with self.subTest(unroll=unroll, trips=trips):
                    self.check(tilewright.compile(source(unroll, trips), lazy=True), trips)

    def test_copies(self):
        for unroll in (1, 2, 3, 7):
            with self.subTest(unroll=unroll):
                # A loop for what is left of trips holds one more.
                self.assertEqual(count_copies(source(unroll)), (unroll, unroll + (unroll > 1)))
                self.assertEqual(count_copies(source(unroll, 42)), (unroll, unroll))
        self.assertEqual(count_copies(source('"full"', 15)), (0, 15))
        # Nobody asks: all of a few trips, a divisor of many.
        self.assertEqual(count_copies(source(None, 15)), (0, 15))
        self.assertEqual(count_copies(source(None, 1001)), (7, 7))
        # What is left of trips runs behind: three in a loop, one without.
        self.assertEqual(count_copies(source(4, 43)), (4, 5))
        self.assertEqual(count_copies(source(4, 45)), (4, 5))
        # More copies than trips are as many as trips.
        self.assertEqual(count_copies(source(40, 15)), (0, 15))

    def test_impossible(self):
        """All trips, where nobody knows how many: an error at the loop, with and without the pass that decides."""
        for options in ((), ("--disable-pass=tile-control-unroll",)):
            with self.subTest(options=options), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "horner.mlir")
                with open(path, "w") as file:
                    file.write(source('"full"'))
                commands.assert_refused(
                    r'horner\.mlir:10:8: error: expected a number of trips that is known at compile time for tile.unroll = "full"',
                    *("tile-compile", path, "--emit=ptx", "-o", os.path.join(folder, "out"), *options),
                )


if __name__ == "__main__":
    unittest.main()
