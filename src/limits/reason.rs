//! Why there is no answer.

use super::Exceeded;
use std::fmt;

/// Why a solver or an engine does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit was reached.
    Timeout,
    /// The memory limit was reached.
    Memory,
    /// Somebody asked to stop.
    Interrupted,
    /// The solver's own words.
    Solver(String),
    /// An engine's own words.
    Engine(String),
    /// A reason, and how far somebody came.
    Detailed(Box<Reason>, String),
}

impl From<Exceeded> for Reason {
    fn from(exceeded: Exceeded) -> Reason {
        match exceeded {
            Exceeded::Time => Reason::Timeout,
            Exceeded::Memory => Reason::Memory,
            Exceeded::Integers | Exceeded::Work => Reason::Engine(exceeded.to_string()),
            Exceeded::Stopped => Reason::Interrupted,
        }
    }
}

impl Reason {
    /// With more words.
    pub fn detailed(self, words: String) -> Reason {
        Reason::Detailed(Box::new(self), words)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reason::Timeout => write!(f, "timeout"),
            Reason::Memory => write!(f, "memory limit reached"),
            Reason::Interrupted => write!(f, "interrupted"),
            Reason::Engine(words) => write!(f, "{words}"),
            Reason::Detailed(reason, words) => write!(f, "{reason}; {words}"),
            Reason::Solver(words) => write!(f, "the solver gave up: {words}"),
        }
    }
}

impl std::error::Error for Reason {}
