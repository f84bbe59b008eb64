# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s
"""Loops with barriers, shuffles and products, unrolled: bit for bit what the rolled loop gives, whatever the trips, and in PTX
as many copies of everything in the body as were asked for."""

import os
import re
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import arrays
import ptx
import tilewright
from control_unroll import emit

# Each trip multiplies a tile by itself, sums its columns over the warps, and mixes both into what is carried, so that
# neither a lost or doubled trip nor another order gives the same numbers. 128 threads.
KERNEL = """
!x = !tile.view<?x64xf16, strides = [64, 1]>
!s = !tile.view<64x64xf32, strides = [64, 1]>
!t = !tile.view<64xi32, strides = [1]>
func.func @mixed(%x: !x {tile.name = "x"}, %s: !s {tile.name = "s"}, %t: !t {tile.name = "t"},
                 %from: TYPE {tile.name = "from"}, %to: TYPE {tile.name = "to"}, %step: TYPE {tile.name = "step"})
    attributes {tile.kernel, tile.grid = @one, tile.num_warps = 4} {
  %c0 = arith.constant 0 : index
  %three = arith.constant dense<3> : tensor<64xi32>
  %sums = arith.constant dense<0.0> : tensor<64x64xf32>
  %texts = arith.constant dense<7> : tensor<64xi32>
BOUNDS
  %r:2 = scf.for %i = %lower to %upper step %by iter_args(%sum = %sums, %mix = %texts) -> (tensor<64x64xf32>, tensor<64xi32>) : TYPE {
    CAST
    %a = tile.load %x[%row, %c0] pad(zero) : !x -> tensor<64x64xf16>
    %p = tile.dot %a, %a, %sum : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %wide = arith.fptosi %a : tensor<64x64xf16> to tensor<64x64xi32>
    %column = tile.reduce %wide dim 0 : tensor<64x64xi32> -> tensor<64xi32> {
    ^bb0(%l: i32, %m: i32):
      %both = arith.addi %l, %m : i32
      tile.yield %both : i32
    }
    %thrice = arith.muli %mix, %three : tensor<64xi32>
    %next = arith.addi %thrice, %column : tensor<64xi32>
    scf.yield %p, %next : tensor<64x64xf32>, tensor<64xi32>
  } {tile.unroll = UNROLL}
  tile.store %r#0, %s[%c0, %c0] : tensor<64x64xf32>, !s
  tile.store %r#1, %t[%c0] : tensor<64xi32>, !t
  return
}
func.func @one(%x: !x, %s: !s, %t: !t, %from: TYPE, %to: TYPE, %step: TYPE) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
"""

# A loop in a loop, whose trips depend on the outer one's; the inner one reduces over the warps.
NESTED = """
!x = !tile.view<?x128xi32, strides = [128, 1]>
!t = !tile.view<128xi32, strides = [1]>
func.func @nested(%x: !x {tile.name = "x"}, %t: !t {tile.name = "t"}) attributes {tile.kernel, tile.grid = @one, tile.num_warps = 4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = arith.constant dense<3> : tensor<128xi32>
  %seven = arith.constant dense<7> : tensor<128xi32>
  %n = tile.view_size %x, 0 : !x
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %seven) -> (tensor<128xi32>) {
    %s = scf.for %j = %i to %n step %c2 iter_args(%mix = %outer) -> (tensor<128xi32>) {
      %row = tile.load %x[%j, %c0] : !x -> tensor<1x128xi32>
      %most = tile.reduce %row dim 1 : tensor<1x128xi32> -> tensor<1xi32> {
      ^bb0(%l: i32, %m: i32):
        %larger = arith.maxsi %l, %m : i32
        tile.yield %larger : i32
      }
      %all = tile.broadcast %most : tensor<1xi32> -> tensor<128xi32>
      %own = tile.reshape %row : tensor<1x128xi32> -> tensor<128xi32>
      %thrice = arith.muli %mix, %three : tensor<128xi32>
      %with = arith.addi %thrice, %all : tensor<128xi32>
      %next = arith.addi %with, %own : tensor<128xi32>
      scf.yield %next : tensor<128xi32>
    } {tile.unroll = INNER}
    scf.yield %s : tensor<128xi32>
  } {tile.unroll = OUTER}
  tile.store %r, %t[%c0] : tensor<128xi32>, !t
  return
}
func.func @one(%x: !x, %t: !t) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
"""

COPIES = (2, 3, 4, 7)


def mixed(unroll, bounds=None, kind="index"):
    """`bounds` are constants, None for those that the launch gives."""
    zero = f"  %zero = arith.constant 0 : {kind}"
    values = [f"arith.addi %{name}, %zero" for name in ("from", "to", "step")]
    if bounds:
        values = [f"arith.constant {bound}" for bound in bounds]
    lines = [zero] + [f"  %{name} = {value} : {kind}" for name, value in zip(("lower", "upper", "by"), values)]
    cast = "arith.addi %i, %zero : index" if kind == "index" else f"arith.index_cast %i : {kind} to index"
    text = KERNEL.replace("BOUNDS", "\n".join(lines)).replace("CAST", f"%row = {cast}")
    return text.replace("UNROLL", str(unroll)).replace("TYPE", kind)


def trips_around(copies):
    return sorted({0, 1, 2, copies - 1, copies, copies + 1, 2 * copies - 1, 2 * copies, 2 * copies + 1, 5 * copies + 2})


class UnrolledLoops(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.x = np.random.default_rng(5).integers(-2, 3, (120, 64)).astype(np.float16)

    def run_mixed(self, module, bounds):
        s = np.full((64, 64), arrays.poison(np.float32), np.float32)
        t = np.full(64, arrays.poison(np.int32), np.int32)
        module["mixed"](self.x, s, t, *bounds, backend="emulator")
        return s, t

    def reference(self, lower, upper, step):
        s, t = np.zeros((64, 64), np.float32), np.full(64, 7, np.int32)
        padded = np.concatenate([self.x, np.zeros((400, 64), np.float16)])
        for row in range(lower, upper, step):
            a = padded[row : row + 64]
            s += a.astype(np.float32) @ a.astype(np.float32)
            t = t * np.int32(3) + a.astype(np.int32).sum(axis=0, dtype=np.int32)
        return s, t

    def assert_same(self, got, expected):
        for one, other in zip(got, expected):
            self.assertEqual(one.tobytes(), other.tobytes())

    def test_bounds_of_run_time(self):
        rolled = tilewright.compile(mixed(1), max_variants=1)
        known = {}
        for copies in COPIES:
            module = tilewright.compile(mixed(copies), max_variants=1)
            for trips in trips_around(copies):
                for lower, step in ((0, 1), (3, 2), (1, 7)):
                    # The last step is not always whole; 0 trips also from a lower bound above the upper one.
                    bounds = (lower, lower + trips * step - (step > 1 and trips > 0) - (trips == 0), step)
                    with self.subTest(copies=copies, bounds=bounds):
                        if bounds not in known:
                            known[bounds] = self.run_mixed(rolled, bounds)
                            self.assert_same(known[bounds], self.reference(*bounds))
                        self.assert_same(self.run_mixed(module, bounds), known[bounds])

    def test_narrow_variables(self):
        for kind in ("i8", "i32"):
            module = tilewright.compile(mixed(3, kind=kind), max_variants=1)
            for bounds in ((0, 0, 1), (5, 3, 1), (0, 10, 1), (2, 100, 24), (0, 64, 63), (0, 90, 30)):
                with self.subTest(kind=kind, bounds=bounds):
                    self.assert_same(self.run_mixed(module, bounds), self.reference(*bounds))

    def test_constant_bounds(self):
        for copies in (3, 4, '"full"'):
            for bounds in ((0, 0, 1), (0, 1, 1), (2, 8, 3), (0, 3, 1), (1, 9, 2), (0, 5, 1), (0, 33, 3)):
                with self.subTest(copies=copies, bounds=bounds):
                    module = tilewright.compile(mixed(copies, bounds), max_variants=1)
                    self.assert_same(self.run_mixed(module, bounds), self.reference(*bounds))

    def test_nested(self):
        def run(outer, inner, x):
            if (outer, inner) not in modules:
                source = NESTED.replace("OUTER", str(outer)).replace("INNER", str(inner))
                modules[outer, inner] = tilewright.compile(source, max_variants=1)
            t = np.full(128, arrays.poison(np.int32), np.int32)
            modules[outer, inner]["nested"](x, t, backend="emulator")
            return t

        modules = {}
        for trips in (0, 1, 2, 3, 4, 7):
            x = np.random.default_rng(trips).integers(-9, 10, (trips, 128)).astype(np.int32)
            expected = np.full(128, 7, np.int32)
            for i in range(trips):
                for j in range(i, trips, 2):
                    expected = expected * np.int32(3) + x[j].max() + x[j]
            for outer, inner in ((1, 1), (1, 3), (2, 1), (2, 3), (3, 2)):
                with self.subTest(outer=outer, inner=inner, trips=trips):
                    np.testing.assert_array_equal(run(outer, inner, x), expected)

    def count(self, unroll, bounds=None):
        """Kinds of instructions in the longest innermost loop, in all of the kernel, and bytes of shared memory."""
        text = emit(mixed(unroll, bounds), "ptx", kernel="mixed").decode()
        lines = ptx.entry(text, "mixed")
        kinds = ("mma", "barrier", "shuffle", "load of", "shared load of", "shared store of")
        counts = [
            {kind: n for kind, n in ptx.count(part).items() if kind.startswith(kinds)}
            for part in [max(ptx.loops(lines), key=len, default=[]), lines]
        ]
        simt = emit(mixed(unroll, bounds), "simt", kernel="mixed").decode()
        return counts, int(re.search(r"tile_gpu.shared_bytes = (\d+)", simt)[1])

    def test_copies(self):
        (one, everything), shared = self.count(1)
        self.assertGreater(one["barrier"], 0)
        self.assertGreater(one["mma"], 0)
        for copies in COPIES:
            with self.subTest(copies=copies):
                (loop, whole), bytes_now = self.count(copies)
                self.assertEqual(loop, {kind: copies * n for kind, n in one.items()})
                # The rest is one more copy. Copies take turns in the same shared memory.
                self.assertEqual(whole, {kind: n + copies * one.get(kind, 0) for kind, n in everything.items()})
                self.assertEqual(bytes_now, shared)
        # All trips without a loop; a divisor without a rest; one trip left over without a second loop.
        (loop, whole), _ = self.count('"full"', (0, 5, 1))
        self.assertEqual(loop, {})
        self.assertEqual(whole, {kind: n + 4 * one.get(kind, 0) for kind, n in everything.items()})
        (loop, whole), _ = self.count(3, (0, 12, 1))
        self.assertEqual((loop["mma"], whole["mma"]), (3 * one["mma"], 3 * one["mma"]))
        (loop, whole), _ = self.count(3, (0, 13, 1))
        self.assertEqual((loop["mma"], whole["mma"]), (3 * one["mma"], 4 * one["mma"]))


if __name__ == "__main__":
    unittest.main()
