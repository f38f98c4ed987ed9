//! `simulate --strategy`: the group plays its strategy, and the user all others; or, if there is none, the user decides for the group,
//! and sees a run on which that fails.

use super::arguments::Simulate;
use super::{CommandLine, read_line, talk};
use crate::check::Verdict;
use crate::check::strategies::{Answer, Answers, Piece, Why};
use crate::claim::strategies::NoStrategy;
use crate::cli::io::out::{print, remark};
use crate::cli::specs;
use crate::cli::status::Status;
use crate::escape::visible;
use crate::limits::{Budget, Stop};
use crate::model::Model;
use crate::model::eval::Semantics;
use crate::model::strategy::{Decision, Strategy};
use crate::report::human;
use crate::report::refutation::write_run;
use crate::report::strategies::{show_can, show_decision, write_strategy};
use crate::report::trace::Detail;
use crate::simulate::{ConditionReader, Session};
use crate::source::SourceFile;
use crate::verify::{Engine, Limits, Subject};
use crate::words::count;
use anyhow::{Result, anyhow, bail};

const HELP: &str =
    "a number changes that decision, `all` offers everything again, `decisions` lists them, `quit` ends\n";

/// Finds the strategy for a spec, and plays against it.
pub fn play(
    command: &Simulate,
    wanted: &str,
    source: &SourceFile,
    model: &Model,
    reader: &ConditionReader,
) -> Result<Status> {
    let [spec] = specs::choose(model, &[wanted.to_owned()])?[..] else { bail!("`--strategy` takes one spec") };
    let name = human::title(model, spec);
    if model.joint.is_some() {
        bail!("strategies of agents that act all at once cannot be played yet: `prove --explain` shows them");
    }
    if !model.specs[spec].formula.is_about_views() {
        bail!("{name} asks for no strategy: a spec with `can(g, f)` at its beginning does");
    }
    let stop = Stop::new();
    let limits = Limits::new(Budget::new(command.timeout), &stop);
    let subject = Subject::new(model);
    let outcome = subject.prove(spec, &Engine::ALL, &limits).map_err(|why| anyhow!("internal error: {why}"))?;
    if let Verdict::Unknown { reason, .. } = &outcome.verdict {
        remark(format_args!("error: {name} is unknown: {reason}"));
        return Ok(Status::Unknown);
    }
    if outcome.verdict.has_strategy_for_all_sizes() {
        bail!("{name} holds for all sizes: `--size` chooses one to play with");
    }
    let model = outcome.verdict.model(model);
    let answers = outcome.verdict.strategies();
    let answers = answers.filter(|it| !it.answers().is_empty());
    let answers = answers.ok_or_else(|| anyhow!("{name} asks for no strategy at its beginning"))?;
    let all = answers.answers();
    // The one that a spec with several is true or false because of, as far as one can tell.
    let holds = matches!(outcome.verdict, Verdict::Holds(_));
    let answer = all.iter().find(|answer| answer.is_true() == holds).unwrap_or(&all[0]);
    let mut text = Vec::new();
    let can = show_can(model, answer);
    match answer.why() {
        Why::Can { strategy, outcome, .. } => {
            text.extend(format!("`{can}` is true; members play this strategy, you all others:\n").bytes());
            write_strategy(&mut text, model, strategy)?;
            text.push(b'\n');
            print(text);
            let semantics = Semantics::new(outcome);
            let world = CommandLine::new(outcome, command.bound, command.timeout)?;
            talk(Session::new(&semantics, reader, &world, command.seed), outcome)
        }
        Why::Cannot { runs, .. } => {
            let group: Vec<&str> =
                answer.beginning().group().iter().map(|it| model.instances[it.index()].name.as_str()).collect();
            let which = count(runs.failures.len(), "run");
            print(format!(
                "`{can}` is false: each strategy allows one of {which}\nyou decide for {}: {HELP}\n",
                group.join(", ")
            ));
            Refuted { model, source, answers, answer, runs, refused: vec![false; runs.decisions.len()] }.converse()
        }
    }
}

/// A group that has no strategy, with what the user decides for it.
struct Refuted<'a> {
    model: &'a Model,
    source: &'a SourceFile,
    answers: &'a Answers,
    answer: &'a Answer,
    runs: &'a NoStrategy,
    /// Per decision true if it is refused.
    refused: Vec<bool>,
}

impl Refuted<'_> {
    fn converse(mut self) -> Result<Status> {
        print(self.decisions() + "\n" + &self.run()?);
        let mut input = std::io::stdin().lock();
        let mut failed = false;
        while let Some(line) = read_line(&mut input)? {
            print(format!("> {}\n", visible(&line)));
            let answer = match line.trim() {
                "" => continue,
                "quit" => break,
                "help" => HELP.to_owned(),
                "decisions" => self.decisions(),
                "all" => {
                    self.refused.fill(false);
                    self.run()?
                }
                word => match word.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
                    Some(place) if place < self.refused.len() => {
                        self.refused[place] = !self.refused[place];
                        self.decision(place) + "\n" + &self.run()?
                    }
                    _ => {
                        failed = true;
                        format!("error: `{}` is no decision: {HELP}", visible(word))
                    }
                },
            };
            print(answer);
        }
        Ok(if failed { Status::BadInput } else { Status::Clear })
    }

    fn decisions(&self) -> String {
        (0..self.refused.len()).map(|place| self.decision(place)).collect()
    }

    fn decision(&self, place: usize) -> String {
        let Decision { message, .. } = &self.runs.decisions[place];
        let (yes, no) = if message.is_some() { ("takes it", "does not take it") } else { ("offered", "not offered") };
        let state = if self.refused[place] { no } else { yes };
        format!("  {}  {}: {state}\n", place + 1, show_decision(self.model, &self.runs.decisions[place]))
    }

    /// A run on which the group fails with what it decides.
    fn run(&self) -> Result<String> {
        let refused = self.runs.decisions.iter().zip(&self.refused).filter(|(_, refused)| **refused);
        let strategy = Strategy::refusing(refused.map(|(decision, _)| decision));
        let known: Vec<_> = self.answers.pieces().iter().map(Piece::known).collect();
        let mut text = b"with these decisions this run is possible:\n".to_vec();
        let (asked, shown) = ((self.model, self.answer, &known[..]), (Detail::Changes, Some(self.source)));
        if !write_run(&mut text, asked, &strategy, &self.runs.failures, shown)? {
            return Ok(NOT_SHOWN.to_owned());
        }
        text.push(b'\n');
        Ok(String::from_utf8(text)?)
    }
}

/// No run alone shows it.
const NOT_SHOWN: &str = "these decisions do not do it either: a certificate (`prove --certificate`) says why\n";
