//! How much is done at the same time.

use crate::cli::io::out::remark;
use crate::words::count;
use std::thread::available_parallelism;

/// The largest number of jobs per core: with more, each only waits for the others.
const MOST_PER_CORE: usize = 8;

/// How many jobs to run: as many as the user wants, or one per core; never more than there are things to do. Says so if it
/// is less than what the user wants.
pub fn jobs(wanted: Option<u16>, things: usize) -> usize {
    let cores = available_parallelism().map_or(1, usize::from);
    let (wanted, most) = (wanted.map_or(cores, usize::from).min(things.max(1)), cores * MOST_PER_CORE);
    if wanted > most {
        remark(format_args!(
            "note: {most} jobs run at the same time, not {wanted}: more gain nothing on {}",
            count(cores, "core")
        ));
    }
    wanted.min(most)
}
