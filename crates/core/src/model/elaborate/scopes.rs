//! Names in the commands of agents, and what all kinds of places share about names.

use super::built_in::meaning_in_specs;
use super::context::{AgentNames, Context};
use super::expression::Scope;
use super::names::{Meaning, Member};
use super::types::{Leaf, Typed};
use crate::diag::{Code, Diagnostic, Edit, Fix};
use crate::model::expr::Expr;
use crate::model::{CommandLeaf, LocalId, PropertyId, Type, Value};
use crate::source::Span;
use crate::syntax::ast::{self, Global, Part};
use std::rc::Rc;

impl Leaf for CommandLeaf {
    fn is_parameter(&self) -> bool {
        false
    }

    fn may_be_missing(&self) -> bool {
        matches!(self, CommandLeaf::Message(_))
    }
}

/// The number of a member of a family.
#[derive(Clone, Copy, Debug)]
pub(super) enum Index {
    /// This.
    Number(i64),
    /// A variable.
    Local(LocalId),
}

/// A place in an agent: which leaves it may read besides locals and `myself`.
#[derive(Clone, Copy, Debug)]
pub(super) struct AgentPlace {
    /// Its name, for messages.
    pub(super) what: &'static str,
    messages: bool,
    properties: bool,
    channel: bool,
    /// The expressions that may stand there, if these are special.
    pub(super) what_may_stand: Option<&'static str>,
    /// The meaning of `index`.
    index: Option<Index>,
}

impl AgentPlace {
    const fn plain(what: &'static str) -> AgentPlace {
        AgentPlace { what, messages: false, properties: false, channel: false, what_may_stand: None, index: None }
    }

    /// `init` of a type or of an instance.
    pub(super) const INIT: AgentPlace = AgentPlace::plain("an initial condition");
    /// The right side of a relabelling.
    pub(super) const RELABEL: AgentPlace = AgentPlace::plain("a relabelling");
    /// `receive-guard`.
    pub(super) const RECEIVE_GUARD: AgentPlace = AgentPlace { channel: true, ..AgentPlace::plain("a receive guard") };
    /// The guard of a send command.
    pub(super) const GUARD_OF_SEND: AgentPlace = AgentPlace::plain("the guard of a send command");
    /// The updates of a send command.
    pub(super) const UPDATE_OF_SEND: AgentPlace = AgentPlace::plain("an update of a send command");
    /// The guard of any other command.
    pub(super) const GUARD: AgentPlace = AgentPlace { messages: true, ..AgentPlace::plain("the guard of a command") };
    /// The updates of any other command.
    pub(super) const UPDATE: AgentPlace = AgentPlace { messages: true, ..AgentPlace::plain("an update") };
    /// The right sides of the data of a message.
    pub(super) const DATA: AgentPlace = AgentPlace::plain("the data of a message");
    /// The channel of a command.
    pub(super) const CHANNEL: AgentPlace = AgentPlace::plain("the channel of a command");
    /// The send guard.
    pub(super) const SEND_GUARD: AgentPlace =
        AgentPlace { properties: true, channel: true, ..AgentPlace::plain("a send guard") };
    /// The argument of `GET@`.
    pub(super) const GET_TARGET: AgentPlace = AgentPlace {
        properties: true,
        what_may_stand: Some(
            "a get names the supplier (an instance, or a variable of type `location`), or has a condition on it, \
             `GET@(@pv = x)`; `GET@(true)` asks any agent",
        ),
        ..AgentPlace::plain("the argument of `GET@`")
    };
    /// The argument of `SUPPLY@`.
    pub(super) const SUPPLY_TARGET: AgentPlace = AgentPlace {
        what_may_stand: Some(
            "a supply serves `any`, `myself` (who names the supplier), an instance, or a variable of type `location`",
        ),
        ..AgentPlace::plain("the argument of `SUPPLY@`")
    };
}

impl AgentPlace {
    /// The condition of an instance, with its number if it is one of a family.
    pub(super) fn condition_of_member(index: Option<Index>) -> AgentPlace {
        AgentPlace { index, ..AgentPlace::INIT }
    }

    /// True if it is the right side of a relabelling.
    pub(super) fn is_relabelling(self) -> bool {
        self.what == AgentPlace::RELABEL.what
    }

    /// True if it is an update of a command.
    pub(super) fn is_update(self) -> bool {
        [AgentPlace::UPDATE.what, AgentPlace::UPDATE_OF_SEND.what].contains(&self.what)
    }

    /// True if a channel is named here.
    fn is_channel(self) -> bool {
        self.what == AgentPlace::CHANNEL.what
    }
}

/// The names in one place of an agent type.
pub(super) struct CommandScope {
    /// The names of the agent type.
    pub(super) names: Rc<AgentNames>,
    /// The place.
    pub(super) place: AgentPlace,
}

impl CommandScope {
    /// The leaf, if it may be read in this place; `None` if not, which is reported.
    fn allowed(&self, context: &mut Context, leaf: CommandLeaf, span: Span) -> Option<CommandLeaf> {
        let (allowed, what, help) = match leaf {
            CommandLeaf::Local(_) | CommandLeaf::Myself => return Some(leaf),
            CommandLeaf::Message(id) => (
                self.place.messages,
                format!("the message variable `{}`", context.messages[id.index()].name.name),
                "it is the other side's data: guards and updates of receives, gets and supplies can read it",
            ),
            CommandLeaf::Property(id) => (
                self.place.properties,
                format!("the property variable `{}`", context.properties[id.index()].name.name),
                "property variables stand in the conditions of sends, behind `!`, in those of gets, and in observations",
            ),
            CommandLeaf::Chan => (
                self.place.channel,
                "the channel of the message".to_string(),
                "the condition of a send, behind `!`, and receive guards can read it",
            ),
        };
        if !allowed {
            context.report(misplaced(format!("{what} cannot be read in {}", self.place.what), span).help(help));
            return None;
        }
        Some(leaf)
    }

    /// The names that can be read here.
    fn readable<'c>(&'c self, context: &'c Context) -> impl Iterator<Item = &'c str> {
        let local = |member| match member {
            Member::Local(id) => context.is_wanted(self.names.locals[id.index()].ty),
            Member::Label(_) => false,
        };
        let global = |meaning| match meaning {
            Meaning::Message(_) if !self.place.messages => false,
            Meaning::Property(_) if !self.place.properties => false,
            meaning => context.is_wanted_value(meaning),
        };
        let channel = self.place.channel && context.is_wanted(Some(Type::Channel));
        context.globals.names(global).chain(self.names.members.names(local)).chain(channel.then_some("chan"))
    }

    /// The advice on a name that nothing declares, and that is like no other.
    fn help_for_unknown(&self, name: &str) -> &'static str {
        match self.place.what_may_stand {
            _ if name == "index" => {
                "`index` is the number of a member of a family, in its condition: `Type(name[1..3], x = index)`"
            }
            _ if self.place.is_channel() && name == "broadcast" => "the broadcast channel is written `*`",
            _ if self.place.is_channel() => "channels are declared by `enum channel { .. }`",
            Some(help) => help,
            None => "declare it behind `local:`, or as a constant of an enum",
        }
    }

    /// Declarations of a name that is like no other: of a channel, or of a local of a type that fits.
    fn new_declarations(&self, context: &Context, name: &str) -> Vec<Fix> {
        let declared =
            |title: String, place: u32, text: String| vec![Fix { title, edits: vec![Edit::insert(place, text)] }];
        if self.place.is_channel() {
            let channels = context.tree.globals.iter().find_map(|global| match global {
                Global::Enum { name, constants } if name.name == "channel" => constants.last(),
                _ => None,
            });
            let add = |last: &ast::Ident| {
                declared(format!("declare the channel `{name}`"), last.span.end, format!(", {name}"))
            };
            return channels.map_or_else(Vec::new, add);
        }
        let agent = &context.tree.agents[self.names.agent.index()];
        let types = match context.wanted_type() {
            Some(ty) => vec![context.type_name(ty)],
            None => vec!["bool".to_owned(), "int".to_owned()],
        };
        let declare = |ty: String| {
            let title = format!("declare `{name} : {ty}` in `{}`", agent.name.name);
            match agent.locals.last() {
                Some(last) => declared(title, last.ty.span.end, format!(", {name} : {ty}")),
                None => declared(title, agent.name.span.end, format!("\n    local: {name} : {ty}")),
            }
        };
        types.into_iter().flat_map(declare).collect()
    }

    fn local(&self, context: &mut Context, name: &str, span: Span) -> Option<Option<Typed<CommandLeaf>>> {
        let symbol = self.names.members.get(name)?;
        context.mark_used(symbol.span);
        Some(match symbol.meaning {
            Member::Local(id) => {
                self.names.locals[id.index()].ty.map(|ty| Typed::new(Expr::Leaf(CommandLeaf::Local(id)), ty, span))
            }
            Member::Label(_) => {
                let diagnostic = misplaced(format!("the label `{name}` cannot be read in {}", self.place.what), span);
                let help = "labels are read in specs; a command can note in a local that it was taken";
                context.report(diagnostic.related(symbol.span, "the label").help(help));
                None
            }
        })
    }
}

impl CommandScope {
    /// Warns where something of the model is called `index`, in the condition of a family.
    fn warn_hidden_index(&self, context: &mut Context, span: Span) {
        let member = self.names.members.get("index").map(|symbol| ("a local variable", symbol.span));
        let global = || context.globals.get("index").map(|symbol| (symbol.meaning.describe(), symbol.span));
        let Some((what, declaration)) = member.or_else(global) else { return };
        let message = format!("`index` is {what} here, not the number of the member");
        let diagnostic = Diagnostic::new(Code::HiddenIndex, span, message).label("reads what the model declares");
        context.report(diagnostic.related(declaration, "declared here").help("rename that, to read the number"));
    }
}

impl Scope for CommandScope {
    type Leaf = CommandLeaf;

    fn name(&mut self, context: &mut Context, name: &str, span: Span) -> Option<Typed<CommandLeaf>> {
        if name == "index" && self.place.index.is_some() {
            self.warn_hidden_index(context, span);
        }
        if let Some(local) = self.local(context, name, span) {
            return local;
        }
        if let Some(own) = context.own(name, span) {
            return Some(own);
        }
        let Some(symbol) = context.use_global(name) else {
            if context.is_unread(name) {
                return None;
            }
            match (name, self.place.index) {
                ("index", Some(Index::Number(number))) => {
                    return Some(Typed { bound: true, ..Typed::constant(Value::int(number), Type::Int, span) });
                }
                ("index", Some(Index::Local(local))) => {
                    return Some(Typed::new(Expr::Leaf(CommandLeaf::Local(local)), Type::Int, span));
                }
                _ => {}
            }
            if means_channel(context, name) {
                return self.channel(context, span);
            }
            let mut unknown = unknown_value(context, name, span, self.readable(context));
            if unknown.code == Code::UnknownName && unknown.help.is_none() {
                unknown.help = Some(self.help_for_unknown(name).to_owned());
                unknown.fixes = self.new_declarations(context, name);
            }
            let mut parts = context.parts_of_values();
            parts.push(Part::Members(self.names.agent.index()));
            context.report_unknown(name, &parts, unknown);
            return None;
        };
        match symbol.meaning {
            Meaning::Message(id) => {
                let leaf = self.allowed(context, CommandLeaf::Message(id), span)?;
                Some(Typed::new(Expr::Leaf(leaf), context.message_type(id)?, span))
            }
            Meaning::Property(id) => {
                let leaf = self.allowed(context, CommandLeaf::Property(id), span)?;
                Some(Typed::new(Expr::Leaf(leaf), context.property_type(id)?, span))
            }
            meaning => named_constant(context, name, meaning, symbol.span, span),
        }
    }

    fn property(&mut self, context: &mut Context, name: &ast::Ident, span: Span) -> Option<Typed<CommandLeaf>> {
        let id = context.property_named(name)?;
        let leaf = self.allowed(context, CommandLeaf::Property(id), span)?;
        Some(Typed::new(Expr::Leaf(leaf), context.property_type(id)?, span))
    }

    fn channel(&mut self, context: &mut Context, span: Span) -> Option<Typed<CommandLeaf>> {
        let leaf = self.allowed(context, CommandLeaf::Chan, span)?;
        Some(Typed::new(Expr::Leaf(leaf), Type::Channel, span))
    }

    fn myself(&mut self, _: &mut Context, span: Span) -> Option<Typed<CommandLeaf>> {
        Some(Typed::new(Expr::Leaf(CommandLeaf::Myself), Type::Location, span))
    }

    fn place(&self) -> &'static str {
        self.place.what
    }

    fn adopt(&mut self, context: &mut Context, leaf: CommandLeaf, span: Span) -> Option<CommandLeaf> {
        self.allowed(context, leaf, span)
    }

    fn agent(&self) -> Option<Rc<AgentNames>> {
        Some(self.names.clone())
    }
}

impl Context<'_> {
    /// The property variable of a name that must be one.
    pub(super) fn property_named(&mut self, name: &ast::Ident) -> Option<PropertyId> {
        self.global_of_kind(name, "property variable", |meaning| match meaning {
            Meaning::Property(id) => Some(id),
            _ => None,
        })
    }
}

/// True if an undeclared name is the channel of the message.
pub(super) fn means_channel(context: &Context, name: &str) -> bool {
    // A keyword that is declared is read as a name.
    name == "chan" || (context.classic() && name == "ch")
}

/// The constant that a global name stands for; any other meaning is reported.
pub(super) fn named_constant<L>(
    context: &mut Context,
    name: &str,
    meaning: Meaning,
    declaration: Span,
    span: Span,
) -> Option<Typed<L>> {
    if context.is_doubled(name) {
        return None;
    }
    match meaning {
        Meaning::Constant(ty, value) => Some(Typed::constant(Value::Enum(value), ty, span)),
        Meaning::Declared(index) => context.declared_constant(index, span),
        Meaning::Instance(id) => Some(Typed::constant(Value::Enum(id.0), Type::Location, span)),
        Meaning::Enum(_) | Meaning::Guard(_) | Meaning::Agent(_) | Meaning::Message(_) | Meaning::Property(_) => {
            let message = format!("`{name}` is {}, not a value", meaning.describe());
            let diagnostic = Diagnostic::new(Code::WrongKindOfName, span, message)
                .label("expected a value")
                .related(declaration, "declared here");
            context.report(match meaning {
                Meaning::Guard(_) => diagnostic.help(format!("call it: `{name}(..)`")),
                Meaning::Agent(_) => diagnostic.help("name one of its instances"),
                Meaning::Enum(_) => diagnostic.help("name one of its constants"),
                _ => diagnostic,
            });
            None
        }
    }
}

/// The report of a plain name that nothing declares; proposes one of the names that could stand there.
pub(super) fn unknown_value<'n>(
    context: &Context,
    name: &str,
    span: Span,
    candidates: impl IntoIterator<Item = &'n str>,
) -> Diagnostic {
    if name == "deadlock" {
        return misplaced("`deadlock` stands in specs only", span);
    }
    if meaning_in_specs(name).is_some() {
        return misplaced(format!("`{name}` stands in observations only"), span)
            .help(format!("as in `<<{name} = i>> f`").replace("p2p = i", "p2p"));
    }
    let truth_values = ["true", "false"].into_iter().filter(|_| context.is_wanted(Some(Type::Bool)));
    Context::unknown(name, span, "variable or constant", candidates.into_iter().chain(truth_values))
}

/// The report of something that exists, but not in this place.
pub(super) fn misplaced(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::new(Code::NotAllowedHere, span, message).label("not allowed here")
}

/// The report of `i-x` outside of a spec.
pub(super) fn qualified_outside_of_specs(
    owner: &ast::Ident,
    member: &ast::Ident,
    what: &str,
    span: Span,
) -> Diagnostic {
    misplaced(format!("`{}-{}` cannot be read in {what}", owner.name, member.name), span)
        .help("the state of instances is read in specs; commands read their own locals only")
}
