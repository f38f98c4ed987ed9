//! Evidence about Horn clauses: an invariant that keeps every clause, or a run that uses clauses up to one whose head is
//! `false`.
//!
//! An invariant is a formula in SMT-LIB over the arguments of the relation. For each clause a script asks whether the
//! clause is violated where the relation is that formula. It contains the clause as it stands in the file, so no
//! reduction of an engine and no reading of formulas is trusted, but for finding the parts of a clause. Runs are evaluated
//! on the expressions of the file ([`crate::horn::evaluate`]).

use super::solver::ScriptSolver;
use crate::horn::evaluate::{NoValue, Values};
use crate::horn::{Clause, Clauses, Run, Sort, quoted};
use crate::limits::Reason;
use crate::model::Value;
use crate::ts::smtlib;
use crate::ts::term::{self, Leaf, Terms, VarId};
use std::fmt::{self, Write};

/// An invariant that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    invariant: Vec<String>,
}

/// A run that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    run: Run,
    states: Vec<Vec<Value>>,
}

/// Why evidence is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The invariant does not keep the clause with this number.
    Violates(usize),
    /// The solver does not know whether it does.
    Undecided(usize, Reason),
    /// A conjunct is no formula over the arguments, for this reason.
    NoFormula(usize, String),
    /// This use of a clause does not follow the one before, or its conditions do not hold.
    NoStep(usize),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refused::Violates(clause) => write!(f, "the invariant does not keep clause {}", clause + 1),
            Refused::Undecided(clause, reason) => {
                write!(f, "nobody knows whether the invariant keeps clause {}: {reason}", clause + 1)
            }
            Refused::NoFormula(conjunct, why) => write!(f, "conjunct {} is no formula: {why}", conjunct + 1),
            Refused::NoStep(position) => write!(f, "use {} of a clause does not follow", position + 1),
        }
    }
}

impl Proof {
    /// Checks an invariant, a conjunction of formulas in SMT-LIB over the arguments.
    pub fn confirm(clauses: &Clauses, invariant: Vec<String>, solver: &dyn ScriptSolver) -> Result<Proof, Refused> {
        for (number, conjunct) in invariant.iter().enumerate() {
            is_formula(clauses, conjunct).map_err(|why| Refused::NoFormula(number, why))?;
        }
        for (number, script) in scripts(clauses, &invariant).enumerate() {
            match solver.is_unsatisfiable(&script) {
                Ok(true) => {}
                Ok(false) => return Err(Refused::Violates(number)),
                Err(reason) => return Err(Refused::Undecided(number, reason)),
            }
        }
        Ok(Proof { invariant })
    }

    /// Its conjuncts.
    pub fn invariant(&self) -> &[String] {
        &self.invariant
    }
}

/// Whether a text is one formula over the arguments, so that it means in a script what it says.
fn is_formula(clauses: &Clauses, text: &str) -> Result<(), String> {
    let mut terms = Terms::new();
    let sort = |sort| match sort {
        Sort::Bool => term::Sort::Bool,
        Sort::Int => term::Sort::Int,
    };
    let mut lookup = |terms: &mut Terms, name: &str| {
        let position = clauses.arguments.iter().position(|argument| argument.name == name)?;
        Some(terms.leaf(Leaf::Var(VarId(position as u32)), sort(clauses.arguments[position].sort), None))
    };
    let term = smtlib::read::term(&mut terms, text, &mut lookup).map_err(|problem| problem.to_string())?;
    match terms.sort(term) {
        term::Sort::Bool => Ok(()),
        _ => Err("it is a number".to_owned()),
    }
}

/// One script per clause. All are unsatisfiable iff the formulas are an invariant.
pub fn scripts(clauses: &Clauses, invariant: &[String]) -> impl Iterator<Item = String> {
    clauses.clauses.iter().map(|clause| script(clauses, invariant, clause).expect("writing to memory works"))
}

fn script(clauses: &Clauses, invariant: &[String], clause: &Clause) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let parameters: Vec<String> =
        clauses.arguments.iter().map(|argument| format!("({} {})", quoted(&argument.name), argument.sort)).collect();
    let relation = quoted(clauses.relation);
    writeln!(out, "(define-fun {relation} ({}) Bool (and true", parameters.join(" "))?;
    for conjunct in invariant {
        writeln!(out, "    {conjunct}")?;
    }
    writeln!(out, "))")?;
    for variable in &clause.variables {
        writeln!(out, "(declare-const {} {})", quoted(variable.name), variable.sort)?;
    }
    for (symbol, body) in &clauses.definitions {
        writeln!(out, "(define-fun {} () {} {})", quoted(symbol.name), symbol.sort, clauses.text(*body))?;
    }
    for condition in &clause.conditions {
        let text = clauses.text(condition.formula);
        writeln!(out, "(assert {})", if condition.negated { format!("(not {text})") } else { text.to_owned() })?;
    }
    let state = |ids: &[_]| match ids {
        [] => relation.clone(),
        ids => {
            let arguments: Vec<&str> = ids.iter().map(|&id| clauses.text(id)).collect();
            format!("({relation} {})", arguments.join(" "))
        }
    };
    if let Some(before) = &clause.before {
        writeln!(out, "(assert {})", state(before))?;
    }
    if let Some(after) = &clause.after {
        writeln!(out, "(assert (not {}))", state(after))?;
    }
    Ok(out)
}

impl Refutation {
    /// Checks a run.
    pub fn confirm(clauses: &Clauses, run: Run) -> Result<Refutation, Refused> {
        let mut states: Vec<Vec<Value>> = Vec::new();
        let mut ended = false;
        for (position, (number, values)) in run.uses.iter().enumerate() {
            let wrong = || Refused::NoStep(position);
            let clause = clauses.clauses.get(*number).ok_or_else(wrong)?;
            if ended || clause.before.is_none() != (position == 0) {
                return Err(wrong());
            }
            match used(clauses, clause, values, states.last()).map_err(|NoUse| wrong())? {
                Some(state) => states.push(state),
                None => ended = true,
            }
        }
        if ended { Ok(Refutation { run, states }) } else { Err(Refused::NoStep(run.uses.len())) }
    }

    /// Which clauses it uses.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The states of the relation on the way.
    pub fn states(&self) -> &[Vec<Value>] {
        &self.states
    }
}

/// A clause does not lead on from a state.
struct NoUse;

impl From<NoValue> for NoUse {
    fn from(_: NoValue) -> NoUse {
        NoUse
    }
}

/// The state after the use of a clause; none if its head is `false`.
fn used(
    clauses: &Clauses,
    clause: &Clause,
    values: &[Value],
    before: Option<&Vec<Value>>,
) -> Result<Option<Vec<Value>>, NoUse> {
    let sorted = clause.variables.iter().zip(values).all(|(variable, value)| match variable.sort {
        Sort::Bool => matches!(value, Value::Bool(_)),
        Sort::Int => matches!(value, Value::Int(_)),
    });
    if !sorted || clause.variables.len() != values.len() {
        return Err(NoUse);
    }
    let mut there = Values::new(clauses, &clause.variables, values)?;
    for condition in &clause.conditions {
        if !there.holds(*condition)? {
            return Err(NoUse);
        }
    }
    for (position, &id) in clause.before.iter().flatten().enumerate() {
        let value = there.value(id)?;
        if before.and_then(|state| state.get(position)) != Some(&value) {
            return Err(NoUse);
        }
    }
    let Some(arguments) = &clause.after else { return Ok(None) };
    let state: Result<Vec<Value>, NoValue> = arguments.iter().map(|&id| there.value(id)).collect();
    Ok(Some(state?))
}
