//! Verdicts as files, with all that it takes to check them again.
//!
//! A certificate ([`Document`], JSON) names the model, the spec and the verdict, and holds the evidence:
//! an invariant per conjunct of the spec, a closed set of states, or a counterexample. `docs/certificates.md` describes
//! it.
//!
//! The content of a certificate is a claim: [`Document::check`] makes the verdict again, from the model, the spec
//! and the evidence, by [`crate::check`] alone.

pub mod horn;
pub mod legend;
mod part;
mod progress;
mod recheck;
mod recurrent;
mod strategies;
mod uniform;

pub use recheck::{CertificateError, Certified};

use crate::check::branching::ShownPart;
use crate::check::{Counterexample, Ending, Proof, ProofBy, ShownBy, Verdict};
use crate::claim::branching::{Labelling, branchings};
use crate::claim::diagrams::Diagrams;
use crate::claim::explicit::ExplicitCertificate;
use crate::escape;
use crate::model::eval::Run;
use crate::model::{Constants, Formula, Model, PointToPoint};
use crate::trace_file::{self, About, Format, fingerprint, names_are_unique};
use part::PartDocument;
use recurrent::{RecurrentDocument, written_condition};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use strategies::StrategiesDocument;
use uniform::UniformDocument;

/// The format that every certificate names.
const FORMAT: &str = "rcheck-smt certificate";
const VERSION: u32 = 4;

/// A verdict with its evidence, as it is written to a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    format: String,
    version: u32,
    tool: String,
    model: ModelReference,
    spec: SpecReference,
    verdict: VerdictName,
    evidence: EvidenceDocument,
}

/// A model; its file is for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelReference {
    file: String,
    fingerprint: String,
    /// Which gets meet which supplies, unless it is as in the running tool.
    #[serde(default, rename = "point-to-point", skip_serializing_if = "Option::is_none")]
    point_to_point: Option<String>,
    /// The values of its constants.
    #[serde(default, skip_serializing_if = "Constants::is_empty")]
    constants: Constants,
    /// Those of them that were given in place of what the file says.
    #[serde(default, skip_serializing_if = "Constants::is_empty")]
    given: Constants,
}

/// A spec; its number, from 1, is for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecReference {
    number: usize,
    name: Option<String>,
    formula: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum VerdictName {
    Holds,
    Violated,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum EvidenceDocument {
    /// An inductive invariant per conjunct.
    Invariants(Vec<PartDocument>),
    /// The closed set of states.
    Exploration(Arc<ExplicitCertificate>),
    /// Clauses that are invariants for all sizes.
    Uniform(UniformDocument),
    /// Conditions on local states that imply knowledge, as SMT-LIB terms, and the evidence for the specs that this
    /// takes.
    Conditions { conditions: Vec<String>, parts: Vec<EvidenceDocument> },
    /// Strategies, and the evidence for the rest of the spec.
    Strategies(Box<StrategiesDocument>),
    /// All reachable states, and why branching formulas are true or false in them.
    Labels(Arc<Labelling>),
    /// Sets of states.
    Diagrams(Arc<Diagrams>),
    /// A counterexample, as [`crate::trace_file`] writes it.
    Trace(serde_json::Value),
    /// A counterexample, with all reachable states, and why branching formulas are true or false in them.
    LabelledStates { labels: Arc<Labelling>, trace: serde_json::Value },
    /// A counterexample, with sets of states.
    LabelledTrace { labels: Arc<Diagrams>, trace: serde_json::Value },
    /// A counterexample, and runs that end in states which look alike to those who are said to know something.
    LookAlike { trace: serde_json::Value, others: Vec<LookAlikeDocument> },
    /// A counterexample on which no state recurs.
    Recurrent(Box<RecurrentDocument>),
}

/// A run that ends in a state that looks like one of the counterexample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LookAlikeDocument {
    /// The position of that state.
    position: usize,
    /// The branching formula that is not known there: its number, from 0, those inside of others first.
    formula: u32,
    /// The numbers, from 0, of the instances to which it looks like that.
    observers: Vec<u32>,
    trace: serde_json::Value,
}

/// Why a text is no certificate at all.
#[derive(Debug)]
pub enum DocumentError {
    /// Something else.
    NotACertificate,
    /// Of a version that this one cannot read.
    Version(u32),
    /// It has not the fields that it should have.
    Malformed(serde_json::Error),
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            DocumentError::NotACertificate => write!(f, "this is no certificate: no `\"format\": \"{FORMAT}\"`"),
            DocumentError::Version(version) => {
                write!(f, "this is a certificate of version {version}; only version {VERSION} can be read")
            }
            DocumentError::Malformed(error) => write!(f, "this is no certificate: {error}"),
        }
    }
}

impl std::error::Error for DocumentError {}

/// The fields that are read before anything else.
#[derive(Deserialize)]
struct Header {
    format: Option<serde_json::Value>,
    version: Option<serde_json::Value>,
}

/// Reads a document of a format.
fn readable<D: DeserializeOwned>(text: &str, format: &str, version: u32) -> Result<D, DocumentError> {
    let of_header = |header: Header| {
        let version = u32::try_from(header.version?.as_u64()?).ok()?;
        Some((header.format?.as_str()?.to_owned(), version))
    };
    let header = match text.trim_start().starts_with('{') {
        true => serde_json::from_str(text).map(of_header),
        false => serde_json::from_str(text).map(|IgnoredAny| None),
    };
    match header.map_err(DocumentError::Malformed)? {
        Some((it, known)) if it == format && known == version => {
            names_are_unique(text).and_then(|()| serde_json::from_str(text)).map_err(DocumentError::Malformed)
        }
        Some((it, other)) if it == format => Err(DocumentError::Version(other)),
        _ => Err(DocumentError::NotACertificate),
    }
}

impl Document {
    /// The certificate of a decided spec; nothing for one that is undecided. `file` is how the model is called.
    pub fn new(model: &Model, file: &str, spec: usize, verdict: &Verdict) -> Option<Document> {
        let model = verdict.model(model);
        let (verdict, evidence) = match verdict {
            Verdict::Holds(proof) => (VerdictName::Holds, EvidenceDocument::of_proof(model, file, proof)),
            Verdict::Violated(counterexample) => {
                (VerdictName::Violated, EvidenceDocument::of_counterexample(model, file, spec, counterexample))
            }
            Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => return None,
        };
        let declared = &model.specs[spec];
        Some(Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            tool: tool(),
            model: ModelReference {
                file: file.to_owned(),
                fingerprint: fingerprint(model),
                point_to_point: reading(model),
                constants: model.literals(),
                given: model.given(),
            },
            spec: SpecReference {
                number: spec + 1,
                name: declared.name.clone(),
                formula: model.show_formula(&declared.formula),
            },
            verdict,
            evidence,
        })
    }

    /// The constants of the model that were given.
    pub fn given(&self) -> &Constants {
        &self.model.given
    }

    /// Reads a file.
    pub fn read(text: &str) -> Result<Document, DocumentError> {
        readable(text, FORMAT, VERSION)
    }

    /// The text of the file.
    pub fn write(&self) -> String {
        let text = match self.evidence {
            // People do not read states one by one.
            EvidenceDocument::Exploration(_)
            | EvidenceDocument::Labels(_)
            | EvidenceDocument::LabelledStates { .. }
            | EvidenceDocument::LabelledTrace { .. }
            | EvidenceDocument::Diagrams(_) => serde_json::to_string(self),
            _ => serde_json::to_string_pretty(self),
        };
        escape::json(&text.expect("a certificate is JSON")).into_owned() + "\n"
    }
}

impl EvidenceDocument {
    fn of_counterexample(model: &Model, file: &str, spec: usize, counterexample: &Counterexample) -> EvidenceDocument {
        if let Some(answers) = counterexample.strategies() {
            let rest = EvidenceDocument::of_run(answers.rest(), file, 0, counterexample);
            return EvidenceDocument::Strategies(Box::new(StrategiesDocument::new(model, file, answers, rest)));
        }
        EvidenceDocument::of_run(model, file, spec, counterexample)
    }

    /// Of a counterexample, without what groups can bring about.
    fn of_run(model: &Model, file: &str, spec: usize, counterexample: &Counterexample) -> EvidenceDocument {
        let trace = run_document(file, counterexample.run(), "violates the spec");
        match counterexample.shown_by() {
            ShownBy::Run => {}
            ShownBy::Labels(labels) => return EvidenceDocument::LabelledStates { labels: Arc::clone(labels), trace },
            ShownBy::Diagrams(labels) => return EvidenceDocument::LabelledTrace { labels: Arc::clone(labels), trace },
            ShownBy::Runs => {
                let known = branchings(&model.specs[spec].formula);
                let number = |part: &ShownPart| known.iter().position(|other| **other == part.formula);
                let other = |part: &ShownPart| LookAlikeDocument {
                    position: part.position,
                    formula: number(part).expect("it is of the spec") as u32,
                    observers: part.looks[0].0.iter().map(|observer| observer.0).collect(),
                    trace: run_document(file, &part.shown.run, "ends in a state that looks alike"),
                };
                return EvidenceDocument::LookAlike {
                    trace,
                    others: counterexample.branching().iter().map(other).collect(),
                };
            }
        }
        match counterexample.ending() {
            Ending::Prefix | Ending::Lasso(_) => EvidenceDocument::Trace(trace),
            Ending::Recurrent(recurrence) => {
                let formula = &model.specs[spec].formula;
                let document = RecurrentDocument::new(model, formula, counterexample, recurrence, trace);
                EvidenceDocument::Recurrent(Box::new(document))
            }
        }
    }

    fn of_proof(model: &Model, file: &str, proof: &Proof) -> EvidenceDocument {
        match proof.by() {
            ProofBy::Invariants(certificate) => {
                let parts = certificate.parts().iter();
                EvidenceDocument::Invariants(parts.map(|part| PartDocument::new(model, part)).collect())
            }
            ProofBy::Exploration(proof) => EvidenceDocument::Exploration(Arc::clone(proof.certificate())),
            ProofBy::Conditions(proof) => {
                let model = proof.model();
                let parts = proof.proofs().iter().map(|part| EvidenceDocument::of_proof(model, file, part));
                let conditions = proof.conditions().map(|(_, condition)| written_condition(model, condition));
                EvidenceDocument::Conditions { conditions: conditions.collect(), parts: parts.collect() }
            }
            ProofBy::Strategies(proof) => {
                let answers = proof.answers();
                let rest = EvidenceDocument::of_proof(answers.rest(), file, proof.rest());
                EvidenceDocument::Strategies(Box::new(StrategiesDocument::new(model, file, answers, rest)))
            }
            ProofBy::Labels(proof) => EvidenceDocument::Labels(Arc::clone(proof.labelling())),
            ProofBy::Diagrams(proof) => EvidenceDocument::Diagrams(Arc::clone(proof.evidence())),
            ProofBy::Uniform(uniform) => EvidenceDocument::Uniform(UniformDocument::new(uniform)),
        }
    }
}

/// A run as a trace file.
fn run_document(file: &str, run: &Run, description: &str) -> serde_json::Value {
    let about = About { model_file: file.to_owned(), description: description.to_owned(), round: None };
    let mut text = Vec::new();
    trace_file::write(&mut text, run, &about, Format::Json).expect("memory takes all");
    serde_json::from_slice(&text).expect("trace files are JSON")
}

/// A conjunct of a formula that was confirmed.
fn conjunct(formula: &Formula, index: usize) -> Formula {
    formula.conjuncts().into_iter().nth(index).expect("it was confirmed")
}

/// How a certificate says which gets meet which supplies.
fn reading(model: &Model) -> Option<String> {
    (model.point_to_point != PointToPoint::default()).then(|| model.point_to_point.word().to_owned())
}

/// Name and version of this program.
fn tool() -> String {
    format!("rcheck-smt {}", env!("CARGO_PKG_VERSION"))
}
