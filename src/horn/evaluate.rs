//! The values of formulas: the concrete semantics of Horn clauses.

use super::{Clauses, Condition, Symbol, application, atom};
use crate::limits::tick;
use crate::model::Value;
use crate::ts::smtlib::expression::{Expression, Id};
use dashu_int::IBig;
use rustc_hash::FxHashMap;

/// The values of names: of the variables of a clause, and of definitions over them.
pub struct Values<'a, 't> {
    clauses: &'a Clauses<'t>,
    values: FxHashMap<&'t str, Value>,
    bound: FxHashMap<&'t str, Vec<Value>>,
}

/// A formula that has no value: the reader lets none through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue;

impl<'a, 't> Values<'a, 't> {
    /// Where variables have these values.
    pub fn new(
        clauses: &'a Clauses<'t>,
        variables: &[Symbol<'t>],
        values: &[Value],
    ) -> Result<Values<'a, 't>, NoValue> {
        let names = variables.iter().map(|variable| variable.name);
        let values = FxHashMap::from_iter(names.zip(values.iter().cloned()));
        let mut all = Values { clauses, values, bound: FxHashMap::default() };
        for (symbol, body) in &clauses.definitions {
            let value = all.value(*body)?;
            all.values.insert(symbol.name, value);
        }
        Ok(all)
    }

    /// Whether a condition holds.
    pub fn holds(&mut self, condition: Condition) -> Result<bool, NoValue> {
        Ok(self.truth(condition.formula)? != condition.negated)
    }

    /// The value of a formula.
    pub fn value(&mut self, id: Id) -> Result<Value, NoValue> {
        tick();
        let expressions = &self.clauses.expressions;
        if let Some(name) = atom(expressions, id) {
            return self.named(name);
        }
        let (operator, operands) = application(expressions, id).ok_or(NoValue)?;
        match operator {
            "let" => self.local(id),
            "not" | "and" | "or" | "=>" | "xor" => self.connective(operator, operands).map(Value::Bool),
            "ite" => match operands {
                [condition, yes, no] => {
                    let chosen = if self.truth(*condition)? { yes } else { no };
                    self.value(*chosen)
                }
                _ => Err(NoValue),
            },
            "=" | "distinct" => {
                let values = self.each(operands, Self::value)?;
                let mut pairs =
                    values.iter().enumerate().flat_map(|(place, a)| values[..place].iter().map(move |b| (a, b)));
                Ok(Value::Bool(match operator {
                    "=" => values.windows(2).all(|pair| pair[0] == pair[1]),
                    _ => pairs.all(|(a, b)| a != b),
                }))
            }
            "<=" | "<" | ">=" | ">" => {
                let values = self.each(operands, Self::number)?;
                Ok(Value::Bool(values.windows(2).all(|pair| match operator {
                    "<=" => pair[0] <= pair[1],
                    "<" => pair[0] < pair[1],
                    ">=" => pair[0] >= pair[1],
                    _ => pair[0] > pair[1],
                })))
            }
            _ => self.arithmetic(operator, operands).map(Value::Int),
        }
    }

    fn named(&self, name: &str) -> Result<Value, NoValue> {
        if let Some(value) = self.bound.get(name).and_then(|values| values.last()) {
            return Ok(value.clone());
        }
        match name {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => match self.values.get(name) {
                Some(value) => Ok(value.clone()),
                None => name.parse().map(Value::Int).map_err(|_| NoValue),
            },
        }
    }

    fn truth(&mut self, id: Id) -> Result<bool, NoValue> {
        match self.value(id)? {
            Value::Bool(truth) => Ok(truth),
            _ => Err(NoValue),
        }
    }

    fn number(&mut self, id: Id) -> Result<IBig, NoValue> {
        match self.value(id)? {
            Value::Int(number) => Ok(number),
            _ => Err(NoValue),
        }
    }

    fn each<T>(&mut self, ids: &[Id], value: impl Fn(&mut Self, Id) -> Result<T, NoValue>) -> Result<Vec<T>, NoValue> {
        ids.iter().map(|&id| value(self, id)).collect()
    }

    fn connective(&mut self, operator: &str, operands: &[Id]) -> Result<bool, NoValue> {
        let truths = self.each(operands, Self::truth)?;
        let (&last, others) = truths.split_last().ok_or(NoValue)?;
        Ok(match operator {
            "not" => !last,
            "and" => truths.iter().all(|&truth| truth),
            "or" => truths.iter().any(|&truth| truth),
            // From the right: all but the last are conditions.
            "=>" => last || others.contains(&false),
            _ => truths.iter().fold(false, |odd, &truth| odd != truth),
        })
    }

    /// `div` rounds so that `mod` is not negative.
    fn arithmetic(&mut self, operator: &str, operands: &[Id]) -> Result<IBig, NoValue> {
        let numbers = self.each(operands, Self::number)?;
        let (first, rest) = numbers.split_first().ok_or(NoValue)?;
        let remainder = |a: &IBig, b: &IBig| {
            let size = if *b < IBig::ZERO { -b } else { b.clone() };
            let rest = a % &size;
            if rest < IBig::ZERO { rest + size } else { rest }
        };
        match operator {
            "+" => Ok(numbers.iter().sum()),
            "*" => Ok(numbers.iter().product()),
            "-" if rest.is_empty() => Ok(-first),
            "-" => Ok(rest.iter().fold(first.clone(), |difference, number| difference - number)),
            "div" | "mod" => match rest {
                [by] if *by != IBig::ZERO => {
                    let remainder = remainder(first, by);
                    Ok(if operator == "mod" { remainder } else { (first - remainder) / by })
                }
                _ => Err(NoValue),
            },
            _ => Err(NoValue),
        }
    }

    /// A chain of `let`s is no recursion.
    fn local(&mut self, mut id: Id) -> Result<Value, NoValue> {
        let clauses = self.clauses;
        let expressions = &clauses.expressions;
        let mut names = Vec::new();
        while let Some(("let", [bindings, body])) = application(expressions, id) {
            let Expression::List(bindings) = expressions.get(*bindings) else { return Err(NoValue) };
            let mut values = Vec::new();
            for &binding in bindings {
                let (name, operands) = application(expressions, binding).ok_or(NoValue)?;
                let &[value] = operands else { return Err(NoValue) };
                values.push((name, self.value(value)?));
            }
            for (name, value) in values {
                self.bound.entry(name).or_default().push(value);
                names.push(name);
            }
            id = *body;
        }
        let value = self.value(id);
        for name in names {
            self.bound.get_mut(name).and_then(Vec::pop);
        }
        value
    }
}
