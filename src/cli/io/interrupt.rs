//! The reaction to Ctrl-C. A process has one handler for it; what it runs one after the other takes turns.

use crate::cli::io::out::remark;
use crate::cli::io::replace;
use crate::cli::status::Status;
use crate::limits::lock;
use anyhow::{Context, Result};
use std::io::{self, IsTerminal};
use std::sync::Mutex;

type Handler = Box<dyn Fn() + Send>;

static CURRENT: Mutex<Option<Handler>> = Mutex::new(None);

/// From now on, this is done on Ctrl-C, or when the process is asked to end.
pub fn on_interrupt(handler: impl Fn() + Send + 'static) -> Result<()> {
    let is_first = lock(&CURRENT).replace(Box::new(handler)).is_none();
    if is_first {
        let react = || lock(&CURRENT).iter().for_each(|handler| handler());
        ctrlc::set_handler(react).context("cannot watch for Ctrl-C")?;
    }
    Ok(())
}

/// Begins a new line where the terminal shows `^C`.
pub fn end_line() {
    if io::stderr().is_terminal() {
        remark("");
    }
}

/// Ends the process as a shell expects it of one that was interrupted. Files that are being written become whole before.
pub fn end() {
    replace::exit(Status::Interrupted.code().into())
}
