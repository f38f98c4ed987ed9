//! Vacuity: specs that hold only because their conditions never come true.

use super::companions::Companions;
use super::durations;
use super::{Engine, InternalError, Limits, Subject, remarks};
use crate::check::{Proof, ProofBy, Verdict};
use crate::engine::images::images;
use crate::model::{Formula, Spec};

/// How many conditions of a spec are looked at.
const MOST: usize = 16;

impl Subject<'_> {
    /// Conditions of a spec ([`Formula::triggers`]) of which was proved, with evidence as for any verdict, that
    /// they are never true on any run. The spec holds because of the proof, which says which engines are worth
    /// asking: if all runs were visited, they can be visited again. A question is left out if it is not decided soon, or
    /// not decided because claims were refused. The condition `true` alone: there is no initial state. The
    /// first one may be that the assumptions of the spec are true.
    pub fn idle_triggers(
        &self,
        spec: usize,
        proof: &Proof,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Vec<Formula>, InternalError> {
        let no_start = match proof.by() {
            // Of a spec that is true as it stands no state is visited.
            ProofBy::Exploration(proof) => proof.states() == 0 && self.has_no_start(),
            ProofBy::Labels(proof) => proof.states() == 0 && self.has_no_start(),
            ProofBy::Diagrams(proof) => proof.states() == "0" && self.has_no_start(),
            ProofBy::Invariants(_) | ProofBy::Conditions(_) => self.has_no_start(),
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
        let original = &self.model().specs[spec];
        let is_doubtful = |assumed: &Formula| !assumed.is_fairness(self.model());
        let assumed = original.assumed().filter(is_doubtful);
        let assumed = assumed.map(|assumed| (assumed.clone(), assumed.negated()));
        let triggers = original.claimed().triggers().into_iter().map(|trigger| (trigger.clone(), trigger.never()));
        let questions: Vec<(Formula, Formula)> = assumed.into_iter().chain(triggers).take(MOST).collect();
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        let asked = |(_, never): &(Formula, Formula)| Spec {
            formula: never.clone(),
            under: None,
            name: None,
            text: None,
            ..original.clone()
        };
        let specs = questions.iter().map(asked).collect();
        let model = self.model().with_specs(specs);
        let formulas: Vec<Formula> = questions.iter().map(|(_, never)| never.clone()).collect();
        // Formulas that are alike up to a symmetry are asked once.
        let alike = if formulas.len() > 1 { images(&model, &formulas) } else { vec![None] };
        let subject = self.with_specs_of(&model).without_shortening();
        let explored = matches!(proof.by(), ProofBy::Exploration(_) | ProofBy::Labels(_));
        let suits = |engine: &Engine| !explored || *engine == Engine::Explicit;
        let engines: Vec<Engine> = engines.iter().copied().filter(suits).collect();
        let no_images = alike.iter().enumerate().filter(|(_, image)| image.is_none());
        let companions = Companions::new(&no_images.map(|(index, _)| index).collect::<Vec<_>>());
        let mut idle: Vec<usize> = Vec::new();
        for (index, known) in alike.iter().enumerate() {
            if let Some(image) = known {
                idle.extend(idle.contains(&image.of).then_some(index));
                continue;
            }
            let budget = limits.budget.aside(durations::VACUITY);
            match subject.prove_among(&companions, index, &engines, &Limits { budget, ..limits.quiet() }) {
                Ok(outcome) if matches!(outcome.verdict, Verdict::Holds(_)) => idle.push(index),
                Ok(_) | Err(InternalError::Refused(_)) => {}
                Err(contradiction) => return Err(contradiction),
            }
        }
        Ok(idle.into_iter().map(|index| questions[index].0.clone()).collect())
    }
}
