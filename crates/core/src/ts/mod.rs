//! Transition systems over our own terms: what all engines but explorations work on.

pub mod atoms;
pub mod expressions;
pub mod history;
mod joint;
pub mod lower;
mod observe;
pub mod ranking;
pub mod readback;
pub mod relevant;
pub mod replay;
pub mod shared;
pub mod show;
pub mod smtlib;
pub mod system;
pub mod term;
pub mod valuation;
