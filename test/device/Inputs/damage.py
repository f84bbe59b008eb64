# SPDX-License-Identifier: Apache-2.0
"""Copies a file of recorded launches and changes the middle of the first result that is longer than an element.

usage: damage.py FROM TO
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import archive

reader, writer = archive.Reader(sys.argv[1]), archive.Writer(sys.argv[2])
damaged = False
for launch in reader.launches:
    writer.add("bundles", reader.get("bundles", launch["bundle"]))
    for buffer in launch["buffers"]:
        writer.add("buffers", reader.get("buffers", buffer["before"]))
        data = [bytearray(reader.get("buffers", digest)) for digest in buffer["after"]]
        if not damaged and len(data[0]) > 16 and buffer["after"] != [buffer["before"]]:
            data[0][len(data[0]) // 2 | 3] ^= 0x40
            damaged = True
        buffer["after"] = [writer.add("buffers", bytes(result)) for result in data]
    writer.launches.append(launch)
writer.close()
