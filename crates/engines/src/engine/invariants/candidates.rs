//! Candidates for invariants: what held in all states of some runs.
//!
//! Literals say that a finite variable has a value. Integers are compared with each other, up to small differences,
//! and with the least and the greatest value that they had.

use super::equations::{Equation, equations};
use crate::model::Value;
use crate::ts::system::{Origin, System, Variable};
use crate::ts::term::{Sort, Term, TermNode, VarId};
use crate::ts::valuation::Valuation;
use dashu_int::IBig;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// No more of one kind than that: Houdini asks about all of them at once.
const MOST: usize = 2000;

/// A term with its truth in every state.
#[derive(Clone)]
struct KnownTerm {
    term: Term,
    variable: VarId,
    /// The number of the value in that literal.
    number: i64,
    held: Vec<bool>,
}

/// That something holds of some instance.
struct Cover {
    term: Term,
    /// Of the instances.
    variables: Vec<VarId>,
    held: Vec<bool>,
}

/// Makes candidates from states.
pub struct Candidates<'a> {
    system: &'a mut System,
    states: &'a [Vec<Value>],
    literals: Vec<KnownTerm>,
    integers: Vec<VarId>,
}

impl<'a> Candidates<'a> {
    /// From these states.
    pub fn new(system: &'a mut System, states: &'a [Vec<Value>]) -> Candidates<'a> {
        let integers = system.var_ids().filter(|&id| is_integer(system, id)).collect();
        let mut candidates = Candidates { system, states, literals: Vec::new(), integers };
        for id in candidates.system.var_ids() {
            candidates.add_literals(id);
        }
        candidates
    }

    /// One literal per value that a finite variable was seen with and without.
    fn add_literals(&mut self, id: VarId) {
        if self.system.variable(id).is_free() {
            return;
        }
        let Variable { sort, domain, .. } = self.system.variable(id).clone();
        let variable = self.system.var_term(id);
        for &number in domain.listed().unwrap_or_default() {
            let terms = self.system.terms_mut();
            let (value, constant) = (sort.value(number), terms.numbered(number, sort));
            let term = terms.eq(variable, constant);
            let held: Vec<bool> = self.states.iter().map(|state| state[id.0 as usize] == value).collect();
            if held.contains(&true) && held.contains(&false) {
                self.literals.push(KnownTerm { term, variable: id, number, held });
            }
        }
    }

    /// Bounds of integers and of their differences, and linear equations between three.
    pub fn comparisons(&mut self) -> Vec<Term> {
        let everywhere = vec![true; self.states.len()];
        self.comparisons_where(&everywhere)
    }

    /// Linear equations between integers and what literals count.
    pub fn equations(&mut self) -> Vec<Term> {
        let everywhere = vec![true; self.states.len()];
        self.equations_where(&everywhere)
    }

    /// Bounds and linear equations that hold wherever the predicate and the truth values of clauses of others are the same:
    /// these say where a program is.
    pub fn in_each_mode(&mut self) -> Vec<Term> {
        let finite: Vec<VarId> = self.system.var_ids().filter(|&id| says_where(self.system, id)).collect();
        if finite.is_empty() {
            return Vec::new();
        }
        let mut modes: BTreeMap<Vec<Value>, Vec<bool>> = BTreeMap::new();
        for (index, state) in self.states.iter().enumerate() {
            let mode = finite.iter().map(|id| state[id.0 as usize].clone()).collect();
            modes.entry(mode).or_insert_with(|| vec![false; self.states.len()])[index] = true;
        }
        let mut list = Vec::new();
        for (mode, held) in modes {
            let said = [self.equations_where(&held), self.comparisons_where(&held)].concat();
            let variables: Vec<Term> = finite.iter().map(|&id| self.system.var_term(id)).collect();
            let terms = self.system.terms_mut();
            let mut is = |(variable, value): (Term, &Value)| {
                let value = terms.constant(value, terms.sort(variable));
                terms.eq(variable, value)
            };
            let literals: Vec<Term> = variables.into_iter().zip(&mode).map(&mut is).collect();
            let here = terms.and(literals);
            let left = MOST.saturating_sub(list.len());
            list.extend(said.into_iter().take(left).map(|term| terms.implies(here, term)));
        }
        list
    }

    fn equations_where(&mut self, held: &[bool]) -> Vec<Term> {
        let one = self.system.terms_mut().int(1);
        let mut columns = vec![one];
        columns.extend(self.integers.clone().into_iter().map(|id| self.system.var_term(id)));
        // Boolean variables have two literals, of which one says it all.
        let counted = |fact: &&KnownTerm| self.system.variable(fact.variable).sort != Sort::Bool || fact.number == 1;
        let counted: Vec<KnownTerm> = self.literals.iter().filter(counted).cloned().collect();
        let terms = self.system.terms_mut();
        let zero = terms.int(0);
        columns.extend(counted.iter().map(|fact| terms.ite(fact.term, one, zero)));
        let row = |(index, state): (usize, &Vec<Value>)| {
            let integers = self.integers.iter().map(|&id| i128::try_from(integer(state, id)).ok());
            let counts = counted.iter().map(|fact| Some(i128::from(fact.held[index])));
            [Some(1)].into_iter().chain(integers).chain(counts).collect::<Option<Vec<i128>>>()
        };
        let rows = self.states.iter().enumerate().filter(|(index, _)| held[*index]).filter_map(row);
        let found = equations(rows, columns.len());
        let terms = self.system.terms_mut();
        let equation = |equation: Equation| {
            let summands: Vec<(IBig, Term)> =
                equation.into_iter().map(|(column, factor)| (factor.into(), columns[column])).collect();
            let sum = terms.linear(&summands);
            terms.eq(sum, zero)
        };
        found.into_iter().map(equation).collect()
    }

    /// Comparisons that the model itself makes, initially or before a step, and that always held.
    pub fn of_the_model(&mut self) -> Vec<Term> {
        let system = &*self.system;
        let roots = system.init().iter().chain(system.events().iter().map(|event| &event.guard));
        let mut work: Vec<Term> = roots.copied().collect();
        let (mut seen, mut list) = (FxHashSet::default(), Vec::new());
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            match system.terms().node(term) {
                TermNode::Le(..) if list.len() < MOST && self.always_held(term) => list.push(term),
                _ => system.terms().for_each_child(term, |child| work.push(child)),
            }
        }
        list
    }

    /// That a term over the state was true in all states.
    fn always_held(&self, term: Term) -> bool {
        let terms = self.system.terms();
        terms.is_of_state(term)
            && self.states.iter().all(|state| Valuation::new(state.clone(), Vec::new()).holds(terms, term))
    }

    /// Comparisons that hold wherever a literal does, but not elsewhere.
    pub fn guarded_comparisons(&mut self) -> Vec<Term> {
        let everywhere: FxHashSet<Term> = self.comparisons().into_iter().collect();
        let mut list = Vec::new();
        for index in 0..self.literals.len() {
            let held = self.literals[index].held.clone();
            for comparison in self.comparisons_where(&held) {
                if list.len() < MOST && !everywhere.contains(&comparison) {
                    let literal = self.literals[index].term;
                    list.push(self.system.terms_mut().implies(literal, comparison));
                }
            }
        }
        list
    }

    /// Comparisons that hold wherever two literals do, but not wherever one of them does. Observations of the last step
    /// by a property are no guards here.
    pub fn doubly_guarded_comparisons(&mut self) -> Vec<Term> {
        let is_state = |fact: &&KnownTerm| !matches!(self.system.variable(fact.variable).origin, Origin::Received(..));
        let literals: Vec<KnownTerm> = self.literals.iter().filter(is_state).cloned().collect();
        let everywhere = self.comparisons();
        let alone = literals.iter().map(|fact| {
            let list = self.comparisons_where(&fact.held);
            list.into_iter().chain(everywhere.iter().copied()).collect()
        });
        let alone: Vec<FxHashSet<Term>> = alone.collect();
        let mut list = Vec::new();
        for (first, a) in literals.iter().enumerate() {
            for (second, b) in literals[..first].iter().enumerate().filter(|(_, b)| a.variable != b.variable) {
                let held: Vec<bool> = a.held.iter().zip(&b.held).map(|(a, b)| *a && *b).collect();
                for comparison in self.comparisons_where(&held) {
                    let known = alone[first].contains(&comparison) || alone[second].contains(&comparison);
                    if list.len() < MOST && !known {
                        let terms = self.system.terms_mut();
                        let both = terms.and([a.term, b.term]);
                        list.push(terms.implies(both, comparison));
                    }
                }
            }
        }
        list
    }

    /// Pairs of literals of different variables that were never seen together.
    pub fn pairs(&mut self) -> Vec<Term> {
        let mut list = Vec::new();
        for (index, a) in self.literals.iter().enumerate() {
            for b in &self.literals[..index] {
                let together = a.held.iter().zip(&b.held).any(|(a, b)| *a && *b);
                if a.variable != b.variable && !together && list.len() < MOST {
                    let both = self.system.terms_mut().and([a.term, b.term]);
                    list.push(self.system.terms_mut().not(both));
                }
            }
        }
        list
    }

    /// That some instance has a value of a local, or a local that is equal to an integer elsewhere: wherever a literal
    /// holds, or an integer is less than another.
    pub fn covers(&mut self) -> Vec<Term> {
        let guards = self.guards();
        let mut list = Vec::new();
        for cover in self.finite_covers().into_iter().chain(self.integer_covers()) {
            for guard in &guards {
                let covered = guard.held.iter().zip(&cover.held).all(|(guard, cover)| !guard || *cover);
                if covered && list.len() < MOST && !cover.variables.contains(&guard.variable) {
                    list.push(self.system.terms_mut().implies(guard.term, cover.term));
                }
            }
        }
        list
    }

    /// Literals, and comparisons that held in some states.
    fn guards(&mut self) -> Vec<KnownTerm> {
        let mut guards = self.literals.clone();
        for a in self.integers.clone() {
            for b in self.integers.clone() {
                let less: Vec<bool> = self.states.iter().map(|state| integer(state, a) < integer(state, b)).collect();
                if less.contains(&true) && less.contains(&false) {
                    let (x, y) = (self.system.var_term(a), self.system.var_term(b));
                    let term = self.system.terms_mut().lt(x, y);
                    guards.push(KnownTerm { term, variable: a, number: 1, held: less });
                }
            }
        }
        guards
    }

    /// That a local of some instance has a value; Booleans are true.
    fn finite_covers(&mut self) -> Vec<Cover> {
        let mut groups: BTreeMap<(String, i64), Vec<&KnownTerm>> = BTreeMap::new();
        for fact in &self.literals {
            let variable = self.system.variable(fact.variable);
            if variable.sort != Sort::Bool || fact.number != 0 {
                groups.entry((variable.local_name().to_owned(), fact.number)).or_default().push(fact);
            }
        }
        let terms = self.system.terms_mut();
        let cover = |group: Vec<&KnownTerm>| Cover {
            term: terms.or(group.iter().map(|fact| fact.term)),
            variables: group.iter().map(|fact| fact.variable).collect(),
            held: (0..self.states.len()).map(|state| group.iter().any(|fact| fact.held[state])).collect(),
        };
        groups.into_values().filter(|group| group.len() > 1).map(cover).collect()
    }

    /// That a local of some instance is equal to another integer.
    fn integer_covers(&mut self) -> Vec<Cover> {
        let mut groups: BTreeMap<&str, Vec<VarId>> = BTreeMap::new();
        for &id in &self.integers {
            groups.entry(self.system.variable(id).local_name()).or_default().push(id);
        }
        let groups: Vec<Vec<VarId>> = groups.into_values().filter(|group| group.len() > 1).collect();
        let mut covers = Vec::new();
        for group in groups {
            for other in self.integers.clone().into_iter().filter(|id| !group.contains(id)) {
                let is = |state: &Vec<Value>| group.iter().any(|&id| integer(state, id) == integer(state, other));
                let held = self.states.iter().map(is).collect();
                let y = self.system.var_term(other);
                let members: Vec<Term> = group.iter().map(|&id| self.system.var_term(id)).collect();
                let terms = self.system.terms_mut();
                let equal: Vec<Term> = members.into_iter().map(|x| terms.eq(x, y)).collect();
                covers.push(Cover { term: terms.or(equal), variables: group.clone(), held });
            }
        }
        covers
    }

    /// Bounds that integers and their differences had where `held`. Wide ones are chance, not law.
    fn comparisons_where(&mut self, held: &[bool]) -> Vec<Term> {
        const WIDE: u8 = 2;
        let mut list = Vec::new();
        for first in 0..self.integers.len() {
            let a = self.integers[first];
            self.bounds(&mut list, held, a, None, WIDE);
            for second in 0..first {
                let b = self.integers[second];
                self.bounds(&mut list, held, a, Some(b), WIDE);
            }
        }
        list
    }

    /// `low <= a - b`, `a - b <= high`, for small bounds, and `a != b`.
    fn bounds(&mut self, list: &mut Vec<Term>, held: &[bool], a: VarId, b: Option<VarId>, wide: u8) {
        let differences = self.states.iter().zip(held).filter(|(_, held)| **held);
        let differences: Vec<IBig> =
            differences.map(|(state, _)| integer(state, a) - b.map_or(&IBig::ZERO, |b| integer(state, b))).collect();
        let (Some(low), Some(high)) = (differences.iter().min(), differences.iter().max()) else { return };
        let small = |bound: &IBig| (-IBig::from(wide)..=IBig::from(wide)).contains(bound);
        let a = self.system.var_term(a);
        let b = b.map(|b| self.system.var_term(b));
        let terms = self.system.terms_mut();
        let difference = b.map_or(a, |b| terms.sub(a, b));
        if small(low) {
            let low = terms.int(low.clone());
            list.push(terms.le(low, difference));
        }
        if small(high) {
            let high = terms.int(high.clone());
            list.push(terms.le(difference, high));
        }
        if let Some(b) = b
            && *low < IBig::ZERO
            && *high > IBig::ZERO
            && !differences.contains(&IBig::ZERO)
        {
            let equal = terms.eq(a, b);
            list.push(terms.not(equal));
        }
    }
}

fn integer(state: &[Value], id: VarId) -> &IBig {
    match &state[id.0 as usize] {
        Value::Int(value) => value,
        other => unreachable!("{other:?} is no integer"),
    }
}

/// A finite variable of clauses of others.
fn says_where(system: &System, id: VarId) -> bool {
    let variable = system.variable(id);
    let is_argument = matches!(variable.origin, Origin::Argument(_));
    is_argument && variable.sort != Sort::Int && variable.domain.only().is_none()
}

fn is_integer(system: &System, id: VarId) -> bool {
    let variable = system.variable(id);
    variable.sort == Sort::Int && !variable.is_free() && variable.domain.listed().is_none()
}
