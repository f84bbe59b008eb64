# SPDX-License-Identifier: Apache-2.0
"""The versions of the examples that their tests run: each element type and shape, as the text of a module."""

import os

import arrays
import elements
import tilewright

# attention for heads of 128: the extents that are a head's.
WIDE_HEADS = (
    ("?x64xf16, strides", "?x128xf16, strides"),
    ("?x64x?xf16, strides", "?x128x?xf16, strides"),
    ("!q_tile = tensor<128x64xf16>", "!q_tile = tensor<128x128xf16>"),
    ("!k_tile = tensor<64x64xf16>", "!k_tile = tensor<128x64xf16>"),
    ("!v_tile = tensor<64x64xf16>", "!v_tile = tensor<64x128xf16>"),
    ("!o_tile = tensor<128x64xf32>", "!o_tile = tensor<128x128xf32>"),
)
# The same for 64 queries: products of f32 have both operands in shared memory, and a tile of 128x128 beside one of
# 128x64 is more than the 99 KB that a program may have there.
WIDE_HEADS_FEW_QUERIES = (
    *WIDE_HEADS[:2],
    ("arith.constant 128 : index", "arith.constant 64 : index"),
    ("tensor<128x", "tensor<64x"),
    ("!q_tile = tensor<64x64xf16>", "!q_tile = tensor<64x128xf16>"),
    ("!k_tile = tensor<64x64xf16>", "!k_tile = tensor<128x64xf16>"),
    ("!v_tile = tensor<64x64xf16>", "!v_tile = tensor<64x128xf16>"),
    ("!o_tile = tensor<64x64xf32>", "!o_tile = tensor<64x128xf32>"),
)
LITTLE_SHARED_MEMORY = ("sm_89", "sm_120a")
LOWEST = {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}


def _replaced(name, *changes):
    """The text of an example with `changes`, pairs of a text and what it becomes."""
    with open(os.path.join(arrays.EXAMPLES, name + ".mlir")) as file:
        text = file.read()
    for old, new in changes:
        assert old in text, f"{name} has no {old!r}"
        text = text.replace(old, new)
    return text


def _attention(target):
    texts = {(type, 64): elements.source("attention", type) for type in elements.TYPES}
    for type in elements.TYPES:
        is_narrow = type == "f32" and target in LITTLE_SHARED_MEMORY
        texts[type, 128] = elements.source("attention", type, WIDE_HEADS_FEW_QUERIES if is_narrow else WIDE_HEADS)
    return texts


def _product(name):
    texts = {type: elements.source(name, type) for type in elements.TYPES}
    return texts | {type: elements.operands_source(name, type) for type in elements.FP8}


SPECIAL = {
    "bmm": lambda: _product("bmm"),
    "cat": lambda: {type: _replaced("cat", ("f16", type)) for type in ("f16", "f32", "i8", "i64", "bf16")},
    "cumsum": lambda: {type: _replaced("cumsum", ("f16", type)) for type in ("f16", "bf16")},
    "histogram": lambda: {"i32": _replaced("histogram")},
    "matmul": lambda: _product("matmul"),
    "softmax": lambda: {type: elements.narrow_source("softmax", type) for type in elements.TYPES},
    "top1": lambda: {type: _replaced("top1", (LOWEST["f32"], LOWEST[type]), ("f32", type)) for type in LOWEST},
    "vector_add": lambda: {type: _replaced("vector_add", ("f32", type)) for type in elements.TYPES},
}


def texts(name, target="sm_90a"):
    """The versions of examples/NAME.mlir by what tells them apart: the element type of what goes in, for `attention` with
    the width of a head."""
    if name == "attention":
        return _attention(target)
    if name in SPECIAL:
        return SPECIAL[name]()
    return {type: elements.source(name, type) for type in elements.TYPES}


def compile(name, target="sm_90a"):
    """The modules of all versions."""
    return {version: tilewright.compile(text, target=target) for version, text in texts(name, target).items()}
