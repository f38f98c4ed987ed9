//! Misspelt keywords: `intit:`, `recieve-guard:`, `Agent A`, `spec G ..`.
//!
//! A word counts as one only where no name can stand: behind something complete, and in front of what
//! belongs behind the keyword. It is reported there, and read as the keyword that was meant, so that
//! the rest of the file is read as if nothing had happened.

use super::segment::{begins_built_in_type, channels_keyword, ends_empty_list};
use super::{at, before, braces};
use crate::diag::nearest::nearest;
use crate::diag::{Code, Diagnostic, Diagnostics, Edit};
use crate::source::{SourceFile, Span};
use crate::syntax::add;
use crate::syntax::token::{Spanned, Token};

/// The keywords that a colon follows.
const WITH_COLON: &[(&str, Token)] = &[
    ("message-structure", Token::MessageStructure),
    ("property-variables", Token::PropertyVariables),
    ("communication-variables", Token::PropertyVariables),
    ("channels", Token::Ident("channels")),
    ("local", Token::Local),
    ("init", Token::Init),
    ("relabel", Token::Relabel),
    ("receive-guard", Token::ReceiveGuard),
    ("repeat", Token::Repeat),
];

/// Words of other languages for an agent.
const AGENTS: [&str; 6] = ["process", "proctype", "module", "actor", "class", "role"];

/// Words that others use, or that one remembers, for a keyword with a colon.
const SYNONYMS: &[(&str, &str)] = &[
    ("message", "message-structure"),
    ("messages", "message-structure"),
    ("property", "property-variables"),
    ("properties", "property-variables"),
    ("var", "local"),
    ("vars", "local"),
    ("variables", "local"),
    ("state", "local"),
    ("initial", "init"),
    ("initially", "init"),
    ("relabeling", "relabel"),
    ("relabelling", "relabel"),
    ("receive", "receive-guard"),
    ("process", "repeat"),
    ("behaviour", "repeat"),
    ("behavior", "repeat"),
    ("loop", "repeat"),
];

const VARIABLES: &str = "variables belong to agents: write `local: x : int, y : bool` behind `agent Name`";

/// A word, or several that were meant to be one, in place of a keyword.
struct Misspelt<'s> {
    /// How many tokens it takes.
    length: usize,
    /// The keyword that was meant, and its token; nothing for a section that are not known.
    meant: Option<(&'static str, Token<'s>)>,
}

/// Reports misspelt keywords and replaces them by what was meant.
pub fn correct<'s>(source: &SourceFile, tokens: Vec<Spanned<'s>>, diagnostics: &mut Diagnostics) -> Vec<Spanned<'s>> {
    let tokens = braces::remove(tokens, diagnostics);
    let mut result: Vec<Spanned<'s>> = Vec::with_capacity(tokens.len());
    let mut place = TextContext { lacks_channels: lacks_channels(&tokens), ..TextContext::default() };
    let agents = agents_without_system(&tokens);
    let last_part = tokens.iter().rposition(|(token, _)| matches!(token, Token::Agent | Token::System));
    let mut index = 0;
    while index < tokens.len() {
        if declares_constant(&tokens, index) {
            result.push((Token::Const, tokens[index].1));
            index += 1;
            continue;
        }
        if let Some(help) = foreign_declaration(source, &tokens, index) {
            let (_, span) = tokens[index];
            add(diagnostics, no_declaration(source.slice(span), span, help));
            result.push((Token::UnknownDeclaration, span));
            index += 1;
            continue;
        }
        if !place.behind_spec && !place.in_specs && begins_assumption(source, &tokens, index) {
            let (_, span) = tokens[index];
            let is_early = last_part.is_some_and(|last| index < last);
            if is_early {
                add(diagnostics, early_assumption(span));
            }
            let token = if is_early { Token::UnknownDeclaration } else { Token::Spec };
            place.pass(token, None);
            result.push((token, span));
            index += 1;
            continue;
        }
        let is_local = lacks_local(&tokens, index);
        let found = if is_local { None } else { place.misspelt(source, &tokens, index) };
        let length = found.as_ref().map_or(1, |misspelt| misspelt.length);
        let span = tokens[index].1.to(tokens[index + length - 1].1);
        let token = match found {
            Some(Misspelt { meant, .. }) => {
                add(diagnostics, diagnostic(source.slice(span), span, meant.map(|(word, _)| word)));
                meant.map_or(Token::UnknownSection, |(_, token)| token)
            }
            None => tokens[index].0,
        };
        let start = Span::new(span.start as usize, span.start as usize);
        let follows_enum = result.last().is_some_and(|(last, _)| *last == Token::Enum);
        if token == Token::Channel && !follows_enum && lacks_enum(&tokens, index) {
            add(diagnostics, without_enum(span));
            result.push((Token::Enum, start));
        }
        if place.in_agent && lacks_repeat(&tokens, index) {
            add(diagnostics, without_repeat(span));
            result.extend([(Token::Repeat, start), (Token::Colon, start)]);
            place.in_agent = false;
        }
        if is_local {
            add(diagnostics, without_local(span));
            result.extend([(Token::Local, start), (Token::Colon, start)]);
        }
        if !place.in_specs && begins_system(&tokens, index, &agents) {
            add(diagnostics, without_system(span));
            result.extend([(Token::System, start), (Token::Equal, start)]);
            place.pass(Token::System, Some(Token::Equal));
        }
        if place.in_specs && lacks_spec(source, &tokens, index) {
            add(diagnostics, without_spec(span));
            result.push((Token::Spec, start));
        }
        place.pass(token, at(&tokens, index + length));
        result.push((token, span));
        index += length;
    }
    result
}

/// The context of the text read so far, as far as it decides what may follow.
#[derive(Default)]
struct TextContext {
    /// In an agent, but not in its process.
    in_agent: bool,
    /// Behind `system`.
    in_specs: bool,
    /// Behind some spec.
    behind_spec: bool,
    /// True if the file declares no channels.
    lacks_channels: bool,
}

impl TextContext {
    /// Goes on behind a token.
    fn pass(&mut self, token: Token, next: Option<Token>) {
        match token {
            Token::Agent => self.in_agent = matches!(next, Some(Token::Ident(_))),
            Token::Repeat => self.in_agent = false,
            Token::Spec => self.behind_spec = true,
            Token::System if next == Some(Token::Equal) => {
                *self = TextContext { in_agent: false, in_specs: true, ..*self };
            }
            _ => {}
        }
    }

    /// The misspelt keyword that begins at an index.
    fn misspelt<'s>(&self, source: &SourceFile, tokens: &[Spanned<'s>], index: usize) -> Option<Misspelt<'s>> {
        let Token::Ident(word) = tokens[index].0 else { return overlong(tokens, index) };
        let previous = before(tokens, index);
        if previous == Some(Token::Enum) && self.lacks_channels && !names_type(tokens, word) {
            let meant = nearest(word, ["channel"]).map(|keyword| (keyword, Token::Channel));
            return meant.map(|meant| Misspelt { length: 1, meant: Some(meant) });
        }
        if !can_begin(tokens, index) {
            return None;
        }
        let begins_line = || begins_line(source, tokens, index);
        if self.in_specs {
            if word == "ASSUME" || !begins_line() || at(tokens, index + 1) == Some(Token::Colon) {
                return None;
            }
            let keyword = if assumes(word) { "ASSUME" } else { "SPEC" };
            let is_meant = assumes(word) || means_spec(word);
            return is_meant.then_some(Misspelt { length: 1, meant: Some((keyword, Token::Spec)) });
        }
        without_colon(tokens, index, word).or_else(|| {
            let (length, word) = hyphenated(source, tokens, index)?;
            match nearest_with_colon(&word) {
                // A section cannot follow a semicolon, where the label of a command can stand.
                Some((_, token)) if previous == Some(Token::Semicolon) && is_section(token) => None,
                Some((keyword, _)) if keyword == source.slice(tokens[index].1) => None,
                Some(meant) => Some(Misspelt { length, meant: Some(meant) }),
                None if self.in_agent && begins_line() => Some(Misspelt { length, meant: None }),
                None => None,
            }
        })
    }
}

/// The notation to write instead of a declaration of other languages that begins at an index.
fn foreign_declaration(source: &SourceFile, tokens: &[Spanned], index: usize) -> Option<&'static str> {
    let is_declared = matches!(at(tokens, index + 1)?, Token::Ident(_) | Token::Bool | Token::IntType);
    if !can_begin(tokens, index) || !is_declared || !begins_line(source, tokens, index) {
        return None;
    }
    let assigns = matches!(at(tokens, index + 2), Some(Token::Equal | Token::Assign | Token::Semicolon));
    let help = match (tokens[index].0, source.slice(tokens[index].1).to_lowercase().as_str()) {
        (Token::Ident(_), "const" | "constant" | "constants" | "define" | "let" | "param" | "parameter") => {
            "constants are declared by `const name = 3;`, without a type, and names for values by `enum name {one, another}`"
        }
        (Token::Ident(_), "type" | "typedef" | "datatype" | "struct") => {
            "types are declared by `enum name {one, another}`; ranges, as in `0..3`, stand where they are used"
        }
        (Token::Ident(_), "var" | "variable" | "global" | "shared") => VARIABLES,
        (Token::Bool | Token::IntType, _) if assigns => VARIABLES,
        _ => return None,
    };
    Some(help)
}

/// True if `const` at an index opens a declaration.
fn declares_constant(tokens: &[Spanned], index: usize) -> bool {
    (can_begin(tokens, index) || ends_empty_list(tokens, index))
        && tokens[index].0 == Token::Ident("const")
        && (at(tokens, index + 2) == Some(Token::Equal)
            || matches!(at(tokens, index + 1), Some(Token::Ident(_))) && at(tokens, index + 2) != Some(Token::Colon))
}

/// A keyword with a colon that goes on behind its end, as in `message-structures:`.
fn overlong<'s>(tokens: &[Spanned<'s>], index: usize) -> Option<Misspelt<'s>> {
    let meant = WITH_COLON.iter().find(|(_, token)| *token == tokens[index].0)?;
    let (Token::Ident(_), rest) = tokens.get(index + 1)? else { return None };
    let goes_on = rest.start == tokens[index].1.end && at(tokens, index + 2) == Some(Token::Colon);
    goes_on.then_some(Misspelt { length: 2, meant: Some(*meant) })
}

/// True if a file declares no channels, in neither dialect.
fn lacks_channels(tokens: &[Spanned]) -> bool {
    let declares = |pair: &[Spanned]| {
        matches!((pair[0].0, pair[1].0), (Token::Enum, Token::Channel) | (Token::Channel, Token::OpenBrace))
    };
    !tokens.windows(2).any(declares) && channels_keyword(tokens).is_none()
}

/// True if a variable is declared with the type of this name.
fn names_type(tokens: &[Spanned], word: &str) -> bool {
    tokens.windows(2).any(|pair| pair[0].0 == Token::Colon && pair[1].0 == Token::Ident(word))
}

/// True if a declaration, a section or a spec can begin at an index.
fn can_begin(tokens: &[Spanned], index: usize) -> bool {
    before(tokens, index).is_none_or(|token| completes(token) || token == Token::Semicolon)
}

/// True if a declaration, a section or a spec can be complete behind a token.
fn completes(token: Token) -> bool {
    token.ends_operand()
        || matches!(token, Token::Bool | Token::IntType | Token::Location | Token::CloseBrace | Token::CloseBracket)
}

fn is_section(token: Token) -> bool {
    matches!(token, Token::Local | Token::Init | Token::Relabel | Token::ReceiveGuard | Token::Repeat)
}

/// `enum`, `agent`, `guard` and `system`, known by what follows.
fn without_colon<'s>(tokens: &[Spanned<'s>], index: usize, word: &str) -> Option<Misspelt<'s>> {
    let (keyword, token) = match (at(tokens, index + 1)?, at(tokens, index + 2)) {
        (Token::Ident(_) | Token::Channel, Some(Token::OpenBrace)) => ("enum", Token::Enum),
        (Token::Ident(_), Some(Token::OpenParen)) => ("guard", Token::Guard),
        (Token::Ident(_), Some(Token::Colon | Token::Minus)) => return None,
        (Token::Ident(_), _) => ("agent", Token::Agent),
        (Token::Equal, _) => ("system", Token::System),
        _ => return None,
    };
    let is_synonym = keyword == "agent"
        && AGENTS.contains(&word.to_lowercase().as_str())
        && at(tokens, index + 2).is_some_and(is_section);
    (is_synonym || nearest(word, [keyword]).is_some()).then_some(Misspelt { length: 1, meant: Some((keyword, token)) })
}

/// One or two words before a colon, as one word with a hyphen, unless a guard or a type follows:
/// then it is a label or a variable. Also tells how many tokens it takes.
fn hyphenated(source: &SourceFile, tokens: &[Spanned], index: usize) -> Option<(usize, String)> {
    let is_word = |index| at(tokens, index).is_some_and(|token| matches!(token, Token::Ident(_) | Token::Guard));
    let length = match (at(tokens, index + 1)?, is_word(index + 1), is_word(index + 2)) {
        (Token::Colon, ..) => 1,
        (_, true, _) => 2,
        (Token::Minus, _, true) => 3,
        _ => return None,
    };
    let follows = at(tokens, index + length + 1);
    let is_name =
        follows.is_some_and(|token| matches!(token, Token::OpenBrace | Token::Less) || begins_built_in_type(token));
    if at(tokens, index + length) != Some(Token::Colon) || is_name {
        return None;
    }
    let words = [tokens[index].1, tokens[index + length - 1].1];
    let words = words[..length.min(2)].iter().map(|span| source.slice(*span).to_lowercase().replace('_', "-"));
    Some((length, words.collect::<Vec<_>>().join("-")))
}

/// The keyword with a colon that a word was meant to be.
fn nearest_with_colon(word: &str) -> Option<(&'static str, Token<'static>)> {
    let synonym = SYNONYMS.iter().find(|(synonym, _)| *synonym == word).map(|(_, keyword)| *keyword);
    let keyword = WITH_COLON.iter().map(|(keyword, _)| *keyword).find(|keyword| *keyword == word);
    let meant = keyword.or(synonym).or_else(|| nearest(word, WITH_COLON.iter().map(|(keyword, _)| *keyword)))?;
    WITH_COLON.iter().find(|(keyword, _)| *keyword == meant).copied()
}

/// `spec`, `SPECS`, `INVARSPEC` and the like; the words of [`super::segment::mark_contextual_keywords`] are right.
fn means_spec(word: &str) -> bool {
    let is_right = matches!(word, "LTL" | "LTOL" | "LTLSPEC");
    let lower = word.to_lowercase();
    !is_right && (lower.ends_with("spec") || nearest(word, ["SPEC"]).is_some() || lower == "assert")
}

/// True if a word before a formula is `ASSUME`, or was meant to be: the assumptions of other languages are among them.
pub fn assumes(word: &str) -> bool {
    let lower = word.to_lowercase();
    let is_other = matches!(lower.as_str(), "assumption" | "fairness" | "justice" | "compassion");
    is_other || nearest(&lower, ["assume", "assumes"]).is_some()
}

fn begins_line(source: &SourceFile, tokens: &[Spanned], index: usize) -> bool {
    let start = index.checked_sub(1).map_or(0, |index| tokens[index].1.end as usize);
    index == 0 || source.text()[start..tokens[index].1.start as usize].contains(['\n', '\r'])
}

/// True if `channel {..}` stands where `enum channel {..}` must.
fn lacks_enum(tokens: &[Spanned], index: usize) -> bool {
    let previous = before(tokens, index);
    at(tokens, index + 1) == Some(Token::OpenBrace)
        && previous.is_none_or(|token| completes(token) && token != Token::Star)
}

/// True if a process begins where a section must: with a command, maybe in parentheses.
fn lacks_repeat(tokens: &[Spanned], index: usize) -> bool {
    let begins_command = |index| match (at(tokens, index), at(tokens, index + 1), at(tokens, index + 2)) {
        (Some(Token::OpenBrace), ..) => true,
        (Some(Token::Ident(_)), Some(Token::Colon), Some(guard)) => matches!(guard, Token::OpenBrace | Token::Less),
        _ => false,
    };
    let begins = match tokens[index].0 {
        Token::OpenParen => begins_command(index + 1),
        _ => begins_command(index),
    };
    begins && before(tokens, index).is_some_and(completes)
}

/// True if a declaration of a local stands where a section must, directly behind the name of an agent.
fn lacks_local(tokens: &[Spanned], index: usize) -> bool {
    let follows_name =
        index >= 2 && tokens[index - 2].0 == Token::Agent && matches!(tokens[index - 1].0, Token::Ident(_));
    let (Token::Ident(_), Some(Token::Colon), Some(ty)) =
        (tokens[index].0, at(tokens, index + 1), at(tokens, index + 2))
    else {
        return false;
    };
    let ends = |token| token == Token::Comma || is_section(token);
    let is_type = matches!(ty, Token::Ident(_)) && at(tokens, index + 3).is_some_and(ends);
    follows_name && (is_type || begins_built_in_type(ty))
}

/// The agent types of a file without `system`.
fn agents_without_system<'s>(tokens: &[Spanned<'s>]) -> Vec<&'s str> {
    let name = |pair: &[Spanned<'s>]| match (pair[0].0, pair[1].0) {
        (Token::Agent, Token::Ident(name)) => Some(name),
        _ => None,
    };
    let has_system = tokens.iter().any(|(token, _)| *token == Token::System);
    if has_system { Vec::new() } else { tokens.windows(2).filter_map(name).collect() }
}

/// True if an instance of one of these agent types stands behind what can end an agent: `Type(name, ..` or `Type(name[..`.
fn begins_system(tokens: &[Spanned], index: usize, agents: &[&str]) -> bool {
    let is_agent = matches!(tokens[index].0, Token::Ident(name) if agents.contains(&name));
    let follows_process = matches!(before(tokens, index), Some(Token::CloseParen | Token::CloseBracket));
    let follows = [at(tokens, index + 1), at(tokens, index + 2), at(tokens, index + 3)];
    is_agent
        && follows_process
        && matches!(follows, [Some(Token::OpenParen), Some(Token::Ident(_)), Some(Token::Comma | Token::OpenBracket)])
}

/// True if a line begins with a temporal operator or a quantifier where no operand is due.
fn lacks_spec(source: &SourceFile, tokens: &[Spanned], index: usize) -> bool {
    use Token::*;
    let begins_formula = matches!(tokens[index].0, Globally | Finally | Next | Forall | Exists | OpenNecessary);
    let is_complete = matches!(before(tokens, index), Some(CloseParen | Ident(_) | Int(_) | True | False | Semicolon));
    let is_word = at(tokens, index + 1) != Some(OpenBracket) && !matches!(source.slice(tokens[index].1), r"/\" | r"\/");
    begins_formula && is_complete && is_word && begins_line(source, tokens, index)
}

/// True if an assumption begins where no spec was read yet.
fn begins_assumption(source: &SourceFile, tokens: &[Spanned], index: usize) -> bool {
    use Token::*;
    let begins_formula = |next| {
        matches!(next, Ident(_) | OpenParen | Not | Globally | Finally | Next | Forall | Exists | True | False)
            || matches!(next, OpenNecessary | OpenPossible)
    };
    tokens[index].0 == Ident("ASSUME")
        && can_begin(tokens, index)
        && at(tokens, index + 1).is_some_and(begins_formula)
        && begins_line(source, tokens, index)
}

fn early_assumption(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, "`ASSUME` must stand behind `system`")
        .label("too early")
        .help("assumptions stand between the specs, behind `system`: each is about the specs below it")
}

fn no_declaration(word: &str, span: Span, help: &str) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, format!("`{word}` begins no declaration"))
        .label("unknown declaration")
        .help(help)
}

fn without_local(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, "`local:` is missing here")
        .label("a local variable is declared here")
        .help("write `local:` before the variables of an agent")
}

fn without_system(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, "`system =` is missing here")
        .label("the instances begin here")
        .help("compose instances of the agents, as in `system = Type(name, true) || Type(other, true)`")
}

fn without_spec(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, "`SPEC` is missing here")
        .label("a formula begins here")
        .help("write `SPEC` before each formula")
        .fix("write `SPEC` here", [Edit::insert(span.start, "SPEC ")])
}

fn without_repeat(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, "`repeat:` is missing here")
        .label("the process begins here")
        .help("write `repeat:` before the commands of an agent")
        .fix("write `repeat:` here", [Edit::insert(span.start, "repeat: ")])
}

fn without_enum(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, "`enum` is missing here")
        .label("not declared as an enum")
        .help("channels are declared by `enum channel { .. }`")
        .fix("write `enum` here", [Edit::insert(span.start, "enum ")])
}

fn diagnostic(word: &str, span: Span, meant: Option<&str>) -> Diagnostic {
    let diagnostic = match meant {
        Some(_) => Diagnostic::new(Code::UnexpectedToken, span, format!("`{word}` is no keyword")),
        None => Diagnostic::new(Code::UnexpectedToken, span, format!("an agent has no section `{word}:`")),
    };
    match meant {
        Some(meant) => {
            let diagnostic = diagnostic.label("unknown keyword").help(format!("did you mean `{meant}`?"));
            diagnostic.fix(format!("change `{word}` to `{meant}`"), [Edit::replace(span, meant)])
        }
        None => diagnostic
            .label("unknown section")
            .help("the sections are `local:`, `init:`, `relabel:`, `receive-guard:` and `repeat:`"),
    }
}
