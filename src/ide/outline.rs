//! The structure of a file: its symbols, what can be folded, and what a selection grows to.

use super::analysis::Analysis;
use super::index::{Symbol, SymbolKind, declarations};
use crate::source::{SourceFile, Span};
use crate::syntax::ast::{Expr, Process, ProcessKind};
use crate::syntax::{SegmentKind, parts, walk};

/// The kind of an [`OutlineItem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineKind {
    /// A declared name.
    Name(SymbolKind),
    /// A spec, or an assumption.
    Formula,
}

/// A declaration or a formula, with the declarations in it.
#[derive(Clone, Debug)]
pub struct OutlineItem {
    /// Its name.
    pub name: String,
    /// Its type or its beginning.
    pub detail: String,
    /// Its kind.
    pub kind: OutlineKind,
    /// All of it.
    pub whole: Span,
    /// Its name.
    pub span: Span,
    /// The nodes inside of it.
    pub children: Vec<OutlineItem>,
}

/// The declarations and formulas of a file.
pub fn symbols(analysis: &Analysis) -> Vec<OutlineItem> {
    let (source, tree) = (&analysis.source, &analysis.parsed.model);
    let mut items: Vec<OutlineItem> = Vec::new();
    for symbol in declarations(source, tree) {
        let kind = symbol.kind;
        let item = of_symbol(source, symbol);
        match (kind, items.last_mut()) {
            (SymbolKind::EnumConstant | SymbolKind::Channel | SymbolKind::Local | SymbolKind::Label, Some(outer)) => {
                // Where the text is broken, it may stand behind what is known to be the end.
                outer.whole = outer.whole.to(item.whole);
                outer.children.push(item);
            }
            _ => items.push(item),
        }
    }
    for (index, spec) in tree.specs.iter().enumerate() {
        let name = spec.name.as_ref().map_or_else(|| format!("spec {}", index + 1), |name| name.name.clone());
        items.push(of_formula(source, name, spec.span, &spec.formula));
    }
    for (index, assumption) in tree.assumptions.iter().enumerate() {
        items.push(of_formula(source, format!("assumption {}", index + 1), assumption.span, &assumption.formula));
    }
    items
}

fn of_symbol(source: &SourceFile, symbol: Symbol) -> OutlineItem {
    let Symbol { name, kind, span, whole, ty, .. } = symbol;
    let ty = ty.filter(|_| !matches!(kind, SymbolKind::EnumConstant | SymbolKind::Channel));
    let detail = ty.map(|ty| source.slice(ty).to_owned()).unwrap_or_default();
    OutlineItem { name, detail, kind: OutlineKind::Name(kind), whole, span, children: Vec::new() }
}

fn of_formula(source: &SourceFile, name: String, whole: Span, formula: &Expr) -> OutlineItem {
    let keyword = Span { end: whole.start, ..whole };
    let detail = crate::words::shorten(source.slice(formula.span));
    OutlineItem { name, detail, kind: OutlineKind::Formula, whole, span: keyword, children: Vec::new() }
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
