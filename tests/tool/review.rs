//! Reviews: findings and verdicts at their lines, for GitHub and as SARIF.

use crate::tool::Folder;
use serde_json::Value;

/// A model with errors, and one with verdicts.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.copy("tests/fixtures/cli/relay.rcp");
    folder.copy("tests/fixtures/cli/broken.rcp");
    folder
}

/// Rule, level, file and line of each result.
fn results(document: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(document).expect("JSON");
    assert_eq!(document["version"], "2.1.0");
    let results = document["runs"][0]["results"].as_array().expect("a list");
    let of = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let (rule, level, file) = (&result["ruleId"], &result["level"], &place["artifactLocation"]["uri"]);
        format!("{} {} {}:{}", text(rule), text(level), text(file), place["region"]["startLine"])
    };
    results.iter().map(of).collect()
}

#[test]
fn findings_stand_at_their_lines() {
    let folder = folder("review_findings");
    let json: Value =
        serde_json::from_str(&folder.run(2, &["check", "broken.rcp", "--format", "json"]).stdout).expect("JSON");
    let findings = json.as_array().expect("a list");
    let expected: Vec<String> = findings
        .iter()
        .map(|finding| {
            let text = |field: &str| finding[field].as_str().expect("text");
            format!("{} {} {}:{}", text("code"), text("severity"), text("file"), finding["line"])
        })
        .chain(["unreadable error missing.rcp:null".to_owned()])
        .collect();
    let done = folder.run(2, &["check", "broken.rcp", "missing.rcp", "--format", "sarif"]);
    assert_eq!(results(&done.stdout), expected);
    let done = folder.run(2, &["check", "broken.rcp", "missing.rcp", "--format", "github"]);
    assert_eq!(done.stdout.lines().count(), expected.len(), "{}", done.stdout);
    for (line, finding) in done.stdout.lines().zip(findings) {
        let level = finding["severity"].as_str().expect("text");
        assert!(line.starts_with(&format!("::{level} file=broken.rcp,line={},col=", finding["line"])), "{line}");
    }
}

/// Four of the five specs are violated, as expected.
const VERDICTS: [&str; 4] = [
    "violated note relay.rcp:41",
    "violated note relay.rcp:47",
    "violated note relay.rcp:52",
    "violated note relay.rcp:55",
];

#[test]
fn verdicts_stand_at_their_specs() {
    let folder = folder("review_verdicts");
    let proved = folder.run(0, &["prove", "relay.rcp", "--format", "sarif"]).stdout;
    let answered =
        folder.run(0, &["batch", "relay.rcp", "--mode", "prove", "--format", "sarif", "--output", "r.jsonl"]);
    let reported = folder.run(0, &["report", "r.jsonl", "--format", "sarif"]).stdout;
    assert_eq!(results(&proved), results(&answered.stdout));
    assert_eq!(results(&proved), results(&reported));
    assert_eq!(results(&proved), VERDICTS);
}

#[test]
fn an_unexpected_verdict_is_an_error() {
    let folder = folder("review_errors");
    let model = folder.read("relay.rcp").replacen("expect: violated", "expect: holds", 1);
    folder.write("relay.rcp", model);
    let done = folder.run(1, &["batch", "relay.rcp", "--mode", "prove", "--format", "github"]);
    assert_eq!(done.stdout.matches("::error file=relay.rcp,line=").count(), 1, "{}", done.stdout);
    let done = folder.run(2, &["batch", ".", "--mode", "check", "--format", "github"]);
    assert!(done.stdout.contains("::error file=broken.rcp,line="), "{}", done.stdout);
    assert!(results(&folder.run(0, &["prove", "relay.rcp", "--overflow", "--format", "sarif"]).stdout).is_empty());
}
