//! Declared constants, and the instances that they give the number of.

use super::constants::constant;
use super::context::Context;
use super::expression::{Scope, expression};
use super::names::Meaning;
use super::scopes::{Index, misplaced};
use super::types::Typed;
use crate::diag::{Code, Diagnostic};
use crate::limits::MOST_DIGITS;
use crate::model::expr::Expr;
use crate::model::scheme::named_members;
use crate::model::{self, AgentId, CommandLeaf, Constant, InstanceId, LocalId, OwnNumber, Type, Value, Variable};
use crate::source::Span;
use crate::syntax::ast::{self, AnySize, ConstantName, ExprKind, Family, Literal, Own, OwnConstants};
use crate::syntax::walk;
use crate::words::count;
use dashu_int::{IBig, Sign};
use std::ops::RangeInclusive;

/// The most instances of a family.
const MOST_MEMBERS: i64 = 100_000;

/// An instance that the text writes, alone or as one of a family.
#[derive(Clone, Debug)]
pub(super) struct WrittenInstance<'a> {
    /// The part of the tree that writes it.
    pub(super) ast: &'a ast::Instance,
    /// Its name.
    pub(super) name: String,
    /// Its number in its family.
    pub(super) number: Option<i64>,
}

/// A family of any size.
#[derive(Clone, Debug)]
pub(super) struct AnyFamily<'a> {
    /// The part of the tree that writes it.
    pub(super) ast: &'a ast::Instance,
    star: Span,
    least: i64,
    size: i64,
    /// True if that size was asked for.
    pub(super) is_given: bool,
    /// The place of its first member among the instances.
    first: usize,
    /// Channels that each member has of its own, as often as the condition names one: member by member, and further ones.
    channels: Vec<Vec<u32>>,
}

impl AnyFamily<'_> {
    /// True if it is written here.
    pub(super) fn is_of(&self, ast: &ast::Instance) -> bool {
        std::ptr::eq(self.ast, ast)
    }

    /// True if an instance is one of its members.
    pub(super) fn has(&self, instance: InstanceId) -> bool {
        (self.first..self.first + self.size as usize).contains(&instance.index())
    }

    /// The constants that each member has of its own.
    pub(super) fn own(&self) -> &[Own] {
        self.ast.any_size().map_or(&[], |size| &size.own)
    }
}

/// The kind of number that a member has of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OwnPlace {
    /// Its number.
    Index,
    /// A number that its family lists.
    Listed(usize),
}

impl<'a> Context<'a> {
    /// Declares a constant, whose value may read earlier ones.
    pub(super) fn declare_constant(&mut self, name: &ast::Ident, value: &ast::Expr, given: Option<Literal>) {
        let value = self.constant_expression(value, "the value of a constant", None);
        let is_given = given.is_some();
        let value = value.and_then(|value| match (value, given) {
            (value, Some(given)) => self.given(name, &value, given),
            (Value::Bool(truth), None) => Some(Literal::Bool(truth)),
            (value, None) => Some(Literal::Int(value.into_int())),
        });
        self.declare_global(name, Meaning::Declared(self.constants.len()));
        let name = ConstantName::Declared(name.name.clone());
        self.constants.push(value.map(|value| Constant { name, value, is_given }));
    }

    /// The given value of a constant in place of the written one, which has to be of the same type.
    fn given(&mut self, name: &ast::Ident, value: &Value, given: Literal) -> Option<Literal> {
        let (ty, example) = match (value, &given) {
            (Value::Int(_), Literal::Int(_)) | (Value::Bool(_), Literal::Bool(_)) => return Some(given),
            (Value::Bool(_), Literal::Int(_)) => ("bool", "true"),
            _ => ("int", "3"),
        };
        let message = format!("`{}` cannot be {given}: it is of type `{ty}`", name.name);
        let diagnostic = Diagnostic::new(Code::TypeMismatch, name.span, message).label("declared here");
        self.report(diagnostic.help(format!("give it a value as in `--const {}={example}`", name.name)));
        None
    }

    /// The value and the type of a declared constant, unless something is wrong with it.
    pub(super) fn known_constant(&self, index: usize) -> Option<(Value, Type)> {
        self.constants[index].as_ref().map(|constant| match &constant.value {
            Literal::Bool(truth) => (Value::Bool(*truth), Type::Bool),
            Literal::Int(number) => (Value::Int(number.clone()), Type::Int),
        })
    }

    /// The value of a declared constant as an expression, unless something is wrong with it.
    pub(super) fn declared_constant<L>(&mut self, index: usize, span: Span) -> Option<Typed<L>> {
        let Some((value, ty)) = self.known_constant(index) else {
            self.unreadable();
            return None;
        };
        Some(Typed { bound: true, ..Typed::constant(value, ty, span) })
    }

    /// The value of an expression that must be constant, and of a type, if there is one.
    fn constant_expression(&mut self, expr: &ast::Expr, what: &'static str, ty: Option<Type>) -> Option<Value> {
        let typed = expression(self, &mut ConstantScope { what }, expr)?;
        if ty.is_none() && !matches!(typed.ty, Type::Bool | Type::Int) {
            let message = format!("{what} is an integer or a truth value");
            let found = self.type_name(typed.ty);
            let diagnostic = Diagnostic::new(Code::TypeMismatch, expr.span, message);
            self.report(diagnostic.label(format!("this is of type `{found}`")));
            return None;
        }
        let value = match ty {
            Some(ty) => self.expect(typed, ty)?,
            None => typed.expr,
        };
        let value = constant(&value, &|_| None);
        if value.is_none() {
            // Nothing but constants is read, so a number is beyond the limits.
            let diagnostic = Diagnostic::new(Code::NumberTooLarge, expr.span, format!("{what} is too large"));
            self.report(diagnostic.label(format!("the limit is {MOST_DIGITS} digits")));
        }
        value
    }

    /// An end of a range.
    pub(super) fn bound(&mut self, expr: &ast::Expr) -> Option<i64> {
        if expr.kind == ExprKind::Star {
            let diagnostic = Diagnostic::new(Code::TypeMismatch, expr.span, "`*` is no end of a range");
            let help = "`client[*]` has any number of members, `client[2..*]` two or more; `int` has no bounds";
            self.report(diagnostic.label("a number is expected here").help(help));
            return None;
        }
        let value = self.constant_expression(expr, "the end of a range", Some(Type::Int))?;
        let number = value.number();
        if number.is_none() {
            let message = "the end of a range must fit into 64 bits";
            let diagnostic = Diagnostic::new(Code::NumberTooLarge, expr.span, message).label("too large");
            let help =
                "a variable of type `int` has no bounds: declare it so, and let guards or a spec say what it keeps to";
            self.report(diagnostic.help(help));
        }
        number
    }

    /// The instances of the text with those of families, in their order.
    fn written(&mut self) -> Vec<WrittenInstance<'a>> {
        let mut written = Vec::new();
        let mut named = named_members(self.tree).into_iter();
        for ast in &self.tree.system {
            let name = &ast.name.name;
            let members = match ast.family.as_deref() {
                None => {
                    written.push(WrittenInstance { ast, name: name.clone(), number: None });
                    continue;
                }
                Some(Family::Range(first, last)) => self.members(first, last),
                Some(Family::Any(size)) => self.any_members(ast, size, named.next().unwrap_or_default(), written.len()),
            };
            let Some(members) = members else {
                self.hide(ast::Part::Instances);
                continue;
            };
            let name_of =
                |number| ast.any_size().map_or_else(|| format!("{name}{number}"), |size| size.member(name, number));
            let member = |number| WrittenInstance { ast, name: name_of(number), number: Some(number) };
            written.extend(members.map(member));
        }
        written
    }

    /// The numbers of the members of a family of any size: so many as were asked for; otherwise two, or the least
    /// number or the largest that is `named` if that is more.
    fn any_members(
        &mut self,
        ast: &'a ast::Instance,
        size: &AnySize,
        named: u32,
        first: usize,
    ) -> Option<RangeInclusive<i64>> {
        const UNLESS_GIVEN: i64 = 2;
        let AnySize { least, star, given, listed, written, .. } = size;
        // The constants that it reads are used, though they do not decide the number here.
        if let Some(written) = written {
            self.bound(written);
        }
        let written =
            least.as_ref().map(|least| self.constant_expression(least, "the size of a family", Some(Type::Int)));
        let least_size = match written {
            Some(value) => value?.number().unwrap_or(i64::MAX),
            None => 0,
        };
        let members = |size: i64| count(usize::try_from(size).unwrap_or_default(), "member");
        let (name, place) = (&ast.name.name, least.as_ref().map_or(*star, |least| least.span.to(*star)));
        let size = match given {
            None if !listed.is_empty() => listed.len() as i64,
            None => least_size.max(UNLESS_GIVEN).max(i64::from(named)),
            Some(Literal::Int(size)) => {
                i64::try_from(size).unwrap_or(if size.sign() == Sign::Negative { -1 } else { i64::MAX })
            }
            Some(Literal::Bool(_)) => -1,
        };
        let diagnostic = if least_size < 0 {
            Diagnostic::new(Code::OutOfRange, place, "a family cannot have fewer than 0 members")
                .label(format!("at least {least_size}"))
                .help("`client[*]` has any number of members")
        } else if size < least_size {
            let message = match given {
                Some(Literal::Int(_)) => format!("`{name}` cannot have {}", members(size)),
                _ => format!("the size of `{name}` is a number"),
            };
            Diagnostic::new(Code::OutOfRange, place, message)
                .label(format!("at least {}", members(least_size)))
                .help(format!("ask for more, as in `--size {name}={}`", least_size.max(UNLESS_GIVEN)))
        } else if size > MOST_MEMBERS {
            too_many(place)
        } else {
            let is_given = given.is_some();
            let channels = Vec::new();
            self.families.push(AnyFamily { ast, star: place, least: least_size, size, is_given, first, channels });
            return Some(1..=size);
        };
        self.report(diagnostic);
        None
    }

    /// The numbers of the members of a family.
    fn members(&mut self, first: &ast::Expr, last: &ast::Expr) -> Option<RangeInclusive<i64>> {
        let span = first.span.to(last.span);
        let (first, last) = (self.bound(first), self.bound(last));
        let (first, last) = (first?, last?);
        let diagnostic = if first < 0 && first <= last {
            Diagnostic::new(Code::OutOfRange, span, "the members of a family have numbers from 0 on")
                .label(format!("begins with {first}"))
        } else if last.saturating_sub(first) >= MOST_MEMBERS {
            too_many(span)
        } else {
            return Some(first..=last);
        };
        self.report(diagnostic);
        None
    }

    /// Reports names that members of families of any size have in larger instances.
    fn check_later_members(&mut self) {
        for AnyFamily { ast, size, .. } in self.families.clone() {
            let Some(any) = ast.any_size() else { continue };
            let is_later = |name: &str| any.number(&ast.name.name, name).is_some_and(|number| number > size);
            let clashing = self.globals.places().filter(|(name, _)| is_later(name));
            let clashing: Vec<(String, Span)> = clashing.map(|(name, span)| (name.to_owned(), span)).collect();
            for (name, span) in clashing {
                let message =
                    format!("`{name}` is the name of a member of `{}`, too", ConstantName::Size(ast.name.name.clone()));
                let diagnostic = Diagnostic::new(Code::DuplicateName, span, message).label("declared here");
                self.report(diagnostic.related(ast.name.span, "the family").help("rename one of them"));
            }
        }
    }

    /// Declares the names of the instances.
    pub(super) fn declare_instances(&mut self) {
        self.written = self.written();
        self.are_counted = true;
        let mut clashing = None;
        for index in 0..self.written.len() {
            let WrittenInstance { ast, name, .. } = &self.written[index];
            let name = ast::Ident { name: name.clone(), span: ast.name.span };
            // One clash of a family is worth a word, not all of them.
            if clashing == Some(name.span) && self.globals.get(&name.name).is_some() {
                self.double(&name.name);
                continue;
            }
            let before = self.troubles();
            self.declare_global(&name, Meaning::Instance(InstanceId(index as u32)));
            clashing = if self.troubles() > before { Some(name.span) } else { clashing };
        }
        self.check_later_members();
        for family in 0..self.families.len() {
            self.families[family].channels = self.own_channels(&self.families[family].clone());
        }
        if let (true, Some(first), Some(last)) =
            (self.written.is_empty() && self.families.is_empty(), self.tree.system.first(), self.tree.system.last())
            && !self.failed()
        {
            let span = first.agent.span.to(last.init.span);
            let diagnostic = misplaced("the system has no instance", span).label("all families are empty");
            self.report(diagnostic.help("`client[1..3]` makes three, `client[1..0]` none"));
            self.hide(ast::Part::Instances);
        }
    }
}

impl Context<'_> {
    /// The declared constants that have values, the sizes of families of any size, the fairness that is assumed, and the reading
    /// that an option chooses.
    pub(super) fn constants_and_sizes(&self) -> Vec<Constant> {
        let size = |family: &AnyFamily| Constant {
            name: ConstantName::Size(family.ast.name.name.clone()),
            value: Literal::int(family.size),
            is_given: family.is_given,
        };
        let choice = |name: ConstantName| Constant { name, value: Literal::Bool(true), is_given: true };
        let listed =
            self.families.iter().filter(|family| family.ast.any_size().is_some_and(|size| !size.listed.is_empty()));
        let mut agents: Vec<&str> = listed.map(|family| family.ast.agent.name.as_str()).collect();
        agents.dedup();
        let any_number = agents.into_iter().map(|agent| ConstantName::AnyNumber(agent.to_owned()));
        let fair = self.tree.fair.map(ConstantName::Fairness);
        let reading = self.tree.other_reading().map(ConstantName::PointToPoint);
        let declared = self.constants.iter().flatten().cloned();
        let sizes = self.families.iter().map(size);
        declared.chain(any_number.map(choice)).chain(sizes).chain(fair.into_iter().chain(reading).map(choice)).collect()
    }

    /// The families of any size, for the model.
    pub(super) fn families_of_any_size(&self) -> Vec<model::Family> {
        let family = |(place, family): (usize, &AnyFamily)| {
            let agent = self.agent_of_family(family.ast)?;
            let numbers = self.numbers_of_members(agent).into_iter().enumerate();
            let numbers = numbers.filter(|(_, (of, _))| *of == place).map(|(hidden, (_, own))| OwnNumber {
                local: self.hidden_local(agent, hidden),
                least: match own {
                    OwnPlace::Index => IBig::ONE,
                    OwnPlace::Listed(own) => family.own()[own].of.numbers().iter().min().cloned().unwrap_or_default(),
                },
            });
            let size = family.size as usize;
            Some(model::Family {
                name: family.ast.name.name.clone(),
                agent,
                least: family.least as u32,
                size: family.size as u32,
                is_given: family.is_given,
                first: InstanceId(family.first as u32),
                numbers: numbers.collect(),
                channels: family.channels.iter().map(|channels| channels[..size].to_vec()).collect(),
                span: family.ast.name.span.to(family.star),
            })
        };
        self.families.iter().enumerate().filter_map(family).collect()
    }

    /// The channels that only members have who are not there.
    pub(super) fn outside_channels(&self) -> Vec<u32> {
        let families = self.families.iter();
        let outside = |family: &'_ AnyFamily| {
            let size = family.size as usize;
            family.channels.iter().flat_map(|channels| channels[size..].to_vec()).collect::<Vec<u32>>()
        };
        families.flat_map(outside).collect()
    }

    /// The channels that members of a family have of their own: those that are listed, and new ones.
    fn own_channels(&mut self, family: &AnyFamily) -> Vec<Vec<u32>> {
        let mut all = Vec::new();
        for own in family.own() {
            let OwnConstants::Channels(listed) = &own.of else { continue };
            let known = |name: &String| match self.globals.get(name).map(|symbol| symbol.meaning) {
                Some(Meaning::Constant(Type::Channel, channel)) => Some(channel),
                _ => None,
            };
            let mut channels: Vec<u32> = listed.iter().filter_map(known).collect();
            let prefix = listed[0].trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned();
            let mut names = (listed.len() + 1..).map(|number| format!("{prefix}{number}"));
            while channels.len() < family.size as usize {
                let is_new = |name: &String| self.globals.get(name).is_none() && !self.channels.contains(name);
                let name = names.by_ref().find(is_new).expect("numbers do not end");
                channels.push(self.channels.len() as u32);
                self.channels.push(name);
            }
            all.push(channels);
        }
        all
    }

    pub(super) fn agent_of_family(&self, family: &ast::Instance) -> Option<AgentId> {
        match self.globals.get(&family.agent.name)?.meaning {
            Meaning::Agent(id) => Some(id),
            _ => None,
        }
    }

    /// True if the condition of a family reads the numbers of its members.
    fn reads_index(&self, family: &ast::Instance) -> bool {
        let mut reads = false;
        walk::nested(&family.init, &mut |expr| reads |= matches!(&expr.kind, ExprKind::Name(name) if name == "index"));
        let hides = |agent: AgentId| self.agents[agent.index()].members.get("index").is_some();
        reads && self.globals.get("index").is_none() && !self.agent_of_family(family).is_some_and(hides)
    }

    /// In an open instance, the numbers that members of an agent type have of their own, family by family.
    fn numbers_of_members(&self, agent: AgentId) -> Vec<(usize, OwnPlace)> {
        let of_family = |(place, family): (usize, &AnyFamily)| {
            let index = self.reads_index(family.ast).then_some(OwnPlace::Index);
            let is_number = |own: &Own| matches!(own.of, OwnConstants::Numbers(_));
            let listed = family.own().iter().enumerate().filter(|(_, own)| is_number(own));
            let listed = listed.map(|(own, _)| OwnPlace::Listed(own));
            index.into_iter().chain(listed).map(|own| (place, own)).collect::<Vec<_>>()
        };
        let families = self.families.iter().enumerate().filter(|_| self.is_open);
        families.filter(|(_, family)| self.agent_of_family(family.ast) == Some(agent)).flat_map(of_family).collect()
    }

    /// The local in which members of an agent type hold such a number: behind those that the type declares.
    fn hidden_local(&self, agent: AgentId, hidden: usize) -> LocalId {
        LocalId((self.agents[agent.index()].locals.len() + hidden) as u32)
    }

    /// The locals that hold them.
    pub(super) fn hidden_locals(&self, agent: AgentId) -> Vec<Variable> {
        let local = |(hidden, (family, _)): (usize, (usize, OwnPlace))| Variable {
            name: if hidden == 0 { "index".to_owned() } else { format!("index{}", hidden + 1) },
            ty: Type::Int,
            span: self.families[family].star,
        };
        self.numbers_of_members(agent).into_iter().enumerate().map(local).collect()
    }

    /// The local that holds a number of the member whose condition is read, in an open instance.
    fn held(&self, own: OwnPlace) -> Option<LocalId> {
        let (family, _) = self.member?;
        let agent = self.agent_of_family(self.families[family].ast)?;
        let hidden = self.numbers_of_members(agent).into_iter().position(|it| it == (family, own))?;
        Some(self.hidden_local(agent, hidden))
    }

    /// The meaning of `index` in the condition of a member.
    pub(super) fn index(&self, number: Option<i64>) -> Option<Index> {
        self.held(OwnPlace::Index).map(Index::Local).or(number.map(Index::Number))
    }

    /// The meaning of a name that is something of its own for the member whose condition is read.
    pub(super) fn own(&self, name: &str, span: Span) -> Option<Typed<CommandLeaf>> {
        let (family, number) = self.member?;
        let own = self.families[family].own();
        let place = own.iter().position(|own| own.name == name)?;
        let member = usize::try_from(number - 1).ok()?;
        match &own[place].of {
            OwnConstants::Channels(_) => {
                let before = own[..place].iter().filter(|own| matches!(own.of, OwnConstants::Channels(_))).count();
                let channel = self.families[family].channels[before][member];
                Some(Typed::constant(Value::Enum(channel), Type::Channel, span))
            }
            OwnConstants::Numbers(listed) => match self.held(OwnPlace::Listed(place)) {
                Some(local) => Some(Typed::new(Expr::Leaf(CommandLeaf::Local(local)), Type::Int, span)),
                None => {
                    let value = Value::Int(number_of_member(listed, member));
                    Some(Typed { bound: true, ..Typed::constant(value, Type::Int, span) })
                }
            },
        }
    }

    /// True if there may be more instances of an agent type than here.
    pub(super) fn may_have_more(&self, agent: AgentId) -> bool {
        self.families.iter().any(|family| self.agent_of_family(family.ast) == Some(agent))
    }

    /// The advice on the name of a member that there is in larger systems only, if it is one.
    fn member_of_larger_family(&self, name: &str) -> Option<String> {
        self.families.iter().find_map(|family| {
            let of = &family.ast.name.name;
            let number = family.ast.any_size()?.number(of, name)?;
            Some(format!("larger systems have one: ask for it as in `--size {of}={number}`"))
        })
    }

    /// Which instances are meant by the name of a family, if it is one, or by that of a member.
    pub(super) fn members_of_family(&self, name: &str) -> Option<String> {
        if let Some(larger) = self.member_of_larger_family(name) {
            return Some(larger);
        }
        let mut members = self.written.iter().filter(|it| it.number.is_some() && it.ast.name.name == name);
        let (first, agent) = members.next().map(|it| (&it.name, &it.ast.agent.name))?;
        let last = members.next_back().map_or(first, |it| &it.name);
        Some(format!("its instances are `{first}` to `{last}`; `forall k : {agent} . ..` is about all of them"))
    }

    /// `size(T1 | T2)`: the number of instances of agent types; of all of them for `Agent`.
    pub(super) fn size<L>(
        &mut self,
        callee: &ast::Ident,
        argument: &ast::Expr,
        span: Span,
    ) -> Option<Option<Typed<L>>> {
        let types = ast::sized_types(argument)?;
        if callee.name != "size" || self.globals.get("size").is_some() {
            return None;
        }
        if !self.are_counted {
            let diagnostic = misplaced("the number of instances is not known here", span);
            self.report(
                diagnostic.help("constants and the sizes of families come first; `size` can read what they make"),
            );
            return Some(None);
        }
        let has_agent = self.globals.get("Agent").is_some();
        let is_any = |name: &ast::Ident| name.name == "Agent" && !has_agent;
        let known = types.iter().filter(|name| !is_any(name)).map(|name| self.agent_named(name).is_some());
        if !known.collect::<Vec<_>>().into_iter().all(|is_known| is_known) {
            return Some(None);
        }
        if self.is_missing(ast::Part::Instances) {
            self.unreadable();
            return Some(None);
        }
        let is_meant = |agent: &str| types.iter().any(|name| is_any(name) || name.name == agent);
        let counted = self.written.iter().filter(|instance| is_meant(&instance.ast.agent.name)).count();
        Some(Some(Typed { bound: true, ..Typed::constant(Value::int(counted as i64), Type::Int, span) }))
    }
}

/// The number of a member, from 0 on: one that is listed, or one above all of these. Where each listed one is as much above
/// the one before, so are those of further members.
fn number_of_member(listed: &[IBig], member: usize) -> IBig {
    if let Some(number) = listed.get(member) {
        return number.clone();
    }
    let mut distances = listed.windows(2).map(|pair| &pair[1] - &pair[0]);
    let step = distances.next().filter(|first| *first > IBig::ZERO && distances.all(|distance| distance == *first));
    let largest = listed.iter().max().cloned().unwrap_or_default();
    largest + step.unwrap_or(IBig::ONE) * IBig::from(member + 1 - listed.len())
}

fn too_many(span: Span) -> Diagnostic {
    Diagnostic::new(Code::ExpansionTooLarge, span, "the family has more instances than the tool handles")
        .label(format!("the limit is {MOST_MEMBERS} instances"))
}

/// The scope of places where only constants may stand.
struct ConstantScope {
    what: &'static str,
}

impl ConstantScope {
    fn refuse<T>(&self, context: &mut Context, found: &str, span: Span) -> Option<T> {
        let diagnostic = misplaced(format!("{found} cannot be read in {}", self.what), span);
        context.report(diagnostic.help("numbers, truth values and constants that are declared before it can"));
        None
    }
}

impl Scope for ConstantScope {
    type Leaf = CommandLeaf;

    fn name(&mut self, context: &mut Context, name: &str, span: Span) -> Option<Typed<CommandLeaf>> {
        match context.use_global(name).map(|symbol| symbol.meaning) {
            Some(Meaning::Declared(index)) if !context.is_doubled(name) => context.declared_constant(index, span),
            Some(Meaning::Declared(_)) => None,
            Some(meaning) => self.refuse(context, meaning.describe(), span),
            None if context.is_unread(name) => None,
            None => {
                let constants = context.globals.names(|meaning| matches!(meaning, Meaning::Declared(_)));
                let mut unknown = Context::unknown(name, span, "constant", constants);
                unknown.help.get_or_insert_with(|| format!("declare it above: `const {name} = 3;`"));
                context.report_unknown(name, &[ast::Part::Globals], unknown);
                None
            }
        }
    }

    fn property(&mut self, context: &mut Context, _: &ast::Ident, span: Span) -> Option<Typed<CommandLeaf>> {
        self.refuse(context, "a property variable", span)
    }

    fn channel(&mut self, context: &mut Context, span: Span) -> Option<Typed<CommandLeaf>> {
        self.refuse(context, "the channel of a message", span)
    }

    fn myself(&mut self, context: &mut Context, span: Span) -> Option<Typed<CommandLeaf>> {
        self.refuse(context, "`myself`", span)
    }

    fn place(&self) -> &'static str {
        self.what
    }

    fn adopt(&mut self, context: &mut Context, _: CommandLeaf, span: Span) -> Option<CommandLeaf> {
        self.refuse(context, "what this guard reads", span)
    }
}
