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
//! - **Engines make claims, [`check`] makes verdicts.** A counterexample is replayed on the concrete
//!   semantics ([`model::eval`]), which knows no solver, before anybody sees it.
//! - **Unknown is an answer.** It carries its reason and what is known nevertheless; nothing turns it
//!   into something else.
//!
//! The calls and types at the root ([`read()`], [`prove`], [`bmc`], [`simulate()`], [`certificate`], [`certify`]) are what most users need, and what versions
//! keep, as a test sees to. **The modules are internal**: they have everything that those calls are made of, for the tool and its tests, and any
//! version may change them.
//!
//! The modules from below, each of which names modules before it only: [`words`], [`records`], [`limits`], [`source`],
//! [`language`], [`escape`], [`diag`], [`syntax`], [`model`], [`ispl`], [`ide`], [`trace_file`], [`mod@simulate`],
//! [`ts`], [`diagrams`], [`horn`], [`product`], [`claim`], [`property`], [`check`], [`export`], [`certificate_file`],
//! [`smt`], [`engine`], [`verify`], [`report`], [`lsp`], [`cli`].
//!
//! ```
#![doc = include_str!("../examples/library.rs")]
//! ```

pub mod certificate_file;
pub mod check;
pub mod claim;
#[cfg(feature = "tool")]
pub mod cli;
pub mod diag;
#[cfg(feature = "solver")]
pub mod diagrams;
// Files that tests of the library share with those of the whole tool name the library from outside.
#[cfg(test)]
extern crate self as rcheck_smt;
#[cfg(test)]
#[path = "../tests/common/oracle.rs"]
#[allow(dead_code)] // Here it is asked about initial states only.
mod oracle;

#[cfg(feature = "solver")]
pub mod engine;
pub mod escape;
pub mod export;
mod facade;
pub mod horn;
pub mod ide;
mod intervals;
pub mod ispl;
pub mod language;
pub mod limits;
#[cfg(feature = "tool")]
pub mod lsp;
pub mod model;
pub mod product;
pub mod property;
pub mod records;
pub mod report;
pub mod simulate;
#[cfg(feature = "solver")]
pub mod smt;
pub mod source;
pub mod syntax;
pub mod trace_file;
pub mod ts;
#[cfg(feature = "solver")]
pub mod verify;
pub mod words;

#[cfg(feature = "solver")]
pub use facade::{CertifyError, VerifyError, bmc, certificate, certify, prove};
pub use facade::{ReadError, SimulateError, read, simulate};
pub use model::Model;
pub use model::eval::{Run, Semantics};
#[cfg(feature = "solver")]
pub use {certificate_file::Certified, check::Verdict, verify::Subject};
