//! Keywords where a name is declared: `local: rep : int`, `agent G`, `init: {true} ..` in a process.
//!
//! Each such keyword is reported once, where it is declared. From there on it is read as the name that it was meant to
//! be, wherever it cannot be the keyword, so that its uses are no further mistakes.

use super::around::{at, before, names_behind};
use super::segment::begins_built_in_type;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::SourceFile;
use crate::syntax::findings::add;
use crate::syntax::token::{Spanned, Token};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reports keywords that are declared as names, and makes names of them.
pub fn release<'s>(source: &'s SourceFile, tokens: &mut [Spanned<'s>], diagnostics: &mut Diagnostics) {
    let mut places = Places::new(tokens);
    // For each such keyword, whether it is declared as an agent type only.
    let mut declared: FxHashMap<&str, bool> = FxHashMap::default();
    for index in 0..tokens.len() {
        let (token, span) = tokens[index];
        let text = source.slice(span);
        if token.is_keyword(text) && places.declare(tokens, index) {
            tokens[index].0 = Token::Ident(text);
            let is_agent = before(tokens, index) == Some(Token::Agent);
            if declared.insert(text, is_agent && *declared.get(text).unwrap_or(&true)).is_none() {
                add(diagnostics, misused(text, span));
            }
        }
        places.pass(token);
    }
    if declared.is_empty() {
        return;
    }
    let (mut agents, mut in_spec) = (AgentPlaces::default(), false);
    for index in 0..tokens.len() {
        let (token, span) = tokens[index];
        let text = source.slice(span);
        in_spec |= token == Token::Spec;
        let names_agent = agents.names_agent(tokens, index);
        let is_operator_elsewhere = !in_spec && token.is_temporal();
        if let Some(only_as_agent) = declared.get(text).filter(|_| token.is_keyword(text))
            && (names_agent || !only_as_agent && (is_operator_elsewhere || !is_keyword_here(tokens, index)))
        {
            tokens[index].0 = Token::Ident(text);
        }
        // An agent can be called so, which was reported.
        agents.in_system &= tokens[index].0 != Token::Spec;
    }
}

/// The places where agent types are named: before instances, and behind quantified variables.
#[derive(Default)]
struct AgentPlaces {
    in_system: bool,
    /// The last type of `forall k : T1 | T2`, while more can follow.
    last_of_domain: Option<usize>,
}

impl AgentPlaces {
    /// Goes on to the token at an index; tells whether an agent type is named there.
    fn names_agent(&mut self, tokens: &[Spanned], index: usize) -> bool {
        use Token::*;
        let (previous, next) = (before(tokens, index), at(tokens, index + 1));
        self.in_system |= tokens[index].0 == System && next == Some(Equal);
        let opens_domain = previous == Some(Colon)
            && index.checked_sub(3).is_some_and(|index| matches!(tokens[index].0, Forall | Exists));
        let follows_domain = previous == Some(Or) && self.last_of_domain == index.checked_sub(2);
        if opens_domain || follows_domain {
            self.last_of_domain = Some(index);
        }
        let begins_instance = matches!(previous, Some(Equal | Parallel | Or | CloseParen)) && next == Some(OpenParen);
        opens_domain || follows_domain || self.in_system && begins_instance
    }
}

/// The report of a keyword in place of a name.
pub fn misused(text: &str, span: crate::source::Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, format!("`{text}` is a keyword and cannot be a name"))
        .label("a keyword")
        .help("choose another name")
}

/// The context of the text read so far, as far as it decides where names are declared.
struct Places<'s> {
    enums: FxHashSet<&'s str>,
    in_process: bool,
    in_system: bool,
    in_enum: bool,
}

impl<'s> Places<'s> {
    fn new(tokens: &[Spanned<'s>]) -> Places<'s> {
        let enums = names_behind(tokens, Token::Enum).collect();
        Places { enums, in_process: false, in_system: false, in_enum: false }
    }

    /// Goes on behind a token.
    fn pass(&mut self, token: Token) {
        match token {
            Token::Repeat => (self.in_process, self.in_enum) = (true, false),
            Token::Agent => (self.in_process, self.in_enum) = (false, false),
            Token::System => (self.in_process, self.in_system) = (false, true),
            Token::Spec => self.in_system = false,
            Token::Enum => self.in_enum = true,
            Token::CloseBrace => self.in_enum = false,
            _ => {}
        }
    }

    /// True if a name is declared where a keyword stands.
    fn declare(&self, tokens: &[Spanned], index: usize) -> bool {
        let (previous, next) = (before(tokens, index), at(tokens, index + 1));
        match (previous, next) {
            (Some(Token::Agent), next) => next != Some(Token::Colon),
            (Some(Token::Guard), Some(Token::OpenParen)) => true,
            (Some(Token::Forall | Token::Exists), Some(Token::Colon)) => true,
            (Some(Token::Enum), Some(Token::OpenBrace)) => tokens[index].0 != Token::Channel,
            (Some(Token::OpenBrace | Token::Comma), Some(Token::Comma | Token::CloseBrace)) if self.in_enum => true,
            (Some(Token::OpenParen), Some(Token::Comma | Token::CloseParen)) if self.in_system => {
                // The argument of a guard can be a value.
                let is_value = matches!(tokens[index].0, Token::Myself | Token::True | Token::False | Token::Chan);
                !is_value && index > 1 && matches!(tokens[index - 2].0, Token::Ident(_))
            }
            (_, Some(Token::Colon)) if self.in_process => is_label(tokens, index),
            (_, Some(Token::Colon)) => self.is_variable(tokens, index),
            _ => false,
        }
    }

    /// True if a keyword with a colon stands where a variable is declared, with its type.
    fn is_variable(&self, tokens: &[Spanned], index: usize) -> bool {
        let in_list = match before(tokens, index) {
            Some(Token::Comma | Token::OpenParen) => true,
            Some(Token::Colon) => index > 1 && opens_list(tokens[index - 2].0),
            _ => false,
        };
        let has_type = match at(tokens, index + 2) {
            Some(Token::Ident(name)) => self.enums.contains(name),
            Some(token) => begins_built_in_type(token),
            None => false,
        };
        in_list && has_type
    }
}

fn opens_list(token: Token) -> bool {
    matches!(token, Token::Local | Token::MessageStructure | Token::PropertyVariables)
}

/// True if a keyword with a colon stands where the label of a command can.
fn is_label(tokens: &[Spanned], index: usize) -> bool {
    let begins_step = matches!(
        before(tokens, index),
        Some(Token::OpenParen | Token::Semicolon | Token::Plus | Token::Colon | Token::Rep | Token::CloseBracket)
    );
    begins_step && matches!(at(tokens, index + 2), Some(Token::OpenBrace | Token::Less))
}

/// True if what stands around a keyword is what belongs there.
fn is_keyword_here(tokens: &[Spanned], index: usize) -> bool {
    use Token::*;
    let (previous, next) = (before(tokens, index), at(tokens, index + 1));
    match tokens[index].0 {
        Rep => match next {
            Some(Ident(_)) => at(tokens, index + 2) == Some(Colon),
            next => matches!(next, Some(OpenParen | OpenBrace | Less | Rep)),
        },
        Finally | Globally | Next => next.is_some_and(may_begin_formula),
        infix if infix.is_temporal_infix() => {
            previous.is_some_and(Token::ends_operand) && next.is_some_and(may_begin_formula)
        }
        Local | Init | Relabel | Repeat | ReceiveGuard | MessageStructure | PropertyVariables | PointToPoint => {
            next == Some(Colon)
        }
        Enum | Guard | Agent => matches!(next, Some(Ident(_) | Channel)),
        System => next == Some(Equal) && at(tokens, index + 3) == Some(OpenParen),
        Bool | IntType | Location | Channel => {
            let begins_condition = index > 1 && matches!(tokens[index - 2].0, Init | ReceiveGuard);
            matches!(previous, Some(Colon | Enum)) && !begins_condition
        }
        AutomatonState => previous == Some(Minus),
        Forall | Exists => matches!(next, Some(OpenParen | Ident(_))),
        Chan | Myself | True | False => false,
        _ => true,
    }
}

/// True if a formula begins with a token, also in the brackets of the classic dialect.
fn may_begin_formula(token: Token) -> bool {
    token.begins_formula() || matches!(token, Token::OpenBracket | Token::Less)
}
