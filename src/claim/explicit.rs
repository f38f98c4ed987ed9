//! What the exploration of a small model claims, and the evidence as data.
//!
//! The certificate of `holds` is, per conjunct of the spec, a set of *members*: a state, who received
//! in the step to it, and *obligations*, subformulas of which each has to be true (or false) from here
//! on. Together with ranks it shows that no run makes the conjunct false; [`crate::check::explicit`]
//! says how.

use super::Trace;
use crate::model::eval::NotEnumerable;
use crate::model::{EdgeId, Formula, InstanceId};
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
        reason: Reason,
        /// How many states of the product of model and formula were found before.
        states: usize,
    },
}

/// Why an exploration stopped early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The initial states cannot be listed.
    NotEnumerable(NotEnumerable),
    /// There are more states than it may visit.
    States,
    /// The states take more memory than it may use.
    Memory,
    /// The time is over.
    Timeout,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reason::NotEnumerable(reason) => write!(f, "the initial states cannot be listed: {reason}"),
            Reason::States => write!(f, "too many states to visit them one by one"),
            Reason::Memory => write!(f, "memory limit reached"),
            Reason::Timeout => write!(f, "timeout"),
        }
    }
}

/// Why all runs satisfy a spec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplicitCertificate {
    /// The integers that occur in states, in decimal digits.
    pub integers: Vec<String>,
    /// States: of each instance in order the automaton state, then its locals. A local is coded by
    /// the number of its value, or, if it is an integer, of its place in `integers`; a Boolean by 0
    /// or 1. A state stands for all that agree with it on what influences the runs and the spec.
    pub states: Vec<Vec<u32>>,
    /// The evidence for each conjunct, in the order of [`Formula::conjuncts`].
    pub parts: Vec<PartCertificate>,
}

/// Why all runs satisfy one conjunct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartCertificate {
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
    /// Into [`ExplicitCertificate::states`].
    pub state: u32,
    /// Into [`PartCertificate::received`].
    pub received: u32,
    /// Into [`PartCertificate::obligations`].
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
    /// The number of members, of all conjuncts together.
    pub fn members(&self) -> usize {
        self.parts.iter().map(|part| part.members.len()).sum()
    }
}

impl PartCertificate {
    /// The receive labels of a set, typed.
    pub fn receives(&self, set: u32) -> impl Iterator<Item = (InstanceId, EdgeId)> {
        let set = self.received.get(set as usize).map_or(&[][..], Vec::as_slice);
        set.iter().map(|(instance, edge)| (InstanceId(*instance), EdgeId(*edge)))
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
    if !known.contains(formula) {
        formula.for_each_child(&mut |child| collect(child, list, known));
        known.insert(formula);
        list.push(formula);
    }
}
