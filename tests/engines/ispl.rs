//! Models in ISPL: what is expected of them comes out, with evidence that is accepted again, and engines agree.

use crate::common::{self, linear, model, shipped_in_ispl, source};
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::Verdict;
use rcheck_smt::limits::Stop;
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::model::formula::Expectation;
use rcheck_smt::verify::{Engine, Subject, certify};

/// How much work each engine may do on a spec.
const WORK: u64 = 200_000;

fn decided(verdict: &Verdict) -> Option<Expectation> {
    match verdict {
        Verdict::Holds(_) => Some(Expectation::Holds),
        Verdict::Violated(_) => Some(Expectation::Violated),
        _ => None,
    }
}

#[test]
fn shipped_models_have_the_verdicts_that_they_expect() {
    let (mut holds, mut violated) = (0, 0);
    for path in shipped_in_ispl() {
        let model = model(&source(&path));
        let (semantics, subject) = (Semantics::new(&model), Subject::new(&model));
        for (index, spec) in model.specs.iter().enumerate() {
            let name = format!("{} {}", path.display(), spec.name.as_deref().expect("it has a name"));
            let stop = Stop::new();
            let limits = common::limits(0, common::patiently(), &stop);
            let outcome =
                subject.prove(index, &[Engine::Explicit], &limits).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert!(spec.expect.is_some() && decided(&outcome.verdict) == spec.expect, "{name}: {:?}", outcome.verdict);
            let document = Document::new(&model, "model.ispl", index, &outcome.verdict).expect("it is decided");
            let again = Document::read(&document.write()).expect("it was written by us");
            let certified =
                certify(&again, &semantics, common::patiently()).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(decided(&certified.verdict), spec.expect, "{name}");
            *(if spec.expect == Some(Expectation::Holds) { &mut holds } else { &mut violated }) += 1;
        }
    }
    assert!(holds >= 60 && violated >= 16, "{holds} hold, {violated} are violated");
}

/// Engines that know terms only, on what is about single runs.
#[test]
fn engines_agree_on_what_is_about_single_runs() {
    let mut found = Vec::new();
    for path in shipped_in_ispl() {
        let model = model(&source(&path));
        let subject = Subject::new(&model);
        for index in linear(&model) {
            for engine in [Engine::Bmc, Engine::Kind, Engine::Pdr, Engine::Rlive, Engine::Spacer] {
                let stop = Stop::new();
                let limits = common::limits(12, common::patiently(), &stop);
                let Some(outcome) = common::with_work(WORK, || subject.prove(index, &[engine], &limits)) else {
                    continue;
                };
                let verdict = outcome.unwrap_or_else(|why| panic!("{}: {why}", path.display())).verdict;
                if let Some(verdict) = decided(&verdict) {
                    let spec = &model.specs[index];
                    assert_eq!(Some(verdict), spec.expect, "{} {:?} by {engine:?}", path.display(), spec.name);
                    found.push((engine, verdict));
                }
            }
        }
    }
    for wanted in [(Engine::Bmc, Expectation::Violated), (Engine::Pdr, Expectation::Holds)] {
        assert!(found.contains(&wanted), "{wanted:?} not in {found:?}");
    }
}
