//! Worker processes as the batch sees them: made when needed, asked, replaced when they die or have grown.

use super::protocol::{Reply, Request};
use super::watch::{Cut, Watched};
use crate::cli::io::language;
use crate::verify::Progress;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The name of the hidden command that [`super::worker`] is.
pub const COMMAND: &str = "worker";

/// A worker that has kept more memory than this after its work is replaced: what is left in it should not count
/// against the next spec.
const GROWN_MEGABYTES: f64 = 256.0;

/// So much of the last words of a process is kept.
const LAST_WORDS_BYTES: usize = 4096;

/// One place for a worker process. Its owner asks one question at a time.
#[derive(Debug, Default)]
pub struct WorkerSlot {
    watched: Arc<Watched>,
    pipes: Option<Pipes>,
}

#[derive(Debug)]
struct Pipes {
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    last_words: JoinHandle<String>,
}

/// The limits of a piece of work.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// When it is killed.
    pub deadline: Option<Instant>,
    /// The memory in megabytes beyond which it is killed.
    pub megabytes: Option<u32>,
}

/// A worker that ended without an answer.
#[derive(Debug)]
pub struct WorkerExit {
    /// Why the batch killed it, if it did.
    pub cut: Option<Cut>,
    /// True if something else killed it: a signal that does not come from the process itself.
    pub killed: bool,
    /// How it ended, for people.
    pub words: String,
}

impl WorkerSlot {
    /// The process to watch.
    pub fn watched(&self) -> Arc<Watched> {
        self.watched.clone()
    }

    /// Asks, and tells how the work goes on. After an exit the next question goes to a new process.
    pub fn ask(
        &mut self,
        request: &Request,
        allowance: Allowance,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Reply, WorkerExit> {
        if !self.watched.is_alive() {
            // Whatever ended it while it was idle is not the fault of this question.
            self.retire();
            self.start().map_err(|error| WorkerExit {
                cut: None,
                killed: false,
                words: format!("cannot start a worker process: {error}"),
            })?;
        }
        self.watched.begin(allowance.deadline, allowance.megabytes);
        let reply = self.converse(request, progress).map_err(|why| self.reap(why))?;
        let most = allowance.megabytes.map_or(GROWN_MEGABYTES, |limit| GROWN_MEGABYTES.min(f64::from(limit) / 2.0));
        if self.watched.end().is_none_or(|kept| kept > most) {
            self.retire();
        }
        Ok(reply)
    }

    fn start(&mut self) -> io::Result<()> {
        let mut command = Command::new(program()?);
        // A group of its own: Ctrl-C is meant for the batch, which knows what to do.
        command.arg0("rcheck-smt").arg(COMMAND).args(language::arguments()).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let requests = child.stdin.take().expect("piped");
        let replies = BufReader::new(child.stdout.take().expect("piped"));
        let errors = child.stderr.take().expect("piped");
        let last_words = thread::Builder::new().spawn(move || last_words(errors))?;
        self.watched.put(child);
        self.pipes = Some(Pipes { requests, replies, last_words });
        Ok(())
    }

    fn converse(&mut self, request: &Request, progress: &mut dyn FnMut(Progress)) -> Result<Reply, NoReply> {
        let pipes = self.pipes.as_mut().ok_or(NoReply::Ended)?;
        pipes.requests.write_all(&line(request)).map_err(|_| NoReply::Ended)?;
        let mut text = String::new();
        loop {
            text.clear();
            match pipes.replies.read_line(&mut text) {
                Ok(1..) => {}
                Ok(0) | Err(_) => return Err(NoReply::Ended),
            }
            match serde_json::from_str(&text) {
                Ok(Reply::Progress(known)) => progress(known),
                Ok(reply) => return Ok(reply),
                Err(_) if !text.ends_with('\n') => return Err(NoReply::Ended),
                Err(_) => return Err(NoReply::Unreadable),
            }
        }
    }

    /// Ends the process, which is not needed any more.
    pub fn retire(&mut self) {
        if self.pipes.is_some() {
            self.reap(NoReply::Cancelled);
        }
    }

    fn reap(&mut self, why: NoReply) -> WorkerExit {
        let (child, cut) = self.watched.take();
        let status = child.and_then(|mut child| {
            if why == NoReply::Ended {
                await_end(&mut child);
            }
            // One that has ended cannot be killed, which is as well.
            let _ = child.kill();
            child.wait().ok()
        });
        let last_words = self.pipes.take().and_then(|pipes| pipes.last_words.join().ok()).unwrap_or_default();
        match status {
            _ if why == NoReply::Unreadable => {
                WorkerExit { cut, killed: false, words: format!("the worker process talks nonsense {last_words}") }
            }
            Some(status) => WorkerExit { cut, killed: was_killed(status), words: describe(status, &last_words) },
            None => WorkerExit { cut, killed: false, words: "the worker process is lost".to_owned() },
        }
    }
}

/// As it is sent.
fn line(request: &Request) -> Vec<u8> {
    let mut line = serde_json::to_vec(request).expect("requests are plain data");
    line.push(b'\n');
    line
}

/// Why a process does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoReply {
    /// It is ending, or has ended.
    Ended,
    /// Its answer is no reply.
    Unreadable,
    /// No question is asked any more.
    Cancelled,
}

/// Lets a process that has closed its output end by itself, so that it is known how it did.
fn await_end(child: &mut Child) {
    const PATIENCE: Duration = Duration::from_secs(10);
    let start = Instant::now();
    while start.elapsed() < PATIENCE && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(Duration::from_millis(2));
    }
}

impl Drop for WorkerSlot {
    fn drop(&mut self) {
        self.retire();
    }
}

/// This program, even if its file was replaced by another version since it started.
fn program() -> io::Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() { Ok(running.to_owned()) } else { std::env::current_exe() }
}

fn was_killed(status: ExitStatus) -> bool {
    const HANG_UP: i32 = 1;
    const INTERRUPT: i32 = 2;
    const KILL: i32 = 9;
    const TERMINATE: i32 = 15;
    matches!(status.signal(), Some(HANG_UP | INTERRUPT | KILL | TERMINATE))
}

fn describe(status: ExitStatus, last_words: &str) -> String {
    let end = match (status.signal(), status.code()) {
        (Some(signal), _) => format!("the worker process died: signal {signal}"),
        (None, Some(code)) => format!("the worker process ended with exit code {code}"),
        (None, None) => "the worker process ended".to_owned(),
    };
    match last_words.trim() {
        "" => end,
        words => format!("{end}: {words}"),
    }
}

/// Reads standard error of a process to its end, and keeps the end.
fn last_words(mut errors: impl Read) -> String {
    let mut kept: VecDeque<u8> = VecDeque::new();
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = errors.read(&mut buffer) {
        kept.extend(&buffer[..length]);
        let excess = kept.len().saturating_sub(LAST_WORDS_BYTES);
        kept.drain(..excess);
    }
    String::from_utf8_lossy(kept.make_contiguous()).into_owned()
}
