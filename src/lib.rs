//! `rcheck-smt`: a verifier for reconfigurable multi-agent systems.

pub mod diag;
pub mod model;
pub mod property;
pub mod source;
pub mod syntax;
pub mod ts;
