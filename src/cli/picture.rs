//! Counterexamples of records, made visible again: the trace in the record is replayed on its model, so that nothing is
//! shown that is no run of it.

use super::arguments::dialect;
use super::input::{Loaded, load, sha256};
use crate::check::Counterexample;
use crate::model::eval::{Run, Semantics, Trace};
use crate::model::{LocalId, Model};
use crate::report::chart::Chart;
use crate::report::html::Picture;
use crate::report::record::Record;
use crate::report::trace::{self, Detail};
use crate::trace_file;
use std::path::Path;

/// Reads models as they are needed, and keeps the last one.
#[derive(Debug, Default)]
pub struct Gallery {
    last: Option<(String, Result<Kept, String>)>,
}

#[derive(Debug)]
struct Kept {
    model: Model,
    sha256: String,
}

impl Gallery {
    /// The counterexample of a record, or why it cannot be shown.
    pub fn picture(&mut self, record: &Record) -> Result<Picture, String> {
        let kept = self.model(record)?;
        if Some(&kept.sha256) != record.unit.sha256.as_ref() {
            return Err(format!("{} has changed since", record.unit.model));
        }
        let spec = record.unit.spec.and_then(|number| kept.model.specs.get(number.checked_sub(1)?));
        let spec = spec.ok_or("the model has no such spec")?;
        let text = record.trace.as_ref().ok_or("there is no trace")?.to_string();
        let semantics = Semantics::new(&kept.model);
        let file = trace_file::read(&semantics, &text).map_err(|error| error.to_string())?;
        let counterexample = Counterexample::confirm(&semantics, &spec.formula, &trace_of(&file.run));
        let counterexample = counterexample.map_err(|refuted| refuted.to_string())?;
        let mut text = anstream::StripStream::new(Vec::new());
        trace::write(&mut text, &counterexample, Detail::Changes).map_err(|error| error.to_string())?;
        let chart = Chart::of_counterexample(&counterexample, format!("{} {}", record.unit.model, record.unit.label()));
        Ok(Picture { chart: chart.to_svg(), text: String::from_utf8_lossy(&text.into_inner()).into_owned() })
    }

    fn model(&mut self, record: &Record) -> Result<&Kept, String> {
        let name = &record.unit.model;
        if self.last.as_ref().is_none_or(|(last, _)| last != name) {
            self.last = Some((name.clone(), keep(record)));
        }
        match &self.last {
            Some((_, Ok(kept))) => Ok(kept),
            Some((_, Err(why))) => Err(why.clone()),
            None => Err("no model".to_owned()),
        }
    }
}

fn keep(record: &Record) -> Result<Kept, String> {
    let path = Path::new(&record.unit.model);
    match load(path, record.settings.dialect.as_deref().and_then(dialect)) {
        Ok(Loaded { source, model: Some(model), .. }) => Ok(Kept { model, sha256: sha256(&source) }),
        Ok(_) => Err(format!("{} has errors now", record.unit.model)),
        Err(error) => Err(format!("{error:#}")),
    }
}

/// How to run it again.
fn trace_of(run: &Run) -> Trace {
    let (model, start) = (run.semantics().model(), &run.states()[0]);
    let locals = |instance| (0..model.agent_of(instance).locals.len() as u32).map(LocalId);
    let initial = model.instance_ids().map(|instance| {
        let values = locals(instance).map(|local| start.local(instance, local).clone());
        (start.automaton(instance), values.collect())
    });
    Trace {
        initial: initial.collect(),
        choices: run.steps().iter().map(|step| step.choice.clone()).collect(),
        loop_start: run.loop_start(),
    }
}
