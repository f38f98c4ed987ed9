//! Asks about the specs of a model, and compares what comes back.

use super::answers::{Effort, Who, ask, decided};
use super::offers::Offers;
use super::tally::Tally;
use crate::common::oracle::Oracle;
use rcheck_smt::check::Verdict;
use rcheck_smt::model::Model;
use rcheck_smt::model::eval::{Limits, Semantics};
use rcheck_smt::model::spec::{Expectation, Spec};
use rcheck_smt::smt::keeping_context;
use rcheck_smt::verify::Subject;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// The most states and temporal operators that are work for the oracle.
const STATES: usize = 80;
const OPERATORS: usize = 8;

/// The questions about a model: which engines are asked, and how.
pub struct Inquiry<'a> {
    /// How much an answer may take.
    pub effort: Effort,
    /// The engine that is asked first.
    pub first: Who,
    /// The other engines that are asked about a spec after this first answer.
    pub others: &'a (dyn Fn(usize, Option<&Verdict>) -> Vec<Who> + Sync),
    /// True if shorter counterexamples are looked for, as in the commands.
    pub shortens: bool,
    /// The seed of the offers of certificates for other specs; none are made without.
    pub offers: Option<u64>,
}

impl Inquiry<'_> {
    /// The contradictions in the answers about all specs of a model.
    pub fn run(&self, model: &Model, tally: &mut Tally) -> Vec<String> {
        let result = catch_unwind(AssertUnwindSafe(|| keeping_context(|| self.compare(model, tally))));
        result.unwrap_or_else(|_| vec!["panicked, see above".to_owned()])
    }

    fn compare(&self, model: &Model, tally: &mut Tally) -> Vec<String> {
        let subject = Subject::new(model);
        let subject = if self.shortens { subject } else { subject.without_shortening() };
        let oracle = oracle(subject.semantics());
        let mut offers = self.offers.map(Offers::new);
        let (mut truths, mut wrong) = (Vec::new(), Vec::new());
        for (spec, declared) in model.specs.iter().enumerate() {
            match self.spec(&subject, oracle.as_ref(), spec, offers.as_mut(), tally) {
                Ok(truth) => truths.push(truth),
                Err(why) => {
                    truths.push(None);
                    wrong.push(format!("spec {}: {}\n{why}", spec + 1, model.show_formula(&declared.formula)));
                }
            }
        }
        if let Some(mut offers) = offers {
            wrong.extend(offers.make(&subject, &truths).err());
            tally.certified += offers.certified;
            tally.refused += offers.refused;
        }
        wrong
    }

    /// The truth of a spec, if some engine decides it.
    fn spec(
        &self,
        subject: &Subject,
        oracle: Option<&Oracle>,
        spec: usize,
        mut offers: Option<&mut Offers>,
        tally: &mut Tally,
    ) -> Result<Option<bool>, String> {
        let mut answers: Vec<(String, bool)> = Vec::new();
        let mut waiting = vec![self.first];
        while let Some(who) = waiting.pop() {
            let effort = self.effort.after(who, answers.first().map(|(_, holds)| *holds));
            let start = Instant::now();
            let verdict = ask(subject, spec, who, effort).map_err(|why| format!("{who}: {why}"))?;
            let answer = verdict.as_ref().and_then(decided);
            tally.add(who, answer, start.elapsed());
            answers.extend(answer.map(|holds| (who.to_string(), holds)));
            if let (Some(offers), Some(verdict)) = (&mut offers, verdict.as_ref().filter(|_| answer.is_some())) {
                offers.note(subject, spec, verdict).map_err(|why| format!("{who}: {why}"))?;
            }
            if who == self.first {
                waiting = (self.others)(spec, verdict.as_ref());
            }
        }
        let declared = &subject.model().specs[spec];
        answers.extend(expected(declared).map(|holds| ("the file".to_owned(), holds)));
        let formula = &declared.formula;
        if let Some(oracle) = oracle.filter(|_| crate::common::temporal_operators(formula) <= OPERATORS) {
            answers.push((
                "the oracle".to_owned(),
                oracle.holds(formula).map_err(|why| format!("the oracle does not answer: {why}"))?,
            ));
            tally.oracle += 1;
        }
        agreed(&answers)
    }
}

/// The expectation of the file about a spec.
fn expected(spec: &Spec) -> Option<bool> {
    spec.expect.filter(|expect| *expect != Expectation::Unknown).map(|expect| expect == Expectation::Holds)
}

/// The common answer.
fn agreed(answers: &[(String, bool)]) -> Result<Option<bool>, String> {
    let Some((first, holds)) = answers.first() else { return Ok(None) };
    match answers.iter().find(|(_, other)| other != holds) {
        None => Ok(Some(*holds)),
        Some((other, _)) => Err(format!("{first} and {other} contradict each other: {answers:?}")),
    }
}

/// The oracle, if the model is small enough.
fn oracle<'s>(semantics: &'s Semantics) -> Option<Oracle<'s>> {
    let limits = Limits { states: STATES, depth: usize::MAX };
    let small = semantics.explore(limits).is_ok_and(|found| found.complete());
    small.then(|| Oracle::new(semantics, limits).expect("all states were found before"))
}
