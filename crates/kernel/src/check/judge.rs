//! From evidence to a verdict.

use super::branching::conditions::{ProofByConditions, Unfounded};
use super::branching::{self, Unlabelled};
use super::certificate::{Certificate, NoCertificate};
use super::diagrams;
use super::explicit::{self, Unproved};
use super::invariant::NoProof;
use super::sizes::{NotUniform, Uniform};
use super::solver::ScriptSolver;
use super::{Counterexample, Proof, ProofBy, Refuted, Verdict};
use crate::claim::Evidence;
use crate::limits::{Limits, Reason};
use crate::model::Formula;
use crate::model::eval::Semantics;
use std::fmt;

/// The means of a check.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// A solver, for evidence that needs one.
    pub solver: &'a dyn ScriptSolver,
    /// The number of threads at most.
    pub threads: usize,
    /// About how many bytes decision diagrams may take.
    pub memory: usize,
}

impl<'a> Means<'a> {
    /// One thread, and the usual memory.
    pub fn of(solver: &'a dyn ScriptSolver) -> Means<'a> {
        Means { solver, threads: 1, memory: diagrams::MEMORY }
    }
}

/// Why evidence is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It does not fit the model and the spec.
    Unfit(String),
    /// It proves nothing.
    Wrong(String),
    /// It is not known whether it does.
    Unknown(Reason),
}

impl Refused {
    /// Evidence of this kind is about other specs, or other verdicts.
    pub(crate) fn other_kind() -> Refused {
        Refused::Unfit("evidence of this kind cannot prove the verdict".to_owned())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refused::Unfit(why) | Refused::Wrong(why) => f.write_str(why),
            Refused::Unknown(reason) => write!(f, "the evidence could not be checked: {reason}"),
        }
    }
}

impl std::error::Error for Refused {}

/// Makes the verdict on a spec of the model: that it holds, or that it is violated.
pub fn judge<'s>(
    semantics: &'s Semantics<'s>,
    spec: usize,
    evidence: Evidence,
    means: Means,
) -> Result<Verdict<'s>, Refused> {
    let verdict = Limits::default().within(|| verdict(semantics, spec, evidence, means));
    verdict.unwrap_or_else(|exceeded| Err(Refused::Unknown(exceeded.into())))
}

fn verdict<'s>(
    semantics: &'s Semantics<'s>,
    spec: usize,
    evidence: Evidence,
    means: Means,
) -> Result<Verdict<'s>, Refused> {
    let formula = &semantics.model().specs[spec].formula;
    let counterexample = match (formula.is_branching(), evidence) {
        (false, Evidence::Run(trace)) => Counterexample::confirm(semantics, formula, &trace)?,
        (false, Evidence::Recurrent(run)) => Counterexample::confirm_recurrent(semantics, formula, *run, means.solver)?,
        (true, Evidence::LabelledRun(labelling, witness)) => {
            Counterexample::confirm_branching(semantics, formula, labelling, &witness)?
        }
        (true, Evidence::SymbolicRun(sets, witness)) => {
            Counterexample::confirm_symbolic(semantics, formula, sets, &witness, means.memory)?
        }
        (true, Evidence::LookAlike(witness)) => Counterexample::confirm_look_alike(semantics, formula, &witness)?,
        (_, evidence) => return Ok(Verdict::Holds(Proof { by: proof(semantics, spec, formula, evidence, means)? })),
    };
    Ok(Verdict::Violated(Box::new(counterexample)))
}

fn proof(
    semantics: &Semantics,
    spec: usize,
    formula: &Formula,
    evidence: Evidence,
    means: Means,
) -> Result<ProofBy, Refused> {
    let Means { solver, threads, memory } = means;
    Ok(match (formula.is_branching(), evidence) {
        (_, Evidence::Diagrams(sets)) => ProofBy::Diagrams(diagrams::confirm(semantics, formula, sets, memory)?),
        (false, Evidence::Invariants(claims)) => {
            ProofBy::Invariants(Box::new(Certificate::confirm(semantics.model(), spec, &claims, solver)?))
        }
        (false, Evidence::Exploration(certificate)) => {
            ProofBy::Exploration(explicit::confirm(semantics, formula, certificate, threads)?)
        }
        (false, Evidence::Uniform(claim)) => {
            ProofBy::Uniform(Box::new(Uniform::confirm(semantics.model(), spec, &claim, solver)?))
        }
        (true, Evidence::Labels(labelling)) => ProofBy::Labels(branching::confirm(semantics, formula, labelling)?),
        (true, Evidence::Conditions { conditions, parts }) => ProofBy::Conditions(Box::new(
            ProofByConditions::confirm(semantics.model(), spec, conditions, parts, means)?,
        )),
        _ => return Err(Refused::other_kind()),
    })
}

impl From<Unproved> for Refused {
    fn from(why: Unproved) -> Refused {
        Refused::Wrong(why.to_string())
    }
}

impl From<Unlabelled> for Refused {
    fn from(why: Unlabelled) -> Refused {
        match why {
            Unlabelled::Unfit(why) => Refused::Unfit(why.to_string()),
            other => Refused::Wrong(other.to_string()),
        }
    }
}

impl From<Refuted> for Refused {
    fn from(why: Refuted) -> Refused {
        match why {
            Refuted::Labels(why) => why.into(),
            Refuted::Unknown(reason) => Refused::Unknown(reason),
            other => Refused::Wrong(other.to_string()),
        }
    }
}

impl From<NoCertificate> for Refused {
    fn from(why: NoCertificate) -> Refused {
        match why {
            NoCertificate::NoProof(NoProof::Unknown(reason)) => Refused::Unknown(reason),
            NoCertificate::NoProof(why) => Refused::Wrong(why.to_string()),
            other => Refused::Unfit(other.to_string()),
        }
    }
}

impl From<NotUniform> for Refused {
    fn from(why: NotUniform) -> Refused {
        match why {
            NotUniform::NoProof(_, NoProof::Unknown(reason)) => Refused::Unknown(reason),
            NotUniform::NoProof(..) | NotUniform::NoProgress(..) => Refused::Wrong(why.to_string()),
            other => Refused::Unfit(other.to_string()),
        }
    }
}

impl From<Unfounded> for Refused {
    fn from(why: Unfounded) -> Refused {
        Refused::Unfit(why.to_string())
    }
}
