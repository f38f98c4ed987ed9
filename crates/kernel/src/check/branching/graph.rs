//! The reachable states, found anew.

use super::Unlabelled;
use crate::check::explicit::Unproved;
use crate::check::explicit::graph::{GraphCheck, Symmetric};
use crate::claim::branching::Labelling;
use crate::limits::tick;
use crate::model::eval::tables::{Facts, LocalState, Possible, Space, Starts};
use crate::model::eval::{Influence, Semantics, State};
use crate::model::{InstanceId, LocalId, Model, Value};
use crate::records::{Layout, Records};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// About how many states are looked at a second time, with the steps that the semantics lists.
const SECOND_LOOKS: usize = 64;

/// The view of some agents: their local states by numbers, ascending, and the values of others' variables.
pub type Seen<'e> = (Vec<(u32, u32)>, Vec<&'e Value>);

/// States by numbers, and the steps between them. With symmetries a state stands for its images, and steps lead to those that stand for
/// where they lead.
pub struct Explored<'a> {
    model: &'a Model,
    graph: GraphCheck<'a>,
    layout: Layout,
    rows: Records,
    initial: Vec<u32>,
    facts: Vec<Vec<u64>>,
    /// Per state where each step leads, and the number of its letter.
    steps: Vec<Vec<(u32, u32)>>,
    space: Space,
    record: Vec<u64>,
}

impl<'a> Explored<'a> {
    /// Visits all states; without initial values there is none.
    pub fn all(
        semantics: &'a Semantics<'a>,
        influence: &Influence,
        facts: &Facts<'a>,
        symmetric: &'a Symmetric<'a>,
    ) -> Result<Option<Explored<'a>>, Unlabelled> {
        let Some(starts) = Starts::of(semantics).map_err(Unlabelled::NotEnumerable)? else { return Ok(None) };
        let graph = GraphCheck::new(semantics, influence, facts, symmetric, &starts)?;
        let layout = Layout::up_to(&vec![u32::MAX; graph.tables().instances()]);
        let (mut rows, mut record, mut initial) = (Records::new(layout.width()), Vec::new(), Vec::new());
        graph.for_each_initial(&mut |row| {
            layout.pack(row, &mut record).expect("there is room for all numbers");
            let number = rows.insert(&record);
            if number as usize == initial.len() {
                initial.push(number);
            }
        });
        let (facts, steps, space) = (Vec::new(), Vec::new(), Space::default());
        let model = semantics.model();
        let mut explored = Explored { model, graph, layout, rows, initial, facts, steps, space, record };
        while explored.steps.len() < explored.rows.len() {
            explored.visit(explored.steps.len() as u32);
        }
        let stride = (explored.len() / SECOND_LOOKS).max(1);
        for state in (0..explored.len() as u32).step_by(stride) {
            explored.look_again(state)?;
        }
        Ok(Some(explored))
    }

    fn visit(&mut self, state: u32) {
        tick();
        let row = self.row(state);
        let (mut target, mut possible) = (Vec::new(), Possible::default());
        let steps = loop {
            let mut steps = Vec::new();
            let Explored { graph, layout, rows, space, record, .. } = &mut *self;
            let complete = graph.tables().steps(&row, space, &mut possible, &mut |step| {
                target.clone_from(&row);
                step.change(&mut target);
                graph.canonicalise(&mut target, &mut |_| {});
                layout.pack(&target, record).expect("there is room for all numbers");
                steps.push((rows.insert(record), step.letter));
            });
            match complete {
                Ok(()) => break steps,
                Err(missing) => self.graph.fill(missing),
            }
        };
        let mut facts = vec![0; self.graph.tables().facts().len().div_ceil(64)];
        let every = vec![u64::MAX; facts.len()];
        self.graph.tables().state_facts(&row, &possible, &every, &mut facts);
        self.facts.push(facts);
        self.steps.push(steps);
    }

    /// That the tables have exactly the steps that the semantics lists.
    fn look_again(&mut self, state: u32) -> Result<(), Unlabelled> {
        let here = self.graph.tables().state(&self.row(state));
        let listed = self.graph.tables().semantics().steps(&here);
        let mut listed: Vec<Option<u32>> = listed.iter().map(|step| self.standing_for(&step.target)).collect();
        let mut known: Vec<Option<u32>> = self.steps[state as usize].iter().map(|(to, _)| Some(*to)).collect();
        listed.sort_unstable();
        known.sort_unstable();
        if listed == known { Ok(()) } else { Err(Unlabelled::OtherSteps) }
    }

    /// The number of the state that a walk down the orbit of a state of the model leads to.
    fn standing_for(&mut self, state: &State) -> Option<u32> {
        let mut row = self.graph.row(state);
        self.graph.canonicalise(&mut row, &mut |_| {});
        self.number(&row)
    }

    fn number(&self, row: &[u32]) -> Option<u32> {
        let mut record = Vec::new();
        self.layout.pack(row, &mut record)?;
        self.rows.find(&record)
    }

    /// The local states of a state of the model.
    pub fn row_of(&mut self, state: &State) -> Vec<u32> {
        self.graph.row(state)
    }

    /// The number of a state of which some row is an image. A walk down its orbit may lead to another one than a run did, so that all of the
    /// orbit is looked through then.
    pub fn find(&mut self, row: &[u32]) -> Option<u32> {
        let mut first = row.to_vec();
        self.graph.canonicalise(&mut first, &mut |_| {});
        if let Some(number) = self.number(&first) {
            return Some(number);
        }
        let mut seen = FxHashSet::from_iter([first.clone()]);
        let mut open = vec![first];
        while let Some(row) = open.pop() {
            tick();
            if let Some(number) = self.number(&row) {
                return Some(number);
            }
            let places: Vec<(u32, u32)> = (0..).zip(row).collect();
            for mut image in self.graph.images(&places) {
                image.sort_unstable();
                let image: Vec<u32> = image.into_iter().map(|(_, number)| number).collect();
                if seen.insert(image.clone()) {
                    open.push(image);
                }
            }
        }
        None
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The initial states.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// The facts about a state.
    pub fn facts(&self, state: u32) -> &[u64] {
        &self.facts[state as usize]
    }

    /// The steps from a state: where they lead, and the facts about them.
    pub fn steps(&self, state: u32) -> impl Iterator<Item = (u32, &[u64])> {
        self.steps[state as usize].iter().map(|(target, letter)| (*target, self.graph.tables().letter(*letter)))
    }

    /// The local states that occur.
    pub fn local_states(&self) -> Vec<Vec<Arc<LocalState>>> {
        let tables = self.graph.tables();
        (0..tables.instances()).map(|instance| tables.local_states(instance).to_vec()).collect()
    }

    /// The local states of a state, by their numbers.
    pub fn row(&self, state: u32) -> Vec<u32> {
        let mut row = Vec::new();
        self.layout.unpack(self.rows.get(state), &mut row);
        row
    }

    /// The view of the members of a group where these are the local states.
    pub fn seen(&self, row: &[u32], group: &[InstanceId]) -> Seen<'_> {
        let of_others = |(other, local): &(InstanceId, LocalId)| {
            let tables = self.graph.tables();
            let place = tables.kept(other.index()).binary_search(local).expect("what is seen matters");
            &tables.local_states(other.index())[row[other.index()] as usize].values[place]
        };
        let others = group.iter().flat_map(|member| self.model.seen_of_others(*member)).map(of_others).collect();
        let mut own: Vec<(u32, u32)> = group.iter().map(|member| (member.0, row[member.index()])).collect();
        own.sort_unstable();
        (own, others)
    }

    /// Views of the groups in some states, with those in images of the states: only their own local states, where there
    /// are symmetries.
    pub fn with_images<'e>(&self, mut seen: FxHashSet<Seen<'e>>) -> FxHashSet<Seen<'e>> {
        if !self.graph.is_symmetric() {
            return seen;
        }
        let mut open: Vec<Vec<(u32, u32)>> = seen.iter().map(|(own, _)| own.clone()).collect();
        while let Some(own) = open.pop() {
            tick();
            for mut image in self.graph.images(&own) {
                image.sort_unstable();
                if seen.insert((image.clone(), Vec::new())) {
                    open.push(image);
                }
            }
        }
        seen
    }

    /// Per state of a labelling its number here; all states must be there, each once. Local states have the numbers that they have there.
    pub fn identify(&mut self, labelling: &Labelling) -> Result<Vec<u32>, Unlabelled> {
        let malformed = |what: &str| Unlabelled::Malformed(what.to_owned());
        let mut numbers = Vec::new();
        let mut known = vec![false; self.len()];
        for row in &labelling.states {
            tick();
            let of_the_claim = row.len() == labelling.local_states.len()
                && row.iter().zip(&labelling.local_states).all(|(number, list)| (*number as usize) < list.len());
            if !of_the_claim {
                return Err(malformed("a state refers to something missing"));
            }
            let number = self.layout.pack(row, &mut self.record).and_then(|()| self.rows.find(&self.record));
            let number = number.ok_or(Unlabelled::Unreachable)?;
            if std::mem::replace(&mut known[number as usize], true) {
                return Err(malformed("a state stands there twice"));
            }
            numbers.push(number);
        }
        if numbers.len() == self.len() { Ok(numbers) } else { Err(Unlabelled::StateMissing) }
    }
}

impl From<Unproved> for Unlabelled {
    fn from(why: Unproved) -> Unlabelled {
        match why {
            Unproved::Malformed(what) => Unlabelled::Malformed(what),
            Unproved::NotEnumerable(reason) => Unlabelled::NotEnumerable(reason),
            Unproved::NoSymmetry(why) => Unlabelled::NoSymmetry(why),
            other => unreachable!("{other} is about members"),
        }
    }
}
