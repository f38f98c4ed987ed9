//! Kinds of the words of a text, for colours.

use super::analysis::Analysis;
use super::index::SymbolKind;
use crate::source::Span;
use crate::syntax::lexer::lex;
use crate::syntax::token::Token;

/// The kind of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A word of the language.
    Keyword,
    /// An operator.
    Operator,
    /// An integer.
    Number,
    /// A comment.
    Comment,
    /// A built-in type.
    Type,
    /// A declared name.
    Name(SymbolKind),
}

/// A piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coloured {
    /// Its place; comments may stand on several lines.
    pub span: Span,
    /// Its kind.
    pub kind: TokenKind,
    /// True if it declares a name.
    pub declares: bool,
}

/// The pieces of a text that are worth a colour, in their order.
pub fn tokens(analysis: &Analysis) -> Vec<Coloured> {
    let index = analysis.index();
    let named = |span: Span| {
        let at = index.uses.partition_point(|it| it.span.start < span.start);
        index.uses.get(at).filter(|it| it.span.start == span.start)
    };
    let mut coloured: Vec<Coloured> = Vec::new();
    for (token, span) in lex(&analysis.source).tokens {
        let text = analysis.source.slice(span);
        let plain = |kind| Some(Coloured { span, kind, declares: false });
        coloured.extend(match (token, named(span)) {
            (_, Some(it)) => {
                let kind = TokenKind::Name(index.symbols[it.symbols[0]].kind);
                Some(Coloured { span, kind, declares: it.declares })
            }
            (Token::Int(_), _) => plain(TokenKind::Number),
            (Token::Bool | Token::IntType | Token::Location | Token::Channel, _) => plain(TokenKind::Type),
            (Token::Forall | Token::Exists, _) => plain(TokenKind::Keyword),
            (Token::Ident("const" | "where" | "if" | "then" | "else" | "ASSUME" | "LTL" | "LTOL" | "LTLSPEC"), _) => {
                plain(TokenKind::Keyword)
            }
            (Token::Ident(_) | Token::Error, _) => None,
            (token, _) if token.is_keyword(text) => plain(TokenKind::Keyword),
            (token, _) if token.opens().is_some() || token.closes().is_some() => None,
            (Token::Comma | Token::Semicolon | Token::Dot, _) => None,
            _ => plain(TokenKind::Operator),
        });
    }
    let comments = analysis.parsed.comments.iter();
    coloured.extend(comments.map(|it| Coloured { span: it.span, kind: TokenKind::Comment, declares: false }));
    coloured.sort_by_key(|it| it.span.start);
    coloured
}
