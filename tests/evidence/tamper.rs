//! Counterexamples that were tampered with are refused. A claim of the engine is changed in every
//! way that we can think of; what is confirmed nevertheless must be a counterexample by another route.

use crate::common::{model, root, source};
use rcheck_smt::check::Counterexample;
use rcheck_smt::claim::{Claim, Trace};
use rcheck_smt::engine::bmc;
use rcheck_smt::limits::{Budget, Stop};
use rcheck_smt::model::eval::{Choice, Influence, Run, Semantics, State, Truth};
use rcheck_smt::model::spec::Expectation;
use rcheck_smt::model::{Action, EdgeId, Formula, InstanceId, Model, Type, Value};
use rcheck_smt::property::Property;
use rcheck_smt::smt::with_context;
use rcheck_smt::source::SourceFile;
use rcheck_smt::ts::system::Origin;
use rcheck_smt::verify::Subject;
use std::collections::BTreeMap;

/// How a trace was tampered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Initial,
    Automaton,
    MissingInstance,
    Dropped,
    Duplicated,
    Swapped,
    OtherCommand,
    OtherSender,
    OtherSupplier,
    ReceptionDropped,
    ReceptionAdded,
    OtherReceive,
    Reordered,
    Stuttered,
    Loop,
    NoLoop,
    Cut,
    OtherSpec,
}

const KINDS: [Kind; 18] = [
    Kind::Initial,
    Kind::Automaton,
    Kind::MissingInstance,
    Kind::Dropped,
    Kind::Duplicated,
    Kind::Swapped,
    Kind::OtherCommand,
    Kind::OtherSender,
    Kind::OtherSupplier,
    Kind::ReceptionDropped,
    Kind::ReceptionAdded,
    Kind::OtherReceive,
    Kind::Reordered,
    Kind::Stuttered,
    Kind::Loop,
    Kind::NoLoop,
    Kind::Cut,
    Kind::OtherSpec,
];

/// Models whose violated specs have prefixes and lassos of all kinds of steps, and how deep they are.
fn models() -> Vec<(Model, usize)> {
    let relay = root().join("tests/fixtures/cli/relay.rcp");
    let relay = SourceFile::new("relay.rcp", std::fs::read_to_string(relay).expect("readable"));
    let shipped = [
        "stable_allocation.rcp",
        "token_ring.rcp",
        "bounded_buffer.rcp",
        "auction.rcp",
        "resource_allocation/modern.rcp",
        "features/quantifiers.rcp",
        "features/two_ready_receives.rcp",
        "features/temporal_operators.rcp",
        "features/get_by_name.rcp",
    ];
    let shipped = shipped.into_iter().map(|name| (model(&source(name)), 8));
    std::iter::once((model(&relay), 8)).chain(shipped).collect()
}

/// The claim of the engine about a spec.
fn claimed(subject: &Subject, spec: usize, bound: usize) -> Option<Trace> {
    let (model, mut system) = (subject.model(), subject.system().clone());
    let property = Property::new(model, &mut system, &model.specs[spec]);
    let influence = Influence::of(model, &model.specs[spec].formula);
    let matters = |origin: Origin| match origin {
        Origin::Local(instance, local) => influence.contains(instance, local),
        Origin::Automaton(_) => true,
        Origin::Received(..) | Origin::Obligation(_) | Origin::Counter(_) | Origin::Number | Origin::Total(_) => false,
        Origin::Argument(_) | Origin::Free(_) => unreachable!("models have no clauses"),
    };
    let also_close: Vec<_> = system.var_ids().filter(|id| matters(system.variable(*id).origin)).collect();
    let (stop, budget) = (Stop::new(), Budget::new(None));
    let config =
        bmc::Config { bound, budget, stop: &stop, also_close: &also_close, recurrence: None, progress: &|_| {} };
    match with_context(&stop, || bmc::run(&system, &property, config)).0 {
        Claim::Violated { trace } => Some(trace),
        Claim::Recurrent { .. } => panic!("rounds were not asked for"),
        Claim::Clear { .. } => None,
        Claim::Unknown { reason, .. } => panic!("unknown: {reason}"),
    }
}

/// Values that a variable could have instead.
fn others(model: &Model, value: &Value, ty: Type) -> Vec<Value> {
    match value {
        Value::Bool(value) => vec![Value::Bool(!value)],
        Value::Int(value) => vec![Value::Int(value + 1), Value::Int(value - 1)],
        Value::Enum(value) => {
            let count = model.cardinality(ty).expect("finite") as u32;
            (0..count).filter(|other| other != value).map(Value::Enum).collect()
        }
    }
}

/// Collects what is not the trace itself.
struct Tamperer<'m> {
    model: &'m Model,
    trace: &'m Trace,
    found: Vec<(Kind, Trace)>,
}

impl Tamperer<'_> {
    fn with(&mut self, kind: Kind, change: impl FnOnce(&mut Trace)) {
        let mut changed = self.trace.clone();
        change(&mut changed);
        if changed != *self.trace {
            self.found.push((kind, changed));
        }
    }

    fn initial(&mut self) {
        let trace = self.trace;
        for (instance, (automaton, locals)) in trace.initial.iter().enumerate() {
            let agent = self.model.agent_of(InstanceId(instance as u32));
            for (local, value) in locals.iter().enumerate() {
                for other in others(self.model, value, agent.locals[local].ty) {
                    self.with(Kind::Initial, |trace| trace.initial[instance].1[local] = other);
                }
            }
            for other in (0..=agent.states).filter(|other| other != automaton) {
                self.with(Kind::Automaton, |trace| trace.initial[instance].0 = other);
            }
            self.with(Kind::MissingInstance, |trace| drop(trace.initial.remove(instance)));
        }
    }

    fn sequence(&mut self) {
        for at in 0..self.trace.choices.len() {
            self.with(Kind::Dropped, |trace| drop(trace.choices.remove(at)));
            self.with(Kind::Duplicated, |trace| trace.choices.insert(at, trace.choices[at].clone()));
            self.with(Kind::Stuttered, |trace| trace.choices[at] = Choice::Stutter);
            if at > 0 {
                self.with(Kind::Swapped, |trace| trace.choices.swap(at - 1, at));
            }
        }
        self.with(Kind::Cut, |trace| drop(trace.choices.pop()));
    }

    fn loops(&mut self) {
        for start in 0..self.trace.choices.len() + 2 {
            self.with(Kind::Loop, |trace| trace.loop_start = Some(start));
        }
        self.with(Kind::NoLoop, |trace| trace.loop_start = None);
    }

    fn steps(&mut self) {
        let trace = self.trace;
        for (at, choice) in trace.choices.iter().enumerate() {
            match choice {
                Choice::Stutter => {}
                Choice::Send { sender, edge, receivers } => self.send(at, *sender, *edge, receivers),
                Choice::GetSupply { getter, get, supplier, supply } => {
                    self.transfer(at, (*getter, *get), (*supplier, *supply));
                }
                Choice::Joint(deeds) => self.joint(at, deeds),
            }
        }
    }

    fn send(&mut self, at: usize, sender: InstanceId, edge: EdgeId, receivers: &[(InstanceId, EdgeId)]) {
        let to = |sender, edge, receivers| Choice::Send { sender, edge, receivers };
        for other in self.edges(sender).filter(|other| *other != edge).collect::<Vec<_>>() {
            self.with(Kind::OtherCommand, |trace| trace.choices[at] = to(sender, other, receivers.to_vec()));
        }
        for other in self.model.instance_ids().filter(|other| *other != sender) {
            self.with(Kind::OtherSender, |trace| trace.choices[at] = to(other, edge, receivers.to_vec()));
        }
        for index in 0..receivers.len() {
            let mut fewer = receivers.to_vec();
            let (receiver, received) = fewer.remove(index);
            self.with(Kind::ReceptionDropped, |trace| trace.choices[at] = to(sender, edge, fewer));
            for other in self.receives(receiver).into_iter().filter(|other| *other != received) {
                let mut changed = receivers.to_vec();
                changed[index].1 = other;
                self.with(Kind::OtherReceive, |trace| trace.choices[at] = to(sender, edge, changed));
            }
        }
        for receiver in self.model.instance_ids().filter(|id| receivers.iter().all(|(taken, _)| taken != id)) {
            for received in self.receives(receiver) {
                let mut more = [receivers, &[(receiver, received)]].concat();
                more.sort();
                self.with(Kind::ReceptionAdded, |trace| trace.choices[at] = to(sender, edge, more));
            }
        }
        let reversed: Vec<_> = receivers.iter().rev().copied().collect();
        self.with(Kind::Reordered, |trace| trace.choices[at] = to(sender, edge, reversed));
    }

    fn transfer(&mut self, at: usize, get: (InstanceId, EdgeId), supply: (InstanceId, EdgeId)) {
        let meet = |(getter, get), (supplier, supply)| Choice::GetSupply { getter, get, supplier, supply };
        for other in self.edges(get.0).filter(|other| *other != get.1).collect::<Vec<_>>() {
            self.with(Kind::OtherCommand, |trace| trace.choices[at] = meet((get.0, other), supply));
        }
        for other in self.edges(supply.0).filter(|other| *other != supply.1).collect::<Vec<_>>() {
            self.with(Kind::OtherCommand, |trace| trace.choices[at] = meet(get, (supply.0, other)));
        }
        for other in self.model.instance_ids().filter(|other| *other != supply.0) {
            self.with(Kind::OtherSupplier, |trace| trace.choices[at] = meet(get, (other, supply.1)));
        }
    }

    fn joint(&mut self, at: usize, deeds: &[(InstanceId, EdgeId)]) {
        for (index, (instance, deed)) in deeds.iter().enumerate() {
            for other in (0..=self.model.commands_of(*instance)).map(EdgeId).filter(|other| other != deed) {
                self.with(Kind::OtherCommand, |trace| trace.choices[at] = replaced(deeds, index, (*instance, other)));
            }
            for other in self.model.instance_ids().filter(|other| other != instance) {
                self.with(Kind::OtherSender, |trace| trace.choices[at] = replaced(deeds, index, (other, *deed)));
            }
            let fewer = [&deeds[..index], &deeds[index + 1..]].concat();
            self.with(Kind::ReceptionDropped, |trace| trace.choices[at] = Choice::Joint(fewer));
        }
        let reversed: Vec<_> = deeds.iter().rev().copied().collect();
        self.with(Kind::Reordered, |trace| trace.choices[at] = Choice::Joint(reversed));
    }

    fn edges(&self, instance: InstanceId) -> impl Iterator<Item = EdgeId> + use<> {
        (0..self.model.agent_of(instance).edges.len() as u32).map(EdgeId)
    }

    fn receives(&self, instance: InstanceId) -> Vec<EdgeId> {
        let edges = &self.model.agent_of(instance).edges;
        let receives = |edge: &EdgeId| matches!(edges[edge.index()].action, Action::Receive { .. });
        self.edges(instance).filter(receives).collect()
    }
}

/// Deeds of all with another one of one agent.
fn replaced(deeds: &[(InstanceId, EdgeId)], index: usize, deed: (InstanceId, EdgeId)) -> Choice {
    let mut changed = deeds.to_vec();
    changed[index] = deed;
    Choice::Joint(changed)
}

fn tampered(model: &Model, trace: &Trace) -> Vec<(Kind, Trace)> {
    let mut tamperer = Tamperer { model, trace, found: Vec::new() };
    tamperer.initial();
    tamperer.sequence();
    tamperer.loops();
    tamperer.steps();
    tamperer.found
}

/// True if the trace violates the formula, by a route of its own: every step is one of those that the
/// semantics lists (nothing is replayed by name), the loop closes on all that matters, and the formula
/// is also false on the same run with its loop written down twice.
fn is_genuine(semantics: &Semantics, formula: &Formula, trace: &Trace) -> bool {
    let Ok(initial) = semantics.state_from(&trace.initial) else { return false };
    if !semantics.is_initial(&initial) {
        return false;
    }
    let mut states = vec![initial.clone()];
    for choice in &trace.choices {
        let listed = semantics.steps(&states[states.len() - 1]);
        let Some(step) = listed.into_iter().find(|step| step.choice == *choice) else { return false };
        states.push(step.target);
    }
    let influence = Influence::of(semantics.model(), formula);
    let mut choices = trace.choices.clone();
    let mut loop_start = None;
    if let Some(start) = trace.loop_start {
        if start >= choices.len() || !agree(semantics.model(), &influence, &states[start], &states[choices.len()]) {
            return false;
        }
        loop_start = Some(choices.len());
        choices.extend_from_within(start..);
    }
    let run = Run::replay(semantics, initial, &choices, loop_start, &influence).expect("the loop goes on");
    run.evaluate(formula) == Truth::False
}

fn agree(model: &Model, influence: &Influence, one: &State, other: &State) -> bool {
    model.instance_ids().all(|instance| {
        let locals = (0..model.agent_of(instance).locals.len() as u32).map(rcheck_smt::model::LocalId);
        let mut matter = locals.filter(|local| influence.contains(instance, *local));
        one.automaton(instance) == other.automaton(instance)
            && matter.all(|local| one.local(instance, local) == other.local(instance, local))
    })
}

/// The outcomes of the attempts of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    refused: usize,
    genuine: usize,
}

#[test]
#[allow(clippy::print_stdout)] // a table for people
fn tampered_counterexamples_are_refused() {
    let mut tallies: BTreeMap<Kind, Tally> = BTreeMap::new();
    let (mut prefixes, mut lassos) = (0, 0);
    for (model, bound) in models() {
        let subject = Subject::new(&model);
        let semantics = subject.semantics();
        for (index, spec) in model.specs.iter().enumerate() {
            if spec.expect != Some(Expectation::Violated) {
                continue;
            }
            let Some(trace) = claimed(&subject, index, bound) else { continue };
            assert!(Counterexample::confirm(semantics, &spec.formula, &trace).is_ok(), "{:?}", spec.name);
            assert!(is_genuine(semantics, &spec.formula, &trace), "{:?}", spec.name);
            *(if trace.loop_start.is_some() { &mut lassos } else { &mut prefixes }) += 1;
            let mut attempts: Vec<(Kind, Trace, &Formula)> =
                tampered(&model, &trace).into_iter().map(|(kind, trace)| (kind, trace, &spec.formula)).collect();
            let others = model.specs.iter().filter(|other| other.formula != spec.formula);
            attempts.extend(others.map(|other| (Kind::OtherSpec, trace.clone(), &other.formula)));
            for (kind, trace, formula) in attempts {
                let confirmed = Counterexample::confirm(semantics, formula, &trace).is_ok();
                let genuine = is_genuine(semantics, formula, &trace);
                assert_eq!(confirmed, genuine, "{:?}, {kind:?}: {trace:?}", spec.name);
                let tally = tallies.entry(kind).or_default();
                *(if confirmed { &mut tally.genuine } else { &mut tally.refused }) += 1;
            }
        }
    }
    for (kind, tally) in &tallies {
        println!("{kind:?}: {} refused, {} genuine", tally.refused, tally.genuine);
    }
    assert!(prefixes >= 10 && lassos >= 10, "{prefixes} prefixes, {lassos} lassos");
    for kind in KINDS {
        assert!(tallies.get(&kind).is_some_and(|tally| tally.refused > 0), "{kind:?} was never refused");
    }
}

/// A spec that holds has no counterexample, whatever trace is offered.
#[test]
fn traces_of_other_specs_prove_nothing() {
    for (model, bound) in models() {
        let subject = Subject::new(&model);
        for index in (0..model.specs.len()).filter(|spec| model.specs[*spec].expect == Some(Expectation::Violated)) {
            let Some(trace) = claimed(&subject, index, bound) else { continue };
            for spec in model.specs.iter().filter(|spec| spec.expect == Some(Expectation::Holds)) {
                assert!(
                    Counterexample::confirm(subject.semantics(), &spec.formula, &trace).is_err(),
                    "{:?}",
                    spec.name
                );
            }
        }
    }
}
