//! Models and what they mean: on values ([`model::eval`]) and as transition systems ([`ts`]), with what engines claim of them. Knows
//! no solver.

pub mod claim;
pub mod horn;
pub mod ispl;
pub mod model;
pub mod product;
pub mod reading;
pub mod trace_file;
pub mod ts;

use rcheck_lang::{diag, escape, intervals, language, limits, records, source, syntax, words};

// Files that tests of the library share with those of the whole tool name the library from outside.
#[cfg(test)]
extern crate self as rcheck_smt;
#[cfg(test)]
#[path = "../../../tests/common/oracle.rs"]
#[allow(dead_code)] // Here it is asked about initial states only.
mod oracle;
