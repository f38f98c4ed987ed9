//! The conjuncts of a spec, on which several provers work at the same time, each in its own way. The first proof of a conjunct is
//! that of all; the others go on to the next one. With a proof of each of them the spec may be decided, but a check of the claims can
//! take long: until it ends, the other provers go on with the conjunct that was proved last, and their proofs are checked as well.
//!
//! Where a symmetry makes an earlier conjunct the next one, the claim is the image of the earlier claim ([`crate::engine::images`]),
//! and is checked like any other.

use super::Engine;
use super::conjunct::{AskedConjunct, PartAnswer};
use super::race::Contradiction;
use crate::claim::{PartClaim, Trace};
use crate::engine::images::{Image, image, images};
use crate::limits::{Budget, Reason, Stop, lock, within};
use crate::model::{Formula, Model, Spec};
use crate::smt::with_context;
use crate::ts::system::System;
use std::sync::{Mutex, OnceLock};
use tracing::{info, info_span};

/// See the module.
pub struct Board<'a> {
    model: &'a Model,
    system: &'a System,
    conjuncts: Vec<Conjunct<'a>>,
    /// For each conjunct an earlier one that a symmetry makes it, once it was asked for.
    images: OnceLock<Vec<Option<Image>>>,
}

struct Conjunct<'a> {
    formula: Formula,
    is_safety: bool,
    /// Set once it is proved, unless it is the last one, or refuted.
    closed: Stop<'a>,
    /// The latest proof, and whose it is; none for an image.
    proof: Mutex<Option<(Box<PartClaim>, Option<Engine>)>>,
}

/// How the work of a prover on all conjuncts ends.
pub enum BoardEnd {
    /// With a proof by this one, each has a proof.
    Proved,
    Refuted(Option<Trace>, Engine),
    Contradiction(Contradiction),
    /// It does not know some of them, for a reason, or others have closed all.
    Unknown(Reason),
}

impl<'a> Board<'a> {
    /// None is proved. For each it is known whether it is a safety property.
    pub fn new(model: &'a Model, base: &'a System, spec: &Spec, safety: &[bool], stop: &'a Stop<'a>) -> Board<'a> {
        let conjunct =
            |(formula, &is_safety)| Conjunct { formula, is_safety, closed: Stop::under(stop), proof: Mutex::new(None) };
        let conjuncts = spec.formula.conjuncts().into_iter().zip(safety).map(conjunct).collect();
        Board { model, system: base, conjuncts, images: OnceLock::new() }
    }

    /// Works on the conjuncts that are not proved, one after the other, in a way that is told when to stop; it suits safety, or
    /// others, or both.
    pub fn work(
        &self,
        suits: impl Fn(bool) -> bool,
        budget: Budget,
        way: impl Fn(AskedConjunct, &Stop) -> Result<PartAnswer, Contradiction> + Send + Sync,
    ) -> BoardEnd {
        let mut gave_up = None;
        for (index, conjunct) in self.conjuncts.iter().enumerate() {
            let closed = &conjunct.closed;
            if closed.is_set() || !suits(conjunct.is_safety) {
                continue;
            }
            let _logged = info_span!("conjunct", name = %format_args!("conjunct {}", index + 1)).entered();
            let asked = (self.system, &conjunct.formula);
            let answer = match within(budget, closed, || self.image(index)) {
                Ok(Some(claim)) => {
                    info!("the image of another conjunct");
                    if self.close(index, Box::new(claim), None) {
                        return BoardEnd::Proved;
                    }
                    continue;
                }
                Ok(None) => within(budget, closed, || with_context(closed, || way(asked, closed))),
                Err(exceeded) => Err(exceeded),
            };
            match answer.unwrap_or_else(|reason| Ok(PartAnswer::Unknown(reason))) {
                Ok(PartAnswer::Proved(claim, engine)) => {
                    if self.close(index, claim, Some(engine)) {
                        return BoardEnd::Proved;
                    }
                }
                Ok(PartAnswer::Refuted(trace, engine)) => {
                    let proof = lock(&conjunct.proof);
                    conjunct.closed.set();
                    return match &*proof {
                        Some((_, Some(prover))) => BoardEnd::Contradiction(Contradiction(*prover, engine)),
                        _ => BoardEnd::Refuted(trace, engine),
                    };
                }
                Ok(PartAnswer::Unknown(reason)) if !closed.is_set() => gave_up = gave_up.or(Some(reason)),
                Ok(PartAnswer::Unknown(_)) => {}
                Err(contradiction) => return BoardEnd::Contradiction(contradiction),
            }
        }
        BoardEnd::Unknown(gave_up.unwrap_or(Reason::Interrupted))
    }

    /// Notes a proof; true if each of them has one.
    fn close(&self, index: usize, claim: Box<PartClaim>, engine: Option<Engine>) -> bool {
        let Conjunct { closed, proof, .. } = &self.conjuncts[index];
        let mut proof = lock(proof);
        if closed.is_set() {
            return false;
        }
        *proof = Some((claim, engine));
        drop(proof);
        let are_proved = self.conjuncts.iter().all(|conjunct| lock(&conjunct.proof).is_some());
        if !are_proved {
            closed.set();
        }
        are_proved
    }

    /// The proofs of all conjuncts, and the engines that found them.
    pub fn proofs(&self) -> (Vec<PartClaim>, Vec<Engine>) {
        let mut engines = Vec::new();
        let take = |conjunct: &Conjunct| {
            let proof = lock(&conjunct.proof);
            let (claim, engine) = proof.as_ref().expect("all are proved");
            engines.extend(engine.filter(|engine| !engines.contains(engine)));
            (**claim).clone()
        };
        (self.conjuncts.iter().map(take).collect(), engines)
    }

    /// Why a conjunct holds, if a symmetry makes one that is proved this one.
    fn image(&self, index: usize) -> Option<PartClaim> {
        if index == 0 {
            return None;
        }
        let formulas = || self.conjuncts.iter().map(|conjunct| conjunct.formula.clone()).collect::<Vec<_>>();
        let found = self.images.get_or_init(|| images(self.model, &formulas()))[index].as_ref()?;
        let original = &self.conjuncts[found.of];
        let proof = lock(&original.proof);
        let (claim, _) = proof.as_ref()?;
        image(self.model, self.system, (&original.formula, claim), &self.conjuncts[index].formula, found)
    }
}
