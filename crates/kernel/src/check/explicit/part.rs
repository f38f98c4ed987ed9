//! The evidence for one conjunct.

use super::Unproved;
use super::graph::{GraphCheck, Symmetric};
use super::recurrence::Recurrence;
use super::tableau::{self, Obligations, Tableau};
use crate::claim::explicit::{ClosedSet, Rank, Ranks, Why};
use crate::model::eval::tables::{Fact, Facts, Missing, Possible, Space};
use crate::model::normal::Literal;
use crate::model::subformulas::{Obligation, subformulas};
use crate::model::{EdgeId, Formula, InstanceId, Model};
use crate::records::{Layout, Records, bits};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// How many members are looked at a second time, with the steps that the semantics lists.
const SECOND_LOOKS: u32 = 64;

/// A way to go on from a set of obligations.
struct Onward {
    way: Way,
    /// True if each condition is requested, and whether it is answered.
    requested: Arc<[bool]>,
    answered: Arc<[bool]>,
}

/// The outcome of a set of obligations.
#[derive(Clone)]
struct Way {
    /// The sets of obligations of the certificate that what remains implies.
    implied: Arc<[u32]>,
    /// The eventualities that are pending.
    pending: Arc<[Obligation]>,
}

/// The ways to meet one set of obligations.
#[derive(Default)]
struct Ways {
    /// The subformulas whose truth decides.
    reads: Vec<u32>,
    /// Per truth of these the ways.
    known: FxHashMap<Vec<bool>, Vec<Way>>,
}

/// Checks one conjunct, member by member.
pub struct PartCheck<'a> {
    certificate: &'a ClosedSet,
    index: usize,
    tableau: Tableau<'a>,
    /// All conditions, and what each generator makes of each of them.
    conditions: Vec<(Obligation, Recurrence)>,
    exchanged: Vec<Vec<u32>>,
    /// Per reason the conditions that it names.
    named: Vec<Vec<u32>>,
    /// The movements of conditions by words of generators, the identity first; and per movement and generator, that by
    /// both.
    movements: Vec<Vec<u32>>,
    next_movement: FxHashMap<(u32, usize), u32>,
    /// Per subformula the fact that it is, if it is one.
    facts: Vec<Option<usize>>,
    /// The facts about states, about steps, and about receives.
    state: Vec<u64>,
    now: Vec<u64>,
    receives: Vec<u64>,
    /// Per set of receives of the certificate its facts.
    received: Vec<Vec<u64>>,
    /// Sets of facts of the present state and step.
    letters: Records,
    /// Per letter of a state and of a step of the tables the letter of both.
    joined: FxHashMap<(u32, u32), u32>,
    /// Per letter of a step of the tables the number of its receives.
    places: FxHashMap<u32, Option<u32>>,
    /// Per set of obligations, receives and letter a range of ways to go on.
    ranges: FxHashMap<[u32; 3], (u32, u32)>,
    /// Per set of obligations.
    ways: FxHashMap<u32, Ways>,
    onward: Vec<Onward>,
}

/// The steps from one member after the other.
#[derive(Default)]
pub struct Steps {
    space: Space,
    possible: Possible,
    /// Per step its letter, and the record of a member with the row that it leads to, if there may be one.
    letters: Vec<u32>,
    targets: Vec<u64>,
    there: Vec<bool>,
    /// Per step what the symmetries make of the conditions.
    moved: Vec<u32>,
    row: Vec<u32>,
    image: Vec<u32>,
    set: Vec<u64>,
    /// Per step a range of ways to go on, and its receives.
    ways: Vec<((u32, u32), Option<u32>)>,
}

/// The fact that a subformula is, if it is one.
pub(in crate::check) fn fact<'f>(model: &Model, formula: &'f Formula) -> Option<Fact<'f>> {
    Literal::of(formula).map(|literal| Fact::of(model, literal)).filter(|fact| !matches!(fact, Fact::Branching(_)))
}

/// Adds the facts of a conjunct.
pub fn add_facts<'f>(facts: &mut Facts<'f>, model: &Model, conjunct: &'f Formula) {
    for fact in subformulas(conjunct).into_iter().filter_map(|formula| fact(model, formula)) {
        facts.add(fact);
    }
}

impl<'a> PartCheck<'a> {
    /// Of the conjunct with this index, whose facts are among these; refuses a certificate whose indices lead nowhere.
    pub fn new(
        model: &Model,
        conjunct: &'a Formula,
        facts: &Facts<'a>,
        certificate: &'a ClosedSet,
        index: usize,
        symmetric: &Symmetric,
    ) -> Result<PartCheck<'a>, Unproved> {
        let tableau = Tableau::new(conjunct);
        check_indices(certificate, tableau.list.len(), model.instances.len())
            .map_err(|what| Unproved::Malformed(what.to_string()))?;
        let conditions = conditions(certificate, &tableau).map_err(|what| Unproved::Malformed(what.to_string()))?;
        let formulas = conditions.iter().map(|(it, _)| (tableau.list[it.subformula as usize], it.truth));
        let exchanged = symmetric.exchanged(&formulas.collect::<Vec<_>>())?;
        let words = bits::words(facts.list().len());
        let [mut state, mut now, mut receives] = [vec![0; words], vec![0; words], vec![0; words]];
        let mut of_subformulas = Vec::new();
        for formula in &tableau.list {
            let found = fact(model, formula).and_then(|fact| Some((facts.number(fact)?, fact)));
            if let Some((bit, fact)) = found {
                match fact {
                    Fact::State(_) => bits::set(&mut state, bit),
                    Fact::Received(..) => bits::set(&mut receives, bit),
                    Fact::Performed(..) | Fact::Observed(_) => bits::set(&mut now, bit),
                    Fact::Branching(_) => unreachable!("other runs are looked at by other means"),
                }
            }
            of_subformulas.push(found.map(|(bit, _)| bit));
        }
        let received = certificate.received.iter().map(|list| {
            let mut set = vec![0; words];
            for (instance, edge) in list {
                let fact = Fact::Received(InstanceId(*instance), EdgeId(*edge));
                let bit = facts.number(fact).filter(|bit| bits::get(&receives, *bit));
                bits::set(&mut set, bit.ok_or("a receive does not occur in the conjunct")?);
            }
            Ok(set)
        });
        let received: Result<Vec<Vec<u64>>, &str> = received.collect();
        Ok(PartCheck {
            certificate,
            index,
            tableau,
            movements: vec![(0..conditions.len() as u32).collect()],
            next_movement: FxHashMap::default(),
            named: certificate.reasons.iter().map(|why| numbers(&conditions, why)).collect(),
            conditions,
            exchanged,
            facts: of_subformulas,
            state,
            now,
            receives,
            received: received.map_err(|what| Unproved::Malformed(what.to_string()))?,
            letters: Records::new(words),
            joined: FxHashMap::default(),
            places: FxHashMap::default(),
            ranges: FxHashMap::default(),
            ways: FxHashMap::default(),
            onward: Vec::new(),
        })
    }

    /// That the initial rows are there.
    pub fn check_initial(&self, graph: &GraphCheck) -> Result<(), Unproved> {
        let wanted = self.tableau.consequences(&Obligations::from([self.tableau.negation()]));
        let implied = self.implied(&wanted);
        let no_receives = self.received.iter().position(|set| set.iter().all(|word| *word == 0));
        let mut record = Vec::new();
        let mut numbers = Vec::new();
        let there = graph.all_initial(|row| {
            let Some(no_receives) = no_receives else { return false };
            implied.iter().any(|set| {
                numbers.clear();
                numbers.extend_from_slice(row);
                numbers.extend([no_receives as u32, *set]);
                self.certificate.members.find(&numbers, &mut record).is_some()
            })
        });
        if there { Ok(()) } else { Err(Unproved::InitialMissing { part: self.index }) }
    }

    /// That the steps from some of the members stay among the members, with proper ranks.
    pub fn check_members(&mut self, graph: &mut GraphCheck, members: Range<u32>) -> Result<(), Unproved> {
        let mut steps = Steps::default();
        let looks = (self.certificate.members.len() as u32 / SECOND_LOOKS).max(1);
        for member in members {
            self.check_member(graph, member, &mut steps)?;
            if member.is_multiple_of(looks) {
                self.look_again(graph, member)?;
            }
        }
        Ok(())
    }

    fn check_member(&mut self, graph: &mut GraphCheck, member: u32, steps: &mut Steps) -> Result<(), Unproved> {
        let mut row = std::mem::take(&mut steps.row);
        self.certificate.members.unpack(member, &mut row);
        let obligations = row.pop().expect("the width was checked");
        let received = row.pop().expect("the width was checked");
        let known = graph.has(&row)
            && (received as usize) < self.received.len()
            && (obligations as usize) < self.certificate.obligations.len();
        if !known {
            return Err(Unproved::Malformed("a member refers to something missing".to_string()));
        }
        let letter = loop {
            match self.steps(graph, member, &row, steps) {
                Ok(letter) => break letter,
                Err(missing) => graph.fill(missing),
            }
        };
        let here = self.ways_on([obligations, received, letter]);
        let layout = self.certificate.members.layout();
        let width = layout.width();
        let Steps { letters, targets, there, ways, moved, .. } = steps;
        ways.clear();
        for (index, of_step) in letters.iter().enumerate() {
            let (range, place) = match of_step {
                0 => (here, self.place(graph, 0)),
                _ => {
                    let letter = self.joined(graph, letter, *of_step);
                    (self.ways_on([obligations, received, letter]), self.place(graph, *of_step))
                }
            };
            let first =
                self.onward[range.0 as usize..range.1 as usize].first().and_then(|onward| onward.way.implied.first());
            let place = place.filter(|_| there[index]);
            if let (Some(place), Some(set)) = (place, first) {
                put(layout, &mut targets[index * width..(index + 1) * width], place, *set);
            }
            ways.push((range, place));
        }
        self.certificate.members.records().warm(targets);
        for (index, ((start, end), place)) in ways.iter().enumerate() {
            let target = &mut targets[index * width..(index + 1) * width];
            for onward in &self.onward[*start as usize..*end as usize] {
                self.check_onward(member, obligations, onward, (*place, moved[index]), target)?;
            }
        }
        steps.row = row;
        Ok(())
    }

    /// That some member has the row of the target, obligations that are implied, and a proper rank.
    fn check_onward(
        &self,
        member: u32,
        obligations: u32,
        onward: &Onward,
        (place, moved): (Option<u32>, u32),
        target: &mut [u64],
    ) -> Result<(), Unproved> {
        let members = &self.certificate.members;
        let rank = members.ranks().of(member, obligations).expect("the number of ranks was checked");
        let mut closed = false;
        for set in onward.way.implied.iter() {
            if !place.is_some_and(|place| put(members.layout(), target, place, *set)) {
                continue;
            }
            if let Some(next) = members.records().find(target) {
                closed = true;
                if self.is_ranked(rank, members.ranks().of(next, *set).expect("as above"), onward, moved) {
                    return Ok(());
                }
            }
        }
        let (part, member) = (self.index, member as usize);
        Err(if closed { Unproved::NotRanked { part, member } } else { Unproved::NotClosed { part, member } })
    }

    /// True if a step on which conditions move so may lead from one rank to another: to a smaller one, or, inside of one,
    /// as its reason says.
    fn is_ranked(&self, from: u32, to: u32, step: &Onward, moved: u32) -> bool {
        let ranks = &self.certificate.ranks;
        if ranks[from as usize].within.is_none() && ranks[to as usize].within.is_none() {
            return self.may_go(from, to, step, moved) == Some(true);
        }
        // From the largest rank on to what it consists of.
        let decided = |(from, to)| self.may_go(from, to, step, moved);
        self.around(from).into_iter().zip(self.around(to)).find_map(decided).unwrap_or(false)
    }

    /// The same of two ranks that are parts of the same; nothing if that is for the parts of the rank to say.
    fn may_go(&self, from: u32, to: u32, step: &Onward, moved: u32) -> Option<bool> {
        let [from, to] = [from, to].map(|rank| &self.certificate.ranks[rank as usize]);
        if from.order != to.order {
            return Some(to.order < from.order);
        }
        let reasons = &self.certificate.reasons;
        match (&reasons[from.why as usize], &reasons[to.why as usize]) {
            (Why::Pending(one), Why::Pending(other)) => Some(one == other && step.way.pending.contains(one)),
            (Why::Unanswered(_), Why::Unanswered(_)) => {
                let [one, other] = [from, to].map(|rank| &self.named[rank.why as usize]);
                let movement = &self.movements[moved as usize];
                let same =
                    one.len() == other.len() && one.iter().all(|number| other.contains(&movement[*number as usize]));
                let any = |list: &[bool]| one.iter().any(|number| list[*number as usize]);
                if !same || any(&step.answered) { Some(false) } else { any(&step.requested).then_some(true) }
            }
            _ => Some(false),
        }
    }

    /// The number of a movement of conditions followed by one more generator.
    fn further(&mut self, movement: u32, generator: usize) -> u32 {
        if let Some(known) = self.next_movement.get(&(movement, generator)) {
            return *known;
        }
        let images = &self.exchanged[generator];
        let next: Vec<u32> = self.movements[movement as usize].iter().map(|number| images[*number as usize]).collect();
        let number = self.movements.iter().position(|known| *known == next).unwrap_or_else(|| {
            self.movements.push(next);
            self.movements.len() - 1
        });
        self.next_movement.insert((movement, generator), number as u32);
        number as u32
    }

    /// The ranks of which a rank is a part, the largest first, and the rank.
    fn around(&self, rank: u32) -> Vec<u32> {
        let mut list = vec![rank];
        while let Some(within) = list.last().and_then(|rank| self.certificate.ranks[*rank as usize].within) {
            list.push(within);
        }
        list.reverse();
        list
    }

    /// Finds the steps from a member with this row, and the letter of the state alone.
    fn steps(&mut self, graph: &GraphCheck, member: u32, row: &[u32], steps: &mut Steps) -> Result<u32, Missing> {
        let Steps { space, possible, letters, targets, there, moved, image, set, .. } = steps;
        let layout = self.certificate.members.layout();
        let record = self.certificate.members.records().get(member);
        letters.clear();
        targets.clear();
        there.clear();
        moved.clear();
        graph.tables().steps(row, space, possible, &mut |step| {
            letters.push(step.letter);
            let start = targets.len();
            targets.extend_from_slice(record);
            let target = &mut targets[start..];
            let mut fits = true;
            let mut set = |instance: usize, number: u32| {
                fits &= number <= layout.greatest(instance);
                if fits {
                    layout.set(target, instance, number);
                }
            };
            if graph.is_symmetric() {
                image.clear();
                image.extend_from_slice(row);
                step.change(image);
                let mut movement = 0;
                graph.canonicalise(image, &mut |generator| movement = self.further(movement, generator));
                moved.push(movement);
                image.iter().enumerate().for_each(|(instance, number)| set(instance, *number));
            } else {
                step.changes.iter().for_each(|(instance, number)| set(*instance as usize, *number));
                moved.push(0);
            }
            there.push(fits);
        })?;
        set.clear();
        set.resize(self.state.len(), 0);
        graph.tables().state_facts(row, possible, &self.state, set);
        Ok(self.letters.insert(set))
    }

    /// Compares the steps from a member with those that the semantics lists.
    fn look_again(&self, graph: &mut GraphCheck, member: u32) -> Result<(), Unproved> {
        let mut row = Vec::new();
        self.certificate.members.unpack(member, &mut row);
        row.truncate(row.len() - 2);
        let mut found = Vec::new();
        let complete = graph.tables().steps(&row, &mut Space::default(), &mut Possible::default(), &mut |step| {
            let mut target = row.clone();
            step.change(&mut target);
            found.push((graph.tables().choice(&step), target));
        });
        let agrees = complete.is_ok() && graph.agrees(&row, found);
        agrees.then_some(()).ok_or(Unproved::OtherSteps { part: self.index, member: member as usize })
    }

    /// The facts of a state and of a step from it.
    fn joined(&mut self, graph: &GraphCheck, letter: u32, of_step: u32) -> u32 {
        if of_step == 0 {
            return letter;
        }
        if let Some(known) = self.joined.get(&(letter, of_step)) {
            return *known;
        }
        let step = graph.tables().letter(of_step).iter().zip(&self.now).map(|(fact, now)| fact & now);
        let both: Vec<u64> = self.letters.get(letter).iter().zip(step).map(|(state, step)| state | step).collect();
        let number = self.letters.insert(&both);
        self.joined.insert((letter, of_step), number);
        number
    }

    /// Which set of receives of the certificate a step has; nothing if it is missing there.
    fn place(&mut self, graph: &GraphCheck, of_step: u32) -> Option<u32> {
        if let Some(known) = self.places.get(&of_step) {
            return *known;
        }
        let of_step_receives = graph.tables().letter(of_step).iter().zip(&self.receives).map(|(fact, all)| fact & all);
        let set: Vec<u64> = of_step_receives.collect();
        let place = self.received.iter().position(|known| *known == set).map(|place| place as u32);
        self.places.insert(of_step, place);
        place
    }

    /// The ways to go on from a set of obligations, receives and a letter, as a range.
    fn ways_on(&mut self, key: [u32; 3]) -> (u32, u32) {
        if let Some(range) = self.ranges.get(&key) {
            return *range;
        }
        let [set, received, letter] = key;
        let (now, before) = (self.letters.get(letter), &self.received[received as usize]);
        // Receives are facts of the step before only.
        let truth = |fact: &Option<usize>| fact.is_some_and(|bit| bits::get(now, bit) || bits::get(before, bit));
        let facts: Vec<bool> = self.facts.iter().map(truth).collect();
        let is_met =
            |obligation: Option<Obligation>| obligation.map(|obligation| self.tableau.is_met(obligation, &facts));
        let conditions = self.conditions.iter().map(|(_, recurrence)| recurrence);
        let requested: Arc<[bool]> = conditions.clone().map(|it| is_met(it.request).unwrap_or(true)).collect();
        let answered: Arc<[bool]> = conditions.map(|it| is_met(it.answer).unwrap_or(false)).collect();
        let start = self.onward.len() as u32;
        for way in self.ways_of(set, &facts) {
            let (requested, answered) = (requested.clone(), answered.clone());
            self.onward.push(Onward { way, requested, answered });
        }
        let range = (start, self.onward.len() as u32);
        self.ranges.insert(key, range);
        range
    }

    /// The ways to meet a set of obligations: once for all truths of what they read, whatever else is true.
    fn ways_of(&mut self, set: u32, facts: &[bool]) -> Vec<Way> {
        let certificate = self.certificate;
        let obligations = &certificate.obligations[set as usize];
        let of_set = self.ways.entry(set).or_insert_with(|| {
            let reads = self.tableau.below(obligations).into_iter();
            let reads = reads.filter(|subformula| self.facts[*subformula as usize].is_some());
            Ways { reads: reads.collect(), known: FxHashMap::default() }
        });
        let truths: Vec<bool> = of_set.reads.iter().map(|subformula| facts[*subformula as usize]).collect();
        if let Some(known) = of_set.known.get(&truths) {
            return known.clone();
        }
        let way = |way: tableau::Way| {
            let implied = self.implied(&self.tableau.consequences(&way.next));
            Way { implied: implied.into(), pending: way.pending.into_iter().collect() }
        };
        let ways: Vec<Way> = self.tableau.ways(obligations, facts).into_iter().map(way).collect();
        self.ways.get_mut(&set).expect("it was added").known.insert(truths, ways.clone());
        ways
    }

    /// The sets of obligations of the certificate that these imply, larger ones first.
    fn implied(&self, by: &Obligations) -> Vec<u32> {
        let sets = self.certificate.obligations.iter().zip(0..);
        let implied = sets.filter(|(set, _)| set.iter().all(|obligation| by.contains(obligation)));
        let mut implied: Vec<(usize, u32)> = implied.map(|(set, number)| (set.len(), number)).collect();
        implied.sort_by_key(|(size, _)| usize::MAX - size);
        implied.into_iter().map(|(_, number)| number).collect()
    }
}

/// Writes the last two numbers of a member, if they fit.
fn put(layout: &Layout, target: &mut [u64], place: u32, set: u32) -> bool {
    let [at_place, at_set] = [layout.len() - 2, layout.len() - 1];
    let fits = place <= layout.greatest(at_place) && set <= layout.greatest(at_set);
    if fits {
        layout.set(target, at_place, place);
        layout.set(target, at_set, set);
    }
    fits
}

/// All conditions that follow from the falsity of the conjunct; those that ranks name are among them.
fn conditions(part: &ClosedSet, tableau: &Tableau) -> Result<Vec<(Obligation, Recurrence)>, &'static str> {
    let implied = tableau.consequences(&Obligations::from([tableau.negation()]));
    let all = implied.into_iter().filter_map(|it| Some((it, tableau.recurrence(it)?)));
    let all: Vec<(Obligation, Recurrence)> = all.collect();
    let named = part.reasons.iter().flat_map(|why| match why {
        Why::Unanswered(conditions) => &conditions[..],
        Why::Passing | Why::Pending(_) => &[],
    });
    let is_known = |condition: &Obligation| all.iter().any(|(known, _)| known == condition);
    match named.into_iter().all(is_known) {
        true => Ok(all),
        false => Err("a condition does not follow from the falsity of the conjunct"),
    }
}

/// The conditions that a reason names, each once.
fn numbers(all: &[(Obligation, Recurrence)], why: &Why) -> Vec<u32> {
    let Why::Unanswered(list) = why else { return Vec::new() };
    (0..all.len() as u32).filter(|number| list.contains(&all[*number as usize].0)).collect()
}

/// That all indices are in range, but for those of members.
fn check_indices(part: &ClosedSet, subformulas: usize, instances: usize) -> Result<(), &'static str> {
    let known = |obligation: &Obligation| (obligation.subformula as usize) < subformulas;
    let of_reasons = part.reasons.iter().flat_map(|why| match why {
        Why::Passing => &[],
        Why::Pending(eventuality) => std::slice::from_ref(eventuality),
        Why::Unanswered(conditions) => &conditions[..],
    });
    if !part.obligations.iter().flatten().chain(of_reasons).all(known) {
        return Err("an obligation is no subformula");
    }
    let outer = |(number, rank): (usize, &Rank)| rank.within.is_none_or(|within| (within as usize) < number);
    if !part.ranks.iter().enumerate().all(outer) {
        return Err("a rank is a part of a later one");
    }
    if part.ranks.iter().any(|rank| rank.why as usize >= part.reasons.len()) {
        return Err("a reason is missing");
    }
    let (members, ranks) = (&part.members, part.members.ranks());
    if !members.is_empty() && members.width() != instances + 2 {
        return Err("members of another width");
    }
    let (ranks, expected) = match ranks {
        Ranks::ByObligations(ranks) => (ranks, part.obligations.len()),
        Ranks::Each(ranks) => (ranks, members.len()),
    };
    if ranks.len() != expected || ranks.iter().any(|rank| *rank as usize >= part.ranks.len()) {
        return Err("a rank refers to something missing");
    }
    Ok(())
}
