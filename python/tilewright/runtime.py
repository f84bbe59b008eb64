# SPDX-License-Identifier: Apache-2.0
"""Handles of the C runtime, its errors as exceptions, and the backends of this process."""

from __future__ import annotations

import ctypes
import threading
from typing import Any, Callable

from ._library import has_compiler, lib
from .errors import LaunchError, NoDeviceError

_NO_DEVICE = 3


class Handle:
    """Owns one C object and destroys it when the last reference goes."""

    def __init__(self, pointer: int, destroy: Callable[[ctypes.c_void_p], None]) -> None:
        self.pointer = ctypes.c_void_p(pointer)
        self._destroy = destroy

    def __del__(self) -> None:
        if self.pointer:
            self._destroy(self.pointer)
            self.pointer = ctypes.c_void_p()


def check(status: int, error: ctypes.c_void_p) -> None:
    """Raises what a C function reported; nothing where `status` is 0."""
    if status == 0:
        return
    message = "unknown error"
    if error:
        message = lib.twErrorMessage(error).decode(errors="replace")
        lib.twErrorDestroy(error)
    raise (NoDeviceError if status == _NO_DEVICE else LaunchError)(message)


def checked(function: Any, *arguments: Any) -> int:
    """Calls a C function that returns a handle and takes an error last; returns the handle or raises."""
    error = ctypes.c_void_p()
    pointer = function(*arguments, ctypes.byref(error))
    if not pointer:
        check(lib.twErrorStatus(error) if error else 2, error)
    return int(pointer)


def check_range(name: str, value: Any, low: int, high: int) -> None:
    """Raises for what C would take for another number."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not low <= value <= high:
        raise LaunchError(f"{name}: expected an integer from {low} to {high}, got {value!r}")


_lock = threading.Lock()
_backends: dict[tuple[str, int, int, int], Handle] = {}


def backend_for(name: str, device: int, seed: int, sm_count: int = 0) -> Handle:
    """The backend of that name, made at its first use. "auto" is cuda where it has a device, else the emulator.

    `sm_count` is for the emulator; 0 stands for its own number.
    """
    check_range("device", device, 0, 1023)
    check_range("seed", seed, 0, 2**63 - 1)
    check_range("sm_count", sm_count, 0, 1000000)
    if name == "auto":
        try:
            return backend_for("cuda", device, seed)
        except NoDeviceError:
            if not has_compiler:  # The emulator comes with the compiler.
                raise
            return backend_for("emulator", device, seed, sm_count)
    key = (name, device, seed, sm_count)
    with _lock:
        if key not in _backends:
            if name == "emulator" and sm_count:
                pointer = checked(lib.twEmulatorCreate, seed, sm_count)
            else:
                pointer = checked(lib.twBackendCreate, name.encode(), device, seed)
            _backends[key] = Handle(pointer, lib.twBackendDestroy)
        return _backends[key]


def available_backends() -> tuple[str, ...]:
    """The backends that can run here: the emulator (beside a compiler), and cuda where there is a driver and a device."""
    found = []
    for name in ("emulator", "cuda") if has_compiler else ("cuda",):
        try:
            backend_for(name, 0, 0)
            found.append(name)
        except NoDeviceError:
            pass
    return tuple(found)
