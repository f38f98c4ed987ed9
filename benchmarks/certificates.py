#!/usr/bin/env python3
"""Certify every verdict of `prove`: write the certificates, check them again, and put their queries to cvc5.

    certificates.py                        all of specs/
    certificates.py specs/bank.rcp         these models
    certificates.py --keep DIR --json F    keep the certificates; results as JSON

Exit code 1 if a certificate is refused, a verdict is not the expected one, or cvc5 answers anything but `unsat` or
that it does not know.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from run import DIRECTIVES, ROOT, execute

EXIT_CODES = {0, 1, 4}


def prove(arguments, model, folder):
    """Write certificates; processor seconds."""
    command = [str(arguments.binary), "prove", "--jobs", "1", "--timeout", f"{arguments.timeout}s",
               "--certificate", str(folder), str(model)]
    command += ["--engine", arguments.engine] if arguments.engine else []
    execution = execute(command, 100 * arguments.timeout)
    if execution.code not in EXIT_CODES:
        sys.exit(f"certificates.py: exit code {execution.code} from: {' '.join(command)}\n{execution.output}")
    return execution.seconds


def certify(arguments, model, folder):
    """Check them again; processor seconds, and complaints."""
    command = [str(arguments.binary), "certify", str(model), str(folder)]
    execution = execute(command, 100 * arguments.timeout)
    if execution.code not in EXIT_CODES:
        sys.exit(f"certificates.py: exit code {execution.code} from: {' '.join(command)}\n{execution.output}")
    lines = execution.output.splitlines()
    return execution.seconds, [line for line in lines if ": refused: " in line or ": unknown: " in line]


def unexpected(model, certificates):
    """Verdicts that differ from what the model says; specs without a verdict do not."""
    expected = dict(DIRECTIVES.findall(model.read_text()))
    for certificate in certificates:
        name, verdict = certificate["spec"]["name"], certificate["verdict"]
        if expected.get(name) != verdict:
            yield f"{model}: {name} {verdict}, expected: {expected.get(name)}"


def kind(certificate):
    """Of the evidence."""
    return next(iter(certificate["evidence"]))


def clauses(certificate):
    """How many the invariants have."""
    return sum(len(part["clauses"]) for part in certificate["evidence"].get("invariants", ()))


def answers(arguments, queries):
    """The answers of cvc5, per query."""
    if not queries:
        return {}
    environment = dict(os.environ, PYTHONPATH=str(ROOT / ".cvc5"))
    command = [sys.executable, str(ROOT / "tests/cvc5/solve.py"), "--seconds", str(arguments.cvc5)]
    done = subprocess.run(command + [str(query) for query in queries], env=environment, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"certificates.py: cvc5 cannot read a query\n{done.stdout}\n{done.stderr}")
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def check(arguments, model, folder):
    """All about one model."""
    proving = prove(arguments, model, folder)
    certificates = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    certifying, complaints = certify(arguments, model, folder) if certificates else (0.0, [])
    queries = sorted(folder.glob("*.smt2"))
    said = answers(arguments, queries)
    counts = Counter("unsat" if answer == "unsat" else "unknown" if "unknown" in answer else "WRONG"
                     for answer in said.values())
    counts["WRONG"] += len(queries) - len(said)
    wrong = [f"{query}: {answer}" for query, answer in said.items()
             if answer != "unsat" and "unknown" not in answer]
    return {
        "model": str(model), "specs": len(DIRECTIVES.findall(model.read_text())),
        "kinds": dict(Counter(map(kind, certificates))), "clauses": sum(map(clauses, certificates)),
        "queries": len(queries), "answers": {key: count for key, count in counts.items() if count},
        "prove": round(proving, 2), "certify": round(certifying, 2),
        "wrong": complaints + list(unexpected(model, certificates)) + wrong,
    }


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("models", type=Path, nargs="*", help="default: all of specs/")
    parser.add_argument("--binary", type=Path, default=target / "release" / "rcheck-smt")
    parser.add_argument("--engine", metavar="LIST", help="as of `prove`; provers have invariants for finite models, too")
    parser.add_argument("--timeout", type=int, default=30, metavar="S", help="per spec; default 30")
    parser.add_argument("--cvc5", type=int, default=20, metavar="S", help="per query; default 20")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the certificates there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there")
    return parser.parse_args()


def main():
    """Write, check, ask, sum up."""
    arguments = parse_arguments()
    models = arguments.models or sorted((ROOT / "specs").rglob("*.rcp"))
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for model in models:
            folder = (arguments.keep or Path(name)) / "-".join(model.with_suffix("").parts[-2:])
            row = check(arguments, model, folder)
            rows.append(row)
            print(f"{model.stem:36} {sum(row['kinds'].values()):3}/{row['specs']} {row['kinds']} "
                  f"{row['clauses']} clauses, {row['queries']} queries {row['answers']}, "
                  f"prove {row['prove']:.1f} s, certify {row['certify']:.1f} s", flush=True)
            for line in row["wrong"]:
                print(f"WRONG: {line}", file=sys.stderr)
    total = sum((Counter(row["answers"]) for row in rows), Counter())
    print(f"{sum(row['queries'] for row in rows)} queries: {dict(total)}; "
          f"{sum(sum(row['kinds'].values()) for row in rows)} certificates of {sum(row['specs'] for row in rows)} specs")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(1 if any(row["wrong"] for row in rows) else 0)


if __name__ == "__main__":
    main()
