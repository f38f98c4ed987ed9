//! Decides if what a scheme says is about all members of a family alike, and about how many of them at once.
//!
//! A proof for all sizes ([`crate::check::sizes`]) needs to know of a spec which quantifiers over families of any size
//! it has, all of them "for all", and that nothing depends on the number of members, or singles one of them out.

use super::Scheme;
use crate::source::Span;
use crate::syntax::ast::sized_types;
use crate::syntax::ast::{
    AnySize, BinaryOp, Expr, ExprKind, Global, Ident, Instance, Modality, Model, Quantifier, UnaryOp, shared_channel,
};
use crate::syntax::walk;
use std::fmt;

/// The families that a quantified variable may range over, beside agents that every instance has.
pub type Families = Vec<usize>;

/// Universally quantified variables, all at once.
pub type Variables = Vec<Families>;

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
    /// It may be true because no step is possible.
    Deadlock,
    /// It reads who can act.
    Enabled,
    /// Other runs, or what some agent knows.
    Branching,
    /// An observation that ranges over all locations.
    Locations,
    /// A property that is not about all states and single steps.
    NotOfSteps,
    /// A sum that changes by what agents receive who take no part in a step.
    Received,
    /// A channel that is said to be one agent's own is another one's, too.
    SharedChannel(String),
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
            Obstacle::Received => write!(f, "it counts or sums up what agents change when they receive a message"),
            Obstacle::Mixed(_) => write!(f, "a quantifier stands where it is read both as true and as false"),
            Obstacle::Deadlock => write!(f, "it is true because of a `deadlock`, that is about all agents at once"),
            Obstacle::Enabled => write!(f, "it reads `enabled`, that is about all agents at once"),
            Obstacle::Branching => write!(f, "it is about other runs or knowledge, which all reachable states decide"),
            Obstacle::Locations => write!(f, "an observation ranges over all locations"),
            Obstacle::NotOfSteps => {
                write!(f, "it is not of the form `G f`, where f is about a state and the step from there")
            }
            Obstacle::SharedChannel(name) => write!(f, "the channel `{name}` is not one agent's own"),
            Obstacle::Check => write!(f, "checks are about one size"),
        }
    }
}

impl std::error::Error for Obstacle {}

impl Scheme {
    /// True if all members of each family of any size behave alike, in systems of all sizes: nothing but specs names
    /// one of them, or depends on their number.
    pub fn is_uniform(&self) -> Result<(), Obstacle> {
        let tree = self.tree();
        let reader = SpecReader::new(tree);
        let mut outcome = Ok(());
        walk::outside_of_formulas(tree, &mut |expr| {
            walk::nested(expr, &mut |part| outcome = outcome.clone().and_then(|()| reader.same_for_all(part)));
        });
        for agent in &tree.agents {
            walk::commands(&agent.process, &mut |command| {
                let named = command.action.getter().map_or(Ok(()), |name| reader.names_no_member(name));
                outcome = outcome.clone().and(named);
            });
        }
        outcome?;
        match shared_channel(tree.system.iter().filter_map(Instance::any_size)) {
            Some(channel) => Err(Obstacle::SharedChannel(channel.to_owned())),
            None => Ok(()),
        }
    }

    /// The rest of `where` in part of an instance: the conjuncts that are about any members alike, "for all", also
    /// those that count if they are wanted. Without the others there are more initial states, so that proofs are about
    /// more runs.
    pub(super) fn restriction_of_parts(&self, counts: bool) -> Option<Expr> {
        let reader = SpecReader::new(self.tree());
        let conjuncts = self.tree().restriction.iter().flat_map(walk::conjuncts);
        let is_kept = |conjunct: &Expr| {
            let mut outcome = reader.variables(conjunct, true).map(drop);
            walk::nested(conjunct, &mut |part| {
                let named = || name_in(part).map_or(Ok(()), |name| reader.names_no_member(&name));
                outcome = outcome.clone().and_then(|()| named()).and_then(|()| reader.counts_alone(part));
            });
            outcome.is_ok()
        };
        let is_wanted = |conjunct: &Expr| {
            let mut sums = Vec::new();
            reader.aggregates(conjunct, &mut sums);
            counts || sums.is_empty()
        };
        let kept = conjuncts.map(|conjunct| reader.counted(conjunct, Some(true)));
        let kept = kept.filter(|conjunct| is_kept(conjunct) && is_wanted(conjunct));
        kept.reduce(|left, right| {
            let span = left.span.to(right.span);
            Expr::in_parentheses(ExprKind::Binary(BinaryOp::And, left.into(), right.into()), span)
        })
    }

    /// The quantified variables of each conjunct of a spec that range over families of any size.
    pub fn conjuncts(&self, spec: usize) -> Result<Vec<Variables>, Obstacle> {
        let reader = SpecReader::new(self.tree());
        let formula = self.counted(&self.tree().specs.get(spec).ok_or(Obstacle::Check)?.formula);
        let mut outcome = Ok(());
        walk::nested(&formula, &mut |part| outcome = outcome.clone().and_then(|()| reader.counts_alone(part)));
        outcome?;
        reader.variables(&formula, true)
    }

    /// A formula as open instances read it: with counts in place of "some agent exists" and of sizes.
    pub(super) fn counted(&self, formula: &Expr) -> Expr {
        SpecReader::new(self.tree()).counted(formula, Some(true))
    }

    /// The expressions that are summed up over families in the specs and `where` of a tree.
    pub(super) fn sums(&self, tree: &Model) -> Vec<Expr> {
        let reader = SpecReader::new(self.tree());
        let mut sums = Vec::new();
        tree.restriction.iter().for_each(|restriction| reader.aggregates(restriction, &mut sums));
        tree.specs.iter().for_each(|spec| reader.aggregates(&spec.formula, &mut sums));
        sums
    }
}

/// For each family of any size, the largest number of a member that a tree names; 0 if it names none.
pub fn named_members(tree: &Model) -> Vec<u32> {
    let reader = SpecReader::new(tree);
    let mut named = vec![0; reader.families.len()];
    if !named.is_empty() {
        walk::expressions(tree, &mut |expr| reader.note_named(expr, &mut named));
    }
    named
}

/// The same of a formula.
pub fn named_in(tree: &Model, formula: &Expr) -> Vec<u32> {
    let reader = SpecReader::new(tree);
    let mut named = vec![0; reader.families.len()];
    reader.note_named(formula, &mut named);
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
pub(super) struct SpecReader<'a> {
    pub(super) tree: &'a Model,
    families: Vec<Named<'a>>,
}

/// The names of members of a family, or of their own channels.
struct Named<'a> {
    name: &'a str,
    agent: &'a str,
    size: &'a AnySize,
}

impl Named<'_> {
    /// The number of the member that a name stands for.
    fn member(&self, name: &str) -> Option<u32> {
        let number = self.size.number(self.name, name).and_then(|number| u32::try_from(number).ok());
        number.or_else(|| {
            let mut own = self.size.own.iter().map(|own| own.of.channels());
            let place = own.find_map(|channels| channels.iter().position(|channel| channel == name))?;
            u32::try_from(place + 1).ok()
        })
    }
}

/// More conjuncts than these are taken for one.
const MOST_CONJUNCTS: usize = 100;

impl<'a> SpecReader<'a> {
    pub(super) fn new(tree: &'a Model) -> SpecReader<'a> {
        let family = |instance: &'a Instance| {
            let (name, agent) = (instance.name.name.as_str(), instance.agent.name.as_str());
            instance.any_size().map(|size| Named { name, agent, size })
        };
        SpecReader { tree, families: tree.system.iter().filter_map(family).collect() }
    }

    /// The family of a member, and its number.
    pub(super) fn member(&self, name: &str) -> Option<(usize, u32)> {
        self.families.iter().enumerate().find_map(|(family, named)| Some((family, named.member(name)?)))
    }

    /// An agent that is not noted here, though named, is unknown in smaller instances, which then have errors; a quantified
    /// variable of such a name is no agent.
    fn note_named(&self, expr: &Expr, named: &mut [u32]) {
        let mut bound: Vec<String> = Vec::new();
        walk::nested(expr, &mut |part| match &part.kind {
            ExprKind::Quantified { variable, .. } | ExprKind::Aggregate { variable, .. } => {
                bound.push(variable.name.clone());
            }
            _ => {}
        });
        walk::nested(expr, &mut |part| {
            let name = name_in(part).filter(|name| !bound.contains(&name.name));
            if let Some((family, number)) = name.and_then(|name| self.member(&name.name)) {
                named[family] = named[family].max(number);
            }
        });
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
        match &expr.kind {
            ExprKind::Aggregate { domain, .. } if !self.ranging(domain).is_empty() => Err(Obstacle::Counts(expr.span)),
            _ if self.is_size_of_family(expr) => Err(Obstacle::Counts(expr.span)),
            _ => Ok(()),
        }
    }

    /// The same but for sums of what is about one member alone.
    fn counts_alone(&self, expr: &Expr) -> Result<(), Obstacle> {
        match &expr.kind {
            ExprKind::Aggregate { variable, domain, body, .. } if self.is_countable(variable, domain, body) => Ok(()),
            _ => self.does_not_count(expr),
        }
    }

    /// True if an expression is the number of instances of a type that families have.
    pub(super) fn is_size_of_family(&self, expr: &Expr) -> bool {
        let ExprKind::Call { callee, arguments } = &expr.kind else { return false };
        let is_guard = |global: &Global| matches!(global, Global::Guard(guard) if guard.name == *callee);
        let types = arguments.first().and_then(sized_types);
        let grows = types.is_some_and(|types| !self.ranging(&types).is_empty());
        callee.name == "size" && !self.tree.globals.iter().any(is_guard) && grows
    }

    /// The families whose members are among the instances of some agent types.
    pub(super) fn ranging(&self, domain: &[Ident]) -> Families {
        let is_meant = |agent: &str| domain.iter().any(|name| name.name == agent || name.name == "Agent");
        (0..self.families.len()).filter(|&family| is_meant(self.families[family].agent)).collect()
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
            // For each agent, sooner or later something is true: not sooner or later for all of them.
            ExprKind::Unary(op, inner) if is_awaited(*op, truth) => self.without_quantifiers(inner),
            ExprKind::Unary(_, inner) => self.variables(inner, truth),
            ExprKind::Binary(op, left, right) => match op {
                BinaryOp::And if truth => self.both(left, right, truth),
                BinaryOp::Or if !truth => self.both(left, right, truth),
                BinaryOp::Implies if !truth => {
                    Ok([self.variables(left, true)?, self.variables(right, false)?].concat())
                }
                BinaryOp::Implies => Ok(joined(&self.variables(left, false)?, &self.variables(right, true)?)),
                op if op.is_temporal() || matches!(op, BinaryOp::And | BinaryOp::Or) => {
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

/// True if what an operator is about is waited for, if it has to be true, or false.
pub(super) fn is_awaited(op: UnaryOp, truth: bool) -> bool {
    op == if truth { UnaryOp::Finally } else { UnaryOp::Globally }
}

/// The conjuncts of a disjunction.
fn joined(left: &[Variables], right: &[Variables]) -> Vec<Variables> {
    if left.len() * right.len() > MOST_CONJUNCTS {
        // A spec that speaks of more agents at once speaks of fewer, too.
        return vec![left.iter().chain(right).flatten().cloned().collect()];
    }
    left.iter().flat_map(|one| right.iter().map(move |other| [&one[..], other].concat())).collect()
}
