//! Proofs of specs: per conjunct an inductive invariant of a named reduction.
//!
//! The systems are made from the model and the spec by [`crate::product`], without any simplification: a certificate is about the semantics that the language defines.

use super::Refused;
use super::invariant::Proof;
use super::queries::Query;
use super::queries::invariant::InvariantQueries;
use super::solver::ScriptSolver;
use crate::claim::{Invariant, PartClaim};
use crate::model::{Formula, Model};
use crate::product::target::{Target, rankable};
use crate::ts::history::base_system;
use crate::ts::ranking::Ranking;
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::system::System;
use crate::ts::term::{Leaf, Sort, Term, Terms, VarId};
use rustc_hash::FxHashMap;

/// A spec holds, conjunct by conjunct. There is no way to make one but [`Certificate::confirm`].
#[derive(Debug)]
pub struct Certificate {
    parts: Vec<CertifiedPart>,
}

/// One conjunct of a spec with its proof.
#[derive(Debug)]
pub struct CertifiedPart {
    /// The conjunct, and what was proved of it.
    pub target: Target,
    /// The names of its variables and values in scripts.
    pub symbols: Symbols,
    /// The ranking of the reduction; empty if it has none.
    pub ranking: Ranking,
    /// The proof.
    pub proof: Proof,
}

impl From<&CertifiedPart> for PartClaim {
    fn from(part: &CertifiedPart) -> PartClaim {
        let (reduction, ranking) = (part.target.reduction, part.ranking.clone());
        PartClaim { reduction, ranking, invariant: part.proof.invariant().clone() }
    }
}

impl Certificate {
    /// Checks the claims about the conjuncts of a spec, in their order.
    pub fn confirm(
        model: &Model,
        spec: usize,
        claims: &[PartClaim],
        solver: &dyn ScriptSolver,
    ) -> Result<Certificate, Refused> {
        let system = base_system(model);
        let conjuncts = model.specs[spec].formula.conjuncts();
        if conjuncts.len() != claims.len() {
            return Err(Refused::unfit("the certificate belongs to another spec"));
        }
        let pairs = conjuncts.into_iter().zip(claims);
        let part = |(formula, claim)| CertifiedPart::confirm(model, &system, &formula, claim, solver);
        Ok(Certificate { parts: pairs.map(part).collect::<Result<_, _>>()? })
    }

    /// The conjuncts with their proofs.
    pub fn parts(&self) -> &[CertifiedPart] {
        &self.parts
    }
}

impl CertifiedPart {
    fn confirm(
        model: &Model,
        system: &System,
        formula: &Formula,
        claim: &PartClaim,
        solver: &dyn ScriptSolver,
    ) -> Result<CertifiedPart, Refused> {
        let PartClaim { reduction, ranking, invariant } = claim;
        let ranking = confirmed_ranking(model, system, formula, ranking)?;
        let target = Target::new(model, system.clone(), formula, *reduction, &ranking);
        let target =
            target.ok_or_else(|| Refused::unfit("a reduction of the certificate does not fit its conjunct"))?;
        let mut terms = target.system.terms().clone();
        let clauses = imported(&mut terms, &target.system, &invariant.terms, &invariant.clauses, Sort::Bool)?;
        let invariant = Invariant { clauses: terms.conjuncts(&clauses), terms, k: invariant.k.max(1) };
        let symbols = Symbols::new(model, &target.system);
        let question =
            InvariantQueries { system: &target.system, symbols: &symbols, bad: target.bad, invariant: &invariant };
        let proof = Proof::confirm(question, solver)?;
        Ok(CertifiedPart { target, symbols, ranking, proof })
    }

    /// The queries that have to be refuted so that the conjunct holds.
    pub fn queries(&self) -> [Query; 3] {
        let Target { system, bad, .. } = &self.target;
        InvariantQueries { system, symbols: &self.symbols, bad: *bad, invariant: self.proof.invariant() }.queries()
    }
}

/// A claimed ranking, over the variables that it has to be about.
fn confirmed_ranking(model: &Model, system: &System, formula: &Formula, claimed: &Ranking) -> Result<Ranking, Refused> {
    if claimed.components.is_empty() {
        return Ok(Ranking::default());
    }
    let system = rankable(model, system.clone(), formula).system;
    let mut terms = system.terms().clone();
    let components = imported(&mut terms, &system, &claimed.terms, &claimed.components, Sort::Int)?;
    Ok(Ranking { terms, components })
}

/// Terms of a claim in an arena of the system, whose variables they have to be about, and of this sort.
fn imported(terms: &mut Terms, system: &System, from: &Terms, list: &[Term], sort: Sort) -> Result<Vec<Term>, Refused> {
    let variables = system.variables();
    let mut fits = list.iter().all(|&term| from.sort(term) == sort);
    let mut same = |terms: &mut Terms, leaf: Leaf, sort: Sort| {
        let is_known = |id: VarId| variables.get(id.0 as usize).is_some_and(|variable| variable.sort == sort);
        fits &= matches!(leaf, Leaf::Var(id) if is_known(id));
        terms.leaf(leaf, sort, None)
    };
    let mut memo = FxHashMap::default();
    let list = list.iter().map(|&term| terms.translate(from, term, &mut same, &mut memo)).collect();
    if fits { Ok(list) } else { Err(Refused::unfit("the certificate belongs to another system")) }
}
