//! A terminal for the tool to run on.

use super::PATIENCE;
use nix::pty::{Winsize, openpty};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// The master side of a pseudo-terminal on which the tool runs.
pub struct Terminal {
    master: File,
    output: Receiver<u8>,
    /// The output so far.
    pub seen: String,
}

impl Terminal {
    /// With so many columns; the tool has it for all of its input and output.
    pub fn new(mut command: Command, columns: u16) -> (Terminal, Child) {
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let terminal = openpty(&size, None).expect("a pseudo-terminal");
        let side = || Stdio::from(terminal.slave.try_clone().expect("another handle"));
        command.env("TERM", "xterm").stdin(side()).stdout(side()).stderr(side());
        let child = command.spawn().expect("the tool runs");
        drop(command);
        let master = File::from(terminal.master);
        let (sender, output) = channel();
        let mut reader = master.try_clone().expect("another handle");
        std::thread::spawn(move || {
            let mut byte = [0];
            // Reading fails when the other side is closed.
            while reader.read(&mut byte).is_ok_and(|count| count == 1) && sender.send(byte[0]).is_ok() {}
        });
        (Terminal { master, output, seen: String::new() }, child)
    }

    /// Waits for a text behind what was waited for before.
    pub fn wait_for(&mut self, expected: &str) {
        let end = Instant::now() + PATIENCE;
        let mut bytes = Vec::new();
        while !bytes.ends_with(expected.as_bytes()) {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(byte) => bytes.push(byte),
                Err(_) => panic!("`{expected}` never came:\n{}\n{}", self.seen, String::from_utf8_lossy(&bytes)),
            }
        }
        self.seen += &String::from_utf8_lossy(&bytes);
    }

    /// Presses keys and waits for the answer, and for the next prompt.
    pub fn answer_to(&mut self, keys: &str, expected: &str) {
        self.press(keys);
        self.wait_for(expected);
        self.wait_for("\x1b[K> ");
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }
}
