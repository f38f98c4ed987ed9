//! Certificates of verdicts on Horn clauses: an invariant, or a run, with the hash of the file that they are about.

use super::{DocumentError, readable, tool};
use crate::check::horn::{Proof, Refused, Refutation, scripts};
use crate::check::solver::ScriptSolver;
use crate::escape;
use crate::horn::{Clauses, Run, Sort};
use crate::model::Value;
use dashu_int::IBig;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use std::fmt;

/// What every such certificate says it is.
pub const FORMAT: &str = "rcheck-smt certificate of clauses";
const VERSION: u32 = 1;

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
    /// Conjuncts in SMT-LIB over the arguments of the relation.
    Invariant(Vec<String>),
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
    /// A clause has no such variable, or a value is missing or of another sort: the position in the run, from 1.
    Values(usize),
    /// The check refuses the evidence.
    Refused(Refused),
}

impl fmt::Display for NotProved {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NotProved::OtherFile => f.write_str("it is about another file"),
            NotProved::Values(position) => write!(f, "use {position} of a clause does not give its variables values"),
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
    pub fn of_proof(file: &str, sha256: &str, proof: &Proof) -> ClausesDocument {
        ClausesDocument::new(file, sha256, Evidence::Invariant(proof.invariant().to_vec()))
    }

    /// Of a run.
    pub fn of_refutation(file: &str, sha256: &str, clauses: &Clauses, refutation: &Refutation) -> ClausesDocument {
        let uses = refutation.run().uses.iter().map(|(number, values)| {
            let names = clauses.clauses[*number].variables.iter().map(|variable| variable.name.to_owned());
            let values = values.iter().map(|value| match value {
                Value::Bool(truth) => json!(truth),
                Value::Int(number) => json!(number.to_string()),
                Value::Enum(number) => json!(number.to_string()),
            });
            Use { clause: number + 1, values: names.zip(values).collect() }
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
            Evidence::Invariant(conjuncts) => {
                Proof::confirm(clauses, conjuncts.clone(), solver).map(Checked::Holds).map_err(NotProved::Refused)
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
    fn read(&self, clauses: &Clauses) -> Option<(usize, Vec<Value>)> {
        let number = self.clause.checked_sub(1)?;
        let variables = &clauses.clauses.get(number)?.variables;
        let value = |variable: &crate::horn::Symbol| match (variable.sort, self.values.get(variable.name)?) {
            (Sort::Bool, serde_json::Value::Bool(truth)) => Some(Value::Bool(*truth)),
            (Sort::Int, serde_json::Value::String(digits)) => digits.parse::<IBig>().ok().map(Value::Int),
            _ => None,
        };
        let values: Option<Vec<Value>> = variables.iter().map(value).collect();
        values.filter(|values| values.len() == self.values.len()).map(|values| (number, values))
    }
}

/// What a solver has to find unsatisfiable, a file per clause.
pub fn clause_queries(file: &str, clauses: &Clauses, proof: &Proof) -> Vec<String> {
    let name = file.replace(['\n', '\r'], " ");
    let heading = |number: usize| {
        format!(
            "; {}\n; {name}: clause {number} is true where the relation is this invariant: unsat\n(set-logic ALL)\n",
            tool()
        )
    };
    let scripts = scripts(clauses, proof.invariant());
    (1..).zip(scripts).map(|(number, script)| format!("{}{script}(check-sat)\n", heading(number))).collect()
}
