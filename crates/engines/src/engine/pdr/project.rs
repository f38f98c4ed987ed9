//! Cubes without free variables: what a state has to satisfy so that *some* values of the free variables fit.
//!
//! The projection is guided by a model, as in Bjorner and Janota (*Playing with quantified satisfaction*, LPAR 2015): it
//! implies that fitting values exist, and the present state satisfies it, but other states with fitting values may not.
//! An integer becomes the greatest of its lower bounds, or the least of its upper ones, where this bound has
//! coefficient 1 (Loos and Weispfenning, 1993); otherwise its present value.

use super::Cube;
use super::bounds::{Bound, Sum, value};
use crate::ts::system::{System, Variable};
use crate::ts::term::{Leaf, Sort, Term, TermNode, Terms, VarId};
use crate::ts::valuation::Valuation;
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Literals over variables that are not free, which imply the literals for some values of the free ones. The valuation
/// satisfies both.
pub fn project(system: &System, terms: &mut Terms, literals: Cube, valuation: &mut Valuation) -> Cube {
    if !system.variables().iter().any(Variable::is_free) {
        return literals;
    }
    let mut cube: BTreeSet<Term> = literals.into_iter().collect();
    // A free truth value is given its present one.
    cube.retain(|&literal| !is_free_flag(system, terms, literal));
    let read: BTreeSet<VarId> = cube.iter().flat_map(|&literal| terms.variables(literal)).collect();
    for id in read.into_iter().filter(|id| system.variable(*id).is_free()) {
        let leaf = Leaf::Var(id);
        let (with, without): (Vec<Term>, Vec<Term>) =
            cube.into_iter().partition(|&literal| terms.variables(literal).contains(&id));
        cube = without.into_iter().collect();
        let Some(instead) = IntegerBounds::of(terms, id, &with, valuation).choice(terms, leaf, valuation) else {
            continue;
        };
        let mut replace = |_: &mut Terms, other: Leaf| (other == leaf).then_some(instead);
        let mut memo = FxHashMap::default();
        for literal in with {
            let projected = terms.substitute(literal, &mut replace, &mut memo);
            cube.extend(terms.conjuncts(&[projected]));
        }
    }
    cube.into_iter().collect()
}

fn is_free_flag(system: &System, terms: &Terms, literal: Term) -> bool {
    match *terms.node(literal) {
        TermNode::Leaf(Leaf::Var(id)) => system.variable(id).is_free(),
        TermNode::Not(inner) => is_free_flag(system, terms, inner),
        _ => false,
    }
}

/// An end of the values that an integer can have.
struct IntegerEnd {
    /// Its coefficient, without sign.
    size: IBig,
    /// The term that the integer, so many times, is compared with.
    term: Term,
    /// The least or greatest integer that fits now.
    now: IBig,
}

/// The bounds of an integer by literals.
struct IntegerBounds {
    lower: Vec<IntegerEnd>,
    upper: Vec<IntegerEnd>,
    /// Some literal is more than a bound of it.
    more: bool,
}

impl IntegerBounds {
    fn of(terms: &mut Terms, id: VarId, literals: &[Term], valuation: &mut Valuation) -> IntegerBounds {
        let (mut lower, mut upper, mut more) = (Vec::new(), Vec::new(), false);
        for &literal in literals {
            let Some(Bound { mut sum, most }) = Bound::of(terms, literal) else {
                more = true;
                continue;
            };
            let place = sum.iter().position(|(_, term)| *terms.node(*term) == TermNode::Leaf(Leaf::Var(id)));
            let Some((coefficient, _)) = place.map(|place| sum.remove(place)) else {
                more = true;
                continue;
            };
            if sum.iter().any(|(_, term)| terms.variables(*term).contains(&id)) {
                more = true;
                continue;
            }
            // `coefficient * integer <= most - sum`
            let room = &most - value(&sum, terms, valuation);
            let positive = coefficient > IBig::ZERO;
            let sign = if positive { IBig::ONE } else { IBig::NEG_ONE };
            let size = &coefficient * &sign;
            let mut bound: Sum = sum.iter().map(|(factor, x)| (-(factor * &sign), *x)).collect();
            bound.push((IBig::ONE, terms.int(&most * &sign)));
            let term = terms.linear(&bound);
            let now = if positive { floor(&room, &size) } else { -floor(&room, &size) };
            let end = IntegerEnd { size, term, now };
            if positive { upper.push(end) } else { lower.push(end) }
        }
        IntegerBounds { lower, upper, more }
    }

    /// The term to take for the integer; nothing if some value fits whatever the others are.
    fn choice(&self, terms: &mut Terms, leaf: Leaf, valuation: &mut Valuation) -> Option<Term> {
        let IntegerBounds { lower, upper, more } = self;
        if !more {
            if lower.is_empty() || upper.is_empty() {
                return None;
            }
            let greatest = lower.iter().max_by(|a, b| (&a.now, &b.size).cmp(&(&b.now, &a.size)));
            let least = upper.iter().min_by(|a, b| (&a.now, &a.size).cmp(&(&b.now, &b.size)));
            let unit = [greatest, least].into_iter().flatten().find(|end| end.size == IBig::ONE);
            if let Some(end) = unit {
                return Some(end.term);
            }
        }
        let integer = terms.leaf(leaf, Sort::Int, None);
        let present = valuation.value(terms, integer);
        Some(terms.constant(&present, Sort::Int))
    }
}

/// The quotient by a positive number, rounded down.
fn floor(number: &IBig, by: &IBig) -> IBig {
    let quotient = number / by;
    if &quotient * by > *number { quotient - IBig::ONE } else { quotient }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Value;
    use crate::ts::system::{Domain, Event, EventKind, Input, Origin, Parts};

    /// Two integers and a flag; then the same again, free.
    fn system() -> System {
        let mut terms = Terms::new();
        let sorts = [Sort::Int, Sort::Int, Sort::Bool];
        let variable = |number: u32| {
            let sort = sorts[number as usize % 3];
            let origin = if number < 3 { Origin::Argument(number) } else { Origin::Free(number) };
            let domain = if sort == Sort::Bool { Domain::Bool } else { Domain::Unbounded };
            Variable { name: format!("v{number}"), origin, sort, domain }
        };
        let never = terms.bool(false);
        let stutter = Event { kind: EventKind::Stutter, guard: never, enabled: never, receptions: Vec::new() };
        System::new(Parts {
            terms,
            variables: (0..6).map(variable).collect(),
            inputs: vec![Input { name: "event".to_owned(), count: 1, owner: None }],
            events: vec![stutter],
            init: Vec::new(),
            constraints: Vec::new(),
            updates: vec![Vec::new(); 6],
        })
    }

    /// All cubes of up to three of these bounds `a x + b y + c free + d other free <= most`, in all small states.
    #[test]
    fn what_is_left_has_fitting_values() {
        let mut system = system();
        let leaves = [0, 1, 3, 4].map(|id| system.var_term(VarId(id)));
        let mut terms = system.terms().clone();
        let rows: [([i64; 4], i64); 10] = [
            ([1, 0, -1, 0], 0),
            ([0, -1, 1, 0], 0),
            ([1, 1, -2, 0], 1),
            ([-1, 0, 3, 0], 2),
            ([0, 0, 1, -1], -1),
            ([0, 1, -1, 1], 0),
            ([1, -1, 0, 2], 1),
            ([0, 0, -1, 0], 1),
            ([1, 0, 0, 0], 0),
            ([0, 0, 2, -3], 0),
        ];
        let literals = rows.map(|(coefficients, most)| {
            let sum = coefficients.into_iter().map(IBig::from).zip(leaves).filter(|(c, _)| *c != IBig::ZERO);
            Bound { sum: sum.collect(), most: most.into() }.literal(&mut terms)
        });
        let state = |values: [i64; 4]| {
            let [x, y, free, other] = values.map(Value::int);
            vec![x, y, Value::Bool(true), free, other, Value::Bool(false)]
        };
        let small = || -2..=2;
        let (mut projections, mut kept) = (0, 0);
        for (first, second, third) in triples(literals.len()) {
            let cube: Cube = [literals[first], literals[second], literals[third]].into();
            for values in small().flat_map(|x| small().flat_map(move |y| [[x, y, 0, 0], [x, y, -1, 1], [x, y, 2, -2]]))
            {
                let mut valuation = Valuation::new(state(values), Vec::new());
                if !cube.iter().all(|&literal| valuation.holds(&terms, literal)) {
                    continue;
                }
                let projected = project(&system, &mut terms, cube.clone(), &mut valuation);
                projections += 1;
                for &literal in &projected {
                    assert!(valuation.holds(&terms, literal), "the present state satisfies it");
                    assert!(terms.variables(literal).into_iter().all(|id| !system.variable(id).is_free()));
                }
                for (x, y) in small().flat_map(|x| small().map(move |y| (x, y))) {
                    let mut there = Valuation::new(state([x, y, 0, 0]), Vec::new());
                    if projected.iter().all(|&literal| there.holds(&terms, literal)) {
                        let fits = (-12..=12).flat_map(|free| (-12..=12).map(move |other| [x, y, free, other]));
                        let fit = fits.into_iter().any(|values| {
                            let mut there = Valuation::new(state(values), Vec::new());
                            cube.iter().all(|&literal| there.holds(&terms, literal))
                        });
                        assert!(fit, "{cube:?} from {values:?}: {x}, {y}");
                        kept += 1;
                    }
                }
            }
        }
        assert!(projections > 1000 && kept > 10 * projections, "{kept} of {projections}");
    }

    fn triples(count: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..count).flat_map(move |a| (a..count).flat_map(move |b| (b..count).map(move |c| (a, b, c))))
    }

    #[test]
    fn flags_and_products() {
        let mut system = system();
        let [x, flag, free, free_flag] = [0, 2, 3, 5].map(|id| system.var_term(VarId(id)));
        let mut terms = system.terms().clone();
        let product = terms.mul(free, x);
        let (six, not_free) = (terms.int(6), terms.not(free_flag));
        let exactly = terms.le(six, product);
        let values =
            [Value::int(2), Value::int(0), Value::Bool(true), Value::int(3), Value::int(0), Value::Bool(false)];
        let mut valuation = Valuation::new(values.to_vec(), Vec::new());
        let projected = project(&system, &mut terms, vec![flag, not_free, exactly], &mut valuation);
        let three = terms.int(3);
        let triple = terms.mul(three, x);
        let mut expected = vec![flag, terms.le(six, triple)];
        expected.sort_unstable();
        assert_eq!(projected, expected);
    }
}
