"""The check of `could`: what a group can bring about if its members decide by the state of the whole system."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Iterable

from closed import fields, items, natural
from logic import asks_steps
from model import Model, about_state
from outcome import require
from semantics import Pair, Row, Space, Step
from trees import And, Node, Not

Choices = list[frozenset[Row]]          # per choice of the members the states to which the steps may lead
Message = tuple[int | None, tuple]      # the channel, and the data of the one that begins


# --------------------------------------------------------------------- formulas

def read_game(f: Node) -> tuple[str, list[Node]]:
    """Next, Until or Weak, and its operands, which are about a state."""
    if f.kind in ("And", "Or"):
        require(len(f.args[0]) == 1, "`could` of another formula")
        return read_game(f.args[0][0])
    if f.kind == "Not":
        kind, parts = read_game(f.args[0])
        if kind == "Next":
            return kind, [Not(parts[0])]
        p, q = parts
        return "Weak" if kind == "Until" else "Until", [Not(q), And(Not(p), Not(q))]
    require(f.kind in ("Next", "Until", "Weak"), "`could` of another formula")
    for p in f.args:
        require(about_state(p) and not asks_steps(p), "`could` of a formula about more than states")
    return f.kind, list(f.args)


# ------------------------------------------------------------------------ steps

class Game:
    """The states of a model, and to which of them a group can force steps to lead."""

    def __init__(self, model: Model, space: Space, group: tuple[int, ...], states: list[Row],
                 representative: Callable[[Row], Row]) -> None:
        self.model = model
        self.space = space
        self.group = group
        self.representative = representative
        self.others: dict[Row, list[Choices]] = {}
        self.own: dict[Row, list[list[Choices]]] = {}
        for row in states:
            self.look(row)

    def look(self, row: Row) -> None:
        """Notes the steps that others begin, and those that members begin, by their commands."""
        begun: dict[Pair | None, list[Step]] = {}
        for step in self.space.steps(row):
            if step.kind != "stutter":
                assert step.actor is not None
                begun.setdefault(step.actor if step.actor[0] in self.group else None, []).append(step)
        self.others[row] = self.messages(row, begun.pop(None, []))
        self.own[row] = [self.messages(row, steps) for steps in begun.values()]

    def messages(self, row: Row, steps: list[Step]) -> list[Choices]:
        """Per message what the members may choose."""
        by_message: dict[Message, list[Step]] = {}
        for step in steps:
            by_message.setdefault(self.message(row, step), []).append(step)
        return [self.choices(same) for same in by_message.values()]

    def message(self, row: Row, step: Step) -> Message:
        i, c = step.actor  # type: ignore[misc]
        values = self.space.locals[i][row[i]][1]
        data = self.space.data(i, values, self.model.instances[i].agent.commands[c])
        assert data is not None
        return step.channel, tuple(sorted(data.items()))

    def choices(self, steps: list[Step]) -> Choices:
        """Where the steps with one message lead, for each choice of how the members take it.

        A member sees by which of its commands it can take the message, and chooses for each such set.
        """
        taken = [(self.able(steps, step), step) for step in steps]
        asked = sorted({question for able, _ in taken for question in able})
        found = []
        for chosen in itertools.product(*(commands for _, commands in asked)):
            answer = dict(zip(asked, chosen))
            found.append(frozenset(self.representative(step.target) for able, step in taken
                                   if all(answer[question] == c for question, c in able.items())))
        return found

    def able(self, steps: list[Step], step: Step) -> dict[tuple[int, tuple[int, ...]], int]:
        """For each member that takes part, and the commands by which it can, the one by which it does."""
        found = {}
        for j, c in self.takers(step):
            ways = {d for other in steps if other.actor == step.actor for k, d in self.takers(other) if k == j}
            found[j, tuple(sorted(ways))] = c
        return found

    def takers(self, step: Step) -> list[Pair]:
        """The members that take the message of a step, each with its command."""
        return [p for p in step.receives + ((step.other,) if step.other else ()) if p[0] in self.group]

    def can_force(self, row: Row, goal: set[Row]) -> bool:
        """True if the group can decide so that the next state is among these."""
        def forced(messages: Iterable[Choices]) -> bool:
            return all(any(targets <= goal for targets in choices) for choices in messages)

        if self.others[row]:
            return forced(self.others[row])
        return row in goal or any(forced(messages) for messages in self.own[row])


# ----------------------------------------------------------------------- labels

def label_of_game(game: Game, states: list[Row], f: Node, truth: Callable[[Node, Row], bool], value: Any) -> set[Row]:
    """The states in which `could` of a formula is true."""
    kind, parts = read_game(f)
    value = fields({} if value is None else value, set(), {"ranks", "fair"})
    require(items(value.get("fair", [])) == [], "fair sets without assumption")
    ranks = items(value.get("ranks", []))
    if kind == "Next":
        require(ranks == [], "ranks that nothing needs")
        goal = {row for row in states if truth(parts[0], row)}
        return {row for row in states if game.can_force(row, goal)}
    require(len(ranks) == len(states), "ranks of another number of states")
    rank = {row: natural(r) for row, r in zip(states, ranks) if r is not None}
    check_ranks(game, states, kind == "Until", parts, truth, rank)
    return set(rank) if kind == "Until" else set(states) - set(rank)


def check_ranks(game: Game, states: list[Row], least: bool, parts: list[Node], truth: Callable[[Node, Row], bool],
                rank: dict[Row, int]) -> None:
    """Ranks of the states in which U is true, or W is false."""
    p, q = parts
    below: dict[int, set[Row]] = {r: {row for row, s in rank.items() if s < r} for r in set(rank.values())}
    for row in states:
        lower = below[rank[row]] if row in rank else set(rank)
        goal = lower if least else set(states) - lower
        satisfied = truth(q, row) or truth(p, row) and game.can_force(row, goal)
        require(satisfied == ((row in rank) == least), "a rank that a state should not have, or a missing one")
