#!/usr/bin/env python3
"""The measurement of `scripts/nightly-cluster`: a night with 1,000 small units and five long ones, on two workers.

Usage:
    benchmarks/cluster.py models FOLDER                             the models of the night
    benchmarks/cluster.py judge NAME SECONDS EARLIER RESULTS..      compares results with those of one process, and the time with the ideal

The ideal is that of a schedule that knows how long each unit takes in one process (EARLIER) and gives the longest ones first, each to
a worker that is free. SECONDS may be `-`: then only the results are compared. Fails where a result is missing or another one, or where the time is
more than a tenth longer than the ideal.
"""

import json
import pathlib
import sys

from usage import answer_help

PROJECT = pathlib.Path(__file__).resolve().parent.parent
WORKERS = 2


def write_models(folder: pathlib.Path) -> None:
    """200 models with five small specs each, and five with one that takes its whole time."""
    folder.mkdir(parents=True, exist_ok=True)
    small = (PROJECT / "tests/fixtures/cli/relay.rcp").read_text()
    for number in range(1, 201):
        (folder / f"small{number}.rcp").write_text(f"// {number}\n{small}")
    system = (PROJECT / "specs/load_balancing.rcp").read_text().partition("// name:")[0]
    for name in "anxyz":
        spec = "SPEC G (worker1-given + worker2-given + worker3-given = 0);"
        (folder / f"{name}-long.rcp").write_text(f"// {name}\n{system}{spec}\n")


def read(*names: str) -> dict[str, dict]:
    """Records by the names of their units; of several, the last one."""
    records = (json.loads(line) for name in names for line in pathlib.Path(name).read_text().splitlines())
    return {record["id"]: record for record in records}


def answer(record: dict) -> tuple:
    """How far a search comes in its time depends on the moment."""
    return record["verdict"], record["cause"], None if record["cause"] == "timeout" else record["depth"]


def judge(name: str, seconds: str, earlier: str, *results: str) -> None:
    """Says how it went, or fails."""
    expected, found = read(earlier), read(*results)
    wrong = [unit for unit, record in expected.items() if unit not in found or answer(found[unit]) != answer(record)]
    if wrong or len(found) != len(expected):
        sys.exit(f"{name}: {len(wrong)} results are missing or different ({wrong[:3]}), of {len(expected)}")
    if seconds == "-":
        print(f"{name}: all {len(found)} results are there", flush=True)
        return
    workers = [0.0] * WORKERS
    for took in sorted((record["seconds"]["wall"] for record in expected.values()), reverse=True):
        workers[workers.index(min(workers))] += took
    took, ideal = float(seconds), max(workers)
    print(f"{name}: {len(found)} units in {took:.1f} s; the ideal is {ideal:.1f} s: {100 * (took / ideal - 1):+.1f} %", flush=True)
    if took > 1.1 * ideal:
        sys.exit(f"{name} took more than a tenth longer than the ideal")


if __name__ == "__main__":
    answer_help(__doc__)
    match sys.argv[1:]:
        case ["models", folder]:
            write_models(pathlib.Path(folder))
        case ["judge", name, seconds, earlier, *results] if results:
            judge(name, seconds, earlier, *results)
        case _:
            sys.exit(__doc__)
