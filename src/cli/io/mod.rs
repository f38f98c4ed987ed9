//! Files, streams and signals.
//!
//! Commands write files by [`replace`], print by [`out`], and read files by [`input`]. A new output also goes into
//! `tests/tool/robust`: `hostile`, `disk` and `owners`.

pub mod chart;
pub mod editor;
pub mod find;
pub mod input;
pub mod inside;
pub mod interrupt;
pub mod kind;
pub mod language;
pub mod log;
pub mod out;
pub mod replace;
pub mod save;
