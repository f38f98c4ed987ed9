//! The steps of a model from tables, for explorations.
//!
//! A state is a *row*: numbers of local states of *cells* ([`cells`]). Most instances are one cell. Of an instance that is
//! *split*, as it has so many local states that hardly any comes twice, each variable is a cell.
//!
//! The contribution of an instance to a step depends on some of its cells and of those of the one that it meets
//! ([`projections`]); nothing depends on all instances together. So what the cells are that matter is numbered, and the concrete
//! semantics is asked once about each such number, each of them with a message that the instance may receive, and each two of
//! them that meet in a get/supply. The steps from a row are combinations of what the tables say.
//!
//! Cells have the locals that influence runs and facts ([`Influence`]) only; the others have some initial value.
//!
//! [`Tables::steps`] reads and never asks; what the tables lack, it names ([`Missing`]), and [`Tables::fill`] asks the
//! semantics. So several threads can read at the same time.
//!
//! All entries are answers of the semantics, and integers stay unbounded, as a local state has them as values. Where
//! all agents act at once there would be too many: [`joint`] compiles their protocols and updates.
//!
//! Tables of the terms of a [system](crate::ts::system) would be as fast and as small (measured on 15 models). They would
//! come in addition: the check of explorations uses these ones, and shares nothing with terms.

mod cells;
mod facts;
mod fill;
mod initial;
mod joint;
mod pairs;
mod projections;

pub use cells::Cell;
pub use facts::{Fact, Facts, Possible};
pub use initial::{Initial, Starts};

use super::value::holds;
use super::{Choice, Decisions, Influence, Semantics, State};
use crate::limits::ticks;
use crate::model::formula::StateLeaf;
use crate::model::{EdgeId, InstanceId, LocalId, MessageId, Value};
use crate::records::{Records, bits};
use cells::InstanceCells;
use facts::{Circuit, StateParts};
use joint::JointTables;
use pairs::Pairs;
use projections::{CommandProjections, ProjectedState, Projection};
use rustc_hash::FxHashMap;

/// The automaton state and the locals of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalState {
    /// The automaton state; 0 if it belongs to another cell.
    pub automaton: u32,
    /// The values of the locals, in their order.
    pub values: Box<[Value]>,
}

/// An entry that a step needs and the tables do not have yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A local state without a number, of an instance in a model whose agents act all at once.
    LocalState(InstanceId, Box<[Value]>),
    /// A number for local states of the cells of a projection.
    Projected(u32, u32, Box<[u32]>),
    /// The commands that can be begun in a projected state.
    Offers(u32),
    /// The cells on which depends how an instance takes a message in an automaton state.
    Receiving(u32, InstanceId, u32),
    /// The reaction to a message in a projected state.
    Reaction(u32, u32),
    /// The meetings of a get from a projected state with a supply from another one.
    Meeting(u32, u32),
    /// The facts of two parts of a step together.
    Union(u32, u32),
}

/// A step from a row.
#[derive(Clone, Copy, Debug)]
pub struct TableStep<'a> {
    /// The cells that change, and their local states after it.
    pub changes: &'a [(u32, u32)],
    /// The facts about the step, of [`Tables::letter`].
    pub letter: u32,
    kind: StepKind<'a>,
}

impl TableStep<'_> {
    /// Makes the row that it leaves the one that it leads to.
    #[inline]
    pub fn change(&self, row: &mut [u32]) {
        self.changes.iter().for_each(|(cell, local_state)| row[*cell as usize] = *local_state);
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
    /// A range of changes.
    changes: (u32, u32),
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
    changes: (u32, u32),
    letter: u32,
}

/// A get and a supply that can be taken together.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    getter: (InstanceId, EdgeId),
    supplier: (InstanceId, EdgeId),
    changes: (u32, u32),
    letter: u32,
}

/// The suppliers that the gets ask which can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
enum AskedSuppliers {
    None,
    All,
    These(Box<[u32]>),
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
    instances: Vec<InstanceCells>,
    cells: Vec<Cell>,
    projections: Vec<Projection>,
    /// Per instance.
    commands: Vec<CommandProjections>,
    /// How many automaton states the split instances have.
    split_states: usize,
    /// Per message and automaton state of a split instance a projection.
    receiving: Vec<u32>,
    projected: Vec<ProjectedState>,
    /// Per beginning of a projected state and local state of the next cell the longer one.
    longer: Pairs,
    /// Cells that change, and their local states after that; or projections of what they are then, and [`projections::NONE`].
    changes: Vec<(u32, u32)>,
    /// The agents that have receive commands.
    receivers: Vec<u32>,
    /// A place without a local state.
    template: State,
    offers: Vec<Offer>,
    messages: Vec<SentMessage>,
    /// Per message a projected state in which it can be sent.
    examples: Vec<u32>,
    message_index: FxHashMap<SentMessage, u32>,
    /// Per message and projected state of a receiver: [`STAYS`], [`BLOCKS`] or a range of takings.
    reactions: Pairs,
    reaction_ranges: Vec<(u32, u32)>,
    takings: Vec<Taking>,
    /// Per projected state of a getter and of a supplier a range of meetings.
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
    /// Projected states in which some get asks, with their instances.
    getters: Vec<(u32, u32)>,
    /// Projected states in which some supply can be taken, and per instance where its own begin.
    suppliers: Vec<u32>,
    first_suppliers: Vec<u32>,
    joint: joint::JointSpace,
}

impl<'s, 'f> Tables<'s, 'f> {
    /// Without any local state yet. Locals that do not influence anything have their first initial values. Of the instances
    /// in the list, which do not act all at once, each variable is a cell.
    pub fn new(
        semantics: &'s Semantics<'s>,
        influence: &Influence,
        facts: &Facts<'f>,
        starts: &Starts,
        split: &[u32],
    ) -> Self {
        let model = semantics.model();
        let kept = |id: InstanceId| {
            let locals = (0..model.agent_of(id).locals.len() as u32).map(LocalId);
            locals.filter(|local| influence.contains(id, *local)).collect()
        };
        let (instances, cells) = cells::cells(model.instance_ids().map(kept).collect(), split);
        let (projections, commands, split_states) = projections::projections(model, &instances);
        let mut state_parts = StateParts::new(cells.len());
        let (mut state_facts, mut facts) = (Vec::new(), facts.clone());
        for bit in 0..facts.list().len() {
            if let Fact::State(expr) = facts.list()[bit] {
                let circuit = state_parts.circuit(model, &instances, expr, &mut facts);
                state_facts.push(StateFact { bit, circuit });
            }
        }
        let facts = facts.list().to_vec();
        let receives = |id: &InstanceId| model.agent_of(*id).receives().next().is_some();
        let joint = model.joint.as_ref().map(JointTables::new);
        assert!(joint.is_none() || split.is_empty(), "what acts at once is not split");
        let mut letters = Records::new(bits::words(facts.len()));
        letters.insert(&vec![0; bits::words(facts.len())]);
        Tables {
            semantics,
            state_facts,
            state_parts,
            instances,
            cells,
            projections,
            commands,
            split_states,
            receiving: Vec::new(),
            projected: Vec::new(),
            longer: Pairs::default(),
            changes: Vec::new(),
            receivers: model.instance_ids().filter(receives).map(|id| id.0).collect(),
            template: starts.any(),
            facts,
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

    /// The locals of an instance that matter.
    pub fn kept(&self, instance: usize) -> &[LocalId] {
        &self.instances[instance].kept
    }

    /// About how many bytes they take.
    pub fn bytes(&self) -> usize {
        self.cells.iter().map(Cell::bytes).sum::<usize>()
            + self.projections.iter().map(Projection::bytes).sum::<usize>()
            + self.projected.capacity() * size_of::<ProjectedState>()
            + self.longer.bytes()
            + self.reactions.bytes()
            + self.meetings.bytes()
            + self.unions.bytes()
            + self.letters.bytes()
            + self.offers.capacity() * size_of::<Offer>()
            + self.takings.capacity() * size_of::<Taking>()
            + self.meeting_list.capacity() * size_of::<Meeting>()
            + self.messages.len() * (2 * size_of::<SentMessage>() + 64)
            + 4 * self.receiving.capacity()
            + 8 * (self.changes.capacity() + self.reaction_ranges.capacity() + self.meeting_ranges.capacity())
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
        let part = |cell: u32, part: u32| {
            let (index, width) = (cell as usize, self.state_parts.of(cell as usize).len());
            self.cells[index].parts[row[index] as usize * width + part as usize]
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
        space.getters.clear();
        space.suppliers.clear();
        space.first_suppliers.clear();
        for instance in 0..self.instances.len() {
            space.first_suppliers.push(space.suppliers.len() as u32);
            for projection in self.commands_of(row, instance) {
                let projected = self.project(*projection, row)?;
                let ProjectedState { offers, asked, supplies, .. } = &self.projected[projected as usize];
                let (start, end) = offers.ok_or_else(|| Missing::Offers(projected))?;
                for offer in start..end {
                    steps += self.sends(row, instance, offer, space, visit)?;
                }
                if *asked != AskedSuppliers::None {
                    space.getters.push((instance as u32, projected));
                }
                if *supplies {
                    space.suppliers.push(projected);
                }
            }
        }
        space.first_suppliers.push(space.suppliers.len() as u32);
        steps += self.meetings(row, space, visit)?;
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
        let Offer { message, changes: own, letter, alone, .. } = self.offers[offer as usize];
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
            for receiver in (0..self.instances.len() as u32).filter(|receiver| *receiver as usize != sender) {
                if !self.react(message, receiver, row, options)? {
                    return Ok(0);
                }
            }
        }
        picks.clear();
        if options.is_empty() {
            let changes = self.changes(own, row, changes)?;
            visit(TableStep { changes, letter, kind: StepKind::Send(offer, picks) });
            return Ok(1);
        }
        changes.clear();
        self.add_changes(own, row, changes)?;
        let own = changes.len();
        picks.extend(options.iter().map(|(start, _)| *start));
        let mut steps = 0;
        loop {
            let mut letter = letter;
            changes.truncate(own);
            for pick in &*picks {
                let taking = self.takings[*pick as usize];
                self.add_changes(taking.changes, row, changes)?;
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
        let projected = self.project(self.receiving(message, receiver as usize, row)?, row)?;
        let Some(reaction) = self.reactions.get(message, projected) else {
            return Err(Missing::Reaction(message, projected));
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

    /// The steps in which a getter meets a supplier; how many there are.
    fn meetings(&self, row: &[u32], space: &mut Space, visit: &mut impl FnMut(TableStep)) -> Result<usize, Missing> {
        let Space { getters, suppliers, first_suppliers, changes, .. } = space;
        let (start, end) =
            (|id: u32| first_suppliers[id as usize] as usize, |id: u32| first_suppliers[id as usize + 1] as usize);
        let mut steps = 0;
        for &(getter, projected) in &*getters {
            let own = start(getter)..end(getter);
            let (named, all) = match &self.projected[projected as usize].asked {
                AskedSuppliers::None => continue,
                AskedSuppliers::These(list) => (&list[..], 0..0),
                AskedSuppliers::All => (&[][..], 0..suppliers.len()),
            };
            let named = named.iter().filter(|named| **named != getter).flat_map(|named| start(*named)..end(*named));
            for supplier in named.chain(all.filter(|supplier| !own.contains(supplier))) {
                steps += self.meet(projected, suppliers[supplier], row, changes, visit)?;
            }
        }
        Ok(steps)
    }

    /// The steps by a get and a supply from these projected states; how many there are.
    #[inline(always)]
    fn meet(
        &self,
        getter: u32,
        supplier: u32,
        row: &[u32],
        changes: &mut Vec<(u32, u32)>,
        visit: &mut impl FnMut(TableStep),
    ) -> Result<usize, Missing> {
        let range = self.meetings.get(getter, supplier).ok_or_else(|| Missing::Meeting(getter, supplier))?;
        if range == STAYS {
            return Ok(0);
        }
        let (start, end) = self.meeting_ranges[(range - FIRST) as usize];
        for index in start..end {
            let Meeting { changes: both, letter, .. } = self.meeting_list[index as usize];
            let changes = self.changes(both, row, changes)?;
            visit(TableStep { changes, letter, kind: StepKind::Meeting(index) });
        }
        Ok((end - start) as usize)
    }

    /// The decisions for each step from a row, in the order in which they are shown.
    pub fn decisions(&self, row: &[u32]) -> Result<Vec<Decisions>, Missing> {
        let mut choices = Vec::new();
        self.steps(row, &mut Space::default(), &mut Possible::default(), &mut |step| choices.push(self.choice(&step)))?;
        let state = self.state(row);
        Ok(choices.iter().map(|choice| self.semantics.decisions(&state, choice)).collect())
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
                let Meeting { getter: (getter, get), supplier: (supplier, supply), .. } =
                    self.meeting_list[index as usize];
                Choice::GetSupply { getter, get, supplier, supply }
            }
            StepKind::Joint(deeds) => Choice::Joint(deeds.to_vec()),
            StepKind::Stutter => Choice::Stutter,
        }
    }
}
