//! The families of `benchmarks/`, small: what is measured there has the verdicts that the files expect.

use crate::common::{all_specs, limits, model, patiently, root};
use rayon::prelude::*;
use rcheck_smt::check::Verdict;
use rcheck_smt::limits::Stop;
use rcheck_smt::model::spec::Expectation;
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

#[test]
fn families_are_as_expected() {
    let models: Vec<_> =
        members().into_iter().map(|(name, text)| (name.clone(), model(&SourceFile::new(name, text)))).collect();
    let subjects: Vec<(&str, Subject)> =
        models.iter().map(|(name, model)| (name.as_str(), Subject::new(model))).collect();
    let jobs = all_specs(&subjects);
    assert!(jobs.len() >= 80, "{}", jobs.len());
    jobs.into_par_iter().for_each(|(name, subject, spec)| {
        let declared = &subject.model().specs[spec];
        let name = format!("{name} {}", declared.name.as_deref().expect("a name"));
        let stop = Stop::new();
        let outcome = subject.prove(spec, &Engine::ALL, &limits(usize::MAX, patiently(), &stop));
        let verdict = outcome.unwrap_or_else(|failure| panic!("{name}: {failure:?}")).verdict;
        let found = match verdict {
            Verdict::Holds(_) => Expectation::Holds,
            Verdict::Violated(_) => Expectation::Violated,
            undecided => panic!("{name}: {undecided:?}"),
        };
        assert_eq!(Some(found), declared.expect, "{name}");
    });
}
