"""The check of traces: that a run exists, and that a formula is false on it."""

from __future__ import annotations

from typing import Any, Callable

import texts
from closed import fields, items, natural
from initial import initial_conditions
from model import Command, Instance, Model
from outcome import require
from semantics import Local, Row, Space, Step, compiled, inside, kept_locals
from trees import Node, operands

LONGEST = 10_000
TRACE_FIELDS = {"format", "version", "states", "steps"}
Label = Callable[[Node, Row], bool | None]


def read_value(model: Model, type_: tuple, written: Any) -> Any:
    if type_[0] == "bool":
        require(type(written) is bool, "a value that is no truth value")
        return written
    if type_[0] in ("int", "range"):
        if type(written) is str:
            require(written.removeprefix("-").isascii() and written.removeprefix("-").isdigit(), "no integer")
            written = int(written)
        require(type(written) is int and inside(type_, written), "a value outside of its type")
        return written
    names = {"channel": model.channels, "location": [i.name for i in model.instances]}
    known = names[type_[0]] if type_[0] in names else model.file.enums[type_[1]]
    require(type(written) is str and written in known, "a value outside of its type")
    return known.index(written)


def read_locals(model: Model, instance: Instance, written: dict) -> tuple:
    """The values of all locals of an instance, from an object that has them all."""
    return tuple(read_value(model, type_, written[x]) for x, type_ in instance.agent.locals)


def read_state(model: Model, value: Any) -> list[Local]:
    """The local states of all instances."""
    fields(value, {i.name for i in model.instances})
    found = []
    for i in model.instances:
        written = fields(value[i.name], {"automaton-state"} | {x for x, _ in i.agent.locals})
        found.append((natural(written["automaton-state"], i.agent.states), read_locals(model, i, written)))
    return found


def read_data(model: Model, value: Any) -> dict[int, Any]:
    """The values of message variables."""
    types = {name: (m, type_) for m, (name, type_) in enumerate(model.messages)}
    require(isinstance(value, dict) and value.keys() <= types.keys(), "data of another form")
    return {types[name][0]: read_value(model, types[name][1], v) for name, v in value.items()}


class Run:
    """A trace whose states and steps are those of the model."""

    def __init__(self, model: Model, value: Any, kept: list[frozenset[int]], with_fingerprint: bool = True) -> None:
        fields(value, TRACE_FIELDS, {"model", "description", "loop"})
        require(value["format"] == "rcheck-smt trace" and value["version"] == 1, "a trace of another format")
        header = fields(value.get("model", {}), set(), {"file", "fingerprint", "constants", "given", "point-to-point"})
        require(not with_fingerprint or header.get("fingerprint") in (None, texts.fingerprint(model)),
                "a trace of another model")
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
        return tuple(self.space.number(n, *local) for n, local in enumerate(read_state(self.model, value)))

    def check_initial(self) -> None:
        """T2."""
        state = self.space.state(self.rows[0])
        require(all(local[0] == 0 for local in state), "the first state is not initial")
        for condition in initial_conditions(self.model):
            require(compiled(condition)(S=state), "the first state is not initial")

    def check_loop(self, kept: list[frozenset[int]]) -> None:
        """T4."""
        assert self.loop is not None
        again = self.agree(self.loop, len(self.steps), kept)
        require(again, "the last state is not the one where the loop begins")

    def agree(self, a: int, b: int, kept: list[frozenset[int]]) -> bool:
        """True if the states at two positions have the same automaton states and kept locals."""
        first, last = self.space.state(self.rows[a]), self.space.state(self.rows[b])
        return all(before[0] == after[0] and all(before[1][x] == after[1][x] for x in wanted)
                   for before, after, wanted in zip(first, last, kept))

    def unroll(self, kept: list[frozenset[int]]) -> None:
        """Repeats the loop until it comes back to a state that agrees in more locals."""
        if self.loop is None:
            return
        begun, loop = [self.loop], self.steps[self.loop:]
        while not any(self.agree(n, len(self.steps), kept) for n in begun):
            require(len(self.steps) < LONGEST, "a loop that comes back to no state")
            begun.append(len(self.steps))
            for step in loop:
                self.repeat(step)
        self.loop = next(n for n in begun if self.agree(n, len(self.steps), kept))

    def repeat(self, step: Step) -> None:
        """Goes on with a step of the same commands."""
        same = [s for s in self.space.steps(self.rows[-1])
                if (s.kind, s.actor, s.other, s.receives) == (step.kind, step.actor, step.other, step.receives)]
        require(len(same) == 1, "the steps of a loop cannot be repeated")
        self.steps.append(same[0])
        self.rows.append(same[0].target)

    # --------------------------------------------------------------- steps

    def command(self, value: Any) -> tuple[int, int]:
        fields(value, {"instance", "command"})
        instance = self.model.instance_of.get(value["instance"])
        require(instance is not None, "a step of an unknown instance")
        assert instance is not None
        found = [c.number for c in instance.agent.commands if value["command"] == called(c)]
        require(len(found) == 1, "a step by an unknown command")
        return (instance.number, found[0])

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
                and step.other == self.command(value["supplier"]) \
                and dict(step.data) == read_data(self.model, value["data"])
        fields(value, {"kind", "sender", "channel", "data", "receivers"})
        channel = value["channel"]
        require(kind in ("broadcast", "multicast") and channel in self.model.channels, "an unknown kind of step")
        receivers = tuple(self.command(r) for r in items(value["receivers"]))
        return step.kind == "send" and step.actor == self.command(value["sender"]) \
            and (kind == "broadcast") == (step.channel == 0) and step.channel == self.model.channels.index(channel) \
            and step.receives == receivers and dict(step.data) == read_data(self.model, value["data"])

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
