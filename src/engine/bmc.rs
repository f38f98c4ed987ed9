//! Bounded model checking of LTL: the shortest counterexample, or clear up to a depth.
//!
//! The linear, incremental encoding of Biere, Heljanko, Junttila, Latvala and Schuppan (*Linear
//! encodings of bounded LTL model checking*, LMCS 2(5:5), 2006), adapted to labels on steps: with
//! `k` steps there are states `s_0..s_k` and events at positions `0..k`. A counterexample is
//!
//! - a *prefix*: what was seen up to `s_k` violates the property however the run goes on, or
//! - a *lasso*: `s_k` equals some `s_l` with `l < k` on all variables of the cone, integers included.
//!
//! Safety properties have prefixes only: each violation of them has one, if perhaps with more steps
//! than a lasso would take.
//!
//! Obligations are one-way: a bit that promises a formula implies it, nothing forces the bit. Only
//! formulas that are passed on to the next position have bits: untils, releases and the bodies of
//! `X`. Conditions about the end of the run are guarded by an assumption per bound; everything else
//! stays in the solver from bound to bound.
//!
//! Deliberately absent: completeness thresholds. A finished search is "clear up to depth K", also
//! where K happens to suffice for a proof; and runs on which integers grow for ever have no lasso.

use crate::claim::Claim;
use crate::property::Property;
use crate::property::ltl::{LtlId, Node};
use crate::smt::encode::{Encoded, Frame};
use crate::smt::unroll::Unrolling;
use crate::smt::{Answer, Budget, Literal};
use crate::ts::system::System;
use crate::ts::term::VarId;
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// How far to search.
#[derive(Clone, Copy)]
pub struct Config<'a> {
    /// The largest number of steps.
    pub bound: usize,
    /// How long it may take.
    pub budget: Budget,
    /// Variables that a loop must close on besides the cone of the property.
    pub also_close: &'a [VarId],
    /// Told the depth whenever it is clear.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// Where the time went.
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

fn search(system: &System, property: &Property, config: Config, solving: &mut Duration) -> Claim {
    let mut search = Bmc::new(system, property, config.also_close);
    let mut clear = None;
    for depth in 0..=config.bound {
        if depth > 0 {
            search.extend();
        }
        let end = search.end();
        for part in 0..property.parts.len() {
            let asked = Instant::now();
            let answer = search.check(part, &end, config.budget);
            *solving += asked.elapsed();
            match answer {
                Answer::Unsat => {}
                Answer::Sat(model) => {
                    let loop_start = search.loop_start(&end, &model);
                    return Claim::Violated { trace: search.unrolling.trace(&model, depth, loop_start) };
                }
                Answer::Unknown(reason) => return Claim::Unknown { clear, reason },
            }
        }
        search.leave(&end);
        clear = Some(depth);
        (config.progress)(depth);
    }
    Claim::Clear { depth: config.bound }
}

/// The conditions about the end of the run at one bound.
struct End {
    /// Assumed while the run ends here.
    here: Literal,
    /// Whether the run is a lasso.
    looping: Literal,
}

/// An until whose promise must come true inside of the loop.
struct Eventuality {
    until: LtlId,
    /// Per position: the promise came true inside of the loop, before it.
    fulfilled: Vec<Literal>,
}

/// What lassos need; safety properties do without.
struct Loops {
    /// The state that the loop starts with, again.
    start: Frame,
    /// The obligations at the start of the loop, again.
    promises: FxHashMap<LtlId, Literal>,
    /// Per position: the loop starts here.
    starts_here: Vec<Literal>,
    /// Per position: the loop started here or before.
    inside: Vec<Literal>,
    eventualities: Vec<Eventuality>,
}

struct Bmc<'s> {
    property: &'s Property,
    unrolling: Unrolling<'s>,
    /// The formulas that have bits, children first.
    promised: Vec<LtlId>,
    /// Per position, the bits.
    bits: Vec<FxHashMap<LtlId, Literal>>,
    loops: Option<Loops>,
}

impl<'s> Bmc<'s> {
    fn new(system: &'s System, property: &'s Property, also_close: &[VarId]) -> Bmc<'s> {
        let promised = promised(property);
        let atoms = property.parts.iter().flat_map(|part| property.ltl.subformulas(part.negation));
        let atoms = atoms.filter_map(|id| match property.ltl.node(id) {
            Node::Atom(term) | Node::StepAtom(term) => Some(*term),
            _ => None,
        });
        let cone = system.cone(atoms, also_close);
        let unrolling = Unrolling::new(system, cone);
        let mut bmc = Bmc { property, unrolling, promised, bits: Vec::new(), loops: None };
        if property.parts.iter().any(|part| !property.ltl.is_cosafe(part.negation)) {
            bmc.loops = Some(bmc.new_loops());
        }
        bmc.bits.push(bmc.fresh_bits());
        bmc
    }

    fn new_loops(&self) -> Loops {
        let untils = self.promised.iter().filter(|&&id| matches!(self.property.ltl.node(id), Node::Until(..)));
        Loops {
            start: self.unrolling.free_state(),
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
    fn extend(&mut self) {
        let position = self.unrolling.depth();
        self.unrolling.extend();
        self.bits.push(self.fresh_bits());
        for index in 0..self.promised.len() {
            let id = self.promised[index];
            let meaning = self.unfolded(id, position);
            self.unrolling.add(&self.bits[position][&id].implies(&meaning));
        }
        if self.loops.is_some() {
            self.extend_loops(position);
        }
    }

    /// What a promised formula demands at a position that has a step.
    fn unfolded(&mut self, id: LtlId, position: usize) -> Literal {
        match *self.property.ltl.node(id) {
            Node::Until(a, b) => {
                let (now, before) = (self.holds(b, position), self.holds(a, position));
                Literal::or([now, Literal::and([before, self.bits[position + 1][&id].clone()])])
            }
            Node::Release(a, b) => {
                let (released, always) = (self.holds(a, position), self.holds(b, position));
                Literal::and([always, Literal::or([released, self.bits[position + 1][&id].clone()])])
            }
            _ => self.holds(id, position),
        }
    }

    /// A formula at a position that has a step, in terms of bits here and at the next position.
    fn holds(&mut self, id: LtlId, position: usize) -> Literal {
        match self.property.ltl.node(id).clone() {
            Node::Atom(term) | Node::StepAtom(term) => self.unrolling.literal(position, term),
            Node::And(list) => Literal::and(list.iter().map(|&x| self.holds(x, position)).collect::<Vec<_>>()),
            Node::Or(list) => Literal::or(list.iter().map(|&x| self.holds(x, position)).collect::<Vec<_>>()),
            Node::Next(a) => self.bits[position + 1][&a].clone(),
            Node::Until(..) | Node::Release(..) => self.bits[position][&id].clone(),
        }
    }

    /// A formula at the last position of a prefix: true only if no continuation can change it.
    fn holds_finally(&mut self, id: LtlId, position: usize) -> Literal {
        match self.property.ltl.node(id).clone() {
            Node::Atom(term) => self.unrolling.literal(position, term),
            Node::And(list) => Literal::and(list.iter().map(|&x| self.holds_finally(x, position)).collect::<Vec<_>>()),
            Node::Or(list) => Literal::or(list.iter().map(|&x| self.holds_finally(x, position)).collect::<Vec<_>>()),
            Node::StepAtom(_) | Node::Next(_) => Literal::FALSE,
            Node::Until(_, b) => self.holds_finally(b, position),
            Node::Release(a, b) => {
                let (a, b) = (self.holds_finally(a, position), self.holds_finally(b, position));
                Literal::and([a, b])
            }
        }
    }

    /// The loop may start at a position, and eventualities may come true there.
    fn extend_loops(&mut self, position: usize) {
        let starts_here = Literal::fresh("loop");
        let loops = self.loops.as_mut().expect("only called with loops");
        let before = loops.inside.last().cloned().unwrap_or(Literal::FALSE);
        self.unrolling.add(&Literal::or([starts_here.not(), before.not()]));
        let inside = Literal::or([starts_here.clone(), before]);
        for &id in self.unrolling.cone() {
            let same = equal(self.unrolling.variable(position, id), loops.start.variable(id));
            same.iter().for_each(|clause| self.unrolling.add(&starts_here.implies(clause)));
        }
        for (id, again) in &loops.promises {
            let promise = Literal::or([starts_here.not(), again.not(), self.bits[position][id].clone()]);
            self.unrolling.add(&promise);
        }
        loops.starts_here.push(starts_here);
        loops.inside.push(inside.clone());
        for index in 0..loops_of(&mut self.loops).eventualities.len() {
            let until = loops_of(&mut self.loops).eventualities[index].until;
            let Node::Until(_, b) = *self.property.ltl.node(until) else { unreachable!("an until") };
            let now = self.holds(b, position);
            let eventuality = &mut loops_of(&mut self.loops).eventualities[index];
            let earlier = eventuality.fulfilled[position].clone();
            let fulfilled = Literal::fresh("fulfilled");
            let cause = Literal::or([earlier, Literal::and([inside.clone(), now])]);
            self.unrolling.add(&fulfilled.implies(&cause));
            eventuality.fulfilled.push(fulfilled);
        }
    }

    /// The conditions for a run that ends at the present depth.
    fn end(&mut self) -> End {
        let depth = self.unrolling.depth();
        let here = Literal::fresh("end");
        let can_loop = self.loops.is_some() && depth > 0;
        let looping = if can_loop { Literal::fresh("looping") } else { Literal::FALSE };
        for index in 0..self.promised.len() {
            let id = self.promised[index];
            let at_end = self.holds_finally(id, depth);
            let bit = self.bits[depth][&id].not();
            self.unrolling.add(&Literal::or([here.not(), looping.clone(), bit, at_end]));
        }
        if can_loop {
            self.end_of_loop(depth, &Literal::or([here.not(), looping.not()]));
        }
        End { here, looping }
    }

    /// `not_here` or: the loop closes, its obligations are met at its start, its eventualities inside.
    fn end_of_loop(&self, depth: usize, not_here: &Literal) {
        let loops = self.loops.as_ref().expect("only called with loops");
        let when = |clause: &Literal| self.unrolling.add(&Literal::or([not_here.clone(), clause.clone()]));
        when(loops.inside.last().expect("a loop has at least one step"));
        for &id in self.unrolling.cone() {
            equal(self.unrolling.variable(depth, id), loops.start.variable(id)).iter().for_each(when);
        }
        for (id, again) in &loops.promises {
            when(&self.bits[depth][id].implies(again));
        }
        for eventuality in &loops.eventualities {
            when(&self.bits[depth][&eventuality.until].implies(&eventuality.fulfilled[depth]));
        }
    }

    fn check(&self, part: usize, end: &End, budget: Budget) -> Answer {
        let root = &self.bits[0][&self.property.parts[part].negation];
        self.unrolling.check(&[end.here.clone(), root.clone()], budget)
    }

    /// The run does not end here.
    fn leave(&self, end: &End) {
        self.unrolling.add(&end.here.not());
    }

    fn loop_start(&self, end: &End, model: &crate::smt::Model) -> Option<usize> {
        let loops = self.loops.as_ref().filter(|_| model.is_true(&end.looping))?;
        loops.starts_here.iter().position(|literal| model.is_true(literal))
    }
}

fn loops_of(loops: &mut Option<Loops>) -> &mut Loops {
    loops.as_mut().expect("only called with loops")
}

/// The formulas that need bits: roots, untils, releases, bodies of `X`.
fn promised(property: &Property) -> Vec<LtlId> {
    let mut list = Vec::new();
    for part in &property.parts {
        list.push(part.negation);
        for id in property.ltl.subformulas(part.negation) {
            match property.ltl.node(id) {
                Node::Until(..) | Node::Release(..) => list.push(id),
                Node::Next(a) => list.push(*a),
                Node::Atom(_) | Node::StepAtom(_) | Node::And(_) | Node::Or(_) => {}
            }
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// Clauses that say that two unknowns of one variable are equal.
fn equal(a: &Encoded, b: &Encoded) -> Vec<Literal> {
    match (a, b) {
        (Encoded::Cases(a), Encoded::Cases(b)) if a.len() > 2 => {
            a.iter().zip(b.iter()).map(|((_, a), (_, b))| a.implies(b)).collect()
        }
        _ => vec![a.equals(b)],
    }
}
