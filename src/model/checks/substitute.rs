//! Expressions of commands as expressions over the state.

use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, CommandLeaf, Expr, InstanceId, MessageId, Model, PropertyId, Value};

/// An expression over the state.
pub type StateExpr = Expr<StateLeaf>;

/// The meaning of the names in the code of an instance.
#[derive(Clone, Copy)]
pub struct Meaning<'a> {
    pub model: &'a Model,
    /// The instance whose locals plain names are.
    pub instance: InstanceId,
    /// The other side's data.
    pub data: &'a [(MessageId, StateExpr)],
    /// The instance whose relabellings property variables are.
    pub partner: Option<InstanceId>,
    /// The channel of the message.
    pub channel: Option<&'a StateExpr>,
}

impl<'a> Meaning<'a> {
    /// Of an instance on its own.
    pub fn own(model: &'a Model, instance: InstanceId) -> Meaning<'a> {
        Meaning { model, instance, data: &[], partner: None, channel: None }
    }

    /// The expression over the state; nothing if it reads something that is not there.
    pub fn value(&self, expr: &Expr<CommandLeaf>) -> Option<StateExpr> {
        Some(match expr {
            Expr::Const(value) => Expr::Const(value.clone()),
            Expr::Leaf(leaf) => self.leaf(*leaf)?,
            Expr::Not(inner) => not(self.value(inner)?),
            Expr::Neg(inner) => Expr::Neg(Box::new(self.value(inner)?)),
            Expr::Binary(BinaryOp::And, left, right) => and([self.value(left)?, self.value(right)?]),
            Expr::Binary(BinaryOp::Or, left, right) => or([self.value(left)?, self.value(right)?]),
            Expr::Binary(op, left, right) => binary(*op, self.value(left)?, self.value(right)?),
            Expr::If(condition, yes, no) => {
                Expr::conditional(self.value(condition)?, self.value(yes)?, self.value(no)?)
            }
        })
    }

    /// True if it holds; it does not if it reads something that is not there.
    pub fn holds(&self, expr: &Expr<CommandLeaf>) -> StateExpr {
        self.value(expr).unwrap_or(Expr::FALSE)
    }

    fn leaf(&self, leaf: CommandLeaf) -> Option<StateExpr> {
        match leaf {
            CommandLeaf::Local(local) => Some(Expr::Leaf(StateLeaf::Local(self.instance, local))),
            CommandLeaf::Message(message) => {
                self.data.iter().find(|(assigned, _)| *assigned == message).map(|(_, value)| value.clone())
            }
            CommandLeaf::Property(property) => self.relabelled(property),
            CommandLeaf::Chan => self.channel.cloned(),
            CommandLeaf::Myself => Some(location(self.instance)),
        }
    }

    fn relabelled(&self, property: PropertyId) -> Option<StateExpr> {
        let partner = self.partner?;
        let relabelling = self.model.agent_of(partner).relabel[property.index()].as_ref()?;
        Meaning::own(self.model, partner).value(relabelling)
    }
}

/// An instance as a location.
pub fn location(instance: InstanceId) -> StateExpr {
    Expr::Const(Value::Enum(instance.0))
}

/// `a op b`; equalities of constants are decided.
pub fn binary(op: BinaryOp, left: StateExpr, right: StateExpr) -> StateExpr {
    Expr::in_branches(op, left, right, &|op, left, right| match (op, &left, &right) {
        (BinaryOp::Eq, Expr::Const(one), Expr::Const(other)) => Expr::Const(Value::Bool(one == other)),
        (BinaryOp::Ne, Expr::Const(one), Expr::Const(other)) => Expr::Const(Value::Bool(one != other)),
        _ => Expr::binary(op, left, right),
    })
}

/// `!a`
pub fn not(expr: StateExpr) -> StateExpr {
    match expr {
        Expr::Const(Value::Bool(value)) => Expr::Const(Value::Bool(!value)),
        Expr::Not(inner) => *inner,
        other => Expr::Not(Box::new(other)),
    }
}

/// Their conjunction.
pub fn and(list: impl IntoIterator<Item = StateExpr>) -> StateExpr {
    join(BinaryOp::And, list, Expr::TRUE, &Expr::FALSE)
}

/// Their disjunction.
pub fn or(list: impl IntoIterator<Item = StateExpr>) -> StateExpr {
    join(BinaryOp::Or, list, Expr::FALSE, &Expr::TRUE)
}

fn join(
    op: BinaryOp,
    list: impl IntoIterator<Item = StateExpr>,
    neutral: StateExpr,
    decisive: &StateExpr,
) -> StateExpr {
    let mut parts: Vec<StateExpr> = Vec::new();
    for part in list {
        if part == *decisive {
            return part;
        }
        if part != neutral {
            parts.push(part);
        }
    }
    parts.into_iter().reduce(|all, next| Expr::binary(op, all, next)).unwrap_or(neutral)
}
