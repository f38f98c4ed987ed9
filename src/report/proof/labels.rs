//! Labels of all reachable states.

use super::WIDTH;
use crate::check::branching::ProofByLabels;
use crate::claim::branching::{Counts, branchings};
use crate::diag::excerpt;
use crate::model::{Formula, Model};
use crate::words::count;
use std::io::{self, Write};

/// So many branching formulas are shown.
const FORMULAS: usize = 12;

/// Writes in how many states each branching formula is true.
pub(super) fn write(out: &mut dyn Write, model: &Model, spec: usize, proof: &ProofByLabels) -> io::Result<()> {
    let labels = proof.labelling().labels.iter().map(|label| label.len().to_string()).collect();
    let counts = Counts { order: Vec::new(), states: proof.states().to_string(), labels };
    write_counts(out, model, spec, &counts)
}

/// The same of numbers.
pub(super) fn write_counts(out: &mut dyn Write, model: &Model, spec: usize, counts: &Counts) -> io::Result<()> {
    let states = if counts.states == "1" { "1 state".to_owned() } else { format!("{} states", counts.states) };
    writeln!(
        out,
        "    {states} can be reached; in each of them it was found what is true of other runs, and what is known:"
    )?;
    let labels = &counts.labels;
    for (branching, label) in branchings(&model.specs[spec].formula).iter().zip(labels).take(FORMULAS) {
        let formula = model.show_formula(&Formula::Branching(Box::new((*branching).clone())));
        let holds = match &label[..] {
            "0" => "nowhere".to_owned(),
            all if all == counts.states => "everywhere".to_owned(),
            some => format!("in {some}"),
        };
        writeln!(out, "      `{}` is true {holds}", excerpt(&formula, WIDTH))?;
    }
    match labels.len().saturating_sub(FORMULAS) {
        0 => Ok(()),
        more => writeln!(out, "      .. and {} more", count(more, "formula")),
    }
}
