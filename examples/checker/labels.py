"""The check of labels and labelled states: formulas about other runs, knowledge, and `could`."""

from __future__ import annotations

import itertools
from typing import Any

import logic
from closed import Closed, Graph, fields, items, natural, now, numbers
from games import Game, label_of_game
from initial import initial_rows
from model import Model
from outcome import require
from runs import Run
from semantics import Row, kept_locals
from symmetry import Renaming, same
from trees import Node, Not, implies, operands

View = frozenset[tuple[int, int]]


def branching_formulas(f: Node) -> list[Node]:
    """The Branching nodes of a formula, inner ones first."""
    return [g for g in logic.numbered(f) if g.kind == "Branching"]


def question(f: Node) -> Node | None:
    """The formula about runs that decides a branching formula, if there is one."""
    op, _, inside, assumption = f.args
    if op in ("A", "E"):
        asked = inside if op == "A" else Not(inside)
        return asked if assumption is None else implies(assumption, asked)
    return None if assumption is None or op == "could" else Not(assumption)


class Labels:
    """Reachable states, and the truth of branching formulas in them."""

    def __init__(self, model: Model, formula: Node, value: dict, with_conjuncts: bool) -> None:
        fields(value, {"local-states", "states", "formulas", "conjuncts"}, {"generators", "images", "games"})
        self.model = model
        self.graph = Graph(model, formula, value["local-states"], kept_locals(model, formula),
                           value.get("generators", []))
        self.parts = logic.parts_of(formula)
        self.check_images(items(value.get("images", [])))
        own = [part for n, part in enumerate(self.parts) if n not in self.images]
        for part in own:
            for g in self.graph.generators:
                require(leaves(part, g), "a generator changes a part")
        self.read_states(value["states"])
        self.label: dict[Node, set[Row]] = {}
        self.graph.label = self.truth
        self.check_formulas(formula, own, items(value["formulas"]), items(value.get("games", [])))
        if with_conjuncts:
            self.check_conjuncts(own, items(value["conjuncts"]))
        else:
            require(value["conjuncts"] == [], "conjuncts of a spec that is violated")

    def check_images(self, images: list) -> None:
        """B2."""
        self.images: dict[int, int] = {}
        for image in images:
            fields(image, {"conjunct", "of", "by"})
            n, of = natural(image["conjunct"], len(self.parts)), natural(image["of"], len(self.parts))
            require(n not in self.images, "a part is an image twice")
            self.images[n] = of
            renaming = Renaming(self.model, image["by"])
            if self.parts[n] is not self.parts[of]:
                renaming.check_symmetry()
                require(same(renaming.tree(self.parts[of]), self.parts[n]), "a part is no image of the other one")
        require(not set(self.images) & set(self.images.values()), "the image of an image")

    def read_states(self, value: Any) -> None:
        """B3."""
        graph = self.graph
        self.states = [graph.row(r) for r in numbers(value, len(self.model.instances))]
        place = {row: n for n, row in enumerate(self.states)}
        require(len(place) == len(self.states), "a state stands twice")
        initial = {graph.representative(row)[0] for row in initial_rows(self.model, graph.space)}
        require(set(self.states[:len(initial)]) == initial, "the first states are not the initial ones")
        self.initial = self.states[:len(initial)]
        reached = set(range(len(initial)))
        for n, row in enumerate(self.states):
            require(n in reached, "a state to which no step from states before it leads")
            for step in graph.space.steps(row):
                target = graph.representative(step.target)[0]
                require(target in place, "a step leads to a state that is not listed")
                reached.add(place[target])

    # -------------------------------------------------------------- labels

    def truth(self, f: Node, row: Row) -> bool:
        """The label of a branching formula in a state."""
        require(f in self.label, "a branching formula without label is read")
        return row in self.label[f]

    def known_truth(self, f: Node, row: Row) -> bool | None:
        return row in self.label[f] if f in self.label else None

    def closed(self, f: Node, value: Any) -> Closed:
        def rows(written: Any) -> list[tuple]:
            return [(self.states[natural(s, len(self.states))], r, q) for s, r, q in numbers(written, 3)]

        require(isinstance(value, dict), "a closed set is missing")
        closed = Closed(self.graph, f, value, rows)
        for image in closed.permuted:
            require(all(o == i for o, i in image.items()), "a generator moves a condition")
        return closed

    def check_formulas(self, formula: Node, own: list[Node], entries: list, games: list) -> None:
        """B4 and B5."""
        formulas = branching_formulas(formula)
        require(len(entries) == len(formulas) >= len(games), "labels for another number of formulas")
        asked = {g for part in own for g in branching_formulas(part)}
        for f, entry, game in itertools.zip_longest(formulas, entries, games):
            require(game is None or f.args[0] == "could", "ranks for something else than `could`")
            about = question(f)
            if f not in asked or about is None:
                require(entry is None, "evidence about a formula that needs none")
            if f not in asked:
                continue
            if f.args[0] in ("A", "E"):
                assert about is not None
                harmless = self.decided(about, entry)
                self.label[f] = harmless if f.args[0] == "A" else set(self.states) - harmless
            elif f.args[0] == "could":
                self.label[f] = self.forced(f, game)
            else:
                possible = set(self.states) if about is None else self.possible(about, entry)
                self.label[f] = self.knowledge(f, possible)

    def decided(self, about: Node, entry: Any) -> set[Row]:
        """The states from which no run makes a question false; from all others some run does."""
        closed = self.closed(about, entry)
        check_all(closed)
        found = set()
        for row in self.states:
            if any(not closed.witnessed(n) for n in closed.starts(row)):
                found.add(row)
            else:
                require(any(closed.witnessed(n) for n in closed.exact_starts(row)),
                        "a state in which a formula is neither true nor false")
        return found

    def possible(self, about: Node, entry: Any) -> set[Row]:
        """The states on runs that satisfy the assumptions."""
        closed = self.closed(about, entry)
        witnesses = check_all(closed)
        todo = []
        for row in self.initial:
            require(bool(closed.starts(row)), "an initial state is no member")
            todo += closed.exact_starts(row)
        reached = set(todo)
        while todo:
            n = todo.pop()
            if closed.witnessed(n):
                for m in witnesses.led_on(n):
                    if m not in reached:
                        reached.add(m)
                        todo.append(m)
        found = {closed.members[n][0] for n in reached if closed.witnessed(n)}
        every = {m[0] for n, m in enumerate(closed.members) if closed.witnessed(n)}
        require(every == found, "a state is not known to be possible or impossible")
        return found

    def forced(self, f: Node, value: Any) -> set[Row]:
        """The states in which a group could bring something about."""
        _, group, inside, assumption = f.args
        require(assumption is None, "`could` under assumptions, where not all act at once")
        game = Game(self.model, self.graph.space, group, self.states, lambda row: self.graph.representative(row)[0])
        return label_of_game(game, self.states, inside, self.state_truth, value)

    # ----------------------------------------------------------- knowledge

    def state_truth(self, f: Node, row: Row) -> bool:
        """The truth of a formula about a state."""
        if f.kind == "Atom":
            return bool(self.graph.space.holds(f.args[0], row))
        if f.kind == "Branching":
            return self.truth(f, row)
        require(f.kind in ("Not", "And", "Or", "Iff"), "knowledge about more than a state")
        return now(f, {g: self.state_truth(g, row) for g in operands(f)})

    def views(self, f: Node, row: Row) -> list[View]:
        pairs = [(i, row[i]) for i in f.args[1]]
        return [frozenset(pairs)] if f.args[0] == "DK" else [frozenset([p]) for p in pairs]

    def closure(self, views: set[View]) -> set[View]:
        """Views with all their images under the generators."""
        found = set(views)
        todo = list(views)
        while todo:
            view = todo.pop()
            for g in self.graph.generators:
                image = frozenset((g.instances[i], g.image(self.graph.space, i, n)) for i, n in view)
                if image not in found:
                    found.add(image)
                    todo.append(image)
        return found

    def knowledge(self, f: Node, possible: set[Row]) -> set[Row]:
        """The states in which knowledge of a formula about a state is true."""
        bad = {row for row in possible if not self.state_truth(f.args[2], row)}
        while True:
            views = self.closure({v for row in bad for v in self.views(f, row)})
            alike = {row for row in self.states if any(v in views for v in self.views(f, row))}
            if f.args[0] != "GCK" or alike & possible <= bad:
                return set(self.states) - alike
            bad |= alike & possible

    def check_conjuncts(self, own: list[Node], entries: list) -> None:
        """B6."""
        require(len(entries) == len(own), "evidence for another number of parts")
        for part, entry in zip(own, entries):
            closed = self.closed(part, entry)
            closed.check_started(self.initial)
            closed.check_steps()


def leaves(f: Node, g: Renaming) -> bool:
    """A generator leaves everything of a formula that is said of one moment, and groups."""
    if f.kind == "Branching":
        group = {g.instances[i] for i in f.args[1]}
        assumption = f.args[3]
        return group == set(f.args[1]) and leaves(f.args[2], g) and (assumption is None or leaves(assumption, g))
    if f.kind in ("Atom", "Label", "Observed"):
        return g.fixes(f)
    return made_of_atoms(f) and g.fixes(f) or all(leaves(h, g) for h in operands(f))


def made_of_atoms(f: Node) -> bool:
    return f.kind == "Atom" or f.kind in ("Not", "And", "Or", "Iff") and all(made_of_atoms(h) for h in operands(f))


# ------------------------------------------------------------------- witnesses

class Witnesses:
    """Runs from members of a closed set that make its formula false."""

    def __init__(self, closed: Closed) -> None:
        self.closed = closed
        self.known: dict[int, list] = {}
        value = closed.witnesses if closed.witnesses is not None else {"next": [], "loops": []}
        fields(value, set(), {"next", "loops"})
        self.next: dict[int, int] = {}
        for pair in items(value.get("next", [])):
            require(isinstance(pair, list) and len(pair) == 2, "a pair of another length")
            m, after = (self.member(v) for v in pair)
            require(m not in self.next, "a member with two successors")
            self.next[m] = after
        self.on_loop: set[int] = set()
        for loop in items(value.get("loops", [])):
            self.check_loop(loop)

    def member(self, value: Any) -> int:
        n = natural(value, len(self.closed.members))
        require(self.closed.witnessed(n), "a witness that is no witnessed member")
        return n

    def steps_on(self, m: int) -> list[tuple]:
        """Target, receives, truths, next and pending of each step with a way from a member."""
        if m not in self.known:
            closed = self.closed
            row, received, obligations, _ = closed.members[m]
            found = []
            for target, _, receives, truth in closed.moves(row):
                full = closed.with_receives(truth, received)
                for (nexts, pending), _ in closed.ways(obligations, full):
                    found.append((target, receives, full, nexts, pending))
            self.known[m] = found
        return self.known[m]

    def leading_on(self, m: int, after: int) -> list[tuple]:
        """The steps with ways that lead on from a member to another one."""
        row, received, obligations, _ = self.closed.members[after]
        given = logic.consequences(obligations)
        return [s for s in self.steps_on(m) if s[0] == row and s[1] == received
                and all(logic.follows(o, given) for o in s[3])]

    def led_on(self, m: int) -> list[int]:
        """All members to which some step leads on."""
        near = {n for s in self.steps_on(m) for n in self.closed.at.get((s[0], s[1]), [])}
        return [n for n in near if self.leading_on(m, n)]

    def check_loop(self, value: Any) -> None:
        """C5."""
        closed = self.closed
        fields(value, {"members"}, {"refused"})
        members = [self.member(v) for v in items(value["members"])]
        require(bool(members), "a loop without members")
        refused = [closed.obligation(o) for o in items(value.get("refused", []))]
        require(set(refused) <= closed.conditions, "a refused obligation that is no condition")
        steps: list[tuple] = []
        for m, after in zip(members, members[1:] + members[:1]):
            found = [s for s in self.leading_on(m, after) if not any(self.requested(o, s[2]) for o in refused)]
            require(bool(found), "no step leads on along a loop")
            steps += found
        always = frozenset.intersection(*(s[4] for s in steps))
        require(not always, "an eventuality stays pending on a loop")
        for o in closed.conditions:
            requested = any(self.requested(o, s[2]) for s in steps)
            answered = any(closed.met(meaning(o)[1], s[2], False) for s in steps)
            require(answered or not requested, "a condition is requested and not answered on a loop")
        self.on_loop |= set(members)

    def requested(self, o: logic.Obligation, truth: tuple[bool, ...]) -> bool:
        return self.closed.met(meaning(o)[0], truth, True)

    def check(self) -> None:
        """C6."""
        fine = set(self.on_loop)
        for n in range(len(self.closed.members)):
            path = []
            while self.closed.witnessed(n) and n not in fine:
                require(n not in path and n in self.next, "a witnessed member does not lead to a loop")
                require(bool(self.leading_on(n, self.next[n])), "no step leads on to the next witness")
                path.append(n)
                n = self.next[n]
            fine |= set(path)


def meaning(o: logic.Obligation) -> tuple:
    found = logic.condition(o)
    assert found is not None
    return found


def check_all(closed: Closed) -> Witnesses:
    """C4 for all members, C5 and C6."""
    closed.check_steps()
    witnesses = Witnesses(closed)
    witnesses.check()
    return witnesses


def check_labels(model: Model, formula: Node, evidence: Any) -> None:
    """B1 to B6. Raises an exception unless the evidence proves the formula."""
    Labels(model, formula, evidence, True)


def check_labelled_states(model: Model, formula: Node, evidence: Any) -> None:
    """B1 to B5, and a trace on which the formula is false."""
    fields(evidence, {"labels", "trace"})
    labels = Labels(model, formula, evidence["labels"], False)
    run = Run(model, evidence["trace"], kept_locals(model, formula))
    graph = labels.graph

    def label(f: Node, row: Row) -> bool | None:
        numbers_ = tuple(graph.space.number(i, *run.space.locals[i][n]) for i, n in enumerate(row))
        return labels.known_truth(f, graph.representative(numbers_)[0])

    require(run.is_false(formula, label), "the spec is not false on the run")
