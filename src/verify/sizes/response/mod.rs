//! The search for evidence that what a spec waits for comes, in instances of all sizes.
//!
//! Runs of a small instance suggest what is true while the goal is waited for, what becomes less, who helps, and which
//! members exist ([`guess`], [`witnesses`]). Counterexamples of open instances take away what is wrong there. The
//! rest is claimed if clauses are found that make it true: for the search for clauses ([`super::search`]), a state that
//! contradicts the evidence is one more violation.

mod guess;
mod nodes;
mod runs;
mod witnesses;
mod words;

use super::search::{Pool, SearchEnd, SizesSearch};
use crate::check::Refused;
use crate::check::sizes::OpenInstance;
use crate::check::sizes::evidence::{Evidence, responses};
use crate::check::sizes::progress::Premise;
use crate::check::sizes::renaming::{Renaming, renamed};
use crate::claim::sizes::{CaseClaim, ProgressClaim, WitnessClaim};
use crate::limits::Reason;
use crate::model::eval::Semantics;
use crate::model::formula::StateLeaf;
use crate::model::{Expr, InstanceId, Model, Sizes};
use crate::smt::unroll::Unrolling;
use crate::ts::atoms::state_predicate;
use crate::ts::system::System;
use crate::ts::term::Term;
use crate::ts::valuation::Valuation;
use runs::{Runs, Waiting};
use std::collections::BTreeSet;
use tracing::info;

/// The number of more members than a response is about that are in the instance whose runs are looked at.
const MORE: u32 = 2;

/// Why there is no evidence.
const NO_RUNS: &str = "no instance shows why";

impl SizesSearch<'_> {
    /// Evidence for the responses of the spec that no run of a small instance contradicts.
    pub fn guess_evidence(&self, pool: &Pool) -> Result<Evidence, SearchEnd> {
        let reference = &pool.reference;
        let no = |why: &str| SearchEnd::Unknown(Reason::Engine(format!("no ranking for all sizes: {why}")));
        let sizes = self.sizes(self.plan, MORE);
        let instance = self.scheme.instance(&sizes).ok_or_else(|| no(NO_RUNS))?;
        let semantics = Semantics::new(instance);
        let runs = Runs::new(&semantics);
        let fair = self.open(&reference.sizes(), self.spec, &pool.ghosts)?.fair;
        let mut evidence = Evidence::default();
        for response in responses(reference, self.spec).map_err(Refused::from)? {
            let waiting = Waiting::new(&runs, reference, &response).ok_or_else(|| no(NO_RUNS))?;
            info!("{} states and {} steps in which a goal is waited for", waiting.rows.len(), waiting.links.len());
            let progress = guess::guess(&waiting, &response, &fair).map_err(no)?;
            let shown = |expr: &Expr<StateLeaf>| reference.show_state_expr(expr);
            progress.ranks.iter().for_each(|rank| info!("becomes less: {}", shown(rank)));
            progress.cases.iter().for_each(|case| info!("{:?} helps while {}", case.helper, shown(&case.condition)));
            evidence.witnesses.extend(witnesses::guess(&waiting, &progress));
            evidence.progress.push(progress);
        }
        info!("{} witnesses are guessed", evidence.witnesses.len());
        Ok(evidence)
    }

    /// Takes away what counterexamples in open instances, from where the clauses are true, show to be wrong. True if
    /// nothing else is wrong.
    pub fn weaken(&self, pool: &mut Pool) -> Result<bool, SearchEnd> {
        loop {
            let mut changed = false;
            let mut right = true;
            for sizes in self.sizes_of(pool) {
                let (fewer, is_right) = self.weaken_at(pool, &sizes)?;
                changed |= fewer;
                right &= is_right;
            }
            if !changed {
                return Ok(right);
            }
        }
    }

    fn weaken_at(&self, pool: &mut Pool, sizes: &Sizes) -> Result<(bool, bool), SearchEnd> {
        let mut open = self.open(sizes, self.spec, &pool.ghosts)?;
        let Pool { reference, evidence, .. } = &*pool;
        let exist = evidence.exist(reference, &mut open);
        let mut asked: Vec<(Wrong, Term)> = Vec::new();
        for (index, &term) in exist.iter().enumerate() {
            let after = open.system.after(term);
            let terms = open.system.terms_mut();
            let none = terms.not(after);
            asked.push((Wrong::Witness(index), terms.and([term, none])));
        }
        for (index, progress) in evidence.progress.iter().enumerate() {
            for chosen in progress.lists(reference, &open.model) {
                for premise in progress.premises(reference, &mut open, &chosen, &evidence.witnesses)? {
                    let wrong = match premise.name {
                        Premise::START => Wrong::Pending { index, chosen: chosen.clone(), after: false },
                        Premise::KEPT => Wrong::Pending { index, chosen: chosen.clone(), after: true },
                        name => Wrong::Other(name),
                    };
                    asked.push((wrong, premise.bad));
                }
            }
        }
        let known = open.clauses(reference, &pool.alive()).concat();
        let OpenInstance { model, mut system, facts, .. } = open;
        let written = system.clone();
        let mut steps = Unrolling::from_anywhere(&written);
        steps.extend().expect("declared values are listed or integers");
        steps.assume(0, &[known, facts].concat());
        let (budget, stop) = (self.provers.budget, self.provers.stop);
        let mut right = true;
        let mut gone = WrongEvidence::default();
        for (wrong, bad) in asked {
            let literal = steps.literal(0, bad);
            match steps.check_until(&[literal], budget, stop)? {
                None => {}
                Some(found) => match wrong {
                    Wrong::Other(name) => {
                        info!("with {sizes:?} members, a counterexample to: {name}");
                        right = false;
                    }
                    Wrong::Witness(index) => drop(gone.witnesses.insert(index)),
                    Wrong::Pending { index, chosen, after } => {
                        let mut there = Valuation::new(steps.state(&found, 0)?, steps.inputs(&found, 0)?);
                        if after {
                            there = Valuation::new(system.successor(&mut there), Vec::new());
                        }
                        let progress = &pool.evidence.progress[index];
                        for (place, expr) in progress.pending.iter().enumerate() {
                            let renaming = Renaming::new(&pool.reference, &model, &progress.members, &chosen);
                            let term = state_predicate(&model, &mut system, &renamed(&renaming, expr));
                            if !there.holds(system.terms(), term) {
                                gone.pending.insert((index, place));
                            }
                        }
                    }
                },
            }
        }
        let mut start = Unrolling::new(&written, written.var_ids().collect(), Unrolling::theory_for(&written));
        for (index, &term) in exist.iter().enumerate() {
            let exists = start.literal(0, term);
            if start.check_until(&[exists.not()], budget, stop)?.is_some() {
                gone.witnesses.insert(index);
            }
        }
        Ok((gone.remove_from(&mut pool.evidence), right))
    }
}

/// The part of the evidence that a counterexample shows to be wrong.
enum Wrong {
    /// That a member exists.
    Witness(usize),
    /// Something that is said to be true while the goal is waited for.
    Pending { index: usize, chosen: Vec<InstanceId>, after: bool },
    /// Something else.
    Other(&'static str),
}

/// The parts that are taken away.
#[derive(Default)]
struct WrongEvidence {
    witnesses: BTreeSet<usize>,
    pending: BTreeSet<(usize, usize)>,
}

impl WrongEvidence {
    /// True if it is anything.
    fn remove_from(self, evidence: &mut Evidence) -> bool {
        let WrongEvidence { witnesses, pending } = self;
        witnesses.iter().rev().for_each(|&index| drop(evidence.witnesses.remove(index)));
        pending.iter().rev().for_each(|&(index, place)| drop(evidence.progress[index].pending.remove(place)));
        !witnesses.is_empty() || !pending.is_empty()
    }
}

/// The evidence as a claim over the system of the reference instance.
pub fn claimed(reference: &Model, system: &mut System, evidence: &Evidence) -> (Vec<WitnessClaim>, Vec<ProgressClaim>) {
    let mut term = |expr: &Expr<StateLeaf>| state_predicate(reference, system, expr);
    let witnesses = evidence.witnesses.iter().map(|witness| WitnessClaim {
        member: witness.member,
        when: term(&witness.when),
        range: witness.range.as_ref().map(|range| range.each_ref().map(&mut term)),
        condition: term(&witness.condition),
    });
    let witnesses = witnesses.collect();
    let progress = evidence.progress.iter().map(|progress| {
        let cases = progress.cases.iter();
        let cases = cases.map(|case| CaseClaim { condition: term(&case.condition), helper: case.helper }).collect();
        let pending = progress.pending.iter().map(&mut term).collect();
        ProgressClaim { pending, ranks: progress.ranks.iter().map(&mut term).collect(), cases }
    });
    (witnesses, progress.collect())
}
