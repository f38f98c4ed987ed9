//! Clauses in terms of the arguments of the predicate in their body.

use super::solution::{Solution, first_unknown, split, unknown};
use crate::horn::resolve::{ClauseReading, Used};
use crate::horn::{Clauses, formula::Atom};
use crate::limits::tick;
use crate::ts::system::{Domain, Origin, Variable};
use crate::ts::term::{self, Leaf, Term, Terms, VarId};
use std::ops::Range;

/// No clause is taken apart into more cases.
const MOST_CASES: usize = 256;

/// A clause, or a case of it, in terms of the arguments of the predicate in its body, and of free variables. A clause about
/// initial states is in terms of those of its head.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The clauses that it consists of, one after the other; what their variables are.
    pub uses: Vec<Used>,
    /// When it applies.
    pub guard: Term,
    /// Its role.
    pub role: Role,
    /// The predicate in its body.
    pub before: Option<usize>,
    /// Its head.
    pub after: Option<Atom>,
}

/// The role of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// About initial states.
    Initial,
    /// About steps.
    Step,
    /// States are bad.
    Bad,
    /// States are bad together with what a step chooses, or there is no state that is good.
    Failure,
}

/// Clauses in terms of arguments and free variables, which are the variables of their arena.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The arena.
    pub terms: Terms,
    /// The arguments of all predicates, one after the other, and then free variables.
    pub variables: Vec<Variable>,
    /// The arguments of each predicate.
    pub arguments: Vec<Range<u32>>,
    /// Of each free variable, that it stands for what initial states choose. Steps have others, since they choose again.
    initial: Vec<bool>,
    /// The clauses.
    pub list: Vec<Rule>,
    /// The number of the next input that stands for something unknown in a clause.
    pub next: u32,
}

impl Rules {
    /// Of clauses in terms; the inputs in these have lower numbers than `next`.
    pub fn new(clauses: &Clauses, terms: Terms, next: u32, readings: &[ClauseReading]) -> Rules {
        let (mut variables, mut arguments) = (Vec::new(), Vec::new());
        for predicate in &clauses.predicates {
            let first = variables.len() as u32;
            for argument in &predicate.arguments {
                let origin = Origin::Argument(variables.len() as u32);
                variables.push(variable(argument.name.clone(), origin, argument.sort.into()));
            }
            arguments.push(first..variables.len() as u32);
        }
        let mut rules = Rules { terms, variables, arguments, initial: Vec::new(), list: Vec::new(), next };
        for reading in readings {
            rules.add(reading);
        }
        rules
    }

    /// The number of arguments; free variables have greater numbers.
    pub fn count(&self) -> usize {
        self.variables.len() - self.initial.len()
    }

    /// The arguments of a predicate, as terms.
    pub fn state(&mut self, predicate: usize) -> Vec<Term> {
        self.arguments[predicate].clone().map(|number| self.leaf(number)).collect()
    }

    fn leaf(&mut self, number: u32) -> Term {
        self.variables[number as usize].term(&mut self.terms, VarId(number))
    }

    /// The cases of a clause.
    fn add(&mut self, reading: &ClauseReading) {
        let (mut solution, mut conjuncts) = (Solution::default(), self.terms.conjuncts(&reading.conditions));
        // Without a state before, the one after is described, but for what is said of it already.
        let starts = reading.before.is_empty();
        if starts {
            conjuncts = solution.solve(&mut self.terms, conjuncts);
        }
        if let Some(atom) = reading.before.iter().chain(&reading.after).next() {
            let states = self.state(atom.predicate);
            let terms = &mut self.terms;
            let mut others = Vec::new();
            for (&state, &argument) in states.iter().zip(&atom.arguments) {
                let argument = solution.apply(terms, argument);
                match unknown(terms, argument) {
                    Some(leaf) => solution.insert(terms, leaf, state),
                    None => others.push((argument, state)),
                }
            }
            for (argument, state) in others {
                let argument = solution.apply(terms, argument);
                if !starts || first_unknown(terms, argument).is_some() {
                    conjuncts.push(terms.eq(argument, state));
                }
            }
        }
        let conjuncts = solution.solve(&mut self.terms, conjuncts);
        let (mut open, mut solved) = (vec![(solution, conjuncts)], 0);
        while let Some((mut solution, mut conjuncts)) = open.pop() {
            tick();
            let terms = &mut self.terms;
            let most = MOST_CASES.saturating_sub(open.len() + solved);
            // A case that says what several variables are is most of a step.
            let several = split(terms, &conjuncts, 2, most);
            if several.is_none() && solution.choose(terms, &mut conjuncts, &mut self.next) {
                let conjuncts = solution.solve(terms, conjuncts);
                open.push((solution, conjuncts));
                continue;
            }
            let Some((position, cases)) = several.or_else(|| split(terms, &conjuncts, 1, most)) else {
                solved += 1;
                let rule = self.rule(reading, solution, conjuncts);
                self.list.push(rule);
                continue;
            };
            for case in cases.into_iter().rev() {
                let (mut solution, mut conjuncts) = (solution.clone(), conjuncts.clone());
                conjuncts[position] = case;
                let conjuncts = solution.solve(terms, conjuncts);
                if !conjuncts.iter().any(|&term| terms.is_false(term)) {
                    open.push((solution, conjuncts));
                }
            }
        }
    }

    fn rule(&mut self, reading: &ClauseReading, mut solution: Solution, conjuncts: Vec<Term>) -> Rule {
        let ClauseReading { uses, before, after, .. } = reading;
        let head: &[Term] = after.as_ref().map_or(&[], |atom| &atom.arguments);
        let chooses = conjuncts.iter().any(|&term| first_unknown(&self.terms, term).is_some());
        let before = before.first().map(|atom| atom.predicate);
        let role = match (before, after) {
            (None, Some(_)) => Role::Initial,
            (Some(_), Some(_)) => Role::Step,
            (Some(_), None) if !chooses => Role::Bad,
            (_, None) => Role::Failure,
        };
        let mut taken = self.count();
        for &root in conjuncts.iter().chain(head) {
            loop {
                let applied = solution.apply(&mut self.terms, root);
                let Some((leaf, sort)) = first_unknown(&self.terms, applied) else { break };
                let free = self.free(sort, before.is_none(), &mut taken);
                solution.insert(&mut self.terms, leaf, free);
            }
        }
        let terms = &mut self.terms;
        // Nothing depends on the others.
        let heads = uses.iter().flat_map(|one| &one.head).flat_map(|atom| &atom.arguments);
        for &variable in uses.iter().flat_map(|one| &one.variables).chain(heads) {
            loop {
                let applied = solution.apply(terms, variable);
                let Some((leaf, sort)) = first_unknown(terms, applied) else { break };
                let any = terms.constant(&sort.value(0), sort);
                solution.insert(terms, leaf, any);
            }
        }
        let mut applied =
            |list: &[Term]| -> Vec<Term> { list.iter().map(|&term| solution.apply(terms, term)).collect() };
        let guard = applied(&conjuncts);
        let mut atom = |atom: &Atom| Atom::new(atom.predicate, applied(&atom.arguments));
        let after = after.as_ref().map(&mut atom);
        let heads: Vec<Option<Atom>> = uses.iter().map(|one| one.head.as_ref().map(&mut atom)).collect();
        let uses = uses.iter().zip(heads);
        let uses =
            uses.map(|(one, head)| Used { clause: one.clause, variables: applied(&one.variables), head }).collect();
        Rule { uses, guard: self.terms.and(guard), role, before, after }
    }

    /// The next free variable of a sort, of those from a position.
    fn free(&mut self, sort: term::Sort, initial: bool, from: &mut usize) -> Term {
        let count = self.count();
        let fits = |&number: &usize| self.variables[number].sort == sort && self.initial[number - count] == initial;
        let number = (*from..self.variables.len()).find(fits).unwrap_or(self.variables.len());
        if number == self.variables.len() {
            let free = self.initial.len() as u32;
            self.variables.push(variable(format!("free{free}"), Origin::Free(free), sort));
            self.initial.push(initial);
        }
        *from = number + 1;
        self.terms.leaf(Leaf::Var(VarId(number as u32)), sort, None)
    }
}

/// One that has all values of its sort.
pub fn variable(name: String, origin: Origin, sort: term::Sort) -> Variable {
    let domain = if sort == term::Sort::Bool { Domain::Bool } else { Domain::Unbounded };
    Variable { name, origin, sort, domain }
}
