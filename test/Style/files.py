# SPDX-License-Identifier: Apache-2.0
"""What holds for every file: a licence line, no machine's own path, a size that can be read in one sitting."""

import pathlib
import re
import sys

import sources

LICENCE = "SPDX-License-Identifier: Apache-2.0"
LICENSED = {".h", ".cpp", ".c", ".td", ".py", ".in"}
TEXT = LICENSED | {".mlir", ".test", ".md", ".txt", ".cmake", ".cfg", ".toml", ".sh", ""}
# Home and working folders of one machine. Spelled in two parts so that this file passes its own check.
MACHINE_PATH = re.compile(r"(?<![\w.}/])/(?:wor" + r"k|roo" + r"t|hom" + r"e)/\w")
MAX_LINES = 1000


def check(root):
    """Yields one line per problem."""
    for path in sources.files(root):
        if path.suffix not in TEXT or path.parts[0] == "LICENSE":
            continue
        lines = (root / path).read_text(errors="replace").splitlines()
        licensed = path.suffix in LICENSED or path.parts[0] in ("examples", "scripts") and path.suffix == ".mlir"
        if licensed and not any(LICENCE in line for line in lines[:5]):
            yield f"{path}:1: the licence line is missing"
        for number, line in enumerate(lines, 1):
            if MACHINE_PATH.search(line):
                yield f"{path}:{number}: a path of one machine"
        if path.suffix in (".h", ".cpp", ".c", ".td", ".py") and len(lines) > MAX_LINES:
            yield f"{path}:{MAX_LINES}: {len(lines)} lines; look for the second idea"


if __name__ == "__main__":
    sys.exit(sources.report(list(check(pathlib.Path(sys.argv[1]).resolve()))))
