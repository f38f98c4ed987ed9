//! Uniform strategies: what the members of a group decide in each of their local states, and the model in which they do
//! only that (`docs/strategies.md`).
//!
//! A member offers a set of its commands, in each of its local states; where several of its receives (or supplies) are ready for a
//! message, it takes one of those that it decided for. A strategy lists what is refused; all else is offered. Whatever is
//! refused stands in the guards of a copy of the agent type, so that the outcome of a strategy is an ordinary model.

use super::branching::{Branching, Information, Operator};
use super::checks::substitute::substituted;
use super::eval::{SeenMessage, State};
use super::fairness::Assumption;
use super::formula::StateLeaf;
use super::joint::{Behaviour, JointLeaf, Possible};
use super::starting::equals;
use super::written::Written;
use super::{
    Action, Agent, AgentId, BinaryOp, CommandKind, CommandLeaf, EdgeId, Expr, Formula, InstanceId, LocalId, MessageId,
    Model, Spec, Value,
};
use crate::source::Span;
use std::collections::BTreeSet;

/// The commands that the members of a group refuse; all others they offer.
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

impl Refusal {
    /// The same of another agent of the type.
    pub fn of(&self, member: InstanceId) -> Refusal {
        let local = |leaf: &StateLeaf| match leaf {
            StateLeaf::Local(_, local) => Some(Expr::Leaf(StateLeaf::Local(member, *local))),
            _ => None,
        };
        let when = substituted(&self.when, &local).expect("it reads locals");
        Refusal { member, when, ..*self }
    }
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
    /// The formulas about states to the left of `->`, for the initial states that count.
    pub given: Vec<Formula>,
}

impl Beginning {
    /// The group.
    pub fn group(&self) -> &[InstanceId] {
        self.can.operator.group()
    }
}

/// The operator `can`, or that protocols can be made deterministic.
fn is_can(branching: &Branching) -> bool {
    matches!(branching.operator, Operator::Strategy(Information::Own | Information::Protocols, _))
}

impl Branching {
    /// True if it says that protocols can be made deterministic.
    pub fn is_about_protocols(&self) -> bool {
        matches!(self.operator, Operator::Strategy(Information::Protocols, _))
    }

    /// Of deterministic protocols, a formula about single runs that the body implies, on each run, in the model with them.
    pub fn of_runs(&self) -> Option<Formula> {
        of_runs(&self.body, self.operator.group())
    }
}

/// With their bodies in place of path quantifiers, and of what agents of a group bring about that have no choice: what is true on all runs
/// from a state is true on each of them. They must not be negated.
fn of_runs(formula: &Formula, group: &[InstanceId]) -> Option<Formula> {
    if !formula.is_branching() {
        return Some(formula.clone());
    }
    let has_no_choice = |members: &[InstanceId]| members.iter().all(|member| group.contains(member));
    match formula.written() {
        Written::Branching(branching) => match &branching.operator {
            Operator::All => of_runs(&branching.body, group),
            Operator::Strategy(Information::Full, members) if has_no_choice(members) => of_runs(&branching.body, group),
            _ => None,
        },
        Written::Implies(condition, claim) if !condition.is_branching() => {
            Some(condition.clone().implies(of_runs(claim, group)?))
        }
        Written::Not(_) | Written::Implies(..) | Written::Iff(..) => None,
        Written::Globally(inner) => Some(of_runs(inner, group)?.globally()),
        Written::Finally(inner) => Some(of_runs(inner, group)?.finally()),
        _ => match formula {
            Formula::And(list) => Some(Formula::And(all_of_runs(list, group)?)),
            Formula::Or(list) => Some(Formula::Or(all_of_runs(list, group)?)),
            Formula::Next(inner) => Some(of_runs(inner, group)?.next()),
            Formula::Until(strength, stays, goal) => {
                let (stays, goal) = (of_runs(stays, group)?, of_runs(goal, group)?);
                Some(Formula::Until(*strength, Box::new(stays), Box::new(goal)))
            }
            _ => None,
        },
    }
}

fn all_of_runs(list: &[Formula], group: &[InstanceId]) -> Option<Vec<Formula>> {
    list.iter().map(|part| of_runs(part, group)).collect()
}

impl Formula {
    /// True if it says what a group can bring about by what its members see.
    pub fn is_about_views(&self) -> bool {
        let mut found = matches!(self, Formula::Branching(branching) if is_can(branching));
        self.for_each_child(&mut |child| found |= child.is_about_views());
        found
    }

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

    /// With their truth in place of them, in the same order; those that stand in other places stay.
    pub fn with_beginnings(&self, truths: &[bool]) -> Formula {
        let beginnings = self.beginnings();
        self.at_the_beginning(&[], &mut |beginning| {
            let place = beginnings.iter().position(|other| *other == beginning).expect("it is one of them");
            Formula::Atom(Expr::Const(Value::Bool(truths[place])))
        })
    }

    /// The formulas about states that have to be known before: each `can(g, f)` in other places than the beginning, and whatever is said of
    /// other runs or of knowledge directly inside of f. Those inside of others come before these, each once.
    pub fn pieces(&self, model: &Model) -> Vec<Branching> {
        let mut list = Vec::new();
        self.at_the_beginning(&[], &mut |beginning| {
            if beginning.can.is_about_protocols() {
                return Formula::TRUE;
            }
            beginning.given.iter().for_each(|given| given.add_pieces(true, &mut list));
            beginning.can.body.add_pieces(true, &mut list);
            let possible = model.restricting(&beginning.can).map(Branching::possible);
            list.extend(possible.filter(|possible| !list.contains(possible)));
            Formula::TRUE
        })
        .add_pieces(false, &mut list);
        list
    }

    /// `all` says that all branching formulas are asked for, rather than `can(g, f)` alone.
    fn add_pieces(&self, all: bool, list: &mut Vec<Branching>) {
        if let Formula::Branching(branching) = self {
            branching.body.add_pieces(is_can(branching), list);
            if (all || is_can(branching)) && !list.contains(branching) {
                list.push((**branching).clone());
            }
            return;
        }
        self.for_each_child(&mut |child| child.add_pieces(all, list));
    }

    /// True if it asks in which states which steps are possible, itself.
    pub fn asks_what_is_possible(&self) -> bool {
        let mut found = false;
        self.for_each_part(&mut |part| {
            if let Formula::Atom(expr) = part {
                found |= expr.any_leaf(|leaf| matches!(leaf, StateLeaf::Deadlock | StateLeaf::Enabled(..)));
            }
            !matches!(part, Formula::Branching(_))
        });
        found
    }

    /// With conditions in place of branching formulas that are known.
    pub fn with_known(&self, known: &[(Branching, Expr<StateLeaf>)]) -> Formula {
        self.with_branching(&|branching| match known.iter().find(|(other, _)| other == branching) {
            Some((_, condition)) => Formula::Atom(condition.clone()),
            None => Formula::Branching(Box::new(branching.with_known(known))),
        })
    }

    fn at_the_beginning(&self, given: &[Formula], other: &mut dyn FnMut(Beginning) -> Formula) -> Formula {
        match self.written() {
            Written::Branching(branching) if is_can(branching) => {
                other(Beginning { can: branching.clone(), given: given.to_vec() })
            }
            Written::Branching(branching) if matches!(branching.operator, Operator::All | Operator::Some) => {
                let body = branching.body.at_the_beginning(given, other);
                Formula::Branching(Box::new(Branching { body, ..branching.clone() }))
            }
            Written::Implies(condition, claim) => {
                let is_condition = condition.is_about_state() && !condition.is_about_views();
                let here = is_condition.then(|| (*condition).clone());
                let inner: Vec<Formula> = given.iter().cloned().chain(here).collect();
                let condition = condition.at_the_beginning(given, other);
                condition.implies(claim.at_the_beginning(&inner, other))
            }
            Written::Not(_) | Written::And(_) | Written::Or(_) | Written::Iff(..) => {
                self.with_operands(&mut |part| part.at_the_beginning(given, other))
            }
            _ => self.clone(),
        }
    }
}

/// The formulas that have to be true all along, if an assumption says that of some steps, and something of the end of runs.
fn all_along<'f>(assumed: &'f Formula, model: &Model) -> Option<Vec<&'f Formula>> {
    let of_all = |list: Vec<&'f Formula>| {
        Some(list.into_iter().map(|part| all_along(part, model)).collect::<Option<Vec<_>>>()?.concat())
    };
    match assumed.written() {
        _ if is_about_the_end(assumed) => Some(Vec::new()),
        Written::And(list) => of_all(list),
        Written::Globally(inner) => {
            let is_about_step = |part: &Formula| match part {
                Formula::Atom(_) | Formula::Observed(_) => true,
                Formula::Label(instance, edge) => !model.is_receive(*instance, *edge),
                _ => false,
            };
            let is_necessary = match inner.written() {
                Written::Necessary(_, body) => *body == Formula::Atom(Expr::FALSE),
                _ => false,
            };
            (is_necessary || inner.is_combination_of(&is_about_step)).then(|| vec![inner])
        }
        _ => None,
    }
}

/// True if the truth of a formula depends on no beginning of a run.
fn is_about_the_end(formula: &Formula) -> bool {
    match formula.written() {
        Written::Globally(inner) => matches!(inner.written(), Written::Finally(_)),
        Written::Finally(inner) => matches!(inner.written(), Written::Globally(_)),
        Written::Not(inner) => is_about_the_end(inner),
        Written::And(list) | Written::Or(list) => list.into_iter().all(is_about_the_end),
        Written::Implies(left, right) | Written::Iff(left, right) => is_about_the_end(left) && is_about_the_end(right),
        _ => false,
    }
}

impl Branching {
    /// `E(f)`, of all runs.
    pub fn possible(assumed: &Formula) -> Branching {
        Branching { operator: Operator::Some, body: assumed.clone(), among: None }
    }

    /// With conditions in place of those inside that are known.
    pub fn with_known(&self, known: &[(Branching, Expr<StateLeaf>)]) -> Branching {
        Branching { body: self.body.with_known(known), ..self.clone() }
    }
}

impl Model {
    /// The assumptions under which `can(g, f)` stands, if strategies may make it impossible to satisfy them.
    pub fn restricting<'b>(&self, can: &'b Branching) -> Option<&'b Formula> {
        can.among.as_ref().filter(|among| !can.is_about_protocols() && !among.is_fairness(self))
    }

    /// The part of an assumption about each step, beside that about the end of runs; nothing if it says something else.
    pub fn all_along(&self, assumed: &Formula) -> Option<Formula> {
        Some(Formula::And(all_along(assumed, self)?.into_iter().cloned().collect()))
    }

    /// That a strategy counts, as a formula about its outcome: as long as a run satisfies what is assumed of its steps, it has a
    /// continuation that satisfies all that is assumed, if there is one in the model. Nothing if no strategy makes that impossible.
    fn counting(&self, beginning: &Beginning, known: &[(Branching, Expr<StateLeaf>)]) -> Option<Formula> {
        let assumed = self.restricting(&beginning.can)?;
        let all_along = self.all_along(assumed)?;
        let possible = Branching::possible(assumed);
        let (_, condition) = known.iter().find(|(other, _)| *other == possible)?;
        let is_possible = Formula::Branching(Box::new(possible));
        let counts = all_along.not().release(Formula::Atom(condition.clone()).implies(is_possible));
        let given = beginning.given.iter().rev().map(|given| given.with_known(known));
        Some(given.fold(counts, |counts, given| given.implies(counts)))
    }

    /// That no run of an outcome goes on from a state so that it satisfies an assumption.
    pub fn stuck(&self, outcome: &Model, state: &State, assumed: &Formula) -> Model {
        let all: Vec<InstanceId> = self.instance_ids().collect();
        let here = Formula::Atom(self.as_seen(&all, state));
        outcome.with_specs(vec![here.implies(assumed.clone().not()).globally().into()])
    }

    /// That all that a group sees is as in a state.
    pub fn as_seen(&self, group: &[InstanceId], state: &State) -> Expr<StateLeaf> {
        let automaton =
            |member: &InstanceId| (StateLeaf::Automaton(*member), Value::int(i64::from(state.automaton(*member))));
        let local = |(owner, local)| (StateLeaf::Local(owner, local), state.local(owner, local).clone());
        let seen = group.iter().flat_map(|member| self.seen_by(*member)).map(local);
        conjunction(group.iter().map(automaton).chain(seen).map(|(leaf, value)| equals(leaf, &value)))
    }

    /// True if no run that stands still for ever satisfies an assumption, and the assumption does not ask which steps are possible.
    pub fn takes_steps(&self, assumed: &Formula) -> bool {
        !assumed.asks_what_is_possible() && self.is_about_steps(assumed)
    }

    /// True if a formula asks for certain steps again and again.
    fn is_about_steps(&self, assumed: &Formula) -> bool {
        let is_step = |step: &Formula| match step.written() {
            Written::Observed(_) | Written::Possible(..) => true,
            _ => step
                .labels()
                .is_some_and(|labels| labels.iter().all(|(instance, edge)| !self.is_receive(*instance, *edge))),
        };
        match assumed.written() {
            Written::And(list) => list.into_iter().any(|part| self.is_about_steps(part)),
            Written::Globally(inner) => match inner.written() {
                Written::Finally(step) => is_step(step),
                _ => false,
            },
            _ => false,
        }
    }

    /// The outcome of a strategy, as a model: members do only what it offers. The first spec is what the group is to bring about, with
    /// conditions on states in place of the branching formulas inside. Under assumptions that strategies may make impossible to satisfy, the
    /// second one is that this strategy counts.
    pub fn outcome(&self, beginning: &Beginning, known: &[(Branching, Expr<StateLeaf>)], strategy: &Strategy) -> Model {
        if beginning.can.is_about_protocols() {
            let body = beginning.can.body.clone().of_all_runs();
            let spec = Spec::from(body).under(self, &assumptions(&beginning.can));
            return self.with_specs(vec![spec]).with_protocols(&strategy.takes);
        }
        let body = beginning.can.body.with_known(known);
        let given = beginning.given.iter().rev().map(|given| given.with_known(known));
        let claimed = given.fold(body, |claimed, given| given.implies(claimed));
        let assumed = assumptions(&beginning.can);
        let counting = self.counting(beginning, known).map(Spec::from);
        let specs = [Spec::from(claimed).under(self, &assumed)].into_iter().chain(counting);
        let mut model = self.with_specs(specs.collect());
        let refusing = strategy.refusals.iter().map(|refusal| refusal.member);
        let members: BTreeSet<InstanceId> = refusing.chain(strategy.takes.iter().map(|take| take.member)).collect();
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

    /// The outcome of a strategy, with a spec about single runs that is violated only if the strategy fails; nothing if there is none.
    pub fn outcome_of_runs(
        &self,
        beginning: &Beginning,
        known: &[(Branching, Expr<StateLeaf>)],
        strategy: &Strategy,
    ) -> Option<Model> {
        if !beginning.can.is_about_protocols() {
            return Some(self.outcome(beginning, known, strategy));
        }
        let spec = Spec::from(beginning.can.of_runs()?).under(self, &assumptions(&beginning.can));
        Some(self.with_specs(vec![spec]).with_protocols(&strategy.takes))
    }

    /// With protocols that do not allow some actions.
    fn with_protocols(mut self, refused: &[Decision]) -> Model {
        let views: Vec<Expr<StateLeaf>> = refused.iter().map(|decision| self.view(decision)).collect();
        let joint = self.joint.as_mut().expect("they act all at once");
        for (behaviour, instance) in joint.behaviours.iter_mut().zip((0..).map(InstanceId)) {
            let of_agent = refused.iter().zip(&views).filter(|(decision, _)| decision.member == instance);
            let refused: Vec<(u32, &Expr<StateLeaf>)> = of_agent.map(|(it, view)| (it.edge.0, view)).collect();
            if !refused.is_empty() {
                *behaviour = behaviour.refusing(&refused);
            }
        }
        self
    }

    /// That an agent sees what it sees where it makes a decision.
    fn view(&self, decision: &Decision) -> Expr<StateLeaf> {
        let seen = self.seen_by(decision.member).zip(&decision.locals);
        conjunction(seen.map(|((owner, local), value)| equals(StateLeaf::Local(owner, local), value)))
    }

    /// True if an agent has a command, or an action, of this number.
    pub fn is_command(&self, member: InstanceId, edge: EdgeId) -> bool {
        match &self.joint {
            Some(joint) => edge.index() < joint.behaviours[member.index()].actions.len(),
            None => edge.index() < self.agent_of(member).edges.len(),
        }
    }

    /// True if a command begins steps, rather than that it takes messages of others.
    pub fn begins(&self, member: InstanceId, edge: EdgeId) -> bool {
        self.joint.is_none()
            && matches!(self.agent_of(member).edges[edge.index()].action.kind(), CommandKind::Send | CommandKind::Get)
    }

    /// True if a condition reads nothing but the locals of an agent.
    pub fn is_decided_by(&self, member: InstanceId, condition: &Expr<StateLeaf>) -> bool {
        !condition.any_leaf(|leaf| !matches!(leaf, StateLeaf::Local(owner, _) if *owner == member))
    }
}

/// The assumptions under which a formula about strategies stands.
fn assumptions(can: &Branching) -> Vec<Assumption> {
    let assumed = |formula: &Formula| Assumption { formula: formula.clone(), span: Span::default() };
    can.among.iter().map(assumed).collect()
}

impl Behaviour {
    /// With a protocol that does not allow some actions where conditions are true.
    fn refusing(&self, refused: &[(u32, &Expr<StateLeaf>)]) -> Behaviour {
        let local = |leaf: &StateLeaf| match leaf {
            StateLeaf::Local(owner, local) => Some(Expr::Leaf(JointLeaf::Local(*owner, *local))),
            _ => None,
        };
        let served = self.protocol.iter().map(|line| Some(line.condition.clone()));
        let served: Expr<JointLeaf> = Expr::joined(BinaryOp::Or, served).expect("each part is one");
        let possible = |action: u32| {
            let lines = self.protocol.iter().filter(|line| line.actions.contains(&action));
            let lines = lines.map(|line| line.condition.clone());
            let other = self.other.contains(&action).then(|| Expr::Not(Box::new(served.clone())));
            let allowed = Expr::joined(BinaryOp::Or, lines.chain(other).map(Some)).expect("each part is one");
            let refused = refused.iter().filter(|(other, _)| *other == action);
            let refused = refused.map(|(_, view)| substituted(view, &local));
            let refused = Expr::joined(BinaryOp::Or, refused).expect("it reads locals");
            let condition = conjunction([allowed, Expr::Not(Box::new(refused))]);
            Possible { condition, actions: vec![action], span: self.protocol_place }
        };
        let protocol = (0..self.actions.len() as u32).map(possible).collect();
        Behaviour { protocol, other: Vec::new(), ..self.clone() }
    }
}

/// The condition that stands in the guard of a command.
#[derive(PartialEq)]
struct Guarded {
    edge: EdgeId,
    refused: Expr<CommandLeaf>,
    reads: Vec<MessageId>,
}

impl Guarded {
    fn offer(refusal: &Refusal) -> Guarded {
        let refused = as_own(refusal.member, &refusal.when).expect("it reads locals of the member");
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
        agent.refuse(self.edge, &self.refused);
        let edge = &mut agent.edges[self.edge.index()];
        edge.reads.extend(&self.reads);
        edge.reads.sort_unstable();
        edge.reads.dedup();
    }
}

fn conjunction<L>(parts: impl IntoIterator<Item = Expr<L>>) -> Expr<L> {
    let parts = parts.into_iter().filter(|part| !matches!(part, Expr::Const(Value::Bool(true))));
    Expr::joined(BinaryOp::And, parts.map(Some)).expect("each part is one")
}

/// A condition on the locals of an agent, as its guards have it; nothing if it reads anything else.
pub(super) fn as_own(member: InstanceId, condition: &Expr<StateLeaf>) -> Option<Expr<CommandLeaf>> {
    substituted(condition, &|leaf| match leaf {
        StateLeaf::Local(owner, local) if *owner == member => Some(Expr::Leaf(CommandLeaf::Local(*local))),
        _ => None,
    })
}

impl Agent {
    /// It does not take a command where a condition is true.
    pub(super) fn refuse(&mut self, edge: EdgeId, when: &Expr<CommandLeaf>) {
        let edge = &mut self.edges[edge.index()];
        edge.guard = conjunction([edge.guard.clone(), Expr::Not(Box::new(when.clone()))]);
    }

    /// True if it may have several commands by which it can take one message.
    pub fn chooses_takes(&self) -> bool {
        let taking = self.edges.iter().filter(|edge| edge.action.kind().is_taking());
        let sources: Vec<u32> = taking.map(|edge| edge.source).collect();
        (1..sources.len()).any(|place| sources[..place].contains(&sources[place]))
    }
}

impl Strategy {
    /// The conditions that it adds to guards: per command of a member the condition where it is not offered, or does not take a message.
    pub fn guards(&self) -> Vec<(InstanceId, EdgeId, Expr<CommandLeaf>)> {
        let offers = self.refusals.iter().map(|refusal| (refusal.member, Guarded::offer(refusal)));
        let takes = self.takes.iter().map(|take| (take.member, Guarded::take(take)));
        offers.chain(takes).map(|(member, guarded)| (member, guarded.edge, guarded.refused)).collect()
    }

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
