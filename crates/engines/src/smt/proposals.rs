//! Proposals that satisfy clauses, from CaDiCaL, and clauses that it learnt.

use crate::limits;
use cadical::Callbacks;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// Clauses over numbered variables, from 1.
pub struct Proposals {
    solver: cadical::Solver<Learner>,
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

impl Proposals {
    /// Without clauses.
    pub fn new() -> Proposals {
        // Without preprocessing, all that is learnt follows by unit propagation.
        let mut solver = cadical::Solver::with_config("plain").expect("the solver knows this configuration");
        let learnt: Rc<RefCell<Vec<Vec<i32>>>> = Rc::default();
        solver.set_callbacks(Some(Learner(learnt.clone())));
        Proposals { solver, learnt }
    }

    /// Adds a clause.
    pub fn add(&mut self, clause: &[i32]) {
        self.solver.add_clause(clause.iter().copied());
    }

    /// The numbers of the variables that are false in some assignment that satisfies all clauses, and in which some literals are true;
    /// if there is none, whether that is because of these literals.
    pub fn next(&mut self, variables: i32, assumed: &[i32]) -> Result<Vec<i32>, bool> {
        if self.solver.solve_with(assumed.iter().copied()) != Some(true) {
            return Err(assumed.iter().any(|literal| self.solver.failed(*literal)));
        }
        Ok((1..=variables).filter(|variable| self.solver.value(*variable) == Some(false)).collect())
    }

    /// What was learnt so far, in its order.
    pub fn learnt(&self) -> Vec<Vec<i32>> {
        self.learnt.borrow().clone()
    }
}

impl fmt::Debug for Proposals {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Proposals").field("learnt", &self.learnt.borrow().len()).finish_non_exhaustive()
    }
}
