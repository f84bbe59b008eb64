# SPDX-License-Identifier: Apache-2.0
"""How tensor cores sum: records many random mma.sync results of each kind, and fits parameters of a model to them.

  mma_sums.py make TREE FOLDER   (here)      writes FOLDER/mma.bundle and what is needed to run it
  mma_sums.py run FOLDER OUT.npz (device)    runs it; needs Python, NumPy, the driver
  mma_sums.py fit OUT.npz        (anywhere)  prints, per kind, the parameters that leave the fewest differences

What it found on an H200 is in docs/Numerics.md.

The model: terms of one step are the sum so far and `block` exact products. All are aligned to the largest exponent (a product's
is the sum of its operands' exponents), cut to `bits` places behind the point, summed exactly, and rounded to the type of the sum.
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


def exponent_of(x, least):
    return np.where(x == 0, -10000, np.maximum(np.frexp(x)[1] - 1, least))


def model(kind, number, block, bits, final, between, cut, exact_exponent, warps=COUNT):
    lhs, rhs, start = (x[:warps] for x in inputs(kind, number))
    (a, ea), (b, eb) = decode(lhs, KINDS[kind][0]), decode(rhs, KINDS[kind][1])
    products = a[:, :, None, :] * b[:, None, :, :]
    exponents = np.where(products == 0, -10000, ea[:, :, None, :] + eb[:, None, :, :])
    if exact_exponent:
        exponents = exponent_of(products, -10000)
    total, k = start.astype(np.float64), a.shape[-1]
    steps = list(range(0, k, block))
    for first in steps:
        terms = np.concatenate([products[..., first:first + block], total[..., None]], axis=-1)
        each = np.concatenate([exponents[..., first:first + block], exponent_of(total, -126)[..., None]], axis=-1)
        top = each.max(axis=-1, keepdims=True)
        top = np.where(top < -5000, 0, top)
        scaled = np.ldexp(terms, bits - top)
        scaled = {"zero": np.trunc, "floor": np.floor, "none": lambda x: x}[cut](scaled)
        total = np.ldexp(scaled.sum(axis=-1), top[..., 0] - bits)
        last = first == steps[-1]
        rounding = final if last else between
        if rounding == "f16":
            with np.errstate(over="ignore"):
                total = total.astype(np.float16).astype(np.float64)
        elif rounding == "f16 by f32":
            with np.errstate(over="ignore"):
                total = to_f32(total, True).astype(np.float16).astype(np.float64)
        elif rounding != "none":
            total = to_f32(total, rounding == "f32 rz").astype(np.float64)
    return fragment(total.astype(SUMS[KINDS[kind][2]])).reshape(-1)


def differences(got, want):
    """How many bit patterns differ; any NaN is like any other."""
    same = got.view(f"u{got.itemsize}") == want.view(f"u{got.itemsize}")
    return int((~(same | (np.isnan(got) & np.isnan(want)))).sum())


def fit(path):
    data = np.load(path)
    for kind, (_, _, total) in KINDS.items():
        if f"{kind}/0" not in data:
            continue
        k = {"tf32": 8, "f16": 16, "bf16": 16}.get(KINDS[kind][0], 32)
        finals = ("f32 rz", "f32 rn") if total == "f32" else ("f16", "f16 by f32")
        betweens = ("f32 rz", "f32 rn") if total == "f32" else ("f16", "f32 rz", "none")
        blocks = [b for b in (4, 8, 16, 32) if b <= k]
        ranked = []
        for block, bits, final, between, cut, exact in itertools.product(
                blocks, (13, 22, 23, 24, 25, 26, 27), finals, betweens, ("zero", "floor"), (False, True)):
            if block == k and between != betweens[0]:
                continue
            wrong = 0
            for number in range(len(DATA)):
                got = data[f"{kind}/{number}"][:FIT * 128]
                with np.errstate(all="ignore"):
                    want = model(kind, number, block, bits, final, between, cut, exact, FIT)
                wrong += differences(got, want)
                if ranked and wrong > 4 * min(r[0] for r in ranked) + 100:
                    break
            ranked.append((wrong, dict(block=block, bits=bits, final=final, between=between, cut=cut, exact_exponent=exact)))
        ranked.sort(key=lambda r: r[0])
        checked = []
        for _, parameters in ranked[:3]:
            wrong = 0
            for number in range(len(DATA)):
                got = data[f"{kind}/{number}"]
                with np.errstate(all="ignore"):
                    want = model(kind, number, **parameters)
                wrong += differences(got, want)
            checked.append((wrong, parameters))
        ranked = checked
        print(kind, "of", sum(data[f"{kind}/{n}"].size for n in range(len(DATA))))
        for wrong, parameters in ranked[:3]:
            print("   ", wrong, parameters)


if __name__ == "__main__":
    {"make": make, "run": run, "fit": fit}[sys.argv[1]](*sys.argv[2:])
