"""That a group has no strategy: runs on which strategies fail, and clauses about decisions."""

from __future__ import annotations

from typing import Any, Callable

import logic
from closed import fields, items, natural
from decisions import Decision, Needs, outcome_of, partners, read_decision, sees
from initial import over_instances
from knowledge import replaced
from model import Model
from outcome import require
from pieces import Beginning, always_true, can_be_broken, outcome_specs, possible
from runs import Evaluation, Run
from semantics import Local, Row, Step, kept_locals
from trees import And, Node, Not, always, atom, binary, implies, node, number, written
from variants import all_true, is_value

Clause = frozenset[int]
Evidence = Callable[[Model, Node, Any], None]       # checks evidence for a formula in a model


# ---------------------------------------------------------------------- clauses

class Decisions:
    """Numbers of decisions, from 1. Those that a certificate does not list come behind the others."""

    def __init__(self, listed: list[Decision]) -> None:
        self.number_of = {d: n for n, d in enumerate(listed, 1)}
        require(len(self.number_of) == len(listed), "a decision stands twice")

    def made(self, d: Decision) -> int:
        return self.number_of.setdefault(d, len(self.number_of) + 1)

    def refused(self, d: Decision) -> int:
        return -self.made(d)


class Clauses:
    """Clauses, with all that unit propagation makes of them."""

    def __init__(self, clauses: list[Clause]) -> None:
        self.with_literal: dict[int, list[Clause]] = {}
        self.units: list[int] = []
        self.empty = False
        for clause in clauses:
            self.add(clause)

    def add(self, clause: Clause) -> None:
        self.empty = self.empty or not clause
        if len(clause) == 1:
            self.units += clause
        for literal in clause:
            self.with_literal.setdefault(literal, []).append(clause)

    def imply(self, clause: Clause) -> bool:
        """True if unit propagation finds a contradiction when all literals of a clause are false."""
        if self.empty:
            return True
        true: set[int] = set()
        todo = self.units + [-literal for literal in clause]
        while todo:
            literal = todo.pop()
            if -literal in true:
                return True
            if literal in true:
                continue
            true.add(literal)
            for other in self.with_literal.get(-literal, []):
                if not other & true:
                    open_ = [x for x in other if -x not in true]
                    if not open_:
                        return True
                    if len(open_) == 1:
                        todo.append(open_[0])
        return False


def check_learnt(clauses: list[Clause], learnt: list) -> None:
    """ST8."""
    known = Clauses(clauses)
    for value in learnt:
        literals = items(value)
        require(all(type(x) is int and x != 0 for x in literals), "a literal that is none")
        clause = frozenset(literals)
        require(known.imply(clause), "a clause that does not follow")
        known.add(clause)
    require(known.imply(frozenset()), "the clauses leave a strategy")


# ------------------------------------------------------------------------ runs

class Refutation:
    """The check that a group has no strategy for a beginning."""

    def __init__(self, model: Model, beginning: Beginning, conditions: dict[Node, Node], evidence: Evidence) -> None:
        self.model = model
        self.can, self.given = beginning
        self.group = self.can.args[1]
        self.assumption = self.can.args[3]
        self.conditions = conditions
        self.evidence = evidence
        self.specs = outcome_specs(model, beginning, conditions)
        self.broken = can_be_broken(model, self.assumption)
        self.needs = Needs(model, self.group)

    def kept(self, model: Model, seen: list[Node]) -> list[frozenset[int]]:
        """The locals on which steps, the formula, the locals of members, and some expressions depend."""
        own = [node("var", i, x) for i in self.group for x in range(len(self.model.instances[i].agent.locals))]
        return kept_locals(model, And(self.specs[0], *(atom(binary("=", v, v)) for v in own + seen)))

    def heard(self) -> list[Node]:
        """The data of all messages that members may take."""
        return [over_instances(self.model, j, e) for i in self.group for c in self.model.instances[i].agent.commands
                for j, p in partners(self.model, c) for e in p.data.values()]

    def check(self, value: Any) -> None:
        """ST5 to ST8. Raises an exception unless each strategy fails."""
        fields(value, {"decisions", "failures", "learnt"})
        listed = [read_decision(self.model, self.group, d) for d in items(value["decisions"])]
        self.decisions = Decisions(listed)
        clauses: list[Clause] = []
        for failure in items(value["failures"]):
            clauses += self.failure(failure, listed)
        check_learnt(clauses, items(value["learnt"]))

    def failure(self, value: Any, listed: list[Decision]) -> list[Clause]:
        """ST5: the clauses of a strategy that fails."""
        fields(value, {"refused", "trace"}, {"stuck"})
        refused = [listed[natural(n, len(listed))] for n in items(value["refused"])]
        offers = [((d.instance, d.command), sees(self.model, d)) for d in refused if d.message is None]
        against = [d for d in refused if d.message is not None]
        outcome = outcome_of(self.model, offers, against, self.specs)
        run = Run(outcome, value["trace"], self.kept(self.model, []), with_fingerprint=False)
        run.unroll(self.kept(outcome, self.heard()))
        literals: set[int] = set()
        choices: list[Clause] = []
        rows = [self.needs.row(run.space.state(row)) for row in run.rows]
        for row, step in zip(rows, run.steps):
            literals |= self.of_step(row, step)
            choices += self.of_choices(row, step)
        if "stuck" in value:
            self.check_stuck(outcome, run, value["stuck"])
            literals |= {self.decisions.made(d) for d in refused}
        else:
            require(run.is_false(self.specs[0]), "the formula is not false on the run of an outcome")
            if logic.asks_steps(self.specs[0]):
                literals |= self.of_all_steps(rows, set(refused))
                for row in rows:
                    for step in self.needs.space.steps(row):
                        choices += self.of_choices(row, step)
        return [frozenset(literals)] + choices

    def of_step(self, row: Row, step: Step) -> set[int]:
        """The literals of a step: that a decision which it needs is made otherwise."""
        if step.kind != "stutter":
            return {self.decisions.refused(d) for d in self.needs.needed(row, step)}
        found = set()
        for possible_ in self.needs.space.steps(row):
            if possible_.kind != "stutter":
                begun = self.needs.offered(row, possible_)
                require(begun is not None, "others could go on where a run stutters")
                found.add(self.decisions.made(begun))  # type: ignore[arg-type]
        return found

    def of_choices(self, row: Row, step: Step) -> list[Clause]:
        """That each member takes the message of a step by some command."""
        return [frozenset(map(self.decisions.made, able)) for _, able in self.needs.choices(row, step)]

    def of_all_steps(self, rows: list[Row], refused: set[Decision]) -> set[int]:
        """That a decision about some step from these states is made otherwise."""
        needed = {d for row in rows for step in self.needs.space.steps(row) for d in self.needs.needed(row, step)}
        return {self.decisions.made(d) if d in refused else self.decisions.refused(d) for d in needed}

    # ---------------------------------------------------------------- stuck

    def check_stuck(self, outcome: Model, run: Run, evidence: Any) -> None:
        """ST7: the run can go on in the model so that the assumption is satisfied, but not in the outcome."""
        require(self.broken and not logic.asks_steps(self.assumption), "a strategy that counts under these assumptions")
        parts = self.assumption.args[0] if self.assumption.kind == "And" else (self.assumption,)
        require(any(goes_on(self.model, p) for p in parts), "no assumption says that steps go on")
        require(run.loop is None, "a beginning with a loop")
        require(all(s.kind != "stutter" for s in run.steps), "a beginning with a stutter")
        positions, _ = run.positions()
        truth = Evaluation(run.space, positions, None, None)
        for c in self.given:
            require(truth.values(replaced(c, self.conditions))[0][0], "an initial state that does not count")
        for p in always_true(self.model, self.assumption):
            require(all(truth.values(p)[0][:len(run.steps)]), "the assumption is false at the beginning")
        left = atom(self.conditions[possible(self.assumption)])
        require(truth.values(left)[0][-1], "nothing satisfies the assumption from the last state on")
        here = self.is_state(run.space.state(run.rows[-1]))
        self.evidence(outcome, always(implies(atom(here), Not(self.assumption))), evidence)

    def is_state(self, state: list[Local]) -> Node:
        """The condition that all automaton states and locals are as in a state."""
        found = []
        for i, (automaton, values) in enumerate(state):
            found.append(binary("=", node("auto", i), number(automaton)))
            found += [is_value(self.model, (i, x), v) for x, v in enumerate(values)]
        return all_true(found)


def goes_on(model: Model, f: Node) -> bool:
    """True of G F of a label, or of an Or of labels, of sends, gets and supplies."""
    sign, *parts = written(f)
    if sign != "G" or written(parts[0])[0] != "F":
        return False
    labels = written(parts[0])[1]
    labels = labels.args[0] if labels.kind == "Or" else (labels,)
    return all(g.kind == "Label" and model.instances[g.args[0]].agent.commands[g.args[1]].kind != "receive"
               for g in labels)
