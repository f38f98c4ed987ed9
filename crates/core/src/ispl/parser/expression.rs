//! Expressions over variables and actions: `->`, `or`, `and`, `!`, comparisons, `|` and `^`, `&`, `~`, sums, products; these
//! bind ever more tightly.

use super::super::ast::{Expr, ExprKind, Op};
use super::super::token::Token;
use super::{MAX_DEPTH, Parser, Read, Unread};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// The most operands of sums and products.
const MAX_OPERANDS: usize = 200;

/// The operators that bind more tightly than comparisons, from loose to tight.
const LEVELS: [&[(Token, Op)]; 4] = [
    &[(Token::BitOr, Op::BitOr), (Token::BitXor, Op::BitXor)],
    &[(Token::BitAnd, Op::BitAnd)],
    &[(Token::Plus, Op::Plus), (Token::Minus, Op::Minus)],
    &[(Token::Times, Op::Times), (Token::Divided, Op::Divided)],
];

impl Parser<'_> {
    /// An expression.
    pub fn expression(&mut self) -> Read<Expr> {
        self.nested(|parser| {
            let start = parser.at;
            let left = parser.disjunction()?;
            match parser.token() {
                // A colon is missing.
                Token::Implies if parser.ahead(1) == Token::OpenBrace => return Ok(left),
                Token::Implies => parser.arrow(),
                Token::Iff => {
                    parser.misplaced("`->`", "conditions have no equivalence: write `(a -> b) and (b -> a)`");
                    parser.advance();
                }
                _ => return Ok(left),
            }
            let right = parser.expression()?;
            let kind = ExprKind::Binary(Op::Implies, Box::new(left), Box::new(right));
            Ok(Expr { kind, span: parser.since(start) })
        })
    }

    /// Reads something, unless it is nested too deeply.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    pub fn too_deep(&mut self) -> Unread {
        let message = format!("this is nested more than {MAX_DEPTH} levels deep");
        self.error(Diagnostic::new(Code::NestingTooDeep, self.span(), message).help("split it up"))
    }

    fn disjunction(&mut self) -> Read<Expr> {
        let any = |list, span| Expr { kind: ExprKind::Any(list), span };
        let all = |list, span| Expr { kind: ExprKind::All(list), span };
        self.chain("or", true, |parser| parser.chain("and", true, Self::comparison, all), any)
    }

    /// `a word b word c`; a comma may stand for `and`.
    pub fn chain<T>(
        &mut self,
        word: &str,
        with_commas: bool,
        operand: impl Fn(&mut Self) -> Read<T>,
        joined: impl Fn(Vec<T>, Span) -> T,
    ) -> Read<T> {
        let start = self.at;
        let first = operand(self)?;
        let mut list = vec![first];
        while self.eat_word(word) || self.joins(word, with_commas) {
            list.push(operand(self)?);
        }
        if list.len() == 1 {
            return Ok(list.remove(0));
        }
        Ok(joined(list, self.since(start)))
    }

    fn comparison(&mut self) -> Read<Expr> {
        let start = self.at;
        let left = self.arithmetic(0)?;
        let is_action = matches!(&left.kind, ExprKind::Name(_, name) if name.name == "Action");
        let is_arrow = is_action && self.token() == Token::Implies && self.ahead(1) == Token::Word;
        let Some(op) = self.comparing().or(is_arrow.then_some(Op::Equal)) else { return Ok(left) };
        let first = self.span();
        if is_arrow || self.token() == Token::Assign {
            self.misplaced("`=`", "write `=`");
        }
        self.advance();
        let right = self.arithmetic(0)?;
        if self.comparing().is_some() {
            let finding = Diagnostic::new(Code::ChainedComparison, self.span(), "comparisons do not chain");
            let help = match &right.kind {
                ExprKind::Binary(op, ..) if op.is_on_bits() => {
                    "join two of them by `and` or `or`: `&`, `|` and `^` join truth values before they are compared"
                }
                _ => "join two of them by `and`",
            };
            return Err(self.error(finding.related(first, "the first one").help(help)));
        }
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span: self.since(start) })
    }

    fn comparing(&self) -> Option<Op> {
        Some(match self.token() {
            Token::Equal => Op::Equal,
            Token::Unequal => Op::Unequal,
            Token::Less => Op::Less,
            Token::LessEqual => Op::LessEqual,
            Token::Greater => Op::Greater,
            Token::GreaterEqual => Op::GreaterEqual,
            Token::Assign => Op::Equal,
            _ => return None,
        })
    }

    /// Operands between operators of a level, of those that bind more tightly than comparisons.
    fn arithmetic(&mut self, level: usize) -> Read<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.operand() };
        let start = self.at;
        let mut left = self.arithmetic(level + 1)?;
        let mut operands = 1;
        while let Some((_, op)) = operators.iter().find(|(token, _)| *token == self.token()) {
            operands += 1;
            if operands > MAX_OPERANDS {
                let message = format!("this has more than {MAX_OPERANDS} operands");
                return Err(self.error(Diagnostic::new(Code::NestingTooDeep, self.span(), message).help("split it up")));
            }
            self.advance();
            let right = self.arithmetic(level + 1)?;
            left = Expr { kind: ExprKind::Binary(*op, Box::new(left), Box::new(right)), span: self.since(start) };
        }
        Ok(left)
    }

    fn operand(&mut self) -> Read<Expr> {
        let start = self.at;
        let kind = match self.token() {
            Token::Open | Token::OpenSquare => {
                self.parenthesis();
                let inner = self.expression()?;
                self.closed(start)?;
                inner.kind
            }
            Token::Not => {
                self.advance();
                // `!x=1` is `!(x=1)`.
                ExprKind::Not(Box::new(self.nested(Self::comparison)?))
            }
            Token::BitNot => {
                self.advance();
                ExprKind::Not(Box::new(self.nested(Self::operand)?))
            }
            Token::Word if self.negates() => ExprKind::Not(Box::new(self.nested(Self::comparison)?)),
            Token::Minus => {
                self.advance();
                match self.token() {
                    Token::Number => ExprKind::Number(self.number_after(true)?),
                    _ => ExprKind::Negative(Box::new(self.nested(Self::operand)?)),
                }
            }
            Token::Number => ExprKind::Number(self.number_after(false)?),
            Token::Word if matches!(self.text(), "true" | "false") => {
                let value = self.text() == "true";
                self.advance();
                ExprKind::Truth(value)
            }
            Token::Word if !matches!(self.text(), "and" | "or" | "if" | "Other") && !self.ends() => {
                let first = self.ident("a name")?;
                if self.eat(Token::Dot) || self.points(&first) {
                    let second = self.ident("the name of a variable, or `Action`")?;
                    ExprKind::Name(Some(first), second)
                } else {
                    ExprKind::Name(None, first)
                }
            }
            Token::OpenBrace => {
                return Err(self.misplaced("an expression", "a colon stands between a condition and its actions"));
            }
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// An opening parenthesis; a square bracket is reported and read as one.
    pub fn parenthesis(&mut self) {
        if self.token() == Token::OpenSquare {
            self.misplaced("`(`", "parentheses are written `(..)`");
        }
        self.advance();
    }

    /// `not` in front of an operand, which is reported and passed.
    pub fn negates(&mut self) -> bool {
        let is_operand = matches!(self.ahead(1), Token::Word | Token::Open | Token::Not);
        let negates = self.text().eq_ignore_ascii_case("not") && is_operand && {
            let next = self.text_ahead(1);
            !matches!(next, "and" | "or" | "U" | "if" | "end")
        };
        if negates {
            self.not_ours(self.span(), "negation is written `!`");
            self.advance();
        }
        negates
    }

    /// A closing parenthesis; the opening one stands at a token.
    pub fn closed(&mut self, open: usize) -> Read<()> {
        if self.eat(Token::Close) || self.tokens[open].0 == Token::OpenSquare && self.eat(Token::CloseSquare) {
            return Ok(());
        }
        let finding = self.unexpected_finding("`)`");
        let finding = Diagnostic { code: Code::UnbalancedBracket, ..finding };
        Err(self.error(finding.related(self.tokens[open].1, "opened here")))
    }

    /// A number with its sign.
    pub fn number(&mut self) -> Read<i64> {
        let is_negative = self.eat(Token::Minus);
        if self.token() != Token::Number {
            return Err(self.unexpected("a number"));
        }
        self.number_after(is_negative)
    }

    fn number_after(&mut self, is_negative: bool) -> Read<i64> {
        let sign = if is_negative { "-" } else { "" };
        let Ok(number) = format!("{sign}{}", self.text()).parse() else {
            let finding = Diagnostic::new(Code::NumberTooLarge, self.span(), "this number does not fit into 64 bits");
            return Err(self.error(finding.help("write a smaller one")));
        };
        self.advance();
        Ok(number)
    }
}
