//! Counterexamples of records, made visible again: the trace in the record is replayed on its model, so that nothing is
//! shown that is no run of it.

use crate::check::Counterexample;
use crate::claim::Trace;
use crate::claim::recurrent::{RecurrentRun, RecurrentSet};
use crate::cli::io::input::{Loaded, load};
use crate::cli::specs;
use crate::cli::verify::answer::{how, units};
use crate::limits::{Budget, Stop};
use crate::model::Model;
use crate::model::eval::Semantics;
use crate::reading::sha256;
use crate::report::chart::Chart;
use crate::report::html::Picture;
use crate::report::record::{Check, Record, Unit};
use crate::report::steps::Steps;
use crate::report::trace::{self, Detail};
use crate::simulate::ConditionReader;
use crate::smt::Scripts;
use crate::source::SourceFile;
use crate::trace_file::{self, Round};
use std::path::Path;
use std::time::Duration;

/// How long to check that a round can be repeated.
const TIME: Duration = Duration::from_secs(10);

/// Reads models as they are needed, and keeps the last one.
#[derive(Debug, Default)]
pub struct Gallery {
    last: Option<(String, Result<Kept, String>)>,
}

#[derive(Debug)]
struct Kept {
    source: SourceFile,
    model: Model,
    /// Its specs, and the checks that can be made.
    units: Vec<Unit>,
    sha256: String,
    reader: ConditionReader,
}

impl Kept {
    /// A round in a file as the claim that it is one.
    fn recurrent(&self, round: &Round, trace: Trace) -> Result<RecurrentRun, String> {
        let conditions = round.wherever.iter().map(|text| self.reader.expression(text));
        let conditions = conditions.collect::<Option<_>>().ok_or("the conditions of its round are unreadable")?;
        let set = RecurrentSet { fixed: Vec::new(), conditions };
        Ok(RecurrentRun { trace, start: round.start, set, conjunct: round.conjunct })
    }
}

impl Gallery {
    /// The counterexample of a record, or why it cannot be shown.
    pub fn picture(&mut self, record: &Record) -> Result<Picture, String> {
        let kept = self.model(record)?;
        if Some(&kept.sha256) != record.unit.sha256.as_ref() {
            return Err(format!("{} has changed since", record.unit.model));
        }
        let spec = kept.units.iter().position(|unit| *unit == record.unit);
        let spec = &kept.model.specs[spec.ok_or("the model has no such spec")?];
        let text = record.trace.as_ref().ok_or("there is no trace")?.to_string();
        let semantics = Semantics::new(&kept.model);
        let file = trace_file::read(&semantics, &text).map_err(|error| error.to_string())?;
        let counterexample = match &file.about.round {
            None => Counterexample::confirm(&semantics, &spec.formula, &file.run.trace()),
            Some(round) => {
                let claim = kept.recurrent(round, file.run.trace())?;
                let solver = Scripts { budget: Budget::new(None).aside(TIME), stop: &Stop::new() };
                Counterexample::confirm_recurrent(&semantics, &spec.formula, claim, &solver)
            }
        };
        let counterexample = counterexample.map_err(|refuted| refuted.to_string())?;
        let mut text = anstream::StripStream::new(Vec::new());
        trace::write(&mut text, &counterexample, spec, Detail::Changes, None).map_err(|error| error.to_string())?;
        let title = format!("{} {}", record.unit.place(), record.unit.label());
        let chart = Chart::of_counterexample(&counterexample, spec, title);
        Ok(Picture {
            chart: chart.to_svg(),
            text: String::from_utf8_lossy(&text.into_inner()).into_owned(),
            steps: Steps::of(counterexample.run()),
            source: kept.source.clone(),
        })
    }

    fn model(&mut self, record: &Record) -> Result<&Kept, String> {
        let name = &record.unit.place();
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
    match load(path, &how(&record.unit, &record.settings)) {
        Ok(Loaded { source, dialect, model: Some(mut model), .. }) => {
            let reader = ConditionReader::new(&source, dialect, &model);
            specs::append_checks(&mut model, &[Check::Deadlock, Check::Overflow, Check::DeadCode]);
            let (units, sha256) = (units(&source, &model, &record.unit.constants), sha256(&source));
            Ok(Kept { source, model, units, sha256, reader })
        }
        Ok(_) => Err(format!("{} has errors now", record.unit.model)),
        Err(error) => Err(format!("{error:#}")),
    }
}
