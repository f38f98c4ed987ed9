//! Evidence about Horn clauses: formulas for the predicates that keep every clause, or a run that uses clauses up to one
//! that says that a state is bad.
//!
//! The formulas are in SMT-LIB over the arguments of the predicates. For each clause a script asks whether the clause can
//! be false where the predicates are these formulas. It contains the clause as it stands in the file, in one piece, so
//! neither a reduction of an engine nor the way in which a clause is taken apart is trusted. Runs are evaluated on the
//! same pieces ([`crate::horn::evaluate`]): each use of a clause has to make it false that the states before belong to their
//! predicates and the state after does not.

use super::solver::ScriptSolver;
use crate::horn::evaluate::{Assumed, NoValue, Values};
use crate::horn::{Clause, Clauses, Predicate, Run, Sort, State, Statement, Use, quoted};
use crate::limits::Reason;
use crate::model::Value;
use crate::ts::smtlib;
use crate::ts::smtlib::expression::{Expression, Id};
use crate::ts::term::{Leaf, Sort as TermSort, Terms, VarId};
use rustc_hash::FxHashSet;
use std::fmt::{self, Write};

/// The meaning of each predicate: a conjunction of formulas over its arguments.
pub type Interpretation = Vec<Vec<String>>;

/// Formulas for the predicates that were checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    interpretation: Interpretation,
}

/// A run that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    run: Run,
}

/// Why evidence is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The invariant does not keep the clause with this number.
    Violates(usize),
    /// The solver does not know whether it does.
    Undecided(usize, Reason),
    /// There are not as many conjunctions as predicates.
    OtherPredicates,
    /// A conjunct is no formula over the arguments, for this reason.
    NoFormula(usize, String),
    /// This use of a clause does not follow from the states before, or does not lead to a further one.
    NoStep(usize),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refused::Violates(clause) => write!(f, "the invariant does not keep clause {}", clause + 1),
            Refused::Undecided(clause, reason) => {
                write!(f, "it is not known whether the invariant keeps clause {}: {reason}", clause + 1)
            }
            Refused::OtherPredicates => f.write_str("it is about other predicates"),
            Refused::NoFormula(conjunct, why) => write!(f, "conjunct {} is no formula: {why}", conjunct + 1),
            Refused::NoStep(position) => write!(f, "use {} of a clause does not follow", position + 1),
        }
    }
}

impl Proof {
    /// Checks formulas in SMT-LIB over the arguments of each predicate.
    pub fn confirm(
        clauses: &Clauses,
        interpretation: Interpretation,
        solver: &dyn ScriptSolver,
    ) -> Result<Proof, Refused> {
        if interpretation.len() != clauses.predicates.len() {
            return Err(Refused::OtherPredicates);
        }
        for (predicate, conjuncts) in clauses.predicates.iter().zip(&interpretation) {
            for (number, conjunct) in conjuncts.iter().enumerate() {
                is_formula(predicate, conjunct).map_err(|why| Refused::NoFormula(number, why))?;
            }
        }
        for (number, script) in scripts(clauses, &interpretation).enumerate() {
            match solver.is_unsatisfiable(&script) {
                Ok(true) => {}
                Ok(false) => return Err(Refused::Violates(number)),
                Err(reason) => return Err(Refused::Undecided(number, reason)),
            }
        }
        Ok(Proof { interpretation })
    }

    /// The conjuncts for each predicate.
    pub fn interpretation(&self) -> &Interpretation {
        &self.interpretation
    }

    /// The number of conjuncts for predicates with arguments.
    pub fn conjuncts(&self, clauses: &Clauses) -> usize {
        let pairs = clauses.predicates.iter().zip(&self.interpretation);
        pairs.filter(|(predicate, _)| !predicate.arguments.is_empty()).map(|(_, conjuncts)| conjuncts.len()).sum()
    }
}

/// Checks that a text is one formula over the arguments, so that it means in a script what it says.
fn is_formula(predicate: &Predicate, text: &str) -> Result<(), String> {
    let mut terms = Terms::new();
    let mut lookup = |terms: &mut Terms, name: &str| {
        let position = predicate.arguments.iter().position(|argument| argument.name == name)?;
        Some(terms.leaf(Leaf::Var(VarId(position as u32)), predicate.arguments[position].sort.into(), None))
    };
    let term = smtlib::read::term(&mut terms, text, &mut lookup).map_err(|problem| problem.to_string())?;
    match terms.sort(term) {
        TermSort::Bool => Ok(()),
        TermSort::Int | TermSort::Enum(_) => Err("it is a number".to_owned()),
    }
}

/// One script per clause. All are unsatisfiable iff the formulas keep all clauses.
pub fn scripts(clauses: &Clauses, interpretation: &Interpretation) -> impl Iterator<Item = String> {
    clauses.clauses.iter().map(|clause| script(clauses, interpretation, clause).expect("writing to memory works"))
}

fn script(clauses: &Clauses, interpretation: &Interpretation, clause: &Clause) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let names = names(clauses, clause);
    for (predicate, conjuncts) in clauses.predicates.iter().zip(interpretation) {
        if names.contains(predicate.name) {
            define(&mut out, predicate, conjuncts)?;
        }
    }
    for function in clauses.functions.iter() {
        let parameters =
            function.parameters.iter().map(|(name, sort)| format!("({} {})", quoted(name), sort_name(*sort)));
        let parameters = parameters.collect::<Vec<_>>().join(" ");
        let (name, body) = (quoted(function.name), clauses.text(function.body));
        writeln!(out, "(define-fun {name} ({parameters}) {} {body})", sort_name(function.result))?;
    }
    for variable in clause.variables.iter().filter(|variable| variable.binder.is_none()) {
        writeln!(out, "(declare-const {} {})", quoted(variable.symbol.name), variable.symbol.sort)?;
    }
    for (symbol, body) in &clauses.definitions {
        writeln!(out, "(define-fun {} () {} {})", quoted(symbol.name), symbol.sort, clauses.text(*body))?;
    }
    match &clause.statement {
        Statement::Formula(formula) => writeln!(out, "(assert (not {}))", clauses.text(*formula))?,
        Statement::Never(number) => {
            let predicate = &clauses.predicates[*number];
            for argument in &predicate.arguments {
                writeln!(out, "(declare-const {} {})", quoted(&argument.name), argument.sort)?;
            }
            let names: Vec<String> = predicate.arguments.iter().map(|argument| quoted(&argument.name)).collect();
            writeln!(out, "(assert {})", applied(predicate, &names))?;
        }
        Statement::Step { conditions, before, after } => {
            for condition in conditions {
                let text = clauses.text(condition.formula);
                writeln!(out, "(assert {})", if condition.negated { format!("(not {text})") } else { text.into() })?;
            }
            let texts = |ids: &[_]| ids.iter().map(|&id| clauses.text(id).into()).collect::<Vec<String>>();
            if let Some(before) = before {
                writeln!(out, "(assert {})", applied(&clauses.predicates[0], &texts(before)))?;
            }
            if let Some(after) = after {
                writeln!(out, "(assert (not {}))", applied(&clauses.predicates[0], &texts(after)))?;
            }
        }
    }
    Ok(out)
}

/// The names in a clause and in all functions: no other predicate is in the script.
fn names<'t>(clauses: &Clauses<'t>, clause: &Clause) -> FxHashSet<&'t str> {
    let mut work: Vec<Id> = clauses.functions.iter().map(|function| function.body).collect();
    let mut names = FxHashSet::default();
    match clause.statement {
        Statement::Formula(formula) => work.push(formula),
        Statement::Never(predicate) => drop(names.insert(clauses.predicates[predicate].name)),
        Statement::Step { .. } => drop(names.insert(clauses.predicates[0].name)),
    }
    while let Some(id) = work.pop() {
        match clauses.expressions.get(id) {
            Expression::Atom(name) => drop(names.insert(name)),
            Expression::Text(_) => {}
            Expression::List(items) => work.extend(items),
        }
    }
    names
}

/// A predicate as a function.
fn define(out: &mut String, predicate: &Predicate, conjuncts: &[String]) -> fmt::Result {
    writeln!(out, "{} (and true", predicate.begin_of_definition())?;
    for conjunct in conjuncts {
        writeln!(out, "    {conjunct}")?;
    }
    writeln!(out, "))")
}

fn applied(predicate: &Predicate, arguments: &[String]) -> String {
    let name = quoted(predicate.name);
    if arguments.is_empty() { name } else { format!("({name} {})", arguments.join(" ")) }
}

fn sort_name(sort: TermSort) -> Sort {
    if sort == TermSort::Bool { Sort::Bool } else { Sort::Int }
}

impl Refutation {
    /// Checks a run. Each use leads to a state that is not known before, but for the last one.
    pub fn confirm(clauses: &Clauses, run: Run) -> Result<Refutation, Refused> {
        let mut known: FxHashSet<State> = FxHashSet::default();
        let mut ended = false;
        for (position, one) in run.uses.iter().enumerate() {
            let wrong = || Refused::NoStep(position);
            let clause = clauses.clauses.get(one.clause).ok_or_else(wrong)?;
            if ended || !is_use(clauses, clause, one, &known).map_err(|NoValue| wrong())? {
                return Err(wrong());
            }
            ended = one.head.is_none();
            if one.head.as_ref().is_some_and(|head| !known.insert(head.clone())) {
                return Err(wrong());
            }
        }
        if ended { Ok(Refutation { run }) } else { Err(Refused::NoStep(run.uses.len())) }
    }

    /// Which clauses it uses.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The number of steps between states that have arguments.
    pub fn steps(&self) -> usize {
        let states = self.run.uses.iter().filter_map(|one| one.head.as_ref());
        states.filter(|state| !state.values.is_empty()).count().saturating_sub(1)
    }
}

fn is_of_sort(value: &Value, sort: Sort) -> bool {
    match sort {
        Sort::Bool => matches!(value, Value::Bool(_)),
        Sort::Int => matches!(value, Value::Int(_)),
    }
}

fn is_state(clauses: &Clauses, state: &State) -> bool {
    let Some(predicate) = clauses.predicates.get(state.predicate) else { return false };
    predicate.arguments.len() == state.values.len()
        && predicate.arguments.iter().zip(&state.values).all(|(argument, value)| is_of_sort(value, argument.sort))
}

/// True if a clause says, with these values, that its head follows from states that are known.
fn is_use(clauses: &Clauses, clause: &Clause, one: &Use, known: &FxHashSet<State>) -> Result<bool, NoValue> {
    let Use { values, head, .. } = one;
    let mut sorted =
        clause.variables.iter().zip(values).map(|(variable, value)| is_of_sort(value, variable.symbol.sort));
    let complete = clause.variables.len() == values.len() && sorted.all(|is_sorted| is_sorted);
    if !complete || head.as_ref().is_some_and(|head| !is_state(clauses, head)) {
        return Ok(false);
    }
    let mut there = Values::new(clauses, &clause.variables, values)?;
    match &clause.statement {
        Statement::Formula(formula) => there.is_false(*formula, Assumed { belong: Some(known), lacks: head.as_ref() }),
        Statement::Never(predicate) => Ok(known.iter().any(|state| state.predicate == *predicate) && head.is_none()),
        Statement::Step { conditions, before, after } => {
            for condition in conditions {
                if !there.holds(*condition)? {
                    return Ok(false);
                }
            }
            let follows = state_of(&mut there, before)?.is_none_or(|before| known.contains(&before));
            Ok(follows && state_of(&mut there, after)?.as_ref() == head.as_ref())
        }
    }
}

fn state_of(there: &mut Values, ids: &Option<Vec<Id>>) -> Result<Option<State>, NoValue> {
    let Some(ids) = ids else { return Ok(None) };
    let values = ids.iter().map(|&id| there.certain(id)).collect::<Result<_, NoValue>>()?;
    Ok(Some(State { predicate: 0, values }))
}
