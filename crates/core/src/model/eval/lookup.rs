//! Conditions by the values from which to which a variable or an action has to be, so that of many lines only those are evaluated for
//! which it is there.

use crate::intervals::{Bounds, Interval, Intervals};
use crate::model::joint::{Behaviour, JointLeaf};
use crate::model::{BinaryOp, Expr};
use rustc_hash::{FxHashMap, FxHashSet};

/// Fewer conditions are evaluated as they are.
const FEW: usize = 16;

/// The lines of an agent.
#[derive(Debug)]
pub struct Lines {
    /// Those of its protocol.
    pub protocol: Lookup,
    /// Those of each group of its evolution.
    pub groups: Vec<Lookup>,
}

impl Lines {
    /// Of a behaviour.
    pub fn new(behaviour: &Behaviour) -> Lines {
        let of_group =
            |group: &Vec<u32>| Lookup::new(group.iter().map(|line| &behaviour.lines[*line as usize].condition));
        Lines {
            protocol: Lookup::new(behaviour.protocol.iter().map(|line| &line.condition)),
            groups: behaviour.groups.iter().map(of_group).collect(),
        }
    }
}

/// A list of conditions.
#[derive(Debug)]
pub struct Lookup {
    count: usize,
    compared: Option<Compared>,
}

/// The places of conditions in their list.
#[derive(Debug)]
struct Compared {
    /// The variable or action that conditions compare.
    leaf: JointLeaf,
    intervals: Intervals,
    /// The conditions that do not say from where to where it has to be, ascending.
    others: Vec<usize>,
}

impl Lookup {
    /// By the variable or action whose value leaves the fewest conditions that can be true.
    pub fn new<'e>(conditions: impl ExactSizeIterator<Item = &'e Expr<JointLeaf>>) -> Lookup {
        let count = conditions.len();
        if count < FEW {
            return Lookup { count, compared: None };
        }
        let bounds: Vec<Bounds<JointLeaf>> = conditions.map(bounds).collect();
        let mut compared: FxHashMap<JointLeaf, (usize, FxHashSet<i64>)> = FxHashMap::default();
        for (leaf, interval) in bounds.iter().flat_map(Bounds::bounded) {
            let (comparisons, different) = compared.entry(leaf).or_default();
            *comparisons += 1;
            different.insert(interval.low);
        }
        // About as many conditions can be true where its value is known.
        let remaining =
            |(comparisons, different): &(usize, FxHashSet<i64>)| count - comparisons + comparisons / different.len();
        let leaf = compared.iter().min_by_key(|(leaf, known)| (remaining(known), **leaf)).map(|(leaf, _)| *leaf);
        let compared = leaf.map(|leaf| {
            let mut compared = Compared { leaf, intervals: Intervals::default(), others: Vec::new() };
            for (place, bounds) in bounds.iter().enumerate() {
                match bounds.of(leaf) {
                    Some(interval) => compared.intervals.add(interval, place),
                    None => compared.others.push(place),
                }
            }
            compared
        });
        Lookup { count, compared }
    }

    /// The places of the conditions that can be true, ascending; for values that do not fit into words, all of them.
    pub fn candidates(&self, number: &dyn Fn(JointLeaf) -> Option<i64>) -> impl Iterator<Item = usize> + use<'_> {
        let known = self.compared.as_ref().and_then(|compared| Some((compared, number(compared.leaf)?)));
        // All of them, or those of two ascending lists.
        let (all, mut around, others) = match known {
            Some((compared, value)) => {
                let around = compared.intervals.overlapping(Interval::only(value));
                (0..0, around.collect(), &compared.others[..])
            }
            None => (0..self.count, Vec::new(), &[][..]),
        };
        around.sort_unstable();
        let (mut around, mut others) = (around.into_iter().peekable(), others.iter().copied().peekable());
        let merged = std::iter::from_fn(move || match (around.peek(), others.peek()) {
            (Some(one), Some(other)) if one < other => around.next(),
            (Some(_), None) => around.next(),
            _ => others.next(),
        });
        all.chain(merged)
    }
}

/// Where variables and actions have to be for a condition to be true, as far as its comparisons with constants say.
fn bounds(condition: &Expr<JointLeaf>) -> Bounds<JointLeaf> {
    let bound = |operand: &Expr<JointLeaf>| {
        let Expr::Binary(op, left, right) = operand else { return None };
        let (leaf, op, value) = match (&**left, &**right) {
            (Expr::Leaf(leaf), Expr::Const(value)) => (*leaf, *op, value.number()?),
            (Expr::Const(value), Expr::Leaf(leaf)) => (*leaf, op.mirrored(), value.number()?),
            _ => return None,
        };
        let interval = match op {
            BinaryOp::Eq => Interval::only(value),
            BinaryOp::Le => Interval::up_to(value),
            BinaryOp::Ge => Interval::from(value),
            BinaryOp::Lt => Interval::up_to(value.checked_sub(1)?),
            BinaryOp::Gt => Interval::from(value.checked_add(1)?),
            _ => return None,
        };
        Some((leaf, interval))
    };
    condition.operands(BinaryOp::And).into_iter().filter_map(bound).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{InstanceId, LocalId, Value};

    fn leaf(local: u32) -> JointLeaf {
        JointLeaf::Local(InstanceId(0), LocalId(local))
    }

    fn is(local: u32, value: i64) -> Expr<JointLeaf> {
        Expr::binary(BinaryOp::Eq, Expr::Leaf(leaf(local)), Expr::Const(Value::int(value)))
    }

    #[test]
    fn only_conditions_whose_comparison_is_true_are_candidates() {
        let mut conditions: Vec<Expr<JointLeaf>> =
            (0..20).map(|value| Expr::binary(BinaryOp::And, is(1, 7), is(0, value % 10))).collect();
        conditions.insert(4, is(1, 7));
        let lookup = Lookup::new(conditions.iter());
        let found = |value: i64| lookup.candidates(&|it| Some(if it == leaf(0) { value } else { 7 })).count();
        assert_eq!((found(3), found(12)), (3, 1), "all but one compare the first variable, with ten values");
        let lookup = Lookup::new(
            conditions[..4].iter().chain(&conditions[5..]).chain([&is(2, 0)]).collect::<Vec<_>>().into_iter(),
        );
        let found = lookup.candidates(&|it| Some(if it == leaf(0) { 8 } else { 7 }));
        assert_eq!(found.collect::<Vec<_>>(), [8, 18, 20]);
        let more = [Expr::Leaf(leaf(1)), is(1, 7)];
        let conditions: Vec<Expr<JointLeaf>> = (0..20).map(|value| is(0, value % 10)).chain(more).collect();
        let lookup = Lookup::new(conditions.iter());
        let found = |value: Option<i64>| lookup.candidates(&|_| value).collect::<Vec<_>>();
        assert_eq!(found(Some(3)), [3, 13, 20, 21]);
        assert_eq!(found(Some(11)), [20, 21]);
        assert_eq!(found(None).len(), 22);
    }

    #[test]
    fn conditions_are_found_by_the_range_that_they_name() {
        let at_least = |low: i64| Expr::binary(BinaryOp::Le, Expr::Const(Value::int(low)), Expr::Leaf(leaf(0)));
        let below = |high: i64| Expr::binary(BinaryOp::Lt, Expr::Leaf(leaf(0)), Expr::Const(Value::int(high)));
        let range = |low: i64, high: i64| Expr::binary(BinaryOp::And, at_least(low), below(high));
        let mut conditions: Vec<Expr<JointLeaf>> = (0..20).map(|place| range(10 * place, 10 * place + 15)).collect();
        conditions.push(at_least(50));
        let lookup = Lookup::new(conditions.iter());
        let found = |value: i64| lookup.candidates(&|_| Some(value)).collect::<Vec<_>>();
        assert_eq!(found(0), [0, 20]);
        assert_eq!((found(14), found(15)), (vec![0, 1, 20], vec![1, 20]));
        assert_eq!(found(-1), [20]);
    }

    #[test]
    fn few_conditions_are_all_candidates() {
        let conditions = [is(0, 1), is(0, 2)];
        assert_eq!(Lookup::new(conditions.iter()).candidates(&|_| Some(1)).collect::<Vec<_>>(), [0, 1]);
    }
}
