//! Labels of all reachable states.

use crate::check::branching::ProofByLabels;
use crate::check::diagrams::ProofByDiagrams;
use crate::claim::branching::branchings;
use crate::model::branching::Branching;
use crate::model::{Formula, Model};
use crate::words::count;
use std::io::{self, Write};

/// The number of branching formulas that are shown.
const FORMULAS: usize = 12;

/// Writes in how many states each branching formula is true.
pub(super) fn write(out: &mut dyn Write, model: &Model, spec: usize, proof: &ProofByLabels) -> io::Result<()> {
    let alike = if proof.is_symmetric() { ", up to symmetry" } else { "" };
    let all = branchings(&model.specs[spec].formula).into_iter().zip(proof.labels());
    let labelled: Vec<_> = all.filter_map(|(branching, count)| Some((branching, (*count)?.to_string()))).collect();
    let states = proof.states().to_string();
    let reached = format!("{}{alike}", reached(&states));
    if proof.labels().is_empty() {
        writeln!(out, "    {reached}; no initial one begins a run that violates the spec")?;
    } else {
        write_labels(out, model, &reached, &states, &labelled)?;
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

/// The same of sets of states.
pub(super) fn write_sets(out: &mut dyn Write, model: &Model, spec: usize, proof: &ProofByDiagrams) -> io::Result<()> {
    let reached = format!("{}{}", if proof.is_exact() { "" } else { "at most " }, reached(proof.states()));
    if proof.labels().is_empty() {
        return writeln!(out, "    {reached}; no initial one begins a run that violates the spec");
    }
    let labelled = branchings(&model.specs[spec].formula).into_iter().zip(proof.labels().iter().cloned());
    write_labels(out, model, &reached, proof.states(), &labelled.collect::<Vec<_>>())
}

/// In how many of so many states each formula is true.
fn write_labels(
    out: &mut dyn Write,
    model: &Model,
    reached: &str,
    states: &str,
    labelled: &[(&Branching, String)],
) -> io::Result<()> {
    writeln!(out, "    {reached}; in each of them it was found what is true of other runs, and what is known:")?;
    for (branching, label) in labelled.iter().take(FORMULAS) {
        let formula = model.show_formula(&Formula::Branching(Box::new((*branching).clone())));
        let holds = match &label[..] {
            "0" => "nowhere".to_owned(),
            all if all == states => "everywhere".to_owned(),
            some => format!("in {some}"),
        };
        writeln!(out, "      `{formula}` is true {holds}")?;
    }
    match labelled.len().saturating_sub(FORMULAS) {
        0 => Ok(()),
        more => writeln!(out, "      .. and {} more", count(more, "formula")),
    }
}

/// The number of reachable states.
fn reached(states: &str) -> String {
    format!("{states} state{} can be reached", if states == "1" { "" } else { "s" })
}
