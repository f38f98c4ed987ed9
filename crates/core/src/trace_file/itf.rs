//! The Informal Trace Format.

use super::fingerprint::identify;
use super::problem::{JsonNode, NotATrace, Problems};
use super::read::{AUTOMATON, FileContent, check_fingerprint};
use super::step::{WrittenStep, step_to_json};
use super::value::{Integers, integer_to_json, to_json};
use super::{About, Format, round};
use crate::model::eval::{Run, State};
use crate::model::{LocalId, Model};
use dashu_int::IBig;
use serde_json::{Map, Value as Json, json};

/// The variable with the step from a state; no local is called so, as their names have a hyphen.
pub(super) const STEP: &str = "step";

/// The kind of `step` in the last state of a finite run.
const END: &str = "end";

/// The run as a document. The state where a loop closes is left out.
pub(super) fn document(run: &Run, about: &About) -> Map<String, Json> {
    let model = run.semantics().model();
    let count = run.states().len() - usize::from(run.loop_start().is_some());
    let states: Vec<Json> = (0..count).map(|position| state_to_json(model, run, position)).collect();
    let meta = json!({
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": about.model_file,
        "description": about.description,
    });
    let mut meta = identify(meta, model);
    if let Some(round) = &about.round {
        meta["round"] = round::to_json(round);
    }
    let mut variables: Vec<String> = variables(model).map(|(name, ..)| name).collect();
    variables.push(STEP.to_owned());
    let fields = [
        Some(("#meta", meta)),
        Some(("vars", json!(variables))),
        run.loop_start().map(|start| ("loop", json!(start))),
        Some(("states", json!(states))),
    ];
    fields.into_iter().flatten().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// All variables but `step`: name, and value in a state.
fn variables(model: &Model) -> impl Iterator<Item = (String, impl Fn(&State) -> Json)> {
    model.instance_ids().flat_map(move |instance| {
        let owner = &model.instances[instance.index()].name;
        let locals = model.agent_of(instance).locals.iter().enumerate();
        let names =
            std::iter::once((AUTOMATON, None)).chain(locals.map(|(at, it)| (it.name.as_str(), Some((at, it.ty)))));
        names.map(move |(name, local)| {
            let value = move |state: &State| match local {
                None => integer_to_json(&IBig::from(state.automaton(instance)), Integers::Tagged),
                Some((at, ty)) => to_json(model, state.local(instance, LocalId(at as u32)), ty, Integers::Tagged),
            };
            (format!("{owner}-{name}"), value)
        })
    })
}

fn state_to_json(model: &Model, run: &Run, position: usize) -> Json {
    let state = &run.states()[position];
    let mut written = Map::new();
    written.insert("#meta".to_owned(), json!({ "index": position }));
    written.extend(variables(model).map(|(name, value)| (name, value(state))));
    let step = run.steps().get(position);
    let step = step.map_or_else(|| json!({ "kind": END }), |step| step_to_json(model, step, Integers::Tagged));
    written.insert(STEP.to_owned(), step);
    Json::Object(written)
}

/// The content of the document, name by name.
pub(super) fn parse(model: &Model, root: &JsonNode) -> Result<FileContent, NotATrace> {
    let mut problems = Problems::default();
    let meta = root.field("#meta");
    let text = |name| meta.as_ref().and_then(|meta| meta.text(name)).unwrap_or_default().to_owned();
    let mut about = About { model_file: text("source"), description: text("description"), round: None };
    check_fingerprint(model, meta.as_ref().and_then(|meta| meta.field("fingerprint")), &about)?;
    let loop_start = root.field("loop").map(|node| problems.count(&node));
    let nodes = problems.required(root, "states").and_then(|node| problems.list(&node)).unwrap_or_default();
    let states = nodes.iter().map(|node| problems.state(model, node, Format::Itf)).collect();
    let steps = match (loop_start, nodes.split_last()) {
        (Some(_), _) => &nodes[..],
        (None, Some((last, before))) => {
            problems.end(last);
            before
        }
        (None, None) => &[],
    };
    let round = meta.as_ref().and_then(|meta| meta.field("round"));
    about.round = round.and_then(|node| problems.round(&node, steps.len()));
    let steps = steps.iter().map(|node| problems.step_from(model, node)).collect();
    problems.written(Format::Itf, about, (states, steps), loop_start.flatten())
}

impl Problems {
    /// The last state of a finite run says so.
    fn end(&mut self, last: &JsonNode) {
        let Some(step) = self.required(last, STEP) else { return };
        if step.text("kind") != Some(END) {
            let what = format!("a step from the last state; without a loop its kind has to be `{END}`");
            self.report::<()>(&step, what);
            return;
        }
        self.no_others(&step, &["kind"]);
    }

    fn step_from(&mut self, model: &Model, state: &JsonNode) -> Option<WrittenStep> {
        let step = self.required(state, STEP)?;
        self.step(model, &step)
    }
}
