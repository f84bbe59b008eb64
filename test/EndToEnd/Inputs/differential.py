# SPDX-License-Identifier: Apache-2.0
"""The differential harness: a kernel gives the same bits however it is compiled.

A case is a program with launches of its kernels. Each launch runs as the plain lowering has it, with every optional pass
off, and as each configuration has it (configurations.py); inputs lie in rooms of poison, outputs are poisoned before each
run, and the whole rooms must agree afterwards. A failure prints the command that repeats it alone.
"""

import argparse
import os
import re
import shlex
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import arrays
import configurations
import placed
import resizing
import tilewright
from configurations import DEFAULT, PLAIN, to_text

# Set to anything: every launch in every configuration, and tiles of full size.
LONG = "TILEWRIGHT_LONG"


class In:
    """An array that a kernel reads, inside poison. `layout` is one of `arrays.Output`; the odd ones begin anywhere."""

    def __init__(self, values, layout="C"):
        self.values, self.layout = np.asarray(values), layout
        self.room = None

    def make(self):
        """The argument and its room, the same ones each time."""
        if self.room is None:
            self.room = arrays.Output(self.values.shape, self.values.dtype, self.layout)
            self.room.array[...] = self.values
        return self.room.array, self.room


class Out:
    """An array that a kernel writes: poison, or `values` if it is also read."""

    def __init__(self, shape, dtype, layout="C", values=None):
        self.shape, self.dtype, self.layout, self.values = shape, dtype, layout, values

    def make(self):
        """The argument, and its room."""
        room = arrays.Output(self.shape, self.dtype, self.layout)
        if self.values is not None:
            room.array[...] = self.values
        return room.array, room


@dataclass
class Launch:
    """One launch. Exact where `rtol` and `atol` are zero, else within `atol + rtol * |plain|`."""

    kernel: str
    arguments: list
    what: str = ""
    rtol: float = 0.0
    atol: float = 0.0

    def place(self, module, sm_count=0):
        """The arguments in emulated memory, and the rooms of the outputs."""
        made = [x.make() if isinstance(x, (In, Out)) else (x, None) for x in self.arguments]
        outputs = [room for x, (_, room) in zip(self.arguments, made) if isinstance(x, Out)]
        # An argument with its own memory is one whose ends the emulator knows; only a room can hold an odd address.
        rooms = [room.room if room and "odd" in x.layout else None for x, (_, room) in zip(self.arguments, made)]
        return placed.Arguments(module[self.kernel], [argument for argument, _ in made], rooms, sm_count), outputs

    def run(self, module, sm_count=0):
        """Launches on the emulator; returns the outputs after a look at what surrounds them."""
        arguments, outputs = self.place(module, sm_count)
        with arguments:
            arguments.launch()
        for room in outputs:
            room.check_border()
        return [room.array for room in outputs]

    def variant(self, module):
        """The symbol of the variant that runs."""
        arguments, _ = self.place(module)
        with arguments:
            return arguments.variant()

    def compare(self, actual, plain):
        """Raises unless the outputs agree. NaN equals NaN: which of them an operation gives is left open."""
        for number, (here, there) in enumerate(zip(actual, plain)):
            what = f"output {number}"
            if self.rtol or self.atol:
                arrays.assert_close(here, there, self.rtol, self.atol, what)
            elif here.dtype.kind == "f":
                arrays.assert_same_bits(np.where(np.isnan(here), np.nan, here).astype(here.dtype),
                                        np.where(np.isnan(there), np.nan, there).astype(here.dtype), what)
            else:
                arrays.assert_same_bits(here, there, what)


@dataclass
class Case:
    """A program and its launches. `shrink` maps extents in the text to smaller ones and `warps` are the numbers of warps to
    try, both for runs that must be short: one warp with large tiles takes seconds to compile.
    """

    name: str
    source: str
    launches: list
    shrink: dict = field(default_factory=dict)
    warps: tuple = ()

    def text(self, options, is_long):
        """The program. One that pins its warps loses the pin where the configuration has warps of its own."""
        text = self.source
        if self.shrink and not is_long:
            # Numbers alone or as an extent of a type; not part of a name or of another number.
            old = "(?:" + "|".join(self.shrink) + ")"
            text = re.sub(rf"(?<![\w.%]){old}(?![\w.])|(?<![\w.%]){old}(?=x\w)|(?<=x){old}(?=[x>])",
                          lambda match: str(self.shrink[match[0]]), text)
        if "num-warps" in dict(options):
            text = re.sub(r", tile\.num_warps = \d+ : i64", "", text)
        return text

    def configurations(self, is_long):
        """All of them, with no more warps than the case is worth."""
        factors = configurations.FACTORS
        if self.warps and not is_long:
            factors = [
                configurations.Factor(f.option, self.warps, f.of) if f.option == "num-warps" else f for f in factors
            ]
        found = configurations.every_configuration(factors)
        alone = resizing.alone(configurations.classes(self.text(DEFAULT, is_long)))
        alone = [configurations.configuration((), [("extents", rule)]) for rule in alone]
        return list(dict.fromkeys(found + alone))


class Harness:
    """Runs cases; `failures` holds the messages, `launches` counts what ran.

    A launch of a resized kernel may be refused (resizing.py). `refused` counts those of each (case, kernel) by their kind,
    `resized` those that ran: a kernel of which all are refused is a failure of the case.
    """

    def __init__(self, script, is_long=False):
        self.script, self.is_long = script, is_long
        self.failures = []
        self.launches = 0
        self.plain = {}
        self.resized, self.refused = Counter(), Counter()

    def plain_results(self, case, number):
        key = (case.name, number)
        if key not in self.plain:
            if case.name not in self.plain:
                self.plain[case.name] = configurations.compile(case.text(PLAIN, self.is_long), PLAIN)
            self.plain[key] = [x.copy() for x in case.launches[number].run(self.plain[case.name])]
        return self.plain[key]

    def check(self, case, options, numbers):
        """Compiles a case once and runs some of its launches."""
        number = None
        try:
            module = configurations.compile(case.text(options, self.is_long), options)
            for number in numbers:
                launch = case.launches[number]
                is_resized = configurations.is_resized(module, launch.kernel)
                if "@" in dict(options).get("extents", "") and not is_resized:
                    continue  # The default, once more.
                plain = self.plain_results(case, number)
                try:
                    actual = launch.run(module, configurations.sm_count(options))
                except tilewright.TilewrightError as error:
                    kind = resizing.refusal(error)
                    if not kind or not is_resized:
                        raise
                    self.refused[case.name, launch.kernel, kind] += 1
                    continue
                self.launches += 1
                self.resized[case.name, launch.kernel] += is_resized
                launch.compare(actual, plain)
        except (AssertionError, tilewright.TilewrightError) as error:
            self.fail(case, options, number, error)

    def fail(self, case, options, number, error):
        command = ["env", f"PYTHONPATH={os.path.dirname(os.path.dirname(os.path.abspath(tilewright.__file__)))}"]
        command += [f"{LONG}=1"] if self.is_long else []
        command += [sys.executable, os.path.abspath(self.script), "--case=" + case.name, "--options=" + to_text(options)]
        launch = "" if number is None else f" {case.launches[number].kernel} {case.launches[number].what}"
        command += [] if number is None else [f"--launch={number}"]
        self.failures.append(f"{case.name}{launch}: {to_text(options) or 'default'}: {error}\n  repeat: {shlex.join(command)}")
        print(self.failures[-1], flush=True)

    def check_variants(self, case):
        """One compiled program whose launches choose each variant of each kernel at least once, and agree."""
        for options in (DEFAULT, (("even-k", "peel"),)):
            module = configurations.compile(case.text(options, self.is_long), options)
            chosen = {launch.variant(module) for launch in case.launches}
            missing = {symbol for kernel in module for symbol in module[kernel].variants} - chosen
            if missing:
                self.fail(case, options, None, f"no launch chooses {', '.join(sorted(missing))}")
            self.check(case, options, range(len(case.launches)))

    def check_case(self, case):
        """Each configuration. In a short run each takes two launches of each kernel, in turns."""
        by_kernel = {}
        for number, launch in enumerate(case.launches):
            by_kernel.setdefault(launch.kernel, []).append(number)
        for turn, options in enumerate(case.configurations(self.is_long)):
            numbers = range(len(case.launches))
            if not self.is_long:
                numbers = [members[(2 * turn + i) % len(members)] for members in by_kernel.values() for i in (0, 1)]
            self.check(case, options, numbers)
        self.check_resized(case)

    def check_resized(self, case):
        """A kernel that is resized somewhere runs somewhere."""
        for kernel in {launch.kernel: None for launch in case.launches}:
            refused = [f"{count} by {kind}" for (name, of, kind), count in self.refused.items() if (name, of) == (case.name, kernel)]
            if refused and not self.resized[case.name, kernel]:
                self.fail(case, DEFAULT, None, f"every launch of a resized {kernel} is refused: {', '.join(refused)}")


def main(cases):
    """Runs every case, or what the command line asks for; ends the process with 1 where something differed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=[case.name for case in cases])
    parser.add_argument("--options", help="one configuration, as a failure prints it")
    parser.add_argument("--launch", type=int, help="one launch, by its number")
    chosen = parser.parse_args()
    harness = Harness(sys.argv[0], bool(os.environ.get(LONG)))
    for case in cases:
        if chosen.case not in (None, case.name):
            continue
        begin, before = time.process_time(), harness.launches
        if chosen.options is not None:
            numbers = range(len(case.launches)) if chosen.launch is None else [chosen.launch]
            harness.check(case, configurations.from_text(chosen.options), numbers)
        else:
            harness.check_variants(case)
            harness.check_case(case)
        resized = sum(count for (name, _), count in harness.resized.items() if name == case.name)
        refused = sum(count for (name, *_), count in harness.refused.items() if name == case.name)
        print(f"{case.name}: {harness.launches - before} launches, {resized} of them resized and {refused} refused, "
              f"{time.process_time() - begin:.1f} s", flush=True)
    sys.exit(1 if harness.failures else 0)
