//! Engines make claims about a property of a system. None of them makes a verdict.
//!
//! [`bmc`] and [`explicit`] look at whole specs. The others are [`Prover`]s: they decide whether bad
//! states can be reached, which is what is left of a conjunct of a spec after a reduction
//! ([`crate::property::reduction`]).

pub mod bmc;
pub mod explicit;
pub mod invariants;
pub mod kind;
pub mod pdr;
pub mod ranking;
pub mod recurrent;
pub mod rlive;
pub mod shrink;
pub mod spacer;

use crate::claim::SafetyClaim;
use crate::limits::{Budget, Stop};
use crate::ts::system::System;
use crate::ts::term::Term;

/// Can bad states be reached?
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The system.
    pub system: &'a System,
    /// Which states are bad.
    pub bad: Term,
    /// Inductive invariants of the system, one after the other; an answer may rely on them.
    pub known: &'a [Term],
}

/// How long to search.
#[derive(Clone, Copy)]
pub struct Config<'a> {
    /// How long it may take.
    pub budget: Budget,
    /// Set by others to stop the search.
    pub stop: &'a Stop<'a>,
    /// Told the number of steps in which no bad state can be reached, whenever it grows.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// An engine for the reachability of bad states. An invariant that it claims contains what it relied on.
pub trait Prover: Sync {
    /// As users call it.
    fn name(&self) -> &'static str;

    /// Answers the question. Needs a Z3 context of its own ([`crate::smt::with_context`]).
    fn run(&self, question: Question, config: Config) -> SafetyClaim;
}
