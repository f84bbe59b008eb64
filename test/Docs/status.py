# SPDX-License-Identifier: Apache-2.0
"""Compares the rows of docs/Status.md with the ops that the dialect defines; prints what is on one side only."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
defined = set()
for path in (root / "include/tilewright/Dialect/Tile/IR").glob("*.td"):
    defined |= set(re.findall(r'^def \w+ ?: ?Tile_\w*Op<"(\w+)"', path.read_text(), re.MULTILINE))
listed = set(re.findall(r"^\| `tile\.(\w+)`", (root / "docs/Status.md").read_text(), re.MULTILINE))
for name in sorted(defined - listed):
    print(f"docs/Status.md has no row for tile.{name}")
for name in sorted(listed - defined):
    print(f"docs/Status.md has a row for tile.{name}, which is not defined")
sys.exit(1 if defined != listed or not defined else 0)
