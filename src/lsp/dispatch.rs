//! The requests and notifications that a server takes, each with the type that the protocol has for it and with the function that
//! answers it. What the server announces is said where that function is named, so that the two cannot disagree.

use super::documents::Document;
use super::messages::{Failure, Handled, done, typed};
use super::state::Server;
use lsp_server::{ErrorCode, RequestId};
use lsp_types::notification::Notification;
use lsp_types::request::Request;
use lsp_types::{ServerCapabilities, TextDocumentIdentifier};
use serde_json::Value;
use std::collections::HashMap;

type RequestHandler = Box<dyn Fn(&mut Server, &RequestId, Value) -> Handled>;
type NotificationHandler = Box<dyn Fn(&mut Server, Value)>;

/// The methods that a server has.
pub struct Methods {
    requests: HashMap<&'static str, RequestHandler>,
    notifications: HashMap<&'static str, NotificationHandler>,
    /// The abilities that the server announces.
    pub capabilities: ServerCapabilities,
}

impl Methods {
    /// Makes a table without methods.
    pub fn new(capabilities: ServerCapabilities) -> Methods {
        Methods { requests: HashMap::new(), notifications: HashMap::new(), capabilities }
    }

    /// Adds a request that may be answered later.
    pub fn later<R: Request + 'static>(
        mut self,
        answer: impl Fn(&mut Server, &RequestId, R::Params) -> Handled + 'static,
        announce: impl FnOnce(&mut ServerCapabilities),
    ) -> Methods {
        let handler = move |server: &mut Server, id: &RequestId, value| answer(server, id, typed(value)?);
        self.requests.insert(R::METHOD, Box::new(handler));
        announce(&mut self.capabilities);
        self
    }

    /// Adds a request that is answered at once.
    pub fn on<R: Request + 'static>(
        self,
        answer: fn(&Server, R::Params) -> Result<R::Result, Failure>,
        announce: impl FnOnce(&mut ServerCapabilities),
    ) -> Methods {
        self.later::<R>(move |server, _, params| done(answer(server, params)?), announce)
    }

    /// Adds a request about a text; of texts that are not open nothing is known.
    pub fn on_text<R: Request<Result: Default> + 'static>(
        mut self,
        answer: fn(&Document, R::Params) -> R::Result,
        announce: impl FnOnce(&mut ServerCapabilities),
    ) -> Methods {
        let handler = move |server: &mut Server, _: &RequestId, value: Value| {
            let text = value.get("textDocument").cloned().unwrap_or_default();
            let params = typed(value)?;
            let text: TextDocumentIdentifier = typed(text)?;
            done(server.document(&text.uri).map(|document| answer(document, params)).unwrap_or_default())
        };
        self.requests.insert(R::METHOD, Box::new(handler));
        announce(&mut self.capabilities);
        self
    }

    /// Adds a notification. Parameters that cannot be read change nothing: no response could say so.
    pub fn notified<N: Notification + 'static>(mut self, take: fn(&mut Server, N::Params)) -> Methods {
        let handler = move |server: &mut Server, value| {
            if let Ok(params) = typed(value) {
                take(server, params);
            }
        };
        self.notifications.insert(N::METHOD, Box::new(handler));
        self
    }

    /// Answers a request.
    ///
    /// # Errors
    /// The reason why it has no result.
    pub fn answer(&self, server: &mut Server, id: &RequestId, method: &str, params: Value) -> Handled {
        match self.requests.get(method) {
            Some(answer) => answer(server, id, params),
            None => Err(Failure::new(ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
        }
    }

    /// Takes a notification.
    pub fn take(&self, server: &mut Server, method: &str, params: Value) {
        if let Some(take) = self.notifications.get(method) {
            take(server, params);
        }
    }
}
