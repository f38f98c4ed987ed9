//! Claims of the exploration of a small model, and the evidence as data.
//!
//! The certificate of `holds` is, per conjunct of the spec, a set of *members*: a state (a local state per cell: per instance, or per variable of it),
//! the receivers of the step to it, and *obligations*, subformulas of which each has to be true (or false) from here
//! on. Together with ranks it shows that no run makes the conjunct false; `check::explicit` says how.

pub mod local_states;
mod members;

pub use members::{Members, Ranks};

use super::Trace;
use super::symmetry::Renaming;
use crate::limits::Exceeded;
use crate::model::eval::EnumerationError;
use crate::model::eval::tables::LocalState;
use crate::model::subformulas::Obligation;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The claim of an exploration of all runs about a spec.
#[derive(Clone, Debug, PartialEq)]
pub enum ExplicitClaim {
    /// This run violates it.
    Violated(Trace),
    /// It holds.
    Holds(ExplicitCertificate),
    /// The exploration stopped early.
    Unknown {
        /// The reason.
        reason: Incomplete,
        /// How many states of the product of model and formula were found before.
        states: usize,
    },
}

/// Why an exploration stopped early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// The initial states cannot be listed.
    NotEnumerable(EnumerationError),
    /// There are more states than it may visit.
    States,
    /// The spec is about strategies, and not of the kinds that are decided.
    Strategies,
    /// It ran into one of its limits, or it was asked to stop.
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
            Incomplete::Strategies => write!(
                f,
                "`could` is decided for one temporal operator over formulas about states, without assumptions"
            ),
            Incomplete::Exceeded(exceeded) => exceeded.fmt(f),
        }
    }
}

impl std::error::Error for Incomplete {}

/// Why all runs satisfy a spec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplicitCertificate {
    /// The local states that the members of sets consist of.
    pub graphs: Vec<GraphCertificate>,
    /// The evidence for each conjunct, in the order of [`crate::model::Formula::parts`].
    pub parts: Vec<PartCertificate>,
}

/// The local states of which states consist, and symmetries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphCertificate {
    /// The instances of which each variable that influences the runs and the spec is a cell of its own, behind a cell with the
    /// automaton state; ascending. Each other instance is one cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub split: Vec<u32>,
    /// Per cell its local states, each once: the automaton state, and the values of the locals that influence the runs
    /// and the spec. A state stands for all that agree with it on these.
    #[serde(with = "local_states", rename = "local-states")]
    pub local_states: Vec<Vec<Arc<LocalState>>>,
    /// Symmetries that leave the facts of all parts with this graph as they are, but may exchange their conditions. With them a state stands for all that a
    /// walk down its orbit ([`super::symmetry::descend`]) leads to it.
    pub generators: Vec<Renaming>,
}

/// Why all runs satisfy one conjunct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
#[serde(deny_unknown_fields)]
pub struct ClosedSet {
    /// Into [`ExplicitCertificate::graphs`].
    pub graph: u32,
    /// Sets of receives, ascending, as instance and edge; only those whose labels occur in the conjunct.
    pub received: Vec<Vec<(u32, u32)>>,
    /// Sets of obligations, ascending.
    pub obligations: Vec<Vec<Obligation>>,
    /// Why no run stays in a rank for ever.
    pub reasons: Vec<Why>,
    /// The ranks, those of which others are parts first.
    pub ranks: Vec<Rank>,
    /// The members.
    pub members: Members,
    /// Runs from members that violate the conjunct.
    #[serde(default, skip_serializing_if = "Witnesses::is_empty")]
    pub witnesses: Witnesses,
}

/// Runs that violate a conjunct, from the members whose rank says [`Why::Witnessed`]: from each to a next one, until they
/// come to a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witnesses {
    /// Members that are on no loop, each with the next one.
    pub next: Vec<(u32, u32)>,
    /// Loops on which all obligations are met.
    pub loops: Vec<WitnessLoop>,
}

/// A loop that a run goes round for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WitnessLoop {
    /// The members.
    pub members: Vec<u32>,
    /// The conditions that no step of the run requests; the others are answered if they are requested.
    pub refused: Vec<Obligation>,
}

impl Witnesses {
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.next.is_empty() && self.loops.is_empty()
    }
}

/// A rank, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rank {
    /// The rank of which it is a part.
    pub within: Option<u32>,
    /// How large it is. Ranks of one size, among the parts of one, are the same, seen from different members.
    pub order: u32,
    /// Into [`ClosedSet::reasons`].
    pub why: u32,
}

/// Why no run stays in a rank for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// There is no step between two of its members.
    Passing,
    /// This eventuality stays pending on every such step.
    Pending(Obligation),
    /// No such step answers these conditions: subformulas that say that something happens again and again, if something
    /// else does. So who stays requests them finitely often only, and the parts of the rank are about the other steps.
    Unanswered(Vec<Obligation>),
    /// Some run does, and violates the conjunct; so nothing is said of steps to here.
    Witnessed,
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
        let on_graph = |graph: usize| {
            let sets = self.closed_sets().filter(|set| set.graph as usize == graph);
            Members::different_states(&sets.map(|set| &set.members).collect::<Vec<_>>())
        };
        (0..self.graphs.len()).map(on_graph).sum()
    }

    /// The number of members, of all conjuncts together.
    pub fn members(&self) -> usize {
        self.closed_sets().map(|set| set.members.len()).sum()
    }
}
