//! Uniform strategies: what the members of a group decide in each of their local states, and the model in which they do
//! only that (`docs/strategies.md`).
//!
//! A member offers a set of its commands, in each of its local states; where several of its receives (or supplies) are ready for a
//! message, it takes one of those that it decided for. A strategy lists what is refused; all else is offered. Whatever is
//! refused stands in the guards of a copy of the agent type, so that the outcome of a strategy is an ordinary model.

use super::branching::{Branching, Information, Operator};
use super::checks::substitute::substituted;
use super::eval::SeenMessage;
use super::fairness::Assumption;
use super::formula::StateLeaf;
use super::written::Written;
use super::{
    Action, Agent, AgentId, BinaryOp, CommandKind, CommandLeaf, EdgeId, Expr, Formula, InstanceId, LocalId, MessageId,
    Model, Spec, Value,
};
use crate::source::Span;
use std::collections::BTreeSet;

/// What the members of a group refuse; all else they offer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strategy {
    /// The commands that they do not offer.
    pub refusals: Vec<Refusal>,
    /// The commands by which they do not take a message, in one local state each.
    pub takes: Vec<Decision>,
}

/// A command that an agent does not offer under a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The agent.
    pub member: InstanceId,
    /// Its command.
    pub edge: EdgeId,
    /// The condition, on the locals of the agent.
    pub when: Expr<StateLeaf>,
}

/// One decision of a member: about one command in one local state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Decision {
    /// The agent.
    pub member: InstanceId,
    /// Its command, which knows the automaton state.
    pub edge: EdgeId,
    /// The values of its locals.
    pub locals: Vec<Value>,
    /// Of a command that takes a message, that message, as the agent sees it.
    pub message: Option<SeenMessage>,
}

/// `can(g, f)` at the beginning of a spec, where one strategy has to do for all initial states.
#[derive(Clone, Debug, PartialEq)]
pub struct Beginning {
    /// The formula.
    pub can: Branching,
    /// The conditions to the left of `->` on the initial states that count.
    pub given: Vec<Expr<StateLeaf>>,
}

impl Beginning {
    /// The group.
    pub fn group(&self) -> &[InstanceId] {
        self.can.operator.group()
    }
}

/// The operator `can`.
fn is_can(branching: &Branching) -> bool {
    matches!(branching.operator, Operator::Strategy(Information::Own, _))
}

impl Formula {
    /// Each `can(g, f)` at its beginning: outside of them are connectives and path quantifiers only.
    pub fn beginnings(&self) -> Vec<Beginning> {
        let mut list = Vec::new();
        self.at_the_beginning(&[], &mut |beginning| {
            if !list.contains(&beginning) {
                list.push(beginning);
            }
            Formula::TRUE
        });
        list
    }

    /// With their truth in place of them; those that stand in other places stay.
    pub fn with_beginnings(&self, truth: &dyn Fn(&Beginning) -> bool) -> Formula {
        self.at_the_beginning(&[], &mut |beginning| Formula::Atom(Expr::Const(Value::Bool(truth(&beginning)))))
    }

    fn at_the_beginning(&self, given: &[Expr<StateLeaf>], other: &mut dyn FnMut(Beginning) -> Formula) -> Formula {
        match self.written() {
            Written::Branching(branching) if is_can(branching) => {
                other(Beginning { can: branching.clone(), given: given.to_vec() })
            }
            Written::Branching(branching) if matches!(branching.operator, Operator::All | Operator::Some) => {
                let body = branching.body.at_the_beginning(given, other);
                Formula::Branching(Box::new(Branching { body, ..branching.clone() }))
            }
            Written::Implies(condition, claim) => {
                let is_of_outcome = |leaf: &StateLeaf| matches!(leaf, StateLeaf::Deadlock | StateLeaf::Enabled(..));
                let inner = match condition.as_state_expr().filter(|condition| !condition.any_leaf(is_of_outcome)) {
                    Some(condition) => &[given, &[condition]].concat(),
                    None => given,
                };
                let condition = condition.at_the_beginning(given, other);
                condition.implies(claim.at_the_beginning(inner, other))
            }
            Written::Not(_) | Written::And(_) | Written::Or(_) | Written::Iff(..) => {
                self.with_operands(&mut |part| part.at_the_beginning(given, other))
            }
            Written::Atom(_)
            | Written::Label(..)
            | Written::Observed(_)
            | Written::Next(_)
            | Written::Finally(_)
            | Written::Globally(_)
            | Written::Until(..)
            | Written::WeakUntil(..)
            | Written::Release(..)
            | Written::Possible(..)
            | Written::Necessary(..)
            | Written::Branching(_) => self.clone(),
        }
    }
}

impl Model {
    /// The outcome of a strategy, as a model: members do only what it offers. The only spec is what the group is to bring about, with
    /// conditions on states in place of the branching formulas inside.
    pub fn outcome(&self, beginning: &Beginning, inner: &[(Branching, Expr<StateLeaf>)], strategy: &Strategy) -> Model {
        let condition = |branching: &Branching| {
            let known = inner.iter().find(|(other, _)| other == branching);
            known.map(|(_, condition)| Formula::Atom(condition.clone()))
        };
        let body = beginning.can.body.with_parts(&|part| match part {
            Formula::Branching(branching) => condition(branching),
            _ => None,
        });
        let given = beginning.given.iter().rev().cloned().map(Formula::Atom);
        let claimed = given.fold(body, |claimed, given| given.implies(claimed));
        let assumed = |formula: &Formula| Assumption { formula: formula.clone(), span: Span::default() };
        let assumed: Vec<Assumption> = beginning.can.among.iter().map(assumed).collect();
        let mut model = self.with_specs(vec![Spec::from(claimed).under(self, &assumed)]);
        let members: BTreeSet<InstanceId> = strategy.refusals.iter().map(|refusal| refusal.member).collect();
        let members =
            members.union(&strategy.takes.iter().map(|take| take.member).collect()).copied().collect::<Vec<_>>();
        // Members of one type that decide alike stay alike.
        let mut made: Vec<(AgentId, Vec<Guarded>, AgentId)> = Vec::new();
        for member in members {
            let instance = &mut model.instances[member.index()];
            let refusals = strategy.refusals.iter().filter(|refusal| refusal.member == member);
            let takes = strategy.takes.iter().filter(|take| take.member == member);
            let guarded: Vec<Guarded> = refusals.map(Guarded::offer).chain(takes.map(Guarded::take)).collect();
            let known = made.iter().find(|(of, other, _)| *of == instance.agent && *other == guarded);
            let id = known.map(|(_, _, id)| *id).unwrap_or_else(|| {
                let id = AgentId(model.agents.len() as u32);
                let mut agent = model.agents[instance.agent.index()].clone();
                guarded.iter().for_each(|it| it.strengthen(&mut agent));
                model.agents.push(agent);
                made.push((instance.agent, guarded, id));
                id
            });
            instance.agent = id;
        }
        model
    }

    /// True if a command begins steps, rather than that it takes messages of others.
    pub fn begins(&self, member: InstanceId, edge: EdgeId) -> bool {
        matches!(self.agent_of(member).edges[edge.index()].action.kind(), CommandKind::Send | CommandKind::Get)
    }

    /// True if a condition reads nothing but the locals of an agent.
    pub fn is_decided_by(&self, member: InstanceId, condition: &Expr<StateLeaf>) -> bool {
        !condition.any_leaf(|leaf| !matches!(leaf, StateLeaf::Local(owner, _) if *owner == member))
    }
}

/// What stands in the guard of a command.
#[derive(PartialEq)]
struct Guarded {
    edge: EdgeId,
    refused: Expr<CommandLeaf>,
    reads: Vec<MessageId>,
}

impl Guarded {
    fn offer(refusal: &Refusal) -> Guarded {
        let local = |leaf: &StateLeaf| match leaf {
            StateLeaf::Local(_, local) => Some(Expr::Leaf(CommandLeaf::Local(*local))),
            _ => None,
        };
        let refused = substituted(&refusal.when, &local).expect("it reads locals");
        Guarded { edge: refusal.edge, refused, reads: Vec::new() }
    }

    fn take(take: &Decision) -> Guarded {
        let locals = (0..).map(|index| CommandLeaf::Local(LocalId(index))).zip(&take.locals);
        let data = take.message.iter().flat_map(|message| &message.data);
        let data: Vec<(CommandLeaf, &Value)> =
            data.map(|(message, value)| (CommandLeaf::Message(*message), value)).collect();
        let reads = take.message.iter().flat_map(|message| &message.data).map(|(message, _)| *message).collect();
        let refused = conjunction(locals.chain(data).map(|(leaf, value)| equals(leaf, value)));
        Guarded { edge: take.edge, refused, reads }
    }

    fn strengthen(&self, agent: &mut Agent) {
        let edge = &mut agent.edges[self.edge.index()];
        edge.guard = conjunction([edge.guard.clone(), Expr::Not(Box::new(self.refused.clone()))]);
        edge.reads.extend(&self.reads);
        edge.reads.sort_unstable();
        edge.reads.dedup();
    }
}

fn conjunction<L>(parts: impl IntoIterator<Item = Expr<L>>) -> Expr<L> {
    let parts = parts.into_iter().filter(|part| !matches!(part, Expr::Const(Value::Bool(true))));
    Expr::joined(BinaryOp::And, parts.map(Some)).expect("each part is one")
}

/// `leaf = value`
fn equals<L>(leaf: L, value: &Value) -> Expr<L> {
    match value {
        Value::Bool(true) => Expr::Leaf(leaf),
        Value::Bool(false) => Expr::Not(Box::new(Expr::Leaf(leaf))),
        value => Expr::binary(BinaryOp::Eq, Expr::Leaf(leaf), Expr::Const(value.clone())),
    }
}

impl Strategy {
    /// The strategy that refuses this, and nothing else.
    pub fn refusing<'d>(decisions: impl IntoIterator<Item = &'d Decision>) -> Strategy {
        let mut strategy = Strategy::default();
        for decision in decisions {
            if decision.message.is_some() {
                strategy.takes.push(decision.clone());
                continue;
            }
            let same = |other: &&mut Refusal| (other.member, other.edge) == (decision.member, decision.edge);
            let when = decision.here();
            match strategy.refusals.iter_mut().find(same) {
                Some(known) => known.when = Expr::binary(BinaryOp::Or, known.when.clone(), when),
                None => strategy.refusals.push(Refusal { member: decision.member, edge: decision.edge, when }),
            }
        }
        strategy
    }
}

impl Decision {
    /// That the agent is in this local state, as far as locals tell.
    fn here(&self) -> Expr<StateLeaf> {
        let locals = (0..).map(|index| StateLeaf::Local(self.member, LocalId(index))).zip(&self.locals);
        conjunction(locals.map(|(leaf, value)| equals(leaf, value)))
    }
}

impl Model {
    /// The data that each message has which a command may take; nothing if they are not the same of all.
    pub fn data_taken(&self, member: InstanceId, edge: EdgeId) -> Option<BTreeSet<MessageId>> {
        let taken = &self.agent_of(member).edges[edge.index()].action;
        let may_meet = |action: &Action| match (taken, action) {
            (Action::Receive { channel: here }, Action::Send { channel: there, .. }) => match (here, there) {
                (Expr::Const(here), Expr::Const(there)) => here == there,
                _ => true,
            },
            (Action::Supply { .. }, Action::Get { .. }) => true,
            _ => false,
        };
        let edges = self.instance_ids().flat_map(|other| &self.agent_of(other).edges);
        let mut sets = edges
            .filter(|edge| may_meet(&edge.action))
            .map(|edge| edge.action.data().iter().map(|(message, _)| *message).collect::<BTreeSet<MessageId>>());
        let first = sets.next().unwrap_or_default();
        sets.all(|other| other == first).then_some(first)
    }
}
