# SPDX-License-Identifier: Apache-2.0
"""The table of docs/Passes.md names every pass that can be left out, in the order in which they run."""

import os
import re
import unittest

import tilewright

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "Passes.md")


class PassesDocumented(unittest.TestCase):
    def test_table(self):
        with open(PAGE) as file:
            table = file.read().split("| flag | does |")[1].split("\n\n")[0]
        rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
        names = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
        for name in ("tile-check-wishes", "tile-check-target"):  # Cannot be left out.
            names.remove(name)
        self.assertEqual(names, list(tilewright.optional_passes()))


if __name__ == "__main__":
    unittest.main()
