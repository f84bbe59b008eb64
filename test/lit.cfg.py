# SPDX-License-Identifier: Apache-2.0
"""The lit suite: .mlir and .test files everywhere, Python files in EndToEnd.

Run through the build folder: `lit build/test`, or `scripts/test`. Features: `ptxas`, `nvdisasm` (the tool is
on PATH, in /usr/local/cuda/bin or in build/cuda-tools/bin), `gpu` (a CUDA device answers), `sanitizer`.
`--param verify_roundtrip=1` adds --verify-roundtrip to every tile-opt.
"""

import ctypes
import os
import re
import shutil

import lit.formats
import lit.util

config.name = "Tilewright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "lib", "Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tilewright_build, "test")

# A test that hangs fails; the slowest takes well under a minute of its own.
supported, _ = lit.util.killProcessAndChildrenIsSupported()
if supported and lit_config.maxIndividualTestTime == 0:
    lit_config.maxIndividualTestTime = 1200 if config.sanitizer else 600

tool_folders = [
    os.path.join(config.tilewright_build, "bin"),
    os.path.join(config.tilewright_build, "cuda-tools", "bin"),
    config.llvm_tools,
]
path = os.pathsep.join(tool_folders + [os.environ.get("PATH", ""), "/usr/local/cuda/bin"])
config.environment["PATH"] = path
config.environment["PYTHONPATH"] = os.path.join(config.tilewright_source, "python")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
library = os.path.join(config.tilewright_build, "lib", "libTilewrightC.so")
config.environment["TILEWRIGHT_LIBRARY"] = library
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

for tool in ("ptxas", "nvdisasm"):
    if shutil.which(tool, path=path):
        config.available_features.add(tool)


def has_gpu():
    """Whether the CUDA driver loads and finds a device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


if has_gpu():
    config.available_features.add("gpu")

python = os.path.join(config.tilewright_build, "venv", "bin", "python")
if not os.path.exists(python):
    python = config.python
if config.sanitizer:
    config.available_features.add("sanitizer")
    # Python itself is not instrumented: the runtime must come first, and its own leaks are not ours.
    config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
    # LLVM's allocators poison what they have not handed out, and LLVM's own libraries, which are not instrumented, do
    # not undo it.
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0:alloc_dealloc_mismatch=0:allow_user_poisoning=0"
    if config.asan_runtime:
        python = "env LD_PRELOAD=" + config.asan_runtime + " " + python

# A program against instrumented libraries links the sanitizers too.
consumer_flags = f"-fsanitize={config.sanitizer}" if config.sanitizer else ""

config.substitutions += [
    ("%consumer_flags", f"-DCMAKE_C_FLAGS={consumer_flags} -DCMAKE_CXX_FLAGS={consumer_flags}"),
    ("%python", python),
    ("%source", config.tilewright_source),
    ("%build", config.tilewright_build),
    ("%examples", os.path.join(config.tilewright_source, "examples")),
    ("%cmake", config.cmake),
    ("%cc", config.c_compiler),
    ("%cxx", config.cxx_compiler),
    ("%llvm_tools", config.llvm_tools),
]
if int(lit_config.params.get("verify_roundtrip", "0")):
    # A command, not a path or another tool's name.
    config.substitutions.append((r"(?<![-/\w.])tile-opt(?![-\w.])", "tile-opt --verify-roundtrip"))
