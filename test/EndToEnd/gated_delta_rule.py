# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""examples/gated_delta_rule.mlir against NumPy's step by step recurrence: any length, three element types, states."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import elements
import versions

WIDTH = 64
MODULES = versions.compile("gated_delta_rule")


def reference(q, k, v, g, beta, state, scale):
    """One position after the other, in double precision; returns the outputs and the last state."""
    o, state = np.zeros_like(v), state.copy()
    for t in range(q.shape[2]):
        state *= np.exp(g[:, :, t])[:, :, None, None]
        found = np.einsum("bhk,bhkv->bhv", k[:, :, t], state)
        update = beta[:, :, t, None] * (v[:, :, t] - found)
        state += k[:, :, t, :, None] * update[:, :, None, :]
        o[:, :, t] = scale * np.einsum("bhk,bhkv->bhv", q[:, :, t], state)
    return o, state


class GatedDeltaRule(unittest.TestCase):
    def inputs(self, batches, heads, positions, gate=0.1):
        """Queries and keys of length 1, as models normalise them; steps in (0, 1), gates in (-gate, 0)."""
        random = np.random.default_rng(positions)
        shape = (batches, heads, positions)
        q, k, v = random.normal(0, 1, (3, *shape, WIDTH))
        q, k = (x / np.linalg.norm(x, axis=3, keepdims=True) for x in (q, k))
        g, beta = random.uniform(-gate, 0, shape), random.uniform(0, 1, shape)
        return q, k, v, g, beta, random.normal(0, 1, (batches, heads, WIDTH, WIDTH))

    def run_kernel(self, inputs, scale, backend, type="f16", layout="C", module=None):
        """Launches; returns the outputs after a look at their borders."""
        q, k, v, g, beta, first = inputs
        o = arrays.Output(q.shape, elements.DTYPES[type], layout)
        last = arrays.Output(first.shape, np.float32, layout)
        heads = [elements.argument(arrays.strided(elements.encode(x, type), layout), type) for x in (q, k, v)]
        singles = [arrays.strided(np.asarray(x, np.float32), layout) for x in (g, beta, first)]
        (module or MODULES[type])["gated_delta_rule"](
            *heads, *singles, elements.argument(o.array, type), last.array, scale, backend=backend
        )
        o.check_border()
        last.check_border()
        return o.array.copy(), last.array.copy()

    def check(self, inputs, type="f16", layout="C", module=None, scale=1.0):
        q, k, v, g, beta, first = inputs
        q, k, v = (elements.decode(elements.encode(x, type), type) for x in (q, k, v))
        g, beta, first = (x.astype(np.float32).astype(np.float64) for x in (g, beta, first))
        expected_o, expected_last = reference(q, k, v, g, beta, first, scale)
        for backend in arrays.backends():
            o, last = self.run_kernel(inputs, scale, backend, type, layout, module)
            # Operands of products are rounded to the element type on the way (T, W, U, S), each an error of
            # ROUNDING times numbers up to about 4, of which a row of a product sums 64 of random signs and a length of
            # 1: about the largest of them. f32 rounds nothing but sums.
            atol = 8 * elements.ROUNDING[type] if type != "f32" else 2e-5
            what = f"{type} {q.shape} {layout} on {backend}"
            arrays.assert_close(elements.decode(o, type), expected_o, elements.ROUNDING[type], atol, what)
            arrays.assert_close(last, expected_last, elements.ROUNDING[type], atol, what + ", state")

    def test_lengths(self):
        for type in elements.TYPES:
            for positions in (1, 63, 64, 65, 200):
                with self.subTest(type=type, positions=positions):
                    self.check(self.inputs(1, 1, positions), type)

    def test_heads_and_layouts(self):
        for layout in arrays.LAYOUTS:
            with self.subTest(layout=layout):
                self.check(self.inputs(2, 3, 70), layout=layout)

    def test_no_positions(self):
        # The state passes through.
        self.check(self.inputs(1, 2, 0))

    def test_strong_gates(self):
        # exp(-64 * 40) is zero and exp(+64 * 40) would be infinite: only differences that decay may be raised.
        for type in elements.TYPES:
            self.check(self.inputs(1, 1, 130, gate=40.0), type)

    def test_chunks_do_not_show(self):
        # Two launches, the state of the first handed to the second, do what one launch does, up to rounding.
        q, k, v, g, beta, first = self.inputs(1, 1, 150)
        for backend in arrays.backends():
            whole, last = self.run_kernel((q, k, v, g, beta, first), 0.125, backend, "f32")
            parts, state = [], first
            for part in (slice(0, 90), slice(90, 150)):
                o, state = self.run_kernel([x[:, :, part] for x in (q, k, v, g, beta)] + [state], 0.125, backend, "f32")
                parts.append(o)
            arrays.assert_close(np.concatenate(parts, axis=2), whole, 0, 1e-5)
            arrays.assert_close(state, last, 0, 1e-5)

    def test_warps_agree(self):
        # Keys are unit vectors, each met at most twice, gates 0, steps 1 and values small integers: T, U and S hold
        # small integers, so any order of summation gives the same bits.
        positions = 100
        random = np.random.default_rng(4)
        k = np.eye(WIDTH)[np.arange(positions) % WIDTH][None, None]
        q, v = random.integers(-2, 3, (2, 1, 1, positions, WIDTH))
        first = random.integers(-4, 5, (1, 1, WIDTH, WIDTH))
        inputs = (q, k, v, np.zeros((1, 1, positions)), np.ones((1, 1, positions)), first)
        expected = reference(*(x.astype(np.float64) for x in inputs), 1.0)
        for warps in (4, 8, 16):
            changes = [("tile.num_warps = 8", f"tile.num_warps = {warps}")]
            module = elements.compile("gated_delta_rule", changes=changes)
            for backend in arrays.backends():
                with self.subTest(warps=warps, backend=backend):
                    for result, exact in zip(self.run_kernel(inputs, 1.0, backend, module=module), expected):
                        arrays.assert_close(result, exact, 0, 0, f"{warps} warps")


if __name__ == "__main__":
    unittest.main()
