# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""The emulator finds the races that barriers prevent: kernels whose barriers are taken out, one and all.

The barriers are blanked in the bundle, in the text that the emulator runs, so everything else is as compiled.
"""

import os
import pathlib
import re
import struct
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from arrays import EXAMPLES
from commands import run

FOLDER = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path("races-output")
BARRIER = re.compile(rb"tile_gpu\.barrier id \d+ threads \d+[^\n]*")
MASK = (1 << 64) - 1
# Example, kernel, arguments.
KERNELS = [
    ("matmul", "matmul", ("a=f16[100x70]:rand(1)", "b=f16[70x50]:rand(2)", "c=f16[100x50]:nan")),
    ("triangular_inverse", "triangular_inverse_64", ("a=f16[2x64x64]:rand(1)", "y=f16[2x64x64]:nan")),
    ("cumsum", "cumsum", ("x=f32[5x3000]:rand(1)", "y=f32[5x3000]:nan")),
]


def checksum(data, state=0xCBF29CE484222325):
    """That of include/tilewright/Runtime/Bundle.h."""
    words = len(data) // 8 * 8
    for (word,) in struct.iter_unpack("<Q", data[:words]):
        state = (state ^ word) * 0x100000001B3 & MASK
        state ^= state >> 32
    for byte in data[words:]:
        state = (state ^ byte) * 0x100000001B3 & MASK
    return state


def repaired(bundle):
    """The bundle with right checksums."""
    data = bytearray(bundle)
    (count,) = struct.unpack_from("<I", data, 12)
    for entry in range(32, 32 + 48 * count, 48):
        name_size, name, place, size = struct.unpack_from("<4xIQQQ", data, entry)
        struct.pack_into("<Q", data, entry + 32, checksum(data[place:place + size], checksum(data[name:name + name_size])))
    struct.pack_into("<Q", data, 24, checksum(data[32:32 + 48 * count]))
    return bytes(data)


class Races(unittest.TestCase):
    def launch(self, name, kernel, arguments, bundle):
        path = FOLDER / f"{name}.bundle"
        path.write_bytes(bundle)
        return run("tile-run", path, f"--kernel={kernel}", "--backend=emulator", *(f"--arg={text}" for text in arguments))

    def test_barriers_are_needed(self):
        for name, kernel, arguments in KERNELS:
            with self.subTest(name):
                path = FOLDER / f"{name}.whole.bundle"
                source = os.path.join(EXAMPLES, name + ".mlir")
                status, _, stderr = run("tile-compile", source, f"--kernel={kernel}", "--emit=bundle", "--max-variants=1",
                                        "-o", path)
                self.assertEqual(status, 0, stderr)
                whole = path.read_bytes()
                self.assertEqual(repaired(whole), whole)
                status, _, stderr = self.launch(name, kernel, arguments, whole)
                self.assertEqual(status, 0, stderr)
                barriers = list(BARRIER.finditer(whole))
                self.assertTrue(barriers)
                # All of them, then each alone. A program may not come by each barrier with these arguments.
                reports = []
                for blanked in [barriers] + [[barrier] for barrier in barriers]:
                    data = bytearray(whole)
                    for barrier in blanked:
                        data[barrier.start():barrier.end()] = b" " * (barrier.end() - barrier.start())
                    status, _, stderr = self.launch(name, kernel, arguments, repaired(data))
                    self.assertIn(status, (0, 2), stderr)
                    reports.append(stderr.strip())
                    if status == 2:
                        self.assertRegex(reports[-1], "no barrier orders them$|which nobody has written$")
                self.assertTrue(reports[0])
                self.assertLess(reports.count(""), len(barriers) / 2)
                self.assertTrue(any(re.search(rf"{name}\.mlir:\d+:\d+: kernel '{kernel}', program \(0, 0, 0\), thread \d+: "
                                              rf"shared memory (read|write) at offset \d+ races with a (read|write) by "
                                              rf"thread \d+ at .*{name}\.mlir:\d+:\d+: no barrier orders them", report)
                                    for report in reports), reports)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main()
