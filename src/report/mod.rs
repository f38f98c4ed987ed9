//! Verdicts as text. Everything here writes to an `io::Write` that somebody else chose.

pub mod cactus;
pub mod csv;
pub mod html;
pub mod human;
pub mod junit;
pub mod record;
pub mod results;
pub mod summary;
pub mod trace;
