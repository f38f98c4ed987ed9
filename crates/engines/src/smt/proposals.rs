//! Proposals that satisfy clauses, from CaDiCaL, and why there are none any more.

use crate::limits;
use cadical::Callbacks;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// Clauses over numbered variables, from 1.
pub struct Proposals {
    solver: cadical::Solver<Learner>,
    clauses: Vec<Vec<i32>>,
    learnt: Rc<RefCell<Vec<Vec<i32>>>>,
}

/// Notes what is learnt.
struct Learner(Rc<RefCell<Vec<Vec<i32>>>>);

impl Callbacks for Learner {
    fn terminate(&mut self) -> bool {
        limits::pass();
        false
    }

    fn max_length(&self) -> i32 {
        i32::MAX
    }

    fn learn(&mut self, clause: &[i32]) {
        self.0.borrow_mut().push(clause.to_vec());
    }
}

impl Default for Proposals {
    /// Without clauses.
    fn default() -> Proposals {
        let mut solver = cadical::Solver::with_config("plain").expect("the solver knows this configuration");
        let learnt: Rc<RefCell<Vec<Vec<i32>>>> = Rc::default();
        solver.set_callbacks(Some(Learner(learnt.clone())));
        Proposals { solver, clauses: Vec::new(), learnt }
    }
}

impl Proposals {
    /// Adds a clause.
    pub fn add(&mut self, clause: &[i32]) {
        self.solver.add_clause(clause.iter().copied());
        self.clauses.push(clause.to_vec());
    }

    /// The numbers of the variables that are false in some assignment that satisfies all clauses, and in which some literals are true;
    /// if there is none, whether that is because of these literals. Variables are true unless clauses ask for something else.
    pub fn next(&mut self, variables: i32, assumed: &[i32]) -> Result<Vec<i32>, bool> {
        if self.solver.solve_with(assumed.iter().copied()) != Some(true) {
            return Err(assumed.iter().any(|literal| self.solver.failed(*literal)));
        }
        Ok((1..=variables).filter(|variable| self.solver.value(*variable) == Some(false)).collect())
    }

    /// Of clauses that contradict each other, clauses each of which follows from them and those before it by unit propagation, so that the
    /// empty one follows in the end.
    pub fn refutation(&self) -> Vec<Vec<i32>> {
        let mut refutation = Refutation { known: self.clauses.clone(), given: self.clauses.len() };
        // The solver strengthens some clauses without telling, so that others may not follow.
        for clause in self.learnt.borrow().iter().filter(|clause| !clause.is_empty()) {
            let negated: Vec<i32> = clause.iter().map(|literal| -literal).collect();
            if refutation.propagated(&negated).is_none() {
                refutation.known.push(clause.clone());
            }
        }
        refutation.complete(&mut Vec::new());
        refutation.known.split_off(refutation.given)
    }
}

/// The clauses of a refutation so far.
struct Refutation {
    known: Vec<Vec<i32>>,
    given: usize,
}

impl Refutation {
    /// Adds clauses until some literals are refuted by unit propagation: the negation of each choice that was tried.
    fn complete(&mut self, chosen: &mut Vec<i32>) {
        if let Some(values) = self.propagated(chosen) {
            let literal = self.decisive(&values);
            for literal in [literal, -literal] {
                chosen.push(literal);
                self.complete(chosen);
                chosen.pop();
            }
        }
        if !chosen.is_empty() {
            self.known.push(chosen.iter().map(|literal| -literal).collect());
        }
    }

    /// The literal whose negation most clauses that are not true yet contain; what is offered otherwise decides nothing.
    fn decisive(&self, values: &FxHashSet<i32>) -> i32 {
        let open = self.known.iter().filter(|clause| !clause.iter().any(|literal| values.contains(literal)));
        let undecided = open.flatten().filter(|literal| !values.contains(&-**literal));
        let mut counts: FxHashMap<i32, (bool, usize)> = FxHashMap::default();
        for literal in undecided {
            let count = counts.entry(-literal).or_default();
            *count = (*literal < 0, count.1 + 1);
        }
        let most = counts.into_iter().max_by_key(|(literal, count)| (*count, *literal));
        most.expect("they contradict each other").0
    }

    /// The literals that follow from some by unit propagation, those included; nothing if they contradict the clauses.
    fn propagated(&self, literals: &[i32]) -> Option<FxHashSet<i32>> {
        let mut values: FxHashSet<i32> = literals.iter().copied().collect();
        loop {
            limits::pass();
            let before = values.len();
            for clause in &self.known {
                if clause.iter().any(|literal| values.contains(literal)) {
                    continue;
                }
                let mut open = clause.iter().copied().filter(|literal| !values.contains(&-literal));
                match (open.next(), open.next()) {
                    (None, _) => return None,
                    (Some(only), None) => drop(values.insert(only)),
                    (Some(_), Some(_)) => {}
                }
            }
            if values.len() == before {
                return Some(values);
            }
        }
    }
}

impl fmt::Debug for Proposals {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Proposals").field("clauses", &self.clauses.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    #[test]
    fn refutations_follow_by_unit_propagation_in_turn() {
        let mut refuted = 0;
        for seed in 0..600 {
            let mut rng = Rng::with_seed(seed);
            let (variables, mut proposals) = (rng.i32(4..12), Proposals::default());
            let because_of_them = loop {
                match proposals.next(variables, &[variables]) {
                    Ok(refused) => {
                        // Some other clause that excludes it.
                        let of = |variable: i32| if refused.contains(&variable) { variable } else { -variable };
                        let clause: Vec<i32> = (1..=variables).filter(|_| rng.u8(..3) == 0).map(of).collect();
                        proposals.add(&clause);
                    }
                    Err(because_of_them) => break because_of_them,
                }
            };
            if because_of_them {
                continue;
            }
            let mut known = Refutation { known: proposals.clauses.clone(), given: 0 };
            for clause in proposals.refutation() {
                let negated: Vec<i32> = clause.iter().map(|literal| -literal).collect();
                assert_eq!(known.propagated(&negated), None, "{seed}: {:?} {clause:?}", proposals.clauses);
                known.known.push(clause);
            }
            assert_eq!(known.propagated(&[]), None, "{seed}: {:?}", proposals.clauses);
            refuted += 1;
        }
        assert!(refuted > 100, "{refuted}");
    }
}
