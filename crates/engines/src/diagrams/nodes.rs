//! Sets outside of their package: as a list of nodes, which other packages with the same order of bits read.

use super::package::Set;
use crate::claim::diagrams::Root;
use rustc_hash::FxHashMap;

/// The nodes of sets, each once, those below others first: the place of its bit from the top, and where the bit is clear and set.
#[derive(Debug, Default)]
pub struct Nodes {
    list: Vec<[u32; 3]>,
    known: FxHashMap<[u32; 3], Root>,
}

impl Nodes {
    /// Adds a set.
    pub fn root(&mut self, set: &Set) -> Root {
        set.folded([0, 1], |place, low, high| {
            let node = [place as u32, low, high];
            *self.known.entry(node).or_insert_with(|| {
                self.list.push(node);
                self.list.len() as Root + 1
            })
        })
    }

    /// All of them.
    pub fn into_list(self) -> Vec<[u32; 3]> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::super::package::{Package, or};
    use super::*;

    #[test]
    fn another_package_reads_the_nodes_of_a_set() {
        let [one, other] = [(); 2].map(|()| Package::new(4, Vec::new()));
        let odd = |package: &Package| {
            let [a, b] = [[true, false], [false, true]].map(|bits| package.bits([1, 3].into_iter().zip(bits)));
            or(&a, &b)
        };
        let mut nodes = Nodes::default();
        let root = nodes.root(&odd(&one));
        let read = other.set_of(&nodes.into_list(), root);
        assert!(read == odd(&other));
        assert!(other.set_of(&[], 0).is_false());
        assert!(other.set_of(&[], 1) == other.constant(true));
    }
}
