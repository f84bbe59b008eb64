# SPDX-License-Identifier: Apache-2.0
"""Builds one thread's programs, instruction by instruction, for the probes."""

import numpy as np

import arrays
import tilewright

TYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f16": np.float16, "f32": np.float32,
         "f64": np.float64}
BYTES = {"i1": 1, "i8": 1, "i16": 2, "f16": 2, "bf16": 2, "i32": 4, "f32": 4, "i64": 8, "f64": 8}


class Program:
    """The text of one thread's programs, and their module."""

    def __init__(self):
        self.text = "\n"
        self.module = None

    def add(self, name, parameters, body, warps=1, shared=0, grid=(1,)):
        """Adds a kernel. `parameters` are names with what they point to, "out: i32", or "=n: i32" for scalars.

        In the body `%lane`, `%warp` and `%t`, the thread's number in the CTA, are at hand.
        """
        signature = []
        for parameter in parameters:
            place, type = parameter.split(": ")
            signature.append(f"%{place[1:]}: {type}" if place[0] == "=" else
                             f"%{place}: i64 {{tile_gpu.points_to = {type}}}")
        self.text += f"""func.func @{name}({", ".join(signature)}) attributes {{tile_gpu.kernel,
    tile_gpu.num_threads = {32 * warps} : i32, tile_gpu.shared_bytes = {shared} : i64,
    tile_gpu.grid = array<i64: {", ".join(map(str, grid))}>}} {{
  %lane = tile_gpu.lane_id
  %warp = tile_gpu.warp_id
  %c32 = arith.constant 32 : i32
  %first = arith.muli %warp, %c32 : i32
  %t = arith.addi %first, %lane : i32
{body}
  return
}}
"""

    def run(self, name, *args):
        """Launches a kernel on every backend; yields the backend after each, when the arrays are what it left.

        Arrays are as they were before each launch.
        """
        if self.module is None:
            self.module = tilewright.compile(self.text)
        raw = [x.array if isinstance(x, tilewright.TypedArray) else x for x in args]
        before = [x.copy() if isinstance(x, np.ndarray) else x for x in raw]
        for backend in arrays.backends():
            for array, old in zip(raw, before):
                if isinstance(array, np.ndarray):
                    array[...] = old
            self.module[name](*args, backend=backend)
            yield backend


def address(name, base, index, step):
    """Defines %NAME as `base` plus `step` bytes times the i32 `index`."""
    return (f"  %{name}_w = arith.extui {index} : i32 to i64\n  %{name}_s = arith.constant {step} : i64\n"
            f"  %{name}_o = arith.muli %{name}_w, %{name}_s : i64\n  %{name} = arith.addi {base}, %{name}_o : i64\n")


def vector(type, count):
    """The type of `count` elements: a scalar for one."""
    return type if count == 1 else f"vector<{count}x{type}>"


def random_bytes(seed, *shape):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)
