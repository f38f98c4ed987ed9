//! Labels of all reachable states.

use super::WIDTH;
use crate::check::branching::ProofByLabels;
use crate::claim::branching::branchings;
use crate::diag::excerpt;
use crate::model::{Formula, Model};
use crate::words::count;
use std::io::{self, Write};

/// So many branching formulas are shown.
const FORMULAS: usize = 12;

/// Writes in how many states each branching formula is true.
pub(super) fn write(out: &mut dyn Write, model: &Model, spec: usize, proof: &ProofByLabels) -> io::Result<()> {
    let states = count(proof.states(), "state");
    let alike = if proof.is_symmetric() { ", up to symmetry" } else { "" };
    writeln!(
        out,
        "    {states} can be reached{alike}; in each of them it was found what is true of other runs, and what is known:"
    )?;
    let labelled = branchings(&model.specs[spec].formula).into_iter().zip(&proof.labelling().labels).enumerate();
    let labelled = labelled.filter(|(index, _)| proof.is_labelled(*index)).map(|(_, both)| both);
    for (branching, label) in labelled.take(FORMULAS) {
        let formula = model.show_formula(&Formula::Branching(Box::new(branching.clone())));
        let holds = match label.len() {
            0 => "nowhere".to_owned(),
            all if all == proof.states() => "everywhere".to_owned(),
            some => format!("in {some}"),
        };
        writeln!(out, "      `{}` is true {holds}", excerpt(&formula, WIDTH))?;
    }
    match proof.formulas().saturating_sub(FORMULAS) {
        0 => {}
        more => writeln!(out, "      .. and {} more", count(more, "formula"))?,
    }
    match proof.labelling().images.len() {
        0 => Ok(()),
        images => writeln!(
            out,
            "    {} by renaming",
            if images == 1 { "1 more conjunct follows".to_owned() } else { format!("{images} more conjuncts follow") }
        ),
    }
}
