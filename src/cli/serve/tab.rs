//! An open page: its messages go to a language server of its own, over a WebSocket.

use super::models::Models;
use super::request::HttpRequest;
use crate::cli::lsp::Workers;
use crate::lsp::{self, commands, messages};
use crossbeam_channel::unbounded;
use lsp_server::{Connection, Message};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use tungstenite::handshake::server::{create_response, write_response};
use tungstenite::http;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message as Frame, WebSocket};

/// Longer messages end the connection.
const LONGEST_MESSAGE: usize = 64 << 20;

/// The half of a connection that is read; the other half belongs to another thread, so nothing is written here.
struct ReadHalf(TcpStream);

impl Read for ReadHalf {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for ReadHalf {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Talks to a page until it is closed. `rest` is what came behind the head of its request.
pub fn serve(
    mut stream: TcpStream,
    request: &HttpRequest,
    rest: Vec<u8>,
    models: &Models,
    workers: &Workers,
) -> io::Result<()> {
    let mut head = http::Request::builder().method("GET").uri("/").version(http::Version::HTTP_11);
    for (name, value) in request.headers() {
        head = head.header(name, value);
    }
    let response =
        head.body(()).map_err(io::Error::other).and_then(|head| create_response(&head).map_err(io::Error::other))?;
    write_response(&mut stream, &response).map_err(io::Error::other)?;

    let config =
        WebSocketConfig::default().max_message_size(Some(LONGEST_MESSAGE)).max_frame_size(Some(LONGEST_MESSAGE));
    let reading = ReadHalf(stream.try_clone()?);
    let mut reading = WebSocket::from_partially_read(reading, rest, Role::Server, Some(config));
    let mut writing = WebSocket::from_raw_socket(stream.try_clone()?, Role::Server, Some(config));
    let ending = stream.try_clone()?;
    // A page may be busy, or its computer asleep: what it does not read waits.
    stream.set_write_timeout(None)?;
    let (server, client) = Connection::memory();
    let replies = server.sender.clone();
    let Connection { sender, receiver } = client;
    let (refuse, refusals) = unbounded();
    thread::scope(|scope| {
        scope.spawn(move || {
            // The reader hears that it is over.
            let _ = messages::write(&receiver, &refusals, |text| writing.send(Frame::text(text)));
            let _ = stream.shutdown(Shutdown::Both);
        });
        scope.spawn(move || {
            while let Ok(frame) = reading.read() {
                let Frame::Text(text) = frame else { continue };
                let Some(message) = messages::accept(text.as_bytes(), &refuse) else { continue };
                match message {
                    Message::Request(request) if request.method.starts_with("page/") => {
                        let answer = models.answer(&request.method, request.params);
                        let answer = answer.map_err(|why| format!("{why:#}").into());
                        let _ = replies.send(messages::response(request.id, answer).into());
                    }
                    Message::Request(request) if writes(&request) => {
                        let refusal = Err("a page writes no file but its models".into());
                        let _ = replies.send(messages::response(request.id, refusal).into());
                    }
                    message => {
                        if sender.send(confined(message)).is_err() {
                            break;
                        }
                    }
                }
            }
        });
        // A wrong message of the page ends its own connection only.
        let _ = lsp::serve(&server, workers);
        drop(server);
        let _ = ending.shutdown(Shutdown::Both);
    });
    Ok(())
}

/// True if the language server would write a file that the request names.
fn writes(request: &lsp_server::Request) -> bool {
    request.method == "workspace/executeCommand" && request.params["command"] == commands::CERTIFICATE
}

/// The messages of the page, without folders: the language server reads the models in them.
fn confined(mut message: Message) -> Message {
    if let Message::Request(request) = &mut message
        && request.method == "initialize"
        && let Some(params) = request.params.as_object_mut()
    {
        ["workspaceFolders", "rootUri", "rootPath"].iter().for_each(|folder| drop(params.remove(*folder)));
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(method: &str, params: serde_json::Value) -> lsp_server::Request {
        lsp_server::Request::new(1.into(), method.to_owned(), params)
    }

    #[test]
    fn pages_name_no_folders() {
        let params = json!({"capabilities": {}, "rootUri": "file:///", "rootPath": "/",
            "workspaceFolders": [{"uri": "file:///home", "name": "home"}]});
        let Message::Request(asked) = confined(request("initialize", params).into()) else { panic!("a request") };
        assert_eq!(asked.params, json!({"capabilities": {}}));
        let command = |name: &str| request("workspace/executeCommand", json!({"command": name, "arguments": []}));
        assert!(writes(&command(commands::CERTIFICATE)));
        assert!(!writes(&command("rcheck-smt.prove")));
    }
}
