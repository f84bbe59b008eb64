# SPDX-License-Identifier: Apache-2.0
"""The file of recorded launches of one test: a zip archive that stores equal bytes once.

`launches.jsonl` has one launch a line; `bundles/HASH` and `buffers/HASH` are what the launches refer to by hash:

    test      the test's name with its parameters
    bundle    hash of the bundle, `kernel` a kernel of it
    buffers   what the arguments lie in: {"before": hash, "after": [hash, ...]}, whole allocations. There is one hash per schedule
              that the emulator ran; where they differ, the program leaves the result open.
    args      {"scalar": type, "value": number}, or {"array": type, "buffer": index, "offset": bytes of element 0,
              "shape": [...], "strides": bytes, "written": whether the kernel may write it}
"""

import hashlib
import json
import zipfile


class Writer:
    """Collects launches; `close` writes their list. Raises OSError where the file cannot be written."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w")
        self.known = set()
        self.launches = []

    def add(self, folder, data):
        """Stores bytes unless they are there; returns their hash."""
        digest = hashlib.sha256(data).hexdigest()[:32]
        name = f"{folder}/{digest}"
        if name not in self.known:
            self.known.add(name)
            kind = zipfile.ZIP_LZMA if folder == "bundles" else zipfile.ZIP_DEFLATED
            self.zip.writestr(name, data, kind)
        return digest

    def close(self):
        self.zip.writestr("launches.jsonl", "".join(json.dumps(launch) + "\n" for launch in self.launches))
        self.zip.close()


class Reader:
    """Reads what a Writer wrote; `launches` is the list."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)
        self.launches = [json.loads(line) for line in self.zip.read("launches.jsonl").splitlines()]

    def get(self, folder, digest):
        return self.zip.read(f"{folder}/{digest}")
