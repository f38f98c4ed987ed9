//! The values that conditions admit for one variable with a large range, so that a range is never enumerated because of its size.
//!
//! The result is an over-approximation: each value with which the conditions can be true is in it. It is exact for
//! comparisons of the variable with what is known (`x < 3`, `x + 1 = y` where `y` has a value), and their Boolean
//! combinations. A search tries the values that are left, one by one.

use super::value::evaluate;
use crate::model::{BinaryOp, Expr, Type, Value};
use dashu_int::IBig;

/// Ranges with fewer values are enumerated as they are.
const FEW: i128 = 64;

/// Beyond all that is known and small, as are sums of that: all integers there make a condition true, or none.
const ENDS: (i128, i128) = (i128::MIN / 2, i128::MAX / 2);

/// Disjoint intervals of integers, ascending; both ends belong to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intervals(Vec<(i128, i128)>);

impl Intervals {
    fn new(low: i128, high: i128) -> Intervals {
        Intervals(if low <= high { vec![(low, high)] } else { Vec::new() })
    }

    fn and(&self, other: &Intervals) -> Intervals {
        let common = |&(low, high): &(i128, i128)| {
            other.0.iter().map(move |&(from, to)| (low.max(from), high.min(to))).filter(|(low, high)| low <= high)
        };
        Intervals(self.0.iter().flat_map(common).collect())
    }

    fn or(self, other: Intervals) -> Intervals {
        let mut all = [self.0, other.0].concat();
        all.sort_unstable();
        let mut merged: Vec<(i128, i128)> = Vec::new();
        for (low, high) in all {
            match merged.last_mut() {
                Some((_, end)) if low <= *end + 1 => *end = high.max(*end),
                _ => merged.push((low, high)),
            }
        }
        Intervals(merged)
    }

    /// Number of the values.
    pub fn count(&self) -> u128 {
        self.0.iter().map(|(low, high)| (high - low + 1).unsigned_abs()).sum()
    }

    /// The ends of the intervals, ascending.
    pub fn ends(&self) -> Intervals {
        let ends = self.0.iter().flat_map(|&(low, high)| [(low, low), (high, high)]);
        ends.fold(Intervals(Vec::new()), |all, (low, high)| all.or(Intervals::new(low, high)))
    }

    /// The values, ascending.
    pub fn values(self) -> impl Iterator<Item = Value> {
        self.0.into_iter().flat_map(|(low, high)| low..=high).map(|value| Value::Int(IBig::from(value)))
    }
}

/// The values of the variable with this type that the conditions admit; nothing if the type has few values, or if they admit infinitely many.
/// `known` has the values of other variables.
pub fn candidates<'e, L: Copy + PartialEq + 'e>(
    variable: L,
    ty: Type,
    conditions: impl IntoIterator<Item = &'e Expr<L>>,
    known: &impl Fn(L) -> Option<Value>,
) -> Option<Intervals> {
    let (low, high) = match ty {
        Type::Range(low, high) if i128::from(high) - i128::from(low) >= FEW => (low.into(), high.into()),
        Type::Int => ENDS,
        _ => return None,
    };
    let found = admitted(variable, (low, high), conditions, known);
    let is_finite = found.0.iter().all(|(low, high)| *low != ENDS.0 && *high != ENDS.1);
    is_finite.then_some(found)
}

/// The same for a range of any size.
pub fn admitted<'e, L: Copy + PartialEq + 'e>(
    variable: L,
    (low, high): (i128, i128),
    conditions: impl IntoIterator<Item = &'e Expr<L>>,
    known: &impl Fn(L) -> Option<Value>,
) -> Intervals {
    let search = CandidateSearch { variable, all: Intervals::new(low, high), known };
    let narrowed = |rest: Intervals, condition: &Expr<L>| rest.and(&search.admitted(condition, true));
    conditions.into_iter().fold(search.all.clone(), narrowed)
}

struct CandidateSearch<'k, L, K> {
    variable: L,
    /// All values of its type.
    all: Intervals,
    known: &'k K,
}

impl<L: Copy + PartialEq, K: Fn(L) -> Option<Value>> CandidateSearch<'_, L, K> {
    /// The values with which the condition can have this truth value.
    fn admitted(&self, condition: &Expr<L>, truth: bool) -> Intervals {
        if let Some(value) = evaluate(condition, self.known) {
            return if value == Value::Bool(truth) { self.all.clone() } else { Intervals(Vec::new()) };
        }
        match condition {
            Expr::Not(inner) => self.admitted(inner, !truth),
            Expr::Binary(op, left, right) => match (op, truth) {
                (BinaryOp::And, true) | (BinaryOp::Or, false) => {
                    self.admitted(left, truth).and(&self.admitted(right, truth))
                }
                (BinaryOp::And, false) | (BinaryOp::Or, true) => {
                    self.admitted(left, truth).or(self.admitted(right, truth))
                }
                (BinaryOp::Implies, true) => self.admitted(left, false).or(self.admitted(right, true)),
                (BinaryOp::Implies, false) => self.admitted(left, true).and(&self.admitted(right, false)),
                (op, _) => self.compared(*op, left, right, truth),
            },
            Expr::Const(_) | Expr::Leaf(_) | Expr::Neg(_) | Expr::If(..) => self.all.clone(),
        }
    }

    /// The values with which a comparison can have this truth value.
    fn compared(&self, op: BinaryOp, left: &Expr<L>, right: &Expr<L>, truth: bool) -> Intervals {
        let solved = match (self.linear(left), self.integer(right), self.linear(right), self.integer(left)) {
            (Some(linear), Some(value), ..) => (linear, op, value),
            (_, _, Some(linear), Some(value)) => (linear, op.mirrored(), value),
            _ => return self.all.clone(),
        };
        let (Linear { negative, offset }, op, value) = solved;
        let (op, bound) = if negative { (op.mirrored(), offset - value) } else { (op, value - offset) };
        let (least, most) = ENDS;
        let found = match (op, truth) {
            (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => Intervals::new(bound, bound),
            (BinaryOp::Eq, false) | (BinaryOp::Ne, true) => {
                Intervals::new(least, bound - 1).or(Intervals::new(bound + 1, most))
            }
            (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => Intervals::new(least, bound - 1),
            (BinaryOp::Le, true) | (BinaryOp::Gt, false) => Intervals::new(least, bound),
            (BinaryOp::Gt, true) | (BinaryOp::Le, false) => Intervals::new(bound + 1, most),
            (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => Intervals::new(bound, most),
            _ => return self.all.clone(),
        };
        self.all.and(&found)
    }

    /// The expression as the variable or its negative, and something known.
    fn linear(&self, expr: &Expr<L>) -> Option<Linear> {
        match expr {
            Expr::Leaf(leaf) if *leaf == self.variable => Some(Linear { negative: false, offset: 0 }),
            Expr::Neg(inner) => self.linear(inner).map(Linear::negated),
            Expr::Binary(BinaryOp::Add, left, right) => match (self.linear(left), self.integer(right)) {
                (Some(linear), Some(value)) => Some(linear.plus(value)),
                _ => Some(self.linear(right)?.plus(self.integer(left)?)),
            },
            Expr::Binary(BinaryOp::Sub, left, right) => match (self.linear(left), self.integer(right)) {
                (Some(linear), Some(value)) => Some(linear.plus(-value)),
                _ => Some(self.linear(right)?.negated().plus(self.integer(left)?)),
            },
            _ => None,
        }
    }

    /// The value of an expression that is known and small.
    fn integer(&self, expr: &Expr<L>) -> Option<i128> {
        match evaluate(expr, self.known)? {
            Value::Int(value) => i64::try_from(value).ok().map(i128::from),
            Value::Bool(_) | Value::Enum(_) => None,
        }
    }
}

/// `x + offset`, or `-x + offset`.
#[derive(Clone, Copy)]
struct Linear {
    negative: bool,
    offset: i128,
}

impl Linear {
    fn negated(self) -> Linear {
        Linear { negative: !self.negative, offset: -self.offset }
    }

    fn plus(self, value: i128) -> Linear {
        Linear { offset: self.offset + value, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type E = Expr<u8>;

    fn number(value: i64) -> E {
        Expr::Const(Value::int(value))
    }

    fn found(condition: &E) -> Vec<(i128, i128)> {
        let known = |leaf: u8| (leaf == 1).then(|| Value::int(10));
        candidates(0, Type::Range(0, 200_000_000), [condition], &known).expect("a large range").0
    }

    /// All conditions of two comparisons of a few shapes: the candidates are those values with which it is true.
    #[test]
    fn candidates_are_exact_where_all_else_is_known() {
        use BinaryOp::{Add, And, Eq, Ge, Gt, Iff, Implies, Le, Lt, Ne, Or, Sub};
        let (x, y) = (E::Leaf(0), E::Leaf(1));
        let shapes = [
            x.clone(),
            E::Neg(Box::new(x.clone())),
            E::binary(Add, x.clone(), y.clone()),
            E::binary(Sub, y.clone(), x.clone()),
            E::binary(Sub, number(3), E::binary(Add, y.clone(), x)),
        ];
        let mut atoms = vec![E::binary(Lt, y, number(3))];
        for shape in &shapes {
            for op in [Eq, Ne, Lt, Le, Gt, Ge] {
                atoms.push(E::binary(op, shape.clone(), number(7)));
                atoms.push(E::binary(op, number(-90), shape.clone()));
            }
        }
        let known = |leaf: u8| (leaf == 1).then(|| Value::int(10));
        for left in &atoms {
            for right in &atoms {
                for op in [And, Or, Implies] {
                    for negated in [false, true] {
                        let condition = E::binary(op, left.clone(), right.clone());
                        let condition = if negated { E::Not(Box::new(condition)) } else { condition };
                        let list = candidates(0, Type::Range(-100, 100), [&condition], &known).expect("a large range");
                        let found: Vec<Value> = list.values().collect();
                        let is_true = |value: &Value| {
                            let leaf = |leaf: u8| if leaf == 0 { Some(value.clone()) } else { known(leaf) };
                            evaluate(&condition, &leaf) == Some(Value::Bool(true))
                        };
                        let right: Vec<Value> = (-100..=100).map(Value::int).filter(is_true).collect();
                        assert_eq!(found, right, "{condition:?}");
                    }
                }
            }
        }
        let open = E::binary(Iff, atoms[1].clone(), E::Leaf(2));
        assert_eq!(found(&open), [(0, 200_000_000)]);
    }

    #[test]
    fn bounds_of_an_integer_are_found() {
        use BinaryOp::{And, Ge, Le, Ne, Or};
        let atom = |op, value| E::binary(op, E::Leaf(0), number(value));
        let found = |condition: E| candidates(0, Type::Int, [&condition], &|_| None).map(|found| found.0);
        let both = |op, one: E, other: E| E::binary(op, one, other);
        let bounded = || both(And, atom(Ge, 1), atom(Le, 10));
        assert_eq!(found(bounded()), Some(vec![(1, 10)]));
        assert_eq!(found(both(And, bounded(), atom(Ne, 4))), Some(vec![(1, 3), (5, 10)]));
        assert_eq!(found(both(And, bounded(), atom(Ge, 11))), Some(vec![]));
        let huge = E::binary(Le, E::Leaf(0), E::Const(Value::Int(IBig::from(1) << 200)));
        for infinite in [atom(Ge, 1), atom(Ne, 1), both(Or, bounded(), atom(Le, -7)), huge.clone()] {
            assert_eq!(found(infinite), None);
        }
        assert_eq!(found(both(And, atom(Ge, 1), huge)), None);
    }

    #[test]
    fn few_values_are_enumerated_as_they_are() {
        assert_eq!(candidates(0, Type::Range(0, 7), [&number(1)], &|_: u8| None), None);
        assert_eq!(candidates(0, Type::Bool, [&number(1)], &|_: u8| None), None);
    }
}
