//! The request of a browser, and whether it is allowed.

use super::page::{PageFile, file};
use httparse::{EMPTY_HEADER, Status};
use std::io::{self, Read};

/// Longer heads of requests are refused.
const LONGEST_HEAD: usize = 16 << 10;

/// More headers are refused.
const MOST_HEADERS: usize = 64;

/// The address of the server itself.
#[derive(Clone, Debug)]
pub struct OwnAddress {
    /// Its port.
    pub port: u16,
    /// The secret in the address of the page.
    pub token: String,
}

impl OwnAddress {
    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// True if a browser that asks for this host asks for us: other names can mean this machine by now, but were looked up
    /// by a page of another site.
    fn is_named(&self, host: &str) -> bool {
        host.strip_suffix(&format!(":{}", self.port)).is_some_and(|name| name == "127.0.0.1" || name == "localhost")
    }
}

/// The head of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpResponse {
    /// A file of the page.
    File(&'static PageFile),
    /// A connection for an open page.
    Socket,
    /// Nothing.
    Refused(Refusal),
}

/// Why it gets nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It could not be read.
    Malformed,
    /// It is for another host, or comes from another site.
    Foreign,
    /// There is no such file, or the token is wrong.
    Missing,
    /// It is no `GET`.
    Method,
    /// There are too many pages.
    Busy,
}

impl Refusal {
    /// As an answer over HTTP.
    pub fn response(self) -> Vec<u8> {
        let (status, words) = match self {
            Refusal::Malformed => ("400 Bad Request", "This is no request that the server understands."),
            Refusal::Foreign => ("403 Forbidden", "Open the address that rcheck-smt serve printed."),
            Refusal::Missing => ("404 Not Found", "Nothing is here: open the address that rcheck-smt serve printed."),
            Refusal::Method => ("405 Method Not Allowed", "The server answers GET only."),
            Refusal::Busy => ("503 Service Unavailable", "Too many pages are open: close some."),
        };
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
             X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{words}\n",
            words.len() + 1
        )
        .into_bytes()
    }
}

/// Reads the head of a request, and what came behind it; nothing if the browser leaves or says something else.
pub fn read(stream: &mut impl Read) -> io::Result<Option<(HttpRequest, Vec<u8>)>> {
    let mut bytes = Vec::new();
    let mut more = [0; 4096];
    loop {
        match stream.read(&mut more)? {
            0 => return Ok(None),
            count => bytes.extend_from_slice(&more[..count]),
        }
        let mut headers = [EMPTY_HEADER; MOST_HEADERS];
        let mut head = httparse::Request::new(&mut headers);
        match head.parse(&bytes) {
            Ok(Status::Complete(length)) => return Ok(Some((HttpRequest::of(&head), bytes[length..].to_vec()))),
            Ok(Status::Partial) if bytes.len() < LONGEST_HEAD => {}
            Ok(Status::Partial) | Err(_) => return Ok(Some((HttpRequest::malformed(), Vec::new()))),
        }
    }
}

impl HttpRequest {
    fn of(head: &httparse::Request) -> HttpRequest {
        let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
        let header =
            |it: &httparse::Header| (it.name.to_ascii_lowercase(), String::from_utf8_lossy(it.value).into_owned());
        let headers = head.headers.iter().map(header);
        HttpRequest { method: text(head.method), path: text(head.path), headers: headers.collect() }
    }

    /// One that could not be read.
    fn malformed() -> HttpRequest {
        HttpRequest { method: String::new(), path: String::new(), headers: Vec::new() }
    }

    /// The value of a header that it has exactly once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(other, _)| other == name);
        values.next().filter(|_| values.next().is_none()).map(|(_, value)| value.as_str())
    }

    /// All its headers.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The answer to it.
    pub fn answer(&self, own: &OwnAddress) -> HttpResponse {
        if self.method.is_empty() {
            return HttpResponse::Refused(Refusal::Malformed);
        }
        let Some(host) = self.header("host").filter(|host| own.is_named(host)) else {
            return HttpResponse::Refused(Refusal::Foreign);
        };
        let has_origin = self.headers.iter().any(|(name, _)| name == "origin");
        let is_own = self.header("origin") == Some(&format!("http://{host}"));
        if has_origin && !is_own {
            return HttpResponse::Refused(Refusal::Foreign);
        }
        let Some(name) = self.path.strip_prefix(&format!("/{}/", own.token)) else {
            return HttpResponse::Refused(Refusal::Missing);
        };
        if self.method != "GET" {
            return HttpResponse::Refused(Refusal::Method);
        }
        match name {
            // Browsers always say where a connection comes from.
            "socket" if is_own => HttpResponse::Socket,
            "socket" => HttpResponse::Refused(Refusal::Foreign),
            name => file(name).map_or(HttpResponse::Refused(Refusal::Missing), HttpResponse::File),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str) -> HttpResponse {
        let own = OwnAddress { port: 8000, token: "0123456789abcdef".to_owned() };
        let text = text.replace("TOKEN", &own.token).replace('\n', "\r\n") + "\r\n\r\n";
        let (request, rest) =
            read(&mut text.as_bytes()).expect("reading from memory works").expect("there is something");
        assert!(rest.is_empty());
        request.answer(&own)
    }

    const FOREIGN: HttpResponse = HttpResponse::Refused(Refusal::Foreign);
    const MISSING: HttpResponse = HttpResponse::Refused(Refusal::Missing);

    #[test]
    fn who_knows_the_address_gets_the_page() {
        for host in ["127.0.0.1:8000", "localhost:8000"] {
            assert!(matches!(ask(&format!("GET /TOKEN/ HTTP/1.1\nHost: {host}")), HttpResponse::File(_)));
            let socket = format!("GET /TOKEN/socket HTTP/1.1\nHost: {host}\nOrigin: http://{host}");
            assert_eq!(ask(&socket), HttpResponse::Socket);
        }
    }

    #[test]
    fn who_does_not_gets_nothing() {
        for path in [
            "/",
            "/TOKEN",
            "/token/",
            "//TOKEN/",
            "/0123456789abcdee/",
            "/TOKEN/../TOKEN/",
            "/TOKEN/../../etc/passwd",
            "/TOKEN/%2e%2e/%2e%2e/etc/passwd",
            "/TOKEN//page.js",
            "/TOKEN/page.js?x",
            "/TOKEN/page.js%00",
            "/TOKEN/\\..\\page.js",
            "http://127.0.0.1:8000/TOKEN/",
        ] {
            assert_eq!(ask(&format!("GET {path} HTTP/1.1\nHost: 127.0.0.1:8000")), MISSING, "{path}");
        }
        assert_eq!(ask("POST /TOKEN/ HTTP/1.1\nHost: 127.0.0.1:8000"), HttpResponse::Refused(Refusal::Method));
    }

    #[test]
    fn other_hosts_and_sites_get_nothing() {
        for host in ["evil.example:8000", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8000.evil.example", "", "[::1]:8000"]
        {
            assert_eq!(ask(&format!("GET /TOKEN/ HTTP/1.1\nHost: {host}")), FOREIGN, "{host}");
        }
        assert_eq!(ask("GET /TOKEN/ HTTP/1.1"), FOREIGN);
        assert_eq!(ask("GET /TOKEN/ HTTP/1.1\nHost: 127.0.0.1:8000\nHost: evil.example"), FOREIGN);
        for origin in
            ["http://evil.example", "null", "https://127.0.0.1:8000", "http://localhost:8000", "http://127.0.0.1:80"]
        {
            for path in ["", "page.js", "socket"] {
                let text = format!("GET /TOKEN/{path} HTTP/1.1\nHost: 127.0.0.1:8000\nOrigin: {origin}");
                assert_eq!(ask(&text), FOREIGN, "{origin} {path}");
            }
        }
        assert_eq!(ask("GET /TOKEN/socket HTTP/1.1\nHost: 127.0.0.1:8000"), FOREIGN, "a socket without an origin");
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let malformed = HttpResponse::Refused(Refusal::Malformed);
        assert_eq!(ask("\u{1}\u{2}"), malformed);
        assert_eq!(ask(&format!("GET /TOKEN/ HTTP/1.1\nHost: {}", "x".repeat(2 * LONGEST_HEAD))), malformed);
        let headers = "\nX: y".repeat(2 * MOST_HEADERS);
        assert_eq!(ask(&format!("GET /TOKEN/ HTTP/1.1{headers}")), malformed);
        assert!(read(&mut "GET / HT".as_bytes()).expect("reading from memory works").is_none());
    }
}
