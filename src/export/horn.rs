//! [`Relations`] as constrained Horn clauses: a fact, a step and a query.
//!
//! One relation contains the reachable states: the clauses are satisfiable iff no bad state is reachable, and what
//! they leave of the relation is an inductive invariant. The form is that of the CHC competition: atoms are over
//! distinct variables.

use super::relations::Relations;
use super::text::Text;
use crate::ts::shared::Shared;
use crate::ts::smtlib::write::{application, lines};
use crate::ts::term::{Leaf, Term, VarId};

/// The clauses of some relations.
pub struct Clauses<'a> {
    /// The relations.
    pub relations: &'a Relations,
    /// The names of variables and inputs.
    pub names: &'a dyn Fn(Leaf) -> String,
    /// The name of the relation of the reachable states.
    pub relation: &'a str,
}

impl Clauses<'_> {
    /// The declaration of the relation.
    pub fn declaration(&self) -> String {
        let empty = Shared::default();
        let text = self.text(&empty);
        let sorts: Vec<&str> = self.relations.variables.iter().map(|&id| text.sort(id)).collect();
        format!("(declare-fun {} ({}) Bool)\n", self.relation, sorts.join(" "))
    }

    /// That the relation has the initial states.
    pub fn fact(&self) -> String {
        let shared = self.shared(&self.relations.init);
        let text = self.text(&shared);
        clause(&self.declared(text, now), None, &with_definitions(text, &text.init()), &self.atom(now))
    }

    /// That the relation has the successors of its states.
    pub fn step(&self) -> String {
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
    pub fn query(&self) -> String {
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
        let argument = |&id: &VarId| name((self.names)(Leaf::Var(id)));
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
