//! The proof rules for liveness: they turn eventualities that are met infinitely often into bad states.
//!
//! On a violating run no eventuality stays pending for ever, so that each of them is *met*, which is to say not pending, in
//! infinitely many states. A *round* ends in the first state by which each of them was met since the previous round
//! ended. A violating run has infinitely many rounds. So there is no violating run if on every run
//!
//! - **counting**: no more than k rounds end (Claessen and Sorensson, *A liveness checking algorithm that counts*,
//!   FMCAD 2012); or
//! - **ranking**: every step respects the ranking, and no more than k rounds end between two changes of it. A step
//!   respects a list of integers if the first of them that it changes becomes smaller, and was not negative. On such a
//!   run the first one changes finitely often, from then on the second, and so on: from some moment on none changes.
//!
//! Both rules are checked on the reachable states of the system with these additional variables: for each
//! eventuality, whether it was met earlier in this round; for each number from 1 to k, whether that many rounds ended
//! before (for rankings: since the last change of the ranking); and whether some step did not respect the ranking.

use super::negation::{Negation, Passed};
use crate::ts::ranking::Ranking;
use crate::ts::system::{Origin, Parts, System, Variable};
use crate::ts::term::{Term, VarId};
use rustc_hash::FxHashMap;

/// The meaning of a variable that comes after those of the model. All of them are Boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auxiliary {
    /// This is pending.
    Pending(Passed),
    /// An eventuality, by its place among them, was not pending at some moment of this round.
    Met(u32),
    /// A position of the counter, from 0: more rounds ended than that, in all or since the ranking changed last.
    Seen(u32),
    /// A step did not respect the ranking.
    Broken,
}

/// A system with the states that a counterexample visits infinitely often.
#[derive(Clone, Debug)]
pub struct Accepting {
    /// The system.
    pub system: System,
    /// The states.
    pub seen: Term,
}

/// A system in which rounds end.
pub struct Rounds {
    parts: Parts,
    /// That a round ends here.
    ends: Term,
    /// The meanings of the variables that come after those of the model.
    added: Vec<Auxiliary>,
}

impl Rounds {
    /// Of the runs of a negation.
    pub fn new(negation: &Negation) -> Rounds {
        let mut parts = negation.system.clone().into_parts();
        let ends = parts.terms.bool(true);
        let mut rounds = Rounds { parts, ends, added: negation.auxiliaries() };
        rounds.watch(negation.pending_eventualities());
        rounds
    }

    /// The system without a counter, which rankings are about, and the states in which rounds end.
    pub fn unbounded(self) -> Accepting {
        Accepting { system: System::new(self.parts), seen: self.ends }
    }

    /// Remembers which eventualities were met. If there is one only, every state ends a round in which it is met.
    fn watch(&mut self, eventualities: Vec<Term>) {
        if let [pending] = eventualities[..] {
            self.ends = self.parts.terms.not(pending);
            return;
        }
        let mut met = Vec::new();
        for (place, pending) in (0..).zip(eventualities) {
            let (before, id) = self.variable(Auxiliary::Met(place));
            let now = self.parts.terms.not(pending);
            met.push((id, self.parts.terms.or([before, now])));
        }
        self.ends = self.parts.terms.and(met.iter().map(|(_, met)| *met));
        let goes_on = self.parts.terms.not(self.ends);
        for (id, met) in met {
            let next = self.parts.terms.and([met, goes_on]);
            self.parts.becomes(id, next);
        }
    }

    /// The system with a counter, and its bad states.
    pub fn bounded(mut self, counted: usize, ranking: &Ranking) -> (System, Term, Vec<Auxiliary>) {
        let mut memo = FxHashMap::default();
        let components =
            ranking.components.iter().map(|&term| self.parts.terms.import(&ranking.terms, term, &mut memo));
        let components: Vec<Term> = components.collect();
        let (changes, disrespects) = self.step(&components);
        let stays = self.parts.terms.not(changes);
        let mut before = self.parts.terms.bool(true);
        for number in 0..counted {
            let reached = self.parts.terms.and([before, self.ends]);
            let (seen, id) = self.variable(Auxiliary::Seen(number as u32));
            let next = self.parts.terms.or([seen, reached]);
            let next = self.parts.terms.and([next, stays]);
            self.parts.becomes(id, next);
            before = seen;
        }
        let mut bad = self.parts.terms.and([before, self.ends]);
        if !components.is_empty() {
            let (broken, id) = self.variable(Auxiliary::Broken);
            let next = self.parts.terms.or([broken, disrespects]);
            self.parts.becomes(id, next);
            bad = self.parts.terms.or([bad, broken]);
        }
        (System::new(self.parts), bad, self.added)
    }

    /// That a step changes the ranking, and that it does not respect it.
    fn step(&mut self, ranking: &[Term]) -> (Term, Term) {
        let mut changes = self.parts.terms.bool(false);
        let mut disrespects = self.parts.terms.bool(false);
        let mut memo = FxHashMap::default();
        for &component in ranking {
            let after = self.parts.after(component, &mut memo);
            let terms = &mut self.parts.terms;
            let zero = terms.int(0);
            let (larger, negative, same) =
                (terms.lt(component, after), terms.lt(component, zero), terms.eq(component, after));
            let (first, differs) = (terms.not(changes), terms.not(same));
            let wrong = terms.or([larger, negative]);
            let wrong = terms.and([first, differs, wrong]);
            disrespects = terms.or([disrespects, wrong]);
            changes = terms.or([changes, differs]);
        }
        (changes, disrespects)
    }

    /// A variable that is false at first.
    fn variable(&mut self, stands_for: Auxiliary) -> (Term, VarId) {
        let is_counter = |variable: &&Variable| matches!(variable.origin, Origin::Counter(_));
        let counters = self.parts.variables.iter().filter(is_counter).count() as u32;
        self.added.push(stands_for);
        self.parts.add_flag(format!("counter-{counters}"), Origin::Counter(counters), false)
    }
}
