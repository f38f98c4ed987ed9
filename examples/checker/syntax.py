"""Words and grammar of the model language, in both dialects. The result are plain tuples.

Names are not resolved here, with one exception: `a-b` is a reference where `a` is an instance or
a quantified variable, and a subtraction elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from outcome import BadInput, Unsupported
from trees import truncated

TOKEN = re.compile(
    r"""(?P<space>\s+) | (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<number>\d+)
      | (?P<word>(?:message-structure|property-variables|communication-variables|receive-guard|point-to-point)\b
               | GET@ | SUPPLY@ | [A-Za-z_][A-Za-z0-9_]*)
      | (?P<sign><->|<-|->|:=|<=|>=|!=|==|&&|\|\||<<|>>|\[\[|\]\]|/\\|\\/|\.\.|[-+*/!?&|=<>()\[\]{},;:.@])""",
    re.X | re.S | re.A)

SPEC_WORDS = {"SPEC", "LTL", "LTOL", "LTLSPEC"}
TEMPORAL = {"F", "G", "X"}
CONNECTIVES = {"&", "|", "->", "<->", "U", "W", "R"}
COMPARISONS = {"=", "!=", "<", "<=", ">", ">="}
SAME = {"==": "=", "&&": "&", "TRUE": "true", "FALSE": "false"}
KNOWERS = {"K", "GK", "DK", "GCK"}
DECIDERS = {"can", "could"}


@dataclass
class Token:
    kind: str
    text: str
    line: int
    comments: list = field(default_factory=list)    # (line, text) of those between this word and the one before


@dataclass
class Command:
    """A command as it is written."""
    label: str | None
    guard: Any
    kind: str                       # send, receive, get or supply
    channel: str | None = None
    partner: Any = None             # send guard, ("by name", NAME), ("condition", E), or the word of a supply
    data: list = field(default_factory=list)
    updates: list = field(default_factory=list)


@dataclass
class Agent:
    name: str
    locals: list = field(default_factory=list)
    init: Any = None
    relabel: list = field(default_factory=list)
    receive_guard: Any = None
    process: Any = None


@dataclass
class Instance:
    name: str
    agent: str
    condition: Any
    index: int | None


@dataclass
class Spec:
    formula: Any
    name: str | None
    assumption: bool


@dataclass
class File:
    """All that a model file says."""
    classic: bool = False
    channels: list[str] = field(default_factory=lambda: ["*"])
    enums: dict[str, list[str]] = field(default_factory=dict)
    messages: list = field(default_factory=list)
    properties: list = field(default_factory=list)
    macros: dict[str, tuple] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    point_to_point: str = "tool"
    agents: list[Agent] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    where: Any = None
    specs: list[Spec] = field(default_factory=list)


def tokens(text: str) -> list[Token]:
    """The words of a text, and an empty one at the end."""
    words: list[Token] = []
    comments: list[tuple[int, str]] = []
    place, line = 0, 1
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise BadInput(f"line {line}: unknown sign {text[place]!r}")
        kind, found = str(match.lastgroup), match.group()
        if kind == "comment":
            comments.append((line, found))
        elif kind != "space":
            words.append(Token(kind, found, line, comments))
            comments = []
        line += found.count("\n")
        place = match.end()
    words.append(Token("end", "", line, comments))
    return words


class Parser:
    """A parser by recursive descent. `given` has the constants and sizes that a certificate names."""

    def __init__(self, text: str, given: dict[str, Any]) -> None:
        self.words = tokens(text)
        self.place = 0
        self.given = given
        self.file = File()
        self.file.classic = any(a.text in ("channels", "channel") and b.text == ":"
                                for a, b in zip(self.words, self.words[1:]))
        if self.file.classic:
            self.words = [w for word in self.words for w in split(word)]
        self.references: set[str] = set()
        self.angle = False

    # -------------------------------------------------------------- words

    @property
    def text(self) -> str:
        text = self.words[self.place].text
        return SAME.get(text, text)

    def ahead(self, distance: int) -> str:
        place = min(self.place + distance, len(self.words) - 1)
        text = self.words[place].text
        return SAME.get(text, text)

    def fail(self, wanted: str) -> BadInput:
        word = self.words[self.place]
        return BadInput(f"line {word.line}: expected {wanted}, found {word.text!r}")

    def take(self) -> str:
        text = self.text
        self.place += 1
        return text

    def expect(self, text: str) -> None:
        if self.text != text:
            raise self.fail(repr(text))
        self.place += 1

    def accept(self, text: str) -> bool:
        if self.text == text and self.words[self.place].kind != "end":
            self.place += 1
            return True
        return False

    def name(self) -> str:
        if self.words[self.place].kind != "word":
            raise self.fail("a name")
        return self.take()

    def list_of(self, item, end: str) -> list:
        """Items with commas between them up to a closing sign, which is taken."""
        items: list = []
        if self.accept(end):
            return items
        items.append(item())
        while self.accept(","):
            items.append(item())
        self.expect(end)
        return items

    # ------------------------------------------------------- declarations

    def parse(self) -> File:
        while self.text not in ("agent", "system"):
            self.declaration()
        while self.text == "agent":
            self.file.agents.append(self.agent())
        self.system()
        previous_line = self.words[self.place - 1].line
        while self.words[self.place].kind != "end":
            previous_line = self.spec(previous_line)
        return self.file

    def declaration(self) -> None:
        word = self.take()
        if word == "enum":
            name = self.name()
            self.expect("{")
            constants = self.list_of(self.name, "}")
            target = self.file.channels if name == "channel" else self.file.enums.setdefault(name, [])
            target.extend(constants)
        elif word in ("channels", "channel") and self.file.classic:
            self.expect(":")
            self.file.channels.extend(self.names(["*"]))
        elif word == "message-structure":
            self.expect(":")
            self.file.messages.extend(self.declared())
        elif word in ("property-variables", "communication-variables"):
            self.expect(":")
            self.file.properties.extend(self.declared())
        elif word == "guard":
            name = self.name()
            self.expect("(")
            parameters = [p for p, _ in self.list_of(self.declared_one, ")")]
            self.expect(":=")
            self.file.macros[name] = (parameters, self.expression())
            self.expect(";")
        elif word == "const":
            name = self.name()
            self.expect("=")
            value = self.value(self.expression())
            self.file.constants[name] = self.given.get(name, value)
            self.expect(";")
        elif word == "point-to-point":
            self.expect(":")
            self.file.point_to_point = self.name()
        else:
            self.place -= 1
            raise self.fail("a declaration")

    def names(self, allowed: list[str]) -> list[str]:
        """Names with commas between them; the broadcast channel may stand among them."""
        found = []
        while True:
            if self.text in allowed:
                self.take()
            else:
                found.append(self.name())
            if not self.accept(","):
                return found

    def declared(self) -> list:
        """Declarations with commas between them, maybe none at all."""
        items: list = []
        if self.words[self.place].kind == "word" and self.ahead(1) == ":":
            items.append(self.declared_one())
            while self.accept(","):
                items.append(self.declared_one())
        return items

    def declared_one(self) -> tuple:
        name = self.name()
        self.expect(":")
        return (name, self.type())

    def type(self) -> tuple:
        words = {"bool": ("bool",), "boolean": ("bool",), "int": ("int",), "integer": ("int",),
                 "channel": ("channel",), "location": ("location",)}
        if self.words[self.place].kind == "word" and self.ahead(1) not in ("..", "+", "-", "*", "/"):
            name = self.name()
            return words.get(name, ("enum", name))
        low = self.value(self.sum())
        self.expect("..")
        return ("range", low, self.value(self.sum()))

    def value(self, tree: tuple) -> Any:
        """The value of an expression of constants."""
        kind = tree[0]
        if kind in ("number", "truth"):
            return tree[1]
        if kind == "name" and tree[1] in self.file.constants:
            return self.file.constants[tree[1]]
        if kind == "neg":
            return -self.value(tree[1])
        if kind == "!":
            return not self.value(tree[1])
        if kind == "if":
            return self.value(tree[2] if self.value(tree[1]) else tree[3])
        table = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": truncated,
                 "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
                 "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
                 "&": lambda a, b: a and b, "|": lambda a, b: a or b, "->": lambda a, b: not a or b,
                 "<->": lambda a, b: a == b}
        if kind in table:
            return table[kind](self.value(tree[1]), self.value(tree[2]))
        raise BadInput(f"line {self.words[self.place].line}: not a constant")

    # ------------------------------------------------------------- agents

    def agent(self) -> Agent:
        self.expect("agent")
        agent = Agent(self.name())
        while True:
            section = self.take()
            self.expect(":")
            if section == "local":
                agent.locals.extend(self.declared())
            elif section == "init":
                agent.init = self.expression()
            elif section == "relabel":
                while self.words[self.place].kind == "word" and self.ahead(1) == "<-":
                    name = self.name()
                    self.expect("<-")
                    agent.relabel.append((name, self.expression()))
            elif section == "receive-guard":
                agent.receive_guard = self.expression()
            elif section == "repeat":
                agent.process = self.process()
                return agent
            else:
                raise self.fail("a section of an agent type")

    def process(self) -> tuple:
        left = self.sequence()
        while self.accept("+"):
            left = ("+", left, self.sequence())
        return left

    def sequence(self) -> tuple:
        steps = [self.step()]
        while self.accept(";"):
            steps.append(self.step())
        if self.file.classic:
            result = steps.pop()
            while steps:
                result = (";", steps.pop(), result)
            return result
        result = steps[0]
        for step in steps[1:]:
            result = (";", result, step)
        return result

    def step(self) -> tuple:
        if self.accept("("):
            inside = self.process()
            self.expect(")")
            return inside
        if self.text == "rep":
            self.take()
            if self.words[self.place].kind == "word" and self.ahead(1) == ".":
                raise Unsupported("a loop by name")
            return ("rep", self.step() if self.file.classic else self.process())
        label = None
        if self.words[self.place].kind == "word" and self.ahead(1) == ":":
            label = self.name()
            self.expect(":")
        guard = self.guard()
        if label is None and self.text == "(":
            self.take()
            inside = self.process()
            self.expect(")")
            return guarded(guard, inside)
        return ("command", self.command(label, guard))

    def guard(self) -> tuple:
        if self.accept("{"):
            guard = self.expression()
            self.expect("}")
            return guard
        self.expect("<")
        end = self.place
        while not self.closes_guard(end):
            end += 1
            if end >= len(self.words):
                raise self.fail("the end of a guard")
        rest = self.words[end]
        self.words[end] = Token("sign", "}", rest.line)
        guard = self.expression()
        self.expect("}")
        self.words[end] = rest
        return guard

    def closes_guard(self, place: int) -> bool:
        """In the classic dialect a `>` closes a guard where an action follows."""
        if self.words[place].text != ">":
            return False
        following = [w.text for w in self.words[place + 1:place + 3]]
        if following[:1] in (["GET@"], ["SUPPLY@"]):
            return True
        return len(following) == 2 and following[1] in ("!", "?") and \
            (following[0] == "*" or self.words[place + 1].kind == "word")

    def command(self, label: str | None, guard: tuple) -> Command:
        if self.accept("GET@"):
            command = Command(label, guard, "get")
            self.expect("(")
            if self.words[self.place].kind == "word" and self.ahead(1) == ")" and self.text not in ("true", "false"):
                command.partner = ("name", self.name())
            else:
                command.partner = ("condition", self.expression())
            self.expect(")")
        elif self.accept("SUPPLY@"):
            command = Command(label, guard, "supply")
            self.expect("(")
            command.partner = self.name()
            self.expect(")")
        else:
            channel = "*" if self.accept("*") else self.name()
            if self.accept("?"):
                command = Command(label, guard, "receive", channel)
                command.updates = self.updates()
                return command
            self.expect("!")
            command = Command(label, guard, "send", channel)
            command.partner = self.expression()
        self.expect("(")
        command.data = self.list_of(self.assignment, ")")
        command.updates = self.updates()
        return command

    def updates(self) -> list:
        if self.file.classic and self.text != "[":
            return []
        self.expect("[")
        return self.list_of(self.assignment, "]")

    def assignment(self) -> tuple:
        name = self.name()
        self.expect(":=")
        return (name, self.expression())

    # ------------------------------------------------------------- system

    def system(self) -> None:
        self.expect("system")
        self.expect("=")
        self.member()
        while self.accept("||") or (self.file.classic and self.accept("|")):
            self.member()
        self.references = {i.name for i in self.file.instances}
        if self.text == "where":
            self.take()
            self.file.where = self.expression()

    def member(self) -> None:
        agent = self.name()
        self.expect("(")
        name = self.name()
        numbers: list[int | None] = [None]
        if self.accept("["):
            numbers = list(self.family(name))
            self.expect("]")
        self.expect(",")
        condition = self.expression()
        self.expect(")")
        for index in numbers:
            full = name if index is None else f"{name}{index}"
            self.file.instances.append(Instance(full, agent, condition, index))

    def family(self, name: str) -> range:
        """The numbers of a family."""
        if self.text == "*" and self.ahead(1) == "]":
            self.take()
            return self.any_size(name)
        low = self.value(self.sum())
        self.expect("..")
        if self.text == "*":
            self.take()
            return self.any_size(name)
        return range(low, self.value(self.sum()) + 1)

    def any_size(self, name: str) -> range:
        size = self.given.get(f"{name}[*]")
        if size is None:
            raise Unsupported(f"the family {name} has any number of members")
        self.file.constants[f"{name}[*]"] = size
        return range(1, size + 1)

    # -------------------------------------------------------------- specs

    def spec(self, previous_line: int) -> int:
        """One spec or assumption. Returns the line on which it ends."""
        start = self.place
        word = self.take()
        if word not in SPEC_WORDS and word != "ASSUME":
            self.place -= 1
            raise self.fail("a spec")
        formula = self.expression()
        self.accept(";")
        end_line = self.words[self.place - 1].line
        above = [text for line, text in self.words[start].comments if line > previous_line]
        behind = [text for line, text in self.words[self.place].comments if line == end_line]
        names = [name for name in map(name_in, above + behind) if name is not None]
        self.file.specs.append(Spec(formula, names[-1] if names else None, word == "ASSUME"))
        return end_line

    # -------------------------------------------------------- expressions

    def expression(self) -> tuple:
        """An expression or formula of the loosest level."""
        return self.equivalence() if self.file.classic else self.chain()

    def chain(self) -> tuple:
        """The one level of connectives of the modern dialect."""
        left = self.operand()
        while (sign := self.connective()) is not None:
            self.take()
            left = (sign, left, self.operand())
        return left

    def connective(self) -> str | None:
        text = "|" if self.text == "||" else self.text
        return text if text in CONNECTIVES else None

    def equivalence(self) -> tuple:
        left = self.implication()
        while self.accept("<->"):
            left = ("<->", left, self.implication())
        return left

    def implication(self) -> tuple:
        left = self.disjunction()
        if self.accept("->"):
            return ("->", left, self.implication())
        return left

    def disjunction(self) -> tuple:
        left = self.conjunction()
        while self.text in ("|", "||"):
            self.take()
            left = ("|", left, self.conjunction())
        return left

    def conjunction(self) -> tuple:
        left = self.binary_temporal()
        while self.accept("&"):
            left = ("&", left, self.binary_temporal())
        return left

    def binary_temporal(self) -> tuple:
        left = self.operand()
        if self.text in ("U", "W", "R"):
            sign = self.take()
            left = (sign, left, self.operand())
            if self.text in ("U", "W", "R"):
                raise Unsupported("U, W or R in a row in the classic dialect")
        return left

    def is_prefix(self) -> bool:
        text = self.text
        if text in TEMPORAL or text in ("<<", "[[", "/\\", "\\/"):
            return True
        if self.file.classic and text in ("<", "["):
            return True
        return text in ("forall", "exists") and self.ahead(1) != "("

    def operand(self) -> tuple:
        return self.prefix() if self.is_prefix() else self.comparison()

    def body(self) -> tuple:
        """The operand of F, G, X and observations."""
        return self.operand() if self.file.classic else self.chain()

    def prefix(self) -> tuple:
        sign = self.take()
        if sign in TEMPORAL:
            return (sign, self.body())
        if sign in ("<<", "[[", "<", "["):
            close = {"<<": ">>", "[[": "]]", "<": ">", "[": "]"}[sign]
            outside, self.angle = self.angle, sign == "<"
            observation = self.expression()
            self.angle = outside
            self.expect(close)
            return ("box" if sign.startswith("[") else "diamond", observation, self.body())
        kind = {"/\\": "forall", "\\/": "exists"}.get(sign, sign)
        variables, types = self.bound()
        body = self.within(variables, self.expression)
        return (kind, variables, types, body)

    def bound(self) -> tuple[list[str], list[str]]:
        """The variables of a quantifier and the types over which they range."""
        variables = [self.name()]
        while self.accept(","):
            variables.append(self.name())
        self.expect(":")
        types = [self.name()]
        while self.accept("|"):
            types.append(self.name())
        self.expect(".")
        return variables, types

    def within(self, variables: list[str], parse) -> tuple:
        """Parses with more names that can stand before a hyphen."""
        outside = self.references
        self.references = outside | set(variables)
        result = parse()
        self.references = outside
        return result

    def comparison(self) -> tuple:
        left = self.sum()
        if self.text in COMPARISONS and not (self.angle and self.text == ">"):
            sign = self.take()
            return (sign, left, self.sum())
        if self.text == "<-":
            self.take()
            return ("<", left, ("neg", self.sum()))
        return left

    def sum(self) -> tuple:
        left = self.product()
        while self.text in ("+", "-"):
            sign = self.take()
            left = (sign, left, self.product())
        return left

    def product(self) -> tuple:
        left = self.unary()
        while self.text in ("*", "/"):
            sign = self.take()
            left = (sign, left, self.unary())
        return left

    def unary(self) -> tuple:
        if self.accept("!"):
            return ("!", self.prefix() if self.is_prefix() else self.unary())
        if self.accept("-"):
            return ("neg", self.unary())
        return self.primary()

    def primary(self) -> tuple:
        word = self.words[self.place]
        if word.kind == "number":
            return ("number", int(self.take()))
        if self.accept("*"):
            return ("name", "*")
        if self.accept("@"):
            return ("property", self.name())
        if self.text == "(":
            self.take()
            outside, self.angle = self.angle, False
            inside = self.expression()
            self.angle = outside
            self.expect(")")
            return inside
        if word.kind != "word":
            raise self.fail("an expression")
        if self.text in ("true", "false"):
            return ("truth", self.take() == "true")
        return self.word()

    def word(self) -> tuple:
        """An expression that begins with a word."""
        name, following = self.text, self.ahead(1)
        if following == "(":
            special = self.call(name)
            if special is not None:
                return special
        if name in ("sum", "count") and self.words[self.place + 1].kind == "word" and self.ahead(2) in (":", ","):
            self.take()
            variables, types = self.bound()
            return (name, variables, types, self.within(variables, self.sum if name == "sum" else self.expression))
        if name == "if":
            self.take()
            condition = self.expression()
            self.expect("then")
            left = self.expression()
            self.expect("else")
            return ("if", condition, left, self.expression())
        self.name()
        if following == "-" and self.words[self.place + 1].kind == "word" and name in self.references:
            self.take()
            return ("of", name, self.local_name())
        if self.file.classic and name == "keep" and following == "-" and self.ahead(1) == "all":
            self.place += 2
            return ("name", "keep-all")
        return ("name", name)

    def local_name(self) -> str:
        name = self.name()
        if name == "automaton" and self.text == "-" and self.ahead(1) == "state":
            self.place += 2
            return "automaton-state"
        return name

    def call(self, name: str) -> tuple | None:
        """A word with arguments, if this is one."""
        if name in self.file.macros:
            self.place += 2
            return ("call", name, self.list_of(self.expression, ")"))
        if name == "size":
            self.place += 2
            types = [self.name()]
            while self.accept("|"):
                types.append(self.name())
            self.expect(")")
            return ("size", types)
        if name in ("enabled", "acts", "weak", "strong"):
            self.place += 2
            instance = self.name()
            command = self.name() if self.accept("-") else None
            self.expect(")")
            return (name, instance, command)
        if name in ("exists", "forall"):
            self.place += 2
            inside = self.expression()
            self.expect(")")
            return ("some" if name == "exists" else "every", inside)
        if name in ("A", "E"):
            self.place += 2
            inside = self.expression()
            self.expect(")")
            return ("runs", name, inside)
        if name in KNOWERS or name in DECIDERS:
            self.place += 2
            group = self.group(name)
            self.expect(",")
            inside = self.expression()
            self.expect(")")
            return ("knows" if name in KNOWERS else "decides", name, group, inside)
        return None

    def group(self, name: str) -> tuple:
        if name == "K":
            return ("instances", [self.name()])
        if self.accept("{"):
            return ("instances", self.list_of(self.name, "}"))
        types = [self.name()]
        while self.accept("|"):
            types.append(self.name())
        return ("types", types)


def split(word: Token) -> list[Token]:
    """In the classic dialect brackets are single signs."""
    if word.text in ("<<", ">>", "[[", "]]"):
        return [Token("sign", word.text[0], word.line, word.comments), Token("sign", word.text[1], word.line)]
    return [word]


def guarded(guard: tuple, process: tuple) -> tuple:
    """A guard before a process restricts the commands with which it can begin."""
    if process[0] == "command":
        process[1].guard = ("&", guard, process[1].guard)
        return process
    if process[0] == "+":
        return ("+", guarded(guard, process[1]), guarded(guard, process[2]))
    if process[0] == ";":
        return (";", guarded(guard, process[1]), process[2])
    raise BadInput("a guard before rep")


def name_in(comment: str) -> str | None:
    """The name that a comment gives to a spec."""
    text = comment[2:].strip()
    if not re.match(r"(name|expect)\s*:", text):
        return None
    for part in text.split(","):
        match = re.match(r"\s*name\s*:\s*(\S.*?)\s*$", part)
        if match:
            return match.group(1)
    return None


def parse(text: str, given: dict[str, Any]) -> File:
    return Parser(text, given).parse()
