# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Host functions: sequences of launches, one by one and merged by tile-batch-launches, against NumPy."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import tilewright


def cat_source(count, attributes=" {tile.independent}"):
    """examples/cat.mlir and a host function that concatenates `count` tensors along their columns."""
    parameters = [f'%from{i}: !mat {{tile.name = "from{i}"}}' for i in range(count)] + ['%to: !mat {tile.name = "to"}']
    lines = [f"func.func @cat_all({', '.join(parameters)}) {{", "  %offset0 = arith.constant 0 : index"]
    for i in range(count):
        lines += [
            f"  tile.launch @cat(%from{i}, %to, %offset{i}){attributes} : (!mat, !mat, index) -> ()",
            f"  %width{i} = tile.view_size %from{i}, 1 : !mat",
            f"  %offset{i + 1} = arith.addi %offset{i}, %width{i} : index",
        ]
    return elements.source("cat") + "\n".join(lines + ["  return", "}", ""])


def launches(module, host):
    """The kernels that a host function launches, in order."""
    (plan,) = [kernel for kernel in module.plan["kernels"] if kernel["name"] == host]
    return [step["kernel"] for step in plan["steps"]]


class Cat(unittest.TestCase):
    def check(self, module, parts, layout="C"):
        expected = np.concatenate(parts, axis=1)
        for backend in arrays.backends():
            to = arrays.Output(expected.shape, np.float16, layout)
            module["cat_all"](*[arrays.strided(part, layout) for part in parts], to.array, backend=backend)
            arrays.assert_same_bits(to.array, expected, f"{len(parts)} tensors, {layout}")
            to.check_border()

    def parts(self, rows, widths):
        random = np.random.default_rng(len(widths))
        return [random.integers(-100, 100, (rows, width)).astype(np.float16) for width in widths]

    def widths(self, count):
        """Some wider than a tile, some narrow, some empty."""
        return [(17, 130, 0, 64, 1, 8, 300)[i % 7] for i in range(count)]

    def test_counts(self):
        for count, merged in ((2, ["cat_batch2"]), (4, ["cat_batch4"]), (7, ["cat_batch7"])):
            module = tilewright.compile(cat_source(count), lazy=arrays.LAZY)
            self.assertEqual(launches(module, "cat_all"), merged)
            for layout in arrays.LAYOUTS:
                self.check(module, self.parts(33, self.widths(count)), layout)
            self.check(module, self.parts(16, [64] * count))  # Aligned throughout.
            self.check(module, self.parts(0, [64] * count))
            self.check(module, self.parts(5, [0] * count))

    def test_one_hundred(self):
        # 48 bytes of parameters for each and 40 for all: fewer than 100 fit into 4096, so two halves.
        module = tilewright.compile(cat_source(100), lazy=arrays.LAZY)
        self.assertEqual(launches(module, "cat_all"), ["cat_batch50", "cat_batch50"])
        self.check(module, self.parts(20, self.widths(100)))

    def test_one_by_one(self):
        module = tilewright.compile(cat_source(7), lazy=arrays.LAZY, disable_pass=["tile-batch-launches"])
        self.assertEqual(launches(module, "cat_all"), ["cat"] * 7)
        self.check(module, self.parts(33, self.widths(7)))
        # Nobody says that the launches do not depend on each other.
        module = tilewright.compile(cat_source(3, attributes=""), lazy=arrays.LAZY)
        self.assertEqual(launches(module, "cat_all"), ["cat"] * 3)
        self.check(module, self.parts(33, self.widths(3)))

    def test_with_other_passes(self):
        for options in ({"persistent": "always"}, {"max_variants": 1}, {"disable_pass": ["canonicalize", "cse"]}):
            module = tilewright.compile(cat_source(4), lazy=arrays.LAZY, **options)
            self.assertEqual(launches(module, "cat_all"), ["cat_batch4"])
            self.check(module, self.parts(33, self.widths(4)))

    def test_to_ptx(self):
        # Down to PTX: the select of arguments diverges nowhere, and a kernel keeps within its parameters.
        module = tilewright.compile(cat_source(4))
        self.check(module, self.parts(33, self.widths(4)))
        self.assertIn(".entry cat_batch4", module.ptx("cat_batch4", -1))
        self.assertEqual(module["cat_all"].parameters[-1].name, "to")

    def test_wrong_arguments(self):
        module = tilewright.compile(cat_source(2), lazy=arrays.LAZY)
        with self.assertRaisesRegex(tilewright.LaunchError, "kernel 'cat_all': parameter 'from1'"):
            module["cat_all"](*self.parts(3, [4]), np.zeros((3, 4), np.float32), np.zeros((3, 8), np.float16),
                              backend="emulator")  # fmt: skip


# Two kernels in turn, each of which needs what the one before wrote; views made on the host.
CHAIN = """
!v = !tile.view<?xf32, strides = [1]>
func.func @twice(%x: !v, %y: !v) attributes {tile.kernel, tile.grid = @grid} {
  %c64 = arith.constant 64 : index
  %p = tile.program_id x
  %i = arith.muli %p, %c64 : index
  %a = tile.load %x[%i] : !v -> tensor<64xf32>
  %b = arith.addf %a, %a : tensor<64xf32>
  tile.store %b, %y[%i] : tensor<64xf32>, !v
  return
}
func.func @grid(%x: !v, %y: !v) -> index {
  %c64 = arith.constant 64 : index
  %n = tile.view_size %y, 0 : !v
  %t = arith.ceildivsi %n, %c64 : index
  return %t : index
}
func.func @chain(%x: !v {tile.name = "x"}, %room: !tile.ptr<f32> {tile.name = "room"}, %y: !v {tile.name = "y"}) {
  %n = tile.view_size %x, 0 : !v
  %first = tile.make_view %room, sizes [%n] strides [] : !v
  %next = tile.ptr_add %room, %n : !tile.ptr<f32>, index
  %second = tile.make_view %next, sizes [%n] strides [] : !v
  tile.launch @twice(%x, %first) : (!v, !v) -> ()
  tile.launch @twice(%first, %second) : (!v, !v) -> ()
  tile.launch @twice(%second, %y) : (!v, !v) -> ()
  return
}
"""


class Chain(unittest.TestCase):
    def test_order_is_kept(self):
        module = tilewright.compile(CHAIN)
        self.assertEqual(launches(module, "chain"), ["twice"] * 3)
        for n in (0, 1, 64, 200):
            for backend in arrays.backends():
                x, y = np.arange(n, dtype=np.float32), np.full(n, np.nan, np.float32)
                room = np.full(max(2 * n, 1), np.nan, np.float32)
                module["chain"](x, room, y, backend=backend)
                np.testing.assert_array_equal(y, 8 * x)
                np.testing.assert_array_equal(room[: 2 * n], np.concatenate([2 * x, 4 * x]))

    def test_bench(self):
        module = tilewright.compile(CHAIN)
        x = np.ones(100, np.float32)
        times = module["chain"].benchmark(x, np.zeros(200, np.float32), x.copy(), backend="emulator", repeats=3)
        self.assertEqual(len(times), 3)

    def refuse(self, host, message):
        with self.assertRaisesRegex(tilewright.CompileError, message):
            tilewright.compile(CHAIN[: CHAIN.index("func.func @chain")] + host)

    def test_refused(self):
        self.refuse(
            "func.func @h(%x: !v, %y: !v, %c: i1) {\n"
            "  %z = arith.select %c, %x, %y : !v\n"
            "  tile.launch @twice(%x, %z) : (!v, !v) -> ()\n  return\n}\n",
            "cannot be part of a launch plan",
        )
        self.refuse(
            "func.func @h(%x: !v, %n: index) -> index {\n"
            "  tile.launch @twice(%x, %x) : (!v, !v) -> ()\n  return %n : index\n}\n",
            "expected a host function to be one block and to return nothing",
        )
        self.refuse(
            "func.func @h(%x: !v) {\n  %c0 = arith.constant 0 : index\n"
            "  %t = tile.load %x[%c0] : !v -> tensor<4xf32>\n  tile.store %t, %x[%c0] : tensor<4xf32>, !v\n"
            "  tile.launch @twice(%x, %x) : (!v, !v) -> ()\n  return\n}\n",
            "cannot be part of a launch plan: it has no expression",
        )
        self.refuse(
            "func.func @h(%x: !v) {\n  %n = tile.device_info max_ctas_per_sm\n"
            "  %p = tile.view_base %x : !v -> !tile.ptr<f32>\n  %v = tile.make_view %p, sizes [%n] strides [] : !v\n"
            "  tile.launch @twice(%x, %v) : (!v, !v) -> ()\n  return\n}\n",
            "expects a function of tile.grid to ask for max_ctas_per_sm, found the host function @h",
        )


if __name__ == "__main__":
    unittest.main()
