//! The canonical text of a model, in the modern dialect whatever it was read in.
//!
//! `parse(format(x))` is `x` again, up to the dialect, two spellings that only classic files know
//! (`ch` for `chan`, `k-name` for `k-myself`), and parameters of guards that hide constants, which classic files alone may
//! have; and formatting twice changes nothing. Comments stay: those on
//! lines of their own before the item that they precede, others behind the item that they follow.
//!
//! Only files without syntax errors should be formatted: an error node has no text.

mod expression;
mod item;
mod layout;
mod names;
mod process;

pub use expression::{Names, expression};

use super::ast::Model;
use super::parsed::Parsed;
use crate::source::SourceFile;
use layout::Layout;

/// The canonical text of a file, with its comments.
pub fn format(source: &SourceFile, parsed: &Parsed) -> String {
    let mut layout = Layout::new(Some(source), &parsed.comments);
    item::model(&mut layout, &parsed.model);
    layout.finish()
}

/// The canonical text of a model that has no text of its own; the names and expectations of its specs become comments.
pub fn model(model: &Model) -> String {
    let mut layout = Layout::new(None, &[]);
    item::model(&mut layout, model);
    layout.finish()
}
