//! Protocols and evolutions.

use super::super::ast::{EvolutionLine, Expr, ExprKind, Ident, Op, ProtocolLine};
use super::Context;
use super::expression::{ExprContext, constant_of};
use crate::diag::{Code, Diagnostic};
use crate::model::joint::{Behaviour, JointLeaf, Line, Possible};
use crate::model::{EnumId, EnumType, Expr as Typed, InstanceId, LocalId};
use crate::source::Span;

/// The action of an agent without actions.
const NO_ACTION: &str = "none";

impl Context<'_> {
    /// The behaviour of an agent: what it sees, its protocol and its evolution.
    pub fn behaviour(&mut self, index: usize) -> Behaviour {
        let agent = &self.file.agents[index];
        let (protocol, mut other) = self.protocol(index as u32, &agent.protocol);
        if agent.protocol.is_empty() {
            // Without lines, a protocol forbids nothing.
            other = (0..agent.actions.len().max(1) as u32).collect();
        }
        let lines: Vec<Line> = agent.evolution.iter().filter_map(|line| self.line(index as u32, line)).collect();
        if let Some(red) = &agent.red {
            // Reports errors in it; its meaning is read where formulas name it.
            drop(self.condition(red, ExprContext::Local(index as u32)));
        }
        let sees = self.names.sees[index]
            .iter()
            .map(|local| (InstanceId(self.names.environment.unwrap_or_default()), LocalId(*local)));
        let mut actions: Vec<String> = agent.actions.iter().map(|action| action.name.clone()).collect();
        if actions.is_empty() {
            actions.push(NO_ACTION.to_owned());
        }
        self.enums.push(EnumType { name: format!("{}.Action", agent.name.name), constants: actions.clone() });
        let protocol_place = agent.sections.iter().find(|(name, _)| *name == "Protocol").map(|(_, place)| *place);
        Behaviour {
            action_type: EnumId(self.enums.len() as u32 - 1),
            actions,
            protocol,
            other,
            protocol_place: protocol_place.unwrap_or(agent.name.span),
            groups: self.groups_of(index, &lines),
            lines,
            sees: sees.collect(),
        }
    }

    /// Of all lines one is taken, or, where each sets one variable, of those that set the same.
    fn groups_of(&self, index: usize, lines: &[Line]) -> Vec<Vec<u32>> {
        let all = || 0..lines.len() as u32;
        if !self.file.is_single {
            return if lines.is_empty() { Vec::new() } else { vec![all().collect()] };
        }
        let sets = |line: &u32, local: usize| lines[*line as usize].updates.iter().any(|(it, _)| it.index() == local);
        let groups =
            (0..self.locals[index].len()).map(|local| all().filter(|line| sets(line, local)).collect::<Vec<_>>());
        groups.filter(|group| !group.is_empty()).collect()
    }

    fn protocol(&mut self, agent: u32, lines: &[ProtocolLine]) -> (Vec<Possible>, Vec<u32>) {
        let (mut protocol, mut other) = (Vec::new(), Vec::new());
        let mut last: Option<Span> = None;
        for line in lines {
            let actions = self.actions(agent, line);
            if let Some(before) = last {
                let message = "this line stands behind `Other`";
                let finding = Diagnostic::new(Code::NotAllowedHere, line.span, message).related(before, "`Other`");
                self.report(
                    finding.help("`Other` is the last line of a protocol: it serves what no line before it does"),
                );
            }
            match &line.condition {
                None => (other, last) = (actions, Some(line.span)),
                Some(condition) => {
                    if let Some(condition) = self.condition(condition, ExprContext::Local(agent)) {
                        protocol.push(Possible { condition, actions, span: line.span });
                    }
                }
            }
        }
        (protocol, other)
    }

    fn actions(&mut self, agent: u32, line: &ProtocolLine) -> Vec<u32> {
        if line.actions.is_empty() && line.is_complete {
            let message = "this line allows no action";
            self.report(
                Diagnostic::new(Code::UnexpectedToken, line.span, message)
                    .help("name an action, or leave the line out"),
            );
        }
        let mut actions: Vec<u32> = line.actions.iter().filter_map(|name| self.action_named(agent, name)).collect();
        actions.sort_unstable();
        actions.dedup();
        actions
    }

    fn line(&mut self, agent: u32, line: &EvolutionLine) -> Option<Line> {
        let mut updates: Vec<(LocalId, Typed<JointLeaf>)> = Vec::new();
        let mut complete = true;
        let mut open = vec![&line.assignments];
        let mut set: Vec<(LocalId, Span)> = Vec::new();
        while let Some(part) = open.pop() {
            match &part.kind {
                ExprKind::All(list) => open.extend(list.iter().rev()),
                ExprKind::Binary(Op::Equal, left, right) => match self.assignment(agent, left, right) {
                    Some((local, value)) => {
                        if let Some((_, first)) = set.iter().find(|(other, _)| *other == local) {
                            let name = &self.locals[agent as usize][local.index()].name;
                            let message = format!("this line sets `{name}` twice");
                            let finding = Diagnostic::new(Code::DuplicateName, part.span, message);
                            let finding = finding.related(*first, "the first one").help("leave one of them out");
                            self.report(finding);
                        }
                        set.push((local, part.span));
                        updates.push((local, value));
                    }
                    None => complete = false,
                },
                _ => {
                    let message = "this assigns nothing";
                    let finding = Diagnostic::new(Code::UnexpectedToken, part.span, message);
                    self.report(finding.help("before `if` stand assignments, as in `x=1 and y=Environment.z`"));
                    complete = false;
                }
            }
        }
        if self.file.is_single && updates.len() > 1 {
            let message = "with single assignment a line sets one variable";
            let finding = Diagnostic::new(Code::NotAllowedHere, line.assignments.span, message);
            self.report(finding.help("write one line for each variable, or leave `Semantics=SA` out"));
        }
        let condition = self.condition(&line.condition, ExprContext::Step(agent));
        Some(Line { condition: condition.filter(|_| complete)?, updates, span: line.span })
    }

    /// `x = value`
    fn assignment(&mut self, agent: u32, left: &Expr, right: &Expr) -> Option<(LocalId, Typed<JointLeaf>)> {
        let local = match &left.kind {
            ExprKind::Name(None, name) => self.own(agent, name),
            ExprKind::Name(Some(whose), name) if whose.name == self.file.agents[agent as usize].name.name => {
                self.own(agent, name)
            }
            ExprKind::Name(Some(whose), _) => {
                let message = format!("an agent changes its own variables only, not those of `{}`", whose.name);
                self.report(
                    Diagnostic::new(Code::NotAllowedHere, left.span, message)
                        .help("let the other one change it in its own evolution"),
                );
                None
            }
            _ => {
                let finding = Diagnostic::new(Code::UnexpectedToken, left.span, "this is no variable");
                self.report(finding.help("an assignment begins with a variable of the agent, as in `x=1`"));
                None
            }
        };
        // Errors on the other side are reported, too.
        let untyped = &self.names.untyped[agent as usize];
        let Some(local) = local.filter(|local| !untyped.contains(&local.0)) else {
            if constant_of(right).is_none() {
                drop(self.typed(right, ExprContext::Value(agent), None));
            }
            return None;
        };
        let ty = self.locals[agent as usize][local.index()].ty;
        let value = self.of_type(
            right,
            ExprContext::Value(agent),
            ty,
            &self.locals[agent as usize][local.index()].name.clone(),
        )?;
        Some((local, value))
    }

    fn own(&mut self, agent: u32, name: &Ident) -> Option<LocalId> {
        match self.names.variables[agent as usize].get(name.name.as_str()) {
            Some(local) => Some(LocalId(*local)),
            None => {
                self.unknown_variable(agent, name);
                None
            }
        }
    }
}
