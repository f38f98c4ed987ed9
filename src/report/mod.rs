//! Verdicts as text. Everything here writes to an `io::Write` that somebody else chose.

pub mod human;
pub mod record;
pub mod trace;
