#!/usr/bin/env python3
"""Measure `batch`: what workers in parallel gain, and what a unit costs beyond its search.

    batch.py [--runs N]

Gain: 210 units (copies of specs/bank.rcp), one worker against two, wall time; needs two idle cores. The
processor times of both tell, on every machine, how much more work two workers make.

Overhead, processor time (user and system, all processes), with one worker: what `batch` takes beyond the
searches themselves, as the records tell them, so reading, starting, talking and writing; and what it takes
beyond `bmc --jobs 1` on each copy, which has to start a process for each. Less than zero means that it takes
less.

Prints medians; about a minute with three runs.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPIES = 14
UNITS = 15 * COPIES


def execute(command):
    """Run a command; wall and processor seconds, with its child processes."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"batch.py: exit code {process.returncode} from: {' '.join(map(str, command))}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime


def median(runs, measure):
    """Medians of what is measured."""
    results = [measure() for _ in range(runs)]
    return tuple(statistics.median(values) for values in zip(*results))


def searches(output):
    """The processor seconds of all searches together."""
    return sum(json.loads(line)["seconds"]["cpu"] for line in output.read_text().splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/rcheck-smt")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--bound", default="8")
    arguments = parser.parse_args()
    bound = ("--bound", arguments.bound)
    with tempfile.TemporaryDirectory() as folder:
        models = [Path(folder) / f"bank{index:02}.rcp" for index in range(COPIES)]
        for model in models:
            shutil.copy(ROOT / "specs/bank.rcp", model)

        output = Path(folder, "results.jsonl")

        def batch(jobs):
            command = [arguments.binary, "batch", folder, *bound, "--jobs", jobs, "--quiet", "--output", output]
            return lambda: (*execute(command), searches(output))

        def single():
            times = [execute([arguments.binary, "bmc", model, *bound, "--jobs", "1"]) for model in models]
            return tuple(map(sum, zip(*times)))

        one, two = median(arguments.runs, batch("1")), median(arguments.runs, batch("2"))
        alone = median(arguments.runs, single)
    print(f"{UNITS} units        wall s  processor s")
    for name, (wall, processor, *_) in (("batch, 1 worker", one), ("batch, 2 workers", two), ("bmc, file by file", alone)):
        print(f"{name:18} {wall:7.2f} {processor:12.2f}")
    print(f"two workers: {one[0] / two[0]:.2f} times as fast as one (wall), "
          f"{two[1] / one[1]:.2f} times its processor time")
    print(f"overhead per unit: {1000 * (one[1] - one[2]) / UNITS:.2f} ms beyond the searches, "
          f"{1000 * (one[1] - alone[1]) / UNITS:.2f} ms beyond bmc (processor)")


if __name__ == "__main__":
    main()
