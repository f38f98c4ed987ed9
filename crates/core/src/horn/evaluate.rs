//! The values of formulas: the concrete semantics of Horn clauses.
//!
//! Of a predicate it is known of which states it is true, or assumed of which state it is false; of all others it is not
//! known, and neither is a formula that depends on them (Kleene's logic). So a formula is false here only if it is false
//! for all predicates that fit: then it says that the one state belongs to its predicate if the others do. Bound
//! variables have values as well: one is enough for `exists` to be true and for `forall` to be false.

use super::{Clauses, Condition, State, Variable, application, atom};
use crate::limits::tick;
use crate::model::Value;
use crate::ts::smtlib::expression::{Expression, Id};
use crate::ts::smtlib::read::Function;
use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};

/// Assumptions about predicates.
#[derive(Clone, Copy, Debug, Default)]
pub struct Assumed<'a> {
    /// States that belong to their predicates.
    pub belong: Option<&'a FxHashSet<State>>,
    /// One that does not.
    pub lacks: Option<&'a State>,
}

/// The values of names: of the variables of a clause, and of definitions over them.
pub struct Values<'a, 't> {
    clauses: &'a Clauses<'t>,
    assumed: Assumed<'a>,
    values: FxHashMap<&'t str, Value>,
    /// Of bound variables.
    binders: FxHashMap<Id, Value>,
    bound: FxHashMap<&'t str, Vec<Option<Value>>>,
}

/// A formula that has no value: the reader lets none through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue;

/// A value; none if it depends on what is not known.
type Evaluated<T> = Result<Option<T>, NoValue>;

impl<'a, 't> Values<'a, 't> {
    /// The values of these variables, and of all definitions over them.
    pub fn new(
        clauses: &'a Clauses<'t>,
        variables: &[Variable<'t>],
        values: &[Value],
    ) -> Result<Values<'a, 't>, NoValue> {
        let (mut free, mut binders) = (FxHashMap::default(), FxHashMap::default());
        for (variable, value) in variables.iter().zip(values) {
            match variable.binder {
                Some(binder) => drop(binders.insert(binder, value.clone())),
                None => drop(free.insert(variable.symbol.name, value.clone())),
            }
        }
        let assumed = Assumed::default();
        let mut all = Values { clauses, assumed, values: free, binders, bound: FxHashMap::default() };
        for (symbol, body) in &clauses.definitions {
            let value = all.certain(*body)?;
            all.values.insert(symbol.name, value);
        }
        Ok(all)
    }

    /// True if a condition holds.
    pub fn holds(&mut self, condition: Condition) -> Result<bool, NoValue> {
        let truth = self.truth(condition.formula)?.ok_or(NoValue)?;
        Ok(truth != condition.negated)
    }

    /// True if a formula is false by these assumptions about predicates alone.
    pub fn is_false(&mut self, formula: Id, assumed: Assumed<'a>) -> Result<bool, NoValue> {
        self.assumed = assumed;
        Ok(self.truth(formula)? == Some(false))
    }

    /// The value of a formula without predicates.
    pub fn certain(&mut self, id: Id) -> Result<Value, NoValue> {
        self.value(id)?.ok_or(NoValue)
    }

    fn value(&mut self, id: Id) -> Evaluated<Value> {
        tick();
        let clauses = self.clauses;
        if let Some(name) = atom(&clauses.expressions, id) {
            return self.named(id, name);
        }
        let (operator, operands) = application(&clauses.expressions, id).ok_or(NoValue)?;
        match (operator, operands) {
            ("let", _) => self.local(id),
            ("!", [formula, ..]) => self.value(*formula),
            ("forall" | "exists", &[list, body]) => {
                Ok(self.quantified(operator == "exists", list, body)?.map(Value::Bool))
            }
            ("not" | "and" | "or" | "=>" | "xor", _) => Ok(self.connective(operator, operands)?.map(Value::Bool)),
            ("ite", [condition, yes, no]) => match self.truth(*condition)? {
                Some(true) => self.value(*yes),
                Some(false) => self.value(*no),
                None => Ok(None),
            },
            ("=" | "distinct", _) => {
                let Some(values) = self.each(operands, Self::value)? else { return Ok(None) };
                let mut pairs =
                    values.iter().enumerate().flat_map(|(place, a)| values[..place].iter().map(move |b| (a, b)));
                Ok(Some(Value::Bool(match operator {
                    "=" => values.windows(2).all(|pair| pair[0] == pair[1]),
                    _ => pairs.all(|(a, b)| a != b),
                })))
            }
            ("<=" | "<" | ">=" | ">", _) => {
                let Some(values) = self.each(operands, Self::number)? else { return Ok(None) };
                Ok(Some(Value::Bool(values.windows(2).all(|pair| match operator {
                    "<=" => pair[0] <= pair[1],
                    "<" => pair[0] < pair[1],
                    ">=" => pair[0] >= pair[1],
                    _ => pair[0] > pair[1],
                }))))
            }
            _ => self.applied(id, operator, operands),
        }
    }

    fn named(&mut self, id: Id, name: &'t str) -> Evaluated<Value> {
        if let Some(value) = self.bound.get(name).and_then(|values| values.last()) {
            return Ok(value.clone());
        }
        match name {
            "true" => Ok(Some(Value::Bool(true))),
            "false" => Ok(Some(Value::Bool(false))),
            _ => match self.values.get(name) {
                Some(value) => Ok(Some(value.clone())),
                None if name.starts_with(|first: char| first.is_ascii_digit()) => {
                    name.parse().map(|number| Some(Value::Int(number))).map_err(|_| NoValue)
                }
                None => self.applied(id, name, &[]),
            },
        }
    }

    /// A predicate, a function of the file, or arithmetic.
    fn applied(&mut self, id: Id, name: &str, operands: &[Id]) -> Evaluated<Value> {
        let clauses = self.clauses;
        if let Some(predicate) = clauses.predicate(name, id) {
            let Some(values) = self.each(operands, Self::value)? else { return Ok(None) };
            let state = State { predicate, values };
            return Ok(match self.assumed {
                Assumed { belong: Some(states), .. } if states.contains(&state) => Some(Value::Bool(true)),
                Assumed { lacks: Some(other), .. } if *other == state => Some(Value::Bool(false)),
                Assumed { .. } => None,
            });
        }
        match clauses.functions.known(name, id) {
            Some(function) => self.call(function, operands),
            None => Ok(self.arithmetic(name, operands)?.map(Value::Int)),
        }
    }

    /// The body of a function knows its parameters only.
    fn call(&mut self, function: &'a Function<'t>, operands: &[Id]) -> Evaluated<Value> {
        let mut bound = FxHashMap::default();
        for (&operand, &(parameter, _)) in operands.iter().zip(&function.parameters) {
            bound.insert(parameter, vec![self.value(operand)?]);
        }
        let around = (std::mem::replace(&mut self.bound, bound), std::mem::take(&mut self.values));
        let value = self.value(function.body);
        (self.bound, self.values) = around;
        value
    }

    fn quantified(&mut self, wanted: bool, list: Id, body: Id) -> Evaluated<bool> {
        let expressions = &self.clauses.expressions;
        let Expression::List(pairs) = expressions.get(list) else { return Err(NoValue) };
        let mut names = Vec::new();
        for pair in pairs {
            let (name, _) = application(expressions, *pair).ok_or(NoValue)?;
            self.bound.entry(name).or_default().push(self.binders.get(pair).cloned());
            names.push(name);
        }
        let truth = self.truth(body);
        self.leave(names);
        Ok(truth?.filter(|&truth| truth == wanted))
    }

    fn leave(&mut self, names: Vec<&'t str>) {
        for name in names {
            self.bound.get_mut(name).and_then(Vec::pop);
        }
    }

    fn truth(&mut self, id: Id) -> Evaluated<bool> {
        match self.value(id)? {
            None => Ok(None),
            Some(Value::Bool(truth)) => Ok(Some(truth)),
            Some(Value::Int(_) | Value::Enum(_)) => Err(NoValue),
        }
    }

    fn number(&mut self, id: Id) -> Evaluated<IBig> {
        match self.value(id)? {
            None => Ok(None),
            Some(Value::Int(number)) => Ok(Some(number)),
            Some(Value::Bool(_) | Value::Enum(_)) => Err(NoValue),
        }
    }

    fn each<T>(&mut self, ids: &[Id], value: impl Fn(&mut Self, Id) -> Evaluated<T>) -> Evaluated<Vec<T>> {
        ids.iter().map(|&id| value(self, id)).collect()
    }

    fn connective(&mut self, operator: &str, operands: &[Id]) -> Evaluated<bool> {
        let mut truths = operands.iter().map(|&id| self.truth(id)).collect::<Result<Vec<_>, NoValue>>()?;
        Ok(match operator {
            "not" => truths.pop().ok_or(NoValue)?.map(|truth| !truth),
            "and" => conjunction(truths),
            "or" => negation(conjunction(truths.into_iter().map(negation))),
            // From the right: all but the last are conditions.
            "=>" => {
                let last = truths.pop().ok_or(NoValue)?;
                negation(conjunction(truths.into_iter().chain([negation(last)])))
            }
            _ => truths.into_iter().try_fold(false, |odd, truth| truth.map(|truth| odd != truth)),
        })
    }

    /// `div` rounds so that `mod` is not negative.
    fn arithmetic(&mut self, operator: &str, operands: &[Id]) -> Evaluated<IBig> {
        let Some(numbers) = self.each(operands, Self::number)? else { return Ok(None) };
        let (first, rest) = numbers.split_first().ok_or(NoValue)?;
        let remainder = |a: &IBig, b: &IBig| {
            let size = if *b < IBig::ZERO { -b } else { b.clone() };
            let rest = a % &size;
            if rest < IBig::ZERO { rest + size } else { rest }
        };
        Ok(Some(match (operator, rest) {
            ("+", _) => numbers.iter().sum(),
            ("*", _) => numbers.iter().product(),
            ("-", []) => -first,
            ("-", _) => rest.iter().fold(first.clone(), |difference, number| difference - number),
            ("abs", []) if *first < IBig::ZERO => -first,
            ("abs", []) => first.clone(),
            ("mod", [by]) if *by != IBig::ZERO => remainder(first, by),
            ("div", [by]) if *by != IBig::ZERO => (first - remainder(first, by)) / by,
            _ => return Err(NoValue),
        }))
    }

    /// A chain of `let`s is no recursion.
    fn local(&mut self, mut id: Id) -> Evaluated<Value> {
        let expressions = &self.clauses.expressions;
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
        self.leave(names);
        value
    }
}

/// The conjunction of truth values; none if it is not known.
fn conjunction(truths: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for truth in truths {
        match truth {
            Some(false) => return Some(false),
            Some(true) => {}
            None => all = None,
        }
    }
    all
}

fn negation(truth: Option<bool>) -> Option<bool> {
    truth.map(|truth| !truth)
}
