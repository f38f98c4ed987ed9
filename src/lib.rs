//! `rcheck-smt`: a verifier for reconfigurable multi-agent systems.

pub mod diag;
pub mod model;
pub mod source;
pub mod syntax;
