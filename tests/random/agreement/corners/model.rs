//! Random models in the corners of the language.

use super::spec::{Specs, Subject, Vocabulary};
use crate::common::random::Random;
use std::fmt::Write;

/// The most members of the family.
const MEMBERS: usize = 2;

/// The text of a model with so many specs, and the number of members of its family, if it has one.
pub fn model(seed: u64, specs: usize) -> (String, Option<u32>) {
    let mut random = Random::new(seed ^ 0x00C0_24E2);
    let mut text = "enum channel {c}\nmessage-structure: V : bool\nproperty-variables: w : bool\n".to_owned();
    let globals = text.len();
    let mut vocabulary = Vocabulary::default();
    let mut system = Vec::new();
    let fixed = random.weighted(&[10, 45, 45]);
    let size = (fixed == 0 || random.percent(45)).then(|| random.below(MEMBERS + 1) as u32);
    let others: Vec<&str> = ["a", "e"].into_iter().take(fixed).collect();
    for (name, instance) in ["A", "B"].into_iter().zip(&others) {
        let agent = Agent::new(&mut random, name, &others);
        text += &agent.text;
        system.push(format!("{name}({instance}, true)"));
        vocabulary.instances.push(agent.subject(instance));
    }
    if size.is_some() {
        let agent = Agent::new(&mut random, "M", &others);
        text += &agent.text;
        system.push("M(m[*], true)".to_owned());
        vocabulary.member = Some(agent.subject("k"));
    }
    if text.contains("local: b") {
        text.insert_str(globals, "guard on() := b;\nguard is(b : bool) := b & on() | !(b | on());\n");
    }
    writeln!(text, "system = {}", system.join(" || ")).expect("strings can be written");
    let mut draw = Specs { random: &mut random, vocabulary: &vocabulary };
    if let Some(restriction) = draw.restriction() {
        writeln!(text, "    where {restriction}").expect("strings can be written");
    }
    for spec in 0..specs {
        if let Some(assumption) = draw.assumption(spec) {
            writeln!(text, "ASSUME {assumption};").expect("strings can be written");
        }
        writeln!(text, "SPEC {};", draw.spec()).expect("strings can be written");
    }
    (text, size)
}

/// An agent type.
struct Agent {
    text: String,
    states: Vec<String>,
    labels: Vec<String>,
    initiatives: Vec<String>,
}

impl Agent {
    fn new(random: &mut Random, name: &str, others: &[&str]) -> Agent {
        let has_b = random.percent(60);
        let mut commands = Commands { random, has_b, others, labels: Vec::new(), initiatives: Vec::new() };
        let process = commands.process(2);
        let Commands { labels, initiatives, .. } = commands;
        let local = if has_b { "    local: b : bool\n" } else { "" };
        let init = ["b", "!b", "true", "b & !b"][random.weighted(&[30, 30, 30, 3])];
        let init = if has_b { format!("    init: {init}\n") } else { String::new() };
        let relabel = format!("    relabel: w <- {}\n", if has_b { "b" } else { "true" });
        let listens = *random.pick(&["true", "chan = *", "chan = c", "false"]);
        let text = format!("agent {name}\n{local}{init}{relabel}    receive-guard: {listens}\n    repeat: {process}\n");
        let mut states = vec!["automaton-state = 0".to_owned(), "automaton-state = 1".to_owned()];
        states.extend(has_b.then(|| "b".to_owned()));
        Agent { text, states, labels, initiatives }
    }

    fn subject(self, name: &str) -> Subject {
        let of = |list: Vec<String>| list.into_iter().map(|what| format!("{name}-{what}")).collect();
        let Agent { states, labels, initiatives, .. } = self;
        Subject { name: name.to_owned(), states: of(states), labels: of(labels), initiatives: of(initiatives) }
    }
}

/// Commands of all kinds; of most nothing says that a partner for them exists.
struct Commands<'r> {
    random: &'r mut Random,
    has_b: bool,
    others: &'r [&'r str],
    labels: Vec<String>,
    initiatives: Vec<String>,
}

impl Commands<'_> {
    fn process(&mut self, depth: usize) -> String {
        if depth == 0 || self.labels.len() > 3 || self.random.percent(20) {
            return self.command();
        }
        if self.random.percent(10) {
            return format!("(rep {})", self.process(depth - 1));
        }
        let (one, other) = (self.process(depth - 1), self.process(depth - 1));
        let operator = if self.random.percent(55) { " +" } else { ";" };
        let process = format!("({one}{operator} {other})");
        // A guard may not stand before a loop.
        if process.contains("rep ") || self.random.percent(85) {
            return process;
        }
        format!("{{{}}} {process}", self.guard())
    }

    fn command(&mut self) -> String {
        let kind = self.random.weighted(&[30, 30, 16, 24]);
        let label = format!("{}{}", ["s", "r", "g", "u"][kind], self.labels.len());
        self.labels.push(label.clone());
        if kind != 1 {
            self.initiatives.push(label.clone());
        }
        let guard = self.guard();
        let updates = self.updates();
        let action = match kind {
            0 => {
                format!("{}! ({})({})", self.channel(), self.random.pick(&["true", "true", "@w", "false"]), self.data())
            }
            1 => format!("{}?", self.channel()),
            2 => {
                let all = ["true", "true", "@w", "myself"].into_iter().chain(self.others.iter().copied());
                let targets: Vec<&str> = all.collect();
                format!("GET@({})({})", self.random.pick(&targets), self.data())
            }
            _ => {
                let all = ["any", "any", "myself"].into_iter().chain(self.others.iter().copied());
                let takers: Vec<&str> = all.collect();
                format!("SUPPLY@({})({})", self.random.pick(&takers), self.data())
            }
        };
        format!("{label}: {{{guard}}} {action}{updates}")
    }

    fn channel(&mut self) -> &'static str {
        ["*", "*", "c"][self.random.below(3)]
    }

    fn data(&mut self) -> &'static str {
        ["", "V := true", "V := false"][self.random.below(3)]
    }

    fn guard(&mut self) -> &'static str {
        match self.random.below(10) {
            0 => "false",
            1 | 2 if self.has_b => "b",
            3 if self.has_b => ["!b", "on()", "is(true)", "is(b)", "!on()"][self.random.below(5)],
            _ => "true",
        }
    }

    fn updates(&mut self) -> &'static str {
        if self.has_b { ["[]", "[b := !b]", "[b := true]", "[b := false]"][self.random.below(4)] } else { "[]" }
    }
}
