//! From a syntax tree to the typed model: names, types, guards, structure automata, formulas
//! (`docs/language.md`).
//!
//! One run reports everything that it can find. A mistake is reported once, where it is; uses that
//! depend on it stay silent: a name whose declaration is broken has no type, and an expression
//! without a type is compared with nothing.
//!
//! In reading order: [`names`] and [`context`] hold what is known, [`types`] the rules of the
//! operators, [`expression`] the walk over expressions with [`scopes`] for the names in commands,
//! [`guards`] the macros, [`automaton`] and [`agents`] the agent types, [`formula`] and
//! [`observation`] the specs; [`relabelling`], [`readings`] and [`warnings`] look at the model as a whole.

mod agents;
mod automaton;
mod branching;
mod built_in;
mod constants;
mod context;
mod expression;
mod fairness;
mod families;
mod formula;
mod guards;
mod names;
mod observation;
mod readings;
mod relabelling;
mod scopes;
mod spec_scopes;
mod sums;
#[cfg(test)]
mod tests;
mod types;
mod warnings;

use super::{
    AgentId, EnumId, EnumType, General, Instance, InstanceId, MessageId, Model, Open, Parameters, PropertyId, Scheme,
    Type,
};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::expr::Expr;
use crate::syntax::ast::{self, Part};
use agents::conditions;
use automaton::Automaton;
pub(super) use branching::BranchingWord;
pub use constants::constant;
use context::{Context, Declared};
use families::WrittenInstance;
use guards::Guard;
use names::Meaning;
use scopes::AgentPlace;
use std::rc::Rc;
pub(super) use sums::Sums;

/// The typed model of a file, and everything that is wrong with it or looks wrong.
///
/// There is no model iff there are errors, or the tree is incomplete, which the parser reported: it is
/// damaged, has `Error` nodes or no system. A mere consequence of damage is not reported.
pub fn elaborate(tree: &ast::Model) -> (Option<Model>, Diagnostics) {
    elaborated(Context::new(tree))
}

/// The same of a tree that has a model, but the numbers of members of families of any size are variables, and so are
/// these sums over them, among which those of the specs are. [`super::scheme`] adds the rest of an open instance.
pub(super) fn elaborate_open(tree: &ast::Model, sums: &Sums) -> Option<Model> {
    let mut context = Context::new(tree);
    context.is_open = true;
    context.sums = Some(sums);
    elaborated(context).0
}

fn elaborated(mut context: Context) -> (Option<Model>, Diagnostics) {
    let tree = context.tree;
    context.declare_globals();
    let automata: Vec<Automaton> = tree.agents.iter().map(|agent| Automaton::new(&agent.process)).collect();
    for (agent, automaton) in tree.agents.iter().zip(&automata) {
        let names = context.declare_members(agent, automaton);
        context.agents.push(Rc::new(names));
    }
    context.check_guards();
    let mut model = context.system(&automata);
    let whole = tree.damage.is_none();
    context.check_relabellings(&model);
    context.imagine_instances(&mut model);
    if context.is_open {
        model.open = Some(Open { outsiders: 0, totals: context.totals_of_sums(&model) });
    }
    model.restriction = context.restriction(&model);
    model.specs = context.specs(&model);
    if whole && !context.failed() {
        context.warn(&model, &automata);
    }
    let mut model = (whole && !context.failed()).then_some(model);
    if let Some(model) = model.as_mut().filter(|_| !context.is_open) {
        model.parameters.general = General::new(tree, model);
    }
    (model, context.into_diagnostics())
}

impl<'a> Context<'a> {
    /// Declares all global names in the order of the text; then, as the order has no meaning for them,
    /// reads the types of the variables.
    fn declare_globals(&mut self) {
        let tree = self.tree;
        for global in &tree.globals {
            self.declare_global_section(global);
        }
        for (index, agent) in tree.agents.iter().enumerate() {
            self.declare_global(&agent.name, Meaning::Agent(AgentId(index as u32)));
            if agent.name.name == "Agent" {
                self.report(
                    Diagnostic::new(Code::DuplicateName, agent.name.span, "an agent type cannot be called `Agent`")
                        .label("quantifiers over `Agent` range over all instances")
                        .help("rename the agent type"),
                );
            }
        }
        self.declare_instances();
        let types: Vec<_> = declarations(tree, messages_of).map(|it| self.resolve_type(&it.ty)).collect();
        self.messages.iter_mut().zip(types).for_each(|(declared, ty)| declared.ty = ty);
        let types: Vec<_> = declarations(tree, properties_of).map(|it| self.resolve_type(&it.ty)).collect();
        self.properties.iter_mut().zip(types).for_each(|(declared, ty)| declared.ty = ty);
    }

    fn declare_global_section(&mut self, global: &'a ast::Global) {
        match global {
            ast::Global::Enum { name, constants } => self.declare_enum(name, constants),
            ast::Global::Messages(list) => {
                for ast::Declaration { name, .. } in list {
                    self.declare_global(name, Meaning::Message(MessageId(self.messages.len() as u32)));
                    self.messages.push(Declared { name: name.clone(), ty: None });
                }
            }
            ast::Global::Properties(list) => {
                for ast::Declaration { name, .. } in list {
                    self.declare_global(name, Meaning::Property(PropertyId(self.properties.len() as u32)));
                    self.properties.push(Declared { name: name.clone(), ty: None });
                }
            }
            ast::Global::Guard(guard) => {
                self.declare_global(&guard.name, Meaning::Guard(self.guards.len()));
                self.guards.push(Guard::new(guard));
            }
            ast::Global::Constant { name, value, given } => self.declare_constant(name, value, given.clone()),
            ast::Global::PointToPoint { .. } => {}
        }
    }

    /// Declares an enum and its constants; a second enum of one name adds to the first.
    fn declare_enum(&mut self, name: &ast::Ident, constants: &[ast::Ident]) {
        let known = self.globals.get(&name.name).map(|symbol| symbol.meaning);
        let ty = match known {
            _ if name.name == "channel" => Type::Channel,
            Some(Meaning::Enum(ty)) => ty,
            _ => {
                self.enums.push(EnumType { name: name.name.clone(), constants: Vec::new() });
                Type::Enum(EnumId(self.enums.len() as u32 - 1))
            }
        };
        self.declare_global(name, Meaning::Enum(ty));
        for constant in constants {
            let list = match ty {
                Type::Enum(id) => &mut self.enums[id.index()].constants,
                _ => &mut self.channels,
            };
            list.push(constant.name.clone());
            let value = list.len() as u32 - 1;
            self.declare_global(constant, Meaning::Constant(ty, value));
        }
    }

    /// The model without its specs.
    fn system(&mut self, automata: &[Automaton]) -> Model {
        let tree = self.tree;
        let written: Vec<_> = self.written.iter().map(|instance| &instance.ast.agent).collect();
        self.instances = written.into_iter().map(|agent| self.agent_named(agent)).collect();
        self.instances.extend(self.agents_of_any_members());
        if tree.system.is_empty() {
            self.unreadable();
        }
        let names = self.agents.clone();
        let agents = tree.agents.iter().zip(&names).zip(automata);
        let agents = agents.map(|((agent, names), automaton)| self.agent(agent, names, automaton)).collect();
        Model {
            instances: self.all_instances(),
            joint: None,
            parameters: Parameters {
                families: self.families_of_any_size(),
                scheme: self.families.iter().any(|family| !family.is_given).then(|| Scheme::new(tree)),
                general: General::default(),
                outside_channels: self.outside_channels(),
            },
            open: None,
            agents,
            enums: self.enums.clone(),
            channels: self.channels.clone(),
            constants: self.constants_and_sizes(),
            restriction: None,
            messages: Context::variables(&self.messages),
            properties: Context::variables(&self.properties),
            specs: Vec::new(),
            point_to_point: self.reading(),
        }
    }

    /// Gives each agent type without an instance a nameless one if the instances are not all known, so that quantified
    /// specs are read all the same; such a model is never used.
    fn imagine_instances(&mut self, model: &mut Model) {
        if !self.is_missing(Part::Instances) {
            return;
        }
        for agent in (0..self.agents.len()).map(|index| AgentId(index as u32)) {
            if !self.instances.contains(&Some(agent)) {
                self.instances.push(Some(agent));
                let (name, init) = (String::new(), Expr::TRUE);
                model.instances.push(Instance { name, agent, conditions: Vec::new(), init });
            }
        }
    }

    pub(super) fn agent_named(&mut self, name: &ast::Ident) -> Option<AgentId> {
        self.global_of_kind(name, "agent type", |meaning| match meaning {
            Meaning::Agent(id) => Some(id),
            _ => None,
        })
    }

    /// Members of a family have the same mistakes: where one has any, those after it are not looked at.
    fn all_instances(&mut self) -> Vec<Instance> {
        let (mut instances, mut wrong) = (Vec::with_capacity(self.written.len()), None);
        for index in 0..self.written.len() {
            let (place, before) = (self.written[index].ast.init.span, self.troubles());
            if wrong == Some(place) {
                let agent = self.instances[index].unwrap_or(AgentId(0));
                let name = self.written[index].name.clone();
                instances.push(Instance { name, agent, conditions: Vec::new(), init: Expr::TRUE });
                continue;
            }
            instances.push(self.instance(index));
            wrong = (self.troubles() > before).then_some(place);
        }
        instances
    }

    fn instance(&mut self, index: usize) -> Instance {
        let WrittenInstance { ast, name, number } = self.written[index].clone();
        self.member = self.families.iter().position(|family| family.is_of(ast)).zip(number);
        let names = self.names_of(InstanceId(index as u32));
        let init = names.map_or(Expr::TRUE, |names| {
            self.condition(&names, AgentPlace::condition_of_member(self.index(number)), &ast.init)
        });
        Instance {
            name,
            agent: self.instances[index].unwrap_or(AgentId(0)),
            conditions: conditions(&ast.init, &init),
            init,
        }
    }
}

/// The declarations of all sections of one kind, in the order of the text.
fn declarations(
    tree: &ast::Model,
    select: fn(&ast::Global) -> Option<&[ast::Declaration]>,
) -> impl Iterator<Item = &ast::Declaration> {
    tree.globals.iter().filter_map(select).flatten()
}

fn messages_of(global: &ast::Global) -> Option<&[ast::Declaration]> {
    match global {
        ast::Global::Messages(list) => Some(list),
        _ => None,
    }
}

fn properties_of(global: &ast::Global) -> Option<&[ast::Declaration]> {
    match global {
        ast::Global::Properties(list) => Some(list),
        _ => None,
    }
}
