# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Integer arithmetic of every width at the ends of the range, against Python's unbounded integers: wrap-around, division
and remainder of every kind and sign, shifts, extended products and sums, counts of bits, casts. What the language leaves
open (a divisor of 0, the smallest integer by -1, a shift by the width or more) must not stop a kernel."""

import os
import sys
import unittest
from fractions import Fraction
from math import ceil, floor

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import elementwise
from elementwise import Case, bits_of

WIDTHS = (8, 16, 32, 64)


def interesting(width):
    """Signed values: the ends of the range and their neighbours, powers of two, small numbers of both signs."""
    top = 1 << (width - 1)
    values = {0, 1, 2, 3, 5, 7, 10, width - 1, width // 2, top - 1, top - 2, top // 2, top // 2 + 1, top // 3}
    return sorted(values | {-value for value in values} | {-top})


def truncated(a, b):
    """a / b towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def predicate(name, a, b):
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[name]


def leading_zeros(a, width):
    return width - a.bit_length()


def trailing_zeros(a, width):
    return width if a == 0 else (a & -a).bit_length() - 1


def power(a, b):
    """What math.ipowi documents: wraps; a negative power is 1 / a towards zero, and 0 for a = 0."""
    if b >= 0:
        return a**b if abs(a) <= 1 or b < 200 else pow(a, b, 1 << 64)
    return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)


# Name, meaning over signed (s) or unsigned (u) operands of `width` bits, and where it has one.
BINARY = [
    ("arith.addi", "s", lambda a, b, w: a + b, None),
    ("arith.subi", "s", lambda a, b, w: a - b, None),
    ("arith.muli", "s", lambda a, b, w: a * b, None),
    ("arith.divsi", "s", lambda a, b, w: truncated(a, b), "division"),
    ("arith.remsi", "s", lambda a, b, w: a - b * truncated(a, b), "division"),
    ("arith.floordivsi", "s", lambda a, b, w: floor(Fraction(a, b)), "division"),
    ("arith.ceildivsi", "s", lambda a, b, w: ceil(Fraction(a, b)), "division"),
    ("arith.divui", "u", lambda a, b, w: a // b, "nonzero"),
    ("arith.remui", "u", lambda a, b, w: a % b, "nonzero"),
    ("arith.ceildivui", "u", lambda a, b, w: -(-a // b), "nonzero"),
    ("arith.shli", "u", lambda a, b, w: a << b, "shift"),
    ("arith.shrui", "u", lambda a, b, w: a >> b, "shift"),
    ("arith.maxsi", "s", lambda a, b, w: max(a, b), None),
    ("arith.minsi", "s", lambda a, b, w: min(a, b), None),
    ("arith.maxui", "u", lambda a, b, w: max(a, b), None),
    ("arith.minui", "u", lambda a, b, w: min(a, b), None),
    ("arith.andi", "u", lambda a, b, w: a & b, None),
    ("arith.ori", "u", lambda a, b, w: a | b, None),
    ("arith.xori", "u", lambda a, b, w: a ^ b, None),
    ("math.ipowi", "s", lambda a, b, w: power(a, b), None),
]
UNARY = [
    ("math.absi", "s", lambda a, w: abs(a)),
    ("math.ctlz", "u", leading_zeros),
    ("math.cttz", "u", trailing_zeros),
    ("math.ctpop", "u", lambda a, w: bin(a).count("1")),
]


class IntegerRules(unittest.TestCase):
    def pairs(self, width):
        values = interesting(width)
        return [(a, b) for a in values for b in values]

    def operands(self, width, pairs):
        type = f"i{width}"
        return [(type, bits_of([pair[i] for pair in pairs], type)) for i in range(2)]

    def test_binary(self):
        for width in WIDTHS:
            type, mask, least = f"i{width}", (1 << width) - 1, -(1 << (width - 1))
            pairs = self.pairs(width)
            cases = []
            for name, signed, meaning, domain in BINARY:
                want, where = [], []
                for a, b in pairs:
                    if signed == "u":
                        a, b = a & mask, b & mask
                    defined = {None: True, "nonzero": b != 0, "division": b != 0 and (a, b) != (least, -1),
                               "shift": b < width}[domain]
                    want.append(meaning(a, b, width) if defined else 0)
                    where.append(defined)
                cases.append(Case(f"{name} {{0}}, {{1}}", self.operands(width, pairs), type, bits_of(want, type),
                                  np.array(where)))
            # shrsi: a signed value, an unsigned count.
            counts = [b & mask for _, b in pairs]
            want = [a >> count if count < width else 0 for (a, _), count in zip(pairs, counts)]
            cases.append(Case("arith.shrsi {0}, {1}", self.operands(width, pairs), type, bits_of(want, type),
                              np.array([count < width for count in counts])))
            elementwise.run(self, cases)

    def test_constant_divisors(self):
        # Where the divisor is known the compilers multiply instead.
        for width in WIDTHS:
            type, values = f"i{width}", interesting(width)
            cases = []
            for divisor in (1, -1, 2, -2, 3, 7, -8, 10, (1 << (width - 1)) - 1, -(1 << (width - 1))):
                where = np.array([not (divisor == -1 and a == values[0]) for a in values])
                for name, _, meaning, domain in BINARY:
                    if domain == "division":
                        want = [meaning(a, divisor, width) if ok else 0 for a, ok in zip(values, where)]
                        text = f"%d = arith.constant dense<{divisor}> : {{t0}}\n  %r = {name} {{0}}, %d : {{t0}}"
                        cases.append(Case(text, [(type, bits_of(values, type))], type, bits_of(want, type), where))
            elementwise.run(self, cases)

    def test_compare(self):
        for width in WIDTHS:
            pairs, mask = self.pairs(width), (1 << width) - 1
            cases = []
            for name in ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"):
                word = name if len(name) == 2 else name[1:]
                want = [predicate(word, *((a & mask, b & mask) if name[0] == "u" else (a, b))) for a, b in pairs]
                cases.append(Case(f"arith.cmpi {name}, {{0}}, {{1}}", self.operands(width, pairs), "i1",
                                  np.array(want, np.uint8)))
            elementwise.run(self, cases)

    def test_unary(self):
        for width in WIDTHS:
            type, values, mask = f"i{width}", interesting(width), (1 << width) - 1
            elementwise.run(self, [
                Case(f"{name} {{0}}", [(type, bits_of(values, type))], type,
                     bits_of([meaning(a if signed == "s" else a & mask, width) for a in values], type))
                for name, signed, meaning in UNARY])

    def test_extended(self):
        for width in WIDTHS:
            type, pairs, mask = f"i{width}", self.pairs(width), (1 << width) - 1
            operands = self.operands(width, pairs)
            unsigned = [(a & mask, b & mask) for a, b in pairs]
            elementwise.run(self, [
                Case("%low, %r = arith.mului_extended {0}, {1}", operands, type,
                     bits_of([a * b >> width for a, b in unsigned], type)),
                Case("%low, %r = arith.mulsi_extended {0}, {1}", operands, type,
                     bits_of([a * b >> width for a, b in pairs], type)),
                Case("%r, %high = arith.mulsi_extended {0}, {1}", operands, type, bits_of([a * b for a, b in pairs], type)),
                Case("%sum, %r = arith.addui_extended {0}, {1} : {t0}, {r}", operands, "i1",
                     np.array([a + b > mask for a, b in unsigned], np.uint8))])

    def test_casts(self):
        cases = []
        for narrow in WIDTHS:
            for wide in WIDTHS:
                if narrow >= wide:
                    continue
                small, large = f"i{narrow}", f"i{wide}"
                values, wides = interesting(narrow), interesting(wide)
                for name, mask in (("extsi", -1), ("extui", (1 << narrow) - 1)):
                    cases.append(Case(f"arith.{name} {{0}} : {{t0}} to {{r}}", [(small, bits_of(values, small))], large,
                                      bits_of([a & mask for a in values], large)))
                cases.append(Case("arith.trunci {0} : {t0} to {r}", [(large, bits_of(wides, large))], small,
                                  bits_of(wides, small)))
        for width in WIDTHS:
            type, values = f"i{width}", interesting(width)
            bools = np.array([1, 0, 1, 1, 0], np.uint8)
            cases.append(Case("arith.extui {0} : {t0} to {r}", [("i1", bools)], type, bits_of(bools, type)))
            cases.append(Case("arith.extsi {0} : {t0} to {r}", [("i1", bools)], type, bits_of([-int(b) for b in bools], type)))
            cases.append(Case("arith.trunci {0} : {t0} to {r}", [(type, bits_of(values, type))], "i1",
                              np.array([a & 1 for a in values], np.uint8)))
        elementwise.run(self, cases)


if __name__ == "__main__":
    unittest.main()
