//! NuSMV, which has a construction of its own for LTL, on the files that we write for it.

use super::answers::{Effort, Who, ask, decided};
use crate::common::root;
use rcheck_smt::export::{Subject as Exported, smv};
use rcheck_smt::model::Model;
use rcheck_smt::verify::{Engine, Subject};
use std::path::{Path, PathBuf};
use std::process::Command;

const WORK: u64 = 20_000_000;
const EFFORT: Effort = Effort { alone: WORK, in_vain: WORK, together: WORK, bound: 8 };

/// The tool, and what it said.
pub struct NuSmv {
    tool: PathBuf,
    file: PathBuf,
    /// How many specs it said to hold, and to be violated.
    pub answers: [usize; 2],
}

impl NuSmv {
    /// As `scripts/setup-nusmv` builds it; its input goes to a file of this name.
    pub fn new(file: &str) -> NuSmv {
        let tool = root().join(".nusmv/NuSMV");
        assert!(tool.exists(), "scripts/setup-nusmv builds it");
        NuSmv { tool, file: Path::new(env!("CARGO_TARGET_TMPDIR")).join(file), answers: [0, 0] }
    }

    /// The specs of a finite model of which it does not say what the exploration says.
    pub fn check(&mut self, model: &Model) -> Vec<String> {
        let answers = self.ask(model);
        let subject = Subject::new(model);
        let mut wrong = Vec::new();
        for (spec, holds) in answers.into_iter().enumerate() {
            self.answers[usize::from(!holds)] += 1;
            let explored = ask(&subject, spec, Who::Alone(Engine::Explicit), EFFORT);
            let explored = explored.map(|verdict| verdict.as_ref().and_then(decided));
            if explored != Ok(Some(holds)) {
                let shown = model.show_formula(&model.specs[spec].formula);
                wrong.push(format!("spec {}: {shown}\nNuSMV: {holds}, exploration: {explored:?}", spec + 1));
            }
        }
        wrong
    }

    /// Per spec whether it holds.
    fn ask(&self, model: &Model) -> Vec<bool> {
        let specs: Vec<usize> = (0..model.specs.len()).collect();
        let mut text = Vec::new();
        smv::write(&mut text, Exported { model, file: "generated.rcp" }, &specs).expect("memory can be written");
        std::fs::write(&self.file, &text).expect("a writable folder");
        let output = Command::new(&self.tool).arg("-dcx").arg(&self.file).output().expect("NuSMV runs");
        let (said, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let verdicts = said.lines().filter(|line| line.starts_with("-- specification"));
        let mut verdicts = verdicts.map(|line| line.ends_with("is true"));
        let text = String::from_utf8(text).expect("text");
        let answers = text.split("\n-- spec ").skip(1).map(|spec| {
            let parts = spec.matches("\nLTLSPEC ").count();
            // All of them are taken, the first one that is false is not the end.
            let parts: Vec<bool> = verdicts.by_ref().take(parts).collect();
            parts.into_iter().all(|holds| holds)
        });
        let answers: Vec<bool> = answers.collect();
        let complete = answers.len() == specs.len() && verdicts.next().is_none();
        assert!(complete && output.status.success(), "{}: {complaint}", self.file.display());
        assert_eq!(text.matches("\nLTLSPEC ").count(), said.matches("-- specification").count(), "{complaint}");
        answers
    }
}
