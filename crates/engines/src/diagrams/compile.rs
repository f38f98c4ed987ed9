//! Terms as decision diagrams.

use super::package::{Set, and, not, or, same, without};
use super::space::Space;
use crate::limits::Reason;
use crate::ts::term::{Leaf, Sort, Term, TermNode, Terms};
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The most values that a term may have.
const MOST_VALUES: usize = 1 << 14;

/// The values of a term, each with the set where the term has it.
type Cases = BTreeMap<IBig, Set>;

/// A term as diagrams.
enum Compiled {
    /// The set where a formula is true.
    Truth(Set),
    /// The values of a term that is no formula.
    Cases(Cases),
}

/// Diagrams of terms, all of one arena.
pub struct Compiler<'s> {
    space: &'s Space,
    /// The sets that leaves stand for which are no variables of the space.
    given: FxHashMap<Leaf, Set>,
    known: FxHashMap<Term, Compiled>,
    /// Of terms that were compared by order: where a term has one of its values up to each of them.
    up_to: FxHashMap<Term, Cases>,
}

impl<'s> Compiler<'s> {
    /// Knows no term.
    pub fn new(space: &'s Space) -> Compiler<'s> {
        Compiler { space, given: FxHashMap::default(), known: FxHashMap::default(), up_to: FxHashMap::default() }
    }

    /// A leaf is true, or 1, in a set.
    pub fn give(&mut self, leaf: Leaf, set: Set) {
        self.given.insert(leaf, set);
    }

    /// The set where a formula is true. Gives up if a term in it has too many values.
    pub fn truth(&mut self, terms: &Terms, term: Term) -> Result<Set, Reason> {
        self.compile(terms, term)?;
        Ok(self.known_truth(term).clone())
    }

    /// The values of a term, each with the set where the term has it; truth values are the numbers 0 and 1.
    pub fn cases(&mut self, terms: &Terms, term: Term) -> Result<Cases, Reason> {
        self.compile(terms, term)?;
        Ok(match &self.known[&term] {
            Compiled::Cases(cases) => cases.clone(),
            Compiled::Truth(truth) => BTreeMap::from([(IBig::ZERO, not(truth)), (IBig::ONE, truth.clone())]),
        })
    }

    /// Forgets the values of terms: there may be many sets of them.
    pub fn forget_values(&mut self) {
        self.known.retain(|_, compiled| matches!(compiled, Compiled::Truth(_)));
        self.up_to.clear();
    }

    fn known_truth(&self, term: Term) -> &Set {
        match &self.known[&term] {
            Compiled::Truth(truth) => truth,
            Compiled::Cases(_) => unreachable!("a formula"),
        }
    }

    fn known_cases(&self, term: Term) -> &Cases {
        match &self.known[&term] {
            Compiled::Cases(cases) => cases,
            Compiled::Truth(_) => unreachable!("no formula"),
        }
    }

    fn compile(&mut self, terms: &Terms, term: Term) -> Result<(), Reason> {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            let before = stack.len();
            if !self.known.contains_key(&top) {
                terms.for_each_child(top, |child| {
                    if !self.known.contains_key(&child) {
                        stack.push(child);
                    }
                });
                if stack.len() == before {
                    let compiled = self.node(terms, top)?;
                    self.known.insert(top, compiled);
                }
            }
            if stack.len() == before {
                stack.pop();
            }
        }
        Ok(())
    }

    /// A term whose operands are known.
    fn node(&mut self, terms: &Terms, term: Term) -> Result<Compiled, Reason> {
        let everywhere = |value: IBig| BTreeMap::from([(value, self.space.constant(true))]);
        let truths = |list: &[Term], start: bool, join: fn(&Set, &Set) -> Set| {
            Compiled::Truth(
                list.iter().fold(self.space.constant(start), |sum, &part| join(&sum, self.known_truth(part))),
            )
        };
        Ok(match terms.node(term) {
            TermNode::Bool(value) => Compiled::Truth(self.space.constant(*value)),
            TermNode::Int(value) => Compiled::Cases(everywhere(value.clone())),
            TermNode::Enum(value, _) => Compiled::Cases(everywhere(IBig::from(*value))),
            TermNode::Leaf(leaf) => self.leaf(*leaf, terms.sort(term)),
            TermNode::Not(a) => Compiled::Truth(not(self.known_truth(*a))),
            TermNode::And(list) => truths(list, true, and),
            TermNode::Or(list) => truths(list, false, or),
            TermNode::Eq(a, b) if terms.sort(*a) == Sort::Bool => {
                Compiled::Truth(same(self.known_truth(*a), self.known_truth(*b)))
            }
            TermNode::Eq(a, b) => Compiled::Truth(self.equal(*a, *b)),
            TermNode::Le(a, b) => Compiled::Truth(self.at_most(*a, *b)),
            TermNode::Sum(constant, list) => {
                let mut sum = everywhere(constant.clone());
                for (coefficient, x) in list {
                    sum = combined(&sum, self.known_cases(*x), |sum, x| sum + coefficient * x)?;
                }
                Compiled::Cases(sum)
            }
            TermNode::Product(a, b) => {
                Compiled::Cases(combined(self.known_cases(*a), self.known_cases(*b), |a, b| a * b)?)
            }
            TermNode::Quotient(a, divisor) => {
                Compiled::Cases(combined(self.known_cases(*a), &everywhere(divisor.clone()), |a, b| a / b)?)
            }
            TermNode::Ite(condition, a, b) => {
                let when = self.known_truth(*condition);
                let mut cases = BTreeMap::new();
                for (condition, branch) in [(when, a), (&not(when), b)] {
                    let branch = self.known_cases(*branch).iter();
                    branch.for_each(|(value, place)| add(&mut cases, value.clone(), and(condition, place)));
                }
                Compiled::Cases(cases)
            }
        })
    }

    fn leaf(&self, leaf: Leaf, sort: Sort) -> Compiled {
        match (self.given.get(&leaf), sort) {
            (Some(set), Sort::Bool) => return Compiled::Truth(set.clone()),
            (Some(set), _) => {
                return Compiled::Cases(BTreeMap::from([(IBig::ZERO, not(set)), (IBig::ONE, set.clone())]));
            }
            (None, _) => {}
        }
        let values = self.space.bits(leaf).values.iter().enumerate();
        let places = values.map(|(number, &value)| (IBig::from(value), self.space.has_value(leaf, number, false)));
        let mut cases: Cases = places.collect();
        match sort {
            Sort::Bool => Compiled::Truth(cases.remove(&IBig::ONE).unwrap_or_else(|| self.space.constant(false))),
            Sort::Int | Sort::Enum(_) => Compiled::Cases(cases),
        }
    }

    /// Where two terms have the same value. It takes as long as the one with fewer values has some.
    fn equal(&self, a: Term, b: Term) -> Set {
        let (few, many) = self.by_count(a, b);
        let mut truth = self.space.constant(false);
        for (value, place) in self.known_cases(few) {
            if let Some(other) = self.known_cases(many).get(value) {
                truth = or(&truth, &and(place, other));
            }
        }
        truth
    }

    /// Where one term is at most another. It takes as long as the one with fewer values has some, once it is known where the
    /// other one is up to which value.
    fn at_most(&mut self, a: Term, b: Term) -> Set {
        let (few, many) = self.by_count(a, b);
        if !self.up_to.contains_key(&many) {
            let sums = self.summed(many);
            self.up_to.insert(many, sums);
        }
        let sums = &self.up_to[&many];
        let none = self.space.constant(false);
        let all = sums.values().next_back().unwrap_or(&none);
        let mut truth = none.clone();
        for (value, place) in self.known_cases(few) {
            let last = |values: &mut dyn DoubleEndedIterator<Item = (&IBig, &Set)>| {
                values.next_back().map_or_else(|| none.clone(), |(_, up_to)| up_to.clone())
            };
            let there =
                if few == a { without(all, &last(&mut sums.range(..value))) } else { last(&mut sums.range(..=value)) };
            truth = or(&truth, &and(place, &there));
        }
        truth
    }

    /// Where a term has one of its values up to each of them.
    fn summed(&self, term: Term) -> Cases {
        let mut sum = self.space.constant(false);
        let next = |(value, place): (&IBig, &Set)| {
            sum = or(&sum, place);
            (value.clone(), sum.clone())
        };
        self.known_cases(term).iter().map(next).collect()
    }

    /// Two terms, the one with fewer values first.
    fn by_count(&self, a: Term, b: Term) -> (Term, Term) {
        if self.known_cases(a).len() <= self.known_cases(b).len() { (a, b) } else { (b, a) }
    }
}

fn add(cases: &mut Cases, value: IBig, place: Set) {
    if !place.is_false() {
        let joined = cases.get(&value).map_or_else(|| place.clone(), |known| or(known, &place));
        cases.insert(value, joined);
    }
}

fn combined(a: &Cases, b: &Cases, operation: impl Fn(&IBig, &IBig) -> IBig) -> Result<Cases, Reason> {
    let mut cases = BTreeMap::new();
    for (x, place) in a {
        for (y, other) in b {
            add(&mut cases, operation(x, y), and(place, other));
        }
        if cases.len() > MOST_VALUES {
            let words = format!("a term has more than {MOST_VALUES} values, too many for decision diagrams");
            return Err(Reason::Engine(words));
        }
    }
    Ok(cases)
}
