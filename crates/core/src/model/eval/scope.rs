//! The meaning of the names in a command, and the parts of a step that sends and get/supply share.

use super::value::{belongs, evaluate, holds};
use super::{Semantics, State, WhyNot};
use crate::model::{CommandLeaf, Edge, EdgeId, Expr, InstanceId, LocalId, MessageId, Model, PropertyId, Value};

/// The data of one side, ascending by variable.
pub(super) type Data = Vec<(MessageId, Value)>;

/// The value that data assigns to a variable.
pub(super) fn lookup(data: &[(MessageId, Value)], message: MessageId) -> Option<&Value> {
    data.binary_search_by_key(&message, |(assigned, _)| *assigned).ok().map(|at| &data[at].1)
}

/// The scope in which an expression of a command is evaluated: plain names are `instance`'s in `state`.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) instance: InstanceId,
    /// The other side's data.
    pub(super) data: &'a [(MessageId, Value)],
    /// The channel of the message.
    pub(super) chan: Option<&'a Value>,
    pub(super) properties: Properties<'a>,
}

/// The meaning of property variables.
#[derive(Clone, Copy)]
pub(super) enum Properties<'a> {
    /// Nothing: they cannot occur.
    None,
    /// The relabellings of an instance.
    Of(InstanceId),
    /// An assignment, of an observation.
    Assigned(&'a [(PropertyId, Value)]),
}

impl Scope<'_> {
    pub(super) fn leaf(&self, leaf: CommandLeaf) -> Option<Value> {
        match leaf {
            CommandLeaf::Local(local) => Some(self.state.local(self.instance, local).clone()),
            CommandLeaf::Message(message) => lookup(self.data, message).cloned(),
            CommandLeaf::Property(property) => self.property(property),
            CommandLeaf::Chan => self.chan.cloned(),
            CommandLeaf::Myself => Some(Value::Enum(self.instance.0)),
        }
    }

    fn property(&self, property: PropertyId) -> Option<Value> {
        match self.properties {
            Properties::None => None,
            Properties::Of(partner) => relabelled(self.model, self.state, partner, property),
            Properties::Assigned(values) => {
                values.iter().find(|(assigned, _)| *assigned == property).map(|(_, value)| value.clone())
            }
        }
    }

    pub(super) fn value(&self, expr: &Expr<CommandLeaf>) -> Option<Value> {
        evaluate(expr, &|leaf| self.leaf(leaf))
    }

    pub(super) fn holds(&self, expr: &Expr<CommandLeaf>) -> bool {
        holds(expr, &|leaf| self.leaf(leaf))
    }
}

/// The value of a property variable for an instance: its relabelling, if it has one.
pub(super) fn relabelled(model: &Model, state: &State, instance: InstanceId, property: PropertyId) -> Option<Value> {
    let relabelling = model.agent_of(instance).relabel[property.index()].as_ref()?;
    own(model, state, instance).value(relabelling)
}

/// The scope of an instance on its own: no message, no partner.
pub(super) fn own<'a>(model: &'a Model, state: &'a State, instance: InstanceId) -> Scope<'a> {
    Scope { model, state, instance, data: &[], chan: None, properties: Properties::None }
}

/// One instance's part in a step.
#[derive(Clone)]
pub(super) struct Move {
    pub(super) instance: InstanceId,
    pub(super) edge: EdgeId,
    pub(super) target: u32,
    pub(super) updates: Vec<(LocalId, Value)>,
}

impl Move {
    pub(super) fn apply(&self, state: &mut State) {
        state.set_automaton(self.instance, self.target);
        for (local, value) in &self.updates {
            state.set_local(self.instance, *local, value.clone());
        }
    }
}

impl<'m> Semantics<'m> {
    pub(super) fn own<'a>(&self, state: &'a State, instance: InstanceId) -> Scope<'a>
    where
        'm: 'a,
    {
        own(self.model, state, instance)
    }

    /// The command, if the instance has it and is in the automaton state that it leaves.
    pub(super) fn leaving(&self, state: &State, instance: InstanceId, edge: EdgeId) -> Result<&'m Edge, WhyNot> {
        if instance.index() >= self.model.instances.len() {
            return Err(WhyNot::NoSuchInstance(instance));
        }
        let edges = &self.model.agent_of(instance).edges;
        let command = edges.get(edge.index()).ok_or(WhyNot::NoSuchCommand(instance, edge))?;
        if command.source != state.automaton(instance) {
            return Err(WhyNot::WrongAutomatonState(instance, edge));
        }
        Ok(command)
    }

    /// The data that a command sends along; it must stay inside the ranges of the message variables.
    pub(super) fn data(&self, scope: &Scope, edge: EdgeId) -> Result<Data, WhyNot> {
        let mut data = Data::new();
        for (message, expr) in self.edge(scope.instance, edge).action.data() {
            let value = scope.value(expr).expect("data reads locals of its own side only");
            if !belongs(self.model, &value, self.model.messages[message.index()].ty) {
                return Err(WhyNot::DataOutOfRange(scope.instance, edge, *message, value));
            }
            data.push((*message, value));
        }
        data.sort_by_key(|(message, _)| *message);
        Ok(data)
    }

    /// True if the other side's data has all that the command reads, and the guard holds.
    pub(super) fn enabled(&self, scope: &Scope, edge: EdgeId) -> Result<(), WhyNot> {
        let command = self.edge(scope.instance, edge);
        if let Some(missing) = command.reads.iter().find(|read| lookup(scope.data, **read).is_none()) {
            return Err(WhyNot::DataMissing(scope.instance, edge, *missing));
        }
        if scope.holds(&command.guard) { Ok(()) } else { Err(WhyNot::GuardFalse(scope.instance, edge)) }
    }

    /// The move of the instance by the command; it must stay inside the ranges of the locals.
    pub(super) fn movement(&self, scope: &Scope, edge: EdgeId) -> Result<Move, WhyNot> {
        let instance = scope.instance;
        let command = self.edge(instance, edge);
        let locals = &self.model.agent_of(instance).locals;
        let mut updates = Vec::with_capacity(command.updates.len());
        for (local, expr) in &command.updates {
            let value = scope.value(expr).expect("an enabled command has all that it reads");
            if !belongs(self.model, &value, locals[local.index()].ty) {
                return Err(WhyNot::UpdateOutOfRange(instance, edge, *local, value));
            }
            updates.push((*local, value));
        }
        Ok(Move { instance, edge, target: command.target, updates })
    }
}
