//! Limits of time, memory and parallel work.

pub mod address_space;
pub mod jobs;
pub mod limited;
pub mod memory;
pub mod parent;
pub mod watchdog;
