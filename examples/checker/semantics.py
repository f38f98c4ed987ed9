"""Concrete states and steps of a model, and what formulas say about them.

A state is a row: for each instance the number of its local state in a table that grows as local states
are met. Locals that are not kept have the value UNKNOWN, which nothing may look at.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator

from model import Agent, Command, Model, reads_of
from outcome import Unsupported
from trees import Node, nodes, truncated


class Unknown:
    """The value of a local that is not kept. To look at it is an error of the checker."""

    def complain(self, *_: Any) -> Any:
        raise AssertionError("a local that is not kept was read")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = complain  # type: ignore[assignment]
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = complain

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "?"


UNKNOWN = Unknown()

Row = tuple[int, ...]
Pair = tuple[int, int]
Local = tuple[int, tuple]               # automaton state, values of all locals


@dataclass(frozen=True)
class Step:
    """A step: `kind` is send, get or stutter. A get has its supply as `other`."""
    kind: str
    actor: Pair | None                  # instance and command
    other: Pair | None
    channel: int | None
    data: tuple                         # pairs of a message variable and its value
    receives: tuple[Pair, ...]
    target: Row


# ---------------------------------------------------------------- expressions

SIGNS = {"<->": "==", "=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "+": "+", "-": "-", "*": "*"}


def source(tree: Node) -> str:
    """An expression as a Python expression."""
    kind, args = tree.kind, tree.args
    if kind == "const":
        return repr(args[1])
    simple = {"local": "L[{}]", "msg": "M[{}]", "pv": "P[{}]", "chan": "C", "myself": "I", "auto": "S[{}][0]",
              "var": "S[{}][1][{}]", "deadlock": "D()", "enabled": "N({},{})"}
    if kind in simple:
        return simple[kind].format(*args)
    if kind == "not":
        return f"(not {source(args[0])})"
    if kind == "neg":
        return f"(-{source(args[0])})"
    if kind == "if":
        return f"({source(args[1])} if {source(args[0])} else {source(args[2])})"
    if kind in ("&", "|"):
        word = " and " if kind == "&" else " or "
        return "(" + word.join(source(a) for a in flattened(tree)) + ")"
    if kind == "->":
        return f"(not {source(args[0])} or {source(args[1])})"
    if kind == "/":
        return f"T({source(args[0])},{source(args[1])})"
    return f"({source(args[0])}{SIGNS[kind]}{source(args[1])})"


def flattened(tree: Node) -> list[Node]:
    """The operands of a chain of one connective."""
    found: list[Node] = []
    todo = [tree]
    while todo:
        item = todo.pop()
        if item.kind == tree.kind:
            todo += reversed(item.args)
        else:
            found.append(item)
    return found


_compiled: dict[Node, Callable] = {}


def compiled(tree: Node) -> Callable:
    """A function of locals, data, property variables, channel, instance, state, and questions about steps."""
    found = _compiled.get(tree)
    if found is None:
        try:
            code = f"lambda L=None,M=None,P=None,C=None,I=None,S=None,D=None,N=None: {source(tree)}"
            found = eval(code, {"T": truncated})
        except (RecursionError, SyntaxError, MemoryError) as error:
            raise Unsupported(f"an expression that is too deep ({error})") from None
        _compiled[tree] = found
    return found


def reads(tree: Node | None, kind: str) -> frozenset[int]:
    """The numbers of the locals, message variables or property variables that an expression reads."""
    return frozenset() if tree is None else frozenset(n.args[0] for n in reads_of(tree) if n.kind == kind)


# ----------------------------------------------------------------- kept locals

def code_of(agent: Agent, model: Model) -> Iterator[Node]:
    """The expressions of an agent type whose locals are always kept."""
    if agent.receive_guard is not None:
        yield agent.receive_guard
    yield from agent.relabel.values()
    for c in agent.commands:
        yield c.guard
        if c.channel is not None:
            yield c.channel
        if isinstance(c.partner, Node):
            yield c.partner
        elif c.partner is not None and c.partner[1] is not None:
            yield c.partner[1]
        yield from (e for m, e in c.data.items() if model.messages[m][1][0] == "range")
        yield from (e for x, e in c.updates.items() if agent.locals[x][1][0] == "range")


def kept_locals(model: Model, f: Node) -> list[frozenset[int]]:
    """Per instance the locals on which steps and a formula depend."""
    kept: list[set[int]] = [set() for _ in model.instances]
    messages: set[int] = set()

    def note(instance: int, expression: Node) -> None:
        kept[instance].update(reads(expression, "local"))
        messages.update(reads(expression, "msg"))

    for i in model.instances:
        for expression in code_of(i.agent, model):
            note(i.number, expression)
    for part in nodes([f]):
        if part.kind == "var":
            kept[part.args[0]].add(part.args[1])
        elif part.kind == "msg":
            messages.add(part.args[0])
        elif part.kind == "Branching" and part.args[0] != "can":
            for i in range(len(kept)) if part.args[0] == "could" else part.args[1]:
                kept[i].update(range(len(model.instances[i].agent.locals)))
    before = None
    while before != (size := (sum(map(len, kept)), len(messages))):
        before = size
        for i in model.instances:
            for c in i.agent.commands:
                for m, e in c.data.items():
                    if m in messages:
                        note(i.number, e)
                for x, e in c.updates.items():
                    if x in kept[i.number]:
                        note(i.number, e)
    return [frozenset(k) for k in kept]


# ----------------------------------------------------------------------- steps

def inside(type_: tuple, value: Any) -> bool:
    """True of values in the range of a type."""
    return type_[0] != "range" or type_[1] <= value <= type_[2]


class Space:
    """The states of a model, as far as some locals tell them apart, and their steps."""

    def __init__(self, model: Model, kept: list[frozenset[int]]) -> None:
        self.model = model
        self.kept = kept
        self.locals: list[list[Local]] = [[] for _ in model.instances]
        self.number_of: list[dict[Local, int]] = [{} for _ in model.instances]
        self.gets = {i.number: [c for c in i.agent.commands if c.kind == "get"] for i in model.instances}
        self.supplies = {i.number: [c for c in i.agent.commands if c.kind == "supply"] for i in model.instances}
        self.sends_of: dict[Pair, list] = {}
        self.reactions: dict[tuple, Any] = {}
        self.exchanges: dict[tuple, Any] = {}
        self.shown: dict[Pair, dict[int, Any]] = {}
        self.steps_of: dict[Row, list[Step]] = {}
        self.observed: dict[tuple, bool] = {}

    def number(self, instance: int, state: int, values: Iterable[Any]) -> int:
        """The number of a local state. Values of locals that are not kept do not count."""
        kept = self.kept[instance]
        local = (state, tuple(v if x in kept else UNKNOWN for x, v in enumerate(values)))
        found = self.number_of[instance].get(local)
        if found is None:
            found = self.number_of[instance][local] = len(self.locals[instance])
            self.locals[instance].append(local)
        return found

    def relabelled(self, instance: int, local: int) -> dict[int, Any]:
        """The property variables that an instance shows."""
        key = (instance, local)
        if key not in self.shown:
            values = self.locals[instance][local][1]
            relabel = self.model.instances[instance].agent.relabel
            self.shown[key] = {p: compiled(e)(L=values, I=instance) for p, e in relabel.items()}
        return self.shown[key]

    def data(self, instance: int, values: tuple, command: Command) -> dict[int, Any] | None:
        """The values that a message carries, or None if one of them is out of range."""
        data = {}
        for m, e in command.data.items():
            known = reads(e, "local") <= self.kept[instance]
            data[m] = compiled(e)(L=values, I=instance) if known else UNKNOWN
            if known and not inside(self.model.messages[m][1], data[m]):
                return None
        return data

    def updated(self, instance: int, local: int, command: Command, data: dict[int, Any] | None) -> int | None:
        """The number of the local state behind a command, or None if an update is out of range."""
        values = self.locals[instance][local][1]
        after = list(values)
        for x, e in command.updates.items():
            type_ = self.model.instances[instance].agent.locals[x][1]
            if x in self.kept[instance] or type_[0] == "range":
                after[x] = compiled(e)(L=values, M=data, I=instance)
                if not inside(type_, after[x]):
                    return None
        return self.number(instance, command.target, after)

    def guarded(self, instance: int, local: int, command: Command, data: dict[int, Any] | None) -> bool:
        """True if a command leaves the local state, its data are there, and its guard is true."""
        state, values = self.locals[instance][local]
        if command.source != state:
            return False
        if data is not None and not command.needed <= data.keys():
            return False
        return compiled(command.guard)(L=values, M=data, I=instance)

    def sends(self, instance: int, local: int) -> list[tuple[Command, int, dict[int, Any], int]]:
        """The sends that an instance can begin: command, channel, data, local state behind it."""
        key = (instance, local)
        if key in self.sends_of:
            return self.sends_of[key]
        found = []
        values = self.locals[instance][local][1]
        for c in self.model.instances[instance].agent.commands:
            if c.kind != "send" or not self.guarded(instance, local, c, None):
                continue
            data = self.data(instance, values, c)
            after = None if data is None else self.updated(instance, local, c, None)
            if data is not None and after is not None:
                channel = compiled(c.channel)(L=values, I=instance)  # type: ignore[arg-type]
                found.append((c, channel, data, after))
        self.sends_of[key] = found
        return found

    def reaction(self, sender: int, local: int, send: tuple, other: int, other_local: int) -> Any:
        """How another instance takes part: [] not at all, None if the step cannot be, else its choices."""
        command, channel, data, _ = send
        key = (sender, local, command.number, other, other_local)
        if key not in self.reactions:
            self.reactions[key] = self.react(sender, local, command, channel, data, other, other_local)
        return self.reactions[key]

    def react(self, sender: int, local: int, command: Command, channel: int, data: dict[int, Any],
              other: int, other_local: int) -> list[tuple[Pair, int]] | None:
        agent = self.model.instances[other].agent
        values = self.locals[other][other_local][1]
        guard = agent.receive_guard
        if channel != 0 and guard is not None and not compiled(guard)(L=values, C=channel, I=other):
            return []
        ready = []
        if self.admitted(sender, local, command.partner, channel, other, other_local):
            ready = [r for r in agent.commands if r.kind == "receive" and self.guarded(other, other_local, r, data)
                     and compiled(r.channel)(L=values, I=other) == channel]  # type: ignore[arg-type]
        if not ready:
            return [] if channel == 0 else None
        choices = []
        for r in ready:
            after = self.updated(other, other_local, r, data)
            if after is not None:
                choices.append(((other, r.number), after))
        return choices or None

    def admitted(self, sender: int, local: int, guard: Node, channel: int | None, other: int, other_local: int) -> bool:
        """A send guard, or the condition of a get, is true of another instance."""
        shown = self.relabelled(other, other_local)
        if not reads(guard, "pv") <= shown.keys():
            return False
        return compiled(guard)(L=self.locals[sender][local][1], P=shown, C=channel, I=sender)

    def exchange(self, i: int, local: int, g: Command, j: int, other_local: int, h: Command) -> Any:
        """The local states behind a get and supply and its data, or None if they do not meet."""
        key = (i, local, g.number, j, other_local, h.number)
        if key not in self.exchanges:
            self.exchanges[key] = self.meet(i, local, g, j, other_local, h)
        return self.exchanges[key]

    def meet(self, i: int, local: int, g: Command, j: int, other_local: int, h: Command) -> tuple | None:
        values, others = self.locals[i][local], self.locals[j][other_local]
        if values[0] != g.source or others[0] != h.source:
            return None
        form, tree = g.partner
        if form == "name":
            if compiled(tree)(L=values[1], I=i) != j:
                return None
        elif not self.admitted(i, local, tree, None, j, other_local):
            return None
        if not self.serves(form, i, j, others[1], h):
            return None
        data, back = self.data(i, values[1], g), self.data(j, others[1], h)
        if data is None or back is None:
            return None
        if not self.guarded(i, local, g, back) or not self.guarded(j, other_local, h, data):
            return None
        after, other_after = self.updated(i, local, g, back), self.updated(j, other_local, h, data)
        if after is None or other_after is None:
            return None
        return after, other_after, tuple(sorted((data | back).items()))

    def serves(self, form: str, i: int, j: int, values: tuple, h: Command) -> bool:
        kind, tree = h.partner
        paper = self.model.paper
        if kind == "any":
            return not paper or form == "condition"
        if kind == "myself":
            return form == "name"
        named = compiled(tree)(L=values, I=j)
        return form == "name" and named == j if paper else named == i

    def steps(self, row: Row) -> list[Step]:
        """All steps from a state."""
        found = self.steps_of.get(row)
        if found is None:
            if len(self.steps_of) > 200_000:
                self.steps_of.clear()
            found = list(self.send_steps(row)) + list(self.get_steps(row))
            if not found:
                found = [Step("stutter", None, None, None, (), (), row)]
            self.steps_of[row] = found
        return found

    def send_steps(self, row: Row) -> Iterator[Step]:
        for i, local in enumerate(row):
            for send in self.sends(i, local):
                command, channel, data, after = send
                choices = []
                for j, other_local in enumerate(row):
                    reaction = [] if j == i else self.reaction(i, local, send, j, other_local)
                    if reaction is None:
                        break
                    if reaction:
                        choices.append(reaction)
                else:
                    carried = tuple(sorted(data.items()))
                    for taken in itertools.product(*choices):
                        target = list(row)
                        target[i] = after
                        for (j, _), other_after in taken:
                            target[j] = other_after
                        yield Step("send", (i, command.number), None, channel, carried,
                                   tuple(pair for pair, _ in taken), tuple(target))

    def get_steps(self, row: Row) -> Iterator[Step]:
        for i, j in itertools.permutations(range(len(row)), 2):
            for g, h in itertools.product(self.gets[i], self.supplies[j]):
                met = self.exchange(i, row[i], g, j, row[j], h)
                if met is not None:
                    target = list(row)
                    target[i], target[j] = met[0], met[1]
                    yield Step("get", (i, g.number), (j, h.number), None, met[2], (), tuple(target))

    # -------------------------------------------------------------- truth

    def state(self, row: Row) -> list[Local]:
        return [self.locals[i][n] for i, n in enumerate(row)]

    def holds(self, expression: Node, row: Row) -> Any:
        """The value of an expression of formulas in a state."""
        def deadlock() -> bool:
            return self.steps(row)[0].kind == "stutter"

        def enabled(i: int, c: int | None) -> bool:
            actors = [a for s in self.steps(row) for a in (s.actor, s.other) if a is not None]
            return any(a[0] == i and c in (None, a[1]) for a in actors)

        return compiled(expression)(S=self.state(row), D=deadlock, N=enabled)

    def label(self, i: int, c: int, step: Step) -> bool:
        """The label of a send, get or supply."""
        return (i, c) in (step.actor, step.other)

    def observes(self, o: Node, row: Row, step: Step) -> bool:
        """True if a step from a state is observed."""
        if step.kind == "stutter":
            return False
        actors = tuple((p[0], row[p[0]], p[1]) for p in (step.actor, step.other) if p is not None)
        key = (o, actors)
        if key not in self.observed:
            self.observed[key] = self.observe(o, row, step, dict(step.data))
        return self.observed[key]

    def observe(self, o: Node, row: Row, step: Step, data: dict[int, Any]) -> bool:
        kind, args = o.kind, o.args
        if kind == "data":
            return self.data_true(args[0], step, data, None)
        if kind == "role":
            return acts_as(args[0], args[1], step)
        if kind == "p2p":
            return step.kind == "get"
        if kind == "locality":
            return self.locality(args[0], step)
        if kind in ("exists", "forall"):
            some = any if kind == "exists" else all
            return some(self.described(args[0], step, data, shown) for shown in self.audience(args[0], row, step))
        if kind == "not":
            return not self.observe(args[0], row, step, data)
        return connected(kind, *(self.observe(a, row, step, data) for a in args))

    def described(self, o: Node, step: Step, data: dict[int, Any], shown: dict[int, Any]) -> bool:
        """The inside of exists(..) and forall(..), under values of property variables."""
        if o.kind == "data":
            return self.data_true(o.args[0], step, data, shown)
        if o.kind == "not":
            return not self.described(o.args[0], step, data, shown)
        if o.kind in ("&", "|", "->", "<->"):
            return connected(o.kind, *(self.described(a, step, data, shown) for a in o.args))
        raise Unsupported(f"{o.kind} inside of exists(..) or forall(..)")

    def data_true(self, tree: Node, step: Step, data: dict[int, Any], shown: dict[int, Any] | None) -> bool:
        read = reads_of(tree)
        if any(n.kind == "chan" for n in read) and step.channel is None:
            return False
        if not reads(tree, "msg") <= data.keys() or not reads(tree, "pv") <= (shown or {}).keys():
            return False
        return compiled(tree)(M=data, P=shown, C=step.channel)

    def locality(self, whom: Any, step: Step) -> bool:
        if step.kind != "get":
            return False
        i, c = step.actor  # type: ignore[misc]
        form = self.model.instances[i].agent.commands[c].partner[0]
        if whom == "any":
            return form == "condition"
        return form == "name" and step.other[0] == whom  # type: ignore[index]

    def audience(self, inside: Node, row: Row, step: Step) -> Iterator[dict[int, Any]]:
        """The assignments to property variables that a message is meant for."""
        i, c = step.actor  # type: ignore[misc]
        command = self.model.instances[i].agent.commands[c]
        if step.kind == "get":
            form, guard = command.partner
            if form == "name":
                yield self.relabelled(step.other[0], row[step.other[0]])  # type: ignore[index]
                return
        else:
            guard = command.partner
        values = self.locals[i][row[i]][1]
        for shown in assignments(self.model, sorted(property_variables(inside) | reads(guard, "pv"))):
            if compiled(guard)(L=values, P=shown, C=step.channel, I=i):
                yield shown


def property_variables(o: Node) -> frozenset[int]:
    return frozenset(n.args[0] for n in nodes([o]) if n.kind == "pv")


def assignments(model: Model, variables: list[int]) -> Iterator[dict[int, Any]]:
    """All assignments of values to property variables."""
    domains = []
    for p in variables:
        values = model.values(model.properties[p][1])
        if values is None:
            raise Unsupported("a property variable with infinitely many values in an observation")
        domains.append(values)
    for chosen in itertools.product(*domains):
        yield dict(zip(variables, chosen))


def connected(kind: str, a: bool, b: bool) -> bool:
    if kind == "&":
        return a and b
    if kind == "|":
        return a or b
    return (not a or b) if kind == "->" else a == b


def acts_as(role: str, instance: int, step: Step) -> bool:
    """True if an instance has this role in a step."""
    actor = step.actor is not None and step.actor[0] == instance
    other = step.other is not None and step.other[0] == instance
    send = step.kind == "send"
    if role == "sender":
        return send and actor
    if role == "getter":
        return not send and actor
    if role == "supplier":
        return other
    if role == "initiator":
        return actor
    return send and actor or other
