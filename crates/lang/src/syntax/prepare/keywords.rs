//! Misspelt keywords: `intit:`, `recieve-guard:`, `Agent A`, `spec G ..`.
//!
//! A word counts as one only where no name can stand: behind something complete, and in front of what
//! belongs behind the keyword. It is reported there, and read as the keyword that was meant, so that
//! the rest of the file is read as if nothing had happened.

use super::around::{at, before, names_behind};
use super::braces;
use super::segment::{begins_built_in_type, channels_keyword, ends_empty_list};
use crate::diag::nearest::nearest;
use crate::diag::{Code, Diagnostic, Diagnostics, Edit};
use crate::source::{SourceFile, Span};
use crate::syntax::findings::add;
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

/// Reports misspelt and missing keywords, and puts in what was meant.
pub fn correct<'s>(source: &SourceFile, tokens: Vec<Spanned<'s>>, diagnostics: &mut Diagnostics) -> Vec<Spanned<'s>> {
    let tokens = &braces::remove(tokens, diagnostics)[..];
    let has_system = tokens.iter().any(|(token, _)| *token == Token::System);
    let agents = if has_system { Vec::new() } else { names_behind(tokens, Token::Agent).collect() };
    let last_part = tokens.iter().rposition(|(token, _)| matches!(token, Token::Agent | Token::System));
    let place = TextContext { lacks_channels: lacks_channels(tokens), ..TextContext::default() };
    let result = Vec::with_capacity(tokens.len());
    let mut corrector = Corrector { source, tokens, agents, last_part, place, result, diagnostics };
    let mut index = 0;
    while index < tokens.len() {
        index += corrector.pass(index);
    }
    corrector.result
}

/// The tokens of a file up to some place, with the keywords that were meant.
struct Corrector<'a, 's> {
    source: &'a SourceFile,
    tokens: &'a [Spanned<'s>],
    /// The agent types, if there is no `system`.
    agents: Vec<&'s str>,
    /// The last `agent` or `system`.
    last_part: Option<usize>,
    place: TextContext,
    result: Vec<Spanned<'s>>,
    diagnostics: &'a mut Diagnostics,
}

impl<'s> Corrector<'_, 's> {
    /// Goes on behind what begins at an index; tells how many tokens that takes.
    fn pass(&mut self, index: usize) -> usize {
        let (length, token) = self.meant(index);
        let span = self.tokens[index].1.to(self.tokens[index + length - 1].1);
        self.put_in(index, token, span);
        self.place.pass(token, at(self.tokens, index + length));
        self.result.push((token, span));
        length
    }

    /// The token that was meant by what begins at an index, and how many tokens that takes.
    fn meant(&mut self, index: usize) -> (usize, Token<'s>) {
        let (source, tokens) = (self.source, self.tokens);
        let (token, span) = tokens[index];
        if declares_constant(tokens, index) {
            return (1, Token::Const);
        }
        if let Some(help) = foreign_declaration(source, tokens, index) {
            add(self.diagnostics, no_declaration(source.slice(span), span, help));
            return (1, Token::UnknownDeclaration);
        }
        if !self.place.behind_spec && !self.place.in_specs && begins_assumption(source, tokens, index) {
            if self.last_part.is_none_or(|last| index > last) {
                return (1, Token::Spec);
            }
            add(self.diagnostics, early_assumption(span));
            return (1, Token::UnknownDeclaration);
        }
        if lacks_local(tokens, index) {
            return (1, token);
        }
        let Some(Misspelt { length, meant }) = self.place.misspelt(source, tokens, index) else { return (1, token) };
        let span = span.to(tokens[index + length - 1].1);
        add(self.diagnostics, diagnostic(source.slice(span), span, meant.map(|(word, _)| word)));
        (length, meant.map_or(Token::UnknownSection, |(_, token)| token))
    }

    /// Puts in the keywords that are missing before a token.
    fn put_in(&mut self, index: usize, token: Token<'s>, span: Span) {
        let tokens = self.tokens;
        let follows_enum = self.result.last().is_some_and(|(last, _)| *last == Token::Enum);
        if token == Token::Channel && !follows_enum && lacks_enum(tokens, index) {
            self.missing(&ENUM, span);
        }
        if self.place.in_agent && lacks_repeat(tokens, index) {
            self.missing(&REPEAT, span);
        }
        if lacks_local(tokens, index) {
            self.missing(&LOCAL, span);
        }
        if !self.place.in_specs && begins_system(tokens, index, &self.agents) {
            self.missing(&SYSTEM, span);
        }
        if self.place.in_specs && lacks_spec(self.source, tokens, index) {
            self.missing(&SPEC, span);
        }
    }

    fn missing(&mut self, Missing(word, tokens, label, help): &Missing, span: Span) {
        let finding = Diagnostic::new(Code::UnexpectedToken, span, format!("`{word}` is missing here"));
        let edit = Edit::insert(span.start, format!("{word} "));
        add(self.diagnostics, finding.label(*label).help(*help).fix(format!("write `{word}` here"), [edit]));
        let start = Span::new(span.start as usize, span.start as usize);
        self.result.extend(tokens.iter().map(|token| (*token, start)));
        self.place.pass(tokens[0], tokens.get(1).copied());
    }
}

/// A keyword that can be left out by mistake: as text and as tokens, a label for what begins there, and advice.
struct Missing(&'static str, &'static [Token<'static>], &'static str, &'static str);

const ENUM: Missing =
    Missing("enum", &[Token::Enum], "not declared as an enum", "channels are declared by `enum channel { .. }`");
const REPEAT: Missing = Missing(
    "repeat:",
    &[Token::Repeat, Token::Colon],
    "the process begins here",
    "write `repeat:` before the commands of an agent",
);
const LOCAL: Missing = Missing(
    "local:",
    &[Token::Local, Token::Colon],
    "a local variable is declared here",
    "write `local:` before the variables of an agent",
);
const SYSTEM: Missing = Missing(
    "system =",
    &[Token::System, Token::Equal],
    "the instances begin here",
    "compose instances of the agents, as in `system = Type(name, true) || Type(other, true)`",
);
const SPEC: Missing = Missing("SPEC", &[Token::Spec], "a formula begins here", "write `SPEC` before each formula");

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
    tokens[index].0 == Token::Ident("ASSUME")
        && can_begin(tokens, index)
        && at(tokens, index + 1).is_some_and(Token::begins_formula)
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

fn diagnostic(word: &str, span: Span, meant: Option<&str>) -> Diagnostic {
    let Some(meant) = meant else {
        return Diagnostic::new(Code::UnexpectedToken, span, format!("an agent has no section `{word}:`"))
            .label("unknown section")
            .help("the sections are `local:`, `init:`, `relabel:`, `receive-guard:` and `repeat:`");
    };
    Diagnostic::new(Code::UnexpectedToken, span, format!("`{word}` is no keyword"))
        .label("unknown keyword")
        .help(format!("did you mean `{meant}`?"))
        .fix(format!("change `{word}` to `{meant}`"), [Edit::replace(span, meant)])
}
