"""Conditions for solvers: trees in a simplified form, and their text.

Beside the expressions of `trees` there are these kinds:

    and FS, or FS             without order, duplicates or neutral operands
    le SUM, eq SUM            SUM <= 0 and SUM = 0; the first coefficient is positive
    sum PARTS C               PARTS are pairs of an expression and its coefficient
    iff A B
    took I C                  the label of a receive
    step PAIRS                the event of the step is one of some, each under a condition on the state
    choice NAME               another choice of a step: a promise, or the receive of an instance
    extra NAME SORT           a variable of the product that the model does not have
"""

from __future__ import annotations

import math

from model import Model
from trees import FALSE, TRUE, Node, node, truncated

BOOLEAN = {"&", "|", "->", "<->", "not", "=", "!=", "<", "<=", ">", ">=", "and", "or", "le", "eq", "iff", "took",
           "step", "deadlock", "enabled"}


def neg(a: Node) -> Node:
    if a.kind == "const":
        return FALSE if a.args[1] else TRUE
    if a.kind == "not":
        return a.args[0]
    if a.kind == "step":
        return node("step", tuple((e, neg(c)) for e, c in a.args[0]))
    return node("not", a)


def conj(items: list[Node]) -> Node:
    return joined("and", items, TRUE, FALSE)


def disj(items: list[Node]) -> Node:
    return joined("or", items, FALSE, TRUE)


def joined(kind: str, items: list[Node], neutral: Node, deciding: Node) -> Node:
    found: dict[Node, None] = {}
    todo = list(reversed(items))
    step: Node | None = None
    while todo:
        item = todo.pop()
        if item.kind == kind:
            todo += reversed(item.args[0])
        elif item.kind == "step":
            step = item if step is None else merged(kind, step, item)
        elif item is not neutral:
            found[item] = None
    if deciding in found or any(neg(a) in found for a in found):
        return deciding
    if kind == "and" and contradicts(list(found)):
        return FALSE
    if step is not None:
        found[step] = None
    if not found:
        return neutral
    if len(found) == 1:
        return next(iter(found))
    return node(kind, tuple(sorted(found, key=id)))


def merged(kind: str, a: Node, b: Node) -> Node:
    """Two conditions on the step as one."""
    join = conj if kind == "and" else disj
    return node("step", tuple((e, join([c, d])) for (e, c), (_, d) in zip(a.args[0], b.args[0])))


def contradicts(items: list[Node]) -> bool:
    """True if one sum would have two values."""
    values: dict[tuple, int] = {}
    for item in items:
        if item.kind == "eq":
            parts, constant = item.args[0].args
            if values.setdefault(parts, constant) != constant:
                return True
    return False


def iff(a: Node, b: Node) -> Node:
    for x, y in ((a, b), (b, a)):
        if x.kind == "const":
            return y if x.args[1] else neg(y)
    if a is b:
        return TRUE
    if a is neg(b):
        return FALSE
    if a.kind == "not" and b.kind == "not":
        a, b = a.args[0], b.args[0]
    return node("iff", *sorted((a, b), key=id))


class Simplifier:
    """Brings expressions over the variables of a model to the form above."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.known: dict[Node, Node] = {}

    def bounds(self, tree: Node) -> tuple[int, int] | None:
        """The least and greatest value of a variable, if it has them."""
        if tree.kind == "auto":
            return (0, self.model.instances[tree.args[0]].agent.states - 1)
        if tree.kind == "var":
            type_ = self.type(tree)
            values = self.model.values(type_)
            return (values[0], values[-1]) if values and type_[0] != "bool" else None
        return None

    def type(self, tree: Node) -> tuple:
        return self.model.instances[tree.args[0]].agent.locals[tree.args[1]][1]

    def is_boolean(self, tree: Node) -> bool:
        if tree.kind == "const":
            return tree.args[0] == "bool"
        if tree.kind == "var":
            return self.type(tree) == ("bool",)
        if tree.kind == "if":
            return self.is_boolean(tree.args[1])
        return tree.kind in BOOLEAN

    def condition(self, tree: Node) -> Node:
        """A Boolean expression in the simplified form."""
        found = self.known.get(tree)
        if found is None:
            found = self.known[tree] = self.simplified(tree)
        return found

    def simplified(self, tree: Node) -> Node:
        kind, args = tree.kind, tree.args
        if kind in ("const", "var", "deadlock", "enabled"):
            return TRUE if tree is TRUE else tree
        if kind == "not":
            return neg(self.condition(args[0]))
        if kind == "if":
            c, a, b = (self.condition(t) for t in args)
            if a is b:
                return a
            return disj([conj([c, a]), conj([neg(c), b])])
        if kind in ("&", "|"):
            return (conj if kind == "&" else disj)([self.condition(t) for t in args])
        if kind == "->":
            return disj([neg(self.condition(args[0])), self.condition(args[1])])
        if kind == "<->" or kind in ("=", "!=") and self.is_boolean(args[0]):
            same = iff(self.condition(args[0]), self.condition(args[1]))
            return neg(same) if kind == "!=" else same
        return self.comparison(kind, *args)

    def comparison(self, kind: str, a: Node, b: Node) -> Node:
        if kind in (">", ">="):
            return self.comparison("<" if kind == ">" else "<=", b, a)
        parts, constant = self.linear(a)
        others, other = self.linear(b)
        for item, factor in others.items():
            parts[item] = parts.get(item, 0) - factor
        constant -= other
        if kind in ("=", "!="):
            same = self.sign("eq", parts, constant)
            return neg(same) if kind == "!=" else same
        return self.sign("le", parts, constant + (kind == "<"))

    def sign(self, kind: str, parts: dict[Node, int], constant: int) -> Node:
        """A sum that is 0, or at most 0."""
        parts = {item: factor for item, factor in parts.items() if factor != 0}
        if not parts:
            return TRUE if (constant == 0 if kind == "eq" else constant <= 0) else FALSE
        divisor = math.gcd(*parts.values())
        if kind == "eq" and constant % divisor:
            return FALSE
        parts = {item: factor // divisor for item, factor in parts.items()}
        constant = constant // divisor if kind == "eq" else -(-constant // divisor)
        decided = self.decided(kind, parts, constant)
        if decided is not None:
            return decided
        pairs = tuple(sorted(parts.items(), key=lambda p: id(p[0])))
        if pairs[0][1] > 0:
            return node(kind, node("sum", pairs, constant))
        pairs = tuple((item, -factor) for item, factor in pairs)
        if kind == "eq":
            return node(kind, node("sum", pairs, -constant))
        return neg(node(kind, node("sum", pairs, 1 - constant)))

    def decided(self, kind: str, parts: dict[Node, int], constant: int) -> Node | None:
        """True or false if the ranges of the variables leave no doubt."""
        low = high = constant
        for item, factor in parts.items():
            bounds = self.bounds(item)
            if bounds is None:
                return None
            low += min(factor * b for b in bounds)
            high += max(factor * b for b in bounds)
        if low > 0 or kind == "eq" and high < 0:
            return FALSE
        if high <= 0 and (kind == "le" or low == 0):
            return TRUE
        return None

    def linear(self, tree: Node) -> tuple[dict[Node, int], int]:
        """An expression as a sum of others with factors, and a constant."""
        kind, args = tree.kind, tree.args
        if kind == "const":
            return {}, int(args[1])
        if kind in ("+", "-"):
            parts, constant = self.linear(args[0])
            others, other = self.linear(args[1])
            sign = 1 if kind == "+" else -1
            for item, factor in others.items():
                parts[item] = parts.get(item, 0) + sign * factor
            return parts, constant + sign * other
        if kind == "neg":
            parts, constant = self.linear(args[0])
            return {item: -factor for item, factor in parts.items()}, -constant
        if kind == "*":
            (a, c), (b, d) = self.linear(args[0]), self.linear(args[1])
            if not a or not b:
                parts, factor = (b, c) if not a else (a, d)
                return {item: f * factor for item, f in parts.items()}, c * d
            return {node("*", *sorted((self.total(a, c), self.total(b, d)), key=id)): 1}, 0
        if kind == "/":
            (a, c), (b, d) = self.linear(args[0]), self.linear(args[1])
            if not a and not b:
                return {}, truncated(c, d)
            return {node("/", self.total(a, c), self.total(b, d)): 1}, 0
        if kind == "if":
            condition = self.condition(args[0])
            a, b = self.total(*self.linear(args[1])), self.total(*self.linear(args[2]))
            if condition.kind == "const" or a is b:
                return self.again(b if condition is FALSE else a)
            return {node("if", condition, a, b): 1}, 0
        bounds = self.bounds(tree)
        if bounds is not None and bounds[0] == bounds[1]:
            return {}, bounds[0]
        return {tree: 1}, 0

    def again(self, total: Node) -> tuple[dict[Node, int], int]:
        return dict(total.args[0]), total.args[1]

    def total(self, parts: dict[Node, int], constant: int) -> Node:
        pairs = tuple(sorted(((i, f) for i, f in parts.items() if f), key=lambda p: id(p[0])))
        return node("sum", pairs, constant)

    def value(self, tree: Node) -> Node:
        """An expression of any type in the simplified form."""
        return self.condition(tree) if self.is_boolean(tree) else self.total(*self.linear(tree))


# ----------------------------------------------------------------------- text

def numeral(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def all_of(texts: list[str]) -> str:
    return "true" if not texts else texts[0] if len(texts) == 1 else "(and " + " ".join(texts) + ")"


def any_of(texts: list[str]) -> str:
    return "false" if not texts else texts[0] if len(texts) == 1 else "(or " + " ".join(texts) + ")"


class Script:
    """A query in the making. Conditions that are used again are defined once for each state."""

    def __init__(self, names: dict[Node, str]) -> None:
        self.names = names              # of variables and choices
        self.lines: list[str] = []
        self.texts: dict[tuple[Node, int], str] = {}
        self.count = 0
        self.nonlinear = False

    def symbol(self, variable: Node, k: int) -> str:
        return f"|{self.names[variable]}@{k}|"

    def declare(self, variable: Node, k: int, sort: str) -> None:
        self.lines.append(f"(declare-const {self.symbol(variable, k)} {sort})")

    def claim(self, text: str) -> None:
        self.lines.append(f"(assert {text})")

    def define(self, sort: str, text: str) -> str:
        self.count += 1
        self.lines.append(f"(define-fun t{self.count} () {sort} {text})")
        return f"t{self.count}"

    def text(self, tree: Node, k: int) -> str:
        """A simplified tree in state k, or at the step from it."""
        key = (tree, k)
        found = self.texts.get(key)
        if found is None:
            found = self.write(tree, k)
            if len(found) > 200:
                found = self.define("Int" if tree.kind in ("sum", "*", "/") or tree.kind == "if" else "Bool", found)
            self.texts[key] = found
        return found

    def write(self, tree: Node, k: int) -> str:
        kind, args = tree.kind, tree.args
        if tree in self.names:
            return self.symbol(tree, k)
        if kind == "const":
            return ("true" if args[1] else "false") if args[0] == "bool" else numeral(args[1])
        if kind == "not":
            return f"(not {self.text(args[0], k)})"
        if kind in ("and", "or"):
            return f"({kind} " + " ".join(self.text(a, k) for a in args[0]) + ")"
        if kind in ("le", "eq"):
            return self.compared("<=" if kind == "le" else "=", args[0], k)
        if kind == "sum":
            return self.sum([self.product(item, factor, k) for item, factor in args[0]], args[1])
        if kind == "iff":
            return f"(= {self.text(args[0], k)} {self.text(args[1], k)})"
        if kind == "if":
            return "(ite " + " ".join(self.text(a, k) for a in args) + ")"
        if kind == "*":
            self.nonlinear = True
            return f"(* {self.text(args[0], k)} {self.text(args[1], k)})"
        if kind == "/":
            a, b = (self.text(t, k) for t in args)
            return f"(ite (>= {a} 0) (div {a} {b}) (- (div (- {a}) {b})))"
        if kind == "step":
            return any_of([all_of([f"(= event@{k} {e})"] + ([] if c is TRUE else [self.text(c, k)]))
                           for e, c in args[0] if c is not FALSE])
        raise AssertionError(f"no text for {kind}")

    def compared(self, sign: str, total: Node, k: int) -> str:
        parts, constant = total.args
        return f"({sign} {self.sum([self.product(i, f, k) for i, f in parts], 0)} {numeral(-constant)})"

    def product(self, item: Node, factor: int, k: int) -> str:
        text = self.text(item, k)
        return text if factor == 1 else f"(* {numeral(factor)} {text})"

    def sum(self, parts: list[str], constant: int) -> str:
        if constant or not parts:
            parts = parts + [numeral(constant)]
        return parts[0] if len(parts) == 1 else "(+ " + " ".join(parts) + ")"

    def finished(self) -> str:
        logic = "QF_NIA" if self.nonlinear else "QF_LIA"
        return "\n".join([f"(set-logic {logic})"] + self.lines + ["(check-sat)", "(exit)"]) + "\n"
