//! Sets of states as decision diagrams, for finite systems.
//!
//! Bryant, *Graph-based algorithms for Boolean function manipulation* (IEEE Transactions on Computers, 1986). The number of a variable's value is
//! written in bits; the bits of the next value alternate with those of the present one. Each event has a relation of its own, over what it reads and
//! changes (Burch, Clarke, Long, *Symbolic model checking with partitioned transition relations*, VLSI 1991).
//!
//! The package is `biodivine-lib-bdd`: a diagram is a list of nodes of its own, without a table that diagrams share. So memory is
//! freed with the diagram, results depend on nothing that happened before, and work can be abandoned in the midst of an operation:
//! its steps are counted ([`crate::limits::tick`]) where the package asks for the values of terminals.

mod compile;
mod order;
mod space;
mod steps;

pub use compile::Compiler;
pub use order::order;
pub use space::{Space, and, exists, not, or, without};
pub use steps::{Step, Steps};
