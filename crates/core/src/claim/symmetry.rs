//! Renamings of instances, and of the constants that only belong to them.

use serde::{Deserialize, Serialize};

/// Permutations of what has no meaning of its own: the image of each index.
///
/// A renaming acts on states: the automaton state and the locals of an instance become those of its image,
/// and locations, channels and constants among the values are renamed. Numbers and truth values stay. It is
/// a *symmetry* if it changes the model into itself. Nothing here says that it is one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Renaming {
    /// Of instances, and so of locations.
    pub instances: Vec<u32>,
    /// Of channels, `*` included.
    pub channels: Vec<u32>,
    /// Per enum of its constants.
    pub constants: Vec<Vec<u32>>,
    /// Per agent type of its commands. An instance does with the image of a command what its
    /// preimage does with the command.
    pub commands: Vec<Vec<u32>>,
}

/// Walks from a member of an orbit to smaller ones: `lower` is asked to apply a generator if that leads to a smaller member,
/// and says whether it did. Ends where none of them does.
///
/// The member where it ends may depend on the one where it begins; but from there it goes the same way each time.
pub fn descend(generators: usize, mut lower: impl FnMut(usize) -> bool) {
    let (mut next, mut kept) = (0, 0);
    while kept < generators {
        kept = if lower(next) { 0 } else { kept + 1 };
        next = (next + 1) % generators;
    }
}
