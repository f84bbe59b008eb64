# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Kernels with other tile extents than they were written with give the same elements, or are refused.

Products of small integers are exact, so those are equal to NumPy bit for bit; sums of real numbers are taken in another
order and are compared within the rounding of their type.
"""

import glob
import os
import re
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import commands
import elements
import tilewright

EXTENTS = (1, 17, 100, 257)


def integers(shape, seed=0):
    return np.random.default_rng(seed + sum(shape)).integers(-4, 5, shape).astype(np.float16)


def resizable(remarks):
    """Names of the classes that any extent can replace, and of those that divisors can, with their kernels and extents."""
    found = []
    for remark in remarks:
        match = re.search(r"(.*) has the extent (\d+), which (any|divisors) can replace", remark["message"])
        if remark["pass"] == "tile-choose-extents" and match:
            found.append((remark["function"], match[1].split(" = ")[0], int(match[2]), match[3] == "any"))
    return found


class Matmul(unittest.TestCase):
    def check(self, module, sizes, layout="C"):
        m, n, k = sizes
        a, b = integers((m, k), 1), integers((k, n), 2)
        expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16)
        for backend in arrays.backends():
            c = arrays.Output((m, n), np.float16, layout)
            module["matmul"](arrays.strided(a, layout), arrays.strided(b, layout), c.array, backend=backend)
            arrays.assert_same_bits(c.array, expected, f"{sizes} {layout} on {backend}")
            c.check_border()

    def sizes(self, turn):
        """Each extent for each size, in few launches; K = 0 and nothing to do at all."""
        count = len(EXTENTS)
        for i in range(count):
            yield EXTENTS[i], EXTENTS[(i + turn) % count], EXTENTS[(i + 2 * turn + 1) % count]
        yield 100, 257, 0
        yield 0, 17, 100
        yield 17, 0, 1

    def test_tiles(self):
        for turn, (extents, options) in enumerate(
            (
                ({"M": 64, "N": 64}, {}),
                ({"M": 128, "N": 256}, {"num_warps": 8}),
                ({"M": 192, "N": 128}, {}),
                ({"M": 128, "N": 208}, {"num_warps": 8}),
                ({"K": 16}, {}),
                ({"K": 32}, {}),
                ({"K": 128}, {}),
                ({"M": 16, "N": 48, "K": 80}, {}),
            )
        ):
            module = arrays.example("matmul", extents=extents, lazy=arrays.LAZY, **options)
            for sizes in self.sizes(turn % 4):
                with self.subTest(extents=extents, sizes=sizes):
                    self.check(module, sizes, arrays.LAYOUTS[turn % 4])

    def test_sizes_that_differ_are_refused(self):
        # The zeros behind the end of a would meet numbers of b.
        module = arrays.example("matmul", extents={"K": 48}, lazy=arrays.LAZY)
        a, b, c = integers((20, 100)), integers((101, 20)), np.zeros((20, 20), np.float16)
        with self.assertRaisesRegex(tilewright.LaunchError, "size of dim 0 of b must be at most what is walked along K"):
            module["matmul"](a, b, c, backend="emulator")
        module["matmul"](a, b[:99], c, backend="emulator")
        expected = a[:, :99].astype(np.float64) @ b[:99].astype(np.float64)
        arrays.assert_same_bits(c, expected.astype(np.float16))
        # Blocks of a divisor end sooner, unless the walk is whole blocks of the old extent.
        module = arrays.example("matmul", extents={"K": 32}, lazy=arrays.LAZY)
        with self.assertRaisesRegex(tilewright.LaunchError, "walked along K, or that a multiple of 64, whose extent"):
            module["matmul"](a, b, c, backend="emulator")
        a, b = integers((20, 128)), integers((150, 20))
        module["matmul"](a, b, c, backend="emulator")
        arrays.assert_same_bits(c, (a.astype(np.float64) @ b[:128].astype(np.float64)).astype(np.float16))


# The sum from %from to END, and one more for each element of a block, also for those behind the end.
COUNT = """\
  %zero = arith.constant 0.0 : f32
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %sum = scf.for %i = %from to END step %c64 iter_args(%acc = %zero) -> (f32) {
    %v = tile.load %x[%i] pad(zero) : !v -> tensor<64xf32>
    %more = arith.addf %v, %one : tensor<64xf32>
    %total = tile.reduce %more dim 0 : tensor<64xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    }
    %next = arith.addf %acc, %total : f32
    scf.yield %next : f32
  }
  %tile = tile.splat %sum : f32 -> tensor<1xf32>
"""

ENDS = """
!v = !tile.view<?xf32, strides = [1]>
// One more for each element of a block, also for those behind the end.
func.func @count(%x: !v {tile.name = "x"}, %out: !v, %from: index) attributes {tile.kernel, tile.grid = @one} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = tile.view_size %x, 0 : !v
""" + COUNT.replace("END", "%n") + """\
  tile.store %tile, %out[%c0] : tensor<1xf32>, !v
  return
}
func.func @one(%x: !v, %out: !v, %from: index) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
// Fills up the last block behind what it copies.
func.func @copy(%x: !v {tile.name = "x"}, %out: !v) attributes {tile.kernel, tile.grid = @blocks} {
  %c64 = arith.constant 64 : index
  %id = tile.program_id x
  %i = arith.muli %id, %c64 overflow<nsw> : index
  %v = tile.load %x[%i] pad(zero) : !v -> tensor<64xf32>
  tile.store %v, %out[%i] : tensor<64xf32>, !v
  return
}
func.func @blocks(%x: !v, %out: !v) -> index {
  %c64 = arith.constant 64 : index
  %n = tile.view_size %x, 0 : !v
  %t = arith.ceildivsi %n, %c64 : index
  return %t : index
}
"""


class Ends(unittest.TestCase):
    """Results that show how much of the last block is behind the end."""

    def test_what_shows_the_end_is_the_same_or_refused(self):
        old, new = (tilewright.compile(ENDS, lazy=arrays.LAZY, extents=extents) for extents in ({}, {"x.0": 16}))
        for size, first in ((0, 0), (5, 9), (100, 0), (112, 0), (128, 0), (100, 36), (100, -28), (128, 1)):
            for room in (size, 200):
                with self.subTest(size=size, first=first, room=room):
                    x = np.arange(size, dtype=np.float32)
                    isWhole = max(size - first, 0) % 64 == 0
                    self.compare(old["count"], new["count"], (x, np.zeros(1, np.float32), first), isWhole)
                    isSame = size % 64 == 0 or room <= size
                    self.compare(old["copy"], new["copy"], (x, np.full(room, 7, np.float32)), isSame)

    def compare(self, old, new, arguments, isSame):
        before = arguments[1].copy()
        if not isSame:
            with self.assertRaisesRegex(tilewright.LaunchError, "a multiple of 64, whose extent was set to 16"):
                new(*arguments, backend="emulator")
            np.testing.assert_array_equal(arguments[1], before)
            return
        old(*arguments, backend="emulator")
        expected = arguments[1].copy()
        arguments[1][...] = before
        new(*arguments, backend="emulator")
        np.testing.assert_array_equal(arguments[1], expected)


HORIZON = """
!v = !tile.view<?xf32, strides = [1]>
// As `count`, but each program has an end of its own.
func.func @count(%x: !v {tile.name = "x"}, %out: !v, %from: index, %shift: index)
    attributes {tile.kernel, tile.grid = @three} {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %n = tile.view_size %x, 0 : !v
  %p = tile.program_id x
  %first = arith.muli %p, %c128 : index
  %horizon = arith.addi %first, %shift : index
  %end = arith.minsi %n, %horizon : index
""" + COUNT.replace("END", "%end") + """\
  tile.store %tile, %out[%p] : tensor<1xf32>, !v
  return
}
func.func @three(%x: !v, %out: !v, %from: index, %shift: index) -> index {
  %c3 = arith.constant 3 : index
  return %c3 : index
}
"""


class Horizons(unittest.TestCase):
    """Walks whose end each program has by itself, as with a causal mask."""

    def test_the_same_or_refused(self):
        old, new = (tilewright.compile(HORIZON, lazy=arrays.LAZY, extents=extents) for extents in ({}, {"x.0": 16}))
        ran = refused = 0
        for size in (0, 63, 64, 128, 200, 256, 320):
            for first, shift in ((0, 0), (0, 64), (0, -64), (0, 20), (10, 10), (10, 74), (0, -300), (74, 10), (300, -20)):
                arguments = np.arange(size, dtype=np.float32), first, shift
                results = []
                for module in (old, new):
                    out = np.full(3, np.nan, np.float32)
                    try:
                        module["count"](arguments[0], out, *arguments[1:], backend="emulator")
                        results.append(out)
                    except tilewright.LaunchError as error:
                        self.assertIs(module, new)
                        self.assertRegex(str(error), "what is walked along x.0 must be a multiple of 64, whose extent was set to 16")
                isWhole = max(size - first, 0) % 64 == 0 and (shift - first) % 64 == 0
                with self.subTest(size=size, first=first, shift=shift):
                    self.assertEqual(len(results), 2 if isWhole else 1)
                    np.testing.assert_array_equal(results[0], results[-1])
                ran, refused = ran + isWhole, refused + (not isWhole)
        self.assertGreater(min(ran, refused), 10)

    def test_causal_attention(self):
        # What is not seen must not show, whatever it is: infinite values times weights of zero would.
        old, new = (arrays.example("attention", lazy=arrays.LAZY, kernel="attention_causal", extents=e) for e in ({}, {"N0": 32}))
        for queries, keys in ((64, 64), (192, 256), (100, 164), (100, 100), (190, 200)):
            random = np.random.default_rng(queries + keys)
            q, k, v = (random.integers(-2, 3, (1, 1, size, 64)).astype(np.float16) for size in (queries, keys, keys))
            v[0, 0, 165:180] = np.inf
            results = [np.zeros(q.shape, np.float16) for _ in range(2)]
            with self.subTest(queries=queries, keys=keys):
                old["attention_causal"](q, k, v, results[0], 0.0, backend="emulator")
                if keys % 64 == 0 and (keys - queries) % 64 == 0:
                    new["attention_causal"](q, k, v, results[1], 0.0, backend="emulator")
                    np.testing.assert_array_equal(*results)
                    continue
                with self.assertRaisesRegex(tilewright.LaunchError, "walked along N0 must be a multiple of 64, whose extent was set"):
                    new["attention_causal"](q, k, v, results[1], 0.0, backend="emulator")

    def test_what_memory_says_keeps_its_extent(self):
        text = HORIZON.replace("%horizon = arith.addi %first, %shift : index", """
  %t = tile.load %x[%p] : !v -> tensor<1xf32>
  %f = tile.to_scalar %t : tensor<1xf32>
  %l = arith.fptosi %f : f32 to i32
  %horizon = arith.index_cast %l : i32 to index""")
        with self.assertRaisesRegex(tilewright.CompileError, "only 64 can be: .*only the device knows whether whole blocks of 64"):
            tilewright.compile(text, lazy=arrays.LAZY, extents={"x.0": 16})


class Bmm(unittest.TestCase):
    def test_three_axes(self):
        for extents in ({"M": 64, "N": 48, "K": 16}, {"N": 192}, {"K": 96}):
            module = arrays.example("bmm", extents=extents, lazy=arrays.LAZY)
            for shape in ((3, 100, 17, 257), (1, 257, 100, 1), (2, 1, 1, 100), (2, 17, 33, 0), (0, 5, 5, 5)):
                batch, m, n, k = shape
                a, b = integers((batch, m, k), 3), integers((batch, k, n), 4)
                c = arrays.Output((batch, m, n), np.float16)
                bt = np.ascontiguousarray(b.swapaxes(1, 2)).swapaxes(1, 2)
                module["bmm"](a, bt, c.array, backend="emulator")
                expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16)
                arrays.assert_same_bits(c.array, expected, f"{extents} {shape}")
                c.check_border()


EPILOGUE = """
  %bias_row = tile.load %bias[%j] pad(zero) : !vec -> tensor<128xf16>
  %bias_wide = arith.extf %bias_row : tensor<128xf16> to tensor<128xf32>
  %bias_2d = tile.reshape %bias_wide : tensor<128xf32> -> tensor<1x128xf32>
  %bias_all = tile.broadcast %bias_2d : tensor<1x128xf32> -> tensor<128x128xf32>
  %biased = arith.addf %sum, %bias_all : tensor<128x128xf32>
  %floor = arith.constant dense<0.0> : tensor<128x128xf32>
  %relu = arith.maximumf %biased, %floor : tensor<128x128xf32>
  %result = arith.truncf %relu : tensor<128x128xf32> to tensor<128x128xf16>
"""


class Epilogue(unittest.TestCase):
    """A bias and a clamp behind the product; programs numbered along one axis by hand."""

    CHANGES = (
        ("!mat = ", "!vec = !tile.view<?xf16, strides = [?]>\n!mat = "),
        ('%c: !mat {tile.name = "c"})', '%c: !mat {tile.name = "c"}, %bias: !vec {tile.name = "bias"})'),
        ("%a: !mat, %b: !mat, %c: !mat)", "%a: !mat, %b: !mat, %c: !mat, %bias: !vec)"),
        ("  %result = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>\n", EPILOGUE),
    )
    FLAT = (
        (
            "  %program_m = tile.program_id x\n  %program_n = tile.program_id y\n",
            "  %program = tile.program_id x\n  %n = tile.view_size %c, 1 : !mat\n"
            "  %c127 = arith.constant 127 : index\n  %n_up = arith.addi %n, %c127 : index\n"
            "  %tiles = arith.divsi %n_up, %c128 : index\n"
            "  %program_m = arith.divsi %program, %tiles : index\n"
            "  %program_n = arith.remsi %program, %tiles : index\n",
        ),
        ("-> (index, index) {", "-> index {"),
        ("%tiles_n = arith.ceildivsi %n, %c128 : index", "%c127 = arith.constant 127 : index\n"
         "  %n_up = arith.addi %n, %c127 : index\n  %tiles_n = arith.divsi %n_up, %c128 : index"),
        ("  return %tiles_m, %tiles_n : index, index", "  %p = arith.muli %tiles_m, %tiles_n : index\n  return %p : index"),
    )

    def test_epilogue(self):
        for changes in (self.CHANGES, self.CHANGES + self.FLAT):
            for extents in ({"M": 48, "N": 64}, {"N": 80, "K": 32}):
                module = elements.compile("matmul", changes=changes, extents=extents, lazy=arrays.LAZY)
                for m, n, k in ((100, 257, 17), (257, 17, 1), (1, 100, 0)):
                    a, b, bias = integers((m, k), 5), integers((k, n), 6), integers((n,), 7)
                    product = a.astype(np.float64) @ b.astype(np.float64)
                    expected = np.maximum(product + bias.astype(np.float64), 0)
                    c = arrays.Output((m, n), np.float16)
                    module["matmul"](a, b, c.array, bias, backend="emulator")
                    arrays.assert_same_bits(c.array, expected.astype(np.float16), f"{extents} {(m, n, k)}")
                    c.check_border()


class Rows(unittest.TestCase):
    """Kernels that walk rows with programs and columns with a loop."""

    def rows(self, name, expected, *inputs, extents, tolerance, out="f16", scalars=()):
        module = arrays.example(name, extents=extents, lazy=arrays.LAZY)
        y = arrays.Output(expected.shape, elements.DTYPES[out])
        module[name](*inputs, y.array, *scalars, backend="emulator")
        arrays.assert_close(y.array, expected, tolerance, tolerance, f"{name} {extents} {expected.shape}")
        y.check_border()

    def test_softmax(self):
        for shape in ((1, 1), (17, 257), (100, 100), (3, 1000), (0, 5), (5, 0)):
            x = np.random.default_rng(1).normal(0, 3, shape).astype(np.float32)
            e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True, initial=-np.inf))
            expected = e / e.sum(axis=1, keepdims=True)
            for extents in ({"x.0": 16}, {"x.1": 48}, {"x.0": 1, "x.1": 64}, {"x.1": 512}):
                self.rows("softmax", expected, x, extents=extents, tolerance=1e-5, out="f32")

    def test_norms(self):
        for shape in ((1, 1), (17, 100), (3, 1500), (0, 5)):
            random = np.random.default_rng(2)
            x, w, b = (random.normal(0, 1, s).astype(np.float16) for s in (shape, shape[1:], shape[1:]))
            wide = x.astype(np.float64)
            mean, var = wide.mean(axis=1, keepdims=True), wide.var(axis=1, keepdims=True)
            for rows in (1, 4, 3):
                self.rows(
                    "layernorm", (wide - mean) / np.sqrt(var + 1e-5) * w + b, x, w, b,
                    extents={"x.0": rows}, tolerance=4e-3, scalars=(1e-5,),
                )  # fmt: skip
                square = (wide * wide).mean(axis=1, keepdims=True)
                self.rows(
                    "rmsnorm", wide / np.sqrt(square + 1e-5) * w, x, w,
                    extents={"x.0": rows}, tolerance=4e-3, scalars=(1e-5,),
                )  # fmt: skip

    def test_cat(self):
        for shape in ((1, 1), (17, 100), (100, 257), (0, 3), (3, 0)):
            values = integers(shape)
            for extents in ({"from.0": 48}, {"from.1": 16}, {"from.0": 1, "from.1": 200}):
                to = arrays.Output((shape[0], shape[1] + 30), np.float16)
                before = to.array.copy()
                module = arrays.example("cat", extents=extents, lazy=arrays.LAZY)
                module["cat"](values, to.array, 20, backend="emulator")
                before[:, 20 : 20 + shape[1]] = values
                np.testing.assert_array_equal(to.array, before, f"{extents} {shape}")
                to.check_border()

    def test_rows_beside_the_walk_are_refused(self):
        # Blocks of 4 rows would write behind the rows that are asked for.
        module = arrays.example("softmax", extents={"x.0": 16}, lazy=arrays.LAZY)
        with self.assertRaisesRegex(tilewright.LaunchError, "size of dim 0 of y must be at most"):
            module["softmax"](np.zeros((4, 8), np.float32), np.zeros((8, 8), np.float32), backend="emulator")


class EveryExample(unittest.TestCase):
    """Each class of each example at several extents, as the header runs it, against the kernel as it is written."""

    def run_command(self, path, words, place, name, *options):
        with tempfile.TemporaryDirectory() as folder:
            words[place] = f"{name}={folder}/out.npy"
            status, _, error = commands.run("tile-run", path, "--backend=emulator", *words, *options)
            self.assertEqual(status, 0, error)
            return np.load(f"{folder}/out.npy")

    def test_examples(self):
        resized = set()
        for path in sorted(glob.glob(os.path.join(arrays.EXAMPLES, "*.mlir"))):
            example = os.path.basename(path)[: -len(".mlir")]
            words, place, name, kernel = commands.header_command(path)
            classes = [c for c in resizable(tilewright.compile(path, lazy=arrays.LAZY).remarks) if kernel in (None, c[0])]
            expected = None
            for function, label, old, isAny in classes:
                for extent in (16, 48, 64):
                    if extent == old or (not isAny and old % extent != 0):
                        continue
                    if expected is None:
                        expected = self.run_command(path, words, place, name)
                    with self.subTest(example, label=label, extent=extent):
                        actual = self.run_command(
                            *(path, words, place, name, f"--extents={label}:{extent}"),
                            *([] if kernel else [f"--kernel={function}"]),
                        )
                        if expected.dtype.kind == "f":
                            arrays.assert_close(actual, expected, 4e-3, 4e-3, example)
                        else:
                            np.testing.assert_array_equal(actual, expected)
                        resized.add(f"{example} {label}")
        self.assertIn("matmul K", resized)
        self.assertIn("attention M", resized)
        self.assertGreater(len(resized), 15, sorted(resized))


if __name__ == "__main__":
    unittest.main()
