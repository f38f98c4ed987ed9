//! Linear temporal logic in negation normal form over predicates of state and event.
//!
//! Hash-consed; a node's children are older than the node. `F f` is `true U f`, `G f` is `false R f`.

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

/// What a formula is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A predicate over variables and inputs of the current step.
    Atom(Term),
    /// Conjunction of two or more; at most one of them is an atom.
    And(Box<[LtlId]>),
    /// Disjunction of two or more; at most one of them is an atom.
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
    nodes: Vec<Node>,
    index: FxHashMap<Node, LtlId>,
}

impl Ltl {
    /// An empty arena.
    pub fn new() -> Ltl {
        Ltl::default()
    }

    /// What a formula is made of.
    pub fn node(&self, id: LtlId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The number of formulas.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn intern(&mut self, node: Node) -> LtlId {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        let id = LtlId(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.index.insert(node, id);
        id
    }

    /// A predicate.
    pub fn atom(&mut self, term: Term) -> LtlId {
        self.intern(Node::Atom(term))
    }

    fn constant(&mut self, terms: &mut Terms, value: bool) -> LtlId {
        let term = terms.bool(value);
        self.atom(term)
    }

    fn is_constant(&self, terms: &Terms, id: LtlId, value: bool) -> bool {
        matches!(self.node(id), Node::Atom(term) if if value { terms.is_true(*term) } else { terms.is_false(*term) })
    }

    /// Conjunction: flattened, atoms merged into one.
    pub fn and(&mut self, terms: &mut Terms, list: impl IntoIterator<Item = LtlId>) -> LtlId {
        let (atoms, mut rest) = self.members(list, true);
        let atom = terms.and(atoms);
        if terms.is_false(atom) {
            return self.atom(atom);
        }
        if !terms.is_true(atom) || rest.is_empty() {
            rest.push(self.atom(atom));
        }
        if rest.len() == 1 { rest[0] } else { self.intern(Node::And(sorted(rest))) }
    }

    /// Disjunction: flattened, atoms merged into one.
    pub fn or(&mut self, terms: &mut Terms, list: impl IntoIterator<Item = LtlId>) -> LtlId {
        let (atoms, mut rest) = self.members(list, false);
        let atom = terms.or(atoms);
        if terms.is_true(atom) {
            return self.atom(atom);
        }
        if !terms.is_false(atom) || rest.is_empty() {
            rest.push(self.atom(atom));
        }
        if rest.len() == 1 { rest[0] } else { self.intern(Node::Or(sorted(rest))) }
    }

    /// The members of a conjunction or disjunction, flattened: atoms and others, without repetition.
    fn members(&self, list: impl IntoIterator<Item = LtlId>, conjunction: bool) -> (Vec<Term>, Vec<LtlId>) {
        let (mut atoms, mut rest) = (Vec::new(), Vec::new());
        let mut work: Vec<LtlId> = list.into_iter().collect();
        while let Some(id) = work.pop() {
            match self.node(id) {
                Node::Atom(term) => atoms.push(*term),
                Node::And(inner) if conjunction => work.extend(inner),
                Node::Or(inner) if !conjunction => work.extend(inner),
                _ => rest.push(id),
            }
        }
        rest.sort_unstable();
        rest.dedup();
        (atoms, rest)
    }

    /// `X true => true`, `X false => false`
    pub fn next(&mut self, terms: &mut Terms, a: LtlId) -> LtlId {
        if self.is_constant(terms, a, true) || self.is_constant(terms, a, false) {
            return a;
        }
        self.intern(Node::Next(a))
    }

    /// `F f`
    pub fn finally(&mut self, terms: &mut Terms, a: LtlId) -> LtlId {
        let always = self.constant(terms, true);
        self.until(terms, always, a)
    }

    /// `G f`
    pub fn globally(&mut self, terms: &mut Terms, a: LtlId) -> LtlId {
        let never = self.constant(terms, false);
        self.release(terms, never, a)
    }

    /// `a U true => true`, `a U false => false`, `false U b => b`
    pub fn until(&mut self, terms: &mut Terms, a: LtlId, b: LtlId) -> LtlId {
        let decided = self.is_constant(terms, b, true) || self.is_constant(terms, b, false);
        if decided || self.is_constant(terms, a, false) {
            return b;
        }
        self.intern(Node::Until(a, b))
    }

    /// `a R true => true`, `a R false => false`, `true R b => b`
    pub fn release(&mut self, terms: &mut Terms, a: LtlId, b: LtlId) -> LtlId {
        let decided = self.is_constant(terms, b, true) || self.is_constant(terms, b, false);
        if decided || self.is_constant(terms, a, true) {
            return b;
        }
        self.intern(Node::Release(a, b))
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

    /// Calls `visit` on every child.
    pub fn for_each_child(&self, id: LtlId, mut visit: impl FnMut(LtlId)) {
        match self.node(id) {
            Node::Atom(_) => {}
            Node::And(list) | Node::Or(list) => list.iter().copied().for_each(visit),
            Node::Next(a) => visit(*a),
            Node::Until(a, b) | Node::Release(a, b) => {
                visit(*a);
                visit(*b);
            }
        }
    }

    /// Whether every run that satisfies the formula has a finite prefix that shows it: no `R` in it.
    /// The negation of such a formula is a safety property.
    pub fn is_cosafe(&self, root: LtlId) -> bool {
        self.subformulas(root).into_iter().all(|id| !matches!(self.node(id), Node::Release(..)))
    }
}

fn sorted(mut list: Vec<LtlId>) -> Box<[LtlId]> {
    list.sort_unstable();
    list.into()
}
