//! A second reader of VMT-LIB and of the Horn clauses: rebuilds a transition system from the text.

use super::script::{Scope, Value, evaluate};
use super::text::{Sexp, parse};
use std::collections::HashMap;

/// A transition system as it was read.
#[derive(Debug, Default)]
pub struct Read {
    /// State variables, each with the name of its next value.
    pub variables: Vec<(String, String)>,
    pub inputs: Vec<String>,
    init: Option<Sexp>,
    trans: Option<Sexp>,
    bad: Option<Sexp>,
    /// `invar-property` or `live-property`.
    pub property: String,
    /// Definitions in their order.
    definitions: Vec<(String, Sexp)>,
}

impl Read {
    /// Reads VMT-LIB.
    pub fn vmt(text: &str) -> Read {
        let mut read = Read::default();
        let mut declared = Vec::new();
        for command in parse(text) {
            let members = command.list();
            let name = members[1].atom().to_owned();
            match members[0].atom() {
                "declare-fun" => declared.push(name),
                "define-fun" if members[4].is("!") => read.annotated(members[4].list()),
                "define-fun" => read.definitions.push((name, members[4].clone())),
                other => panic!("{other} is no command of VMT-LIB"),
            }
        }
        let is_state = |name: &String| read.variables.iter().any(|(now, next)| now == name || next == name);
        read.inputs = declared.into_iter().filter(|name| !is_state(name)).collect();
        read
    }

    fn annotated(&mut self, members: &[Sexp]) {
        let (term, value) = (members[1].clone(), members[3].atom());
        match members[2].atom() {
            ":next" => self.variables.push((term.atom().to_owned(), value.to_owned())),
            ":init" => self.init = Some(term),
            ":trans" => self.trans = Some(term),
            property => {
                self.property = property.trim_start_matches(':').to_owned();
                self.bad = Some(Sexp::List(vec![Sexp::Atom("not".to_owned()), term]));
            }
        }
    }

    /// Reads Horn clauses: a system per relation, in their order.
    pub fn chc(text: &str) -> Vec<Read> {
        let mut systems: Vec<(String, Read)> = Vec::new();
        for command in parse(text) {
            let members = command.list();
            match members[0].atom() {
                "declare-fun" => systems.push((members[1].atom().to_owned(), Read::default())),
                "assert" => {
                    let (relation, system) = systems.last_mut().expect("relations are declared first");
                    system.clause(relation, &members[1]);
                }
                "set-logic" | "check-sat" | "exit" => {}
                other => panic!("{other} is no command for Horn clauses"),
            }
        }
        systems.into_iter().map(|(_, system)| system).collect()
    }

    fn clause(&mut self, relation: &str, clause: &Sexp) {
        let (bound, implication) = match clause.is("forall") {
            true => (clause.list()[1].list(), &clause.list()[2]),
            false => (&[][..], clause),
        };
        let bound: Vec<String> = bound.iter().map(|sorted| sorted.list()[0].atom().to_owned()).collect();
        let [_, body, head] = implication.list() else { panic!("{implication:?} is no implication") };
        let arguments = |atom: &Sexp| match atom {
            Sexp::Atom(name) => (name == relation).then(Vec::new),
            Sexp::List(members) if members[0].atom() == relation => {
                Some(members[1..].iter().map(|argument| argument.atom().to_owned()).collect::<Vec<_>>())
            }
            Sexp::List(_) => None,
        };
        let before = if body.is("and") { arguments(&body.list()[1]) } else { None };
        match (before, arguments(head)) {
            (None, Some(_)) => self.init = Some(body.clone()),
            (Some(now), Some(next)) => {
                self.inputs = bound.into_iter().filter(|name| !now.contains(name) && !next.contains(name)).collect();
                self.variables = now.into_iter().zip(next).collect();
                self.trans = Some(body.list()[2].clone());
            }
            (Some(_), None) => {
                assert_eq!(head.atom(), "false");
                self.bad = Some(body.list()[2].clone());
            }
            (None, None) => panic!("a clause without {relation}"),
        }
    }

    fn holds(&self, term: &Option<Sexp>, scope: &Scope) -> bool {
        let mut scope = scope.clone();
        for (name, definition) in &self.definitions {
            let value = evaluate(definition, &scope);
            scope.insert(name.clone(), value);
        }
        evaluate(term.as_ref().expect("the system is complete"), &scope).is_true()
    }

    /// True if a state is initial.
    pub fn is_initial(&self, state: &Scope) -> bool {
        self.holds(&self.init, &self.complete(state))
    }

    /// True if a state is bad.
    pub fn is_bad(&self, state: &Scope) -> bool {
        self.holds(&self.bad, &self.complete(state))
    }

    /// Definitions may read inputs that initial and bad states do not depend on.
    fn complete(&self, state: &Scope) -> Scope {
        let mut scope: HashMap<String, Value> = state.clone();
        for input in &self.inputs {
            let value = if input.starts_with("promise") || input.starts_with("choice") {
                Value::Bool(false)
            } else {
                Value::Int(0)
            };
            scope.entry(input.clone()).or_insert(value);
        }
        scope
    }

    /// True if there is a step between two states with these inputs.
    pub fn is_step(&self, state: &Scope, inputs: &Scope, target: &Scope) -> bool {
        let mut scope = state.clone();
        scope.extend(inputs.clone());
        scope.extend(self.variables.iter().map(|(now, next)| (next.clone(), target[now])));
        self.holds(&self.trans, &scope)
    }
}
