//! The queries of certificates, and what cvc5 answers.

use super::recurrent::HALVES;
use super::{certificate, check, folder, prove};
use crate::common::cvc5::cvc5;
use crate::common::{COUNTERS, model, named, parsed, source};
use rcheck_smt::check::Verdict;
use rcheck_smt::export::queries::{Query, queries};
use rcheck_smt::model::Model;
use rcheck_smt::verify::{Engine, Subject};
use std::path::{Path, PathBuf};

/// The queries of a verdict, in a folder of their own.
pub fn write_queries(folder: &Path, name: &str, model: &Model, spec: usize, engines: &[Engine]) -> Vec<PathBuf> {
    let subject = Subject::new(model);
    write_queries_of(&prove(&subject, spec, engines), folder, name, model, spec)
}

/// The queries of a verdict.
pub fn write_queries_of(verdict: &Verdict, folder: &Path, name: &str, model: &Model, spec: usize) -> Vec<PathBuf> {
    let list = queries(model, "test.rcp", spec, verdict);
    assert!(!list.is_empty(), "{name} spec {}: no queries for {verdict:?}", spec + 1);
    let write = |query: Query| {
        let path = folder.join(format!("{name}-{}-{}.smt2", spec + 1, query.name));
        std::fs::write(&path, query.text).expect("a writable folder");
        path
    };
    list.into_iter().map(write).collect()
}

#[test]
fn another_solver_agrees() {
    let folder = folder("queries");
    let mut files = Vec::new();
    let counters = parsed(COUNTERS);
    for name in ["together", "behind", "answered", "counts", "again"] {
        files.extend(write_queries(&folder, "counters", &counters, named(&counters, name), &[Engine::Pdr]));
    }
    let proved = [
        ("bank.rcp", &["money_is_conserved", "no_overdraft", "what_is_found_is_true"][..]),
        ("token_ring.rcp", &["one_token", "token_counts_all_jobs", "message_has_the_count"]),
        ("resource_allocation/modern.rcp", &["manager_connects_some_machine", "label_forward_reaches_machine1"]),
    ];
    for (path, names) in proved {
        let model = model(&source(path));
        let stem = Path::new(path).file_stem().expect("a file").to_string_lossy();
        for name in names {
            let spec = named(&model, name);
            let certificate = certificate(&model, spec, &[Engine::Pdr]);
            assert_eq!(check(&model, &certificate), Ok("holds"), "{path} {name}");
            files.extend(write_queries(&folder, &stem, &model, spec, &[Engine::Pdr]));
        }
    }
    let answers = cvc5(&files);
    assert_eq!(answers.len(), files.len());
    for (file, answer) in answers {
        assert_eq!(answer, "unsat", "{}", file.display());
    }
}

#[test]
fn another_solver_sees_what_is_wrong() {
    let folder = folder("wrong-queries");
    let counters = parsed(COUNTERS);
    let files = write_queries(&folder, "counters", &counters, named(&counters, "behind"), &[Engine::Pdr]);
    // `m` overtakes `n`.
    for file in &files {
        let text = std::fs::read_to_string(file).expect("as written");
        std::fs::write(file, text.replace(" one-m@0)))", " (+ one-m@0 1))))")).expect("a writable folder");
    }
    let answers: Vec<String> = cvc5(&files).into_iter().map(|(_, answer)| answer).collect();
    assert_eq!([&answers[0], &answers[2]], ["unsat", "unsat"]);
    assert_eq!(answers[1], "sat");
}

#[test]
fn another_solver_agrees_on_recurrent_sets() {
    let folder = folder("recurrent-queries");
    let mut files = Vec::new();
    for path in ["features/recurrent_gap.rcp", "features/recurrent_guards.rcp"] {
        let model = model(&source(path));
        let stem = Path::new(path).file_stem().expect("a file").to_string_lossy();
        for name in ["slow_catches_up", "the_gap_stays_small", "deliveries_go_on", "all_is_delivered_in_the_end"] {
            if let Some(spec) = model.specs.iter().position(|spec| spec.name.as_deref() == Some(name)) {
                files.extend(write_queries(&folder, &stem, &model, spec, &[Engine::Bmc]));
            }
        }
    }
    let halves = parsed(HALVES);
    files.extend(write_queries(&folder, "halves", &halves, 0, &[Engine::Bmc]));
    assert_eq!(files.len(), 20, "four of each: {files:?}");
    for (file, answer) in cvc5(&files) {
        assert_eq!(answer, "unsat", "{}", file.display());
    }
}

/// Nothing in the model reads `b`, nor `u`: the start of the round is said of them nevertheless, and can be true.
#[test]
fn a_round_starts_in_a_state_even_where_variables_are_never_read() {
    let unread = |local: &str| {
        parsed(&format!(
            "agent A
                 local: n : int, {local}
                 init: n > 100
                 receive-guard: false
                 repeat: s: {{true}} *! (true)()[n := n + 1]
             system = A(a, true)
             SPEC F (a-n < 50)"
        ))
    };
    let folder = folder("unread-queries");
    for (name, local) in [("boolean", "b : bool"), ("integer", "u : int"), ("range", "r : 3..7")] {
        let files = write_queries(&folder, name, &unread(local), 0, &[Engine::Bmc]);
        let inside = files.iter().find(|file| file.display().to_string().contains("inside")).expect("a query");
        let text = std::fs::read_to_string(inside).expect("as written");
        assert!(!text.contains("(assert false)"), "{text}");
        // Without what is asked, the start is possible.
        let (start, asked) = text.rsplit_once("(assert (not").expect("the set is asked for");
        let (_, end) = asked.rsplit_once("(check-sat)").expect("a question");
        std::fs::write(inside, format!("{start}(check-sat){end}")).expect("a writable folder");
        let answers = cvc5(&files);
        let answer_to = |path: &Path| &answers.iter().find(|(file, _)| file == path).expect("answered").1;
        assert!(answer_to(inside) == "sat", "{name}: {answers:?}");
        assert!(files.iter().filter(|file| *file != inside).all(|file| answer_to(file) == "unsat"), "{answers:?}");
    }
}

#[test]
fn another_solver_sees_what_is_wrong_with_recurrent_sets() {
    let folder = folder("wrong-recurrent-queries");
    let model = model(&source("features/recurrent_gap.rcp"));
    let spec = named(&model, "slow_catches_up");
    let files = write_queries(&folder, "gap", &model, spec, &[Engine::Bmc]);
    // The slow one moves twice as fast.
    for file in &files {
        let text = std::fs::read_to_string(file).expect("as written");
        let faster = text.replace("(+ race-slow@0 1)", "(+ race-slow@0 9)");
        std::fs::write(file, faster).expect("a writable folder");
    }
    let answers: Vec<String> = cvc5(&files).into_iter().map(|(_, answer)| answer).collect();
    assert!(answers.iter().any(|answer| answer == "sat"), "{answers:?}");
}
