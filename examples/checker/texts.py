"""Expressions and formulas as text, and the fingerprint of a model."""

from __future__ import annotations

import hashlib

from model import Agent, Command, Model, Type, fairness
from syntax import DECIDERS
from trees import TRUE, Node, written

OPERAND, PRODUCT, SUM, COMPARISON, CONNECTIVE, PREFIX = range(6)
LEVEL = {"*": PRODUCT, "/": PRODUCT, "+": SUM, "-": SUM}
CONNECTIVES = ("&", "|", "->", "<->", "U", "W", "R")

Text = tuple[str, int, str, str]        # the text, its level, the sign of a connective, its closed text


def beyond(text: Text, level: int) -> str:
    """The text, in parentheses if its level is looser than this one."""
    return text[0] if text[1] <= level else f"({text[0]})"


def plain(text: str) -> Text:
    return (text, OPERAND, "", text)


def prefixed(sign: str, body: Text) -> Text:
    inside = body[0] if body[1] == PREFIX else beyond(body, OPERAND)
    text = f"{sign} {inside}"
    return (text, PREFIX, "", text)


def connected(sign: str, left: Text, right: Text) -> Text:
    if sign in ("&", "|") and left[1] == CONNECTIVE and left[2] == sign:
        first = left[3]
    else:
        first = beyond(left, COMPARISON)
    if right[1] == PREFIX:
        return (f"{first} {sign} {right[0]}", CONNECTIVE, sign, f"{first} {sign} ({right[0]})")
    text = f"{first} {sign} {beyond(right, COMPARISON)}"
    return (text, CONNECTIVE, sign, text)


def operated(sign: str, left: Text, right: Text) -> Text:
    """An operator with two operands that are expressions or observations."""
    if sign in CONNECTIVES:
        return connected(sign, left, right)
    if sign in LEVEL:
        level = LEVEL[sign]
        text = f"{beyond(left, level)} {sign} {beyond(right, level - 1)}"
        return (text, level, "", text)
    text = f"{beyond(left, SUM)} {sign} {beyond(right, SUM)}"
    return (text, COMPARISON, "", text)


class Writer:
    """Writes the trees of one model."""

    def __init__(self, model: Model, agent: Agent | None = None) -> None:
        self.model = model
        self.agent = agent

    def constant(self, type_: str, value) -> str:
        if type_ == "bool":
            return "true" if value else "false"
        if type_ == "int":
            return str(value)
        if type_ == "channel":
            return self.model.channels[value]
        if type_ == "location":
            return self.model.instances[value].name
        return self.model.file.enums[type_][value]

    def member(self, instance: int, command: int | None) -> str:
        """An instance, or one of its commands."""
        owner = self.model.instances[instance]
        if command is None:
            return owner.name
        found = owner.agent.commands[command]
        return f"{owner.name}-{found.label}" if found.label else self.unlabelled(owner.name, found)

    def unlabelled(self, owner: str, command: Command) -> str:
        return f"{owner}'s command {command.number + 1} (a {command.kind})"

    def expression(self, tree: Node) -> Text:
        kind, args = tree.kind, tree.args
        if kind == "const":
            return plain(self.constant(*args))
        if kind == "local" and self.agent is not None:
            return plain(self.agent.locals[args[0]][0])
        if kind == "msg":
            return plain(self.model.messages[args[0]][0])
        if kind == "pv":
            sign = "" if self.agent is None else "@"
            return plain(sign + self.model.properties[args[0]][0])
        if kind in ("chan", "myself", "deadlock"):
            return plain(kind)
        if kind == "var":
            owner = self.model.instances[args[0]]
            return plain(f"{owner.name}-{owner.agent.locals[args[1]][0]}")
        if kind == "auto":
            return plain(f"{self.model.instances[args[0]].name}-automaton-state")
        if kind == "enabled":
            return plain(f"enabled({self.member(*args)})")
        if kind in ("not", "neg"):
            return plain(("!" if kind == "not" else "-") + beyond(self.expression(args[0]), OPERAND))
        if kind == "if":
            c, a, b = (self.expression(t)[0] for t in args)
            return plain(f"(if {c} then {a} else {b})")
        return operated(kind, self.expression(args[0]), self.expression(args[1]))

    def observation(self, tree: Node) -> Text:
        kind, args = tree.kind, tree.args
        if kind == "data":
            return self.expression(args[0])
        if kind == "role":
            return operated("=", plain(args[0]), plain(self.model.instances[args[1]].name))
        if kind == "p2p":
            return plain("p2p")
        if kind == "locality":
            name = "any" if args[0] == "any" else self.model.instances[args[0]].name
            return operated("=", plain("locality"), plain(name))
        if kind in ("exists", "forall"):
            return plain(f"{kind}({self.observation(args[0])[0]})")
        if kind == "not":
            return plain("!" + beyond(self.observation(args[0]), OPERAND))
        return operated(kind, self.observation(args[0]), self.observation(args[1]))

    def fair(self, f: Node) -> str | None:
        """weak(x), strong(x) or acts(i) of several commands, if the formula is one of these."""
        for instance in self.model.instances:
            if f.kind == "Or" and len(f.args[0]) > 1 and f is fairness(instance, "acts", None):
                return f"acts({instance.name})"
            for kind in ("weak", "strong"):
                for command in [None] + instance.agent.commands:
                    if f is fairness(instance, kind, command):
                        number = None if command is None else command.number
                        return f"{kind}({self.member(instance.number, number)})"
        return None

    def chain(self, sign: str, fs: tuple[Node, ...]) -> Text:
        if not fs:
            return plain("true" if sign == "&" else "false")
        result = self.formula(fs[0])
        for f in fs[1:]:
            result = connected(sign, result, self.formula(f))
        return result

    def formula(self, f: Node) -> Text:
        fair = self.fair(f) if f.kind in ("Or", "Weak", "Not") else None
        if fair is not None:
            return plain(fair)
        sign, *parts = written(f)
        if sign == "Atom":
            return self.expression(parts[0])
        if sign == "Label":
            return plain(self.member(*parts))
        if sign == "Observed":
            return prefixed(f"<<{self.observation(parts[0])[0]}>>", plain("true"))
        if sign in ("diamond", "box"):
            o = self.observation(parts[0])[0]
            return prefixed(f"<<{o}>>" if sign == "diamond" else f"[[{o}]]", self.formula(parts[1]))
        if sign in ("And", "Or"):
            return self.chain("&" if sign == "And" else "|", parts[0])
        if sign in ("F", "G", "Next"):
            return prefixed("X" if sign == "Next" else sign, self.formula(parts[0]))
        if sign in ("->", "R", "Iff", "Until", "Weak"):
            sign = {"Iff": "<->", "Until": "U", "Weak": "W"}.get(sign, sign)
            return connected(sign, self.formula(parts[0]), self.formula(parts[1]))
        if sign == "Not":
            return plain("!" + beyond(self.formula(parts[0]), OPERAND))
        return plain(self.branching(f))

    def branching(self, f: Node) -> str:
        op, group, inside, _ = f.args
        if op in ("A", "E"):
            return f"{op}({self.formula(inside)[0]})"
        if op not in DECIDERS and inside.kind == "Branching" and inside.args[0] == "A":
            inside = inside.args[2]
        names = ", ".join(self.model.instances[i].name for i in group)
        return f"{op}({names if op == 'K' else '{' + names + '}'}, {self.formula(inside)[0]})"


# --------------------------------------------------------------- fingerprints

def type_text(type_: Type) -> str:
    if type_[0] == "range":
        return f"{type_[1]}..{type_[2]}"
    return type_[1] if type_[0] == "enum" else type_[0]


def command_text(model: Model, agent: Agent, command: Command) -> str:
    writer = Writer(model, agent)

    def text(tree: Node) -> str:
        return writer.expression(tree)[0]

    data = ", ".join(f"{model.messages[m][0]} := {text(e)}" for m, e in command.data.items())
    updates = ", ".join(f"{agent.locals[x][0]} := {text(e)}" for x, e in command.updates.items())
    if command.kind == "send":
        action = f"{text(command.channel)} ! {beyond(writer.expression(command.partner), OPERAND)} ({data})"
    elif command.kind == "receive":
        action = f"{text(command.channel)} ?"
    else:
        form, tree = command.partner
        partner = form if tree is None else text(tree)
        action = f"{'GET' if command.kind == 'get' else 'SUPPLY'}@({partner}) ({data})"
    label = f"{command.label}: " if command.label else ""
    return f"{label}{{{text(command.guard)}}} {action} [{updates}]"


def agent_lines(model: Model, agent: Agent) -> list[str]:
    writer = Writer(model, agent)
    lines = [f"agent {agent.name}"]
    lines += [f"local {x} : {type_text(t)}" for x, t in agent.locals]
    lines.append("init " + writer.expression(agent.init or TRUE)[0])
    lines.append("receive-guard " + writer.expression(agent.receive_guard or TRUE)[0])
    for p, (name, _) in enumerate(model.properties):
        if p in agent.relabel:
            lines.append(f"relabel {name} " + writer.expression(agent.relabel[p])[0])
    for c in agent.commands:
        lines.append(f"command {c.source} {c.target} " + command_text(model, agent, c))
    return lines


def fingerprint(model: Model) -> str:
    """The hash of all that a model means without its specs."""
    lines = ["channels " + " ".join(model.channels)]
    lines += [f"enum {name} " + " ".join(constants) for name, constants in model.enums]
    if model.paper:
        lines.append("point-to-point paper")
    lines += [f"message {name} : {type_text(t)}" for name, t in model.messages]
    lines += [f"property {name} : {type_text(t)}" for name, t in model.properties]
    for agent in model.agents:
        lines += agent_lines(model, agent)
    for i in model.instances:
        lines.append(f"instance {i.name} {i.agent.name} " + Writer(model, i.agent).expression(i.condition)[0])
    if model.where is not None:
        lines.append("where " + Writer(model).formula(model.where)[0])
    return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()
