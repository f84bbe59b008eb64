# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s --seeds=0:250
"""Random tile programs: as NumPy has them, as the plain lowering has them, and in two configurations of each seed's choice.

`random_programs.py --seeds=A:B` runs those seeds. A failing seed prints itself, the configuration, and the program after
everything that does not matter has been taken out of it; it becomes a named test elsewhere.
"""

import argparse
import os
import random
import re
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import configurations
import resizing
import tilewright
from random_program import Program

CONFIGURATIONS = configurations.every_configuration()


def run(program, options):
    """Raises unless the compiled program leaves every array, and what surrounds it, as NumPy does. One with other extents may
    refuse the launch instead (resizing.py)."""
    source = program.source()
    if "num-warps" in dict(options):
        source = re.sub(r"tile\.num_warps = \d+ : i64, ", "", source)
    module = configurations.compile(source, options)
    views, numbers = program.arguments()
    try:
        module["k"](*(view for view, _, _ in views), *numbers, backend="emulator", sm_count=configurations.sm_count(options))
    except tilewright.TilewrightError as error:
        if not configurations.is_resized(module, "k") or not resizing.refusal(error):
            raise
        return
    for memory, (view, room, inside), wanted in zip(program.memory, views, program.expected()):
        arrays.assert_same_bits(view, wanted, memory.name)
        outside = np.ones(room.shape, bool)
        outside[inside] = False
        assert (room[outside] == np.asarray(99).astype(room.dtype)).all(), f"wrote outside {memory.name}"


def failure(program, options):
    """What goes wrong, or None."""
    try:
        run(program, options)
    except (AssertionError, tilewright.TilewrightError) as error:
        return error
    return None


def check(seed, chosen=None):
    """Runs one seed; prints what fails and returns whether something did."""
    pick = random.Random(seed)
    all_options = [chosen] if chosen is not None else [configurations.PLAIN, *pick.sample(CONFIGURATIONS, 2)]
    for options in all_options:
        error = failure(Program(seed), options)
        if error is None:
            continue
        smaller = Program(seed)
        # Another message may be another error, which would hide this one.
        smaller.shrink(lambda: type(failure(smaller, options)) is type(error))
        print(f"seed {seed} fails with options '{configurations.to_text(options)}': {error}")
        print(f"  repeat: random_programs.py --seeds={seed}:{seed + 1} --options={configurations.to_text(options)}")
        print(f"made smaller: {failure(smaller, options)}\n{smaller.source()}", flush=True)
        return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0:250", help="FIRST:LAST, the last one not included")
    parser.add_argument("--options", help="one configuration, as a failure prints it")
    parser.add_argument("--print", action="store_true", help="print the programs instead of running them")
    chosen = parser.parse_args()
    first, last = map(int, chosen.seeds.split(":"))
    if chosen.print:
        for seed in range(first, last):
            print(f"// seed {seed}\n{Program(seed).source()}")
        return
    options = None if chosen.options is None else configurations.from_text(chosen.options)
    failed = [seed for seed in range(first, last) if check(seed, options)]
    print(f"seeds {first} to {last - 1}: {len(failed)} failed{': ' if failed else ''}{' '.join(map(str, failed))}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
