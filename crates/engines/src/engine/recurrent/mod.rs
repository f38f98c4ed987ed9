//! Recurrence sets: why a round of steps can be repeated for ever although integers grow.
//!
//! Gupta, Henzinger, Majumdar, Rybalchenko, Xu, *Proving non-termination* (POPL 2008). They solve constraints for sets
//! of a given shape; here a step with a fixed choice is a function, so that the set can be computed. A round that
//! returns to the same values of all *finite* variables is executed symbolically: finite variables start with their
//! values, integers as unknowns. The first candidate for the set is the condition on the unknowns under which the same
//! choices are possible, everything that the formula reads has the same truth, and the finite variables return to
//! their values. A condition that one more round may break is strengthened: by the demand that the distance to its
//! bound does not shrink, or else by its precondition for one round.
//!
//! Deliberately absent: rounds whose choices differ from one round to the next, and conditions that are true only in
//! the limit. If the search finds no set, nothing is known.

mod implication;
mod round;

use crate::claim::Trace;
use crate::claim::recurrent::{RecurrentRun, RecurrentSet};
use crate::limits::Budget;
use crate::model::eval::Choice;
use crate::model::{Formula, Model, Value};
use crate::ts::atoms::atoms;
use crate::ts::history::base_system;
use crate::ts::readback::state_expr;
use crate::ts::system::{Domain, Origin, System};
use crate::ts::term::{Term, VarId};
use crate::ts::valuation::Valuation;
use round::Round;

/// The data of a spec for the search for recurrence sets. The system is the one that the model defines, without any
/// simplification: the set has to be one of it.
pub struct Recurrence {
    system: System,
    /// Per conjunct what the set has to decide.
    conjuncts: Vec<Conjunct>,
    /// The variables that take finitely many values.
    finite: Vec<VarId>,
}

struct Conjunct {
    atoms: Vec<Term>,
    /// The variables that decide the atoms, which steps exist, and who receives, now and later.
    cone: Vec<VarId>,
}

/// A state and the step from there.
struct Moment {
    state: Vec<Value>,
    inputs: Vec<u32>,
    choice: Choice,
}

impl Recurrence {
    /// For a formula and the simplified system of its model; nothing if no integer is unbounded.
    pub fn new(model: &Model, formula: &Formula, simplified: &System) -> Option<Recurrence> {
        let unbounded = |id: &VarId| simplified.variable(*id).domain == Domain::Unbounded;
        let (infinite, finite): (Vec<VarId>, Vec<VarId>) = simplified.var_ids().partition(unbounded);
        if infinite.is_empty() {
            return None;
        }
        let mut system = base_system(model);
        let atoms = formula.conjuncts().iter().map(|part| atoms(model, &mut system, part)).collect::<Vec<_>>();
        let receptions = system.events().iter().flat_map(|event| &event.receptions).map(|reception| reception.taken);
        let receptions: Vec<Term> = receptions.collect();
        let conjuncts = atoms.into_iter().map(|atoms| {
            let atoms: Vec<Term> = atoms.into_iter().map(|atom| atom.term).collect();
            Conjunct { cone: system.cone(atoms.iter().chain(&receptions).copied(), &[]), atoms }
        });
        let conjuncts = conjuncts.collect();
        Some(Recurrence { system, conjuncts, finite })
    }

    /// The run that repeats the steps of a run from its loop's start on for ever, with everything that the conjunct
    /// reads as in the first round; nothing if no set shows that it exists.
    pub fn generalise(&self, trace: &Trace, conjunct: usize, budget: Budget) -> Option<RecurrentRun> {
        let start = trace.loop_start?;
        let (moments, end) = self.replay(trace)?;
        let (first, cone) = (moments.get(start)?, &self.conjuncts[conjunct].cone);
        let returns = |id: &VarId| first.state[id.0 as usize] == end[id.0 as usize];
        let is_models =
            |id: &VarId| matches!(self.system.variable(*id).origin, Origin::Automaton(_) | Origin::Local(..));
        let fixed: Vec<VarId> =
            self.finite.iter().copied().filter(|id| is_models(id) && returns(id) && cone.contains(id)).collect();
        let mut round = Round::new(&self.system, cone, &fixed, first.state.clone());
        for moment in &moments[start..] {
            round.step(moment, &self.conjuncts[conjunct].atoms);
        }
        round.close(&fixed);
        let (terms, conditions) = round.inductive(budget)?;
        let set = RecurrentSet {
            fixed: fixed.iter().filter_map(|id| self.system.variable(*id).origin.leaf()).collect(),
            conditions: conditions
                .into_iter()
                .map(|term| state_expr(&self.system, &terms, term))
                .collect::<Option<_>>()?,
        };
        let trace = Trace { loop_start: None, ..trace.clone() };
        Some(RecurrentRun { trace, start, set, conjunct })
    }

    /// The states and inputs of a trace, and its last state.
    fn replay(&self, trace: &Trace) -> Option<(Vec<Moment>, Vec<Value>)> {
        let mut state = self.system.values_of_parts(&trace.initial);
        let mut moments = Vec::new();
        for choice in &trace.choices {
            let inputs = self.system.inputs_of(choice, &state)?;
            let next = self.system.successor(&mut Valuation::new(state.clone(), inputs.clone()));
            moments.push(Moment { state, inputs, choice: choice.clone() });
            state = next;
        }
        Some((moments, state))
    }
}
