//! Claims of engines about specs with path quantifiers or knowledge, and their evidence.

use super::explicit::{ClosedSet, Incomplete, local_states};
use super::symmetry::Renaming;
use super::{Trace, packed};
use crate::model::branching::Branching;
use crate::model::eval::State;
use crate::model::eval::tables::LocalState;
use crate::model::{Formula, InstanceId};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The claim of an engine that lists the states.
#[derive(Clone, Debug, PartialEq)]
pub enum BranchingClaim {
    /// It holds.
    Holds(Labelling),
    /// It is violated.
    Violated(Labelling, Box<Witness>),
    /// The exploration stopped early.
    Unknown {
        /// The reason.
        reason: Incomplete,
        /// How many states were found before.
        states: usize,
    },
}

/// All reachable states, up to symmetry, and why branching formulas are true or false in them.
///
/// A path quantifier is decided by the runs from each state, knowledge under assumptions by the runs that satisfy these: the
/// evidence is a closed set, with ranks for members from which no run violates the formula in question, and witnesses for
/// the others. Its members are about states by their numbers. What groups can bring about by the whole state is decided by ranks
/// of states. Other knowledge needs no evidence beside the states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labelling {
    /// Per instance its local states, each once: the automaton state, and the values of the locals that influence the runs and
    /// the spec, or that some agent sees whose knowledge the spec is about.
    #[serde(with = "local_states", rename = "local-states")]
    pub local_states: Vec<Vec<Arc<LocalState>>>,
    /// Symmetries that change nothing that the labelled conjuncts say of a state. With them a state stands for all that a walk
    /// down its orbit ([`super::symmetry::descend`]) leads to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generators: Vec<Renaming>,
    /// The reachable states, each once: a local state per instance. Initial states come first, and each other one comes
    /// behind a state with a step to it. Labellings of several specs share them.
    #[serde(serialize_with = "packed::serialize", deserialize_with = "packed::deserialize_shared")]
    pub states: Arc<Vec<Vec<u32>>>,
    /// Per branching formula of the spec, in the order of [`branchings`], the evidence about its runs; `None` if it is not
    /// about runs, or occurs in images only.
    pub formulas: Vec<Option<ClosedSet>>,
    /// Per branching formula the evidence that a group can, or cannot, bring something about, if that takes any. Empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<Option<GameEvidence>>,
    /// Of a spec that holds, per conjunct that is no image, the evidence that no run from an initial state violates it.
    pub conjuncts: Vec<ClosedSet>,
    /// Conjuncts that have no labels, because symmetries make others them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

/// The states in which a group can bring something about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameEvidence {
    /// Of `f U g` and `f W g`, per state its rank: of `f U g` states have one where that can be brought about, of `f W g` where it cannot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<Option<u32>>,
    /// Under assumptions of fairness, where others can enforce fair runs: with all agents as the others, then as the formula needs it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fair: Vec<FairStates>,
}

/// The states from which those who are not in a group can see to it that some states are not left, and that each of some conditions is
/// true again and again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FairStates {
    /// Per state, if they can, its rank for each condition: they lead to a state where it is true by states with smaller ranks.
    pub inside: Vec<Option<Vec<u32>>>,
    /// Per state that is not to be left, if they cannot, the stage in which the group wins, and true if the condition of the stage is false
    /// there: the group leads to earlier stages, or it stays in such states for ever.
    pub outside: Vec<Option<(u32, bool)>>,
    /// Per stage the number of its condition.
    pub stages: Vec<u32>,
}

/// A conjunct that a symmetry of the model makes of another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// Its index in [`Formula::parts`].
    pub conjunct: u32,
    /// The index of the other, which is labelled.
    pub of: u32,
    /// The symmetry.
    pub by: Renaming,
}

/// A run that shows that a formula is false, or true, from a position on, and what shows the truth of branching formulas on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The run, from an initial state. Without a loop, what it shows does not depend on how it goes on.
    pub trace: Trace,
    /// The position.
    pub from: usize,
    /// Evidence for the branching formulas on the run whose truth one run or one state shows.
    pub parts: Vec<WitnessPart>,
}

/// Why a branching formula is false, or `E(f)` is true, in a state of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct WitnessPart {
    /// The position of the state.
    pub position: usize,
    /// Its index in [`branchings`].
    pub formula: u32,
    /// For knowledge, states that look alike, one after the other: each to some agent, and with a run that ends in it.
    pub looks: Vec<LooksAlike>,
    /// The evidence from that state on: for knowledge, from the last one of those that look alike.
    pub witness: Witness,
}

/// A state that looks like another one.
#[derive(Clone, Debug, PartialEq)]
pub struct LooksAlike {
    /// To each of them.
    pub observers: Vec<InstanceId>,
    /// Its kind.
    pub there: Lookalike,
}

/// How a state that looks like another one is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookalike {
    /// By a run that ends in it.
    Run(Trace),
    /// By itself, in the midst of a long chain; that it is reachable, the labels say.
    State(State),
}

/// The branching formulas in a formula, each once, those inside of others before these.
pub fn branchings(formula: &Formula) -> Vec<&Branching> {
    let (mut list, mut known) = (Vec::new(), FxHashSet::default());
    collect(formula, &mut list, &mut known);
    list
}

fn collect<'f>(formula: &'f Formula, list: &mut Vec<&'f Branching>, known: &mut FxHashSet<&'f Branching>) {
    formula.for_each_child(&mut |child| collect(child, list, known));
    if let Formula::Branching(branching) = formula
        && known.insert(branching)
    {
        list.push(branching);
    }
}
