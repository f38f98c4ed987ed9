//! Certificates of verdicts on Horn clauses: an invariant, or a run, with the hash of the file that they are about.

use super::{DocumentError, readable, tool};
use crate::check::horn::{Interpretation, Proof, Refused, Refutation, scripts};
use crate::check::solver::ScriptSolver;
use crate::escape;
use crate::horn::{self, Clauses, Predicate, Run, Sort, State, Variable};
use crate::model::Value;
use dashu_int::IBig;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use std::collections::BTreeMap;
use std::fmt;

/// The format that every such certificate names.
pub const FORMAT: &str = "rcheck-smt certificate of clauses";
const VERSION: u32 = 2;

/// Evidence with what it is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClausesDocument {
    format: String,
    version: u32,
    tool: String,
    /// For people.
    file: String,
    sha256: String,
    evidence: Evidence,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Evidence {
    /// Conjuncts in SMT-LIB over the arguments of each predicate.
    Invariant(BTreeMap<String, Vec<String>>),
    /// How clauses are used.
    Run(Vec<Use>),
}

/// A use of a clause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Use {
    /// The number of the clause, from 1.
    clause: usize,
    /// The values of its variables: truth values, and integers as decimal numbers.
    values: Map<String, serde_json::Value>,
    /// The state that it leads to; missing if it says that the state before is bad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<PredicateState>,
}

/// A state of a predicate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PredicateState {
    predicate: String,
    arguments: Vec<serde_json::Value>,
}

/// Evidence that was checked.
#[derive(Debug)]
pub enum Checked {
    /// No bad state is reachable.
    Holds(Proof),
    /// One is.
    Violated(Refutation),
}

/// Why a certificate proves nothing.
#[derive(Debug)]
pub enum NotProved {
    /// It is about another file.
    OtherFile,
    /// A clause or predicate is not there, or a value is missing or of another sort: the position in the run, from 1.
    Values(usize),
    /// The check refuses the evidence.
    Refused(Refused),
}

impl fmt::Display for NotProved {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NotProved::OtherFile => f.write_str("it is about another file"),
            NotProved::Values(position) => {
                write!(f, "use {position} of a clause does not give its variables values and its state arguments")
            }
            NotProved::Refused(refused) => refused.fmt(f),
        }
    }
}

impl ClausesDocument {
    fn new(file: &str, sha256: &str, evidence: Evidence) -> ClausesDocument {
        ClausesDocument {
            format: FORMAT.to_owned(),
            version: VERSION,
            tool: tool(),
            file: file.to_owned(),
            sha256: sha256.to_owned(),
            evidence,
        }
    }

    /// Of a proof.
    pub fn of_proof(file: &str, sha256: &str, clauses: &Clauses, proof: &Proof) -> ClausesDocument {
        let names = clauses.predicates.iter().map(|predicate| predicate.name.to_owned());
        let invariant = names.zip(proof.interpretation().iter().cloned()).collect();
        ClausesDocument::new(file, sha256, Evidence::Invariant(invariant))
    }

    /// Of a run.
    pub fn of_refutation(file: &str, sha256: &str, clauses: &Clauses, refutation: &Refutation) -> ClausesDocument {
        let uses = refutation.run().uses.iter().map(|one| {
            let keys = clauses.clauses[one.clause].variables.iter().map(|variable| variable.key.clone().into_owned());
            let state = |state: &State| PredicateState {
                predicate: clauses.predicates[state.predicate].name.to_owned(),
                arguments: state.values.iter().map(written).collect(),
            };
            let values = keys.zip(one.values.iter().map(written)).collect();
            Use { clause: one.clause + 1, values, state: one.head.as_ref().map(state) }
        });
        ClausesDocument::new(file, sha256, Evidence::Run(uses.collect()))
    }

    /// As a file.
    pub fn write(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("certificates are plain data");
        escape::json(&text).into_owned() + "\n"
    }

    /// Reads a file.
    pub fn read(text: &str) -> Result<ClausesDocument, DocumentError> {
        readable(text, FORMAT, VERSION)
    }

    /// Makes the verdict again.
    pub fn check(&self, clauses: &Clauses, sha256: &str, solver: &dyn ScriptSolver) -> Result<Checked, NotProved> {
        if self.sha256 != sha256 {
            return Err(NotProved::OtherFile);
        }
        match &self.evidence {
            Evidence::Invariant(invariant) => {
                let named = |predicate: &Predicate| invariant.get(predicate.name).cloned();
                let interpretation: Option<Interpretation> = clauses.predicates.iter().map(named).collect();
                let complete = interpretation.filter(|interpretation| interpretation.len() == invariant.len());
                let interpretation = complete.ok_or(NotProved::Refused(Refused::OtherPredicates))?;
                Proof::confirm(clauses, interpretation, solver).map(Checked::Holds).map_err(NotProved::Refused)
            }
            Evidence::Run(uses) => {
                let read = |(position, one): (usize, &Use)| one.read(clauses).ok_or(NotProved::Values(position + 1));
                let uses = uses.iter().enumerate().map(read).collect::<Result<_, _>>()?;
                Refutation::confirm(clauses, Run { uses }).map(Checked::Violated).map_err(NotProved::Refused)
            }
        }
    }
}

impl Use {
    fn read(&self, clauses: &Clauses) -> Option<horn::Use> {
        let clause = self.clause.checked_sub(1)?;
        let variables = &clauses.clauses.get(clause)?.variables;
        let value = |variable: &Variable| read_value(variable.symbol.sort, self.values.get(&*variable.key)?);
        let values: Vec<Value> = variables.iter().map(value).collect::<Option<_>>()?;
        if values.len() != self.values.len() {
            return None;
        }
        let head = match &self.state {
            None => None,
            Some(state) => Some(state.read(clauses)?),
        };
        Some(horn::Use { clause, values, head })
    }
}

impl PredicateState {
    fn read(&self, clauses: &Clauses) -> Option<State> {
        let predicate = clauses.predicates.iter().position(|predicate| predicate.name == self.predicate)?;
        let arguments = &clauses.predicates[predicate].arguments;
        if arguments.len() != self.arguments.len() {
            return None;
        }
        let values = arguments.iter().zip(&self.arguments).map(|(argument, value)| read_value(argument.sort, value));
        Some(State { predicate, values: values.collect::<Option<_>>()? })
    }
}

fn written(value: &Value) -> serde_json::Value {
    match value {
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!(number.to_string()),
        Value::Enum(number) => json!(number.to_string()),
    }
}

fn read_value(sort: Sort, value: &serde_json::Value) -> Option<Value> {
    match (sort, value) {
        (Sort::Bool, serde_json::Value::Bool(truth)) => Some(Value::Bool(*truth)),
        (Sort::Int, serde_json::Value::String(digits)) => digits.parse::<IBig>().ok().map(Value::Int),
        _ => None,
    }
}

/// The scripts that a solver has to find unsatisfiable, one per clause.
pub fn clause_queries(file: &str, clauses: &Clauses, proof: &Proof) -> Vec<String> {
    let name = file.replace(['\n', '\r'], " ");
    let heading = |number: usize| {
        format!(
            "; {}\n; {name}: clause {number} is true where the predicates are these formulas: unsat\n(set-logic ALL)\n",
            tool()
        )
    };
    let scripts = scripts(clauses, proof.interpretation());
    (1..).zip(scripts).map(|(number, script)| format!("{}{script}(check-sat)\n", heading(number))).collect()
}
