#!/usr/bin/env python3
"""Compare `prove` with each of its engines alone, on families (suite.py) or on all specs of models.

    portfolio.py --half tune --csv tune.csv       families whose times may be looked at when `prove` is changed
    portfolio.py --half held --csv held.csv       the others: only to be measured in the end
    portfolio.py --csv new.csv DIR FILE ..        all specs of models in R-CHECK and ISPL

First `prove` is asked, with a limit by the clock; each engine alone is asked where that took `--least` seconds or longer,
for as long as it took (where no engine decides the spec in that time, `prove` counts as best), or did not decide. The halves are by the name of a family (of a folder, or of a file without its numbers): the first bit of its SHA-256.

Prints how much longer `prove` takes than the best engine, by the clock and in processor time, and what it does not decide in `--limit`
seconds that an engine does. Exit code 1 if two answers contradict each other, or what is expected.
"""

import argparse
import csv
import hashlib
import re
import statistics
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

import suite
from run import ROOT, execute, generate, specs_of

ENGINES = ("explicit", "bmc", "kind", "pdr", "rlive", "spacer", "bdd", "loops")
DECIDED = ("holds", "violated")
COLUMNS = ("family", "point", "spec", "expected", "tool", "answer", "wall", "cpu", "megabytes")
# A question: arguments of `prove`, and a place in the table.
Question = namedtuple("Question", "family point spec expected command")


def half_of(family):
    """The half of a family."""
    return "held" if hashlib.sha256(family.encode()).digest()[0] & 128 else "tune"


def of_suite(folder):
    """The families of the suite, with growing sizes."""
    for family in suite.SUITE:
        for size in family.sizes:
            others = family.others(size)
            instance = generate(family.name, {family.parameter: size, **others}, Path(tempfile.mkdtemp(dir=folder)))
            for number, name, expected in specs_of(instance):
                if name in family.specs:
                    fault = {0: " without fault", 1: " with fault"}.get(others.get("fault"), "")
                    command = (str(instance.path), *instance.options, "--spec", str(number))
                    yield Question(family.name, f"{family.name}{fault} {size}", name, expected, command)


def of_files(paths):
    """All specs of models."""
    for path in paths:
        files = sorted(file for file in path.rglob("*") if file.suffix in (".rcp", ".ispl")) if path.is_dir() else [path]
        for file in files:
            listed = specs_of(argparse.Namespace(path=file, specs=()))
            for number, name, expected in listed or [(None, "all", "")]:
                family = re.sub(r"[-_]?\d.*", "", file.stem)
                yield Question(family, file.stem, name, expected, (str(file), *(("--spec", str(number)) if number else ())))


def ask(arguments, question, engine, limit):
    """A row of the table."""
    chosen = () if engine == "prove" else ("--engine", engine)
    command = [str(arguments.binary), "prove", *question.command, "--jobs", "1", "--stats", "--quiet", "--timeout",
               f"{limit:g}s", "--memory", arguments.memory, *chosen]
    done = execute(command, 2 * limit + 20)
    answers = re.findall(r"stats: .*verdict=(\w+)", done.output)
    if not answers:
        print(f"portfolio.py: exit code {done.code} from: {' '.join(command)}\n{done.output[-2000:]}", file=sys.stderr)
    answer = " ".join(answers) or "error"
    return {"family": question.family, "point": question.point, "spec": question.spec, "expected": question.expected, "tool": engine,
            "answer": answer, "wall": round(done.wall, 3), "cpu": round(done.seconds, 3), "megabytes": round(done.megabytes, 1)}


def is_decided(row):
    """True if a row has nothing but answers."""
    return all(answer in DECIDED for answer in row["answer"].split())


def measure(arguments, questions):
    """The rows, which are written as they come."""
    rows, idle = [], {}
    with open(arguments.csv, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        for question in questions:
            # A spec that no tool decides for two sizes is not asked for larger ones.
            family = (re.sub(r" \d+$", "", question.point), question.spec)
            if idle.get(family, 0) >= 2 and not arguments.paths:
                continue
            row = ask(arguments, question, "prove", arguments.limit)
            new = [row]
            if not is_decided(row) or row["wall"] >= arguments.least:
                limit = round(row["wall"] + 0.1, 1) if is_decided(row) else arguments.alone or arguments.limit
                new += [ask(arguments, question, engine, limit) for engine in ENGINES]
            if not any(map(is_decided, new)):
                idle[family] = idle.get(family, 0) + 1
            table.writerows(new)
            file.flush()
            rows += new
    return rows


def by_question(rows):
    """Rows by what was asked and by tool."""
    found = {}
    for row in rows:
        found.setdefault((row["family"], row["point"], row["spec"]), {})[row["tool"]] = row
    return found


def compared(rows, least):
    """For each question whose best engine takes so long: the ratios, the best engine, and the row of `prove`."""
    for key, tools in by_question(rows).items():
        alone = [row for tool, row in tools.items() if tool != "prove" and is_decided(row)] or [tools["prove"]]
        if is_decided(alone[0]):
            best = {column: min(alone, key=lambda row: float(row[column])) for column in ("wall", "cpu")}
            if float(best["wall"]["wall"]) >= least:
                ratios = {column: float(tools["prove"][column]) / float(row[column]) for column, row in best.items()}
                yield key, ratios, best["wall"], tools["prove"]


def summarise(rows, least, out):
    """The tables."""
    found = list(compared(rows, least))
    decided = [item for item in found if is_decided(item[3])]
    lost = [(key, best) for key, tools in by_question(rows).items() if not is_decided(tools["prove"])
            for best in [min((row for tool, row in tools.items() if tool != "prove" and is_decided(row)),
                             key=lambda row: float(row["wall"]), default=None)] if best]
    print(f"{len(by_question(rows))} questions; {len(found)} whose best engine takes {least:g} s or longer.\n", file=out)
    for column, what in (("wall", "by the clock"), ("cpu", "of processor time")):
        ratios = sorted(ratios[column] for _, ratios, _, _ in decided)
        if ratios:
            print(f"Ratio {what}: median {statistics.median(ratios):.2f}, 9 of 10 below {ratios[9 * (len(ratios) - 1) // 10]:.2f}, "
                  f"most {ratios[-1]:.2f}.", file=out)
    print("\n| model | spec | best engine | s | prove: s | ratio | of processor time |\n|---|---|---|---|---|---|---|", file=out)
    for (_, point, spec), ratios, best, prove in sorted(decided, key=lambda item: -item[1]["wall"]):
        print(f"| {point} | {spec} | {best['tool']} | {float(best['wall']):.2f} | {float(prove['wall']):.2f} | {ratios['wall']:.2f} "
              f"| {ratios['cpu']:.2f} |", file=out)
    for (_, point, spec), best in lost:
        print(f"| {point} | {spec} | {best['tool']} | {float(best['wall']):.2f} | not decided | | |", file=out)


def contradictions(rows):
    """Answers that are not as expected, or not alike."""
    for (_, point, spec), tools in by_question(rows).items():
        answers = {row["answer"] for row in tools.values() if is_decided(row)}
        expected = {row["expected"] for row in tools.values() if row["expected"] in DECIDED}
        if len(answers | expected) > 1:
            yield f"{point} {spec}: {sorted(answers)}, expected {sorted(expected)}"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, help="models, or folders of them, instead of the suite")
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/rcheck-smt")
    parser.add_argument("--half", choices=("tune", "held"))
    parser.add_argument("--only", metavar="PATTERN", help="only models and specs that match")
    parser.add_argument("--limit", type=float, default=20, help="seconds by the clock (default: 20)")
    parser.add_argument("--alone", type=float, metavar="SECONDS", help="limit of each engine alone where `prove` does not decide")
    parser.add_argument("--memory", default="4G")
    parser.add_argument("--least", type=float, default=0.9, help="see above (default: 0.9)")
    parser.add_argument("--csv", type=Path, required=True, help="where the rows are written")
    parser.add_argument("--read", action="store_true", help="read the rows there instead of measuring")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        questions = of_files(arguments.paths) if arguments.paths else of_suite(folder)
        asked = [question for question in questions
                 if arguments.half in (None, half_of(question.family))
                 and (not arguments.only or re.search(arguments.only, f"{question.point} {question.spec}"))]
        if arguments.read:
            with open(arguments.csv, newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        else:
            rows = measure(arguments, asked)
    summarise(rows, 1, sys.stdout)
    wrong = list(contradictions(rows))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
