//! The position of a place in the grammar, however much of the text is missing: it decides which words may be typed
//! there.

use crate::source::{SourceFile, Span};
use crate::syntax::lexer::lex;
use crate::syntax::token::{Comment, Spanned, Token};
use crate::syntax::{Part, SegmentKind, parts};

/// A place, with the text before it.
pub(super) struct Before<'s> {
    /// The part of the file that it stands in; nothing before the first one.
    pub(super) part: Option<Part<'s>>,
    /// The name of the agent type whose sections it stands among.
    pub(super) agent: Option<&'s str>,
    /// The comment that it stands in, if it does.
    pub(super) comment: Option<Comment>,
    /// The brackets that are open there, as indices into the tokens of the part.
    open: Vec<usize>,
}

/// The kind of word to be typed at a place in the behaviour of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InCommand {
    /// A command, or a parenthesis of the process.
    Start,
    /// The guard.
    Guard,
    /// The channel, `GET@` or `SUPPLY@`.
    Action,
    /// The send guard.
    SendGuard,
    /// The supplier that a get asks.
    GetTarget,
    /// The getter that a supply serves.
    SupplyTarget,
    /// A message variable to assign.
    Datum,
    /// Its value.
    DatumValue,
    /// A local to update.
    Update,
    /// Its value.
    UpdateValue,
    /// `;` or `+`.
    Behind,
}

impl<'s> Before<'s> {
    /// The place behind a text.
    pub(super) fn new(prefix: &'s SourceFile) -> Before<'s> {
        let end = prefix.text().len() as u32;
        let lexed = lex(prefix);
        // White space at the end of a line is no part of a comment.
        let is_open =
            |comment: &&Comment| comment.is_line && !prefix.text()[comment.span.range().end..].contains(['\n', '\r']);
        let cut = lexed
            .tokens
            .last()
            .filter(|_| lexed.is_cut)
            .map(|(_, opener)| Comment { span: Span { end, ..*opener }, is_line: false });
        let comment = cut.or_else(|| lexed.comments.last().filter(is_open).copied());
        let mut agent = None;
        let mut last = None;
        for part in parts(prefix) {
            match (part.kind, part.tokens.get(1)) {
                (SegmentKind::Agent, Some((Token::Ident(name), _))) => agent = Some(*name),
                (kind, _) if kind.is_section() => {}
                _ => agent = None,
            }
            last = Some(part);
        }
        let open = last.as_ref().map_or_else(Vec::new, open_brackets);
        Before { part: last, agent, comment, open }
    }

    /// The tokens of the part.
    pub(super) fn tokens(&self) -> &[Spanned<'s>] {
        self.part.as_ref().map_or(&[], |part| &part.tokens)
    }

    /// The token so many before the place, from 0.
    pub(super) fn back(&self, distance: usize) -> Option<Token<'s>> {
        let tokens = self.tokens();
        tokens.len().checked_sub(distance + 1).map(|index| tokens[index].0)
    }

    /// The innermost open bracket, as an index into the tokens of the part.
    pub(super) fn bracket(&self) -> Option<usize> {
        self.open.last().copied()
    }

    /// All open brackets, the innermost last.
    pub(super) fn brackets(&self) -> &[usize] {
        &self.open
    }

    fn at(&self, index: usize) -> Option<Token<'s>> {
        self.tokens().get(index).map(|(token, _)| *token)
    }

    /// The kind of word to be typed in the behaviour of an agent, where these names are those of guards.
    pub(super) fn in_command(&self, is_guard: impl Fn(&str) -> bool) -> InCommand {
        let assigned = |bracket, name, value| if self.is_behind_assign(bracket) { value } else { name };
        for &bracket in self.open.iter().rev() {
            let before = bracket.checked_sub(1).and_then(|index| self.at(index));
            match self.at(bracket) {
                // The `>` may be the end of the guard: what follows will tell.
                Some(Token::OpenGuard) if self.back(0) == Some(Token::Greater) => return InCommand::Action,
                Some(Token::OpenBrace | Token::OpenGuard) => return InCommand::Guard,
                Some(Token::OpenBracket) => return assigned(bracket, InCommand::Update, InCommand::UpdateValue),
                Some(Token::OpenParen) => match before {
                    Some(Token::Get) => return InCommand::GetTarget,
                    Some(Token::Supply) => return InCommand::SupplyTarget,
                    Some(Token::CloseParen) => return assigned(bracket, InCommand::Datum, InCommand::DatumValue),
                    Some(Token::Ident(name)) if is_guard(name) && self.is_behind_send(bracket) => {
                        return InCommand::SendGuard;
                    }
                    Some(token) if token.ends_operand() && self.is_behind_send(bracket) => {
                        return assigned(bracket, InCommand::Datum, InCommand::DatumValue);
                    }
                    _ if self.is_behind_send(bracket) => return InCommand::SendGuard,
                    // A parenthesis of an expression, or of the process.
                    _ => {}
                },
                _ => {}
            }
        }
        match self.back(0) {
            Some(Token::CloseBrace | Token::CloseGuard) => InCommand::Action,
            Some(Token::CloseBracket | Token::CloseParen) => InCommand::Behind,
            _ if self.is_behind_send(self.tokens().len()) => InCommand::SendGuard,
            _ => InCommand::Start,
        }
    }

    /// The tokens in a bracket that stand in none inside of it.
    pub(super) fn directly_in(&self, bracket: usize) -> impl Iterator<Item = Token<'s>> {
        let mut depth = 0usize;
        self.tokens()[bracket + 1..].iter().map(|(token, _)| *token).filter(move |token| {
            depth =
                (depth + usize::from(token.opens().is_some())).saturating_sub(usize::from(token.closes().is_some()));
            depth == 0
        })
    }

    /// True if the last `:=` or comma right in a bracket is a `:=`.
    fn is_behind_assign(&self, bracket: usize) -> bool {
        let signs = self.directly_in(bracket).filter(|token| matches!(token, Token::Comma | Token::Assign));
        signs.last() == Some(Token::Assign)
    }

    /// True if a `!` of this command stands before an index, behind its guard.
    fn is_behind_send(&self, index: usize) -> bool {
        let mut depth = 0;
        for (token, _) in self.tokens()[..index].iter().rev() {
            match token {
                Token::CloseParen => depth += 1,
                Token::OpenParen if depth == 0 => return false,
                Token::OpenParen => depth -= 1,
                Token::Not if depth == 0 => return true,
                Token::OpenBrace | Token::OpenGuard | Token::OpenBracket if depth == 0 => return false,
                Token::Semicolon | Token::Plus | Token::CloseBrace | Token::CloseGuard | Token::CloseBracket
                    if depth == 0 =>
                {
                    return false;
                }
                _ => {}
            }
        }
        false
    }
}

/// The brackets of a part that are not closed, as indices of their tokens.
fn open_brackets(part: &Part) -> Vec<usize> {
    let mut open: Vec<usize> = Vec::new();
    for (index, (token, _)) in part.tokens.iter().enumerate() {
        // A token that no guard contains ends an open guard.
        let ends_guard =
            matches!(token, Token::Semicolon | Token::Colon | Token::OpenBracket | Token::OpenBrace | Token::Assign);
        if ends_guard && open.last().is_some_and(|&last| part.tokens[last].0 == Token::OpenGuard) {
            open.pop();
        }
        if token.opens().is_some() {
            open.push(index);
        } else if token.closes().is_some() {
            open.pop();
        }
    }
    open
}
