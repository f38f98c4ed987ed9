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
use super::names::ExportNames;
use super::relations::{PartQuestion, Relations, questions};
use super::text::Text;
use crate::product::target::Reduction;
use crate::ts::shared::Shared;
use crate::ts::smtlib::write::{application, lines};
use crate::ts::term::{Term, VarId};
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
        let names = ExportNames::new(subject.model, &relations.system);
        let relation = format!("part-{}", part + 1);
        let formula = super::one_line(&subject.model.show_formula(formula));
        writeln!(out, "\n; {relation} of {}: {formula}", questions.len())?;
        for line in names.legend(relations) {
            writeln!(out, "; {line}")?;
        }
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

/// The system of a part as clauses: a fact, a step and a query.
struct Clauses<'a> {
    relations: &'a Relations,
    names: &'a ExportNames,
    /// The name of the relation of the reachable states.
    relation: &'a str,
}

impl Clauses<'_> {
    /// The declaration of the relation.
    fn declaration(&self) -> String {
        let empty = Shared::default();
        let text = self.text(&empty);
        let sorts: Vec<&str> = self.relations.variables.iter().map(|&id| text.sort(id)).collect();
        format!("(declare-fun {} ({}) Bool)\n", self.relation, sorts.join(" "))
    }

    /// That the relation has the initial states.
    fn fact(&self) -> String {
        let shared = self.shared(&self.relations.init);
        let text = self.text(&shared);
        clause(&self.declared(text, now), None, &with_definitions(text, &text.init()), &self.atom(now))
    }

    /// That the relation has the successors of its states.
    fn step(&self) -> String {
        let shared = self.shared(&self.relations.step_terms());
        let text = self.text(&shared);
        let mut variables = self.declared(text, now);
        let inputs = self.relations.inputs.iter();
        variables.extend(inputs.map(|&id| format!("({} {})", text.input(id), text.input_sort(id))));
        variables.extend(self.declared(text, next));
        let mut body = text.possible();
        let updated = |&id: &VarId| application("=", &[next(text.variable(id)), text.next(id)]);
        body.extend(self.relations.variables.iter().map(updated));
        clause(&variables, Some(&self.atom(now)), &with_definitions(text, &body), &self.atom(next))
    }

    /// That the relation has no bad state.
    fn query(&self) -> String {
        let shared = self.shared(&[self.relations.bad]);
        let text = self.text(&shared);
        clause(&self.declared(text, now), Some(&self.atom(now)), &with_definitions(text, &text.bad()), "false")
    }

    fn text<'t>(&'t self, shared: &'t Shared) -> Text<'t> {
        Text { relations: self.relations, names: self.names, shared }
    }

    fn shared(&self, roots: &[Term]) -> Shared {
        Shared::new(self.relations.system.terms(), roots, &[], "term-")
    }

    fn atom(&self, name: impl Fn(String) -> String) -> String {
        let argument = |&id: &VarId| name(self.names.variable(id).to_owned());
        let arguments: Vec<String> = self.relations.variables.iter().map(argument).collect();
        if arguments.is_empty() { self.relation.to_owned() } else { application(self.relation, &arguments) }
    }

    fn declared(&self, text: Text, name: impl Fn(String) -> String) -> Vec<String> {
        let declaration = |&id: &VarId| format!("({} {})", name(text.variable(id)), text.sort(id));
        self.relations.variables.iter().map(declaration).collect()
    }
}

fn now(name: String) -> String {
    name
}

fn next(name: String) -> String {
    name + ".next"
}

/// The conjunction below the definitions that it needs.
fn with_definitions(text: Text, conjuncts: &[String]) -> String {
    let groups = text.shared.groups();
    let mut result = String::new();
    for group in &groups {
        let define =
            |&term: &Term| format!("({} {})", text.shared.name(term).expect("a named term"), text.definition(term));
        let definitions: Vec<String> = group.iter().map(define).collect();
        result.push_str(&format!("(let ({})\n    ", definitions.join("\n          ")));
    }
    result.push_str(&lines("and", conjuncts, 6));
    result.push_str(&")".repeat(groups.len()));
    result
}

/// `forall variables. atom and body => head`
fn clause(variables: &[String], atom: Option<&str>, body: &str, head: &str) -> String {
    let body = match atom {
        Some(atom) => format!("(and {atom}\n    {body})"),
        None => body.to_owned(),
    };
    let clause = format!("(=> {body}\n    {head})");
    if variables.is_empty() {
        return format!("(assert {clause})\n");
    }
    format!("(assert (forall ({})\n  {clause}))\n", variables.join(" "))
}
