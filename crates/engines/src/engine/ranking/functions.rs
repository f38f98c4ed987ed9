//! Candidate ranking functions: sums of a few basic functions, in one phase only or everywhere.

use super::SampledStep;
use super::obligations::bits;
use crate::ts::system::{Domain, Origin, Parts};
use crate::ts::term::{Leaf, Sort, Term, Terms, VarId};
use dashu_int::IBig;
use std::collections::BTreeMap;

/// The number of integers that may be added up; sums of more than two are tried if there are not more integers than `FEW`.
const LONGEST: usize = 4;
const FEW: usize = 14;
/// If there are no more obligations than that, all choices of them are phases.
const PHASED: usize = 3;
/// Functions are made non-negative by adding no more than this.
const LARGEST_OFFSET: i128 = 1 << 16;

/// `offset` and the sum of some basic functions where `phase` is 1, and 0 elsewhere.
#[derive(Clone, Debug)]
pub struct Function {
    /// A basic function that is 0 or 1; everywhere if there is none.
    phase: Option<usize>,
    /// Basic functions, and whether they are subtracted.
    summands: Vec<(usize, bool)>,
    offset: i128,
    /// How often the offset may still be changed.
    patience: u8,
}

/// The basic functions of a system.
pub struct Functions {
    basis: Vec<Term>,
    /// Those of the basis that are 0 or 1 by what is pending.
    phases: Vec<usize>,
    /// 0 or 1 by the value of a finite variable, or how often a value occurs among similar variables.
    indicators: Vec<usize>,
    /// Values of integers, sums of them, and distances.
    integers: Vec<usize>,
}

impl Function {
    fn value(&self, basis: &[i128]) -> i128 {
        let summand = |&(index, subtracted): &(usize, bool)| if subtracted { -basis[index] } else { basis[index] };
        let inside = self.phase.is_none_or(|phase| basis[phase] == 1);
        if inside { self.offset + self.summands.iter().map(summand).sum::<i128>() } else { 0 }
    }

    /// By how much the function shrinks on a step.
    pub fn shrinks_by(&self, step: &SampledStep) -> i128 {
        self.value(&step.before) - self.value(&step.after)
    }

    /// True if it shrinks on some of the steps.
    pub fn shrinks_on(&self, steps: &[SampledStep]) -> bool {
        steps.iter().any(|step| self.shrinks_by(step) > 0)
    }

    /// True if it grows on none of the steps, and is not negative before it shrinks. Changes the offset to that end.
    pub fn fits(&mut self, steps: &[SampledStep]) -> bool {
        if steps.iter().any(|step| self.shrinks_by(step) < 0) {
            return false;
        }
        let shrinking = steps.iter().filter(|step| self.shrinks_by(step) > 0);
        let least = shrinking.map(|step| self.value(&step.before)).min().unwrap_or(0);
        if least >= 0 {
            return true;
        }
        self.offset -= least;
        self.patience = self.patience.saturating_sub(1);
        self.patience > 0 && self.offset <= LARGEST_OFFSET && self.fits(steps)
    }
}

impl Functions {
    /// Those of a system; they are added to the arena.
    pub fn new(parts: &mut Parts) -> Functions {
        let mut functions =
            Functions { basis: Vec::new(), phases: Vec::new(), indicators: Vec::new(), integers: Vec::new() };
        functions.add_phases(parts);
        let mut groups = Groups::default();
        for id in 0..parts.variables.len() {
            functions.add_variable(parts, VarId(id as u32), &mut groups);
        }
        for group in groups.indicators.into_values().filter(|group| group.len() > 1) {
            let sum = functions.add(sum(&mut parts.terms, &group));
            functions.indicators.push(sum);
        }
        for group in groups.integers.into_values().filter(|group| group.len() > 1) {
            let total = sum(&mut parts.terms, &group);
            let spread = spread(&mut parts.terms, &group);
            for term in [total, spread] {
                let index = functions.add(term);
                functions.integers.push(index);
            }
        }
        functions
    }

    /// All that are needed to know the values of all functions.
    pub fn basis(&self) -> &[Term] {
        &self.basis
    }

    fn add(&mut self, term: Term) -> usize {
        self.basis.push(term);
        self.basis.len() - 1
    }

    /// Adds functions that tell if an obligation is pending; if there are few of them, also which ones are at all.
    fn add_phases(&mut self, parts: &mut Parts) {
        let bits = bits(&parts.variables);
        let longest = if bits.len() <= PHASED { bits.len() } else { 1 };
        let mut phases = vec![(0, parts.terms.bool(true))];
        for id in bits {
            let terms = &mut parts.terms;
            let pending = terms.leaf(Leaf::Var(id), Sort::Bool, None);
            let idle = terms.not(pending);
            for (chosen, phase) in phases.clone() {
                if chosen < longest {
                    phases.extend([pending, idle].map(|bit| (chosen + 1, terms.and([phase, bit]))));
                }
            }
        }
        phases.retain(|&(chosen, _)| chosen == 1 || chosen == longest);
        for (_, phase) in phases {
            let indicator = indicator(&mut parts.terms, phase);
            let index = self.add(indicator);
            self.phases.push(index);
        }
    }

    fn add_variable(&mut self, parts: &mut Parts, id: VarId, groups: &mut Groups) {
        let variable = &parts.variables[id.0 as usize];
        if !matches!(variable.origin, Origin::Automaton(_) | Origin::Local(..)) || variable.domain.only().is_some() {
            return;
        }
        let similar = variable.local_name().to_owned();
        let (sort, domain) = (variable.sort, variable.domain.clone());
        let term = variable.term(&mut parts.terms, id);
        if sort == Sort::Int {
            let index = self.add(term);
            self.integers.push(index);
            groups.integers.entry(similar).or_default().push(term);
            return;
        }
        let numbers = match domain {
            Domain::Finite(values) => values.to_vec(),
            _ => vec![1],
        };
        for number in numbers {
            let value = parts.terms.numbered(number, sort);
            let is_value = parts.terms.eq(term, value);
            let indicator = indicator(&mut parts.terms, is_value);
            let index = self.add(indicator);
            self.indicators.push(index);
            groups.indicators.entry((similar.clone(), number)).or_default().push(indicator);
        }
    }

    /// The functions to try, the simplest ones first.
    pub fn candidates(&self) -> Vec<Function> {
        let sums = std::iter::once(Vec::new()).chain(self.sums());
        let phases: Vec<Option<usize>> = std::iter::once(None).chain(self.phases.iter().copied().map(Some)).collect();
        let function = |phase, summands| Function { phase, summands, offset: 0, patience: 3 };
        sums.flat_map(|summands| {
            // A phase alone is 1 there.
            let offset = i128::from(summands.is_empty());
            phases.iter().map(move |&phase| Function { offset, ..function(phase, summands.clone()) })
        })
        .collect()
    }

    /// Sums of indicators and integers: one, two indicators or two integers, few integers.
    fn sums(&self) -> Vec<Vec<(usize, bool)>> {
        let single = |&index: &usize| [vec![(index, false)], vec![(index, true)]];
        let mut sums: Vec<Vec<(usize, bool)>> = self.integers.iter().chain(&self.indicators).flat_map(single).collect();
        let mut longer: Vec<Vec<(usize, bool)>> = self.integers.iter().flat_map(single).collect();
        let longest = if self.integers.len() <= FEW { LONGEST } else { 2 };
        for _ in 1..longest {
            longer = longer.iter().flat_map(|sum| self.extensions(sum)).collect();
            sums.extend(longer.iter().cloned());
        }
        sums
    }

    /// The sum with one more integer, which stands behind the last one.
    fn extensions(&self, sum: &[(usize, bool)]) -> Vec<Vec<(usize, bool)>> {
        let last = sum.last().map_or(0, |&(index, _)| index);
        let later = self.integers.iter().filter(|&&index| index > last);
        later.flat_map(|&index| [false, true].map(|sign| [sum, &[(index, sign)]].concat())).collect()
    }

    /// The function as a term.
    pub fn term(&self, function: &Function, terms: &mut Terms) -> Term {
        let summand = |&(index, subtracted): &(usize, bool)| {
            (if subtracted { IBig::NEG_ONE } else { IBig::ONE }, self.basis[index])
        };
        let mut summands: Vec<(IBig, Term)> = function.summands.iter().map(summand).collect();
        summands.push((IBig::from(function.offset), terms.int(1)));
        let value = terms.linear(&summands);
        let Some(phase) = function.phase else { return value };
        let (one, zero) = (terms.int(1), terms.int(0));
        let inside = terms.eq(self.basis[phase], one);
        terms.ite(inside, value, zero)
    }
}

/// Variables of similar name: of the instances of a type.
#[derive(Default)]
struct Groups {
    integers: BTreeMap<String, Vec<Term>>,
    indicators: BTreeMap<(String, i64), Vec<Term>>,
}

/// 1 where the condition holds, else 0.
fn indicator(terms: &mut Terms, condition: Term) -> Term {
    let (one, zero) = (terms.int(1), terms.int(0));
    terms.ite(condition, one, zero)
}

fn sum(terms: &mut Terms, list: &[Term]) -> Term {
    terms.linear(&list.iter().map(|&term| (IBig::ONE, term)).collect::<Vec<_>>())
}

/// The sum of the distances between any two.
fn spread(terms: &mut Terms, list: &[Term]) -> Term {
    let mut total = terms.int(0);
    for (index, &a) in list.iter().enumerate() {
        for &b in &list[..index] {
            let (difference, opposite, below) = (terms.sub(a, b), terms.sub(b, a), terms.le(a, b));
            let distance = terms.ite(below, opposite, difference);
            total = terms.add(total, distance);
        }
    }
    total
}
