//! Which variables can influence a run or the truth of a formula on it.
//!
//! A run is given by its first state and its choices. Say that two states *agree* if all automaton
//! states and all influential locals are the same. Then, by the way the set is made:
//!
//! 1. the same choices are possible in both: guards, channels, send guards, relabellings, receive
//!    guards, get and supply targets have the same values, and so have the data and updates that a
//!    range restricts;
//! 2. a choice leads them to states that agree again: the new value of an influential local is
//!    computed from influential locals, its own instance's or, through message variables, the others';
//! 3. every atom and every observation of the formula has the same truth in both.
//!
//! So if s_0 .. s_n is a run by the choices c_0 .. c_(n-1), and s_n agrees with s_l, then c_l can be
//! taken from s_n, leads to a state that agrees with s_(l+1), and so on: c_0 .. c_(l-1) (c_l ..
//! c_(n-1))^omega is an infinite run, and the formula has the truth that it has on the lasso. An
//! integer that only counts and that is not read may therefore differ at the loop's ends.

use super::State;
use crate::model::branching::Operator;
use crate::model::formula::{DataLeaf, StateLeaf};
use crate::model::{CommandLeaf, Edge, Expr, Formula, InstanceId, LocalId, MessageId, Model, Observation, Type};
use rustc_hash::FxHashSet;

/// The variables that can influence the steps of a model or the truth of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Influence {
    locals: FxHashSet<(InstanceId, LocalId)>,
}

impl Influence {
    /// The variables that influence which steps are possible: the least set that closes a loop.
    pub fn of_behaviour(model: &Model) -> Influence {
        let mut reader = InfluenceReader::new(model);
        reader.behaviour();
        reader.close()
    }

    /// The variables that influence which steps are possible, and those that influence the truth of the formula.
    pub fn of(model: &Model, formula: &Formula) -> Influence {
        let mut reader = InfluenceReader::new(model);
        reader.behaviour();
        reader.formula(formula);
        reader.close()
    }

    /// The same with all that the members of a group see, also of messages that they may take in several ways, and what influences that.
    pub fn of_group(model: &Model, formula: &Formula, group: &[InstanceId]) -> Influence {
        let mut reader = InfluenceReader::new(model);
        reader.behaviour();
        reader.formula(formula);
        for &member in group {
            model.seen_by(member).for_each(|(owner, local)| reader.local(owner, local));
        }
        if group.iter().any(|member| model.agent_of(*member).chooses_takes()) {
            (0..model.messages.len() as u32).for_each(|message| reader.message(MessageId(message)));
        }
        reader.close()
    }

    /// True if two states agree on them, and on all automaton states.
    pub fn agree(&self, model: &Model, one: &State, other: &State) -> bool {
        let is_same = |instance: InstanceId| {
            let mut locals = model.locals_of(instance).filter(|(local, _)| self.contains(instance, *local));
            one.automaton(instance) == other.automaton(instance)
                && locals.all(|(local, _)| one.local(instance, local) == other.local(instance, local))
        };
        model.instance_ids().all(is_same)
    }

    /// True if the local is among them.
    pub fn contains(&self, instance: InstanceId, local: LocalId) -> bool {
        self.locals.contains(&(instance, local))
    }
}

/// Collects what is read. `pending` are influential locals whose updates were not looked at yet.
struct InfluenceReader<'m> {
    model: &'m Model,
    locals: FxHashSet<(InstanceId, LocalId)>,
    messages: FxHashSet<MessageId>,
    pending: Vec<(InstanceId, LocalId)>,
}

impl<'m> InfluenceReader<'m> {
    fn new(model: &'m Model) -> InfluenceReader<'m> {
        InfluenceReader { model, locals: FxHashSet::default(), messages: FxHashSet::default(), pending: Vec::new() }
    }

    fn local(&mut self, instance: InstanceId, local: LocalId) {
        if self.locals.insert((instance, local)) {
            self.pending.push((instance, local));
        }
    }

    /// A message variable is read: the values that any sender may put into it count.
    fn message(&mut self, message: MessageId) {
        if !self.messages.insert(message) {
            return;
        }
        let model = self.model;
        for instance in model.instance_ids() {
            for edge in &model.agent_of(instance).edges {
                for (_, value) in edge.action.data().iter().filter(|(assigned, _)| *assigned == message) {
                    self.expr(instance, value);
                }
            }
        }
    }

    /// An expression of a command of the instance. Relabellings are read anyway: see `behaviour`.
    fn expr(&mut self, instance: InstanceId, expr: &Expr<CommandLeaf>) {
        expr.for_each_leaf(&mut |leaf| match leaf {
            CommandLeaf::Local(local) => self.local(instance, *local),
            CommandLeaf::Message(message) => self.message(*message),
            CommandLeaf::Property(_) | CommandLeaf::Chan | CommandLeaf::Myself => {}
        });
    }

    fn everything(&mut self) {
        let model = self.model;
        let all = |instance| (0..model.agent_of(instance).locals.len() as u32).map(move |it| (instance, LocalId(it)));
        model.instance_ids().flat_map(all).for_each(|(instance, local)| self.local(instance, local));
    }

    /// All that decides which steps exist.
    fn behaviour(&mut self) {
        let model = self.model;
        if model.joint.is_some() {
            self.everything();
        }
        for instance in model.instance_ids() {
            let agent = model.agent_of(instance);
            self.expr(instance, &agent.receive_guard);
            for relabelling in agent.relabel.iter().flatten() {
                self.expr(instance, relabelling);
            }
            for edge in &agent.edges {
                self.edge(instance, edge);
            }
        }
    }

    fn edge(&mut self, instance: InstanceId, edge: &Edge) {
        let model = self.model;
        self.expr(instance, &edge.guard);
        edge.action.partners().into_iter().for_each(|(expr, _)| self.expr(instance, expr));
        for (message, value) in edge.action.data() {
            if matches!(model.messages[message.index()].ty, Type::Range(..)) {
                self.expr(instance, value);
            }
        }
        for (local, value) in &edge.updates {
            if matches!(model.agent_of(instance).locals[local.index()].ty, Type::Range(..)) {
                self.expr(instance, value);
            }
        }
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Atom(expr) => expr.for_each_leaf(&mut |leaf| {
                if let StateLeaf::Local(instance, local) = leaf {
                    self.local(*instance, *local);
                }
            }),
            Formula::Label(..) => {}
            Formula::Branching(branching) => {
                // Strategies decide by all that can be seen, and by messages.
                if matches!(branching.operator, Operator::Strategy(..)) {
                    self.everything();
                }
                // An agent that knows something sees all of its own.
                for &observer in branching.operator.group() {
                    self.model.seen_by(observer).for_each(|(owner, local)| self.local(owner, local));
                }
                branching.among.iter().chain([&branching.body]).for_each(|part| self.formula(part));
            }
            Formula::Observed(observation) => self.observation(observation),
            Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Next(_)
            | Formula::Until(..) => formula.for_each_child(&mut |operand| self.formula(operand)),
        }
    }

    fn observation(&mut self, observation: &Observation) {
        observation.for_each_leaf(&mut |leaf| {
            if let DataLeaf::Message(message) = leaf {
                self.message(*message);
            }
        });
    }

    /// Adds what the updates of influential locals read, until nothing is new.
    fn close(mut self) -> Influence {
        let model = self.model;
        while let Some((instance, local)) = self.pending.pop() {
            for edge in &model.agent_of(instance).edges {
                for (_, value) in edge.updates.iter().filter(|(updated, _)| *updated == local) {
                    self.expr(instance, value);
                }
            }
        }
        Influence { locals: self.locals }
    }
}
