//! The conditions of overflow, state by state, against the semantics of the model without ranges: a step
//! of that which the model itself does not have would leave a range.

use super::coverage::Coverage;
use super::graph::Graph;
use super::harness::Source;
use rcheck_smt::model::checks::{Kinds, Question, checks};
use rcheck_smt::model::eval::value::holds;
use rcheck_smt::model::eval::{Choice, Semantics, State, WhyNot};
use rcheck_smt::model::formula::StateLeaf;
use rcheck_smt::model::{AgentId, EdgeId, Expr, Formula, InstanceId, Model, Type, Value};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// The most nodes of a graph.
const NODES: usize = 400;

/// The cases that every run of the test has to see.
pub const SEEN: [&str; 6] =
    ["no overflow", "data", "update of a sender", "update of a receiver", "update of a getter", "update of a supplier"];

/// Compares them in all states of a model that are found.
pub fn check(source: &Source, coverage: &Mutex<Coverage>) -> Result<(), String> {
    let model = &source.model;
    let free = without_ranges(model);
    let (semantics, without) = (Semantics::new(model), Semantics::new(&free));
    let conditions = conditions(model);
    let mut seen = BTreeSet::new();
    for node in Graph::new(&semantics, NODES).expanded() {
        let offenders = offenders(&semantics, &without, &node.state, &mut seen)?;
        let claimed = conditions.iter().filter(|(_, condition)| is_true(condition, &node.state));
        let claimed: BTreeSet<(InstanceId, EdgeId)> = claimed.map(|(command, _)| *command).collect();
        if !offenders.is_subset(&claimed) || offenders.is_empty() != claimed.is_empty() {
            return Err(format!("in {:?}: {claimed:?} is claimed to overflow, {offenders:?} does", node.state));
        }
    }
    coverage.lock().expect("no panic before").note(seen);
    Ok(())
}

/// The commands that keep a step from existing that would exist without ranges: of each step the first one.
fn offenders(
    semantics: &Semantics,
    without: &Semantics,
    state: &State,
    seen: &mut BTreeSet<&'static str>,
) -> Result<BTreeSet<(InstanceId, EdgeId)>, String> {
    let mut offenders = BTreeSet::new();
    for step in without.steps(state).iter().filter(|step| step.choice != Choice::Stutter) {
        let (instance, edge, data) = match semantics.apply(state, &step.choice) {
            Ok(_) => continue,
            Err(WhyNot::DataOutOfRange(instance, edge, ..)) => (instance, edge, true),
            Err(WhyNot::UpdateOutOfRange(instance, edge, ..)) => (instance, edge, false),
            Err(other) => return Err(format!("{:?} from {state:?}: {other:?}", step.choice)),
        };
        seen.insert(match &step.choice {
            _ if data => "data",
            Choice::Send { sender, .. } if *sender == instance => "update of a sender",
            Choice::Send { .. } => "update of a receiver",
            Choice::GetSupply { getter, .. } if *getter == instance => "update of a getter",
            _ => "update of a supplier",
        });
        offenders.insert((instance, edge));
    }
    if offenders.is_empty() {
        seen.insert("no overflow");
    }
    Ok(offenders)
}

/// Per command of an instance the condition under which it leaves a range.
fn conditions(model: &Model) -> Vec<((InstanceId, EdgeId), Expr<StateLeaf>)> {
    let mut conditions = Vec::new();
    for check in checks(model, Kinds { overflow: true, ..Kinds::default() }) {
        let Some(Question::Overflow(agent, edge)) = check.question else { panic!("only overflow was asked for") };
        let Formula::And(list) = check.formula else { panic!("one formula per instance") };
        assert_eq!(list.len(), instances(model, agent).count());
        for (instance, formula) in instances(model, agent).zip(list) {
            let inner = formula.always(true).expect("an invariant");
            let Formula::Not(inner) = inner else { panic!("a negation") };
            let Formula::Atom(condition) = (**inner).clone() else { panic!("of a state formula") };
            conditions.push(((instance, edge), condition));
        }
    }
    conditions
}

fn instances(model: &Model, agent: AgentId) -> impl Iterator<Item = InstanceId> {
    model.instance_ids().filter(move |instance| model.instances[instance.index()].agent == agent)
}

/// Evaluates a condition on a state.
pub fn is_true(condition: &Expr<StateLeaf>, state: &State) -> bool {
    holds(condition, &|leaf| match leaf {
        StateLeaf::Local(instance, local) => Some(state.local(instance, local).clone()),
        StateLeaf::Automaton(instance) => Some(Value::int(i64::from(state.automaton(instance)))),
        StateLeaf::Deadlock | StateLeaf::Enabled(..) | StateLeaf::Total(_) => None,
    })
}

fn without_ranges(model: &Model) -> Model {
    let mut free = model.clone();
    let locals = free.agents.iter_mut().flat_map(|agent| &mut agent.locals);
    for variable in locals.chain(&mut free.messages) {
        variable.ty = match variable.ty {
            Type::Range(..) => Type::Int,
            other => other,
        };
    }
    free
}
