//! A system with loops as further steps, each of which repeats a segment any number of times.

use super::segment::{Item, Repeat, SegmentId, Segments, shifted_values, throughout};
use super::walk::Items;
use crate::limits::{Budget, Reason, Stop};
use crate::smt::unroll::{Unrolling, integer_theory};
use crate::smt::{Literal, Model};
use crate::ts::system::{Case, Domain, Input, Origin, Parts, System, Variable, event_is};
use crate::ts::term::{InputId, Leaf, Sort, Term, VarId};

/// The system.
pub struct Accelerated {
    system: System,
    loops: Vec<SegmentId>,
    /// The input that chooses a loop; option 0 is a step of the original system.
    input: InputId,
    /// The number of inputs and that of variables of the original system.
    original_inputs: usize,
    original_variables: usize,
    /// How often the loop is repeated; free.
    times: VarId,
    /// The number of steps that the chosen loop makes, or 1.
    steps: Term,
    /// That no loop is chosen, and that each of them is.
    chosen: Vec<Term>,
}

impl Accelerated {
    /// With these loops, each of at most `longest` steps at a time.
    pub fn new(segments: &Segments, original: &System, loops: &[SegmentId], longest: u64) -> Accelerated {
        let mut parts = Parts { terms: segments.terms().clone(), ..original.clone().into_parts() };
        let (mut input, count) = (InputId(parts.inputs.len() as u32), loops.len() as u32 + 1);
        // The arena still knows inputs and variables that were dropped from the system.
        while parts.terms.leaf_sort(Leaf::Input(input)).is_some() {
            parts.inputs.push(Input { name: "unused".to_owned(), count: 1, owner: None });
            input.0 += 1;
        }
        parts.inputs.push(Input { name: "loop".to_owned(), count, owner: None });
        let mut times = VarId(parts.variables.len() as u32);
        let add_free = |parts: &mut Parts, VarId(id): VarId, (sort, domain): (Sort, Domain)| {
            let name = format!("free{id}");
            parts.variables.push(Variable { name, origin: Origin::Free(id), sort, domain });
            parts.updates.push(Vec::new());
        };
        while parts.terms.leaf_sort(Leaf::Var(times)).is_some() {
            add_free(&mut parts, times, (Sort::Bool, Domain::Bool));
            times.0 += 1;
        }
        // Loops add to integers of the solver, however few values these have.
        for variable in parts.variables.iter_mut().filter(|variable| variable.sort == Sort::Int) {
            if let Some((low, high)) = variable.domain.bounds() {
                variable.domain = Domain::Range(low, high);
            }
        }
        let most = i64::try_from(longest).expect("runs are shorter");
        add_free(&mut parts, times, (Sort::Int, Domain::Range(1, most)));
        let Parts { terms, variables, inputs: inputs_of, events, constraints, updates, .. } = &mut parts;
        let chosen = |number: u32| {
            let input = terms.leaf(Leaf::Input(input), Sort::Enum(count), None);
            let value = terms.constant_of_enum(number, count);
            terms.eq(input, value)
        };
        let chosen: Vec<Term> = (0..count).map(chosen).collect();
        let (is_step, is_loop) = (chosen[0], terms.not(chosen[0]));
        events.iter_mut().for_each(|event| event.guard = terms.or([event.guard, is_loop]));
        constraints.iter_mut().for_each(|constraint| *constraint = terms.or([*constraint, is_loop]));
        // Beside a loop the event means nothing, so it is always the same.
        let stutters = event_is(terms, events.len() - 1, events.len() as u32);
        constraints.push(terms.or([is_step, stutters]));
        for case in updates.iter_mut().flatten() {
            case.condition = terms.and([case.condition, is_step]);
        }
        let number_of_times = variables[times.0 as usize].term(terms, times);
        let mut steps = terms.int(1);
        for (&this, &id) in chosen[1..].iter().zip(loops) {
            let segment = segments.get(id);
            let Some(repeat) = &segment.repeat else { unreachable!("loops can be repeated") };
            let length = terms.int(segment.steps);
            let all = terms.mul(length, number_of_times);
            steps = terms.ite(this, all, steps);
            let conditions = throughout(terms, original, repeat, number_of_times);
            constraints.extend(conditions.into_iter().map(|condition| terms.implies(this, condition)));
            if let Some(inputs) = segments.inputs_of_step(id) {
                // The step alone is a round of the loop.
                let is_this = |(number, option): (u32, &u32)| {
                    let (number, count) = (InputId(number), inputs_of[number as usize].count);
                    let (input, value) = (
                        terms.leaf(Leaf::Input(number), Sort::Enum(count), None),
                        terms.constant_of_enum(*option, count),
                    );
                    terms.eq(input, value)
                };
                let mut all: Vec<Term> = (0..).zip(inputs).map(is_this).collect();
                all.push(is_step);
                all.extend(&repeat.conditions);
                let step = terms.and(all);
                constraints.push(terms.not(step));
            }
            let Repeat { increments, .. } = repeat;
            for (id, value) in shifted_values(terms, original, increments, number_of_times) {
                updates[id.0 as usize].push(Case { condition: this, value });
            }
        }
        let most = terms.int(most);
        constraints.push(terms.le(steps, most));
        let (original_inputs, original_variables) = (original.inputs().len(), original.variables().len());
        let (system, loops) = (System::new(parts), loops.to_vec());
        Accelerated { system, loops, input, original_inputs, original_variables, times, steps, chosen }
    }

    /// A run to a bad state with so many steps and loops; nothing if there is none. None of the loops alone can have fewer
    /// rounds, which does not mean that no run is shorter. `unrolling` is one of this system.
    pub fn run_to(
        &self,
        unrolling: &mut Unrolling,
        is_bad: &Literal,
        segments: &mut Segments,
        (budget, stop): (Budget, &Stop),
    ) -> Result<Option<Items>, Reason> {
        let ask = |unrolling: &Unrolling, assumptions: &[Literal]| unrolling.check_until(assumptions, budget, stop);
        let Some(mut model) = ask(unrolling, std::slice::from_ref(is_bad))? else { return Ok(None) };
        let mut terms = self.system.terms().clone();
        let mut at_most = |unrolling: &mut Unrolling, frame: usize, most: u64| {
            let most = terms.int(most);
            let bound = terms.le(self.steps, most);
            unrolling.literal_in(&terms, frame, bound)
        };
        for frame in 0..unrolling.depth() {
            let mut low = 1;
            loop {
                let high = self.steps_of(unrolling, &model, frame, segments)?;
                if low >= high {
                    break;
                }
                let middle = low + (high - low) / 2;
                let mut assumptions = vec![is_bad.clone(), at_most(unrolling, frame, middle)];
                for other in (0..unrolling.depth()).filter(|other| *other != frame) {
                    let most = self.steps_of(unrolling, &model, other, segments)?;
                    assumptions.push(at_most(unrolling, other, most));
                }
                match ask(unrolling, &assumptions)? {
                    Some(shorter) => model = shorter,
                    None => low = middle + 1,
                }
            }
        }
        self.items(unrolling, &model, segments).map(Some)
    }

    /// The loop that a model chooses at a frame, and how often, if it chooses one.
    fn choice(&self, unrolling: &Unrolling, model: &Model, frame: usize) -> Result<Option<Item>, Reason> {
        let chosen = unrolling.inputs(model, frame)?[self.input.0 as usize];
        let Some(&id) = (chosen as usize).checked_sub(1).and_then(|number| self.loops.get(number)) else {
            return Ok(None);
        };
        let times = &unrolling.state(model, frame)?[self.times.0 as usize];
        let times = times.number().and_then(|times| u64::try_from(times).ok());
        Ok(Some((id, times.expect("it is at least 1 and at most the length of a run"))))
    }

    fn steps_of(&self, unrolling: &Unrolling, model: &Model, frame: usize, segments: &Segments) -> Result<u64, Reason> {
        Ok(self.choice(unrolling, model, frame)?.map_or(1, |item| segments.steps(item)))
    }

    /// The run that a model describes.
    pub fn items(&self, unrolling: &Unrolling, model: &Model, segments: &mut Segments) -> Result<Items, Reason> {
        let mut initial = unrolling.state(model, 0)?;
        initial.truncate(self.original_variables);
        let (mut state, mut items) = (initial.clone(), Vec::new());
        for frame in 0..unrolling.depth() {
            let item = match self.choice(unrolling, model, frame)? {
                Some(item) => item,
                None => {
                    let mut inputs = unrolling.inputs(model, frame)?;
                    inputs.truncate(self.original_inputs);
                    (segments.step(&state, &inputs), 1)
                }
            };
            state = segments.apply(item, &state);
            items.push(item);
        }
        Ok(Items { initial, items })
    }

    /// Its runs from the initial states.
    pub fn unrolling(&self) -> Unrolling<'_> {
        Unrolling::new(&self.system, self.system.var_ids().collect(), integer_theory(&self.system))
    }

    /// Adds a step or a loop, which is another one than that before it.
    pub fn extend(&self, unrolling: &mut Unrolling) {
        unrolling.extend().expect("integers have all values");
        let Some(before) = unrolling.depth().checked_sub(2) else { return };
        for &this in &self.chosen[1..] {
            let both = [before, before + 1].map(|frame| unrolling.literal(frame, this).not());
            unrolling.add(&Literal::or(both));
        }
    }

    /// That an event of the original system is chosen at a frame that is not the last one.
    pub fn takes_event(&self, unrolling: &mut Unrolling, frame: usize, event: usize) -> Literal {
        let mut terms = self.system.terms().clone();
        let taken = event_is(&mut terms, event, self.system.events().len() as u32);
        let both = terms.and([taken, self.chosen[0]]);
        unrolling.literal_in(&terms, frame, both)
    }
}
