//! The largest subset of clauses that is an invariant for all sizes (Flanagan and Leino, *Houdini*, FME 2001), and those
//! of them that a proof needs.
//!
//! The clauses are about all lists of different members, and they are asked about in the open instances in which a proof
//! for all sizes is checked ([`crate::check::sizes`]).

use crate::check::sizes::OpenInstance;
use crate::check::sizes::clause::Clause;
use crate::limits::{Budget, Reason, Stop};
use crate::model::Model;
use crate::smt::Literal;
use crate::smt::unroll::Unrolling;
use crate::ts::system::System;
use crate::ts::term::Term;
use std::collections::BTreeSet;

/// Clauses, as indices.
pub type ClauseSet = BTreeSet<usize>;

/// An open instance, in which clauses were written.
pub struct ClauseInstance {
    system: System,
    violation: Term,
    facts: Vec<Term>,
    clauses: Vec<Vec<Term>>,
}

impl ClauseInstance {
    /// These clauses over another open instance.
    pub fn new(mut instance: OpenInstance, reference: &Model, clauses: &[Clause]) -> ClauseInstance {
        let clauses = instance.clauses(reference, clauses);
        let OpenInstance { system, violation, facts, .. } = instance;
        ClauseInstance { system, violation, facts, clauses }
    }
}

/// The solver that is asked about the clauses in one instance. Needs a Z3 context.
pub struct Asker<'s> {
    start: Unrolling<'s>,
    step: Unrolling<'s>,
    clauses: Vec<ClauseLiterals>,
    violation: Literal,
    budget: Budget,
    stop: &'s Stop<'s>,
}

/// The literals that stand for a clause.
struct ClauseLiterals {
    /// Assumed to have it hold where a step starts.
    assumed: Literal,
    /// That it holds at the start.
    starts: Literal,
    /// That it holds after a step.
    holds: Literal,
    /// Implies that it does not.
    fails: Literal,
}

impl<'s> Asker<'s> {
    pub fn new(written: &'s ClauseInstance, budget: Budget, stop: &'s Stop<'s>) -> Asker<'s> {
        let ClauseInstance { system, violation, facts, clauses } = written;
        let mut start = Unrolling::new(system, system.var_ids().collect(), Unrolling::theory_for(system));
        let mut step = Unrolling::from_anywhere(system);
        step.extend().expect("declared values are listed or integers");
        for &fact in facts {
            let fact = step.literal(0, fact);
            step.add(&fact);
        }
        let clause = |instances: &Vec<Term>| {
            let (assumed, fails) = (Literal::fresh("clause"), Literal::fresh("fails"));
            let before: Vec<Literal> = instances.iter().map(|&term| step.literal(0, term)).collect();
            step.add(&assumed.implies(&Literal::and(before)));
            let after: Vec<Literal> = instances.iter().map(|&term| step.literal(1, term)).collect();
            let holds = Literal::and(after);
            step.add(&fails.implies(&holds.not()));
            let starts: Vec<Literal> = instances.iter().map(|&term| start.literal(0, term)).collect();
            ClauseLiterals { assumed, fails, holds, starts: Literal::and(starts) }
        };
        let clauses = clauses.iter().map(clause).collect();
        let violated = Literal::fresh("violated");
        let meaning = step.literal(0, *violation);
        step.add(&violated.implies(&meaning));
        Asker { start, step, clauses, violation: violated, budget, stop }
    }

    /// Removes clauses that are false initially, or after a step from where the others hold. True if some were.
    pub fn filter(&self, clauses: &mut ClauseSet) -> Result<bool, Reason> {
        let before = clauses.len();
        self.drop_while_false(&self.start, clauses, |_| Vec::new(), |asked| &asked.starts)?;
        let assumed = |clauses: &ClauseSet| clauses.iter().map(|&index| self.clauses[index].assumed.clone()).collect();
        self.drop_while_false(&self.step, clauses, assumed, |asked| &asked.holds)?;
        Ok(clauses.len() < before)
    }

    fn drop_while_false(
        &self,
        unrolling: &Unrolling,
        clauses: &mut ClauseSet,
        assumed: impl Fn(&ClauseSet) -> Vec<Literal>,
        truth: impl Fn(&ClauseLiterals) -> &Literal,
    ) -> Result<(), Reason> {
        loop {
            let some_false = Literal::fresh("some");
            let falsities = Literal::or(clauses.iter().map(|&index| truth(&self.clauses[index]).not()));
            unrolling.add(&some_false.implies(&falsities));
            let assumptions = [assumed(clauses), vec![some_false]].concat();
            match unrolling.check_until(&assumptions, self.budget, self.stop) {
                Ok(None) => return Ok(()),
                Err(reason) => return Err(reason),
                Ok(Some(model)) => {
                    let mut kept = ClauseSet::new();
                    for &index in clauses.iter() {
                        if model.is_true(truth(&self.clauses[index]))? {
                            kept.insert(index);
                        }
                    }
                    *clauses = kept;
                }
            }
        }
    }

    /// Those of the clauses because of which one of them holds after each step; nothing if it does not.
    pub fn keeping(&self, clauses: &ClauseSet, index: usize) -> Result<Option<ClauseSet>, Reason> {
        self.core(clauses, &self.clauses[index].fails)
    }

    /// Those of the clauses because of which no step makes a literal true; nothing if some does.
    fn core(&self, clauses: &ClauseSet, literal: &Literal) -> Result<Option<ClauseSet>, Reason> {
        let order: Vec<usize> = clauses.iter().copied().collect();
        let assumed = order.iter().map(|&index| self.clauses[index].assumed.clone());
        let assumptions: Vec<Literal> = assumed.chain([literal.clone()]).collect();
        if self.step.check_until(&assumptions, self.budget, self.stop)?.is_some() {
            return Ok(None);
        }
        let core = self.step.core(&assumptions);
        Ok(Some(core.into_iter().filter_map(|index| order.get(index).copied()).collect()))
    }
}

/// The largest set of clauses that hold initially and after each step, in all instances.
pub fn filter(askers: &[Asker], clauses: &mut ClauseSet) -> Result<(), Reason> {
    let mut stable = false;
    while !stable {
        stable = true;
        for asker in askers {
            stable &= !asker.filter(clauses)?;
        }
    }
    Ok(())
}

/// Clauses of such a set that exclude violations in all instances, and are such a set themselves; nothing if all of
/// them exclude too little. For so long, clauses are removed one by one.
pub fn needed(askers: &[Asker], clauses: &ClauseSet, deleting: Budget) -> Result<Option<ClauseSet>, Reason> {
    let Some(mut needed) = excluding_violations(askers, clauses)? else { return Ok(None) };
    let mut open: Vec<usize> = needed.iter().copied().collect();
    while let Some(index) = open.pop() {
        for asker in askers {
            if asker.keeping(&needed, index)?.is_none() {
                let core = asker.keeping(clauses, index)?.unwrap_or_default();
                open.extend(core.into_iter().filter(|index| needed.insert(*index)));
            }
        }
    }
    for index in needed.clone().into_iter().rev() {
        if deleting.is_over() {
            break;
        }
        let mut fewer = needed.clone();
        if fewer.remove(&index) {
            filter(askers, &mut fewer)?;
            if excluding_violations(askers, &fewer)?.is_some() {
                needed = fewer;
            }
        }
    }
    Ok(Some(needed))
}

/// Those of the clauses because of which no step violates the spec in any instance; nothing if some does.
fn excluding_violations(askers: &[Asker], clauses: &ClauseSet) -> Result<Option<ClauseSet>, Reason> {
    let mut needed = ClauseSet::new();
    for asker in askers {
        match asker.core(clauses, &asker.violation)? {
            Some(core) => needed.extend(core),
            None => return Ok(None),
        }
    }
    Ok(Some(needed))
}
