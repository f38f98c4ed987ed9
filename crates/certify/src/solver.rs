//! A solver as a process: it reads a script from its standard input, and answers in a word.

use rcheck_kernel::check::solver::ScriptSolver;
use rcheck_lang::limits::Reason;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;

/// A command, run once for each question.
pub struct Process {
    words: Vec<String>,
}

impl Process {
    /// The program and its arguments.
    pub fn new(words: Vec<String>) -> Process {
        Process { words }
    }

    fn answer(&self, script: &str) -> Result<String, std::io::Error> {
        let command =
            Command::new(&self.words[0]).args(&self.words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = command?;
        let mut input = process.stdin.take().expect("it is a pipe");
        let mut text = script.to_owned();
        if !script.contains("(check-sat)") {
            text.push_str("(check-sat)\n");
        }
        text.push_str("(exit)\n");
        // It may answer before it has read all.
        let writer = thread::spawn(move || input.write_all(text.as_bytes()));
        let mut answer = String::new();
        process.stdout.take().expect("it is a pipe").read_to_string(&mut answer)?;
        process.wait()?;
        let _answered_early = writer.join();
        Ok(answer)
    }
}

impl ScriptSolver for Process {
    fn is_unsatisfiable(&self, script: &str) -> Result<bool, Reason> {
        let name = &self.words[0];
        let failed = |why: &str| Reason::Engine(format!("`{name}` {why}"));
        let answer = self.answer(script).map_err(|error| failed(&format!("cannot be asked: {error}")))?;
        match answer.trim() {
            "unsat" => Ok(true),
            "sat" => Ok(false),
            "unknown" => Err(failed("does not know")),
            other => {
                let first: String = other.lines().next().unwrap_or_default().chars().take(200).collect();
                Err(failed(&format!("answers `{first}`")))
            }
        }
    }
}
