//! The state of a server: the texts that are open, the questions that are asked, and the client that it talks to.

use super::client::Client;
use super::documents::{Document, Reading, path};
use super::jobs::{CloserLook, Job, RequestGroup};
use super::messages::{Failure, response};
use super::verifier::Verifier;
use crate::model::Model;
use crossbeam_channel::Sender;
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use lsp_types::notification::{self, PublishDiagnostics};
use lsp_types::request::{self, CodeLensRefresh, InlayHintRefreshRequest};
use lsp_types::{InitializeParams, PublishDiagnosticsParams, Uri};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// The state of a server.
pub struct Server<'s> {
    connection: &'s Connection,
    looks: Sender<CloserLook>,
    /// The client that it talks to.
    pub client: Client,
    /// The solver.
    pub verifier: &'s dyn Verifier,
    /// The queue of the solver.
    pub jobs: Sender<Job>,
    /// The texts that are open, by their addresses.
    pub documents: HashMap<String, Document>,
    /// The folders that the client works in.
    pub folders: Vec<PathBuf>,
    /// The requests whose questions are asked.
    pub groups: Vec<RequestGroup>,
    /// How many messages and jobs had a number.
    count: u64,
}

impl<'s> Server<'s> {
    /// A server for the client that asks like this.
    #[allow(deprecated)] // Some clients send nothing but a root.
    pub fn new(
        connection: &'s Connection,
        verifier: &'s dyn Verifier,
        params: &InitializeParams,
        jobs: Sender<Job>,
        looks: Sender<CloserLook>,
    ) -> Server<'s> {
        let folders = params.workspace_folders.iter().flatten().map(|folder| &folder.uri).chain(&params.root_uri);
        let mut folders: Vec<PathBuf> = folders.filter_map(path).collect();
        folders.dedup();
        let (documents, groups) = (HashMap::new(), Vec::new());
        Server { connection, looks, client: Client::new(params), verifier, jobs, documents, folders, groups, count: 0 }
    }

    /// A number that nothing else has.
    pub fn number(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    /// The text with this address, if it is open.
    pub fn document(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri.as_str())
    }

    /// The text with this address, and its model.
    ///
    /// # Errors
    /// It is not open, or has no model.
    pub fn with_model(&self, uri: &str) -> Result<(&Document, &Model), Failure> {
        let document = self.documents.get(uri).ok_or_else(|| format!("{uri} is not open"))?;
        match (document.model(), document.reading()) {
            (Some(model), _) => Ok((document, model)),
            (None, Some(Reading::Clauses(_))) => {
                Err("clauses are verified on the command line: `rcheck-smt prove` takes the file".into())
            }
            (None, Some(Reading::Ours(_) | Reading::Ispl(..)) | None) => {
                Err("the model has errors: correct them first".into())
            }
        }
    }

    /// Sends the client a message.
    pub fn send(&self, message: impl Into<Message>) {
        // A client that has left hears nothing any more; the loop ends by itself.
        let _ = self.connection.sender.send(message.into());
    }

    /// Tells the client something.
    pub fn notify<N: notification::Notification>(&self, params: N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    /// Asks the client for something whose answer does not matter.
    pub fn ask<R: request::Request>(&mut self, params: R::Params) {
        let id = RequestId::from(format!("rcheck-smt-{}", self.number()));
        self.send(Request::new(id, R::METHOD.to_owned(), params));
    }

    /// Refuses a request.
    pub fn fail(&self, id: RequestId, failure: Failure) {
        self.send(response(id, Err(failure)));
    }

    /// Has the code lenses asked for again.
    pub fn refresh_lenses(&mut self) {
        if self.client.refreshes_lenses {
            self.ask::<CodeLensRefresh>(());
        }
    }

    /// Has the inlay hints asked for again.
    pub fn refresh_hints(&mut self) {
        if self.client.refreshes_hints {
            self.ask::<InlayHintRefreshRequest>(());
        }
    }

    /// Tells the client what is wrong with the texts that changed, and drops what their change makes pointless.
    pub fn publish(&mut self) {
        let is_news = |it: &mut Document| std::mem::take(&mut it.is_news);
        let news = self.documents.iter_mut().filter_map(|(uri, it)| is_news(it).then(|| uri.clone()));
        let news: Vec<String> = news.collect();
        news.iter().for_each(|uri| self.publish_one(uri));
    }

    fn publish_one(&self, uri: &str) {
        let Some(document) = self.documents.get(uri) else { return };
        let diagnostics = catch_unwind(AssertUnwindSafe(|| document.diagnostics())).unwrap_or_default();
        let version = document.version;
        self.notify::<PublishDiagnostics>(PublishDiagnosticsParams {
            uri: document.uri.clone(),
            diagnostics,
            version: Some(version),
        });
        self.cancel_jobs(uri, |job| document.subject(&job.asked).is_none());
        if document.model().is_some() && document.looked.is_empty() {
            let (name, text) = (document.source().name().to_owned(), document.source().text().to_owned());
            let _ = self.looks.send(CloserLook { uri: uri.to_owned(), version, name, text });
        }
    }

    /// The questions about a text that are asked.
    pub fn asked(&self, uri: &str) -> impl Iterator<Item = &Job> {
        self.groups.iter().filter(move |group| group.uri == uri).flat_map(|group| &group.jobs)
    }

    /// Cancels questions about a text.
    pub fn cancel_jobs(&self, uri: &str, choose: impl Fn(&Job) -> bool) {
        self.asked(uri).filter(|job| choose(job)).for_each(|job| job.cancel.set());
    }

    /// Cancels all questions of some requests.
    pub fn cancel_groups(&mut self, choose: impl Fn(&RequestGroup) -> bool) {
        self.groups.iter_mut().filter(|group| choose(group)).for_each(RequestGroup::cancel);
    }
}
