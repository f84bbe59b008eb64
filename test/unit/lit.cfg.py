# SPDX-License-Identifier: Apache-2.0
"""The GoogleTest suite: every binary in build/test/unit whose name ends in Tests, one result per case."""

import os

import lit.formats

config.name = "Tilewright-Unit"
config.test_source_root = config.test_exec_root = os.path.join(config.tilewright_build, "test", "unit")
config.suffixes = []
config.excludes = ["CMakeFiles", "Output"]
config.test_format = lit.formats.GoogleTest(".", "Tests")
if config.sanitizer:
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0"
    config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
