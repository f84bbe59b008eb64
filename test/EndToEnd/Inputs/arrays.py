# SPDX-License-Identifier: Apache-2.0
"""Arrays with every kind of strides, poisoned outputs with a guarded border, and exact comparisons.

Shares no code with the compiler: references are NumPy's.
"""

import os

import numpy as np

import tilewright

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples")
LAYOUTS = ("C", "F", "step", "reversed", "far")
# Elements from one to the next in the last two dimensions of a "far" array: no two share a sector of memory.
FAR = (3, 37)
# Modules for the emulator alone compile sooner; tests that launch on every backend ask for them only where there is no other.
LAZY = tilewright.available_backends() == ["emulator"]


def backends():
    """The emulator always, and the GPU where there is one."""
    return tilewright.available_backends()


def example(name, **options):
    """Compiles examples/NAME.mlir."""
    return tilewright.compile(os.path.join(EXAMPLES, name + ".mlir"), **options)


def strided(values, layout):
    """Returns an array equal to `values` whose memory is laid out as asked.

    "C" and "F" are contiguous; "step" is every second row and third column of a larger array; "reversed" runs
    backwards in both dimensions; "far" has large strides. What lies between the elements is NaN (or the largest integer).
    """
    if layout == "C":
        return np.ascontiguousarray(values)
    if layout == "F":
        return np.asfortranarray(values)
    if layout == "far":
        steps = ((1,) * values.ndim + FAR)[-values.ndim :]
    else:
        steps = ((2, 3) if layout == "step" else (1, -2)) * values.ndim
    shape = [extent * abs(step) + 1 for extent, step in zip(values.shape, steps)]
    room = np.full(shape, poison(values.dtype), values.dtype)
    view = room[tuple(slice(0, extent * abs(step), abs(step)) for extent, step in zip(values.shape, steps))]
    if layout == "reversed":
        view = view[tuple(slice(None, None, -1) for _ in values.shape)]
    view[...] = values
    return view


def poison(dtype):
    """A value that no correct result has."""
    dtype = np.dtype(dtype)
    return dtype.type(np.nan) if dtype.kind == "f" else np.iinfo(dtype).max


class Output:
    """A poisoned output inside a poisoned room; `check_border` finds a write outside the output.

    Layouts are those of `strided`; "odd": by rows, from an element and in steps that no vector fits; "dense": rows one
    after the other, with the border before the first and behind the last alone; and "dense odd": so, at an odd element.
    """

    def __init__(self, shape, dtype, layout="C"):
        # 16 keeps outputs of even shapes aligned, so that they meet the fast variants, too.
        border = {"far": 1, "odd": 17, "dense odd": 17}.get(layout, 16)
        if layout in ("dense", "dense odd"):
            self.room = np.full(int(np.prod(shape)) + 2 * border, poison(dtype), dtype)
            self.array = self.room[border:-border].reshape(shape)
            self.outside = np.ones(self.room.shape, bool)
            self.outside[border:-border] = False
            self.before = self.bits().copy()
            return
        steps = [{"step": 2, "reversed": -1}.get(layout, 1)] * len(shape)
        if layout == "far":
            steps = ((1,) * len(shape) + FAR)[-len(shape) :]
        room_shape = [extent * abs(step) + 2 * border for extent, step in zip(shape, steps)]
        if layout == "odd":
            room_shape[-1] |= 1
        self.room = np.full(room_shape, poison(dtype), dtype, order="F" if layout == "F" else "C")
        inside = tuple(
            slice(border, border + extent * abs(step), abs(step)) for extent, step in zip(shape, steps)
        )
        view = self.room[inside]
        self.array = view[tuple(slice(None, None, -1) for _ in shape)] if layout == "reversed" else view
        self.outside = np.ones(self.room.shape, bool)
        self.outside[inside] = False
        self.before = self.bits().copy()

    def bits(self):
        """The room as unsigned integers: NaN compares equal to itself."""
        return self.room.view(np.dtype(f"u{self.room.itemsize}"))

    def check_border(self):
        """Raises unless everything outside the output is as it was."""
        changed = (self.bits() != self.before) & self.outside
        assert not changed.any(), f"wrote outside the output at {np.argwhere(changed)[0]}"


def assert_same_bits(actual, expected, what=""):
    """Raises unless both arrays hold the same bits, naming the first element that differs."""
    expected = np.asarray(expected, actual.dtype)
    assert actual.shape == expected.shape, f"{what}: {actual.shape} is not {expected.shape}"
    unsigned = np.dtype(f"u{actual.itemsize}")
    differ = np.ascontiguousarray(actual).view(unsigned) != np.ascontiguousarray(expected).view(unsigned)
    differ &= ~((np.asarray(actual) == 0) & (expected == 0))  # the sign of zero is left open
    if differ.any():
        where = tuple(np.argwhere(differ)[0])
        raise AssertionError(
            f"{what}: {differ.sum()} of {differ.size} elements differ, the first at {where}: "
            f"{actual[where]} is not {expected[where]}"
        )


def assert_close(actual, expected, rtol, atol, what=""):
    """Raises unless |actual - expected| <= atol + rtol * |expected|, in double precision; NaN equals NaN."""
    actual, expected = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    wrong = ~np.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
    if wrong.any():
        where = tuple(np.argwhere(wrong)[0])
        raise AssertionError(f"{what}: at {where} {actual[where]} is not {expected[where]}")
