# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""The configurations of the differential tests: every pair of choices occurs, and nothing that can be chosen is left out."""

import contextlib
import glob
import importlib
import io
import itertools
import os
import re
import subprocess
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import configurations
import arrays
import covering
import differential
import elements
import resizing
import tilewright
from configurations import FACTORS, PASSES
from resizing import TileClass


class CoveringArrays(unittest.TestCase):
    def test_every_pair(self):
        for counts in ((1, 1), (2, 2), (3, 2, 1), (5, 4, 4, 3, 3, 3) + (2,) * 13, (2,) * 30, (7, 7, 2), (1,) * 4):
            rows = covering.cover_pairs(counts)
            for (f, n), (g, m) in itertools.combinations(enumerate(counts), 2):
                pairs = {(row[f], row[g]) for row in rows}
                self.assertEqual(pairs, set(itertools.product(range(n), range(m))), (counts, f, g))
            # The two largest factors alone ask for as many rows as they have pairs; more than twice that is bad greed.
            largest = sorted(counts)[-2] * sorted(counts)[-1]
            self.assertLessEqual(len(rows), 2 * largest + 8, counts)
            self.assertEqual(rows, covering.cover_pairs(counts))


class Configurations(unittest.TestCase):
    def test_every_pair_of_choices(self):
        wanted = [[(("disable-pass", name), is_off) for is_off in (False, True)] for name in PASSES]
        wanted += [[((factor.option, value), True) for value in factor.values] for factor in FACTORS]
        met = list(configurations.all_pairs())

        def holds(options, choice):
            (option, value), is_there = choice
            if value is None:
                return option not in dict(options)
            return ((option, value) in options) == is_there

        for first, second in itertools.combinations(wanted, 2):
            for pair in itertools.product(first, second):
                self.assertTrue(any(all(holds(row, choice) for choice in pair) for row in met), pair)

    def test_alone(self):
        every = configurations.every_configuration()
        for name in PASSES:
            self.assertIn(configurations.configuration([name]), every)
            self.assertIn(configurations.configuration([n for n in PASSES if n != name]), every)
        self.assertIn((), every)
        self.assertEqual(len(every), len(set(every)))
        for factor in FACTORS:
            if factor.of:
                self.assertIn(factor.of, PASSES)
                steered = [row for row in configurations.alone_on() if ("disable-pass", factor.of) not in row]
                self.assertEqual({dict(row).get(factor.option) for row in steered}, set(factor.values))

    def test_text(self):
        for options in configurations.every_configuration() + [configurations.PLAIN]:
            self.assertEqual(configurations.from_text(configurations.to_text(options)), options)
        with self.assertRaisesRegex(ValueError, "tile-nothing"):
            configurations.from_text("-tile-nothing")

    def test_no_option_is_forgotten(self):
        # Whoever adds an option says here whether it changes code; the compiler lists its options itself.
        with self.assertRaises(tilewright.CompileError) as caught:
            tilewright.compile("\n", nonsense=1)
        known = re.search("expected one of (.*)", str(caught.exception)).group(1).split(", ")
        ours = {factor.option for factor in FACTORS} - {"sms"}
        self.assertEqual(set(known), ours | set(configurations.NO_FACTORS) | set(configurations.FIXED))

    def test_wishes(self):
        # What a program can have is granted, so that no choice is left out of every comparison.
        matmul, add = (os.path.join(arrays.EXAMPLES, name) for name in ("matmul.mlir", "vector_add.mlir"))
        for factor in FACTORS:
            for value in factor.values:
                if factor.option not in ("sms", "extents") and value is not None:
                    tilewright.compile(matmul, lazy=True, **{factor.option.replace("-", "_"): value})
        wishes = ({"epilogue_parts": 2}, {"grid_group": 3}, {"tma": "guard", "target": "sm_80"},
                  {"persistent": "always", "disable_pass": ["tile-make-persistent"]})
        for wish in wishes:
            with self.assertRaises(tilewright.CompileError):
                tilewright.compile(add, lazy=True, **wish)
            module = configurations.compile_granted(add, lazy=True, **wish)
            self.assertEqual(set(module.kernels), {"vector_add", "vector_add_ptr"})
        with self.assertRaises(tilewright.CompileError):
            configurations.compile_granted(add, lazy=True, num_warps=33)

    def test_every_example_is_a_case(self):
        files = glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "differential_*.py"))
        modules = [importlib.import_module(os.path.basename(file)[:-3]) for file in files if file != os.path.abspath(__file__)]
        names = [case.name for module in modules for case in module.CASES]
        self.assertEqual(len(names), len(set(names)))
        examples = {os.path.basename(file)[:-5] for file in glob.glob(os.path.join(arrays.EXAMPLES, "*.mlir"))}
        self.assertEqual(examples - set(names), set())


class Resizing(unittest.TestCase):
    """Rules make requests that the classes of a kernel can meet."""

    def test_requests(self):
        found = [TileClass(("M", "x.0"), 128, "any"), TileClass(("N",), 64, "any"), TileClass(("K",), 16, "divisors"),
                 TileClass(("B",), 4, "stays"), TileClass(("R",), 3, "any")]
        wanted = {
            "half": {"M": 64, "N": 32, "K": 8},
            "odd": {"M": 208, "N": 96, "R": 9},
            "double": {"M": 256, "N": 128, "R": 6},
            "mixed": {"M": 208, "N": 32},
            "half@2": {"K": 8},
            "odd@2": {},
            "double@3": {},
        }
        for rule, requests in wanted.items():
            self.assertEqual(resizing.requests(found, rule), requests, rule)
        rules = ["half@0", "double@0", "odd@0", "half@1", "double@1", "odd@1", "half@2", "double@4", "odd@4"]
        self.assertEqual(list(resizing.alone({"k": found, "other": found[:1]})), rules)

    def test_classes_are_those_of_the_configuration(self):
        source = differential_memory_case("triton_style").source
        self.assertEqual([c.names[0] for c in configurations.classes(source)["matmul"] if c.can == "any"], ["M", "N", "K"])
        # Pointers have no dimensions, and a pass that is off says nothing.
        self.assertFalse([c for c in configurations.classes(source, ("tile-raise-pointers",))["matmul"] if c.can == "any"])
        self.assertEqual(configurations.classes(source, ("tile-choose-extents",)), {})
        module = configurations.compile(source, (("extents", "half"), ("disable-pass", "tile-choose-extents")))
        self.assertFalse(configurations.is_resized(module, "matmul"))

    def test_what_is_a_refusal(self):
        source = differential_memory_case("cat").source
        short, long = np.zeros((5, 300), np.float16), np.zeros((6, 300), np.float16)
        with self.assertRaises(tilewright.LaunchError) as caught:
            tilewright.compile(source, lazy=True, extents={"from.0": 48})["cat"](long, short, 0, 1, backend="emulator")
        self.assertEqual(resizing.refusal(caught.exception), "")  # Of too many arguments.
        matmul = elements.source("matmul")
        a, b, c = np.zeros((20, 100), np.float16), np.zeros((101, 20), np.float16), np.zeros((20, 20), np.float16)
        for extents, kind in (({"K": 48}, "sizes"), ({"K": 32}, "sizes"), ({"M": 2048}, "resources")):
            with self.assertRaises(tilewright.TilewrightError) as caught:
                tilewright.compile(matmul, lazy=True, extents=extents)["matmul"](a, b, c, backend="emulator")
            self.assertEqual(resizing.refusal(caught.exception), kind, caught.exception)
        with self.assertRaises(tilewright.CompileError) as caught:
            tilewright.compile(matmul, lazy=True, extents={"Q": 48})
        self.assertEqual(resizing.refusal(caught.exception), "")


def differential_memory_case(name):
    import differential_memory

    return next(case for case in differential_memory.CASES if case.name == name)


class Harness(unittest.TestCase):
    """The harness finds what it is for."""

    def setUp(self):
        self.case = differential_memory_case("vector_add")
        self.harness = differential.Harness(sys.modules["differential_memory"].__file__)

    def check(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()):
            self.harness.check(self.case, *arguments)

    def test_one_wrong_element(self):
        self.check(configurations.DEFAULT, [0])
        self.assertEqual((self.harness.failures, self.harness.launches), ([], 1))
        self.harness.plain[self.case.name, 0][0][17] += 1
        options = configurations.from_text("num-warps=2/-cse")
        self.check(options, [0])
        (message,) = self.harness.failures
        self.assertRegex(message, r"^vector_add vector_add 1024 C: num-warps=2/-cse: output 0: 1 of 1024 ")
        # The command runs that launch in that configuration alone; there it is right.
        command = message.split("repeat: ")[1]
        done = subprocess.run(command, shell=True, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "^vector_add: 1 launches")

    def test_a_missing_variant(self):
        self.case = differential.Case("vector_add", self.case.source, self.case.launches[:1])
        with contextlib.redirect_stdout(io.StringIO()):
            self.harness.check_variants(self.case)
        self.assertRegex(self.harness.failures[0], "no launch chooses vector_add, .*vector_add__v1")

    def test_refusals_are_counted(self):
        text = elements.source("matmul")
        arrays_of = [differential.In(np.zeros(shape, np.float16)) for shape in ((20, 96), (101, 20))]
        launch = differential.Launch("matmul", arrays_of + [differential.Out((20, 20), np.float16)])
        self.case = differential.Case("matmul", text, [launch], {"128": 32, "64": 16})
        with contextlib.redirect_stdout(io.StringIO()):
            # Rows of b that no column of a meets: only extents of K that are not its own mind.
            self.check((("extents", "odd@2"),), [0])
            self.assertEqual((self.harness.failures, self.harness.launches), ([], 0))
            self.assertEqual(self.harness.refused, {("matmul", "matmul", "sizes"): 1})
            self.harness.check_resized(self.case)
            self.assertRegex(self.harness.failures[0], "every launch of a resized matmul is refused: 1 by sizes")
            self.harness.failures.clear()
            self.check((("extents", "odd@1"),), [0])
            self.harness.check_resized(self.case)
        self.assertEqual((self.harness.failures, self.harness.launches), ([], 1))
        self.assertEqual(self.harness.resized, {("matmul", "matmul"): 1})

    def test_what_does_not_compile(self):
        self.check((("num-warps", "33"),), [0])
        self.assertRegex(self.harness.failures[0], "'num-warps': expected a number from 1 to 32")

    def test_addresses(self):
        # An odd array begins at an odd address, with poison around it that the kernel could reach.
        module = tilewright.compile(self.case.source, lazy=True)
        for layout, variant in (("C", "vector_add__v0"), ("odd", "vector_add__v1"), ("step", "vector_add")):
            arguments = [differential.In(np.ones(1024, np.float32), layout) for _ in range(2)]
            launch = differential.Launch("vector_add", arguments + [differential.Out((1024,), np.float32, layout)])
            self.assertEqual(launch.variant(module), variant)
            arrays.assert_same_bits(launch.run(module)[0], np.full(1024, 2))

    def test_shrink(self):
        text = "%c64 = arith.constant 64 : i64\ntensor<64x128x64xf32> dense<64> : tensor<128xf64> 164 %128 64.0 1x64xi64\n"
        case = differential.Case("", text, [], {"64": 16, "128": 64})
        wanted = "%c64 = arith.constant 16 : i64\ntensor<16x64x16xf32> dense<16> : tensor<64xf64> 164 %128 64.0 1x16xi64\n"
        self.assertEqual(case.text((), False), wanted)
        self.assertEqual(case.text((), True), text)
        pinned = differential.Case("", "{tile.kernel, tile.num_warps = 8 : i64}", [])
        self.assertEqual(pinned.text((), False), pinned.source)
        self.assertEqual(pinned.text((("num-warps", "2"),), False), "{tile.kernel}")


if __name__ == "__main__":
    unittest.main()
