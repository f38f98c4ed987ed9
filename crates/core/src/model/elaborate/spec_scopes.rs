//! Names in specs: in state formulas, and in the data of observations.

use super::built_in::{ROLES, role_named};
use super::context::{Context, all_of};
use super::expression::Scope;
use super::names::{Meaning, Member};
use super::scopes::{means_channel, misplaced, named_constant, unknown_value};
use super::types::{Leaf, Typed};
use crate::diag::{Code, Diagnostic, Edit};
use crate::model::expr::Expr;
use crate::model::formula::{DataLeaf, StateLeaf};
use crate::model::{AgentId, CommandLeaf, EdgeId, InstanceId, Type, Value};
use crate::source::Span;
use crate::syntax::ast::{self, Part};

const SEEN_IN_OBSERVATIONS: &str = "observations read message variables, property variables and constants";

impl Leaf for StateLeaf {
    fn is_parameter(&self) -> bool {
        false
    }

    fn may_be_missing(&self) -> bool {
        false
    }
}

impl Leaf for DataLeaf {
    fn is_parameter(&self) -> bool {
        false
    }

    fn may_be_missing(&self) -> bool {
        matches!(self, DataLeaf::Message(_))
    }
}

/// The quantified variables in scope, outermost first, and the instances that they stand for.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    list: Vec<(ast::Ident, InstanceId)>,
}

impl Bindings {
    /// Runs something with one more variable in scope.
    pub(super) fn push(&mut self, variable: &ast::Ident, instance: InstanceId) {
        self.list.push((variable.clone(), instance));
    }

    /// Ends the scope of the innermost variable.
    pub(super) fn pop(&mut self) {
        self.list.pop();
    }

    /// All variables with what they stand for, outermost first.
    pub(super) fn variables(&self) -> Vec<(String, InstanceId)> {
        self.list.iter().map(|(variable, instance)| (variable.name.clone(), *instance)).collect()
    }

    /// The place where a variable is declared, and the instance that it stands for.
    pub(super) fn get(&self, name: &str) -> Option<(Span, InstanceId)> {
        let found = self.list.iter().rev().find(|(variable, _)| variable.name == name);
        found.map(|(variable, instance)| (variable.span, *instance))
    }

    /// The variables that can stand where a name is read.
    fn wanted<'c>(&'c self, context: &Context) -> impl Iterator<Item = &'c str> + use<'c> {
        let are_wanted = context.is_wanted(Some(Type::Location));
        self.list.iter().filter(move |_| are_wanted).map(|(variable, _)| variable.name.as_str())
    }

    /// The instance that a name stands for, and whether it does so as a quantified variable.
    fn instance(&self, context: &mut Context, name: &str) -> Option<(InstanceId, bool)> {
        if let Some((_, instance)) = self.get(name) {
            return Some((instance, true));
        }
        if context.is_doubled(name) {
            return None;
        }
        match context.use_global(name)?.meaning {
            Meaning::Instance(id) => Some((id, false)),
            _ => None,
        }
    }

    /// A name as a location, if it is an instance or a quantified variable.
    fn location<L>(&self, context: &mut Context, name: &str, span: Span) -> Option<Typed<L>> {
        let (instance, bound) = self.instance(context, name)?;
        Some(Typed { bound, ..Typed::constant(Value::Enum(instance.0), Type::Location, span) })
    }

    /// The instance that a name must be, as before the `-` of a qualified name; anything else is reported.
    pub(super) fn owner(&self, context: &mut Context, owner: &ast::Ident) -> Option<(InstanceId, bool)> {
        if let Some(found) = self.instance(context, &owner.name) {
            return Some(found);
        }
        if context.is_doubled(&owner.name) {
            return None;
        }
        let diagnostic = match context.globals.get(&owner.name) {
            Some(symbol) => {
                let message = format!("`{}` is {}, not an instance", owner.name, symbol.meaning.describe());
                let diagnostic = Diagnostic::new(Code::WrongKindOfName, owner.span, message)
                    .label("expected an instance or a quantified variable")
                    .related(symbol.span, "declared here");
                match symbol.meaning {
                    Meaning::Agent(_) => {
                        diagnostic.help(format!("quantify over its instances: `forall k : {} . ..`", owner.name))
                    }
                    _ => diagnostic,
                }
            }
            None if context.is_unread(&owner.name) => return None,
            None => {
                let instances = context.globals.names(|meaning| matches!(meaning, Meaning::Instance(_)));
                let variables = self.list.iter().map(|(variable, _)| variable.name.as_str());
                let candidates = instances.chain(variables);
                let mut unknown =
                    Context::unknown(&owner.name, owner.span, "instance or quantified variable", candidates);
                if let Some(members) = context.members_of_family(&owner.name) {
                    unknown.help = Some(members);
                }
                unknown.help.get_or_insert_with(|| "the instances are those of `system = ..`".to_owned());
                context.report_unknown(&owner.name, &[Part::Instances], unknown);
                return None;
            }
        };
        context.report(diagnostic);
        None
    }

    /// The label that a qualified name stands for, if it is one.
    pub(super) fn label(
        &self,
        context: &mut Context,
        owner: &ast::Ident,
        member: &ast::Ident,
    ) -> Option<(InstanceId, EdgeId)> {
        let (instance, _) = self.instance(context, &owner.name)?;
        match context.names_of(instance)?.members.get(&member.name)?.meaning {
            Member::Label(edge) => Some((instance, edge)),
            Member::Local(_) => None,
        }
    }
}

/// True if a member of an instance is the instance itself.
fn is_itself(context: &Context, member: &str) -> bool {
    member == "myself" || (context.classic() && member == "name")
}

/// Names in state formulas.
#[derive(Debug, Default)]
pub(super) struct StateScope {
    /// The quantified variables.
    pub(super) bindings: Bindings,
}

impl Scope for StateScope {
    type Leaf = StateLeaf;

    fn place(&self) -> &'static str {
        "a formula"
    }

    fn name(&mut self, context: &mut Context, name: &str, span: Span) -> Option<Typed<StateLeaf>> {
        if let Some(location) = self.bindings.location(context, name, span) {
            return Some(location);
        }
        let Some(symbol) = context.use_global(name) else {
            if context.is_unread(name) {
                return None;
            }
            if name == "deadlock" {
                return Some(Typed::new(Expr::Leaf(StateLeaf::Deadlock), Type::Bool, span));
            }
            if means_channel(context, name) {
                return self.channel(context, span);
            }
            let diagnostic = match context.local_owner(name) {
                Some((owner, fits)) => {
                    let qualified = format!("{owner}-{name}");
                    let needs =
                        Diagnostic::new(Code::UnknownName, span, format!("`{name}` needs an instance in specs"))
                            .label("whose?")
                            .help(format!("write `{qualified}`"));
                    let title = format!("write `{qualified}`");
                    if fits { needs.fix(title, [Edit::replace(span, qualified)]) } else { needs }
                }
                None => {
                    let is_seen = |meaning| {
                        matches!(meaning, Meaning::Constant(..) | Meaning::Declared(_) | Meaning::Instance(_))
                            && context.is_wanted_value(meaning)
                    };
                    let names = context.globals.names(is_seen).chain(self.bindings.wanted(context));
                    let unknown = unknown_value(context, name, span, names);
                    or_help(unknown, "locals are written `i-x`, for a local `x` of an instance `i`")
                }
            };
            context.report_unknown(name, &[Part::Globals, Part::Instances], diagnostic);
            return None;
        };
        match symbol.meaning {
            Meaning::Message(_) | Meaning::Property(_) if name == "deadlock" => {
                context.ambiguous_in_spec(name, span);
                None
            }
            Meaning::Message(_) | Meaning::Property(_) => {
                let what = symbol.meaning.describe().trim_start_matches("a ");
                context.report(observations_only(&format!("the {what} `{name}`"), span));
                None
            }
            meaning => named_constant(context, name, meaning, symbol.span, span),
        }
    }

    fn property(&mut self, context: &mut Context, name: &ast::Ident, span: Span) -> Option<Typed<StateLeaf>> {
        context.property_named(name)?;
        context.report(observations_only(&format!("the property variable `{}`", name.name), span));
        None
    }

    fn channel(&mut self, context: &mut Context, span: Span) -> Option<Typed<StateLeaf>> {
        context.report(observations_only("the channel of a message", span));
        None
    }

    fn myself(&mut self, context: &mut Context, span: Span) -> Option<Typed<StateLeaf>> {
        context.report(misplaced("`myself` needs an instance in specs", span).help("write `k-myself`, or just `k`"));
        None
    }

    fn member(
        &mut self,
        context: &mut Context,
        owner: &ast::Ident,
        member: &ast::Ident,
        span: Span,
    ) -> Option<Typed<StateLeaf>> {
        let (instance, bound) = self.bindings.owner(context, owner)?;
        if member.name == "automaton-state" {
            return Some(Typed::new(Expr::Leaf(StateLeaf::Automaton(instance)), Type::Int, span));
        }
        let names = context.names_of(instance)?;
        match names.members.get(&member.name).map(|symbol| (symbol.meaning, symbol.span)) {
            Some((Member::Local(id), declaration)) => {
                context.mark_used(declaration);
                Some(Typed::new(Expr::Leaf(StateLeaf::Local(instance, id)), names.locals[id.index()].ty?, span))
            }
            Some((Member::Label(_), declaration)) => {
                context.report(label_as_value(&member.name, span, declaration));
                None
            }
            None if is_itself(context, &member.name) => {
                Some(Typed { bound, ..Typed::constant(Value::Enum(instance.0), Type::Location, span) })
            }
            None if context.is_unread(&member.name) => None,
            None => {
                let agent = context.instances[instance.index()]?;
                let what = format!("local or label of `{}`", context.tree.agents[agent.index()].name.name);
                let fits = |member| match member {
                    Member::Local(id) => context.is_wanted(names.locals[id.index()].ty),
                    Member::Label(_) => context.is_wanted(Some(Type::Bool)),
                };
                let built_in = [("automaton-state", Type::Int), ("myself", Type::Location)];
                let built_in = built_in.into_iter().filter(|(_, ty)| context.is_wanted(Some(*ty)));
                let candidates = names.members.names(fits).chain(built_in.map(|(name, _)| name));
                let mut unknown = Context::unknown(&member.name, member.span, &what, candidates);
                let locals = names.locals.iter().map(|local| local.name.name.as_str());
                unknown.help = unknown.help.or_else(|| all_of("local", " of this agent", locals));
                context.report_unknown(&member.name, &[Part::Members(agent.index())], unknown);
                None
            }
        }
    }

    /// Nothing else than a qualified name makes sense, but for constants: no other plain name in a spec is a number.
    fn owns_members(&self, context: &Context, name: &str) -> bool {
        !matches!(context.globals.get(name).map(|symbol| symbol.meaning), Some(Meaning::Declared(_)))
    }

    fn adopt(&mut self, context: &mut Context, leaf: CommandLeaf, span: Span) -> Option<StateLeaf> {
        context.report(
            misplaced(format!("this guard reads {}", describe(leaf)), span)
                .help("guards in state formulas read their parameters only"),
        );
        None
    }
}

/// Names in the data of observations.
pub(super) struct DataScope<'b> {
    /// The quantified variables.
    pub(super) bindings: &'b Bindings,
    /// True if it was reported that the observation does not see the state: once is enough.
    pub(super) is_blind: &'b mut bool,
}

impl DataScope<'_> {
    /// Reports what an observation cannot see.
    fn unseen(&mut self, context: &mut Context, unseen: Diagnostic) {
        if *self.is_blind {
            return context.unreadable();
        }
        *self.is_blind = true;
        context.report(unseen);
    }
}

impl Scope for DataScope<'_> {
    type Leaf = DataLeaf;

    fn place(&self) -> &'static str {
        "an observation"
    }

    fn name(&mut self, context: &mut Context, name: &str, span: Span) -> Option<Typed<DataLeaf>> {
        if let Some(location) = self.bindings.location(context, name, span) {
            return Some(location);
        }
        let Some(symbol) = context.use_global(name) else {
            if context.is_unread(name) {
                return None;
            }
            if means_channel(context, name) {
                return self.channel(context, span);
            }
            let unknown = match role_named(name) {
                Some(_) => misplaced(format!("`{name}` must be compared with an instance"), span)
                    .help(format!("write `{name} = i` or `{name} != i` for an instance or a quantified variable `i`")),
                None if context.local_owner(name).is_some() => {
                    self.unseen(context, state_in_observation(span));
                    return None;
                }
                None => {
                    let globals = context.globals.names(|meaning| context.is_wanted_value(meaning));
                    let roles = ROLES.iter().copied().filter(|_| context.is_wanted(Some(Type::Location)));
                    let names = globals.chain(roles).chain(self.bindings.wanted(context));
                    or_help(unknown_value(context, name, span, names), SEEN_IN_OBSERVATIONS)
                }
            };
            context.report_unknown(name, &[Part::Globals, Part::Instances], unknown);
            return None;
        };
        match symbol.meaning {
            Meaning::Message(id) => {
                Some(Typed::new(Expr::Leaf(DataLeaf::Message(id)), context.message_type(id)?, span))
            }
            Meaning::Property(id) => {
                Some(Typed::new(Expr::Leaf(DataLeaf::Property(id)), context.property_type(id)?, span))
            }
            meaning => named_constant(context, name, meaning, symbol.span, span),
        }
    }

    fn property(&mut self, context: &mut Context, name: &ast::Ident, span: Span) -> Option<Typed<DataLeaf>> {
        let id = context.property_named(name)?;
        Some(Typed::new(Expr::Leaf(DataLeaf::Property(id)), context.property_type(id)?, span))
    }

    fn channel(&mut self, _: &mut Context, span: Span) -> Option<Typed<DataLeaf>> {
        Some(Typed::new(Expr::Leaf(DataLeaf::Chan), Type::Channel, span))
    }

    fn myself(&mut self, context: &mut Context, span: Span) -> Option<Typed<DataLeaf>> {
        context.report(misplaced("`myself` needs an instance in specs", span).help("write the name of the instance"));
        None
    }

    fn member(
        &mut self,
        context: &mut Context,
        owner: &ast::Ident,
        member: &ast::Ident,
        span: Span,
    ) -> Option<Typed<DataLeaf>> {
        if is_role(context, self.bindings, &owner.name) {
            let unseen = misplaced(format!("an observation does not see the state of the {}", owner.name), span)
                .help("compare property variables in `exists(..)`, or message variables");
            self.unseen(context, unseen);
            return None;
        }
        let (instance, bound) = self.bindings.owner(context, owner)?;
        let declared = context.names_of(instance)?.members.get(&member.name).map(|symbol| symbol.meaning);
        if is_itself(context, &member.name) && declared.is_none() {
            return Some(Typed { bound, ..Typed::constant(Value::Enum(instance.0), Type::Location, span) });
        }
        let unseen = match declared {
            Some(Member::Label(_)) => misplaced("a label cannot stand in an observation", span)
                .help(format!("write `{}-{}` outside of the observation", owner.name, member.name)),
            _ => state_in_observation(span),
        };
        self.unseen(context, unseen);
        None
    }

    fn owns_members(&self, context: &Context, name: &str) -> bool {
        let global = context.globals.get(name).map(|symbol| symbol.meaning);
        matches!(global, Some(Meaning::Instance(_)))
            || self.bindings.get(name).is_some()
            || is_role(context, self.bindings, name)
    }

    fn adopt(&mut self, context: &mut Context, leaf: CommandLeaf, span: Span) -> Option<DataLeaf> {
        match leaf {
            CommandLeaf::Message(id) => Some(DataLeaf::Message(id)),
            CommandLeaf::Property(id) => Some(DataLeaf::Property(id)),
            CommandLeaf::Chan => Some(DataLeaf::Chan),
            CommandLeaf::Local(_) | CommandLeaf::Myself => {
                context.report(misplaced(format!("this guard reads {}", describe(leaf)), span));
                None
            }
        }
    }
}

impl Context<'_> {
    /// An instance whose agent type has a local or label of this name, and whether its type is the one that is wanted.
    fn local_owner(&self, name: &str) -> Option<(&str, bool)> {
        let member = |agent: &Option<AgentId>| {
            let names = &self.agents[(*agent)?.index()];
            let ty = match names.members.get(name)?.meaning {
                Member::Local(id) => names.locals[id.index()].ty,
                Member::Label(_) => Some(Type::Bool),
            };
            Some(self.is_wanted(ty))
        };
        let (index, fits) =
            self.instances.iter().enumerate().find_map(|(index, agent)| Some((index, member(agent)?)))?;
        self.written.get(index).map(|instance| (instance.name.as_str(), fits))
    }
}

fn describe(leaf: CommandLeaf) -> &'static str {
    match leaf {
        CommandLeaf::Local(_) => "a local variable",
        CommandLeaf::Message(_) => "a message variable",
        CommandLeaf::Property(_) => "a property variable",
        CommandLeaf::Chan => "the channel of the message",
        CommandLeaf::Myself => "`myself`",
    }
}

/// True if a name is a role, as nothing is declared by it.
fn is_role(context: &Context, bindings: &Bindings, name: &str) -> bool {
    role_named(name).is_some() && context.globals.get(name).is_none() && bindings.get(name).is_none()
}

/// The report of a label where a value is due.
pub(super) fn label_as_value(label: &str, span: Span, declaration: Span) -> Diagnostic {
    misplaced(format!("`{label}` is the label of a command, not a variable"), span)
        .related(declaration, "the label")
        .help("write it alone: it is true where the next step is this command (of a receive: where the last step was)")
}

/// The report of the state of an instance in an observation.
fn state_in_observation(span: Span) -> Diagnostic {
    misplaced("an observation does not see the state of instances", span)
        .help("put conditions on the state outside of the observation")
}

/// A finding with a help, unless it has one.
fn or_help(finding: Diagnostic, help: &str) -> Diagnostic {
    if finding.code == Code::UnknownName && finding.help.is_none() { finding.help(help) } else { finding }
}

fn observations_only(what: &str, span: Span) -> Diagnostic {
    misplaced(format!("{what} belongs to a message, not to the state"), span)
        .help("messages are seen in observations: `<<..>> f`")
}
