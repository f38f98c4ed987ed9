//! One hostile corpus through every form of output: whatever stands in names of files, in comments, and in the fields of
//! files that are read, nothing of it acts.

use super::forms::{assert_inert, assert_well_formed};
use crate::tool::{Folder, end};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Texts that attack terminals, the direction of writing, markup, tables, paths, and lines.
const CORPUS: [&str; 12] = [
    "\u{1b}[1A\u{1b}[2K\u{1b}[32m\u{1b}[1mspec 1: holds\u{1b}[8m",
    "\u{1b}]0;title\u{7}\u{8}\u{8}\r\u{7f}",
    "\u{9b}2J\u{85}\u{90}q\u{9c}",
    "\u{202e}sdloh\u{202c}\u{2066}\u{200f}\u{feff}\u{e0041}",
    "\u{2028}FORGED\u{2029}FORGED",
    "=cmd|' /C calc'!A0",
    "-1+1",
    "</text></title><script>alert('1')</script>]]>&amp;&#27;<img src=x>\"",
    "../../../etc/passwd",
    "javascript:alert(1)",
    "```\\\"]; %% end; #35; |{}<br/>",
    "\u{0}\u{1}\u{fffe}\u{ffff}",
];

/// A name of a file: without what the system forbids in one, and not too long for one.
fn file_name() -> String {
    let words = [CORPUS[0], CORPUS[1], CORPUS[2], CORPUS[3], CORPUS[4], CORPUS[7]].concat().replace('/', "_");
    format!("={words}\nFORGED spec 1: holds.rcp")
}

/// Two violated specs and one that holds, with a hostile comment in each; words of other languages as names.
fn model() -> String {
    let comment = CORPUS.concat().replace("*/", "").replace('\u{feff}', "");
    format!(
        "enum channel {{end, subgraph}}\nenum esac {{abs, node, graph}}\n\
         agent Node\n local: x : 0..3, is : esac\n init: x = 0 & is = node\n receive-guard: chan = *\n\
         repeat: (loop: {{x < 3}} *! (true)()[x := x + 1] + par: {{true}} end! (true)()[is := graph])\n\
         system = Node(strict, true) || Node(alt, true)\n\
         // name: -1, expect: violated\nSPEC G /* {comment} */ (strict-x < 2);\n\
         // name: ..\nSPEC G /* {comment}\nFORGED spec 9: holds */ (alt-is != abs);\n\
         SPEC /* {comment} */ G (strict-is = node);\n"
    )
}

fn folder(name: &str) -> (Folder, String) {
    let (folder, file) = (Folder::new(name), file_name());
    folder.write(&file, model());
    (folder, file)
}

/// All files below a folder, but the model.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("readable").path());
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let is_model = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rcp");
    entries.flat_map(below).filter(|path| !is_model(path)).collect()
}

/// Judges all files that were written; there are so many at least.
fn judge_files(folder: &Folder, least: usize) {
    let files = files(&folder.path("."));
    assert!(files.len() >= least, "{files:?}");
    for path in files {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        assert_well_formed(&path.to_string_lossy(), &text);
    }
}

/// Runs the tool as on a terminal with colours, and judges what it says.
fn judge_words(folder: &Folder, code: i32, arguments: &[&str]) -> String {
    let child = folder.command(arguments, "always").spawn().expect("the tool starts");
    let done = end(child);
    assert_eq!(done.code, code, "{arguments:?}\n{}\n{}", done.stdout, done.stderr);
    for text in [&done.stdout, &done.stderr] {
        assert_inert(&format!("{arguments:?}"), text, true);
        assert!(!text.contains("\u{1b}[1mspec 1: holds") && !text.contains("\nFORGED"), "{arguments:?}:\n{text}");
    }
    done.stdout
}

#[test]
fn words_for_people() {
    let (folder, file) = folder("hostile_words");
    for (code, arguments) in [
        (0, &["check", &file][..]),
        (2, &["check", "missing\u{1b}[2J\nFORGED"]),
        (2, &["check", "--\u{1b}[2J\u{9b}1m"]),
        (1, &["bmc", &file, "--full", "--stats"]),
        (1, &["prove", &file, "--explain"]),
        (2, &["prove", &file, "--chart", "missing\u{1b}[2J\nFORGED/c.svg"]),
        (1, &["fmt", "--check", &file]),
        (1, &["batch", "."]),
        (1, &["batch", ".", "--format", "github"]),
        (0, &["batch", ".", "--units"]),
        (2, &["unit", "\u{1b}[2J\nFORGED", "\u{1b}[2J\nFORGED:file@1"]),
        (2, &["man", "\u{1b}[2J\nFORGED"]),
        (1, &["simulate", &file, "--random", "20", "--seed", "3"]),
    ] {
        judge_words(&folder, code, arguments);
    }
}

#[test]
fn documents() {
    let (folder, file) = folder("hostile_documents");
    let all = ["--chart", "c.svg", "--save-trace", "t.json", "--certificate", "certificates"];
    judge_words(&folder, 1, &[&["prove", &file][..], &all].concat());
    for chart in ["c.tex", "c.txt", "c.md", "c.mmd"] {
        judge_words(&folder, 1, &["bmc", &file, "--chart", chart, "--save-trace", "t.itf.json"]);
    }
    for (number, format) in ["smv", "vmt", "chc", "json", "dot"].into_iter().enumerate() {
        let place = format!("export{number}");
        judge_words(&folder, 0, &["export", &file, "--to", format, "--directory", &place]);
    }
    for picture in ["g.svg", "g.dot"] {
        judge_words(&folder, 0, &["graph", &file, "--output", picture]);
        judge_words(&folder, 0, &["graph", &file, "--reachable", "20", "--output", &format!("reachable-{picture}")]);
    }
    judge_words(&folder, 0, &["certify", &file, "certificates"]);
    judge_files(&folder, 25);
    for (code, arguments) in [
        (1, &["bmc", &file, "--format", "json"][..]),
        (0, &["check", &file, "--format", "json"]),
        (1, &["prove", &file, "--format", "sarif"]),
        (0, &["check", &file, "--format", "sarif"]),
        (0, &["graph", &file]),
    ] {
        let text = judge_words(&folder, code, arguments);
        let name = match arguments[0] {
            "bmc" => "stdout.jsonl",
            "check" | "prove" => "stdout.json",
            _ => "stdout.svg",
        };
        assert_well_formed(name, &text);
    }
}

#[test]
fn results() {
    let (folder, _) = folder("hostile_results");
    let evidence = ["--traces", "traces", "--certificate", "certificates", "--mode", "prove", "--output", "r.jsonl"];
    let exports = ["--html", "r.html", "--csv", "r.csv", "--junit", "r.xml"];
    judge_words(&folder, 1, &[&["batch", "."][..], &evidence, &exports].concat());
    judge_files(&folder, 12);
    let page = folder.read("r.html");
    assert!(
        page.contains("<tr class=\"details\"><td colspan=\"6\"><details class=\"more\">"),
        "details have a row of their own"
    );
    assert!(page.contains("<a href=\"traces/") && page.contains(".svg\"><code>"), "evidence is linked");
    // Whatever a file of results says of itself.
    for (number, words) in CORPUS.into_iter().enumerate() {
        let forged: Vec<String> =
            folder.records("r.jsonl").into_iter().map(|record| forge(record, words).to_string()).collect();
        let results = format!("forged{number}.jsonl");
        folder.write(&results, forged.join("\n") + "\n");
        let exports =
            exports.map(|word| if word.starts_with('r') { format!("{number}{word}") } else { word.to_owned() });
        let exports: Vec<&str> = exports.iter().map(String::as_str).collect();
        judge_words(&folder, 1, &[&["report", &results][..], &exports].concat());
        judge_words(&folder, 1, &["report", &results, "--format", "github"]);
        let review = judge_words(&folder, 1, &["report", &results, "--format", "sarif"]);
        assert_well_formed("stdout.json", &review);
        fs::remove_file(folder.path(&results)).expect("it is ours");
    }
    judge_files(&folder, 12 + 3 * CORPUS.len());
}

/// The record with these words wherever it has some that are not from a list.
fn forge(mut record: Value, words: &str) -> Value {
    for field in ["model", "name", "text", "reason", "proof", "engine"] {
        record[field] = words.into();
    }
    for list in ["vacuous", "evidence"] {
        record[list] = vec![words].into();
    }
    record["versions"] = serde_json::json!({ "tool": words, "z3": words });
    let finding = serde_json::json!({
        "line": 1, "column": 1, "severity": words, "code": words, "message": words, "help": words
    });
    record["findings"] = vec![finding].into();
    record
}

#[test]
fn traces_and_certificates() {
    let folder = Folder::new("hostile_evidence");
    folder.copy("tests/fixtures/cli/relay.rcp");
    let all = ["--spec", "small", "--save-trace", "t.json", "--certificate", "certificates"];
    folder.run(0, &[&["prove", "relay.rcp"][..], &all].concat());
    let (trace, certificate) = (folder.read("t.json"), folder.read("certificates/small.json"));
    let parsed = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    for words in CORPUS {
        for path in ["/description", "/model/file", "/model/fingerprint", "/states/0/sink/got", "/steps/0"] {
            let mut forged = parsed(&trace);
            *forged.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = words.into();
            folder.write("f.json", forged.to_string());
            let fits = matches!(path, "/description" | "/model/file");
            judge_words(&folder, if fits { 0 } else { 2 }, &["simulate", "relay.rcp", "--trace", "f.json"]);
        }
        for path in ["/spec/name", "/spec/formula", "/model/file", "/model/fingerprint", "/verdict"] {
            let mut forged = parsed(&certificate);
            *forged.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = words.into();
            folder.write("f.json", forged.to_string());
            let code = match path {
                "/model/file" => 0,
                "/verdict" => 2,
                _ => 1,
            };
            judge_words(&folder, code, &["certify", "relay.rcp", "f.json"]);
        }
    }
}
