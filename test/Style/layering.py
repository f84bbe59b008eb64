# SPDX-License-Identifier: Apache-2.0
"""Reads the #include lines of include/ and lib/ and reports each arrow that points upwards.

Data flows downwards: a file includes its own room and the rooms before it in ROOMS. The rooms of PLAIN are
compiled without LLVM, so they include no llvm/ or mlir/ header either.
"""

import pathlib
import re
import sys

import sources

# Top to bottom. A room sees itself and the rooms in the lines before its own.
ROOMS = [
    ["Support"],
    ["Layout"],
    ["Target"],
    ["Runtime", "Emulator"],
    ["Parser"],
    ["Dialect/Tile/IR"],
    ["Dialect/TileGPU/IR"],
    ["Analysis"],
    ["Dialect/Tile/Transforms"],
    ["Dialect/TileGPU/Transforms"],
    ["Conversion"],
    ["Codegen", "EmulatorJit"],
    ["Pipelines"],
    ["InitAll"],
    ["Driver"],
    ["CAPI"],
]
PLAIN = {"Support", "Layout", "Target", "Runtime", "Emulator"}
# Runtime and Emulator see these and each other.
RUNTIME_SEES = {"Support", "Target", "Runtime", "Emulator"}
RANK = {room: rank for rank, line in enumerate(ROOMS) for room in line}
# C headers are the face of a room.
C_HEADERS = {"tilewright-c/Runtime.h": "Runtime"}
INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')


def room_of(path):
    """Returns the room of a path below include/tilewright or lib, or None where no room is named so."""
    text = str(path)
    for room in RANK:
        if text.startswith(room + "/") or text == room + ".h":
            return room
    return None


def check(root):
    """Yields one line per problem."""
    for path in sources.files(root):
        if path.suffix not in (".h", ".cpp", ".c", ".td", ".inc"):
            continue
        if path.parts[:2] == ("include", "tilewright"):
            inside = path.relative_to("include/tilewright")
        elif path.parts[0] == "lib":
            inside = path.relative_to("lib")
        else:
            continue
        room = room_of(inside)
        if room is None:
            yield f"{path}:1: no room of test/Style/layering.py holds this file"
            continue
        for number, line in enumerate((root / path).read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            header = match.group(1)
            if room in PLAIN and re.match(r"(llvm|mlir)(-c)?/", header):
                yield f"{path}:{number}: {room} is compiled without LLVM and must not include {header}"
            if header.startswith("tilewright-c/"):
                other = C_HEADERS.get(header, "CAPI")
            elif header.startswith("tilewright/"):
                other = room_of(header[len("tilewright/") :])
            else:
                continue
            if other is None:
                yield f"{path}:{number}: {header} is in no room of test/Style/layering.py"
            elif RANK[other] > RANK[room]:
                yield f"{path}:{number}: {room} must not include {header}: {other} is below it"
            elif room in ("Runtime", "Emulator") and other not in RUNTIME_SEES:
                yield f"{path}:{number}: {room} sees Support and Target only, not {header}"


if __name__ == "__main__":
    sys.exit(sources.report(list(check(pathlib.Path(sys.argv[1]).resolve()))))
