//! Checks beyond specs, as arguments.

use crate::model::Model;
use crate::model::checks::{Kinds, checks};
use crate::report::record::Check;
use clap::Args;

/// What to say where overflow was asked for, and nothing can overflow.
pub const NOTHING_TO_CHECK: &str = "no command can overflow: none writes a variable that has a range";

/// What to check instead of the specs.
#[derive(Clone, Copy, Debug, Args)]
pub struct Checks {
    /// Check whether the system can get stuck, instead of the specs.
    #[arg(long)]
    deadlock: bool,
    /// Check for each command whether it can leave the range of a variable, instead of the specs.
    #[arg(long)]
    overflow: bool,
    /// Check for each command whether some run takes it, instead of the specs.
    #[arg(long)]
    dead_code: bool,
}

impl Checks {
    /// The kinds that were asked for.
    pub fn kinds(self) -> Vec<Check> {
        let all =
            [(self.deadlock, Check::Deadlock), (self.overflow, Check::Overflow), (self.dead_code, Check::DeadCode)];
        all.into_iter().filter_map(|(wanted, kind)| wanted.then_some(kind)).collect()
    }
}

/// Appends the checks of these kinds to the specs.
pub fn append(model: &mut Model, kinds: &[Check]) {
    let kinds = Kinds {
        deadlock: kinds.contains(&Check::Deadlock),
        overflow: kinds.contains(&Check::Overflow),
        dead_code: kinds.contains(&Check::DeadCode),
    };
    let checks = checks(model, kinds);
    model.specs.extend(checks);
}
