"""Decisions of members of a group, and the strategies that these are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

from closed import fields, items, natural
from initial import initial_rows
from knowledge import Reader
from model import Command, Model, reads_of
from outcome import Unsupported, require
from runs import read_data, read_locals
from semantics import Row, Space, Step, compiled, inside, kept_locals
from trees import Node, binary, node
from variants import Exclusions, all_true, constant, in_code, outcome

LIMIT = 100_000


@dataclass(frozen=True)
class Message:
    """The part of a message that a member sees, or of a get: then there is no channel, but the supplies that are ready."""
    channel: int | None
    data: tuple                         # pairs of a message variable and its value
    ready: tuple[int, ...]


@dataclass(frozen=True)
class Decision:
    """A command in a local state: that it is offered, or that a message is taken by it."""
    instance: int
    command: int
    values: tuple                       # of all locals; the automaton state is the source of the command
    message: Message | None


# --------------------------------------------------------------------- reading

def member(model: Model, group: tuple[int, ...], name: Any) -> int:
    instance = model.instance_of.get(name) if type(name) is str else None
    require(instance is not None and instance.number in group, "a decision of no member")
    return instance.number  # type: ignore[union-attr]


def command_of(model: Model, i: int, number: Any) -> Command:
    commands = model.instances[i].agent.commands
    return commands[natural(number, len(commands))]


def read_decision(model: Model, group: tuple[int, ...], value: Any) -> Decision:
    fields(value, {"agent", "command", "locals"}, {"message"})
    i = member(model, group, value["agent"])
    c = command_of(model, i, value["command"])
    written = fields(value["locals"], {x for x, _ in model.instances[i].agent.locals})
    values = read_locals(model, model.instances[i], written)
    require(("message" in value) == (c.kind in ("receive", "supply")), "a decision with a message, or without")
    message = read_message(model, c, value["message"]) if "message" in value else None
    return Decision(i, c.number, values, message)


def read_message(model: Model, c: Command, value: Any) -> Message:
    fields(value, {"data"} | ({"channel"} if c.kind == "receive" else set()), {"ready"})
    channel = None
    if c.kind == "receive":
        require(value["channel"] in model.channels, "an unknown channel")
        channel = model.channels.index(value["channel"])
    ready = {natural(n) for n in items(value.get("ready", []))}
    return Message(channel, tuple(sorted(read_data(model, value["data"]).items())), tuple(sorted(ready)))


def read_refusal(model: Model, group: tuple[int, ...], value: Any) -> tuple[tuple[int, int], Node]:
    """ST2: a send or get of a member, and the condition under which it is not offered."""
    fields(value, {"agent", "command", "when"})
    i = member(model, group, value["agent"])
    c = command_of(model, i, value["command"])
    require(c.kind in ("send", "get"), "a command is refused that begins no step")
    when = Reader(model, (i,)).condition(value["when"])
    require(not any(n.kind == "auto" for n in reads_of(when)), "a refusal reads an automaton state")
    return (i, c.number), in_code(when)


# ------------------------------------------------------------------ strategies

def sees(model: Model, d: Decision) -> Node:
    """The condition, in code, that a decision is asked for."""
    types = [t for _, t in model.instances[d.instance].agent.locals]
    found = [binary("=", node("local", x), constant(types[x], v)) for x, v in enumerate(d.values)]
    if d.message is not None:
        found += [binary("=", node("msg", m), constant(model.messages[m][1], v)) for m, v in d.message.data]
    return all_true(found)


def outcome_of(model: Model, refused: list[tuple[tuple[int, int], Node]],
               against: list[Decision], specs: list[Node]) -> Model:
    """The outcome of a strategy, which refuses no message (ST3)."""
    excluded: Exclusions = {}
    for pair, when in refused:
        excluded.setdefault(pair, []).append(when)
    check_taken(model, against)
    for d in against:
        excluded.setdefault((d.instance, d.command), []).append(sees(model, d))
    return outcome(model, excluded, specs)


def check_taken(model: Model, against: list[Decision]) -> None:
    """ST3: each message that is not taken by some command is taken by another one."""
    known = set(against)
    for d in against:
        c = model.instances[d.instance].agent.commands[d.command]
        require(d.message is not None, "a decision about something else than a message")
        check_message(model, d, c)
        others = ready_as_well(model, d, c)
        require(any(Decision(d.instance, n, d.values, d.message) not in known for n in others), "a message is refused")


def check_message(model: Model, d: Decision, c: Command) -> None:
    """The message of a decision is one that the command might meet."""
    message = d.message
    assert message is not None
    met = list(partners(model, c))
    assigned = {frozenset(p.data) for _, p in met}
    require(assigned <= {frozenset(m for m, _ in message.data)}, "a message with other data")
    if c.kind == "receive":
        at = compiled(c.channel)(L=d.values, I=d.instance)  # type: ignore[arg-type]
        require(message.channel == at and not message.ready, "a message on another channel")
        return
    commands = model.instances[d.instance].agent.commands
    ready = [h for h in commands if h.kind == "supply" and h.source == c.source and is_true(d, h)]
    require(message.ready == tuple(h.number for h in ready), "other supplies are ready")
    require(len({h.target for h in ready}) == 1, "supplies with different targets")
    as_well = {c.number} | ready_as_well(model, d, c)
    require(c in ready and set(message.ready) <= as_well, "a supply is not ready as well")


def partners(model: Model, c: Command) -> Iterator[tuple[int, Command]]:
    """The sends or gets of instances that a receive or supply may meet."""
    for i in model.instances:
        for p in i.agent.commands:
            if c.kind == "supply" and p.kind == "get":
                yield i.number, p
            elif c.kind == "receive" and p.kind == "send":
                assert p.channel is not None and c.channel is not None
                if p.channel.kind != "const" or c.channel.kind != "const" or p.channel is c.channel:
                    yield i.number, p


def is_true(d: Decision, h: Command) -> bool:
    """The guard of a command is true for the locals and data of a decision."""
    assert d.message is not None
    data = dict(d.message.data)
    return h.needed <= data.keys() and bool(compiled(h.guard)(L=d.values, M=data, I=d.instance))


def ready_as_well(model: Model, d: Decision, c: Command) -> set[int]:
    """The commands other than this one that are ready wherever it is ready for the message."""
    return {h.number for h in model.instances[d.instance].agent.commands
            if h is not c and h.kind == c.kind and h.source == c.source and is_true(d, h) and stays_inside(model, d, h)
            and (same_channel(d, c, h) if c.kind == "receive" else same_gets(model, d, c, h))}


def stays_inside(model: Model, d: Decision, h: Command) -> bool:
    """The updates and data of a command are in their ranges."""
    types = model.instances[d.instance].agent.locals
    given = {"L": d.values, "M": dict(d.message.data) if d.message is not None else {}, "I": d.instance}
    return all(inside(types[x][1], compiled(e)(**given)) for x, e in h.updates.items()) \
        and all(inside(model.messages[m][1], compiled(e)(**given)) for m, e in h.data.items())


def same_channel(d: Decision, c: Command, h: Command) -> bool:
    one, other = (compiled(r.channel)(L=d.values, I=d.instance) for r in (c, h))  # type: ignore[arg-type]
    return one == other


def same_gets(model: Model, d: Decision, c: Command, h: Command) -> bool:
    """Two supplies serve the same gets, none of which reads data of a supplier."""
    if any(g.needed for i in model.instances for g in i.agent.commands if g.kind == "get"):
        return False
    if c.partner[0] != h.partner[0]:
        return False
    if c.partner[0] != "location":
        return True
    one, other = (compiled(s.partner[1])(L=d.values, I=d.instance) for s in (c, h))
    return one == other


# ------------------------------------------------------------ how messages are taken

def ways_to_take(steps: list[Step]) -> dict[tuple, set[int]]:
    """The commands by which an instance can take a message, by the instance and all else of the step."""
    found: dict[tuple, set[int]] = {}
    for step in steps:
        if step.other is not None:
            found.setdefault((step.actor, step.other[0]), set()).add(step.other[1])
        for j, r in step.receives:
            found.setdefault((step.actor, j), set()).add(r)
    return found


def check_one_way(model: Model, group: tuple[int, ...], specs: list[Node]) -> None:
    """ST3: in each reachable state a member has one way at most to take the message of a step."""
    if not any(may_choose(model, i) for i in group):
        return
    space = Space(model, kept_locals(model, specs[0]))
    for row in reachable(model, space):
        for (_, j), commands in ways_to_take(space.steps(row)).items():
            require(j not in group or len(commands) == 1, "a message can be taken in several ways")


def may_choose(model: Model, i: int) -> bool:
    """True if an instance has two receives, or two supplies, that leave one automaton state."""
    taking = [(c.kind, c.source) for c in model.instances[i].agent.commands if c.kind in ("receive", "supply")]
    return len(taking) != len(set(taking))


def reachable(model: Model, space: Space) -> list[Row]:
    """All reachable states."""
    found = dict.fromkeys(initial_rows(model, space))
    todo = list(found)
    while todo:
        for step in space.steps(todo.pop()):
            if step.target not in found:
                found[step.target] = None
                todo.append(step.target)
        if len(found) > LIMIT:
            raise Unsupported("too many states")
    return list(found)


# ------------------------------------------------------- decisions that steps need

class Needs:
    """The decisions of members that the steps of a model need."""

    def __init__(self, model: Model, group: tuple[int, ...]) -> None:
        self.model = model
        self.group = group
        self.space = Space(model, [frozenset(range(len(i.agent.locals))) for i in model.instances])
        self.ways_of: dict[Row, dict[tuple, set[int]]] = {}

    def row(self, state: list) -> Row:
        return tuple(self.space.number(i, *local) for i, local in enumerate(state))

    def values(self, row: Row, i: int) -> tuple:
        return self.space.locals[i][row[i]][1]

    def offered(self, row: Row, step: Step) -> Decision | None:
        """That the send or get is offered, if a member begins the step."""
        if step.actor is None or step.actor[0] not in self.group:
            return None
        return Decision(*step.actor, self.values(row, step.actor[0]), None)

    def choices(self, row: Row, step: Step) -> list[tuple[int, list[Decision]]]:
        """For each member that takes the message of a step: by which command, and by which it can if all else stays."""
        takers = [(j, c) for j, c in step.receives + ((step.other,) if step.other else ()) if j in self.group]
        if not takers:
            return []
        i, c = step.actor  # type: ignore[misc]
        begun = self.model.instances[i].agent.commands[c]
        data = self.space.data(i, self.values(row, i), begun)
        if row not in self.ways_of:
            self.ways_of[row] = ways_to_take(self.space.steps(row))
        found = []
        for j, taken in takers:
            able = sorted(self.ways_of[row][step.actor, j])
            message = Message(step.channel, tuple(sorted((data or {}).items())), tuple(able) if step.other else ())
            found.append((taken, [Decision(j, n, self.values(row, j), message) for n in able]))
        return found

    def needed(self, row: Row, step: Step) -> list[Decision]:
        """All decisions that a step needs."""
        begun = self.offered(row, step)
        found = [] if begun is None else [begun]
        for taken, able in self.choices(row, step):
            found += [d for d in able if d.command == taken]
        return found
