//! Results as a page that needs no other file and no network: it can be filtered, sorted and searched, and counterexamples can
//! be stepped through beside their models. Without scripts it shows the same, open and in one order.

use super::picture;
use super::record::{Agreement, Record, Tone};
use super::scaling;
use super::steps::Steps;
use super::summary;
use crate::escape::document;
use crate::source::SourceFile;
use data_encoding::BASE64;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

const STYLE: &str = include_str!("page.css");

/// The only script of a page.
pub const SCRIPT: &str = include_str!("page.js");

/// Longer models are not in the page.
const LONGEST_SOURCE: usize = 1 << 18;

/// A counterexample as people look at it.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The message sequence chart, as SVG.
    pub chart: String,
    /// The trace as text.
    pub text: String,
    /// The run.
    pub steps: Steps,
    /// The model.
    pub source: SourceFile,
}

/// Finds the counterexample of a record, or says why it cannot be shown.
pub type Replay<'r> = dyn FnMut(&Record) -> Result<Picture, String> + 'r;

/// A page that is being written.
struct Page<'w> {
    path: &'w Path,
    replay: &'w mut Replay<'w>,
    /// The models of counterexamples, by what they are called in the page.
    sources: BTreeMap<String, SourceFile>,
}

/// Writes the page, whose file this is.
pub fn write<'w>(
    out: &mut dyn Write,
    records: &[Record],
    path: &'w Path,
    replay: &'w mut Replay<'w>,
) -> io::Result<()> {
    let mut page = Page { path, replay, sources: BTreeMap::new() };
    let rows: Vec<Markup> = records.iter().map(|record| page.record(record)).collect();
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width";
                meta name="color-scheme" content="light dark";
                title { "rcheck-smt: results" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Results" }
                p { (summary::totals(records)) }
                p.versions { "Versions: " (versions(records)) }
                @let attention: Vec<&Record> = records.iter().filter(|&it| summary::needs_attention(it)).collect();
                @if !attention.is_empty() {
                    h2 { "To look at" }
                    ul {
                        @for record in &attention {
                            li {
                                a href=(format!("#{}", address(Path::new(&anchor(record))))) {
                                    (record.unit.place()) " " (record.unit.label())
                                }
                                ": " (summary::line(record))
                            }
                        }
                    }
                }
                h2 { "All" }
                (tools(records, attention.len()))
                table.results {
                    colgroup {
                        col; col.result; col.expected; col.engine; col.seconds; col.memory;
                    }
                    thead {
                        tr {
                            @for (key, class, words) in COLUMNS {
                                th class=(class) data-key=(key) scope="col" { button type="button" { (words) } }
                            }
                        }
                    }
                    @for row in rows { (row) }
                }
                @let plots = scaling::plots(records);
                @if !plots.is_empty() { h2 { "Times" } }
                @for (title, plot) in plots {
                    h3 { (title) }
                    figure { (plot) }
                }
                @for (name, source) in &page.sources { (listing(name, source)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    out.write_all(document(&text.into_string()).as_bytes())
}

/// The content security policy: the script and the styles of the page itself, and nothing else.
fn policy() -> String {
    let source = |text: &str| format!("'sha256-{}'", BASE64.encode(&Sha256::digest(text)));
    format!(
        "default-src 'none'; script-src {}; style-src {} {}; base-uri 'none'; form-action 'none'",
        source(SCRIPT),
        source(STYLE),
        source(&picture::style_sheet())
    )
}

/// The key that rows are sorted by, the class of the column, and its heading.
const COLUMNS: [(&str, &str, &str); 6] = [
    ("words", "", "spec"),
    ("result", "", "result"),
    ("expected", "", "expected"),
    ("engine", "engine", "engine"),
    ("seconds", "number", "s"),
    ("megabytes", "number memory", "MB"),
];

/// The controls that narrow the table down; the script shows them.
fn tools(records: &[Record], attention: usize) -> Markup {
    let mut verdicts: Vec<(&str, usize)> = Vec::new();
    for record in records {
        let words = record.verdict.words();
        match verdicts.iter_mut().find(|(known, _)| *known == words) {
            Some((_, count)) => *count += 1,
            None => verdicts.push((words, 1)),
        }
    }
    html! {
        div.tools hidden role="search" {
            input #search type="search" placeholder="Search models, specs, results" aria-label="Search";
            span #filters role="group" aria-label="Show only" {
                @if attention > 0 {
                    button type="button" aria-pressed="false" data-choice="look" { "to look at " (attention) }
                    " "
                }
                @for (words, count) in verdicts {
                    button type="button" aria-pressed="false" data-choice=(words) { (words) " " (count) }
                    " "
                }
            }
            button #theme type="button" aria-label="Light or dark" { "\u{25d0}" }
            span #shown role="status" {}
        }
    }
}

/// A model, with its lines, for the script to show beside traces.
fn listing(name: &str, source: &SourceFile) -> Markup {
    html! {
        pre.source id=(name) hidden {
            @for (number, line) in (1..).zip(source.text().lines()) { span data-line=(number) { (line) } }
        }
    }
}

fn versions(records: &[Record]) -> String {
    let shown = |record: &Record| format!("rcheck-smt {}, Z3 {}", record.versions.tool, record.versions.z3);
    let mut versions: Vec<String> = records.iter().map(shown).collect();
    versions.sort();
    versions.dedup();
    versions.join("; ")
}

/// A name of the row inside of the page.
fn anchor(record: &Record) -> String {
    let unit = record.unit.spec.map_or_else(|| record.unit.label(), |number| number.to_string());
    format!("{:?}-{}-{unit}", record.settings.mode, record.unit.place()).replace(char::is_whitespace, "_")
}

/// True if there is more to see of it than fits into its row.
fn has_details(record: &Record) -> bool {
    record.unit.text.is_some() || record.trace.is_some() || !record.findings.is_empty() || !record.evidence.is_empty()
}

/// How a verdict looks: one that is expected is nothing bad, whatever it says.
fn class(record: &Record) -> &'static str {
    match (record.agreement, record.verdict.tone()) {
        (Some(Agreement::Met), _) | (_, Tone::Good) => "good",
        (_, Tone::Bad | Tone::Broken) => "bad",
        (_, Tone::Open) => "open",
    }
}

impl Page<'_> {
    fn record(&mut self, record: &Record) -> Markup {
        let expected_class = match record.agreement {
            Some(Agreement::Mismatch) => "bad",
            Some(Agreement::Open) => "open",
            Some(Agreement::Met) | None => "",
        };
        let (words, expected) = (summary::words(record), summary::expectation(record).unwrap_or_default());
        let (place, label) = (record.unit.place(), record.unit.label());
        let engine = record.engine.as_deref().unwrap_or_default();
        let megabytes = record.peak_memory.map(|megabytes| format!("{megabytes:.0}")).unwrap_or_default();
        html! {
            tbody.record id=(anchor(record)) data-verdict=(record.verdict.words())
                data-look=[summary::needs_attention(record).then_some("look")]
                data-words=(format!("{place} {label} {words} {expected} {engine}")) data-result=(words)
                data-expected=(expected) data-engine=(engine) data-seconds=(record.seconds.wall) data-megabytes=(megabytes) {
                tr {
                    td { (label) span.model { (place) } }
                    td {
                        span class=(class(record)) { (words) }
                        @if let Some(reason) = &record.reason { br; small { (reason) } }
                        @if let Some(proof) = &record.proof { br; small { (proof) } }
                        @for why in record.vacuity() { br; small { "vacuously: " (why) } }
                        @for formula in summary::assumed(record) { br; small { (formula) } }
                    }
                    td class=(expected_class) { (expected) }
                    td.engine { (engine) }
                    td.number { (format!("{:.2}", record.seconds.wall)) }
                    td.number.memory { (megabytes) }
                }
                // A row of its own, as wide as the table, so that columns stay as they are when it is opened.
                @if has_details(record) {
                    tr.details { td colspan="6" { details.more { summary { "details" } div.content { (self.details(record)) } } } }
                }
            }
        }
    }

    fn details(&mut self, record: &Record) -> Markup {
        html! {
            @if let Some(text) = &record.unit.text { pre { (text) } }
            @for finding in &record.findings {
                p {
                    (finding.severity) " in line " (finding.line) ", column " (finding.column) ": " (finding.message)
                    " [" (finding.code) "]"
                    @if let Some(help) = &finding.help { "; " (help) }
                }
            }
            @for path in &record.evidence { (evidence(path, self.path)) }
            @if let Some(trace) = &record.trace {
                @match (self.replay)(record) {
                    Ok(picture) => (self.picture(record, picture)),
                    Err(why) => {
                        p { "No chart: " (why) ". The steps:" }
                        pre { (steps(trace)) }
                    }
                }
            }
        }
    }

    /// A counterexample; the script makes one of it that can be stepped through, if its model is in the page.
    fn picture(&mut self, record: &Record, Picture { chart, text, steps, source }: Picture) -> Markup {
        let hash = record.unit.sha256.as_deref().unwrap_or_default();
        let name = format!("source-{}", hash.get(..16).unwrap_or(hash));
        let run = (source.text().len() <= LONGEST_SOURCE).then(|| run(&steps, &source, &name).to_string());
        if run.is_some() {
            self.sources.entry(name).or_insert(source);
        }
        html! {
            div.run[run.is_some()] data-run=[run] { div.chart { (PreEscaped(chart)) } }
            details { summary { "as text" } pre { (text) } }
        }
    }
}

/// A run, for the script.
fn run(steps: &Steps, source: &SourceFile, name: &str) -> serde_json::Value {
    let line = |byte: u32| source.line_column(byte).line;
    let told = steps.steps.iter().map(|step| {
        let lines: Vec<_> = step.places.iter().map(|place| (line(place.start), line(place.end))).collect();
        json!({"words": step.words, "lines": lines})
    });
    let names = steps.states.first().into_iter().flatten().map(|(name, _)| name);
    let values = |state: &Vec<(String, String)>| state.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
    json!({
        "source": name,
        "names": names.collect::<Vec<_>>(),
        "states": steps.states.iter().map(values).collect::<Vec<_>>(),
        "steps": told.collect::<Vec<_>>(),
        "loop": steps.loop_start,
    })
}

/// The address of a file: letters of its path that mean something in addresses are written as numbers.
fn address(path: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes.map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn evidence(file: &Path, page: &Path) -> Markup {
    html! {
        p {
            @match link(page, file) {
                Some(link) => a href=(address(&link)) { code { (file.display()) } },
                None => code { (file.display()) },
            }
        }
    }
}

/// The way from the folder of a page to a file; nothing if it is not known where they are.
fn link(page: &Path, file: &Path) -> Option<PathBuf> {
    let (page, file) = (std::path::absolute(page).ok()?, std::path::absolute(file).ok()?);
    let folder: Vec<Component> = page.parent()?.components().collect();
    let parts: Vec<Component> = file.components().collect();
    let common = folder.iter().zip(&parts).take_while(|(one, other)| one == other).count();
    let up = folder[common..].iter().map(|_| Component::ParentDir);
    Some(up.chain(parts[common..].iter().copied()).collect())
}

/// The steps of a trace without its model.
fn steps(trace: &serde_json::Value) -> String {
    let steps = trace["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let lines = steps.iter().enumerate().map(|(index, step)| format!("{index} -> {}: {step}", index + 1));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_the_page_to_the_file() {
        let link =
            |page: &str, file: &str| link(Path::new(page), Path::new(file)).expect("there is a working directory");
        assert_eq!(link("page.html", "traces/m.rcp/1.svg"), Path::new("traces/m.rcp/1.svg"));
        assert_eq!(link("out/page.html", "traces/1.svg"), Path::new("../traces/1.svg"));
        assert_eq!(link("/a/b/page.html", "/a/c/1.svg"), Path::new("../c/1.svg"));
    }
}
