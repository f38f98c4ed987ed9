//! Tokens to a tree. What cannot be read is reported and skipped up to the end of its line of the section.

mod agent;
mod expression;
mod formula;

use super::add;
use super::ast::{Expr, File, Group, Ident, Proposition};
use super::token::Token;
use crate::diag::nearest::nearest;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::limits::tick;
use crate::source::{SourceFile, Span};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 200;

/// The sections of a file.
const SECTIONS: [&str; 7] = ["Semantics", "Agent", "Evaluation", "InitStates", "Groups", "Fairness", "Formulae"];

/// Words that name nothing else where names are declared.
pub const RESERVED: [&str; 31] = [
    "Agent",
    "Environment",
    "Obsvars",
    "Lobsvars",
    "Vars",
    "RedStates",
    "GreenStates",
    "Actions",
    "Action",
    "Protocol",
    "Other",
    "Evolution",
    "Evaluation",
    "InitStates",
    "Groups",
    "Fairness",
    "Formulae",
    "Semantics",
    "end",
    "if",
    "and",
    "or",
    "true",
    "false",
    "boolean",
    "K",
    "GK",
    "GCK",
    "DK",
    "A",
    "E",
];

/// Reads a file.
pub fn parse(source: &SourceFile, tokens: &[(Token, Span)], found: &mut Diagnostics) -> File {
    let mut parser = Parser { source, tokens, at: 0, depth: 0, found };
    let mut file = File::default();
    parser.file(&mut file);
    file
}

/// Reads a condition, and nothing after it.
pub fn condition(source: &SourceFile, tokens: &[(Token, Span)], found: &mut Diagnostics) -> Option<Expr> {
    let mut parser = Parser { source, tokens, at: 0, depth: 0, found };
    let condition = parser.expression().ok()?;
    if parser.token() != Token::End {
        parser.unexpected("the end of the condition");
        return None;
    }
    Some(condition)
}

/// That something could not be read, and was reported.
struct Unread;

type Read<T> = Result<T, Unread>;

struct Parser<'a> {
    source: &'a SourceFile,
    tokens: &'a [(Token, Span)],
    at: usize,
    depth: usize,
    found: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
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

    /// That something else should stand here.
    fn unexpected(&mut self, expected: &str) -> Unread {
        let finding = self.unexpected_finding(expected);
        self.error(finding)
    }

    fn unexpected_finding(&self, expected: &str) -> Diagnostic {
        let message = format!("expected {expected}, found {}", self.token().words(self.text()));
        let finding = Diagnostic::new(Code::UnexpectedToken, self.span(), message).label("here");
        match (self.token(), self.text()) {
            (Token::Foreign, "&" | "&&") => finding.help("write `and`"),
            (Token::Foreign, "|" | "||") => finding.help("write `or`"),
            (Token::Foreign, _) => finding.help("operators on bits are not supported"),
            _ => finding,
        }
    }

    fn expect(&mut self, token: Token, shown: &str) -> Read<()> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected(&format!("`{shown}`"))) }
    }

    /// A semicolon; without one, the place behind what it should close is reported, and reading goes on.
    fn end_of_line(&mut self, what: &str) {
        if !self.eat(Token::Semicolon) {
            let before = self.tokens[self.at.max(1) - 1].1;
            let place = Span { start: before.end, end: before.end };
            let begins_line = self.token() == Token::End
                || self.source.line_column(before.end).line != self.source.line_column(self.span().start).line;
            let finding = match begins_line {
                true => Diagnostic::new(Code::UnexpectedToken, place, format!("no `;` closes this {what}"))
                    .label("write `;` here"),
                false => self.unexpected_finding(&format!("`;` behind this {what}")),
            };
            self.error(finding);
            if !begins_line {
                self.skip_line();
            }
        }
    }

    /// Skips up to the next semicolon, or to the end of the section.
    fn skip_line(&mut self) {
        while !matches!(self.token(), Token::End) && !self.is_word("end") {
            if self.eat(Token::Semicolon) {
                return;
            }
            self.advance();
        }
    }

    /// A name that is declared or used.
    fn ident(&mut self, what: &str) -> Read<Ident> {
        if self.token() != Token::Word || matches!(self.text(), "end" | "if") {
            return Err(self.unexpected(what));
        }
        let ident = Ident { name: self.text().to_owned(), span: self.span() };
        self.advance();
        Ok(ident)
    }

    /// A name that is declared: none of the words of the language.
    fn new_name(&mut self, what: &str) -> Read<Ident> {
        let ident = self.ident(what)?;
        if RESERVED.contains(&ident.name.as_str()) {
            let message = format!("`{}` is a word of the language, and cannot be {what}", ident.name);
            self.error(Diagnostic::new(Code::NotAllowedHere, ident.span, message).help("choose another name"));
        }
        Ok(ident)
    }

    /// `{a, b}`
    fn braces(&mut self, what: &str) -> Read<Vec<Ident>> {
        self.expect(Token::OpenBrace, "{")?;
        let mut list = Vec::new();
        if self.eat(Token::CloseBrace) {
            return Ok(list);
        }
        loop {
            list.push(self.ident(what)?);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        if self.token() != Token::CloseBrace {
            return Err(self.unexpected("`,` or `}`"));
        }
        self.advance();
        Ok(list)
    }

    /// The lines of a section, whose name was read, up to its `end`.
    fn lines(&mut self, section: &str, others: &[&str], mut line: impl FnMut(&mut Self) -> Read<()>) {
        self.eat(Token::Colon);
        loop {
            if self.is_word("end") {
                self.close(section);
                return;
            }
            // A word that opens another section, where none of these lines can begin with it.
            let opens = self.token() == Token::Word
                && others.contains(&self.text())
                && (self.text() == "Agent" || !matches!(self.ahead(1), Token::Equal | Token::Dot));
            if self.token() == Token::End || opens {
                let message = format!("no `end {section}` closes this section");
                let finding = Diagnostic::new(Code::UnexpectedToken, self.span(), message);
                self.error(finding.label(format!("`end {section}` has to stand before this")));
                return;
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

    /// `end Name`
    fn close(&mut self, name: &str) {
        let end = self.span();
        self.advance();
        if self.token() == Token::Word && self.text() == name {
            self.advance();
            return;
        }
        let known: Vec<&str> = SECTIONS.iter().chain(&agent::SECTIONS).copied().collect();
        let place = if self.token() == Token::Word { end.to(self.span()) } else { end };
        let message = format!("`end {name}` has to close this section");
        let finding = Diagnostic::new(Code::UnexpectedToken, place, message).label(format!("write `end {name}`"));
        self.error(finding);
        // A slip of the pen, or the name of a section around this one, whose end is missing.
        let is_name = self.token() == Token::Word
            && (known.contains(&self.text()) || nearest(self.text(), known.iter().copied()).is_some());
        if is_name {
            self.advance();
        }
    }

    fn file(&mut self, file: &mut File) {
        let mut seen: Vec<(&str, Span)> = Vec::new();
        while self.token() != Token::End {
            let (word, span) = (self.text(), self.span());
            let known = SECTIONS.into_iter().find(|section| *section == word && self.token() == Token::Word);
            let Some(section) = known else {
                self.stranger(&SECTIONS);
                continue;
            };
            if section != "Agent" {
                if let Some((_, first)) = seen.iter().find(|(name, _)| *name == section) {
                    let message = format!("the file has two sections `{section}`");
                    let finding = Diagnostic::new(Code::DuplicateName, span, message).related(*first, "the first one");
                    self.error(finding.help("make one of them"));
                }
                seen.push((section, span));
            }
            self.advance();
            self.section(section, span, file);
        }
        for section in ["Evaluation", "InitStates", "Formulae"] {
            if !seen.iter().any(|(name, _)| *name == section) && (section == "InitStates" || file.agents.is_empty()) {
                let message = format!("the file has no section `{section}`");
                let finding = Diagnostic::new(Code::UnexpectedToken, self.span(), message);
                self.error(finding.label("the file ends here").help(format!("write `{section} .. end {section}`")));
            }
        }
        if file.agents.is_empty() {
            let message = "the file has no agent";
            let finding = Diagnostic::new(Code::UnexpectedToken, self.span(), message).label("the file ends here");
            self.error(finding.help("write `Agent Name .. end Agent`"));
        }
    }

    /// Reports what opens no section, and skips to what does.
    fn stranger(&mut self, sections: &[&str]) {
        let near = (self.token() == Token::Word).then(|| nearest(self.text(), sections.iter().copied())).flatten();
        let finding = self.unexpected_finding("the name of a section");
        let finding = match near {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help(format!("the sections are {}", listed(sections))),
        };
        self.error(finding);
        self.advance();
        let opens = |parser: &Self| parser.token() == Token::Word && sections.contains(&parser.text());
        let is_end = |parser: &Self| parser.is_word("end") && sections.contains(&"Protocol");
        while self.token() != Token::End && !opens(self) && !is_end(self) {
            // `end Vars` of a section that nobody knows.
            if self.eat_word("end") {
                self.advance();
                return;
            }
            self.advance();
        }
    }

    fn section(&mut self, section: &'static str, span: Span, file: &mut File) {
        match section {
            "Semantics" => {
                if let Ok(is_single) = self.semantics() {
                    file.is_single = is_single;
                } else {
                    self.skip_line();
                }
            }
            "Agent" => file.agents.extend(self.agent()),
            "Evaluation" => {
                let list = &mut file.evaluation;
                self.lines(section, &SECTIONS, |parser| {
                    let name = parser.new_name("the name of a proposition")?;
                    if !parser.eat_word("if") {
                        return Err(parser.unexpected("`if`"));
                    }
                    let condition = parser.expression()?;
                    list.push(Proposition { name, condition });
                    parser.end_of_line("proposition");
                    Ok(())
                });
            }
            "InitStates" => {
                let init = &mut file.init;
                self.lines(section, &SECTIONS, |parser| {
                    let condition = parser.expression()?;
                    if init.is_some() {
                        let finding = Diagnostic::new(
                            Code::UnexpectedToken,
                            condition.span,
                            "a second condition on initial states",
                        );
                        parser.error(finding.help("join both by `and`"));
                    }
                    *init = Some((condition, span));
                    // The last semicolon may be missing.
                    if !parser.is_word("end") {
                        parser.end_of_line("condition");
                    }
                    Ok(())
                });
            }
            "Groups" => {
                let list = &mut file.groups;
                self.lines(section, &SECTIONS, |parser| {
                    let name = parser.new_name("the name of a group")?;
                    parser.expect(Token::Equal, "=")?;
                    let members = parser.braces("the name of an agent")?;
                    list.push(Group { name, members });
                    parser.end_of_line("group");
                    Ok(())
                });
            }
            "Fairness" => {
                let list = &mut file.fairness;
                self.lines(section, &SECTIONS, |parser| {
                    list.push(parser.formula()?);
                    parser.end_of_line("formula");
                    Ok(())
                });
            }
            _ => {
                let list = &mut file.formulae;
                self.lines(section, &SECTIONS, |parser| {
                    list.push(parser.item()?);
                    parser.end_of_line("formula");
                    Ok(())
                });
            }
        }
    }

    /// `Semantics = SA;`: whether it is that.
    fn semantics(&mut self) -> Read<bool> {
        self.expect(Token::Equal, "=")?;
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
