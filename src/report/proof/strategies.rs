//! Strategies, and why they do what is asked for.

use super::write as write_proof;
use crate::check::strategies::{Answer, ProofByStrategies, Why};
use crate::model::{Formula, Model};
use crate::report::strategies::{show_can, write_pieces, write_strategy};
use crate::words::count;
use std::io::{self, Write};

/// Writes which strategies there are, and why the rest of the spec holds.
pub(super) fn write(out: &mut dyn Write, model: &Model, proof: &ProofByStrategies, whole: &str) -> io::Result<()> {
    write_pieces(out, model, proof.answers())?;
    proof.answers().answers().iter().try_for_each(|answer| write_answer(out, model, answer, whole))?;
    let rest = proof.answers().rest();
    let formula = &rest.specs[0].formula;
    if *formula != Formula::TRUE {
        writeln!(out, "    what remains, `{}`, holds:", rest.show_formula(formula))?;
        write_proof(out, rest, 0, proof.rest(), whole)?;
    }
    Ok(())
}

fn write_answer(out: &mut dyn Write, model: &Model, answer: &Answer, whole: &str) -> io::Result<()> {
    let can = show_can(model, answer);
    match answer.why() {
        Why::Can { strategy, outcome, proofs } => {
            writeln!(out, "    `{can}` is true, by this strategy:")?;
            write_strategy(out, model, strategy)?;
            for (spec, proof) in proofs.iter().enumerate() {
                let formula = outcome.show_formula(&outcome.specs[spec].formula);
                writeln!(out, "    because `{formula}` holds where members decide so:")?;
                write_proof(out, outcome, spec, proof, whole)?;
            }
            Ok(())
        }
        Why::Cannot { runs, .. } => {
            let runs = count(runs.failures.len(), "run");
            writeln!(out, "    `{can}` is false: each strategy allows one of {runs} that violate it")
        }
    }
}
