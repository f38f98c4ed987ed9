//! VMT-LIB: a symbolic transition system as annotated SMT-LIB terms.
//!
//! State variables are linked to their next values by `:next`; the other constants are inputs: the
//! event, the receivers' choices, the promises of the tableau. A safety part is an `:invar-property`.
//! Any other part is a `:live-property`, `F G` of "the acceptance of the negation is not seen": the
//! translation is exact, unlike the counting of the Horn clauses.

use super::Subject;
use super::names::ExportNames;
use super::relations::questions;
use super::text::Text;
use crate::product::target::Reduction;
use crate::ts::shared::Shared;
use crate::ts::smtlib::write::{application, lines, sort_name};
use std::io::{self, Write};

/// Writes a part of a spec; numbers start with 0.
pub fn write(out: &mut dyn Write, subject: Subject, spec: usize, part: usize) -> io::Result<()> {
    // Acceptance that is seen more than 0 times is acceptance that is seen.
    let questions = questions(subject.model, &subject.model.specs[spec], 0);
    let question = &questions[part];
    let relations = &question.relations;
    let names = ExportNames::new(subject.model, &relations.system);
    let mut roots = relations.step_terms();
    roots.extend(relations.init.iter().copied().chain([relations.bad]));
    let shared = Shared::new(relations.system.terms(), &roots, &[], "term-");
    let text = Text { relations, names: &names, shared: &shared };
    for line in subject.heading() {
        writeln!(out, "; {line}")?;
    }
    writeln!(out, "; {}", subject.spec(spec))?;
    let formula = subject.model.show_formula(&question.formula);
    writeln!(out, "; part {} of {}: {}", part + 1, questions.len(), super::one_line(&formula))?;
    writeln!(out, "; the spec holds iff the property of every part holds")?;
    for line in names.legend(relations) {
        writeln!(out, "; {line}")?;
    }
    write_variables(out, text)?;
    for &term in shared.order() {
        let sort = sort_name(relations.system.terms().sort(term));
        let name = shared.name(term).expect("a named term");
        writeln!(out, "(define-fun {name} () {sort} {})", text.definition(term))?;
    }
    write_system(out, question.reduction, text)
}

fn write_variables(out: &mut dyn Write, text: Text) -> io::Result<()> {
    writeln!(out, "; state variables")?;
    for (number, &id) in text.relations.variables.iter().enumerate() {
        let (name, sort) = (text.variable(id), text.sort(id));
        writeln!(out, "(declare-fun {name} () {sort})")?;
        writeln!(out, "(declare-fun {name}.next () {sort})")?;
        writeln!(out, "(define-fun state-{number} () {sort} (! {name} :next {name}.next))")?;
    }
    writeln!(out, "; inputs")?;
    for &id in &text.relations.inputs {
        writeln!(out, "(declare-fun {} () {})", text.input(id), text.input_sort(id))?;
    }
    Ok(())
}

fn write_system(out: &mut dyn Write, reduction: Reduction, text: Text) -> io::Result<()> {
    let mut steps = text.possible();
    steps.extend(text.relations.variables.iter().map(|&id| {
        let next = format!("{}.next", text.variable(id));
        application("=", &[next, text.next(id)])
    }));
    let property = match reduction {
        Reduction::Invariance | Reduction::Safety => "invar-property",
        Reduction::Counting(_) | Reduction::Ranking(_) => "live-property",
    };
    let good = application("not", &[text.term(text.relations.bad)]);
    writeln!(out, "(define-fun initial-states () Bool (! {} :init true))", lines("and", &text.init(), 4))?;
    writeln!(out, "(define-fun steps () Bool (! {} :trans true))", lines("and", &steps, 4))?;
    writeln!(out, "(define-fun property () Bool (! {good} :{property} 0))")
}
