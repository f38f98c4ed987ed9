//! Files made to harm: mutated certificates, traces and models. Nothing panics, nothing overflows, small
//! limits are kept, and nothing forged is accepted. A share runs with all tests; `scripts/nightly-hostile` runs more.
//!
//! With `RCHECK_HOSTILE=N` there are N certificates, as many traces, and a fifth as many models; with `RCHECK_SEED`
//! other ones.

use crate::common::{COUNTERS, model, parsed, patiently, read, shipped, source, with_work};
use crate::subjects::{Subjects, kind, subjects};
use fastrand::Rng;
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::Verdict;
use rcheck_smt::limits::{self, Stop, spawn};
use rcheck_smt::model::Model;
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::source::SourceFile;
use rcheck_smt::trace_file::{self, About, Format};
use rcheck_smt::verify::{self, Engine, Limits, Subject};
use serde_json::Value;
use std::thread;

/// How much work one file may be.
const WORK: u64 = 4_000_000;

/// How many certificates.
pub fn count() -> usize {
    const WITH_ALL_TESTS: usize = 60;
    std::env::var("RCHECK_HOSTILE").ok().map_or(WITH_ALL_TESTS, |count| count.parse().expect("a number"))
}

pub fn random() -> Rng {
    Rng::with_seed(std::env::var("RCHECK_SEED").ok().map_or(1, |seed| seed.parse().expect("a number")))
}

/// With the stack that the tool gives to its work.
pub fn with_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| spawn(scope, work).join().unwrap_or_else(|panicked| std::panic::resume_unwind(panicked)))
}

/// Terms that are short and large, or deep, over `a`, of which nothing is known but that it is an integer.
fn hostile_terms(a: &str, random: &mut Rng) -> String {
    let size = [10, 30, 60, 3000, 20_000][random.usize(0..5)];
    let lets = |first: &str, step: &dyn Fn(usize) -> String, body: &str| {
        let more: String = (1..size).map(|index| format!("(let ((h{index} {})) ", step(index - 1))).collect();
        format!("(let ((h0 {first})) {more}{}{}", body.replace('@', &format!("h{}", size - 1)), ")".repeat(size))
    };
    match random.usize(0..7) {
        0 => lets("9", &|at| format!("(* h{at} h{at})"), &format!("(<= @ {a})")),
        1 => lets(a, &|at| format!("(ite (<= h{at} {a}) (+ h{at} 1) (- h{at}))"), "(<= 0 @)"),
        2 => lets(a, &|at| format!("(ite (<= h{at} {at}) h{at} {at})"), "(<= 0 @)"),
        3 => lets(&format!("(<= 0 {a})"), &|at| format!("(xor h{at} (<= {at} {a}))"), "@"),
        4 => format!("(distinct {})", (0..size).map(|at| format!("(+ {a} {at})")).collect::<Vec<_>>().join(" ")),
        5 => format!("(<= 0 {}{a}{})", "(- ".repeat(size), ")".repeat(size)),
        _ => format!("(= {a} {})", "9".repeat(size)),
    }
}

/// Replaces a random part of a document.
pub fn mutate(value: &mut Value, random: &mut Rng) {
    match value {
        Value::Array(list) if !list.is_empty() && random.u32(0..8) > 0 => {
            let at = random.usize(0..list.len());
            match random.u32(0..10) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                2 => list.swap(0, at),
                _ => mutate(&mut list[at], random),
            }
        }
        Value::Object(map) if !map.is_empty() && random.u32(0..8) > 0 => {
            let key = map.keys().nth(random.usize(0..map.len())).expect("a key").clone();
            match random.u32(0..20) {
                0 => drop(map.remove(&key)),
                _ => mutate(&mut map[&key], random),
            }
        }
        Value::String(text) => *text = mutated_text(text, random),
        Value::Number(number) => {
            let near = number.as_i64().unwrap_or(0).wrapping_add(random.i64(-2..=2));
            *value = [near, 0, -1, i64::MAX, 1 << 32][random.usize(0..5)].into();
        }
        other => *other = [Value::Null, true.into(), false.into(), 7.into(), "".into()][random.usize(0..5)].clone(),
    }
}

/// Replaces, removes or doubles words.
fn mutated_text(text: &str, random: &mut Rng) -> String {
    const WORDS: [&str; 24] = [
        "true",
        "false",
        "0",
        "1",
        "-1",
        "and",
        "or",
        "not",
        "xor",
        "=>",
        "=",
        "<=",
        "<",
        "+",
        "-",
        "*",
        "ite",
        "div",
        "mod",
        "distinct",
        "let",
        "(",
        ")",
        "99999999999999999999",
    ];
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<&str> = spaced.split_whitespace().collect();
    if words.is_empty() {
        return WORDS[random.usize(0..WORDS.len())].to_owned();
    }
    for _ in 0..random.usize(1..4) {
        let (at, other) = (random.usize(0..words.len()), random.usize(0..words.len()));
        match random.u32(0..5) {
            0 if words.len() > 1 => drop(words.remove(at)),
            1 => words.insert(at, words[other]),
            2 => words.swap(at, other),
            _ => words[at] = WORDS[random.usize(0..WORDS.len())],
        }
        words.truncate(words.len().max(1));
    }
    words.join(" ")
}

/// Models with certificates of all kinds.
fn models() -> Vec<(String, Model)> {
    let files = [
        "bank.rcp",
        "bounded_buffer.rcp",
        "ticket_lock.rcp",
        "features/temporal_operators.rcp",
        "features/fairness.rcp",
        "knowledge/bit_transmission.rcp",
        "knowledge/versions.rcp",
    ];
    let shipped = files.into_iter().map(|name| (name.to_owned(), model(&source(name))));
    shipped.chain([("counters".to_owned(), parsed(COUNTERS))]).collect()
}

/// The verdicts on the specs of a model that come soon, as documents, and their traces.
struct Evidence {
    /// By spec: whether it holds.
    holds: Vec<Option<bool>>,
    certificates: Vec<Value>,
    traces: Vec<Value>,
}

fn evidence(model: &Model) -> Evidence {
    let subject = Subject::new(model);
    let mut evidence = Evidence { holds: Vec::new(), certificates: Vec::new(), traces: Vec::new() };
    for spec in 0..model.specs.len() {
        let (stop, budget) = (Stop::new(), patiently());
        let limits = Limits { bound: 30, budget, stop: &stop, progress: &|_| {}, refused: &|why| panic!("{why}") };
        let verdict = subject.prove(spec, &Engine::ALL, &limits).expect("no claim is refused").verdict;
        evidence.holds.push(match &verdict {
            Verdict::Holds(_) => Some(true),
            Verdict::Violated(_) => Some(false),
            _ => None,
        });
        if let Some(document) = Document::new(model, "m.rcp", spec, &verdict) {
            evidence.certificates.push(serde_json::from_str(&document.write()).expect("JSON"));
        }
        if let Verdict::Violated(counterexample) = &verdict {
            for format in [Format::Json, Format::Itf] {
                let about = About { model_file: "m.rcp".to_owned(), description: String::new(), round: None };
                let mut text = Vec::new();
                trace_file::write(&mut text, counterexample.run(), &about, format).expect("in memory");
                evidence.traces.push(serde_json::from_slice(&text).expect("JSON"));
            }
        }
    }
    evidence
}

/// Adds a hostile clause to the first invariant of a certificate, or makes a condition one, if there is any.
fn poison(document: &mut Value, model: &Model, random: &mut Rng) {
    let agent = model.agent_of(model.instance_ids().next().expect("an instance"));
    let local = agent.locals.first().map_or("x", |local| local.name.as_str());
    let variable = format!("{}-{local}", model.instances[0].name);
    if let Some(Value::Array(clauses)) = document.pointer_mut("/evidence/invariants/0/clauses") {
        clauses.push(hostile_terms(&variable, random).into());
    }
    if let Some(condition) = document.pointer_mut("/evidence/conditions/conditions/0") {
        *condition = hostile_terms(&variable, random).into();
    }
}

#[test]
fn hostile_certificates_are_refused_or_prove_what_is_true() {
    with_stack(|| {
        let (mut random, mut checked, mut readable, mut accepted) = (random(), 0, 0, 0);
        let models = models();
        let evidence: Vec<Evidence> = models.iter().map(|(_, model)| evidence(model)).collect();
        while checked < count() {
            let chosen = random.usize(0..models.len());
            let ((name, model), Evidence { holds, certificates, .. }) = (&models[chosen], &evidence[chosen]);
            let Some(mut document) = random.choice(certificates).cloned() else { continue };
            match random.u32(0..4) {
                0 => poison(&mut document, model, &mut random),
                _ => (0..random.usize(1..4)).for_each(|_| mutate(&mut document, &mut random)),
            }
            checked += 1;
            let Ok(read) = Document::read(&document.to_string()) else { continue };
            readable += 1;
            let semantics = Semantics::new(model);
            let shown: String = format!("{name}: {document}").chars().take(3000).collect();
            let check = || match verify::certify(&read, &semantics, patiently()) {
                Ok(certified) => Some((certified.spec, matches!(certified.verdict, Verdict::Holds(_)))),
                Err(_) => None,
            };
            if let Some((spec, claimed)) = with_work(WORK, check).flatten() {
                assert_ne!(holds[spec], Some(!claimed), "{shown}");
                accepted += 1;
            }
        }
        assert!(readable > checked / 4 && (1..readable).contains(&accepted), "{checked} {readable} {accepted}");
    });
}

/// The places of the numbers and the objects of a document.
fn places(value: &Value, path: &str, numbers: &mut Vec<String>, objects: &mut Vec<String>) {
    match value {
        Value::Number(_) => numbers.push(path.to_owned()),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, item)| places(item, &format!("{path}/{at}"), numbers, objects));
        }
        Value::Object(map) => {
            objects.push(path.to_owned());
            map.iter().for_each(|(key, item)| places(item, &format!("{path}/{key}"), numbers, objects));
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[test]
fn indices_that_lead_nowhere_are_refused_and_names_stand_once() {
    with_stack(|| {
        let mut random = random();
        let mut kinds = std::collections::BTreeSet::new();
        for Subjects { model, certificates, .. } in subjects() {
            let semantics = Semantics::new(&model);
            for good in certificates {
                kinds.insert(kind(&good).to_owned());
                let (mut numbers, mut objects) = (Vec::new(), Vec::new());
                places(&good["evidence"], "/evidence", &mut numbers, &mut objects);
                random.shuffle(&mut numbers);
                for place in numbers.iter().take(count() / 2) {
                    let number = good.pointer(place).and_then(Value::as_u64).unwrap_or(0);
                    for other in [number + 1, number + 2, 1000, u64::from(u32::MAX)] {
                        let mut bad = good.clone();
                        *bad.pointer_mut(place).expect("it is there") = other.into();
                        let Ok(read) = Document::read(&bad.to_string()) else { continue };
                        let certified = with_work(WORK, || verify::certify(&read, &semantics, patiently()));
                        // A document that is accepted all the same has the verdict of the good one.
                        let Some(Ok(certified)) = certified else { continue };
                        assert_eq!(
                            matches!(certified.verdict, Verdict::Holds(_)),
                            good["verdict"] == "holds",
                            "{place}"
                        );
                    }
                }
                for place in std::iter::once("").chain(objects.iter().map(String::as_str)) {
                    is_refused_with_a_name_twice(&good, place, &|text| {
                        Document::read(text).map_err(|why| why.to_string()).map(drop)
                    });
                }
                let Some(trace) = good.pointer("/evidence/trace") else { continue };
                objects.clear();
                places(trace, "", &mut numbers, &mut objects);
                for place in &objects {
                    is_refused_with_a_name_twice(trace, place, &|text| {
                        trace_file::read(&semantics, text).map_err(|why| why.to_string()).map(drop)
                    });
                }
            }
        }
        let expected = ["conditions", "diagrams", "exploration", "invariants", "labels", "look-alike"];
        let missing: Vec<&str> = expected.into_iter().filter(|kind| !kinds.contains(*kind)).collect();
        assert!(missing.is_empty() && kinds.contains("trace") && kinds.contains("uniform"), "{missing:?} {kinds:?}");
    });
}

/// That a document is refused if the first name of an object stands there a second time.
fn is_refused_with_a_name_twice(good: &Value, place: &str, read: &dyn Fn(&str) -> Result<(), String>) {
    const SECOND: &str = "stands there a second time";
    let mut bad = good.clone();
    let Some(Value::Object(object)) = bad.pointer_mut(place) else { panic!("no object at {place}") };
    let Some((name, value)) = object.iter().next().map(|(name, value)| (name.clone(), value.clone())) else { return };
    object.insert(SECOND.to_owned(), value);
    let text = bad.to_string().replacen(&format!("{SECOND:?}"), &format!("{name:?}"), 1);
    let why = read(&text).expect_err(place);
    assert!(why.contains("duplicate field"), "{place}: {why}");
}

#[test]
fn hostile_traces_are_refused_or_are_runs() {
    with_stack(|| {
        let (mut random, mut checked, mut accepted) = (random(), 0, 0);
        let models = models();
        let evidence: Vec<Evidence> = models.iter().map(|(_, model)| evidence(model)).collect();
        while checked < count() {
            let chosen = random.usize(0..models.len());
            let ((name, model), Evidence { traces, .. }) = (&models[chosen], &evidence[chosen]);
            let Some(mut trace) = random.choice(traces).cloned() else { continue };
            (0..random.usize(1..4)).for_each(|_| mutate(&mut trace, &mut random));
            checked += 1;
            let semantics = Semantics::new(model);
            let shown: String = format!("{name}: {trace}").chars().take(3000).collect();
            let text = trace.to_string();
            let is_run = with_work(WORK, || {
                // A file that is accepted was replayed: this test replays it, too, step by step.
                let Ok(file) = trace_file::read(&semantics, &text) else { return false };
                let (states, steps) = (file.run.states(), file.run.steps());
                assert!(semantics.is_initial(&states[0]), "{shown}");
                for (state, (step, next)) in states.iter().zip(steps.iter().zip(&states[1..])) {
                    let taken = semantics.apply(state, &step.choice).unwrap_or_else(|why| panic!("{why:?}: {shown}"));
                    assert_eq!(taken.target, *next, "{shown}");
                }
                true
            });
            accepted += usize::from(is_run == Some(true));
        }
        assert!((1..checked).contains(&accepted), "{accepted} of {checked}");
    });
}

/// Replaces, removes, doubles and swaps lines and words of a model.
fn mutated_model(text: &str, random: &mut Rng) -> String {
    const WORDS: [&str; 22] = [
        "x * x", "99999999", "0", "1", "true", "false", "*", "chan", "myself", "F", "G", "X", "U", "<->", "->", "!",
        "&", "|", "+", "-", "int", "bool",
    ];
    let mut pieces: Vec<String> = text.split_inclusive([' ', '\n']).map(str::to_owned).collect();
    for _ in 0..random.usize(1..4) {
        let (at, other) = (random.usize(0..pieces.len()), random.usize(0..pieces.len()));
        match random.u32(0..6) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[other].clone()),
            2 => pieces.swap(at, other),
            3 => pieces[at] = pieces[other].clone(),
            _ => pieces[at] = format!("{} ", WORDS[random.usize(0..WORDS.len())]),
        }
    }
    pieces.concat()
}

#[test]
fn mutated_models_are_verified_within_small_limits() {
    const SPECS: usize = 3;
    with_stack(|| {
        let mut random = random();
        let originals: Vec<SourceFile> = shipped().iter().map(source).collect();
        let (mut asked, mut tried) = (0, 0);
        while asked < count().div_ceil(5) {
            tried += 1;
            assert!(tried < 100_000, "no mutation is a model");
            let original = random.choice(&originals).expect("there are some");
            let text = mutated_model(original.text(), &mut random);
            let file = SourceFile::new("mutated.rcp", text);
            let Some((Some(model), _)) = with_work(WORK, || read(&file)) else { continue };
            asked += 1;
            for spec in 0..model.specs.len().min(SPECS) {
                ask(&model, spec, file.text());
            }
        }
    });
}

/// A refused claim is a defect, too.
fn ask(model: &Model, spec: usize, text: &str) {
    const SMALL: u64 = 600_000;
    let (stop, budget) = (Stop::new(), patiently());
    let refused = |why: &verify::Refused| panic!("{why}:\n{text}");
    let limits = Limits { bound: usize::MAX, budget, stop: &stop, progress: &|_| {}, refused: &refused };
    with_work(SMALL, || {
        let subject = Subject::new(model);
        let outcome = subject.prove(spec, &Engine::ALL, &limits);
        assert!(outcome.is_ok(), "{outcome:?}:\n{text}");
    });
    assert!(!limits::is_full(), "the memory has no limit here");
}
