//! Agents and their sections.

use super::super::ast::{Agent, Domain, EvolutionLine, Ident, ProtocolLine, Variable};
use super::super::token::Token;
use super::{Parser, Read, Section};
use crate::diag::nearest::nearest;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// The sections of an agent.
pub const SECTIONS: [&str; 8] =
    ["Obsvars", "Lobsvars", "Vars", "RedStates", "Actions", "Protocol", "Evolution", "Agent"];

/// The forms of a domain.
const DOMAINS: &str = "`boolean`, `l..u` or `{a, b}`";

/// Adds the names of another section: those of an earlier one are not new, which is told of the section.
fn add_new(list: &mut Vec<Ident>, names: Vec<Ident>) {
    let before = list.len();
    let is_new = |name: &Ident, list: &[Ident]| list[..before].iter().all(|known| known.name != name.name);
    for name in names {
        if is_new(&name, list) {
            list.push(name);
        }
    }
}

impl Parser<'_> {
    /// An agent, from its name on; this word opened it.
    pub fn agent(&mut self, opened: &str) -> Option<Agent> {
        let lacks_name = self.begins_line() && SECTIONS.contains(&self.text());
        if lacks_name {
            self.unexpected("the name of an agent");
        }
        let Some(name) = (!lacks_name).then(|| self.ident("the name of an agent").ok()).flatten() else {
            self.skip_agent();
            return None;
        };
        // A second one is told of elsewhere.
        let is_environment = name.name == "Environment" && !self.has_environment;
        let is_second = name.name == "Environment" && self.has_environment;
        self.has_environment |= is_environment;
        if !is_environment && !is_second {
            self.refuses(&name, "the name of an agent");
        }
        let mut agent = Agent {
            name,
            lobsvars: Vec::new(),
            variables: Vec::new(),
            red: None,
            actions: Vec::new(),
            protocol: Vec::new(),
            evolution: Vec::new(),
            sections: Vec::new(),
            lacks_variables: false,
            lacks_actions: false,
            has_strangers: false,
        };
        loop {
            if self.ends() {
                self.close("Agent", opened, &[]);
                return Some(agent);
            }
            let (word, span) = (self.text(), self.span());
            let is_word = self.token() == Token::Word;
            let ends = self.token() == Token::End || is_word && (word == "Agent" || super::SECTIONS.contains(&word));
            if ends {
                let message = format!("no `end Agent` closes the agent `{}`", agent.name.name);
                let finding =
                    Diagnostic::new(Code::UnexpectedToken, span, message).label("it has to stand before this");
                self.error(finding.related(agent.name.span, "the agent"));
                return Some(agent);
            }
            match self.opened(&SECTIONS[..SECTIONS.len() - 1]) {
                Some(section) => {
                    self.begun(&mut agent, section, span, is_environment);
                    self.advance();
                    self.section_of_agent(&mut agent, section, word);
                }
                None => {
                    self.stranger(&SECTIONS);
                    // Anything may have been declared there.
                    (agent.lacks_variables, agent.lacks_actions, agent.has_strangers) = (true, true, true);
                }
            }
        }
    }

    /// Notes that a section begins.
    fn begun(&mut self, agent: &mut Agent, section: &'static str, span: Span, is_environment: bool) {
        if let Some((_, first)) = agent.sections.iter().find(|(name, _)| *name == section) {
            let message = format!("the agent `{}` has two sections `{section}`", agent.name.name);
            let finding = Diagnostic::new(Code::DuplicateName, span, message).related(*first, "the first one");
            self.error(finding.help("make one of them"));
        }
        agent.sections.push((section, span));
        let is_second = agent.name.name == "Environment" && !is_environment;
        if section == "Obsvars" && !is_environment && !is_second {
            if !self.has_environment && nearest(&agent.name.name, ["Environment"]).is_some() {
                let message = format!("`{}` is not the environment", agent.name.name);
                let finding = Diagnostic::new(Code::UnknownName, agent.name.span, message);
                self.error(finding.related(span, "which has this section").help("did you mean `Environment`?"));
                agent.name.name = "Environment".to_owned();
                self.has_environment = true;
                return;
            }
            let message = "only the environment has variables that all agents see";
            let finding = Diagnostic::new(Code::NotAllowedHere, span, message);
            self.error(finding.help("declare them in `Vars`; what others should see belongs to `Environment`"));
        }
        if section == "Lobsvars" && is_environment {
            let message = "the environment sees its own variables anyway";
            let finding = Diagnostic::new(Code::NotAllowedHere, span, message);
            self.error(finding.help("`Lobsvars` of an agent names variables of the environment that it sees"));
        }
    }

    fn skip_agent(&mut self) {
        let next =
            |parser: &Self| parser.tokens.get(parser.at + 1).is_some_and(|it| parser.source.slice(it.1) == "Agent");
        while self.token() != Token::End && !(self.ends() && next(self)) {
            self.advance();
        }
        self.advance();
        self.advance();
    }

    fn section_of_agent(&mut self, agent: &mut Agent, name: &'static str, opened: &str) {
        let others: Vec<&str> = SECTIONS.iter().chain(&super::SECTIONS).copied().collect();
        let section = Section { name, opened, others: &others };
        match name {
            "Obsvars" | "Vars" => self.lines(section, |parser| parser.variables(agent, name == "Obsvars")),
            "Lobsvars" | "Actions" => self.list(agent, section),
            "RedStates" => {
                let texts = ("a second condition on red states", "join both by `or`");
                agent.red = self.only_condition(section, agent.red.take(), texts);
            }
            "Protocol" => self.lines(section, |parser| {
                agent.protocol.push(parser.protocol_line()?);
                Ok(())
            }),
            _ => self.lines(section, |parser| {
                let start = parser.at;
                let assignments = parser.expression()?;
                if !parser.eat_word("if") {
                    return Err(parser.unexpected("`if`"));
                }
                let condition = parser.expression()?;
                let line = EvolutionLine { assignments, condition, span: parser.since(start) };
                agent.evolution.extend(Some(line).filter(|_| parser.end_of_line("line")));
                Ok(())
            }),
        }
    }

    /// `= {a, b};` behind `Actions` or `Lobsvars`.
    fn list(&mut self, agent: &mut Agent, section: Section) {
        let is_actions = section.name == "Actions";
        let what = if is_actions { "the name of an action" } else { "a variable of `Environment`" };
        let signs = [Token::Colon, Token::Assign, Token::OpenBrace, Token::Open, Token::OpenSquare];
        let told = self.token() != Token::Equal;
        let list = self.expect_or(Token::Equal, "=", &signs).and_then(|()| self.braces(what, told));
        let is_complete = list.as_ref().is_ok_and(|list| list.is_complete);
        let is_read = list.is_ok();
        let names = list.map(|list| list.names).unwrap_or_default();
        match is_actions {
            true => {
                agent.lacks_actions |= !is_complete;
                add_new(&mut agent.actions, names);
            }
            false => add_new(&mut agent.lobsvars, names),
        }
        if !(is_read && is_complete && self.end_of_line("list")) {
            self.skip_line();
        }
        // It has no end of its own.
        let next = self.text_ahead(1);
        if self.is_word("end") && next == section.name {
            if !told && is_read {
                let place = self.span().to(self.tokens[self.at + 1].1);
                self.wrong(place, format!("no `end {}` stands behind this list", section.name), "leave it out");
            }
            self.advance();
            self.advance();
            self.eat(Token::Semicolon);
        }
    }

    /// `x : domain;`
    fn variables(&mut self, agent: &mut Agent, is_seen: bool) -> Read<()> {
        if matches!(self.text(), "boolean" | "bool") && self.ahead(1) == Token::Word {
            let what = self.text_ahead(1).to_owned();
            self.misplaced("the name of a variable", format!("write `{what} : boolean`"));
            self.advance();
            let name = self.ident("the name of a variable")?;
            let span = name.span;
            agent.variables.push((Variable { name, domain: Domain::Boolean, span }, is_seen));
            self.end_of_line("variable");
            return Ok(());
        }
        let mut unread = |_: &super::Unread| agent.lacks_variables = true;
        let mut names = vec![self.new_name("the name of a variable").inspect_err(&mut unread)?];
        while self.token() == Token::Comma {
            if names.len() == 1 {
                self.misplaced("`:`", "each variable has a line of its own: `x : boolean; y : boolean;`");
            }
            self.advance();
            names.push(self.new_name("the name of a variable").inspect_err(&mut unread)?);
        }
        let begins = [Token::Equal, Token::Assign, Token::OpenBrace, Token::Number, Token::Minus];
        let is_type = self.is_word("boolean");
        let colon = if is_type {
            self.misplaced("`:`", "write `:`");
            Ok(())
        } else {
            self.expect_or(Token::Colon, ":", &begins)
        };
        let start = self.at;
        let domain = colon.and_then(|()| self.domain());
        let (is_read, span) = (domain.is_ok(), self.since(start));
        let domain = domain.unwrap_or(Domain::Error);
        for name in names {
            agent.variables.push((Variable { name, domain: domain.clone(), span }, is_seen));
        }
        if is_read {
            self.end_of_line("variable");
            return Ok(());
        }
        Err(super::Unread)
    }

    fn domain(&mut self) -> Read<Domain> {
        match self.token() {
            Token::Word if self.text() == "boolean" => {
                self.advance();
                Ok(Domain::Boolean)
            }
            Token::OpenBrace | Token::Open | Token::OpenSquare
                if self.token() == Token::OpenBrace || self.ahead(1) == Token::Word =>
            {
                let list = self.braces("the name of a value", false)?;
                if list.is_complete { Ok(Domain::Listed(list.names)) } else { Err(super::Unread) }
            }
            Token::Open | Token::OpenSquare => {
                self.misplaced(DOMAINS, "a range stands without brackets: `0..3`");
                self.advance();
                let range = self.range();
                if range.is_ok() && matches!(self.token(), Token::Close | Token::CloseSquare) {
                    self.advance();
                }
                range
            }
            Token::Number | Token::Minus => self.range(),
            _ => {
                let finding = self.unexpected_finding(DOMAINS);
                let lower = self.text().to_lowercase();
                let is_word = self.token() == Token::Word;
                let is_boolean =
                    is_word && (lower == "bool" || nearest(&lower, ["boolean"]).is_some() || lower == "boolean");
                let finding = match lower.as_str() {
                    _ if is_boolean => finding.help("write `boolean`"),
                    "int" | "integer" => finding.help("numbers have bounds: write `0..10`, say"),
                    _ => finding,
                };
                let unread = self.error(finding);
                if !is_boolean {
                    return Err(unread);
                }
                self.advance();
                Ok(Domain::Boolean)
            }
        }
    }

    /// `l..u`
    fn range(&mut self) -> Read<Domain> {
        let low = self.number()?;
        if !self.eat(Token::Dots) {
            let unread = self.misplaced("`..`", "a range is written `0..3`");
            let is_meant = matches!(self.token(), Token::Minus | Token::Comma | Token::Dot | Token::Colon);
            if !(is_meant && self.ahead(1) == Token::Number || self.is_word("to")) {
                return Err(unread);
            }
            self.advance();
        } else if self.token() == Token::Dot {
            self.misplaced("a number", "a range is written `0..3`");
            self.advance();
        }
        Ok(Domain::Range(low, self.number()?))
    }

    fn protocol_line(&mut self) -> Read<ProtocolLine> {
        let start = self.at;
        let is_otherwise =
            ["others", "other", "otherwise", "else", "default"].contains(&self.text().to_lowercase().as_str());
        let condition = if self.eat_word("Other") {
            None
        } else if is_otherwise && self.ahead(1) == Token::Colon {
            self.wrong(
                self.span(),
                format!("expected `Other`, found `{}`", self.text()),
                "what no other line serves is called `Other`",
            );
            self.advance();
            None
        } else {
            Some(self.expression()?)
        };
        self.expect_or(Token::Colon, ":", &[Token::Equal, Token::Assign, Token::OpenBrace, Token::Implies])?;
        let list = self.braces("the name of an action", false)?;
        let is_complete = list.is_complete;
        let line = ProtocolLine { condition, actions: list.names, is_complete, span: self.since(start) };
        self.end_of_line("line");
        Ok(line)
    }
}
