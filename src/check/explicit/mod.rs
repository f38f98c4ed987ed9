//! Confirms that an exploration was complete.
//!
//! The evidence ([`ExplicitCertificate`]) is, per conjunct of the spec, a set of members (s, r, Q): a
//! state, the receives of the step to it, and obligations: subformulas that have to be true, or false,
//! from here on. Each member has a rank, and each rank may name an eventuality. What is checked:
//!
//! 1. each initial state, without receives and with obligations that the falsity of the conjunct
//!    implies, is a member;
//! 2. for each step from a member's state, and each way to meet its obligations there (`tableau`), some
//!    member has the state and the receives that the step leads to, obligations that are implied by
//!    those that remain, and no greater rank; and if the rank is the same, the rank's eventuality is put
//!    off.
//!
//! So no run violates the conjunct: on such a run there is a way to meet all obligations for ever that
//! puts no eventuality off for ever. By 1 and 2 members go along with it, with fewer obligations and a
//! subset of what is put off. Their ranks never increase, so they stay the same at last: from there on
//! one eventuality is put off on every step, a contradiction.
//!
//! States are compared on what influences runs and spec ([`Influence`]): states that agree on that have
//! the same continuations, choice by choice.
//!
//! This shares no code with the search: steps come from the concrete semantics, and obligations are
//! unfolded formula by formula. What both use is the definition of conjuncts
//! ([`Formula::conjuncts`]) and the numbering of subformulas
//! ([`crate::claim::explicit::subformulas`]).

mod part;
mod tableau;

use crate::claim::explicit::ExplicitCertificate;
use crate::model::eval::{Influence, NotEnumerable, Semantics, State, Step};
use crate::model::{Formula, InstanceId, LocalId, Type, Value};
use dashu_int::IBig;
use part::PartCheck;
use rustc_hash::FxHashMap;
use std::fmt;

/// A spec of which all runs were visited, and which holds on all of them. There is no other way to make
/// one than [`confirm`].
#[derive(Clone, Debug, PartialEq)]
pub struct ProofByExploration {
    states: usize,
    members: usize,
    certificate: ExplicitCertificate,
}

impl ProofByExploration {
    /// The number of states of the model, as far as they differ in what matters.
    pub fn states(&self) -> usize {
        self.states
    }

    /// The number of pairs of states and obligations.
    pub fn members(&self) -> usize {
        self.members
    }

    /// What was checked.
    pub fn certificate(&self) -> &ExplicitCertificate {
        &self.certificate
    }
}

/// Why a certificate proves nothing: an internal error of the tool, never a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// It is not about this model and this spec.
    Malformed(String),
    /// The initial states cannot be listed.
    NotEnumerable(NotEnumerable),
    /// An initial state is missing for a conjunct.
    InitialMissing {
        /// The index of the conjunct.
        part: usize,
    },
    /// A step leads out of the set.
    NotClosed {
        /// The index of the conjunct.
        part: usize,
        /// The index of the member that the step leaves.
        member: usize,
    },
    /// A step increases the rank, or keeps it and does not put the rank's eventuality off.
    NotRanked {
        /// The index of the conjunct.
        part: usize,
        /// The index of the member that the step leaves.
        member: usize,
    },
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unproved::Malformed(what) => write!(f, "the certificate does not fit the model and the spec: {what}"),
            Unproved::NotEnumerable(reason) => write!(f, "the initial states cannot be listed: {reason}"),
            Unproved::InitialMissing { part } => write!(f, "conjunct {part}: an initial state is missing"),
            Unproved::NotClosed { part, member } => {
                write!(f, "conjunct {part}: a step from member {member} leads out of the set")
            }
            Unproved::NotRanked { part, member } => {
                write!(f, "conjunct {part}: a step from member {member} is not ranked")
            }
        }
    }
}

/// Checks that the certificate proves that every run satisfies the formula.
pub fn confirm(
    semantics: &Semantics,
    formula: &Formula,
    certificate: ExplicitCertificate,
) -> Result<ProofByExploration, Unproved> {
    let conjuncts = formula.conjuncts();
    if conjuncts.len() != certificate.parts.len() {
        return Err(Unproved::Malformed("another number of conjuncts".to_string()));
    }
    let influence = Influence::of(semantics.model(), formula);
    let states = States::decode(semantics, &influence, &certificate)?;
    let mut parts = Vec::new();
    for (index, (conjunct, part)) in conjuncts.iter().zip(&certificate.parts).enumerate() {
        parts.push(PartCheck::new(semantics, conjunct, part, index, states.list.len())?);
    }
    for state in semantics.initial_states().map_err(Unproved::NotEnumerable)? {
        let number = states.find(&state);
        parts.iter().try_for_each(|part| part.check_initial(number))?;
    }
    for (number, state) in states.list.iter().enumerate() {
        if !parts.iter().any(|part| part.has_members(number)) {
            continue;
        }
        let found = |step: Step| (states.find(&step.target), step);
        let steps: Vec<(Option<u32>, Step)> = semantics.steps(state).into_iter().map(found).collect();
        parts.iter_mut().try_for_each(|part| part.check_state(number, state, &steps))?;
    }
    drop(parts);
    Ok(ProofByExploration { states: states.list.len(), members: certificate.members(), certificate })
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
        certificate: &ExplicitCertificate,
    ) -> Result<States, Unproved> {
        let model = semantics.model();
        let integers = certificate.integers.iter().map(|digits| digits.parse());
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
