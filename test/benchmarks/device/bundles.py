# SPDX-License-Identifier: Apache-2.0
"""Makes the bundles that measure.py times: row kernels whose rows stay in registers, vector_add and matmul, in bf16.

usage: bundles.py FOLDER    (with build/bin on PATH; needs ptxas)
"""

import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "test", "EndToEnd", "Inputs"))
import elements

COLUMNS = 8192
SOFTMAX_ROW = os.path.join(os.path.dirname(__file__), "softmax_row.mlir")


def make(folder, name, text, warps=0):
    path = os.path.join(folder, name)
    with open(path + ".mlir", "w") as file:
        file.write(text)
    options = [f"--num-warps={warps}"] if warps else []
    subprocess.run(["tile-compile", path + ".mlir", "--target=sm_90a", "--emit=bundle", "--cubin", "-o", path + ".bundle",
                    *options], check=True)


def one_row(text):
    """The kernel of two rows of up to 1024 columns as one of a single row of COLUMNS."""
    for old, new in (("2x1024", f"1x{COLUMNS}"), ("tensor<1024x", f"tensor<{COLUMNS}x"), ("1x1024", f"1x{COLUMNS}"),
                     ("tensor<2xf32>", "tensor<1xf32>"), ("tensor<2x1x", "tensor<1x1x")):
        text = text.replace(old, new)
    text = re.sub(r"%c1024 = arith.constant 1024", f"%c1024 = arith.constant {COLUMNS}", text)
    return re.sub(r"%c2 = arith.constant 2 ", "%c2 = arith.constant 1 ", text)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    with open(SOFTMAX_ROW) as file:
        softmax = file.read()
    for warps in (4, 8, 16):
        for name in ("rmsnorm", "layernorm"):
            make(folder, f"{name}_row_w{warps}", one_row(elements.source(name, "bf16")), warps)
        make(folder, f"softmax_row_w{warps}", softmax, warps)
    for name in ("rmsnorm", "layernorm"):
        make(folder, f"{name}_wide", elements.source(name, "bf16"))
    with open(os.path.join(ROOT, "examples", "vector_add.mlir")) as file:
        make(folder, "vector_add", file.read().replace("xf32", "xbf16").replace("<f32>", "<bf16>"))
    matmul = elements.source("matmul", "bf16")
    for warps in (0, 4, 8):
        make(folder, f"matmul_w{warps}" if warps else "matmul", matmul, warps)


if __name__ == "__main__":
    main()
