//! The page in the browser: who gets it, what it can write, and that it is the one of its sources.

use crate::tool::{Folder, project};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
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
fn models_in_ispl_are_shown_and_verified() {
    let folder = Folder::new("serve-ispl");
    folder.copy("specs/ispl/muddy_children.ispl");
    folder.copy("tests/fixtures/clauses/toggle.vmt");
    let server = Server::start(&folder, &["."]);
    let mut socket = open(&server);
    let listed = ask_as_page(&mut socket, "page/models", "{}");
    let [model] = &listed["result"].as_array().expect("a list")[..] else { panic!("one model: {listed}") };
    assert_eq!(model["name"], "muddy_children.ispl");
    let text = ask_as_page(&mut socket, "page/read", r#"{"model": 0}"#)["result"].clone();
    ask_as_page(&mut socket, "initialize", r#"{"capabilities": {}}"#);
    let document = serde_json::json!({"uri": model["uri"], "languageId": "rcheck", "version": 1, "text": text});
    let opened = serde_json::json!({"method": "textDocument/didOpen", "params": {"textDocument": document}});
    socket.send(opened.to_string().into()).expect("it reads");
    let command = |name: &str| serde_json::json!({"command": format!("rcheck-smt.{name}"), "arguments": [{"uri": model["uri"], "spec": 1}]});
    let asked = serde_json::json!({"id": 7, "method": "workspace/executeCommand", "params": command("prove")});
    socket.send(asked.to_string().into()).expect("it reads");
    let answer = loop {
        let said: serde_json::Value =
            serde_json::from_str(socket.read().expect("it answers").to_text().expect("a text")).expect("JSON");
        if said["id"] == 7 {
            break said;
        }
        assert_eq!(said["params"]["diagnostics"].as_array().map_or(0, Vec::len), 0, "{said}");
    };
    assert_eq!(answer["result"][0]["agreement"], "met", "{answer}");
}

#[test]
fn silent_connections_keep_no_client_out() {
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
    let save = serde_json::json!({"model": 1, "before": MODEL, "text": "changed"}).to_string();
    for (method, params) in [("page/read", r#"{"model": 1}"#), ("page/save", &save)] {
        let answer = ask_as_page(&mut socket, method, params);
        assert!(refusal(&answer).contains("other.rcp: it is not there any more"), "{answer}");
    }
}

/// The message of a refusal.
fn refusal(answer: &serde_json::Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("it is refused: {answer}"))
}

/// The text that a page saves.
fn save(before: &str, text: &str) -> String {
    serde_json::json!({"model": 0, "before": before, "text": text}).to_string()
}

#[test]
fn links_lead_out_of_no_folder() {
    let folder = Folder::new("serve-links");
    for name in ["outside", "inside", "inside/part"] {
        fs::create_dir(folder.path(name)).expect("the folder is writable");
    }
    folder.write("outside/secret.rcp", MODEL);
    folder.write("inside/part/own.rcp", MODEL);
    symlink(folder.path("outside/secret.rcp"), folder.path("inside/link.rcp")).expect("links can be made");
    symlink(folder.path("outside"), folder.path("inside/far")).expect("links can be made");
    let server = Server::start(&folder, &["inside"]);
    let mut socket = open(&server);
    let listed = ask_as_page(&mut socket, "page/models", "{}");
    let names: Vec<_> =
        listed["result"].as_array().expect("a list").iter().map(|model| model["name"].clone()).collect();
    assert_eq!(names, ["inside/part/own.rcp"], "links are not listed");

    // The file becomes a link while the server runs, then its folder does.
    let swaps: [(&str, &str); 2] = [("inside/part/own.rcp", "outside/secret.rcp"), ("inside/part", "outside")];
    folder.write("outside/own.rcp", MODEL);
    for (name, target) in swaps {
        fs::rename(folder.path(name), folder.path("inside/aside")).expect("it is there");
        symlink(folder.path(target), folder.path(name)).expect("links can be made");
        let answer = ask_as_page(&mut socket, "page/read", r#"{"model": 0}"#);
        assert!(refusal(&answer).contains("it is a link now"), "{answer}");
        let answer = ask_as_page(&mut socket, "page/save", &save(MODEL, "changed"));
        assert!(refusal(&answer).contains("it is a link now"), "{answer}");
        fs::remove_file(folder.path(name)).expect("it is a link");
        fs::rename(folder.path("inside/aside"), folder.path(name)).expect("it is there");
    }
    for outside in ["outside/secret.rcp", "outside/own.rcp"] {
        assert_eq!(fs::read_to_string(folder.path(outside)).expect("it is there"), MODEL);
    }
    let answer = ask_as_page(&mut socket, "page/save", &save(MODEL, "changed"));
    assert!(answer["error"].is_null(), "{answer}");
    assert_eq!(fs::read_to_string(folder.path("inside/part/own.rcp")).expect("it is there"), "changed");
}

#[test]
fn a_link_that_the_command_line_names_is_followed() {
    let folder = Folder::new("serve-named-link");
    folder.write("lock.rcp", MODEL);
    symlink(folder.path("lock.rcp"), folder.path("link.rcp")).expect("links can be made");
    let server = Server::start(&folder, &["link.rcp", "lock.rcp"]);
    let mut socket = open(&server);
    let listed = ask_as_page(&mut socket, "page/models", "{}");
    assert_eq!(listed["result"].as_array().expect("a list").len(), 1, "one file, once: {listed}");
    assert_eq!(ask_as_page(&mut socket, "page/read", r#"{"model": 0}"#)["result"], MODEL);
}

#[test]
fn of_saves_at_the_same_time_one_is_done() {
    const PAGES: usize = 4;
    let folder = Folder::new("serve-saves");
    folder.write("lock.rcp", MODEL);
    let server = Server::start(&folder, &["lock.rcp"]);
    let mut before = MODEL.to_owned();
    for round in 0..20 {
        let texts: Vec<String> = (0..PAGES).map(|page| format!("// {round} {page}\n{MODEL}")).collect();
        let mut sockets: Vec<_> = texts.iter().map(|text| (open(&server), save(&before, text))).collect();
        let answers: Vec<_> = thread::scope(|scope| {
            let save = |(socket, save): &mut (_, String)| ask_as_page(socket, "page/save", save);
            let saving: Vec<_> = sockets.iter_mut().map(|it| scope.spawn(move || save(it))).collect();
            saving.into_iter().map(|it| it.join().expect("it answers")).collect()
        });
        let done: Vec<usize> = (0..PAGES).filter(|page| answers[*page]["error"].is_null()).collect();
        let [done] = done[..] else { panic!("one is done: {answers:?}") };
        for (_, answer) in answers.iter().enumerate().filter(|(page, _)| *page != done) {
            assert!(refusal(answer).contains("lock.rcp has changed since this page read it"), "{answer}");
        }
        before.clone_from(&texts[done]);
        assert_eq!(fs::read_to_string(folder.path("lock.rcp")).expect("it is there"), before);
    }
    let left: Vec<_> =
        fs::read_dir(folder.path(".")).expect("it is there").flatten().map(|it| it.file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".new")), "{left:?}");
}

#[test]
fn a_model_that_cannot_be_read_is_listed_with_the_reason() {
    let folder = Folder::new("serve-latin");
    fs::create_dir(folder.path("models")).expect("the folder is writable");
    fs::write(folder.path("models/latin.rcp"), b"// \xe9\n").expect("the folder is writable");
    folder.write("models/lock.rcp", MODEL);
    let server = Server::start(&folder, &["models"]);
    let mut socket = open(&server);
    let listed = ask_as_page(&mut socket, "page/models", "{}");
    let error = |model: usize| listed["result"][model]["error"].as_str().unwrap_or_default();
    assert!(error(0).contains("is no UTF-8 text (line 1): save it as UTF-8"), "{listed}");
    assert_eq!(error(1), "", "{listed}");
    let answer = ask_as_page(&mut socket, "page/read", r#"{"model": 0}"#);
    assert!(refusal(&answer).contains("is no UTF-8 text"), "{answer}");
    assert_eq!(ask_as_page(&mut socket, "page/read", r#"{"model": 1}"#)["result"], MODEL);

    fs::remove_file(folder.path("models/lock.rcp")).expect("it is there");
    let done = folder.run(2, &["serve", "models"]);
    assert!(done.stderr.contains("is no UTF-8 text"), "{}", done.stderr);
}

/// Comments of ISPL may be in Latin-1; what is saved is UTF-8.
#[test]
fn models_with_comments_in_latin_1_are_shown_and_saved() {
    let folder = Folder::new("serve-latin-ispl");
    let model = fs::read_to_string(project().join("specs/ispl/muddy_children.ispl")).expect("it is there");
    let place = folder.path("latin.ispl");
    fs::write(&place, [b"-- \xe9t\xe9\n", model.as_bytes()].concat()).expect("the folder is writable");
    let server = Server::start(&folder, &["latin.ispl"]);
    let mut socket = open(&server);
    let text = format!("-- \u{e9}t\u{e9}\n{model}");
    assert_eq!(ask_as_page(&mut socket, "page/read", r#"{"model": 0}"#)["result"], text);
    let new = format!("{text}-- more\n");
    let old = ask_as_page(&mut socket, "page/save", &save(&new, &text));
    assert!(refusal(&old).contains("latin.ispl has changed since this page read it"), "{old}");
    assert!(ask_as_page(&mut socket, "page/save", &save(&text, &new))["error"].is_null());
    assert_eq!(fs::read_to_string(place).expect("UTF-8"), new);
}

/// The result of a request to the language server behind a page.
fn ask_language_server(
    socket: &mut WebSocket<TcpStream>,
    id: u64,
    method: &str,
    params: serde_json::Value,
) -> serde_json::Value {
    let request = serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    socket.send(request.to_string().into()).expect("it reads");
    loop {
        let message = socket.read().expect("it answers");
        let message: serde_json::Value = serde_json::from_str(message.to_text().expect("a text")).expect("JSON");
        if message["id"] == id && message["method"].is_null() {
            return message;
        }
    }
}

/// Four counters: a million states.
const COUNTERS: &str = "
message-structure: N : int
agent Counter
    local: n : 0..31
    init: n = 0
    receive-guard: false
    repeat: count: {n < 31} *! (false)(N := n)[n := n + 1]
system = Counter(a, true) || Counter(b, true) || Counter(c, true) || Counter(d, true)
";

#[test]
fn exploring_keeps_the_memory_limit() {
    const MEGABYTES: usize = 24;
    let folder = Folder::new("serve-memory");
    folder.write("counters.rcp", COUNTERS);
    let server = Server::start(&folder, &["counters.rcp", "--memory", &MEGABYTES.to_string()]);
    let mut socket = open(&server);
    let uri = "file:///counters.rcp";
    ask_language_server(&mut socket, 1, "initialize", serde_json::json!({"capabilities": {}}));
    let document = serde_json::json!({"uri": uri, "languageId": "rcheck", "version": 1, "text": COUNTERS});
    let opened =
        serde_json::json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}});
    socket.send(opened.to_string().into()).expect("it reads");
    let mut explore = |id: u64, most: u64| {
        let argument = serde_json::json!({"uri": uri, "most": most});
        let params = serde_json::json!({"command": "rcheck-smt.explore", "arguments": [argument]});
        ask_language_server(&mut socket, id, "workspace/executeCommand", params)
    };
    let few = explore(2, 100);
    assert_eq!(few["result"]["nodes"].as_array().map(Vec::len), Some(100), "{few}");
    let all = explore(3, 1_000_000_000);
    let count = |part: &str| all["result"][part].as_array().map_or(0, Vec::len);
    assert_eq!(all["result"]["complete"], false);
    // A state takes more than a kilobyte of an answer, so this many do not fit; and some do.
    assert!((1_000..MEGABYTES << 10).contains(&count("nodes")), "{}", count("nodes"));
    assert!(count("whole") < count("nodes") && count("whole") > 0);
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
