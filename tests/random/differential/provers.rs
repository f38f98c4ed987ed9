//! Verdicts for all runs on random counters: each engine alone, the portfolio, bounded model checking, and where
//! the model is finite the oracle. No two of them may contradict each other, and what they prove can be
//! certified.

use super::certificates::Certificates;
use super::coverage::Coverage;
use super::graph::Graph;
use super::harness::Source;
use crate::common::oracle::Oracle;
use crate::common::{self, with_work};
use rcheck_smt::check::{Ending, ProofBy, Verdict};
use rcheck_smt::limits::Stop;
use rcheck_smt::model::eval::Limits;
use rcheck_smt::product::target::Reduction;
use rcheck_smt::verify::{Engine, Subject};
use std::sync::Mutex;

/// How much work an engine may do, and the portfolio.
const WORK: u64 = 600_000;
const TOGETHER: u64 = 1_800_000;
/// The bound of bounded model checking.
const BOUND: usize = 8;
/// The most nodes of a graph for the oracle.
const NODES: usize = 300;

/// The cases that every run of the test has to see.
pub const SEEN: [&str; 9] = [
    "kind proves",
    "pdr proves",
    "spacer proves",
    "bdd proves",
    "explicit proves",
    "the portfolio proves",
    "violated by a beginning",
    "violated by a lasso",
    "the oracle agrees",
];

/// The cases that a long run has to see.
pub const SELDOM: [&str; 2] = ["violated without a lasso", "liveness over integers is proved"];

/// A decisive answer, and whose it is.
type Answer = (String, bool);

/// Compares all answers about all specs of a model.
pub fn check(source: &Source, coverage: &Mutex<Coverage>, certificates: &mut Certificates) -> Result<(), String> {
    let subject = Subject::new(&source.model);
    let graph = Graph::new(subject.semantics(), NODES);
    let oracle = graph.complete().then(|| Oracle::new(subject.semantics(), Limits::default())).transpose();
    let oracle = oracle.map_err(|reason| format!("the oracle does not work: {reason}"))?;
    let (mut proved, mut violated) = (Vec::new(), Vec::new());
    for (spec, declared) in source.model.specs.iter().enumerate() {
        let shown = source.model.show_formula(&declared.formula);
        let context = |error: String| format!("spec {}: {shown}\n{error}", spec + 1);
        let mut answers: Vec<Answer> = Vec::new();
        for (name, verdict) in verdicts(&subject, spec).map_err(context)? {
            coverage.lock().expect("no panic before").note(seen(&name, &verdict, oracle.is_none()));
            match &verdict {
                Verdict::Holds(_) => answers.push((name, true)),
                Verdict::Violated(_) => answers.push((name, false)),
                Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => {}
            }
            let certificate = certificates.check(&subject, source, spec, &verdict).map_err(context)?;
            proved.extend(certificate.filter(|_| matches!(verdict, Verdict::Holds(_))));
        }
        if let Some(oracle) = &oracle {
            let holds = oracle.holds(&declared.formula).map_err(|reason| context(reason.to_string()))?;
            coverage.lock().expect("no panic before").note(["the oracle agrees"]);
            answers.push(("the oracle".to_owned(), holds));
        }
        if let Some((one, other)) = contradiction(&answers) {
            return Err(context(format!("{one} and {other} contradict each other: {answers:?}")));
        }
        violated.extend(answers.first().filter(|(_, holds)| !holds).map(|_| spec));
    }
    for spec in violated {
        proved.iter().try_for_each(|certificate| certificates.transplant(&subject, source, certificate, spec))?;
    }
    Ok(())
}

fn contradiction(answers: &[Answer]) -> Option<(&str, &str)> {
    let (first, holds) = answers.first()?;
    let other = answers.iter().find(|(_, other)| other != holds)?;
    Some((first, &other.0))
}

/// The verdict of each engine alone, and that of all together.
fn verdicts<'s>(subject: &'s Subject, spec: usize) -> Result<Vec<(String, Verdict<'s>)>, String> {
    let stop = Stop::new();
    let limits = |bound| common::limits(bound, common::patiently(), &stop);
    let mut verdicts = Vec::new();
    for engine in [Engine::Explicit, Engine::Kind, Engine::Pdr, Engine::Rlive, Engine::Spacer, Engine::Bdd] {
        let outcome = with_work(WORK, || subject.prove(spec, &[engine], &limits(BOUND))).transpose();
        let outcome = outcome.map_err(|why| format!("{engine}: {why}"))?;
        verdicts.extend(outcome.map(|outcome| (engine.to_string(), outcome.verdict)));
    }
    let outcome = with_work(WORK, || subject.bmc(spec, &limits(BOUND))).transpose();
    let outcome = outcome.map_err(|why| format!("bmc: {why}"))?;
    verdicts.extend(outcome.map(|outcome| ("bmc".to_owned(), outcome.verdict)));
    let outcome = with_work(TOGETHER, || subject.prove(spec, &Engine::ALL, &limits(usize::MAX))).transpose();
    let outcome = outcome.map_err(|why| format!("the portfolio: {why}"))?;
    verdicts.extend(outcome.map(|outcome| ("the portfolio".to_owned(), outcome.verdict)));
    Ok(verdicts)
}

fn seen(name: &str, verdict: &Verdict, infinite: bool) -> Vec<&'static str> {
    match verdict {
        Verdict::Holds(proof) => {
            let proves = SEEN.iter().filter(|seen| **seen == format!("{name} proves")).copied();
            let counts = |part: &rcheck_smt::check::certificate::CertifiedPart| {
                !matches!(part.target.reduction, Reduction::Invariance | Reduction::Safety)
            };
            let live = matches!(proof.by(), ProofBy::Invariants(it) if infinite && it.parts().iter().any(counts));
            proves.chain(live.then_some("liveness over integers is proved")).collect()
        }
        Verdict::Violated(counterexample) => vec![match counterexample.ending() {
            Ending::Prefix => "violated by a beginning",
            Ending::Lasso(_) => "violated by a lasso",
            Ending::Recurrent(_) => "violated without a lasso",
        }],
        Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => Vec::new(),
    }
}
