"""Specs: the formula that is proved, its conjuncts and parts, and obligations."""

from __future__ import annotations

from functools import lru_cache

from model import Agent, Command, Model, Spec, fairness
from trees import (FALSE_ATOM, TRUE_ATOM, And, Node, Not, Or, always, atom, binary, box, diamond,
                   implies, is_diamond, negation, next_, node, nodes, operands, rebuild, release, written)

Obligation = tuple[Node, bool]          # a subformula and its truth from the position at hand on


# ------------------------------------------------------------ formula of a spec

def strip(f: Node) -> Node:
    """Without `A` around the whole spec."""
    if f.kind == "And":
        return And(*(strip(g) for g in f.args[0]))
    if f.kind == "Branching" and f.args[0] == "A":
        return strip(f.args[2])
    return f


def assumed(node_: Node, assumption: Node) -> Node:
    """The formula with an assumption in each Branching node."""
    if node_.kind in ("Atom", "Label", "Observed"):
        return node_
    result = rebuild(node_, lambda f: assumed(f, assumption))
    if result.kind == "Branching":
        return node("Branching", result.args[0], result.args[1], result.args[2], assumption)
    return result


def is_fairness(model: Model, f: Node) -> bool:
    """True if each leaf below And nodes is weak(x) or strong(x)."""
    if f.kind == "And":
        return all(is_fairness(model, g) for g in f.args[0])
    return any(f is fairness(i, kind, c) for i in model.instances for kind in ("weak", "strong")
               for c in [None] + i.agent.commands)


def is_safe(f: Node, truth: bool) -> bool:
    """True if no U is left once negations stand inside."""
    if f.kind in ("Atom", "Label", "Observed", "Branching"):
        return True
    if f.kind == "Not":
        return is_safe(f.args[0], not truth)
    if f.kind == "Iff":
        return all(is_safe(g, t) for g in f.args for t in (True, False))
    if f.kind in ("Until", "Weak") and truth != (f.kind == "Weak"):
        return False
    return all(is_safe(g, truth) for g in operands(f))


def formula_of(model: Model, spec: Spec, fair: str | None = None) -> Node:
    """The formula of a spec, with what is assumed for it."""
    assumptions = list(spec.assumptions)
    if fair is not None:
        assumptions.insert(0, And(*(fairness(i, fair, None) for i in model.instances)))
    f = strip(spec.formula)
    if not assumptions:
        return f
    assumption = And(*assumptions)
    return under(model, assumed(f, assumption), assumption)


def under(model: Model, f: Node, assumption: Node) -> Node:
    """A formula that has to be true under an assumption."""
    if f.kind == "And" and not is_diamond(f):
        return And(*(under(model, g, assumption) for g in f.args[0]))
    return f if is_fairness(model, assumption) and is_safe(f, True) else implies(assumption, f)


def branches(f: Node) -> bool:
    """True of formulas with path quantifiers, knowledge or strategies."""
    return any(g.kind == "Branching" for g in nodes([f]))


def decides(f: Node) -> bool:
    """True of formulas with `can`."""
    return any(g.kind == "Branching" and g.args[0] == "can" for g in nodes([f]))


def asks_steps(f: Node) -> bool:
    """True of formulas with `deadlock` or `enabled` outside of Branching nodes."""
    if f.kind == "Atom":
        return any(g.kind in ("deadlock", "enabled") for g in nodes([f]))
    return f.kind not in ("Branching", "Label", "Observed") and any(asks_steps(g) for g in operands(f))


# ---------------------------------------------------------- conjuncts and parts

def conjuncts(f: Node) -> list[Node]:
    sign, *parts = written(f)
    if sign == "And":
        return [c for g in parts[0] for c in conjuncts(g)]
    if sign == "->":
        return [implies(parts[0], h) for h in split(parts[1])]
    return split(f)


def split(f: Node) -> list[Node]:
    sign, *parts = written(f)
    if sign == "And":
        return [c for g in parts[0] for c in split(g)]
    if sign == "G":
        return [always(h) for h in split(parts[0])]
    if sign == "Next":
        return [next_(h) for h in split(parts[0])]
    if sign == "box":
        return [box(parts[0], h) for h in split(parts[1])]
    return [f]


def parts_of(f: Node) -> list[Node]:
    return [fuse(c) for c in conjuncts(f)]


def fuse(f: Node) -> Node:
    """Joins expressions about one moment."""
    sign, *parts = written(f)
    if sign == "Not":
        h = fuse(parts[0])
        return atom(negation(h.args[0])) if h.kind == "Atom" else Not(h)
    if sign in ("And", "Or"):
        return join("&" if sign == "And" else "|", [fuse(g) for g in parts[0]])
    if sign in ("->", "Iff"):
        left, right = fuse(parts[0]), fuse(parts[1])
        if left.kind == right.kind == "Atom":
            return atom(binary("->" if sign == "->" else "<->", left.args[0], right.args[0]))
        return implies(left, right) if sign == "->" else node("Iff", left, right)
    if sign == "R":
        return release(fuse(parts[0]), fuse(parts[1]))
    if sign == "box":
        return box(parts[0], fuse(parts[1]))
    if sign == "diamond":
        return diamond(parts[0], fuse(parts[1]))
    if sign in ("Branching", "Atom", "Label", "Observed"):
        return f
    return rebuild(f, fuse)


def join(op: str, fs: list[Node]) -> Node:
    found: list[Node] = []
    for g in fs:
        for place, p in enumerate(found):
            merged = merge(op, p, g)
            if merged is not None:
                found[place] = merged
                break
        else:
            found.append(g)
    if len(found) == 1:
        return found[0]
    return And(*found) if op == "&" else Or(*found)


def merge(op: str, p: Node, g: Node) -> Node | None:
    if p.kind == g.kind == "Atom":
        return atom(node(op, p.args[0], g.args[0]))
    a, b = written(p), written(g)
    other = "|" if op == "&" else "&"
    if a[0] == b[0] == "diamond" and a[2] is b[2]:
        return diamond(node(op, a[1], b[1]), a[2])
    if a[0] == b[0] == "box" and a[2] is b[2]:
        return box(node(other, a[1], b[1]), a[2])
    return None


def numbered(f: Node) -> list[Node]:
    """The subformulas of a formula in the order of their numbers."""
    known: dict[Node, int] = {}

    def walk(g: Node) -> None:
        if g not in known:
            for child in operands(g):
                walk(child)
            known[g] = len(known)

    walk(f)
    return list(known)


# ------------------------------------------------------------------ obligations

def opposite(f: Node) -> bool | None:
    """The truth of Atom(true) and Atom(false), None for others."""
    return True if f is TRUE_ATOM else False if f is FALSE_ATOM else None


def operand(f: Node, truth: bool) -> tuple:
    """An operand of U or R. A constant is `all` or `any` of nothing."""
    value = opposite(f)
    if value is None:
        return ("one", (f, truth))
    return ("all", ()) if value == truth else ("any", ())


@lru_cache(maxsize=None)
def normal(f: Node, truth: bool) -> tuple:
    """The meaning of an obligation in terms of X, U and R.

    One of ("literal", f, truth), ("one", O), ("all", (..)), ("any", (..)), ("X", O), ("U", a, b), ("R", a, b).
    """
    if f.kind in ("Atom", "Label", "Observed", "Branching"):
        return ("literal", f, truth)
    if f.kind == "Not":
        return ("one", (f.args[0], not truth))
    if f.kind in ("And", "Or"):
        return ("all" if (f.kind == "And") == truth else "any", tuple(("one", (g, truth)) for g in f.args[0]))
    if f.kind == "Next":
        return ("X", (f.args[0], truth))
    g, h = f.args

    def pair(kind: str, a: bool, b: bool) -> tuple:
        return (kind, (("one", (g, a)), ("one", (h, b))))

    if f.kind == "Iff":
        return ("any", (pair("all", True, truth), pair("all", False, not truth)))
    if f.kind == "Until":
        return ("U" if truth else "R", operand(g, truth), operand(h, truth))
    if h is FALSE_ATOM:
        return ("R", ("any", ()), operand(g, True)) if truth else ("U", ("all", ()), operand(g, False))
    if truth:
        return ("R", operand(h, True), pair("any", True, True))
    return ("U", operand(h, False), pair("all", False, False))


def is_eventuality(o: Obligation) -> bool:
    return normal(*o)[0] == "U"


def consequences(start: frozenset[Obligation]) -> frozenset[Obligation]:
    """The obligations that a set contains, literally or by Not, And and Or."""
    found: set[Obligation] = set()
    todo = list(start)
    while todo:
        o = todo.pop()
        if o in found:
            continue
        found.add(o)
        meaning = normal(*o)
        if meaning[0] == "one":
            todo.append(meaning[1])
        elif meaning[0] == "all":
            todo += [m[1] for m in meaning[1] if m[0] == "one"]
    return frozenset(found)


def follows(o: Obligation, given: frozenset[Obligation]) -> bool:
    """True if an obligation is among consequences, or its meaning is true given them."""
    return o in given or meant(normal(*o), given)


def meant(meaning: tuple, given: frozenset[Obligation]) -> bool:
    if meaning[0] == "one":
        return follows(meaning[1], given)
    if meaning[0] == "all":
        return all(meant(m, given) for m in meaning[1])
    if meaning[0] == "any":
        return any(meant(m, given) for m in meaning[1])
    return False


def beginning(f: Node, conditions: frozenset[Obligation]) -> list[Obligation]:
    """The obligations that have to follow from an exact start."""
    found, todo, seen = [], [(f, False)], set()
    while todo:
        o = todo.pop()
        if o in seen or o in conditions:
            continue
        seen.add(o)
        meaning = normal(*o)
        if meaning[0] == "one":
            todo.append(meaning[1])
        elif meaning[0] == "all" and all(m[0] == "one" for m in meaning[1]):
            todo += [m[1] for m in meaning[1]]
        else:
            found.append(o)
    return found


# ------------------------------------------------------------------- conditions

def is_of_now(f: Node) -> bool:
    if f.kind in ("Atom", "Label", "Observed", "Branching"):
        return True
    if f.kind == "Next":
        return opposite(f.args[0]) is not None
    return f.kind in ("Not", "And", "Or", "Iff") and all(is_of_now(g) for g in operands(f))


def again_and_again(f: Node) -> tuple[str, Node] | None:
    """("GF", p) or ("FG", p), if the formula is written so, with p of now."""
    sign, *parts = written(f)
    if sign in ("G", "F"):
        inner, *below = written(parts[0])
        if inner == ("F" if sign == "G" else "G") and is_of_now(below[0]):
            return (sign + inner, below[0])
    return None


Request = tuple[Node, bool] | None


def condition(o: Obligation) -> tuple[Request, Request] | None:
    """Request and answer of an obligation, if it is a condition. No request: always; no answer: never."""
    f, truth = o
    found = again_and_again(f)
    if found is not None:
        sign, p = found
        if sign == "GF":
            return (None, (p, True)) if truth else ((p, True), None)
        return ((p, False), None) if truth else (None, (p, False))
    sign, *parts = written(f)
    if sign == "->" and truth:
        left, right = again_and_again(parts[0]), again_and_again(parts[1])
        if left is not None and right is not None and left[0] == right[0] == "GF":
            return ((left[1], True), (right[1], True))
    return None


def conditions_of(f: Node) -> frozenset[Obligation]:
    return frozenset(o for o in consequences(frozenset([(f, False)])) if condition(o) is not None)


# -------------------------------------------------------------------- unfolding

Way = tuple[frozenset, frozenset]       # obligations for the next position, and pending eventualities


def meet(obligations: frozenset[Obligation], truth: dict[Node, bool]) -> list[Way]:
    """All ways to meet obligations, but those that others make superfluous."""
    ways: set[Way] = set()
    seen: set[tuple] = set()
    start = tuple(("one", o) for o in obligations)
    todo: list[tuple] = [(start, frozenset(), frozenset(), frozenset())]
    while todo:
        tasks, nexts, pending, done = todo.pop()
        key = (frozenset(tasks), nexts, pending, done)
        if key in seen:
            continue
        seen.add(key)
        if not tasks:
            ways.add((nexts, pending))
            continue
        todo += branch(tasks[0], tasks[1:], nexts, pending, done, truth)
    return [w for w in ways if not any(v != w and v[0] <= w[0] and v[1] <= w[1] for v in ways)]


def branch(task: tuple, rest: tuple, nexts: frozenset, pending: frozenset, done: frozenset,
           truth: dict[Node, bool]) -> list[tuple]:
    """The branches after one element of todo was taken."""
    kind = task[0]
    if kind == "one":
        o = task[1]
        if o in done:
            return [(rest, nexts, pending, done)]
        return branch(("for", o, normal(*o)), rest, nexts, pending, done | {o}, truth)
    if kind == "all":
        return [(task[1] + rest, nexts, pending, done)]
    if kind == "any":
        return [((m,) + rest, nexts, pending, done) for m in task[1]]
    _, at_hand, meaning = task
    if meaning[0] == "literal":
        return [(rest, nexts, pending, done)] if truth[meaning[1]] == meaning[2] else []
    if meaning[0] == "X":
        return [(rest, nexts | {meaning[1]}, pending, done)]
    if meaning[0] == "U":
        a, b = meaning[1:]
        return [((b,) + rest, nexts, pending, done),
                ((a,) + rest, nexts | {at_hand}, pending | {at_hand}, done)]
    if meaning[0] == "R":
        a, b = meaning[1:]
        return [((a, b) + rest, nexts, pending, done), ((b,) + rest, nexts | {at_hand}, pending, done)]
    return [((meaning,) + rest, nexts, pending, done)]


def literals(f: Node) -> list[Node]:
    """The literals of a formula that are not inside of Branching nodes only."""
    found: dict[Node, None] = {}
    seen: set[Node] = set()

    def walk(g: Node) -> None:
        if g in seen:
            return
        seen.add(g)
        if g.kind in ("Atom", "Label", "Observed", "Branching"):
            found[g] = None
        else:
            for child in operands(g):
                walk(child)

    walk(f)
    return list(found)


# ----------------------------------------------------------- checks beyond specs

def no_deadlock() -> Node:
    return always(Not(atom(node("deadlock"))))


def dead_command(model: Model, agent: Agent, command: Command) -> Node:
    """That no instance of an agent type ever takes a command."""
    return And(*(always(Not(node("Label", i.number, command.number))) for i in model.instances if i.agent is agent))
