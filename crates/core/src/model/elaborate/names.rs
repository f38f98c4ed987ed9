//! Scopes: the global names of a file, and the names of one agent.

use super::context::Context;
use crate::diag::{Code, Diagnostic};
use crate::model::{AgentId, EdgeId, InstanceId, LocalId, MessageId, PropertyId, Type};
use crate::source::Span;
use crate::syntax::ast::{Ident, Part};
use crate::syntax::token::is_keyword;
use rustc_hash::FxHashMap;

/// The meaning of a global name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// An enum, or the channels.
    Enum(Type),
    /// A constant of an enum, or a channel.
    Constant(Type, u32),
    /// A declared constant: an index into those of the file.
    Declared(usize),
    /// A message variable.
    Message(MessageId),
    /// A property variable.
    Property(PropertyId),
    /// A guard: an index into the guards of the file.
    Guard(usize),
    /// An agent type.
    Agent(AgentId),
    /// An instance.
    Instance(InstanceId),
}

impl Meaning {
    /// The kind of name, with its article.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Meaning::Enum(_) => "an enum",
            Meaning::Constant(Type::Channel, _) => "a channel",
            Meaning::Constant(..) => "an enum constant",
            Meaning::Declared(_) => "a constant",
            Meaning::Message(_) => "a message variable",
            Meaning::Property(_) => "a property variable",
            Meaning::Guard(_) => "a guard",
            Meaning::Agent(_) => "an agent type",
            Meaning::Instance(_) => "an instance",
        }
    }

    /// The part of a file that declares it.
    fn part(self) -> Part {
        match self {
            Meaning::Agent(_) => Part::Agents,
            Meaning::Instance(_) => Part::Instances,
            _ => Part::Globals,
        }
    }

    /// True if it is declared in a list of its own kind, so that a name too many is one too few.
    fn is_listed(self) -> bool {
        matches!(self, Meaning::Agent(_) | Meaning::Instance(_))
    }
}

/// A declared name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol<M> {
    /// Its meaning.
    pub(super) meaning: M,
    /// The place of the declaration.
    pub(super) span: Span,
}

/// A scope; where a name is declared twice, the first declaration counts.
#[derive(Debug)]
pub(super) struct Table<M> {
    symbols: FxHashMap<String, Symbol<M>>,
}

impl<M: Copy> Table<M> {
    /// A scope without names.
    pub(super) fn new() -> Table<M> {
        Table { symbols: FxHashMap::default() }
    }

    /// Declares a name, unless it is declared already: then returns where.
    pub(super) fn declare(&mut self, name: &Ident, meaning: M) -> Result<(), Span> {
        match self.get(&name.name) {
            Some(first) => Err(first.span),
            None => {
                self.symbols.insert(name.name.clone(), Symbol { meaning, span: name.span });
                Ok(())
            }
        }
    }

    /// Gives a name another meaning.
    fn replace(&mut self, name: &Ident, meaning: M) {
        self.symbols.insert(name.name.clone(), Symbol { meaning, span: name.span });
    }

    /// The declaration of a name.
    pub(super) fn get(&self, name: &str) -> Option<Symbol<M>> {
        self.symbols.get(name).copied()
    }

    /// All names and their places.
    pub(super) fn places(&self) -> impl Iterator<Item = (&str, Span)> {
        self.symbols.iter().map(|(name, symbol)| (name.as_str(), symbol.span))
    }

    /// The names whose meaning is of a kind.
    pub(super) fn names(&self, of_kind: impl Fn(M) -> bool) -> impl Iterator<Item = &str> {
        self.symbols.iter().filter(move |(_, symbol)| of_kind(symbol.meaning)).map(|(name, _)| name.as_str())
    }
}

/// The meaning of a name of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// A local variable.
    Local(LocalId),
    /// The label of a command.
    Label(EdgeId),
}

impl Context<'_> {
    /// Declares a global name, or reports that it is taken.
    pub(super) fn declare_global(&mut self, name: &Ident, meaning: Meaning) {
        if name.name.is_empty() {
            return self.unreadable();
        }
        if is_keyword(&name.name) && meaning != Meaning::Enum(Type::Channel) {
            self.hide(meaning.part());
        }
        if let Err(first) = self.globals.declare(name, meaning) {
            if self.declare_namesake(name, meaning) {
                return;
            }
            // A keyword as a name was reported already.
            if is_keyword(&name.name) && meaning != Meaning::Enum(Type::Channel) {
                self.unreadable();
            } else {
                self.report(duplicate(name, first));
            }
            self.double(&name.name);
            if meaning.is_listed() {
                self.hide(meaning.part());
            }
        }
    }

    /// Declares a guard that is called like a property variable, before or behind it: one is called only, the other one never
    /// is. Tells whether it is that.
    fn declare_namesake(&mut self, name: &Ident, meaning: Meaning) -> bool {
        let Some(known) = self.globals.get(&name.name) else { return false };
        let (guard, property) = match (known.meaning, meaning) {
            (Meaning::Guard(guard), Meaning::Property(_)) => {
                self.globals.replace(name, meaning);
                (Symbol { meaning: guard, span: known.span }, name.span)
            }
            (Meaning::Property(_), Meaning::Guard(guard)) => (Symbol { meaning: guard, span: name.span }, known.span),
            _ => return false,
        };
        if self.namesakes.contains_key(&name.name) {
            return false;
        }
        self.namesakes.insert(name.name.clone(), guard);
        self.report(
            Diagnostic::new(
                Code::HiddenName,
                guard.span,
                format!("the guard is called like the property variable `{}`", name.name),
            )
            .label(format!("`{}(..)` is the guard, `{0}` the variable", name.name))
            .related(property, "the variable is declared here")
            .help("rename the guard"),
        );
        true
    }

    /// The guard that a call names, if a property variable is called so, too.
    pub(super) fn namesake(&mut self, callee: &Ident) -> Option<usize> {
        let guard = *self.namesakes.get(&callee.name)?;
        self.mark_used(guard.span);
        Some(guard.meaning)
    }

    /// Declares a name in a scope below the global one. Reports whether it is taken there or globally, and tells where.
    pub(super) fn declare_inner<M: Copy>(&mut self, table: &mut Table<M>, name: &Ident, meaning: M) -> Option<Span> {
        let global = self.globals.get(&name.name).map(|global| global.span);
        // Even so it hides what is global: it will not be written for that.
        let inner = table.declare(name, meaning).err();
        let first = global.or(inner)?;
        if is_keyword(&name.name) {
            self.unreadable();
        } else {
            self.report(duplicate(name, first));
        }
        Some(first)
    }
}

/// The report of a name that is taken.
pub(super) fn duplicate(name: &Ident, other: Span) -> Diagnostic {
    // Names of inner scopes are declared behind all global ones, wherever they stand.
    let (first, second) = (name.span.min(other), name.span.max(other));
    Diagnostic::new(Code::DuplicateName, second, format!("the name `{}` is declared twice", name.name))
        .label("declared again here")
        .related(first, "first declared here")
        .help("rename one of them")
}
