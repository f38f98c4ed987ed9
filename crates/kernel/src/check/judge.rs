//! From evidence to a verdict.

use super::branching::conditions::ProofByConditions;
use super::branching::{self, Claimed, Decided};
use super::certificate::Certificate;
use super::diagrams;
use super::explicit;
use super::sizes::Uniform;
use super::solver::ScriptSolver;
use super::strategies::{Answers, ProofByStrategies};
use super::{Counterexample, Proof, ProofBy, Refused, Verdict};
use crate::claim::Evidence;
use crate::claim::strategies::StrategiesClaim;
use crate::limits::Limits;
use crate::model::Formula;
use crate::model::eval::Semantics;

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

/// As [`judge`], for evidence that labels the same states: these are looked at once.
pub fn judge_labelled<'s>(
    semantics: &'s Semantics<'s>,
    list: &[(usize, Evidence)],
) -> Vec<Result<Verdict<'s>, Refused>> {
    let formula = |spec: usize| &semantics.model().specs[spec].formula;
    let list: Vec<(&Formula, &Evidence)> = list.iter().map(|(spec, evidence)| (formula(*spec), evidence)).collect();
    let judged = Limits::default().within(|| labelled(semantics, &list));
    judged.unwrap_or_else(|exceeded| list.iter().map(|_| Err(Refused::Unknown(exceeded.into()))).collect())
}

fn labelled<'s>(semantics: &'s Semantics<'s>, list: &[(&Formula, &Evidence)]) -> Vec<Result<Verdict<'s>, Refused>> {
    fn claimed<'f>(formula: &'f Formula, evidence: &'f Evidence) -> Option<Claimed<'f>> {
        let (labelling, witness) = match evidence {
            Evidence::Labels(labelling) => (labelling.clone(), None),
            Evidence::LabelledRun(labelling, witness) => (labelling.clone(), Some(&**witness)),
            _ => return None,
        };
        (formula.is_branching() || witness.is_none()).then_some(Claimed { formula, labelling, witness })
    }
    let claims = list.iter().map(|(formula, evidence)| claimed(formula, evidence));
    let Some(claims) = claims.collect::<Option<Vec<Claimed>>>() else {
        return list.iter().map(|_| Err(Refused::other_kind())).collect();
    };
    let verdict = |(claim, decided): (&Claimed, Result<Decided<'s>, Refused>)| {
        Ok(match decided? {
            Decided::Holds(proof) => Verdict::Holds(Proof { by: ProofBy::Labels(proof) }),
            Decided::Violated(shown) => {
                Verdict::Violated(Box::new(Counterexample::labelled(*shown, claim.labelling.clone())))
            }
        })
    };
    claims.iter().zip(branching::decide(semantics, &claims)).map(verdict).collect()
}

fn verdict<'s>(
    semantics: &'s Semantics<'s>,
    spec: usize,
    evidence: Evidence,
    means: Means,
) -> Result<Verdict<'s>, Refused> {
    let formula = &semantics.model().specs[spec].formula;
    Ok(match evidence {
        Evidence::Strategies(claim) => {
            let StrategiesClaim { pieces, answers, rest } = *claim;
            let answers = Answers::confirm(semantics.model(), spec, pieces, answers, means)?;
            let remaining = &answers.rest().specs[0].formula;
            if let Some(violated) = refutation(semantics, remaining, &rest, means) {
                Verdict::Violated(Box::new(violated?.because_of(answers)))
            } else {
                let rested = Semantics::new(answers.rest());
                let Verdict::Holds(proof) = verdict(&rested, 0, rest, means)? else {
                    return Err(Refused::other_kind());
                };
                drop(rested);
                Verdict::Holds(Proof { by: ProofBy::Strategies(Box::new(ProofByStrategies { answers, rest: proof })) })
            }
        }
        evidence => match refutation(semantics, formula, &evidence, means) {
            Some(violated) => Verdict::Violated(Box::new(violated?)),
            None => Verdict::Holds(Proof { by: proof(semantics, spec, formula, evidence, means)? }),
        },
    })
}

/// The counterexample that evidence is; nothing if it is evidence of another kind.
fn refutation<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    evidence: &Evidence,
    means: Means,
) -> Option<Result<Counterexample<'s>, Refused>> {
    Some(match (formula.is_branching(), evidence) {
        (false, Evidence::Run(trace)) => Counterexample::confirm(semantics, formula, trace),
        (false, Evidence::Recurrent(run)) => {
            Counterexample::confirm_recurrent(semantics, formula, (**run).clone(), means.solver)
        }
        (true, Evidence::LabelledRun(..)) => {
            let mut verdicts = labelled(semantics, &[(formula, evidence)]);
            verdicts.remove(0).and_then(|verdict| match verdict {
                Verdict::Violated(counterexample) => Ok(*counterexample),
                _ => Err(Refused::other_kind()),
            })
        }
        (true, Evidence::SymbolicRun(sets, witness)) => {
            Counterexample::confirm_symbolic(semantics, formula, sets.clone(), witness, means.memory)
        }
        (true, Evidence::LookAlike(witness)) => Counterexample::confirm_look_alike(semantics, formula, witness),
        _ => return None,
    })
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
        (_, evidence @ Evidence::Labels(_)) => match labelled(semantics, &[(formula, &evidence)]).remove(0)? {
            Verdict::Holds(proof) => proof.by,
            _ => return Err(Refused::other_kind()),
        },
        (_, Evidence::Diagrams(sets)) => ProofBy::Diagrams(diagrams::confirm(semantics, formula, sets, memory)?),
        (false, Evidence::Invariants(claims)) => {
            ProofBy::Invariants(Box::new(Certificate::confirm(semantics.model(), spec, &claims, solver)?))
        }
        (false, Evidence::Exploration(certificate)) => {
            ProofBy::Exploration(explicit::confirm(semantics, formula, certificate, threads)?)
        }
        // Also of what groups can do, by a strategy for all sizes.
        (_, Evidence::Uniform(claim)) => {
            ProofBy::Uniform(Box::new(Uniform::confirm(semantics.model(), spec, &claim, solver)?))
        }
        (true, Evidence::Conditions { conditions, parts }) => ProofBy::Conditions(Box::new(
            ProofByConditions::confirm(semantics.model(), spec, conditions, parts, means)?,
        )),
        _ => return Err(Refused::other_kind()),
    })
}
