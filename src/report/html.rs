//! Results as a page that needs no other file and no network.

use super::cactus;
use super::record::{Agreement, Record, Tone};
use super::scaling;
use super::summary;
use crate::escape::document;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const STYLE: &str = "\
body { font-family: sans-serif; margin: 2em auto; max-width: 70em; color: #222; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25em .6em; border-bottom: 1px solid #ddd }
td.number { text-align: right }
td.model { padding-top: 1em; font-weight: bold }
tr.with-details > td { border-bottom: none }
tr.details > td { padding-top: 0 }
.good { color: #080 } .bad { color: #b00 } .open { color: #a60 }
pre { white-space: pre-wrap; background: #f6f6f6; padding: .6em }
.chart { overflow-x: auto }
summary { cursor: pointer; color: #555; font-size: .85em }";

/// A counterexample as people look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The message sequence chart, as SVG.
    pub chart: String,
    /// The trace as text.
    pub text: String,
}

/// What the page takes from outside.
pub trait World {
    /// The counterexample of a record, or why it cannot be shown.
    fn picture(&mut self, record: &Record) -> Result<Picture, String>;

    /// The way from the page to a file, if it is known.
    fn link(&self, file: &Path) -> Option<PathBuf>;
}

/// Writes the page.
pub fn write(out: &mut dyn Write, records: &[Record], world: &mut dyn World) -> io::Result<()> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { "rcheck-smt: results" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Results" }
                p { (summary::totals(records)) }
                p { "Versions: " (versions(records)) }
                @if let Some(plot) = cactus::plot(records) {
                    h2 { "Times" }
                    (plot)
                }
                @for (title, plot) in scaling::plots(records) {
                    h3 { (title) }
                    (plot)
                }
                @let attention: Vec<&Record> = records.iter().filter(|&it| summary::needs_attention(it)).collect();
                @if !attention.is_empty() {
                    h2 { "To look at" }
                    ul {
                        @for record in attention {
                            li {
                                a href=(format!("#{}", anchor(record))) {
                                    (record.unit.place()) " " (record.unit.label())
                                }
                                ": " (summary::line(record))
                            }
                        }
                    }
                }
                h2 { "All" }
                table {
                    thead {
                        tr { th { "spec" } th { "result" } th { "expected" } th { "engine" } th { "s" } th { "MB" } }
                    }
                    tbody {
                        @for of_model in records.chunk_by(|a, b| a.unit.place() == b.unit.place()) {
                            tr { td.model colspan="6" { (of_model[0].unit.place()) } }
                            @for record in of_model { (row(record)) (details_row(record, world)) }
                        }
                    }
                }
            }
        }
    };
    out.write_all(document(&page.into_string()).as_bytes())
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

/// Whether there is more to see of it than fits into its row.
fn has_details(record: &Record) -> bool {
    record.unit.text.is_some() || record.trace.is_some() || !record.findings.is_empty() || !record.evidence.is_empty()
}

/// A row of its own, as wide as the table, so that columns stay as they are when it is opened.
fn details_row(record: &Record, world: &mut dyn World) -> Markup {
    html! {
        @if has_details(record) {
            tr.details { td colspan="6" { details { summary { "details" } (details(record, world)) } } }
        }
    }
}

fn row(record: &Record) -> Markup {
    let class = match record.verdict.tone() {
        Tone::Good => "good",
        Tone::Bad | Tone::Broken => "bad",
        Tone::Open => "open",
    };
    let expected_class = match record.agreement {
        Some(Agreement::Mismatch) => "bad",
        Some(Agreement::Open) => "open",
        Some(Agreement::Met) | None => "",
    };
    html! {
        tr.with-details[has_details(record)] id=(anchor(record)) {
            td { (record.unit.label()) }
            td class=(class) {
                (summary::words(record))
                @if let Some(reason) = &record.reason { br; small { (reason) } }
                @if let Some(proof) = &record.proof { br; small { (proof) } }
                @for why in record.vacuity() { br; small { "vacuously: " (why) } }
            }
            td class=(expected_class) { (summary::expectation(record).unwrap_or_default()) }
            td { @if let Some(engine) = &record.engine { (engine) } }
            td.number { (format!("{:.2}", record.seconds.wall)) }
            td.number { @if let Some(megabytes) = record.peak_memory { (format!("{megabytes:.0}")) } }
        }
    }
}

/// The address of a file: letters of its path that mean something in addresses are written as numbers.
fn address(path: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes.map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn evidence(path: &Path, world: &dyn World) -> Markup {
    html! {
        p {
            @match world.link(path) {
                Some(link) => a href=(address(&link)) { code { (path.display()) } },
                None => code { (path.display()) },
            }
        }
    }
}

fn details(record: &Record, world: &mut dyn World) -> Markup {
    html! {
        @if let Some(text) = &record.unit.text { pre { (text) } }
        @for finding in &record.findings {
            p {
                (finding.severity) " in line " (finding.line) ", column " (finding.column) ": " (finding.message)
                " [" (finding.code) "]"
                @if let Some(help) = &finding.help { "; " (help) }
            }
        }
        @for path in &record.evidence { (evidence(path, world)) }
        @if let Some(trace) = &record.trace {
            @match world.picture(record) {
                Ok(Picture { chart, text }) => {
                    div.chart { (PreEscaped(chart)) }
                    pre { (text) }
                }
                Err(why) => {
                    p { "No chart: " (why) ". The steps:" }
                    pre { (steps(trace)) }
                }
            }
        }
    }
}

/// The steps of a trace without its model.
fn steps(trace: &serde_json::Value) -> String {
    let steps = trace["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let lines = steps.iter().enumerate().map(|(index, step)| format!("{index} -> {}: {step}", index + 1));
    lines.collect::<Vec<_>>().join("\n")
}
