//! The typed model: names resolved, types checked, guards inlined, quantifiers expanded, structure
//! automata built (`docs/language.md`).
//!
//! [`elaborate()`] makes it from a syntax tree and reports everything that is wrong with it; [`eval`]
//! gives it its meaning on values. That concrete semantics is the reference of the whole project: it
//! knows no solver, and nothing else may decide whether a trace is a run.
//!
//! Invariants of a [`Model`] that came without errors: every id is in range; every expression is
//! well typed; data read by a receive is not necessarily assigned by every sender (that decides
//! whether the receive is *ready*), but everything else that is read exists.

pub mod branching;
pub mod checks;
pub mod elaborate;
pub mod eval;
pub mod expr;
pub mod fairness;
pub mod formula;
pub mod joint;
pub mod normal;
#[doc(hidden)]
pub mod of_text;
pub mod partners;
mod parts;
pub mod scheme;
mod show;
pub mod spec;
pub mod starting;
pub mod strategy;
pub mod subformulas;
mod triggers;
pub mod written;

use crate::source::Span;
pub use crate::syntax::ast::{ConstantName, Constants, Literal, PointToPoint, show_constants};
pub use crate::syntax::integer;
use dashu_int::IBig;
use dashu_int::ops::BitTest;
pub use elaborate::elaborate;
pub use expr::{BinaryOp, CommandLeaf, Expr};
pub use formula::{Formula, Observation};
pub use joint::Joint;
pub use scheme::{Family, General, Open, OwnNumber, Parameters, Scheme, Sizes, Total};
pub use spec::Spec;

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident,)*) => {
        $($(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into the list that it points to.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

ids! {
    /// An enum of [`Model::enums`].
    EnumId,
    /// An agent type of [`Model::agents`].
    AgentId,
    /// An instance of [`Model::instances`].
    InstanceId,
    /// A local of one agent type: an index into [`Agent::locals`].
    LocalId,
    /// An edge of one agent type: an index into [`Agent::edges`].
    EdgeId,
    /// A message variable of [`Model::messages`].
    MessageId,
    /// A property variable of [`Model::properties`].
    PropertyId,
    /// A total of [`Model::totals`].
    TotalId,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `bool`
    Bool,
    /// `int`, unbounded
    Int,
    /// `l..u`: an integer that must stay inside, both ends included
    Range(i64, i64),
    /// A declared enum.
    Enum(EnumId),
    /// A channel: `*` is value 0, then the constants of the enum `channel` in their order.
    Channel,
    /// A location: an index into [`Model::instances`], and, in an open instance, behind these the agents outside.
    Location,
}

impl Type {
    /// True if two values of these types can be compared: equal, with ranges counted as `int`.
    pub fn comparable(self, other: Type) -> bool {
        self.base() == other.base()
    }

    /// The type without its bounds.
    pub fn base(self) -> Type {
        match self {
            Type::Range(..) => Type::Int,
            other => other,
        }
    }
}

/// A value. The meaning of an `Enum` follows from the [`Type`] of its place: an enum constant, a channel
/// or a location.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// Of type `bool`.
    Bool(bool),
    /// Of type `int` or of a range.
    Int(IBig),
    /// Of an enum, the channels or the locations.
    Enum(u32),
}

impl Value {
    /// The broadcast channel.
    pub const BROADCAST: Value = Value::Enum(0);

    /// An integer.
    pub fn int(value: i64) -> Value {
        Value::Int(IBig::from(value))
    }

    /// Its number, if that is not too large: 0 and 1 are the truth values.
    pub fn number(&self) -> Option<i64> {
        match self {
            Value::Bool(value) => Some(i64::from(*value)),
            Value::Int(value) => i64::try_from(value).ok(),
            Value::Enum(value) => Some(i64::from(*value)),
        }
    }

    /// True if it is an integer with thousands of bits: random runs that square numbers come to such in a few steps, and
    /// show nothing more from there on.
    pub fn is_huge(&self) -> bool {
        const MANY_BITS: usize = 1 << 12;
        matches!(self, Value::Int(value) if value.bit_len() > MANY_BITS)
    }

    /// The truth value; panics on other types.
    pub fn as_bool(&self) -> bool {
        match self {
            Value::Bool(value) => *value,
            other => panic!("{other:?} is no truth value"),
        }
    }

    /// The integer; panics on other types.
    pub fn into_int(self) -> IBig {
        match self {
            Value::Int(value) => value,
            other => panic!("{other:?} is no integer"),
        }
    }
}

/// A declared variable: a local, a message variable or a property variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The place of the declaration.
    pub span: Span,
}

/// An enum and its constants.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumType {
    /// Its name.
    pub name: String,
    /// Its constants; a [`Value::Enum`] is an index into them.
    pub constants: Vec<String>,
}

/// A whole model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// `where ..`: what restricts the initial values of all instances together.
    pub restriction: Option<Restriction>,
    /// The declared constants, in their order.
    pub constants: Vec<Constant>,
    /// The declared enums without `channel`.
    pub enums: Vec<EnumType>,
    /// The channels: `*`, then the constants of the enum `channel`.
    pub channels: Vec<String>,
    /// The message variables.
    pub messages: Vec<Variable>,
    /// The property variables.
    pub properties: Vec<Variable>,
    /// The agent types.
    pub agents: Vec<Agent>,
    /// The instances; their order is that of the locations.
    pub instances: Vec<Instance>,
    /// How the agents behave, if all of them act at once; nothing for agents that send messages.
    pub joint: Option<Joint>,
    /// Its families of any size, and the models of other sizes.
    pub parameters: Parameters,
    /// The agents outside of an open instance. There, a step in which no agent here takes part is always possible: it
    /// changes nothing.
    pub open: Option<Open>,
    /// The specs, in their order.
    pub specs: Vec<Spec>,
    /// Which gets meet which supplies; whom a supply serves ([`SupplyTarget`]) follows from it.
    pub point_to_point: PointToPoint,
}

/// An agent type with its structure automaton.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Its local variables.
    pub locals: Vec<Variable>,
    /// The initial condition; leaves are locals and `myself`.
    pub init: Expr<CommandLeaf>,
    /// Its conjuncts as they were written; none if it was not.
    pub conditions: Vec<Condition>,
    /// Per property variable what it means for this agent; leaves are locals and `myself`.
    pub relabel: Vec<Option<Expr<CommandLeaf>>>,
    /// Leaves are locals, `myself` and `chan`.
    pub receive_guard: Expr<CommandLeaf>,
    /// The number of automaton states; 0 is the initial one.
    pub states: u32,
    /// One edge per command, in the order of the text.
    pub edges: Vec<Edge>,
}

/// A condition on the initial values of all instances together.
#[derive(Clone, Debug, PartialEq)]
pub struct Restriction {
    /// The condition: a conjunction of Boolean combinations of conditions on locals.
    pub formula: Formula,
    /// The places of the parts of the conjunction, in their order; nothing if there is no such text.
    pub places: Vec<Span>,
}

/// A declared constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name.
    pub name: ConstantName,
    /// Its value.
    pub value: Literal,
    /// True if the value was given from outside: the file itself may say something else.
    pub is_given: bool,
}

/// An instance of an agent type.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Its name.
    pub name: String,
    /// Its type.
    pub agent: AgentId,
    /// Its extra initial condition; leaves are locals and `myself`.
    pub init: Expr<CommandLeaf>,
    /// Its conjuncts as they were written.
    pub conditions: Vec<Condition>,
}

/// A conjunct of an initial condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The condition; leaves are locals and `myself`.
    pub expr: Expr<CommandLeaf>,
    /// Its place.
    pub span: Span,
}

/// A command between two automaton states.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The automaton state that it leaves.
    pub source: u32,
    /// The automaton state that it enters.
    pub target: u32,
    /// The label of the command.
    pub label: Option<String>,
    /// Leaves are locals, `myself` and, on all but sends, message variables.
    pub guard: Expr<CommandLeaf>,
    /// Its action.
    pub action: Action,
    /// New values; at most one per local. Leaves as in the guard.
    pub updates: Vec<(LocalId, Expr<CommandLeaf>)>,
    /// The message variables that guard and updates read, sorted: they must be assigned by the
    /// other side.
    pub reads: Vec<MessageId>,
    /// The place of the command.
    pub span: Span,
}

/// The action of a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Broadcast (channel `*`) or multicast.
    Send {
        /// A constant or a local of type channel.
        channel: Expr<CommandLeaf>,
        /// Leaves are the sender's locals, its `myself`, `chan`, and the receiver's property variables.
        guard: Expr<CommandLeaf>,
        /// At most one per message variable; leaves are locals and `myself`.
        data: Vec<(MessageId, Expr<CommandLeaf>)>,
    },
    /// Receives what is sent on the channel.
    Receive {
        /// A constant or a local of type channel.
        channel: Expr<CommandLeaf>,
    },
    /// Asks a supplier.
    Get {
        /// Which supplier.
        target: GetTarget,
        /// At most one per message variable; leaves are locals and `myself`.
        data: Vec<(MessageId, Expr<CommandLeaf>)>,
    },
    /// Answers a getter.
    Supply {
        /// Which getter.
        to: SupplyTarget,
        /// At most one per message variable; leaves are locals and `myself`.
        data: Vec<(MessageId, Expr<CommandLeaf>)>,
    },
}

/// A kind of command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandKind {
    /// A broadcast or multicast.
    Send,
    /// A receive.
    Receive,
    /// A get.
    Get,
    /// A supply.
    Supply,
}

impl CommandKind {
    /// All of them.
    pub const ALL: [CommandKind; 4] = [CommandKind::Send, CommandKind::Receive, CommandKind::Get, CommandKind::Supply];

    /// As a word.
    pub fn word(self) -> &'static str {
        match self {
            CommandKind::Send => "send",
            CommandKind::Receive => "receive",
            CommandKind::Get => "get",
            CommandKind::Supply => "supply",
        }
    }

    /// True if it initiates steps; a receive responds to the send of another agent.
    pub fn initiates(self) -> bool {
        match self {
            CommandKind::Send | CommandKind::Get | CommandKind::Supply => true,
            CommandKind::Receive => false,
        }
    }

    /// True if it takes the messages of others.
    pub fn is_taking(self) -> bool {
        matches!(self, CommandKind::Receive | CommandKind::Supply)
    }

    /// The kind of command that meets it.
    pub fn counterpart(self) -> CommandKind {
        match self {
            CommandKind::Send => CommandKind::Receive,
            CommandKind::Receive => CommandKind::Send,
            CommandKind::Get => CommandKind::Supply,
            CommandKind::Supply => CommandKind::Get,
        }
    }
}

impl Agent {
    /// The commands that receive.
    pub fn receives(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(|edge| matches!(edge.action, Action::Receive { .. }))
    }
}

impl Action {
    /// The predicate over property variables of other agents, of a send or a get that has one.
    pub fn predicate(&self) -> Option<&Expr<CommandLeaf>> {
        match self {
            Action::Send { guard, .. } => Some(guard),
            Action::Get { target: GetTarget::Predicate(predicate), .. } => Some(predicate),
            Action::Get { target: GetTarget::Location(_), .. } | Action::Receive { .. } | Action::Supply { .. } => None,
        }
    }

    /// Its kind.
    pub fn kind(&self) -> CommandKind {
        match self {
            Action::Send { .. } => CommandKind::Send,
            Action::Receive { .. } => CommandKind::Receive,
            Action::Get { .. } => CommandKind::Get,
            Action::Supply { .. } => CommandKind::Supply,
        }
    }

    /// The expressions that say with whom the step is taken, with their types.
    pub fn partners(&self) -> Vec<(&Expr<CommandLeaf>, Type)> {
        match self {
            Action::Send { channel, guard, .. } => vec![(channel, Type::Channel), (guard, Type::Bool)],
            Action::Receive { channel } => vec![(channel, Type::Channel)],
            Action::Get { target: GetTarget::Location(location), .. } => vec![(location, Type::Location)],
            Action::Get { target: GetTarget::Predicate(predicate), .. } => vec![(predicate, Type::Bool)],
            Action::Supply { to, .. } => to.named.iter().map(|(location, _)| (location, Type::Location)).collect(),
        }
    }

    /// The gets that it serves and the side that it names, of a supply.
    pub fn service(&self) -> Option<(bool, bool, Option<Side>)> {
        let Action::Supply { to, .. } = self else { return None };
        Some((to.by_name, to.by_predicate, to.named.as_ref().map(|(_, side)| *side)))
    }

    /// The data that the command sends along; receives have none.
    pub fn data(&self) -> &[(MessageId, Expr<CommandLeaf>)] {
        match self {
            Action::Send { data, .. } | Action::Get { data, .. } | Action::Supply { data, .. } => data,
            Action::Receive { .. } => &[],
        }
    }
}

/// The suppliers that a get asks.
#[derive(Clone, Debug, PartialEq)]
pub enum GetTarget {
    /// The instance that this expression of type location names: a local, a constant or `myself`.
    Location(Expr<CommandLeaf>),
    /// Any instance that satisfies this; leaves are the getter's locals, its `myself`, and the
    /// supplier's property variables.
    Predicate(Expr<CommandLeaf>),
}

/// The gets that a supply serves.
#[derive(Clone, Debug, PartialEq)]
pub struct SupplyTarget {
    /// True if gets by name are served.
    pub by_name: bool,
    /// True if gets by predicate are served.
    pub by_predicate: bool,
    /// An expression of type location, a constant or a local, and which side it has to name.
    pub named: Option<(Expr<CommandLeaf>, Side)>,
}

/// A side of a get/supply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The one that asks.
    Getter,
    /// The one that answers.
    Supplier,
}

impl Side {
    /// The one of both that is on this side.
    pub fn of<T>(self, getter: T, supplier: T) -> T {
        match self {
            Side::Getter => getter,
            Side::Supplier => supplier,
        }
    }
}

impl SupplyTarget {
    /// `SUPPLY@(any)`
    pub fn any(reading: PointToPoint) -> SupplyTarget {
        SupplyTarget { by_name: reading == PointToPoint::Tool, by_predicate: true, named: None }
    }

    /// `SUPPLY@(myself)`
    pub const MYSELF: SupplyTarget = SupplyTarget { by_name: true, by_predicate: false, named: None };

    /// `SUPPLY@(x)`
    pub fn naming(location: Expr<CommandLeaf>, reading: PointToPoint) -> SupplyTarget {
        match reading {
            PointToPoint::Tool => {
                SupplyTarget { by_name: true, by_predicate: true, named: Some((location, Side::Getter)) }
            }
            PointToPoint::Paper => SupplyTarget { named: Some((location, Side::Supplier)), ..SupplyTarget::MYSELF },
        }
    }

    /// True if such gets are served, by whichever instance.
    pub fn serves(&self, target: &GetTarget) -> bool {
        match target {
            GetTarget::Location(_) => self.by_name,
            GetTarget::Predicate(_) => self.by_predicate,
        }
    }
}

impl Model {
    /// The agent type of an instance.
    pub fn agent_of(&self, instance: InstanceId) -> &Agent {
        &self.agents[self.instances[instance.index()].agent.index()]
    }

    /// The locals of an instance.
    pub fn locals_of(&self, instance: InstanceId) -> impl Iterator<Item = (LocalId, &Variable)> {
        (0..).map(LocalId).zip(&self.agent_of(instance).locals)
    }

    /// True if a command of an instance is a receive: its label holds one state later than those of others.
    pub fn is_receive(&self, instance: InstanceId, edge: EdgeId) -> bool {
        matches!(self.agent_of(instance).edges[edge.index()].action, Action::Receive { .. })
    }

    /// The values of its constants.
    pub fn literals(&self) -> Constants {
        self.constants.iter().map(|constant| (constant.name.clone(), constant.value.clone())).collect()
    }

    /// The values that were given to its constants in place of what the file says.
    pub fn given(&self) -> Constants {
        let given = self.constants.iter().filter(|constant| constant.is_given);
        given.map(|constant| (constant.name.clone(), constant.value.clone())).collect()
    }

    /// All instances.
    pub fn instance_ids(&self) -> impl DoubleEndedIterator<Item = InstanceId> + use<> {
        (0..self.instances.len() as u32).map(InstanceId)
    }

    /// The type of a leaf in the code of an agent type.
    pub fn leaf_type(&self, agent: &Agent, leaf: CommandLeaf) -> Type {
        match leaf {
            CommandLeaf::Local(local) => agent.locals[local.index()].ty,
            CommandLeaf::Message(message) => self.messages[message.index()].ty,
            CommandLeaf::Property(property) => self.properties[property.index()].ty,
            CommandLeaf::Chan => Type::Channel,
            CommandLeaf::Myself => Type::Location,
        }
    }

    /// The type of a leaf of what observations say of data.
    pub fn data_type(&self, leaf: formula::DataLeaf) -> Type {
        match leaf {
            formula::DataLeaf::Message(message) => self.messages[message.index()].ty,
            formula::DataLeaf::Property(property) => self.properties[property.index()].ty,
            formula::DataLeaf::Chan => Type::Channel,
        }
    }

    /// The number of values of a type, if it has finitely many.
    pub fn cardinality(&self, ty: Type) -> Option<u64> {
        match ty {
            Type::Bool => Some(2),
            Type::Int => None,
            Type::Range(low, high) => u64::try_from(i128::from(high) - i128::from(low) + 1).ok(),
            Type::Enum(id) => Some(self.enums[id.index()].constants.len() as u64),
            Type::Channel => Some(self.channels.len() as u64),
            Type::Location => Some(self.instances.len() as u64 + u64::from(self.outsiders())),
        }
    }

    /// The values of a finite type in ascending order; nothing for `int`.
    pub fn values_of(&self, ty: Type) -> Option<Box<dyn Iterator<Item = Value>>> {
        Some(match ty {
            Type::Int => return None,
            Type::Bool => Box::new([false, true].into_iter().map(Value::Bool)),
            Type::Range(low, high) => Box::new((low..=high).map(Value::int)),
            Type::Enum(_) | Type::Channel | Type::Location => {
                let count = self.cardinality(ty)?;
                Box::new((0..count as u32).map(Value::Enum))
            }
        })
    }

    /// The name of a location.
    fn location_name(&self, index: usize) -> String {
        match self.instances.get(index) {
            Some(instance) => instance.name.clone(),
            None => format!("outsider{}", index - self.instances.len() + 1),
        }
    }

    /// The name of all locations.
    pub fn location_names(&self) -> Vec<String> {
        let count = self.instances.len() + self.outsiders() as usize;
        (0..count).map(|index| self.location_name(index)).collect()
    }

    /// A value as the user writes it.
    pub fn show(&self, value: &Value, ty: Type) -> String {
        match (value, ty) {
            (Value::Bool(value), _) => value.to_string(),
            (Value::Int(value), _) => value.to_string(),
            (Value::Enum(index), Type::Enum(id)) => self.enums[id.index()].constants[*index as usize].clone(),
            (Value::Enum(index), Type::Location) => self.location_name(*index as usize),
            (Value::Enum(index), _) => self.channels[*index as usize].clone(),
        }
    }
}
