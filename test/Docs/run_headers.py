# SPDX-License-Identifier: Apache-2.0
"""Runs the commands in the headers of the examples, as a user does who pastes them into a shell.

usage: run_headers.py SOURCE BUILD

A command is a comment line that begins with `build/bin/`; each example must have one.
"""

import pathlib
import re
import subprocess
import sys

from run_blocks import Checkout

COMMAND = re.compile(r"^//\s+(build/bin/.*)$")


def main(source, build):
    """Raises SystemExit at the first command that fails."""
    examples, count = sorted((source / "examples").glob("*.mlir")), 0
    with Checkout(source, build) as folder:
        for path in examples:
            commands = [(number, match.group(1)) for number, line in enumerate(path.read_text().splitlines(), 1)
                        if (match := COMMAND.match(line))]
            if not commands:
                raise SystemExit(f"{path.name}: no command that begins with build/bin/ in its header")
            for number, command in commands:
                done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
                if done.returncode:
                    raise SystemExit(f"{path.name}:{number}: exit status {done.returncode}\n{done.stderr}")
                count += 1
    print(f"ran {count} commands of {len(examples)} examples")


if __name__ == "__main__":
    main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:]))
