//! The Language Server Protocol on standard input and output, with messages of a bounded length.
//!
//! Input that is no message costs nothing but an answer that says so, as long as its head says where it ends.

use crate::lsp::messages;
use anyhow::{Context, Result, anyhow};
use crossbeam_channel::unbounded;
use lsp_server::{Connection, Message};
use std::io::{self, BufRead, Read, Write};
use std::thread::{self, JoinHandle};

/// Longer messages end the connection.
const LONGEST_MESSAGE: u64 = 64 << 20;

/// So do longer heads of messages.
const LONGEST_HEAD: u64 = 1 << 14;

/// The threads that read and write.
#[derive(Debug)]
pub struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Waits for both. It is an error if the input has no heads of messages, or the output is not read.
    pub fn join(self) -> Result<()> {
        let ended = |thread: JoinHandle<io::Result<()>>| {
            thread.join().map_err(|_| anyhow!("a thread ended early"))?.map_err(anyhow::Error::from)
        };
        ended(self.reader).context("standard input is not the Language Server Protocol: editors start this command")?;
        ended(self.writer).context("cannot talk to the editor")
    }
}

/// The end of a language server.
pub fn connect() -> (Connection, Threads) {
    let (server, client) = Connection::memory();
    let Connection { sender, receiver } = client;
    let (refuse, refusals) = unbounded();
    let reader = thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(body) = read(&mut input)? {
            let Some(message) = messages::accept(&body, &refuse) else { continue };
            let ends = matches!(&message, Message::Notification(it) if it.method == "exit");
            if sender.send(message).is_err() || ends {
                break;
            }
        }
        Ok(())
    });
    let writer = thread::spawn(move || {
        let mut output = io::stdout().lock();
        messages::write(&receiver, &refusals, |body| {
            write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
            output.flush()
        })
    });
    (server, Threads { reader, writer })
}

/// The body of the next message; none at the end.
fn read(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let (mut head, mut length) = (0, None);
    loop {
        let mut line = Vec::new();
        head += input.by_ref().take(LONGEST_HEAD - head).read_until(b'\n', &mut line)? as u64;
        if head == 0 {
            return Ok(None);
        }
        let Some(line) = line.strip_suffix(b"\n") else {
            return Err(invalid("the head of a message does not end".to_owned()));
        };
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches('\r');
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| invalid(format!("`{line}` is no head of a message")))?;
        if name.eq_ignore_ascii_case("content-length") {
            let value = value.trim();
            length = Some(value.parse::<u64>().map_err(|_| invalid(format!("`{value}` is no length of a message")))?);
        }
    }
    let length = length.ok_or_else(|| invalid("a message without its length".to_owned()))?;
    if length > LONGEST_MESSAGE {
        return Err(invalid(format!("a message of {length} bytes; {} MB are the most", LONGEST_MESSAGE >> 20)));
    }
    let mut body = vec![0; length as usize];
    input.read_exact(&mut body)?;
    Ok(Some(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_bounds() {
        let body = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let text = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let twice = text.clone() + &text;
        let mut input = twice.as_bytes();
        for _ in 0..2 {
            assert_eq!(read(&mut input).expect("a message").as_deref(), Some(body.as_bytes()));
        }
        assert!(read(&mut input).expect("the end").is_none());
        let head = |line: String| read(&mut line.as_bytes()).expect_err("nonsense").to_string();
        assert!(head("content-length:99999999999999\r\n\r\n{}".to_owned()).contains("64 MB are the most"));
        assert!(head("a: b\r\n".repeat(10_000)).contains("does not end"));
        assert!(head("x".repeat(100_000)).contains("does not end"));
        assert!(head("content-length: x\r\n\r\n".to_owned()).contains("no length"));
        assert!(head("content-type: y\r\n\r\n".to_owned()).contains("without its length"));
        assert!(head("hello\n".to_owned()).contains("no head"));
    }
}
