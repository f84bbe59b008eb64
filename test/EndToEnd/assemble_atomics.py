# SPDX-License-Identifier: Apache-2.0
# REQUIRES: ptxas
# RUN: %python %s
"""Atomic updates of every kind and type, and ordered accesses, assemble for every target."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import tilewright

TARGETS = ("sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a")
KINDS = ("add", "smin", "smax", "umin", "umax", "andi", "ori", "xori", "exch")
UPDATES = [(kind, type) for kind in KINDS for type in ("i32", "i64")]
UPDATES += [("fadd", type) for type in ("f16", "bf16", "f32", "f64")] + [("exch", "f32"), ("exch", "f64")]
ORDERS = ("relaxed", "acquire", "release", "acq_rel")
SCOPES = ("cta", "gpu", "sys")


def kernel(name, type, body):
    """A kernel on a tile of pointers, a scalar pointer, and a value and a condition of both forms."""
    return (f"func.func @{name}(%m: !tile.ptr<{type}>, %x: {type}, %on: i1) attributes {{tile.kernel, "
            f"tile.grid = @{name}_grid}} {{\n  %i = tile.iota : tensor<64xi32>\n"
            f"  %base = tile.splat %m : !tile.ptr<{type}> -> tensor<64x!tile.ptr<{type}>>\n"
            f"  %p = tile.ptr_add %base, %i : tensor<64x!tile.ptr<{type}>>, tensor<64xi32>\n"
            f"  %v = tile.splat %x : {type} -> tensor<64x{type}>\n"
            f"  %mask = tile.splat %on : i1 -> tensor<64xi1>\n{body}  return\n}}\n"
            f"func.func @{name}_grid(%m: !tile.ptr<{type}>, %x: {type}, %on: i1) -> index {{\n"
            "  %c1 = arith.constant 1 : index\n  return %c1 : index\n}\n")


def updates(kind, type):
    """The update with and without its old value, of a tile and of a scalar, under each order and scope."""
    text = ""
    for i, order in enumerate(ORDERS):
        scope = SCOPES[i % 3]
        text += (f"  %a{i} = tile.atomic_rmw {kind} {order} {scope} %p, %v mask %mask : tensor<64x!tile.ptr<{type}>>\n"
                 f"  tile.store_ptr %a{i}, %p : tensor<64x!tile.ptr<{type}>>\n"
                 f"  %b{i} = tile.atomic_rmw {kind} {order} {scope} %m, %x : !tile.ptr<{type}>\n")
    return text


def ordered(type):
    """Loads and stores of each order and scope, and, where the type has it, compare-and-swap."""
    text = ""
    for i, scope in enumerate(SCOPES):
        for load, store in (("relaxed", "relaxed"), ("acquire", "release")):
            text += (f"  %{load}{i} = tile.load_ptr %p mask %mask sync({load}, {scope}) : tensor<64x!tile.ptr<{type}>>\n"
                     f"  tile.store_ptr %{load}{i}, %p sync({store}, {scope}) : tensor<64x!tile.ptr<{type}>>\n")
        if type in ("i32", "i64", "f32", "f64"):
            for order in ORDERS:
                text += (f"  %c{order}{i} = tile.atomic_cas {order} {scope} %m, %x, %x : !tile.ptr<{type}>\n"
                         f"  tile.store_ptr %c{order}{i}, %m : !tile.ptr<{type}>\n")
    return text


class Assemble(unittest.TestCase):
    def test_updates_and_orders(self):
        text = "".join(kernel(f"u{i}", type, updates(kind, type)) for i, (kind, type) in enumerate(UPDATES))
        for i, type in enumerate(("i8", "i16", "f16", "bf16", "i32", "f32", "i64", "f64")):
            text += kernel(f"o{i}", type, ordered(type))
        for target in TARGETS:
            with self.subTest(target=target):
                report = tilewright.compile(text, target=target, cubin=True, num_warps=2).report
                self.assertEqual(len({variant["kernel"] for variant in report["variants"]}), len(UPDATES) + 8)
                for variant in report["variants"]:
                    self.assertEqual(variant["spill_store_bytes"] + variant["spill_load_bytes"], 0, variant)


if __name__ == "__main__":
    unittest.main()
