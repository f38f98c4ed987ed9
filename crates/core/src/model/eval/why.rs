//! Obstacles that keep a command from being taken: all, not only the first one, down to the parts of guards that are
//! false and the values that make them so.

use super::scope::{Properties, Scope};
use super::send::{Message, Reaction};
use super::{Semantics, State, WhyNot};
use crate::model::{Action, BinaryOp, CommandKind, CommandLeaf, EdgeId, Expr, GetTarget, InstanceId, Type, Value};

/// A way to take a command, and what is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// The other command of a get/supply; the send that a receive would take.
    pub partner: Option<(InstanceId, EdgeId)>,
    /// The obstacles; none if this is possible.
    pub obstacles: Vec<Obstacle>,
}

/// Something that stands in the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Its kind.
    pub why: WhyNot,
    /// The false conjuncts, if a guard is false.
    pub false_parts: Vec<FalsePart>,
    /// The obstacles of each receive command that leaves the automaton state of an agent that cannot receive.
    pub because: Vec<Obstacle>,
}

/// A conjunct of a guard that is false.
#[derive(Clone, Debug, PartialEq)]
pub struct FalsePart {
    /// The instance whose names it uses.
    pub instance: InstanceId,
    /// The conjunct.
    pub expr: Expr<CommandLeaf>,
    /// The values that it reads, each once, in the order of the text.
    pub values: Vec<(CommandLeaf, Option<Value>)>,
}

/// A send or get that leaves the present automaton state of its instance and cannot be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocked {
    /// The instance of the command.
    pub instance: InstanceId,
    /// The command.
    pub edge: EdgeId,
    /// The first thing in the way; nothing if a get has no partner.
    pub obstacle: Option<Obstacle>,
}

impl Blocked {
    /// The obstacle, in a line that names the command.
    pub fn describe_named(&self, semantics: &Semantics) -> String {
        let (name, why) = (semantics.model().show_command_name(self.instance, self.edge), self.describe(semantics));
        if why.contains(&name) { why } else { format!("{name}: {why}") }
    }

    /// The obstacle, in a line.
    pub fn describe(&self, semantics: &Semantics) -> String {
        let Some(obstacle) = &self.obstacle else {
            let name = semantics.model().show_command_name(self.instance, self.edge);
            return format!("no other agent is at a supply for {name}");
        };
        let why = obstacle.why.describe(semantics.model());
        match obstacle.false_parts.first() {
            Some(part) => format!("{why} (`{}`)", part.describe(semantics)),
            None => why,
        }
    }
}

impl Attempt {
    /// All that is in the way, line by line, what stands behind something being indented.
    pub fn describe(&self, semantics: &Semantics, state: &State) -> String {
        let depth = usize::from(self.partner.is_some());
        let head = self
            .partner
            .map(|(partner, edge)| format!("with {}:\n", semantics.model().show_command_name(partner, edge)));
        let obstacles = self.obstacles.iter().map(|obstacle| obstacle.in_lines(semantics, state, depth));
        head.into_iter().chain(obstacles).collect()
    }
}

impl Obstacle {
    fn in_lines(&self, semantics: &Semantics, state: &State, depth: usize) -> String {
        let indentation = "  ".repeat(depth);
        let place = match self.why {
            WhyNot::WrongAutomatonState(instance, edge) => {
                let source = semantics.edge(instance, edge).source;
                format!(": it is in {}, not in {source}", state.automaton(instance))
            }
            _ => String::new(),
        };
        let mut text = format!("{indentation}{}{place}\n", self.why.describe(semantics.model()));
        for part in &self.false_parts {
            let values = part.describe_values(semantics);
            let values = if values.is_empty() { values } else { format!(": {values}") };
            text += &format!("{indentation}  `{}` is false{values}\n", part.describe(semantics));
        }
        if let (WhyNot::NoReadyReceive(instance), true) = (&self.why, self.because.is_empty()) {
            let at = state.automaton(*instance);
            text += &format!("{indentation}  no receive leaves its automaton state {at}\n");
        }
        self.because.iter().for_each(|obstacle| text += &obstacle.in_lines(semantics, state, depth + 1));
        text
    }
}

impl From<WhyNot> for Obstacle {
    fn from(why: WhyNot) -> Obstacle {
        Obstacle { why, false_parts: Vec::new(), because: Vec::new() }
    }
}

impl Semantics<'_> {
    /// The sends and gets that leave the present automaton states and cannot be taken.
    pub fn blocked(&self, state: &State) -> Vec<Blocked> {
        let steps = self.steps(state);
        let mut blocked = Vec::new();
        for instance in self.model().instance_ids() {
            for (edge, command) in (0..).map(EdgeId).zip(&self.model().agent_of(instance).edges) {
                let starts = match command.action.kind() {
                    CommandKind::Send | CommandKind::Get => true,
                    CommandKind::Receive | CommandKind::Supply => false,
                };
                let here = command.source == state.automaton(instance);
                if starts && here && !steps.iter().any(|step| step.choice.performs(instance, edge)) {
                    let attempts = self.attempts(state, instance, edge);
                    let obstacle = attempts.into_iter().find_map(|attempt| attempt.obstacles.into_iter().next());
                    blocked.push(Blocked { instance, edge, obstacle });
                }
            }
        }
        blocked
    }

    /// All ways to take a command of an instance, which must have it. Sends have one; gets have one per
    /// supply command that leaves a present automaton state, and the reverse; receives have one per
    /// send command that does. None at all: there is no partner.
    pub fn attempts(&self, state: &State, instance: InstanceId, edge: EdgeId) -> Vec<Attempt> {
        let command = match self.leaving(state, instance, edge) {
            Ok(command) => command,
            Err(why) => return vec![Attempt { partner: None, obstacles: vec![why.into()] }],
        };
        let me = (instance, edge);
        let kind = command.action.kind();
        let obstacles = |other| match kind {
            CommandKind::Send | CommandKind::Receive => self.obstacles_to_receive(state, other, me),
            CommandKind::Get => self.obstacles_to_transfer(state, me, other),
            CommandKind::Supply => self.obstacles_to_transfer(state, other, me),
        };
        match kind {
            CommandKind::Send => {
                vec![Attempt { partner: None, obstacles: self.obstacles_to_send(state, instance, edge) }]
            }
            CommandKind::Receive | CommandKind::Get | CommandKind::Supply => {
                self.partners(state, instance, |action| action.kind() == kind.counterpart(), obstacles)
            }
        }
    }

    /// An attempt with each command of the others that fits and leaves a present automaton state.
    fn partners(
        &self,
        state: &State,
        instance: InstanceId,
        fits: impl Fn(&Action) -> bool,
        obstacles: impl Fn((InstanceId, EdgeId)) -> Vec<Obstacle>,
    ) -> Vec<Attempt> {
        let others = self.model.instance_ids().filter(|other| *other != instance);
        let commands = others.flat_map(|other| {
            let edges = self.model.agent_of(other).edges.iter().enumerate();
            edges.map(move |(index, edge)| (other, EdgeId(index as u32), edge))
        });
        let fitting = commands.filter(|(other, _, edge)| edge.source == state.automaton(*other) && fits(&edge.action));
        let attempt = |(other, edge, _)| Attempt { partner: Some((other, edge)), obstacles: obstacles((other, edge)) };
        fitting.map(attempt).collect()
    }

    fn obstacles_to_send(&self, state: &State, sender: InstanceId, edge: EdgeId) -> Vec<Obstacle> {
        let message = match self.message(state, sender, edge) {
            Ok(message) => message,
            Err(why) => return vec![self.explained(why, &self.own(state, sender))],
        };
        let others = self.model.instance_ids();
        others.filter_map(|instance| self.blocks(state, &message, instance)).collect()
    }

    /// Why the instance keeps the message from being sent, if it does.
    fn blocks(&self, state: &State, message: &Message, instance: InstanceId) -> Option<Obstacle> {
        match self.reaction(state, message, instance) {
            Ok(Reaction::Stays(_)) => None,
            Err(why) => Some(self.refused(state, message, instance, why)),
            Ok(Reaction::Takes) => {
                let scope = message.seen_by(self, state, instance);
                let receives = &self.commands(state, instance).receives;
                let ready = receives.iter().filter(|edge| self.ready(state, message, instance, **edge).is_ok());
                let failures: Result<Vec<WhyNot>, ()> =
                    ready.map(|edge| self.movement(&scope, *edge).err().ok_or(())).collect();
                let because = failures.ok()?.into_iter().map(Obstacle::from).collect();
                Some(Obstacle { because, ..WhyNot::EveryReceiveOutOfRange(instance).into() })
            }
        }
    }

    /// Why the instance does not take the message, in detail.
    fn refused(&self, state: &State, message: &Message, instance: InstanceId, why: WhyNot) -> Obstacle {
        match why {
            WhyNot::SendGuardFalse(_) => {
                let properties = Properties::Of(instance);
                let scope = Scope { chan: Some(&message.channel), properties, ..self.own(state, message.sender) };
                Obstacle { false_parts: false_parts(&scope, message.guard), ..why.into() }
            }
            WhyNot::NotListening(_) => {
                let scope = Scope { chan: Some(&message.channel), ..self.own(state, instance) };
                let guard = &self.model.agent_of(instance).receive_guard;
                Obstacle { false_parts: false_parts(&scope, guard), ..why.into() }
            }
            WhyNot::NoReadyReceive(_) => {
                let scope = message.seen_by(self, state, instance);
                let receives = self.commands(state, instance).receives.iter();
                let because = receives.filter_map(|edge| self.ready(state, message, instance, *edge).err());
                let because = because.map(|why| self.explained(why, &scope)).collect();
                Obstacle { because, ..why.into() }
            }
            other => other.into(),
        }
    }

    fn obstacles_to_receive(
        &self,
        state: &State,
        send: (InstanceId, EdgeId),
        receive: (InstanceId, EdgeId),
    ) -> Vec<Obstacle> {
        let message = match self.message(state, send.0, send.1) {
            Ok(message) => message,
            Err(why) => return vec![self.explained(why, &self.own(state, send.0))],
        };
        match self.reaction(state, &message, receive.0) {
            Err(why) | Ok(Reaction::Stays(why)) => return vec![self.refused(state, &message, receive.0, why)],
            Ok(Reaction::Takes) => {}
        }
        let scope = message.seen_by(self, state, receive.0);
        if let Err(why) = self.ready(state, &message, receive.0, receive.1) {
            return vec![self.explained(why, &scope)];
        }
        if let Err(why) = self.movement(&scope, receive.1) {
            return vec![why.into()];
        }
        self.obstacles_to_send(state, send.0, send.1)
    }

    fn obstacles_to_transfer(
        &self,
        state: &State,
        get: (InstanceId, EdgeId),
        supply: (InstanceId, EdgeId),
    ) -> Vec<Obstacle> {
        let Err(why) = self.transfer(state, get, supply) else { return Vec::new() };
        let false_parts = match why {
            WhyNot::GuardFalse(instance, edge) => {
                let other = if instance == get.0 { supply } else { get };
                let data = self.data(&self.own(state, other.0), other.1).unwrap_or_default();
                let scope = Scope { data: &data, ..self.own(state, instance) };
                false_parts(&scope, &self.edge(instance, edge).guard)
            }
            WhyNot::NotAsked(getter, get, supplier) => {
                let scope = Scope { properties: Properties::Of(supplier), ..self.own(state, getter) };
                self.asked(getter, get, supplier).map_or(Vec::new(), |asked| false_parts(&scope, &asked))
            }
            WhyNot::NotServed(supplier, supply, getter) => {
                let scope = self.own(state, supplier);
                self.served(supplier, supply, getter).map_or(Vec::new(), |served| false_parts(&scope, &served))
            }
            _ => Vec::new(),
        };
        vec![Obstacle { false_parts, ..why.into() }]
    }

    /// The condition for the get to ask this supplier.
    fn asked(&self, getter: InstanceId, get: EdgeId, supplier: InstanceId) -> Option<Expr<CommandLeaf>> {
        match &self.edge(getter, get).action {
            Action::Get { target: GetTarget::Location(location), .. } => Some(is_instance(location, supplier)),
            Action::Get { target: GetTarget::Predicate(predicate), .. } => Some(predicate.clone()),
            Action::Send { .. } | Action::Receive { .. } | Action::Supply { .. } => None,
        }
    }

    /// The condition for the supply to serve this getter, if that depends on the state.
    fn served(&self, supplier: InstanceId, supply: EdgeId, getter: InstanceId) -> Option<Expr<CommandLeaf>> {
        let Action::Supply { to, .. } = &self.edge(supplier, supply).action else { return None };
        to.named.as_ref().map(|(location, side)| is_instance(location, side.of(getter, supplier)))
    }

    /// The reason with the conjuncts of the guard that are false.
    fn explained(&self, why: WhyNot, scope: &Scope) -> Obstacle {
        let false_parts = match why {
            WhyNot::GuardFalse(instance, edge) => false_parts(scope, &self.edge(instance, edge).guard),
            _ => Vec::new(),
        };
        Obstacle { false_parts, ..why.into() }
    }
}

fn is_instance(location: &Expr<CommandLeaf>, instance: InstanceId) -> Expr<CommandLeaf> {
    Expr::binary(BinaryOp::Eq, location.clone(), Expr::Const(Value::Enum(instance.0)))
}

/// The conjuncts that are false, with what they read.
fn false_parts(scope: &Scope, expr: &Expr<CommandLeaf>) -> Vec<FalsePart> {
    if let Expr::Binary(BinaryOp::And, left, right) = expr {
        return [false_parts(scope, left), false_parts(scope, right)].concat();
    }
    if scope.holds(expr) {
        return Vec::new();
    }
    let mut values: Vec<(CommandLeaf, Option<Value>)> = Vec::new();
    expr.for_each_leaf(&mut |leaf| {
        if values.iter().all(|(known, _)| known != leaf) {
            values.push((*leaf, scope.leaf(*leaf)));
        }
    });
    vec![FalsePart { instance: scope.instance, expr: expr.clone(), values }]
}

impl FalsePart {
    /// The values in words, as in `cLink = empty, MSG = buy`; empty if nothing is read.
    pub fn describe_values(&self, semantics: &Semantics) -> String {
        let model = semantics.model();
        let values = self.values.iter().filter(|(leaf, _)| *leaf != CommandLeaf::Myself).map(|(leaf, value)| {
            let (name, ty) = name(semantics, self.instance, *leaf);
            let value = value.as_ref().map_or_else(|| "not assigned".to_owned(), |value| model.show(value, ty));
            format!("{name} = {value}")
        });
        values.collect::<Vec<_>>().join(", ")
    }

    /// The conjunct as the user writes it.
    pub fn describe(&self, semantics: &Semantics) -> String {
        let model = semantics.model();
        model.show_expr(model.instances[self.instance.index()].agent, &self.expr, Type::Bool)
    }
}

fn name(semantics: &Semantics, instance: InstanceId, leaf: CommandLeaf) -> (String, Type) {
    let model = semantics.model();
    match leaf {
        CommandLeaf::Local(local) => {
            let variable = &model.agent_of(instance).locals[local.index()];
            (format!("{}-{}", model.instances[instance.index()].name, variable.name), variable.ty)
        }
        CommandLeaf::Message(message) => {
            let variable = &model.messages[message.index()];
            (variable.name.clone(), variable.ty)
        }
        CommandLeaf::Property(property) => {
            let variable = &model.properties[property.index()];
            (format!("@{}", variable.name), variable.ty)
        }
        CommandLeaf::Chan => ("chan".to_owned(), Type::Channel),
        CommandLeaf::Myself => ("myself".to_owned(), Type::Location),
    }
}
