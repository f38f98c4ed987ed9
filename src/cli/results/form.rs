//! Results and findings for programs, as `--format` asks.

use crate::cli::arguments::Format;
use crate::report::record::Record;
use crate::report::results;
use crate::report::review::{self, Form, Remark};

impl Format {
    /// The form of a review, if it is one.
    pub fn review(self) -> Option<Form> {
        match self {
            Format::Human | Format::Json => None,
            Format::Github => Some(Form::Github),
            Format::Sarif => Some(Form::Sarif),
        }
    }
}

/// Results: a review, or else a line of JSON for each.
pub fn records<'r>(format: Format, records: impl IntoIterator<Item = &'r Record>) -> Vec<u8> {
    let mut records = records.into_iter();
    if let Some(form) = format.review() {
        return remarks(form, &records.flat_map(Remark::of_record).collect::<Vec<_>>());
    }
    let mut text = Vec::new();
    records.try_for_each(|record| results::write(&mut text, record)).expect("writing to memory works");
    text
}

/// A review.
pub fn remarks(form: Form, remarks: &[Remark]) -> Vec<u8> {
    let mut text = Vec::new();
    review::write(&mut text, form, remarks).expect("writing to memory works");
    text
}
