# SPDX-License-Identifier: Apache-2.0
"""What the compiler can be asked to do differently without changing a result: the configurations of the differential tests.

A configuration is a tuple of options of `tile-compile`, each a pair of text; `sms`, how many SMs the emulator has, is one
of them, and `extents` is a rule of resizing.py, since classes of tile dimensions are a program's own. Passes come from the
compiler itself, other choices from `FACTORS`; test/EndToEnd/differential_choices.py fails where the compiler has an option
that is neither in there nor in `NO_FACTORS` or `FIXED`.
"""

import re
from dataclasses import dataclass

import covering
import resizing
import tilewright


@dataclass(frozen=True)
class Factor:
    """An option, its values (None leaves it out, which is how the plain lowering has it) and the pass that it steers."""

    option: str
    values: tuple
    of: str = ""


FACTORS = (
    Factor("target", ("sm_90a", "sm_80", "sm_100a", "sm_120a")),
    Factor("num-warps", (None, "1", "2", "4", "8")),
    Factor("max-variants", (None, "1", "3")),
    Factor("grid-group", (None, "1", "3"), "tile-order-grid"),
    Factor("persistent", (None, "always", "never"), "tile-make-persistent"),
    Factor("even-k", (None, "guard", "peel"), "tile-specialize-even-k"),
    Factor("epilogue-parts", (None, "1", "2", "4"), "tile-subtile-epilogue"),
    Factor("tma", (None, "guard"), "tile-insert-tma"),
    # Few enough that a persistent program has several tiles.
    Factor("sms", (None, "2"), "tile-make-persistent"),
    Factor("extents", (None, *resizing.RULES), "tile-choose-extents"),
)
# Options of a compilation that choose no code: what is compiled, and what for.
NO_FACTORS = ("kernel", "cubin", "lazy", "ptxas", "nvdisasm", "disable-pass")
# Options whose only value so far is the default.
FIXED = ("num-stages", "cluster")

PASSES = tilewright.optional_passes()


def configuration(disabled, choices=()):
    """The options for passes that are off and for (option, value) pairs, in one order."""
    options = [(option, value) for option, value in choices if value is not None]
    return tuple(options + [("disable-pass", name) for name in PASSES if name in disabled])


PLAIN = configuration(PASSES)
DEFAULT = configuration(())


def alone_on():
    """Each pass with all others off, and again for each value of the choices that steer it."""
    for name in PASSES:
        others = [other for other in PASSES if other != name]
        rows = [()]
        for factor in FACTORS:
            if factor.of == name:
                rows = [row + ((factor.option, value),) for row in rows for value in factor.values]
        for row in rows:
            yield configuration(others, row)


def alone_off():
    """All passes but one."""
    for name in PASSES:
        yield configuration((name,))


def all_pairs(factors=FACTORS):
    """Configurations in which every two choices of passes and factors meet."""
    for row in covering.cover_pairs([2] * len(PASSES) + [len(factor.values) for factor in factors]):
        disabled = [name for name, is_off in zip(PASSES, row) if is_off]
        values = [factor.values[value] for factor, value in zip(factors, row[len(PASSES) :])]
        yield configuration(disabled, [(factor.option, value) for factor, value in zip(factors, values)])


def every_configuration(factors=FACTORS):
    """All of them, each once, in one order; the plain lowering, which the others are compared with, is not among them."""
    found = dict.fromkeys([DEFAULT, *alone_on(), *alone_off(), *all_pairs(factors)])
    found.pop(PLAIN, None)
    return list(found)


def to_text(options):
    """The configuration in one word, for command lines: choices, and which passes are off; `none` and which are on."""
    words = [f"{option}={value}" for option, value in options if option != "disable-pass"]
    disabled = [value for option, value in options if option == "disable-pass"]
    if disabled == list(PASSES):
        return "/".join(words + ["none"])
    if len(disabled) * 2 > len(PASSES):  # Shorter said the other way round.
        return "/".join(words + ["none"] + [f"+{name}" for name in PASSES if name not in disabled])
    return "/".join(words + [f"-{name}" for name in disabled])


def from_text(text):
    """What `to_text` wrote."""
    words = [word for word in text.split("/") if word]
    on = {word[1:] for word in words if word[0] == "+"}
    off = {word[1:] for word in words if word[0] == "-"}
    unknown = (on | off) - set(PASSES)
    if unknown:
        raise ValueError(f"unknown passes: {', '.join(sorted(unknown))}")
    disabled = [name for name in PASSES if name in off or ("none" in words and name not in on)]
    return configuration(disabled, [tuple(word.split("=", 1)) for word in words if "=" in word])


# Options that ask for something, which is an error where a program cannot have it.
WISHES = ("grid-group", "persistent", "epilogue-parts", "tma", "even-k")


def compile_granted(source, **arguments):
    """Compiles a program; of the options that ask for what it cannot have, or whose pass is off, as if they were not there."""
    while True:
        try:
            return tilewright.compile(source, **arguments)
        except tilewright.CompileError as error:
            refused = [name for name in WISHES if re.search(rf"\boptions? '?{name}\b", str(error))]
            refused = [name.replace("-", "_") for name in refused if name.replace("-", "_") in arguments]
            if not refused:
                raise
            del arguments[refused[0]]


def compile(source, options):
    """Compiles a program lazily, for the emulator: its kernels by name."""
    arguments = {"lazy": True}
    for option, value in options:
        if option == "disable-pass":
            arguments.setdefault("disable_pass", []).append(value)
        elif option != "sms":
            arguments[option.replace("-", "_")] = value
    rule = arguments.pop("extents", None)
    return compile_granted(source, **arguments) if rule is None else Resized(source, arguments, rule)


class Resized:
    """The kernels of a program, each compiled with other extents for its own classes."""

    def __init__(self, source, arguments, rule):
        self.source, self.arguments = source, arguments
        found = classes(source, arguments.get("disable_pass", ()))
        self.requests = {kernel: resizing.requests(of_kernel, rule) for kernel, of_kernel in found.items()}
        self.modules = {}

    def __getitem__(self, kernel):
        if kernel not in self.modules:
            requests = {"extents": self.requests[kernel]} if self.requests.get(kernel) else {}
            self.modules[kernel] = compile_granted(self.source, kernel=kernel, **self.arguments, **requests)
        return self.modules[kernel][kernel]


_classes = {}


def classes(source, disabled=()):
    """The classes of each kernel, which depend on what simplifies it first; none where `tile-choose-extents` is off."""
    key = (source, *disabled)
    if key not in _classes:
        _classes[key] = resizing.classes(tilewright.compile(source, lazy=True, disable_pass=list(disabled)).remarks)
    return _classes[key]


def is_resized(module, kernel):
    """Whether the kernel has other extents than it was written with."""
    return isinstance(module, Resized) and bool(module.requests.get(kernel))


def sm_count(options):
    return int(dict(options).get("sms", 0))
