//! `rcheck-smt serve`: a page in the browser, for models of this machine only.
//!
//! The server listens on the loopback interface only. Its address has a random token, without which nothing is answered;
//! requests that name another host or come from another site are refused, so that no other page that the browser shows can
//! reach it. All files of the page are in the program. In reading order: [`request`], what a browser asks for and who may
//! ask; [`page`], the files; [`tab`], an open page, with a language server of its own; [`models`], the files that it shows.
//!
//! It answers HTTP itself (`httparse` reads heads), so that one port and one thread per connection suffice;
//! `tungstenite` has the WebSocket. The page keeps numbers of states only ([`crate::lsp::space`]).

mod models;
mod page;
mod request;
mod tab;

use crate::cli::io::out::remark;
use crate::cli::lsp::{Effort, Workers};
use crate::cli::status::Status;
use crate::limits::{STACK_BYTES, lock};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use models::Models;
use request::{HttpResponse, OwnAddress, Refusal};
use std::collections::VecDeque;
use std::io::{ErrorKind, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

pub const SERVE_HELP: &str = "\
Open the address that it prints in a browser on this machine. With the address, one can read and change the models, \
so keep it to yourself. Ctrl-C ends the server.

Exit codes:
  2  the port is in use, or there are no models
  130  stopped by Ctrl-C";

#[derive(Debug, Args)]
pub struct Serve {
    /// Models, or folders of models.
    #[arg(value_name = "MODEL", default_value = ".")]
    pub paths: Vec<PathBuf>,
    /// The port to listen on [default: any that is free].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    #[command(flatten)]
    pub effort: Effort,
    /// The view of the page to show first.
    #[arg(skip)]
    pub view: Option<&'static str>,
}

/// More pages at the same time are not shown.
const MOST_PAGES: usize = 64;

/// Of more connections that have not said what they want, the oldest is closed.
const MOST_SILENT: usize = 64;

/// A browser that asks for nothing for so long is left.
const LONGEST_SILENCE: Duration = Duration::from_secs(10);

/// Serves until it is stopped.
pub fn run(command: &Serve) -> Result<Status> {
    let models = Models::find(&command.paths)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, command.port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => {
            anyhow!("port {} is in use: end what listens there, or name another one with `--port`", command.port)
        }
        _ => anyhow!(error).context(format!("cannot listen on port {}", command.port)),
    })?;
    let own = OwnAddress { port: listener.local_addr().context("cannot listen")?.port(), token: token()? };
    let view = command.view.map(|view| format!("#{view}")).unwrap_or_default();
    let address = own.address();
    remark(format_args!("{address}{view}\nOpen this address in a browser on this machine; Ctrl-C ends the server."));
    models.unreadable().for_each(|why| remark(format_args!("warning: {why:#}")));
    let workers = Workers::new(&command.effort);
    let server =
        PageServer { own, models, workers: &workers, silent: SilentConnections::default(), pages: AtomicUsize::new(0) };
    workers.while_watched(|| {
        thread::scope(|scope| {
            for (number, stream) in (0..).zip(listener.incoming().flatten()) {
                let server = &server;
                server.silent.add(number, &stream);
                let answer = move || {
                    // A browser that has left hears no answer.
                    let _ = server.answer(number, stream);
                    server.silent.remove(number);
                };
                if thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, answer).is_err() {
                    server.silent.remove(number);
                }
            }
        });
    })?;
    Ok(Status::Clear)
}

/// The state that all connections share.
struct PageServer<'w> {
    own: OwnAddress,
    models: Models,
    workers: &'w Workers,
    silent: SilentConnections,
    pages: AtomicUsize,
}

/// Connections that have not said yet what they want, by their numbers, the oldest first.
#[derive(Default)]
struct SilentConnections(Mutex<VecDeque<(u64, TcpStream)>>);

impl SilentConnections {
    fn add(&self, number: u64, stream: &TcpStream) {
        let mut streams = lock(&self.0);
        streams.extend(stream.try_clone().ok().map(|stream| (number, stream)));
        if streams.len() > MOST_SILENT
            && let Some((_, oldest)) = streams.pop_front()
        {
            // Its thread hears that it is over; it may have ended already.
            let _ = oldest.shutdown(Shutdown::Both);
        }
    }

    fn remove(&self, number: u64) {
        lock(&self.0).retain(|(other, _)| *other != number);
    }
}

/// A token that cannot be guessed.
fn token() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow!("the system gives no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl PageServer<'_> {
    /// Answers the one request of a connection.
    fn answer(&self, number: u64, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(LONGEST_SILENCE))?;
        stream.set_write_timeout(Some(LONGEST_SILENCE))?;
        stream.set_nodelay(true)?;
        let request = request::read(&mut stream)?;
        self.silent.remove(number);
        let Some((request, rest)) = request else { return Ok(()) };
        match request.answer(&self.own) {
            HttpResponse::Socket => {
                stream.set_read_timeout(None)?;
                let is_one_too_many = self.pages.fetch_add(1, Ordering::SeqCst) >= MOST_PAGES;
                let served = match is_one_too_many {
                    true => stream.write_all(&Refusal::Busy.response()),
                    false => tab::serve(stream, &request, rest, &self.models, self.workers),
                };
                self.pages.fetch_sub(1, Ordering::SeqCst);
                served
            }
            HttpResponse::File(file) => stream.write_all(&file.response(self.own.port)),
            HttpResponse::Refused(refusal) => stream.write_all(&refusal.response()),
        }
    }
}
