//! Warnings about a model without errors, taken as a whole.

use super::automaton::{Automaton, reachable};
use super::constants::constant;
use super::context::Context;
use super::relabelling::end_of_sections;
use crate::diag::{Code, Diagnostic, Edit};
use crate::model::expr::Expr;
use crate::model::partners::{Partners, assigns, may_multicast};
use crate::model::{Action, Agent, AgentId, CommandLeaf, Edge, GetTarget, MessageId, Model, Side, Value};
use crate::source::Span;
use crate::syntax::ast;

impl Context<'_> {
    /// Warns about unreachable commands, data without a sender, omitted receive guards, and unused
    /// declarations.
    pub(super) fn warn(&mut self, model: &Model, automata: &[Automaton]) {
        let mut dead = Vec::new();
        for (index, (agent, automaton)) in model.agents.iter().zip(automata).enumerate() {
            dead.extend(self.warn_unreachable(AgentId(index as u32), agent, automaton));
        }
        let partners = Partners::new(model, &self.instances);
        for (agent, edge) in partners.edges().filter(|(_, edge)| !dead.contains(&edge.span)) {
            // Nearly always the first source assigns all: only for the others all sources are looked at.
            let assigns_all = |source: &Edge| edge.reads.iter().all(|&read| assigns(source, read));
            if !edge.reads.is_empty() && !partners.sources(agent, edge).any(assigns_all) {
                let sources: Vec<&Edge> = partners.sources(agent, edge).collect();
                self.warn_never_assigned(edge, &sources);
            }
        }
        for agent in partners.instantiated() {
            self.warn_omitted_receive_guard(&partners, agent);
        }
        self.warn_readings(model, &partners, &dead);
        self.warn_unused();
    }

    /// Says which commands of an agent type can never run, and returns their places.
    fn warn_unreachable(&mut self, id: AgentId, agent: &Agent, automaton: &Automaton) -> Vec<Span> {
        let is_dead =
            |edge: &Edge| is_never(&edge.guard) || self.gets_from_itself(id, edge) || self.serves_no_get(id, edge);
        let live: Vec<_> =
            agent.edges.iter().filter(|edge| !is_dead(edge)).map(|edge| (edge.source, edge.target)).collect();
        let reached = reachable(agent.states, &live);
        let mut dead = Vec::new();
        for (edge, step) in agent.edges.iter().zip(&automaton.steps) {
            let diagnostic = Diagnostic::new(Code::UnreachableCommand, edge.span, "this command can never run");
            let diagnostic = if let Some(rep) = step.after {
                diagnostic.label("stands after a `rep`").related(rep, "this never ends")
            } else if is_never(&edge.guard) {
                diagnostic.label("its guard is always false")
            } else if self.gets_from_itself(id, edge) {
                diagnostic.label("no instance gets from itself").help("name another instance")
            } else if self.serves_no_get(id, edge) {
                let label = "in the paper's reading, `SUPPLY@(x)` serves gets that name `x`, if `x` is the supplier";
                diagnostic.label(label).help("name the supplier, `myself` or `any`")
            } else if !reached[edge.source as usize] {
                diagnostic.label("nothing that can run leads to it")
            } else {
                continue;
            };
            self.report(diagnostic);
            dead.push(edge.span);
        }
        dead
    }

    /// True if a get of an agent type names the getter, whichever instance that is.
    fn gets_from_itself(&self, agent: AgentId, edge: &Edge) -> bool {
        match &edge.action {
            Action::Get { target: GetTarget::Location(Expr::Leaf(CommandLeaf::Myself)), .. } => true,
            Action::Get { target: GetTarget::Location(Expr::Const(Value::Enum(named))), .. } => {
                let instances = (0..).zip(&self.instances).filter(|(_, ty)| **ty == Some(agent));
                instances.map(|(instance, _)| instance).eq([*named])
            }
            Action::Send { .. } | Action::Receive { .. } | Action::Get { .. } | Action::Supply { .. } => false,
        }
    }

    /// True if a supply of an agent type names an instance of another one, in the reading in which it has to name itself.
    fn serves_no_get(&self, agent: AgentId, edge: &Edge) -> bool {
        let Action::Supply { to, .. } = &edge.action else { return false };
        matches!(&to.named, Some((location, Side::Supplier)) if !self.may_name(location, agent))
    }

    /// Warns about a command whose message variables no single source assigns.
    fn warn_never_assigned(&mut self, edge: &Edge, sources: &[&Edge]) {
        let declared = |id: &MessageId| self.messages[id.index()].name.clone();
        let missing: Vec<_> =
            edge.reads.iter().filter(|&&read| !sources.iter().any(|source| assigns(source, read))).collect();
        let (names, together): (Vec<_>, _) = if missing.is_empty() {
            (edge.reads.iter().map(declared).collect(), " together")
        } else {
            (missing.into_iter().map(declared).collect(), "")
        };
        let list: Vec<_> = names.iter().map(|name| format!("`{}`", name.name)).collect();
        let message = format!("no agent that may send to this command assigns {}{together}", list.join(" and "));
        let diagnostic = Diagnostic::new(Code::NeverAssigned, edge.span, message)
            .label("it reads what it never gets, so it can never run");
        self.report(names.iter().fold(diagnostic, |diagnostic, name| diagnostic.related(name.span, "declared here")));
    }

    /// Warns if an agent type without a receive guard may block a multicast of another instance.
    fn warn_omitted_receive_guard(&mut self, partners: &Partners, agent: AgentId) {
        let declared = &self.tree.agents[agent.index()];
        let blocked = partners.edges().find(|(sender, edge)| {
            matches!(&edge.action, Action::Send { channel, .. } if may_multicast(channel))
                && partners.others(*sender).any(|other| other == agent)
        });
        let Some((_, send)) = blocked.filter(|_| declared.receive_guard.is_none()) else { return };
        let name = &declared.name;
        let message = format!("the agent type `{}` has no receive guard and so listens to every channel", name.name);
        self.report(
            Diagnostic::new(Code::OmittedReceiveGuard, name.span, message)
                .label("blocks each multicast that it cannot receive")
                .related(send.span, "such as this one")
                .help("write `receive-guard: chan = *` to hear broadcasts only, or `true` if this is meant")
                .fix("hear broadcasts only", [Edit::insert(end_of_sections(declared), "\n    receive-guard: chan = *")])
                .fix("listen to every channel", [Edit::insert(end_of_sections(declared), "\n    receive-guard: true")]),
        );
    }

    fn warn_unused(&mut self) {
        let tree = self.tree;
        for global in &tree.globals {
            match global {
                // Without its `channels:`, a classic file would be a modern one.
                ast::Global::Enum { name, .. } if self.classic() && name.name == "channel" => {}
                ast::Global::Enum { name, constants } => {
                    if !constants.iter().any(|constant| self.is_used(constant.span)) {
                        self.warn_unused_name(name, "enum", Vec::new());
                    }
                }
                ast::Global::PointToPoint { .. } => {}
                ast::Global::Constant { name, .. } => self.warn_unused_name(name, "constant", Vec::new()),
                ast::Global::Messages(list) => self.warn_unused_variables(list, "message variable"),
                ast::Global::Properties(list) => self.warn_unused_variables(list, "property variable"),
                ast::Global::Guard(guard) => {
                    self.warn_unused_name(&guard.name, "guard", Vec::new());
                    self.warn_unused_variables(&guard.parameters, "parameter");
                }
            }
        }
        for agent in &tree.agents {
            // A family without members is a use.
            if !tree.system.iter().any(|instance| instance.agent.name == agent.name.name) {
                self.warn_unused_name(&agent.name, "agent type", Vec::new());
            }
            self.warn_unused_variables(&agent.locals, "local variable");
        }
    }

    fn warn_unused_variables(&mut self, list: &[ast::Declaration], what: &str) {
        for (index, declaration) in list.iter().enumerate() {
            let removed = match (index.checked_sub(1), list.get(index + 1)) {
                // Calls of a guard would have an argument too many.
                _ if what == "parameter" => None,
                (_, Some(next)) => Some(Span { start: declaration.name.span.start, end: next.name.span.start }),
                (Some(before), None) => Some(Span { start: list[before].ty.span.end, end: declaration.ty.span.end }),
                (None, None) => None,
            };
            let mut removed = Vec::from_iter(removed);
            // A relabelling of a property variable is no use of it; any other assignment is one.
            if what == "property variable" && !removed.is_empty() {
                let agents = self.tree.agents.iter();
                removed.extend(agents.flat_map(|agent| in_relabelling(agent, &declaration.name.name)));
            }
            self.warn_unused_name(&declaration.name, what, removed);
        }
    }

    /// `removed` is all that has to go with the name; nothing if that is not known.
    fn warn_unused_name(&mut self, name: &ast::Ident, what: &str, removed: Vec<Span>) {
        if !self.is_used(name.span) {
            let message = format!("the {what} `{}` is never used", name.name);
            let diagnostic = Diagnostic::new(Code::Unused, name.span, message).label("not used").help("remove it");
            let edits: Vec<Edit> = removed.into_iter().map(|span| Edit::replace(span, "")).collect();
            self.report(if edits.is_empty() { diagnostic } else { diagnostic.fix("remove it", edits) });
        }
    }
}

/// The places to remove from the relabelling of an agent so that it has a variable no more; nothing is left of it if it has no
/// other one.
fn in_relabelling(agent: &ast::Agent, name: &str) -> Vec<Span> {
    match &agent.relabel[..] {
        [only] if only.name.name == name => {
            let locals = agent.locals.iter().map(|local| local.ty.span.end);
            let conditions = [&agent.init, &agent.receive_guard].into_iter().flatten().map(|it| it.span.end);
            let sections = locals.chain(conditions).chain([agent.process.span.end]);
            let before = sections.filter(|end| *end <= only.name.span.start).fold(agent.name.span.end, u32::max);
            vec![Span { start: before, end: only.value.span.end }]
        }
        list => {
            let places = list.iter().enumerate().filter(|(_, it)| it.name.name == name);
            let places = places.map(|(index, it)| match (index.checked_sub(1), list.get(index + 1)) {
                (Some(before), None) => Span { start: list[before].value.span.end, end: it.value.span.end },
                (_, next) => Span { end: next.map_or(it.value.span.end, |next| next.name.span.start), ..it.name.span },
            });
            places.collect()
        }
    }
}

/// True if a guard is false in every state.
fn is_never(guard: &Expr<CommandLeaf>) -> bool {
    constant(guard, &|_| None) == Some(Value::Bool(false))
}
