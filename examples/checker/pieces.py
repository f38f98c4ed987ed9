"""Which formulas evidence about strategies is about: beginnings, pieces, and the specs of an outcome."""

from __future__ import annotations

from typing import Callable

import logic
from knowledge import replaced
from model import Model, about_state
from outcome import require
from trees import TRUE_ATOM, And, Node, Not, always, atom, implies, node, operands, rebuild, release, written

Beginning = tuple[Node, tuple[Node, ...]]       # a `can`, and the conditions under which it is asked


def answered(f: Node, answer: Callable[[Beginning], Node], given: tuple[Node, ...] = ()) -> Node:
    """A formula with what `answer` says in place of each beginning."""
    sign, *parts = written(f)
    if sign == "Branching":
        op, group, inside, assumption = parts
        if op == "can":
            return answer((f, given))
        return node("Branching", op, group, answered(inside, answer, given), assumption) if op in ("A", "E") else f
    if sign == "->":
        return implies(answered(parts[0], answer, given), answered(parts[1], answer, given + condition(parts[0])))
    if sign in ("Not", "And", "Or", "Iff"):
        return rebuild(f, lambda g: answered(g, answer, given))
    return f


def condition(c: Node) -> tuple[Node, ...]:
    """The left side of `->`, if it says from which initial states a strategy counts."""
    if not about_state(c) or logic.decides(c):
        return ()
    require(not logic.asks_steps(c), "which initial states count depends on which steps are possible")
    return (c,)


def beginnings_of(f: Node) -> list[Beginning]:
    """All `can` at the beginning of a formula, each once."""
    found: dict[Beginning, None] = {}

    def note(beginning: Beginning) -> Node:
        found[beginning] = None
        return TRUE_ATOM

    answered(f, note)
    return list(found)


def pieces_of(model: Model, f: Node, beginnings: list[Beginning]) -> list[Node]:
    """The Branching nodes that conditions stand for."""
    found: dict[Node, None] = {}

    def inside(g: Node, every: bool) -> None:
        if g.kind == "Branching":
            inside(g.args[2], g.args[0] == "can")
            if every or g.args[0] == "can":
                found[g] = None
        else:
            for child in operands(g):
                inside(child, every)

    for can, given in beginnings:
        for c in given:
            inside(c, True)
        inside(can.args[2], True)
        if can_be_broken(model, can.args[3]):
            found[possible(can.args[3])] = None
    inside(answered(f, lambda _: TRUE_ATOM), False)
    return list(found)


# ------------------------------------------------------------------ assumptions

def can_be_broken(model: Model, assumption: Node | None) -> bool:
    """True of assumptions that strategies might make impossible."""
    return assumption is not None and not logic.is_fairness(model, assumption)


def possible(assumption: Node) -> Node:
    """That some run satisfies an assumption."""
    return node("Branching", "E", (), assumption, None)


def is_about_end(f: Node) -> bool:
    """True of formulas that depend on no beginning of a run."""
    sign, *parts = written(f)
    if sign in ("G", "F") and written(parts[0])[0] == ("F" if sign == "G" else "G"):
        return True
    return f.kind in ("Not", "And", "Or", "Iff") and all(is_about_end(g) for g in operands(f))


def always_true(model: Model, assumption: Node) -> list[Node]:
    """The formulas p of all parts G p of an assumption. Refuses assumptions of another form."""
    if assumption.kind == "And":
        return [p for g in assumption.args[0] for p in always_true(model, g)]
    if is_about_end(assumption):
        return []
    sign, *parts = written(assumption)
    require(sign == "G" and is_of_step(model, parts[0]), "an assumption of another form")
    return [parts[0]]


def is_of_step(model: Model, p: Node) -> bool:
    """True of formulas made of Atoms and labels of sends, gets and supplies."""
    if p.kind == "Label":
        return model.instances[p.args[0]].agent.commands[p.args[1]].kind != "receive"
    return p.kind == "Atom" or p.kind in ("Not", "And", "Or", "Iff") and all(is_of_step(model, g) for g in operands(p))


# ----------------------------------------------------------- specs of an outcome

def under_conditions(given: tuple[Node, ...], conditions: dict[Node, Node], f: Node) -> Node:
    """A formula for the initial states from which a strategy counts."""
    for c in reversed(given):
        f = implies(replaced(c, conditions), f)
    return f


def outcome_specs(model: Model, beginning: Beginning, conditions: dict[Node, Node]) -> list[Node]:
    """The formulas that have to hold in the outcome of a strategy: that it brings about its formula, and that it counts."""
    can, given = beginning
    inside, assumption = replaced(can.args[2], conditions), can.args[3]
    first = under_conditions(given, conditions, inside)
    if assumption is None:
        return [first]
    first = logic.under(model, first, assumption)
    if not can_be_broken(model, assumption):
        return [first]
    so_far = And(*always_true(model, assumption))
    left = possible(assumption)
    second = release(Not(so_far), implies(atom(conditions[left]), left))
    return [first, under_conditions(given, conditions, second)]


def equivalence(c: Node, piece: Node) -> Node:
    """That a condition is true where a piece is."""
    return always(node("Iff", atom(c), piece))
