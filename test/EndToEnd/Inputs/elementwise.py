# SPDX-License-Identifier: Apache-2.0
"""Runs one op on many elements: kernels that load operands, apply an op and store the result, compared bit by bit.

Values are arrays of bits, unsigned integers as wide as the element; i1 has one byte.
"""

from dataclasses import dataclass

import numpy as np

import arrays
import tilewright

BYTES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f8E4M3FN": 1, "f8E5M2": 1, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}


@dataclass
class Case:
    """`op` is text with {0}, {1}, .. for operands and {t0}, .., {r} for their tile types and that of the result; without
    types it gets the usual `: {t0}`. `want` is compared where `where` holds; elsewhere the op may give anything."""

    op: str
    operands: list  # of (type, bits)
    result: str
    want: np.ndarray
    where: np.ndarray | None = None
    # A pair of predicates: what counts as right besides equal bits.
    same: object = None


def bits_of(values, type):
    """An array of the bits of integers in `type`, which wrap."""
    mask = (1 << 8 * BYTES[type]) - 1
    return np.array([int(value) & mask for value in values], np.dtype(f"u{BYTES[type]}"))


def _kernel(name, case, count):
    def tile(type):
        return f"tensor<{count}x{type}>"

    def view(type):
        return f"!tile.view<{count}x{type}, strides = [1]>"

    types = [type for type, _ in case.operands]
    words = {f"t{i}": tile(type) for i, type in enumerate(types)} | {"r": tile(case.result)}
    text = case.op if "{t0}" in case.op else case.op + " : {t0}"
    text = text.format(*(f"%a{i}" for i in range(len(types))), **words)
    if "%r = " not in text and "%r, " not in text and ", %r" not in text:
        text = "%r = " + text
    parameters = ", ".join([f"%x{i}: {view(type)}" for i, type in enumerate(types)] + [f"%y: {view(case.result)}"])
    loads = "".join(f"  %a{i} = tile.load %x{i}[%c0] : {view(type)} -> {tile(type)}\n" for i, type in enumerate(types))
    return (f"func.func @{name}({parameters}) attributes {{tile.kernel, tile.grid = @{name}_grid}} {{\n"
            f"  %c0 = arith.constant 0 : index\n{loads}  {text}\n"
            f"  tile.store %r, %y[%c0] : {tile(case.result)}, {view(case.result)}\n  return\n}}\n"
            f"func.func @{name}_grid({parameters}) -> index {{\n  %c1 = arith.constant 1 : index\n"
            f"  return %c1 : index\n}}\n")


def _argument(bits, type):
    if type == "i1":
        return bits.view(np.bool_)
    return tilewright.as_type(bits, type) if type[0] in "fb" else bits


def run(test, cases):
    """Runs every case on every backend; a subtest of `test` for each."""
    module = tilewright.compile("".join(_kernel(f"k{i}", case, len(case.want)) for i, case in enumerate(cases)))
    for i, case in enumerate(cases):
        for backend in arrays.backends():
            types = [type for type, _ in case.operands]
            with test.subTest(op=case.op, types=types, result=case.result, backend=backend):
                dtype = np.dtype(f"u{BYTES[case.result]}")
                got = np.full(len(case.want), 0xA5, dtype)
                module[f"k{i}"](*(_argument(bits, type) for type, bits in case.operands), _argument(got, case.result),
                                backend=backend)
                want = np.asarray(case.want, dtype)
                differ = got != want
                if case.same is not None:
                    differ &= ~case.same(got, want)
                if case.where is not None:
                    differ &= case.where
                if differ.any():
                    place = int(np.argmax(differ))
                    operands = ", ".join(hex(int(bits[place])) for _, bits in case.operands)
                    test.fail(f"{int(differ.sum())} of {len(want)} differ, first of {operands}: "
                              f"{hex(int(got[place]))} is not {hex(int(want[place]))}")
