//! Z3 as a solver of SMT-LIB scripts.

use super::{Solver, Theory, with_context};
use crate::check::solver::ScriptSolver;
use crate::limits::{Budget, Reason, Stop};

/// Z3, with a solver of its own for each script. It shares nothing with what engines ask but Z3.
#[derive(Clone, Copy, Debug)]
pub struct Scripts<'a> {
    /// Until when.
    pub budget: Budget,
    /// Set to stop.
    pub stop: &'a Stop<'a>,
}

impl ScriptSolver for Scripts<'_> {
    fn is_unsatisfiable(&self, script: &str) -> Result<bool, Reason> {
        with_context(self.stop, || {
            let solver = Solver::new(Theory::Nonlinear);
            solver.add_script(script);
            Ok(solver.check(&[], self.budget)?.is_none())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Refused;
    use crate::check::invariant::Proof;
    use crate::check::queries::invariant::InvariantQueries;
    use crate::claim::Invariant;
    use crate::model::InstanceId;
    use crate::model::of_text::model;
    use crate::ts::smtlib::symbols::Symbols;
    use crate::ts::system::{Domain, Event, EventKind, Input, Origin, Parts, System, Variable};
    use crate::ts::term::{Leaf, Sort, Term, Terms, VarId};

    /// A flag that is false at first, and that every step leaves as it is; constraints may forbid all steps.
    fn flag(steps: bool) -> (System, Term) {
        let mut terms = Terms::new();
        let flag = terms.leaf(Leaf::Var(VarId(0)), Sort::Bool, None);
        let (initially, always, constraint) = (terms.not(flag), terms.bool(true), terms.bool(steps));
        let variable = Variable {
            name: "flag".to_owned(),
            origin: Origin::Automaton(InstanceId(0)),
            sort: Sort::Bool,
            domain: Domain::Bool,
        };
        let stutter = Event { kind: EventKind::Stutter, guard: always, enabled: always, receptions: Vec::new() };
        let system = System::new(Parts {
            terms,
            variables: vec![variable],
            inputs: vec![Input { name: "event".to_owned(), count: 1, owner: None }],
            events: vec![stutter],
            init: vec![initially],
            constraints: vec![constraint],
            updates: vec![Vec::new()],
        });
        (system, flag)
    }

    fn confirm(steps: bool, clauses: impl Fn(&mut Terms, Term) -> Vec<Term>, k: usize) -> Result<(), Refused> {
        let (system, flag) = flag(steps);
        let mut terms = system.terms().clone();
        let clauses = clauses(&mut terms, flag);
        let invariant = Invariant { terms, clauses, k };
        let symbols = Symbols::new(&model("agent A\n repeat: {true} *? []\nsystem = A(a, true)"), &system);
        let question = InvariantQueries { system: &system, symbols: &symbols, bad: flag, invariant: &invariant };
        let solver = Scripts { budget: Budget::new(None), stop: &Stop::new() };
        Proof::confirm(question, &solver).map(|_| ())
    }

    /// That no step leaves a state is no reason to leave it out.
    #[test]
    fn states_without_steps_count() {
        let wrong = |why: &str| Err(Refused::Wrong(why.to_owned()));
        for steps in [true, false] {
            for k in [1, 2] {
                assert_eq!(confirm(steps, |_, _| Vec::new(), k), wrong("a bad state satisfies the invariant"));
                assert_eq!(confirm(steps, |_, flag| vec![flag], k), wrong("an initial state violates the invariant"));
                assert_eq!(confirm(steps, |terms, flag| vec![terms.not(flag)], k), Ok(()));
            }
        }
    }
}
