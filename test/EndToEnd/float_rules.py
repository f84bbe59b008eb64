# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Floating point where rules change: zeros of both signs, denormals, the largest numbers, infinities and NaN, in every
format. Arithmetic and casts against exact rational arithmetic, functions of special values against C's rules (NumPy).

NaN counts as equal to NaN: which one an op gives is left open.
"""

import itertools
import math
import os
import sys
import unittest
from fractions import Fraction

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import elementwise
import exact
from elementwise import Case, bits_of
from exact import FORMATS, WIDE


def same_in(type, signless_zero=False):
    """Whether bits mean the same number: any NaN for any other, and with `signless_zero` either zero for the other."""
    format = FORMATS[type]
    magnitude = (1 << (format.width - 1)) - 1

    def same(got, want):
        nan = np.vectorize(lambda bits: format.is_nan(int(bits)), otypes=[bool])
        result = nan(got) & nan(want)
        return result | ((got & magnitude) == 0) & ((want & magnitude) == 0) if signless_zero else result

    return same


def rounded(type, function):
    """`function` of exact numbers, rounded to `type`, as a function of bits. Signs of zeros are the function's job."""
    format = FORMATS[type]
    return lambda *bits: format.encode(function(*(format.decode(b) for b in bits)))


def is_special(x):
    return isinstance(x, float)


def as_float(x):
    """A stand-in with the same sign and class for arithmetic where an operand is special."""
    return x if is_special(x) else 1.5 if x > 0 else -1.5


def add(a, b):
    if is_special(a) or is_special(b):
        if not (is_special(a) and math.isfinite(a)) and not (is_special(b) and math.isfinite(b)):
            return as_float(a) + as_float(b)  # NaN or an infinity
        if is_special(a) and is_special(b):
            return a + b
        return b if is_special(a) else a
    return a + b if a + b else 0.0  # x - x is +0


def negate(a):
    return -a


def multiply(a, b):
    return as_float(a) * as_float(b) if is_special(a) or is_special(b) else a * b


def divide(a, b):
    if not is_special(a) and not is_special(b):
        return a / b
    if is_special(b) and b == 0:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, math.copysign(1, as_float(a)) * math.copysign(1, b))
    return as_float(a) / as_float(b)


def remainder(a, b):
    """C's fmod: the sign of a; exact."""
    if a != a or b != b or (is_special(a) and math.isinf(a)) or (is_special(b) and b == 0):
        return math.nan
    if (is_special(b) and math.isinf(b)) or (is_special(a) and a == 0):
        return a
    result = abs(a) % abs(b)
    return math.copysign(0.0, a) if result == 0 else result if a > 0 else -result


def fused(a, b, c):
    product = multiply(a, b)
    if product == 0 and not is_special(c):
        return c
    return add(product, c)


def order(a, b):
    """-1, 0 or 1; zeros are equal."""
    return (a > b) - (a < b)


def signed_less(a, b):
    """Less in the order that puts -0 below +0."""
    if a == 0 and b == 0:
        return math.copysign(1, a) < math.copysign(1, b)
    return a < b


def maximum(a, b):
    return math.nan if a != a or b != b else b if signed_less(a, b) else a


def minimum(a, b):
    return math.nan if a != a or b != b else a if signed_less(a, b) else b


def maxnum(a, b):
    return b if a != a else a if b != b else maximum(a, b)


def minnum(a, b):
    return b if a != a else a if b != b else minimum(a, b)


BINARY = {"arith.addf": add, "arith.subf": lambda a, b: add(a, negate(b)), "arith.mulf": multiply, "arith.divf": divide,
          "arith.maximumf": maximum, "arith.minimumf": minimum, "arith.maxnumf": maxnum, "arith.minnumf": minnum}
PREDICATES = {"eq": lambda o: o == 0, "gt": lambda o: o > 0, "ge": lambda o: o >= 0, "lt": lambda o: o < 0,
              "le": lambda o: o <= 0, "ne": lambda o: o != 0}


def integral(function):
    """A function that rounds to an integer, of exact numbers; keeps specials, and the sign of what becomes 0."""

    def apply(x):
        if is_special(x):
            return x
        result = function(x)
        return math.copysign(0.0, x) if result == 0 else Fraction(result)

    return apply


def half_away(x):
    return int(abs(x) + Fraction(1, 2)) * (1 if x > 0 else -1)


def exact_root(x, format):
    """Bits of the square root, correctly rounded."""
    if is_special(x):
        return format.encode(math.nan if math.isinf(x) and x < 0 else x)
    if x < 0:
        return format.nan
    # An integer root with far more digits than the format, and a sticky bit for what is left.
    scale = 2 * (2 * format.mantissa_bits + format.bias + 8)
    scaled = x * Fraction(2) ** scale
    whole = scaled.numerator // scaled.denominator
    root = math.isqrt(whole)
    is_exact = root * root == whole and scaled.denominator == 1
    return format.encode(Fraction(2 * root + (not is_exact), 2) / Fraction(2) ** (scale // 2))


class FloatRules(unittest.TestCase):
    def unary(self, type):
        bits = exact.special_bits(type)
        return bits, [(type, bits_of(bits, type))]

    def pairs(self, type):
        pairs = list(itertools.product(exact.special_bits(type), repeat=2))
        return pairs, [(type, bits_of([pair[i] for pair in pairs], type)) for i in range(2)]

    def test_binary(self):
        for type in WIDE:
            pairs, operands = self.pairs(type)
            elementwise.run(self, [
                # Either zero may be the larger one for maxnumf and minnumf: the language leaves it open.
                Case(f"{name} {{0}}, {{1}}", operands, type,
                     bits_of([rounded(type, function)(*pair) for pair in pairs], type),
                     same=same_in(type, signless_zero="num" in name))
                for name, function in BINARY.items()])

    def test_remainder(self):
        for type in WIDE:
            pairs, operands = self.pairs(type)
            elementwise.run(self, [Case("arith.remf {0}, {1}", operands, type,
                                        bits_of([rounded(type, remainder)(*pair) for pair in pairs], type),
                                        same=same_in(type))])

    def test_compare(self):
        for type in WIDE:
            format = FORMATS[type]
            pairs, operands = self.pairs(type)
            numbers = [(format.decode(a), format.decode(b)) for a, b in pairs]
            cases = []
            for unordered in (False, True):
                for name, holds in PREDICATES.items():
                    want = [unordered if a != a or b != b else holds(order(a, b)) for a, b in numbers]
                    cases.append((("u" if unordered else "o") + name, want))
            cases += [("ord", [a == a and b == b for a, b in numbers]), ("uno", [a != a or b != b for a, b in numbers]),
                      ("true", [True] * len(pairs)), ("false", [False] * len(pairs))]
            elementwise.run(self, [Case(f"arith.cmpf {name}, {{0}}, {{1}}", operands, "i1", np.array(want, np.uint8))
                                   for name, want in cases])

    def test_select_by_comparison(self):
        # Idioms that compilers turn into min and max: the operand that NaN and equal zeros choose is the program's.
        for type in WIDE:
            format = FORMATS[type]
            pairs, operands = self.pairs(type)
            cases = []
            for name in ("ogt", "oge", "olt", "ole", "ugt", "uge", "ult", "ule"):
                holds = PREDICATES[name[1:]]
                def chosen(a, b):
                    x, y = format.decode(a), format.decode(b)
                    return a if (name[0] == "u" if x != x or y != y else holds(order(x, y))) else b
                cases.append(Case(f"%p = arith.cmpf {name}, {{0}}, {{1}} : {{t0}}\n"
                                  f"  %r = arith.select %p, {{0}}, {{1}} : tensor<{len(pairs)}xi1>, {{t0}}", operands, type,
                                  bits_of([chosen(*pair) for pair in pairs], type), same=same_in(type)))
            elementwise.run(self, cases)

    def test_unary(self):
        for type in WIDE:
            format = FORMATS[type]
            bits, operands = self.unary(type)
            sign, numbers = 1 << (format.width - 1), [format.decode(b) for b in bits]
            elementwise.run(self, [
                Case("arith.negf {0}", operands, type, bits_of([b ^ sign for b in bits], type), same=same_in(type)),
                Case("math.absf {0}", operands, type, bits_of([b & ~sign for b in bits], type), same=same_in(type)),
                Case("math.sqrt {0}", operands, type, bits_of([exact_root(x, format) for x in numbers], type),
                     same=same_in(type))] + [
                Case(f"math.{name} {{0}}", operands, type, bits_of([format.encode(integral(function)(x)) for x in numbers],
                                                                  type), same=same_in(type))
                for name, function in (("floor", math.floor), ("ceil", math.ceil), ("trunc", math.trunc),
                                       ("roundeven", round), ("round", half_away))] + [
                Case(f"math.{name} {{0}} : {{t0}}", operands, "i1", np.array([holds(x) for x in numbers], np.uint8))
                for name, holds in (("isnan", lambda x: x != x), ("isinf", lambda x: x in (math.inf, -math.inf)),
                                    ("isfinite", lambda x: x == x and abs(x) != math.inf))])

    def test_copysign(self):
        for type in WIDE:
            sign = 1 << (FORMATS[type].width - 1)
            pairs, operands = self.pairs(type)
            elementwise.run(self, [Case("math.copysign {0}, {1}", operands, type,
                                        bits_of([a & ~sign | b & sign for a, b in pairs], type), same=same_in(type))])

    def test_clamp(self):
        for type in WIDE:
            format = FORMATS[type]
            low, high = format.encode(Fraction(-3, 2)), format.encode(Fraction(2))
            bits, operands = self.unary(type)
            want = [b if format.decode(b) != format.decode(b) else
                    low if format.decode(b) < Fraction(-3, 2) else high if format.decode(b) > 2 else b for b in bits]
            elementwise.run(self, [Case(
                "%l = arith.constant dense<-1.5> : {t0}\n  %h = arith.constant dense<2.0> : {t0}\n"
                "  %r = math.clampf {0} to [%l, %h] : {t0}", operands, type, bits_of(want, type), same=same_in(type))])

    def test_fma(self):
        for type in WIDE:
            bits = exact.special_bits(type)
            random = np.random.default_rng(1)
            few = [bits[i] for i in random.permutation(len(bits))[:16]]
            triples = list(itertools.product(few, few, bits))
            # And products that all but cancel, where a second rounding shows.
            format = FORMATS[type]
            ones = [format.encode(1 + Fraction(int(n), 1 << format.mantissa_bits))
                    for n in random.integers(0, 1 << min(format.mantissa_bits, 62), 200)]
            for a, b in zip(ones, ones[1:]):
                product = format.encode(format.decode(a) * format.decode(b))
                triples.append((a, b, product ^ 1 << (format.width - 1)))
                triples.append((a, b, format.encode(format.decode(product) / (1 << format.mantissa_bits + 1))))
            operands = [(type, bits_of([triple[i] for triple in triples], type)) for i in range(3)]
            elementwise.run(self, [Case("math.fma {0}, {1}, {2}", operands, type,
                                        bits_of([rounded(type, fused)(*triple) for triple in triples], type),
                                        same=same_in(type))])

    def test_functions(self):
        # Of special values alone, so that the result is 0, 1, an infinity or NaN; accuracy elsewhere has its own tests.
        values = [0.0, -0.0, math.inf, -math.inf, math.nan]
        unary = {"exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
                 "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "sinh": np.sinh,
                 "cosh": np.cosh, "asin": np.arcsin, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
                 "cbrt": np.cbrt, "erf": np.vectorize(math.erf), "erfc": np.vectorize(math.erfc),
                 "rsqrt": lambda x: 1 / np.sqrt(x)}
        more = {"acosh": [1.0, -1.0, 0.5], "atanh": [1.0, -1.0, 2.0], "log": [1.0, -1.0], "log2": [1.0, 2.0, -1.0],
                "log10": [1.0, -1.0], "log1p": [-1.0, -2.0], "asin": [2.0, -2.0], "exp2": [1.0, -1.0, 10.0],
                "rsqrt": [1.0, 4.0, -1.0], "cbrt": [1.0, -8.0]}
        with np.errstate(all="ignore"):
            for type in WIDE:
                encode = FORMATS[type].encode
                cases = []
                for name, function in unary.items():
                    points = values + more.get(name, [])
                    cases.append(Case(f"math.{name} {{0}}", [(type, bits_of([encode(x) for x in points], type))], type,
                                      bits_of([encode(float(function(np.float64(x)))) for x in points], type),
                                      same=same_in(type)))
                points = values + [1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, 2.5, -0.5]
                pairs = [(x, y) for x, y in itertools.product(points, repeat=2)
                         if not (abs(x) in (3, .5, 2.5) and math.isfinite(y) and y != int(y))]
                operands = [(type, bits_of([encode(pair[i]) for pair in pairs], type)) for i in range(2)]
                # Of arrays: NumPy takes pow(-0, 0.5) of scalars for a square root.
                powers = [float(p) for p in np.power(*(np.array([pair[i] for pair in pairs]) for i in range(2)))]
                # Only exact powers: the others are approximations of either side.
                exactly = np.array([not math.isfinite(p) or p == 0 or FORMATS[type].decode(encode(p)) == Fraction(p)
                                    and Fraction(p).denominator < 256 and abs(p) < 256 for p in powers])
                cases.append(Case("math.powf {0}, {1}", operands, type, bits_of([encode(p) for p in powers], type),
                                  exactly, same=same_in(type)))
                elementwise.run(self, cases)

    def test_float_casts(self):
        for wide, narrow in itertools.permutations(FORMATS, 2):
            large, small = FORMATS[wide], FORMATS[narrow]
            if small.width >= large.width:
                continue
            with self.subTest(wide=wide, narrow=narrow):
                # Every special number of the narrow format, its neighbours and the middles between them.
                bits = exact.special_bits(wide)
                for b in exact.special_bits(narrow):
                    value = small.decode(b)
                    if is_special(value):
                        continue
                    magnitude = b & ~(1 << (small.width - 1))
                    upper = small.decode(magnitude + 1)
                    unit = (upper - abs(value)) if not is_special(upper) else abs(value) - small.decode(magnitude - 1)
                    middle = large.encode(value + (unit / 2 if value > 0 else -unit / 2))
                    bits += [large.encode(value), middle - 1, middle, middle + 1]
                for n in range(-8, 9):
                    bits.append(large.encode(small.decode(small.largest) * (1 + Fraction(n, 64))))
                bits = [b for b in bits if 0 <= b < 1 << large.width]
                elementwise.run(self, [
                    Case("arith.truncf {0} : {t0} to {r}", [(wide, bits_of(bits, wide))], narrow,
                         bits_of([small.encode(large.decode(b)) for b in bits], narrow), same=same_in(narrow)),
                    Case("arith.extf {0} : {t0} to {r}", [(narrow, bits_of(self.all_or_special(narrow), narrow))], wide,
                         bits_of([large.encode(small.decode(b)) for b in self.all_or_special(narrow)], wide),
                         same=same_in(wide))])

    def all_or_special(self, type):
        return range(256) if FORMATS[type].width == 8 else exact.special_bits(type)

    def test_from_integers(self):
        for width in (8, 16, 32, 64):
            integer, top = f"i{width}", 1 << (width - 1)
            values = {0, 1, 2, 3, 100, top - 1, top - 2, top // 2 + 1, top // 3}
            for digits in (8, 11, 24, 53):  # around the ties of each format
                for scale in range(0, width - digits, 5):
                    values |= {v << scale for v in ((1 << digits) - 1, (1 << digits) + 1)}
                    values |= {(((1 << digits) + 1) << scale) + 1, (((1 << digits) + 3) << scale) - 1}
            values |= {65503, 65504, 65519, 65520, 65521, 70000}
            values = sorted({v for v in values if v < top} | {-v for v in values if v <= top})
            mask = (1 << width) - 1
            elementwise.run(self, [
                Case(f"arith.{name} {{0}} : {{t0}} to {{r}}", [(integer, bits_of(values, integer))], type,
                     bits_of([FORMATS[type].encode(Fraction(v & m)) for v in values], type))
                for type in WIDE for name, m in (("sitofp", -1), ("uitofp", mask))])

    def test_to_integers(self):
        for type in WIDE:
            format = FORMATS[type]
            for width in (8, 16, 32, 64):
                bits = exact.special_bits(type)
                for limit in (1 << (width - 1), 1 << width):
                    for value in (limit, limit - Fraction(1, 2), limit - 1, limit + Fraction(1, 2)):
                        near = format.encode(Fraction(value))
                        bits += [b | sign for b in (near - 1, near, near + 1) for sign in (0, 1 << (format.width - 1))]
                numbers = [format.decode(b) for b in bits]
                for name, low, high in (("fptosi", -(1 << (width - 1)), (1 << (width - 1)) - 1),
                                        ("fptoui", 0, (1 << width) - 1)):
                    # Beyond the range the result is open, but nothing may stop.
                    inside = [x == x and abs(x) != math.inf and low <= math.trunc(x) <= high for x in numbers]
                    want = [math.trunc(x) if ok else 0 for x, ok in zip(numbers, inside)]
                    elementwise.run(self, [Case(f"arith.{name} {{0}} : {{t0}} to {{r}}", [(type, bits_of(bits, type))],
                                                f"i{width}", bits_of(want, f"i{width}"), np.array(inside))])


if __name__ == "__main__":
    unittest.main()
