//! `rcheck-smt simulate`

pub mod arguments;
mod line_editor;
mod strategy;

use arguments::Simulate;

use crate::check::{Counterexample, Refused};
use crate::claim::Claim;
use crate::cli::io::input::{Loaded, load, look_at, say_sizes, show_found, text};
use crate::cli::io::interrupt::on_interrupt;
use crate::cli::io::kind::Kind;
use crate::cli::io::out::{print, remark, shown};
use crate::cli::io::{interrupt, replace};
use crate::cli::limits::limited::Limited;
use crate::cli::lsp::{Effort, MEGABYTES, TIMEOUT};
use crate::cli::serve::{self, Serve};
use crate::cli::simulate::line_editor::LineEditor;
use crate::cli::status::Status;
use crate::escape::visible;
use crate::limits::{Budget, Stop, lock, within};
use crate::model::eval::{Run, Semantics};
use crate::model::spec::Expectation;
use crate::model::{Formula, Model};
use crate::report::round::round_of;
use crate::simulate::batch::{self, Coverage};
use crate::simulate::{ConditionReader, Here, Outcome, Reply, Session, World, show};
use crate::trace_file;
use crate::verify::{Limits, find};
use crate::words::count;
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::collections::BTreeMap;
use std::io::{BufRead, IsTerminal, Read};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Longer lines of a script are refused.
const LONGEST_LINE: u64 = 1 << 16;

const GIVEN_UP: &str = "the simulation was given up";

/// Runs a session, a script, or random runs.
pub fn run(command: &Simulate) -> Result<Status> {
    if command.web {
        let effort = Effort {
            jobs: None,
            timeout: command.timeout.unwrap_or(TIMEOUT),
            memory: command.memory.unwrap_or(MEGABYTES),
        };
        return serve::run(&Serve { paths: vec![command.file.clone()], port: 0, effort, view: Some("simulator") });
    }
    // Random runs keep to the time by themselves, and need a moment to say what they came to.
    const REPORTING: Duration = Duration::from_millis(500);
    let timeout = command.timeout.filter(|_| command.random.is_some());
    let limited = Limited { timeout: timeout.map(|timeout| timeout.saturating_add(REPORTING)), memory: command.memory };
    limited.run(GIVEN_UP, || simulate(command))
}

fn simulate(command: &Simulate) -> Result<Status> {
    let budget = Budget::new(command.timeout);
    let mut how = command.reading.how()?;
    let trace = command.trace.as_ref().map(|path| text(path).map(|text| (path, text))).transpose()?;
    if let Some((_, text)) = trace.as_ref().filter(|_| how.constants.is_empty()) {
        how.constants = trace_file::given(text);
    }
    let look: fn(Loaded) -> Loaded = if command.quiet { |loaded| loaded } else { look_at };
    let loaded = load(&command.file, &how).map(look)?;
    show_found(&loaded, command.quiet);
    let Loaded { source, dialect, model: Some(model), .. } = loaded else { return Ok(Status::BadInput) };
    say_sizes(&model);
    let semantics = Semantics::new(&model);
    let reader = ConditionReader::new(&source, dialect, &model);
    if let Some(spec) = &command.strategy {
        return strategy::play(command, spec, &source, &model, &reader);
    }
    let world = CommandLine::new(&model, command.bound, command.timeout)?;
    let session = Session::new(&semantics, &reader, &world, command.seed);
    if let Some(steps) = command.random {
        let stop = Arc::new(Stop::new());
        world.set_search(Some(stop.clone()));
        return random(&semantics, session, steps, command, (budget, &stop));
    }
    let session = match &trace {
        None => session,
        Some((path, text)) => {
            let file = trace_file::read(&semantics, text);
            let file =
                file.map_err(|error| anyhow!("{} is no trace of {}:\n{error}", shown(path), visible(source.name())))?;
            session.with_run(&file.run, file.about.round)
        }
    };
    talk(session, &model)
}

/// A session on a counterexample, from its beginning.
pub fn replay(
    counterexample: &Counterexample,
    reader: &ConditionReader,
    bound: usize,
    timeout: Option<Duration>,
) -> Result<Status> {
    const SEED: u64 = 1;
    let semantics = counterexample.run().semantics();
    let world = CommandLine::new(semantics.model(), bound, timeout)?;
    let session = Session::new(semantics, reader, &world, SEED);
    talk(session.with_run(counterexample.run(), round_of(counterexample)), semantics.model())
}

fn talk(session: Session, model: &Model) -> Result<Status> {
    if std::io::stdin().is_terminal() { converse(session, model) } else { follow_script(session) }
}

/// A conversation on a terminal.
fn converse(mut session: Session, model: &Model) -> Result<Status> {
    let mut editor = LineEditor::new(model).context("cannot use this terminal")?;
    print(session.welcome());
    while let Some(line) = editor.read_line().context("cannot read from this terminal")? {
        let reply = execute(&mut session, &line);
        say(&reply.text, reply.outcome);
        if reply.outcome == Outcome::Left {
            break;
        }
    }
    Ok(Status::Clear)
}

/// A script on standard input: each command is shown before its answer. Commands that fail do not end it, but
/// count for the exit code.
fn follow_script(mut session: Session) -> Result<Status> {
    print(session.welcome());
    let (mut commands, mut refused) = (0, 0);
    let mut input = std::io::stdin().lock();
    while let Some(line) = read_line(&mut input)? {
        print(format!("> {}\n", visible(&line)));
        let reply = execute(&mut session, &line);
        say(&reply.text, reply.outcome);
        commands += 1;
        match reply.outcome {
            Outcome::Done => {}
            Outcome::Refused => refused += 1,
            Outcome::Left => break,
        }
    }
    if refused == 0 {
        return Ok(Status::Clear);
    }
    remark(format_args!("error: {refused} of {} failed", count(commands, "line")));
    Ok(Status::BadInput)
}

/// The next line of a script; nothing at its end.
fn read_line(input: &mut impl BufRead) -> Result<Option<String>> {
    let mut line = Vec::new();
    input.take(LONGEST_LINE).read_until(b'\n', &mut line).context("cannot read standard input")?;
    ensure!((line.len() as u64) < LONGEST_LINE, "a line of the script is longer than {LONGEST_LINE} bytes");
    let line = String::from_utf8(line).context("the script is no UTF-8 text")?;
    let end = line.trim_end_matches('\n').trim_end_matches('\r').len();
    Ok(if line.is_empty() { None } else { Some(line[..end].to_owned()) })
}

/// A command that takes too much is given up.
fn execute(session: &mut Session, line: &str) -> Reply {
    let given_up = |reason| Reply { text: format!("given up: {reason}\n"), outcome: Outcome::Refused };
    within(Budget::new(None), &Stop::new(), || session.execute(line)).unwrap_or_else(given_up)
}

fn say(text: &str, outcome: Outcome) {
    // Findings are errors by their own words.
    let is_finding = text.starts_with(['[', '\u{1b}']);
    let start = if outcome == Outcome::Refused && !is_finding { "error: " } else { "" };
    print(format!("{start}{text}"));
}

/// Random runs without a conversation. Beyond the limits the runs that are done count.
fn random<'s>(
    semantics: &'s Semantics<'s>,
    session: Session,
    steps: usize,
    command: &Simulate,
    (budget, stop): (Budget, &Stop),
) -> Result<Status> {
    let seeds = command.seed..command.seed.saturating_add(command.runs.into());
    let (mut summary, mut only, mut given_up) = (Summary::default(), None, None);
    for seed in seeds {
        match within(budget, stop, || judged(semantics, steps, seed)) {
            Ok(Ok((run, Ok(violated)))) => {
                summary.add(semantics, &run, &violated, seed);
                only = Some(run);
            }
            Ok(Ok((_, Err(why)))) => {
                remark(format_args!("internal error: {why}; please report it with the model"));
                return Ok(Status::Internal);
            }
            Ok(Err(error)) => bail!("{error}"),
            Err(reason) => {
                given_up = Some(reason);
                break;
            }
        }
    }
    match only {
        Some(run) if command.runs == 1 => show_run(session, &run),
        None => {}
        Some(_) => print(summary.text(semantics.model(), command)),
    }
    let is_expected = |spec: &usize| semantics.model().specs[*spec].expect == Some(Expectation::Violated);
    let found = if summary.violations.keys().all(is_expected) { Status::Clear } else { Status::Violated };
    let Some(reason) = given_up else { return Ok(found) };
    let (done, all) = (summary.lengths.len(), count(command.runs as usize, "run"));
    remark(match done {
        0 => format!("error: {GIVEN_UP}: {reason}"),
        _ => format!("error: {GIVEN_UP} after {done} of {all}: {reason}"),
    });
    Ok(found.worst(if stop.is_set() { Status::Interrupted } else { Status::Unknown }))
}

/// A random run and the specs that it violates. A violation is one only after it was confirmed, here like everywhere.
fn judged<'s>(semantics: &'s Semantics<'s>, steps: usize, seed: u64) -> Result<Judged<'s>, String> {
    let run = batch::run(semantics, steps, seed)?;
    let whole = batch::for_ever(&run);
    let judged = whole.as_ref().unwrap_or(&run);
    let confirm =
        |&spec: &usize| Counterexample::confirm(semantics, &semantics.model().specs[spec].formula, &judged.trace());
    let violated = batch::violated(judged);
    let confirmed: Result<Vec<_>, Refused> = violated.iter().map(confirm).collect();
    Ok((run, confirmed.map(|_| violated)))
}

type Judged<'s> = (Run<'s>, Result<Vec<usize>, Refused>);

/// Shows one run with what it says of the specs.
fn show_run(session: Session, run: &Run) {
    let mut session = session.with_run(run, None);
    session.execute(&format!("goto {}", run.steps().len()));
    for line in ["trace", "specs"] {
        print(session.execute(line).text);
    }
}

/// The results of some runs.
#[derive(Default)]
struct Summary {
    lengths: Vec<usize>,
    stuck: usize,
    coverage: Coverage,
    /// Per spec the seeds of the runs that violate it.
    violations: BTreeMap<usize, Vec<u64>>,
}

impl Summary {
    fn add(&mut self, semantics: &Semantics, run: &Run, violated: &[usize], seed: u64) {
        violated.iter().for_each(|&spec| self.violations.entry(spec).or_default().push(seed));
        self.lengths.push(run.steps().len());
        self.stuck += usize::from(run.states().last().is_some_and(|state| semantics.deadlocked(state)));
        self.coverage.add(run);
    }

    fn text(&self, model: &Model, command: &Simulate) -> String {
        let (shortest, longest) = (self.lengths.iter().min().unwrap_or(&0), self.lengths.iter().max().unwrap_or(&0));
        let runs = count(self.lengths.len(), "random run");
        let steps =
            if shortest == longest { count(*longest, "step") } else { format!("{shortest} to {longest} steps") };
        let mut text = format!("{runs} with {steps}, seeds from {} on\n", command.seed);
        text += &format!("  {} got stuck\n", self.stuck);
        for (spec, seeds) in &self.violations {
            let (name, runs) = (batch::spec_name(model, *spec), count(seeds.len(), "run"));
            let expected = batch::comparison(&model.specs[*spec]);
            text += &format!("  spec {name}: violated by {runs}, first with --seed {}{expected}\n", seeds[0]);
        }
        for spec in (0..model.specs.len()).filter(|spec| !self.violations.contains_key(spec)) {
            let formula = &model.specs[spec].formula;
            if formula.is_branching() {
                let (name, why) = (batch::spec_name(model, spec), batch::beyond_one_run(formula));
                text += &format!("  spec {name}: {why}\n");
            }
        }
        let missing = self.coverage.missing(model);
        let names: Vec<String> = missing.iter().map(|&(owner, edge)| show::command_name(model, owner, edge)).collect();
        match names.len() {
            0 => text + "  every command was taken\n",
            _ => text + &format!("  never taken: {}\n", names.join(", ")),
        }
    }
}

/// Files, and the search of `find`, for sessions on the command line.
struct CommandLine<'m> {
    model: &'m Model,
    bound: usize,
    timeout: Option<Duration>,
    searching: Searching,
}

/// How to stop the search that is going on, if one is.
type Searching = Arc<Mutex<Option<Arc<Stop<'static>>>>>;

impl<'m> CommandLine<'m> {
    /// Ctrl-C ends a search, or else everything.
    fn new(model: &'m Model, bound: usize, timeout: Option<Duration>) -> Result<CommandLine<'m>> {
        let searching = Searching::default();
        let seen = searching.clone();
        let handler = move || match &*lock(&seen) {
            Some(search) => search.set(),
            None => interrupt::end(),
        };
        on_interrupt(handler)?;
        Ok(CommandLine { model, bound, timeout, searching })
    }

    fn set_search(&self, search: Option<Arc<Stop<'static>>>) {
        *lock(&self.searching) = search;
    }
}

impl World for CommandLine<'_> {
    fn search(&self, from: Option<Here>, formula: &Formula) -> Claim {
        let stop = Arc::new(Stop::new());
        self.set_search(Some(stop.clone()));
        let limits = Limits { bound: self.bound, ..Limits::new(Budget::new(self.timeout), &stop) };
        let claim = find(self.model, from, formula, &limits);
        self.set_search(None);
        claim
    }

    fn read(&self, path: &str) -> Result<String, String> {
        text(Path::new(path)).map_err(|error| format!("{error:#}"))
    }

    fn write(&self, path: &str, content: &[u8]) -> Result<(), String> {
        replace::write(Path::new(path), Kind::Trace, content).map_err(|error| format!("{error:#}"))
    }
}
