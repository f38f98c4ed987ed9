//! Specs of schemes: whether they hold in instances of all sizes.
//!
//! A proof for all sizes is searched for ([`search`]), while the instances are verified one after the other, the smaller
//! ones first, for a violation. The evidence of the proof is checked by [`crate::check::sizes`].

mod houdini;
mod response;
mod search;

use super::answer::{Answer, InternalError};
use super::companions::Companions;
use super::conjunct::{MOST_COUNTED, Provers};
use super::race::Contradiction;
use super::{Engine, Limits, Subject};
use crate::check::Verdict;
use crate::check::sizes::Plan;
use crate::claim::Evidence;
use crate::claim::sizes::UniformClaim;
use crate::engine::Prover;
use crate::engine::bmc::Times;
use crate::limits::{Reason, Stop, join, spawn, with_share};
use crate::model::scheme::TypeRefusal;
use crate::model::{Family, Model, Scheme, Sizes};
use crate::smt::with_context;
use crate::verify::durations;
use search::{SearchEnd, SizesSearch};
use std::thread;
use tracing::{info, info_span};

/// Instances with fewer members more than the least ones are looked at,
const MOST_MORE: u32 = 64;
/// and without a limit on the time, with so many more.
const ENOUGH_MORE: u32 = 4;

/// Specs that name more members are not worth a proof for any number of them.
const MOST_NAMED: u32 = 4;

/// The number of small instances in which a strategy for all sizes is looked for.
const MOST_INSTANCES: usize = 8;

/// The number of sizes that are shown.
const MOST_SHOWN: usize = 3;

/// The share of the time that is left that the verification of an instance may take.
const SHARE: f32 = 0.9;

/// The share of processor time of a proof for all sizes, beside that of the search for a violation.
const PROOF_SHARE: u32 = 1;

/// When so many instances are undecided, larger ones will be, too.
const MOST_OPEN: usize = 2;

impl<'m> Subject<'m> {
    /// The instance of the scheme that has these sizes, with everything that its specs share.
    fn of_sizes(&self, scheme: &'m Scheme, sizes: &Sizes) -> Option<&Subject<'m>> {
        if let Some(known) = self.instances.get(sizes) {
            return Some(known);
        }
        let model = scheme.instance(sizes)?;
        Some(self.instances.insert(sizes.clone(), Box::new(self.alike(model))))
    }

    /// Decides a spec for all sizes.
    pub(super) fn decide_all_sizes(
        &self,
        scheme: &'m Scheme,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<(Answer<'_>, Times), InternalError> {
        let model: &'m Model = self.model();
        let plan = (!scheme.asks_for_strategy(spec)).then(|| Plan::new(model, spec)).transpose();
        let stop = &Stop::under(limits.stop);
        let limits = &Limits { stop, ..*limits };
        thread::scope(|scope| {
            let proof = plan.as_ref().map(|plan| {
                spawn(scope, move || {
                    let _stops_others = stop.set_in_panic();
                    let search = || match plan {
                        Some(plan) => self.proof_for_all_sizes(plan, spec, engines, limits),
                        None => self.strategy_for_all_sizes(scheme, spec, engines, limits),
                    };
                    with_share(PROOF_SHARE, search).stopping(stop)
                })
            });
            let _stops_others = stop.set_in_panic();
            let least = scheme.least(model, spec);
            let violation = with_share(1, || self.violation_in_some_size(scheme, &least, spec, engines, limits));
            let (violated, times) = violation.inspect_err(|_| stop.set())?;
            let proof = match proof {
                Ok(proof) => join(proof),
                Err(why) => Answer::unknown(Reason::Engine(format!("no proof for all sizes: {why}"))),
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

    /// A proof of a spec for all sizes, without a look at instances for a violation; nothing if the proof rule does not
    /// apply.
    pub fn prove_for_all_sizes(&self, spec: usize, engines: &[Engine], limits: &Limits) -> Option<Verdict<'_>> {
        let plan = Plan::new(self.model(), spec).ok()?;
        Some(self.proof_for_all_sizes(&plan, spec, engines, limits).verdict)
    }

    /// True if a spec may hold because it holds for any number of agents.
    pub(super) fn may_be_general(&self, spec: usize) -> bool {
        self.model().parameters.general.is_possible() && self.model().specs[spec].question.is_none()
    }

    /// The same model with any number of agents, if several are alike.
    fn general(&self) -> Option<&Subject<'m>> {
        let make = || {
            let model: &'m Model = self.model();
            let subject = Subject { provers: self.provers, ..Subject::new(model.parameters.general.model()?) };
            Some(Box::new(subject))
        };
        self.general.get_or_init(make).as_deref()
    }

    /// A proof for any number of agents: this model is an instance.
    pub(super) fn proof_by_general(&self, spec: usize, engines: &[Engine], limits: &Limits) -> Answer<'_> {
        let search = || {
            let subject = self.general()?;
            let plan = Plan::new(subject.model(), spec).ok()?;
            let names_many = plan.least.iter().sum::<u32>() > MOST_NAMED;
            (!names_many).then(|| subject.proof_for_all_sizes(&plan, spec, engines, limits).stopping(limits.stop))
        };
        limits.answered(|| search().unwrap_or_else(Answer::undecided))
    }

    fn proof_for_all_sizes(&self, plan: &Plan, spec: usize, engines: &[Engine], limits: &Limits) -> Answer<'_> {
        match self.claim_for_all_sizes(plan, spec, engines, limits) {
            Ok((claim, engine)) => self.judged(spec, Evidence::Uniform(claim), &[engine], limits),
            Err(SizesGaveUp::Unknown(reason)) => Answer::unknown(reason),
            Err(SizesGaveUp::Contradiction(contradiction)) => Answer::contradictory(limits, contradiction),
        }
    }

    /// The claim that a spec holds for all sizes, and the engine that it rests on.
    fn claim_for_all_sizes(
        &self,
        plan: &Plan,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<(Box<UniformClaim>, Engine), SizesGaveUp> {
        let _logged = info_span!("all sizes").entered();
        let gave_up = |why: String| Err(SizesGaveUp::Unknown(Reason::Engine(why)));
        // A proof of one instance by k-induction says little of others.
        let engine = [Engine::Pdr, Engine::Kind].into_iter().find(|engine| engines.contains(engine));
        let provers: Vec<&dyn Prover> = engine.and_then(|engine| self.prover(engine)).into_iter().collect();
        if provers.is_empty() {
            return gave_up("no proof for all sizes without pdr".to_owned());
        }
        let asked = Provers { counts: Some(MOST_COUNTED), ..Provers::new(self.model(), &provers, limits) };
        let scheme = self.model().scheme().expect("a plan is about a scheme");
        let search = SizesSearch { model: self.model(), scheme, plan, spec, provers: asked };
        let engine = provers[0].engine();
        let claim = limits.within(|| with_context(limits.stop, || search.run()));
        match claim {
            Ok(SearchEnd::Claim(claim)) => {
                info!("proved by {} clauses; checks that", claim.clauses.len());
                Ok((claim, engine))
            }
            Err(reason) | Ok(SearchEnd::Unknown(reason)) => Err(SizesGaveUp::Unknown(reason)),
            Ok(SearchEnd::NotUniform(why)) => gave_up(format!("no proof for all sizes: {why}")),
            Ok(SearchEnd::Contradiction(contradiction)) => Err(SizesGaveUp::Contradiction(contradiction)),
        }
    }

    /// A strategy that is the same for all agents of a type, found in small instances, and a proof of what it brings about for all sizes.
    fn strategy_for_all_sizes(
        &self,
        scheme: &'m Scheme,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Answer<'_> {
        let mut last = Reason::Engine("no strategy for all sizes was found".to_owned());
        let mut tried: Vec<Vec<TypeRefusal>> = Vec::new();
        for (_, sizes) in growing(self.model().families(), &scheme.least(self.model(), spec)).take(MOST_INSTANCES) {
            if limits.stop.is_set() || is_over(limits) {
                break;
            }
            let Some(subject) = self.of_sizes(scheme, &sizes) else { continue };
            let table = limits.within(|| subject.table_for_all(spec, engines, limits));
            let table = match table {
                Ok(Ok(table)) => table,
                Ok(Err(reason)) | Err(reason) => {
                    last = reason;
                    continue;
                }
            };
            if tried.contains(&table) {
                continue;
            }
            let Some(outcome) = self.model().outcome_of_table(spec, &table) else { continue };
            let asked = Subject { provers: self.provers, ..Subject::new(&outcome) };
            let claim = match Plan::new(&outcome, spec) {
                Ok(plan) => asked.claim_for_all_sizes(&plan, spec, engines, limits),
                Err(why) => Err(SizesGaveUp::Unknown(Reason::Engine(format!("no proof for all sizes: {why}")))),
            };
            match claim {
                Ok((mut claim, engine)) => {
                    claim.table = table;
                    return self.judged(spec, Evidence::Uniform(claim), &[engine], limits);
                }
                Err(SizesGaveUp::Unknown(reason)) => last = reason,
                Err(SizesGaveUp::Contradiction(contradiction)) => return Answer::contradictory(limits, contradiction),
            }
            tried.push(table);
        }
        Answer::unknown(last)
    }

    /// The violation in the smallest instance that has one, if there is one among the small ones.
    fn violation_in_some_size(
        &self,
        scheme: &'m Scheme,
        least: &Sizes,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<(Answer<'_>, Times), InternalError> {
        let mut known = KnownSizes::default();
        for (more, sizes) in growing(self.model().families(), least) {
            let left = limits.budget.left();
            let enough = more > ENOUGH_MORE && left.is_none() || is_over(limits);
            if limits.stop.is_set() || known.open.len() >= MOST_OPEN || enough {
                break;
            }
            if let Some(violated) = self.look_at(scheme, sizes, (spec, engines, limits), &mut known)? {
                return Ok((violated, known.times));
            }
        }
        for sizes in known.take_overtaken() {
            if limits.stop.is_set() || is_over(limits) {
                known.open.push(sizes);
            } else if let Some(violated) = self.look_at(scheme, sizes, (spec, engines, limits), &mut known)? {
                return Ok((violated, known.times));
            }
        }
        Ok((Answer::unknown(Reason::Engine(known.show(self.model()))), known.times))
    }

    /// Verifies an instance; the answer if the spec is violated there.
    fn look_at(
        &self,
        scheme: &'m Scheme,
        sizes: Sizes,
        (spec, engines, limits): (usize, &[Engine], &Limits),
        known: &mut KnownSizes,
    ) -> Result<Option<Answer<'_>>, InternalError> {
        let Some(subject) = self.of_sizes(scheme, &sizes) else { return Ok(None) };
        let _logged = info_span!("instance", name = %self.model().show_sizes(&sizes)).entered();
        info!("begins");
        // The knowledge found by then is worth more than a timeout.
        let time =
            limits.budget.left().map_or(durations::INSTANCE, |left| durations::INSTANCE.min(left.mul_f32(SHARE)));
        let limits = Limits { budget: limits.budget.at_most(time), ..*limits };
        let (answer, took) = subject.decide(&Companions::default(), spec, engines, &limits)?;
        known.times =
            Times { encoding: known.times.encoding + took.encoding, solving: known.times.solving + took.solving };
        match &answer.verdict {
            Verdict::Violated(_) => return Ok(Some(answer.stopping(limits.stop))),
            Verdict::Holds(_) => known.clear.push(sizes),
            _ => known.open.push(sizes),
        }
        Ok(None)
    }
}

/// Why there is no claim for all sizes.
enum SizesGaveUp {
    Unknown(Reason),
    Contradiction(Contradiction),
}

/// True if too little time is left to begin anything.
fn is_over(limits: &Limits) -> bool {
    limits.budget.left().is_some_and(|left| left < durations::LEAST_FOR_SIZES)
}

/// The result of verifying instances one by one.
#[derive(Default)]
struct KnownSizes {
    /// Sizes for which the spec holds,
    clear: Vec<Sizes>,
    /// and those for which it is unknown.
    open: Vec<Sizes>,
    times: Times,
}

impl KnownSizes {
    /// Takes out the unknown sizes below one for which the spec holds: they are worth a second attempt.
    fn take_overtaken(&mut self) -> Vec<Sizes> {
        let clear = &self.clear;
        self.open.extract_if(.., |sizes| clear.iter().any(|larger| is_below(sizes, larger))).collect()
    }

    /// Sizes in a sentence: up to which ones the spec holds, for which further ones, and for which it is unknown.
    fn show(&self, model: &Model) -> String {
        let (further, gapless): (Vec<&Sizes>, Vec<&Sizes>) =
            self.clear.iter().partition(|sizes| self.open.iter().any(|open| is_below(open, sizes)));
        let is_largest = |sizes: &&Sizes| !gapless.iter().any(|other| is_below(sizes, other));
        let largest = gapless.iter().copied().filter(is_largest).collect();
        let mut open: Vec<&Sizes> = self.open.iter().collect();
        open.sort_by_key(|sizes| sizes.iter().sum::<u32>());
        let list = |all: Vec<&Sizes>| {
            all.into_iter().take(MOST_SHOWN).map(|sizes| model.show_sizes(sizes)).collect::<Vec<_>>().join("; ")
        };
        let parts = [("it holds up to ", largest), ("holds for ", further), ("unknown for ", open)];
        let known: Vec<String> = parts
            .into_iter()
            .filter(|(_, sizes)| !sizes.is_empty())
            .map(|(words, sizes)| format!("{words}{}", list(sizes)))
            .collect();
        if known.is_empty() { "no instance was decided".to_owned() } else { known.join("; ") }
    }
}

fn is_below(one: &Sizes, other: &Sizes) -> bool {
    one != other && one.iter().zip(other).all(|(one, other)| one <= other)
}

/// Sizes from the least ones on, the smaller ones first, with how many more members there are.
fn growing<'f>(families: &'f [Family], least: &'f Sizes) -> impl Iterator<Item = (u32, Sizes)> + use<'f> {
    (0..MOST_MORE).flat_map(move |more| with_more(families, least, more).into_iter().map(move |sizes| (more, sizes)))
}

/// The sizes with so many members more than the least ones.
fn with_more(families: &[Family], least: &[u32], more: u32) -> Vec<Sizes> {
    let [family, families @ ..] = families else {
        return if more == 0 { vec![Sizes::new()] } else { Vec::new() };
    };
    let shares = if family.is_given { 0..=0 } else { 0..=more };
    let of_share = |share: u32| {
        let rest = with_more(families, &least[1..], more - share);
        rest.into_iter().map(move |rest| [&[least[0] + share], &rest[..]].concat())
    };
    shares.rev().flat_map(of_share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::of_text::model;

    #[test]
    fn sizes_grow_together() {
        let families = model(
            "agent A init: true receive-guard: false repeat: s: {true} *! (true)()[]
             system = A(a[1..*], true) || A(b[*], true)",
        );
        let sizes: Vec<Sizes> = growing(families.families(), &vec![1, 0]).map(|(_, sizes)| sizes).take(6).collect();
        assert_eq!(sizes, [[1, 0], [2, 0], [1, 1], [3, 0], [2, 1], [1, 2]]);
    }

    #[test]
    fn no_size_is_between_those_for_which_it_holds_up_to() {
        let model = model(
            "agent A init: true receive-guard: false repeat: s: {true} *! (true)()[]
             system = A(a[1..*], true)",
        );
        let known = |clear: &[u32], open: &[u32]| {
            let list = |sizes: &[u32]| sizes.iter().map(|size| vec![*size]).collect();
            KnownSizes { clear: list(clear), open: list(open), times: Times::default() }
        };
        let shown = |clear: &[u32], open: &[u32]| known(clear, open).show(&model);
        let size = |size: u32| model.show_sizes(&[size]);
        assert_eq!(shown(&[], &[]), "no instance was decided");
        assert_eq!(shown(&[1, 2, 3], &[]), format!("it holds up to {}", size(3)));
        assert_eq!(
            shown(&[1, 2, 4], &[5, 3]),
            format!("it holds up to {}; holds for {}; unknown for {}; {}", size(2), size(4), size(3), size(5))
        );
        let mut known = known(&[1, 2, 4], &[3, 5]);
        assert_eq!((known.take_overtaken(), known.open), (vec![vec![3]], vec![vec![5]]));
    }
}
