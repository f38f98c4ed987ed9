//! `rcheck-smt lsp`: the language server, with the worker processes of `batch`; `serve` shares these among its pages.

use crate::claim::symmetry::Renaming;
use crate::cli::arguments::{parse_duration, parse_megabytes};
use crate::cli::batch::evidence::WantedEvidence;
use crate::cli::batch::process::{Allowance, WorkerSlot};
use crate::cli::batch::protocol::{ListRequest, Request, SpecRequest, WorkerReply};
use crate::cli::batch::watch::{Watched, watching};
use crate::cli::io::editor;
use crate::cli::io::find::{self, FileKinds};
use crate::cli::limits::jobs::jobs;
use crate::cli::status::Status;
use crate::cli::verify::answer::{Method, settings};
use crate::diag::Diagnostic;
use crate::engine::images::symmetries;
use crate::limits::lock;
use crate::lsp::room::Room;
use crate::lsp::{self, Cancel, Departure, SpecOrChecks, TextQuestion, Verifier};
use crate::model::{Constants, Model};
use crate::report::record::{Record, Settings, Unit};
use crate::verify::Engine;
use anyhow::Result;
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub const LSP_HELP: &str = "\
Editors start this command and talk to it on standard input and output; docs/editors.md says how to set them up.

Exit codes:
  0  the editor ended it
  1  the editor ended it without asking it to shut down first
  2  what came in was not the Language Server Protocol";

#[derive(Debug, Args)]
pub struct Lsp {
    /// Does nothing: standard input and output are all there is. Editors add it.
    #[arg(long)]
    pub stdio: bool,
    #[command(flatten)]
    pub effort: Effort,
}

/// The default of [`Effort::timeout`].
pub const TIMEOUT: Duration = Duration::from_secs(300);

/// The default of [`Effort::memory`].
pub const MEGABYTES: u32 = 4096;

/// How much verification behind an editor may take.
#[derive(Debug, Args)]
pub struct Effort {
    /// How many specs to verify at the same time [default: one per core].
    #[arg(long, value_name = "N", value_parser = crate::cli::arguments::parse_positive)]
    pub jobs: Option<u16>,
    /// Give up on a spec after this time: `90`, `90s`, `5m`, `1h`.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
    pub timeout: Duration,
    /// Give up on a spec when its worker process uses this much memory: megabytes, or `4G`. The states that are explored
    /// for all pages together may take as much.
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_megabytes)]
    pub memory: u32,
}

/// Serves an editor until it leaves.
pub fn run(command: &Lsp) -> Result<Status> {
    let workers = Workers::new(&command.effort);
    let (connection, threads) = editor::connect();
    let departure = workers.while_watched(|| lsp::serve(&connection, &workers))?;
    drop(connection);
    threads.join()?;
    Ok(if departure == Departure::Abrupt { Status::Violated } else { Status::Clear })
}

/// Worker processes, which answer questions about specs.
pub struct Workers {
    slots: Vec<Mutex<WorkerSlot>>,
    /// The one that looks at models.
    looker: Mutex<WorkerSlot>,
    /// The questions that the text had which was asked about last: workers keep what they make of a model as long as
    /// they are asked about nothing else.
    listed: Mutex<Option<ListedUnits>>,
    timeout: Duration,
    megabytes: u32,
    /// The memory for the states that pages and editors look at.
    room: Arc<Room>,
}

/// Everything that can be answered.
struct ListedUnits {
    /// About which text, and whether it is about its specs or a check.
    question: TextQuestion,
    units: Vec<Unit>,
}

impl ListedUnits {
    fn serves(&self, question: &TextQuestion) -> bool {
        let TextQuestion { name, text, subject, .. } = &self.question;
        *name == question.name && *text == question.text && subject.check() == question.subject.check()
    }
}

impl Workers {
    /// Workers that start when they are needed.
    pub fn new(effort: &Effort) -> Workers {
        let slots = (0..jobs(effort.jobs, usize::MAX)).map(|_| Mutex::default()).collect();
        Workers {
            slots,
            looker: Mutex::default(),
            listed: Mutex::default(),
            timeout: effort.timeout,
            megabytes: effort.memory,
            room: Room::new(effort.memory),
        }
    }

    /// Does something; meanwhile workers end that run over their time or memory.
    pub fn while_watched<R>(&self, work: impl FnOnce() -> R) -> io::Result<R> {
        let all = self.slots.iter().chain([&self.looker]);
        let watched: Vec<Arc<Watched>> = all.map(|slot| lock(slot).watched()).collect();
        watching(&watched, &AtomicBool::new(false), work)
    }

    fn settings(&self, bound: Option<usize>) -> Settings {
        let method = bound.map_or_else(|| Method::Prove(Engine::ALL.to_vec()), Method::Bmc);
        settings(method, None, Some(self.timeout), Some(self.megabytes))
    }

    /// The units that a question is about.
    fn units(
        &self,
        slot: &mut WorkerSlot,
        question: &TextQuestion,
        settings: &Settings,
    ) -> Result<Vec<Unit>, Box<Record>> {
        let listed = lock(&self.listed).as_ref().filter(|it| it.serves(question)).map(|it| it.units.clone());
        let units = match listed {
            Some(units) => units,
            None => {
                // Others go on meanwhile, and can be cancelled.
                let (path, text) = (PathBuf::from(&question.name), Some(question.text.clone()));
                let (constants, checks) = (Constants::new(), question.subject.check().into_iter().collect());
                let units = slot.list(ListRequest { path, text, constants, settings: settings.clone(), checks })?.specs;
                *lock(&self.listed) = Some(ListedUnits { question: question.clone(), units: units.clone() });
                units
            }
        };
        Ok(match question.subject {
            SpecOrChecks::Spec(number) => units.into_iter().filter(|unit| unit.spec == Some(number + 1)).collect(),
            SpecOrChecks::Checks(_) => units,
        })
    }
}

impl Verifier for Workers {
    fn places(&self) -> usize {
        self.slots.len()
    }

    fn look(&self, name: &str, text: &str) -> Vec<Diagnostic> {
        let request = Request::Look { path: PathBuf::from(name), text: text.to_owned() };
        match lock(&self.looker).ask(&request, Allowance::of(&self.settings(None)), &mut |_| {}) {
            Ok(WorkerReply::Looked(findings)) => findings,
            // It was not asked for, and what is wrong with the text is said already.
            Ok(_) | Err(_) => Vec::new(),
        }
    }

    fn answer(
        &self,
        place: usize,
        question: &TextQuestion,
        cancel: &Cancel,
        progress: &mut dyn FnMut(String),
    ) -> Vec<Record> {
        let mut slot = lock(&self.slots[place]);
        let settings = self.settings(question.bound);
        let watched = slot.watched();
        cancel.during(
            move || watched.cancel(),
            || {
                let units = match self.units(&mut slot, question, &settings) {
                    Ok(units) => units,
                    Err(record) => return vec![*record],
                };
                let answer = |unit: Unit| {
                    let (checks, text) = (unit.check.into_iter().collect(), Some(question.text.clone()));
                    let certificates = question.certificates.clone();
                    let wanted = WantedEvidence { certificates, explanation: true, ..WantedEvidence::default() };
                    let request = SpecRequest { unit, text, settings: settings.clone(), checks, wanted };
                    slot.answer(request, &mut |known, _| progress(known.to_string()))
                };
                units.into_iter().take_while(|_| !cancel.is_set()).map(answer).collect()
            },
        )
    }

    fn symmetries(&self, model: &Model) -> Vec<Renaming> {
        symmetries(model)
    }

    fn room(&self) -> &Arc<Room> {
        &self.room
    }

    fn models(&self, folder: &Path) -> Vec<PathBuf> {
        let found = find::collect(&[folder.to_owned()], FileKinds::Models);
        found.into_iter().filter(|(_, usable)| usable.is_ok()).map(|(path, _)| PathBuf::from(path)).collect()
    }
}
