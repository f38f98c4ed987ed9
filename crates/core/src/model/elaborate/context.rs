//! The state that all parts of the elaboration share: the names, their uses, and the findings so far.

use super::families::{AnyFamily, WrittenInstance};
use super::guards::Guard;
use super::names::{Meaning, Member, Symbol, Table};
use super::sums::Sums;
use crate::diag::nearest::nearest;
use crate::diag::{Code, Diagnostic, Diagnostics, Edit, Label, Severity};
use crate::model::{AgentId, Constant, EnumType, InstanceId, LocalId, MessageId, PropertyId, Total, Type};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind, Part, TypeKind};
use crate::syntax::walk;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The size beyond which an expansion (of guards or quantifiers) is refused.
pub(super) const EXPANSION_LIMIT: usize = 200_000;

/// The same for all calls of guards together, also for those in guards without a call.
pub(super) const ALL_EXPANSIONS_LIMIT: usize = 10 * EXPANSION_LIMIT;

/// How many further uses of an unknown name are shown.
const FURTHER_USES: usize = 3;

/// The types that need no declaration, in words.
pub(super) const TYPES: &str = "types are `bool`, `int`, ranges as `0..10`, enums, `channel` and `location`";
const DID_YOU_MEAN: &str = "did you mean ";

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
    /// The agent type.
    pub(super) agent: AgentId,
}

impl AgentNames {
    /// The local of a name, and where it is declared.
    pub(super) fn local(&self, name: &str) -> Option<(LocalId, Span)> {
        let symbol = self.members.get(name)?;
        match symbol.meaning {
            Member::Local(id) => Some((id, symbol.span)),
            Member::Label(_) => None,
        }
    }
}

/// The state of one elaboration.
pub(super) struct Context<'a> {
    /// The file.
    pub(super) tree: &'a ast::Model,
    /// The global names.
    pub(super) globals: Table<Meaning>,
    /// The guards that are called like property variables.
    pub(super) namesakes: FxHashMap<String, Symbol<usize>>,
    /// The enums without `channel`.
    pub(super) enums: Vec<EnumType>,
    /// `*` and the declared channels.
    pub(super) channels: Vec<String>,
    /// The declared constants, where nothing is wrong with them.
    pub(super) constants: Vec<Option<Constant>>,
    /// True if it is known how many instances there are.
    pub(super) are_counted: bool,
    /// True if an open instance is made: the numbers of members of families of any size are variables.
    pub(super) is_open: bool,
    /// The sums over families that are variables there.
    pub(super) sums: Option<&'a Sums>,
    /// The outcome of them.
    pub(super) totals: Vec<Total>,
    /// The families of any size.
    pub(super) families: Vec<AnyFamily<'a>>,
    /// The family of any size and the number of the member whose condition is read.
    pub(super) member: Option<(usize, i64)>,
    /// The instances of the text, members of families one by one.
    pub(super) written: Vec<WrittenInstance<'a>>,
    /// Message variables.
    pub(super) messages: Vec<Declared>,
    /// Property variables.
    pub(super) properties: Vec<Declared>,
    /// Guards and what is known of them.
    pub(super) guards: Vec<Guard<'a>>,
    /// The names of each agent type.
    pub(super) agents: Vec<Rc<AgentNames>>,
    /// The agent type of each instance, where it is known.
    pub(super) instances: Vec<Option<AgentId>>,
    /// How large all calls of guards are together.
    pub(super) inlined: usize,
    diagnostics: Diagnostics,
    seen: FxHashSet<(Code, Span, String)>,
    /// The first finding about each unknown name.
    unknown: FxHashMap<String, usize>,
    used: FxHashSet<Span>,
    /// The global names that are declared twice: their meaning is not known.
    doubled: FxHashSet<String>,
    /// The parts in which a name is declared twice: the one that it should have been is missing.
    hidden: FxHashSet<Part>,
    /// True if agents or guards may compare something with an instance.
    compares_instances: bool,
    /// The property variables whose values cannot be listed: that was reported.
    pub(super) unlisted: FxHashSet<Span>,
    /// The channels of sends that are mistakes.
    pub(super) faulty: FxHashSet<Span>,
    troubles: usize,
    /// The type of the name that is read next, if its place tells.
    wanted: Option<Type>,
}

impl<'a> Context<'a> {
    /// Nothing is known yet.
    pub(super) fn new(tree: &'a ast::Model) -> Context<'a> {
        Context {
            tree,
            globals: Table::new(),
            namesakes: FxHashMap::default(),
            enums: Vec::new(),
            channels: vec!["*".to_string()],
            constants: Vec::new(),
            are_counted: false,
            is_open: false,
            sums: None,
            totals: Vec::new(),
            families: Vec::new(),
            member: None,
            written: Vec::new(),
            messages: Vec::new(),
            properties: Vec::new(),
            guards: Vec::new(),
            agents: Vec::new(),
            instances: Vec::new(),
            inlined: 0,
            diagnostics: Diagnostics::new(),
            seen: FxHashSet::default(),
            unknown: FxHashMap::default(),
            used: FxHashSet::default(),
            doubled: FxHashSet::default(),
            hidden: FxHashSet::default(),
            compares_instances: compares_instances(tree),
            unlisted: FxHashSet::default(),
            faulty: FxHashSet::default(),
            troubles: 0,
            wanted: None,
        }
    }

    /// Adds a finding; the same finding at the same place is kept once (expansions find it often).
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.troubles += usize::from(diagnostic.severity() == Severity::Error);
        if self.seen.insert((diagnostic.code, diagnostic.span, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Notes something that makes no sense because of what was reported elsewhere.
    pub(super) fn unreadable(&mut self) {
        self.troubles += 1;
    }

    /// How often something made no sense so far.
    pub(super) fn troubles(&self) -> usize {
        self.troubles
    }

    /// True if an unknown name may be declared in a part of the file that could not be read: that was
    /// reported, and what uses the name is no mistake of its own.
    pub(super) fn is_unread(&mut self, name: &str) -> bool {
        let unread = self.tree.damage.as_ref().is_some_and(|damage| damage.names.contains(name));
        self.troubles += usize::from(unread);
        unread
    }

    /// Notes that a name is declared twice in a part of the file.
    pub(super) fn hide(&mut self, part: Part) {
        self.hidden.insert(part);
    }

    /// Notes that a global name is declared twice.
    pub(super) fn double(&mut self, name: &str) {
        self.doubled.insert(name.to_owned());
    }

    /// True if a global name is declared twice; what depends on it then stays silent.
    pub(super) fn is_doubled(&mut self, name: &str) -> bool {
        let doubled = self.doubled.contains(name);
        self.troubles += usize::from(doubled);
        doubled
    }

    /// True if a part of the file may declare names that are not known, as its text could not be read.
    pub(super) fn is_lost(&self, part: Part) -> bool {
        let no_system = part == Part::Instances && self.tree.system.is_empty();
        no_system || self.tree.damage.as_ref().is_some_and(|damage| damage.lost.contains(&part))
    }

    /// The parts that may declare names that agents and guards read. If the instances are not known, a name can be one
    /// only if something in the file can be compared with it.
    pub(super) fn parts_of_values(&self) -> Vec<Part> {
        let instances = self.compares_instances || !self.is_lost(Part::Instances);
        instances.then_some(Part::Instances).into_iter().chain([Part::Globals]).collect()
    }

    /// True if a part of the file lacks names because of another mistake.
    pub(super) fn is_missing(&self, part: Part) -> bool {
        self.hidden.contains(&part) || self.is_lost(part)
    }

    /// Reports an unknown name once, with the places of its other uses, unless it is a consequence of another mistake:
    /// that one of these parts, which could have declared it, could not be read, or declares another name twice.
    pub(super) fn report_unknown(&mut self, name: &str, parts: &[Part], unknown: Diagnostic) {
        let is_missing = parts.iter().any(|&part| self.is_missing(part));
        let is_misspelt = unknown.help.as_deref().is_some_and(|help| is_misspelling(name, help));
        if is_missing && !is_misspelt {
            return self.unreadable();
        }
        if unknown.code != Code::UnknownName {
            return self.report(unknown);
        }
        // A name that may be an instance is reported as missing once, whatever else it may be at some places.
        let key = if parts.contains(&Part::Instances) { name } else { &unknown.message };
        let Some(&first) = self.unknown.get(key) else {
            self.unknown.insert(key.to_owned(), self.diagnostics.iter().count());
            return self.report(unknown);
        };
        self.unreadable();
        if let Some(first) = self.diagnostics.get_mut(first)
            && first.related.len() < FURTHER_USES
            && first.span != unknown.span
            && first.related.iter().all(|label| label.span != unknown.span)
        {
            first.related.push(Label { span: unknown.span, message: "used here, too".to_owned() });
        }
    }

    /// Notes which type an expression must have, if it is a name: others are no good proposals for it.
    pub(super) fn want(&mut self, expr: &ast::Expr, ty: Option<Type>) {
        self.wanted = ty.filter(|_| matches!(expr.kind, ExprKind::Name(_) | ExprKind::Member { .. }));
    }

    /// That type.
    pub(super) fn wanted_type(&self) -> Option<Type> {
        self.wanted
    }

    /// True if a name of this type, which may be unknown, can stand where one is read.
    pub(super) fn is_wanted(&self, ty: Option<Type>) -> bool {
        self.wanted.zip(ty).is_none_or(|(wanted, ty)| wanted.comparable(ty))
    }

    /// True if a global name can stand where a value is read, as far as its type tells.
    pub(super) fn is_wanted_value(&self, meaning: Meaning) -> bool {
        let ty = match meaning {
            Meaning::Constant(ty, _) => Some(ty),
            Meaning::Declared(index) => self.known_constant(index).map(|(_, ty)| ty),
            Meaning::Instance(_) => Some(Type::Location),
            Meaning::Message(id) => self.messages[id.index()].ty,
            Meaning::Property(id) => self.properties[id.index()].ty,
            Meaning::Enum(_) | Meaning::Guard(_) | Meaning::Agent(_) => return false,
        };
        self.is_wanted(ty)
    }

    /// True if the model is not to be used.
    pub(super) fn failed(&self) -> bool {
        self.troubles > 0
    }

    /// The findings, by place.
    pub(super) fn into_diagnostics(self) -> Diagnostics {
        self.diagnostics.sorted()
    }

    /// True if the file is in the classic dialect.
    pub(super) fn classic(&self) -> bool {
        self.tree.dialect == ast::Dialect::Classic
    }

    /// Notes that the declaration at a place is used.
    pub(super) fn mark_used(&mut self, declaration: Span) {
        self.used.insert(declaration);
    }

    /// True if the declaration at a place is used.
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
    pub(super) fn message_type(&mut self, id: MessageId) -> Option<Type> {
        let Declared { name, ty } = self.messages[id.index()].clone();
        ty.filter(|_| !self.is_doubled(&name.name))
    }

    /// The type of a property variable.
    pub(super) fn property_type(&mut self, id: PropertyId) -> Option<Type> {
        let Declared { name, ty } = self.properties[id.index()].clone();
        ty.filter(|_| !self.is_doubled(&name.name))
    }

    /// The agent types of the instances in the text, without those that are only imagined.
    pub(super) fn written_instances(&self) -> &[Option<AgentId>] {
        &self.instances[..self.written.len()]
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
            Some(candidate) => {
                let diagnostic = diagnostic.label("unknown name").help(format!("{DID_YOU_MEAN}`{candidate}`?"));
                diagnostic.fix(format!("change `{name}` to `{candidate}`"), [Edit::replace(span, candidate)])
            }
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
                let mut candidates: Vec<_> = self.globals.names(|meaning| select(meaning).is_some()).collect();
                candidates.sort_unstable();
                let mut unknown = Context::unknown(&name.name, name.span, what, candidates.iter().copied());
                if unknown.help.is_none() {
                    let declaration =
                        (what == "guard").then(|| "a guard is declared by `guard g(x : int) := x > 0;`".to_owned());
                    unknown.help = all_of(what, "", candidates).or(declaration);
                }
                unknown
            };
            let part = if what == "agent type" { Part::Agents } else { Part::Globals };
            self.report_unknown(&name.name, &[part], unknown);
            return None;
        };
        let selected = select(symbol.meaning);
        // A name that is declared twice may be of the other kind.
        if (selected.is_none() || what == "agent type") && self.is_doubled(&name.name) {
            return None;
        }
        if selected.is_none() {
            let found = symbol.meaning.describe();
            let message = format!("`{}` is {found}, not {} {what}", name.name, article(what));
            let diagnostic = Diagnostic::new(Code::WrongKindOfName, name.span, message)
                .label(format!("expected {} {what}", article(what)))
                .related(symbol.span, "declared here");
            self.report(if what == "type" { diagnostic.help(TYPES) } else { diagnostic });
        }
        selected
    }
}

/// True if something in the agents or guards of a file can be compared with an instance: a variable of type `location`,
/// `myself`, or the partner of a meeting.
fn compares_instances(tree: &ast::Model) -> bool {
    let mut found = walk::variables(tree).any(|variable| variable.ty.kind == TypeKind::Location);
    walk::expressions(tree, &mut |outermost| {
        walk::nested(outermost, &mut |expr| found |= matches!(expr.kind, ExprKind::Myself));
    });
    for agent in &tree.agents {
        walk::commands(&agent.process, &mut |command| found |= command.action.is_point_to_point());
    }
    found
}

/// True if the help for an unknown name shows it to be a misspelling: short names, and names that differ by a number or
/// by case, are near to others by chance.
fn is_misspelling(name: &str, help: &str) -> bool {
    let meant = help.strip_prefix(DID_YOU_MEAN).map(|rest| rest.trim_matches(['`', '?']));
    let letters =
        |name: &str| name.to_lowercase().chars().filter(|letter| !letter.is_ascii_digit()).collect::<String>();
    name.len() > 3 && meant.is_some_and(|meant| letters(meant) != letters(name))
}

/// Which names of a kind there are: `the guards are ..`; nothing if there are none, or too many for a sentence.
pub(super) fn all_of<'n>(kind: &str, whose: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let mut seen = FxHashSet::default();
    let mut names = names.into_iter().filter(|name| seen.insert(*name)).peekable();
    let first = names.next()?;
    Some(match names.peek() {
        None => format!("the only {kind}{whose} is `{first}`"),
        Some(_) => format!("the {kind}s{whose} are {}", in_words(std::iter::once(first).chain(names))?),
    })
}

/// Names in a sentence; nothing if there are none, or too many for a sentence.
pub(super) fn in_words<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    const MOST: usize = 8;
    let mut names: Vec<String> = names.into_iter().take(MOST + 1).map(|name| format!("`{name}`")).collect();
    let last = names.pop().filter(|_| names.len() < MOST)?;
    Some(if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) })
}

/// The indefinite article of a kind of name.
fn article(what: &str) -> &'static str {
    if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}
