//! Text to tokens, with comments kept aside.

use super::add;
use crate::diag::{Code, Diagnostic, Diagnostics, excerpt};
use crate::limits::tick;
use crate::source::{SourceFile, Span};
use crate::syntax::Comment;
use crate::syntax::signs::unknown_character;
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
    /// Texts, which the language has not; read as a word.
    #[regex(r#""[^"\r\n]*"|'[A-Za-z_][A-Za-z0-9_]*'"#)]
    Quoted,
    /// How others begin comments; left out.
    #[regex(r"(//|#)[^\r\n]*", allow_greedy = true)]
    #[regex(r"/\*([^*]|\*+[^*/])*\*+/")]
    ForeignComment,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    /// Square brackets, which the language has not; read as other ones.
    #[token("[")]
    OpenSquare,
    #[token("]")]
    CloseSquare,
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
    #[token("≠")]
    Unequal,
    #[token("<")]
    Less,
    #[token("<=")]
    #[token("=<")]
    #[token("≤")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    #[token("≥")]
    GreaterEqual,
    #[token("+")]
    Plus,
    #[token("-")]
    #[token("−")]
    #[token("–")]
    Minus,
    #[token("*")]
    Times,
    #[token("/")]
    Divided,
    #[token("!")]
    #[token("¬")]
    Not,
    /// Negation of a truth value that is computed; in formulas read as `!`.
    #[token("~")]
    BitNot,
    #[token("&")]
    BitAnd,
    #[token("|")]
    BitOr,
    #[token("^")]
    BitXor,
    #[token("->")]
    #[token("=>")]
    #[token("==>")]
    #[token("→")]
    #[token("⇒")]
    #[token("->>")]
    #[token("|->")]
    #[token("~>")]
    Implies,
    #[token("<->")]
    #[token("<=>")]
    #[token("<==>")]
    #[token("↔")]
    #[token("⇔")]
    Iff,
    /// How others write `and`; read as that.
    #[regex(r"&&|∧|/\\")]
    And,
    /// How others write `or`; read as that.
    #[regex(r"\|\||∨|\\/")]
    Or,
    /// How others assign.
    #[token(":=")]
    Assign,
    /// Operators that the language has not.
    #[token("%")]
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

/// The notation to write instead of those of other languages that are read as if they were ours. The parser reports
/// arrows, since their meaning depends on where they stand.
fn instead(text: &str) -> Option<&'static str> {
    Some(match text {
        "=<" | "≤" => "did you mean `<=`?",
        "≥" => "write `>=`",
        "≠" => "write `<>`",
        "−" | "–" => "write `-`",
        "¬" => "negation is written `!`",
        _ => return None,
    })
}

/// The advice for `=>`.
pub const ARROW: &str = "implication is written `->`, at least `>=`";

/// Cuts a text into tokens; the last one is [`Token::End`].
pub fn lex(source: &SourceFile, found: &mut Diagnostics) -> (Vec<(Token, Span)>, Vec<Comment>) {
    let (mut tokens, mut comments) = (Vec::new(), Vec::new());
    // The end of the last character that begins no token.
    let mut unknown = None;
    // The line of the last text.
    let mut quoted = None;
    for (token, range) in Token::lexer(source.text()).spanned() {
        tick();
        let span = Span::from(range);
        let text = source.slice(span);
        match token {
            Ok(Token::Comment) => comments.push(Comment { span, is_line: true }),
            Ok(Token::ForeignComment) => {
                let mark = Span { end: span.start + if text.starts_with('#') { 1 } else { 2 }, ..span };
                let message = format!("`{}` begins no comment", source.slice(mark));
                let finding = Diagnostic::new(Code::UnknownCharacter, mark, message);
                add(found, finding.label("read as a comment").help("comments begin with `--`"));
            }
            Ok(Token::Quoted) => {
                let line = source.line_column(span.start).line;
                if quoted.replace(line) != Some(line) {
                    let finding = Diagnostic::new(Code::UnknownCharacter, span, "there are no texts");
                    add(found, finding.label("in quotation marks").help("names stand without quotation marks"));
                }
                tokens.push((Token::Word, Span { start: span.start + 1, end: span.end - 1 }));
            }
            Ok(token) => {
                // `x => 1` is a comparison.
                let follows = || source.text()[span.end as usize..].trim_start();
                let compares = text == "=>" && follows().starts_with(|next: char| next.is_ascii_digit());
                if let Some(help) = instead(text).or(compares.then_some(ARROW)) {
                    let message = format!("`{text}` is not our notation");
                    add(found, Diagnostic::new(Code::UnexpectedToken, span, message).help(help));
                }
                tokens.push((if compares { Token::GreaterEqual } else { token }, span));
            }
            Err(()) if unknown == Some(span.start) => unknown = Some(span.end),
            Err(()) => {
                unknown = Some(span.end);
                let message = format!("`{text}` is not part of the language");
                let finding = Diagnostic::new(Code::UnknownCharacter, span, message).label(unknown_character(text));
                let is_space = text.chars().all(char::is_whitespace);
                add(found, finding.help(if is_space { "write an ordinary space" } else { "delete it" }));
            }
        }
    }
    let end = source.text().len();
    tokens.push((Token::End, Span::new(end, end)));
    (tokens, comments)
}
