//! Random models in the corners of the language: labels of all kinds of command under path quantifiers and in knowledge, families
//! without members, conditions that no initial state satisfies, commands that never have a partner, assumptions that contradict
//! each other.
//!
//! Engines, alone and together, are compared with the definition ([`Naive`]), which explores on the concrete semantics and
//! shares nothing with them; the initial states with an enumeration of all states.

mod coverage;
mod model;
mod spec;

pub use coverage::SHAPES;

use super::answers::{Effort, Who, ask, decided};
use super::offers::Offers;
use super::tally::Tally;
use crate::common;
use crate::common::naive::Naive;
use crate::common::oracle::{NoAnswer, Oracle};
use crate::common::random::Random;
use coverage::Shapes;
use rcheck_smt::model::eval::value::{evaluate, holds};
use rcheck_smt::model::eval::{Limits, Semantics, State};
use rcheck_smt::model::{CommandLeaf, Formula, InstanceId, LocalId, Model, Value};
use rcheck_smt::smt::keeping_context;
use rcheck_smt::source::SourceFile;
use rcheck_smt::verify::{Engine, Subject};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most states of a model.
const STATES: usize = 40;
/// The specs of a model.
pub const SPECS: usize = 3;

/// Has to decide all of them.
const EXPLORATION: Who = Who::Alone(Engine::Explicit);

const EXPLORED: Effort = Effort { alone: 500_000_000, in_vain: 0, together: 0, bound: 0 };
const EFFORT: Effort = Effort { alone: 60_000, in_vain: 20_000, together: 300_000, bound: 8 };

/// The model of a text, in which the family, if there is one, has so many members; else what is wrong with it.
fn read(text: &str, size: Option<u32>) -> Result<Model, String> {
    let (model, diagnostics) = common::read(&SourceFile::new("generated.rcp", text));
    let model = model.filter(|_| !diagnostics.has_errors()).ok_or_else(|| format!("{diagnostics:#?}"))?;
    let Some(size) = size else { return Ok(model) };
    let sized = model.scheme().and_then(|scheme| scheme.instance(&[size]).cloned());
    sized.ok_or_else(|| format!("errors with {size} members"))
}

/// The mistakes in the answers about the model of a seed.
pub fn check(seed: u64, tally: &mut Tally) -> Vec<String> {
    let (text, size) = model::model(seed, SPECS);
    let result = catch_unwind(AssertUnwindSafe(|| match read(&text, size) {
        Ok(model) => keeping_context(|| compare(seed, (&model, size), tally)),
        Err(errors) => vec![errors],
    }));
    let wrong = result.unwrap_or_else(|_| vec!["panicked, see above".to_owned()]);
    wrong.into_iter().map(|why| format!("RCHECK_SEED={seed}, size {size:?}\n{why}\n\n{text}")).collect()
}

fn compare(seed: u64, (model, size): (&Model, Option<u32>), tally: &mut Tally) -> Vec<String> {
    let semantics = Semantics::new(model);
    let mut wrong = Vec::new();
    match semantics.initial_states() {
        Ok(found) if found.iter().cloned().collect::<BTreeSet<State>>() == initial_states(model) => {}
        other => return vec![format!("the initial states are {:?}, not {other:?}", initial_states(model))],
    }
    let Ok(oracle) = Oracle::everywhere(&semantics, Limits { states: STATES, depth: usize::MAX }) else { return wrong };
    let subject = Subject::new(model);
    let shapes = Shapes::new(&semantics, &oracle, size);
    let (mut offers, mut truths) = (Offers::new(seed), Vec::new());
    for (spec, declared) in model.specs.iter().enumerate() {
        let shown = || format!("spec {}: {}", spec + 1, model.show_formula(&declared.formula));
        let expected = match Naive::new(&semantics, &oracle).is_true(&declared.formula) {
            Ok(expected) => expected,
            Err(NoAnswer::TooManyOperators(_)) => {
                truths.push(None);
                continue;
            }
            Err(other) => return vec![format!("{}\n{other}", shown())],
        };
        truths.push(Some(expected));
        tally.oracle += 1;
        tally.note(shapes.of(declared), expected);
        for who in asked(seed, spec, &declared.formula) {
            if let Err(why) = answer(&subject, spec, who, expected, &mut offers, tally) {
                wrong.push(format!("{}\n{who}: {why}", shown()));
            }
        }
    }
    wrong.extend(offers.make(&subject, &truths).err());
    tally.certified += offers.certified;
    tally.refused += offers.refused;
    wrong
}

/// That an answer, if there is one, is the expected one, and that its certificate is accepted.
fn answer(
    subject: &Subject,
    spec: usize,
    who: Who,
    expected: bool,
    offers: &mut Offers,
    tally: &mut Tally,
) -> Result<(), String> {
    let start = std::time::Instant::now();
    let effort = if who == EXPLORATION { EXPLORED } else { EFFORT.after(who, Some(expected)) };
    let verdict = ask(subject, spec, who, effort)?;
    let found = verdict.as_ref().and_then(decided);
    tally.add(who, found, start.elapsed());
    if found.is_some_and(|found| found != expected) {
        return Err(format!("says {found:?}, the definition {expected}"));
    }
    match verdict.filter(|_| found.is_some()) {
        Some(verdict) => offers.note(subject, spec, &verdict),
        None if who == EXPLORATION => Err("does not decide a small model".to_owned()),
        None => Ok(()),
    }
}

/// The exploration, and one or two others, of those that the formula is for.
fn asked(seed: u64, spec: usize, formula: &Formula) -> Vec<Who> {
    const LINEAR: [Who; 6] = [
        Who::Alone(Engine::Bmc),
        Who::Alone(Engine::Pdr),
        Who::Alone(Engine::Kind),
        Who::Alone(Engine::Rlive),
        Who::Alone(Engine::Spacer),
        Who::Alone(Engine::Bdd),
    ];
    const BRANCHING: [Who; 2] = [Who::Alone(Engine::Bdd), Who::Alone(Engine::Pdr)];
    let mut random = Random::new(seed << 8 | spec as u64);
    let mut list = vec![EXPLORATION];
    if random.percent(50) {
        list.push(*random.pick(if formula.is_branching() { &BRANCHING[..] } else { &LINEAR[..] }));
    }
    list.extend(random.percent(3).then_some(Who::Together));
    list
}

/// All states whose values satisfy the conditions of all instances and the one about all together, one value after the other.
fn initial_states(model: &Model) -> BTreeSet<State> {
    let locals = |id: InstanceId| (0..model.agent_of(id).locals.len() as u32).map(move |local| (id, LocalId(local)));
    let variables: Vec<(InstanceId, LocalId)> = model.instance_ids().flat_map(locals).collect();
    let mut assignments: Vec<Vec<Value>> = vec![Vec::new()];
    for (id, local) in &variables {
        let values: Vec<Value> =
            model.values_of(model.agent_of(*id).locals[local.index()].ty).expect("it is finite").collect();
        let extended = |known: Vec<Value>| {
            values.iter().map(move |value| [&known[..], std::slice::from_ref(value)].concat()).collect::<Vec<_>>()
        };
        assignments = assignments.into_iter().flat_map(extended).collect();
    }
    let semantics = Semantics::new(model);
    let state = |values: Vec<Value>| {
        let mut rest = values.into_iter();
        let own = |id: InstanceId| (0, rest.by_ref().take(model.agent_of(id).locals.len()).collect());
        let parts: Vec<(u32, Vec<Value>)> = model.instance_ids().map(own).collect();
        semantics.state_from(&parts).expect("all values are there")
    };
    assignments.into_iter().map(state).filter(|state| is_initial(&semantics, state)).collect()
}

fn is_initial(semantics: &Semantics, state: &State) -> bool {
    let model = semantics.model();
    let of_instance = |id: InstanceId| {
        let own = |leaf: CommandLeaf| match leaf {
            CommandLeaf::Local(local) => Some(state.local(id, local).clone()),
            _ => None,
        };
        let conditions = [&model.agent_of(id).init, &model.instances[id.index()].init];
        conditions.into_iter().all(|condition| evaluate(condition, &own) == Some(Value::Bool(true)))
    };
    let of_all = model.restriction.as_ref().is_none_or(|restriction| is_true(semantics, &restriction.formula, state));
    of_all && model.instance_ids().all(of_instance)
}

fn is_true(semantics: &Semantics, formula: &Formula, state: &State) -> bool {
    let part = |part: &Formula| is_true(semantics, part, state);
    match formula {
        Formula::Atom(expr) => holds(expr, &|leaf| Some(semantics.value(state, leaf))),
        Formula::Not(inner) => !part(inner),
        Formula::And(list) => list.iter().all(part),
        Formula::Or(list) => list.iter().any(part),
        Formula::Iff(left, right) => part(left) == part(right),
        other => unreachable!("{other:?} is about runs"),
    }
}
