//! Reachable states, and shortest ways between states.

use crate::diagrams::{Set, Space, Step, Steps, and, or, without};
use crate::limits::{Reason, tick};
use crate::model::Value;
use crate::ts::system::{EVENT, System};
use crate::ts::term::VarId;
use tracing::info;

/// The steps of a system.
pub struct Search<'s> {
    /// Its bits.
    pub space: &'s Space,
    /// Its initial states and steps.
    pub steps: Steps,
}

/// A beginning of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// Its states.
    pub states: Vec<Vec<Value>>,
    /// The inputs of the steps between them.
    pub inputs: Vec<Vec<u32>>,
}

impl Way {
    /// Without steps.
    pub fn at(state: Vec<Value>) -> Way {
        Way { states: vec![state], inputs: Vec::new() }
    }

    /// The last state.
    pub fn end(&self) -> &Vec<Value> {
        self.states.last().expect("a way has a state")
    }

    /// With what comes next, from its last state on.
    pub fn extend(&mut self, next: Way) {
        self.states.extend(next.states.into_iter().skip(1));
        self.inputs.extend(next.inputs);
    }

    /// Its first steps.
    pub fn up_to(&self, position: usize) -> Way {
        Way { states: self.states[..=position].to_vec(), inputs: self.inputs[..position].to_vec() }
    }
}

/// A set with all that comes of it again and again.
pub fn closure(start: Set, next: impl Fn(&Set) -> Set) -> Set {
    let (mut all, mut new) = (start.clone(), start);
    while !new.is_false() {
        tick();
        new = without(&next(&new), &all);
        all = or(&all, &new);
    }
    all
}

/// The set at which a function of sets comes to rest, from this one on.
pub fn fixpoint(mut set: Set, next: impl Fn(&Set) -> Set) -> Set {
    loop {
        tick();
        let after = next(&set);
        if after == set {
            return set;
        }
        set = after;
    }
}

/// The first set, then what each step adds, up to the first one that meets a goal; and where it does. Nothing if none does.
pub fn layers(first: Set, goal: &Set, next: impl Fn(&Set) -> Set) -> Option<(Vec<Set>, Set)> {
    let (mut visited, mut layers) = (first.clone(), vec![first]);
    loop {
        tick();
        let last = layers.last().expect("the first one");
        let there = and(last, goal);
        if !there.is_false() {
            return Some((layers, there));
        }
        let new = without(&next(last), &visited);
        if new.is_false() {
            return None;
        }
        visited = or(&visited, &new);
        layers.push(new);
    }
}

impl<'s> Search<'s> {
    /// Of a system.
    pub fn new(system: &System, space: &'s Space) -> Result<Search<'s>, Reason> {
        let mut steps = Steps::new(system, space)?;
        let first = |step: &Step| space.first_level(&step.changed);
        steps.list.sort_by_key(first);
        info!("{} relations of {} parts", steps.list.len(), steps.list.iter().map(Step::size).sum::<usize>());
        Ok(Search { space, steps })
    }

    /// The reachable states.
    pub fn reachable(&self, progress: &dyn Fn(usize)) -> Set {
        let mut set = self.steps.initial.clone();
        let mut new = set.clone();
        let moving: Vec<&Step> = self.steps.list.iter().filter(|step| !step.changed.is_empty()).collect();
        for round in 1.. {
            let before = set.clone();
            set = match &moving[..] {
                // From the new states alone, if they are the smaller diagram.
                [step] => or(&set, &step.image(if new.size() < set.size() { &new } else { &set })),
                _ => {
                    let grow = |set: Set, step: &&Step| or(&set, &step.image(&set));
                    let set = moving.iter().fold(set, grow);
                    moving.iter().rev().fold(set, grow)
                }
            };
            info!("round {round}: {} nodes, {} states", set.size(), self.space.count(&set));
            progress(round);
            new = without(&set, &before);
            if new.is_false() {
                break;
            }
        }
        set
    }

    /// The states after a step from a set.
    pub fn successors(&self, set: &Set) -> Set {
        let none = self.space.constant(false);
        self.steps.list.iter().fold(none, |after, step| or(&after, &step.image(set)))
    }

    /// A shortest way from some states to a goal; all of its states but the last one are in a set. Nothing if there is none.
    pub fn way(&self, starts: &Set, through: &Set, goal: &Set) -> Option<Way> {
        let (layers, there) = layers(starts.clone(), goal, |last| self.successors(&and(last, through)))?;
        let (mut states, mut inputs) = (vec![self.space.some_state(&there)], Vec::new());
        for layer in layers.iter().rev().skip(1) {
            let after = states.last().expect("the last one");
            let only = self.space.only(after);
            let here = and(layer, through);
            let before = |step: &Step| and(&here, &step.preimage(&only));
            let before = self.steps.list.iter().map(before).find(|before| !before.is_false());
            let before = self.space.some_state(&before.expect("a state of the layer before"));
            inputs.push(self.inputs(&before, after, &|_| true));
            states.push(before);
        }
        states.reverse();
        inputs.reverse();
        Some(Way { states, inputs })
    }

    /// The step between two states by one of some relations, which there is.
    pub fn step_if(&self, from: &[Value], to: Vec<Value>, is_meant: &dyn Fn(usize) -> bool) -> Way {
        let inputs = vec![self.inputs(from, &to, is_meant)];
        Way { states: vec![from.to_vec(), to], inputs }
    }

    /// The inputs of a step between two states by one of some relations, which there is.
    fn inputs(&self, from: &[Value], to: &[Value], is_meant: &dyn Fn(usize) -> bool) -> Vec<u32> {
        let only = self.space.only(from);
        let inputs = |(number, step): (usize, &Step)| {
            if !is_meant(number) {
                return None;
            }
            let same =
                |(index, (a, b)): (usize, (&Value, &Value))| a == b || step.changed.contains(&VarId(index as u32));
            if !from.iter().zip(to).enumerate().all(same) {
                return None;
            }
            let choices = step.choices(&and(&only, &self.space.are(&step.changed, to, true)));
            if choices.is_false() {
                return None;
            }
            let mut inputs = self.space.some_inputs(&choices);
            inputs[EVENT.0 as usize] = step.event as u32;
            Some(inputs)
        };
        self.steps.list.iter().enumerate().find_map(inputs).expect("a step")
    }
}
