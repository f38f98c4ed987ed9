//! Features of editors on a text, as the protocol has them.

use super::documents::Document;
use super::messages::Failure;
use super::position::{position, range, span};
use super::verifier::SpecOrChecks;
use crate::diag::Edit;
use crate::ide::complete::complete;
use crate::ide::index::{NameUse, SymbolKind};
use crate::ide::snippets::{self, Proposal, ProposalKind};
use crate::ide::tokens::{Coloured, TokenKind, tokens};
use crate::ide::{hints, hover, outline, rename, signature};
use crate::source::{SourceFile, Span};
use crate::syntax::ast::Dialect;
use crate::syntax::pretty;
use lsp_types::*;
use std::collections::HashMap;

/// The kinds of semantic tokens, in the order of the numbers that stand for them.
pub const TOKEN_TYPES: [SemanticTokenType; 12] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::NUMBER,
    SemanticTokenType::COMMENT,
    SemanticTokenType::TYPE,
    SemanticTokenType::ENUM,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::CLASS,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PROPERTY,
];

/// The same of their modifiers.
pub const TOKEN_MODIFIERS: [SemanticTokenModifier; 2] =
    [SemanticTokenModifier::DECLARATION, SemanticTokenModifier::READONLY];

/// The explanation of a place, with the verdict known of the spec there.
pub fn hover(document: &Document, params: HoverParams) -> Option<Hover> {
    let found = hover::hover(document.analysis()?, document.offset(params.text_document_position_params.position))?;
    let shown = found.spec.map(|spec| document.shown(SpecOrChecks::Spec(spec))).unwrap_or_default();
    let verdict = shown.first().map(|shown| format!("\n\n{}", shown.words())).unwrap_or_default();
    let value = format!("{}{verdict}", found.markdown);
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(range(document.source(), found.span)) })
}

/// The place where the name at a place is declared.
pub fn definition(document: &Document, params: GotoDefinitionParams) -> Option<GotoDefinitionResponse> {
    let index = document.analysis()?.index();
    let symbols = index.at(document.offset(params.text_document_position_params.position))?.symbols.iter();
    let places: Vec<Location> = symbols.map(|&id| location(document, index.symbols[id].span)).collect();
    Some(places.into())
}

fn location(document: &Document, span: Span) -> Location {
    Location { uri: document.uri.clone(), range: range(document.source(), span) }
}

/// The places where the name at a place is used.
pub fn references(document: &Document, params: ReferenceParams) -> Option<Vec<Location>> {
    let uses = uses(document, params.text_document_position.position)?.into_iter();
    let uses = uses.filter(|it| params.context.include_declaration || !it.declares);
    Some(uses.map(|it| location(document, it.span)).collect())
}

/// The same, to be marked.
pub fn highlights(document: &Document, params: DocumentHighlightParams) -> Option<Vec<DocumentHighlight>> {
    let highlight = |it: &NameUse| DocumentHighlight {
        range: range(document.source(), it.span),
        kind: Some(if it.declares || it.assigns { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ }),
    };
    let uses = uses(document, params.text_document_position_params.position)?;
    Some(uses.into_iter().map(highlight).collect())
}

fn uses(document: &Document, at: Position) -> Option<Vec<&NameUse>> {
    let index = document.analysis()?.index();
    Some(index.together(index.at(document.offset(at))?))
}

/// Which name can be changed at a place; none in other languages.
///
/// # Errors
/// Why none can.
pub fn prepare_rename(document: &Document, at: Position) -> Result<Option<PrepareRenameResponse>, Failure> {
    document.reading().ok_or("the text cannot be read in time")?;
    let Some(analysis) = document.analysis() else { return Ok(None) };
    let place = rename::prepare(analysis, document.offset(at))?;
    Ok(Some(PrepareRenameResponse::Range(range(document.source(), place))))
}

/// Gives the name at a place another one.
///
/// # Errors
/// Why that is not possible.
pub fn renamed(document: &Document, at: Position, name: &str) -> Result<Option<WorkspaceEdit>, Failure> {
    document.reading().ok_or("the text cannot be read in time")?;
    let Some(analysis) = document.analysis() else { return Ok(None) };
    let edits = rename::rename(analysis, document.offset(at), name)?;
    Ok(Some(workspace_edit(document, &edits)))
}

fn text_edit(source: &SourceFile, edit: &Edit) -> TextEdit {
    TextEdit { range: range(source, edit.span), new_text: edit.text.clone() }
}

// Editors compare addresses by their text, which does not change.
#[allow(clippy::mutable_key_type)]
fn workspace_edit(document: &Document, edits: &[Edit]) -> WorkspaceEdit {
    let edits = edits.iter().map(|edit| text_edit(document.source(), edit)).collect();
    WorkspaceEdit { changes: Some(HashMap::from([(document.uri.clone(), edits)])), ..WorkspaceEdit::default() }
}

/// The items that may be typed at a place; snippets for clients that take them only.
pub fn completion(document: &Document, at: Position, with_snippets: bool) -> Option<CompletionResponse> {
    let offset = document.offset(at);
    let (start, items) = complete(document.analysis()?, offset as usize);
    let place = range(document.source(), Span { start: start as u32, end: offset });
    let item = |(number, item)| completion_item(number, item, place, with_snippets);
    let items: Vec<CompletionItem> = items.into_iter().enumerate().map(item).collect();
    Some(items.into())
}

fn completion_item(number: usize, item: Proposal, place: Range, with_snippets: bool) -> CompletionItem {
    let kind = match item.kind {
        ProposalKind::Snippet => CompletionItemKind::SNIPPET,
        ProposalKind::Word => CompletionItemKind::KEYWORD,
        ProposalKind::Name(kind) => match kind {
            SymbolKind::Enum => CompletionItemKind::ENUM,
            SymbolKind::EnumConstant | SymbolKind::Channel => CompletionItemKind::ENUM_MEMBER,
            SymbolKind::Constant => CompletionItemKind::CONSTANT,
            SymbolKind::Guard => CompletionItemKind::FUNCTION,
            SymbolKind::Agent => CompletionItemKind::CLASS,
            SymbolKind::Label => CompletionItemKind::METHOD,
            SymbolKind::Message | SymbolKind::Property => CompletionItemKind::FIELD,
            SymbolKind::Parameter | SymbolKind::Local | SymbolKind::Instance | SymbolKind::Variable => {
                CompletionItemKind::VARIABLE
            }
        },
    };
    let (new_text, format) = match item.insert {
        Some(snippet) if with_snippets => (snippet, InsertTextFormat::SNIPPET),
        Some(snippet) => (snippets::plain(&snippet), InsertTextFormat::PLAIN_TEXT),
        None => (item.label.clone(), InsertTextFormat::PLAIN_TEXT),
    };
    CompletionItem {
        label: item.label,
        kind: Some(kind),
        detail: Some(item.detail).filter(|detail| !detail.is_empty()),
        insert_text_format: Some(format),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: place, new_text })),
        sort_text: Some(format!("{number:05}")),
        ..CompletionItem::default()
    }
}

/// The parameters of the guard whose call is being typed.
pub fn signature_help(document: &Document, params: SignatureHelpParams) -> Option<SignatureHelp> {
    let offset = document.offset(params.text_document_position_params.position);
    let found = signature::signature(document.analysis()?, offset as usize)?;
    let parameters = found.parameters.iter().map(|(start, end)| ParameterInformation {
        // Names are ASCII, so that bytes are units of UTF-16.
        label: ParameterLabel::LabelOffsets([*start as u32, *end as u32]),
        documentation: None,
    });
    let active = Some(found.active as u32);
    let information = SignatureInformation {
        parameters: Some(parameters.collect()),
        documentation: Some(Documentation::String(found.body)),
        active_parameter: active,
        label: found.label,
    };
    Some(SignatureHelp { signatures: vec![information], active_signature: Some(0), active_parameter: active })
}

/// The parts that can be folded.
pub fn folding_ranges(document: &Document, _: FoldingRangeParams) -> Option<Vec<FoldingRange>> {
    let source = document.source();
    let fold = |(place, is_comment): (Span, bool)| FoldingRange {
        start_line: position(source, place.start).line,
        end_line: position(source, place.end).line,
        kind: Some(if is_comment { FoldingRangeKind::Comment } else { FoldingRangeKind::Region }),
        ..FoldingRange::default()
    };
    Some(outline::folds(document.analysis()?).into_iter().map(fold).collect())
}

/// The ranges that selections at some places grow to.
pub fn selection_ranges(document: &Document, params: SelectionRangeParams) -> Option<Vec<SelectionRange>> {
    let analysis = document.analysis()?;
    let at = |place: &Position| {
        let spans = outline::selections(analysis, document.offset(*place));
        let outer = spans.iter().rev().fold(None, |parent: Option<Box<SelectionRange>>, span| {
            Some(Box::new(SelectionRange { range: range(document.source(), *span), parent }))
        });
        outer.map_or(SelectionRange { range: Range::new(*place, *place), parent: None }, |range| *range)
    };
    Some(params.positions.iter().map(at).collect())
}

/// The colours of a text, or of a part of it.
pub fn semantic_tokens(document: &Document, part: Option<Range>) -> Option<SemanticTokens> {
    let source = document.source();
    let part = part.map(|part| span(source, part));
    let (mut data, mut last) = (Vec::new(), Position::default());
    for Coloured { span, kind, declares } in tokens(document.analysis()?) {
        if part.is_some_and(|part| span.end < part.start || part.end < span.start) {
            continue;
        }
        let (token_type, is_constant) = token_type(kind);
        for piece in lines(source, span) {
            let place = position(source, piece.start);
            let delta_line = place.line - last.line;
            data.push(SemanticToken {
                delta_line,
                delta_start: if delta_line == 0 { place.character - last.character } else { place.character },
                length: source.slice(piece).encode_utf16().count() as u32,
                token_type,
                token_modifiers_bitset: u32::from(declares) | u32::from(is_constant) << 1,
            });
            last = place;
        }
    }
    Some(SemanticTokens { result_id: None, data })
}

/// The number of a kind among [`TOKEN_TYPES`], and whether it never changes.
fn token_type(kind: TokenKind) -> (u32, bool) {
    let (kind, is_constant) = match kind {
        TokenKind::Keyword => (SemanticTokenType::KEYWORD, false),
        TokenKind::Operator => (SemanticTokenType::OPERATOR, false),
        TokenKind::Number => (SemanticTokenType::NUMBER, false),
        TokenKind::Comment => (SemanticTokenType::COMMENT, false),
        TokenKind::Type => (SemanticTokenType::TYPE, false),
        TokenKind::Name(name) => match name {
            SymbolKind::Enum => (SemanticTokenType::ENUM, false),
            SymbolKind::EnumConstant | SymbolKind::Channel => (SemanticTokenType::ENUM_MEMBER, true),
            SymbolKind::Agent => (SemanticTokenType::CLASS, false),
            SymbolKind::Guard | SymbolKind::Label => (SemanticTokenType::FUNCTION, false),
            SymbolKind::Parameter | SymbolKind::Variable => (SemanticTokenType::PARAMETER, false),
            SymbolKind::Message | SymbolKind::Property => (SemanticTokenType::PROPERTY, false),
            SymbolKind::Local => (SemanticTokenType::VARIABLE, false),
            SymbolKind::Constant | SymbolKind::Instance => (SemanticTokenType::VARIABLE, true),
        },
    };
    let number = TOKEN_TYPES.iter().position(|other| *other == kind);
    (number.expect("all kinds are listed") as u32, is_constant)
}

/// The pieces of a span on each of its lines, without what ends the lines.
fn lines(source: &SourceFile, span: Span) -> Vec<Span> {
    let first = source.line_column(span.start).line - 1;
    let pieces = (first..source.lines())
        .map(|line| source.line(line))
        .take_while(|line| line.start < span.end.max(span.start + 1));
    let cut = pieces.map(|line| {
        let piece = Span { start: line.start.max(span.start), end: line.end.min(span.end) };
        let text = source.slice(piece).trim_end_matches(['\r', '\n']);
        Span { end: piece.start + text.len() as u32, ..piece }
    });
    cut.filter(|piece| piece.start < piece.end).collect()
}

/// The inlay hints in a part of a text.
pub fn inlay_hints(document: &Document, params: InlayHintParams) -> Option<Vec<InlayHint>> {
    let source = document.source();
    let place = span(source, params.range);
    let inside = |offset: u32| place.start <= offset && offset <= place.end;
    let mut shown: Vec<InlayHint> = Vec::new();
    let hints = document.analysis().map(hints::hints).unwrap_or_default();
    for hint in hints.into_iter().filter(|hint| inside(hint.offset)) {
        shown.push(inlay_hint(source, hint.offset, hint.text, hint.tooltip));
    }
    if let Some(stepping) = &document.stepping {
        for (offset, words) in stepping.changes.iter().filter(|(offset, _)| inside(*offset)) {
            shown.push(inlay_hint(source, *offset, format!("  {words}"), format!("in step {}", stepping.position)));
        }
    }
    Some(shown)
}

fn inlay_hint(source: &SourceFile, offset: u32, text: String, tooltip: String) -> InlayHint {
    InlayHint {
        position: position(source, offset),
        label: InlayHintLabel::String(text),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::String(tooltip)),
        padding_left: None,
        padding_right: None,
        data: None,
    }
}

/// Fixes for what is wrong in a part of a text.
pub fn code_actions(document: &Document, params: CodeActionParams) -> Option<CodeActionResponse> {
    let place = span(document.source(), params.range);
    let touches = |finding: Span| finding.start <= place.end && place.start <= finding.end;
    let mut actions = Vec::new();
    for finding in document.findings().filter(|finding| touches(finding.span)) {
        let diagnostic = document.diagnostic_of(finding);
        for (number, fix) in finding.fixes.iter().enumerate() {
            let action = CodeAction {
                title: fix.title.clone(),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![diagnostic.clone()]),
                edit: Some(workspace_edit(document, &fix.edits)),
                is_preferred: Some(number == 0),
                ..CodeAction::default()
            };
            actions.push(action.into());
        }
    }
    Some(actions)
}

/// The changes that format a text, or a part of it; none if it has syntax errors. Formatting makes a file one of the modern
/// dialect, so that parts of classic files stay as they are.
pub fn formatting(document: &Document, part: Option<Range>) -> Option<Vec<TextEdit>> {
    let analysis = document.analysis().filter(|analysis| analysis.is_whole())?;
    if part.is_some() && analysis.parsed.model.dialect == Dialect::Classic {
        return None;
    }
    let source = document.source();
    let old: Vec<&str> = source.text().split_inclusive('\n').collect();
    let (mut text, ends) = (pretty::format(source, &analysis.parsed), old.iter().filter(|line| line.ends_with("\r\n")));
    if 2 * ends.count() > old.len() {
        text = text.replace('\n', "\r\n");
    }
    let new: Vec<&str> = text.split_inclusive('\n').collect();
    let starts = old.iter().scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())));
    let starts: Vec<usize> = starts.chain([source.text().len()]).collect();
    let part = part.map(|part| whole_lines(source, span(source, part)));
    let edits = changes(&old, &new)
        .into_iter()
        .map(|(from, to)| Edit { span: Span::new(starts[from.start], starts[from.end]), text: new[to].concat() });
    let is_last = |part: Span| part.end as usize == source.text().len();
    let touches = |edit: &Edit, part: Span| {
        let Span { start, end } = edit.span;
        (start < part.end || is_last(part)) && (part.start < end || start == end && part.start <= end)
    };
    let edits = edits.filter(|edit| part.is_none_or(|part| touches(edit, part)));
    Some(edits.map(|edit| text_edit(source, &edit)).collect())
}

/// The lines that a span has a part of.
fn whole_lines(source: &SourceFile, span: Span) -> Span {
    let line = |offset: u32| source.line(source.line_column(offset).line - 1);
    let last = line(span.end);
    let ends_there = last.start == span.end && span.start < span.end;
    Span { start: line(span.start).start, end: if ends_there { span.end } else { last.end } }
}

/// Which lines to put in place of which: lines that differ in white space only are exchanged one by one, so that a part of a text
/// can be formatted.
fn changes(old: &[&str], new: &[&str]) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let dense = |line: &&str| line.split_whitespace().collect::<String>();
    let (before, after): (Vec<String>, Vec<String>) =
        (old.iter().map(dense).collect(), new.iter().map(dense).collect());
    let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &before, &after);
    let mut changes = Vec::new();
    for op in ops {
        match op.tag() {
            similar::DiffTag::Equal => {
                let pairs = op.old_range().zip(op.new_range()).filter(|(from, to)| old[*from] != new[*to]);
                changes.extend(pairs.map(|(from, to)| (from..from + 1, to..to + 1)));
            }
            _ => changes.push((op.old_range(), op.new_range())),
        }
    }
    changes
}
