# SPDX-License-Identifier: Apache-2.0
# REQUIRES: ptxas, nvdisasm
# RUN: %python %s
"""A loop that was asked to stay rolled is rolled in machine code, and copies are as many there as were asked for."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from control_unroll import emit, source


def find_nvdisasm():
    for folder in [*os.environ.get("PATH", "").split(os.pathsep)]:
        path = os.path.join(folder, "nvdisasm")
        if os.access(path, os.X_OK):
            return path
    raise FileNotFoundError("nvdisasm is not on PATH")


def loops(text, target):
    """For each backward branch the number of loads between its label and itself; the trap behind the end left out."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(emit(text, "cubin", f"--target={target}"))
        file.flush()
        lines = subprocess.run([find_nvdisasm(), "-c", file.name], check=True, capture_output=True, text=True).stdout
    labels, found = {}, []
    lines = lines.splitlines()
    for number, line in enumerate(lines):
        if match := re.match(r"\s*(\.L_\w+):", line):
            labels[match[1]] = number
        elif (match := re.search(r"\bBRA\b.*`\((\.L_\w+)\)", line)) and match[1] in labels:
            loads = sum("LDG" in inside for inside in lines[labels[match[1]] : number])
            if loads:
                found.append(loads)
    return found, sum("LDG" in line for line in lines)


class MachineCode(unittest.TestCase):
    def test_rolled(self):
        for target in ("sm_80", "sm_90a", "sm_120a"):
            for trips in (None, 4, 15, 1000):
                with self.subTest(target=target, trips=trips):
                    self.assertEqual(loops(source(1, trips), target), ([1], 1))

    def test_copies(self):
        self.assertEqual(loops(source(3, 42), "sm_90a"), ([3], 3))
        self.assertEqual(loops(source('"full"', 15), "sm_90a"), ([], 15))
        # The loop of the rest is rolled.
        self.assertEqual(loops(source(7), "sm_90a"), ([7, 1], 8))
        self.assertEqual(loops(source(7, 45), "sm_90a"), ([7, 1], 8))


if __name__ == "__main__":
    unittest.main()
