//! The edges of a product, node by node.

use crate::records::list_bytes;

/// Edges in the order of their sources, as far as these are known.
#[derive(Debug, Default)]
pub struct Edges {
    /// Per node its first edge.
    first: Vec<u32>,
    targets: Vec<u32>,
    /// Per edge the number of the set of its marks (`Marks`).
    marks: Vec<u8>,
    /// The edges for which that number is greater, with it.
    wide: Vec<(u32, u32)>,
}

/// Stands for a number that does not fit.
const WIDE: u8 = u8::MAX;

impl Edges {
    /// The greatest number of edges.
    pub const MOST: usize = u32::MAX as usize;

    /// Begins with the next node.
    pub fn open(&mut self) {
        self.first.push(self.targets.len() as u32);
    }

    /// Adds an edge of the last node, unless it is there.
    pub fn add(&mut self, target: u32, marks: u32) {
        let first = *self.first.last().expect("a node is open");
        let known = |edge: u32| self.target(edge) == target && self.marks(edge) == marks;
        if (first..self.len() as u32).any(known) {
            return;
        }
        let narrow = u8::try_from(marks).ok().filter(|number| *number != WIDE);
        if narrow.is_none() {
            self.wide.push((self.targets.len() as u32, marks));
        }
        self.targets.push(target);
        self.marks.push(narrow.unwrap_or(WIDE));
    }

    /// The number of edges.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// The numbers of the edges from a node; none if it was not opened.
    pub fn of(&self, node: u32) -> std::ops::Range<u32> {
        let start = |node: usize| self.first.get(node).map_or(self.targets.len() as u32, |first| *first);
        start(node as usize)..start(node as usize + 1)
    }

    /// The node that an edge enters.
    pub fn target(&self, edge: u32) -> u32 {
        self.targets[edge as usize]
    }

    /// The number of the set of marks that an edge carries.
    pub fn marks(&self, edge: u32) -> u32 {
        match self.marks[edge as usize] {
            WIDE => {
                let at = self.wide.binary_search_by_key(&edge, |(edge, _)| *edge).expect("it was added");
                self.wide[at].1
            }
            narrow => u32::from(narrow),
        }
    }

    /// The node that an edge leaves.
    pub fn source(&self, edge: u32) -> u32 {
        // Every node has an edge or more, or shares its first edge with the node behind it.
        self.first.partition_point(|first| *first <= edge) as u32 - 1
    }

    /// About how many bytes they take.
    pub fn bytes(&self) -> usize {
        list_bytes(&self.first) + list_bytes(&self.targets) + list_bytes(&self.marks) + list_bytes(&self.wide)
    }
}
