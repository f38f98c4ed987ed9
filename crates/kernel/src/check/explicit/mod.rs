//! Confirms that an exploration was complete.
//!
//! The evidence ([`ExplicitCertificate`]) is, per conjunct of the spec, a set of members (s, r, Q): a
//! state, the receives of the step to it, and obligations: subformulas that have to be true, or false,
//! from here on. Each member has a rank. Ranks may consist of parts, and these of parts again. The reason of a rank
//! says why no run stays in it for ever: an eventuality is pending on each step inside; or no step inside answers some
//! *conditions*. A condition is a subformula which says that something happens again and again, if something else does
//! (`recurrence`), and which is true where the conjunct is false: so it is true from any position on. The check
//! confirms:
//!
//! 1. each initial state, without receives and with obligations that the falsity of the conjunct
//!    implies, is a member;
//! 2. for each step from a member's state, and each way to meet its obligations there (`tableau`), some
//!    member has the state and the receives that the step leads to, obligations that are implied by
//!    those that remain, and no greater rank; and if the rank is the same, its eventuality is pending; or the step answers
//!    none of its conditions, and either requests one of them, or the same is true of the parts of the rank to which the two
//!    members belong.
//!
//! So no run violates the conjunct: on such a run there is a way to meet all obligations for ever that
//! leaves no eventuality pending for ever. By 1 and 2 members go along with it, with fewer obligations and a
//! subset of what is pending. Their ranks never increase, so they stay the same at last. If one eventuality is pending on
//! every step from there on, that is a contradiction. If some conditions are never answered, they are requested finitely often;
//! from then on the parts of the rank never increase, and the same is true of them. Ranks are nested finitely deep.
//!
//! States are compared on what influences runs and spec ([`Influence`]): states that agree on that have
//! the same continuations, choice by choice.
//!
//! With symmetries the state that a step leads to need only be the image of a member's. It is checked that
//!
//! 3. each generator changes the model into itself (`symmetry`), leaves what influences runs, every atom of the
//!    obligations, and who received as they are, and exchanges the conditions with each other, so that it maps each run to one with
//!    the same obligations, and conditions that are true as well; and what is said
//!    to be the image of a member is, generator by generator. Where the rank stays the same, the conditions
//!    of its reason have been exchanged on the way as the generators do: so they are the same conditions of the run;
//! 4. if a conjunct is said to be the image of another, a symmetry of the model makes the other this one: so
//!    whatever run violates this one is the image of a run that violates the other.
//!
//! A run then goes along with members image by image: if s is the state of the run, g s that of the member, and
//! the run goes on to t, there is a step from g s to g t, and the next member has a state h g t.
//!
//! Obligations are unfolded formula by formula, by code that the search does not have. Steps come from the concrete
//! semantics, by tables ([`crate::model::eval::tables`]) that are filled again, and compared with it at some states. Both
//! use how orbits are walked down ([`crate::claim::symmetry::descend`]), the definition of conjuncts, in which formulas about one moment are joined ([`Formula::parts`]),
//! the numbering of subformulas ([`crate::model::subformulas::subformulas`]), and the meaning of operators in terms of
//! `X`, `U` and `R` ([`crate::model::normal`]).

pub(super) mod graph;
mod normal;
pub(super) mod part;
mod recurrence;
pub(super) mod symmetry;
pub mod tableau;
mod witnesses;

use crate::check::Refused;
use crate::claim::explicit::{ClosedSet, ExplicitCertificate, PartCertificate};
use crate::claim::symmetry::Renaming;
use crate::limits::{join, spawn};
use crate::model::eval::tables::{Facts, Starts};
use crate::model::eval::{Influence, Semantics};
use crate::model::{Formula, Model};
use graph::{GraphCheck, Symmetric};
use part::{PartCheck, add_facts};
use std::ops::Range;
use std::sync::Arc;
use std::thread;
use symmetry::Symmetry;

/// A spec of which all runs were visited, and which holds on all of them. There is no other way to make
/// one than [`confirm`].
#[derive(Clone, Debug, PartialEq)]
pub struct ProofByExploration {
    states: usize,
    members: usize,
    symmetric: bool,
    certificate: Arc<ExplicitCertificate>,
}

impl ProofByExploration {
    /// The number of states of the model, as far as they differ in what matters; where conjuncts were
    /// explored apart, of all explorations together.
    pub fn states(&self) -> usize {
        self.states
    }

    /// True if some of them stand for others that are alike up to a symmetry.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// The number of pairs of states and obligations.
    pub fn members(&self) -> usize {
        self.members
    }

    /// The certificate that was checked.
    pub fn certificate(&self) -> &Arc<ExplicitCertificate> {
        &self.certificate
    }
}

/// The fewest members that are worth a thread.
const WORTH: u32 = 1 << 12;

/// Checks that the certificate proves that every run satisfies the formula, with so many threads at most.
pub fn confirm(
    semantics: &Semantics,
    formula: &Formula,
    certificate: Arc<ExplicitCertificate>,
    threads: usize,
) -> Result<ProofByExploration, Refused> {
    let conjuncts = formula.parts();
    if conjuncts.len() != certificate.parts.len() {
        return Err(Refused::malformed("another number of conjuncts"));
    }
    let model = semantics.model();
    let influence = Influence::of(model, formula);
    let symmetric = certificate.graphs.iter().map(|graph| Symmetric::new(semantics, &influence, graph));
    let symmetric = symmetric.collect::<Result<Vec<_>, _>>()?;
    let mut by_graph: Vec<Vec<(usize, &ClosedSet)>> = symmetric.iter().map(|_| Vec::new()).collect();
    for (index, (conjunct, part)) in conjuncts.iter().zip(&certificate.parts).enumerate() {
        match part {
            PartCertificate::Closed(set) => {
                let known = || Refused::malformed("a graph is missing");
                symmetric.get(set.graph as usize).ok_or_else(known)?.check_facts(index, conjunct, set)?;
                by_graph[set.graph as usize].push((index, set));
            }
            PartCertificate::Image { of, by } => {
                check_image(model, &conjuncts, &certificate.parts, *of as usize, by, index)?;
            }
        }
    }
    for (symmetric, sets) in symmetric.iter().zip(&by_graph) {
        let mut facts = Facts::default();
        sets.iter().for_each(|(index, _)| add_facts(&mut facts, model, &conjuncts[*index]));
        let part = |(index, set)| PartCheck::new(model, &conjuncts[index], &facts, set, index, symmetric);
        let checks = sets.iter().copied().map(part).collect::<Result<Vec<_>, _>>()?;
        if checks.is_empty() {
            continue;
        }
        // Without initial values there is no run.
        let Some(starts) = Starts::of(semantics).map_err(Refused::not_enumerable)? else { continue };
        let graph = || GraphCheck::new(semantics, &influence, &facts, symmetric, &starts);
        let mut first = graph()?;
        for (mut check, of) in checks.into_iter().zip(sets.iter().copied()) {
            let (_, set) = of;
            check.check_initial(&first)?;
            let ranges = ranges(set.members.len() as u32, threads);
            let Some((last, others)) = ranges.split_last() else { continue };
            thread::scope(|scope| {
                // Tables are cheap to make again, and nothing is shared.
                let other = |range: &Range<u32>| {
                    let range = range.clone();
                    spawn(scope, || part(of)?.check_members(&mut graph()?, range))
                };
                let others: Vec<_> = others.iter().map(other).collect();
                let mine = check.check_members(&mut first, last.clone());
                // All are joined, also behind an error: one may have run into a limit.
                let others: Vec<Result<(), Refused>> = others.into_iter().map(join).collect();
                others.into_iter().chain([mine]).collect::<Result<(), Refused>>()
            })?;
        }
    }
    let is_symmetric = certificate.graphs.iter().any(|graph| !graph.generators.is_empty())
        || certificate.parts.iter().any(|part| matches!(part, PartCertificate::Image { .. }));
    let (states, members) = (certificate.states(), certificate.members());
    Ok(ProofByExploration { states, members, symmetric: is_symmetric, certificate })
}

/// Members in as many parts as there are threads, if they are worth that.
fn ranges(members: u32, threads: usize) -> Vec<Range<u32>> {
    let parts = (members / WORTH).clamp(1, threads.max(1) as u32);
    let bound = |part: u32| (u64::from(members) * u64::from(part) / u64::from(parts)) as u32;
    (0..parts).map(|part| bound(part)..bound(part + 1)).collect()
}

/// That a symmetry makes a conjunct with evidence of its own this one.
fn check_image(
    model: &Model,
    conjuncts: &[Formula],
    parts: &[PartCertificate],
    of: usize,
    by: &Renaming,
    index: usize,
) -> Result<(), Refused> {
    if !matches!(parts.get(of), Some(PartCertificate::Closed(_))) {
        return Err(Refused::malformed("an image of nothing"));
    }
    let symmetry = Symmetry::check(model, by).map_err(Refused::no_symmetry)?;
    let maps = symmetry.maps(&conjuncts[of], &conjuncts[index]);
    maps.then_some(()).ok_or_else(|| Refused::no_symmetry(format_args!("conjunct {index} is not the image of {of}")))
}
