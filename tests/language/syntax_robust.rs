//! The front end on hostile and random text: no panic, no overflow, no hang; and formatting of random trees.

use crate::common::{front_end, shipped, source};
use cpu_time::ThreadTime;
use rcheck_smt::diag::Code;
use rcheck_smt::source::{SourceFile, Span};
use rcheck_smt::syntax::ast::*;
use rcheck_smt::syntax::{self, MAX_NESTING, Memory, Parsed, pretty};
use std::ops::Range;
use std::time::Duration;

/// A small generator of random numbers (xorshift), so that every run is the same.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

const DIALECTS: [Option<Dialect>; 3] = [None, Some(Dialect::Modern), Some(Dialect::Classic)];

fn parse(text: &str, dialect: Option<Dialect>) -> Parsed {
    syntax::parse(&SourceFile::new("m", text), dialect)
}

/// Works for less than a minute of processor time, whatever else the machine does: a parser that needs the square of
/// the size of these texts takes hours.
fn soon<R>(work: impl FnOnce() -> R) -> R {
    let begun = ThreadTime::now();
    let result = work();
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    result
}

/// The codes of what was found, but for complaints about the dialect, which the tests force upon any text.
fn codes(parsed: &Parsed) -> Vec<&'static str> {
    let codes = parsed.diagnostics.iter().map(|diagnostic| diagnostic.code);
    codes.filter(|code| *code != Code::WrongDialect).map(Code::as_str).collect()
}

#[test]
fn a_megabyte_of_nesting_is_an_error_and_nothing_worse() {
    let around = |before: &str, unit: &str, after: &str| {
        format!("agent A init: true repeat: {before}{}{after}", unit.repeat(1_000_000 / unit.len()))
    };
    let spec = |unit: &str| format!("system = A(k, true) SPEC {}", unit.repeat(1_000_000 / unit.len()));
    let texts = [
        around("", "(", ""),
        around("", "rep ", ""),
        around("", "rep (", ""),
        around("{", "!", "} *? []"),
        around("", "a: {true} *? []; rep ", ""),
        around("", "(<", ""),
        around("", "+ <", ""),
        around("", "a: <x > ", ""),
        around("", "{a [", ""),
        around("", "rep {a ? [", ""),
        spec("("),
        spec("!"),
        spec("-"),
        spec("F "),
        spec("X("),
        spec("g("),
        spec("exists("),
        spec("[["),
        spec("<"),
        spec("<a> "),
        spec("[a] "),
        spec("forall k : A . "),
        spec("a -> "),
        spec("a & "),
        spec("a + "),
        spec("a & F "),
        spec("a U (b & "),
        spec("<a > "),
        spec("a > "),
        spec("LTL "),
        spec(")"),
        spec("]]"),
        spec("// name: a\n"),
        spec("SPEC a // expect: holds, name: b\n"),
        spec("SPEC "),
        spec("agent "),
        spec("enum "),
        spec("agent A repeat: "),
        spec("guard g(a : "),
        spec("system = A("),
        spec("channels: "),
        spec("/* "),
    ];
    for text in &texts {
        for dialect in DIALECTS {
            let parsed = soon(|| parse(text, dialect));
            assert!(!parsed.diagnostics.is_empty(), "{}", &text[..80]);
            assert!(parsed.diagnostics.iter().count() <= 110);
        }
    }
}

#[test]
fn nesting_is_read_up_to_its_bound() {
    let nested = |open: &str, depth: usize, close: &str| {
        format!(
            "agent A repeat: a: {{true}} *? []\nsystem = A(k, true) SPEC {}a{}",
            open.repeat(depth),
            close.repeat(depth)
        )
    };
    for (open, close) in [("(", ")"), ("!", ""), ("F ", ""), ("G(", ")"), ("[[b]] ", "")] {
        for dialect in DIALECTS {
            let levels = if open == "G(" { 2 } else { 1 };
            let fits = (MAX_NESTING - 1) / levels;
            assert_eq!(codes(&parse(&nested(open, fits, close), dialect)), [""; 0], "{open}");
            assert_eq!(codes(&parse(&nested(open, fits + 2, close), dialect)), ["E0106"], "{open}");
        }
    }
}

#[test]
fn long_chains_are_read_up_to_their_bound() {
    let chain = |operators: usize| {
        format!("agent A repeat: a: {{true}} *? []\nsystem = A(k, true) SPEC a{}", " & a".repeat(operators))
    };
    assert_eq!(codes(&parse(&chain(syntax::MAX_HEIGHT - 1), None)), [""; 0]);
    assert_eq!(codes(&parse(&chain(syntax::MAX_HEIGHT), None)), ["E0106"]);
    let steps = |separator: &str, number: usize| {
        format!(
            "agent A repeat: {{true}} *? []{}\nsystem = A(k, true)",
            format!("{separator}{{true}} *? []").repeat(number)
        )
    };
    for separator in [";", "+"] {
        for dialect in DIALECTS {
            let parsed = parse(&steps(separator, 100_000), dialect);
            assert!(codes(&parsed).contains(&"E0106"), "{separator}");
        }
    }
}

#[test]
fn many_agents_and_specs_are_read_in_linear_time() {
    let command =
        "    a: {x > 0 & (y | !z) & MSG = request} c! (@p = role & x = 1)(MSG := request, V := x + 1)[x := x - 1]";
    let agent = |number: usize| {
        let process = vec![command; 100].join(";\n").replace("a:", "");
        format!("agent A{number} local: x : int repeat: (\n{process})\n")
    };
    let agents: String = (0..100).map(agent).collect();
    let specs = "SPEC G (k-x > 0 -> F <<sender = k & MSG = request>> k-y)\n".repeat(1000);
    let text = format!("{agents}system = A0(k, true)\n{specs}");
    assert_eq!(codes(&soon(|| parse(&text, None))), [""; 0]);
}

#[test]
fn mistakes_under_quantifiers_are_found_once() {
    let instances: Vec<String> = (0..10).map(|number| format!("A(a{number}, true)")).collect();
    let quantifiers: String = (0..6).map(|number| format!("forall k{number} : A . ")).collect();
    let specs = format!("SPEC {quantifiers} k0-nothing\n").repeat(300);
    let text = format!("agent A repeat: {{true}} *? []\nsystem = {}\n{specs}", instances.join(" || "));
    soon(|| front_end::check(&text));
}

/// A warning in an agent is no reason to be silent about what it lacks.
#[test]
fn a_missing_behaviour_is_an_error_beside_warnings() {
    for agent in ["receive-guard: chan = c -> x -> y", "init: x & y -> x"] {
        let text =
            format!("enum channel {{c}}\nagent A local: x : bool, y : bool {agent}\nsystem = A(a, true)\nSPEC G a-x");
        assert!(codes(&parse(&text, None)).contains(&"E0104"), "{agent}: {:?}", codes(&parse(&text, None)));
        front_end::check(&text);
    }
}

/// The name and the expectation of a spec stay with it, whatever stands inside of it.
#[test]
fn comments_inside_of_a_spec_leave_its_name_alone() {
    for inside in ["// inside\n\n", "\n\n// inside\n", "\n\n/* inside\n of it */\n\n// and more\n\n"] {
        let text = format!(
            "agent A local: x : bool repeat: {{x}} *? []\nsystem = A(a, true)\n\n// name: n\n// expect: holds\nSPEC G {inside} a-x"
        );
        front_end::check(&text);
    }
}

/// A line may end as on any system: directives that a blank line parts from a spec stay apart from it.
#[test]
fn blank_lines_part_directives_from_specs() {
    for ends in ["\n\n", "\r\n\r\n", "\n\r", "\r\r"] {
        let text = format!(
            "agent A local: x : bool repeat: {{x}} *? []\nsystem = A(a, true)\n// name: m{ends}// name: n\nSPEC G a-x"
        );
        assert_eq!(codes(&parse(&text, None)), ["W0401"], "{ends:?}");
        let formatted = pretty::format(&SourceFile::new("m", &*text), &parse(&text, None));
        assert!(formatted.contains("// name: m\n\n// name: n\nSPEC"), "{ends:?}: {formatted}");
        front_end::check(&text);
    }
}

/// `if-x` is a member or a difference, `if - x` may be a condition.
#[test]
fn a_difference_of_if_stays_one() {
    for difference in ["if-x", "a-x + if-x", "!if-x"] {
        front_end::check(&format!(
            "agent A local: x : bool repeat: {{x}} *? []\nsystem = A(a, true)\nSPEC G ({difference});\nSPEC G a-x;"
        ));
    }
}

const SOUP: &[&str] = &[
    "enum",
    "channel",
    "channels",
    ":",
    "{",
    "}",
    "a",
    "b",
    "k",
    ",",
    "message-structure",
    "property-variables",
    "communication-variables",
    "guard",
    "(",
    ")",
    ":=",
    ";",
    "agent",
    "A",
    "local",
    "init",
    "relabel",
    "<-",
    "receive-guard",
    "repeat",
    "rep",
    "system",
    "=",
    "||",
    "|",
    "SPEC",
    "LTL",
    "int",
    "bool",
    "location",
    "0",
    "7",
    "..",
    "true",
    "FALSE",
    "chan",
    "myself",
    "point-to-point",
    "paper",
    "automaton-state",
    "forall",
    "exists",
    "/\\",
    "\\/",
    ".",
    "F",
    "G",
    "X",
    "U",
    "W",
    "R",
    "&",
    "&&",
    "->",
    "<->",
    "=>",
    "!",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "@",
    "?",
    "[",
    "]",
    "[[",
    "]]",
    "<<",
    ">>",
    "GET@",
    "SUPPLY@",
    "any",
    "// name: n\n",
    "/* c */",
    "#",
    "99999999999999999999",
    "\n",
];

#[test]
fn token_soup_is_digested() {
    let mut random = Random(0x5EED);
    for _ in 0..3000 {
        let length = 1 + random.below(60);
        let text: Vec<&str> = (0..length).map(|_| *random.pick(SOUP)).collect();
        front_end::check(&text.join(" "));
    }
}

#[test]
fn mutations_of_real_text_are_digested() {
    let originals = [
        include_str!("../fixtures/syntax/accepted/modern.rcp"),
        include_str!("../fixtures/syntax/accepted/classic.rcp"),
        include_str!("../fixtures/syntax/rejected/recovery.rcp"),
    ];
    let mut random = Random(0xFACE);
    for round in 0..1500 {
        let mut text: Vec<char> = originals[round % originals.len()].chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len());
            match random.below(4) {
                0 => drop(text.remove(at)),
                1 => text.splice(at..at, random.pick(SOUP).chars()).for_each(drop),
                2 => text.truncate(at.max(1)),
                _ => {
                    let end = (at + random.below(30)).min(text.len());
                    text.drain(at..end);
                    text.push(' ');
                }
            }
        }
        front_end::check(&text.into_iter().collect::<String>());
    }
}

/// Grows random trees that the modern dialect can express.
struct Grower {
    random: Random,
}

fn ident(name: &str) -> Ident {
    Ident { name: name.to_owned(), span: Default::default() }
}

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, Default::default())
}

fn node(kind: ProcessKind) -> Process {
    Process::new(kind, Default::default())
}

impl Grower {
    fn word(&mut self, words: &[&'static str]) -> &'static str {
        words[self.random.below(words.len())]
    }

    fn name(&mut self) -> Ident {
        ident(self.word(&["x", "y", "MSG", "role", "any", "ch", "deadlock", "one", "channels", "LTL"]))
    }

    fn leaf(&mut self, in_spec: bool) -> ExprKind {
        match self.random.below(if in_spec { 9 } else { 7 }) {
            0 => ExprKind::Bool(self.random.below(2) == 0),
            1 => ExprKind::Int(self.random.below(1000).into()),
            2 => ExprKind::Star,
            3 => ExprKind::Chan,
            4 => ExprKind::Myself,
            5 => ExprKind::Property(self.name()),
            6 => ExprKind::Name(self.name().name),
            _ => {
                let owner = ident(self.word(&["one", "two"]));
                let member = ident(self.word(&["x", "automaton-state", "myself", "one"]));
                ExprKind::Member { owner, member }
            }
        }
    }

    fn expr(&mut self, depth: usize, in_spec: bool) -> Expr {
        use BinaryOp::*;
        let boxed = |grower: &mut Grower| Box::new(grower.expr(depth - 1, in_spec));
        let kind = match self.random.below(if depth == 0 { 2 } else { 14 }) {
            0 | 1 => self.leaf(in_spec),
            2 => ExprKind::Call {
                callee: self.name(),
                arguments: (0..self.random.below(3)).map(|_| self.expr(depth - 1, in_spec)).collect(),
            },
            3 => ExprKind::Assignments(*self.random.pick(&[Quantifier::Forall, Quantifier::Exists]), boxed(self)),
            4 | 5 => {
                let all = [UnaryOp::Not, UnaryOp::Neg, UnaryOp::Next, UnaryOp::Finally, UnaryOp::Globally];
                ExprKind::Unary(*self.random.pick(&all[..if in_spec { 5 } else { 2 }]), boxed(self))
            }
            6 if in_spec => {
                let modality = *self.random.pick(&[Modality::Possible, Modality::Necessary]);
                ExprKind::Observe { modality, observation: boxed(self), body: boxed(self) }
            }
            7 if in_spec => ExprKind::Quantified {
                quantifier: *self.random.pick(&[Quantifier::Forall, Quantifier::Exists]),
                variable: ident(self.word(&["k", "x"])),
                domain: (0..1 + self.random.below(2)).map(|_| ident("A")).collect(),
                body: boxed(self),
            },
            8 if in_spec => ExprKind::Aggregate {
                aggregate: *self.random.pick(&[Aggregate::Sum, Aggregate::Count]),
                variable: ident(self.word(&["k", "x"])),
                domain: (0..1 + self.random.below(2)).map(|_| ident("A")).collect(),
                body: boxed(self),
            },
            9 | 10 => ExprKind::If { condition: boxed(self), yes: boxed(self), no: boxed(self) },
            _ => {
                let all =
                    [And, Or, Implies, Iff, Eq, Ne, Lt, Le, Gt, Ge, Add, Sub, Mul, Div, Until, WeakUntil, Release];
                ExprKind::Binary(*self.random.pick(&all), boxed(self), boxed(self))
            }
        };
        expr(kind)
    }

    fn assignments(&mut self) -> Vec<Assignment> {
        (0..self.random.below(3)).map(|_| Assignment { name: self.name(), value: self.expr(2, false) }).collect()
    }

    fn command(&mut self) -> Command {
        let channel = match self.random.below(2) {
            0 => expr(ExprKind::Star),
            _ => expr(ExprKind::Name(self.name().name)),
        };
        let action = match self.random.below(4) {
            0 => Action::Send { channel, guard: self.expr(3, false) },
            1 => Action::Receive { channel },
            2 => Action::Get { target: self.expr(3, false) },
            _ => {
                let to = [SupplyTarget::Name(ident("any")), SupplyTarget::Myself, SupplyTarget::Name(ident("one"))];
                Action::Supply { to: self.random.pick(&to).clone() }
            }
        };
        let is_receive = matches!(action, Action::Receive { .. });
        let data = if is_receive { Vec::new() } else { self.assignments() };
        let label = (self.random.below(2) == 0).then(|| self.name());
        let (guard, updates) = (self.expr(4, false), self.assignments());
        Command { label, guard, action, data, updates, span: Default::default() }
    }

    fn process(&mut self, depth: usize) -> Process {
        let boxed = |grower: &mut Grower| Box::new(grower.process(depth - 1));
        node(match self.random.below(if depth == 0 { 1 } else { 5 }) {
            0 | 1 => ProcessKind::Command(Box::new(self.command())),
            2 => ProcessKind::Sequence(boxed(self), boxed(self)),
            3 => ProcessKind::Choice(boxed(self), boxed(self)),
            _ => ProcessKind::Rep(boxed(self)),
        })
    }

    fn declarations(&mut self, at_least: usize) -> Vec<Declaration> {
        let minus_five = expr(ExprKind::Unary(UnaryOp::Neg, Box::new(expr(ExprKind::Int(5.into())))));
        let (n, two) = (expr(ExprKind::Name("N".to_owned())), expr(ExprKind::Int(2.into())));
        let doubled = expr(ExprKind::Binary(BinaryOp::Mul, Box::new(two), Box::new(n)));
        let kinds = [
            TypeKind::Bool,
            TypeKind::Int,
            TypeKind::Range(Box::new(minus_five), Box::new(expr(ExprKind::Int(7.into())))),
            TypeKind::Range(Box::new(expr(ExprKind::Name("N".to_owned()))), Box::new(doubled)),
            TypeKind::Location,
            TypeKind::Named("channel".to_owned()),
            TypeKind::Named("roles".to_owned()),
        ];
        let declaration = |grower: &mut Grower| Declaration {
            name: grower.name(),
            ty: Type { kind: grower.random.pick(&kinds).clone(), span: Default::default() },
        };
        (0..at_least + self.random.below(6)).map(|_| declaration(self)).collect()
    }

    fn model(&mut self) -> Model {
        let globals = vec![
            Global::Constant { name: self.name(), value: self.expr(3, false), given: None },
            Global::Enum { name: ident("channel"), constants: vec![self.name(), self.name()] },
            Global::Guard(Guard { name: ident("g"), parameters: self.declarations(0), body: self.expr(4, false) }),
            Global::Messages(self.declarations(1)),
            Global::Properties(self.declarations(0)),
            Global::PointToPoint { reading: PointToPoint::Paper, keyword: ident("point-to-point") },
        ];
        let agent = |grower: &mut Grower| Agent {
            name: ident("A"),
            locals: grower.declarations(0),
            init: (grower.random.below(2) == 0).then(|| grower.expr(4, false)),
            relabel: grower.assignments(),
            receive_guard: (grower.random.below(2) == 0).then(|| grower.expr(4, false)),
            process: grower.process(4),
        };
        let instance = |grower: &mut Grower, name| {
            let any = |least| {
                Family::Any(AnySize {
                    least,
                    star: Span::default(),
                    given: None,
                    listed: Vec::new(),
                    own: Vec::new(),
                    written: None,
                })
            };
            let family = match grower.random.below(4) {
                // `[1..*]` is a family of any size.
                0 => {
                    let (first, last) = (grower.expr(2, false), grower.expr(2, false));
                    (last.kind != ExprKind::Star).then_some(Family::Range(first, last))
                }
                1 => Some(any(None)),
                2 => Some(any(Some(grower.expr(2, false)))),
                _ => None,
            };
            let family = family.map(Box::new);
            Instance { agent: ident("A"), name: ident(name), family, init: grower.expr(2, false) }
        };
        let spec = |grower: &mut Grower| Spec {
            name: (grower.random.below(2) == 0).then(|| ident("n-1.a")),
            expect: (grower.random.below(2) == 0).then(|| ident("holds")),
            formula: grower.expr(6, true),
            span: Default::default(),
        };
        let assumption =
            |grower: &mut Grower, above| Assumption { formula: grower.expr(6, true), above, span: Default::default() };
        Model {
            dialect: Dialect::Modern,
            globals,
            agents: vec![agent(self), agent(self)],
            system: vec![instance(self, "one"), instance(self, "two")],
            restriction: (self.random.below(2) == 0).then(|| self.expr(4, false)),
            specs: (0..4).map(|_| spec(self)).collect(),
            assumptions: [0, 2, 2, 4].map(|above| assumption(self, above)).into(),
            fair: None,
            given_reading: None,
            damage: None,
        }
    }
}

#[test]
fn random_trees_survive_formatting() {
    let mut grower = Grower { random: Random(0xBEEF) };
    for _ in 0..500 {
        let model = grower.model();
        let text = pretty::model(&model);
        let parsed = parse(&text, None);
        assert_eq!(codes(&parsed), [""; 0], "{text}\n{:?}", parsed.diagnostics);
        assert!(parsed.model == model, "{text}\n{}", pretty::model(&parsed.model));
    }
}

#[test]
fn what_is_read_again_is_read_as_if_for_the_first_time() {
    let mut random = Random(20);
    for shipped in shipped() {
        let original = source(&shipped).text().to_owned();
        let words: Vec<Range<usize>> = words(&original);
        let mut memory = Memory::default();
        let mut text = original.clone();
        for edit in 0..40 {
            let again = syntax::parse_again(&SourceFile::new("m", text.as_str()), None, &mut memory);
            let new = parse(&text, None);
            assert_eq!(format!("{again:?}"), format!("{new:?}"), "{}, edit {edit}:\n{text}", shipped.display());
            let (word, other) = (random.pick(&words).clone(), random.pick(&words).clone());
            let replacement = match edit % 4 {
                // A misspelling, a move of all that follows, another word; and back.
                0 => original[word.start..word.end - 1].to_owned(),
                1 => format!("\n\n{}", &original[word.clone()]),
                2 => original[other].to_owned(),
                _ => original[word.clone()].to_owned(),
            };
            text = [&original[..word.start], &replacement, &original[word.end..]].concat();
        }
    }
}

/// Everything between white space.
fn words(text: &str) -> Vec<Range<usize>> {
    let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace()
        .map(|word| start(word)..start(word) + word.len())
        .filter(|word| text.is_char_boundary(word.end - 1))
        .collect()
}
