//! Explorations with symmetries and without: the same verdicts, each with evidence that survives its check,
//! and the same states once orbits are unfolded.

use super::coverage::Coverage;
use super::harness::Source;
use crate::common::random::Random;
use rcheck_smt::check::Counterexample;
use rcheck_smt::check::explicit::confirm;
use rcheck_smt::claim::explicit::{
    ClosedSet, ExplicitCertificate, ExplicitClaim, GraphCertificate, PartCertificate, Why,
};
use rcheck_smt::claim::symmetry::Renaming;
use rcheck_smt::engine::explicit::{Config, run};
use rcheck_smt::model::eval::{Influence, Semantics};
use rcheck_smt::model::{AgentId, BinaryOp, CommandLeaf, Expr, Formula, InstanceId, LocalId, Model, Type, Value};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// The most product states of an exploration without symmetries.
const STATES: usize = 4000;

/// The cases that every run of the test has to see.
pub const SEEN: [&str; 8] = [
    "symmetries between instances",
    "symmetries that rename constants",
    "fewer states with symmetries",
    "no symmetries",
    "conjuncts that are images of others",
    "holds with symmetries",
    "violated by a beginning",
    "violated by a lasso",
];

/// The cases that every run of the test under fairness has to see.
pub const SEEN_UNDER_FAIRNESS: [&str; 5] = [
    "evidence for other specs",
    "holds with symmetries",
    "violated by a lasso",
    "unanswered conditions with symmetries",
    "conditions that symmetries move",
];

/// Compares explorations of a model, as it is and with instances made more alike.
pub fn check(source: &Source, coverage: &Mutex<Coverage>) -> Result<(), String> {
    check_model(&source.model, coverage)?;
    let mut random = Random::new(source.seed);
    (0..3).try_for_each(|_| check_model(&aligned(&source.model, &mut random), coverage))
}

fn check_model(model: &Model, coverage: &Mutex<Coverage>) -> Result<(), String> {
    let semantics = Semantics::new(model);
    let mut seen = Vec::new();
    for formula in model.specs.iter().map(|spec| &spec.formula) {
        let of_all = Formula::And(images(model, formula));
        for formula in [formula, &of_all] {
            let shown = |error| format!("{error}\nof {:#?}\nand {}", model.instances, model.show_formula(formula));
            compare(&semantics, formula, &mut seen).map_err(shown)?;
        }
    }
    compare_states(&semantics, &mut seen)?;
    coverage.lock().expect("no panic before").note(seen);
    Ok(())
}

/// Compares explorations of a model, spec by spec, as it is.
pub fn check_specs(source: &Source) -> Result<(), String> {
    let semantics = Semantics::new(&source.model);
    let mut specs = source.model.specs.iter().zip(1..);
    specs.try_for_each(|(spec, number)| {
        compare(&semantics, &spec.formula, &mut Vec::new()).map_err(|error| format!("spec {number}: {error}"))
    })
}

/// The same of models under fairness; says what came to bear.
pub fn check_fair(source: &Source, coverage: &Mutex<Coverage>) -> Result<(), String> {
    let semantics = Semantics::new(&source.model);
    let (mut seen, mut certificates, mut violated) = (Vec::new(), Vec::new(), Vec::new());
    for (spec, number) in source.model.specs.iter().zip(1..) {
        compare(&semantics, &spec.formula, &mut seen).map_err(|error| format!("spec {number}: {error}"))?;
        match run(&semantics, &spec.formula, Config { states: STATES, ..Config::default() }) {
            ExplicitClaim::Holds(certificate) => certificates.push(certificate),
            ExplicitClaim::Violated(_) => violated.push((&spec.formula, number)),
            ExplicitClaim::Unknown { .. } => {}
        }
    }
    for certificate in &certificates {
        let is_symmetric = certificate.graphs.iter().any(|graph| !graph.generators.is_empty());
        let names = |set: &ClosedSet| set.reasons.iter().any(|why| matches!(why, Why::Unanswered(_)));
        let moves = |set: &ClosedSet| set.ranks.windows(2).any(|pair| pair[0].order == pair[1].order);
        if is_symmetric && certificate.closed_sets().any(names) {
            seen.push("unanswered conditions with symmetries");
        }
        if certificate.closed_sets().any(moves) {
            seen.push("conditions that symmetries move");
        }
        for (formula, number) in &violated {
            if confirm(&semantics, formula, certificate.clone().into(), 1).is_ok() {
                return Err(format!("spec {number} is violated, and proved by the evidence for another one"));
            }
            // With other reasons, and other parts of the evidence.
            let mut altered = certificate.clone();
            for part in &mut altered.parts {
                if let PartCertificate::Closed(set) = part {
                    set.reasons.rotate_left(1);
                }
            }
            if confirm(&semantics, formula, altered.into(), 1).is_ok() {
                return Err(format!("spec {number} is violated, and proved by altered evidence for another one"));
            }
            seen.push("evidence for other specs");
        }
    }
    coverage.lock().expect("no panic before").note(seen);
    Ok(())
}

/// The same verdict, each with evidence.
fn compare(semantics: &Semantics, formula: &Formula, seen: &mut Vec<&'static str>) -> Result<(), String> {
    let config = Config { states: STATES, ..Config::default() };
    let plain = verdict(semantics, formula, &run(semantics, formula, Config { symmetry: false, ..config }))?;
    let claim = run(semantics, formula, config);
    let symmetric = verdict(semantics, formula, &claim)?;
    if plain.is_some() && plain != symmetric {
        return Err(format!("{symmetric:?} with symmetries, {plain:?} without"));
    }
    match claim {
        ExplicitClaim::Holds(certificate) => {
            if certificate.parts.iter().any(|part| matches!(part, PartCertificate::Image { .. })) {
                seen.push("conjuncts that are images of others");
            }
            if certificate.graphs.iter().any(|graph| !graph.generators.is_empty()) {
                seen.push("holds with symmetries");
            }
        }
        ExplicitClaim::Violated(trace) if trace.loop_start.is_some() => seen.push("violated by a lasso"),
        ExplicitClaim::Violated(_) => seen.push("violated by a beginning"),
        ExplicitClaim::Unknown { .. } => {}
    }
    Ok(())
}

fn verdict(semantics: &Semantics, formula: &Formula, claim: &ExplicitClaim) -> Result<Option<bool>, String> {
    match claim {
        ExplicitClaim::Holds(certificate) => {
            confirm(semantics, formula, certificate.clone().into(), 1).map_err(|error| error.to_string())?;
            Ok(Some(true))
        }
        ExplicitClaim::Violated(trace) => {
            Counterexample::confirm(semantics, formula, trace).map_err(|error| error.to_string())?;
            Ok(Some(false))
        }
        ExplicitClaim::Unknown { .. } => Ok(None),
    }
}

/// The orbits of the states that are visited with symmetries are the states that are visited without.
fn compare_states(semantics: &Semantics, seen: &mut Vec<&'static str>) -> Result<(), String> {
    let always = Formula::TRUE.globally();
    let explore = |symmetry| match run(semantics, &always, Config { states: STATES, symmetry, ..Config::default() }) {
        ExplicitClaim::Holds(certificate) => Some(certificate),
        _ => None,
    };
    let (Some(with), Some(without)) = (explore(true), explore(false)) else { return Ok(()) };
    let influence = Influence::of(semantics.model(), &always);
    let decoded = |certificate: &ExplicitCertificate| -> BTreeSet<Record> {
        let Some(set) = certificate.closed_sets().next() else { return BTreeSet::new() };
        set.members.rows().map(|row| decode(semantics.model(), &influence, &certificate.graphs[0], &row)).collect()
    };
    let generators = with.graphs.first().map_or(&[][..], |graph| &graph.generators);
    let mut all = decoded(&with);
    let mut open: Vec<Record> = all.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for generator in generators {
            let image = image(semantics.model(), generator, &state);
            if all.insert(image.clone()) {
                open.push(image);
            }
        }
    }
    let plain = decoded(&without);
    if all != plain {
        return Err(format!("{} states in {} orbits, {} without", all.len(), with.states(), plain.len()));
    }
    let renames = |renaming: &Renaming| renaming.channels.iter().zip(0..).any(|(to, from)| *to != from);
    let kinds = [
        ("symmetries between instances", !generators.is_empty()),
        ("symmetries that rename constants", generators.iter().any(renames)),
        ("fewer states with symmetries", with.states() < without.states()),
        ("no symmetries", generators.is_empty()),
    ];
    seen.extend(kinds.into_iter().filter(|(_, found)| *found).map(|(kind, _)| kind));
    Ok(())
}

/// Per instance the automaton state, and the locals as far as they matter.
type Record = Vec<(u32, Vec<Option<Value>>)>;

fn decode(model: &Model, influence: &Influence, graph: &GraphCertificate, row: &[u32]) -> Record {
    let instance = |id: InstanceId| {
        let local_state = &graph.local_states[id.index()][row[id.index()] as usize];
        let mut values = local_state.values.iter().cloned();
        let locals = (0..model.agent_of(id).locals.len() as u32).map(LocalId);
        let locals =
            locals.map(|local| influence.contains(id, local).then(|| values.next().expect("those that matter")));
        (local_state.automaton, locals.collect())
    };
    model.instance_ids().map(instance).collect()
}

fn image(model: &Model, renaming: &Renaming, state: &Record) -> Record {
    let mut image = vec![(0, Vec::new()); state.len()];
    for (instance, (automaton, values)) in model.instance_ids().zip(state) {
        let locals = model.agent_of(instance).locals.iter().zip(values);
        let renamed = locals.map(|(local, value)| match (local.ty, value) {
            (Type::Channel, Some(Value::Enum(index))) => Some(Value::Enum(renaming.channels[*index as usize])),
            (Type::Location, Some(Value::Enum(index))) => Some(Value::Enum(renaming.instances[*index as usize])),
            (Type::Enum(id), Some(Value::Enum(index))) => {
                Some(Value::Enum(renaming.constants[id.index()][*index as usize]))
            }
            (_, value) => value.clone(),
        });
        image[renaming.instances[instance.index()] as usize] = (*automaton, renamed.collect());
    }
    image
}

/// The formula with labels of each instance in the place of those of another one of its type: not all are
/// images under a symmetry.
fn images(model: &Model, formula: &Formula) -> Vec<Formula> {
    let alike = |one: &InstanceId, other: &InstanceId| {
        model.instances[one.index()].agent == model.instances[other.index()].agent
    };
    let mut list = vec![formula.clone()];
    for one in model.instance_ids() {
        for other in model.instance_ids().filter(|other| one < *other && alike(&one, other)) {
            list.push(swapped(formula, one, other));
        }
    }
    list
}

fn swapped(formula: &Formula, one: InstanceId, other: InstanceId) -> Formula {
    match formula {
        Formula::Label(instance, edge) if *instance == one => Formula::Label(other, *edge),
        Formula::Label(instance, edge) if *instance == other => Formula::Label(one, *edge),
        formula => formula.with_operands(&mut |part| swapped(part, one, other)),
    }
}

/// The model with instances of each type that differ in one constant at most: an enum constant, the
/// name of an instance, or a channel of their own.
fn aligned(model: &Model, random: &mut Random) -> Model {
    let mut model = model.clone();
    for agent in 0..model.agents.len() {
        let instances: Vec<usize> =
            (0..model.instances.len()).filter(|index| model.instances[*index].agent == AgentId(agent as u32)).collect();
        let locals = model.agents[agent].locals.iter().zip(0..).filter_map(|(local, index)| {
            matches!(local.ty, Type::Channel | Type::Enum(_) | Type::Location).then_some((LocalId(index), local.ty))
        });
        let locals: Vec<(LocalId, Type)> = locals.collect();
        let private = (!locals.is_empty() && random.percent(75)).then(|| *random.pick(&locals));
        let ring = random.percent(50);
        let first_channel = model.channels.len();
        if private.is_some_and(|(_, ty)| ty == Type::Channel) {
            model.channels.extend((0..instances.len()).map(|number| format!("own{agent}_{number}")));
        }
        for (number, index) in instances.iter().enumerate() {
            let value = |(local, ty): (LocalId, Type)| {
                let value = match ty {
                    Type::Location if ring => instances[(number + 1) % instances.len()],
                    Type::Location => *index,
                    Type::Channel => first_channel + number,
                    _ => number % model.cardinality(ty).expect("finite") as usize,
                };
                let value = Expr::Const(Value::Enum(value as u32));
                Expr::binary(BinaryOp::Eq, Expr::Leaf(CommandLeaf::Local(local)), value)
            };
            model.instances[*index].init = private.map_or(Expr::TRUE, value);
        }
        if let Some((local, _)) = private {
            let init = std::mem::replace(&mut model.agents[agent].init, Expr::TRUE);
            model.agents[agent].init = without(init, local);
        }
    }
    model
}

/// The conjuncts that do not speak of the local.
fn without(expr: Expr<CommandLeaf>, local: LocalId) -> Expr<CommandLeaf> {
    match expr {
        Expr::Binary(BinaryOp::And, left, right) => {
            Expr::binary(BinaryOp::And, without(*left, local), without(*right, local))
        }
        other if other.any_leaf(|leaf| *leaf == CommandLeaf::Local(local)) => Expr::TRUE,
        other => other,
    }
}
