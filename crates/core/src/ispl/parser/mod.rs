//! Tokens to a tree. Text with a plain meaning is reported and read as that; text that cannot be read is reported and skipped up to the
//! end of its line of the section. The tree notes which names may be missing for that reason.

mod agent;
mod expression;
mod formula;
mod recover;

use super::add;
use super::ast::{Expr, File, Group, Ident, Logic, Proposition, Unread as Missing};
use super::token::Token;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::limits::tick;
use crate::source::{SourceFile, Span};
use rustc_hash::FxHashSet;

/// The deepest nesting of brackets and operators that is read. [`super::read`] gives the parser a stack for it.
const MAX_DEPTH: usize = 5000;

/// The sections of a file.
const SECTIONS: [&str; 7] = ["Semantics", "Agent", "Evaluation", "InitStates", "Groups", "Fairness", "Formulae"];

/// Words that name nothing else where names are declared, beside the names of sections.
const WORDS: &str = "Environment GreenStates Action Other end if and or true false boolean K GK GCK DK A E";

/// True if a word names nothing else where names are declared.
fn is_reserved(word: &str) -> bool {
    SECTIONS.contains(&word) || agent::SECTIONS.contains(&word) || WORDS.split(' ').any(|reserved| reserved == word)
}

/// Reads a file.
pub fn parse(source: &SourceFile, tokens: &[(Token, Span)], found: &mut Diagnostics) -> File {
    let mut parser = Parser::new(source, tokens, found);
    let mut file = File::default();
    parser.file(&mut file);
    file
}

/// Reads a condition, and nothing after it.
pub fn condition(source: &SourceFile, tokens: &[(Token, Span)], found: &mut Diagnostics) -> Option<Expr> {
    let mut parser = Parser::new(source, tokens, found);
    let condition = parser.expression().ok()?;
    if parser.token() != Token::End {
        parser.unexpected("the end of the condition");
        return None;
    }
    Some(condition)
}

/// A section that is read.
#[derive(Clone, Copy)]
struct Section<'s> {
    name: &'s str,
    /// The word that opened it: its name, unless that was a slip of the pen.
    opened: &'s str,
    /// The sections that stand beside it.
    others: &'s [&'s str],
}

/// Words that begin formulas.
const OPERATORS: [&str; 12] = ["X", "F", "G", "U", "A", "E", "AX", "AF", "AG", "EX", "EF", "EG"];

/// That something could not be read, and was reported.
struct Unread;

type Read<T> = Result<T, Unread>;

struct Parser<'a> {
    source: &'a SourceFile,
    tokens: &'a [(Token, Span)],
    at: usize,
    depth: usize,
    /// Of the formula that is read.
    logic: Logic,
    /// True if the formula that is read is an operand of `U`.
    stops_at_until: bool,
    /// Words of the language that are declared as names, which was reported.
    keywords: Vec<String>,
    /// True if there was an agent `Environment`.
    has_environment: bool,
    /// The names of agents that no variable has, wherever they are declared.
    agents: FxHashSet<&'a str>,
    /// The names of propositions, wherever they are declared.
    propositions: FxHashSet<&'a str>,
    found: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    fn new(source: &'a SourceFile, tokens: &'a [(Token, Span)], found: &'a mut Diagnostics) -> Parser<'a> {
        let (agents, propositions) = recover::declared(source, tokens);
        Parser {
            source,
            tokens,
            at: 0,
            depth: 0,
            logic: Logic::Ctl,
            stops_at_until: false,
            keywords: Vec::new(),
            has_environment: false,
            agents,
            propositions,
            found,
        }
    }

    fn token(&self) -> Token {
        self.tokens[self.at].0
    }

    fn ahead(&self, by: usize) -> Token {
        self.tokens.get(self.at + by).map_or(Token::End, |token| token.0)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// From a token up to the one before this.
    fn since(&self, start: usize) -> Span {
        self.tokens[start].1.to(self.tokens[self.at.max(start + 1) - 1].1)
    }

    fn text(&self) -> &'a str {
        self.source.slice(self.span())
    }

    /// The text of the token that stands so many tokens ahead.
    fn text_ahead(&self, by: usize) -> &'a str {
        self.tokens.get(self.at + by).map_or("", |(_, span)| self.source.slice(*span))
    }

    fn is_word(&self, word: &str) -> bool {
        self.token() == Token::Word && self.text() == word
    }

    fn advance(&mut self) {
        tick();
        if self.token() != Token::End {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: Token) -> bool {
        let is_it = self.token() == token;
        if is_it {
            self.advance();
        }
        is_it
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is_it = self.is_word(word);
        if is_it {
            self.advance();
        }
        is_it
    }

    fn error(&mut self, diagnostic: Diagnostic) -> Unread {
        add(self.found, diagnostic);
        Unread
    }

    /// Reports what stands at a place, and what to write instead.
    fn wrong(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) -> Unread {
        self.error(Diagnostic::new(Code::UnexpectedToken, span, message).help(help))
    }

    /// Reports a notation of other languages.
    fn not_ours(&mut self, span: Span, help: impl Into<String>) -> Unread {
        self.wrong(span, format!("`{}` is not our notation", self.source.slice(span)), help)
    }

    /// That something else should stand here, and how to write it.
    fn misplaced(&mut self, expected: &str, help: impl Into<String>) -> Unread {
        let finding = self.unexpected_finding(expected);
        self.error(finding.help(help))
    }

    /// That something else should stand here.
    fn unexpected(&mut self, expected: &str) -> Unread {
        let finding = self.unexpected_finding(expected);
        self.error(finding)
    }

    fn unexpected_finding(&self, expected: &str) -> Diagnostic {
        let message = format!("expected {expected}, found {}", self.token().words(self.text()));
        let finding = Diagnostic::new(Code::UnexpectedToken, self.span(), message).label("here");
        match self.token() {
            Token::Foreign => finding.help("there is no remainder"),
            Token::And | Token::BitAnd => finding.help("write `and`"),
            Token::Or | Token::BitOr => finding.help("write `or`"),
            Token::Assign => finding.help("write `=`"),
            _ => finding,
        }
    }

    /// True if the token here is the last one of its line.
    fn ends_line(&self) -> bool {
        let next = self.tokens.get(self.at + 1).map_or(self.span(), |(_, next)| *next);
        self.source.line_column(next.start).line != self.source.line_column(self.span().start).line
    }

    fn expect(&mut self, token: Token, shown: &str) -> Read<()> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected(&format!("`{shown}`"))) }
    }

    /// A semicolon; without one, the place behind what it should close is reported, and reading goes on. False if what
    /// stands before may be read wrongly.
    fn end_of_line(&mut self, what: &str) -> bool {
        let mut is_read = true;
        if !self.eat(Token::Semicolon) {
            let before = self.tokens[self.at.max(1) - 1].1;
            let place = Span { start: before.end, end: before.end };
            let begins_line = self.token() == Token::End || self.begins_line();
            let finding = match begins_line {
                true => Diagnostic::new(Code::UnexpectedToken, place, format!("no `;` closes this {what}"))
                    .label("write `;` here"),
                false => self.unexpected_finding(&format!("`;` behind this {what}")),
            };
            self.error(finding);
            // Another sign in place of the semicolon.
            let is_sign = matches!(self.token(), Token::Comma | Token::Colon | Token::Dot);
            if !begins_line && is_sign && self.ends_line() {
                self.advance();
            } else if !begins_line {
                is_read = false;
                self.skip_line();
            }
        }
        is_read
    }

    /// A name that is declared or used.
    fn ident(&mut self, what: &str) -> Read<Ident> {
        if self.token() != Token::Word || self.text() == "if" || self.ends() {
            return Err(self.unexpected(what));
        }
        let ident = Ident { name: self.text().to_owned(), span: self.span() };
        self.advance();
        Ok(ident)
    }

    /// A name that is declared: none of the words of the language.
    fn new_name(&mut self, what: &str) -> Read<Ident> {
        let ident = self.ident(what)?;
        if self.refuses(&ident, what) {
            self.keywords.push(ident.name.clone());
        }
        Ok(ident)
    }

    /// Reports a word of the language that is declared as a name. Tells whether it is one.
    fn refuses(&mut self, ident: &Ident, what: &str) -> bool {
        let is_reserved = is_reserved(&ident.name);
        if is_reserved {
            let message = format!("`{}` is a word of the language, and cannot be {what}", ident.name);
            self.error(Diagnostic::new(Code::NotAllowedHere, ident.span, message).help("choose another name"));
        }
        is_reserved
    }

    /// The lines of a section, whose name was read, up to its `end`.
    fn lines(&mut self, section: Section, mut line: impl FnMut(&mut Self) -> Read<()>) {
        self.eat(Token::Colon);
        loop {
            if self.ends() {
                return self.close(section.name, section.opened, section.others);
            }
            // A word that opens another section, where none of these lines can begin with it.
            if self.token() == Token::End || self.opens(section.others) {
                return self.unclosed(section.name, self.span());
            }
            let before = self.at;
            if line(self).is_err() {
                self.skip_line();
                if self.at == before {
                    self.advance();
                }
            }
        }
    }

    fn file(&mut self, file: &mut File) {
        let mut seen: Vec<(&str, Span)> = Vec::new();
        let mut strangers = false;
        while self.token() != Token::End {
            let (word, span) = (self.text(), self.span());
            let Some(section) = self.opened(&SECTIONS) else {
                self.stranger(&SECTIONS);
                strangers = true;
                continue;
            };
            if section != "Agent" {
                if let Some((_, first)) = seen.iter().find(|(name, _)| *name == section && word == section) {
                    let message = format!("the file has two sections `{section}`");
                    let finding = Diagnostic::new(Code::DuplicateName, span, message).related(*first, "the first one");
                    self.error(finding.help("make one of them"));
                }
                seen.push((section, span));
            }
            self.advance();
            self.section(Section { name: section, opened: word, others: &SECTIONS }, span, file);
        }
        if strangers {
            // Anything may have been declared there.
            file.unread = Missing { agents: true, propositions: true, groups: true };
            return;
        }
        if !seen.iter().any(|(name, _)| *name == "InitStates") {
            let finding = Diagnostic::new(Code::UnexpectedToken, self.span(), "the file has no section `InitStates`");
            self.error(finding.label("the file ends here").help("write `InitStates .. end InitStates`"));
        }
        if file.agents.is_empty() && !file.unread.agents {
            let finding = Diagnostic::new(Code::UnexpectedToken, self.span(), "the file has no agent");
            self.error(finding.label("the file ends here").help("write `Agent Name .. end Agent`"));
        }
    }

    /// The section that the word here opens; a slip of the pen is reported.
    fn opened<'s>(&mut self, sections: &[&'s str]) -> Option<&'s str> {
        let (word, is_word) = (self.text(), self.token() == Token::Word && !self.ends());
        if let Some(section) = sections.iter().find(|section| is_word && **section == word) {
            return Some(section);
        }
        let meant = recover::meant(word, sections).filter(|_| is_word)?;
        self.misplaced("the name of a section", format!("did you mean `{meant}`?"));
        Some(meant)
    }

    fn section(&mut self, section: Section, span: Span, file: &mut File) {
        match section.name {
            "Semantics" => {
                if let Ok(is_single) = self.semantics() {
                    file.is_single = is_single;
                } else {
                    self.skip_line();
                }
            }
            "Agent" => match self.agent(section.opened) {
                Some(agent) => file.agents.push(agent),
                None => file.unread.agents = true,
            },
            "Evaluation" => self.lines(section, |parser| parser.proposition_line(file)),
            "InitStates" => {
                let known = file.init.take().map(|(condition, _)| condition);
                let texts = ("a second condition on initial states", "join both by `and`");
                file.init = self.only_condition(section, known, texts).map(|condition| (condition, span));
            }
            "Groups" => self.lines(section, |parser| {
                let name = parser.new_name("the name of a group").inspect_err(|_| file.unread.groups = true)?;
                file.groups.push(Group { name, members: Vec::new(), is_complete: false });
                parser.expect_or(Token::Equal, "=", &[Token::Colon, Token::Assign, Token::OpenBrace])?;
                let list = parser.braces("the name of an agent", false)?;
                if let Some(group) = file.groups.last_mut() {
                    (group.members, group.is_complete) = (list.names, list.is_complete);
                }
                parser.end_of_line("group");
                Ok(())
            }),
            "Fairness" => self.lines(section, |parser| {
                let formula = parser.formula()?;
                file.fairness.extend(Some(formula).filter(|_| parser.end_of_line("formula")));
                Ok(())
            }),
            _ => self.lines(section, |parser| {
                let item = parser.item()?;
                file.formulae.extend(Some(item).filter(|_| parser.end_of_line("formula")));
                Ok(())
            }),
        }
    }

    /// `p if condition;`
    fn proposition_line(&mut self, file: &mut File) -> Read<()> {
        let what = "the name of a proposition";
        let name = self.new_name(what).inspect_err(|_| file.unread.propositions = true)?;
        if matches!(name.name.as_str(), "X" | "F" | "G" | "U") {
            let message = format!("`{}` is an operator, and cannot be {what}", name.name);
            self.error(Diagnostic::new(Code::NotAllowedHere, name.span, message).help("choose another name"));
        }
        self.keywords.extend(Some(name.name.clone()).filter(|name| OPERATORS.contains(&name.as_str())));
        file.evaluation.push(Proposition { name, condition: None });
        if !self.eat_word("if") {
            let unread = self.misplaced("`if`", "a proposition is declared by `p if condition;`");
            let is_sign =
                matches!(self.token(), Token::Equal | Token::Assign | Token::Colon | Token::Implies | Token::Iff);
            if !(is_sign || self.is_word("iff") || self.is_word("when")) {
                return Err(unread);
            }
            self.advance();
        }
        let condition = self.expression()?;
        let is_read = self.end_of_line("proposition");
        if let Some(proposition) = file.evaluation.last_mut() {
            proposition.condition = Some(condition).filter(|_| is_read);
        }
        Ok(())
    }

    /// The condition of a section that has only one, which it may have already; others are reported once, and the last
    /// one counts.
    fn only_condition(
        &mut self,
        section: Section,
        mut found: Option<Expr>,
        (message, help): (&str, &str),
    ) -> Option<Expr> {
        let mut told = false;
        self.lines(section, |parser| {
            let condition = parser.expression()?;
            if found.is_some() && !std::mem::replace(&mut told, true) {
                parser.wrong(condition.span, message, help);
            }
            if parser.end_of_condition() {
                found = Some(condition);
            }
            Ok(())
        });
        found
    }

    /// Behind the only condition of a section, where the semicolon may be missing. A line that goes on there is read as
    /// another condition.
    fn end_of_condition(&mut self) -> bool {
        let goes_on = self.begins_line() && matches!(self.token(), Token::Word | Token::Not | Token::Open);
        self.ends() || goes_on || self.end_of_line("condition")
    }

    /// `Semantics = SA;`: whether it is that.
    fn semantics(&mut self) -> Read<bool> {
        self.expect_or(Token::Equal, "=", &[Token::Colon, Token::Assign, Token::Word])?;
        let name = self.ident("`MA` or `SA`")?;
        let is_single = match name.name.as_str() {
            "SA" | "SingleAssignment" => true,
            "MA" | "MultiAssignment" | "MultipleAssignment" => false,
            other => {
                let message = format!("`{other}` is no semantics");
                let help = "write `MultiAssignment` or `SingleAssignment`";
                self.error(Diagnostic::new(Code::UnknownName, name.span, message).help(help));
                false
            }
        };
        self.end_of_line("semantics");
        Ok(is_single)
    }
}

/// `a`, `b` and `c`
pub fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.join(""),
    }
}
