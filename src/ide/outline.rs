//! The structure of a file: its symbols, what can be folded, and what a selection grows to.

use super::Analysis;
use super::index::whole_instance;
use crate::source::Span;
use crate::syntax::ast::{Agent, Command, Global, Ident, Process, ProcessKind};
use crate::syntax::{SegmentKind, parts, walk};

/// The kind of part that an [`OutlineItem`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// An enum, the channels included.
    Enum,
    /// A constant of one.
    EnumConstant,
    /// A message variable, a property variable or a local.
    Variable,
    /// A declared constant.
    Constant,
    /// A guard.
    Guard,
    /// An agent type.
    Agent,
    /// A command with a label.
    Command,
    /// An instance.
    Instance,
    /// A spec.
    Spec,
    /// An assumption.
    Assumption,
}

/// A declaration with those in it.
#[derive(Clone, Debug)]
pub struct OutlineItem {
    /// Its name.
    pub name: String,
    /// Its type or its beginning.
    pub detail: String,
    /// Its kind.
    pub kind: NodeKind,
    /// All of it.
    pub whole: Span,
    /// Its name.
    pub span: Span,
    /// The nodes inside of it.
    pub children: Vec<OutlineItem>,
}

impl OutlineItem {
    fn new(kind: NodeKind, name: &Ident, whole: Span, detail: &str) -> OutlineItem {
        let (name, span) = (name.name.clone(), name.span);
        OutlineItem { name, detail: detail.to_owned(), kind, whole: whole.to(span), span, children: Vec::new() }
    }

    /// With these in it, also where the text is broken and they stand behind what is known to be its end.
    fn around(self, children: Vec<OutlineItem>) -> OutlineItem {
        let whole = children.iter().fold(self.whole, |whole, child| whole.to(child.whole));
        OutlineItem { whole, children, ..self }
    }
}

/// The declarations of a file.
pub fn symbols(analysis: &Analysis) -> Vec<OutlineItem> {
    let (source, tree) = (&analysis.source, &analysis.parsed.model);
    let mut nodes = Vec::new();
    for global in &tree.globals {
        match global {
            Global::Enum { name, constants } => {
                let constant = |it: &Ident| OutlineItem::new(NodeKind::EnumConstant, it, it.span, "");
                let whole = constants.last().map_or(name.span, |last| last.span);
                let children = constants.iter().map(constant).collect();
                nodes.push(OutlineItem::new(NodeKind::Enum, name, whole, "").around(children));
            }
            Global::Messages(list) | Global::Properties(list) => {
                nodes
                    .extend(list.iter().map(|it| {
                        OutlineItem::new(NodeKind::Variable, &it.name, it.ty.span, source.slice(it.ty.span))
                    }));
            }
            Global::Guard(guard) => {
                nodes.push(OutlineItem::new(
                    NodeKind::Guard,
                    &guard.name,
                    guard.body.span,
                    source.slice(guard.body.span),
                ));
            }
            Global::Constant { name, value, .. } => {
                nodes.push(OutlineItem::new(NodeKind::Constant, name, value.span, source.slice(value.span)));
            }
            Global::PointToPoint { .. } => {}
        }
    }
    nodes.extend(tree.agents.iter().map(|agent| of_agent(analysis, agent)));
    for instance in &tree.system {
        let whole = whole_instance(source, instance);
        nodes.push(OutlineItem::new(NodeKind::Instance, &instance.name, whole, &instance.agent.name));
    }
    for (index, spec) in tree.specs.iter().enumerate() {
        let keyword = Span { end: spec.span.start, ..spec.span };
        let name = spec.name.as_ref().map_or_else(|| format!("spec {}", index + 1), |name| name.name.clone());
        let detail = crate::words::shorten(source.slice(spec.formula.span));
        let (kind, children) = (NodeKind::Spec, Vec::new());
        nodes.push(OutlineItem { name, detail, kind, whole: spec.span, span: keyword, children });
    }
    for (index, assumption) in tree.assumptions.iter().enumerate() {
        let span = Span { end: assumption.span.start, ..assumption.span };
        let detail = crate::words::shorten(source.slice(assumption.formula.span));
        let (kind, name, children) = (NodeKind::Assumption, format!("assumption {}", index + 1), Vec::new());
        nodes.push(OutlineItem { name, detail, kind, whole: assumption.span, span, children });
    }
    nodes
}

fn of_agent(analysis: &Analysis, agent: &Agent) -> OutlineItem {
    let source = &analysis.source;
    let local = |it: &crate::syntax::ast::Declaration| {
        OutlineItem::new(NodeKind::Variable, &it.name, it.ty.span, source.slice(it.ty.span))
    };
    let mut children: Vec<OutlineItem> = agent.locals.iter().map(local).collect();
    walk::commands(&agent.process, &mut |command: &Command| {
        if let Some(label) = &command.label {
            children.push(OutlineItem::new(NodeKind::Command, label, command.span, ""));
        }
    });
    OutlineItem::new(NodeKind::Agent, &agent.name, agent.process.span, "").around(children)
}

/// The parts that can be folded: agents, sections and other parts, and blocks of comments (marked so), each over
/// several lines.
pub fn folds(analysis: &Analysis) -> Vec<(Span, bool)> {
    let source = &analysis.source;
    let parts = parts(source);
    let line = |offset: u32| source.line_column(offset).line;
    let end_of = |part: &crate::syntax::Part| part.tokens.last().map(|(_, span)| *span);
    let mut folds = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let Some((first, last)) = part.tokens.first().map(|(_, span)| *span).zip(end_of(part)) else { continue };
        let last = match part.kind {
            SegmentKind::Agent => {
                let sections = parts[index + 1..].iter().take_while(|part| part.kind.is_section());
                sections.last().and_then(end_of).unwrap_or(last)
            }
            _ => last,
        };
        folds.push((first.to(last), false));
    }
    let mut block: Option<Span> = None;
    for comment in &analysis.parsed.comments {
        let follows = block.is_some_and(|block| line(block.end) + 1 == line(comment.span.start));
        block = match block {
            Some(block) if follows => Some(block.to(comment.span)),
            ended => {
                folds.extend(ended.map(|block| (block, true)));
                Some(comment.span)
            }
        };
    }
    folds.extend(block.map(|block| (block, true)));
    folds.retain(|(span, _)| line(span.start) < line(span.end));
    folds
}

/// The places that a selection at a place grows to, the smallest first.
pub fn selections(analysis: &Analysis, offset: u32) -> Vec<Span> {
    let mut spans = vec![Span::new(0, analysis.source.text().len())];
    let mut add = |span: Span| {
        if span.start <= offset && offset <= span.end {
            spans.push(span);
        }
    };
    if let Some(it) = analysis.index().at(offset) {
        add(it.span);
    }
    let tree = &analysis.parsed.model;
    analysis.index().symbols.iter().for_each(|symbol| add(symbol.whole));
    for agent in &tree.agents {
        walk::commands(&agent.process, &mut |command| add(command.span));
        processes(&agent.process, &mut add);
    }
    walk::expressions(tree, &mut |outermost| walk::nested(outermost, &mut |expr| add(expr.span)));
    tree.specs.iter().for_each(|spec| add(spec.span));
    tree.assumptions.iter().for_each(|assumption| add(assumption.span));
    spans.sort_by_key(|span| (span.end - span.start, span.start));
    spans.dedup();
    // Each contains the one before.
    let mut nested: Vec<Span> = Vec::new();
    for span in spans {
        if nested.last().is_none_or(|inner| span.start <= inner.start && inner.end <= span.end) {
            nested.push(span);
        }
    }
    nested
}

fn processes(process: &Process, visit: &mut dyn FnMut(Span)) {
    visit(process.span);
    match &process.kind {
        ProcessKind::Sequence(left, right) | ProcessKind::Choice(left, right) => {
            processes(left, visit);
            processes(right, visit);
        }
        ProcessKind::Rep(body) => processes(body, visit),
        ProcessKind::Error | ProcessKind::Command(_) => {}
    }
}
