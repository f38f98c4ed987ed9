//! Results as comma-separated values, one row per record; columns have the names and the meaning of the fields of
//! records (`docs/results.md`).

use super::record::Record;
use crate::escape;
use serde_json::Value;
use std::io::{self, Write};

/// The columns: fields of records, `/` leads into them.
const COLUMNS: &str = "model constants spec check name line mode bound verdict depth loop_start round_start expect \
    agreement cause reason engine proof vacuous assumptions assumed seconds/wall seconds/cpu seconds/encoding \
    seconds/solving peak_memory sha256 versions/tool versions/z3 evidence";

/// Writes a heading and the records.
pub fn write(out: &mut dyn Write, records: &[Record]) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS.replace('/', "_").split(' '))?;
    for record in records {
        let record = serde_json::to_value(record)?;
        writer.write_record(COLUMNS.split(' ').map(|column| cell(&record, column)))?;
    }
    writer.flush()
}

fn cell(record: &Value, column: &str) -> String {
    match record.pointer(&format!("/{column}")) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => escape::cell(text).into_owned(),
        Some(Value::Array(list)) => {
            escape::cell(&list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(";")).into_owned()
        }
        Some(Value::Object(fields)) => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
            escape::cell(&fields.join(";")).into_owned()
        }
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::{Mode, Settings, Unit, Verdict};

    #[test]
    fn every_column_is_a_field() {
        let unit = Unit { name: Some("a,\"b\"".to_owned()), spec: Some(2), ..Unit::file("m.rcp", None) };
        let mut record = Record::new(unit, Settings::of(Mode::Prove));
        record.verdict = Verdict::Holds;
        record.evidence = vec!["a".into(), "b".into()];
        let value = serde_json::to_value(&record).expect("plain data");
        for column in COLUMNS.split(' ') {
            assert!(value.pointer(&format!("/{column}")).is_some(), "{column} is no field");
        }
        let mut text = Vec::new();
        write(&mut text, &[record]).expect("memory");
        let text = String::from_utf8(text).expect("UTF-8");
        let (heading, row) = text.split_once('\n').expect("two lines");
        assert!(
            heading.starts_with("model,constants,spec,check,name") && heading.contains("seconds_wall"),
            "{heading}"
        );
        assert!(row.starts_with("m.rcp,,2,,\"a,\"\"b\"\"\",,prove,,holds") && row.trim_end().ends_with("a;b"), "{row}");
    }
}
