//! The page in the browser: who gets it, what it can write, and that it is the one of its sources.

use crate::tool::{Folder, project};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;

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
    assert!(done.stderr.contains("missing.rcp"), "{}", done.stderr);
    fs::create_dir(folder.path("empty")).expect("the folder is writable");
    let done = folder.run(2, &["serve", "empty"]);
    assert!(done.stderr.contains("no file that ends with .rcp"), "{}", done.stderr);
    folder.copy("tests/fixtures/clauses/toggle.vmt");
    let done = folder.run(2, &["serve", "toggle.vmt"]);
    assert!(done.stderr.contains("toggle.vmt: the page shows models in our language"), "{}", done.stderr);
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
