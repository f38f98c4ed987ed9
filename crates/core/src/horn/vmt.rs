//! VMT-LIB: transition systems as annotated formulas. Supported are states of truth values and integers, and one
//! `:invar-property`.

use super::reader::Reader;
use super::{Argument, Clause, Clauses, Condition, Fault, Predicate, Question, Statement, Symbol, Variable};
use crate::source::Span;
use crate::ts::smtlib::expression::Id;
use crate::ts::smtlib::read::Functions;
use rustc_hash::{FxHashMap, FxHashSet};

/// The name of the states, where a relation needs a name.
const RELATION: &str = "reachable";

/// Reads a file.
pub fn read(text: &str) -> Result<Clauses<'_>, Vec<Fault>> {
    let reader = Reader::new(text)?;
    let roots = reader.expressions.roots().to_vec();
    let mut system = System {
        reader,
        constants: Vec::new(),
        definitions: Vec::new(),
        next: Vec::new(),
        parts: [None; 3],
        status: None,
    };
    roots.into_iter().for_each(|root| system.command(root));
    system.clauses()
}

/// `:init`, `:trans`, `:invar-property`
const PARTS: [&str; 3] = [":init", ":trans", ":invar-property"];
const TRANS: usize = 1;
const PROPERTY: usize = 2;

struct System<'t> {
    reader: Reader<'t>,
    constants: Vec<Symbol<'t>>,
    definitions: Vec<(Symbol<'t>, Id)>,
    /// State variables with their next values.
    next: Vec<(Id, Id)>,
    /// The formulas of [`PARTS`].
    parts: [Option<Id>; 3],
    status: Option<bool>,
}

impl<'t> System<'t> {
    fn command(&mut self, root: Id) {
        match self.reader.application(root) {
            Some(("declare-fun", operands)) => match operands[..] {
                [name, arguments, sort] if self.reader.list(arguments).is_some_and(|list| list.is_empty()) => {
                    self.declare(name, sort);
                }
                _ => self
                    .reader
                    .fault(root, "functions are not supported; a constant is declared as in `(declare-fun x () Int)`"),
            },
            Some(("declare-const", operands)) => match operands[..] {
                [name, sort] => self.declare(name, sort),
                _ => self.reader.fault(root, "a constant has a name and a sort"),
            },
            Some(("define-fun", operands)) => match operands[..] {
                [name, arguments, sort, body] if self.reader.list(arguments).is_some_and(|list| list.is_empty()) => {
                    self.define(name, sort, body);
                }
                _ => self.reader.fault(root, "functions with arguments are not supported"),
            },
            Some(("set-info", operands)) => self.reader.status(&operands, &mut self.status),
            Some(("set-logic" | "set-option" | "check-sat" | "exit", _)) => {}
            Some(("assert", operands)) if operands.len() == 1 && self.reader.atom(operands[0]) == Some("true") => {}
            Some((command, _)) => self.reader.fault(root, format!("the command `{command}` is not supported")),
            None => self.reader.fault(root, "a command is expected here"),
        }
    }

    fn declare(&mut self, name: Id, sort: Id) {
        if let (Some(name), Some(sort)) = (self.new_name(name), self.reader.sort(sort)) {
            self.constants.push(Symbol { name, sort });
        }
    }

    fn new_name(&mut self, id: Id) -> Option<&'t str> {
        let name = self.reader.name(id)?;
        if name == RELATION {
            self.reader.fault(id, format!("`{name}` is the name of the relation of states here"));
            return None;
        }
        let mut known = self.constants.iter().chain(self.definitions.iter().map(|(symbol, _)| symbol));
        if known.any(|symbol| symbol.name == name) {
            self.reader.fault(id, format!("`{name}` is there twice"));
            return None;
        }
        Some(name)
    }

    fn define(&mut self, name: Id, sort: Id, body: Id) {
        let body = self.annotated(body);
        if let (Some(name), Some(sort)) = (self.new_name(name), self.reader.sort(sort)) {
            self.definitions.push((Symbol { name, sort }, body));
        }
    }

    /// The formula without its annotations, which are noted.
    fn annotated(&mut self, id: Id) -> Id {
        let Some(("!", operands)) = self.reader.application(id) else { return id };
        let Some((&formula, annotations)) = operands.split_first() else {
            self.reader.fault(id, "a formula is missing here");
            return id;
        };
        let mut rest = annotations;
        while let [keyword, others @ ..] = rest {
            let value = others.first().copied().filter(|&value| !self.is_keyword(value));
            rest = if value.is_some() { &others[1..] } else { others };
            let Some(name) = self.reader.atom(*keyword).filter(|name| name.starts_with(':')) else {
                self.reader.fault(*keyword, "an annotation is expected here, as in `:init true`");
                continue;
            };
            self.annotation(*keyword, name, formula, value);
        }
        formula
    }

    fn is_keyword(&self, id: Id) -> bool {
        self.reader.atom(id).is_some_and(|name| name.starts_with(':'))
    }

    fn is_value_of(&self, part: usize, value: Id) -> bool {
        self.reader.atom(value).is_some_and(|value| match part {
            PROPERTY => value == "true" || value.bytes().all(|byte| byte.is_ascii_digit()),
            _ => value == "true",
        })
    }

    fn annotation(&mut self, place: Id, name: &str, formula: Id, value: Option<Id>) {
        if let Some(part) = PARTS.iter().position(|part| *part == name) {
            if let Some(value) = value.filter(|&value| !self.is_value_of(part, value)) {
                let wanted = if part == PROPERTY { "its number" } else { "`true`" };
                self.reader.fault(value, format!("the value of `{name}` is {wanted}"));
            }
            if self.parts[part].replace(formula).is_some() {
                let several = "several are not supported: verify them one by one, or their conjunction";
                self.reader.fault(place, format!("a second `{name}`; {several}"));
            }
            return;
        }
        match (name, value) {
            (":next", Some(next)) if self.constant(formula).is_some() && self.constant(next).is_some() => {
                let (now, then) = (self.constant(formula), self.constant(next));
                if now.map(|symbol| symbol.sort) != then.map(|symbol| symbol.sort) {
                    self.reader.fault(next, "the next value has another sort");
                }
                self.next.push((formula, next));
            }
            (":next", _) => self.reader.fault(place, "`:next` stands between two declared constants"),
            (":live-property", _) => {
                self.reader.fault(place, "`:live-property` is not supported, only `:invar-property`")
            }
            _ => {}
        }
    }

    fn constant(&self, id: Id) -> Option<&Symbol<'t>> {
        let name = self.reader.atom(id)?;
        self.constants.iter().find(|symbol| symbol.name == name)
    }

    /// Each variable has one next value, which is no variable itself, and of no other one. A system may have no variable:
    /// then it has one state.
    fn check_next(&mut self, now: &[Id], then: &[Id]) {
        let same = |reader: &Reader, ids: &[Id], id: Id| ids.iter().any(|&other| reader.atom(other) == reader.atom(id));
        for (index, &id) in now.iter().enumerate() {
            if same(&self.reader, &now[..index], id) {
                self.reader.fault(id, "a second `:next` of this variable");
            }
        }
        for (index, &id) in then.iter().enumerate() {
            if same(&self.reader, &then[..index], id) || same(&self.reader, now, id) {
                self.reader.fault(id, "this cannot be a next value: it has another role already");
            }
        }
    }

    /// Next values are read by `:trans` alone. A name that is neither a variable nor a next value is chosen anew in
    /// each clause, so that only one part may read it.
    fn check_readers(&mut self, parts: [Id; 3], now: &[Id], then: &[Id]) {
        let names = |ids: &[Id]| -> Vec<_> { ids.iter().filter_map(|&id| self.reader.atom(id)).collect() };
        let (now, then) = (names(now), names(then));
        let mut reader_of: FxHashMap<&str, usize> = FxHashMap::default();
        for (part, formula) in parts.into_iter().enumerate() {
            for (id, name) in self.constants_of(formula) {
                if then.contains(&name) && part != TRANS {
                    self.reader.fault(id, format!("`{name}` is a next value, which only `:trans` may read"));
                } else if !now.contains(&name) && !then.contains(&name) {
                    let first = *reader_of.entry(name).or_insert(part);
                    if first != part {
                        let (one, other) = (PARTS[first], PARTS[part]);
                        let what = format!(
                            "`{name}` has no next value, and `{one}` and `{other}` read it; give it one, so that it is part of the state"
                        );
                        self.reader.fault(id, what);
                    }
                }
            }
        }
    }

    /// The constants that a formula reads, also in what it names, each with a place.
    fn constants_of(&self, formula: Id) -> Vec<(Id, &'t str)> {
        let (mut found, mut seen, mut work) = (Vec::new(), FxHashSet::default(), vec![formula]);
        while let Some(id) = work.pop() {
            match self.reader.atom(id) {
                Some(name) if !seen.insert(name) => {}
                Some(name) if self.constant(id).is_some() => found.push((id, name)),
                Some(name) => {
                    work.extend(
                        self.definitions.iter().filter(|(symbol, _)| symbol.name == name).map(|(_, body)| *body),
                    );
                }
                None => work.extend(self.reader.list(id).into_iter().flatten()),
            }
        }
        found.sort();
        found
    }

    fn clauses(mut self) -> Result<Clauses<'t>, Vec<Fault>> {
        for (part, name) in self.parts.into_iter().zip(PARTS) {
            if part.is_none() && self.reader.faults.is_empty() {
                self.reader.missing(format!("no formula is annotated with `{name}`"));
            }
        }
        let [Some(init), Some(trans), Some(property)] = self.parts else { return Err(self.reader.faults) };
        let (now, then): (Vec<Id>, Vec<Id>) = self.next.iter().copied().unzip();
        self.check_next(&now, &then);
        self.check_readers([init, trans, property], &now, &then);
        if !self.reader.faults.is_empty() {
            return Err(self.reader.faults);
        }
        let argument = |&id: &Id| {
            let Symbol { name, sort } = self.constant(id).expect("it is declared");
            Argument { name: (*name).to_owned(), sort: *sort }
        };
        let arguments = now.iter().map(argument).collect();
        let variables: Vec<Variable> = self.constants.iter().cloned().map(Variable::free).collect();
        let clause = |formula: Id, negated: bool, before: Option<&Vec<Id>>, after: Option<&Vec<Id>>| Clause {
            variables: variables.clone(),
            statement: Statement::Step {
                conditions: vec![Condition { formula, negated }],
                before: before.cloned(),
                after: after.cloned(),
            },
            span: Span::from(self.reader.expressions.span(formula)),
        };
        let clauses = vec![
            clause(init, false, None, Some(&now)),
            clause(trans, false, Some(&now), Some(&then)),
            clause(property, true, Some(&now), None),
        ];
        let expressions = self.reader.expressions;
        Ok(Clauses {
            expressions,
            predicates: vec![Predicate { name: RELATION, arguments, place: None }],
            functions: Functions::default(),
            definitions: self.definitions,
            clauses,
            question: Question::Satisfiable,
            status: self.status,
        })
    }
}
