//! Assumptions (`docs/fairness.md`): formulas that restrict the runs which specs talk about, above all those of fairness.
//!
//! Assumptions become part of the formula ([`Under::formula`]), so that engines, checks and exports know formulas only.
//! `--fair` is recorded among the constants; so certificates, traces and records keep it.

use super::formula::{StateLeaf, Strength};
use super::written::Written;
use super::{Agent, EdgeId, Expr, Formula, InstanceId, Model};
use crate::source::Span;
pub use crate::syntax::ast::Fairness;

/// The actor that an assumption of fairness is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// An instance, with all that it can begin: its sends, gets and supplies.
    Instance(InstanceId),
    /// One of these commands.
    Command(InstanceId, EdgeId),
}

impl Agent {
    /// Its commands that are no receives.
    pub fn initiatives(&self) -> impl Iterator<Item = EdgeId> {
        let is_initiative = |edge: &EdgeId| self.edges[edge.index()].action.kind().initiates();
        (0..self.edges.len() as u32).map(EdgeId).filter(is_initiative)
    }
}

impl Actor {
    /// The instance.
    pub fn instance(self) -> InstanceId {
        match self {
            Actor::Instance(instance) | Actor::Command(instance, _) => instance,
        }
    }

    /// The commands.
    pub fn commands(self, model: &Model) -> Vec<EdgeId> {
        match self {
            Actor::Instance(instance) => model.agent_of(instance).initiatives().collect(),
            Actor::Command(_, edge) => vec![edge],
        }
    }

    /// `enabled(x)`
    pub fn enabled(self) -> StateLeaf {
        match self {
            Actor::Instance(instance) => StateLeaf::Enabled(instance, None),
            Actor::Command(instance, edge) => StateLeaf::Enabled(instance, Some(edge)),
        }
    }

    /// `acts(x)`
    pub fn acts(self, model: &Model) -> Formula {
        let labels = self.commands(model).into_iter().map(|edge| Formula::Label(self.instance(), edge));
        let mut labels: Vec<Formula> = labels.collect();
        if labels.len() == 1 { labels.remove(0) } else { Formula::Or(labels) }
    }

    /// `weak(x)` or `strong(x)`
    pub fn is_treated(self, fairness: Fairness, model: &Model) -> Formula {
        let again_and_again = |inner: Formula| inner.finally().globally();
        let (enabled, acts) = (Expr::Leaf(self.enabled()), self.acts(model));
        match fairness {
            Fairness::Weak => {
                let idle = Formula::Atom(Expr::Not(Box::new(enabled)));
                again_and_again(Formula::Or(vec![idle, acts]))
            }
            Fairness::Strong => again_and_again(Formula::Atom(enabled)).implies(again_and_again(acts)),
        }
    }
}

impl Formula {
    /// The actor that it treats fairly, and how, if it is [`Actor::is_treated`] of some agent.
    pub fn fairness(&self, model: &Model) -> Option<(Actor, Fairness)> {
        let (enabled, fairness) = match self.written() {
            Written::Implies(request, _) => {
                let Formula::Atom(enabled) = request.recurring(true)? else { return None };
                (enabled, Fairness::Strong)
            }
            _ => {
                let Formula::Or(parts) = self.recurring(true)? else { return None };
                let Formula::Atom(Expr::Not(enabled)) = parts.first()? else { return None };
                (&**enabled, Fairness::Weak)
            }
        };
        let Expr::Leaf(StateLeaf::Enabled(instance, command)) = enabled else { return None };
        let actor = command.map_or(Actor::Instance(*instance), |edge| Actor::Command(*instance, edge));
        (actor.is_treated(fairness, model) == *self).then_some((actor, fairness))
    }

    /// True if it says of some instances or commands that they are treated fairly, and nothing else. Then each beginning of
    /// a run goes on in some way that makes it true, as a scheduler can be fair to all.
    pub fn is_fairness(&self, model: &Model) -> bool {
        if let Formula::And(list) = self {
            return list.iter().all(|part| part.is_fairness(model));
        }
        self.fairness(model).is_some()
    }

    /// The agent that acts, if it is `acts(i)` of an instance with several commands.
    pub fn acting(&self, model: &Model) -> Option<InstanceId> {
        let Formula::Or(parts) = self else { return None };
        let Formula::Label(instance, _) = parts.first()? else { return None };
        (Actor::Instance(*instance).acts(model) == *self).then_some(*instance)
    }

    /// True if its operators show that a beginning of each run that makes it false does so whatever follows; or, if not
    /// `truth`, of each run that makes it true.
    pub fn is_safety(&self, truth: bool) -> bool {
        match self {
            Formula::Atom(_) | Formula::Label(..) | Formula::Observed(_) | Formula::Branching(_) => true,
            Formula::Not(inner) => inner.is_safety(!truth),
            Formula::And(list) | Formula::Or(list) => list.iter().all(|part| part.is_safety(truth)),
            Formula::Iff(left, right) => {
                [left, right].into_iter().all(|side| side.is_safety(true) && side.is_safety(false))
            }
            Formula::Next(inner) => inner.is_safety(truth),
            Formula::Until(strength, left, right) => {
                truth == (*strength == Strength::Weak) && left.is_safety(truth) && right.is_safety(truth)
            }
        }
    }
}

/// A condition on the runs that a spec talks about.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumption {
    /// The formula that they satisfy.
    pub formula: Formula,
    /// The place of the assumption; none if it is made for all specs.
    pub span: Span,
}

/// A spec under assumptions.
#[derive(Clone, Debug, PartialEq)]
pub struct Under {
    /// The assumptions.
    pub assumptions: Vec<Assumption>,
    /// The formula that it says of the runs that satisfy all of them.
    pub claimed: Formula,
}

impl Under {
    /// The condition on all runs: each conjunct of the claim, if the assumptions are true.
    ///
    /// A safety property does not depend on assumptions that are nothing but fairness: if a run violates it, a beginning
    /// of the run shows that, and goes on fairly on some other run. So it stands alone. `docs/fairness.md` has the proof.
    pub fn formula(&self, model: &Model) -> Formula {
        let assumed = self.assumed();
        let claimed = if self.claimed.is_branching() { &self.claimed.among(&assumed) } else { &self.claimed };
        self.assuming(claimed, assumed.is_fairness(model))
    }

    /// All assumptions in one.
    pub fn assumed(&self) -> Formula {
        Formula::And(self.assumptions.iter().map(|assumption| assumption.formula.clone()).collect())
    }

    fn assuming(&self, claimed: &Formula, is_fairness: bool) -> Formula {
        match claimed.written() {
            Written::And(list) => Formula::And(list.into_iter().map(|part| self.assuming(part, is_fairness)).collect()),
            _ if is_fairness && claimed.is_safety(true) => claimed.clone(),
            _ => self.assumed().implies(claimed.clone()),
        }
    }
}
