"""`can` elsewhere than at the beginning: what a group has to reckon with in each reachable state."""

from __future__ import annotations

from typing import Any, Callable

from closed import fields, items
from decisions import Needs, reachable
from knowledge import replaced
from model import Model
from outcome import require
from pieces import can_be_broken
from runs import read_state
from semantics import Row
from trees import Node
from variants import starting, with_places

Answer = Callable[[Model, Node, Any], bool]     # checks an answer to a `can` in a model, and says which one it is


def check_views(model: Model, piece: Node, condition: Node, conditions: dict[Node, Node], value: Any,
                answer: Answer) -> None:
    """ST10 and ST11: the condition is true in the reachable states in which the piece is.

    `conditions` are those of earlier pieces.
    """
    require(piece.args[0] == "can", "views of something else than a strategy")
    require(not can_be_broken(model, piece.args[3]), "views under other assumptions than fairness")
    needs = Needs(model, piece.args[1])
    can: list[set[Row]] = []
    cannot: list[set[Row]] = []
    for view in items(value):
        fields(view, {"states", "answer"})
        states = [read_state(model, s) for s in items(view["states"])]
        start = starting(model, states)
        asked = with_places(start, replaced(piece, conditions))
        true = answer(start, asked, view["answer"])
        (can if true else cannot).append({needs.row(s) for s in states})
    check_cover(model, needs, condition, can, cannot)


def check_cover(model: Model, needs: Needs, condition: Node, can: list[set[Row]], cannot: list[set[Row]]) -> None:
    """ST11."""
    rows = reachable(model, needs.space)
    alike: dict[tuple[int, int], set[Row]] = {}
    for row in rows:
        for i in needs.group:
            alike.setdefault((i, row[i]), set()).add(row)
    for row in rows:
        reckoned = {row}.union(*(alike[i, row[i]] for i in needs.group))
        if needs.space.holds(condition, row):
            require(any(reckoned <= view for view in can), "a state for which no strategy is given")
        else:
            require(any(view <= reckoned for view in cannot), "a state for which no strategy is excluded")
