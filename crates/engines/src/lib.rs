//! Searches with Z3, CaDiCaL, decision diagrams and lists of states. They make claims, never verdicts.

pub mod clauses;
pub mod diagrams;
pub mod engine;
pub mod property;
pub mod simplify;
pub mod smt;

use rcheck_core::{claim, horn, model, product, ts};
use rcheck_kernel::check;
use rcheck_lang::{limits, records, words};

// Files that tests of the library share with those of the whole tool name the library from outside.
#[cfg(test)]
extern crate self as rcheck_smt;
#[cfg(test)]
#[path = "../../../tests/common/oracle.rs"]
#[allow(dead_code)] // Here it is asked about initial states only.
mod oracle;
