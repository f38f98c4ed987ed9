//! Models with certificates of all kinds, for those who alter these.

use crate::common::{COUNTERS, WATCHED, limits, parsed, patiently, read, source, with_work};
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::Verdict;
use rcheck_smt::limits::Stop;
use rcheck_smt::model::Model;
use rcheck_smt::source::SourceFile;
use rcheck_smt::verify::{Engine, Subject};
use serde_json::Value;

/// How much work it may be to decide a spec.
const WORK: u64 = 50_000_000;

/// Specs of [`COUNTERS`], and more: which hold.
const COUNTERS_MORE: &str = "
    SPEC G (one-n <= one-m)
    SPEC G (one-m <= one-n & one-n <= one-m)
    SPEC G (one-rise -> F (one-n < 0))
    SPEC F (G (one-n <= 5))
    SPEC G (one-n <= one-m + 2)
";
const COUNTERS_HOLD: [bool; 11] = [true, true, true, false, true, true, false, false, false, false, true];

/// Specs of [`WATCHED`], and which hold.
const WATCHED_SPECS: &str = "
    SPEC G ((w-seen > 1) -> K(w, c-n > 0))
    SPEC G ((w-seen > 0) -> K(w, c-n > 0))
    SPEC G ((w-seen > 2) -> K(w, c-n > 1))
    SPEC G K(w, c-n < 2)
    SPEC G K(c, w-seen < 2)
    SPEC G (c-n >= 0)
    SPEC G (c-n < 3)
";
const WATCHED_HOLD: [bool; 7] = [true, false, true, false, false, true, false];

/// A finite one, whose states can be visited and labelled; two of its agents are alike.
const FINITE: &str = "
    agent Switch
        local: n : 0..2, on : bool
        init: n = 0 & !on
        receive-guard: true
        repeat: (up: {n < 2} *! (true)()[n := n + 1] + turn: {n = 2} *! (true)()[n := 0, on := !on]
            + hear: {true} *? [on := on])
    system = Switch(a, true) || Switch(b, true)
    SPEC G (a-n <= 2) & G (F (a-up | b-up))
    SPEC G (a-n <= 1) & G (F (a-up | b-up))
    SPEC G (a-n <= 2) & G (F a-up)
    SPEC G (a-up -> F (a-turn | G !a-turn))
    SPEC G (a-up -> F a-turn)
    SPEC G K(a, a-n <= 2) & E(F (b-on))
    SPEC G K(a, b-n <= 1) & E(F (b-on))
    SPEC A(G !b-on)
    SPEC A(G (E(F b-on)))
    SPEC A(F (A(G b-on)))
    SPEC E(G (a-n = 0)) & G (b-on | !b-on)
";
const FINITE_HOLD: [bool; 11] = [true, false, false, true, false, true, false, false, true, false, true];

/// Any number of agents; added to the specs of a model that we ship.
const ANY_MORE: &str = "
    SPEC G (forall k : Worker . !k-token);
    SPEC G desk-here;
    SPEC forall k : Worker . G (k-token -> (F k-wants));
    SPEC G (forall k : Worker . k-token -> !desk-here);
";
const ANY_HOLD: [bool; 8] = [true, true, true, false, false, false, true, true];

/// A model, which of its specs hold, and evidence for these verdicts.
pub struct Subjects {
    pub model: Model,
    pub holds: Vec<bool>,
    pub certificates: Vec<Value>,
}

/// A model, which of its specs hold, and engines to ask, one group after the other.
type Way = (Model, &'static [bool], &'static [&'static [Engine]]);

/// Models with specs that nearly hold, or nearly do not, and certificates with evidence of all kinds.
pub fn subjects() -> Vec<Subjects> {
    let any = source("parametrised/token.rcp").text().to_owned() + ANY_MORE;
    let (any, _) = read(&SourceFile::new("any.rcp", any));
    let ways: [Way; 4] = [
        (parsed(&format!("{COUNTERS}{COUNTERS_MORE}")), &COUNTERS_HOLD, &[&[Engine::Pdr, Engine::Bmc]]),
        (parsed(&format!("{WATCHED}{WATCHED_SPECS}")), &WATCHED_HOLD, &[&Engine::ALL]),
        (parsed(FINITE), &FINITE_HOLD, &[&[Engine::Explicit], &[Engine::Bdd], &[Engine::Pdr, Engine::Bmc]]),
        (any.expect("a model"), &ANY_HOLD, &[&Engine::ALL]),
    ];
    let of = |(model, holds, ways): Way| {
        let subject = Subject::new(&model);
        let mut certificates = Vec::new();
        assert_eq!(model.specs.len(), holds.len());
        for (engines, spec) in ways.iter().flat_map(|way| (0..model.specs.len()).map(move |spec| (way, spec))) {
            let stop = Stop::new();
            let limits = limits(30, patiently(), &stop);
            let decided = with_work(WORK, || subject.prove(spec, engines, &limits).expect("no refusal").verdict);
            let Some(verdict @ (Verdict::Holds(_) | Verdict::Violated(_))) = decided else { continue };
            assert_eq!(matches!(verdict, Verdict::Holds(_)), holds[spec], "spec {}", spec + 1);
            // That a spec is violated is shown of an instance.
            if model.scheme().is_some() && !holds[spec] {
                continue;
            }
            let document = Document::new(&model, "m.rcp", spec, &verdict).expect("it is decided");
            certificates.push(serde_json::from_str(&document.write()).expect("JSON"));
        }
        drop(subject);
        Subjects { model, holds: holds.to_vec(), certificates }
    };
    ways.into_iter().map(of).collect()
}

/// The kind of evidence that a certificate has.
pub fn kind(certificate: &Value) -> &str {
    certificate["evidence"].as_object().and_then(|evidence| evidence.keys().next()).expect("evidence")
}
