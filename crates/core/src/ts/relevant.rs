//! The cone of influence: the part of a system that matters for given terms.

use super::system::{Domain, System};
use super::term::{Leaf, Term, TermNode, VarId};
use rustc_hash::FxHashMap;

/// The variables that the roots depend on, also through steps and through the initial condition; and the
/// conjuncts of the initial condition without those that only fix some other variable.
pub fn relevant(system: &System, roots: impl IntoIterator<Item = Term>) -> (Vec<VarId>, Vec<Term>) {
    let init = system.terms().conjuncts(system.init());
    let mut occurrences: FxHashMap<VarId, usize> = FxHashMap::default();
    let read: Vec<Vec<VarId>> = init.iter().map(|&term| system.terms().variables(term)).collect();
    read.iter().flatten().for_each(|&id| *occurrences.entry(id).or_default() += 1);
    let independent = |index: usize| match read[index][..] {
        [only] => occurrences[&only] == 1 && is_satisfiable_literal(system, init[index]),
        _ => false,
    };
    let bound: Vec<VarId> = (0..init.len()).filter(|&i| !independent(i)).flat_map(|i| read[i].clone()).collect();
    let cone = system.cone(roots, &bound);
    let kept = |index: &usize| !independent(*index) || cone.contains(&read[*index][0]);
    let init = (0..init.len()).filter(kept).map(|index| init[index]).collect();
    (cone, init)
}

/// The conjuncts of the initial condition that no step can change, and that read something on which the root depends:
/// invariants.
pub fn lasting(system: &System, root: Term) -> Vec<Term> {
    let constant = |id: &VarId| system.update(*id).is_empty() && !system.variable(*id).is_free();
    let cone = system.cone([root], &[]);
    let lasts = |&term: &Term| {
        let read = system.terms().variables(term);
        read.iter().all(constant) && read.iter().any(|id| cone.contains(id))
    };
    system.terms().conjuncts(system.init()).into_iter().filter(lasts).collect()
}

/// A Boolean variable, its negation, or `variable = value` with a value of its domain.
fn is_satisfiable_literal(system: &System, term: Term) -> bool {
    let terms = system.terms();
    let domain = |leaf: Term| match *terms.node(leaf) {
        TermNode::Leaf(Leaf::Var(id)) => Some(&system.variable(id).domain),
        _ => None,
    };
    match *terms.node(term) {
        TermNode::Leaf(Leaf::Var(_)) => domain(term) == Some(&Domain::Bool),
        TermNode::Not(inner) => domain(inner) == Some(&Domain::Bool),
        TermNode::Eq(a, b) => match (domain(a), terms.node(b)) {
            (Some(Domain::Unbounded), TermNode::Int(_)) => true,
            (Some(Domain::Finite(values)), TermNode::Enum(value, _)) => values.contains(&i64::from(*value)),
            (Some(Domain::Finite(values)), TermNode::Int(value)) => values.iter().any(|&other| *value == other.into()),
            (Some(Domain::Range(low, high)), TermNode::Int(value)) => {
                i64::try_from(value).is_ok_and(|value| (*low..=*high).contains(&value))
            }
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::of_text::model;
    use crate::ts::history::base_system;

    const MODEL: &str = "
        agent Counter
            local: n : int, by : int, most : int, spare : int
            init: n = 0 & by > 0 & most > by & spare = 3
            receive-guard: chan = *
            repeat: {n < most} *! (false)()[n := n + by]
        system = Counter(one, true)
    ";

    #[test]
    fn what_lasts_speaks_of_constants_that_matter() {
        let mut system = base_system(&model(MODEL));
        let named = |system: &mut System, name: &str| {
            let id = system.var_ids().find(|id| system.variable(*id).name == name).expect("a variable of that name");
            system.var_term(id)
        };
        let [n, by, most, spare] = ["one-n", "one-by", "one-most", "one-spare"].map(|name| named(&mut system, name));
        let terms = system.terms_mut();
        let (zero, three) = (terms.int(0), terms.int(3));
        let bad = terms.lt(n, zero);
        let conditions = [terms.lt(zero, by), terms.lt(by, most), terms.eq(n, zero), terms.eq(spare, three)];
        let found = lasting(&system, bad);
        assert_eq!(conditions.map(|condition| found.contains(&condition)), [true, true, false, false]);
    }
}
