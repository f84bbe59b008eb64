# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""tile-run checks what it ran: exit status 0 within the tolerance, 1 outside; arrays in and out by .npy files."""

import os
import pathlib
import shutil
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from arrays import EXAMPLES, assert_same_bits
from commands import run

FOLDER = pathlib.Path(sys.argv.pop(1))
MATMUL = os.path.join(EXAMPLES, "matmul.mlir")
RTOL, ATOL = 1e-3, 1e-3


class Checks(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(1)
        self.a = random.uniform(-1, 1, (33, 100)).astype(np.float16)
        self.b = random.uniform(-1, 1, (100, 17)).astype(np.float16)
        self.reference = self.a.astype(np.float64) @ self.b.astype(np.float64)
        np.save(FOLDER / "a.npy", self.a)
        np.save(FOLDER / "b.npy", np.asfortranarray(self.b))

    def check(self, reference, *options):
        np.save(FOLDER / "reference.npy", reference)
        return run(
            *("tile-run", MATMUL, "--backend=emulator", f"--arg=a=@{FOLDER}/a.npy", f"--arg=b=@{FOLDER}/b.npy"),
            *("--arg=c=f16[33x17]:nan", f"--expect=c=@{FOLDER}/reference.npy", f"--rtol={RTOL}", f"--atol={ATOL}"),
            *options,
        )

    def test_right(self):
        status, _, stderr = self.check(self.reference, f"--save=c={FOLDER}/c.npy")
        self.assertEqual((status, stderr), (0, ""))
        saved = np.load(FOLDER / "c.npy")
        self.assertEqual(saved.dtype, np.float16)
        np.testing.assert_allclose(saved.astype(np.float64), self.reference, RTOL, ATOL)

    def test_one_element_off(self):
        for where in ((0, 0), (32, 16), (16, 3)):
            wrong = self.reference.copy()
            wrong[where] += 10 * (ATOL + RTOL * abs(wrong[where]))
            status, stdout, stderr = self.check(wrong)
            self.assertEqual(status, 1, stdout + stderr)

    def test_nan_is_wrong(self):
        wrong = self.reference.copy()
        wrong[5, 5] = np.nan
        self.assertEqual(self.check(wrong)[0], 1)

    def test_saved_in_place(self):
        status, _, stderr = run(
            *("tile-run", os.path.join(EXAMPLES, "vector_add.mlir"), "--kernel=vector_add", "--backend=emulator"),
            *("--arg=x=f32[1500]:iota", "--arg=y=f32[1500]:ones", "--arg=out=f32[1500]:nan"),
            f"--save=out={FOLDER}/out.npy",
        )
        self.assertEqual((status, stderr), (0, ""))
        assert_same_bits(np.load(FOLDER / "out.npy"), np.arange(1, 1501, dtype=np.float32))

    def test_index_parameter(self):
        # An index is an index in the plan, too: it is spelled so, and i64 is another type.
        path = FOLDER / "index.mlir"
        path.write_text(
            'func.func @k(%p: !tile.ptr<i64> {tile.name = "p"}, %n: index {tile.name = "n"})\n'
            "    attributes {tile.kernel, tile.grid = @g} {\n"
            "  %v = arith.index_cast %n : index to i64\n  tile.store_ptr %v, %p : !tile.ptr<i64>\n  return\n}\n"
            "func.func @g(%p: !tile.ptr<i64>, %n: index) -> index {\n"
            "  %c1 = arith.constant 1 : index\n  return %c1 : index\n}\n"
        )
        common = ("tile-run", path, "--backend=emulator", "--arg=p=i64[1]:zeros")
        self.assertEqual(run(*common, "--arg=n=index:-7", f"--save=p={FOLDER}/p.npy")[0], 0)
        self.assertEqual(np.load(FOLDER / "p.npy")[0], -7)
        self.assertEqual(run(*common, "--arg=n=i32:7")[0], 2)

    def test_no_device(self):
        # 3 where the machine has no CUDA device, 0 where it has one.
        status, _, stderr = run(
            "tile-run", MATMUL, "--backend=cuda", "--arg=a=f16[4x4]:ones", "--arg=b=f16[4x4]:ones", "--arg=c=f16[4x4]:nan"
        )
        self.assertIn(status, (0, 3), stderr)
        if status == 3:
            self.assertRegex(stderr, "error: .*libcuda|error: .*device|error: .*driver")


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    unittest.main()
