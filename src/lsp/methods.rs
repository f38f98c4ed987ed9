//! All requests and notifications: how each is answered, and which ability of the server announces it.

use super::commands::{COMMANDS, execute};
use super::dispatch::Methods;
use super::documents::Document;
use super::messages::Failure;
use super::state::Server;
use super::{features, lenses, symbols};
use lsp_server::RequestId;
use lsp_types::notification::*;
use lsp_types::request::*;
use lsp_types::*;

/// All requests and notifications.
pub fn methods() -> Methods {
    let methods = Methods::new(ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            ..TextDocumentSyncOptions::default()
        })),
        ..ServerCapabilities::default()
    });
    methods
        .notified::<DidOpenTextDocument>(did_open)
        .notified::<DidChangeTextDocument>(did_change)
        .notified::<DidCloseTextDocument>(did_close)
        .notified::<Cancel>(cancel)
        .notified::<WorkDoneProgressCancel>(cancel_work)
        .on_text::<HoverRequest>(features::hover, |it| it.hover_provider = Some(true.into()))
        .on_text::<GotoDefinition>(features::definition, |it| it.definition_provider = yes())
        .on_text::<References>(features::references, |it| it.references_provider = yes())
        .on_text::<DocumentHighlightRequest>(features::highlights, |it| it.document_highlight_provider = yes())
        .on::<PrepareRenameRequest>(prepare_rename, |it| {
            it.rename_provider = Some(OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            }));
        })
        .on::<Rename>(rename, |it| {
            it.rename_provider.get_or_insert(OneOf::Left(true));
        })
        .on::<Completion>(completion, |it| {
            let trigger_characters = characters(&["-", "@", ":", "(", "[", "{", "="]);
            it.completion_provider = Some(CompletionOptions { trigger_characters, ..CompletionOptions::default() });
        })
        .on_text::<SignatureHelpRequest>(features::signature_help, |it| {
            let trigger_characters = characters(&["(", ","]);
            it.signature_help_provider =
                Some(SignatureHelpOptions { trigger_characters, ..SignatureHelpOptions::default() });
        })
        .on_text::<DocumentSymbolRequest>(symbols::document_symbols, |it| it.document_symbol_provider = yes())
        .on::<WorkspaceSymbolRequest>(workspace_symbols, |it| it.workspace_symbol_provider = yes())
        .on_text::<FoldingRangeRequest>(features::folding_ranges, |it| it.folding_range_provider = Some(true.into()))
        .on_text::<SelectionRangeRequest>(features::selection_ranges, |it| {
            it.selection_range_provider = Some(true.into());
        })
        .on_text::<Formatting>(|it, _| features::formatting(it, None), |it| it.document_formatting_provider = yes())
        .on_text::<RangeFormatting>(
            |document, params| features::formatting(document, Some(params.range)),
            |it| it.document_range_formatting_provider = yes(),
        )
        .on_text::<CodeActionRequest>(features::code_actions, |it| {
            let kinds = Some(vec![CodeActionKind::QUICKFIX]);
            let options = CodeActionOptions { code_action_kinds: kinds, ..CodeActionOptions::default() };
            it.code_action_provider = Some(CodeActionProviderCapability::Options(options));
        })
        .on::<CodeLensRequest>(code_lenses, |it| {
            it.code_lens_provider = Some(CodeLensOptions { resolve_provider: None });
        })
        .on_text::<InlayHintRequest>(features::inlay_hints, |it| it.inlay_hint_provider = yes())
        .on_text::<SemanticTokensFullRequest>(
            |document, _| Some(features::semantic_tokens(document, None)?.into()),
            |it| semantic_tokens(it).full = Some(SemanticTokensFullOptions::Bool(true)),
        )
        .on_text::<SemanticTokensRangeRequest>(
            |document, params| Some(features::semantic_tokens(document, Some(params.range))?.into()),
            |it| semantic_tokens(it).range = Some(true),
        )
        .later::<ExecuteCommand>(execute, |it| {
            let commands = COMMANDS.iter().map(|(name, _)| (*name).to_owned()).collect();
            let progress = WorkDoneProgressOptions { work_done_progress: Some(true) };
            it.execute_command_provider =
                Some(ExecuteCommandOptions { commands, work_done_progress_options: progress });
        })
}

/// An ability without options.
fn yes<O>() -> Option<OneOf<bool, O>> {
    Some(OneOf::Left(true))
}

fn characters(characters: &[&str]) -> Option<Vec<String>> {
    Some(characters.iter().map(|it| (*it).to_owned()).collect())
}

/// The announcement of colours, to be completed.
fn semantic_tokens(capabilities: &mut ServerCapabilities) -> &mut SemanticTokensOptions {
    let legend = SemanticTokensLegend {
        token_types: features::TOKEN_TYPES.to_vec(),
        token_modifiers: features::TOKEN_MODIFIERS.to_vec(),
    };
    let provider = capabilities
        .semantic_tokens_provider
        .get_or_insert_with(|| SemanticTokensOptions { legend, ..SemanticTokensOptions::default() }.into());
    match provider {
        SemanticTokensServerCapabilities::SemanticTokensOptions(options) => options,
        SemanticTokensServerCapabilities::SemanticTokensRegistrationOptions(other) => {
            &mut other.semantic_tokens_options
        }
    }
}

fn prepare_rename(server: &Server, at: TextDocumentPositionParams) -> Result<Option<PrepareRenameResponse>, Failure> {
    let document = server.document(&at.text_document.uri);
    document.map_or(Ok(None), |document| features::prepare_rename(document, at.position))
}

fn rename(server: &Server, params: RenameParams) -> Result<Option<WorkspaceEdit>, Failure> {
    let RenameParams { text_document_position: at, new_name, .. } = params;
    let document = server.document(&at.text_document.uri);
    document.map_or(Ok(None), |document| features::renamed(document, at.position, &new_name))
}

fn completion(server: &Server, params: CompletionParams) -> Result<Option<CompletionResponse>, Failure> {
    let at = params.text_document_position;
    let document = server.document(&at.text_document.uri);
    Ok(document.and_then(|document| features::completion(document, at.position, server.client.takes_snippets)))
}

fn code_lenses(server: &Server, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>, Failure> {
    let document = server.document(&params.text_document.uri);
    let asked: Vec<_> = server.asked(params.text_document.uri.as_str()).map(|job| &job.asked.key).collect();
    Ok(document.map(|document| lenses::lenses(document, server.client.own, &asked)))
}

fn workspace_symbols(
    server: &Server,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, Failure> {
    let open: Vec<&Document> = server.documents.values().collect();
    Ok(Some(symbols::workspace_symbols(&open, &server.folders, server.verifier, &params.query)))
}

fn did_open(server: &mut Server, params: DidOpenTextDocumentParams) {
    let TextDocumentItem { uri, version, text, .. } = params.text_document;
    server.documents.insert(uri.as_str().to_owned(), Document::new(uri, version, text));
}

fn did_change(server: &mut Server, params: DidChangeTextDocumentParams) {
    if let Some(document) = server.documents.get_mut(params.text_document.uri.as_str()) {
        document.change(params.text_document.version, params.content_changes);
    }
}

fn did_close(server: &mut Server, params: DidCloseTextDocumentParams) {
    let uri = params.text_document.uri;
    server.cancel_jobs(uri.as_str(), |_| true);
    server.documents.remove(uri.as_str());
    server.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None });
}

fn cancel(server: &mut Server, params: CancelParams) {
    let request = id_of(params);
    server.cancel_groups(|group| group.request == request);
}

/// The request that is cancelled.
pub fn id_of(CancelParams { id }: CancelParams) -> RequestId {
    match id {
        NumberOrString::Number(number) => number.into(),
        NumberOrString::String(text) => text.into(),
    }
}

fn cancel_work(server: &mut Server, params: WorkDoneProgressCancelParams) {
    server.cancel_groups(|group| group.token.as_ref() == Some(&params.token));
}
