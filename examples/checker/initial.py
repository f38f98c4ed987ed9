"""The initial states of a model, as rows."""

from __future__ import annotations

import itertools
from typing import Any

from model import Model, Scope, reads_of
from outcome import Unsupported
from semantics import Row, Space, UNKNOWN, compiled
from trees import TRUE, Node, node, rebuild

Variable = tuple[int, int]              # instance and local
LIMIT = 2_000_000


def over_instances(model: Model, instance: int, tree: Node) -> Node:
    """A condition in the code of an agent type, as one about an instance."""
    if tree.kind == "local":
        return node("var", instance, tree.args[0])
    if tree.kind == "myself":
        return node("const", "location", instance)
    return rebuild(tree, lambda t: over_instances(model, instance, t))


def split_and(tree: Node) -> list[Node]:
    if tree.kind == "&":
        return [c for a in tree.args for c in split_and(a)]
    return [] if tree is TRUE else [tree]


def initial_conditions(model: Model) -> list[Node]:
    """The conditions that are true of initial states."""
    found: list[Node] = []
    for i in model.instances:
        for tree in (i.agent.init, i.condition):
            if tree is not None:
                found += split_and(over_instances(model, i.number, tree))
    if model.where is not None:
        found += split_and(Scope(model, None).as_expression(model.where))
    return found


def variables_of(tree: Node) -> frozenset[Variable]:
    return frozenset((n.args[0], n.args[1]) for n in reads_of(tree) if n.kind == "var")


class Search:
    """All solutions of conditions over some variables."""

    def __init__(self, model: Model, variables: list[Variable], conditions: list[Node], wanted: set[Variable]) -> None:
        self.model = model
        self.variables = variables
        self.conditions = conditions
        self.wanted = [v for v in variables if v in wanted]
        self.state: dict[Variable, Any] = {}
        self.solutions: set[tuple] = set()
        self.visited = 0

    def truth(self, tree: Node) -> Any:
        rows = [(0, tuple(self.state.get((i.number, x)) for x in range(len(i.agent.locals))))
                for i in self.model.instances]
        return compiled(tree)(S=rows)

    def known(self, tree: Node) -> bool:
        return variables_of(tree) <= self.state.keys()

    def candidates(self, variable: Variable, tree: Node) -> set | None:
        """Values outside of which a condition is false, or None if that is not seen."""
        if self.known(tree):
            return None if self.truth(tree) else set()
        if tree.kind == "=":
            for a, b in (tree.args, tree.args[::-1]):
                if a.kind == "var" and a.args == variable and self.known(b):
                    return {self.truth(b)}
        if tree.kind == "if":
            c, a, b = tree.args
            return self.candidates(variable, node("|", node("&", c, a), node("&", node("not", c), b)))
        if tree.kind == "->":
            return self.candidates(variable, node("|", node("not", tree.args[0]), tree.args[1]))
        if tree.kind not in ("&", "|"):
            return None
        left, right = (self.candidates(variable, a) for a in tree.args)
        if tree.kind == "|":
            return None if left is None or right is None else left | right
        if left is None or right is None:
            return right if left is None else left
        return left & right

    def bounds(self, variable: Variable, conditions: list[Node]) -> set | None:
        """Values between the bounds that conditions give, if there are two."""
        low = high = None
        swapped = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}
        for tree in conditions:
            if tree.kind not in swapped:
                continue
            sign, a, b = tree.kind, *tree.args
            if b.kind == "var" and b.args == variable:
                sign, a, b = swapped[sign], b, a
            if a.kind != "var" or a.args != variable or not self.known(b):
                continue
            bound = self.truth(b)
            if sign in ("<=", "<"):
                bound -= sign == "<"
                high = bound if high is None else min(high, bound)
            else:
                bound += sign == ">"
                low = bound if low is None else max(low, bound)
        if low is None or high is None or high - low > LIMIT:
            return None
        return set(range(low, high + 1))

    def values(self, variable: Variable) -> Any:
        """Values to try for a variable, or None if there are infinitely many."""
        i, x = variable
        type_ = self.model.instances[i].agent.locals[x][1]
        about = [c for c in self.conditions if variable in variables_of(c)]
        found = self.bounds(variable, about)
        for tree in about:
            some = self.candidates(variable, tree)
            if some is not None:
                found = some if found is None else found & some
        domain = self.model.values(type_)
        if domain is None or found is None:
            return domain if found is None else found
        return [v for v in domain if v in found]

    def run(self, open_: list[Variable]) -> None:
        self.visited += 1
        if self.visited > LIMIT:
            raise Unsupported("too many initial states")
        if self.solutions and not self.wanted:
            return
        if not open_:
            self.solutions.add(tuple(self.state[v] for v in self.wanted))
            return
        options = None
        for chosen in open_:
            options = self.values(chosen)
            if options is not None:
                break
        if options is None:
            self.unbounded(open_)
            return
        rest = [v for v in open_ if v != chosen]
        checks = [c for c in self.conditions if chosen in variables_of(c)]
        for value in options:
            self.state[chosen] = value
            if all(not self.known(c) or self.truth(c) for c in checks):
                self.run(rest)
            del self.state[chosen]

    def unbounded(self, open_: list[Variable]) -> None:
        """Integers without bounds that do not matter are taken to exist, which asks for more."""
        if any(v in self.wanted for v in open_):
            i, x = next(v for v in open_ if v in self.wanted)
            instance = self.model.instances[i]
            raise Unsupported(f"initially {instance.name}-{instance.agent.locals[x][0]} can be any integer")
        self.solutions.add(tuple(self.state[v] for v in self.wanted))


def components(variables: list[Variable], conditions: list[Node]) -> list[list[Variable]]:
    """The variables in groups that no condition connects."""
    group = {v: {v} for v in variables}
    for tree in conditions:
        joined: set[Variable] = set().union(*(group[v] for v in variables_of(tree)))
        for v in joined:
            group[v] = joined
    unique = {id(g): g for g in group.values()}
    return [[v for v in variables if v in g] for g in unique.values()]


def initial_rows(model: Model, space: Space) -> list[Row]:
    """The rows of all initial states."""
    if model.starts is not None:
        rows = [tuple(space.number(i, *local) for i, local in enumerate(state)) for state in model.starts]
        return list(dict.fromkeys(rows))
    conditions = initial_conditions(model)
    for tree in conditions:
        if any(n.kind in ("deadlock", "enabled", "auto") for n in reads_of(tree)):
            raise Unsupported("an initial condition about steps or automaton states")
    variables = [(i.number, x) for i in model.instances for x in range(len(i.agent.locals))]
    wanted = {(i, x) for i, kept in enumerate(space.kept) for x in kept}
    if any(not variables_of(c) and not compiled(c)() for c in conditions):
        return []
    names: list[Variable] = []
    parts: list[list[tuple]] = []
    for group in components(variables, conditions):
        inside = [c for c in conditions if variables_of(c) & set(group)]
        search = Search(model, group, inside, wanted)
        search.run(group)
        names += search.wanted
        parts.append(list(search.solutions))
    total = 1
    for part in parts:
        total *= len(part)
    if total > LIMIT:
        raise Unsupported("too many initial states")
    rows = []
    for chosen in itertools.product(*parts):
        values = dict(zip(names, itertools.chain.from_iterable(chosen)))
        rows.append(tuple(
            space.number(i.number, 0, [values.get((i.number, x), UNKNOWN) for x in range(len(i.agent.locals))])
            for i in model.instances))
    return list(dict.fromkeys(rows))
