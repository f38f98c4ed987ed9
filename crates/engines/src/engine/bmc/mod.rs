//! Bounded model checking of LTL: the shortest counterexample, or clear up to a depth.
//!
//! The linear, incremental encoding of Biere, Heljanko, Junttila, Latvala and Schuppan (*Linear
//! encodings of bounded LTL model checking*, LMCS 2(5:5), 2006), adapted to labels on steps: with
//! `k` steps there are states `s_0..s_k` and events at positions `0..k`. A counterexample is
//!
//! - a *prefix*: what was seen up to `s_k` violates the property however the run goes on, or
//! - a *lasso*: `s_k` equals some `s_l` with `l < k` on all variables of the cone of influence, integers
//!   included.
//!
//! For safety properties only prefixes are searched: each violation has one, though perhaps with more steps than a
//! lasso.
//!
//! Obligations are one-way: a bit that promises a formula implies the formula, but not conversely. Only formulas that
//! are passed on to the next position have bits: untils, releases and the bodies of `X`. Conditions about the end of
//! the run are guarded by an assumption per bound; everything else stays in the solver from bound to bound.
//!
//! If a negation has `F f` at its root, a position where `f` holds is the end of a counterexample. So once a depth is
//! clear, the solver is told that `f` holds at no position up to there: a lemma that cut the time of the hardest
//! safety specs in `specs/` to a tenth or less.
//!
//! Deliberately absent: completeness thresholds. A finished search is "clear up to depth K", also
//! where K happens to suffice for a proof.
//!
//! Runs on which integers grow for ever have no lasso. If there are unbounded integers, loops that close on all other
//! variables are examined as well (`rounds`): each of them may be a round that repeats for ever.

mod rounds;

use super::recurrent::Recurrence;
use crate::claim::recurrent::RecurrentRun;
use crate::claim::{Claim, Trace};
use crate::limits::{Budget, Reason, Stop, tick};
use crate::property::Property;
use crate::property::ltl::{Ltl, LtlId, LtlNode};
use crate::smt::encode::{Encoded, Frame};
use crate::smt::unroll::{TooManyValues, Unrolling, integer_theory};
use crate::smt::{Literal, Model, Theory};
use crate::ts::system::{Domain, System};
use crate::ts::term::{Terms, VarId};
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tracing::info;

/// How far to search.
#[derive(Clone, Copy)]
pub struct Config<'a> {
    /// The largest number of steps.
    pub bound: usize,
    /// How long it may take.
    pub budget: Budget,
    /// Set by others to stop the search.
    pub stop: &'a Stop<'a>,
    /// Variables that a loop must close on besides the cone of the property.
    pub also_close: &'a [VarId],
    /// For runs without a lasso, if there can be any.
    pub recurrence: Option<&'a Recurrence>,
    /// Told the depth whenever it is clear.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// The time that parts of the search took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Building formulas and telling them to the solver.
    pub encoding: Duration,
    /// Waiting for answers.
    pub solving: Duration,
}

/// Searches for the shortest counterexample to any part of a property. Needs a Z3 context
/// ([`crate::smt::with_context`]).
pub fn run(system: &System, property: &Property, config: Config) -> (Claim, Times) {
    let start = Instant::now();
    let mut solving = Duration::ZERO;
    let claim = search(system, property, config, &mut solving);
    (claim, Times { encoding: start.elapsed().saturating_sub(solving), solving })
}

/// First with listed values only; where a counter outgrows them, again with integers of the solver.
fn search(system: &System, property: &Property, config: Config, solving: &mut Duration) -> Claim {
    let theory = Unrolling::theory_for(system);
    let mut clear = None;
    if let Ok(claim) = search_in(theory, system, property, config, solving, &mut clear) {
        return claim;
    }
    let theory = integer_theory(system);
    let claim = search_in(theory, system, property, config, solving, &mut clear);
    claim.expect("integers have all values")
}

/// Searches the depths that are not clear yet.
fn search_in(
    theory: Theory,
    system: &System,
    property: &Property,
    config: Config,
    solving: &mut Duration,
    clear: &mut Option<usize>,
) -> Result<Claim, TooManyValues> {
    let mut search = Bmc::new(system, property, theory, config.also_close);
    for depth in 0..=config.bound {
        if depth > 0 {
            search.extend()?;
        }
        if clear.is_some_and(|clear| depth <= clear) {
            search.avoid();
            continue;
        }
        let asked = Instant::now();
        let found = search.counterexample(config);
        *solving += asked.elapsed();
        let interrupted = config.stop.is_set();
        match found {
            _ if interrupted => return Ok(Claim::Unknown { clear: *clear, reason: Reason::Interrupted }),
            Ok(None) => {}
            Ok(Some(Violation::Run(trace))) => return Ok(Claim::Violated { trace }),
            Ok(Some(Violation::Recurrent(run))) => return Ok(Claim::Recurrent { run, clear: *clear }),
            Err(reason) => return Ok(Claim::Unknown { clear: *clear, reason }),
        }
        search.avoid();
        *clear = Some(depth);
        (config.progress)(depth);
        info!("depth {depth}: no counterexample");
    }
    Ok(Claim::Clear { depth: config.bound })
}

/// A counterexample.
enum Violation {
    /// A prefix or a lasso.
    Run(Trace),
    /// A run on which no state recurs.
    Recurrent(Box<RecurrentRun>),
}

/// The conditions about the end of the run at one bound.
struct EndConditions {
    /// Assumed while the run ends here.
    here: Literal,
    /// The run is a lasso.
    looping: Literal,
    /// The loop closes on unbounded integers as well.
    exact: Literal,
}

/// An until whose promise must come true inside of the loop.
struct Eventuality {
    until: LtlId,
    /// Per position: the promise came true inside of the loop, before it.
    fulfilled: Vec<Literal>,
}

/// The encoding of loops; safety properties do without.
struct Loops {
    /// The state that the loop starts with, again: of these variables ...
    known: Vec<VarId>,
    /// ... as unknowns,
    start: Frame,
    /// and of the others as far as values of theirs were met.
    listed: FxHashMap<VarId, BTreeMap<IBig, Literal>>,
    /// The obligations at the start of the loop, again.
    promises: FxHashMap<LtlId, Literal>,
    /// Per position: the loop starts here.
    starts_here: Vec<Literal>,
    /// Per position: the loop started here or before.
    inside: Vec<Literal>,
    eventualities: Vec<Eventuality>,
}

impl Loops {
    /// `unless`, which may depend on the variable, or: the state at a position is the one that the loop
    /// starts with.
    fn starts_with(&mut self, unrolling: &Unrolling, position: usize, unless: impl Fn(VarId) -> Literal) {
        for &id in &self.known {
            let when = |clause: Literal| unrolling.add(&Literal::or([unless(id), clause]));
            equal(unrolling.variable(position, id), self.start.variable(id)).into_iter().for_each(when);
        }
        for (id, values) in &mut self.listed {
            let when = |clause: Literal| unrolling.add(&Literal::or([unless(*id), clause]));
            let Encoded::Cases(cases) = unrolling.variable(position, *id) else {
                unreachable!("without integers every value is listed")
            };
            for (value, condition) in cases.iter() {
                if !values.contains_key(value) {
                    let again = Literal::fresh("again");
                    for other in values.values() {
                        unrolling.add(&Literal::or([again.not(), other.not()]));
                    }
                    values.insert(value.clone(), again);
                }
                when(condition.implies(&values[value]));
            }
        }
    }
}

struct Bmc<'s> {
    property: &'s Property,
    unrolling: Unrolling<'s>,
    /// The variables of the cone that may grow for ever.
    unbounded: Vec<VarId>,
    /// The formulas that have bits, children first.
    promised: Vec<LtlId>,
    /// Per position, the bits.
    bits: Vec<FxHashMap<LtlId, Literal>>,
    /// Formulas that may not become true on a run, because that alone would be a counterexample, and after how many
    /// steps it shows.
    avoided: Vec<(LtlId, usize)>,
    loops: Option<Loops>,
    shared: SharedEncodings,
}

/// The encodings of formulas at one position: those that several others contain are encoded once.
#[derive(Default)]
struct SharedEncodings {
    position: usize,
    /// Also by whether the run ends there.
    known: FxHashMap<(LtlId, bool), Literal>,
}

impl<'s> Bmc<'s> {
    fn new(system: &'s System, property: &'s Property, theory: Theory, also_close: &[VarId]) -> Bmc<'s> {
        let promised = promised(property);
        let atoms = property.parts.iter().flat_map(|part| property.ltl.subformulas(part.negation));
        let atoms = atoms.filter_map(|id| match property.ltl.node(id) {
            LtlNode::Atom(term) | LtlNode::StepAtom(term) => Some(*term),
            LtlNode::And(_) | LtlNode::Or(_) | LtlNode::Next(_) | LtlNode::Until(..) | LtlNode::Release(..) => None,
        });
        let cone = system.cone(atoms, also_close);
        let grows = |id: &VarId| system.variable(*id).domain == Domain::Unbounded;
        let unbounded = cone.iter().copied().filter(grows).collect();
        let unrolling = Unrolling::new(system, cone, theory);
        let terms = system.terms();
        let avoided = property.parts.iter().flat_map(|part| avoided(&property.ltl, terms, part.negation)).collect();
        let (bits, loops, shared) = (Vec::new(), None, SharedEncodings::default());
        let mut bmc = Bmc { property, unrolling, unbounded, promised, bits, avoided, loops, shared };
        if property.parts.iter().any(|part| !property.ltl.is_cosafe(part.negation)) {
            bmc.loops = Some(bmc.new_loops());
        }
        bmc.bits.push(bmc.fresh_bits());
        let roots = property.parts.iter().map(|part| bmc.bits[0][&part.negation].clone());
        bmc.unrolling.add(&Literal::or(roots));
        bmc
    }

    fn new_loops(&self) -> Loops {
        let untils = self.promised.iter().filter(|&&id| matches!(self.property.ltl.node(id), LtlNode::Until(..)));
        let (known, start) = self.unrolling.free_state();
        let others = self.unrolling.cone().iter().filter(|id| !known.contains(id));
        Loops {
            listed: others.map(|&id| (id, BTreeMap::new())).collect(),
            known,
            start,
            promises: self.fresh_bits(),
            starts_here: Vec::new(),
            inside: Vec::new(),
            eventualities: untils.map(|&until| Eventuality { until, fulfilled: vec![Literal::FALSE] }).collect(),
        }
    }

    fn fresh_bits(&self) -> FxHashMap<LtlId, Literal> {
        self.promised.iter().map(|&id| (id, Literal::fresh("promise"))).collect()
    }

    /// Adds a step, and what the obligations at its source mean.
    fn extend(&mut self) -> Result<(), TooManyValues> {
        let position = self.unrolling.depth();
        self.unrolling.extend()?;
        self.bits.push(self.fresh_bits());
        for id in self.promised.clone() {
            let meaning = self.unfolded(id, position);
            self.unrolling.add(&self.bits[position][&id].implies(&meaning));
        }
        if self.loops.is_some() {
            self.extend_loops(position);
        }
        Ok(())
    }

    /// The demand of a promised formula at a position that has a step.
    fn unfolded(&mut self, id: LtlId, position: usize) -> Literal {
        match *self.property.ltl.node(id) {
            LtlNode::Until(a, b) => {
                let (now, before) = (self.holds(b, position), self.holds(a, position));
                Literal::or([now, Literal::and([before, self.bits[position + 1][&id].clone()])])
            }
            LtlNode::Release(a, b) => {
                let (released, always) = (self.holds(a, position), self.holds(b, position));
                Literal::and([always, Literal::or([released, self.bits[position + 1][&id].clone()])])
            }
            LtlNode::Atom(_) | LtlNode::StepAtom(_) | LtlNode::And(_) | LtlNode::Or(_) | LtlNode::Next(_) => {
                self.holds(id, position)
            }
        }
    }

    /// A formula at a position, encoded by `encode` unless it was before.
    fn once(
        &mut self,
        (id, ends): (LtlId, bool),
        position: usize,
        encode: fn(&mut Self, LtlId, usize) -> Literal,
    ) -> Literal {
        if self.shared.position != position {
            self.shared = SharedEncodings { position, ..SharedEncodings::default() };
        }
        if let Some(known) = self.shared.known.get(&(id, ends)) {
            return known.clone();
        }
        tick();
        let literal = encode(self, id, position);
        self.shared.known.insert((id, ends), literal.clone());
        literal
    }

    /// A formula at a position that has a step, in terms of bits here and at the next position.
    fn holds(&mut self, id: LtlId, position: usize) -> Literal {
        self.once((id, false), position, Self::encoded)
    }

    fn encoded(&mut self, id: LtlId, position: usize) -> Literal {
        match self.property.ltl.node(id).clone() {
            LtlNode::Atom(term) | LtlNode::StepAtom(term) => self.unrolling.literal(position, term),
            LtlNode::And(list) => Literal::and(list.iter().map(|&x| self.holds(x, position))),
            LtlNode::Or(list) => Literal::or(list.iter().map(|&x| self.holds(x, position))),
            LtlNode::Next(a) => self.bits[position + 1][&a].clone(),
            LtlNode::Until(..) | LtlNode::Release(..) => self.bits[position][&id].clone(),
        }
    }

    /// A formula at the last position of a prefix: true only if no continuation can change it.
    fn holds_finally(&mut self, id: LtlId, position: usize) -> Literal {
        self.once((id, true), position, Self::encoded_finally)
    }

    fn encoded_finally(&mut self, id: LtlId, position: usize) -> Literal {
        match self.property.ltl.node(id).clone() {
            LtlNode::Atom(term) => self.unrolling.literal(position, term),
            LtlNode::And(list) => Literal::and(list.iter().map(|&x| self.holds_finally(x, position))),
            LtlNode::Or(list) => Literal::or(list.iter().map(|&x| self.holds_finally(x, position))),
            LtlNode::StepAtom(_) | LtlNode::Next(_) => Literal::FALSE,
            LtlNode::Until(_, b) => self.holds_finally(b, position),
            LtlNode::Release(a, b) => {
                let (a, b) = (self.holds_finally(a, position), self.holds_finally(b, position));
                Literal::and([a, b])
            }
        }
    }

    /// The loop may start at a position, and eventualities may come true there.
    fn extend_loops(&mut self, position: usize) {
        let starts_here = Literal::fresh("loop");
        let mut loops = self.loops.take().expect("only called with loops");
        let before = loops.inside.last().cloned().unwrap_or(Literal::FALSE);
        self.unrolling.add(&Literal::or([starts_here.not(), before.not()]));
        let inside = Literal::or([starts_here.clone(), before]);
        loops.starts_with(&self.unrolling, position, |_| starts_here.not());
        for (id, again) in &loops.promises {
            let promise = Literal::or([starts_here.not(), again.not(), self.bits[position][id].clone()]);
            self.unrolling.add(&promise);
        }
        loops.starts_here.push(starts_here);
        loops.inside.push(inside.clone());
        for Eventuality { until, fulfilled } in &mut loops.eventualities {
            let LtlNode::Until(_, b) = *self.property.ltl.node(*until) else { unreachable!("an until") };
            let here = Literal::and([inside.clone(), self.holds(b, position)]);
            let cause = Literal::or([fulfilled[position].clone(), here]);
            fulfilled.push(Literal::fresh("fulfilled"));
            self.unrolling.add(&fulfilled[position + 1].implies(&cause));
        }
        self.loops = Some(loops);
    }

    /// The conditions for a run that ends at the present depth; if it loops, unbounded integers may differ
    /// where `may_grow` says so.
    fn end(&mut self, may_grow: bool) -> EndConditions {
        let depth = self.unrolling.depth();
        let here = Literal::fresh("end");
        let can_loop = self.loops.is_some() && depth > 0;
        let looping = if can_loop { Literal::fresh("looping") } else { Literal::FALSE };
        let exact = if may_grow { Literal::fresh("exact") } else { Literal::TRUE };
        for id in self.promised.clone() {
            let at_end = self.holds_finally(id, depth);
            let bit = self.bits[depth][&id].not();
            self.unrolling.add(&Literal::or([here.not(), looping.clone(), bit, at_end]));
        }
        if can_loop {
            self.end_of_loop(depth, &Literal::or([here.not(), looping.not()]), &exact);
        }
        EndConditions { here, looping, exact }
    }

    /// `not_here` or: the loop closes, its obligations are met at its start, its eventualities inside.
    fn end_of_loop(&mut self, depth: usize, not_here: &Literal, exact: &Literal) {
        let loops = self.loops.as_mut().expect("only called with loops");
        let not_exact = Literal::or([not_here.clone(), exact.not()]);
        let unless = |id| if self.unbounded.contains(&id) { not_exact.clone() } else { not_here.clone() };
        loops.starts_with(&self.unrolling, depth, unless);
        let when = |clause: &Literal| self.unrolling.add(&Literal::or([not_here.clone(), clause.clone()]));
        when(loops.inside.last().expect("a loop has at least one step"));
        for (id, again) in &loops.promises {
            when(&self.bits[depth][id].implies(again));
        }
        for eventuality in &loops.eventualities {
            when(&self.bits[depth][&eventuality.until].implies(&eventuality.fulfilled[depth]));
        }
    }

    /// A counterexample that ends at the present depth.
    fn counterexample(&mut self, config: Config) -> Result<Option<Violation>, Reason> {
        let recurrence = config.recurrence.filter(|_| self.may_grow());
        let end = self.end(recurrence.is_some());
        let found = match recurrence {
            Some(recurrence) => self.search_rounds(&end, recurrence, config.budget)?,
            None => self.run_to(&end, config.budget)?.map(|(trace, _)| Violation::Run(trace)),
        };
        if found.is_none() {
            self.leave(&end);
        }
        Ok(found)
    }

    /// A run that ends so.
    fn run_to(&mut self, end: &EndConditions, budget: Budget) -> Result<Option<(Trace, Model)>, Reason> {
        let Some(model) = self.unrolling.check(std::slice::from_ref(&end.here), budget)? else { return Ok(None) };
        Ok(Some((self.trace(end, &model)?, model)))
    }

    /// The run does not end here.
    fn leave(&self, end: &EndConditions) {
        self.unrolling.add(&end.here.not());
    }

    /// The present depth is clear, so longer runs do not pass what would be a counterexample here.
    fn avoid(&mut self) {
        let depth = self.unrolling.depth();
        for (never, delay) in self.avoided.clone() {
            if let Some(position) = depth.checked_sub(delay) {
                let shown = self.shown(never, position);
                self.unrolling.add(&shown.not());
            }
        }
    }

    /// A formula without temporal operators but `X`, at a position from which enough steps were added.
    fn shown(&mut self, id: LtlId, position: usize) -> Literal {
        match self.property.ltl.node(id).clone() {
            LtlNode::Atom(term) | LtlNode::StepAtom(term) => self.unrolling.literal(position, term),
            LtlNode::And(list) => Literal::and(list.iter().map(|&x| self.shown(x, position))),
            LtlNode::Or(list) => Literal::or(list.iter().map(|&x| self.shown(x, position))),
            LtlNode::Next(a) => self.shown(a, position + 1),
            LtlNode::Until(..) | LtlNode::Release(..) => unreachable!("only what `Ltl::delay` admits is avoided"),
        }
    }

    /// The run that ends here, according to a model.
    fn trace(&mut self, end: &EndConditions, model: &Model) -> Result<Trace, Reason> {
        let loop_start = match &self.loops {
            Some(loops) if model.is_true(&end.looping)? => Some(model.first_true(&loops.starts_here)?),
            _ => None,
        };
        let depth = self.unrolling.depth();
        self.unrolling.trace(model, depth, loop_start)
    }
}

/// The formulas that need bits in any part.
fn promised(property: &Property) -> Vec<LtlId> {
    let mut list: Vec<LtlId> = property.parts.iter().flat_map(|part| property.ltl.passed_on(part.negation)).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Formulas that satisfy the negation of a part wherever they hold: those under an `F` at its root.
fn avoided(ltl: &Ltl, terms: &Terms, negation: LtlId) -> Vec<(LtlId, usize)> {
    match *ltl.node(negation) {
        LtlNode::Or(ref list) => list.iter().flat_map(|&id| avoided(ltl, terms, id)).collect(),
        LtlNode::Until(a, b) if ltl.is(terms, a, true) => ltl.delay(b).map(|delay| (b, delay)).into_iter().collect(),
        LtlNode::Atom(_)
        | LtlNode::StepAtom(_)
        | LtlNode::And(_)
        | LtlNode::Next(_)
        | LtlNode::Until(..)
        | LtlNode::Release(..) => Vec::new(),
    }
}

/// Clauses that say that two unknowns of one variable are equal.
fn equal(a: &Encoded, b: &Encoded) -> Vec<Literal> {
    match (a, b) {
        (Encoded::Cases(a), Encoded::Cases(b)) if a.len() > 2 && a.len() == b.len() => {
            a.iter().zip(b.iter()).map(|((_, a), (_, b))| a.implies(b)).collect()
        }
        (Encoded::Cases(cases), Encoded::Int(_)) => {
            cases.iter().map(|(value, condition)| condition.implies(&b.is(value))).collect()
        }
        _ => vec![a.equals(b)],
    }
}
