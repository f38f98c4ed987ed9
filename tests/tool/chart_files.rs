//! `--chart`: which files are written, and what is refused before anything runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn tool(folder: &Path, arguments: &[&str]) -> Output {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cli/relay.rcp");
    tool_on(&model, folder, arguments)
}

fn tool_on(model: &Path, folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.current_dir(folder).arg("bmc").arg(model).args(arguments).args(["--color", "never", "--bound", "6"]);
    command.output().expect("the tool runs")
}

/// An empty folder of its own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a writable folder");
    folder
}

/// The names of the files in a folder, in order.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn one_spec_one_file() {
    for (file, start) in [
        ("a.svg", "<svg"),
        ("a.tex", "% A picture by rcheck-smt: spec "),
        ("a.txt", "spec "),
        ("a.md", "### `spec"),
        ("a.mmd", "sequenceDiagram"),
    ] {
        let folder = folder(&format!("chart_of_one_{}", &file[2..]));
        let output = tool(&folder, &["--spec", "small", "--chart", file]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(&format!("  chart drawn in {file}\n")), "{output:?}");
        let text = std::fs::read_to_string(folder.join(file)).expect("the chart was written");
        assert!(text.starts_with(start), "{text}");
    }
}

/// Only violated specs have charts; each gets a file.
#[test]
fn several_specs_several_files() {
    let folder = folder("chart_of_several");
    tool(&folder, &["--chart", "run.txt", "--save-trace", "trace.itf.json"]);
    let violated = ["goes_on", "never_negative", "small", "starts_high"];
    let charts = violated.map(|spec| format!("run-{spec}.txt"));
    let traces = violated.map(|spec| format!("trace-{spec}.itf.json"));
    assert_eq!(files(&folder), [charts, traces].concat());
    tool(&folder, &["--chart", "{spec}.mmd", "--spec", "small"]);
    assert!(files(&folder).contains(&"small.mmd".to_owned()));
}

/// Some specs are called like the numbers of others, or like others but for the case.
#[test]
fn names_do_not_collide() {
    let folder = folder("chart_names");
    let relay = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cli/relay.rcp"));
    let relay = relay.expect("readable").split("// name").next().map(str::to_owned).expect("a model");
    let specs = "SPEC G (sink-got <= 41);\nSPEC source-sent < 0;\n// name: a\nSPEC source-sent < 1;\n\
                 // name: A\nSPEC source-sent < 2;\n// name: b\nSPEC source-sent < 3;\n";
    std::fs::write(folder.join("named.rcp"), relay + specs).expect("a writable folder");
    let output = tool_on(Path::new("named.rcp"), &folder, &["--chart", "{spec}.mmd"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(files(&folder), ["1.mmd", "2.mmd", "3.mmd", "4.mmd", "b.mmd", "named.rcp"]);
}

#[test]
fn bad_names_are_refused_at_once() {
    let folder = folder("chart_refused");
    let cases = [
        ("chart.png", "ends with `.svg`, `.tex` (TikZ)"),
        ("chart", "ends with"),
        ("no/such/a.svg", "no folder no/such"),
    ];
    for (file, message) in cases {
        let output = tool(&folder, &["--chart", file]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(errors.contains(message) && output.stdout.is_empty(), "{errors}");
    }
    assert!(files(&folder).is_empty());
}

fn graph(folder: &Path, arguments: &[&str]) -> Output {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cli/relay.rcp");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    command.current_dir(folder).arg("graph").arg(model).args(arguments).args(["--color", "never"]);
    command.output().expect("the tool runs")
}

#[test]
fn graphs_go_to_files_or_to_standard_output() {
    let folder = folder("graphs");
    for (file, start) in [("a.svg", "<svg"), ("a.dot", "digraph"), ("a.gv", "digraph")] {
        let output = graph(&folder, &["--output", file]);
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
        assert!(std::fs::read_to_string(folder.join(file)).expect("written").starts_with(start));
    }
    let shown = |arguments: &[&str]| String::from_utf8(graph(&folder, arguments).stdout).expect("UTF-8");
    assert!(shown(&[]).starts_with("<svg"));
    let one = shown(&["--agent", "Sink", "--format", "dot"]);
    assert!(one.contains("agent Sink") && !one.contains("agent Source"), "{one}");
}

#[test]
fn graphs_of_nothing_are_refused() {
    let folder = folder("graphs_refused");
    let cases: [(&[&str], &str); 4] = [
        (&["--agent", "Absent"], "no agent type `Absent`: the model has Source, Sink, Bystander"),
        (&["--output", "a.png"], "add `--format`"),
        (&["--reachable", "0"], "expected a whole number, from 1 to 65535"),
        (&["--reachable", "5", "--agent", "Sink"], "cannot be used with"),
    ];
    for (arguments, message) in cases {
        let output = graph(&folder, arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(errors.contains(message), "{errors}");
    }
}
