//! Recovery from mistakes: each is reported once, and the text that follows is read as it was meant.

use super::super::ast::Ident;
use super::super::token::{ARROW, Token};
use super::{Parser, Read, SECTIONS, agent};
use crate::diag::nearest::nearest;
use crate::diag::{Code, Diagnostic};
use crate::source::{SourceFile, Span};
use rustc_hash::FxHashSet;

/// Names of sections in other languages, with ours.
const SYNONYMS: [(&str, &str); 6] = [
    ("Variables", "Vars"),
    ("Transitions", "Evolution"),
    ("Propositions", "Evaluation"),
    ("Init", "InitStates"),
    ("Properties", "Formulae"),
    ("Specification", "Formulae"),
];

/// The section that a word was meant to be, of those that can stand there.
pub fn meant<'s>(word: &str, sections: &[&'s str]) -> Option<&'s str> {
    let synonym = SYNONYMS.iter().find(|(other, _)| other.eq_ignore_ascii_case(word)).map(|(_, section)| *section);
    let known = sections.iter().copied();
    known.clone().find(|section| synonym == Some(section)).or_else(|| nearest(word, known))
}

/// The names of agents that no variable has, and of propositions, wherever in a file they are declared.
pub fn declared<'a>(source: &'a SourceFile, tokens: &[(Token, Span)]) -> (FxHashSet<&'a str>, FxHashSet<&'a str>) {
    let text = |at: usize| tokens.get(at).map_or("", |(_, span)| source.slice(*span));
    let token = |at: usize| tokens.get(at).map_or(Token::End, |token| token.0);
    let words = || (0..tokens.len()).filter(|at| token(*at) == Token::Word);
    let is_agent = |at: &usize| *at > 0 && text(at - 1) == "Agent" && (*at == 1 || text(at - 2) != "end");
    let is_variable = |at: &usize| {
        let has_domain = text(at + 2) == "boolean"
            || matches!(token(at + 2), Token::Number | Token::Minus | Token::OpenBrace | Token::Open);
        token(at + 1) == Token::Colon && has_domain
    };
    let mut agents: FxHashSet<&str> = words().filter(is_agent).map(text).collect();
    words().filter(is_variable).for_each(|at| {
        agents.remove(text(at));
    });
    let begins = |at: usize| {
        at > 0 && (text(at - 1) == "Evaluation" || matches!(token(at - 1), Token::Semicolon | Token::Colon))
    };
    (agents, words().filter(|at| text(at + 1) == "if" && begins(*at)).map(text).collect())
}

/// Names in braces.
pub struct Listed {
    pub names: Vec<Ident>,
    /// True if all of them could be read.
    pub is_complete: bool,
}

impl Parser<'_> {
    /// True if a word begins its line.
    pub fn begins_line(&self) -> bool {
        let before = self.at.checked_sub(1).map(|before| self.tokens[before].1.end);
        let line = |at: u32| self.source.line_column(at).line;
        before.is_none_or(|before| line(before) != line(self.span().start))
    }

    /// True if a section ends here. `End` and `endVars` are meant to be `end Vars`.
    pub fn ends(&self) -> bool {
        if self.token() != Token::Word {
            return false;
        }
        if self.text() == "end" && self.is_end_as_name() {
            return false;
        }
        let lower = self.text().to_lowercase();
        let Some(rest) = lower.strip_prefix("end") else { return false };
        let is_section = |section: &&str| section.to_lowercase() == rest.trim_start_matches('_');
        let opens_line = matches!(self.ahead(1), Token::Equal | Token::Colon | Token::Dot | Token::Semicolon);
        rest.is_empty() && (self.text() == "end" || !opens_line)
            || SECTIONS.iter().chain(&agent::SECTIONS).any(is_section)
    }

    /// True if `end` stands where a name must.
    fn is_end_as_name(&self) -> bool {
        if self.ends_line() {
            return false;
        }
        let next = self.text_ahead(1);
        match self.ahead(1) {
            Token::Word => matches!(next, "if" | "and" | "or" | "U"),
            Token::Semicolon => self.keywords.iter().any(|word| word == "end"),
            _ => true,
        }
    }

    /// True if another section begins here, so that the end of this one is missing.
    pub fn opens(&self, others: &[&str]) -> bool {
        self.token() == Token::Word
            && others.contains(&self.text())
            && match self.text() {
                "Agent" => self.ahead(1) == Token::Word,
                _ => !matches!(self.ahead(1), Token::Equal | Token::Dot | Token::Semicolon),
            }
            && self.text_ahead(1) != "if"
    }

    /// Skips up to the next semicolon, to the end of the section, or to a line that begins something.
    pub fn skip_line(&mut self) {
        let start = self.at;
        let all: Vec<&str> = SECTIONS.iter().chain(&agent::SECTIONS).copied().collect();
        while self.token() != Token::End && !self.ends() {
            let is_if = self.text_ahead(1) == "if";
            let begins = self.token() == Token::Word && (self.ahead(1) == Token::Colon || is_if);
            if self.at > start && self.begins_line() && (begins || self.opens(&all)) {
                return;
            }
            if self.eat(Token::Semicolon) {
                return;
            }
            self.advance();
        }
    }

    /// `end Name`; the section was opened by this word. `within` are the sections of what stands around it.
    pub fn close(&mut self, name: &str, opened: &str, within: &[&str]) {
        let end = self.span();
        let is_joined = self.text().len() > "end".len();
        let is_right = self.text() == "end";
        self.advance();
        let follows = self.token() == Token::Word && !is_joined && !self.begins_line();
        let word = if follows { self.text() } else { "" };
        if is_right && (word == name || word == opened) {
            self.advance();
            return self.no_semicolon(name);
        }
        let place = if follows { end.to(self.span()) } else { end };
        let encloses = word == "Agent" && name != "Agent" && within.contains(&"Agent");
        if encloses && is_right && !self.belongs_to_agent(self.at + 1) {
            // It ends the agent, and the end of the section is missing.
            self.at -= 1;
            return self.unclosed(name, place);
        }
        let message = format!("`end {name}` has to close this section");
        let finding = Diagnostic::new(Code::UnexpectedToken, place, message).label(format!("write `end {name}`"));
        self.error(finding);
        // A slip of the pen.
        if follows {
            self.advance();
        }
        self.eat(Token::Semicolon);
    }

    /// Reports that a section is not closed before this place.
    pub fn unclosed(&mut self, name: &str, place: Span) {
        let message = format!("no `end {name}` closes this section");
        let finding = Diagnostic::new(Code::UnexpectedToken, place, message);
        self.error(finding.label(format!("`end {name}` has to stand before this")));
    }

    fn belongs_to_agent(&self, at: usize) -> bool {
        let (token, span) = self.tokens[at];
        let word = self.source.slice(span);
        token == Token::Word && (word == "end" || word != "Agent" && agent::SECTIONS.contains(&word))
    }

    fn no_semicolon(&mut self, name: &str) {
        if self.token() == Token::Semicolon && !self.begins_line() {
            self.wrong(self.span(), format!("no semicolon stands behind `end {name}`"), "leave it out");
            self.advance();
        }
    }

    /// Passes an arrow; one that is not ours is reported.
    pub fn arrow(&mut self) {
        let text = self.text();
        if !matches!(text, "->" | "<->") {
            let help = match self.token() {
                Token::Iff => "equivalence is written `<->`",
                _ if text == "=>" => ARROW,
                _ => "implication is written `->`",
            };
            self.not_ours(self.span(), help);
        }
        self.advance();
    }

    /// True if an arrow or the like stands for the point between an agent and its variable: it is reported, and passed.
    pub fn points(&mut self, agent: &Ident) -> bool {
        let signs = match (self.token(), self.ahead(1)) {
            (Token::Colon, Token::Colon) => 2,
            (Token::Implies | Token::Minus | Token::Divided | Token::Colon, _) => 1,
            _ => return false,
        };
        // An agent of that name is meant by what has a point itself.
        let is_meant = self.ahead(signs) == Token::Word && self.ahead(signs + 1) != Token::Dot;
        if !is_meant || !self.agents.contains(agent.name.as_str()) {
            return false;
        }
        let place = self.span().to(self.tokens[self.at + signs - 1].1);
        let message = format!("expected `.`, found `{}`", self.source.slice(place));
        (0..signs).for_each(|_| self.advance());
        let help = format!("write `{}.{}`", agent.name, self.text());
        self.error(Diagnostic::new(Code::UnexpectedToken, place, message).label("here").help(help));
        true
    }

    /// Reports what opens no section, and skips to what does.
    pub fn stranger(&mut self, sections: &[&str]) {
        let in_agent = sections.contains(&"Protocol");
        if self.ends() {
            let place = self.span();
            self.advance();
            let follows = self.token() == Token::Word && !self.begins_line();
            let place = if follows { place.to(self.span()) } else { place };
            self.wrong(place, format!("`{}` closes nothing", self.source.slice(place)), "leave it out");
            if follows {
                self.advance();
            }
            return;
        }
        let finding = self.unexpected_finding("the name of a section");
        let word = (self.token() == Token::Word).then(|| self.text());
        let others: Vec<&str> = sections.iter().copied().filter(|section| !in_agent || *section != "Agent").collect();
        self.error(finding.help(format!("the sections are {}", super::listed(&others))));
        self.advance();
        let all: Vec<&str> = SECTIONS.iter().chain(&agent::SECTIONS).copied().collect();
        while self.token() != Token::End && !(self.token() == Token::Word && sections.contains(&self.text())) {
            if self.ends() {
                let next = self.text_ahead(1);
                if in_agent && next == "Agent" {
                    return;
                }
                // The end of it, or of a section inside of it.
                self.advance();
                self.advance();
                if word.is_none_or(|word| word == next || !all.contains(&next)) {
                    return;
                }
                continue;
            }
            self.advance();
        }
    }

    /// A sign; others that are written for it are reported and read as it.
    pub fn expect_or(&mut self, token: Token, shown: &str, others: &[Token]) -> Read<()> {
        if self.eat(token) {
            return Ok(());
        }
        let unread = self.misplaced(&format!("`{shown}`"), format!("write `{shown}`"));
        if !others.contains(&self.token()) {
            return Err(unread);
        }
        // A sign that belongs behind this one stands for it.
        let is_sign = matches!(self.token(), Token::Equal | Token::Assign | Token::Colon | Token::Implies);
        if is_sign {
            self.advance();
        }
        Ok(())
    }

    /// `{a, b}`; of the mistakes in it the first is reported, unless one was before.
    pub fn braces(&mut self, what: &str, mut told: bool) -> Read<Listed> {
        let is_open = match self.token() {
            Token::OpenBrace => true,
            Token::Open | Token::OpenSquare => {
                self.list_error(&mut told, "`{`", Some("names are listed in braces: `{a, b}`"));
                true
            }
            Token::Word if !self.ends() => {
                self.list_error(&mut told, "`{`", Some("names are listed in braces: `{a, b}`"));
                false
            }
            _ => return Err(self.unexpected("`{`")),
        };
        if is_open {
            self.advance();
        }
        let mut list = Listed { names: Vec::new(), is_complete: true };
        if self.eat(Token::CloseBrace) {
            return Ok(list);
        }
        let mut name_is_due = true;
        loop {
            match self.token() {
                Token::CloseBrace | Token::Close | Token::CloseSquare => {
                    if name_is_due {
                        self.list_error(&mut told, what, Some("no comma stands behind the last name"));
                    } else if self.token() != Token::CloseBrace {
                        self.list_error(&mut told, "`,` or `}`", Some("names are listed in braces: `{a, b}`"));
                    }
                    self.advance();
                    return Ok(list);
                }
                Token::Comma => {
                    if name_is_due {
                        self.list_error(&mut told, what, None);
                    }
                    name_is_due = true;
                    self.advance();
                }
                Token::Semicolon if is_open && self.goes_on() => {
                    self.list_error(&mut told, "`,` or `}`", Some("commas stand between names"));
                    name_is_due = true;
                    self.advance();
                }
                Token::Word if !(self.ends() || self.begins_line() && self.ahead(1) == Token::Colon) => {
                    if !name_is_due {
                        self.list_error(&mut told, "`,` or `}`", Some("commas stand between names"));
                    }
                    list.names.extend(self.ident(what));
                    name_is_due = false;
                }
                Token::Number | Token::Minus | Token::Dots | Token::Dot => {
                    list.is_complete = false;
                    let help = "values with names are listed, numbers are a range: `0..3`";
                    self.list_error(&mut told, what, Some(help));
                    name_is_due = false;
                    self.advance();
                }
                _ => {
                    if is_open {
                        self.list_error(&mut told, "`,` or `}`", None);
                    }
                    list.is_complete &= self.token() == Token::Semicolon;
                    return Ok(list);
                }
            }
        }
    }

    /// True if names go on behind a semicolon, up to a closing brace.
    fn goes_on(&self) -> bool {
        let mut behind = (1..).map(|by| self.ahead(by));
        let ends = |token: &Token| !matches!(token, Token::Word | Token::Comma);
        behind.find(ends) == Some(Token::CloseBrace)
    }

    fn list_error(&mut self, told: &mut bool, expected: &str, help: Option<&str>) {
        if !std::mem::replace(told, true) {
            let finding = self.unexpected_finding(expected);
            self.error(match help {
                Some(help) => finding.help(help),
                None => finding,
            });
        }
    }

    /// A word or sign between two operands that was meant to be `and` or `or`: it is reported, and passed.
    pub fn joins(&mut self, word: &str, with_commas: bool) -> bool {
        let is_meant = match self.token() {
            Token::And | Token::BitAnd => word == "and",
            Token::Or | Token::BitOr => word == "or",
            Token::Comma => word == "and" && with_commas,
            Token::Word => self.text() != word && self.text().eq_ignore_ascii_case(word),
            _ => false,
        };
        if is_meant {
            self.wrong(
                self.span(),
                format!("expected `{word}`, found {}", self.token().words(self.text())),
                format!("write `{word}`"),
            );
            self.advance();
        }
        is_meant
    }
}
