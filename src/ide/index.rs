//! The names of a file: where each is declared, and where it is used (`names`).
//!
//! The index is made from the syntax tree alone, so that it is there for files with errors, too. Where a name is declared
//! twice, the first declaration counts, as in [`crate::model::elaborate()`].

use crate::source::{SourceFile, Span};
use crate::syntax::ast::{self, Command, Declaration, Global, Ident, Instance};
use crate::syntax::walk;
use rustc_hash::FxHashMap;

/// A declared name, as an index into [`NameIndex::symbols`].
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
pub struct NameUse {
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
pub struct NameIndex {
    /// All declared symbols, in the order of the text but for labels and quantified variables.
    pub symbols: Vec<Symbol>,
    /// All uses of names, by place.
    pub uses: Vec<NameUse>,
    /// The global names.
    pub globals: FxHashMap<String, SymbolId>,
    /// Per agent type its locals and labels.
    pub members: Vec<FxHashMap<String, SymbolId>>,
}

impl NameIndex {
    /// The names that a tree declares but for parameters and quantified variables.
    pub(super) fn declared(source: &SourceFile, tree: &ast::Model) -> NameIndex {
        let mut index = NameIndex { members: vec![FxHashMap::default(); tree.agents.len()], ..NameIndex::default() };
        for symbol in declarations(source, tree) {
            match (symbol.kind, symbol.agent) {
                (SymbolKind::Local | SymbolKind::Label, Some(agent)) => index.declare_member(source, agent, symbol),
                _ => index.declare_global(source, symbol),
            }
        }
        index
    }

    fn declare_global(&mut self, source: &SourceFile, symbol: Symbol) {
        let id = *self.globals.entry(symbol.name.clone()).or_insert(self.symbols.len());
        self.declare(source, symbol, id);
    }

    fn declare_member(&mut self, source: &SourceFile, agent: usize, symbol: Symbol) {
        let id = *self.members[agent].entry(symbol.name.clone()).or_insert(self.symbols.len());
        self.declare(source, symbol, id);
    }

    /// Adds a symbol unless one of its name is there; the place of the name is one where that is meant.
    pub(super) fn declare(&mut self, source: &SourceFile, symbol: Symbol, id: SymbolId) {
        if source.slice(symbol.span) == symbol.name {
            self.uses.push(NameUse { span: symbol.span, symbols: vec![id], declares: true, assigns: false });
        }
        if id == self.symbols.len() {
            self.symbols.push(symbol);
        }
    }

    /// The name that a place belongs to, or ends at.
    pub fn at(&self, offset: u32) -> Option<&NameUse> {
        let behind = self.uses.partition_point(|it| it.span.start <= offset);
        self.uses[..behind].iter().rev().take(2).find(|it| offset <= it.span.end)
    }

    /// The places of everything that has to be called the same as what is meant at a place.
    pub fn together(&self, at: &NameUse) -> Vec<&NameUse> {
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

/// All that a file declares but for parameters and quantified variables, as often as it does: constants behind their enum, and locals
/// and labels behind their agent type.
pub(super) fn declarations(source: &SourceFile, tree: &ast::Model) -> Vec<Symbol> {
    let mut found = Vec::new();
    tree.globals.iter().for_each(|global| of_global(global, &mut found));
    for (number, agent) in tree.agents.iter().enumerate() {
        let from = found.len();
        found.push(symbol(&agent.name, SymbolKind::Agent, agent.process.span));
        found.extend(agent.locals.iter().map(|local| variable(local, SymbolKind::Local)));
        walk::commands(&agent.process, &mut |command: &Command| {
            found.extend(command.label.iter().map(|label| symbol(label, SymbolKind::Label, command.span)));
        });
        found[from..].iter_mut().for_each(|symbol| symbol.agent = Some(number));
    }
    found.extend(tree.system.iter().map(|instance| of_instance(source, tree, instance)));
    found
}

fn of_global(global: &Global, found: &mut Vec<Symbol>) {
    match global {
        Global::Enum { name, constants } => {
            let is_channel = name.name == "channel";
            let kind = if is_channel { SymbolKind::Channel } else { SymbolKind::EnumConstant };
            let whole = constants.last().map_or(name.span, |last| last.span);
            found.push(symbol(name, SymbolKind::Enum, whole));
            let constant = |it| Symbol { ty: Some(name.span), ..symbol(it, kind, it.span) };
            found.extend(constants.iter().map(constant));
        }
        Global::Messages(list) => found.extend(list.iter().map(|it| variable(it, SymbolKind::Message))),
        Global::Properties(list) => found.extend(list.iter().map(|it| variable(it, SymbolKind::Property))),
        Global::Guard(guard) => found.push(typed(&guard.name, SymbolKind::Guard, guard.body.span)),
        Global::Constant { name, value, .. } => found.push(typed(name, SymbolKind::Constant, value.span)),
        Global::PointToPoint { .. } => {}
    }
}

/// The agent type with this name.
pub(super) fn agent_named(tree: &ast::Model, name: &str) -> Option<usize> {
    tree.agents.iter().position(|agent| agent.name.name == name)
}

/// The agent types that a quantifier ranges over.
pub(super) fn agents_in(tree: &ast::Model, domain: &[&str]) -> Vec<usize> {
    match domain {
        ["Agent"] => (0..tree.agents.len()).collect(),
        _ => domain.iter().filter_map(|name| agent_named(tree, name)).collect(),
    }
}

/// An instance, up to the parenthesis behind its condition, if that is there.
fn of_instance(source: &SourceFile, tree: &ast::Model, instance: &Instance) -> Symbol {
    let end = instance.init.span.end as usize;
    let rest = &source.text()[end..];
    let closed = rest.trim_start().strip_prefix(')').map(|behind| source.text().len() - behind.len());
    let whole = instance.agent.span.to(Span::new(end, closed.unwrap_or(end)));
    Symbol {
        agent: agent_named(tree, &instance.agent.name),
        ty: Some(instance.agent.span),
        is_family: instance.family.is_some(),
        ..symbol(&instance.name, SymbolKind::Instance, whole)
    }
}

/// A symbol with a name, which may stand outside of the rest of its declaration.
pub(super) fn symbol(name: &Ident, kind: SymbolKind, rest: Span) -> Symbol {
    let whole = name.span.to(rest);
    Symbol { name: name.name.clone(), kind, span: name.span, ty: None, whole, agent: None, is_family: false }
}

/// The same, whose type or value is the rest.
fn typed(name: &Ident, kind: SymbolKind, ty: Span) -> Symbol {
    Symbol { ty: Some(ty), ..symbol(name, kind, ty) }
}

pub(super) fn variable(declaration: &Declaration, kind: SymbolKind) -> Symbol {
    typed(&declaration.name, kind, declaration.ty.span)
}
