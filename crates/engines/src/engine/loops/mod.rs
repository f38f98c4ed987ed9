//! Long counterexamples to safety, by loops that are taken as single steps.
//!
//! Random runs find loops, with a constant effect on integers ([`segment`], [`walk`]). A system that can repeat each
//! of them any number of times in one step ([`accelerated`]) is then unrolled, as in bounded model checking, and a run of a few
//! such steps to a bad state becomes one of the system, with millions of steps if need be. Runs to events that no random run
//! took are searched for as well, so that other loops are found from there. Proves nothing.
//!
//! Kroening, Lewis, Weissenbacher, *Under-approximating loops in C programs for fast counterexample detection* (CAV 2013);
//! Frohn, Giesl, *Integrating loop acceleration into bounded model checking* (FM 2024). The words for loops that repeat one
//! segment are from Finkel, Leroux, *How to compose Presburger-accelerations* (FSTTCS 2002).

mod accelerated;
mod segment;
#[cfg(test)]
mod tests;
mod walk;

use super::{Config, Engine, Prover, SafetyQuestion};
use crate::claim::{SafetyClaim, Trace};
use crate::limits::Reason;
use crate::smt::Literal;
use crate::ts::system::Variable;
use crate::words::count;
use accelerated::Accelerated;
use std::ops::Range;
use tracing::info;
use walk::{Items, Walks};

/// The longest runs that are claimed. Each step of a counterexample takes memory where it is replayed.
const LONGEST: u64 = 1 << 21;

/// The number of random runs before anything else, and after a run to a new event.
const WALKS: usize = 8;

/// Without loops the random runs go on only if they have shortcuts of so many steps.
const LONG_SHORTCUT: u64 = 32;

/// The most steps and loops that a run of the accelerated system has.
const DEPTH: usize = 12;

/// The engine.
pub struct Loops;

impl Prover for Loops {
    fn engine(&self) -> Engine {
        Engine::Loops
    }

    fn run(&self, question: SafetyQuestion, config: Config) -> SafetyClaim {
        search(question, config).unwrap_or_else(SafetyClaim::Unknown)
    }
}

fn search(question: SafetyQuestion, config: Config) -> Result<SafetyClaim, Reason> {
    let SafetyQuestion { system, bad, .. } = question;
    if system.variables().iter().any(Variable::is_free) {
        return Err(Reason::Engine("loops are not looked for where a step has free values".to_owned()));
    }
    let mut search = Search { question, config, walks: Walks::new(system, bad, LONGEST, config.budget) };
    match search.run()? {
        Some(items) => Ok(SafetyClaim::Reached(Some(search.trace(&items)))),
        None => {
            Err(Reason::Engine(format!("{} found, none leads to a bad state", count(search.walks.loops.len(), "loop"))))
        }
    }
}

struct Search<'q, 'c> {
    question: SafetyQuestion<'q>,
    config: Config<'c>,
    walks: Walks<'q>,
}

/// The end of the search with some loops.
enum End {
    /// A bad state is reached.
    Bad(Items),
    /// There are more loops now.
    Learned,
    /// No bad state within [`DEPTH`] steps and loops.
    Clear,
}

impl Search<'_, '_> {
    /// A run to a bad state, if it finds one.
    fn run(&mut self) -> Result<Option<Items>, Reason> {
        let starts = 0..self.walks.starts();
        if let Some(items) = self.walk_from(starts)? {
            return Ok(Some(items));
        }
        while !self.walks.loops.is_empty() {
            match self.unroll()? {
                End::Bad(items) => return Ok(Some(items)),
                End::Learned => info!("{} loops", self.walks.loops.len()),
                End::Clear => break,
            }
        }
        Ok(None)
    }

    /// Random runs that begin at some of the starts in turn; more, as long as their shortcuts get longer.
    fn walk_from(&mut self, starts: Range<usize>) -> Result<Option<Items>, Reason> {
        let mut longest = LONG_SHORTCUT;
        while !starts.is_empty() {
            for number in 0..WALKS {
                self.go_on()?;
                let found = self.walks.walk(starts.start + number % starts.len(), number % 2 == 0);
                if found.is_some() {
                    return Ok(found);
                }
            }
            if self.walks.longest_shortcut() <= longest {
                break;
            }
            longest = self.walks.longest_shortcut();
        }
        Ok(None)
    }

    fn go_on(&self) -> Result<(), Reason> {
        match (self.config.stop.is_set(), self.config.budget.is_over()) {
            (true, _) => Err(Reason::Interrupted),
            (false, true) => Err(Reason::Timeout),
            (false, false) => Ok(()),
        }
    }

    /// Looks for a run with the loops that are known, until there are more.
    fn unroll(&mut self) -> Result<End, Reason> {
        let SafetyQuestion { system, bad, .. } = self.question;
        let Config { budget, stop, progress } = self.config;
        let accelerated = Accelerated::new(&self.walks.segments, system, &self.walks.loops, LONGEST);
        let mut unrolling = accelerated.unrolling();
        let known = self.walks.loops.len();
        for depth in 0..=DEPTH {
            if depth > 0 {
                accelerated.extend(&mut unrolling);
            }
            let is_bad = unrolling.literal(depth, bad);
            let found = accelerated.run_to(&mut unrolling, &is_bad, &mut self.walks.segments, (budget, stop))?;
            if let Some(items) = found {
                return Ok(End::Bad(items));
            }
            unrolling.add(&is_bad.not());
            progress(depth);
            info!("no bad state after {depth} steps and loops");
            let Some(last) = depth.checked_sub(1) else { continue };
            // The last event is the stutter.
            let events = (0..system.events().len() - 1).filter(|event| !self.walks.taken.contains(event));
            let events: Vec<Literal> =
                events.map(|event| accelerated.takes_event(&mut unrolling, last, event)).collect();
            let Some(model) = unrolling.check_until(&[Literal::or(events)], budget, stop)? else { continue };
            let items = accelerated.items(&unrolling, &model, &mut self.walks.segments)?;
            info!("a run of {} steps and loops to a new event", items.items.len());
            let start = self.walks.add_start(items);
            if let Some(items) = self.walk_from(start..start + 1)? {
                return Ok(End::Bad(items));
            }
            if self.walks.loops.len() > known {
                return Ok(End::Learned);
            }
        }
        Ok(End::Clear)
    }

    fn trace(&self, Items { initial, items }: &Items) -> Trace {
        let mut choices = Vec::new();
        items.iter().for_each(|&item| self.walks.segments.expand(item, &mut choices));
        Trace { initial: self.question.system.by_instance(initial.clone()), choices, loop_start: None }
    }
}
