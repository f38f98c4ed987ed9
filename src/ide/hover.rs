//! Explanations of places, for hovering.

use super::analysis::Analysis;
use super::index::{NameUse, Symbol, SymbolKind};
use super::meets;
use crate::model::{AgentId, ConstantName, EdgeId, Model, Type, Variable};
use crate::source::Span;
use crate::syntax::lexer::lex;
use crate::syntax::pretty::{self, Names};
use crate::syntax::token::Token;

/// An explanation of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The part of the text that it explains.
    pub span: Span,
    /// The explanation, as Markdown.
    pub markdown: String,
    /// The spec that it is about, if it is one, from 0.
    pub spec: Option<usize>,
}

/// The explanation of a place.
pub fn hover(analysis: &Analysis, offset: u32) -> Option<Hover> {
    if let Some(it) = analysis.index().at(offset) {
        return Some(Hover { span: it.span, markdown: of_use(analysis, it), spec: None });
    }
    let (token, span) = token_at(analysis, offset)?;
    if token == Token::Spec || matches!(token, Token::Ident("ASSUME" | "LTL" | "LTOL" | "LTLSPEC")) {
        let spec = spec_at(analysis, offset);
        return Some(Hover { span, markdown: of_formula(analysis, offset, spec)?, spec });
    }
    let is_action = matches!(token, Token::Not | Token::Question | Token::Get | Token::Supply | Token::Star);
    if let Some(markdown) = is_action.then(|| of_command_at(analysis, offset)).flatten() {
        return Some(Hover { span, markdown, spec: None });
    }
    let markdown = of_word(token, analysis.source.slice(span))?.to_owned();
    Some(Hover { span, markdown, spec: None })
}

/// The token that a place belongs to.
fn token_at(analysis: &Analysis, offset: u32) -> Option<(Token<'_>, Span)> {
    let tokens = lex(&analysis.source).tokens;
    let behind = tokens.partition_point(|(_, span)| span.start <= offset);
    tokens[..behind].last().filter(|(_, span)| offset <= span.end).copied()
}

fn of_use(analysis: &Analysis, it: &NameUse) -> String {
    let symbols = it.symbols.iter().map(|&id| of_symbol(analysis, &analysis.index().symbols[id]));
    symbols.collect::<Vec<_>>().join("\n\n---\n\n")
}

fn of_symbol(analysis: &Analysis, symbol: &Symbol) -> String {
    let tree = &analysis.parsed.model;
    let owner = symbol.agent.and_then(|agent| tree.agents.get(agent)).map(|agent| agent.name.name.as_str());
    let written = symbol.ty.map(|ty| analysis.source.slice(ty)).unwrap_or_default();
    let name = &symbol.name;
    let declared = match symbol.kind {
        SymbolKind::Local
        | SymbolKind::Message
        | SymbolKind::Property
        | SymbolKind::Parameter
        | SymbolKind::Variable
        | SymbolKind::EnumConstant
        | SymbolKind::Channel => format!("{name} : {written}"),
        SymbolKind::Constant => format!("const {name} = {written}"),
        SymbolKind::Guard | SymbolKind::Enum | SymbolKind::Instance => analysis.source.slice(symbol.whole).to_owned(),
        SymbolKind::Agent => format!("agent {name}"),
        SymbolKind::Label => format!("{}-{name}", owner.unwrap_or_default()),
    };
    let whose = owner.filter(|_| symbol.kind != SymbolKind::Agent).map(|owner| format!(" of `{owner}`"));
    let mut text = format!("```rcheck\n{declared}\n```\n{}{}", symbol.kind.noun(), whose.unwrap_or_default());
    if let Some(model) = &analysis.model {
        text.extend(of_model(model, symbol).into_iter().map(|line| format!("\n\n{line}")));
    }
    text
}

/// The facts that the model has about a symbol.
fn of_model(model: &Model, symbol: &Symbol) -> Vec<String> {
    let range = |variables: &[Variable]| {
        let variable = variables.iter().find(|variable| variable.name == symbol.name)?;
        values(model, variable.ty)
    };
    match symbol.kind {
        SymbolKind::Local => {
            let agent = symbol.agent.and_then(|agent| model.agents.get(agent));
            agent.and_then(|agent| range(&agent.locals)).into_iter().collect()
        }
        SymbolKind::Message => range(&model.messages).into_iter().collect(),
        SymbolKind::Property => range(&model.properties).into_iter().collect(),
        SymbolKind::Constant => {
            let constant =
                model.constants.iter().find(|constant| constant.name == ConstantName::Declared(symbol.name.clone()));
            constant.map(|constant| format!("is {}", constant.value)).into_iter().collect()
        }
        SymbolKind::Agent => {
            let instances = model.instances.iter().filter(|it| model.agents[it.agent.index()].name == symbol.name);
            let names: Vec<String> = instances.map(|it| format!("`{}`", it.name)).take(12).collect();
            vec![if names.is_empty() {
                "has no instance".to_owned()
            } else {
                format!("instances: {}", names.join(", "))
            }]
        }
        SymbolKind::Label => {
            let Some(agent) = symbol.agent else { return Vec::new() };
            let edges = &model.agents[agent].edges;
            let edge = edges.iter().position(|edge| edge.label.as_ref() == Some(&symbol.name));
            edge.map_or_else(Vec::new, |edge| of_command(model, AgentId(agent as u32), EdgeId(edge as u32)))
        }
        _ => Vec::new(),
    }
}

/// How many values a type has, and which.
fn values(model: &Model, ty: Type) -> Option<String> {
    Some(match ty {
        Type::Bool => return None,
        Type::Int => "any integer".to_owned(),
        Type::Range(low, high) => format!("{low} to {high}"),
        Type::Enum(id) => listed(&model.enums[id.index()].constants),
        Type::Channel => listed(&model.channels),
        Type::Location => listed(&model.location_names()),
    })
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MOST { format!(" and {} more", names.len() - MOST) } else { String::new() };
    format!("one of {}{more}", shown.join(", "))
}

fn of_command(model: &Model, agent: AgentId, edge: EdgeId) -> Vec<String> {
    let command = format!("```rcheck\n{}\n```", model.show_command(agent, edge));
    let lines = meets::describe(model, agent, edge).into_iter().map(|line| format!("- {line}"));
    vec![command, lines.collect::<Vec<_>>().join("\n")]
}

fn of_command_at(analysis: &Analysis, offset: u32) -> Option<String> {
    let model = analysis.model.as_ref()?;
    let (agent, edge) = command_at(model, offset)?;
    Some(of_command(model, agent, edge).join("\n\n"))
}

/// The command that stands around a place.
fn command_at(model: &Model, offset: u32) -> Option<(AgentId, EdgeId)> {
    model.agents.iter().enumerate().find_map(|(agent, it)| {
        let edge = it.edges.iter().position(|edge| edge.span.start <= offset && offset < edge.span.end)?;
        Some((AgentId(agent as u32), EdgeId(edge as u32)))
    })
}

/// The number of the spec that begins or stands around a place, from 0.
fn spec_at(analysis: &Analysis, offset: u32) -> Option<usize> {
    analysis.parsed.model.specs.iter().position(|spec| touches(spec.span, offset))
}

fn touches(span: Span, offset: u32) -> bool {
    span.start <= offset && offset <= span.end
}

/// How a spec or an assumption was read.
fn of_formula(analysis: &Analysis, offset: u32, spec: Option<usize>) -> Option<String> {
    let tree = &analysis.parsed.model;
    if let Some(number) = spec {
        let spec = &tree.specs[number];
        let name = spec.name.as_ref().map(|name| format!(" `{}`", name.name)).unwrap_or_default();
        let above = tree.assumptions.iter().filter(|assumption| assumption.above <= number).count();
        let under = match above {
            0 => String::new(),
            _ => format!(", under {}", crate::words::count(above, "assumption")),
        };
        let text = pretty::expression(&spec.formula, &Names::default());
        return Some(format!("spec {}{name}{under}, read as\n```rcheck\n{text}\n```", number + 1));
    }
    let assumption = tree.assumptions.iter().find(|assumption| touches(assumption.span, offset))?;
    let text = pretty::expression(&assumption.formula, &Names::default());
    Some(format!("assumption, read as\n```rcheck\n{text}\n```"))
}

/// The meaning of a word or a sign of the language.
fn of_word(token: Token, text: &str) -> Option<&'static str> {
    Some(match token {
        Token::Globally => "`G f`: f holds from here on, for ever",
        Token::Finally => "`F f`: f holds here or at some later position",
        Token::Next => "`X f`: f holds at the next position",
        Token::Until => "`a U b`: b holds at some position, and a until then",
        Token::WeakUntil => "`a W b`: a holds until b does, or for ever",
        Token::Release => "`a R b`: b holds up to and including the first a, or for ever",
        Token::OpenPossible | Token::ClosePossible => "`<<O>> f`: the next step is observed by O, and then f holds",
        Token::OpenNecessary | Token::CloseNecessary => {
            "`[[O]] f`: if the next step is observed by O, then f holds after it"
        }
        Token::Forall => {
            "`forall k : T . f`: f holds for every instance k of T; in observations, for every assignment to the property variables"
        }
        Token::Exists => {
            "`exists k : T . f`: f holds for some instance k of T; in observations, for some assignment to the property variables"
        }
        Token::Chan => "the channel of the message",
        Token::Myself => "the location of this instance",
        Token::AutomatonState => "the number of the automaton state; 0 is the initial one",
        Token::Rep => "`rep P` repeats P for ever",
        Token::ReceiveGuard => "the channels that an instance listens to; without it, every channel",
        Token::Relabel => "what the property variables mean for this agent",
        Token::Repeat => "the behaviour, which starts anew whenever it ends",
        Token::Init => "a condition on the initial values of the locals; what it leaves open is free",
        Token::Star => "`*` as a channel: the broadcast channel, which never blocks",
        Token::Location => "the names of the instances",
        Token::Ident("deadlock") => "no step is possible",
        Token::Ident("sender") => "who sends the observed message",
        Token::Ident("getter") => "who gets in the observed step",
        Token::Ident("supplier") => "who supplies in the observed step",
        Token::Ident("locality") => "the name that the observed get used, or `any` where it used a predicate",
        Token::Ident("p2p") => "the observed step is a get/supply",
        Token::Ident("enabled") => "`enabled(i)`: some step is possible in which i sends, gets or supplies",
        Token::Ident("acts") => "`acts(i)`: i sends, gets or supplies in the next step",
        Token::Ident("weak") => "`weak(x)`: if x is enabled from some point on, it acts again and again",
        Token::Ident("strong") => "`strong(x)`: if x is enabled again and again, it acts again and again",
        Token::Ident("K") => "`K(i, f)`: i knows f: it holds in every reachable state that looks the same to i",
        Token::Ident("index") if text == "index" => "the number of the member of the family",
        _ => return None,
    })
}
