//! Invariants that relate the pending obligations of a tableau to each other and to the values of finite variables.
//!
//! In the tableau a pending obligation constrains steps, not states. Without these invariants a solver considers
//! states in which nothing is pending, from where everything may go on for ever. States without a step, because a
//! demand fails there, are reachable; a clause that they violate is weakened so that it holds in them.

use crate::engine::invariants::inductive;
use crate::limits::{Budget, Stop};
use crate::ts::system::{Origin, System, Variable};
use crate::ts::term::{Leaf, Sort, Term, Terms, VarId};
use rustc_hash::FxHashMap;

/// All clauses over so many bits are candidates, else those with two literals.
const MANY: usize = 3;
/// No more candidates than that that mention other variables.
const MOST: usize = 2000;

/// Obligations and memories that are not constant.
pub fn bits(variables: &[Variable]) -> Vec<VarId> {
    let is_bit = |variable: &Variable| {
        matches!(variable.origin, Origin::Obligation(_) | Origin::Counter(_)) && variable.domain.only().is_none()
    };
    let ids = (0..).map(VarId).zip(variables);
    ids.filter(|(_, variable)| is_bit(variable)).map(|(id, _)| id).collect()
}

/// Clauses that hold in all reachable states. The system's arena grows by them.
pub fn invariants(system: &mut System, known: &[Term], budget: Budget, stop: &Stop) -> Vec<Term> {
    let bits = bits(system.variables());
    let both = |id| {
        let bit = system.var_term(id);
        [bit, system.terms_mut().not(bit)]
    };
    let literals: Vec<[Term; 2]> = bits.into_iter().map(both).collect();
    let stuck = stuck(system);
    let mut found = Vec::new();
    for clauses in [among(system, &literals), with_values(system, &literals)] {
        let kept = extend(system, known, &mut found, clauses.clone(), budget, stop);
        let others = clauses.into_iter().filter(|clause| !kept.contains(clause));
        let others = others.map(|clause| system.terms_mut().or([clause, stuck])).collect();
        extend(system, known, &mut found, others, budget, stop);
    }
    found
}

/// Adds those of the candidates that are kept, and returns them. A round that does not end tells nothing.
fn extend(
    system: &System,
    known: &[Term],
    found: &mut Vec<Term>,
    candidates: Vec<Term>,
    budget: Budget,
    stop: &Stop,
) -> Vec<Term> {
    let known = [known, &found[..]].concat();
    let kept = inductive(system, &known, candidates, budget, stop).unwrap_or_default();
    found.extend(&kept);
    kept
}

/// That a demand on states fails, whatever is promised. Demands grow or shrink with the promises, so that all or none
/// is the least.
fn stuck(system: &mut System) -> Term {
    let is_obligation = |variable: &&Variable| matches!(variable.origin, Origin::Obligation(_));
    let promises = system.variables().iter().filter(is_obligation).count();
    let first = system.inputs().len() - promises;
    let demands = system.constraints().to_vec();
    let mut failing = Vec::new();
    for demand in demands {
        let terms = system.terms_mut();
        let least = [0, 1].map(|promised| with_promises(terms, demand, first, promised));
        let least = terms.or(least);
        if terms.is_of_state(least) {
            failing.push(terms.not(least));
        }
    }
    system.terms_mut().or(failing)
}

/// A demand with all promises made, or none. They are the last inputs.
fn with_promises(terms: &mut Terms, demand: Term, first: usize, promised: u32) -> Term {
    let mut replace = |terms: &mut Terms, leaf: Leaf| match leaf {
        Leaf::Input(id) if id.0 as usize >= first => Some(terms.constant_of_enum(promised, 2)),
        _ => None,
    };
    terms.substitute(demand, &mut replace, &mut FxHashMap::default())
}

/// Clauses over bits alone.
fn among(system: &mut System, literals: &[[Term; 2]]) -> Vec<Term> {
    let longest = if literals.len() <= MANY { literals.len() } else { 2 };
    let mut clauses = vec![(0, system.terms_mut().bool(false))];
    for pair in literals {
        for (length, clause) in clauses.clone() {
            if length < longest {
                clauses.extend(pair.map(|literal| (length + 1, system.terms_mut().or([clause, literal]))));
            }
        }
    }
    clauses.into_iter().skip(1).map(|(_, clause)| clause).collect()
}

/// Clauses of a bit and whether a finite variable has a value.
fn with_values(system: &mut System, literals: &[[Term; 2]]) -> Vec<Term> {
    let mut clauses = Vec::new();
    for id in system.var_ids() {
        for value in values(system, id) {
            let other = system.terms_mut().not(value);
            for &bit in literals.iter().flatten() {
                clauses.extend([value, other].map(|value| system.terms_mut().or([bit, value])));
            }
        }
    }
    clauses.truncate(MOST);
    clauses
}

/// That a variable of the model has a value, for each of its values.
fn values(system: &mut System, id: VarId) -> Vec<Term> {
    let variable = system.variable(id);
    let (sort, numbers) = match (variable.origin, variable.domain.listed()) {
        (Origin::Obligation(_) | Origin::Counter(_), _) | (_, Some([_])) => return Vec::new(),
        (_, Some(values)) if variable.sort == Sort::Bool => (Sort::Bool, values[1..].to_vec()),
        (_, Some(values)) if variable.sort != Sort::Int => (variable.sort, values.to_vec()),
        _ => return Vec::new(),
    };
    let term = system.var_term(id);
    let terms = system.terms_mut();
    let is = |number| {
        let value = terms.numbered(number, sort);
        terms.eq(term, value)
    };
    numbers.into_iter().map(is).collect()
}
