//! The simulator on random models: what it offers are the steps that the transition system has there, and
//! `find` goes as far as a search of the explicit states says.

use super::graph::values;
use super::harness::Source;
use super::receives;
use super::steps;
use crate::common;
use crate::common::random::Random;
use rcheck_smt::claim::Claim;
use rcheck_smt::limits::{Budget, Stop};
use rcheck_smt::model::eval::{Choice, Semantics, State};
use rcheck_smt::model::{EdgeId, Formula, InstanceId, Model, Value};
use rcheck_smt::simulate::{ConditionReader, Here, Outcome, Session, World};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::parse;
use rcheck_smt::ts::history::remember_receives;
use rcheck_smt::ts::lower::lower;
use rcheck_smt::ts::system::System;
use rcheck_smt::verify::find;
use std::collections::{BTreeMap, HashSet};

/// How far `find` looks.
const BOUND: usize = 3;

/// The cases that occurred.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub steps: usize,
    pub found: usize,
    pub not_found: usize,
}

/// The solver, and no files.
struct Solver<'m> {
    model: &'m Model,
}

impl World for Solver<'_> {
    fn search(&self, from: Option<Here>, formula: &Formula) -> Claim {
        let stop = Stop::new();
        find(self.model, from, formula, &common::limits(BOUND, Budget::new(None), &stop))
    }

    fn read(&self, path: &str) -> Result<String, String> {
        Err(format!("no {path}"))
    }

    fn write(&self, path: &str, _: &[u8]) -> Result<(), String> {
        Err(format!("no {path}"))
    }
}

/// Walks with a session, and looks for things on the way.
pub fn check(source: &Source, tally: &mut Tally) -> Result<(), String> {
    let model = &source.model;
    let semantics = Semantics::new(model);
    if semantics.initial_states().map_err(|error| error.to_string())?.is_empty() {
        return Ok(());
    }
    let file = SourceFile::new("generated.rcp", &source.text);
    let reader = ConditionReader::new(&file, parse(&file, None).model.dialect, model);
    let solver = Solver { model };
    let mut session = Session::new(&semantics, &reader, &solver, source.seed);
    if session.state().is_none() {
        said(&mut session, "initial random")?;
    }
    let system = remember_receives(lower(model), model, &receives(model));
    let mut random = Random::new(source.seed);
    let mut received = Vec::new();
    for position in 0..10 {
        compare(&session, &system, &received)?;
        tally.steps += 1;
        if position % 3 == 0 {
            look(&semantics, &mut session, &mut random, tally)?;
        }
        received = choose(&mut session, &mut random)?;
    }
    Ok(())
}

/// The answer of the session; it must do as it was told.
fn said(session: &mut Session, line: &str) -> Result<String, String> {
    let reply = session.execute(line);
    if reply.outcome == Outcome::Done { Ok(reply.text) } else { Err(format!("{line}: {}", reply.text)) }
}

/// The offered steps are those of the system, by choice and target.
fn compare(session: &Session, system: &System, received: &[(InstanceId, EdgeId)]) -> Result<(), String> {
    let state = session.state().ok_or("no state")?;
    let offered = session.offered().into_iter();
    let offered: BTreeMap<Choice, Vec<Value>> =
        offered.map(|step| (step.choice.clone(), values(system, &step.target, step.choice.receivers()))).collect();
    let expected = steps::from_state(system, state, received)?;
    if offered == expected { Ok(()) } else { Err(format!("offered {offered:?}, but the system has {expected:?}")) }
}

/// Takes a step by its number, after going there and back; who received.
fn choose(session: &mut Session, random: &mut Random) -> Result<Vec<(InstanceId, EdgeId)>, String> {
    let (before, offered) = (session.state().cloned(), session.offered());
    let index = random.below(offered.len());
    let step = &offered[index];
    let preview = said(session, &format!("show {}", index + 1))?;
    said(session, &format!("{}", index + 1))?;
    if session.state() != Some(&step.target) {
        return Err(format!("step {} leads elsewhere than `{preview}`", index + 1));
    }
    said(session, "back")?;
    if session.state() != before.as_ref() {
        return Err("`back` leads elsewhere".to_owned());
    }
    said(session, "forward")?;
    if session.state() != Some(&step.target) {
        return Err("`forward` leads elsewhere".to_owned());
    }
    Ok(step.choice.receivers().to_vec())
}

/// Lets the session find an automaton state of some instance, and compares with the nearest one; then goes back.
fn look(semantics: &Semantics, session: &mut Session, random: &mut Random, tally: &mut Tally) -> Result<(), String> {
    let model = semantics.model();
    let state = session.state().ok_or("no state")?.clone();
    let (instance, wanted) = goal(semantics, &state, random);
    let name = &model.instances[instance.index()].name;
    let line = format!("find {name}-automaton-state = {wanted}");
    let nearest = distance(semantics, &state, |state| state.automaton(instance) == wanted);
    let before = session.state().cloned();
    let answer = said(session, &line)?;
    let reached = session.state().is_some_and(|state| state.automaton(instance) == wanted);
    match nearest {
        Some(0) if answer.contains("already") => {}
        Some(steps) if steps > 0 && reached => {
            said(session, &format!("back {steps}"))?;
            tally.found += 1;
        }
        None if answer.contains("not reached") => tally.not_found += 1,
        other => return Err(format!("{line} with distance {other:?}: {answer}")),
    }
    if session.state() == before.as_ref() { Ok(()) } else { Err(format!("{line}: no shortest way, {nearest:?}")) }
}

/// An automaton state that some instance enters on a random walk; sometimes any at all.
fn goal(semantics: &Semantics, start: &State, random: &mut Random) -> (InstanceId, u32) {
    let model = semantics.model();
    let mut end = start.clone();
    for _ in 0..BOUND {
        end = random.pick(&semantics.steps(&end)).target.clone();
    }
    let moved: Vec<InstanceId> =
        model.instance_ids().filter(|instance| start.automaton(*instance) != end.automaton(*instance)).collect();
    if !moved.is_empty() && random.percent(80) {
        let instance = *random.pick(&moved);
        return (instance, end.automaton(instance));
    }
    let instance = InstanceId(random.below(model.instances.len()) as u32);
    (instance, random.below(model.agent_of(instance).states as usize + 1) as u32)
}

/// The number of steps to the nearest state that is wanted, as far as `find` looks.
fn distance(semantics: &Semantics, start: &State, wanted: impl Fn(&State) -> bool) -> Option<usize> {
    let mut seen = HashSet::from([start.clone()]);
    let mut layer = vec![start.clone()];
    for steps in 0..=BOUND {
        if layer.iter().any(&wanted) {
            return Some(steps);
        }
        let next = layer.iter().flat_map(|state| semantics.steps(state)).map(|step| step.target);
        layer = next.filter(|state| seen.insert(state.clone())).collect();
    }
    None
}
