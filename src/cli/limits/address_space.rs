//! The address space that a process may have (`ulimit -v`). Each thread of a search reserves far more than it uses, so a
//! limit that is fit for the memory that is used ends the solver in the middle of things.

use super::jobs::jobs;
use crate::cli::io::out::remark;
use anyhow::{Result, bail};

/// In kilobytes: with less, the solver ends the process, or threads cannot begin.
pub const FOR_A_LOOK: u64 = 2_000_000;

/// The same for a search, which has up to 40 threads.
pub const FOR_A_SEARCH: u64 = 3_000_000;

/// The limit in kilobytes, if there is one.
fn limit() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok().map(|bytes: u64| bytes / 1024)
}

/// Refuses to begin where the solver could not even say that it lacks memory.
pub fn check(least: u64) -> Result<()> {
    match limit().filter(|&limit| limit < least) {
        Some(limit) => bail!(
            "the address space is limited to {limit} kB (`ulimit -v`), which is too little for the solver: allow \
             {least} kB, and limit what is used by `--memory`"
        ),
        None => Ok(()),
    }
}

/// How many searches to run in this process: as many as [`jobs`] says, if there is room for so many.
pub fn searches(wanted: Option<u16>, things: usize) -> usize {
    let jobs = jobs(wanted, things);
    let room = limit().map_or(jobs, |limit| usize::try_from(limit / FOR_A_SEARCH).unwrap_or(jobs).max(1));
    if wanted.is_some() && room < jobs {
        remark(format_args!(
            "note: {room} of {jobs} jobs can run at the same time: each needs {FOR_A_SEARCH} kB of address space \
             (`ulimit -v`)"
        ));
    }
    jobs.min(room)
}
