# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Kernels of pointers, copies and atomics give the same bits in every configuration; see Inputs/differential.py."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import even_k_loops
from differential import Case, In, Launch, Out, main

F16, F32, I32 = np.float16, np.float32, np.int32


def integers(shape, dtype=F32, seed=0):
    return np.random.default_rng([seed, *shape]).integers(-4, 5, shape).astype(dtype)


def cat(rows, columns, offset, width, layout="C"):
    arguments = [In(integers((rows, columns), F16), layout), Out((rows, width), F16, layout), offset]
    return Launch("cat", arguments, f"{rows}x{columns} at {offset} of {width} {layout}")


def vector_add(size, layout):
    x, y = integers((size,)), integers((size,), seed=1)
    return Launch("vector_add", [In(x, layout), In(y, layout), Out((size,), F32, layout)], f"{size} {layout}")


def vector_add_ptr(size, layout, kernel="vector_add_ptr"):
    x, y = integers((size,)), integers((size,), seed=1)
    return Launch(kernel, [In(x, layout), In(y, layout), Out((size,), F32, layout), size], f"{size} {layout}")


def histogram(kernel, size, bins, layout):
    x = np.random.default_rng(size).integers(-3, bins + 3, size).astype(I32)
    counts = Out((bins,), I32, layout, values=np.arange(bins) % 3)
    return Launch(kernel, [In(x, layout), counts], f"{size} in {bins} {layout}")


def rows_of(values, stride):
    """The rows one after the other, `stride` elements apart, NaN between them."""
    room = np.full((values.shape[0], stride), np.nan, values.dtype)
    room[:, : values.shape[1]] = values
    return room.ravel()


def triton_softmax(rows, columns, stride):
    x = np.where(np.random.default_rng(columns).random((rows, columns)) < 0.5, 0, -np.inf).astype(F32)
    x[:, -1:] = 0
    arguments = [In(rows_of(x, stride)), Out((rows * stride,), F32), rows, columns, stride]
    return Launch("softmax", arguments, f"{rows}x{columns} rows of {stride}")


def triton_matmul(m, n, k, pad):
    a, b = integers((m, k), F16), integers((k, n), F16, 1)
    arguments = [In(rows_of(a, k + pad)), In(rows_of(b, n + pad)), Out((m * (n + pad),), F16)]
    return Launch("matmul", arguments + [m, n, k, k + pad, n + pad, n + pad], f"{m}x{n}x{k} pad {pad}")


def triton():
    launches = [vector_add_ptr(size, layout, "add") for size, layout in
                ((1024, "C"), (4096, "C"), (1000, "odd"), (1025, "C"), (1, "C"), (0, "C"))]
    launches += [triton_softmax(*size) for size in ((3, 17, 17), (4, 64, 80), (2, 1000, 1001), (2, 1024, 1024), (1, 1, 1))]
    return launches + [triton_matmul(*size) for size in
                       ((64, 64, 32, 0), (65, 63, 33, 7), (100, 130, 96, 8), (3, 70, 31, 1), (64, 64, 0, 0), (64, 64, 300, 4),
                        (72, 72, 64, 0), (72, 72, 40, 0))]


def loops():
    """Loops with no, one, two, three and many trips, whose ends are in memory: each program has its own."""
    ends = np.array([-(2**31), -40, -1, 0, 1, 15, 16, 17, 31, 32, 33, 48, 64, 70, 2**31 - 1], I32)
    for rows, columns in ((4, 64), (0, 64), (1, 33), (8, 48), (7, 16), (12, 1), (3, 0), (16, 200), (8, 20), (8, 22)):
        values = np.random.default_rng(rows * 100 + columns).integers(-99, 99, (rows, columns)).astype(I32)
        arguments = [In(values, "odd" if columns % 2 else "C"), In(ends), Out((len(ends), 4, 16), I32, "dense")]
        yield Launch("sums", arguments, f"{rows}x{columns}")
        # A result that has room for one program more, and one that lies anywhere.
        arguments = [In(values), In(ends[:-1]), Out((len(ends), 4, 16), I32, "dense odd" if rows % 8 else "dense")]
        yield Launch("sums", arguments, f"{rows}x{columns} in a larger result")


with open(os.path.join(arrays.EXAMPLES, "..", "test", "EndToEnd", "Inputs", "triton_style.mlir")) as file:
    TRITON = file.read()
VECTORS = ((1024, "C"), (4096, "C"), (1000, "odd"), (1023, "step"), (2049, "reversed"), (1, "C"), (0, "C"), (6000, "C"))
HISTOGRAMS = ((1, 1, "C"), (2048, 64, "C"), (1025, 65, "odd"), (3001, 128, "step"), (700, 256, "reversed"), (2000, 50, "C"), (0, 5, "C"))
CASES = [
    Case("cat", elements.source("cat"),
         [cat(32, 128, 0, 256), cat(33, 100, 28, 128), cat(64, 64, 64, 128), cat(20, 50, 30, 100, "odd"),
          cat(19, 40, 0, 60, "F"), cat(9, 150, 1, 151, "step"), cat(9, 5, 0, 5, "reversed"), cat(0, 5, 0, 5), cat(5, 0, 0, 5)]),
    Case("vector_add", elements.source("vector_add"),
         [vector_add(*size) for size in VECTORS] +
         [vector_add_ptr(size, layout) for size, layout in VECTORS if layout in ("C", "odd")]),
    Case("histogram", elements.source("histogram"),
         [histogram(kernel, *size) for size in HISTOGRAMS for kernel in ("histogram", "histogram_private")]),
    Case("triton_style", TRITON, triton(), {"64": 32, "32": 16}),
    *[Case(f"loops_from_{first}", even_k_loops.sums(first), list(loops())) for first in (0, 5)],
]

if __name__ == "__main__":
    main(CASES)
