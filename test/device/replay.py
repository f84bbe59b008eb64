# SPDX-License-Identifier: Apache-2.0
"""Replays recorded launches on a device and compares all memory with what the emulator left there.

usage: replay.py FOLDER [--json FILE] [--library FILE] [--backend cuda|emulator] [--filter REGEX] [--workers N] [--timeout S]

FOLDER holds what record.py wrote. Needs Python, NumPy, the driver and libTilewrightRuntime.so. Launches run in worker processes: one
that crashes, hangs or reports an error costs its launch alone. Prints a line per test file and one per kind of difference; the
exit status is 1 where a launch is wrong or failed, 2 where there is nothing to replay.

Verdicts: identical (every bit), close (within compare.TOLERANCES), wrong, failed (an error, a crash or no answer in time), skipped (the
bundle is for another device). Bytes "left open" are those that differ from one schedule of the emulator to another.
"""

import argparse
import collections
import datetime
import json
import os
import pathlib
import queue
import re
import select
import signal
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
VERDICTS = ("identical", "close", "wrong", "failed", "skipped")
RANK = {verdict: rank for rank, verdict in enumerate(("identical", "close", "wrong"))}


# The worker: one line in, `{"file", "launch"}`, one line out, `{"verdict", "text", "left_open"}`.


def argument(tilewright, entry, memory):
    """A recorded argument as the package takes it."""
    import compare

    if "scalar" in entry:
        value = entry["value"]
        return float.fromhex(value) if isinstance(value, str) else value
    return tilewright.as_type(compare.elements(memory[entry["buffer"]], entry), entry["array"])


def replay(tilewright, module, reader, launch, backend):
    """Runs one launch; returns its verdict, a text and the number of bytes left open."""
    import compare

    memory = [bytearray(reader.get("buffers", buffer["before"])) for buffer in launch["buffers"]]
    module[launch["kernel"]](*(argument(tilewright, entry, memory) for entry in launch["args"]), backend=backend)
    verdict, text, left_open = "identical", "", 0
    for index, buffer in enumerate(launch["buffers"]):
        results = [reader.get("buffers", digest) for digest in buffer["after"]]
        entries = [entry for entry in launch["args"] if entry.get("buffer") == index]
        mine, count, why = compare.compare_buffer(memory[index], results, entries)
        left_open += count
        if RANK[mine] > RANK[verdict]:
            verdict, text = mine, f"{launch['kernel']}: {why}"
    return {"verdict": verdict, "text": text, "left_open": left_open}


def describe(tilewright, backend):
    """The device in words, or why there is none."""
    from tilewright import _library, runtime

    try:
        handle = runtime.backend_for(backend, 0, 0)
        return {"verdict": "identical", "text": _library.lib.twBackendDescription(handle.pointer).decode()}
    except tilewright.LaunchError as error:
        return {"verdict": "failed", "text": str(error)}


def work(backend):
    """Answers requests until the input ends. An error ends the process after its answer: the device may be in any state."""
    import archive
    import tilewright

    readers, loaded = {}, (None, None)
    for line in sys.stdin:
        request = json.loads(line)
        path = request["file"]
        if path == "describe":
            print(json.dumps(describe(tilewright, backend)), flush=True)
            continue
        reader = readers.setdefault(path, None) or archive.Reader(path)
        readers[path] = reader
        launch = reader.launches[request["launch"]]
        if loaded[0] != launch["bundle"]:
            loaded = (launch["bundle"], tilewright.load(reader.get("bundles", launch["bundle"])))
        try:
            answer = replay(tilewright, loaded[1], reader, launch, backend)
        except tilewright.LaunchError as error:
            verdict = "skipped" if "does not run on" in str(error) else "failed"
            print(json.dumps({"verdict": verdict, "text": str(error), "left_open": 0}), flush=True)
            if verdict == "failed":
                return
            continue
        print(json.dumps(answer), flush=True)


class Worker:
    """A worker process in a process group of its own; started again after it ended."""

    def __init__(self, options):
        self.options = options
        self.process = None

    def ask(self, request, timeout):
        """The answer to a request; where there is none in time, a failure."""
        if self.process is None or self.process.poll() is not None:
            self.stop()
            environment = dict(os.environ, PYTHONPATH=str(HERE.parents[1] / "python"))
            if self.options.library:
                environment["TILEWRIGHT_LIBRARY"] = str(self.options.library)
            self.process = subprocess.Popen(
                [sys.executable, __file__, "--work", self.options.backend], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, env=environment, start_new_session=True, text=True)
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], timeout)
            line = self.process.stdout.readline() if ready else ""
        except BrokenPipeError:
            ready, line = [True], ""
        if line:
            answer = json.loads(line)
            if answer["verdict"] == "failed":
                self.stop()
            return answer
        error = self.stop()
        text = f"the process ended: {error}" if ready else f"no answer in {timeout} s"
        return {"verdict": "failed", "text": text, "left_open": 0}

    def stop(self):
        """Ends the process and its children; returns how it ended and the last line it wrote about it."""
        if self.process is None:
            return ""
        try:  # After an answer it ends of its own; what hangs does not.
            self.process.stdin.close()
            self.process.wait(0.1)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        status = self.process.wait()
        lines = self.process.stderr.read().strip().splitlines() if self.process.stderr else []
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        self.process = None
        return f"status {status}" + (f", {lines[-1]}" if lines else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, help="write all counts and differences here")
    parser.add_argument("--library", type=pathlib.Path, help="the shared library to use; else TILEWRIGHT_LIBRARY")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--filter", default="", help="only launches whose FILE.TEST matches")
    parser.add_argument("--workers", type=int, default=min(8, os.cpu_count() or 1))
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one launch with the loading of its code")
    options = parser.parse_args()
    options.library = options.library and options.library.resolve()

    import archive

    units = queue.Queue()  # Launches of one bundle, so that it is loaded once.
    launches = {}
    for path in sorted(options.folder.glob("*.zip")):
        groups = collections.defaultdict(list)
        for number, launch in enumerate(archive.Reader(path).launches):
            if re.search(options.filter, f"{path.stem}.{launch['test']}"):
                groups[launch["bundle"]].append(number)
                launches[path.stem, number] = launch
        for group in groups.values():
            units.put((path, group))
    if not launches:
        print(f"replay: there are no launches in {options.folder}", file=sys.stderr)
        sys.exit(2)

    described = Worker(options).ask({"file": "describe"}, options.timeout)
    if described["verdict"] != "identical":
        print(f"replay: backend {options.backend} does not answer: {described['text']}", file=sys.stderr)
        sys.exit(2)
    answers = {}

    def serve():
        worker = Worker(options)
        while True:
            try:
                path, group = units.get_nowait()
            except queue.Empty:
                worker.stop()
                return
            for number in group:
                answers[path.stem, number] = worker.ask({"file": str(path), "launch": number}, options.timeout)

    threads = [threading.Thread(target=serve) for _ in range(options.workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.exit(report(options, described["text"], launches, answers))


def report(options, device, launches, answers):
    """Prints the tables and writes the summary; returns the exit status."""
    files, tests, differences = {}, {}, collections.defaultdict(list)
    for (file, number), answer in sorted(answers.items()):
        test = launches[file, number]["test"]
        for counts in (files.setdefault(file, collections.Counter()), tests.setdefault(f"{file}: {test}", collections.Counter())):
            counts[answer["verdict"]] += 1
            counts["left_open"] += answer["left_open"]
        if answer["text"]:
            differences[answer["verdict"]].append({"file": file, "launch": number, "test": test, "text": answer["text"]})
    print(f"device: {device}")
    print(f"{'file':24}" + "".join(f"{word:>10}" for word in ("launches", *VERDICTS)) + " left open (bytes)")
    total = sum(files.values(), collections.Counter())
    for file, counts in [*files.items(), ("all", total)]:
        numbers = [sum(counts[verdict] for verdict in VERDICTS)] + [counts[verdict] for verdict in VERDICTS]
        print(f"{file:24}" + "".join(f"{number:10}" for number in numbers) + f"{counts['left_open']:18}")
    for verdict in ("wrong", "failed"):
        for entry in differences[verdict][:40]:
            print(f"{verdict}: {entry['file']} launch {entry['launch']}, {entry['test']}: {entry['text']}")
        if len(differences[verdict]) > 40:
            print(f"{verdict}: and {len(differences[verdict]) - 40} more")
    if options.json:
        summary = {"device": device, "date": datetime.date.today().isoformat(), "backend": options.backend, "files": files,
                   "tests": tests, "differences": differences}
        options.json.write_text(json.dumps(summary, indent=1))
    return 1 if total["wrong"] or total["failed"] else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2])
    else:
        main()
