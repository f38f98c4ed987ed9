//! Agents and their sections.

use super::super::ast::{Agent, Domain, EvolutionLine, ProtocolLine, Variable};
use super::super::token::Token;
use super::{Parser, Read};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// The sections of an agent.
pub const SECTIONS: [&str; 8] =
    ["Obsvars", "Lobsvars", "Vars", "RedStates", "Actions", "Protocol", "Evolution", "Agent"];

impl Parser<'_> {
    /// An agent, from its name on.
    pub fn agent(&mut self) -> Option<Agent> {
        let Ok(name) = self.ident("the name of an agent") else {
            self.skip_agent();
            return None;
        };
        let is_environment = name.name == "Environment";
        if !is_environment && super::RESERVED.contains(&name.name.as_str()) {
            let message = format!("`{}` is a word of the language, and cannot be the name of an agent", name.name);
            self.error(Diagnostic::new(Code::NotAllowedHere, name.span, message).help("choose another name"));
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
        };
        loop {
            if self.is_word("end") {
                self.close("Agent");
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
            match SECTIONS.into_iter().find(|section| is_word && *section == word) {
                Some(section) => {
                    self.opened(&mut agent, section, span, is_environment);
                    self.advance();
                    self.section_of_agent(&mut agent, section);
                }
                None => self.stranger(&SECTIONS),
            }
        }
    }

    /// Notes that a section begins.
    fn opened(&mut self, agent: &mut Agent, section: &'static str, span: Span, is_environment: bool) {
        if let Some((_, first)) = agent.sections.iter().find(|(name, _)| *name == section) {
            let message = format!("the agent `{}` has two sections `{section}`", agent.name.name);
            let finding = Diagnostic::new(Code::DuplicateName, span, message).related(*first, "the first one");
            self.error(finding.help("make one of them"));
        }
        agent.sections.push((section, span));
        if section == "Obsvars" && !is_environment {
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
        while self.token() != Token::End && !(self.is_word("end") && self.tokens_after_end_is_agent()) {
            self.advance();
        }
        self.advance();
        self.advance();
    }

    fn tokens_after_end_is_agent(&self) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|(_, span)| self.source.slice(*span) == "Agent")
    }

    fn section_of_agent(&mut self, agent: &mut Agent, section: &'static str) {
        let others: Vec<&str> = SECTIONS.iter().chain(&super::SECTIONS).copied().collect();
        match section {
            "Obsvars" | "Vars" => {
                let list = &mut agent.variables;
                self.lines(section, &others, |parser| {
                    let variable = parser.variable()?;
                    list.push((variable, section == "Obsvars"));
                    parser.end_of_line("variable");
                    Ok(())
                });
            }
            "Lobsvars" | "Actions" => {
                let what = if section == "Actions" { "the name of an action" } else { "a variable of `Environment`" };
                let list = self.expect(Token::Equal, "=").and_then(|()| self.braces(what));
                match list {
                    Ok(list) if section == "Actions" => agent.actions = list,
                    Ok(list) => agent.lobsvars = list,
                    Err(_) => return self.skip_line(),
                }
                self.end_of_line("list");
            }
            "RedStates" => {
                let red = &mut agent.red;
                self.lines(section, &others, |parser| {
                    let condition = parser.expression()?;
                    if red.is_some() {
                        let finding =
                            Diagnostic::new(Code::UnexpectedToken, condition.span, "a second condition on red states");
                        parser.error(finding.help("join both by `or`"));
                    }
                    *red = Some(condition);
                    if !parser.is_word("end") {
                        parser.end_of_line("condition");
                    }
                    Ok(())
                });
            }
            "Protocol" => {
                let list = &mut agent.protocol;
                self.lines(section, &others, |parser| {
                    list.push(parser.protocol_line()?);
                    Ok(())
                });
            }
            _ => {
                let list = &mut agent.evolution;
                self.lines(section, &others, |parser| {
                    let start = parser.at;
                    let assignments = parser.expression()?;
                    if !parser.eat_word("if") {
                        return Err(parser.unexpected("`if`"));
                    }
                    let condition = parser.expression()?;
                    list.push(EvolutionLine { assignments, condition, span: parser.since(start) });
                    parser.end_of_line("line");
                    Ok(())
                });
            }
        }
    }

    fn variable(&mut self) -> Read<Variable> {
        let name = self.new_name("the name of a variable")?;
        self.expect(Token::Colon, ":")?;
        let start = self.at;
        let domain = if self.eat_word("boolean") {
            Domain::Boolean
        } else if self.token() == Token::OpenBrace {
            Domain::Listed(self.braces("the name of a value")?)
        } else if matches!(self.token(), Token::Number | Token::Minus) {
            let low = self.number()?;
            self.expect(Token::Dots, "..")?;
            Domain::Range(low, self.number()?)
        } else {
            let finding = self.unexpected_finding("`boolean`, `l..u` or `{a, b}`");
            let finding = if self.is_word("bool") { finding.help("write `boolean`") } else { finding };
            self.error(finding);
            self.advance();
            Domain::Error
        };
        Ok(Variable { name, domain, span: self.since(start) })
    }

    fn protocol_line(&mut self) -> Read<ProtocolLine> {
        let start = self.at;
        let condition = if self.eat_word("Other") { None } else { Some(self.expression()?) };
        self.expect(Token::Colon, ":")?;
        let actions = self.braces("the name of an action")?;
        let line = ProtocolLine { condition, actions, span: self.since(start) };
        self.end_of_line("line");
        Ok(line)
    }
}
