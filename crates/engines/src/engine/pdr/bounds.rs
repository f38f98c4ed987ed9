//! Bounds of sums of integers.

use crate::ts::term::{Term, TermNode, Terms};
use crate::ts::valuation::Valuation;
use dashu_int::IBig;

/// Coefficients, none of them 0, and different terms, sorted by these.
pub type Sum = Vec<(IBig, Term)>;

/// `sum <= most`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The sum, without a constant.
    pub sum: Sum,
    /// Its greatest value.
    pub most: IBig,
}

impl Bound {
    /// The bound that a literal is, if it compares integers.
    pub fn of(terms: &mut Terms, literal: Term) -> Option<Bound> {
        let (difference, is_strict) = terms.inequality(literal)?;
        let offset = if is_strict { IBig::NEG_ONE } else { IBig::ZERO };
        match terms.node(difference) {
            TermNode::Sum(constant, sum) => Some(Bound { sum: sum.to_vec(), most: offset - constant }),
            TermNode::Int(_) => None,
            _ => Some(Bound { sum: vec![(IBig::ONE, difference)], most: offset }),
        }
    }

    /// As a literal.
    pub fn literal(&self, terms: &mut Terms) -> Term {
        let (plus, minus): (Sum, Sum) =
            self.sum.iter().cloned().partition(|(coefficient, _)| *coefficient > IBig::ZERO);
        let minus: Sum = minus.into_iter().map(|(coefficient, term)| (-coefficient, term)).collect();
        let (plus, minus) = (terms.linear(&plus), terms.linear(&minus));
        if self.most >= IBig::ZERO {
            let most = terms.int(self.most.clone());
            let most = terms.add(minus, most);
            return terms.le(plus, most);
        }
        // Not `plus <= minus - 1`: `minus <= plus` is what systems compare.
        let least = terms.int(-&self.most - IBig::ONE);
        let least = terms.add(plus, least);
        let opposite = terms.le(minus, least);
        terms.not(opposite)
    }

    /// The bound that follows from both, if some term cancels in it.
    pub fn plus(&self, other: &Bound) -> Option<Bound> {
        let mut sum = self.sum.clone();
        for (coefficient, term) in &other.sum {
            match sum.binary_search_by_key(term, |(_, known)| *known) {
                Ok(place) => sum[place].0 += coefficient,
                Err(place) => sum.insert(place, (coefficient.clone(), *term)),
            }
        }
        let before = sum.len();
        sum.retain(|(coefficient, _)| *coefficient != IBig::ZERO);
        let cancels = !sum.is_empty() && sum.len() < before;
        cancels.then(|| Bound { sum, most: &self.most + &other.most })
    }
}

/// The value of a sum in a state.
pub fn value(sum: &Sum, terms: &Terms, state: &mut Valuation) -> IBig {
    sum.iter().map(|(coefficient, term)| coefficient * state.value(terms, *term).into_int()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Value;
    use crate::ts::term::{Leaf, Sort, VarId};

    fn variables(terms: &mut Terms) -> [Term; 3] {
        [0, 1, 2].map(|id| terms.leaf(Leaf::Var(VarId(id)), Sort::Int, None))
    }

    /// Literals over the variables, by their coefficients and the greatest value.
    fn bounds() -> (Terms, Vec<Bound>) {
        let mut terms = Terms::new();
        let variables = variables(&mut terms);
        let coefficients = [-2, -1, 0, 1, 3];
        let sums = coefficients.into_iter().flat_map(|a| coefficients.into_iter().map(move |b| [a, b, 1]));
        let bound = |(coefficients, most): ([i64; 3], i64)| Bound {
            sum: coefficients.into_iter().map(IBig::from).zip(variables).filter(|(c, _)| *c != IBig::ZERO).collect(),
            most: most.into(),
        };
        let bounds = sums.flat_map(|sum| [-3, -1, 0, 1, 5].map(|most| (sum, most))).map(bound).collect();
        (terms, bounds)
    }

    #[test]
    fn a_literal_says_what_its_bound_says() {
        let (mut terms, bounds) = bounds();
        for bound in bounds {
            let literal = bound.literal(&mut terms);
            assert_eq!(Bound::of(&mut terms, literal), Some(bound.clone()));
            for state in [[0, 0, 0], [1, -1, 0], [-2, 4, 1], [3, 0, -5], [-1, -1, -1]] {
                let mut state = Valuation::new(state.map(Value::int).to_vec(), Vec::new());
                let small = value(&bound.sum, &terms, &mut state) <= bound.most;
                assert_eq!(state.holds(&terms, literal), small, "{bound:?}");
            }
        }
    }

    #[test]
    fn sums_follow_from_their_summands() {
        let (mut terms, bounds) = bounds();
        let [x, y, z] = variables(&mut terms);
        let of = |sum: &[(i64, Term)], most: i64| Bound {
            sum: sum.iter().map(|&(coefficient, term)| (coefficient.into(), term)).collect(),
            most: most.into(),
        };
        let (below, above) = (of(&[(1, x), (-1, y)], 3), of(&[(1, y), (-2, z)], -1));
        assert_eq!(below.plus(&above), Some(of(&[(1, x), (-2, z)], 2)));
        assert_eq!(below.plus(&of(&[(1, x), (1, z)], 0)), None);
        assert_eq!(below.plus(&of(&[(-1, x), (1, y)], 0)), None);
        assert!(bounds.iter().all(|bound| bound.plus(bound).is_none()));
    }

    #[test]
    fn other_literals_are_no_bounds() {
        let mut terms = Terms::new();
        let flag = terms.leaf(Leaf::Var(VarId(7)), Sort::Bool, None);
        let [x, _, _] = variables(&mut terms);
        let three = terms.int(3);
        let equal = terms.eq(x, three);
        let unequal = terms.not(equal);
        assert!([flag, equal, unequal].into_iter().all(|literal| Bound::of(&mut terms, literal).is_none()));
    }
}
