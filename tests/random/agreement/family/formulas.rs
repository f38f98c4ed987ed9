//! All formulas up to a size.

use rcheck_smt::model::formula::Observation;
use rcheck_smt::model::written::Written;
use rcheck_smt::model::{Formula, Model};

/// The atoms of the formulas.
pub struct Vocabulary {
    /// Conditions and labels.
    pub atoms: Vec<Formula>,
    /// The condition on steps in `<<O>>` and `[[O]]`.
    pub observation: Observation,
}

impl Vocabulary {
    /// From the specs of a model: the last one is `<<O>> f`, the others are the atoms.
    pub fn of(model: &Model) -> Vocabulary {
        let mut atoms: Vec<Formula> = model.specs.iter().map(|spec| spec.formula.clone()).collect();
        let last = atoms.pop().expect("it has specs");
        let Written::Possible(observation, _) = last.written() else { panic!("the last spec is no `<<O>> f`") };
        Vocabulary { atoms, observation: observation.clone() }
    }
}

/// All formulas up to a size, by size; of those that say the same for trivial reasons (`F F p`, `p & q` and `q & p`)
/// only one.
pub fn formulas(vocabulary: &Vocabulary, size: usize) -> Vec<Formula> {
    let mut by_size = vec![Vec::new(), vocabulary.atoms.clone()];
    for size in 2..=size {
        let mut list: Vec<Formula> =
            by_size[size - 1].iter().flat_map(|body| prefixed(body, &vocabulary.observation)).collect();
        for left in 1..size - 1 {
            let right = size - 1 - left;
            for (one, a) in by_size[left].iter().enumerate() {
                for (other, b) in by_size[right].iter().enumerate() {
                    if (left, one) != (right, other) {
                        list.extend(infixed(a, b, (left, one) < (right, other)));
                    }
                }
            }
        }
        by_size.push(list);
    }
    by_size.concat()
}

fn prefixed(body: &Formula, observation: &Observation) -> Vec<Formula> {
    let (body, seen) = (body.clone(), || observation.clone());
    let mut list =
        vec![body.clone().next(), Formula::possible(seen(), body.clone()), Formula::necessary(seen(), body.clone())];
    let written = body.written();
    if !matches!(written, Written::Not(_)) {
        list.push(body.clone().not());
    }
    if !matches!(written, Written::Finally(_)) {
        list.push(body.clone().finally());
    }
    if !matches!(written, Written::Globally(_)) {
        list.push(body.clone().globally());
    }
    list
}

/// With the operators between two; those that do not care for the order only if the operands are in it.
fn infixed(a: &Formula, b: &Formula, in_order: bool) -> Vec<Formula> {
    let (left, right) = (|| a.clone(), || b.clone());
    let mut list =
        vec![left().implies(right()), left().until(right()), left().weak_until(right()), left().release(right())];
    if in_order {
        list.push(Formula::And(vec![left(), right()]));
        list.push(Formula::Or(vec![left(), right()]));
        list.push(left().iff(right()));
    }
    list
}
