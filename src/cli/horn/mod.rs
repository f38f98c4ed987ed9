//! Horn clauses and VMT-LIB in the commands that verify: `prove`, `bmc`, `batch`, `certify`, `check`.

pub mod certify;

use crate::certificate_file::horn::{ClausesDocument, clause_queries};
use crate::cli::arguments::Format;
use crate::cli::batch::evidence::WantedEvidence;
use crate::cli::io::input::{How, Loaded, findings, read, show};
use crate::cli::io::kind::Kind;
use crate::cli::io::out::{document, fitted, print, remark, shown};
use crate::cli::io::{interrupt, language, log, replace};
use crate::cli::limits::watchdog;
use crate::cli::results::form;
use crate::cli::status::Status;
use crate::cli::verify::Proofs;
use crate::cli::verify::answer::{Method, judged, settings};
use crate::cli::verify::arguments::Verification;
use crate::cli::verify::certificates::prepare;
use crate::cli::verify::files::{EvidenceFile, with_ending};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::escape::visible;
use crate::horn::{self, Clauses, Question};
use crate::limits::{Budget, Reason, Stop, within};
use crate::reading::sha256;
use crate::report::horn::{Options, QUESTION, evidence, write};
use crate::report::human;
use crate::report::record::{self, Cause, Expectation, Mode, Record, Settings, Unit, cause, seconds};
use crate::source::SourceFile;
use crate::syntax::ast::Dialect;
use crate::verify::horn::{ENGINES, HornSearch, Outcome, Verdict, remarks, verify};
use crate::verify::{Engine, Progress};
use crate::words::count;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The name of the only question about a file in the names of files.
const STEM: &str = "clauses";

/// How clauses in a file are written; none if it is a model.
pub fn format(path: &Path) -> Option<horn::Format> {
    language::of_clauses(path)
}

/// The question about a file, of which nothing may be known but its name.
fn unit(source: &SourceFile, clauses: Option<&Clauses>) -> Unit {
    let unit = Unit::file(source.name(), Some(sha256(source)));
    let expect = clauses.and_then(|clauses| clauses.status);
    let expect = expect.map(|safe| if safe { Expectation::Holds } else { Expectation::Violated });
    let is_query = clauses.is_some_and(|clauses| clauses.question == Question::Reachable);
    let text =
        if is_query { format!("{QUESTION} (if one is, solvers answer `sat` to `query`)") } else { QUESTION.to_owned() };
    Unit { spec: Some(1), text: Some(text), line: Some(1), expect, ..unit }
}

/// Those engines that can be asked about clauses.
fn engines(asked: &[Engine]) -> Vec<Engine> {
    asked.iter().copied().filter(|engine| ENGINES.contains(engine)).collect()
}

pub fn run(command: &Verification, format: horn::Format, method: Method, proofs: Proofs) -> Result<Status> {
    log::begin(command.verbose);
    refuse_options(command)?;
    let settings = settings(method, None, command.timeout, command.memory);
    if engines(&settings.engines).is_empty() {
        bail!("{}: the engines for clauses are {}", shown(&command.file), Engine::list(&ENGINES, ", "));
    }
    proofs.folder.map(prepare).transpose()?;
    watchdog::limit_memory(command.memory);
    let source = read(&command.file)?;
    give_up(command, &source, &settings)?;
    watchdog::begin(0, command.timeout);
    let start = Instant::now();
    let budget = Budget::new(command.timeout);
    let clauses = match within(budget, &Stop::new(), || format.read(source.text())) {
        Ok(Ok(clauses)) => clauses,
        Ok(Err(faults)) => {
            let found = horn::findings(faults);
            show(&source, &found);
            if command.format != Format::Human {
                document(&form::records(command.format, [&of_file(&source, &found, &settings)]));
            }
            return Ok(Status::BadInput);
        }
        Err(reason) => {
            say_unknown(command.format, unit(&source, None), &settings, &reason);
            return Ok(Status::Unknown);
        }
    };
    let remarks = remarks(&clauses);
    let qualifying = qualifying(&remarks);
    show(&source, if command.quiet { &qualifying } else { &remarks });
    let outcome = search(&clauses, &settings, budget, &|_| {});
    let mut record = answer(Record::new(unit(&source, Some(&clauses)), settings), &clauses, &outcome);
    record.findings = findings(&source, &qualifying);
    record.seconds.wall = seconds(start.elapsed());
    for words in &record.refused {
        remark(format_args!("warning: {words}"));
    }
    let mut written = Vec::new();
    if let Some(folder) = proofs.folder {
        written = write_certificate(&folder.join(STEM), &source, &clauses, &outcome)?;
    }
    record.evidence = written.iter().map(|file| file.path.clone()).collect();
    watchdog::end(0);
    match command.format {
        Format::Human => {
            let options = Options { source: &source, full: command.full, explain: proofs.explain };
            let mut text = Vec::new();
            write(&mut text, &clauses, &outcome, options)?;
            human::write_expectation(&mut text, &record)?;
            for EvidenceFile { what, path } in &written {
                text.extend(format!("  {what} {}\n", shown(path)).bytes());
            }
            if command.stats {
                let engine = outcome.engine.map_or("no engine", Engine::name);
                text.extend(format!("  decided by {engine}, {:.2} s\n", record.seconds.wall).bytes());
            }
            print(fitted(text));
        }
        _ => document(&form::records(command.format, [&record])),
    }
    Ok(Status::of(&record))
}

/// Options that mean nothing here are not passed over in silence.
fn refuse_options(command: &Verification) -> Result<()> {
    let named = [
        ("--spec", !command.spec.is_empty()),
        ("--deadlock`, `--overflow` and `--dead-code", !command.checks.kinds().is_empty()),
        ("--save-trace", command.save_trace.is_some()),
        ("--chart", command.chart.is_some()),
        ("--simulate", command.simulate),
    ];
    refuse_reading(&command.file, command.reading.is_given())?;
    for (option, given) in named {
        if given {
            bail!("{}: `{option}` is for models; this is a system of clauses", shown(&command.file));
        }
    }
    Ok(())
}

/// The same for options that say how a model is read.
fn refuse_reading(file: &Path, given: bool) -> Result<()> {
    if given {
        let file = shown(file);
        bail!(
            "{file}: `--dialect`, `--const`, `--size`, `--any-number`, `--fair`, `--point-to-point` and `--uniform` are for models; this is a system of clauses"
        );
    }
    Ok(())
}

/// Says what is known when a limit is broken or Ctrl-C is pressed.
fn give_up(command: &Verification, source: &SourceFile, settings: &Settings) -> Result<()> {
    let (form, unit) = (command.format, unit(source, None));
    let (broken, interrupted) = ((unit.clone(), settings.clone()), (unit, settings.clone()));
    watchdog::on_break(move |what| {
        let reason = if what == watchdog::Broken::Memory { Reason::Memory } else { Reason::Timeout };
        say_unknown(form, broken.0.clone(), &broken.1, &reason);
        Some(Status::Unknown)
    });
    interrupt::on_interrupt(move || {
        interrupt::end_line();
        say_unknown(form, interrupted.0.clone(), &interrupted.1, &Reason::Interrupted);
        interrupt::end();
    })
}

fn say_unknown(form: Format, unit: Unit, settings: &Settings, reason: &Reason) {
    match form {
        Format::Human => print(format!("{QUESTION}: unknown ({})\n", visible(&reason.to_string()))),
        _ => {
            let record = Record::new(unit, settings.clone()).unknown(cause(reason), None, reason.to_string());
            document(&form::records(form, [&record]));
        }
    }
}

pub fn search(clauses: &Clauses, settings: &Settings, budget: Budget, progress: &(dyn Fn(Progress) + Sync)) -> Outcome {
    let (engines, bound) = (engines(&settings.engines), settings.bound.unwrap_or(usize::MAX));
    let stop = Stop::new();
    verify(clauses, HornSearch { engines: &engines, bound, budget, stop: &stop, progress })
}

/// The record of an outcome.
pub fn answer(mut record: Record, clauses: &Clauses, outcome: &Outcome) -> Record {
    record.engine = outcome.engine.map(|engine| engine.name().to_owned());
    let refused = outcome.refused.iter().map(|(engine, why)| format!("a claim of {engine} was refused: {why}"));
    record.refused = refused.collect();
    (record.cause, record.reason) = (None, None);
    let verdict = match &outcome.verdict {
        Verdict::Holds(proof) => {
            record.proof = Some(evidence(proof.conjuncts(clauses)));
            record::Verdict::Holds
        }
        Verdict::Violated(refutation) => {
            record.depth = Some(refutation.steps());
            record::Verdict::Violated
        }
        Verdict::Clear(depth) => {
            record.depth = Some(*depth);
            record::Verdict::Clear
        }
        Verdict::Unknown { clear, reason } => return record.unknown(cause(reason), *clear, reason.to_string()),
    };
    record.with_verdict(verdict)
}

/// Writes the evidence for a verdict to `STEM.json`, and what a solver can check of it to `STEM-1.smt2` and so on, a file
/// for each clause; nothing if it is undecided.
pub fn write_certificate(
    stem: &Path,
    source: &SourceFile,
    clauses: &Clauses,
    outcome: &Outcome,
) -> Result<Vec<EvidenceFile>> {
    let hash = sha256(source);
    let (certificate, queries) = match &outcome.verdict {
        Verdict::Holds(proof) => (
            ClausesDocument::of_proof(source.name(), &hash, clauses, proof),
            clause_queries(source.name(), clauses, proof),
        ),
        Verdict::Violated(refutation) => {
            (ClausesDocument::of_refutation(source.name(), &hash, clauses, refutation), Vec::new())
        }
        Verdict::Clear(_) | Verdict::Unknown { .. } => return Ok(Vec::new()),
    };
    let path = with_ending(stem, ".json");
    replace::write(&path, Kind::Certificate, certificate.write())?;
    for (number, query) in (1..).zip(queries) {
        // Listed once, by the certificate that they belong to.
        replace::write(&with_ending(stem, &format!("-{number}.smt2")), Kind::Certificate, query)?;
    }
    Ok(vec![EvidenceFile { what: "certificate in", path }])
}

/// Those that say what a verdict is worth: that nothing is asked, or that no state is initial.
fn qualifying(remarks: &Diagnostics) -> Diagnostics {
    let qualifies = |remark: &&Diagnostic| matches!(remark.code, Code::NothingAsked | Code::NothingReachable);
    remarks.iter().filter(qualifies).cloned().collect()
}

/// The record of a file as a whole.
pub fn of_file(source: &SourceFile, found: &Diagnostics, settings: &Settings) -> Record {
    judged(Record::new(Unit::file(source.name(), Some(sha256(source))), settings.clone()), source, found)
}

/// Reads a file for a worker, with what can be asked.
pub fn list(source: &SourceFile, format: horn::Format, settings: &Settings) -> (Record, Vec<Unit>) {
    match format.read(source.text()) {
        Ok(clauses) if settings.mode == Mode::Check => (of_file(source, &remarks(&clauses), settings), Vec::new()),
        Ok(clauses) => (of_file(source, &Diagnostics::new(), settings), vec![unit(source, Some(&clauses))]),
        Err(faults) => (of_file(source, &horn::findings(faults), settings), Vec::new()),
    }
}

/// Answers the question about a file for a worker, and writes what is wanted.
pub fn answer_unit(
    source: &SourceFile,
    format: horn::Format,
    record: Record,
    progress: &(dyn Fn(Progress) + Sync),
    wanted: &WantedEvidence,
) -> Record {
    let Ok(clauses) = format.read(source.text()) else {
        return record.failed(Cause::Input, "the file cannot be read any more".to_owned());
    };
    let budget = Budget::new(record.settings.timeout.map(Duration::from_secs_f64));
    let settings = record.settings.clone();
    let outcome = search(&clauses, &settings, budget, progress);
    let mut record = answer(record, &clauses, &outcome);
    record.findings = findings(source, &qualifying(&remarks(&clauses)));
    let write = |stem: PathBuf| write_certificate(&stem, source, &clauses, &outcome);
    match wanted.certificate_stem(&record.unit).and_then(|stem| stem.map(write).transpose()) {
        Ok(written) => record.evidence = written.into_iter().flatten().map(|file| file.path).collect(),
        Err(error) => record.reason = Some(format!("{error:#}")),
    }
    record
}

/// Reads a file, of which there is no model; says what is in it.
pub fn look(path: &Path, format: horn::Format, how: &How) -> Result<(Loaded, String)> {
    refuse_reading(path, how.dialect.is_some() || !how.constants.is_empty())?;
    let source = read(path)?;
    let (diagnostics, content) = match format.read(source.text()) {
        Ok(clauses) => (remarks(&clauses), count(clauses.clauses.len(), "clause")),
        Err(faults) => (horn::findings(faults), String::new()),
    };
    Ok((Loaded { source, dialect: Dialect::Modern, model: None, diagnostics }, content))
}
