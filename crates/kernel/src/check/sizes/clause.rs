//! Clauses about all lists of different members.

use super::renaming::{Renaming, for_each_assignment, renamed};
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Expr, InstanceId, Model, Sizes, Total, TotalId, Type, Value};
use crate::ts::readback::state_expr;
use crate::ts::system::System;
use crate::ts::term::{Term, Terms};

/// A condition on the state of an instance, whose members of families stand for variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The condition.
    pub expr: Expr<StateLeaf>,
    /// The members that it mentions, ascending.
    pub members: Vec<InstanceId>,
}

/// The properties of a clause that decide in instances of which sizes it has to be checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Needs {
    /// How many members of each family it mentions.
    pub members: Sizes,
    /// True if it mentions totals: these change with agents that it does not mention.
    pub totals: bool,
}

/// Clauses about more members have too many instances.
const MOST_MEMBERS: usize = 8;

impl Clause {
    /// Of an expression over the states of an open instance. Nothing if it names an agent outside, as what stands for it
    /// is unclear, or too many members.
    pub fn new(model: &Model, expr: Expr<StateLeaf>) -> Option<Clause> {
        let members = mentioned(model, &expr)?;
        (members.len() <= MOST_MEMBERS).then_some(Clause { expr, members })
    }

    /// Of a term over the variables of a system of an open instance.
    pub fn of_term(model: &Model, system: &System, terms: &Terms, term: Term) -> Option<Clause> {
        Clause::new(model, state_expr(system, terms, term)?)
    }

    /// The members and totals that it mentions.
    pub fn needs(&self, model: &Model) -> Needs {
        let mut members = vec![0; model.families().len()];
        for &member in &self.members {
            members[model.place_of_member(member).expect("it is a member").0] += 1;
        }
        let totals = self.expr.any_leaf(|leaf| matches!(leaf, StateLeaf::Total(_)));
        Needs { members, totals }
    }

    /// True if another instance has the totals that it mentions.
    pub fn is_known(&self, from: &Model, to: &Model) -> bool {
        let known = |id: TotalId| to.open.is_none() || to.totals().contains(&from.totals()[id.index()]);
        !self.expr.any_leaf(|leaf| matches!(leaf, StateLeaf::Total(id) if !known(*id)))
    }

    /// The clause in another instance of the same scheme that has its totals, for each list of different members.
    pub fn instances(&self, from: &Model, to: &Model) -> Vec<Expr<StateLeaf>> {
        let mut instances = Vec::new();
        for_each_assignment(from, to, &self.members, &mut |chosen| {
            instances.push(renamed(&Renaming::new(from, to, &self.members, chosen), &self.expr));
        });
        instances
    }

    /// Its consequence for the members outside of an open instance, if it is a bound for what each of them contributes
    /// to a total: that many contribute so much together.
    pub fn of_outsiders(&self, from: &Model, to: &Model) -> Vec<Expr<StateLeaf>> {
        let [member] = self.members[..] else { return Vec::new() };
        let (family, _) = from.place_of_member(member).expect("it is a member");
        let of_total = |(place, total): (usize, &Total)| {
            let summand = total.of_member(member);
            let said = match &self.expr {
                Expr::Binary(op, left, right) if **left == summand => Some((*op, &**right)),
                Expr::Binary(op, left, right) if **right == summand => Some((op.mirrored(), &**left)),
                _ => None,
            };
            match said {
                Some((op, Expr::Const(Value::Int(number)))) if total.family == family => {
                    to.bounds_of_outsiders(TotalId(place as u32), op, number)
                }
                _ => Vec::new(),
            }
        };
        to.totals().iter().enumerate().flat_map(of_total).collect()
    }
}

/// The members that an expression over the states of an open instance mentions, ascending. Nothing if it names an agent
/// outside, as what stands for it is unclear.
pub fn mentioned(model: &Model, expr: &Expr<StateLeaf>) -> Option<Vec<InstanceId>> {
    let mut mentioned = Vec::new();
    let mut understood = true;
    visit(model, expr, &mut |named| match named {
        Some(instance) if instance.index() < model.instances.len() => mentioned.push(instance),
        _ => understood = false,
    });
    mentioned.sort_unstable();
    mentioned.dedup();
    mentioned.retain(|instance| model.place_of_member(*instance).is_some());
    understood.then_some(mentioned)
}

/// Calls the function for each instance that an expression mentions, by its locals or as a location; for what has no
/// type, with nothing.
fn visit(model: &Model, expr: &Expr<StateLeaf>, found: &mut dyn FnMut(Option<InstanceId>)) {
    match expr {
        Expr::Const(Value::Enum(_)) => found(None),
        Expr::Const(_) => {}
        Expr::Leaf(StateLeaf::Local(instance, _) | StateLeaf::Automaton(instance)) => found(Some(*instance)),
        Expr::Leaf(StateLeaf::Deadlock | StateLeaf::Enabled(..)) => found(None),
        Expr::Leaf(StateLeaf::Total(_)) => {}
        Expr::Not(inner) | Expr::Neg(inner) => visit(model, inner, found),
        Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right)
            if leaf_type(model, left)
                .zip(leaf_type(model, right))
                .is_some_and(|(one, other)| !one.comparable(other)) =>
        {
            found(None);
        }
        Expr::Binary(_, left, right) => match (compared(model, expr), &**left, &**right) {
            (Some(ty), side, Expr::Const(Value::Enum(value))) | (Some(ty), Expr::Const(Value::Enum(value)), side) => {
                visit(model, side, found);
                match ty {
                    Type::Location => found(Some(InstanceId(*value))),
                    Type::Channel if model.parameters.outside_channels.contains(value) => found(None),
                    Type::Channel => model.owner_of_channel(*value).into_iter().for_each(|(family, _, member)| {
                        found(model.families()[family].members().nth(member));
                    }),
                    _ => {}
                }
            }
            _ => {
                visit(model, left, found);
                visit(model, right, found);
            }
        },
        Expr::If(condition, yes, no) => [condition, yes, no].into_iter().for_each(|part| visit(model, part, found)),
    }
}

/// Of an equation with a variable, the type of that.
pub(super) fn compared(model: &Model, expr: &Expr<StateLeaf>) -> Option<Type> {
    let Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) = expr else { return None };
    leaf_type(model, left).or_else(|| leaf_type(model, right))
}

fn leaf_type(model: &Model, expr: &Expr<StateLeaf>) -> Option<Type> {
    match expr {
        Expr::Leaf(leaf) => Some(model.state_leaf(*leaf).1),
        _ => None,
    }
}
