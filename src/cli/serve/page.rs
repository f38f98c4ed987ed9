//! The files of the page. `web/build` makes them from the sources in `web/`.

/// A file of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageFile {
    name: &'static str,
    kind: &'static str,
    content: &'static str,
}

const FILES: [PageFile; 4] = [
    PageFile { name: "", kind: "text/html; charset=utf-8", content: include_str!("page/index.html") },
    PageFile { name: "page.js", kind: "text/javascript; charset=utf-8", content: include_str!("page/page.js") },
    PageFile { name: "page.css", kind: "text/css; charset=utf-8", content: include_str!("page/page.css") },
    PageFile { name: "licences.txt", kind: "text/plain; charset=utf-8", content: include_str!("page/licences.txt") },
];

/// The file with this name.
pub fn file(name: &str) -> Option<&'static PageFile> {
    FILES.iter().find(|file| file.name == name)
}

impl PageFile {
    /// As an answer over HTTP. The page may run its own scripts and talk to its own server, and nothing else.
    pub fn response(&self, port: u16) -> Vec<u8> {
        let sockets = format!("ws://127.0.0.1:{port} ws://localhost:{port}");
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
             connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {}\r\nContent-Security-Policy: {policy}\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
             Connection: close\r\n\r\n",
            self.kind,
            self.content.len()
        );
        [head.as_bytes(), self.content.as_bytes()].concat()
    }
}
