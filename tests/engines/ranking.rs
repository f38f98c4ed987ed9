//! Liveness over unbounded integers by rankings, and their certificates.

use crate::common::{self, model, shipped, source, with_work};
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::queries::invariant::InvariantQueries;
use rcheck_smt::check::{self, ProofBy, Verdict};
use rcheck_smt::claim::Invariant;
use rcheck_smt::engine::Config;
use rcheck_smt::engine::rlive::{self, Liveness};
use rcheck_smt::limits::Stop;
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::model::spec::Expectation;
use rcheck_smt::model::{Formula, Model};
use rcheck_smt::product::target::{Reduction, Target, accepting};
use rcheck_smt::smt::{Scripts, with_context};
use rcheck_smt::source::SourceFile;
use rcheck_smt::ts::history::base_system;
use rcheck_smt::ts::smtlib::symbols::Symbols;
use rcheck_smt::ts::system::System;
use rcheck_smt::ts::term::Term;
use rcheck_smt::verify::{self, Engine, Subject};
use serde_json::{Value, json};

/// One agent with two integers; `steps` are its commands.
fn clock(steps: &str, specs: &str) -> Model {
    let text = format!(
        "message-structure: N : int
        agent Clock
            local: hours : int, minutes : int
            init: hours >= 0 & minutes >= 0
            receive-guard: chan = *
            repeat: ({steps})
        system = Clock(clock, true)
        {specs}"
    );
    model(&SourceFile::new("test.rcp", text))
}

/// Runs down: hours, and minutes in each hour. How often it steps is not bounded by any number.
fn running_down() -> Model {
    let tick = "tick: {minutes > 0} *! (false)(N := 0)[minutes := minutes - 1]";
    let hour = "hour: {minutes = 0 & hours > 0} *! (false)(N := 0)[hours := hours - 1, minutes := 59]";
    clock(&format!("{tick} + {hour}"), "SPEC F deadlock; SPEC G (F clock-minutes = 0)")
}

fn prove<'s>(subject: &'s Subject, spec: usize, engines: &[Engine]) -> Verdict<'s> {
    let stop = Stop::new();
    let limits = common::limits(usize::MAX, common::patiently(), &stop);
    subject.prove(spec, engines, &limits).expect("evidence that survives its check").verdict
}

/// The reductions of the parts of a proof.
fn reductions(verdict: &Verdict) -> Vec<Reduction> {
    match verdict.holds_by() {
        Some(ProofBy::Invariants(certificate)) => {
            certificate.parts().iter().map(|part| part.target.reduction).collect()
        }
        other => panic!("no proof by invariants: {other:?}"),
    }
}

#[test]
fn rankings_are_lexicographic() {
    let model = running_down();
    let subject = Subject::new(&model);
    for spec in 0..2 {
        let verdict = prove(&subject, spec, &[Engine::Kind]);
        assert_eq!(reductions(&verdict), [Reduction::Ranking(1)], "spec {}", spec + 1);
    }
}

#[test]
fn distances_and_conserved_sums_rank_shipped_models() {
    let liveness = [
        ("auction.rcp", "every_auction_ends"),
        ("bounded_buffer.rcp", "consumption_goes_on"),
        ("load_balancing.rcp", "every_run_ends"),
        ("ticket_lock.rcp", "calls_go_on"),
    ];
    for (file, name) in liveness {
        let model = model(&source(file));
        let spec = model.specs.iter().position(|spec| spec.name.as_deref() == Some(name)).expect("the spec");
        let subject = Subject::new(&model);
        let verdict = prove(&subject, spec, &[Engine::Kind]);
        assert_eq!(reductions(&verdict), [Reduction::Ranking(1)], "{file} {name}");
    }
}

#[test]
fn what_goes_on_is_not_ranked() {
    const WORK: u64 = 10_000_000;
    let go_on = [
        // Odd minutes jump over zero.
        "tick: {minutes != 0} *! (false)(N := 0)[minutes := minutes - 2]",
        // No bound below.
        "tick: {minutes < hours} *! (false)(N := 0)[minutes := minutes - 1]",
        // Each shrinks while the other grows.
        "tick: {minutes > 0} *! (false)(N := 0)[minutes := minutes - 1, hours := hours + 1]
         + tock: {hours > 0} *! (false)(N := 0)[minutes := minutes + 1, hours := hours - 1]",
        // The more significant one grows at times.
        "tick: {minutes > 0} *! (false)(N := 0)[minutes := minutes - 1]
         + tock: {minutes = 0} *! (false)(N := 0)[minutes := hours, hours := hours + 1]",
    ];
    for steps in go_on {
        let model = clock(steps, "SPEC F deadlock");
        let subject = Subject::new(&model);
        let verdict = with_work(WORK, || prove(&subject, 0, &[Engine::Kind, Engine::Pdr]));
        assert!(!matches!(verdict, Some(Verdict::Holds(_))), "{steps}: {verdict:?}");
    }
}

/// The answer of the search for shoals on a conjunct: true if the acceptance of its negation is seen finitely often.
/// Nothing for safety, and if it stops early. A proof has to survive its check.
fn seen_finitely(model: &Model, system: &System, formula: &Formula) -> Option<bool> {
    let (stop, budget) = (Stop::new(), common::patiently());
    let config = Config { budget, stop: &stop, progress: &|_| {} };
    let accepting = accepting(model, system.clone(), formula)?;
    let found = match with_context(&stop, || rlive::run(&accepting, &[], config)).ok()? {
        Liveness::Infinitely(_) => return Some(false),
        Liveness::Finitely(found) => found,
    };
    let mut memo = Default::default();
    let mut reached = Target::simplest(model, system, formula, 1, &found.ranking);
    let import = |&clause| reached.system.terms_mut().import(&found.ranking.terms, clause, &mut memo);
    let mut clauses: Vec<Term> = found.invariants.iter().map(import).collect();
    for id in reached.system.var_ids().skip(accepting.system.variables().len()) {
        let counter = reached.system.var_term(id);
        clauses.push(reached.system.terms_mut().not(counter));
    }
    let invariant = Invariant { terms: reached.system.terms().clone(), clauses, k: 1 };
    let (system, symbols) = (&reached.system, &Symbols::new(model, &reached.system));
    let question = InvariantQueries { system, symbols, bad: reached.bad, invariant: &invariant };
    let proof = check::invariant::Proof::confirm(question, &Scripts { budget, stop: &stop });
    assert!(proof.is_ok(), "{:?}", proof.err());
    Some(true)
}

#[test]
fn shoals_agree_with_what_is_expected() {
    const WORK: u64 = 10_000_000;
    let mut answers = [0, 0];
    for path in shipped().iter().filter(|path| path.display().to_string().contains("features")) {
        let model = model(&source(path));
        let system = base_system(&model);
        for spec in &model.specs {
            let finitely = |formula: &Formula| with_work(WORK, || seen_finitely(&model, &system, formula))?;
            let parts: Vec<Option<bool>> = spec.formula.conjuncts().iter().map(finitely).collect();
            if parts.iter().any(|part| part.is_some()) {
                let violated = parts.contains(&Some(false));
                let holds = parts.iter().all(|part| *part == Some(true));
                let name = format!("{} {:?}", path.display(), spec.name);
                assert!(!violated || spec.expect == Some(Expectation::Violated), "{name}");
                assert!(!holds || spec.expect == Some(Expectation::Holds), "{name}");
                answers[usize::from(holds)] += usize::from(holds || violated);
            }
        }
    }
    assert!(answers.iter().all(|&number| number > 3), "{answers:?}");
}

/// The certificate of a spec as a document that can be altered.
fn certificate(model: &Model, spec: usize) -> Value {
    let subject = Subject::new(model);
    let verdict = prove(&subject, spec, &[Engine::Kind]);
    let document = Document::new(model, "test.rcp", spec, &verdict).expect("it is decided");
    serde_json::from_str(&document.write()).expect("JSON")
}

/// The answer of the check of a certificate.
fn checked(model: &Model, certificate: &Value) -> Result<(), String> {
    let document = Document::read(&certificate.to_string()).map_err(|error| error.to_string())?;
    let semantics = Semantics::new(model);
    let certified = verify::certify(&document, &semantics, common::patiently());
    certified.map(|_| ()).map_err(|why| why.to_string())
}

#[test]
fn altered_rankings_are_refused() {
    let model = running_down();
    let mut good = certificate(&model, 0);
    assert_eq!(checked(&model, &good), Ok(()));
    // More than any of the rankings below needs.
    let clauses = ["(<= 0 clock-hours)", "(<= 0 clock-minutes)", "obligation-0", "(not counter-0)", "(not counter-1)"];
    good["evidence"]["invariants"][0]["clauses"] = json!(clauses);
    let with = |counted: usize, components: &[&str]| {
        let mut altered = good.clone();
        altered["evidence"]["invariants"][0]["reduction"] =
            json!({"ranking": {"counted": counted, "components": components}});
        checked(&model, &altered)
    };
    let refused = |counted: usize, components: &[&str], words: &str| match with(counted, components) {
        Ok(()) => panic!("{components:?} are accepted"),
        Err(why) => assert!(why.contains(words), "not because `{words}`: {why}"),
    };
    assert_eq!(with(1, &["clock-hours", "clock-minutes"]), Ok(()));
    assert_eq!(with(1, &["(+ (* 60 clock-hours) clock-minutes)"]), Ok(()));
    refused(1, &["clock-minutes", "clock-hours"], "the certificate does not prove its verdict");
    refused(1, &["clock-hours"], "the certificate does not prove its verdict");
    refused(1, &["(- clock-hours 2)", "clock-minutes"], "the certificate does not prove its verdict");
    refused(0, &["clock-hours", "clock-minutes"], "nothing is called `counter-1`");
    refused(1, &[], "the reduction does not fit");
    refused(1, &["(< clock-hours 3)"], "component 1: it is no integer");
    refused(1, &["clock-hours", "clock-seconds"], "component 2: at character 1: nothing is called `clock-seconds`");
    refused(1, &["(ite counter-0 1 0)"], "nothing is called `counter-0`");
    refused(1, &["(ite (= event event.clock-tick) 1 0)"], "nothing is called `event`");
    refused(5000, &["clock-hours"], "no more than 1000 is checked");
}
