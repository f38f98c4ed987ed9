//! `rcheck-smt`: a verifier for reconfigurable multi-agent systems.
//!
//! Agents broadcast, multicast and meet point to point, and connect to and leave channels while they
//! run (the R-CHECK language over the ReCiPe calculus). Specifications are formulas of LTOL, a linear
//! temporal logic that observes messages. This library reads such models, gives them a concrete
//! semantics, translates them into transition systems over terms, and searches for counterexamples
//! and proofs with Z3 and without.
//!
//! Two rules shape everything:
//!
//! - **Engines make claims, [`check`] accepts their evidence or refuses it.** A counterexample is replayed on the concrete
//!   semantics ([`model::eval`]), which knows no solver, before it is shown.
//! - **Unknown is an answer.** It carries its reason and what is known nevertheless; nothing turns it
//!   into something else.
//!
//! The calls and types at the root ([`read()`], [`prove`], [`bmc`], [`simulate()`], [`certificate`], [`certify`]) are what most users need, and what versions
//! keep, as a test sees to. **The modules are internal**: they have everything that those calls are made of, for the tool and its tests, and any
//! version may change them.
//!
//! ```
#![doc = include_str!("../examples/library.rs")]
//! ```

#[cfg(feature = "tool")]
pub mod cli;
#[cfg(feature = "solver")]
pub mod export;
mod facade;
pub mod ide;
#[cfg(feature = "tool")]
pub mod lsp;
pub mod report;
pub mod simulate;
#[cfg(feature = "solver")]
pub mod verify;

pub use rcheck_core::{claim, horn, ispl, model, product, reading, trace_file, ts};
#[cfg(feature = "solver")]
pub use rcheck_engines::{clauses, diagrams, engine, property, simplify, smt};
pub use rcheck_kernel::{certificate_file, check};
pub use rcheck_lang::{diag, escape, language, limits, records, source, syntax, words};

#[cfg(feature = "solver")]
pub use facade::{CertifyError, VerifyError, bmc, certificate, certify, prove};
pub use facade::{ReadError, SimulateError, read, simulate};
pub use model::Model;
pub use model::eval::{Run, Semantics};
#[cfg(feature = "solver")]
pub use {certificate_file::Certified, check::Verdict, verify::Subject};
