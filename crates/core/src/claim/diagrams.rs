//! Claims about sets of states that are decision diagrams, and their evidence as data.
//!
//! The evidence is about *positions*: a state, and the obligations that are pending there ([`crate::product::negation`]).
//! `check::diagrams` says how it shows what it does.

use super::branching::Witness;
use super::packed;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The claim of an engine that works with sets of states.
#[derive(Clone, Debug, PartialEq)]
pub enum SymbolicClaim {
    /// It holds.
    Holds(Arc<Diagrams>),
    /// It is violated.
    Violated(Arc<Diagrams>, Box<Witness>),
}

/// A set: its place in [`Diagrams::nodes`] plus 2. 0 is the empty set, and 1 has everything.
pub type Root = u32;

/// All reachable states, and why branching formulas are true or false in them, as binary decision diagrams.
///
/// The value of a variable is written in bits: its place among the values that are listed. The variables and inputs stand
/// in an order, from the top. Each bit of a variable has two levels, the first one for its value in a state; a bit of an
/// input has one level. The event has none. Two levels for each obligation come last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagrams {
    /// Per variable of the system ([`crate::ts::lower`]) the numbers of the values that it has in reachable states, ascending.
    pub values: Vec<Vec<i64>>,
    /// The variables and inputs but the event, each once: the number of a variable, or of an input after all variables.
    pub order: Vec<u32>,
    /// Nodes, each with its level and the sets where its bit is clear and set; these come before it.
    #[serde(with = "packed")]
    pub nodes: Vec<[u32; 3]>,
    /// A set of states that no step leaves, with all initial states.
    pub states: Root,
    /// If the spec is about knowledge, how all of them are reached from the initial states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reached: Vec<Layer>,
    /// Per branching formula of the spec, in the order of [`super::branching::branchings`], the evidence about its runs; `None` if
    /// it is not about runs.
    pub formulas: Vec<Option<RunSets>>,
    /// Per branching formula the evidence that a group can, or cannot, bring something about: sets of states with the same rank, each of
    /// which depends on those before it ([`super::branching::GameEvidence`]). Empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<Vec<Root>>,
    /// Of a spec that holds, per conjunct the evidence that no run from an initial state violates it.
    pub conjuncts: Vec<RunSets>,
}

/// Some steps of one event, from sets before this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// The number of the event.
    pub event: u32,
    /// Where the steps lead, or begin.
    pub set: Root,
}

/// From which positions some run violates a formula, and from which none does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSets {
    /// Positions from which no run violates it; no step leaves them.
    pub none: Root,
    /// Sets that steps between these positions may enter and do not leave: the first one none at all, each other one none that
    /// stays inside, or outside, of those before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<Root>,
    /// Sets of these positions. Steps that stay inside, or outside, of all closed sets lead from one of them to one before, or
    /// inside of it as its reason says.
    pub ranks: Vec<RankSet>,
    /// Positions from which some run violates it.
    pub some: Root,
    /// Per eventuality how these lead to where it is not pending; one list if there are no eventualities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approaches: Vec<Vec<Layer>>,
    /// Of what is assumed of the runs that knowledge is about: how runs from initial states visit these positions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visited: Vec<Layer>,
}

/// Positions in which no run stays for ever and violates the formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankSet {
    /// The positions.
    pub set: Root,
    /// The eventuality, by its number among these, that is pending after each step inside of it; if none is named, there
    /// are no such steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<u32>,
}
