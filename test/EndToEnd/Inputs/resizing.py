# SPDX-License-Identifier: Apache-2.0
"""Other tile extents for programs that nobody has looked at: which classes a program has, and what to ask of them.

`tile-choose-extents` says in its remarks which classes of tile dimensions a kernel has and what can replace their extents.
A *rule* makes of the classes of one kernel what `--extents` takes. A rule for all classes at once is a word of `RULES`;
`half@1` is the rule `half` for class 1 alone. A launch of a resized kernel may be refused: by what it requires of sizes, or
for want of shared memory.
"""

import re
from dataclasses import dataclass

import tilewright


@dataclass(frozen=True)
class TileClass:
    """Dimensions of one extent; `can` says what can replace it: any, divisors or nothing. The first name is its own."""

    names: tuple
    extent: int
    can: str

    def takes(self, extent):
        return extent == self.extent or self.can == "any" or (self.can == "divisors" and self.extent % extent == 0)


def classes(remarks):
    """The classes of each kernel, in the order in which the compiler names them."""
    found = {}
    for remark in remarks:
        match = re.search(r"(.*) has the extent (\d+), which (any|divisors|stays)", remark["message"])
        if remark["pass"] == "tile-choose-extents" and match:
            tile_class = TileClass(tuple(match[1].split(" = ")), int(match[2]), match[3])
            found.setdefault(remark["function"], []).append(tile_class)
    return found


def _odd(extent):
    """Numbers in the style of 48 and 208: 3 or 13 times a power of two, or times an odd number."""
    return extent // 8 * 13 if extent % 128 == 0 else extent // 2 * 3 if extent % 2 == 0 else extent * 3


_ONE = {
    "half": lambda extent: extent // 2 if extent % 2 == 0 else extent,
    "double": lambda extent: extent * 2,
    "odd": _odd,
}
# `mixed` takes those in turn, so that neighbours differ; it has all that `double` does.
RULES = ("half", "odd", "mixed")


def _wanted(rule, number, extent):
    word, _, place = rule.partition("@")
    if place and int(place) != number:
        return extent
    return (_ONE[word] if word != "mixed" else list(_ONE.values())[(number + 2) % len(_ONE)])(extent)


def requests(found, rule):
    """What to ask for the classes of one kernel by a rule, as `extents` of `tilewright.compile`; leaves out what a class
    cannot take."""
    wanted = [(one, _wanted(rule, number, one.extent)) for number, one in enumerate(found)]
    return {one.names[0]: extent for one, extent in wanted if extent != one.extent and one.takes(extent)}


def alone(found):
    """Rules for one class alone, as many as the kernel with most classes has."""
    for number in range(max(map(len, found.values()), default=0)):
        for word in _ONE:
            if any(requests(of_kernel, f"{word}@{number}") for of_kernel in found.values()):
                yield f"{word}@{number}"


_REQUIREMENT = re.compile(
    r"(the size of .* must be at most what is walked along (?P<a>[\w.#]+)(, or that a multiple of \d+)?"
    r"|what is walked along (?P<b>[\w.#]+) must be a multiple of \d+), whose extent was set to \d+"
)
_RESOURCES = re.compile(r":\d+:\d+: kernel needs \d+ bytes of shared memory, the target has \d+")


def refusal(error):
    """"sizes" or "resources" if that is why a launch of a resized kernel was refused, else nothing: something is wrong."""
    if not isinstance(error, tilewright.LaunchError):
        return ""
    return "sizes" if _REQUIREMENT.search(str(error)) else "resources" if _RESOURCES.search(str(error)) else ""
