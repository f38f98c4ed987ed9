//! Lines from a terminal, with history and completion.

use crate::model::Model;
use crate::model::{EdgeId, LocalId};
use crate::simulate::command::ENTRIES;
use crate::simulate::show::command_name;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper, Result};

const PROMPT: &str = "> ";

pub struct LineEditor {
    editor: Editor<SessionCompleter, DefaultHistory>,
}

impl LineEditor {
    /// Completes commands and the names of the model.
    pub fn new(model: &Model) -> Result<LineEditor> {
        let mut editor = Editor::with_config(Config::builder().auto_add_history(true).build())?;
        editor.set_helper(Some(SessionCompleter { names: names(model) }));
        Ok(LineEditor { editor })
    }

    /// The next line; nothing at the end of the input. Ctrl-C drops the line.
    pub fn read_line(&mut self) -> Result<Option<String>> {
        loop {
            match self.editor.readline(PROMPT) {
                Ok(line) => return Ok(Some(line)),
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }
}

/// The completions behind the first word.
struct SessionCompleter {
    names: Vec<String>,
}

/// Variables and commands of all instances.
fn names(model: &Model) -> Vec<String> {
    let mut names = vec!["deadlock".to_owned(), "random".to_owned()];
    for instance in model.instance_ids() {
        let owner = &model.instances[instance.index()].name;
        let agent = model.agent_of(instance);
        if model.joint.is_none() {
            names.push(format!("{owner}-automaton-state"));
        }
        names.extend((0..agent.locals.len() as u32).map(|local| model.variable_name(instance, LocalId(local))));
        names.extend((0..agent.edges.len() as u32).map(|edge| command_name(model, instance, EdgeId(edge))));
    }
    names
}

impl Completer for SessionCompleter {
    type Candidate = String;

    fn complete(&self, line: &str, end: usize, _: &Context) -> Result<(usize, Vec<String>)> {
        let is_part = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '#');
        let start = line[..end].trim_end_matches(is_part).len();
        let word = &line[start..end];
        let commands = ENTRIES.iter().map(|entry| entry.name.to_owned());
        let known: Vec<String> = match line[..start].trim().is_empty() {
            true => commands.collect(),
            false => self.names.clone(),
        };
        Ok((start, known.into_iter().filter(|name| name.starts_with(word)).collect()))
    }
}

impl Hinter for SessionCompleter {
    type Hint = String;
}

impl Highlighter for SessionCompleter {}

impl Validator for SessionCompleter {}

impl Helper for SessionCompleter {}
