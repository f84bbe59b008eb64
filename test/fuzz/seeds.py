# SPDX-License-Identifier: Apache-2.0
"""Writes the inputs that a fuzzer begins with, taken from examples and tests.

usage: seeds.py TARGET FOLDER TILE_COMPILE
"""

import hashlib
import pathlib
import random
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_BYTES = 6000


def programs():
    """Every program of examples and tests that is small, split where tests split."""
    for path in sorted([*ROOT.glob("examples/*.mlir"), *ROOT.glob("test/**/*.mlir")]):
        for part in re.split(r"^// -----.*\n", path.read_text(errors="replace"), flags=re.MULTILINE):
            text = re.sub(r"^\s*//.*\n", "", part, flags=re.MULTILINE)
            if text.strip():
                yield text.encode()


def bundles(tile_compile):
    for path in sorted(ROOT.glob("examples/*.mlir")):
        command = [tile_compile, str(path), "--emit=bundle", "--max-variants=1", "--lazy=true", "-o", "-"]
        try:
            made = subprocess.run(command, capture_output=True, check=False)
        except OSError:
            return
        if made.returncode == 0:
            yield made.stdout


def arg_specs():
    """What follows --arg in examples, documentation and tests."""
    paths = [*ROOT.glob("examples/*"), *ROOT.glob("docs/*.md"), *ROOT.glob("test/**/*.py"), *ROOT.glob("test/**/*.test"),
             ROOT / "test/unit/Runtime/ArgSpecTest.cpp"]
    for path in sorted(paths):
        if path.is_file():
            text = path.read_text(errors="replace")
            for spec in re.findall(r"--arg[= ]'?\w+=([^\s'\"]+)", text) + re.findall(r'"((?:\w+:|\w+\[|@)[^"\n]*)"', text):
                yield spec.encode()


def npy_files():
    for version in (1, 2, 3):
        for descr, size in (("|b1", 1), ("|i1", 1), ("<u2", 2), ("<f2", 2), ("<i4", 4), ("<f4", 4), ("<i8", 8), ("<f8", 8)):
            for order, shape in ((False, (2, 3)), (True, (2, 3)), (False, ()), (False, (0, 4)), (True, (5,))):
                header = repr({"descr": descr, "fortran_order": order, "shape": shape}).encode()
                lengths = "<H" if version == 1 else "<I"
                pad = -(8 + struct.calcsize(lengths) + len(header) + 1) % 64
                header += b" " * pad + b"\n"
                count = 1
                for extent in shape:
                    count *= extent
                yield b"\x93NUMPY" + bytes([version, 0]) + struct.pack(lengths, len(header)) + header + bytes(count * size)


def plans(tile_compile):
    for bundle in bundles(tile_compile):
        start = bundle.find(b"{")
        if start >= 0:
            yield bundle[start:bundle.find(b"\0", start)]
    choices = random.Random(1)
    for size in (50, 100, 200, 400) * 10:
        yield bytes(choices.randrange(256) for _ in range(size))


def main():
    target, folder, tile_compile = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    made = {"compile": programs, "bundle": lambda: bundles(tile_compile), "arg-spec": arg_specs, "npy": npy_files,
            "plan": lambda: plans(tile_compile)}
    if target not in made:
        sys.exit(f"fuzz: unknown target {target!r}; there are {', '.join(sorted(made))}")
    for data in made[target]():
        if len(data) <= MAX_BYTES * (4 if target in ("bundle", "plan") else 1):
            (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


if __name__ == "__main__":
    main()
