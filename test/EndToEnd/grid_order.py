# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Passes that change which program computes what: every tile is computed once, whatever the order and the number of programs.

The reference counts in NumPy. Results with and without a pass are equal bit for bit.
"""

import itertools
import glob
import os
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import commands
import elements
import tilewright

# Each program counts itself at its coordinates and writes down the extents that it sees. The loads share operands along
# rows and columns, which is what makes the order worth changing.
COUNT = """
!ids = !tile.view<?x?x?xi32, strides = [?, ?, 1]>
!v = !tile.view<?xf32, strides = [1]>
func.func @count(%ids: !ids {tile.name = "ids"}, %a: !v {tile.name = "a"}, %b: !v {tile.name = "b"},
                 %sums: !tile.view<?x?x?xf32, strides = [?, ?, 1]> {tile.name = "sums"},
                 %extents: !tile.view<?xindex_type, strides = [1]> {tile.name = "extents"})
    attributes {tile.kernel, tile.grid = @count_grid ATTRIBUTES} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %pm = tile.program_id x
  %pn = tile.program_id y
  %pb = tile.program_id z
  %one = arith.constant dense<1> : tensor<1x1x1xi32>
  tile.reduce_into add gpu %one, %ids[%pb, %pm, %pn] : tensor<1x1x1xi32>, !ids
  %x = tile.load %a[%pm] : !v -> tensor<1xf32>
  %y = tile.load %b[%pn] : !v -> tensor<1xf32>
  %s = arith.addf %x, %y : tensor<1xf32>
  %r = tile.reshape %s : tensor<1xf32> -> tensor<1x1x1xf32>
  tile.store %r, %sums[%pb, %pm, %pn] : tensor<1x1x1xf32>, !tile.view<?x?x?xf32, strides = [?, ?, 1]>
  %nx = tile.num_programs x
  %ny = tile.num_programs y
  %nz = tile.num_programs z
  %sizes = arith.index_cast %nx : index to i64
  %sizes_y = arith.index_cast %ny : index to i64
  %sizes_z = arith.index_cast %nz : index to i64
  %tx = tile.splat %sizes : i64 -> tensor<1xi64>
  %ty = tile.splat %sizes_y : i64 -> tensor<1xi64>
  %tz = tile.splat %sizes_z : i64 -> tensor<1xi64>
  %first = arith.addi %pm, %pn : index
  %last = arith.addi %first, %pb : index
  %is_first = arith.cmpi eq, %last, %c0 : index
  scf.if %is_first {
    tile.store %tx, %extents[%c0] : tensor<1xi64>, !tile.view<?xi64, strides = [1]>
    tile.store %ty, %extents[%c1] : tensor<1xi64>, !tile.view<?xi64, strides = [1]>
    tile.store %tz, %extents[%c2] : tensor<1xi64>, !tile.view<?xi64, strides = [1]>
  }
  return
}
func.func @count_grid(%ids: !ids, %a: !v, %b: !v, %sums: !tile.view<?x?x?xf32, strides = [?, ?, 1]>,
                      %extents: !tile.view<?xi64, strides = [1]>) -> (index, index, index) {
  %b0 = tile.view_size %ids, 0 : !ids
  %m = tile.view_size %ids, 1 : !ids
  %n = tile.view_size %ids, 2 : !ids
  return %m, %n, %b0 : index, index, index
}
""".replace("index_type", "i64")


def source(attributes=""):
    return COUNT.replace(" ATTRIBUTES", ", " + attributes if attributes else "")


SHAPES = [(1, 1, 1), (1, 7, 1), (2, 7, 5), (3, 8, 3), (1, 9, 4), (2, 1, 6), (1, 16, 2), (0, 4, 4), (2, 0, 3), (2, 3, 0)]


class EveryTileOnce(unittest.TestCase):
    def check(self, module, shapes=SHAPES, note=""):
        for shape, backend in itertools.product(shapes, arrays.backends()):
            with self.subTest(note, shape=shape, backend=backend):
                ids = np.zeros(shape, np.int32)
                a = np.arange(shape[1], dtype=np.float32)
                b = np.arange(shape[2], dtype=np.float32) * 1000
                sums = np.full(shape, np.nan, np.float32)
                extents = np.full(3, -1, np.int64)
                module["count"](ids, a, b, sums, extents, backend=backend)
                np.testing.assert_array_equal(ids, np.ones(shape, np.int32))
                arrays.assert_same_bits(sums, np.broadcast_to(a[:, None] + b[None, :], shape).astype(np.float32))
                expected = [-1, -1, -1] if 0 in shape else [shape[1], shape[2], shape[0]]
                np.testing.assert_array_equal(extents, expected)

    def was_applied(self, module, name):
        return any(remark["pass"] == name and remark["kind"] == "passed" for remark in module.remarks)

    def test_groups(self):
        # Groups that divide the rows, that leave a rest, and that are larger than all rows.
        for group in (1, 2, 3, 4, 8, 1000):
            module = tilewright.compile(source(), grid_group=group)
            self.assertTrue(self.was_applied(module, "tile-order-grid"))
            self.check(module, note=f"groups of {group}")

    def test_chosen_group_and_attribute(self):
        self.check(tilewright.compile(source()), note="chosen")
        self.check(tilewright.compile(source("tile.grid_group = 3")), note="attribute")

    def test_without_passes(self):
        self.check(tilewright.compile(source(), disable_pass=["tile-order-grid", "tile-make-persistent"]))

    def test_persistent(self):
        for options in ({}, {"disable_pass": ["tile-order-grid"]}, {"grid_group": 2}):
            module = tilewright.compile(source(), persistent="always", **options)
            self.assertTrue(self.was_applied(module, "tile-make-persistent"))
            self.check(module, SHAPES + [(2, 13, 11)], note=str(options))
            # With one program on each SM, 2 * 13 * 11 tiles are three waves of the emulator's 132 SMs.
            module = tilewright.compile(source("tile.occupancy = 1"), persistent="always", **options)
            self.check(module, [(2, 13, 11)], note=str(options))
        module = tilewright.compile(source("tile.persistent = true, tile.occupancy = 2"))
        self.check(module, [(3, 13, 11)], note="attribute")

    def test_number_of_sms(self):
        # The plan asks the device; the emulator has as many SMs as it is told.
        text = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"count-{os.getpid()}.mlir")
        with open(text, "w") as file:
            file.write(source())
        try:
            for sms, grid in ((1, "1x1x1"), (5, "5x1x1"), (132, "42x1x1"), (0, "42x1x1")):
                status, output, error = commands.run(
                    "tile-run", text, "--backend=emulator", "--persistent=always", *([f"--sm-count={sms}"] if sms else []),
                    "--arg", "ids=i32[2x7x3]:zeros", "--arg", "a=f32[7]:iota", "--arg", "b=f32[3]:zeros",
                    "--arg", "sums=f32[2x7x3]:nan", "--arg", "extents=i64[3]:zeros",
                    "--expect", "ids=i32[2x7x3]:ones",
                )  # fmt: skip
                self.assertEqual(status, 0, error)
                self.assertIn(f"grid {grid},", output)
        finally:
            os.remove(text)

    def test_programs_of_each_sm(self):
        """As many as fit, by the row of the target, unless the author or the caller says how many."""
        cases = (
            (None, 4, (), "2112x1x1"),  # 132 SMs, 64 warps each
            (None, 16, (), "528x1x1"),
            (3, 4, (), "396x1x1"),
            (None, 4, ("--sm-count=7",), "7x1x1"),
        )
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "count.mlir")
            for occupancy, warps, options, grid in cases:
                attributes = f"tile.num_warps = {warps}" + (f", tile.occupancy = {occupancy}" if occupancy else "")
                with open(path, "w") as file:
                    file.write(source(attributes))
                with self.subTest(occupancy=occupancy, warps=warps, options=options):
                    status, output, error = commands.run(
                        "tile-run", path, "--backend=emulator", "--persistent=always", *options,
                        "--arg", "ids=i32[1x3000x1]:zeros", "--arg", "a=f32[3000]:iota", "--arg", "b=f32[1]:zeros",
                        "--arg", "sums=f32[1x3000x1]:nan", "--arg", "extents=i64[3]:zeros",
                        "--expect", "ids=i32[1x3000x1]:ones",
                    )  # fmt: skip
                    self.assertEqual(status, 0, error)
                    self.assertIn(f"grid {grid},", output)


class Examples(unittest.TestCase):
    """The same bits as without the passes, on data whose sums are exact."""

    CHOICES = (
        {"disable_pass": ["tile-order-grid", "tile-make-persistent"]},
        {"disable_pass": ["tile-make-persistent"]},
        {"disable_pass": ["tile-order-grid"], "persistent": "always"},
        {"grid_group": 2, "persistent": "always"},
    )

    def compare(self, name, shapes, out):
        """`shapes` are of the inputs; the output is poisoned before each run."""
        random = np.random.default_rng(7)
        inputs = [random.integers(-4, 5, shape).astype(np.float16) for shape in shapes]
        results = []
        for options in self.CHOICES:
            module = elements.compile(name, lazy=True, **options)
            output = arrays.Output(out, np.float16)
            module[name](*inputs, output.array, backend="emulator")
            output.check_border()
            results.append(output.array.copy())
        reference = np.matmul(inputs[0].astype(np.float64), inputs[1].astype(np.float64)).astype(np.float16)
        for options, result in zip(self.CHOICES, results):
            arrays.assert_same_bits(result, reference, str(options))

    def test_matmul(self):
        for m, n, k in ((300, 200, 70), (129, 1, 64), (0, 5, 3), (5, 5, 0)):
            self.compare("matmul", ((m, k), (k, n)), (m, n))

    def test_bmm(self):
        self.compare("bmm", ((2, 300, 70), (2, 70, 130)), (2, 300, 130))


class EveryExample(unittest.TestCase):
    """Each example as its header runs it: many tiles on few SMs give the bits that one program per tile gives."""

    def test_examples(self):
        for path in sorted(glob.glob(os.path.join(arrays.EXAMPLES, "*.mlir"))):
            words, place, name, _ = commands.header_command(path)
            with self.subTest(os.path.basename(path)), tempfile.TemporaryDirectory() as folder:
                results = []
                choices = (["--disable-pass=tile-order-grid"], ["--persistent=always", "--sm-count=3"])
                for i, options in enumerate(choices):
                    words[place] = f"{name}={os.path.join(folder, str(i))}.npy"
                    status, output, error = commands.run("tile-run", path, "--backend=emulator", *words, *options)
                    self.assertEqual(status, 0, error)
                    results.append(np.load(os.path.join(folder, f"{i}.npy")))
                self.assertRegex(output, r"grid [123]x1x1,")
                arrays.assert_same_bits(results[1], results[0])


if __name__ == "__main__":
    unittest.main()
