//! The page in the browser: who gets it, what it can write, and that it is the one of its sources.

use crate::tool::{Folder, project};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::thread;
use std::time::Duration;
use tungstenite::WebSocket;

const MODEL: &str = include_str!("../../specs/ticket_lock.rcp");

/// A server that ends with the test.
struct Server {
    child: Child,
    port: u16,
    token: String,
}

impl Server {
    fn start(folder: &Folder, arguments: &[&str]) -> Server {
        let mut child = folder.start(&[&["serve"], arguments].concat());
        let mut line = String::new();
        BufReader::new(child.stderr.take().expect("it is piped")).read_line(&mut line).expect("it says its address");
        let address = line.trim().strip_prefix("http://127.0.0.1:").expect("an address").trim_end_matches('/');
        let (port, token) = address.split_once('/').expect("a port and a token");
        Server { child, port: port.parse().expect("a port"), token: token.to_owned() }
    }

    /// The answer to a request, whose lines may name `PORT` and `TOKEN`.
    fn ask(&self, request: &str) -> String {
        let request = request.replace("PORT", &self.port.to_string()).replace("TOKEN", &self.token);
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        write!(stream, "{}\r\n\r\n", request.replace('\n', "\r\n")).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers and ends");
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn only_who_knows_the_token_gets_the_page() {
    let folder = Folder::new("serve-token");
    folder.write("lock.rcp", MODEL);
    let server = Server::start(&folder, &["lock.rcp"]);
    assert_eq!(server.token.len(), 32);
    let page = server.ask("GET /TOKEN/ HTTP/1.1\nHost: 127.0.0.1:PORT");
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    assert!(page.contains("Content-Security-Policy: default-src 'none'; script-src 'self';"), "{page}");
    assert!(!page.contains("Access-Control"), "no other site may read it");
    for (request, status) in [
        ("GET / HTTP/1.1\nHost: 127.0.0.1:PORT", "404"),
        ("GET /TOKEN/../../../../etc/passwd HTTP/1.1\nHost: 127.0.0.1:PORT", "404"),
        ("GET /TOKEN/lock.rcp HTTP/1.1\nHost: 127.0.0.1:PORT", "404"),
        ("GET /TOKEN/ HTTP/1.1\nHost: rebound.example:PORT", "403"),
        ("GET /TOKEN/ HTTP/1.1\nHost: 127.0.0.1:PORT\nOrigin: http://other.example", "403"),
        ("GET /TOKEN/socket HTTP/1.1\nHost: 127.0.0.1:PORT\nOrigin: null", "403"),
        ("DELETE /TOKEN/ HTTP/1.1\nHost: 127.0.0.1:PORT", "405"),
        ("no HTTP", "400"),
    ] {
        let answer = server.ask(request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}\n{answer}");
        assert!(!answer.contains(&server.token), "{request}\n{answer}");
    }
}

#[test]
fn a_port_in_use_and_missing_models_are_told_in_a_sentence() {
    let folder = Folder::new("serve-refused");
    folder.write("lock.rcp", MODEL);
    let server = Server::start(&folder, &["lock.rcp"]);
    let done = folder.run(2, &["serve", "lock.rcp", "--port", &server.port.to_string()]);
    assert!(
        done.stderr.contains("is in use: end what listens there, or name another one with `--port`"),
        "{}",
        done.stderr
    );
    let done = folder.run(2, &["serve", "missing.rcp"]);
    assert!(done.stderr.contains("there is no missing.rcp"), "{}", done.stderr);
    let done = folder.run(2, &["serve", "nowhere"]);
    assert!(done.stderr.contains("there is no nowhere"), "{}", done.stderr);
    let done = folder.run(2, &["serve", "-"]);
    assert!(done.stderr.contains("the page shows files"), "{}", done.stderr);
    fs::create_dir(folder.path("empty")).expect("the folder is writable");
    let done = folder.run(2, &["serve", "empty"]);
    assert!(done.stderr.contains("no file that ends with .rcp"), "{}", done.stderr);
    folder.copy("tests/fixtures/clauses/toggle.vmt");
    let done = folder.run(2, &["serve", "toggle.vmt"]);
    assert!(done.stderr.contains("toggle.vmt: the page shows models in our language"), "{}", done.stderr);
}

#[test]
fn silent_connections_keep_nobody_out() {
    let folder = Folder::new("serve-silent");
    folder.write("lock.rcp", MODEL);
    let server = Server::start(&folder, &["lock.rcp"]);
    let silent: Vec<TcpStream> =
        (0..100).map(|_| TcpStream::connect(("127.0.0.1", server.port)).expect("it listens")).collect();
    let page = server.ask("GET /TOKEN/ HTTP/1.1\nHost: 127.0.0.1:PORT");
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    drop(silent);
}

/// Asks the server as a page does.
fn ask_as_page(socket: &mut WebSocket<TcpStream>, method: &str, params: &str) -> serde_json::Value {
    let request = format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "{method}", "params": {params}}}"#);
    socket.send(request.into()).expect("it reads");
    let answer = socket.read().expect("it answers");
    serde_json::from_str(answer.to_text().expect("a text")).expect("JSON")
}

/// Opens a page.
fn open(server: &Server) -> WebSocket<TcpStream> {
    let host = format!("127.0.0.1:{}", server.port);
    let request = tungstenite::http::Request::builder()
        .uri(format!("ws://{host}/{}/socket", server.token))
        .header("Host", &host)
        .header("Origin", format!("http://{host}"))
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", tungstenite::handshake::client::generate_key())
        .body(())
        .expect("a request");
    let stream = TcpStream::connect(&host).expect("it listens");
    tungstenite::client(request, stream).expect("it answers").0
}

#[test]
fn what_is_no_message_costs_nothing() {
    let folder = Folder::new("serve-nonsense");
    folder.write("lock.rcp", MODEL);
    let server = Server::start(&folder, &["lock.rcp"]);
    let mut socket = open(&server);
    for nonsense in ["", "{", "3", "[]", r#"{"a": 1}"#, r#"{"id": null, "method": "page/read"}"#] {
        socket.send(nonsense.into()).expect("it reads");
        let answer = socket.read().expect("it answers");
        let refusal: serde_json::Value = serde_json::from_str(answer.to_text().expect("a text")).expect("JSON");
        assert!(refusal["id"].is_null() && refusal["error"]["message"].is_string(), "{nonsense}: {refusal}");
    }
    socket.send(r#"{"id": 7, "result": null}"#.into()).expect("it reads");
    socket.send(vec![1, 2, 3].into()).expect("it reads");
    assert_eq!(ask_as_page(&mut socket, "page/read", r#"{"model": 0}"#)["result"], MODEL);
}

#[test]
fn a_page_that_reads_late_is_not_left() {
    let folder = Folder::new("serve-late");
    folder.write("lock.rcp", MODEL.replace('\n', &format!(" // {}\n", "x".repeat(1000))));
    let server = Server::start(&folder, &["lock.rcp"]);
    let mut socket = open(&server);
    // More than the system keeps for it.
    const ALL: usize = 500;
    for _ in 0..ALL {
        socket.send(r#"{"id": 1, "method": "page/read", "params": {"model": 0}}"#.into()).expect("it reads");
    }
    // Longer than the server waits for those that ask for nothing.
    thread::sleep(Duration::from_secs(14));
    for _ in 0..ALL {
        assert!(socket.read().expect("it still answers").len() > MODEL.len());
    }
}

#[test]
fn models_that_are_gone_are_named() {
    let folder = Folder::new("serve-gone");
    folder.write("lock.rcp", MODEL);
    folder.write("other.rcp", MODEL);
    let server = Server::start(&folder, &["lock.rcp", "other.rcp"]);
    let mut socket = open(&server);
    fs::remove_file(folder.path("other.rcp")).expect("it is there");
    let listed = ask_as_page(&mut socket, "page/models", "{}");
    let gone: Vec<&serde_json::Value> =
        listed["result"].as_array().expect("a list").iter().map(|model| &model["gone"]).collect();
    assert_eq!(gone, [false, true]);
    assert_eq!(ask_as_page(&mut socket, "page/read", r#"{"model": 0}"#)["result"], MODEL);
    let answer = ask_as_page(&mut socket, "page/read", r#"{"model": 1}"#);
    let message = answer["error"]["message"].as_str().expect("a refusal");
    assert!(message.contains("other.rcp: it is not there any more"), "{message}");
}

#[test]
fn the_page_is_the_one_of_its_sources() {
    let web = project().join("web");
    let mut names: Vec<String> = fs::read_dir(web.join("src"))
        .expect("the sources are there")
        .map(|entry| format!("src/{}", entry.expect("a file").file_name().display()))
        .collect();
    names.sort();
    let mut hash = Sha256::new();
    hash.update(fs::read(web.join("package-lock.json")).expect("it is there"));
    names.iter().for_each(|name| hash.update(fs::read(web.join(name)).expect("it is there")));
    let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let page = fs::read_to_string(project().join("src/cli/serve/page/page.js")).expect("it is there");
    assert!(
        page.starts_with(&format!("/* web/ {hash};")),
        "web/ was changed: run scripts/web, and commit what it builds"
    );
}
