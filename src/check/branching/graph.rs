//! The reachable states, found anew.

use super::Unlabelled;
use crate::claim::branching::Labelling;
use crate::limits::tick;
use crate::model::eval::tables::{Facts, LocalState, Possible, Space, Starts, Tables};
use crate::model::eval::{Influence, Semantics, State};
use crate::model::{InstanceId, LocalId, Value};
use crate::records::{Layout, Records};
use std::ops::ControlFlow;
use std::sync::Arc;

/// About how many states are looked at a second time, with the steps that the semantics lists.
const SECOND_LOOKS: usize = 64;

/// Numbers of local states, and values of others' variables.
pub type Seen<'e> = (Vec<u32>, Vec<&'e Value>);

/// States by numbers, and the steps between them.
pub struct Explored<'a> {
    tables: Tables<'a, 'a>,
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
    ) -> Result<Option<Explored<'a>>, Unlabelled> {
        let Some(starts) = Starts::of(semantics).map_err(Unlabelled::NotEnumerable)? else { return Ok(None) };
        let mut tables = Tables::new(semantics, influence, facts, &starts);
        let layout = Layout::up_to(&vec![u32::MAX; tables.instances()]);
        let (mut rows, mut record, mut initial) = (Records::new(layout.width()), Vec::new(), Vec::new());
        let listed = tables.initial(&starts).map_err(Unlabelled::NotEnumerable)?;
        let _ = listed.for_each(&mut |row| {
            layout.pack(row, &mut record).expect("there is room for all numbers");
            let number = rows.insert(&record);
            if number as usize == initial.len() {
                initial.push(number);
            }
            ControlFlow::<()>::Continue(())
        });
        let (facts, steps, space) = (Vec::new(), Vec::new(), Space::default());
        let mut explored = Explored { tables, layout, rows, initial, facts, steps, space, record };
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
            let Explored { tables, layout, rows, space, record, .. } = &mut *self;
            let complete = tables.steps(&row, space, &mut possible, &mut |step| {
                target.clone_from(&row);
                step.change(&mut target);
                layout.pack(&target, record).expect("there is room for all numbers");
                steps.push((rows.insert(record), step.letter));
            });
            match complete {
                Ok(()) => break steps,
                Err(missing) => self.tables.fill(missing),
            }
        };
        let mut facts = vec![0; self.tables.facts().len().div_ceil(64)];
        let every = vec![u64::MAX; facts.len()];
        self.tables.state_facts(&row, &possible, &every, &mut facts);
        self.facts.push(facts);
        self.steps.push(steps);
    }

    /// That the tables have exactly the steps that the semantics lists.
    fn look_again(&mut self, state: u32) -> Result<(), Unlabelled> {
        let here = self.tables.state(&self.row(state));
        let listed = self.tables.semantics().steps(&here);
        let mut listed: Vec<Option<u32>> = listed.iter().map(|step| self.find(&step.target)).collect();
        let mut known: Vec<Option<u32>> = self.steps[state as usize].iter().map(|(to, _)| Some(*to)).collect();
        listed.sort_unstable();
        known.sort_unstable();
        if listed == known { Ok(()) } else { Err(Unlabelled::OtherSteps) }
    }

    /// The number of a state of the model.
    pub fn find(&mut self, state: &State) -> Option<u32> {
        let row = self.tables.row(state);
        let mut record = Vec::new();
        self.layout.pack(&row, &mut record)?;
        self.rows.find(&record)
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
        self.steps[state as usize].iter().map(|(target, letter)| (*target, self.tables.letter(*letter)))
    }

    /// The local states that occur.
    pub fn local_states(&self) -> Vec<Vec<Arc<LocalState>>> {
        (0..self.tables.instances()).map(|instance| self.tables.local_states(instance).to_vec()).collect()
    }

    /// The local states of a state, by their numbers.
    pub fn row(&self, state: u32) -> Vec<u32> {
        let mut row = Vec::new();
        self.layout.unpack(self.rows.get(state), &mut row);
        row
    }

    /// What members of a group see in a state: their local states, and what they see of others.
    pub fn seen(&self, state: u32, group: &[InstanceId]) -> Seen<'_> {
        let (record, model) = (self.rows.get(state), self.tables.semantics().model());
        let number = |instance: InstanceId| self.layout.get(record, instance.index());
        let of_others = |(other, local): &(InstanceId, LocalId)| {
            let kept = self.tables.kept(other.index());
            let place = kept.binary_search(local).expect("what is seen matters");
            &self.tables.local_states(other.index())[number(*other) as usize].values[place]
        };
        let others = group.iter().flat_map(|member| model.seen_of_others(*member)).map(of_others).collect();
        (group.iter().map(|member| number(*member)).collect(), others)
    }

    /// Per state of a labelling its number here; all states must be there, each once.
    pub fn identify(&mut self, labelling: &Labelling) -> Result<Vec<u32>, Unlabelled> {
        let malformed = |what: &str| Unlabelled::Malformed(what.to_owned());
        let instances = self.tables.instances();
        if labelling.local_states.len() != instances {
            return Err(malformed("another number of instances"));
        }
        let mut local_states: Vec<Vec<u32>> = Vec::new();
        for (instance, list) in (0..instances as u32).map(InstanceId).zip(&labelling.local_states) {
            let number = |local_state: &Arc<LocalState>| self.tables.number(instance, LocalState::clone(local_state));
            let list = list.iter().map(number).collect::<Result<Vec<_>, _>>();
            local_states.push(list.map_err(|error| malformed(&error.to_string()))?);
        }
        let (mut numbers, mut record) = (Vec::new(), Vec::new());
        let mut known = vec![false; self.len()];
        for row in &labelling.states {
            tick();
            let named = row.iter().zip(&local_states).map(|(number, list)| list.get(*number as usize).copied());
            let row =
                named.collect::<Option<Vec<u32>>>().filter(|named| named.len() == instances && row.len() == instances);
            let row = row.ok_or_else(|| malformed("a state refers to something missing"))?;
            let number = self.layout.pack(&row, &mut record).and_then(|()| self.rows.find(&record));
            let number = number.ok_or(Unlabelled::Unreachable)?;
            if std::mem::replace(&mut known[number as usize], true) {
                return Err(malformed("a state stands there twice"));
            }
            numbers.push(number);
        }
        if numbers.len() == self.len() { Ok(numbers) } else { Err(Unlabelled::StateMissing) }
    }
}
