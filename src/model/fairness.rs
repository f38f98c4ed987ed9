//! Assumptions of fairness (LANGUAGE, section 8): formulas of a fixed form over what somebody can do and does.

use super::formula::StateLeaf;
use super::{Action, Agent, EdgeId, Expr, Formula, InstanceId, Model};

/// Whom an assumption of fairness is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// An instance, with all that it can begin: its sends, gets and supplies.
    Instance(InstanceId),
    /// One of these commands.
    Command(InstanceId, EdgeId),
}

/// What is assumed of somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fairness {
    /// Who can act all the time does so again and again.
    Weak,
    /// Who can act again and again does so again and again.
    Strong,
}

impl Fairness {
    /// What it is called in formulas.
    pub fn word(self) -> &'static str {
        match self {
            Fairness::Weak => "weak",
            Fairness::Strong => "strong",
        }
    }
}

impl Agent {
    /// Its commands that are no receives.
    pub fn initiatives(&self) -> impl Iterator<Item = EdgeId> {
        let is_initiative = |edge: &EdgeId| !matches!(self.edges[edge.index()].action, Action::Receive { .. });
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
    pub fn enabled(self) -> Formula {
        let command = match self {
            Actor::Instance(_) => None,
            Actor::Command(_, edge) => Some(edge),
        };
        Formula::Atom(Expr::Leaf(StateLeaf::Enabled(self.instance(), command)))
    }

    /// `acts(x)`
    pub fn acts(self, model: &Model) -> Formula {
        let label = |edge| Formula::Label(self.instance(), edge);
        match self {
            Actor::Instance(_) => Formula::Or(self.commands(model).into_iter().map(label).collect()),
            Actor::Command(_, edge) => label(edge),
        }
    }

    /// `weak(x)` or `strong(x)`
    pub fn is_treated(self, fairness: Fairness, model: &Model) -> Formula {
        let again_and_again = |inner| Formula::Globally(Box::new(Formula::Finally(Box::new(inner))));
        let (enabled, acts) = (self.enabled(), self.acts(model));
        match fairness {
            Fairness::Weak => again_and_again(Formula::Or(vec![Formula::Not(Box::new(enabled)), acts])),
            Fairness::Strong => Formula::Implies(Box::new(again_and_again(enabled)), Box::new(again_and_again(acts))),
        }
    }
}

impl Formula {
    /// Whom it treats how, if it is [`Actor::is_treated`] of somebody.
    pub fn fairness(&self, model: &Model) -> Option<(Actor, Fairness)> {
        let (enabled, fairness) = match self {
            Formula::Globally(inner) => match &**inner {
                Formula::Finally(inner) => match &**inner {
                    Formula::Or(parts) => match parts.first()? {
                        Formula::Not(enabled) => (&**enabled, Fairness::Weak),
                        _ => return None,
                    },
                    _ => return None,
                },
                _ => return None,
            },
            Formula::Implies(condition, _) => match &**condition {
                Formula::Globally(inner) => match &**inner {
                    Formula::Finally(enabled) => (&**enabled, Fairness::Strong),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        let actor = enabled.enabled_actor()?;
        (actor.is_treated(fairness, model) == *self).then_some((actor, fairness))
    }

    /// Who is meant, if it is `enabled(x)`.
    pub fn enabled_actor(&self) -> Option<Actor> {
        match self {
            Formula::Atom(Expr::Leaf(StateLeaf::Enabled(instance, None))) => Some(Actor::Instance(*instance)),
            Formula::Atom(Expr::Leaf(StateLeaf::Enabled(instance, Some(edge)))) => {
                Some(Actor::Command(*instance, *edge))
            }
            _ => None,
        }
    }

    /// Who acts, if it is `acts(i)` of an instance.
    pub fn acting(&self, model: &Model) -> Option<InstanceId> {
        let Formula::Or(parts) = self else { return None };
        let Formula::Label(instance, _) = parts.first()? else { return None };
        (Actor::Instance(*instance).acts(model) == *self).then_some(*instance)
    }
}
