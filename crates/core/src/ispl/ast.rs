//! The syntax tree of a file. Nothing is resolved: names are text.

use crate::source::Span;
pub use crate::syntax::ast::Ident;

/// A file.
#[derive(Debug, Default)]
pub struct File {
    /// True if a line of an evolution sets one variable (`SA`), where the file says so.
    pub is_single: bool,
    pub agents: Vec<Agent>,
    pub evaluation: Vec<Proposition>,
    /// The condition, and where the section stands.
    pub init: Option<(Expr, Span)>,
    pub groups: Vec<Group>,
    pub fairness: Vec<Formula>,
    pub formulae: Vec<Item>,
    /// Which declarations may be missing, since something there could not be read.
    pub unread: Unread,
}

/// True if names may be missing that the text declares.
#[derive(Debug, Default)]
pub struct Unread {
    pub agents: bool,
    pub propositions: bool,
    pub groups: bool,
}

/// An agent.
#[derive(Debug)]
pub struct Agent {
    pub name: Ident,
    /// Variables of the environment that it sees beside those that all see.
    pub lobsvars: Vec<Ident>,
    /// Variables, with whether all agents see them.
    pub variables: Vec<(Variable, bool)>,
    pub red: Option<Expr>,
    pub actions: Vec<Ident>,
    pub protocol: Vec<ProtocolLine>,
    pub evolution: Vec<EvolutionLine>,
    /// The sections that it has, and where their names stand.
    pub sections: Vec<(&'static str, Span)>,
    /// True if variables may be missing that the text declares.
    pub lacks_variables: bool,
    /// True if actions may be missing that the text declares.
    pub lacks_actions: bool,
    /// True if something in it could not be read as a section.
    pub has_strangers: bool,
}

/// A declared variable.
#[derive(Debug)]
pub struct Variable {
    pub name: Ident,
    pub domain: Domain,
    /// The place of the domain.
    pub span: Span,
}

/// The values of a variable.
#[derive(Clone, Debug)]
pub enum Domain {
    Boolean,
    Range(i64, i64),
    Listed(Vec<Ident>),
    /// It could not be read.
    Error,
}

/// `condition : {a, b};`
#[derive(Debug)]
pub struct ProtocolLine {
    /// None is `Other`.
    pub condition: Option<Expr>,
    pub actions: Vec<Ident>,
    /// True if all of them could be read.
    pub is_complete: bool,
    pub span: Span,
}

/// `x=1 and y=2 if condition;`
#[derive(Debug)]
pub struct EvolutionLine {
    pub assignments: Expr,
    pub condition: Expr,
    pub span: Span,
}

/// `p if condition;`
#[derive(Debug)]
pub struct Proposition {
    pub name: Ident,
    /// None is one that could not be read.
    pub condition: Option<Expr>,
}

/// `g = {A, B};`
#[derive(Debug)]
pub struct Group {
    pub name: Ident,
    pub members: Vec<Ident>,
    /// True if all of them could be read.
    pub is_complete: bool,
}

/// An expression over variables and actions.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i64),
    Truth(bool),
    /// `x`, `Agent.x`, `Agent.Action`, a constant of an enumeration.
    Name(Option<Ident>, Ident),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    /// `a and b and c`
    All(Vec<Expr>),
    /// `a or b or c`
    Any(Vec<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Implies,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Times,
    Divided,
    /// `a & b` of truth values, which binds more tightly than comparisons.
    BitAnd,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
}

impl Op {
    /// True of operators that join truth values inside of a comparison.
    pub fn is_on_bits(self) -> bool {
        matches!(self, Op::BitAnd | Op::BitOr | Op::BitXor)
    }
}

/// A formula of `Formulae`.
#[derive(Debug)]
pub struct Item {
    pub logic: Logic,
    pub formula: Formula,
    pub span: Span,
}

/// The logic that a formula names at its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// Nothing.
    Ctl,
    /// `LTL`
    Ltl,
    /// `CTL*`
    CtlStar,
}

/// A formula.
#[derive(Debug)]
pub struct Formula {
    pub kind: FormulaKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum FormulaKind {
    /// `p`, `true`
    Proposition(Ident),
    /// `Agent.RedStates`, `Agent.GreenStates`
    Standard(Ident, Ident),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    /// `X f`, `F f`, `G f`
    Temporal(Temporal, Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    /// `A f` (true), `E f`
    Path(bool, Box<Formula>),
    /// `K(i, f)`, `GK(g, f)`, `O(i, f)`, ..
    Knows(GroupKnowledge, Ident, Box<Formula>),
    /// `<g> f`
    Strategy(Ident, Box<Formula>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temporal {
    Next,
    Finally,
    Globally,
}

/// The operator of `K(i, f)` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKnowledge {
    Own,
    Everybody,
    Distributed,
    Common,
    Obliged,
}
