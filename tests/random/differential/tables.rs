//! The tables of explorations have exactly the steps that the semantics lists, with the same facts.

use super::harness::Source;
use rcheck_smt::model::eval::tables::{Fact, Facts, Missing, Possible, Space, Starts, Tables};
use rcheck_smt::model::eval::{Choice, Influence, Semantics, State};
use rcheck_smt::model::formula::StateLeaf;
use rcheck_smt::model::{EdgeId, Formula, InstanceId, Model};
use rcheck_smt::records::bits;
use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

/// How many rows of a model are looked at.
const ROWS: usize = 300;

/// A choice, where it leads, and the facts about the step and its source.
type Seen = (Choice, Vec<u32>, Vec<bool>);

/// Compares all steps from the first rows, for each spec.
pub fn check(source: &Source) -> Result<(), String> {
    let semantics = Semantics::new(&source.model);
    let formulas = source.model.specs.iter().map(|spec| &spec.formula);
    let instances = source.model.instances.len() as u32;
    // Each instance is one cell; each is split; only each second one.
    let splits = if source.model.joint.is_some() {
        vec![vec![]]
    } else {
        vec![vec![], (0..instances).collect(), (0..instances).step_by(2).collect()]
    };
    let mut formulas = formulas.into_iter();
    formulas.try_for_each(|formula| splits.iter().try_for_each(|split| check_formula(&semantics, formula, split)))
}

fn check_formula(semantics: &Semantics, formula: &Formula, split: &[u32]) -> Result<(), String> {
    let model = semantics.model();
    let mut facts = facts(model, formula);
    facts.extend(labels(model));
    let mut numbered = Facts::default();
    for fact in facts {
        numbered.add(fact);
    }
    let (Ok(Some(starts)), Ok(listed)) = (Starts::of(semantics), semantics.initial_states()) else { return Ok(()) };
    let mut tables = Tables::new(semantics, &Influence::of(model, formula), &numbered, &starts, split);
    let initial = tables.initial(&starts).map_err(|error| error.to_string())?;
    let mut open = VecDeque::new();
    let end = initial.for_each(&mut |row| {
        open.push_back(row.to_vec());
        ControlFlow::<()>::Continue(())
    });
    assert!(end.is_continue());
    let of_semantics: BTreeSet<Vec<u32>> = listed.iter().map(|state| tables.row(state)).collect();
    if of_semantics != open.iter().cloned().collect() || of_semantics.len() != open.len() {
        return Err(format!("{} initial rows, and {} of the semantics", open.len(), of_semantics.len()));
    }
    if !open.iter().all(|row| initial.state(semantics, row).is_some_and(|state| semantics.is_initial(&state))) {
        return Err("a row stands for no initial state".to_owned());
    }
    let mut known: BTreeSet<Vec<u32>> = open.iter().cloned().collect();
    while let Some(row) = open.pop_front() {
        let state = tables.state(&row);
        if state.is_huge() {
            continue;
        }
        let from_tables = steps(&mut tables, &row);
        let direct = semantics_steps(&mut tables, &state);
        if from_tables != direct {
            return Err(format!("from {state:?}\ntables {from_tables:#?}\nsemantics {direct:#?}"));
        }
        for (_, target, _) in direct {
            if known.len() < ROWS && known.insert(target.clone()) {
                open.push_back(target);
            }
        }
    }
    Ok(())
}

/// The facts that a formula speaks of.
fn facts<'f>(model: &Model, formula: &'f Formula) -> Vec<Fact<'f>> {
    let mut list = Vec::new();
    let mut open = vec![formula];
    while let Some(formula) = open.pop() {
        match formula {
            Formula::Atom(expr) => list.push(Fact::State(expr)),
            Formula::Label(..) => {}
            Formula::Observed(observation) => list.push(Fact::Observed(observation)),
            _ => {}
        }
        formula.for_each_child(&mut |child| open.push(child));
    }
    assert!(list.iter().all(|fact| !matches!(fact, Fact::State(expr) if reads_totals(expr))), "{}", model.specs.len());
    list
}

fn reads_totals(expr: &rcheck_smt::model::Expr<StateLeaf>) -> bool {
    expr.any_leaf(|leaf| matches!(leaf, StateLeaf::Total(_)))
}

/// A fact for each command of each instance.
fn labels(model: &Model) -> Vec<Fact<'static>> {
    let commands = model.instance_ids().flat_map(|instance| {
        (0..model.agent_of(instance).edges.len() as u32).map(move |edge| (instance, EdgeId(edge)))
    });
    let label = |(instance, edge): (InstanceId, EdgeId)| {
        if model.is_receive(instance, edge) { Fact::Received(instance, edge) } else { Fact::Performed(instance, edge) }
    };
    commands.map(label).collect()
}

fn steps(tables: &mut Tables, row: &[u32]) -> Vec<Seen> {
    loop {
        match try_steps(tables, row) {
            Ok(steps) => return steps,
            Err(missing) => tables.fill(missing),
        }
    }
}

fn try_steps(tables: &Tables, row: &[u32]) -> Result<Vec<Seen>, Missing> {
    let all = vec![u64::MAX; bits::words(tables.facts().len())];
    let mut found = Vec::new();
    let mut possible = Possible::default();
    tables.steps(row, &mut Space::default(), &mut possible, &mut |step| {
        let mut target = row.to_vec();
        step.change(&mut target);
        found.push((tables.choice(&step), target, step.letter));
    })?;
    let mut of_state = vec![0; all.len()];
    tables.state_facts(row, &possible, &all, &mut of_state);
    let seen = found.into_iter().map(|(choice, target, letter)| {
        let of_step = tables.letter(letter);
        let facts = (0..tables.facts().len()).map(|bit| bits::get(&of_state, bit) || bits::get(of_step, bit));
        (choice, target, facts.collect())
    });
    let mut seen: Vec<Seen> = seen.collect();
    seen.sort_unstable();
    Ok(seen)
}

fn semantics_steps(tables: &mut Tables, state: &State) -> Vec<Seen> {
    let semantics = tables.semantics();
    let mut seen: Vec<Seen> = Vec::new();
    for step in semantics.steps(state) {
        let truth = |fact: &Fact| match fact {
            Fact::State(expr) => {
                rcheck_smt::model::eval::value::holds(expr, &|leaf| Some(semantics.value(state, leaf)))
            }
            Fact::Received(instance, edge) => step.choice.receives(*instance, *edge),
            Fact::Performed(instance, edge) => step.choice.performs(*instance, *edge),
            Fact::Observed(observation) => semantics.observes(state, &step, observation),
            Fact::Branching(_) => unreachable!("these specs are about single runs"),
        };
        let facts = tables.facts().iter().map(truth).collect();
        let target = tables.row(&step.target);
        seen.push((step.choice, target, facts));
    }
    seen.sort_unstable();
    seen
}
