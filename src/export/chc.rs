//! Constrained Horn clauses: a relation per part that contains the reachable states of its product.
//!
//! The form of the CHC competition: logic `HORN`, one clause per fact, step and query, atoms over
//! distinct variables. The clauses are satisfiable iff no bad state is reachable; the relation of a
//! model of them is an inductive invariant.
//!
//! For a part that is no safety property the bad states are those in which the acceptance of its
//! negation is seen for the (k + 1)st time (k-liveness): satisfiable still means that the part holds,
//! unsatisfiable means nothing but that k was too small, or the part is violated.

use super::Subject;
use super::horn::Clauses;
use super::names::Names;
use super::question::{PartQuestion, questions};
use crate::product::target::Reduction;
use crate::ts::term::Leaf;
use std::io::{self, Write};

/// Writes the clauses for some parts of a spec, all if `parts` is empty; numbers start with 0.
pub fn write(out: &mut dyn Write, subject: Subject, spec: usize, parts: &[usize], counted: usize) -> io::Result<()> {
    let questions = questions(subject.model, &subject.model.specs[spec], counted);
    let chosen: Vec<usize> = if parts.is_empty() { (0..questions.len()).collect() } else { parts.to_vec() };
    for line in subject.heading() {
        writeln!(out, "; {line}")?;
    }
    writeln!(out, "; {}", subject.spec(spec))?;
    for line in meaning(&questions, &chosen) {
        writeln!(out, "; {line}")?;
    }
    writeln!(out, "(set-logic HORN)")?;
    for part in chosen {
        let PartQuestion { formula, relations, .. } = &questions[part];
        let names = Names::new(subject.model, &relations.system);
        let relation = format!("part-{}", part + 1);
        let formula = super::one_line(&subject.model.show_formula(formula));
        writeln!(out, "\n; {relation} of {}: {formula}", questions.len())?;
        for line in names.legend(relations) {
            writeln!(out, "; {line}")?;
        }
        let names = |leaf: Leaf| names.leaf(leaf).to_owned();
        let clauses = Clauses { relations, names: &names, relation: &relation };
        write!(out, "{}", clauses.declaration())?;
        write!(out, "; initial states\n{}", clauses.fact())?;
        write!(out, "; steps\n{}", clauses.step())?;
        write!(out, "; bad states\n{}", clauses.query())?;
    }
    writeln!(out, "\n(check-sat)\n(exit)")
}

/// The meaning of the answers.
fn meaning(questions: &[PartQuestion], chosen: &[usize]) -> Vec<String> {
    let whose = if chosen.len() == questions.len() { "the spec holds" } else { "the chosen parts of the spec hold" };
    let counted = chosen.iter().find_map(|&part| match questions[part].reduction {
        Reduction::Invariance | Reduction::Safety => None,
        Reduction::Counting(k) | Reduction::Ranking(k) => Some(k),
    });
    let unsat = match counted {
        None => "unsat: the spec is violated".to_owned(),
        Some(k) => format!(
            "unsat: nothing follows; what must not happen infinitely often was seen more than k = {k} times, \
             or a safety part is violated"
        ),
    };
    vec![format!("sat: {whose}"), unsat]
}
