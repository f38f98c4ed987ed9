//! `rcheck-smt`: a verifier for reconfigurable multi-agent systems.

pub mod claim;
pub mod diag;
pub mod engine;
pub mod model;
pub mod property;
pub mod smt;
pub mod source;
pub mod syntax;
pub mod ts;
