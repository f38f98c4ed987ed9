//! Tokens, and the text that each stands for.
//!
//! Those of the last group of [`Token`] are not made from characters but by `prepare`, which decides what depends on more
//! than these.

use super::ast::{BinaryOp, UnaryOp};
use crate::limits::MOST_DIGITS;
use crate::source::{SourceFile, Span};
use logos::{Lexer, Logos};

/// A token with its place.
pub type Spanned<'s> = (Token<'s>, Span);

/// A comment with its place, delimiters included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its place.
    pub span: Span,
    /// `//` (or else `/* .. */`).
    pub is_line: bool,
}

/// Why a piece of text is no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LexicalError {
    /// A character that starts no token.
    #[default]
    UnknownCharacter,
    /// An integer literal of more than [`MOST_DIGITS`] digits.
    NumberTooLarge,
    /// A comment without its end.
    UnclosedComment,
    /// A number with a decimal point.
    Fraction,
    /// A text in quotation marks.
    Text,
    /// A comment of another language, up to the end of its line.
    ForeignComment,
}

/// The tokens of both dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Logos)]
#[logos(error(LexicalError))]
#[logos(subpattern dash = "[-‐‑–—−]")]
#[logos(skip r"[ \t\r\n\u{000C}\u{FEFF}]+")]
pub enum Token<'s> {
    /// Text that is no token; it has been reported.
    #[regex("\"[^\"\n]*\"", quoted)]
    #[token("#", foreign_comment)]
    Error,
    /// `// ..` (never leaves the lexer)
    #[token("//", line_comment)]
    LineComment,
    /// `/* .. */` (never leaves the lexer)
    #[token("/*", block_comment)]
    BlockComment,

    /// The digits of an integer literal.
    #[regex("[0-9]+", integer)]
    #[regex(r"[0-9]+\.[0-9]+", fraction)]
    Int(&'s str),
    /// A name; those with ligatures, as in texts from articles, are reported.
    #[regex("[A-Za-z_\u{FB00}-\u{FB04}][A-Za-z0-9_\u{FB00}-\u{FB04}]*", priority = 1)]
    Ident(&'s str),

    /// `enum`
    #[token("enum")]
    Enum,
    /// `message-structure`
    #[regex("message(?&dash)structure")]
    MessageStructure,
    /// `point-to-point`, in front of a colon
    #[token("point-to-point")]
    PointToPoint,
    /// `property-variables`, `communication-variables`
    #[regex("property(?&dash)variables")]
    #[regex("communication(?&dash)variables")]
    PropertyVariables,
    /// `guard`
    #[token("guard")]
    Guard,
    /// `agent`
    #[token("agent")]
    Agent,
    /// `local`
    #[token("local")]
    Local,
    /// `init`
    #[token("init")]
    Init,
    /// `relabel`
    #[token("relabel")]
    Relabel,
    /// `receive-guard`
    #[regex("receive(?&dash)guard")]
    ReceiveGuard,
    /// `repeat`
    #[token("repeat")]
    Repeat,
    /// `rep`
    #[token("rep")]
    Rep,
    /// `system`
    #[token("system")]
    System,
    /// `SPEC`; also `ASSUME`, where a formula of the file may begin
    #[token("SPEC")]
    Spec,
    /// `GET@`
    #[regex(r"GET[ \t]*@")]
    Get,
    /// `SUPPLY@`
    #[regex(r"SUPPLY[ \t]*@")]
    Supply,

    /// `bool`
    #[token("bool")]
    Bool,
    /// `int`
    #[token("int")]
    IntType,
    /// `location`
    #[token("location")]
    Location,
    /// `channel`
    #[token("channel")]
    Channel,
    /// `chan`
    #[token("chan")]
    Chan,
    /// `myself`
    #[token("myself")]
    Myself,
    /// `automaton-state`
    #[regex("automaton(?&dash)state")]
    AutomatonState,
    /// `true`, `TRUE`
    #[token("true")]
    #[token("TRUE")]
    True,
    /// `false`, `FALSE`
    #[token("false")]
    #[token("FALSE")]
    False,
    /// `forall`, `/\`
    #[token("forall")]
    #[token(r"/\")]
    Forall,
    /// `exists`, `\/`
    #[token("exists")]
    #[token(r"\/")]
    Exists,
    /// `F`
    #[token("F")]
    Finally,
    /// `G`
    #[token("G")]
    Globally,
    /// `X`
    #[token("X")]
    Next,
    /// `U`
    #[token("U")]
    Until,
    /// `W`
    #[token("W")]
    WeakUntil,
    /// `R`
    #[token("R")]
    Release,

    /// `(`
    #[token("(")]
    OpenParen,
    /// `)`
    #[token(")")]
    CloseParen,
    /// `{`
    #[token("{")]
    OpenBrace,
    /// `}`
    #[token("}")]
    CloseBrace,
    /// `[`
    #[token("[")]
    OpenBracket,
    /// `]`
    #[token("]")]
    CloseBracket,
    /// `<<`
    #[token("<<")]
    OpenPossible,
    /// `>>`
    #[token(">>")]
    ClosePossible,
    /// `[[`
    #[token("[[")]
    OpenNecessary,
    /// `]]`
    #[token("]]")]
    CloseNecessary,
    /// `:`
    #[token(":")]
    Colon,
    /// `;`
    #[token(";")]
    Semicolon,
    /// `,`
    #[token(",")]
    Comma,
    /// `.`
    #[token(".")]
    Dot,
    /// `..`
    #[token("..")]
    DotDot,
    /// `@`
    #[token("@")]
    At,
    /// `?`
    #[token("?")]
    Question,
    /// `:=`
    #[token(":=")]
    Assign,
    /// `<-`
    #[regex("<(?&dash)")]
    LeftArrow,
    /// `!`
    #[token("!")]
    Not,
    /// `&`, `&&`
    #[token("&")]
    #[token("&&")]
    And,
    /// `|`
    #[token("|")]
    Or,
    /// `||`
    #[token("||")]
    Parallel,
    /// `->`
    #[regex("(?&dash)>")]
    Implies,
    /// `=>`, `==>`: no operators of the language, but often written for `->`
    #[token("=>")]
    #[token("==>")]
    FatArrow,
    /// `=<`: no operator of the language, but often written for `<=`
    #[token("=<")]
    EqualLess,
    /// `<->`
    #[regex("<(?&dash)>")]
    Iff,
    /// `=`, `==`
    #[token("=")]
    #[token("==")]
    Equal,
    /// `!=`
    #[token("!=")]
    NotEqual,
    /// `<`
    #[token("<")]
    Less,
    /// `<=`
    #[token("<=")]
    LessEqual,
    /// `>`
    #[token(">")]
    Greater,
    /// `>=`
    #[token(">=")]
    GreaterEqual,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[regex("(?&dash)")]
    Minus,
    /// `*`
    #[token("*")]
    Star,
    /// `/`
    #[token("/")]
    Slash,

    /// `channels` where it opens the channels of a classic file
    Channels,
    /// `<` that opens a command guard
    OpenGuard,
    /// `>` that closes a command guard
    CloseGuard,
    /// `(` that opens the data of a command
    OpenData,
    /// `-` between the two names of a qualified name
    Dash,
    /// A word where a section of an agent begins, but not the name of one
    UnknownSection,
    /// A declaration by a word of other languages; it has been reported
    UnknownDeclaration,
    /// `const` where it opens the declaration of a constant
    Const,
    /// `if` of a conditional expression
    If,
    /// `then` of a conditional expression
    Then,
    /// `else` of a conditional expression
    Else,
    /// `sum` before `k : T`
    Sum,
    /// `count` before `k : T`
    Count,
    /// `where` behind the instances of a system
    Where,
}

/// How an action is written that meets one partner, and begins with a keyword.
#[derive(Debug)]
pub struct PartnerAction {
    /// Its keyword.
    pub keyword: Token<'static>,
    /// The keyword as a word.
    pub word: &'static str,
    /// Its form.
    pub form: &'static str,
    /// The advice on the parentheses behind the keyword, if no expression stands there.
    pub targets: Option<&'static str>,
    /// The token that stands there if any partner will do.
    pub any: Token<'static>,
    /// The advice for those who write it as articles do.
    pub example: &'static str,
}

const PARTNER_ACTIONS: [PartnerAction; 2] = [
    PartnerAction {
        keyword: Token::Get,
        word: "get",
        form: "a get is written `GET@(..)(..)[..]`: whom it asks stands in parentheses",
        targets: None,
        any: Token::True,
        example: "write `GET@(true)(D := demand)[rating := RT]`: whom it asks (a name, or a condition on property \
                  variables), what it hands over, and updates, which read the message variables of the supplier",
    },
    PartnerAction {
        keyword: Token::Supply,
        word: "supply",
        form: "a supply is written `SUPPLY@(..)(..)[..]`: whom it serves stands in parentheses, as in `SUPPLY@(any)()[]`",
        targets: Some(
            "a supply serves `any`, `myself` (who names the supplier), or one by name: `SUPPLY@(any)(..)[..]`",
        ),
        any: Token::Ident("any"),
        example: "write `SUPPLY@(any)(RT := rating)[demand := D]`, or `SUPPLY@(myself)` where gets name the supplier: \
                  what it hands over, and updates, which read the message variables of the getter",
    },
];

impl PartnerAction {
    /// The action whose keyword a word is, in letters of any case.
    pub fn named(word: &str) -> Option<&'static PartnerAction> {
        PARTNER_ACTIONS.iter().find(|action| action.word.eq_ignore_ascii_case(word))
    }
}

/// The kind of bracket that closes an opening token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// `( )`
    Paren,
    /// `{ }`
    Brace,
    /// `[ ]`
    Square,
    /// `<< >>`, and classic `< >` around an observation
    Possible,
    /// `[[ ]]`, and classic `[ ]` around an observation
    Necessary,
    /// `< >` around a guard
    Guard,
}

impl Bracket {
    const ALL: [Bracket; 6] =
        [Bracket::Paren, Bracket::Brace, Bracket::Square, Bracket::Possible, Bracket::Necessary, Bracket::Guard];

    /// The closing token.
    pub fn closing(self) -> Token<'static> {
        match self {
            Bracket::Paren => Token::CloseParen,
            Bracket::Brace => Token::CloseBrace,
            Bracket::Square => Token::CloseBracket,
            Bracket::Possible => Token::ClosePossible,
            Bracket::Necessary => Token::CloseNecessary,
            Bracket::Guard => Token::CloseGuard,
        }
    }
}

impl Token<'_> {
    /// The action that the token begins, if it is a keyword of one.
    pub fn partner_action(self) -> Option<&'static PartnerAction> {
        PARTNER_ACTIONS.iter().find(|action| action.keyword == self)
    }

    /// The kind of bracket that the token opens.
    pub fn opens(self) -> Option<Bracket> {
        match self {
            Token::OpenParen | Token::OpenData => Some(Bracket::Paren),
            Token::OpenBrace => Some(Bracket::Brace),
            Token::OpenBracket => Some(Bracket::Square),
            Token::OpenPossible => Some(Bracket::Possible),
            Token::OpenNecessary => Some(Bracket::Necessary),
            Token::OpenGuard => Some(Bracket::Guard),
            _ => None,
        }
    }

    /// The kind of bracket that the token closes.
    pub fn closes(self) -> Option<Bracket> {
        Bracket::ALL.into_iter().find(|bracket| bracket.closing() == self)
    }

    /// The operator that stands before its operand.
    pub fn prefix(self) -> Option<UnaryOp> {
        Some(match self {
            Token::Not => UnaryOp::Not,
            Token::Minus => UnaryOp::Neg,
            Token::Next => UnaryOp::Next,
            Token::Finally => UnaryOp::Finally,
            Token::Globally => UnaryOp::Globally,
            _ => return None,
        })
    }

    /// The operator that stands between its operands.
    pub fn infix(self) -> Option<BinaryOp> {
        Some(match self {
            Token::And => BinaryOp::And,
            Token::Or => BinaryOp::Or,
            Token::Implies | Token::FatArrow => BinaryOp::Implies,
            Token::Iff => BinaryOp::Iff,
            Token::Until => BinaryOp::Until,
            Token::WeakUntil => BinaryOp::WeakUntil,
            Token::Release => BinaryOp::Release,
            Token::Equal => BinaryOp::Eq,
            Token::NotEqual => BinaryOp::Ne,
            Token::Less => BinaryOp::Lt,
            Token::LessEqual => BinaryOp::Le,
            Token::Greater => BinaryOp::Gt,
            Token::GreaterEqual => BinaryOp::Ge,
            Token::Plus => BinaryOp::Add,
            Token::Minus => BinaryOp::Sub,
            Token::Star => BinaryOp::Mul,
            Token::Slash => BinaryOp::Div,
            _ => return None,
        })
    }

    /// True if it is an operator about what comes later, before its operand or between two.
    pub fn is_temporal(self) -> bool {
        self.prefix().is_some_and(UnaryOp::is_temporal) || self.is_temporal_infix()
    }

    /// True if it is one that stands between its operands.
    pub fn is_temporal_infix(self) -> bool {
        self.infix().is_some_and(BinaryOp::is_temporal)
    }

    /// True if it compares two values.
    pub fn is_comparison(self) -> bool {
        self.infix().is_some_and(BinaryOp::is_comparison)
    }

    /// True if an operand without a sign before it can begin with the token.
    pub fn begins_operand(self) -> bool {
        use Token::*;
        matches!(self, Ident(_) | Int(_) | True | False | OpenParen | At | Chan | Finally | Globally | Next)
    }

    /// True if a formula can begin with the token.
    pub fn begins_formula(self) -> bool {
        use Token::*;
        self.begins_operand() || matches!(self, Not | Forall | Exists | OpenPossible | OpenNecessary)
    }

    /// True if an operand can end with the token, so that an operator may follow.
    pub fn ends_operand(self) -> bool {
        matches!(
            self,
            Token::Error
                | Token::Int(_)
                | Token::Ident(_)
                | Token::True
                | Token::False
                | Token::Star
                | Token::Chan
                | Token::Channel
                | Token::Myself
                | Token::AutomatonState
                | Token::CloseParen
        )
    }

    /// True if the token is a word of the language that cannot be a name.
    pub fn is_keyword(self, text: &str) -> bool {
        !matches!(self, Token::Ident(_)) && text.starts_with(|first: char| first.is_ascii_alphabetic())
    }
}

/// True if a word is one of the language, and so no name.
pub fn is_keyword(word: &str) -> bool {
    matches!(Token::lexer(word).next(), Some(Ok(token)) if token.is_keyword(word))
}

/// The first place inside of a span where a name stands outside of comments.
pub fn first_name(source: &SourceFile, span: Span, name: &str) -> Option<Span> {
    let tokens = Token::lexer(source.text().get(span.range())?).spanned();
    let place = tokens.filter(|(token, _)| *token == Ok(Token::Ident(name))).map(|(_, range)| range).next()?;
    let start = span.start as usize;
    Some(Span::new(start + place.start, start + place.end))
}

/// The text of a span on one line, without its comments.
pub fn one_line(source: &SourceFile, span: Span) -> String {
    let mut line = String::new();
    let mut end = 0;
    for (token, range) in Token::lexer(source.slice(span)).spanned() {
        if matches!(token, Ok(Token::LineComment | Token::BlockComment)) {
            continue;
        }
        if !line.is_empty() && range.start > end {
            line.push(' ');
        }
        end = range.end;
        line.push_str(&source.slice(span)[range]);
    }
    line
}

fn integer<'s>(lexer: &mut Lexer<'s, Token<'s>>) -> Result<&'s str, LexicalError> {
    let digits = lexer.slice();
    if digits.len() > MOST_DIGITS { Err(LexicalError::NumberTooLarge) } else { Ok(digits) }
}

fn fraction<'s>(_: &mut Lexer<'s, Token<'s>>) -> Result<&'s str, LexicalError> {
    Err(LexicalError::Fraction)
}

fn quoted<'s>(_: &mut Lexer<'s, Token<'s>>) -> Result<(), LexicalError> {
    Err(LexicalError::Text)
}

/// The rest of the line behind `#`.
fn foreign_comment<'s>(lexer: &mut Lexer<'s, Token<'s>>) -> Result<(), LexicalError> {
    line_comment(lexer);
    Err(LexicalError::ForeignComment)
}

fn line_comment<'s>(lexer: &mut Lexer<'s, Token<'s>>) {
    let rest = lexer.remainder();
    let line = rest.find(['\n', '\r']).map_or(rest, |end| &rest[..end]);
    lexer.bump(line.trim_end().len());
}

fn block_comment<'s>(lexer: &mut Lexer<'s, Token<'s>>) -> Result<(), LexicalError> {
    let rest = lexer.remainder();
    match rest.find("*/") {
        Some(end) => {
            lexer.bump(end + 2);
            Ok(())
        }
        None => {
            lexer.bump(rest.len());
            Err(LexicalError::UnclosedComment)
        }
    }
}
