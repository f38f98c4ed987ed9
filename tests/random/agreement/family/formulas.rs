//! All formulas up to a size.

use rcheck_smt::model::formula::Observation;
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
        let Some(Formula::Possible(observation, _)) = atoms.pop() else { panic!("the last spec is no `<<O>> f`") };
        Vocabulary { atoms, observation: *observation }
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
    let (inner, seen) = (|| Box::new(body.clone()), || Box::new(observation.clone()));
    let mut list =
        vec![Formula::Next(inner()), Formula::Possible(seen(), inner()), Formula::Necessary(seen(), inner())];
    if !matches!(body, Formula::Not(_)) {
        list.push(Formula::Not(inner()));
    }
    if !matches!(body, Formula::Finally(_)) {
        list.push(Formula::Finally(inner()));
    }
    if !matches!(body, Formula::Globally(_)) {
        list.push(Formula::Globally(inner()));
    }
    list
}

/// With the operators between two; those that do not care for the order only if the operands are in it.
fn infixed(a: &Formula, b: &Formula, in_order: bool) -> Vec<Formula> {
    let (left, right) = (|| Box::new(a.clone()), || Box::new(b.clone()));
    let mut list = vec![
        Formula::Implies(left(), right()),
        Formula::Until(left(), right()),
        Formula::WeakUntil(left(), right()),
        Formula::Release(left(), right()),
    ];
    if in_order {
        list.push(Formula::And(vec![a.clone(), b.clone()]));
        list.push(Formula::Or(vec![a.clone(), b.clone()]));
        list.push(Formula::Iff(left(), right()));
    }
    list
}
