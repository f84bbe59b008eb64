# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""tile-specialize-even-k: one compiled module meets every guard, each variant equals the plain lowering bit for bit, and
the fast variant has no predicate in its steady loop."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import even_k_loops
import tilewright

MODULE = arrays.example("matmul")
PLAIN = arrays.example("matmul", disable_pass="tile-specialize-even-k")

EVEN, STEPS, FAST, UNIT = "matmul__v0_even", "matmul__v0_even_steps", "matmul__v0", "matmul__v1"

# m, n, k and the variant that must run: whole tiles along all dimensions, whole steps along k, 16-byte rows, unit strides.
SIZES = (
    (128, 128, 0, UNIT),  # NumPy gives rows without elements a stride of 1.
    (128, 128, 64, EVEN),
    (256, 128, 128, EVEN),
    (128, 256, 64, EVEN),
    (0, 128, 64, EVEN),
    (100, 128, 64, STEPS),
    (128, 72, 128, STEPS),
    (128, 128, 72, FAST),
    (129, 136, 8, FAST),
    (128, 128, 1, UNIT),
    (128, 128, 63, UNIT),
    (128, 128, 65, UNIT),
    (127, 129, 257, UNIT),
    (128, 100, 64, UNIT),
)


def integers(shape, seed):
    """Small integers: every partial sum is exact, so any order of summation gives the same bits."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float16)


class Variants(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.bundle = cls.path("matmul.bundle")
        with open(cls.bundle, "wb") as file:
            file.write(MODULE.bundle())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def launch(self, backend, a, b, expected):
        """Runs the one bundle, compares with `expected` bit for bit and returns the name of the variant that ran."""
        m, n = expected.shape
        for name, array in (("a", a), ("b", b), ("expected", expected)):
            np.save(self.path(name + ".npy"), array)
        command = ["tile-run", self.bundle, "--kernel=matmul", f"--backend={backend}"]
        command += ["--arg", f"a=@{self.path('a.npy')}", "--arg", f"b=@{self.path('b.npy')}"]
        command += ["--arg", f"c=f16[{m}x{n}]:nan", "--expect", f"c=@{self.path('expected.npy')}"]
        done = subprocess.run(command + ["--rtol", "0", "--atol", "0"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return re.search(r"variant \d of 5 \((\w+)\)", done.stdout).group(1)

    def test_each_guard(self):
        for m, n, k, variant in SIZES:
            a, b = integers((m, k), m + k), integers((k, n), n + k + 1)
            reference = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16)
            for backend in arrays.backends():
                with self.subTest(m=m, n=n, k=k, backend=backend):
                    plain = arrays.Output((m, n), np.float16)
                    PLAIN["matmul"](a, b, plain.array, backend=backend)
                    arrays.assert_same_bits(plain.array, reference, "reference")
                    self.assertEqual(self.launch(backend, a, b, plain.array), variant)
                    # And between poisoned borders.
                    c = arrays.Output((m, n), np.float16)
                    MODULE["matmul"](a, b, c.array, backend=backend)
                    arrays.assert_same_bits(c.array, reference, "reference")
                    c.check_border()

    def test_equal_sizes_are_asked_for(self):
        # The size of one array is not taken for that of another: more rows than c has, and rows of b that a lacks.
        a, b = integers((256, 64), 1), integers((128, 128), 2)
        part = (a[:128].astype(np.float64) @ b[:64].astype(np.float64)).astype(np.float16)
        # Rows of c that a lacks are zero.
        longer = np.concatenate([part, np.zeros_like(part)])
        for backend in arrays.backends():
            self.assertEqual(self.launch(backend, a, b, part), FAST)
            self.assertEqual(self.launch(backend, a[:128], b[:64], longer), STEPS)

    def test_no_trip_in_each_variant(self):
        room = integers((256, 128), 3)
        for m, n in ((128, 128), (100, 128), (128, 36)):
            for backend in arrays.backends():
                c = arrays.Output((m, n), np.float16)
                MODULE["matmul"](room[:m, :0], room[:0, :n], c.array, backend=backend)
                self.assertTrue((c.array == 0).all())
                c.check_border()


class Machine(unittest.TestCase):
    """What a GPU runs: read from the PTX."""

    @staticmethod
    def steady_loop(ptx):
        """The lines between the label that a later branch goes back to and that branch; the longest such loop."""
        lines = ptx.splitlines()
        labels = {line.rstrip(":"): i for i, line in enumerate(lines) if re.match(r"\$L\w+:$", line)}
        loops = []
        for i, line in enumerate(lines):
            branch = re.search(r"\bbra(?:\.uni)?\s+(\$L\w+);", line)
            if branch and labels.get(branch.group(1), i) < i:
                loops.append(lines[labels[branch.group(1)] + 1 : i])
        return max(loops, key=len)

    def test_no_predicate_in_the_fast_loop(self):
        for target in ("sm_80", "sm_90a"):
            module = arrays.example("matmul", target=target)
            loop = self.steady_loop(module.ptx("matmul", 0))
            with self.subTest(target=target):
                self.assertEqual([line for line in loop if "setp" in line][:-1], [], "one comparison, to go round")
                self.assertEqual([line for line in loop if line.lstrip().startswith("@")], [])
                self.assertEqual([line for line in loop if "selp" in line], [])
                loads = [line for line in loop if "ld.global" in line]
                # 128x64 and 64x128 elements of 2 bytes in 128 threads: 8 loads of 16 bytes each.
                self.assertEqual(len(loads), 16)
                self.assertTrue(all(".v4.b32" in line for line in loads))
                self.assertEqual(len([line for line in loop if "mma.sync" in line]), 128)

    def test_no_predicated_store_in_the_fast_variant(self):
        ptx = MODULE.ptx("matmul", 0)
        stores = [line for line in ptx.splitlines() if "st.global" in line]
        self.assertEqual(len(stores), 16)
        self.assertFalse(any(line.lstrip().startswith("@") for line in stores))
        # The branch around an empty loop and the one that closes it.
        self.assertEqual(len(re.findall(r"^\s*@%p\d+ bra", ptx, re.MULTILINE)), 2)

    def test_the_checked_variant_has_predicates(self):
        self.assertGreater(len(re.findall("setp", "\n".join(self.steady_loop(PLAIN.ptx("matmul", 0))))), 1)


class Peeled(unittest.TestCase):
    """Loops with no, one and many trips, whole and partial, nested, with bounds in any order."""

    @staticmethod
    def reference(values, ends, first):
        result = np.zeros((len(ends), 4, 16), np.int32)
        for p, end in enumerate(ends):
            for i in range(0, values.shape[0], 4):
                for j in range(first, min(int(end), values.shape[1]), 16):
                    block = values[i : i + 4, j : j + 16]
                    result[p, : block.shape[0], : block.shape[1]] += block
        return result

    def test_trips(self):
        ends = np.array([-(2**31), -40, -1, 0, 1, 15, 16, 17, 31, 32, 33, 48, 64, 70, 2**31 - 1], np.int32)
        for first in (0, 5, 16):
            source = even_k_loops.sums(first)
            command = ["tile-opt", "-", "--tile-specialize-even-k=mode=peel"]
            peeled = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
            self.assertEqual(peeled.count("scf.if"), 3)
            modules = [tilewright.compile(text) for text in (source, peeled)]
            modules.append(tilewright.compile(source, disable_pass="tile-specialize-even-k"))
            for rows in (0, 1, 3, 4, 7, 8):
                for columns in (0, 1, 16, 33, 64):
                    values = np.random.default_rng(rows * 100 + columns).integers(-99, 99, (rows, columns), np.int32)
                    expected = self.reference(values, ends, first)
                    for backend in arrays.backends():
                        for number, module in enumerate(modules):
                            with self.subTest(first=first, rows=rows, columns=columns, module=number, backend=backend):
                                dense = np.full(expected.shape, arrays.poison(np.int32), np.int32)
                                module["sums"](values, ends, dense, backend=backend)
                                np.testing.assert_array_equal(dense, expected)


if __name__ == "__main__":
    unittest.main()
