"""The check of `conditions` and `look-alike`: knowledge without a list of all states."""

from __future__ import annotations

from typing import Any

import logic
from clauses import Solver, check_invariants, constant_names, parse_term
from closed import fields, items, natural
from labels import branching_formulas
from model import Model, about_state
from outcome import Unsupported, require
from rows import check_exploration
from runs import Evaluation, Run
from semantics import Row, kept_locals
from trees import (FALSE, TRUE, And, Node, always, atom, binary, choose, implies, minus, negation, node, number,
                   operands, rebuild)


# ------------------------------------------------------------------ conditions

def spelled_out(f: Node) -> Node:
    """A formula with the knowledge of all members in place of GK."""
    if f.kind in ("Atom", "Label", "Observed"):
        return f
    g = rebuild(f, spelled_out)
    if g.kind == "Branching" and g.args[0] == "GK":
        _, group, inside, assumption = g.args
        return And(*(node("Branching", "K", (i,), inside, assumption) for i in group))
    return g


def check_positive(f: Node, sign: bool) -> None:
    """K1."""
    if f.kind == "Branching":
        require(f.args[0] in ("K", "DK") and about_state(f.args[2]), "a formula about other runs")
        require(f.args[2].kind != "Branching" or f.args[2].args[0] != "A", "knowledge about runs")
        require(sign, "knowledge that is negated")
    if f.kind == "Iff":
        require(not logic.branches(f), "knowledge in an equivalence")
    for g in operands(f):
        check_positive(g, sign != (f.kind == "Not"))


def replaced(f: Node, conditions: dict[Node, Node]) -> Node:
    """A formula with conditions in place of the outermost Branching nodes that have one."""
    if f in conditions:
        return atom(conditions[f])
    return f if f.kind in ("Atom", "Label", "Observed") else rebuild(f, lambda g: replaced(g, conditions))


class Reader:
    """Reads a term over the local states of some instances as an expression.

    Each expression has a type in a word: `bool`, `int`, `channel`, `location` or the name of an enum. Numerals are integers, and
    may be values of any type but `bool` beside `=`. Values are compared with values of their own type only: a renaming could
    change one side of another equation and leave the other.
    """

    def __init__(self, model: Model, group: tuple[int, ...]) -> None:
        self.sizes = {"channel": len(model.channels), "location": len(model.instances)}
        self.sizes |= {enum: len(constants) for enum, constants in model.enums}
        self.names: dict[str, tuple[Node, str]] = {"true": (TRUE, "bool"), "false": (FALSE, "bool")}
        for name, value in constant_names(model).items():
            word = name.split(".")[0]
            self.names[name] = node("const", word, value), word
        for i in group:
            instance = model.instances[i]
            self.names[f"{instance.name}-automaton-state"] = node("auto", i), "int"
            for x, (name, type_) in enumerate(instance.agent.locals):
                word = type_[1] if type_[0] == "enum" else "int" if type_[0] == "range" else type_[0]
                self.names[f"{instance.name}-{name}"] = node("var", i, x), word

    def condition(self, text: Any) -> Node:
        found, type_ = self.read(parse_term(text), {})
        require(type_ == "bool", "a condition that is none")
        return found

    def read(self, term: Any, bound: dict[str, tuple[Node, str]]) -> tuple[Node, str]:
        """The expression and its type."""
        if type(term) is int:
            return number(term), "int"
        if type(term) is str:
            require(term in bound or term in self.names, f"a condition reads {term}")
            return bound[term] if term in bound else self.names[term]
        require(bool(term) and type(term[0]) is str, "a term of another form")
        if term[0] == "let":
            require(len(term) == 3 and all(isinstance(p, list) and len(p) == 2 and type(p[0]) is str
                                           for p in items(term[1])), "a let of another form")
            return self.read(term[2], bound | {p[0]: self.read(p[1], bound) for p in term[1]})
        args = [self.read(a, bound) for a in term[1:]]
        if term[0] in ("=", "distinct") and len(args) == 2:
            # A numeral takes the type of the other side.
            other = [t for _, t in args if t != "int"]
            if len(other) == 1 and other != ["bool"]:
                args = [self.constant(other[0], t) if type(t) is int else a for t, a in zip(term[1:], args)]
        return self.applied(term[0], [a for a, _ in args], [t for _, t in args])

    def constant(self, word: str, value: int) -> tuple[Node, str]:
        """A numeral as a value of a type other than `int`."""
        require(value < self.sizes[word], "a numeral that is no value of its type")
        return node("const", word, value), word

    def applied(self, sign: str, args: list[Node], types: list[str]) -> tuple[Node, str]:
        boolean = bool(args) and set(types) == {"bool"}
        integer = bool(args) and set(types) == {"int"}
        if sign == "not" and boolean and len(args) == 1:
            return negation(args[0]), "bool"
        if sign in ("and", "or") and boolean:
            result = args[0]
            for a in args[1:]:
                result = node("&" if sign == "and" else "|", result, a)
            return result, "bool"
        if sign == "=>" and boolean and len(args) == 2:
            return node("->", *args), "bool"
        if sign == "ite" and len(args) == 3 and types[0] == "bool":
            require(types[1] == types[2], "a choice between values of different types")
            return choose(*args), types[1]
        if sign in ("=", "distinct") and len(args) == 2 or sign == "xor" and boolean and len(args) == 2:
            require(types[0] == types[1], "an equation between values of different types")
            same = node("<->", *args) if boolean else binary("=", *args)
            return (same if sign == "=" else negation(same)), "bool"
        if sign in ("<", "<=", ">", ">=") and integer and len(args) == 2:
            return binary(sign, *args), "bool"
        if sign in ("+", "*", "-") and integer and len(args) >= 2:
            result = args[0]
            for a in args[1:]:
                result = binary(sign, result, a)
            return result, "int"
        if sign == "-" and integer and len(args) == 1:
            return minus(args[0]), "int"
        raise Unsupported(f"{sign} in a condition")


def check_conditions(model: Model, formula: Node, evidence: Any, solver: Solver) -> None:
    """K1 to K3. Raises an exception unless the evidence proves the formula."""
    fields(evidence, {"conditions", "parts"})
    f = spelled_out(formula)
    check_positive(f, True)
    known = branching_formulas(f)
    texts, parts = items(evidence["conditions"]), items(evidence["parts"])
    require(len(texts) == len(known), "conditions for another number of formulas")
    conditions = {g: Reader(model, g.args[1]).condition(text) for g, text in zip(known, texts)}
    wanted = [replaced(f, conditions)]
    wanted += [always(implies(atom(conditions[g]), replaced(g.args[2], conditions))) for g in known]
    require(len(parts) == len(wanted), "evidence for another number of formulas")
    for g, part in zip(wanted, parts):
        require(isinstance(part, dict) and len(part) == 1, "evidence of another form")
        if "invariants" in part:
            check_invariants(model, g, part["invariants"], solver, with_texts=False)
        elif "exploration" in part:
            check_exploration(model, g, part["exploration"])
        else:
            raise Unsupported("conditions with evidence of this kind")


# ------------------------------------------------------------------ look-alike

def check_other(model: Model, formula: Node, run: Run, value: Any) -> tuple[Node, Row]:
    """K4 for one state that looks alike. Returns what is not known, and the state where it is not."""
    fields(value, {"position", "formula", "observers", "trace"})
    known = branching_formulas(formula)
    f = known[natural(value["formula"], len(known))]
    op, group, inside, assumption = f.args
    require(op in ("K", "GK", "DK", "GCK") and about_state(inside), "no knowledge about a state")
    require(assumption is None or logic.is_fairness(model, assumption), "knowledge under other assumptions")
    observers = [natural(i, len(model.instances)) for i in items(value["observers"])]
    if op == "DK":
        require(sorted(observers) == list(group), "other observers than the group")
    else:
        require(len(observers) == 1 and observers[0] in group, "an observer that is not of the group")
    other = Run(model, value["trace"], kept_locals(model, formula))
    require(other.loop is None, "a loop that ends in a state")
    row = run.rows[natural(value["position"], len(run.rows))]
    here, there = run.space.state(row), other.space.state(other.rows[-1])
    require(all(here[i] == there[i] for i in observers), "the states do not look alike")
    last = Evaluation(other.space, [(other.rows[-1], None, frozenset())], None, None)
    require(not last.values(inside)[1][0], "it is not false in the state that looks alike")
    return f, row


def check_look_alike(model: Model, formula: Node, evidence: Any) -> None:
    """K4 and K5. Raises an exception unless the runs show that the formula is violated."""
    fields(evidence, {"trace", "others"})
    run = Run(model, evidence["trace"], kept_locals(model, formula))
    unknown = {check_other(model, formula, run, value) for value in items(evidence["others"])}

    def label(f: Node, row: Row) -> bool | None:
        return False if (f, row) in unknown else None

    require(run.is_false(formula, label), "the spec is not false on the run")
