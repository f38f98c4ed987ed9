#!/usr/bin/env python3
"""Prove the specs of models of any size, and instances of some sizes for comparison.

    any_number.py                                   specs/parametrised/
    any_number.py --sizes 2,4,8,16 --limit 10 specs/parametrised/mesi.rcp
    any_number.py --any-number Client specs/ticket_lock.rcp

Prints a table: for each spec the verdict for all sizes, processor seconds, how many members a clause is about at most,
the number of clauses, and of open instances in which they were checked; then the seconds of each size alone.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from run import ROOT


def seconds_of(command):
    """The output of a command, its exit code, and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1, 4):
        sys.exit(f"any_number.py: exit code {done.returncode} from: {' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def evidence(folder):
    """Members, clauses and instances of the proof in a folder, if there is one."""
    for path in Path(folder).glob("*.json"):
        uniform = json.loads(path.read_text())["evidence"].get("uniform")
        if uniform is not None:
            names = "|".join(map(re.escape, uniform["members"]))
            members = [len(set(re.findall(rf"\b(?:{names})\d+(?=-)", clause))) for clause in uniform["clauses"]]
            return max(members, default=0), len(members), len(uniform["checked"])
    return None


def ask(arguments, model, spec, *options):
    """The record of a spec, its seconds, and its evidence."""
    with tempfile.TemporaryDirectory() as folder:
        command = [arguments.binary, "prove", "--quiet", "--jobs", "1", "--format", "json", "--timeout", str(arguments.limit),
                   "--spec", str(spec), "--certificate", folder, *options, model]
        text, seconds = seconds_of(command)
        return json.loads(text), seconds, evidence(folder)


def families(arguments, model):
    """The names of the families of any size."""
    text = Path(model).read_text()
    return re.findall(r"\((\w+)\s*\[(?:\w+\s*\.\.\s*)?\*\]", text) or arguments.families.split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path, default=sorted((ROOT / "specs/parametrised").glob("*.rcp")))
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/rcheck-smt")
    parser.add_argument("--limit", type=float, default=60, help="seconds by the clock for each spec")
    parser.add_argument("--sizes", default="", help="sizes that are verified alone, as in 2,4,8")
    parser.add_argument("--any-number", default=None, help="agent types whose listed instances stand for any number")
    parser.add_argument("--families", default="", help="the families that they become, for --sizes")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",") if size]
    general = ["--any-number", arguments.any_number] if arguments.any_number else []
    columns = ["model", "spec", "verdict", "s", "k", "clauses", "instances", *(f"{size} alone: s" for size in sizes)]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for model in arguments.models:
        count = len(re.findall(r"^\s*SPEC\b", Path(model).read_text(), re.MULTILINE))
        for spec in range(1, count + 1):
            record, seconds, proof = ask(arguments, model, spec, *general)
            row = [model.stem, record["name"] or str(spec), record["verdict"], f"{seconds:.2f}"]
            row += [str(number) for number in proof] if proof else ["", "", ""]
            for size in sizes:
                chosen = [option for name in families(arguments, model) for option in ("--size", f"{name}={size}")]
                alone, seconds, _ = ask(arguments, model, spec, *general, *chosen)
                row.append(f"{seconds:.2f}" if alone["verdict"] in ("holds", "violated") else "-")
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
