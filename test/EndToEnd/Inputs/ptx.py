# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of a loop in PTX by kind, from the text alone."""

import collections
import re

# First match wins; the text of an instruction is matched from its start, behind a predicate.
KINDS = (
    ("mma", r"(mma|wgmma|tcgen05\.mma)\b"),
    ("ldmatrix.trans", r"ldmatrix\..*\.trans"),
    ("ldmatrix", r"ldmatrix\b"),
    ("stmatrix", r"stmatrix\b"),
    ("async copy", r"cp\.async"),
    ("load of {}", r"ld\.(?:volatile\.|relaxed\.\w+\.)?global"),
    ("store of {}", r"st\.(?:volatile\.|relaxed\.\w+\.)?global"),
    ("shared load of {}", r"ld\.shared"),
    ("shared store of {}", r"st\.shared"),
    ("barrier", r"bar(rier)?\."),
    ("shuffle", r"shfl\."),
    ("local", r"(ld|st)\.local"),
)


def entry(text, kernel):
    """The lines of one kernel, comments and blank lines left out."""
    body = text[re.search(rf"\.entry {kernel}\(", text).start() :]
    body = body[: body.index("\n}")]
    lines = (line.split("//")[0].strip() for line in body.splitlines())
    return [line for line in lines if line]


def loops(lines):
    """The innermost loops as lists of lines: from a label to a branch back to it with no other such pair inside."""
    labels, found = {}, []
    for number, line in enumerate(lines):
        if match := re.match(r"(\$\w+):", line):
            labels[match[1]] = number
        elif match := re.match(r"(?:@!?%p\d+\s+)?bra(?:\.uni)?\s+(\$\w+);", line):
            if match[1] in labels:
                found.append((labels[match[1]], number))
    inner = [a for a in found if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in found)]
    return [lines[first : last + 1] for first, last in inner]


def access_bytes(instruction):
    """Bytes that one thread moves."""
    lanes = re.search(r"\.v(\d)\.", instruction)
    width = re.findall(r"\.[a-z]+(\d+)(?=[\s.])", instruction.split()[0] + " ")
    return int(lanes[1] if lanes else 1) * int(width[-1]) // 8


def count(lines):
    """How many instructions of each kind; those of no kind are left out. "predicated" counts accesses with a guard."""
    counts = collections.Counter()
    for line in lines:
        match = re.match(r"(@!?%p\d+\s+)?(.*)", line)
        guard, instruction = match[1], match[2]
        for kind, pattern in KINDS:
            if re.match(pattern, instruction):
                if "{}" in kind:
                    kind = kind.format(f"{access_bytes(instruction)} bytes")
                counts[kind] += 1
                if guard and "load" in kind or guard and "store" in kind:
                    counts["predicated"] += 1
                break
    return counts
