//! From tokens to segments that the grammar can read: everything that depends on more than the next
//! few tokens is decided here, in passes that are linear and use no recursion.
//!
//! 1. [`segment`]: the file falls into segments (a declaration, a section of an agent, a spec ..), each
//!    opened by its keyword; an error in one segment never reaches another.
//! 2. [`guards`], [`observations`], [`members`]: which `<` and `>` are brackets, which `-` joins a
//!    qualified name; and the spellings of one dialect that the other lacks.
//! 3. [`brackets`]: closing brackets that are missing are put in, those too many are taken out.
//! 4. [`nesting`]: what is nested too deep to be read is reported and not read.

mod brackets;
mod guards;
mod members;
mod nesting;
mod observations;
mod segment;
mod spelling;

pub use segment::SegmentKind;

use super::ast::Dialect;
use super::token::{Spanned, Token};
use crate::diag::Diagnostics;
use crate::source::Span;

/// The deepest nesting of brackets, prefix operators and operators that group to the right.
pub const MAX_NESTING: usize = 400;

/// A piece of a file that the grammar reads by itself.
#[derive(Debug)]
pub struct Segment<'s> {
    /// What it is.
    pub kind: SegmentKind,
    /// Its tokens, from its keyword on; its brackets are balanced.
    pub tokens: Vec<Spanned<'s>>,
    /// Where brackets were put right: errors of the grammar there may be mere consequences.
    pub doubtful: Vec<Span>,
    /// Whether the grammar may read it at all.
    pub readable: bool,
}

impl Segment<'_> {
    /// From the first to the last token.
    pub fn span(&self) -> Span {
        match (self.tokens.first(), self.tokens.last()) {
            (Some((_, first)), Some((_, last))) => first.to(*last),
            _ => Span::default(),
        }
    }

    /// Where the keyword stands.
    pub fn keyword(&self) -> Span {
        self.tokens.first().map_or(Span::default(), |(_, span)| *span)
    }
}

/// Which dialect the tokens are of: `channels:` among the declarations makes them classic.
pub fn dialect_of(tokens: &[Spanned]) -> Dialect {
    if segment::channels_keyword(tokens).is_some() { Dialect::Classic } else { Dialect::Modern }
}

/// Cuts a file into segments and makes each of them ready for the grammar.
pub fn prepare<'s>(mut tokens: Vec<Spanned<'s>>, dialect: Dialect, diagnostics: &mut Diagnostics) -> Vec<Segment<'s>> {
    segment::mark_contextual_keywords(&mut tokens);
    let instances = members::instance_names(&tokens);
    let boolean = observations::boolean_names(&tokens);
    let mut spelling = spelling::Spelling::new(dialect);
    let mut segments = Vec::new();
    for (kind, range) in segment::split(&tokens) {
        let mut tokens = spelling.unify(kind, &tokens[range], diagnostics);
        match kind {
            SegmentKind::Repeat => guards::mark(&mut tokens),
            SegmentKind::Spec => {
                members::mark(&mut tokens, &instances);
                observations::mark(&mut tokens, &boolean);
            }
            _ => {}
        }
        spelling.check_brackets(kind, &tokens, diagnostics);
        let (mut tokens, doubtful) = brackets::balance(kind, &tokens, diagnostics);
        if kind == SegmentKind::Repeat {
            brackets::mark_data(&mut tokens);
        }
        let readable = nesting::check(&tokens, dialect, diagnostics);
        segments.push(Segment { kind, tokens, doubtful, readable });
    }
    segments
}

/// The token at an index, if there is one.
fn at<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Token<'s>> {
    tokens.get(index).map(|(token, _)| *token)
}

/// The token before an index, if there is one.
fn before<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Token<'s>> {
    index.checked_sub(1).and_then(|index| at(tokens, index))
}
