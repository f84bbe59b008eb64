# SPDX-License-Identifier: Apache-2.0
"""Compares the rows of docs/Status.md with the ops that the dialects define; prints what is on one side only.

Ops of the language have a row each in the first table, instructions in the one about silicon.
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "docs/Status.md").read_text()
failed = False
for dialect, prefix, files in (("Tile", "tile", ["*.td"]), ("TileGPU", "tile_gpu", ["TileGPUInstructionOps.td", "TileGPUAtomicOps.td"])):
    defined = set()
    for pattern in files:
        for path in (root / f"include/tilewright/Dialect/{dialect}/IR").glob(pattern):
            defined |= set(re.findall(rf'^def \w+ ?: ?{dialect}_\w*Op<"(\w+)"', path.read_text(), re.MULTILINE))
    listed = set(re.findall(rf"^\| `{prefix}\.(\w+)`", page, re.MULTILINE))
    for name in sorted(defined - listed):
        print(f"docs/Status.md has no row for {prefix}.{name}")
    for name in sorted(listed - defined):
        print(f"docs/Status.md has a row for {prefix}.{name}, which is not defined")
    failed |= defined != listed or not defined
sys.exit(1 if failed else 0)
