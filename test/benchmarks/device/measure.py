# SPDX-License-Identifier: Apache-2.0
"""Times the bundles of bundles.py on a GPU beside a device copy and PyTorch, after checking each against PyTorch in f32.

usage: measure.py FOLDER    FOLDER holds the bundles and tile-launch; needs PyTorch. Prints one line per measurement.
"""

import glob
import os
import re
import subprocess
import sys

import numpy as np
import torch
import torch.nn.functional as F

ROWS = 8192
MATMUL = 4096
REPEATS = 20


def save(name, tensor):
    """bf16 as the bits of it: NumPy has no such type."""
    np.save(name, tensor.contiguous().view(torch.int16).cpu().numpy().view(np.uint16))


def median_us(function):
    for _ in range(3):
        function()
    times = []
    for _ in range(REPEATS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        function()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return sorted(times)[REPEATS // 2]


def launch(bundle, arguments, expect, tolerance, *options):
    """Checks, then times; microseconds."""
    command = ["./tile-launch", bundle, "--backend=cuda", *options]
    for argument in arguments:
        command += ["--arg", argument]
    subprocess.run([*command, "--expect", expect, *tolerance], check=True, capture_output=True)
    text = subprocess.run([*command, "--bench"], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"median ([0-9.]+) us", text)[1])


def main():
    os.chdir(sys.argv[1])
    torch.manual_seed(0)
    x, x2 = (torch.randn(ROWS, ROWS, device="cuda").bfloat16() for _ in range(2))
    weight, bias = (torch.randn(ROWS, device="cuda").bfloat16() for _ in range(2))
    out = torch.empty_like(x)
    bytes_moved = 2 * x.numel() * 2
    copy = bytes_moved / median_us(lambda: out.copy_(x)) / 1e6
    print(f"device copy {ROWS}x{ROWS} bf16: {copy:.3f} TB/s")
    print(f"torch softmax {median_us(lambda: torch.softmax(x, 1)):.1f} us")
    print(f"torch layer_norm {median_us(lambda: F.layer_norm(x, (ROWS,), weight, bias, 1e-5)):.1f} us")
    print(f"torch rms_norm {median_us(lambda: F.rms_norm(x, (ROWS,), weight, 1e-6)):.1f} us")
    print(f"torch add {median_us(lambda: torch.add(x, x2, out=out)):.1f} us")
    wide = x.float()
    want = {
        "rmsnorm": wide * torch.rsqrt((wide * wide).mean(1, keepdim=True) + 1e-6) * weight.float(),
        "layernorm": F.layer_norm(wide, (ROWS,), weight.float(), bias.float(), 1e-5),
        "softmax": torch.softmax(wide, 1),
    }
    for name, tensor in {**want, "x": x, "weight": weight, "bias": bias}.items():
        save(name + ".npy", tensor.bfloat16())
    result = f"y=bf16[{ROWS}x{ROWS}]:nan"
    arguments = {
        "rmsnorm": ["x=bf16:@x.npy", "weight=bf16:@weight.npy", result, "epsilon=f32:1e-6"],
        "layernorm": ["x=bf16:@x.npy", "weight=bf16:@weight.npy", "bias=bf16:@bias.npy", result, "epsilon=f32:1e-5"],
        "softmax": ["x=bf16:@x.npy", result],
    }
    for bundle in sorted(glob.glob("*norm*.bundle") + glob.glob("softmax_row*.bundle")):
        name = bundle.split("_")[0]
        time = launch(bundle, arguments[name], f"y=bf16:@{name}.npy", ("--rtol", "0.016", "--atol", "1e-6"))
        rate = bytes_moved / time / 1e6
        print(f"{bundle} {time:.1f} us {rate:.3f} TB/s, {rate / copy:.2f} of the copy")

    flat = x.flatten(), x2.flatten()
    for name, tensor in (("a", flat[0]), ("b", flat[1]), ("sum", flat[0] + flat[1])):
        save(name + ".npy", tensor)
    time = launch("vector_add.bundle", ["x=bf16:@a.npy", "y=bf16:@b.npy", f"out=bf16[{x.numel()}]:nan"], "out=bf16:@sum.npy",
                  (), "--kernel=vector_add")
    print(f"vector_add {time:.1f} us {1.5 * bytes_moved / time / 1e6:.3f} TB/s")

    a, b = (torch.randn(MATMUL, MATMUL, device="cuda").bfloat16() for _ in range(2))
    for name, tensor in (("a", a), ("b", b), ("c", (a.double() @ b.double()).bfloat16())):
        save(name + ".npy", tensor)
    flops = 2 * MATMUL**3
    time = median_us(lambda: torch.matmul(a, b))
    print(f"torch matmul {time:.1f} us {flops / time / 1e6:.0f} TFLOP/s")
    for bundle in sorted(glob.glob("matmul*.bundle")):
        time = launch(bundle, ["a=bf16:@a.npy", "b=bf16:@b.npy", f"c=bf16[{MATMUL}x{MATMUL}]:nan"], "c=bf16:@c.npy",
                      ("--rtol", "0.016", "--atol", "0.1"))
        print(f"{bundle} {time:.1f} us {flops / time / 1e6:.0f} TFLOP/s")


if __name__ == "__main__":
    main()
