# SPDX-License-Identifier: Apache-2.0
"""Runs the command-line tools and checks how they fail."""

import os
import re
import shlex
import subprocess

TIMEOUT_S = 120


def run(*command, cwd=None):
    """Runs a tool; returns (exit status, stdout, stderr). A signal shows as a negative status."""
    # A sanitizer's runtime that was put before this interpreter is not for tools, which bring their own.
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=TIMEOUT_S,
    )
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def assert_refused(message, *command, cwd=None):
    """Raises unless the tool exits with 2 and exactly one error whose text matches the regular expression."""
    status, _, stderr = run(*command, cwd=cwd)
    assert status == 2, f"exit status {status}, not 2: {' '.join(map(str, command))}\n{stderr}"
    errors = [line for line in stderr.splitlines() if re.search(r"\berror: ", line)]
    assert len(errors) == 1, f"expected one error, got {len(errors)}:\n{stderr}"
    assert re.search(message, errors[0]), f"expected /{message}/ in: {errors[0]}"


def header_command(path):
    """The command in the header of an example, taken apart.

    Returns the words behind the file's name with None in the place of what `--save` takes, that place, the name of the array that
    it saves, and the kernel that it runs (None where it does not say).
    """
    with open(path) as file:
        line = next(line for line in file if re.match(r"//\s+\S*tile-run ", line))
    words = shlex.split(line.strip("/ \n"))[2:]
    place = words.index("--save") + 1
    name, words[place] = words[place].split("=")[0], None
    kernels = [word.split("=")[1] for word in words if word and word.startswith("--kernel=")]
    return words, place, name, kernels[0] if kernels else None
