# SPDX-License-Identifier: Apache-2.0
"""Compares what a device left in memory with what the emulator left: bit for bit, and within the tolerance of the type."""

import numpy as np

# Largest difference, relative to the larger of the expected value and the median magnitude of its array: for sums in another
# order and functions that the device computes otherwise. Types that are not here agree in every bit.
TOLERANCES = {"f16": 2e-3, "bf16": 1.6e-2, "tf32": 2e-3, "f32": 2e-5, "f64": 1e-12}


def numbers(bits, type):
    """The numbers that an array of unsigned integers holds, as float64."""
    if type == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    native = {"f16": np.float16, "f32": np.float32, "tf32": np.float32, "f64": np.float64}[type]
    return np.ascontiguousarray(bits).view(native).astype(np.float64)


def is_close(actual, expected, type):
    """Which elements agree within the tolerance of `type`; NaN agrees with NaN. Takes unsigned integers."""
    same = actual == expected
    if type not in TOLERANCES or same.all():
        return same
    with np.errstate(all="ignore"):
        left, right = numbers(actual, type), numbers(expected, type)
        usual = np.abs(right[np.isfinite(right) & (right != 0)])
        scale = np.maximum(np.abs(right), np.median(usual) if usual.size else 0)
        close = np.abs(left - right) <= TOLERANCES[type] * scale
        close &= np.isfinite(left) & np.isfinite(right)
    return same | close | (np.isnan(left) & np.isnan(right))


def elements(data, entry):
    """The array of a recorded argument in its buffer, as unsigned integers."""
    size = {"i1": 1, "i8": 1, "i16": 2, "f16": 2, "bf16": 2, "i32": 4, "f32": 4, "tf32": 4}.get(entry["array"])
    size = size or (1 if entry["array"].startswith(("f8", "f6E")) else 8)
    return np.ndarray(entry["shape"], f"u{size}", data, entry["offset"], entry["strides"])


def compare_buffer(actual, results, entries):
    """Compares a buffer with the emulator's results, the first of which counts where they agree with one another.

    `entries` are the arrays of the launch that lie in it. Returns (verdict, number of bytes left open, text): "identical",
    "close" or "wrong"; the text says where the worst difference is.
    """
    expected = results[0]
    differs = np.frombuffer(actual, np.uint8) != np.frombuffer(expected, np.uint8)
    left_open = np.zeros(len(expected), bool)
    for other in results[1:]:
        left_open |= np.frombuffer(other, np.uint8) != np.frombuffer(expected, np.uint8)
    # An element is left open if one of its bytes is.
    for entry in entries:
        mask = elements(left_open.view(np.uint8), entry)
        mask[mask != 0] = np.iinfo(mask.dtype).max
    left_open = left_open.view(np.uint8) != 0
    differs &= ~left_open
    if not differs.any():
        return "identical", int(left_open.sum()), ""
    unexplained, text, worst = differs.copy(), "", "close"
    for index, entry in enumerate(entries):
        left, right = elements(bytearray(actual), entry), elements(bytearray(expected), entry)
        ignored = elements(left_open.view(np.uint8).copy(), entry) != 0
        close = is_close(np.where(ignored, right, left), right, entry["array"])
        covered = elements(unexplained.view(np.uint8), entry)
        covered[close] = 0
        if not close.all() or not text:
            place = np.argwhere(~close if not close.all() else (left != right) & ~ignored)
            if len(place):
                where = tuple(place[0])
                text = (f"{len(place)} of {left.size} elements of an array of {entry['array']} differ, first at "
                        f"{tuple(int(i) for i in where)}: {show(left[where], entry['array'])}, expected "
                        f"{show(right[where], entry['array'])}")
    if unexplained.any():
        worst = "wrong"
        text = text or f"byte {int(np.argmax(unexplained))} of {len(expected)}, in no array, was written"
    return worst, int(left_open.sum()), text


def show(bits, type):
    """An element in words: its bits and, for a float, its value."""
    text = f"0x{int(bits):0{2 * bits.itemsize}x}"
    return f"{text} ({numbers(np.array([bits]), type)[0]:.9g})" if type in TOLERANCES else text
