//! Differences between the two readings of gets and supplies (`docs/readings.md`) for a model.

use super::context::Context;
use crate::diag::{Code, Diagnostic};
use crate::model::expr::Expr;
use crate::model::partners::{Partners, agree};
use crate::model::{Action, AgentId, CommandLeaf, Edge, GetTarget, Model, Value};
use crate::source::Span;
use crate::words;

type AgentEdge<'m> = (AgentId, &'m Edge);

impl Context<'_> {
    /// Warns about the supplies that meet other gets as the paper has it, at the first of them, unless the file or an
    /// option chooses a reading.
    pub(super) fn warn_readings(&mut self, model: &Model, partners: &Partners, dead: &[Span]) {
        if self.tree.chosen_reading().is_some() {
            return;
        }
        let live = || partners.edges().filter(|(_, edge)| !dead.contains(&edge.span));
        let gets: Vec<_> = live().filter(|(_, edge)| matches!(edge.action, Action::Get { .. })).collect();
        let meets_otherwise = |supply: AgentEdge, get: AgentEdge| {
            partners.is_other(get.0, supply.0) && self.differ(get, supply) && agree(model, supply, get)
        };
        let differing = live().filter_map(|supply| {
            let get = gets.iter().find(|get| meets_otherwise(supply, **get))?;
            Some((supply.1, get.1))
        });
        let differing: Vec<_> = differing.collect();
        let Some((supply, get)) = differing.first() else { return };
        let names = supply.action.service().is_some_and(|(_, _, side)| side.is_some());
        let label = if names {
            "serves gets by the instance that it names; in the paper, gets that name the supplier, if it names itself"
        } else {
            "also serves gets that name the supplier; in the paper, only gets by a condition"
        };
        let more = match differing.len() - 1 {
            0 => String::new(),
            more => format!(", like {},", words::count(more, "other command")),
        };
        let message =
            format!("this supply{more} meets other gets here than in the paper on point-to-point communication");
        self.report(
            Diagnostic::new(Code::OtherReading, supply.span, message)
                .label(label)
                .related(get.span, "such as this get")
                .help("write `point-to-point: tool` among the declarations if this is meant, and `point-to-point: paper` otherwise"),
        );
    }

    /// True if one reading alone lets a get and a supply meet, by what they name.
    fn differ(&self, (getter, get): AgentEdge, (supplier, supply): AgentEdge) -> bool {
        let (Action::Get { target, .. }, Action::Supply { to, .. }) = (&get.action, &supply.action) else {
            return false;
        };
        let by_name = match target {
            GetTarget::Location(named) if !self.may_name(named, supplier) => return false,
            GetTarget::Location(_) => true,
            GetTarget::Predicate(_) => false,
        };
        // `SUPPLY@(myself)`, which serves gets by name only, is the same in both readings.
        to.by_name
            && to.by_predicate
            && to.named.as_ref().map_or(by_name, |(named, _)| {
                self.may_name(named, getter) || (by_name && self.may_name(named, supplier))
            })
    }

    /// True if a location of a command may be another instance than its own, of such a type.
    pub(super) fn may_name(&self, location: &Expr<CommandLeaf>, agent: AgentId) -> bool {
        match location {
            Expr::Const(Value::Enum(named)) => self.instances.get(*named as usize) == Some(&Some(agent)),
            Expr::Leaf(CommandLeaf::Myself) => false,
            _ => true,
        }
    }
}
