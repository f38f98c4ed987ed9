//! The names of a file: agents, variables, actions.

use super::super::ast::{Domain, Ident, Variable as Declared};
use super::Context;
use crate::diag::nearest::nearest;
use crate::diag::{Code, Diagnostic};
use crate::model::{EnumId, EnumType, Type, Variable};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// The name of the agent whose variables others may see.
pub const ENVIRONMENT: &str = "Environment";

/// What names stand for.
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
}

impl<'a> Context<'a> {
    /// Declares agents, variables and actions.
    pub fn declare(&mut self) {
        let file = self.file;
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
            self.declare_variables(index as usize);
            self.declare_actions(index as usize);
        }
        for index in 0..file.agents.len() {
            let sees = self.visible(index);
            self.names.sees.push(sees);
        }
    }

    fn declare_variables(&mut self, index: usize) {
        let agent = &self.file.agents[index];
        let mut known: FxHashMap<&str, u32> = FxHashMap::default();
        let mut locals: Vec<Variable> = Vec::new();
        for (variable, _) in &agent.variables {
            let Declared { name, .. } = variable;
            if let Some(first) = known.get(name.name.as_str()) {
                let first = locals[*first as usize].span;
                self.repeated(&format!("variables of `{}`", agent.name.name), &name.name, first, name.span);
                continue;
            }
            let ty = self.domain(&agent.name.name, variable);
            known.insert(&name.name, locals.len() as u32);
            locals.push(Variable { name: name.name.clone(), ty, span: name.span });
        }
        self.names.variables.push(known);
        self.locals.push(locals);
    }

    fn domain(&mut self, agent: &str, variable: &Declared) -> Type {
        match &variable.domain {
            Domain::Boolean | Domain::Error => Type::Bool,
            Domain::Range(low, high) => {
                if low > high {
                    let message = format!("the range {low}..{high} has no value");
                    self.report(
                        Diagnostic::new(Code::EmptyRange, variable.span, message).help("write the least value first"),
                    );
                }
                Type::Range(*low, *high)
            }
            Domain::Listed(values) => Type::Enum(self.enumeration(agent, variable, values)),
        }
    }

    /// Domains with the same values are one type.
    fn enumeration(&mut self, agent: &str, variable: &Declared, values: &[Ident]) -> EnumId {
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
        EnumId(place as u32)
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
            if !agent.sections.iter().any(|(name, _)| *name == section) {
                let message = format!("the agent `{}` has no section `{section}`", agent.name.name);
                let help = match section {
                    "Actions" => "write `Actions = {none};`, say",
                    _ => "write `Protocol: Other : {none}; end Protocol`, say",
                };
                self.report(Diagnostic::new(Code::UnexpectedToken, agent.name.span, message).help(help));
            }
        }
        if known.is_empty()
            && let Some((_, place)) = agent.sections.iter().find(|(name, _)| *name == "Actions")
        {
            let message = format!("the agent `{}` has no action", agent.name.name);
            self.report(Diagnostic::new(Code::UnexpectedToken, *place, message).help("write `Actions = {none};`, say"));
        }
        self.names.actions.push(known.into_iter().map(|(name, (number, _))| (name, number)).collect());
    }

    /// The variables of the environment that an agent sees.
    fn visible(&mut self, index: usize) -> Vec<u32> {
        let agent = &self.file.agents[index];
        let Some(environment) = self.names.environment.filter(|environment| *environment as usize != index) else {
            if let (None, Some(first)) = (self.names.environment, agent.lobsvars.first()) {
                let message = "there is no agent `Environment` whose variables could be seen";
                self.report(
                    Diagnostic::new(Code::UnknownName, first.span, message)
                        .help("declare one, or leave `Lobsvars` out"),
                );
            }
            return Vec::new();
        };
        let declared = &self.file.agents[environment as usize].variables;
        let known = &self.names.variables[environment as usize];
        let everybody =
            declared.iter().filter(|(_, all)| *all).filter_map(|(variable, _)| known.get(variable.name.name.as_str()));
        let mut sees: Vec<u32> = everybody.copied().collect();
        for name in &agent.lobsvars {
            match self.names.variables[environment as usize].get(name.name.as_str()) {
                Some(local) => sees.push(*local),
                None => self.unknown_variable(environment, name),
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
        let message = format!("no agent is called `{}`", name.name);
        let finding = Diagnostic::new(Code::UnknownName, name.span, message);
        let finding = match nearest(&name.name, self.names.agents.keys().copied()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help(format!(
                "the agents are {}",
                shown(self.file.agents.iter().map(|agent| agent.name.name.as_str()))
            )),
        };
        self.report(finding);
        None
    }

    /// Reports that an agent has no variable of a name.
    pub fn unknown_variable(&mut self, agent: u32, name: &Ident) {
        let whose = &self.file.agents[agent as usize].name.name;
        let known = self.locals[agent as usize].iter().map(|local| local.name.as_str());
        let message = format!("`{whose}` has no variable `{}`", name.name);
        let finding = Diagnostic::new(Code::UnknownName, name.span, message);
        let finding = match nearest(&name.name, known.clone()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None if self.locals[agent as usize].is_empty() => finding.help("it has no variables"),
            None => finding.help(format!("its variables are {}", shown(known))),
        };
        self.report(finding);
    }

    /// An action of an agent.
    pub fn action_named(&mut self, agent: u32, name: &Ident) -> Option<u32> {
        if let Some(action) = self.names.actions[agent as usize].get(name.name.as_str()) {
            return Some(*action);
        }
        let file = &self.file.agents[agent as usize];
        let known = file.actions.iter().map(|action| action.name.as_str());
        let message = format!("`{}` has no action `{}`", file.name.name, name.name);
        let finding = Diagnostic::new(Code::UnknownName, name.span, message);
        let finding = match nearest(&name.name, known.clone()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None if file.actions.is_empty() => finding.help("declare it in `Actions`"),
            None => finding.help(format!("its actions are {}", shown(known))),
        };
        self.report(finding);
        None
    }
}

/// The most names that a message lists.
const MOST: usize = 8;

/// Names in a message.
pub fn shown<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    let listed = super::super::parser::listed(&names[..names.len().min(MOST)]);
    if names.len() > MOST { format!("{listed}, ..") } else { listed }
}
