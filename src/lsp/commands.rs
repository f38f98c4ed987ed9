//! The commands of editors: what they are called, their arguments, and what they do.

use self::CommandHandler::{Act, Look};
use super::documents::{Document, Stepping};
use super::jobs::Asking;
use super::messages::{Failure, Handled, done};
use super::results::{overview, results, tell, trace_of};
use super::space::StateSpace;
use super::state::Server;
use super::steps;
use super::verdicts::{CurrentAnswer, QuestionKey};
use super::verifier::SpecOrChecks;
use crate::model::{AgentId, Model};
use crate::report::graph::{Graph, drawing};
use crate::report::record::Check;
use crate::syntax::ast::Dialect;
use lsp_server::{ErrorCode, RequestId};
use lsp_types::notification::ShowMessage;
use lsp_types::{ExecuteCommandParams, MessageType, ShowMessageParams};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

/// How many steps a counterexample may have by default.
const BOUND: usize = 20;

/// The command that writes a file.
pub const CERTIFICATE: &str = "rcheck-smt.certificate";

/// The function of a command.
pub enum CommandHandler {
    /// It answers a question about a text that is a model.
    Look(fn(&Document, &Model, &CommandArgument) -> Handled),
    /// It changes something, or its answer comes later.
    Act(fn(&mut Server, Asking, &CommandArgument) -> Handled),
}

/// All commands.
pub const COMMANDS: [(&str, CommandHandler); 17] = [
    ("rcheck-smt.prove", Act(|server, asking, argument| verify(server, asking, argument, None, None))),
    ("rcheck-smt.bmc", Act(bmc)),
    ("rcheck-smt.check", Act(check)),
    ("rcheck-smt.cancel", Act(cancel)),
    ("rcheck-smt.results", Look(all_results)),
    ("rcheck-smt.trace", Look(trace)),
    ("rcheck-smt.step", Act(step)),
    ("rcheck-smt.automata", Look(automata)),
    (CERTIFICATE, Act(certificate)),
    ("rcheck-smt.explain", Look(explain)),
    ("rcheck-smt.strategy", Look(strategy)),
    ("rcheck-smt.tell", Act(show)),
    ("rcheck-smt.overview", Look(|document, model, _| done(overview(document, model)))),
    ("rcheck-smt.states", Act(|server, _, it| done(space(server, it)?.begin(it.merged)))),
    ("rcheck-smt.expand", Act(expand)),
    ("rcheck-smt.explore", Act(|server, _, it| done(space(server, it)?.explore(it.state, it.most, it.merged)?))),
    ("rcheck-smt.search", Act(search)),
];

/// The argument of every command: what it is about.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommandArgument {
    /// The text.
    pub uri: String,
    /// The number of the spec, from 1; without it, all specs.
    pub spec: Option<usize>,
    /// The kind of check.
    pub check: Option<Check>,
    /// How many steps a counterexample may have.
    pub bound: Option<usize>,
    /// The position to step to, from 0; nothing ends the stepping.
    pub position: Option<usize>,
    /// The folder to write a certificate to.
    pub folder: Option<PathBuf>,
    /// The number of a state, as `states` counts them.
    pub state: Option<usize>,
    /// How many states to look at.
    pub most: Option<usize>,
    /// The condition to search for.
    pub condition: Option<String>,
    /// True if states that a symmetry makes equal are one.
    #[serde(default)]
    pub merged: bool,
}

impl CommandArgument {
    /// Reads the arguments of a command.
    fn read(mut arguments: Vec<Value>) -> Result<CommandArgument, Failure> {
        let wrong = |why: String| Failure::new(ErrorCode::InvalidParams, why);
        let [first] = &mut arguments[..] else { return Err(wrong("a command has one argument".to_owned())) };
        serde_json::from_value(first.take()).map_err(|error| wrong(format!("wrong argument: {error}")))
    }

    /// The subjects that it asks about.
    ///
    /// # Errors
    /// That there is no such spec.
    pub fn subjects(&self, document: &Document) -> Result<Vec<SpecOrChecks>, String> {
        let specs = document.specs();
        match (self.check, self.spec) {
            (Some(check), _) => Ok(vec![SpecOrChecks::Checks(check)]),
            (None, None) => Ok((0..specs).map(SpecOrChecks::Spec).collect()),
            (None, Some(number)) if (1..=specs).contains(&number) => Ok(vec![SpecOrChecks::Spec(number - 1)]),
            (None, Some(number)) => Err(format!("no spec {number}: there are {specs}")),
        }
    }

    /// The spec that it is about, from 0.
    fn the_spec(&self, document: &Document) -> Result<usize, String> {
        match self.subjects(document)?[..] {
            [SpecOrChecks::Spec(number)] => Ok(number),
            _ => Err("the command is about one spec: `spec` is its number".to_owned()),
        }
    }
}

/// Executes a command.
///
/// # Errors
/// The reason why that is not possible.
pub fn execute(server: &mut Server, id: &RequestId, params: ExecuteCommandParams) -> Handled {
    let ExecuteCommandParams { command, arguments, work_done_progress_params: progress } = params;
    let argument = CommandArgument::read(arguments)?;
    let (document, model) = server.with_model(&argument.uri)?;
    match COMMANDS.iter().find(|(name, _)| *name == command) {
        Some((_, Look(look))) => look(document, model, &argument),
        Some((_, Act(act))) => act(server, (id.clone(), progress.work_done_token), &argument),
        None => Err(Failure::new(ErrorCode::InvalidParams, format!("there is no command `{command}`"))),
    }
}

/// Asks about the subjects of the argument.
fn verify(
    server: &mut Server,
    asking: Asking,
    argument: &CommandArgument,
    bound: Option<usize>,
    folder: Option<PathBuf>,
) -> Handled {
    let subjects = argument.subjects(server.with_model(&argument.uri)?.0)?;
    server.verify(asking, &argument.uri, &subjects, bound, folder)
}

fn bmc(server: &mut Server, asking: Asking, argument: &CommandArgument) -> Handled {
    verify(server, asking, argument, Some(argument.bound.unwrap_or(BOUND)), None)
}

fn check(server: &mut Server, asking: Asking, argument: &CommandArgument) -> Handled {
    match argument.check {
        Some(_) => verify(server, asking, argument, None, None),
        None => Err(Failure::new(ErrorCode::InvalidParams, "`check` is missing")),
    }
}

fn certificate(server: &mut Server, asking: Asking, argument: &CommandArgument) -> Handled {
    argument.the_spec(server.with_model(&argument.uri)?.0)?;
    let folder = argument.folder.clone().ok_or("name the folder for the certificate")?;
    verify(server, asking, argument, None, Some(folder))
}

fn cancel(server: &mut Server, _: Asking, argument: &CommandArgument) -> Handled {
    let (document, _) = server.with_model(&argument.uri)?;
    let subjects = argument.subjects(document)?.into_iter();
    let keys: Vec<QuestionKey> = subjects.filter_map(|subject| document.key(subject)).collect();
    server.cancel_jobs(&argument.uri, |job| keys.contains(&job.asked.key));
    done(())
}

fn all_results(document: &Document, _: &Model, argument: &CommandArgument) -> Handled {
    let subjects = argument.subjects(document)?.into_iter();
    done(subjects.flat_map(|subject| results(document, subject)).collect::<Vec<_>>())
}

/// The answer to the question about a spec.
fn known<'d>(document: &'d Document, argument: &CommandArgument) -> Result<CurrentAnswer<'d>, Failure> {
    let shown = document.shown(SpecOrChecks::Spec(argument.the_spec(document)?));
    Ok(shown.into_iter().next().ok_or("nothing is known of the spec yet: prove it first")?)
}

fn explain(document: &Document, _: &Model, argument: &CommandArgument) -> Handled {
    let shown = known(document, argument)?;
    let words = shown.record.explanation.as_ref().or(shown.record.reason.as_ref());
    done(words.cloned().unwrap_or_else(|| shown.words()))
}

/// The model in which the strategy for a spec is built in.
fn strategy(document: &Document, _: &Model, argument: &CommandArgument) -> Handled {
    let shown = known(document, argument)?;
    let model = shown.record.abilities.iter().find_map(|ability| ability.model.clone());
    done(model.ok_or("no strategy for the spec is known that guards can say")?)
}

/// Tells the user what is known of a spec.
fn show(server: &mut Server, _: Asking, argument: &CommandArgument) -> Handled {
    let (document, _) = server.with_model(&argument.uri)?;
    let spec = argument.the_spec(document)?;
    let message = tell(document, spec).ok_or("nothing is known of the spec yet: prove it first")?;
    server.notify::<ShowMessage>(ShowMessageParams { typ: MessageType::INFO, message: message.clone() });
    done(message)
}

fn trace(document: &Document, _: &Model, argument: &CommandArgument) -> Handled {
    let spec = argument.the_spec(document)?;
    let trace = trace_of(document, spec)?;
    done(steps::trace(document, spec, trace).ok_or("the trace is none of this model")?)
}

/// Shows a step of a counterexample in the text, or none any more.
fn step(server: &mut Server, _: Asking, argument: &CommandArgument) -> Handled {
    let (document, _) = server.with_model(&argument.uri)?;
    let spec = argument.the_spec(document)?;
    let step_to = |position| -> Result<Stepping, Failure> {
        let trace = trace_of(document, spec)?;
        Ok(steps::step_to(document, position, trace).ok_or("the trace is none of this model")?)
    };
    let stepping = argument.position.map(step_to).transpose()?;
    if let Some(document) = server.documents.get_mut(&argument.uri) {
        document.stepping = stepping;
    }
    server.refresh_hints();
    done(())
}

/// Draws the automaton of each agent type.
fn automata(_: &Document, model: &Model, _: &CommandArgument) -> Handled {
    let agents = (0..model.agents.len() as u32).map(AgentId);
    let graphs: Vec<Graph> = agents.map(|agent| Graph::of_agent(model, agent)).collect();
    done(drawing::draw(&graphs).to_svg())
}

fn expand(server: &mut Server, _: Asking, argument: &CommandArgument) -> Handled {
    done(space(server, argument)?.expand(argument.state.unwrap_or_default(), argument.merged)?)
}

fn search(server: &mut Server, _: Asking, argument: &CommandArgument) -> Handled {
    let condition = argument.condition.as_deref().unwrap_or_default();
    done(space(server, argument)?.search(condition, argument.most, argument.merged)?)
}

/// The states that the system can be in. Clients keep numbers of states, in a simulator and a picture at the same time: one text
/// has one numbering, also if a request is given up.
fn space<'d>(server: &'d mut Server, argument: &CommandArgument) -> Result<&'d mut StateSpace, Failure> {
    let verifier = server.verifier;
    let document = server.documents.get_mut(&argument.uri).ok_or("the text is not open")?;
    if document.space.is_none() {
        if argument.state.is_some() {
            return Err("the text was changed: begin again".into());
        }
        let model = document.model().ok_or("the model has errors: correct them first")?;
        // Conditions of files of MCMAS have no dialects.
        let dialect = document.analysis().map_or(Dialect::Modern, |analysis| analysis.parsed.model.dialect);
        let symmetries = |model: &Model| verifier.symmetries(model);
        let space = StateSpace::new((document.source(), dialect), model, verifier.room(), symmetries)?;
        document.space = Some(space);
    }
    Ok(document.space.as_mut().expect("it was made"))
}
