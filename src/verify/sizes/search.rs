//! The search for clauses that prove a spec for all sizes.
//!
//! Candidates are clauses about lists of different members: what the specs and the initial condition say, invariants of
//! small open instances that provers find, and guesses from random runs of these. The largest subset of them remains
//! that is inductive in all instances of the check. If it does not exclude the violations, there are more candidates
//! from larger instances.

use super::houdini::{self, Asker, ClauseInstance, ClauseSet};
use super::response::claimed;
use crate::check::Refused;
use crate::check::sizes::clause::{Clause, Needs};
use crate::check::sizes::evidence::{Evidence, responses};
use crate::check::sizes::{OpenInstance, Plan, open_instance};
use crate::claim::sizes::UniformClaim;
use crate::claim::{Invariant, SafetyClaim};
use crate::engine::invariants::{self, Invariants};
use crate::limits::{Reason, join, spawn, within};
use crate::model::formula::StateLeaf;
use crate::model::scheme::Ghost;
use crate::model::{Expr, Family, InstanceId, Model, Scheme, Sizes, Type};
use crate::simplify::simplify;
use crate::smt::with_context;
use crate::ts::atoms::state_predicate;
use crate::ts::history::base_system;
use crate::ts::system::{Case, Domain, Origin, Parts, System, Variable};
use crate::ts::term::{Leaf, Sort, Term, TermNode, Terms, VarId};
use crate::verify::conjunct::Provers;
use crate::verify::durations;
use crate::verify::race::Contradiction;
use std::collections::BTreeSet;
use std::thread;
use tracing::info;

/// The number of members of each family beyond those that a spec is about that are looked at.
const MOST_MORE: u32 = 2;

/// The end of a search: a claim, or why there is none.
pub enum SearchEnd {
    /// Clauses prove the spec.
    Claim(Box<UniformClaim>),
    /// The proof rule does not apply.
    NotUniform(Refused),
    Unknown(Reason),
    Contradiction(Contradiction),
}

impl From<Reason> for SearchEnd {
    fn from(reason: Reason) -> SearchEnd {
        SearchEnd::Unknown(reason)
    }
}

impl From<Refused> for SearchEnd {
    fn from(why: Refused) -> SearchEnd {
        SearchEnd::NotUniform(why)
    }
}

/// A spec for all sizes.
pub struct SizesSearch<'a> {
    /// An instance of what it is about.
    pub model: &'a Model,
    /// The scheme of all of its instances.
    pub scheme: &'a Scheme,
    /// The instances to be checked.
    pub plan: &'a Plan,
    pub spec: usize,
    /// The provers that are asked about small instances.
    pub provers: Provers<'a>,
}

/// Clauses over one open instance, of which some are known to be invariants for all sizes.
pub struct Pool {
    /// Sums that the instances have for their sake.
    pub ghosts: Vec<Ghost>,
    pub reference: Model,
    clauses: Vec<Clause>,
    /// Places among the clauses.
    alive: ClauseSet,
    /// The evidence claimed beside clauses.
    pub evidence: Evidence,
}

impl Pool {
    /// Adds a clause over another open instance, unless it is there.
    fn add(&mut self, from: &Model, clause: &Clause) {
        if !clause.is_known(from, &self.reference) {
            return;
        }
        let same = clause.instances(from, &self.reference).into_iter().next();
        let clause = same.and_then(|expr| Clause::new(&self.reference, expr));
        let clause = clause.map(|clause| canonical(&self.reference, clause));
        self.clauses.extend(clause.filter(|clause| !self.clauses.contains(clause)));
    }

    /// The conjuncts of terms over the system of an open instance.
    fn add_terms(&mut self, from: &Model, system: &System, mut terms: Terms, list: &[Term]) {
        for &term in list {
            for part in conjuncts(&mut terms, term) {
                let says_something = !terms.is_true(part);
                if let Some(clause) = Clause::of_term(from, system, &terms, part).filter(|_| says_something) {
                    self.add(from, &clause);
                }
            }
        }
    }

    /// Those that are known to be invariants.
    pub fn alive(&self) -> Vec<Clause> {
        self.alive.iter().map(|&index| self.clauses[index].clone()).collect()
    }
}

impl SizesSearch<'_> {
    /// Looks for clauses that prove the spec. Needs a Z3 context.
    pub fn run(&self) -> SearchEnd {
        self.search().map_or_else(|end| end, SearchEnd::Unknown)
    }

    /// Ends with a claim as soon as there is one; else says why there is none.
    fn search(&self) -> Result<Reason, SearchEnd> {
        let mut pool = self.pool(self.ghosts_of_specs())?;
        if !responses(&pool.reference, self.spec).map_err(Refused::from)?.is_empty() {
            return self.search_with_responses(pool);
        }
        self.add_what_is_said(&mut pool);
        let mut reason = Reason::Engine("no invariant for all sizes was found".to_owned());
        self.claim(&mut pool)?;
        let mut pool = self.without_idle_ghosts(pool)?;
        if !pool.reference.totals().is_empty() {
            // Provers are slow with sums.
            self.add_guesses(&self.sizes(self.plan, 0), &mut pool)?;
            self.claim(&mut pool)?;
        }
        let counts_after = if self.has_counters() { 0 } else { MOST_MORE };
        for more in 0..=MOST_MORE {
            let sizes = self.sizes(self.plan, more);
            info!("looks for an invariant with {sizes:?} members");
            let found = self.add_invariant(&sizes, &mut pool)?;
            self.claim(&mut pool)?;
            match found {
                OpenAnswer::Violation => return Ok(Reason::Engine(VIOLATED.to_owned())),
                OpenAnswer::Nothing(why) => reason = why,
                OpenAnswer::Invariant => {}
            }
            self.add_guesses(&sizes, &mut pool)?;
            self.claim(&mut pool)?;
            // Some things happen between two members only.
            if more == counts_after && self.add_ghosts(&self.sizes(self.plan, 1), &mut pool)? {
                self.claim(&mut pool)?;
                self.add_invariant(&sizes, &mut pool)?;
                self.claim(&mut pool)?;
            }
        }
        Ok(reason)
    }

    /// The same where the spec calls for responses: first without sums, and then with all that there are.
    fn search_with_responses(&self, pool: Pool) -> Result<Reason, SearchEnd> {
        let mut ghosts = pool.ghosts.clone();
        let reason = match self.claim_of_responses(pool) {
            Ok(reason) | Err(SearchEnd::Unknown(reason)) => reason,
            end => return end,
        };
        let new = self.possible_ghosts();
        if new.is_empty() || self.provers.stop.is_set() {
            return Ok(reason);
        }
        ghosts.extend(new);
        match self.claim_of_responses(self.pool(ghosts)?) {
            Ok(_) | Err(SearchEnd::Unknown(_)) => Ok(reason),
            end => end,
        }
    }

    fn claim_of_responses(&self, mut pool: Pool) -> Result<Reason, SearchEnd> {
        let mut reason = Reason::Engine("no invariant for all sizes was found".to_owned());
        self.add_what_is_said(&mut pool);
        self.add_guesses(&self.sizes(self.plan, 1), &mut pool)?;
        self.settle(&mut pool)?;
        let guessed = self.guess_evidence(&pool)?;
        for more in 0..=MOST_MORE {
            pool.evidence = guessed.clone();
            self.weaken(&mut pool)?;
            self.claim(&mut pool)?;
            let sizes = self.sizes(self.plan, more);
            match self.add_invariant(&sizes, &mut pool)? {
                OpenAnswer::Nothing(why) => reason = why,
                OpenAnswer::Violation | OpenAnswer::Invariant => {}
            }
            self.add_guesses(&sizes, &mut pool)?;
            self.settle(&mut pool)?;
        }
        Ok(reason)
    }

    /// No clauses yet, over an instance as large as any that is looked at, with these ghosts.
    fn pool(&self, ghosts: Vec<Ghost>) -> Result<Pool, SearchEnd> {
        let reference = self.open(&self.sizes(self.plan, MOST_MORE), self.spec, &ghosts)?.model;
        Ok(Pool { ghosts, reference, clauses: Vec::new(), alive: ClauseSet::new(), evidence: Evidence::default() })
    }

    /// The sums of the other specs.
    fn ghosts_of_specs(&self) -> Vec<Ghost> {
        let has_sums = |spec: usize| {
            let some = self.scheme.sums_of_ghost(&Ghost::of_spec(spec)).is_some_and(|sums| !sums.is_empty());
            some && Plan::new(self.model, spec).is_ok_and(|plan| self.open(&self.sizes(&plan, 0), spec, &[]).is_ok())
        };
        let others = (0..self.model.specs.len()).filter(|&spec| spec != self.spec && has_sums(spec));
        others.map(Ghost::of_spec).collect()
    }

    /// Without the ghosts that no invariant is about.
    fn without_idle_ghosts(&self, pool: Pool) -> Result<Pool, SearchEnd> {
        let ghosts = self.needed_ghosts(pool.ghosts.clone(), &pool.reference, &pool.alive())?;
        if ghosts == pool.ghosts {
            return Ok(pool);
        }
        let mut fewer = self.pool(ghosts)?;
        pool.clauses.iter().for_each(|clause| fewer.add(&pool.reference, clause));
        Ok(fewer)
    }

    /// An open instance without its system, if it is known that it has one.
    fn model_of(&self, sizes: &Sizes, ghosts: &[Ghost]) -> Result<Model, Refused> {
        open_instance(self.scheme, sizes, self.spec, ghosts)
    }

    pub fn open(&self, sizes: &Sizes, spec: usize, ghosts: &[Ghost]) -> Result<OpenInstance, Refused> {
        OpenInstance::new(self.scheme, sizes, spec, ghosts)
    }

    /// The same for the spec, where what contradicts the evidence violates it, too.
    fn open_with_evidence(&self, sizes: &Sizes, pool: &Pool) -> Result<OpenInstance, Refused> {
        let mut open = self.open(sizes, self.spec, &pool.ghosts)?;
        if !pool.evidence.is_empty() {
            let premises = pool.evidence.premises(&pool.reference, &mut open)?;
            let bad = premises.iter().map(|premise| premise.bad).chain([open.violation]);
            open.violation = open.system.terms_mut().or(bad.collect::<Vec<_>>());
        }
        Ok(open)
    }

    /// The sizes of the instances in which a claim of what there is would be checked.
    pub fn sizes_of(&self, pool: &Pool) -> BTreeSet<Sizes> {
        let needs: BTreeSet<Needs> = pool.clauses.iter().map(|clause| clause.needs(&pool.reference)).collect();
        self.plan.sizes(self.model, &needs, &pool.evidence)
    }

    /// As many members as a spec is about, and more.
    pub fn sizes(&self, plan: &Plan, more: u32) -> Sizes {
        let size = |((family, about), least): ((&Family, u32), &u32)| match family.is_given {
            true => family.size,
            false => (about + more).max(*least).max(1),
        };
        self.model.families().iter().zip(plan.concerned_at_once()).zip(&plan.least).map(size).collect()
    }

    /// Adds the conditions on states in the specs, and the initial condition: some of them may be invariants.
    fn add_what_is_said(&self, pool: &mut Pool) {
        for spec in 0..self.model.specs.len() {
            let Ok(plan) = Plan::new(self.model, spec) else { continue };
            let sizes = self.sizes(&plan, 0);
            let Ok(OpenInstance { model, system, violation, .. }) = self.open(&sizes, spec, &pool.ghosts) else {
                continue;
            };
            let mut terms = system.terms().clone();
            let good: Vec<Term> = disjuncts(&system, violation).into_iter().map(|part| terms.not(part)).collect();
            pool.add_terms(&model, &system, terms, &good);
            if spec == self.spec {
                pool.add_terms(&model, &system, system.terms().clone(), system.init());
            }
        }
    }

    /// The invariant of an open instance that provers find.
    fn add_invariant(&self, sizes: &Sizes, pool: &mut Pool) -> Result<OpenAnswer, SearchEnd> {
        let mut instance = self.open_with_evidence(sizes, pool)?;
        let known = instance.clauses(&pool.reference, &pool.alive()).concat();
        let OpenInstance { model, system, violation, facts, .. } = instance;
        let known = Invariants { terms: system.terms().clone(), clauses: [known, facts].concat() };
        let (watched, bad) = watch(system, violation);
        let provers = Provers { racing: self.provers.racing.at_most(durations::OPEN_INSTANCE), ..self.provers };
        let claim = self.apart(|| provers.unreachable(watched.clone(), bad, &known));
        let (claim, _) = claim.map_err(SearchEnd::Contradiction)?;
        Ok(match claim {
            SafetyClaim::Unreachable(Invariant { terms, clauses, .. }) => {
                pool.add_terms(&model, &watched, terms, &clauses);
                OpenAnswer::Invariant
            }
            SafetyClaim::Reached(_) => OpenAnswer::Violation,
            SafetyClaim::Unknown(reason) => OpenAnswer::Nothing(reason),
        })
    }

    /// Adds conditions that hold on random runs of an open instance, and the facts of its simplification.
    fn add_guesses(&self, sizes: &Sizes, pool: &mut Pool) -> Result<(), SearchEnd> {
        let OpenInstance { model, system, .. } = self.open(sizes, self.spec, &pool.ghosts)?;
        let (mut simplified, facts) = simplify(system.clone());
        let fact = facts.invariant(&mut simplified);
        pool.add_terms(&model, &simplified, simplified.terms().clone(), &[fact]);
        let budget = self.provers.budget.aside(durations::GUESSING_FOR_SIZES);
        let stop = self.provers.stop;
        let guesses = self.apart(|| within(budget, stop, || invariants::find(&simplified, budget, stop)));
        if let Ok(Invariants { terms, clauses }) = guesses {
            info!("{} invariants from random runs", clauses.len());
            pool.add_terms(&model, &simplified, terms, &clauses);
        }
        Ok(())
    }

    /// Sums over the members of families that random runs relate with other things, and what they say of them. True if
    /// there are some.
    fn add_ghosts(&self, sizes: &Sizes, pool: &mut Pool) -> Result<bool, SearchEnd> {
        let candidates = self.possible_ghosts();
        if candidates.is_empty() {
            return Ok(false);
        }
        let mut guessed = self.pool([pool.ghosts.clone(), candidates].concat())?;
        self.add_guesses(sizes, &mut guessed)?;
        let Pool { ghosts, reference, mut clauses, .. } = guessed;
        clauses.retain(|clause| clause.needs(&reference).totals);
        let mut new = self.needed_ghosts(ghosts, &reference, &clauses)?;
        new.retain(|ghost| !pool.ghosts.contains(ghost));
        if new.is_empty() {
            return Ok(false);
        }
        info!("ghosts: {new:?}");
        let with_ghosts = self.pool([pool.ghosts.clone(), new].concat())?;
        let before = std::mem::replace(pool, with_ghosts);
        before.clauses.iter().for_each(|clause| pool.add(&before.reference, clause));
        clauses.iter().for_each(|clause| pool.add(&reference, clause));
        Ok(true)
    }

    /// True if some agent may count others: where no agent has an integer, clauses about several members mostly do.
    fn has_counters(&self) -> bool {
        self.model.agents.iter().flat_map(|agent| &agent.locals).any(|local| local.ty == Type::Int)
    }

    /// The candidate sums: over locals and automaton states that no receive changes.
    fn possible_ghosts(&self) -> Vec<Ghost> {
        const MOST_STATES: u32 = 8;
        let types: BTreeSet<usize> = self.model.families().iter().map(|family| family.agent.index()).collect();
        let mut ghosts = Vec::new();
        for agent in types.into_iter().map(|agent| &self.model.agents[agent]) {
            let name = || agent.name.clone();
            for (local, variable) in agent.locals.iter().enumerate() {
                let is_received = agent.receives().any(|edge| edge.updates.iter().any(|(id, _)| id.index() == local));
                if !is_received && matches!(variable.ty, Type::Bool | Type::Int | Type::Range(..)) {
                    ghosts.push(Ghost::Local { agent: name(), local: variable.name.clone() });
                }
            }
            if (2..=MOST_STATES).contains(&agent.states) && !agent.receives().any(|edge| edge.source != edge.target) {
                ghosts.extend((0..agent.states).map(|state| Ghost::State { agent: name(), state }));
            }
        }
        ghosts
    }

    /// Those of the ghosts without which some clause over an instance that has all of them could not be said.
    fn needed_ghosts(
        &self,
        mut ghosts: Vec<Ghost>,
        reference: &Model,
        clauses: &[Clause],
    ) -> Result<Vec<Ghost>, SearchEnd> {
        let sizes = reference.sizes();
        for index in (0..ghosts.len()).rev() {
            let fewer = [&ghosts[..index], &ghosts[index + 1..]].concat();
            let smaller = self.model_of(&sizes, &fewer)?;
            if clauses.iter().all(|clause| clause.is_known(reference, &smaller)) {
                ghosts = fewer;
            }
        }
        Ok(ghosts)
    }

    /// Work with a time of its own, in a thread and a context of its own: a context that was interrupted is of no more use.
    fn apart<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        thread::scope(|scope| join(spawn(scope, || with_context(self.provers.stop, work))))
    }

    /// Finds which clauses of the pool are invariants for all sizes.
    fn settle(&self, pool: &mut Pool) -> Result<(), SearchEnd> {
        let written = self.written(pool)?;
        houdini::filter(&self.askers(&written), &mut pool.alive)?;
        info!("{} of {} clauses are invariants for all sizes", pool.alive.len(), pool.clauses.len());
        Ok(())
    }

    /// The instances of a claim of what there is. All clauses may be invariants again.
    fn written(&self, pool: &mut Pool) -> Result<Vec<ClauseInstance>, SearchEnd> {
        pool.alive = (0..pool.clauses.len()).collect();
        let mut written = Vec::new();
        for sizes in self.sizes_of(pool) {
            written.push(ClauseInstance::new(self.open_with_evidence(&sizes, pool)?, &pool.reference, &pool.clauses));
        }
        Ok(written)
    }

    fn askers<'w>(&'w self, written: &'w [ClauseInstance]) -> Vec<Asker<'w>> {
        let (budget, stop) = (self.provers.budget, self.provers.stop);
        written.iter().map(|written| Asker::new(written, budget, stop)).collect()
    }

    /// Ends the search with the claim that clauses of the pool prove the spec together, if some do. Finds which are invariants for all
    /// sizes.
    fn claim(&self, pool: &mut Pool) -> Result<(), SearchEnd> {
        let written = self.written(pool)?;
        let askers = self.askers(&written);
        let Pool { ghosts, reference, clauses, alive, evidence } = pool;
        houdini::filter(&askers, alive)?;
        info!("{} of {} clauses are invariants for all sizes", alive.len(), clauses.len());
        let deleting = self.provers.budget.aside(durations::SHRINKING_FOR_SIZES);
        let Some(needed) = houdini::needed(&askers, alive, deleting)? else { return Ok(()) };
        let needed: Vec<Clause> = needed.into_iter().map(|index| clauses[index].clone()).collect();
        if !evidence.is_empty() {
            // The evidence speaks of these totals.
            let clauses = needed.into_iter().map(|clause| clause.expr);
            return Err(SearchEnd::Claim(Box::new(claim_of(reference, ghosts.clone(), clauses, evidence))));
        }
        let ghosts = self.needed_ghosts(ghosts.clone(), reference, &needed)?;
        let smaller = self.model_of(&reference.sizes(), &ghosts)?;
        let moved = |clause: &Clause| clause.instances(reference, &smaller).swap_remove(0);
        Err(SearchEnd::Claim(Box::new(claim_of(&smaller, ghosts, needed.iter().map(moved), evidence))))
    }
}

/// The answer of provers about an open instance.
enum OpenAnswer {
    /// It has an invariant that excludes violations.
    Invariant,
    /// A violation can be reached.
    Violation,
    /// Nothing.
    Nothing(Reason),
}

const VIOLATED: &str = "an open instance, where others may exist, reaches a violation";

/// A system with a variable that becomes true when a step violates the spec, unless states alone do.
fn watch(system: System, violation: Term) -> (System, Term) {
    if system.terms().is_of_state(violation) {
        return (system, violation);
    }
    let Parts { mut terms, mut variables, mut updates, mut init, inputs, events, constraints } = system.into_parts();
    let id = VarId(variables.len() as u32);
    let seen = terms.leaf(Leaf::Var(id), Sort::Bool, None);
    variables.push(Variable {
        name: "violated".to_owned(),
        origin: Origin::Counter(0),
        sort: Sort::Bool,
        domain: Domain::Bool,
    });
    init.push(terms.not(seen));
    let (yes, no, otherwise) = (terms.bool(true), terms.bool(false), terms.not(violation));
    updates.push(vec![Case { condition: violation, value: yes }, Case { condition: otherwise, value: no }]);
    (System::new(Parts { terms, variables, inputs, events, init, constraints, updates }), seen)
}

/// The ways to violate a spec that show in a state.
fn disjuncts(system: &System, violation: Term) -> Vec<Term> {
    let list = match system.terms().node(violation) {
        TermNode::Or(list) => list.to_vec(),
        _ => vec![violation],
    };
    list.into_iter().filter(|&part| system.terms().is_of_state(part)).collect()
}

/// The conjuncts of a term, also of one that is written as a negated disjunction.
fn conjuncts(terms: &mut Terms, term: Term) -> Vec<Term> {
    let parts = match terms.node(term) {
        TermNode::And(list) => list.to_vec(),
        TermNode::Not(inner) => match terms.node(*inner) {
            TermNode::Or(list) => {
                let list = list.to_vec();
                list.into_iter().map(|part| terms.not(part)).collect()
            }
            _ => return vec![term],
        },
        _ => return vec![term],
    };
    parts.into_iter().flat_map(|part| conjuncts(terms, part)).collect()
}

/// The same clause over the first members of each family: those that say the same become equal.
fn canonical(model: &Model, clause: Clause) -> Clause {
    let needs = clause.needs(model);
    let is_first = |member: &InstanceId| {
        model
            .families()
            .iter()
            .zip(&needs.members)
            .any(|(family, &needed)| family.members().take(needed as usize).any(|first| first == *member))
    };
    let written = clause.instances(model, model).into_iter().filter_map(|expr| Clause::new(model, expr));
    let firsts = written.filter(|clause| clause.members.iter().all(is_first));
    firsts.min_by_key(|clause| format!("{:?}", clause.expr)).unwrap_or(clause)
}

/// A claim about clauses over an open instance, and further evidence.
fn claim_of(
    reference: &Model,
    ghosts: Vec<Ghost>,
    clauses: impl Iterator<Item = Expr<StateLeaf>>,
    evidence: &Evidence,
) -> UniformClaim {
    let mut system = base_system(reference);
    let clauses = clauses.map(|expr| state_predicate(reference, &mut system, &expr)).collect();
    let (witnesses, progress) = claimed(reference, &mut system, evidence);
    let (sizes, terms) = (reference.sizes(), system.terms().clone());
    UniformClaim { table: Vec::new(), ghosts, sizes, terms, clauses, witnesses, progress }
}
