"""The falsity of a conjunct as variables that are followed along a run."""

from __future__ import annotations

from dataclasses import dataclass

from encoding import Encoding
from logic import Obligation, normal
from outcome import Unsupported
from terms import conj, disj, neg
from trees import FALSE, TRUE, Node, node, nodes


@dataclass
class Pending:
    """A variable `obligation-j`."""
    number: int
    kind: str                           # U, R, or empty if it is neither
    of: Obligation
    sides: tuple[Node, Node] | None
    demand: Node

    @property
    def is_eventuality(self) -> bool:
        return self.kind == "U"

    @property
    def goal(self) -> Node | None:
        """Of an eventuality the demand that ends it, if that contains no promises."""
        if not self.is_eventuality or promises(self.sides[1]):
            return None
        return resolved(self.sides[1])


class Product:
    """Obligations of the falsity of a conjunct, numbered by a walk."""

    def __init__(self, encoding: Encoding, conjunct: Node) -> None:
        self.encoding = encoding
        self.variables: list[Pending] = []
        self.demands: dict[Obligation, Node] = {}
        self.wholes: dict[Obligation, int] = {}
        start = (conjunct, False)
        demand = self.demand(start)
        self.start_demand = demand
        self.start = self.first(start, demand)
        for variable in self.variables:
            variable.demand = resolved(variable.demand)
        self.impossible = resolved(demand) is FALSE

    # -------------------------------------------------------------- demands

    def promise(self, j: int) -> Node:
        return node("choice", f"promise-{j}")

    def literal(self, f: Node, truth: bool) -> Node:
        encoding = self.encoding
        if f.kind == "Atom":
            found = encoding.condition(f.args[0])
        elif f.kind == "Observed":
            found = encoding.observed(f.args[0])
        elif f.kind == "Label":
            i, c = f.args
            command = encoding.model.instances[i].agent.commands[c]
            found = node("took", i, c) if command.kind == "receive" else encoding.label(i, c)
        else:
            raise Unsupported("a formula about other runs in a conjunct")
        return found if truth else neg(found)

    def demand(self, o: Obligation) -> Node:
        if o not in self.demands:
            self.demands[o] = self.made(normal(*o), o)
            g, truth = o
            if g.kind == "Not" and (g.args[0], not truth) in self.wholes:
                self.wholes.setdefault(o, self.wholes[(g.args[0], not truth)])
        return self.demands[o]

    def made(self, meaning: tuple, o: Obligation) -> Node:
        """The demand of something in terms of X, U and R, on behalf of an obligation."""
        kind = meaning[0]
        if kind == "literal":
            return self.literal(meaning[1], meaning[2])
        if kind == "one":
            return self.demand(meaning[1])
        if kind in ("all", "any"):
            return (conj if kind == "all" else disj)([self.made(m, o) for m in meaning[1]])
        if kind == "X":
            d = self.demand(meaning[1])
            return self.promise(self.whole(meaning[1], d))
        x, y = self.made(meaning[1], o), self.made(meaning[2], o)
        for variable in self.variables:
            if variable.kind == kind and variable.sides == (x, y):
                if kind == "R":
                    self.wholes[o] = variable.number
                return variable.demand
        j = len(self.variables)
        if kind == "U":
            demand = disj([y, conj([x, self.promise(j)])])
        else:
            demand = conj([y, disj([x, self.promise(j)])])
            self.wholes[o] = j
        self.variables.append(Pending(j, kind, o, (x, y), demand))
        return demand

    def whole(self, o: Obligation, demand: Node) -> int:
        if o in self.wholes:
            return self.wholes[o]
        for variable in self.variables:
            alone = demand.kind == "choice" and variable.kind == "R" and variable.number in promises(variable.demand)
            if not variable.is_eventuality and not alone and variable.demand is demand:
                self.wholes[o] = variable.number
                return variable.number
        return self.new(o, demand)

    def new(self, o: Obligation, demand: Node) -> int:
        j = len(self.variables)
        self.variables.append(Pending(j, "", o, None, demand))
        self.wholes[o] = j
        return j

    def first(self, start: Obligation, demand: Node) -> int:
        """The variable that is pending at first."""
        for variable in self.variables:
            if variable.is_eventuality and variable.demand is demand:
                return variable.number
        if start in self.wholes:
            return self.wholes[start]
        return self.new(start, demand)

    # ------------------------------------------------------------ properties

    def eventualities(self) -> list[Pending]:
        return [v for v in self.variables if v.is_eventuality]

    def ends(self) -> bool:
        """True if no obligation that is reached can keep itself pending without being an eventuality."""
        seen = {self.start}
        todo = [self.start]
        while todo:
            variable = self.variables[todo.pop()]
            promised = promises(variable.demand)
            if variable.kind == "R" and variable.number in promised:
                return False
            for j in promised - seen:
                seen.add(j)
                todo.append(j)
        return True

    def goal(self) -> Node | None:
        """The bad states of an invariance, if the falsity says that some day a state has a property."""
        variable = self.variables[self.start]
        if variable.kind != "U" or variable.sides is None or resolved(variable.sides[0]) is not TRUE:
            return None
        bad = resolved(variable.sides[1])
        return None if any(n.kind in ("step", "choice") for n in nodes([bad])) else bad


def promises(demand: Node) -> set[int]:
    """The numbers of the obligations whose promises a demand contains."""
    return {int(n.args[0].removeprefix("promise-")) for n in nodes([demand])
            if n.kind == "choice" and n.args[0].startswith("promise-")}


def resolved(demand: Node) -> Node:
    """A demand in which conditions on the step that are constant decide the rest."""
    if demand.kind == "step":
        cases = {c for _, c in demand.args[0]}
        if cases == {FALSE}:
            return FALSE
        return TRUE if cases == {TRUE} else demand
    if demand.kind in ("and", "or"):
        return (conj if demand.kind == "and" else disj)([resolved(d) for d in demand.args[0]])
    return neg(resolved(demand.args[0])) if demand.kind == "not" else demand
