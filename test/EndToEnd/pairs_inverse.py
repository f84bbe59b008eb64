# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""The inverse of triangular blocks by rows, written plainly (examples/triangular_inverse.mlir) and by hand: facts in the
types, no checks, the loop repeated as its author wants it. Both compile to the same instructions by kind, and a trip of the
loop touches no memory and meets no barrier."""

import os
import re
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import commands
import elements
import ptx
import tilewright

PLAIN = elements.source("triangular_inverse")


def by_hand(unroll=None):
    """Whole groups of four blocks, rows of 16 next to each other, memory aligned to 16 bytes: all of it said."""
    start = PLAIN.index("func.func @triangular_inverse_16(")
    end = PLAIN.index("func.func @triangular_inverse_64(")
    text = PLAIN[:start] + PLAIN[start:end] + PLAIN[PLAIN.index("func.func private @invert_16") :]
    text = text.replace("strides = [?, ?, ?]>", "strides = [256, 16, 1]>")
    text = text.replace("%block, %c0, %c0] pad(zero)", "%block, %c0, %c0] in_bounds [true, true, true]")
    text = text.replace("%y[%block, %c0, %c0] :", "%y[%block, %c0, %c0] in_bounds [true, true, true] :")
    text = text.replace('!blocks_16 {tile.name = "a"}', '!blocks_16 {tile.name = "a", tile.div_by = 16 : i64}')
    text = text.replace('!blocks_16 {tile.name = "y"}', '!blocks_16 {tile.name = "y", tile.div_by = 16 : i64}')
    return pin(text, unroll)


def pin(text, unroll):
    """The loop over the rows repeated `unroll` times; None leaves it to the compiler."""
    if unroll is None:
        return text
    loop = re.search(r"    scf\.yield %next : tensor<4x16x16xf32>\n  }", text)
    return text[: loop.end()] + f" {{tile.unroll = {unroll}}}" + text[loop.end() :]


def entry(text, name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "inverse.mlir")
        with open(path, "w") as file:
            file.write(text)
        status, out, err = commands.run("tile-compile", path, "--kernel=triangular_inverse_16", "--emit=ptx", "-o", "-")
        assert status == 0, err
    return ptx.entry(out, name)


class PairsInverse(unittest.TestCase):
    def test_rolled(self):
        loops = []
        for text, name in ((pin(PLAIN, 1), "triangular_inverse_16__v0"), (by_hand(1), "triangular_inverse_16")):
            found = ptx.loops(entry(text, name))
            self.assertEqual(len(found), 1, name)
            loops.append(ptx.count(found[0]))
        self.assertEqual(loops[0], loops[1])
        # Nothing but arithmetic and shuffles: no memory, no barrier, no predicated access.
        self.assertEqual(set(loops[0]), {"shuffle"})

    def test_as_the_compiler_likes(self):
        # Without a wish in either form: the same choice, and neither needs memory of its own.
        counts = [ptx.count(entry(text, name)) for text, name in
                  ((PLAIN, "triangular_inverse_16__v0"), (by_hand(), "triangular_inverse_16"))]  # fmt: skip
        for kind in ("shuffle", "barrier", "local"):
            self.assertEqual(counts[0][kind], counts[1][kind], kind)
        self.assertEqual(counts[0]["local"], 0)

    def test_results(self):
        modules = [tilewright.compile(text) for text in (PLAIN, pin(PLAIN, 1), by_hand(), by_hand(1))]
        random = np.random.default_rng(3)
        a = np.tril(random.integers(-1, 2, (8, 16, 16)) * (random.random((8, 16, 16)) < 0.1), -1).astype(np.float16)
        expected = np.linalg.inv(a.astype(np.float64) + np.eye(16)).round().astype(np.float16)
        for backend in arrays.backends():
            for number, module in enumerate(modules):
                with self.subTest(form=number, backend=backend):
                    y = np.full(a.shape, np.nan, np.float16)
                    room = np.empty(a.nbytes + 16, np.uint8)
                    aligned = room[-room.ctypes.data % 16 :][: a.nbytes].view(np.float16).reshape(a.shape)
                    aligned[...] = a
                    module["triangular_inverse_16"](aligned, y, backend=backend)
                    arrays.assert_same_bits(y, expected, f"form {number}")


if __name__ == "__main__":
    unittest.main()
