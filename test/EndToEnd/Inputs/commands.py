# SPDX-License-Identifier: Apache-2.0
"""Runs the command-line tools and checks how they fail."""

import os
import re
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
