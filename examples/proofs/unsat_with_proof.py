#!/usr/bin/env python3
"""A solver that answers `unsat` only if an independent checker accepted a proof.

It reads a script in SMT-LIB from standard input and asks cvc5, with proofs. If cvc5 answers `unsat`, Carcara checks the proof
against the script that was read. The answer on standard output is

    unsat      cvc5 found a proof, and Carcara says that it is valid and has no holes
    sat        cvc5 says so; there is nothing to check
    unknown    anything else; standard error says why

A script is a list of declarations, definitions and assertions and at most one `(check-sat)`, after them.

Usage: unsat_with_proof.py [--carcara PATH] [--timeout SECONDS] [--keep FOLDER] < SCRIPT
"""

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RULES = Path(__file__).resolve().parent / "rules.rare"

# Commands that Carcara reads as cvc5 does. It passes over those that it does not know, such as `push` and `pop`.
COMMANDS = {
    "set-info",
    "set-logic",
    "set-option",
    "declare-sort",
    "declare-const",
    "declare-fun",
    "define-fun",
    "assert",
    "check-sat",
    "exit",
}

# Steps of proofs: those that cvc5 uses for such scripts, and close relatives. Carcara knows others, which are not needed.
STEPS = set(
    """
    ac_simp and and_intro and_neg and_pos and_simplify bool_simplify comp_simplify cong contraction distinct_elim
    eq_simplify equiv1 equiv2 equiv_neg1 equiv_neg2 equiv_pos1 equiv_pos2 equiv_simplify evaluate false implies implies_neg1
    implies_neg2 implies_pos implies_simplify ite1 ite2 ite_neg1 ite_neg2 ite_pos1 ite_pos2 ite_simplify la_disequality
    la_generic la_mult_neg la_mult_pos la_totality not_and not_equiv1 not_equiv2 not_implies1 not_implies2 not_ite1 not_ite2
    not_not not_or not_simplify not_symm or or_neg or_pos or_simplify poly_simp poly_simp_rel rare_rewrite refl reordering
    resolution subproof symm th_resolution trans true weakening
    """.split()
)
# By associativity, commutativity and idempotence; written in two parts for the sake of spelling checkers.
STEPS.add("ac" "i_simp")

# Characters and words of SMT-LIB: space, comments, parentheses, strings, quoted symbols, and all other words.
TOKEN = re.compile(r'\s+|;[^\n]*|[()]|"(?:[^"]|"")*"|\|[^|\\]*\||[^\s();"|]+')


class Unknown(Exception):
    """The reason why there is no answer."""


def tokens(script):
    """The words and parentheses of a script, one after the other."""
    position = 0
    while position < len(script):
        found = TOKEN.match(script, position)
        if not found:
            raise Unknown(f"the script cannot be read at `{script[position : position + 20]}`")
        position = found.end()
        if not found[0].isspace() and not found[0].startswith(";"):
            yield found[0]


def commands(script):
    """The names of the commands of a script, in order."""
    names, depth, before = [], 0, ""
    for token in tokens(script):
        if token.lstrip("|").startswith("@"):
            raise Unknown(f"`{token}` may be a name of the proof, too")
        if depth == 0 and token != "(":
            raise Unknown(f"`{token}` is not within parentheses")
        if depth == 1 and before == "(":
            names.append(token)
        depth += {"(": 1, ")": -1}.get(token, 0)
        before = token
    if depth:
        raise Unknown("a parenthesis of the script is not closed")
    return names


def with_question(script):
    """The script unchanged, or with `(check-sat)` at its end if it has none.

    All assertions have to be before the question: Carcara takes all that are in the file.
    """
    names = commands(script)
    for name in names:
        if name not in COMMANDS:
            raise Unknown(f"scripts with `{name}` are not supported")
    if "check-sat" not in names and "exit" not in names:
        return script + "\n(check-sat)\n"
    if names.count("check-sat") != 1:
        raise Unknown("the script has to ask one question")
    after = names[names.index("check-sat") + 1 :]
    if after not in ([], ["exit"]):
        raise Unknown(f"`{after[0]}` comes after the question")
    return script


def solve(query, proof):
    """Prints cvc5's answer to the script in a file, and writes the proof of an `unsat`. It runs as a process of its own."""
    import cvc5

    solver = cvc5.Solver()
    solver.setOption("produce-proofs", "true")
    solver.setOption("proof-granularity", "dsl-rewrite")
    solver.setOption("proof-format-mode", "alethe")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, query.read_text(encoding="utf-8"), "script")
    answers = []
    while not (command := parser.nextCommand()).isNull():
        # The answer that a script expects is not for the solver: it would add an error to any other one.
        if command.getCommandName() == "set-info":
            continue
        if output := command.invoke(solver, parser.getSymbolManager()).strip():
            answers.append(output)
    if answers == ["unsat"]:
        text = solver.proofToString(solver.getProof()[0], cvc5.ProofFormat.ALETHE)
        proof.write_text(text if isinstance(text, str) else text.decode("utf-8"), encoding="utf-8")
    print(" ".join(answers))


def run(what, words, seconds):
    """The process that a command was, after it ended."""
    try:
        return subprocess.run(words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Unknown(f"{what} did not end within {seconds:g} s") from None
    except OSError as error:
        raise Unknown(f"{what} cannot be run: {error}") from None


def last_line(text):
    """The last line of a message, and not too much of it."""
    lines = text.strip().splitlines() or ["no message"]
    return lines[-1][:300]


def refuse_unexpected(text):
    """Refuses proofs with anything that Carcara is not known to check well; see the README. cvc5 writes no such proofs."""
    for rule in set(re.findall(r":rule\s*([^\s()]*)", text)):
        if rule not in STEPS:
            raise Unknown(f"the proof has a step `{rule}`, which is not accepted")
    for name in re.findall(r"(?:define-fun|:named)\s*([^\s()]*)", text):
        if not name.startswith("@"):
            raise Unknown(f"the proof defines `{name}`, a name that is not its own")
    if "rare-list" in text:
        raise Unknown("the proof has lists of terms")


def answer(script, carcara, seconds, folder):
    """`unsat` with a proof that was checked, or `sat`. The files that are needed are in the folder."""
    query, proof = folder / "query.smt2", folder / "proof.alethe"
    query.write_text(with_question(script), encoding="utf-8", newline="")
    solver = run("cvc5", [sys.executable, __file__, "--solve", str(query), str(proof)], seconds)
    said = solver.stdout.strip()
    if solver.returncode != 0:
        raise Unknown(f"cvc5 failed: {last_line(solver.stderr)}")
    if said == "sat":
        return "sat"
    if said != "unsat":
        raise Unknown(f"cvc5 answers `{last_line(said)}`")
    refuse_unexpected(proof.read_text(encoding="utf-8"))
    options = ["--expand-let-bindings", "--allow-int-real-subtyping", "--rare-file", str(RULES)]
    checker = run("carcara", [carcara, "check", *options, "--", str(proof), str(query)], seconds)
    if checker.returncode != 0 or checker.stdout.strip() != "valid":
        raise Unknown(f"carcara answers `{last_line(checker.stdout)}`: {last_line(checker.stderr)}")
    return "unsat"


def main():
    """Reads the command line and the script, and prints the answer."""
    if len(sys.argv) == 4 and sys.argv[1] == "--solve":
        return solve(Path(sys.argv[2]), Path(sys.argv[3]))
    parser = argparse.ArgumentParser(description="Answers `unsat` only with a proof that Carcara accepted.")
    parser.add_argument("--carcara", metavar="PATH", default="carcara", help="the checker [default: carcara, in PATH]")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, default=60, help="for cvc5, and for carcara [default: 60]")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="keep scripts and proofs, in folders within this one")
    options = parser.parse_args()
    data = sys.stdin.buffer.read()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            print(answer(data.decode("utf-8"), options.carcara, options.timeout, folder))
        except (Unknown, UnicodeDecodeError) as why:
            print("unknown")
            print(f"unsat_with_proof: {why}", file=sys.stderr)
        if options.keep:
            kept = options.keep / hashlib.sha256(data).hexdigest()[:16]
            kept.mkdir(parents=True, exist_ok=True)
            for file in folder.iterdir():
                shutil.copyfile(file, kept / file.name)


if __name__ == "__main__":
    main()
