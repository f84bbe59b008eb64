# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""The package as its users see it: modules, kernels, plain data, exceptions."""

import gc
import os
import tempfile
import unittest
import weakref

import numpy as np

import tilewright

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples")
MATMUL = os.path.join(EXAMPLES, "matmul.mlir")
VECTOR_ADD = os.path.join(EXAMPLES, "vector_add.mlir")

TYPES = """
!vec = !tile.view<?x{0}, strides = [?]>
func.func @copy(%x: !vec {{tile.name = "x"}}, %y: !vec {{tile.name = "y"}})
    attributes {{tile.kernel, tile.grid = @copy_grid}} {{
  %c64 = arith.constant 64 : index
  %program = tile.program_id x
  %start = arith.muli %program, %c64 : index
  %tile = tile.load %x[%start] : !vec -> tensor<64x{0}>
  tile.store %tile, %y[%start] : tensor<64x{0}>, !vec
  return
}}
func.func @copy_grid(%x: !vec, %y: !vec) -> index {{
  %c64 = arith.constant 64 : index
  %n = tile.view_size %y, 0 : !vec
  %programs = arith.ceildivsi %n, %c64 : index
  return %programs : index
}}
"""


class Modules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = tilewright.compile(VECTOR_ADD, target="sm_90a")
        with open(VECTOR_ADD) as file:
            cls.text = file.read()

    def test_kernels(self):
        self.assertEqual(self.module.kernels, ("vector_add", "vector_add_ptr"))
        self.assertEqual(list(self.module), ["vector_add", "vector_add_ptr"])
        self.assertEqual(self.module.target, "sm_90a")
        with self.assertRaisesRegex(KeyError, "vector_add_ptr"):
            self.module["vector_sub"]

    def test_parameters(self):
        x, y, out, n = self.module["vector_add_ptr"].parameters
        self.assertEqual((x.name, x.kind, x.type), ("x", "pointer", "f32"))
        self.assertEqual((n.name, n.kind, n.type), ("n", "scalar", "i64"))
        view = self.module["vector_add"].parameters[2]
        self.assertEqual((view.kind, view.sizes, view.strides), ("view", (None,), (None,)))
        self.assertTrue(view.is_written)

    def test_path_text_and_bundle_are_the_same(self):
        self.assertEqual(tilewright.compile(self.text, target="sm_90a").ptx("vector_add_ptr"), self.module.ptx("vector_add_ptr"))
        loaded = tilewright.load(self.module.bundle())
        self.assertEqual(loaded.kernels, self.module.kernels)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "add.bundle")
            with open(path, "wb") as file:
                file.write(self.module.bundle())
            from_file = tilewright.load(path)
        x = np.arange(10, dtype=np.float32)
        for module in (loaded, from_file):
            out = np.zeros(10, np.float32)
            module["vector_add"](x, x, out=out, backend="emulator")
            np.testing.assert_array_equal(out, 2 * x)

    def test_same_input_same_bytes(self):
        again = tilewright.compile(VECTOR_ADD, target="sm_90a")
        self.assertEqual(again.bundle(), self.module.bundle())

    def test_targets(self):
        for target in ("sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a"):
            ptx = tilewright.compile(VECTOR_ADD, target=target).ptx("vector_add")
            self.assertIn(f".target {target}", ptx)
            self.assertIn(".entry", ptx)

    def test_ptx_variants(self):
        with self.assertRaises(KeyError):
            self.module.ptx()
        with self.assertRaises(LookupError):
            self.module.ptx("vector_add", 1000)
        with self.assertRaises(LookupError):
            tilewright.load(self.module.bundle()).ptx("vector_add")

    def test_lazy(self):
        module = tilewright.compile(MATMUL, lazy=True)
        symbols = ["matmul__v0_even", "matmul__v0_even_steps", "matmul__v0", "matmul__v1", "matmul"]
        self.assertEqual([variant["symbol"] for variant in module.report["variants"]], symbols)
        self.assertNotIn("shared_bytes", module.report["variants"][0])
        with self.assertRaisesRegex(LookupError, "has 0 variants with PTX"):
            module.ptx()
        a, b = np.eye(48, dtype=np.float16), np.arange(48 * 48).reshape(48, 48).astype(np.float16) / 8
        for rows in (48, 47):  # Aligned; then any stride, by a view.
            for left in (a[:rows], np.asfortranarray(a[:rows])):
                c = np.full((rows, 48), np.nan, np.float16)
                module["matmul"](left, b, c, backend="emulator")
                np.testing.assert_array_equal(c, b[:rows])
        with self.assertRaisesRegex(tilewright.CompileError, "'lazy' and 'cubin'"):
            tilewright.compile(MATMUL, lazy=True, cubin=True)

    def test_plain_data(self):
        self.assertIsInstance(self.module.report, dict)
        self.assertIsInstance(self.module.plan, dict)
        self.assertTrue(self.module.report)
        conversions = tilewright.compile(MATMUL).report["conversions"]
        self.assertTrue(conversions)
        for conversion in conversions:
            self.assertEqual(
                {"location", "tile", "kind", "cycles", "shared_bytes", "write_conflicts", "read_conflicts", "reason"}
                | {"count", "ldmatrix", "variants"},
                set(conversion),
            )
        self.assertIsInstance(self.module.remarks, list)
        for remark in self.module.remarks:
            self.assertLessEqual({"kind", "pass", "name", "function", "file", "line", "column", "message"}, set(remark))
        self.assertEqual(self.module.diagnostics, [])

    def test_a_dropped_module_goes_at_once(self):
        # No cycle keeps what was compiled until Python looks for cycles; a kernel outlives its module.
        gc.disable()
        try:
            module = tilewright.compile(VECTOR_ADD, lazy=True)
            kernel, seen = module["vector_add"], weakref.ref(module)
            x = np.ones(10, np.float32)
            kernel(x, x, x, backend="emulator")
            del module
            self.assertIsNone(seen())
            kernel(x, x, x, backend="emulator")
            np.testing.assert_array_equal(x, 4)
            seen = weakref.ref(kernel)
            del kernel
            self.assertIsNone(seen())
        finally:
            gc.enable()

    def test_optional_passes(self):
        passes = tilewright.optional_passes()
        self.assertIn("tile-specialize", passes)
        self.assertIn("cse", passes)
        self.assertEqual(len(passes), len(set(passes)))
        # Each can be left out; the message for another names the same ones.
        tilewright.compile(MATMUL, lazy=True, disable_pass=passes)
        with self.assertRaisesRegex(tilewright.CompileError, ": expected one of " + ", ".join(passes) + "$"):
            tilewright.compile(MATMUL, disable_pass="tile-nothing")

    def test_version(self):
        self.assertRegex(tilewright.version(), r"^\d+\.\d+\.\d+")
        self.assertRegex(tilewright.llvm_version(), r"^22\.")
        self.assertEqual(tilewright.__version__, tilewright.version())


class Launches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = tilewright.compile(VECTOR_ADD)
        cls.x = np.arange(100, dtype=np.float32)

    def refused(self, pattern, *args, kernel="vector_add", **named):
        with self.assertRaisesRegex(tilewright.LaunchError, pattern):
            self.module[kernel](*args, backend="emulator", **named)

    def test_by_name(self):
        out = np.zeros(100, np.float32)
        launch = self.module["vector_add_ptr"](n=100, out=out, y=self.x, x=self.x, backend="emulator")
        np.testing.assert_array_equal(out, 2 * self.x)
        self.assertEqual(launch.backend, "emulator")

    def test_auto(self):
        out = np.zeros(100, np.float32)
        launch = self.module["vector_add"](self.x, self.x, out)
        self.assertIn(launch.backend, tilewright.available_backends())
        np.testing.assert_array_equal(out, 2 * self.x)

    def test_in_place(self):
        x = self.x.copy()
        self.module["vector_add"](x, x, x, backend="emulator")
        np.testing.assert_array_equal(x, 2 * self.x)

    def test_overlapping_inputs(self):
        out = np.zeros(99, np.float32)
        self.module["vector_add"](self.x[:-1], self.x[1:], out, backend="emulator")
        np.testing.assert_array_equal(out, self.x[:-1] + self.x[1:])

    def test_refused(self):
        x = self.x
        out = np.zeros(100, np.float32)
        self.refused("no argument for parameter 'out'", x, x)
        self.refused("expects 3 arguments, got 4", x, x, out, out)
        self.refused("no parameter 'z'; it has x, y, out", x, x, out, z=out)
        self.refused("'x' .* given twice", x, x, out, x=x)
        self.refused("parameter 'x'.*f32.*f64|parameter 'x'.*f64.*f32", x.astype(np.float64), x, out)
        self.refused("parameter 'y'.*rank|parameter 'y'.*dim", x, x.reshape(10, 10), out)
        self.refused("parameter 'x': expected a NumPy array, got 3", 3, x, out)
        self.refused("parameter 'x': arrays of .*complex64", x.astype(np.complex64), x, out)
        self.refused("parameter 'n': expected an integer", x, x, out, 1.5, kernel="vector_add_ptr")
        read_only = out.copy()
        read_only.flags.writeable = False
        self.refused("parameter 'out': the kernel writes it", x, x, read_only)
        record = np.zeros(100, np.dtype([("f", np.float32), ("b", np.int8)]))["f"]
        self.refused("parameter 'x': the strides are not multiples", record, x, out)

    def test_select(self):
        kernel = self.module["vector_add"]
        self.assertEqual(kernel.variants, ("vector_add__v0", "vector_add__v1", "vector_add"))
        out = np.zeros(5000, np.float32)
        for step, number in ((1, 0), (2, 2)):
            x = out[: 4096 * step // 2 : step]
            chosen = kernel.select(x, x, out=x, backend="emulator")
            self.assertEqual(chosen, tilewright.Selection(number, kernel.variants[number], (2, 1, 1)))
        self.assertFalse(out.any())  # Nothing ran.
        self.refused("no argument for parameter 'out'", self.x, self.x)
        with self.assertRaisesRegex(tilewright.LaunchError, "no argument for parameter 'out'"):
            kernel.select(self.x, self.x, backend="emulator")

    def test_number_of_sms(self):
        module = tilewright.compile(VECTOR_ADD, lazy=True, persistent="always")
        x = np.arange(9000, dtype=np.float32)
        for count, programs in ((0, 9), (1, 1), (2, 2), (5, 5), (10, 9)):
            out = np.zeros(9000, np.float32)
            chosen = module["vector_add"].select(x, x, out, backend="emulator", sm_count=count)
            self.assertEqual(chosen.grid, (programs, 1, 1))
            module["vector_add"](x, x, out, backend="emulator", sm_count=count)
            np.testing.assert_array_equal(out, 2 * x)

    def test_unknown_backend(self):
        with self.assertRaisesRegex(tilewright.LaunchError, "abacus.*emulator"):
            self.module["vector_add"](self.x, self.x, self.x.copy(), backend="abacus")

    def test_out_of_bounds_is_reported(self):
        # The pointer kernel believes n: the emulator sees the first access behind the array.
        out = np.zeros(100, np.float32)
        self.refused("out of bounds|outside", self.x, self.x, out, 101, kernel="vector_add_ptr")

    def test_no_cuda(self):
        if "cuda" in tilewright.available_backends():
            self.skipTest("there is a device")
        with self.assertRaises(tilewright.NoDeviceError):
            self.module["vector_add"](self.x, self.x, self.x.copy(), backend="cuda")

    def test_benchmark(self):
        out = np.zeros(100, np.float32)
        times = self.module["vector_add"].benchmark(self.x, self.x, out, backend="emulator", warmups=1, repeats=3)
        self.assertEqual(len(times), 3)
        self.assertTrue(all(time > 0 for time in times))

    def test_numbers_out_of_range(self):
        # C would take -1 for a number without end.
        add, out = self.module["vector_add"], np.zeros(100, np.float32)
        for wrong in ({"device": -1}, {"seed": -1}, {"sm_count": -1}, {"seed": 1.5}, {"device": None}):
            with self.assertRaisesRegex(tilewright.LaunchError, f"{next(iter(wrong))}: expected an integer from 0 to"):
                add(self.x, self.x, out, backend="emulator", **wrong)
        for wrong in ({"warmups": -3}, {"repeats": 0}, {"repeats": -1}):
            with self.assertRaisesRegex(tilewright.LaunchError, f"{next(iter(wrong))}: expected an integer from [01] to"):
                add.benchmark(self.x, self.x, out, backend="emulator", **wrong)

    def test_damaged_bundle(self):
        bundle = self.module.bundle()
        for damaged in (b"", bundle[:40], bundle[:-1], b"x" * 100, bundle[:50] + b"\xff" + bundle[51:]):
            with self.assertRaises(tilewright.LaunchError):
                tilewright.load(damaged)
        with self.assertRaises(OSError):
            tilewright.load("/no/such.bundle")


class ElementTypes(unittest.TestCase):
    def test_every_numpy_type(self):
        for type, dtype in (
            ("i1", "?"), ("i8", "i1"), ("i8", "u1"), ("i16", "i2"), ("i32", "u4"), ("i64", "i8"),
            ("f16", "f2"), ("f32", "f4"), ("f64", "f8"),
        ):  # fmt: skip
            with self.subTest(type=type, dtype=dtype):
                x = (np.arange(100) % 7).astype(dtype)
                y = np.zeros(100, dtype)
                tilewright.compile(TYPES.format(type))["copy"](x, y, backend="emulator")
                np.testing.assert_array_equal(x, y)

    def test_types_that_numpy_lacks(self):
        for type, dtype in (("bf16", "u2"), ("f8E4M3FN", "u1"), ("f8E5M2", "u1")):
            with self.subTest(type=type):
                module = tilewright.compile(TYPES.format(type))
                x = np.arange(100).astype(dtype)
                y = np.zeros(100, dtype)
                module["copy"](tilewright.as_type(x, type), tilewright.as_type(y, type), backend="emulator")
                np.testing.assert_array_equal(x, y)
                with self.assertRaisesRegex(tilewright.LaunchError, "parameter 'x'"):
                    module["copy"](x, y, backend="emulator")


class CompileErrors(unittest.TestCase):
    def diagnostics(self, source, **options):
        with self.assertRaises(tilewright.CompileError) as caught:
            tilewright.compile(source, **options)
        self.assertTrue(caught.exception.diagnostics)
        return caught.exception.diagnostics

    def test_located(self):
        (diagnostic,) = self.diagnostics("func.func @k() {\n  %0 = tile.program_id w\n  return\n}\n")
        self.assertEqual((diagnostic.severity, diagnostic.line), ("error", 2))
        self.assertGreater(diagnostic.column, 0)

    def test_file_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "broken.mlir")
            with open(path, "w") as file:
                file.write("\n\nfunc.func @")
            (diagnostic,) = self.diagnostics(path)
        self.assertEqual((diagnostic.file, diagnostic.line), (path, 3))
        self.assertIn(f"{path}:3:", str(diagnostic))

    def test_options(self):
        self.assertIn("nonsense", self.diagnostics(MATMUL, nonsense=1)[0].message)
        self.assertIn("sm_12", self.diagnostics(MATMUL, target="sm_12")[0].message)
        self.assertIn("tile-nothing", self.diagnostics(MATMUL, disable_pass=["tile-nothing"])[0].message)
        self.assertIn("many", self.diagnostics(MATMUL, num_warps="many")[0].message)
        self.assertIn("3.5", self.diagnostics(MATMUL, num_warps=3.5)[0].message)
        self.assertIn("None", self.diagnostics(MATMUL, num_warps=None)[0].message)

    def test_missing_file(self):
        with self.assertRaises(OSError):
            tilewright.compile("no-such-file.mlir")


if __name__ == "__main__":
    unittest.main()
