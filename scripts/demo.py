# SPDX-License-Identifier: Apache-2.0
"""Multiplies two matrices with examples/matmul.mlir through the Python package; called by scripts/demo."""

from __future__ import annotations

import json
import os
import pathlib
import sys
import time
from collections.abc import Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent


def summary(report: dict[str, Any], selection: Any) -> Iterator[str]:
    """The lines of the compiler's report that are about the version of the kernel that ran."""
    symbol = selection.symbol
    yield f"report: {symbol}, one of {len(report['variants'])} versions, on a grid of {'x'.join(map(str, selection.grid))}"
    (variant,) = (one for one in report["variants"] if one["symbol"] == symbol)
    text = f"report: {variant['threads']} threads, {variant['shared_bytes']} bytes of shared memory"
    if "registers" in variant:
        spilled = variant["spill_store_bytes"] + variant["spill_load_bytes"]
        text += f", {variant['registers']} registers, {spilled} bytes spilled"
    yield text
    for dot in report["dots"]:
        if symbol in dot["variants"]:
            yield f"report: product at {dot['location']} by {dot['family']} {dot['shape']}, sums in {dot['type']}"


def main(build: pathlib.Path, m: int = 300, n: int = 200, k: int = 150) -> int:
    """Compiles, runs, compares with NumPy and reports. Returns the exit status."""
    os.environ.setdefault("TILEWRIGHT_LIBRARY", str(build / "lib" / "libTilewrightC.so"))
    sys.path.insert(0, str(ROOT / "python"))
    import numpy as np

    import tilewright

    random = np.random.default_rng(2026)
    a = random.uniform(-1, 1, (m, k)).astype(np.float16)
    b = np.asfortranarray(random.uniform(-1, 1, (k, n)).astype(np.float16))
    c = np.full((m, n), np.nan, np.float16)

    start = time.perf_counter()
    os.chdir(ROOT)
    try:
        module = tilewright.compile("examples/matmul.mlir", cubin=True)
    except tilewright.CompileError as error:
        print(f"without machine code: {error}")
        module = tilewright.compile("examples/matmul.mlir")
    compiled = time.perf_counter()
    launch = module["matmul"](a, b, c)
    done = time.perf_counter()
    selection = module["matmul"].select(a, b, c)

    # The sum of k products in f32 and one rounding to f16.
    reference = a.astype(np.float64) @ b.astype(np.float64)
    error = np.abs(c.astype(np.float64) - reference)
    bound = 2.0**-10 * np.abs(reference) + 1e-4
    print(f"examples/matmul.mlir: c[{m}x{n}] = a[{m}x{k}] * b[{k}x{n}], a in C order, b in Fortran order")
    print(f"compiled for {module.target} in {compiled - start:.2f} s, ran in {done - compiled:.2f} s")
    print(f"backend: {launch.backend} ({launch.device})")
    print(f"largest error against NumPy: {error.max():.3g} (allowed there: {bound.flat[error.argmax()]:.3g})")
    report = build / "demo-report.json"
    report.write_text(json.dumps(module.report, indent=2) + "\n")
    for line in summary(module.report, selection):
        print(line)
    print(f"the whole report is in {os.path.relpath(report)}")
    if not (error <= bound).all():
        print("FAILED: an element is outside the tolerance")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), *map(int, sys.argv[2:])))
