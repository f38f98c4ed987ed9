//! The commands of a session.

use std::ops::Range;

/// A command and how it is explained.
#[derive(Debug)]
pub struct Entry {
    /// Its name; any beginning that no other command has will do.
    pub name: &'static str,
    /// Its arguments.
    pub arguments: &'static str,
    /// Its effect, in a line.
    pub help: &'static str,
}

macro_rules! entries {
    ($($name:literal $arguments:literal $help:literal,)*) => {
        /// All commands, in the order of `help`.
        pub const ENTRIES: &[Entry] = &[$(Entry { name: $name, arguments: $arguments, help: $help }),*];
    };
}

entries! {
    "N" "" "take step N of the list (before the first step: start in initial state N)",
    "steps" "" "list all steps that are possible",
    "show" "N" "what step N would do",
    "state" "" "the whole state, with what the last step changed",
    "trace" "" "the run so far, step by step",
    "back" "[N]" "go back one step, or N",
    "forward" "[N]" "go forward again one step, or N; also through a loaded trace and round its loop",
    "goto" "N" "go to position N of the run",
    "reset" "" "go back to the initial state",
    "initial" "[N|random]" "leave the run and choose an initial state; by chance, integers without bounds lie in -10..10",
    "constrain" "[COND]" "consider only initial states with COND; without COND all again",
    "random" "[N]" "take a random step, or N",
    "until" "COND" "take random steps until COND holds",
    "find" "COND" "take a shortest way to COND, if there is one (asks the solver, then replays)",
    "eval" "COND" "whether COND holds here",
    "why" "COMMAND" "why a command cannot be taken, as in `why client1-reserve`; `why client1-#3` is its third",
    "blocked" "" "the sends and gets that are next, but cannot be taken, and the first reason of each",
    "specs" "" "what the run so far says of each spec",
    "save" "FILE" "write the run up to here to a file; ITF if its name ends with .itf.json",
    "load" "FILE" "replay a run from a file, from its initial state on",
    "help" "" "this list",
    "quit" "" "leave",
}

/// The forms of COND.
pub const ABOUT_CONDITIONS: &str = "\
COND is a formula as in specs, without temporal operators: `client1-x > 3`, `exists k : Client . k-x = 0`,
`deadlock`. Observations and labels of sends, gets and supplies speak about a step: `until <<sender = client1>>`.";

/// The same for files in ISPL.
pub const ABOUT_CONDITIONS_OF_ISPL: &str = "\
COND is a condition as in `Evaluation`, over variables and propositions: `Agent.x = 1 and !p`.";

/// A part of the line that is a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its place in the line, in bytes.
    pub range: Range<usize>,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// An empty line, or a comment.
    Nothing,
    /// `N`
    Take(usize),
    /// `steps`
    Steps,
    /// `show N`
    Show(usize),
    /// `state`
    State,
    /// `trace`
    Trace,
    /// `back`
    Back(usize),
    /// `forward`
    Forward(usize),
    /// `goto`
    Goto(usize),
    /// `reset`
    Reset,
    /// `initial`
    Initial,
    /// `initial N`
    Start(usize),
    /// `initial random`
    StartAnywhere,
    /// `constrain`
    Constrain(Option<Condition>),
    /// `random`
    Random(usize),
    /// `until`
    Until(Condition),
    /// `find`
    Find(Condition),
    /// `eval`
    Eval(Condition),
    /// `why`
    Why(String),
    /// `blocked`
    Blocked,
    /// `specs`
    Specs,
    /// `save`
    Save(String),
    /// `load`
    Load(String),
    /// `help`
    Help,
    /// `quit`
    Quit,
}

/// Reads a line; if it is no command, says what to do about it.
pub fn parse(line: &str) -> Result<Command, String> {
    let start = line.len() - line.trim_start().len();
    let rest = line[start..].trim_end();
    if rest.is_empty() || rest.starts_with('#') {
        return Ok(Command::Nothing);
    }
    if let Ok(number) = rest.parse() {
        return Ok(Command::Take(number));
    }
    let (word, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let name = full_name(word)?;
    let argument = argument.trim_start();
    let end = start + rest.len();
    let condition = Condition { range: end - argument.len()..end };
    command(name, argument, condition)
}

fn command(name: &str, argument: &str, condition: Condition) -> Result<Command, String> {
    let alone = |command| if argument.is_empty() { Ok(command) } else { Err(format!("`{name}` stands alone")) };
    let needed = |command, what: &str| {
        if argument.is_empty() { Err(format!("`{name}` needs {what}: see `help`")) } else { Ok(command) }
    };
    match name {
        "steps" => alone(Command::Steps),
        "show" => number(name, argument, None).map(Command::Show),
        "state" => alone(Command::State),
        "trace" => alone(Command::Trace),
        "back" => number(name, argument, Some(1)).map(Command::Back),
        "forward" => number(name, argument, Some(1)).map(Command::Forward),
        "goto" => number(name, argument, None).map(Command::Goto),
        "reset" => alone(Command::Reset),
        "initial" if argument.is_empty() => Ok(Command::Initial),
        "initial" if argument == "random" => Ok(Command::StartAnywhere),
        "initial" => number(name, argument, None).map(Command::Start),
        "constrain" => Ok(Command::Constrain((!argument.is_empty()).then_some(condition))),
        "random" => number(name, argument, Some(1)).map(Command::Random),
        "until" => needed(Command::Until(condition), "a condition"),
        "find" => needed(Command::Find(condition), "a condition"),
        "eval" => needed(Command::Eval(condition), "a condition"),
        "why" => needed(Command::Why(argument.to_owned()), "a command of the model"),
        "blocked" => alone(Command::Blocked),
        "specs" => alone(Command::Specs),
        "save" => needed(Command::Save(argument.to_owned()), "the name of a file"),
        "load" => needed(Command::Load(argument.to_owned()), "the name of a file"),
        "help" => Ok(Command::Help),
        _ => alone(Command::Quit),
    }
}

fn number(name: &str, argument: &str, default: Option<usize>) -> Result<usize, String> {
    match (argument, default) {
        ("", Some(default)) => Ok(default),
        _ => argument.parse().map_err(|_| format!("`{name}` needs a number, as in `{name} 2`")),
    }
}

/// The command that a word begins.
fn full_name(word: &str) -> Result<&'static str, String> {
    let names = || ENTRIES.iter().map(|entry| entry.name).filter(|name| *name != "N");
    if let Some(exact) = names().find(|name| *name == word) {
        return Ok(exact);
    }
    let candidates: Vec<&str> = names().filter(|name| name.starts_with(word)).collect();
    match candidates[..] {
        [name] => Ok(name),
        [] => Err(format!("there is no command `{word}`; `help` lists them all")),
        _ => Err(format!("`{word}` may be {}", candidates.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands() {
        assert_eq!(parse("  "), Ok(Command::Nothing));
        assert_eq!(parse("# a remark"), Ok(Command::Nothing));
        assert_eq!(parse(" 12 "), Ok(Command::Take(12)));
        assert_eq!(parse("back"), Ok(Command::Back(1)));
        assert_eq!(parse("b 3"), Err("`b` may be back, blocked".to_owned()));
        assert_eq!(parse("ba 3"), Ok(Command::Back(3)));
        assert_eq!(parse("constrain"), Ok(Command::Constrain(None)));
        assert_eq!(parse("initial random"), Ok(Command::StartAnywhere));
    }

    #[test]
    fn conditions_know_where_they_stand() {
        let line = "  until   a-x = 1 ";
        let Ok(Command::Until(Condition { range })) = parse(line) else { panic!("no condition") };
        assert_eq!(&line[range], "a-x = 1");
    }

    #[test]
    fn what_is_no_command_is_explained() {
        for (line, expected) in [
            ("jump", "there is no command `jump`"),
            ("until", "`until` needs a condition"),
            ("show", "`show` needs a number"),
            ("back x", "`back` needs a number"),
            ("state all", "`state` stands alone"),
            ("s", "`s` may be steps, show, state, specs, save"),
            ("99999999999999999999", "there is no command"),
        ] {
            let error = parse(line).expect_err(line);
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
