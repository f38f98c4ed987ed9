//! Specs of schemes: whether they hold in instances of all sizes.
//!
//! A proof for all sizes is searched for ([`search`]), while the instances are verified one after the other, the smaller
//! ones first, for a violation. The evidence of the proof is checked by [`crate::check::sizes`].

mod houdini;
mod search;

use super::answer::{Answer, BadEvidence, Failure};
use super::conjunct::{MOST_COUNTED, Provers};
use super::{Engine, Limits, Subject};
use crate::check::invariant::NoProof;
use crate::check::sizes::{NotUniform, Plan, Uniform};
use crate::check::{Proof, Verdict};
use crate::engine::Prover;
use crate::engine::bmc::Times;
use crate::engine::invariants::Invariants;
use crate::limits::{Reason, Stop, join, spawn, within};
use crate::model::{Family, Model, Scheme, Sizes};
use crate::smt::{Scripts, with_context};
use search::{NoClaim, Search};
use std::thread;
use std::time::Duration;
use tracing::{info, info_span};

/// So many more members of each family than the least number are looked at where nobody proves anything.
const MOST_MORE: u32 = 3;

/// How long an instance is verified.
const TIME: Duration = Duration::from_secs(10);

/// When so many instances are undecided, larger ones will be, too.
const MOST_OPEN: usize = 2;

impl<'m> Subject<'m> {
    /// The instance of the scheme that has these sizes, with everything that its specs share.
    fn of_sizes(&self, scheme: &'m Scheme, sizes: &Sizes) -> Option<&Subject<'m>> {
        if let Some(known) = self.instances.get(sizes) {
            return Some(known);
        }
        let model = scheme.instance(sizes)?;
        let subject = Subject {
            exploration_memory: self.exploration_memory,
            shortens: self.shortens,
            provers: self.provers,
            ..Subject::new(model)
        };
        Some(self.instances.insert(sizes.clone(), Box::new(subject)))
    }

    /// Decides a spec for all sizes.
    pub(super) fn decide_all_sizes(
        &self,
        scheme: &'m Scheme,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<(Answer<'_>, Times), Failure> {
        let model: &'m Model = self.model();
        let plan = Plan::new(model, spec);
        let stop = Stop::under(limits.stop);
        let limits = Limits { stop: &stop, ..*limits };
        thread::scope(|scope| {
            let proof = plan.as_ref().ok().map(|plan| {
                spawn(scope, || {
                    let answer = self.proof_for_all_sizes(scheme, plan, spec, engines, &limits);
                    answer.stopping(&stop)
                })
            });
            let least = scheme.least(model, spec);
            let (violated, times) = self.violation_in_some_size(scheme, &least, spec, engines, &limits)?;
            let proof = match (proof, &plan) {
                (Some(proof), _) => join(proof),
                (None, Err(why)) => Answer::unknown(Reason::Engine(format!("no proof for all sizes: {why}"))),
                (None, Ok(_)) => unreachable!("a plan is searched"),
            };
            let Verdict::Unknown { reason: looked_at, .. } = &violated.verdict else {
                return Ok((proof.agreed(violated)?, times));
            };
            let looked_at = looked_at.to_string();
            let mut answer = proof.agreed(violated)?;
            if let Verdict::Unknown { reason, .. } = &mut answer.verdict {
                *reason = reason.clone().detailed(looked_at);
            }
            Ok((answer, times))
        })
    }

    fn proof_for_all_sizes<'s>(
        &self,
        scheme: &Scheme,
        plan: &Plan,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Answer<'s> {
        let _logged = info_span!("all sizes").entered();
        let provers: Vec<&dyn Prover> = [Engine::Pdr, Engine::Kind]
            .into_iter()
            .filter(|engine| engines.contains(engine))
            .filter_map(|engine| self.prover(engine))
            .collect();
        if provers.is_empty() {
            return Answer::unknown(Reason::Engine("no proof for all sizes without pdr".to_owned()));
        }
        let asked = Provers {
            model: self.model(),
            provers: &provers,
            ranks: false,
            counts: Some(MOST_COUNTED),
            shoals: false,
            invariants: &Invariants::default(),
            budget: limits.budget,
            racing: limits.budget,
            progress: limits.progress,
            suspects: &|| {},
            stop: limits.stop,
            cancelled: limits.stop,
        };
        let search = Search { model: self.model(), scheme, plan, spec, provers: asked };
        let engine = provers[0].engine();
        let claim = within(limits.budget, limits.stop, || with_context(limits.stop, || search.run()));
        let claim = match claim {
            Err(reason) | Ok(Err(NoClaim::Unknown(reason))) => return Answer::unknown(reason),
            Ok(Err(NoClaim::NotUniform(why))) => {
                return Answer::unknown(Reason::Engine(format!("no proof for all sizes: {why}")));
            }
            Ok(Err(NoClaim::Contradiction(contradiction))) => return Answer::contradictory(limits, contradiction),
            Ok(Ok(claim)) => claim,
        };
        info!("proved by {} clauses; checks that", claim.clauses.len());
        let solver = Scripts { budget: limits.budget, stop: limits.stop };
        let confirm = || Uniform::confirm(self.semantics(), self.sample(), spec, &claim, &solver);
        match within(limits.budget, limits.stop, confirm) {
            Ok(Ok(uniform)) => Answer::new(Verdict::Holds(Proof::Uniform(Box::new(uniform))), &[engine]),
            Ok(Err(NotUniform::NoProof(_, NoProof::Unknown(reason)))) | Err(reason) => Answer::unknown(reason),
            Ok(Err(why)) => Answer::refused(limits, &[engine], BadEvidence::Uniform(why)),
        }
    }

    /// The violation in the smallest instance that has one, if there is one among the small ones.
    fn violation_in_some_size(
        &self,
        scheme: &'m Scheme,
        least: &Sizes,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<(Answer<'_>, Times), Failure> {
        let mut times = Times::default();
        let (mut clear, mut open): (Vec<Sizes>, Vec<Sizes>) = Default::default();
        for sizes in small_sizes(&self.model().families, least) {
            if limits.stop.is_set() {
                break;
            }
            if open.len() >= MOST_OPEN {
                break;
            }
            let Some(subject) = self.of_sizes(scheme, &sizes) else { continue };
            let _logged = info_span!("instance", name = %format_args!("{sizes:?} members")).entered();
            info!("begins");
            let limits = Limits { budget: limits.budget.at_most(TIME), ..*limits };
            let (answer, more) = subject.decide(spec, engines, &limits)?;
            times = Times { encoding: times.encoding + more.encoding, solving: times.solving + more.solving };
            match &answer.verdict {
                Verdict::Violated(_) => return Ok((answer.stopping(limits.stop), times)),
                Verdict::Holds(_) => clear.push(sizes),
                _ => open.push(sizes),
            }
        }
        Ok((Answer::unknown(Reason::Engine(self.looked_at(&clear, &open))), times))
    }

    /// What is known of instances that were verified one by one.
    fn looked_at(&self, clear: &[Sizes], open: &[Sizes]) -> String {
        let list =
            |all: &[Sizes]| all.iter().map(|sizes| self.model().show_sizes(sizes)).collect::<Vec<_>>().join("; ");
        let holds = (!clear.is_empty()).then(|| format!("it holds for {}", list(clear)));
        let unknown = (!open.is_empty()).then(|| format!("unknown for {}", list(open)));
        holds.into_iter().chain(unknown).collect::<Vec<_>>().join("; ")
    }
}

/// Sizes from the least ones on, the smaller ones first.
fn small_sizes(families: &[Family], least: &Sizes) -> Vec<Sizes> {
    let mut all: Vec<Sizes> = vec![Vec::new()];
    for (family, &least) in families.iter().zip(least) {
        let (first, last) = if family.is_given { (family.size, family.size) } else { (least, least + MOST_MORE) };
        let with = |sizes: &Sizes, size| [&sizes[..], &[size]].concat();
        all = all.iter().flat_map(|sizes| (first..=last).map(move |size| with(sizes, size))).collect();
    }
    all.sort_by_key(|sizes| sizes.iter().sum::<u32>());
    all
}
