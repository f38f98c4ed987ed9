//! The common part of both readers: declarations, and faults at their places.

use super::{Fault, Sort, Symbol, application, atom};
use crate::source::Span;
use crate::ts::smtlib::Problem;
use crate::ts::smtlib::expression::{Expression, Expressions, Id, is_name, is_word};

/// The number of those that are told of.
const MOST_FAULTS: usize = 20;

/// Names that cannot be declared.
const OPERATORS: [&str; 21] = [
    "true", "false", "not", "and", "or", "xor", "=>", "=", "distinct", "ite", "<=", "<", ">=", ">", "+", "-", "*", "/",
    "div", "mod", "abs",
];

/// Reads the commands of a file, and collects what is wrong with it.
pub struct Reader<'t> {
    pub expressions: Expressions<'t>,
    pub faults: Vec<Fault>,
}

impl<'t> Reader<'t> {
    pub fn new(text: &'t str) -> Result<Reader<'t>, Vec<Fault>> {
        match Expressions::read(text) {
            Ok(expressions) => Ok(Reader { expressions, faults: Vec::new() }),
            Err(problem) => Err(vec![problem.into()]),
        }
    }

    pub fn fault(&mut self, id: Id, what: impl Into<String>) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(Fault { span: self.expressions.span(id).into(), what: what.into() });
        }
    }

    /// Something that is missing in the file.
    pub fn missing(&mut self, what: impl Into<String>) {
        let end = self.expressions.end();
        self.faults.push(Fault { span: Span::new(end, end), what: what.into() });
    }

    /// The operator and the operands of an application.
    pub fn application(&self, id: Id) -> Option<(&'t str, Vec<Id>)> {
        application(&self.expressions, id).map(|(operator, operands)| (operator, operands.to_vec()))
    }

    pub fn list(&self, id: Id) -> Option<Vec<Id>> {
        match self.expressions.get(id) {
            Expression::List(items) => Some(items.clone()),
            Expression::Atom(_) | Expression::Text(_) => None,
        }
    }

    pub fn atom(&self, id: Id) -> Option<&'t str> {
        atom(&self.expressions, id)
    }

    pub fn sort(&mut self, id: Id) -> Option<Sort> {
        match self.atom(id) {
            Some("Bool") => return Some(Sort::Bool),
            Some("Int") => return Some(Sort::Int),
            _ => {}
        }
        let what = format!("sorts are Bool and Int; `{}` is not supported", self.expressions.slice(id));
        self.fault(id, what);
        None
    }

    /// A name that is declared.
    pub fn name(&mut self, id: Id) -> Option<&'t str> {
        let name = self.atom(id).filter(|name| is_name(name));
        match name {
            None => self.fault(id, "a name is expected here"),
            Some(name) if OPERATORS.contains(&name) || is_word(name) => {
                self.fault(id, format!("`{name}` has a meaning in SMT-LIB; give this another name"));
            }
            Some(_) => return name,
        }
        None
    }

    /// `((x Int) (b Bool))`
    pub fn bound(&mut self, id: Id) -> Vec<Symbol<'t>> {
        let Some(list) = self.list(id) else {
            self.fault(id, "variables with their sorts are expected here, as in `((x Int))`");
            return Vec::new();
        };
        let mut symbols: Vec<Symbol> = Vec::new();
        for pair in list {
            match self.list(pair).as_deref() {
                Some(&[name, sort]) => {
                    if let (Some(name), Some(sort)) = (self.name(name), self.sort(sort)) {
                        if symbols.iter().any(|symbol| symbol.name == name) {
                            self.fault(pair, format!("`{name}` is there twice"));
                        }
                        symbols.push(Symbol { name, sort });
                    }
                }
                _ => self.fault(pair, "a variable with its sort is expected here, as in `(x Int)`"),
            }
        }
        symbols
    }

    /// Takes what `(set-info :status ..)` says, if this is it: whether the clauses are satisfiable.
    pub fn status(&mut self, operands: &[Id], status: &mut Option<bool>) {
        let &[keyword, value] = operands else {
            if let &[_, _, other, ..] = operands {
                self.fault(other, "`set-info` has a keyword and a value");
            }
            return;
        };
        if self.atom(keyword) != Some(":status") {
            return;
        }
        let said = match self.atom(value) {
            Some("sat") => true,
            Some("unsat") => false,
            Some("unknown") => return,
            _ => return self.fault(value, "a status is `sat`, `unsat` or `unknown`"),
        };
        if status.replace(said).is_some_and(|earlier| earlier != said) {
            self.fault(value, "the file has another status before");
        }
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Fault {
        Fault { span: Span::new(problem.at, problem.at), what: problem.what }
    }
}
