//! Text to tokens, with comments kept aside.
//!
//! The lexer never stops: what starts no token becomes [`Token::Error`], with a diagnostic. The
//! tokens of the last group of [`Token`] are not made here but by [`super::prepare`], which decides what depends
//! on more than the characters.

use super::add;
use super::signs::{self, Signs};
use crate::diag::{Code, Diagnostic, Diagnostics, Edit, excerpt};
use crate::limits::{MOST_DIGITS, tick};
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

/// The result of the lexer for a text.
#[derive(Debug, Default)]
pub struct Lexed<'s> {
    /// The tokens, in order.
    pub tokens: Vec<Spanned<'s>>,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// The errors and warnings.
    pub diagnostics: Diagnostics,
    /// The names of `#define NAME`.
    pub defined: Vec<&'s str>,
    /// True if the rest of the file is a comment that is never closed.
    pub is_cut: bool,
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
        match self {
            Token::CloseParen => Some(Bracket::Paren),
            Token::CloseBrace => Some(Bracket::Brace),
            Token::CloseBracket => Some(Bracket::Square),
            Token::ClosePossible => Some(Bracket::Possible),
            Token::CloseNecessary => Some(Bracket::Necessary),
            Token::CloseGuard => Some(Bracket::Guard),
            _ => None,
        }
    }

    /// True if it is an operator about what comes later, before its operand or between two.
    pub fn is_temporal(self) -> bool {
        matches!(self, Token::Finally | Token::Globally | Token::Next) || self.is_temporal_infix()
    }

    /// True if it is one that stands between its operands.
    pub fn is_temporal_infix(self) -> bool {
        matches!(self, Token::Until | Token::WeakUntil | Token::Release)
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

/// Reads the tokens and comments of a file.
pub fn lex(source: &SourceFile) -> Lexed<'_> {
    let (mut lexed, mut signs) = (Lexed::default(), Signs::default());
    for (token, range) in Token::lexer(source.text()).spanned() {
        tick();
        let span = Span::from(range);
        let text = source.slice(span);
        match token {
            Ok(Token::LineComment) => lexed.comments.push(Comment { span, is_line: true }),
            Ok(Token::BlockComment) => lexed.comments.push(Comment { span, is_line: false }),
            Ok(Token::PointToPoint) if !is_before_colon(source, span) => lexed.separate(span),
            Ok(token) => {
                signs.within(text, span);
                lexed.tokens.push((token, span));
            }
            Err(error) => {
                let sign = text.chars().next().filter(|_| error == LexicalError::UnknownCharacter);
                match sign.and_then(|sign| signs.stands_for(sign, span)) {
                    Some(token) => lexed.tokens.extend(token.map(|token| (token, span))),
                    None => lexed.error(error, span, source),
                }
            }
        }
    }
    signs.findings().for_each(|finding| add(&mut lexed.diagnostics, finding));
    lexed
}

/// True if a colon follows a span.
fn is_before_colon(source: &SourceFile, span: Span) -> bool {
    let rest = source.text().get(span.end as usize..);
    rest.is_some_and(|rest| rest.trim_start().starts_with(':') && !rest.trim_start().starts_with(":="))
}

impl<'s> Lexed<'s> {
    /// Makes subtractions of `point-to-point`, as it is no keyword here.
    fn separate(&mut self, span: Span) {
        let mut start = span.start as usize;
        for (index, word) in ["point", "to", "point"].into_iter().enumerate() {
            if index > 0 {
                self.tokens.push((Token::Minus, Span::new(start, start + 1)));
                start += 1;
            }
            self.tokens.push((Token::Ident(word), Span::new(start, start + word.len())));
            start += word.len();
        }
    }

    /// Reports an error; unknown characters that touch are one error.
    fn error(&mut self, error: LexicalError, span: Span, source: &'s SourceFile) {
        self.defined.extend(source.slice(span).strip_prefix("#define").and_then(|rest| rest.split_whitespace().next()));
        if error == LexicalError::UnclosedComment {
            self.is_cut = true;
            self.tokens.push((Token::Error, opener(span)));
        } else if error != LexicalError::ForeignComment {
            match self.tokens.last_mut() {
                Some((Token::Error, last)) if last.end == span.start && error == LexicalError::UnknownCharacter => {
                    last.end = span.end;
                    return;
                }
                _ => self.tokens.push((Token::Error, span)),
            }
        }
        add(&mut self.diagnostics, diagnostic(error, span, source));
    }
}

fn diagnostic(error: LexicalError, span: Span, source: &SourceFile) -> Diagnostic {
    let text = excerpt(source.slice(span), 20);
    match error {
        LexicalError::UnknownCharacter => signs::unknown(&text, span),
        LexicalError::Fraction => Diagnostic::new(Code::UnknownCharacter, span, format!("`{text}` is no integer"))
            .label("a number with a decimal point")
            .help("numbers are integers: choose a smaller unit, as in cents or milliseconds"),
        LexicalError::Text => Diagnostic::new(Code::UnknownCharacter, span, "there are no texts")
            .label("a text in quotation marks")
            .help("declare the values of an enum, and write them without quotation marks"),
        LexicalError::ForeignComment => {
            let mark = Span::new(span.start as usize, span.start as usize + 1);
            let help = match text.starts_with("#define") {
                true => "constants are declared by `const name = 3;`",
                false => "comments begin with `//`",
            };
            let diagnostic = Diagnostic::new(Code::UnknownCharacter, mark, "`#` begins no comment")
                .label("read as a comment up to the end of the line")
                .help(help);
            match text.starts_with("#define") {
                true => diagnostic,
                false => diagnostic.fix("write `//`", [Edit::replace(mark, "//")]),
            }
        }
        LexicalError::NumberTooLarge => {
            Diagnostic::new(Code::NumberTooLarge, span, "this number has more digits than the tool handles")
                .label(format!("{} digits", span.range().len()))
                .help(format!("the limit is {MOST_DIGITS} digits"))
        }
        LexicalError::UnclosedComment => {
            Diagnostic::new(Code::UnclosedComment, opener(span), "this comment is never closed")
                .label("opened here")
                .help("close it with `*/`")
                .fix("close it at the end of its line", [Edit::insert(end_of_line(span, source), " */")])
        }
    }
}

/// The end of the line in which something begins.
fn end_of_line(span: Span, source: &SourceFile) -> u32 {
    let line = source.slice(span).split(['\r', '\n']).next().unwrap_or_default();
    span.start + line.len() as u32
}

/// The place where a block comment opens.
fn opener(comment: Span) -> Span {
    Span::new(comment.start as usize, comment.start as usize + 2)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'static>> {
        let source: &'static SourceFile = Box::leak(Box::new(SourceFile::new("m", text)));
        lex(source).tokens.into_iter().map(|(token, _)| token).collect()
    }

    fn codes(text: &str) -> Vec<&'static str> {
        lex(&SourceFile::new("m", text)).diagnostics.iter().map(|d| d.code.as_str()).collect()
    }

    #[test]
    fn longest_match_decides_between_keywords_and_names() {
        assert_eq!(tokens("G Gx rep repeat"), [Token::Globally, Token::Ident("Gx"), Token::Rep, Token::Repeat]);
        assert_eq!(
            tokens("k-automaton-state receive-guard"),
            [Token::Ident("k"), Token::Minus, Token::AutomatonState, Token::ReceiveGuard]
        );
    }

    #[test]
    fn ranges_are_not_fractions() {
        assert_eq!(tokens("0..3"), [Token::Int("0"), Token::DotDot, Token::Int("3")]);
    }

    #[test]
    fn operators_are_read_greedily() {
        assert_eq!(tokens("*! true"), [Token::Star, Token::Not, Token::True]);
        assert_eq!(tokens("x!=y <-> z"), tokens("x != y <->z"));
        assert_eq!(tokens(r"/\ \/"), [Token::Forall, Token::Exists]);
    }

    #[test]
    fn comments_are_kept_aside_without_their_line_end() {
        let source = SourceFile::new("m", "a // one \r\n/* two\n*/ b");
        let lexed = lex(&source);
        let texts: Vec<_> = lexed.comments.iter().map(|comment| source.slice(comment.span)).collect();
        assert_eq!(texts, ["// one", "/* two\n*/"]);
        assert_eq!(lexed.tokens.len(), 2);
    }

    #[test]
    fn a_text_on_one_line_has_no_comments() {
        let source = SourceFile::new("m", "SPEC G (a-x // first\n   & /* \u{1b} */ b-y);\n");
        assert_eq!(one_line(&source, Span::new(5, source.text().len())), "G (a-x & b-y);");
    }

    #[test]
    fn lexical_errors_have_codes_and_places() {
        assert_eq!(codes("a # b"), ["E0101"]);
        assert_eq!(codes("##€#"), ["E0101"]);
        assert_eq!(codes("€€ 1.5 \"a b\""), ["E0101"; 3]);
        assert_eq!(codes("-18446744073709551616"), [""; 0]);
        assert_eq!(codes(&"7".repeat(MOST_DIGITS)), [""; 0]);
        assert_eq!(codes(&"7".repeat(MOST_DIGITS + 1)), ["E0102"]);
        assert_eq!(codes("a /* b"), ["E0103"]);
    }
}
