#!/usr/bin/env python3
"""Proves with an SMT solver that the rules of a file in RARE syntax are valid.

A rule is valid if its two sides are equal for all values of its parameters for which its premises hold. A parameter of a sort that
a rule leaves open is tried with an uninterpreted sort and with Bool (unless it is a number) and with each mix of Int and Real.
A rule that is not understood fails, too.

Usage: check_rules.py [--solver COMMAND] [FILE]
"""

import argparse
import itertools
import re
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FETCHED = HERE.parents[1] / ".z3/bin/z3"

# Symbols that terms of rules may have besides parameters.
ARITHMETIC = {"<", "<=", ">", ">=", "+", "-", "to_real", "to_int"}
SYMBOLS = {"=", "distinct", "not", "and", "or", "=>", "ite", "true", "false"} | ARITHMETIC
NUMERAL = re.compile(r"0|[1-9][0-9]*")
NAME = re.compile(r"@?[A-Za-z][A-Za-z0-9_-]*")
SORTS = {"Bool", "Int", "Real"}


class NotUnderstood(Exception):
    """The reason why a file or a rule is not understood."""


def read(text):
    """The terms of a text, as nested lists of words."""
    stack = [[]]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text)):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise NotUnderstood("a parenthesis is closed that is not open")
            term = stack.pop()
            stack[-1].append(term)
        else:
            stack[-1].append(token)
    if len(stack) > 1:
        raise NotUnderstood("a parenthesis is not closed")
    return stack[0]


def show(term):
    """A term in SMT-LIB."""
    return term if isinstance(term, str) else "(" + " ".join(map(show, term)) + ")"


def words(term):
    """All words in a term."""
    return {term} if isinstance(term, str) else set().union(*map(words, term))


def parts(rule):
    """The name of a rule, its open sorts, its parameters with their sorts, its premises and its conclusion."""
    match rule:
        case ["declare-rare-rule", str(name), list(given), ":args", list(args), ":premises", list(premises), ":conclusion", conclusion]:
            pass
        case _:
            raise NotUnderstood("it is no rule with `:args`, `:premises` and `:conclusion`")
    open_sorts, sorts = [], {}
    for parameter in given:
        match parameter:
            case [str(symbol), str(sort)] if NAME.fullmatch(symbol) and symbol not in SYMBOLS | SORTS | sorts.keys() | set(open_sorts):
                pass
            case _:
                raise NotUnderstood(f"the parameter `{show(parameter)}`")
        if sort == "Type":
            open_sorts.append(symbol)
        elif sort in SORTS or sort in open_sorts:
            sorts[symbol] = sort
        else:
            raise NotUnderstood(f"the sort of `{symbol}`")
    if sorted(map(show, args)) != sorted(sorts):
        raise NotUnderstood("its arguments are not its parameters")
    if len(conclusion) != 3 or conclusion[0] != "=":
        raise NotUnderstood("its conclusion is no equality")
    for word in words([conclusion, *premises]):
        if word not in SYMBOLS and word not in sorts and not NUMERAL.fullmatch(word):
            raise NotUnderstood(f"`{word}` in its terms")
    return name, open_sorts, sorts, premises, conclusion


def instances(open_sorts, sorts, is_arithmetic):
    """The sorts of the parameters, in each case that is tried.

    Carcara lets a parameter of an open sort be of any sort, also two of the same open sort be an integer and a real.
    """
    is_open = [name for name, sort in sorts.items() if sort in open_sorts]
    cases = [("Int", "Real")] * len(is_open)
    choices = list(itertools.product(*cases))
    if is_open and not is_arithmetic:
        choices += [("Any",) * len(is_open), ("Bool",) * len(is_open)]
    for choice in choices:
        yield {**sorts, **dict(zip(is_open, choice))}


def script(sorts, premises, conclusion):
    """A script that is unsatisfiable if the conclusion follows from the premises."""
    lines = ["(set-option :print-success false)", "(set-logic ALL)", "(declare-sort Any 0)"]
    lines += [f"(declare-const {name} {sort})" for name, sort in sorts.items()]
    lines += [f"(assert {show(premise)})" for premise in premises]
    lines += [f"(assert (not {show(conclusion)}))", "(check-sat)"]
    return "\n".join(lines) + "\n"


def main():
    """Checks all rules, says which failed, and ends with 1 if any did."""
    parser = argparse.ArgumentParser(description="Proves that rewrite rules are valid.")
    default = f"{shlex.quote(str(FETCHED))} -in" if FETCHED.exists() else "z3 -in"
    parser.add_argument("--solver", metavar="COMMAND", default=default, help="reads SMT-LIB from standard input [default: z3 -in]")
    parser.add_argument("file", nargs="?", type=Path, default=HERE / "rules.rare", help="[default: rules.rare beside this file]")
    options = parser.parse_args()
    failures, questions, names = [], 0, set()
    try:
        rules = read(options.file.read_text(encoding="utf-8"))
    except NotUnderstood as why:
        sys.exit(f"{options.file}: {why}")
    for number, rule in enumerate(rules, 1):
        try:
            name, open_sorts, sorts, premises, conclusion = parts(rule)
            if name in names:
                raise NotUnderstood(f"there are two rules `{name}`")
            names.add(name)
            for case in instances(open_sorts, sorts, bool(words([conclusion, *premises]) & ARITHMETIC)):
                text, questions = script(case, premises, conclusion), questions + 1
                command = shlex.split(options.solver)
                said = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60).stdout.strip()
                if said != "unsat":
                    failures.append(f"{name}: not proved with {case}: {said or 'no answer'}")
        except NotUnderstood as why:
            failures.append(f"rule {number} is not understood: {why}")
        except subprocess.TimeoutExpired:
            failures.append(f"rule {number}: no answer within 60 s")
        except OSError as why:
            sys.exit(f"the solver cannot be run: {why}")
    print("\n".join(failures) if failures else f"{len(rules)} rules proved, with {questions} questions")
    if failures or not rules:
        sys.exit(1)


if __name__ == "__main__":
    main()
