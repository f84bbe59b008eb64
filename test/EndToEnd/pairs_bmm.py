# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Batched products with each combination of transposes, written with permutes and by hand with permuted views: the
steady loops have the same instructions by kind."""

import itertools
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

KERNEL = """
!in = !tile.view<?x?x?x{memory}, strides = [?, ?, 1]>
!in_t = !tile.view<?x?x?x{memory}, strides = [?, 1, ?]>
!out = !tile.view<?x?x?xf16, strides = [?, ?, 1]>
!out_t = !tile.view<?x?x?xf16, strides = [?, 1, ?]>

func.func @bmm(%a: !in {{tile.name = "a"}}, %b: !in {{tile.name = "b"}}, %c: !out {{tile.name = "c"}})
    attributes {{tile.kernel, tile.grid = @bmm_grid}} {{
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = tile.view_size %a, {k_dim} : !in
  %m = tile.program_id x
  %n = tile.program_id y
  %z = tile.program_id z
  %i = arith.muli %m, %c64 overflow<nsw> : index
  %j = arith.muli %n, %c64 overflow<nsw> : index
  %sum = scf.for %kk = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {{
{load_a}
{load_b}
    %next = tile.dot %lhs, %rhs, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }}
  %result = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
{store}
  return
}}

func.func @bmm_grid(%a: !in, %b: !in, %c: !out) -> (index, index, index) {{
  %c64 = arith.constant 64 : index
  %batch = tile.view_size %c, 0 : !out
  %m = tile.view_size %c, {m_dim} : !out
  %n = tile.view_size %c, {n_dim} : !out
  %tiles_m = arith.ceildivsi %m, %c64 : index
  %tiles_n = arith.ceildivsi %n, %c64 : index
  return %tiles_m, %tiles_n, %batch : index, index, index
}}
"""


def load(name, view, offsets, shape, is_transposed, is_plain, memory):
    """A tile of `shape` in f16 from a view whose rows are the tile's columns if `is_transposed`."""
    rows, columns = shape
    lines = []
    turned = is_transposed and is_plain
    if is_transposed and not is_plain:
        lines.append(f"    %{name}_view = tile.permute_view {view} [0, 2, 1] : !in to !in_t")
        view, type = f"%{name}_view", "!in_t"
    else:
        type = "!in"
    if turned:
        rows, columns, offsets = columns, rows, offsets[::-1]
    where = ", ".join(offsets)
    tile = f"tensor<{rows}x{columns}x{memory}>"
    lines.append(f"    %{name}_0 = tile.load {view}[%z, {where}] dims [1, 2] pad(zero) : {type} -> {tile}")
    last = f"%{name}_0"
    if memory != "f16":
        lines.append(f"    %{name}_1 = arith.truncf {last} : {tile} to tensor<{rows}x{columns}xf16>")
        last = f"%{name}_1"
    if turned:
        lines.append(
            f"    %{name} = tile.permute {last} [1, 0] : tensor<{rows}x{columns}xf16> -> tensor<{columns}x{rows}xf16>"
        )
        return "\n".join(lines)
    return "\n".join(lines).replace(last + " =", f"%{name} =")


def store(is_transposed, is_plain):
    if not is_transposed:
        return "  tile.store %result, %c[%z, %i, %j] dims [1, 2] : tensor<64x64xf16>, !out"
    if is_plain:
        return (
            "  %turned = tile.permute %result [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>\n"
            "  tile.store %turned, %c[%z, %j, %i] dims [1, 2] : tensor<64x64xf16>, !out"
        )
    return (
        "  %ct = tile.permute_view %c [0, 2, 1] : !out to !out_t\n"
        "  tile.store %result, %ct[%z, %i, %j] dims [1, 2] : tensor<64x64xf16>, !out_t"
    )


def kernel(a, b, c, is_plain, memory="f16"):
    return KERNEL.format(
        memory=memory,
        k_dim=1 if a else 2,
        m_dim=2 if c else 1,
        n_dim=1 if c else 2,
        load_a=load("lhs", "%a", ["%i", "%kk"], (64, 32), a, is_plain, memory),
        load_b=load("rhs", "%b", ["%kk", "%j"], (32, 64), b, is_plain, memory),
        store=store(c, is_plain),
    )


def steady_loop(text):
    """The counts of the one loop of the fastest variant."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bmm.mlir")
        with open(path, "w") as file:
            file.write(text)
        status, out, err = commands.run("tile-compile", path, "--emit=ptx", "-o", "-")
        assert status == 0, err
    found = [loop for loop in ptx.loops(ptx.entry(out, "bmm__v0")) if any("mma" in line for line in loop)]
    assert len(found) == 1, f"{len(found)} loops with products"
    return ptx.count(found[0])


class PairsBmm(unittest.TestCase):
    def test_counts(self):
        for memory in ("f16", "f32"):
            for a, b, c in itertools.product((False, True), repeat=3):
                with self.subTest(memory=memory, a=a, b=b, c=c):
                    plain = steady_loop(kernel(a, b, c, True, memory))
                    by_hand = steady_loop(kernel(a, b, c, False, memory))
                    self.assertEqual(plain, by_hand)
                    self.assertGreater(plain["mma"], 0)
                    # Memory is read in the widest accesses, whichever way it lies; nothing goes through shuffles.
                    # 4 warps: 64x32 and 32x64 elements, 16 bytes a thread at once.
                    elements = 2 * 64 * 32
                    wide = elements * (2 if memory == "f16" else 4) // 16 // 128
                    self.assertEqual(plain["load of 16 bytes"], wide, plain)
                    self.assertEqual(plain["shuffle"] + plain["local"], 0, plain)

    def test_results(self):
        random = np.random.default_rng(1)
        x, y = (random.integers(-4, 5, shape) for shape in ((2, 70, 45), (2, 45, 66)))
        expected = x @ y
        for a, b, c in itertools.product((False, True), repeat=3):
            for disabled in ([], ["tile-fold-transpose"], ["tile-fold-transpose", "canonicalize"]):
                with self.subTest(a=a, b=b, c=c, disabled=disabled):
                    module = tilewright.compile(kernel(a, b, c, True), disable_pass=disabled)
                    arguments = [
                        np.ascontiguousarray(v.swapaxes(1, 2) if turn else v).astype(np.float16)
                        for v, turn in ((x, a), (y, b))
                    ]
                    result = expected.swapaxes(1, 2) if c else expected
                    for backend in arrays.backends():
                        out = arrays.Output(result.shape, np.float16)
                        module["bmm"](*arguments, out.array, backend=backend)
                        arrays.assert_same_bits(np.array(out.array), result.astype(np.float16))
                        out.check_border()


if __name__ == "__main__":
    unittest.main()
