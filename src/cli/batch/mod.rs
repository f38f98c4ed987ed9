//! `rcheck-smt batch`: many models, many specs.
//!
//! The unit of work is one spec. Units are answered by worker *processes* ([`worker`], this program again under a
//! hidden command), one per job: so a crash costs its unit alone, limits of memory and time hold whatever the unit is
//! doing, and solvers do not wait for each other. A worker lives as long as nothing goes wrong; a thread of a rayon
//! pool leases it and asks one question after the other ([`process`]), while [`watch`] keeps the limits. The batch
//! itself never makes a verdict. It passes on the records of workers; where a worker dies, the record is unknown if it
//! was killed from outside or at a limit, and an internal error otherwise.
//!
//! Processes, not threads: a crash of the solver, a stack overflow or a lack of memory ends a process; Z3's memory
//! limits are those of a process; and Z3's allocations in threads of one process wait for each other. A worker keeps
//! the model of its last unit, and rayon splits the list so that neighbours, which share a model, go to the same
//! worker. Engines keep limits first, which leaves them the chance to say what is clear.

pub mod arguments;
mod display;
mod earlier;
pub mod evidence;
mod journal;
mod listing;
pub mod process;
pub mod protocol;
pub mod watch;
pub mod worker;

use crate::cli::arguments::BOUND;
use crate::cli::io::find::{self, FileKinds, UsableFiles};
use crate::cli::io::input::is_standard_input;
use crate::cli::io::out::{remark, shown};
use crate::cli::io::{interrupt, replace};
use crate::cli::limits::jobs::jobs;
use crate::cli::results::exports;
use crate::cli::status::Status;
use crate::cli::verify::answer::{Method, settings};
use crate::limits::lock;
use crate::model::Constants;
use crate::report::record::{Cause, Check, Named, Record, Settings, Unit};
use crate::syntax::ast::Dialect;
use anyhow::{Context, Result, bail};
use arguments::{ModeName, Running, Shard};
use display::Display;
use earlier::Earlier;
use evidence::WantedEvidence;
use journal::{Journal, JournalLock};
use process::WorkerSlot;
use protocol::SpecRequest;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use watch::{Watched, watching};

/// Everything that the threads of a batch share.
struct Batch<'a> {
    running: &'a Running,
    settings: Settings,
    checks: Vec<Check>,
    wanted: WantedEvidence,
    /// One per thread of the pool.
    places: Vec<Mutex<WorkerSlot>>,
    /// Nothing is begun any more, and all workers at work are killed.
    halt: Arc<AtomicBool>,
    /// True if an interrupt is the reason.
    interrupted: Arc<AtomicBool>,
}

/// The units that are asked for.
enum AskedUnits<'a> {
    /// Those that files have.
    Files(UnitsOfFiles),
    /// The names of the same; first of those that took longest in these results.
    Names(UnitsOfFiles, Option<&'a Path>),
    /// Units of which the names are known.
    Units(Vec<(String, Named)>),
}

/// Whatever files have, with each choice of constants, or a part of it.
struct UnitsOfFiles {
    files: UsableFiles,
    given: Vec<Constants>,
    shard: Option<Shard>,
}

/// Verifies everything that the arguments name, or lists it.
pub fn run(command: &arguments::Batch) -> Result<Status> {
    let (checks, running) = (command.checks.kinds(), &command.running);
    if running.mode == ModeName::Check && !checks.is_empty() {
        bail!("--mode check only reads the files; --deadlock, --overflow and --dead-code need `bmc` or `prove`");
    }
    if command.paths.iter().any(|path| is_standard_input(path)) {
        bail!("`batch` reads files and folders; for standard input, use `bmc -`, `prove -` or `check -`");
    }
    let given = command.reading.every()?.into_iter().map(|how| how.constants).collect();
    let files = find::collect(&command.paths, FileKinds::Verifiable);
    let units = UnitsOfFiles { files, given, shard: command.shard };
    let asked = match command.units {
        false => AskedUnits::Files(units),
        true => AskedUnits::Names(units, command.slowest_first.as_deref()),
    };
    start(running, command.reading.dialect(), checks, asked)
}

/// Verifies the units with these names.
pub fn answer(command: &arguments::AnswerUnit) -> Result<Status> {
    let units = listing::parse_units(&command.units)?;
    let checks: BTreeSet<Check> = units.iter().filter_map(|(_, named)| named.check).collect();
    start(&command.running, command.spoken.dialect, checks.into_iter().collect(), AskedUnits::Units(units))
}

fn start(running: &Running, dialect: Option<Dialect>, checks: Vec<Check>, asked: AskedUnits) -> Result<Status> {
    let method = match running.mode {
        ModeName::Bmc => Method::Bmc(running.bound.unwrap_or(BOUND)),
        ModeName::Prove => Method::Prove(running.portfolio.engines()),
        ModeName::Check => Method::Check,
    };
    if running.certificate.is_some() && running.mode != ModeName::Prove {
        bail!("--certificate needs --mode prove");
    }
    if running.portfolio.is_chosen() && running.mode != ModeName::Prove {
        bail!("--engine needs --mode prove");
    }
    if running.bound.is_some() && running.mode != ModeName::Bmc {
        bail!("--bound needs --mode bmc");
    }
    let lists = matches!(asked, AskedUnits::Names(..));
    if lists && running.output.is_some() && !running.resume {
        bail!("--units answers nothing; with `--resume`, it lists what the file of --output does not answer");
    }
    let settings = settings(method, dialect, running.timeout, running.memory);
    replace::refuse_repetition(running.output.as_deref().into_iter().chain(running.exports.paths()))?;
    let wanted = WantedEvidence {
        traces: running.traces.clone(),
        certificates: running.certificate.clone(),
        explanation: false,
    };
    wanted.prepare()?;
    running.output.as_deref().map_or(Ok(()), replace::refuse_input)?;
    running.exports.check()?;
    let right = running.output.as_deref().filter(|_| !lists).map(JournalLock::take).transpose()?;
    let earlier = Earlier::read(running.output.as_deref(), running.resume)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs(running.jobs, usize::MAX)).build();
    let pool = pool.context("cannot start threads for the jobs")?;
    let (halt, interrupted) = on_interrupt()?;
    let batch = Batch {
        running,
        settings,
        checks,
        wanted,
        places: (0..pool.current_num_threads()).map(|_| Mutex::default()).collect(),
        halt,
        interrupted,
    };
    let watched: Vec<Arc<Watched>> = batch.places.iter().map(|place| lock(place).watched()).collect();
    watching(&watched, &batch.halt, || batch.run(&pool, asked, (right, earlier)))?
}

/// Set when Ctrl-C is pressed, or when the process is asked to end; who asks twice does not want to wait.
fn on_interrupt() -> Result<(Arc<AtomicBool>, Arc<AtomicBool>)> {
    let (halt, interrupted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let flags = (halt.clone(), interrupted.clone());
    interrupt::on_interrupt(move || {
        if flags.1.swap(true, Ordering::Relaxed) {
            interrupt::end();
        }
        flags.0.store(true, Ordering::Relaxed);
    })?;
    Ok((halt, interrupted))
}

/// One part of what there is to do.
fn part(tasks: Vec<BatchTask>, shard: Option<Shard>) -> Vec<BatchTask> {
    match shard {
        Some(Shard { index, count }) => tasks.into_iter().skip(index - 1).step_by(count).collect(),
        None => tasks,
    }
}

/// A unit to verify, or a record that is known without any work.
enum BatchTask {
    Known(Box<Record>),
    Open(Unit),
}

impl BatchTask {
    fn unit(&self) -> &Unit {
        match self {
            BatchTask::Known(record) => &record.unit,
            BatchTask::Open(unit) => unit,
        }
    }
}

impl Batch<'_> {
    fn run(
        &self,
        pool: &ThreadPool,
        asked: AskedUnits,
        (right, earlier): (Option<JournalLock>, Earlier),
    ) -> Result<Status> {
        let running = self.running;
        let is_part = matches!(asked, AskedUnits::Units(_));
        let (tasks, listed, found) = match asked {
            AskedUnits::Files(UnitsOfFiles { files, given, shard }) => {
                let tasks = self.list(files, &given, pool);
                let listed = tasks.iter().map(|task| task.unit().clone()).collect();
                (part(tasks, shard), listed, Status::Clear)
            }
            AskedUnits::Names(UnitsOfFiles { files, given, shard }, slowest_first) => {
                let tasks = part(self.list(files, &given, pool), shard);
                let tasks: Vec<BatchTask> = tasks.into_iter().map(|task| self.recall(task, &earlier)).collect();
                // An interrupted listing is not complete.
                if self.interrupted.load(Ordering::Relaxed) {
                    return Ok(Status::Interrupted);
                }
                return listing::print_units(&tasks, running.exports.format, slowest_first, &earlier);
            }
            AskedUnits::Units(units) => {
                let (tasks, found) = self.find(units, pool);
                (tasks, Vec::new(), found)
            }
        };
        let tasks: Vec<BatchTask> = tasks.into_iter().map(|task| self.recall(task, &earlier)).collect();
        let provisional = earlier.provisional(&tasks, &self.settings);
        let others = earlier.others(&listed, &tasks, &self.settings);
        let known = tasks.iter().filter_map(|task| match task {
            BatchTask::Known(record) => Some(&**record),
            BatchTask::Open(_) => None,
        });
        let known = known.chain(&others).chain(&provisional);
        let journal = right.map(|right| Journal::open(right, known)).transpose()?;
        let open = tasks.iter().filter(|task| matches!(task, BatchTask::Open(_))).count();
        let limit = self.settings.timeout.map(Duration::from_secs_f64);
        let display = Display::new(running.quiet, open, self.places.len(), limit);
        let answers: Vec<Option<Record>> = pool.install(|| {
            let tasks = tasks.into_par_iter().with_max_len(1);
            tasks.map(|task| self.answer(task, &display, journal.as_ref())).collect()
        });
        display.close();
        let not_run = answers.iter().filter(|answer| answer.is_none()).count();
        let records: Vec<Record> = answers.into_iter().flatten().collect();
        // An interrupted answer tells no more than was known before.
        let (cut, new): (Vec<&Record>, Vec<&Record>) =
            records.iter().partition(|record| record.cause == Some(Cause::Interrupted));
        let all = cut.into_iter().chain(&provisional).chain(new).chain(&others).cloned();
        let written = journal.map_or(Ok(()), |journal| journal.finish(all));
        let judged = exports::write(&records, &running.exports)?;
        let answered = records.iter().map(Status::of_answer).fold(Status::Clear, Status::worst);
        let status = if is_part { answered } else { judged };
        let status = status.worst(self.judge_evidence(&records)).worst(found);
        written?;
        if not_run > 0 {
            let output = running.output.as_deref();
            let goes_on = output.map(|path| format!("; `--output {} --resume` goes on", shown(path)));
            remark(format_args!("stopped early: {not_run} not run{}", goes_on.unwrap_or_default()));
        }
        Ok(match self.interrupted.load(Ordering::Relaxed) {
            true => Status::Interrupted,
            false if not_run > 0 => status.worst(Status::Unknown),
            false => status,
        })
    }

    /// Says which evidence could not be written.
    fn judge_evidence(&self, records: &[Record]) -> Status {
        const MOST: usize = 5;
        let missing = records.iter().filter(|record| !self.wanted.is_written(record));
        let missing: Vec<&Record> = missing.collect();
        for Record { unit, reason, .. } in missing.iter().take(MOST) {
            let why = reason.as_deref().unwrap_or("its evidence is missing");
            remark(format_args!("error: {} {}: {why}", unit.place(), unit.label()));
        }
        if missing.len() > MOST {
            remark(format_args!("error: the evidence for {} more is missing", missing.len() - MOST));
        }
        if missing.is_empty() { Status::Clear } else { Status::BadInput }
    }

    /// Answers from an earlier run.
    fn recall(&self, task: BatchTask, earlier: &Earlier) -> BatchTask {
        let BatchTask::Open(unit) = task else { return task };
        match earlier.answer(&unit, &self.settings, &self.wanted) {
            Some(record) => BatchTask::Known(Box::new(record.clone())),
            None => BatchTask::Open(unit),
        }
    }

    /// `None` if the batch stops before.
    fn answer(&self, task: BatchTask, display: &Display, journal: Option<&Journal>) -> Option<Record> {
        let unit = match task {
            BatchTask::Known(record) => {
                self.stop_at_failure(&record);
                return Some(*record);
            }
            BatchTask::Open(_) if self.halt.load(Ordering::Relaxed) => return None,
            BatchTask::Open(unit) => unit,
        };
        let worker = rayon::current_thread_index().unwrap_or_default();
        display.begin(worker, &unit);
        let (settings, checks, wanted) = (self.settings.clone(), self.checks.clone(), self.wanted.clone());
        let request = SpecRequest { unit, text: None, settings, checks, wanted };
        let record = self.place().answer(request, &mut |_, news| display.progress(worker, news));
        display.end(worker, &record);
        if let Some(journal) = journal {
            journal.add(&record);
        }
        self.stop_at_failure(&record);
        Some(record)
    }

    fn stop_at_failure(&self, record: &Record) {
        if self.running.fail_fast && !matches!(Status::of(record), Status::Clear | Status::Unknown) {
            self.halt.store(true, Ordering::Relaxed);
        }
    }

    /// The place of the thread that asks; no other thread uses it.
    fn place(&self) -> MutexGuard<'_, WorkerSlot> {
        lock(&self.places[rayon::current_thread_index().unwrap_or_default()])
    }
}
