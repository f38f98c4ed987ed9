//! Expressions in the modern dialect, with parentheses wherever the two dialects, or two readers,
//! could group otherwise.

use crate::syntax::ast::{Aggregate, BinaryOp, Expr, ExprKind, Ident, Modality, Quantifier, UnaryOp};
use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};

/// How tightly an expression holds together, the looser the smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Temporal operators, quantifiers and observations: they reach as far right as they can.
    Prefix,
    Connective,
    Comparison,
    Sum,
    Product,
    /// `!` and `-`.
    Unary,
    Atom,
}

/// The facts about the file that the printer of expressions needs.
#[derive(Default)]
pub struct Names<'a> {
    /// The names that turn a subtraction into a qualified name: instances and quantified variables.
    pub owners: FxHashSet<&'a str>,
    /// True if `ch` means the channel of the message: in classic files that declare no `ch`.
    pub ch_is_channel: bool,
    /// True if `k-name` means `k` itself: in classic files that declare no local `name`.
    pub name_is_location: bool,
    /// The parameters of a guard that need other names, with those names.
    pub renamed: FxHashMap<&'a str, String>,
}

impl Names<'_> {
    /// The name in the text for a name.
    pub fn of<'n>(&'n self, name: &'n str) -> &'n str {
        self.renamed.get(name).map_or(name, String::as_str)
    }
}

/// The text of an expression.
pub fn expression(expr: &Expr, names: &Names) -> String {
    let mut out = String::new();
    Printer { names, out: &mut out }.print(expr);
    out
}

struct Printer<'a> {
    names: &'a Names<'a>,
    out: &'a mut String,
}

impl Printer<'_> {
    fn print(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Error => self.out.push('?'),
            ExprKind::Bool(true) => self.out.push_str("true"),
            ExprKind::Bool(false) => self.out.push_str("false"),
            ExprKind::Int(value) => self.out.push_str(&value.to_string()),
            ExprKind::Star => self.out.push('*'),
            ExprKind::Chan => self.out.push_str("chan"),
            ExprKind::Myself => self.out.push_str("myself"),
            ExprKind::Name(name) if name == "ch" && self.names.ch_is_channel => self.out.push_str("chan"),
            ExprKind::Name(name) => self.out.push_str(self.names.of(name)),
            ExprKind::Property(name) => {
                self.out.push('@');
                self.out.push_str(&name.name);
            }
            ExprKind::Member { owner, member } => self.member(owner, member),
            ExprKind::Call { callee, arguments } => self.call(callee, arguments),
            ExprKind::Group(members) => {
                let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
                self.out.push_str(&format!("{{{}}}", names.join(", ")));
            }
            ExprKind::Assignments(quantifier, body) => {
                self.out.push_str(quantifier_word(*quantifier));
                self.bracketed("(", body, ")");
            }
            ExprKind::Unary(op, body) => self.unary(*op, body),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Observe { modality, observation, body } => {
                match modality {
                    Modality::Possible => self.bracketed("<<", observation, ">> "),
                    Modality::Necessary => self.bracketed("[[", observation, "]] "),
                }
                self.operand(body, is_tight_or_prefix(body));
            }
            ExprKind::Quantified { quantifier, variable, domain, body } => {
                self.binding(quantifier_word(*quantifier), variable, domain);
                self.print(body);
            }
            ExprKind::If { condition, yes, no } => {
                self.bracketed("if ", condition, " then ");
                self.bracketed("", yes, " else ");
                self.print(no);
            }
            ExprKind::Aggregate { aggregate, variable, domain, body } => {
                let (word, is_fine) = match aggregate {
                    Aggregate::Sum => ("sum", level(body) >= Level::Unary),
                    Aggregate::Count => ("count", true),
                };
                self.binding(word, variable, domain);
                self.operand(body, is_fine);
            }
        }
    }

    /// `word k : T1 | T2 . `
    fn binding(&mut self, word: &str, variable: &Ident, domain: &[Ident]) {
        let domain: Vec<&str> = domain.iter().map(|ty| ty.name.as_str()).collect();
        self.out.push_str(&format!("{word} {} : {} . ", variable.name, domain.join(" | ")));
    }

    fn member(&mut self, owner: &Ident, member: &Ident) {
        let member = if member.name == "name" && self.names.name_is_location { "myself" } else { &member.name };
        self.out.push_str(&owner.name);
        self.out.push('-');
        self.out.push_str(member);
    }

    fn call(&mut self, callee: &Ident, arguments: &[Expr]) {
        self.out.push_str(&callee.name);
        self.out.push('(');
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.print(argument);
        }
        self.out.push(')');
    }

    fn bracketed(&mut self, open: &str, body: &Expr, close: &str) {
        self.out.push_str(open);
        self.print(body);
        self.out.push_str(close);
    }

    /// Prints an operand, in parentheses unless it is fine without.
    fn operand(&mut self, expr: &Expr, is_fine: bool) {
        if is_fine {
            self.print(expr);
        } else {
            self.bracketed("(", expr, ")");
        }
    }

    fn unary(&mut self, op: UnaryOp, body: &Expr) {
        self.out.push_str(op.symbol());
        match op {
            UnaryOp::Not => self.operand(body, level(body) == Level::Atom || is_unary(body, UnaryOp::Not)),
            UnaryOp::Neg => self.operand(body, level(body) == Level::Atom),
            UnaryOp::Next | UnaryOp::Finally | UnaryOp::Globally => {
                self.out.push(' ');
                let is_wide = matches!(body.kind, ExprKind::Quantified { .. } | ExprKind::If { .. });
                self.operand(body, is_tight_or_prefix(body) && !is_wide);
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let own = level_of(op);
        let (left_is_fine, right_is_fine) = match own {
            Level::Connective => {
                let continues = matches!(op, BinaryOp::And | BinaryOp::Or) && is_closed_chain(left, op);
                (continues || level(left) >= Level::Comparison, level(right) >= Level::Comparison || is_last(right))
            }
            Level::Comparison => (is_arithmetic(left), is_arithmetic(right)),
            _ => (is_arithmetic(left) && level(left) >= own, is_arithmetic(right) && level(right) > own),
        };
        let reads_as_member = op == BinaryOp::Sub && self.ends_in_owner(left);
        self.operand(left, left_is_fine && !reads_as_member);
        self.out.push_str(&format!(" {} ", op.symbol()));
        self.operand(right, right_is_fine);
    }

    /// True if the text of an expression ends in a name that would take a following `-` for itself: that of an instance,
    /// or `if`, behind which ` - x` is a condition.
    fn ends_in_owner(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => name == "if" || self.names.owners.contains(name.as_str()),
            ExprKind::Binary(_, _, right) => self.ends_in_owner(right),
            ExprKind::Unary(_, body) => self.ends_in_owner(body),
            _ => false,
        }
    }
}

fn level(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Not | UnaryOp::Neg, _) => Level::Unary,
        ExprKind::Int(value) if *value < IBig::ZERO => Level::Unary,
        ExprKind::Unary(..) | ExprKind::Observe { .. } | ExprKind::Quantified { .. } => Level::Prefix,
        ExprKind::If { .. } | ExprKind::Aggregate { .. } => Level::Prefix,
        ExprKind::Binary(op, ..) => level_of(*op),
        _ => Level::Atom,
    }
}

fn level_of(op: BinaryOp) -> Level {
    use BinaryOp::*;
    match op {
        Add | Sub => Level::Sum,
        Mul | Div => Level::Product,
        comparison if comparison.is_comparison() => Level::Comparison,
        _ => Level::Connective,
    }
}

/// True if an expression can stand behind a prefix operator as it is: operands of one piece, and further prefix
/// operators.
fn is_tight_or_prefix(expr: &Expr) -> bool {
    matches!(level(expr), Level::Prefix | Level::Unary | Level::Atom)
}

/// Arithmetic, for operands of arithmetic: `!` there is legal but misleading.
fn is_arithmetic(expr: &Expr) -> bool {
    level(expr) >= Level::Sum && !is_unary(expr, UnaryOp::Not)
}

fn is_unary(expr: &Expr, wanted: UnaryOp) -> bool {
    matches!(&expr.kind, ExprKind::Unary(op, _) if *op == wanted)
}

/// A chain of one operator that can go on: no prefix operator at its end would take what follows.
fn is_closed_chain(expr: &Expr, wanted: BinaryOp) -> bool {
    matches!(&expr.kind, ExprKind::Binary(op, _, right) if *op == wanted && level(right) > Level::Prefix)
}

/// True if an expression may end a connective as it is: a prefix operator, the operand of which is in one piece.
fn is_last(expr: &Expr) -> bool {
    let is_wide = matches!(expr.kind, ExprKind::Quantified { .. } | ExprKind::If { .. } | ExprKind::Aggregate { .. });
    level(expr) == Level::Prefix && !is_wide
}

fn quantifier_word(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Forall => "forall",
        Quantifier::Exists => "exists",
    }
}
