"""The check of invariants: clauses, reductions, and the queries for a solver."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import logic
import texts
from closed import fields, items
from encoding import Encoding
from model import Model
from outcome import Refused, Unsupported, require
from product import Product
from terms import Script, all_of, any_of
from trees import Node, node, nodes

LIMIT = 1000


class Solver:
    """A program that reads a script in SMT-LIB and answers it."""

    def __init__(self, command: list[str], timeout: float) -> None:
        self.command = command
        self.timeout = timeout

    def ask(self, script: str) -> str:
        """The answer: unsat, sat, or anything else."""
        try:
            done = subprocess.run(self.command, input=script, capture_output=True, text=True, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return "no answer in time"
        except OSError as error:
            raise Unsupported(f"the solver does not start: {error}") from None
        return done.stdout.strip()

    def refute(self, script: str, what: str) -> None:
        """Refuses the certificate unless a script is unsatisfiable."""
        answer = self.ask(script)
        require(answer != "sat", what)
        if answer != "unsat":
            raise Unsupported(f"the solver did not decide a query ({answer[:80]})")


# ----------------------------------------------------------------------- terms

WORD = re.compile(r'\s*(?:(?P<bracket>[()])|(?P<number>0|[1-9][0-9]*)(?![^\s()|;"])'
                  r'|(?P<quoted>\|[^|\\]*\|)|(?P<symbol>[A-Za-z~!@$%^&*_+=<>.?/-][A-Za-z0-9~!@$%^&*_+=<>.?/-]*))')


def parse_term(text: Any) -> Any:
    """A term as nested lists. Numerals are integers, names are texts."""
    require(type(text) is str, "a clause that is no text")
    stack: list[list] = [[]]
    place = 0
    while place < len(text.rstrip()):
        match = WORD.match(text, place)
        require(match is not None, f"a clause that cannot be read: {text[:60]}")
        assert match is not None
        place = match.end()
        if match["bracket"] == "(":
            stack.append([])
        elif match["bracket"] == ")":
            require(len(stack) > 1, "a clause with too many brackets")
            done = stack.pop()
            stack[-1].append(done)
        elif match["number"] is not None:
            stack[-1].append(int(match["number"]))
        else:
            stack[-1].append((match["quoted"] or match["symbol"]).strip("|"))
    require(len(stack) == 1 and len(stack[0]) == 1, "a clause that is not one term")
    return stack[0][0]


class Terms:
    """Terms over the variables of a transition system, which are written for one state at a time."""

    def __init__(self, encoding: Encoding, extra: list[Node]) -> None:
        self.sorts: dict[str, tuple[str, Node]] = {}
        for variable in encoding.variables:
            self.sorts[encoding.names[variable]] = (encoding.sort(variable), variable)
        for variable in extra:
            self.sorts[variable.args[0]] = ("Bool", variable)
        self.constants = constant_names(encoding.model)
        require(not self.constants.keys() & self.sorts.keys(), "names of constants are names of variables")
        self.count = 0

    def write(self, term: Any, script: Script, k: int) -> tuple[str, str]:
        """The text of a term in state k, and its sort."""
        return self.term(term, script, k, {})

    def term(self, term: Any, script: Script, k: int, bound: dict[str, tuple[str, str]]) -> tuple[str, str]:
        if type(term) is int:
            return str(term), "Int"
        if type(term) is str:
            return self.name(term, script, k, bound)
        require(bool(term), "an empty term")
        if term[0] == "let":
            return self.let(term, script, k, bound)
        require(type(term[0]) is str and term[0] not in bound, "a term that begins with no operator")
        args = [self.term(a, script, k, bound) for a in term[1:]]
        sort = self.applied(term[0], args, script)
        return f"({term[0]} " + " ".join(text for text, _ in args) + ")", sort

    def name(self, name: str, script: Script, k: int, bound: dict[str, tuple[str, str]]) -> tuple[str, str]:
        if name in bound:
            return bound[name]
        if name in ("true", "false"):
            return name, "Bool"
        if name in self.constants:
            return str(self.constants[name]), "Int"
        require(name in self.sorts, f"a clause names {name}, which does not exist")
        sort, variable = self.sorts[name]
        return script.symbol(variable, k), sort

    def let(self, term: list, script: Script, k: int, bound: dict[str, tuple[str, str]]) -> tuple[str, str]:
        require(len(term) == 3 and isinstance(term[1], list) and bool(term[1]), "a let of another form")
        inside = dict(bound)
        for pair in term[1]:
            require(isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is str, "a let of another form")
            text, sort = self.term(pair[1], script, k, bound)
            inside[pair[0]] = (script.define(sort, text), sort)
        require(len({pair[0] for pair in term[1]}) == len(term[1]), "a let with a name twice")
        return self.term(term[2], script, k, inside)

    def applied(self, sign: str, args: list[tuple[str, str]], script: Script) -> str:
        """The sort of an application. Refuses whatever is no term of the language of clauses."""
        sorts = [s for _, s in args]
        numbers = [s == "Int" for s in sorts]
        if sign == "not":
            require(sorts == ["Bool"], "not of something else")
            return "Bool"
        if sign in ("and", "or", "xor", "=>"):
            require(len(sorts) >= (1 if sign in ("and", "or") else 2) and not any(numbers), f"{sign} of something else")
            return "Bool"
        if sign in ("=", "distinct"):
            require(len(sorts) >= 2 and len(set(sorts)) == 1, f"{sign} of something else")
            return "Bool"
        if sign in ("<", "<=", ">", ">="):
            require(len(sorts) >= 2 and all(numbers), f"{sign} of something else")
            return "Bool"
        if sign == "ite":
            require(len(sorts) == 3 and sorts[0] == "Bool" and sorts[1] == sorts[2], "ite of something else")
            return sorts[1]
        require(sign in ("+", "-", "*", "abs", "div", "mod"), f"{sign} is no operator of clauses")
        require(all(numbers), f"{sign} of something else")
        least = {"-": 1, "abs": 1}.get(sign, 2)
        require(len(sorts) >= least and (sign != "abs" or len(sorts) == 1), f"{sign} of another number of operands")
        constant = [re.fullmatch(r"\d+|\(- \d+\)", text) is not None for text, _ in args]
        if sign in ("div", "mod"):
            require(len(sorts) == 2 and constant[1] and args[1][0] != "0" and args[1][0] != "(- 0)",
                    f"{sign} by something that is no constant")
        if sign == "*" and constant.count(False) > 1:
            script.nonlinear = True
        return "Int"


def constant_names(model: Model) -> dict[str, int]:
    """The names of constants in clauses."""
    found: dict[str, int] = {}
    values = [(f"channel.{c}", n) for n, c in enumerate(model.channels)]
    values += [(f"location.{i.name}", i.number) for i in model.instances]
    values += [(f"{enum}.{c}", n) for enum, cs in model.enums for n, c in enumerate(cs)]
    for name, value in values:
        if name in found:
            raise Unsupported(f"the name {name} is taken")
        found[name] = value
    return found


# --------------------------------------------------------------------- systems

class System:
    """A transition system with bad states, of a conjunct and a reduction."""

    def __init__(self, encoding: Encoding, product: Product, reduction: Any) -> None:
        self.encoding = encoding
        self.product = product
        self.kind, self.count, self.components = read_reduction(reduction)
        self.extra: list[Node] = []
        self.names = dict(encoding.names)
        self.goal = None
        if self.kind == "invariance":
            self.goal = product.goal()
            require(self.goal is not None or product.impossible, "the conjunct is no invariance")
            self.tracked: list = []
        else:
            self.tracked = product.variables
        if self.kind == "safety":
            require(product.ends(), "the obligations of the conjunct do not end")
        self.pending = [self.add(f"obligation-{v.number}") for v in self.tracked]
        self.eventualities = [self.pending[v.number] for v in product.eventualities()] if self.tracked else []
        self.counters: list[Node] = []
        self.broken: Node | None = None
        self.before_counting = list(self.extra)
        if self.kind in ("counting", "ranking"):
            m = len(self.eventualities)
            first = 0 if m == 1 else m
            self.rounds = [self.add(f"counter-{n}") for n in range(first)]
            self.before_counting = list(self.extra)
            self.counters = [self.add(f"counter-{first + n}") for n in range(self.count)]
            if self.kind == "ranking":
                self.broken = self.add(f"counter-{first + self.count}")
        for v in self.tracked:
            promise = product.promise(v.number)
            self.names[promise] = promise.args[0]

    def add(self, name: str) -> Node:
        variable = node("extra", name)
        self.extra.append(variable)
        self.names[variable] = name
        return variable

    # ------------------------------------------------------------- scripts

    def declare(self, script: Script, k: int) -> None:
        self.encoding.declare(script, k)
        for variable in self.extra:
            script.declare(variable, k, "Bool")

    def initial(self, script: Script) -> str:
        found = [self.encoding.initial(script)]
        for variable in self.extra:
            symbol = script.symbol(variable, 0)
            at_first = self.pending and variable is self.pending[self.product.start]
            found.append(symbol if at_first else f"(not {symbol})")
        return all_of(found)

    def met(self, script: Script, k: int) -> list[str]:
        """For each eventuality that it was not pending at some moment of the round."""
        found = []
        for n, eventuality in enumerate(self.eventualities):
            now = f"(not {script.symbol(eventuality, k)})"
            found.append(any_of([script.symbol(self.rounds[n], k), now]) if self.rounds else now)
        return found

    def round_ends(self, script: Script, k: int) -> str:
        return all_of(self.met(script, k))

    def step(self, script: Script, k: int, ranking: list | None) -> None:
        """Asserts a step from state k to state k + 1."""
        self.encoding.step(script, k)
        for v in self.tracked:
            promise = self.product.promise(v.number)
            script.declare(promise, k, "Bool")
        for v, variable in zip(self.tracked, self.pending):
            promise = script.symbol(self.product.promise(v.number), k)
            script.claim(f"(= {script.symbol(variable, k + 1)} {promise})")
            script.claim(f"(=> {script.symbol(variable, k)} {script.text(v.demand, k)})")
            sources = [script.symbol(self.pending[w.number], k) for w in self.tracked if demands(w, v.number)]
            script.claim(f"(=> {promise} {any_of(sources)})")
            if v.goal is not None:
                script.claim(f"(=> {promise} (not {script.text(v.goal, k)}))")
        if self.kind in ("counting", "ranking"):
            self.count_step(script, k, ranking)

    def count_step(self, script: Script, k: int, ranking: list | None) -> None:
        ends = script.define("Bool", self.round_ends(script, k))
        for variable, met in zip(self.rounds, self.met(script, k)):
            script.claim(f"(= {script.symbol(variable, k + 1)} (and {met} (not {ends})))")
        changes = disrespects = "false"
        if ranking is not None:
            changes, disrespects = self.ranked(script, ranking)
        before = "true"
        for variable in self.counters:
            seen = script.symbol(variable, k)
            after = f"(or {seen} (and {before} {ends}))"
            script.claim(f"(= {script.symbol(variable, k + 1)} (and {after} (not {changes})))")
            before = seen
        if self.broken is not None:
            broken = script.symbol(self.broken, k)
            script.claim(f"(= {script.symbol(self.broken, k + 1)} (or {broken} {disrespects}))")

    def ranked(self, script: Script, ranking: list[tuple[str, str]]) -> tuple[str, str]:
        """That a step changes the ranking, and that it disrespects it. Components: their text before and after."""
        changes, disrespects, same = [], [], []
        for before, after in ranking:
            changes.append(f"(not (= {before} {after}))")
            worse = f"(or (> {after} {before}) (< {before} 0))"
            disrespects.append(all_of(same + [changes[-1], worse]))
            same = same + [f"(= {before} {after})"]
        return script.define("Bool", any_of(changes)), script.define("Bool", any_of(disrespects))

    def bad(self, script: Script, k: int) -> str:
        if self.product.impossible:
            return "false"
        if self.kind == "invariance":
            assert self.goal is not None
            return script.text(self.goal, k)
        if self.kind == "safety":
            return all_of([f"(not {script.symbol(v, k)})" for v in self.pending])
        seen = script.symbol(self.counters[-1], k) if self.counters else "true"
        counted = f"(and {seen} {self.round_ends(script, k)})"
        if self.broken is None:
            return counted
        return f"(or {script.symbol(self.broken, k)} {counted})"

    def differ(self, script: Script, k: int, other: int) -> str:
        variables = self.encoding.variables + self.extra
        return any_of([f"(not (= {script.symbol(v, k)} {script.symbol(v, other)}))" for v in variables])


def demands(variable, j: int) -> bool:
    """True if the demand of a variable contains promise j."""
    return any(n.kind == "choice" and n.args[0] == f"promise-{j}" for n in nodes([variable.demand]))


def read_reduction(value: Any) -> tuple[str, int, list]:
    """The kind of a reduction, its number, and its components."""
    if value in ("invariance", "safety"):
        return value, 0, []
    require(isinstance(value, dict) and len(value) == 1, "an unknown reduction")
    if "counting" in value:
        return "counting", counted(value["counting"], 0), []
    require("ranking" in value, "an unknown reduction")
    inside = fields(value["ranking"], {"counted", "components"})
    components = [parse_term(c) for c in items(inside["components"])]
    require(bool(components), "a ranking without components")
    return "ranking", counted(inside["counted"], 0), components


def counted(value: Any, least: int) -> int:
    require(type(value) is int and least <= value <= LIMIT, "a number that is too large, or none")
    return value


# --------------------------------------------------------------------- queries

class Conjunct:
    """The evidence for one conjunct."""

    def __init__(self, system: System, k: int, clauses: list[Any]) -> None:
        self.system = system
        self.k = k
        self.clauses = clauses
        self.terms = Terms(system.encoding, system.extra)
        self.ranking = Terms(system.encoding, system.before_counting)

    def invariant(self, script: Script, k: int) -> str:
        found = [self.system.encoding.ranges(script, k)]
        for clause in self.clauses:
            text, sort = self.terms.write(clause, script, k)
            require(sort == "Bool", "a clause that is no condition")
            found.append(text)
        return script.define("Bool", all_of(found))

    def step(self, script: Script, k: int) -> None:
        ranking = None
        if self.system.kind == "ranking":
            ranking = []
            for component in self.system.components:
                before, after = self.ranking.write(component, script, k), self.ranking.write(component, script, k + 1)
                require(before[1] == "Int", "a component that is no number")
                ranking.append((before[0], after[0]))
        self.system.step(script, k, ranking)

    def script(self, states: int) -> Script:
        script = Script(self.system.names)
        for k in range(states):
            self.system.declare(script, k)
        return script

    def initial(self) -> str:
        """An initial state, or one of the first k states of a run, is outside of the invariant."""
        script = self.script(self.k)
        script.claim(self.system.encoding.ranges(script, 0))
        script.claim(self.system.initial(script))
        outside = []
        reached: list[str] = []
        for i in range(self.k):
            if i > 0:
                flag = f"step{i}"
                script.lines.append(f"(declare-const {flag} Bool)")
                self.guarded_step(script, i - 1, flag)
                reached.append(flag)
            outside.append(all_of(reached + [f"(not {self.invariant(script, i)})"]))
        script.claim(any_of(outside))
        return script.finished()

    def guarded_step(self, script: Script, k: int, flag: str) -> None:
        """A step that is asserted only if a flag is true."""
        lines, script.lines = script.lines, []
        self.step(script, k)
        for line in script.lines:
            if line.startswith("(assert "):
                line = f"(assert (=> {flag} {line[len('(assert '):-1]}))"
            lines.append(line)
        script.lines = lines

    def inductive(self) -> str:
        """A step leads out of the invariant, after k different states in it."""
        script = self.script(self.k + 1)
        for i in range(self.k):
            script.claim(self.invariant(script, i))
            for j in range(i):
                script.claim(self.system.differ(script, j, i))
            self.step(script, i)
        script.claim(f"(not {self.invariant(script, self.k)})")
        return script.finished()

    def safe(self) -> str:
        """A bad state is in the invariant."""
        script = self.script(1)
        script.claim(self.invariant(script, 0))
        script.claim(self.system.bad(script, 0))
        return script.finished()

    def check(self, solver: Solver) -> None:
        solver.refute(self.initial(), "an initial state is outside of the invariant")
        solver.refute(self.inductive(), "a step leads out of the invariant")
        solver.refute(self.safe(), "a bad state is in the invariant")


def receive_labels(model: Model) -> list[tuple[int, int]]:
    """The receive labels in the specs and assumptions of a file."""
    formulas = [s.formula for s in model.specs] + model.assumptions
    found = {n.args for n in nodes(formulas) if n.kind == "Label"
             and model.instances[n.args[0]].agent.commands[n.args[1]].kind == "receive"}
    return sorted(found)


def check_invariants(model: Model, formula: Node, evidence: Any, solver: Solver, with_texts: bool = True) -> None:
    """I1 to I3. Raises an exception unless the evidence proves the formula.

    The texts of conjuncts are compared as well, if the formula is one that can be written.
    """
    conjuncts = logic.conjuncts(formula)
    claims = items(evidence)
    require(len(claims) == len(conjuncts), f"evidence for {len(claims)} conjuncts, the spec has {len(conjuncts)}")
    encoding = Encoding(model, receive_labels(model))
    writer = texts.Writer(model)
    for conjunct, claim in zip(conjuncts, claims):
        fields(claim, {"reduction", "k", "clauses"}, {"formula", "legend"})
        written = writer.formula(conjunct)[0]
        require(not with_texts or claim.get("formula", written) == written,
                f"evidence for another conjunct than {written}")
        check_conjunct(encoding, conjunct, claim, solver)


def check_conjunct(encoding: Encoding, conjunct: Node, claim: dict, solver: Solver) -> None:
    """The evidence for one conjunct. Any numbering of obligations is sound, but clauses may need that of the legend."""
    product = Product(encoding, conjunct)
    system = System(encoding, product, claim["reduction"])
    clauses = [parse_term(c) for c in items(claim["clauses"])]
    try:
        Conjunct(system, counted(claim["k"], 1), clauses).check(solver)
    except Refused:
        if system.tracked and not fits(product, claim.get("legend")):
            raise Unsupported("the legend has other obligations than this checker") from None
        raise


def fits(product: Product, legend: Any) -> bool:
    """True if the obligations are as many as those of a legend, and of the same kinds, or it lists none."""
    if not isinstance(legend, dict):
        return True
    listed = [text for name, text in legend.items() if name.startswith("obligation-")]
    return not listed or [str(text).startswith("pending eventuality") for text in listed] == \
        [v.is_eventuality for v in product.variables]
