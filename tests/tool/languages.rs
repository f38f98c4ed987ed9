//! The language of a file: `--language` decides, else its content, else its name.

use crate::tool::{Done, Folder, end};
use std::io::Write;
use std::process::Stdio;

const LAMP: &str = "\
Agent Lamp
  Vars:
    lit : boolean;
  end Vars
  Actions = {press};
  Protocol:
    Other : {press};
  end Protocol
  Evolution:
    lit = true if lit = false;
  end Evolution
end Agent
Evaluation
  shines if Lamp.lit = true;
end Evaluation
InitStates
  Lamp.lit = false;
end InitStates
Formulae
  AF shines;
end Formulae
";

const CLAUSES: &str = "\
(set-logic HORN)
(declare-fun level (Int) Bool)
(assert (forall ((n Int)) (=> (= n 0) (level n))))
(assert (forall ((n Int)) (=> (and (level n) (< n 0)) false)))
";

/// Runs the tool with a text as its standard input.
fn with_input(folder: &Folder, text: &str, arguments: &[&str]) -> Done {
    let mut child = folder.command(arguments, "never").stdin(Stdio::piped()).spawn().expect("the tool starts");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    end(child)
}

#[test]
fn the_content_decides_before_the_name() {
    let folder = Folder::new("languages-content");
    for name in ["lamp.txt", "lamp.ISPL", "lamp", "lamp.rcp"] {
        folder.write(name, LAMP);
        let done = folder.run(0, &["prove", "--quiet", name]);
        assert!(done.stdout.starts_with("spec 1 AF shines: holds ("), "{name}: {}", done.stdout);
        assert!(done.stderr.is_empty(), "{name}: {}", done.stderr);
    }
    for name in ["clauses.txt", "clauses.SMT2"] {
        folder.write(name, CLAUSES);
        let done = folder.run(0, &["prove", "--quiet", name]);
        assert!(done.stdout.starts_with("no bad state is reachable: holds ("), "{name}: {}", done.stdout);
    }
    let done = with_input(&folder, LAMP, &["prove", "--quiet", "-"]);
    assert!(done.code == 0 && done.stdout.starts_with("spec 1 AF shines: holds ("), "{}{}", done.stdout, done.stderr);
}

#[test]
fn the_option_decides_before_the_content() {
    let folder = Folder::new("languages-option");
    folder.write("lamp.ispl", LAMP);
    folder.write("clauses.smt2", CLAUSES);
    folder.run(0, &["check", "--language", "ispl", "lamp.ispl"]);
    let done = folder.run(2, &["check", "--language", "rcp", "lamp.ispl"]);
    assert!(done.stderr.contains("the file has no `system`"), "{}", done.stderr);
    let done = folder.run(2, &["check", "--language", "ispl", "clauses.smt2"]);
    assert!(done.stderr.contains("the sections are `Semantics`, `Agent`"), "{}", done.stderr);
}

#[test]
fn a_guess_is_told_with_its_errors() {
    let folder = Folder::new("languages-guess");
    folder.write("broken.txt", "Agnet Lamp\n");
    folder.write("broken.rcp", "Agnet Lamp\n");
    let note = "note: broken.txt was read as the R-CHECK language, as nothing says otherwise; `--language` decides";
    let done = folder.run(2, &["check", "broken.txt"]);
    assert!(done.stderr.contains(note), "{}", done.stderr);
    for arguments in [["check", "--language=rcp", "broken.txt"], ["check", "--quiet", "broken.rcp"]] {
        let done = folder.run(2, &arguments);
        assert!(!done.stderr.contains("was read as"), "{}", done.stderr);
    }
}

#[test]
fn comments_of_ispl_may_be_in_latin_1() {
    let folder = Folder::new("languages-latin");
    folder.write("comment.ispl", [b"-- \xe9\n", LAMP.as_bytes()].concat());
    folder.write("text.ispl", [LAMP.as_bytes(), b"\xe9\n"].concat());
    let done = folder.run(0, &["prove", "--quiet", "comment.ispl"]);
    assert!(done.stdout.starts_with("spec 1 AF shines: holds ("), "{}", done.stdout);
    let done = folder.run(2, &["prove", "--quiet", "text.ispl"]);
    assert!(done.stderr.contains("text.ispl is no UTF-8 text (line 22): save it as UTF-8"), "{}", done.stderr);
}
