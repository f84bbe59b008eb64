# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions that carry plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence


@dataclass(frozen=True)
class Diagnostic:
    """One located message of the compiler.

    `severity` is "error", "warning", "remark" or "note". `line` and `column` count from 1 and are 0 where the place
    is not known. Notes are diagnostics of their own, without notes.
    """

    file: str
    line: int
    column: int
    severity: str
    message: str
    notes: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: " if self.file else ""
        return "\n".join([f"{place}{self.severity}: {self.message}"] + [f"  {note}" for note in self.notes])


class TilewrightError(Exception):
    """The base of every exception of this package."""


class CompileError(TilewrightError):
    """A program was refused. `diagnostics` holds the messages in the order they were given."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics: list[Diagnostic] = list(diagnostics)
        super().__init__("\n".join(str(diagnostic) for diagnostic in self.diagnostics) or "compilation failed")


class LaunchError(TilewrightError):
    """A launch was refused or failed; the message names the parameter or what the device reported."""


class NoDeviceError(LaunchError):
    """The backend has no device on this machine."""
