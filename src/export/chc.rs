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
use super::names::Names;
use super::question::{Question, questions};
use super::smtlib::Text;
use crate::property::reduction::Reduction;
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
        let names = Names::new(subject.model, &questions[part].system);
        let clauses =
            Clauses { subject, question: &questions[part], names: &names, relation: format!("part-{}", part + 1) };
        clauses.write(out, questions.len())?;
    }
    writeln!(out, "\n(check-sat)\n(exit)")
}

/// What the answers mean.
fn meaning(questions: &[Question], chosen: &[usize]) -> Vec<String> {
    let whose = if chosen.len() == questions.len() { "the spec holds" } else { "the chosen parts of the spec hold" };
    let counted = chosen.iter().find_map(|&part| match questions[part].reduction {
        Reduction::Safety => None,
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

struct Clauses<'a> {
    subject: Subject<'a>,
    question: &'a Question,
    names: &'a Names,
    relation: String,
}

impl Clauses<'_> {
    fn write(&self, out: &mut dyn Write, parts: usize) -> io::Result<()> {
        let formula = self.subject.model.show_formula(&self.question.formula);
        writeln!(out, "\n; {} of {parts}: {}", self.relation, super::one_line(&formula))?;
        let empty = Shared::default();
        for line in self.text(&empty).legend() {
            writeln!(out, "; {line}")?;
        }
        let sorts: Vec<&str> = self.question.variables.iter().map(|&id| self.text(&empty).sort(id)).collect();
        writeln!(out, "(declare-fun {} ({}) Bool)", self.relation, sorts.join(" "))?;
        self.fact(out)?;
        self.step(out)?;
        self.query(out)
    }

    fn text<'t>(&'t self, shared: &'t Shared) -> Text<'t> {
        Text { question: self.question, names: self.names, shared }
    }

    fn shared(&self, roots: &[Term]) -> Shared {
        Shared::new(self.question.system.terms(), roots, &[], "term-")
    }

    fn atom(&self, name: impl Fn(VarId) -> String) -> String {
        let arguments: Vec<String> = self.question.variables.iter().map(|&id| name(id)).collect();
        if arguments.is_empty() { self.relation.clone() } else { application(&self.relation, &arguments) }
    }

    fn now(&self, id: VarId) -> String {
        self.names.variable(id).to_owned()
    }

    fn next(&self, id: VarId) -> String {
        format!("{}.next", self.names.variable(id))
    }

    fn declared(&self, text: Text, name: impl Fn(VarId) -> String) -> Vec<String> {
        self.question.variables.iter().map(|&id| format!("({} {})", name(id), text.sort(id))).collect()
    }

    fn fact(&self, out: &mut dyn Write) -> io::Result<()> {
        let shared = self.shared(&self.question.init);
        let text = self.text(&shared);
        writeln!(out, "; initial states")?;
        let variables = self.declared(text, |id| self.now(id));
        write_clause(out, &variables, None, &with_definitions(text, &text.init()), &self.atom(|id| self.now(id)))
    }

    fn step(&self, out: &mut dyn Write) -> io::Result<()> {
        let shared = self.shared(&self.question.step_terms());
        let text = self.text(&shared);
        writeln!(out, "; steps")?;
        let mut variables = self.declared(text, |id| self.now(id));
        let inputs = self.question.inputs.iter();
        variables.extend(inputs.map(|&id| format!("({} {})", text.input(id), text.input_sort(id))));
        variables.extend(self.declared(text, |id| self.next(id)));
        let mut body = text.possible();
        body.extend(self.question.variables.iter().map(|&id| application("=", &[self.next(id), text.next(id)])));
        let (before, after) = (self.atom(|id| self.now(id)), self.atom(|id| self.next(id)));
        write_clause(out, &variables, Some(&before), &with_definitions(text, &body), &after)
    }

    fn query(&self, out: &mut dyn Write) -> io::Result<()> {
        let shared = self.shared(&[self.question.bad]);
        let text = self.text(&shared);
        writeln!(out, "; bad states")?;
        let mut body = text.domains();
        body.push(text.term(self.question.bad));
        let atom = self.atom(|id| self.now(id));
        write_clause(out, &self.declared(text, |id| self.now(id)), Some(&atom), &with_definitions(text, &body), "false")
    }
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
fn write_clause(
    out: &mut dyn Write,
    variables: &[String],
    atom: Option<&str>,
    body: &str,
    head: &str,
) -> io::Result<()> {
    let body = match atom {
        Some(atom) => format!("(and {atom}\n    {body})"),
        None => body.to_owned(),
    };
    let clause = format!("(=> {body}\n    {head})");
    if variables.is_empty() {
        return writeln!(out, "(assert {clause})");
    }
    writeln!(out, "(assert (forall ({})\n  {clause}))", variables.join(" "))
}
