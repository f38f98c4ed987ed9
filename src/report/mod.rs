//! Verdicts as text and pictures. Everything here writes to an `io::Write` of the caller, or makes a string.

pub mod chart;
#[cfg(feature = "tool")]
pub mod csv;
mod folding;
pub mod graph;
#[cfg(feature = "tool")]
pub mod horn;
#[cfg(feature = "tool")]
pub mod html;
#[cfg(feature = "tool")]
pub mod human;
#[cfg(feature = "tool")]
pub mod junit;
mod other_runs;
pub mod picture;
pub mod proof;
#[cfg(feature = "tool")]
pub mod record;
#[cfg(feature = "tool")]
pub mod refutation;
#[cfg(feature = "tool")]
pub mod results;
#[cfg(feature = "tool")]
pub mod review;
pub mod round;
#[cfg(feature = "tool")]
pub mod scaling;
pub mod steps;
pub mod strategies;
#[cfg(feature = "tool")]
pub mod summary;
pub mod trace;
