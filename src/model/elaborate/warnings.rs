//! What looks wrong in a model without errors, taken as a whole.

use super::automaton::{Automaton, reachable};
use super::constants::constant;
use super::context::Context;
use super::partners::{Partners, assigns, may_multicast};
use crate::diag::{Code, Diagnostic};
use crate::model::expr::Expr;
use crate::model::{Action, Agent, CommandLeaf, Edge, GetTarget, MessageId, Model, Value};

use crate::syntax::ast;

impl Context<'_> {
    /// Warns about unreachable commands, data that nobody sends, omitted receive guards, and unused
    /// declarations.
    pub(super) fn warn(&mut self, model: &Model, automata: &[Automaton]) {
        for (agent, automaton) in model.agents.iter().zip(automata) {
            self.warn_unreachable(agent, automaton);
        }
        let partners = Partners::new(model, &self.instances);
        for (agent, _, edge) in partners.edges() {
            let sources: Vec<&Edge> = partners.sources(agent, edge).collect();
            self.warn_never_assigned(edge, &sources);
        }
        self.warn_omitted_receive_guards(&partners);
        self.warn_unused();
    }

    fn warn_unreachable(&mut self, agent: &Agent, automaton: &Automaton) {
        let live: Vec<_> =
            agent.edges.iter().filter(|edge| !is_dead(edge)).map(|edge| (edge.source, edge.target)).collect();
        let reached = reachable(agent.states, &live);
        for (edge, step) in agent.edges.iter().zip(&automaton.steps) {
            let diagnostic = Diagnostic::new(Code::UnreachableCommand, edge.span, "this command can never run");
            if let Some(rep) = step.after {
                self.report(diagnostic.label("stands after a `rep`").related(rep, "this never ends"));
            } else if constant(&edge.guard, &|_| None) == Some(Value::Bool(false)) {
                self.report(diagnostic.label("its guard is always false"));
            } else if gets_from_itself(edge) {
                self.report(diagnostic.label("nobody gets from itself").help("name another instance"));
            } else if !reached[edge.source as usize] {
                self.report(diagnostic.label("nothing that can run leads to it"));
            }
        }
    }

    fn warn_never_assigned(&mut self, edge: &Edge, sources: &[&Edge]) {
        let missing: Vec<MessageId> =
            edge.reads.iter().copied().filter(|&read| !sources.iter().any(|source| assigns(source, read))).collect();
        for message in &missing {
            let declared = &self.messages[message.index()].name;
            let message = format!("nobody who may send to this command assigns `{}`", declared.name);
            let diagnostic = Diagnostic::new(Code::NeverAssigned, edge.span, message)
                .label(format!("reads `{}`, so it can never run", declared.name))
                .related(declared.span, "declared here");
            self.report(diagnostic);
        }
        let complete = |source: &&Edge| edge.reads.iter().all(|&read| assigns(source, read));
        if missing.is_empty() && !edge.reads.is_empty() && !sources.iter().any(complete) {
            let names: Vec<_> =
                edge.reads.iter().map(|read| format!("`{}`", self.messages[read.index()].name.name)).collect();
            self.report(
                Diagnostic::new(
                    Code::NeverAssigned,
                    edge.span,
                    format!("nobody who may send to this command assigns {} together", names.join(" and ")),
                )
                .label("reads all of them, so it can never run"),
            );
        }
    }

    fn warn_omitted_receive_guards(&mut self, partners: &Partners) {
        for (agent, declared) in
            partners.instantiated().map(|id| (id, &self.tree.agents[id.index()])).collect::<Vec<_>>()
        {
            if declared.receive_guard.is_some() {
                continue;
            }
            let others: Vec<_> = partners.others(agent).collect();
            let blocked = partners.edges().find(|(sender, _, edge)| {
                let multicast = matches!(&edge.action, Action::Send { channel, .. } if may_multicast(channel));
                multicast && (*sender != agent || others.contains(&agent))
            });
            if let Some((_, _, send)) = blocked {
                let name = &declared.name;
                self.report(
                    Diagnostic::new(
                        Code::OmittedReceiveGuard,
                        name.span,
                        format!("the agent type `{}` has no receive guard and so listens to every channel", name.name),
                    )
                    .label("blocks each multicast that it cannot receive")
                    .related(send.span, "as it may block this one")
                    .help(
                        "write `receive-guard: chan == *` if it is to hear broadcasts only, or `true` if this is meant",
                    ),
                );
            }
        }
    }

    fn warn_unused(&mut self) {
        let tree = self.tree;
        for global in &tree.globals {
            match global {
                ast::Global::Enum { name, constants } => {
                    if !constants.iter().any(|constant| self.is_used(constant.span)) {
                        self.warn_unused_name(name, "enum");
                    }
                }
                ast::Global::Messages(list) => self.warn_unused_variables(list, "message variable"),
                ast::Global::Properties(list) => self.warn_unused_variables(list, "property variable"),
                ast::Global::Guard(guard) => {
                    self.warn_unused_name(&guard.name, "guard");
                    self.warn_unused_variables(&guard.parameters, "parameter");
                }
            }
        }
        for agent in &tree.agents {
            self.warn_unused_name(&agent.name, "agent type");
            self.warn_unused_variables(&agent.locals, "local variable");
        }
    }

    fn warn_unused_variables(&mut self, list: &[ast::Declaration], what: &str) {
        for declaration in list {
            self.warn_unused_name(&declaration.name, what);
        }
    }

    fn warn_unused_name(&mut self, name: &ast::Ident, what: &str) {
        if !self.is_used(name.span) {
            let message = format!("the {what} `{}` is never used", name.name);
            self.report(Diagnostic::new(Code::Unused, name.span, message).label("not used").help("remove it"));
        }
    }
}

/// Whether the command alone shows that it never runs.
fn is_dead(edge: &Edge) -> bool {
    gets_from_itself(edge) || constant(&edge.guard, &|_| None) == Some(Value::Bool(false))
}

fn gets_from_itself(edge: &Edge) -> bool {
    matches!(&edge.action, Action::Get { target: GetTarget::Location(Expr::Leaf(CommandLeaf::Myself)), .. })
}
