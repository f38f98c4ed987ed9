//! The states and steps of the model, found as they are needed.
//!
//! States are identified if they agree on all that influences runs and spec ([`crate::model::eval::influence`]): then
//! the same choices are possible in both, lead to states that agree again, and atoms have the same truth values. So
//! every run of the model has its image here, and every path here is, choice by choice, a run from an initial state of
//! the model. A counter that only grows, and that nothing reads, does not make the state space infinite.
//!
//! With symmetries (of the model, of what influences runs, and of all atoms) a state also stands for its images: the
//! successor of a step is renamed first ([`Action::canonicalise`]). A path becomes a run only when the renamings along
//! it are undone ([`super::path`]).

use super::Order;
use super::automaton::{Atom, Atoms};
use super::store::{Store, bits};
use super::symmetry::Action;
use crate::claim::symmetry::Renaming;
use crate::model::eval::value::holds;
use crate::model::eval::{Choice, Influence, NotEnumerable, Semantics, State, Step};
use crate::model::{InstanceId, LocalId, Type, Value};
use dashu_int::IBig;
use dashu_int::ops::BitTest;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A step between two states of the graph.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The state after it.
    pub target: u32,
    /// What the atoms say: of its source, of the step, and, as far as they are about receives, of its
    /// target.
    pub valuation: u32,
    /// Its index among the steps from its source.
    pub choice: u32,
}

/// The graph as far as it is known.
#[derive(Debug)]
pub struct Graph<'a> {
    semantics: &'a Semantics<'a>,
    atoms: &'a Atoms<'a>,
    codec: Codec,
    states: Store,
    valuations: Store,
    edges: Vec<Edge>,
    /// Per state its edges, once they are known.
    ranges: Vec<Option<(u32, u32)>>,
    action: Action,
    words: Words,
    /// Per expanded state and step of the semantics the word that renames its target; empty without
    /// symmetries.
    permutations: Vec<u32>,
    /// Per state its first permutation.
    first_permutations: Vec<u32>,
    initial: Vec<Initial>,
    /// Per initial state of the model the word that renames it.
    initial_permutations: Vec<u32>,
    order: Order,
}

/// An initial state of the graph.
#[derive(Debug)]
pub struct Initial {
    /// Its number.
    pub number: u32,
    /// A state of the model that it stands for.
    pub state: State,
    /// The word that renames that one.
    permutation: u32,
}

/// Words: lists of generators that were applied one after the other, each list once.
#[derive(Debug, Default)]
struct Words {
    list: Vec<Vec<u32>>,
    index: FxHashMap<Vec<u32>, u32>,
}

impl Words {
    fn insert(&mut self, word: Vec<u32>) -> u32 {
        let Words { list, index } = self;
        *index.entry(word).or_insert_with_key(|word| {
            list.push(word.clone());
            list.len() as u32 - 1
        })
    }
}

impl<'a> Graph<'a> {
    /// The initial states only. The generators are symmetries.
    pub fn new(
        semantics: &'a Semantics<'a>,
        influence: &Influence,
        atoms: &'a Atoms<'a>,
        generators: Vec<Renaming>,
        order: Order,
    ) -> Result<Graph<'a>, NotEnumerable> {
        let initial = semantics.initial_states()?;
        let codec = Codec::new(semantics, influence, initial.first());
        let mut graph = Graph {
            semantics,
            atoms,
            states: Store::new(codec.width()),
            valuations: Store::new(bits::words(atoms.list().len())),
            edges: Vec::new(),
            ranges: Vec::new(),
            action: Action::new(semantics.model().instances.len(), &codec.locals, generators),
            codec,
            words: Words::default(),
            permutations: Vec::new(),
            first_permutations: Vec::new(),
            initial: Vec::new(),
            initial_permutations: vec![0; initial.len()],
            order,
        };
        let mut initial: Vec<(usize, State)> = initial.into_iter().enumerate().collect();
        order.sort(&mut initial);
        for (index, state) in initial {
            let known = graph.states.len();
            let (number, permutation) = graph.add(&state);
            graph.initial_permutations[index] = permutation;
            if number as usize == known {
                graph.initial.push(Initial { number, state, permutation });
            }
        }
        Ok(graph)
    }

    /// The initial states.
    pub fn initial(&self) -> &[Initial] {
        &self.initial
    }

    /// The symmetries.
    pub fn generators(&self) -> &[Renaming] {
        self.action.generators()
    }

    /// The words of generators that rename states.
    pub fn words(&self) -> &[Vec<u32>] {
        &self.words.list
    }

    /// Per initial state of the model the word that makes it one of the graph; nothing without symmetries.
    pub fn initial_permutations(&self) -> &[u32] {
        if self.generators().is_empty() { &[] } else { &self.initial_permutations }
    }

    /// Per step from a state the word that makes its target one of the graph; nothing without
    /// symmetries. The state is expanded.
    pub fn permutations(&self, state: u32) -> &[u32] {
        let first = self.first_permutations[state as usize] as usize;
        let steps = self.permutations[first..].first().map_or(0, |count| *count as usize);
        self.permutations.get(first + 1..first + 1 + steps).unwrap_or_default()
    }

    /// The renaming that makes a state of the model an initial state of the graph.
    pub fn initial_renaming(&self, initial: &Initial) -> Renaming {
        self.renaming(initial.permutation)
    }

    /// The renaming that makes the target of an edge, as the semantics has it, one of the graph.
    pub fn edge_renaming(&self, state: u32, edge: Edge) -> Renaming {
        let identity = Renaming::identity(self.semantics.model());
        self.permutations(state).get(edge.choice as usize).map_or(identity, |word| self.renaming(*word))
    }

    fn renaming(&self, word: u32) -> Renaming {
        let identity = Renaming::identity(self.semantics.model());
        let word = &self.words.list[word as usize];
        word.iter().fold(identity, |renaming, index| renaming.then(&self.generators()[*index as usize]))
    }

    /// Whether two states of the model agree on what matters.
    pub fn agree(&self, one: &State, other: &State) -> bool {
        let model = self.semantics.model();
        let same = |(instance, local, _): &(InstanceId, LocalId, Type)| {
            one.local(*instance, *local) == other.local(*instance, *local)
        };
        model.instance_ids().all(|instance| one.automaton(instance) == other.automaton(instance))
            && self.codec.locals.iter().all(same)
    }

    /// The number of states that were found.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let edges =
            self.edges.capacity() * size_of::<Edge>() + self.ranges.capacity() * size_of::<Option<(u32, u32)>>();
        let words: usize = self.words.list.iter().map(|word| 2 * (4 * word.len() + size_of::<Vec<u32>>())).sum();
        self.states.bytes()
            + self.valuations.bytes()
            + edges
            + words
            + 4 * self.permutations.capacity()
            + self.codec.bytes
    }

    /// The steps from a state, as a range of [`Graph::edge`]; never empty.
    pub fn successors(&mut self, state: u32) -> Range<u32> {
        if let Some((start, end)) = self.ranges[state as usize] {
            return start..end;
        }
        let start = self.edges.len() as u32;
        self.expand(state);
        let end = self.edges.len() as u32;
        self.ranges[state as usize] = Some((start, end));
        start..end
    }

    /// An edge.
    pub fn edge(&self, index: u32) -> Edge {
        self.edges[index as usize]
    }

    /// The truth of all atoms.
    pub fn valuation(&self, number: u32) -> &[u32] {
        self.valuations.get(number)
    }

    /// The choice of an edge from a state.
    pub fn choice(&self, state: u32, edge: Edge) -> Choice {
        let steps = self.semantics.steps(&self.codec.decode(self.semantics, self.states.get(state)));
        steps[edge.choice as usize].choice.clone()
    }

    /// A state as certificates have it.
    pub fn coded(&self, state: u32) -> Vec<u32> {
        self.codec.complete(self.states.get(state))
    }

    /// The integers that coded states refer to.
    pub fn integers(&self) -> Vec<String> {
        self.codec.integers.iter().map(IBig::to_string).collect()
    }

    /// The number of the state that stands for this one, and the word that makes it that.
    fn add(&mut self, state: &State) -> (u32, u32) {
        let mut record = self.codec.encode(state);
        let word = self.action.canonicalise(&mut record);
        let number = self.states.insert(&record);
        if number as usize == self.ranges.len() {
            self.ranges.push(None);
            self.first_permutations.push(0);
        }
        (number, self.words.insert(word))
    }

    fn expand(&mut self, number: u32) {
        let state = self.codec.decode(self.semantics, self.states.get(number));
        let steps = self.semantics.steps(&state);
        let deadlocked = steps.iter().any(|step| step.choice == Choice::Stutter);
        let of_state = self.state_atoms(&state, deadlocked);
        let mut known = FxHashSet::default();
        let mut permutations = vec![0; steps.len()];
        let mut ordered: Vec<(&Step, u32)> = steps.iter().zip(0..).collect();
        self.order.sort(&mut ordered);
        for (step, choice) in ordered {
            let mut valuation = of_state.clone();
            self.step_atoms(&state, step, &mut valuation);
            let valuation = self.valuations.insert(&valuation);
            let (target, permutation) = self.add(&step.target);
            permutations[choice as usize] = permutation;
            // Another choice with the same effect shows nothing new.
            if known.insert((target, valuation)) {
                self.edges.push(Edge { target, valuation, choice });
            }
        }
        if !self.generators().is_empty() {
            self.first_permutations[number as usize] = self.permutations.len() as u32;
            self.permutations.push(permutations.len() as u32);
            self.permutations.extend(permutations);
        }
    }

    fn state_atoms(&self, state: &State, deadlocked: bool) -> Vec<u32> {
        let value = |leaf| Some(state.value(leaf, || deadlocked));
        let mut valuation = vec![0; bits::words(self.atoms.list().len())];
        for (index, atom) in self.atoms.list().iter().enumerate() {
            if let Atom::State(expr) = atom
                && holds(expr, &value)
            {
                bits::set(&mut valuation, index);
            }
        }
        valuation
    }

    fn step_atoms(&self, state: &State, step: &Step, valuation: &mut [u32]) {
        for (index, atom) in self.atoms.list().iter().enumerate() {
            let truth = match atom {
                Atom::State(_) => continue,
                Atom::Received(instance, edge) => step.choice.receives(*instance, *edge),
                Atom::Performed(instance, edge) => step.choice.performs(*instance, *edge),
                Atom::Observed(observation) => self.semantics.observes(state, step, observation),
            };
            if truth {
                bits::set(valuation, index);
            }
        }
    }
}

/// A state as the values of its instances, in the form of [`Semantics::state_from`].
pub fn parts(semantics: &Semantics, state: &State) -> Vec<(u32, Vec<Value>)> {
    let model = semantics.model();
    let part = |instance: InstanceId| {
        let locals = 0..model.agent_of(instance).locals.len() as u32;
        (state.automaton(instance), locals.map(|local| state.local(instance, LocalId(local)).clone()).collect())
    };
    model.instance_ids().map(part).collect()
}

/// States as words: the automaton state of each instance, then the influential locals.
#[derive(Debug)]
struct Codec {
    /// Gives what does not matter a value.
    template: Vec<(u32, Vec<Value>)>,
    locals: Vec<(InstanceId, LocalId, Type)>,
    integers: Vec<IBig>,
    /// About how many bytes they take.
    bytes: usize,
    index: FxHashMap<IBig, u32>,
    /// The template's locals that are not influential, as codes; the others are 0.
    complete: Vec<Vec<u32>>,
}

impl Codec {
    fn new(semantics: &Semantics, influence: &Influence, template: Option<&State>) -> Codec {
        let model = semantics.model();
        let all = model.instance_ids().flat_map(|instance| {
            let locals = model.agent_of(instance).locals.iter().zip(0..);
            locals.map(move |(local, index)| (instance, LocalId(index), local.ty))
        });
        let locals = all.filter(|(instance, local, _)| influence.contains(*instance, *local)).collect();
        let template = template.map_or(Vec::new(), |state| parts(semantics, state));
        let (integers, index) = (Vec::new(), FxHashMap::default());
        let mut codec = Codec { template, locals, integers, bytes: 0, index, complete: Vec::new() };
        for (_, values) in codec.template.clone() {
            let coded = values.iter().map(|value| codec.code(value)).collect();
            codec.complete.push(coded);
        }
        codec
    }

    fn width(&self) -> usize {
        self.template.len() + self.locals.len()
    }

    fn encode(&mut self, state: &State) -> Vec<u32> {
        let mut record = Vec::with_capacity(self.width());
        record.extend((0..self.template.len() as u32).map(|instance| state.automaton(InstanceId(instance))));
        for index in 0..self.locals.len() {
            let (instance, local, _) = self.locals[index];
            record.push(self.code(state.local(instance, local)));
        }
        record
    }

    fn code(&mut self, value: &Value) -> u32 {
        match value {
            Value::Bool(value) => u32::from(*value),
            Value::Enum(index) => *index,
            Value::Int(value) => *self.index.entry(value.clone()).or_insert_with(|| {
                self.integers.push(value.clone());
                self.bytes += 2 * (size_of::<IBig>() + value.bit_len() / 8);
                self.integers.len() as u32 - 1
            }),
        }
    }

    fn decode(&self, semantics: &Semantics, record: &[u32]) -> State {
        let mut parts = self.template.clone();
        let (automata, locals) = record.split_at(parts.len());
        for (part, automaton) in parts.iter_mut().zip(automata) {
            part.0 = *automaton;
        }
        for ((instance, local, ty), code) in self.locals.iter().zip(locals) {
            parts[instance.index()].1[local.index()] = match ty {
                Type::Bool => Value::Bool(*code == 1),
                Type::Int | Type::Range(..) => Value::Int(self.integers[*code as usize].clone()),
                Type::Enum(_) | Type::Channel | Type::Location => Value::Enum(*code),
            };
        }
        semantics.state_from(&parts).expect("a coded state is one of the model")
    }

    /// All locals, in the form of the certificate.
    fn complete(&self, record: &[u32]) -> Vec<u32> {
        let mut instances = self.complete.clone();
        let (automata, locals) = record.split_at(instances.len());
        for ((instance, local, _), code) in self.locals.iter().zip(locals) {
            instances[instance.index()][local.index()] = *code;
        }
        let parts = automata.iter().zip(instances);
        parts.flat_map(|(automaton, locals)| [*automaton].into_iter().chain(locals)).collect()
    }
}
