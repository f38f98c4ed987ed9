//! Z3 reads the Horn clauses, and its answers are the expected verdicts.

use crate::common::{linear, model, shipped, shipped_in_ispl, source};
use rcheck_smt::export::{Subject, chc};
use rcheck_smt::model::spec::Expectation;
use z3::{Params, SatResult, Solver};

/// The answer of Z3 to the clauses for a spec, and true if "unsatisfiable" means "violated".
fn ask(subject: Subject, spec: usize) -> (SatResult, bool) {
    let mut text = Vec::new();
    chc::write(&mut text, subject, spec, &[], 3).expect("writing to memory works");
    let text = String::from_utf8(text).expect("text");
    let solver = Solver::new_for_logic("HORN").expect("Z3 knows Horn clauses");
    let mut limits = Params::new();
    limits.set_u32("rlimit", 500_000_000);
    solver.set_params(&limits);
    let clauses = text.replace("(check-sat)\n(exit)\n", "");
    solver.from_string(clauses.clone());
    assert_eq!(
        solver.get_assertions().len(),
        clauses.matches("(assert ").count(),
        "Z3 refuses some clause:\n{clauses}"
    );
    (solver.check(), text.contains("\n; unsat: the spec is violated\n"))
}

#[test]
fn spacer_finds_our_verdicts_on_models_in_ispl() {
    let answers = shipped_in_ispl().into_iter().map(|path| compare(&path.display().to_string()));
    let decided: usize = answers.map(|(decided, _)| decided).sum();
    assert!(decided >= 10, "{decided} decided");
}

/// The answers on a model that are as expected, and those that say nothing.
fn compare(name: &str) -> (usize, usize) {
    let model = model(&source(name));
    let subject = Subject { model: &model, file: name };
    let (mut decided, mut open) = (0, 0);
    for index in linear(&model) {
        let expected = model.specs[index].expect.expect("every spec that we ship says what to expect");
        let found = match ask(subject, index) {
            (SatResult::Sat, _) => Some(Expectation::Holds),
            (SatResult::Unsat, true) => Some(Expectation::Violated),
            (SatResult::Unsat, false) | (SatResult::Unknown, _) => None,
        };
        assert!(found.is_none() || found == Some(expected), "{name} spec {}: {found:?}", index + 1);
        if found.is_some() { decided += 1 } else { open += 1 }
    }
    (decided, open)
}

#[test]
fn spacer_finds_our_verdicts_on_the_features() {
    let names: Vec<String> = shipped().iter().map(|path| path.display().to_string()).collect();
    let answers: Vec<(usize, usize)> =
        names.iter().filter(|name| name.starts_with("features")).map(|name| compare(name)).collect();
    let (decided, open) = answers.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    // Open are violated specs that are no safety properties: clauses that count cannot show them.
    assert!(decided >= 130, "{decided} decided, {open} open");
}
