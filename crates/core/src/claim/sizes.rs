//! Claims about instances of all sizes.

use crate::model::scheme::{Ghost, TypeRefusal};
use crate::model::{EdgeId, InstanceId, Sizes};
use crate::ts::term::{Term, Terms};

/// That clauses are invariants of instances of all sizes, and what follows from them. They are written over an open
/// instance ([`crate::model::scheme`]) whose members of families stand for variables: each clause is claimed for all
/// lists of different members.
#[derive(Clone, Debug)]
pub struct UniformClaim {
    /// If the spec says what a group can do: what agents do not offer. All else is claimed of the outcome.
    pub table: Vec<TypeRefusal>,
    /// Sums that it has beside those of the spec.
    pub ghosts: Vec<Ghost>,
    /// The sizes of that instance.
    pub sizes: Sizes,
    /// An arena that grew out of that of its system ([`crate::ts::history::base_system`]).
    pub terms: Terms,
    /// The clauses.
    pub clauses: Vec<Term>,
    /// That some members exist.
    pub witnesses: Vec<WitnessClaim>,
    /// Why what the spec waits for comes, for each response that it calls for, up to the names of members.
    pub progress: Vec<ProgressClaim>,
}

/// That a member exists that satisfies a condition, where something is true of the agents that every instance has.
#[derive(Clone, Debug)]
pub struct WitnessClaim {
    /// A member of the open instance that stands for the witness.
    pub member: InstanceId,
    /// When there is one.
    pub when: Term,
    /// If there is one for each number of a range: the first number, the first one beyond it, and which of them a member is
    /// a witness for.
    pub range: Option<[Term; 3]>,
    /// The condition that it satisfies.
    pub condition: Term,
}

/// Why a goal is reached: steps lower ranks, and some agent that is treated fairly will take such a step.
#[derive(Clone, Debug)]
pub struct ProgressClaim {
    /// The conditions that are true as long as the goal is pending.
    pub pending: Vec<Term>,
    /// Integers, or truth values that count one where they are true; the first one weighs most.
    pub ranks: Vec<Term>,
    /// The agent that helps, and when.
    pub cases: Vec<CaseClaim>,
}

/// As long as a condition is true and the goal is waited for, some agent can take steps that lower the ranks.
#[derive(Clone, Debug)]
pub struct CaseClaim {
    /// The condition on states.
    pub condition: Term,
    /// The agent that can take them.
    pub helper: Helper,
}

/// The agent that takes a step sooner or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Helper {
    /// Any of them: some step is taken unless there is a deadlock.
    Any,
    /// An agent that is treated fairly.
    Agent {
        /// The agent, or the member of the open instance that stands for it.
        instance: InstanceId,
        /// The command that is treated fairly; otherwise all that it can begin, taken together.
        command: Option<EdgeId>,
        /// The send that is enabled, if that is why the agent can act; otherwise it can get or supply.
        by: Option<EdgeId>,
    },
}
