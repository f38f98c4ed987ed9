//! The syntax tree: what the text says, before names and types.
//!
//! Equality ignores places and parentheses, so that `parse(pretty(tree)) == tree` can be asked.

pub use super::constant::{ConstantName, Constants, Fairness, Literal, PointToPoint, show_constants};
use crate::source::Span;
use dashu_int::IBig;
use rustc_hash::FxHashSet;

/// Which of the two concrete syntaxes a file uses (`docs/language.md#dialects`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Today's R-CHECK: `enum channel {..}`, `{guard}`, `<<O>> f`; one level for all connectives.
    Modern,
    /// The papers and the Java tool: `channels: ..`, `<guard>`, `<O> f`; the usual precedences.
    Classic,
}

impl Dialect {
    /// Both.
    pub const ALL: [Dialect; 2] = [Dialect::Modern, Dialect::Classic];

    /// Its name in options and records.
    pub fn word(self) -> &'static str {
        match self {
            Dialect::Modern => "modern",
            Dialect::Classic => "classic",
        }
    }
}

/// A name at a place.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Its place.
    pub span: Span,
}

impl PartialEq for Ident {
    fn eq(&self, other: &Ident) -> bool {
        self.name == other.name
    }
}

/// A whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The dialect that the file was read in.
    pub dialect: Dialect,
    /// Declarations before the agents, in their order.
    pub globals: Vec<Global>,
    /// Agent types.
    pub agents: Vec<Agent>,
    /// The composition; empty if the file has none (which is an error of its own).
    pub system: Vec<Instance>,
    /// `where f` behind the instances: a condition on the initial values of all of them.
    pub restriction: Option<Expr>,
    /// Specifications, in their order.
    pub specs: Vec<Spec>,
    /// The assumptions of the specs below them, in their order.
    pub assumptions: Vec<Assumption>,
    /// How all instances are treated, if that is to be assumed for all specs ([`Model::give`]).
    pub fair: Option<Fairness>,
    /// Which gets meet which supplies, if the caller wants another reading than the file has ([`Model::give`]).
    pub given_reading: Option<PointToPoint>,
    /// The parts that could not be read, if there are such.
    pub damage: Option<Damage>,
}

/// The parts of a file that could not be read; each was reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Damage {
    /// The names that they may declare.
    pub names: FxHashSet<String>,
    /// The parts in which further names may be missing that are not known.
    pub lost: FxHashSet<Part>,
}

/// A part of a file that declares something; agent types by their places among the agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Enums, message and property variables, and guards.
    Globals,
    /// The agent types.
    Agents,
    /// The locals and labels of an agent type.
    Members(usize),
    /// The relabelling of an agent type.
    Relabelling(usize),
    /// The instances.
    Instances,
}

/// A declaration before the agents.
#[derive(Clone, Debug, PartialEq)]
pub enum Global {
    /// `enum name {a, b}`; the channels are the enum named `channel`, also in classic files.
    Enum {
        /// Its name (for classic `channels:`, the name is `channel` at the keyword's place).
        name: Ident,
        /// Its constants.
        constants: Vec<Ident>,
    },
    /// `message-structure: ..`
    Messages(Vec<Declaration>),
    /// `property-variables: ..`
    Properties(Vec<Declaration>),
    /// `guard g(x : T) := e;`
    Guard(Guard),
    /// `const N = e;`
    Constant {
        /// Its name.
        name: Ident,
        /// Its value.
        value: Expr,
        /// The value that was given in place of this one, if there is one ([`Model::give`]).
        given: Option<Literal>,
    },
    /// `point-to-point: paper`
    PointToPoint {
        /// Which gets meet which supplies.
        reading: PointToPoint,
        /// The word `point-to-point`.
        keyword: Ident,
    },
}

impl Global {
    /// The name of an enum, a guard or a constant.
    pub fn name(&self) -> Option<&Ident> {
        match self {
            Global::Enum { name, .. } | Global::Guard(Guard { name, .. }) | Global::Constant { name, .. } => Some(name),
            Global::Messages(_) | Global::Properties(_) | Global::PointToPoint { .. } => None,
        }
    }

    /// The names for values: the constants of an enum, or a constant by itself.
    pub fn constants(&self) -> &[Ident] {
        match self {
            Global::Enum { constants, .. } => constants,
            Global::Constant { name, .. } => std::slice::from_ref(name),
            Global::Messages(_) | Global::Properties(_) | Global::Guard(_) | Global::PointToPoint { .. } => &[],
        }
    }

    /// The variables of messages or properties, or the parameters of a guard.
    pub fn variables(&self) -> &[Declaration] {
        match self {
            Global::Messages(list) | Global::Properties(list) => list,
            Global::Guard(guard) => &guard.parameters,
            Global::Enum { .. } | Global::Constant { .. } | Global::PointToPoint { .. } => &[],
        }
    }
}

impl Model {
    /// A file without anything.
    pub fn empty(dialect: Dialect) -> Model {
        Model {
            dialect,
            globals: Vec::new(),
            agents: Vec::new(),
            system: Vec::new(),
            restriction: None,
            specs: Vec::new(),
            assumptions: Vec::new(),
            fair: None,
            given_reading: None,
            damage: None,
        }
    }

    /// Which gets meet which supplies, if the file or the caller chooses that; the file comes second.
    pub fn chosen_reading(&self) -> Option<PointToPoint> {
        self.given_reading.or(self.written_reading())
    }

    /// The reading that the caller chose, if the file is read otherwise.
    pub fn other_reading(&self) -> Option<PointToPoint> {
        self.given_reading.filter(|given| *given != self.written_reading().unwrap_or_default())
    }

    fn written_reading(&self) -> Option<PointToPoint> {
        self.globals.iter().find_map(|global| match global {
            Global::PointToPoint { reading, .. } => Some(*reading),
            _ => None,
        })
    }

    /// The guard of a name.
    pub fn guard(&self, name: &str) -> Option<&Guard> {
        self.globals.iter().find_map(|global| match global {
            Global::Guard(guard) if guard.name.name == name => Some(guard),
            _ => None,
        })
    }

    /// The names of its constants.
    pub fn constants(&self) -> impl Iterator<Item = &str> {
        self.globals.iter().filter_map(|global| match global {
            Global::Constant { name, .. } => Some(name.name.as_str()),
            _ => None,
        })
    }

    /// The names of its families of any size.
    pub fn families_of_any_size(&self) -> impl Iterator<Item = &str> {
        let families = self.system.iter().filter(|instance| instance.any_size().is_some());
        families.map(|instance| instance.name.name.as_str())
    }
}

/// `x : T`
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The variable.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct Type {
    /// Its kind.
    pub kind: TypeKind,
    /// Its place.
    pub span: Span,
}

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of types as written.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// Not readable; an error was reported.
    Error,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `l..u`, both inclusive; over integers and constants
    Range(Box<Expr>, Box<Expr>),
    /// `location`
    Location,
    /// The name of an enum; `channel` for channels.
    Named(String),
}

/// A named macro over expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub parameters: Vec<Declaration>,
    /// Its definition.
    pub body: Expr,
}

/// An agent type. Repeated sections are an error of the parser; omitted ones are `None` or empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// Its name.
    pub name: Ident,
    /// `local:`
    pub locals: Vec<Declaration>,
    /// `init:`
    pub init: Option<Expr>,
    /// `relabel:`
    pub relabel: Vec<Assignment>,
    /// `receive-guard:`
    pub receive_guard: Option<Expr>,
    /// `repeat:`
    pub process: Process,
}

/// `x := e`, also `x <- e` in a relabelling.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub name: Ident,
    /// Its value.
    pub value: Expr,
}

/// The behaviour of an agent.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its kind.
    pub kind: ProcessKind,
    /// Its place, with its parentheses.
    pub span: Span,
    /// True if it stands in parentheses.
    pub parenthesised: bool,
    /// The height of its tree when it was made: 1 if it has no parts.
    pub height: usize,
}

impl Process {
    /// A process without parentheses.
    pub fn new(kind: ProcessKind, span: Span) -> Process {
        let height = 1 + match &kind {
            ProcessKind::Error | ProcessKind::Command(_) => 0,
            ProcessKind::Sequence(left, right) | ProcessKind::Choice(left, right) => left.height.max(right.height),
            ProcessKind::Rep(body) => body.height,
        };
        Process { kind, span, parenthesised: false, height }
    }

    /// Text that is not readable.
    pub fn error(span: Span) -> Process {
        Process::new(ProcessKind::Error, span)
    }
}

impl PartialEq for Process {
    fn eq(&self, other: &Process) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of processes. Sequences nest to the left in modern and to the right in classic files:
/// the tree has the grouping that counts for the numbers of the automaton states.
#[derive(Clone, Debug, PartialEq)]
pub enum ProcessKind {
    /// Not readable; an error was reported.
    Error,
    /// One command.
    Command(Box<Command>),
    /// `P ; Q`
    Sequence(Box<Process>, Box<Process>),
    /// `P + Q` (to the left; the grouping of choices has no meaning)
    Choice(Box<Process>, Box<Process>),
    /// `rep P`
    Rep(Box<Process>),
}

/// `label: {guard} action`
#[derive(Clone, Debug)]
pub struct Command {
    /// Its label.
    pub label: Option<Ident>,
    /// Its guard.
    pub guard: Expr,
    /// Its action.
    pub action: Action,
    /// Assignments to message variables; a receive has none.
    pub data: Vec<Assignment>,
    /// Assignments to locals.
    pub updates: Vec<Assignment>,
    /// Its place.
    pub span: Span,
}

impl PartialEq for Command {
    fn eq(&self, other: &Command) -> bool {
        (&self.label, &self.guard, &self.action, &self.data, &self.updates)
            == (&other.label, &other.guard, &other.action, &other.data, &other.updates)
    }
}

/// The action of a command, without its data and updates.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `channel ! guard (data) [updates]`
    Send {
        /// `*` or a name.
        channel: Expr,
        /// The send guard.
        guard: Expr,
    },
    /// `channel ? [updates]`
    Receive {
        /// `*` or a name.
        channel: Expr,
    },
    /// `GET@(target)(data)[updates]`
    Get {
        /// A location, or a predicate over the supplier's property variables.
        target: Expr,
    },
    /// `SUPPLY@(to)(data)[updates]`
    Supply {
        /// The getters that are served.
        to: SupplyTarget,
    },
}

impl Action {
    /// The expressions in it, in the order of the text.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Action::Send { channel, guard } => vec![channel, guard],
            Action::Receive { channel: expr } | Action::Get { target: expr } => vec![expr],
            Action::Supply { .. } => Vec::new(),
        }
    }

    /// The same, for code that changes them.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Action::Send { channel, guard } => vec![channel, guard],
            Action::Receive { channel: expr } | Action::Get { target: expr } => vec![expr],
            Action::Supply { .. } => Vec::new(),
        }
    }

    /// True if it meets one partner, and no message is sent to all.
    pub fn is_point_to_point(&self) -> bool {
        match self {
            Action::Send { .. } | Action::Receive { .. } => false,
            Action::Get { .. } | Action::Supply { .. } => true,
        }
    }

    /// The name of the getter that a supply serves, or `any`.
    pub fn getter(&self) -> Option<&Ident> {
        let Action::Supply { to: SupplyTarget::Name(name) } = self else { return None };
        Some(name)
    }

    /// The same, for code that changes it.
    pub fn getter_mut(&mut self) -> Option<&mut Ident> {
        let Action::Supply { to: SupplyTarget::Name(name) } = self else { return None };
        Some(name)
    }
}

/// The getters that a supply command serves.
#[derive(Clone, Debug, PartialEq)]
pub enum SupplyTarget {
    /// `myself`: gets that name the supplier.
    Myself,
    /// `any`: gets by name and by predicate; any other name: gets by that instance.
    Name(Ident),
}

/// `Type(name, condition)`, `Type(name[l..u], condition)`
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The agent type.
    pub agent: Ident,
    /// The name of the instance, or what the names of the members of a family begin with.
    pub name: Ident,
    /// The members, if it is a family: one instance for each number, which is `index` in the condition.
    pub family: Option<Box<Family>>,
    /// The extra initial condition.
    pub init: Expr,
}

/// Which members a family has.
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    /// `[l..u]`
    Range(Expr, Expr),
    /// `[*]`, `[l..*]`: any number of members, but at least l; their numbers begin with 1.
    Any(AnySize),
}

/// The size of a family of any size.
#[derive(Clone, Debug)]
pub struct AnySize {
    /// The least one; 0 where nothing is said.
    pub least: Option<Expr>,
    /// The place of the star.
    pub star: Span,
    /// The size that is wanted ([`Model::give`]).
    pub given: Option<Literal>,
    /// The names of its first members, where a file lists them.
    pub listed: Vec<Ident>,
    /// The constants that each member has of its own, beside its number.
    pub own: Vec<Own>,
    /// The number of members that the text has, where there may be any number of them instead.
    pub written: Option<Expr>,
}

impl PartialEq for AnySize {
    fn eq(&self, other: &AnySize) -> bool {
        (&self.least, &self.given, &self.listed, &self.own) == (&other.least, &other.given, &other.listed, &other.own)
    }
}

impl AnySize {
    /// A size that nothing more is said of than its least one.
    pub fn new(least: Option<Expr>, star: Span) -> AnySize {
        AnySize { least, star, given: None, listed: Vec::new(), own: Vec::new(), written: None }
    }

    /// The name of a member, by its number from 1.
    pub fn member(&self, family: &str, number: i64) -> String {
        let listed = usize::try_from(number - 1).ok().and_then(|place| self.listed.get(place));
        listed.map_or_else(|| format!("{family}{number}"), |name| name.name.clone())
    }

    /// The number of the member that is called so.
    pub fn number(&self, family: &str, name: &str) -> Option<i64> {
        match self.listed.iter().position(|member| member.name == name) {
            Some(place) => i64::try_from(place + 1).ok(),
            None => {
                let number = name.strip_prefix(family)?.parse().ok()?;
                (number > 0 && self.member(family, number) == name).then_some(number)
            }
        }
    }
}

/// A channel that two members of families have as their own.
pub fn shared_channel<'a>(families: impl Iterator<Item = &'a AnySize>) -> Option<&'a str> {
    let own = families.flat_map(|size| &size.own);
    let mut channels: Vec<&String> = own.flat_map(|own| own.of.channels()).collect();
    channels.sort_unstable();
    channels.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].as_str())
}

/// A constant that is another one for each member of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// The name that stands for it in the condition of the family.
    pub name: String,
    /// Those of the listed members.
    pub of: OwnConstants,
}

/// Constants of one kind, each another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnConstants {
    /// Integers.
    Numbers(Vec<IBig>),
    /// Channels.
    Channels(Vec<String>),
}

impl OwnConstants {
    /// The numbers among them.
    pub fn numbers(&self) -> &[IBig] {
        match self {
            OwnConstants::Numbers(numbers) => numbers,
            OwnConstants::Channels(_) => &[],
        }
    }

    /// The channels among them.
    pub fn channels(&self) -> &[String] {
        match self {
            OwnConstants::Numbers(_) => &[],
            OwnConstants::Channels(channels) => channels,
        }
    }
}

impl Family {
    /// The expressions in it.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let (one, other) = match self {
            Family::Range(first, last) => (Some(first), Some(last)),
            Family::Any(AnySize { least, .. }) => (least.as_ref(), None),
        };
        one.into_iter().chain(other)
    }
}

impl Instance {
    /// The size of the family, if it may have any.
    pub fn any_size(&self) -> Option<&AnySize> {
        match self.family.as_deref() {
            Some(Family::Any(size)) => Some(size),
            _ => None,
        }
    }
}

/// One specification.
#[derive(Clone, Debug)]
pub struct Spec {
    /// From a comment `// name: N` on the lines directly above it or at the end of its line.
    pub name: Option<Ident>,
    /// From a comment `// expect: holds|violated|unknown` at the same places.
    pub expect: Option<Ident>,
    /// The formula.
    pub formula: Expr,
    /// From the keyword to the end of the formula.
    pub span: Span,
}

impl PartialEq for Spec {
    fn eq(&self, other: &Spec) -> bool {
        self.name == other.name && self.expect == other.expect && self.formula == other.formula
    }
}

/// `ASSUME f;`: only runs that satisfy it count for the specs below it.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// The formula.
    pub formula: Expr,
    /// How many specs stand above it.
    pub above: usize,
    /// From the keyword to the end of the formula.
    pub span: Span,
}

impl PartialEq for Assumption {
    fn eq(&self, other: &Assumption) -> bool {
        self.formula == other.formula && self.above == other.above
    }
}

/// Any expression: of a command, a guard, a formula or an observation. Which operators and names may
/// occur where is checked with the names and types.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Its place, with its parentheses.
    pub span: Span,
    /// True if it stands in parentheses.
    pub parenthesised: bool,
    /// The height of its tree when it was made: 1 if it has no parts.
    pub height: usize,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Not readable; an error was reported.
    Error,
    /// `true`, `TRUE`, `false`, `FALSE`
    Bool(bool),
    /// An integer literal; negative where it stands for a constant only.
    Int(IBig),
    /// `*`, the broadcast channel
    Star,
    /// `chan`, `channel`, `ch`: the channel of the current message
    Chan,
    /// `myself`
    Myself,
    /// Any other plain name, among them `sender`, `getter`, `p2p`, `deadlock`: names of formulas.
    Name(String),
    /// `@pv`
    Property(Ident),
    /// `i-x`, `i-automaton-state` (member `automaton-state`), `k-myself`
    Member {
        /// An instance or a quantified variable.
        owner: Ident,
        /// A local, a label, `automaton-state`, `myself` or (classic) `name`.
        member: Ident,
    },
    /// `g(a, b)`, the call of a guard
    Call {
        /// The guard.
        callee: Ident,
        /// Its arguments.
        arguments: Vec<Expr>,
    },
    /// `{i, j}`, a group of agents in `GK`, `DK` and `GCK`
    Group(Vec<Ident>),
    /// `exists(e)` and `forall(e)` over property variables, in observations
    Assignments(Quantifier, Box<Expr>),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `<<O>> f`, `[[O]] f`
    Observe {
        /// Possible or necessary.
        modality: Modality,
        /// The observation descriptor.
        observation: Box<Expr>,
        /// The formula that holds after the step.
        body: Box<Expr>,
    },
    /// `forall k : T1 | T2 . f`
    Quantified {
        /// The quantifier.
        quantifier: Quantifier,
        /// The bound variable.
        variable: Ident,
        /// Agent types, or `Agent` for all.
        domain: Vec<Ident>,
        /// The scope.
        body: Box<Expr>,
    },
    /// `if c then a else b`
    If {
        /// The condition.
        condition: Box<Expr>,
        /// Its value if the condition holds.
        yes: Box<Expr>,
        /// Its value otherwise.
        no: Box<Expr>,
    },
    /// `sum k : T1 | T2 . e`, `count k : T . f`
    Aggregate {
        /// The operation.
        aggregate: Aggregate,
        /// The bound variable.
        variable: Ident,
        /// Agent types, or `Agent` for all.
        domain: Vec<Ident>,
        /// The scope.
        body: Box<Expr>,
    },
}

/// Numbers over instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// The sum of an integer expression.
    Sum,
    /// How many satisfy a condition.
    Count,
}

/// For all, or for some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// For all.
    Forall,
    /// For some.
    Exists,
}

/// The two observation operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modality {
    /// `<<O>> f`: observed, and then f.
    Possible,
    /// `[[O]] f`: if observed, then f.
    Necessary,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
    /// `X`
    Next,
    /// `F`
    Finally,
    /// `G`
    Globally,
}

/// Infix operators. `=` and `==` are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `&`
    And,
    /// `|`
    Or,
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `U`
    Until,
    /// `W`
    WeakUntil,
    /// `R`
    Release,
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
}

impl Expr {
    /// An expression without parentheses.
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        let parts = kind.parts();
        let height = 1 + parts.iter().map(|part| part.height).max().unwrap_or(0);
        Expr { kind, span, parenthesised: false, height }
    }

    /// The same in parentheses.
    pub fn in_parentheses(kind: ExprKind, span: Span) -> Expr {
        Expr { parenthesised: true, ..Expr::new(kind, span) }
    }

    /// Text that is not readable.
    pub fn error(span: Span) -> Expr {
        Expr::new(ExprKind::Error, span)
    }

    /// The value of arithmetic over integers and names of integers.
    pub fn integer(&self, named: &dyn Fn(&str) -> Option<IBig>) -> Option<IBig> {
        match &self.kind {
            ExprKind::Int(value) => Some(value.clone()),
            ExprKind::Name(name) => named(name),
            ExprKind::Unary(UnaryOp::Neg, inner) => inner.integer(named).map(|value| -value),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (left.integer(named)?, right.integer(named)?);
                match op {
                    BinaryOp::Add => Some(left + right),
                    BinaryOp::Sub => Some(left - right),
                    BinaryOp::Mul => Some(left * right),
                    BinaryOp::Div if right != IBig::ZERO => Some(left / right),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The direct parts of a kind of expression, shared or to be changed as it is; a list is visited by this method.
macro_rules! direct_parts {
    ($kind:expr, $list:ident) => {{
        use ExprKind::*;
        match $kind {
            Call { arguments, .. } => arguments.$list().collect(),
            Assignments(_, body) | Unary(_, body) | Quantified { body, .. } | Aggregate { body, .. } => vec![body],
            Binary(_, left, right) => vec![left, right],
            If { condition, yes, no } => vec![condition, yes, no],
            Observe { observation, body, .. } => vec![observation, body],
            Error | Bool(_) | Int(_) | Star | Chan | Myself | Name(_) => Vec::new(),
            Property(_) | Member { .. } | Group(_) => Vec::new(),
        }
    }};
}

impl ExprKind {
    /// The left side of a comparison, if it is itself a comparison without parentheses.
    pub fn chained(&self) -> Option<Span> {
        match self {
            ExprKind::Binary(op, left, _) if op.is_comparison() && !left.parenthesised => match &left.kind {
                ExprKind::Binary(inner, ..) if inner.is_comparison() => Some(left.span),
                _ => None,
            },
            _ => None,
        }
    }

    /// The direct parts, in the order of the text.
    pub fn parts(&self) -> Vec<&Expr> {
        direct_parts!(self, iter)
    }

    /// The same, for code that changes them.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        direct_parts!(self, iter_mut)
    }

    /// The names in it that have places of their own, beside those in its parts.
    pub fn names_mut(&mut self) -> Vec<&mut Ident> {
        use ExprKind::*;
        match self {
            Property(name) | Call { callee: name, .. } => vec![name],
            Member { owner, member } => vec![owner, member],
            Group(members) => members.iter_mut().collect(),
            Quantified { variable, domain, .. } | Aggregate { variable, domain, .. } => {
                [variable].into_iter().chain(domain).collect()
            }
            Error | Bool(_) | Int(_) | Star | Chan | Myself | Name(_) => Vec::new(),
            Assignments(..) | Unary(..) | Binary(..) | Observe { .. } | If { .. } => Vec::new(),
        }
    }
}

impl UnaryOp {
    /// True if it is about what comes later.
    pub fn is_temporal(self) -> bool {
        matches!(self, UnaryOp::Next | UnaryOp::Finally | UnaryOp::Globally)
    }

    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Not => "!",
            UnaryOp::Neg => "-",
            UnaryOp::Next => "X",
            UnaryOp::Finally => "F",
            UnaryOp::Globally => "G",
        }
    }
}

impl BinaryOp {
    /// True if it connects two formulas.
    pub fn is_connective(self) -> bool {
        use BinaryOp::*;
        matches!(self, And | Or | Implies | Iff) || self.is_temporal()
    }

    /// True if it is about what comes later.
    pub fn is_temporal(self) -> bool {
        use BinaryOp::*;
        matches!(self, Until | WeakUntil | Release)
    }

    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Implies => "->",
            BinaryOp::Iff => "<->",
            BinaryOp::Until => "U",
            BinaryOp::WeakUntil => "W",
            BinaryOp::Release => "R",
            BinaryOp::Eq => "=",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
        }
    }

    /// True if it compares two values.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

/// The agent types that the argument of `size(T1 | T2)` names, in their order; nothing if it is something else.
pub fn sized_types(argument: &Expr) -> Option<Vec<Ident>> {
    match &argument.kind {
        ExprKind::Name(name) => Some(vec![Ident { name: name.clone(), span: argument.span }]),
        ExprKind::Binary(BinaryOp::Or, left, right) => {
            let mut names = sized_types(left)?;
            names.extend(sized_types(right)?);
            Some(names)
        }
        _ => None,
    }
}
