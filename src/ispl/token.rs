//! Text to tokens, with comments kept aside.

use super::add;
use crate::diag::{Code, Diagnostic, Diagnostics, excerpt};
use crate::limits::tick;
use crate::source::{SourceFile, Span};
use crate::syntax::Comment;
use logos::Logos;

/// The tokens. Words are told apart by the parser, since most of them can be names elsewhere.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f\u{FEFF}]+")]
pub enum Token {
    #[regex(r"--[^\r\n]*", allow_greedy = true)]
    Comment,
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex(r"[0-9]+")]
    Number,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(",")]
    Comma,
    #[token("..")]
    Dots,
    #[token(".")]
    Dot,
    #[token("=")]
    #[token("==")]
    Equal,
    #[token("<>")]
    #[token("!=")]
    Unequal,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,
    #[token("/")]
    Divided,
    #[token("!")]
    Not,
    #[token("->")]
    Implies,
    #[token("<->")]
    Iff,
    /// Operators on bits, and how other languages write connectives.
    #[regex(r"[&|^~%]|&&|\|\|")]
    Foreign,
    /// Behind the last one.
    End,
}

impl Token {
    /// In messages.
    pub fn words(self, text: &str) -> String {
        match self {
            Token::End => "the end of the file".to_owned(),
            _ => format!("`{}`", excerpt(text, 30)),
        }
    }
}

/// Cuts a text into tokens; the last one is [`Token::End`].
pub fn lex(source: &SourceFile, found: &mut Diagnostics) -> (Vec<(Token, Span)>, Vec<Comment>) {
    let (mut tokens, mut comments) = (Vec::new(), Vec::new());
    for (token, range) in Token::lexer(source.text()).spanned() {
        tick();
        let span = Span::from(range);
        match token {
            Ok(Token::Comment) => comments.push(Comment { span, is_line: true }),
            Ok(token) => tokens.push((token, span)),
            Err(()) => {
                let text = source.slice(span);
                let finding = Diagnostic::new(
                    Code::UnknownCharacter,
                    span,
                    format!("no token begins with `{}`", excerpt(text, 10).escape_debug()),
                );
                let help = if text.starts_with('"') { "names stand without quotation marks" } else { "delete it" };
                add(found, finding.help(help));
            }
        }
    }
    let end = source.text().len();
    tokens.push((Token::End, Span::new(end, end)));
    (tokens, comments)
}
