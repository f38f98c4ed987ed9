//! Worker processes as the batch sees them: made when needed, asked, replaced when they die or have grown.

use super::protocol::{ListRequest, Listing, Request, SpecRequest, WorkerReply};
use super::watch::{Cut, Watched};
use crate::cli::io::language;
use crate::cli::verify::known::Known;
use crate::limits::now;
use crate::report::record::{Cause, Record, Settings, Unit, seconds};
use crate::verify::Progress;
use nix::sys::signal::Signal;
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

/// A worker that does not keep its limit of time by itself is killed that much later, and a tenth of the limit.
const GRACE: Duration = Duration::from_secs(3);

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
    pub deadline: Option<Instant>,
    /// The memory in megabytes beyond which it is killed.
    pub megabytes: Option<u32>,
}

impl Allowance {
    /// Those of settings, from now on.
    pub fn of(settings: &Settings) -> Allowance {
        let limit = settings.timeout.map(Duration::from_secs_f64);
        let deadline = limit.and_then(|limit| now().checked_add(limit + limit / 10 + GRACE));
        Allowance { deadline, megabytes: settings.memory_limit }
    }
}

/// A worker that ended without an answer.
#[derive(Debug)]
pub struct WorkerExit {
    /// Why the batch killed it, if it did.
    cut: Option<Cut>,
    /// True if something else killed it: a signal that does not come from the process itself.
    killed: bool,
    /// How it ended, for people.
    words: String,
}

impl WorkerSlot {
    pub fn watched(&self) -> Arc<Watched> {
        self.watched.clone()
    }

    /// The units of a file; a record that says why they are not known, if the worker ends before.
    pub fn list(&mut self, request: ListRequest) -> Result<Box<Listing>, Box<Record>> {
        let unit = Unit::file(&request.path.display().to_string(), None).given(&request.constants);
        let (record, start) = (Record::new(unit, request.settings.clone()), Instant::now());
        let allowance = Allowance::of(&request.settings);
        match self.ask(&Request::List(request), allowance, &mut |_| {}) {
            Ok(WorkerReply::Listed(listing)) => Ok(listing),
            other => Err(Box::new(unanswered(record, start, other, &Known::default()))),
        }
    }

    /// The answer to a question about a spec, or what is known if the worker ends before. Tells what is known, and what of it is new.
    pub fn answer(&mut self, request: SpecRequest, progress: &mut dyn FnMut(&Known, Progress)) -> Record {
        let (record, start) = (Record::new(request.unit.clone(), request.settings.clone()), Instant::now());
        let (allowance, mut known) = (Allowance::of(&request.settings), Known::default());
        let mut note = |news| {
            known.add(news);
            progress(&known, news);
        };
        match self.ask(&Request::Answer(Box::new(request)), allowance, &mut note) {
            Ok(WorkerReply::Answered(record)) => *record,
            other => unanswered(record, start, other, &known),
        }
    }

    /// Asks, and tells how the work goes on. After an exit the next question goes to a new process.
    pub fn ask(
        &mut self,
        request: &Request,
        allowance: Allowance,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<WorkerReply, WorkerExit> {
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

    fn converse(&mut self, request: &Request, progress: &mut dyn FnMut(Progress)) -> Result<WorkerReply, NoReply> {
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
                Ok(WorkerReply::Progress(known)) => progress(known),
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

/// A record in place of an answer.
fn unanswered(mut record: Record, start: Instant, reply: Result<WorkerReply, WorkerExit>, known: &Known) -> Record {
    record.seconds.wall = seconds(start.elapsed());
    let exit = match reply {
        Ok(_) => return record.failed(Cause::Crash, "a worker gave the wrong answer".to_owned()),
        Err(exit) => exit,
    };
    let (cause, words) = match exit.cut {
        Some(Cut::Timeout) => (Cause::Timeout, "timeout"),
        Some(Cut::Memory) => (Cause::Memory, "memory limit reached"),
        Some(Cut::Halt) => (Cause::Interrupted, "interrupted"),
        None if exit.killed => (Cause::Killed, exit.words.as_str()),
        None => return record.failed(Cause::Crash, exit.words),
    };
    let visited = known.states().map(|states| format!("; states of model and automaton visited: {states}"));
    record.unknown(cause, known.clear(), format!("{words}{}", visited.unwrap_or_default()))
}

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
    let signal = status.signal().and_then(|number| Signal::try_from(number).ok());
    matches!(signal, Some(Signal::SIGHUP | Signal::SIGINT | Signal::SIGKILL | Signal::SIGTERM))
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
