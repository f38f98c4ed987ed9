//! Counterexamples in the source: which commands each step takes, and what they change.

use super::documents::{Document, Stepping};
use super::position::range;
use crate::check::Counterexample;
use crate::ide::{Analysis, parts};
use crate::model::eval::{Run, Semantics};
use crate::report::chart::Chart;
use crate::report::steps::{Steps, changes, commands, place};
use crate::source::SourceFile;
use crate::trace_file;
use lsp_types::Range;
use serde::Serialize;
use serde_json::Value;

/// A run, for panels of editors.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PanelRun {
    /// The number of the spec, from 1.
    pub spec: usize,
    /// The statement that the run is evidence for.
    pub title: String,
    /// The run as a message sequence chart, in SVG.
    pub chart: String,
    /// The values in each state, the initial one first, as in `client1-x` and `3`.
    pub states: Vec<Vec<(String, String)>>,
    /// The steps between them.
    pub steps: Vec<PanelStep>,
    /// The state that the last step leads back to, if the run goes on for ever.
    pub loop_start: Option<usize>,
}

/// A step of a run.
#[derive(Clone, Debug, Serialize)]
pub struct PanelStep {
    /// The actions of agents, in words.
    pub words: String,
    /// The commands that take part, that of the sender or getter first.
    pub commands: Vec<Range>,
    /// The locals that change, as in `client1-x: 1 -> 2`.
    pub changes: Vec<String>,
}

/// Does something with a run in a trace, replayed on the model of a text, and with the analysis of one in our language; nothing
/// if it is none of it.
///
/// Verdicts outlive changes of what no run depends on, which the fingerprint tells apart: it is not asked for, as every detail is
/// compared anyway.
fn replayed<R>(document: &Document, trace: &Value, look: impl FnOnce(Option<&Analysis>, &Run) -> R) -> Option<R> {
    let mut trace = trace.clone();
    if let Some(model) = trace.get_mut("model").and_then(Value::as_object_mut) {
        model.remove("fingerprint");
    }
    let trace = trace.to_string();
    let given = trace_file::given(&trace);
    let other;
    let (analysis, model) = match document.analysis() {
        Some(analysis) if !given.is_empty() => {
            let source = SourceFile::new(analysis.source.name(), analysis.source.text());
            other = Analysis::new(source, Some(analysis.parsed.model.dialect), &given);
            (Some(&other), other.model.as_ref()?)
        }
        analysis => (analysis, document.model()?),
    };
    let instance = model.scheme().map(|_| model.clone());
    let semantics = Semantics::new(instance.as_ref().unwrap_or(model));
    let file = trace_file::read(&semantics, &trace).ok()?;
    Some(look(analysis, &file.run))
}

/// The part of a spec that is false on a run, as [`parts`] counts them.
pub fn failing_part(document: &Document, spec: usize, trace: &Value) -> Option<usize> {
    replayed(document, trace, |analysis, run| parts::failing(analysis?, spec, run))?
}

/// A run for panels.
pub fn trace(document: &Document, spec: usize, trace: &Value) -> Option<PanelRun> {
    replayed(document, trace, |_, run| {
        let model = run.semantics().model();
        let written = model.specs.get(spec);
        let title = written.map(|it| it.text.clone().unwrap_or_default()).unwrap_or_default();
        let confirmed = written.map(|it| Counterexample::confirm(run.semantics(), &it.formula, &run.trace()));
        let chart = match (confirmed, written) {
            (Some(Ok(counterexample)), Some(written)) => Chart::of_counterexample(&counterexample, written, &title),
            _ => Chart::of_run(run, &title),
        };
        let Steps { states, steps, loop_start } = Steps::of(run);
        let steps = steps.into_iter().map(|step| PanelStep {
            words: step.words,
            commands: step.places.into_iter().map(|place| range(document.source(), place)).collect(),
            changes: step.changes,
        });
        PanelRun { spec: spec + 1, chart: chart.to_svg(), states, steps: steps.collect(), loop_start, title }
    })
}

/// The counterexample at a position, with what the step to there changes.
pub fn step_to(document: &Document, position: usize, trace: &Value) -> Option<Stepping> {
    let changes = replayed(document, trace, |_, run| {
        let model = run.semantics().model();
        let step = position.checked_sub(1).and_then(|index| Some((run.steps().get(index)?, &run.states()[index])));
        let Some((step, before)) = step else { return Vec::new() };
        let changed = changes(model, before, &step.target);
        let at = commands(&step.choice).into_iter().map(|taken| {
            let own = changed.iter().filter(|(owner, _)| *owner == taken.0).map(|(_, words)| words.clone());
            let name = &model.instances[taken.0.index()].name;
            let own: Vec<String> = own.collect();
            let words = if own.is_empty() { format!("{name} takes part") } else { own.join(", ") };
            (place(model, taken).end, words)
        });
        at.collect()
    })?;
    Some(Stepping { position, changes })
}
