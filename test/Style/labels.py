# SPDX-License-Identifier: Apache-2.0
"""Each numbered constraint is marked `// op_cN` where a verifier checks it and where a test breaks it.

A test may also carry the label as the name of the function that breaks it, `@op_cN`.
"""

import pathlib
import re
import sys

import sources

PLACE = re.compile(r"//(.*)|@(\w+)")
LABEL = re.compile(r"\b([a-z][a-z0-9]*(?:_[a-z0-9]+)*_c[0-9]+)\b")


def labels(root, path):
    """Yields (label, line number) for each label in a comment or a symbol of the file."""
    for number, line in enumerate((root / path).read_text(errors="replace").splitlines(), 1):
        for places in PLACE.findall(line):
            for label in LABEL.findall(" ".join(places)):
                yield label, number


def check(root):
    """Returns one line per label that lacks its verifier or its test."""
    in_code, in_tests = {}, {}
    for path in sources.files(root):
        if path.parts[:2] == ("lib", "Dialect") and path.suffix == ".cpp":
            found = in_code
        elif path.parts[0] == "test" and path.suffix == ".mlir" and "Inputs" not in path.parts[1:-1]:
            found = in_tests
        else:
            continue
        for label, number in labels(root, path):
            found.setdefault(label, f"{path}:{number}")
    problems = [f"{in_code[label]}: no test breaks {label}" for label in in_code if label not in in_tests]
    problems += [f"{in_tests[label]}: no verifier marks {label}" for label in in_tests if label not in in_code]
    return sorted(problems)


if __name__ == "__main__":
    sys.exit(sources.report(check(pathlib.Path(sys.argv[1]).resolve())))
