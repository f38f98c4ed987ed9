//! The beginnings of segments: keywords that open a declaration, a section or a spec.

use super::around::{at, before, completes_operand};
use crate::syntax::token::{Spanned, Token};
use std::ops::Range;

macro_rules! segment_kinds {
    ($($(#[$doc:meta])* $kind:ident = $token:ident, $noun:literal;)*) => {
        /// The kind of a segment, by its keyword.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum SegmentKind {
            $($(#[$doc])* $kind,)*
        }

        impl SegmentKind {
            fn of(token: Token) -> Option<SegmentKind> {
                match token {
                    $(Token::$token => Some(SegmentKind::$kind),)*
                    _ => None,
                }
            }

            /// The kind as a noun.
            pub fn noun(self) -> &'static str {
                match self {
                    $(SegmentKind::$kind => $noun,)*
                }
            }
        }
    };
}

segment_kinds! {
    /// Text before the first keyword, or behind a word that others declare something by.
    Stray = UnknownDeclaration, "the text";
    /// `enum ..`
    Enum = Enum, "the enum";
    /// `channels: ..`
    Channels = Channels, "the list of channels";
    /// `message-structure: ..`
    Messages = MessageStructure, "the message structure";
    /// `property-variables: ..`
    Properties = PropertyVariables, "the list of property variables";
    /// `point-to-point: ..`
    PointToPoint = PointToPoint, "the choice of a reading";
    /// `guard ..`
    Guard = Guard, "the guard";
    /// `const ..`
    Const = Const, "the declaration of a constant";
    /// `agent A`, without its sections
    Agent = Agent, "the agent";
    /// `local: ..`
    Local = Local, "the list of local variables";
    /// `init: ..`
    Init = Init, "the initial condition";
    /// `relabel: ..`
    Relabel = Relabel, "the relabelling";
    /// `receive-guard: ..`
    ReceiveGuard = ReceiveGuard, "the receive guard";
    /// `repeat: ..`
    Repeat = Repeat, "the process";
    /// A section that no agent has; it has been reported
    Unknown = UnknownSection, "the section";
    /// `system = ..`
    System = System, "the system";
    /// `SPEC ..`, `ASSUME ..`
    Spec = Spec, "the spec";
}

impl SegmentKind {
    /// True if it is a section of an agent.
    pub fn is_section(self) -> bool {
        use SegmentKind::*;
        matches!(self, Local | Init | Relabel | ReceiveGuard | Repeat | Unknown)
    }

    /// True if names with types stand in it.
    pub fn has_declarations(self) -> bool {
        use SegmentKind::*;
        matches!(self, Messages | Properties | Guard | Local)
    }
}

/// Finds `channels :` (or `channel :`, as in one of the papers) where a declaration begins, before the first agent.
pub fn channels_keyword(tokens: &[Spanned]) -> Option<usize> {
    let end = tokens.iter().position(|(token, _)| *token == Token::Agent).unwrap_or(tokens.len());
    (0..end).find(|&index| {
        matches!(tokens[index].0, Token::Ident("channels") | Token::Channel)
            && at(tokens, index + 1) == Some(Token::Colon)
            && !matches!(
                before(tokens, index),
                Some(Token::Colon | Token::Comma | Token::OpenParen | Token::OpenBrace | Token::Enum)
            )
    })
}

/// True if a list of variables without any, as in `communication-variables:`, may end before an index.
pub fn ends_empty_list(tokens: &[Spanned], index: usize) -> bool {
    use Token::{Colon, Local, MessageStructure, PropertyVariables, Relabel};
    let opens_list = |token| matches!(token, MessageStructure | PropertyVariables | Local | Relabel);
    before(tokens, index) == Some(Colon) && index >= 2 && opens_list(tokens[index - 2].0)
}

/// Turns words that are keywords only in some places into keywords there: `channels` before its
/// colon, `LTL`, `LTOL`, `LTLSPEC` and `ASSUME` where a spec may begin.
pub fn mark_contextual_keywords(tokens: &mut [Spanned]) {
    if let Some(index) = channels_keyword(tokens) {
        tokens[index].0 = Token::Channels;
    }
    // If `system` is missing, or stands too late, specs are specs all the same.
    let begins_specs = |(token, _): &Spanned| matches!(token, Token::System | Token::Spec);
    let first = tokens.iter().position(begins_specs).unwrap_or(tokens.len());
    let mut depth = 0usize;
    for index in first..tokens.len() {
        let (token, _) = tokens[index];
        match token {
            Token::Spec => depth = 0,
            Token::OpenParen => depth += 1,
            Token::CloseParen => depth = depth.saturating_sub(1),
            Token::Semicolon => depth = 0,
            Token::Ident(word @ ("LTL" | "LTOL" | "LTLSPEC" | "ASSUME")) if depth == 0 => {
                // Behind `*` a factor is due: no formula ends in a channel. But a condition on initial states may, and behind
                // a factor no formula begins.
                let is_factor = word != "ASSUME" || at(tokens, index + 1).is_none_or(continues);
                let ends_formula = |last: Token| completes_operand(last) && (last != Token::Star || !is_factor);
                let begins = before(tokens, index).is_none_or(|last| ends_formula(last) || last == Token::Semicolon);
                if begins {
                    tokens[index].0 = Token::Spec;
                }
            }
            _ => {}
        }
    }
}

/// True if something before a token goes on there, or ends: no formula begins with it.
fn continues(next: Token) -> bool {
    use Token::*;
    let is_infix = next.infix().is_some() && !matches!(next, Minus | Star);
    is_infix || next.closes().is_some() || matches!(next, Comma | Semicolon | Spec)
}

/// The segments of a file, in order; together they hold every token once.
pub fn split(tokens: &[Spanned]) -> Vec<(SegmentKind, Range<usize>)> {
    let mut segments: Vec<(SegmentKind, Range<usize>)> = Vec::new();
    for index in 0..tokens.len() {
        match SegmentKind::of(tokens[index].0).filter(|_| opens_segment(tokens, index)) {
            Some(kind) => segments.push((kind, index..index + 1)),
            None => match segments.last_mut() {
                Some((_, range)) => range.end = index + 1,
                None => segments.push((SegmentKind::Stray, index..index + 1)),
            },
        }
    }
    segments
}

/// True if the keyword at an index opens a segment. It does where what belongs behind it follows, and
/// also elsewhere, unless it stands where a name is due (`local: init : bool`).
fn opens_segment(tokens: &[Spanned], index: usize) -> bool {
    let next = at(tokens, index + 1);
    let complete = match tokens[index].0 {
        Token::Enum => matches!(next, Some(Token::Ident(_) | Token::Channel | Token::OpenBrace)),
        Token::Guard | Token::Agent => matches!(next, Some(Token::Ident(_))),
        Token::System => next == Some(Token::Equal),
        Token::Local | Token::Init | Token::Relabel | Token::Repeat => {
            next == Some(Token::Colon) && !at(tokens, index + 2).is_some_and(begins_built_in_type)
        }
        _ => true,
    };
    let name_is_due = matches!(
        before(tokens, index),
        Some(
            Token::Comma
                | Token::Colon
                | Token::OpenParen
                | Token::OpenBrace
                | Token::Agent
                | Token::Enum
                | Token::Guard
        )
    );
    complete || !name_is_due
}

pub fn begins_built_in_type(token: Token) -> bool {
    matches!(token, Token::Bool | Token::IntType | Token::Int(_) | Token::Location | Token::Channel)
}
