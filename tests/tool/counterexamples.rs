//! Counterexamples in use: sessions on them, and files of those on which no state recurs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const GAP: &str = "../../../specs/features/recurrent_gap.rcp";

/// Runs the tool on a script, from the folder of the fixtures; what it prints, and its errors.
fn tool(code: i32, arguments: &[&str], lines: &[&str]) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cli"));
    command.args(arguments).args(["--color", "never"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let script = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    // A process that does not read its input need not be written to.
    let _ = child.stdin.take().expect("a pipe").write_all(script.as_bytes());
    let output = child.wait_with_output().expect("the tool ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the tool prints UTF-8");
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{stdout}\n{stderr}");
    (stdout, stderr)
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn a_session_on_the_counterexample() {
    let small = ["bmc", "relay.rcp", "--quiet", "--spec", "small", "--simulate"];
    let (text, _) = tool(0, &small, &["forward", "forward", "specs", "back", "1"]);
    let (_, session) = text.split_once("\nthe counterexample to ").expect("a session");
    insta::assert_snapshot!("session_on_counterexample", session);
    // A line that fails is worse than a violation.
    let (_, errors) = tool(2, &small, &["forward", "nonsense"]);
    assert_eq!(errors, "error: 1 of 2 lines failed\n");
    let (text, _) = tool(0, &["bmc", "relay.rcp", "--bound", "6", "--simulate"], &[]);
    assert!(text.contains("\nthe counterexample to spec 1 small; `--spec` chooses another one\n"), "{text}");
    let (text, note) = tool(0, &["prove", "relay.rcp", "--quiet", "--spec", "told_first", "--simulate"], &["1"]);
    assert_eq!(note, "note: nothing is violated, so there is no counterexample to replay\n");
    assert!(!text.contains("> "), "{text}");
    let (_, errors) = tool(2, &["bmc", "relay.rcp", "--simulate", "--format", "json"], &[]);
    assert!(errors.contains("cannot be used with"), "{errors}");
}

/// The file says which steps repeat; the simulator goes on with them.
#[test]
fn recurrent_runs_as_files() {
    for name in ["recurrent.json", "recurrent.itf.json"] {
        let path = temporary(name);
        let file = path.display().to_string();
        tool(0, &["bmc", GAP, "--spec", "slow_catches_up", "--save-trace", &file], &[]);
        let document: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&path).expect("written")).expect("JSON");
        let round = if name.ends_with(".itf.json") { &document["#meta"]["round"] } else { &document["round"] };
        assert_eq!(round["start"], 1);
        assert_eq!(round["conjunct"], 1);
        assert_eq!(round["changes"], serde_json::json!(["race-fast", "race-slow"]));
        let script = ["forward 3", "forward", "forward 2", "state", "back 5", "2", "forward"];
        let (text, _) = tool(2, &["simulate", GAP, "--trace", &file], &script);
        insta::assert_snapshot!("session_on_recurrent_run", text);
        let outside = std::fs::read_to_string(&path).expect("written").replace(r#""start":1"#, r#""start":9"#);
        std::fs::write(&path, outside).expect("writable");
        let (_, errors) = tool(2, &["simulate", GAP, "--trace", &file], &[]);
        assert!(errors.contains("round.start: the run ends at position 3"), "{errors}");
    }
}

/// The page shows what was checked again, or says why it does not.
#[test]
fn recurrent_runs_on_the_page_of_results() {
    let (results, page) = (temporary("recurrent.jsonl"), temporary("recurrent.html"));
    let (results, page) = (results.display().to_string(), page.display().to_string());
    tool(0, &["batch", GAP, "--quiet", "--jobs", "1", "--output", &results], &[]);
    let report = |page: &str| {
        tool(0, &["report", &results, "--html", page], &[]);
        std::fs::read_to_string(page).expect("written")
    };
    let text = report(&page);
    assert!(text.contains("what repeats for ever starts here") && !text.contains("No chart"), "{text}");
    let records = std::fs::read_to_string(&results).expect("written");
    assert!(records.contains(r#""round_start":1"#), "{records}");
    // A set that the round leaves is no evidence.
    let altered = records.replace("race-slow < race-fast", "race-slow + 1 < race-fast + 1");
    std::fs::write(&results, altered.replace("race-slow + 1 < race-fast", "race-fast < 5")).expect("writable");
    assert!(report(&page).contains("No chart: "), "{text}");
}
