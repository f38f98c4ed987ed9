//! Claims about instances of all sizes.

use crate::model::Sizes;
use crate::model::scheme::Ghost;
use crate::ts::term::{Term, Terms};

/// That clauses are invariants of instances of all sizes. They are written over an open instance ([`crate::model::scheme`])
/// whose members of families stand for variables: each clause is claimed for all lists of different members.
#[derive(Clone, Debug)]
pub struct UniformClaim {
    /// Sums that it has beside those of the spec.
    pub ghosts: Vec<Ghost>,
    /// The sizes of that instance.
    pub sizes: Sizes,
    /// An arena that grew out of that of its system ([`crate::ts::history::base_system`]).
    pub terms: Terms,
    /// The clauses.
    pub clauses: Vec<Term>,
}
