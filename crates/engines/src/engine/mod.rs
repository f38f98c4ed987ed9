//! Engines make claims about a property of a system. None of them makes a verdict.
//!
//! [`bmc`] and [`explicit`] work on whole specs, and [`bdd`] on those with path quantifiers and knowledge. [`kind`],
//! [`pdr`], [`rlive`], [`spacer`], [`bdd`] and [`loops`] are [`Prover`]s: they decide whether bad states are reachable, the question
//! to which a reduction ([`crate::product::target`]) takes a conjunct of a spec. The other modules help them.

pub mod bdd;
pub mod bmc;
pub mod explicit;
pub mod images;
pub mod invariants;
pub mod kind;
pub mod loops;
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
use invariants::Later;
use kind::KInduction;
use loops::Loops;
use pdr::Pdr;
use serde::{Deserialize, Serialize};
use spacer::Spacer;
use std::fmt;

/// An engine, as users choose it and as records name it. A new one needs a variant and a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// [`explicit`]
    Explicit,
    /// [`bmc`]
    Bmc,
    /// [`kind`]
    Kind,
    /// [`pdr`]
    Pdr,
    /// [`rlive`]
    Rlive,
    /// [`spacer`]
    Spacer,
    /// [`bdd`]
    Bdd,
    /// [`loops`]
    Loops,
}

impl Engine {
    /// The portfolio.
    pub const ALL: [Engine; 8] = [
        Engine::Explicit,
        Engine::Bmc,
        Engine::Kind,
        Engine::Pdr,
        Engine::Rlive,
        Engine::Spacer,
        Engine::Bdd,
        Engine::Loops,
    ];

    /// The table: name, summary and prover.
    fn row(self) -> (&'static str, &'static str, Option<&'static dyn Prover>) {
        match self {
            Engine::Explicit => {
                ("explicit", "Explores all states of models with few reachable states, integers included", None)
            }
            Engine::Bmc => {
                ("bmc", "Bounded model checking with a growing bound: finds counterexamples, proves nothing", None)
            }
            Engine::Kind => ("kind", "k-induction", Some(&KInduction)),
            Engine::Pdr => ("pdr", "Property-directed reachability (IC3)", Some(&Pdr)),
            Engine::Rlive => (
                "rlive",
                "Liveness checking with shoals: searches by pdr from one accepting state to the next",
                Some(&Pdr),
            ),
            Engine::Spacer => ("spacer", "Z3's engine for constrained Horn clauses", Some(&Spacer)),
            Engine::Bdd => ("bdd", "Decision diagrams: sets of states of finite models, for knowledge too", None),
            Engine::Loops => (
                "loops",
                "Long counterexamples to safety, by repeating loops in one step: proves nothing",
                Some(&Loops),
            ),
        }
    }

    /// The name that users call it by.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// A summary of it, in a line.
    pub fn summary(self) -> &'static str {
        self.row().1
    }

    /// The prover that decides for the engine whether bad states can be reached; none for engines that look at whole specs.
    pub fn prover(self) -> Option<&'static dyn Prover> {
        self.row().2
    }

    /// The names of some engines, with something between them.
    pub fn list(engines: &[Engine], separator: &str) -> String {
        engines.iter().map(|engine| engine.name()).collect::<Vec<_>>().join(separator)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Can bad states be reached?
#[derive(Clone, Copy)]
pub struct SafetyQuestion<'a> {
    /// The system.
    pub system: &'a System,
    /// Which states are bad.
    pub bad: Term,
    /// Inductive invariants of the system, one after the other; an answer may rely on them.
    pub known: &'a [Term],
    /// Those that others may find meanwhile, with how many are among these.
    pub later: Option<Later<'a>>,
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
    /// Which engine it is.
    fn engine(&self) -> Engine;

    /// Answers the question. Needs a Z3 context of its own ([`crate::smt::with_context`]).
    fn run(&self, question: SafetyQuestion, config: Config) -> SafetyClaim;
}

/// The system of a formula that is an invariant, simplified, and its bad states.
#[cfg(test)]
pub fn bad_states(model: &crate::model::Model, formula: &crate::model::Formula) -> (System, Term) {
    use crate::product::target::Target;
    use crate::ts::history::base_system;
    use crate::ts::ranking::Ranking;
    let target = Target::simplest(model, &base_system(model), formula, 0, &Ranking::default());
    let (mut system, _) = crate::simplify::simplify(target.system);
    let bad = system.fold(target.bad);
    (system, bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_there_and_records_name_them_as_users_do() {
        for (index, engine) in Engine::ALL.into_iter().enumerate() {
            assert_eq!(engine as usize, index);
            assert_eq!(serde_json::to_value(engine).expect("a name"), engine.name());
        }
    }
}
