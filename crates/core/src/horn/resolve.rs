//! Clauses in terms. A predicate without arguments stands for nothing that an engine has to find: where it is the head of
//! one clause and in the body of another one, both together are a clause without it.

use super::formula::{Atom, Marks, Parts, Reader, expected};
use super::{Clause, Clauses, Fault, Sort, Statement, Variable};
use crate::ts::smtlib::expression::Id;
use crate::ts::smtlib::read::term_of;
use crate::ts::term::{InputId, Leaf, Term, Terms};
use rustc_hash::FxHashMap;

/// The input that stands for the first variable of a clause: the event has the number 0.
pub const FIRST: u32 = 1;

/// A clause of the file, or several one after the other, in terms over their variables, each of which is an input here.
#[derive(Clone, Debug)]
pub struct ClauseReading {
    /// The clauses of the file.
    pub uses: Vec<Used>,
    /// Its conditions.
    pub conditions: Vec<Term>,
    /// The atom in its body that has arguments.
    pub before: Option<Atom>,
    /// The atom in its head that has arguments.
    pub after: Option<Atom>,
}

/// A clause of the file that is used.
#[derive(Clone, Debug)]
pub struct Used {
    /// Its number.
    pub clause: usize,
    /// The values of its variables, as terms.
    pub variables: Vec<Term>,
    /// The predicate in its head.
    pub head: Option<usize>,
}

impl ClauseReading {
    /// The readings of a clause, with inputs from a number on.
    pub fn of(
        clauses: &Clauses,
        marks: &Marks,
        number: usize,
        terms: &mut Terms,
        first: u32,
    ) -> Result<Vec<ClauseReading>, Fault> {
        let clause = &clauses.clauses[number];
        let leaf = |(number, variable): (u32, &Variable)| {
            terms.leaf(Leaf::Input(InputId(number)), variable.symbol.sort.into(), None)
        };
        let variables: Vec<Term> = (first..).zip(&clause.variables).map(leaf).collect();
        let parts = match &clause.statement {
            Statement::Formula(formula) => {
                Reader::new(clauses, marks, terms, &clause.variables, first).horn(*formula)?
            }
            Statement::Never(predicate) => vec![never(clauses, *predicate, terms, first)],
            Statement::Step { conditions, before, after } => {
                let mut reader = StepReader::new(clauses, &clause.variables, &variables, terms)?;
                let mut read = Vec::new();
                for condition in conditions {
                    let term = reader.read(condition.formula, Sort::Bool)?;
                    read.push(if condition.negated { reader.terms.not(term) } else { term });
                }
                vec![Parts { conditions: read, before: reader.state(before)?, after: reader.state(after)? }]
            }
        };
        let reading = |Parts { conditions, before, after }: Parts| {
            let used =
                Used { clause: number, variables: variables.clone(), head: after.as_ref().map(|atom| atom.predicate) };
            ClauseReading { uses: vec![used], conditions, before, after }
        };
        Ok(parts.into_iter().map(reading).collect())
    }

    /// This clause, and another one behind it, which has the head of this one in its body.
    fn then(&self, terms: &mut Terms, other: &ClauseReading, next: &mut u32) -> ClauseReading {
        let shared = self.uses.iter().any(|one| other.uses.iter().any(|another| one.clause == another.clause));
        let other = if shared { &other.renamed(terms, next) } else { other };
        ClauseReading {
            uses: [&self.uses[..], &other.uses].concat(),
            conditions: [&self.conditions[..], &other.conditions].concat(),
            before: self.before.clone(),
            after: other.after.clone(),
        }
    }

    /// The same with other variables.
    fn renamed(&self, terms: &mut Terms, next: &mut u32) -> ClauseReading {
        let (mut names, mut memo) = (FxHashMap::default(), FxHashMap::default());
        let mut replace = |terms: &mut Terms, leaf: Leaf| {
            let sort = terms.leaf_sort(leaf)?;
            let number = *names.entry(leaf).or_insert_with(|| {
                *next += 1;
                *next - 1
            });
            Some(terms.leaf(Leaf::Input(InputId(number)), sort, None))
        };
        let mut all = |terms: &mut Terms, list: &[Term]| -> Vec<Term> {
            list.iter().map(|&term| terms.substitute(term, &mut replace, &mut memo)).collect()
        };
        let uses = self.uses.iter().map(|one| Used { variables: all(terms, &one.variables), ..*one }).collect();
        let conditions = all(terms, &self.conditions);
        let mut atom = |atom: &Atom| Atom::new(atom.predicate, all(terms, &atom.arguments));
        let (before, after) = (self.before.as_ref().map(&mut atom), self.after.as_ref().map(&mut atom));
        ClauseReading { uses, conditions, before, after }
    }
}

/// The number of inputs that a clause needs.
pub fn inputs(clauses: &Clauses, clause: &Clause) -> usize {
    match clause.statement {
        Statement::Never(predicate) => clauses.predicates[predicate].arguments.len(),
        Statement::Formula(_) | Statement::Step { .. } => clause.variables.len(),
    }
}

/// That no state belongs to a predicate. Its arguments are no variables of the clause.
fn never(clauses: &Clauses, predicate: usize, terms: &mut Terms, first: u32) -> Parts {
    let arguments = (first..).zip(&clauses.predicates[predicate].arguments);
    let arguments = arguments
        .map(|(number, argument)| terms.leaf(Leaf::Input(InputId(number)), argument.sort.into(), None))
        .collect();
    Parts { before: Some(Atom::new(predicate, arguments)), ..Parts::default() }
}

/// Reads steps of the only predicate.
struct StepReader<'a, 't> {
    clauses: &'a Clauses<'t>,
    terms: &'a mut Terms,
    names: FxHashMap<&'t str, Term>,
}

impl<'a, 't> StepReader<'a, 't> {
    fn new(
        clauses: &'a Clauses<'t>,
        variables: &[Variable<'t>],
        leaves: &[Term],
        terms: &'a mut Terms,
    ) -> Result<StepReader<'a, 't>, Fault> {
        let names = variables.iter().map(|variable| variable.symbol.name).zip(leaves.iter().copied()).collect();
        let mut reader = StepReader { clauses, terms, names };
        for (symbol, body) in &clauses.definitions {
            let term = reader.read(*body, symbol.sort)?;
            reader.names.insert(symbol.name, term);
        }
        Ok(reader)
    }

    fn read(&mut self, id: Id, sort: Sort) -> Result<Term, Fault> {
        let names = &self.names;
        let mut lookup = |_: &mut Terms, name: &str| names.get(name).copied();
        let term = term_of(self.terms, &self.clauses.expressions, id, &mut lookup)?;
        if self.terms.sort(term) == sort.into() {
            return Ok(term);
        }
        Err(Fault { span: self.clauses.span(id), what: expected(sort.into()).to_owned() })
    }

    fn state(&mut self, ids: &Option<Vec<Id>>) -> Result<Option<Atom>, Fault> {
        let Some(ids) = ids else { return Ok(None) };
        let pairs = ids.iter().zip(&self.clauses.predicates[0].arguments);
        let arguments: Result<Vec<Term>, Fault> = pairs.map(|(&id, argument)| self.read(id, argument.sort)).collect();
        Ok(Some(Atom::new(0, arguments?)))
    }
}

/// The clauses without a predicate that has no arguments.
pub fn resolve(
    terms: &mut Terms,
    readings: Vec<ClauseReading>,
    predicate: usize,
    next: &mut u32,
) -> Vec<ClauseReading> {
    let is_there = |atom: &Option<Atom>| atom.as_ref().is_some_and(|atom| atom.predicate == predicate);
    let (heads, others): (Vec<ClauseReading>, Vec<ClauseReading>) =
        readings.into_iter().partition(|one| is_there(&one.after));
    let (bodies, mut rest): (Vec<ClauseReading>, Vec<ClauseReading>) =
        others.into_iter().partition(|one| is_there(&one.before));
    // One with the predicate in body and head says nothing.
    for head in heads.iter().filter(|head| !is_there(&head.before)) {
        for body in &bodies {
            rest.push(head.then(terms, body, next));
        }
    }
    rest
}
