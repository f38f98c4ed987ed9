//! A round of steps as a function on terms, and the conditions that it preserves.

use super::Moment;
use super::implication::{self, Implication};
use crate::limits::Budget;
use crate::model::Value;
use crate::ts::system::System;
use crate::ts::term::{Leaf, Term, TermNode, Terms, VarId};
use crate::ts::valuation::{Implicant, Valuation};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The number of conditions that are tried.
const MOST_CONDITIONS: usize = 60;

/// A round, executed on terms over the state where it starts.
pub(super) struct Round<'s> {
    system: &'s System,
    cone: &'s [VarId],
    /// The system's arena, grown.
    terms: Terms,
    /// The state where it starts.
    start: Valuation,
    /// Per variable its value now.
    values: Vec<Term>,
    /// Terms whose truth at the start makes the round what it is.
    decisive: Vec<Term>,
}

impl<'s> Round<'s> {
    /// Before its first step: the fixed variables have their values of the state.
    pub(super) fn new(system: &'s System, cone: &'s [VarId], fixed: &[VarId], state: Vec<Value>) -> Round<'s> {
        let mut terms = system.terms().clone();
        let value = |id: VarId| {
            let sort = system.variable(id).sort;
            match fixed.contains(&id) {
                true => terms.constant(&state[id.0 as usize], sort),
                false => terms.leaf(Leaf::Var(id), sort, None),
            }
        };
        let values = system.var_ids().map(value).collect();
        Round { system, cone, terms, start: Valuation::new(state, Vec::new()), values, decisive: Vec::new() }
    }

    /// One step: the same choice has to be possible, and the atoms have to be as they are.
    pub(super) fn step(&mut self, moment: &Moment, atoms: &[Term]) {
        let system = self.system;
        let event = &system.events()[system.event_of(&moment.choice).expect("it was replayed")];
        let mut memo = FxHashMap::default();
        let mut read: Vec<Term> = vec![event.guard];
        read.extend(event.receptions.iter().map(|reception| reception.taken));
        read.extend(atoms);
        for term in read {
            let term = self.now(term, &moment.inputs, &mut memo);
            self.decisive.push(term);
        }
        let mut next = self.values.clone();
        for &id in self.cone {
            for case in system.update(id) {
                let condition = self.now(case.condition, &moment.inputs, &mut memo);
                self.decisive.push(condition);
                if self.start.holds(&self.terms, condition) {
                    next[id.0 as usize] = self.now(case.value, &moment.inputs, &mut memo);
                    break;
                }
            }
        }
        self.values = next;
    }

    /// A term over the present state and its step, over the state where the round started.
    fn now(&mut self, term: Term, inputs: &[u32], memo: &mut FxHashMap<Term, Term>) -> Term {
        let (system, values) = (self.system, &self.values);
        let mut replace = |terms: &mut Terms, leaf: Leaf| match leaf {
            Leaf::Var(id) => Some(values[id.0 as usize]),
            Leaf::Input(id) => {
                Some(terms.constant_of_enum(inputs[id.0 as usize], system.inputs()[id.0 as usize].count))
            }
        };
        self.terms.substitute(term, &mut replace, memo)
    }

    /// The fixed variables have to have their values again.
    pub(super) fn close(&mut self, fixed: &[VarId]) {
        for &id in fixed {
            let value = &self.start.state()[id.0 as usize];
            let value = self.terms.constant(value, self.system.variable(id).sort);
            let returned = self.terms.eq(self.values[id.0 as usize], value);
            self.decisive.push(returned);
        }
    }

    /// Literals that hold at the start, and so decide the decisive terms.
    fn literals(&mut self, terms: &[Term]) -> Vec<Term> {
        let mut implicant = Implicant::new(self.system, &mut self.terms, &mut self.start);
        terms.iter().for_each(|&term| implicant.explain(term));
        implicant.literals()
    }

    /// Conditions that decide what is decisive and that the round keeps, with their arena.
    pub(super) fn inductive(mut self, budget: Budget) -> Option<(Terms, Vec<Term>)> {
        let decisive = std::mem::take(&mut self.decisive);
        let mut open = self.literals(&decisive);
        let mut set: BTreeSet<Term> = open.iter().copied().collect();
        let mut implication = Implication::new(self.system);
        let mut memo = FxHashMap::default();
        while let Some(condition) = open.pop() {
            let values = &self.values;
            let mut replace = |_: &mut Terms, leaf: Leaf| match leaf {
                Leaf::Var(id) => Some(values[id.0 as usize]),
                Leaf::Input(_) => None,
            };
            let after = self.terms.substitute(condition, &mut replace, &mut memo);
            if set.contains(&after) || self.terms.is_true(after) {
                continue;
            }
            if !self.start.holds(&self.terms, after) || set.len() > MOST_CONDITIONS {
                return None;
            }
            if implication.holds(&self.terms, &set, after, budget)? {
                continue;
            }
            let stronger = self.strengthen(condition, after)?;
            let new: Vec<Term> =
                self.literals(&[stronger]).into_iter().filter(|literal| set.insert(*literal)).collect();
            if new.is_empty() {
                return None;
            }
            open.push(condition);
            open.extend(new);
        }
        let set = self.equalities(&set);
        let set = implication::without_redundant(self.system, &self.terms, set, budget);
        Some((self.terms, set))
    }

    /// The same conditions, with two inequalities that make an equality as one.
    fn equalities(&mut self, set: &BTreeSet<Term>) -> Vec<Term> {
        let mut joined: Vec<Term> = Vec::new();
        for &condition in set {
            let other_way = match *self.terms.node(condition) {
                TermNode::Le(a, b) => Some((a, b, self.terms.le(b, a))).filter(|(.., other)| set.contains(other)),
                _ => None,
            };
            let condition = other_way.map_or(condition, |(a, b, _)| self.terms.eq(a, b));
            if !joined.contains(&condition) {
                joined.push(condition);
            }
        }
        joined
    }

    /// A condition that implies, with `condition`, that this holds after the round: that the distance to its bound does
    /// not shrink, or the condition after the round itself. Nothing if the distance shrinks at a constant rate.
    fn strengthen(&mut self, condition: Term, after: Term) -> Option<Term> {
        let (before, later) = (self.terms.inequality(condition), self.terms.inequality(after));
        let (Some((before, _)), Some((later, _))) = (before, later) else { return Some(after) };
        let kept = self.terms.le(later, before);
        if self.terms.is_false(kept) {
            return None;
        }
        Some(if self.start.holds(&self.terms, kept) { kept } else { after })
    }
}
