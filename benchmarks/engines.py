#!/usr/bin/env python3
"""Decide a suite of models with each engine of `prove` alone, and with all of them together.

    engines.py                                     specs/, 10 s per spec
    engines.py --limit 60 --jobs 1 --json new.json
    engines.py --json new.json --compare old.json
    engines.py --engines portfolio,pdr specs/bank.rcp

Prints a table with the number of specs that each engine decides, PAR-2, and the numbers per family (a
folder, or a model). PAR-2 is the mean over all specs of the seconds by the clock, or twice the limit
where a spec is not decided. The engine `bmc` proves nothing.

Ends with exit code 1 if a verdict contradicts its `// expect:`, that of another engine, or, with
`--compare`, that of earlier results; what is newly decided, or no longer, is listed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from run import ROOT

ENGINES = ("explicit", "bmc", "kind", "pdr", "rlive", "spacer", "bdd", "loops")
PORTFOLIO = "portfolio"
DECIDED = ("holds", "violated")
# Of `batch`: nothing wrong, violated, unknown, not as expected. The last is told in this script's own words.
FINE = (0, 1, 4, 5)


def measure(arguments, engine, folder):
    """The records of all specs."""
    output = Path(folder, f"{engine}.jsonl")
    chosen = () if engine == PORTFOLIO else ("--engine", engine)
    command = [arguments.binary, "batch", *arguments.paths, "--mode", "prove", *chosen, "--timeout", str(arguments.limit),
               "--memory", arguments.memory, "--jobs", str(arguments.jobs), "--output", output, "--quiet"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in FINE:
        sys.exit(f"engines.py: exit code {done.returncode} from: {' '.join(map(str, command))}\n{done.stderr}")
    return [json.loads(line) for line in output.read_text().splitlines()]


def gather(arguments):
    """A row per spec, with a result per engine."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for engine in arguments.engines:
            print(f"{engine} ..", file=sys.stderr, flush=True)
            for record in measure(arguments, engine, folder):
                identity = {field: record[field] for field in ("model", "spec", "name", "expect")}
                row = rows.setdefault((record["model"], record["spec"]), {**identity, "results": {}})
                row["results"][engine] = {
                    "verdict": record["verdict"], "cause": record["cause"], "engine": record["engine"],
                    "seconds": record["seconds"]["wall"], "cpu": record["seconds"]["cpu"],
                    "megabytes": record["peak_memory"],
                }
    return list(rows.values())


def decided(result):
    """True if a result is an answer."""
    return result is not None and result["verdict"] in DECIDED


def par2(results, limit):
    """The mean time, twice the limit for what is not decided."""
    return statistics.mean(result["seconds"] if decided(result) else 2 * limit for result in results)


def family(row):
    """The folder of a model below `specs`, else the model."""
    parts = Path(row["model"]).parts
    parts = parts[parts.index("specs") + 1:] if "specs" in parts else parts[-1:]
    return parts[0].removesuffix(".rcp")


def summarise(result, out):
    """The tables."""
    rows, engines, limit = result["rows"], result["engines"], result["limit"]
    print("| engine | decided | holds | violated | PAR-2 s | s of processor |", file=out)
    print("|---|---|---|---|---|---|", file=out)
    for engine in engines:
        results = [row["results"][engine] for row in rows]
        verdicts = [result["verdict"] for result in results]
        cpu = sum(result["cpu"] or 0 for result in results)
        print(f"| {engine} | {sum(map(decided, results))}/{len(results)} | {verdicts.count('holds')} "
              f"| {verdicts.count('violated')} | {par2(results, limit):.2f} | {cpu:.1f} |", file=out)
    print(f"\n| decided, PAR-2 s | {' | '.join(engines)} |", file=out)
    print("|---" * (len(engines) + 1) + "|", file=out)
    families = {}
    for row in rows:
        families.setdefault(family(row), []).append(row)
    for name, members in sorted(families.items()):
        cells = []
        for engine in engines:
            results = [row["results"][engine] for row in members]
            cells.append(f"{sum(map(decided, results))}/{len(results)}, {par2(results, limit):.2f}")
        print(f"| {name} | {' | '.join(cells)} |", file=out)


def title(row):
    """A spec as people call it."""
    return f"{row['model']} {row['spec']}" + (f" {row['name']}" if row["name"] else "")


def contradictions(rows):
    """Verdicts that differ from what is expected, or from each other."""
    for row in rows:
        verdicts = {engine: result["verdict"] for engine, result in row["results"].items() if decided(result)}
        for engine, verdict in verdicts.items():
            if row["expect"] in DECIDED and verdict != row["expect"]:
                yield f"{title(row)}: {engine} says {verdict}, expected {row['expect']}"
        if len(set(verdicts.values())) > 1:
            yield f"{title(row)}: {verdicts}"


def compare(old, new, out):
    """Lists what changed; the verdicts that flipped."""
    known = {(row["model"], row["spec"], row["name"]): row for row in old["rows"]}
    flips, gained, lost = [], [], []
    for row in new["rows"]:
        before = known.get((row["model"], row["spec"], row["name"]), {"results": {}})
        for engine, result in row["results"].items():
            past = before["results"].get(engine)
            if past is None:
                continue
            words = f"{title(row)}, {engine}: {past['verdict']} -> {result['verdict']}"
            if decided(past) and decided(result) and past["verdict"] != result["verdict"]:
                flips.append(words)
            elif decided(result) and not decided(past):
                gained.append(f"{words}, {result['seconds']:.2f} s")
            elif decided(past) and not decided(result):
                lost.append(f"{words} ({result['cause']}); it took {past['seconds']:.2f} s")
    for heading, lines in (("Newly decided", gained), ("No longer decided", lost)):
        print(f"\n{heading}: {len(lines)}", *lines, sep="\n  ", file=out)
    for engine in new["engines"]:
        pairs = [(known[key]["results"].get(engine), row["results"][engine]) for row in new["rows"]
                 if (key := (row["model"], row["spec"], row["name"])) in known]
        pairs = [(past, now) for past, now in pairs if decided(past) and decided(now)]
        if pairs:
            ratios = [max(now["seconds"], 0.001) / max(past["seconds"], 0.001) for past, now in pairs]
            print(f"{engine}: x{statistics.geometric_mean(ratios):.2f} of the time, {len(ratios)} specs", file=out)
    return flips


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    every = (*ENGINES, PORTFOLIO)
    parser.add_argument("paths", nargs="*", default=["specs"], metavar="PATH", help="models or folders; default specs")
    parser.add_argument("--binary", type=Path, default=target / "release" / "rcheck-smt")
    parser.add_argument("--engines", type=lambda text: text.split(","), default=every, metavar="E,..",
                        help=f"of {', '.join(every)}; default: all")
    parser.add_argument("--limit", type=float, default=10, metavar="S", help="seconds per spec; default 10")
    parser.add_argument("--memory", default="2G", metavar="SIZE", help="per spec; default 2G")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="specs at the same time; default 1")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results")
    parser.add_argument("--compare", type=Path, metavar="OLD.json")
    arguments = parser.parse_args()
    unknown = set(arguments.engines) - set(every)
    if unknown:
        parser.error(f"no such engine: {', '.join(sorted(unknown))}")
    return arguments


def main():
    """Measure, print, compare."""
    arguments = parse_arguments()
    # Read first: it may be the file that is about to be written.
    old = json.loads(arguments.compare.read_text()) if arguments.compare else None
    result = {"arguments": sys.argv[1:], "engines": list(arguments.engines), "limit": arguments.limit,
              "rows": gather(arguments)}
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")
    summarise(result, sys.stdout)
    wrong = [f"WRONG: {words}" for words in contradictions(result["rows"])]
    if old:
        wrong += [f"FLIPPED: {words}" for words in compare(old, result, sys.stdout)]
    for words in wrong:
        print(words, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
