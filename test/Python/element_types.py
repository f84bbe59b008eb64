# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""How Python numbers and NumPy arrays become arguments: kinds, ranges, and what is refused."""

import unittest

import numpy as np

import tilewright
from tilewright.types import element_type, scalar_value


class Scalars(unittest.TestCase):
    def test_integers(self):
        for value, type, expected in (
            (5, "i32", 5),
            (-1, "i32", -1),
            (2**32 - 1, "i32", 2**32 - 1),
            (2**64 - 1, "i64", -1),
            (True, "i1", 1),
            (np.bool_(False), "i1", 0),
            (np.uint8(255), "index", 255),
        ):
            self.assertEqual(scalar_value(value, type), expected, f"{value!r} as {type}")

    def test_floats(self):
        for value in (1, 1.5, np.float16(1.5), np.int64(3)):
            self.assertIsInstance(scalar_value(value, "f32"), float)
            self.assertEqual(scalar_value(value, "f32"), value)

    def test_integers_out_of_range(self):
        for value, type in ((2**64, "i64"), (-(2**63) - 1, "index")):
            with self.assertRaises(ValueError, msg=f"{value} as {type}"):
                scalar_value(value, type)

    def test_wrong_kind(self):
        for value, type in ((1.0, "i32"), (np.float32(1), "index"), ("1", "i32"), ("1", "f32"), (True, "f32"), (None, "f64")):
            with self.assertRaises(TypeError, msg=f"{value!r} as {type}"):
                scalar_value(value, type)


class Arrays(unittest.TestCase):
    def test_element_types(self):
        for dtype, name in (("?", "i1"), ("u1", "i8"), ("i2", "i16"), ("u4", "i32"), ("i8", "i64"), ("f2", "f16"), ("f8", "f64")):
            self.assertEqual(element_type(np.zeros(1, dtype)), name)
        for dtype in ("c8", "U3", "O", ">f4", "M8[s]"):
            self.assertIsNone(element_type(np.zeros(1, dtype)), dtype)

    def test_as_type(self):
        bits = np.zeros(3, np.uint16)
        typed = tilewright.as_type(bits, "bf16")
        self.assertEqual(typed.type, "bf16")
        self.assertIs(typed.array, bits)
        with self.assertRaisesRegex(ValueError, "takes 2 bytes"):
            tilewright.as_type(np.zeros(3, np.uint8), "bf16")
        with self.assertRaisesRegex(ValueError, "unknown element type"):
            tilewright.as_type(bits, "bf17")


if __name__ == "__main__":
    unittest.main()
