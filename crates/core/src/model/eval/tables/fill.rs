//! Answers of the concrete semantics about single local states and pairs of them, written into the tables.

use super::facts::{LARGE, part_value};
use super::{
    AskedSuppliers, BLOCKS, FIRST, Fact, InstanceId, KnownFacts, LocalState, Meeting, Missing, Offer, STAYS,
    SentMessage, Tables, Taking,
};
use crate::limits::tick;
use crate::model::eval::scope::Move;
use crate::model::eval::{Choice, State, Step};
use crate::model::formula::StateLeaf;
use crate::model::{CommandLeaf, Expr, Value};
use crate::records::bits;
use std::sync::Arc;

impl Tables<'_, '_> {
    /// The number of a local state that the instance may have; it is added if it is new.
    pub fn add(&mut self, index: usize, local_state: LocalState) -> u32 {
        let instance = &mut self.instances[index];
        if let Some(number) = instance.index.get(&local_state) {
            return *number;
        }
        tick();
        let leaf = |leaf| match leaf {
            StateLeaf::Local(_, local) => {
                let at = instance.kept.binary_search(&local).expect("what a fact reads matters");
                local_state.values[at].clone()
            }
            StateLeaf::Automaton(_) => Value::int(i64::from(local_state.automaton)),
            StateLeaf::Deadlock | StateLeaf::Enabled(..) | StateLeaf::Total(_) => {
                unreachable!("it is about no instance")
            }
        };
        instance.parts.extend(self.state_parts.of(index).iter().map(|expr| part_value(expr, leaf)));
        if self.joint.is_some() {
            let words: Box<[i64]> = local_state.values.iter().map(|value| value.number().unwrap_or(LARGE)).collect();
            instance.words.extend_from_slice(&words);
            instance.numbers.insert(words, instance.states.len() as u32);
        }
        let (number, local_state) = (instance.states.len() as u32, Arc::new(local_state));
        instance.states.push(Arc::clone(&local_state));
        instance.index.insert(local_state, number);
        instance.entries.push(KnownFacts {
            global: self.local_states,
            offers: None,
            asked: AskedSuppliers::None,
            supplies: false,
        });
        self.local_states += 1;
        number
    }

    /// Asks the semantics.
    pub fn fill(&mut self, missing: Missing) {
        tick();
        match missing {
            Missing::LocalState(instance, values) => {
                self.add(instance.index(), LocalState { automaton: 0, values });
            }
            Missing::Offers(instance, number) => self.fill_offers(instance, number),
            Missing::Reaction(message, receiver, number) => self.fill_reaction(message, receiver, number),
            Missing::Meeting(getter, supplier) => self.fill_meeting(getter, supplier),
            Missing::Union(left, right) => {
                let both = self.letters.get(left).iter().zip(self.letters.get(right)).map(|(a, b)| a | b);
                let both: Vec<u64> = both.collect();
                let union = self.letters.insert(&both);
                self.unions.insert(left, right, union);
            }
        }
    }

    /// A state in which these instances are in these local states, whatever the others are in.
    fn with(&self, local_states: &[(InstanceId, u32)]) -> State {
        let mut state = self.template.clone();
        local_states.iter().for_each(|(instance, number)| self.write(&mut state, instance.index(), *number));
        state
    }

    fn fill_offers(&mut self, instance: InstanceId, number: u32) {
        let (semantics, state) = (self.semantics, self.with(&[(instance, number)]));
        let commands = semantics.commands(&state, instance);
        let start = self.offers.len() as u32;
        for edge in commands.sends.iter().copied() {
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
            let target = self.moved(number, &message.movement);
            let key = SentMessage { sender: instance, edge, channel, data, guard_reads };
            let message = self.message_number(key, number);
            self.offers.push(Offer { message, edge, target, letter, alone });
        }
        let end = self.offers.len() as u32;
        let asked = self.asked(&state, instance);
        let supplies = commands.supplies.iter().any(|edge| semantics.may_be_taken(&state, instance, *edge));
        let entry = &mut self.instances[instance.index()].entries[number as usize];
        (entry.offers, entry.asked, entry.supplies) = (Some((start, end)), asked, supplies);
    }

    /// The suppliers that the gets ask which the instance could take.
    fn asked(&self, state: &State, instance: InstanceId) -> AskedSuppliers {
        let semantics = self.semantics;
        let mut named = Vec::new();
        for edge in &semantics.commands(state, instance).gets {
            if !semantics.may_be_taken(state, instance, *edge) {
                continue;
            }
            if semantics.edge(instance, *edge).action.predicate().is_some() {
                return AskedSuppliers::All;
            }
            named.extend(semantics.supplier_named(state, instance, *edge).map(|supplier| supplier.0));
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
        self.message_index.insert(message, number);
        number
    }

    fn fill_reaction(&mut self, message: u32, receiver: InstanceId, number: u32) {
        let SentMessage { sender, edge, .. } = self.messages[message as usize];
        let state = self.with(&[(sender, self.examples[message as usize]), (receiver, number)]);
        let semantics = self.semantics;
        let sent = semantics.message(&state, sender, edge).expect("it can be sent in this local state");
        let reaction = match semantics.takings(&state, &sent, receiver) {
            Err(_) => BLOCKS,
            Ok(None) => STAYS,
            Ok(Some(moves)) => {
                let start = self.takings.len() as u32;
                for movement in moves {
                    let letter = self.letter_of(|fact| *fact == Fact::Received(receiver, movement.edge));
                    let target = self.moved(number, &movement);
                    self.takings.push(Taking { instance: receiver, edge: movement.edge, target, letter });
                }
                self.reaction_ranges.push((start, self.takings.len() as u32));
                self.reaction_ranges.len() as u32 - 1 + FIRST
            }
        };
        let global = self.instances[receiver.index()].entries[number as usize].global;
        self.reactions.insert(message, global, reaction);
    }

    fn fill_meeting(&mut self, (getter, getters): (InstanceId, u32), (supplier, suppliers): (InstanceId, u32)) {
        let (semantics, state) = (self.semantics, self.with(&[(getter, getters), (supplier, suppliers)]));
        let start = self.meeting_list.len() as u32;
        for get in semantics.commands(&state, getter).gets.iter().copied() {
            for supply in semantics.commands(&state, supplier).supplies.iter().copied() {
                let Ok(step) = semantics.transfer(&state, (getter, get), (supplier, supply)) else { continue };
                let letter = self.step_letter(&state, &step);
                let [at_getter, at_supplier] = [getter, supplier].map(|id| self.read(&step.target, id));
                let (at_getter, at_supplier) =
                    (self.add(getter.index(), at_getter), self.add(supplier.index(), at_supplier));
                self.meeting_list.push(Meeting {
                    getter: (getter, get, at_getter),
                    supplier: (supplier, supply, at_supplier),
                    letter,
                });
            }
        }
        let end = self.meeting_list.len() as u32;
        let range = if start == end {
            STAYS
        } else {
            self.meeting_ranges.push((start, end));
            self.meeting_ranges.len() as u32 - 1 + FIRST
        };
        let global = |(id, number): (InstanceId, u32)| self.instances[id.index()].entries[number as usize].global;
        let (left, right) = (global((getter, getters)), global((supplier, suppliers)));
        self.meetings.insert(left, right, range);
    }

    /// The local state of an instance after a movement from another.
    fn moved(&mut self, number: u32, movement: &Move) -> u32 {
        let instance = &self.instances[movement.instance.index()];
        let mut values = instance.states[number as usize].values.clone();
        for (local, value) in &movement.updates {
            if let Ok(at) = instance.kept.binary_search(local) {
                values[at] = value.clone();
            }
        }
        self.add(movement.instance.index(), LocalState { automaton: movement.target, values })
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
