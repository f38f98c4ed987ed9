"""Closed sets: that no run from their members makes a formula false, or that some run does."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any, Callable

import logic
from logic import Obligation, Way
from model import Model
from outcome import require
from semantics import Row, Space, Step, inside
from symmetry import Renaming, representative, same
from trees import Node, nodes

Received = frozenset[tuple[int, int]]
Move = tuple[Row, tuple[int, ...], Received, tuple[bool, ...]]
PASSING, PENDING, UNANSWERED, WITNESSED = "passing", "pending", "unanswered", "witnessed"


# ------------------------------------------------------------------- reading

def natural(value: Any, below: int | None = None) -> int:
    """A number of a certificate that is no value."""
    require(type(value) is int and 0 <= value <= 4294967295, "something is no number from 0 to 4294967295")
    require(below is None or value < below, "a number behind the end of its list")
    return value


def fields(value: Any, needed: set[str], optional: set[str] = frozenset()) -> dict:  # type: ignore[assignment]
    require(isinstance(value, dict), "something is no object")
    require(needed <= set(value) <= needed | optional, f"an object has the fields {sorted(value)}")
    return value


def items(value: Any) -> list:
    require(isinstance(value, list), "something is no list")
    return value


def numbers(value: Any, width: int | None) -> list:
    """A list of rows of so many numbers (or of plain numbers), packed or not."""
    if isinstance(value, dict):
        packed = fields(value, {"width", "packed"})
        require(type(packed["packed"]) is str and packed["width"] == (1 if width is None else width),
                "a packed list of another width")
        try:
            content = zlib.decompress(base64.b64decode(packed["packed"], validate=True))
        except (ValueError, zlib.error):
            require(False, "a packed list that cannot be unpacked")
        step = 4 * packed["width"]
        require(len(content) % step == 0, "a packed list with an incomplete row")
        flat = struct.unpack(f"<{len(content) // 4}I", content)
        return list(flat) if width is None else [flat[n:n + width] for n in range(0, len(flat), width)]
    if width is None:
        return [natural(v) for v in items(value)]
    rows = [tuple(natural(v) for v in items(row)) for row in items(value)]
    require(all(len(row) == width for row in rows), "a row of another length")
    return rows


# -------------------------------------------------------------------- graphs

class Graph:
    """The states of a certificate: rows over its lists of local states, up to generators."""

    def __init__(self, model: Model, formula: Node, local_states: Any, kept: list[frozenset[int]],
                 generators: Any, split: Any = ()) -> None:
        self.model = model
        self.space = Space(model, kept)
        self.cells = self.cells_of([natural(i, len(model.instances)) for i in items(list(split))])
        self.read(items(local_states))
        self.generators = [Renaming(model, g) for g in items(generators)]
        for g in self.generators:
            g.check_symmetry()
            g.check_kept(self.space)
            require(all(self.is_split[i] == self.is_split[g.instances[i]] for i in range(len(model.instances))),
                    "an instance is split, and its image is not")
        self.found: dict[Row, tuple[Row, tuple[int, ...]]] = {}
        self.label: Callable[[Node, Row], bool] | None = None

    def cells_of(self, split: list[int]) -> list[tuple[int, bool, list[int]]]:
        """Per cell its instance, whether it has the automaton state, and its locals."""
        require(split == sorted(set(split)), "split instances that are not ascending")
        self.is_split = [i.number in split for i in self.model.instances]
        cells = []
        for i in self.model.instances:
            kept = sorted(self.space.kept[i.number])
            if self.is_split[i.number]:
                cells += [(i.number, True, []), *((i.number, False, [x]) for x in kept)]
            else:
                cells.append((i.number, True, kept))
        return cells

    def read(self, lists: list) -> None:
        """L1."""
        require(len(lists) == len(self.cells), "local states of another number of cells")
        self.tables: list[list[tuple]] = []
        self.number_of: list[dict[tuple, int]] = []
        for (number, has_automaton, cell), local_states in zip(self.cells, lists):
            instance = self.model.instances[number]
            table: list[tuple] = []
            for entry in items(local_states):
                require(isinstance(entry, list) and len(entry) == 2, "a local state that is no pair")
                state = natural(entry[0], instance.agent.states if has_automaton else 1)
                require(len(items(entry[1])) == len(cell), f"local states of {instance.name} list other locals")
                values = tuple(self.value(instance.agent.locals[x][1], w) for x, w in zip(cell, entry[1]))
                table.append((state, values))
            self.tables.append(table)
            self.number_of.append({local_state: n for n, local_state in enumerate(table)})
            require(len(self.number_of[-1]) == len(table), "a local state stands twice")

    def value(self, type_: tuple, written: Any) -> Any:
        if type_[0] == "bool":
            require(type(written) is bool, "a value that is no truth value")
            return written
        if type_[0] in ("int", "range"):
            require(type(written) is str and written.removeprefix("-").isascii()
                    and written.removeprefix("-").isdigit(), "a value that is no integer")
            value = int(written)
            require(inside(type_, value), "a value outside of its range")
            return value
        return natural(written, len(self.model.values(type_)))  # type: ignore[arg-type]

    def row(self, entry: tuple[int, ...]) -> Row:
        """The local states of instances that numbers of local states of cells are."""
        state = [0] * len(self.model.instances)
        values = [[None] * len(i.agent.locals) for i in self.model.instances]
        for (instance, has_automaton, cell), local, table in zip(self.cells, entry, self.tables):
            require(local < len(table), "a row with an unknown local state")
            if has_automaton:
                state[instance] = table[local][0]
            for x, value in zip(cell, table[local][1]):
                values[instance][x] = value
        return tuple(self.space.number(i, state[i], values[i]) for i in range(len(state)))

    def order(self, row: Row) -> Row:
        """The numbers of the local states of cells, by which rows are compared."""
        found = []
        for n, (instance, has_automaton, cell) in enumerate(self.cells):
            state, values = self.space.locals[instance][row[instance]]
            local_state = (state if has_automaton else 0, tuple(values[x] for x in cell))
            found.append(self.number_of[n].setdefault(local_state, len(self.number_of[n])))
        return tuple(found)

    def representative(self, row: Row) -> tuple[Row, tuple[int, ...]]:
        if not self.generators:
            return row, ()
        found = self.found.get(row)
        if found is None:
            found = self.found[row] = representative(self.space, row, self.generators, self.order)
        return found


# --------------------------------------------------------------- closed sets

class Rank:
    """Why no run stays among some members for ever."""

    def __init__(self, within: int | None, order: int, kind: str, about: Any) -> None:
        self.within = within
        self.order = order
        self.kind = kind
        self.about = about              # an eventuality, or a set of conditions
        self.around: list[Rank] = []    # from the outermost one to this one


class Closed:
    """A closed set about a formula over a graph."""

    def __init__(self, graph: Graph, f: Node, value: dict, rows: Callable[[Any], list[tuple[Row, int, int]]]) -> None:
        self.graph = graph
        self.f = f
        self.subformulas = logic.numbered(f)
        self.conditions = logic.conditions_of(f)
        self.literals = logic.literals(f)
        self.falsity = logic.consequences(frozenset([(f, False)]))
        fields(value, {"graph", "received", "obligations", "reasons", "ranks", "members"}, {"witnesses"})
        self.receive_labels = {(g.args[0], g.args[1]) for g in self.literals if g.kind == "Label"
                               and self.command(g).kind == "receive"}
        self.received = [self.read_received(r) for r in items(value["received"])]
        self.obligations = [frozenset(self.obligation(o) for o in items(s)) for s in items(value["obligations"])]
        self.read_ranks(items(value["reasons"]), items(value["ranks"]))
        self.read_members(value["members"], rows)
        self.ways_of: dict[tuple, list[tuple[Way, frozenset]]] = {}
        self.moves_of: dict[Row, list[Move]] = {}
        self.allowed: dict[tuple, bool] = {}
        self.permuted = [self.exchanged(g) for g in graph.generators]
        self.witnesses = value.get("witnesses")

    # -------------------------------------------------------------- form

    def command(self, label: Node):
        return self.graph.model.instances[label.args[0]].agent.commands[label.args[1]]

    def read_received(self, value: Any) -> Received:
        """C2."""
        pairs = [tuple(items(p)) for p in items(value)]
        for pair in pairs:
            require(len(pair) == 2 and pair in self.receive_labels, "a receive whose label the formula does not read")
        return frozenset(pairs)

    def obligation(self, value: Any) -> Obligation:
        fields(value, {"subformula", "truth"})
        require(type(value["truth"]) is bool, "a truth that is none")
        return (self.subformulas[natural(value["subformula"], len(self.subformulas))], value["truth"])

    def read_reason(self, value: Any) -> tuple[str, Any]:
        if value in (PASSING, WITNESSED):
            return (value, None)
        require(isinstance(value, dict) and len(value) == 1, "an unknown reason")
        if PENDING in value:
            return (PENDING, self.obligation(value[PENDING]))
        require(UNANSWERED in value, "an unknown reason")
        conditions = frozenset(self.obligation(o) for o in items(value[UNANSWERED]))
        require(conditions <= self.conditions, "an unanswered obligation that is no condition")
        return (UNANSWERED, conditions)

    def read_ranks(self, reasons: list, ranks: list) -> None:
        known = [self.read_reason(r) for r in reasons]
        self.ranks: list[Rank] = []
        for value in ranks:
            fields(value, {"within", "order", "why"})
            within = value["within"]
            if within is not None:
                natural(within, len(self.ranks))
            kind, about = known[natural(value["why"], len(known))]
            rank = Rank(within, natural(value["order"]), kind, about)
            rank.around = (self.ranks[within].around if within is not None else []) + [rank]
            self.ranks.append(rank)

    def read_members(self, value: Any, rows: Callable[[Any], list[tuple[Row, int, int]]]) -> None:
        fields(value, {"rows", "ranks"})
        entries = rows(value["rows"])
        ranks = fields(value["ranks"], set(), {"by-obligations", "each"})
        require(len(ranks) == 1, "ranks of members are given twice, or not at all")
        if "each" in ranks:
            chosen = numbers(ranks["each"], None)
            require(len(chosen) == len(entries), "ranks of another number of members")
        else:
            by_set = [natural(v, len(self.ranks)) for v in items(ranks["by-obligations"])]
            require(len(by_set) == len(self.obligations), "ranks of another number of sets of obligations")
            chosen = []
        require(len(set(entries)) == len(entries), "a member stands twice")
        self.members: list[tuple[Row, Received, frozenset[Obligation], int]] = []
        self.at: dict[tuple[Row, Received], list[int]] = {}
        for n, (row, received, obligations) in enumerate(entries):
            r = self.received[natural(received, len(self.received))]
            q = self.obligations[natural(obligations, len(self.obligations))]
            rank = natural(chosen[n] if chosen else by_set[obligations], len(self.ranks))
            self.members.append((row, r, q, rank))
            self.at.setdefault((row, r), []).append(n)

    # --------------------------------------------------- symmetry (S3, S4)

    def check_fixed(self) -> None:
        """S3: generators fix what the members say."""
        said = [o[0] for s in self.obligations for o in s]
        parts = [g for g in nodes(said) if g.kind in ("Atom", "Label", "Observed")]
        parts += [g for g in self.literals if g.kind == "Label" and self.command(g).kind == "receive"]
        for g in self.graph.generators:
            for part in parts:
                require(g.fixes(part), "a generator changes what obligations say")

    def exchanged(self, generator: Renaming) -> dict[Obligation, Obligation]:
        """S4: a generator as a permutation of the conditions."""
        image = {}
        for g, truth in self.conditions:
            renamed = generator.tree(g)
            found = [o for o in self.conditions if o[1] == truth and same(renamed, o[0])]
            require(len(found) == 1, "a generator makes something else of a condition")
            image[(g, truth)] = found[0]
        require(len(set(image.values())) == len(image), "a generator makes the same of two conditions")
        return image

    def moved(self, conditions: frozenset[Obligation], word: tuple[int, ...]) -> frozenset[Obligation]:
        for place in word:
            conditions = frozenset(self.permuted[place][o] for o in conditions)
        return conditions

    # -------------------------------------------------------------- truth

    def state_truth(self, row: Row) -> dict[Node, bool]:
        """The truth of the literals that are about the state."""
        found = {}
        for g in self.literals:
            if g.kind == "Atom":
                found[g] = bool(self.graph.space.holds(g.args[0], row))
            elif g.kind == "Branching":
                require(self.graph.label is not None, "a formula about other runs without labels")
                found[g] = self.graph.label(g, row)  # type: ignore[misc]
        return found

    def truth_at(self, row: Row, step: Step, known: dict[Node, bool]) -> tuple[bool, ...]:
        """The truth of all literals but labels of receives, in their order."""
        space = self.graph.space
        found = []
        for g in self.literals:
            if g in known:
                found.append(known[g])
            elif g.kind == "Observed":
                found.append(space.observes(g.args[0], row, step))
            else:
                found.append(space.label(g.args[0], g.args[1], step))
        return tuple(found)

    def with_receives(self, truth: tuple[bool, ...], received: Received) -> tuple[bool, ...]:
        if not self.receive_labels:
            return truth
        return tuple(g.args in received if g.kind == "Label" and g.args in self.receive_labels else value
                     for g, value in zip(self.literals, truth))

    def moves(self, row: Row) -> list[Move]:
        """The steps from a state: where they lead, by which generators, with which receives and truths."""
        found = self.moves_of.get(row)
        if found is None:
            different: dict[Move, None] = {}
            known = self.state_truth(row)
            for step in self.graph.space.steps(row):
                target, word = self.graph.representative(step.target)
                received = frozenset(p for p in step.receives if p in self.receive_labels)
                different[(target, word, received, self.truth_at(row, step, known))] = None
            found = self.moves_of[row] = list(different)
        return found

    def ways(self, obligations: frozenset[Obligation], truth: tuple[bool, ...]) -> list[tuple[Way, frozenset]]:
        """The ways to meet obligations, each with the consequences of what is left."""
        key = (obligations, truth)
        if key not in self.ways_of:
            given = dict(zip(self.literals, truth))
            self.ways_of[key] = [(w, logic.consequences(w[0])) for w in logic.meet(obligations, given)]
        return self.ways_of[key]

    def met(self, request: logic.Request, truth: tuple[bool, ...], always: bool) -> bool:
        """True if a request or an answer is met. `always` is the answer if there is none."""
        if request is None:
            return always
        return now(request[0], dict(zip(self.literals, truth))) == request[1]

    def may_go(self, a: int, b: int, pending: frozenset, truth: tuple[bool, ...], word: tuple[int, ...]) -> bool:
        key = (a, b, pending, truth, word)
        if key not in self.allowed:
            self.allowed[key] = self.goes(a, b, pending, truth, word)
        return self.allowed[key]

    def goes(self, a: int, b: int, pending: frozenset, truth: tuple[bool, ...], word: tuple[int, ...]) -> bool:
        for x, y in zip(self.ranks[a].around, self.ranks[b].around):
            if x.order != y.order:
                return y.order < x.order
            if x.kind != y.kind:
                return False
            if x.kind == PENDING:
                return x.about == y.about and x.about in pending
            if x.kind != UNANSWERED or self.moved(x.about, word) != y.about:
                return False
            meanings = [logic.condition(o) for o in x.about]
            if any(self.met(m[1], truth, False) for m in meanings if m is not None):
                return False
            if any(self.met(m[0], truth, True) for m in meanings if m is not None):
                return True
        return False

    # ------------------------------------------------------------- checks

    def witnessed(self, member: int) -> bool:
        return any(r.kind == WITNESSED for r in self.ranks[self.members[member][3]].around)

    def starts(self, row: Row) -> list[int]:
        """The members at which a state without step before it is at the start."""
        return [n for n in self.at.get((row, frozenset()), []) if self.members[n][2] <= self.falsity]

    def exact_starts(self, row: Row) -> list[int]:
        wanted = logic.beginning(self.f, self.conditions)
        found = []
        for n in self.at.get((row, frozenset()), []):
            given = logic.consequences(self.members[n][2])
            if all(logic.follows(o, given) for o in wanted):
                found.append(n)
        return found

    def check_member(self, member: int) -> None:
        """C4 for one member: for each step and way there is a member to which it leads."""
        row, received, obligations, rank = self.members[member]
        witnessed = self.witnessed(member)
        for target, word, receives, truth in self.moves(row):
            full = self.with_receives(truth, received)
            for (_, pending), implied in self.ways(obligations, full):
                require(any(self.members[n][2] <= implied and (witnessed or (
                    not self.witnessed(n) and self.may_go(rank, self.members[n][3], pending, full, word)))
                    for n in self.at.get((target, receives), [])), "a step leads to no member to which it may go")

    def check_steps(self) -> None:
        """C4, also for members that are not reached."""
        for n in range(len(self.members)):
            self.check_member(n)

    def check_started(self, initial: list[Row]) -> None:
        """E4: each initial state is a member at the start from which no run makes the formula false."""
        for row in initial:
            require(any(not self.witnessed(n) for n in self.starts(row)), "an initial state is no member")


def now(f: Node, truth: dict[Node, bool]) -> bool:
    """The truth of a formula of now."""
    if f in truth:
        return truth[f]
    if f.kind == "Next":
        return logic.opposite(f.args[0]) is True
    if f.kind == "Not":
        return not now(f.args[0], truth)
    if f.kind == "Iff":
        return now(f.args[0], truth) == now(f.args[1], truth)
    return (all if f.kind == "And" else any)(now(g, truth) for g in f.args[0])
