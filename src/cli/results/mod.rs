//! Results of `batch`, read and written.

pub mod exports;
pub mod form;
pub mod picture;
