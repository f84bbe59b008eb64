# SPDX-License-Identifier: Apache-2.0
"""Element types: how NumPy's types and the tile language's are matched.

NumPy lacks bf16 and the 8-bit and 6-bit floats. Arrays of the package `ml_dtypes` are understood where it is
installed; otherwise `as_type(array, "bf16")` says what the bits of an integer array mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Bytes of one element in memory. The 4-bit types are packed and no NumPy array can hold them.
ELEMENT_BYTES = {
    "i1": 1,
    "i8": 1,
    "i16": 2,
    "i32": 4,
    "i64": 8,
    "index": 8,
    "f16": 2,
    "bf16": 2,
    "tf32": 4,
    "f32": 4,
    "f64": 8,
    "f8E4M3FN": 1,
    "f8E5M2": 1,
    "f8E8M0FNU": 1,
    "f6E2M3FN": 1,
    "f6E3M2FN": 1,
}
_BY_NUMPY_NAME = {
    "bool": "i1",
    "int8": "i8",
    "uint8": "i8",
    "int16": "i16",
    "uint16": "i16",
    "int32": "i32",
    "uint32": "i32",
    "int64": "i64",
    "uint64": "i64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    # Of ml_dtypes.
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8E4M3FN",
    "float8_e5m2": "f8E5M2",
    "float8_e8m0fnu": "f8E8M0FNU",
    "float6_e2m3fn": "f6E2M3FN",
    "float6_e3m2fn": "f6E3M2FN",
}


class TypedArray:
    """An array with the element type that its bits stand for; made by `as_type`."""

    def __init__(self, array: np.ndarray[Any, Any], type: str) -> None:
        self.array = array
        self.type = type


def as_type(array: np.ndarray[Any, Any], type: str) -> TypedArray:
    """Says that the elements of `array` are the bits of `type`, e.g. `as_type(uint16_array, "bf16")`.

    Nothing is copied or converted; a kernel that writes to the result writes to `array`. Raises ValueError where
    the element sizes differ.
    """
    if type not in ELEMENT_BYTES:
        raise ValueError(f"unknown element type {type!r}; known are {', '.join(sorted(ELEMENT_BYTES))}")
    if array.dtype.itemsize != ELEMENT_BYTES[type]:
        raise ValueError(
            f"an element of {type} takes {ELEMENT_BYTES[type]} bytes, one of {array.dtype} {array.dtype.itemsize}"
        )
    return TypedArray(array, type)



def element_type(array: np.ndarray[Any, Any]) -> str | None:
    """Returns the language's name for the element type of an array, or None where it has none."""
    if not array.dtype.isnative:
        return None
    return _BY_NUMPY_NAME.get(array.dtype.name)


def is_integer_type(type: str) -> bool:
    """Whether a scalar of that type is an integer: i1 to i64 and index."""
    return type == "index" or type.startswith("i")


def scalar_value(value: Any, type: str) -> int | float:
    """Returns `value` as the Python number that a scalar parameter of `type` is given.

    Raises TypeError for a value of another kind (a float for an integer, a string) and ValueError for an integer that
    no 64-bit number holds; whether it fits a narrower type is checked by the runtime, which also rounds floats.
    """
    if is_integer_type(type):
        if isinstance(value, np.bool_):
            return int(value)
        if isinstance(value, (int, np.integer)):
            number = int(value)
            if not -(1 << 63) <= number < (1 << 64):
                raise ValueError(f"{number} does not fit {type}")
            if number >= 1 << 63 and type in ("i64", "index"):
                number -= 1 << 64
            return number
        raise TypeError(f"expected an integer for {type}, got {value!r}")
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return float(value)
    raise TypeError(f"expected a number for {type}, got {value!r}")
