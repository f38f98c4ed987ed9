//! Files, streams and signals.

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
