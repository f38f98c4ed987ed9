//! Agents must have a relabelling for each property variable that some agent may ask them for.

use super::context::{Context, Declared};
use crate::diag::{Code, Diagnostic, Edit};
use crate::model::partners::Partners;
use crate::model::{Action, AgentId, CommandLeaf, Edge, GetTarget, Model, PropertyId, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Part};
use rustc_hash::FxHashSet;

/// The property variables that the predicate of a send or get reads, in the order of their first use.
pub(super) fn asked_properties(edge: &Edge) -> Vec<PropertyId> {
    let Some(predicate) = edge.action.predicate() else { return Vec::new() };
    let mut properties = Vec::new();
    predicate.for_each_leaf(&mut |leaf| {
        if let CommandLeaf::Property(id) = leaf
            && !properties.contains(id)
        {
            properties.push(*id);
        }
    });
    properties
}

/// The end of the last section of an agent before its behaviour; or else of its name.
pub(super) fn end_of_sections(agent: &ast::Agent) -> u32 {
    let locals = agent.locals.last().map(|local| local.ty.span.end);
    let conditions = [&agent.init, &agent.receive_guard].into_iter().flatten().map(|condition| condition.span.end);
    let relabel = agent.relabel.last().map(|last| last.value.span.end);
    conditions.chain(locals).chain(relabel).fold(agent.name.span.end, u32::max)
}

impl Context<'_> {
    /// Reports each agent type that lacks a relabelling which the predicate of a possible partner reads.
    pub(super) fn check_relabellings(&mut self, model: &Model) {
        let partners = Partners::new(model, &self.instances);
        // For each property variable, the agent types without it: few, if any.
        let properties = (0..self.properties.len()).map(|index| PropertyId(index as u32));
        let lacking: Vec<Vec<AgentId>> = properties
            .map(|property| partners.instantiated().filter(|&agent| !self.relabels(agent, property)).collect())
            .collect();
        let mut reported = FxHashSet::default();
        let lies_in = |edge: &Edge| self.faulty.iter().any(|place| edge.span.to(*place) == edge.span);
        let is_right = |(_, edge): &(AgentId, &Edge)| !lies_in(edge);
        let edges: Vec<_> = partners.edges().filter(is_right).collect();
        for (agent, edge) in edges {
            for property in asked_properties(edge) {
                for &other in &lacking[property.index()] {
                    let may_answer = partners.is_other(agent, other) && partners.may_answer(edge, other);
                    if may_answer && reported.insert((other, property)) {
                        self.missing_relabelling(other, property, edge.span, "asks for it");
                    }
                }
            }
        }
    }

    /// Reports each agent type that gets by name may ask, but that lacks a relabelling of a property
    /// variable which `exists(..)` or `forall(..)` at a place read: it would have to say its own value.
    pub(super) fn check_observed_relabellings(&mut self, model: &Model, properties: &[PropertyId], span: Span) {
        let partners = Partners::new(model, self.written_instances());
        for (agent, edge) in partners.edges() {
            if !matches!(&edge.action, Action::Get { target: GetTarget::Location(_), .. }) {
                continue;
            }
            for other in partners.others(agent).filter(|&other| partners.may_answer(edge, other)) {
                let missing: Vec<_> = properties.iter().filter(|&&property| !self.relabels(other, property)).collect();
                for &property in missing {
                    self.missing_relabelling(other, property, span, "asks for it, as gets by name may reach the agent");
                }
            }
        }
    }

    /// True if the text has a relabelling, even if that is not well typed, or may have one.
    fn relabels(&self, agent: AgentId, property: PropertyId) -> bool {
        if self.is_missing(Part::Relabelling(agent.index())) {
            return true;
        }
        let name = &self.properties[property.index()].name.name;
        self.tree.agents[agent.index()].relabel.iter().any(|assignment| assignment.name.name == *name)
    }

    fn missing_relabelling(&mut self, agent: AgentId, property: PropertyId, asked: Span, why: &str) {
        let name = self.properties[property.index()].name.name.clone();
        let edit = self.new_relabelling(agent, property);
        let agent = &self.tree.agents[agent.index()].name;
        let message = format!("the agent type `{}` has no relabelling for `{name}`", agent.name);
        self.report(
            Diagnostic::new(Code::MissingRelabelling, agent.span, message)
                .label(format!("lacks `relabel: {name} <- ..`"))
                .related(asked, why)
                .help(format!("add `{name} <- ..` to its `relabel:` section"))
                .fix(format!("add `{}`", edit.text.trim()), [edit]),
        );
    }

    /// A relabelling by some value of the type, for its author to go on with.
    fn new_relabelling(&self, agent: AgentId, property: PropertyId) -> Edit {
        let Declared { name, ty } = &self.properties[property.index()];
        let agent = &self.tree.agents[agent.index()];
        let value = match ty {
            None | Some(Type::Bool) => "false".to_owned(),
            Some(Type::Int) => "0".to_owned(),
            Some(Type::Range(low, _)) => low.to_string(),
            Some(Type::Enum(id)) => self.enums[id.index()].constants.first().cloned().unwrap_or_default(),
            Some(Type::Channel) => "*".to_owned(),
            Some(Type::Location) => "myself".to_owned(),
        };
        let relabelling = format!("{} <- {value}", name.name);
        match agent.relabel.last() {
            Some(last) => Edit::insert(last.value.span.end, format!("\n        {relabelling}")),
            None => Edit::insert(end_of_sections(agent), format!("\n    relabel: {relabelling}")),
        }
    }
}
