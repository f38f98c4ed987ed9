//! The question if a model has an initial state. If it has none it has no run, and every spec holds.

use super::durations;
use crate::limits::{Budget, Stop};
use crate::model::eval::Semantics;
use crate::model::formula::Formula;
use crate::model::{Agent, AgentId, CommandLeaf, Expr, Instance, InstanceId, Model, Parameters};
use crate::smt::unroll::Unrolling;
use crate::smt::{Literal, with_context};
use crate::source::Span;
use crate::ts::expressions::{Expressions, Scope};
use crate::ts::lower::lower;
use crate::ts::system::System;
use crate::ts::term::Term;

/// How many partial assignments are tried before a solver is asked.
const TRIES: usize = 2000;

/// Conditions that no values of locals satisfy together; without one of them some would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The instance of the conditions; none if they are about all instances together.
    pub instance: Option<InstanceId>,
    pub places: Vec<Span>,
}

/// Conditions with their places.
type PlacedTerms = Vec<(Term, Span)>;

/// The instances that keep a model from having an initial state, as far as that is found out: of those with the same
/// conditions the first one. Where values are found by trying, no solver is asked.
pub fn clashes(model: &Model) -> Vec<Clash> {
    let still = without_commands(model);
    let semantics = Semantics::new(&still);
    let mut seen: Vec<(AgentId, &Expr<CommandLeaf>)> = Vec::new();
    // Members of a family have their conditions at one place, where one clash is enough.
    let mut clashing: Vec<Span> = Vec::new();
    let suspects = still.instance_ids().filter(|&instance| {
        let Instance { agent, init, conditions, .. } = &still.instances[instance.index()];
        let place = conditions.first().map(|condition| condition.span);
        if seen.contains(&(*agent, init)) || place.is_some_and(|place| clashing.contains(&place)) {
            return false;
        }
        seen.push((*agent, init));
        let found = semantics.initial_locals_within(instance, TRIES);
        clashing.extend(place.filter(|_| found.as_ref().is_ok_and(Vec::is_empty)));
        !found.is_ok_and(|found| !found.is_empty())
    });
    let suspects: Vec<InstanceId> = suspects.collect();
    if suspects.is_empty() && still.restriction.is_none() {
        return Vec::new();
    }
    with_context(&Stop::new(), || {
        let clashes = of_suspects(&still, &suspects);
        if clashes.is_empty() { of_all(&still) } else { clashes }
    })
}

/// Initial conditions do not depend on commands, of which large models have too many for a moment's work.
fn without_commands(model: &Model) -> Model {
    let still = |agent: &Agent| Agent { edges: Vec::new(), ..agent.clone() };
    Model {
        instances: model.instances.clone(),
        joint: None,
        parameters: Parameters::default(),
        open: model.open.clone(),
        agents: model.agents.iter().map(still).collect(),
        enums: model.enums.clone(),
        channels: model.channels.clone(),
        constants: model.constants.clone(),
        restriction: model.restriction.clone(),
        messages: model.messages.clone(),
        properties: model.properties.clone(),
        specs: Vec::new(),
        point_to_point: model.point_to_point,
    }
}

fn of_suspects(model: &Model, suspects: &[InstanceId]) -> Vec<Clash> {
    let mut system = lower(model);
    let conditions = suspects.iter().map(|&instance| (Some(instance), conditions(model, &mut system, instance)));
    let conditions = conditions.collect();
    smallest(&system, conditions)
}

/// The clashes among conditions, of single instances or of all.
fn smallest(system: &System, conditions: Vec<(Option<InstanceId>, PlacedTerms)>) -> Vec<Clash> {
    let budget = Budget::new(None).aside(durations::ASIDE);
    let mut path = Unrolling::from_anywhere(system);
    let clash = |(instance, conditions): (_, PlacedTerms)| {
        Some(Clash { instance, places: minimal(&mut path, &conditions, budget)? })
    };
    conditions.into_iter().filter_map(clash).collect()
}

/// The clash of what is said of all instances together with what each of them says.
fn of_all(model: &Model) -> Vec<Clash> {
    let Some(restriction) = &model.restriction else { return Vec::new() };
    let mut system = lower(model);
    let of_each =
        model.instance_ids().flat_map(|instance| conditions(model, &mut system, instance)).collect::<Vec<_>>();
    let expressions = Expressions::new(model);
    let mut term = |part| expressions.of_locals(system.terms_mut(), part);
    let mut all = PlacedTerms::new();
    if let Formula::And(parts) = &restriction.formula
        && parts.len() == restriction.places.len()
    {
        all.extend(parts.iter().map(term).zip(restriction.places.iter().copied()));
    } else {
        all.push((term(&restriction.formula), Span::default()));
    }
    all.extend(of_each);
    smallest(&system, vec![(None, all)])
}

/// The conditions of an instance, and where they stand.
fn conditions(model: &Model, system: &mut System, instance: InstanceId) -> PlacedTerms {
    let expressions = Expressions::new(model);
    let written = model.agent_of(instance).conditions.iter().chain(&model.instances[instance.index()].conditions);
    let mut term = |expr| expressions.command(system.terms_mut(), expr, Scope::of(instance));
    written.map(|condition| (term(&condition.expr), condition.span)).collect()
}

/// A literal that makes a condition true.
fn asked(path: &mut Unrolling, condition: Term) -> Literal {
    let (asked, holds) = (Literal::fresh("condition"), path.literal(0, condition));
    path.add(&asked.implies(&holds));
    asked
}

/// The places of a smallest set of conditions that cannot be true, if all of them cannot; each place once.
fn minimal(path: &mut Unrolling, conditions: &[(Term, Span)], budget: Budget) -> Option<Vec<Span>> {
    let asked: Vec<Literal> = conditions.iter().map(|&(condition, _)| asked(path, condition)).collect();
    let of = |kept: &[usize]| kept.iter().map(|&index| asked[index].clone()).collect::<Vec<_>>();
    let core = |kept: &[usize]| {
        let literals = of(kept);
        let impossible = matches!(path.check(&literals, budget), Ok(None));
        impossible.then(|| path.core(&literals).into_iter().map(|index| kept[index]).collect::<Vec<_>>())
    };
    let mut kept = core(&(0..conditions.len()).collect::<Vec<_>>())?;
    for index in kept.clone() {
        let without: Vec<usize> = kept.iter().copied().filter(|other| *other != index).collect();
        kept = core(&without).unwrap_or(kept);
    }
    kept.sort_unstable();
    let mut places = Vec::new();
    for place in kept.into_iter().map(|index| conditions[index].1) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Some(places)
}
