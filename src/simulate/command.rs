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

/// A line with a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypedCommand<'l> {
    /// The name of its entry.
    pub(super) name: &'static str,
    pub(super) line: &'l str,
    /// The place of the argument in the line, in bytes.
    pub(super) place: Range<usize>,
}

impl<'l> TypedCommand<'l> {
    pub(super) fn argument(&self) -> &'l str {
        &self.line[self.place.clone()]
    }

    /// The argument as a number, which may be left out if there is a default.
    pub(super) fn number(&self, default: Option<usize>) -> Result<usize, String> {
        match (self.argument(), default) {
            ("", Some(default)) => Ok(default),
            (argument, _) => {
                argument.parse().map_err(|_| format!("`{name}` needs a number, as in `{name} 2`", name = self.name))
            }
        }
    }
}

/// Reads a line; nothing if it is empty or a comment. If it is no command, says what to do about it.
pub(super) fn parse(line: &str) -> Result<Option<TypedCommand<'_>>, String> {
    let start = line.len() - line.trim_start().len();
    let rest = line[start..].trim_end();
    let end = start + rest.len();
    if rest.is_empty() || rest.starts_with('#') {
        return Ok(None);
    }
    if rest.parse::<usize>().is_ok() {
        return Ok(Some(TypedCommand { name: ENTRIES[0].name, line, place: start..end }));
    }
    let (word, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let Entry { name, arguments, .. } = entry(word)?;
    let argument = argument.trim_start();
    let missing = match *arguments {
        "" if !argument.is_empty() && *name != "help" => return Err(format!("`{name}` stands alone")),
        "COND" => "a condition",
        "COMMAND" => "a command of the model",
        "FILE" => "the name of a file",
        _ => "",
    };
    if argument.is_empty() && !missing.is_empty() {
        return Err(format!("`{name}` needs {missing}: see `help`"));
    }
    Ok(Some(TypedCommand { name, line, place: end - argument.len()..end }))
}

/// The command that a word begins.
fn entry(word: &str) -> Result<&'static Entry, String> {
    let begun: Vec<&Entry> = ENTRIES[1..].iter().filter(|entry| entry.name.starts_with(word)).collect();
    match begun[..] {
        [only] => Ok(only),
        [] => Err(format!("there is no command `{word}`; `help` lists them all")),
        _ => begun.iter().copied().find(|entry| entry.name == word).ok_or_else(|| {
            let names: Vec<&str> = begun.iter().map(|entry| entry.name).collect();
            format!("`{word}` may be {}", names.join(", "))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands() {
        let number = |line| parse(line).map(|command| command.map(|it| (it.name, it.number(Some(1)).ok())));
        assert_eq!([number("  "), number("# a remark")], [Ok(None), Ok(None)]);
        assert_eq!(number(" 12 "), Ok(Some(("N", Some(12)))));
        assert_eq!(number("back"), Ok(Some(("back", Some(1)))));
        assert_eq!(number("b 3"), Err("`b` may be back, blocked".to_owned()));
        assert_eq!(number("ba 3"), Ok(Some(("back", Some(3)))));
        assert_eq!(number("constrain"), Ok(Some(("constrain", Some(1)))));
        assert_eq!(number("initial random"), Ok(Some(("initial", None))));
    }

    #[test]
    fn conditions_know_where_they_stand() {
        let line = "  until   a-x = 1 ";
        let command = parse(line).expect("a command").expect("no comment");
        assert_eq!((command.name, command.argument()), ("until", "a-x = 1"));
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
            let number = |command: Option<TypedCommand>| command.expect("no comment").number(None);
            let error = parse(line).and_then(number).expect_err(line);
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
