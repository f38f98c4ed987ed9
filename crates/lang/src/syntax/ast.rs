//! The syntax tree: what the text says, before names and types.
//!
//! Equality ignores places and parentheses, so that `parse(pretty(tree)) == tree` can be asked.

pub use super::constant::{ConstantName, Constants, Fairness, Literal, PointToPoint, show_constants};
use super::generalise::any_number;
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

impl Model {
    /// Gives constants other values than the file does, and families of any size a size; assumes fairness of all instances;
    /// and chooses a reading.
    ///
    /// # Errors
    /// The names that nothing has.
    pub fn give(&mut self, constants: &Constants) -> Result<(), Vec<ConstantName>> {
        let mut unknown = Vec::new();
        for (name, value) in constants {
            if !self.give_one(name, value) {
                unknown.push(name.clone());
            }
        }
        if unknown.is_empty() { Ok(()) } else { Err(unknown) }
    }

    /// True if something has this name.
    fn give_one(&mut self, name: &ConstantName, literal: &Literal) -> bool {
        match name {
            ConstantName::Declared(of) => {
                let mut found = false;
                for global in &mut self.globals {
                    if let Global::Constant { name, given, .. } = global
                        && name.name == *of
                    {
                        *given = Some(literal.clone());
                        found = true;
                    }
                }
                found
            }
            ConstantName::Size(of) => {
                let mut found = false;
                for Instance { name, family, .. } in &mut self.system {
                    if let Some(Family::Any(size)) = family.as_deref_mut()
                        && name.name == *of
                    {
                        size.given = Some(literal.clone());
                        found = true;
                    }
                }
                found
            }
            _ if *literal != Literal::Bool(true) => false,
            ConstantName::AnyNumber(agent) => any_number(self, agent),
            ConstantName::Fairness(fairness) => {
                self.fair = Some(*fairness);
                true
            }
            ConstantName::PointToPoint(reading) => {
                self.given_reading = Some(*reading);
                true
            }
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
    /// Its place.
    pub span: Span,
}

impl PartialEq for Command {
    fn eq(&self, other: &Command) -> bool {
        self.label == other.label && self.guard == other.guard && self.action == other.action
    }
}

/// The action of a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `channel ! guard (data) [updates]`
    Send {
        /// `*` or a name.
        channel: Expr,
        /// The send guard.
        guard: Expr,
        /// Assignments to message variables.
        data: Vec<Assignment>,
        /// Assignments to locals.
        updates: Vec<Assignment>,
    },
    /// `channel ? [updates]`
    Receive {
        /// `*` or a name.
        channel: Expr,
        /// Assignments to locals.
        updates: Vec<Assignment>,
    },
    /// `GET@(target)(data)[updates]`
    Get {
        /// A location, or a predicate over the supplier's property variables.
        target: Expr,
        /// Assignments to message variables.
        data: Vec<Assignment>,
        /// Assignments to locals.
        updates: Vec<Assignment>,
    },
    /// `SUPPLY@(to)(data)[updates]`
    Supply {
        /// The getters that are served.
        to: SupplyTarget,
        /// Assignments to message variables.
        data: Vec<Assignment>,
        /// Assignments to locals.
        updates: Vec<Assignment>,
    },
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
        /// Which.
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
        /// Which.
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
    /// The left side of a comparison, if it is itself a comparison without parentheses.
    pub fn chained(&self) -> Option<Span> {
        match &self.kind {
            ExprKind::Binary(op, left, _) if op.is_comparison() && !left.parenthesised => match &left.kind {
                ExprKind::Binary(inner, ..) if inner.is_comparison() => Some(left.span),
                _ => None,
            },
            _ => None,
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
