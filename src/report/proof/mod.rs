//! Why a spec holds, in the words of the model: invariants over the variables of agents, or what an exploration saw.
//!
//! The text shows the evidence that was checked, as far as it is short enough to read, and counts the parts that it
//! leaves out.
//!
//! A new reduction needs a case of `because` in [`invariant`], and one in [`names`] if it adds variables.

mod conditions;
mod exploration;
mod invariant;
mod labels;
mod names;
mod progress;
mod strategies;
mod uniform;

use crate::check::{Proof, ProofBy};
use crate::model::{Formula, Model};
use std::io::{self, Write};

/// The number of conjuncts of a spec that are explained.
const CONJUNCTS: usize = 6;
/// The number of clauses of an invariant that are shown.
const CLAUSES: usize = 12;

/// Writes why the spec holds, a paragraph per line. `whole` says where to find what is too long to be shown.
pub fn write(out: &mut dyn Write, model: &Model, spec: usize, proof: &Proof, whole: &str) -> io::Result<()> {
    match proof.by() {
        ProofBy::Invariants(certificate) => invariant::write(out, model, spec, certificate, whole)?,
        ProofBy::Exploration(proof) => exploration::write(out, model, spec, proof)?,
        ProofBy::Conditions(proof) => conditions::write(out, proof, whole)?,
        ProofBy::Labels(proof) => labels::write(out, model, spec, proof)?,
        ProofBy::Diagrams(proof) => labels::write_sets(out, model, spec, proof)?,
        ProofBy::Strategies(proof) => strategies::write(out, model, proof, whole)?,
        ProofBy::Uniform(uniform) => uniform::write(out, uniform, whole)?,
    }
    writeln!(out)
}

/// A conjunct of a spec at the beginning of what is said about it; nothing if there is only one.
fn write_conjunct(out: &mut dyn Write, model: &Model, spec: usize, index: usize, formula: &Formula) -> io::Result<()> {
    match model.show_conjunct(&model.specs[spec], index) {
        Some(name) => writeln!(out, "  {name}: `{}`", model.show_formula(formula)),
        None => Ok(()),
    }
}
