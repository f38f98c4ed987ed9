#!/usr/bin/env python3
"""Compare `prove` with MCMAS on ISPL files, all formulas of a file in one process.

    mcmas.py --mcmas PROGRAM FILE ..                 medians of three, 60 s each
    mcmas.py --mcmas PROGRAM --runs 1 --limit 300 FILE ..

Prints a table in Markdown: seconds by the clock, processor seconds and megabytes of both, and the ratio by the clock. Files on which MCMAS answers
no formula (it was ended, or has no such operators) have no ratio. Exit code 1 if answers differ.
"""

import argparse
import re
import statistics
import sys
from pathlib import Path

from run import ROOT, execute

WORDS = {"holds": "TRUE", "violated": "FALSE"}


def medians(command, pattern, arguments):
    """The answers of a command, and the medians of its seconds by the clock, its processor seconds and its megabytes."""
    done = [execute(command, arguments.limit) for _ in range(arguments.runs)]
    answers = re.findall(pattern, done[-1].output)
    figures = [statistics.median(getattr(run, name) for run in done) for name in ("wall", "seconds", "megabytes")]
    return answers, figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--mcmas", required=True)
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/rcheck-smt")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60, help="seconds by the clock (default: 60)")
    arguments = parser.parse_args()
    print("| file | formulas | MCMAS: s | of processor | MB | `prove`: s | of processor | MB | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    differ = False
    for path in arguments.files:
        theirs, their_figures = medians([arguments.mcmas, str(path)], r"is (TRUE|FALSE) in the model", arguments)
        limit = f"{arguments.limit:g}s"
        command = [str(arguments.binary), "prove", str(path), "--jobs", "1", "--stats", "--quiet", "--timeout", limit]
        ours, our_figures = medians(command, r"stats: .*verdict=(\w+)", arguments)
        ours = [WORDS.get(answer, answer) for answer in ours]
        if theirs and any(one != other for one, other in zip(theirs, ours) if other in WORDS.values()):
            differ = True
            print(f"mcmas.py: {path}: MCMAS says {theirs}, `prove` {ours}", file=sys.stderr)
        decided = sum(answer in WORDS.values() for answer in ours)
        ratio = f"{our_figures[0] / their_figures[0]:.2f}" if theirs and decided == len(theirs) else ""
        cells = [path.stem, f"{decided} of {len(ours)}", *(f"{figure:.2f}" for figure in their_figures[:2]), f"{their_figures[2]:.0f}",
                 *(f"{figure:.2f}" for figure in our_figures[:2]), f"{our_figures[2]:.0f}", ratio]
        print("| " + " | ".join(cells) + " |", flush=True)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
