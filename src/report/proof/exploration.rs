//! Explorations.

use super::{CONJUNCTS, write_conjunct};
use crate::check::explicit::ProofByExploration;
use crate::claim::explicit::{ClosedSet, PartCertificate, Why};
use crate::claim::symmetry::Renaming;
use crate::model::subformulas::{Obligation, subformulas};
use crate::model::{Formula, Model};
use crate::words::count;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Writes what was visited, and what that says of each conjunct.
pub(super) fn write(out: &mut dyn Write, model: &Model, spec: usize, proof: &ProofByExploration) -> io::Result<()> {
    let certificate = proof.certificate();
    let states = count(proof.states(), "state");
    writeln!(
        out,
        "    all runs were followed, through {states}; a case is a state with what a violation needs from there on"
    )?;
    let generators = certificate.graphs.iter().flat_map(|graph| &graph.generators);
    let alike = orbits(model, generators);
    if !alike.is_empty() {
        writeln!(out, "    symmetric states count once: {} are interchangeable", alike.join(", and "))?;
    }
    let formulas = model.specs[spec].formula.parts();
    for (index, (formula, part)) in formulas.iter().zip(&certificate.parts).enumerate().take(CONJUNCTS) {
        write_conjunct(out, model, spec, index, formula)?;
        match part {
            PartCertificate::Image { of, by } => {
                writeln!(out, "    the same as conjunct {}{}", of + 1, renamed(model, by))?;
            }
            PartCertificate::Closed(set) => write_set(out, model, formula, set)?,
        }
    }
    match formulas.len().saturating_sub(CONJUNCTS) {
        0 => Ok(()),
        more => writeln!(out, "  .. and {} more", count(more, "conjunct")),
    }
}

fn write_set(out: &mut dyn Write, model: &Model, formula: &Formula, set: &ClosedSet) -> io::Result<()> {
    let members = count(set.members.len(), "case");
    let named = set.reasons.iter().flat_map(|why| match why {
        Why::Passing | Why::Witnessed => Vec::new(),
        Why::Pending(eventuality) => vec![(false, *eventuality)],
        Why::Unanswered(conditions) => conditions.iter().map(|condition| (true, *condition)).collect(),
    });
    let named: BTreeSet<(bool, Obligation)> = named.collect();
    let known = subformulas(formula);
    let show = |(is_condition, obligation): &(bool, Obligation)| {
        let formula = model.show_formula(known[obligation.subformula as usize]);
        let comes = match (is_condition, obligation.truth) {
            (false, true) => "comes true",
            (false, false) => "fails",
            (true, true) => "is true",
            (true, false) => "is false",
        };
        format!("`{formula}` {comes}")
    };
    let list: Vec<String> = named.iter().map(show).collect();
    let rounds = match list.is_empty() {
        true => "they have no cycle".to_owned(),
        false => format!("on no cycle through them it happens that {}", list.join(", and that ")),
    };
    writeln!(out, "    no violation in {members}: no step leaves them, and {rounds}")
}

/// Sets of instances that renamings exchange with each other, in words.
fn orbits<'r>(model: &Model, renamings: impl Iterator<Item = &'r Renaming>) -> Vec<String> {
    let mut orbit: Vec<usize> = (0..model.instances.len()).collect();
    for renaming in renamings {
        for (from, &to) in renaming.instances.iter().enumerate() {
            let (one, other) = (orbit[from], orbit[to as usize]);
            orbit.iter_mut().filter(|name| **name == other.max(one)).for_each(|name| *name = one.min(other));
        }
    }
    let members = |name: usize| {
        let inside = orbit.iter().enumerate().filter(|(_, of)| **of == name);
        inside.map(|(instance, _)| model.instances[instance].name.as_str()).collect::<Vec<_>>()
    };
    let all = (0..model.instances.len()).map(members).filter(|members| members.len() > 1);
    all.map(|members| members.join(", ")).collect()
}

/// `, with client1 for client2 and client2 for client1`: what takes whose place, if anything does.
fn renamed(model: &Model, renaming: &Renaming) -> String {
    let name = |index: usize| model.instances[index].name.as_str();
    let moved = renaming.instances.iter().enumerate().filter(|(from, to)| *from != **to as usize);
    let moved: Vec<String> = moved.map(|(from, &to)| format!("{} for {}", name(to as usize), name(from))).collect();
    if moved.is_empty() { String::new() } else { format!(", with {}", moved.join(" and ")) }
}
