"""Asks cvc5 what it thinks of SMT-LIB scripts: prints each file's name and answer; without files, the answer to the standard input."""

import argparse
import sys

import cvc5


def answer(text: str, seconds: int) -> str:
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(seconds * 1000))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    symbols = parser.getSymbolManager()
    answers = []
    while not (command := parser.nextCommand()).isNull():
        output = command.invoke(solver, symbols).strip()
        if output:
            answers.append(output)
    return " ".join(answers)


arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--seconds", type=int, default=120, help="per file")
arguments.add_argument("files", nargs="*")
given = arguments.parse_args()
for file in given.files:
    with open(file, encoding="utf-8") as script:
        print(file, answer(script.read(), given.seconds), flush=True)
if not given.files:
    print(answer(sys.stdin.read(), given.seconds))
