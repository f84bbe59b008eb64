# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/attention.mlir against NumPy: full, causal, grouped heads, three element types, heads of 64 and 128."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import versions

MODULES = versions.compile("attention")  # By element type and width of a head.


def reference(q, k, v, scale, causal):
    """Attention in double precision over [batch, head, position, width]."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = scale * (q @ k.swapaxes(2, 3))
    if causal:
        queries, keys = scores.shape[2:]
        seen = np.arange(keys)[None, :] <= np.arange(queries)[:, None] + keys - queries
        scores = np.where(seen, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        p = np.exp(scores - scores.max(axis=3, keepdims=True))
        p = p / p.sum(axis=3, keepdims=True)
    return np.nan_to_num(p) @ v


class Attention(unittest.TestCase):
    def check(self, batches, heads, queries, keys, type="f16", width=64, causal=False, layout="C", module=None,
              whole=False):
        """`heads` is a pair: query heads, key heads. `whole`: scores of integers, values of integers."""
        random = np.random.default_rng(queries + keys)
        shapes = ((batches, heads[0], queries, width),) + ((batches, heads[1], keys, width),) * 2
        values = [random.integers(-2, 3, shape) if whole else random.normal(0, 1, shape) for shape in shapes]
        inputs = [elements.encode(x, type) for x in values]
        scale = 0.0 if whole else width**-0.5
        expected = reference(*(elements.decode(x, type) for x in inputs), scale, causal)
        kernel = (module or MODULES[type, width])["attention_causal" if causal else "attention"]
        for backend in arrays.backends():
            o = arrays.Output(shapes[0], elements.DTYPES[type], layout)
            kernel(
                *(elements.argument(arrays.strided(x, layout), type) for x in inputs),
                elements.argument(o.array, type), scale, backend=backend,
            )
            # Weights are rounded to the element type before they meet v, independently of each other; the result is
            # rounded once more. Values are about 1, so an absolute error of two roundings of 4 is allowed. f32: sums of
            # 64 or 128 products of numbers about 1 are scores, whose error the weights take.
            arrays.assert_close(
                elements.decode(o.array, type), expected, rtol=elements.ROUNDING[type],
                atol=4 * elements.ROUNDING[type] if type != "f32" else 1e-5, what=f"{type} {shapes} causal={causal} {layout} on {backend}",
            )
            o.check_border()
        return o.array.copy()

    def test_lengths(self):
        for causal in (False, True):
            for queries, keys in ((1, 1), (1, 77), (128, 128), (129, 65), (77, 131)):
                with self.subTest(causal=causal, queries=queries, keys=keys):
                    self.check(1, (1, 1), queries, keys, causal=causal)

    def test_more_queries_than_keys(self):
        # Causal: the first queries see no key and get zeros.
        self.check(1, (1, 1), 150, 20, causal=True)

    def test_types_and_widths(self):
        for type, width in MODULES:
            for causal in (False, True):
                with self.subTest(type=type, width=width, causal=causal):
                    self.check(1, (1, 1), 130, 131, type, width, causal)

    def test_few_queries(self):
        # Where a program has little shared memory, one of f32 does 64 queries.
        module = versions.compile("attention", "sm_89")["f32", 128]
        for causal in (False, True):
            self.check(1, (1, 1), 130, 131, "f32", 128, causal, module=module)

    def test_grouped_heads(self):
        for heads in ((4, 2), (3, 1), (2, 2)):
            with self.subTest(heads=heads):
                self.check(2, heads, 33, 70, causal=True)

    def test_layouts(self):
        for layout in arrays.LAYOUTS:
            with self.subTest(layout=layout):
                self.check(2, (2, 1), 19, 67, layout=layout)

    def test_warps_agree(self):
        # A scale of 0 gives equal weights, so sums are of small integers, exact in any order; one division follows.
        results = {}
        for warps in (4, 8, 16):
            changes = [("tile.num_warps = 8", f"tile.num_warps = {warps}")]
            module = elements.compile("attention", changes=changes)
            results[warps] = self.check(1, (2, 1), 70, 100, module=module, whole=True)
        for warps, result in results.items():
            arrays.assert_same_bits(result, results[8], f"{warps} warps")


if __name__ == "__main__":
    unittest.main()
