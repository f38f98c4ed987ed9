//! Random specs with path quantifiers and knowledge: the engine with its check, and a naive evaluation by definition.
//!
//! The formulas are those of random specs, with subformulas under path quantifiers and in knowledge.

use super::coverage::Coverage;
use super::harness::Source;
use super::ispl;
use crate::common::naive::Naive;
use crate::common::oracle::{NoAnswer, Oracle};
use crate::common::random::Random;
use crate::common::{self, temporal_operators};
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::Verdict;
use rcheck_smt::check::branching::conditions::knowledge;
use rcheck_smt::limits::{Reason, Stop};
use rcheck_smt::model::branching::{Branching, Information, Knowledge, Objective, Operator};
use rcheck_smt::model::eval::{Limits, Semantics};
use rcheck_smt::model::fairness::{Actor, Assumption, Fairness};
use rcheck_smt::model::{Formula, InstanceId, Model};
use rcheck_smt::source::Span;
use rcheck_smt::verify::{Companions, Engine, Subject, certify};
use std::sync::Mutex;

/// The most states for the naive evaluation.
const STATES: usize = 40;
/// The most temporal operators between two branching ones.
const OPERATORS: usize = 3;

/// How much work a search for conditions may do.
const WORK: u64 = 400_000;

/// The cases that every run of the test has to see.
pub const SEEN: [&str; 22] = [
    "altered certificates refused",
    "holds by diagrams",
    "violated by diagrams",
    "not by diagrams",
    "steps by diagrams",
    "strategies by diagrams",
    "holds by conditions",
    "violated by look-alike states",
    "A",
    "E",
    "K",
    "GK",
    "DK",
    "GCK",
    "can",
    "could",
    "holds",
    "violated",
    "nested",
    "under fairness",
    "under other assumptions",
    "of runs",
];

/// Compares the verdicts on all specs of a model, changed at random.
pub fn check(source: &Source, coverage: &Mutex<Coverage>) -> Result<(), String> {
    let mut random = Random::new(source.seed ^ 0x4b4e_4f57);
    let mut model = source.model.clone();
    let plain: Vec<Formula> = model.specs.iter().map(|spec| spec.formula.clone()).collect();
    for (index, spec) in plain.iter().enumerate() {
        let mut formula = branching(spec, &model, &mut random, 3);
        if random.percent(20) {
            let group = model.instance_ids().filter(|_| random.percent(40)).collect();
            let operator = Operator::Strategy(Information::Own, group);
            formula = Formula::Branching(Box::new(Branching { operator, body: formula, among: None }));
        }
        let mut seen = operators(&formula);
        let mut changed = model.specs[index].clone();
        changed.formula = formula;
        // Under assumptions, `could` is not decided, and `can` under fairness alone.
        let is_full = asks_for(&changed.formula, Information::Full);
        let is_own = asks_for(&changed.formula, Information::Own);
        let may_be = |(assumed, _): &(Formula, &str)| !is_full && (!is_own || assumed.is_fairness(&model));
        if let Some((assumed, name)) = assumption(&plain, &model, &mut random).filter(may_be) {
            changed = changed.under(&model, &[Assumption { formula: assumed, span: Span::default() }]);
            seen.push(name);
        }
        model.specs[index] = changed;
        coverage.lock().expect("no panic before").note(seen);
    }
    let semantics = Semantics::new(&model);
    let Ok(oracle) = Oracle::everywhere(&semantics, Limits { states: STATES, depth: usize::MAX }) else {
        return Ok(());
    };
    let subject = Subject::new(&model);
    let companions = Companions::new(&(0..model.specs.len()).collect::<Vec<_>>());
    for (index, spec) in model.specs.iter().enumerate() {
        let shown = model.show_formula(&spec.formula);
        let compared = compare((&subject, &companions), index, &semantics, &oracle);
        let outcomes = compared.map_err(|error| format!("spec {}: {shown}\n{error}", index + 1))?;
        coverage.lock().expect("no panic before").note(outcomes);
    }
    Ok(())
}

fn compare<'s>(
    (subject, companions): (&'s Subject, &Companions<'s>),
    spec: usize,
    semantics: &Semantics,
    oracle: &Oracle,
) -> Result<Vec<&'static str>, String> {
    let model = subject.model();
    let formula = &model.specs[spec].formula;
    let expected = match Naive::new(semantics, oracle).is_true(formula) {
        Ok(expected) => expected,
        Err(NoAnswer::TooManyOperators(_) | NoAnswer::TooManyStrategies) => return Ok(vec!["too large"]),
        Err(other) => return Err(other.to_string()),
    };
    let stop = Stop::new();
    let limits = common::limits(0, common::patiently(), &stop);
    let outcome = subject.prove_among(companions, spec, &[Engine::Explicit], &limits);
    let outcome = outcome.map_err(|failure| failure.to_string())?;
    let found = match &outcome.verdict {
        Verdict::Holds(_) => true,
        Verdict::Violated(_) => false,
        // Guards cannot say which data a message has.
        Verdict::Unknown { reason, .. } if asks_for(formula, Information::Own) && is_unsaid(reason) => {
            return Ok(vec!["unsaid"]);
        }
        other => return Err(format!("nothing is decided: {other:?}")),
    };
    if found != expected {
        return Err(format!("the engine says {found}, the naive evaluation {expected}"));
    }
    let mut seen = vec![if found { "holds" } else { "violated" }];
    if formula.is_branching() && !asks_for(formula, Information::Own) {
        let by_diagrams = common::with_work(WORK, || subject.prove(spec, &[Engine::Bdd], &limits));
        if let Some(outcome) = by_diagrams {
            let outcome = outcome.map_err(|failure| failure.to_string())?;
            let decided = common::by_diagrams(&outcome.verdict, expected, oracle.states().count())?;
            seen.push(decided);
            let is_decided = decided != "not by diagrams";
            seen.extend((is_decided && is_about_steps(formula)).then_some("steps by diagrams"));
            seen.extend((is_decided && asks_for(formula, Information::Full)).then_some("strategies by diagrams"));
            check_certificate(semantics, spec, &outcome.verdict, expected)?;
        }
    }
    if knowledge(formula).is_ok() {
        let engines = [Engine::Pdr, Engine::Bmc, Engine::Kind];
        let by_conditions = common::with_work(WORK, || subject.prove(spec, &engines, &limits));
        let Some(Ok(other)) = by_conditions else { return Ok(seen) };
        let agrees = match &other.verdict {
            Verdict::Holds(_) => expected,
            Verdict::Violated(_) => !expected,
            _ => true,
        };
        if !agrees {
            return Err(format!("the naive evaluation says {expected}, and by conditions: {:?}", other.verdict));
        }
        if check_certificate(semantics, spec, &other.verdict, expected)? {
            seen.push(if expected { "holds by conditions" } else { "violated by look-alike states" });
        }
    }
    if formula.is_strategic() {
        let mut random = Random::new(spec as u64);
        seen.extend(ispl::check_certificate(semantics, spec, &outcome.verdict, expected, &mut random)?);
    } else {
        check_certificate(semantics, spec, &outcome.verdict, expected)?;
    }
    Ok(seen)
}

/// True if it is not known as members would choose by which data messages have, or as outcomes have other steps in initial states.
fn is_unsaid(reason: &Reason) -> bool {
    let words = reason.to_string();
    ["by what some of these do not have", "depend on which steps are possible there", "one way is not chosen for each"]
        .iter()
        .any(|it| words.contains(it))
}

/// True if a formula is about strategies of a kind.
fn asks_for(formula: &Formula, information: Information) -> bool {
    let of_kind = |operator: &Operator| matches!(operator, Operator::Strategy(found, _) if *found == information);
    let mut found = matches!(formula, Formula::Branching(it) if of_kind(&it.operator));
    formula.for_each_child(&mut |child| found |= asks_for(child, information));
    found
}

/// True if a formula says something of single steps.
fn is_about_steps(formula: &Formula) -> bool {
    let mut found = matches!(formula, Formula::Label(..) | Formula::Observed(_));
    formula.for_each_child(&mut |child| found |= is_about_steps(child));
    found
}

/// That the certificate says the same, if there is one.
fn check_certificate(semantics: &Semantics, spec: usize, verdict: &Verdict, expected: bool) -> Result<bool, String> {
    let Some(document) = Document::new(semantics.model(), "generated.rcp", spec, verdict) else { return Ok(false) };
    let again = Document::read(&document.write()).map_err(|error| error.to_string())?;
    let certified = certify(&again, semantics, common::patiently()).map_err(|refusal| refusal.to_string())?;
    match matches!(certified.verdict, Verdict::Holds(_)) == expected {
        true => Ok(true),
        false => Err("the certificate says something else".to_owned()),
    }
}

/// A formula with branching formulas in some places.
fn branching(formula: &Formula, model: &Model, random: &mut Random, depth: usize) -> Formula {
    let inside = formula.with_operands(&mut |inner| branching(inner, model, random, depth));
    let is_long = temporal_operators(&inside) > OPERATORS;
    if depth == 0 || !(is_long || random.percent(30)) {
        return inside;
    }
    let instances: Vec<InstanceId> = model.instance_ids().collect();
    let group = |random: &mut Random| -> Vec<InstanceId> {
        let some: Vec<InstanceId> = instances.iter().copied().filter(|_| random.percent(60)).collect();
        if some.is_empty() { vec![*random.pick(&instances)] } else { some }
    };
    let operator = match random.below(7) {
        _ if Objective::of(&inside).is_some() && random.percent(40) => {
            let some = instances.iter().copied().filter(|_| random.percent(50)).collect();
            Operator::Strategy(Information::Full, some)
        }
        _ if random.percent(25) => {
            let some = instances.iter().copied().filter(|_| random.percent(40)).collect();
            Operator::Strategy(Information::Own, some)
        }
        0 | 1 => Operator::All,
        2 => Operator::Some,
        3 => Operator::Known(Knowledge::Own, vec![*random.pick(&instances)]),
        4 => Operator::Known(Knowledge::Everybody, group(random)),
        5 => Operator::Known(Knowledge::Distributed, group(random)),
        _ => Operator::Known(Knowledge::Common, group(random)),
    };
    let wrap = |operator, body| Formula::Branching(Box::new(Branching { operator, body, among: None }));
    let is_known = matches!(operator, Operator::Known(..));
    let body = if is_known && !inside.is_about_state() { wrap(Operator::All, inside) } else { inside };
    let outside = wrap(operator, body);
    if random.percent(40) { outside.not() } else { outside }
}

/// An assumption about runs: fairness to some agent, or another spec.
fn assumption(plain: &[Formula], model: &Model, random: &mut Random) -> Option<(Formula, &'static str)> {
    match random.below(4) {
        0 => {
            let fairness = *random.pick(&[Fairness::Weak, Fairness::Strong]);
            let instances: Vec<InstanceId> = model.instance_ids().collect();
            let treated = Actor::Instance(*random.pick(&instances)).is_treated(fairness, model);
            Some((treated, "under fairness"))
        }
        1 => {
            let other = random.pick(plain);
            (temporal_operators(other) <= OPERATORS && !other.is_branching())
                .then(|| (other.clone(), "under other assumptions"))
        }
        _ => None,
    }
}

fn operators(formula: &Formula) -> Vec<&'static str> {
    let mut found = Vec::new();
    if let Formula::Branching(branching) = formula {
        found.push(branching.operator.word());
        if branching.body.is_branching() {
            found.push("nested");
        }
        if !branching.body.is_about_state() {
            found.push("of runs");
        }
    }
    formula.for_each_child(&mut |child| found.extend(operators(child)));
    found
}
