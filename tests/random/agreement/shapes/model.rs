//! Random models: finite parts that talk to each other, beside counters that may grow for ever.

use super::spec::{Shapes, Vocabulary};
use crate::common::random::Random;
use std::fmt::Write;

const GUARDS_OF_B: [&str; 2] = ["b", "!b"];
const GUARDS_OF_P: [&str; 4] = ["p = 0", "p < 2", "p != 1", "p = 2"];
const GUARDS_OF_N: [&str; 4] = ["n < 3", "n > 1", "n = 0", "n >= 0"];
const UPDATES_OF_B: [&str; 3] = ["b := !b", "b := true", "b := false"];
const UPDATES_OF_P: [&str; 4] = ["p := p + 1", "p := 0", "p := 2 - p", "p := 1"];
const STATES_OF_P: [&str; 4] = ["p = 0", "p = 1", "p > 0", "p != 2"];
const STATES_OF_N: [&str; 5] = ["n = 0", "n > 0", "n < 2", "n < 5", "n >= 2"];

/// The text of a model with so many specs; one with a counter that may grow for ever, or a finite one.
pub fn model(seed: u64, specs: usize, infinite: bool) -> String {
    let mut random = Random::new(seed);
    let mut types = vec![Agent::new(&mut random, "One", infinite)];
    let instances: &[(&str, usize)] = match random.below(4) {
        0 => &[("a", 0), ("e", 0)],
        1 | 2 => {
            types.push(Agent::new(&mut random, "Two", false));
            &[("a", 0), ("e", 1)]
        }
        _ => &[("a", 0)],
    };
    let mut text = "enum channel {c}\nmessage-structure: V : 0..2, B : bool\n".to_owned();
    let mut vocabulary = Vocabulary::default();
    for agent in &mut types {
        text += &agent.text(&mut random, instances.len() > 1);
    }
    for (name, agent) in instances {
        types[*agent].speak(name, &mut vocabulary);
    }
    vocabulary
        .observations
        .extend(["(V = 1)", "(B = true)", "!(V = 0)", "(chan = *)", "((sender = a) | (B = true))"].map(str::to_owned));
    let system: Vec<String> =
        instances.iter().map(|(name, agent)| format!("{}({name}, true)", types[*agent].name)).collect();
    writeln!(text, "system = {}", system.join(" || ")).expect("strings can be written");
    for _ in 0..specs {
        let spec = Shapes::new(&mut random, &vocabulary).spec();
        writeln!(text, "SPEC {spec};").expect("strings can be written");
    }
    text
}

/// An agent type in the making.
struct Agent {
    name: &'static str,
    /// The type of the counter, if there is one.
    counter: Option<&'static str>,
    has_b: bool,
    has_p: bool,
    labels: Vec<&'static str>,
}

impl Agent {
    fn new(random: &mut Random, name: &'static str, infinite: bool) -> Agent {
        let finite = random.percent(40).then_some("0..3");
        let counter = if infinite { Some("int") } else { finite };
        let has_b = random.percent(70);
        Agent { name, counter, has_b, has_p: !has_b || random.percent(40), labels: Vec::new() }
    }

    /// Adds what can be said of an instance.
    fn speak(&self, instance: &str, vocabulary: &mut Vocabulary) {
        let of = |texts: &[&str]| texts.iter().map(|text| format!("({instance}-{text})")).collect::<Vec<_>>();
        let Vocabulary { states, labels, observations, actors } = vocabulary;
        if self.has_b {
            states.extend(of(&["b"]));
        }
        if self.has_p {
            states.extend(of(&STATES_OF_P));
        }
        if self.counter.is_some() {
            states.extend(of(&STATES_OF_N));
        }
        states.push(format!("({instance}-automaton-state = 0)"));
        labels.extend(self.labels.iter().map(|label| format!("{instance}-{label}")));
        observations.push(format!("(sender = {instance})"));
        actors.push(instance.to_owned());
    }

    fn text(&mut self, random: &mut Random, hears: bool) -> String {
        let mut locals = Vec::new();
        let mut initial = Vec::new();
        if self.has_b {
            locals.push("b : bool".to_owned());
            initial.push((*random.pick(&["b", "!b", "!b", "(b | !b)"])).to_owned());
        }
        if self.has_p {
            locals.push("p : 0..2".to_owned());
            initial.push((*random.pick(&["p = 0", "p = 0", "p = 1", "p < 2"])).to_owned());
        }
        if let Some(ty) = self.counter {
            locals.push(format!("n : {ty}"));
            initial.push(format!("n = {}", random.between(0, 3)));
        }
        let listens = *random.pick(&["false", "chan = c", "chan = c", "chan = *"]);
        let commands = self.commands(random, hears);
        format!(
            "agent {}\n    local: {}\n    init: {}\n    receive-guard: {listens}\n    repeat: (\n        {}\n    )\n",
            self.name,
            locals.join(", "),
            initial.join(" & "),
            commands
        )
    }

    fn commands(&mut self, random: &mut Random, hears: bool) -> String {
        let mut commands = vec![self.send(random, "say", None, None)];
        if random.percent(60) {
            commands.push(self.send(random, "act", None, None));
        }
        if self.counter.is_some() {
            let bounded = if random.percent(25) { Some("n < 3") } else { None };
            commands.push(self.send(random, "up", bounded, Some("n := n + 1")));
            if random.percent(55) {
                commands.push(self.send(random, "down", Some("n > 0"), Some("n := n - 1")));
            }
            if random.percent(35) {
                commands.push(self.send(random, "reset", Some("n >= 2"), Some("n := 0")));
            }
        }
        if hears {
            commands.push(self.receive(random, "hear"));
            if random.percent(40) {
                commands.push(self.receive(random, "note"));
            }
        }
        // Before the others, or beside them.
        let first = commands.remove(random.below(commands.len()));
        let operator = if commands.is_empty() || random.percent(70) { "+" } else { ";" };
        if commands.is_empty() {
            first
        } else {
            format!("{first}\n        {operator} ({})", commands.join("\n        + "))
        }
    }

    fn send(&mut self, random: &mut Random, label: &'static str, guard: Option<&str>, update: Option<&str>) -> String {
        self.labels.push(label);
        let guard: Vec<&str> = guard.into_iter().chain(self.guard(random)).collect();
        let guard = if guard.is_empty() { "true".to_owned() } else { guard.join(" & ") };
        let update: Vec<&str> = update.into_iter().chain(self.updates(random)).collect();
        let channel = *random.pick(&["*", "*", "c"]);
        let value = *random.pick(&["0", "1", if self.has_p { "p" } else { "2" }]);
        let truth = *random.pick(&["true", "false", if self.has_b { "b" } else { "true" }]);
        format!("{label}: {{{guard}}} {channel}! (true)(V := {value}, B := {truth})[{}]", update.join(", "))
    }

    fn receive(&mut self, random: &mut Random, label: &'static str) -> String {
        self.labels.push(label);
        let guard = *random.pick(&["true", "true", "B", "V = 1", "V != 0"]);
        let mut updates = self.updates(random);
        let heard = match (self.has_b, self.has_p) {
            (true, _) => ["b := B", "b := !b"],
            _ => ["p := V", "p := 2 - V"],
        };
        let heard = *random.pick(&heard);
        updates.retain(|update| update[..1] != heard[..1]);
        updates.push(heard);
        format!("{label}: {{{guard}}} {}? [{}]", random.pick(&["*", "*", "c"]), updates.join(", "))
    }

    fn guard(&self, random: &mut Random) -> Option<&'static str> {
        match random.below(6) {
            0 | 1 if self.has_b => Some(*random.pick(&GUARDS_OF_B)),
            2 if self.has_p => Some(*random.pick(&GUARDS_OF_P)),
            3 if self.counter.is_some() => Some(*random.pick(&GUARDS_OF_N)),
            _ => None,
        }
    }

    fn updates(&self, random: &mut Random) -> Vec<&'static str> {
        let mut updates = Vec::new();
        if self.has_b && random.percent(55) {
            updates.push(*random.pick(&UPDATES_OF_B));
        }
        if self.has_p && random.percent(55) {
            updates.push(*random.pick(&UPDATES_OF_P));
        }
        updates
    }
}
