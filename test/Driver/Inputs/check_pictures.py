# SPDX-License-Identifier: Apache-2.0
"""Checks a folder that `tile-compile --draw-layouts` wrote.

usage: check_pictures.py FOLDER

An XML parser reads every file; the index names each picture once; names follow VARIANT.NN-OP.svg, counted from 01 per variant;
in a picture of a layout no place is drawn twice, and where it says that all is drawn, each element is there.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
NAME = re.compile(r"(?P<variant>[A-Za-z0-9_-]+)\.(?P<number>\d\d+)-[A-Za-z0-9_-]+\.svg")


def check_picture(path):
    """Checks one file; returns "layout" or "buffer"."""
    root = ElementTree.parse(path).getroot()
    assert root.tag == SVG + "svg", path
    labels = [text.text for group in root.iter(SVG + "g") if group.get("class") == "labels" for text in group]
    lines = [text.text for text in root.findall(SVG + "text")]
    assert labels and lines, path
    is_layout = ": layout of a " in lines[0]
    assert is_layout or ": buffer of a " in lines[0], lines[0]
    drawn = next(line for line in lines if line.startswith("drawn: "))
    if is_layout:
        assert len(set(labels)) == len(labels), f"{path}: a place is drawn twice"
        assert all(re.fullmatch(r"(b\d+ )?w\d+ t\d+ r\d+", label) for label in labels), path
        extents = re.search(r": layout of a ([\dx]+) tile", lines[0]).group(1).split("x")
        elements = 1
        for extent in extents:
            elements *= int(extent)
        is_cut = " of " in drawn
        assert len(labels) < elements if is_cut else len(labels) == elements, f"{path}: {len(labels)} of {elements}"
    else:
        for fact in ("why: ", "written by: ", "read by", "dimensions, fastest first: "):
            assert any(line.startswith(fact) for line in lines), f"{path}: no line '{fact}'"
    width, height = float(root.get("width")), float(root.get("height"))
    for text in root.iter(SVG + "text"):
        assert 0 <= float(text.get("x")) <= width and 0 <= float(text.get("y")) <= height, path
    return "layout" if is_layout else "buffer"


def main(folder):
    """Checks all files of a folder and prints what is there."""
    pictures = sorted(path for path in folder.iterdir() if path.suffix == ".svg")
    assert {path.name for path in folder.iterdir()} == {path.name for path in pictures} | {"index.html"}
    links = [link.get("href") for link in ElementTree.parse(folder / "index.html").getroot().iter("a")]
    assert sorted(links) == [path.name for path in pictures], links
    kinds, numbers = [], {}
    for path in pictures:
        match = NAME.fullmatch(path.name)
        assert match, path.name
        numbers.setdefault(match["variant"], []).append(int(match["number"]))
        kinds.append(check_picture(path))
    for variant, found in numbers.items():
        assert sorted(found) == list(range(1, len(found) + 1)), (variant, found)
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert size < 150_000 * (len(pictures) + 1), size
    print(f"{kinds.count('layout')} layouts, {kinds.count('buffer')} buffers")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
