//! Runs that show why a formula is false, and further runs for the branching formulas in it.

use super::super::path::Unfolded;
use super::Judge;
use super::knowledge::Sights;
use super::runs::{Route, Runs};
use crate::claim::branching::{Lookalike, LooksAlike, Witness, WitnessPart};
use crate::claim::explicit::Incomplete;
use crate::claim::symmetry::Renaming;
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::{Influence, Run, Truth};
use crate::model::{Formula, InstanceId};
use std::collections::VecDeque;

/// The number of states at the beginning of a chain that, like the last one, come with runs that end in them.
const WITH_RUNS: usize = 4;

/// The beginning of a run, on the graph.
#[derive(Clone)]
struct RunPrefix {
    /// Renames the run that the steps are.
    by: Renaming,
    start: u32,
    /// The state that each step leaves, and its number there.
    steps: Vec<(u32, usize)>,
    /// The state that the last one leads to.
    end: u32,
}

impl Judge<'_> {
    /// Some run from an initial state that makes a formula false.
    pub fn violation(&self, formula: &Formula, runs: &mut Runs) -> Result<Witness, Incomplete> {
        self.falsified(formula, false, runs, |route| {
            let start = route.stem.first().or(route.again.first()).map_or(route.end, |(state, _)| *state);
            RunPrefix { by: Renaming::identity(self.graph.model()), start, steps: Vec::new(), end: start }
        })
    }

    /// A run that a search found, behind some beginning: if it is enough, one without a loop.
    fn falsified(
        &self,
        formula: &Formula,
        truth: bool,
        runs: &mut Runs,
        beginning: impl Fn(&Route) -> RunPrefix,
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

    /// A way to the state of the model that a renaming makes of one of the graph.
    fn way(&self, state: u32, renaming: &Renaming) -> RunPrefix {
        let (start, steps) = self.graph.way(state);
        let there = self.graph.run(start, &steps, None, &Renaming::identity(self.graph.model()));
        let by = there.renamings.last().expect("a run has a state").then(renaming);
        RunPrefix { by, start, steps, end: state }
    }

    /// A run that begins like this and goes on so, as the witness that a formula has this truth behind the beginning.
    fn shown(
        &self,
        formula: &Formula,
        truth: bool,
        beginning: &RunPrefix,
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
        let Unfolded { trace, renamings, .. } = self.graph.run(beginning.start, &steps, loop_start, &beginning.by);
        // A loop may close up to a renaming only, and is repeated then.
        if let Some(loop_start) = loop_start {
            let again = steps[loop_start..].to_vec();
            while steps.len() < trace.choices.len() {
                steps.extend_from_slice(&again);
            }
        }
        let states: Vec<u32> = steps.iter().map(|(state, _)| *state).chain([last]).collect();
        let model = self.semantics.model();
        let initial = self.semantics.state_from(&trace.initial).expect("it is a state of the model");
        let influence = Influence::of(model, formula);
        let run = Run::replay(self.semantics, initial, &trace.choices, loop_start, &influence);
        let run = run.expect("the graph has runs of the model only");
        let given = |branching: &Branching, position: usize| match self.number(branching) {
            Some(index) if self.questions.asked[index] => Truth::from(self.labels[index][states[position] as usize]),
            _ => Truth::Unknown,
        };
        let Some(explanation) = run.explain_given(formula, from, truth, &given) else { return Ok(None) };
        let mut parts = Vec::new();
        for (position, branching, truth) in &explanation.branching {
            if branching.operator.is_witnessed(*truth) {
                let (start, steps, by) = (beginning.start, steps[..*position].to_vec(), beginning.by.clone());
                let way = RunPrefix { by, start, steps, end: states[*position] };
                parts.push(self.part(branching, *position, &way, &renamings[*position])?);
            }
        }
        Ok(Some(Witness { trace, from, parts }))
    }

    /// Why a branching formula has the truth that one run or state shows. The renaming makes the state the one of the graph.
    fn part(
        &self,
        branching: &Branching,
        position: usize,
        so_far: &RunPrefix,
        renaming: &Renaming,
    ) -> Result<WitnessPart, Incomplete> {
        let index = self.number(branching).expect("it is one of them");
        let (looks, witness) = match &branching.operator {
            Operator::All | Operator::Some | Operator::Strategy(..) => (Vec::new(), self.other_run(index, so_far)?),
            Operator::Known(knowledge, group) => {
                let (looks, way) = self.look_alike(index, *knowledge, group, so_far.end, renaming)?;
                (looks, self.ignorance(&branching.body, &way)?)
            }
        };
        Ok(WitnessPart { position, formula: index as u32, looks, witness })
    }

    /// Another run from where a beginning ends, which makes the body of a path quantifier false, or true for `E`.
    fn other_run(&self, index: usize, beginning: &RunPrefix) -> Result<Witness, Incomplete> {
        let question = self.questions.of_runs[index].as_ref().expect("it is a path quantifier");
        let mut runs = self.runs(question, beginning.end..beginning.end + 1)?;
        let branching = self.questions.list[index];
        self.falsified(&branching.body, branching.operator.witnessed(), &mut runs, |_| beginning.clone())
    }

    /// Why a state formula is false where a way ends.
    fn ignorance(&self, body: &Formula, way: &RunPrefix) -> Result<Witness, Incomplete> {
        match body.as_all() {
            Some(inner) => self.other_run(self.number(inner).expect("it is one of them"), way),
            None => Ok(self.shown(body, false, way, None)?.expect("a state formula is false or true")),
        }
    }

    /// How one comes to a state in which what is not known is false, from a state by states that look alike, and by a run. The
    /// renaming makes the state of the model at hand that of the graph.
    fn look_alike(
        &self,
        index: usize,
        knowledge: Knowledge,
        group: &[InstanceId],
        state: u32,
        renaming: &Renaming,
    ) -> Result<(Vec<LooksAlike>, RunPrefix), Incomplete> {
        let possible = self.possible[index].as_ref();
        let is_possible = |state: u32| possible.is_none_or(|known| known[state as usize]);
        let body = &self.questions.list[index].body;
        let is_bad = |state: u32| is_possible(state) && !self.holds(body, state);
        let sights = Sights::new(self.graph, knowledge, group, self.config)?;
        // Per orbit of sights the views and states with it that were not reached yet.
        let mut unseen: Vec<Vec<(usize, u32)>> = vec![Vec::new(); sights.count];
        for (view, orbits) in sights.orbits.iter().enumerate() {
            orbits.iter().zip(0..).for_each(|(orbit, state)| unseen[*orbit as usize].push((view, state)));
        }
        // Breadth first; without common knowledge one look is enough.
        let mut parents: Vec<Option<LookalikePath>> = vec![None; self.graph.len()];
        let mut queue = VecDeque::from([state]);
        let mut end = None;
        'search: while let Some(here) = queue.pop_front() {
            for (view, orbits) in sights.orbits.iter().enumerate() {
                let alike = std::mem::take(&mut unseen[orbits[here as usize] as usize]);
                for (seen_by, there) in alike.into_iter().filter(|(_, there)| is_possible(*there)) {
                    if parents[there as usize].is_some() || there == state && !is_bad(there) {
                        continue;
                    }
                    parents[there as usize] = Some(LookalikePath { from: here, view, seen_by });
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
            let look = parents[at as usize].expect("it was found");
            chain.push((at, look));
            if look.from == state {
                break;
            }
            at = look.from;
        }
        let last = chain.len() - 1;
        let (mut looks, mut way, mut back) = (Vec::new(), None, renaming.inverse());
        for (index, (at, look)) in chain.into_iter().rev().enumerate() {
            // Makes of the sight there what is seen here, first in the graph, then in the model.
            let observers = match knowledge {
                Knowledge::Distributed => group.to_vec(),
                _ => {
                    let images = sights.members(look.view).iter().map(|member| back.instances[member.index()]);
                    images.map(InstanceId).collect()
                }
            };
            back = sights.between((look.seen_by, at), (look.view, look.from)).then(&back);
            let there = if index < WITH_RUNS || index == last {
                let to = self.way(at, &back);
                let run = self.graph.run(to.start, &to.steps, None, &to.by);
                way = Some(to);
                Lookalike::Run(run.trace)
            } else {
                Lookalike::State(self.graph.state(at, &back))
            };
            looks.push(LooksAlike { observers, there });
        }
        Ok((looks, way.expect("a chain has a state")))
    }
}

/// How a state of the graph was found that looks like another one.
#[derive(Clone, Copy)]
struct LookalikePath {
    /// The other one.
    from: u32,
    /// A view in that state.
    view: usize,
    /// The view that has a sight of the same orbit in the new one.
    seen_by: usize,
}
