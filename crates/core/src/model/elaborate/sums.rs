//! Sums over the members of families of any size, as open instances have them: variables.

use super::context::Context;
use super::families::AnyFamily;
use super::formula::Formulas;
use super::scopes::AgentPlace;
use super::types::Typed;
use crate::model::formula::StateLeaf;
use crate::model::scheme::totals::{ANY_MEMBER, about, at_start, fixed};
use crate::model::{AgentId, CommandLeaf, Expr, InstanceId, LocalId, Model, Total, TotalId, Value};
use crate::syntax::ast::{self, ExprKind, Ident};
use crate::syntax::walk;

/// Sums that are variables of an open instance.
pub(in crate::model) struct Sums {
    /// The sums.
    pub(in crate::model) list: Vec<ast::Expr>,
    /// Over which families: those whose sizes were not asked for.
    pub(in crate::model) over: Vec<bool>,
}

impl Context<'_> {
    /// The families whose members are counted in totals.
    fn families_in_totals(&self) -> impl Iterator<Item = (usize, &AnyFamily<'_>)> {
        let over = self.sums.map_or(&[][..], |sums| &sums.over);
        self.families.iter().enumerate().filter(|(family, _)| over.get(*family) == Some(&true))
    }

    /// True if a total stands for an instance.
    pub(super) fn is_in_total(&self, instance: InstanceId) -> bool {
        self.families_in_totals().any(|(_, family)| family.has(instance))
    }

    /// The families with instances of some agent types whose members are counted in totals.
    pub(super) fn summed_families(&self, domain: &[Ident]) -> Vec<usize> {
        let is_meant = |agent: AgentId| {
            let name = &self.tree.agents[agent.index()].name.name;
            domain.iter().any(|it| it.name == *name || it.name == "Agent")
        };
        self.families_in_totals()
            .filter(|(_, family)| self.agent_of_family(family.ast).is_some_and(is_meant))
            .map(|it| it.0)
            .collect()
    }

    /// Stands for any member of a family: an instance that the model does not have.
    pub(super) fn any_member(&self, family: usize) -> InstanceId {
        InstanceId((self.written.len() + family) as u32)
    }

    /// The agent types of those.
    pub(super) fn agents_of_any_members(&self) -> Vec<Option<AgentId>> {
        let families = self.families.iter().filter(|_| self.is_open);
        families.map(|family| self.agent_of_family(family.ast)).collect()
    }

    /// The totals of the sums.
    pub(super) fn totals_of_sums(&mut self, model: &Model) -> Vec<Total> {
        for sum in self.sums.map_or(&[][..], |sums| &sums.list) {
            // Their places in the list are the same in all instances.
            Formulas::new(self, model, sum.span).note_totals(sum);
        }
        self.totals.clone()
    }

    /// The values that the conditions of a family fix for all of its members alike.
    fn fixed_for_members(&mut self, model: &Model, family: usize) -> Vec<(LocalId, Value)> {
        let ast = self.families[family].ast;
        let Some(agent) = self.agent_of_family(ast) else { return Vec::new() };
        let mut alike = walk::conjuncts(&ast.init);
        alike.retain(|part| !self.reads_own(family, part));
        let names = self.agents[agent.index()].clone();
        let conditions: Vec<Expr<CommandLeaf>> =
            alike.into_iter().map(|part| self.condition(&names, AgentPlace::condition_of_member(None), part)).collect();
        let conditions: Vec<&Expr<CommandLeaf>> =
            conditions.iter().chain([&model.agents[agent.index()].init]).collect();
        fixed(&conditions)
    }

    /// True if a condition reads what each member has of its own.
    fn reads_own(&self, family: usize, expr: &ast::Expr) -> bool {
        let own = self.families[family].own();
        let mut reads = false;
        walk::nested(expr, &mut |part| {
            if let ExprKind::Name(name) = &part.kind {
                reads |= name == "index" || own.iter().any(|own| own.name == *name);
            }
        });
        reads
    }
}

impl Formulas<'_, '_> {
    /// The total of what is summed up of any member of a family.
    pub(super) fn total(
        &mut self,
        family: usize,
        summand: impl FnOnce(&mut Self) -> Option<Typed<StateLeaf>>,
    ) -> Option<TotalId> {
        let of = about(&summand(self)?.expr, ANY_MEMBER);
        if let Some(known) = self.context.totals.iter().position(|total| (total.family, &total.of) == (family, &of)) {
            return Some(TotalId(known as u32));
        }
        let members = Total::of_members(family);
        if of != members.of && !self.context.totals.contains(&members) {
            self.context.totals.push(members);
        }
        let fixed = self.context.fixed_for_members(self.model, family);
        self.context.totals.push(Total { family, initially: at_start(&of, &fixed), of });
        Some(TotalId(self.context.totals.len() as u32 - 1))
    }
}
