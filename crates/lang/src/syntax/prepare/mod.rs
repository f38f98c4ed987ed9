//! From tokens to segments that the grammar can read: everything that depends on more than the next
//! few tokens is decided here, in passes that are linear and use no recursion.
//!
//! 0. Before the dialect is known: [`reserved`], keywords in place of names are reported and read as names;
//!    [`keywords`], misspelt keywords are reported and put right; [`braces`], those around agents are left out.
//! 1. [`segment`]: the file falls into segments (a declaration, a section of an agent, a spec ..), each
//!    opened by its keyword; an error in one segment never reaches another.
//! 2. By the [`names`] that the file declares: [`guards`], [`observations`], [`members`]: which `<` and `>` are brackets,
//!    which `-` joins a qualified name; [`spelling`], the spellings of one dialect that the other lacks.
//!    [`foreign`]: notations of other languages are reported and read as ours; words of the papers become those of the grammar.
//!    [`calculus`]: actions of an article's calculus are reported.
//! 3. [`brackets`]: closing brackets that are missing are put in, those too many are taken out.
//! 4. [`steps`]: `;` that is missing between commands, and `:` behind a label, are put in.
//! 5. [`nesting`]: what is nested too deep to be read is reported and not read.
//!
//! The grammar can take over none of them. It recovers from mistakes by skipping to the end of a bracket, a command or
//! a segment, so those have to be known before (1, 3 and 4), and so does which signs are brackets, and which words
//! are keywords (0 and 2). Of 4 it could say all, but no shorter: it looks ahead by two tokens, which rules have to do by
//! hand. It moves its stack to the heap, but takes 3 kB for a level: a megabyte of `(` would take 3 GB (5). All passes
//! together take a seventh of the time of [`crate::syntax::parse`].

mod around;
mod braces;
mod brackets;
mod calculus;
mod foreign;
mod guards;
mod keywords;
mod members;
mod names;
mod nesting;
mod observations;
mod recursion;
mod reserved;
mod segment;
mod spelling;
mod steps;

pub use foreign::{OPERATORS, SUMS};
pub use guards::mark as mark_guards;
pub use keywords::{assumes, correct as correct_keywords};
pub use nesting::MAX_NESTING;
pub use reserved::release as release_keywords;
pub use segment::{SegmentKind, mark_contextual_keywords, split};

use super::ast::Dialect;
use super::token::{Spanned, Token};
use crate::diag::Diagnostics;
use crate::source::Span;
use around::{at, before};

/// A piece of a file that the grammar reads by itself.
#[derive(Debug)]
pub struct Segment<'s> {
    /// Its kind.
    pub kind: SegmentKind,
    /// Its tokens, from its keyword on; its brackets are balanced.
    pub tokens: Vec<Spanned<'s>>,
    /// The places where brackets were put right: errors of the grammar there may be mere consequences.
    pub doubtful: Vec<Span>,
    /// True if something in it was reported and is read as what was meant.
    pub corrected: bool,
    /// True if the grammar may read it at all.
    pub readable: bool,
    /// True if it is the last one of the file.
    pub is_last: bool,
}

impl Segment<'_> {
    /// From the first to the last token.
    pub fn span(&self) -> Span {
        match (self.tokens.first(), self.tokens.last()) {
            (Some((_, first)), Some((_, last))) => first.to(*last),
            _ => Span::default(),
        }
    }

    /// The names that it may declare, however badly it is written; maybe more.
    pub fn declared_names(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().enumerate().filter_map(|(index, (token, _))| match token {
            Token::Ident(name) if self.may_declare(index) => Some(*name),
            _ => None,
        })
    }

    fn may_declare(&self, index: usize) -> bool {
        match self.kind {
            SegmentKind::Spec | SegmentKind::Init | SegmentKind::Relabel | SegmentKind::ReceiveGuard => false,
            SegmentKind::Guard | SegmentKind::Agent => index == 1,
            SegmentKind::Repeat => at(&self.tokens, index + 1) == Some(Token::Colon),
            SegmentKind::Messages | SegmentKind::Properties | SegmentKind::Local => {
                before(&self.tokens, index) != Some(Token::Colon)
            }
            _ => true,
        }
    }

    /// The place of the keyword.
    pub fn keyword(&self) -> Span {
        self.tokens.first().map_or(Span::default(), |(_, span)| *span)
    }
}

/// Which dialect the tokens are of: `channels:` (or `channel:`) among the declarations makes them classic.
pub fn dialect_of(tokens: &[Spanned]) -> Dialect {
    if segment::channels_keyword(tokens).is_some() { Dialect::Classic } else { Dialect::Modern }
}

/// Cuts a file into segments and makes each of them ready for the grammar. Where a comment cuts the file off, nothing is
/// missing behind it.
pub fn prepare<'s>(
    mut tokens: Vec<Spanned<'s>>,
    dialect: Dialect,
    is_cut: bool,
    diagnostics: &mut Diagnostics,
) -> Vec<Segment<'s>> {
    mark_contextual_keywords(&mut tokens);
    let known = names::Names::new(&tokens, dialect);
    let mut spelling = spelling::Spelling::new(dialect, &known);
    let mut segments = Vec::new();
    for (kind, range) in split(&tokens) {
        let is_last = range.end == tokens.len();
        let findings = diagnostics.iter().count();
        if kind == SegmentKind::System {
            foreign::correct_families(&mut tokens[range.clone()], diagnostics);
            foreign::correct_instances(&mut tokens[range.clone()], &known, diagnostics);
        }
        let tokens = foreign::translate(kind, &tokens[range], &known, diagnostics);
        let mut tokens = spelling.unify(kind, &tokens, diagnostics);
        match kind {
            SegmentKind::Repeat => {
                tokens = recursion::unfold(&calculus::translate(&tokens, dialect, diagnostics), diagnostics);
                guards::mark(&mut tokens);
            }
            SegmentKind::Spec => {
                members::mark(&mut tokens, &known);
                observations::mark(&mut tokens, &known, diagnostics);
                if dialect == Dialect::Modern {
                    tokens = observations::refuse_states(tokens, diagnostics);
                }
            }
            SegmentKind::System => {
                let restriction = tokens.iter().position(|(token, _)| *token == Token::Where).unwrap_or(tokens.len());
                members::mark(&mut tokens[restriction..], &known);
            }
            _ => {}
        }
        spelling.check_brackets(kind, &tokens, diagnostics);
        let (mut tokens, doubtful) = brackets::balance(kind, &tokens, is_cut && is_last, diagnostics);
        if kind == SegmentKind::Repeat {
            brackets::mark_data(&mut tokens);
            tokens = steps::separate(tokens, diagnostics);
        }
        let readable = nesting::check(&tokens, dialect, diagnostics);
        let corrected = diagnostics.iter().count() > findings;
        segments.push(Segment { kind, tokens, doubtful, corrected, readable, is_last });
    }
    segments
}
