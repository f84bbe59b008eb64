# SPDX-License-Identifier: Apache-2.0
"""Tilewright: compile tile programs for NVIDIA GPUs and run them there or on the CPU emulator.

    import numpy as np
    import tilewright

    module = tilewright.compile("examples/matmul.mlir", target="sm_90a")
    c = np.empty((300, 200), np.float16)
    module["matmul"](a, b, c)
"""

from .arguments import Parameter
from .compiler import compile, llvm_version, optional_passes, version
from .errors import CompileError, Diagnostic, LaunchError, NoDeviceError, TilewrightError
from .module import Kernel, Launch, Module, Selection, load
from .runtime import available_backends
from .types import TypedArray, as_type

__version__ = version()

__all__ = [
    "CompileError",
    "Diagnostic",
    "Kernel",
    "Launch",
    "LaunchError",
    "Module",
    "NoDeviceError",
    "Parameter",
    "Selection",
    "TilewrightError",
    "TypedArray",
    "as_type",
    "available_backends",
    "compile",
    "llvm_version",
    "load",
    "optional_passes",
    "version",
]
