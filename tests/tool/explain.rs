//! `--explain`: what is said of proofs, and that it is true.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The output of the tool, which has to end with the code.
fn tool(code: i32, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).args(["--color", "never"]);
    let output = command.output().expect("the tool runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The clauses that were printed, but for those that only hold on runs that can become a violation. Proofs differ from
/// run to run, and long ones are cut.
fn clauses(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut of_all_runs = true;
    for line in text.lines() {
        match line.strip_prefix("      ") {
            // Numbers of truth values that are true are no expressions of the language: they are SMT-LIB, maybe in several lines.
            Some(clause) if clause.contains("(ite ") || clause.starts_with(' ') => {}
            Some(clause) if of_all_runs && !clause.starts_with("..") => found.push(clause),
            Some(_) => {}
            None => of_all_runs = line == NO_TABLEAU,
        }
    }
    found
}

const NO_TABLEAU: &str = "    no state violates it, because these are true at the start and kept by every step:";

#[test]
fn printed_invariants_can_be_specs() {
    let cases: [(&str, &[&str]); 3] = [
        ("bank", &["money_is_conserved", "one_is_blocked"]),
        ("ticket_lock", &["serves_drawn_tickets_only", "tickets_are_different"]),
        ("token_ring", &["token_counts_all_jobs"]),
    ];
    for (name, specs) in cases {
        let model = format!("specs/{name}.rcp");
        let mut arguments = vec!["prove", "--explain", "--engine", "pdr,kind", &model];
        arguments.extend(specs.iter().flat_map(|spec| ["--spec", spec]));
        let text = tool(0, &arguments);
        let clauses = clauses(&text);
        assert!(clauses.len() > 1, "{text}");
        let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&model)).expect("readable");
        let (before, _) = source.split_once("\n// name:").expect("specs with names");
        let pasted = clauses.iter().map(|clause| format!("SPEC G ({clause});\n")).collect::<String>();
        let file = temporary(&format!("pasted_{name}.rcp"));
        std::fs::write(&file, format!("{before}\n{pasted}")).expect("writable");
        let proved = tool(0, &["prove", &file.display().to_string()]);
        assert_eq!(proved.matches(": holds").count(), clauses.len(), "{proved}");
    }
}

#[test]
fn proofs_are_short_enough_to_read() {
    let of = |spec: &str| tool(0, &["prove", "--explain", "--engine", "pdr", "specs/bank.rcp", "--spec", spec]);
    insta::assert_snapshot!("explain_conserved", of("money_is_conserved"));
    let explored = ["prove", "--explain", "--engine", "explicit", "specs/token_ring.rcp", "--spec"];
    let of = |spec: &str| tool(0, &[&explored[..], &[spec]].concat());
    insta::assert_snapshot!("explain_explored", of("token_is_not_lost") + &of("token_comes_back"));
}

#[test]
fn rankings_are_named() {
    let model = "specs/bounded_buffer.rcp";
    let text = tool(0, &["prove", "--explain", "--engine", "pdr", model, "--spec", "production_goes_on"]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("at most between two changes of the ranking `"), "{text}");
    assert!(words.contains("buffer-count") && !words.contains("(ite ") && !words.contains("obligation-"), "{text}");
}

/// Certificates are explained alike.
#[test]
fn certificates_are_explained() {
    let folder = temporary("explained");
    let shown = folder.display().to_string();
    let prove = ["prove", "--engine", "pdr", "specs/bank.rcp", "--spec", "no_overdraft", "--certificate", &shown];
    let proved = tool(0, &[&prove[..], &["--explain"]].concat());
    let file = folder.join("no_overdraft.json").display().to_string();
    let certified = tool(0, &["certify", "--explain", "specs/bank.rcp", &file]);
    assert!(certified.contains("valid: spec 2 no_overdraft holds\n"), "{certified}");
    assert!(!clauses(&proved).is_empty(), "{proved}");
    assert_eq!(clauses(&proved), clauses(&certified));
    assert!(tool(0, &prove).ends_with("`--explain` says why specs hold\n"));
}
