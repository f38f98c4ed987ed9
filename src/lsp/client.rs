//! The abilities of a client, as its first request says them.

use lsp_types::InitializeParams;
use serde::Deserialize;

/// The abilities of a client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Client {
    /// Those that only clients of this server have.
    pub own: OwnAbilities,
    /// It shows how far work is.
    pub shows_progress: bool,
    /// It takes snippets.
    pub takes_snippets: bool,
    /// It asks for code lenses again when it is told to.
    pub refreshes_lenses: bool,
    /// So it does for inlay hints.
    pub refreshes_hints: bool,
}

/// The abilities that only clients of this server have, from their `initializationOptions`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct OwnAbilities {
    /// It has the command `rcheck-smt.show`, which shows a verdict with its evidence.
    pub shows_verdicts: bool,
    /// It draws `$(sync~spin)` in a title.
    pub codicons: bool,
}

impl Client {
    /// The client that asks like this.
    pub fn new(params: &InitializeParams) -> Client {
        let (window, workspace) = (params.capabilities.window.as_ref(), params.capabilities.workspace.as_ref());
        let completion = params.capabilities.text_document.as_ref().and_then(|it| it.completion.as_ref());
        let own = params.initialization_options.clone().and_then(|it| serde_json::from_value(it).ok());
        Client {
            own: own.unwrap_or_default(),
            takes_snippets: completion.and_then(|it| it.completion_item.as_ref()?.snippet_support).unwrap_or_default(),
            shows_progress: window.and_then(|it| it.work_done_progress).unwrap_or_default(),
            refreshes_lenses: workspace.and_then(|it| it.code_lens.as_ref()?.refresh_support).unwrap_or_default(),
            refreshes_hints: workspace.and_then(|it| it.inlay_hint.as_ref()?.refresh_support).unwrap_or_default(),
        }
    }
}
