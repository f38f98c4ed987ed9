//! The Static Analysis Results Interchange Format, version 2.1.0 (OASIS).

use super::{FilePlace, RULES, Remark};
use crate::diag::{Code, Severity};
use crate::escape;
use serde_json::{Value, json};
use std::io::{self, Write};

pub(super) fn write(out: &mut dyn Write, remarks: &[Remark]) -> io::Result<()> {
    let mut rules: Vec<&str> = Vec::new();
    for remark in remarks {
        if !rules.contains(&remark.rule.as_str()) {
            rules.push(&remark.rule);
        }
    }
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": env!("CARGO_PKG_NAME"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|id| rule(id)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": remarks.iter().map(|remark| result(&rules, remark)).collect::<Vec<_>>(),
        }],
    });
    let text = serde_json::to_string_pretty(&document)? + "\n";
    out.write_all(escape::json(&text).as_bytes())
}

/// The meaning of a kind of remark, for readers of the results.
fn rule(id: &str) -> Value {
    let of_code = || Code::ALL.iter().find(|code| code.as_str() == id).map(|code| code.meaning());
    let known = RULES.iter().find(|(rule, _)| *rule == id).map(|(_, meaning)| *meaning).or_else(of_code);
    // Results of other versions may have codes that this one does not know.
    match known {
        Some(meaning) => json!({ "id": id, "shortDescription": { "text": meaning } }),
        None => json!({ "id": id }),
    }
}

fn result(rules: &[&str], remark: &Remark) -> Value {
    let text = match remark.message.is_empty() {
        true => remark.title.clone(),
        false => format!("{}\n{}", remark.title, remark.message),
    };
    let mut physical = json!({ "artifactLocation": { "uri": escape::uri(&remark.file) } });
    if let Some(FilePlace { line, column, end }) = remark.place {
        let mut region = json!({ "startLine": line });
        if let Some(column) = column {
            region["startColumn"] = column.into();
        }
        if let Some(end) = end {
            region["endLine"] = end.line.into();
            region["endColumn"] = end.column.into();
        }
        physical["region"] = region;
    }
    json!({
        "ruleId": remark.rule,
        "ruleIndex": rules.iter().position(|rule| *rule == remark.rule),
        "level": match remark.level {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        "message": { "text": text },
        "locations": [{ "physicalLocation": physical }],
    })
}
