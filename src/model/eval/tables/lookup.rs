//! Conditions by the constants with which they compare one part of a state, so that of many lines only those are evaluated
//! whose comparison is true.

use super::facts::{Circuit, LARGE};
use super::joint::circuit;
use crate::model::joint::JointLeaf;
use crate::model::{BinaryOp, Expr};
use rustc_hash::FxHashMap;

/// Fewer conditions are evaluated as they are.
const FEW: usize = 16;

/// A list of conditions.
#[derive(Debug)]
pub struct Lookup {
    count: usize,
    compared: Option<Compared>,
}

/// The places of conditions in their list, each list ascending.
#[derive(Debug)]
struct Compared {
    /// The part that conditions compare.
    part: Part,
    by_value: FxHashMap<i64, Vec<usize>>,
    /// The conditions that do not compare it with a constant.
    others: Vec<usize>,
}

/// A part of a state: an instance, and the number of the part.
type Part = (u32, u32);

impl Lookup {
    /// By the part that most conditions compare with a constant.
    pub fn new<'e>(conditions: impl ExactSizeIterator<Item = &'e Expr<JointLeaf>>) -> Lookup {
        let count = conditions.len();
        if count < FEW {
            return Lookup { count, compared: None };
        }
        let equations: Vec<Vec<(Part, i64)>> = conditions.map(equations).collect();
        let mut frequent: FxHashMap<Part, usize> = FxHashMap::default();
        equations.iter().flatten().for_each(|(part, _)| *frequent.entry(*part).or_default() += 1);
        let part = frequent.into_iter().max_by_key(|(part, count)| (*count, *part)).map(|(part, _)| part);
        let compared = part.map(|part| {
            let mut compared = Compared { part, by_value: FxHashMap::default(), others: Vec::new() };
            for (place, equations) in equations.iter().enumerate() {
                match equations.iter().find(|(other, _)| *other == part) {
                    Some((_, value)) => compared.by_value.entry(*value).or_default().push(place),
                    None => compared.others.push(place),
                }
            }
            compared
        });
        Lookup { count, compared }
    }

    /// The places of the conditions that can be true, ascending.
    pub fn candidates(&self, part: &dyn Fn(u32, u32) -> i64) -> impl Iterator<Item = usize> + use<'_> {
        let compared = self.compared.as_ref();
        let value = compared.map_or(LARGE, |compared| part(compared.part.0, compared.part.1));
        // All of them, or those of two ascending lists.
        let (all, same, others) = match compared {
            Some(compared) if value != LARGE => {
                (0..0, compared.by_value.get(&value).map_or(&[][..], Vec::as_slice), &compared.others[..])
            }
            _ => (0..self.count, &[][..], &[][..]),
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

/// The parts that a condition compares with constants.
fn equations(condition: &Expr<JointLeaf>) -> Vec<(Part, i64)> {
    let equation = |operand: &Expr<JointLeaf>| match circuit(operand) {
        Circuit::Binary(BinaryOp::Eq, left, right) => match (*left, *right) {
            (Circuit::Part(instance, part), Circuit::Number(number))
            | (Circuit::Number(number), Circuit::Part(instance, part)) => {
                (number != LARGE).then_some(((instance, part), number))
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

    fn x(local: u32) -> Expr<JointLeaf> {
        Expr::Leaf(JointLeaf::Local(InstanceId(0), LocalId(local)))
    }

    fn is(local: u32, value: i64) -> Expr<JointLeaf> {
        Expr::binary(BinaryOp::Eq, x(local), Expr::Const(Value::int(value)))
    }

    #[test]
    fn only_conditions_whose_comparison_is_true_are_candidates() {
        let mut conditions: Vec<Expr<JointLeaf>> =
            (0..20).map(|value| Expr::binary(BinaryOp::And, is(1, 7), is(0, value % 10))).collect();
        conditions.insert(4, is(1, 7));
        let lookup = Lookup::new(conditions.iter());
        let found = |value: i64| lookup.candidates(&move |_, part| if part == 0 { value } else { 7 }).count();
        assert_eq!(found(3), 21, "all compare the second part with 7, which it is");
        let lookup = Lookup::new(
            conditions[..4].iter().chain(&conditions[5..]).chain([&is(2, 0)]).collect::<Vec<_>>().into_iter(),
        );
        assert_eq!(lookup.candidates(&|_, part| if part == 1 { 8 } else { 3 }).collect::<Vec<_>>(), [20]);
        let conditions: Vec<Expr<JointLeaf>> = (0..20).map(|value| is(0, value % 10)).chain([x(1), is(1, 7)]).collect();
        let lookup = Lookup::new(conditions.iter());
        let found = |value: i64| lookup.candidates(&move |_, _| value).collect::<Vec<_>>();
        assert_eq!(found(3), [3, 13, 20, 21]);
        assert_eq!(found(11), [20, 21]);
        assert_eq!(found(LARGE).len(), 22);
    }

    #[test]
    fn few_conditions_are_all_candidates() {
        let conditions = [is(0, 1), is(0, 2)];
        assert_eq!(Lookup::new(conditions.iter()).candidates(&|_, _| 1).collect::<Vec<_>>(), [0, 1]);
    }
}
