"""Asks cvc5 what it thinks of SMT-LIB scripts: prints each file's name and answer."""

import argparse

import cvc5


def answer(path: str, seconds: int) -> str:
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(seconds * 1000))
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, path)
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
    print(file, answer(file, given.seconds), flush=True)
