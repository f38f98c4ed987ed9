//! The steps of a model from tables, for explorations.
//!
//! The contribution of an instance to a step depends on its automaton state and locals, its *local state*, and on those
//! of the one that it meets; nothing depends on all instances together. So local states are numbered, instance by
//! instance, and the concrete semantics is asked once about each local state, each message and local state of a
//! receiver, and each two local states that meet in a get/supply. A state is a *row*: a local state per instance. The
//! steps from a row are combinations of what the tables say.
//!
//! Local states have the locals that influence runs and facts ([`Influence`]) only; the others have some initial value.
//!
//! [`Tables::steps`] reads and never asks; what the tables lack, it names ([`Missing`]), and [`Tables::fill`] asks the
//! semantics. So several threads can read at the same time.
//!
//! All entries are answers of the semantics, and integers stay unbounded, as a local state has them as values. Where
//! all agents act at once there would be too many: [`joint`] compiles their protocols and updates. Models in which one instance has most of the state gain least, since each local state costs a call
//! of the semantics.
//!
//! Tables of the terms of a [system](crate::ts::system) would be as fast and as small (measured on 15 models). They would
//! come in addition: the check of explorations uses these ones, and shares nothing with terms.

mod facts;
mod fill;
mod initial;
mod joint;
mod pairs;

pub use facts::{Fact, Facts, Possible};
pub use initial::{Initial, Starts};

use super::value::holds;
use super::{Choice, Influence, Semantics, State, StateError};
use crate::limits::ticks;
use crate::model::formula::StateLeaf;
use crate::model::{EdgeId, InstanceId, LocalId, MessageId, Value};
use crate::records::{Records, bits};
use facts::{Circuit, StateParts};
use joint::JointTables;
use pairs::Pairs;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The automaton state and the locals of an instance, as far as they matter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalState {
    /// The automaton state.
    pub automaton: u32,
    /// The values of the locals that matter, in their order.
    pub values: Box<[Value]>,
}

/// An entry that a step needs and the tables do not have yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A local state without a number, of an instance in a model whose agents act all at once.
    LocalState(InstanceId, Box<[Value]>),
    /// The commands that an instance can begin in a local state.
    Offers(InstanceId, u32),
    /// The reaction of an instance in a local state to a message.
    Reaction(u32, InstanceId, u32),
    /// The meetings of two instances: a get of the first with a supply of the second.
    Meeting((InstanceId, u32), (InstanceId, u32)),
    /// The facts of two parts of a step together.
    Union(u32, u32),
}

/// A step from a row.
#[derive(Clone, Copy, Debug)]
pub struct TableStep<'a> {
    /// The local states that change.
    pub changes: &'a [(u32, u32)],
    /// The facts about the step, of [`Tables::letter`].
    pub letter: u32,
    kind: StepKind<'a>,
}

impl TableStep<'_> {
    /// Makes the row that it leaves the one that it leads to.
    #[inline]
    pub fn change(&self, row: &mut [u32]) {
        self.changes.iter().for_each(|(instance, local_state)| row[*instance as usize] = *local_state);
    }
}

#[derive(Clone, Copy, Debug)]
enum StepKind<'a> {
    /// An offer, and the takings of its receivers.
    Send(u32, &'a [u32]),
    Meeting(u32),
    /// The deed of each instance.
    Joint(&'a [(InstanceId, EdgeId)]),
    Stutter,
}

/// A message that an instance can send, and what that does to itself.
#[derive(Clone, Copy, Debug)]
struct Offer {
    message: u32,
    edge: EdgeId,
    target: u32,
    letter: u32,
    /// True if no agent can receive it or keep it from being sent.
    alone: bool,
}

/// The common part of all offers to which each agent reacts in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SentMessage {
    sender: InstanceId,
    edge: EdgeId,
    channel: Value,
    data: Vec<(MessageId, Value)>,
    /// The values of the sender that the send guard reads.
    guard_reads: Vec<Value>,
}

/// A receive that an instance can take.
#[derive(Clone, Copy, Debug)]
struct Taking {
    instance: InstanceId,
    edge: EdgeId,
    target: u32,
    letter: u32,
}

/// A get and a supply that can be taken together.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    getter: (InstanceId, EdgeId, u32),
    supplier: (InstanceId, EdgeId, u32),
    letter: u32,
}

/// The suppliers that the gets ask which leave a local state.
#[derive(Clone, Debug, PartialEq, Eq)]
enum AskedSuppliers {
    None,
    All,
    These(Box<[u32]>),
}

/// The facts known of a local state.
#[derive(Debug)]
struct KnownFacts {
    /// Its number among those of all instances.
    global: u32,
    /// A range of offers, once it is known.
    offers: Option<(u32, u32)>,
    asked: AskedSuppliers,
    /// True if some supply can be taken, as far as its own side tells.
    supplies: bool,
}

/// The tables about an instance.
#[derive(Debug)]
struct InstanceTables {
    /// The locals that matter.
    kept: Vec<LocalId>,
    states: Vec<Arc<LocalState>>,
    index: FxHashMap<Arc<LocalState>, u32>,
    entries: Vec<KnownFacts>,
    /// Per local state and part of a state formula its value.
    parts: Vec<i64>,
    /// Per local state and local its value as a word, where agents act all at once.
    words: Vec<i64>,
    /// The local state with these values, where agents act all at once.
    numbers: FxHashMap<Box<[i64]>, u32>,
}

impl InstanceTables {
    /// The values of a local state as words, where agents act all at once.
    fn words_of(&self, number: u32) -> &[i64] {
        &self.words[number as usize * self.kept.len()..][..self.kept.len()]
    }
}

/// The reaction of an instance that takes no part.
const STAYS: u32 = 0;
/// The reaction of an instance without which the step does not exist.
const BLOCKS: u32 = 1;
/// Greater numbers are indices into a list.
const FIRST: u32 = 2;

/// A fact about states.
#[derive(Debug)]
struct StateFact {
    bit: usize,
    circuit: Circuit,
}

/// The steps of a model, and facts about them.
#[derive(Debug)]
pub struct Tables<'s, 'f> {
    semantics: &'s Semantics<'s>,
    facts: Vec<Fact<'f>>,
    state_facts: Vec<StateFact>,
    state_parts: StateParts<'f>,
    instances: Vec<InstanceTables>,
    /// The agents that have receive commands.
    receivers: Vec<u32>,
    /// A place without a local state.
    template: State,
    local_states: u32,
    offers: Vec<Offer>,
    messages: Vec<SentMessage>,
    /// Per message a local state in which it can be sent.
    examples: Vec<u32>,
    message_index: FxHashMap<SentMessage, u32>,
    /// Per message and local state of a receiver: [`STAYS`], [`BLOCKS`] or a range of takings.
    reactions: Pairs,
    reaction_ranges: Vec<(u32, u32)>,
    takings: Vec<Taking>,
    /// Per local state of a getter and of a supplier a range of meetings.
    meetings: Pairs,
    meeting_ranges: Vec<(u32, u32)>,
    meeting_list: Vec<Meeting>,
    /// Sets of facts about steps; the first one is empty.
    letters: Records,
    unions: Pairs,
    /// Conditions and values of agents that act all at once.
    joint: Option<JointTables>,
}

/// Space for one step after the other.
#[derive(Debug, Default)]
pub struct Space {
    changes: Vec<(u32, u32)>,
    /// Per receiver a range of takings.
    options: Vec<(u32, u32)>,
    picks: Vec<u32>,
    joint: joint::JointSpace,
}

impl<'s, 'f> Tables<'s, 'f> {
    /// Without any local state yet. Locals that do not influence anything have their first initial values.
    pub fn new(semantics: &'s Semantics<'s>, influence: &Influence, facts: &Facts<'f>, starts: &Starts) -> Self {
        let model = semantics.model();
        let mut state_parts = StateParts::new(model.instances.len());
        let (mut state_facts, mut facts) = (Vec::new(), facts.clone());
        for bit in 0..facts.list().len() {
            if let Fact::State(expr) = facts.list()[bit] {
                state_facts.push(StateFact { bit, circuit: state_parts.circuit(model, expr, &mut facts) });
            }
        }
        let facts = facts.list().to_vec();
        let instance = |id: InstanceId| {
            let locals = (0..model.agent_of(id).locals.len() as u32).map(LocalId);
            InstanceTables {
                kept: locals.filter(|local| influence.contains(id, *local)).collect(),
                states: Vec::new(),
                index: FxHashMap::default(),
                entries: Vec::new(),
                parts: Vec::new(),
                words: Vec::new(),
                numbers: FxHashMap::default(),
            }
        };
        let receives = |id: &InstanceId| model.agent_of(*id).receives().next().is_some();
        let joint = model.joint.as_ref().map(JointTables::new);
        let mut letters = Records::new(bits::words(facts.len()));
        letters.insert(&vec![0; bits::words(facts.len())]);
        Tables {
            semantics,
            state_facts,
            state_parts,
            instances: model.instance_ids().map(instance).collect(),
            receivers: model.instance_ids().filter(receives).map(|id| id.0).collect(),
            template: starts.any(),
            facts,
            local_states: 0,
            offers: Vec::new(),
            messages: Vec::new(),
            examples: Vec::new(),
            message_index: FxHashMap::default(),
            reactions: Pairs::default(),
            reaction_ranges: Vec::new(),
            takings: Vec::new(),
            meetings: Pairs::default(),
            meeting_ranges: Vec::new(),
            meeting_list: Vec::new(),
            letters,
            unions: Pairs::default(),
            joint,
        }
    }

    /// The semantics that was tabulated.
    pub fn semantics(&self) -> &'s Semantics<'s> {
        self.semantics
    }

    /// The facts; their indices are the bits of letters.
    pub fn facts(&self) -> &[Fact<'f>] {
        &self.facts
    }

    /// The number of instances.
    pub fn instances(&self) -> usize {
        self.instances.len()
    }

    /// The locals of an instance that matter.
    pub fn kept(&self, instance: usize) -> &[LocalId] {
        &self.instances[instance].kept
    }

    /// The local states of an instance so far, by their numbers.
    pub fn local_states(&self, instance: usize) -> &[Arc<LocalState>] {
        &self.instances[instance].states
    }

    /// About how many bytes they take.
    pub fn bytes(&self) -> usize {
        // A local state, what is known of it, and where it is found again.
        let of_instance = |instance: &InstanceTables| {
            let each = instance.kept.len() * size_of::<Value>() + size_of::<KnownFacts>() + 96;
            let words = 8 * (instance.parts.capacity() + instance.words.capacity());
            instance.states.len() * each + words + instance.numbers.len() * (24 + 8 * instance.kept.len())
        };
        self.instances.iter().map(of_instance).sum::<usize>()
            + self.reactions.bytes()
            + self.meetings.bytes()
            + self.unions.bytes()
            + self.letters.bytes()
            + self.offers.capacity() * size_of::<Offer>()
            + self.takings.capacity() * size_of::<Taking>()
            + self.meeting_list.capacity() * size_of::<Meeting>()
            + self.messages.len() * (2 * size_of::<SentMessage>() + 64)
            + 8 * (self.reaction_ranges.capacity() + self.meeting_ranges.capacity())
    }

    /// The row of a state.
    pub fn row(&mut self, state: &State) -> Vec<u32> {
        let numbers = (0..self.instances.len()).map(|instance| {
            let local_state = self.read(state, InstanceId(instance as u32));
            self.add(instance, local_state)
        });
        numbers.collect()
    }

    fn read(&self, state: &State, id: InstanceId) -> LocalState {
        let kept = &self.instances[id.index()].kept;
        let values = kept.iter().map(|local| state.local(id, *local).clone()).collect();
        LocalState { automaton: state.automaton(id), values }
    }

    /// The number of a local state that is claimed, once it is known to be one of the instance.
    pub fn number(&mut self, instance: InstanceId, local_state: LocalState) -> Result<u32, StateError> {
        let model = self.semantics.model();
        let kept = &self.instances[instance.index()].kept;
        let mut values: Vec<Value> = (0..model.agent_of(instance).locals.len() as u32)
            .map(|local| self.template.local(instance, LocalId(local)).clone())
            .collect();
        if kept.len() != local_state.values.len() {
            let (expected, found) = (kept.len(), local_state.values.len());
            return Err(StateError::Locals {
                instance: model.instances[instance.index()].name.clone(),
                expected,
                found,
            });
        }
        for (local, value) in kept.iter().zip(&local_state.values) {
            values[local.index()] = value.clone();
        }
        super::state::check_instance(model, instance, local_state.automaton, &values)?;
        Ok(self.add(instance.index(), local_state))
    }

    /// A state that a row stands for.
    pub fn state(&self, row: &[u32]) -> State {
        let mut state = self.template.clone();
        row.iter().enumerate().for_each(|(instance, number)| self.write(&mut state, instance, *number));
        state
    }

    fn write(&self, state: &mut State, index: usize, number: u32) {
        let (id, instance) = (InstanceId(index as u32), &self.instances[index]);
        let LocalState { automaton, values } = &*instance.states[number as usize];
        state.set_automaton(id, *automaton);
        instance.kept.iter().zip(values).for_each(|(local, value)| state.set_local(id, *local, value.clone()));
    }

    /// A set of facts about a step, as bits.
    pub fn letter(&self, letter: u32) -> &[u64] {
        self.letters.get(letter)
    }

    /// The number of sets of facts about steps.
    pub fn letters(&self) -> usize {
        self.letters.len()
    }

    /// Adds those of some facts about a state to a set that are true.
    pub fn state_facts(&self, row: &[u32], possible: &Possible, some: &[u64], set: &mut [u64]) {
        let part = |instance: u32, part: u32| {
            let (index, width) = (instance as usize, self.state_parts.of(instance as usize).len());
            self.instances[index].parts[row[index] as usize * width + part as usize]
        };
        for StateFact { bit, circuit } in self.state_facts.iter().filter(|fact| bits::get(some, fact.bit)) {
            let truth = match circuit.value(&part, possible) {
                Ok(value) => value != 0,
                Err(facts::TooLarge) => self.holds(*bit, row),
            };
            if truth {
                bits::set(set, *bit);
            }
        }
    }

    fn holds(&self, fact: usize, row: &[u32]) -> bool {
        let Fact::State(expr) = self.facts[fact] else { unreachable!("it is about states") };
        let state = self.state(row);
        holds(expr, &|leaf: StateLeaf| Some(self.semantics.value(&state, leaf)))
    }

    /// Shows all steps from a row, in the order of [`Semantics::steps`] but for get/supplies of one getter; exactly the
    /// stutter if there are no others. Tells what all of them say of the row. Where something is missing, only some steps
    /// were shown.
    pub fn steps(
        &self,
        row: &[u32],
        space: &mut Space,
        possible: &mut Possible,
        visit: &mut impl FnMut(TableStep),
    ) -> Result<(), Missing> {
        if let Some(joint) = &self.joint {
            let steps = self.joint_steps(joint, row, &mut space.joint, visit)?;
            possible.deadlocked = steps == 0;
            return Ok(());
        }
        let mut steps = 0;
        possible.facts.clear();
        possible.facts.resize(self.letters.width(), 0);
        let visit = &mut |step: TableStep| {
            if self.state_parts.ask_what_is_possible {
                possible.facts.iter_mut().zip(self.letter(step.letter)).for_each(|(all, some)| *all |= some);
            }
            visit(step);
        };
        for (sender, number) in row.iter().enumerate() {
            let Some((start, end)) = self.instances[sender].entries[*number as usize].offers else {
                return Err(Missing::Offers(InstanceId(sender as u32), *number));
            };
            for offer in start..end {
                steps += self.sends(row, sender, offer, space, visit)?;
            }
        }
        for (getter, number) in row.iter().enumerate() {
            steps += match &self.instances[getter].entries[*number as usize].asked {
                AskedSuppliers::None => 0,
                AskedSuppliers::All => self.meetings(row, getter, 0..row.len() as u32, space, visit)?,
                AskedSuppliers::These(list) => self.meetings(row, getter, list.iter().copied(), space, visit)?,
            };
        }
        ticks(1);
        if steps == 0 {
            visit(TableStep { changes: &[], letter: 0, kind: StepKind::Stutter });
        }
        possible.deadlocked = steps == 0;
        Ok(())
    }

    /// The steps by an offer; how many there are.
    fn sends(
        &self,
        row: &[u32],
        sender: usize,
        offer: u32,
        space: &mut Space,
        visit: &mut impl FnMut(TableStep),
    ) -> Result<usize, Missing> {
        let Offer { message, target, letter, alone, .. } = self.offers[offer as usize];
        let Space { changes, options, picks, .. } = space;
        options.clear();
        // No agent without receive commands keeps a broadcast from being sent, or takes part in it.
        if alone {
            // No agent is asked.
        } else if self.messages[message as usize].channel == Value::BROADCAST {
            for receiver in self.receivers.iter().filter(|receiver| **receiver as usize != sender) {
                if !self.react(message, *receiver, row, options)? {
                    return Ok(0);
                }
            }
        } else {
            for receiver in (0..row.len() as u32).filter(|receiver| *receiver as usize != sender) {
                if !self.react(message, receiver, row, options)? {
                    return Ok(0);
                }
            }
        }
        changes.clear();
        changes.push((sender as u32, target));
        picks.clear();
        if options.is_empty() {
            visit(TableStep { changes, letter, kind: StepKind::Send(offer, picks) });
            return Ok(1);
        }
        picks.extend(options.iter().map(|(start, _)| *start));
        let mut steps = 0;
        loop {
            let mut letter = letter;
            changes.truncate(1);
            for pick in &*picks {
                let taking = self.takings[*pick as usize];
                changes.push((taking.instance.0, taking.target));
                letter = self.union(letter, taking.letter)?;
            }
            visit(TableStep { changes, letter, kind: StepKind::Send(offer, picks) });
            ticks(1);
            steps += 1;
            // The next combination: the last receiver's choice changes fastest.
            let Some(at) = (0..picks.len()).rev().find(|at| picks[*at] + 1 < options[*at].1) else { return Ok(steps) };
            picks[at] += 1;
            (at + 1..picks.len()).for_each(|later| picks[later] = options[later].0);
        }
    }

    /// Adds what a receiver can take. False if the step does not exist because of it.
    #[inline]
    fn react(&self, message: u32, receiver: u32, row: &[u32], options: &mut Vec<(u32, u32)>) -> Result<bool, Missing> {
        let number = row[receiver as usize];
        let global = self.instances[receiver as usize].entries[number as usize].global;
        let Some(reaction) = self.reactions.get(message, global) else {
            return Err(Missing::Reaction(message, InstanceId(receiver), number));
        };
        match reaction {
            STAYS => {}
            BLOCKS => return Ok(false),
            range => options.push(self.reaction_ranges[(range - FIRST) as usize]),
        }
        Ok(true)
    }

    /// The facts of two parts of a step together.
    #[inline]
    fn union(&self, left: u32, right: u32) -> Result<u32, Missing> {
        match (left, right) {
            (0, other) | (other, 0) => Ok(other),
            _ => self.unions.get(left, right).ok_or_else(|| Missing::Union(left, right)),
        }
    }

    /// The steps in which a getter meets one of these; how many there are.
    fn meetings(
        &self,
        row: &[u32],
        getter: usize,
        suppliers: impl Iterator<Item = u32>,
        space: &mut Space,
        visit: &mut impl FnMut(TableStep),
    ) -> Result<usize, Missing> {
        let mut steps = 0;
        let me = &self.instances[getter].entries[row[getter] as usize];
        for supplier in suppliers.filter(|supplier| *supplier as usize != getter) {
            let other = &self.instances[supplier as usize].entries[row[supplier as usize] as usize];
            if other.offers.is_some() && !other.supplies {
                continue;
            }
            let Some(range) = self.meetings.get(me.global, other.global) else {
                let getter = (InstanceId(getter as u32), row[getter]);
                return Err(Missing::Meeting(getter, (InstanceId(supplier), row[supplier as usize])));
            };
            if range == STAYS {
                continue;
            }
            let (start, end) = self.meeting_ranges[(range - FIRST) as usize];
            for index in start..end {
                let meeting = &self.meeting_list[index as usize];
                space.changes.clear();
                space.changes.extend([(getter as u32, meeting.getter.2), (supplier, meeting.supplier.2)]);
                visit(TableStep { changes: &space.changes, letter: meeting.letter, kind: StepKind::Meeting(index) });
                steps += 1;
            }
        }
        Ok(steps)
    }

    /// The choice that a step is.
    pub fn choice(&self, step: &TableStep) -> Choice {
        match step.kind {
            StepKind::Send(offer, takings) => {
                let Offer { message, edge, .. } = self.offers[offer as usize];
                let receiver = |taking: &u32| {
                    let Taking { instance, edge, .. } = self.takings[*taking as usize];
                    (instance, edge)
                };
                let receivers = takings.iter().map(receiver).collect();
                Choice::Send { sender: self.messages[message as usize].sender, edge, receivers }
            }
            StepKind::Meeting(index) => {
                let Meeting { getter: (getter, get, _), supplier: (supplier, supply, _), .. } =
                    self.meeting_list[index as usize];
                Choice::GetSupply { getter, get, supplier, supply }
            }
            StepKind::Joint(deeds) => Choice::Joint(deeds.to_vec()),
            StepKind::Stutter => Choice::Stutter,
        }
    }
}
