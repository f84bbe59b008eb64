# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Blocks of tiles: concat along every dimension, equal and unequal parts; extract and insert of every block, its number
known or given at run time, also one that does not exist; interleaving. Elements of 1 to 8 bytes, one to eight warps."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

DTYPES = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "f16": np.float16, "i32": np.int32, "f32": np.float32,
          "i64": np.int64, "f64": np.float64}
WARPS = (1, 2, 3, 4, 5, 8)


def tile(shape, type):
    return f"tensor<{'x'.join(map(str, shape))}x{type}>"


def view(shape, type):
    return f"!tile.view<{'x'.join(map(str, shape))}x{type}, strides = [{', '.join('?' for _ in shape)}]>"


def kernel(name, inputs, output, type, warps, numbers, body):
    """A kernel that loads each of `inputs` as %t0, %t1, .., runs `body`, which gives %r, and stores it.

    `numbers` is how many index parameters %i0, %i1, .. there are.
    """
    parameters = ", ".join([f"%x{i}: {view(shape, type)}" for i, shape in enumerate(inputs)] +
                           [f"%i{i}: index" for i in range(numbers)] + [f"%y: {view(output, type)}"])
    loads = "".join(f"  %t{i} = tile.load %x{i}[{', '.join('%c0' for _ in shape)}] : {view(shape, type)} -> "
                    f"{tile(shape, type)}\n" for i, shape in enumerate(inputs))
    constants = "".join(f"  %c{i} = arith.constant {i} : index\n" for i in range(8))
    return (f"func.func @{name}({parameters}) attributes {{tile.kernel, tile.num_warps = {warps} : i64, "
            f"tile.grid = @{name}_grid}} {{\n{constants}{loads}{body}"
            f"  tile.store %r, %y[{', '.join('%c0' for _ in output)}] : {tile(output, type)}, {view(output, type)}\n"
            f"  return\n}}\nfunc.func @{name}_grid({parameters}) -> index {{\n"
            f"  %c1 = arith.constant 1 : index\n  return %c1 : index\n}}\n")


def values(shape, type, seed):
    """Values that differ from element to element, as far as the type allows."""
    dtype = DTYPES[type]
    if dtype == np.bool_:
        return np.random.default_rng(seed).random(shape) < 0.5
    return (np.arange(np.prod(shape)) + 37 * seed).reshape(shape).astype(dtype)


class Blocks(unittest.TestCase):
    def run_all(self, cases):
        """Each case: (inputs, output shape, type, warps, numbers, body, expected)."""
        module = tilewright.compile("".join(
            kernel(f"k{i}", [x.shape for x in inputs], output, type, warps, len(numbers), body)
            for i, (inputs, output, type, warps, numbers, body, _) in enumerate(cases)))
        for i, (inputs, output, type, warps, numbers, body, want) in enumerate(cases):
            for backend in arrays.backends():
                with self.subTest(body=body, type=type, warps=warps, numbers=numbers, backend=backend):
                    y = arrays.Output(output, np.uint8 if type == "i1" else DTYPES[type])
                    out = y.array.view(np.bool_) if type == "i1" else y.array
                    module[f"k{i}"](*inputs, *numbers, out, backend=backend)
                    if want is not None:
                        arrays.assert_same_bits(y.array, want, body)
                    y.check_border()

    def test_concat(self):
        cases = []
        for n, (shapes, dim) in enumerate([
                ([(4,), (4,)], 0), ([(64,), (64,), (64,)], 0), ([(3,), (4,)], 0), ([(4,), (8,)], 0), ([(1,), (300,)], 0),
                ([(8, 16), (8, 16)], 0), ([(8, 16), (8, 16)], 1), ([(16, 8)] * 5, 1), ([(64, 32), (64, 64)], 1),
                ([(17, 3), (1, 3), (5, 3)], 0), ([(6, 5), (6, 7)], 1), ([(2, 3, 4)] * 3, 1), ([(2, 3, 4)] * 2, 2),
                ([(128, 1), (128, 1)], 1), ([(5, 1)] * 4, 1), ([(4, 96), (4, 96)], 0)]):
            for m, type in enumerate(DTYPES):
                if (n + m) % 3:
                    continue
                inputs = [values(shape, type, i) for i, shape in enumerate(shapes)]
                want = np.concatenate(inputs, dim)
                body = (f"  %r = tile.concat {', '.join(f'%t{i}' for i in range(len(inputs)))} dim {dim} : "
                        f"{', '.join(tile(shape, type) for shape in shapes)} -> {tile(want.shape, type)}\n")
                cases.append((inputs, want.shape, type, WARPS[(n + m) % len(WARPS)], [], body, want))
        self.run_all(cases)

    def block_cases(self):
        for n, (whole, block) in enumerate([
                ((8,), (4,)), ((256,), (64,)), ((96,), (32,)), ((35,), (5,)), ((16, 64), (4, 64)), ((16, 64), (16, 16)),
                ((64, 48), (32, 24)), ((6, 35), (3, 7)), ((4, 6, 8), (2, 6, 2)), ((128, 2), (128, 1)), ((9, 1), (3, 1))]):
            counts = [a // b for a, b in zip(whole, block)]
            numbers = [tuple(c - 1 for c in counts), tuple(min(1, c - 1) for c in counts), tuple(0 for _ in counts)]
            for m, number in enumerate(sorted(set(numbers))):
                place = tuple(slice(k * b, (k + 1) * b) for k, b in zip(number, block))
                yield n + m, whole, block, number, place

    def test_extract(self):
        cases = []
        for n, whole, block, number, place in self.block_cases():
            type = list(DTYPES)[n % len(DTYPES)]
            x = values(whole, type, 1)
            static = ", ".join(f"%c{k}" for k in number)
            dynamic = ", ".join(f"%i{i}" for i in range(len(number)))
            for indices, numbers in ((static, []), (dynamic, list(number))):
                body = f"  %r = tile.extract %t0[{indices}] : {tile(whole, type)} -> {tile(block, type)}\n"
                cases.append(([x], block, type, WARPS[n % len(WARPS)], numbers, body, x[place]))
        self.run_all(cases)

    def test_insert(self):
        cases = []
        for n, whole, block, number, place in self.block_cases():
            type = list(DTYPES)[n % len(DTYPES)]
            x, b = values(whole, type, 1), values(block, type, 5)
            want = x.copy()
            want[place] = b
            static = ", ".join(f"%c{k}" for k in number)
            dynamic = ", ".join(f"%i{i}" for i in range(len(number)))
            for indices, numbers in ((static, []), (dynamic, list(number))):
                body = f"  %r = tile.insert %t1, %t0[{indices}] : {tile(block, type)}, {tile(whole, type)}\n"
                cases.append(([x, b], whole, type, WARPS[n % len(WARPS)], numbers, body, want))
        self.run_all(cases)

    def test_no_such_block_does_not_fault(self):
        x, b = values((8, 12), "f32", 1), values((4, 3), "f32", 5)
        cases = []
        for numbers in ((2, 0), (0, 4), (-1, 0), (1 << 40, -(1 << 62)), (3, 5)):
            extract = "  %r = tile.extract %t0[%i0, %i1] : tensor<8x12xf32> -> tensor<4x3xf32>\n"
            insert = "  %r = tile.insert %t1, %t0[%i0, %i1] : tensor<4x3xf32>, tensor<8x12xf32>\n"
            cases.append(([x, b], (4, 3), "f32", 2, list(numbers), extract, None))
            cases.append(([x, b], (8, 12), "f32", 2, list(numbers), insert, None))
        constant = "  %r = tile.extract %t0[%c3, %c7] : tensor<8x12xf32> -> tensor<4x3xf32>\n"
        cases.append(([x], (4, 3), "f32", 1, [], constant, None))
        self.run_all(cases)

    def test_interleave_and_back(self):
        cases = []
        for n, count in enumerate((4, 100, 128, 513)):
            a, b = values((count,), "i32", 1), values((count,), "i32", 9)
            split = f"tensor<{count}x1xi32>"
            both = (f"  %a = tile.reshape %t0 : tensor<{count}xi32> -> {split}\n"
                    f"  %b = tile.reshape %t1 : tensor<{count}xi32> -> {split}\n"
                    f"  %c = tile.concat %a, %b dim 1 : {split}, {split} -> tensor<{count}x2xi32>\n"
                    f"  %r = tile.reshape %c : tensor<{count}x2xi32> -> tensor<{2 * count}xi32>\n")
            want = np.stack([a, b], 1).reshape(-1)
            cases.append(([a, b], (2 * count,), "i32", WARPS[n], [], both, want))
            back = (f"  %a = tile.reshape %t0 : tensor<{2 * count}xi32> -> tensor<{count}x2xi32>\n"
                    f"  %b = tile.extract %a[%c0, %c1] : tensor<{count}x2xi32> -> {split}\n"
                    f"  %r = tile.reshape %b : {split} -> tensor<{count}xi32>\n")
            cases.append(([want], (count,), "i32", WARPS[n + 1], [], back, b))
        self.run_all(cases)

    def test_in_a_loop(self):
        # A tile that a loop carries, one block of which is replaced in each trip.
        x = values((8, 16), "f32", 1)
        body = """  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t0) -> (tensor<8x16xf32>) {
    %b = tile.extract %a[%i, %c0] : tensor<8x16xf32> -> tensor<2x16xf32>
    %d = arith.addf %b, %b : tensor<2x16xf32>
    %j = arith.subi %c3, %i : index
    %n = tile.insert %d, %a[%j, %c0] : tensor<2x16xf32>, tensor<8x16xf32>
    scf.yield %n : tensor<8x16xf32>
  }
"""
        want = x.copy()
        for i in range(4):
            want[2 * (3 - i):2 * (4 - i)] = 2 * want[2 * i:2 * (i + 1)]
        self.run_all([([x], (8, 16), "f32", warps, [], body, want) for warps in (1, 2, 4)])

    def test_comparisons_of_products(self):
        # Truth values that come from the layout of a product back into it: bytes in memory, bits in registers.
        cases = []
        for rows, inner, columns in ((6, 16, 32), (32, 16, 16), (16, 32, 64), (64, 16, 128)):
            a, b = values((rows, inner), "i1", 1), values((inner, columns), "i1", 2)
            want = (a.astype(int) @ b.astype(int)) > inner // 4
            shapes = [tile(shape, "f16") for shape in (a.shape, b.shape)]
            bits, half = tile(want.shape, "i1"), f"arith.constant dense<{inner // 4}.0> : {tile(want.shape, 'f32')}"
            body = (f"  %a = arith.uitofp %t0 : {tile(a.shape, 'i1')} to {shapes[0]}\n"
                    f"  %b = arith.uitofp %t1 : {tile(b.shape, 'i1')} to {shapes[1]}\n"
                    f"  %z = arith.constant dense<0.0> : {tile(want.shape, 'f32')}\n  %half = {half}\n"
                    f"  %d = tile.dot %a, %b, %z : {shapes[0]}, {shapes[1]} -> {tile(want.shape, 'f32')}\n"
                    f"  %e = arith.cmpf ogt, %d, %half : {tile(want.shape, 'f32')}\n")
            both = np.concatenate([want, want], 1)
            concat = f"  %r = tile.concat %e, %e dim 1 : {bits}, {bits} -> {tile(both.shape, 'i1')}\n"
            cases += [([a, b], both.shape, "i1", warps, [], body + concat, both) for warps in (1, 3, 4)]
            # And summed on, which wants the layout of a product.
            again = (f"  %l = tile.concat %t0, %t0 dim 0 : {tile(a.shape, 'i1')}, {tile(a.shape, 'i1')} -> "
                     f"{tile((2 * rows, inner), 'i1')}\n"
                     f"  %w = tile.concat %e, %e dim 0 : {bits}, {bits} -> {tile((2 * rows, columns), 'i1')}\n"
                     f"  %lw = arith.uitofp %l : {tile((2 * rows, inner), 'i1')} to {tile((2 * rows, inner), 'f16')}\n"
                     f"  %zz = arith.constant dense<0.0> : {tile((2 * rows, columns), 'f32')}\n"
                     f"  %dd = tile.dot %lw, %b, %zz : {tile((2 * rows, inner), 'f16')}, {shapes[1]} -> "
                     f"{tile((2 * rows, columns), 'f32')}\n"
                     f"  %zero = arith.constant dense<0.0> : {tile((2 * rows, columns), 'f32')}\n"
                     f"  %some = arith.cmpf ogt, %dd, %zero : {tile((2 * rows, columns), 'f32')}\n"
                     f"  %r = arith.andi %some, %w : {tile((2 * rows, columns), 'i1')}\n")
            twice = np.concatenate([want, want], 0) & ((np.concatenate([a, a]).astype(int) @ b.astype(int)) > 0)
            cases += [([a, b], twice.shape, "i1", warps, [], body + again, twice) for warps in (1, 4)]
        self.run_all(cases)


if __name__ == "__main__":
    unittest.main()
