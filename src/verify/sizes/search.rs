//! The search for clauses that prove a spec for all sizes.
//!
//! Provers look for an invariant of a small open instance. What they find about its members is claimed of all lists of
//! different members; the largest subset of such clauses that is inductive in all instances of the check remains. If it
//! does not exclude the violations, the next larger instance is asked.

use super::houdini::{Asker, Set, Written};
use crate::check::sizes::clause::Clause;
use crate::check::sizes::{NotUniform, OpenInstance, Plan};
use crate::claim::sizes::UniformClaim;
use crate::claim::{Invariant, SafetyClaim};
use crate::engine::invariants::Invariants;
use crate::limits::Reason;
use crate::model::formula::StateLeaf;
use crate::model::{Expr, Family, InstanceId, Model, Scheme, Sizes};
use crate::ts::atoms::state_predicate;
use crate::ts::history::base_system;
use crate::ts::relevant::lasting;
use crate::ts::system::{Case, Domain, Origin, Parts, System, Variable};
use crate::ts::term::{Leaf, Sort, Term, TermNode, Terms, VarId};
use crate::verify::conjunct::Provers;
use crate::verify::race::Contradiction;
use std::collections::BTreeSet;
use tracing::info;

/// So many members of each family beyond those that a spec is about are looked at.
const MOST_MORE: u32 = 2;

/// Why there is no claim.
pub enum NoClaim {
    /// The proof rule does not apply.
    NotUniform(NotUniform),
    /// Nobody knows.
    Unknown(Reason),
    /// Provers contradict each other.
    Contradiction(Contradiction),
}

impl From<Reason> for NoClaim {
    fn from(reason: Reason) -> NoClaim {
        NoClaim::Unknown(reason)
    }
}

impl From<NotUniform> for NoClaim {
    fn from(why: NotUniform) -> NoClaim {
        NoClaim::NotUniform(why)
    }
}

impl From<Contradiction> for NoClaim {
    fn from(why: Contradiction) -> NoClaim {
        NoClaim::Contradiction(why)
    }
}

/// A spec for all sizes.
pub struct Search<'a> {
    /// An instance of what it is about.
    pub model: &'a Model,
    /// What it is about.
    pub scheme: &'a Scheme,
    /// What has to be checked.
    pub plan: &'a Plan,
    /// The spec.
    pub spec: usize,
    /// Who is asked about small instances.
    pub provers: Provers<'a>,
}

impl Search<'_> {
    /// Clauses that prove the spec. Needs a Z3 context.
    pub fn run(&self) -> Result<UniformClaim, NoClaim> {
        let about = self.plan.concerned_at_once();
        let mut reason = Reason::Engine("no instance suggests an invariant for all sizes".to_owned());
        for more in 0..=MOST_MORE {
            let size = |((family, about), least): ((&Family, &u32), &u32)| match family.is_given {
                true => family.size,
                false => (about + more).max(*least).max(1),
            };
            let sizes: Sizes = self.model.families.iter().zip(&about).zip(&self.plan.least).map(size).collect();
            info!("looks for an invariant with {sizes:?} members");
            match self.at(&sizes)? {
                Ok(claim) => return Ok(claim),
                Err(why) => reason = why,
            }
        }
        Err(NoClaim::Unknown(reason))
    }

    /// What an instance suggests.
    fn at(&self, sizes: &Sizes) -> Result<Result<UniformClaim, Reason>, NoClaim> {
        let OpenInstance { model, system, violation } = OpenInstance::new(self.scheme, sizes, self.spec)?;
        let plain = system.clone();
        let (watched, bad) = watch(system, violation);
        let (claim, engine) = self.provers.unreachable(watched.clone(), bad, &Invariants::default())?;
        let Invariant { terms, clauses, .. } = match claim {
            SafetyClaim::Unreachable(invariant) => invariant,
            SafetyClaim::Reached(_) => {
                return Ok(Err(Reason::Engine(format!("{engine} reaches a violation in an open instance"))));
            }
            SafetyClaim::Unknown(reason) => return Ok(Err(reason)),
        };
        let mut found: Vec<Clause> = Vec::new();
        let mut add = |mut terms: Terms, list: &[Term]| {
            for &term in list {
                for part in conjuncts(&mut terms, term) {
                    let clause =
                        Clause::of_term(&model, &watched, &terms, part).map(|clause| canonical(&model, clause));
                    found.extend(clause.filter(|clause| !found.contains(clause)));
                }
            }
        };
        add(terms, &clauses);
        add(plain.terms().clone(), &lasting(&plain, violation));
        let mut terms = plain.terms().clone();
        let good: Vec<Term> = disjuncts(&plain, violation).into_iter().map(|part| terms.not(part)).collect();
        add(terms, &good);
        info!("{} candidates of {engine}", found.len());
        Ok(match self.proved_by(&model, &found)? {
            Some(clauses) => Ok(claim_of(&model, sizes, clauses.into_iter().map(|index| &found[index].expr))),
            None => Err(Reason::Engine("what holds in small instances is no invariant for all sizes".to_owned())),
        })
    }

    /// Clauses that prove the spec together, if there are some among these.
    fn proved_by(&self, reference: &Model, found: &[Clause]) -> Result<Option<Set>, NoClaim> {
        let (budget, stop) = (self.provers.budget, self.provers.stop);
        let mut alive: Set = (0..found.len()).collect();
        let needs: BTreeSet<Sizes> = found.iter().map(|clause| clause.needs(reference)).collect();
        let mut written = Vec::new();
        for sizes in self.plan.sizes(self.model, &needs) {
            written.push(Written::new(OpenInstance::new(self.scheme, &sizes, self.spec)?, reference, found));
        }
        let askers: Vec<Asker> = written.iter().map(|written| Asker::new(written, budget, stop)).collect();
        let mut stable = false;
        while !stable {
            stable = true;
            for asker in &askers {
                stable &= !asker.filter(&mut alive)?;
            }
        }
        info!("{} of them are invariants for all sizes", alive.len());
        let mut needed = Set::new();
        for asker in &askers {
            match asker.excluding_violations(&alive)? {
                Some(core) => needed.extend(core),
                None => return Ok(None),
            }
        }
        let mut open: Vec<usize> = needed.iter().copied().collect();
        while let Some(index) = open.pop() {
            for asker in &askers {
                if asker.keeping(&needed, index)?.is_none() {
                    let core = asker.keeping(&alive, index)?.unwrap_or_default();
                    open.extend(core.into_iter().filter(|index| needed.insert(*index)));
                }
            }
        }
        Ok(Some(needed))
    }
}

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
            .families
            .iter()
            .zip(&needs)
            .any(|(family, &needed)| family.members().take(needed as usize).any(|first| first == *member))
    };
    let written = clause.instances(model, model).into_iter().filter_map(|expr| Clause::new(model, expr));
    let firsts = written.filter(|clause| clause.members.iter().all(is_first));
    firsts.min_by_key(|clause| format!("{:?}", clause.expr)).unwrap_or(clause)
}

/// A claim about clauses over an open instance.
fn claim_of<'c>(reference: &Model, sizes: &Sizes, clauses: impl Iterator<Item = &'c Expr<StateLeaf>>) -> UniformClaim {
    let mut system = base_system(reference);
    let clauses = clauses.map(|expr| state_predicate(reference, &mut system, expr)).collect();
    let terms: Terms = system.terms().clone();
    UniformClaim { sizes: sizes.clone(), terms, clauses }
}
