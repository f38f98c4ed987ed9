//! The conjuncts of a spec, proved one after the other. Where a symmetry makes an earlier conjunct the next one, the
//! claim is the image of the earlier claim ([`crate::engine::images`]), and is checked like any other.

use super::Engine;
use super::conjunct::{PartAnswer, Provers, ProversAnswer};
use super::race::Contradiction;
use crate::claim::PartClaim;
use crate::engine::images::{Image, image, images};
use crate::limits::Reason;
use crate::model::{Formula, Model, Spec};
use crate::product::negation::Negation;
use crate::ts::system::System;
use std::cell::OnceCell;
use tracing::{info, info_span};

/// The answer about a spec: an invariant per conjunct.
pub type Proving = ProversAnswer<Vec<PartClaim>, Vec<Engine>>;

/// The conjuncts of a spec, of which the first ones have been proved.
pub struct Conjuncts {
    system: System,
    formulas: Vec<Formula>,
    claims: Vec<PartClaim>,
    /// The engine that proved them.
    engines: Vec<Engine>,
    /// For each conjunct, true if it is a safety property.
    safety: Vec<bool>,
    /// For each conjunct an earlier one that a symmetry makes it, once it was asked for.
    images: OnceCell<Vec<Option<Image>>>,
}

impl Conjuncts {
    /// None is proved.
    pub fn new(base: &System, model: &Model, spec: &Spec) -> Conjuncts {
        let (system, formulas) = (base.clone(), spec.formula.conjuncts());
        let safety = Negation::endings(model, system.clone(), &formulas);
        Conjuncts { system, formulas, safety, claims: Vec::new(), engines: Vec::new(), images: OnceCell::new() }
    }

    /// True if all conjuncts are safety properties.
    pub fn are_safety(&self) -> bool {
        self.safety.iter().all(|is_safety| *is_safety)
    }

    /// Goes on to the first conjunct that is not proved, or that is liveness if only safety is asked for.
    pub fn go_on(&mut self, provers: &Provers, only_safety: bool) -> Result<Proving, Contradiction> {
        while let Some(formula) = self.formulas.get(self.claims.len()) {
            let number = self.claims.len() + 1;
            let _logged = info_span!("conjunct", name = %format_args!("conjunct {number}")).entered();
            if only_safety && !self.safety[self.claims.len()] {
                return Ok(Proving::Unknown(Reason::Interrupted));
            }
            if let Some(claim) = self.image(provers.model) {
                info!("the image of another conjunct");
                self.claims.push(claim);
                continue;
            }
            match provers.prove_part(&self.system, formula)? {
                PartAnswer::Proved(claim, engine) => {
                    self.claims.push(*claim);
                    if !self.engines.contains(&engine) {
                        self.engines.push(engine);
                    }
                }
                PartAnswer::Refuted(trace, engine) => return Ok(Proving::Refuted(trace, engine)),
                PartAnswer::Unknown(reason) => return Ok(Proving::Unknown(reason)),
            }
        }
        Ok(Proving::Proved(std::mem::take(&mut self.claims), std::mem::take(&mut self.engines)))
    }

    /// Why the next conjunct holds, if a symmetry makes one of those before it.
    fn image(&self, model: &Model) -> Option<PartClaim> {
        let number = self.claims.len();
        if number == 0 {
            return None;
        }
        let found = self.images.get_or_init(|| images(model, &self.formulas))[number].as_ref()?;
        image(model, &self.system, (&self.formulas[found.of], &self.claims[found.of]), &self.formulas[number], found)
    }
}
