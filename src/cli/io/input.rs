//! Reading files: models, and what was written about them.

use crate::cli::io::out::{remark, remark_styled, shown};
use crate::cli::io::replace::keep_input;
use crate::cli::io::{find, language};
use crate::diag::render::{self, Look};
use crate::diag::{Code, Diagnostic, Diagnostics, Severity, json};
use crate::escape::visible;
use crate::ispl;
use crate::language::Language;
use crate::limits::lock;
use crate::model::eval::Semantics;
use crate::model::{Model, Spec};
use crate::reading;
use crate::report::record::Finding;
use crate::source::{SourceFile, Span};
use crate::syntax;
use crate::syntax::ast::{self, ConstantName, Constants, Dialect};
use crate::syntax::generalise::{Unlike, unlike};
use crate::verify::{depends_on_successors, differences, errors, for_chosen_values, remarks};
use crate::words::shorten;
use anyhow::{Context, Result, anyhow, bail};
use comfy_table::Table;
use std::collections::HashSet;
use std::fs::{self, File, FileType};
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Models beyond this size are refused: such models are not written by hand.
pub const LARGEST_MODEL: u64 = 64 << 20;

/// In place of a file it stands for standard input.
const STANDARD_INPUT: &str = "-";

/// True if a path stands for standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

/// The files that arguments name, each once: folders stand for the models in them.
pub fn expand(paths: &[PathBuf], wanted: find::FileKinds) -> Vec<Result<PathBuf>> {
    let expand = |path: &PathBuf| match path.is_dir() {
        true => find::collect(std::slice::from_ref(path), wanted).into_iter().map(usable).collect(),
        false => vec![Ok(path.clone())],
    };
    let mut places = HashSet::new();
    let mut is_first = |path: &Result<PathBuf>| path.as_ref().map_or(true, |path| places.insert(place(path)));
    paths.iter().flat_map(expand).filter(|path| is_first(path)).collect()
}

/// The place of a file, however it is named.
fn place(path: &Path) -> PathBuf {
    match fs::canonicalize(path) {
        Ok(place) if !is_standard_input(path) => place,
        _ => path.to_owned(),
    }
}

fn usable((path, usable): (String, Result<(), String>)) -> Result<PathBuf> {
    match usable {
        Ok(()) => Ok(PathBuf::from(path)),
        Err(why) => bail!("{}: {why}", shown(Path::new(&path))),
    }
}

/// So are traces, certificates and results beyond this size.
pub const LARGEST_FILE: u64 = 1 << 30;

/// Reads a regular file of at most so many bytes. Anything else could keep its reader waiting, or never end.
pub fn bytes(path: &Path, most: u64) -> Result<Vec<u8>> {
    let cannot_read = || format!("cannot read {}", shown(path));
    let metadata = fs::metadata(path).with_context(cannot_read)?;
    refuse_kind(path, metadata.file_type())?;
    all_of(&File::open(path).with_context(cannot_read)?, path, most)
}

/// Reads at most so many bytes of an open file.
fn all_of(file: &File, path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Some files of the kernel say that they are empty, and are not.
    let length = file.take(most + 1).read_to_end(&mut bytes);
    if length.with_context(|| format!("cannot read {}", shown(path)))? as u64 > most {
        bail!("{} is larger than {} MB, the most that is read", shown(path), most >> 20);
    }
    Ok(bytes)
}

/// Fails for everything that is no regular file.
fn refuse_kind(path: &Path, kind: FileType) -> Result<()> {
    let shown = shown(path);
    if kind.is_dir() {
        bail!("{shown} is a folder; name a file");
    }
    let what = if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if !kind.is_file() {
        "a device"
    } else {
        return Ok(());
    };
    bail!("{shown} is {what}, no regular file")
}

/// Reads a text that is no model: a trace, or a certificate.
pub fn text(path: &Path) -> Result<String> {
    decoded(bytes(path, LARGEST_FILE)?, &shown(path))
}

/// The text of a file.
fn decoded(bytes: Vec<u8>, name: &str) -> Result<String> {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        bail!("{name} is a UTF-16 text: save it as UTF-8");
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        anyhow!("{name} is no UTF-8 text (line {line}): save it as UTF-8")
    })
}

/// Reads a model, from standard input if the path stands for that. From now on nothing overwrites its file by mistake.
pub fn read(path: &Path) -> Result<SourceFile> {
    if is_standard_input(path) {
        return read_standard_input();
    }
    let bytes = bytes(path, LARGEST_MODEL)?;
    keep(path);
    let text = decoded_model(bytes, path)?;
    Ok(SourceFile::new(path.display().to_string(), text))
}

/// The text of a model in an open file, which is called like this.
pub fn read_open(file: &File, path: &Path) -> Result<String> {
    decoded_model(all_of(file, path, LARGEST_MODEL)?, path)
}

/// Keeps a file from being overwritten by the command that reads it.
pub fn keep(path: &Path) {
    fs::metadata(path).iter().for_each(keep_input);
}

/// The text on standard input, which arrives once only, but is looked at twice: for its language, and as a model.
fn read_standard_input() -> Result<SourceFile> {
    static ARRIVED: Mutex<Option<Vec<u8>>> = Mutex::new(None);
    let mut arrived = lock(&ARRIVED);
    if arrived.is_none() {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .take(LARGEST_MODEL + 1)
            .read_to_end(&mut bytes)
            .context("cannot read standard input")?;
        *arrived = Some(bytes);
    }
    let bytes = arrived.clone().unwrap_or_default();
    if bytes.len() as u64 > LARGEST_MODEL {
        bail!("standard input is larger than {} MB, the most that is read", LARGEST_MODEL >> 20);
    }
    let name = "standard input";
    let text = decoded_model(bytes, Path::new(name))?;
    Ok(SourceFile::new(name, text))
}

/// The text of a model. Comments of ISPL may be in Latin-1, in which many of its files were written.
fn decoded_model(bytes: Vec<u8>, path: &Path) -> Result<String> {
    let is_latin = str::from_utf8(&bytes).is_err() && language::of_text(path, &bytes) == Language::Ispl && {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        // No byte of a text of the language is beyond ASCII, so `--` begins a comment.
        lines.all(|line| {
            let comment = line.windows(2).position(|pair| pair == b"--").unwrap_or(line.len());
            line[..comment].is_ascii()
        })
    };
    match is_latin {
        true => Ok(bytes.into_iter().map(char::from).collect()),
        false => decoded(bytes, &shown(path)),
    }
}

/// A file with all that was found in it; the model is missing iff there are errors.
pub struct Loaded {
    pub source: SourceFile,
    pub dialect: Dialect,
    pub model: Option<Model>,
    pub diagnostics: Diagnostics,
}

/// How to read a file.
#[derive(Clone, Debug, Default)]
pub struct How {
    /// The dialect, unless it is to be detected.
    pub dialect: Option<Dialect>,
    pub constants: Constants,
}

/// Reads, parses and elaborates a file.
pub fn load(path: &Path, how: &How) -> Result<Loaded> {
    load_text(read(path)?, how)
}

/// Parses and elaborates the text of a file.
pub fn load_text(source: SourceFile, how: &How) -> Result<Loaded> {
    match language::of(&source) {
        Language::Rcp => {}
        Language::Ispl => return load_ispl(source, how),
        Language::Chc | Language::Vmt => {
            let name = shown(Path::new(source.name()));
            let why = language::guess(&source).map(|why| format!("\n{why}")).unwrap_or_default();
            bail!(
                "{name} is a system of clauses; `prove`, `bmc`, `batch`, `check` and `certify` take it, other commands do not{why}"
            );
        }
    }
    if how.constants.keys().any(|name| matches!(name, ConstantName::Uniform(_))) {
        let name = shown(Path::new(source.name()));
        bail!("{name}: `--uniform` is for files of MCMAS; here, write `can({{i, j}}, f)` in a spec");
    }
    let mut parsed = syntax::parse(&source, how.dialect);
    if let Err(unknown) = parsed.model.give(&how.constants)
        && !parsed.diagnostics.has_errors()
    {
        bail!("{}: {}", shown(Path::new(source.name())), not_in(&source, &parsed.model, &unknown));
    }
    let (model, mut diagnostics) = reading::model(&source, &parsed);
    let empty: Vec<Diagnostic> = model.iter().flat_map(errors).collect();
    let is_chosen = !empty.is_empty() && !how.constants.is_empty() && starts_as_written(&source, how);
    for error in empty {
        diagnostics.push(if is_chosen { for_chosen_values(error) } else { error });
    }
    let diagnostics = diagnostics.sorted();
    Ok(Loaded { source, dialect: parsed.model.dialect, model, diagnostics })
}

/// True if the file has no errors, without the values from the command line: nothing shows that it has no initial state.
fn starts_as_written(source: &SourceFile, how: &How) -> bool {
    let (model, diagnostics) = reading::model(source, &syntax::parse(source, how.dialect));
    model.is_some_and(|model| !diagnostics.has_errors() && errors(&model).is_empty())
}

/// The same for a file in the language of MCMAS.
fn load_ispl(source: SourceFile, how: &How) -> Result<Loaded> {
    let is_other = |name: &ConstantName| !matches!(name, ConstantName::Uniform(_));
    if how.dialect.is_some() || how.constants.keys().any(is_other) {
        let name = shown(Path::new(source.name()));
        bail!(
            "{name}: `--dialect`, `--const`, `--size`, `--any-number`, `--fair` and `--point-to-point` are not for files in ISPL"
        );
    }
    let (model, mut diagnostics) = ispl::read_with(&source, &how.constants);
    for error in model.iter().flat_map(errors) {
        diagnostics.push(error);
    }
    Ok(Loaded { source, dialect: Dialect::Modern, model, diagnostics: diagnostics.sorted() })
}

/// That names of `--const` or `--size` are unknown, and which are known.
fn not_in(source: &SourceFile, model: &ast::Model, unknown: &[ConstantName]) -> String {
    let list = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let of_kind = |what: &str, unknown: Vec<&str>, known: Vec<&str>, example: &str| {
        let known = match known[..] {
            [] => format!("the file declares none, as in `{example}`"),
            _ => format!("the file declares {}", list(&known)),
        };
        (!unknown.is_empty()).then(|| format!("no {what} is called {}; {known}", list(&unknown)))
    };
    let (mut constants, mut families, mut agents) = (Vec::new(), Vec::new(), Vec::new());
    for name in unknown {
        match name {
            ConstantName::Declared(name) => constants.push(name.as_str()),
            ConstantName::Size(family) => families.push(family.as_str()),
            ConstantName::AnyNumber(agent) => agents.push(agent.as_str()),
            // All files have them, or none has.
            ConstantName::Fairness(_) | ConstantName::PointToPoint(_) | ConstantName::Uniform(_) => {}
        }
    }
    let declares = |agent: &&str| model.agents.iter().any(|declared| declared.name.name == *agent);
    let (different, nowhere): (Vec<&str>, Vec<&str>) = agents.into_iter().partition(declares);
    let types = model.agents.iter().map(|agent| agent.name.name.as_str()).collect();
    let different = different.first().map(|agent| match family_of_any_size(model, agent) {
        Some(family) => format!("there are any number of `{agent}` already: the file has the family `{family}[*]`"),
        None => format!("there cannot be any number of `{agent}`: {}", not_alike(source, model, agent)),
    });
    let said = [
        of_kind("constant", constants, model.constants().collect(), "const N = 3;"),
        of_kind("family of any size", families, model.families_of_any_size().collect(), "Client(client[*], true)"),
        of_kind("agent type", nowhere, types, "agent Client"),
        different,
    ];
    said.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Why instances of an agent type cannot stand for any number of them, with what can be done about it.
fn not_alike(source: &SourceFile, model: &ast::Model, agent: &str) -> String {
    match unlike(model, agent) {
        Unlike::TooFew => {
            format!(
                "the file lists no two instances, and has no family that begins with 1, as in `{agent}(a[1..3], true)`"
            )
        }
        Unlike::SharedChannel(channel) => {
            format!(
                "members of two families would have the channel `{channel}` as their own; give each its own channels"
            )
        }
        Unlike::Conditions(places) => {
            let told = |place: Span| {
                let line = source.line_column(place.start).line;
                format!("`{}` (line {line})", shorten(&visible(source.slice(place))))
            };
            let [one, other] = places.map(told);
            format!(
                "no two instances are alike. They have {one} and {other}; members of a family differ in numbers and channels only, so write a condition that is true of all members, such as `x = a | x = b`"
            )
        }
    }
}

/// The name of a family of an agent type that the file gives any size.
fn family_of_any_size<'m>(model: &'m ast::Model, agent: &str) -> Option<&'m str> {
    let is_written = |instance: &&ast::Instance| instance.any_size().is_some_and(|size| size.listed.is_empty());
    let of_agent = model.system.iter().filter(|instance| instance.agent.name == agent);
    of_agent.filter(is_written).map(|instance| instance.name.name.as_str()).next()
}

/// Adds what a quiet command tells, too: that verdicts can differ from those of MCMAS.
pub fn compare(mut loaded: Loaded) -> Loaded {
    let model = loaded.model.as_ref().filter(|_| !loaded.diagnostics.has_errors());
    if let Some(difference) = model.and_then(differences) {
        loaded.diagnostics.push(difference);
        loaded.diagnostics = loaded.diagnostics.sorted();
    }
    loaded
}

/// The findings that say what a verdict on a spec is worth: that there is no run, or that MCMAS says something else.
pub fn qualifying(loaded: &Loaded, spec: &Spec) -> Vec<Finding> {
    let qualifies = |finding: &&Diagnostic| match finding.code {
        Code::NoInitialState | Code::NoInitialStateForValues => true,
        Code::NoSuccessor => depends_on_successors(spec),
        _ => false,
    };
    findings(&loaded.source, &loaded.diagnostics.iter().filter(qualifies).cloned().collect())
}

/// The findings in a file, for records.
pub fn findings(source: &SourceFile, found: &Diagnostics) -> Vec<Finding> {
    json::to_json(source, found).into_iter().map(Finding::from).collect()
}

/// Adds what is odd about a model, unless a look at it takes long.
pub fn look_at(mut loaded: Loaded) -> Loaded {
    if let Some(model) = loaded.model.as_ref().filter(|_| !loaded.diagnostics.has_errors()) {
        // Of a command that cannot run, or a local, a warning says more; that the system gets stuck, no other one says.
        let said: Vec<Span> = loaded.diagnostics.iter().map(|finding| finding.span).collect();
        let may_repeat = |code| matches!(code, Code::CommandNeverTaken | Code::FreeLocal);
        let repeats = |remark: &Diagnostic| may_repeat(remark.code) && said.contains(&remark.span);
        for remark in remarks(&Semantics::new(model)).iter().filter(|remark| !repeats(remark)) {
            loaded.diagnostics.push(remark.clone());
        }
        loaded.diagnostics = loaded.diagnostics.sorted();
    }
    loaded
}

/// Says which instance of a model with families of any size a command is about that takes one.
pub fn say_sizes(model: &Model) {
    if model.scheme().is_some() {
        remark(format_args!("note: for {}; `--size` chooses other sizes", model.show_sizes(&model.sizes())));
    }
}

/// Shows what was found, on standard error.
pub fn show_diagnostics(loaded: &Loaded) {
    show(&loaded.source, &loaded.diagnostics);
}

/// The same; quietly, errors alone, and where verdicts can differ from those of MCMAS.
pub fn show_found(loaded: &Loaded, quiet: bool) {
    let is_told =
        |finding: &&Diagnostic| !quiet || finding.severity() == Severity::Error || finding.code == Code::NoSuccessor;
    show(&loaded.source, &loaded.diagnostics.iter().filter(is_told).cloned().collect());
}

/// Shows what was found in a file, on standard error.
pub fn show(source: &SourceFile, diagnostics: &Diagnostics) {
    let mut text = Vec::new();
    let look = Look { colour: true, width: Table::new().use_stderr().width().map(usize::from) };
    render::render(source, diagnostics, look, &mut text).expect("writing to memory works");
    if !text.is_empty() {
        remark_styled(&text);
    }
    if diagnostics.has_errors() {
        language::guess(source).into_iter().for_each(remark);
    }
}
