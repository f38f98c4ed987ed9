//! `rcheck-smt serve`: a page in the browser, for models of this machine and nobody else.
//!
//! The server listens on the loopback interface only. Its address has a random token, without which nothing is answered;
//! requests that name another host or come from another site are refused, so that no other page that the browser shows can
//! reach it. All files of the page are in the program. In reading order: [`request`], what a browser asks for and who may
//! ask; [`page`], the files; [`tab`], an open page, with a language server of its own; [`models`], the files that it shows.

mod models;
mod page;
mod request;
mod tab;

use crate::cli::io::out::remark;
use crate::cli::lsp::{Effort, Workers};
use crate::cli::status::Status;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use models::Models;
use request::{Answer, Own};
use std::io::{ErrorKind, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

pub const SERVE_HELP: &str = "\
Open the address that it prints in a browser on this machine. Whoever knows the address can read and change the models, \
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
    /// What of the page to show first.
    #[arg(skip)]
    pub view: Option<&'static str>,
}

/// More connections at the same time are closed at once.
const MOST_CONNECTIONS: usize = 64;

/// A browser that asks for nothing for so long is left.
const LONGEST_SILENCE: Duration = Duration::from_secs(10);

/// What tabs need of the stack: models are read there.
const STACK_BYTES: usize = 64 << 20;

/// Serves until it is stopped.
pub fn run(command: &Serve) -> Result<Status> {
    let models = Models::find(&command.paths)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, command.port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => {
            anyhow!("port {} is in use: end what listens there, or name another one with `--port`", command.port)
        }
        _ => anyhow!(error).context(format!("cannot listen on port {}", command.port)),
    })?;
    let own = Own { port: listener.local_addr().context("cannot listen")?.port(), token: token()? };
    let view = command.view.map(|view| format!("#{view}")).unwrap_or_default();
    let address = own.address();
    remark(format_args!("{address}{view}\nOpen this address in a browser on this machine; Ctrl-C ends the server."));
    let workers = Workers::new(&command.effort);
    let connections = AtomicUsize::new(0);
    workers.while_watched(|| {
        thread::scope(|scope| {
            for stream in listener.incoming().flatten() {
                if connections.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
                    connections.fetch_sub(1, Ordering::SeqCst);
                    continue;
                }
                let (own, models, workers, connections) = (&own, &models, &workers, &connections);
                let answer = move || {
                    // A browser that has left hears no answer.
                    let _ = answer(stream, own, models, workers);
                    connections.fetch_sub(1, Ordering::SeqCst);
                };
                if thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, answer).is_err() {
                    connections.fetch_sub(1, Ordering::SeqCst);
                }
            }
        });
    })?;
    Ok(Status::Clear)
}

/// Something that nobody guesses.
fn token() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow!("the system gives no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Answers one request of a browser.
fn answer(mut stream: TcpStream, own: &Own, models: &Models, workers: &Workers) -> std::io::Result<()> {
    stream.set_read_timeout(Some(LONGEST_SILENCE))?;
    stream.set_write_timeout(Some(LONGEST_SILENCE))?;
    stream.set_nodelay(true)?;
    let Some((request, rest)) = request::read(&mut stream)? else { return Ok(()) };
    match request.answer(own) {
        Answer::Socket => {
            stream.set_read_timeout(None)?;
            tab::serve(stream, &request, rest, models, workers)
        }
        Answer::File(file) => stream.write_all(&file.response(own)),
        Answer::Refused(refusal) => stream.write_all(&refusal.response()),
    }
}
