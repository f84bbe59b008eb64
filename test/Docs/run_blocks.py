# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of a page that are marked for it and compares what they print with what the page shows.

usage: run_blocks.py SOURCE BUILD PAGE

A block that opens with ```sh test (or ```python test) is run, in order, in one fresh folder per page that looks like
the checkout: `examples`, `docs`, `test` and `python` are its own, and so is all that is in `build`. What a block writes stays
in the fresh folder, and only `build` may have new files: whoever pastes the commands shall not litter a checkout. A block that opens with ```LANGUAGE output
and follows it is what the command must print: a line `...` stands for any lines, `...` inside a line for any text. A
block that opens with ```LANGUAGE file=NAME is written to that file first. Other blocks are not looked at.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w*)\s*(.*)$")


def blocks(page):
    """Yields (line number, language, rest of the opening line, text) for each fenced block."""
    opening, body = None, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        match = FENCE.match(line)
        if opening is None and match:
            opening, body = (number, match.group(1), match.group(2).strip()), []
        elif opening is not None and line.strip() == "```":
            yield (*opening, "\n".join(body) + "\n")
            opening = None
        else:
            body.append(line)
    if opening is not None:
        raise SystemExit(f"{page}:{opening[0]}: the block is not closed")


def line_matches(pattern, line):
    """Whether a printed line is the shown one, where `...` stands for any text."""
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.rstrip().split("...")), line.rstrip()) is not None


def first_difference(shown, printed):
    """Returns the first shown line that has no match in order, or None. Lines `...` skip any number of lines."""
    shown, printed = shown.rstrip().splitlines(), printed.rstrip().splitlines()
    position, may_skip = 0, False
    for pattern in shown:
        if pattern.strip() == "...":
            may_skip = True
            continue
        while True:
            if position == len(printed):
                return pattern
            position += 1
            if line_matches(pattern, printed[position - 1]):
                break
            if not may_skip:
                return pattern
        may_skip = False
    return None if may_skip or position == len(printed) else "(nothing more)"


class Checkout:
    """A folder in which the paths of a checkout lead to it, for as long as it is open. New files stay out of the real one."""

    def __init__(self, source, build):
        self.source, self.build = source, build

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(dir=self.build)
        root = pathlib.Path(self.folder.name)
        for name in ("examples", "docs", "test", "python"):
            os.symlink(self.source / name, root / name)
        (root / "build").mkdir()
        for path in self.build.iterdir():
            if not path.name.startswith("tmp"):  # Another page's folder.
                os.symlink(path, root / "build" / path.name)
        self.known = set(os.listdir(root))
        return root

    def litter(self):
        """Names beside `build` that a command made."""
        return sorted(set(os.listdir(self.folder.name)) - self.known)

    def __exit__(self, *_):
        self.folder.cleanup()


def run(source, build, page):
    """Runs every marked block of a page; returns the number of blocks run and raises SystemExit at the first failure."""
    count, printed, what = 0, None, ""
    checkout = Checkout(source, build)
    with checkout as folder:
        for number, language, rest, text in blocks(page):
            if rest.startswith("file="):
                name = rest[len("file=") :]
                (folder / name).write_text(text)
                checkout.known.add(name)
            elif rest == "test":
                command = ["bash", "-euo", "pipefail", "-c", text] if language == "sh" else [sys.executable, "-c", text]
                # A sanitizer's runtime that Python needs loaded first would meet the tools' own.
                environment = {key: value for key, value in os.environ.items()
                               if key != "LD_PRELOAD" or language != "sh"}
                done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True)
                printed, what, count = done.stdout, f"{page.name}:{number}", count + 1
                if done.returncode:
                    raise SystemExit(f"{what}: exit status {done.returncode}\n{printed}")
                if litter := checkout.litter():
                    raise SystemExit(f"{what}: leaves {', '.join(litter)} in the checkout; write into build/")
            elif rest == "output":
                if printed is None:
                    raise SystemExit(f"{page.name}:{number}: no command before this output")
                difference = first_difference(text, printed)
                if difference is not None:
                    raise SystemExit(f"{page.name}:{number}: not printed: {difference}\nprinted by {what}:\n{printed}")
                printed = None
    return count


if __name__ == "__main__":
    source, build, page = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    print(f"{page.name}: {run(source, build, page)} blocks")
