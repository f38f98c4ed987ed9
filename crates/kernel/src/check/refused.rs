//! Evidence that is refused.

use crate::limits::Reason;
use crate::model::eval::{EnumerationError, Truth};
use std::fmt;

/// Why evidence is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It does not fit the model and the spec.
    Unfit(String),
    /// It proves nothing.
    Wrong(String),
    /// It is not known whether it does.
    Unknown(Reason),
}

impl Refused {
    /// It does not fit the model and the spec.
    pub(crate) fn unfit(why: impl fmt::Display) -> Refused {
        Refused::Unfit(why.to_string())
    }

    /// Evidence of this kind is about other specs, or other verdicts.
    pub(crate) fn other_kind() -> Refused {
        Refused::unfit("evidence of this kind cannot prove the verdict")
    }

    /// It proves nothing.
    pub(crate) fn wrong(why: impl fmt::Display) -> Refused {
        Refused::Wrong(why.to_string())
    }

    /// Its parts are not those of the model and the spec.
    pub(crate) fn malformed(what: impl fmt::Display) -> Refused {
        Refused::wrong(format_args!("the certificate does not fit the model and the spec: {what}"))
    }

    /// A renaming is no symmetry of the model, or changes what it must not.
    pub(crate) fn no_symmetry(why: impl fmt::Display) -> Refused {
        Refused::wrong(format_args!("no symmetry: {why}"))
    }

    /// The initial states cannot be listed.
    pub(crate) fn not_enumerable(why: EnumerationError) -> Refused {
        Refused::wrong(format_args!("the initial states cannot be listed: {why}"))
    }

    /// A state of the evidence is not reachable.
    pub(crate) fn unreachable() -> Refused {
        Refused::wrong("a state is not reachable")
    }

    /// The evidence does not have all reachable states.
    pub(crate) fn state_missing() -> Refused {
        Refused::wrong("a reachable state is missing")
    }

    /// A counterexample is about something that the spec does not have.
    pub(crate) fn other_spec() -> Refused {
        Refused::wrong("the counterexample belongs to another spec")
    }

    /// The formula is not false on a run.
    pub(crate) fn not_false(truth: Truth) -> Refused {
        Refused::wrong(format_args!("the counterexample does not violate the spec, which is {truth:?} on it"))
    }
}

impl From<Reason> for Refused {
    fn from(reason: Reason) -> Refused {
        Refused::Unknown(reason)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refused::Unfit(why) | Refused::Wrong(why) => f.write_str(why),
            Refused::Unknown(reason) => write!(f, "the evidence could not be checked: {reason}"),
        }
    }
}

impl std::error::Error for Refused {}
