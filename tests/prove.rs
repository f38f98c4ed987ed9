//! `prove` on models with known verdicts: each verdict comes with evidence of the kind that its model
//! calls for, and what is wrong with an invariant is found.

mod common;

use common::{model, shipped, source};
use rcheck_smt::check::certificate::{Certificate, NoCertificate};
use rcheck_smt::check::invariant::NoProof;
use rcheck_smt::check::{Proof, Verdict};
use rcheck_smt::claim::{Invariant, PartClaim};
use rcheck_smt::model::formula::Expectation;
use rcheck_smt::model::{Model, elaborate};
use rcheck_smt::smt::{Budget, Stop, with_context};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::parse;
use rcheck_smt::verify::{Engine, Limits, Subject};
use std::path::Path;
use std::time::Duration;

/// A verdict on a spec; it must come within a generous time.
fn decide<'s>(subject: &'s Subject, spec: usize) -> Verdict<'s> {
    decide_by(subject, spec, &Engine::ALL, Duration::from_secs(120))
}

fn decide_by<'s>(subject: &'s Subject, spec: usize, engines: &[Engine], time: Duration) -> Verdict<'s> {
    let stop = Stop::new();
    let limits = Limits { bound: usize::MAX, budget: Budget::new(Some(time)), stop: &stop, progress: &|_| {} };
    subject.prove(spec, engines, &limits).expect("evidence that survives its check").verdict
}

fn parsed(text: &str) -> Model {
    let (model, findings) = elaborate(&parse(&SourceFile::new("test.rcp", text), None).model);
    assert!(!findings.has_errors(), "{findings:?}");
    model.expect("a model without errors")
}

/// A counter that nobody can explore, with facts that need an invariant.
const COUNTERS: &str = "
    message-structure: N : int
    agent Counter
        local: n : int, m : int, up : bool
        init: n = 0 & m = 0 & up
        receive-guard: chan = *
        repeat: (
            rise: {up} *! (false)(N := n)[n := n + 1, up := false]
            +
            follow: {!up} *! (false)(N := n)[m := m + 1, up := true]
        )
    system = Counter(one, true)
    SPEC G (one-m <= one-n & one-n <= one-m + 1)
    SPEC G (one-rise -> F one-follow)
    SPEC G (one-n <= 3)
    SPEC G (F one-rise)
";

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
";

#[test]
fn finite_specs_are_decided_as_expected() {
    let decidable = |path: &Path| {
        let name = path.display().to_string();
        (name.contains("features") && !name.contains("recurrent"))
            || name.contains("resource_allocation")
            || name.contains("stable_allocation")
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
    assert!(matches!(decide(&subject, 0), Verdict::Holds(Proof::Invariants(_))));
    assert!(matches!(decide(&subject, 1), Verdict::Holds(_)));
    let Verdict::Violated(counterexample) = decide(&subject, 2) else { panic!("n exceeds 3") };
    assert_eq!(counterexample.run().steps().len(), 7);
    assert!(matches!(decide(&subject, 3), Verdict::Holds(_)));
}

#[test]
fn every_prover_decides_alone() {
    let (model, finite) = (parsed(COUNTERS), parsed(TURNS));
    let (subject, finite) = (Subject::new(&model), Subject::new(&finite));
    for engine in [Engine::Kind, Engine::Pdr, Engine::Spacer] {
        let decide = |spec| decide_by(&subject, spec, &[engine], Duration::from_secs(60));
        assert!(matches!(decide(0), Verdict::Holds(Proof::Invariants(_))), "{engine}");
        let Verdict::Violated(counterexample) = decide(2) else { panic!("{engine}: n exceeds 3") };
        assert_eq!(counterexample.run().steps().len(), 7, "{engine}");
        let verdict = decide_by(&finite, 0, &[engine], Duration::from_secs(60));
        assert!(matches!(verdict, Verdict::Holds(Proof::Invariants(_))), "{engine}");
    }
}

/// What a prover says of a part of the shipped specs in a short time: often nothing, but never something wrong.
#[test]
fn provers_alone_contradict_no_expectation() {
    const EVERY: usize = 5;
    let provers = [Engine::Kind, Engine::Pdr, Engine::Spacer];
    let (mut number, mut decided) = (0, [0; 3]);
    for path in shipped().iter().filter(|path| path.display().to_string().contains("features")) {
        let model = model(&source(path));
        let subject = Subject::new(&model);
        for (index, spec) in model.specs.iter().enumerate() {
            number += 1;
            if number % EVERY != 0 {
                continue;
            }
            for (engine, decided) in provers.iter().zip(&mut decided) {
                let found = match decide_by(&subject, index, &[*engine], Duration::from_millis(500)) {
                    Verdict::Holds(_) => Expectation::Holds,
                    Verdict::Violated(_) => Expectation::Violated,
                    Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => continue,
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
    let Verdict::Holds(Proof::Invariants(certificate)) = decide(&subject, 0) else { panic!("it has invariants") };
    let claim = |part: &rcheck_smt::check::certificate::CertifiedPart| PartClaim {
        counted: 0,
        invariant: part.proof.invariant().clone(),
    };
    certificate.parts().iter().map(claim).collect()
}

fn confirm(model: &Model, spec: usize, claims: Vec<PartClaim>) -> Result<Certificate, NoCertificate> {
    with_context(&Stop::new(), || Certificate::confirm(model, spec, claims, Budget::new(None)))
}

#[test]
fn tampered_invariants_are_refused() {
    let model = parsed(COUNTERS);
    let good = claims(&model);
    assert!(confirm(&model, 0, good.clone()).is_ok());

    let mut missing = good.clone();
    missing.pop();
    assert_eq!(confirm(&model, 0, missing).err(), Some(NoCertificate::OtherSpec));
    assert!(confirm(&model, 2, vec![good[0].clone()]).is_err(), "a proof of another spec");

    let mut empty = good.clone();
    empty[0].invariant.clauses.clear();
    assert_eq!(confirm(&model, 0, empty).err(), Some(NoCertificate::NoProof(NoProof::NotSafe)));

    let mut contradictory = good.clone();
    let Invariant { terms, clauses, .. } = &mut contradictory[0].invariant;
    clauses.push(terms.bool(false));
    assert_eq!(confirm(&model, 0, contradictory).err(), Some(NoCertificate::NoProof(NoProof::NotInitial)));

    let mut initial_only = good;
    initial_only[0].invariant.k = 1;
    let system = rcheck_smt::property::base_system(&model);
    let init = system.init().to_vec();
    initial_only[0].invariant.clauses.extend(init);
    assert_eq!(confirm(&model, 0, initial_only).err(), Some(NoCertificate::NoProof(NoProof::NotInductive)));
}
