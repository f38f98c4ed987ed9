//! Reading models, for the tests of the whole tool. Not every test needs all of it.
//!
//! No test depends on how fast the machine is. Engines get work ([`with_work`]: ticks of `limits`, and the units of Z3)
//! in place of a short time. Waiting is for an event: a line of the log, a result, processor time of a process. Times
//! are guards ([`PATIENCE`]). Tests of time limits assert what holds where nothing is finished in time. What the tool
//! looks at beside the point (remarks, vacuity, shorter counterexamples: `Budget::aside`) may take 60 times longer with
//! `RCHECK_PATIENCE=60`, as `scripts/test` sets it.
#![allow(dead_code)]

pub mod cvc5;
pub mod front_end;
pub mod naive;
pub mod oracle;
pub mod random;
pub mod strategies;
pub mod terminal;

use rcheck_smt::check::{Counterexample, Ending, ProofBy, Refused, ShownBy, Verdict};
use rcheck_smt::diag::Diagnostics;
use rcheck_smt::language::Language;
use rcheck_smt::limits::{self, Budget, Stop, Work};
use rcheck_smt::model::eval::{Influence, Run, Semantics, Truth};
use rcheck_smt::model::{Formula, Model};
use rcheck_smt::reading::{self, Content};
use rcheck_smt::source::SourceFile;
use rcheck_smt::verify::{Limits, Subject};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A number of the environment, or the default.
pub fn setting(name: &str, default: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")),
        Err(_) => default,
    }
}

/// Work that takes longer hangs, however busy the machine is. No test may depend on a shorter time.
pub const PATIENCE: Duration = Duration::from_secs(1800);

/// The time after which something hangs.
pub fn patiently() -> Budget {
    Budget::new(Some(PATIENCE))
}

/// The result of work within a budget of units, which is the same on every machine; nothing if that is too little.
pub fn with_work<R>(units: u64, work: impl FnOnce() -> R) -> Option<R> {
    let limits = limits::Limits { work: vec![Work::new(units)], ..limits::Limits::default() };
    limits.within(work).ok()
}

/// The models in our language that we ship, in order; each path is relative to `specs/`.
pub fn shipped() -> Vec<PathBuf> {
    shipped_in("rcp")
}

/// Those in ISPL.
pub fn shipped_in_ispl() -> Vec<PathBuf> {
    shipped_in("ispl")
}

fn shipped_in(extension: &str) -> Vec<PathBuf> {
    let root = root().join("specs");
    let mut folders = vec![root.clone()];
    let mut models = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                models.push(path.strip_prefix(&root).expect("below the root").to_owned());
            }
        }
    }
    models.sort();
    models
}

/// The folder of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file below `specs/`.
pub fn source(shipped: impl AsRef<Path>) -> SourceFile {
    let path = root().join("specs").join(shipped.as_ref());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    SourceFile::new(shipped.as_ref().display().to_string(), text)
}

/// The findings of the front end, and the model if there are no errors.
pub fn read(source: &SourceFile) -> (Option<Model>, Diagnostics) {
    let (content, findings) = reading::read(source, Language::of(Path::new(source.name()), source.text()));
    (content.and_then(Content::model), findings)
}

/// The model of a file that must be free of errors.
pub fn model(source: &SourceFile) -> Model {
    let (model, diagnostics) = read(source);
    assert!(!diagnostics.has_errors(), "{}: {diagnostics:#?}", source.name());
    model.expect("no errors, so a model")
}

/// The model of a text that must be free of errors.
pub fn parsed(text: &str) -> Model {
    model(&SourceFile::new("test.rcp", text))
}

/// The spec with a name.
pub fn named(model: &Model, name: &str) -> usize {
    let spec = model.specs.iter().position(|spec| spec.name.as_deref() == Some(name));
    spec.unwrap_or_else(|| panic!("no spec {name}"))
}

/// A model without end, and without specs: evidence on what agents know in it is conditions, and runs to states that look alike.
pub const WATCHED: &str = "
    agent Counter
        local: n : int, on : bool
        init: n = 0 & !on
        receive-guard: false
        repeat: (up: {on} *! (true)()[n := n + 1] + start: {!on} *! (true)()[on := true])
    agent Watcher
        local: seen : int
        init: seen = 0
        receive-guard: true
        repeat: see: {true} *? [seen := seen + 1]
    system = Counter(c, true) || Watcher(w, true)
";

/// A counter that no engine can explore, with facts that need an invariant.
pub const COUNTERS: &str = "
    message-structure: N : int
    agent Counter
        local: n : int, m : int, up : bool
        init: n = 0 & m = 0 & up
        receive-guard: chan = *
        repeat: (
            rise: {up} *! (false)(N := n)[n := n + 1, up := false]
            +
            follow: {!up} *! (false)(N := n)[m := m + 1, up := true]
        )
    system = Counter(one, true)
    // name: together
    SPEC G (one-m <= one-n & one-n <= one-m + 1)
    // name: behind
    SPEC G (one-m <= one-n)
    // name: answered
    SPEC G (one-rise -> F one-follow)
    // name: small
    SPEC G (one-n <= 3)
    // name: counts
    SPEC G (one-n >= 0) & G (one-m >= 0)
    // name: again
    SPEC G (F one-rise)
";

/// True if the round is one: its steps can be taken a hundred times on the concrete semantics, and the formula is false
/// if the last time is what repeats.
pub fn is_genuine(semantics: &Semantics, formula: &Formula, counterexample: &Counterexample) -> bool {
    const ROUNDS: usize = 100;
    let Ending::Recurrent(recurrence) = counterexample.ending() else { return false };
    let (run, start) = (counterexample.run(), recurrence.start());
    let choices: Vec<_> = run.steps().iter().map(|step| step.choice.clone()).collect();
    let mut repeated = choices.clone();
    for _ in 1..ROUNDS {
        repeated.extend_from_slice(&choices[start..]);
    }
    let influence = Influence::of(semantics.model(), formula);
    let Ok(long) = Run::replay(semantics, run.states()[0].clone(), &repeated, None, &influence) else { return false };
    let last = repeated.len() - (choices.len() - start);
    // Safety conjuncts that are violated by a prefix make the formula false all the same.
    long.evaluation_repeating(formula, last).at(0) == Truth::False
}

/// True if evidence is refused with these words.
pub fn is_refused<T>(result: &Result<T, Refused>, words: &str) -> bool {
    result.as_ref().is_err_and(|why| why.to_string().contains(words))
}

/// Limits under which a claim that does not survive its check is a failure of the test.
pub fn limits<'a>(bound: usize, budget: Budget, stop: &'a Stop<'a>) -> Limits<'a> {
    Limits { bound, budget, stop, progress: &|_| {}, refused: &|why| panic!("{why}") }
}

/// How a verdict came about that decision diagrams alone could make, of a model with so many reachable states: it has to be the
/// expected one.
pub fn by_diagrams(verdict: &Verdict, expected: bool, states: usize) -> Result<&'static str, String> {
    let (found, counted) = match verdict {
        Verdict::Holds(proof) => match proof.by() {
            ProofBy::Diagrams(proof) => (true, Some(proof.states())),
            _ => (true, None),
        },
        Verdict::Violated(counterexample) => match counterexample.shown_by() {
            ShownBy::Diagrams(_) => (false, Some("")),
            _ => (false, None),
        },
        Verdict::Unknown { reason, .. } => {
            let words = reason.to_string();
            // Of finite models they leave nothing else open.
            let unfit = [
                "too many values",
                "of receives",
                "take messages",
                "strategies under assumptions",
                "agents outside",
                "more work",
                "memory",
            ];
            return match unfit.iter().any(|unfit| words.contains(unfit)) {
                true => Ok("not by diagrams"),
                false => Err(format!("diagrams do not decide it: {words}")),
            };
        }
        _ => return Ok("not by diagrams"),
    };
    match counted {
        _ if found != expected => Err(format!("diagrams say {found}, the definition {expected}")),
        Some(counted) if found && *counted != states.to_string() => Err(format!("{counted} states, not {states}")),
        Some(_) if found => Ok("holds by diagrams"),
        Some(_) => Ok("violated by diagrams"),
        None => Ok("not by diagrams"),
    }
}

/// Each spec of each model, with what the model is called.
pub fn all_specs<'a, 'm>(subjects: &'a [(&'a str, Subject<'m>)]) -> Vec<(&'a str, &'a Subject<'m>, usize)> {
    let specs = |(name, subject): &'a (&'a str, Subject<'m>)| {
        (0..subject.model().specs.len()).map(move |spec| (*name, subject, spec))
    };
    subjects.iter().flat_map(specs).collect()
}

/// The specs that are about single runs, which is all that searches of runs and exports can say.
pub fn linear(model: &Model) -> Vec<usize> {
    (0..model.specs.len()).filter(|spec| !model.specs[*spec].formula.is_branching()).collect()
}

/// The number of temporal operators of a formula.
pub fn temporal_operators(formula: &Formula) -> usize {
    let own = match formula {
        Formula::Next(_) | Formula::Until(..) => 1,
        // The formula inside is a question of its own.
        Formula::Branching(_) => return 0,
        _ => 0,
    };
    let mut count = own;
    formula.for_each_child(&mut |child| count += temporal_operators(child));
    count
}
