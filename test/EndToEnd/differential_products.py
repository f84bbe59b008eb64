# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Products and inverses give the same bits in every configuration; see Inputs/differential.py."""

import itertools
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import pairs_matmul
from differential import Case, In, Launch, Out, main

F16 = np.float16


def integers(shape, seed=0):
    """Small integers: every partial sum is exact in f32, so any order of summation gives the same bits."""
    return np.random.default_rng([seed, *shape]).integers(-4, 5, shape).astype(F16)


def product(kernel, m, n, k, layouts="C C C", batch=(), change=None, spare=0):
    """`spare`: matrices of a and b that c has no place for."""
    layouts = layouts.split()
    of_c = batch
    batch = tuple(count + spare for count in batch)
    a, b = integers((*batch, m, k)), integers((*batch, k, n), seed=1)
    if change:
        change(a, b)
    arguments = [In(a, layouts[0]), In(b, layouts[1]), Out((*of_c, m, n), F16, layouts[2])]
    return Launch(kernel, arguments, f"{m}x{n}x{k} {' '.join(layouts)}")


def specials(a, b):
    a[3, 2], b[0, 3], b[1, 5], a[7, 0] = np.nan, np.inf, -np.inf, 0


# Whole tiles with 1, 2, 3 and many trips; whole steps along K alone; aligned rows; unit strides; anything; nothing.
SIZES = (
    (128, 128, 64),
    (100, 128, 128),
    (129, 136, 72),
    (70, 100, 63),
    (33, 70, 65, "F F F"),
    (128, 128, 16),
    (128, 128, 48),
    (128, 128, 32, "C F C"),
    (40, 30, 20, "step reversed step"),
    (64, 64, 64, "odd odd odd"),
    (32, 32, 0),
    (32, 32, 330),
    (0, 64, 16),
    (16, 0, 64),
)
SMALL = {"128": 32, "64": 16}


def inverse():
    for extent, blocks, layout in itertools.product((16, 64), (1, 5), (*arrays.LAYOUTS, "odd")):
        a = np.random.default_rng(2).choice([-1, 0, 1], (blocks, extent, extent), p=[0.02, 0.96, 0.02]).astype(F16)
        # Above the diagonal nothing is looked at.
        a[:, *np.triu_indices(extent)] = np.nan
        arguments = [In(a, layout), Out(a.shape, F16, layout)]
        yield Launch(f"triangular_inverse_{extent}", arguments, f"{blocks} {layout}")


CASES = [
    *[Case(name, text, [product("matmul", *size) for size in SIZES], SMALL) for name, text in
      (("matmul_plain", pairs_matmul.plain()), ("matmul_peeled_by_hand", pairs_matmul.peeled_by_hand()))],
    *[Case(name, text, [product("matmul", *size, batch=(2,)) for size in SIZES] +
           [product("matmul", 64, 64, 64, batch=(2,), spare=1)], SMALL) for name, text in
      (("batched_plain", pairs_matmul.batched_plain()), ("batched_by_hand", pairs_matmul.batched_by_hand()))],
    Case("matmul_whole_by_hand", pairs_matmul.whole_by_hand(),
         [product("matmul", *size) for size in ((128, 128, 64), (256, 128, 192), (128, 256, 0), (0, 128, 64))], SMALL),
    Case("matmul", elements.source("matmul"),
         [product("matmul", *size) for size in SIZES] + [product("matmul", 20, 20, 20, change=specials)], SMALL),
    Case("bmm", elements.source("bmm"), [product("bmm", *size, batch=(2,)) for size in SIZES], SMALL),
    Case("triangular_inverse", elements.source("triangular_inverse"), list(inverse()), warps=(None, "4", "8")),
]

if __name__ == "__main__":
    main(CASES)
