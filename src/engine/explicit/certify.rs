//! The visited nodes of the product, as a certificate.

use super::graph::Graph;
use crate::claim::explicit::{ClosedSet, ExplicitCertificate, GraphCertificate, PartCertificate};

/// The certificate of a formula. The sets still have the numbers of graphs and states that the search
/// uses; the certificate has only what they need.
pub fn certificate(graphs: &[Option<Graph>], mut parts: Vec<PartCertificate>) -> ExplicitCertificate {
    let mut needed: Vec<Option<Needed>> = graphs.iter().map(|_| None).collect();
    let mut order = Vec::new();
    for part in &mut parts {
        let PartCertificate::Closed(set) = part else { continue };
        let graph = set.graph as usize;
        let needed = needed[graph].get_or_insert_with(|| {
            order.push(graph);
            Needed { number: order.len() as u32 - 1, numbers: Vec::new(), states: Vec::new() }
        });
        needed.add(set);
    }
    let of_graph = |index: usize| Some((graphs[index].as_ref()?, needed[index].as_ref()?));
    let graphs = order.into_iter().filter_map(of_graph).map(|(graph, needed)| needed.certificate(graph));
    ExplicitCertificate { graphs: graphs.collect(), parts }
}

/// The part of a graph that is needed.
struct Needed {
    /// The number of the graph in the certificate.
    number: u32,
    /// Per state of the graph its number in the certificate.
    numbers: Vec<Option<u32>>,
    states: Vec<u32>,
}

impl Needed {
    fn add(&mut self, set: &mut ClosedSet) {
        set.graph = self.number;
        for member in &mut set.members {
            let state = member.state as usize;
            if self.numbers.len() <= state {
                self.numbers.resize(state + 1, None);
            }
            member.state = *self.numbers[state].get_or_insert_with(|| {
                self.states.push(member.state);
                self.states.len() as u32 - 1
            });
        }
    }

    fn certificate(&self, graph: &Graph) -> GraphCertificate {
        let symmetric = !graph.generators().is_empty();
        let permutations = |state: &u32| graph.permutations(*state).to_vec();
        GraphCertificate {
            integers: graph.integers(),
            states: self.states.iter().map(|state| graph.coded(*state)).collect(),
            generators: graph.generators().to_vec(),
            words: graph.words().to_vec(),
            initial: graph.initial_permutations().to_vec(),
            steps: if symmetric { self.states.iter().map(permutations).collect() } else { Vec::new() },
        }
    }
}
