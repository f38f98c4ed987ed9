//! The evidence for one conjunct.

use super::Unproved;
use super::tableau::{Obligations, Tableau};
use crate::claim::explicit::{ClosedSet, Member, Obligation};
use crate::model::eval::value::holds;
use crate::model::eval::{Choice, Semantics, State, Step};
use crate::model::{EdgeId, Formula, InstanceId};
use rustc_hash::FxHashMap;

/// Who received with which command, ascending.
type Receives = Vec<(u32, u32)>;

/// A way to go on from a set of obligations.
struct Onward {
    /// Per set of obligations of the certificate whether what remains implies it.
    implies: Vec<bool>,
    /// The eventualities that are put off.
    postponed: Obligations,
}

/// Checks one conjunct, state by state.
pub struct PartCheck<'a> {
    semantics: &'a Semantics<'a>,
    certificate: &'a ClosedSet,
    index: usize,
    tableau: Tableau<'a>,
    /// The receive labels that occur.
    labels: Vec<(InstanceId, EdgeId)>,
    receives: FxHashMap<&'a Receives, u32>,
    by_state: Vec<Vec<u32>>,
    by_place: FxHashMap<(u32, u32), Vec<u32>>,
    /// Per set of obligations and facts.
    onward: FxHashMap<(u32, Vec<bool>), Vec<Onward>>,
}

impl<'a> PartCheck<'a> {
    /// Of the conjunct with this index; refuses a certificate whose indices lead nowhere.
    pub fn new(
        semantics: &'a Semantics<'a>,
        conjunct: &'a Formula,
        certificate: &'a ClosedSet,
        index: usize,
        states: usize,
    ) -> Result<PartCheck<'a>, Unproved> {
        let tableau = Tableau::new(conjunct);
        check_indices(certificate, tableau.list.len(), states).map_err(|what| Unproved::Malformed(what.to_string()))?;
        let label = |formula: &&Formula| match formula {
            Formula::Label(instance, edge) if semantics.model().is_receive(*instance, *edge) => {
                Some((*instance, *edge))
            }
            _ => None,
        };
        let labels = tableau.list.iter().filter_map(label).collect();
        let receives = certificate.received.iter().zip(0..).collect();
        let mut by_state = vec![Vec::new(); states];
        let mut by_place: FxHashMap<(u32, u32), Vec<u32>> = FxHashMap::default();
        for (member, number) in certificate.members.iter().zip(0..) {
            by_state[member.state as usize].push(number);
            by_place.entry((member.state, member.received)).or_default().push(number);
        }
        let onward = FxHashMap::default();
        Ok(PartCheck { semantics, certificate, index, tableau, labels, receives, by_state, by_place, onward })
    }

    /// That an initial state is there.
    pub fn check_initial(&self, state: Option<u32>) -> Result<(), Unproved> {
        let wanted = self.tableau.consequences(&Obligations::from([self.tableau.negation()]));
        let implied = |number: &&u32| {
            let set = self.certificate.members[**number as usize].obligations;
            self.certificate.obligations[set as usize].iter().all(|obligation| wanted.contains(obligation))
        };
        let nobody = self.receives.get(&Receives::new());
        let place = state.zip(nobody.copied()).and_then(|place| self.by_place.get(&place));
        let found = place.is_some_and(|members| members.iter().any(|number| implied(&number)));
        if found { Ok(()) } else { Err(Unproved::InitialMissing { part: self.index }) }
    }

    /// Whether some member has the state.
    pub fn has_members(&self, state: usize) -> bool {
        !self.by_state[state].is_empty()
    }

    /// That the steps from the members with this state stay among the members, with proper ranks.
    pub fn check_state(&mut self, number: usize, state: &State, steps: &[(Option<u32>, Step)]) -> Result<(), Unproved> {
        let deadlocked = steps.iter().any(|(_, step)| step.choice == Choice::Stutter);
        for (target, step) in steps {
            let facts = self.facts(state, deadlocked, step);
            let received = self.received(step);
            let place = target.zip(self.receives.get(&received).copied());
            for at in 0..self.by_state[number].len() {
                self.check_step(self.by_state[number][at], &facts, place)?;
            }
        }
        Ok(())
    }

    fn check_step(&mut self, number: u32, facts: &[bool], place: Option<(u32, u32)>) -> Result<(), Unproved> {
        let member = self.certificate.members[number as usize];
        let mut facts = facts.to_vec();
        for (formula, fact) in self.tableau.list.iter().zip(&mut facts) {
            if let Formula::Label(instance, edge) = formula
                && self.semantics.model().is_receive(*instance, *edge)
            {
                *fact = self.certificate.received[member.received as usize].contains(&(instance.0, edge.0));
            }
        }
        let key = (member.obligations, facts);
        if !self.onward.contains_key(&key) {
            let onward = self.unfold(member.obligations, &key.1);
            self.onward.insert(key.clone(), onward);
        }
        let targets = place.and_then(|place| self.by_place.get(&place)).map_or(&[][..], Vec::as_slice);
        let (part, member_index) = (self.index, number as usize);
        for onward in &self.onward[&key] {
            let targets = targets.iter().map(|target| &self.certificate.members[*target as usize]);
            let mut implied = targets.filter(|target| onward.implies[target.obligations as usize]).peekable();
            if implied.peek().is_none() {
                return Err(Unproved::NotClosed { part, member: member_index });
            }
            if !implied.any(|target| self.is_ranked(&member, target, &onward.postponed)) {
                return Err(Unproved::NotRanked { part, member: member_index });
            }
        }
        Ok(())
    }

    fn is_ranked(&self, from: &Member, to: &Member, postponed: &Obligations) -> bool {
        let eventuality = self.certificate.eventualities[from.rank as usize];
        to.rank < from.rank || to.rank == from.rank && eventuality.is_some_and(|named| postponed.contains(&named))
    }

    fn unfold(&self, set: u32, facts: &[bool]) -> Vec<Onward> {
        let sets = &self.certificate.obligations;
        let ways = self.tableau.ways(&sets[set as usize], facts).into_iter();
        let onward = ways.map(|way| {
            let remaining = self.tableau.consequences(&way.next);
            let implied = |set: &Vec<Obligation>| set.iter().all(|obligation| remaining.contains(obligation));
            Onward { implies: sets.iter().map(implied).collect(), postponed: way.postponed }
        });
        onward.collect()
    }

    /// The truth of atoms and labels but those of receives, and whether the step is observed; false
    /// elsewhere.
    fn facts(&self, state: &State, deadlocked: bool, step: &Step) -> Vec<bool> {
        let value = |leaf| Some(state.value(leaf, || deadlocked));
        let fact = |formula: &&Formula| match formula {
            Formula::Atom(expr) => holds(expr, &value),
            Formula::Label(instance, edge) => step.choice.performs(*instance, *edge),
            Formula::Possible(observation, _) | Formula::Necessary(observation, _) => {
                self.semantics.observes(state, step, observation)
            }
            _ => false,
        };
        self.tableau.list.iter().map(fact).collect()
    }

    /// The receives of a step whose labels occur.
    fn received(&self, step: &Step) -> Receives {
        let receivers = step.choice.receivers().iter().filter(|receive| self.labels.contains(receive));
        receivers.map(|(instance, edge)| (instance.0, edge.0)).collect()
    }
}

/// That all indices are in range.
fn check_indices(part: &ClosedSet, subformulas: usize, states: usize) -> Result<(), &'static str> {
    let known = |obligation: &Obligation| (obligation.subformula as usize) < subformulas;
    if !part.obligations.iter().flatten().all(known) || !part.eventualities.iter().flatten().all(known) {
        return Err("an obligation is no subformula");
    }
    let inside = |member: &Member| {
        (member.state as usize) < states
            && (member.received as usize) < part.received.len()
            && (member.obligations as usize) < part.obligations.len()
            && (member.rank as usize) < part.eventualities.len()
    };
    if part.members.iter().all(inside) { Ok(()) } else { Err("a member refers to something missing") }
}
