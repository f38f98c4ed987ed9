//! One spelling for both dialects, where they differ by spelling alone; complaints where a construct
//! belongs to the other dialect only.

use super::segment::SegmentKind;
use super::{at, before};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::syntax::add;
use crate::syntax::ast::Dialect;
use crate::syntax::token::{Spanned, Token};
use rustc_hash::FxHashSet;

/// Knows the dialect, and which constructs of the other one were reported already: once per file is
/// enough to say that a file mixes them.
pub struct Spelling<'s> {
    dialect: Dialect,
    agents: FxHashSet<&'s str>,
    reported: Vec<&'static str>,
}

impl<'s> Spelling<'s> {
    /// Nothing reported yet, in a file with these agent types.
    pub fn new(dialect: Dialect, agents: FxHashSet<&'s str>) -> Spelling<'s> {
        Spelling { dialect, agents, reported: Vec::new() }
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
        let names_agent = matches!(at(tokens, index), Some(Token::Ident(name)) if self.agents.contains(name));
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
        if self.dialect == Dialect::Modern {
            self.report(what, "classic", "a classic file begins with `channels:`", span, help, diagnostics);
        }
    }

    fn modern_only(&mut self, what: &'static str, span: Span, help: &str, diagnostics: &mut Diagnostics) {
        if self.dialect == Dialect::Classic {
            let mark = "`channels:` makes a file classic, a modern one has `enum channel { .. }`";
            self.report(what, "modern", mark, span, help, diagnostics);
        }
    }

    fn report(
        &mut self,
        what: &'static str,
        dialect: &str,
        mark: &str,
        span: Span,
        help: &str,
        diagnostics: &mut Diagnostics,
    ) {
        if !self.reported.contains(&what) {
            self.reported.push(what);
            add(
                diagnostics,
                Diagnostic::new(Code::WrongDialect, span, format!("{what} belongs to the {dialect} dialect"))
                    .label("not in this file's dialect")
                    .help(format!("{help}; {mark}")),
            );
        }
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
