# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""What arith leaves undefined for one element changes no other element, and no later choice.

Every second element of each operand is one that the operation is not defined for; the others are exact. Found on a GPU:
the cast of a float out of range to i8 wrote into its neighbour, and a division in a select took the select away.
"""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import elementwise
from elementwise import Case, bits_of

COUNT = 64
ODD = np.arange(COUNT) % 2 == 1


def floats(values, type):
    dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[type]
    return np.array(values, dtype).view(f"u{elementwise.BYTES[type]}")


class Neighbours(unittest.TestCase):
    def test_casts_of_floats(self):
        cases = []
        for type in ("f16", "f32", "f64"):
            for width in (8, 16, 32, 64):
                for name, good, bad in (("fptoui", [0, 1, 100, 127], [-1, 60000, float("inf"), float("nan")]),
                                        ("fptosi", [0, -1, 100, -128], [-60000, 60000, float("-inf"), float("nan")])):
                    want = np.resize(good, COUNT)
                    mixed = np.where(ODD, want, np.resize(np.repeat(bad, 2), COUNT))
                    cases.append(Case(f"arith.{name} {{0}} : {{t0}} to {{r}}", [(type, floats(mixed, type))], f"i{width}",
                                      bits_of(want, f"i{width}"), ODD))
        elementwise.run(self, cases)

    def test_shifts(self):
        cases = []
        for width in (8, 16, 32, 64):
            type = f"i{width}"
            value = np.resize([1, 5, 100, 127], COUNT)
            amount = np.resize(np.array([width, 3, width + 1, 2, (1 << width) - 1, 0], object), COUNT)
            for name, right in (("shli", False), ("shrui", True), ("shrsi", True)):
                want = [int(v) >> int(a) if right else int(v) << int(a) for v, a in zip(value, np.where(ODD, amount, 0))]
                cases.append(Case(f"arith.{name} {{0}}, {{1}}", [(type, bits_of(value, type)), (type, bits_of(amount, type))],
                                  type, bits_of(want, type), ODD))
                # Amounts that the compiler knows.
                known = ", ".join(str(int(a) - (1 << width) * (int(a) >= 1 << (width - 1))) for a in amount)
                cases.append(Case(f"%s = arith.constant dense<[{known}]> : {{t0}}\n  %r = arith.{name} {{0}}, %s : {{t0}}",
                                  [(type, bits_of(value, type))], type, bits_of(want, type), ODD))
        elementwise.run(self, cases)

    def test_flags(self):
        cases = []
        for width in (8, 16, 32, 64):
            type, top = f"i{width}", (1 << width) - 1
            a, b = (np.where(ODD, np.array(x, object), np.array(top, object)) for x in (3, 4))
            for name, result in (("addi", 7), ("muli", 12), ("shli", 48)):
                for flags in ("nuw", "nsw", "nsw, nuw"):
                    cases.append(Case(f"arith.{name} {{0}}, {{1}} overflow<{flags}>", [(type, bits_of(a, type)),
                                      (type, bits_of(b, type))], type, bits_of([result] * COUNT, type), ODD))
        elementwise.run(self, cases)

    def test_narrowed(self):
        """Packed after a cast that promises to lose nothing."""
        cases = []
        for flags in ("nuw", "nsw"):
            bits = bits_of(np.where(ODD, 77, 0x12345678), "i32")
            cases.append(Case(f"arith.trunci {{0}} overflow<{flags}> : {{t0}} to {{r}}", [("i32", bits)], "i8",
                              bits_of([77] * COUNT, "i8"), ODD))
        elementwise.run(self, cases)


class Selected(unittest.TestCase):
    def test_divisions(self):
        """where(divisor == 0, 7, a / divisor), and what the sum of both makes of the least number by -1."""
        cases = []
        for width in (8, 16, 32, 64):
            type, least = f"i{width}", -(1 << (width - 1))
            a = np.resize(np.array([9, least, -9, 5, 0, least], object), COUNT)
            d = np.resize(np.array([0, -1, 2, 0, 3, 0, 1], object), COUNT)
            for name in ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui"):
                mask = (1 << width) - 1
                want = []
                for x, y in zip(map(int, a), map(int, d)):
                    if name.endswith("ui"):
                        x, y = x & mask, y & mask
                    if y == 0:
                        want.append(7)
                    elif name.startswith("floor"):
                        want.append(x // y)
                    elif name.startswith("ceil"):
                        want.append(-(-x // y))
                    else:
                        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
                        want.append(quotient if name.startswith("div") else x - quotient * y)
                defined = np.array([not (int(x) == least and int(y) == -1) or "ui" in name for x, y in zip(a, d)])
                cases.append(Case(
                    f"%q = arith.{name} {{0}}, {{1}} : {{t0}}\n  %zero = arith.constant dense<0> : {{t0}}\n"
                    f"  %seven = arith.constant dense<7> : {{t0}}\n  %is = arith.cmpi eq, {{1}}, %zero : {{t0}}\n"
                    f"  %r = arith.select %is, %seven, %q : tensor<{COUNT}xi1>, {{r}}",
                    [(type, bits_of(a, type)), (type, bits_of(d, type))], type, bits_of(want, type), defined))
        elementwise.run(self, cases)


if __name__ == "__main__":
    unittest.main()
