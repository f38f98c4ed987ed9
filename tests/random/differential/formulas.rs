//! Verdicts on random specs: bounded model checking, the oracle, and an enumeration of short runs.

use super::coverage::Coverage;
use super::graph::Graph;
use super::harness::Source;
use super::runs::{Lassos, Runs, Shortest};
use crate::common;
use crate::common::oracle::Oracle;
use rcheck_smt::check::{Counterexample, Ending, Verdict};
use rcheck_smt::limits::{Reason, Stop};
use rcheck_smt::model::Formula;
use rcheck_smt::model::eval::Limits;
use rcheck_smt::model::written::Written;
use rcheck_smt::property::Property;
use rcheck_smt::verify::Subject;
use std::sync::Mutex;

/// The bound at first.
const BOUND: usize = 7;
/// The bound where the oracle knows of a violation and none was found.
const FAR: usize = 160;
/// The most guesses of the oracle.
const GUESSES: usize = 60_000;
/// The most runs that are enumerated for one spec.
const RUNS: usize = 10_000;
/// The most nodes of a graph.
const NODES: usize = 600;

/// The outcomes that every run of the test has to see.
pub const OUTCOMES: [&str; 6] = [
    "violated by a beginning",
    "violated by a lasso",
    "violated after three steps or more",
    "clear and true by the oracle",
    "shortest by enumeration",
    "clear by enumeration",
];

/// The operators that every run of the test has to find in specs.
pub const OPERATORS: [&str; 12] =
    ["X", "F", "G", "U", "W", "R", "<<O>>", "[[O]]", "<->", "label", "state atom", "quantifier or several parts"];

/// Compares the verdicts on all specs of a model.
pub fn check(source: &Source, coverage: &Mutex<Coverage>) -> Result<(), String> {
    let subject = Subject::new(&source.model);
    let graph = Graph::new(subject.semantics(), NODES);
    let oracle = graph.complete().then(|| Oracle::new(subject.semantics(), Limits::default())).transpose();
    let oracle = oracle.map_err(|reason| format!("the oracle does not work: {reason}"))?;
    for (index, spec) in source.model.specs.iter().enumerate() {
        let checked =
            Checked { subject: &subject, graph: &graph, oracle: oracle.as_ref(), index, formula: &spec.formula };
        let outcomes = checked
            .compare()
            .map_err(|error| format!("spec {}: {}\n{error}", index + 1, source.model.show_formula(&spec.formula)))?;
        let mut coverage = coverage.lock().expect("no panic before");
        coverage.note(outcomes);
        coverage.note(operators(&spec.formula));
    }
    Ok(())
}

struct Checked<'a> {
    subject: &'a Subject<'a>,
    graph: &'a Graph,
    oracle: Option<&'a Oracle<'a>>,
    index: usize,
    formula: &'a Formula,
}

impl Checked<'_> {
    fn compare(&self) -> Result<Vec<&'static str>, String> {
        let oracle = self.holds()?;
        let runs = Runs::new(self.subject.semantics(), self.graph, self.formula);
        let lassos = self.lassos_count();
        let alike = runs.shortest(BOUND, if lassos { Lassos::Alike } else { Lassos::No }, RUNS);
        let any = runs.shortest(BOUND, if lassos { Lassos::Any } else { Lassos::No }, RUNS);
        if let (Some(true), Some(length)) = (oracle, any.found) {
            return Err(format!("the oracle sees no violation, but one has {length} steps"));
        }
        match self.bmc(BOUND)? {
            Verdict::Holds(_) => Err("a bounded search proves nothing".to_owned()),
            Verdict::Violated(counterexample) => violated(&counterexample, oracle, alike, any),
            Verdict::NoCounterexample { depth } => self.clear(depth, oracle, alike),
            Verdict::Unknown { reason, .. } => unknown(reason),
        }
    }

    fn bmc(&self, bound: usize) -> Result<Verdict<'_>, String> {
        let stop = Stop::new();
        let limits = common::limits(bound, common::patiently(), &stop);
        let outcome = self.subject.bmc(self.index, &limits).map_err(|refuted| refuted.to_string())?;
        Ok(outcome.verdict)
    }

    /// True if lassos are counterexamples: a safety property has beginnings only.
    fn lassos_count(&self) -> bool {
        let mut system = self.subject.system().clone();
        let property = Property::new(self.subject.model(), &mut system, &self.subject.model().specs[self.index]);
        property.parts.iter().any(|part| !property.ltl.is_cosafe(part.negation))
    }

    /// True if the formula holds; nothing if that is too much work.
    fn holds(&self) -> Result<Option<bool>, String> {
        let operators = common::temporal_operators(self.formula);
        let moments: usize = self.graph.nodes.iter().map(|node| node.steps.len()).sum();
        if operators > 14 || moments << operators > GUESSES {
            return Ok(None);
        }
        let Some(oracle) = self.oracle else { return Ok(None) };
        oracle.holds(self.formula).map(Some).map_err(|reason| format!("the oracle does not answer: {reason}"))
    }

    fn clear(&self, depth: usize, oracle: Option<bool>, runs: Shortest) -> Result<Vec<&'static str>, String> {
        if let Some(length) = runs.found {
            return Err(format!("clear to {depth}, but a violation has {length} steps"));
        }
        let mut outcomes = vec!["clear"];
        if runs.clear >= Some(2) {
            outcomes.push("clear by enumeration");
        }
        match oracle {
            None => {}
            Some(true) => outcomes.push("clear and true by the oracle"),
            Some(false) => match self.bmc(FAR)? {
                Verdict::Holds(_) => return Err("a bounded search proves nothing".to_owned()),
                Verdict::Violated(_) => outcomes.push("found beyond the first bound"),
                Verdict::Unknown { reason, .. } => return unknown(reason),
                Verdict::NoCounterexample { depth } => {
                    return Err(format!("violated by the oracle, but clear to {depth}"));
                }
            },
        }
        Ok(outcomes)
    }
}

fn violated(
    counterexample: &Counterexample,
    oracle: Option<bool>,
    alike: Shortest,
    any: Shortest,
) -> Result<Vec<&'static str>, String> {
    let run = counterexample.run();
    let length = run.steps().len();
    if oracle == Some(true) {
        return Err(format!("the oracle sees no violation, but one has {length} steps"));
    }
    if let Some(shorter) = alike.found.filter(|found| *found < length) {
        return Err(format!("a violation has {shorter} steps, but {length} are reported"));
    }
    if let Ending::Recurrent(_) = counterexample.ending() {
        return Ok(vec!["violated without a lasso"]);
    }
    let forgets = run.loop_start().is_some_and(|start| run.states()[start] != run.states()[length]);
    if any.clear >= Some(length) && !forgets {
        return Err(format!("a violation with {length} steps is reported, but the enumeration sees none"));
    }
    let mut outcomes = vec![if run.loop_start().is_some() { "violated by a lasso" } else { "violated by a beginning" }];
    if length >= 3 {
        outcomes.push("violated after three steps or more");
    }
    if alike.found == Some(length) {
        outcomes.push("shortest by enumeration");
    }
    if forgets {
        outcomes.push("loop that forgets");
    }
    Ok(outcomes)
}

/// Some models multiply variables: there, and where time is short, nothing can be said.
fn unknown(reason: Reason) -> Result<Vec<&'static str>, String> {
    match reason {
        Reason::Timeout | Reason::Solver(_) => Ok(vec!["unknown"]),
        other => Err(format!("unknown: {other}")),
    }
}

fn operators(formula: &Formula) -> Vec<&'static str> {
    let mut found = vec![match formula.written() {
        Written::Atom(_) => "state atom",
        Written::Label(..) => "label",
        Written::Observed(_) => "observation",
        Written::Not(_) => "!",
        Written::And(list) | Written::Or(list) if list.len() != 2 => "quantifier or several parts",
        Written::And(_) => "&",
        Written::Or(_) => "|",
        Written::Implies(..) => "->",
        Written::Iff(..) => "<->",
        Written::Next(_) => "X",
        Written::Finally(_) => "F",
        Written::Globally(_) => "G",
        Written::Until(..) => "U",
        Written::WeakUntil(..) => "W",
        Written::Release(..) => "R",
        Written::Possible(..) => "<<O>>",
        Written::Necessary(..) => "[[O]]",
        Written::Branching(_) => "other runs",
    }];
    formula.for_each_child(&mut |child| found.extend(operators(child)));
    found.sort_unstable();
    found.dedup();
    found
}
