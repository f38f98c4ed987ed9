//! The names of a file: agents, variables, actions.

use super::super::ast::{Agent, Domain, Ident, Unread, Variable as Declared};
use super::Context;
use crate::diag::nearest::nearest;
use crate::diag::{Code, Diagnostic};
use crate::model::{EnumId, EnumType, Type, Variable};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The name of the agent whose variables others may see.
pub const ENVIRONMENT: &str = "Environment";

/// The meanings of names.
#[derive(Debug, Default)]
pub struct Names<'a> {
    pub agents: FxHashMap<&'a str, u32>,
    /// Per agent its variables.
    pub variables: Vec<FxHashMap<&'a str, u32>>,
    /// Per agent its actions.
    pub actions: Vec<FxHashMap<&'a str, u32>>,
    /// The environment, if there is one.
    pub environment: Option<u32>,
    /// Per agent the variables of the environment that it sees.
    pub sees: Vec<Vec<u32>>,
    /// Which names may be declared where the text could not be read.
    pub unread: Unread,
    /// The same for the variables of each agent, and for its actions.
    pub lacking: Vec<(bool, bool)>,
    /// Per agent the variables whose values could not be read, or are declared in two ways.
    pub untyped: Vec<FxHashSet<u32>>,
    /// Per agent whether its `Lobsvars` are wrong, so that it may see more.
    pub blind: Vec<bool>,
}

impl<'a> Context<'a> {
    /// Declares agents, variables and actions.
    pub fn declare(&mut self) {
        let file = self.file;
        let Unread { agents, propositions, groups } = file.unread;
        self.names.unread = Unread { agents, propositions, groups };
        for (index, agent) in (0u32..).zip(&file.agents) {
            let name = agent.name.name.as_str();
            match self.names.agents.get(name) {
                Some(first) => {
                    let first = file.agents[*first as usize].name.span;
                    self.repeated("agents", name, first, agent.name.span);
                }
                None => drop(self.names.agents.insert(name, index)),
            }
            if name == ENVIRONMENT && self.names.environment.is_none() {
                self.names.environment = Some(index);
            }
            self.names.lacking.push((agent.lacks_variables, agent.lacks_actions));
            self.declare_variables(index as usize);
            self.declare_actions(index as usize);
        }
        for index in 0..file.agents.len() {
            self.names.blind.push(false);
            let sees = self.visible(index);
            self.names.sees.push(sees);
        }
    }

    fn declare_variables(&mut self, index: usize) {
        let agent = &self.file.agents[index];
        let mut known: FxHashMap<&str, u32> = FxHashMap::default();
        let mut locals: Vec<Variable> = Vec::new();
        let mut untyped = FxHashSet::default();
        for (variable, _) in &agent.variables {
            let Declared { name, .. } = variable;
            let ty = self.domain(&agent.name.name, variable);
            if let Some(local) = known.get(name.name.as_str()) {
                let first = &locals[*local as usize];
                untyped.extend(Some(*local).filter(|_| ty != Some(first.ty)));
                self.repeated(&format!("variables of `{}`", agent.name.name), &name.name, first.span, name.span);
                continue;
            }
            if ty.is_none() {
                untyped.insert(locals.len() as u32);
            }
            known.insert(&name.name, locals.len() as u32);
            locals.push(Variable { name: name.name.clone(), ty: ty.unwrap_or(Type::Bool), span: name.span });
        }
        self.names.untyped.push(untyped);
        self.names.variables.push(known);
        self.locals.push(locals);
    }

    /// The type of a variable, unless its domain is wrong.
    fn domain(&mut self, agent: &str, variable: &Declared) -> Option<Type> {
        match &variable.domain {
            Domain::Error => None,
            Domain::Boolean => Some(Type::Bool),
            Domain::Range(low, high) => {
                if low > high {
                    let message = format!("the range {low}..{high} has no value");
                    self.report(
                        Diagnostic::new(Code::EmptyRange, variable.span, message).help("write the least value first"),
                    );
                    return None;
                }
                Some(Type::Range(*low, *high))
            }
            Domain::Listed(values) => self.enumeration(agent, variable, values).map(Type::Enum),
        }
    }

    /// Domains with the same values are one type.
    fn enumeration(&mut self, agent: &str, variable: &Declared, values: &[Ident]) -> Option<EnumId> {
        let is_truth = |value: &Ident| matches!(value.name.as_str(), "true" | "false");
        if values.iter().any(is_truth) && values.iter().all(is_truth) {
            let message = "truth values are a type of their own";
            self.report(Diagnostic::new(Code::NotAllowedHere, variable.span, message).help("write `boolean`"));
            return None;
        }
        let mut constants: Vec<&Ident> = Vec::new();
        for value in values {
            match constants.iter().find(|known| known.name == value.name) {
                Some(first) => self.repeated("values", &value.name, first.span, value.span),
                None => constants.push(value),
            }
            if matches!(value.name.as_str(), "true" | "false" | "and" | "or" | "Action") {
                let message = format!("`{}` is a word of the language, and cannot be a value", value.name);
                self.report(Diagnostic::new(Code::NotAllowedHere, value.span, message).help("choose another name"));
            }
        }
        if constants.is_empty() {
            let message = format!("`{}` has no values", variable.name.name);
            self.report(Diagnostic::new(Code::EmptyRange, variable.span, message).help("list them"));
        }
        let is_same = |other: &EnumType| {
            other.constants.len() == constants.len() && constants.iter().all(|it| other.constants.contains(&it.name))
        };
        let place = self.enums.iter().position(is_same).unwrap_or_else(|| {
            let constants = constants.iter().map(|constant| constant.name.clone()).collect();
            self.enums.push(EnumType { name: format!("{agent}.{}", variable.name.name), constants });
            self.enums.len() - 1
        });
        let id = EnumId(place as u32);
        (!constants.is_empty()).then_some(id)
    }

    fn declare_actions(&mut self, index: usize) {
        let agent = &self.file.agents[index];
        let mut known: FxHashMap<&str, (u32, Span)> = FxHashMap::default();
        for action in &agent.actions {
            match known.get(action.name.as_str()) {
                Some((_, first)) => {
                    self.repeated(&format!("actions of `{}`", agent.name.name), &action.name, *first, action.span);
                }
                None => drop(known.insert(&action.name, (known.len() as u32, action.span))),
            }
        }
        for section in ["Actions", "Protocol"] {
            if !agent.has_strangers && !agent.sections.iter().any(|(name, _)| *name == section) {
                let message = format!("the agent `{}` has no section `{section}`", agent.name.name);
                let help = match section {
                    "Actions" => "write `Actions = {none};`, say",
                    _ => "write `Protocol: Other : {none}; end Protocol`, say",
                };
                self.report(Diagnostic::new(Code::UnexpectedToken, agent.name.span, message).help(help));
                self.names.lacking[index].1 |= section == "Actions";
            }
        }
        self.names.actions.push(known.into_iter().map(|(name, (number, _))| (name, number)).collect());
    }

    /// The variables of the environment that an agent sees.
    fn visible(&mut self, index: usize) -> Vec<u32> {
        let agent = &self.file.agents[index];
        let Some(environment) = self.names.environment.filter(|environment| *environment as usize != index) else {
            let is_missing = self.names.environment.is_none() && !self.names.unread.agents;
            if let Some(first) = agent.lobsvars.first().filter(|_| is_missing) {
                let message = "there is no agent `Environment` whose variables could be seen";
                let finding = Diagnostic::new(Code::UnknownName, first.span, message);
                self.unknown("agent", ENVIRONMENT, finding.help("declare one, or leave `Lobsvars` out"));
            }
            return Vec::new();
        };
        let declared = &self.file.agents[environment as usize].variables;
        let known = &self.names.variables[environment as usize];
        let seen_by_all =
            declared.iter().filter(|(_, all)| *all).filter_map(|(variable, _)| known.get(variable.name.name.as_str()));
        let mut sees: Vec<u32> = seen_by_all.copied().collect();
        for name in &agent.lobsvars {
            match self.names.variables[environment as usize].get(name.name.as_str()) {
                Some(local) => sees.push(*local),
                None => {
                    self.names.blind[index] = true;
                    self.unknown_variable(environment, name);
                }
            }
        }
        sees.sort_unstable();
        sees.dedup();
        sees
    }

    /// The agent of a name.
    pub fn agent_named(&mut self, name: &Ident) -> Option<u32> {
        if let Some(agent) = self.names.agents.get(name.name.as_str()) {
            return Some(*agent);
        }
        if self.names.unread.agents {
            return None;
        }
        let message = format!("no agent is called `{}`", name.name);
        let agents = self.file.agents.iter().map(|agent| agent.name.name.as_str());
        let help = meant_or(name, self.names.agents.keys().copied(), || format!("the agents are {}", shown(agents)));
        self.unknown("agent", &name.name, Diagnostic::new(Code::UnknownName, name.span, message).help(help));
        None
    }

    /// Other agents that have the same name, one of which may be meant.
    fn twins(&self, agent: u32) -> impl Iterator<Item = &'a Agent> {
        let (agents, agent) = (&self.file.agents, &self.file.agents[agent as usize]);
        agents.iter().filter(move |other| other.name.name == agent.name.name && other.name.span != agent.name.span)
    }

    /// Reports that an agent has no variable of a name.
    pub fn unknown_variable(&mut self, agent: u32, name: &Ident) {
        let has_it = |twin: &Agent| twin.variables.iter().any(|(variable, _)| variable.name.name == name.name);
        if self.names.lacking[agent as usize].0 || self.twins(agent).any(has_it) {
            return;
        }
        let whose = &self.file.agents[agent as usize].name.name;
        let known = self.locals[agent as usize].iter().map(|local| local.name.as_str());
        let message = format!("`{whose}` has no variable `{}`", name.name);
        let help = meant_or(name, known.clone().chain(["Action"]), || match self.locals[agent as usize][..] {
            [] => "it has no variables".to_owned(),
            _ => format!("its variables are {}", shown(known)),
        });
        let finding = Diagnostic::new(Code::UnknownName, name.span, message).help(help);
        self.unknown("variable", &format!("{whose}.{}", name.name), finding);
    }

    /// An action of an agent.
    pub fn action_named(&mut self, agent: u32, name: &Ident) -> Option<u32> {
        if let Some(action) = self.names.actions[agent as usize].get(name.name.as_str()) {
            return Some(*action);
        }
        let has_it = |twin: &Agent| twin.actions.iter().any(|action| action.name == name.name);
        if self.names.lacking[agent as usize].1 || self.twins(agent).any(has_it) {
            return None;
        }
        let file = &self.file.agents[agent as usize];
        let known = file.actions.iter().map(|action| action.name.as_str());
        let message = format!("`{}` has no action `{}`", file.name.name, name.name);
        let help = meant_or(name, known.clone(), || match file.actions[..] {
            [] => "declare it in `Actions`".to_owned(),
            _ => format!("its actions are {}", shown(known)),
        });
        let finding = Diagnostic::new(Code::UnknownName, name.span, message).help(help);
        self.unknown("action", &format!("{}.{}", file.name.name, name.name), finding);
        None
    }
}

/// The name that was meant by an unknown one, if one is like it, or else other advice.
pub fn meant_or<'n>(name: &Ident, known: impl Iterator<Item = &'n str>, otherwise: impl FnOnce() -> String) -> String {
    nearest(&name.name, known).map_or_else(otherwise, |near| format!("did you mean `{near}`?"))
}

/// The most names that a message lists.
const MOST: usize = 8;

/// Names in a message, each once.
pub fn shown<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut seen = FxHashSet::default();
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let listed = super::super::parser::listed(&names[..names.len().min(MOST)]);
    if names.len() > MOST { format!("{listed}, ..") } else { listed }
}
