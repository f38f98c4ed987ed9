//! The reachable states of a claim, with the steps between them.

use crate::check::Refused;
use crate::check::explicit::graph::{FoundSteps, GraphCheck, MemberRecord, StateSpace, StepList, Symmetric};
use crate::claim::branching::Labelling;
use crate::limits::tick;
use crate::model::eval::tables::{Facts, Starts};
use crate::model::eval::{Decisions, Influence, Semantics, State};
use crate::model::{InstanceId, LocalId, Model, Value};
use crate::records::{Layout, Records, bits};
use rustc_hash::FxHashSet;

/// About how many states are looked at a second time, with the steps that the semantics lists.
const SECOND_LOOKS: usize = 64;

/// The view of some agents: their local states by numbers, ascending, and the values of others' variables.
pub type Seen<'e> = (Vec<(u32, u32)>, Vec<&'e Value>);

/// States by numbers, and the steps between them. With symmetries a state stands for its images, and steps lead to those that stand for
/// where they lead.
pub struct Reached<'a> {
    model: &'a Model,
    graph: GraphCheck<'a>,
    layout: Layout,
    rows: Records,
    /// How many of them are initial: the first ones.
    initial: u32,
    facts: Vec<Vec<u64>>,
    /// Per state where each step leads, and the number of its letter.
    steps: Vec<Vec<(u32, u32)>>,
}

impl<'a> Reached<'a> {
    /// Checks that the states of a claim are the reachable ones; without initial values there is none.
    pub fn of(
        semantics: &'a Semantics<'a>,
        influence: &Influence,
        facts: &Facts<'a>,
        symmetric: &'a Symmetric<'a>,
        claimed: &Labelling,
    ) -> Result<Option<Reached<'a>>, Refused> {
        let Some(starts) = Starts::of(semantics).map_err(Refused::not_enumerable)? else { return Ok(None) };
        let graph = GraphCheck::new(semantics, influence, facts, symmetric, &starts)?;
        let counts = claimed.local_states.iter().map(|list| list.len().saturating_sub(1) as u32);
        let layout = Layout::up_to(&counts.collect::<Vec<_>>());
        let rows = Records::new(layout.width());
        let (facts, steps, model) = (Vec::new(), Vec::new(), semantics.model());
        let mut reached = Reached { model, graph, layout, rows, initial: 0, facts, steps };
        reached.read(claimed)?;
        reached.find_steps()?;
        let stride = (reached.len() / SECOND_LOOKS).max(1);
        for state in (0..reached.len() as u32).step_by(stride) {
            let row = reached.row(state);
            if !reached.graph.are_steps_right(&row) {
                return Err(Refused::wrong("the tables have other steps than the semantics"));
            }
        }
        Ok(Some(reached))
    }

    /// The states of the claim, of which those at the beginning have to be the initial ones.
    fn read(&mut self, claimed: &Labelling) -> Result<(), Refused> {
        let malformed = |what: &str| Refused::malformed(what);
        let mut record = Vec::new();
        for (number, row) in claimed.states.iter().enumerate() {
            tick();
            if row.len() != self.graph.width() || !self.graph.has(row) {
                return Err(malformed("a state refers to something missing"));
            }
            self.layout.pack(row, &mut record).expect("there is room for all local states");
            if self.rows.insert(&record) as usize != number {
                return Err(malformed("a state stands there twice"));
            }
        }
        let mut initial = FxHashSet::default();
        let all_there = self.graph.all_initial(&mut |row| {
            let number = self.number(row);
            initial.extend(number);
            number.is_some()
        });
        self.initial = initial.len() as u32;
        if !all_there {
            return Err(Refused::state_missing());
        }
        if initial.into_iter().all(|state| state < self.initial) { Ok(()) } else { Err(Refused::unreachable()) }
    }

    /// The steps, which have to lead to states of the claim, and to each that is not initial from one before it.
    fn find_steps(&mut self) -> Result<(), Refused> {
        let mut is_found: Vec<bool> = (0..self.len() as u32).map(|state| state < self.initial).collect();
        let (mut found, mut record) = (FoundSteps::default(), Vec::new());
        let every = vec![u64::MAX; bits::words(self.graph.tables().facts().len())];
        for state in 0..self.len() as u32 {
            tick();
            if !is_found[state as usize] {
                return Err(Refused::unreachable());
            }
            let row = self.row(state);
            self.layout.pack(&row, &mut record).expect("it was packed before");
            let member = MemberRecord { layout: &self.layout, record: &record };
            self.graph.find_steps(&row, member, &every, &mut found);
            let width = self.layout.width();
            let mut steps = Vec::new();
            let StepList { letters, targets, fits, .. } = &found.steps;
            for (index, letter) in letters.iter().enumerate() {
                let target = self.rows.find(&targets[index * width..(index + 1) * width]);
                let target = target.filter(|_| fits[index]).ok_or_else(Refused::state_missing)?;
                is_found[target as usize] = true;
                steps.push((target, *letter));
            }
            self.steps.push(steps);
            self.facts.push(found.facts.clone());
        }
        Ok(())
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

    /// The facts about a state.
    pub fn facts(&self, state: u32) -> &[u64] {
        &self.facts[state as usize]
    }

    /// Adds the states in which a formula is true, as a fact.
    pub fn label(&mut self, fact: usize, label: &[bool]) {
        self.facts.iter_mut().zip(label).filter(|(_, is)| **is).for_each(|(facts, _)| bits::set(facts, fact));
    }

    /// The decisions for each step from a state, and where it leads.
    pub fn decisions(&self, state: u32) -> Vec<(Decisions, u32)> {
        let decisions = self.graph.tables().decisions(&self.row(state)).expect("the steps were found before");
        decisions.into_iter().zip(self.steps[state as usize].iter().map(|(target, _)| *target)).collect()
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
            &tables.cells()[other.index()].local_states()[row[other.index()] as usize].values[place]
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
}

impl StateSpace for Reached<'_> {
    fn width(&self) -> usize {
        1
    }

    fn has(&self, state: &[u32]) -> bool {
        (state[0] as usize) < self.len()
    }

    fn all_initial(&self, predicate: &mut dyn FnMut(&[u32]) -> bool) -> bool {
        (0..self.initial).all(|state| predicate(&[state]))
    }

    fn letter(&self, number: u32) -> &[u64] {
        self.graph.letter(number)
    }

    fn find_steps(&mut self, state: &[u32], member: MemberRecord, wanted: &[u64], found: &mut FoundSteps) {
        found.steps.clear();
        for (target, letter) in &self.steps[state[0] as usize] {
            found.steps.add(*letter, member, [(0, *target)].into_iter());
        }
        found.facts.clear();
        found.facts.extend(self.facts(state[0]).iter().zip(wanted).map(|(facts, wanted)| facts & wanted));
    }

    /// They were compared before.
    fn are_steps_right(&mut self, _: &[u32]) -> bool {
        true
    }
}
