# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Attention and the gated delta rule give the same bits in every configuration; see Inputs/differential.py."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import elements
from differential import Case, In, Launch, Out, main

F16, F32 = np.float16, np.float32
WIDTH = 64


def attention(kernel, batches, heads, queries, keys, layout="C", whole=True):
    """`whole`: a scale of 0 gives equal weights, so that sums are of small integers and one division follows."""
    random = np.random.default_rng(queries + keys)
    shapes = ((batches, heads[0], queries, WIDTH),) + ((batches, heads[1], keys, WIDTH),) * 2
    inputs = [random.integers(-2, 3, shape) if whole else random.normal(0, 1, shape) for shape in shapes]
    arguments = [In(x.astype(F16), layout) for x in inputs] + [Out(shapes[0], F16, layout), 0.0 if whole else WIDTH**-0.5]
    # The order of sums in f32 shows in the last bits of f32, which may turn a rounding to f16: of weights and of results.
    close = {} if whole else {"rtol": 2.0**-10, "atol": 2.0**-10}
    return Launch(kernel, arguments, f"{shapes} {layout} {'whole' if whole else 'real'}", **close)


def delta_rule(batches, heads, positions, layout="C", whole=True, spare=0):
    """`whole`: keys are unit vectors, each met at most twice, gates 0, steps 1 and values small integers, so that all that
    is summed up are small integers. `spare` heads of all arrays but q are never looked at."""
    random = np.random.default_rng(positions)
    shape = (batches, heads + spare, positions)
    first = random.integers(-4, 5, (batches, heads + spare, WIDTH, WIDTH))
    if whole:
        k = np.broadcast_to(np.eye(WIDTH)[np.arange(positions) % WIDTH], (*shape, WIDTH))
        q, v = random.integers(-2, 3, (2, *shape, WIDTH))
        g, beta = np.zeros(shape), np.ones(shape)
    else:
        q, k, v = random.normal(0, 1, (3, *shape, WIDTH))
        q, k = (x / np.linalg.norm(x, axis=3, keepdims=True) for x in (q, k))
        g, beta = random.uniform(-0.1, 0, shape), random.uniform(0, 1, shape)
    q = q[:, :heads]
    arguments = [In(x.astype(F16), layout) for x in (q, k, v)] + [In(x.astype(F32), layout) for x in (g, beta, first)]
    arguments += [Out((*shape, WIDTH), F16, layout), Out(first.shape, F32, layout), 1.0]
    # As in gated_delta_rule.py: operands of products are rounded to f16 on the way.
    close = {} if whole else {"rtol": 2.0**-10, "atol": 2.0**-8}
    return Launch("gated_delta_rule", arguments, f"{shape} {layout} {'whole' if whole else 'real'}", **close)


ATTENTION = [
    (1, (1, 1), 128, 128),
    (1, (1, 1), 70, 192),
    (1, (2, 1), 33, 70),
    (1, (1, 1), 40, 20, "F"),
    (2, (2, 2), 17, 67, "step"),
    (1, (1, 1), 30, 64, "odd"),
    (1, (1, 1), 5, 1, "reversed"),
    (1, (1, 1), 64, 0),
    (1, (1, 1), 0, 64),
    (1, (1, 1), 50, 100, "C", False),
]
DELTA_RULE = [(1, 1, 64), (1, 2, 128), (1, 1, 70, "F"), (1, 1, 65, "odd"), (1, 1, 0), (1, 1, 200), (1, 1, 100, "C", False),
              (1, 2, 64, "C", True, 1)]
CASES = [
    Case("attention", elements.source("attention"),
         [attention(kernel, *size) for size in ATTENTION for kernel in ("attention", "attention_causal")],
         {"128": 32}, warps=(None, "2", "4")),
    Case("gated_delta_rule", elements.source("gated_delta_rule"), [delta_rule(*size) for size in DELTA_RULE],
         warps=(None, "8", "16")),
]

if __name__ == "__main__":
    main(CASES)
