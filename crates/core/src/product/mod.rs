//! The product of a model's system with the negation of a conjunct: what provers are asked about, and what invariants
//! are checked on.
//!
//! Proofs rest on this construction ([`negation`] has its proof, [`rounds`] that of the rules for liveness). It is made
//! from the model and the conjunct alone, before any simplification.
//!
//! Constraints of a product can leave a state without successors. So a question about a single state must not assert a
//! step in the same solver: it would leave such states out.

pub mod negation;
pub mod rounds;
pub mod target;
