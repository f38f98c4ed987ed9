//! Random and enumerated models: whoever can say something about one has to agree with the others.

#[path = "../common/mod.rs"]
mod common;

mod agreement;
mod differential;
mod mutations;
