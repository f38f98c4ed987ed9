//! Engines make claims about a property of a system. None of them makes a verdict.

pub mod bmc;
pub mod explicit;
pub mod pdr;
