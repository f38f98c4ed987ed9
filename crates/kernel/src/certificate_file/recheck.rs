//! From a certificate back to a verdict.

use super::part::PartDocument;
use super::recurrent::{RecurrentDocument, read_condition};
use super::uniform::UniformDocument;
use super::{Document, Evidence, LookAlikeDocument, VerdictName, reading};
use crate::check::branching::conditions::{self, ProofByConditions, Unfounded};
use crate::check::branching::{self, Unlabelled};
use crate::check::certificate::{Certificate, NoCertificate};
use crate::check::diagrams;
use crate::check::explicit::confirm;
use crate::check::invariant::NoProof;
use crate::check::sizes::{NotUniform, Uniform};
use crate::check::solver::ScriptSolver;
use crate::check::{Counterexample, Proof, Refuted, Verdict};
use crate::claim::branching::{Labelling, Lookalike, LooksAlike, Witness, WitnessPart};
use crate::claim::diagrams::Diagrams;
use crate::claim::explicit::ExplicitCertificate;
use crate::claim::{PartClaim, Trace};
use crate::limits::Limits;
use crate::model::eval::Semantics;
use crate::model::{ConstantName, Constants, Formula, InstanceId, Model, PointToPoint, Spec, show_constants};
use crate::trace_file::{self, fingerprint};
use crate::ts::history::base_system;
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
        let formula = &model.specs[spec].formula;
        let verdict = match (self.verdict, &self.evidence) {
            (VerdictName::Holds, evidence) if model.scheme().is_some() && !matches!(evidence, Evidence::Uniform(_)) => {
                return Err(CertificateError::Unfit("it is about one size, and the model has any".to_owned()));
            }
            (VerdictName::Holds, evidence) => Verdict::Holds(check_proof(semantics, spec, evidence, solver)?),
            (VerdictName::Violated, Evidence::LabelledStates { labels, trace }) if formula.is_branching() => {
                check_branching_trace(semantics, formula, Arc::clone(labels), &trace.to_string())?
            }
            (VerdictName::Violated, Evidence::LabelledTrace { labels, trace }) if formula.is_branching() => {
                check_labelled_trace(semantics, formula, labels, &trace.to_string())?
            }
            (VerdictName::Violated, Evidence::LookAlike { trace, others }) if formula.is_branching() => {
                check_look_alike(semantics, formula, trace, others)?
            }
            (VerdictName::Violated, Evidence::Trace(trace)) if !formula.is_branching() => {
                check_trace(semantics, formula, &trace.to_string())?
            }
            (VerdictName::Violated, Evidence::Recurrent(run)) if !formula.is_branching() => {
                check_recurrent(semantics, formula, run, solver)?
            }
            _ => return Err(unfit()),
        };
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

fn unfit() -> CertificateError {
    CertificateError::Unfit("evidence of this kind cannot prove the verdict".to_owned())
}

/// The proof that evidence is.
fn check_proof(
    semantics: &Semantics,
    spec: usize,
    evidence: &Evidence,
    solver: &dyn ScriptSolver,
) -> Result<Proof, CertificateError> {
    let formula = &semantics.model().specs[spec].formula;
    if formula.is_branching() {
        return match evidence {
            Evidence::Labels(labelling) => check_labels(semantics, formula, Arc::clone(labelling)),
            Evidence::Diagrams(evidence) => check_diagrams(semantics, formula, evidence),
            Evidence::Conditions { conditions, parts } => check_conditions(semantics, spec, conditions, parts, solver),
            _ => Err(unfit()),
        };
    }
    match evidence {
        Evidence::Invariants(parts) => check_invariants(semantics, spec, parts, solver),
        Evidence::Exploration(exploration) => check_exploration(semantics, formula, (**exploration).clone()),
        Evidence::Diagrams(evidence) => check_diagrams(semantics, formula, evidence),
        Evidence::Uniform(uniform) => check_uniform(semantics, spec, uniform, solver),
        _ => Err(unfit()),
    }
}

fn check_conditions(
    semantics: &Semantics,
    spec: usize,
    conditions: &[String],
    parts: &[Evidence],
    solver: &dyn ScriptSolver,
) -> Result<Proof, CertificateError> {
    let model = semantics.model();
    let conditions = conditions.iter().map(|text| read_condition(model, text)).collect::<Result<Vec<_>, _>>();
    let conditions = conditions.map_err(|what| CertificateError::Unfit(format!("a condition: {what}")))?;
    let unfounded = |why: Unfounded| CertificateError::Unfit(why.to_string());
    let questions = conditions::questions(model, spec, &conditions).map_err(unfounded)?;
    if parts.len() != questions.specs.len() {
        return Err(unfounded(Unfounded::Unproved));
    }
    let semantics = Semantics::new(&questions);
    let proofs = parts.iter().enumerate().map(|(index, part)| check_proof(&semantics, index, part, solver));
    let proofs = proofs.collect::<Result<Vec<Proof>, CertificateError>>()?;
    let proof = ProofByConditions::conclude(model, spec, conditions, proofs).map_err(unfounded)?;
    Ok(Proof::Conditions(Box::new(proof)))
}

fn check_invariants(
    semantics: &Semantics,
    spec: usize,
    parts: &[PartDocument],
    solver: &dyn ScriptSolver,
) -> Result<Proof, CertificateError> {
    let model = semantics.model();
    let (system, conjuncts) = (base_system(model), model.specs[spec].formula.conjuncts());
    if conjuncts.len() != parts.len() {
        return Err(CertificateError::Unfit("it has another number of conjuncts".to_owned()));
    }
    let claim =
        |(number, (part, conjunct)): (usize, (&PartDocument, &Formula))| part.claim(model, &system, conjunct, number);
    let claims =
        (1..).zip(parts.iter().zip(&conjuncts)).map(claim).collect::<Result<Vec<PartClaim>, CertificateError>>()?;
    match Certificate::confirm(model, spec, &claims, solver) {
        Ok(certificate) => Ok(Proof::Invariants(Box::new(certificate))),
        Err(NoCertificate::NoProof(NoProof::Unknown(reason))) => Err(CertificateError::Unknown(reason.to_string())),
        Err(NoCertificate::NoProof(why)) => Err(CertificateError::NoEvidence(why.to_string())),
        Err(why) => Err(CertificateError::Unfit(why.to_string())),
    }
}

fn check_uniform(
    semantics: &Semantics,
    spec: usize,
    document: &UniformDocument,
    solver: &dyn ScriptSolver,
) -> Result<Proof, CertificateError> {
    let claim = document.claim(semantics.model(), spec)?;
    match Uniform::confirm(semantics.model(), spec, &claim, solver) {
        Ok(uniform) => Ok(Proof::Uniform(Box::new(uniform))),
        Err(NotUniform::NoProof(_, NoProof::Unknown(reason))) => Err(CertificateError::Unknown(reason.to_string())),
        Err(why @ (NotUniform::NoProof(..) | NotUniform::NoProgress(..))) => {
            Err(CertificateError::NoEvidence(why.to_string()))
        }
        Err(why) => Err(CertificateError::Unfit(why.to_string())),
    }
}

fn check_exploration(
    semantics: &Semantics,
    formula: &Formula,
    exploration: ExplicitCertificate,
) -> Result<Proof, CertificateError> {
    match confirm(semantics, formula, exploration, 1) {
        Ok(proof) => Ok(Proof::Exploration(proof)),
        Err(why) => Err(CertificateError::NoEvidence(why.to_string())),
    }
}

fn check_labels(
    semantics: &Semantics,
    formula: &Formula,
    labelling: Arc<Labelling>,
) -> Result<Proof, CertificateError> {
    match branching::confirm(semantics, formula, labelling) {
        Ok(proof) => Ok(Proof::Labels(proof)),
        Err(why) => Err(CertificateError::NoEvidence(why.to_string())),
    }
}

fn check_diagrams(
    semantics: &Semantics,
    formula: &Formula,
    evidence: &Arc<Diagrams>,
) -> Result<Proof, CertificateError> {
    let check = || diagrams::confirm(semantics, formula, Arc::clone(evidence), diagrams::MEMORY);
    match limited(check)? {
        Ok(proof) => Ok(Proof::Diagrams(proof)),
        Err(Unlabelled::Unfit(why)) => Err(CertificateError::Unfit(why.to_string())),
        Err(why) => Err(CertificateError::NoEvidence(why.to_string())),
    }
}

/// Runs a check that may take too long, or too much memory: reports a limit that it exceeds.
fn limited<R>(check: impl FnOnce() -> R) -> Result<R, CertificateError> {
    Limits::default().within(check).map_err(|exceeded| CertificateError::Unknown(exceeded.to_string()))
}

/// Replays a trace, and returns it if it is a run.
fn replayed(semantics: &Semantics, trace: &str) -> Result<Trace, CertificateError> {
    let replayed = trace_file::read(semantics, trace);
    replayed.map(|replayed| replayed.run.trace()).map_err(|problem| CertificateError::NoEvidence(problem.to_string()))
}

fn check_trace<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    trace: &str,
) -> Result<Verdict<'s>, CertificateError> {
    let counterexample = Counterexample::confirm(semantics, formula, &replayed(semantics, trace)?);
    let counterexample = counterexample.map_err(|why| CertificateError::NoEvidence(why.to_string()))?;
    Ok(Verdict::Violated(Box::new(counterexample)))
}

/// The run of a spec with branching formulas, with their labels.
fn check_branching_trace<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    labelling: Arc<Labelling>,
    trace: &str,
) -> Result<Verdict<'s>, CertificateError> {
    let witness = Witness { trace: replayed(semantics, trace)?, from: 0, parts: Vec::new() };
    let counterexample = Counterexample::confirm_branching(semantics, formula, labelling, &witness);
    let counterexample = counterexample.map_err(|why| CertificateError::NoEvidence(why.to_string()))?;
    Ok(Verdict::Violated(Box::new(counterexample)))
}

/// The same by sets of states.
fn check_labelled_trace<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    labels: &Arc<Diagrams>,
    trace: &str,
) -> Result<Verdict<'s>, CertificateError> {
    let witness = Witness { trace: replayed(semantics, trace)?, from: 0, parts: Vec::new() };
    let memory = diagrams::MEMORY;
    let check = || Counterexample::confirm_symbolic(semantics, formula, Arc::clone(labels), &witness, memory);
    match limited(check)? {
        Ok(counterexample) => Ok(Verdict::Violated(Box::new(counterexample))),
        Err(Refuted::Labels(Unlabelled::Unfit(why))) => Err(CertificateError::Unfit(why.to_string())),
        Err(why) => Err(CertificateError::NoEvidence(why.to_string())),
    }
}

/// A run, and others that end in states that look alike.
fn check_look_alike<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    trace: &serde_json::Value,
    others: &[LookAlikeDocument],
) -> Result<Verdict<'s>, CertificateError> {
    let replayed = |text: &serde_json::Value| {
        let replayed = trace_file::read(semantics, &text.to_string());
        replayed.map(|it| it.run.trace()).map_err(|problem| CertificateError::NoEvidence(problem.to_string()))
    };
    let mut parts = Vec::new();
    for other in others {
        let trace = replayed(&other.trace)?;
        let observers = other.observers.iter().copied().map(InstanceId).collect();
        let looks = vec![LooksAlike { observers, there: Lookalike::Run(trace.clone()) }];
        let witness = Witness { from: trace.choices.len(), trace, parts: Vec::new() };
        parts.push(WitnessPart { position: other.position, formula: other.formula, looks, witness });
    }
    let witness = Witness { trace: replayed(trace)?, from: 0, parts };
    let counterexample = Counterexample::confirm_look_alike(semantics, formula, &witness);
    let counterexample = counterexample.map_err(|why| CertificateError::NoEvidence(why.to_string()))?;
    Ok(Verdict::Violated(Box::new(counterexample)))
}

fn check_recurrent<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    document: &RecurrentDocument,
    solver: &dyn ScriptSolver,
) -> Result<Verdict<'s>, CertificateError> {
    let claim = document.claim(semantics, formula)?;
    match Counterexample::confirm_recurrent(semantics, formula, claim, solver) {
        Ok(counterexample) => Ok(Verdict::Violated(Box::new(counterexample))),
        Err(Refuted::Unknown(reason)) => Err(CertificateError::Unknown(reason.to_string())),
        Err(why) => Err(CertificateError::NoEvidence(why.to_string())),
    }
}
