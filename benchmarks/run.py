#!/usr/bin/env python3
"""Measure bounded model checking and the front end; compare with an earlier run.

    run.py --out DIR                      everything: results.json, results.csv, results.md in DIR
    run.py --quick --out DIR              a subset that takes less than a minute
    run.py --out DIR --compare OLD.json   and ratios to an earlier run; exit 1 where a verdict flips

Each spec runs in a process of its own, with one thread. Times are processor seconds of that process
(user and system), so that other work on the machine disturbs little; medians of `--runs` runs.
"""

import argparse
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

# A model file, with what to ask of it: `specs` are names, all if empty; `options` give its parameters.
Instance = namedtuple("Instance", "name path specs bounds options", defaults=((),))
# The outcome of a process.
Execution = namedtuple("Execution", "code output seconds wall megabytes")

BOUNDS = (10, 20, 30)
FAMILIES = (
    [("resource_allocation", {"clients": n, "group1": n - n // 2, "group2": n // 2}) for n in range(2, 9)]
    + [("ticket_baton", {"N": n}) for n in (2, 3)]
    + [("ticket_lock", {"N": n}) for n in (2, 4)]
    + [("token_ring", {"nodes": n}) for n in (3, 5)]
    + [("bank", {"N": n}) for n in (3, 5)]
    + [("pipeline", {"stages": n}) for n in (3, 5)]
)
MODELS = (
    "resource_allocation/modern", "stable_allocation", "auction", "bank", "bounded_buffer",
    "key_value_store", "leader_election", "load_balancing", "ticket_lock", "token_ring",
)
QUICK = {
    "resource_allocation_3": (
        "request_then_connect", "joint_mission", "one_session_at_a_time", "not_all_machines_assigned",
    ),
    "resource_allocation_4": ("reserve_then_request",),
    "ticket_baton_2": (),
    "bank_3": (),
    "pipeline_3": (),
    "specs/auction": (),
    "specs/leader_election": ("one_leader",),
}
FRONT_END_LINES = 10_000
STATISTICS = re.compile(r"stats: spec=\d+ verdict=(\w+) depth=(\w+) encoding=([\d.]+) solving=([\d.]+)")
DIRECTIVES = re.compile(r"// name: (\w+)\s*\n(?://.*\n)*?// expect: (\w+)")
COLUMNS = (
    "instance", "spec", "expected", "bound", "verdict", "depth", "runs", "seconds", "wall", "encoding",
    "solving", "megabytes",
)


def execute(command, limit, confine=None, folder=None):
    """Run a command; its output goes to a file, so that only the process is measured. `confine` runs in the process."""
    with tempfile.TemporaryFile("w+") as output:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   preexec_fn=confine, cwd=folder)
        deadline = start + limit
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            if time.monotonic() > deadline:
                process.kill()
            time.sleep(0.002)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        seconds = usage.ru_utime + usage.ru_stime
        return Execution(process.returncode, output.read(), seconds, wall, usage.ru_maxrss / 1024)


def generate(family, sizes, folder):
    """A member of a family: a model with a parameter, one for any number of agents, or what the generator writes."""
    name = f"{family}_{next(iter(sizes.values()))}"
    model = HERE / "models" / f"{family}.rcp"
    if model.exists():
        options = [text for size, value in sizes.items() for text in ("--const", f"{size}={value}")]
        return Instance(name, model, (), BOUNDS, tuple(options))
    model = ROOT / "specs" / "parametrised" / f"{family}.rcp"
    if model.exists():
        options = [text for size, value in sizes.items() for text in ("--size", f"{size}={value}")]
        return Instance(name, model, (), BOUNDS, tuple(options))
    path = folder / f"{name}.rcp"
    command = [sys.executable, str(HERE / "generate.py"), family]
    for size, value in sizes.items():
        command += [f"--{size}", str(value)]
    path.write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return Instance(name, path, (), BOUNDS)


def instances(arguments, folder):
    """The instances to measure."""
    chosen = [generate(family, sizes, folder) for family, sizes in FAMILIES]
    chosen += [Instance(f"specs/{name}", ROOT / "specs" / f"{name}.rcp", (), BOUNDS) for name in MODELS]
    if arguments.quick:
        chosen = [item._replace(specs=QUICK[item.name], bounds=(20,)) for item in chosen if item.name in QUICK]
    if arguments.only:
        chosen = [item for item in chosen if re.search(arguments.only, item.name)]
    if arguments.bounds:
        chosen = [item._replace(bounds=tuple(arguments.bounds)) for item in chosen]
    return chosen


def specs_of(instance):
    """Triples (number, name, expected verdict); every spec of our models has both directives."""
    found = DIRECTIVES.findall(instance.path.read_text())
    listed = [(number, name, expected) for number, (name, expected) in enumerate(found, start=1)]
    return [item for item in listed if not instance.specs or item[1] in instance.specs]


def measure_spec(arguments, instance, name, bound):
    """Median over the runs; slow ones are not repeated."""
    command = [str(arguments.binary), "bmc", str(instance.path), *instance.options, "--spec", name, "--bound", str(bound),
               "--jobs", "1", "--stats", "--timeout", f"{arguments.timeout}s"]
    runs = []
    while len(runs) < arguments.runs:
        execution = execute(command, 2 * arguments.timeout + 10)
        found = STATISTICS.search(execution.output)
        if not found:
            sys.exit(f"run.py: no statistics (exit code {execution.code}) from: {' '.join(command)}\n"
                     f"{execution.output}")
        runs.append((execution, found))
        if execution.seconds > arguments.repeat_below:
            break
    runs.sort(key=lambda run: run[0].seconds)
    execution, found = runs[len(runs) // 2]
    verdict, depth, encoding, solving = found.groups()
    return {
        "bound": bound, "verdict": verdict, "depth": None if depth == "none" else int(depth),
        "runs": len(runs), "seconds": round(execution.seconds, 3), "wall": round(execution.wall, 3),
        "encoding": float(encoding), "solving": float(solving), "megabytes": round(execution.megabytes, 1),
    }


def measure_instance(arguments, instance):
    """The rows of all specs. A bound is skipped where a smaller one found a counterexample or no end."""
    for _, name, expected in specs_of(instance):
        for bound in instance.bounds:
            row = {"instance": instance.name, "spec": name, "expected": expected}
            row.update(measure_spec(arguments, instance, name, bound))
            shown = "-" if row["depth"] is None else row["depth"]
            print(f"{instance.name:28} {name:40} {bound:3} {row['verdict']:8} {shown:>3} "
                  f"{row['seconds']:8.3f} s {row['megabytes']:7.0f} MB", file=sys.stderr, flush=True)
            yield row
            if row["verdict"] != "clear":
                break


def long_model(path):
    """A model of about FRONT_END_LINES lines: many small agents, each with an instance and a spec."""
    head = "enum channel {a, b}\nmessage-structure: N : int\nproperty-variables: ready : bool\n\n"
    lines_each, agents = 16, []
    count = FRONT_END_LINES // lines_each
    for k in range(count):
        agents.append(
            f"agent A{k}\n"
            f"    local: x{k} : 0..3, on{k} : bool, link{k} : channel\n"
            f"    init: (x{k} = 0) & !on{k} & (link{k} = a)\n"
            f"    relabel: ready <- on{k}\n"
            f"    receive-guard: (chan = *) | (chan = link{k})\n"
            f"    repeat: (\n"
            f"        go{k}: {{(x{k} < 3) & !on{k}}} *! (@ready)(N := x{k} + 1)[on{k} := true]\n"
            f"        +\n"
            f"        // takes what it gets\n"
            f"        hear{k}: {{on{k} & (N > x{k})}} link{k}? [on{k} := false, x{k} := 0]\n"
            f"        +\n"
            f"        (stop{k}: {{x{k} = 3}} b! (true)(N := 0)[]; start{k}: {{N = 0}} b? [on{k} := false])\n"
            f"    )\n")
    calls = "\n    || ".join(f"A{k}(i{k}, x{k} = 0)" for k in range(count))
    specs = "".join(f"SPEC G ((i{k}-x{k} < 3) -> (F (i{k}-go{k} | <<sender = i{k}>> true)));\n" for k in range(count))
    text = head + "\n".join(agents) + f"\nsystem = {calls}\n" + specs
    path.write_text(text)
    return text.count("\n")


def measure_front_end(arguments, folder):
    """Reading and printing a long file."""
    path = folder / "long.rcp"
    lines = long_model(path)
    for command in ("check", "fmt"):
        runs = [execute([str(arguments.binary), command, str(path)], arguments.timeout) for _ in range(arguments.runs)]
        if any(run.code != 0 for run in runs):
            sys.exit(f"run.py: `{command}` refuses {path}\n{runs[0].output[:2000]}")
        yield {
            "command": command, "lines": lines,
            "seconds": round(statistics.median(run.seconds for run in runs), 3),
            "megabytes": round(max(run.megabytes for run in runs), 1),
        }


def markdown(result):
    """Tables for people."""
    text = ["| front end | lines | s | MB |", "|---|---|---|---|"]
    text += [f"| `{row['command']}` | {row['lines']} | {row['seconds']:.3f} | {row['megabytes']:.0f} |"
             for row in result["front_end"]]
    text += ["", "| instance | spec | bound | verdict | depth | s | encoding s | solving s | MB |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in result["rows"]:
        depth = "-" if row["depth"] is None else row["depth"]
        text.append(f"| {row['instance']} | {row['spec']} | {row['bound']} | {row['verdict']} | {depth} "
                    f"| {row['seconds']:.2f} | {row['encoding']:.2f} | {row['solving']:.2f} | {row['megabytes']:.0f} |")
    return "\n".join(text) + "\n"


def write(result, folder):
    """The three files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(result, indent=1) + "\n")
    (folder / "results.md").write_text(markdown(result))
    with open(folder / "results.csv", "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(result["rows"])


def contradictions(rows):
    """Counterexamples to specs that hold: the tool or the model is wrong."""
    return [row for row in rows if row["verdict"] == "violated" and row["expected"] == "holds"]


def flips(old, new):
    """How two rows of one spec and bound contradict each other."""
    if old["verdict"] == new["verdict"] == "violated" and old["depth"] != new["depth"]:
        return f"length {old['depth']} -> {new['depth']}"
    verdicts = {old["verdict"], new["verdict"]}
    if verdicts == {"violated", "clear"}:
        return f"{old['verdict']} -> {new['verdict']}"
    clear, violated = (old, new) if new["verdict"] == "violated" else (new, old)
    if violated["verdict"] == "violated" and (clear["depth"] or -1) >= violated["depth"] != clear["depth"]:
        return f"clear up to {clear['depth']}, but violated after {violated['depth']}"
    return None


def compare(old, rows):
    """Print ratios; whether nothing flipped."""
    known = {(row["instance"], row["spec"], row["bound"]): row for row in old["rows"]}
    ratios, fine = [], True
    for row in rows:
        before = known.get((row["instance"], row["spec"], row["bound"]))
        if before is None:
            continue
        ratio = row["seconds"] / max(before["seconds"], 0.001)
        ratios.append(max(ratio, 0.001))
        flip = flips(before, row)
        fine &= flip is None
        note = f"  FLIPPED: {flip}" if flip else ""
        if before["verdict"] != row["verdict"] or before["depth"] != row["depth"]:
            note += f"  ({before['verdict']} {before['depth']} -> {row['verdict']} {row['depth']})"
        print(f"{row['instance']:28} {row['spec']:40} {row['bound']:3} "
              f"{before['seconds']:8.3f} -> {row['seconds']:8.3f} s  x{ratio:.2f}{note}")
    if ratios:
        print(f"{len(ratios)} rows in common; geometric mean of the ratios {statistics.geometric_mean(ratios):.2f}")
    return fine


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--binary", type=Path, default=target / "release" / "rcheck-smt")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the results")
    parser.add_argument("--compare", type=Path, metavar="OLD.json")
    parser.add_argument("--quick", action="store_true", help="a subset at bound 20, less than a minute")
    parser.add_argument("--only", metavar="REGEX", help="instances whose name matches")
    parser.add_argument("--bounds", type=int, nargs="+", help=f"default: {BOUNDS}")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--repeat-below", type=float, default=10, metavar="S",
                        help="measure what takes longer once only; default 10")
    parser.add_argument("--timeout", type=float, default=60, metavar="S", help="per spec and bound; default 60")
    return parser.parse_args()


def main():
    """Measure, write, compare."""
    arguments = parse_arguments()
    # Read first: it may be in the folder that is about to be written.
    old = json.loads(arguments.compare.read_text()) if arguments.compare else None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = {"arguments": sys.argv[1:], "front_end": list(measure_front_end(arguments, folder)), "rows": []}
        for instance in instances(arguments, folder):
            result["rows"] += measure_instance(arguments, instance)
            write(result, arguments.out)
    wrong = contradictions(result["rows"])
    for row in wrong:
        print(f"WRONG: {row['instance']} {row['spec']} is violated, but holds", file=sys.stderr)
    fine = compare(old, result["rows"]) if old else True
    sys.exit(0 if fine and not wrong else 1)


if __name__ == "__main__":
    main()
