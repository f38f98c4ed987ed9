//! The names of a file: where each is declared, and where it is used.
//!
//! The index is made from the syntax tree alone, so that it is there for files with errors, too. Where a name is declared
//! twice, the first declaration counts, as in [`crate::model::elaborate()`].

use super::names::Uses;
use crate::source::{SourceFile, Span};
use crate::syntax::ast::{self, Command, Declaration, Global, Instance};
use crate::syntax::walk;
use rustc_hash::FxHashMap;

/// A declared name, as an index into [`Index::symbols`].
pub type SymbolId = usize;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// An enum, or the channels.
    Enum,
    /// A constant of an enum.
    EnumConstant,
    /// A channel.
    Channel,
    /// `const N = e;`
    Constant,
    /// A message variable.
    Message,
    /// A property variable.
    Property,
    /// A guard.
    Guard,
    /// A parameter of a guard.
    Parameter,
    /// An agent type.
    Agent,
    /// A local variable.
    Local,
    /// A label of a command.
    Label,
    /// An instance, or a family of them.
    Instance,
    /// A variable of a quantifier, a sum or a count.
    Variable,
}

impl SymbolKind {
    /// As a noun.
    pub fn noun(self) -> &'static str {
        match self {
            SymbolKind::Enum => "enum",
            SymbolKind::EnumConstant => "enum constant",
            SymbolKind::Channel => "channel",
            SymbolKind::Constant => "constant",
            SymbolKind::Message => "message variable",
            SymbolKind::Property => "property variable",
            SymbolKind::Guard => "guard",
            SymbolKind::Parameter => "parameter",
            SymbolKind::Agent => "agent type",
            SymbolKind::Local => "local variable",
            SymbolKind::Label => "label",
            SymbolKind::Instance => "instance",
            SymbolKind::Variable => "quantified variable",
        }
    }
}

/// A declared name.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// Its meaning.
    pub kind: SymbolKind,
    /// The place of the declaration.
    pub span: Span,
    /// Its type or value as written, if it has one.
    pub ty: Option<Span>,
    /// The whole declaration.
    pub whole: Span,
    /// The agent type that it belongs to, as an index into those of the tree; of an instance, its type.
    pub agent: Option<usize>,
    /// True if it is a family: uses of its members begin with its name.
    pub is_family: bool,
}

/// A place where a name stands, its declaration included.
#[derive(Clone, Debug)]
pub struct Use {
    /// The place of the name; of a member of a family, without its number.
    pub span: Span,
    /// The symbols meant: several locals or labels where a quantifier ranges over several agent types.
    pub symbols: Vec<SymbolId>,
    /// True if it is the declaration.
    pub declares: bool,
    /// True if something is assigned to it there.
    pub assigns: bool,
}

/// All names of a file.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// All declared symbols, in the order of the text but for labels and quantified variables.
    pub symbols: Vec<Symbol>,
    /// All uses of names, by place.
    pub uses: Vec<Use>,
    /// The global names.
    pub globals: FxHashMap<String, SymbolId>,
    /// Per agent type its locals and labels.
    pub members: Vec<FxHashMap<String, SymbolId>>,
}

impl Index {
    /// The names of a tree.
    pub fn new(source: &SourceFile, tree: &ast::Model) -> Index {
        let mut index = Index { members: vec![FxHashMap::default(); tree.agents.len()], ..Index::default() };
        index.declare_globals(source, tree);
        index.declare_agents(source, tree);
        tree.system.iter().for_each(|instance| index.declare_instance(source, tree, instance));
        Uses::new(source, tree, &mut index).collect();
        index.uses.sort_by_key(|it| (it.span.start, it.span.end));
        index.uses.dedup_by_key(|it| it.span);
        index
    }

    fn declare_globals(&mut self, source: &SourceFile, tree: &ast::Model) {
        for global in &tree.globals {
            match global {
                Global::Enum { name, constants } => {
                    let whole = constants.last().map_or(name.span, |last| name.span.to(last.span));
                    let is_channel = name.name == "channel";
                    self.declare_global(source, symbol(name, SymbolKind::Enum, whole));
                    let kind = if is_channel { SymbolKind::Channel } else { SymbolKind::EnumConstant };
                    for constant in constants {
                        let ty = Some(name.span);
                        self.declare_global(source, Symbol { ty, ..symbol(constant, kind, constant.span) });
                    }
                }
                Global::Messages(list) => {
                    list.iter().for_each(|it| self.declare_global(source, variable(it, SymbolKind::Message)));
                }
                Global::Properties(list) => {
                    list.iter().for_each(|it| self.declare_global(source, variable(it, SymbolKind::Property)));
                }
                Global::Guard(guard) => {
                    let whole = guard.name.span.to(guard.body.span);
                    let ty = Some(guard.body.span);
                    self.declare_global(source, Symbol { ty, ..symbol(&guard.name, SymbolKind::Guard, whole) });
                }
                Global::Constant { name, value, .. } => {
                    let whole = name.span.to(value.span);
                    let ty = Some(value.span);
                    self.declare_global(source, Symbol { ty, ..symbol(name, SymbolKind::Constant, whole) });
                }
                Global::PointToPoint { .. } => {}
            }
        }
    }

    fn declare_agents(&mut self, source: &SourceFile, tree: &ast::Model) {
        for (number, agent) in tree.agents.iter().enumerate() {
            let whole = agent.name.span.to(agent.process.span);
            let own = Symbol { agent: Some(number), ..symbol(&agent.name, SymbolKind::Agent, whole) };
            self.declare_global(source, own);
            for local in &agent.locals {
                self.declare_member(source, number, variable(local, SymbolKind::Local));
            }
            walk::commands(&agent.process, &mut |command: &Command| {
                if let Some(label) = &command.label {
                    self.declare_member(source, number, symbol(label, SymbolKind::Label, command.span));
                }
            });
        }
    }

    fn declare_instance(&mut self, source: &SourceFile, tree: &ast::Model, instance: &Instance) {
        let agent = tree.agents.iter().position(|agent| agent.name == instance.agent);
        let whole = whole_instance(source, instance);
        let declared = symbol(&instance.name, SymbolKind::Instance, whole);
        let ty = Some(instance.agent.span);
        self.declare_global(source, Symbol { agent, ty, is_family: instance.family.is_some(), ..declared });
    }

    fn declare_global(&mut self, source: &SourceFile, symbol: Symbol) {
        let id = *self.globals.entry(symbol.name.clone()).or_insert(self.symbols.len());
        self.declare(source, symbol, id);
    }

    fn declare_member(&mut self, source: &SourceFile, agent: usize, symbol: Symbol) {
        let id = *self.members[agent].entry(symbol.name.clone()).or_insert(self.symbols.len());
        self.declare(source, Symbol { agent: Some(agent), ..symbol }, id);
    }

    /// Adds a symbol unless one of its name is there; the place of the name is one where that is meant.
    pub(super) fn declare(&mut self, source: &SourceFile, symbol: Symbol, id: SymbolId) {
        if source.slice(symbol.span) == symbol.name {
            self.uses.push(Use { span: symbol.span, symbols: vec![id], declares: true, assigns: false });
        }
        if id == self.symbols.len() {
            self.symbols.push(symbol);
        }
    }

    /// The name that a place belongs to, or ends at.
    pub fn at(&self, offset: u32) -> Option<&Use> {
        let behind = self.uses.partition_point(|it| it.span.start <= offset);
        self.uses[..behind].iter().rev().take(2).find(|it| offset <= it.span.end)
    }

    /// The places of everything that has to be called the same as what is meant at a place.
    pub fn together(&self, at: &Use) -> Vec<&Use> {
        let mut meant = at.symbols.clone();
        loop {
            let before = meant.len();
            for it in self.uses.iter().filter(|it| it.symbols.len() > 1) {
                if it.symbols.iter().any(|id| meant.contains(id)) {
                    meant.extend(it.symbols.iter().filter(|id| !at.symbols.contains(id)));
                    meant.sort_unstable();
                    meant.dedup();
                }
            }
            if meant.len() == before {
                break;
            }
        }
        self.uses.iter().filter(|it| it.symbols.iter().any(|id| meant.contains(id))).collect()
    }

    /// The local or label of an agent type.
    pub fn member(&self, agent: usize, name: &str) -> Option<SymbolId> {
        self.members.get(agent)?.get(name).copied()
    }

    /// A global name; of a member of a family, the family and where its number begins.
    pub fn global(&self, name: &str) -> Option<(SymbolId, usize)> {
        if let Some(&id) = self.globals.get(name) {
            return Some((id, name.len()));
        }
        let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
        // The name of a family may end with digits itself.
        let lengths = (family.len()..name.len()).rev().map(|end| &name[..end]);
        let found = lengths.filter_map(|prefix| self.globals.get(prefix).map(|&id| (id, prefix.len())));
        found.into_iter().find(|(id, _)| self.symbols[*id].is_family)
    }
}

/// An instance, from its agent type to the parenthesis behind its condition, if that is there.
pub(super) fn whole_instance(source: &SourceFile, instance: &Instance) -> Span {
    let end = instance.init.span.end as usize;
    let rest = &source.text()[end..];
    let closed = rest.trim_start().strip_prefix(')').map(|behind| source.text().len() - behind.len());
    instance.agent.span.to(Span::new(end, closed.unwrap_or(end)))
}

pub(super) fn symbol(name: &ast::Ident, kind: SymbolKind, whole: Span) -> Symbol {
    Symbol { name: name.name.clone(), kind, span: name.span, ty: None, whole, agent: None, is_family: false }
}

pub(super) fn variable(declaration: &Declaration, kind: SymbolKind) -> Symbol {
    let whole = declaration.name.span.to(declaration.ty.span);
    Symbol { ty: Some(declaration.ty.span), ..symbol(&declaration.name, kind, whole) }
}
