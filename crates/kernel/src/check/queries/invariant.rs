//! The queries whether an invariant is inductive, and whether it excludes the bad states.
//!
//! An inductive invariant holds initially, and every step from a state where it holds leads to one where it holds. A
//! k-inductive one holds in the first k states of every run, and after any k consecutive states that satisfy it and
//! differ pairwise; they may be assumed to differ, because a shortest run to a state that violates it repeats none. No
//! bad state satisfies the invariant.

use super::Query;
use super::script::{Choice, Context, Frame, Script};
use crate::claim::Invariant;
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::smtlib::write::application;
use crate::ts::system::System;
use crate::ts::term::Term;

/// Is an invariant one?
#[derive(Clone, Copy)]
pub struct InvariantQueries<'a> {
    /// Of which system.
    pub system: &'a System,
    /// The names of its variables.
    pub symbols: &'a Symbols,
    /// The states that it has to exclude, or the steps.
    pub bad: Term,
    /// The invariant, in an arena that grew out of the system's.
    pub invariant: &'a Invariant,
}

impl<'a> InvariantQueries<'a> {
    fn context(&self) -> Context<'a> {
        Context { system: self.system, terms: &self.invariant.terms, symbols: self.symbols }
    }

    /// All that has to be refuted.
    pub fn queries(&self) -> [Query; 3] {
        [self.initial(), self.inductive(), self.safe()]
    }

    /// Is there a run on which the invariant is violated in one of the first k states?
    pub fn initial(&self) -> Query {
        let (k, init) = (self.invariant.k, self.system.init());
        let mut script = self.script(&match k {
            1 => "Is there an initial state that violates the invariant?".to_owned(),
            _ => format!("Is the invariant violated within the first {k} states of a run?"),
        });
        let roots = |frame| if frame == 0 { init } else { &[] };
        let frames: Vec<Frame> =
            (0..k).map(|frame| self.frame(&mut script, frame, roots(frame), frame + 1 < k)).collect();
        let initial = [script.domains(&frames[0]), frames[0].terms(init)].concat();
        script.assert_all("state 0 is an initial state", &initial);
        frames.windows(2).for_each(|pair| script.update(&pair[0], &pair[1]));
        // A state that no step leaves counts like any other.
        let mut steps = Vec::new();
        let violated = frames.iter().enumerate().map(|(number, frame)| {
            if let Some(before) = number.checked_sub(1) {
                steps.extend(script.possible(&frames[before]));
            }
            let invariant = application("and", &self.invariant(&script, frame));
            application("and", &[&steps[..], &[application("not", &[invariant])]].concat())
        });
        let violated: Vec<String> = violated.collect();
        script.assert_any("the invariant is violated there, or after steps that are possible", &violated);
        Query { name: "initial", script: script.finish(), fault: "an initial state violates the invariant" }
    }

    /// Is there a step from a state that satisfies the invariant to one that does not?
    pub fn inductive(&self) -> Query {
        let k = self.invariant.k;
        let mut script = self.script(&match k {
            1 => "Does a step lead from a state that satisfies the invariant to one that does not?".to_owned(),
            _ => format!("Do steps through {k} different states that satisfy the invariant lead to one that does not?"),
        });
        let frames: Vec<Frame> = (0..=k).map(|frame| self.frame(&mut script, frame, &[], frame < k)).collect();
        for (number, frame) in frames[..k].iter().enumerate() {
            let invariant = self.invariant(&script, frame);
            script.assert_all(&format!("state {number} satisfies the invariant"), &invariant);
            frames[..number].iter().for_each(|earlier| script.different(earlier, frame));
            script.step(frame, &frames[number + 1]);
        }
        let invariant = self.invariant(&script, &frames[k]);
        script.assert_not_all(&format!("state {k} does not"), &invariant);
        Query { name: "inductive", script: script.finish(), fault: "a step leads out of the invariant" }
    }

    /// Is there a bad state, or a bad step from a state, that satisfies the invariant?
    pub fn safe(&self) -> Query {
        let takes_step = !self.invariant.terms.is_of_state(self.bad);
        let mut script = self.script(match takes_step {
            true => "Is there a bad step from a state that satisfies the invariant?",
            false => "Is there a bad state that satisfies the invariant?",
        });
        let frame = self.frame(&mut script, 0, &[self.bad], takes_step);
        let invariant = self.invariant(&script, &frame);
        script.assert_all("the state satisfies the invariant", &invariant);
        if takes_step {
            script.assert_all("a step: one event happens", &script.possible(&frame));
        }
        script.assert_all(if takes_step { "which is bad" } else { "and is bad" }, &[frame.term(self.bad)]);
        Query { name: "safe", script: script.finish(), fault: "a bad state satisfies the invariant" }
    }

    /// All terms that a state of a script may need.
    fn frame(&self, script: &mut Script<'a>, number: usize, also: &[Term], steps: bool) -> Frame<'a> {
        let step_terms = if steps { self.context().step_terms() } else { Vec::new() };
        let terms = [also, &self.invariant.clauses, &step_terms].concat();
        script.frame(number, &terms, if steps { Choice::Any } else { Choice::None })
    }

    /// Ranges and clauses.
    fn invariant(&self, script: &Script, frame: &Frame) -> Vec<String> {
        [script.domains(frame), frame.terms(&self.invariant.clauses)].concat()
    }

    /// An empty script, in the logic of everything that may occur.
    fn script(&self, asked: &str) -> Script<'a> {
        let context = self.context();
        let own = self.system.init().iter().chain(&self.invariant.clauses).chain([&self.bad]).copied();
        Script::new(context, asked, context.logic(context.step_terms().into_iter().chain(own)))
    }
}
