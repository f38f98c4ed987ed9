"""From a parsed file to a model: numbers instead of names, no macros, no constants, no families."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import syntax
from outcome import BadInput, Unsupported
from trees import (FALSE, TRUE, And, Node, Not, Or, always, atom, binary, box, children, choose, diamond, eventually,
                   implies, is_diamond, minus, negation, next_, node, nodes, number, pairwise, release, until)

Type = tuple                    # ("bool",), ("int",), ("range", low, high), ("channel",), ("location",), ("enum", name)


@dataclass
class Command:
    """A command of an agent type. `partner` is a send guard, or for gets and supplies a pair.

    Pairs: ("name", E) or ("condition", E) for a get; ("any", None), ("myself", None) or ("location", E)
    for a supply.
    """
    number: int
    label: str | None
    kind: str
    source: int
    target: int
    guard: Node
    channel: Node | None
    partner: Any
    data: dict[int, Node]
    updates: dict[int, Node]
    needed: frozenset[int] = frozenset()        # the message variables that guard and updates read

    def __post_init__(self) -> None:
        self.needed = frozenset(n.args[0] for n in reads_of(self.guard, *self.updates.values()) if n.kind == "msg")


@dataclass
class Agent:
    name: str
    number: int
    locals: list[tuple[str, Type]]
    init: Node | None = None
    receive_guard: Node | None = None
    relabel: dict[int, Node] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    states: int = 1

    def local(self, name: str) -> int | None:
        return next((n for n, (x, _) in enumerate(self.locals) if x == name), None)

    def labelled(self, name: str) -> Command | None:
        return next((c for c in self.commands if c.label == name), None)


@dataclass
class Instance:
    name: str
    number: int
    agent: Agent
    condition: Node


@dataclass
class Spec:
    name: str | None
    formula: Node               # as it is written; see `logic.formula_of`
    assumptions: list[Node]


class Model:
    """A model with everything that its steps and specs need."""

    def __init__(self, file: syntax.File) -> None:
        self.file = file
        self.channels = file.channels
        self.enums = list(file.enums.items())
        self.constants = file.constants
        self.paper = file.point_to_point == "paper"
        self.messages = [(name, self.type(t)) for name, t in file.messages]
        self.properties = [(name, self.type(t)) for name, t in file.properties]
        self.names = self.global_names()
        self.agents = [Agent(a.name, n, [(x, self.type(t)) for x, t in a.locals]) for n, a in enumerate(file.agents)]
        by_name = {a.name: a for a in self.agents}
        self.instances: list[Instance] = []
        for n, instance in enumerate(file.instances):
            if instance.agent not in by_name:
                raise BadInput(f"no agent type {instance.agent}")
            self.instances.append(Instance(instance.name, n, by_name[instance.agent], TRUE))
        self.instance_of = {i.name: i for i in self.instances}
        self.check_names()
        for agent, text in zip(self.agents, file.agents):
            self.fill(agent, text)
        for instance, text in zip(self.instances, file.instances):
            scope = Scope(self, instance.agent, index=text.index)
            instance.condition = scope.expression(text.condition)
        formulas = Scope(self, None)
        self.where = None if file.where is None else formulas.formula(file.where)
        self.specs: list[Spec] = []
        assumptions: list[Node] = []
        for spec in file.specs:
            if spec.assumption:
                assumptions.append(formulas.formula(spec.formula))
            else:
                self.specs.append(Spec(spec.name, formulas.formula(spec.formula), list(assumptions)))
        self.assumptions = assumptions
        self.starts: list[list[tuple[int, tuple]]] | None = None    # the initial states, if they are listed

    def global_names(self) -> dict[str, Node]:
        """All names that are constants, but those of instances."""
        names = {c: node("const", "channel", n) for n, c in enumerate(self.channels)}
        for enum, constants in self.enums:
            for n, c in enumerate(constants):
                names[c] = node("const", enum, n)
        for name, value in self.constants.items():
            names[name] = node("const", "bool" if isinstance(value, bool) else "int", value)
        return names

    def check_names(self) -> None:
        """Names that would have two meanings are not understood."""
        names = [c for _, cs in self.enums for c in cs] + self.channels + list(self.constants)
        names += [m for m, _ in self.messages] + [p for p, _ in self.properties] + list(self.instance_of)
        double = {n for n in names if names.count(n) > 1}
        if double or len(self.instance_of) != len(self.instances):
            raise Unsupported(f"names with two meanings: {sorted(double)}")
        for agent in self.agents:
            for local, _ in agent.locals:
                if local in names:
                    raise Unsupported(f"the name {local} has two meanings")

    def type(self, written: tuple) -> Type:
        if written[0] == "enum" and written[1] not in self.file.enums:
            raise BadInput(f"no type {written[1]}")
        return written

    def values(self, type_: Type) -> range | list[bool] | None:
        """All values of a type, or None for int."""
        if type_[0] == "bool":
            return [False, True]
        if type_[0] == "range":
            return range(type_[1], type_[2] + 1)
        if type_[0] == "channel":
            return range(len(self.channels))
        if type_[0] == "location":
            return range(len(self.instances))
        if type_[0] == "enum":
            return range(len(self.file.enums[type_[1]]))
        return None

    def fill(self, agent: Agent, text: syntax.Agent) -> None:
        """Everything of an agent type that has expressions."""
        scope = Scope(self, agent)
        if text.init is not None:
            agent.init = scope.expression(text.init)
        if text.receive_guard is not None:
            agent.receive_guard = scope.expression(text.receive_guard)
        for name, value in text.relabel:
            agent.relabel[self.property(name)] = scope.expression(value)
        self.automaton(agent, text.process, 0, 0)

    def property(self, name: str) -> int:
        for n, (p, _) in enumerate(self.properties):
            if p == name:
                return n
        raise BadInput(f"no property variable {name}")

    def message(self, name: str) -> int:
        for n, (m, _) in enumerate(self.messages):
            if m == name:
                return n
        raise BadInput(f"no message variable {name}")

    def automaton(self, agent: Agent, process: tuple, source: int, target: int) -> None:
        """Adds a process between two states of the automaton of an agent type."""
        if process[0] == "command":
            agent.commands.append(self.command(agent, process[1], source, target))
        elif process[0] == "rep":
            self.automaton(agent, process[1], source, source)
        elif process[0] == "+":
            self.automaton(agent, process[1], source, target)
            self.automaton(agent, process[2], source, target)
        else:
            middle = agent.states
            agent.states += 1
            self.automaton(agent, process[1], source, middle)
            self.automaton(agent, process[2], middle, target)

    def command(self, agent: Agent, text: syntax.Command, source: int, target: int) -> Command:
        scope = Scope(self, agent)
        channel = None if text.channel is None else scope.expression(("name", text.channel))
        data = {self.message(m): scope.expression(e) for m, e in text.data}
        updates = {}
        for x, e in text.updates:
            local = agent.local(x)
            if local is None:
                raise BadInput(f"agent {agent.name} has no local {x}")
            updates[local] = scope.expression(e)
        return Command(len(agent.commands), text.label, text.kind, source, target, scope.expression(text.guard),
                       channel, self.partner(scope, text), data, updates)

    def partner(self, scope: "Scope", text: syntax.Command) -> Any:
        """The other side of a command: a send guard, or a pair for a get or supply."""
        if text.kind == "send":
            return scope.expression(text.partner)
        if text.kind == "supply":
            if text.partner in ("any", "myself", "self"):
                return ("any" if text.partner == "any" else "myself", None)
            return ("location", scope.expression(("name", text.partner)))
        if text.kind == "get":
            form, written = text.partner
            if form == "name" and scope.names_location(written):
                return ("name", scope.expression(("name", written)))
            return ("condition", scope.expression(("name", written) if form == "name" else written))
        return None

    def members(self, types: list[str]) -> list[Instance]:
        """The instances of some agent types, in the order of the system."""
        known = {a.name for a in self.agents}
        for name in types:
            if name not in known and name != "Agent":
                raise BadInput(f"no agent type {name}")
        return [i for i in self.instances if i.agent.name in types or "Agent" in types and "Agent" not in known]


class Scope:
    """Gives names their meaning: in the code of an agent type, or in formulas (without agent type)."""

    def __init__(self, model: Model, agent: Agent | None, index: int | None = None) -> None:
        self.model = model
        self.agent = agent
        self.index = index
        self.bound: dict[str, Instance] = {}

    # ---------------------------------------------------------- results

    def expression(self, tree: tuple) -> Node:
        """A tree that has to be an expression. Formulas without labels and operators on runs become one."""
        return self.as_expression(self.any(tree))

    def formula(self, tree: tuple) -> Node:
        return as_formula(self.any(tree))

    def as_expression(self, tree: Node) -> Node:
        """A formula about a state alone, as an expression."""
        if not is_formula(tree):
            return tree
        if tree.kind == "Atom":
            return tree.args[0]
        if tree.kind == "Not":
            return negation(self.as_expression(tree.args[0]))
        if tree.kind in ("And", "Or"):
            sign, empty = ("&", TRUE) if tree.kind == "And" else ("|", FALSE)
            return pairwise([self.as_expression(f) for f in tree.args[0]], lambda a, b: node(sign, a, b), empty)
        if tree.kind == "Iff":
            return node("<->", *(self.as_expression(f) for f in tree.args))
        raise BadInput("an expression about more than a state")

    # ------------------------------------------------------------ names

    def names_location(self, name: str) -> bool:
        """True of a name that stands for an instance."""
        if name in ("myself", "self") or name in self.model.instance_of:
            return True
        local = None if self.agent is None else self.agent.local(name)
        return local is not None and self.agent is not None and self.agent.locals[local][1] == ("location",)

    def name(self, name: str) -> Node:
        if name in self.bound:
            return node("const", "location", self.bound[name].number)
        if self.agent is not None:
            found = self.name_in_code(name)
            if found is not None:
                return found
        if name in self.model.names:
            return self.model.names[name]
        if name in self.model.instance_of:
            return node("const", "location", self.model.instance_of[name].number)
        if name == "deadlock" and self.agent is None:
            return node("deadlock")
        if self.model.file.classic and self.agent is None and name in ("keep-all", "PROGRESS"):
            return node("deadlock") if name == "keep-all" else negation(node("deadlock"))
        raise BadInput(f"unknown name {name}")

    def name_in_code(self, name: str) -> Node | None:
        assert self.agent is not None
        local = self.agent.local(name)
        if local is not None:
            return node("local", local)
        for kind, declared in (("msg", self.model.messages), ("pv", self.model.properties)):
            for n, (x, _) in enumerate(declared):
                if x == name:
                    return node(kind, n)
        if name in self.model.names or name in self.model.instance_of:
            return None
        if name == "chan" or self.model.file.classic and name in ("channel", "ch"):
            return node("chan")
        if name in ("myself", "self"):
            return node("myself")
        if name == "index" and self.index is not None:
            return number(self.index)
        return None

    def instance(self, name: str) -> Instance:
        found = self.bound.get(name) or self.model.instance_of.get(name)
        if found is None:
            raise BadInput(f"no instance {name}")
        return found

    def member(self, name: str, x: str) -> Node:
        """`i-x`: a local, an automaton state, a label, or the instance itself."""
        instance = self.instance(name)
        local = instance.agent.local(x)
        if local is not None:
            return node("var", instance.number, local)
        command = instance.agent.labelled(x)
        if command is not None:
            return node("Label", instance.number, command.number)
        if x == "automaton-state":
            return node("auto", instance.number)
        if x == "myself" or self.model.file.classic and x == "name":
            return node("const", "location", instance.number)
        raise BadInput(f"{name} has no {x}")

    # ------------------------------------------------------------ trees

    def any(self, tree: tuple) -> Node:
        """An expression or a formula."""
        kind = tree[0]
        if kind == "number":
            return number(tree[1])
        if kind == "truth":
            return TRUE if tree[1] else FALSE
        if kind == "name":
            return self.name(tree[1])
        if kind == "property":
            return node("pv", self.model.property(tree[1]))
        if kind == "of":
            return self.member(tree[1], tree[2])
        if kind == "call":
            return self.any(inlined(self.model, tree))
        if kind == "neg":
            return minus(self.expression(tree[1]))
        if kind == "!":
            inside = self.any(tree[1])
            return Not(inside) if is_formula(inside) else negation(inside)
        if kind == "if":
            return choose(*(self.expression(t) for t in tree[1:]))
        if kind in ("+", "-", "*", "/", "<", "<=", ">", ">="):
            return binary(kind, self.expression(tree[1]), self.expression(tree[2]))
        if kind in ("&", "|", "->", "<->", "=", "!="):
            return self.joined(kind, self.any(tree[1]), self.any(tree[2]))
        if kind in ("sum", "count", "size"):
            return self.counted(tree)
        return self.only_formula(tree)

    def joined(self, kind: str, left: Node, right: Node) -> Node:
        """An operator that joins expressions to an expression, and formulas to a formula."""
        if not is_formula(left) and not is_formula(right):
            return binary(kind, left, right)
        f, g = as_formula(left), as_formula(right)
        if kind == "&":
            return And(*f.args[0], g) if f.kind == "And" and not is_diamond(f) else And(f, g)
        if kind == "|":
            return Or(*f.args[0], g) if f.kind == "Or" else Or(f, g)
        if kind == "->":
            return implies(f, g)
        same = node("Iff", f, g)
        return Not(same) if kind == "!=" else same

    def counted(self, tree: tuple) -> Node:
        """Numbers over instances."""
        if tree[0] == "size":
            return number(len(self.model.members(tree[1])))
        terms = []
        for term in self.instantiated(tree[1], tree[2], lambda: self.expression(tree[3])):
            terms.append(term if tree[0] == "sum" else choose(term, number(1), number(0)))
        return pairwise(terms, lambda a, b: binary("+", a, b), number(0))

    def instantiated(self, variables: list[str], types: list[str], make) -> list[Node]:
        """One result for each choice of instances for the variables."""
        if not variables:
            return [make()]
        found = []
        outside = dict(self.bound)
        for instance in self.model.members(types):
            self.bound = outside | {variables[0]: instance}
            found += self.instantiated(variables[1:], types, make)
        self.bound = outside
        return found

    def quantified(self, kind: str, variables: list[str], types: list[str], body: tuple) -> Node:
        if not variables:
            return self.formula(body)
        outside = dict(self.bound)
        fs = []
        for instance in self.model.members(types):
            self.bound = outside | {variables[0]: instance}
            fs.append(self.quantified(kind, variables[1:], types, body))
        self.bound = outside
        return And(*fs) if kind == "forall" else Or(*fs)

    def only_formula(self, tree: tuple) -> Node:
        """Everything that is no operator on values."""
        kind = tree[0]
        if kind in ("forall", "exists"):
            return self.quantified(kind, tree[1], tree[2], tree[3])
        if kind in ("F", "G", "X"):
            return {"F": eventually, "G": always, "X": next_}[kind](self.formula(tree[1]))
        if kind in ("U", "W", "R"):
            f, g = self.formula(tree[1]), self.formula(tree[2])
            return until(f, g) if kind == "U" else node("Weak", f, g) if kind == "W" else release(f, g)
        if kind in ("diamond", "box"):
            o, f = Observer(self).observation(tree[1]), self.formula(tree[2])
            return diamond(o, f) if kind == "diamond" else box(o, f)
        if kind in ("enabled", "acts", "weak", "strong"):
            return self.fairness(kind, tree[1], tree[2])
        if kind == "runs":
            return node("Branching", tree[1], (), self.formula(tree[2]), None)
        if kind in ("knows", "decides"):
            return self.of_group(tree)
        raise BadInput(f"{kind} is not understood here")

    def fairness(self, kind: str, name: str, label: str | None) -> Node:
        instance = self.instance(name)
        command = None if label is None else instance.agent.labelled(label)
        if label is not None and command is None:
            raise BadInput(f"{name} has no command {label}")
        return fairness(instance, kind, command)

    def of_group(self, tree: tuple) -> Node:
        """A formula about what a group knows, or can bring about."""
        form, names = tree[2]
        members = [self.instance(n) for n in names] if form == "instances" else self.model.members(names)
        f = self.formula(tree[3])
        if tree[0] == "knows" and not about_state(f):
            f = node("Branching", "A", (), f, None)
        return node("Branching", tree[1], tuple(sorted({i.number for i in members})), f, None)


def fairness(instance: Instance, kind: str, command: Command | None) -> Node:
    """enabled, acts, weak or strong of an instance or of one command."""
    number_ = None if command is None else command.number
    enabled = node("enabled", instance.number, number_)
    if kind == "enabled":
        return enabled
    if command is not None:
        acts = node("Label", instance.number, command.number)
    else:
        labels = [node("Label", instance.number, c.number) for c in instance.agent.commands if c.kind != "receive"]
        acts = labels[0] if len(labels) == 1 else Or(*labels)
    if kind == "acts":
        return acts
    if kind == "weak":
        return always(eventually(Or(atom(negation(enabled)), acts)))
    return implies(always(eventually(atom(enabled))), always(eventually(acts)))


FORMULAS = {"Atom", "Label", "Observed", "Not", "And", "Or", "Iff", "Next", "Until", "Weak", "Branching"}


def is_formula(tree: Node) -> bool:
    return tree.kind in FORMULAS


def as_formula(tree: Node) -> Node:
    return tree if is_formula(tree) else atom(tree)


def about_state(f: Node) -> bool:
    """True of formulas that contain Atom, Branching and connectives only."""
    if f.kind in ("Atom", "Branching"):
        return True
    return f.kind in ("Not", "And", "Or", "Iff") and all(about_state(g) for g in children(f))


def inlined(model: Model, call: tuple) -> tuple:
    """A call of a macro, with the arguments in place of the parameters."""
    parameters, body = model.file.macros[call[1]]
    if len(parameters) != len(call[2]):
        raise BadInput(f"{call[1]} has {len(parameters)} parameters")
    return substituted(body, dict(zip(parameters, call[2])))


def substituted(tree: Any, values: dict[str, tuple]) -> Any:
    """A parsed tree with other trees in place of names."""
    if isinstance(tree, list):
        return [substituted(t, values) for t in tree]
    if not isinstance(tree, tuple):
        return tree
    if tree[0] == "name":
        return values.get(tree[1], tree)
    if tree[0] in ("forall", "exists", "sum", "count") and set(tree[1]) & set(values):
        raise Unsupported("a quantified variable with the name of a parameter")
    return tuple(substituted(t, values) for t in tree)


ROLES = ("sender", "getter", "supplier", "initiator", "producer")


class Observer(Scope):
    """Observations: who sends, on which channel, with which data, meant for whom."""

    def __init__(self, outside: Scope) -> None:
        super().__init__(outside.model, None)
        self.bound = dict(outside.bound)

    def name(self, name: str) -> Node:
        for kind, declared in (("msg", self.model.messages), ("pv", self.model.properties)):
            for n, (x, _) in enumerate(declared):
                if x == name and name not in self.bound:
                    return node(kind, n)
        if name not in self.bound and name not in self.model.names and name not in self.model.instance_of:
            if name == "chan" or self.model.file.classic and name in ("channel", "ch"):
                return node("chan")
        return super().name(name)

    def observation(self, tree: tuple, quantified: bool = False) -> Node:
        """An observation; inside of exists(..) or forall(..) if `quantified`."""
        kind = tree[0]
        if kind == "call":
            return self.observation(inlined(self.model, tree), quantified)
        if kind == "!":
            return negation(self.observation(tree[1], quantified))
        if kind in ("&", "|", "->", "<->"):
            return node(kind, self.observation(tree[1], quantified), self.observation(tree[2], quantified))
        if kind in ("some", "every"):
            inside = self.observation(tree[1], True)
            return inside if quantified else node("exists" if kind == "some" else "forall", inside)
        if kind in ("forall", "exists"):
            sign, empty = ("&", TRUE) if kind == "forall" else ("|", FALSE)
            parts = self.instantiated(tree[1], tree[2], lambda: self.observation(tree[3], quantified))
            if not parts:
                return node("data", empty)
            result = parts[0]
            for part in parts[1:]:
                result = node(sign, result, part)
            return result
        if kind == "name" and tree[1] == "p2p" and not self.declared("p2p"):
            return node("p2p")
        if kind in ("=", "!="):
            return self.compared(kind, tree[1], tree[2], quantified)
        return self.data(self.plain(self.any(tree)), quantified)

    def declared(self, name: str) -> bool:
        names = [x for x, _ in self.model.messages + self.model.properties]
        return name in self.bound or name in self.model.names or name in self.model.instance_of or name in names

    def plain(self, tree: Node) -> Node:
        if is_formula(tree) or any(n.kind in ("var", "auto", "local", "deadlock", "enabled") for n in reads_of(tree)):
            raise Unsupported("an observation with a formula in it")
        return tree

    def compared(self, kind: str, left: tuple, right: tuple, quantified: bool) -> Node:
        """`=` or `!=`: of a role, of a locality, of descriptors, or of data."""
        if left[0] == "name" and left[1] in ROLES + ("locality",) and not self.declared(left[1]):
            result = self.role(left[1], right)
            return result if kind == "=" else negation(result)
        if self.describes(left) or self.describes(right):
            result = node("<->", self.observation(left, quantified), self.observation(right, quantified))
            return result if kind == "=" else negation(result)
        a, b = self.plain(self.any(left)), self.plain(self.any(right))
        reads = {n.kind for n in reads_of(a, b)}
        if kind == "!=" and ("chan" in reads and "msg" not in reads or "pv" in reads and not quantified):
            return negation(self.data(binary("=", a, b), quantified))
        return self.data(binary(kind, a, b), quantified)

    def describes(self, tree: tuple) -> bool:
        """True of descriptors that are no data."""
        if tree[0] in ("some", "every"):
            return True
        if tree[0] == "name":
            return tree[1] in ROLES + ("p2p", "locality") and not self.declared(tree[1])
        if tree[0] in ("!", "&", "|", "->", "<->", "=", "!="):
            return any(self.describes(t) for t in tree[1:])
        return False

    def role(self, role: str, right: tuple) -> Node:
        if right[0] != "name":
            raise Unsupported(f"{role} = something without a name")
        if role == "locality" and right[1] == "any" and not self.declared("any"):
            return node("locality", "any")
        value = self.name(right[1])
        if value.kind != "const" or value.args[0] != "location":
            raise BadInput(f"{right[1]} is no instance")
        return node("locality", value.args[1]) if role == "locality" else node("role", role, value.args[1])

    def data(self, expression: Node, quantified: bool) -> Node:
        result = node("data", expression)
        reads_properties = any(n.kind == "pv" for n in reads_of(expression))
        return node("forall", result) if reads_properties and not quantified else result


def reads_of(*expressions: Node) -> list[Node]:
    """All that expressions read: locals, message and property variables, chan, .."""
    read = ("local", "msg", "pv", "chan", "var", "auto", "deadlock", "enabled", "myself")
    return [tree for tree in nodes(expressions) if tree.kind in read]


def load(text: str, given: dict[str, Any]) -> Model:
    """The model of a file. `given` are the constants and sizes that replace those of the file."""
    return Model(syntax.parse(text, given))
