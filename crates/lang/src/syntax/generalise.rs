//! Files with other values for their constants; and files that list their instances, read as if there were any number of
//! some.
//!
//! Instances of a type that are alike become one family: their conditions differ in numbers and channels only, of which
//! each has its own.

use super::ast::{
    AnySize, ConstantName, Constants, Expr, ExprKind, Family, Global, Ident, Instance, Literal, Model, Own,
    OwnConstants, UnaryOp, shared_channel,
};
use super::walk;
use crate::source::Span;
use dashu_int::IBig;

impl Model {
    /// Gives constants other values than the file does, and families of any size a size; assumes fairness of all instances;
    /// and chooses a reading.
    ///
    /// # Errors
    /// The names that nothing has.
    pub fn give(&mut self, constants: &Constants) -> Result<(), Vec<ConstantName>> {
        let mut unknown = Vec::new();
        for (name, value) in constants {
            if !self.give_one(name, value) {
                unknown.push(name.clone());
            }
        }
        if unknown.is_empty() { Ok(()) } else { Err(unknown) }
    }

    /// True if something has this name.
    fn give_one(&mut self, name: &ConstantName, literal: &Literal) -> bool {
        match name {
            ConstantName::Declared(of) => {
                let mut found = false;
                for global in &mut self.globals {
                    if let Global::Constant { name, given, .. } = global
                        && name.name == *of
                    {
                        *given = Some(literal.clone());
                        found = true;
                    }
                }
                found
            }
            ConstantName::Size(of) => {
                let mut found = false;
                for Instance { name, family, .. } in &mut self.system {
                    if let Some(Family::Any(size)) = family.as_deref_mut()
                        && name.name == *of
                    {
                        size.given = Some(literal.clone());
                        found = true;
                    }
                }
                found
            }
            _ if *literal != Literal::Bool(true) => false,
            ConstantName::AnyNumber(agent) => any_number(self, agent),
            ConstantName::Fairness(fairness) => {
                self.fair = Some(*fairness);
                true
            }
            ConstantName::PointToPoint(reading) => {
                self.given_reading = Some(*reading);
                true
            }
            // It is for files of MCMAS: here, specs say it.
            ConstantName::Uniform(_) => false,
        }
    }
}

/// Families of any size in place of instances of an agent type that are alike: of families `[1..u]`, and of what is listed.
/// True if a file can be read so.
pub fn any_number(model: &mut Model, agent: &str) -> bool {
    if !model.agents.iter().any(|declared| declared.name.name == agent) {
        return false;
    }
    let grown = grow_families(model, agent);
    let channels = channels(model);
    let listed = model.system.iter().enumerate();
    let listed = listed.filter(|(_, instance)| instance.family.is_none() && instance.agent.name == agent);
    let listed: Vec<Listed> = listed.map(|(place, instance)| Listed::new(place, instance, &channels)).collect();
    let mut groups: Vec<Vec<Listed>> = Vec::new();
    for instance in listed {
        match groups.iter_mut().find(|group| group[0].skeleton == instance.skeleton) {
            Some(group) => group.push(instance),
            None => groups.push(vec![instance]),
        }
    }
    let groups: Vec<Vec<Listed>> = groups.into_iter().flat_map(alike).filter(|group| group.len() > 1).collect();
    if groups.is_empty() && !grown {
        return false;
    }
    let mut gone = Vec::new();
    for group in groups {
        let family = family(model, &group);
        let others = model.system.iter().filter_map(Instance::any_size);
        if shared_channel(others.chain(family.any_size())).is_some() {
            return false;
        }
        model.system[group[0].place] = family;
        gone.extend(group[1..].iter().map(|instance| instance.place));
    }
    let mut place = 0..;
    model.system.retain(|_| !gone.contains(&place.next().expect("numbers do not end")));
    true
}

/// Why there cannot be any number of an agent type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unlike {
    /// Fewer than two instances are listed, and no family begins with 1.
    TooFew,
    /// Conditions of two instances that differ in more than numbers and channels.
    Conditions([Span; 2]),
    /// A channel that members of two families would have as their own.
    SharedChannel(String),
}

/// Why [`any_number`] refuses an agent type.
pub fn unlike(model: &Model, agent: &str) -> Unlike {
    let channels = channels(model);
    let of_agent = |instance: &&Instance| instance.family.is_none() && instance.agent.name == agent;
    let listed: Vec<&Instance> = model.system.iter().filter(of_agent).collect();
    let [one, other, ..] = listed[..] else { return Unlike::TooFew };
    let families = model.system.iter().filter_map(Instance::any_size).flat_map(|size| &size.own);
    let owned: Vec<&String> = families.flat_map(|own| own.of.channels()).collect();
    let apart: Vec<(Expr, Vec<ExprKind>)> = listed.iter().map(|it| without_constants(&it.init, &channels)).collect();
    let shared = apart.iter().flat_map(|(_, constants)| constants).find_map(|constant| match constant {
        ExprKind::Name(name) if owned.contains(&name) => Some(name.clone()),
        _ => None,
    });
    let are_alike = |(place, (skeleton, _)): (usize, &(Expr, _))| apart[..place].iter().any(|it| it.0 == *skeleton);
    if let (Some(channel), true) = (shared, apart.iter().enumerate().any(are_alike)) {
        return Unlike::SharedChannel(channel);
    }
    let (left, right) = (walk::conjuncts(&one.init), walk::conjuncts(&other.init));
    let differ =
        |(left, right): &(&Expr, &Expr)| without_constants(left, &channels).0 != without_constants(right, &channels).0;
    let pair = if left.len() == right.len() { left.into_iter().zip(right).find(differ) } else { None };
    let (left, right) = pair.unwrap_or((&one.init, &other.init));
    Unlike::Conditions([left.span, right.span])
}

/// Lets families that begin with 1 have any size. True if there are some.
fn grow_families(model: &mut Model, agent: &str) -> bool {
    let constants = model.globals.clone();
    let mut grown = false;
    for instance in model.system.iter_mut().filter(|instance| instance.agent.name == agent) {
        let Some(Family::Range(first, last_written)) = instance.family.as_deref() else { continue };
        let span = first.span.to(last_written.span);
        let ends = (value(&constants, first), value(&constants, last_written));
        let (Some(1), Some(last @ 2..=MOST)) = ends else { continue };
        let listed = |number| Ident { name: format!("{}{number}", instance.name.name), span: instance.name.span };
        let listed = (1..=last).map(listed).collect();
        let written = Some(last_written.clone());
        let size = AnySize { listed, written, ..AnySize::new(None, span) };
        instance.family = Some(Box::new(Family::Any(size)));
        grown = true;
    }
    grown
}

/// Larger families stay as they are.
const MOST: i64 = 10_000;

/// The value of an expression that reads constants alone, if that is easy to see.
fn value(globals: &[Global], expr: &Expr) -> Option<i64> {
    i64::try_from(expr.integer(&|name| constant(globals, name))?).ok()
}

/// The value of a constant, which may read those before it.
fn constant(globals: &[Global], wanted: &str) -> Option<IBig> {
    let is_it = |global: &Global| matches!(global, Global::Constant { name, .. } if name.name == wanted);
    let place = globals.iter().position(is_it)?;
    let Global::Constant { value, given, .. } = &globals[place] else { return None };
    match given {
        Some(Literal::Int(number)) => Some(number.clone()),
        Some(Literal::Bool(_)) => None,
        None => value.integer(&|name| constant(&globals[..place], name)),
    }
}

/// An instance, with the constants of its condition apart.
#[derive(Clone)]
struct Listed {
    place: usize,
    name: Ident,
    /// The condition, with holes where constants stand.
    skeleton: Expr,
    constants: Vec<ExprKind>,
}

impl Listed {
    fn new(place: usize, instance: &Instance, channels: &[String]) -> Listed {
        let (skeleton, constants) = without_constants(&instance.init, channels);
        Listed { place, name: instance.name.clone(), skeleton, constants }
    }
}

/// A condition with holes where numbers and channels stand, and these.
fn without_constants(condition: &Expr, channels: &[String]) -> (Expr, Vec<ExprKind>) {
    let (mut skeleton, mut constants) = (condition.clone(), Vec::new());
    walk::nested_mut(&mut skeleton, &mut |expr| {
        let is_constant = match &expr.kind {
            ExprKind::Name(name) => channels.contains(name),
            other => number(other).is_some(),
        };
        if is_constant {
            constants.push(std::mem::replace(&mut expr.kind, ExprKind::Error));
        }
    });
    (skeleton, constants)
}

/// A number as written, perhaps with a sign. Equal numbers are equal expressions, so `-0` is none.
fn number(expr: &ExprKind) -> Option<IBig> {
    match expr {
        ExprKind::Int(number) => Some(number.clone()),
        ExprKind::Unary(UnaryOp::Neg, inner) => match &inner.kind {
            ExprKind::Int(number) if *number > IBig::ZERO => Some(-number),
            _ => None,
        },
        _ => None,
    }
}

fn channels(model: &Model) -> Vec<String> {
    let channels = model.globals.iter().filter_map(|global| match global {
        Global::Enum { name, constants } if name.name == "channel" => Some(constants),
        _ => None,
    });
    channels.flatten().map(|channel| channel.name.clone()).collect()
}

/// The difference between the instances of a group in a place: `None` if all are the same, true if no two are.
fn differ(group: &[Listed], hole: usize) -> Option<bool> {
    let constants = group.iter().map(|instance| &instance.constants[hole]);
    let same = |(index, constant): (usize, &ExprKind)| constants.clone().skip(index + 1).any(|other| other == constant);
    let repeats = constants.clone().enumerate().any(same);
    let all_equal = constants.clone().all(|constant| *constant == group[0].constants[hole]);
    (!all_equal).then_some(!repeats)
}

/// The parts of a group in which each constant is the same for all, or different for all.
fn alike(group: Vec<Listed>) -> Vec<Vec<Listed>> {
    let mixed = (0..group[0].constants.len()).find(|&hole| differ(&group, hole) == Some(false));
    let Some(hole) = mixed else { return vec![group] };
    let mut parts: Vec<Vec<Listed>> = Vec::new();
    for instance in group {
        match parts.iter_mut().find(|part| part[0].constants[hole] == instance.constants[hole]) {
            Some(part) => part.push(instance),
            None => parts.push(vec![instance]),
        }
    }
    parts.into_iter().flat_map(alike).collect()
}

/// Instances that are alike, as a family whose first members they are.
fn family(model: &Model, group: &[Listed]) -> Instance {
    let written = &model.system[group[0].place];
    let (mut init, mut own, mut hole) = (group[0].skeleton.clone(), Vec::new(), 0..);
    walk::nested_mut(&mut init, &mut |expr| {
        if expr.kind != ExprKind::Error {
            return;
        }
        let hole = hole.next().expect("numbers do not end");
        expr.kind = match differ(group, hole) {
            None => group[0].constants[hole].clone(),
            Some(_) => {
                // No name of a file has a space.
                let name = format!("own {}", own.len() + 1);
                let of = own_constants(group.iter().map(|instance| &instance.constants[hole]));
                own.push(Own { name: name.clone(), of });
                ExprKind::Name(name)
            }
        };
    });
    let listed: Vec<Ident> = group.iter().map(|instance| instance.name.clone()).collect();
    let span = written.agent.span.to(written.init.span);
    let size = AnySize { listed, own, ..AnySize::new(None, span) };
    let name = Ident { name: base(model, group), span: written.name.span };
    Instance { agent: written.agent.clone(), name, family: Some(Box::new(Family::Any(size))), init }
}

fn own_constants<'c>(constants: impl Iterator<Item = &'c ExprKind>) -> OwnConstants {
    let (mut numbers, mut channels) = (Vec::new(), Vec::new());
    for constant in constants {
        match constant {
            ExprKind::Name(channel) => channels.push(channel.clone()),
            other => numbers.push(number(other).expect("a constant of an instance")),
        }
    }
    if channels.is_empty() { OwnConstants::Numbers(numbers) } else { OwnConstants::Channels(channels) }
}

/// The beginning of the names of members: that of the listed ones, or like the agent type; no other name may be
/// mistaken for one of a member.
fn base(model: &Model, group: &[Listed]) -> String {
    let letters = |name: &str| name.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned();
    let names: Vec<&str> = group.iter().map(|instance| instance.name.name.as_str()).collect();
    let first = letters(names[0]);
    let numbered = names.iter().zip(1..).all(|(name, number)| **name == format!("{first}{number}"));
    let mut base = if numbered { first } else { model.system[group[0].place].agent.name.to_lowercase() };
    let instances = model.system.iter().map(|instance| instance.name.name.as_str());
    let instances = instances.filter(|name| !numbered || !names.contains(name));
    // A name without a number is no member's.
    let others = declared(model).filter(|name| letters(name) != *name);
    let others: Vec<String> = instances.chain(others).map(letters).collect();
    while others.contains(&base) {
        base.push('_');
    }
    base
}

/// The names that a file declares, beside instances and labels.
fn declared(model: &Model) -> impl Iterator<Item = &str> {
    let globals = model.globals.iter().flat_map(|global| global.name().into_iter().chain(global.constants()));
    let agents = model.agents.iter().map(|agent| &agent.name);
    let variables = walk::variables(model).map(|variable| &variable.name);
    globals.chain(agents).chain(variables).map(|name| name.name.as_str())
}
