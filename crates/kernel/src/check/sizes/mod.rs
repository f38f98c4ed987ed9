//! Proofs for all sizes: a spec holds in every instance of a scheme, however many members its families have.
//!
//! The evidence is a list of clauses, each about all lists of different members ([`clause`]). They are checked in finitely
//! many open instances ([`crate::model::scheme`]): initially true, kept by every step, and excluding every step that
//! violates the spec. Which instances these are says the rule of [`rule`], under the conditions of
//! [`crate::model::scheme::Obstacle`]; `docs/any-number.md` has its proof. Where the spec calls for responses
//! ([`response`]), there is further evidence that these come ([`progress`]), which may need that some member exists
//! ([`witness`]).
//!
//! [`step`] reads specs as conditions on steps, [`deadlock`] says what `deadlock` means in an open instance.

pub mod clause;
mod deadlock;
pub mod evidence;
pub mod progress;
pub mod renaming;
pub mod response;
mod rule;
pub mod step;
pub mod witness;

use super::queries::Query;
use super::queries::invariant::InvariantQueries;
use super::solver::ScriptSolver;
use crate::check::Refused;
use crate::claim::Invariant;
use crate::claim::sizes::UniformClaim;
use crate::model::fairness::Actor;
use crate::model::scheme::{Ghost, Obstacle};
use crate::model::{Formula, Model, Scheme, Sizes};
use crate::ts::atoms::state_predicate;
use crate::ts::history::base_system;
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::system::System;
use crate::ts::term::Term;
use clause::{Clause, Needs};
use evidence::Evidence;
use response::{Response, Said};
use std::collections::BTreeSet;

/// A spec holds for all sizes. There is no way to make one but [`Uniform::confirm`].
#[derive(Debug)]
pub struct Uniform {
    model: Model,
    /// If the spec asks for a strategy, the outcome of the one that is claimed: what is proved is about this.
    outcome: Option<Model>,
    reference: Model,
    clauses: Vec<Clause>,
    evidence: Evidence,
    claim: UniformClaim,
    least: Sizes,
    sizes: BTreeSet<Sizes>,
}

/// Why claims are none.
const OTHER_SYSTEM: &str = "the certificate belongs to another system";
const NO_CLAUSE: &str = "a clause is no condition on the members of families";

impl From<Obstacle> for Refused {
    fn from(why: Obstacle) -> Refused {
        Refused::unfit(why)
    }
}

/// The sizes that matter for the check of a spec.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The least sizes that the spec is about: those of the families, and as many members as it names.
    pub least: Sizes,
    /// How many members the conjuncts of the spec are about, with all up to those that it names.
    concerned: BTreeSet<Sizes>,
}

impl Plan {
    /// Of a spec, if the rule applies to it.
    pub fn new(model: &Model, spec: usize) -> Result<Plan, Obstacle> {
        let scheme = model.scheme().ok_or(Obstacle::Check)?;
        scheme.is_uniform()?;
        let conjuncts = scheme.conjuncts(spec)?;
        let least = scheme.least(model, spec);
        let quantified = conjuncts.iter().flat_map(|variables| rule::assignments(model, variables)).collect();
        let concerned = rule::beside(&quantified, &scheme.named(spec));
        Ok(Plan { least, concerned })
    }

    /// How many members of each family some conjunct of the spec is about, at most.
    pub fn concerned_at_once(&self) -> Sizes {
        let no_members = vec![0; self.least.len()];
        let most = |one: Sizes, other: &Sizes| one.iter().zip(other).map(|(one, other)| *one.max(other)).collect();
        self.concerned.iter().fold(no_members, most)
    }

    /// The sizes of the instances in which clauses that mention so much have to be checked, and the further evidence.
    pub fn sizes(&self, model: &Model, clauses: &BTreeSet<Needs>, evidence: &Evidence) -> BTreeSet<Sizes> {
        let mut sizes = rule::with_participants(&self.concerned, &rule::participants(model));
        sizes.extend(evidence.sizes(model, &self.concerned));
        for needs in clauses {
            let participants = if needs.totals { rule::participants(model) } else { rule::participant(model) };
            sizes.extend(rule::with_participants(&BTreeSet::from([needs.members.clone()]), &participants));
        }
        rule::within(model, sizes, &self.least)
    }
}

/// An open instance with what is claimed of it.
pub struct OpenInstance {
    /// The instance.
    pub model: Model,
    /// Its system.
    pub system: System,
    /// That a step violates the spec, apart from the responses that it calls for.
    pub violation: Term,
    /// The responses.
    pub responses: Vec<Response>,
    /// The agents that are treated fairly.
    pub fair: Vec<Actor>,
    /// The facts about totals that are true in every state.
    pub facts: Vec<Term>,
}

/// The open instance of these sizes.
pub fn open_instance(scheme: &Scheme, sizes: &[u32], spec: usize, ghosts: &[Ghost]) -> Result<Model, Refused> {
    scheme.open_instance(sizes, spec, ghosts).ok_or_else(|| {
        let members = in_words(sizes);
        Refused::unfit(format_args!("an instance with {members} members, whose numbers are variables, has errors"))
    })
}

impl OpenInstance {
    /// Of these sizes, with these ghosts.
    pub fn new(scheme: &Scheme, sizes: &[u32], spec: usize, ghosts: &[Ghost]) -> Result<OpenInstance, Refused> {
        let model = open_instance(scheme, sizes, spec, ghosts)?;
        if model.total_of_receivers().is_some() {
            return Err(Obstacle::Received.into());
        }
        let mut system = base_system(&model);
        let Said { steps, responses } = Said::by(model.specs[spec].claimed())?;
        let violation = step::violation(&model, &mut system, &steps)?;
        let facts = model.facts_of_totals();
        let facts = facts.iter().map(|fact| state_predicate(&model, &mut system, fact)).collect();
        let fair = treated_fairly(&model, spec);
        Ok(OpenInstance { model, system, violation, responses, fair, facts })
    }

    /// Clauses over another open instance as terms of this one, clause by clause; also about members outside.
    pub fn clauses(&mut self, reference: &Model, clauses: &[Clause]) -> Vec<Vec<Term>> {
        let OpenInstance { model, system, .. } = self;
        let of_clause = |clause: &Clause| {
            let said = [clause.instances(reference, model), clause.of_outsiders(reference, model)].concat();
            said.iter().map(|expr| state_predicate(model, system, expr)).collect()
        };
        clauses.iter().map(of_clause).collect()
    }
}

impl Uniform {
    /// Checks a claim about a spec of an instance of a scheme.
    pub fn confirm(
        model: &Model,
        spec: usize,
        claim: &UniformClaim,
        solver: &dyn ScriptSolver,
    ) -> Result<Uniform, Refused> {
        let asked = model.scheme().ok_or_else(|| Refused::unfit(OTHER_SYSTEM))?;
        if asked.asks_for_strategy(spec) {
            let outcome = model.outcome_of_table(spec, &claim.table);
            let outcome = outcome.ok_or_else(|| Refused::wrong("the strategy is none of the group"))?;
            let uniform = Uniform::of_runs(&outcome, spec, claim, solver)?;
            return Ok(Uniform { model: model.clone(), outcome: Some(outcome), ..uniform });
        }
        if !claim.table.is_empty() || model.specs[spec].formula.is_branching() {
            return Err(Refused::other_kind());
        }
        Uniform::of_runs(model, spec, claim, solver)
    }

    /// The same of a spec that asks for no strategy.
    fn of_runs(
        model: &Model,
        spec: usize,
        claim: &UniformClaim,
        solver: &dyn ScriptSolver,
    ) -> Result<Uniform, Refused> {
        let plan = Plan::new(model, spec)?;
        let scheme = model.scheme().ok_or_else(|| Refused::unfit(OTHER_SYSTEM))?;
        if claim.sizes.len() != model.families().len() {
            return Err(Refused::unfit(OTHER_SYSTEM));
        }
        let reference =
            scheme.open_instance(&claim.sizes, spec, &claim.ghosts).ok_or_else(|| Refused::unfit(OTHER_SYSTEM))?;
        let system = base_system(&reference);
        let clause = |&clause: &Term| Clause::of_term(&reference, &system, &claim.terms, clause);
        let clauses: Vec<Clause> =
            claim.clauses.iter().map(clause).collect::<Option<_>>().ok_or_else(|| Refused::unfit(NO_CLAUSE))?;
        let evidence = Evidence::new(&reference, &system, spec, claim)?;
        let sizes = plan.sizes(model, &clauses.iter().map(|clause| clause.needs(&reference)).collect(), &evidence);
        let model = model.clone();
        let (claim, least) = (claim.clone(), plan.least);
        let uniform = Uniform { model, outcome: None, reference, clauses, evidence, claim, least, sizes };
        for sizes in &uniform.sizes {
            for query in uniform.queries_at(scheme, sizes, spec)? {
                query.refute(solver).map_err(|why| match why {
                    Refused::Wrong(why) => Refused::wrong(format_args!("with {} members: {why}", in_words(sizes))),
                    other => other,
                })?;
            }
        }
        Ok(uniform)
    }

    /// The queries to refute in the instance of some sizes.
    fn queries_at(&self, scheme: &Scheme, sizes: &[u32], spec: usize) -> Result<Vec<Query>, Refused> {
        let mut instance = OpenInstance::new(scheme, sizes, spec, &self.claim.ghosts)?;
        let premises = self.evidence.premises(&self.reference, &mut instance)?;
        let exist = self.evidence.exist(&self.reference, &mut instance);
        let clauses = instance.clauses(&self.reference, &self.clauses).concat();
        let OpenInstance { model, system, violation, facts, .. } = instance;
        let clauses = [clauses, facts].concat();
        let symbols = Symbols::new(&model, &system);
        let invariant = |clauses| Invariant { terms: system.terms().clone(), clauses, k: 1 };
        let (exist, clauses) = (invariant(exist), invariant(clauses));
        let about = |invariant, bad| InvariantQueries { system: &system, symbols: &symbols, bad, invariant };
        let mut queries = about(&clauses, violation).queries().to_vec();
        if !exist.clauses.is_empty() {
            let query = about(&exist, violation).initial();
            queries.push(Query { name: "witnessed-initial", fault: "initially, no agent is the witness", ..query });
        }
        for premise in premises.iter().filter(|premise| !system.terms().is_false(premise.bad)) {
            let query = about(&clauses, premise.bad).safe();
            let script = format!("; That is: {}.\n{}", premise.meaning, query.script);
            queries.push(Query { name: premise.name, script, fault: premise.meaning });
        }
        Ok(queries)
    }

    /// The queries to refute so that the spec holds, for each list of sizes.
    pub fn queries(&self, spec: usize) -> Vec<(Sizes, Vec<Query>)> {
        let scheme = self.outcome().scheme().expect("it is an instance of one");
        let queries = |sizes: &Sizes| {
            let queries = self.queries_at(scheme, sizes, spec).expect("it was confirmed");
            (sizes.clone(), queries)
        };
        self.sizes.iter().map(queries).collect()
    }

    /// The model that it is about: an instance of the scheme.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// True if the spec asks for a strategy.
    pub fn is_strategic(&self) -> bool {
        self.outcome.is_some()
    }

    /// The same, or the outcome of the strategy that the spec asks for.
    pub fn outcome(&self) -> &Model {
        self.outcome.as_ref().unwrap_or(&self.model)
    }

    /// The instance whose members stand for variables.
    pub fn reference(&self) -> &Model {
        &self.reference
    }

    /// The clauses.
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// The evidence for the responses that the spec calls for.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The claim that it was made from.
    pub fn claim(&self) -> &UniformClaim {
        &self.claim
    }

    /// The least sizes for which the spec holds.
    pub fn least(&self) -> &[u32] {
        &self.least
    }

    /// The sizes of the instances that were checked.
    pub fn sizes(&self) -> impl ExactSizeIterator<Item = &Sizes> {
        self.sizes.iter()
    }
}

/// The agents that are treated fairly in an open instance, according to the assumptions of a spec; strong fairness is weak, too.
fn treated_fairly(model: &Model, spec: usize) -> Vec<Actor> {
    let mut fair = Vec::new();
    let assumptions = model.specs[spec].under.iter().flat_map(|under| &under.assumptions);
    assumptions.for_each(|assumption| collect_treated(model, &assumption.formula, &mut fair));
    fair
}

fn collect_treated(model: &Model, formula: &Formula, fair: &mut Vec<Actor>) {
    if let Formula::And(list) = formula {
        return list.iter().for_each(|part| collect_treated(model, part, fair));
    }
    fair.extend(formula.fairness(model).map(|(actor, _)| actor));
}

fn in_words(sizes: &[u32]) -> String {
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(" and ")
}
