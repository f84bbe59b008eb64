# SPDX-License-Identifier: Apache-2.0
"""Makes the bundles with which measure_passes.py tells what each pass is worth: plain kernels, with every pass and
without one of them at a time.

usage: pass_bundles.py FOLDER [CASE...]    (with build/bin on PATH; needs ptxas)

FOLDER gets the bundles and manifest.json, a list of {"case", "off", "bundle", "kernel", "host"}: `off` names what
differs from the default, `host` is true where `kernel` is a host function.
"""

import itertools
import json
import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
INPUTS = os.path.join(ROOT, "test", "EndToEnd", "Inputs")
sys.path.insert(0, INPUTS)
import elements

CLEAN = ["canonicalize", "cse"]


def example(name):
    with open(os.path.join(ROOT, "examples", name + ".mlir")) as file:
        return file.read()


def pointers_matmul():
    """The product of Triton's tutorial: pointers, masks along K, rows and columns modulo the sizes; 128x128x64 tiles."""
    with open(os.path.join(INPUTS, "triton_style.mlir")) as file:
        text = file.read()
    text = text[text.index("func.func @matmul_grid") :]
    # Numbers and the names that hold them, not the widths of types.
    text = re.sub(r"(?<![if])64", "128", text)
    return re.sub(r"(?<![if])32", "64", text)


BMM = """
!plain = !tile.view<?x?x?xbf16, strides = [?, ?, 1]>
func.func @bmm(%a: !plain {{tile.name = "a"}}, %b: !plain {{tile.name = "b"}}, %c: !plain {{tile.name = "c"}})
    attributes {{tile.kernel, tile.grid = @bmm_grid}} {{
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.view_size %a, {k_dim} : !plain
  %m = tile.program_id x
  %n = tile.program_id y
  %z = tile.program_id z
  %i = arith.muli %m, %c128 overflow<nsw> : index
  %j = arith.muli %n, %c128 overflow<nsw> : index
  %sum = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {{
{loads}
    %next = tile.dot %lhs, %rhs, %acc : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }}
  %result = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %result, %c[%z, %i, %j] dims [1, 2] : tensor<128x128xbf16>, !plain
  return
}}
func.func @bmm_grid(%a: !plain, %b: !plain, %c: !plain) -> (index, index, index) {{
  %c128 = arith.constant 128 : index
  %batch = tile.view_size %c, 0 : !plain
  %m = tile.view_size %c, 1 : !plain
  %n = tile.view_size %c, 2 : !plain
  %tiles_m = arith.ceildivsi %m, %c128 : index
  %tiles_n = arith.ceildivsi %n, %c128 : index
  return %tiles_m, %tiles_n, %batch : index, index, index
}}
"""


def load(name, offsets, rows, columns, transposed):
    """Lines that load a tile, with a permute in the loop if what lies in memory is its transpose."""
    view = "%a" if name == "lhs" else "%b"
    if not transposed:
        return (f"    %{name} = tile.load {view}[%z, {', '.join(offsets)}] dims [1, 2] pad(zero) "
                f": !plain -> tensor<{rows}x{columns}xbf16>")
    return (f"    %{name}_t = tile.load {view}[%z, {', '.join(reversed(offsets))}] dims [1, 2] pad(zero) "
            f": !plain -> tensor<{columns}x{rows}xbf16>\n"
            f"    %{name} = tile.permute %{name}_t [1, 0] : tensor<{columns}x{rows}xbf16> -> tensor<{rows}x{columns}xbf16>")


def bmm(a, b):
    loads = [load("lhs", ("%i", "%kk"), 128, 64, a), load("rhs", ("%kk", "%j"), 64, 128, b)]
    return BMM.format(k_dim=1 if a else 2, loads="\n".join(loads))


def cat(count):
    """A host function that concatenates `count` tensors along their columns, a launch for each."""
    parameters = [f'%from{i}: !mat {{tile.name = "from{i}"}}' for i in range(count)] + ['%to: !mat {tile.name = "to"}']
    lines = [f"func.func @cat_all({', '.join(parameters)}) {{", "  %offset0 = arith.constant 0 : index"]
    for i in range(count):
        lines += [
            f"  tile.launch @cat(%from{i}, %to, %offset{i}) {{tile.independent}} : (!mat, !mat, index) -> ()",
            f"  %width{i} = tile.view_size %from{i}, 1 : !mat",
            f"  %offset{i + 1} = arith.addi %offset{i}, %width{i} : index",
        ]
    return example("cat") + "\n".join([*lines, "  return", "}", ""])


PRODUCT = ["tile-specialize", "tile-specialize-even-k", "tile-order-grid", "tile-control-unroll",
           "tile-subtile-epilogue", "loop-invariant-code-motion", "tile-sink-cheap-tiles"]  # fmt: skip
# Case: text, kernel, passes to leave out in turn, further options in turn.
CASES = {
    "matmul": (elements.source("matmul", "bf16"), "matmul", PRODUCT, ["--persistent=always"]),
    # Two programs fit an SM; said so, a loop over the tiles fills it.
    "matmul_two_per_sm": (elements.source("matmul", "bf16", [("{tile.kernel,", "{tile.kernel, tile.occupancy = 2 : i64,")]),
                          "matmul", ["tile-order-grid"], ["--persistent=always"]),
    "matmul_pointers": (pointers_matmul(), "matmul", ["tile-raise-pointers"], []),
    **{
        f"bmm_{'nt'[a]}{'nt'[b]}": (bmm(a, b), "bmm", ["tile-fold-transpose", "tile-specialize-even-k",
                                                        "tile-order-grid"], ["--persistent=always"])
        for a, b in itertools.product((False, True), repeat=2)
    },
    "cat4": (cat(4), "cat_all", ["tile-batch-launches", "tile-specialize"], []),
    "cat100": (cat(100), "cat_all", ["tile-batch-launches", "tile-specialize"], []),
    **{
        f"triangular_inverse_{extent}": (example("triangular_inverse"), f"triangular_inverse_{extent}",
                                         ["tile-control-unroll", "tile-specialize", "tile-sink-cheap-tiles",
                                          "loop-invariant-code-motion", "tile-select-dot"],
                                         ["--num-warps=1", "--num-warps=2", "--num-warps=4"])
        for extent in (16, 64)
    },
}  # fmt: skip


def configurations(off, options):
    """(label, options) of everything that is compared; `[]` is the default."""
    yield "", []
    for name in off:
        yield name, [f"--disable-pass={name}"]
    for option in options:
        yield option, [option]
    yield "all of these", [f"--disable-pass={name}" for name in off]


def main():
    folder, wanted = sys.argv[1], sys.argv[2:] or list(CASES)
    os.makedirs(folder, exist_ok=True)
    manifest = []
    for case in wanted:
        text, kernel, off, options = CASES[case]
        path = os.path.join(folder, case + ".mlir")
        with open(path, "w") as file:
            file.write(text)
        for number, (label, flags) in enumerate(configurations(off, options)):
            bundle = f"{case}.{number}.bundle"
            command = ["tile-compile", path, "--target=sm_90a", "--emit=bundle", "--cubin", "-o",
                       os.path.join(folder, bundle), *flags]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                print(f"{case} without {label}: {done.stderr.strip().splitlines()[0]}", file=sys.stderr)
                continue
            manifest.append({"case": case, "off": label, "bundle": bundle, "kernel": kernel,
                             "host": case.startswith("cat")})
    with open(os.path.join(folder, "manifest.json"), "w") as file:
        json.dump(manifest, file, indent=1)


if __name__ == "__main__":
    main()
