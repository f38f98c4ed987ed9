"""Asks cvc5 what it thinks of SMT-LIB scripts: prints each file's name and answer."""

import sys

import cvc5

SECONDS = 120


def answer(path: str) -> str:
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(SECONDS * 1000))
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, path)
    symbols = parser.getSymbolManager()
    answers = []
    while not (command := parser.nextCommand()).isNull():
        output = command.invoke(solver, symbols).strip()
        if output:
            answers.append(output)
    return " ".join(answers)


for path in sys.argv[1:]:
    print(path, answer(path), flush=True)
