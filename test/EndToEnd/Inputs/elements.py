# SPDX-License-Identifier: Apache-2.0
"""Kernels and arrays of f16, bf16, f32 and the two kinds of fp8: one text of a kernel serves them.

bf16 arrays are uint16 arrays of the bits here, fp8 arrays uint8 arrays, since NumPy has no such types.
"""

import os
import re

import numpy as np

import arrays
import tilewright

TYPES = ("f16", "bf16", "f32")
FP8 = ("f8E4M3FN", "f8E5M2")
# Largest relative error of one rounding to nearest.
ROUNDING = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24}
DTYPES = {
    "f16": np.dtype(np.float16), "bf16": np.dtype(np.uint16), "f32": np.dtype(np.float32),
    "f8E4M3FN": np.dtype(np.uint8), "f8E5M2": np.dtype(np.uint8),
}


def source(name, type="f16", changes=()):
    """The text of examples/NAME.mlir, an f16 kernel, for another element type.

    `changes` are pairs of a text that must occur and what it becomes; they apply before the type changes. A cast from
    f32 to f32 is no cast: its result becomes another name of its operand.
    """
    with open(os.path.join(arrays.EXAMPLES, name + ".mlir")) as file:
        text = file.read()
    for old, new in changes:
        assert old in text, f"{name} has no {old!r}"
        text = text.replace(old, new)
    text = re.sub(r"\bf16\b|(?<=x)f16\b", type, text)
    if type == "f32":
        functions = re.split(r"(?m)^(?=func\.func)", text)
        text = "".join(_drop_casts(function) for function in functions)
    return text


def narrow_source(name, type):
    """The text of examples/NAME.mlir, an f32 kernel over views, for inputs and outputs of `type`; it goes on computing
    in f32: what is loaded is widened, and what is stored rounded once."""
    with open(os.path.join(arrays.EXAMPLES, name + ".mlir")) as file:
        text = file.read()
    if type == "f32":
        return text
    text = re.sub(r"(!tile\.view<[?x0-9]*x)f32\b", r"\1" + type, text)
    text, loads = re.subn(
        r"(%\w+) = tile\.load (.*-> tensor<([0-9x]*)x)f32>",
        rf"\1_narrow = tile.load \2{type}>\n\1 = arith.extf \1_narrow : tensor<\3x{type}> to tensor<\3xf32>", text,
    )
    text, stores = re.subn(
        r"tile\.store (%\w+), (.*: tensor<([0-9x]*)x)f32>",
        rf"\1_out = arith.truncf \1 : tensor<\3xf32> to tensor<\3x{type}>\ntile.store \1_out, \2{type}>", text,
    )
    assert loads and stores, f"{name} loads or stores no f32"
    return text


def operands_source(name, type):
    """The text of examples/NAME.mlir, an f16 kernel `c = a * b`, for operands a and b of `type`."""
    text = source(name)
    view = re.search(r"!(\w+) = !tile\.view<.*\n", text)
    low = view[0].replace(view[1], "low").replace("f16", type)
    text = text.replace(view[0], view[0] + low)
    text = re.sub(rf"(%[ab]: )!{view[1]}\b", r"\1!low", text)
    text = re.sub(rf"(tile\.view_size %[ab], .* : )!{view[1]}\b", r"\1!low", text)
    text, loads = re.subn(
        rf"(%\w+) = tile\.load (.*) : !{view[1]} -> tensor<([0-9x]*)xf16>", rf"\1 = tile.load \2 : !low -> tensor<\3x{type}>",
        text,
    )
    dot = re.search(r"tile\.dot (.*) : (.*) -> .*\n", text)
    assert loads == 2 and dot, f"{name} is no product of two loads"
    return text.replace(dot[0], dot[0].replace(dot[2], dot[2].replace("f16", type)))


def _drop_casts(function):
    """Removes casts in a function, whose names are its own."""
    pattern = re.compile(r"^ *(%\w+) = arith\.(?:extf|truncf) (%\w+) : .*\n", re.MULTILINE)
    while match := pattern.search(function):
        function = function[: match.start()] + function[match.end() :]
        function = re.sub(re.escape(match[1]) + r"\b", match[2], function)
    return function


def compile(name, type="f16", changes=(), **options):
    """Compiles examples/NAME.mlir for an element type."""
    return tilewright.compile(source(name, type, changes), **options)


def encode(values, type):
    """The nearest numbers of `type`, ties to even; NaN stays NaN. fp8: whole numbers from -4 to 4 alone."""
    if type in FP8:
        # Bits of 0, 1, 2, 3 and 4; the sign is the highest bit.
        bits = np.array([0x00, 0x38, 0x40, 0x44, 0x48] if type == "f8E4M3FN" else [0x00, 0x3C, 0x40, 0x42, 0x44], np.uint8)
        values = np.asarray(values).astype(int)
        return bits[np.abs(values)] | np.where(values < 0, 0x80, 0).astype(np.uint8)
    if type != "bf16":
        return np.asarray(values).astype(DTYPES[type])
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = ((bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded).astype(np.uint16)


def decode(array, type):
    """The numbers of an array in double precision."""
    if type != "bf16":
        return array.astype(np.float64)
    return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def argument(array, type):
    """What a kernel of `type` is called with."""
    return tilewright.as_type(array, type) if DTYPES[type].kind == "u" else array
