"""The check of traces: that a run exists, and that a formula is false on it."""

from __future__ import annotations

from typing import Any, Callable

import texts
from closed import fields, items, natural
from initial import initial_conditions
from model import Command, Model
from outcome import require
from semantics import Row, Space, Step, compiled, kept_locals
from trees import Node, operands

TRACE_FIELDS = {"format", "version", "states", "steps"}
Label = Callable[[Node, Row], bool | None]


class Run:
    """A trace whose states and steps are those of the model."""

    def __init__(self, model: Model, value: Any, kept: list[frozenset[int]]) -> None:
        fields(value, TRACE_FIELDS, {"model", "description", "loop"})
        require(value["format"] == "rcheck-smt trace" and value["version"] == 1, "a trace of another format")
        header = fields(value.get("model", {}), set(), {"file", "fingerprint", "constants", "given", "point-to-point"})
        require(header.get("fingerprint") in (None, texts.fingerprint(model)), "a trace of another model")
        self.model = model
        self.space = Space(model, [frozenset(range(len(i.agent.locals))) for i in model.instances])
        self.rows = [self.state(s) for s in items(value["states"])]
        steps = items(value["steps"])
        require(len(self.rows) == len(steps) + 1, "a trace with another number of steps")
        self.check_initial()
        self.steps = [self.step(n, written) for n, written in enumerate(steps)]
        self.loop = None
        if "loop" in value:
            self.loop = natural(value["loop"], len(steps))
            self.check_loop(kept)

    # -------------------------------------------------------------- states

    def state(self, value: Any) -> Row:
        """T1."""
        fields(value, {i.name for i in self.model.instances})
        row = []
        for i in self.model.instances:
            written = fields(value[i.name], {"automaton-state"} | {x for x, _ in i.agent.locals})
            state = natural(written["automaton-state"], i.agent.states)
            values = [self.value(type_, written[x]) for x, type_ in i.agent.locals]
            row.append(self.space.number(i.number, state, values))
        return tuple(row)

    def value(self, type_: tuple, written: Any) -> Any:
        if type_[0] == "bool":
            require(type(written) is bool, "a value that is no truth value")
            return written
        if type_[0] in ("int", "range"):
            if type(written) is str:
                require(written.removeprefix("-").isascii() and written.removeprefix("-").isdigit(), "no integer")
                written = int(written)
            require(type(written) is int and self.space.inside(type_, written), "a value outside of its type")
            return written
        names = {"channel": self.model.channels, "location": [i.name for i in self.model.instances]}
        known = names[type_[0]] if type_[0] in names else self.model.file.enums[type_[1]]
        require(type(written) is str and written in known, "a value outside of its type")
        return known.index(written)

    def check_initial(self) -> None:
        """T2."""
        state = self.space.state(self.rows[0])
        require(all(local[0] == 0 for local in state), "the first state is not initial")
        for condition in initial_conditions(self.model):
            require(compiled(condition)(S=state), "the first state is not initial")

    def check_loop(self, kept: list[frozenset[int]]) -> None:
        """T4."""
        first, last = self.space.state(self.rows[self.loop or 0]), self.space.state(self.rows[-1])
        for before, after, wanted in zip(first, last, kept):
            require(before[0] == after[0] and all(before[1][x] == after[1][x] for x in wanted),
                    "the last state is not the one where the loop begins")

    # --------------------------------------------------------------- steps

    def command(self, value: Any) -> tuple[int, int]:
        fields(value, {"instance", "command"})
        instance = self.model.instance_of.get(value["instance"])
        require(instance is not None, "a step of an unknown instance")
        assert instance is not None
        found = [c.number for c in instance.agent.commands if value["command"] == called(c)]
        require(len(found) == 1, "a step by an unknown command")
        return (instance.number, found[0])

    def data(self, value: Any) -> dict[int, Any]:
        types = {name: (m, type_) for m, (name, type_) in enumerate(self.model.messages)}
        require(isinstance(value, dict) and value.keys() <= types.keys(), "data of another form")
        return {types[name][0]: self.value(types[name][1], v) for name, v in value.items()}

    def step(self, n: int, value: Any) -> Step:
        """T3."""
        require(isinstance(value, dict), "a step that is no object")
        kind = value.get("kind")
        for step in self.space.steps(self.rows[n]):
            if step.target == self.rows[n + 1] and self.fits(step, kind, value):
                return step
        require(False, f"step {n} does not exist, or leads elsewhere")
        raise AssertionError

    def fits(self, step: Step, kind: Any, value: dict) -> bool:
        if kind == "stutter":
            fields(value, {"kind"})
            return step.kind == "stutter"
        if kind == "get-supply":
            fields(value, {"kind", "getter", "supplier", "data"})
            return step.kind == "get" and step.actor == self.command(value["getter"]) \
                and step.other == self.command(value["supplier"]) and dict(step.data) == self.data(value["data"])
        fields(value, {"kind", "sender", "channel", "data", "receivers"})
        channel = value["channel"]
        require(kind in ("broadcast", "multicast") and channel in self.model.channels, "an unknown kind of step")
        receivers = tuple(self.command(r) for r in items(value["receivers"]))
        return step.kind == "send" and step.actor == self.command(value["sender"]) \
            and (kind == "broadcast") == (step.channel == 0) and step.channel == self.model.channels.index(channel) \
            and step.receives == receivers and dict(step.data) == self.data(value["data"])

    # --------------------------------------------------------------- truth

    def positions(self) -> tuple[list[tuple[Row, Step | None, frozenset]], int | None]:
        """State, step from there and receives of the step before, for each position; where the last one leads."""
        before = [frozenset()] + [frozenset(s.receives) for s in self.steps]
        found: list[tuple[Row, Step | None, frozenset]] = list(zip(self.rows, self.steps, before))
        if self.loop is None:
            found.append((self.rows[-1], None, before[-1]))
            return found, None
        if before[self.loop] == before[-1]:
            return found, self.loop
        again = found[self.loop:]
        again[0] = (again[0][0], again[0][1], before[-1])
        return found + again, len(found)

    def is_false(self, f: Node, label: Label | None = None) -> bool:
        """T5: the formula is false at position 0, whatever is unknown."""
        positions, back = self.positions()
        return not Evaluation(self.space, positions, back, label).values(f)[1][0]


def called(command: Command) -> str:
    return command.label or f"#{command.number + 1}"


Bounds = tuple[list[bool], list[bool]]


class Evaluation:
    """Truth along a run: for each position that a formula is certainly true, and that it may be true."""

    def __init__(self, space: Space, positions: list, back: int | None, label: Label | None) -> None:
        self.space = space
        self.positions = positions
        self.back = back
        self.label = label
        self.known: dict[Node, Bounds] = {}

    def values(self, f: Node) -> Bounds:
        found = self.known.get(f)
        if found is None:
            found = self.known[f] = self.evaluate(f)
        return found

    def evaluate(self, f: Node) -> Bounds:
        if f.kind in ("Atom", "Label", "Observed", "Branching"):
            truths = [self.literal(f, *position) for position in self.positions]
            return [t is True for t in truths], [t is not False for t in truths]
        inside = [self.values(g) for g in operands(f)]
        size = len(self.positions)
        if f.kind == "Not":
            (must, may), = inside
            return [not v for v in may], [not v for v in must]
        if f.kind in ("And", "Or"):
            join = all if f.kind == "And" else any
            must, may = ([join(v[b][n] for v in inside) for n in range(size)] for b in (0, 1))
            return must, may
        if f.kind == "Iff":
            (a, c), (b, d) = inside
            must = [a[n] and b[n] or not c[n] and not d[n] for n in range(size)]
            return must, [not (a[n] and not d[n] or not c[n] and b[n]) for n in range(size)]
        if f.kind == "Next":
            (must, may), = inside
            return self.shifted(must, False), self.shifted(may, True)
        (a, c), (b, d) = inside
        return self.fixed(a, b, False, f.kind == "Weak"), self.fixed(c, d, True, f.kind == "Weak")

    def shifted(self, values: list[bool], behind: bool) -> list[bool]:
        return values[1:] + [behind if self.back is None else values[self.back]]

    def fixed(self, a: list[bool], b: list[bool], behind: bool, greatest: bool) -> list[bool]:
        """The solution of v(i) = b(i) or (a(i) and v(i+1))."""
        values = [greatest] * len(a)
        while True:
            after = values[self.back] if self.back is not None else behind
            new = list(values)
            for n in reversed(range(len(a))):
                after = new[n] = b[n] or a[n] and after
            if new == values:
                return values
            values = new

    def literal(self, f: Node, row: Row, step: Step | None, received: frozenset) -> bool | None:
        space = self.space
        if f.kind == "Atom":
            return bool(space.holds(f.args[0], row))
        if f.kind == "Branching":
            return None if self.label is None else self.label(f, row)
        if f.kind == "Label" and space.model.instances[f.args[0]].agent.commands[f.args[1]].kind == "receive":
            return f.args in received
        if step is None:
            return None
        return space.observes(f.args[0], row, step) if f.kind == "Observed" else space.label(*f.args, step)


def check_trace(model: Model, formula: Node, evidence: Any) -> None:
    """T1 to T5. Raises an exception unless the run makes the formula false."""
    run = Run(model, evidence, kept_locals(model, formula))
    require(run.is_false(formula), "the spec is not false on the run")
