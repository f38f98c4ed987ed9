//! Concrete runs of an instance, seen by the members that a response is about.

use crate::check::sizes::renaming::{Renaming, for_each_assignment, renamed};
use crate::check::sizes::response::Response;
use crate::limits::tick;
use crate::model::eval::value::{evaluate, holds};
use crate::model::eval::{Choice, Semantics, State};
use crate::model::formula::StateLeaf;
use crate::model::{Expr, Formula, InstanceId, Model, Value};
use crate::verify::opinion::sample::Sample;
use fastrand::Rng;
use rustc_hash::FxHashMap;

/// The number of runs of so many steps that are taken,
const RUNS: usize = 40;
const STEPS: usize = 40;
/// the same every time,
const SEED: u64 = 1;
/// until the steps from so many states are known.
const EXPANDED: usize = 700;
/// Of the receivers' choices in a send so many are looked at.
const CHOICES: usize = 9;
/// The number of lists of members that are looked at.
const MOST_LISTS: usize = 6;

/// States and steps of an instance.
pub struct Runs<'s> {
    semantics: &'s Semantics<'s>,
    states: Vec<State>,
    steps: Vec<(usize, usize, Choice)>,
    expanded: usize,
}

impl<'s> Runs<'s> {
    /// Random runs, and then the states near those of a sample; with the steps from all of these.
    pub fn new(semantics: &'s Semantics<'s>) -> Runs<'s> {
        let sample = Sample::new(semantics);
        let moments = sample.moments();
        let starts: Vec<&State> =
            moments.iter().filter(|moment| moment.came_by.is_none()).map(|moment| &moment.state).collect();
        let mut order: IndexedStates = IndexedStates::default();
        let mut rng = Rng::with_seed(SEED);
        for run in 0..if starts.is_empty() { 0 } else { RUNS } {
            let mut state = starts[run % starts.len()].clone();
            for _ in 0..STEPS {
                if order.states.len() >= EXPANDED || state.is_huge() {
                    break;
                }
                order.place(&state);
                let steps = semantics.some_steps(&state, CHOICES);
                state = steps[rng.usize(0..steps.len())].target.clone();
            }
        }
        for moment in moments.iter().filter(|moment| !moment.state.is_huge()) {
            if order.states.len() < EXPANDED {
                order.place(&moment.state);
            }
        }
        let expanded = order.states.len();
        let mut steps = Vec::new();
        for from in 0..expanded {
            tick();
            for step in semantics.some_steps(&order.states[from].clone(), CHOICES) {
                steps.push((from, order.place(&step.target), step.choice));
            }
        }
        Runs { semantics, states: order.states, steps, expanded }
    }

    pub fn model(&self) -> &Model {
        self.semantics.model()
    }

    /// The number of states the steps from which are known.
    pub fn states(&self) -> usize {
        self.expanded
    }

    /// The value of an expression over the instance.
    pub fn value(&self, state: usize, expr: &Expr<StateLeaf>) -> Option<Value> {
        evaluate(expr, &|leaf| Some(self.semantics.value(&self.states[state], leaf)))
    }

    /// The truth of a formula that reads conditions and labels of sends, gets and supplies; nothing of others.
    fn truth(&self, state: usize, choice: &Choice, formula: &Formula) -> Option<bool> {
        formula.combined(&mut |part| {
            if let Formula::Label(instance, edge) = part {
                return (!self.model().is_receive(*instance, *edge)).then(|| choice.performs(*instance, *edge));
            }
            let Formula::Atom(expr) = part else { return None };
            Some(holds(expr, &|leaf| Some(self.semantics.value(&self.states[state], leaf))))
        })
    }
}

/// States, each once.
#[derive(Default)]
struct IndexedStates {
    states: Vec<State>,
    places: FxHashMap<State, usize>,
}

impl IndexedStates {
    fn place(&mut self, state: &State) -> usize {
        *self.places.entry(state.clone()).or_insert_with(|| {
            self.states.push(state.clone());
            self.states.len() - 1
        })
    }
}

/// A state as some members see it that wait for the goal of a response.
#[derive(Clone, Debug)]
pub struct WaitingState {
    pub state: usize,
    pub chosen: Vec<InstanceId>,
    /// True if the steps from there are known, and the goal is not there already.
    pub counts: bool,
}

/// A step between such states.
#[derive(Clone, Debug)]
pub struct WaitingStep {
    pub from: usize,
    pub to: usize,
    pub choice: Choice,
}

/// The states and steps of runs in which the goal of a response is waited for.
pub struct Waiting<'r> {
    pub runs: &'r Runs<'r>,
    /// Over which the response is written.
    pub reference: &'r Model,
    /// The members that it is about.
    pub members: Vec<InstanceId>,
    /// States in which the goal is waited for.
    pub rows: Vec<WaitingState>,
    /// Steps that do not reach it.
    pub links: Vec<WaitingStep>,
}

impl<'r> Waiting<'r> {
    /// Nothing if it reads what is not known of runs.
    pub fn new(runs: &'r Runs<'r>, reference: &'r Model, response: &Response) -> Option<Waiting<'r>> {
        let members = response.members(reference)?;
        let mut lists = Vec::new();
        for_each_assignment(reference, runs.model(), &members, &mut |chosen| {
            if lists.len() < MOST_LISTS {
                lists.push(chosen.to_vec());
            }
        });
        let mut waiting = Waiting { runs, reference, members, rows: Vec::new(), links: Vec::new() };
        for chosen in lists {
            waiting.add(response, chosen)?;
        }
        Some(waiting)
    }

    /// Adds the rows and links of some members.
    fn add(&mut self, response: &Response, chosen: Vec<InstanceId>) -> Option<()> {
        let runs = self.runs;
        let Response { start, goal } =
            response.renamed(&Renaming::new(self.reference, runs.model(), &self.members, &chosen));
        let mut onward: Vec<Vec<usize>> = vec![Vec::new(); runs.states.len()];
        let (mut starts, mut waits) = (Vec::new(), vec![false; runs.states.len()]);
        for (place, (from, _, choice)) in runs.steps.iter().enumerate() {
            if !runs.truth(*from, choice, &goal)? {
                waits[*from] = true;
                onward[*from].push(place);
                if runs.truth(*from, choice, &start)? {
                    starts.push(*from);
                }
            }
        }
        // Beyond the states that were expanded, no step shows whether the goal is there.
        for (state, waits) in waits.iter_mut().enumerate().skip(runs.expanded) {
            *waits = runs.truth(state, &Choice::Stutter, &goal) == Some(false);
        }
        let mut rows: FxHashMap<usize, usize> = FxHashMap::default();
        let mut work: Vec<usize> = starts;
        let mut reached = Vec::new();
        while let Some(state) = work.pop() {
            if !waits[state] || rows.contains_key(&state) {
                continue;
            }
            rows.insert(state, self.rows.len());
            self.rows.push(WaitingState { state, chosen: chosen.clone(), counts: state < runs.expanded });
            reached.push(state);
            work.extend(onward[state].iter().map(|&place| runs.steps[place].1));
        }
        for state in reached {
            for &place in &onward[state] {
                let (_, to, choice) = &runs.steps[place];
                if let Some(&to) = rows.get(to) {
                    self.links.push(WaitingStep { from: rows[&state], to, choice: choice.clone() });
                }
            }
        }
        Some(())
    }

    /// The value of an expression over the reference instance in a row, where some agent stands for a further member.
    pub fn value(
        &self,
        row: &WaitingState,
        expr: &Expr<StateLeaf>,
        also: Option<(InstanceId, InstanceId)>,
    ) -> Option<Value> {
        let members: Vec<InstanceId> = self.members.iter().copied().chain(also.map(|it| it.0)).collect();
        let chosen: Vec<InstanceId> = row.chosen.iter().copied().chain(also.map(|it| it.1)).collect();
        self.in_state(row.state, expr, &members, &chosen)
    }

    /// The value of an expression in a state that is about agents that every instance has, and perhaps one member.
    pub fn of_state(
        &self,
        state: usize,
        expr: &Expr<StateLeaf>,
        also: Option<(InstanceId, InstanceId)>,
    ) -> Option<Value> {
        let (members, chosen): (Vec<InstanceId>, Vec<InstanceId>) = also.into_iter().unzip();
        self.in_state(state, expr, &members, &chosen)
    }

    fn in_state(
        &self,
        state: usize,
        expr: &Expr<StateLeaf>,
        members: &[InstanceId],
        chosen: &[InstanceId],
    ) -> Option<Value> {
        let here = renamed(&Renaming::new(self.reference, self.runs.model(), members, chosen), expr);
        self.runs.value(state, &here)
    }
}
