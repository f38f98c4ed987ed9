//! The meaning of the terms of SMT-LIB that `export` uses, on values.

use super::text::Sexp;
use std::collections::HashMap;

/// A value of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Bool(bool),
    Int(i128),
}

impl Value {
    pub fn is_true(self) -> bool {
        match self {
            Value::Bool(value) => value,
            Value::Int(_) => panic!("{self:?} is no truth value"),
        }
    }

    fn int(self) -> i128 {
        match self {
            Value::Int(value) => value,
            Value::Bool(_) => panic!("{self:?} is no integer"),
        }
    }
}

/// The values of names.
pub type Scope = HashMap<String, Value>;

/// The value of a term.
pub fn evaluate(term: &Sexp, scope: &Scope) -> Value {
    let members = match term {
        Sexp::Atom(name) => return atom(name, scope),
        Sexp::List(members) => members,
    };
    let (head, operands) = (members[0].atom(), &members[1..]);
    if head == "let" {
        return evaluate(&operands[1], &with_bindings(operands[0].list(), scope));
    }
    let value = |index: usize| evaluate(&operands[index], scope);
    let values = || operands.iter().map(|operand| evaluate(operand, scope));
    match head {
        "!" => value(0),
        "not" => Value::Bool(!value(0).is_true()),
        "and" => Value::Bool(values().all(Value::is_true)),
        "or" => Value::Bool(values().any(Value::is_true)),
        "=>" => Value::Bool(!value(0).is_true() || value(1).is_true()),
        "ite" => value(if value(0).is_true() { 1 } else { 2 }),
        "=" => Value::Bool(value(0) == value(1)),
        "<=" => Value::Bool(value(0).int() <= value(1).int()),
        "+" => Value::Int(values().map(Value::int).sum()),
        "*" => Value::Int(values().map(Value::int).product()),
        "-" if operands.len() == 1 => Value::Int(-value(0).int()),
        // SMT-LIB: the remainder is never negative.
        "div" => Value::Int(value(0).int().div_euclid(value(1).int())),
        other => panic!("no operator {other}"),
    }
}

fn atom(name: &str, scope: &Scope) -> Value {
    match name {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match name.parse() {
            Ok(number) => Value::Int(number),
            Err(_) => *scope.get(name).unwrap_or_else(|| panic!("nothing is called {name}")),
        },
    }
}

fn with_bindings(bindings: &[Sexp], scope: &Scope) -> Scope {
    let mut inner = scope.clone();
    for binding in bindings {
        inner.insert(binding.list()[0].atom().to_owned(), evaluate(&binding.list()[1], scope));
    }
    inner
}
