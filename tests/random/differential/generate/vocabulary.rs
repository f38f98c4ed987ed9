//! The vocabulary of a random model: types, names, signatures of agents.

use crate::common::random::Random;
use std::fmt;

/// The two dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `enum channel {..}`, `{guard}`, `<<O>>`
    Modern,
    /// `channels: ..`, `<guard>`, `<O>`
    Classic,
}

/// A type as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `l..u`
    Range(i64, i64),
    /// An enum, by number.
    Enum(usize),
    /// The channels and `*`.
    Channel,
    /// The instances.
    Location,
}

impl Ty {
    /// True if values of the two types can be compared.
    pub fn comparable(&self, other: &Ty) -> bool {
        self == other || (self.is_integer() && other.is_integer())
    }

    /// `int` and ranges.
    pub fn is_integer(&self) -> bool {
        matches!(self, Ty::Int | Ty::Range(..))
    }

    /// True if it has too many values to leave an initial value open.
    pub fn is_wide(&self) -> bool {
        match self {
            Ty::Int => true,
            Ty::Range(low, high) => high - low > 8,
            _ => false,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Ty::Bool => write!(out, "bool"),
            Ty::Int => write!(out, "int"),
            Ty::Range(low, high) => write!(out, "{low}..{high}"),
            Ty::Enum(index) => write!(out, "e{index}"),
            Ty::Channel => write!(out, "channel"),
            Ty::Location => write!(out, "location"),
        }
    }
}

/// A name with a type: a variable, or anything that reads like one in some place.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As it is written there.
    pub name: String,
    /// Its type.
    pub ty: Ty,
}

/// The variables that expressions of one place can read.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The variables.
    pub variables: Vec<Variable>,
    /// True if `myself` is one.
    pub myself: bool,
    /// The locals that guards read which are called there.
    pub locals: Vec<Variable>,
}

impl Scope {
    /// Variables only.
    pub fn of(variables: Vec<Variable>) -> Scope {
        Scope { variables, myself: false, locals: Vec::new() }
    }

    /// With more variables.
    pub fn with(&self, more: impl IntoIterator<Item = Variable>) -> Scope {
        let mut scope = self.clone();
        scope.variables.extend(more);
        scope
    }
}

/// The kind of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// `c!`
    Send,
    /// `c?`
    Receive,
    /// `GET@`
    Get,
    /// `SUPPLY@`
    Supply,
}

/// An agent type without its behaviour.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Its locals.
    pub locals: Vec<Variable>,
    /// The labels of its commands, once they are drawn.
    pub labels: Vec<String>,
    /// Those of them that are no receives.
    pub initiatives: Vec<String>,
}

impl Agent {
    /// The locals and `myself`.
    pub fn scope(&self) -> Scope {
        Scope { variables: self.locals.clone(), myself: true, locals: self.locals.clone() }
    }
}

/// A guard without its body.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Its parameters, one of which may hide a local.
    pub parameters: Vec<Variable>,
    /// The locals that it may read: only agents that have them call it.
    pub locals: Vec<Variable>,
}

impl Guard {
    /// The variables that its body reads.
    pub fn scope(&self) -> Scope {
        let is_hidden = |local: &&Variable| self.parameters.iter().any(|parameter| parameter.name == local.name);
        let visible = self.locals.iter().filter(|local| !is_hidden(local));
        let variables = self.parameters.iter().chain(visible).cloned().collect();
        Scope { variables, myself: false, locals: self.locals.clone() }
    }

    /// True if it can be called in a place.
    pub fn fits(&self, scope: &Scope) -> bool {
        let is_there = |local: &Variable| scope.locals.iter().any(|it| (&it.name, &it.ty) == (&local.name, &local.ty));
        self.locals.iter().all(is_there)
    }
}

/// An instance.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its name.
    pub name: String,
    /// The number of its type.
    pub agent: usize,
    /// The name of its family, which is the beginning of its own name, and its number there.
    pub family: Option<(String, usize)>,
}

/// The vocabulary of a model.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// How it is written.
    pub dialect: Dialect,
    /// The declared constants with their values.
    pub constants: Vec<(String, i64)>,
    /// The constants of each enum.
    pub enums: Vec<Vec<String>>,
    /// The channels without `*`.
    pub channels: Vec<String>,
    /// The message variables.
    pub messages: Vec<Variable>,
    /// The property variables.
    pub properties: Vec<Variable>,
    /// The guards; each calls those before it only.
    pub guards: Vec<Guard>,
    /// The agent types.
    pub agents: Vec<Agent>,
    /// The instances.
    pub instances: Vec<Instance>,
    /// How likely each kind of command is, in the order of [`CommandKind`].
    pub commands: [usize; 4],
}

impl Vocabulary {
    /// Draws one.
    pub fn new(random: &mut Random) -> Vocabulary {
        let dialect = if random.percent(50) { Dialect::Modern } else { Dialect::Classic };
        let names = |prefix: &str, count: usize| (0..count).map(|index| format!("{prefix}{index}")).collect();
        let enums: Vec<Vec<String>> =
            (0..1 + random.below(2)).map(|index| names(&format!("v{index}_"), 2 + random.below(2))).collect();
        let unbounded = random.percent(12);
        let variables = |random: &mut Random, prefix: &str, count: usize, unbounded: bool| -> Vec<Variable> {
            let draw =
                |index| Variable { name: format!("{prefix}{index}"), ty: draw_type(random, enums.len(), unbounded) };
            (0..count).map(draw).collect()
        };
        let count = 1 + random.below(3);
        let messages = variables(random, "m", count, unbounded);
        let count = random.below(3);
        let properties = variables(random, "p", count, false);
        let mut agents: Vec<Agent> = (0..1 + random.below(3))
            .map(|agent| {
                let count = 1 + random.below(3);
                let locals = variables(random, &format!("x{agent}_"), count, unbounded);
                Agent { name: format!("Agent{agent}"), locals, labels: Vec::new(), initiatives: Vec::new() }
            })
            .collect();
        if random.percent(50) {
            share_names(random, &mut agents);
        }
        let guards = (0..random.below(4))
            .map(|guard| {
                let owner = random.below(agents.len());
                let chance = if random.percent(60) { 60 } else { 0 };
                let locals: Vec<Variable> =
                    agents[owner].locals.iter().filter(|_| random.percent(chance)).cloned().collect();
                let count = random.below(3).max(usize::from(locals.is_empty()));
                let mut parameters = variables(random, &format!("a{guard}_"), count, false);
                if let Some(parameter) = parameters.first_mut().filter(|_| random.percent(15)) {
                    parameter.name.clone_from(&random.pick(&agents[owner].locals).name);
                }
                Guard { parameters, locals }
            })
            .collect();
        let count = (2 + random.below(3)).max(agents.len());
        // Every type has an instance; the others are drawn.
        let instances = (0..count)
            .map(|index| {
                let agent = if index < agents.len() { index } else { random.below(agents.len()) };
                Instance { name: format!("i{index}"), agent, family: None }
            })
            .collect();
        let instances = with_families(random, instances, agents.len());
        let constants = (0..random.below(3)).map(|index| (format!("N{index}"), random.between(-2, 3))).collect();
        let commands =
            *random.pick(&[[35, 35, 15, 15], [25, 25, 25, 25], [50, 50, 0, 0], [10, 10, 40, 40], [30, 50, 10, 10]]);
        let channels = names("c", 1 + random.below(2));
        Vocabulary { dialect, constants, enums, channels, messages, properties, guards, agents, instances, commands }
    }
}

/// Calls locals of different agents the same, many of them with the same type.
fn share_names(random: &mut Random, agents: &mut [Agent]) {
    let first = agents[0].locals.clone();
    for agent in agents {
        for (index, local) in agent.locals.iter_mut().enumerate() {
            local.name = format!("x{index}");
            if let Some(same) = first.get(index).filter(|_| random.percent(70)) {
                local.ty = same.ty.clone();
            }
        }
    }
}

/// Now and then the instances of one type are a family.
fn with_families(random: &mut Random, mut instances: Vec<Instance>, agents: usize) -> Vec<Instance> {
    for agent in 0..agents {
        let (mut members, others): (Vec<_>, Vec<_>) = instances.clone().into_iter().partition(|it| it.agent == agent);
        if members.len() < 2 || random.percent(50) {
            continue;
        }
        let (family, first) = (format!("q{agent}x"), random.below(2));
        for (number, member) in (first..).zip(&mut members) {
            *member = Instance { name: format!("{family}{number}"), agent, family: Some((family.clone(), number)) };
        }
        instances = others.into_iter().chain(members).collect();
    }
    instances
}

fn draw_type(random: &mut Random, enums: usize, unbounded: bool) -> Ty {
    if unbounded && random.percent(25) {
        return Ty::Int;
    }
    match random.weighted(&[22, 30, 12, 19, 15, 2]) {
        0 => Ty::Bool,
        1 => {
            let low = random.between(-2, 1);
            Ty::Range(low, low + random.between(1, 3))
        }
        2 => Ty::Enum(random.below(enums)),
        3 => Ty::Channel,
        4 => Ty::Location,
        // More values than are listed one by one.
        _ => Ty::Range(-40, 40),
    }
}
