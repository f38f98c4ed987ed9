//! `batch` and `report` through the binary: what they write, and what broken input, broken workers and broken runs
//! cost.

mod evidence;
mod expectations;
mod limits;
mod results;
mod runs;
mod units;
