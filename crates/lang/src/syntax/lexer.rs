//! Text to tokens, with comments kept aside. The lexer never stops: what starts no token becomes [`Token::Error`], with a
//! diagnostic.

use super::findings::add;
use super::signs::{self, Signs};
use super::token::{Comment, LexicalError, Spanned, Token};
use crate::diag::{Code, Diagnostic, Diagnostics, Edit, excerpt};
use crate::limits::{MOST_DIGITS, tick};
use crate::source::{SourceFile, Span};
use logos::Logos;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::token::one_line;

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
