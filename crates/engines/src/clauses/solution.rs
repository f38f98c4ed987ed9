//! The values of the variables of a clause, as its equations say, also those under conditions.

use crate::limits::tick;
use crate::ts::term::{self, InputId, Leaf, Term, TermNode, Terms};
use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};

/// No longer disjunction is taken for an equation under a condition.
const MOST_CONDITIONS: usize = 8;

/// The variable of a clause that a term is.
pub fn unknown(terms: &Terms, term: Term) -> Option<Leaf> {
    match *terms.node(term) {
        TermNode::Leaf(leaf @ Leaf::Input(_)) => Some(leaf),
        _ => None,
    }
}

/// A variable of a clause in a term, with its sort.
pub fn first_unknown(terms: &Terms, term: Term) -> Option<(Leaf, term::Sort)> {
    let mut found = None;
    terms.collect_leaves(term, &mut FxHashSet::default(), &mut |leaf| {
        if matches!(leaf, Leaf::Input(_)) {
            found = Some(found.map_or(leaf, |other: Leaf| other.min(leaf)));
        }
    });
    found.map(|leaf| (leaf, terms.leaf_sort(leaf).expect("it is in a term")))
}

/// A disjunction among conjuncts, as its position and cases, of which there are at most so many: the cases that say what
/// that many unknown variables are, and all others together.
pub fn split(terms: &mut Terms, conjuncts: &[Term], equations: usize, most: usize) -> Option<(usize, Vec<Term>)> {
    conjuncts.iter().enumerate().find_map(|(position, &conjunct)| {
        tick();
        let TermNode::Or(cases) = terms.node(conjunct) else { return None };
        let cases = cases.to_vec();
        let mut says = |case: &Term| {
            let parts = terms.conjuncts(&[*case]);
            parts.into_iter().filter(|&part| equation(terms, part).is_some()).count() >= equations
        };
        let (mut cases, others): (Vec<Term>, Vec<Term>) = cases.into_iter().partition(|case| says(case));
        if cases.is_empty() {
            return None;
        }
        if !others.is_empty() {
            cases.push(terms.or(others));
        }
        (cases.len() <= most).then_some((position, cases))
    })
}

/// That a variable is a term where a condition is true: what some disjunction says.
struct Choice {
    position: usize,
    leaf: Leaf,
    condition: Term,
    value: Term,
}

/// The values of variables of a clause, as terms that contain none of these variables.
#[derive(Clone, Default)]
pub struct Solution {
    known: FxHashMap<Leaf, Term>,
    memo: FxHashMap<Term, Term>,
}

impl Solution {
    pub fn knows(&self, leaf: Leaf) -> bool {
        self.known.contains_key(&leaf)
    }

    pub fn apply(&mut self, terms: &mut Terms, term: Term) -> Term {
        let known = &self.known;
        terms.substitute(term, &mut |_, leaf| known.get(&leaf).copied(), &mut self.memo)
    }

    /// A variable is a term in which no known variable is.
    pub fn insert(&mut self, terms: &mut Terms, leaf: Leaf, value: Term) {
        let mut memo = FxHashMap::default();
        for known in self.known.values_mut() {
            *known = terms.substitute(*known, &mut |_, other| (other == leaf).then_some(value), &mut memo);
        }
        self.known.insert(leaf, value);
        self.memo.clear();
    }

    /// Uses equations to learn what variables are, also opposite ones under a condition; returns the other conjuncts.
    pub fn solve(&mut self, terms: &mut Terms, mut conjuncts: Vec<Term>) -> Vec<Term> {
        loop {
            let mut changed = false;
            let mut rest = Vec::new();
            let mut parts: Vec<Term> = conjuncts.into_iter().rev().collect();
            while let Some(part) = parts.pop() {
                tick();
                // Also with what the part before it said.
                let part = self.apply(terms, part);
                match terms.node(part) {
                    TermNode::Bool(true) => continue,
                    TermNode::And(list) => {
                        parts.extend(list.iter().rev());
                        continue;
                    }
                    _ => {}
                }
                match equation(terms, part) {
                    Some((leaf, value)) => {
                        self.insert(terms, leaf, value);
                        changed = true;
                    }
                    None => rest.push(part),
                }
            }
            conjuncts = rest;
            if !changed && !self.join(terms, &mut conjuncts) {
                return conjuncts;
            }
        }
    }

    /// Solves `c -> x = a` and `!c -> x = b` for x, which is `if c then a else b`; false if there are no two such
    /// conjuncts.
    fn join(&mut self, terms: &mut Terms, conjuncts: &mut Vec<Term>) -> bool {
        let choices = self.all_choices(terms, conjuncts);
        let mut by_condition: FxHashMap<(Leaf, Term), usize> = FxHashMap::default();
        for (index, choice) in choices.iter().enumerate() {
            by_condition.entry((choice.leaf, choice.condition)).or_insert(index);
        }
        let pair = choices.iter().find_map(|choice| {
            let opposite = terms.not(choice.condition);
            let other = &choices[*by_condition.get(&(choice.leaf, opposite))?];
            (other.position != choice.position).then_some((choice, other))
        });
        let Some((choice, other)) = pair else { return false };
        let value = terms.either(choice.condition, choice.value, other.value);
        self.insert(terms, choice.leaf, value);
        for position in [choice.position.max(other.position), choice.position.min(other.position)] {
            conjuncts.remove(position);
        }
        true
    }

    /// Solves `c -> x = a` for x, which is `if c then a else b` with a new unknown b, an input with the next number;
    /// false if there is no such conjunct.
    pub fn choose(&mut self, terms: &mut Terms, conjuncts: &mut Vec<Term>, next: &mut u32) -> bool {
        let choices = self.all_choices(terms, conjuncts);
        let is_integer = |choice: &&Choice| terms.leaf_sort(choice.leaf) == Some(term::Sort::Int);
        let Some(choice) = choices.iter().find(is_integer).or(choices.first()) else { return false };
        let sort = terms.leaf_sort(choice.leaf).expect("it is in a conjunct");
        let unknown = terms.leaf(Leaf::Input(InputId(*next)), sort, None);
        *next += 1;
        let value = terms.either(choice.condition, choice.value, unknown);
        self.insert(terms, choice.leaf, value);
        conjuncts.remove(choice.position);
        true
    }

    fn all_choices(&self, terms: &mut Terms, conjuncts: &[Term]) -> Vec<Choice> {
        let mut choices: Vec<Choice> = Vec::new();
        for (position, &conjunct) in conjuncts.iter().enumerate() {
            tick();
            choices.extend(self.choices(terms, position, conjunct));
        }
        choices
    }

    /// The equations under conditions that a disjunction is equivalent to, one for each case that is an equation.
    fn choices(&self, terms: &mut Terms, position: usize, conjunct: Term) -> Vec<Choice> {
        let TermNode::Or(cases) = terms.node(conjunct) else { return Vec::new() };
        if cases.len() > MOST_CONDITIONS {
            return Vec::new();
        }
        let cases = cases.to_vec();
        let mut found = Vec::new();
        for (index, &case) in cases.iter().enumerate() {
            let others = cases.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, term)| *term);
            let others: Vec<Term> = others.collect();
            for (leaf, value) in equations(terms, case) {
                if !self.knows(leaf) && !others.iter().any(|&term| reads(terms, term, leaf)) {
                    let otherwise = terms.or(others.iter().copied());
                    let condition = terms.not(otherwise);
                    found.push(Choice { position, leaf, condition, value });
                }
            }
        }
        found
    }
}

/// The first equation for a variable of the clause that a conjunct is equivalent to.
fn equation(terms: &mut Terms, conjunct: Term) -> Option<(Leaf, Term)> {
    equations(terms, conjunct).into_iter().next()
}

/// The equations for variables of the clause that a conjunct is equivalent to, each by itself.
fn equations(terms: &mut Terms, conjunct: Term) -> Vec<(Leaf, Term)> {
    let (node, positive) = match *terms.node(conjunct) {
        TermNode::Not(inner) => (terms.node(inner).clone(), false),
        ref node => (node.clone(), true),
    };
    match node {
        TermNode::Leaf(leaf @ Leaf::Input(_)) => vec![(leaf, terms.bool(positive))],
        TermNode::Eq(a, b) if terms.sort(a) == term::Sort::Bool => {
            let mut solved = Vec::new();
            for (a, b) in [(a, b), (b, a)] {
                if let Some(leaf) = unknown(terms, a).filter(|leaf| !reads(terms, b, *leaf)) {
                    solved.push((leaf, if positive { b } else { terms.not(b) }));
                }
            }
            solved
        }
        TermNode::Eq(a, b) if positive => {
            let difference = terms.sub(a, b);
            let sum = match terms.node(difference) {
                TermNode::Sum(_, list) => list.to_vec(),
                _ => vec![(IBig::ONE, difference)],
            };
            let solvable = |(coefficient, term): &(IBig, Term)| {
                let leaf = unknown(terms, *term)?;
                let unit = *coefficient == IBig::ONE || *coefficient == IBig::NEG_ONE;
                let once = sum.iter().filter(|(_, other)| reads(terms, *other, leaf)).count() == 1;
                (unit && once).then(|| (leaf, coefficient.clone(), *term))
            };
            let solvable: Vec<(Leaf, IBig, Term)> = sum.iter().filter_map(solvable).collect();
            // `c x + rest = 0`, where `c` is its own inverse.
            let mut solved = |(leaf, coefficient, term): (Leaf, IBig, Term)| {
                (leaf, terms.linear(&[(-coefficient, difference), (IBig::ONE, term)]))
            };
            solvable.into_iter().map(&mut solved).collect()
        }
        _ => Vec::new(),
    }
}

fn reads(terms: &Terms, term: Term, leaf: Leaf) -> bool {
    let mut found = false;
    terms.collect_leaves(term, &mut FxHashSet::default(), &mut |other| found |= other == leaf);
    found
}
