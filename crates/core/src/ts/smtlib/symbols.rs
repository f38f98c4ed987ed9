//! The names of the variables, inputs and values of a system in SMT-LIB text.
//!
//! Variables are called as in formulas: `client1-cLink`. No identifier of a model has a `-` or a `.`, so
//! `role.client` is free for the constant `client` of the enum `role`, and likewise `channel.*`,
//! `location.client1` and `event.client1-sReserve`. Where two things would have one name, `_` is appended to
//! the later one.

use super::write::Vocabulary;
use crate::model::joint::Deed;
use crate::model::{EdgeId, EnumId, InstanceId, LocalId, Model, Type};
use crate::ts::system::{EVENT, EventKind, Origin, System, Variable};
use crate::ts::term::{InputId, Leaf, Sort, Term, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A list of named values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValueKind(usize);

/// The names of one system.
#[derive(Clone, Debug)]
pub struct Symbols {
    variables: Vec<Symbol>,
    inputs: Vec<Symbol>,
    kinds: Vec<Vec<String>>,
    meanings: FxHashMap<String, SymbolMeaning>,
}

/// The name of a variable or an input, and what its values are called, if they have names.
#[derive(Clone, Debug)]
struct Symbol {
    name: String,
    kind: Option<ValueKind>,
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
enum SymbolMeaning {
    Variable(VarId, Sort),
    /// Value and number of values.
    Value(u32, u32),
}

impl ValueKind {
    /// The channels.
    pub const CHANNELS: ValueKind = ValueKind(0);
    /// The instances.
    pub const LOCATIONS: ValueKind = ValueKind(1);
    /// The events.
    pub const EVENTS: ValueKind = ValueKind(2);

    /// The constants of an enum.
    pub fn of_enum(id: EnumId) -> ValueKind {
        ValueKind(3 + id.index())
    }
}

impl Symbols {
    /// For a system of the model, with whatever was added to it.
    pub fn new(model: &Model, system: &System) -> Symbols {
        let mut free = Free::default();
        let mut values = |prefix: &str, names: Vec<String>| {
            names.into_iter().map(|name| free.claim(format!("{prefix}.{name}"))).collect::<Vec<String>>()
        };
        let events = system.events().iter().map(|event| event_name(model, event.kind)).collect();
        let mut kinds = vec![
            values("channel", model.channels.clone()),
            values("location", model.location_names()),
            values("event", events),
        ];
        kinds.extend(model.enums.iter().map(|declared| values(&declared.name, declared.constants.clone())));
        let variables = system.variables().iter();
        let variables = variables
            .map(|variable| Symbol { name: free.claim(variable.name.clone()), kind: kind_of(model, variable) })
            .collect();
        let input = |(index, input): (usize, &crate::ts::system::Input)| Symbol {
            name: free.claim(input.name.clone()),
            kind: (InputId(index as u32) == EVENT).then_some(ValueKind::EVENTS),
        };
        let inputs = system.inputs().iter().enumerate().map(input).collect();
        let mut symbols = Symbols { variables, inputs, kinds, meanings: FxHashMap::default() };
        symbols.collect_meanings(system);
        symbols
    }

    /// Inputs have none: what is read speaks of states.
    fn collect_meanings(&mut self, system: &System) {
        for values in &self.kinds {
            let count = values.len() as u32;
            let named = values.iter().cloned().zip(0..);
            self.meanings.extend(named.map(|(name, value)| (name, SymbolMeaning::Value(value, count))));
        }
        for (id, symbol) in system.var_ids().zip(&self.variables) {
            self.meanings.insert(symbol.name.clone(), SymbolMeaning::Variable(id, system.variable(id).sort));
        }
    }

    fn symbol(&self, leaf: Leaf) -> &Symbol {
        match leaf {
            Leaf::Var(id) => &self.variables[id.0 as usize],
            Leaf::Input(id) => &self.inputs[id.0 as usize],
        }
    }

    /// The name of the values of a variable or an input, if they have names.
    pub fn kind(&self, leaf: Leaf) -> Option<ValueKind> {
        self.symbol(leaf).kind
    }

    /// The names of the values of a kind, in their order.
    pub fn values(&self, kind: ValueKind) -> &[String] {
        &self.kinds[kind.0]
    }

    /// The variable or the value that a name stands for.
    pub fn lookup(&self, terms: &mut Terms, name: &str) -> Option<Term> {
        Some(match *self.meanings.get(name)? {
            SymbolMeaning::Variable(id, sort) => terms.leaf(Leaf::Var(id), sort, None),
            SymbolMeaning::Value(value, count) => terms.constant_of_enum(value, count),
        })
    }
}

impl Vocabulary for Symbols {
    fn leaf(&self, leaf: Leaf) -> String {
        self.symbol(leaf).name.clone()
    }

    fn value(&self, like: Option<Leaf>, value: u32) -> String {
        match like.and_then(|leaf| self.kind(leaf)) {
            Some(kind) => self.values(kind)[value as usize].clone(),
            None => value.to_string(),
        }
    }
}

fn kind_of(model: &Model, variable: &Variable) -> Option<ValueKind> {
    let Origin::Local(instance, LocalId(local)) = variable.origin else { return None };
    match model.agent_of(instance).locals[local as usize].ty {
        Type::Bool | Type::Int | Type::Range(..) => None,
        Type::Channel => Some(ValueKind::CHANNELS),
        Type::Location => Some(ValueKind::LOCATIONS),
        Type::Enum(id) => Some(ValueKind::of_enum(id)),
    }
}

/// `client1-sReserve`, `client1-ask-server2-answer`, `stutter`
pub fn event_name(model: &Model, kind: EventKind) -> String {
    match kind {
        EventKind::Send { sender, edge } => command_name(model, sender, edge),
        EventKind::GetSupply { getter, get, supplier, supply } => {
            format!("{}-{}", command_name(model, getter, get), command_name(model, supplier, supply))
        }
        EventKind::Joint { .. } => "joint".to_owned(),
        EventKind::Clause(number) => format!("clause-{number}"),
        EventKind::Stutter => "stutter".to_owned(),
    }
}

/// `client1-sReserve`; a command without a label is called by its place in the agent. Where agents act all at once, an action
/// or a line of the evolution, by its place.
pub fn command_name(model: &Model, instance: InstanceId, edge: EdgeId) -> String {
    let name = &model.instances[instance.index()].name;
    if let Some(joint) = &model.joint {
        let behaviour = &joint.behaviours[instance.index()];
        return match behaviour.deed(edge) {
            Some(Deed::Action(action)) => format!("{name}-{}", behaviour.actions[action as usize]),
            _ => format!("{name}-line{}", edge.0 as usize + 1 - behaviour.actions.len()),
        };
    }
    match &model.agent_of(instance).edges[edge.index()].label {
        Some(label) => format!("{name}-{label}"),
        None => format!("{name}-command{}", edge.0 + 1),
    }
}

/// Makes names different by appending `_`.
#[derive(Clone, Debug, Default)]
pub struct Free {
    taken: FxHashSet<String>,
}

impl Free {
    /// Names other than these.
    pub fn without<'a>(reserved: impl IntoIterator<Item = &'a str>) -> Free {
        Free { taken: reserved.into_iter().map(str::to_owned).collect() }
    }

    /// The name, or the first one after it that is free.
    pub fn claim(&mut self, mut name: String) -> String {
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}
