//! The subformulas of a formula by numbers, as evidence names them.

use super::Formula;
use crate::limits::tick;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// That a subformula has to be true, or false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Obligation {
    /// Its index in [`subformulas`] of the conjunct.
    pub subformula: u32,
    /// The truth value that it has to have.
    pub truth: bool,
}

/// The subformulas of a formula, itself included, each once, in the order in which they end: operands
/// stand before what is made of them, and the formula itself is last.
pub fn subformulas(formula: &Formula) -> Vec<&Formula> {
    let (mut list, mut known) = (Vec::new(), FxHashSet::default());
    collect(formula, &mut list, &mut known);
    list
}

fn collect<'f>(formula: &'f Formula, list: &mut Vec<&'f Formula>, known: &mut FxHashSet<&'f Formula>) {
    tick();
    if !known.contains(formula) {
        formula.for_each_child(&mut |child| collect(child, list, known));
        known.insert(formula);
        list.push(formula);
    }
}
