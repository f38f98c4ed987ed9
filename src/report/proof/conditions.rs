//! Conditions of what is known.

use super::write as write_proof;
use crate::check::branching::conditions::ProofByConditions;
use crate::model::Formula;
use std::io::{self, Write};

/// Writes what shows to whom that something is the case, and why that is so.
pub(super) fn write(out: &mut dyn Write, proof: &ProofByConditions, whole: &str) -> io::Result<()> {
    let model = proof.model();
    for (known, condition) in proof.conditions() {
        let known = model.show_formula(&Formula::Branching(Box::new(known.clone())));
        let condition = model.show_state_expr(condition);
        writeln!(out, "    `{known}` where `{condition}`")?;
    }
    for (spec, part) in proof.proofs().iter().enumerate() {
        let formula = model.show_formula(&model.specs[spec].formula);
        writeln!(out, "    because `{formula}` holds:")?;
        write_proof(out, model, spec, part, whole)?;
    }
    Ok(())
}
