//! Terms of one step as formulas of the solver.
//!
//! A variable of a finite domain is one literal per value (two values: one literal and its negation),
//! an unbounded one an integer of the solver. Arithmetic over finite domains is done on lists of
//! cases, so that finite systems stay propositional.

use super::Literal;
use crate::limits::{tick, ticks};
use crate::model::Value;
use crate::ts::system::{Domain, Input, Variable};
use crate::ts::term::{InputId, Leaf, Sort, Term, TermNode, Terms, VarId};
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use z3::ast::Int;

/// An encoded term. The cases of one term exclude each other and cover all its values.
#[derive(Clone, Debug)]
pub enum Encoded {
    /// Of sort `Bool`.
    Bool(Literal),
    /// Finitely many values, sorted, each with the condition under which the term has it.
    Cases(Rc<[(IBig, Literal)]>),
    /// An integer of the solver.
    Int(Int),
}

impl Encoded {
    /// The literal of a Boolean; panics on others.
    pub fn literal(&self) -> &Literal {
        match self {
            Encoded::Bool(literal) => literal,
            other => panic!("{other:?} is no truth value"),
        }
    }

    /// That two terms of one sort are equal.
    pub fn equals(&self, other: &Encoded) -> Literal {
        tick();
        match (self, other) {
            (Encoded::Bool(a), Encoded::Bool(b)) => a.iff(b),
            (Encoded::Cases(a), Encoded::Cases(b)) => equal_cases(a, b),
            (Encoded::Bool(_), _) | (_, Encoded::Bool(_)) => panic!("equality between sorts"),
            (a, b) => Literal::atom(a.int().eq(b.int())),
        }
    }

    /// That an integer has this value.
    pub fn is(&self, value: &IBig) -> Literal {
        self.equals(&constant(value.clone()))
    }

    /// That a term has a value of its sort.
    pub fn is_value(&self, value: &Value) -> Literal {
        match value {
            Value::Bool(value) => self.equals(&Encoded::Bool(Literal::Const(*value))),
            Value::Int(value) => self.is(value),
            Value::Enum(value) => self.is(&IBig::from(*value)),
        }
    }

    /// That an integer lies between two ends, both included.
    pub fn between(&self, low: i64, high: i64) -> Literal {
        let (low, high) = (constant(IBig::from(low)), constant(IBig::from(high)));
        Literal::and([less_or_equal(&low, self), less_or_equal(self, &high)])
    }

    /// As an integer of the solver.
    pub fn int(&self) -> Int {
        match self {
            Encoded::Int(int) => int.clone(),
            Encoded::Cases(cases) => {
                let (last, others) = cases.split_last().expect("a term has a value");
                others
                    .iter()
                    .rev()
                    .fold(numeral(&last.0), |rest, (value, condition)| condition.z3().ite(&numeral(value), &rest))
            }
            Encoded::Bool(_) => panic!("a truth value is no integer"),
        }
    }
}

/// That exactly corresponding cases hold. With a one-sided value list the rest is excluded by the
/// fact that some case always holds.
fn equal_cases(a: &[(IBig, Literal)], b: &[(IBig, Literal)]) -> Literal {
    let of_b: BTreeMap<&IBig, &Literal> = b.iter().map(|(value, condition)| (value, condition)).collect();
    let both =
        |(value, condition): &(IBig, Literal)| Some(Literal::and([condition.clone(), (*of_b.get(value)?).clone()]));
    Literal::or(a.iter().filter_map(both))
}

/// An integer constant of the solver.
fn numeral(value: &IBig) -> Int {
    match i64::try_from(value) {
        Ok(small) => Int::from_i64(small),
        Err(_) => value.to_string().parse().expect("a decimal numeral"),
    }
}

/// The unknowns of one step, and the terms encoded over them so far.
#[derive(Debug)]
pub struct Frame {
    variables: Vec<Option<Encoded>>,
    inputs: Vec<Vec<Literal>>,
    memo: FxHashMap<Term, Encoded>,
}

impl Frame {
    /// Unknowns for the given variables; the others must not be read.
    pub fn new(variables: &[Variable], wanted: &[VarId], domain: &impl Fn(VarId) -> Domain, inputs: &[Input]) -> Frame {
        let mut list = vec![None; variables.len()];
        for id in wanted {
            list[id.0 as usize] = Some(unknown(&variables[id.0 as usize], &domain(*id)));
        }
        let inputs = inputs.iter().map(|input| one_hot(&input.name, input.count as usize)).collect();
        Frame { variables: list, inputs, memo: FxHashMap::default() }
    }

    /// The unknown of a variable.
    pub fn variable(&self, id: VarId) -> &Encoded {
        self.variables[id.0 as usize].as_ref().expect("a variable of the cone")
    }

    /// The literals of an input, one per option.
    pub fn input(&self, id: InputId) -> &[Literal] {
        &self.inputs[id.0 as usize]
    }

    /// A Boolean term.
    pub fn literal(&mut self, terms: &Terms, term: Term) -> Literal {
        self.encode(terms, term).literal().clone()
    }

    /// Any term.
    pub fn encode(&mut self, terms: &Terms, term: Term) -> Encoded {
        if let Some(known) = self.memo.get(&term) {
            return known.clone();
        }
        let encoded = self.compute(terms, term);
        self.memo.insert(term, encoded.clone());
        encoded
    }

    fn compute(&mut self, terms: &Terms, term: Term) -> Encoded {
        match terms.node(term) {
            TermNode::Bool(value) => Encoded::Bool(Literal::Const(*value)),
            TermNode::Int(value) => constant(value.clone()),
            TermNode::Enum(value, _) => constant(IBig::from(*value)),
            TermNode::Leaf(Leaf::Var(id)) => self.variable(*id).clone(),
            TermNode::Leaf(Leaf::Input(id)) => cases_of(self.input(*id)),
            TermNode::Not(a) => Encoded::Bool(self.literal(terms, *a).not()),
            TermNode::And(list) => Encoded::Bool(Literal::and(list.iter().map(|x| self.literal(terms, *x)))),
            TermNode::Or(list) => Encoded::Bool(Literal::or(list.iter().map(|x| self.literal(terms, *x)))),
            TermNode::Eq(a, b) => Encoded::Bool(self.encode(terms, *a).equals(&self.encode(terms, *b))),
            TermNode::Le(a, b) => Encoded::Bool(less_or_equal(&self.encode(terms, *a), &self.encode(terms, *b))),
            TermNode::Sum(constant, summands) => self.sum(terms, constant, summands),
            TermNode::Product(a, b) => {
                let (a, b) = (self.encode(terms, *a), self.encode(terms, *b));
                match (&a, &b) {
                    (Encoded::Cases(a), Encoded::Cases(b)) => Encoded::Cases(combine(a, b, |x, y| x * y)),
                    _ => Encoded::Int(Int::mul(&[a.int(), b.int()])),
                }
            }
            TermNode::Quotient(a, divisor) => quotient(&self.encode(terms, *a), divisor),
            TermNode::Ite(c, a, b) => {
                let condition = self.literal(terms, *c);
                let (a, b) = (self.encode(terms, *a), self.encode(terms, *b));
                choose(&condition, &a, &b)
            }
        }
    }

    fn sum(&mut self, terms: &Terms, start: &IBig, summands: &[(IBig, Term)]) -> Encoded {
        let mut integers = Vec::new();
        let mut finite = Rc::from([(start.clone(), Literal::TRUE)]);
        for (coefficient, term) in summands {
            match self.encode(terms, *term) {
                Encoded::Cases(cases) => finite = combine(&finite, &cases, |x, y| x + coefficient * y),
                other => integers.push(Int::mul(&[numeral(coefficient), other.int()])),
            }
        }
        if integers.is_empty() {
            return Encoded::Cases(finite);
        }
        integers.push(Encoded::Cases(finite).int());
        Encoded::Int(Int::add(&integers))
    }
}

/// One literal per option; a single option needs none.
fn one_hot(name: &str, count: usize) -> Vec<Literal> {
    match count {
        1 => vec![Literal::TRUE],
        2 => {
            let second = Literal::fresh(name);
            vec![second.not(), second]
        }
        _ => (0..count).map(|_| Literal::fresh(name)).collect(),
    }
}

fn cases_of(literals: &[Literal]) -> Encoded {
    Encoded::Cases(literals.iter().enumerate().map(|(value, literal)| (IBig::from(value), literal.clone())).collect())
}

fn unknown(variable: &Variable, domain: &Domain) -> Encoded {
    match (domain, variable.sort) {
        (Domain::Finite(values), Sort::Bool) if values.len() == 1 => Encoded::Bool(Literal::Const(values[0] != 0)),
        (_, Sort::Bool) => Encoded::Bool(Literal::fresh(&variable.name)),
        (Domain::Finite(values), _) => {
            let literals = one_hot(&variable.name, values.len());
            Encoded::Cases(values.iter().map(|&value| IBig::from(value)).zip(literals).collect())
        }
        _ => Encoded::Int(Int::fresh_const(&variable.name)),
    }
}

fn constant(value: IBig) -> Encoded {
    Encoded::Cases(Rc::from([(value, Literal::TRUE)]))
}

fn less_or_equal(a: &Encoded, b: &Encoded) -> Literal {
    match (a, b) {
        (Encoded::Cases(a), Encoded::Cases(b)) => Literal::or(a.iter().map(|(x, if_x)| {
            let larger = b.iter().filter(|(y, _)| x <= y).map(|(_, if_y)| if_y.clone());
            let all = b.iter().all(|(y, _)| x <= y);
            if all { if_x.clone() } else { Literal::and([if_x.clone(), Literal::or(larger)]) }
        })),
        _ => Literal::atom(a.int().le(b.int())),
    }
}

/// All results of an operation on two lists of cases.
fn combine(
    a: &[(IBig, Literal)],
    b: &[(IBig, Literal)],
    operation: impl Fn(&IBig, &IBig) -> IBig,
) -> Rc<[(IBig, Literal)]> {
    let mut ways: BTreeMap<IBig, Vec<Literal>> = BTreeMap::new();
    for (x, if_x) in a {
        ticks(b.len());
        for (y, if_y) in b {
            ways.entry(operation(x, y)).or_default().push(Literal::and([if_x.clone(), if_y.clone()]));
        }
    }
    ways.into_iter().map(|(value, ways)| (value, Literal::or(ways))).collect()
}

/// `a` if the condition holds, else `b`.
pub fn choose(condition: &Literal, a: &Encoded, b: &Encoded) -> Encoded {
    match (a, b) {
        (Encoded::Cases(a), Encoded::Cases(b)) => {
            let mut ways: BTreeMap<IBig, Vec<Literal>> = BTreeMap::new();
            for (cases, when) in [(a, condition.clone()), (b, condition.not())] {
                for (value, if_value) in cases.iter() {
                    let way = Literal::and([when.clone(), if_value.clone()]);
                    ways.entry(value.clone()).or_default().push(way);
                }
            }
            Encoded::Cases(ways.into_iter().map(|(value, ways)| (value, Literal::or(ways))).collect())
        }
        (a, b) => Encoded::Int(condition.z3().ite(&a.int(), &b.int())),
    }
}

/// Division rounds towards zero; that of SMT-LIB rounds so that the remainder is not negative.
fn quotient(a: &Encoded, divisor: &IBig) -> Encoded {
    match a {
        Encoded::Cases(cases) => {
            let divisor = [(divisor.clone(), Literal::TRUE)];
            Encoded::Cases(combine(cases, &divisor, |x, y| x / y))
        }
        other => {
            let (a, divisor) = (other.int(), numeral(divisor));
            let (zero, minus_a) = (Int::from_i64(0), other.int().unary_minus());
            let towards_zero = minus_a.div(&divisor).unary_minus();
            Encoded::Int(a.ge(&zero).ite(&a.div(&divisor), &towards_zero))
        }
    }
}
