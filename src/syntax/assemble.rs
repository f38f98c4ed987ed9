//! From segments to the tree of a file: reads each segment by its rule and puts the parts together.

use super::add;
use super::ast::{Agent, Dialect, Expr, ExprKind, Global, Ident, Model, Process, ProcessKind, Spec};
use super::parser::{Grammar, Read, read};
use super::prepare::{Segment, SegmentKind};
use super::report;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{SourceFile, Span};

/// Reads the segments of a file.
pub fn assemble(
    source: &SourceFile,
    segments: &[Segment<'_>],
    dialect: Dialect,
    diagnostics: &mut Diagnostics,
) -> Model {
    let model = Model { dialect, globals: Vec::new(), agents: Vec::new(), system: Vec::new(), specs: Vec::new() };
    let mut assembler = Assembler { source, diagnostics, model, agent: None, system: None, stage: Stage::Declarations };
    let grammar = Grammar::new(dialect);
    for segment in segments {
        assembler.segment(&grammar, segment);
    }
    assembler.finish()
}

/// The order of the parts of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Declarations,
    Agents,
    System,
    Specs,
}

impl Stage {
    fn of(kind: SegmentKind) -> Stage {
        match kind {
            SegmentKind::System => Stage::System,
            SegmentKind::Spec => Stage::Specs,
            SegmentKind::Agent => Stage::Agents,
            kind if kind.is_section() => Stage::Agents,
            _ => Stage::Declarations,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Stage::Declarations => "the declarations",
            Stage::Agents => "the agents",
            Stage::System => "`system`",
            Stage::Specs => "the specs",
        }
    }
}

/// An agent, with the places of the sections that it has.
struct OpenAgent {
    agent: Agent,
    sections: Vec<(SegmentKind, Span)>,
    /// Whether something in it could not be read: then a missing section may be there after all.
    damaged: bool,
}

struct Assembler<'a> {
    source: &'a SourceFile,
    diagnostics: &'a mut Diagnostics,
    model: Model,
    agent: Option<OpenAgent>,
    system: Option<Span>,
    stage: Stage,
}

impl Assembler<'_> {
    fn segment<'s>(&mut self, grammar: &Grammar<'s>, segment: &'s Segment<'s>) {
        if !segment.kind.is_section() {
            self.close_agent();
        }
        if segment.kind == SegmentKind::Stray {
            add(self.diagnostics, report::stray(segment, self.source));
            return;
        }
        if segment.kind.is_section() {
            return self.section(grammar, segment);
        }
        self.check_order(segment);
        match segment.kind {
            SegmentKind::Agent => self.open_agent(grammar, segment),
            SegmentKind::System => self.system(grammar, segment),
            SegmentKind::Spec => {
                let formula = self.read(segment, &grammar.spec).unwrap_or_else(|| error_expr(segment));
                let span = segment.keyword().to(formula.span);
                self.model.specs.push(Spec { name: None, expect: None, formula, span });
            }
            _ => self.global(grammar, segment),
        }
    }

    fn check_order(&mut self, segment: &Segment) {
        let stage = Stage::of(segment.kind);
        if stage < self.stage {
            let keyword = self.source.slice(segment.keyword());
            let message = format!("`{keyword}` must stand before {}", self.stage.name());
            add(self.diagnostics, Diagnostic::new(Code::UnexpectedToken, segment.keyword(), message).label("too late"));
        } else {
            self.stage = stage;
        }
    }

    fn global<'s>(&mut self, grammar: &Grammar<'s>, segment: &'s Segment<'s>) {
        let global = match segment.kind {
            SegmentKind::Enum => {
                self.read(segment, &grammar.enumeration).map(|(name, constants)| Global::Enum { name, constants })
            }
            SegmentKind::Channels => {
                self.read(segment, &grammar.channels).map(|(name, constants)| Global::Enum { name, constants })
            }
            SegmentKind::Messages => self.read(segment, &grammar.declarations).map(Global::Messages),
            SegmentKind::Properties => self.read(segment, &grammar.declarations).map(Global::Properties),
            _ => self.read(segment, &grammar.guard).map(Global::Guard),
        };
        self.model.globals.extend(global);
    }

    fn system<'s>(&mut self, grammar: &Grammar<'s>, segment: &'s Segment<'s>) {
        let instances = self.read(segment, &grammar.system).unwrap_or_default();
        match self.system {
            None => {
                self.system = Some(segment.keyword());
                self.model.system = instances;
            }
            Some(first) => add(self.diagnostics, repeated("`system`", segment.keyword(), first)),
        }
    }

    fn open_agent<'s>(&mut self, grammar: &Grammar<'s>, segment: &'s Segment<'s>) {
        let findings = self.diagnostics.iter().count();
        let end = segment.span().end as usize;
        let name = self.read(segment, &grammar.agent);
        let damaged = self.diagnostics.iter().count() > findings;
        let name = name.unwrap_or_else(|| Ident { name: String::new(), span: Span::new(end, end) });
        let process = Process { kind: ProcessKind::Error, span: name.span, parenthesised: false };
        let agent = Agent { name, locals: Vec::new(), init: None, relabel: Vec::new(), receive_guard: None, process };
        self.agent = Some(OpenAgent { agent, sections: Vec::new(), damaged });
    }

    fn section<'s>(&mut self, grammar: &Grammar<'s>, segment: &'s Segment<'s>) {
        let keyword = segment.keyword();
        let Some(mut open) = self.agent.take() else {
            let message = format!("`{}:` belongs into an agent", self.source.slice(keyword));
            add(
                self.diagnostics,
                Diagnostic::new(Code::UnexpectedToken, keyword, message).label("outside of an agent"),
            );
            return;
        };
        if let Some((_, first)) = open.sections.iter().find(|(kind, _)| *kind == segment.kind) {
            let name = format!("`{}:`", self.source.slice(keyword));
            add(self.diagnostics, repeated(&name, keyword, *first));
            self.agent = Some(open);
            return;
        }
        open.sections.push((segment.kind, keyword));
        let findings = self.diagnostics.iter().count();
        let agent = &mut open.agent;
        match segment.kind {
            SegmentKind::Local => agent.locals = self.read(segment, &grammar.declarations).unwrap_or_default(),
            SegmentKind::Init => agent.init = Some(self.condition(grammar, segment)),
            SegmentKind::ReceiveGuard => agent.receive_guard = Some(self.condition(grammar, segment)),
            SegmentKind::Relabel => agent.relabel = self.read(segment, &grammar.relabel).unwrap_or_default(),
            _ => agent.process = self.read(segment, &grammar.repeat).unwrap_or_else(|| error_process(segment)),
        }
        open.damaged |= self.diagnostics.iter().count() > findings;
        self.agent = Some(open);
    }

    fn condition<'s>(&mut self, grammar: &Grammar<'s>, segment: &'s Segment<'s>) -> Expr {
        self.read(segment, &grammar.condition).unwrap_or_else(|| error_expr(segment))
    }

    fn close_agent(&mut self) {
        let Some(open) = self.agent.take() else { return };
        let has_process = open.sections.iter().any(|(kind, _)| *kind == SegmentKind::Repeat);
        if !has_process && !open.damaged {
            let name = &open.agent.name;
            add(
                self.diagnostics,
                Diagnostic::new(Code::UnexpectedToken, name.span, format!("agent `{}` has no behaviour", name.name))
                    .label("no `repeat:` follows")
                    .help("add `repeat:` with the commands of the agent"),
            );
        }
        self.model.agents.push(open.agent);
    }

    fn finish(mut self) -> Model {
        self.close_agent();
        if self.system.is_none() {
            let end = self.source.text().trim_end().len();
            add(
                self.diagnostics,
                Diagnostic::new(Code::UnexpectedToken, Span::new(end, end), "the file has no `system`")
                    .label("expected `system = ..` before here")
                    .help("compose instances of the agents, as in `system = Type(name, true) || Type(other, true)`"),
            );
        }
        self.model
    }

    fn read<'s, T>(&mut self, segment: &'s Segment<'s>, rule: &super::parser::Rule<'s, T>) -> Option<T> {
        if !segment.readable {
            return None;
        }
        let Read { value, errors, too_high } = read(rule, &segment.tokens);
        for error in &errors {
            if let Some(diagnostic) = report::diagnostic(error, segment, self.source) {
                add(self.diagnostics, diagnostic);
            }
        }
        if let Some(span) = too_high {
            add(self.diagnostics, report::too_high(span));
        }
        value
    }
}

fn repeated(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, format!("{name} is given twice"))
        .label("second time")
        .related(first, "first time")
        .help("join the two")
}

fn error_expr(segment: &Segment) -> Expr {
    Expr { kind: ExprKind::Error, span: segment.span(), parenthesised: false }
}

fn error_process(segment: &Segment) -> Process {
    Process { kind: ProcessKind::Error, span: segment.span(), parenthesised: false }
}
