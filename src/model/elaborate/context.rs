//! What all parts of the elaboration share: the names, what was used, and the findings so far.

use super::guards::GuardState;
use super::names::{Meaning, Member, Symbol, Table};
use crate::diag::nearest::nearest;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::{AgentId, EnumType, InstanceId, MessageId, PropertyId, Type};
use crate::source::Span;
use crate::syntax::ast;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The size beyond which an expansion (of guards or quantifiers) is refused.
pub(super) const EXPANSION_LIMIT: usize = 200_000;

/// The same for all calls of guards together, also for those in guards that nobody calls.
pub(super) const ALL_EXPANSIONS_LIMIT: usize = 10 * EXPANSION_LIMIT;

/// A declared variable whose type may not be readable; then whatever reads it stays silent.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    /// Its name and place.
    pub(super) name: ast::Ident,
    /// Its type.
    pub(super) ty: Option<Type>,
}

/// The names of one agent type.
#[derive(Debug)]
pub(super) struct AgentNames {
    /// Its locals and labels.
    pub(super) members: Table<Member>,
    /// Its locals in their order.
    pub(super) locals: Vec<Declared>,
}

/// The state of one elaboration.
pub(super) struct Context<'a> {
    /// The file.
    pub(super) tree: &'a ast::Model,
    /// The global names.
    pub(super) globals: Table<Meaning>,
    /// The enums without `channel`.
    pub(super) enums: Vec<EnumType>,
    /// `*` and the declared channels.
    pub(super) channels: Vec<String>,
    /// Message variables.
    pub(super) messages: Vec<Declared>,
    /// Property variables.
    pub(super) properties: Vec<Declared>,
    /// Guards and what is known of them.
    pub(super) guards: Vec<(&'a ast::Guard, GuardState)>,
    /// The names of each agent type.
    pub(super) agents: Vec<Rc<AgentNames>>,
    /// The agent type of each instance, where it is known.
    pub(super) instances: Vec<Option<AgentId>>,
    /// How large all calls of guards are together.
    pub(super) inlined: usize,
    diagnostics: Diagnostics,
    seen: FxHashSet<(Code, Span, String)>,
    used: FxHashSet<Span>,
    incomplete: bool,
}

impl<'a> Context<'a> {
    /// Nothing is known yet.
    pub(super) fn new(tree: &'a ast::Model) -> Context<'a> {
        Context {
            tree,
            globals: Table::new(),
            enums: Vec::new(),
            channels: vec!["*".to_string()],
            messages: Vec::new(),
            properties: Vec::new(),
            guards: Vec::new(),
            agents: Vec::new(),
            instances: Vec::new(),
            inlined: 0,
            diagnostics: Diagnostics::new(),
            seen: FxHashSet::default(),
            used: FxHashSet::default(),
            incomplete: false,
        }
    }

    /// Adds a finding; the same finding at the same place is kept once (expansions find it often).
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.seen.insert((diagnostic.code, diagnostic.span, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Notes that the tree has a node that the parser could not read, and reported.
    pub(super) fn unreadable(&mut self) {
        self.incomplete = true;
    }

    /// Whether an unknown name may be declared in a part of the file that could not be read: that was
    /// reported, and what uses the name is no mistake of its own.
    pub(super) fn is_unread(&mut self, name: &str) -> bool {
        let unread = self.tree.damage.as_ref().is_some_and(|damage| damage.names.contains(name));
        self.incomplete |= unread;
        unread
    }

    /// Whether the model is not to be used.
    pub(super) fn failed(&self) -> bool {
        self.incomplete || self.diagnostics.has_errors()
    }

    /// The findings, by place.
    pub(super) fn into_diagnostics(self) -> Diagnostics {
        self.diagnostics.sorted()
    }

    /// Whether the file is in the classic dialect.
    pub(super) fn classic(&self) -> bool {
        self.tree.dialect == ast::Dialect::Classic
    }

    /// Notes that the declaration at a place is used.
    pub(super) fn mark_used(&mut self, declaration: Span) {
        self.used.insert(declaration);
    }

    /// Whether the declaration at a place is used.
    pub(super) fn is_used(&self, declaration: Span) -> bool {
        self.used.contains(&declaration)
    }

    /// The declaration of a global name, which counts as used from now on.
    pub(super) fn use_global(&mut self, name: &str) -> Option<Symbol<Meaning>> {
        let symbol = self.globals.get(name)?;
        self.mark_used(symbol.span);
        Some(symbol)
    }

    /// The type of a message variable.
    pub(super) fn message_type(&self, id: MessageId) -> Option<Type> {
        self.messages[id.index()].ty
    }

    /// The type of a property variable.
    pub(super) fn property_type(&self, id: PropertyId) -> Option<Type> {
        self.properties[id.index()].ty
    }

    /// The names of an instance's agent type, if that is known.
    pub(super) fn names_of(&self, instance: InstanceId) -> Option<Rc<AgentNames>> {
        self.instances[instance.index()].map(|agent| self.agents[agent.index()].clone())
    }

    /// A type as the user writes it.
    pub(super) fn type_name(&self, ty: Type) -> String {
        match ty {
            Type::Bool => "bool".to_string(),
            Type::Int => "int".to_string(),
            Type::Range(low, high) => format!("{low}..{high}"),
            Type::Enum(id) => self.enums[id.index()].name.clone(),
            Type::Channel => "channel".to_string(),
            Type::Location => "location".to_string(),
        }
    }

    /// The report of a name that nothing declares, with the nearest of the names that would fit.
    pub(super) fn unknown<'n>(
        name: &str,
        span: Span,
        what: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::UnknownName, span, format!("no {what} is called `{name}`"));
        match nearest(name, candidates) {
            Some(candidate) => diagnostic.label("unknown name").help(format!("did you mean `{candidate}`?")),
            None => diagnostic.label("unknown name"),
        }
    }

    /// Looks up a global name that must be of one kind, and reports if it is not.
    pub(super) fn global_of_kind<T>(
        &mut self,
        name: &ast::Ident,
        what: &str,
        select: impl Fn(Meaning) -> Option<T>,
    ) -> Option<T> {
        let Some(symbol) = self.use_global(&name.name) else {
            if self.is_unread(&name.name) {
                return None;
            }
            let unknown = {
                let candidates = self.globals.names(|meaning| select(meaning).is_some());
                Context::unknown(&name.name, name.span, what, candidates)
            };
            self.report(unknown);
            return None;
        };
        let selected = select(symbol.meaning);
        if selected.is_none() {
            let found = symbol.meaning.describe();
            let message = format!("`{}` is {found}, not {} {what}", name.name, article(what));
            self.report(
                Diagnostic::new(Code::WrongKindOfName, name.span, message)
                    .label(format!("expected {} {what}", article(what)))
                    .related(symbol.span, "declared here"),
            );
        }
        selected
    }
}

/// The indefinite article of a kind of name.
fn article(what: &str) -> &'static str {
    if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}
