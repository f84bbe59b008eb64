# SPDX-License-Identifier: Apache-2.0
"""The files that the style checks read: those that git knows, or all of them where there is no repository."""

import pathlib
import subprocess


def files(root):
    """Returns the paths of the project's files below `root`, relative to it, sorted."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    names = [name for name in listing.stdout.decode().split("\0") if name]
    if listing.returncode or not names:
        names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
    paths = [pathlib.PurePosixPath(name) for name in sorted(names)]
    return [path for path in paths if (root / path).is_file() and not path.match("build*/**")]


def report(problems):
    """Prints one problem per line and returns the exit status."""
    for problem in problems:
        print(problem)
    return 1 if problems else 0
