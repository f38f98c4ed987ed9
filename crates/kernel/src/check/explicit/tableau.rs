//! The ways to meet obligations at one position: the rules of the semantic tableau.

use super::recurrence::Recurrence;
use crate::limits::ticks;
use crate::model::Formula;
use crate::model::normal::{Literal, Normal};
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
    /// The eventualities that are pending.
    pub pending: Obligations,
}

/// The subformulas of a formula and their operands, by number.
pub struct Tableau<'f> {
    /// The subformulas.
    pub list: Vec<&'f Formula>,
    /// The number of each occurrence of a subformula, by its place in memory.
    numbers: FxHashMap<*const Formula, u32>,
    operands: Vec<Vec<u32>>,
}

/// A way that is not finished.
#[derive(Clone, Default)]
struct Branch<'f> {
    /// Normal forms that have to be true, each with the obligation that it is a part of.
    todo: Vec<(Normal<'f>, Obligation)>,
    done: Obligations,
    way: Way,
}

impl<'f> Branch<'f> {
    fn now(mut self, more: impl IntoIterator<Item = Normal<'f>>, of: Obligation) -> Branch<'f> {
        self.todo.extend(more.into_iter().map(|normal| (normal, of)));
        self
    }

    fn later(mut self, obligation: Obligation) -> Branch<'f> {
        self.way.next.insert(obligation);
        self
    }

    fn stays_pending(mut self, eventuality: Obligation) -> Branch<'f> {
        self.way.pending.insert(eventuality);
        self.later(eventuality)
    }
}

impl<'f> Tableau<'f> {
    /// Of a formula.
    pub fn new(formula: &'f Formula) -> Tableau<'f> {
        let list = subformulas(formula);
        let index: FxHashMap<&Formula, u32> = list.iter().copied().zip(0..).collect();
        let mut numbers = FxHashMap::default();
        number(formula, &index, &mut numbers);
        let operands = list.iter().map(|formula| {
            let mut operands = Vec::new();
            formula.for_each_child(&mut |child| operands.push(index[child]));
            operands
        });
        Tableau { operands: operands.collect(), list, numbers }
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
                let formula = self.list[obligation.subformula as usize];
                self.consist_of(Normal::of(formula, obligation.truth), &mut todo);
            }
        }
        found
    }

    /// True if an obligation follows from others, of which the [consequences](Tableau::consequences) are these, by the
    /// rules for connectives.
    pub fn follows(&self, obligation: Obligation, from: &Obligations) -> bool {
        let formula = self.list[obligation.subformula as usize];
        from.contains(&obligation) || self.is_true_with(&Normal::of(formula, obligation.truth), from)
    }

    fn is_true_with(&self, normal: &Normal<'f>, obligations: &Obligations) -> bool {
        match normal {
            Normal::Formula(formula, truth) => self.follows(self.obligation(formula, *truth), obligations),
            Normal::All(list) => list.iter().all(|part| self.is_true_with(part, obligations)),
            Normal::Any(list) => list.iter().any(|part| self.is_true_with(part, obligations)),
            Normal::Literal(..) | Normal::Next(..) | Normal::Until(..) | Normal::Release(..) => false,
        }
    }

    /// The obligations that the falsity of the whole formula consists of, those about what happens again and again apart.
    pub fn beginning(&self) -> (Vec<Recurrence>, Vec<Obligation>) {
        let (mut recurrences, mut others) = (Vec::new(), Obligations::new());
        let (mut known, mut todo) = (Obligations::new(), vec![self.negation()]);
        while let Some(obligation) = todo.pop() {
            if !known.insert(obligation) {
                continue;
            }
            if let Some(recurrence) = self.recurrence(obligation) {
                recurrences.push(recurrence);
                continue;
            }
            let normal = Normal::of(self.list[obligation.subformula as usize], obligation.truth);
            match normal {
                Normal::Formula(..) | Normal::All(_) => self.consist_of(normal, &mut todo),
                Normal::Literal(..) | Normal::Any(_) | Normal::Next(..) | Normal::Until(..) | Normal::Release(..) => {
                    others.insert(obligation);
                }
            }
        }
        (recurrences, others.into_iter().collect())
    }

    /// Adds the obligations that a normal form is a conjunction of.
    fn consist_of(&self, normal: Normal<'f>, parts: &mut Vec<Obligation>) {
        match normal {
            Normal::Formula(formula, truth) => parts.push(self.obligation(formula, truth)),
            Normal::All(list) => list.into_iter().for_each(|part| self.consist_of(part, parts)),
            Normal::Literal(..) | Normal::Any(_) | Normal::Next(..) | Normal::Until(..) | Normal::Release(..) => {}
        }
    }

    /// True if it is a literal that is true.
    fn is_true(&self, normal: &Normal, facts: &[bool]) -> bool {
        let Normal::Formula(formula, truth) = normal else { return false };
        Literal::of(formula).is_some() && facts[self.number(formula) as usize] == *truth
    }

    /// The number of a subformula.
    pub fn number(&self, formula: &Formula) -> u32 {
        self.numbers[&std::ptr::from_ref(formula)]
    }

    /// The obligation that a subformula is true, or false.
    pub fn obligation(&self, formula: &Formula, truth: bool) -> Obligation {
        Obligation { subformula: self.number(formula), truth }
    }

    /// All ways to meet the obligations, given the truth of atoms and labels, and whether the step is
    /// observed, by subformula.
    pub fn ways(&self, obligations: &[Obligation], facts: &[bool]) -> Vec<Way> {
        let whole = |of: &Obligation| (Normal::Formula(self.list[of.subformula as usize], of.truth), *of);
        let mut open = vec![Branch { todo: obligations.iter().map(whole).collect(), ..Branch::default() }];
        let mut ways = BTreeSet::new();
        while let Some(mut branch) = open.pop() {
            ticks(branch.todo.len() + branch.done.len() + 1);
            match branch.todo.pop() {
                None => {
                    ways.insert(branch.way);
                }
                Some((normal, of)) => open.extend(self.apply(normal, of, facts, branch)),
            }
        }
        ways.into_iter().collect()
    }

    /// The branches after one rule; none if it cannot be met. Literals and fixpoints are those of the obligation.
    fn apply(&self, normal: Normal<'f>, of: Obligation, facts: &[bool], mut branch: Branch<'f>) -> Vec<Branch<'f>> {
        match normal {
            Normal::Literal(_, truth) if facts[of.subformula as usize] == truth => vec![branch],
            Normal::Literal(..) => Vec::new(),
            Normal::Formula(formula, truth) => {
                let obligation = self.obligation(formula, truth);
                match branch.done.insert(obligation) {
                    true => self.apply(Normal::of(formula, truth), obligation, facts, branch),
                    false => vec![branch],
                }
            }
            Normal::All(list) => vec![branch.now(list, of)],
            // One that is true says all there is to say.
            Normal::Any(list) if list.iter().any(|part| self.is_true(part, facts)) => vec![branch],
            Normal::Any(list) => list.into_iter().map(|part| branch.clone().now([part], of)).collect(),
            Normal::Next(formula, truth) => vec![branch.later(self.obligation(formula, truth))],
            Normal::Until(stay, goal) => {
                vec![branch.clone().now([*goal], of), branch.now([*stay], of).stays_pending(of)]
            }
            Normal::Release(exit, always) => {
                let kept = branch.now([*always], of);
                vec![kept.clone().now([*exit], of), kept.later(of)]
            }
        }
    }
}

/// Notes the number of each occurrence of a subformula.
fn number(formula: &Formula, index: &FxHashMap<&Formula, u32>, numbers: &mut FxHashMap<*const Formula, u32>) {
    numbers.insert(std::ptr::from_ref(formula), index[formula]);
    formula.for_each_child(&mut |child| number(child, index, numbers));
}
