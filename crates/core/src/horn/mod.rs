//! Transition systems of others: linear Horn clauses over one predicate with arguments, and VMT-LIB.
//!
//! Both are [`Clauses`] here: statements about predicates of states, each of which says that a state belongs to one, that
//! a state belongs to one if another one does, or that no state of one is bad. The question is whether some predicates
//! keep all statements: then no bad state can be reached. Bjorner, Gurfinkel, McMillan, Rybalchenko, *Horn clause solvers
//! for program verification* (2015); Griggio and others, *VMT-LIB* (2022).
//!
//! - [`chc`] and [`vmt`] read them; both keep the text of each statement, which is what the check asks about.
//! - [`formula`] takes statements apart into clauses with a body and a head, [`resolve`] puts clauses together where a
//!   predicate without arguments stands between them, and `clauses` of `rcheck-engines` makes a transition system of them, for engines. The
//!   check uses none of these.
//! - [`evaluate`] says what formulas are worth, for runs.

pub mod chc;
pub mod evaluate;
pub mod formula;
mod reader;
pub mod resolve;
mod sorts;
pub mod vmt;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::language::Language;
use crate::model::Value;
use crate::source::Span;
use crate::ts::smtlib::expression::{Expression, Expressions, Id, is_simple};
use crate::ts::smtlib::read::Functions;
use crate::ts::term;
use std::borrow::Cow;
use std::fmt;

/// A fault in a text, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place.
    pub span: Span,
    /// The fault, without a full stop.
    pub what: String,
}

/// Faults as findings, by place.
pub fn findings(faults: Vec<Fault>) -> Diagnostics {
    let mut found = Diagnostics::new();
    faults.into_iter().for_each(|fault| found.push(Diagnostic::new(Code::UnexpectedToken, fault.span, fault.what)));
    found.sorted()
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

impl From<Sort> for term::Sort {
    fn from(sort: Sort) -> term::Sort {
        match sort {
            Sort::Bool => term::Sort::Bool,
            Sort::Int => term::Sort::Int,
        }
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
    /// True if its negation is meant.
    pub negated: bool,
}

/// A predicate, which a relation of states stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate<'t> {
    /// Without bars.
    pub name: &'t str,
    /// Of its states.
    pub arguments: Vec<Argument>,
    /// The place of its declaration: it is known behind that.
    pub place: Option<Id>,
}

/// A variable of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable<'t> {
    /// In the text.
    pub symbol: Symbol<'t>,
    /// Its name in evidence: no other variable of the clause has this name.
    pub key: Cow<'t, str>,
    /// The place inside of the statement where a quantifier binds it; none if it is free there.
    pub binder: Option<Id>,
}

impl<'t> Variable<'t> {
    /// One that is free in its statement.
    pub fn free(symbol: Symbol<'t>) -> Variable<'t> {
        Variable { key: symbol.name.into(), symbol, binder: None }
    }
}

/// The statement of a clause, for all values of its free variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// This formula over the predicates.
    Formula(Id),
    /// That no state belongs to the predicate with this number.
    Never(usize),
    /// That a state belongs to the only predicate where the conditions hold and, if there is a state before, that one
    /// belongs to it.
    Step {
        /// A conjunction over the variables.
        conditions: Vec<Condition>,
        /// The state before; none if the clause is about initial states.
        before: Option<Vec<Id>>,
        /// The state after; none if there is none, so that it is the state before that does not belong to it.
        after: Option<Vec<Id>>,
    },
}

/// A statement about the predicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause<'t> {
    /// Its variables, also those that quantifiers inside of it bind.
    pub variables: Vec<Variable<'t>>,
    /// The statement.
    pub statement: Statement,
    /// Its place.
    pub span: Span,
}

/// How a file asks its question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Asks if some predicates satisfy all clauses: `sat` says that no bad state can be reached.
    Satisfiable,
    /// Asks if a state of a predicate can be reached, as `(query ..)` of Z3 does: `sat` says that it can.
    Reachable,
}

/// A system with the question whether bad states can be reached.
#[derive(Debug)]
pub struct Clauses<'t> {
    /// Of the file.
    pub expressions: Expressions<'t>,
    /// The predicates, in the order of their declarations.
    pub predicates: Vec<Predicate<'t>>,
    /// Functions that the file defines.
    pub functions: Functions<'t>,
    /// Names for formulas over the variables of clauses, with their sorts. Later ones may use earlier ones.
    pub definitions: Vec<(Symbol<'t>, Id)>,
    /// The clauses about the predicates.
    pub clauses: Vec<Clause<'t>>,
    /// The question that the file asks.
    pub question: Question,
    /// The answer that the file declares, as in `(set-info :status sat)`: true if some predicates satisfy all clauses.
    pub status: Option<bool>,
}

/// A state of a predicate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The number of the predicate.
    pub predicate: usize,
    /// Its arguments.
    pub values: Vec<Value>,
}

/// How a clause is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The number of the clause.
    pub clause: usize,
    /// The values of its variables.
    pub values: Vec<Value>,
    /// The state that it leads to; none if it says that the state before is bad.
    pub head: Option<State>,
}

/// A run to a bad state: how each clause is used, behind those that lead to the states that it needs; the last one has no
/// head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// In their order.
    pub uses: Vec<Use>,
}

/// The format of a file, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.smt2`: Horn clauses.
    Chc,
    /// `.vmt`
    Vmt,
}

impl Format {
    /// The format of a language, if it is one of clauses.
    pub fn of(language: Language) -> Option<Format> {
        match language {
            Language::Chc => Some(Format::Chc),
            Language::Vmt => Some(Format::Vmt),
            Language::Rcp | Language::Ispl => None,
        }
    }

    /// Reads a text.
    pub fn read(self, text: &str) -> Result<Clauses<'_>, Vec<Fault>> {
        let clauses = match self {
            Format::Chc => chc::read(text)?,
            Format::Vmt => vmt::read(text)?,
        };
        sorts::check(&clauses)?;
        Ok(clauses)
    }
}

impl Predicate<'_> {
    /// How SMT-LIB defines it, up to its formula: `(define-fun p ((x1 Int)) Bool`.
    pub fn begin_of_definition(&self) -> String {
        let arguments = self.arguments.iter().map(|argument| format!("({} {})", quoted(&argument.name), argument.sort));
        format!("(define-fun {} ({}) Bool", quoted(self.name), arguments.collect::<Vec<_>>().join(" "))
    }
}

impl<'t> Clauses<'t> {
    /// The text of an expression, without annotations.
    pub fn text(&self, id: Id) -> Cow<'t, str> {
        self.expressions.unannotated(id)
    }

    /// The number of the predicate with a name that is known at a place.
    fn predicate(&self, name: &str, at: Id) -> Option<usize> {
        let known = |predicate: &Predicate| predicate.name == name && predicate.place.is_none_or(|place| place < at);
        self.predicates.iter().position(known)
    }

    /// The place of an expression.
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
