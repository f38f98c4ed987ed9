//! Runs that show why a formula is false, and further runs for the branching formulas in it.

use super::branching::Judge;
use super::product::Solution;
use super::search::{Way, layers};
use crate::claim::branching::{Lookalike, LooksAlike, Witness, WitnessPart};
use crate::diagrams::{BitSet, Set, and, exists, without};
use crate::limits::Reason;
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::{Influence, Run, State, Trace, Truth};
use crate::model::{Formula, InstanceId, Value};

/// The number of states at the beginning of a chain that, like the last one, come with runs that end in them.
const WITH_RUNS: usize = 4;

/// A run: a path, and the position where its loop begins.
pub type Route = (Way, Option<usize>);

impl Judge<'_> {
    /// A run from one of these initial states that makes a formula false.
    pub(super) fn violation(
        &mut self,
        formula: &Formula,
        solution: &Solution,
        starts: &Set,
    ) -> Result<Witness, Reason> {
        let start = self.search.space.some_state(starts);
        let route = self.violating(solution, Way::at(start));
        self.shown(formula, false, 0, route)
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
            .filter(|(_, branching, truth)| branching.operator.is_witnessed(*truth))
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
            Operator::All | Operator::Some | Operator::Strategy(..) => (Vec::new(), self.other_run(branching, so_far)?),
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
        let solution = self.number(branching).and_then(|number| self.solutions[number].as_ref());
        let route = self.violating(solution.expect("it is about runs"), way);
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
        let possible = self.possible[self.number(branching).expect("it is one of them")].clone();
        let goal = without(&possible, &body);
        // Sets of states, each of which looks to some agent like one of the set before; the last one has a state of the goal.
        let onwards = |set: &Set| and(&self.alike(&views, set), &possible);
        let here = self.search.space.only(state);
        let (layers, there) = layers(onwards(&here), &goal, onwards).expect("it is not known");
        let mut chain = vec![self.search.space.some_state(&there)];
        let mut observers = Vec::new();
        for layer in layers[..layers.len() - 1].iter().rev().chain([&here]) {
            let only = self.search.space.only(chain.last().expect("the last one"));
            let like = |(_, hidden): &&(_, BitSet)| !and(&exists(&only, *hidden), layer).is_false();
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
