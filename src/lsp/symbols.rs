//! Symbols of a text and of a workspace, as the protocol has them.

use super::documents::{Document, path, uri_of};
use super::position::range;
use super::verifier::Verifier;
use crate::ide::Analysis;
use crate::ide::index::SymbolKind as Name;
use crate::ide::outline::{OutlineItem, OutlineKind, symbols};
use crate::language::Language;
use crate::source::SourceFile;
use crate::syntax::ast::Constants;
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolInformation, SymbolKind, Uri,
    WorkspaceSymbolResponse,
};
use std::path::PathBuf;

/// The number of symbols of a workspace that are listed.
const MOST: usize = 500;

/// The number of files of a workspace that are read for them, and none that is larger.
const MOST_FILES: usize = 500;
const LARGEST_FILE: u64 = 1 << 20;

/// The symbols of a text.
pub fn document_symbols(document: &Document, _: DocumentSymbolParams) -> Option<DocumentSymbolResponse> {
    let nodes = document.analysis().map(symbols).unwrap_or_default().into_iter();
    Some(nodes.map(|node| document_symbol(document.source(), node)).collect::<Vec<_>>().into())
}

#[allow(deprecated)] // The protocol still has the field.
fn document_symbol(source: &SourceFile, node: OutlineItem) -> DocumentSymbol {
    let children: Vec<_> = node.children.into_iter().map(|child| document_symbol(source, child)).collect();
    DocumentSymbol {
        name: if node.name.is_empty() { "?".to_owned() } else { node.name },
        detail: Some(node.detail).filter(|detail| !detail.is_empty()),
        kind: kind(node.kind),
        tags: None,
        deprecated: None,
        range: range(source, node.whole.to(node.span)),
        selection_range: range(source, node.span),
        children: Some(children).filter(|list| !list.is_empty()),
    }
}

fn kind(kind: OutlineKind) -> SymbolKind {
    match kind {
        OutlineKind::Formula => SymbolKind::PROPERTY,
        OutlineKind::Name(name) => match name {
            Name::Enum => SymbolKind::ENUM,
            Name::EnumConstant | Name::Channel => SymbolKind::ENUM_MEMBER,
            Name::Message | Name::Property | Name::Local | Name::Parameter | Name::Variable => SymbolKind::VARIABLE,
            Name::Constant => SymbolKind::CONSTANT,
            Name::Guard => SymbolKind::FUNCTION,
            Name::Agent => SymbolKind::CLASS,
            Name::Label => SymbolKind::METHOD,
            Name::Instance => SymbolKind::OBJECT,
        },
    }
}

/// The symbols whose names contain a text, of all open texts and of the models in the folders.
pub fn workspace_symbols(
    open: &[&Document],
    folders: &[PathBuf],
    verifier: &dyn Verifier,
    query: &str,
) -> WorkspaceSymbolResponse {
    let (query, mut found, mut seen) = (query.to_lowercase(), Vec::new(), Vec::new());
    for document in open {
        seen.extend(path(&document.uri));
        if let Some(analysis) = document.analysis() {
            collect(analysis, &document.uri, &query, &mut found);
        }
    }
    let models = folders.iter().flat_map(|folder| verifier.models(folder)).filter(|path| !seen.contains(path));
    for path in models.take(MOST_FILES) {
        let is_small = std::fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= LARGEST_FILE);
        let text = is_small.then(|| std::fs::read_to_string(&path).ok()).flatten();
        let text = text.filter(|text| Language::of(&path, text) == Language::Rcp);
        if let (Some(text), Some(uri)) = (text, uri_of(&path)) {
            let analysis = Analysis::new(SourceFile::new("", text), None, &Constants::new());
            collect(&analysis, &uri, &query, &mut found);
        }
    }
    found.truncate(MOST);
    WorkspaceSymbolResponse::Flat(found)
}

#[allow(deprecated)] // The protocol still has the field.
fn collect(analysis: &Analysis, uri: &Uri, query: &str, found: &mut Vec<SymbolInformation>) {
    let mut pending: Vec<(OutlineItem, Option<String>)> =
        symbols(analysis).into_iter().map(|node| (node, None)).collect();
    while let Some((node, container)) = pending.pop() {
        let name = node.name.clone();
        pending.extend(node.children.into_iter().map(|child| (child, Some(name.clone()))));
        if node.name.to_lowercase().contains(query) {
            found.push(SymbolInformation {
                name: node.name,
                kind: kind(node.kind),
                tags: None,
                deprecated: None,
                location: Location { uri: uri.clone(), range: range(&analysis.source, node.span) },
                container_name: container,
            });
        }
    }
}
