//! Confirms that an exploration was complete.
//!
//! The evidence ([`ExplicitCertificate`]) is, per conjunct of the spec, a set of members (s, r, Q): a
//! state, the receives of the step to it, and obligations: subformulas that have to be true, or false,
//! from here on. Each member has a rank, and each rank may name an eventuality. What is checked:
//!
//! 1. each initial state, without receives and with obligations that the falsity of the conjunct
//!    implies, is a member;
//! 2. for each step from a member's state, and each way to meet its obligations there (`tableau`), some
//!    member has the state and the receives that the step leads to, obligations that are implied by
//!    those that remain, and no greater rank; and if the rank is the same, the rank's eventuality is put
//!    off.
//!
//! So no run violates the conjunct: on such a run there is a way to meet all obligations for ever that
//! puts no eventuality off for ever. By 1 and 2 members go along with it, with fewer obligations and a
//! subset of what is put off. Their ranks never increase, so they stay the same at last: from there on
//! one eventuality is put off on every step, a contradiction.
//!
//! States are compared on what influences runs and spec ([`Influence`]): states that agree on that have
//! the same continuations, choice by choice.
//!
//! With symmetries the state that a step leads to need only be the image of a member's. It is checked that
//!
//! 3. each generator changes the model into itself (`symmetry`), leaves what influences runs and every atom of
//!    the conjunct as they are, so that it maps each run to one with the same atoms all along; and what is said
//!    to be the image of a member is, generator by generator;
//! 4. if a conjunct is said to be the image of another, a symmetry of the model makes the other this one: so
//!    whatever run violates this one is the image of a run that violates the other.
//!
//! A run then goes along with members image by image: if s is the state of the run, g s that of the member, and
//! the run goes on to t, there is a step from g s to g t, and the next member has a state h g t.
//!
//! This shares no code with the search: steps come from the concrete semantics, and obligations are
//! unfolded formula by formula. What both use is the definition of conjuncts, in which what is said of one
//! moment is joined ([`Formula::parts`]), and the numbering of subformulas
//! ([`crate::claim::explicit::subformulas`]).

mod graph;
mod normal;
mod part;
mod symmetry;
pub mod tableau;

use crate::claim::explicit::{ExplicitCertificate, PartCertificate};
use crate::claim::symmetry::Renaming;
use crate::model::eval::{Influence, NotEnumerable, Semantics};
use crate::model::{Formula, Model};
use graph::GraphCheck;
use part::PartCheck;
use std::fmt;
use symmetry::Symmetry;

/// A spec of which all runs were visited, and which holds on all of them. There is no other way to make
/// one than [`confirm`].
#[derive(Clone, Debug, PartialEq)]
pub struct ProofByExploration {
    states: usize,
    members: usize,
    symmetric: bool,
    certificate: ExplicitCertificate,
}

impl ProofByExploration {
    /// The number of states of the model, as far as they differ in what matters; where conjuncts were
    /// explored apart, of all explorations together.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Whether some of them stand for others that are alike up to a symmetry.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// The number of pairs of states and obligations.
    pub fn members(&self) -> usize {
        self.members
    }

    /// What was checked.
    pub fn certificate(&self) -> &ExplicitCertificate {
        &self.certificate
    }
}

/// Why a certificate proves nothing: an internal error of the tool, never a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// It is not about this model and this spec.
    Malformed(String),
    /// The initial states cannot be listed.
    NotEnumerable(NotEnumerable),
    /// An initial state is missing for a conjunct.
    InitialMissing {
        /// The index of the conjunct.
        part: usize,
    },
    /// A step leads out of the set.
    NotClosed {
        /// The index of the conjunct.
        part: usize,
        /// The index of the member that the step leaves.
        member: usize,
    },
    /// A renaming is no symmetry of the model, or changes what it must not.
    NoSymmetry(String),
    /// A step increases the rank, or keeps it and does not put the rank's eventuality off.
    NotRanked {
        /// The index of the conjunct.
        part: usize,
        /// The index of the member that the step leaves.
        member: usize,
    },
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unproved::Malformed(what) => write!(f, "the certificate does not fit the model and the spec: {what}"),
            Unproved::NotEnumerable(reason) => write!(f, "the initial states cannot be listed: {reason}"),
            Unproved::InitialMissing { part } => write!(f, "conjunct {part}: an initial state is missing"),
            Unproved::NotClosed { part, member } => {
                write!(f, "conjunct {part}: a step from member {member} leads out of the set")
            }
            Unproved::NoSymmetry(why) => write!(f, "no symmetry: {why}"),
            Unproved::NotRanked { part, member } => {
                write!(f, "conjunct {part}: a step from member {member} is not ranked")
            }
        }
    }
}

impl std::error::Error for Unproved {}

/// Checks that the certificate proves that every run satisfies the formula.
pub fn confirm(
    semantics: &Semantics,
    formula: &Formula,
    certificate: ExplicitCertificate,
) -> Result<ProofByExploration, Unproved> {
    let conjuncts = formula.parts();
    if conjuncts.len() != certificate.parts.len() {
        return Err(Unproved::Malformed("another number of conjuncts".to_string()));
    }
    let influence = Influence::of(semantics.model(), formula);
    let graphs = certificate.graphs.iter().map(|graph| GraphCheck::new(semantics, &influence, graph));
    let graphs = graphs.collect::<Result<Vec<_>, _>>()?;
    let mut by_graph: Vec<Vec<PartCheck>> = graphs.iter().map(|_| Vec::new()).collect();
    for (index, (conjunct, part)) in conjuncts.iter().zip(&certificate.parts).enumerate() {
        match part {
            PartCertificate::Closed(set) => {
                let known = || Unproved::Malformed("a graph is missing".to_string());
                let graph = graphs.get(set.graph as usize).ok_or_else(known)?;
                graph.check_atoms(index, conjunct)?;
                let check = PartCheck::new(semantics, conjunct, set, index, graph.len())?;
                by_graph[set.graph as usize].push(check);
            }
            PartCertificate::Image { of, by } => {
                check_image(semantics.model(), &conjuncts, &certificate.parts, *of as usize, by, index)?;
            }
        }
    }
    for (graph, parts) in graphs.iter().zip(&mut by_graph) {
        graph.check(parts)?;
    }
    let symmetric = certificate.graphs.iter().any(|graph| !graph.generators.is_empty())
        || certificate.parts.iter().any(|part| matches!(part, PartCertificate::Image { .. }));
    drop((by_graph, graphs));
    let (states, members) = (certificate.states(), certificate.members());
    Ok(ProofByExploration { states, members, symmetric, certificate })
}

/// That a symmetry makes a conjunct with evidence of its own this one.
fn check_image(
    model: &Model,
    conjuncts: &[Formula],
    parts: &[PartCertificate],
    of: usize,
    by: &Renaming,
    index: usize,
) -> Result<(), Unproved> {
    if !matches!(parts.get(of), Some(PartCertificate::Closed(_))) {
        return Err(Unproved::Malformed("an image of nothing".to_string()));
    }
    let symmetry = Symmetry::check(model, by).map_err(Unproved::NoSymmetry)?;
    let maps = symmetry.maps(&conjuncts[of], &conjuncts[index]);
    maps.then_some(()).ok_or_else(|| Unproved::NoSymmetry(format!("conjunct {index} is not the image of {of}")))
}
