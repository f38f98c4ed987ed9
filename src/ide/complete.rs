//! Completion: the items that may be typed at a place.

use super::analysis::Analysis;
use super::index::{Symbol, SymbolKind, agent_named, agents_in};
use super::place::{Before, InCommand};
use super::snippets::{self, Proposal, ProposalKind};
use crate::source::SourceFile;
use crate::syntax::SegmentKind;
use crate::syntax::token::Token;

/// The items that may be typed at a place, and the byte where the word begins that they replace.
pub fn complete(analysis: &Analysis, offset: usize) -> (usize, Vec<Proposal>) {
    let text = analysis.source.text();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = text[..offset].trim_end_matches(is_letter).len();
    let prefix = SourceFile::new("", &text[..start]);
    let before = Before::new(&prefix);
    let mut items = Completion { analysis, before: &before, start, items: Vec::new() };
    items.collect();
    (start, items.items)
}

struct Completion<'a> {
    analysis: &'a Analysis,
    before: &'a Before<'a>,
    start: usize,
    items: Vec<Proposal>,
}

impl Completion<'_> {
    fn collect(&mut self) {
        if self.before.comment.is_some() {
            return self.directives();
        }
        let last = self.before.back(0);
        if last == Some(Token::At) {
            return self.names(&[SymbolKind::Property]);
        }
        let dialect = self.analysis.parsed.model.dialect;
        let Some(part) = &self.before.part else {
            return self.items.extend(snippets::top_level(dialect));
        };
        match part.kind {
            SegmentKind::Stray | SegmentKind::Unknown => self.items.extend(snippets::top_level(dialect)),
            SegmentKind::Enum | SegmentKind::Channels => {
                let is_closed = part.kind == SegmentKind::Channels || self.before.bracket().is_none();
                if is_closed && part.tokens.len() > 2 {
                    self.items.extend(snippets::top_level(dialect));
                }
            }
            SegmentKind::Const => match last {
                Some(Token::Semicolon) => self.items.extend(snippets::top_level(dialect)),
                _ => self.names(&[SymbolKind::Constant]),
            },
            SegmentKind::PointToPoint => match last {
                Some(Token::Colon) => self.words(&["tool", "paper"]),
                _ => self.items.extend(snippets::top_level(dialect)),
            },
            SegmentKind::Messages | SegmentKind::Properties | SegmentKind::Local => self.declaration(part.kind),
            SegmentKind::Guard => self.guard(),
            SegmentKind::Agent => {
                if part.tokens.len() > 1 {
                    self.items.extend(snippets::sections());
                }
            }
            SegmentKind::Init => self.section(&["true", "false", "myself"]),
            SegmentKind::ReceiveGuard => self.section(&["chan", "true", "false", "*"]),
            SegmentKind::Relabel => match last {
                Some(Token::Colon) => self.names(&[SymbolKind::Property]),
                Some(token) if token.ends_operand() => {
                    self.names(&[SymbolKind::Property]);
                    self.section(&[]);
                }
                _ => self.section(&["true", "false", "myself"]),
            },
            SegmentKind::Repeat => self.command(),
            SegmentKind::System => self.system(),
            SegmentKind::Spec => self.formula(),
        }
    }

    /// Settings of a spec, in a comment.
    fn directives(&mut self) {
        let Some(comment) = self.before.comment.filter(|comment| comment.is_line) else { return };
        let text = &self.analysis.source.text()[comment.span.start as usize..self.start];
        if text.trim_end().ends_with("expect:") {
            self.words(&["holds", "violated", "unknown"]);
        } else if text.trim() == "//" {
            self.words(&["name: ", "expect: "]);
        }
    }

    fn declaration(&mut self, kind: SegmentKind) {
        let follows_keyword = self.before.tokens().len() == 2;
        match self.before.back(0) {
            Some(Token::Colon) if !follows_keyword => self.types(),
            Some(Token::DotDot) => self.names(&[SymbolKind::Constant]),
            Some(Token::Comma | Token::Colon) | None => {}
            _ if kind == SegmentKind::Local => self.items.extend(snippets::sections()),
            _ => self.items.extend(snippets::top_level(self.analysis.parsed.model.dialect)),
        }
    }

    fn types(&mut self) {
        self.words(&["bool", "int", "location", "channel"]);
        self.some_names(|symbol| {
            let is_enum = symbol.kind == SymbolKind::Enum && symbol.name != "channel";
            is_enum || symbol.kind == SymbolKind::Constant
        });
    }

    fn guard(&mut self) {
        let tokens = self.before.tokens();
        let Some(assign) = tokens.iter().position(|(token, _)| *token == Token::Assign) else {
            if self.before.back(0) == Some(Token::Colon) {
                self.types();
            }
            return;
        };
        let name = tokens.get(1).map(|(_, span)| *span);
        let index = self.analysis.index();
        let guard = |symbol: &&Symbol| symbol.kind == SymbolKind::Guard && Some(symbol.span) == name;
        if let Some(whole) = index.symbols.iter().find(guard).map(|guard| guard.whole) {
            let inside = |symbol: &Symbol| whole.start <= symbol.span.start && symbol.span.end <= whole.end;
            self.some_names(|symbol| symbol.kind == SymbolKind::Parameter && inside(symbol));
        } else {
            let parameters = tokens[..assign].windows(2).filter_map(|pair| match (pair[0].0, pair[1].0) {
                (Token::Ident(name), Token::Colon) => Some(name),
                _ => None,
            });
            parameters
                .for_each(|name| self.items.push(item(name, ProposalKind::Name(SymbolKind::Parameter), "parameter")));
        }
        self.constants();
        self.words(&["true", "false", "myself"]);
    }

    /// An expression in a section of an agent, or the next section.
    fn section(&mut self, words: &[&str]) {
        if self.before.bracket().is_none() && self.before.back(0).is_some_and(Token::ends_operand) {
            self.items.extend(snippets::sections());
            return self.words(&["&", "|", "=", "!="]);
        }
        self.words(words);
        self.locals();
        self.constants();
    }

    fn command(&mut self) {
        let index = self.analysis.index();
        let is_guard =
            |name: &str| index.globals.get(name).is_some_and(|&id| index.symbols[id].kind == SymbolKind::Guard);
        match self.before.in_command(is_guard) {
            InCommand::Start => self.items.extend(snippets::commands(self.analysis.parsed.model.dialect)),
            InCommand::Behind => self.words(&[";", "+"]),
            InCommand::Action => {
                self.words(&["*", "GET@", "SUPPLY@"]);
                self.names(&[SymbolKind::Channel]);
                self.locals_of(&["channel"]);
            }
            InCommand::Guard | InCommand::UpdateValue => {
                self.locals();
                self.names(&[SymbolKind::Message]);
                self.constants();
                self.words(&["true", "false", "myself"]);
            }
            InCommand::SendGuard | InCommand::GetTarget => {
                self.words(&["true", "false", "myself", "@"]);
                self.names(&[SymbolKind::Property]);
                self.locals();
                self.constants();
            }
            InCommand::SupplyTarget => {
                self.words(&["any", "myself"]);
                self.names(&[SymbolKind::Instance]);
                self.locals_of(&["location"]);
            }
            InCommand::Datum => self.names(&[SymbolKind::Message]),
            InCommand::DatumValue => {
                self.locals();
                self.constants();
                self.words(&["true", "false", "myself"]);
            }
            InCommand::Update => self.locals(),
        }
    }

    fn system(&mut self) {
        let Some(bracket) = self.before.bracket() else {
            return match self.before.back(0) {
                Some(Token::Equal | Token::Parallel | Token::Or) => self.names(&[SymbolKind::Agent]),
                Some(Token::CloseParen) => {
                    self.words(&["||", "where"]);
                    self.items.push(snippets::spec());
                }
                _ => self.formula(),
            };
        };
        let behind = &self.before.tokens()[bracket..];
        if behind.iter().any(|(token, _)| *token == Token::Comma) {
            let agent = bracket.checked_sub(1).and_then(|index| match self.before.tokens()[index].0 {
                Token::Ident(name) => Some(name),
                _ => None,
            });
            self.locals_of_agent(agent, &[]);
            self.constants();
            self.words(&["true", "false", "myself"]);
        }
    }

    fn formula(&mut self) {
        let (last, before_last) = (self.before.back(0), self.before.back(1));
        if let (Some(Token::Minus), Some(Token::Ident(owner))) = (last, before_last)
            && self.members(owner)
        {
            return;
        }
        if self.binds(0) {
            // A new name is due.
            if matches!(last, Some(Token::Ident(_))) && !last.is_some_and(binds) {
                self.words(&[":"]);
            }
            return;
        }
        if last == Some(Token::Colon) && self.binds(1) {
            self.words(&["Agent"]);
            return self.names(&[SymbolKind::Agent]);
        }
        let observes = self
            .before
            .brackets()
            .iter()
            .any(|&at| matches!(self.before.tokens()[at].0, Token::OpenPossible | Token::OpenNecessary));
        let compares = matches!(last, Some(Token::Equal | Token::NotEqual));
        if observes {
            self.words(&[
                "sender",
                "getter",
                "supplier",
                "initiator",
                "producer",
                "chan",
                "p2p",
                "locality",
                "true",
                "false",
            ]);
            self.names(&[SymbolKind::Message, SymbolKind::Property]);
        } else if last.is_some_and(|token| token.ends_operand() && token != Token::Star) {
            self.words(&["&", "|", "->", "<->", "U", "W", "R", "=", "!="]);
            return self.items.push(snippets::spec());
        } else if last == Some(Token::Semicolon) {
            self.items.push(snippets::spec());
            return self.words(&["ASSUME"]);
        } else if !compares {
            self.items.extend(snippets::formulas(self.analysis.parsed.model.dialect));
            self.words(&["true", "false", "deadlock", "!"]);
        }
        self.bound();
        self.names(&[SymbolKind::Instance]);
        self.constants();
    }

    /// The members of an instance or of a quantified variable, if it is one.
    fn members(&mut self, owner: &str) -> bool {
        let types = self.types_of(owner);
        let index = self.analysis.index();
        let mut known: Vec<String> = Vec::new();
        for &agent in &types {
            let Some(members) = index.members.get(agent) else { continue };
            let mut of_agent: Vec<&Symbol> = members.values().map(|&id| &index.symbols[id]).collect();
            of_agent.sort_by_key(|symbol| symbol.span.start);
            for symbol in of_agent {
                if !known.contains(&symbol.name) {
                    known.push(symbol.name.clone());
                    self.items.push(self.named(symbol));
                }
            }
        }
        if !types.is_empty() {
            self.words(&["automaton-state", "myself"]);
        }
        !types.is_empty()
    }

    /// The agent types that an instance or a quantified variable may be of.
    fn types_of(&self, owner: &str) -> Vec<usize> {
        let index = self.analysis.index();
        let bound = self.quantified().into_iter().rev().find(|(variable, _)| *variable == owner);
        if let Some((_, domain)) = bound {
            return agents_in(&self.analysis.parsed.model, &domain);
        }
        let instance = index.global(owner).map(|(id, _)| &index.symbols[id]);
        instance.filter(|it| it.kind == SymbolKind::Instance).and_then(|it| it.agent).into_iter().collect()
    }

    /// The variables that quantifiers before the place bind, with the names of their types.
    fn quantified(&self) -> Vec<(&str, Vec<&str>)> {
        let tokens = self.before.tokens();
        let mut found = Vec::new();
        for (at, _) in tokens.iter().enumerate().filter(|(_, (token, _))| binds(*token)) {
            let names = |from: usize, separator: Token<'static>| {
                let names = tokens[from..].iter().map_while(move |(token, _)| match token {
                    Token::Ident(name) => Some(Some(*name)),
                    token => (*token == separator).then_some(None),
                });
                names.collect::<Vec<_>>()
            };
            let variables = names(at + 1, Token::Comma);
            let colon = at + 1 + variables.len();
            if tokens.get(colon).is_none_or(|(token, _)| *token != Token::Colon) {
                continue;
            }
            let domain: Vec<&str> = names(colon + 1, Token::Or).into_iter().flatten().collect();
            found.extend(variables.into_iter().flatten().map(|variable| (variable, domain.clone())));
        }
        found
    }

    /// True if a quantifier, a sum or a count stands before its variables, which end so many tokens before the place.
    fn binds(&self, distance: usize) -> bool {
        let tokens = self.before.tokens();
        let mut before = tokens[..tokens.len().saturating_sub(distance)].iter().rev().map(|(token, _)| *token);
        before.find(|token| binds(*token) || !matches!(token, Token::Ident(_) | Token::Comma)).is_some_and(binds)
    }

    fn bound(&mut self) {
        let found = self.quantified();
        let items = found.iter().map(|(name, domain)| {
            let detail = format!("{name} : {}", domain.join(" | "));
            item(name, ProposalKind::Name(SymbolKind::Variable), &detail)
        });
        let items: Vec<Proposal> = items.collect();
        self.items.extend(items);
    }

    fn locals(&mut self) {
        self.locals_of_agent(self.before.agent, &[]);
    }

    fn locals_of(&mut self, types: &[&str]) {
        self.locals_of_agent(self.before.agent, types);
    }

    /// The locals of an agent type, of some types only if any are given.
    fn locals_of_agent(&mut self, agent: Option<&str>, types: &[&str]) {
        let Some(agent) = agent.and_then(|name| agent_named(&self.analysis.parsed.model, name)) else { return };
        let source = &self.analysis.source;
        self.some_names(|symbol| {
            let fits = types.is_empty() || symbol.ty.is_some_and(|ty| types.contains(&source.slice(ty)));
            symbol.kind == SymbolKind::Local && symbol.agent == Some(agent) && fits
        });
    }

    /// The names that stand for a value everywhere.
    fn constants(&mut self) {
        use SymbolKind::{Channel, Constant, EnumConstant, Guard};
        self.names(&[EnumConstant, Channel, Constant, Guard]);
    }

    fn names(&mut self, kinds: &[SymbolKind]) {
        self.some_names(|symbol| kinds.contains(&symbol.kind));
    }

    fn some_names(&mut self, choose: impl Fn(&Symbol) -> bool) {
        let symbols = self.analysis.index().symbols.iter().filter(|symbol| choose(symbol));
        let items: Vec<Proposal> = symbols.map(|symbol| self.named(symbol)).collect();
        self.items.extend(items);
    }

    fn named(&self, symbol: &Symbol) -> Proposal {
        let ty = symbol.ty.map(|ty| self.analysis.source.slice(ty)).unwrap_or_default();
        let detail = match symbol.kind {
            SymbolKind::Guard | SymbolKind::Label | SymbolKind::Agent => symbol.kind.noun().to_owned(),
            SymbolKind::Constant => format!("{} = {ty}", symbol.name),
            SymbolKind::Instance => format!("instance of {ty}"),
            _ => format!("{} : {ty}", symbol.name),
        };
        let insert = (symbol.kind == SymbolKind::Guard).then(|| format!("{}($1)", symbol.name));
        Proposal { insert, ..item(&symbol.name, ProposalKind::Name(symbol.kind), &detail) }
    }

    fn words(&mut self, words: &[&str]) {
        self.items.extend(words.iter().map(|word| item(word, ProposalKind::Word, "")));
    }
}

/// True if variables follow a token.
fn binds(token: Token) -> bool {
    matches!(token, Token::Forall | Token::Exists | Token::Ident("sum" | "count"))
}

fn item(label: &str, kind: ProposalKind, detail: &str) -> Proposal {
    Proposal { label: label.to_owned(), kind, detail: detail.to_owned(), insert: None }
}
