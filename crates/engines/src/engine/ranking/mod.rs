//! Lexicographic ranking functions for liveness: no step increases them, and steps from accepting states decrease them
//! ([`crate::ts::ranking`]).
//!
//! They are guessed and checked, component by component, the most significant one first. Simple functions are tried,
//! the simplest first ([`functions`]), on the steps that were seen so far. A function that decreases on some of these
//! steps, and increases on none, is given to the solver, which confirms it, or returns a step that refutes it and is
//! added to the examples. Steps on which a component decreases are left out for the next components. The search ends
//! when no step from an accepting state is left: Alias, Darte, Feautrier, Gonnord, *Multi-dimensional rankings,
//! program termination, and complexity bounds of flowchart programs* (SAS 2010), and for the steps as examples
//! Gonnord, Monniaux, Radanne, *Synthesis of ranking functions using extremal counterexamples* (PLDI 2015). Both use
//! linear programs. For protocols, whose progress is a counter, a distance or a phase, a list of functions is enough,
//! and the rankings it yields are readable.
//!
//! Each component that is found is correct on the states that satisfy the known invariants, even if the search ends
//! early: what is left is counted ([`crate::product::rounds`]), and provers may find more invariants. Known
//! incompleteness: the steps that the solver returns may be unreachable, and then refute a function that is correct on
//! reachable states.

mod functions;
mod obligations;
mod teacher;

use super::invariants::inductive;
use crate::limits::{Budget, Reason, Stop};
use crate::product::rounds::Accepting;
use crate::smt::with_context;
use crate::ts::ranking::Ranking;
use crate::ts::system::{Origin, System};
use crate::ts::term::{Term, VarId};
use functions::{Function, Functions};
use std::ops::Range;
use teacher::Teacher;
use tracing::info;

/// More components than that rank steps that do not matter.
const MOST: usize = 24;

/// A step, as the values of the basic functions before and after it.
struct SampledStep {
    event: u32,
    before: Vec<i128>,
    after: Vec<i128>,
}

/// The result of a search.
#[derive(Default)]
pub struct FoundRanking {
    /// The components.
    pub ranking: Ranking,
    /// Terms of the ranking's arena that hold in all reachable states; their conjunction with what was known before
    /// is inductive.
    pub invariants: Vec<Term>,
    /// True if some component changes on every step from an accepting state.
    pub complete: bool,
}

impl FoundRanking {
    /// True if it says nothing.
    pub fn is_empty(&self) -> bool {
        self.ranking.components.is_empty() && self.invariants.is_empty()
    }
}

/// Searches for a ranking within the budget. Needs a Z3 context ([`crate::smt::with_context`]).
pub fn find(mut accepting: Accepting, known: &[Term], budget: Budget, stop: &Stop) -> FoundRanking {
    let invariants = obligations::invariants(&mut accepting.system, known, budget, stop);
    let known = [known, &invariants].concat();
    let mut parts = accepting.system.clone().into_parts();
    let functions = Functions::new(&mut parts);
    let teacher = Teacher::new(&accepting, parts, &known, budget, stop);
    let candidates = functions.candidates();
    let mut search = RankingSearch { functions, candidates, teacher, steps: Vec::new(), components: Vec::new() };
    // Whatever ended the search early, its components are right.
    let complete = search.run().unwrap_or(false);
    let left = if complete { "none" } else { "some" };
    info!("{} components rank, {left} of the acceptance is left", search.components.len());
    let ranking = Ranking { terms: search.teacher.into_terms(), components: search.components };
    FoundRanking { ranking, invariants, complete }
}

/// Counters of a measured system that never start: what a complete ranking leaves to prove.
pub fn idle_counters(system: &mut System, known: &[Term], budget: Budget, stop: &Stop) -> Vec<Term> {
    let is_counter = |id: &VarId| matches!(system.variable(*id).origin, Origin::Counter(_));
    let counters: Vec<VarId> = system.var_ids().filter(is_counter).collect();
    if counters.is_empty() {
        return Vec::new();
    }
    let idle = |id| {
        let counter = system.var_term(id);
        system.terms_mut().not(counter)
    };
    let idle = counters.into_iter().map(idle).collect();
    with_context(stop, || inductive(system, known, idle, budget, stop)).unwrap_or_default()
}

struct RankingSearch<'s> {
    functions: Functions,
    /// The functions to try, the simplest ones first.
    candidates: Vec<Function>,
    teacher: Teacher<'s>,
    /// Steps that keep all components.
    steps: Vec<SampledStep>,
    components: Vec<Term>,
}

impl RankingSearch<'_> {
    /// True if no step from an accepting state is left.
    fn run(&mut self) -> Result<bool, Reason> {
        let mut passed_over = false;
        while self.components.len() < MOST
            && let Some(step) = self.teacher.accepting_step(&self.functions)?
        {
            let event = step.event;
            self.steps.push(step);
            let accepting = self.steps.len() - 1..self.steps.len();
            let component = match self.component(accepting)? {
                // A function that shrinks on other steps may leave only steps on which something shrinks.
                None => self.component(0..self.steps.len())?,
                found => found,
            };
            let Some((function, component)) = component else {
                self.teacher.pass_over(event);
                passed_over = true;
                continue;
            };
            self.teacher.keep(component);
            self.steps.retain(|step| function.shrinks_by(step) == 0);
            self.components.push(component);
        }
        Ok(!passed_over && self.components.len() < MOST)
    }

    /// The simplest function that shrinks on some of the chosen steps and is right on all.
    fn component(&mut self, chosen: Range<usize>) -> Result<Option<(Function, Term)>, Reason> {
        for index in 0..self.candidates.len() {
            let mut function = self.candidates[index].clone();
            while function.fits(&self.steps) && function.shrinks_on(&self.steps[chosen.clone()]) {
                let component = self.teacher.term(&function, &self.functions);
                match self.teacher.violation(component, &self.functions)? {
                    None => return Ok(Some((function, component))),
                    Some(step) => self.steps.push(step),
                }
            }
        }
        Ok(None)
    }
}
