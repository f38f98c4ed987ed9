//! Every phase keeps every limit. A limit that is exceeded from the beginning has to end it at once, so nothing here
//! depends on how fast the machine is; what depends on sizes is counted.
//!
//! This is a program of its own, because it says of the whole process that its memory is full.

mod common;

use common::{COUNTERS, parsed, source};
use rcheck_smt::certificate_file::{CertificateError, Document};
use rcheck_smt::check::{Counterexample, Verdict, explicit::confirm};
use rcheck_smt::claim::explicit::ExplicitClaim;
use rcheck_smt::engine::explicit;
use rcheck_smt::limits::{self, Budget, Exceeded, Reason, Stop, spawn};
use rcheck_smt::model;
use rcheck_smt::model::eval::{Run, Semantics};
use rcheck_smt::product::target::Target;
use rcheck_smt::property::Property;
use rcheck_smt::report::human::{self, Options};
use rcheck_smt::report::trace::Detail;
use rcheck_smt::simulate::batch;
use rcheck_smt::syntax;
use rcheck_smt::trace_file::{self, About, Format};
use rcheck_smt::ts::history::base_system;
use rcheck_smt::ts::ranking::Ranking;
use rcheck_smt::verify::opinion::sample::Sample;
use rcheck_smt::verify::{self, Engine, Limits, Subject};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The memory limit is one of the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that the memory is full as long as it lives.
struct Full;

impl Full {
    fn now() -> Full {
        limits::set_full(true);
        Full
    }
}

impl Drop for Full {
    fn drop(&mut self) {
        limits::set_full(false);
    }
}

/// A spec that holds by invariants, one that holds by exploration, one that is violated.
const MODEL: &str = "
    agent Cell
        local: x : 0..3, up : bool
        init: x = 0 & up
        receive-guard: chan = *
        repeat: (
            more: {up & x < 3} *! (true)()[x := x + 1]
            + less: {x > 0} *! (true)()[x := x - 1, up := false]
            + hear: {true} *? []
        )
    system = Cell(one, true) || Cell(other, true)
    // name: bounded
    SPEC G (one-x <= 3)
    // name: falls
    SPEC G (F (one-x <= 2 | other-x <= 3))
    // name: low
    SPEC G (one-x < 2)
";

/// The phases of the way from a text to a report, each as work that cannot say that it gives up.
fn phases(ask: &dyn Fn(&str, &dyn Fn())) {
    let text = source("auction.rcp");
    ask("parsing", &|| drop(syntax::parse(&text, None)));
    let tree = syntax::parse(&text, None).model;
    ask("elaboration", &|| drop(model::elaborate(&tree)));
    let model = parsed(MODEL);
    ask("lowering", &|| drop(base_system(&model)));
    let system = base_system(&model);
    ask("translation", &|| drop(Property::new(&model, &mut system.clone(), &model.specs[1])));
    ask("the product", &|| drop(Target::simplest(&model, &system, &model.specs[1].formula, 1, &Ranking::default())));
    let semantics = Semantics::new(&model);
    ask("the sample", &|| drop(Sample::new(&semantics)));
    ask("random runs", &|| drop(batch::run(&semantics, 20, 1)));
    let (formula, violated) = (&model.specs[1].formula, &model.specs[2].formula);
    let claim = |formula| explicit::run(&semantics, formula, explicit::Config::default());
    let ExplicitClaim::Holds(certificate) = claim(formula) else { panic!("it holds") };
    ask("checking explorations", &|| drop(confirm(&semantics, formula, certificate.clone().into(), 1)));
    let ExplicitClaim::Violated(trace) = claim(violated) else { panic!("it is violated") };
    ask("checking counterexamples", &|| drop(Counterexample::confirm(&semantics, violated, &trace)));
    let counterexample = Counterexample::confirm(&semantics, violated, &trace).expect("a counterexample");
    let file = written(counterexample.run());
    ask("reading traces", &|| drop(trace_file::read(&semantics, &file)));
    let subject = Subject::new(&model);
    let outcome = ask_engines(&subject, 2, &Engine::ALL, Budget::new(None), &Stop::new());
    let source = rcheck_smt::source::SourceFile::new("test.rcp", MODEL);
    let options = Options { source: &source, detail: Detail::Full, statistics: true };
    ask("reporting", &|| human::write_outcome(&mut Vec::new(), &model, 2, &outcome, options).expect("in memory"));
}

fn written(run: &Run) -> String {
    let about = About { model_file: "test.rcp".to_owned(), description: String::new(), round: None };
    let mut text = Vec::new();
    trace_file::write(&mut text, run, &about, Format::Json).expect("in memory");
    String::from_utf8(text).expect("JSON is UTF-8")
}

fn ask_engines<'s>(
    subject: &'s Subject,
    spec: usize,
    engines: &[Engine],
    budget: Budget,
    stop: &Stop,
) -> verify::Outcome<'s> {
    let limits = Limits { bound: usize::MAX, budget, stop, progress: &|_| {}, refused: &|why| panic!("{why}") };
    subject.prove(spec, engines, &limits).expect("no claim is refused")
}

#[test]
fn phases_without_limits_end() {
    let _alone = alone();
    phases(&|name, work| assert_eq!(limits::Limits::default().within(work), Ok(()), "{name}"));
}

#[test]
fn phases_end_with_their_time() {
    let _alone = alone();
    let over = || limits::Limits { deadline: Some(Instant::now()), ..limits::Limits::default() };
    phases(&|name, work| assert_eq!(over().within(work), Err(Exceeded::Time), "{name}"));
}

#[test]
fn phases_end_when_asked_to_stop() {
    let _alone = alone();
    let asked = || limits::Limits { signals: vec![Arc::new(AtomicBool::new(true))], ..limits::Limits::default() };
    phases(&|name, work| assert_eq!(asked().within(work), Err(Exceeded::Stopped), "{name}"));
}

#[test]
fn phases_end_when_the_memory_is_full() {
    let _alone = alone();
    phases(&|name, work| {
        let _full = Full::now();
        assert_eq!(limits::Limits::default().within(work), Err(Exceeded::Memory), "{name}");
    });
}

/// Each engine alone, and all of them.
fn portfolios() -> Vec<Vec<Engine>> {
    Engine::ALL.into_iter().map(|engine| vec![engine]).chain([Engine::ALL.to_vec()]).collect()
}

/// The first reason, whatever is said of it besides.
fn plain(reason: &Reason) -> &Reason {
    match reason {
        Reason::Detailed(reason, _) => plain(reason),
        plain => plain,
    }
}

#[test]
fn engines_end_with_their_time_and_when_asked_to_stop() {
    let _alone = alone();
    let model = parsed(COUNTERS);
    let subject = Subject::new(&model);
    let (set, unset) = (Stop::new(), Stop::new());
    set.set();
    let over = || Budget::new(Some(Duration::ZERO));
    for engines in portfolios() {
        for spec in [0, 2] {
            for (budget, stop, expected) in
                [(over(), &unset, Reason::Timeout), (Budget::new(None), &set, Reason::Interrupted)]
            {
                let outcome = ask_engines(&subject, spec, &engines, budget, stop);
                let Verdict::Unknown { reason, .. } = &outcome.verdict else {
                    panic!("{engines:?}: decided in no time")
                };
                let allowed = [&expected, &Reason::Interrupted].contains(&plain(reason));
                assert!(allowed || matches!(reason, Reason::Engine(_)), "{engines:?} on spec {spec}: {reason}");
            }
        }
    }
}

#[test]
fn engines_end_when_the_memory_is_full() {
    let _alone = alone();
    let model = parsed(COUNTERS);
    let subject = Subject::new(&model);
    let _full = Full::now();
    for engines in portfolios() {
        let outcome = ask_engines(&subject, 0, &engines, Budget::new(None), &Stop::new());
        let Verdict::Unknown { .. } = &outcome.verdict else { panic!("{engines:?}: decided without memory") };
    }
}

#[test]
fn certifying_ends_with_its_time() {
    let _alone = alone();
    let model = parsed(COUNTERS);
    let subject = Subject::new(&model);
    let outcome = ask_engines(&subject, 0, &Engine::ALL, Budget::new(None), &Stop::new());
    let document = Document::new(&model, "test.rcp", 0, &outcome.verdict).expect("it is decided");
    let document = Document::read(&document.write()).expect("as it was written");
    let semantics = Semantics::new(&model);
    let over = limits::Limits { deadline: Some(Instant::now()), ..limits::Limits::default() };
    let abandoned = over.within(|| verify::certify(&document, &semantics, Budget::new(None)).map(|_| ()));
    assert_eq!(abandoned, Err(Exceeded::Time));
    let refused = verify::certify(&document, &semantics, Budget::new(Some(Duration::ZERO))).map(|_| ());
    assert!(matches!(refused, Err(CertificateError::Unknown(_))), "{refused:?}");
}

/// The outcome for a certificate with another clause.
fn with_clause(clause: String) -> Result<Result<(), CertificateError>, Exceeded> {
    let model = parsed(COUNTERS);
    let subject = Subject::new(&model);
    let outcome = ask_engines(&subject, 1, &[Engine::Pdr], Budget::new(None), &Stop::new());
    let document = Document::new(&model, "test.rcp", 1, &outcome.verdict).expect("it is decided");
    let mut document: serde_json::Value = serde_json::from_str(&document.write()).expect("JSON");
    let clauses = document.pointer_mut("/evidence/invariants/0/clauses").and_then(|clauses| clauses.as_array_mut());
    clauses.expect("an invariant").push(clause.into());
    let document = Document::read(&document.to_string()).expect("as it was written");
    let semantics = Semantics::new(&model);
    thread::scope(|scope| {
        let check = || verify::certify(&document, &semantics, Budget::new(None)).map(|_| ());
        spawn(scope, move || limits::Limits::default().within(check)).join().expect("no panic")
    })
}

/// `let`s, each of which uses the one before it.
fn lets(size: usize, first: &str, step: impl Fn(usize) -> String, body: &str) -> String {
    let more: String = (1..size).map(|index| format!("(let ((h{index} {})) ", step(index - 1))).collect();
    format!("(let ((h0 {first})) {more}{}{}", body.replace('@', &format!("h{}", size - 1)), ")".repeat(size))
}

#[test]
fn certificates_that_square_numbers_are_given_up() {
    let _alone = alone();
    let squares = lets(60, "9", |at| format!("(* h{at} h{at})"), "(<= @ one-n)");
    assert_eq!(with_clause(squares), Err(Exceeded::Integers));
    let digits = format!("(<= {} one-n)", "9".repeat(2_000_000));
    assert_eq!(with_clause(digits), Err(Exceeded::Integers));
}

/// As trees they have 2^100 nodes.
#[test]
fn certificates_with_shared_terms_are_read_in_shared_form() {
    let _alone = alone();
    let choices = lets(100, "one-n", |at| format!("(ite (<= h{at} one-m) (+ h{at} 1) (- h{at}))"), "(<= @ @)");
    assert_eq!(with_clause(choices), Ok(Ok(())));
}

#[test]
fn certificates_that_are_too_deep_or_too_wide_are_refused() {
    let _alone = alone();
    let deep = lets(120_000, "(<= 0 one-n)", |at| format!("(xor h{at} (<= {at} one-n))"), "@");
    let wide: Vec<String> = (0..5_000).map(|at| format!("(+ one-n {at})")).collect();
    for (clause, words) in
        [(deep, "nested deeper"), (format!("(distinct {})", wide.join(" ")), "cannot have 5000 operands")]
    {
        match with_clause(clause) {
            Ok(Err(CertificateError::Unfit(why))) => assert!(why.contains(words), "{why}"),
            other => panic!("{other:?}"),
        }
    }
}

/// The last values of `x` have as many bits as there are steps, and more.
const SQUARES: &str = "
    agent A
        local: x : int
        init: x = 2
        repeat: (s: {true} *! (true)()[x := x * x])
    system = A(a, true)
    SPEC G a-x != 77
";

#[test]
fn numbers_that_explode_end_the_exploration() {
    let _alone = alone();
    let model = parsed(SQUARES);
    let semantics = Semantics::new(&model);
    let claim = explicit::run(&semantics, &model.specs[0].formula, explicit::Config::default());
    let ExplicitClaim::Unknown { reason, states } = claim else { panic!("no engine can visit all: {claim:?}") };
    assert_eq!(reason, rcheck_smt::claim::explicit::Incomplete::Exceeded(Exceeded::Integers));
    assert!((10..100).contains(&states), "{states}");
}

#[test]
fn numbers_that_explode_keep_no_engine_from_a_proof() {
    let _alone = alone();
    let model = parsed(SQUARES);
    let subject = Subject::new(&model);
    let outcome = ask_engines(&subject, 0, &Engine::ALL, common::patiently(), &Stop::new());
    assert!(matches!(outcome.verdict, Verdict::Holds(_)), "{:?}", outcome.verdict);
}

/// `F p1 <-> F p2 <-> ..`
fn equivalences(count: usize) -> String {
    let parts: Vec<String> = (0..count).map(|value| format!("(F a-x = {value})")).collect();
    format!(
        "agent A
            local: x : int
            init: x = 0
            repeat: (s: {{true}} *! (true)()[x := x + 1])
        system = A(a, true)
        SPEC {}",
        parts.join(" <-> ")
    )
}

/// Twice as many are translated to about twice as much, by engines and checks.
#[test]
fn equivalences_are_translated_in_shared_form() {
    let _alone = alone();
    let sizes = |count| {
        let model = parsed(&equivalences(count));
        let mut system = base_system(&model);
        let property = Property::new(&model, &mut system, &model.specs[0]);
        let formulas = property.ltl.subformulas(property.parts[0].negation).len();
        let target = Target::simplest(&model, &base_system(&model), &model.specs[0].formula, 1, &Ranking::default());
        (formulas, target.system.terms().count())
    };
    let ((one, one_checked), (two, two_checked)) = (sizes(30), sizes(60));
    assert!(two <= 3 * one, "{one} formulas became {two}");
    assert!(two_checked <= 3 * one_checked, "{one_checked} terms became {two_checked}");
}

/// Not with 2^24 alternatives: some steps are unrolled at once.
#[test]
fn equivalences_are_encoded_in_shared_form() {
    let _alone = alone();
    let model = parsed(&equivalences(24));
    let subject = Subject::new(&model);
    let (budget, stop) = (common::patiently(), Stop::new());
    let limits = Limits { bound: 2, budget, stop: &stop, progress: &|_| {}, refused: &|why| panic!("{why}") };
    let outcome = subject.bmc(0, &limits).expect("no claim is refused");
    let decided = !matches!(outcome.verdict, Verdict::Unknown { .. });
    assert!(decided, "{:?}", outcome.verdict);
}

/// Guards that call each other may be small one by one.
#[test]
fn guards_are_refused_before_they_fill_the_memory() {
    let _alone = alone();
    let guard = |index: usize| format!("guard g{index}(v : int) := !(g{}(v + 1) | v = {index});", index - 1);
    let guards: Vec<String> = (1..600).map(guard).collect();
    let text = format!(
        "guard g0(v : int) := v > 0;
        {}
        agent A
            local: x : int
            init: x = 0
            repeat: (s: {{g599(x)}} *! (true)()[x := x + 1])
        system = A(a, true)",
        guards.join("\n")
    );
    let source = rcheck_smt::source::SourceFile::new("test.rcp", text);
    let (model, found) = common::read(&source);
    assert!(model.is_none() && found.iter().any(|finding| finding.message.contains("more than the tool handles")));
    let first = found.iter().map(|finding| finding.span.start).min().expect("a finding");
    assert!((first as usize) < source.text().len() / 2, "all guards were expanded first");
}

/// A search that is stopped while it works ends.
#[test]
fn a_search_ends_when_it_is_stopped_in_its_midst() {
    let _alone = alone();
    let model = parsed(&equivalences(40));
    let (stop, begun) = (Stop::new(), AtomicBool::new(false));
    let verdict = thread::scope(|scope| {
        let search = spawn(scope, || {
            let subject = Subject::new(&model);
            let progress = |_| begun.store(true, Ordering::Relaxed);
            let limits = Limits {
                bound: usize::MAX,
                budget: Budget::new(None),
                stop: &stop,
                progress: &progress,
                refused: &|why| panic!("{why}"),
            };
            matches!(
                subject.prove(0, &[Engine::Explicit], &limits).expect("no claim is refused").verdict,
                Verdict::Unknown { .. }
            )
        });
        stop.sleep(Duration::from_millis(50));
        stop.set();
        search.join().expect("no panic")
    });
    assert!(verdict);
}
