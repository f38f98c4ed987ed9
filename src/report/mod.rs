//! Verdicts as text and pictures. Everything here writes to an `io::Write` that somebody else chose, or
//! makes a string.

pub mod cactus;
pub mod chart;
pub mod csv;
pub mod graph;
pub mod html;
pub mod human;
pub mod junit;
mod picture;
pub mod proof;
pub mod record;
pub mod results;
pub mod round;
pub mod summary;
pub mod trace;
