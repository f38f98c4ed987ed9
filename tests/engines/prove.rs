//! `prove` on models with known verdicts: each verdict comes with evidence of the kind that its model
//! calls for, and what is wrong with an invariant is found.

use crate::common::{self, COUNTERS, is_genuine, is_refused, model, named, parsed, shipped, source};
use rcheck_smt::check::Refused;
use rcheck_smt::check::certificate::{Certificate, CertifiedPart};
use rcheck_smt::check::{ProofBy, Verdict};
use rcheck_smt::claim::{Invariant, PartClaim};
use rcheck_smt::limits::{Budget, Stop};
use rcheck_smt::model::Model;
use rcheck_smt::model::spec::Expectation;
use rcheck_smt::product::target::Reduction;
use rcheck_smt::smt::Scripts;
use rcheck_smt::ts::ranking::Ranking;
use rcheck_smt::verify::{Engine, Subject};
use std::path::Path;

/// A verdict on a spec.
fn decide<'s>(subject: &'s Subject, spec: usize) -> Verdict<'s> {
    decide_by(subject, spec, &Engine::ALL)
}

fn decide_by<'s>(subject: &'s Subject, spec: usize, engines: &[Engine]) -> Verdict<'s> {
    let stop = Stop::new();
    let limits = common::limits(usize::MAX, common::patiently(), &stop);
    subject.prove(spec, engines, &limits).expect("evidence that survives its check").verdict
}

/// Two that take turns.
const TURNS: &str = "
    enum side {left, right}
    message-structure: N : int
    agent Player
        local: turn : side, moved : bool
        init: turn = left & !moved
        receive-guard: chan = *
        repeat: (
            go: {turn = left} *! (false)(N := 1)[turn := right, moved := true]
            +
            come: {turn = right & moved} *! (false)(N := 2)[turn := left]
        )
    system = Player(one, true)
    SPEC G (one-turn = right -> one-moved)
    SPEC G F (one-turn = left)
";

/// It begins at the least integer of 64 bits, and leaves 64 bits at once.
const LEAST: &str = "
    agent A
        local: n : -9223372036854775808..-9223372036854775806, z : int
        init: n = -9223372036854775808 & z = - -9223372036854775808
        receive-guard: false
        repeat: up: {n<-9223372036854775806} *! (true)()[n := n + 1, z := z - -9223372036854775808]
    system = A(a, true)
    SPEC G (a-n >= -9223372036854775808)
    SPEC G (a-n = -9223372036854775808 -> a-z = 9223372036854775807 + 1)
    SPEC G (a-z <= 3 * (9223372036854775807 + 1))
    SPEC G (a-z > 0 - -9223372036854775808)
    SPEC F (a-z = 3 * (0 - -9223372036854775808))
    SPEC G (a-n != -9223372036854775807)
";

#[test]
fn the_least_integer_is_no_special_case() {
    let model = parsed(LEAST);
    let subject = Subject::new(&model);
    for (spec, holds) in [true, true, true, false, true, false].into_iter().enumerate() {
        for engine in [Engine::Explicit, Engine::Pdr, Engine::Bmc] {
            match decide_by(&subject, spec, &[engine, Engine::Explicit]) {
                Verdict::Holds(_) => assert!(holds, "spec {}", spec + 1),
                Verdict::Violated(_) => assert!(!holds, "spec {}", spec + 1),
                other => panic!("spec {}: {other:?}", spec + 1),
            }
        }
    }
}

/// An until under `X` may be pending for ever, or be demanded anew on every step: only the second is a violation here.
const UNTIL_UNDER_NEXT: &str = "
    agent A
        local: n : int
        init: n = 0
        receive-guard: false
        repeat: up: {true} *! (true)()[n := n + 1]
    system = A(a, true)
    SPEC F (X (G (a-n < 5)));
    SPEC F (<<sender = a>> (G (a-n < 5)));
    SPEC (G ([[sender = a]] (F a-up))) -> (G (a-n < 5));
    SPEC (G (a-up -> X (F a-up))) -> (F (G (a-n < 5)));
";

/// No prover has a trace of its own here: a counterexample is looked for when acceptance was seen often.
#[test]
fn what_provers_see_too_often_is_shown_on_a_run() {
    let model = parsed(UNTIL_UNDER_NEXT);
    let subject = Subject::new(&model);
    for engine in [Engine::Bmc, Engine::Kind, Engine::Pdr, Engine::Rlive, Engine::Spacer] {
        for (spec, text) in model.specs.iter().enumerate() {
            match decide_by(&subject, spec, &[engine]) {
                Verdict::Violated(evidence) => assert!(is_genuine(subject.semantics(), &text.formula, &evidence)),
                other => panic!("{engine}, spec {}: {other:?}", spec + 1),
            }
        }
    }
}

#[test]
fn finite_specs_are_decided_as_expected() {
    let decidable = |path: &Path| {
        let name = path.display().to_string();
        (name.contains("features") && !name.contains("recurrent"))
            || name.contains("resource_allocation")
            || name.contains("stable_allocation")
            || name.contains("knowledge")
    };
    let mut decided = 0;
    for path in shipped().iter().filter(|path| decidable(path)) {
        let model = model(&source(path));
        let subject = Subject::new(&model);
        for (index, spec) in model.specs.iter().enumerate() {
            let expected = spec.expect.expect("every spec that we ship says what to expect");
            let found = match decide(&subject, index) {
                Verdict::Holds(_) => Expectation::Holds,
                Verdict::Violated(_) => Expectation::Violated,
                Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => Expectation::Unknown,
            };
            assert_eq!(found, expected, "{} spec {}", path.display(), index + 1);
            decided += 1;
        }
    }
    assert!(decided > 200, "only {decided} specs");
}

#[test]
fn infinite_models_get_invariants_and_traces() {
    let model = parsed(COUNTERS);
    let subject = Subject::new(&model);
    let decide = |name| decide(&subject, named(&model, name));
    assert!(matches!(decide("together").holds_by(), Some(ProofBy::Invariants(_))));
    assert!(matches!(decide("answered"), Verdict::Holds(_)));
    let Verdict::Violated(counterexample) = decide("small") else { panic!("n exceeds 3") };
    assert_eq!(counterexample.run().steps().len(), 7);
    assert!(matches!(decide("again"), Verdict::Holds(_)));
}

#[test]
fn every_prover_decides_alone() {
    let (model, finite) = (parsed(COUNTERS), parsed(TURNS));
    let (subject, finite) = (Subject::new(&model), Subject::new(&finite));
    for engine in [Engine::Kind, Engine::Pdr, Engine::Spacer] {
        let decide = |name| decide_by(&subject, named(&model, name), &[engine]);
        assert!(matches!(decide("together").holds_by(), Some(ProofBy::Invariants(_))), "{engine}");
        let Verdict::Violated(counterexample) = decide("small") else { panic!("{engine}: n exceeds 3") };
        assert_eq!(counterexample.run().steps().len(), 7, "{engine}");
        let verdict = decide_by(&finite, 0, &[engine]);
        assert!(matches!(verdict.holds_by(), Some(ProofBy::Invariants(_))), "{engine}");
    }
    assert!(matches!(decide_by(&finite, 0, &[Engine::Bdd]).holds_by(), Some(ProofBy::Diagrams(_))));
    assert!(matches!(decide_by(&finite, 1, &[Engine::Bdd]).holds_by(), Some(ProofBy::Diagrams(_))));
    for name in ["together", "again"] {
        let Verdict::Unknown { reason, .. } = decide_by(&subject, named(&model, name), &[Engine::Bdd]) else {
            panic!("{name}: decision diagrams are of finite systems")
        };
        assert!(reason.to_string().contains("too many values"), "{name}: {reason}");
    }
}

/// Claims of each prover about a part of the shipped specs with little work: often none, but never a wrong one.
#[test]
fn provers_alone_contradict_no_expectation() {
    const EVERY: usize = 5;
    const WORK: u64 = 1_000_000;
    let provers = [Engine::Kind, Engine::Pdr, Engine::Spacer, Engine::Bdd];
    let (mut number, mut decided) = (0, [0; 4]);
    for path in shipped().iter().filter(|path| path.display().to_string().contains("features")) {
        let model = model(&source(path));
        let subject = Subject::new(&model);
        for (index, spec) in model.specs.iter().enumerate() {
            number += 1;
            if number % EVERY != 0 {
                continue;
            }
            for (engine, decided) in provers.iter().zip(&mut decided) {
                let found = match common::with_work(WORK, || decide_by(&subject, index, &[*engine])) {
                    Some(Verdict::Holds(_)) => Expectation::Holds,
                    Some(Verdict::Violated(_)) => Expectation::Violated,
                    Some(Verdict::NoCounterexample { .. } | Verdict::Unknown { .. }) | None => continue,
                };
                assert_eq!(Some(found), spec.expect, "{engine}: {} spec {}", path.display(), index + 1);
                *decided += 1;
            }
        }
    }
    assert!(decided.iter().sum::<usize>() >= 15, "{decided:?}");
}

/// The claims behind the proof of the first spec.
fn claims(model: &Model) -> Vec<PartClaim> {
    let subject = Subject::new(model);
    let verdict = decide(&subject, 0);
    let Some(ProofBy::Invariants(certificate)) = verdict.holds_by() else { panic!("it has invariants") };
    claims_of(certificate)
}

/// Of conjuncts that say of states what they are.
fn claims_of(certificate: &Certificate) -> Vec<PartClaim> {
    let claim = |part: &CertifiedPart| PartClaim {
        reduction: Reduction::Invariance,
        ranking: Ranking::default(),
        invariant: part.proof.invariant().clone(),
    };
    certificate.parts().iter().map(claim).collect()
}

fn confirm(model: &Model, spec: usize, claims: Vec<PartClaim>) -> Result<Certificate, Refused> {
    let solver = Scripts { budget: Budget::new(None), stop: &Stop::new() };
    Certificate::confirm(model, spec, &claims, &solver)
}

#[test]
fn tampered_invariants_are_refused() {
    let model = parsed(COUNTERS);
    let good = claims(&model);
    assert!(confirm(&model, 0, good.clone()).is_ok());

    let mut missing = good.clone();
    missing.pop();
    assert!(is_refused(&confirm(&model, 0, missing), "belongs to another spec"));
    assert!(confirm(&model, named(&model, "small"), vec![good[0].clone()]).is_err(), "a proof of another spec");

    let mut empty = good.clone();
    empty[0].invariant.clauses.clear();
    assert!(is_refused(&confirm(&model, 0, empty), "a bad state satisfies the invariant"));

    let mut contradictory = good.clone();
    let Invariant { terms, clauses, .. } = &mut contradictory[0].invariant;
    clauses.push(terms.bool(false));
    assert!(is_refused(&confirm(&model, 0, contradictory), "an initial state violates the invariant"));

    let mut initial_only = good;
    initial_only[0].invariant.k = 1;
    let system = rcheck_smt::ts::history::base_system(&model);
    let init = system.init().to_vec();
    initial_only[0].invariant.clauses.extend(init);
    assert!(is_refused(&confirm(&model, 0, initial_only), "a step leads out of the invariant"));
}

/// Without any one of its clauses no invariant proves its spec.
#[test]
fn invariants_contain_what_is_needed_only() {
    let model = &parsed(COUNTERS);
    for name in ["together", "behind"] {
        let spec = named(model, name);
        for engine in [Engine::Kind, Engine::Pdr, Engine::Spacer] {
            let subject = Subject::new(model);
            let verdict = decide_by(&subject, spec, &[engine]);
            let Some(ProofBy::Invariants(certificate)) = verdict.holds_by() else { panic!("{engine}: {name} holds") };
            let good = claims_of(certificate);
            assert!(confirm(model, spec, good.clone()).is_ok());
            for (part, claim) in good.iter().enumerate() {
                for index in 0..claim.invariant.clauses.len() {
                    let mut fewer = good.clone();
                    fewer[part].invariant.clauses.remove(index);
                    let refused = confirm(model, spec, fewer).is_err();
                    assert!(refused, "{engine}: {name} does not need clause {index} of conjunct {part}");
                }
            }
        }
    }
}
