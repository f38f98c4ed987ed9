//! Confirms specs with path quantifiers and knowledge about finite models, however many states they have, by decision diagrams.
//!
//! The evidence ([`Counts`]) says in which order the variables shall stand, how many states are reachable, and in how many of them
//! each branching formula is true. The check makes sets of states of the model by itself: initial states and steps rule by rule
//! as the concrete semantics has them ([`steps`]), reachable states and labels by fixpoints of its own ([`labels`]). It trusts
//! nothing of the evidence: any order is sound, and the numbers have to be those that it finds. It shares nothing with
//! the engines, nor do they share transition systems or the package of diagrams ([`package`]) with it.
//!
//! A violation is shown by runs as where states are explored ([`super::shown`]): replayed on the concrete semantics, and evaluated given
//! the labels of their states.
//!
//! In reading order: [`space`] and [`package`]; [`messages`] and [`joint`], relations of the commands and lines of a
//! model; [`steps`], which keeps each relation as conjuncts and forgets what no later one reads; [`observations`];
//! [`returning`]; [`labels`] and [`linear`].

mod joint;
mod labels;
mod linear;
mod messages;
mod observations;
mod package;
mod returning;
mod space;
mod steps;

use super::shown::{Showing, States};
use super::{ShownRun, Unlabelled};
use crate::check::Refuted;
use crate::claim::branching::{Counts, Witness, branchings};
use crate::model::branching::Branching;
use crate::model::eval::{Influence, Semantics, State, Truth};
use crate::model::{Formula, InstanceId, Model};
use labels::Labels;
use space::Space;
pub use space::{Slot, places};
use std::fmt;

/// About how many bytes diagrams may take by default.
pub const MEMORY: usize = 2 << 30;

/// A spec that holds, as sets of states show. There is no other way to make one than [`confirm`].
#[derive(Clone, Debug, PartialEq)]
pub struct ProofByDiagrams {
    counts: Counts,
}

impl ProofByDiagrams {
    /// The number of reachable states, in decimal digits.
    pub fn states(&self) -> &str {
        &self.counts.states
    }

    /// The number of branching formulas.
    pub fn formulas(&self) -> usize {
        self.counts.labels.len()
    }

    /// The numbers that were checked.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}

/// Why diagrams cannot decide a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The order of variables is none.
    Order,
    /// This has too many values, or infinitely many.
    Values(String),
    /// There are too many variables.
    Levels,
    /// A formula about runs cannot be taken apart.
    Runs,
    /// It is about what is received in steps.
    Steps,
    /// It is about strategies.
    Strategies,
    /// There may be agents outside.
    Open,
    /// Several groups of lines change one variable.
    Groups,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unfit::Order => write!(f, "the order of variables is not that of this model"),
            Unfit::Values(what) => write!(f, "{what} has too many values for decision diagrams"),
            Unfit::Levels => write!(f, "there are too many variables for decision diagrams"),
            Unfit::Runs => write!(f, "decision diagrams do not decide what is said of runs there"),
            Unfit::Steps => write!(f, "decision diagrams do not decide what is said of receives in single steps"),
            Unfit::Strategies => write!(f, "strategies are not supported"),
            Unfit::Open => write!(f, "there may be agents outside"),
            Unfit::Groups => write!(f, "several lines change one variable at once"),
        }
    }
}

impl std::error::Error for Unfit {}

/// Checks that sets of states prove that every run satisfies the formula, with about so many bytes.
pub fn confirm(
    semantics: &Semantics,
    formula: &Formula,
    counts: Counts,
    memory: usize,
) -> Result<ProofByDiagrams, Unlabelled> {
    let parts = formula.conjuncts();
    let list = branchings(formula);
    let mut labelled = Labelled::new(semantics.model(), &list, &counts, memory)?;
    for part in &parts {
        if !labelled.labels.is_true(part)? {
            return Err(Unlabelled::NotTrue);
        }
    }
    Ok(ProofByDiagrams { counts })
}

/// Checks that sets of states and runs show that a formula is violated.
pub fn refute<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    counts: &Counts,
    witness: &Witness,
    memory: usize,
) -> Result<ShownRun<'s>, Refuted> {
    let list = branchings(formula);
    let mut labelled = Labelled::new(semantics.model(), &list, counts, memory).map_err(Refuted::Labels)?;
    if !labelled.labels.has_start() {
        return Err(Refuted::NotFalse(Truth::True));
    }
    if witness.from != 0 {
        return Err(Refuted::OtherSpec);
    }
    let influence = Influence::of(semantics.model(), formula);
    let states = &mut labelled;
    Showing { semantics, states, list: &list, influence: &influence }.shown(formula, false, witness)
}

/// The labels that the check found, which are those that were counted.
struct Labelled<'m, 'f> {
    model: &'m Model,
    labels: Labels<'m, 'f>,
}

impl<'m, 'f> Labelled<'m, 'f> {
    fn new(model: &'m Model, list: &[&'f Branching], counts: &Counts, memory: usize) -> Result<Self, Unlabelled> {
        let mut labels = Labels::new(Space::new(model, &counts.order, memory)?)?;
        if labels.states() != counts.states {
            return Err(Unlabelled::OtherNumber);
        }
        if list.len() != counts.labels.len() {
            return Err(Unlabelled::Malformed("another number of branching formulas".to_owned()));
        }
        for (formula, (branching, count)) in list.iter().zip(&counts.labels).enumerate() {
            if labels.count(branching)? != *count {
                return Err(Unlabelled::OtherLabel { formula });
            }
        }
        Ok(Labelled { model, labels })
    }
}

impl States for Labelled<'_, '_> {
    type Reached = State;

    fn find(&mut self, state: &State) -> Option<State> {
        self.labels.is_reachable(state).then(|| state.clone())
    }

    fn label(&self, branching: &Branching, state: &State) -> Option<bool> {
        self.labels.is_true_in(branching, state)
    }

    fn are_alike(&self, one: &State, other: &State, observers: &[InstanceId]) -> bool {
        self.model.look_alike(one, other, observers)
    }
}
