# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Kernels that reduce or scan rows give the same bits in every configuration; see Inputs/differential.py."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import elements
from differential import Case, In, Launch, Out, main

F16, F32, I32 = np.float16, np.float32, np.int32

# Rows and columns: blocks of columns in 0, 1, 2, 3 and many trips, whole and not.
SIZES = (
    (4, 256, "C"),
    (8, 512, "C"),
    (3, 255, "C"),
    (5, 256, "C"),
    (5, 64, "odd"),
    (6, 128, "F"),
    (2, 192, "step"),
    (4, 1000, "C"),
    (7, 70, "reversed"),
    (4, 0, "C"),
    (0, 5, "C"),
    (1, 1, "C"),
)


def random(*seed):
    return np.random.default_rng(seed)


def integers(rows, columns):
    return random(rows, columns).integers(-9, 10, (rows, columns))


def softmax(rows, columns, layout, whole=True):
    """`whole`: zeros and -inf, whose exponentials are 1 and 0, so that every sum is an integer."""
    if whole:
        x = np.where(random(rows, columns).random((rows, columns)) < 0.5, 0, -np.inf)
        x[:, -1:] = 0
    else:
        x = random(rows, columns).normal(0, 3, (rows, columns))
    # The order of sums of up to 1000 positive numbers in f32.
    close = {} if whole else {"rtol": 2e-5, "atol": 1e-9}
    arguments = [In(x.astype(F32), layout), Out(x.shape, F32, layout)]
    return Launch("softmax", arguments, f"{x.shape} {layout} {'whole' if whole else 'real'}", **close)


def cumsum(kernel, dtype, rows, columns, layout):
    x = integers(rows, columns).astype(dtype)
    return Launch(kernel, [In(x, layout), Out(x.shape, dtype, layout)], f"{x.shape} {layout}")


def top1(rows, columns, layout, change=None, spare=0):
    """`spare`: elements of the results that no row belongs to."""
    x = integers(rows, columns).astype(F32)
    if change:
        change(x)
    arguments = [In(x, layout), Out((rows + spare,), F32, layout), Out((rows + spare,), I32, layout)]
    return Launch("top1", arguments, f"{x.shape} {layout}")


def top1_specials(x):
    x[0, 5], x[1, 70], x[2], x[3, ::2] = np.nan, np.inf, -np.inf, -0.0


def norm(kernel, rows, columns, layout, whole):
    """`whole`: rows whose blocks have a mean of zero and sums of integers, so that only the last steps round."""
    if whole:
        half = random(rows, columns).integers(-4, 5, (rows, 32))
        x = np.concatenate([half, -half] * (columns // 64), axis=1) if columns else np.zeros((rows, 0))
    else:
        x = random(rows, columns).normal(0.5, 3, (rows, columns))
    vectors = random(columns).integers(-4, 5, (2, columns))
    arguments = [In(array.astype(F16), layout) for array in (x, *vectors[: 2 if kernel == "layernorm" else 1])]
    arguments += [Out(x.shape, F16, layout), 1e-5]
    # Sums in f32 in another order, then one rounding to f16.
    close = {} if whole else {"rtol": 2.0**-10, "atol": 1e-4}
    return Launch(kernel, arguments, f"{x.shape} {layout} {'whole' if whole else 'real'}", **close)


def norms(kernel):
    sizes = ((2, 1024, "C"), (4, 2048, "C"), (3, 128, "odd"), (2, 320, "F"), (2, 192, "step"), (4, 64, "reversed"),
             (3, 0, "C"), (0, 64, "C"), (2, 384, "C"))
    launches = [norm(kernel, *size, True) for size in sizes]
    return launches + [norm(kernel, 3, 100, "C", False), norm(kernel, 4, 1100, "odd", False)]


def rope(shape, layout):
    """A table of integers, so that the result is exact whatever the order."""
    x = random(*shape).integers(-4, 5, shape).astype(F16)
    cos, sin = random(*shape).integers(-4, 5, (2, shape[2], shape[3] // 2)).astype(F32)
    arguments = [In(x, layout), In(cos, layout), In(sin, layout), Out(shape, F16, layout)]
    return Launch("rope", arguments, f"{shape} {layout}")


ROPE = (((1, 2, 32, 128), "C"), ((2, 2, 64, 64), "C"), ((1, 1, 7, 192), "C"), ((1, 3, 9, 10), "odd"), ((1, 2, 35, 66), "F"),
        ((2, 1, 20, 256), "step"), ((1, 1, 33, 62), "reversed"), ((1, 1, 0, 4), "C"), ((1, 2, 3, 0), "C"))
CUMSUMS = {"cumsum": F32, "cumsum_reverse": F32, "cumsum_half": F16, "cumsum_half_reverse": F16}
CASES = [
    Case("softmax", elements.source("softmax"),
         [softmax(*size) for size in SIZES] + [softmax(4, 700, "C", False), softmax(4, 512, "odd", False)], {"256": 64}),
    Case("layernorm", elements.source("layernorm"), norms("layernorm"), {"1024": 128}),
    Case("rmsnorm", elements.source("rmsnorm"), norms("rmsnorm"), {"1024": 128}),
    Case("cumsum", elements.source("cumsum"),
         [cumsum(kernel, dtype, *size) for size in SIZES for kernel, dtype in CUMSUMS.items()], {"256": 64}),
    Case("top1", elements.source("top1"),
         [top1(*size) for size in SIZES] + [top1(4, 100, "C", top1_specials), top1(5, 256, "C", spare=3)], {"256": 64}),
    Case("rope", elements.source("rope"), [rope(*size) for size in ROPE]),
]

if __name__ == "__main__":
    main(CASES)
