//! One spelling for both dialects, where they differ by spelling alone; complaints where a construct
//! belongs to the other dialect only.

use super::around::{at, before};
use super::names::Names;
use super::segment::SegmentKind;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::syntax::ast::Dialect;
use crate::syntax::findings::add;
use crate::syntax::token::{Spanned, Token};

/// Knows the dialect, and which constructs of the other one were reported already: once per file is
/// enough to say that a file mixes them.
pub struct Spelling<'n, 's> {
    dialect: Dialect,
    known: &'n Names<'s>,
    reported: Vec<&'static str>,
}

impl<'n, 's> Spelling<'n, 's> {
    /// Nothing reported yet, in a file with these names.
    pub fn new(dialect: Dialect, known: &'n Names<'s>) -> Spelling<'n, 's> {
        Spelling { dialect, known, reported: Vec::new() }
    }

    /// Rewrites the tokens of a segment:
    /// - `channel` as a value is `chan`;
    /// - between instances `|` is `||`, in expressions `||` is `|`;
    /// - `x<-1` outside of `relabel` is `x < -1`.
    pub fn unify(
        &mut self,
        kind: SegmentKind,
        tokens: &[Spanned<'s>],
        diagnostics: &mut Diagnostics,
    ) -> Vec<Spanned<'s>> {
        let mut result = Vec::with_capacity(tokens.len());
        let mut depth = 0usize;
        let mut in_system = kind == SegmentKind::System;
        for (index, &(token, span)) in tokens.iter().enumerate() {
            match token {
                Token::OpenParen => depth += 1,
                Token::CloseParen => depth = depth.saturating_sub(1),
                _ => {}
            }
            in_system &= token != Token::Where;
            let between_instances = in_system && (depth == 0 || self.begins_instance(tokens, index + 1));
            let unified = match token {
                Token::Channel if is_value(kind, before(tokens, index)) => {
                    self.classic_only("`channel` as a value", span, "write `chan`", diagnostics);
                    Token::Chan
                }
                Token::Or if between_instances => {
                    self.classic_only("`|` between instances", span, "write `||`", diagnostics);
                    Token::Parallel
                }
                Token::Parallel if !between_instances => Token::Or,
                Token::LeftArrow if kind != SegmentKind::Relabel => {
                    let middle = span.start as usize + 1;
                    result.push((Token::Less, Span::new(span.start as usize, middle)));
                    result.push((Token::Minus, Span::new(middle, span.end as usize)));
                    continue;
                }
                other => other,
            };
            result.push((unified, span));
        }
        result
    }

    /// True if an instance begins at an index: agent types stand nowhere else before a parenthesis.
    fn begins_instance(&self, tokens: &[Spanned], index: usize) -> bool {
        let names_agent = matches!(at(tokens, index), Some(Token::Ident(name)) if self.known.agents.contains(name));
        names_agent && at(tokens, index + 1) == Some(Token::OpenParen)
    }

    /// Reports guards and observations in the brackets of the other dialect. The brackets must have
    /// been marked; the modern spellings of observations are fine in both.
    pub fn check_brackets(&mut self, kind: SegmentKind, tokens: &[Spanned], diagnostics: &mut Diagnostics) {
        for (index, &(token, span)) in tokens.iter().enumerate() {
            let short = span.end - span.start == 1;
            match token {
                Token::OpenGuard => {
                    self.classic_only("a guard in `< >`", span, "write `{guard}`", diagnostics);
                }
                Token::OpenPossible if short && kind == SegmentKind::Spec => {
                    self.classic_only("an observation in `< >`", span, "write `<<observation>> f`", diagnostics);
                }
                Token::OpenNecessary if short && kind == SegmentKind::Spec => {
                    self.classic_only("an observation in `[ ]`", span, "write `[[observation]] f`", diagnostics);
                }
                Token::OpenBrace if kind == SegmentKind::Repeat && super::guards::begins_step(tokens, index) => {
                    self.modern_only("a guard in `{ }`", span, "write `<guard>`", diagnostics);
                }
                _ => {}
            }
        }
    }

    fn classic_only(&mut self, what: &'static str, span: Span, help: &str, diagnostics: &mut Diagnostics) {
        let help = format!("{help}; a classic file begins with `channels:`");
        self.report(Dialect::Classic, what, span, help, diagnostics);
    }

    fn modern_only(&mut self, what: &'static str, span: Span, help: &str, diagnostics: &mut Diagnostics) {
        let help = format!("{help}; `channels:` makes a file classic, a modern one has `enum channel {{ .. }}`");
        self.report(Dialect::Modern, what, span, help, diagnostics);
    }

    /// Reports the first construct of a kind that belongs to a dialect, in a file of the other one.
    fn report(&mut self, of: Dialect, what: &'static str, span: Span, help: String, diagnostics: &mut Diagnostics) {
        if self.dialect == of || self.reported.contains(&what) {
            return;
        }
        self.reported.push(what);
        let dialect = if of == Dialect::Classic { "classic" } else { "modern" };
        let finding = Diagnostic::new(Code::WrongDialect, span, format!("{what} belongs to the {dialect} dialect"));
        add(diagnostics, finding.label("not in this file's dialect").help(help));
    }
}

/// True if `channel` stands for a value here, and not for a type or its enum.
fn is_value(kind: SegmentKind, before: Option<Token>) -> bool {
    match kind {
        SegmentKind::Enum | SegmentKind::Channels | SegmentKind::Stray => false,
        kind if kind.has_declarations() => !matches!(before, Some(Token::Colon)),
        _ => true,
    }
}
