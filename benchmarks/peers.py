#!/usr/bin/env python3
"""Run rcheck-smt and other model checkers side by side on the same specs.

    peers.py                         a selection, 10 s each; peers are found on PATH
    peers.py --only ticket --limit 60 --memory 8 --json results.json
    peers.py --largest results       the largest size of each family of `suite.py` that each engine and peer decides
    peers.py --folder DIR            Horn clauses and VMT-LIB of others instead of specs, as they stand in files
    peers.py --list                  which peers are there

`rcheck-smt prove` reads the model, the others what `rcheck-smt export` writes of it: one spec at a time,
with equal limits on processor time and memory. A tool *solves* a spec if it says that it holds or that
it is violated. An answer that differs from what the model expects ends the script with exit code 1.

PAR-2 is the mean over all specs that a tool can be asked: its processor seconds where it solves, twice
the limit where it does not. The time for the export is not counted.
"""

import argparse
import json
import math
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

import clauses
import largest
import run
from run import ROOT, Instance, generate, specs_of

# The answer of a tool on a spec: `answer` is holds, violated, unknown, or an unmet limit.
Result = namedtuple("Result", "answer seconds wall megabytes")
# One spec of a model.
Case = namedtuple("Case", "instance number name expected")

FAMILIES = (
    ("resource_allocation", {"clients": 3, "group1": 2, "group2": 1}),
    ("resource_allocation", {"clients": 4, "group1": 2, "group2": 2}),
    ("ticket_baton", {"N": 2}), ("ticket_baton", {"N": 3}), ("ticket_lock", {"N": 2}),
    ("token_ring", {"nodes": 3}), ("bank", {"N": 3}), ("pipeline", {"stages": 3}),
)
MODELS = ("stable_allocation", "auction", "bounded_buffer", "key_value_store", "leader_election", "load_balancing")
# How much longer than the limit on processor time a process may take on the wall: others may use the machine.
PATIENCE = 6


def execute(command, limits, folder):
    """Run a command within limits; the result and what it printed."""
    def confine():
        seconds, size = max(1, math.ceil(limits.limit)), int(limits.memory * 2**30)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    done = run.execute(command, PATIENCE * limits.limit, confine, folder)
    late = done.code in (-signal.SIGXCPU, -signal.SIGKILL)
    answer = "time" if late else "unknown" if done.code in (0, 1, 4) else "error"
    return Result(answer, done.seconds, done.wall, done.megabytes), done.output


class Ours:
    """rcheck-smt itself, with all engines or one of them."""

    name = "rcheck-smt"

    def __init__(self, arguments, engine=None):
        self.arguments, self.options = arguments, ("--engine", engine) if engine else ()
        self.name = f"--engine {engine}" if engine else Ours.name

    def solve(self, case, folder):
        """The answer on a case."""
        command = [str(self.arguments.binary), "prove", str(case.instance.path), *case.instance.options, "--spec", str(case.number),
                   "--jobs", "1", "--stats", *self.options]
        result, text = execute(command, self.arguments, folder)
        found = re.search(r"stats: .*verdict=(\w+)", text)
        known = found and found.group(1) in ("holds", "violated") and result.answer != "time"
        return result._replace(answer=found.group(1)) if known else result


class Peer:
    """A tool that reads an exported file."""

    def __init__(self, name, arguments):
        self.name, self.arguments, self.program = name, arguments, find(name, arguments)

    def export(self, case, folder, *options):
        """Export the spec of a case; the files in order."""
        target = Path(tempfile.mkdtemp(dir=folder))
        command = [str(self.arguments.binary), "export", str(case.instance.path), *case.instance.options, "--spec", str(case.number),
                   "--directory", str(target), *options]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return sorted(target.iterdir(), key=lambda path: (len(path.name), path.name))


class Horn(Peer):
    """A solver of constrained Horn clauses."""

    OPTIONS = {
        "spacer": ["fp.engine=spacer"],
        "golem": ["--logic", "QF_LIA"],
        "eld": [],
    }

    def solve(self, case, folder):
        """Satisfiable clauses mean that the spec holds; the reverse is true for safety only."""
        [path] = self.export(case, folder, "--to", "chc", "--count", str(self.arguments.count))
        exact = "; unsat: the spec is violated" in path.read_text()
        result, text = execute([self.program, *self.OPTIONS[self.name], str(path)], self.arguments, folder)
        answer = re.search(r"^(sat|unsat)$", text, re.MULTILINE)
        if result.answer == "time" or not answer:
            return result
        if answer.group(1) == "sat":
            return result._replace(answer="holds")
        return result._replace(answer="violated" if exact else "unknown")


class Smv(Peer):
    """NuSMV or nuXmv."""

    def solve(self, case, folder):
        """All LTL formulas of a spec in one run."""
        [path] = self.export(case, folder, "--to", "smv")
        infinite = "unbounded integers" in path.read_text()
        if infinite and self.name == "NuSMV":
            return None
        command = [self.program, str(path)]
        if infinite:
            script = Path(folder, "commands")
            # `-i`: with the engine for infinite domains.
            commands = ("set on_failure_script_quits 1", f"read_model -i {path}", "go_msat", "check_ltlspec_ic3 -i", "quit")
            script.write_text("".join(f"{command}\n" for command in commands))
            command = [self.program, "-source", str(script)]
        result, text = execute(command, self.arguments, folder)
        answers = re.findall(r"^-- (?:LTL )?specification .* is (true|false)\s*$", text, re.MULTILINE)
        asked = path.read_text().count("\nLTLSPEC ")
        if "false" in answers and result.answer != "time":
            return result._replace(answer="violated")
        if len(answers) == asked and result.answer != "time":
            return result._replace(answer="holds")
        return result


class Vmt(Peer):
    """Pono, on the parts of a spec one after the other; safety only."""

    # Its default solver has no integers.
    OPTIONS = ("-e", "ic3ia", "--smt-solver", "cvc5", "-k", "1000000")

    def solve(self, case, folder):
        """Pono calls a property that holds unsat: there is no counterexample."""
        total = Result("holds", 0.0, 0.0, 0.0)
        for path in self.export(case, folder, "--to", "vmt"):
            if ":live-property" in path.read_text():
                return None
            result, text = execute([self.program, *self.OPTIONS, str(path)], self.arguments, folder)
            total = Result(total.answer, total.seconds + result.seconds, total.wall + result.wall,
                           max(total.megabytes, result.megabytes))
            answer = re.search(r"^(sat|unsat)$", text, re.MULTILINE)
            if total.seconds >= self.arguments.limit:
                return total._replace(answer="time")
            if not answer:
                return total._replace(answer=result.answer)
            if answer.group(1) == "sat":
                return total._replace(answer="violated")
        return total


KINDS = {"spacer": Horn, "golem": Horn, "eld": Horn, "pono": Vmt, "NuSMV": Smv, "nuXmv": Smv}


def find(name, arguments):
    """The program of a peer, or None. Z3 may also be that of scripts/setup or of this Python."""
    if name == "spacer":
        places = [shutil.which("z3"), ROOT / ".z3" / "bin" / "z3", Path(sys.executable).parent / "z3"]
        return next((str(place) for place in places if place and Path(place).exists()), None)
    if name == "NuSMV":
        return shutil.which(name) or next((str(path) for path in [ROOT / ".nusmv/NuSMV"] if path.exists()), None)
    return shutil.which(name)


def cases(arguments, folder):
    """The specs to ask."""
    chosen = [generate(family, sizes, folder) for family, sizes in FAMILIES]
    chosen += [Instance(name, ROOT / "specs" / f"{name}.rcp", (), ()) for name in MODELS]
    chosen += [Instance(f"features/{path.stem}", path, (), ()) for path in sorted((ROOT / "specs/features").iterdir())]
    for instance in chosen:
        for number, name, expected in specs_of(instance):
            case = Case(instance, number, name, expected)
            if not arguments.only or re.search(arguments.only, f"{instance.name} {name}"):
                yield case


def compare(arguments, tools, folder):
    """Ask every tool every case; print a line per case."""
    rows = []
    for case in cases(arguments, folder):
        row = {"instance": case.instance.name, "spec": case.name, "expected": case.expected, "tools": {}}
        line = f"{case.instance.name:34} {case.name:36} {case.expected:8}"
        for tool in tools:
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                result = tool.solve(case, scratch)
            if result is None:
                line += f" | {tool.name}: -"
                continue
            row["tools"][tool.name] = result._asdict()
            line += f" | {tool.name}: {result.answer} {result.seconds:.2f}" + ratio(row, tool)
            if wrong(result.answer, case.expected):
                line += " WRONG"
        print(line, flush=True)
        rows.append(row)
        if arguments.json:
            arguments.json.write_text(json.dumps({"arguments": sys.argv[1:], "rows": rows}, indent=1) + "\n")
    return rows


def wrong(answer, expected):
    """True if an answer contradicts the expectation."""
    return {answer, expected} == {"holds", "violated"}


def ratio(row, tool):
    """How much longer than ours, where both solve."""
    ours, other = row["tools"].get(Ours.name), row["tools"][tool.name]
    if tool.name == Ours.name or not ours or not (solved(ours) and solved(other)):
        return ""
    return f" (x{other['seconds'] / max(ours['seconds'], 0.001):.2f})"


def solved(result):
    """True if a result is an answer."""
    return result["answer"] in ("holds", "violated")


def compare_files(arguments, tools):
    """Ask every tool about each file of a folder; print a line per file."""
    rows = []
    for path, expected in clauses.files(arguments.folder, arguments.only):
        row = {"instance": path.name, "spec": "", "expected": expected, "tools": {}}
        line = f"{path.name:64} {expected:8}"
        for tool in tools:
            result = tool.solve(path)
            if result is not None:
                row["tools"][tool.name] = result._asdict()
                line += f" | {tool.name}: {result.answer} {result.seconds:.2f}"
        answers = {result["answer"] for result in row["tools"].values()} | {expected}
        print(line + (" WRONG" if {"holds", "violated"} <= answers else ""), flush=True)
        rows.append(row)
        if arguments.json:
            arguments.json.write_text(json.dumps({"arguments": sys.argv[1:], "rows": rows}, indent=1) + "\n")
    return rows


def contradictions(rows):
    """The places where an answer contradicts the expectation, or another tool."""
    for row in rows:
        said = {name: result["answer"] for name, result in row["tools"].items() if solved(result)}
        if len({*said.values(), row["expected"]} & {"holds", "violated"}) > 1:
            yield f"{row['instance']} {row['spec']}: expected {row['expected']}, answers {said}"


def summarise(arguments, rows, tools):
    """Solved counts, PAR-2, ratios; on what each tool could be asked."""
    print("\n| tool | asked | solved | holds | violated | PAR-2 s | ratio to ours where both solve |")
    print("|---|---|---|---|---|---|---|")
    for tool in tools:
        asked = [row for row in rows if tool.name in row["tools"]]
        results = [row["tools"][tool.name] for row in asked]
        answers = [result["answer"] for result in results]
        par2 = [result["seconds"] if solved(result) else 2 * arguments.limit for result in results]
        both = [row["tools"] for row in asked if solved(row["tools"][tool.name]) and solved(row["tools"][Ours.name])]
        ratios = [max(t[tool.name]["seconds"], 0.001) / max(t[Ours.name]["seconds"], 0.001) for t in both]
        mean = f"{statistics.geometric_mean(ratios):.2f} ({len(ratios)})" if ratios else "-"
        print(f"| {tool.name} | {len(asked)} | {sum(map(solved, results))} | {answers.count('holds')} "
              f"| {answers.count('violated')} | {statistics.mean(par2) if par2 else 0:.2f} | {mean} |")


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--binary", type=Path, default=target / "release" / "rcheck-smt")
    parser.add_argument("--limit", type=float, default=10, metavar="S", help="processor seconds per spec; default 10")
    parser.add_argument("--memory", type=float, default=4, metavar="GB", help="address space; default 4")
    parser.add_argument("--only", metavar="REGEX", help="specs whose `instance name` matches")
    parser.add_argument("--peers", nargs="*", choices=sorted(KINDS), help="default: all that are found")
    parser.add_argument("--count", type=int, default=1, metavar="K", help="`export --count` for Horn clauses; default 1")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results")
    parser.add_argument("--largest", type=Path, metavar="DIR", help="largest sizes instead; table, points and plot go there")
    parser.add_argument("--folder", type=Path, metavar="DIR",
                        help="ask about its .smt2 and .vmt files instead; its expected.tsv says what is known of them")
    parser.add_argument("--engines", nargs="+", metavar="E",
                        help=f"engines of ours, also alone; of --largest: all unless given, {' '.join(largest.ENGINES)}")
    parser.add_argument("--list", action="store_true", help="say which peers are found, and end")
    return parser.parse_args()


def main():
    """Find the peers, ask, compare."""
    arguments = parse_arguments()
    arguments.binary = arguments.binary.resolve()
    peers = [KINDS[name](name, arguments) for name in (KINDS if arguments.peers is None else arguments.peers)]
    for peer in peers:
        print(f"{peer.name}: {peer.program or 'not found'}")
    missing = [peer.name for peer in peers if not peer.program]
    if arguments.list or (arguments.peers and missing):
        sys.exit(0 if arguments.list else f"not found: {', '.join(missing)}")
    found = [peer for peer in peers if peer.program]
    if arguments.largest:
        engines = [Ours(arguments), *(Ours(arguments, engine) for engine in arguments.engines or largest.ENGINES)]
        by_hand = [largest.Spin(arguments, execute), largest.SmvByHand(arguments, execute)]
        sys.exit(largest.run(arguments, [*engines, *found, *(tool for tool in by_hand if tool.program)]))
    tools = [Ours(arguments), *found]
    if arguments.folder:
        engines = arguments.engines or ()
        tools = [clauses.Ours(arguments, execute), *(clauses.Ours(arguments, execute, engine) for engine in engines)]
        tools += [
            clauses.Solver(peer.name, execute, arguments, [peer.program, *peer.OPTIONS[peer.name]])
            for peer in found if isinstance(peer, Horn)
        ]
        rows = compare_files(arguments, tools)
    else:
        with tempfile.TemporaryDirectory() as folder:
            rows = compare(arguments, tools, Path(folder))
    summarise(arguments, rows, tools)
    wrong_ones = list(contradictions(rows))
    for line in wrong_ones:
        print(f"WRONG: {line}", file=sys.stderr)
    sys.exit(1 if wrong_ones else 0)


if __name__ == "__main__":
    main()
