//! The only module that accepts evidence, of which verdicts consist.
//!
//! A claim of an engine becomes a verdict here, once its evidence was checked. A trace is replayed step by step on the
//! concrete semantics ([`crate::model::eval`]), and the spec is evaluated on the run; the certificate of an
//! exploration is checked on the concrete semantics as well ([`explicit`]). Both checks are independent of engines,
//! solver and transition system. The verdict `Violated` holds a [`Counterexample`], which cannot be made elsewhere. If
//! no state of a run recurs, a solver has to confirm that the run can go on for ever ([`recurrent`]); proofs by
//! invariants need a solver, too ([`certificate`]). Both are about the lowered model, and so are sets of states
//! ([`diagrams`]), which need none.
//!
//! The evidence in [`Verdict::Violated`] and [`Verdict::Holds`] can be made here only: a [`Counterexample`] by its
//! functions `confirm..`, each of which replays a run; a [`Proof`] by [`judge()`] alone, which makes both verdicts from
//! [`Evidence`]. "No counterexample up to a depth" is a value of its
//! own, and nothing makes a proof of it. Evidence that is refused is an error of the tool, never a verdict.

pub mod branching;
pub mod certificate;
pub mod diagrams;
pub mod explicit;
pub mod horn;
pub mod invariant;
mod judge;
pub mod queries;
pub mod recurrent;
mod refused;
pub mod sizes;
pub mod solver;
pub mod strategies;
mod typed;

pub use judge::{Means, judge, judge_labelled};
pub use refused::Refused;

use crate::claim::branching::{Labelling, Witness};
use crate::claim::diagrams::Diagrams;
use crate::claim::{Evidence, PartClaim, Trace};
use crate::limits::Reason;
use crate::model::eval::{Explanation, Influence, Run, Semantics};
use crate::model::{Formula, Model};
use branching::conditions::ProofByConditions;
use branching::{ProofByLabels, ShownPart, ShownRun};
use certificate::Certificate;
use diagrams::ProofByDiagrams;
use explicit::ProofByExploration;
use recurrent::Recurrence;
use sizes::Uniform;
use std::sync::Arc;
use strategies::{Answers, ProofByStrategies};

/// The verdict on a spec.
#[derive(Debug)]
pub enum Verdict<'s> {
    /// It holds on all runs.
    Holds(Proof),
    /// It is violated.
    Violated(Box<Counterexample<'s>>),
    /// Runs of up to that many steps never show a violation, and, unless it is a safety property, no run that loops
    /// back after them violates it. Longer runs may.
    NoCounterexample {
        /// The bound.
        depth: usize,
    },
    /// The search stopped early.
    Unknown {
        /// No run with up to that many steps violates it.
        clear: Option<usize>,
        /// Why the search stopped.
        reason: Reason,
    },
}

impl Verdict<'_> {
    /// The evidence that it holds, if it does.
    pub fn holds_by(&self) -> Option<&ProofBy> {
        match self {
            Verdict::Holds(proof) => Some(&proof.by),
            Verdict::Violated(_) | Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => None,
        }
    }

    /// True if it rests on a strategy for all sizes.
    pub fn has_strategy_for_all_sizes(&self) -> bool {
        matches!(self.holds_by(), Some(ProofBy::Uniform(uniform)) if uniform.is_strategic())
    }

    /// The strategies of groups, if the spec is about them and decided.
    pub fn strategies(&self) -> Option<&Answers> {
        match (self, self.holds_by()) {
            (Verdict::Violated(counterexample), _) => counterexample.strategies(),
            (_, Some(ProofBy::Strategies(proof))) => Some(proof.answers()),
            _ => None,
        }
    }

    /// The model that the evidence is about: of a scheme, the instance that violates the spec; or the scheme of which the
    /// model is an instance.
    pub fn model<'a>(&'a self, asked: &'a Model) -> &'a Model {
        match self {
            Verdict::Violated(counterexample) => counterexample.run().semantics().model(),
            _ => match self.holds_by() {
                Some(ProofBy::Uniform(uniform)) => uniform.model(),
                _ => asked,
            },
        }
    }
}

/// Why a spec holds, checked. There is no way to make one but [`judge`].
#[derive(Debug)]
pub struct Proof {
    by: ProofBy,
}

impl Proof {
    /// The evidence that was checked.
    pub fn by(&self) -> &ProofBy {
        &self.by
    }

    /// The same as a claim.
    pub fn evidence(&self) -> Evidence {
        match &self.by {
            ProofBy::Invariants(certificate) => {
                Evidence::Invariants(certificate.parts().iter().map(PartClaim::from).collect())
            }
            ProofBy::Exploration(proof) => Evidence::Exploration(Arc::clone(proof.certificate())),
            ProofBy::Labels(proof) => Evidence::Labels(Arc::clone(proof.labelling())),
            ProofBy::Diagrams(proof) => Evidence::Diagrams(Arc::clone(proof.evidence())),
            ProofBy::Conditions(proof) => Evidence::Conditions {
                conditions: proof.conditions().map(|(_, condition)| condition.clone()).collect(),
                parts: proof.proofs().iter().map(Proof::evidence).collect(),
            },
            ProofBy::Strategies(proof) => Evidence::Strategies(Box::new(proof.answers.claim(proof.rest.evidence()))),
            ProofBy::Uniform(uniform) => Evidence::Uniform(Box::new(uniform.claim().clone())),
        }
    }
}

/// The kinds of evidence that a spec holds.
#[derive(Debug)]
pub enum ProofBy {
    /// An inductive invariant per conjunct.
    Invariants(Box<Certificate>),
    /// All runs were visited.
    Exploration(ProofByExploration),
    /// Labels of all reachable states.
    Labels(ProofByLabels),
    /// Sets of all reachable states.
    Diagrams(ProofByDiagrams),
    /// Conditions of what is known, and proofs for them.
    Conditions(Box<ProofByConditions>),
    /// Strategies of groups.
    Strategies(Box<ProofByStrategies>),
    /// Clauses that are invariants for all sizes.
    Uniform(Box<Uniform>),
}

/// A run that was replayed and on which the spec is false, together with how it goes on.
#[derive(Debug)]
pub struct Counterexample<'s> {
    run: Run<'s>,
    /// Why the run can go on for ever where no state of it recurs.
    recurrence: Option<Recurrence>,
    explanation: Explanation,
    /// The evidence for the truth of branching formulas on it.
    branching: Vec<ShownPart<'s>>,
    shown_by: ShownBy,
    /// The strategies of groups, if the spec is about them.
    strategies: Option<Box<Answers>>,
}

/// The kind of evidence for the truth of branching formulas on the run of a counterexample.
#[derive(Clone, Debug, PartialEq)]
pub enum ShownBy {
    /// Nothing else: there are no such formulas.
    Run,
    /// Labels of all states that were explored.
    Labels(Arc<Labelling>),
    /// Runs alone.
    Runs,
    /// Labels of sets of states.
    Diagrams(Arc<Diagrams>),
}

/// How the run of a counterexample goes on after its last state.
#[derive(Clone, Copy, Debug)]
pub enum Ending<'c> {
    /// Somehow: what was seen violates the spec.
    Prefix,
    /// A loop that begins at this position.
    Lasso(usize),
    /// It repeats its last steps with other values.
    Recurrent(&'c Recurrence),
}

impl Ending<'_> {
    /// The start of the part that repeats for ever, if one does.
    pub fn repeats_from(&self) -> Option<usize> {
        match self {
            Ending::Prefix => None,
            Ending::Lasso(start) => Some(*start),
            Ending::Recurrent(recurrence) => Some(recurrence.start()),
        }
    }
}

impl<'s> Counterexample<'s> {
    /// Replays a trace and evaluates the formula on it.
    pub fn confirm(
        semantics: &'s Semantics<'s>,
        formula: &Formula,
        trace: &Trace,
    ) -> Result<Counterexample<'s>, Refused> {
        let influence = Influence::of(semantics.model(), formula);
        let run = replay(semantics, trace, trace.loop_start, &influence)?;
        match run.explain(formula) {
            Some(explanation) => Ok(Counterexample::of_run(run, explanation, None)),
            None => Err(Refused::not_false(run.evaluate(formula))),
        }
    }

    /// By a run that labels of states explain.
    fn labelled(shown: ShownRun<'s>, labelling: Arc<Labelling>) -> Self {
        Counterexample::of_shown(shown, ShownBy::Labels(labelling))
    }

    /// By a run alone.
    fn of_run(run: Run<'s>, explanation: Explanation, recurrence: Option<Recurrence>) -> Self {
        let (branching, shown_by) = (Vec::new(), ShownBy::Run);
        Counterexample { run, recurrence, explanation, branching, shown_by, strategies: None }
    }

    /// By a run, and what shows the truth of branching formulas on it.
    fn of_shown(ShownRun { run, explanation, parts, .. }: ShownRun<'s>, shown_by: ShownBy) -> Self {
        Counterexample { branching: parts, shown_by, ..Counterexample::of_run(run, explanation, None) }
    }

    /// The same with labels of sets of states, with about so many bytes for these.
    pub fn confirm_symbolic(
        semantics: &'s Semantics<'s>,
        formula: &Formula,
        evidence: Arc<Diagrams>,
        witness: &Witness,
        memory: usize,
    ) -> Result<Counterexample<'s>, Refused> {
        let shown = diagrams::refute(semantics, formula, &evidence, witness, memory)?;
        Ok(Counterexample::of_shown(shown, ShownBy::Diagrams(evidence)))
    }

    /// The same where runs alone show it, without labels.
    pub fn confirm_look_alike(
        semantics: &'s Semantics<'s>,
        formula: &Formula,
        witness: &Witness,
    ) -> Result<Counterexample<'s>, Refused> {
        Ok(Counterexample::of_shown(branching::refute_by_runs(semantics, formula, witness)?, ShownBy::Runs))
    }

    /// Given these strategies, the rest of the spec is false on it.
    fn because_of(self, answers: Answers) -> Self {
        Counterexample { strategies: Some(Box::new(answers)), ..self }
    }

    /// The strategies of groups, if the spec is about them.
    pub fn strategies(&self) -> Option<&Answers> {
        self.strategies.as_deref()
    }

    /// The same as a claim, unless runs alone show the truth of branching formulas, or no state recurs.
    pub fn evidence(&self) -> Option<Evidence> {
        let witness = || Box::new(Witness { trace: self.run.trace(), from: 0, parts: Vec::new() });
        match (&self.shown_by, &self.recurrence, &self.strategies) {
            (ShownBy::Run, None, None) => Some(Evidence::Run(self.run.trace())),
            (ShownBy::Labels(labels), None, None) => Some(Evidence::LabelledRun(labels.clone(), witness())),
            (ShownBy::Diagrams(sets), None, None) => Some(Evidence::SymbolicRun(sets.clone(), witness())),
            _ => None,
        }
    }

    /// The kind of evidence for the truth of branching formulas on the run.
    pub fn shown_by(&self) -> &ShownBy {
        &self.shown_by
    }

    /// The evidence for the truth of branching formulas on the run.
    pub fn branching(&self) -> &[ShownPart<'s>] {
        &self.branching
    }

    /// The start of the part that repeats for ever, if one does.
    pub fn repeats_from(&self) -> Option<usize> {
        self.ending().repeats_from()
    }

    /// How the run goes on.
    pub fn ending(&self) -> Ending<'_> {
        match (&self.recurrence, self.run.loop_start()) {
            (Some(recurrence), _) => Ending::Recurrent(recurrence),
            (None, Some(start)) => Ending::Lasso(start),
            (None, None) => Ending::Prefix,
        }
    }

    /// The run, up to where it loops or repeats.
    pub fn run(&self) -> &Run<'s> {
        &self.run
    }

    /// Why the spec is false on it.
    pub fn explanation(&self) -> &Explanation {
        &self.explanation
    }
}

fn replay<'s>(
    semantics: &'s Semantics<'s>,
    trace: &Trace,
    loop_start: Option<usize>,
    influence: &Influence,
) -> Result<Run<'s>, Refused> {
    let initial = semantics.state_from(&trace.initial);
    let initial =
        initial.map_err(|error| Refused::wrong(format_args!("the counterexample starts nowhere: {error}")))?;
    Run::replay(semantics, initial, &trace.choices, loop_start, influence).map_err(|error| {
        Refused::wrong(format_args!("the counterexample is no run: {}", error.describe(semantics.model())))
    })
}
