//! The names of a file, as far as they decide how its tokens are read.

use super::around::{at, before, completes_operand, names_behind, touches};
use crate::syntax::ast::Dialect;
use crate::syntax::token::{Spanned, Token};
use rustc_hash::FxHashSet;

/// The names that the tokens of a file declare.
pub struct Names<'s> {
    /// The agent types.
    pub agents: FxHashSet<&'s str>,
    /// The guards: `AG(x)` is a call if there is one of that name.
    pub guards: FxHashSet<&'s str>,
    /// The enums: `e.c` means `c` if there is an enum `e`.
    pub enums: FxHashSet<&'s str>,
    /// Names that are declared with a type or are labels, and constants.
    pub words: FxHashSet<&'s str>,
    /// Those that the declarations before the agents give the type `bool`.
    pub boolean: FxHashSet<&'s str>,
    /// The instances.
    instances: FxHashSet<&'s str>,
    /// The families, whose members have a number behind that.
    families: FxHashSet<&'s str>,
    /// True if `if`, `then` and `else` are keywords.
    pub has_conditionals: bool,
    /// The words of the papers that mean in a classic file what others do: those that it does not declare.
    pub of_papers: FxHashSet<&'s str>,
}

impl<'s> Names<'s> {
    /// Those that are declared among the tokens of a file.
    pub fn new(tokens: &[Spanned<'s>], dialect: Dialect) -> Names<'s> {
        let typed = tokens.windows(2).filter_map(|pair| match (pair[0].0, pair[1].0) {
            (Token::Ident(name), Token::Colon) => Some(name),
            _ => None,
        });
        let words: FxHashSet<&str> = typed.chain(names_behind(tokens, Token::Const)).collect();
        let guards: FxHashSet<&str> = names_behind(tokens, Token::Guard).collect();
        let is_name = words.contains("if") || guards.contains("if");
        let is_if = |index: usize| tokens[index].0 == Token::Ident("if") && begins_condition(tokens, index);
        let (instances, families) = composed(tokens);
        Names {
            agents: names_behind(tokens, Token::Agent).collect(),
            guards,
            enums: names_behind(tokens, Token::Enum).collect(),
            words,
            boolean: boolean(tokens),
            instances,
            families,
            has_conditionals: !is_name && (0..tokens.len()).any(is_if),
            of_papers: if dialect == Dialect::Classic { free_words_of_papers(tokens) } else { FxHashSet::default() },
        }
    }

    /// True if a name is that of an instance, or of a member of a family; of a family itself, which is a mistake.
    pub fn owns(&self, name: &str) -> bool {
        self.instances.contains(name) || self.families.iter().any(|family| is_member_of(name, family))
    }
}

/// True if a name is that of a family, maybe with a number behind it.
fn is_member_of(name: &str, family: &str) -> bool {
    let number = name.strip_prefix(family);
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The names of instances and of families: second names in `system = Type(name, ..) || Type(name[1..3], ..) || ..`.
fn composed<'s>(tokens: &[Spanned<'s>]) -> (FxHashSet<&'s str>, FxHashSet<&'s str>) {
    let system = tokens.iter().position(|(token, _)| *token == Token::System).unwrap_or(tokens.len());
    let composition = tokens[system..].iter().take_while(|(token, _)| *token != Token::Spec);
    let tokens: Vec<Token<'s>> = composition.map(|(token, _)| *token).collect();
    let (mut instances, mut families) = (FxHashSet::default(), FxHashSet::default());
    for window in tokens.windows(4) {
        let [Token::Ident(_), Token::OpenParen, Token::Ident(name), next] = window else { continue };
        match next {
            Token::Comma | Token::CloseParen => drop(instances.insert(*name)),
            Token::OpenBracket => drop(families.insert(*name)),
            _ => {}
        }
    }
    (instances, families)
}

/// The names that the declarations before the agents give the type `bool`.
fn boolean<'s>(tokens: &[Spanned<'s>]) -> FxHashSet<&'s str> {
    let globals = tokens.iter().position(|(token, _)| *token == Token::Agent).unwrap_or(tokens.len());
    let name = |window: &[Spanned<'s>]| match (window[0].0, window[1].0, window[2].0) {
        (Token::Ident(name), Token::Colon, Token::Bool) => Some(name),
        _ => None,
    };
    tokens[..globals].windows(3).filter_map(name).collect()
}

/// The words of the papers that a file declares neither as enums or their constants, nor as constants, instances or variables.
fn free_words_of_papers(tokens: &[Spanned]) -> FxHashSet<&'static str> {
    use Token::{Comma, Const, Enum, OpenBrace, OpenParen};
    let start = tokens.iter().position(|(token, _)| *token == Token::Spec).unwrap_or(tokens.len());
    let declares = |index: usize, word: &str| {
        tokens[index].0 == Token::Ident(word)
            && matches!(before(tokens, index), Some(Enum | Const | OpenBrace | OpenParen | Comma))
    };
    let words = ["integer", "boolean", "PROGRESS", "keep"].into_iter();
    words.filter(|word| !(0..start).any(|index| declares(index, word))).collect()
}

/// True if `if` at an index stands in front of a condition: behind a name an operator or a separator stands.
pub fn begins_condition(tokens: &[Spanned], index: usize) -> bool {
    let next = at(tokens, index + 1);
    let is_operand =
        |token: Token| token.begins_formula() || matches!(token, Token::Minus | Token::Star | Token::Myself);
    // `if-x` belongs to an instance `if`.
    let is_owner = touches(tokens, index, Token::Minus);
    let follows_operand = before(tokens, index).is_some_and(completes_operand);
    !follows_operand && !is_owner && next.is_some_and(is_operand)
}
