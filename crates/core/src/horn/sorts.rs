//! Well-sorted, linear clauses.

use super::formula::{self, Marks};
use super::resolve::{ClauseReading, FIRST};
use super::{Clauses, Fault};
use crate::ts::term::Terms;

/// No more clauses are made of those with a predicate without arguments.
const MOST_TOGETHER: usize = 10_000;

/// Checks that all formulas of the clauses are well sorted, and the clauses linear.
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
    let (mut heads, mut bodies) = (vec![0_usize; clauses.predicates.len()], vec![0_usize; clauses.predicates.len()]);
    for (number, clause) in clauses.clauses.iter().enumerate() {
        match ClauseReading::of(clauses, &marks, number, &mut Terms::new(), FIRST) {
            Err(fault) => note(fault),
            Ok(readings) => {
                for reading in readings {
                    reading.before.into_iter().for_each(|atom| bodies[atom.predicate] += 1);
                    reading.after.into_iter().for_each(|atom| heads[atom.predicate] += 1);
                }
            }
        }
        // A product of such numbers is what `resolve` makes of them.
        let most = heads.iter().zip(&bodies).enumerate();
        for (predicate, (heads, bodies)) in most.filter(|&(predicate, _)| Some(predicate) != clauses.main()) {
            if heads * bodies > MOST_TOGETHER {
                let name = clauses.predicates[predicate].name;
                let what = format!("`{name}` is in too many heads and bodies: more than {MOST_TOGETHER} pairs");
                note(Fault { span: clause.span, what });
                return Err(faults);
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}
