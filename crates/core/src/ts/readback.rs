//! Terms over the state as expressions of the model: the way back from `expressions`. Conditionals, which expressions
//! do not have, become cases.

use super::system::{Origin, System};
use super::term::{Leaf, Sort, Term, TermNode, Terms};
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Expr, Value};
use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};

/// A Boolean or integer term as an expression; nothing if it reads what is not the model's, or has a
/// conditional in it. `terms` may have grown out of the system's arena.
pub fn state_expr(system: &System, terms: &Terms, term: Term) -> Option<Expr<StateLeaf>> {
    expression(system, terms, term, &Origin::leaf)
}

/// The same over leaves that variables are given.
pub fn expression<L>(
    system: &System,
    terms: &Terms,
    term: Term,
    leaf: &dyn Fn(Origin) -> Option<L>,
) -> Option<Expr<L>> {
    Readback { system, terms, leaf }.expr(term)
}

/// The number of conditionals of one term that are resolved.
const MOST_CONDITIONALS: usize = 64;

/// An equivalent Boolean term without conditionals: a disjunction of cases. Nothing if there are too many.
pub fn without_conditionals(terms: &mut Terms, term: Term) -> Option<Term> {
    let mut left = MOST_CONDITIONALS;
    resolve(terms, term, &mut left)
}

fn resolve(terms: &mut Terms, term: Term, left: &mut usize) -> Option<Term> {
    let Some(conditional) = innermost(terms, term) else { return Some(term) };
    let TermNode::Ite(condition, yes, no) = *terms.node(conditional) else { unreachable!("it is one") };
    *left = left.checked_sub(1)?;
    let otherwise = terms.not(condition);
    let mut cases = Vec::new();
    for (when, value) in [(condition, yes), (otherwise, no)] {
        let mut known = FxHashMap::from_iter([(conditional, value)]);
        let chosen = terms.substitute(term, &mut |_, _| None, &mut known);
        let case = terms.and([when, chosen]);
        cases.push(resolve(terms, case, left)?);
    }
    Some(terms.or(cases))
}

/// A conditional with none inside: children are older than their parents.
fn innermost(terms: &Terms, term: Term) -> Option<Term> {
    let (mut work, mut seen, mut found) = (vec![term], FxHashSet::default(), None);
    while let Some(term) = work.pop() {
        if seen.insert(term) {
            if matches!(terms.node(term), TermNode::Ite(..)) {
                found = Some(found.map_or(term, |other: Term| other.min(term)));
            }
            terms.for_each_child(term, |child| work.push(child));
        }
    }
    found
}

struct Readback<'a, L> {
    system: &'a System,
    terms: &'a Terms,
    leaf: &'a dyn Fn(Origin) -> Option<L>,
}

impl<L> Readback<'_, L> {
    fn expr(&self, term: Term) -> Option<Expr<L>> {
        Some(match self.terms.node(term) {
            TermNode::Bool(value) => Expr::Const(Value::Bool(*value)),
            TermNode::Int(value) => Expr::Const(Value::Int(value.clone())),
            TermNode::Enum(value, _) => Expr::Const(Value::Enum(*value)),
            TermNode::Leaf(leaf) => Expr::Leaf(self.leaf(*leaf)?),
            TermNode::Not(inner) => match *self.terms.node(*inner) {
                TermNode::Le(a, b) => self.inequality(BinaryOp::Lt, b, a)?,
                TermNode::Eq(a, b) => self.equality(BinaryOp::Ne, a, b)?,
                _ => Expr::Not(Box::new(self.expr(*inner)?)),
            },
            TermNode::And(list) => self.chain(BinaryOp::And, list)?,
            TermNode::Or(list) => self.chain(BinaryOp::Or, list)?,
            TermNode::Eq(a, b) => self.equality(BinaryOp::Eq, *a, *b)?,
            TermNode::Le(a, b) => self.inequality(BinaryOp::Le, *a, *b)?,
            TermNode::Sum(..) => self.sum(term)?,
            TermNode::Product(a, b) => Expr::binary(BinaryOp::Mul, self.expr(*a)?, self.expr(*b)?),
            TermNode::Quotient(a, divisor) => {
                Expr::binary(BinaryOp::Div, self.expr(*a)?, Expr::Const(Value::Int(divisor.clone())))
            }
            TermNode::Ite(..) => return None,
        })
    }

    fn leaf(&self, leaf: Leaf) -> Option<L> {
        let Leaf::Var(id) = leaf else { return None };
        (self.leaf)(self.system.variable(id).origin)
    }

    fn is_automaton(&self, term: Term) -> bool {
        let TermNode::Leaf(Leaf::Var(id)) = self.terms.node(term) else { return false };
        matches!(self.system.variable(*id).origin, Origin::Automaton(_))
    }

    fn chain(&self, op: BinaryOp, list: &[Term]) -> Option<Expr<L>> {
        let list: Option<Vec<_>> = list.iter().map(|&x| self.expr(x)).collect();
        list?.into_iter().reduce(|all, x| Expr::binary(op, all, x))
    }

    fn equality(&self, op: BinaryOp, a: Term, b: Term) -> Option<Expr<L>> {
        if self.terms.sort(a) == Sort::Int {
            return self.inequality(op, a, b);
        }
        let (left, right) = (self.expr(a)?, self.expr(b)?);
        // Automaton states are integers in formulas.
        let right = match right {
            Expr::Const(Value::Enum(state)) if self.is_automaton(a) => Expr::Const(Value::int(i64::from(state))),
            right => right,
        };
        Some(Expr::binary(op, left, right))
    }

    /// `a op b` with every summand on the side where it is positive.
    fn inequality(&self, op: BinaryOp, a: Term, b: Term) -> Option<Expr<L>> {
        let Sides { mut positive, mut negative, mut constant } = self.sides(&[(1, a), (-1, b)])?;
        // Between integers `x + 1 <= y` is `x < y`, and `x < y + 1` is `x <= y`.
        let strict = op == BinaryOp::Le && constant == IBig::ONE && !positive.is_empty() && !negative.is_empty();
        let weak = op == BinaryOp::Lt && constant == -IBig::ONE && !positive.is_empty() && !negative.is_empty();
        if strict || weak {
            constant = IBig::ZERO;
        }
        let op = match op {
            _ if strict => BinaryOp::Lt,
            _ if weak => BinaryOp::Le,
            op => op,
        };
        if negative.is_empty() || (constant < IBig::ZERO && !positive.is_empty()) {
            add_constant(&mut negative, -constant);
        } else {
            add_constant(&mut positive, constant);
        }
        let side = |list| total(list).unwrap_or(Expr::Const(Value::int(0)));
        Some(Expr::binary(op, side(positive), side(negative)))
    }

    fn sum(&self, term: Term) -> Option<Expr<L>> {
        let Sides { mut positive, negative, constant } = self.sides(&[(1, term)])?;
        add_constant(&mut positive, constant);
        let positive = total(positive).unwrap_or(Expr::Const(Value::int(0)));
        Some(match total(negative) {
            Some(negative) => Expr::binary(BinaryOp::Sub, positive, negative),
            None => positive,
        })
    }

    /// The summands of a sum of terms with signs.
    fn sides(&self, summands: &[(i64, Term)]) -> Option<Sides<L>> {
        let mut sides = Sides { positive: Vec::new(), negative: Vec::new(), constant: IBig::ZERO };
        for &(sign, term) in summands {
            match self.terms.node(term) {
                TermNode::Int(value) => sides.constant += sign * value,
                TermNode::Sum(constant, list) => {
                    sides.constant += sign * constant;
                    for (factor, x) in list {
                        sides.add(sign * factor, self.expr(*x)?);
                    }
                }
                _ => sides.add(sign.into(), self.expr(term)?),
            }
        }
        Some(sides)
    }
}

/// A sum, apart from its constant: positive minus negative.
struct Sides<L> {
    positive: Vec<Expr<L>>,
    negative: Vec<Expr<L>>,
    constant: IBig,
}

impl<L> Sides<L> {
    fn add(&mut self, factor: IBig, x: Expr<L>) {
        let (side, factor) = match factor > IBig::ZERO {
            true => (&mut self.positive, factor),
            false => (&mut self.negative, -factor),
        };
        let scaled = factor != IBig::ONE;
        let factor = Expr::Const(Value::Int(factor));
        side.push(if scaled { Expr::binary(BinaryOp::Mul, factor, x) } else { x });
    }
}

fn add_constant<L>(side: &mut Vec<Expr<L>>, constant: IBig) {
    if constant != IBig::ZERO {
        side.push(Expr::Const(Value::Int(constant)));
    }
}

fn total<L>(list: Vec<Expr<L>>) -> Option<Expr<L>> {
    list.into_iter().reduce(|sum, x| Expr::binary(BinaryOp::Add, sum, x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ts::term::VarId;

    #[test]
    fn conditionals_become_cases() {
        let mut terms = Terms::new();
        let leaf = |terms: &mut Terms, index, sort| terms.leaf(Leaf::Var(VarId(index)), sort, None);
        let (b, n, m) =
            (leaf(&mut terms, 0, Sort::Bool), leaf(&mut terms, 1, Sort::Int), leaf(&mut terms, 2, Sort::Int));
        let (order, zero) = (terms.le(n, m), terms.int(0));
        let larger = terms.ite(order, m, n);
        let positive = terms.le(zero, larger);
        let inner = terms.ite(b, larger, zero);
        let equal = terms.eq(inner, n);
        for term in [positive, equal] {
            let resolved = without_conditionals(&mut terms, term).expect("two are few");
            assert_eq!(innermost(&terms, resolved), None);
            for case in 0..18 {
                let value = |leaf| match leaf {
                    Leaf::Var(VarId(0)) => Value::Bool(case % 2 == 0),
                    Leaf::Var(VarId(1)) => Value::int(case / 2 % 3 - 1),
                    _ => Value::int(case / 6 - 1),
                };
                assert_eq!(terms.evaluate(term, &value), terms.evaluate(resolved, &value), "case {case}");
            }
        }
    }

    #[test]
    fn too_many_conditionals_are_refused() {
        let mut terms = Terms::new();
        let mut sum = terms.int(0);
        for index in 0..20 {
            let condition = terms.leaf(Leaf::Var(VarId(index)), Sort::Bool, None);
            let (low, high) = (terms.int(0), terms.int(1 << index));
            let summand = terms.ite(condition, high, low);
            sum = terms.add(sum, summand);
        }
        let limit = terms.int(1000);
        let small = terms.le(sum, limit);
        assert_eq!(without_conditionals(&mut terms, small), None);
    }
}
