//! The states of a certificate and the steps between them, up to symmetries.

use super::Unproved;
use super::part::PartCheck;
use super::symmetry::Symmetry;
use crate::claim::explicit::GraphCertificate;
use crate::limits::bits;
use crate::model::eval::{Influence, Semantics, State, Step};
use crate::model::{Formula, InstanceId, LocalId, Type, Value};
use dashu_int::IBig;
use rustc_hash::FxHashMap;

/// One graph of the certificate.
pub struct GraphCheck<'a> {
    semantics: &'a Semantics<'a>,
    certificate: &'a GraphCertificate,
    states: States,
    /// The generators.
    symmetries: Vec<Symmetry<'a>>,
}

impl<'a> GraphCheck<'a> {
    /// Decodes the states, and checks that the generators are symmetries of the model and of what
    /// influences its runs.
    pub fn new(
        semantics: &'a Semantics<'a>,
        influence: &Influence,
        certificate: &'a GraphCertificate,
    ) -> Result<GraphCheck<'a>, Unproved> {
        let check = |renaming| Symmetry::check(semantics.model(), renaming).map_err(Unproved::NoSymmetry);
        let symmetries = certificate.generators.iter().map(check).collect::<Result<Vec<_>, _>>()?;
        if !symmetries.iter().all(|symmetry| symmetry.keeps(influence)) {
            return Err(Unproved::NoSymmetry("a renaming changes what influences runs".to_string()));
        }
        let states = States::decode(semantics, influence, certificate)?;
        Ok(GraphCheck { semantics, certificate, states, symmetries })
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.states.list.len()
    }

    /// That the symmetries leave the atoms of a conjunct as they are.
    pub fn check_atoms(&self, index: usize, conjunct: &Formula) -> Result<(), Unproved> {
        let fixed = self.symmetries.iter().all(|symmetry| symmetry.fixes(conjunct));
        fixed.then_some(()).ok_or_else(|| Unproved::NoSymmetry(format!("a renaming changes conjunct {index}")))
    }

    /// That no run leaves the members, for all conjuncts on this graph.
    pub fn check(&self, parts: &mut [PartCheck]) -> Result<(), Unproved> {
        let initial = self.semantics.initial_states().map_err(Unproved::NotEnumerable)?;
        for (index, state) in initial.iter().enumerate() {
            let number = self.find(state, self.certificate.initial.get(index));
            parts.iter().try_for_each(|part| part.check_initial(number))?;
        }
        for (number, state) in self.states.list.iter().enumerate() {
            if !parts.iter().any(|part| part.has_members(number)) {
                continue;
            }
            let words = self.certificate.steps.get(number).map_or(&[][..], Vec::as_slice);
            let steps = self.semantics.steps(state).into_iter().enumerate();
            let found = |(index, step): (usize, Step)| (self.find(&step.target, words.get(index)), step);
            let steps: Vec<(Option<u32>, Step)> = steps.map(found).collect();
            parts.iter_mut().try_for_each(|part| part.check_state(number, state, &steps))?;
        }
        Ok(())
    }

    /// A state of the certificate that agrees with the image of the given one under a word; nothing if there
    /// is none, or no such word.
    fn find(&self, state: &State, word: Option<&u32>) -> Option<u32> {
        let Some(word) = word else { return self.states.find(state) };
        let word = self.certificate.words.get(*word as usize)?;
        let mut image = state.clone();
        for generator in word {
            image = self.symmetries.get(*generator as usize)?.state(self.semantics, &image);
        }
        self.states.find(&image)
    }
}

/// What runs and spec depend on: automaton states, and values of influential locals.
type Key = (Vec<u32>, Vec<Value>);

/// The states of the certificate.
struct States {
    list: Vec<State>,
    numbers: FxHashMap<Key, u32>,
    instances: Vec<InstanceId>,
    locals: Vec<(InstanceId, LocalId)>,
}

impl States {
    fn decode(
        semantics: &Semantics,
        influence: &Influence,
        certificate: &GraphCertificate,
    ) -> Result<States, Unproved> {
        let model = semantics.model();
        let integers = certificate.integers.iter().map(|digits| {
            bits(digits.len());
            digits.parse()
        });
        let integers: Vec<IBig> = integers
            .collect::<Result<_, _>>()
            .map_err(|_| Unproved::Malformed("something is no integer".to_string()))?;
        let all = model.instance_ids().flat_map(|instance| {
            (0..model.agent_of(instance).locals.len() as u32).map(move |local| (instance, LocalId(local)))
        });
        let locals = all.filter(|(instance, local)| influence.contains(*instance, *local)).collect();
        let instances = model.instance_ids().collect();
        let mut states = States { list: Vec::new(), numbers: FxHashMap::default(), instances, locals };
        for words in &certificate.states {
            let state = decode_state(semantics, &integers, words).map_err(Unproved::Malformed)?;
            states.numbers.insert(states.key(&state), states.list.len() as u32);
            states.list.push(state);
        }
        Ok(states)
    }

    /// A state of the certificate that agrees with the given one.
    fn find(&self, state: &State) -> Option<u32> {
        self.numbers.get(&self.key(state)).copied()
    }

    fn key(&self, state: &State) -> Key {
        let automata = self.instances.iter().map(|instance| state.automaton(*instance));
        let values = self.locals.iter().map(|(instance, local)| state.local(*instance, *local).clone());
        (automata.collect(), values.collect())
    }
}

fn decode_state(semantics: &Semantics, integers: &[IBig], words: &[u32]) -> Result<State, String> {
    let model = semantics.model();
    let mut words = words.iter().copied();
    let mut next = || words.next().ok_or("a state is too short".to_string());
    let mut parts = Vec::new();
    for instance in model.instance_ids() {
        let automaton = next()?;
        let locals = &model.agent_of(instance).locals;
        let values = locals.iter().map(|local| decode_value(local.ty, integers, next()?));
        parts.push((automaton, values.collect::<Result<Vec<Value>, String>>()?));
    }
    if words.next().is_some() {
        return Err("a state is too long".to_string());
    }
    semantics.state_from(&parts).map_err(|error| error.to_string())
}

fn decode_value(ty: Type, integers: &[IBig], code: u32) -> Result<Value, String> {
    match ty {
        Type::Bool if code > 1 => Err("a truth value is neither 0 nor 1".to_string()),
        Type::Bool => Ok(Value::Bool(code == 1)),
        Type::Int | Type::Range(..) => {
            let value = integers.get(code as usize).cloned();
            value.map(Value::Int).ok_or("an integer is missing".to_string())
        }
        Type::Enum(_) | Type::Channel | Type::Location => Ok(Value::Enum(code)),
    }
}
