//! `rcheck-smt`: a verifier for reconfigurable multi-agent systems.

pub mod check;
pub mod claim;
pub mod cli;
pub mod diag;
pub mod engine;
pub mod model;
pub mod property;
pub mod report;
pub mod smt;
pub mod source;
pub mod syntax;
pub mod ts;
pub mod verify;
