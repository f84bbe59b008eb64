# SPDX-License-Identifier: Apache-2.0
"""Runs tests of test/EndToEnd and records each launch on the emulator, to be replayed on a device.

usage: record.py FOLDER TEST.py...

Writes FOLDER/TEST.zip (archive.py says what is in it), also for a test that fails, and one line per test on what was left out.
Lazy modules are compiled in full, because a device needs PTX. Kernels with atomic accesses run under further schedules.
"""

import argparse
import collections
import ctypes
import pathlib
import runpy
import sys
import unittest
import zlib

import archive

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import tilewright
from tilewright import arguments, module

# Of all memory of a launch; compressed, which tells data from the empty room around it.
MAX_BYTES, MAX_PACKED_BYTES = 64 << 20, 4 << 20
MORE_SEEDS = (1, 2, 3)
TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_90a")


def is_atomic(kernel):
    """Whether a kernel's PTX has accesses that may meet those of other threads."""
    texts = kernel._module._ptx.get(kernel.name, [])
    return any(word in text for text in texts for word in ("atom.", "red.", "ld.relaxed", "ld.acquire"))


def ranges(arrays):
    """The allocations that arrays lie in, as sorted disjoint [begin, end) of addresses."""
    found = []
    for array in arrays:
        while getattr(array, "base", None) is not None and hasattr(array.base, "__array_interface__"):
            array = array.base
        begin = end = array.__array_interface__["data"][0]
        if array.size:
            reach = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides)]
            begin += sum(min(step, 0) for step in reach)
            end += sum(max(step, 0) for step in reach) + array.itemsize
        found.append([begin, end])
    merged = []
    for begin, end in sorted(found):
        if merged and begin < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


class Recorder:
    """Stands between tests and the package; `skipped` counts launches that were not recorded, by reason."""

    def __init__(self, path):
        self.writer = archive.Writer(path)
        self.test = ""
        self.skipped = collections.Counter()
        self.init = module.Module.__init__
        self.call = module.Kernel.__call__
        self.compile = tilewright.compile
        self.run_test = unittest.TestCase.run
        self.case = None

    def install(self):
        recorder = self

        def call(kernel, *args, backend="auto", device=0, seed=0, sm_count=0, **named):
            if sm_count:
                recorder.skipped["for a pretended number of SMs"] += 1
                return recorder.call(kernel, *args, backend=backend, device=device, seed=seed, sm_count=sm_count, **named)
            return recorder.launch(kernel, args, backend, device, seed, named)

        def compile(source, target="sm_90a", **options):
            options.pop("lazy", None)
            return recorder.compile(source, target, **options)

        def run(case, result=None):
            recorder.case = case
            return recorder.run_test(case, result)

        def init(compiled, bundle):
            recorder.init(compiled, bundle)
            for name in compiled.kernels:  # A kernel does not know its module.
                compiled[name]._module = compiled

        module.Module.__init__ = init
        module.Kernel.__call__, tilewright.compile, unittest.TestCase.run = call, compile, run

    def remove(self):
        module.Module.__init__ = self.init
        module.Kernel.__call__, tilewright.compile = self.call, self.compile
        unittest.TestCase.run = self.run_test
        self.writer.close()

    def name(self):
        """The running test and its parameters."""
        if self.case is None:
            return ""
        part = getattr(self.case, "_subtest", None)
        return part.id().split(".", 1)[-1] if part else self.case.id().split(".", 1)[-1]

    def launch(self, kernel, args, backend, device, seed, named):
        packed = arguments.pack_arguments(kernel.name, kernel.parameters, args, named)
        arrays = {}
        for parameter in kernel.parameters:
            value = args[parameter.index] if parameter.index < len(args) else named[parameter.name]
            value = value.array if isinstance(value, tilewright.TypedArray) else value
            if parameter.kind != "scalar":
                arrays[parameter.index] = value
        rooms = ranges(arrays.values())
        reason = self.reason(kernel, rooms)
        if reason:
            self.skipped[reason] += 1
            return self.call(kernel, *args, backend=backend, device=device, seed=seed, **named)

        def contents():
            return [ctypes.string_at(begin, end - begin) for begin, end in rooms]

        before, after = contents(), []
        for other in MORE_SEEDS if is_atomic(kernel) else ():
            self.call(kernel, *args, backend="emulator", seed=other, **named)
            after.append(contents())
            for (begin, end), data in zip(rooms, before):
                ctypes.memmove(begin, data, end - begin)
        try:
            result = self.call(kernel, *args, backend="emulator", seed=seed, **named)
        except tilewright.LaunchError:
            self.skipped["refused"] += 1
            raise
        after.insert(0, contents())
        self.write(kernel, packed, arrays, rooms, before, after)
        return result

    def reason(self, kernel, rooms):
        """Why a launch cannot be recorded; None where it can."""
        total = sum(end - begin for begin, end in rooms)
        if total > MAX_BYTES or total > MAX_PACKED_BYTES and MAX_PACKED_BYTES < sum(
                len(zlib.compress(ctypes.string_at(begin, end - begin), 1)) for begin, end in rooms):
            return f"more than {MAX_PACKED_BYTES >> 20} MiB"
        if kernel._module.target not in TARGETS:
            return f"compiled for {kernel._module.target}"
        return None

    def write(self, kernel, packed, arrays, rooms, before, after):
        buffers = []
        for index in range(len(rooms)):
            results = [self.writer.add("buffers", data[index]) for data in after]
            first = self.writer.add("buffers", before[index])
            buffers.append({"before": first, "after": list(dict.fromkeys(results))})
        entries = []
        for parameter in kernel.parameters:
            arg = packed.array[parameter.index]
            type = arguments._DTYPE_NAMES[arg.dtype]
            if parameter.kind == "scalar":
                value = arg.integer if tilewright.types.is_integer_type(type) else arg.number.hex()
                entries.append({"scalar": type, "value": value})
                continue
            array = arrays[parameter.index]
            # An empty array may lie behind its allocation's end.
            home = [i for i, (begin, end) in enumerate(rooms) if begin <= arg.data < end] or \
                   [i for i, (begin, end) in enumerate(rooms) if begin <= arg.data <= end]
            entries.append({"array": type, "buffer": home[0], "offset": arg.data - rooms[home[0]][0],
                            "shape": list(array.shape), "strides": list(array.strides), "written": parameter.is_written})
        self.writer.launches.append({"test": self.name(), "bundle": self.writer.add("bundles", kernel._module.bundle()),
                                     "kernel": kernel.name, "buffers": buffers, "args": entries})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("tests", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for test in options.tests:
        recorder = Recorder(options.folder / f"{test.stem}.zip")
        recorder.install()
        sys.argv = [str(test)]
        status = 0
        try:
            runpy.run_path(str(test), run_name="__main__")
        except SystemExit as end:
            status = end.code
        finally:
            recorder.remove()
        failed |= bool(status)
        left_out = ", ".join(f"{count} {reason}" for reason, count in recorder.skipped.items())
        print(f"{test.stem}: {len(recorder.writer.launches)} launches recorded" + (f"; left out: {left_out}" if left_out else "")
              + (f"; the test failed with {status}" if status else ""), flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
