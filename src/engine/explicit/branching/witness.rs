//! Runs that show why a formula is false, and further runs for the branching formulas in it.

use super::Judge;
use super::knowledge::classes;
use super::runs::{Route, Runs};
use crate::claim::branching::{Lookalike, LooksAlike, Witness, WitnessPart};
use crate::claim::explicit::Incomplete;
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::{Influence, Run, Truth};
use crate::model::{Formula, InstanceId};
use std::collections::VecDeque;

/// So many states at the beginning of a chain, and the last one, come with runs that end in them.
const WITH_RUNS: usize = 4;

/// The beginning of a run, on the graph.
#[derive(Clone)]
struct Way {
    start: u32,
    /// The state that each step leaves, and its number there.
    steps: Vec<(u32, usize)>,
    /// Where the last one leads.
    end: u32,
}

impl Judge<'_> {
    /// Some run from an initial state that makes a formula false.
    pub fn violation(&self, formula: &Formula, runs: &mut Runs) -> Result<Witness, Incomplete> {
        self.falsified(formula, false, runs, |route| {
            let start = route.stem.first().or(route.again.first()).map_or(route.end, |(state, _)| *state);
            Way { start, steps: Vec::new(), end: start }
        })
    }

    /// A run that a search found, behind some beginning: if it is enough, one without a loop.
    fn falsified(
        &self,
        formula: &Formula,
        truth: bool,
        runs: &mut Runs,
        beginning: impl Fn(&Route) -> Way,
    ) -> Result<Witness, Incomplete> {
        let labels = self.known_labels();
        for is_beginning in [true, false] {
            let starts = runs.starts();
            let route = runs.route(starts.into_iter(), &labels, is_beginning).expect("there is such a run");
            let way = beginning(&route);
            if let Some(witness) = self.shown(formula, truth, &way, Some(route))? {
                return Ok(witness);
            }
        }
        unreachable!("the formula has this truth on the lasso")
    }

    fn way(&self, state: u32) -> Way {
        let (start, steps) = self.graph.way(state);
        Way { start, steps, end: state }
    }

    /// What a run shows that begins like this and goes on so: that a formula has this truth behind the beginning.
    fn shown(
        &self,
        formula: &Formula,
        truth: bool,
        beginning: &Way,
        rest: Option<Route>,
    ) -> Result<Option<Witness>, Incomplete> {
        let from = beginning.steps.len();
        let mut steps = beginning.steps.clone();
        let mut loop_start = None;
        let mut last = beginning.end;
        if let Some(Route { stem, again, end }) = rest {
            steps.extend(stem);
            loop_start = (!again.is_empty()).then_some(steps.len());
            last = end;
            steps.extend(again);
        }
        let states: Vec<u32> = steps.iter().map(|(state, _)| *state).chain([last]).collect();
        let trace = self.graph.trace(beginning.start, &steps, loop_start);
        let model = self.semantics.model();
        let initial = self.semantics.state_from(&trace.initial).expect("it is a state of the model");
        let influence = Influence::of(model, formula);
        let run = Run::replay(self.semantics, initial, &trace.choices, loop_start, &influence);
        let run = run.expect("the graph has runs of the model only");
        let given = |branching: &Branching, position: usize| match self.number(branching) {
            Some(index) => Truth::from(self.labels[index][states[position] as usize]),
            None => Truth::Unknown,
        };
        let Some(explanation) = run.explain_given(formula, from, truth, &given) else { return Ok(None) };
        let mut parts = Vec::new();
        for (position, branching, truth) in &explanation.branching {
            if *truth == branching.operator.witnessed() {
                let (start, steps) = (beginning.start, steps[..*position].to_vec());
                parts.push(self.part(branching, *position, &Way { start, steps, end: states[*position] })?);
            }
        }
        Ok(Some(Witness { trace, from, parts }))
    }

    fn number(&self, branching: &Branching) -> Option<usize> {
        self.list.iter().position(|other| *other == branching)
    }

    /// Why a branching formula has the truth that one run or state shows.
    fn part(&self, branching: &Branching, position: usize, so_far: &Way) -> Result<WitnessPart, Incomplete> {
        let index = self.number(branching).expect("it is one of them");
        let (looks, witness) = match &branching.operator {
            Operator::All | Operator::Some | Operator::Strategy(_) => (Vec::new(), self.other_run(index, so_far)?),
            Operator::Known(knowledge, group) => {
                let (looks, there) = self.look_alike(index, *knowledge, group, so_far.end);
                (looks, self.ignorance(&branching.body, &self.way(there))?)
            }
        };
        Ok(WitnessPart { position, formula: index as u32, looks, witness })
    }

    /// Another run from where a beginning ends, which makes the body of a path quantifier false, or true for `E`.
    fn other_run(&self, index: usize, beginning: &Way) -> Result<Witness, Incomplete> {
        let question = self.questions.of_runs[index].as_ref().expect("it is a path quantifier");
        let mut runs = self.runs(question, beginning.end..beginning.end + 1)?;
        let branching = self.list[index];
        self.falsified(&branching.body, branching.operator.witnessed(), &mut runs, |_| beginning.clone())
    }

    /// Why a state formula is false where a way ends.
    fn ignorance(&self, body: &Formula, way: &Way) -> Result<Witness, Incomplete> {
        match body {
            Formula::Branching(inner) if inner.operator == Operator::All => {
                self.other_run(self.number(inner).expect("it is one of them"), way)
            }
            other => Ok(self.shown(other, false, way, None)?.expect("a state formula is false or true")),
        }
    }

    /// A state in which what is not known is false, and how one comes there from a state by states that look alike.
    fn look_alike(
        &self,
        index: usize,
        knowledge: Knowledge,
        group: &[InstanceId],
        state: u32,
    ) -> (Vec<LooksAlike>, u32) {
        let possible = self.possible[index].as_ref();
        let is_possible = |state: u32| possible.is_none_or(|known| known[state as usize]);
        let body = &self.list[index].body;
        let is_bad = |state: u32| is_possible(state) && !self.holds(body, state);
        let views: Vec<(Vec<InstanceId>, Vec<u32>)> = match knowledge {
            Knowledge::Distributed => vec![(group.to_vec(), classes(self.graph, group))],
            _ => group.iter().map(|member| (vec![*member], classes(self.graph, &[*member]))).collect(),
        };
        // Per view and class the states in it that nobody has come to yet.
        let mut unseen: Vec<Vec<Vec<u32>>> = Vec::new();
        for (_, classes) in &views {
            let mut members = vec![Vec::new(); classes.iter().max().map_or(0, |most| *most as usize + 1)];
            (0..self.graph.len() as u32).for_each(|state| members[classes[state as usize] as usize].push(state));
            unseen.push(members);
        }
        // Breadth first; without common knowledge one look is enough.
        let mut parents: Vec<Option<(u32, usize)>> = vec![None; self.graph.len()];
        let mut queue = VecDeque::from([state]);
        let mut end = None;
        'search: while let Some(here) = queue.pop_front() {
            for (number, (_, classes)) in views.iter().enumerate() {
                let alike = std::mem::take(&mut unseen[number][classes[here as usize] as usize]);
                for there in alike.into_iter().filter(|there| is_possible(*there)) {
                    if parents[there as usize].is_some() || there == state && !is_bad(there) {
                        continue;
                    }
                    parents[there as usize] = Some((here, number));
                    if is_bad(there) {
                        end = Some(there);
                        break 'search;
                    }
                    if knowledge == Knowledge::Common {
                        queue.push_back(there);
                    }
                }
            }
        }
        let end = end.expect("its label says so");
        let (mut chain, mut at) = (Vec::new(), end);
        loop {
            let (before, number) = parents[at as usize].expect("it was found");
            chain.push((at, number));
            if before == state {
                break;
            }
            at = before;
        }
        let last = chain.len() - 1;
        let looks = chain.into_iter().rev().enumerate().map(|(index, (at, number))| {
            let there = if index < WITH_RUNS || index == last {
                let way = self.way(at);
                Lookalike::Run(self.graph.trace(way.start, &way.steps, None))
            } else {
                Lookalike::State(self.graph.state(at))
            };
            LooksAlike { observers: views[number].0.clone(), there }
        });
        (looks.collect(), end)
    }
}
