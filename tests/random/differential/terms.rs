//! Folding preserves meaning: random terms are built twice, as terms, which fold, and as trees of
//! their own, which are evaluated as they stand; values are compared, by evaluation and by the solver.

use crate::common::random::Random;
use dashu_int::IBig;
use rcheck_smt::limits::{Budget, Stop};
use rcheck_smt::model::Value;
use rcheck_smt::model::{InstanceId, LocalId};
use rcheck_smt::smt::unroll::Unrolling;
use rcheck_smt::smt::{Literal, with_context};
use rcheck_smt::ts::system::{Domain, Event, EventKind, Input, Origin, Parts, System, Variable};
use rcheck_smt::ts::term::{Leaf, Sort, Term, Terms, VarId};
use rustc_hash::FxHashMap;

/// A term as it was drawn.
#[derive(Clone, Debug)]
enum Tree {
    Constant(Value, Sort),
    Variable(usize),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Implies(Box<Tree>, Box<Tree>),
    Equal(Box<Tree>, Box<Tree>),
    LessOrEqual(Box<Tree>, Box<Tree>),
    Less(Box<Tree>, Box<Tree>),
    Add(Box<Tree>, Box<Tree>),
    Sub(Box<Tree>, Box<Tree>),
    Mul(Box<Tree>, Box<Tree>),
    Div(Box<Tree>, i64),
    Ite(Box<Tree>, Box<Tree>, Box<Tree>),
}

/// A variable with the values that it is known to have.
#[derive(Clone, Debug)]
struct Known {
    sort: Sort,
    bounds: Option<(i64, i64)>,
    /// A fact that is learnt after the terms were built.
    values: Option<Vec<i64>>,
}

impl Known {
    fn domain(&self) -> Domain {
        match (&self.values, self.bounds, self.sort) {
            (Some(values), ..) => Domain::Finite(values.clone().into()),
            (None, Some((low, high)), _) => Domain::range(low, high),
            (None, None, Sort::Bool) => Domain::Bool,
            (None, None, Sort::Enum(count)) => Domain::all(count),
            (None, None, Sort::Int) => Domain::Unbounded,
        }
    }

    fn draw(&self, random: &mut Random) -> Value {
        match self.domain() {
            Domain::Bool => Value::Bool(random.percent(50)),
            Domain::Finite(values) => numbered(*random.pick(&values), self.sort),
            Domain::Range(low, high) if random.percent(50) => Value::int(random.between(-3, 3).clamp(low, high)),
            Domain::Range(low, high) => Value::int(random.between(low, high)),
            Domain::Unbounded if random.percent(10) => Value::Int(IBig::from(random.next()).pow(2) - IBig::from(7)),
            Domain::Unbounded => Value::int(random.between(-6, 6)),
        }
    }
}

fn numbered(number: i64, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(number != 0),
        Sort::Int => Value::int(number),
        Sort::Enum(_) => Value::Enum(number as u32),
    }
}

const ENUM: Sort = Sort::Enum(4);

/// Variables of all kinds, or of those with few values; per draw other facts about them.
fn variables(random: &mut Random, few: bool) -> Vec<Known> {
    let plain = |sort| Known { sort, bounds: None, values: None };
    let range = |low, high| Known { bounds: Some((low, high)), ..plain(Sort::Int) };
    let mut list = vec![plain(Sort::Bool), plain(Sort::Bool), plain(ENUM), plain(ENUM)];
    list.extend([range(-3, 2), range(0, 3), range(2, 2)]);
    if !few {
        list.extend([range(-40, 40), plain(Sort::Int)]);
    }
    for known in &mut list {
        let domain = match (known.sort, known.bounds) {
            (Sort::Enum(count), _) => (0..i64::from(count)).collect(),
            (Sort::Int, Some((low, high))) if high - low < 10 => (low..=high).collect(),
            _ => Vec::new(),
        };
        let values: Vec<i64> = domain.into_iter().filter(|_| random.percent(50)).collect();
        if !values.is_empty() && random.percent(60) {
            known.values = Some(values);
        }
    }
    list
}

struct Drawing<'a> {
    random: &'a mut Random,
    variables: &'a [Known],
    /// True if two variables may be multiplied.
    products: bool,
}

impl Drawing<'_> {
    fn sub(&mut self, sort: Sort, depth: usize) -> Box<Tree> {
        Box::new(self.draw(sort, depth - 1))
    }

    fn draw(&mut self, sort: Sort, depth: usize) -> Tree {
        if depth == 0 || self.random.percent(10) {
            return self.leaf(sort);
        }
        match sort {
            Sort::Bool => self.boolean(depth),
            Sort::Int => self.integer(depth),
            Sort::Enum(_) => Tree::Ite(self.sub(Sort::Bool, depth), self.sub(sort, depth), self.sub(sort, depth)),
        }
    }

    fn leaf(&mut self, sort: Sort) -> Tree {
        if self.random.percent(65) {
            let fitting: Vec<usize> = (0..self.variables.len()).filter(|&id| self.variables[id].sort == sort).collect();
            return Tree::Variable(*self.random.pick(&fitting));
        }
        let value = match sort {
            Sort::Bool => Value::Bool(self.random.percent(50)),
            Sort::Int => Value::int(self.random.between(-4, 4)),
            Sort::Enum(count) => Value::Enum(self.random.below(count as usize) as u32),
        };
        Tree::Constant(value, sort)
    }

    fn boolean(&mut self, depth: usize) -> Tree {
        let several =
            |drawing: &mut Self| (0..drawing.random.below(4)).map(|_| drawing.draw(Sort::Bool, depth - 1)).collect();
        match self.random.below(9) {
            0 => Tree::Not(self.sub(Sort::Bool, depth)),
            1 => Tree::And(several(self)),
            2 => Tree::Or(several(self)),
            3 => Tree::Implies(self.sub(Sort::Bool, depth), self.sub(Sort::Bool, depth)),
            4 => Tree::Ite(self.sub(Sort::Bool, depth), self.sub(Sort::Bool, depth), self.sub(Sort::Bool, depth)),
            5 => Tree::LessOrEqual(self.sub(Sort::Int, depth), self.sub(Sort::Int, depth)),
            6 => Tree::Less(self.sub(Sort::Int, depth), self.sub(Sort::Int, depth)),
            _ => {
                let sort = *self.random.pick(&[Sort::Bool, Sort::Int, Sort::Int, ENUM, ENUM]);
                Tree::Equal(self.sub(sort, depth), self.sub(sort, depth))
            }
        }
    }

    fn integer(&mut self, depth: usize) -> Tree {
        let sort = Sort::Int;
        match self.random.below(7) {
            0 | 1 => Tree::Add(self.sub(sort, depth), self.sub(sort, depth)),
            2 | 3 => Tree::Sub(self.sub(sort, depth), self.sub(sort, depth)),
            4 if self.products => Tree::Mul(self.sub(sort, depth), self.sub(sort, depth)),
            4 => {
                let factor = Tree::Constant(Value::int(self.random.between(-3, 3)), sort);
                let (left, right) = (Box::new(factor), self.sub(sort, depth));
                if self.random.percent(50) { Tree::Mul(left, right) } else { Tree::Mul(right, left) }
            }
            5 => Tree::Div(self.sub(sort, depth), *self.random.pick(&[-3, -2, -1, 1, 2, 3])),
            _ => Tree::Ite(self.sub(Sort::Bool, depth), self.sub(sort, depth), self.sub(sort, depth)),
        }
    }
}

fn var(id: usize) -> Leaf {
    Leaf::Var(VarId(id as u32))
}

/// The tree as a term.
fn build(terms: &mut Terms, tree: &Tree, variables: &[Known]) -> Term {
    let mut go = |tree: &Tree| build(terms, tree, variables);
    match tree {
        Tree::Constant(value, sort) => terms.constant(value, *sort),
        Tree::Variable(id) => terms.leaf(var(*id), variables[*id].sort, variables[*id].bounds),
        Tree::Not(a) => {
            let a = go(a);
            terms.not(a)
        }
        Tree::And(list) => {
            let list: Vec<Term> = list.iter().map(go).collect();
            terms.and(list)
        }
        Tree::Or(list) => {
            let list: Vec<Term> = list.iter().map(go).collect();
            terms.or(list)
        }
        Tree::Div(a, divisor) => {
            let a = go(a);
            terms.div(a, IBig::from(*divisor))
        }
        Tree::Ite(c, a, b) => {
            let (c, a, b) = (go(c), go(a), go(b));
            terms.ite(c, a, b)
        }
        Tree::Implies(a, b) | Tree::Equal(a, b) | Tree::LessOrEqual(a, b) | Tree::Less(a, b) => {
            let (a, b) = (go(a), go(b));
            match tree {
                Tree::Implies(..) => terms.implies(a, b),
                Tree::Equal(..) => terms.eq(a, b),
                Tree::LessOrEqual(..) => terms.le(a, b),
                _ => terms.lt(a, b),
            }
        }
        Tree::Add(a, b) | Tree::Sub(a, b) | Tree::Mul(a, b) => {
            let (a, b) = (go(a), go(b));
            match tree {
                Tree::Add(..) => terms.add(a, b),
                Tree::Sub(..) => terms.sub(a, b),
                _ => terms.mul(a, b),
            }
        }
    }
}

/// The value of the tree.
fn evaluate(tree: &Tree, values: &[Value]) -> Value {
    let go = |tree: &Tree| evaluate(tree, values);
    let holds = |tree: &Tree| evaluate(tree, values).as_bool();
    let int = |tree: &Tree| match evaluate(tree, values) {
        Value::Int(value) => value,
        other => panic!("{other:?} is no integer"),
    };
    match tree {
        Tree::Constant(value, _) => value.clone(),
        Tree::Variable(id) => values[*id].clone(),
        Tree::Not(a) => Value::Bool(!holds(a)),
        Tree::And(list) => Value::Bool(list.iter().all(holds)),
        Tree::Or(list) => Value::Bool(list.iter().any(holds)),
        Tree::Implies(a, b) => Value::Bool(!holds(a) || holds(b)),
        Tree::Equal(a, b) => Value::Bool(go(a) == go(b)),
        Tree::LessOrEqual(a, b) => Value::Bool(int(a) <= int(b)),
        Tree::Less(a, b) => Value::Bool(int(a) < int(b)),
        Tree::Add(a, b) => Value::Int(int(a) + int(b)),
        Tree::Sub(a, b) => Value::Int(int(a) - int(b)),
        Tree::Mul(a, b) => Value::Int(int(a) * int(b)),
        Tree::Div(a, divisor) => Value::Int(towards_zero(&int(a), *divisor)),
        Tree::Ite(c, a, b) => go(if holds(c) { a } else { b }),
    }
}

/// Division by its definition, without that of the library of integers.
fn towards_zero(a: &IBig, divisor: i64) -> IBig {
    let (negative, mut rest) = ((*a < IBig::ZERO) != (divisor < 0), if *a < IBig::ZERO { -a } else { a.clone() });
    let step = IBig::from(divisor.unsigned_abs());
    let mut quotient = IBig::ZERO;
    let mut bits = rest.clone();
    let mut shift = 0usize;
    while bits > IBig::ZERO {
        bits >>= 1;
        shift += 1;
    }
    for bit in (0..=shift).rev() {
        let part = step.clone() << bit;
        if part <= rest {
            rest -= part;
            quotient += IBig::ONE << bit;
        }
    }
    if negative { -quotient } else { quotient }
}

/// Some variables, a tree over them, and two terms for it: one built at once, and one rebuilt when
/// more was known.
struct Sample {
    variables: Vec<Known>,
    tree: Tree,
    terms: Terms,
    built: Term,
    rebuilt: Term,
}

impl Sample {
    fn new(random: &mut Random, sort: Sort, few: bool, products: bool) -> Sample {
        let variables = variables(random, few);
        let depth = 1 + random.below(5);
        let tree = Drawing { random, variables: &variables, products }.draw(sort, depth);
        let mut terms = Terms::new();
        for (id, known) in variables.iter().enumerate() {
            terms.leaf(var(id), known.sort, known.bounds);
        }
        let built = build(&mut terms, &tree, &variables);
        for (id, known) in variables.iter().enumerate() {
            if let Some(values) = &known.values {
                terms.restrict(var(id), values);
            }
        }
        let rebuilt = terms.substitute(built, &mut |_, _| None, &mut FxHashMap::default());
        Sample { variables, tree, terms, built, rebuilt }
    }

    fn draw(&self, random: &mut Random) -> Vec<Value> {
        self.variables.iter().map(|known| known.draw(random)).collect()
    }
}

/// Compares values of random terms of all sorts.
pub fn check_evaluation(seed: u64, samples: usize, points: usize) -> Result<(), String> {
    let mut random = Random::new(seed);
    for _ in 0..samples {
        let sort = *random.pick(&[Sort::Bool, Sort::Bool, Sort::Int, ENUM]);
        let sample = Sample::new(&mut random, sort, false, true);
        for _ in 0..points {
            let values = sample.draw(&mut random);
            let expected = evaluate(&sample.tree, &values);
            for term in [sample.built, sample.rebuilt] {
                let found = sample.terms.evaluate(term, &|leaf| match leaf {
                    Leaf::Var(id) => values[id.0 as usize].clone(),
                    Leaf::Input(_) => unreachable!("only variables are drawn"),
                });
                if found != expected {
                    return Err(format!("{:?}\nis {expected:?}, the term says {found:?}, at {values:?}", sample.tree));
                }
            }
        }
    }
    Ok(())
}

/// Lets the solver prove, at random points, that the encoded terms have the values of the tree; for
/// trees over small domains, at all points at once.
pub fn check_encoding(seed: u64, samples: usize, points: usize) -> Result<(), String> {
    let mut random = Random::new(seed);
    for _ in 0..samples {
        let few = random.percent(50);
        let sample = Sample::new(&mut random, Sort::Bool, few, few);
        let places: Vec<_> = (0..points).map(|_| sample.draw(&mut random)).collect();
        with_context(&Stop::new(), || prove(&sample, &places))
            .map_err(|error| format!("{:?}\n{error}", sample.tree))?;
    }
    Ok(())
}

fn prove(sample: &Sample, places: &[Vec<Value>]) -> Result<(), String> {
    let system = system(sample);
    let mut unrolling = Unrolling::new(&system, system.var_ids().collect(), Unrolling::theory_for(&system));
    let everywhere = everything(sample);
    for term in [sample.built, sample.rebuilt] {
        let literal = unrolling.literal(0, term);
        for values in places {
            let expected = evaluate(&sample.tree, values).as_bool();
            let wrong = if expected { literal.not() } else { literal.clone() };
            refute(&unrolling, &[unrolling.is_state(0, values), wrong], &format!("at {values:?}"))?;
        }
        if let Some(all) = &everywhere {
            let satisfying = all.iter().filter(|values| evaluate(&sample.tree, values).as_bool());
            let table = Literal::or(satisfying.map(|values| unrolling.is_state(0, values)));
            refute(&unrolling, &[literal.iff(&table).not()], "somewhere")?;
        }
    }
    Ok(())
}

fn refute(unrolling: &Unrolling, wrong: &[Literal], place: &str) -> Result<(), String> {
    // The assumptions of a question are unknowns or their negations.
    let asked = Literal::fresh("asked");
    unrolling.add(&asked.implies(&Literal::and(wrong.iter().cloned())));
    match unrolling.check(&[asked], Budget::new(None)) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(format!("encoded otherwise {place}")),
        Err(reason) => Err(format!("unknown: {reason}")),
    }
}

/// All values of the variables together; `None` if they are too many.
fn everything(sample: &Sample) -> Option<Vec<Vec<Value>>> {
    let mut all = vec![Vec::new()];
    for known in &sample.variables {
        let values: Vec<Value> = match known.domain() {
            Domain::Bool => [0, 1].map(|number| numbered(number, known.sort)).to_vec(),
            Domain::Finite(values) => values.iter().map(|&number| numbered(number, known.sort)).collect(),
            Domain::Range(..) | Domain::Unbounded => return None,
        };
        if all.len() * values.len() > 2000 {
            return None;
        }
        let extended = all.iter().flat_map(|row: &Vec<Value>| {
            values.iter().map(move |value| row.iter().cloned().chain([value.clone()]).collect())
        });
        all = extended.collect();
    }
    Some(all)
}

/// A system with the variables of a sample that does nothing.
fn system(sample: &Sample) -> System {
    let mut terms = sample.terms.clone();
    let always = terms.bool(true);
    let variable = |(id, known): (usize, &Known)| Variable {
        name: format!("x{id}"),
        origin: Origin::Local(InstanceId(0), LocalId(id as u32)),
        sort: known.sort,
        domain: known.domain(),
    };
    let stutter = Event { kind: EventKind::Stutter, guard: always, enabled: always, receptions: Vec::new() };
    System::new(Parts {
        variables: sample.variables.iter().enumerate().map(variable).collect(),
        inputs: vec![Input { name: "event".to_owned(), count: 1, owner: None }],
        events: vec![stutter],
        init: Vec::new(),
        constraints: Vec::new(),
        updates: vec![Vec::new(); sample.variables.len()],
        terms,
    })
}
