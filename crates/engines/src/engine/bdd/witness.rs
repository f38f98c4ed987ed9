//! Runs that show why a formula is false, and further runs for the branching formulas in it.

use super::branching::{Judge, Shape, demands};
use super::search::{Way, layers};
use crate::claim::branching::{Lookalike, LooksAlike, Witness, WitnessPart};
use crate::diagrams::{Levels, Set, and, exists, or, without};
use crate::limits::{Reason, tick};
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::{Influence, Run, State, Trace, Truth};
use crate::model::{Formula, InstanceId, Value};

/// The number of steps of a loop that are followed.
const MOST_STEPS: usize = 10_000;

/// The number of states at the beginning of a chain that, like the last one, come with runs that end in them.
const WITH_RUNS: usize = 4;

/// A run: a path, and the position where its loop begins.
pub type Route = (Way, Option<usize>);

impl Judge<'_> {
    /// A run from one of these initial states that makes a formula false.
    pub(super) fn violation(&mut self, formula: &Formula, starts: &Set) -> Result<Witness, Reason> {
        let start = self.search.space.some_state(starts);
        let route = self.run_of(&[(formula, false)], Way::at(start))?;
        self.shown(formula, false, 0, route)
    }

    /// Continues a way so that formulas have truths from its end on, where that is possible.
    fn run_of(&mut self, demands: &[(&Formula, bool)], way: Way) -> Result<Route, Reason> {
        match demands {
            [(formula, truth)] if Shape::is_branching(formula, *truth) => self.route(formula, *truth, way),
            _ => self.loop_of(demands, way),
        }
    }

    /// The same for a formula that can be taken apart.
    fn route(&mut self, formula: &Formula, truth: bool, mut way: Way) -> Result<Route, Reason> {
        tick();
        if formula.is_about_state() {
            return Ok((way, None));
        }
        match Shape::of(formula, truth).expect("it can be taken apart") {
            Shape::Same(inner, truth) => self.route(inner, truth, way),
            Shape::All(parts) => self.route_of_all(&parts, way),
            Shape::Some(parts) => {
                for (part, truth) in parts {
                    let set = self.possible(part, truth)?;
                    if self.search.space.contains(&set, way.end()) {
                        return self.route(part, truth, way);
                    }
                }
                unreachable!("one of them is possible")
            }
            Shape::Next(inner, truth) => {
                let goal = self.possible(inner, truth)?;
                self.step_into(&mut way, &goal);
                self.route(inner, truth, way)
            }
            Shape::Reach { through, goal, stays } => {
                let (inside, set) = (self.state_where(through.0, through.1)?, self.all(&goal)?);
                let here = self.search.space.only(way.end());
                match self.search.way(&here, &inside, &set) {
                    Some(next) => {
                        way.extend(next);
                        self.route_of_all(&goal, way)
                    }
                    None => {
                        debug_assert!(stays);
                        self.lasso(way, &inside)
                    }
                }
            }
            Shape::Again(goal, truth) => {
                let goal = self.state_where(goal, truth)?;
                self.rounds(way, &goal)
            }
        }
    }

    /// The same for formulas of which one at most depends on the run.
    fn route_of_all(&mut self, parts: &[(&Formula, bool)], way: Way) -> Result<Route, Reason> {
        match parts.iter().find(|(part, _)| !part.is_about_state()) {
            Some((part, truth)) => self.route(part, *truth, way),
            None => Ok((way, None)),
        }
    }

    fn step_into(&self, way: &mut Way, set: &Set) {
        let here = self.search.space.only(way.end());
        let next = self.search.space.some_state(&and(&self.search.successors(&here), set));
        way.extend(self.search.step(way.end(), next));
    }

    /// A loop in a set, in which some run from the end of a way stays for ever.
    fn lasso(&self, mut way: Way, inside: &Set) -> Result<Route, Reason> {
        let space = self.search.space;
        let set = self.staying(inside);
        let first = way.states.len() - 1;
        let mut seen = space.constant(false);
        for _ in 0..MOST_STEPS {
            let here = space.only(way.end());
            seen = or(&seen, &here);
            let next = and(&self.search.successors(&here), &set);
            let back = and(&next, &seen);
            let closes = !back.is_false();
            let state = space.some_state(if closes { &back } else { &next });
            let step = self.search.step(way.end(), state.clone());
            way.extend(step);
            if closes {
                let start = (first..).find(|position| way.states[*position] == state);
                return Ok((way, start));
            }
        }
        Err(Reason::Engine(format!("a counterexample was not followed for more than {MOST_STEPS} steps")))
    }

    /// A loop with a state of a goal, to which some run from the end of a way comes again and again.
    fn rounds(&self, mut way: Way, goal: &Set) -> Result<Route, Reason> {
        let space = self.search.space;
        let goal = self.again(goal);
        let leads = self.before(&self.reachable, &goal);
        let mut seen: Vec<usize> = Vec::new();
        while way.states.len() < MOST_STEPS {
            let here = space.only(way.end());
            way.extend(self.search.way(&here, &self.reachable, &goal).expect("some run leads there"));
            let end = way.states.len() - 1;
            if let Some(start) = seen.iter().find(|position| way.states[**position] == *way.end()) {
                return Ok((way, Some(*start)));
            }
            seen.push(end);
            self.step_into(&mut way, &leads);
        }
        Err(Reason::Engine(format!("a counterexample was not followed for more than {MOST_STEPS} steps")))
    }

    fn trace(&self, (way, loop_start): &Route) -> Trace {
        Trace { loop_start: *loop_start, ..self.system.run_from(way.states[0].clone(), &way.inputs) }
    }

    /// A run as the witness that a formula has this truth on it from a position on.
    fn shown(&mut self, formula: &Formula, truth: bool, from: usize, route: Route) -> Result<Witness, Reason> {
        let trace = self.trace(&route);
        let way = route.0;
        let initial = self.semantics.state_from(&trace.initial);
        let influence = Influence::of(self.semantics.model(), formula);
        let run = initial.ok().and_then(|initial| {
            Run::replay(self.semantics, initial, &trace.choices, trace.loop_start, &influence).ok()
        });
        let run = run.ok_or_else(|| Reason::Engine("a run could not be followed".to_owned()))?;
        let given = |branching: &Branching, position: usize| match self.number(branching) {
            Some(index) => Truth::from(self.search.space.contains(&self.labels[index], &way.states[position])),
            None => Truth::Unknown,
        };
        let explanation = run.explain_given(formula, from, truth, &given);
        let decisive: Vec<(usize, Branching)> = explanation
            .iter()
            .flat_map(|explanation| &explanation.branching)
            .filter(|(_, branching, truth)| *truth == branching.operator.witnessed())
            .map(|(position, branching, _)| (*position, branching.clone()))
            .collect();
        let mut parts = Vec::new();
        for (position, branching) in decisive {
            parts.push(self.part(&branching, position, way.up_to(position))?);
        }
        Ok(Witness { trace, from, parts })
    }

    /// Why a branching formula has the truth that one run or state shows, where a way ends.
    fn part(&mut self, branching: &Branching, position: usize, so_far: Way) -> Result<WitnessPart, Reason> {
        let index = self.number(branching).expect("it is one of them");
        let (looks, witness) = match &branching.operator {
            Operator::All | Operator::Some | Operator::Strategy(_) => (Vec::new(), self.other_run(branching, so_far)?),
            Operator::Known(knowledge, group) => {
                let (looks, there) = self.look_alike(branching, *knowledge, group, so_far.end())?;
                (looks, self.ignorance(&branching.body, there)?)
            }
        };
        Ok(WitnessPart { position, formula: index as u32, looks, witness })
    }

    /// A run that goes on from where a way ends, satisfies what is assumed, and makes the body of a path quantifier false, or true
    /// for `E`.
    fn other_run(&mut self, branching: &Branching, way: Way) -> Result<Witness, Reason> {
        let (from, truth) = (way.inputs.len(), branching.operator.witnessed());
        let route = self.run_of(&demands(branching, truth), way)?;
        self.shown(&branching.body, truth, from, route)
    }

    /// Why a state formula is false where a way ends.
    fn ignorance(&mut self, body: &Formula, way: Way) -> Result<Witness, Reason> {
        match body.as_all() {
            Some(inner) => self.other_run(inner, way),
            None => self.shown(body, false, way.inputs.len(), (way, None)),
        }
    }

    /// A state in which what is not known is false, and how one comes there from a state by states that look alike; with
    /// a way that ends in it.
    fn look_alike(
        &mut self,
        branching: &Branching,
        knowledge: Knowledge,
        group: &[InstanceId],
        state: &[Value],
    ) -> Result<(Vec<LooksAlike>, Way), Reason> {
        let views = self.views(knowledge, group);
        let body = self.of_state(&branching.body)?;
        let possible = self.possible_states(branching)?;
        let goal = without(&possible, &body);
        // Sets of states, each of which looks to some agent like one of the set before; the last one has a state of the goal.
        let onwards = |set: &Set| and(&self.alike(&views, set), &possible);
        let here = self.search.space.only(state);
        let (layers, there) = layers(onwards(&here), &goal, onwards).expect("it is not known");
        let mut chain = vec![self.search.space.some_state(&there)];
        let mut observers = Vec::new();
        for layer in layers[..layers.len() - 1].iter().rev().chain([&here]) {
            let only = self.search.space.only(chain.last().expect("the last one"));
            let like = |(_, hidden): &&(_, Levels)| !and(&exists(&only, *hidden), layer).is_false();
            let (view, hidden) = views.iter().find(like).expect("it looks like one of the set before");
            observers.push(view.clone());
            chain.push(self.search.space.some_state(&and(&exists(&only, *hidden), layer)));
        }
        // The last one is the state itself.
        chain.pop();
        let end = chain.len() - 1;
        let (mut looks, mut last) = (Vec::new(), None);
        for (place, (state, observers)) in chain.into_iter().zip(observers).rev().enumerate() {
            let there = if place < WITH_RUNS || place == end {
                let way = self.way_to(&state);
                let trace = self.trace(&(way.clone(), None));
                last = Some(way);
                Lookalike::Run(trace)
            } else {
                Lookalike::State(self.state(&state))
            };
            looks.push(LooksAlike { observers, there });
        }
        Ok((looks, last.expect("the last one comes with a run")))
    }

    fn way_to(&self, state: &[Value]) -> Way {
        let only = self.search.space.only(state);
        self.search.way(&self.search.steps.initial, &self.reachable, &only).expect("it is reachable")
    }

    fn state(&self, state: &[Value]) -> State {
        let parts = self.system.by_instance(state.to_vec());
        self.semantics.state_from(&parts).expect("it is a state of the model")
    }
}
