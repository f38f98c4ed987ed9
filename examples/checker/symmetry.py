"""Renamings of instances, channels, constants and commands, and what is the same after them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable

from model import Command, Model
from outcome import require
from semantics import Row, Space
from trees import Node, node

FLAT = ("&", "|")
SORTED = ("=", "!=", "<->", "+", "*")


@lru_cache(maxsize=None)
def canonical(tree: Node) -> tuple:
    """A form that is equal for trees that are the same up to the order of operands."""
    kind = tree.kind
    if kind in FLAT:
        items = [canonical(t) for t in chain(tree)]
        return (kind,) + tuple(sorted(items, key=repr))
    if kind in SORTED or kind == "Iff":
        return (kind,) + tuple(sorted((canonical(t) for t in tree.args), key=repr))
    if kind in ("And", "Or"):
        return (kind,) + tuple(sorted((canonical(t) for t in tree.args[0]), key=repr))
    return (kind,) + tuple(canonical(a) if isinstance(a, Node) else (type(a).__name__, a) for a in tree.args)


def chain(tree: Node) -> list[Node]:
    found: list[Node] = []
    todo = [tree]
    while todo:
        item = todo.pop()
        if item.kind == tree.kind:
            todo += item.args
        else:
            found.append(item)
    return found


def same(a: Node | None, b: Node | None) -> bool:
    if a is None or b is None:
        return a is b
    return a is b or canonical(a) == canonical(b)


class Renaming:
    """A renaming that was checked to consist of permutations of the right length."""

    def __init__(self, model: Model, value: Any) -> None:
        require(isinstance(value, dict) and set(value) == {"instances", "channels", "constants", "commands"},
                "a renaming has other fields")
        self.model = model
        self.instances = permutation(value["instances"], len(model.instances))
        self.channels = permutation(value["channels"], len(model.channels))
        require(self.channels[0] == 0, "a renaming moves the broadcast channel")
        self.constants = permutations(value["constants"], [len(cs) for _, cs in model.enums])
        self.commands = permutations(value["commands"], [len(a.commands) for a in model.agents])
        self.enum_number = {name: n for n, (name, _) in enumerate(model.enums)}
        self.renamed: dict[Node, Node] = {}
        self.images: dict[tuple[int, int], int] = {}

    def value(self, type_: str, value: Any) -> Any:
        if type_ == "channel":
            return self.channels[value]
        if type_ == "location":
            return self.instances[value]
        if type_ in ("bool", "int", "range"):
            return value
        return self.constants[self.enum_number[type_]][value]

    def command(self, instance: int, command: int | None) -> int | None:
        if command is None:
            return None
        return self.commands[self.model.instances[instance].agent.number][command]

    def tree(self, tree: Node) -> Node:
        """The renamed expression, observation or formula."""
        found = self.renamed.get(tree)
        if found is None:
            found = self.renamed[tree] = self.rename(tree)
        return found

    def rename(self, tree: Node) -> Node:
        kind, args = tree.kind, tree.args
        if kind == "const":
            return node("const", args[0], self.value(args[0], args[1]))
        if kind in ("var", "auto"):
            return node(kind, self.instances[args[0]], *args[1:])
        if kind in ("enabled", "Label"):
            return node(kind, self.instances[args[0]], self.command(*args))
        if kind == "role":
            return node(kind, args[0], self.instances[args[1]])
        if kind == "locality" and args[0] != "any":
            return node(kind, self.instances[args[0]])
        if kind == "Branching":
            group = tuple(sorted(self.instances[i] for i in args[1]))
            assumption = None if args[3] is None else self.tree(args[3])
            return node(kind, args[0], group, self.tree(args[2]), assumption)
        if kind in ("And", "Or"):
            return node(kind, tuple(self.tree(f) for f in args[0]))
        return node(kind, *(self.tree(a) if isinstance(a, Node) else a for a in args))

    def fixes(self, tree: Node) -> bool:
        return same(self.tree(tree), tree)

    # -------------------------------------------------------- symmetry (S1)

    def check_symmetry(self) -> None:
        """S1: the renamed model is the same."""
        model = self.model
        for i in model.instances:
            image = model.instances[self.instances[i.number]]
            require(i.agent is image.agent, "a renaming maps an instance to one of another type")
            self.require_same(i.condition, image.condition, f"the condition of {i.name}")
        for agent in model.agents:
            self.require_same(agent.init, agent.init, f"init of {agent.name}")
            self.require_same(agent.receive_guard, agent.receive_guard, f"the receive guard of {agent.name}")
            for p in agent.relabel:
                self.require_same(agent.relabel[p], agent.relabel[p], f"a relabelling of {agent.name}")
            for c in agent.commands:
                self.check_command(c, agent.commands[self.commands[agent.number][c.number]])
        self.require_same(model.where, model.where, "the condition across instances")

    def require_same(self, before: Node | None, after: Node | None, of: str) -> None:
        renamed = None if before is None else self.tree(before)
        require(same(renamed, after), f"a renaming changes {of}")

    def check_command(self, c: Command, d: Command) -> None:
        what = f"command {c.label or c.number + 1}"
        require((c.source, c.target, c.kind) == (d.source, d.target, d.kind) and c.needed == d.needed,
                f"a renaming maps {what} to another kind of command")
        self.require_same(c.guard, d.guard, f"the guard of {what}")
        self.require_same(c.channel, d.channel, f"the channel of {what}")
        if isinstance(c.partner, tuple):
            require(c.partner[0] == d.partner[0], f"a renaming changes the partners of {what}")
            self.require_same(c.partner[1], d.partner[1], f"the partners of {what}")
        else:
            self.require_same(c.partner, d.partner, f"the send guard of {what}")
        for before, after in ((c.data, d.data), (c.updates, d.updates)):
            require(before.keys() == after.keys(), f"a renaming changes what {what} assigns")
            for x in before:
                self.require_same(before[x], after[x], f"what {what} assigns")

    def check_kept(self, space: Space) -> None:
        """S2: an instance and its image keep the same locals."""
        for i, j in enumerate(self.instances):
            require(space.kept[i] == space.kept[j], "a renaming changes which locals are kept")

    # ---------------------------------------------------------------- rows

    def image(self, space: Space, instance: int, local: int) -> int:
        """The number of the image of a local state, in the table of the image of the instance."""
        key = (instance, local)
        found = self.images.get(key)
        if found is None:
            state, values = space.locals[instance][local]
            types = self.model.instances[instance].agent.locals
            kept = space.kept[instance]
            moved = [self.value(t[-1] if t[0] == "enum" else t[0], v) if x in kept else v
                     for x, ((_, t), v) in enumerate(zip(types, values))]
            found = self.images[key] = space.number(self.instances[instance], state, moved)
        return found

    def apply(self, space: Space, row: Row) -> Row:
        image = [0] * len(row)
        for i, local in enumerate(row):
            image[self.instances[i]] = self.image(space, i, local)
        return tuple(image)


def permutation(value: Any, size: int) -> list[int]:
    require(isinstance(value, list) and all(type(v) is int for v in value) and sorted(value) == list(range(size)),
            "a renaming has a list that is no permutation")
    return value


def permutations(value: Any, sizes: list[int]) -> list[list[int]]:
    require(isinstance(value, list) and len(value) == len(sizes), "a renaming has lists for something else")
    return [permutation(v, size) for v, size in zip(value, sizes)]


def representative(space: Space, row: Row, generators: list[Renaming],
                   order: Callable[[Row], Row]) -> tuple[Row, tuple[int, ...]]:
    """The row that stands for its images, and the generators that lead to it. `order` gives what rows are compared by."""
    word: list[int] = []
    place = kept = 0
    while kept < len(generators):
        image = generators[place].apply(space, row)
        if order(image) < order(row):
            row, kept = image, 0
            word.append(place)
        else:
            kept += 1
        place = (place + 1) % len(generators)
    return row, tuple(word)
