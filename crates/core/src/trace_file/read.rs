//! From the text of a file to a run: JSON, names and types, replay, comparison.

use super::compare::compare;
use super::problem::{JsonNode, NotATrace, Problems};
use super::step::WrittenStep;
use super::unique::names_are_unique;
use super::{About, Format, TraceFile, fingerprint, itf, json};
use crate::model::eval::{Choice, Influence, ReplayError, Run, Semantics};
use crate::model::{Constants, InstanceId, Model, Value};
use serde_json::Value as Json;

/// How automaton states are called.
pub(super) const AUTOMATON: &str = "automaton-state";

/// Per instance its automaton state and its locals.
pub(super) type Parts = Vec<(u32, Vec<Value>)>;

/// The content of a file, with names and types resolved.
#[derive(Debug)]
pub(super) struct FileContent {
    pub(super) format: Format,
    pub(super) about: About,
    pub(super) states: Vec<Parts>,
    pub(super) steps: Vec<WrittenStep>,
    pub(super) loop_start: Option<usize>,
}

/// Reads a trace of the model in either format; which one, the text itself tells.
///
/// The run is replayed on the concrete semantics, and every state and step in the file has to be that
/// of the replay. A loop has to close on all that influences the steps; whether it also does for a
/// formula is for [`Run::evaluate`] to say.
pub fn read<'s>(semantics: &'s Semantics<'s>, text: &str) -> Result<TraceFile<'s>, NotATrace> {
    let document: Json =
        serde_json::from_str(text).map_err(|error| NotATrace::because("", format!("no JSON: {error}")))?;
    names_are_unique(text).map_err(|error| NotATrace::because("", error.to_string()))?;
    let root = JsonNode::root(&document);
    let model = semantics.model();
    let written = match root.text("format") {
        Some(json::NAME) => json::parse(model, &root)?,
        None if root.field("states").is_some() => itf::parse(model, &root)?,
        _ => {
            let what = format!("neither a trace of ours (`\"format\": \"{}\"`) nor one in ITF (`states`)", json::NAME);
            return Err(NotATrace::because("", what));
        }
    };
    let run = replay(semantics, &written)?;
    compare(&run, &written)?;
    Ok(TraceFile { run, about: written.about })
}

/// The values that constants of the model were given, according to a trace in either format; none if the text is no
/// trace.
pub fn given(text: &str) -> Constants {
    let document: Json = serde_json::from_str(text).unwrap_or_default();
    let written = document.pointer("/model/given").or_else(|| document.pointer("/#meta/given"));
    written.and_then(|constants| serde_json::from_value(constants.clone()).ok()).unwrap_or_default()
}

fn replay<'s>(semantics: &'s Semantics<'s>, written: &FileContent) -> Result<Run<'s>, NotATrace> {
    let model = semantics.model();
    let Some(first) = written.states.first() else { return Err(NotATrace::because("states", "there is no state")) };
    let initial = semantics.state_from(first).map_err(|error| NotATrace::because("states[0]", error.to_string()))?;
    let choices: Vec<Choice> = written.steps.iter().map(|step| step.choice.clone()).collect();
    let influence = Influence::of_behaviour(model);
    Run::replay(semantics, initial, &choices, written.loop_start, &influence).map_err(|error| match &error {
        ReplayError::NotInitial => NotATrace::because("states[0]", "this is no initial state of the model"),
        ReplayError::NoSuchStep { position, why } => {
            let what = format!("there is no such step: {}", why.describe(model));
            NotATrace::because(written.step_place(*position), what)
        }
        ReplayError::EmptyLoop { .. } | ReplayError::LoopNotClosed { .. } => {
            NotATrace::because("loop", error.describe(model))
        }
    })
}

/// Refuses a trace of another model. A file without a fingerprint may be one of this model.
pub(super) fn check_fingerprint(model: &Model, written: Option<JsonNode>, about: &About) -> Result<(), NotATrace> {
    match written {
        Some(node) if node.value.as_str() != Some(&fingerprint(model)) => {
            let file = if about.model_file.is_empty() { String::new() } else { format!(" ({})", about.model_file) };
            let what = format!(
                "this is a trace of another model{file}, or the model or its constants were changed since; to try \
                 it on this one all the same, delete the fingerprint"
            );
            Err(NotATrace::because(node.place, what))
        }
        _ => Ok(()),
    }
}

impl FileContent {
    /// The place of a step in the file.
    pub(super) fn step_place(&self, position: usize) -> String {
        match self.format {
            Format::Json => format!("steps[{position}]"),
            Format::Itf => format!("states[{position}].{}", itf::STEP),
        }
    }

    /// The place of a variable in the file.
    pub(super) fn variable_place(&self, position: usize, instance: &str, variable: &str) -> String {
        match self.format {
            Format::Json => format!("states[{position}].{instance}.{variable}"),
            Format::Itf => format!("states[{position}].{instance}-{variable}"),
        }
    }
}

impl Problems {
    /// All states and steps together, unless there was a problem with one of them.
    pub(super) fn written(
        self,
        format: Format,
        about: About,
        (states, steps): (Vec<Option<Parts>>, Vec<Option<WrittenStep>>),
        loop_start: Option<usize>,
    ) -> Result<FileContent, NotATrace> {
        let (states, steps) = (states.into_iter().collect::<Option<_>>(), steps.into_iter().collect::<Option<_>>());
        let written = states.zip(steps).map(|(states, steps)| FileContent { format, about, states, steps, loop_start });
        self.unless_any(written)
    }

    pub(super) fn state(&mut self, model: &Model, node: &JsonNode, format: Format) -> Option<Parts> {
        self.check_names(model, node, format);
        let parts = model.instance_ids().map(|instance| {
            let owner = &model.instances[instance.index()].name;
            let agent = model.agent_of(instance);
            let automaton = self.variable(node, owner, AUTOMATON, format);
            let automaton = automaton.and_then(|node| self.automaton(&node, agent.states));
            let locals = agent.locals.iter().map(|local| {
                let variable = self.variable(node, owner, &local.name, format)?;
                self.value(model, &variable, local.ty)
            });
            let locals: Vec<_> = locals.collect();
            Some((automaton?, locals.into_iter().collect::<Option<_>>()?))
        });
        let parts: Vec<_> = parts.collect();
        parts.into_iter().collect()
    }

    fn variable<'d>(
        &mut self,
        state: &JsonNode<'d>,
        instance: &str,
        variable: &str,
        format: Format,
    ) -> Option<JsonNode<'d>> {
        match format {
            Format::Json => {
                let instance = self.required(state, instance)?;
                self.required(&instance, variable)
            }
            Format::Itf => self.required(state, &format!("{instance}-{variable}")),
        }
    }

    fn automaton(&mut self, node: &JsonNode, states: u32) -> Option<u32> {
        let number = self.count(node)?;
        let found = u32::try_from(number).ok().filter(|number| *number < states);
        found.or_else(|| self.report(node, format!("there are the automaton states 0 to {}", states - 1)))
    }

    /// Notes every name that the model does not have.
    fn check_names(&mut self, model: &Model, state: &JsonNode, format: Format) {
        match format {
            Format::Json => {
                let owners: Vec<&str> = model.instances.iter().map(|instance| instance.name.as_str()).collect();
                self.no_others(state, &owners);
                for instance in model.instance_ids() {
                    if let Some(node) = state.field(&model.instances[instance.index()].name) {
                        self.no_others(&node, &variables(model, instance));
                    }
                }
            }
            Format::Itf => {
                let names = model.instance_ids().flat_map(|instance| {
                    let owner = &model.instances[instance.index()].name;
                    variables(model, instance).into_iter().map(move |name| format!("{owner}-{name}"))
                });
                let names: Vec<String> = names.chain(["#meta", itf::STEP].map(str::to_owned)).collect();
                self.no_others(state, &names.iter().map(String::as_str).collect::<Vec<_>>());
            }
        }
    }
}

/// The variables of an instance: its automaton state, then its locals.
fn variables(model: &Model, instance: InstanceId) -> Vec<&str> {
    let locals = model.agent_of(instance).locals.iter().map(|local| local.name.as_str());
    std::iter::once(AUTOMATON).chain(locals).collect()
}
