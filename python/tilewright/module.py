# SPDX-License-Identifier: Apache-2.0
"""Compiled programs: a `Module` holds what the compiler produced, its kernels are called with NumPy arrays."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Sequence

from ._library import lib
from .arguments import Parameter, pack_arguments, read_parameters
from .errors import Diagnostic, LaunchError
from .runtime import Handle, backend_for, check, check_range, checked


@dataclass(frozen=True)
class Launch:
    """What a finished launch says about itself: the backend's name and its device in words."""

    backend: str
    device: str


@dataclass(frozen=True)
class Selection:
    """What a launch would run: the variant's number in the order in which guards are asked, its symbol, and the grid.

    A host function launches several kernels, so its symbol is empty.
    """

    variant: int
    symbol: str
    grid: tuple[int, int, int]


class Kernel:
    """One kernel of a module. Calling it launches it and waits; arrays that it writes are changed in place."""

    def __init__(self, bundle: Handle, plan: Mapping[str, Any], parameters: Sequence[Parameter]) -> None:
        self.name: str = plan["name"]
        self.parameters: tuple[Parameter, ...] = tuple(parameters)
        # The symbols of its variants in the order in which their guards are asked; none for a host function.
        self.variants: tuple[str, ...] = tuple(variant["symbol"] for variant in plan["variants"])
        # Not the module, which holds the kernel: what was compiled shall go with the last name for it.
        self._bundle = bundle
        self._handles: dict[int, Handle] = {}

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(map(str, self.parameters))})>"

    def __call__(
        self, *args: Any, backend: str = "auto", device: int = 0, seed: int = 0, sm_count: int = 0, **named: Any
    ) -> Launch:
        """Launches on "emulator", "cuda" or "auto" (cuda where there is a device, else the emulator).

        Arguments are NumPy arrays (or `as_type` of one) for views and pointers and numbers for scalars, by position or
        by the parameter's name. `device` says which GPU; `seed` orders the emulator's schedule, and `sm_count` says how many
        SMs, for one program each, it pretends to have (0: as many as an H100, each for what fits). Raises LaunchError for
        arguments that do not fit and for what the device reports, NoDeviceError where the backend has no device.
        """
        chosen = backend_for(backend, device, seed, sm_count)
        packed = pack_arguments(self.name, self.parameters, args, named)
        error = ctypes.c_void_p()
        check(lib.twLaunch(self._handle(chosen).pointer, packed.array, packed.count, ctypes.byref(error)), error)
        return Launch(
            lib.twBackendName(chosen.pointer).decode(), lib.twBackendDescription(chosen.pointer).decode()
        )

    def select(
        self, *args: Any, backend: str = "auto", device: int = 0, sm_count: int = 0, **named: Any
    ) -> Selection:
        """Says which variant a call with these arguments would run; launches nothing."""
        chosen = backend_for(backend, device, 0, sm_count)
        packed = pack_arguments(self.name, self.parameters, args, named)
        variant, grid, error = ctypes.c_size_t(), (ctypes.c_uint64 * 3)(), ctypes.c_void_p()
        handle = self._handle(chosen).pointer
        status = lib.twSelectVariant(
            handle, packed.array, packed.count, ctypes.byref(variant), grid, ctypes.byref(error)
        )
        check(status, error)
        symbols = self.variants
        return Selection(variant.value, symbols[variant.value] if symbols else "", (grid[0], grid[1], grid[2]))

    def benchmark(
        self,
        *args: Any,
        backend: str = "auto",
        device: int = 0,
        seed: int = 0,
        warmups: int = 5,
        repeats: int = 20,
        **named: Any,
    ) -> list[float]:
        """Times `repeats` launches on the device, in seconds, after `warmups`. Arrays are not copied back."""
        check_range("warmups", warmups, 0, 1000000)
        check_range("repeats", repeats, 1, 100000)
        chosen = backend_for(backend, device, seed)
        packed = pack_arguments(self.name, self.parameters, args, named)
        seconds = (ctypes.c_double * repeats)()
        error = ctypes.c_void_p()
        status = lib.twBenchmark(
            self._handle(chosen).pointer, packed.array, packed.count, warmups, repeats, seconds, ctypes.byref(error)
        )
        check(status, error)
        return list(seconds)

    def _handle(self, backend: Handle) -> Handle:
        """The kernel made ready on a backend; kept for later launches."""
        key = backend.pointer.value or 0
        if key not in self._handles:
            pointer = checked(lib.twKernelLookup, backend.pointer, self._bundle.pointer, self.name.encode())
            self._handles[key] = Handle(pointer, lib.twKernelDestroy)
        return self._handles[key]


class Module:
    """A compiled program. Plain data (`kernels`, `remarks`, `report`, `plan`) and callable kernels (`module["name"]`)."""

    def __init__(self, bundle: bytes) -> None:
        """Opens the bytes of a bundle; raises LaunchError where they are damaged."""
        self._bytes = bundle
        self._bundle = Handle(checked(lib.twBundleOpen, bundle, len(bundle)), lib.twBundleDestroy)
        pointer = self._bundle.pointer
        self.target: str = lib.twBundleTarget(pointer).decode()
        self.plan: Any = json.loads(lib.twBundlePlan(pointer))
        self._kernels: dict[str, Kernel] = {}
        for index in range(lib.twBundleKernelCount(pointer)):
            name = lib.twBundleKernelName(pointer, index).decode()
            plan = self.plan["kernels"][index]
            self._kernels[name] = Kernel(self._bundle, plan, read_parameters(pointer, index))
        # What only a compilation knows; empty for a bundle from a file.
        self._ptx: dict[str, list[str]] = {}
        self.report: Any = {}
        self.remarks: list[dict[str, Any]] = []
        self.diagnostics: list[Diagnostic] = []

    @classmethod
    def from_compiled(cls, compiled: Any, diagnostics: Sequence[Diagnostic]) -> Module:
        """Copies everything out of a TwCompiled, which the caller destroys."""
        size = ctypes.c_size_t()
        data = lib.twCompiledBundle(compiled, ctypes.byref(size))
        module = cls(ctypes.string_at(data, size.value))
        module.report = json.loads(lib.twCompiledReport(compiled))
        module.remarks = json.loads(lib.twCompiledRemarks(compiled))
        module.diagnostics = list(diagnostics)
        for name in module.kernels:
            key = name.encode()
            texts = [
                lib.twCompiledPtx(compiled, key, variant).decode()
                for variant in range(lib.twCompiledVariantCount(compiled, key))
            ]
            module._ptx[name] = [text for text in texts if text]  # None was made for a lazy module.
        return module

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels, in source order."""
        return tuple(self._kernels)

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of that name; KeyError lists the known ones."""
        if name not in self._kernels:
            raise KeyError(f"no kernel {name!r}; there are {', '.join(self._kernels)}")
        return self._kernels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __repr__(self) -> str:
        return f"<tilewright module for {self.target}: {', '.join(self._kernels)}>"

    def ptx(self, kernel: str | None = None, variant: int = -1) -> str:
        """The PTX of one variant of a kernel: 0 is tried first, -1 is the one that serves every argument.

        `kernel` may be left out where there is only one. Raises KeyError for an unknown kernel and LookupError for
        a module that was loaded from a bundle, a lazy one or an unknown variant.
        """
        if kernel is None:
            if len(self._kernels) != 1:
                raise KeyError(f"say which kernel: {', '.join(self._kernels)}")
            kernel = next(iter(self._kernels))
        variants = self._ptx.get(self[kernel].name, [])
        if not -len(variants) <= variant < len(variants):
            raise LookupError(f"kernel {kernel!r} has {len(variants)} variants with PTX, not number {variant}")
        return variants[variant]

    def bundle(self) -> bytes:
        """The bytes of the bundle file, for `tile-launch`, `tile-run` and `load`."""
        return self._bytes


def load(source: str | os.PathLike[str] | bytes) -> Module:
    """Opens a bundle by its path or its bytes. Raises LaunchError where it is damaged."""
    if isinstance(source, bytes):
        return Module(source)
    path = pathlib.Path(source)
    try:
        return Module(path.read_bytes())
    except LaunchError as error:
        raise LaunchError(f"{path}: {error}") from None
