//! A model that starts in given states, whichever they are: where agents are in their automata becomes a local.

use super::branching::Branching;
use super::checks::substitute::substituted;
use super::formula::StateLeaf;
use super::strategy::Beginning;
use super::{
    AgentId, BinaryOp, CommandLeaf, Expr, Formula, InstanceId, LocalId, Model, Restriction, Type, Value, Variable,
};
use crate::source::Span;

/// Per instance its automaton state and the values of its locals.
pub type StateParts = Vec<(u32, Vec<Value>)>;

impl Model {
    /// The same where the initial states are these. Each agent has one more local, the last one, which is its automaton state.
    pub fn starting(&self, states: &[StateParts]) -> Model {
        let mut model = self.with_specs(Vec::new());
        for (index, instance) in model.instances.iter_mut().enumerate() {
            let mut agent = model.agents[instance.agent.index()].clone();
            let place = LocalId(agent.locals.len() as u32);
            let mut name = "place".to_owned();
            while agent.locals.iter().any(|local| local.name == name) {
                name.push('_');
            }
            let ty = Type::Range(0, i64::from(agent.states) - 1);
            agent.locals.push(Variable { name, ty, span: Span::default() });
            let at = |state: u32| Expr::Const(Value::int(i64::from(state)));
            for edge in &mut agent.edges {
                let is_here = Expr::binary(BinaryOp::Eq, Expr::Leaf(CommandLeaf::Local(place)), at(edge.source));
                edge.guard = Expr::binary(BinaryOp::And, is_here, edge.guard.clone());
                edge.updates.push((place, at(edge.target)));
                (edge.source, edge.target) = (0, 0);
            }
            // Each local state of the instance once, so that these can be listed.
            let mut here: Vec<&(u32, Vec<Value>)> = states.iter().map(|parts| &parts[index]).collect();
            here.sort_unstable();
            here.dedup();
            let is_in = |(place, locals): &(u32, Vec<Value>)| {
                let values =
                    valued(*place, locals).into_iter().map(|(local, value)| equals(CommandLeaf::Local(local), &value));
                Expr::joined(BinaryOp::And, values.map(Some))
            };
            agent.init = Expr::joined(BinaryOp::Or, here.into_iter().map(is_in)).expect("each part is one");
            (agent.conditions, agent.states) = (Vec::new(), 1);
            (instance.init, instance.conditions) = (Expr::TRUE, Vec::new());
            instance.agent = AgentId((self.agents.len() + index) as u32);
            model.agents.push(agent);
        }
        let start = |parts: &StateParts| {
            let of = |(instance, (place, locals)): (InstanceId, &(u32, Vec<Value>))| {
                valued(*place, locals).into_iter().map(move |(local, value)| (StateLeaf::Local(instance, local), value))
            };
            let all = self.instance_ids().zip(parts).flat_map(of);
            Formula::And(all.map(|(leaf, value)| Formula::Atom(equals(leaf, &value))).collect())
        };
        let formula = Formula::Or(states.iter().map(start).collect());
        model.restriction = Some(Restriction { formula, places: Vec::new() });
        model
    }

    /// The same question at the beginning of such a model.
    pub fn from_here(&self, can: &Branching) -> Beginning {
        let moved = |formula: &Formula| self.moved(formula);
        let can =
            Branching { operator: can.operator.clone(), body: moved(&can.body), among: can.among.as_ref().map(moved) };
        Beginning { can, given: Vec::new() }
    }

    /// A formula about this model, as one about the model that starts in given states.
    fn moved(&self, formula: &Formula) -> Formula {
        let leaf = |leaf: &StateLeaf| {
            Some(Expr::Leaf(match leaf {
                StateLeaf::Automaton(instance) => {
                    StateLeaf::Local(*instance, LocalId(self.agent_of(*instance).locals.len() as u32))
                }
                other => *other,
            }))
        };
        formula.with_parts(&|part| match part {
            Formula::Atom(expr) => substituted(expr, &leaf).map(Formula::Atom),
            _ => None,
        })
    }
}

/// The values of locals, and of the one that is the automaton state.
fn valued(place: u32, locals: &[Value]) -> Vec<(LocalId, Value)> {
    (0..).map(LocalId).zip(locals.iter().cloned().chain([Value::int(i64::from(place))])).collect()
}

/// `leaf = value`
pub fn equals<L>(leaf: L, value: &Value) -> Expr<L> {
    match value {
        Value::Bool(true) => Expr::Leaf(leaf),
        Value::Bool(false) => Expr::Not(Box::new(Expr::Leaf(leaf))),
        value => Expr::binary(BinaryOp::Eq, Expr::Leaf(leaf), Expr::Const(value.clone())),
    }
}
