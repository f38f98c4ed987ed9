//! Answers of the concrete semantics about single projected states and pairs of them, written into the tables.

use super::facts::{LARGE, part_value};
use super::projections::NONE;
use super::{
    AskedSuppliers, BLOCKS, FIRST, Fact, InstanceId, LocalState, Meeting, Missing, Offer, STAYS, SentMessage, Tables,
    Taking,
};
use crate::limits::tick;
use crate::model::eval::scope::Move;
use crate::model::eval::{Choice, State, Step};
use crate::model::formula::StateLeaf;
use crate::model::{CommandLeaf, EdgeId, Expr, Value};
use crate::records::bits;
use std::sync::Arc;

impl Tables<'_, '_> {
    /// The number of a local state that the cell may have; it is added if it is new.
    pub fn add(&mut self, index: usize, local_state: LocalState) -> u32 {
        let cell = &mut self.cells[index];
        if let Some(number) = cell.index.get(&local_state) {
            return *number;
        }
        tick();
        let leaf = |leaf| match leaf {
            StateLeaf::Local(_, local) => {
                let at = cell.locals.binary_search(&local).expect("the part is about this cell");
                local_state.values[at].clone()
            }
            StateLeaf::Automaton(_) => Value::int(i64::from(local_state.automaton)),
            StateLeaf::Deadlock | StateLeaf::Enabled(..) | StateLeaf::Total(_) => {
                unreachable!("it is about no instance")
            }
        };
        cell.parts.extend(self.state_parts.of(index).iter().map(|expr| part_value(expr, leaf)));
        if self.joint.is_some() {
            let words: Box<[i64]> = local_state.values.iter().map(|value| value.number().unwrap_or(LARGE)).collect();
            cell.words.extend_from_slice(&words);
            cell.numbers.insert(words, cell.states.len() as u32);
        }
        let (number, local_state) = (cell.states.len() as u32, Arc::new(local_state));
        cell.states.push(Arc::clone(&local_state));
        cell.index.insert(local_state, number);
        number
    }

    /// Asks the semantics.
    pub fn fill(&mut self, missing: Missing) {
        tick();
        match missing {
            Missing::LocalState(instance, values) => {
                self.add(instance.index(), LocalState { automaton: 0, values });
            }
            Missing::Projected(projection, first, others) => self.fill_projected(projection, first, &others),
            Missing::Offers(projected) => self.fill_offers(projected),
            Missing::Receiving(message, receiver, automaton) => self.fill_receiving(message, receiver, automaton),
            Missing::Reaction(message, receiver) => self.fill_reaction(message, receiver),
            Missing::Meeting(getter, supplier) => self.fill_meeting(getter, supplier),
            Missing::Union(left, right) => {
                let both = self.letters.get(left).iter().zip(self.letters.get(right)).map(|(a, b)| a | b);
                let both: Vec<u64> = both.collect();
                let union = self.letters.insert(&both);
                self.unions.insert(left, right, union);
            }
        }
    }

    fn fill_offers(&mut self, projected: u32) {
        let (semantics, state) = (self.semantics, self.with(&[projected]));
        let instance = self.projection_of(projected).instance;
        let start = self.offers.len() as u32;
        let commands = semantics.commands(&state, instance);
        for edge in self.projection_of(projected).among(&commands.sends) {
            let Ok(message) = semantics.message(&state, instance, edge) else { continue };
            let mut guard_reads = Vec::new();
            message.guard.for_each_leaf(&mut |leaf| {
                if let CommandLeaf::Local(local) = leaf {
                    guard_reads.push(state.local(instance, *local).clone());
                }
            });
            let alone = message.channel == Value::BROADCAST && *message.guard == Expr::Const(Value::Bool(false));
            let (channel, data) = (message.channel.clone(), message.data.clone());
            let choice = Choice::Send { sender: instance, edge, receivers: Vec::new() };
            let step = Step { choice, channel: Some(channel.clone()), data: data.clone(), target: state.clone() };
            let letter = self.step_letter(&state, &step);
            let start = self.changes.len() as u32;
            self.moved(&state, &message.movement);
            let changes = (start, self.changes.len() as u32);
            let key = SentMessage { sender: instance, edge, channel, data, guard_reads };
            let message = self.message_number(key, projected);
            self.offers.push(Offer { message, edge, changes, letter, alone });
        }
        let end = self.offers.len() as u32;
        let asked = self.asked(&state, projected);
        let mut supplies = self.projection_of(projected).among(&commands.supplies).into_iter();
        let supplies = supplies.any(|edge| semantics.may_be_taken(&state, instance, edge));
        let entry = &mut self.projected[projected as usize];
        (entry.offers, entry.asked, entry.supplies) = (Some((start, end)), asked, supplies);
    }

    /// The suppliers that the gets ask which can be taken.
    fn asked(&self, state: &State, projected: u32) -> AskedSuppliers {
        let (semantics, projection) = (self.semantics, self.projection_of(projected));
        let instance = projection.instance;
        let mut named = Vec::new();
        for edge in projection.among(&semantics.commands(state, instance).gets) {
            if !semantics.may_be_taken(state, instance, edge) {
                continue;
            }
            if semantics.edge(instance, edge).action.predicate().is_some() {
                return AskedSuppliers::All;
            }
            named.extend(semantics.supplier_named(state, instance, edge).map(|supplier| supplier.0));
        }
        named.retain(|supplier| (*supplier as usize) < self.instances.len());
        named.sort_unstable();
        named.dedup();
        if named.is_empty() { AskedSuppliers::None } else { AskedSuppliers::These(named.into()) }
    }

    fn message_number(&mut self, message: SentMessage, example: u32) -> u32 {
        if let Some(number) = self.message_index.get(&message) {
            return *number;
        }
        let number = self.messages.len() as u32;
        self.messages.push(message.clone());
        self.examples.push(example);
        self.receiving.resize(self.messages.len() * self.split_states, NONE);
        self.message_index.insert(message, number);
        number
    }

    fn fill_reaction(&mut self, message: u32, projected: u32) {
        let SentMessage { sender, edge, .. } = self.messages[message as usize];
        let state = self.with(&[self.examples[message as usize], projected]);
        let (semantics, receiver) = (self.semantics, self.projection_of(projected).instance);
        let sent = semantics.message(&state, sender, edge).expect("it can be sent from there");
        let reaction = match semantics.takings(&state, &sent, receiver) {
            Err(_) => BLOCKS,
            Ok(None) => STAYS,
            Ok(Some(moves)) => {
                let start = self.takings.len() as u32;
                for movement in moves {
                    let edge = movement.edge;
                    let letter = self.letter_of(|fact| *fact == Fact::Received(receiver, edge));
                    let start = self.changes.len() as u32;
                    self.moved(&state, &movement);
                    let changes = (start, self.changes.len() as u32);
                    self.takings.push(Taking { instance: receiver, edge, changes, letter });
                }
                self.reaction_ranges.push((start, self.takings.len() as u32));
                self.reaction_ranges.len() as u32 - 1 + FIRST
            }
        };
        self.reactions.insert(message, projected, reaction);
    }

    fn fill_meeting(&mut self, at_getter: u32, at_supplier: u32) {
        let (semantics, state) = (self.semantics, self.with(&[at_getter, at_supplier]));
        let [getter, supplier] = [at_getter, at_supplier].map(|projected| self.projection_of(projected).instance);
        let start = self.meeting_list.len() as u32;
        let gets = self.projection_of(at_getter).among(&semantics.commands(&state, getter).gets);
        let supplies = self.projection_of(at_supplier).among(&semantics.commands(&state, supplier).supplies);
        for get in gets {
            for supply in supplies.iter().copied() {
                let Ok(step) = semantics.transfer(&state, (getter, get), (supplier, supply)) else { continue };
                let letter = self.step_letter(&state, &step);
                let start = self.changes.len() as u32;
                self.note_changes(&step.target, getter, get);
                self.note_changes(&step.target, supplier, supply);
                let changes = (start, self.changes.len() as u32);
                let (getter, supplier) = ((getter, get), (supplier, supply));
                self.meeting_list.push(Meeting { getter, supplier, changes, letter });
            }
        }
        let end = self.meeting_list.len() as u32;
        let range = if start == end {
            STAYS
        } else {
            self.meeting_ranges.push((start, end));
            self.meeting_ranges.len() as u32 - 1 + FIRST
        };
        self.meetings.insert(at_getter, at_supplier, range);
    }

    /// Adds the changes of cells by a movement from a state.
    fn moved(&mut self, state: &State, movement: &Move) {
        let mut target = state.clone();
        movement.apply(&mut target);
        self.note_changes(&target, movement.instance, movement.edge);
    }

    /// Adds the changes of cells by a command that leads to a state.
    fn note_changes(&mut self, target: &State, instance: InstanceId, edge: EdgeId) {
        let model = self.semantics.model();
        for cell in self.instances[instance.index()].written_by(model, instance, edge) {
            let change = match self.update_apart(instance, edge, cell) {
                Some(projection) => (projection, NONE),
                None => (cell, self.add(cell as usize, self.cells[cell as usize].read(target))),
            };
            self.changes.push(change);
        }
    }

    /// The facts about a step, but for its receivers.
    fn step_letter(&mut self, state: &State, step: &Step) -> u32 {
        let semantics = self.semantics;
        self.letter_of(|fact| match fact {
            Fact::State(_) | Fact::Received(..) | Fact::Branching(_) => false,
            Fact::Performed(instance, edge) => step.choice.performs(*instance, *edge),
            Fact::Observed(observation) => semantics.observes(state, step, observation),
        })
    }

    fn letter_of(&mut self, is_true: impl Fn(&Fact) -> bool) -> u32 {
        let mut set = vec![0; self.letters.width()];
        let facts = self.facts.iter().enumerate().filter(|(_, fact)| is_true(fact));
        facts.for_each(|(index, _)| bits::set(&mut set, index));
        self.letters.insert(&set)
    }
}
