//! The states that a system can be in, as far as they were asked for: for simulators, which go from state to state, and for
//! pictures of the whole. States have numbers, so that a client keeps no more than these; a number means the same state for as
//! long as the text stays as it is.
//!
//! States that a symmetry of the model makes equal can be shown as one. Which stands for the others may depend on where one
//! begins, so that an orbit may be shown more than once; a state that is shown can be reached in any case.

use super::position::range;
use super::room::{Room, StateSizes, TakenRoom};
use crate::claim::symmetry::{Renaming, descend};
use crate::model::eval::words::describe_step;
use crate::model::eval::{Choice, Semantics, State, Step, value};
use crate::model::{EdgeId, InstanceId, Model, Value};
use crate::report::steps::{changes, commands, place, values};
use crate::simulate::ConditionReader;
use crate::source::SourceFile;
use crate::syntax::ast::Dialect;
use lsp_types::Range;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The number of states that are looked at, by default.
const SOME: usize = 500;

/// And so many at most by one question.
const MOST: usize = 100_000;

/// The number of members of an orbit that are looked at.
const MOST_MEMBERS: usize = 5_000;

/// States of a text that were seen.
pub struct StateSpace {
    source: SourceFile,
    dialect: Dialect,
    model: Model,
    states: Vec<State>,
    numbers: HashMap<State, usize>,
    /// How many are initial: those come first.
    initial: usize,
    /// Generators of the symmetries of the model.
    symmetries: Vec<Renaming>,
    /// The steps from a state, as far as they were asked for; with `true`, states that are alike are one.
    next: HashMap<(usize, bool), Vec<Transition>>,
    sizes: StateSizes,
    /// The memory that all of this takes.
    taken: TakenRoom,
}

/// Why no more states can be looked at.
const FULL: &str =
    "the states that were looked at take all of the memory: open the model again, or start with a larger `--memory`";

/// A step between two states.
#[derive(Clone, Debug, Serialize)]
pub struct Transition {
    from: usize,
    to: usize,
    /// The command of the sender or getter.
    name: String,
    /// The agents that take part, by the order of the model; the sender or getter first.
    who: Vec<usize>,
}

/// A state, for clients.
#[derive(Debug, Serialize)]
pub struct ShownState {
    /// Its number.
    state: usize,
    /// The automaton state of each instance.
    automata: Vec<u32>,
    /// The values in the order of [`Beginning::names`].
    values: Vec<String>,
    initial: bool,
}

/// The beginning of an exploration.
#[derive(Debug, Serialize)]
pub struct Beginning {
    /// The names of values, and whose each is.
    names: Vec<String>,
    owners: Vec<usize>,
    initial: Vec<ShownState>,
    /// True if there are symmetries, so that states that are alike can be one.
    symmetric: bool,
}

/// A state with what can happen in it, and what cannot.
#[derive(Debug, Serialize)]
pub struct ExpandedState {
    node: ShownState,
    steps: Vec<PossibleStep>,
    disabled: Vec<DisabledCommand>,
}

/// A possible step.
#[derive(Debug, Serialize)]
pub struct PossibleStep {
    words: String,
    name: String,
    /// True if nothing else is possible, and nothing changes.
    stutter: bool,
    target: ShownState,
    commands: Vec<Range>,
    changes: Vec<String>,
}

/// A command of an instance that no possible step takes.
#[derive(Debug, Serialize)]
pub struct DisabledCommand {
    name: String,
    instance: usize,
    why: String,
    range: Range,
    /// True if its automaton state is the present one.
    here: bool,
}

/// A part of the graph.
#[derive(Debug, Serialize)]
pub struct Subgraph {
    nodes: Vec<ShownState>,
    edges: Vec<Transition>,
    /// The states all of whose steps are among the edges.
    whole: Vec<usize>,
    /// True if nothing else can be reached from there.
    complete: bool,
}

/// The result of a search.
#[derive(Debug, Serialize)]
pub struct SearchResult {
    /// The states where the condition holds, in the order in which they are reached.
    states: Vec<ShownState>,
    /// How many states were looked at.
    seen: usize,
    /// True if these were all.
    complete: bool,
}

impl StateSpace {
    /// The initial states of the model that a text is read as.
    ///
    /// # Errors
    /// They cannot be listed.
    pub fn new(
        (source, dialect): (&SourceFile, Dialect),
        model: &Model,
        room: &Arc<Room>,
        symmetries: impl FnOnce(&Model) -> Vec<Renaming>,
    ) -> Result<StateSpace, String> {
        let initial = Semantics::new(model).initial_states();
        let sizes = StateSizes::of(model);
        let mut needed = TakenRoom::new(room);
        needed.take(initial.as_ref().map_or(0, |it| it.len() as i64 * (sizes.state + sizes.shown_state)));
        if room.is_used_up() {
            return Err(FULL.to_owned());
        }
        drop(needed);
        let initial = initial.map_err(|why| format!("the initial states cannot be listed: {why}"))?;
        if initial.is_empty() {
            return Err("there is no initial state".to_owned());
        }
        let mut space = StateSpace {
            source: source.clone(),
            dialect,
            model: model.clone(),
            states: Vec::new(),
            numbers: HashMap::new(),
            initial: 0,
            symmetries: symmetries(model),
            next: HashMap::new(),
            sizes,
            taken: TakenRoom::new(room),
        };
        for state in initial {
            space.number(state);
        }
        space.initial = space.states.len();
        Ok(space)
    }

    fn number(&mut self, state: State) -> usize {
        let next = self.states.len();
        let number = *self.numbers.entry(state.clone()).or_insert(next);
        if number == next {
            self.taken.take(self.sizes.state);
            self.states.push(state);
        }
        number
    }

    fn node(&self, number: usize) -> ShownState {
        let state = &self.states[number];
        ShownState {
            state: number,
            automata: self.model.instance_ids().map(|it| state.automaton(it)).collect(),
            values: values(&self.model, state).into_iter().map(|shown| shown.value).collect(),
            initial: number < self.initial,
        }
    }

    /// The image of a state under a symmetry.
    fn image(&self, renaming: &Renaming, state: &State) -> Option<State> {
        let mut parts = vec![(0, Vec::new()); self.model.instances.len()];
        for instance in self.model.instance_ids() {
            let values = self.model.locals_of(instance).map(|(id, local)| {
                match (state.local(instance, id), renaming.values(local.ty)) {
                    (Value::Enum(value), Some(images)) => Value::Enum(images[*value as usize]),
                    (value, _) => value.clone(),
                }
            });
            parts[renaming.instances[instance.index()] as usize] = (state.automaton(instance), values.collect());
        }
        Semantics::new(&self.model).state_from(&parts).ok()
    }

    /// The state that stands for those that are alike.
    fn representative(&self, mut state: State) -> State {
        if self.symmetries.is_empty() {
            return state;
        }
        descend(self.symmetries.len(), |generator| match self.image(&self.symmetries[generator], &state) {
            Some(image) if image < state => {
                state = image;
                true
            }
            _ => false,
        });
        state
    }

    /// The states that symmetries make of one, itself first; not all of very many.
    fn orbit(&self, state: &State) -> Vec<State> {
        let (mut members, mut seen) = (vec![state.clone()], HashSet::from([state.clone()]));
        let mut at = 0;
        while at < members.len() && members.len() < MOST_MEMBERS {
            let images = self.symmetries.iter().filter_map(|renaming| self.image(renaming, &members[at]));
            let new: Vec<State> = images.filter(|image| seen.insert(image.clone())).collect();
            members.extend(new);
            at += 1;
        }
        members
    }

    /// The number of a state, or of the one that stands for it.
    fn shown(&mut self, state: State, merged: bool) -> usize {
        let state = if merged { self.representative(state) } else { state };
        self.number(state)
    }

    /// The initial states.
    fn roots(&mut self, merged: bool) -> Vec<usize> {
        let mut roots: Vec<usize> =
            (0..self.initial).map(|number| self.shown(self.states[number].clone(), merged)).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// The initial states.
    pub fn begin(&mut self, merged: bool) -> Beginning {
        let named = values(&self.model, &self.states[0]);
        let roots = self.roots(merged);
        Beginning {
            owners: named.iter().map(|value| value.owner.index()).collect(),
            names: named.into_iter().map(|value| value.name).collect(),
            initial: roots.into_iter().map(|number| self.node(number)).collect(),
            symmetric: !self.symmetries.is_empty(),
        }
    }

    fn known(&self, number: usize) -> Result<State, String> {
        self.states.get(number).cloned().ok_or_else(|| format!("there is no state {number}: begin again"))
    }

    /// A state with its steps, and why other commands are not possible.
    ///
    /// # Errors
    /// That there is no such state.
    pub fn expand(&mut self, number: usize, merged: bool) -> Result<ExpandedState, String> {
        let state = self.known(number)?;
        if self.taken.room().is_used_up() {
            return Err(FULL.to_owned());
        }
        let model = self.model.clone();
        let semantics = Semantics::new(&model);
        let steps = semantics.steps(&state);
        let disabled = self.disabled(&semantics, &state, &steps);
        let steps = steps.into_iter().map(|step| PossibleStep {
            words: describe_step(&model, &step),
            name: name_of(&model, &step.choice),
            stutter: step.choice == Choice::Stutter,
            commands: commands(&step.choice).into_iter().map(|taken| self.range(taken)).collect(),
            changes: changes(&model, &state, &step.target).into_iter().map(|(_, words)| words).collect(),
            target: {
                let target = self.shown(step.target, merged);
                self.node(target)
            },
        });
        let steps = steps.collect();
        Ok(ExpandedState { node: self.node(number), steps, disabled })
    }

    /// The steps from a state.
    fn follow(&mut self, number: usize, merged: bool) -> Vec<Transition> {
        if let Some(next) = self.next.get(&(number, merged)) {
            return next.clone();
        }
        let steps = Semantics::new(&self.model).steps(&self.states[number]);
        let mut next = Vec::new();
        for step in steps.into_iter().filter(|step| step.choice != Choice::Stutter) {
            let name = name_of(&self.model, &step.choice);
            let who = commands(&step.choice).into_iter().map(|(instance, _)| instance.index()).collect();
            next.push(Transition { from: number, to: self.shown(step.target, merged), name, who });
        }
        self.taken.take(self.sizes.step * next.len() as i64);
        self.next.insert((number, merged), next.clone());
        next
    }

    /// The states that can be reached from one, or from the initial ones, breadth first, with all steps between them.
    ///
    /// # Errors
    /// That there is no such state.
    pub fn explore(&mut self, from: Option<usize>, most: Option<usize>, merged: bool) -> Result<Subgraph, String> {
        let start = match from {
            Some(from) => self.known(from).map(|_| vec![from])?,
            None => self.roots(merged),
        };
        let (order, complete, _answer) = self.reach(start, most, merged)?;
        let mut shown = vec![false; self.states.len()];
        order.iter().for_each(|number| shown[*number] = true);
        let next = |number: &usize| self.next.get(&(*number, merged)).into_iter().flatten();
        let edges = order.iter().flat_map(next).filter(|edge| shown[edge.to]).cloned().collect();
        let is_whole = |number: &usize| {
            self.next.get(&(*number, merged)).is_some_and(|next| next.iter().all(|edge| shown[edge.to]))
        };
        let whole = order.iter().copied().filter(is_whole).collect();
        Ok(Subgraph { nodes: order.iter().map(|number| self.node(*number)).collect(), edges, whole, complete })
    }

    /// The first states that can be reached, whether these are all, and the memory for an answer that shows them.
    fn reach(
        &mut self,
        mut order: Vec<usize>,
        most: Option<usize>,
        merged: bool,
    ) -> Result<(Vec<usize>, bool, TakenRoom), String> {
        let most = most.unwrap_or(SOME).clamp(order.len(), MOST.max(order.len()));
        let mut seen: HashSet<usize> = order.iter().copied().collect();
        let (mut at, mut complete) = (0, true);
        let mut answer = TakenRoom::new(self.taken.room());
        answer.take(self.sizes.shown_state * order.len() as i64);
        while at < order.len() {
            if self.taken.room().is_used_up() {
                if at == 0 {
                    return Err(FULL.to_owned());
                }
                complete = false;
                break;
            }
            let next = self.follow(order[at], merged);
            answer.take(self.sizes.shown_step * next.len() as i64);
            for Transition { to, .. } in next {
                if seen.contains(&to) {
                    continue;
                }
                if order.len() == most {
                    complete = false;
                } else {
                    answer.take(self.sizes.shown_state);
                    seen.insert(to);
                    order.push(to);
                }
            }
            at += 1;
        }
        Ok((order, complete, answer))
    }

    /// The states where a condition holds, among the first that can be reached from the initial ones. A state that stands
    /// for others is found if the condition holds in one of them.
    ///
    /// # Errors
    /// That it is no condition.
    pub fn search(&mut self, condition: &str, most: Option<usize>, merged: bool) -> Result<SearchResult, String> {
        let reader = ConditionReader::new(&self.source, self.dialect, &self.model);
        let expr = reader.expression(condition);
        let expr =
            expr.ok_or("this is no condition about one state: write it as in a spec, without temporal operators")?;
        let roots = self.roots(merged);
        let (order, complete, _answer) = self.reach(roots, most, merged)?;
        let semantics = Semantics::new(&self.model);
        let holds = |state: &State| value::holds(&expr, &|leaf| Some(semantics.value(state, leaf)));
        let is_found = |number: &usize| match &self.states[*number] {
            state if merged => self.orbit(state).iter().any(holds),
            state => holds(state),
        };
        let found: Vec<usize> = order.iter().copied().filter(is_found).collect();
        Ok(SearchResult { states: found.iter().map(|it| self.node(*it)).collect(), seen: order.len(), complete })
    }

    /// The commands that no step takes, those that leave the present automaton states first.
    fn disabled(&self, semantics: &Semantics, state: &State, steps: &[Step]) -> Vec<DisabledCommand> {
        let model = semantics.model();
        let taken = |instance: InstanceId, edge: EdgeId| {
            steps.iter().any(|step| step.choice.performs(instance, edge) || step.choice.receives(instance, edge))
        };
        let mut disabled = Vec::new();
        if model.joint.is_some() {
            return disabled;
        }
        for instance in model.instance_ids() {
            for (edge, command) in (0..).map(EdgeId).zip(&model.agent_of(instance).edges) {
                if taken(instance, edge) {
                    continue;
                }
                let attempts = semantics.attempts(state, instance, edge);
                let why: String = attempts.iter().map(|attempt| attempt.describe(semantics, state)).collect();
                disabled.push(DisabledCommand {
                    name: model.show_command_name(instance, edge),
                    instance: instance.index(),
                    why: if why.is_empty() { "no other agent is at a command that fits\n".to_owned() } else { why },
                    range: self.range((instance, edge)),
                    here: command.source == state.automaton(instance),
                });
            }
        }
        disabled.sort_by_key(|it| !it.here);
        disabled
    }

    /// The place of a command of an instance.
    fn range(&self, taken: (InstanceId, EdgeId)) -> Range {
        range(&self.source, place(&self.model, taken))
    }
}

/// The command of the sender or getter.
fn name_of(model: &Model, choice: &Choice) -> String {
    match choice {
        Choice::Stutter => "nothing is possible".to_owned(),
        Choice::Joint(_) => model.show_actions(choice),
        Choice::Send { sender, edge, .. } => model.show_command_name(*sender, *edge),
        Choice::GetSupply { getter, get, .. } => model.show_command_name(*getter, *get),
    }
}
