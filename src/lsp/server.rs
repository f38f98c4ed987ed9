//! Messages in, messages out: the loop of the server, and the threads beside it.

use super::dispatch::Methods;
use super::jobs::{JobEvent, look, work};
use super::messages::{Failure, response, typed};
use super::methods::{id_of, methods};
use super::state::Server;
use super::verifier::Verifier;
use crate::limits::{Budget, STACK_BYTES, Stop, within};
use crossbeam_channel::{Receiver, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Exit, Notification as _};
use lsp_types::request::{Initialize, Request as _, Shutdown};
use lsp_types::{InitializeParams, InitializeResult, ServerInfo};
use serde_json::Value;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

/// A request that takes longer is given up.
const LONGEST_REQUEST: Duration = Duration::from_secs(20);

/// How a client left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// It asked to shut down before.
    Orderly,
    /// It said so, but had not asked to shut down.
    Abrupt,
    /// It says nothing any more.
    Gone,
}

/// Answers a client until it leaves.
pub fn serve(connection: &Connection, verifier: &dyn Verifier) -> Departure {
    let methods = methods();
    let params = match begin(connection, &methods) {
        Ok(params) => params,
        Err(departure) => return departure,
    };
    let (jobs, queue) = unbounded();
    let (looks, looked) = unbounded();
    let (tell, events) = unbounded();
    thread::scope(|scope| {
        for place in 0..verifier.places() {
            let (queue, tell) = (queue.clone(), tell.clone());
            start(scope, move || work(place, verifier, &queue, &tell));
        }
        let heard = tell.clone();
        start(scope, move || look(verifier, &looked, &heard));
        let mut server = Server::new(connection, verifier, &params, jobs, looks);
        let departure = run(&mut server, &methods, connection, &events);
        server.cancel_groups(|_| true);
        departure
    })
}

/// Waits for the first request, and answers it: what the client is, or how it left before.
fn begin(connection: &Connection, methods: &Methods) -> Result<InitializeParams, Departure> {
    for message in &connection.receiver {
        match message {
            Message::Request(Request { id, method, params }) => {
                let is_first = method == Initialize::METHOD;
                let answer = match is_first {
                    true => Response::new_ok(id, announcement(methods)),
                    false => {
                        let why = Failure::new(ErrorCode::ServerNotInitialized, "`initialize` comes first");
                        response(id, Err(why))
                    }
                };
                // A client that has left hears nothing any more; its messages end.
                let _ = connection.sender.send(answer.into());
                if is_first {
                    return Ok(serde_json::from_value(params).unwrap_or_default());
                }
            }
            Message::Notification(notification) if notification.method == Exit::METHOD => {
                return Err(Departure::Abrupt);
            }
            Message::Notification(_) | Message::Response(_) => {}
        }
    }
    Err(Departure::Gone)
}

/// The description of the server.
fn announcement(methods: &Methods) -> InitializeResult {
    let (name, version) = ("rcheck-smt".to_owned(), Some(env!("CARGO_PKG_VERSION").to_owned()));
    InitializeResult { capabilities: methods.capabilities.clone(), server_info: Some(ServerInfo { name, version }) }
}

/// Starts a thread with room for deep expressions; without it, what it does is not done.
fn start<'scope>(scope: &'scope thread::Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) {
    let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
}

/// Takes messages of the client and events of other threads until the client leaves.
fn run(server: &mut Server, methods: &Methods, connection: &Connection, events: &Receiver<JobEvent>) -> Departure {
    let (mut queue, mut is_shut) = (VecDeque::new(), false);
    loop {
        if queue.is_empty() {
            if !is_shut {
                server.publish();
            }
            select! {
                recv(connection.receiver) -> message => match message {
                    Ok(message) => queue.push_back(message),
                    Err(_) => return if is_shut { Departure::Orderly } else { Departure::Gone },
                },
                recv(events) -> event => event.into_iter().for_each(|event| server.event(event)),
            }
        }
        queue.extend(connection.receiver.try_iter());
        cancel_waiting(server, &mut queue);
        match queue.pop_front() {
            Some(Message::Request(request)) if is_shut || request.method == Initialize::METHOD => {
                let when = if is_shut { "behind `shutdown`" } else { "a second time" };
                let why = format!("`{}` comes {when}", request.method);
                server.fail(request.id, Failure::new(ErrorCode::InvalidRequest, why));
            }
            Some(Message::Request(request)) if request.method == Shutdown::METHOD => {
                is_shut = true;
                server.cancel_groups(|_| true);
                server.send(Response::new_ok(request.id, Value::Null));
            }
            Some(Message::Request(request)) => answer(server, methods, request),
            Some(Message::Notification(notification)) if notification.method == Exit::METHOD => {
                return if is_shut { Departure::Orderly } else { Departure::Abrupt };
            }
            Some(Message::Notification(Notification { method, params })) if !is_shut => {
                methods.take(server, &method, params);
            }
            Some(Message::Notification(_) | Message::Response(_)) | None => {}
        }
    }
}

/// Refuses requests that were cancelled before their turn came: they are not begun.
fn cancel_waiting(server: &Server, queue: &mut VecDeque<Message>) {
    let cancelled: Vec<RequestId> = queue.iter().filter_map(cancelled).collect();
    queue.retain(|message| match message {
        Message::Request(request) if cancelled.contains(&request.id) => {
            server.fail(request.id.clone(), Failure::new(ErrorCode::RequestCanceled, "cancelled"));
            false
        }
        _ => true,
    });
}

/// The request that a notification cancels.
fn cancelled(message: &Message) -> Option<RequestId> {
    match message {
        Message::Notification(it) if it.method == notification::Cancel::METHOD => {
            typed(it.params.clone()).ok().map(id_of)
        }
        _ => None,
    }
}

/// Answers a request, however it goes.
fn answer(server: &mut Server, methods: &Methods, request: Request) {
    let Request { id, method, params } = request;
    let (budget, stop) = (Budget::new(Some(LONGEST_REQUEST)), Stop::new());
    let answer = AssertUnwindSafe(|| within(budget, &stop, || methods.answer(server, &id, &method, params)));
    let answer = match catch_unwind(answer) {
        Ok(Ok(answer)) => answer,
        Ok(Err(reason)) => Err(Failure::new(ErrorCode::ServerCancelled, format!("given up: {reason}"))),
        Err(_) => {
            let message = format!("internal error in `{method}`: please report it with the model");
            Err(Failure::new(ErrorCode::InternalError, message))
        }
    };
    if let Some(result) = answer.transpose() {
        server.send(response(id, result));
    }
}
