//! Messages in, messages out.

use super::commands::{Argument, COMMANDS, name_of};
use super::documents::{Document, Reading};
use super::jobs::{Cancel, Job, work};
use super::space::Space;
use super::verdicts::{CurrentAnswer, Key, PendingQuestion};
use super::{Question, Remark, Subject, Verifier, features, lenses, space, steps, symbols};
use crate::limits::{Budget, Stop, within};
use crate::report::graph::{Graph, drawing};
use crate::report::record::{Record, Verdict};
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

/// A request that takes longer is given up.
const LONGEST_REQUEST: Duration = Duration::from_secs(20);

/// How many steps a counterexample may have by default.
const BOUND: usize = 20;

/// Expressions may be nested deeply, and passes recurse.
const STACK_BYTES: usize = 64 << 20;

/// An event from other threads.
pub enum Event {
    /// A closer look at a text is done.
    Looked {
        /// The text.
        uri: String,
        /// Its version.
        version: i32,
        /// The findings.
        remarks: Vec<Remark>,
    },
    /// A job goes on.
    Progress {
        /// Its number.
        id: u64,
        /// How far it is.
        words: String,
    },
    /// A job is done.
    Answered {
        /// Its number.
        id: u64,
        /// The answers; none if they were not wanted any more.
        records: Vec<Record>,
    },
}

/// A text to look at more closely.
struct Look {
    uri: String,
    version: i32,
    name: String,
    text: String,
}

/// Why a request has no result.
struct Failure {
    code: ErrorCode,
    message: String,
}

impl Failure {
    fn new(code: ErrorCode, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into() }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::new(ErrorCode::RequestFailed, message)
    }
}

/// A request, and what the client calls the work that it makes.
type Asking<'r> = (&'r RequestId, Option<ProgressToken>);

/// A result, or nothing if it comes later.
type Handled = Result<Option<Value>, Failure>;

/// How a client left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It asked to shut down before.
    Orderly,
    /// It said so, but had not asked to shut down.
    Abrupt,
    /// It says nothing any more.
    Gone,
}

/// The abilities of a client, from its `initializationOptions`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Client {
    /// It has the command `rcheck-smt.show`, which shows a verdict with its evidence.
    pub shows_verdicts: bool,
    /// It draws `$(sync~spin)` in a title.
    pub codicons: bool,
}

/// Answers a client until it leaves.
pub fn serve(connection: &Connection, verifier: &dyn Verifier) -> End {
    let params = match begin(connection) {
        Ok(params) => params,
        Err(end) => return end,
    };
    let (jobs, queue) = unbounded();
    let (looks, looked) = unbounded::<Look>();
    let (tell, events) = unbounded();
    thread::scope(|scope| {
        for place in 0..verifier.places() {
            let (queue, tell) = (queue.clone(), tell.clone());
            start(scope, move || work(place, verifier, &queue, &tell));
        }
        let heard = tell.clone();
        start(scope, move || look(verifier, &looked, &heard));
        let mut server = Server::new(connection, verifier, &params, jobs, looks);
        let end = server.run(&events);
        server.cancel_groups(|_| true);
        end
    })
}

/// Waits for the first request, and answers it: what the client is, or how it left before.
fn begin(connection: &Connection) -> Result<InitializeParams, End> {
    for message in &connection.receiver {
        match message {
            Message::Request(Request { id, method, params }) => {
                let is_first = method == "initialize";
                let answer = if is_first {
                    let information = json!({"name": "rcheck-smt", "version": env!("CARGO_PKG_VERSION")});
                    Response::new_ok(id, json!({"capabilities": capabilities(), "serverInfo": information}))
                } else {
                    Response::new_err(id, ErrorCode::ServerNotInitialized as i32, "`initialize` comes first".to_owned())
                };
                // A client that has left hears nothing any more; its messages end.
                let _ = connection.sender.send(answer.into());
                if is_first {
                    return Ok(serde_json::from_value(params).unwrap_or_default());
                }
            }
            Message::Notification(notification) if notification.method == "exit" => return Err(End::Abrupt),
            Message::Notification(_) | Message::Response(_) => {}
        }
    }
    Err(End::Gone)
}

/// Starts a thread with room for deep expressions; without it, what it does is not done.
fn start<'scope>(scope: &'scope thread::Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) {
    let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
}

/// Looks at texts more closely, of each at the newest version only.
fn look(verifier: &dyn Verifier, wanted: &Receiver<Look>, tell: &Sender<Event>) {
    while let Ok(first) = wanted.recv() {
        let mut newest = vec![first];
        for look in wanted.try_iter() {
            newest.retain(|other| other.uri != look.uri);
            newest.push(look);
        }
        for Look { uri, version, name, text } in newest {
            let remarks = verifier.look(&name, &text);
            let _ = tell.send(Event::Looked { uri, version, remarks });
        }
    }
}

/// The abilities of the server.
fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": {"openClose": true, "change": 2},
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "renameProvider": {"prepareProvider": true},
        "completionProvider": {"triggerCharacters": ["-", "@", ":", "(", "[", "{", "="]},
        "signatureHelpProvider": {"triggerCharacters": ["(", ","]},
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "codeActionProvider": {"codeActionKinds": ["quickfix"]},
        "codeLensProvider": {},
        "inlayHintProvider": true,
        "semanticTokensProvider": {
            "legend": {"tokenTypes": features::TOKEN_TYPES, "tokenModifiers": features::TOKEN_MODIFIERS},
            "full": true,
            "range": true,
        },
        "executeCommandProvider": {"commands": COMMANDS, "workDoneProgress": true},
    })
}

/// A question that is not answered yet.
struct Pending {
    job: Job,
    asked: PendingQuestion,
}

/// Questions that were asked by one request.
struct RequestGroup {
    request: RequestId,
    uri: String,
    /// The client's name for the work, if it wants to hear how far it is.
    token: Option<ProgressToken>,
    all: usize,
    /// Those that are not answered yet.
    jobs: HashMap<u64, Pending>,
    /// The answers, in the order in which they came.
    answers: Vec<(Pending, Vec<Record>)>,
    is_cancelled: bool,
}

struct Server<'s> {
    connection: &'s Connection,
    verifier: &'s dyn Verifier,
    jobs: Sender<Job>,
    looks: Sender<Look>,
    documents: HashMap<String, Document>,
    folders: Vec<PathBuf>,
    groups: Vec<RequestGroup>,
    /// How many messages and jobs had a number.
    count: u64,
    client: Client,
    shows_progress: bool,
    takes_snippets: bool,
    refreshes_lenses: bool,
    refreshes_hints: bool,
}

impl<'s> Server<'s> {
    #[allow(deprecated)] // Some clients send nothing but a root.
    fn new(
        connection: &'s Connection,
        verifier: &'s dyn Verifier,
        params: &InitializeParams,
        jobs: Sender<Job>,
        looks: Sender<Look>,
    ) -> Server<'s> {
        let folders = params.workspace_folders.iter().flatten().map(|folder| &folder.uri).chain(&params.root_uri);
        let mut folders: Vec<PathBuf> = folders.filter_map(super::documents::path).collect();
        folders.dedup();
        let (window, workspace) = (params.capabilities.window.as_ref(), params.capabilities.workspace.as_ref());
        let completion = params.capabilities.text_document.as_ref().and_then(|it| it.completion.as_ref());
        let client = params.initialization_options.clone().and_then(|it| serde_json::from_value(it).ok());
        Server {
            connection,
            verifier,
            jobs,
            looks,
            documents: HashMap::new(),
            folders,
            groups: Vec::new(),
            count: 0,
            client: client.unwrap_or_default(),
            takes_snippets: completion.and_then(|it| it.completion_item.as_ref()?.snippet_support).unwrap_or_default(),
            shows_progress: window.and_then(|it| it.work_done_progress).unwrap_or_default(),
            refreshes_lenses: workspace.and_then(|it| it.code_lens.as_ref()?.refresh_support).unwrap_or_default(),
            refreshes_hints: workspace.and_then(|it| it.inlay_hint.as_ref()?.refresh_support).unwrap_or_default(),
        }
    }

    fn run(&mut self, events: &Receiver<Event>) -> End {
        let (mut queue, mut is_shut) = (VecDeque::new(), false);
        loop {
            if queue.is_empty() {
                if !is_shut {
                    self.publish();
                }
                select! {
                    recv(self.connection.receiver) -> message => match message {
                        Ok(message) => queue.push_back(message),
                        Err(_) => return if is_shut { End::Orderly } else { End::Gone },
                    },
                    recv(events) -> event => event.into_iter().for_each(|event| self.event(event)),
                }
            }
            queue.extend(self.connection.receiver.try_iter());
            self.cancel_waiting(&mut queue);
            match queue.pop_front() {
                Some(Message::Request(request)) if is_shut || request.method == "initialize" => {
                    let when = if is_shut { "behind `shutdown`" } else { "a second time" };
                    let why = format!("`{}` comes {when}", request.method);
                    self.fail(request.id, Failure::new(ErrorCode::InvalidRequest, why));
                }
                Some(Message::Request(request)) if request.method == "shutdown" => {
                    is_shut = true;
                    self.cancel_groups(|_| true);
                    self.send(Response::new_ok(request.id, Value::Null));
                }
                Some(Message::Request(request)) => self.request(request),
                Some(Message::Notification(notification)) if notification.method == "exit" => {
                    return if is_shut { End::Orderly } else { End::Abrupt };
                }
                Some(Message::Notification(notification)) if !is_shut => self.notification(notification),
                Some(Message::Notification(_) | Message::Response(_)) | None => {}
            }
        }
    }

    /// Requests that were cancelled before their turn came are not begun.
    fn cancel_waiting(&mut self, queue: &mut VecDeque<Message>) {
        let cancelled: Vec<RequestId> = queue.iter().filter_map(cancelled).collect();
        queue.retain(|message| match message {
            Message::Request(request) if cancelled.contains(&request.id) => {
                self.fail(request.id.clone(), Failure::new(ErrorCode::RequestCanceled, "cancelled"));
                false
            }
            _ => true,
        });
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that has left hears nothing any more; the loop ends by itself.
        let _ = self.connection.sender.send(message.into());
    }

    fn notify(&self, method: &str, params: impl Serialize) {
        self.send(Notification::new(method.to_owned(), params));
    }

    /// Asks the client for something whose answer does not matter.
    fn ask(&mut self, method: &str, params: impl Serialize) {
        self.count += 1;
        self.send(Request::new(RequestId::from(format!("rcheck-smt-{}", self.count)), method.to_owned(), params));
    }

    fn fail(&self, id: RequestId, failure: Failure) {
        self.send(Response::new_err(id, failure.code as i32, failure.message));
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let (budget, stop) = (Budget::new(Some(LONGEST_REQUEST)), Stop::new());
        let answer = AssertUnwindSafe(|| within(budget, &stop, || self.answer(&id, &method, params)));
        let answer = match catch_unwind(answer) {
            Ok(Ok(answer)) => answer,
            Ok(Err(reason)) => Err(Failure::new(ErrorCode::ServerCancelled, format!("given up: {reason}"))),
            Err(_) => {
                let message = format!("internal error in `{method}`: please report it with the model");
                Err(Failure::new(ErrorCode::InternalError, message))
            }
        };
        match answer {
            Ok(Some(result)) => self.send(Response::new_ok(id, result)),
            Ok(None) => {}
            Err(failure) => self.fail(id, failure),
        }
    }

    fn answer(&mut self, id: &RequestId, method: &str, params: Value) -> Handled {
        match method {
            "textDocument/hover" => self.at(params, |document, place| {
                let known = |spec| document.shown(Subject::Spec(spec)).first().map(lenses::words);
                features::hover(document, place, known)
            }),
            "textDocument/definition" => self.at(params, features::definition),
            "textDocument/references" => {
                let ReferenceParams { text_document_position: at, context, .. } = read(params)?;
                let document = self.document(&at.text_document.uri);
                done(document.and_then(|it| features::references(it, at.position, context.include_declaration)))
            }
            "textDocument/documentHighlight" => self.at(params, features::highlights),
            "textDocument/prepareRename" => {
                let TextDocumentPositionParams { text_document, position } = read(params)?;
                match self.document(&text_document.uri) {
                    Some(document) => done(features::prepare_rename(document, position)?),
                    None => done(Value::Null),
                }
            }
            "textDocument/rename" => {
                let RenameParams { text_document_position: at, new_name, .. } = read(params)?;
                match self.document(&at.text_document.uri) {
                    Some(document) => done(features::renamed(document, at.position, &new_name)?),
                    None => done(Value::Null),
                }
            }
            "textDocument/completion" => {
                self.at(params, |document, place| features::completion(document, place, self.takes_snippets))
            }
            "textDocument/signatureHelp" => self.at(params, features::signature_help),
            "textDocument/documentSymbol" => self.of(params, |document| Some(symbols::document_symbols(document))),
            "workspace/symbol" => {
                let WorkspaceSymbolParams { query, .. } = read(params)?;
                done(symbols::workspace_symbols(self.documents.values(), &self.folders, self.verifier, &query))
            }
            "textDocument/foldingRange" => self.of(params, features::folding_ranges),
            "textDocument/selectionRange" => {
                let SelectionRangeParams { text_document, positions, .. } = read(params)?;
                done(self.document(&text_document.uri).and_then(|it| features::selection_ranges(it, &positions)))
            }
            "textDocument/formatting" => self.of(params, |document| features::formatting(document, None)),
            "textDocument/rangeFormatting" => self.in_part(params, |it, part| features::formatting(it, Some(part))),
            "textDocument/codeAction" => self.in_part(params, features::code_actions),
            "textDocument/codeLens" => self.of(params, |document| lenses::lenses(document, self.client)),
            "textDocument/inlayHint" => self.in_part(params, features::inlay_hints),
            "textDocument/semanticTokens/full" => self.of(params, |document| features::semantic_tokens(document, None)),
            "textDocument/semanticTokens/range" => {
                self.in_part(params, |document, part| features::semantic_tokens(document, Some(part)))
            }
            "workspace/executeCommand" => {
                let ExecuteCommandParams { command, arguments, work_done_progress_params: progress } = read(params)?;
                self.execute((id, progress.work_done_token), &command, arguments)
            }
            _ => Err(Failure::new(ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
        }
    }

    fn document(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri.as_str())
    }

    fn of<R: Serialize>(&self, params: Value, answer: impl Fn(&Document) -> Option<R>) -> Handled {
        let text: TextDocumentIdentifier = read(params.get("textDocument").cloned().unwrap_or_default())?;
        done(self.document(&text.uri).and_then(answer))
    }

    fn at<R: Serialize>(&self, params: Value, answer: impl Fn(&Document, Position) -> Option<R>) -> Handled {
        let TextDocumentPositionParams { text_document, position } = read(params)?;
        done(self.document(&text_document.uri).and_then(|document| answer(document, position)))
    }

    fn in_part<R: Serialize>(&self, params: Value, answer: impl Fn(&Document, Range) -> Option<R>) -> Handled {
        let part: Range = read(params.get("range").cloned().unwrap_or_default())?;
        self.of(params, |document| answer(document, part))
    }

    fn notification(&mut self, Notification { method, params }: Notification) {
        // Params that cannot be read change nothing; a notification has no response that could say so.
        match method.as_str() {
            "textDocument/didOpen" => {
                if let Ok(DidOpenTextDocumentParams { text_document: it }) = read(params) {
                    self.documents.insert(it.uri.as_str().to_owned(), Document::new(it.uri, it.version, it.text));
                }
            }
            "textDocument/didChange" => {
                if let Ok(DidChangeTextDocumentParams { text_document, content_changes }) = read(params)
                    && let Some(document) = self.documents.get_mut(text_document.uri.as_str())
                {
                    document.change(text_document.version, content_changes);
                }
            }
            "textDocument/didClose" => {
                if let Ok(DidCloseTextDocumentParams { text_document: it }) = read(params) {
                    self.cancel_jobs(it.uri.as_str(), |_| true);
                    self.documents.remove(it.uri.as_str());
                    let diagnostics = Vec::new();
                    let closed = PublishDiagnosticsParams { uri: it.uri, diagnostics, version: None };
                    self.notify("textDocument/publishDiagnostics", closed);
                }
            }
            "$/cancelRequest" => {
                if let Some(id) = cancelled(&Message::Notification(Notification { method, params })) {
                    self.cancel_groups(|group| group.request == id);
                }
            }
            "window/workDoneProgress/cancel" => {
                if let Ok(WorkDoneProgressCancelParams { token }) = read(params) {
                    self.cancel_groups(|group| group.token.as_ref() == Some(&token));
                }
            }
            _ => {}
        }
    }

    /// Tells the client what is wrong with the texts that changed, and drops what their change makes pointless.
    fn publish(&mut self) {
        let changed: Vec<String> =
            self.documents.values().filter(|it| it.is_news).map(|it| it.uri.as_str().to_owned()).collect();
        for uri in changed {
            let Some(document) = self.documents.get_mut(&uri) else { continue };
            document.is_news = false;
            let document = &*document;
            let diagnostics = catch_unwind(AssertUnwindSafe(|| document.diagnostics())).unwrap_or_default();
            let is_model = document.model().is_some();
            let (version, name) = (document.version, document.source().name().to_owned());
            let text = (is_model && document.remarks.is_empty()).then(|| document.source().text().to_owned());
            let said = PublishDiagnosticsParams { uri: document.uri.clone(), diagnostics, version: Some(version) };
            let asked = document.verdicts.asked.iter().filter(|(_, asked)| document.subject(asked).is_none());
            let pointless: Vec<u64> = asked.map(|(id, _)| *id).collect();
            self.notify("textDocument/publishDiagnostics", said);
            self.cancel_jobs(&uri, |id| pointless.contains(&id));
            if let Some(text) = text {
                let _ = self.looks.send(Look { uri, version, name, text });
            }
        }
    }

    fn cancel_jobs(&mut self, uri: &str, choose: impl Fn(u64) -> bool) {
        let jobs = self.groups.iter().filter(|group| group.uri == uri).flat_map(|group| &group.jobs);
        jobs.filter(|(id, _)| choose(**id)).for_each(|(_, pending)| pending.job.cancel.set());
    }

    fn cancel_groups(&mut self, choose: impl Fn(&RequestGroup) -> bool) {
        for group in self.groups.iter_mut().filter(|group| choose(group)) {
            group.is_cancelled = true;
            group.jobs.values().for_each(|pending| pending.job.cancel.set());
        }
    }

    fn execute(&mut self, request: Asking, command: &str, arguments: Vec<Value>) -> Handled {
        let argument = Argument::read(arguments).map_err(|why| Failure::new(ErrorCode::InvalidParams, why))?;
        let Some(document) = self.documents.get(&argument.uri) else {
            return Err(Failure::from(format!("{} is not open", argument.uri)));
        };
        let Some(model) = document.model() else {
            let why = match document.reading() {
                Some(Reading::Clauses(_)) => {
                    "clauses are verified on the command line: `rcheck-smt prove` takes the file"
                }
                Some(Reading::Ours(_) | Reading::Ispl(..)) | None => "the model has errors: correct them first",
            };
            return Err(Failure::from(why.to_owned()));
        };
        let specs = document.specs();
        match command {
            "rcheck-smt.prove" => self.verify(request, &argument, None, None),
            "rcheck-smt.certificate" => {
                argument.the_spec(specs)?;
                let folder = argument.folder.clone().ok_or("name the folder for the certificate".to_owned())?;
                self.verify(request, &argument, None, Some(folder))
            }
            "rcheck-smt.bmc" => self.verify(request, &argument, Some(argument.bound.unwrap_or(BOUND)), None),
            "rcheck-smt.check" => match argument.check {
                Some(_) => self.verify(request, &argument, None, None),
                None => Err(Failure::new(ErrorCode::InvalidParams, "`check` is missing")),
            },
            "rcheck-smt.cancel" => {
                let keys: Vec<Key> = argument.subjects(specs)?.into_iter().filter_map(|it| document.key(it)).collect();
                let asked = document.verdicts.asked.iter().filter(|(_, asked)| keys.contains(&asked.key));
                let asked: Vec<u64> = asked.map(|(id, _)| *id).collect();
                self.cancel_jobs(&argument.uri, |id| asked.contains(&id));
                done(Value::Null)
            }
            "rcheck-smt.results" => {
                let subjects = argument.subjects(specs)?.into_iter();
                done(subjects.flat_map(|subject| results(document, subject)).collect::<Vec<_>>())
            }
            "rcheck-smt.explain" => {
                let spec = argument.the_spec(specs)?;
                let shown = document.shown(Subject::Spec(spec));
                let shown = shown.first().ok_or("nothing is known of the spec yet: prove it first".to_owned())?;
                let Record { explanation, reason, .. } = shown.record;
                done(explanation.as_ref().or(reason.as_ref()).cloned().unwrap_or_else(|| lenses::words(shown)))
            }
            "rcheck-smt.tell" => {
                let spec = argument.the_spec(specs)?;
                let words =
                    tell(document, spec).ok_or("nothing is known of the spec yet: prove it first".to_owned())?;
                self.notify("window/showMessage", json!({"type": MessageType::INFO, "message": words}));
                done(words)
            }
            "rcheck-smt.trace" => {
                let spec = argument.the_spec(specs)?;
                let trace = trace_of(document, spec)?;
                done(steps::trace(document, spec, trace).ok_or("the trace is none of this model".to_owned())?)
            }
            "rcheck-smt.step" => {
                let spec = argument.the_spec(specs)?;
                let stepping = match argument.position {
                    Some(position) => {
                        let trace = trace_of(document, spec)?;
                        Some(
                            document
                                .step_to(spec, position, trace)
                                .ok_or("the trace is none of this model".to_owned())?,
                        )
                    }
                    None => None,
                };
                if let Some(document) = self.documents.get_mut(&argument.uri) {
                    document.stepping = stepping;
                }
                if self.refreshes_hints {
                    self.ask("workspace/inlayHint/refresh", Value::Null);
                }
                done(Value::Null)
            }
            "rcheck-smt.automata" => {
                let agents = (0..model.agents.len() as u32).map(crate::model::AgentId);
                let graphs: Vec<Graph> = agents.map(|agent| Graph::of_agent(model, agent)).collect();
                done(drawing::draw(&graphs).to_svg())
            }
            "rcheck-smt.overview" => done(space::overview(document, model)),
            "rcheck-smt.states" | "rcheck-smt.expand" | "rcheck-smt.explore" | "rcheck-smt.search" => {
                self.states(command, &argument)
            }
            _ => Err(Failure::new(ErrorCode::InvalidParams, format!("there is no command `{command}`"))),
        }
    }

    /// Answers about the states that the system can be in.
    fn states(&mut self, command: &str, argument: &Argument) -> Handled {
        let Some(document) = self.documents.get_mut(&argument.uri) else { return done(Value::Null) };
        let Argument { state, most, merged, .. } = *argument;
        // Clients keep numbers of states, in a simulator and a picture at the same time: one text has one numbering, also if
        // a request is given up.
        let space = match &document.space {
            Some(space) => space.clone(),
            None if state.is_some() => return Err(Failure::from("the text was changed: begin again".to_owned())),
            None => {
                let space = Space::new(document, self.verifier.room(), |model| self.verifier.symmetries(model))
                    .ok_or("the model has errors: correct them first".to_owned())??;
                document.space.insert(Rc::new(RefCell::new(space))).clone()
            }
        };
        let (document, mut space) = (&*document, space.borrow_mut());
        match command {
            "rcheck-smt.states" => done(space.begin(merged)),
            "rcheck-smt.expand" => done(space.expand(document, state.unwrap_or_default(), merged)?),
            "rcheck-smt.explore" => done(space.explore(state, most, merged)?),
            _ => done(space.search(document, argument.condition.as_deref().unwrap_or_default(), most, merged)?),
        }
    }

    /// Asks about specs or checks; the request is answered when all is known.
    fn verify(
        &mut self,
        (id, token): Asking,
        argument: &Argument,
        bound: Option<usize>,
        folder: Option<PathBuf>,
    ) -> Handled {
        let Some(document) = self.documents.get_mut(&argument.uri) else { return done(Value::Null) };
        let subjects = argument.subjects(document.specs())?;
        let mut jobs = HashMap::new();
        for &subject in &subjects {
            let Some(asked) = document.question(subject) else { continue };
            self.count += 1;
            let (name, text) = (document.source().name().to_owned(), document.source().text().to_owned());
            let question = Question { name, text, subject, bound, certificates: folder.clone() };
            let job = Job { id: self.count, question, cancel: Cancel::default() };
            document.verdicts.asked.insert(self.count, asked.clone());
            jobs.insert(self.count, Pending { job, asked });
        }
        if jobs.is_empty() {
            return done(Vec::<Value>::new());
        }
        let mut waiting: Vec<Job> = jobs.values().map(|pending| pending.job.clone()).collect();
        waiting.sort_by_key(|job| job.id);
        // A client that names the work waits for news of it.
        let token = token.or_else(|| {
            self.shows_progress.then(|| {
                let token = NumberOrString::String(format!("rcheck-smt-progress-{}", self.count));
                self.ask("window/workDoneProgress/create", json!({"token": token}));
                token
            })
        });
        if let Some(token) = &token {
            let title = match subjects[..] {
                [Subject::Spec(spec)] => format!("spec {}", spec + 1),
                [Subject::Check(check)] => name_of(check).to_owned(),
                _ => crate::words::count(subjects.len(), "spec"),
            };
            let begin = json!({"kind": "begin", "title": title, "cancellable": true, "percentage": 0});
            self.notify("$/progress", json!({"token": token, "value": begin}));
        }
        let (request, uri, all) = (id.clone(), argument.uri.clone(), jobs.len());
        self.groups.push(RequestGroup { request, uri, token, all, jobs, answers: Vec::new(), is_cancelled: false });
        for job in waiting {
            let _ = self.jobs.send(job);
        }
        self.refresh_lenses();
        Ok(None)
    }

    fn refresh_lenses(&mut self) {
        if self.refreshes_lenses {
            self.ask("workspace/codeLens/refresh", Value::Null);
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Looked { uri, version, remarks } => {
                let document = self.documents.get_mut(&uri).filter(|it| it.version == version);
                if let Some(document) = document.filter(|it| it.remarks != remarks) {
                    document.remarks = remarks;
                    document.is_news = true;
                }
            }
            Event::Progress { id, words } => {
                let group = self.groups.iter().find(|group| group.jobs.contains_key(&id));
                if let Some((group, token)) = group.and_then(|group| Some((group, group.token.as_ref()?))) {
                    let done = 100 * (group.all - group.jobs.len()) / group.all;
                    let report = json!({"kind": "report", "message": words, "percentage": done});
                    self.notify("$/progress", json!({"token": token, "value": report}));
                }
            }
            Event::Answered { id, records } => self.answered(id, records),
        }
    }

    fn answered(&mut self, id: u64, records: Vec<Record>) {
        let Some(place) = self.groups.iter().position(|group| group.jobs.contains_key(&id)) else { return };
        let group = &mut self.groups[place];
        let Pending { job, asked } = group.jobs.remove(&id).expect("it is there");
        if let Some(document) = self.documents.get_mut(&group.uri)
            && document.verdicts.asked.remove(&id).is_some()
            && !job.cancel.is_set()
        {
            document.answered(asked.key.clone(), &records);
            document.is_news = true;
        }
        group.answers.push((Pending { job, asked }, records));
        if group.jobs.is_empty() {
            let group = self.groups.remove(place);
            if let Some(token) = &group.token {
                self.notify("$/progress", json!({"token": token, "value": {"kind": "end"}}));
            }
            if group.is_cancelled {
                self.fail(group.request, Failure::new(ErrorCode::RequestCanceled, "cancelled"));
            } else {
                let document = self.documents.get(&group.uri);
                match group.answers.iter().find_map(|(pending, records)| unwritten(&pending.job.question, records)) {
                    Some(why) => self.fail(group.request, Failure::from(why)),
                    None => {
                        let answers =
                            group.answers.iter().flat_map(|(pending, records)| answers(document, pending, records));
                        let mut answers: Vec<Value> = answers.collect();
                        answers.sort_by_key(|answer| (answer["spec"].as_u64(), answer["line"].as_u64()));
                        self.send(Response::new_ok(group.request, answers));
                    }
                }
            }
        }
        self.refresh_lenses();
    }
}

/// The facts known of a spec, for people whose editor shows nothing but messages.
fn tell(document: &Document, spec: usize) -> Option<String> {
    const MOST: usize = 40;
    let shown = document.shown(Subject::Spec(spec));
    let shown = shown.first()?;
    let mut lines = vec![format!("spec {}: {}", shown.unit.label(), lenses::words(shown))];
    let trace = shown.record.trace.as_ref().and_then(|trace| steps::trace(document, spec, trace));
    let steps = trace.into_iter().flat_map(|trace| trace.steps);
    lines.extend(steps.enumerate().map(|(number, step)| format!("{}. {}", number + 1, step.words)));
    lines.extend(shown.record.explanation.iter().flat_map(|text| text.lines()).map(str::to_owned));
    if lines.len() > MOST {
        lines.truncate(MOST);
        lines.push("..".to_owned());
    }
    Some(lines.join("\n"))
}

/// The counterexample to a spec, as its file.
fn trace_of(document: &Document, spec: usize) -> Result<&Value, String> {
    let record = document.known(Subject::Spec(spec)).and_then(|known| known.records.first());
    let trace = record.and_then(|record| record.trace.as_ref());
    trace.ok_or_else(|| "no counterexample to the spec is known".to_owned())
}

/// The facts known of a subject, for editors.
fn results(document: &Document, subject: Subject) -> Vec<Value> {
    document.shown(subject).iter().map(|shown| result(document, subject, shown)).collect()
}

/// The outcome of a question, for editors: about the spec or check that it is about in the present text, or that this is gone.
fn answers(document: Option<&Document>, Pending { job, asked }: &Pending, records: &[Record]) -> Vec<Value> {
    let present = document.and_then(|document| Some((document, document.subject(asked)?)));
    let Some((document, subject)) = present else {
        let check = match job.question.subject {
            Subject::Check(check) => Some(check),
            Subject::Spec(_) => None,
        };
        return vec![json!({
            "spec": Value::Null,
            "gone": true,
            "check": check,
            "verdict": Verdict::Unknown,
            "agreement": Value::Null,
            "words": "the text was changed, and what was asked about is gone",
            "seconds": 0,
            "evidence": [],
            "hasTrace": false,
        })];
    };
    document.as_asked(subject, records).iter().map(|shown| result(document, subject, shown)).collect()
}

/// A result, for editors. Its spec and line are those of the text with this version.
fn result(document: &Document, subject: Subject, shown: &CurrentAnswer) -> Value {
    let spec = match subject {
        Subject::Spec(spec) => Some(spec + 1),
        Subject::Check(_) => None,
    };
    let CurrentAnswer { unit, record } = shown;
    json!({
        "spec": spec,
        "gone": false,
        "version": document.version,
        "check": unit.check,
        "name": unit.name,
        "line": unit.line,
        "text": unit.text,
        "verdict": record.verdict,
        "agreement": shown.agreement(),
        "words": lenses::words(shown),
        "seconds": record.seconds.wall,
        "evidence": record.evidence,
        "hasTrace": record.trace.is_some(),
    })
}

/// Why the certificate of a verdict was not written, if one was asked for.
fn unwritten(question: &Question, records: &[Record]) -> Option<String> {
    let folder = question.certificates.as_ref()?;
    let has_evidence = |record: &&Record| record.verdict.is_proved() || record.verdict.is_shown();
    let record = records.iter().filter(has_evidence).find(|record| record.evidence.is_empty())?;
    let why = record.reason.clone().unwrap_or_else(|| "no reason is known".to_owned());
    Some(format!("no certificate was written to {}: {why}", folder.display()))
}

/// The request that a notification cancels.
fn cancelled(message: &Message) -> Option<RequestId> {
    let Message::Notification(Notification { method, params }) = message else { return None };
    let params = params.get("id").filter(|_| method == "$/cancelRequest")?;
    match params {
        Value::String(id) => Some(RequestId::from(id.clone())),
        id => Some(RequestId::from(i32::try_from(id.as_i64()?).ok()?)),
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, Failure> {
    serde_json::from_value(params).map_err(|error| Failure::new(ErrorCode::InvalidParams, error.to_string()))
}

fn done(result: impl Serialize) -> Handled {
    serde_json::to_value(result).map(Some).map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))
}
