//! Why there is no answer.

use super::{Budget, Exceeded};
use std::fmt;

/// Why a solver or an engine does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit was reached.
    Timeout,
    /// The memory limit was reached.
    Memory,
    /// A stop was asked for.
    Interrupted,
    /// The solver's own words.
    Solver(String),
    /// An engine's own words.
    Engine(String),
    /// A reason, and how far the work came.
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
    /// The reason to tell at the end of some work: where its time is over, that is the reason, and what ended early is a detail.
    pub fn at_the_end_of(self, budget: Budget) -> Reason {
        if budget.is_over() { self.timed_out() } else { self }
    }

    fn timed_out(self) -> Reason {
        match self {
            Reason::Timeout | Reason::Interrupted | Reason::Solver(_) => Reason::Timeout,
            Reason::Memory => Reason::Memory,
            Reason::Engine(words) => Reason::Timeout.detailed(words),
            Reason::Detailed(reason, words) => reason.timed_out().detailed(words),
        }
    }

    /// The reason without more words.
    pub fn plain(&self) -> &Reason {
        match self {
            Reason::Detailed(reason, _) => reason.plain(),
            other => other,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_ends_with_its_time_is_a_timeout() {
        let (over, open) = (Budget::new(Some(Duration::ZERO)), Budget::new(None));
        let solver = || Reason::Solver("no reason given".to_owned()).detailed("depth 3".to_owned());
        assert_eq!(solver().at_the_end_of(over).to_string(), "timeout; depth 3");
        assert_eq!(solver().at_the_end_of(open).to_string(), "the solver gave up: no reason given; depth 3");
        let engine = Reason::Engine("no invariant was found".to_owned());
        assert_eq!(engine.at_the_end_of(over).to_string(), "timeout; no invariant was found");
        assert_eq!(Reason::Memory.at_the_end_of(over), Reason::Memory);
        assert_eq!(Reason::Interrupted.at_the_end_of(over), Reason::Timeout);
    }
}
