"""Expressions, observations and formulas as trees without duplicates.

`node("op", a, b)` always returns the same object for the same arguments, so that equal trees
are one object and can be compared by identity. The kinds of expressions are:

    const TYPE VALUE          TYPE is bool, int, channel, location or the name of an enum
    local X, msg M, pv P      numbers, in the code of an agent type
    chan, myself
    var I X, auto I           a local and the automaton state of an instance, in formulas
    deadlock, enabled I C     C is the number of a command or None
    not E, neg E, if C A B
    & | -> <-> = != < <= > >= + - * /     with two operands

Formulas: Atom E, Label I C, Observed O, Not, And FS, Or FS, Iff, Next, Until, Weak, and
Branching OP GROUP F ASSUMPTION. Observations: data E, role R I, p2p, locality I (or "any"),
exists O, forall O, and not & | -> <->.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Iterator

BINARY = {"&", "|", "->", "<->", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"}
ARITHMETIC = {"=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"}


class Node:
    """One tree. Two nodes are equal only if they are the same object."""

    __slots__ = ("kind", "args")

    def __init__(self, kind: str, args: tuple) -> None:
        self.kind = kind
        self.args = args

    def __repr__(self) -> str:
        return "(" + " ".join([self.kind] + [repr(a) for a in self.args]) + ")"


_known: dict[tuple, Node] = {}


def node(kind: str, *args: Any) -> Node:
    """The one tree of this kind with these arguments."""
    key = (kind, args, tuple(type(a) for a in args))
    found = _known.get(key)
    if found is None:
        found = _known[key] = Node(kind, args)
    return found


def children(tree: Node) -> Iterator[Node]:
    """All nodes directly below a tree, of whatever kind."""
    for arg in tree.args:
        if isinstance(arg, Node):
            yield arg
        elif isinstance(arg, tuple):
            for item in arg:
                if isinstance(item, Node):
                    yield item


def nodes(trees: Iterable[Node]) -> Iterator[Node]:
    """All different nodes in the trees."""
    seen: set[Node] = set()
    todo = list(trees)
    while todo:
        tree = todo.pop()
        if tree in seen:
            continue
        seen.add(tree)
        yield tree
        todo.extend(children(tree))


def rebuild(tree: Node, change: Callable[[Node], Node]) -> Node:
    """The tree with `change` applied to each node directly below it."""
    args = []
    for arg in tree.args:
        if isinstance(arg, Node):
            args.append(change(arg))
        elif isinstance(arg, tuple):
            args.append(tuple(change(a) if isinstance(a, Node) else a for a in arg))
        else:
            args.append(arg)
    return node(tree.kind, *args)


# ---------------------------------------------------------------- expressions

TRUE = node("const", "bool", True)
FALSE = node("const", "bool", False)


def number(value: int) -> Node:
    return node("const", "int", value)


def truncated(a: int, b: int) -> int:
    """Division that rounds towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a >= 0) == (b >= 0) else -quotient


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": truncated,
}


def fixed_truth(tree: Node) -> bool | None:
    """The value that constants and connectives force on a condition, if they do."""
    kind = tree.kind
    if kind == "const":
        return tree.args[1]
    if kind == "not":
        value = fixed_truth(tree.args[0])
        return None if value is None else not value
    if kind == "if":
        condition, left, right = (fixed_truth(a) for a in tree.args)
        if condition is not None:
            return left if condition else right
        return left if left == right else None
    if kind in ("&", "|", "->", "<->"):
        left, right = fixed_truth(tree.args[0]), fixed_truth(tree.args[1])
        if kind == "<->":
            return None if left is None or right is None else left == right
        if kind == "->":
            left = None if left is None else not left
        deciding = kind != "&"
        if left is deciding or right is deciding:
            return deciding
        return None if left is None or right is None else not deciding
    return None


def negation(tree: Node) -> Node:
    return node("not", tree)


def minus(tree: Node) -> Node:
    if tree.kind == "const":
        return number(-tree.args[1])
    return node("neg", tree)


def choose(condition: Node, left: Node, right: Node) -> Node:
    value = fixed_truth(condition)
    if value is not None:
        return left if value else right
    return node("if", condition, left, right)


def binary(op: str, left: Node, right: Node) -> Node:
    """An operator on values, with the changes that the reference describes."""
    if op == "!=" and ("if" in (left.kind, right.kind)):
        return negation(binary("=", left, right))
    if op == "=" and left.kind == "if":
        c, a, b = left.args
        return choose(c, binary("=", a, right), binary("=", b, right))
    if op == "=" and right.kind == "if":
        c, a, b = right.args
        return choose(c, binary("=", left, a), binary("=", left, b))
    if op in ARITHMETIC and left.kind == "const" and right.kind == "const":
        if op == "/" and right.args[1] == 0:
            return node(op, left, right)
        value = OPERATIONS[op](left.args[1], right.args[1])
        return node("const", "bool" if isinstance(value, bool) else "int", value)
    return node(op, left, right)


def pairwise(items: list[Node], join: Callable[[Node, Node], Node], empty: Node) -> Node:
    """Neighbours joined, then neighbours of the results, and so on."""
    if not items:
        return empty
    while len(items) > 1:
        joined = [join(items[n], items[n + 1]) for n in range(0, len(items) - 1, 2)]
        items = joined + items[len(items) - len(items) % 2:]
    return items[0]


# ------------------------------------------------------------------- formulas

def atom(expression: Node) -> Node:
    return node("Atom", expression)


TRUE_ATOM = atom(TRUE)
FALSE_ATOM = atom(FALSE)


def Not(f: Node) -> Node:
    return node("Not", f)


def And(*fs: Node) -> Node:
    return node("And", tuple(fs))


def Or(*fs: Node) -> Node:
    return node("Or", tuple(fs))


def implies(f: Node, g: Node) -> Node:
    return Not(And(f, Not(g)))


def next_(f: Node) -> Node:
    return node("Next", f)


def until(f: Node, g: Node) -> Node:
    return node("Until", f, g)


def eventually(f: Node) -> Node:
    return until(TRUE_ATOM, f)


def always(f: Node) -> Node:
    return node("Weak", f, FALSE_ATOM)


def release(f: Node, g: Node) -> Node:
    return Not(until(Not(f), Not(g)))


def diamond(o: Node, f: Node) -> Node:
    return And(node("Observed", o), next_(f))


def box(o: Node, f: Node) -> Node:
    return Not(And(node("Observed", o), Not(next_(f))))


def written(f: Node) -> tuple:
    """How a formula is written: a tuple of a sign and its parts, the first line of the table that fits."""
    if f.kind == "Not":
        g = f.args[0]
        if g.kind == "And" and len(g.args[0]) == 2:
            a, b = g.args[0]
            if b.kind == "Not":
                if a.kind == "Observed" and b.args[0].kind == "Next":
                    return ("box", a.args[0], b.args[0].args[0])
                return ("->", a, b.args[0])
        if g.kind == "Until" and g.args[0].kind == "Not" and g.args[1].kind == "Not":
            return ("R", g.args[0].args[0], g.args[1].args[0])
    if is_diamond(f):
        return ("diamond", f.args[0][0].args[0], f.args[0][1].args[0])
    if f.kind == "Until" and f.args[0] is TRUE_ATOM:
        return ("F", f.args[1])
    if f.kind == "Weak" and f.args[1] is FALSE_ATOM:
        return ("G", f.args[0])
    return (f.kind,) + f.args


def is_diamond(f: Node) -> bool:
    """True of exactly And(Observed, Next)."""
    return f.kind == "And" and [g.kind for g in f.args[0]] == ["Observed", "Next"]


def operands(f: Node) -> tuple[Node, ...]:
    """The children of a formula as a formula, from left to right."""
    if f.kind in ("Atom", "Label", "Observed"):
        return ()
    if f.kind in ("And", "Or"):
        return f.args[0]
    if f.kind == "Branching":
        return (f.args[2],)
    return f.args
