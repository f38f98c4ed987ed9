//! All systems with up to three states and two commands.

use std::fmt::Write;

/// The states.
const STATES: usize = 3;

/// A command: where it leads from each state, if it can be taken there.
type Command = [Option<usize>; STATES];

/// A system: one agent with a variable and two commands. It starts in state 0, or in any.
#[derive(Clone, Copy, Debug)]
pub struct System {
    commands: [Command; 2],
    anywhere: bool,
}

/// All of them, each once: nothing is said about states that are not reachable, and formulas tell the states apart
/// and the commands, so that no other two are the same.
pub fn systems() -> Vec<System> {
    let mut systems = Vec::new();
    for anywhere in [false, true] {
        for first in commands() {
            for second in commands() {
                let system = System { commands: [first, second], anywhere };
                systems.extend(Some(system).filter(System::is_normal));
            }
        }
    }
    systems
}

fn commands() -> impl Iterator<Item = Command> {
    const CHOICES: usize = STATES + 1;
    let target = |digits: usize| (digits % CHOICES).checked_sub(1);
    (0..CHOICES.pow(STATES as u32))
        .map(move |code| [target(code), target(code / CHOICES), target(code / CHOICES / CHOICES)])
}

impl System {
    /// True if states that are not reachable have no commands.
    fn is_normal(&self) -> bool {
        let reachable = self.reachable();
        (0..STATES).all(|state| reachable[state] || self.commands.iter().all(|command| command[state].is_none()))
    }

    fn reachable(&self) -> [bool; STATES] {
        let mut reachable = [true, self.anywhere, self.anywhere];
        for _ in 0..STATES {
            for state in (0..STATES).filter(|&state| reachable[state]).collect::<Vec<_>>() {
                self.commands.iter().filter_map(|command| command[state]).for_each(|next| reachable[next] = true);
            }
        }
        reachable
    }

    /// As a model without specs.
    pub fn text(&self) -> String {
        let [first, second] = self.commands;
        let mut text = "message-structure: V : bool\nagent A\n    local: x : 0..2\n".to_owned();
        let initial = if self.anywhere { "true" } else { "x = 0" };
        writeln!(text, "    init: {initial}\n    receive-guard: false").expect("strings can be written");
        let (first, second) = (command("s", "true", first), command("t", "false", second));
        text + &format!("    repeat: (\n        {first}\n        + {second}\n    )\nsystem = A(a, true)\n")
    }
}

fn command(label: &str, data: &str, command: Command) -> String {
    let sources: Vec<String> =
        (0..STATES).filter(|&state| command[state].is_some()).map(|state| format!("x = {state}")).collect();
    let guard = match sources.len() {
        0 => "false".to_owned(),
        STATES => "true".to_owned(),
        _ => sources.join(" | "),
    };
    format!("{label}: {{{guard}}} *! (true)(V := {data})[{}]", update(command))
}

/// A polynomial in x with the right values, as simple as it goes.
fn update(command: Command) -> String {
    let fits = |value: &dyn Fn(i64) -> i64| {
        (0i64..).zip(command).all(|(state, target)| target.is_none_or(|target| value(state) == target as i64))
    };
    if fits(&|x| x) {
        return String::new();
    }
    if let Some(constant) = (0..STATES as i64).find(|&constant| fits(&|_| constant)) {
        return format!("x := {constant}");
    }
    for slope in [1, -1] {
        if let Some(offset) = (-2..=4).find(|&offset| fits(&|x| slope * x + offset)) {
            return format!("x := {offset} {} x", if slope > 0 { "+" } else { "-" });
        }
    }
    let twice = |x: i64, [a, b, c]: [i64; 3]| a * x * x + b * x + c;
    let coefficients = (-4..=4).flat_map(|a| (-9..=9).flat_map(move |b| [0, 2, 4].map(|c| [a, b, c])));
    let [a, b, c] = coefficients
        .into_iter()
        .find(|&all| (0..3).all(|x| twice(x, all) % 2 == 0) && fits(&|x| twice(x, all) / 2))
        .expect("three points lie on a parabola");
    format!("x := (({a}) * x * x + ({b}) * x + {c}) / 2")
}
