//! Sets of states as decision diagrams, for all specs of finite systems ([`crate::diagrams`]).
//!
//! Burch, Clarke, McMillan, Dill, Hwang, *Symbolic model checking: 10^20 states and beyond* (Information and Computation,
//! 1992). The reachable states grow by one event at a time, from what all others have added (chaining: Roig, Cortadella, Pastor,
//! *Verification of asynchronous circuits by BDD-based model checking of Petri nets*, ICATPN 1995).

pub mod branching;
mod cycles;
mod evidence;
mod games;
mod lasso;
mod product;
mod race;
mod search;
mod witness;

pub use race::Found;
