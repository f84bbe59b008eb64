# SPDX-License-Identifier: Apache-2.0
"""Times the bundles of pass_bundles.py on a GPU, each after its result was checked against PyTorch.

usage: measure_passes.py FOLDER    FOLDER holds the bundles, manifest.json and tile-launch; needs PyTorch.

Prints a line per case and configuration: the median of the launches and its ratio to the default's.
"""

import json
import os
import re
import subprocess
import sys

import numpy as np
import torch

ROUNDS = 3


def save(name, tensor):
    """bf16 as the bits of it: NumPy has no such type."""
    if tensor.dtype == torch.bfloat16:
        np.save(name, tensor.contiguous().view(torch.int16).cpu().numpy().view(np.uint16))
    else:
        np.save(name, tensor.contiguous().cpu().numpy())


def normal(shape, dtype):
    return torch.randn(*shape, device="cuda").to(dtype)


def matmul(size, dtype, pointers=False):
    """Arguments, the array to expect, tolerances, and floating-point operations; sizes m, n, k."""
    m, n, k = size
    a, b = normal((m, k), dtype), normal((k, n), dtype)
    for name, tensor in (("a", a), ("b", b), ("c", (a.float() @ b.float()).to(dtype))):
        save(f"{name}.npy", tensor)
    kind = "bf16:" if dtype == torch.bfloat16 else ""
    arguments = [f"a={kind}@a.npy", f"b={kind}@b.npy", f"c={kind[:-1] or 'f16'}[{m}x{n}]:nan"]
    if pointers:
        arguments += [f"{name}=i32:{value}" for name, value in
                      (("m", m), ("n", n), ("k", k), ("stride_am", k), ("stride_bk", n), ("stride_cm", n))]
    return arguments, f"c={kind}@c.npy", ("0.016", "0.3"), 2 * m * n * k


def bmm(size, a_transposed, b_transposed):
    batch, m, n, k = size
    a, b = normal((batch, m, k), torch.bfloat16), normal((batch, k, n), torch.bfloat16)
    save("a.npy", a.mT if a_transposed else a)
    save("b.npy", b.mT if b_transposed else b)
    save("c.npy", torch.bmm(a.float(), b.float()).bfloat16())
    return (["a=bf16:@a.npy", "b=bf16:@b.npy", f"c=bf16[{batch}x{m}x{n}]:nan"], "c=bf16:@c.npy", ("0.016", "0.3"),
            2 * batch * m * n * k)


def cat(count, shape):
    parts = [normal(shape, torch.float16) for _ in range(count)]
    for i, part in enumerate(parts):
        save(f"from{i}.npy", part)
    save("to.npy", torch.cat(parts, 1))
    return ([*(f"from{i}=@from{i}.npy" for i in range(count)), f"to=f16[{shape[0]}x{count * shape[1]}]:nan"],
            "to=@to.npy", ("0", "0"), 0)


def triangular_inverse(blocks, extent):
    a = torch.tril(0.1 * normal((blocks, extent, extent), torch.float32), -1).half()
    save("a.npy", a)
    save("y.npy", torch.linalg.inv((a.double() + torch.eye(extent, device="cuda", dtype=torch.float64))).half())
    return ["a=@a.npy", f"y=f16[{blocks}x{extent}x{extent}]:nan"], "y=@y.npy", ("0.002", "0.0005"), 0


# Case: what is measured, by name.
PROBLEMS = {
    "matmul": {"4096x4096x4096": lambda: matmul((4096, 4096, 4096), torch.bfloat16),
               "4096x4096x4104": lambda: matmul((4096, 4096, 4104), torch.bfloat16),
               "4095x4097x4099": lambda: matmul((4095, 4097, 4099), torch.bfloat16)},
    "matmul_two_per_sm": {"4096x4096x4096": lambda: matmul((4096, 4096, 4096), torch.bfloat16),
                          "8192x8192x8192": lambda: matmul((8192, 8192, 8192), torch.bfloat16)},
    "matmul_pointers": {"4096x4096x4096": lambda: matmul((4096, 4096, 4096), torch.float16, True)},
    **{f"bmm_{'nt'[a]}{'nt'[b]}": {"32x1024^3": lambda a=a, b=b: bmm((32, 1024, 1024, 1024), a, b)}
       for a in (False, True) for b in (False, True)},
    "cat4": {"4 of (8, 16384)": lambda: cat(4, (8, 16384)), "4 of (64, 64)": lambda: cat(4, (64, 64))},
    "cat100": {"100 of (8, 1024)": lambda: cat(100, (8, 1024))},
    "triangular_inverse_16": {"32768 blocks": lambda: triangular_inverse(32768, 16)},
    "triangular_inverse_64": {"8192 blocks": lambda: triangular_inverse(8192, 64)},
}  # fmt: skip


def command(entry, arguments):
    line = ["./tile-launch", entry["bundle"], "--backend=cuda", f"--kernel={entry['kernel']}"]
    for argument in arguments:
        line += ["--arg", argument]
    return line


def main():
    os.chdir(sys.argv[1])
    torch.manual_seed(0)
    with open("manifest.json") as file:
        manifest = json.load(file)
    for case in dict.fromkeys(entry["case"] for entry in manifest):
        entries = [entry for entry in manifest if entry["case"] == case]
        for problem, make in PROBLEMS[case].items():
            arguments, expect, (rtol, atol), flops = make()
            times = {}
            for entry in entries:
                done = subprocess.run([*command(entry, arguments), "--expect", expect, "--rtol", rtol, "--atol", atol],
                                      capture_output=True, text=True)  # fmt: skip
                if done.returncode != 0:
                    print(f"{case} {problem} without '{entry['off']}': WRONG: {(done.stdout + done.stderr).strip()[:300]}")
                    continue
                times[entry["off"]] = []
            # Rounds, so that no configuration alone has the cold or the warm card.
            for _ in range(ROUNDS):
                for entry in entries:
                    if entry["off"] in times:
                        text = subprocess.run([*command(entry, arguments), "--bench"], check=True, capture_output=True,
                                              text=True).stdout  # fmt: skip
                        times[entry["off"]].append(float(re.search(r"median ([0-9.]+) us", text)[1]))
            medians = {label: sorted(values)[ROUNDS // 2] for label, values in times.items()}
            for label, time in medians.items():
                rate = f", {flops / time / 1e6:.0f} TFLOP/s" if flops else ""
                ratio = f", {time / medians['']:.3f} of the default" if "" in medians else ""
                print(f"{case} {problem} | {label or 'default'} | {time:.2f} us{rate}{ratio}", flush=True)


if __name__ == "__main__":
    main()
