//! Expressions over variables and actions: `->`, `or`, `and`, `!`, comparisons, `|` and `^`, `&`, `~`, sums, products; these
//! bind ever more tightly.

use super::super::ast::{Expr, ExprKind, Op};
use super::super::token::Token;
use super::{MAX_DEPTH, Parser, Read, Unread};
use crate::diag::{Code, Diagnostic};

/// The most operands of sums and products.
const MAX_OPERANDS: usize = 200;

impl Parser<'_> {
    /// An expression.
    pub fn expression(&mut self) -> Read<Expr> {
        self.nested(|parser| {
            let start = parser.at;
            let left =
                parser.chain("or", |parser| parser.chain("and", Self::comparison, ExprKind::All), ExprKind::Any)?;
            match parser.token() {
                // A colon is missing.
                Token::Implies if parser.ahead(1) == Token::OpenBrace => return Ok(left),
                Token::Implies => parser.arrow(),
                Token::Iff => {
                    let finding = parser.unexpected_finding("`->`");
                    parser.error(finding.help("conditions have no equivalence: write `(a -> b) and (b -> a)`"));
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

    /// `a word b word c`
    fn chain(
        &mut self,
        word: &str,
        operand: impl Fn(&mut Self) -> Read<Expr>,
        joined: fn(Vec<Expr>) -> ExprKind,
    ) -> Read<Expr> {
        let start = self.at;
        let mut list = vec![operand(self)?];
        while self.eat_word(word) || self.joins(word, true) {
            list.push(operand(self)?);
        }
        if list.len() == 1 {
            return Ok(list.remove(0));
        }
        Ok(Expr { kind: joined(list), span: self.since(start) })
    }

    fn comparison(&mut self) -> Read<Expr> {
        let start = self.at;
        let left = self.disjoined_bits()?;
        let is_action = matches!(&left.kind, ExprKind::Name(_, name) if name.name == "Action");
        let is_arrow = is_action && self.token() == Token::Implies && self.ahead(1) == Token::Word;
        let Some(op) = self.comparing().or(is_arrow.then_some(Op::Equal)) else { return Ok(left) };
        let first = self.span();
        if is_arrow || self.token() == Token::Assign {
            let finding = self.unexpected_finding("`=`");
            self.error(finding.help("write `=`"));
        }
        self.advance();
        let right = self.disjoined_bits()?;
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

    fn disjoined_bits(&mut self) -> Read<Expr> {
        self.arithmetic(Self::conjoined_bits, |token| match token {
            Token::BitOr => Some(Op::BitOr),
            Token::BitXor => Some(Op::BitXor),
            _ => None,
        })
    }

    fn conjoined_bits(&mut self) -> Read<Expr> {
        self.arithmetic(Self::sum, |token| (token == Token::BitAnd).then_some(Op::BitAnd))
    }

    fn sum(&mut self) -> Read<Expr> {
        self.arithmetic(Self::product, |token| match token {
            Token::Plus => Some(Op::Plus),
            Token::Minus => Some(Op::Minus),
            _ => None,
        })
    }

    fn product(&mut self) -> Read<Expr> {
        self.arithmetic(Self::operand, |token| match token {
            Token::Times => Some(Op::Times),
            Token::Divided => Some(Op::Divided),
            _ => None,
        })
    }

    fn arithmetic(&mut self, operand: fn(&mut Self) -> Read<Expr>, of: fn(Token) -> Option<Op>) -> Read<Expr> {
        let start = self.at;
        let mut left = operand(self)?;
        let mut operands = 1;
        while let Some(op) = of(self.token()) {
            operands += 1;
            if operands > MAX_OPERANDS {
                let message = format!("this has more than {MAX_OPERANDS} operands");
                return Err(self.error(Diagnostic::new(Code::NestingTooDeep, self.span(), message).help("split it up")));
            }
            self.advance();
            let right = operand(self)?;
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span: self.since(start) };
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
                let finding = self.unexpected_finding("an expression");
                return Err(self.error(finding.help("a colon stands between a condition and its actions")));
            }
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// An opening parenthesis; a square bracket is reported and read as one.
    pub fn parenthesis(&mut self) {
        if self.token() == Token::OpenSquare {
            let finding = self.unexpected_finding("`(`");
            self.error(finding.help("parentheses are written `(..)`"));
        }
        self.advance();
    }

    /// `not` in front of an operand, which is reported and passed.
    pub fn negates(&mut self) -> bool {
        let is_operand = matches!(self.ahead(1), Token::Word | Token::Open | Token::Not);
        let negates = self.text().eq_ignore_ascii_case("not") && is_operand && {
            let next = self.source.slice(self.tokens[self.at + 1].1);
            !matches!(next, "and" | "or" | "U" | "if" | "end")
        };
        if negates {
            let message = format!("`{}` is not our notation", self.text());
            self.error(Diagnostic::new(Code::UnexpectedToken, self.span(), message).help("negation is written `!`"));
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
