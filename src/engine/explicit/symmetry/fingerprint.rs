//! Fingerprints of expressions and formulas under a renaming.
//!
//! Two of them are the same if the renamed expressions are, up to the order of the operands of connectives,
//! equalities, sums and products; and only then, unless hashes collide. A collision would make a claim that
//! the check refuses, so it costs an answer and never makes a wrong one.

use crate::claim::symmetry::Renaming;
use crate::model::formula::{DataLeaf, StateLeaf};
use crate::model::{
    Action, Agent, BinaryOp, CommandLeaf, Edge, Expr, Formula, GetTarget, Model, Observation, SupplyTarget, Type, Value,
};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Hashes under a renaming.
#[derive(Clone, Copy)]
pub struct Fingerprint<'a> {
    pub model: &'a Model,
    pub renaming: &'a Renaming,
}

/// Of one thing.
fn hash(thing: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    thing.hash(&mut hasher);
    // Sums of such hashes must not cancel out.
    hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// Of things whose order does not matter.
fn together(tag: impl Hash, parts: impl IntoIterator<Item = u64>) -> u64 {
    hash((tag, parts.into_iter().fold(0u64, |sum, part| sum.wrapping_add(hash(part)))))
}

/// What a leaf is under the renaming, and its type.
type Leaf<'l, L> = &'l dyn Fn(&L) -> (u64, Type);

impl Fingerprint<'_> {
    fn value(&self, value: &Value, ty: Type) -> u64 {
        match value {
            Value::Enum(index) => hash(self.renaming.values(ty).map(|images| images[*index as usize])),
            other => hash(other),
        }
    }

    /// Of an expression of this type.
    fn expr<L>(&self, expr: &Expr<L>, ty: Type, leaf: Leaf<L>) -> u64 {
        let part = |part: &Expr<L>, ty| self.expr(part, ty, leaf);
        match expr {
            Expr::Const(value) => self.value(value, ty),
            Expr::Leaf(name) => leaf(name).0,
            Expr::Not(inner) => hash(("not", part(inner, Type::Bool))),
            Expr::Neg(inner) => hash(("neg", part(inner, Type::Int))),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) => {
                let mut operands = Vec::new();
                flatten(*op, expr, &mut operands);
                together(op, operands.into_iter().map(|operand| part(operand, Type::Bool)))
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) => {
                match type_of(left, leaf).or(type_of(right, leaf)) {
                    Some(ty) => together(op, [part(left, ty), part(right, ty)]),
                    None => hash(constants_equal(left, right) == (*op == BinaryOp::Eq)),
                }
            }
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Mul), left, right) => {
                together(op, [part(left, Type::Int), part(right, Type::Int)])
            }
            Expr::Binary(BinaryOp::Iff, left, right) => {
                together("iff", [part(left, Type::Bool), part(right, Type::Bool)])
            }
            // Of truth values or numbers: no constant in them can be renamed.
            Expr::Binary(op, left, right) => hash((op, part(left, Type::Int), part(right, Type::Int))),
        }
    }

    /// Of an expression in the code of an agent type.
    pub fn code(&self, agent: &Agent, expr: &Expr<CommandLeaf>, ty: Type) -> u64 {
        self.expr(expr, ty, &|leaf| (hash(leaf), leaf_type(self.model, agent, *leaf)))
    }

    /// Of all that a command does.
    pub fn edge(&self, agent: &Agent, edge: &Edge) -> u64 {
        let boolean = |expr| self.code(agent, expr, Type::Bool);
        let location = |expr| self.code(agent, expr, Type::Location);
        let channel = |expr| self.code(agent, expr, Type::Channel);
        let action = match &edge.action {
            Action::Send { channel: on, guard, .. } => hash(("send", channel(on), boolean(guard))),
            Action::Receive { channel: on } => hash(("receive", channel(on))),
            Action::Get { target: GetTarget::Location(expr), .. } => hash(("get", location(expr))),
            Action::Get { target: GetTarget::Predicate(expr), .. } => hash(("get by", boolean(expr))),
            Action::Supply { to: SupplyTarget::Any, .. } => hash("supply any"),
            Action::Supply { to: SupplyTarget::Myself, .. } => hash("supply myself"),
            Action::Supply { to: SupplyTarget::Getter(expr), .. } => hash(("supply", location(expr))),
        };
        let messages = &self.model.messages;
        let data = edge.action.data().iter();
        let data = data.map(|(message, expr)| hash((message, self.code(agent, expr, messages[message.index()].ty))));
        let updates = edge.updates.iter();
        let updates =
            updates.map(|(local, expr)| hash((local, self.code(agent, expr, agent.locals[local.index()].ty))));
        let effect = (together("data", data), together("updates", updates));
        hash((edge.source, edge.target, boolean(&edge.guard), action, effect, &edge.reads))
    }

    /// Of what an agent type is beside its commands.
    pub fn agent(&self, agent: &Agent) -> u64 {
        let properties = self.model.properties.iter();
        let relabelling = properties.zip(&agent.relabel);
        let relabelling =
            relabelling.map(|(property, expr)| expr.as_ref().map(|expr| self.code(agent, expr, property.ty)));
        let relabelling: Vec<Option<u64>> = relabelling.collect();
        let boolean = |expr| self.code(agent, expr, Type::Bool);
        hash((boolean(&agent.init), boolean(&agent.receive_guard), relabelling))
    }

    /// Of a state formula.
    pub fn atom(&self, expr: &Expr<StateLeaf>) -> u64 {
        let instances = &self.renaming.instances;
        self.expr(expr, Type::Bool, &|leaf| match leaf {
            StateLeaf::Local(instance, local) => {
                let ty = self.model.agent_of(*instance).locals[local.index()].ty;
                (hash((instances[instance.index()], local)), ty)
            }
            StateLeaf::Automaton(instance) => (hash(("state", instances[instance.index()])), Type::Int),
            StateLeaf::Deadlock => (hash("deadlock"), Type::Bool),
        })
    }

    /// Of an observation.
    pub fn observation(&self, observation: &Observation) -> u64 {
        let part = |part: &Observation| self.observation(part);
        match observation {
            Observation::Const(_) | Observation::PointToPoint => hash(observation),
            Observation::Role(role, instance) => hash((role, self.renaming.instances[instance.index()])),
            Observation::Data(expr) => self.expr(expr, Type::Bool, &|leaf| (hash(leaf), data_type(self.model, *leaf))),
            Observation::Not(inner) => hash(("not", part(inner))),
            Observation::And(..) | Observation::Or(..) => {
                let mut operands = Vec::new();
                let all = matches!(observation, Observation::And(..));
                flatten_observation(all, observation, &mut operands);
                together(all, operands.into_iter().map(part))
            }
            Observation::Implies(left, right) => hash(("implies", part(left), part(right))),
            Observation::Iff(left, right) => together("iff", [part(left), part(right)]),
            Observation::Exists(inner) => hash(("exists", part(inner))),
            Observation::Forall(inner) => hash(("forall", part(inner))),
        }
    }

    /// Of a formula.
    pub fn formula(&self, formula: &Formula) -> u64 {
        let part = |part: &Formula| self.formula(part);
        match formula {
            Formula::Atom(expr) => self.atom(expr),
            Formula::Label(instance, edge) => hash(("label", self.renaming.command(self.model, (*instance, *edge)))),
            Formula::Not(a) => hash(("not", part(a))),
            Formula::And(list) => together("and", list.iter().map(part)),
            Formula::Or(list) => together("or", list.iter().map(part)),
            Formula::Implies(a, b) => hash(("implies", part(a), part(b))),
            Formula::Iff(a, b) => together("iff", [part(a), part(b)]),
            Formula::Next(a) => hash(("next", part(a))),
            Formula::Finally(a) => hash(("finally", part(a))),
            Formula::Globally(a) => hash(("globally", part(a))),
            Formula::Until(a, b) => hash(("until", part(a), part(b))),
            Formula::WeakUntil(a, b) => hash(("weak until", part(a), part(b))),
            Formula::Release(a, b) => hash(("release", part(a), part(b))),
            Formula::Possible(o, a) => hash(("possible", self.observation(o), part(a))),
            Formula::Necessary(o, a) => hash(("necessary", self.observation(o), part(a))),
        }
    }
}

fn flatten<'e, L>(op: BinaryOp, expr: &'e Expr<L>, operands: &mut Vec<&'e Expr<L>>) {
    match expr {
        Expr::Binary(found, left, right) if *found == op => {
            flatten(op, left, operands);
            flatten(op, right, operands);
        }
        other => operands.push(other),
    }
}

fn flatten_observation<'o>(all: bool, observation: &'o Observation, operands: &mut Vec<&'o Observation>) {
    match (observation, all) {
        (Observation::And(left, right), true) | (Observation::Or(left, right), false) => {
            flatten_observation(all, left, operands);
            flatten_observation(all, right, operands);
        }
        _ => operands.push(observation),
    }
}

/// The type of an operand of a comparison, unless it is a constant without one.
fn type_of<L>(expr: &Expr<L>, leaf: Leaf<L>) -> Option<Type> {
    match expr {
        Expr::Leaf(name) => Some(leaf(name).1),
        Expr::Const(Value::Enum(_)) => None,
        // Only truth values and numbers are computed, and none of them can be renamed.
        _ => Some(Type::Int),
    }
}

fn constants_equal<L>(left: &Expr<L>, right: &Expr<L>) -> bool {
    matches!((left, right), (Expr::Const(left), Expr::Const(right)) if left == right)
}

/// The type of a leaf in the code of an agent type.
pub fn leaf_type(model: &Model, agent: &Agent, leaf: CommandLeaf) -> Type {
    match leaf {
        CommandLeaf::Local(local) => agent.locals[local.index()].ty,
        CommandLeaf::Message(message) => model.messages[message.index()].ty,
        CommandLeaf::Property(property) => model.properties[property.index()].ty,
        CommandLeaf::Chan => Type::Channel,
        CommandLeaf::Myself => Type::Location,
    }
}

fn data_type(model: &Model, leaf: DataLeaf) -> Type {
    match leaf {
        DataLeaf::Message(message) => model.messages[message.index()].ty,
        DataLeaf::Property(property) => model.properties[property.index()].ty,
        DataLeaf::Chan => Type::Channel,
    }
}
