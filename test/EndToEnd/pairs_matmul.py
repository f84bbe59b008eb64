# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Products written plainly and by hand: K that need not be a multiple of the step, and grids of three axes. The steady
loops have the same instructions by kind, and the numbers of them that the tile alone explains."""

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

# 128x128 tiles, steps of 64, four warps of 64x64, f16. Accesses of 16 bytes by 128 threads: 2 * 128 * 64 * 2 bytes are
# 16 a thread, read and stored to shared memory. Matrices of 16x16 of each operand: 4 * 4. Products of 16x8x16: 4 * 8 * 4.
STEADY = {
    "load of 16 bytes": 16,
    "shared store of 16 bytes": 16,
    "barrier": 2,
    "ldmatrix": 16,
    "ldmatrix.trans": 16,
    "mma": 128,
}

HEAD = """
!mat = !tile.view<?x?xf16, strides = [?, {unit}]>
func.func @matmul(%a: !mat {{tile.name = "a"}}, %b: !mat {{tile.name = "b"}}, %c: !mat {{tile.name = "c"}})
    attributes {{tile.kernel, tile.grid = @matmul_grid}} {{
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %x = tile.program_id x
  %y = tile.program_id y
  %i = arith.muli %x, %c128 overflow<nsw> : index
  %j = arith.muli %y, %c128 overflow<nsw> : index
"""

STEP = """
    %lhs = tile.load %a_view[%i, %kk] in_bounds [{rows}, {steps}] pad(zero) : {type} -> tensor<128x64xf16>
    %rhs = tile.load %b_view[%kk, %j] in_bounds [{steps}, {columns}] pad(zero) : {type} -> tensor<64x128xf16>
    %next = tile.dot %lhs, %rhs, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
"""

TAIL = """
  %result = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %result, %c_view[%i, %j] in_bounds [{rows}, {columns}] : tensor<128x128xf16>, {type}
  return
}}
func.func @matmul_grid(%a: !mat, %b: !mat, %c: !mat) -> (index, index) {{
  %c128 = arith.constant 128 : index
  %m = tile.view_size %c, 0 : !mat
  %n = tile.view_size %c, 1 : !mat
  %tiles_m = arith.ceildivsi %m, %c128 : index
  %tiles_n = arith.ceildivsi %n, %c128 : index
  return %tiles_m, %tiles_n : index, index
}}
"""

SAME_VIEWS = ("%a", "%b", "%c")


def with_views(text, views=SAME_VIEWS):
    for name, view in zip(("%a_view", "%b_view", "%c_view"), views):
        text = text.replace(name, view)
    return text


def plain():
    """Nothing said, everything checked."""
    checked = {"rows": "false", "columns": "false", "steps": "false", "type": "!mat"}
    loop = "  %k = tile.view_size %a, 1 : !mat\n"
    loop += "  %sum = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {"
    return with_views(HEAD.format(unit="?") + loop + STEP.format(**checked) + "  }\n" + TAIL.format(**checked))


def whole_by_hand():
    """What an expert writes for whole tiles: views with the facts in their types and sizes, and no check anywhere."""
    views = []
    for name, rows, columns in (("a", 128, 64), ("b", 64, 128), ("c", 128, 128)):
        views.append(f"""
  %{name}_size0 = tile.view_size %{name}, 0 : !mat
  %{name}_size1 = tile.view_size %{name}, 1 : !mat
  %{name}_stride0 = tile.view_stride %{name}, 0 : !mat
  %{name}_rows = tile.assume %{name}_size0 div_by {rows} min 0 : index
  %{name}_columns = tile.assume %{name}_size1 div_by {columns} min 0 : index
  %{name}_stride = tile.assume %{name}_stride0 div_by 8 : index
  %{name}_base0 = tile.view_base %{name} : !mat -> !tile.ptr<f16>
  %{name}_base = tile.assume %{name}_base0 div_by 16 : !tile.ptr<f16>
  %{name}_view = tile.make_view %{name}_base, sizes [%{name}_rows, %{name}_columns] strides [%{name}_stride] : !mat""")
    free = {"rows": "true", "columns": "true", "steps": "true", "type": "!mat"}
    loop = "  %sum = scf.for %kk = %c0 to %a_columns step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {"
    text = HEAD.format(unit="1") + "\n".join(views) + "\n" + loop + STEP.format(**free) + "  }\n" + TAIL.format(**free)
    return text


def peeled_by_hand():
    """The loop runs over whole steps without a check along K; what is left comes once behind it."""
    checked = {"rows": "false", "columns": "false", "steps": "false", "type": "!mat"}
    steady = {**checked, "steps": "true"}
    text = HEAD.format(unit="?")
    text += """
  %k = tile.view_size %a, 1 : !mat
  %steps = arith.divsi %k, %c64 : index
  %main = arith.muli %steps, %c64 overflow<nsw> : index
  %whole = scf.for %kk = %c0 to %main step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {"""
    text += STEP.format(**steady) + "  }\n  %is_left = arith.cmpi slt, %main, %k : index\n"
    text += "  %sum = scf.if %is_left -> (tensor<128x128xf32>) {"
    text += STEP.format(**checked).replace("%kk", "%main").replace("%acc", "%whole")
    text += "  } else {\n    scf.yield %whole : tensor<128x128xf32>\n  }\n"
    return with_views(text + TAIL.format(**checked))


BATCHED = """
!batch = !tile.view<?x?x?xf16, strides = [?, ?, ?]>
func.func @matmul(%a: !batch {{tile.name = "a"}}, %b: !batch {{tile.name = "b"}}, %c: !batch {{tile.name = "c"}})
    attributes {{tile.kernel, tile.grid = @matmul_grid}} {{
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.view_size %a, 2 : !batch
{place}
  %i = arith.muli %row, %c128 overflow<nsw> : index
  %j = arith.muli %column, %c128 overflow<nsw> : index
  %sum = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {{
    %lhs = tile.load %a[%matrix, %i, %kk] dims [1, 2] pad(zero) : !batch -> tensor<128x64xf16>
    %rhs = tile.load %b[%matrix, %kk, %j] dims [1, 2] pad(zero) : !batch -> tensor<64x128xf16>
    %next = tile.dot %lhs, %rhs, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }}
  %result = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %result, %c[%matrix, %i, %j] dims [1, 2] : tensor<128x128xf16>, !batch
  return
}}
func.func @matmul_grid(%a: !batch, %b: !batch, %c: !batch) -> {grid_type} {{
  %c128 = arith.constant 128 : index
  %matrices = tile.view_size %c, 0 : !batch
  %m = tile.view_size %c, 1 : !batch
  %n = tile.view_size %c, 2 : !batch
  %tiles_m = arith.ceildivsi %m, %c128 : index
  %tiles_n = arith.ceildivsi %n, %c128 : index
{grid}
}}
"""


def batched_plain():
    """Rows, columns and the batch are an axis each."""
    return BATCHED.format(
        place="  %row = tile.program_id x\n  %column = tile.program_id y\n  %matrix = tile.program_id z",
        grid_type="(index, index, index)",
        grid="  return %tiles_m, %tiles_n, %matrices : index, index, index",
    )


def batched_by_hand(group=8):
    """The flat form with groups of rows that an expert writes for the sake of L2, the batch on an axis of its own."""
    return BATCHED.format(
        place=f"""
  %m = tile.view_size %c, 1 : !batch
  %n = tile.view_size %c, 2 : !batch
  %tiles_m = arith.ceildivsi %m, %c128 : index
  %tiles_n = arith.ceildivsi %n, %c128 : index
  %id = tile.program_id x
  %matrix = tile.program_id y
  %group = arith.constant {group} : index
  %in_group = arith.muli %tiles_n, %group overflow<nsw> : index
  %group_id = arith.divsi %id, %in_group : index
  %first = arith.muli %group_id, %group overflow<nsw> : index
  %left = arith.subi %tiles_m, %first overflow<nsw> : index
  %height = arith.minsi %left, %group : index
  %in = arith.remsi %id, %in_group : index
  %row_in = arith.remsi %in, %height : index
  %row = arith.addi %first, %row_in overflow<nsw> : index
  %column = arith.divsi %in, %height : index""",
        grid_type="(index, index)",
        grid="  %tiles = arith.muli %tiles_m, %tiles_n : index\n  return %tiles, %matrices : index, index",
    )


def steady_loop(text, entry, *options):
    """The counts of the one loop with products of a version of a kernel."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matmul.mlir")
        with open(path, "w") as file:
            file.write(text)
        status, out, err = commands.run("tile-compile", path, "--emit=ptx", "-o", "-", *options)
        assert status == 0, err
    found = [loop for loop in ptx.loops(ptx.entry(out, entry)) if any("mma" in line for line in loop)]
    assert len(found) == 1, f"{len(found)} loops with products"
    return ptx.count(found[0])


class MaskedK(unittest.TestCase):
    def test_whole_tiles(self):
        found = steady_loop(plain(), "matmul__v0_even")
        self.assertEqual(found, STEADY)
        self.assertEqual(steady_loop(whole_by_hand(), "matmul"), found)

    def test_rows_and_columns_checked(self):
        # Only what runs along K is free: the loop has as many accesses, and predicates for the other dimension.
        found = steady_loop(plain(), "matmul__v0_even_steps")
        self.assertEqual(found, {**STEADY, "predicated": 16})

    def test_any_k(self):
        # The expert's loop has no check along K; nor has the plain kernel's where the guard of whole steps holds.
        by_hand = steady_loop(peeled_by_hand(), "matmul__v0")
        self.assertEqual(by_hand, {**STEADY, "predicated": 16})
        self.assertEqual(steady_loop(plain(), "matmul__v0_even_steps"), by_hand)

    def test_results(self):
        forms = [tilewright.compile(text()) for text in (plain, peeled_by_hand)]
        whole = tilewright.compile(whole_by_hand())
        sizes = ((128, 128, 0), (128, 256, 64), (256, 128, 192), (100, 130, 1), (1, 1, 63), (129, 40, 65), (64, 8, 200))
        for m, n, k in sizes:
            random = np.random.default_rng(m + n + k)
            a, b = random.integers(-4, 5, (m, k)), random.integers(-4, 5, (k, n))
            expected = (a @ b).astype(np.float16)
            modules = forms + ([whole] if m % 128 == n % 128 == k % 64 == 0 and k else [])
            for backend in arrays.backends():
                for number, module in enumerate(modules):
                    with self.subTest(m=m, n=n, k=k, form=number, backend=backend):
                        c = arrays.Output((m, n), np.float16)
                        module["matmul"](a.astype(np.float16), b.astype(np.float16), c.array, backend=backend)
                        arrays.assert_same_bits(c.array, expected)
                        c.check_border()


class ThreeAxes(unittest.TestCase):
    def test_counts(self):
        found = steady_loop(batched_plain(), "matmul__v0_even")
        self.assertEqual(found, STEADY)
        # Rows and columns that come from divisions are proved to lie inside like those of the plain form.
        for group in (8, 3):
            self.assertEqual(steady_loop(batched_by_hand(group), "matmul__v0_even"), found)

    def test_results(self):
        modules = [tilewright.compile(text) for text in (batched_plain(), batched_by_hand(8), batched_by_hand(3))]
        for batch, m, n, k in ((2, 128, 256, 64), (3, 300, 140, 70), (1, 1, 1, 1), (2, 640, 129, 64), (0, 5, 5, 5)):
            random = np.random.default_rng(m + n + k)
            a, b = random.integers(-4, 5, (batch, m, k)), random.integers(-4, 5, (batch, k, n))
            expected = (a @ b).astype(np.float16)
            for backend in arrays.backends():
                for number, module in enumerate(modules):
                    with self.subTest(batch=batch, m=m, n=n, k=k, form=number, backend=backend):
                        c = arrays.Output((batch, m, n), np.float16)
                        module["matmul"](a.astype(np.float16), b.astype(np.float16), c.array, backend=backend)
                        arrays.assert_same_bits(c.array, expected)
                        c.check_border()


if __name__ == "__main__":
    unittest.main()
