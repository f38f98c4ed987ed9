//! The families of `benchmarks/`, small: what is measured there has the verdicts that the files expect.

use crate::common::{limits, model, patiently, root, with_work};
use rayon::prelude::*;
use rcheck_smt::check::Verdict;
use rcheck_smt::limits::Stop;
use rcheck_smt::model::formula::Expectation;
use rcheck_smt::source::SourceFile;
use rcheck_smt::verify::{Engine, Subject};
use std::fs;
use std::process::Command;

/// The models with a parameter, with two of everything, and those of the generator as small as it makes them unasked.
fn members() -> Vec<(String, String)> {
    let folder = root().join("benchmarks");
    let mut members = Vec::new();
    for entry in fs::read_dir(folder.join("models")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a model");
        assert!(text.contains("const N = "), "{}", path.display());
        let small = text.replace("const N = 3;", "const N = 2;").replace("const N = 4;", "const N = 2;");
        members.push((path.display().to_string(), small));
    }
    let generate = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        let output = command.arg(folder.join("generate.py")).args(arguments).output().expect("python3 runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let list = generate(&["--list"]);
    let families: Vec<&str> = list.lines().filter(|line| !line.starts_with(' ')).collect();
    for line in families {
        let family = line.split_whitespace().next().expect("a name");
        members.push((family.to_owned(), generate(&[family])));
    }
    members.push(("philosophers without a fault".to_owned(), generate(&["philosophers", "--fault", "0"])));
    members
}

/// What an exploration says, or else an unrolling, which proves nothing; whether it is proved.
fn check(name: &str, subject: &Subject, spec: usize) -> bool {
    /// Where integers are unbounded, explorations need not end.
    const WORK: u64 = 1 << 20;
    let declared = &subject.model().specs[spec];
    let name = format!("{name} {}", declared.name.as_deref().expect("a name"));
    let expected = declared.expect.expect("an expected verdict");
    let stop = Stop::new();
    let explored = with_work(WORK, || {
        let limits = limits(usize::MAX, patiently(), &stop);
        subject.prove(spec, &[Engine::Explicit], &limits).map(|outcome| outcome.verdict)
    });
    let verdict = match explored {
        Some(Ok(verdict @ (Verdict::Holds(_) | Verdict::Violated(_)))) => Ok(verdict),
        _ => {
            let bound = if expected == Expectation::Holds { 6 } else { 12 };
            subject.bmc(spec, &limits(bound, patiently(), &stop)).map(|outcome| outcome.verdict)
        }
    };
    match (verdict, expected) {
        (Ok(Verdict::Holds(_)), Expectation::Holds) => true,
        (Ok(Verdict::NoCounterexample { .. }), Expectation::Holds) => false,
        (Ok(Verdict::Violated(_)), Expectation::Violated) => true,
        (verdict, _) => panic!("{name}: expected {expected:?}, found {verdict:?}"),
    }
}

#[test]
fn families_are_as_expected() {
    let members = members();
    let models: Vec<_> = members
        .into_iter()
        .map(|(name, text)| {
            let model = model(&SourceFile::new(name.clone(), text));
            (name, model)
        })
        .collect();
    let subjects: Vec<(&str, Subject)> =
        models.iter().map(|(name, model)| (name.as_str(), Subject::new(model))).collect();
    let jobs: Vec<(&str, &Subject, usize)> = subjects
        .iter()
        .flat_map(|(name, subject)| (0..subject.model().specs.len()).map(move |spec| (*name, subject, spec)))
        .collect();
    let count = jobs.len();
    let proved = jobs.into_par_iter().filter(|(name, subject, spec)| check(name, subject, *spec)).count();
    assert!(count >= 80 && proved >= 65, "{proved} of {count}");
}
