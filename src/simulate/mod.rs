//! The simulator: an interactive session, with commands in and text out, for exploring a protocol.
//!
//! A session shows a run, state by state, and lets its user choose every step. It uses the concrete
//! semantics ([`crate::model::eval`]) and nothing else: what it offers is what [`Semantics::steps`]
//! lists. Only `find` asks outside, through [`World`], and what comes back is replayed here like
//! any choice of the user. There is no input or output in this module either; files too are the
//! business of the `World`.
//!
//! In reading order: [`command`], the commands; [`session`], their effects; [`timeline`], the run
//! so far; `start`, the family of initial states; `condition`, formulas that users type; `walk`, random
//! steps, `until` and `find`; `why`, `specs`, `files`; [`show`], how it all looks; [`batch`], random runs
//! without interaction.
//!
//! [`Semantics::steps`]: crate::model::eval::Semantics::steps

pub mod batch;
pub mod command;
mod condition;
mod files;
pub mod session;
pub mod show;
mod specs;
mod start;
mod timeline;
mod walk;
mod why;

pub use condition::ConditionReader;
pub use session::{Outcome, Reply, Session};

use crate::claim::Claim;
use crate::model::eval::State;
use crate::model::{EdgeId, Formula, InstanceId};

/// The start of a search.
#[derive(Clone, Copy, Debug)]
pub struct Here<'a> {
    /// The state.
    pub state: &'a State,
    /// The receivers and their commands in the step to it: what receive labels say there.
    pub received: &'a [(InstanceId, EdgeId)],
}

/// The services that a session needs from outside.
pub trait World {
    /// Searches for a shortest run that makes the formula false: from here, or else from any initial
    /// state. The claim is not checked yet.
    fn search(&self, from: Option<Here>, formula: &Formula) -> Claim;
    /// The text of a file, or why it cannot be read.
    fn read(&self, path: &str) -> Result<String, String>;
    /// Writes a file, or says why it cannot be written.
    fn write(&self, path: &str, content: &[u8]) -> Result<(), String>;
}
