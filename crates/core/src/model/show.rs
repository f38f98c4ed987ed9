//! Expressions, commands, observations and formulas as a user of the modern dialect writes them, with
//! as few parentheses as leave no doubt (`docs/language.md#precedence`): the connectives and `U W R` are one
//! level there, and a prefix operator takes everything to its right.

use super::branching::{Branching, Knowledge, Operator};
use super::fairness::Actor;
use super::formula::{DataLeaf, Role, StateLeaf};
use super::written::Written;
use super::{
    Action, Agent, AgentId, BinaryOp, CommandLeaf, EdgeId, Expr, Formula, GetTarget, InstanceId, LocalId, MessageId,
    Model, Observation, Spec, TotalId, Type, Value, show_constants,
};
use crate::syntax::ast::ConstantName;

/// A text and how tightly it holds together.
struct Phrase {
    text: String,
    level: Level,
    /// The text to use where something follows, if its last operand is a prefix operator, which would
    /// take what follows: with that operand in parentheses.
    closed: Option<String>,
}

/// The kind of a text, from tight to loose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Operand,
    Product,
    Sum,
    Comparison,
    /// Only a chain of the same connective needs no parentheses on its left.
    Connective(&'static str),
    Prefix,
}

impl Phrase {
    fn operand(text: impl Into<String>) -> Phrase {
        Phrase { text: text.into(), level: Level::Operand, closed: None }
    }

    /// The text, in parentheses unless it is at most as loose as `loosest`.
    fn within(self, loosest: Level) -> String {
        if self.level <= loosest { self.text } else { format!("({})", self.text) }
    }

    fn negated(self) -> Phrase {
        Phrase::operand(format!("!{}", self.within(Level::Operand)))
    }

    /// `F f`, `<<O>> f`
    fn prefixed(self, prefix: &str) -> Phrase {
        let body = if self.level == Level::Prefix { self.text } else { self.within(Level::Operand) };
        Phrase { text: format!("{prefix} {body}"), level: Level::Prefix, closed: None }
    }

    fn connective(self, name: &'static str, right: Phrase) -> Phrase {
        let chain = matches!(name, "&" | "|") && self.level == Level::Connective(name);
        let left = if chain { self.closed.unwrap_or(self.text) } else { self.within(Level::Comparison) };
        let prefix = right.level == Level::Prefix;
        let right = if prefix { right.text } else { right.within(Level::Comparison) };
        let closed = prefix.then(|| format!("{left} {name} ({right})"));
        Phrase { text: format!("{left} {name} {right}"), level: Level::Connective(name), closed }
    }

    fn arithmetic(self, level: Level, name: &str, right: Phrase, loosest_right: Level) -> Phrase {
        let text = format!("{} {name} {}", self.within(level), right.within(loosest_right));
        Phrase { text, level, closed: None }
    }

    /// `a name b` for any infix operator.
    fn infix(self, op: BinaryOp, right: Phrase) -> Phrase {
        match op {
            BinaryOp::And => self.connective("&", right),
            BinaryOp::Or => self.connective("|", right),
            BinaryOp::Implies => self.connective("->", right),
            BinaryOp::Iff => self.connective("<->", right),
            BinaryOp::Eq => self.comparison("=", right),
            BinaryOp::Ne => self.comparison("!=", right),
            BinaryOp::Lt => self.comparison("<", right),
            BinaryOp::Le => self.comparison("<=", right),
            BinaryOp::Gt => self.comparison(">", right),
            BinaryOp::Ge => self.comparison(">=", right),
            BinaryOp::Add => self.arithmetic(Level::Sum, "+", right, Level::Product),
            BinaryOp::Sub => self.arithmetic(Level::Sum, "-", right, Level::Product),
            BinaryOp::Mul => self.arithmetic(Level::Product, "*", right, Level::Operand),
            BinaryOp::Div => self.arithmetic(Level::Product, "/", right, Level::Operand),
        }
    }

    fn comparison(self, name: &str, right: Phrase) -> Phrase {
        let text = format!("{} {name} {}", self.within(Level::Sum), right.within(Level::Sum));
        Phrase { text, level: Level::Comparison, closed: None }
    }
}

/// How the leaves of an expression are called, and their types.
pub type Names<'n, L> = &'n dyn Fn(L) -> (String, Type);

impl Model {
    /// An expression of a command of the agent. `ty` is the type of its place: it tells which
    /// constant a bare one is.
    pub fn show_expr(&self, agent: AgentId, expr: &Expr<CommandLeaf>, ty: Type) -> String {
        self.shown_command_expr(&self.agents[agent.index()], expr, ty).text
    }

    /// A state expression of a formula.
    pub fn show_state_expr(&self, expr: &Expr<StateLeaf>) -> String {
        self.shown(expr, Type::Bool, &|leaf| self.state_leaf(leaf)).text
    }

    /// A Boolean expression whose leaves have these names and types.
    pub fn show_expr_over<L: Copy>(&self, expr: &Expr<L>, names: Names<L>) -> String {
        self.shown(expr, Type::Bool, names).text
    }

    /// An observation descriptor, without its brackets.
    pub fn show_observation(&self, observation: &Observation) -> String {
        self.shown_observation(observation).text
    }

    /// A formula.
    pub fn show_formula(&self, formula: &Formula) -> String {
        self.shown_formula(formula).text
    }

    /// `A(f)`, `K(i, f)`, ..
    fn show_branching(&self, Branching { operator, body, .. }: &Branching) -> String {
        let (group, body) = match operator {
            Operator::All | Operator::Some => return format!("{}({})", operator.word(), self.show_formula(body)),
            Operator::Strategy(_, group) => (self.show_group(Knowledge::Everybody, group), body),
            // Knowledge of a formula about runs is knowledge that all runs satisfy it.
            Operator::Known(knowledge, group) => {
                (self.show_group(*knowledge, group), body.as_all().map_or(body, |inner| &inner.body))
            }
        };
        format!("{}({group}, {})", operator.word(), self.show_formula(body))
    }

    /// A spec as its file writes it; without a file, as it was understood.
    pub fn show_spec(&self, spec: usize) -> String {
        let Spec { text, formula, .. } = &self.specs[spec];
        text.clone().unwrap_or_else(|| self.show_formula(formula))
    }

    /// The name of a command of an instance: `i-label`, or its place among the agent's commands.
    pub fn show_command_name(&self, instance: InstanceId, edge: EdgeId) -> String {
        let name = &self.instances[instance.index()].name;
        if let Some(action) = self.action_name(instance, edge) {
            return format!("{name}: {action}");
        }
        if let Some(joint) = &self.joint {
            return format!("{name}'s line {}", edge.index() - joint.behaviours[instance.index()].actions.len() + 1);
        }
        let command = &self.agent_of(instance).edges[edge.index()];
        match &command.label {
            Some(label) => format!("{name}-{label}"),
            None => format!("{name}'s command {} (a {})", edge.0 + 1, command.action.kind().word()),
        }
    }

    /// The actor of an assumption of fairness: `i`, or `i-label`.
    pub fn show_actor(&self, actor: Actor) -> String {
        match actor {
            Actor::Instance(instance) => self.instances[instance.index()].name.clone(),
            Actor::Command(instance, edge) => self.show_command_name(instance, edge),
        }
    }

    /// A command in full, with its label.
    pub fn show_command(&self, agent: AgentId, edge: EdgeId) -> String {
        let agent = &self.agents[agent.index()];
        let command = &agent.edges[edge.index()];
        let expr = |expr: &Expr<CommandLeaf>, ty: Type| self.shown_command_expr(agent, expr, ty);
        let label = command.label.as_ref().map(|label| format!("{label}: ")).unwrap_or_default();
        let guard = expr(&command.guard, Type::Bool).text;
        let data = assignments(command.action.data().iter().map(|(message, value)| {
            let variable = &self.messages[message.index()];
            (&variable.name, expr(value, variable.ty))
        }));
        let updates = assignments(command.updates.iter().map(|(local, value)| {
            let variable = &agent.locals[local.index()];
            (&variable.name, expr(value, variable.ty))
        }));
        let action = match &command.action {
            Action::Send { channel, guard, .. } => {
                let guard = expr(guard, Type::Bool).within(Level::Operand);
                format!("{} ! {guard} ({data})", expr(channel, Type::Channel).text)
            }
            Action::Receive { channel } => format!("{} ?", expr(channel, Type::Channel).text),
            Action::Get { target: GetTarget::Location(location), .. } => {
                format!("GET@({}) ({data})", expr(location, Type::Location).text)
            }
            Action::Get { target: GetTarget::Predicate(predicate), .. } => {
                format!("GET@({}) ({data})", expr(predicate, Type::Bool).text)
            }
            Action::Supply { to, .. } => {
                let to = match &to.named {
                    Some((location, _)) => expr(location, Type::Location).text,
                    None => if to.by_predicate { "any" } else { "myself" }.to_owned(),
                };
                format!("SUPPLY@({to}) ({data})")
            }
        };
        format!("{label}{{{guard}}} {action} [{updates}]")
    }

    fn shown_command_expr(&self, agent: &Agent, expr: &Expr<CommandLeaf>, ty: Type) -> Phrase {
        self.shown(expr, ty, &|leaf| match leaf {
            CommandLeaf::Local(local) => {
                let variable = &agent.locals[local.index()];
                (variable.name.clone(), variable.ty)
            }
            CommandLeaf::Message(message) => self.data_leaf(DataLeaf::Message(message)),
            CommandLeaf::Property(property) => {
                let (name, ty) = self.data_leaf(DataLeaf::Property(property));
                (format!("@{name}"), ty)
            }
            CommandLeaf::Chan => self.data_leaf(DataLeaf::Chan),
            CommandLeaf::Myself => ("myself".to_string(), Type::Location),
        })
    }

    /// The name and the type of what an observation reads.
    pub fn data_leaf(&self, leaf: DataLeaf) -> (String, Type) {
        match leaf {
            DataLeaf::Message(message) => {
                let variable = &self.messages[message.index()];
                (variable.name.clone(), variable.ty)
            }
            DataLeaf::Property(property) => {
                let variable = &self.properties[property.index()];
                (variable.name.clone(), variable.ty)
            }
            DataLeaf::Chan => ("chan".to_string(), Type::Channel),
        }
    }

    /// `N = 3, fast = true`
    pub fn show_constants(&self) -> String {
        show_constants(self.constants.iter().map(|constant| (&constant.name, &constant.value)))
    }

    /// A sum over the members of a family.
    fn show_total(&self, id: TotalId) -> String {
        let total = &self.totals()[id.index()];
        let family = &self.families()[total.family];
        let is_other = |(place, instance): (usize, &super::Instance)| {
            let is_member = family.members().any(|member| member.index() == place);
            instance.agent == family.agent && !is_member
        };
        let is_all = !self.instances.iter().enumerate().any(is_other);
        let domain = match is_all {
            true => self.agents[family.agent.index()].name.clone(),
            false => ConstantName::Size(family.name.clone()).to_string(),
        };
        let mut named = self.clone();
        let member = InstanceId(named.instances.len() as u32);
        let (name, conditions) = ("k".to_owned(), Vec::new());
        named.instances.push(super::Instance { name, agent: family.agent, conditions, init: Expr::TRUE });
        let one = |expr: &Expr<StateLeaf>| *expr == Expr::Const(Value::int(1));
        match &total.of_member(member) {
            of if one(of) => format!("size({domain})"),
            Expr::If(condition, yes, _) if one(yes) => {
                format!("(count k : {domain} . {})", named.show_state_expr(condition))
            }
            of => format!("(sum k : {domain} . {})", named.shown(of, Type::Int, &|leaf| named.state_leaf(leaf)).text),
        }
    }

    /// Data of a message, each as in `X = 1`.
    pub fn show_data<'d>(&self, data: impl IntoIterator<Item = &'d (MessageId, Value)>) -> Vec<String> {
        let show = |(id, value): &(MessageId, Value)| {
            let variable = &self.messages[id.index()];
            format!("{} = {}", variable.name, self.show(value, variable.ty))
        };
        data.into_iter().map(show).collect()
    }

    /// `i-x`; `i.x` where agents act all at once, as ISPL writes it.
    pub fn variable_name(&self, instance: InstanceId, local: LocalId) -> String {
        let separator = if self.joint.is_some() { '.' } else { '-' };
        let variable = &self.agent_of(instance).locals[local.index()].name;
        format!("{}{separator}{variable}", self.instances[instance.index()].name)
    }

    /// The name and the type of what a state expression reads.
    pub fn state_leaf(&self, leaf: StateLeaf) -> (String, Type) {
        let name = |instance: InstanceId| &self.instances[instance.index()].name;
        match leaf {
            StateLeaf::Local(instance, local) => {
                let variable = &self.agent_of(instance).locals[local.index()];
                (self.variable_name(instance, local), variable.ty)
            }
            StateLeaf::Automaton(instance) => (format!("{}-automaton-state", name(instance)), Type::Int),
            StateLeaf::Total(id) => (self.show_total(id), Type::Int),
            StateLeaf::Deadlock => ("deadlock".to_string(), Type::Bool),
            StateLeaf::Enabled(instance, None) => (format!("enabled({})", name(instance)), Type::Bool),
            StateLeaf::Enabled(instance, Some(edge)) => {
                (format!("enabled({})", self.show_command_name(instance, edge)), Type::Bool)
            }
        }
    }

    fn shown<L: Copy>(&self, expr: &Expr<L>, ty: Type, names: Names<L>) -> Phrase {
        match expr {
            Expr::Const(value) => Phrase::operand(self.show(value, ty)),
            Expr::Leaf(leaf) => Phrase::operand(names(*leaf).0),
            Expr::Not(inner) => self.shown(inner, Type::Bool, names).negated(),
            Expr::Neg(inner) => {
                Phrase::operand(format!("-{}", self.shown(inner, Type::Int, names).within(Level::Operand)))
            }
            Expr::Binary(op, left, right) => {
                let ty = operand_type(left, names).or_else(|| operand_type(right, names)).unwrap_or(Type::Location);
                self.shown(left, ty, names).infix(*op, self.shown(right, ty, names))
            }
            Expr::If(condition, yes, no) => {
                let condition = self.shown(condition, Type::Bool, names).text;
                let (yes, no) = (self.shown(yes, ty, names).text, self.shown(no, ty, names).text);
                Phrase::operand(format!("(if {condition} then {yes} else {no})"))
            }
        }
    }

    fn shown_observation(&self, observation: &Observation) -> Phrase {
        let shown = |part: &Observation| self.shown_observation(part);
        match observation {
            Observation::Const(value) => Phrase::operand(value.to_string()),
            Observation::Role(role, instance) => {
                let name = &self.instances[instance.index()].name;
                Phrase::operand(role_name(*role)).comparison("=", Phrase::operand(name))
            }
            Observation::PointToPoint => Phrase::operand("p2p"),
            Observation::Locality(name) => {
                let name = name.map_or("any", |instance| self.instances[instance.index()].name.as_str());
                Phrase::operand("locality").comparison("=", Phrase::operand(name))
            }
            Observation::Data(expr) => self.shown(expr, Type::Bool, &|leaf| self.data_leaf(leaf)),
            Observation::Not(inner) => shown(inner).negated(),
            Observation::Joined(connective, left, right) => shown(left).infix(connective.op(), shown(right)),
            Observation::Exists(inner) => Phrase::operand(format!("exists({})", shown(inner).text)),
            Observation::Forall(inner) => Phrase::operand(format!("forall({})", shown(inner).text)),
        }
    }

    fn shown_formula(&self, formula: &Formula) -> Phrase {
        let shown = |part: &Formula| self.shown_formula(part);
        let chain = |parts: Vec<&Formula>, name: &'static str, empty: bool| {
            let joined = parts.into_iter().map(shown).reduce(|left, right| left.connective(name, right));
            joined.unwrap_or_else(|| Phrase::operand(empty.to_string()))
        };
        if let Some((actor, fairness)) = formula.fairness(self) {
            return Phrase::operand(format!("{}({})", fairness.word(), self.show_actor(actor)));
        }
        if let Some(instance) = formula.acting(self) {
            return Phrase::operand(format!("acts({})", self.show_actor(Actor::Instance(instance))));
        }
        match formula.written() {
            Written::Atom(expr) => self.shown(expr, Type::Bool, &|leaf| self.state_leaf(leaf)),
            Written::Label(instance, edge) => Phrase::operand(self.show_command_name(instance, edge)),
            Written::Observed(observation) => {
                Phrase::operand("true").prefixed(&format!("<<{}>>", self.show_observation(observation)))
            }
            Written::Not(inner) => shown(inner).negated(),
            Written::And(parts) => chain(parts, "&", true),
            Written::Or(parts) => chain(parts, "|", false),
            Written::Implies(left, right) => shown(left).connective("->", shown(right)),
            Written::Iff(left, right) => shown(left).connective("<->", shown(right)),
            Written::Next(inner) => shown(inner).prefixed("X"),
            Written::Finally(inner) => shown(inner).prefixed("F"),
            Written::Globally(inner) => shown(inner).prefixed("G"),
            Written::Until(left, right) => shown(left).connective("U", shown(right)),
            Written::WeakUntil(left, right) => shown(left).connective("W", shown(right)),
            Written::Release(left, right) => shown(left).connective("R", shown(right)),
            Written::Possible(observation, body) => {
                shown(body).prefixed(&format!("<<{}>>", self.show_observation(observation)))
            }
            Written::Necessary(observation, body) => {
                shown(body).prefixed(&format!("[[{}]]", self.show_observation(observation)))
            }
            Written::Branching(branching) => Phrase::operand(self.show_branching(branching)),
        }
    }
}

/// `x := e, y := f`
fn assignments<'n>(list: impl Iterator<Item = (&'n String, Phrase)>) -> String {
    list.map(|(name, value)| format!("{name} := {}", value.text)).collect::<Vec<_>>().join(", ")
}

/// The type of an expression as far as its form tells.
fn operand_type<L: Copy>(expr: &Expr<L>, names: Names<L>) -> Option<Type> {
    match expr {
        Expr::Const(Value::Bool(_)) | Expr::Not(_) => Some(Type::Bool),
        Expr::Const(Value::Int(_)) | Expr::Neg(_) => Some(Type::Int),
        Expr::Const(Value::Enum(_)) => None,
        Expr::Leaf(leaf) => Some(names(*leaf).1),
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, ..) => Some(Type::Int),
        Expr::Binary(..) => Some(Type::Bool),
        Expr::If(_, yes, no) => operand_type(yes, names).or_else(|| operand_type(no, names)),
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Sender => "sender",
        Role::Getter => "getter",
        Role::Supplier => "supplier",
        Role::Initiator => "initiator",
        Role::Producer => "producer",
    }
}
