//! Which declaration each name in a tree means.

use super::index::{NameIndex, NameUse, Symbol, SymbolId, SymbolKind, agent_named, agents_in, symbol, variable};
use crate::source::{SourceFile, Span};
use crate::syntax::ast::{self, Assignment, Command, Expr, ExprKind, Family, Global, Ident, Type, TypeKind};
use crate::syntax::token::first_name;
use crate::syntax::walk;
use rustc_hash::{FxHashMap, FxHashSet};

/// The names of a tree.
pub(super) fn index(source: &SourceFile, tree: &ast::Model) -> NameIndex {
    let mut index = NameIndex::declared(source, tree);
    let callers = callers(tree);
    Uses { source, tree, index: &mut index, bound: Vec::new(), callers }.collect();
    index.uses.sort_by_key(|it| (it.span.start, it.span.end));
    index.uses.dedup_by_key(|it| it.span);
    index
}

/// Fills in the uses of an index whose global names and members are declared.
struct Uses<'a> {
    source: &'a SourceFile,
    tree: &'a ast::Model,
    index: &'a mut NameIndex,
    /// Names that hide global ones, the innermost last: parameters, and quantified variables with their agent types.
    bound: Vec<(&'a str, SymbolId, Vec<usize>)>,
    /// The agent types that call a guard, themselves or by other guards. Those that no agent calls may mean any.
    callers: FxHashMap<&'a str, Vec<usize>>,
}

impl<'a> Uses<'a> {
    fn collect(&mut self) {
        for global in &self.tree.globals {
            match global {
                Global::Enum { .. } | Global::PointToPoint { .. } => {}
                Global::Messages(list) | Global::Properties(list) => list.iter().for_each(|it| self.ty(&it.ty, &[])),
                Global::Constant { value, .. } => self.expr(value, &[]),
                Global::Guard(guard) => {
                    for parameter in &guard.parameters {
                        self.ty(&parameter.ty, &[]);
                        let id = self.declare(variable(parameter, SymbolKind::Parameter));
                        self.bound.push((&parameter.name.name, id, Vec::new()));
                    }
                    let callers = self.callers.get(guard.name.name.as_str()).cloned();
                    let callers = callers.unwrap_or_else(|| (0..self.tree.agents.len()).collect());
                    self.expr(&guard.body, &callers);
                    self.bound.clear();
                }
            }
        }
        for (number, agent) in self.tree.agents.iter().enumerate() {
            let own = &[number];
            agent.locals.iter().for_each(|it| self.ty(&it.ty, own));
            agent.init.iter().for_each(|it| self.expr(it, own));
            for Assignment { name, value } in &agent.relabel {
                self.assigned(name, &[]);
                self.expr(value, own);
            }
            agent.receive_guard.iter().for_each(|it| self.expr(it, own));
            walk::commands(&agent.process, &mut |command| self.command(command, number));
        }
        for instance in &self.tree.system {
            self.name(&instance.agent, &[]);
            instance.family.iter().flat_map(|it| Family::expressions(it)).for_each(|it| self.expr(it, &[]));
            let agent = agent_named(self.tree, &instance.agent.name);
            self.expr(&instance.init, agent.as_slice());
        }
        self.tree.restriction.iter().for_each(|it| self.expr(it, &[]));
        self.tree.assumptions.iter().for_each(|it| self.expr(&it.formula, &[]));
        self.tree.specs.iter().for_each(|it| self.expr(&it.formula, &[]));
    }

    fn command(&mut self, command: &'a Command, agent: usize) {
        let own = &[agent];
        walk::command_expressions(command, &mut |expr| self.expr(expr, own));
        command.action.getter().into_iter().for_each(|it| self.name(it, own));
        command.data.iter().for_each(|it| self.assigned(&it.name, &[]));
        command.updates.iter().for_each(|it| self.assigned(&it.name, own));
    }

    fn ty(&mut self, ty: &'a Type, own: &[usize]) {
        match &ty.kind {
            TypeKind::Range(low, high) => [low, high].into_iter().for_each(|it| self.expr(it, own)),
            TypeKind::Named(name) => {
                let place = Ident { name: name.clone(), span: ty.span };
                self.name(&place, &[]);
            }
            TypeKind::Error | TypeKind::Bool | TypeKind::Int | TypeKind::Location => {}
        }
    }

    /// An expression in which plain names may be those of an agent type; in guards, of several ones.
    fn expr(&mut self, expr: &'a Expr, own: &[usize]) {
        match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(span) = first_name(self.source, expr.span, name) {
                    self.name(&Ident { name: name.clone(), span }, own);
                }
            }
            ExprKind::Property(name) => self.name(name, &[]),
            ExprKind::Call { callee, .. } => self.name(callee, &[]),
            ExprKind::Group(members) => members.iter().for_each(|it| self.name(it, &[])),
            ExprKind::Member { owner, member } => self.member(owner, member),
            ExprKind::Quantified { variable, domain, body, .. }
            | ExprKind::Aggregate { variable, domain, body, .. } => {
                return self.binder((variable, domain), body, expr.span, own);
            }
            _ => {}
        }
        expr.kind.parts().into_iter().for_each(|part| self.expr(part, own));
    }

    fn binder(&mut self, (variable, domain): (&'a Ident, &'a [Ident]), body: &'a Expr, whole: Span, own: &[usize]) {
        domain.iter().for_each(|it| self.name(it, &[]));
        let names: Vec<&str> = domain.iter().map(|name| name.name.as_str()).collect();
        let types = agents_in(self.tree, &names);
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
        self.name(owner, &[]);
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

    /// A name that is, in this order, bound, of the agent types, or global.
    fn name(&mut self, name: &Ident, own: &[usize]) {
        if let Some(&(_, id, _)) = self.bound.iter().rev().find(|(bound, ..)| *bound == name.name) {
            return self.add(name.span, &name.name, vec![id]);
        }
        let members: Vec<SymbolId> = own.iter().filter_map(|&agent| self.index.member(agent, &name.name)).collect();
        if !members.is_empty() {
            return self.add(name.span, &name.name, members);
        }
        if let Some((id, length)) = self.index.global(&name.name) {
            let span = Span { end: name.span.start + length as u32, ..name.span };
            self.add(span, &name.name[..length], vec![id]);
        }
    }

    /// A name that something is assigned to.
    fn assigned(&mut self, name: &Ident, own: &[usize]) {
        let before = self.index.uses.len();
        self.name(name, own);
        self.index.uses[before..].iter_mut().for_each(|it| it.assigns = true);
    }

    /// Notes a use, if the name stands there: where the text was corrected, it does not.
    fn add(&mut self, span: Span, name: &str, symbols: Vec<SymbolId>) {
        if !symbols.is_empty() && self.source.text().get(span.range()) == Some(name) {
            self.index.uses.push(NameUse { span, symbols, declares: false, assigns: false });
        }
    }
}

/// For each guard the agent types whose locals its body may read: those that call it, themselves or by other guards.
fn callers(tree: &ast::Model) -> FxHashMap<&str, Vec<usize>> {
    let mut within: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for global in &tree.globals {
        if let Global::Guard(guard) = global {
            calls(&guard.body, &mut |callee| within.entry(&guard.name.name).or_default().push(callee));
        }
    }
    let mut pending = Vec::new();
    for (number, agent) in tree.agents.iter().enumerate() {
        walk::of_agent(agent, &mut |expr| calls(expr, &mut |callee| pending.push((callee, number))));
    }
    for instance in &tree.system {
        let agent = agent_named(tree, &instance.agent.name);
        calls(&instance.init, &mut |callee| pending.extend(agent.map(|agent| (callee, agent))));
    }
    let (mut callers, mut seen) = (FxHashMap::default(), FxHashSet::default());
    while let Some((guard, agent)) = pending.pop() {
        if seen.insert((guard, agent)) {
            callers.entry(guard).or_insert_with(Vec::new).push(agent);
            pending.extend(within.get(guard).into_iter().flatten().map(|callee| (*callee, agent)));
        }
    }
    callers.values_mut().for_each(|agents| agents.sort_unstable());
    callers
}

/// Calls the function for the guards that an expression calls.
fn calls<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a str)) {
    if let ExprKind::Call { callee, .. } = &expr.kind {
        visit(&callee.name);
    }
    expr.kind.parts().into_iter().for_each(|part| calls(part, visit));
}
