//! Expressions of commands as expressions over the state.

use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, CommandLeaf, Expr, InstanceId, MessageId, Model, PropertyId, Type, Value};

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
        substituted(expr, &|leaf| self.leaf(*leaf))
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

/// An expression with others in the places of its leaves; nothing if one of them has none. Constants are folded.
pub fn substituted<L, M: Clone + PartialEq>(expr: &Expr<L>, leaf: &impl Fn(&L) -> Option<Expr<M>>) -> Option<Expr<M>> {
    let value = |part: &Expr<L>| substituted(part, leaf);
    Some(match expr {
        Expr::Const(value) => Expr::Const(value.clone()),
        Expr::Leaf(name) => leaf(name)?,
        Expr::Not(inner) => not(value(inner)?),
        Expr::Neg(inner) => Expr::Neg(Box::new(value(inner)?)),
        Expr::Binary(BinaryOp::And, left, right) => and([value(left)?, value(right)?]),
        Expr::Binary(BinaryOp::Or, left, right) => or([value(left)?, value(right)?]),
        Expr::Binary(op, left, right) => binary(*op, value(left)?, value(right)?),
        Expr::If(condition, yes, no) => Expr::conditional(value(condition)?, value(yes)?, value(no)?),
    })
}

/// The value is outside of the type.
pub fn outside<L: Clone + PartialEq>(value: Expr<L>, ty: Type) -> Expr<L> {
    let Type::Range(low, high) = ty else { return Expr::FALSE };
    if let Expr::Const(Value::Int(number)) = &value {
        return Expr::Const(Value::Bool(*number < low.into() || *number > high.into()));
    }
    let bound = |op, end| binary(op, value.clone(), Expr::Const(Value::int(end)));
    or([bound(BinaryOp::Lt, low), bound(BinaryOp::Gt, high)])
}

/// An instance as a location.
pub fn location(instance: InstanceId) -> StateExpr {
    Expr::Const(Value::Enum(instance.0))
}

/// `a op b`; equalities of constants are decided.
pub fn binary<L: Clone>(op: BinaryOp, left: Expr<L>, right: Expr<L>) -> Expr<L> {
    Expr::in_branches(op, left, right, &|op, left, right| match (op, &left, &right) {
        (BinaryOp::Eq, Expr::Const(one), Expr::Const(other)) => Expr::Const(Value::Bool(one == other)),
        (BinaryOp::Ne, Expr::Const(one), Expr::Const(other)) => Expr::Const(Value::Bool(one != other)),
        _ => Expr::binary(op, left, right),
    })
}

/// `!a`
pub fn not<L>(expr: Expr<L>) -> Expr<L> {
    match expr {
        Expr::Const(Value::Bool(value)) => Expr::Const(Value::Bool(!value)),
        Expr::Not(inner) => *inner,
        other => Expr::Not(Box::new(other)),
    }
}

/// Their conjunction.
pub fn and<L: PartialEq>(list: impl IntoIterator<Item = Expr<L>>) -> Expr<L> {
    join(BinaryOp::And, list, Expr::TRUE, &Expr::FALSE)
}

/// Their disjunction.
pub fn or<L: PartialEq>(list: impl IntoIterator<Item = Expr<L>>) -> Expr<L> {
    join(BinaryOp::Or, list, Expr::FALSE, &Expr::TRUE)
}

fn join<L: PartialEq>(
    op: BinaryOp,
    list: impl IntoIterator<Item = Expr<L>>,
    neutral: Expr<L>,
    decisive: &Expr<L>,
) -> Expr<L> {
    let mut parts: Vec<Expr<L>> = Vec::new();
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
