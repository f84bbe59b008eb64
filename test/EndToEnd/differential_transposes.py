# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Transposes in every place, and products with each combination of them, give the same bits in every configuration; see
Inputs/differential.py."""

import itertools
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import pairs_bmm
from differential import Case, In, Launch, Out, main

F16, F32 = np.float16, np.float32


def integers(shape, dtype=F16, seed=0):
    """Small integers: every partial sum is exact in f32, so any order of summation gives the same bits."""
    return np.random.default_rng([seed, *shape]).integers(-4, 5, shape).astype(dtype)


def transposes():
    """What test/EndToEnd/fold_transpose.py runs, in few sizes."""
    sizes = {
        "chain": (((32, 64), (64, 32), (64, 32)), ((17, 33), (33, 17), (33, 17))),
        "ahead": (((0, 29), (1, 1), (32, 30)), ((32, 32), (1, 1), (32, 32)), ((100, 29), (1, 1), (32, 30))),
        "product": (((32, 32), (64, 32), (64, 32)), ((7, 31), (50, 31), (64, 30))),
        "sums": (((32, 32), (32, 64), (32, 1)), ((30, 32), (32, 61), (32, 1))),
    }
    for kernel, shapes in sizes.items():
        for (x, y, out), layout in itertools.product(shapes, ("C", "F", "odd")):
            arguments = [In(integers(x, F32), layout), In(integers(y, F32, 1), layout), Out(out, F32, layout)]
            yield Launch(kernel, arguments, f"{x} {y} {layout}")
    for layout, columns in (("C", 32), ("C", 31), ("F", 31), ("odd", 31)):
        x, y = integers((32, columns), F32), integers((32, 32), F32, 1)
        arguments = [Out(x.shape, F32, layout, values=x), In(y, layout), Out((32, 32), F32, layout)]
        yield Launch("in_place", arguments, layout)


def pairs():
    """Each combination of transposes, written with permutes and by hand with permuted views."""
    for a, b, c in itertools.product((False, True), repeat=3):
        launches = []
        for m, n, k in ((128, 128, 64), (70, 66, 45), (128, 64, 0), (64, 66, 33), (72, 72, 64), (72, 72, 40)):
            x, y = integers((2, m, k)), integers((2, k, n), seed=1)
            x, y = (np.ascontiguousarray(v.swapaxes(1, 2)) if turn else v for v, turn in ((x, a), (y, b)))
            out = Out((2, n, m) if c else (2, m, n), F16)
            launches.append(Launch("bmm", [In(x), In(y), out], f"{m}x{n}x{k}"))
        for form in ("plain", "by_hand"):
            name = "bmm_" + "".join("nt"[turn] for turn in (a, b, c)) + "_" + form
            text = pairs_bmm.kernel(a, b, c, form == "plain")
            yield Case(name, text, launches, {"64": 32, "32": 16})


with open(os.path.join(arrays.EXAMPLES, "..", "test", "EndToEnd", "Inputs", "transposes.mlir")) as file:
    TRANSPOSES = file.read()
CASES = [Case("transposes", TRANSPOSES, list(transposes())), *pairs()]

if __name__ == "__main__":
    main(CASES)
