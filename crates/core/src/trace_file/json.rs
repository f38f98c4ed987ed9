//! Our own format.

use super::fingerprint::identify;
use super::problem::{JsonNode, NotATrace, Problems};
use super::read::{AUTOMATON, FileContent, check_fingerprint};
use super::step::step_to_json;
use super::value::{Integers, to_json};
use super::{About, Format, round};
use crate::model::eval::Run;
use crate::model::{Model, Value};
use serde_json::{Map, Value as Json, json};

pub(super) const NAME: &str = "rcheck-smt trace";
const VERSION: u64 = 1;

/// The run as a document.
pub(super) fn document(run: &Run, about: &About) -> Map<String, Json> {
    let model = run.semantics().model();
    let states: Vec<Json> = run.states().iter().map(|state| state_to_json(model, &state.parts(model))).collect();
    let steps: Vec<Json> = run.steps().iter().map(|step| step_to_json(model, step, Integers::Plain)).collect();
    let identity = identify(json!({ "file": about.model_file }), model);
    let fields = [
        Some(("format", json!(NAME))),
        Some(("version", json!(VERSION))),
        Some(("model", identity)),
        Some(("description", json!(about.description))),
        run.loop_start().map(|start| ("loop", json!(start))),
        about.round.as_ref().map(|round| ("round", round::to_json(round))),
        Some(("states", json!(states))),
        Some(("steps", json!(steps))),
    ];
    fields.into_iter().flatten().map(|(name, value)| (name.to_owned(), value)).collect()
}

pub(super) fn state_to_json(model: &Model, parts: &[(u32, Vec<Value>)]) -> Json {
    let instances = model.instance_ids().zip(parts).map(|(instance, (automaton, values))| {
        let mut variables = Map::new();
        variables.insert(AUTOMATON.to_owned(), json!(automaton));
        for ((_, local), value) in model.locals_of(instance).zip(values) {
            variables.insert(local.name.clone(), to_json(model, value, local.ty, Integers::Plain));
        }
        (model.instances[instance.index()].name.clone(), Json::Object(variables))
    });
    Json::Object(instances.collect())
}

/// The content of the document, name by name.
pub(super) fn parse(model: &Model, root: &JsonNode) -> Result<FileContent, NotATrace> {
    let mut problems = Problems::default();
    problems.version(root);
    if !problems.list.is_empty() {
        return problems.unless_any(None);
    }
    let identity = root.field("model");
    let file = identity.as_ref().and_then(|identity| identity.text("file")).unwrap_or_default().to_owned();
    let description = root.text("description").unwrap_or_default().to_owned();
    let mut about = About { model_file: file, description, round: None };
    check_fingerprint(model, identity.and_then(|node| node.field("fingerprint")), &about)?;
    let loop_start = root.field("loop").map(|node| problems.count(&node));
    let states = problems.required(root, "states").and_then(|node| problems.list(&node)).unwrap_or_default();
    let steps = problems.required(root, "steps").and_then(|node| problems.list(&node)).unwrap_or_default();
    if problems.list.is_empty() && states.len() != steps.len() + 1 {
        let what = format!("states: {}, steps: {}; there has to be one state more", states.len(), steps.len());
        problems.report::<()>(root, what);
    }
    about.round = root.field("round").and_then(|node| problems.round(&node, steps.len()));
    let states = states.iter().map(|node| problems.state(model, node, Format::Json)).collect();
    let steps = steps.iter().map(|node| problems.step(model, node)).collect();
    problems.written(Format::Json, about, (states, steps), loop_start.flatten())
}

impl Problems {
    fn version(&mut self, root: &JsonNode) {
        let Some(version) = self.required(root, "version") else { return };
        if version.value.as_u64() != Some(VERSION) {
            let what = format!("version {} is unknown; this program reads version {VERSION}", version.value);
            self.report::<()>(&version, what);
        }
    }
}
