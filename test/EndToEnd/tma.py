# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""tile-insert-tma: one compiled module whose guard chooses the variant with tensor maps where every rule holds and another
elsewhere; both give what NumPy gives, bit for bit. A map that is illegal all the same is refused before the launch."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright


def integers(shape, seed, dtype=np.float16):
    """Small integers: every partial sum is exact, so any order of summation gives the same bits."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def placed(values, pitch_elements=None):
    """`values` in rows of `pitch_elements`, with poison between them."""
    values = np.asarray(values)
    columns = values.shape[-1]
    pitch = pitch_elements or columns
    room = np.full(values.shape[:-1] + (pitch,), arrays.poison(values.dtype), values.dtype)
    view = room[..., :columns]
    view[...] = values
    return view


def side_by_side(first, second, gap):
    """Both matrices in rows of one room, `first` at its begin and `second` `gap` elements behind whole 16 bytes. An array of its
    own is aligned on the device wherever it lies on the host; of arrays that share their memory, the distance stays."""
    unit = 16 // first.itemsize
    start = (first.shape[1] + unit - 1) // unit * unit + gap
    pitch = (start + second.shape[1] + unit - 1) // unit * unit
    room = placed(np.full((max(len(first), len(second)), pitch), arrays.poison(first.dtype), first.dtype))
    a, b = room[: len(first), : first.shape[1]], room[: len(second), start : start + second.shape[1]]
    a[...], b[...] = first, second
    return a, b


class Kernel:
    """A kernel compiled in mode guard, and beside it a spy: the same but for a constant of the variant with maps, so that
    its results say which variant ran."""

    def __init__(self, source, name, constant, spied):
        self.name = name
        self.module = tilewright.compile(source, tma="guard")
        command = ["tile-opt", "-", "--tile-insert-tma=mode=guard"]
        text = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
        head, body, tail = re.split(rf"(func\.func @{name}_tma\(.*?\n  \}}\n)", text, maxsplit=1, flags=re.DOTALL)
        assert body.count("tile.tma") and body.count(constant) == 1, body
        text = head + body.replace(constant, spied) + tail
        self.spy = tilewright.compile(text, disable_pass=["tile-specialize", "tile-specialize-even-k"])

    def run(self, out, *args):
        """Fills `out`, one of `args`, on each backend; True if the variant with maps was chosen each time."""
        before, chosen = out.copy(), set()
        for backend in arrays.backends():
            out[...] = before
            self.spy[self.name](*args, backend=backend)
            spied = out.copy()
            out[...] = before
            self.module[self.name](*args, backend=backend)
            chosen.add(not np.array_equal(spied, out, equal_nan=out.dtype.kind == "f"))
        assert len(chosen) == 1
        return chosen.pop()


def product(name):
    with open(os.path.join(arrays.EXAMPLES, name + ".mlir"), encoding="utf-8") as file:
        return Kernel(file.read(), name, "dense<0.000000e+00>", "dense<1.000000e+00>")


class Choice(unittest.TestCase):
    """Which variant runs, and that it is right."""

    @classmethod
    def setUpClass(cls):
        cls.matmul, cls.bmm = product("matmul"), product("bmm")

    def multiply(self, a, b, c):
        reference = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16)
        isMap = self.matmul.run(c, a, b, c)
        arrays.assert_same_bits(c, reference, "reference")
        return isMap

    def test_matmul_aligned(self):
        # Sizes that divide nothing, in rows that are padded to 16 bytes by poison: the map clips and fills.
        for m, n, k in ((1, 1, 1), (127, 129, 63), (128, 128, 64), (130, 7, 257), (300, 200, 100)):
            up = lambda x: (x + 7) // 8 * 8
            a = placed(integers((m, k), m), up(k))
            b = placed(integers((k, n), n + 1), up(n))
            c = placed(np.full((m, n), np.nan, np.float16), up(n))
            with self.subTest(m=m, n=n, k=k):
                isMap = self.multiply(a, b, c)
                if min(m, n, k) > 1:  # NumPy gives rows and columns of one element any stride.
                    self.assertTrue(isMap)

    def test_matmul_unaligned(self):
        m, n, k = 130, 136, 72
        a, b, c = integers((m, k), 1), integers((k, n), 2), np.full((m, n), np.nan, np.float16)
        self.assertTrue(self.multiply(placed(a), placed(b), placed(c)))
        cases = {
            "rows of a": (placed(a, 73), placed(b), placed(c)),
            "rows of b": (placed(a), placed(b, 140), placed(c)),
            "rows of c": (placed(a), placed(b), placed(c, 137)),
            "columns of a": (arrays.strided(a, "F"), placed(b), placed(c)),
            "reversed b": (placed(a), arrays.strided(b, "reversed"), placed(c)),
            "every second": (arrays.strided(a, "step"), placed(b), placed(c)),
        }
        for name, (x, y, z) in cases.items():
            with self.subTest(name):
                self.assertFalse(self.multiply(x, y, z))
        for gap, isMap in ((0, True), (1, False), (4, False), (8, True)):
            with self.subTest("bases", gap=gap):
                y, x = side_by_side(b, a, gap)
                self.assertEqual(self.multiply(x, y, placed(c)), isMap)
                x, y = side_by_side(a, b, gap)
                self.assertEqual(self.multiply(x, y, placed(c)), isMap)
                x, z = side_by_side(a, c, gap)
                self.assertEqual(self.multiply(x, placed(b), z), isMap)

    def test_empty(self):
        # A size of 0 can be in no map.
        c = placed(np.full((128, 128), np.nan, np.float16))
        a, b = placed(integers((128, 64), 1)), placed(integers((64, 128), 2))
        self.assertFalse(self.multiply(a[:, :0], b[:0, :], c))

    def test_bmm(self):
        for transposes in ((False, False), (True, False), (False, True)):
            x, y = integers((3, 100, 72), 5), integers((3, 72, 136), 6)
            reference = (x.astype(np.float64) @ y.astype(np.float64)).astype(np.float16)
            a = placed(x.transpose(0, 2, 1), 104).transpose(0, 2, 1) if transposes[0] else placed(x)
            b = placed(y.transpose(0, 2, 1)).transpose(0, 2, 1) if transposes[1] else placed(y)
            c = placed(np.full(reference.shape, np.nan, np.float16))
            with self.subTest(transposes=transposes):
                isMap = self.bmm.run(c, a, b, c)
                arrays.assert_same_bits(c, reference, "reference")
                # The unit stride that the guard asks for is that of the last dim.
                self.assertEqual(isMap, not any(transposes))

    def test_cat(self):
        # Parts that begin at whole 16 bytes of both arrays, and parts that do not.
        module = arrays.example("cat", tma="guard")
        for widths in ((64, 128), (32, 40, 8, 200), (30, 50), (64, 1, 64, 129)):
            parts = [placed(integers((33, width), width), (width + 15) // 8 * 8) for width in widths]
            for backend in arrays.backends():
                with self.subTest(widths=widths, backend=backend):
                    to, start = arrays.Output((33, sum(widths)), np.float16), 0
                    for part in parts:
                        module["cat"](part, to.array, start, backend=backend)
                        start += part.shape[1]
                    arrays.assert_same_bits(to.array, np.concatenate(parts, axis=1))
                    to.check_border()


TRANSPOSE = """
!row = !tile.view<?x?xf32, strides = [?, 1]>
!col = !tile.view<?x?xf32, strides = [1, ?]>
func.func @transpose(%v: !row {tile.name = "v"}, %w: !row {tile.name = "w"}) attributes {tile.kernel, tile.grid = @grid} {
  %c32 = arith.constant 32 : index
  %p = tile.program_id x
  %q = tile.program_id y
  %i = arith.muli %p, %c32 overflow<nsw> : index
  %j = arith.muli %q, %c32 overflow<nsw> : index
  %t = tile.permute_view %v [1, 0] : !row to !col
  %x = tile.load %t[%i, %j] pad(PAD) : !col -> tensor<32x32xf32>
  %one = arith.constant dense<1.0> : tensor<32x32xf32>
  %y = arith.mulf %x, %one : tensor<32x32xf32>
  tile.store %y, %w[%i, %j] : tensor<32x32xf32>, !row
  return
}
func.func @grid(%v: !row, %w: !row) -> (index, index) {
  %c32 = arith.constant 32 : index
  %m = tile.view_size %w, 0 : !row
  %n = tile.view_size %w, 1 : !row
  %a = arith.ceildivsi %m, %c32 : index
  %b = arith.ceildivsi %n, %c32 : index
  return %a, %b : index, index
}
"""

# Whether the select behind a load gives what the pad gave: rows beyond the view and columns before it.
PADS = {"zero": 0.0, "neg_zero": -0.0, "nan": np.nan, "pos_inf": np.inf, "neg_inf": -np.inf}


class Fill(unittest.TestCase):
    def test_transposed_with_every_pad(self):
        for pad, value in PADS.items():
            kernel = Kernel(TRANSPOSE.replace("PAD", pad), "transpose", "dense<1.000000e+00>", "dense<2.000000e+00>")
            for rows, columns in ((33, 40), (1, 8), (64, 32)):
                v = integers((rows, columns), rows, np.float32)
                # Larger than the transpose: what lies outside reads as the pad.
                expected = np.full((columns + 5, rows + 7), value, np.float32)
                expected[:columns, :rows] = v.T
                for aligned in (True, False):
                    x, w = side_by_side(v, np.full(expected.shape, 77, np.float32), 0 if aligned else 1)
                    with self.subTest(pad=pad, rows=rows, aligned=aligned):
                        isMap = kernel.run(w, x, w)
                        if rows > 1:
                            self.assertEqual(isMap, aligned)
                        np.testing.assert_array_equal(w, expected)
                        self.assertTrue((np.signbit(w) == np.signbit(expected))[~np.isnan(expected)].all())


# Views made from pointers: the guard asks for the integers and addresses that they are made from.
ROWS = """
!v = !tile.view<?x48xi32, strides = [?, 1]>
func.func @rows(%p: !tile.ptr<i32> {tile.name = "p"}, %out: !tile.ptr<i32> {tile.name = "out"}, %m: i32 {tile.name = "m"},
                %pitch: index {tile.name = "pitch"}, %skip: index {tile.name = "skip"}) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %id = tile.program_id x
  %i = arith.muli %id, %c16 overflow<nsw> : index
  %n = arith.index_cast %m : i32 to index
  %q = tile.ptr_add %p, %skip : !tile.ptr<i32>, index
  %v = tile.make_view %q, sizes [%n] strides [%pitch] : !v
  %w = tile.make_view %out, sizes [%n] strides [%pitch] : !v
  %x = tile.load %v[%i, %c0] pad(zero) : !v -> tensor<16x48xi32>
  %one = arith.constant dense<1> : tensor<16x48xi32>
  %y = arith.muli %x, %one : tensor<16x48xi32>
  tile.store %y, %w[%i, %c0] : tensor<16x48xi32>, !v
  return
}
func.func @grid(%p: !tile.ptr<i32>, %out: !tile.ptr<i32>, %m: i32, %pitch: index, %skip: index) -> index {
  %c16 = arith.constant 16 : index
  %n = arith.index_cast %m : i32 to index
  %g = arith.ceildivsi %n, %c16 : index
  return %g : index
}
"""


class Pointers(unittest.TestCase):
    def test_guard_of_integers(self):
        kernel = Kernel(ROWS, "rows", "dense<1>", "dense<2>")
        for m, pitch, skip, isMap in (
            (20, 48, 0, True),
            (20, 52, 8, True),
            (1, 48, 4, True),
            (20, 50, 0, False),  # 200 bytes
            (20, 48, 2, False),  # 8 bytes
            (20, 51, 3, False),
        ):
            source = placed(np.arange(24 * 64, dtype=np.int32).reshape(1, -1))[0]
            expected = np.zeros((m, 48), np.int32)
            for row in range(m):
                expected[row] = source[skip + row * pitch : skip + row * pitch + 48]
            with self.subTest(m=m, pitch=pitch, skip=skip):
                out = placed(np.full((1, 24 * 64), 7, np.int32))[0]
                self.assertEqual(kernel.run(out, source, out, m, pitch, skip), isMap)
                found = np.stack([out[row * pitch : row * pitch + 48] for row in range(m)])
                np.testing.assert_array_equal(found, expected)


# The program itself says that its load keeps the rules, and has no guard.
MARKED = """
!v = !tile.view<?x64xf16, strides = [?, 1]>
func.func @marked(%a: !v {tile.name = "a"}, %b: !v {tile.name = "b"}) attributes {tile.kernel, tile.grid = @grid} {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] {tile.tma} : !v -> tensor<16x64xf16>
  tile.store %x, %b[%c0, %c0] : tensor<16x64xf16>, !v
  return
}
func.func @grid(%a: !v, %b: !v) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
"""


class Refused(unittest.TestCase):
    def check(self, a, message, b=np.zeros((16, 64), np.float16)):
        module = tilewright.compile(MARKED, max_variants=1)
        with self.assertRaises(tilewright.LaunchError) as caught:
            module["marked"](a, b, backend="emulator")
        self.assertIn("kernel 'marked': descriptor 0 (a, tile.load at <text>:5:8): " + message, str(caught.exception))

    def test_each_rule_that_a_caller_can_break(self):
        values = integers((16, 64), 1)
        self.check(placed(values, 511), "the stride of dim 0 is 1022 bytes, needs a multiple of 16, from parameter 'a' stride 0 = 511")
        self.check(placed(values)[::-1], "the stride of dim 0 is -128 bytes, needs 1 to 1099511627775")
        self.check(np.broadcast_to(values[:1], (16, 64)), "the stride of dim 0 is 0 bytes, needs 1 to 1099511627775")
        b, a = side_by_side(values, values, 4)
        self.check(a, "the address is ", b)
        self.check(placed(values)[:0], "the size of dim 0 is 0, needs 1 to 4294967296")

    def test_legal(self):
        module = tilewright.compile(MARKED, max_variants=1)
        for backend in arrays.backends():
            a, b = placed(integers((9, 64), 1), 72), np.full((9, 64), np.nan, np.float16)
            module["marked"](a, b, backend=backend)
            np.testing.assert_array_equal(a, b)

    def test_a_damaged_plan_is_refused(self):
        bundle = tilewright.compile(MARKED, max_variants=1).bundle()
        for field, damaged in ((b'"box":[64,16]', b'"box":[64,99]'), (b'"swizzle":"none"', b'"swizzle":"nine"')):
            self.assertIn(field, bundle)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "damaged.bundle")
                with open(path, "wb") as file:
                    file.write(bundle.replace(field, damaged))
                done = subprocess.run(["tile-launch", path, "--list"], capture_output=True, text=True)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
