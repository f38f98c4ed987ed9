//! Evidence: counterexamples, certificates, traces and exports; what is accepted, and what is refused.

#[path = "../common/mod.rs"]
mod common;

mod certificates;
mod export;
mod forged;
mod hostile;
mod subjects;
mod tamper;
mod trace_files;
