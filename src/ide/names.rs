//! Which declaration each name in a tree means.

use super::index::{Index, Symbol, SymbolId, SymbolKind, Use, symbol, variable};
use crate::source::{SourceFile, Span};
use crate::syntax::ast::{
    self, Action, Assignment, Command, Expr, ExprKind, Family, Global, Ident, SupplyTarget, Type, TypeKind,
};
use crate::syntax::token::first_name;
use crate::syntax::walk;

/// Fills in the uses of an index whose global names and members are declared.
pub(super) struct Uses<'a> {
    source: &'a SourceFile,
    tree: &'a ast::Model,
    index: &'a mut Index,
    /// Names that hide global ones, the innermost last: parameters, and quantified variables with their agent types.
    bound: Vec<(&'a str, SymbolId, Vec<usize>)>,
}

impl<'a> Uses<'a> {
    pub(super) fn new(source: &'a SourceFile, tree: &'a ast::Model, index: &'a mut Index) -> Uses<'a> {
        Uses { source, tree, index, bound: Vec::new() }
    }

    pub(super) fn collect(&mut self) {
        for global in &self.tree.globals {
            match global {
                Global::Enum { .. } | Global::PointToPoint { .. } => {}
                Global::Messages(list) | Global::Properties(list) => list.iter().for_each(|it| self.ty(&it.ty, None)),
                Global::Constant { value, .. } => self.expr(value, None),
                Global::Guard(guard) => {
                    for parameter in &guard.parameters {
                        self.ty(&parameter.ty, None);
                        let id = self.declare(variable(parameter, SymbolKind::Parameter));
                        self.bound.push((&parameter.name.name, id, Vec::new()));
                    }
                    self.expr(&guard.body, None);
                    self.bound.clear();
                }
            }
        }
        for (number, agent) in self.tree.agents.iter().enumerate() {
            let own = Some(number);
            agent.locals.iter().for_each(|it| self.ty(&it.ty, own));
            agent.init.iter().for_each(|it| self.expr(it, own));
            for Assignment { name, value } in &agent.relabel {
                self.assigned(name, None);
                self.expr(value, own);
            }
            agent.receive_guard.iter().for_each(|it| self.expr(it, own));
            walk::commands(&agent.process, &mut |command| self.command(command, number));
        }
        for instance in &self.tree.system {
            self.name(&instance.agent, None);
            let agent = self.tree.agents.iter().position(|agent| agent.name == instance.agent);
            instance.family.iter().flat_map(|it| Family::expressions(it)).for_each(|it| self.expr(it, None));
            self.expr(&instance.init, agent);
        }
        self.tree.restriction.iter().for_each(|it| self.expr(it, None));
        self.tree.assumptions.iter().for_each(|it| self.expr(&it.formula, None));
        self.tree.specs.iter().for_each(|it| self.expr(&it.formula, None));
    }

    fn command(&mut self, command: &'a Command, agent: usize) {
        let own = Some(agent);
        walk::command_expressions(command, &mut |expr| self.expr(expr, own));
        let (data, updates) = match &command.action {
            Action::Send { data, updates, .. } | Action::Get { data, updates, .. } => (&data[..], updates),
            Action::Supply { to, data, updates } => {
                if let SupplyTarget::Name(name) = to {
                    self.name(name, own);
                }
                (&data[..], updates)
            }
            Action::Receive { updates, .. } => (&[][..], updates),
        };
        data.iter().for_each(|it| self.assigned(&it.name, None));
        updates.iter().for_each(|it| self.assigned(&it.name, own));
    }

    fn ty(&mut self, ty: &'a Type, own: Option<usize>) {
        match &ty.kind {
            TypeKind::Range(low, high) => [low, high].into_iter().for_each(|it| self.expr(it, own)),
            TypeKind::Named(name) => {
                let place = Ident { name: name.clone(), span: ty.span };
                self.name(&place, None);
            }
            TypeKind::Error | TypeKind::Bool | TypeKind::Int | TypeKind::Location => {}
        }
    }

    /// An expression in which plain names may be those of an agent type.
    fn expr(&mut self, expr: &'a Expr, own: Option<usize>) {
        match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(span) = first_name(self.source, expr.span, name) {
                    self.name(&Ident { name: name.clone(), span }, own);
                }
            }
            ExprKind::Property(name) => self.name(name, None),
            ExprKind::Call { callee, .. } => self.name(callee, None),
            ExprKind::Group(members) => members.iter().for_each(|it| self.name(it, None)),
            ExprKind::Member { owner, member } => self.member(owner, member),
            ExprKind::Quantified { variable, domain, body, .. }
            | ExprKind::Aggregate { variable, domain, body, .. } => {
                return self.binder((variable, domain), body, expr.span, own);
            }
            _ => {}
        }
        walk::parts(expr).into_iter().for_each(|part| self.expr(part, own));
    }

    fn binder(
        &mut self,
        (variable, domain): (&'a Ident, &'a [Ident]),
        body: &'a Expr,
        whole: Span,
        own: Option<usize>,
    ) {
        domain.iter().for_each(|it| self.name(it, None));
        let types = match domain {
            [all] if all.name == "Agent" => (0..self.tree.agents.len()).collect(),
            _ => {
                let place = |name: &Ident| self.tree.agents.iter().position(|agent| agent.name == *name);
                domain.iter().filter_map(place).collect()
            }
        };
        let ty = domain.first().zip(domain.last()).map(|(first, last)| first.span.to(last.span));
        let id = self.declare(Symbol { ty, ..symbol(variable, SymbolKind::Variable, whole) });
        self.bound.push((&variable.name, id, types));
        self.expr(body, own);
        self.bound.pop();
    }

    fn declare(&mut self, symbol: Symbol) -> SymbolId {
        let id = self.index.symbols.len();
        self.index.declare(self.source, symbol, id);
        id
    }

    /// A local or label of an instance or of a quantified variable.
    fn member(&mut self, owner: &Ident, member: &Ident) {
        self.name(owner, None);
        let bound = self.bound.iter().rev().find(|(name, ..)| *name == owner.name);
        let types = match bound {
            Some((_, _, types)) => types.clone(),
            None => {
                let instance = self.index.global(&owner.name);
                instance.and_then(|(id, _)| self.index.symbols[id].agent).into_iter().collect()
            }
        };
        let symbols = types.iter().filter_map(|&agent| self.index.member(agent, &member.name)).collect();
        self.add(member.span, &member.name, symbols);
    }

    /// A name that is, in this order, bound, of the agent type, or global.
    fn name(&mut self, name: &Ident, own: Option<usize>) {
        if let Some(&(_, id, _)) = self.bound.iter().rev().find(|(bound, ..)| *bound == name.name) {
            return self.add(name.span, &name.name, vec![id]);
        }
        if let Some(id) = own.and_then(|agent| self.index.member(agent, &name.name)) {
            return self.add(name.span, &name.name, vec![id]);
        }
        if let Some((id, length)) = self.index.global(&name.name) {
            let span = Span { end: name.span.start + length as u32, ..name.span };
            self.add(span, &name.name[..length], vec![id]);
        }
    }

    /// A name that something is assigned to.
    fn assigned(&mut self, name: &Ident, own: Option<usize>) {
        let before = self.index.uses.len();
        self.name(name, own);
        self.index.uses[before..].iter_mut().for_each(|it| it.assigns = true);
    }

    /// Notes a use, if the name stands there: where the text was corrected, it does not.
    fn add(&mut self, span: Span, name: &str, symbols: Vec<SymbolId>) {
        if !symbols.is_empty() && self.source.text().get(span.range()) == Some(name) {
            self.index.uses.push(Use { span, symbols, declares: false, assigns: false });
        }
    }
}
