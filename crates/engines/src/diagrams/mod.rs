//! Sets of states as decision diagrams, for finite systems.
//!
//! Bryant, *Graph-based algorithms for Boolean function manipulation* (IEEE Transactions on Computers, 1986). The number of a variable's value is
//! written in bits; the bits of the next value alternate with those of the present one. Each event has a relation of its own, over what it reads and
//! changes (Burch, Clarke, Long, *Symbolic model checking with partitioned transition relations*, VLSI 1991).

mod compile;
mod nodes;
mod order;
mod package;
mod sifting;
mod space;
mod steps;

pub use compile::Compiler;
pub use nodes::Nodes;
pub use order::orders;
pub use package::{BitSet, Set, and, and_exists, down, exists, not, or, same, up, without};
pub use space::Space;
pub use steps::{Step, Steps};
