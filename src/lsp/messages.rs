//! Messages of JSON-RPC, from their text and to it.

use crossbeam_channel::{Receiver, Sender, never, select};
use lsp_server::{ErrorCode, Message, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Why a request has no result.
#[derive(Debug)]
pub struct Failure {
    /// The number that the protocol has for it.
    pub code: ErrorCode,
    /// The reason in words.
    pub message: String,
}

impl Failure {
    /// A failure of a kind.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into() }
    }
}

impl<W: Into<String>> From<W> for Failure {
    fn from(message: W) -> Failure {
        Failure::new(ErrorCode::RequestFailed, message)
    }
}

/// A result, or nothing if it comes later.
pub type Handled = Result<Option<Value>, Failure>;

/// The response to a request.
pub fn response(id: RequestId, result: Result<Value, Failure>) -> Response {
    match result {
        Ok(result) => Response::new_ok(id, result),
        Err(failure) => Response::new_err(id, failure.code as i32, failure.message),
    }
}

/// A result that is there.
///
/// # Errors
/// It cannot be written as JSON.
pub fn done(result: impl Serialize) -> Handled {
    serde_json::to_value(result).map(Some).map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))
}

/// Reads a message, or the parameters of one.
///
/// # Errors
/// They are not as the protocol has them.
pub fn typed<P: DeserializeOwned>(value: Value) -> Result<P, Failure> {
    serde_json::from_value(value).map_err(|error| Failure::new(ErrorCode::InvalidParams, error.to_string()))
}

/// Reads a message, or refuses it.
pub fn accept(body: &[u8], refusals: &Sender<Value>) -> Option<Message> {
    read(body).unwrap_or_else(|refusal| {
        // Without a writer no refusal is read any more.
        let _ = refusals.send(refusal);
        None
    })
}

/// Reads a message; nothing if it is an answer that answers nothing. The error is the answer to its sender: why it is no
/// message. It names no request, as it is not known which one it was.
fn read(body: &[u8]) -> Result<Option<Message>, Value> {
    let refusal = |code: ErrorCode, why: String| json!({"jsonrpc": "2.0", "id": null, "error": {"code": code as i32, "message": why}});
    let value: Value =
        serde_json::from_slice(body).map_err(|error| refusal(ErrorCode::ParseError, format!("no JSON: {error}")))?;
    let has = |field: &str| value.get(field).is_some();
    let message = match (has("method"), has("id")) {
        (true, true) => typed(value).map(Message::Request),
        (true, false) => typed(value).map(Message::Notification),
        (false, true) => return Ok(typed(value).map(Message::Response).ok()),
        (false, false) => Err("neither a request nor an answer".into()),
    };
    message.map(Some).map_err(|why| refusal(ErrorCode::InvalidRequest, why.message))
}

/// Writes what a server says, and refusals ([`accept`]), each as its text, until there is no more of the former.
///
/// # Errors
/// Those of `write`, which end it.
pub fn write<E>(
    messages: &Receiver<Message>,
    refusals: &Receiver<Value>,
    mut write: impl FnMut(String) -> Result<(), E>,
) -> Result<(), E> {
    let (mut can_refuse, never) = (true, never());
    loop {
        select! {
            recv(messages) -> message => match message {
                Ok(message) => write(text(&message))?,
                Err(_) => break,
            },
            recv(if can_refuse { refusals } else { &never }) -> refusal => match refusal {
                Ok(refusal) => write(refusal.to_string())?,
                Err(_) => can_refuse = false,
            },
        }
    }
    refusals.try_iter().try_for_each(|refusal| write(refusal.to_string()))
}

/// A message as JSON-RPC writes it.
fn text(message: &Message) -> String {
    #[derive(Serialize)]
    struct Versioned<'a> {
        jsonrpc: &'static str,
        #[serde(flatten)]
        message: &'a Message,
    }
    serde_json::to_string(&Versioned { jsonrpc: "2.0", message }).expect("messages are plain data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_refused() {
        let refused = |body: &[u8]| read(body).expect_err("it is no message")["error"]["code"].as_i64();
        let parse = Some(ErrorCode::ParseError as i64);
        for body in
            [&b""[..], b"{", b"{\"a\": \"\xff\"}", br#"{"id": 1, "method": "\ud800"}"#, b"[".repeat(1000).as_slice()]
        {
            assert_eq!(refused(body), parse, "{}", String::from_utf8_lossy(body));
        }
        let invalid = Some(ErrorCode::InvalidRequest as i64);
        for body in [
            "3",
            "{}",
            "[]",
            r#"{"method": 3}"#,
            r#"{"id": 1.5, "method": "x"}"#,
            r#"{"id": null, "method": "x"}"#,
            r#"{"id": {"a": 1}, "method": "x"}"#,
            r#"{"id": 1099511627776, "method": "x"}"#,
        ] {
            assert_eq!(refused(body.as_bytes()), invalid, "{body}");
        }
    }

    #[test]
    fn messages_are_told_apart() {
        let message = |body: &str| read(body.as_bytes()).expect("a message");
        assert!(matches!(message(r#"{"id": 1, "method": "x"}"#), Some(Message::Request(_))));
        assert!(matches!(message(r#"{"id": "a", "method": "x", "params": []}"#), Some(Message::Request(_))));
        assert!(matches!(message(r#"{"method": "x"}"#), Some(Message::Notification(_))));
        assert!(matches!(message(r#"{"id": 1, "result": null}"#), Some(Message::Response(_))));
        assert!(message(r#"{"id": null, "error": {"code": 1, "message": "x"}}"#).is_none());
    }
}
