//! Strongly connected components of the product, and whether one of them has an accepting cycle.

use super::edges::Edges;
use crate::limits::tick;
use crate::records::{Records, bits};

/// The components of the expanded part, numbered such that no edge leads to a greater number.
#[derive(Debug)]
pub struct Components {
    /// Per node.
    component: Vec<u32>,
    /// Per component whether it has a cycle.
    cyclic: Vec<bool>,
    /// Per component the eventualities that are put off on every inner edge, as bits.
    always_postponed: Vec<Vec<u64>>,
}

const UNSEEN: u32 = u32::MAX;

impl Components {
    /// Of so many nodes, whose edges put off some of so many eventualities, by the number of the set.
    pub fn new(nodes: usize, edges: &Edges, postponed: &Records, eventualities: usize) -> Components {
        let mut search = Tarjan::new(nodes, edges);
        (0..nodes as u32).for_each(|root| search.run(root));
        let count = search.count as usize;
        let mut all = vec![0; postponed.width()];
        (0..eventualities).for_each(|index| bits::set(&mut all, index));
        let component = search.component;
        let (cyclic, always_postponed) = (vec![false; count], vec![all; count]);
        let mut components = Components { component, cyclic, always_postponed };
        components.look_inside(edges, postponed);
        components
    }

    fn look_inside(&mut self, edges: &Edges, postponed: &Records) {
        for node in 0..edges.nodes() as u32 {
            let component = self.of(node);
            for edge in edges.of(node).filter(|edge| self.component[edges.target(*edge) as usize] == component) {
                let always = &mut self.always_postponed[component as usize];
                let set = postponed.get(edges.postponed(edge));
                always.iter_mut().zip(set).for_each(|(all, some)| *all &= some);
                self.cyclic[component as usize] = true;
            }
        }
    }

    /// The component of a node.
    pub fn of(&self, node: u32) -> u32 {
        self.component[node as usize]
    }

    /// The number of components.
    pub fn len(&self) -> usize {
        self.cyclic.len()
    }

    /// Whether some cycle through the component puts nothing off for ever.
    pub fn is_accepting(&self, component: u32) -> bool {
        self.cyclic[component as usize] && self.postponed(component).is_none()
    }

    /// An eventuality that is put off on every inner edge of a component with cycles.
    pub fn postponed(&self, component: u32) -> Option<usize> {
        let cyclic = self.cyclic[component as usize];
        bits::iter(&self.always_postponed[component as usize]).next().filter(|_| cyclic)
    }

    /// The nodes that lie in accepting components, in the order of discovery.
    pub fn accepting(&self) -> impl Iterator<Item = u32> {
        (0..self.component.len() as u32).filter(|node| self.is_accepting(self.of(*node)))
    }
}

/// Tarjan's algorithm without recursion.
struct Tarjan<'e> {
    edges: &'e Edges,
    /// Per node when it was entered; lowered to the least that it reaches on the stack.
    low: Vec<u32>,
    component: Vec<u32>,
    entered: u32,
    count: u32,
    stack: Vec<u32>,
    /// The nodes on the present path: with when they were entered, and their next edge.
    path: Vec<(u32, u32, u32)>,
}

impl<'e> Tarjan<'e> {
    fn new(nodes: usize, edges: &'e Edges) -> Tarjan<'e> {
        let unseen = vec![UNSEEN; nodes];
        let (stack, path) = (Vec::new(), Vec::new());
        Tarjan { edges, low: unseen.clone(), component: unseen, entered: 0, count: 0, stack, path }
    }

    fn run(&mut self, root: u32) {
        if self.low[root as usize] != UNSEEN {
            return;
        }
        self.enter(root);
        while let Some((node, entered, next)) = self.path.last_mut() {
            let (node, entered) = (*node, *entered);
            if *next < self.edges.of(node).end {
                let target = self.edges.target(*next);
                *next += 1;
                if self.low[target as usize] == UNSEEN {
                    self.enter(target);
                } else if self.component[target as usize] == UNSEEN {
                    self.lower(node, target);
                }
            } else {
                self.path.pop();
                self.leave(node, entered);
            }
        }
    }

    fn enter(&mut self, node: u32) {
        tick();
        self.low[node as usize] = self.entered;
        self.stack.push(node);
        self.path.push((node, self.entered, self.edges.of(node).start));
        self.entered += 1;
    }

    fn leave(&mut self, node: u32, entered: u32) {
        if self.low[node as usize] == entered {
            while let Some(member) = self.stack.pop() {
                self.component[member as usize] = self.count;
                if member == node {
                    break;
                }
            }
            self.count += 1;
        } else if let Some((parent, ..)) = self.path.last() {
            let parent = *parent;
            self.lower(parent, node);
        }
    }

    fn lower(&mut self, node: u32, by: u32) {
        self.low[node as usize] = self.low[node as usize].min(self.low[by as usize]);
    }
}
