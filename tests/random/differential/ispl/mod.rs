//! Random models in ISPL: what the tool makes of their text, and a naive evaluation of the trees that they were drawn as.
//!
//! - [`program`] draws trees and writes their text.
//! - [`naive`] says what they mean: states, steps, formulas.

pub mod naive;
pub mod program;

use super::checks::is_true;
use super::coverage::Coverage;
use super::graph::Graph;
use super::harness::Source;
use super::{NODES, check_systems, tables, trace_files};
use crate::common;
use crate::common::random::Random;
use naive::Naive;
use program::{Domain, Known, Logic, Program};
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::Verdict;
use rcheck_smt::diag::{Code, Diagnostics};
use rcheck_smt::ispl;
use rcheck_smt::limits::Stop;
use rcheck_smt::model::checks::{Kinds, Question, checks};
use rcheck_smt::model::eval::{Semantics, State};
use rcheck_smt::model::{ConstantName, Constants, Formula, InstanceId, Literal, LocalId, Model, Type, Value, Variable};
use rcheck_smt::source::SourceFile;
use rcheck_smt::verify::{Companions, Engine, Subject, certify};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// The most states of a model.
const STATES: usize = 40;
/// How much work engines other than the exploration may do.
const WORK: u64 = 300_000;
/// How many deterministic protocols are tried.
const TRIES: usize = 200;
/// How many alterations of a certificate are tried.
const ALTERATIONS: usize = 12;

/// The cases that every run of the test has to see.
pub const SEEN: [&str; 29] = [
    "holds by diagrams",
    "violated by diagrams",
    "single assignment",
    "multiple assignment",
    "fairness",
    "an agent is stuck",
    "several initial states",
    "several lines",
    "overflow",
    "a warning of overflow without one",
    "variables that others see",
    "CTL",
    "LTL",
    "CTL*",
    "K",
    "GK",
    "DK",
    "GCK",
    "O",
    "strategies",
    "strategies decided",
    "strategies by diagrams",
    "holds",
    "violated",
    "other engines",
    "altered certificates refused",
    "knowledge of runs",
    "uniform strategies",
    "no uniform strategies",
];

/// The model of a seed: the first of some that has a few states.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed ^ 0x4953_504c);
    loop {
        let program = Program::random(&mut random);
        let states = Naive::new(&program, STATES).map_or(0, |naive| naive.states.len());
        if states > 2 || states > 0 && random.percent(5) {
            return program;
        }
    }
}

/// The same with its text and what the tool makes of it.
pub fn source(seed: u64) -> Source {
    let text = program(seed).to_string();
    let (model, found) = read(&text);
    let model = model.unwrap_or_else(|| panic!("seed {seed}: {found:#?}\n{text}"));
    Source { seed, text, model }
}

fn read(text: &str) -> (Option<Model>, Diagnostics) {
    ispl::read(&SourceFile::new("generated.ispl", text))
}

/// Compares states, steps and verdicts.
pub fn check(source: &Source, coverage: &Mutex<Coverage>) -> Result<(), String> {
    let program = program(source.seed);
    let naive = Naive::new(&program, STATES).expect("it has few states");
    let semantics = Semantics::new(&source.model);
    let note = |what: &'static str| coverage.lock().expect("no panic before").note([what]);
    check_steps(&semantics, &naive)?;
    check_overflow(source, &semantics, &naive)?.into_iter().for_each(note);
    let graph = Graph::new(&semantics, NODES);
    check_systems(&source.model, &semantics, &graph)?;
    tables::check(source)?;
    trace_files::check(source, &mut trace_files::Tally::default())?;
    features(&program, &naive).into_iter().for_each(note);
    let subject = Subject::new(&source.model);
    let companions = Companions::new(&(0..program.formulas.len()).collect::<Vec<_>>());
    let mut random = Random::new(source.seed);
    for (spec, (_, formula)) in program.formulas.iter().enumerate() {
        let expected = naive.holds(formula);
        let outcomes =
            check_spec((&subject, &companions), &semantics, spec, (expected, naive.states.len()), &mut random);
        let shown = source.model.show_formula(&source.model.specs[spec].formula);
        outcomes.map_err(|error| format!("spec {}: {shown}\n{error}", spec + 1))?.into_iter().for_each(note);
    }
    check_uniform(source, &program, &mut random)?.into_iter().for_each(note);
    Ok(())
}

/// The verdicts on what some agents, or all, bring about with deterministic protocols.
fn check_uniform(source: &Source, program: &Program, random: &mut Random) -> Result<Vec<&'static str>, String> {
    let number = random.below(program.groups.len() + 1);
    let (name, group) = match program.groups.get(number) {
        Some(group) => (Some(format!("g{number}")), group.clone()),
        None => (None, (0..program.agents.len()).collect()),
    };
    let chosen = Constants::from([(ConstantName::Uniform(name), Literal::Bool(true))]);
    let (model, found) = ispl::read_with(&SourceFile::new("generated.ispl", &source.text), &chosen);
    let model = model.ok_or_else(|| format!("{found:#?}"))?;
    let (semantics, subject) = (Semantics::new(&model), Subject::new(&model));
    let mut seen = Vec::new();
    let some = program.formulas.iter().enumerate().skip(random.below(2)).step_by(2);
    for (spec, (_, formula)) in some {
        let Some(expected) = Naive::uniform(program, STATES, &group, formula, TRIES) else { continue };
        let stop = Stop::new();
        let limits = common::limits(4, common::patiently(), &stop);
        let outcome = subject.prove(spec, &[Engine::Explicit], &limits).map_err(|failure| failure.to_string())?;
        let shown = model.show_formula(&model.specs[spec].formula);
        let told = |error: String| format!("spec {}: {shown}\n{error}", spec + 1);
        let decided = truth(&outcome.verdict);
        let decided = decided.ok_or_else(|| told(format!("nothing is decided: {:?}", outcome.verdict)))?;
        if decided != expected {
            return Err(told(format!("the engine says {decided}, the definition {expected}")));
        }
        seen.push(if decided { "uniform strategies" } else { "no uniform strategies" });
        seen.extend(check_certificate(&semantics, spec, &outcome.verdict, expected, random).map_err(told)?);
    }
    Ok(seen)
}

fn features(program: &Program, naive: &Naive) -> Vec<&'static str> {
    let mut found = vec![if program.is_single { "single assignment" } else { "multiple assignment" }];
    let is_several = |steps: &Vec<usize>| steps.len() > program.agents.iter().map(|agent| agent.actions).product();
    for (is_so, what) in [
        (!program.fairness.is_empty(), "fairness"),
        (naive.is_stuck, "an agent is stuck"),
        (naive.initial > 1, "several initial states"),
        (naive.steps.iter().any(is_several), "several lines"),
        (
            (1..program.agents.len()).any(|it| program.seen(it).iter().any(|(whose, _)| *whose != it)),
            "variables that others see",
        ),
    ] {
        if is_so {
            found.push(what);
        }
    }
    for (logic, formula) in &program.formulas {
        found.push(match logic {
            Logic::Ctl => "CTL",
            Logic::Ltl => "LTL",
            Logic::CtlStar => "CTL*",
        });
        let mut open = vec![formula];
        while let Some(formula) = open.pop() {
            match formula {
                program::Formula::Knows(_, body) => {
                    found.push("K");
                    if body.temporal() > 0 {
                        found.push("knowledge of runs");
                    }
                }
                program::Formula::KnowsOf(Known::Everybody, ..) => found.push("GK"),
                program::Formula::KnowsOf(Known::Distributed, ..) => found.push("DK"),
                program::Formula::KnowsOf(Known::Common, ..) => found.push("GCK"),
                program::Formula::Obliged(..) => found.push("O"),
                program::Formula::Can(..) => found.push("strategies"),
                _ => {}
            }
            open.extend(formula.children());
        }
    }
    found
}

/// The states and steps of the semantics are those of the definition.
fn check_steps(semantics: &Semantics, naive: &Naive) -> Result<(), String> {
    let model = semantics.model();
    let initial = semantics.initial_states().map_err(|error| error.to_string())?;
    let mut found: Vec<naive::State> = initial.iter().map(|state| values(model, state)).collect();
    let mut expected = naive.states[..naive.initial].to_vec();
    found.sort();
    expected.sort();
    if found != expected {
        return Err(format!("initial states {found:?}, by definition {expected:?}"));
    }
    let mut open = initial;
    let mut known: Vec<naive::State> = found;
    while let Some(state) = open.pop() {
        let here = values(model, &state);
        let number = naive.states.iter().position(|other| *other == here).ok_or("a state is not reachable")?;
        let steps = semantics.steps(&state);
        let mut found: Vec<naive::State> = steps.iter().map(|step| values(model, &step.target)).collect();
        let mut expected: Vec<naive::State> =
            naive.steps[number].iter().map(|target| naive.states[*target].clone()).collect();
        found.sort();
        expected.sort();
        if found != expected {
            return Err(format!("from {here:?} the steps lead to {found:?}, by definition to {expected:?}"));
        }
        for step in steps {
            let there = values(model, &step.target);
            if !known.contains(&there) {
                known.push(there);
                open.push(step.target);
            }
        }
    }
    Ok(())
}

/// The conditions of overflow are true in those states in which the definition leaves a domain, and each line that does so
/// was warned of.
fn check_overflow(source: &Source, semantics: &Semantics, naive: &Naive) -> Result<Vec<&'static str>, String> {
    let model = &source.model;
    let joint = model.joint.as_ref().expect("its agents act all at once");
    let line = |agent: usize, number: usize| (agent, joint.behaviours[agent].lines[number].span);
    let mut conditions = Vec::new();
    for spec in checks(model, Kinds { overflow: true, ..Kinds::default() }) {
        let Some(Question::Overflow(agent, _)) = spec.question else { panic!("only overflow was asked for") };
        let inner = spec.formula.always(true).expect("an invariant");
        let Formula::Not(inner) = inner else { panic!("a negation") };
        let Formula::Atom(condition) = (**inner).clone() else { panic!("of a state formula") };
        conditions.push(((agent.index(), spec.span), condition));
    }
    let mut found = BTreeSet::new();
    for state in Graph::new(semantics, NODES).expanded().iter().map(|node| &node.state) {
        let here: BTreeSet<_> = naive.leaving(&values(model, state)).into_iter().map(|(a, l)| line(a, l)).collect();
        let claimed = conditions.iter().filter(|(_, condition)| is_true(condition, state));
        let claimed: BTreeSet<_> = claimed.map(|(line, _)| *line).collect();
        if here != claimed {
            return Err(format!("in {state:?}: {claimed:?} is claimed to overflow, by definition {here:?} does"));
        }
        found.extend(here);
    }
    let (_, findings) = read(&source.text);
    let warned = findings.iter().filter(|finding| finding.code == Code::LineLeavesDomain);
    let warned: BTreeSet<_> = warned.map(|finding| finding.span).collect();
    if let Some((_, silent)) = found.iter().find(|(_, span)| !warned.contains(span)) {
        return Err(format!("no warning at {silent:?}, where a line leaves a domain"));
    }
    let mut seen = Vec::new();
    seen.extend((!found.is_empty()).then_some("overflow"));
    seen.extend((found.len() < warned.len()).then_some("a warning of overflow without one"));
    Ok(seen)
}

/// The values of all variables as the definition has them: constants by the numbers in their names.
fn values(model: &Model, state: &State) -> naive::State {
    let of = |instance: InstanceId| {
        let locals = model.agent_of(instance).locals.iter().zip(0..);
        let value = |(variable, local): (&Variable, u32)| match (state.local(instance, LocalId(local)), variable.ty) {
            (Value::Enum(number), Type::Enum(id)) => {
                let name = &model.enums[id.index()].constants[*number as usize];
                name[1..].parse().expect("names have numbers")
            }
            (value, _) => value.number().expect("ranges are small"),
        };
        // Variables that all see come first here; their names have their numbers.
        let mut values: Vec<(usize, i64)> = locals
            .map(|(variable, local)| (variable.name[1..].parse().expect("a number"), value((variable, local))))
            .collect();
        values.sort_unstable();
        values.into_iter().map(|(_, value)| value).collect()
    };
    model.instance_ids().map(of).collect()
}

fn check_spec<'s>(
    (subject, companions): (&'s Subject, &Companions<'s>),
    semantics: &Semantics,
    spec: usize,
    (expected, states): (bool, usize),
    random: &mut Random,
) -> Result<Vec<&'static str>, String> {
    let model = subject.model();
    let stop = Stop::new();
    let limits = common::limits(4, common::patiently(), &stop);
    let outcome = subject.prove_among(companions, spec, &[Engine::Explicit], &limits);
    let outcome = outcome.map_err(|failure| failure.to_string())?;
    let found = truth(&outcome.verdict).ok_or_else(|| format!("nothing is decided: {:?}", outcome.verdict))?;
    if found != expected {
        return Err(format!("the engine says {found}, the definition {expected}"));
    }
    let mut seen = vec![if found { "holds" } else { "violated" }];
    let is_strategic = model.specs[spec].formula.is_strategic();
    seen.extend(is_strategic.then_some("strategies decided"));
    if model.specs[spec].formula.is_branching() {
        let outcome = subject.prove(spec, &[Engine::Bdd], &limits).map_err(|failure| failure.to_string())?;
        let decided = common::by_diagrams(&outcome.verdict, expected, states)?;
        seen.push(decided);
        if let "holds by diagrams" | "violated by diagrams" = decided {
            seen.extend(is_strategic.then_some("strategies by diagrams"));
            seen.extend(check_certificate(semantics, spec, &outcome.verdict, expected, random)?);
        }
    } else {
        let engines = [Engine::Pdr, Engine::Bmc, Engine::Kind];
        let others = common::with_work(WORK, || subject.prove(spec, &engines, &limits));
        if let Some(others) = others {
            let verdict = others.map_err(|failure| failure.to_string())?.verdict;
            match truth(&verdict) {
                Some(other) if other != expected => return Err(format!("other engines say {other}")),
                Some(_) => seen.push("other engines"),
                None => {}
            }
        }
    }
    seen.extend(check_certificate(semantics, spec, &outcome.verdict, expected, random)?);
    Ok(seen)
}

/// The certificate says the same, and altered ones nothing else.
pub fn check_certificate(
    semantics: &Semantics,
    spec: usize,
    verdict: &Verdict,
    expected: bool,
    random: &mut Random,
) -> Result<Vec<&'static str>, String> {
    let mut seen = Vec::new();
    let document = Document::new(semantics.model(), "generated", spec, verdict).expect("it is decided");
    let text = document.write();
    let again = Document::read(&text).map_err(|error| error.to_string())?;
    let certified = certify(&again, semantics, common::patiently()).map_err(|refusal| refusal.to_string())?;
    if truth(&certified.verdict) != Some(expected) {
        return Err("the certificate says something else".to_owned());
    }
    for _ in 0..ALTERATIONS {
        let mut altered: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let place = alter(&mut altered, random);
        if altered == serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON") {
            continue;
        }
        let read = Document::read(&altered.to_string()).ok();
        let accepted = read.and_then(|it| certify(&it, semantics, common::patiently()).ok());
        // Another spec that is alike has the same evidence.
        match accepted.filter(|it| it.spec == spec).map(|it| truth(&it.verdict)) {
            None => seen.push("altered certificates refused"),
            Some(verdict) if verdict == Some(expected) => {}
            Some(verdict) => return Err(format!("altered at {place}, it says {verdict:?}:\n{altered}")),
        }
    }
    Ok(seen)
}

fn truth(verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated(_) => Some(false),
        _ => None,
    }
}

/// Changes something in a document; where.
fn alter(document: &mut serde_json::Value, random: &mut Random) -> String {
    let mut places = Vec::new();
    collect(document, String::new(), &mut places);
    let place = random.pick(&places).clone();
    let other = document.pointer(random.pick::<String>(&places)).expect("it is there").clone();
    let part = document.pointer_mut(&place).expect("it is there");
    *part = match (&*part, random.below(4)) {
        (_, 0) => other,
        (serde_json::Value::Bool(value), _) => json!(!value),
        (serde_json::Value::Number(number), _) => json!(number.as_i64().unwrap_or(0) + random.between(-1, 1)),
        (serde_json::Value::Array(list), 1) => list.iter().rev().cloned().collect(),
        (serde_json::Value::Array(list), _) => list.iter().skip(1).cloned().collect(),
        (serde_json::Value::String(text), _) if text == "holds" => json!("violated"),
        (serde_json::Value::String(text), _) if text == "violated" => json!("holds"),
        (serde_json::Value::String(_), _) => json!("nonsense"),
        _ => json!(null),
    };
    place
}

fn collect(value: &serde_json::Value, place: String, places: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(map) => {
            map.iter().for_each(|(name, part)| collect(part, format!("{place}/{name}"), places));
        }
        serde_json::Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, part)| collect(part, format!("{place}/{index}"), places));
        }
        _ => {}
    }
    if !place.is_empty() {
        places.push(place);
    }
}

/// The drawn programs have all kinds of domains.
#[test]
fn all_kinds_of_domains_are_drawn() {
    let drawn: Vec<Program> = (0..20).map(program).collect();
    let any = |is_it: fn(&Domain) -> bool| {
        drawn.iter().any(|it| it.agents.iter().any(|it| it.variables.iter().any(|it| is_it(&it.domain))))
    };
    assert!(any(|it| *it == Domain::Boolean));
    assert!(any(|it| matches!(it, Domain::Range(..))));
    assert!(any(|it| matches!(it, Domain::Listed(_, 1))));
}
