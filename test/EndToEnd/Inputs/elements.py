# SPDX-License-Identifier: Apache-2.0
"""Kernels and arrays of f16, bf16 and f32: one text of a kernel serves all three.

bf16 arrays are uint16 arrays of the bits here, since NumPy has no such type.
"""

import os
import re

import numpy as np

import arrays
import tilewright

TYPES = ("f16", "bf16", "f32")
# Largest relative error of one rounding to nearest.
ROUNDING = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24}
DTYPES = {"f16": np.dtype(np.float16), "bf16": np.dtype(np.uint16), "f32": np.dtype(np.float32)}


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
    """The nearest numbers of `type`, ties to even; NaN stays NaN."""
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
    return tilewright.as_type(array, type) if type == "bf16" else array
