//! Violations by recurrent sets in certificates.

use super::conjunct;
use super::recheck::CertificateError;
use crate::check::Counterexample;
use crate::check::recurrent::{Recurrence, Round};
use crate::claim::recurrent::{RecurrentRun, RecurrentSet};
use crate::model::eval::{Run, Semantics};
use crate::model::formula::StateLeaf;
use crate::model::{Expr, Formula, Model};
use crate::trace_file;
use crate::ts::atoms::state_predicate;
use crate::ts::history::base_system;
use crate::ts::readback::{state_expr, without_conditionals};
use crate::ts::smtlib::read;
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::smtlib::write::closed;
use crate::ts::system::System;
use crate::ts::term::{Sort, Terms};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A run on which no state recurs, and why it goes on for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecurrentDocument {
    /// The number of the conjunct that is false on the run, from 1.
    conjunct: usize,
    formula: String,
    /// The position where the round starts; it ends with the trace.
    start: usize,
    /// The conditions on the states where the round can start.
    set: Vec<String>,
    /// Up to the end of the first round.
    trace: Value,
}

impl RecurrentDocument {
    /// Of a counterexample to a formula; `trace` is its run as a file.
    pub fn new(
        model: &Model,
        formula: &Formula,
        counterexample: &Counterexample,
        recurrence: &Recurrence,
        trace: Value,
    ) -> RecurrentDocument {
        let conjunct = conjunct(formula, recurrence.conjunct());
        let round = Round::new(counterexample.run(), &conjunct, recurrence.set(), recurrence.start());
        let (system, symbols) = (round.system(), Symbols::new(model, round.system()));
        RecurrentDocument {
            conjunct: recurrence.conjunct() + 1,
            formula: model.show_formula(&conjunct),
            start: recurrence.start(),
            set: round.set().into_iter().map(|condition| closed(system.terms(), &symbols, condition)).collect(),
            trace,
        }
    }

    /// The claim that it makes about a formula.
    pub fn claim(&self, semantics: &Semantics, formula: &Formula) -> Result<RecurrentRun, CertificateError> {
        let model = semantics.model();
        let index = self.conjunct.wrapping_sub(1);
        let conjunct = formula.conjuncts().into_iter().nth(index);
        let no_such = || CertificateError::Unfit(format!("the spec has no conjunct {}", self.conjunct));
        let conjunct = model.show_formula(&conjunct.ok_or_else(no_such)?);
        if self.formula != conjunct {
            let what = format!("it is `{conjunct}`, and the certificate is about `{}`", self.formula);
            return Err(CertificateError::Unfit(format!("conjunct {}: {what}", self.conjunct)));
        }
        let run = self.run(semantics)?;
        let set = RecurrentSet { fixed: Vec::new(), conditions: self.conditions(model)? };
        Ok(RecurrentRun { trace: run.trace(), start: self.start, set, conjunct: index })
    }

    fn run<'s>(&self, semantics: &'s Semantics<'s>) -> Result<Run<'s>, CertificateError> {
        let replayed = trace_file::read(semantics, &self.trace.to_string());
        let run = replayed.map_err(|problem| CertificateError::NoEvidence(problem.to_string()))?.run;
        match run.loop_start() {
            None => Ok(run),
            Some(_) => Err(CertificateError::Unfit("the trace loops, and no state of it is said to recur".to_owned())),
        }
    }

    fn conditions(&self, model: &Model) -> Result<Vec<Expr<StateLeaf>>, CertificateError> {
        let system = base_system(model);
        let symbols = Symbols::new(model, &system);
        let read = |(index, text): (usize, &String)| {
            let place = |what: String| CertificateError::Unfit(format!("condition {} of the set: {what}", index + 1));
            condition(&system, &symbols, text).map_err(place)
        };
        self.set.iter().enumerate().map(read).collect()
    }
}

/// A condition on states as a term.
pub(super) fn written_condition(model: &Model, condition: &Expr<StateLeaf>) -> String {
    let mut system = base_system(model);
    let term = state_predicate(model, &mut system, condition);
    let symbols = Symbols::new(model, &system);
    closed(system.terms(), &symbols, term)
}

/// The way back.
pub(super) fn read_condition(model: &Model, text: &str) -> Result<Expr<StateLeaf>, String> {
    let system = base_system(model);
    condition(&system, &Symbols::new(model, &system), text)
}

/// A condition on states.
fn condition(system: &System, symbols: &Symbols, text: &str) -> Result<Expr<StateLeaf>, String> {
    let mut terms = system.terms().clone();
    let lookup = &mut |terms: &mut Terms, name: &str| symbols.lookup(terms, name);
    let term = read::term(&mut terms, text, lookup).map_err(|problem| problem.to_string())?;
    if terms.sort(term) != Sort::Bool {
        return Err("it is a number".to_owned());
    }
    let term = without_conditionals(&mut terms, term).ok_or("it has too many conditionals")?;
    state_expr(system, &terms, term).ok_or_else(|| "it speaks of more than the state of the model".to_owned())
}
