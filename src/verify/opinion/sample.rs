//! Concrete runs of a model, as a second opinion on proofs that rest on its lowering.
//!
//! A proof by a solver is about the transition system that the model was lowered to ([`crate::ts::lower`]), and about
//! what the solver was told of it. A sample depends on neither: its states and steps come from the concrete semantics
//! ([`crate::model::eval`]). First the system is compared with the sample: each initial state of the sample has to be
//! one of the system, and each step of the sample has to be a step of the system with the same successor.
//! [`super`] then evaluates each proof on the sample.
//!
//! The sample is deterministic: some long runs, and then a breadth-first search from their states, up to a limit.

use crate::model::eval::{Semantics, State, Step};
use crate::model::{InstanceId, Model, Type, Value};
use crate::ts::history::base_system;
use crate::ts::system::{Origin, System};
use crate::ts::valuation::Valuation;
use fastrand::Rng;
use rustc_hash::FxHashSet;

/// The same runs every time.
const SEED: u64 = 1;
/// The largest number of initial states ..
const STARTS: usize = 8;
/// .. of which each begins a run with so many steps ..
const STEPS: usize = 60;
/// .. and from which moments are visited until there are so many.
const MOMENTS: usize = 1000;
/// Of the receivers' choices in a send so many are looked at.
const CHOICES: usize = 27;
/// How hard it is tried to list the initial values of an instance, and to guess them.
const LISTED: usize = 2000;
const GUESSES: usize = 200;
/// Integers that are guessed lie between minus this and this.
const GUESSED: i64 = 10;

/// States and steps of a model.
#[derive(Debug)]
pub struct Sample {
    moments: Vec<Moment>,
    flaw: Option<String>,
}

/// A state on a run.
#[derive(Debug)]
pub struct Moment {
    /// The step that led here, and the moment before it; none for an initial state.
    pub came_by: Option<(usize, Taken)>,
    /// The state.
    pub state: State,
    /// The values of the variables of [`base_system`].
    pub values: Vec<Value>,
}

/// A step, as the semantics and as the system has it.
#[derive(Debug)]
pub struct Taken {
    /// The step.
    pub step: Step,
    /// The inputs with which the system takes it.
    pub inputs: Vec<u32>,
}

impl Sample {
    /// Draws runs, and holds the model's system against them.
    pub fn new(semantics: &Semantics) -> Sample {
        Sample::against(semantics, base_system(semantics.model()))
    }

    fn against(semantics: &Semantics, system: System) -> Sample {
        let model = semantics.model();
        let listed = |instance| semantics.initial_locals_within(instance, LISTED).unwrap_or_default();
        let mut draw = Draw {
            semantics,
            system,
            rng: Rng::with_seed(SEED),
            moments: Vec::new(),
            known: FxHashSet::default(),
            locals: model.instance_ids().map(listed).collect(),
        };
        let flaw = draw.all().err();
        Sample { moments: draw.moments, flaw }
    }

    /// The moments, each after the one that it came from.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// The flaw of the system of the model, if one was found.
    pub fn flaw(&self) -> Option<&str> {
        self.flaw.as_deref()
    }
}

struct Draw<'s> {
    semantics: &'s Semantics<'s>,
    system: System,
    rng: Rng,
    moments: Vec<Moment>,
    known: FxHashSet<Vec<Value>>,
    /// The initial values of the locals of each instance; none if they are too many to list.
    locals: Vec<Vec<Vec<Value>>>,
}

impl Draw<'_> {
    fn all(&mut self) -> Result<(), String> {
        for _ in 0..STARTS {
            if let Some(state) = self.initial() {
                self.start(state)?;
            }
        }
        let starts = self.moments.len();
        for start in 0..starts {
            let mut at = start;
            for _ in 0..STEPS {
                if self.moments[at].state.is_huge() {
                    break;
                }
                let steps = self.semantics.some_steps(&self.moments[at].state, CHOICES);
                let chosen = self.rng.usize(0..steps.len());
                at = self.go(at, steps.into_iter().nth(chosen).expect("one of them"))?;
            }
        }
        self.nearby()
    }

    /// Visits moments in the order in which they were found.
    fn nearby(&mut self) -> Result<(), String> {
        let mut next = 0;
        while next < self.moments.len() && self.moments.len() < MOMENTS {
            if self.moments[next].state.is_huge() {
                next += 1;
                continue;
            }
            for step in self.semantics.some_steps(&self.moments[next].state, CHOICES) {
                let values = self.values(&step.target, Some(&step));
                if !self.known.contains(&values) {
                    self.go(next, step)?;
                }
            }
            next += 1;
        }
        Ok(())
    }

    fn start(&mut self, state: State) -> Result<(), String> {
        let values = self.values(&state, None);
        if !self.known.insert(values.clone()) {
            return Ok(());
        }
        let mut valuation = Valuation::new(values.clone(), Vec::new());
        if !self.system.is_initial(&mut valuation) {
            return Err(format!("the system lacks the initial state {state:?}"));
        }
        self.moments.push(Moment { came_by: None, state, values });
        Ok(())
    }

    /// Adds the moment after a step.
    fn go(&mut self, from: usize, step: Step) -> Result<usize, String> {
        let (before, values) = (&self.moments[from], self.values(&step.target, Some(&step)));
        let lacks = || format!("the system lacks the step {:?} from {:?}", step.choice, before.state);
        let inputs = self.system.inputs_of(&step.choice, &before.values).ok_or_else(lacks)?;
        let mut valuation = Valuation::new(before.values.clone(), inputs.clone());
        if self.system.successor(&mut valuation) != values {
            return Err(format!("the step {:?} from {:?} leads elsewhere in the system", step.choice, before.state));
        }
        self.known.insert(values.clone());
        let state = step.target.clone();
        self.moments.push(Moment { came_by: Some((from, Taken { step, inputs })), state, values });
        Ok(self.moments.len() - 1)
    }

    /// The values of the system's variables after a step, if there was one.
    fn values(&self, state: &State, step: Option<&Step>) -> Vec<Value> {
        let mut values = self.system.values_of(|leaf| self.semantics.value(state, leaf));
        for (variable, value) in self.system.variables().iter().zip(&mut values) {
            if let Origin::Received(instance, edge) = variable.origin {
                *value = Value::Bool(step.is_some_and(|step| step.choice.receives(instance, edge)));
            }
        }
        values
    }

    /// Some initial state.
    fn initial(&mut self) -> Option<State> {
        let model = self.semantics.model();
        for _ in 0..GUESSES {
            let parts: Vec<(u32, Vec<Value>)> =
                model.instance_ids().map(|instance| (0, self.locals(instance))).collect();
            let state = self.semantics.state_from(&parts).ok();
            if let Some(state) = state.filter(|state| self.semantics.is_initial(state)) {
                return Some(state);
            }
        }
        None
    }

    /// Initial values of the locals of an instance, or a guess.
    fn locals(&mut self, instance: InstanceId) -> Vec<Value> {
        let model = self.semantics.model();
        match &self.locals[instance.index()] {
            list if list.is_empty() => {
                model.agent_of(instance).locals.iter().map(|local| self.guess(model, local.ty)).collect()
            }
            list => list[self.rng.usize(0..list.len())].clone(),
        }
    }

    fn guess(&mut self, model: &Model, ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(self.rng.bool()),
            Type::Int => Value::int(self.rng.i64(-GUESSED..=GUESSED)),
            Type::Range(low, high) => Value::int(self.rng.i64(low..=high)),
            Type::Enum(_) | Type::Channel | Type::Location => {
                let count = model.cardinality(ty).expect("enums are finite") as u32;
                Value::Enum(self.rng.u32(0..count))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::of_text::model;

    const RIGHT: &str = "enum channel {line}
        message-structure: LOAD : int
        property-variables: free : bool
        agent Source
            local: sent : int
            init: sent = 0
            relabel: free <- false
            receive-guard: false
            repeat: send: {sent < 10} line! (@free)(LOAD := sent)[sent := sent + 1]
        agent Worker
            local: load : int, open : bool
            init: load = 0 & open
            relabel: free <- load < 5
            receive-guard: chan = line & open
            repeat: (take: {LOAD >= 0} line? [load := LOAD] + close: {load > 2} *! (true)()[open := false])
        system = Source(source, true) || Worker(one, true) || Worker(two, true)
        SPEC G (one-take -> one-load >= 0)";

    /// A model, and what the system of the model becomes if it is lowered wrongly in one place.
    const WRONG: [(&str, &str); 11] = [
        ("init: sent = 0", "init: sent = 1"),
        ("init: load = 0 & open", "init: load = 0 & !open"),
        ("{sent < 10}", "{sent < 9}"),
        ("LOAD := sent", "LOAD := sent + 1"),
        ("sent := sent + 1", "sent := sent + 2"),
        ("(@free)", "(!@free)"),
        ("load < 5", "load < 4"),
        ("chan = line & open", "chan = line"),
        ("{LOAD >= 0}", "{LOAD >= 1}"),
        ("load := LOAD", "load := LOAD + 1"),
        ("{load > 2}", "{load > 3}"),
    ];

    #[test]
    fn a_system_with_a_mistake_is_found_out() {
        let (right, lowered) = (model(RIGHT), |text: &str| base_system(&model(text)));
        let semantics = Semantics::new(&right);
        assert_eq!(Sample::against(&semantics, lowered(RIGHT)).flaw(), None);
        for (from, to) in WRONG {
            assert!(RIGHT.contains(from), "{from}");
            let flaw = Sample::against(&semantics, lowered(&RIGHT.replacen(from, to, 1))).flaw().map(str::to_owned);
            assert!(flaw.is_some_and(|flaw| flaw.contains("system")), "{to}");
        }
    }

    /// Long runs from each start, and then what is near.
    #[test]
    fn a_sample_has_long_runs_and_is_filled_up() {
        let text = RIGHT.replace("{sent < 10}", "{true}").replace("load < 5", "true").replace("{load > 2}", "{false}");
        let right = model(&text);
        let sample = Sample::new(&Semantics::new(&right));
        assert!(sample.moments().len() >= MOMENTS, "{}", sample.moments().len());
        let depth = sample.moments().iter().fold(Vec::new(), |mut depths: Vec<usize>, moment| {
            depths.push(moment.came_by.as_ref().map_or(0, |(before, _)| depths[*before] + 1));
            depths
        });
        assert!(depth.iter().any(|&depth| depth >= STEPS), "{depth:?}");
        let starts = |text: &str| {
            let right = model(text);
            let sample = Sample::new(&Semantics::new(&right));
            sample.moments().iter().filter(|moment| moment.came_by.is_none()).count()
        };
        assert_eq!(starts(RIGHT), 1);
        assert!(starts(&RIGHT.replace("init: load = 0 & open", "init: load >= 0 & load <= 5")) > 3);
        assert!(starts(&RIGHT.replace("init: load = 0 & open", "init: load > 0 - 3")) > 3, "guessed");
    }
}
