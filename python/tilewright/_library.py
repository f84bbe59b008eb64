# SPDX-License-Identifier: Apache-2.0
"""Finds libTilewrightC and declares its functions for ctypes; see include/tilewright-c/ for what they do.

Where there is no libTilewrightC, libTilewrightRuntime serves: it launches bundles on a GPU and neither compiles nor emulates.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
from ctypes import c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

# In order of preference: the compiler with the runtime, and the runtime alone.
LIBRARY_NAMES = ("libTilewrightC.so", "libTilewrightRuntime.so")


class CDiagnostic(ctypes.Structure):
    """TwDiagnostic."""


CDiagnostic._fields_ = [
    ("severity", c_int),
    ("file", c_char_p),
    ("line", c_int64),
    ("column", c_int64),
    ("message", c_char_p),
    ("note_count", c_size_t),
    ("notes", ctypes.POINTER(CDiagnostic)),
]


class CParamInfo(ctypes.Structure):
    """TwParamInfo."""

    _fields_ = [
        ("name", c_char_p),
        ("kind", c_int),
        ("dtype", c_int),
        ("rank", c_size_t),
        ("sizes", ctypes.POINTER(c_int64)),
        ("strides", ctypes.POINTER(c_int64)),
        ("div_by", c_int64),
        ("is_read", c_int),
        ("is_written", c_int),
    ]


class CArg(ctypes.Structure):
    """TwArg."""

    _fields_ = [
        ("kind", c_int),
        ("dtype", c_int),
        ("data", c_void_p),
        ("address", c_uint64),
        ("rank", c_size_t),
        ("shape", ctypes.POINTER(c_int64)),
        ("strides", ctypes.POINTER(c_int64)),
        ("integer", c_int64),
        ("number", ctypes.c_double),
    ]


DiagnosticHandler = ctypes.CFUNCTYPE(None, ctypes.POINTER(CDiagnostic), c_void_p)


def candidates() -> list[pathlib.Path]:
    """Where the library is looked for, in order: TILEWRIGHT_LIBRARY, the build folder of a checkout, an installation."""
    named = os.environ.get("TILEWRIGHT_LIBRARY")
    if named:
        return [pathlib.Path(named)]
    package = pathlib.Path(__file__).resolve().parent
    folders = [package.parent.parent / "build" / "lib", package]
    # An installation keeps the package in PREFIX/lib/python/tilewright or PREFIX/lib/pythonX.Y/site-packages.
    folders += [folder for folder in package.parents if folder.name in ("lib", "lib64")]
    return [folder / name for name in LIBRARY_NAMES for folder in folders]


def _load() -> ctypes.CDLL:
    tried = candidates()
    for path in tried:
        if path.exists():
            return ctypes.CDLL(str(path))
    for name in LIBRARY_NAMES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    places = ", ".join(str(path) for path in tried)
    raise ImportError(f"{LIBRARY_NAMES[0]} was not found in {places}; build it, or set TILEWRIGHT_LIBRARY to its path")


_ERROR = ctypes.POINTER(c_void_p)
_COMPILER: dict[str, tuple[Any, list[Any]]] = {
    "twLlvmVersion": (c_char_p, []),
    "twOptionalPass": (c_char_p, [c_size_t]),
    "twContextCreate": (c_void_p, []),
    "twContextDestroy": (None, [c_void_p]),
    "twContextSetDiagnosticHandler": (None, [c_void_p, DiagnosticHandler, c_void_p]),
    "twParse": (c_void_p, [c_void_p, c_char_p, c_size_t, c_char_p]),
    "twModuleDestroy": (None, [c_void_p]),
    "twModulePrint": (c_char_p, [c_void_p]),
    "twCompile": (c_void_p, [c_void_p, ctypes.POINTER(c_char_p), ctypes.POINTER(c_char_p), c_size_t]),
    "twCompiledDestroy": (None, [c_void_p]),
    "twCompiledKernelCount": (c_size_t, [c_void_p]),
    "twCompiledKernelName": (c_char_p, [c_void_p, c_size_t]),
    "twCompiledVariantCount": (c_size_t, [c_void_p, c_char_p]),
    "twCompiledPtx": (c_char_p, [c_void_p, c_char_p, c_size_t]),
    "twCompiledBundle": (c_void_p, [c_void_p, ctypes.POINTER(c_size_t)]),
    "twCompiledPlan": (c_char_p, [c_void_p]),
    "twCompiledReport": (c_char_p, [c_void_p]),
    "twCompiledRemarks": (c_char_p, [c_void_p]),
}
_RUNTIME: dict[str, tuple[Any, list[Any]]] = {
    "twVersion": (c_char_p, []),
    "twErrorMessage": (c_char_p, [c_void_p]),
    "twErrorStatus": (c_int, [c_void_p]),
    "twErrorDestroy": (None, [c_void_p]),
    "twDtypeName": (c_char_p, [c_int]),
    "twBundleOpen": (c_void_p, [c_char_p, c_size_t, _ERROR]),
    "twBundleDestroy": (None, [c_void_p]),
    "twBundleTarget": (c_char_p, [c_void_p]),
    "twBundleKernelCount": (c_size_t, [c_void_p]),
    "twBundleKernelName": (c_char_p, [c_void_p, c_size_t]),
    "twBundlePlan": (c_char_p, [c_void_p]),
    "twBundleParamCount": (c_size_t, [c_void_p, c_size_t]),
    "twBundleParam": (c_int, [c_void_p, c_size_t, c_size_t, ctypes.POINTER(CParamInfo)]),
    "twBackendCreate": (c_void_p, [c_char_p, c_int, c_uint64, _ERROR]),
    "twEmulatorCreate": (c_void_p, [c_uint64, c_int, _ERROR]),
    "twBackendDestroy": (None, [c_void_p]),
    "twBackendName": (c_char_p, [c_void_p]),
    "twBackendDescription": (c_char_p, [c_void_p]),
    "twKernelLookup": (c_void_p, [c_void_p, c_void_p, c_char_p, _ERROR]),
    "twKernelDestroy": (None, [c_void_p]),
    "twLaunch": (c_int, [c_void_p, ctypes.POINTER(CArg), c_size_t, _ERROR]),
    "twSelectVariant": (
        c_int,
        [c_void_p, ctypes.POINTER(CArg), c_size_t, ctypes.POINTER(c_size_t), ctypes.POINTER(c_uint64), _ERROR],
    ),
    "twBenchmark": (
        c_int,
        [c_void_p, ctypes.POINTER(CArg), c_size_t, c_uint, c_uint, ctypes.POINTER(ctypes.c_double), _ERROR],
    ),
}

lib = _load()
# False for libTilewrightRuntime, which lacks the functions of Compiler.h and the emulator.
has_compiler = hasattr(lib, "twCompile")
for _name, (_result, _arguments) in {**_RUNTIME, **(_COMPILER if has_compiler else {})}.items():
    _function = getattr(lib, _name)
    _function.restype = _result
    _function.argtypes = _arguments
