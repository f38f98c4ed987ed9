//! The Language Server Protocol on standard input and output, with messages of a bounded length.

use anyhow::{Result, anyhow};
use lsp_server::{Connection, Message};
use std::io::{self, BufRead, Read, Write};
use std::thread::{self, JoinHandle};

/// Longer messages end the connection.
const LONGEST_MESSAGE: u64 = 64 << 20;

/// So do longer heads of messages.
const LONGEST_HEAD: u64 = 1 << 14;

/// What reads and writes.
#[derive(Debug)]
pub struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Waits for both.
    ///
    /// # Errors
    /// What came in was no message, or nobody reads what goes out.
    pub fn join(self) -> Result<()> {
        for thread in [self.reader, self.writer] {
            thread.join().map_err(|_| anyhow!("a thread ended early"))??;
        }
        Ok(())
    }
}

/// The end of a language server.
pub fn connect() -> (Connection, Threads) {
    let (server, client) = Connection::memory();
    let Connection { sender, receiver } = client;
    let reader = thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(message) = read(&mut input)? {
            let ends = matches!(&message, Message::Notification(notification) if notification.method == "exit");
            if sender.send(message).is_err() || ends {
                break;
            }
        }
        Ok(())
    });
    let writer = thread::spawn(move || {
        let mut output = io::stdout().lock();
        receiver.into_iter().try_for_each(|message| message.write(&mut output))?;
        output.flush()
    });
    (server, Threads { reader, writer })
}

/// The next message; none at the end.
fn read(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut head = Vec::new();
    loop {
        let start = head.len();
        let rest = LONGEST_HEAD.saturating_sub(start as u64);
        let length = input.by_ref().take(rest).read_until(b'\n', &mut head)?;
        let line = String::from_utf8_lossy(&head[start..]);
        if rest == 0 {
            return Err(invalid("the head of a message does not end".to_owned()));
        }
        if length == 0 || line == "\r\n" {
            break;
        }
        let value = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        // What is no number, the library refuses.
        if let Some(length) = value.and_then(|(_, value)| value.trim().parse::<u64>().ok())
            && length > LONGEST_MESSAGE
        {
            return Err(invalid(format!("a message of {length} bytes; {} MB are the most", LONGEST_MESSAGE >> 20)));
        }
    }
    Message::read(&mut head.chain(input))
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
            let message = read(&mut input).expect("a message").expect("a message");
            assert!(matches!(message, Message::Notification(exit) if exit.method == "exit"));
        }
        assert!(read(&mut input).expect("the end").is_none());
        let head = |line: String| read(&mut line.as_bytes()).expect_err("nonsense").to_string();
        assert!(head("content-length:99999999999999\r\n\r\n{}".to_owned()).contains("64 MB are the most"));
        assert!(head("a: b\r\n".repeat(10_000)).contains("does not end"));
        assert!(head("x".repeat(100_000)).contains("does not end"));
    }
}
