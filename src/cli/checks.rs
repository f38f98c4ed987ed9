//! Checks beyond specs, as arguments.

use crate::model::checks::Kinds;
use clap::Args;

/// What to check instead of the specs.
#[derive(Clone, Copy, Debug, Args)]
pub struct Checks {
    /// Check whether the system can get stuck. Specs are checked as well if they are named by `--spec`.
    #[arg(long)]
    deadlock: bool,
    /// Check for each command whether it can leave the range of a variable.
    #[arg(long)]
    overflow: bool,
    /// Check for each command whether some run takes it.
    #[arg(long)]
    dead_code: bool,
}

impl Checks {
    /// The kinds that were asked for.
    pub fn kinds(self) -> Kinds {
        Kinds { deadlock: self.deadlock, overflow: self.overflow, dead_code: self.dead_code }
    }
}
