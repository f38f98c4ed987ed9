//! From a certificate back to a verdict.

use super::part::PartDocument;
use super::recurrent::read_condition;
use super::{Document, EvidenceDocument, LookAlikeDocument, VerdictName, reading};
use crate::check::branching::conditions;
use crate::check::solver::ScriptSolver;
use crate::check::{Means, Refused, Verdict, judge};
use crate::claim::branching::{Lookalike, LooksAlike, Witness, WitnessPart};
use crate::claim::{Evidence, PartClaim, Trace};
use crate::model::eval::Semantics;
use crate::model::{ConstantName, Constants, Formula, InstanceId, Model, PointToPoint, Spec, show_constants};
use crate::trace_file::{self, fingerprint};
use crate::ts::history::base_system;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// A verdict that was made from a certificate.
#[derive(Debug)]
pub struct Certified<'s> {
    /// The spec, as an index.
    pub spec: usize,
    /// The verdict: that a spec holds, or that it is violated.
    pub verdict: Verdict<'s>,
}

impl Certified<'_> {
    /// The assumptions and the given constants of the verdict, in words that follow it; nothing if there are none.
    pub fn presupposed(&self, model: &Model) -> String {
        let assumed = model.specs[self.spec].show_assumptions().map_or(String::new(), |words| format!(" {words}"));
        let given = show_constants(&model.given());
        if given.is_empty() { assumed } else { format!("{assumed} (with {given})") }
    }
}

/// Why a certificate does not give a verdict on a spec of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateError {
    /// It was made for another model.
    OtherModel(String),
    /// It was made for other values of constants: those, and the ones that the model has.
    OtherConstants(String, String),
    /// It was made for another reading of gets and supplies: that, and the one of the model.
    OtherReading(String, String),
    /// The model has no such spec.
    NoSuchSpec(String),
    /// It does not fit the model and the spec.
    Unfit(String),
    /// The evidence does not prove the verdict.
    NoEvidence(String),
    /// It is not known whether it does.
    Unknown(String),
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            CertificateError::OtherModel(file) => {
                write!(
                    f,
                    "not a certificate for this model, but for another one ({file}), or the model or its constants were changed since"
                )
            }
            CertificateError::OtherConstants(made, present) => {
                write!(f, "not a certificate for this model, where {present}: it was made where {made}")
            }
            CertificateError::OtherReading(made, present) => {
                write!(
                    f,
                    "not a certificate for this model, read with `--point-to-point {present}`: it was made with `{made}`"
                )
            }
            CertificateError::NoSuchSpec(spec) => {
                write!(f, "not a certificate for this model, which has no spec {spec}")
            }
            CertificateError::Unfit(what) => write!(f, "not a certificate for this spec: {what}"),
            CertificateError::NoEvidence(why) => write!(f, "the certificate does not prove its verdict: {why}"),
            CertificateError::Unknown(why) => write!(f, "the certificate could not be checked: {why}"),
        }
    }
}

impl std::error::Error for CertificateError {}

/// Those that are constants: the reading of the point-to-point commands may be chosen by a file or by an option.
fn constants(mut given: Constants) -> Constants {
    given.retain(|name, _| !matches!(name, ConstantName::PointToPoint(_)));
    given
}

/// `N = 3, fast = true`
fn shown(constants: &Constants) -> String {
    if constants.is_empty() { "there are no constants".to_owned() } else { show_constants(constants) }
}

impl Document {
    /// Checks the evidence against the model, as if an engine had just claimed it.
    pub fn check<'s>(
        &self,
        semantics: &'s Semantics<'s>,
        solver: &dyn ScriptSolver,
    ) -> Result<Certified<'s>, CertificateError> {
        let model = semantics.model();
        if self.model.point_to_point != reading(model) {
            let word = |reading: Option<String>| reading.unwrap_or_else(|| PointToPoint::default().word().to_owned());
            return Err(CertificateError::OtherReading(word(self.model.point_to_point.clone()), word(reading(model))));
        }
        let (made, present) = (constants(self.model.constants.clone()), constants(model.literals()));
        if made != present {
            return Err(CertificateError::OtherConstants(shown(&made), shown(&present)));
        }
        if self.model.fingerprint != fingerprint(model) {
            return Err(CertificateError::OtherModel(self.model.file.clone()));
        }
        let spec = self.find_spec(model)?;
        let claims_holds = self.verdict == VerdictName::Holds;
        if claims_holds && model.scheme().is_some() && !matches!(self.evidence, EvidenceDocument::Uniform(_)) {
            return Err(CertificateError::Unfit("it is about one size, and the model has any".to_owned()));
        }
        let evidence = self.evidence.claim(semantics, spec)?;
        let verdict = judge(semantics, spec, evidence, Means::of(solver))?;
        if claims_holds != matches!(verdict, Verdict::Holds(_)) {
            return Err(Refused::other_kind().into());
        }
        Ok(Certified { spec, verdict })
    }

    /// True if it is about this spec of the model, or about one that could be added to the model.
    pub fn is_about(&self, model: &Model, spec: &Spec) -> bool {
        spec.name == self.spec.name && model.show_formula(&spec.formula) == self.spec.formula
    }

    fn find_spec(&self, model: &Model) -> Result<usize, CertificateError> {
        let name = self.spec.name.as_ref().map(|name| format!("{name}, ")).unwrap_or_default();
        let unknown = || CertificateError::NoSuchSpec(format!("{name}`{}`", self.spec.formula));
        let found = (0..model.specs.len()).filter(|&spec| self.is_about(model, &model.specs[spec]));
        // Specs that differ for other sizes may have the same formula here.
        found.min_by_key(|spec| spec + 1 != self.spec.number).ok_or_else(unknown)
    }
}

impl From<Refused> for CertificateError {
    fn from(why: Refused) -> CertificateError {
        match why {
            Refused::Unfit(why) => CertificateError::Unfit(why),
            Refused::Wrong(why) => CertificateError::NoEvidence(why),
            Refused::Unknown(reason) => CertificateError::Unknown(reason.to_string()),
        }
    }
}

impl EvidenceDocument {
    /// True for evidence about specs without path quantifiers, knowledge and strategies.
    fn is_about_single_runs(&self) -> bool {
        match self {
            EvidenceDocument::Invariants(_)
            | EvidenceDocument::Exploration(_)
            | EvidenceDocument::Trace(_)
            | EvidenceDocument::Recurrent(_) => true,
            EvidenceDocument::Conditions { .. }
            | EvidenceDocument::Labels(_)
            | EvidenceDocument::Uniform(_)
            | EvidenceDocument::Strategies(_)
            | EvidenceDocument::Diagrams(_)
            | EvidenceDocument::LabelledStates { .. }
            | EvidenceDocument::LabelledTrace { .. }
            | EvidenceDocument::LookAlike { .. } => false,
        }
    }

    /// The evidence that it is for a spec.
    pub(super) fn claim(&self, semantics: &Semantics, spec: usize) -> Result<Evidence, CertificateError> {
        let model = semantics.model();
        if self.is_about_single_runs() && model.specs[spec].formula.is_branching() {
            return Err(Refused::other_kind().into());
        }
        let replayed = |trace: &Value| replayed(semantics, trace);
        let on_run = |trace: &Value| {
            let witness = |trace| Box::new(Witness { trace, from: 0, parts: Vec::new() });
            replayed(trace).map(witness)
        };
        Ok(match self {
            EvidenceDocument::Invariants(parts) => Evidence::Invariants(invariants(model, spec, parts)?),
            EvidenceDocument::Exploration(exploration) => Evidence::Exploration(Arc::clone(exploration)),
            EvidenceDocument::Labels(labelling) => Evidence::Labels(Arc::clone(labelling)),
            EvidenceDocument::Diagrams(sets) => Evidence::Diagrams(Arc::clone(sets)),
            EvidenceDocument::Uniform(uniform) => Evidence::Uniform(Box::new(uniform.claim(model, spec)?)),
            EvidenceDocument::Conditions { conditions, parts } => {
                let unfit = |what| CertificateError::Unfit(format!("a condition: {what}"));
                let conditions =
                    conditions.iter().map(|text| read_condition(model, text)).collect::<Result<Vec<_>, _>>();
                let conditions = conditions.map_err(unfit)?;
                let questions = conditions::questions(model, spec, &conditions)?;
                let semantics = Semantics::new(&questions);
                // Another number of parts is refused.
                let parts = parts.iter().zip(0..questions.specs.len()).map(|(part, spec)| part.claim(&semantics, spec));
                Evidence::Conditions { conditions, parts: parts.collect::<Result<_, _>>()? }
            }
            EvidenceDocument::Strategies(document) => Evidence::Strategies(Box::new(document.claim(semantics, spec)?)),
            EvidenceDocument::Trace(trace) => Evidence::Run(replayed(trace)?),
            EvidenceDocument::LabelledStates { labels, trace } => {
                Evidence::LabelledRun(Arc::clone(labels), on_run(trace)?)
            }
            EvidenceDocument::LabelledTrace { labels, trace } => {
                Evidence::SymbolicRun(Arc::clone(labels), on_run(trace)?)
            }
            EvidenceDocument::LookAlike { trace, others } => {
                let part = |other: &LookAlikeDocument| {
                    let trace = replayed(&other.trace)?;
                    let observers = other.observers.iter().copied().map(InstanceId).collect();
                    let looks = vec![LooksAlike { observers, there: Lookalike::Run(trace.clone()) }];
                    let witness = Witness { from: trace.choices.len(), trace, parts: Vec::new() };
                    Ok(WitnessPart { position: other.position, formula: other.formula, looks, witness })
                };
                let parts = others.iter().map(part).collect::<Result<_, CertificateError>>()?;
                Evidence::LookAlike(Box::new(Witness { trace: replayed(trace)?, from: 0, parts }))
            }
            EvidenceDocument::Recurrent(document) => {
                Evidence::Recurrent(Box::new(document.claim(semantics, &model.specs[spec].formula)?))
            }
        })
    }
}

/// The claims about the conjuncts of a spec.
fn invariants(model: &Model, spec: usize, parts: &[PartDocument]) -> Result<Vec<PartClaim>, CertificateError> {
    let (system, conjuncts) = (base_system(model), model.specs[spec].formula.conjuncts());
    if conjuncts.len() != parts.len() {
        return Err(CertificateError::Unfit("it has another number of conjuncts".to_owned()));
    }
    let claim =
        |(number, (part, conjunct)): (usize, (&PartDocument, &Formula))| part.claim(model, &system, conjunct, number);
    (1..).zip(parts.iter().zip(&conjuncts)).map(claim).collect()
}

/// Replays a trace, and returns it if it is a run.
pub(super) fn replayed(semantics: &Semantics, trace: &Value) -> Result<Trace, CertificateError> {
    let replayed = trace_file::read(semantics, &trace.to_string());
    replayed.map(|replayed| replayed.run.trace()).map_err(|problem| CertificateError::NoEvidence(problem.to_string()))
}
