//! Transition systems of others: linear Horn clauses over one predicate, and VMT-LIB.
//!
//! Both are [`Clauses`] here: rules about one relation of states, each of which says that a state belongs to it, that a
//! state belongs to it if another one does, or that no state of it is bad. The question is whether some relation keeps all
//! rules: then no bad state can be reached. Bjorner, Gurfinkel, McMillan, Rybalchenko, *Horn clause solvers for program
//! verification* (2015); Griggio and others, *VMT-LIB* (2022).
//!
//! - [`chc`] and [`vmt`] read them; both keep the text of each formula.
//! - [`system`] makes a transition system of them, for engines. The check does not use it.
//! - [`evaluate`] says what formulas are worth, for runs.

pub mod chc;
pub mod evaluate;
mod reader;
pub mod system;
pub mod vmt;

use crate::model::Value;
use crate::source::Span;
use crate::ts::smtlib::expression::{Expression, Expressions, Id, is_simple};
use std::fmt;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub span: Span,
    /// What, without a full stop.
    pub what: String,
}

/// Of variables and arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Integers.
    Int,
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Sort::Bool => "Bool",
            Sort::Int => "Int",
        })
    }
}

/// A name with its sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol<'t> {
    /// Without bars.
    pub name: &'t str,
    /// Of its values.
    pub sort: Sort,
}

/// A variable of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// As people see it.
    pub name: String,
    /// Of its values.
    pub sort: Sort,
}

/// A formula, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The formula.
    pub formula: Id,
    /// Whether its negation is meant.
    pub negated: bool,
}

/// A rule about the relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause<'t> {
    /// The variables over which it is quantified.
    pub variables: Vec<Symbol<'t>>,
    /// A conjunction over the variables.
    pub conditions: Vec<Condition>,
    /// The arguments of the relation in the body; none if the clause is about initial states.
    pub before: Option<Vec<Id>>,
    /// Those in the head; none if the head is `false`.
    pub after: Option<Vec<Id>>,
    /// Where it stands.
    pub span: Span,
}

/// A system with the question whether bad states can be reached.
#[derive(Debug)]
pub struct Clauses<'t> {
    /// Of the file.
    pub expressions: Expressions<'t>,
    /// What the states are called.
    pub relation: &'t str,
    /// The variables of a state.
    pub arguments: Vec<Argument>,
    /// Names for formulas over the variables of clauses, with their sorts. Later ones may use earlier ones.
    pub definitions: Vec<(Symbol<'t>, Id)>,
    /// The rules.
    pub clauses: Vec<Clause<'t>>,
    /// What the file says of itself, as in `(set-info :status sat)`: whether some relation keeps all rules.
    pub status: Option<bool>,
}

/// A run to a bad state: how each clause is used, from one about initial states to one whose head is `false`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The numbers of clauses, and the values of their variables.
    pub uses: Vec<(usize, Vec<Value>)>,
}

/// What a file is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.smt2`: Horn clauses.
    Chc,
    /// `.vmt`
    Vmt,
}

impl Format {
    /// By the end of a file's name; none if it is neither.
    pub fn of(name: &str) -> Option<Format> {
        match name.rsplit_once('.')?.1 {
            "smt2" => Some(Format::Chc),
            "vmt" => Some(Format::Vmt),
            _ => None,
        }
    }

    /// Reads a text.
    pub fn read(self, text: &str) -> Result<Clauses<'_>, Vec<Fault>> {
        let clauses = match self {
            Format::Chc => chc::read(text)?,
            Format::Vmt => vmt::read(text)?,
        };
        system::check(&clauses)?;
        if clauses.clauses.iter().all(|clause| clause.after.is_some()) {
            let end = text.len();
            let what = "no clause has the head `false`, so that nothing is asked".to_owned();
            return Err(vec![Fault { span: Span::new(end, end), what }]);
        }
        Ok(clauses)
    }
}

impl<'t> Clauses<'t> {
    /// The text of an expression.
    pub fn text(&self, id: Id) -> &'t str {
        self.expressions.slice(id)
    }

    /// Where an expression stands.
    pub fn span(&self, id: Id) -> Span {
        self.expressions.span(id).into()
    }
}

/// A symbol as SMT-LIB writes it.
pub fn quoted(name: &str) -> String {
    let starts_with_digit = name.starts_with(|c: char| c.is_ascii_digit());
    if !name.is_empty() && name.chars().all(is_simple) && !starts_with_digit {
        name.to_owned()
    } else {
        format!("|{name}|")
    }
}

/// The atom that an expression is.
fn atom<'t>(expressions: &Expressions<'t>, id: Id) -> Option<&'t str> {
    match expressions.get(id) {
        Expression::Atom(name) => Some(name),
        Expression::Text(_) | Expression::List(_) => None,
    }
}

/// The operator and the operands of an application.
fn application<'a, 't>(expressions: &'a Expressions<'t>, id: Id) -> Option<(&'t str, &'a [Id])> {
    let Expression::List(items) = expressions.get(id) else { return None };
    let (&operator, operands) = items.split_first()?;
    Some((atom(expressions, operator)?, operands))
}
