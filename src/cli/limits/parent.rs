//! A program that runs the tool for itself, as the Python module does, may be killed; the tool must not go on alone then.

use crate::cli::io::replace;
use crate::cli::status::Status;
use std::os::unix::process::parent_id;
use std::thread;
use std::time::Duration;

/// Set by the process that the tool shall not outlive.
const VARIABLE: &str = "RCHECK_SMT_DEPENDENT";

const LOOK_EVERY: Duration = Duration::from_millis(200);

/// From now on, the process ends when it is not its parent's child any more, if that asked for it.
pub fn end_with_it() {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    let parent = parent_id();
    thread::spawn(move || {
        while parent_id() == parent {
            thread::sleep(LOOK_EVERY);
        }
        replace::exit(Status::Interrupted.code().into())
    });
}
