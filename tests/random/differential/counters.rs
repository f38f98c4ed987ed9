//! Random models with a few counters, bounded and unbounded, with specs: small enough that provers often have an
//! answer at once.

use crate::common::random::Random;
use std::fmt::Write;

const GUARDS: [&str; 16] = [
    "true",
    "true",
    "true",
    "b",
    "!b",
    "n < 3",
    "n < m",
    "m <= n + 1",
    "n >= 0",
    "m >= n",
    "b & (n > m)",
    "m != n",
    "m = n",
    "n + m < 9",
    "n < 5 & b",
    "m - n < 2",
];

const UPDATES: [&str; 15] = [
    "",
    "n := n + 1",
    "n := n - 1",
    "n := n + 2, m := m + 1",
    "m := m + 1",
    "m := m - n",
    "n := m, m := n",
    "n := n + m",
    "b := !b",
    "b := true",
    "b := !b, n := n + 1",
    "b := false, m := m + 2",
    "n := 0",
    "m := 0 - m",
    "b := n < m",
];

const HEARD: [&str; 6] = ["n := V", "m := V", "m := V + 1", "b := V > 1", "n := n + 1", "b := !b, m := n"];

/// The text of a model with so many specs.
pub fn model(seed: u64, specs: usize) -> String {
    let mut random = Random::new(seed);
    let two = random.percent(40);
    let bounded = random.percent(35);
    let mut text = format!("message-structure: V : int\n{}", agent(&mut random, two, bounded));
    text += if two { "system = Unit(a, true) || Unit(c, true)\n" } else { "system = Unit(a, true)\n" };
    for _ in 0..specs {
        let formula = Formulas { random: &mut random, instances: if two { &["a", "c"] } else { &["a"] } }.spec();
        writeln!(text, "SPEC {formula};").expect("strings can be written");
    }
    text
}

fn agent(random: &mut Random, hears: bool, bounded: bool) -> String {
    let n = *random.pick(&["int", "int", "0..3", "-2..2"]);
    let start = *random.pick(&["n = 0 & m = 0 & !b", "n = 1 & m = 0 & b", "n = 2 & m = 3 & !b", "n = 0 & m = 1"]);
    let inside = if bounded { " & n < 4 & n > -4 & m < 4 & m > -4" } else { "" };
    let mut commands = Vec::new();
    for label in ["one", "two", "three"].iter().take(1 + random.below(3)) {
        let (guard, update) = (random.pick(&GUARDS), random.pick(&UPDATES));
        let data = *random.pick(&["V := n", "V := m + 1", ""]);
        commands.push(format!("{label}: {{({guard}){inside}}} *! (true)({data})[{update}]"));
    }
    if hears {
        let (guard, update) = (random.pick(&["V > 0", "V > n", "b | V < 2"]), random.pick(&HEARD));
        let inside = if bounded { " & V < 4 & V > -4" } else { "" };
        commands.push(format!("hear: {{({guard}){inside}}} *? [{update}]"));
    }
    let commands = commands.join("\n        + ");
    format!(
        "agent Unit\n    local: n : {n}, m : int, b : bool\n    init: {start}\n    receive-guard: chan = *\n    \
        repeat: (\n        {commands}\n    )\n"
    )
}

struct Formulas<'r> {
    random: &'r mut Random,
    instances: &'static [&'static str],
}

impl Formulas<'_> {
    /// One of the shapes that people write; more safety than liveness.
    fn spec(&mut self) -> String {
        let (p, q) = (self.state(), self.state());
        match self.random.weighted(&[30, 12, 10, 6, 8, 8, 10, 5, 5, 6]) {
            0 => format!("G ({p})"),
            1 => format!("G ({p} -> {q})"),
            2 => format!("G ({p} -> (X ({q})))"),
            3 => format!("F ({p})"),
            4 => format!("G (F ({p}))"),
            5 => format!("F (G ({p}))"),
            6 => format!("G ({p} -> (F ({q})))"),
            7 => format!("(({p}) U ({q}))"),
            8 => format!("(({p}) W ({q}))"),
            _ => format!("G ([[V > {}]] ({p}))", self.random.between(-1, 3)),
        }
    }

    fn state(&mut self) -> String {
        let atom = self.atom();
        match self.random.weighted(&[55, 15, 15, 15]) {
            0 => atom,
            1 => format!("!({atom})"),
            2 => format!("({atom} | {})", self.atom()),
            _ => format!("({atom} & {})", self.atom()),
        }
    }

    fn atom(&mut self) -> String {
        let (i, j) = (*self.random.pick(self.instances), *self.random.pick(self.instances));
        let (op, value) = (*self.random.pick(&["<", "<=", ">", ">=", "=", "!="]), self.random.between(-3, 4));
        match self.random.weighted(&[20, 15, 12, 12, 12, 5, 30]) {
            0 => format!("({i}-n {op} {value})"),
            1 => format!("({i}-m {op} {value})"),
            2 => format!("({i}-n {op} {j}-m)"),
            3 => format!("{i}-b"),
            4 => format!("{i}-one"),
            5 => "deadlock".to_owned(),
            // Often true where counters only grow.
            _ => format!("({i}-{} >= {})", self.random.pick(&["n", "m"]), self.random.between(-3, 0)),
        }
    }
}
