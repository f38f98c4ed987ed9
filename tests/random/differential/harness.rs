//! Draws models, runs checks on them, and shows what fails.

use super::generate;
use rcheck_smt::diag::{Code, Diagnostics};
use rcheck_smt::model::eval::{Choice, Limits, Semantics, State};
use rcheck_smt::model::{Model, elaborate};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::parse;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A generated model.
pub struct Source {
    /// The seed that it comes from.
    pub seed: u64,
    /// Its text.
    pub text: String,
    /// The meaning of the text.
    pub model: Model,
}

impl Source {
    /// Reads a text; `None` if a relabelling is missing that is asked for. Any other error is one of
    /// the generator, or of the front end.
    pub fn new(seed: u64, text: String) -> Option<Source> {
        let parsed = parse(&SourceFile::new("generated.rcp", &text), None);
        assert!(!parsed.diagnostics.has_errors(), "seed {seed}: {:#?}\n{text}", errors(&parsed.diagnostics));
        let (model, diagnostics) = elaborate(&parsed.model);
        let errors = errors(&diagnostics);
        let expected = errors.iter().all(|message| message.starts_with(Code::MissingRelabelling.as_str()));
        assert!(expected, "seed {seed}: {errors:#?}\n{text}");
        model.map(|model| Source { seed, text, model })
    }
}

/// A number of the environment, or the default.
fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")),
        Err(_) => default,
    }
}

/// The seeds of a test: their number is given by the environment, or else the default.
pub fn seeds(default: u64) -> std::ops::Range<u64> {
    let (first, count) = (setting("RCHECK_SEED", 1), setting("RCHECK_MODELS", default));
    first..first + count
}

/// Runs a check on so many models with so many specs each, unless the environment says otherwise;
/// the number of models. Panics with the first model that fails.
pub fn for_each_model(default: u64, specs: usize, check: impl Fn(&Source) -> Result<(), String>) -> usize {
    for_each_of(default, |seed| draw(seed, specs), check)
}

/// The same for models that are drawn in another way.
pub fn for_each_of(default: u64, draw: impl Fn(u64) -> Source, check: impl Fn(&Source) -> Result<(), String>) -> usize {
    let seeds = seeds(default);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let source = draw(seed);
        match catch_unwind(AssertUnwindSafe(|| check(&source))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => panic!("{error}\n\n{source}"),
            Err(_) => panic!("panicked, see above, on\n\n{source}"),
        }
    }
    count as usize
}

/// The model of a seed: the first of a few that lacks no relabelling and has enough to show.
fn draw(seed: u64, specs: usize) -> Source {
    let mut attempt = seed.wrapping_mul(1000);
    loop {
        let text = generate::model(attempt, specs);
        let patient = attempt % 1000 > 200;
        attempt += 1;
        let Some(source) = Source::new(seed, text) else { continue };
        // A few of those where hardly anything happens are kept.
        if is_interesting(&source.model) || patient || attempt.is_multiple_of(50) {
            return source;
        }
    }
}

fn errors(diagnostics: &Diagnostics) -> Vec<String> {
    let errors = diagnostics.iter().filter(|d| d.code.as_str().starts_with('E'));
    errors.map(|d| format!("{}: {} at {:?}", d.code.as_str(), d.message, d.span)).collect()
}

/// True if something happens: several states, and steps in which two instances meet.
fn is_interesting(model: &Model) -> bool {
    let semantics = Semantics::new(model);
    let Ok(found) = semantics.explore(Limits { states: 60, depth: usize::MAX }) else { return false };
    let meets = |choice: &Choice| matches!(choice, Choice::GetSupply { .. }) || !choice.receivers().is_empty();
    let met = |state: &State| semantics.steps(state).iter().any(|step| meets(&step.choice));
    found.states().len() >= 12 && found.depth() >= 2 && found.states().iter().take(60).any(met)
}
