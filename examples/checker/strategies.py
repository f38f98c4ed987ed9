"""The check of `strategies`: that groups can bring something about, or cannot."""

from __future__ import annotations

from typing import Any

import logic
from clauses import Solver
from closed import fields, items
from decisions import check_one_way, outcome_of, read_decision, read_refusal
from evidence import check_evidence
from knowledge import Reader, replaced
from model import Model
from outcome import require
from pieces import Beginning, answered, beginnings_of, can_be_broken, equivalence, outcome_specs, pieces_of
from refutation import Refutation
from trees import FALSE_ATOM, TRUE_ATOM, Node
from views import check_views


class Strategies:
    """Evidence about the strategies of one spec."""

    def __init__(self, model: Model, solver: Solver) -> None:
        self.model = model
        self.solver = solver

    def check(self, f: Node, verdict: Any, value: Any) -> None:
        """ST1 to ST12."""
        require(logic.decides(f), "strategies do not fit the spec")
        fields(value, {"answers", "rest"}, {"pieces"})
        beginnings = beginnings_of(f)
        conditions = self.pieces(pieces_of(self.model, f, beginnings), items(value.get("pieces", [])))
        answers = items(value["answers"])
        require(len(answers) == len(beginnings), "answers for another number of strategies")
        truth = {b: self.answer(self.model, b, conditions, a) for b, a in zip(beginnings, answers)}
        rest = replaced(answered(f, lambda b: TRUE_ATOM if truth[b] else FALSE_ATOM), conditions)
        check_evidence(self.model, rest, verdict, value["rest"], self.solver, with_texts=False)

    def holds(self, model: Model, f: Node, evidence: Any) -> None:
        """Raises an exception unless the evidence proves that a formula holds."""
        check_evidence(model, f, "holds", evidence, self.solver, with_texts=False)

    # ---------------------------------------------------------------- pieces

    def pieces(self, wanted: list[Node], values: list) -> dict[Node, Node]:
        """ST9 to ST11: the conditions of pieces."""
        require(len(values) == len(wanted), "conditions for another number of formulas")
        reader = Reader(self.model, tuple(range(len(self.model.instances))))
        conditions: dict[Node, Node] = {}
        for piece, value in zip(wanted, values):
            fields(value, {"condition"}, {"equivalent", "views"})
            require(len(value) == 2, "a condition without reason, or with two")
            found = reader.condition(value["condition"])
            if "equivalent" in value:
                about = equivalence(found, replaced(piece, conditions))
                self.holds(self.model, about, value["equivalent"])
            else:
                check_views(self.model, piece, found, conditions, value["views"], self.view)
            conditions[piece] = found
        return conditions

    def view(self, model: Model, can: Node, value: Any) -> bool:
        """The answer to a `can` at the beginning of a model from given states, in which no pieces are left."""
        return self.answer(model, (can, ()), {}, value)

    # --------------------------------------------------------------- answers

    def answer(self, model: Model, beginning: Beginning, conditions: dict[Node, Node], value: Any) -> bool:
        """Checks an answer, and says which one it is."""
        require(isinstance(value, dict) and len(value) == 1, "an answer of another form")
        if "can" in value:
            self.can(model, beginning, conditions, value["can"])
            return True
        require("cannot" in value, "an answer of another form")
        Refutation(model, beginning, conditions, self.holds).check(value["cannot"])
        return False

    def can(self, model: Model, beginning: Beginning, conditions: dict[Node, Node], value: Any) -> None:
        """ST2 to ST4."""
        fields(value, {"refused", "evidence"}, {"not-taken"})
        _, group, _, assumption = beginning[0].args
        refused = [read_refusal(model, group, r) for r in items(value["refused"])]
        against = [read_decision(model, group, d) for d in items(value.get("not-taken", []))]
        specs = outcome_specs(model, beginning, conditions)
        outcome = outcome_of(model, refused, against, specs)
        if can_be_broken(model, assumption) or any(logic.asks_steps(f) for f in specs):
            check_one_way(outcome, group, specs)
        evidence = items(value["evidence"])
        require(len(evidence) == len(specs), "evidence for another number of specs of an outcome")
        for f, e in zip(specs, evidence):
            self.holds(outcome, f, e)


def check_strategies(model: Model, formula: Node, verdict: Any, evidence: Any, solver: Solver) -> None:
    """Raises an exception unless the evidence proves the verdict."""
    Strategies(model, solver).check(formula, verdict, evidence)
