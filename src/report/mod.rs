//! Verdicts as text and pictures. Everything here writes to an `io::Write` that somebody else chose, or
//! makes a string.

pub mod chart;
pub mod human;
mod picture;
pub mod trace;
