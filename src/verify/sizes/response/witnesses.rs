//! Guesses, from runs, of members that exist.

use super::runs::Waiting;
use super::words;
use crate::check::sizes::clause::mentioned;
use crate::check::sizes::progress::Progress;
use crate::check::sizes::witness::Witness;
use crate::limits::tick;
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Expr, InstanceId, Model, Value};
use std::collections::BTreeSet;

/// The number of those that are guessed.
const MOST: usize = 24;

/// Members that might exist in all states, of the families of which some agent helps.
pub fn guess(waiting: &Waiting, progress: &Progress) -> Vec<Witness> {
    let reference = waiting.reference;
    let mut found: Vec<Witness> = Vec::new();
    let helpers: BTreeSet<InstanceId> =
        progress.cases.iter().filter_map(|case| case.other(reference, &progress.members)).collect();
    for member in helpers {
        let fixed: Vec<InstanceId> =
            reference.instance_ids().filter(|it| reference.place_of_member(*it).is_none()).collect();
        let seer = Seer::new(waiting, member, words::conditions(reference, member, &fixed));
        let conditions = fixed.iter().flat_map(|&one| words::conditions(reference, one, &fixed));
        let whens: Vec<Expr<StateLeaf>> = conditions.flat_map(words::literals).collect();
        for case in progress.cases.iter().filter(|case| case.other(reference, &progress.members) == Some(member)) {
            let parts = case.condition.operands(BinaryOp::And);
            let about = |members: &[InstanceId]| {
                let is_it = |part: &&Expr<StateLeaf>| mentioned(reference, part).unwrap_or_default() == members;
                words::all(parts.iter().copied().filter(is_it).cloned())
            };
            let (when, condition) = (about(&[]), about(&[member]));
            found.push(Witness { member, when: when.clone(), range: None, condition: condition.clone() });
            found.extend(seer.signature(&when).map(|condition| Witness { member, when, range: None, condition }));
        }
        for when in whens {
            found.extend(seer.signature(&when).map(|condition| Witness { member, when, range: None, condition }));
        }
        found.extend(seer.ranges(reference, &fixed));
    }
    let mut different: Vec<Witness> = Vec::new();
    for witness in found {
        let is_known = different.iter().any(|other| {
            (&other.when, &other.range, &other.condition) == (&witness.when, &witness.range, &witness.condition)
        });
        if !is_known && is_true(waiting, &witness) {
            different.push(witness);
        }
    }
    different.truncate(MOST);
    different
}

/// True if no state of the runs contradicts it.
fn is_true(waiting: &Waiting, witness: &Witness) -> bool {
    (0..waiting.runs.states()).all(|state| {
        tick();
        holds_in(waiting, witness, state).unwrap_or(false)
    })
}

fn holds_in(waiting: &Waiting, witness: &Witness, state: usize) -> Option<bool> {
    let value = |expr: &Expr<StateLeaf>, also| waiting.of_state(state, expr, also);
    if value(&witness.when, None)? == Value::Bool(false) {
        return Some(true);
    }
    let (family, _) = waiting.reference.place_of_member(witness.member)?;
    let members = waiting.runs.model().families()[family].members();
    let mut who = Vec::new();
    for member in members {
        let also = Some((witness.member, member));
        if value(&witness.condition, also)? == Value::Bool(true) {
            who.push(member);
        }
    }
    let Some([low, high, number]) = &witness.range else { return Some(!who.is_empty()) };
    let (low, high) = (value(low, None)?.into_int(), value(high, None)?.into_int());
    let mut numbers = BTreeSet::new();
    for member in who {
        let number = value(number, Some((witness.member, member)))?.into_int();
        if low <= number && number < high {
            numbers.insert(number);
        }
    }
    let wanted = if low < high { high - low } else { 0.into() };
    Some(wanted == numbers.len().into())
}

/// Sees what is true of members of one family.
struct Seer<'w> {
    waiting: &'w Waiting<'w>,
    member: InstanceId,
    /// Conditions on the values of a member itself,
    own: Vec<Expr<StateLeaf>>,
    /// and their truth, by state and member.
    cells: Vec<Vec<Vec<bool>>>,
}

impl<'w> Seer<'w> {
    fn new(waiting: &'w Waiting<'w>, member: InstanceId, own: Vec<Expr<StateLeaf>>) -> Seer<'w> {
        let mut seer = Seer { waiting, member, own, cells: Vec::new() };
        let of_state = |state| seer.members().map(|member| seer.cell(state, member)).collect();
        seer.cells = (0..waiting.runs.states()).map(of_state).collect();
        seer
    }

    fn members(&self) -> impl Iterator<Item = InstanceId> + use<> {
        let (family, _) = self.waiting.reference.place_of_member(self.member).expect("it is a member");
        self.waiting.runs.model().families()[family].members()
    }

    /// The truth of the conditions on the values of a member.
    fn cell(&self, state: usize, member: InstanceId) -> Vec<bool> {
        let truth = |atom| self.waiting.of_state(state, atom, Some((self.member, member))) == Some(Value::Bool(true));
        self.own.iter().map(truth).collect()
    }

    fn as_condition(&self, cells: &BTreeSet<Vec<bool>>) -> Option<Expr<StateLeaf>> {
        let of_cell = |cell: &Vec<bool>| {
            let literal = |(atom, truth): (&Expr<StateLeaf>, &bool)| {
                let [positive, negative] = words::literals(atom.clone());
                // That a value is another one goes without saying.
                match (atom, truth) {
                    (_, true) => Some(positive),
                    (Expr::Binary(BinaryOp::Eq, ..), false) => None,
                    _ => Some(negative),
                }
            };
            words::all(self.own.iter().zip(cell).filter_map(literal))
        };
        cells.iter().map(of_cell).reduce(|one, other| Expr::binary(BinaryOp::Or, one, other))
    }

    /// The condition that is true of some member when `when` is true, and of no agent when it is false.
    fn signature(&self, when: &Expr<StateLeaf>) -> Option<Expr<StateLeaf>> {
        let (mut inside, mut outside) = (BTreeSet::new(), BTreeSet::new());
        for state in 0..self.waiting.runs.states() {
            tick();
            let is_inside = self.waiting.of_state(state, when, None)? == Value::Bool(true);
            let cells = if is_inside { &mut inside } else { &mut outside };
            cells.extend(self.cells[state].iter().cloned());
        }
        self.as_condition(&inside.difference(&outside).cloned().collect())
    }

    /// Members that hold each number of a range.
    fn ranges(&self, reference: &Model, fixed: &[InstanceId]) -> Vec<Witness> {
        let bounds: Vec<Expr<StateLeaf>> =
            words::integers(reference, fixed).into_iter().map(|(expr, _)| expr).collect();
        let mut found = Vec::new();
        for (number, _) in words::integers(reference, &[self.member]) {
            for low in &bounds {
                for high in bounds.iter().filter(|high| *high != low) {
                    let condition = self.in_range(low, high, &number);
                    let range = Some([low.clone(), high.clone(), number.clone()]);
                    let of = |condition| Witness { member: self.member, when: Expr::TRUE, range, condition };
                    found.extend(condition.map(of));
                }
            }
        }
        found
    }

    /// The condition that is true of members whose number is in a range.
    fn in_range(
        &self,
        low: &Expr<StateLeaf>,
        high: &Expr<StateLeaf>,
        number: &Expr<StateLeaf>,
    ) -> Option<Expr<StateLeaf>> {
        let mut cells = BTreeSet::new();
        for state in 0..self.waiting.runs.states() {
            tick();
            let value = |expr, also| self.waiting.of_state(state, expr, also).map(Value::into_int);
            let (low, high) = (value(low, None)?, value(high, None)?);
            for (member, cell) in self.members().zip(&self.cells[state]) {
                let number = value(number, Some((self.member, member)))?;
                if low <= number && number < high {
                    cells.insert(cell.clone());
                }
            }
        }
        self.as_condition(&cells)
    }
}
