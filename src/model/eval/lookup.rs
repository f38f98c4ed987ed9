//! Conditions by the constants with which they compare a variable or an action, so that of many lines only those are
//! evaluated whose comparison is true.

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

/// The places of conditions in their list, each list ascending.
#[derive(Debug)]
struct Compared {
    /// The variable or action that conditions compare.
    leaf: JointLeaf,
    by_value: FxHashMap<i64, Vec<usize>>,
    /// The conditions that do not compare it with a constant.
    others: Vec<usize>,
}

impl Lookup {
    /// By the variable or action whose value leaves the fewest conditions that can be true.
    pub fn new<'e>(conditions: impl ExactSizeIterator<Item = &'e Expr<JointLeaf>>) -> Lookup {
        let count = conditions.len();
        if count < FEW {
            return Lookup { count, compared: None };
        }
        let equations: Vec<Vec<(JointLeaf, i64)>> = conditions.map(equations).collect();
        let mut values: FxHashMap<JointLeaf, (usize, FxHashSet<i64>)> = FxHashMap::default();
        for (leaf, value) in equations.iter().flatten() {
            let (comparisons, different) = values.entry(*leaf).or_default();
            *comparisons += 1;
            different.insert(*value);
        }
        // About as many conditions can be true where its value is known.
        let remaining = |(comparisons, different): &(usize, FxHashSet<i64>)| {
            count.saturating_sub(*comparisons) + comparisons / different.len()
        };
        let leaf = values.iter().min_by_key(|(leaf, known)| (remaining(known), **leaf)).map(|(leaf, _)| *leaf);
        let compared = leaf.map(|leaf| {
            let mut compared = Compared { leaf, by_value: FxHashMap::default(), others: Vec::new() };
            for (place, equations) in equations.iter().enumerate() {
                match equations.iter().find(|(other, _)| *other == leaf) {
                    Some((_, value)) => compared.by_value.entry(*value).or_default().push(place),
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
        let (all, same, others) = match known {
            Some((compared, value)) => {
                (0..0, compared.by_value.get(&value).map_or(&[][..], Vec::as_slice), &compared.others[..])
            }
            None => (0..self.count, &[][..], &[][..]),
        };
        let (mut same, mut others) = (same.iter().copied().peekable(), others.iter().copied().peekable());
        let merged = std::iter::from_fn(move || match (same.peek(), others.peek()) {
            (Some(one), Some(other)) if one < other => same.next(),
            (Some(_), None) => same.next(),
            _ => others.next(),
        });
        all.chain(merged)
    }
}

/// The variables and actions that a condition compares with constants.
fn equations(condition: &Expr<JointLeaf>) -> Vec<(JointLeaf, i64)> {
    let equation = |operand: &Expr<JointLeaf>| match operand {
        Expr::Binary(BinaryOp::Eq, left, right) => match (&**left, &**right) {
            (Expr::Leaf(leaf), Expr::Const(value)) | (Expr::Const(value), Expr::Leaf(leaf)) => {
                Some((*leaf, value.number()?))
            }
            _ => None,
        },
        _ => None,
    };
    condition.operands(BinaryOp::And).into_iter().filter_map(equation).collect()
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
    fn few_conditions_are_all_candidates() {
        let conditions = [is(0, 1), is(0, 2)];
        assert_eq!(Lookup::new(conditions.iter()).candidates(&|_| Some(1)).collect::<Vec<_>>(), [0, 1]);
    }
}
