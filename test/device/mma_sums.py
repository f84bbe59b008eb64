# SPDX-License-Identifier: Apache-2.0
"""How tensor cores sum: records many random mma.sync results of each kind, and fits parameters of a model to them.

  mma_sums.py make TREE FOLDER             (here)      writes FOLDER/mma.bundle and what is needed to run it
  mma_sums.py run FOLDER OUT.npz [BACKEND] (device)    runs it; needs Python, NumPy, the driver
  mma_sums.py fit OUT.npz                  (anywhere)  prints, per kind, the parameters that leave the fewest differences
  mma_sums.py compare A.npz B.npz          (anywhere)  prints, per kind, how many sums differ: device and emulator, say

What it found on an H200 is in docs/Numerics.md.

The model: terms of one step are the sum so far and some exact products. All are aligned to the largest exponent (a product's
is the sum of its operands' exponents), cut to `bits` places behind the point, summed exactly, and rounded to the type of the sum.
Products are shared out to steps by `order`; `start` says whether the first step begins with the old sum, or whether that is added
to what the last step leaves, by an ordinary addition.
"""

import itertools
import os
import pathlib
import shutil
import sys

import numpy as np


KINDS = {"f16_f32": ("f16", "f16", "f32"), "f16_f16": ("f16", "f16", "f16"), "bf16_f32": ("bf16", "bf16", "f32"),
         "tf32_f32": ("tf32", "tf32", "f32")}
for lhs_type, rhs_type, sum_type in itertools.product(("e4m3", "e5m2"), ("e4m3", "e5m2"), ("f32", "f16")):
    KINDS[f"{lhs_type}_{rhs_type}_{sum_type}"] = (lhs_type, rhs_type, sum_type)
FORMATS = {"f16": (16, 10, 15), "bf16": (16, 7, 127), "tf32": (32, 10, 127), "e4m3": (8, 3, 7), "e5m2": (8, 2, 15)}
SUMS = {"f32": np.dtype(np.float32), "f16": np.dtype(np.float16)}
COUNT = 64
LEAST_TOP = -133  # docs/Numerics.md says how it was found.
FIT = 6  # warps that parameters are fitted to; the best are checked with all
# (name, spread of the operands' exponents, scale of the start, only one sign)
DATA = [("plain", 0, 1.0, False), ("zero", 0, 0.0, False), ("spread3", 3, 1.0, False), ("spread6", 6, 1.0, False),
        ("positive", 2, 1.0, True), ("large", 2, 64.0, False), ("small", 1, 2.0**-8, False), ("huge", 1, 4096.0, False)]


def decode(bits, type):
    """(value, exponent) of elements, both as numbers: exponent of the significand's leading place, denormals at the least."""
    width, mantissa, bias = FORMATS[type]
    bits = bits.astype(np.int64)
    if type == "tf32":
        bits = bits >> 13
        width = 19
    exponent = bits >> mantissa & ((1 << (width - 1 - mantissa)) - 1)
    fraction = bits & ((1 << mantissa) - 1)
    significand = np.where(exponent > 0, fraction + (1 << mantissa), fraction)
    exponent = np.maximum(exponent, 1) - bias
    value = np.ldexp(significand.astype(np.float64), exponent - mantissa)
    return np.where(bits >> (width - 1) & 1, -value, value), exponent


def inputs(kind, number):
    """Bits of lhs [COUNT, 16, K] and rhs [COUNT, 8, K], and the start [COUNT, 16, 8]; the same everywhere."""
    name, spread, scale, positive = DATA[number]
    random = np.random.default_rng(1000 * number + sum(map(ord, kind)))
    k = {"tf32": 8, "f16": 16, "bf16": 16}.get(KINDS[kind][0], 32)
    operands = []
    for type, rows in zip(KINDS[kind][:2], (16, 8)):
        width, mantissa, bias = FORMATS[type]
        shape = (COUNT, rows, k)
        exponent = random.integers(-spread, spread + 1, shape) + bias
        low, high = 1, (1 << (min(width, 19) - 1 - mantissa)) - 2
        bits = np.clip(exponent, low, high) << mantissa | random.integers(0, 1 << mantissa, shape)
        sign = np.zeros(shape, np.int64) if positive else random.integers(0, 2, shape)
        bits = bits | sign << (min(width, 19) - 1)
        if type == "tf32":
            bits = bits << 13
        operands.append(bits.astype({8: np.uint8, 16: np.uint16, 32: np.uint32}[width]))
    start = (np.abs(random.normal(0, scale, (COUNT, 16, 8))) if positive else random.normal(0, scale, (COUNT, 16, 8)))
    return operands[0], operands[1], start.astype(SUMS[KINDS[kind][2]])


def left_words(matrix):
    words = np.ascontiguousarray(matrix).view(np.uint8).reshape(len(matrix), 16, 32).view(np.int32)
    g, t = np.arange(32) // 4, np.arange(32) % 4
    return np.ascontiguousarray(np.stack([words[:, g + 8 * (r & 1), t + 4 * (r >> 1)] for r in range(4)], axis=-1)).reshape(-1)


def right_words(matrix):
    words = np.ascontiguousarray(matrix).view(np.uint8).reshape(len(matrix), 8, 32).view(np.int32)
    g, t = np.arange(32) // 4, np.arange(32) % 4
    return np.ascontiguousarray(np.stack([words[:, g, t + 4 * r] for r in range(2)], axis=-1)).reshape(-1)


def fragment(sums):
    g, t = np.arange(32) // 4, np.arange(32) % 4
    return np.stack([sums[:, g + 8 * (i >> 1), 2 * t + (i & 1)] for i in range(4)], axis=-1)


def make(tree, folder):
    tree, folder = pathlib.Path(tree), pathlib.Path(folder)
    sys.path[:0] = [str(tree / "test/EndToEnd/Inputs"), str(tree / "test/EndToEnd")]
    import probes_mma
    import tilewright

    probes_mma.Mma.setUpClass()
    module = tilewright.compile(probes_mma.Mma.program.text, target="sm_90a")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mma.bundle").write_bytes(module.bundle())
    shutil.copytree(tree / "python/tilewright", folder / "tilewright", dirs_exist_ok=True)
    shutil.copy(tree / "build/lib/libTilewrightRuntime.so", folder)
    if pathlib.Path(__file__).resolve().parent != folder.resolve():
        shutil.copy(__file__, folder / "mma_sums.py")


def run(folder, out, backend="cuda"):
    folder = pathlib.Path(folder).resolve()
    os.environ.setdefault("TILEWRIGHT_LIBRARY", str(folder / "libTilewrightRuntime.so"))
    sys.path.insert(0, str(folder))
    import tilewright
    module, results = tilewright.load(folder / "mma.bundle"), {}
    for kind in KINDS:
        for number in range(len(DATA)):
            lhs, rhs, start = inputs(kind, number)
            sums = np.ascontiguousarray(fragment(start)).reshape(-1)
            module[kind](left_words(lhs), right_words(rhs), sums, backend=backend)
            results[f"{kind}/{number}"] = sums
    np.savez_compressed(out, **results)
    print(f"{len(results)} launches, {sum(a.size for a in results.values())} sums")


def to_f32(x, towards_zero):
    with np.errstate(over="ignore"):
        y = x.astype(np.float32)
    if towards_zero:
        away = np.abs(y.astype(np.float64)) > np.abs(x)
        y = np.where(away, np.nextafter(y, np.float32(0)), y)
    return y


def rounded(x, rounding):
    """Numbers in double precision, rounded to a type."""
    with np.errstate(over="ignore"):
        if rounding == "f16":
            return x.astype(np.float16).astype(np.float64)
        if rounding == "f16 by f32":
            return to_f32(x, True).astype(np.float16).astype(np.float64)
        return x if rounding == "none" else to_f32(x, rounding == "f32 rz").astype(np.float64)


def exponent_of(x, least):
    return np.where(x == 0, -10000, np.maximum(np.frexp(x)[1] - 1, least))


def steps_of(order, k):
    """The places along K that each step takes. "words": half of each word of 4 elements, the lower halves first."""
    places = np.arange(k)
    if order == "words":
        return [places[places % 4 // 2 == half] for half in (0, 1)]
    return [places[first:first + order] for first in range(0, k, order)]


def model(kind, number, order, bits, final, between, cut="zero", start="first", exact_exponent=False, warps=COUNT):
    lhs, rhs, old = (x[:warps] for x in inputs(kind, number))
    (a, ea), (b, eb) = decode(lhs, KINDS[kind][0]), decode(rhs, KINDS[kind][1])
    products = a[:, :, None, :] * b[:, None, :, :]
    exponents = np.where(products == 0, -10000, ea[:, :, None, :] + eb[:, None, :, :])
    if exact_exponent:
        exponents = exponent_of(products, -10000)
    old = old.astype(np.float64)
    total, least = old if start == "first" else np.zeros_like(old), -126 if KINDS[kind][2] == "f32" else -14
    steps = steps_of(order, a.shape[-1])
    for index, places in enumerate(steps):
        terms = np.concatenate([products[..., places], total[..., None]], axis=-1)
        each = np.concatenate([exponents[..., places], exponent_of(total, least)[..., None]], axis=-1)
        top = each.max(axis=-1, keepdims=True)
        top = np.where(top < -5000, 0, np.maximum(top, LEAST_TOP))
        scaled = {"zero": np.trunc, "floor": np.floor}[cut](np.ldexp(terms, bits - top))
        total = np.ldexp(scaled.sum(axis=-1), top[..., 0] - bits)
        total = rounded(total, final if index == len(steps) - 1 else between)
    if start == "last":
        total = total + old  # Exact, or rounded to nearest even once for f32: both are f32.
    with np.errstate(over="ignore"):
        return fragment(total.astype(SUMS[KINDS[kind][2]])).reshape(-1)


def differences(got, want):
    """How many bit patterns differ; any NaN is like any other."""
    same = got.view(f"u{got.itemsize}") == want.view(f"u{got.itemsize}")
    return int((~(same | (np.isnan(got) & np.isnan(want)))).sum())


def candidates(kind):
    """All parameters that are tried."""
    narrow, total = KINDS[kind][0][0] == "e", KINDS[kind][2]
    k = {"tf32": 8, "f16": 16, "bf16": 16}.get(KINDS[kind][0], 32)
    orders = [b for b in (4, 8, 16, 32) if b <= k] + ["words"] * narrow
    finals = ("f32 rz", "f32 rn") if total == "f32" else ("f16", "f16 by f32")
    betweens = ("f32 rz", "f32 rn", "none") if total == "f32" else ("f16", "f32 rz", "none")
    for order, bits, final, between, cut, start, exact in itertools.product(
            orders, (13, 22, 23, 24, 25, 26, 27), finals, betweens, ("zero", "floor"), ("first", "last")[:1 + narrow],
            (False, True)):
        if order != k or between == betweens[0]:
            yield dict(order=order, bits=bits, final=final, between=between, cut=cut, start=start, exact_exponent=exact)


def fit(path):
    data = np.load(path)

    def wrong(kind, parameters, warps, limit):
        count = 0
        for number in range(len(DATA)):
            got = data[f"{kind}/{number}"][:warps * 128]
            with np.errstate(all="ignore"):
                count += differences(got, model(kind, number, **parameters, warps=warps))
            if count > limit:
                break
        return count

    for kind in KINDS:
        if f"{kind}/0" not in data:
            continue
        ranked, best = [], 10**9
        for parameters in candidates(kind):
            ranked.append((wrong(kind, parameters, FIT, 4 * best + 100), parameters))
            best = min(best, ranked[-1][0])
        # Few warps do not tell near ones apart: all that come close are compared with all data.
        near = [parameters for count, parameters in ranked if count <= 2 * best + 5]
        checked = sorted(((wrong(kind, parameters, COUNT, 10**9), parameters) for parameters in near), key=lambda r: r[0])
        print(kind, "of", sum(data[f"{kind}/{n}"].size for n in range(len(DATA))))
        for count, parameters in checked[:3]:
            print("   ", count, parameters)


def compare(left, right):
    left, right = np.load(left), np.load(right)
    for kind in KINDS:
        names = [f"{kind}/{n}" for n in range(len(DATA))]
        print(kind, sum(differences(left[name], right[name]) for name in names), "of", sum(left[name].size for name in names))


if __name__ == "__main__":
    {"make": make, "run": run, "fit": fit, "compare": compare}[sys.argv[1]](*sys.argv[2:])
