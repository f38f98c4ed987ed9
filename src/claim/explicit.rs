//! What the exploration of a small model claims, and the evidence as data.
//!
//! The certificate of `holds` is, per conjunct of the spec, a set of *members*: a state, who received
//! in the step to it, and *obligations*, subformulas of which each has to be true (or false) from here
//! on. Together with ranks it shows that no run makes the conjunct false; [`crate::check::explicit`]
//! says how.

use super::Trace;
use super::symmetry::Renaming;
use crate::limits::{Exceeded, tick};
use crate::model::Formula;
use crate::model::eval::NotEnumerable;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What an exploration of all runs says of a spec.
#[derive(Clone, Debug, PartialEq)]
pub enum ExplicitClaim {
    /// This run violates it.
    Violated(Trace),
    /// It holds.
    Holds(ExplicitCertificate),
    /// The exploration stopped early.
    Unknown {
        /// Why.
        reason: Incomplete,
        /// How many states of the product of model and formula were found before.
        states: usize,
    },
}

/// Why an exploration stopped early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// The initial states cannot be listed.
    NotEnumerable(NotEnumerable),
    /// There are more states than it may visit.
    States,
    /// It ran into one of its limits, or somebody asked it to stop.
    Exceeded(Exceeded),
}

impl From<Exceeded> for Incomplete {
    fn from(exceeded: Exceeded) -> Incomplete {
        Incomplete::Exceeded(exceeded)
    }
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Incomplete::NotEnumerable(reason) => write!(f, "the initial states cannot be listed: {reason}"),
            Incomplete::States => write!(f, "too many states to visit them one by one"),
            Incomplete::Exceeded(exceeded) => exceeded.fmt(f),
        }
    }
}

impl std::error::Error for Incomplete {}

/// Why all runs satisfy a spec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplicitCertificate {
    /// The states that were visited.
    pub graphs: Vec<GraphCertificate>,
    /// The evidence for each conjunct, in the order of [`Formula::parts`].
    pub parts: Vec<PartCertificate>,
}

/// States, up to symmetries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphCertificate {
    /// The integers that occur in states, in decimal digits.
    pub integers: Vec<String>,
    /// States: of each instance in order the automaton state, then its locals. A local is coded by
    /// the number of its value, or, if it is an integer, of its place in `integers`; a Boolean by 0
    /// or 1. A state stands for all that agree with it on what influences the runs and the spec.
    pub states: Vec<Vec<u32>>,
    /// Symmetries that leave the atoms of all parts with this graph as they are. Without any, all words are
    /// empty, and nothing else is said of them.
    pub generators: Vec<Renaming>,
    /// Lists of generators, to be applied from the first to the last.
    pub words: Vec<Vec<u32>>,
    /// Per initial state of the model, ascending, the word that makes it one of `states`.
    pub initial: Vec<u32>,
    /// Per state, and step from it in the order of the semantics, the word that makes its target one of
    /// `states`.
    pub steps: Vec<Vec<u32>>,
}

/// Why all runs satisfy one conjunct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PartCertificate {
    /// No run violates it.
    Closed(ClosedSet),
    /// A symmetry of the model makes another conjunct this one.
    Image {
        /// The index of the other conjunct, of which it is shown that no run violates it.
        of: u32,
        /// The symmetry.
        by: Renaming,
    },
}

/// A set of members that contains all runs which could violate a conjunct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClosedSet {
    /// Into [`ExplicitCertificate::graphs`].
    pub graph: u32,
    /// Sets of receives, ascending, as instance and edge; only those whose labels occur in the conjunct.
    pub received: Vec<Vec<(u32, u32)>>,
    /// Sets of obligations, ascending.
    pub obligations: Vec<Vec<Obligation>>,
    /// The members.
    pub members: Vec<Member>,
    /// Per rank the eventuality that is put off on every step between two members of the rank;
    /// nothing if there is no such step.
    pub eventualities: Vec<Option<Obligation>>,
}

/// A member of the closed set; all but the rank are indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Into [`GraphCertificate::states`].
    pub state: u32,
    /// Into [`ClosedSet::received`].
    pub received: u32,
    /// Into [`ClosedSet::obligations`].
    pub obligations: u32,
    /// Never increases along a run.
    pub rank: u32,
}

/// That a subformula has to be true, or false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Obligation {
    /// Its index in [`subformulas`] of the conjunct.
    pub subformula: u32,
    /// What it has to be.
    pub truth: bool,
}

impl ExplicitCertificate {
    /// The closed sets, of the conjuncts that have one.
    pub fn closed_sets(&self) -> impl Iterator<Item = &ClosedSet> {
        self.parts.iter().filter_map(|part| match part {
            PartCertificate::Closed(set) => Some(set),
            PartCertificate::Image { .. } => None,
        })
    }

    /// The number of states, of all graphs together.
    pub fn states(&self) -> usize {
        self.graphs.iter().map(|graph| graph.states.len()).sum()
    }

    /// The number of members, of all conjuncts together.
    pub fn members(&self) -> usize {
        self.closed_sets().map(|set| set.members.len()).sum()
    }
}

/// The subformulas of a formula, itself included, each once, in the order in which they end: operands
/// stand before what is made of them, and the formula itself is last.
pub fn subformulas(formula: &Formula) -> Vec<&Formula> {
    let (mut list, mut known) = (Vec::new(), FxHashSet::default());
    collect(formula, &mut list, &mut known);
    list
}

fn collect<'f>(formula: &'f Formula, list: &mut Vec<&'f Formula>, known: &mut FxHashSet<&'f Formula>) {
    tick();
    if !known.contains(formula) {
        formula.for_each_child(&mut |child| collect(child, list, known));
        known.insert(formula);
        list.push(formula);
    }
}
