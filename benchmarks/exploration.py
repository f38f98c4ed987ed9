#!/usr/bin/env python3
"""How fast and how small an exploration is: states per second and bytes per state, beside Spin if it is there.

    exploration.py
    exploration.py --limit 120 --memory 16G --only ring

Ours is one run of `prove --engine explicit --jobs 1`, whose certificate is checked in the same run: all is counted. Spin (`apt install spin
gcc`) searches a model of the same states, written by hand, with `pan` compiled by `gcc -O2 -DSAFETY -DNOREDUCE`; its compilation is not counted.
Time is processor time, median of the runs; bytes are the peak of the process divided by the states.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from run import HERE, ROOT, execute

PHILOSOPHERS = """
#define N {size}
bool taken[N];
proctype Philosopher(byte left; byte right) {{
    do :: atomic {{ !taken[left] -> taken[left] = true }};
          atomic {{ !taken[right] -> taken[right] = true }};
          taken[left] = false;
          taken[right] = false
    od
}}
init {{
    byte k;
    atomic {{ for (k : 0 .. N - 2) {{ run Philosopher(k, k + 1) }} run Philosopher(0, N - 1) }}
}}
"""

RING = """
#define N {size}
byte x[N];
proctype Bottom() {{ do :: atomic {{ x[0] == x[N - 1] -> x[0] = (x[0] + 1) % N }} od }}
proctype Node(byte k) {{ do :: atomic {{ x[k] != x[k - 1] -> x[k] = x[k - 1] }} od }}
init {{
    byte k; byte v;
    atomic {{
        for (k : 0 .. N - 1) {{ select (v : 0 .. N - 1); x[k] = v }}
        v = 0; k = 0; run Bottom();
        for (k : 1 .. N - 1) {{ run Node(k) }}
        k = 0
    }}
}}
"""

# Family, arguments of the generator, spec, Promela, sizes.
FAMILIES = (
    ("philosophers", lambda size: ["--number", str(size), "--fault", "0"], "neighbours_do_not_eat_together", PHILOSOPHERS,
     (9, 11, 13, 14)),
    ("stabilising_ring", lambda size: ["--nodes", str(size)], "somebody_has_a_privilege", RING, (6, 7, 8)),
    ("stabilising_ring", lambda size: ["--nodes", str(size)], "stabilises", None, (6, 7, 8)),
    # One agent has most of the state.
    ("packet_commit", lambda size: ["--participants", str(size)], "commits_are_unanimous", None, (3, 4)),
    ("mailbox", lambda size: ["--clients", "4", "--places", str(size)], "all_requests_are_in_the_box", None, (8, 10)),
)
STATES = re.compile(r"all of (\d+) states")
SPIN_STATES = re.compile(r"(\d+) states, stored")


def median(arguments, command, pattern, **options):
    """States, seconds and megabytes of the run in the middle; nothing if the search did not end."""
    runs = []
    for _ in range(arguments.runs):
        execution = execute(command, arguments.limit, **options)
        found = pattern.search(execution.output)
        if execution.code != 0 or not found:
            return None
        runs.append((execution.seconds, execution.megabytes, int(found.group(1))))
    return sorted(runs)[len(runs) // 2]


def ours(arguments, family, size, spec, folder):
    """Our exploration."""
    generator, options = family
    path = folder / f"{generator}_{size}.rcp"
    command = [sys.executable, str(HERE / "generate.py"), generator, *options(size)]
    path.write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    command = [str(arguments.binary), "prove", str(path), "--spec", spec, "--engine", "explicit", "--jobs", "1",
               "--memory", arguments.memory, "--timeout", f"{arguments.limit}s"]
    return median(arguments, command, STATES)


def spin(arguments, promela, size, folder):
    """Spin's."""
    if promela is None or not shutil.which("spin") or not shutil.which("gcc"):
        return None
    (folder / "model.pml").write_text(promela.format(size=size))
    subprocess.run(["spin", "-a", "model.pml"], cwd=folder, check=True, capture_output=True)
    subprocess.run(["gcc", "-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=16000", "-o", "pan", "pan.c"], cwd=folder, check=True,
                   capture_output=True)
    return median(arguments, ["./pan", "-E", "-m20000000", "-w27"], SPIN_STATES, folder=folder)


def shown(result):
    """Cells of the table."""
    if result is None:
        return "- | - | - | -"
    seconds, megabytes, states = result
    return f"{states:,} | {seconds:.2f} | {states / max(seconds, 0.01) / 1000:,.0f} | {megabytes * 2**20 / states:,.0f}"


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/rcheck-smt")
    parser.add_argument("--limit", type=int, default=120, help="seconds per run")
    parser.add_argument("--memory", default="16G")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="families whose names contain this")
    arguments = parser.parse_args()
    print("| family | size | spec | states | s | 1,000 states/s | bytes/state | Spin: states | s | 1,000 states/s | bytes/state |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for family, options, spec, promela, sizes in FAMILIES:
            for size in sizes if arguments.only in family else ():
                result = ours(arguments, (family, options), size, spec, folder)
                print(f"| {family} | {size} | {spec} | {shown(result)} | {shown(spin(arguments, promela, size, folder))} |", flush=True)


if __name__ == "__main__":
    main()
