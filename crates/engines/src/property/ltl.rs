//! Linear temporal logic in negation normal form over predicates of state and event.
//!
//! Hash-consed; a node's children are older than the node. `F f` is `true U f`, `G f` is `false R f`.
//!
//! Constants are folded as far as an observer that sees only a finite part of a run, and knows nothing of
//! the system, could do it: `false & f` is false, but `X true`, and a label that happens to be
//! impossible, stay. So a claim about a prefix can be confirmed by looking at that prefix alone.

use crate::limits::tick;
use crate::ts::term::{Term, Terms};
use rustc_hash::FxHashMap;

/// A formula of one [`Ltl`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LtlId(u32);

impl LtlId {
    /// As an index: children have smaller ones.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A formula by its operator and operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LtlNode {
    /// A predicate over the state.
    Atom(Term),
    /// A predicate over the step from here: over state and inputs.
    StepAtom(Term),
    /// Conjunction of two or more; at most one of them is an atom of either kind.
    And(Box<[LtlId]>),
    /// Disjunction of two or more; at most one of them is an atom of either kind.
    Or(Box<[LtlId]>),
    /// In the next state.
    Next(LtlId),
    /// `a U b`
    Until(LtlId, LtlId),
    /// `a R b`: b holds up to and including the first a.
    Release(LtlId, LtlId),
}

/// The arena.
#[derive(Clone, Debug, Default)]
pub struct Ltl {
    nodes: Vec<LtlNode>,
    index: FxHashMap<LtlNode, LtlId>,
}

impl Ltl {
    /// An empty arena.
    pub fn new() -> Ltl {
        Ltl::default()
    }

    /// Operator and operands of a formula.
    pub fn node(&self, id: LtlId) -> &LtlNode {
        &self.nodes[id.index()]
    }

    fn intern(&mut self, node: LtlNode) -> LtlId {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        tick();
        let id = LtlId(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.index.insert(node, id);
        id
    }

    /// A predicate over the state.
    pub fn atom(&mut self, term: Term) -> LtlId {
        self.intern(LtlNode::Atom(term))
    }

    /// A predicate over the step from here.
    pub fn step_atom(&mut self, term: Term) -> LtlId {
        self.intern(LtlNode::StepAtom(term))
    }

    /// Conjunction: flattened, atoms of one kind merged; `false & f => false`, `true & f => f`.
    pub fn and(&mut self, terms: &mut Terms, list: impl IntoIterator<Item = LtlId>) -> LtlId {
        self.junction(terms, list, true)
    }

    /// Disjunction: flattened, atoms of one kind merged; `true | f => true`, `false | f => f`.
    pub fn or(&mut self, terms: &mut Terms, list: impl IntoIterator<Item = LtlId>) -> LtlId {
        self.junction(terms, list, false)
    }

    fn junction(&mut self, terms: &mut Terms, list: impl IntoIterator<Item = LtlId>, all: bool) -> LtlId {
        let joined = |terms: &mut Terms, list: Vec<Term>| if all { terms.and(list) } else { terms.or(list) };
        let JunctionParts { atoms, step_atoms, mut others } = self.members(list, all);
        let (atom, neutral) = (joined(terms, atoms), terms.bool(all));
        if atom == terms.not(neutral) {
            return self.atom(atom);
        }
        if !step_atoms.is_empty() {
            let step_atom = joined(terms, step_atoms);
            others.push(self.step_atom(step_atom));
        }
        if atom != neutral || others.is_empty() {
            others.push(self.atom(atom));
        }
        if let [only] = others[..] {
            return only;
        }
        let list = sorted(others);
        self.intern(if all { LtlNode::And(list) } else { LtlNode::Or(list) })
    }

    /// The members of a conjunction or disjunction, flattened and without repetition.
    fn members(&self, list: impl IntoIterator<Item = LtlId>, conjunction: bool) -> JunctionParts {
        let mut members = JunctionParts::default();
        let mut work: Vec<LtlId> = list.into_iter().collect();
        while let Some(id) = work.pop() {
            match self.node(id) {
                LtlNode::Atom(term) => members.atoms.push(*term),
                LtlNode::StepAtom(term) => members.step_atoms.push(*term),
                LtlNode::And(inner) if conjunction => work.extend(inner),
                LtlNode::Or(inner) if !conjunction => work.extend(inner),
                LtlNode::And(_) | LtlNode::Or(_) | LtlNode::Next(_) | LtlNode::Until(..) | LtlNode::Release(..) => {
                    members.others.push(id)
                }
            }
        }
        members.others.sort_unstable();
        members.others.dedup();
        members
    }

    /// `X f`
    pub fn next(&mut self, a: LtlId) -> LtlId {
        self.intern(LtlNode::Next(a))
    }

    /// `a U b`; `false U b => b`, `a U true => true`
    pub fn until(&mut self, terms: &Terms, a: LtlId, b: LtlId) -> LtlId {
        if self.is(terms, a, false) || self.is(terms, b, true) { b } else { self.intern(LtlNode::Until(a, b)) }
    }

    /// `a R b`; `true R b => b`, `a R false => false`
    pub fn release(&mut self, terms: &Terms, a: LtlId, b: LtlId) -> LtlId {
        if self.is(terms, a, true) || self.is(terms, b, false) { b } else { self.intern(LtlNode::Release(a, b)) }
    }

    /// True if a formula is a constant.
    pub fn is(&self, terms: &Terms, id: LtlId, value: bool) -> bool {
        match self.node(id) {
            LtlNode::Atom(term) if value => terms.is_true(*term),
            LtlNode::Atom(term) => terms.is_false(*term),
            LtlNode::StepAtom(_)
            | LtlNode::And(_)
            | LtlNode::Or(_)
            | LtlNode::Next(_)
            | LtlNode::Until(..)
            | LtlNode::Release(..) => false,
        }
    }

    /// The subformulas of a formula, itself included, children first.
    pub fn subformulas(&self, root: LtlId) -> Vec<LtlId> {
        let mut needed = vec![false; root.index() + 1];
        needed[root.index()] = true;
        for index in (0..=root.index()).rev() {
            if needed[index] {
                self.for_each_child(LtlId(index as u32), |child| needed[child.index()] = true);
            }
        }
        (0..=root.0).map(LtlId).filter(|id| needed[id.index()]).collect()
    }

    /// The formulas that a tableau passes on from state to state: the root, untils, releases, and
    /// bodies of `X`; children first.
    pub fn passed_on(&self, root: LtlId) -> Vec<LtlId> {
        let mut list = vec![root];
        for id in self.subformulas(root) {
            match self.node(id) {
                LtlNode::Until(..) | LtlNode::Release(..) => list.push(id),
                LtlNode::Next(a) => list.push(*a),
                LtlNode::Atom(_) | LtlNode::StepAtom(_) | LtlNode::And(_) | LtlNode::Or(_) => {}
            }
        }
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Calls `visit` on every child.
    pub fn for_each_child(&self, id: LtlId, mut visit: impl FnMut(LtlId)) {
        match self.node(id) {
            LtlNode::Atom(_) | LtlNode::StepAtom(_) => {}
            LtlNode::And(list) | LtlNode::Or(list) => list.iter().copied().for_each(visit),
            LtlNode::Next(a) => visit(*a),
            LtlNode::Until(a, b) | LtlNode::Release(a, b) => {
                visit(*a);
                visit(*b);
            }
        }
    }

    /// How many steps show whether the formula holds, if that does not depend on the run: none of its
    /// temporal operators is `U` or `R`.
    pub fn delay(&self, root: LtlId) -> Option<usize> {
        let mut delays: FxHashMap<LtlId, usize> = FxHashMap::default();
        for id in self.subformulas(root) {
            let delay = match self.node(id) {
                LtlNode::Atom(_) => 0,
                LtlNode::StepAtom(_) => 1,
                LtlNode::And(list) | LtlNode::Or(list) => list.iter().map(|part| delays[part]).max().unwrap_or(0),
                LtlNode::Next(a) => delays[a] + 1,
                LtlNode::Until(..) | LtlNode::Release(..) => return None,
            };
            delays.insert(id, delay);
        }
        delays.get(&root).copied()
    }

    /// True if every run that satisfies the formula has a finite prefix that shows it: no `R` in it.
    /// The negation of such a formula is a safety property.
    pub fn is_cosafe(&self, root: LtlId) -> bool {
        self.subformulas(root).into_iter().all(|id| !matches!(self.node(id), LtlNode::Release(..)))
    }
}

/// The parts of a flattened conjunction or disjunction.
#[derive(Default)]
struct JunctionParts {
    atoms: Vec<Term>,
    step_atoms: Vec<Term>,
    others: Vec<LtlId>,
}

fn sorted(mut list: Vec<LtlId>) -> Box<[LtlId]> {
    list.sort_unstable();
    list.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_of_a_formula_is_when_its_truth_shows() {
        let (mut ltl, mut terms) = (Ltl::new(), Terms::new());
        let always = terms.bool(true);
        let (state, step) = (ltl.atom(always), ltl.step_atom(always));
        let next = ltl.next(step);
        let both = ltl.and(&mut terms, [state, step, next]);
        let until = ltl.until(&terms, state, both);
        let after = ltl.next(until);
        let delays = [state, step, next, both, until, after].map(|id| ltl.delay(id));
        assert_eq!(delays, [Some(0), Some(1), Some(2), Some(2), None, None]);
    }
}
