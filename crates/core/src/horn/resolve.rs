//! Clauses in terms, and larger ones that are put together from them.
//!
//! An engine has to find nothing out about a predicate that is on no loop: where it is the head of one clause and in the
//! body of another one, both together are a clause without it (Beyer, Cimatti, Griggio, Keremoglu, Sebastiani, *Software
//! model checking via large-block encoding*, FMCAD 2009). [`Blocks`] are what is left. A body with several predicates
//! becomes one with one of them, if the others can be derived in few ways, without a loop ([`Shapes`]).

use super::formula::{Atom, Marks, Parts, Reader, expected};
use super::{Clause, Clauses, Fault, Sort, Statement, Variable};
use crate::limits::tick;
use crate::ts::smtlib::expression::Id;
use crate::ts::smtlib::read::term_of;
use crate::ts::term::{InputId, Leaf, Term, Terms};
use rustc_hash::FxHashMap;

/// The input that stands for the first variable of a clause: the event has the number 0.
pub const FIRST: u32 = 1;

/// A predicate is derived in no more ways where it stands beside another one.
pub const MOST_WAYS: usize = 200;

/// By so many clauses there may be more without a predicate than with it.
const GROWTH: usize = 8;

/// A clause of the file, or several one after the other, in terms over their variables, each of which is an input here.
#[derive(Clone, Debug)]
pub struct ClauseReading {
    /// The clauses of the file, each behind those that lead to what it needs.
    pub uses: Vec<Used>,
    /// Its conditions.
    pub conditions: Vec<Term>,
    /// Its body.
    pub before: Vec<Atom>,
    /// Its head; none if it is `false`.
    pub after: Option<Atom>,
}

/// A clause of the file that is used.
#[derive(Clone, Debug)]
pub struct Used {
    /// Its number.
    pub clause: usize,
    /// The values of its variables, as terms.
    pub variables: Vec<Term>,
    /// Its head.
    pub head: Option<Atom>,
}

impl ClauseReading {
    /// The readings of a clause, with inputs from a number on.
    pub fn of(
        clauses: &Clauses,
        marks: &Marks,
        number: usize,
        terms: &mut Terms,
        first: u32,
    ) -> Result<Vec<ClauseReading>, Fault> {
        let clause = &clauses.clauses[number];
        let leaf = |(number, variable): (u32, &Variable)| {
            terms.leaf(Leaf::Input(InputId(number)), variable.symbol.sort.into(), None)
        };
        let variables: Vec<Term> = (first..).zip(&clause.variables).map(leaf).collect();
        let parts = match &clause.statement {
            Statement::Formula(formula) => {
                Reader::new(clauses, marks, terms, &clause.variables, first).horn(*formula)?
            }
            Statement::Never(predicate) => vec![never(clauses, *predicate, terms, first)],
            Statement::Step { conditions, before, after } => {
                let mut reader = StepReader::new(clauses, &clause.variables, &variables, terms)?;
                let mut read = Vec::new();
                for condition in conditions {
                    let term = reader.read(condition.formula, Sort::Bool)?;
                    read.push(if condition.negated { reader.terms.not(term) } else { term });
                }
                let before = reader.state(before)?.into_iter().collect();
                vec![Parts { conditions: read, before, after: reader.state(after)? }]
            }
        };
        let reading = |Parts { conditions, before, after }: Parts| {
            let used = Used { clause: number, variables: variables.clone(), head: after.clone() };
            ClauseReading { uses: vec![used], conditions, before, after }
        };
        Ok(parts.into_iter().map(reading).collect())
    }

    /// All readings of all clauses, which are well sorted, and the number of the next input.
    pub fn all(clauses: &Clauses, terms: &mut Terms) -> (Vec<ClauseReading>, u32) {
        let (mut first, mut readings) = (FIRST, Vec::new());
        let marks = Marks::new(clauses);
        for (number, clause) in clauses.clauses.iter().enumerate() {
            let read = ClauseReading::of(clauses, &marks, number, terms, first);
            readings.extend(read.expect("the formulas are well sorted"));
            first += inputs(clauses, clause) as u32;
        }
        (readings, first)
    }

    /// Another clause behind this one, whose head is the predicate at a position of the body of the other one.
    fn then(&self, terms: &mut Terms, other: &ClauseReading, position: usize, next: &mut u32) -> ClauseReading {
        tick();
        let shared = self.uses.iter().any(|one| other.uses.iter().any(|another| one.clause == another.clause));
        let other = if shared { &other.renamed(terms, next) } else { other };
        let head = self.after.as_ref().expect("it stands in the other one");
        let mut conditions = [&self.conditions[..], &other.conditions].concat();
        for (&a, &b) in head.arguments.iter().zip(&other.before[position].arguments) {
            conditions.push(terms.eq(a, b));
        }
        let (first, rest) = (&other.before[..position], &other.before[position + 1..]);
        ClauseReading {
            uses: [&self.uses[..], &other.uses].concat(),
            conditions,
            before: [first, &self.before, rest].concat(),
            after: other.after.clone(),
        }
    }

    /// The same with other variables.
    fn renamed(&self, terms: &mut Terms, next: &mut u32) -> ClauseReading {
        let (mut names, mut memo) = (FxHashMap::default(), FxHashMap::default());
        let mut replace = |terms: &mut Terms, leaf: Leaf| {
            let sort = terms.leaf_sort(leaf)?;
            let number = *names.entry(leaf).or_insert_with(|| {
                *next += 1;
                *next - 1
            });
            Some(terms.leaf(Leaf::Input(InputId(number)), sort, None))
        };
        let mut all = |list: &[Term]| -> Vec<Term> {
            list.iter().map(|&term| terms.substitute(term, &mut replace, &mut memo)).collect()
        };
        let conditions = all(&self.conditions);
        let mut atom = |atom: &Atom| Atom::new(atom.predicate, all(&atom.arguments));
        let (before, after) = (self.before.iter().map(&mut atom).collect(), self.after.as_ref().map(&mut atom));
        let heads: Vec<Option<Atom>> = self.uses.iter().map(|one| one.head.as_ref().map(&mut atom)).collect();
        let uses = self.uses.iter().zip(heads);
        let uses = uses.map(|(one, head)| Used { clause: one.clause, variables: all(&one.variables), head }).collect();
        ClauseReading { uses, conditions, before, after }
    }

    fn shape(&self) -> Shape {
        Shape {
            before: self.before.iter().map(|atom| atom.predicate).collect(),
            after: self.after.as_ref().map(|atom| atom.predicate),
        }
    }
}

/// The number of inputs that a clause needs.
fn inputs(clauses: &Clauses, clause: &Clause) -> usize {
    match clause.statement {
        Statement::Never(predicate) => clauses.predicates[predicate].arguments.len(),
        Statement::Formula(_) | Statement::Step { .. } => clause.variables.len(),
    }
}

/// That no state belongs to a predicate. Its arguments are no variables of the clause.
fn never(clauses: &Clauses, predicate: usize, terms: &mut Terms, first: u32) -> Parts {
    let arguments = (first..).zip(&clauses.predicates[predicate].arguments);
    let arguments = arguments
        .map(|(number, argument)| terms.leaf(Leaf::Input(InputId(number)), argument.sort.into(), None))
        .collect();
    Parts { before: vec![Atom::new(predicate, arguments)], ..Parts::default() }
}

/// Reads steps of the only predicate.
struct StepReader<'a, 't> {
    clauses: &'a Clauses<'t>,
    terms: &'a mut Terms,
    names: FxHashMap<&'t str, Term>,
}

impl<'a, 't> StepReader<'a, 't> {
    fn new(
        clauses: &'a Clauses<'t>,
        variables: &[Variable<'t>],
        leaves: &[Term],
        terms: &'a mut Terms,
    ) -> Result<StepReader<'a, 't>, Fault> {
        let names = variables.iter().map(|variable| variable.symbol.name).zip(leaves.iter().copied()).collect();
        let mut reader = StepReader { clauses, terms, names };
        for (symbol, body) in &clauses.definitions {
            let term = reader.read(*body, symbol.sort)?;
            reader.names.insert(symbol.name, term);
        }
        Ok(reader)
    }

    fn read(&mut self, id: Id, sort: Sort) -> Result<Term, Fault> {
        let names = &self.names;
        let mut lookup = |_: &mut Terms, name: &str| names.get(name).copied();
        let term = term_of(self.terms, &self.clauses.expressions, id, &mut lookup)?;
        if self.terms.sort(term) == sort.into() {
            return Ok(term);
        }
        Err(Fault { span: self.clauses.span(id), what: expected(sort.into()).to_owned() })
    }

    fn state(&mut self, ids: &Option<Vec<Id>>) -> Result<Option<Atom>, Fault> {
        let Some(ids) = ids else { return Ok(None) };
        let pairs = ids.iter().zip(&self.clauses.predicates[0].arguments);
        let arguments: Result<Vec<Term>, Fault> = pairs.map(|(&id, argument)| self.read(id, argument.sort)).collect();
        Ok(Some(Atom::new(0, arguments?)))
    }
}

/// Which predicates a clause speaks of.
#[derive(Clone, Debug)]
pub struct Shape {
    before: Vec<usize>,
    after: Option<usize>,
}

/// The ways in which predicates are derived without a loop, by predicate: how many; none if there is a loop on the way, or
/// there are more than [`MOST_WAYS`].
pub struct Shapes(Vec<Option<usize>>);

impl Shapes {
    /// Of clauses about so many predicates.
    pub fn new(shapes: &[Shape], predicates: usize) -> Shapes {
        let mut ways: Vec<Option<Option<usize>>> = vec![None; predicates];
        loop {
            let mut sums: Vec<Option<Option<usize>>> = vec![Some(Some(0)); predicates];
            for Shape { before, after } in shapes {
                tick();
                let Some(after) = *after else { continue };
                let mut each = before.iter().map(|&predicate| ways[predicate]);
                let product = each.try_fold(Some(1), |a, b| Some(few(a, b?, |a, b| a * b)));
                sums[after] = sums[after].zip(product).map(|(a, b)| few(a, b, |a, b| a + b));
            }
            if sums == ways {
                return Shapes(ways.into_iter().map(Option::flatten).collect());
            }
            ways = sums;
        }
    }

    /// The position in a body of the predicate that stays in it; or that of one that would have to stay as well.
    fn kept(&self, before: &[Atom]) -> Result<usize, usize> {
        let ways = |position: usize| self.0[before[position].predicate];
        let kept = (0..before.len()).find(|&position| ways(position).is_none()).unwrap_or(0);
        let mut others = (0..before.len()).filter(|&position| position != kept);
        let mut product = Some(1);
        let too_many = others.find(|&position| {
            product = few(product, ways(position), |a, b| a * b);
            product.is_none()
        });
        too_many.map_or(Ok(kept), Err)
    }

    /// Checks that all bodies of these clauses can be made linear.
    pub fn check(clauses: &Clauses, readings: &[ClauseReading]) -> Result<(), Fault> {
        if readings.iter().all(|reading| reading.before.len() < 2) {
            return Ok(());
        }
        let list: Vec<Shape> = readings.iter().map(ClauseReading::shape).collect();
        let shapes = Shapes::new(&list, clauses.predicates.len());
        for ClauseReading { before, uses, .. } in readings.iter().filter(|reading| reading.before.len() > 1) {
            let Err(second) = shapes.kept(before) else { continue };
            let span = before[second].place.map_or(clauses.clauses[uses[0].clause].span, |place| clauses.span(place));
            let name = clauses.predicates[before[second].predicate].name;
            let what = format!(
                "one predicate of a body may depend on a loop, or have more than {MOST_WAYS} derivations; `{name}` is a \
                 second one"
            );
            return Err(Fault { span, what });
        }
        Ok(())
    }
}

/// A sum or a product, if it is at most [`MOST_WAYS`].
fn few(a: Option<usize>, b: Option<usize>, operation: impl Fn(usize, usize) -> usize) -> Option<usize> {
    a.zip(b).map(|(a, b)| operation(a, b)).filter(|&ways| ways <= MOST_WAYS)
}

/// The part that a predicate has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// No clause leads to it.
    Unreached,
    /// It leads to no bad state.
    Harmless,
    /// It is resolved away.
    Between,
    /// It is left.
    Location,
}

/// Clauses without predicates that are on no loop.
#[derive(Debug)]
pub struct Blocks {
    /// With at most one predicate in each body.
    pub readings: Vec<ClauseReading>,
    /// By predicate.
    pub parts: Vec<Part>,
}

impl Blocks {
    /// Puts clauses together.
    pub fn new(terms: &mut Terms, readings: &[ClauseReading], predicates: usize, next: &mut u32) -> Blocks {
        let (kept, parts) = needed(readings, predicates);
        let linear = linear(terms, kept, predicates, next);
        let mut eliminating = Eliminating::new(linear, parts);
        // First where nothing grows.
        for growth in [None, Some(0), Some(GROWTH)] {
            while eliminating.pass(terms, growth, next) {}
        }
        Blocks { readings: eliminating.readings.into_iter().flatten().collect(), parts: eliminating.parts }
    }
}

/// The clauses that lead from initial to bad states, as far as predicates tell.
fn needed(readings: &[ClauseReading], predicates: usize) -> (Vec<ClauseReading>, Vec<Part>) {
    let shapes: Vec<Shape> = readings.iter().map(ClauseReading::shape).collect();
    let (mut reached, mut harmful) = (vec![false; predicates], vec![false; predicates]);
    let mut changed = true;
    while changed {
        changed = false;
        for Shape { before, after } in &shapes {
            if let Some(after) = *after
                && !reached[after]
                && before.iter().all(|&predicate| reached[predicate])
            {
                (reached[after], changed) = (true, true);
            }
        }
        for Shape { before, after } in shapes.iter().rev() {
            if after.is_none_or(|after| harmful[after]) {
                for &predicate in before {
                    changed |= !std::mem::replace(&mut harmful[predicate], true);
                }
            }
        }
    }
    let says_nothing = |Shape { before, after }: &Shape, reading: &ClauseReading| {
        reading.after.as_ref().is_some_and(|atom| atom.arguments.is_empty())
            && after.is_some_and(|after| before.contains(&after))
    };
    let kept = readings.iter().zip(&shapes).filter(|(reading, shape)| {
        shape.before.iter().all(|&predicate| reached[predicate])
            && shape.after.is_none_or(|after| harmful[after])
            && !says_nothing(shape, reading)
    });
    let part = |(reached, harmful)| match (reached, harmful) {
        (false, _) => Part::Unreached,
        (true, false) => Part::Harmless,
        (true, true) => Part::Location,
    };
    (kept.map(|(reading, _)| reading.clone()).collect(), reached.into_iter().zip(harmful).map(part).collect())
}

/// The clauses with one predicate at most in each body.
pub fn linear(
    terms: &mut Terms,
    readings: Vec<ClauseReading>,
    predicates: usize,
    next: &mut u32,
) -> Vec<ClauseReading> {
    if readings.iter().all(|reading| reading.before.len() < 2) {
        return readings;
    }
    let shapes: Vec<Shape> = readings.iter().map(ClauseReading::shape).collect();
    let shapes = Shapes::new(&shapes, predicates);
    let (mut open, mut done) = (readings.clone(), Vec::new());
    while let Some(reading) = open.pop() {
        if reading.before.len() < 2 {
            done.push(reading);
            continue;
        }
        let kept = shapes.kept(&reading.before).expect("the reader refuses others");
        let position = usize::from(kept == 0);
        let predicate = reading.before[position].predicate;
        for one in &readings {
            if one.after.as_ref().is_some_and(|atom| atom.predicate == predicate) {
                open.push(one.then(terms, &reading, position, next));
            }
        }
    }
    done.reverse();
    done
}

/// Resolves predicates away.
struct Eliminating {
    readings: Vec<Option<ClauseReading>>,
    parts: Vec<Part>,
    /// The clauses with a predicate in their heads; some may be gone.
    heads: Vec<Vec<usize>>,
    /// The same for bodies.
    bodies: Vec<Vec<usize>>,
}

impl Eliminating {
    fn new(readings: Vec<ClauseReading>, parts: Vec<Part>) -> Eliminating {
        let none = vec![Vec::new(); parts.len()];
        let mut eliminating = Eliminating { readings: Vec::new(), parts, heads: none.clone(), bodies: none };
        readings.into_iter().for_each(|reading| eliminating.add(reading));
        eliminating
    }

    fn add(&mut self, reading: ClauseReading) {
        let number = self.readings.len();
        reading.before.iter().for_each(|atom| self.bodies[atom.predicate].push(number));
        reading.after.iter().for_each(|atom| self.heads[atom.predicate].push(number));
        self.readings.push(Some(reading));
    }

    /// Looks at each predicate once: it goes if there are no more clauses without it than with it, but for so many, or,
    /// if no number is given, if each clause stays one. False if none goes.
    fn pass(&mut self, terms: &mut Terms, growth: Option<usize>, next: &mut u32) -> bool {
        let mut changed = false;
        for predicate in 0..self.parts.len() {
            tick();
            let alive = |list: &mut Vec<usize>| list.retain(|&number| self.readings[number].is_some());
            let (heads, bodies) = (&mut self.heads[predicate], &mut self.bodies[predicate]);
            alive(heads);
            alive(bodies);
            let most = match growth {
                None => heads.len().max(bodies.len()),
                Some(growth) => heads.len() + bodies.len() + growth,
            };
            let loops = heads.iter().any(|number| bodies.contains(number));
            if self.parts[predicate] == Part::Location && !loops && heads.len() * bodies.len() <= most {
                changed = true;
                self.eliminate(terms, predicate, next);
            }
        }
        changed
    }

    fn eliminate(&mut self, terms: &mut Terms, predicate: usize, next: &mut u32) {
        self.parts[predicate] = Part::Between;
        let mut taken = |numbers: Vec<usize>| -> Vec<ClauseReading> {
            numbers.into_iter().filter_map(|number| self.readings[number].take()).collect()
        };
        let heads = taken(std::mem::take(&mut self.heads[predicate]));
        let bodies = taken(std::mem::take(&mut self.bodies[predicate]));
        for head in &heads {
            for body in &bodies {
                self.add(head.then(terms, body, 0, next));
            }
        }
    }
}
