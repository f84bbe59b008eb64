# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Products that tile-select-dot makes one of, in every direction, against NumPy."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import tilewright

NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32}
# Operand and sum type, direction, number of products, matrices (0: none), M, N and K of one product, whether blocks of K
# are added in their order, whether one product is expected.
CASES = [
    ("f16", "f32", "K", 3, 0, 32, 16, 8, True, True),
    ("f16", "f32", "K", 3, 0, 32, 16, 8, False, False),
    ("f16", "f32", "K", 2, 0, 128, 128, 8, False, True),
    ("f16", "f32", "K", 3, 0, 16, 16, 20, True, True),
    ("f16", "f16", "K", 2, 0, 16, 16, 8, True, True),
    ("i8", "i32", "K", 4, 0, 16, 16, 8, True, True),
    ("f32", "f32", "K", 2, 0, 16, 16, 8, True, True),
    ("f64", "f64", "K", 2, 0, 16, 16, 8, True, True),
    ("f16", "f32", "K", 2, 2, 16, 16, 16, True, True),
    ("f16", "f32", "N", 4, 0, 64, 4, 32, True, True),
    ("f16", "f32", "N", 3, 0, 16, 20, 16, True, True),
    ("i8", "i32", "N", 3, 0, 32, 16, 32, True, True),
    ("f16", "f32", "N", 2, 2, 16, 16, 16, True, True),
    ("f16", "f32", "M", 4, 0, 4, 64, 32, True, True),
    ("i8", "i32", "M", 3, 0, 32, 16, 32, True, True),
    ("f16", "f32", "M", 2, 2, 16, 16, 16, True, True),
]


def program(element, acc, along, count, batch, m, n, k, in_order):
    """The text of a kernel of `count` products of MxK and KxN, and the extents of all of them together."""
    rows, columns, depth = (extent * (count if along == name else 1) for name, extent in zip("MNK", (m, n, k)))

    def tile(*shape, of=element):
        return f"tensor<{'x'.join(map(str, ((batch,) if batch else ()) + shape))}x{of}>"

    def view(of):
        return f"!tile.view<{'?x' if batch else ''}?x?x{of}, strides = [{'?, ' if batch else ''}?, 1]>"

    def block(number, dim):
        return ("%c0, " if batch else "") + (f"%c{number}, %c0" if dim == 0 else f"%c0, %c{number}")

    a, b, c = tile(rows, depth), tile(depth, columns), tile(rows, columns, of=acc)
    small_a, small_b, small_c = tile(m, k), tile(k, n), tile(m, n, of=acc)
    parameters = f"%a: {view(element)}, %b: {view(element)}, %init: {view(acc)}, %out: {view(acc)}"
    lines = [f"func.func @k({parameters}) attributes {{tile.kernel, tile.grid = @g}} {{"]
    lines += [f"%c{i} = arith.constant {i} : index" for i in range(max(count, 2))]
    for name, source, element_type, shape in (("x", "a", element, a), ("y", "b", element, b), ("z", "init", acc, c)):
        lines.append(f"%{name} = tile.load %{source}[{block(0, 0)}] : {view(element_type)} -> {shape}")
    last = "%z"
    for i in range(count) if in_order else reversed(range(count)):
        x, y, z = "%x", "%y", last if along == "K" else "%z"
        if along != "N":
            x = f"%x{i}"
            lines.append(f"{x} = tile.extract %x[{block(i, 0 if along == 'M' else 1)}] : {a} -> {small_a}")
        if along != "M":
            y = f"%y{i}"
            lines.append(f"{y} = tile.extract %y[{block(i, 1 if along == 'N' else 0)}] : {b} -> {small_b}")
        if along != "K":
            z = f"%z{i}"
            lines.append(f"{z} = tile.extract %z[{block(i, 0 if along == 'M' else 1)}] : {c} -> {small_c}")
        last = f"%d{i}"
        lines.append(f"{last} = tile.dot {x}, {y}, {z} : {small_a}, {small_b} -> {small_c}")
    if along != "K":
        dim = (1 if batch else 0) + (along == "N")
        sums, types = ", ".join(f"%d{i}" for i in range(count)), ", ".join([small_c] * count)
        lines.append(f"%joined = tile.concat {sums} dim {dim} : {types} -> {c}")
        last = "%joined"
    lines += [f"tile.store {last}, %out[{block(0, 0)}] : {c}, {view(acc)}", "return", "}"]
    lines += [f"func.func @g({parameters}) -> index {{", "%c1 = arith.constant 1 : index", "return %c1 : index", "}"]
    return "\n".join(lines) + "\n", (rows, columns, depth)


# Operand and sum type, number of chains, products of each, matrices of one (0: none), M = N = K, warps, whether they are stacked.
INDEPENDENT = [
    ("f32", "f32", 2, 2, 0, 16, 4, True),
    ("f32", "f32", 3, 3, 0, 8, 2, True),
    ("f32", "f32", 4, 1, 2, 16, 8, True),
    ("f32", "f32", 2, 1, 0, 16, 4, False),
    ("f64", "f64", 2, 2, 0, 16, 4, True),
    ("f16", "f32", 4, 1, 0, 16, 8, True),
    ("f16", "f32", 7, 1, 0, 20, 4, True),
    ("f16", "f16", 2, 2, 0, 16, 4, True),
    ("f16", "f32", 2, 3, 0, 16, 8, True),  # Narrowed between the products.
    ("i8", "i32", 5, 1, 0, 16, 4, True),
    ("f16", "f32", 4, 1, 0, 64, 4, False),
]


def independent(element, acc, chains, products, batch, extent, warps):
    """The text of a kernel of `chains` chains: each multiplies its first matrix by the second, the third by that (narrowed if
    need be), and so on, and negates what comes out. Matrices lie behind each other."""
    matrices = batch or 1
    shape = ([batch] if batch else []) + [extent, extent]
    tiles = {of: "tensor<" + "x".join(map(str, shape)) + f"x{of}>" for of in (element, acc)}
    views = {of: f"!tile.view<?x?x?x{of}, strides = [?, ?, 1]>" for of in (element, acc)}
    walked = "" if batch else " dims [1, 2]"
    is_float = acc[0] == "f"
    parameters = f"%in: {views[element]}, %out: {views[acc]}"
    lines = [f"func.func @k({parameters}) attributes {{tile.kernel, tile.grid = @g, tile.num_warps = {warps} : i64}} {{"]
    lines += [f"%c{i} = arith.constant {i} : index" for i in range(chains * (products + 1) * matrices + 1)]
    lines.append(f"%zero = arith.constant dense<{'0.0' if is_float else '0'}> : {tiles[acc]}")
    for chain in range(chains):
        last = None
        for number in range(products + 1):
            place = (chain * (products + 1) + number) * matrices
            name = f"%m{chain}_{number}"
            lines.append(f"{name} = tile.load %in[%c{place}, %c0, %c0]{walked} : {views[element]} -> {tiles[element]}")
            if last:
                lhs, rhs = (last, name) if number == 1 else (name, last)
                if element != acc and number > 1:
                    lines.append(f"%h{chain}_{number} = arith.truncf {last} : {tiles[acc]} to {tiles[element]}")
                    rhs = f"%h{chain}_{number}"
                last = f"%d{chain}_{number}"
                lines.append(f"{last} = tile.dot {lhs}, {rhs}, %zero : {tiles[element]}, {tiles[element]} -> {tiles[acc]}")
            else:
                last = name
        lines.append(f"%n{chain} = arith.{'negf' if is_float else 'subi %zero,'} {last} : {tiles[acc]}")
    for chain in range(chains):
        lines.append(f"tile.store %n{chain}, %out[%c{chain * matrices}, %c0, %c0]{walked} : {tiles[acc]}, {views[acc]}")
    lines += ["return", "}", f"func.func @g({parameters}) -> index {{", "%c1 = arith.constant 1 : index", "return %c1 : index", "}"]
    return "\n".join(lines) + "\n"


class IndependentProducts(unittest.TestCase):
    """Products of equal shape that share nothing, as matrices of one product: each keeps its bits, whatever the others hold."""

    def test_each_keeps_its_bits(self):
        random = np.random.default_rng(4)
        for element, acc, chains, products, batch, extent, warps, is_stacked in INDEPENDENT:
            text = independent(element, acc, chains, products, batch, extent, warps)
            matrices = batch or 1
            shape = (chains, products + 1, matrices, extent, extent)
            whole = random.integers(-2, 3, shape)  # Exact in f16, too.
            inputs = [whole.astype(NUMPY[element])]
            expected = [whole[:, 0] @ whole[:, 1]]
            for number in range(2, products + 1):
                expected[0] = whole[:, number] @ expected[0]
            if element[0] == "f":
                real = random.normal(0, 1, shape).astype(NUMPY[element])
                # In one chain alone, in its first and in its last matrix.
                special = real.copy()
                special[1, 0, 0, 1, 2], special[1, -1, -1, :, 3], special[1, -1, 0, 0, 0] = np.inf, -np.inf, np.nan
                inputs += [real, special]
            for target in ("sm_80", "sm_90a"):
                with self.subTest(element=element, acc=acc, chains=chains, products=products, extent=extent, target=target):
                    apart = tilewright.compile(text, target, lazy=True, disable_pass=["tile-select-dot"])
                    module = tilewright.compile(text, target, lazy=arrays.backends() == ("emulator",))
                    found = {r["message"].partition(": ")[0].endswith("become one of several matrices")
                             for r in module.remarks if "independent products" in r["message"]}
                    self.assertEqual(found, {is_stacked})
                    for number, values in enumerate(inputs):
                        values = values.reshape(-1, extent, extent)
                        out = arrays.Output((chains * matrices, extent, extent), NUMPY[acc])
                        apart["k"](values, out.array, backend="emulator")
                        wanted = out.array.copy()
                        if number == 0:
                            arrays.assert_same_bits(wanted, -expected[0].reshape(wanted.shape).astype(NUMPY[acc]))
                        for backend in arrays.backends():
                            out = arrays.Output(wanted.shape, NUMPY[acc])
                            module["k"](values, out.array, backend=backend)
                            out.check_border()
                            nans = np.isnan(wanted) if acc[0] == "f" else np.zeros(wanted.shape, bool)
                            self.assertEqual(nans.any(), number == 2)
                            arrays.assert_same_bits(np.where(nans, 0, out.array), np.where(nans, 0, wanted), f"{backend} {number}")
                            if number == 2:
                                np.testing.assert_array_equal(np.isnan(out.array), nans)
                                self.assertTrue(np.isfinite(out.array[:matrices]).all())


class MergedProducts(unittest.TestCase):
    def test_every_direction(self):
        random = np.random.default_rng(3)
        for element, acc, along, count, batch, m, n, k, in_order, is_merged in CASES:
            text, (rows, columns, depth) = program(element, acc, along, count, batch, m, n, k, in_order)
            shape = (batch,) if batch else ()
            a, b, init = (random.integers(-3, 4, shape + extents)
                          for extents in ((rows, depth), (depth, columns), (rows, columns)))
            expected = (init + a @ b).astype(NUMPY[acc])
            for target in ("sm_80", "sm_90a"):
                with self.subTest(element=element, acc=acc, along=along, extents=(batch, m, n, k), target=target):
                    module = tilewright.compile(text, target)
                    merges = [r["message"] for r in module.remarks if "products side by side" in r["message"]]
                    self.assertEqual({"become one" in message for message in merges}, {is_merged})  # In all variants.
                    for backend in arrays.backends():
                        out = arrays.Output(expected.shape, NUMPY[acc])
                        operands = [x.astype(NUMPY[element]) for x in (a, b)]
                        module["k"](*operands, init.astype(NUMPY[acc]), out.array, backend=backend)
                        arrays.assert_same_bits(out.array, expected, f"{backend} {target}")
                        out.check_border()


if __name__ == "__main__":
    unittest.main()
