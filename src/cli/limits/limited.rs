//! Limits of commands that have no verdicts: what does not end in time is given up as a whole.

use crate::cli::arguments::{parse_duration, parse_megabytes};
use crate::cli::io::out::remark;
use crate::cli::limits::watchdog;
use crate::cli::status::Status;
use anyhow::Result;
use clap::Args;
use std::time::Duration;

/// Limits of a whole command.
#[derive(Clone, Copy, Debug, Args)]
pub struct Limited {
    /// Give up after this time: `90`, `90s`, `5m`, `1h`.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Give up when the process uses this much memory: megabytes, or `4G`.
    #[arg(long, value_name = "SIZE", value_parser = parse_megabytes)]
    pub memory: Option<u32>,
}

impl Limited {
    /// Works within the limits. Beyond them, all that is said is that it was given up, as in `what`.
    pub fn run(self, what: &'static str, work: impl FnOnce() -> Result<Status>) -> Result<Status> {
        const ALL: usize = 0;
        watchdog::limit_memory(self.memory);
        watchdog::on_break_say(what);
        watchdog::limited(ALL, self.timeout, work).unwrap_or_else(|reason| {
            remark(format_args!("error: {what}: {reason}"));
            Ok(Status::Unknown)
        })
    }
}
