//! Typed expressions, generic in their leaves.
//!
//! One tree serves commands, state formulas and observations; what differs is what a leaf may be.

use super::{LocalId, MessageId, PropertyId, Value};

/// An expression over leaves `L`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr<L> {
    /// A constant.
    Const(Value),
    /// A variable.
    Leaf(L),
    /// `!e`
    Not(Box<Expr<L>>),
    /// `-e`
    Neg(Box<Expr<L>>),
    /// `a op b`
    Binary(BinaryOp, Box<Expr<L>>, Box<Expr<L>>),
    /// `if c then a else b`. Of an enum, channel or location it is no operand of a comparison: the constants in its branches
    /// are of the type that its place has.
    If(Box<Expr<L>>, Box<Expr<L>>, Box<Expr<L>>),
}

/// Infix operators on values. `Eq` and `Ne` compare any two values of one type, Booleans included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
    /// Implication.
    Implies,
    /// Equivalence.
    Iff,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, rounded towards zero; the right side is a non-zero constant.
    Div,
}

impl BinaryOp {
    /// The comparison with the sides exchanged; other operators stay.
    pub fn mirrored(self) -> BinaryOp {
        match self {
            BinaryOp::Lt => BinaryOp::Gt,
            BinaryOp::Le => BinaryOp::Ge,
            BinaryOp::Gt => BinaryOp::Lt,
            BinaryOp::Ge => BinaryOp::Le,
            other => other,
        }
    }
}

/// The variables of a command, an initial condition, a receive guard or a relabelling. Plain names
/// belong to the agent at hand; which leaves may occur where is said at the places in
/// [`super::Agent`] and [`super::Edge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandLeaf {
    /// A local variable.
    Local(LocalId),
    /// A message variable: the other side's data.
    Message(MessageId),
    /// A property variable: the other side's relabelling.
    Property(PropertyId),
    /// The channel of the message.
    Chan,
    /// The instance itself, as a location.
    Myself,
}

impl<L> Expr<L> {
    /// The constant true.
    pub const TRUE: Expr<L> = Expr::Const(Value::Bool(true));
    /// The constant false.
    pub const FALSE: Expr<L> = Expr::Const(Value::Bool(false));

    /// `a op b`
    pub fn binary(op: BinaryOp, left: Expr<L>, right: Expr<L>) -> Expr<L> {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    /// Expressions joined by `&` or `|`, in halves of halves: of thousands the tree is no deeper than other ones.
    pub fn joined(op: BinaryOp, parts: impl IntoIterator<Item = Option<Expr<L>>>) -> Option<Expr<L>> {
        let parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
        let joined = in_halves(parts, |left, right| Some(Expr::binary(op, left, right)))?;
        Some(joined.unwrap_or(if op == BinaryOp::And { Expr::TRUE } else { Expr::FALSE }))
    }

    /// `if condition then yes else no`
    pub fn conditional(condition: Expr<L>, yes: Expr<L>, no: Expr<L>) -> Expr<L> {
        Expr::If(Box::new(condition), Box::new(yes), Box::new(no))
    }

    /// `a op b` as `apply` makes it; where it says whether conditionals are equal, from their branches. Whatever they
    /// read, it reads.
    pub fn in_branches(
        op: BinaryOp,
        left: Expr<L>,
        right: Expr<L>,
        apply: &impl Fn(BinaryOp, Expr<L>, Expr<L>) -> Expr<L>,
    ) -> Expr<L>
    where
        L: Clone,
    {
        match (op, left, right) {
            (BinaryOp::Ne, left, right) if matches!(left, Expr::If(..)) || matches!(right, Expr::If(..)) => {
                Expr::Not(Box::new(Expr::in_branches(BinaryOp::Eq, left, right, apply)))
            }
            (BinaryOp::Eq, Expr::If(condition, yes, no), right) => {
                let yes = Expr::in_branches(op, *yes, right.clone(), apply);
                Expr::conditional(*condition, yes, Expr::in_branches(op, *no, right, apply))
            }
            (BinaryOp::Eq, left, Expr::If(condition, yes, no)) => {
                let yes = Expr::in_branches(op, left.clone(), *yes, apply);
                Expr::conditional(*condition, yes, Expr::in_branches(op, left, *no, apply))
            }
            (op, left, right) => apply(op, left, right),
        }
    }

    /// Of nested applications of an operator the operands, from left to right; of anything else itself.
    pub fn operands(&self, op: BinaryOp) -> Vec<&Expr<L>> {
        match self {
            Expr::Binary(found, left, right) if *found == op => [left.operands(op), right.operands(op)].concat(),
            other => vec![other],
        }
    }

    /// Calls `visit` on every leaf, from left to right.
    pub fn for_each_leaf(&self, visit: &mut impl FnMut(&L)) {
        match self {
            Expr::Const(_) => {}
            Expr::Leaf(leaf) => visit(leaf),
            Expr::Not(inner) | Expr::Neg(inner) => inner.for_each_leaf(visit),
            Expr::Binary(_, left, right) => {
                left.for_each_leaf(visit);
                right.for_each_leaf(visit);
            }
            Expr::If(condition, yes, no) => [condition, yes, no].into_iter().for_each(|part| part.for_each_leaf(visit)),
        }
    }

    /// True if some leaf satisfies the predicate.
    pub fn any_leaf(&self, mut predicate: impl FnMut(&L) -> bool) -> bool {
        let mut found = false;
        self.for_each_leaf(&mut |leaf| found |= predicate(leaf));
        found
    }
}

/// A list joined in halves of halves; nothing inside if it is empty.
pub fn in_halves<T>(mut list: Vec<T>, mut join: impl FnMut(T, T) -> Option<T>) -> Option<Option<T>> {
    while list.len() > 1 {
        let mut pairs = list.into_iter();
        let mut joined = Vec::new();
        while let Some(left) = pairs.next() {
            joined.push(match pairs.next() {
                Some(right) => join(left, right)?,
                None => left,
            });
        }
        list = joined;
    }
    Some(list.pop())
}
