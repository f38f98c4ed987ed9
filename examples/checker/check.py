#!/usr/bin/env python3
"""Checks certificates of rcheck-smt without any of its code. See README.md."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from typing import Any

import logic
import texts
from clauses import Solver
from evidence import check_evidence, read_evidence
from model import Model, Spec, load
from outcome import BadInput, Refused, Unsupported, require
from strategies import check_strategies
from trees import Node


def without_duplicates(pairs: list) -> dict:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadInput("a name stands twice in an object")
    return found


def read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(str(error)) from None


def read_certificate(path: str) -> dict:
    def refuse(text: str) -> Any:
        raise BadInput(f"the number {text}")

    try:
        value = json.loads(read(path), object_pairs_hook=without_duplicates, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"no JSON: {error}") from None
    if not isinstance(value, dict) or value.get("format") != "rcheck-smt certificate":
        raise BadInput("no certificate")
    return value


def same_value(a: Any, b: Any) -> bool:
    """The values of a constant, of which large integers are texts."""
    if type(a) is bool or type(b) is bool:
        return a is b
    return str(a) == str(b)


def plain_value(value: Any) -> Any:
    """A value of a certificate as a value of a model."""
    if isinstance(value, str) and value.removeprefix("-").isdigit():
        return int(value)
    if type(value) not in (bool, int):
        raise Unsupported("a constant that is no number")
    return value


def load_model(text: str, header: Any) -> tuple[Model, str | None]:
    """The model with what the certificate says was given, and the fairness that was assumed of all."""
    require(isinstance(header, dict), "no model")
    require(all(isinstance(header.get(name, {}), dict) for name in ("given", "constants")), "constants of another form")
    given = dict(header.get("given", {}))
    fair = [kind for kind in ("weak", "strong") if given.pop(f"{kind} fairness", None) is True]
    if len(fair) > 1:
        raise Unsupported("two kinds of fairness")
    paper = given.pop("point-to-point paper", None)
    model = load(text, {name: plain_value(v) for name, v in given.items()})
    for name in given:
        if name not in model.constants:
            raise Unsupported(f"{name} is given")
    if paper is not None:
        model.paper = True
    require(header.get("point-to-point") in (None, "paper"), "an unknown reading of gets and supplies")
    require((header.get("point-to-point") == "paper") == model.paper, "gets meet supplies in another reading")
    listed = dict(header.get("constants", {}))
    listed.pop("point-to-point paper", None)
    for kind in fair:
        require(listed.pop(f"{kind} fairness", None) is True, "fairness is given, and no constant")
    require(listed.keys() == model.constants.keys(), "other constants")
    for name, value in model.constants.items():
        require(same_value(value, listed[name]), f"the constant {name} has another value")
    return model, fair[0] if fair else None


def check_names(model: Model, name: Any) -> list[Spec]:
    """The formulas of `--deadlock` and `--dead-code`, as specs."""
    found = []
    if name == "deadlock":
        found.append(logic.no_deadlock())
    for agent in model.agents:
        for c in agent.commands:
            if name == (f"command {agent.name}-{c.label}" if c.label else f"command {c.number + 1} of {agent.name}"):
                found.append(logic.dead_command(model, agent, c))
    return [Spec(name, f, []) for f in found]


def find_formula(model: Model, wanted: Any, fair: str | None) -> Node:
    """The formula of the spec that a certificate names."""
    require(isinstance(wanted, dict), "no spec")
    name = wanted.get("name")
    if isinstance(name, str) and name.startswith("overflow of "):
        raise Unsupported("overflow")
    found = [logic.formula_of(model, s, fair) for s in model.specs if s.name == name]
    if name is not None:
        found += [s.formula for s in check_names(model, name)]
    require(bool(found), f"the model has no spec called {name}")
    writer = texts.Writer(model)
    found = [f for f in found if writer.formula(f)[0] == wanted.get("formula")]
    require(bool(found), "the spec has another formula")
    if len(set(found)) > 1:
        raise Unsupported("several specs with this name and this text")
    return found[0]


def check(text: str, certificate: dict, solver: Solver) -> str:
    """Checks one certificate. Returns what was shown, or raises an exception."""
    require(certificate.get("version") == 4, "a certificate of another version")
    kind, value = read_evidence(certificate.get("evidence"))
    verdict = certificate.get("verdict")
    require(verdict in ("holds", "violated"), "an unknown verdict")
    model, fair = load_model(text, certificate.get("model"))
    fingerprint = texts.fingerprint(model)
    require(certificate["model"].get("fingerprint") == fingerprint, "the certificate is about another model")
    formula = find_formula(model, certificate.get("spec"), fair)
    if kind == "strategies":
        check_strategies(model, formula, verdict, value, solver)
    else:
        check_evidence(model, formula, verdict, certificate["evidence"], solver)
    return f"{certificate['spec'].get('name') or 'the spec'} {verdict}, by {kind}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--solver", default="z3 -in", help="a command that reads SMT-LIB (default: z3 -in)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each query (default: 60)")
    parser.add_argument("model")
    parser.add_argument("certificates", nargs="+")
    options = parser.parse_args()
    sys.setrecursionlimit(20_000)
    solver = Solver(shlex.split(options.solver), options.timeout)
    codes = set()
    for path in options.certificates:
        try:
            answer = "valid: " + check(read(options.model), read_certificate(path), solver)
            codes.add(0)
        except Refused as error:
            answer = f"refused: {error}"
            codes.add(1)
        except Unsupported as error:
            answer = f"unsupported: {error}"
            codes.add(4)
        except RecursionError:
            answer = "unsupported: something is nested too deeply"
            codes.add(4)
        except BadInput as error:
            answer = f"bad input: {error}"
            codes.add(2)
        except Exception as error:  # an error of this program, or a file of a form that it does not expect
            answer = f"unsupported: the checker failed ({type(error).__name__}: {error})"
            codes.add(4)
        print(f"{path}: {answer}", flush=True)
    return next((code for code in (1, 2, 4) if code in codes), 0)


if __name__ == "__main__":
    sys.exit(main())
