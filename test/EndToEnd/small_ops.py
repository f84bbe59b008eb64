# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Ops that no example is about: `permute`, `to_scalar`, `ptr_cast` and `assume`, each against NumPy."""

import itertools
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

GRID = "func.func @grid({0}) -> index {{\n  %c1 = arith.constant 1 : index\n  return %c1 : index\n}}\n"


def kernel(parameters, body, warps=4):
    """The text of a kernel of one program. `parameters` are (name, type) pairs; each name is also the parameter's."""
    named = ", ".join(f'%{name}: {type} {{tile.name = "{name}"}}' for name, type in parameters)
    plain = ", ".join(f"%{name}: {type}" for name, type in parameters)
    attributes = f"attributes {{tile.kernel, tile.grid = @grid, tile.num_warps = {warps} : i64}}"
    lines = ["%c0 = arith.constant 0 : index", *body.strip().splitlines(), "return"]
    return f"func.func @k({named}) {attributes} {{\n  " + "\n  ".join(lines) + "\n}\n" + GRID.format(plain)


def tile(shape, type):
    return f"tensor<{'x'.join(map(str, shape))}x{type}>"


def view(shape, type):
    """A view of static sizes and any strides, as outputs in rooms of poison have them."""
    return f"!tile.view<{'x'.join(map(str, shape))}x{type}, strides = [{', '.join('?' * len(shape))}]>"



class Small(unittest.TestCase):
    def launches(self, text):
        """The kernel and the backend, for each way to compile it and each backend."""
        # As written, too: folds would take some of the ops away.
        for options in ({}, {"disable_pass": ["canonicalize", "cse", "tile-fold-transpose", "tile-raise-pointers"]}):
            module = tilewright.compile(text, **options)
            for backend in arrays.backends():
                yield module["k"], backend

    def test_permute(self):
        cases = [((16, 32), "f16", np.float16), ((5, 3), "i64", np.int64), ((48, 7), "i8", np.int8), ((8, 4, 6), "f32", np.float32),
                 ((3, 2, 5, 4), "f64", np.float64)]
        for (shape, type, dtype), warps in itertools.product(cases, (1, 4)):
            for order in itertools.permutations(range(len(shape))):
                result = [shape[dim] for dim in order]
                zeros = ", ".join(["%c0"] * len(shape))
                # The permuted tile meets one that was loaded as it is, so that it must really move.
                text = kernel(
                    [("x", view(shape, type)), ("y", view(result, type)), ("z", view(result, type))],
                    f"%a = tile.load %x[{zeros}] : {view(shape, type)} -> {tile(shape, type)}\n"
                    f"%p = tile.permute %a [{', '.join(map(str, order))}] : {tile(shape, type)} -> {tile(result, type)}\n"
                    f"%b = tile.load %y[{zeros}] : {view(result, type)} -> {tile(result, type)}\n"
                    f"%s = arith.add{type[0]} %p, %b : {tile(result, type)}\n"
                    f"tile.store %s, %z[{zeros}] : {tile(result, type)}, {view(result, type)}",
                    warps,
                )
                x = np.arange(np.prod(shape)).reshape(shape).astype(dtype) % 100
                y = np.arange(np.prod(shape)).reshape(result).astype(dtype) % 7
                for run, backend in self.launches(text):
                    z = arrays.Output(tuple(result), dtype, "C")
                    run(x, y, z.array, backend=backend)
                    arrays.assert_same_bits(np.array(z.array), x.transpose(order) + y)
                    z.check_border()

    def test_to_scalar(self):
        for type, dtype, value in (("f32", np.float32, 2.5), ("f16", np.float16, -3), ("i32", np.int32, 7), ("i64", np.int64, -(2**40))):
            op, shape = f"arith.add{type[0]}", (4, 8)
            text = kernel(
                [("x", view((3, 1), type)), ("y", view(shape, type))],
                f"%c1 = arith.constant 1 : index\n"
                f"%one = tile.load %x[%c1, %c0] : {view((3, 1), type)} -> {tile((1, 1), type)}\n"
                f"%s = tile.to_scalar %one : {tile((1, 1), type)}\n"
                f"%twice = {op} %s, %s : {type}\n"
                f"%all = tile.splat %twice : {type} -> {tile(shape, type)}\n"
                f"tile.store %all, %y[%c0, %c0] : {tile(shape, type)}, {view(shape, type)}",
            )
            x = np.array([[99], [value], [98]], dtype)
            for run, backend in self.launches(text):
                y = arrays.Output(shape, dtype, "C")
                run(x, y.array, backend=backend)
                arrays.assert_same_bits(np.array(y.array), np.full(shape, x[1, 0] + x[1, 0], dtype))
                y.check_border()

    def test_to_scalar_steers(self):
        # What is found in memory decides how far a loop goes.
        text = kernel(
            [("n", view((1,), "i32")), ("y", view((16,), "i32"))],
            f"""
%c1 = arith.constant 1 : index
%t = tile.load %n[%c0] : {view((1,), "i32")} -> tensor<1xi32>
%s = tile.to_scalar %t : tensor<1xi32>
%end = arith.index_cast %s : i32 to index
scf.for %i = %c0 to %end step %c1 {{
  %v = arith.index_cast %i : index to i32
  %e = tile.splat %v : i32 -> tensor<1xi32>
  tile.store %e, %y[%i] : tensor<1xi32>, {view((16,), "i32")}
}}""",
        )
        for count in (0, 1, 11):
            for run, backend in self.launches(text):
                y = np.full(16, -1, np.int32)
                run(np.array([count], np.int32), y, backend=backend)
                expected = np.full(16, -1, np.int32)
                expected[:count] = np.arange(count)
                arrays.assert_same_bits(y, expected)

    def test_ptr_cast(self):
        # The bits of floats through a pointer to integers, of one element and of a tile of pointers; and there and back by i64.
        text = kernel(
            [("x", "!tile.ptr<f32>"), ("y", "!tile.ptr<i32>"), ("d", "!tile.ptr<i64>")],
            """
%bits = tile.ptr_cast %x : !tile.ptr<f32> to !tile.ptr<i32>
%first = tile.load_ptr %bits : !tile.ptr<i32>
tile.store_ptr %first, %y : !tile.ptr<i32>
%i = tile.iota start 1 : tensor<64xi32>
%xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
%places = tile.ptr_add %xs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
%patterns = tile.ptr_cast %places : tensor<64x!tile.ptr<f32>> to tensor<64x!tile.ptr<i32>>
%all = tile.load_ptr %patterns : tensor<64x!tile.ptr<i32>>
%ys = tile.splat %y : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
%to = tile.ptr_add %ys, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
tile.store_ptr %all, %to : tensor<64x!tile.ptr<i32>>
%c64 = arith.constant 64 : i32
%last = tile.ptr_add %x, %c64 : !tile.ptr<f32>, i32
%begin = tile.ptr_cast %x : !tile.ptr<f32> to i64
%end = tile.ptr_cast %last : !tile.ptr<f32> to i64
%bytes = arith.subi %end, %begin : i64
tile.store_ptr %bytes, %d : !tile.ptr<i64>
%four = arith.constant 4 : i64
%address = arith.addi %begin, %four : i64
%second = tile.ptr_cast %address : i64 to !tile.ptr<f32>
%number = tile.load_ptr %second : !tile.ptr<f32>
%pattern = arith.bitcast %number : f32 to i32
%wide = arith.extsi %pattern : i32 to i64
%one = arith.constant 1 : i32
%behind = tile.ptr_add %d, %one : !tile.ptr<i64>, i32
tile.store_ptr %wide, %behind : !tile.ptr<i64>""",
        )
        x = np.random.default_rng(3).standard_normal(65).astype(np.float32)
        x[:4] = [np.inf, -0.0, 1e-40, -np.inf]
        for run, backend in self.launches(text):
            y, d = arrays.Output((65,), np.int32, "C"), arrays.Output((2,), np.int64, "C")
            run(x, y.array, d.array, backend=backend)
            arrays.assert_same_bits(np.array(y.array), x.view(np.int32))
            arrays.assert_same_bits(np.array(d.array), np.array([64 * 4, x.view(np.int32)[1]], np.int64))
            y.check_border()
            d.check_border()

    ASSUME = kernel(
        [("x", view((64,), "i32")), ("y", view((64,), "i32")), ("n", "i32")],
        f"""
%a = tile.load %x[%c0] : {view((64,), "i32")} -> tensor<64xi32>
%b = tile.assume %a div_by 8 every [4] contiguous [4] : tensor<64xi32>
%m = tile.assume %n div_by 8 min 0 max 4096 : i32
%s = tile.splat %m : i32 -> tensor<64xi32>
%c = arith.addi %b, %s : tensor<64xi32>
tile.store %c, %y[%c0] : tensor<64xi32>, {view((64,), "i32")}""",
    )

    def test_assume(self):
        # Facts that hold change nothing.
        x = (np.arange(64) // 4 * 24 + np.arange(64) % 4).astype(np.int32)
        for n in (0, 8, 4096):
            for run, backend in self.launches(self.ASSUME):
                y = arrays.Output((64,), np.int32, "C")
                run(x, y.array, n, backend=backend)
                arrays.assert_same_bits(np.array(y.array), x + np.int32(n))
                y.check_border()

    def test_assume_what_is_false(self):
        # The emulator reports a false fact about a scalar, whichever it is.
        for n in (4, -8, 4104):
            module = tilewright.compile(self.ASSUME)
            with self.assertRaisesRegex(tilewright.TilewrightError, "assum"):
                module["k"](np.zeros(64, np.int32), np.zeros(64, np.int32), n, backend="emulator")


if __name__ == "__main__":
    unittest.main()
