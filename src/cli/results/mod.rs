//! Results of `batch`, read and written.

pub mod exports;
pub mod picture;
