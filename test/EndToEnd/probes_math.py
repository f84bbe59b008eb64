# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Functions, casts and layout changes over dense inputs: every f16 and every bf16, and f32 of every exponent.

The emulator is held against NumPy in double precision, loosely, because other tests know the last bit. What counts here is the record
of every bit, which a device has to give, too: docs/Numerics.md promises it.
"""

import math
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import tilewright

COUNT, BLOCK = 65536, 1024
UNARY = {"math.exp": np.exp, "math.exp2": np.exp2, "math.expm1": np.expm1, "math.log": np.log, "math.log2": np.log2,
         "math.log10": np.log10, "math.log1p": np.log1p, "math.sin": np.sin, "math.cos": np.cos, "math.tan": np.tan,
         "math.sinh": np.sinh, "math.cosh": np.cosh, "math.tanh": np.tanh, "math.asin": np.arcsin, "math.acos": np.arccos,
         "math.atan": np.arctan, "math.asinh": np.arcsinh, "math.acosh": np.arccosh, "math.atanh": np.arctanh,
         "math.sqrt": np.sqrt, "math.rsqrt": lambda x: 1 / np.sqrt(x), "math.cbrt": np.cbrt, "math.erf": np.vectorize(math.erf),
         "math.absf": np.abs, "math.ceil": np.ceil, "math.floor": np.floor, "math.trunc": np.trunc,
         "math.roundeven": np.rint, "arith.negf": np.negative}
BINARY = {"arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply, "arith.divf": np.divide,
          "arith.maximumf": np.maximum, "arith.minimumf": np.minimum, "math.powf": np.power, "math.atan2": np.arctan2,
          "math.copysign": np.copysign}
RELATIVE = {"f16": 2.0**-9, "bf16": 2.0**-6, "f32": 2.0**-20}
LEAST = {"f16": 2.0**-22, "bf16": 2.0**-130, "f32": 2.0**-142}
LARGEST = {"f16": 65504.0, "bf16": 3.3e38, "f32": 3.4e38}


def inputs(type, seed=0):
    """65536 numbers: all of a 16-bit type, and for f32 each upper half with random low bits. `seed` shuffles them."""
    high = np.arange(COUNT, dtype=np.uint16)
    random = np.random.default_rng(seed)
    if seed:
        high = random.permutation(high)
    if type == "bf16":
        return high
    if type == "f16":
        return high.view(np.float16)
    low = random.integers(0, 1 << 16, COUNT, dtype=np.uint32)
    return ((high.astype(np.uint32) << 16) | low).view(np.float32)


def kernel(name, types, result, body):
    """A kernel that applies `body`, from %a0, %a1 to %r, to blocks of vectors."""
    types = [*types, result]
    views = [f"!tile.view<{COUNT}x{type}, strides = [1]>" for type in types]
    parameters = ", ".join(f"%x{i}: {view}" for i, view in enumerate(views))
    loads = "".join(f"  %a{i} = tile.load %x{i}[%at] : {view} -> tensor<{BLOCK}x{type}>\n"
                    for i, (view, type) in enumerate(zip(views[:-1], types)))
    return f"""
func.func @{name}({parameters}) attributes {{tile.kernel, tile.grid = @{name}_grid}} {{
  %c = arith.constant {BLOCK} : index
  %p = tile.program_id x
  %at = arith.muli %p, %c : index
{loads}  {body}
  tile.store %r, %x{len(types) - 1}[%at] : tensor<{BLOCK}x{result}>, {views[-1]}
  return
}}
func.func @{name}_grid({parameters}) -> index {{
  %n = arith.constant {COUNT // BLOCK} : index
  return %n : index
}}
"""


def decode(bits, type):
    return elements.decode(bits, type)


class Functions(unittest.TestCase):
    def function(self, op, reference, count):
        for type in elements.TYPES:
            body = f"%r = {op} {', '.join(f'%a{i}' for i in range(count))} : tensor<{BLOCK}x{type}>"
            module = tilewright.compile(kernel("k", [type] * count, type, body))
            values = [inputs(type, seed) for seed in range(count)]
            for backend in arrays.backends():
                out = np.zeros(COUNT, elements.DTYPES[type])
                module["k"](*(elements.argument(x, type) for x in [*values, out]), backend=backend)
                with np.errstate(all="ignore"):
                    want, got = reference(*(decode(x, type) for x in values)), decode(out, type)
                    large = np.abs(want) > 0.99 * LARGEST[type]
                    np.testing.assert_array_equal(np.isnan(got), np.isnan(want), f"{op} {type}")
                    self.assertTrue((np.abs(got[large]) > 0.98 * LARGEST[type]).all(), f"{op} {type}")
                    wrong = np.abs(got - want) > RELATIVE[type] * np.abs(want) + LEAST[type]
                    wrong &= np.isfinite(want) & ~large
                self.assertFalse(wrong.any(), f"{op} {type} of {[decode(x, type)[wrong][:3] for x in values]}: "
                                              f"{got[wrong][:3]} is not {want[wrong][:3]}")


def _add_functions():
    for table, count in ((UNARY, 1), (BINARY, 2)):
        for op, reference in table.items():
            def test(self, op=op, reference=reference, count=count):
                self.function(op, reference, count)

            setattr(Functions, f"test_{op.replace('.', '_')}", test)


_add_functions()


class Casts(unittest.TestCase):
    FLOATS = ("f8E4M3FN", "f8E5M2", "f16", "bf16", "f32")
    WIDTHS = {"f8E4M3FN": 8, "f8E5M2": 8, "f16": 16, "bf16": 16, "f32": 32, "i8": 8, "i32": 32}

    def cast(self, op, source, result, values):
        """Casts all values; yields what came out, as unsigned integers."""
        body = f"%r = {op} %a0 : tensor<{BLOCK}x{source}> to tensor<{BLOCK}x{result}>"
        module = tilewright.compile(kernel("k", [source], result, body))
        for backend in arrays.backends():
            out = np.zeros(COUNT, f"u{self.WIDTHS[result] // 8}")
            module["k"](tilewright.as_type(values, source), tilewright.as_type(out, result), backend=backend)
            yield out

    def numbers(self, type):
        """65536 elements as unsigned integers."""
        if self.WIDTHS[type] == 8:
            return np.arange(COUNT, dtype=np.uint16).astype(np.uint8)
        return inputs(type, 3).view(f"u{self.WIDTHS[type] // 8}")

    def test_cast__floats(self):
        for source in self.FLOATS:
            for result in self.FLOATS:
                if self.WIDTHS[source] == self.WIDTHS[result]:
                    continue
                op = "arith.extf" if self.WIDTHS[source] < self.WIDTHS[result] else "arith.truncf"
                values = self.numbers(source)
                for out in self.cast(op, source, result, values):
                    if result == "f16" and source == "f32":
                        with np.errstate(all="ignore"):
                            want = values.view(np.float32).astype(np.float16)
                        same = (out == want.view(np.uint16)) | (np.isnan(want) & np.isnan(out.view(np.float16)))
                        self.assertTrue(same.all())
                    elif source == "bf16" and result == "f32":
                        same = out == values.astype(np.uint32) << 16
                        self.assertTrue((same | np.isnan(out.view(np.float32))).all())

    def test_cast__integers(self):
        # Only numbers that the integer holds: what others give is open.
        for type in ("f16", "bf16", "f32"):
            for integer, limit in (("i8", 128), ("i32", 2**31)):
                for op, low in (("arith.fptosi", -limit), ("arith.fptoui", -1)):
                    values = self.numbers(type)
                    real = decode(values.view(elements.DTYPES[type]), type)
                    values = np.where((real > low) & (real < limit), values, 0).astype(values.dtype)
                    real = np.where((real > low) & (real < limit), real, 0)
                    for out in self.cast(op, type, integer, values):
                        mask = (1 << self.WIDTHS[integer]) - 1
                        np.testing.assert_array_equal(out, np.trunc(real).astype(np.int64) & mask)

    def test_cast__from_integers(self):
        words = np.random.default_rng(5).integers(-2**31, 2**31, COUNT).astype(np.int32)
        words >>= np.arange(COUNT, dtype=np.int32) % 32
        for type in ("f16", "bf16", "f32"):
            for op, numbers in (("arith.sitofp", words), ("arith.uitofp", words.view(np.uint32))):
                for out in self.cast(op, "i32", type, words.view(np.uint32)):
                    if type != "bf16":
                        with np.errstate(over="ignore"):
                            want = numbers.astype(elements.DTYPES[type])
                        np.testing.assert_array_equal(out.view(want.dtype), want)


class Layouts(unittest.TestCase):
    """A transposition, a reduction that is spread again, and a reshape: conversions by registers, shuffles and shared memory."""

    def run_block(self, rows, columns, type, warps, steps, result, want):
        def view(shape):
            return f"!tile.view<{'x'.join(map(str, shape))}x{type}, strides = [{shape[1]}, 1]>"

        parameters = f"%x: {view((rows, columns))}, %y: {view(result)}"
        text = f"""
func.func @k({parameters}) attributes {{tile.kernel, tile.grid = @k_grid, tile.num_warps = {warps} : i64}} {{
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0, %c0] : {view((rows, columns))} -> tensor<{rows}x{columns}x{type}>
{steps}
  tile.store %r, %y[%c0, %c0] : tensor<{result[0]}x{result[1]}x{type}>, {view(result)}
  return
}}
func.func @k_grid({parameters}) -> index {{
  %n = arith.constant 1 : index
  return %n : index
}}
"""
        module = tilewright.compile(text)
        dtype = {"i8": np.int8, "f16": np.float16, "f32": np.float32, "i64": np.int64}[type]
        x = np.random.default_rng(rows + columns).integers(-9, 10, (rows, columns)).astype(dtype)
        for backend in arrays.backends():
            y = np.zeros(result, dtype)
            module["k"](x, y, backend=backend)
            np.testing.assert_array_equal(y, want(x))

    CASES = [(8, 8, "f32", 1), (4, 32, "f32", 1), (16, 4, "f16", 1), (2, 16, "f32", 1), (32, 32, "f32", 1),
             (64, 128, "f16", 4), (16, 8, "i64", 2), (128, 64, "i8", 4), (64, 32, "f32", 8), (8, 96, "f16", 3)]

    def test_layout__transpose(self):
        for rows, columns, type, warps in self.CASES:
            self.run_block(rows, columns, type, warps, f"  %r = tile.permute %v [1, 0] : tensor<{rows}x{columns}x{type}> -> "
                           f"tensor<{columns}x{rows}x{type}>", (columns, rows), lambda x: x.T)

    def test_layout__reshape(self):
        for rows, columns, type, warps in self.CASES:
            self.run_block(rows, columns, type, warps, f"  %t = tile.permute %v [1, 0] : tensor<{rows}x{columns}x{type}> -> "
                           f"tensor<{columns}x{rows}x{type}>\n  %r = tile.reshape %t : tensor<{columns}x{rows}x{type}> -> "
                           f"tensor<{rows}x{columns}x{type}>", (rows, columns), lambda x: x.T.reshape(x.shape))

    def test_layout__reduce_and_spread(self):
        for rows, columns, type, warps in self.CASES:
            add = "arith.addf" if type[0] == "f" else "arith.addi"
            for dim in (0, 1):
                rest, thin = (columns, f"1x{columns}") if dim == 0 else (rows, f"{rows}x1")
                self.run_block(rows, columns, type, warps, f"""  %s = tile.reduce %v dim {dim} : tensor<{rows}x{columns}x{type}> -> tensor<{rest}x{type}> {{
  ^bb0(%a: {type}, %e: {type}):
    %q = {add} %a, %e : {type}
    tile.yield %q : {type}
  }}
  %u = tile.reshape %s : tensor<{rest}x{type}> -> tensor<{thin}x{type}>
  %w = tile.broadcast %u : tensor<{thin}x{type}> -> tensor<{rows}x{columns}x{type}>
  %r = {add} %v, %w : tensor<{rows}x{columns}x{type}>""", (rows, columns),
                               lambda x: x + x.sum(axis=dim, keepdims=True, dtype=x.dtype))


if __name__ == "__main__":
    unittest.main()
