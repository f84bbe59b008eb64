# SPDX-License-Identifier: Apache-2.0
"""Compiling: text in, a `Module` or a `CompileError` with located diagnostics out."""

from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any, Iterable, Iterator, Mapping, Sequence, Union

from ._library import CDiagnostic, DiagnosticHandler, has_compiler, lib
from .errors import CompileError, Diagnostic
from .module import Module

_SEVERITIES = ("error", "warning", "remark", "note")

OptionValue = Union[str, int, bool, Sequence[str], Mapping[str, int]]


def version() -> str:
    """The version of the library, e.g. "0.1.0"."""
    return _text(lib.twVersion())


def llvm_version() -> str:
    """The version of LLVM that the compiler is built on; empty where the library holds no compiler."""
    return _text(lib.twLlvmVersion()) if has_compiler else ""


def optional_passes() -> tuple[str, ...]:
    """The names that `disable_pass` may hold; empty where the library holds no compiler."""
    names: list[str] = []
    while has_compiler and (name := lib.twOptionalPass(len(names))) is not None:
        names.append(_text(name))
    return tuple(names)


def compile(source: str | os.PathLike[str], target: str = "sm_90a", **options: OptionValue) -> Module:
    """Compiles every kernel of a tile program for one target.

    `source` is a path or the text itself: a string with a line break is text. Options are those of `tile-compile`
    with underscores, e.g. `num_warps=4`, `disable_pass=["tile-specialize"]`, `extents={"M": 64}`; True and False
    switch a flag. With `lazy=True` the module is for the emulator alone, which lowers each variant when it is first
    launched. Raises CompileError for a program or an option that is refused or where the library holds no compiler, and
    OSError for a file that cannot be read. Warnings are kept in `Module.diagnostics`.
    """
    if not has_compiler:
        message = f"{lib._name} launches bundles and holds no compiler; compile elsewhere, and load() the bundle here"
        raise CompileError([Diagnostic("", 0, 0, "error", message)])
    if isinstance(source, str) and "\n" in source:
        text, name = source.encode(), "<text>"
    else:
        path = pathlib.Path(source)
        text, name = path.read_bytes(), str(path)
    pairs = [("target", target)] + list(_option_pairs(options))
    keys = (ctypes.c_char_p * len(pairs))(*(key.encode() for key, _ in pairs))
    values = (ctypes.c_char_p * len(pairs))(*(value.encode() for _, value in pairs))

    diagnostics: list[Diagnostic] = []

    def on_diagnostic(diagnostic: Any, _: Any) -> None:
        diagnostics.append(_diagnostic(diagnostic.contents))

    handler = DiagnosticHandler(on_diagnostic)
    context = lib.twContextCreate()
    module = compiled = None
    try:
        lib.twContextSetDiagnosticHandler(context, handler, None)
        module = lib.twParse(context, text, len(text), name.encode())
        if module:
            compiled = lib.twCompile(module, keys, values, len(pairs))
        if not compiled:
            raise CompileError(diagnostics)
        return Module.from_compiled(compiled, diagnostics)
    finally:
        lib.twCompiledDestroy(compiled)
        lib.twModuleDestroy(module)
        lib.twContextDestroy(context)


def _option_pairs(options: Mapping[str, OptionValue]) -> Iterator[tuple[str, str]]:
    """Spells keyword arguments as the library's pairs of text."""
    for name, value in options.items():
        key = name.replace("_", "-")
        if isinstance(value, bool):
            yield key, "true" if value else "false"
        elif isinstance(value, Mapping):
            if value:
                yield key, ",".join(f"{item}:{number}" for item, number in value.items())
        elif isinstance(value, Iterable) and not isinstance(value, str):
            for item in value:
                yield key, str(item)
        else:  # What is none of its values the library refuses by name.
            yield key, str(value)


def _text(value: bytes | None) -> str:
    return (value or b"").decode(errors="replace")


def _diagnostic(source: CDiagnostic) -> Diagnostic:
    """Copies a C diagnostic, whose memory ends with the call."""
    return Diagnostic(
        file=_text(source.file),
        line=source.line,
        column=source.column,
        severity=_SEVERITIES[source.severity],
        message=_text(source.message),
        notes=tuple(_diagnostic(source.notes[i]) for i in range(source.note_count)),
    )
