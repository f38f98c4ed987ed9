//! Vacuity: specs that hold only because their conditions never come true.

use super::companions::Companions;
use super::durations;
use super::{Engine, InternalError, Limits, Subject, remarks};
use crate::check::{Proof, ProofBy, Verdict};
use crate::engine::images::images;
use crate::limits::lock;
use crate::model::{Formula, Model, Spec};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// How many conditions of a spec are looked at.
const MOST: usize = 16;

/// Per spec of some the questions that [`Subject::idle_triggers`] asks, as specs, each once.
pub fn vacuity_questions(model: &Model, specs: &[usize]) -> Vec<Spec> {
    let mut list: Vec<Spec> = Vec::new();
    let mut known = FxHashSet::default();
    for &spec in specs {
        for (_, never) in questions(model, spec) {
            if known.insert(never.clone()) {
                list.push(Spec { formula: never, under: None, name: None, text: None, ..model.specs[spec].clone() });
            }
        }
    }
    list
}

/// Conditions of a spec, each with the formula that it is never true.
fn questions(model: &Model, spec: usize) -> Vec<(Formula, Formula)> {
    let original = &model.specs[spec];
    let is_doubtful = |assumed: &Formula| !assumed.is_fairness(model);
    let assumed = original.assumed().filter(is_doubtful);
    let assumed = assumed.map(|assumed| (assumed.clone(), assumed.negated()));
    let triggers = original.claimed().triggers().into_iter().map(|trigger| (trigger.clone(), trigger.never()));
    assumed.into_iter().chain(triggers).take(MOST).collect()
}

impl Subject<'_> {
    /// Conditions of a spec ([`Formula::triggers`]) of which was proved, with evidence as for any verdict, that
    /// they are never true on any run. The spec holds because of the proof, which says which engines are worth
    /// asking: if all runs were visited, they can be visited again. A question is left out if it is not decided soon, beside the time that
    /// the proof took, or not decided because claims were refused. The condition `true` alone: there is no initial state. The
    /// first one may be that the assumptions of the spec are true. Nothing is found out about questions that are not among the specs
    /// ([`vacuity_questions`]).
    pub fn idle_triggers<'s>(
        &'s self,
        companions: &Companions<'s>,
        spec: usize,
        (proof, took): (&Proof, Duration),
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Vec<Formula>, InternalError> {
        let no_start = match proof.by() {
            // Of a spec that is true as it stands no state is visited.
            ProofBy::Exploration(proof) => proof.states() == 0 && self.has_no_start(),
            ProofBy::Labels(proof) => proof.states() == 0 && self.has_no_start(),
            ProofBy::Diagrams(proof) => proof.states() == "0" && self.has_no_start(),
            ProofBy::Invariants(_) | ProofBy::Conditions(_) | ProofBy::Strategies(_) => self.has_no_start(),
            // Instances of other sizes may have an initial state.
            ProofBy::Uniform(_) => !remarks::errors(self.model()).is_empty(),
        };
        if no_start {
            return Ok(vec![Formula::TRUE]);
        }
        // A condition that is never true in instances of one size may be in others.
        if matches!(proof.by(), ProofBy::Uniform(_)) {
            return Ok(Vec::new());
        }
        let questions = questions(self.model(), spec);
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        let formulas: Vec<Formula> = questions.iter().map(|(_, never)| never.clone()).collect();
        // Formulas that are alike up to a symmetry are asked once.
        let alike = if formulas.len() > 1 { images(self.model(), &formulas) } else { vec![None] };
        let place = |formula: &Formula| {
            let hidden = &self.model().specs[self.hidden..];
            hidden.iter().position(|spec| spec.formula == *formula).map(|place| self.hidden + place)
        };
        let explored = matches!(proof.by(), ProofBy::Exploration(_) | ProofBy::Labels(_));
        let suits = |engine: &Engine| !explored || *engine == Engine::Explicit;
        let engines: Vec<Engine> = engines.iter().copied().filter(suits).collect();
        let most = (2 * took).clamp(durations::LEAST_FOR_VACUITY, durations::VACUITY);
        let mut idle: Vec<usize> = Vec::new();
        for (index, known) in alike.iter().enumerate() {
            if let Some(image) = known {
                idle.extend(idle.contains(&image.of).then_some(index));
                continue;
            }
            let Some(place) = place(&formulas[index]) else { continue };
            if self.is_idle(companions, place, most, &engines, limits)? {
                idle.push(index);
            }
        }
        Ok(idle.into_iter().map(|index| questions[index].0.clone()).collect())
    }

    /// True if a question is proved within so much time. It is asked again only with more time.
    fn is_idle<'s>(
        &'s self,
        companions: &Companions<'s>,
        question: usize,
        most: Duration,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<bool, InternalError> {
        match lock(&self.idle).get(&question) {
            Some(Ok(is_idle)) => return Ok(*is_idle),
            Some(Err(tried)) if *tried >= most => return Ok(false),
            _ => {}
        }
        let limits = Limits { budget: limits.budget.aside(most), ..limits.quiet() };
        let answer = match self.prove_among(companions, question, engines, &limits) {
            Ok(outcome) => match outcome.verdict {
                Verdict::Holds(_) => Ok(true),
                Verdict::Violated(_) => Ok(false),
                Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => Err(most),
            },
            Err(InternalError::Refused(_)) => Err(most),
            Err(contradiction) => return Err(contradiction),
        };
        lock(&self.idle).insert(question, answer);
        Ok(answer == Ok(true))
    }
}
