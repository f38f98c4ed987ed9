//! Wrong claims, of provers made for these tests, do not end a verification.

use super::*;
use crate::claim::{Invariant, SafetyClaim, Trace};
use crate::engine::{Config, SafetyQuestion};
use crate::limits::Reason;
use crate::model::of_text::model;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Answers without a search.
struct FakeProver(Engine, fn(SafetyQuestion, Config) -> SafetyClaim);

impl Prover for FakeProver {
    fn engine(&self) -> Engine {
        self.0
    }

    fn run(&self, question: SafetyQuestion, config: Config) -> SafetyClaim {
        (self.1)(question, config)
    }
}

/// Claims that nothing bad can be reached, whatever is asked.
fn proves(question: SafetyQuestion, _: Config) -> SafetyClaim {
    let mut terms = question.system.terms().clone();
    let clauses = vec![terms.not(question.bad)];
    SafetyClaim::Unreachable(Invariant { terms, clauses, k: 1 })
}

/// Claims that the initial state is bad, whatever is asked.
fn refutes(_: SafetyQuestion, _: Config) -> SafetyClaim {
    SafetyClaim::Reached(Some(Trace { initial: Vec::new(), choices: Vec::new(), loop_start: None }))
}

/// Does not return until it has to.
fn waits(_: SafetyQuestion, config: Config) -> SafetyClaim {
    config.stop.sleep(Duration::MAX / 4);
    SafetyClaim::Unknown(Reason::Interrupted)
}

fn panics(_: SafetyQuestion, _: Config) -> SafetyClaim {
    panic!("a prover that is broken")
}

static OPTIMIST: FakeProver = FakeProver(Engine::Pdr, proves);
static PESSIMIST: FakeProver = FakeProver(Engine::Pdr, refutes);
static OTHER_OPTIMIST: FakeProver = FakeProver(Engine::Kind, proves);
static PATIENT: FakeProver = FakeProver(Engine::Kind, waits);
static BROKEN: FakeProver = FakeProver(Engine::Spacer, panics);

/// Two that are always the same. The first spec is true, but not kept by every step alone.
const CLOCKS: &str = "agent A
        local: n : 0..9, m : 0..9
        init: n = 0 & m = 0
        receive-guard: false
        repeat: (up: {n < 9} *! (true)()[n := n + 1, m := m + 1] + wrap: {n = 9} *! (true)()[n := 0, m := 0])
    system = A(a, true)
    SPEC G !(a-n = 3 & a-m = 4)
    SPEC G !(a-n = 5 & a-m = 5)";
const HOLDS: usize = 0;
const VIOLATED: usize = 1;

const PATIENCE: Duration = Duration::from_secs(1800);

/// PDR is wrong.
fn optimistic(engine: Engine) -> Option<&'static dyn Prover> {
    if engine == Engine::Pdr { Some(&OPTIMIST) } else { engine.prover() }
}

fn pessimistic(engine: Engine) -> Option<&'static dyn Prover> {
    if engine == Engine::Pdr { Some(&PESSIMIST) } else { engine.prover() }
}

/// All provers are wrong, and contradict each other.
fn quarrelsome(engine: Engine) -> Option<&'static dyn Prover> {
    match engine {
        Engine::Kind => Some(&OTHER_OPTIMIST),
        Engine::Pdr | Engine::Spacer => Some(&PESSIMIST),
        _ => engine.prover(),
    }
}

type Provers = fn(Engine) -> Option<&'static dyn Prover>;

/// True if the spec holds, or else why it is not known; and what was reported.
fn asked(provers: Provers, spec: usize, engines: &[Engine]) -> (Result<Option<bool>, String>, Vec<String>) {
    let model = model(CLOCKS);
    let subject = Subject { provers, ..Subject::new(&model) };
    let (stop, reported) = (Stop::new(), Mutex::new(Vec::new()));
    let refused = |why: &Refused| lock(&reported).push(why.to_string());
    let limits = Limits { refused: &refused, ..Limits::new(Budget::new(Some(PATIENCE)), &stop) };
    let result = subject.prove(spec, engines, &limits).map_err(|why| why.to_string()).map(|outcome| {
        assert_ne!(outcome.engines, [Engine::Pdr], "whose claims are wrong");
        match outcome.verdict {
            Verdict::Holds(_) => Some(true),
            Verdict::Violated(_) => Some(false),
            Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => None,
        }
    });
    (result, reported.into_inner().expect("no panic before"))
}

#[test]
fn a_wrong_claim_leaves_the_answers_of_others_standing() {
    for provers in [optimistic as Provers, pessimistic] {
        for other in [Engine::Kind, Engine::Spacer] {
            let (answer, reported) = asked(provers, HOLDS, &[Engine::Pdr, other]);
            assert_eq!(answer, Ok(Some(true)), "{other}");
            assert!(reported.iter().all(|why| why.starts_with("pdr: ")), "{reported:?}");
            assert!(!reported.is_empty() || other == Engine::Spacer);
        }
        for other in [Engine::Bmc, Engine::Kind] {
            let (answer, reported) = asked(provers, VIOLATED, &[Engine::Pdr, other]);
            assert_eq!(answer, Ok(Some(false)), "{other}");
            assert!(!reported.is_empty());
        }
        for (spec, holds) in [(HOLDS, true), (VIOLATED, false)] {
            assert_eq!(asked(provers, spec, &Engine::ALL).0, Ok(Some(holds)));
        }
    }
}

#[test]
fn wrong_claims_alone_are_an_internal_error() {
    for (provers, words) in [(optimistic as Provers, "the invariant"), (pessimistic, "")] {
        for spec in [HOLDS, VIOLATED] {
            let (answer, reported) = asked(provers, spec, &[Engine::Pdr]);
            let why = answer.expect_err("every claim is wrong");
            assert!(why.starts_with("pdr: ") && why.contains(words), "{why}");
            assert_eq!(why, reported.join("; "));
        }
    }
}

#[test]
fn provers_that_contradict_each_other_leave_the_answers_of_others_standing() {
    for (spec, holds) in [(HOLDS, true), (VIOLATED, false)] {
        let (answer, _) = asked(quarrelsome, spec, &[Engine::Kind, Engine::Pdr, Engine::Explicit]);
        assert_eq!(answer, Ok(Some(holds)));
    }
    let (answer, reported) = asked(quarrelsome, HOLDS, &[Engine::Kind, Engine::Pdr]);
    assert!(answer.is_err() && reported.len() > 1, "{answer:?} {reported:?}");
}

#[test]
fn a_panic_stops_all_provers() {
    fn broken(engine: Engine) -> Option<&'static dyn Prover> {
        match engine {
            Engine::Kind => Some(&PATIENT),
            Engine::Spacer => Some(&BROKEN),
            _ => None,
        }
    }
    let panic = catch_unwind(|| asked(broken, HOLDS, &[Engine::Kind, Engine::Spacer])).expect_err("a panic");
    assert_eq!(panic.downcast_ref(), Some(&"a prover that is broken"));
}

/// Is PDR, and counts the questions.
struct Counting(AtomicUsize);

impl Prover for Counting {
    fn engine(&self) -> Engine {
        Engine::Pdr
    }

    fn run(&self, question: SafetyQuestion, config: Config) -> SafetyClaim {
        self.0.fetch_add(1, Ordering::Relaxed);
        Engine::Pdr.prover().expect("PDR is a prover").run(question, config)
    }
}

/// Agents that are alike but for their channel, whose steps two specs are about: as conditions on states, and on what has
/// to follow under assumptions that name all of them.
const ALIKE: &str = "enum channel {c1, c2, c3}
    agent A
        local: own : channel, n : 0..9, m : 0..9
        init: n = 0 & m = 0
        receive-guard: false
        repeat: (up: {n < 9} own! (true)()[n := n + 1, m := m + 1] + wrap: {n = 9} own! (true)()[n := 0, m := 0])
    system = A(a1, own = c1) || A(a2, own = c2) || A(a3, own = c3)
    SPEC forall k : A . G !(k-n = 3 & k-m = 4)
    SPEC forall k : A . G (k-own = c1 | k-own = c2 -> k-n = k-m)
    SPEC forall k : A . G (k-n = 3 -> X (k-n = 3 | k-n = 4))
    SPEC forall k : A . G ((forall j : A . j-n = 3) -> X (k-n = 3 | k-n = 4))";

#[test]
fn conjuncts_that_are_alike_are_proved_once() {
    static ASKED: Counting = Counting(AtomicUsize::new(0));
    let model = model(ALIKE);
    let subject = Subject { provers: |_| Some(&ASKED), ..Subject::new(&model) };
    for (spec, questions) in [(0, 1), (1, 2), (2, 1), (3, 1)] {
        let stop = Stop::new();
        let refused = |why: &Refused| panic!("spec {spec}: {why}");
        let limits = Limits { refused: &refused, ..Limits::new(Budget::new(Some(PATIENCE)), &stop) };
        ASKED.0.store(0, Ordering::Relaxed);
        let outcome = subject.prove(spec, &[Engine::Pdr], &limits).expect("no wrong claims");
        assert!(matches!(outcome.verdict, Verdict::Holds(_)), "spec {spec}");
        assert_eq!(ASKED.0.load(Ordering::Relaxed), questions, "spec {spec}");
    }
}
