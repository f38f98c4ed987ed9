//! The ways to meet obligations at one position: the rules of the semantic tableau.

use crate::limits::ticks;
use crate::model::Formula;
use crate::model::subformulas::{Obligation, subformulas};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Obligations, each once.
pub type Obligations = BTreeSet<Obligation>;

/// One way to meet obligations: what remains to be met from the next position on.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// The obligations of the next position.
    pub next: Obligations,
    /// The eventualities that are put off.
    pub postponed: Obligations,
}

/// The subformulas of a formula and their operands, by number.
pub struct Tableau<'f> {
    /// The subformulas.
    pub list: Vec<&'f Formula>,
    operands: Vec<Vec<u32>>,
}

/// A way that is not finished.
#[derive(Clone, Default)]
struct Branch {
    todo: Vec<Obligation>,
    done: Obligations,
    way: Way,
}

impl Branch {
    fn now(&self, more: impl IntoIterator<Item = Obligation>) -> Branch {
        let mut branch = self.clone();
        branch.todo.extend(more);
        branch
    }

    fn later(mut self, obligation: Obligation) -> Branch {
        self.way.next.insert(obligation);
        self
    }

    fn put_off(mut self, eventuality: Obligation) -> Branch {
        self.way.postponed.insert(eventuality);
        self.later(eventuality)
    }
}

impl<'f> Tableau<'f> {
    /// Of a formula.
    pub fn new(formula: &'f Formula) -> Tableau<'f> {
        let list = subformulas(formula);
        let index: FxHashMap<&Formula, u32> = list.iter().copied().zip(0..).collect();
        let operands = list.iter().map(|formula| {
            let mut operands = Vec::new();
            formula.for_each_child(&mut |child| operands.push(index[child]));
            operands
        });
        Tableau { operands: operands.collect(), list }
    }

    /// That the whole formula is false.
    pub fn negation(&self) -> Obligation {
        Obligation { subformula: self.list.len() as u32 - 1, truth: false }
    }

    /// The subformulas of obligations, and all that are below them.
    pub fn below(&self, obligations: &[Obligation]) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let mut todo: Vec<u32> = obligations.iter().map(|obligation| obligation.subformula).collect();
        while let Some(subformula) = todo.pop() {
            if found.insert(subformula) {
                todo.extend(&self.operands[subformula as usize]);
            }
        }
        found
    }

    /// The obligations and those that they consist of.
    pub fn consequences(&self, obligations: &Obligations) -> Obligations {
        let mut found = Obligations::new();
        let mut todo: Vec<Obligation> = obligations.iter().copied().collect();
        while let Some(obligation) = todo.pop() {
            if found.insert(obligation) {
                let operand = |index, truth| self.operand(obligation, index, truth);
                match (self.list[obligation.subformula as usize], obligation.truth) {
                    (Formula::Not(_), truth) => todo.push(operand(0, !truth)),
                    (Formula::And(_), true) => todo.extend(self.all_operands(obligation, true)),
                    (Formula::Or(_), false) => todo.extend(self.all_operands(obligation, false)),
                    (Formula::Implies(..), false) => todo.extend([operand(0, true), operand(1, false)]),
                    _ => {}
                }
            }
        }
        found
    }

    /// All ways to meet the obligations, given the truth of atoms and labels, and whether the step is
    /// observed, by subformula.
    pub fn ways(&self, obligations: &[Obligation], facts: &[bool]) -> Vec<Way> {
        let mut open = vec![Branch { todo: obligations.to_vec(), ..Branch::default() }];
        let mut ways = BTreeSet::new();
        while let Some(mut branch) = open.pop() {
            ticks(branch.todo.len() + branch.done.len() + 1);
            match branch.todo.pop() {
                None => {
                    ways.insert(branch.way);
                }
                Some(obligation) if branch.done.insert(obligation) => {
                    open.extend(self.apply(obligation, facts, branch));
                }
                Some(_) => open.push(branch),
            }
        }
        ways.into_iter().collect()
    }

    /// The branches after one rule; none if the obligation cannot be met.
    fn apply(&self, obligation: Obligation, facts: &[bool], branch: Branch) -> Vec<Branch> {
        let fact = facts[obligation.subformula as usize];
        let operand = |index, truth| self.operand(obligation, index, truth);
        let Obligation { truth, .. } = obligation;
        match (self.list[obligation.subformula as usize], truth) {
            (Formula::Atom(_) | Formula::Label(..) | Formula::Branching(_), truth) => {
                if fact == truth {
                    vec![branch]
                } else {
                    Vec::new()
                }
            }
            (Formula::Not(_), truth) => vec![branch.now([operand(0, !truth)])],
            (Formula::And(_), true) | (Formula::Or(_), false) => {
                vec![branch.now(self.all_operands(obligation, truth))]
            }
            (Formula::And(_), false) | (Formula::Or(_), true) => {
                self.all_operands(obligation, truth).map(|part| branch.now([part])).collect()
            }
            (Formula::Implies(..), true) => vec![branch.now([operand(0, false)]), branch.now([operand(1, true)])],
            (Formula::Implies(..), false) => vec![branch.now([operand(0, true), operand(1, false)])],
            (Formula::Iff(..), truth) => vec![
                branch.now([operand(0, true), operand(1, truth)]),
                branch.now([operand(0, false), operand(1, !truth)]),
            ],
            (Formula::Next(_), truth) => vec![branch.later(operand(0, truth))],
            // Seen, and true (false) next.
            (Formula::Possible(..), true) | (Formula::Necessary(..), false) => {
                if fact {
                    vec![branch.later(operand(0, truth))]
                } else {
                    Vec::new()
                }
            }
            // Not seen, or false (true) next.
            (Formula::Possible(..), false) | (Formula::Necessary(..), true) => {
                vec![if fact { branch.later(operand(0, truth)) } else { branch }]
            }
            (Formula::Finally(_), true) | (Formula::Globally(_), false) => {
                vec![branch.now([operand(0, truth)]), branch.put_off(obligation)]
            }
            (Formula::Finally(_), false) | (Formula::Globally(_), true) => {
                vec![branch.now([operand(0, truth)]).later(obligation)]
            }
            (Formula::Until(..), true) => {
                vec![branch.now([operand(1, true)]), branch.now([operand(0, true)]).put_off(obligation)]
            }
            (Formula::Until(..), false) => self.never_right(obligation, &branch, Branch::later),
            (Formula::WeakUntil(..), true) => {
                vec![branch.now([operand(1, true)]), branch.now([operand(0, true)]).later(obligation)]
            }
            (Formula::WeakUntil(..), false) => self.never_right(obligation, &branch, Branch::put_off),
            (Formula::Release(..), true) => {
                let kept = branch.now([operand(1, true)]);
                vec![kept.now([operand(0, true)]), kept.later(obligation)]
            }
            (Formula::Release(..), false) => {
                vec![branch.now([operand(1, false)]), branch.now([operand(0, false)]).put_off(obligation)]
            }
        }
    }

    /// The right side is false here; the left side is too, or the same holds next.
    fn never_right(
        &self,
        obligation: Obligation,
        branch: &Branch,
        next: fn(Branch, Obligation) -> Branch,
    ) -> Vec<Branch> {
        let right = branch.now([self.operand(obligation, 1, false)]);
        vec![right.now([self.operand(obligation, 0, false)]), next(right, obligation)]
    }

    /// An operand of the subformula of an obligation.
    pub fn operand(&self, of: Obligation, index: usize, truth: bool) -> Obligation {
        Obligation { subformula: self.operands[of.subformula as usize][index], truth }
    }

    fn all_operands(&self, of: Obligation, truth: bool) -> impl Iterator<Item = Obligation> {
        self.operands[of.subformula as usize]
            .iter()
            .map(move |subformula| Obligation { subformula: *subformula, truth })
    }
}
