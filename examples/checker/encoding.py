"""The steps of a model as conditions over variables, for a solver."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from model import Command, Instance, Model, Scope, reads_of
from outcome import Unsupported
from semantics import assignments, property_variables, reads
from terms import Script, Simplifier, all_of, any_of, conj, disj, iff, neg
from trees import BINARY, FALSE, TRUE, Node, binary, choose, minus, nodes, node, number, rebuild

STUTTER = "stutter"


@dataclass
class Receiver:
    """How another instance takes part in a send."""
    number: int
    takes: Node                         # the condition under which it takes part
    ready: list[tuple[Command, Node]]   # receives, with the condition that one is ready and stays in its ranges


@dataclass
class Event:
    """One way in which a step can go, but for the choice of receives."""
    number: int
    kind: str
    actor: tuple[int, int] | None = None
    other: tuple[int, int] | None = None
    possible: Node = TRUE
    channel: Node | None = None
    data: dict[int, Node] = field(default_factory=dict)
    given: dict[int, dict[int, Node]] = field(default_factory=dict)     # data that each acting instance reads
    receivers: list[Receiver] = field(default_factory=list)


class Encoding:
    """Variables, initial states and steps of a model. `labels` are the receive labels that are variables."""

    def __init__(self, model: Model, labels: list[tuple[int, int]]) -> None:
        self.model = model
        self.simple = Simplifier(model)
        self.labels = labels
        self.variables: list[Node] = []
        self.names: dict[Node, str] = {}
        for i in model.instances:
            self.add(node("auto", i.number), f"{i.name}-automaton-state")
            for x, (name, _) in enumerate(i.agent.locals):
                self.add(node("var", i.number, x), f"{i.name}-{name}")
        for i, c in labels:
            owner = model.instances[i]
            self.add(node("took", i, c), f"{owner.name}-{owner.agent.commands[c].label}")
        if len(set(self.names.values())) != len(self.names):
            raise Unsupported("two variables with one name")
        self.picks = {i.number: node("choice", f"receive of {i.name}") for i in model.instances
                      if any(c.kind == "receive" for c in i.agent.commands)}
        for pick in self.picks.values():
            self.names[pick] = pick.args[0]
        self.events: list[Event] = []
        self.make_events()
        self.deadlock = neg(disj([e.possible for e in self.events if e.kind != STUTTER]))
        self.events[-1].possible = self.deadlock

    def add(self, variable: Node, name: str) -> None:
        self.variables.append(variable)
        self.names[variable] = name

    def sort(self, variable: Node) -> str:
        if variable.kind == "took":
            return "Bool"
        return "Bool" if variable.kind == "var" and self.simple.type(variable) == ("bool",) else "Int"

    # ------------------------------------------------------------ expressions

    def over(self, tree: Node, i: int, data: dict[int, Node] | None = None, shown: dict[int, Node] | None = None,
             channel: Node | None = None) -> Node:
        """An expression of the code of an instance, over the variables of the model."""
        kind, args = tree.kind, tree.args
        if kind == "local":
            return node("var", i, args[0])
        if kind == "myself":
            return node("const", "location", i)
        if kind == "msg":
            return (data or {})[args[0]]
        if kind == "pv":
            return (shown or {})[args[0]]
        if kind == "chan":
            assert channel is not None
            return channel
        if kind == "const":
            return tree
        inside = [self.over(a, i, data, shown, channel) for a in args]
        if kind in BINARY:
            return binary(kind, *inside)
        if kind == "if":
            return choose(*inside)
        return minus(inside[0]) if kind == "neg" else node("not", inside[0])

    def condition(self, tree: Node) -> Node:
        """A simplified condition, in which deadlock and enabled are replaced by what they mean."""
        return self.simple.condition(self.resolved(tree))

    def resolved(self, tree: Node) -> Node:
        if not any(n.kind in ("deadlock", "enabled") for n in nodes([tree])):
            return tree
        if tree.kind == "deadlock":
            return self.as_expression(self.deadlock)
        if tree.kind == "enabled":
            return self.as_expression(disj([e.possible for e in self.events if acts(e, *tree.args)]))
        return rebuild(tree, self.resolved)

    def as_expression(self, condition: Node) -> Node:
        """A simplified condition that may stand in an expression again."""
        self.simple.known[condition] = condition
        return condition

    def inside(self, type_: tuple, value: Node) -> Node:
        if type_[0] != "range":
            return TRUE
        return conj([self.simple.condition(binary("<=", number(type_[1]), value)),
                     self.simple.condition(binary("<=", value, number(type_[2])))])

    # ----------------------------------------------------------------- events

    def make_events(self) -> None:
        for i in self.model.instances:
            for c in i.agent.commands:
                if c.kind == "send":
                    self.send(i, c)
        for i, j in itertools.permutations(self.model.instances, 2):
            for g in i.agent.commands:
                for h in j.agent.commands:
                    if g.kind == "get" and h.kind == "supply":
                        self.exchange(i, g, j, h)
        self.events.append(Event(len(self.events), STUTTER))

    def leaves(self, i: int, command: Command) -> Node:
        return self.simple.condition(binary("=", node("auto", i), number(command.source)))

    def data_of(self, i: int, command: Command) -> tuple[dict[int, Node], Node]:
        """The data of a command and the condition that they are inside of their ranges."""
        data = {m: self.over(e, i) for m, e in command.data.items()}
        return data, conj([self.inside(self.model.messages[m][1], e) for m, e in data.items()])

    def guard(self, i: int, command: Command, data: dict[int, Node]) -> Node:
        """The guard is true, and all updates are inside."""
        return conj([self.simple.condition(self.over(command.guard, i, data)), self.fits(i, command, data)])

    def fits(self, i: int, command: Command, data: dict[int, Node]) -> Node:
        types = self.model.instances[i].agent.locals
        return conj([self.inside(types[x][1], self.over(e, i, data)) for x, e in command.updates.items()])

    def send(self, i: Instance, c: Command) -> None:
        event = Event(len(self.events), "send", (i.number, c.number))
        event.channel = self.over(c.channel, i.number)  # type: ignore[arg-type]
        event.data, inside = self.data_of(i.number, c)
        event.given[i.number] = {}
        needed = [self.leaves(i.number, c), self.guard(i.number, c, {}), inside]
        for j in self.model.instances:
            if j is not i:
                needed.append(self.receiver(event, i, c, j))
        event.possible = conj(needed)
        self.events.append(event)

    def receiver(self, event: Event, i: Instance, c: Command, j: Instance) -> Node:
        """Adds another instance to a send. Returns the condition that it does not prevent the step."""
        channel = event.channel
        assert channel is not None
        broadcast = self.simple.condition(binary("=", channel, node("const", "channel", 0)))
        hears = TRUE
        if j.agent.receive_guard is not None:
            guard = self.simple.condition(self.over(j.agent.receive_guard, j.number, channel=channel))
            hears = disj([broadcast, guard])
        admitted = self.admitted(c.partner, i, j, channel)
        ready, choices = [], []
        for r in j.agent.commands:
            if r.kind == "receive" and r.needed <= event.data.keys():
                on_channel = binary("=", self.over(r.channel, j.number), channel)  # type: ignore[arg-type]
                is_ready = conj([self.leaves(j.number, r), self.simple.condition(on_channel),
                                 self.simple.condition(self.over(r.guard, j.number, event.data))])
                ready.append(is_ready)
                choices.append((r, conj([is_ready, self.fits(j.number, r, event.data)])))
        listens = conj([admitted, disj(ready)])
        takes = conj([hears, listens])
        if takes is not FALSE:
            event.receivers.append(Receiver(j.number, takes, choices))
        return conj([disj([broadcast, neg(hears), listens]), disj([neg(takes)] + [ok for _, ok in choices])])

    def admitted(self, guard: Node, i: Instance, j: Instance, channel: Node | None) -> Node:
        if not reads(guard, "pv") <= j.agent.relabel.keys():
            return FALSE
        shown = {p: self.over(e, j.number) for p, e in j.agent.relabel.items()}
        return self.simple.condition(self.over(guard, i.number, shown=shown, channel=channel))

    def exchange(self, i: Instance, g: Command, j: Instance, h: Command) -> None:
        if not g.needed <= h.data.keys() or not h.needed <= g.data.keys():
            return
        form, tree = g.partner
        if form == "name":
            asks = self.simple.condition(binary("=", self.over(tree, i.number), node("const", "location", j.number)))
        else:
            asks = self.admitted(tree, i, j, None)
        data, inside = self.data_of(i.number, g)
        back, back_inside = self.data_of(j.number, h)
        event = Event(len(self.events), "get", (i.number, g.number), (j.number, h.number), data=data | back)
        event.given = {i.number: back, j.number: data}
        event.possible = conj([asks, self.serves(form, i, j, h), self.leaves(i.number, g), self.leaves(j.number, h),
                               inside, back_inside, self.guard(i.number, g, back), self.guard(j.number, h, data)])
        self.events.append(event)

    def serves(self, form: str, i: Instance, j: Instance, h: Command) -> Node:
        kind, tree = h.partner
        if kind == "any":
            return TRUE if not self.model.paper or form == "condition" else FALSE
        if kind == "myself":
            return TRUE if form == "name" else FALSE
        if self.model.paper and form != "name":
            return FALSE
        whom = j.number if self.model.paper else i.number
        return self.simple.condition(binary("=", self.over(tree, j.number), node("const", "location", whom)))

    # ------------------------------------------------- conditions on the step

    def label(self, i: int, c: int) -> Node:
        """The label of a send, get or supply."""
        return node("step", tuple((e.number, TRUE if (i, c) in (e.actor, e.other) else FALSE) for e in self.events))

    def observed(self, o: Node) -> Node:
        return node("step", tuple((e.number, FALSE if e.kind == STUTTER else self.observes(o, e)) for e in self.events))

    def observes(self, o: Node, event: Event) -> Node:
        kind, args = o.kind, o.args
        if kind == "data":
            return self.data_true(args[0], event, None)
        if kind == "role":
            return TRUE if has_role(args[0], args[1], event) else FALSE
        if kind == "p2p":
            return TRUE if event.kind == "get" else FALSE
        if kind == "locality":
            return self.locality(args[0], event)
        if kind in ("exists", "forall"):
            return self.quantified(kind, args[0], event)
        if kind == "not":
            return neg(self.observes(args[0], event))
        return connected(kind, *(self.observes(a, event) for a in args))

    def data_true(self, tree: Node, event: Event, shown: dict[int, Node] | None) -> Node:
        reads_channel = any(n.kind == "chan" for n in reads_of(tree))
        if reads_channel and event.channel is None or not reads(tree, "msg") <= event.data.keys():
            return FALSE
        if not reads(tree, "pv") <= (shown or {}).keys():
            return FALSE
        return self.simple.condition(self.over(tree, -1, event.data, shown, event.channel))

    def locality(self, whom: Any, event: Event) -> Node:
        if event.kind != "get":
            return FALSE
        i, c = event.actor  # type: ignore[misc]
        form = self.model.instances[i].agent.commands[c].partner[0]
        if whom == "any":
            return TRUE if form == "condition" else FALSE
        return TRUE if form == "name" and event.other[0] == whom else FALSE  # type: ignore[index]

    def quantified(self, kind: str, inside: Node, event: Event) -> Node:
        i, c = event.actor  # type: ignore[misc]
        guard = self.model.instances[i].agent.commands[c].partner
        if event.kind == "get":
            form, guard = guard
            if form == "name":
                j = event.other[0]  # type: ignore[index]
                relabel = self.model.instances[j].agent.relabel
                return self.described(inside, event, {p: self.over(e, j) for p, e in relabel.items()})
        cases = []
        for chosen in assignments(self.model, sorted(property_variables(inside) | reads(guard, "pv"))):
            shown = {p: self.constant(p, value) for p, value in chosen.items()}
            meant = self.simple.condition(self.over(guard, i, shown=shown, channel=event.channel))
            described = self.described(inside, event, shown)
            cases.append(conj([meant, described]) if kind == "exists" else disj([neg(meant), described]))
        return disj(cases) if kind == "exists" else conj(cases)

    def constant(self, p: int, value: Any) -> Node:
        type_ = self.model.properties[p][1]
        name = type_[1] if type_[0] == "enum" else "int" if type_[0] == "range" else type_[0]
        return node("const", name, value)

    def described(self, o: Node, event: Event, shown: dict[int, Node]) -> Node:
        if o.kind == "data":
            return self.data_true(o.args[0], event, shown)
        if o.kind == "not":
            return neg(self.described(o.args[0], event, shown))
        if o.kind in ("&", "|", "->", "<->"):
            return connected(o.kind, *(self.described(a, event, shown) for a in o.args))
        raise Unsupported(f"{o.kind} inside of exists(..) or forall(..)")

    # ---------------------------------------------------------------- scripts

    def declare(self, script: Script, k: int) -> None:
        for variable in self.variables:
            script.declare(variable, k, self.sort(variable))

    def ranges(self, script: Script, k: int) -> str:
        """The conjunction of the ranges of all variables in state k."""
        found = []
        for variable in self.variables:
            bounds = None if self.sort(variable) == "Bool" else self.simple.bounds(variable)
            if bounds is not None:
                symbol = script.symbol(variable, k)
                low, high = (script.text(number(b), k) for b in bounds)
                found.append(f"(<= {low} {symbol} {high})")
        return all_of(found)

    def initial(self, script: Script) -> str:
        """The condition on initial states, in state 0."""
        found = []
        for i in self.model.instances:
            found.append(f"(= {script.symbol(node('auto', i.number), 0)} 0)")
            for tree in (i.agent.init, i.condition):
                if tree is not None:
                    condition = self.condition(self.over(tree, i.number))
                    found.append(script.text(condition, 0))
        if self.model.where is not None:
            where = Scope(self.model, None).as_expression(self.model.where)
            found.append(script.text(self.condition(where), 0))
        found += [f"(not {script.symbol(node('took', i, c), 0)})" for i, c in self.labels]
        return all_of(found)

    def step(self, script: Script, k: int) -> None:
        """Asserts that a step leads from state k to state k + 1."""
        script.lines.append(f"(declare-const event@{k} Int)")
        for pick in self.picks.values():
            script.declare(pick, k, "Int")
        script.claim(f"(<= 0 event@{k} {len(self.events) - 1})")
        for event in self.events:
            script.claim(f"(=> (= event@{k} {event.number}) {self.happens(script, k, event)})")

    def happens(self, script: Script, k: int, event: Event) -> str:
        """An event is possible in state k, and state k + 1 is the one behind it."""
        found = [script.text(event.possible, k)]
        after: dict[Node, str] = {}
        takers: dict[tuple[int, int], str] = {}
        for pair in (event.actor, event.other):
            if pair is not None:
                command = self.model.instances[pair[0]].agent.commands[pair[1]]
                for variable, value in self.updates(pair[0], command, event.given[pair[0]]):
                    after[variable] = script.text(value, k)
        for receiver in event.receivers:
            pick = script.symbol(self.picks[receiver.number], k)
            takes = script.text(receiver.takes, k)
            chosen = [(r, f"(= {pick} {r.number})") for r, _ in receiver.ready]
            found.append(f"(=> {takes} {any_of([text for _, text in chosen])})")
            for (r, is_chosen), (_, ok) in zip(chosen, receiver.ready):
                taken = script.define("Bool", all_of([takes, is_chosen]))
                found.append(f"(=> {taken} {script.text(ok, k)})")
                takers[(receiver.number, r.number)] = taken
                for variable, value in self.updates(receiver.number, r, event.data):
                    before = after.get(variable, script.symbol(variable, k))
                    after[variable] = f"(ite {taken} {script.text(value, k)} {before})"
        for variable in self.variables:
            if variable.kind == "took":
                value = takers.get(variable.args, "false")
            else:
                value = after.get(variable, script.symbol(variable, k))
            found.append(f"(= {script.symbol(variable, k + 1)} {value})")
        return all_of(found)

    def updates(self, i: int, command: Command, data: dict[int, Node]) -> list[tuple[Node, Node]]:
        found = [(node("auto", i), self.simple.value(number(command.target)))]
        for x, e in command.updates.items():
            found.append((node("var", i, x), self.simple.value(self.over(e, i, data))))
        return found


def acts(event: Event, i: int, c: int | None) -> bool:
    return any(a is not None and a[0] == i and c in (None, a[1]) for a in (event.actor, event.other))


def has_role(role: str, i: int, event: Event) -> bool:
    """True if an instance has this role in an event."""
    send = event.kind == "send"
    actor = event.actor is not None and event.actor[0] == i
    other = event.other is not None and event.other[0] == i
    return {"sender": send and actor, "getter": not send and actor, "supplier": other, "initiator": actor,
            "producer": send and actor or other}[role]


def connected(kind: str, a: Node, b: Node) -> Node:
    if kind == "&":
        return conj([a, b])
    if kind == "|":
        return disj([a, b])
    return disj([neg(a), b]) if kind == "->" else iff(a, b)
