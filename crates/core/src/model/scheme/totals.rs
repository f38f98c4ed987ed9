//! Sums over the members of families in open instances.
//!
//! A *total* is a sum over all members of a family, those outside of the open instance included: so many satisfy a
//! condition, or so much they hold together. A summand is about one member alone, and no receive changes it;
//! so it changes by what the participants of a step do, all of whom the proof rule has in the instance, and a variable
//! follows it. Of the members outside is known how many they are at least (none), what each contributes at the start
//! where that is one number, and the range of what each contributes ever.
//!
//! [`crate::ts::lower`] changes totals with the participants of a step. Only open instances have them, and these are
//! never run: the concrete semantics does not know totals.

use crate::model::eval::value::evaluate;
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, CommandLeaf, Edge, Expr, InstanceId, LocalId, Model, TotalId, Type, Value};
use dashu_int::IBig;

/// A sum over the members of a family of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// The family.
    pub family: usize,
    /// The summand, about [`ANY_MEMBER`].
    pub of: Expr<StateLeaf>,
    /// The initial value of the summand, if it is the same for all members.
    pub initially: Option<IBig>,
}

/// The member that what is summed up is about: no agent in particular.
pub const ANY_MEMBER: InstanceId = InstanceId(u32::MAX);

/// An expression about one member as one about another.
pub fn about(expr: &Expr<StateLeaf>, member: InstanceId) -> Expr<StateLeaf> {
    let part = |part: &Expr<StateLeaf>| Box::new(about(part, member));
    match expr {
        Expr::Const(value) => Expr::Const(value.clone()),
        Expr::Leaf(leaf) => Expr::Leaf(match *leaf {
            StateLeaf::Local(_, local) => StateLeaf::Local(member, local),
            StateLeaf::Automaton(_) => StateLeaf::Automaton(member),
            StateLeaf::Total(_) => unreachable!("sums are not nested"),
            StateLeaf::Enabled(_, command) => StateLeaf::Enabled(member, command),
            StateLeaf::Deadlock => StateLeaf::Deadlock,
        }),
        Expr::Not(inner) => Expr::Not(part(inner)),
        Expr::Neg(inner) => Expr::Neg(part(inner)),
        Expr::Binary(op, left, right) => Expr::Binary(*op, part(left), part(right)),
        Expr::If(condition, yes, no) => Expr::If(part(condition), part(yes), part(no)),
    }
}

fn number(value: impl Into<IBig>) -> Expr<StateLeaf> {
    Expr::Const(Value::Int(value.into()))
}

fn total(id: TotalId) -> Expr<StateLeaf> {
    Expr::Leaf(StateLeaf::Total(id))
}

/// A comparison of what so many contribute with what they do if each contributes a number.
fn bound(rest: Expr<StateLeaf>, op: BinaryOp, each: IBig, count: Expr<StateLeaf>) -> Expr<StateLeaf> {
    Expr::binary(op, rest, Expr::binary(BinaryOp::Mul, number(each), count))
}

impl Total {
    /// The number of members: each contributes one.
    pub fn of_members(family: usize) -> Total {
        Total { family, of: number(1), initially: Some(IBig::ONE) }
    }

    /// The contribution of a member.
    pub fn of_member(&self, member: InstanceId) -> Expr<StateLeaf> {
        about(&self.of, member)
    }

    /// The contribution of the members of an instance.
    pub fn here(&self, model: &Model) -> Expr<StateLeaf> {
        let members = model.families()[self.family].members().map(|member| self.of_member(member));
        members.reduce(|left, right| Expr::binary(BinaryOp::Add, left, right)).unwrap_or_else(|| number(0))
    }

    /// True if a command changes what a member contributes, as far as a look at it tells.
    fn is_changed_by(&self, edge: &Edge) -> bool {
        self.of.any_leaf(|leaf| match leaf {
            StateLeaf::Local(_, local) => edge.updates.iter().any(|(updated, _)| updated == local),
            _ => edge.source != edge.target,
        })
    }

    /// The least and the greatest contribution of a member, as far as types tell.
    fn range(&self, model: &Model) -> (Option<IBig>, Option<IBig>) {
        range(&self.of, &|leaf| match leaf {
            StateLeaf::Local(_, local) => {
                match model.agents[model.families()[self.family].agent.index()].locals[local.index()].ty {
                    Type::Range(low, high) => (Some(low.into()), Some(high.into())),
                    _ => (None, None),
                }
            }
            StateLeaf::Automaton(_) => {
                let states = model.agents[model.families()[self.family].agent.index()].states;
                (Some(IBig::ZERO), Some(IBig::from(states) - 1))
            }
            StateLeaf::Deadlock | StateLeaf::Enabled(..) | StateLeaf::Total(_) => (None, None),
        })
    }
}

type Range = (Option<IBig>, Option<IBig>);

fn range(expr: &Expr<StateLeaf>, leaf: &dyn Fn(StateLeaf) -> Range) -> Range {
    let of = |part: &Expr<StateLeaf>| range(part, leaf);
    match expr {
        Expr::Const(Value::Int(value)) => (Some(value.clone()), Some(value.clone())),
        Expr::Leaf(it) => leaf(*it),
        Expr::Neg(inner) => {
            let (low, high) = of(inner);
            (high.map(|high| -high), low.map(|low| -low))
        }
        Expr::Binary(BinaryOp::Add, left, right) => {
            let ((low, high), (other_low, other_high)) = (of(left), of(right));
            (low.zip(other_low).map(|(a, b)| a + b), high.zip(other_high).map(|(a, b)| a + b))
        }
        Expr::If(_, yes, no) => {
            let ((low, high), (other_low, other_high)) = (of(yes), of(no));
            (low.zip(other_low).map(|(a, b)| a.min(b)), high.zip(other_high).map(|(a, b)| a.max(b)))
        }
        _ => (None, None),
    }
}

/// The values of locals that a condition fixes for all agents that satisfy it.
pub fn fixed(conditions: &[&Expr<CommandLeaf>]) -> Vec<(LocalId, Value)> {
    let mut values = Vec::new();
    for condition in conditions {
        for part in condition.operands(BinaryOp::And) {
            match part {
                Expr::Leaf(CommandLeaf::Local(local)) => values.push((*local, Value::Bool(true))),
                Expr::Not(inner) => {
                    if let Expr::Leaf(CommandLeaf::Local(local)) = **inner {
                        values.push((local, Value::Bool(false)));
                    }
                }
                Expr::Binary(BinaryOp::Eq, left, right) => match (&**left, &**right) {
                    (Expr::Leaf(CommandLeaf::Local(local)), Expr::Const(value))
                    | (Expr::Const(value), Expr::Leaf(CommandLeaf::Local(local))) => {
                        values.push((*local, value.clone()));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }
    values
}

/// The value of what is summed up where these locals have these values, at the start.
pub fn at_start(of: &Expr<StateLeaf>, fixed: &[(LocalId, Value)]) -> Option<IBig> {
    let leaf = |leaf: StateLeaf| match leaf {
        StateLeaf::Local(_, local) => fixed.iter().find(|(known, _)| *known == local).map(|(_, value)| value.clone()),
        StateLeaf::Automaton(_) => Some(Value::int(0)),
        StateLeaf::Deadlock | StateLeaf::Enabled(..) | StateLeaf::Total(_) => None,
    };
    match evaluate(of, &leaf)? {
        Value::Int(value) => Some(value),
        _ => None,
    }
}

impl Model {
    /// A total that a receive of a member changes, whether the member is in the instance or not.
    pub fn total_of_receivers(&self) -> Option<&Total> {
        self.totals().iter().find(|total| {
            let agent = self.families()[total.family].agent;
            self.agents[agent.index()].receives().any(|edge| total.is_changed_by(edge))
        })
    }

    /// The number of members of a family, as a total.
    fn members_in_all(&self, family: usize) -> Option<TotalId> {
        let all = Total::of_members(family);
        self.totals().iter().position(|total| *total == all).map(|place| TotalId(place as u32))
    }

    /// The contribution of members outside to a total, and the number of these.
    fn outside(&self, id: TotalId) -> (Expr<StateLeaf>, Expr<StateLeaf>) {
        let it = &self.totals()[id.index()];
        let members = self.members_in_all(it.family).expect("families with totals have that of their members");
        let here = number(self.families()[it.family].size);
        let count = Expr::binary(BinaryOp::Sub, total(members), here);
        (Expr::binary(BinaryOp::Sub, total(id), it.here(self)), count)
    }

    fn total_ids(&self) -> impl Iterator<Item = TotalId> + use<> {
        (0..self.totals().len() as u32).map(TotalId)
    }

    /// Facts about totals in every state: each member outside contributes something within its range.
    pub fn facts_of_totals(&self) -> Vec<Expr<StateLeaf>> {
        let mut facts = Vec::new();
        for id in self.total_ids() {
            let total = &self.totals()[id.index()];
            let (rest, count) = self.outside(id);
            if *total == Total::of_members(total.family) {
                facts.push(Expr::binary(BinaryOp::Ge, rest, number(0)));
                continue;
            }
            let (low, high) = total.range(self);
            facts.extend(low.map(|low| bound(rest.clone(), BinaryOp::Ge, low, count.clone())));
            facts.extend(high.map(|high| bound(rest, BinaryOp::Le, high, count)));
        }
        facts
    }

    /// Bounds on the contribution of all members outside to a total, if a comparison with a number is true of the
    /// contribution of each, also at the start. Nothing where that is not known to follow.
    pub fn bounds_of_outsiders(&self, id: TotalId, op: BinaryOp, value: &IBig) -> Vec<Expr<StateLeaf>> {
        let (rest, count) = self.outside(id);
        let (least, most) = match op {
            BinaryOp::Ge => (Some(value.clone()), None),
            BinaryOp::Gt => (Some(value + 1), None),
            BinaryOp::Le => (None, Some(value.clone())),
            BinaryOp::Lt => (None, Some(value - 1)),
            BinaryOp::Eq => (Some(value.clone()), Some(value.clone())),
            _ => (None, None),
        };
        let initially = self.totals()[id.index()].initially.as_ref();
        let is_true = initially.is_some_and(|it| {
            least.as_ref().is_none_or(|least| least <= it) && most.as_ref().is_none_or(|most| it <= most)
        });
        if !is_true {
            return Vec::new();
        }
        let least = least.map(|least| bound(rest.clone(), BinaryOp::Ge, least, count.clone()));
        least.into_iter().chain(most.map(|most| bound(rest, BinaryOp::Le, most, count))).collect()
    }

    /// Facts about totals at the start.
    pub fn starts_of_totals(&self) -> Vec<Expr<StateLeaf>> {
        let start = |id: TotalId| {
            let (rest, count) = self.outside(id);
            Some(bound(rest, BinaryOp::Eq, self.totals()[id.index()].initially.clone()?, count))
        };
        self.total_ids().filter_map(start).chain(self.facts_of_totals()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(place: u32) -> Expr<StateLeaf> {
        Expr::Leaf(StateLeaf::Local(ANY_MEMBER, LocalId(place)))
    }

    #[test]
    fn the_start_is_known_where_conditions_fix_it() {
        let own = |place| Expr::Leaf(CommandLeaf::Local(LocalId(place)));
        let ten = Expr::binary(BinaryOp::Eq, own(0), Expr::Const(Value::int(10)));
        let known = fixed(&[&Expr::binary(BinaryOp::And, ten, Expr::Not(Box::new(own(1))))]);
        let counted = Expr::conditional(local(1), number(1), number(0));
        assert_eq!(at_start(&local(0), &known), Some(IBig::from(10)));
        assert_eq!(at_start(&counted, &known), Some(IBig::ZERO));
        assert_eq!(at_start(&local(2), &known), None);
        let either = Expr::binary(BinaryOp::Or, own(1), own(2));
        assert_eq!(at_start(&counted, &fixed(&[&either])), None);
    }

    #[test]
    fn contributions_have_ranges() {
        let of = |leaf| match leaf {
            StateLeaf::Local(_, LocalId(0)) => (Some(IBig::from(-1)), Some(IBig::from(3))),
            _ => (None, None),
        };
        let negated = Expr::Neg(Box::new(local(0)));
        assert_eq!(range(&negated, &of), (Some(IBig::from(-3)), Some(IBig::from(1))));
        let chosen = Expr::conditional(local(5), number(7), local(0));
        assert_eq!(range(&chosen, &of), (Some(IBig::from(-1)), Some(IBig::from(7))));
        let sum = Expr::binary(BinaryOp::Add, local(0), local(1));
        assert_eq!(range(&sum, &of), (None, None));
    }
}
