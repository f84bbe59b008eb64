# SPDX-License-Identifier: Apache-2.0
"""Float formats in exact arithmetic: bits to rational numbers, and rational numbers to the nearest bits.

Bits are Python integers. A number is a `fractions.Fraction`, or a float where it is NaN, an infinity or a zero, whose sign
matters.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Format:
    """A binary format. `has_infinity` is false where only NaN lies beyond the largest number, as in f8E4M3FN, whose
    largest exponent holds numbers too: all but the last one, which is NaN."""

    exponent_bits: int
    mantissa_bits: int
    has_infinity: bool = True

    @property
    def width(self):
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def storage(self):
        return np.dtype(f"u{self.width // 8}")

    @property
    def bias(self):
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def nan(self):
        ones = (1 << (self.width - 1)) - 1
        return ones if not self.has_infinity else ones ^ ((1 << (self.mantissa_bits - 1)) - 1)

    @property
    def infinity(self):
        """Bits of infinity; of NaN where there is none."""
        exponents = (1 << self.exponent_bits) - 1
        return exponents << self.mantissa_bits if self.has_infinity else self.nan

    @property
    def largest(self):
        """Bits of the largest number."""
        return self.infinity - 1

    def is_nan(self, bits):
        magnitude = bits & ((1 << (self.width - 1)) - 1)
        return magnitude > self.infinity if self.has_infinity else magnitude == self.nan

    def decode(self, bits):
        """The number that has these bits."""
        negative, magnitude = bits >> (self.width - 1), bits & ((1 << (self.width - 1)) - 1)
        sign = -1 if negative else 1
        if self.is_nan(bits):
            return math.nan
        if self.has_infinity and magnitude == self.infinity:
            return sign * math.inf
        if magnitude == 0:
            return math.copysign(0.0, sign)
        exponent, mantissa = magnitude >> self.mantissa_bits, magnitude & ((1 << self.mantissa_bits) - 1)
        if exponent:
            mantissa += 1 << self.mantissa_bits
        return sign * Fraction(mantissa) * Fraction(2) ** (max(exponent, 1) - self.bias - self.mantissa_bits)

    def encode(self, number):
        """Bits of the nearest number, ties to even; what rounds beyond the largest one is infinity, or NaN."""
        if isinstance(number, float):
            if math.isnan(number):
                return self.nan
            sign = int(math.copysign(1, number) < 0) << (self.width - 1)
            if math.isinf(number):
                return sign | self.infinity
            if number == 0:
                return sign
        number = Fraction(number)
        if number == 0:
            return 0
        sign, number = int(number < 0) << (self.width - 1), abs(number)
        exponent = number.numerator.bit_length() - number.denominator.bit_length()
        if Fraction(2) ** exponent > number:
            exponent -= 1
        exponent = max(exponent, 1 - self.bias)
        if exponent > self.bias + 1:
            return sign | self.infinity
        units = round(number / Fraction(2) ** (exponent - self.mantissa_bits))  # ties to even
        return sign | min(units + ((exponent + self.bias - 1) << self.mantissa_bits), self.infinity)


FORMATS = {
    "f8E4M3FN": Format(4, 3, has_infinity=False),
    "f8E5M2": Format(5, 2),
    "f16": Format(5, 10),
    "bf16": Format(8, 7),
    "f32": Format(8, 23),
    "f64": Format(11, 52),
}
WIDE = ("f16", "bf16", "f32", "f64")


def special_bits(type):
    """Bits of numbers at which rules change: zeros, the ends of the denormals and of the range, ones and halves next to
    integers, infinities, NaN; of both signs."""
    format = FORMATS[type]
    one = format.bias << format.mantissa_bits
    least_normal = 1 << format.mantissa_bits
    halves = [format.encode(Fraction(n, 2)) for n in (1, 3, 4, 5, 7)]
    bits = [0, 1, least_normal - 1, least_normal, least_normal + 1, one - 1, one, one + 1, halves[0] - 1, *halves,
            format.encode(Fraction(100)), format.largest - 1, format.largest, format.infinity, format.nan]
    bits = list(dict.fromkeys(bits))
    return bits + [b | 1 << (format.width - 1) for b in bits]
