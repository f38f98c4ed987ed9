//! Counters of acceptance, with rankings and without, against runs that are counted one by one.

use super::asked::Asked;
use super::automaton::{Automaton, Letters, Moves};
use super::lassos::Set;
use super::recognisers::property;
use super::symbolic::{Acceptance, Added, automaton, automaton_named};
use rcheck_smt::check::target::{Target, eventualities};
use rcheck_smt::claim::reduction::Reduction;
use rcheck_smt::model::Formula;
use rcheck_smt::property::reduction::{Accepting, Measure, accepting, reachability};
use rcheck_smt::ts::counter::count;
use rcheck_smt::ts::ranking::Ranking;
use rcheck_smt::ts::system::System;
use rcheck_smt::ts::term::{Leaf, Sort, Term, Terms, VarId};

/// The most that is counted.
const MOST: usize = 2;

/// A system with a counter up to a number, and its bad states.
type Counter<'a> = dyn Fn(usize, &Ranking) -> (System, Term) + 'a;

/// Compares counters of the acceptance of each part of a formula: those of the engines, and those of the check.
pub fn check(asked: &Asked) -> Result<(), String> {
    let mut system = asked.words.system.clone();
    let property = property(asked.words, &mut system, asked.formula);
    for part in &property.parts {
        let Some(accepting) = accepting(system.clone(), &property.ltl, part.negation) else { continue };
        let product = accepting.clone();
        let counter = |k: usize, ranking: &Ranking| match ranking.components.is_empty() {
            true => {
                let reached = reachability(system.clone(), &property.ltl, part.negation, &Measure::counting(k));
                (reached.system, reached.bad)
            }
            false => count(product.system.clone(), product.seen, k, ranking),
        };
        check_counters(&Counted::new(asked, &system, accepting, &counter))?;
        check_target(asked, &part.formula).map_err(|error| format!("check::target: {error}"))?;
    }
    Ok(())
}

fn check_target(asked: &Asked, formula: &Formula) -> Result<(), String> {
    let base = &asked.words.system;
    let watched = eventualities(&asked.words.model, base, formula);
    let counter = |k: usize, ranking: &Ranking| {
        let reduction = if ranking.components.is_empty() { Reduction::Counting(k) } else { Reduction::Ranking(k) };
        let target = Target::new(&asked.words.model, base.clone(), formula, reduction, ranking, &watched);
        let target = target.expect("rounds can be counted for every formula");
        (target.system, target.bad)
    };
    let (system, seen) = counter(0, &Ranking::default());
    check_counters(&Counted::new(asked, base, Accepting { system, seen }, &counter))
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
    base: &'a System,
    accepting: Accepting,
    /// The product, with what is seen as condition 0.
    product: Automaton,
    states: Vec<Added>,
    counter: &'a Counter<'a>,
}

impl<'a> Counted<'a> {
    fn new(asked: &'a Asked, base: &'a System, accepting: Accepting, counter: &'a Counter<'a>) -> Counted<'a> {
        let alphabet = &asked.shapes[0].alphabet;
        let seen = Acceptance::Counted(accepting.seen);
        let (product, states) = automaton_named(asked.words, alphabet, base, &accepting.system, seen);
        Counted { asked, base, accepting, product, states, counter }
    }

    fn bad(&self, k: usize, ranking: &Ranking) -> Automaton {
        let (system, bad) = (self.counter)(k, ranking);
        automaton(self.asked.words, &self.asked.shapes[0].alphabet, self.base, &system, Acceptance::Reach(bad))
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
        let first = self.base.variables().len();
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
