//! Counters of acceptance, with rankings and without, against runs that are counted one by one.

use super::asked::Asked;
use super::automaton::{Automaton, Letters, Moves};
use super::lassos::Set;
use super::symbolic::{Acceptance, Added, automaton, automaton_named};
use rcheck_smt::model::Formula;
use rcheck_smt::product::rounds::Accepting;
use rcheck_smt::product::target::{Reduction, Target, accepting, rankable};
use rcheck_smt::ts::ranking::Ranking;
use rcheck_smt::ts::system::System;
use rcheck_smt::ts::term::{Leaf, Sort, Term, Terms, VarId};

/// The most that is counted.
const MOST: usize = 2;

/// Compares counters of the rounds of each conjunct of a formula that is no safety property.
pub fn check(asked: &Asked) -> Result<(), String> {
    let (model, base) = (&asked.words.model, &asked.words.system);
    let conjuncts = asked.formula.conjuncts();
    let liveness = conjuncts.iter().filter(|formula| accepting(model, base.clone(), formula).is_some());
    liveness.map(|formula| Counted::new(asked, formula)).try_for_each(|counted| check_counters(&counted))
}

fn check_counters(counted: &Counted) -> Result<(), String> {
    counted.check_limit()?;
    for k in 0..=MOST {
        counted.check_counter(k)?;
        for weights in WEIGHTS.into_iter().filter(|_| k < MOST) {
            counted.check_ranking(k, weights)?;
        }
    }
    Ok(())
}

/// The components of a ranking: a constant, and the summands of obligations in turn while they are pending.
type Weights = &'static [(i64, &'static [i64])];

const WEIGHTS: [Weights; 6] = [
    &[(3, &[])],
    &[(0, &[1, 0])],
    &[(0, &[1, 1, 1])],
    &[(2, &[-1, 0, 0]), (0, &[0, 1, 1])],
    &[(0, &[0, 1]), (1, &[-1, 0])],
    &[(-9, &[1])],
];

struct Counted<'a> {
    asked: &'a Asked<'a>,
    formula: &'a Formula,
    accepting: Accepting,
    /// The product, with what is seen as condition 0.
    product: Automaton,
    states: Vec<Added>,
}

impl<'a> Counted<'a> {
    fn new(asked: &'a Asked, formula: &'a Formula) -> Counted<'a> {
        let (alphabet, base) = (&asked.shapes[0].alphabet, &asked.words.system);
        let accepting = rankable(&asked.words.model, base.clone(), formula);
        let seen = Acceptance::Counted(accepting.seen);
        let (product, states) = automaton_named(asked.words, alphabet, base, &accepting.system, seen);
        Counted { asked, formula, accepting, product, states }
    }

    fn base(&self) -> &'a System {
        &self.asked.words.system
    }

    fn bad(&self, k: usize, ranking: &Ranking) -> Automaton {
        let (words, base) = (self.asked.words, self.base());
        let reduction = if ranking.components.is_empty() { Reduction::Counting(k) } else { Reduction::Ranking(k) };
        let target = Target::new(&words.model, base.clone(), self.formula, reduction, ranking);
        let Target { system, bad, .. } = target.expect("rounds can be counted for every formula");
        automaton(words, &self.asked.shapes[0].alphabet, base, &system, Acceptance::Reach(bad))
    }

    /// An acceptance that is seen more often than there are places is seen for ever.
    fn check_limit(&self) -> Result<(), String> {
        let for_ever = Automaton { conditions: Some(1), ..self.product.clone() }.without_ends();
        for lassos in self.asked.shapes {
            let places = lassos.length * self.states.len();
            let often = self.product.won_after(lassos, places);
            same(&for_ever.accepted(lassos), &often, &format!("seen more than {places} times"))?;
        }
        Ok(())
    }

    fn check_counter(&self, k: usize) -> Result<(), String> {
        let counter = self.bad(k, &Ranking::default());
        for lassos in self.asked.shapes {
            same(&counter.accepted(lassos), &self.product.won_after(lassos, k), &format!("counted up to {k}"))?;
        }
        Ok(())
    }

    fn check_ranking(&self, k: usize, weights: Weights) -> Result<(), String> {
        let (found, expected) = (self.bad(k, &self.ranking(weights)), self.ranked(k, weights));
        for lassos in self.asked.shapes {
            let what = format!("counted up to {k} with {weights:?}");
            same(&found.accepted(lassos), &expected.accepted(lassos), &what)?;
        }
        Ok(())
    }

    /// The components as terms.
    fn ranking(&self, weights: Weights) -> Ranking {
        let mut terms = self.accepting.system.terms().clone();
        let first = self.base().variables().len();
        let added = self.accepting.system.variables().len() - first;
        let component = |(constant, summands): &(i64, &[i64])| {
            let start = terms.int(*constant);
            (0..added).zip(turns(summands)).fold(start, |sum, (index, weight)| {
                let summand = while_pending(&mut terms, VarId((first + index) as u32), weight);
                terms.add(sum, summand)
            })
        };
        let components = weights.iter().map(component).collect();
        Ranking { terms, components }
    }

    /// The components in a state.
    fn ranks(&self, state: usize, weights: Weights) -> Vec<i64> {
        let pending = |index: &usize| self.states[state] >> index & 1 == 1;
        let sum = |summands: &[i64]| {
            turns(summands)
                .take(64)
                .enumerate()
                .filter(|(index, _)| pending(index))
                .map(|(_, weight)| weight)
                .sum::<i64>()
        };
        weights.iter().map(|(constant, summands)| constant + sum(summands)).collect()
    }

    /// The product with a counter that starts anew when the ranking changes, which won as soon as a step does not
    /// respect the ranking.
    fn ranked(&self, k: usize, weights: Weights) -> Automaton {
        let ranks: Vec<Vec<i64>> = (0..self.states.len()).map(|state| self.ranks(state, weights)).collect();
        let initial = self.product.initial.iter().map(|(state, letters)| ((*state, 0, false), *letters)).collect();
        Automaton::explore(initial, None, |(state, count, violated)| {
            let from = &self.product.states[*state];
            let steps = from.steps.iter().map(|step| {
                let (before, after) = (&ranks[*state], &ranks[step.target]);
                let next = if before == after { k.min(count + (step.seen & 1) as usize) } else { 0 };
                (step.letters, 0, (step.target, next, *violated || !is_respected(before, after)))
            });
            let won = if *violated {
                Letters::MAX
            } else if *count == k {
                from.won
            } else {
                0
            };
            Moves { won, steps: steps.collect() }
        })
    }
}

fn turns(summands: &[i64]) -> impl Iterator<Item = i64> {
    summands.iter().copied().cycle()
}

fn while_pending(terms: &mut Terms, variable: VarId, weight: i64) -> Term {
    let pending = terms.leaf(Leaf::Var(variable), Sort::Bool, None);
    let (weight, nothing) = (terms.int(weight), terms.int(0));
    terms.ite(pending, weight, nothing)
}

/// The first component that changes shrinks, and was not negative.
fn is_respected(before: &[i64], after: &[i64]) -> bool {
    let first = before.iter().zip(after).find(|(before, after)| before != after);
    first.is_none_or(|(before, after)| after < before && *before >= 0)
}

fn same(found: &Set, expected: &Set, what: &str) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: other words than by counting")) }
}
