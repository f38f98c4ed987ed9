//! Whether what a scheme says is about all members of a family alike, and about how many of them at once.
//!
//! A proof for all sizes ([`crate::check::sizes`]) needs to know of a spec which quantifiers over families of any size
//! it has, all of them "for all", and that nothing depends on the number of members, or singles one of them out.

use super::Scheme;
use crate::source::Span;
use crate::syntax::ast::{
    Action, Aggregate, BinaryOp, Expr, ExprKind, Global, Ident, Modality, Model, Quantifier, SupplyTarget, UnaryOp,
};
use crate::syntax::walk;
use std::fmt;

/// The families that a quantified variable may range over, beside agents that every instance has.
pub type Families = Vec<usize>;

/// Universally quantified variables, all at once.
pub type Variables = Vec<Families>;

/// What a formula says of families of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The quantified variables of each of its conjuncts.
    pub conjuncts: Vec<Variables>,
    /// For each family, the largest number of a member that it names; 0 if it names none.
    pub named: Vec<u32>,
}

/// Why a proof for all sizes is out of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Something outside of the specs names a member of a family.
    NamesMember(String, Span),
    /// A quantifier that is true because of some agent.
    Exists(Span),
    /// A sum, a count or the number of instances.
    Counts(Span),
    /// A quantifier where it is read as true and as false, or within a choice of other agents.
    Mixed(Span),
    /// Some step is possible, or none.
    Deadlock,
    /// An observation that ranges over all locations.
    Locations,
    /// A property that is not about all states and single steps.
    NotOfSteps,
    /// A check of commands.
    Check,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Obstacle::NamesMember(name, _) => {
                write!(f, "`{name}`, a member of a family of any size, is named outside of the specs")
            }
            Obstacle::Exists(_) => write!(f, "it says that some agent exists"),
            Obstacle::Counts(_) => write!(f, "it depends on the number of agents"),
            Obstacle::Mixed(_) => write!(f, "a quantifier stands where it is read both as true and as false"),
            Obstacle::Deadlock => write!(f, "it is about `deadlock`, that is about all agents at once"),
            Obstacle::Locations => write!(f, "an observation ranges over all locations"),
            Obstacle::NotOfSteps => {
                write!(f, "it is not of the form `G f`, where f is about a state and the step from there")
            }
            Obstacle::Check => write!(f, "checks are about one size"),
        }
    }
}

impl std::error::Error for Obstacle {}

impl Scheme {
    /// Whether all members of each family of any size behave alike, in systems of all sizes: nothing but specs names
    /// one of them, or depends on their number, and what restricts the initial states restricts those of fewer agents.
    pub fn is_uniform(&self) -> Result<(), Obstacle> {
        let tree = self.tree();
        let reader = Reader::new(tree);
        let mut outcome = Ok(());
        reader.outside_of_specs(&mut |expr| {
            walk::nested(expr, &mut |part| outcome = outcome.clone().and_then(|()| reader.same_for_all(part)));
        });
        for agent in &tree.agents {
            walk::commands(&agent.process, &mut |command| {
                if let Action::Supply { to: SupplyTarget::Name(name), .. } = &command.action {
                    outcome = outcome.clone().and_then(|()| reader.names_no_member(name));
                }
            });
        }
        outcome?;
        tree.restriction.as_ref().map_or(Ok(()), |restriction| reader.variables(restriction, true).map(drop))
    }

    /// What a spec says of families.
    pub fn shape(&self, spec: usize) -> Result<Shape, Obstacle> {
        let reader = Reader::new(self.tree());
        let formula = &self.tree().specs.get(spec).ok_or(Obstacle::Check)?.formula;
        let (mut named, mut outcome) = (vec![0; reader.families.len()], Ok(()));
        walk::nested(formula, &mut |part| {
            if let Some((family, number)) = name_in(part).and_then(|name| reader.member(&name.name)) {
                named[family] = named[family].max(number);
            }
            outcome = outcome.clone().and_then(|()| reader.does_not_count(part));
        });
        outcome?;
        Ok(Shape { conjuncts: reader.variables(formula, true)?, named })
    }
}

/// For each family of any size, the largest number of a member that a tree names; 0 if it names none.
pub fn named_members(tree: &Model) -> Vec<u32> {
    let reader = Reader::new(tree);
    let mut named = vec![0; reader.families.len()];
    walk::expressions(tree, &mut |expr| {
        walk::nested(expr, &mut |part| {
            if let Some((family, number)) = name_in(part).and_then(|name| reader.member(&name.name)) {
                named[family] = named[family].max(number);
            }
        });
    });
    named
}

/// The name that an expression consists of, or begins with.
fn name_in(expr: &Expr) -> Option<Ident> {
    match &expr.kind {
        ExprKind::Name(name) => Some(Ident { name: name.clone(), span: expr.span }),
        ExprKind::Member { owner, .. } => Some(owner.clone()),
        _ => None,
    }
}

/// The families of any size of a tree.
struct Reader<'a> {
    tree: &'a Model,
    /// Their names and agent types.
    families: Vec<(&'a str, &'a str)>,
}

/// More conjuncts than these are taken for one.
const MOST_CONJUNCTS: usize = 100;

impl<'a> Reader<'a> {
    fn new(tree: &'a Model) -> Reader<'a> {
        let families = tree.system.iter().filter(|instance| instance.any_size().is_some());
        Reader { tree, families: families.map(|it| (it.name.name.as_str(), it.agent.name.as_str())).collect() }
    }

    /// The family of a member, and its number.
    fn member(&self, name: &str) -> Option<(usize, u32)> {
        let number = |family: &str| {
            let digits = name.strip_prefix(family)?;
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        self.families.iter().enumerate().find_map(|(family, (name, _))| Some((family, number(name)?)))
    }

    fn outside_of_specs(&self, visit: &mut dyn FnMut(&Expr)) {
        let without_specs = Model { specs: Vec::new(), ..self.tree.clone() };
        walk::expressions(&without_specs, visit);
    }

    fn same_for_all(&self, expr: &Expr) -> Result<(), Obstacle> {
        name_in(expr).map_or(Ok(()), |name| self.names_no_member(&name))?;
        self.does_not_count(expr)
    }

    fn names_no_member(&self, name: &Ident) -> Result<(), Obstacle> {
        match self.member(&name.name) {
            Some(_) => Err(Obstacle::NamesMember(name.name.clone(), name.span)),
            None => Ok(()),
        }
    }

    /// That an expression does not depend on how many members there are.
    fn does_not_count(&self, expr: &Expr) -> Result<(), Obstacle> {
        let counts = match &expr.kind {
            ExprKind::Call { callee, arguments } => {
                let is_guard = |global: &Global| matches!(global, Global::Guard(guard) if guard.name == *callee);
                let argument = arguments.first().and_then(name_in);
                let grows = argument.is_some_and(|agent| !self.ranging(&[agent]).is_empty());
                callee.name == "size" && !self.tree.globals.iter().any(is_guard) && grows
            }
            ExprKind::Aggregate { aggregate: Aggregate::Sum | Aggregate::Count, domain, .. } => {
                !self.ranging(domain).is_empty()
            }
            _ => false,
        };
        if counts { Err(Obstacle::Counts(expr.span)) } else { Ok(()) }
    }

    /// The families whose members are among the instances of some agent types.
    fn ranging(&self, domain: &[Ident]) -> Families {
        let is_meant = |agent: &str| domain.iter().any(|name| name.name == agent || name.name == "Agent");
        (0..self.families.len()).filter(|&family| is_meant(self.families[family].1)).collect()
    }

    fn quantifies(&self, expr: &Expr) -> bool {
        let mut found = false;
        walk::nested(expr, &mut |part| {
            found |= matches!(&part.kind, ExprKind::Quantified { domain, .. } if !self.ranging(domain).is_empty());
        });
        found
    }

    /// The variables of each conjunct of a formula, or of its negation. All of them are "for all".
    fn variables(&self, expr: &Expr, truth: bool) -> Result<Vec<Variables>, Obstacle> {
        match &expr.kind {
            ExprKind::Quantified { quantifier, domain, body, .. } => {
                let (families, is_universal) = (self.ranging(domain), (*quantifier == Quantifier::Forall) == truth);
                if !is_universal && !families.is_empty() {
                    return Err(Obstacle::Exists(expr.span));
                }
                if !is_universal && self.quantifies(body) {
                    return Err(Obstacle::Mixed(expr.span));
                }
                let mut conjuncts = self.variables(body, truth)?;
                if !families.is_empty() {
                    conjuncts.iter_mut().for_each(|variables| variables.push(families.clone()));
                }
                Ok(conjuncts)
            }
            ExprKind::Unary(UnaryOp::Not, inner) => self.variables(inner, !truth),
            ExprKind::Unary(_, inner) => self.variables(inner, truth),
            ExprKind::Binary(op, left, right) => match op {
                BinaryOp::And if truth => self.both(left, right, truth),
                BinaryOp::Or if !truth => self.both(left, right, truth),
                BinaryOp::Implies if !truth => {
                    Ok([self.variables(left, true)?, self.variables(right, false)?].concat())
                }
                BinaryOp::Implies => Ok(joined(&self.variables(left, false)?, &self.variables(right, true)?)),
                BinaryOp::And | BinaryOp::Or | BinaryOp::Until | BinaryOp::WeakUntil | BinaryOp::Release => {
                    Ok(joined(&self.variables(left, truth)?, &self.variables(right, truth)?))
                }
                _ => self.without_quantifiers(expr),
            },
            ExprKind::Observe { modality, observation, body } => {
                let observed = self.variables(observation, (*modality == Modality::Possible) == truth)?;
                Ok(joined(&observed, &self.variables(body, truth)?))
            }
            _ => self.without_quantifiers(expr),
        }
    }

    fn both(&self, left: &Expr, right: &Expr, truth: bool) -> Result<Vec<Variables>, Obstacle> {
        Ok([self.variables(left, truth)?, self.variables(right, truth)?].concat())
    }

    fn without_quantifiers(&self, expr: &Expr) -> Result<Vec<Variables>, Obstacle> {
        if self.quantifies(expr) { Err(Obstacle::Mixed(expr.span)) } else { Ok(vec![Variables::new()]) }
    }
}

/// The conjuncts of a disjunction.
fn joined(left: &[Variables], right: &[Variables]) -> Vec<Variables> {
    if left.len() * right.len() > MOST_CONJUNCTS {
        // Whoever speaks of more agents at once speaks of fewer, too.
        return vec![left.iter().chain(right).flatten().cloned().collect()];
    }
    left.iter().flat_map(|one| right.iter().map(move |other| [&one[..], other].concat())).collect()
}
