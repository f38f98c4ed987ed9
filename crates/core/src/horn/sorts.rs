//! Well-sorted clauses, in whose bodies one predicate at most is left.

use super::formula::{self, Marks};
use super::resolve::{ClauseReading, FIRST, Shapes};
use super::{Clauses, Fault};
use crate::ts::term::Terms;

/// Checks that all formulas of the clauses are well sorted, and that engines can make the clauses linear.
pub fn check(clauses: &Clauses) -> Result<(), Vec<Fault>> {
    let mut faults = Vec::new();
    let mut note = |fault| {
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    };
    let marks = Marks::new(clauses);
    for function in clauses.functions.iter() {
        formula::Reader::check(clauses, &marks, function).err().into_iter().for_each(&mut note);
    }
    let mut all = Vec::new();
    for number in 0..clauses.clauses.len() {
        match ClauseReading::of(clauses, &marks, number, &mut Terms::new(), FIRST) {
            Err(fault) => note(fault),
            Ok(readings) => all.extend(readings),
        }
    }
    if faults.is_empty() {
        Shapes::check(clauses, &all).map_err(|fault| vec![fault])?;
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}
