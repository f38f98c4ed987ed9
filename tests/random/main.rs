//! Random and enumerated models: all parts of the tool that can say something about one have to agree.

#[path = "../common/mod.rs"]
mod common;

mod agreement;
mod differential;
mod mutations;
