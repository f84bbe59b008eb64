# SPDX-License-Identifier: Apache-2.0
# RUN: %python %s %t
"""Bad input of every kind gives one message that names the place, and exit status 2."""

import os
import pathlib
import random
import shutil
import struct
import sys
import unittest

import numpy as np
import tilewright

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from arrays import EXAMPLES
from commands import assert_refused, run

FOLDER = pathlib.Path(sys.argv.pop(1))
MATMUL = os.path.join(EXAMPLES, "matmul.mlir")
GOOD = {"a": "f16[4x8]:ones", "b": "f16[8x4]:ones", "c": "f16[4x4]:nan"}


def arguments(**changes):
    """--arg options of a good launch of matmul with some replaced; None leaves one out."""
    return [f"--arg={name}={spec}" for name, spec in {**GOOD, **changes}.items() if spec is not None]


def write(name, content):
    """Writes a file into the test's folder and returns its path."""
    path = FOLDER / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def kernel(body, parameters="%x: !tile.view<?xf32, strides = [?]>", attributes="tile.kernel, tile.grid = @g"):
    """A module with one kernel and a grid function of one program."""
    return (
        f'func.func @k({parameters}) attributes {{{attributes}}} {{\n{body}\n  return\n}}\n'
        f"func.func @g({parameters}) -> index {{\n  %c1 = arith.constant 1 : index\n  return %c1 : index\n}}\n"
    )


class BadArguments(unittest.TestCase):
    def refused(self, message, *options):
        assert_refused(message, "tile-run", MATMUL, "--backend=emulator", *options)

    def test_wrong_type(self):
        self.refused("parameter 'a'.*f16.*f32|parameter 'a'.*f32.*f16", *arguments(a="f32[4x8]:ones"))

    def test_rank_mismatch(self):
        self.refused("parameter 'b'.*rank|parameter 'b'.*dim", *arguments(b="f16[8]:ones"))

    def test_scalar_for_a_view(self):
        self.refused("parameter 'b'", *arguments(b="i32:4"))

    def test_missing(self):
        self.refused("'c'", *arguments(c=None))

    def test_unknown(self):
        self.refused("'d'", *arguments(d="f16[4]:ones"))

    def test_twice(self):
        self.refused("'a'", *arguments(), "--arg=a=f16[4x8]:ones")

    def test_malformed(self):
        for spec in ("f16[4x8]", "f16[4x8]:sevens", "f99[4x8]:ones", "f16[4x-8]:ones", "f16[4x8:ones", "", "i32:", "i8:300"):
            self.refused("a", *arguments(a=spec))

    def test_too_large(self):
        self.refused("a", *arguments(a="f16[4000000000x4000000000]:ones"))

    def test_unknown_kernel(self):
        self.refused("nothing", "--kernel=nothing", *arguments())

    def test_unknown_backend(self):
        assert_refused("abacus", "tile-run", MATMUL, "--backend=abacus", *arguments())

    def test_unknown_target(self):
        self.refused("sm_12", "--target=sm_12", *arguments())

    def test_static_stride_differs(self):
        path = write("unit.mlir", kernel("", "%x: !tile.view<?x?xf32, strides = [?, 1]> {tile.name = \"x\"}"))
        np.save(FOLDER / "fortran.npy", np.asfortranarray(np.ones((3, 5), np.float32)))
        assert_refused("parameter 'x'.*stride", "tile-run", path, "--backend=emulator", f"--arg=x=@{FOLDER}/fortran.npy")

    def test_static_size_differs(self):
        path = write("sized.mlir", kernel("", "%x: !tile.view<8xf32, strides = [1]> {tile.name = \"x\"}"))
        assert_refused("parameter 'x'.*size", "tile-run", path, "--backend=emulator", "--arg=x=f32[7]:ones")

    def test_expected_file_of_another_shape(self):
        np.save(FOLDER / "shape.npy", np.ones((5, 4), np.float16))
        self.refused("c", *arguments(), f"--expect=c=@{FOLDER}/shape.npy")


class BadFiles(unittest.TestCase):
    def refused(self, content, message=r"bad\.npy"):
        write("bad.npy", content)
        assert_refused(message, "tile-run", MATMUL, "--backend=emulator", *arguments(a=f"@{FOLDER}/bad.npy"))

    def npy(self, header, data=b"\0" * 64, version=b"\x01\x00"):
        text = header.encode()
        return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text + data

    def good(self):
        return self.npy("{'descr': '<f2', 'fortran_order': False, 'shape': (4, 8), }\n")

    def test_the_good_one_runs(self):
        write("good.npy", self.good())
        status, _, stderr = run("tile-run", MATMUL, "--backend=emulator", *arguments(a=f"@{FOLDER}/good.npy"))
        self.assertEqual((status, stderr), (0, ""))

    def test_missing(self):
        assert_refused("absent", "tile-run", MATMUL, "--backend=emulator", *arguments(a=f"@{FOLDER}/absent.npy"))

    def test_truncated(self):
        for size in (0, 5, 9, 30, len(self.good()) - 1):
            self.refused(self.good()[:size])

    def test_hostile_headers(self):
        shape = "{'descr': '<f2', 'fortran_order': False, 'shape': %s, }\n"
        headers = [
            shape % "(4000000000, 4000000000)",
            shape % "(9223372036854775807, 2)",
            shape % "(-4, 8)",
            shape % "(4, 99999999999999999999999)",
            shape % ("(" + "1, " * 5000 + ")"),
            shape % "((4, 8))",
            shape % "__import__('os').abort()",
            "{'descr': '|O', 'fortran_order': False, 'shape': (4, 8), }\n",
            "{'descr': '>f2', 'fortran_order': False, 'shape': (4, 8), }\n",
            "{'descr': [('x', '<f2')], 'fortran_order': False, 'shape': (4, 8), }\n",
            "{'fortran_order': False, 'shape': (4, 8), }\n",
            "{" * 2000,
            "\xff\0" * 20,
        ]
        for header in headers:
            with self.subTest(header=header[:60]):
                self.refused(self.npy(header))
        self.refused(self.good().replace(b"\x01\x00", b"\x09\x00", 1))
        self.refused(b"\x93NUMPY\x02\x00" + struct.pack("<I", 0xFFFFFFFF) + b"{}")

    def test_random_damage(self):
        # Some damage is harmless (a changed element), so 0 is fine too; a crash or a hang is not.
        seed = 20260101
        source = random.Random(seed)
        for step in range(10):
            content = bytearray(self.good())
            for _ in range(3):
                content[source.randrange(len(content))] = source.randrange(256)
            write("bad.npy", bytes(content))
            status, _, stderr = run("tile-run", MATMUL, "--backend=emulator", *arguments(a=f"@{FOLDER}/bad.npy"))
            self.assertIn(status, (0, 2), f"seed {seed}, step {step}: {stderr}")


class BadBundles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = FOLDER / "matmul.bundle"
        status, _, stderr = run("tile-compile", MATMUL, "--emit=bundle", "-o", cls.path)
        assert status == 0, stderr

    def test_the_good_one_runs(self):
        status, _, stderr = run("tile-run", self.path, "--backend=emulator", *arguments())
        self.assertEqual((status, stderr), (0, ""))

    def test_damaged(self):
        good = self.path.read_bytes()
        for position in (9, 13, 17, 25, 33, 60, 120, len(good) // 2, len(good) - 1):
            content = bytearray(good)
            content[position] ^= 0x55
            bad = write("bad.bundle", bytes(content))
            for tool in ("tile-run", "tile-launch"):
                with self.subTest(position=position, tool=tool):
                    assert_refused(r"bad\.bundle", tool, bad, *arguments())

    def test_truncated(self):
        good = self.path.read_bytes()
        for size in (8, 31, 40, 200, len(good) - 1):
            bad = write("bad.bundle", good[:size])
            with self.subTest(size=size):
                assert_refused(r"bad\.bundle", "tile-launch", bad, *arguments())


class BadPrograms(unittest.TestCase):
    def refused(self, message, text, *options):
        path = write("bad.mlir", text)
        assert_refused(r"bad\.mlir:\d+:\d+: .*(?:" + message + ")", "tile-compile", path, "--emit=ptx", *options)

    def test_syntax(self):
        self.refused("expected", "func.func @k(")

    def test_unknown_op(self):
        self.refused("tile.nothing|unregistered|unknown", kernel("  tile.nothing"))

    def test_type_error(self):
        self.refused(
            "rank|offset",
            kernel(
                "  %c0 = arith.constant 0 : index\n"
                "  %0 = tile.load %x[%c0, %c0] : !tile.view<?xf32, strides = [?]> -> tensor<8xf32>"
            ),
        )

    def test_kernel_without_grid(self):
        # Code can be made without a grid; what is launched needs one.
        path = write("gridless.mlir", kernel("", attributes="tile.kernel"))
        assert_refused(r"gridless\.mlir:1:\d+: .*grid", "tile-compile", path, "--emit=bundle", "-o", FOLDER / "gridless.bundle")
        assert_refused(r"gridless\.mlir:1:\d+: .*grid", "tile-run", path, "--backend=emulator", "--arg=0=f32[4]:ones")

    def test_grid_that_is_not_there(self):
        self.refused("@?absent", kernel("", attributes="tile.kernel, tile.grid = @absent"))

    def test_no_kernel(self):
        path = write("empty.mlir", "// nothing\n")
        assert_refused(r"empty\.mlir.*kernel", "tile-compile", path, "--emit=ptx")

    def test_not_text(self):
        path = write("binary.mlir", bytes(range(256)) * 4)
        assert_refused(r"binary\.mlir:\d+:\d+", "tile-compile", path, "--emit=ptx")

    def test_missing_file(self):
        assert_refused("absent", "tile-compile", FOLDER / "absent.mlir", "--emit=ptx")

    def test_unknown_pass(self):
        assert_refused("tile-nothing", "tile-compile", MATMUL, "--disable-pass=tile-nothing", "--emit=ptx")

    def test_unknown_option(self):
        assert_refused("nonsense", "tile-run", MATMUL, "--nonsense")
        status, _, stderr = run("tile-compile", MATMUL, "--nonsense")
        self.assertEqual(status, 2)
        self.assertIn("Unknown command line argument '--nonsense'", stderr)

    def test_unknown_target(self):
        assert_refused("sm_12", "tile-compile", MATMUL, "--target=sm_12", "--emit=ptx")

    def refused_with(self, target, message, text):
        """Both tools refuse the program for that target: one located message, status 2."""
        path = write("bad.mlir", text)
        place = r"bad\.mlir:\d+:\d+: .*"
        assert_refused(place + message, "tile-compile", path, "--emit=ptx", f"--target={target}")
        options = ("--backend=emulator", f"--target={target}", "--arg=0=f32[64]:ones")
        assert_refused(place + message, "tile-run", path, *options)

    def test_type_without_arithmetic(self):
        text = kernel(
            "  %c0 = arith.constant 0 : index\n"
            "  %0 = tile.load %x[%c0] : !tile.view<?xf32, strides = [?]> -> tensor<64xf32>\n"
            "  %1 = arith.truncf %0 : tensor<64xf32> to tensor<64xTYPE>\n"
            "  %2 = arith.addf %1, %1 : tensor<64xTYPE>\n"
            "  %3 = arith.extf %2 : tensor<64xTYPE> to tensor<64xf32>\n"
            "  tile.store %3, %x[%c0] : tensor<64xf32>, !tile.view<?xf32, strides = [?]>"
        )
        for target in ("sm_80", "sm_100a"):
            for element in ("f8E4M3FN", "f8E5M2", "f4E2M1FN"):
                message = f"'arith.addf' op expects arithmetic on '{element}', which {target} and all other targets lack"
                self.refused_with(target, message, text.replace("TYPE", element))
        # bf16 is computed everywhere, also where it is not in one instruction.
        path = write("good.mlir", text.replace("TYPE", "bf16"))
        self.assertEqual(run("tile-compile", path, "--emit=ptx", "-o", FOLDER / "good.ptx", "--target=sm_80")[0], 0)

    def test_recursion(self):
        text = kernel(
            "  %c0 = arith.constant 0 : index\n"
            "  %0 = tile.load %x[%c0] : !tile.view<?xf32, strides = [?]> -> tensor<64xf32>\n"
            "  %1 = func.call @f(%0) : (tensor<64xf32>) -> tensor<64xf32>\n"
            "  tile.store %1, %x[%c0] : tensor<64xf32>, !tile.view<?xf32, strides = [?]>"
        ) + (
            "func.func private @f(%a: tensor<64xf32>) -> tensor<64xf32> {\n"
            "  %0 = func.call @f(%a) : (tensor<64xf32>) -> tensor<64xf32>\n  return %0 : tensor<64xf32>\n}\n"
        )
        self.refused_with("sm_90a", "'func.call' op expects calls in a kernel to be inlined", text)

    def test_directed_rounding(self):
        text = kernel(
            "  %c0 = arith.constant 0 : index\n"
            "  %0 = tile.load %x[%c0] : !tile.view<?xf32, strides = [?]> -> tensor<64xf32>\n"
            "  %1 = arith.truncf %0 upward : tensor<64xf32> to tensor<64xf16>\n"
            "  %2 = arith.extf %1 : tensor<64xf16> to tensor<64xf32>\n"
            "  tile.store %2, %x[%c0] : tensor<64xf32>, !tile.view<?xf32, strides = [?]>"
        )
        self.refused_with("sm_80", "'arith.truncf' op expected to round to_nearest_even", text)

    def test_more_shared_memory_than_the_target_has(self):
        text = kernel(
            "  %c0 = arith.constant 0 : index\n"
            "  %1 = tile.load %x[%c0] : !tile.view<?xf32, strides = [?]> -> tensor<32768xf32>\n"
            "  %2 = tile.reshape %1 : tensor<32768xf32> -> tensor<128x256xf32>\n"
            "  %3 = tile.permute %2 [1, 0] : tensor<128x256xf32> -> tensor<256x128xf32>\n"
            "  %4 = tile.reshape %3 : tensor<256x128xf32> -> tensor<32768xf32>\n"
            "  tile.store %4, %x[%c0] : tensor<32768xf32>, !tile.view<?xf32, strides = [?]>",
            attributes="tile.kernel, tile.grid = @g, tile.num_warps = 8 : i32",
        )
        message = r"needs \d+ bytes of shared memory, the target has 101376; sm_80 is the first target that has as much"
        self.refused_with("sm_86", message, text)

    def test_what_ends_the_process_of_the_parser(self):
        # Everything that reads text refuses what upstream's parser is known to die of.
        vector = "  %c = arith.constant 0.0 : f32\n  %v = vector.from_elements %c : vector<9223372036854775807xf32>"
        traps = {
            r"3:16: .*a dense array of integers or floating-point numbers, found 'index'": '  "a.b"() {\n    of = array<index: 1>} : () -> ()',
            r"3:34: .*a vector of at most 1048576 elements in .*from_elements', found 9223372036854775807": vector,
        }
        texts = {message: kernel(body) for message, body in traps.items()}
        # Deep or endless, by themselves or by aliases.
        n = 100_000
        texts[r"1:267: .*at most 256 brackets in one another, found 257"] = '"a.b"() {x ' + "[" * n + "]" * n + "} : () -> ()"
        texts[r"257:8: .*at most 256 brackets in one another"] = "module {\n" * n + "}" * n
        texts[r"1:\d+: .*at most 1024 operators in an affine map"] = "#m = affine_map<(d0) -> (" + "d0 + " * n + "d0)>\n"
        growing = "!a0 = tuple<i32, i32>\n" + "".join(f"!a{i + 1} = tuple<!a{i}, !a{i}>\n" for i in range(40))
        texts[r"18:20: .*an alias that stands for at most 1048576 words"] = growing + kernel("", "%x: !a40")
        for message, text in texts.items():
            path = write("trap.mlir", text)
            place = r"trap\.mlir:" + message
            assert_refused(place, "tile-opt", path)
            assert_refused(place, "tile-opt", "--split-input-file", path)
            assert_refused(place, "tile-compile", path, "--emit=ptx")
            assert_refused(place, "tile-run", path, "--backend=emulator", "--arg=0=f32[64]:ones")
            with self.assertRaises(tilewright.TilewrightError) as caught:
                tilewright.compile(text + "\n")
            self.assertRegex(str(caught.exception), message.split(" ")[0].rstrip(":"))

    def test_bytecode(self):
        path = FOLDER / "matmul.mlirbc"
        self.assertEqual(run("tile-opt", MATMUL, "--emit-bytecode", "-o", path)[0], 0)
        assert_refused(r"matmul\.mlirbc:1:1: .*the text of a program, found MLIR bytecode", "tile-compile", path, "--emit=ptx")

    def test_bad_warps(self):
        for warps in ("0", "33", "-1", "many"):
            assert_refused("warps", "tile-compile", MATMUL, f"--num-warps={warps}", "--emit=ptx")


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    unittest.main()
